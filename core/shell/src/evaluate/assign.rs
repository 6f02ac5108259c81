//! Assignments: to variables, to elements of arrays, and for one command alone.
//!
//! An assignment can do more than set a text. It may change what programs run
//! ([`Effect::EnvironmentInjection`]), what later commands mean (`CHANGING`), or evaluate what is
//! assigned, because the variable holds numbers.

use super::Interpreter;
use super::parameter::is_name;
use super::state::{Content, State};
use crate::effect::Effect;
use crate::env::Shell;
use crate::invocation::Argument;
use crate::ir::{Assigned, Assignment, Piece, Span, Word};
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// Assigns for the shell itself.
    pub(super) fn assignment(&mut self, state: &mut State, assignment: &Assignment) {
        let index = assignment.index.as_ref().map(|index| self.index(state, index));
        let content = match &assignment.value {
            Assigned::Word(word) => {
                let value = self.single(state, word);
                let is_part = assignment.append || index.is_some();
                let value = if is_part && is_number(state, &assignment.name) {
                    self.number_of(state, &value, &assignment.span);
                    Value::Unknown(Origin::Number)
                } else if assignment.append {
                    self.named(state, &assignment.name, index.as_ref()).then(value)
                } else {
                    value
                };
                match index {
                    None => Content::Text(value),
                    Some(index) => with_element(state, &assignment.name, &index, value),
                }
            }
            Assigned::Array(words) => {
                let arguments = self.arguments(state, words);
                let many = arguments.iter().any(|argument| argument.many);
                let is_keyed =
                    |word: &&Word| word.pieces.iter().any(|it| matches!(it, Piece::Unknown(_)));
                let keyed: Vec<Word> = words.iter().filter(is_keyed).flat_map(parts).collect();
                self.calculated(state, &keyed);
                let mut values = if assignment.append {
                    array_of(state, &assignment.name)
                } else {
                    Some(Vec::new())
                };
                if let Some(values) = &mut values {
                    values.extend(arguments.into_iter().map(|argument| argument.value));
                }
                Content::Array(values.filter(|_| !many && keyed.is_empty()))
            }
        };
        self.assign(state, &assignment.name, content, &assignment.span);
    }

    /// Sets a variable, and reports it if that changes what programs or later commands do.
    pub(super) fn assign(&mut self, state: &mut State, name: &str, content: Content, span: &Span) {
        if crate::names::is_env_injection(name)
            && !(name == "IFS" && content.text().as_known().is_some())
        {
            let effect =
                Effect::EnvironmentInjection { name: name.to_owned(), value: content.text() };
            self.found(effect, name, span);
        }
        if CHANGING.contains(&name) {
            let why = format!("`{name}` changes what later commands are");
            self.found(Effect::Dynamic { why }, name, span);
        }
        if name == "PS4"
            && let Content::Text(value) = &content
        {
            // With `set -x` it is expanded before each command.
            self.expanded_text(state, &value.clone(), span);
        }
        if state.held(name).is_some_and(|held| held.readonly) {
            self.may_fail(state);
        }
        let content =
            if is_number(state, name) { self.evaluated(state, &content, span) } else { content };
        state.set(name, content);
    }

    /// Reports a line that sets a variable which Bash lets nobody set.
    pub(super) fn check_read_only(&mut self, state: &State, name: &str, span: &Span) {
        if READ_ONLY.contains(&name) {
            let what = format!("`{name}` is set, which Bash refuses, and then skips what follows");
            self.unknown(&what, span.clone());
            self.may_fail(state);
        }
    }

    /// Sets something whose name is that of no variable: an element of an array, perhaps.
    pub(super) fn element_set(&mut self, state: &mut State, name: &str, span: &Span) {
        let base = name.split('[').next().unwrap_or(name);
        if is_name(base) && base.len() < name.len() {
            // The index is arithmetic, which may run commands.
            self.arithmetic(state, name, span);
            self.may_fail(state);
            self.assign(state, base, Content::Array(None), span);
        } else {
            self.expanded_text(state, &Value::known(name), span);
        }
    }

    /// What is kept of a content by a variable that holds numbers.
    fn evaluated(&mut self, state: &mut State, content: &Content, span: &Span) -> Content {
        match content {
            Content::Array(Some(values)) => {
                for value in values {
                    self.number_of(state, value, span);
                }
                Content::Array(None)
            }
            Content::Array(None) => {
                self.any_expression(state, span);
                Content::Array(None)
            }
            Content::Nothing => Content::Nothing,
            Content::Text(value) | Content::Perhaps(value) => {
                Content::Text(self.number_of(state, value, span))
            }
        }
    }

    /// The number that a variable which holds numbers makes of a value.
    pub(super) fn number_of(&mut self, state: &mut State, value: &Value, span: &Span) -> Value {
        match value {
            Value::Known(text) => return self.arithmetic(state, text, span),
            Value::OneOf(texts) => {
                for text in texts {
                    self.arithmetic(state, text, span);
                }
            }
            Value::Unknown(Origin::Number) => {}
            Value::Prefix(..) | Value::Unknown(_) => {
                self.arithmetic(state, value.prefix(), span);
                self.any_expression(state, span);
            }
        }
        Value::Unknown(Origin::Number)
    }

    /// Assigns for one command alone.
    pub(super) fn environment(
        &mut self,
        state: &mut State,
        assignments: &[Assignment],
    ) -> Vec<(String, Value)> {
        let mut environment = Vec::with_capacity(assignments.len());
        let mut inner = state.clone();
        for assignment in assignments {
            self.assignment(&mut inner, assignment);
            environment.push((assignment.name.clone(), inner.value(&assignment.name)));
        }
        environment
    }

    /// `declare a=(…)`: the arrays, before the builtin itself.
    pub(super) fn declared_arrays(
        &mut self,
        state: &mut State,
        words: &[Argument],
        arrays: &[Assignment],
    ) {
        let declares = words[0].value.as_known();
        for array in arrays {
            if matches!(declares, Some("local" | "declare" | "typeset")) {
                self.localize(state, &array.name);
            }
            if has_option(words, 'i') {
                state.held_mut(&array.name).integer = true;
            }
            self.assignment(state, array);
            if declares == Some("readonly") || has_option(words, 'r') {
                state.held_mut(&array.name).readonly = true;
            }
        }
    }

    /// Makes a variable one of the function that runs.
    ///
    /// It has no value at first in Bash; in another shell it may keep the one that it had.
    pub(super) fn localize(&mut self, state: &mut State, name: &str) {
        let shell = self.env.shell;
        // A text that is sourced has no variables of its own.
        if let Some(call) = self.calls.iter_mut().rev().find(|call| call.body.is_some())
            && !call.locals.iter().any(|(other, _)| other == name)
        {
            let before = state.held(name).cloned();
            let kept = match (&before, shell) {
                (Some(held), Shell::Sh) => Content::Nothing.or(&held.content),
                (None, Shell::Sh) => Content::Perhaps(state.value(name)),
                (_, Shell::Bash) => Content::Nothing,
            };
            call.locals.push((name.to_owned(), before));
            state.set(name, Content::Nothing);
            state.set(name, kept);
        }
    }
}

/// Variables that change what later commands of the same words mean, by themselves or by their
/// elements.
const CHANGING: &[&str] = &[
    "BASH_ALIASES", "BASH_ARGV0", "BASH_CMDS", "BASH_COMPAT", "EXECIGNORE", "GLOBIGNORE",
    "POSIXLY_CORRECT",
];

/// Variables of the shell that evaluate what is assigned to them as arithmetic.
const NUMBERS: &[&str] =
    &["BASHPID", "HISTCMD", "LINENO", "OPTIND", "RANDOM", "SECONDS", "SRANDOM"];

/// True for a variable that evaluates what is assigned to it.
pub(super) fn is_number(state: &State, name: &str) -> bool {
    NUMBERS.contains(&name) || state.held(name).is_some_and(|held| held.integer)
}

/// Variables that Bash lets nobody set. A line that tries to ends there, and the next one runs.
const READ_ONLY: &[&str] = &["BASHOPTS", "BASH_VERSINFO", "EUID", "PPID", "SHELLOPTS", "UID"];

/// True if one of the words is an option with this letter.
fn has_option(words: &[Argument], letter: char) -> bool {
    let mut options = words.iter().filter_map(|word| word.value.as_known()?.strip_prefix('-'));
    options.any(|letters| letters.contains(letter))
}

/// An element with its key as they are evaluated, each by itself and as one text.
fn parts(word: &Word) -> [Word; 2] {
    let is_known = |piece: &&Piece| !matches!(piece, Piece::Unknown(_));
    let pieces = word.pieces.iter().filter(is_known).cloned().collect();
    [word.clone(), Word { pieces, span: word.span.clone() }]
}

/// What is in an array, or in a variable that becomes one; none if that is not known.
fn array_of(state: &State, name: &str) -> Option<Vec<Value>> {
    match state.held(name).map(|held| &held.content) {
        Some(Content::Array(values)) => values.clone(),
        Some(Content::Text(value)) => Some(vec![value.clone()]),
        None | Some(Content::Nothing) => Some(Vec::new()),
        Some(Content::Perhaps(_)) => None,
    }
}

/// An array with one element changed.
pub(super) fn with_element(state: &State, name: &str, index: &Value, value: Value) -> Content {
    let Some(before) = array_of(state, name) else { return Content::Array(None) };
    let at = index.as_known().and_then(|index| index.trim().parse::<usize>().ok());
    match at {
        Some(at) if at <= before.len() && at < 256 => {
            let mut values = before;
            if at == values.len() {
                values.push(value);
            } else {
                values[at] = value;
            }
            Content::Array(Some(values))
        }
        _ => Content::Array(None),
    }
}
