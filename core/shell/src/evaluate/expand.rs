//! Expansion: words become arguments.
//!
//! The steps are those of a shell: braces, then parameters, substitutions and arithmetic, then
//! splitting at `IFS`, then patterns. Each piece of a word becomes a [`Segment`], which says
//! whether its text is split and may be a pattern; the segments become [`Argument`]s. Where it is
//! not known how many arguments a word makes, there is one with `many`.

use super::Interpreter;
use super::files::Written;
use super::parameter::is_name;
use super::state::{Arguments, State};
use crate::effect::Effect;
use crate::invocation::{Argument, Stdin, Stdout};
use crate::ir::{Piece, Script, Span, Word};
use crate::place;
use crate::value::{Origin, Value};

/// The most arguments that the braces of one word make. `{1..1000}` is a list that nobody would
/// read.
const MOST_RESULTS: usize = 64;

/// A part of a word that is expanded.
#[derive(Clone, Debug)]
pub(super) enum Segment {
    /// A text that is neither split nor a pattern.
    Fixed(Value),
    /// A text that is split, and whose characters may be a pattern.
    Split(Value),
    /// A pattern, as written.
    Glob(String),
    /// Several texts, each of which is split: `$@`.
    SplitList(Vec<Value>),
    /// Several words, each on its own: `"$@"`. None: nobody knows how many.
    List(Option<Vec<Value>>),
}

/// An argument that is put together.
#[derive(Default)]
struct Field {
    /// The text so far; none while there is no argument yet.
    value: Option<Value>,
    /// The pattern so far, and whether there is one.
    pattern: String,
    /// True once a part of it is a pattern.
    is_pattern: bool,
    /// The text before the first pattern, which every match begins with.
    before_pattern: Option<Value>,
    /// True if it may be none or several arguments.
    many: bool,
}

impl Interpreter<'_> {
    /// The arguments that some words become.
    pub(super) fn arguments(&mut self, state: &mut State, words: &[Word]) -> Vec<Argument> {
        let mut arguments = Vec::with_capacity(words.len());
        let declares = declares(words);
        for word in words {
            let (first, ran) = (arguments.len(), self.ran.len());
            if declares && is_assignment(word) {
                let value = self.single(state, word);
                arguments.push(Argument::new(value, word.span.clone()));
            } else {
                self.argument(state, word, &mut arguments);
            }
            let writes =
                |number: &usize| self.out.invocations[*number].stdout == Stdout::Substitution;
            let made_by: Vec<usize> = self.ran[ran..].iter().copied().filter(writes).collect();
            for argument in &mut arguments[first..] {
                argument.made_by.extend(&made_by);
            }
        }
        arguments
    }

    /// Expands one word and appends what it becomes.
    pub(super) fn argument(
        &mut self,
        state: &mut State,
        word: &Word,
        arguments: &mut Vec<Argument>,
    ) {
        if let [Piece::Literal { text, .. }] = &word.pieces[..] {
            self.keep_expression(text);
            let value = Value::Known(text.clone());
            arguments.push(Argument::new(value, word.span.clone()));
            return;
        }
        let Some(variants) = unbraced(&word.pieces) else {
            self.unknown("more words from braces than are looked at", word.span.clone());
            let value = Value::Unknown(Origin::Other);
            arguments.push(Argument { many: true, ..Argument::new(value, word.span.clone()) });
            for piece in &word.pieces {
                self.segment(state, piece, &word.span, &mut Vec::new());
            }
            return;
        };
        for pieces in variants {
            let mut segments = Vec::with_capacity(pieces.len());
            for piece in &pieces {
                self.segment(state, piece, &word.span, &mut segments);
            }
            fields(state, segments, &word.span, arguments);
        }
    }

    /// Runs what a text expands to between double quotes: a prompt, the index of an array.
    pub(super) fn expanded_text(&mut self, state: &mut State, value: &Value, place: &Span) {
        match value {
            Value::Known(text) if !text.contains(['$', '`']) => {}
            Value::Known(text) => {
                // A here-document expands as a text between double quotes, in which quotes are characters.
                let end = "TOOLKEEP_END_OF_TEXT";
                if !text.contains(end) {
                    self.text(state.clone(), &format!(": <<{end}\n{text}\n{end}\n"), place);
                }
            }
            Value::OneOf(texts) => {
                for text in texts.clone() {
                    self.expanded_text(state, &Value::Known(text), place);
                }
            }
            Value::Prefix(..) | Value::Unknown(_) => {
                let why = "it expands a text that is not known".to_owned();
                self.found(Effect::Dynamic { why }, "${…@P}", place);
            }
        }
    }

    /// A word that becomes one value: of an assignment, a redirection, a `case`.
    pub(super) fn single(&mut self, state: &mut State, word: &Word) -> Value {
        let mut segments = Vec::with_capacity(word.pieces.len());
        for piece in &word.pieces {
            self.segment(state, piece, &word.span, &mut segments);
        }
        let mut value = Value::known("");
        for segment in segments {
            value = value.then(match segment {
                Segment::Fixed(next) | Segment::Split(next) => next,
                Segment::Glob(text) => Value::Known(text),
                Segment::List(Some(values)) | Segment::SplitList(values) => joined(&values, " "),
                Segment::List(None) => Value::Unknown(Origin::Argument),
            });
        }
        value
    }

    /// Expands one piece of a word.
    pub(super) fn segment(
        &mut self,
        state: &mut State,
        piece: &Piece,
        span: &Span,
        segments: &mut Vec<Segment>,
    ) {
        let segment = match piece {
            Piece::Literal { text, .. } => {
                self.keep_expression(text);
                Segment::Fixed(Value::Known(text.clone()))
            }
            Piece::Variable(variable) => return self.variable(state, variable, span, segments),
            Piece::Command { script, quoted } => {
                let value = self.substitution(state, script);
                if *quoted { Segment::Fixed(value) } else { Segment::Split(value) }
            }
            Piece::Arithmetic { text, words, quoted } => {
                let mut expanded = Value::known(text.as_str());
                for word in words {
                    expanded = self.single(state, word);
                }
                let before = state.clone();
                let number = match expanded {
                    Value::Known(text) => self.arithmetic(state, &text, span),
                    _ => {
                        self.arithmetic(state, text, span);
                        Value::Unknown(Origin::Number)
                    }
                };
                if number.as_known().is_none() && self.arithmetic_may_fail(&before, text) {
                    self.may_fail(&before);
                }
                if *quoted { Segment::Fixed(number) } else { Segment::Split(number) }
            }
            Piece::Process { script, writes } => {
                Segment::Fixed(self.process(state, script, *writes))
            }
            Piece::Tilde(name) => Segment::Fixed(self.tilde(state, name)),
            Piece::Glob(text) => Segment::Glob(text.clone()),
            // A bare text in the operand of a parameter is split; see `parameter`.
            Piece::Brace(alternatives)
                if let [only] = &alternatives[..]
                    && let [Piece::Literal { text, .. }] = &only[..] =>
            {
                Segment::Split(Value::Known(text.clone()))
            }
            // Where braces are not expanded, the parser makes none.
            Piece::Brace(alternatives) => {
                for pieces in alternatives {
                    for piece in pieces {
                        self.segment(state, piece, span, &mut Vec::new());
                    }
                }
                Segment::Split(Value::Unknown(Origin::Other))
            }
            Piece::Unknown(_) => {
                self.may_fail(state);
                Segment::Split(Value::Unknown(Origin::Other))
            }
        };
        segments.push(segment);
    }

    /// `$(…)`: what the commands write, without line breaks at its end.
    pub(super) fn substitution(&mut self, state: &State, script: &Script) -> Value {
        let mut inner = state.clone();
        let output = self.collect(&mut inner, true, |this, inner| {
            this.subshell(inner, |this, inner| this.script(inner, script));
        });
        let output = self.file_alone(state, script).unwrap_or(output.value);
        match output {
            Value::Known(text) => Value::Known(text.trim_end_matches('\n').to_owned()),
            Value::OneOf(_) => output.map(|text| text.trim_end_matches('\n').to_owned()),
            // What comes behind it may be nothing, or line breaks, too.
            Value::Prefix(text, origin) => {
                Value::known(text.trim_end_matches('\n')).then(Value::Unknown(origin))
            }
            other => other,
        }
    }

    /// `<(…)` and `>(…)`: a path under which the commands' output, or input, is found.
    fn process(&mut self, state: &State, script: &Script, writes: bool) -> Value {
        let mut inner = state.clone();
        if writes {
            self.deferred.push((inner, script.clone()));
            return Value::Known("/dev/fd/63".to_owned());
        }
        let output = self.collect(&mut inner, false, |this, inner| {
            this.subshell(inner, |this, inner| this.script(inner, script));
        });
        if output.uncut().possible().is_none() {
            let origin = output.value.origin().cloned().unwrap_or(Origin::Other);
            return Value::Prefix(place::PROCESS.to_owned(), origin);
        }
        let path = format!("/dev/fd/{}", 63 - self.files.len().min(50));
        let in_doubt = output.value.possible().is_none();
        let written = Written { in_doubt, ..Written::new(output.uncut().clone(), 0) };
        self.files.insert(path.clone(), written);
        Value::Known(path)
    }

    /// Runs what is put off until the command that it hangs on is known: `>(…)`.
    pub(super) fn run_deferred(&mut self, from: usize, stdin: &Stdin) {
        for (mut state, script) in self.deferred.split_off(from) {
            state.redirect(0, super::state::Descriptor::Input(stdin.clone()));
            self.subshell(state, |this, inner| this.script(inner, &script));
        }
    }

    /// The folder that `~`, `~+`, `~-` or `~name` stands for.
    fn tilde(&self, state: &State, name: &str) -> Value {
        match name {
            "" => match state.value("HOME") {
                // Without it the shell asks the system.
                Value::Known(home) if home.is_empty() => Value::known(self.env.home.clone()),
                home => home,
            },
            "+" => state.cwd.clone(),
            "-" => state.value("OLDPWD"),
            "root" => Value::known("/root"),
            name if name == self.env.user => Value::known(self.env.home.clone()),
            // A shell leaves the name of nobody as it is.
            name => Value::one_of([format!("/home/{name}"), format!("~{name}")]),
        }
    }
}

/// True for the words of a builtin whose operands are assignments, which are not split.
pub(super) fn declares(words: &[Word]) -> bool {
    /// Builtins whose operands are assignments.
    const DECLARING: &[&str] = &["declare", "export", "local", "readonly", "typeset"];
    let Some(first) = words.first() else { return false };
    matches!(&first.pieces[..], [Piece::Literal { text, .. }] if DECLARING.contains(&&**text))
}

/// True for `name=…` as a shell reads it before it expands anything.
fn is_assignment(word: &Word) -> bool {
    let [Piece::Literal { text, .. }, rest @ ..] = &word.pieces[..] else { return false };
    let is_sign = |piece: &Piece| matches!(piece, Piece::Literal { text, quoted: false } if text == "=" || text == "+=");
    let assigns = match text.split_once('=') {
        Some((name, _)) => is_name(name.strip_suffix('+').unwrap_or(name)),
        None => is_name(text) && rest.iter().any(is_sign),
    };
    assigns && !rest.is_empty() && !rest.iter().any(|piece| matches!(piece, Piece::Brace(_)))
}

/// Some values with a text between them.
pub(super) fn joined(values: &[Value], between: &str) -> Value {
    let mut all = Value::known("");
    for (at, value) in values.iter().enumerate() {
        if at > 0 {
            all = all.then(Value::known(between));
        }
        all = all.then(value.clone());
    }
    all
}

/// The words that the braces of a word make; none if they are too many.
fn unbraced(pieces: &[Piece]) -> Option<Vec<Vec<Piece>>> {
    let mut all: Vec<Vec<Piece>> = vec![Vec::new()];
    for piece in pieces {
        match piece {
            Piece::Brace(alternatives) => {
                let mut inner = Vec::new();
                for alternative in alternatives {
                    inner.extend(unbraced(alternative)?);
                }
                if all.len() * inner.len() > MOST_RESULTS {
                    return None;
                }
                all = all
                    .iter()
                    .flat_map(|before| {
                        inner.iter().map(move |after| [before.as_slice(), after].concat())
                    })
                    .collect();
            }
            piece => all.iter_mut().for_each(|pieces| pieces.push(piece.clone())),
        }
    }
    Some(all)
}

/// The arguments of one word.
fn fields(state: &State, segments: Vec<Segment>, span: &Span, arguments: &mut Vec<Argument>) {
    let ifs = state.value("IFS");
    let mut field = Field::default();
    for segment in segments {
        match segment {
            Segment::Fixed(value) => field.add(value),
            Segment::Glob(text) if state.no_glob => field.add(Value::Known(text)),
            Segment::Glob(text) => field.glob(&text),
            Segment::Split(value) => {
                split(state, value, &ifs, &mut field, span, arguments);
            }
            Segment::SplitList(values) => {
                for (at, value) in values.into_iter().enumerate() {
                    if at > 0 {
                        std::mem::take(&mut field).end(span, arguments);
                    }
                    split(state, value, &ifs, &mut field, span, arguments);
                }
            }
            Segment::List(None) => {
                field.add(Value::Unknown(Origin::Argument));
                field.many = true;
            }
            Segment::List(Some(values)) => {
                for (at, value) in values.into_iter().enumerate() {
                    if at > 0 {
                        std::mem::take(&mut field).end(span, arguments);
                    }
                    field.add(value);
                }
            }
        }
    }
    field.end(span, arguments);
}

/// Adds a value that is split at the separators of the shell.
fn split(
    state: &State,
    value: Value,
    ifs: &Value,
    field: &mut Field,
    span: &Span,
    arguments: &mut Vec<Argument>,
) {
    let Some(ifs) = ifs.as_known() else {
        field.add(Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other)));
        field.many = true;
        return;
    };
    let is_whole = |text: &String| {
        !text.is_empty() && !text.contains(|char| ifs.contains(char) || "*?[".contains(char))
    };
    match value {
        Value::Known(text) => {
            chunks(&text, ifs, field, span, arguments, !state.no_glob);
        }
        Value::OneOf(texts) if texts.iter().all(is_whole) => field.add(Value::OneOf(texts)),
        Value::OneOf(_) => {
            field.add(Value::Unknown(Origin::Other));
            field.many = true;
        }
        Value::Prefix(text, origin) => {
            chunks(&text, ifs, field, span, arguments, !state.no_glob);
            field.add(Value::Unknown(origin));
            field.many = true;
        }
        Value::Unknown(origin) => {
            // A number is never empty, and no pattern.
            let in_number = |char: char| char.is_ascii_digit() || char == '-';
            field.many |= origin != Origin::Number || ifs.contains(in_number);
            field.add(Value::Unknown(origin));
        }
    }
}

/// Splits a known text, and appends what it becomes.
fn chunks(
    text: &str,
    ifs: &str,
    field: &mut Field,
    span: &Span,
    arguments: &mut Vec<Argument>,
    glob: bool,
) {
    let is_blank = |char: char| ifs.contains(char) && matches!(char, ' ' | '\t' | '\n');
    let mut rest = text;
    loop {
        let end = rest.find(|char| ifs.contains(char)).unwrap_or(rest.len());
        let (chunk, after) = rest.split_at(end);
        if !chunk.is_empty() {
            if glob && chunk.contains(['*', '?', '[']) {
                field.glob(chunk);
            } else {
                field.add(Value::known(chunk));
            }
        }
        if after.is_empty() {
            return;
        }
        // Blanks around a separator that is no blank belong to the separator.
        let trimmed = after.trim_start_matches(is_blank);
        let mut chars = trimmed.chars();
        let is_hard = chars.next().is_some_and(|char| ifs.contains(char));
        rest = if is_hard { chars.as_str().trim_start_matches(is_blank) } else { trimmed };
        if is_hard && field.value.is_none() && field.before_pattern.is_none() {
            field.add(Value::known(""));
        }
        std::mem::take(field).end(span, arguments);
    }
}

impl Field {
    /// Appends a text that is no pattern.
    fn add(&mut self, value: Value) {
        match &value {
            Value::Known(text) => {
                for char in text.chars() {
                    if "*?[]\\()|".contains(char) {
                        self.pattern.push('\\');
                    }
                    self.pattern.push(char);
                }
            }
            _ => self.pattern.push('*'),
        }
        self.value = Some(match self.value.take() {
            Some(before) => before.then(value),
            None => value,
        });
    }

    /// Appends a pattern as it is written.
    fn glob(&mut self, written: &str) {
        if !self.is_pattern {
            self.before_pattern = self.value.clone();
        }
        self.is_pattern = true;
        self.pattern.push_str(written);
        self.value.get_or_insert_with(|| Value::known(""));
    }

    /// Ends the argument. A pattern becomes a value that is not known, with the pattern as its
    /// origin.
    fn end(self, span: &Span, arguments: &mut Vec<Argument>) {
        let Some(value) = self.value else { return };
        let (value, many) = if self.is_pattern {
            let origin = match value.origin() {
                Some(origin @ Origin::Output(_)) => origin.clone(),
                _ => Origin::Glob(self.pattern),
            };
            let before = self.before_pattern.unwrap_or_else(|| Value::known(""));
            (before.then(Value::Unknown(origin)), true)
        } else {
            (value, self.many)
        };
        arguments.push(Argument { many, ..Argument::new(value, span.clone()) });
    }
}

impl State {
    /// `$1`, `$2`, …
    pub(super) fn positional(&self, number: usize) -> Value {
        match &self.arguments {
            Arguments::Known(values) => {
                values.get(number - 1).cloned().unwrap_or_else(|| Value::known(""))
            }
            Arguments::Unknown => Value::Unknown(Origin::Argument),
        }
    }
}
