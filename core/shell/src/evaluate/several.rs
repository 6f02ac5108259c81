//! `$@`, `${a[*]}`, and what is done to each of them.

use super::Interpreter;
use super::expand::{Segment, joined};
use super::state::State;
use crate::ir::{Operation, Span, Variable, Word};
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// `$@`, `${a[*]}`, and what is done to each of them.
    pub(super) fn several(
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
            (Operation::Slice { offset, length }, Some(values))
                if index.is_some() && self.is_text(state, &variable.name) =>
            {
                // Of what is no array it is a part of the text.
                let whole = joined(&values, " ");
                let value = self.sliced(state, offset, length.as_deref(), &whole);
                return if variable.quoted { Segment::Fixed(value) } else { Segment::Split(value) };
            }
            (Operation::Slice { offset, length }, mut values) => {
                if variable.index.is_none() {
                    values = values.map(|rest| [vec![state.value("0")], rest].concat());
                }
                self.some_of(state, values, offset, length.as_deref())
            }
            (
                Operation::Default { word, colon } | Operation::Alternative { word, colon },
                values,
            ) => {
                let other = self.single(state, word);
                let default = matches!(variable.operation, Operation::Default { .. });
                match values.and_then(|values| if_any(values, *colon)) {
                    Some(Some(values)) if default => Some(values),
                    None => None,
                    Some(None) if !default => Some(Vec::new()),
                    // The operand stands for all of them.
                    _ if variable.quoted => return Segment::Fixed(other),
                    _ => return Segment::Split(other),
                }
            }
            (_, values) => self.each(state, variable, index, values, span),
        };
        let star = variable.name == "*" || index.and_then(Value::as_known) == Some("*");
        match (values, variable.quoted) {
            // Of none of them it is one empty word, or none at all.
            (Some(values), true) if star && values.is_empty() => Segment::List(None),
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

    /// What is done to each of several values.
    fn each(
        &mut self,
        state: &mut State,
        variable: &Variable,
        index: Option<&Value>,
        values: Option<Vec<Value>>,
        span: &Span,
    ) -> Option<Vec<Value>> {
        match (&variable.operation, values) {
            (Operation::Error { word, .. }, values) => {
                self.single(state, word);
                self.may_end(state);
                self.mark_maybe_ended();
                values
            }
            (operation, None) => {
                let operation = operation.clone();
                self.run_words(state, &operation);
                None
            }
            (operation @ (Operation::Assign { .. } | Operation::Unknown { .. }), Some(values))
                if values.is_empty() =>
            {
                let operation = operation.clone();
                self.run_words(state, &operation);
                self.may_fail(state);
                Some(values)
            }
            (_, Some(values)) => Some(
                values
                    .into_iter()
                    .map(|value| self.apply_operation(state, variable, index, value, span))
                    .collect(),
            ),
        }
    }

    /// `${@:2:3}`
    fn some_of(
        &mut self,
        state: &mut State,
        values: Option<Vec<Value>>,
        offset: &Word,
        length: Option<&Word>,
    ) -> Option<Vec<Value>> {
        let offset = self.number(state, offset);
        let length = length.map(|length| self.number(state, length));
        if !matches!((offset, length), (Some(0..), None | Some(Some(0..)))) {
            self.may_fail(state);
        }
        let from = usize::try_from(offset?).ok()?;
        let most = match length {
            Some(length) => usize::try_from(length?).unwrap_or(0),
            None => usize::MAX,
        };
        Some(values?.into_iter().skip(from).take(most).collect())
    }
}

/// The values, if there are any, and with `colon` some text in them; none if that is not known.
fn if_any(values: Vec<Value>, colon: bool) -> Option<Option<Vec<Value>>> {
    if values.is_empty() {
        return Some(None);
    }
    match joined(&values, " ").as_known() {
        Some(text) if colon && text.is_empty() => Some(None),
        None if colon => None,
        _ => Some(Some(values)),
    }
}
