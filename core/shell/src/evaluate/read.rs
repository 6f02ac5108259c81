//! `read` and `mapfile`: lines of standard input that become variables.

use super::parameter::is_name;
use super::simple::ReadyCommand;
use super::state::{Content, State};
use super::{Flow, Interpreter};
use crate::effect::Effect;
use crate::invocation::{Argument, Stdin};
use crate::value::{Origin, Value};

/// The options and names of `read`.
#[derive(Default)]
struct Options {
    /// `-r`: backslashes stand for themselves.
    raw: bool,
    /// `-a`: the array that the words of the line become.
    array: Option<String>,
    /// `-d`: what ends the line.
    delimiter: Option<String>,
    /// `-u`: the descriptor to read from.
    descriptor: u32,
    /// The variables to set.
    names: Vec<String>,
    /// Elements of arrays.
    elements: Vec<String>,
    /// An option that changes what is read, or a word that is not known.
    odd: bool,
    /// How much is read, or from where, is not known.
    unsure: bool,
}

impl Interpreter<'_> {
    /// `read`: takes a line from a known text, or sets its variables to unknown input.
    pub(super) fn read(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut options = options(&call.arguments);
        if options.odd && call.arguments.iter().any(|argument| argument.value.as_known().is_none())
        {
            self.unknown_name(call);
        }
        if options.names.is_empty() && options.elements.is_empty() && options.array.is_none() {
            options.names.push("REPLY".to_owned());
        }
        for element in &options.elements {
            self.element_set(&mut state, element, &call.span);
        }
        let descriptor = state.descriptor(options.descriptor);
        let source = self.stdin_of(&descriptor);
        if options.unsure {
            self.reads_any(&state);
        }
        self.reads(&descriptor);
        let Stdin::Text(Value::Known(text)) = &source else {
            let value = Value::Unknown(match &source {
                Stdin::Pipe(writers) => Origin::Output(writers.clone()),
                Stdin::Text(text) => text.origin().cloned().unwrap_or(Origin::Other),
                _ => Origin::Input,
            });
            for name in options.names.iter().chain(&options.array) {
                let content = if options.array.as_ref() == Some(name) {
                    Content::Array(None)
                } else {
                    Content::Text(value.clone())
                };
                self.assign(&mut state, name, content, &call.span);
            }
            return Flow::both(state);
        };
        let end = match options.delimiter.as_deref() {
            None => '\n',
            Some(text) => text.chars().next().unwrap_or('\0'),
        };
        let (line, rest, whole) = match text.split_once(end) {
            Some((line, rest)) => (line.to_owned(), rest.to_owned(), true),
            None => (text.clone(), String::new(), false),
        };
        let empty = text.is_empty();
        let line = if options.raw { Some(line) } else { unescaped(&line) };
        if !options.unsure && line.is_some() {
            let rest = self.opened(Value::Known(rest));
            state.redirect(options.descriptor, rest);
        }
        self.assign_fields(&mut state, &options, line.as_deref(), call);
        match (whole, empty) {
            (true, _) => Flow::ok(state),
            (false, true) => Flow::fail(state),
            (false, false) => Flow::fail(state),
        }
    }

    /// Gives the parts of a line to the names.
    fn assign_fields(
        &mut self,
        state: &mut State,
        options: &Options,
        line: Option<&str>,
        call: &ReadyCommand<'_>,
    ) {
        let ifs = state.value("IFS");
        let (Some(line), Some(ifs), false) = (line, ifs.as_known(), options.odd) else {
            for name in options.names.iter().chain(&options.array) {
                let unknown = Content::Text(Value::Unknown(Origin::Input));
                self.assign(state, name, unknown, &call.span);
            }
            return;
        };
        let blank = |char: char| ifs.contains(char) && char.is_ascii_whitespace();
        let mut rest = line.trim_matches(blank);
        let mut next = || -> Option<String> {
            if rest.is_empty() {
                return None;
            }
            let end = rest.find(|char| ifs.contains(char)).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            let after = after.trim_start_matches(blank);
            let mut chars = after.chars();
            let hard = chars.next().is_some_and(|char| ifs.contains(char));
            rest = if hard { chars.as_str().trim_start_matches(blank) } else { after };
            Some(word.to_owned())
        };
        if let Some(name) = &options.array {
            let values = std::iter::from_fn(next).map(Value::Known).collect();
            self.assign(state, name, Content::Array(Some(values)), &call.span);
            return;
        }
        let (last, firsts) = match options.names.split_last() {
            Some((last, firsts)) => (last.clone(), firsts.to_vec()),
            None => return,
        };
        let values: Vec<String> = firsts.iter().map(|_| next().unwrap_or_default()).collect();
        let remaining = rest.to_owned();
        for (name, value) in firsts.iter().zip(values) {
            self.assign(state, name, Content::Text(Value::Known(value)), &call.span);
        }
        self.assign(state, &last, Content::Text(Value::Known(remaining)), &call.span);
    }

    /// `mapfile`: the lines of standard input as an array.
    pub(super) fn mapfile(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut name = "MAPFILE".to_owned();
        let mut trims = false;
        let mut odd = false;
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some("-t") => trims = true,
                Some(text) if is_name(text) => name = text.to_owned(),
                Some(text) if text.starts_with("-C") => {
                    let why = "`mapfile -C` names a command that runs for each line".to_owned();
                    self.found(Effect::Dynamic { why }, call.name, &call.span);
                }
                _ => odd = true,
            }
        }
        let stdin = self.stdin(&state);
        self.reads_any(&state);
        let values = match stdin {
            Stdin::Text(Value::Known(text)) if trims && !odd => {
                Some(text.lines().map(Value::known).collect())
            }
            Stdin::Text(Value::Known(text)) if !odd => {
                Some(text.split_inclusive('\n').map(Value::known).collect())
            }
            _ => None,
        };
        self.assign(&mut state, &name, Content::Array(values), &call.span);
        Flow::both(state)
    }
}

/// Reads the arguments of `read`.
fn options(arguments: &[Argument]) -> Options {
    let mut options = Options::default();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        at += 1;
        let Some(text) = argument.value.as_known() else {
            (options.odd, options.unsure) = (true, true);
            continue;
        };
        let Some(letters) = text.strip_prefix('-').filter(|letters| !letters.is_empty()) else {
            if is_name(text) {
                options.names.push(text.to_owned());
            } else {
                options.elements.push(text.to_owned());
            }
            continue;
        };
        for (place, letter) in letters.char_indices() {
            match letter {
                'r' => options.raw = true,
                's' | 'e' => {}
                'a' | 'd' | 'i' | 'n' | 'N' | 'p' | 't' | 'u' => {
                    let attached = &letters[place + 1..];
                    let value = if attached.is_empty() {
                        at += 1;
                        arguments.get(at - 1).and_then(|argument| argument.value.as_known())
                    } else {
                        Some(attached)
                    };
                    options.unsure |= value.is_none() || matches!(letter, 'n' | 'N' | 't');
                    match letter {
                        'a' => options.array = value.map(str::to_owned),
                        'd' => options.delimiter = Some(value.unwrap_or_default().to_owned()),
                        'u' => {
                            let number = value.and_then(|value| value.parse().ok());
                            options.unsure |= number.is_none();
                            options.descriptor = number.unwrap_or(0);
                        }
                        'n' | 'N' => options.odd = true,
                        _ => {}
                    }
                    break;
                }
                _ => (options.odd, options.unsure) = (true, true),
            }
        }
    }
    options
}

/// A line without its backslashes; none if it goes on on the next one.
fn unescaped(line: &str) -> Option<String> {
    let mut text = String::with_capacity(line.len());
    let mut chars = line.chars();
    while let Some(char) = chars.next() {
        text.push(if char == '\\' { chars.next()? } else { char });
    }
    Some(text)
}
