//! `$name` and `${name…}`.

use super::super::effect::{CodeFrom, Effect};
use super::super::ir::{Operation, Piece, Span, Variable, Word};
use super::super::value::{Origin, Value};
use super::Interpreter;
use super::expand::{Segment, joined};
use super::pattern::Pattern;
use super::state::{Arguments, Content, State};

/// As many bytes that a pattern is tried on cost as much as a command.
const BYTES_OF_MATCHING: usize = 32;

impl Interpreter<'_> {
    pub(super) fn variable(
        &mut self,
        state: &mut State,
        variable: &Variable,
        span: &Span,
        segments: &mut Vec<Segment>,
    ) {
        let index = variable.index.as_ref().map(|index| self.single(state, index));
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
                known.map(|value| value.weight() / super::fuel::BYTES_OF_FUEL + 1).sum();
            self.burn(weight / super::fuel::WORDS_OF_FUEL);
            let values = values.filter(|_| self.fuel > 0);
            let segment = self.several(state, variable, index, values, span);
            segments.push(segment);
            return;
        }
        let value = self.named(state, &variable.name, index);
        let value = self.taken(value, span);
        if let Operation::Default { word, colon } | Operation::Alternative { word, colon } =
            &variable.operation
            && let Value::Known(text) = &value
            && !variable.quoted
        {
            // Of an operand that is taken as it stands, its own quotes count.
            let is_none = text.is_empty() && (*colon || self.is_unset(state, variable));
            if is_none == matches!(variable.operation, Operation::Default { .. }) {
                let word = Word { pieces: splitting(&word.pieces), span: word.span.clone() };
                for piece in &word.pieces {
                    self.segment(state, piece, &word.span, segments);
                }
                return;
            }
        }
        let value = self.operated(state, variable, index, value, span);
        segments.push(if variable.quoted { Segment::Fixed(value) } else { Segment::Split(value) });
    }

    /// True if a variable whose value is empty is not set at all.
    fn is_unset(&self, state: &State, variable: &Variable) -> bool {
        match variable.name.parse::<usize>() {
            Ok(number) if number > 0 => match &state.arguments {
                Arguments::Known(values) => number > values.len(),
                Arguments::Unknown => true,
            },
            _ => match state.held(&variable.name).map(|held| &held.content) {
                Some(Content::Nothing) => true,
                Some(_) => false,
                // It is taken for unset while `assume_unset` holds.
                None => true,
            },
        }
    }

    fn positionals(&self, state: &State) -> Option<Vec<Value>> {
        match &state.arguments {
            Arguments::Known(values) => Some(values.clone()),
            Arguments::Unknown => None,
        }
    }

    fn elements(&self, state: &State, name: &str) -> Option<Vec<Value>> {
        match state.held(name).map(|held| &held.content) {
            Some(Content::Array(values)) => values.clone(),
            Some(Content::Text(value)) => Some(vec![value.clone()]),
            Some(Content::Nothing) => Some(Vec::new()),
            None => None,
        }
    }

    /// `$@`, `${a[*]}`, and what is done to each of them.
    fn several(
        &mut self,
        state: &mut State,
        variable: &Variable,
        index: Option<&Value>,
        values: Option<Vec<Value>>,
        span: &Span,
    ) -> Segment {
        let values = match (&variable.operation, values) {
            (Operation::None, values) => values,
            (Operation::Length, values) => {
                let count = values.map(|values| Value::Known(values.len().to_string()));
                return Segment::Fixed(count.unwrap_or(Value::Unknown(Origin::Number)));
            }
            (Operation::Slice { offset, length }, values) => {
                let offset = self.number(state, offset);
                let length = length.as_ref().map(|length| self.number(state, length));
                match (values, offset, length) {
                    (Some(mut values), Some(from), length) if from >= 0 && length != Some(None) => {
                        if variable.index.is_none() {
                            values.insert(0, state.value("0"));
                        }
                        let from = usize::try_from(from).unwrap_or(0);
                        let most = length
                            .flatten()
                            .map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(0));
                        Some(values.into_iter().skip(from).take(most).collect())
                    }
                    _ => None,
                }
            }
            (operation, None) => {
                let operation = operation.clone();
                self.run_words(state, &operation);
                None
            }
            (Operation::Default { .. } | Operation::Alternative { .. }, Some(values)) => {
                let whole = joined(&values, " ");
                let value = self.operated(state, variable, index, whole, span);
                return if variable.quoted { Segment::Fixed(value) } else { Segment::Split(value) };
            }
            (_, Some(values)) => Some(
                values
                    .into_iter()
                    .map(|value| self.operated(state, variable, index, value, span))
                    .collect(),
            ),
        };
        let star = variable.name == "*" || index.and_then(Value::as_known) == Some("*");
        match (values, variable.quoted) {
            (Some(values), true) if star => {
                let between = match state.value("IFS").as_known() {
                    Some(ifs) => ifs.chars().next().map(String::from).unwrap_or_default(),
                    None => " ".to_owned(),
                };
                Segment::Fixed(joined(&values, &between))
            }
            (values, true) => Segment::List(values),
            (Some(values), false) => Segment::SplitList(values),
            (None, false) => Segment::Split(Value::Unknown(Origin::Argument)),
        }
    }

    /// The value under a name.
    pub(super) fn named(&self, state: &State, name: &str, index: Option<&Value>) -> Value {
        if let Some(index) = index {
            return match (self.elements(state, name), index.as_known().map(str::parse::<usize>)) {
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
            "?" | "$" | "!" | "RANDOM" | "SECONDS" | "LINENO" | "PPID" | "UID" | "EUID"
            | "BASHPID" | "SRANDOM" | "EPOCHSECONDS" | "COLUMNS" | "LINES" | "SHLVL" => {
                Value::Unknown(Origin::Number)
            }
            "-" | "_" => Value::Unknown(Origin::Other),
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
    fn operated(
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
                _ => Value::Unknown(Origin::Other),
            },
            Operation::Default { .. }
            | Operation::Assign { .. }
            | Operation::Alternative { .. } => self.defaulted(state, variable, index, value, span),
            Operation::Error { word, .. } => {
                self.single(state, word);
                value
            }
            Operation::Trim { pattern, prefix, longest } => {
                self.burn(value.weight() / BYTES_OF_MATCHING);
                match (self.pattern(state, pattern), value.possible()) {
                    (Some(pattern), Some(_)) => {
                        try_map(&value, |text| pattern.trim(text, *prefix, *longest))
                    }
                    _ => changed(&value),
                }
            }
            Operation::Replace { pattern, with, all } => {
                self.burn(value.weight() / BYTES_OF_MATCHING);
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
            operation @ Operation::Unknown { .. } => {
                let operation = operation.clone();
                self.run_words(state, &operation);
                changed(&value)
            }
        }
    }

    /// `:-`, `:=`, `:+`
    fn defaulted(
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
                let is_set = !colon && !self.is_unset(state, variable);
                if is_set { value } else { self.default_of(value, default) }
            }
            Operation::Assign { word, colon } => {
                let default = self.single(state, word);
                if !colon && !self.is_unset(state, variable) {
                    return value;
                }
                let value = self.default_of(value, default);
                if index.is_none() && is_name(&variable.name) {
                    self.assign(state, &variable.name, Content::Text(value.clone()), span);
                }
                value
            }
            Operation::Alternative { word, colon } => {
                let other = self.single(state, word);
                match &value {
                    Value::Known(text) if text.is_empty() && !colon => {
                        if self.is_unset(state, variable) { value } else { other }
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

    fn sliced(
        &mut self,
        state: &mut State,
        offset: &Word,
        length: Option<&Word>,
        value: &Value,
    ) -> Value {
        let offset = self.number(state, offset);
        let length = length.map(|length| self.number(state, length));
        match (offset, length) {
            (Some(offset), None) => try_map(value, |text| slice(text, offset, None)),
            (Some(offset), Some(Some(length))) => {
                try_map(value, |text| slice(text, offset, Some(length)))
            }
            _ => changed(value),
        }
    }

    fn run_words(&mut self, state: &mut State, operation: &Operation) {
        for word in operation.words() {
            self.single(state, &word);
        }
    }

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
        match (self.pattern(state, &pattern), with.as_known(), value.possible()) {
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

    fn number(&mut self, state: &mut State, word: &Word) -> Option<i64> {
        let value = self.single(state, word);
        let text = value.as_known()?;
        super::arithmetic::evaluate(text, &|name| state.value(name).as_known().map(str::to_owned))
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

/// A value of which only the origin stays.
fn changed(value: &Value) -> Value {
    Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other))
}

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

fn cased(text: &str, upper: bool, all: bool) -> String {
    let change = |char: char| -> String {
        if upper { char.to_uppercase().collect() } else { char.to_lowercase().collect() }
    };
    let mut chars = text.chars();
    let first: String = chars.next().map(change).unwrap_or_default();
    if all { first + &chars.map(change).collect::<String>() } else { first + chars.as_str() }
}

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
    Some(chars.get(range).unwrap_or_default().iter().collect())
}

/// True for the name of a variable.
pub(super) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|byte| byte == b'_' || byte.is_ascii_alphabetic())
        && bytes.all(|byte| byte == b'_' || byte.is_ascii_alphanumeric())
}
