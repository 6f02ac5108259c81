//! Sinks: what is written into pipes and words, collected while it is written.
//!
//! A sink keeps two texts. One is what it certainly holds at least, the other what it holds if
//! nothing that wrote to it was stopped midway. A script that reads the sink is evaluated with the
//! longer one, so that harm in it is found, and counts as uncertain where the two differ.

use super::Interpreter;
use super::state::{Descriptor, State};
use crate::value::{Origin, Value};

/// What is written into a pipe or a word.
#[derive(Clone, Debug, PartialEq)]
pub(in super::super) struct Sink {
    /// What is known of it.
    pub(super) value: Value,
    /// What it is if nothing that wrote it was stopped. None: the same.
    uncut: Option<Value>,
}

impl Sink {
    /// A sink into which nothing was written.
    pub(super) fn empty() -> Sink {
        Sink { value: Value::known(""), uncut: None }
    }

    /// Appends a value.
    fn add(&mut self, value: &Value) {
        for text in std::iter::once(&mut self.value).chain(&mut self.uncut) {
            *text = std::mem::replace(text, Value::known("")).then(value.clone());
        }
    }

    /// One of the two.
    pub(super) fn or(self, other: Sink) -> Sink {
        let is_cut = self.uncut.is_some() || other.uncut.is_some();
        let uncut = is_cut.then(|| self.uncut().clone().or(other.uncut().clone()));
        Sink { value: self.value.or(other.value), uncut }
    }

    /// What it is if nothing that wrote it was stopped.
    pub(super) fn uncut(&self) -> &Value {
        self.uncut.as_ref().unwrap_or(&self.value)
    }

    /// The same sink, which may have been stopped anywhere behind `before`.
    fn maybe_cut_after(self, before: Sink) -> Sink {
        let origin = self.value.origin().cloned().unwrap_or(Origin::Other);
        let uncut = self.uncut.unwrap_or(self.value);
        Sink { value: before.value.then(Value::Unknown(origin)), uncut: Some(uncut) }
    }

    /// The same, with more in it that is not known.
    fn doubt(&mut self) {
        let uncut = self.uncut.take().unwrap_or_else(|| self.value.clone());
        self.add(&Value::Unknown(Origin::Other));
        self.uncut = Some(uncut);
    }

    /// How many bytes of text it holds.
    fn weight(&self) -> usize {
        self.value.weight() + self.uncut.as_ref().map_or(0, Value::weight)
    }
}

impl Interpreter<'_> {
    /// Collects what is written on standard output while something runs.
    pub(super) fn collect(
        &mut self,
        state: &mut State,
        substitution: bool,
        run: impl FnOnce(&mut Self, State),
    ) -> Sink {
        let number = self.sinks.len();
        self.sinks.push(Sink::empty());
        state.redirect(1, Descriptor::Sink { number, substitution });
        run(self, state.clone());
        let output = self.sinks.pop();
        self.sinks.truncate(number);
        output.unwrap_or(Sink { value: Value::Unknown(Origin::Other), uncut: None })
    }

    /// Adds to what is written on standard output.
    pub(super) fn write(&mut self, state: &State, value: Value) {
        self.write_to(&state.descriptor(1), value, false);
    }

    /// Adds to what is written on a descriptor, surely or perhaps.
    pub(super) fn write_to(&mut self, to: &Descriptor, value: Value, perhaps: bool) {
        let is_left = perhaps || self.may_be_unreachable();
        match to {
            Descriptor::Sink { number, .. } => {
                let Some(before) = self.sinks.get_mut(*number) else { return };
                let unwritten = is_left.then(|| before.clone());
                before.add(&value);
                if let Some(unwritten) = unwritten {
                    *before = std::mem::replace(before, Sink::empty()).or(unwritten);
                }
            }
            Descriptor::Output { path, .. } | Descriptor::Both(path) => {
                let Some(path) = path.as_known() else { return };
                // It was emptied when it was opened, if it was.
                self.write_file(path, true, value);
                self.files_in_doubt |= is_left;
            }
            Descriptor::Either(all) => {
                for one in all {
                    self.write_to(one, value.clone(), true);
                }
            }
            _ => {}
        }
    }

    /// Notes that more may be written on a descriptor from here on than is known.
    pub(super) fn doubt_output(&mut self, to: &Descriptor) {
        match to {
            Descriptor::Sink { number, .. } => {
                self.sinks.get_mut(*number).into_iter().for_each(Sink::doubt);
            }
            Descriptor::Output { path, .. } | Descriptor::Both(path) => {
                let path = path.as_known().filter(|path| *path != "/dev/null");
                if let Some(path) = path {
                    self.doubt_file(path);
                }
            }
            Descriptor::Either(all) => all.iter().for_each(|one| self.doubt_output(one)),
            _ => {}
        }
    }

    /// Notes that what was written since `before` may not have been.
    pub(super) fn maybe_unwritten(&mut self, before: Vec<Sink>) {
        for (sink, before) in self.sinks.iter_mut().zip(before) {
            let after = std::mem::replace(sink, Sink::empty());
            *sink = after.or(before);
        }
    }

    /// The sinks as they are now, to compare with later.
    pub(in super::super) fn sinks_so_far(&self) -> Vec<Sink> {
        self.sinks.clone()
    }

    /// Notes that what was written since `before` may have been stopped anywhere.
    pub(in super::super) fn stopped_since(&mut self, before: Vec<Sink>) {
        self.files_in_doubt = true;
        for (sink, before) in self.sinks.iter_mut().zip(before) {
            if *sink != before {
                *sink = std::mem::replace(sink, Sink::empty()).maybe_cut_after(before);
            }
        }
    }

    /// Runs what may run or not; what it writes is written perhaps.
    pub(super) fn branch<T>(&mut self, conditional: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        if !conditional {
            return run(self);
        }
        let before = self.sinks.clone();
        self.spend_fuel(
            before.iter().map(Sink::weight).sum::<usize>() / super::fuel::BYTES_PER_FUEL,
        );
        self.conditional += 1;
        let result = run(self);
        self.conditional -= 1;
        self.maybe_unwritten(before);
        result
    }
}
