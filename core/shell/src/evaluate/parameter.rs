//! Parameters: `$name` and `${name…}` with everything that can be done to them.
//!
//! Known values are computed: trimmed, replaced, cut, changed in case. Of an unknown value the
//! origin stays. A default (`${x:-text}`) of a variable that the environment may set is both:
//! unknown, with the text as one possibility.

use super::Interpreter;
use super::assign::with_element;
use super::expand::Segment;
use super::pattern::Pattern;
use super::state::{Arguments, Content, State};
use crate::effect::{CodeFrom, Effect};
use crate::ir::{Operation, Piece, Span, Variable, Word};
use crate::value::{Origin, Value};

/// This many bytes that a pattern is tried on cost a unit of fuel.
const BYTES_OF_MATCHING: usize = 32;

impl Interpreter<'_> {
    /// Expands a parameter into segments.
    pub(super) fn variable(
        &mut self,
        state: &mut State,
        variable: &Variable,
        span: &Span,
        segments: &mut Vec<Segment>,
    ) {
        let index = variable.index.as_ref().map(|index| self.index(state, index));
        let index = index.as_ref();
        let all = match (&index, variable.name.as_str()) {
            (None, "@" | "*") => Some(self.positionals(state)),
            (Some(Value::Known(index)), name) if index == "@" || index == "*" => {
                Some(self.elements(state, name))
            }
            _ => None,
        };
        if let Some(values) = all {
            let known = values.iter().flatten();
            let weight: usize =
                known.map(|value| value.weight() / super::fuel::BYTES_PER_FUEL + 1).sum();
            self.spend_fuel(weight / super::fuel::WORDS_PER_FUEL);
            let values = values.filter(|_| self.fuel > 0);
            let segment = self.several(state, variable, index, values, span);
            segments.push(segment);
            return;
        }
        let value = self.named(state, &variable.name, index);
        let value = self.charge_value(value, span);
        if state.ends_on_unset && self.is_set(state, variable) != Some(true) {
            self.mark_maybe_ended();
        }
        if let Operation::Default { word, colon } | Operation::Alternative { word, colon } =
            &variable.operation
            && let Value::Known(text) = &value
            && !variable.quoted
        {
            // Of an operand that is taken as it stands, its own quotes count.
            let is_none = match (text.is_empty(), self.is_set(state, variable)) {
                (false, _) => Some(false),
                (true, _) if *colon => Some(true),
                (true, is_set) => is_set.map(|is_set| !is_set),
            };
            if is_none == Some(matches!(variable.operation, Operation::Default { .. })) {
                let word = Word { pieces: splitting(&word.pieces), span: word.span.clone() };
                for piece in &word.pieces {
                    self.segment(state, piece, &word.span, segments);
                }
                return;
            }
        }
        let value = self.apply_operation(state, variable, index, value, span);
        segments.push(if variable.quoted { Segment::Fixed(value) } else { Segment::Split(value) });
    }

    /// Whether a variable is set at all, if that is known.
    fn is_set(&self, state: &State, variable: &Variable) -> Option<bool> {
        match variable.name.parse::<usize>() {
            Ok(number) if number > 0 => match &state.arguments {
                Arguments::Known(values) => Some(number <= values.len()),
                Arguments::Unknown => None,
            },
            _ => match state.held(&variable.name).map(|held| &held.content) {
                Some(Content::Nothing) => Some(false),
                Some(Content::Perhaps(_) | Content::Array(None)) => None,
                Some(Content::Array(Some(values))) if values.is_empty() => Some(false),
                Some(content) => match variable.index.as_ref().map(|index| plain_number(index)) {
                    None => Some(true),
                    // There may be no such element.
                    Some(None) => None,
                    Some(Some(at)) => match content {
                        Content::Array(Some(values)) => Some(at < values.len()),
                        _ => Some(at == 0),
                    },
                },
                // It is taken for unset while `assume_unset` holds.
                None => Some(false),
            },
        }
    }

    /// True for a variable that certainly holds a text.
    pub(super) fn is_text(&self, state: &State, name: &str) -> bool {
        matches!(state.held(name).map(|held| &held.content), Some(Content::Text(_)))
    }

    /// All arguments; none if they are not known.
    fn positionals(&self, state: &State) -> Option<Vec<Value>> {
        match &state.arguments {
            Arguments::Known(values) => Some(values.clone()),
            Arguments::Unknown => None,
        }
    }

    /// All elements of an array; none if they are not known.
    fn elements(&self, state: &State, name: &str) -> Option<Vec<Value>> {
        match state.held(name).map(|held| &held.content) {
            Some(Content::Array(values)) => values.clone(),
            Some(Content::Text(value)) => Some(vec![value.clone()]),
            Some(Content::Nothing) => Some(Vec::new()),
            Some(Content::Perhaps(_)) | None => None,
        }
    }

    /// The value under a name.
    pub(super) fn named(&self, state: &State, name: &str, index: Option<&Value>) -> Value {
        if let Some(index) = index {
            let elements = match state.held(name).map(|held| &held.content) {
                Some(Content::Perhaps(value)) => Some(vec![value.clone()]),
                _ => self.elements(state, name),
            };
            return match (elements, index.as_known().map(str::parse::<usize>)) {
                (Some(values), Some(Ok(at))) => {
                    values.get(at).cloned().unwrap_or_else(|| Value::known(""))
                }
                (Some(values), _) if !values.is_empty() => {
                    values.into_iter().reduce(Value::or).unwrap_or(Value::Unknown(Origin::Other))
                }
                _ => Value::Unknown(Origin::Other),
            };
        }
        match name {
            "#" => match &state.arguments {
                Arguments::Known(values) => Value::Known(values.len().to_string()),
                Arguments::Unknown => Value::Unknown(Origin::Number),
            },
            "?" | "$" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "UID" | "EUID" | "BASHPID"
            | "SRANDOM" | "EPOCHSECONDS" | "COLUMNS" | "LINES" | "SHLVL" => {
                Value::Unknown(Origin::Number)
            }
            "-" | "_" | "!" => Value::Unknown(Origin::Other),
            "0" => state.value("0"),
            "PWD" => state.cwd.clone(),
            name => match name.parse::<usize>() {
                Ok(number) if number > 0 => state.positional(number),
                _ if self.assume_unset && state.held(name).is_none() => Value::known(""),
                _ => match state.value(name) {
                    Value::Unknown(Origin::EnvironmentOr(_, text)) if self.assume_unset => {
                        Value::Known(text)
                    }
                    value => value,
                },
            },
        }
    }

    /// A value with what is done to it.
    pub(super) fn apply_operation(
        &mut self,
        state: &mut State,
        variable: &Variable,
        index: Option<&Value>,
        value: Value,
        span: &Span,
    ) -> Value {
        match &variable.operation {
            Operation::None => value,
            Operation::Length => match &value {
                Value::Known(text) => Value::Known(text.chars().count().to_string()),
                _ => Value::Unknown(Origin::Number),
            },
            Operation::Indirect => match &value {
                Value::Known(name) if is_name(name) => self.named(state, name, None),
                _ => {
                    self.may_fail(state);
                    // It may name an element of an array.
                    self.arithmetic(state, value.prefix(), span);
                    Value::Unknown(Origin::Other)
                }
            },
            Operation::Default { .. }
            | Operation::Assign { .. }
            | Operation::Alternative { .. } => self.or_default(state, variable, index, value, span),
            Operation::Error { word, .. } => {
                self.single(state, word);
                self.may_end(state);
                self.mark_maybe_ended();
                value
            }
            Operation::Trim { pattern, prefix, longest } => {
                self.spend_fuel(value.weight() / BYTES_OF_MATCHING);
                match (self.pattern(state, pattern), value.possible()) {
                    (Some(pattern), Some(_)) => {
                        try_map(&value, |text| pattern.trim(text, *prefix, *longest))
                    }
                    _ => changed(&value),
                }
            }
            Operation::Replace { pattern, with, all } => {
                self.spend_fuel(value.weight() / BYTES_OF_MATCHING);
                let with = self.single(state, with);
                self.replaced(state, pattern, &with, *all, &value)
            }
            Operation::Slice { offset, length } => {
                self.sliced(state, offset, length.as_deref(), &value)
            }
            Operation::Case { upper, all } => value.map(|text| cased(text, *upper, *all)),
            Operation::Transform(kind) => {
                if matches!(kind, 'P' | 'E' | 'A' | 'K') {
                    let what = format!("`${{{}@{kind}}}`", variable.name);
                    let from = CodeFrom::Setting(what);
                    self.found(Effect::Code { from }, "@", span);
                }
                self.transformed(state, *kind, &value, span)
            }
            Operation::Names => Value::Unknown(Origin::Other),
            Operation::Unknown { text, words } => {
                match &**text {
                    "indirect" => self.indirect(state, &value, words, span),
                    _ => self.run_words(state, &variable.operation),
                }
                self.may_fail(state);
                changed(&value)
            }
        }
    }

    /// `${!x:=text}` and its like, which are not followed exactly: the variable that `x` names is
    /// perhaps set to the text.
    fn indirect(&mut self, state: &mut State, target: &Value, words: &[Word], span: &Span) {
        let texts: Vec<Value> = words.iter().map(|word| self.single(state, word)).collect();
        self.may_fail(state);
        let is_empty = |text: &Value| text.as_known() == Some("");
        let text = texts.into_iter().find(|text| !is_empty(text));
        let Some(names) = target.possible() else {
            if text.is_some() {
                let why = "the name of a variable that is set is not known".to_owned();
                self.found(Effect::Dynamic { why }, "${!…}", span);
            }
            return;
        };
        let is_new = text.is_some();
        let text = text.unwrap_or_else(|| Value::known(""));
        for name in names {
            if !is_name(name) {
                self.element_set(state, name, span);
                continue;
            }
            let held = state.held(name).map(|held| &held.content);
            let is_full = |texts: &[String]| texts.iter().all(|text| !text.is_empty());
            let stays = match held {
                Some(Content::Text(value)) => value.possible().is_some_and(is_full),
                Some(Content::Nothing) => false,
                _ => !is_new,
            };
            if stays {
                continue;
            }
            let before = state.clone();
            self.assign(state, name, Content::Text(text.clone()), span);
            *state = before.or(state.clone());
        }
    }

    /// `:-`, `:=`, `:+`
    fn or_default(
        &mut self,
        state: &mut State,
        variable: &Variable,
        index: Option<&Value>,
        value: Value,
        span: &Span,
    ) -> Value {
        match &variable.operation {
            Operation::Default { word, colon } => {
                let default = self.single(state, word);
                match (*colon, self.is_set(state, variable)) {
                    (false, Some(true)) => value,
                    (false, None) if value.as_known().is_some() => value.or(default),
                    _ => self.default_of(value, default),
                }
            }
            Operation::Assign { word, colon } => {
                let default = self.single(state, word);
                let value = match (*colon, self.is_set(state, variable)) {
                    (false, Some(true)) => return value,
                    (false, None) if value.as_known().is_some() => value.or(default),
                    _ => self.default_of(value, default),
                };
                let content = match index {
                    Some(index) => with_element(state, &variable.name, index, value.clone()),
                    None => Content::Text(value.clone()),
                };
                if is_name(&variable.name) {
                    self.assign(state, &variable.name, content, span);
                }
                value
            }
            Operation::Alternative { word, colon } => {
                let other = self.single(state, word);
                match &value {
                    Value::Known(text) if text.is_empty() && !colon => {
                        match self.is_set(state, variable) {
                            Some(true) => other,
                            Some(false) => value,
                            None => value.or(other),
                        }
                    }
                    _ => either(value, other, false),
                }
            }
            _ => value,
        }
    }

    /// A value or its default. Whether a variable of the environment is set is not known: the text is
    /// interpreted once more with all of their defaults.
    fn default_of(&mut self, value: Value, default: Value) -> Value {
        let value = either(value, default, true);
        match value {
            Value::Unknown(Origin::EnvironmentOr(_, text)) if self.assume_defaults => {
                Value::Known(text)
            }
            Value::Unknown(Origin::EnvironmentOr(..)) => {
                self.saw_default = true;
                value
            }
            value => value,
        }
    }

    /// `${x:offset:length}`.
    pub(super) fn sliced(
        &mut self,
        state: &mut State,
        offset: &Word,
        length: Option<&Word>,
        value: &Value,
    ) -> Value {
        let offset = self.number(state, offset);
        let length = length.map(|length| self.number(state, length));
        let part = match (offset, length) {
            (Some(offset), None) => try_map(value, |text| slice(text, offset, None)),
            (Some(offset), Some(Some(length))) => {
                try_map(value, |text| slice(text, offset, Some(length)))
            }
            _ => changed(value),
        };
        // A length from the end may be less than none, and one that is not known may be no number.
        let counts = matches!((offset, length), (Some(_), None | Some(Some(0..))));
        if !counts && part.possible().is_none() {
            self.may_fail(state);
        }
        part
    }

    /// Expands the words of an operation for what they do, and drops what they become.
    pub(super) fn run_words(&mut self, state: &mut State, operation: &Operation) {
        for word in operation.words() {
            self.single(state, &word);
        }
    }

    /// `${x/pattern/with}`.
    fn replaced(
        &mut self,
        state: &mut State,
        pattern: &Word,
        with: &Value,
        all: bool,
        value: &Value,
    ) -> Value {
        let mut pattern = pattern.clone();
        let anchor = match pattern.pieces.first_mut() {
            Some(Piece::Literal { text, quoted: false })
                if !all && (text.starts_with('#') || text.starts_with('%')) =>
            {
                Some(text.remove(0))
            }
            _ => None,
        };
        // In newer versions of Bash `&` stands for what was found.
        let with_known = with.as_known().filter(|with| !with.contains('&'));
        match (self.pattern(state, &pattern), with_known, value.possible()) {
            (Some(pattern), Some(with), Some(_)) => try_map(value, |text| match anchor {
                None => pattern.replace(text, with, all),
                Some(anchor) => {
                    let prefix = anchor == '#';
                    let rest = pattern.trim(text, prefix, true)?;
                    if rest == text {
                        return Some(rest);
                    }
                    Some(if prefix { format!("{with}{rest}") } else { format!("{rest}{with}") })
                }
            }),
            _ => changed(value).then(Value::Unknown(Origin::joined(value.origin(), with.origin()))),
        }
    }

    /// `${x@U}` and the other transformations.
    fn transformed(&mut self, state: &mut State, kind: char, value: &Value, span: &Span) -> Value {
        match kind {
            'U' => value.map(|text| cased(text, true, true)),
            'u' => value.map(|text| cased(text, true, false)),
            'L' => value.map(|text| cased(text, false, true)),
            'P' => {
                // A prompt is expanded as a text between double quotes.
                self.expanded_text(state, value, span);
                changed(value)
            }
            _ => changed(value),
        }
    }

    /// A pattern, if all of it is known.
    pub(super) fn pattern(&mut self, state: &mut State, word: &Word) -> Option<Pattern> {
        let mut pattern = Pattern::default();
        let mut known = true;
        for piece in &word.pieces {
            let mut segments = Vec::new();
            self.segment(state, piece, &word.span, &mut segments);
            for segment in segments {
                known &= match segment {
                    Segment::Fixed(Value::Known(text)) => {
                        pattern.literal(&text);
                        true
                    }
                    Segment::Split(Value::Known(text)) | Segment::Glob(text) => pattern.glob(&text),
                    _ => false,
                };
            }
        }
        known.then_some(pattern)
    }

    /// The number that a word evaluates to.
    pub(super) fn number(&mut self, state: &mut State, word: &Word) -> Option<i64> {
        let value = self.single(state, word);
        self.arithmetic(state, value.as_known()?, &word.span).as_known()?.parse().ok()
    }
}

/// The pieces of an operand that is split: its bare texts are values like any other.
fn splitting(pieces: &[Piece]) -> Vec<Piece> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal { text, quoted: false } => {
                Piece::Brace(vec![vec![Piece::Literal { text: text.clone(), quoted: false }]])
            }
            piece => piece.clone(),
        })
        .collect()
}

/// A known value or its default; of an unknown one, either.
fn either(value: Value, other: Value, default: bool) -> Value {
    match &value {
        Value::Known(text) => match (text.is_empty(), default) {
            (true, true) | (false, false) => other,
            (false, true) => value,
            (true, false) => Value::known(""),
        },
        Value::Unknown(Origin::Environment(name)) if default => match other {
            Value::Known(text) => Value::Unknown(Origin::EnvironmentOr(name.clone(), text)),
            other => value.or(other),
        },
        _ if default => value.or(other),
        _ => Value::known("").or(other),
    }
}

/// A value of which only the origin stays. A part of a number may be empty, so it is no number.
fn changed(value: &Value) -> Value {
    let origin = value.origin().filter(|origin| **origin != Origin::Number);
    Value::Unknown(origin.cloned().unwrap_or(Origin::Other))
}

/// A value with a change applied to each possible text. If one cannot be computed, the value is
/// unknown.
fn try_map(value: &Value, change: impl Fn(&str) -> Option<String>) -> Value {
    match value {
        Value::Known(text) => change(text).map_or(Value::Unknown(Origin::Other), Value::Known),
        Value::OneOf(texts) => texts
            .iter()
            .map(|text| change(text))
            .collect::<Option<Vec<_>>>()
            .map_or(Value::Unknown(Origin::Other), Value::one_of),
        other => changed(other),
    }
}

/// A text, or its first letter, in another case.
fn cased(text: &str, upper: bool, all: bool) -> String {
    let change = |char: char| -> String {
        if upper { char.to_uppercase().collect() } else { char.to_lowercase().collect() }
    };
    let mut chars = text.chars();
    let first: String = chars.next().map(change).unwrap_or_default();
    if all { first + &chars.map(change).collect::<String>() } else { first + chars.as_str() }
}

/// A part of a text, as Bash cuts it. None for a length that is an error.
fn slice(text: &str, offset: i64, length: Option<i64>) -> Option<String> {
    let chars: Vec<char> = text.chars().collect();
    let count = i64::try_from(chars.len()).ok()?;
    let from = if offset < 0 { count + offset } else { offset };
    if from < 0 || from > count {
        return Some(String::new());
    }
    let to = match length {
        None => count,
        Some(length) if length < 0 => count + length,
        Some(length) => (from + length).min(count),
    };
    let range = usize::try_from(from).ok()?..usize::try_from(to).ok()?;
    // Less than none is an error.
    Some(chars.get(range)?.iter().collect())
}

/// The number that an index is, if it is written as one.
fn plain_number(index: &Word) -> Option<usize> {
    match &index.pieces[..] {
        [Piece::Literal { text, .. }] => text.parse().ok(),
        _ => None,
    }
}

/// True for the index of an array that is no expression.
pub(super) fn is_plain_index(index: &Value) -> bool {
    index.as_known().is_some_and(|text| matches!(text, "@" | "*") || text.parse::<usize>().is_ok())
}

/// True for the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
