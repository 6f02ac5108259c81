//! What is written: into pipes, words and files.

use super::super::value::{Origin, Value};
use super::Interpreter;
use super::state::{Descriptor, State};

impl Interpreter<'_> {
    /// Collects what is written on standard output while something runs.
    pub(super) fn collect(
        &mut self,
        state: &mut State,
        substitution: bool,
        run: impl FnOnce(&mut Self, State),
    ) -> Value {
        let number = self.sinks.len();
        self.sinks.push(Value::known(""));
        state.redirect(1, Descriptor::Sink { number, substitution });
        run(self, state.clone());
        let output = self.sinks.pop();
        self.sinks.truncate(number);
        output.unwrap_or(Value::Unknown(Origin::Other))
    }

    /// Adds to what is written on standard output.
    pub(super) fn write(&mut self, state: &State, value: Value) {
        let is_left = self.may_be_left();
        if let Some(sink) = state.sink()
            && let Some(before) = self.sinks.get_mut(sink)
        {
            let unwritten = is_left.then(|| before.clone());
            *before = std::mem::replace(before, Value::known("")).then(value);
            if let Some(unwritten) = unwritten {
                *before = std::mem::replace(before, Value::known("")).or(unwritten);
            }
            return;
        }
        if let Descriptor::Output { path, append } = state.descriptor(1)
            && let Some(path) = path.as_known()
        {
            self.written(path, append, value);
            self.files_in_doubt |= is_left;
        }
    }

    /// What was written since may not have been.
    pub(super) fn written_perhaps(&mut self, before: Vec<Value>) {
        for (sink, before) in self.sinks.iter_mut().zip(before) {
            let after = std::mem::replace(sink, Value::known(""));
            *sink = after.or(before);
        }
    }

    /// What is written so far.
    pub(in super::super) fn written_so_far(&self) -> Vec<Value> {
        self.sinks.clone()
    }

    /// What was written since may have been stopped anywhere.
    pub(in super::super) fn stopped_since(&mut self, before: Vec<Value>) {
        self.files_in_doubt = true;
        for (sink, before) in self.sinks.iter_mut().zip(before) {
            if *sink != before {
                let origin = sink.origin().cloned().unwrap_or(Origin::Other);
                *sink = before.then(Value::Unknown(origin));
            }
        }
    }

    /// Runs what may run or not; what it writes is written perhaps.
    pub(super) fn branch<T>(&mut self, conditional: bool, run: impl FnOnce(&mut Self) -> T) -> T {
        if !conditional {
            return run(self);
        }
        let before = self.sinks.clone();
        self.burn(before.iter().map(Value::weight).sum::<usize>() / super::fuel::BYTES_OF_FUEL);
        self.conditional += 1;
        let result = run(self);
        self.conditional -= 1;
        self.written_perhaps(before);
        result
    }
}
