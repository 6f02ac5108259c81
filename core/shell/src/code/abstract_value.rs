//! Abstract values: what is known of a value in code.
//!
//! The reader computes with these instead of real values. A text may be known in part (it holds a
//! [`Value`] of the shell analysis), a list and a map hold abstract values, and a path of names
//! stands for a function or a module. Where nothing is known, a [`Provenance`] remembers where the
//! value came from, because code that runs a fetched or decoded text is worse than code that runs a
//! text of its own.

use crate::value::{Origin, Value};

/// A value in code, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum AbstractValue {
    /// A text, as far as it is known.
    Text(Value),
    /// A number. Truth values and null are 1 and 0.
    Number(i64),
    /// A list of known length.
    List(Vec<AbstractValue>),
    /// Names and values: a hash, an object, options.
    Map(Vec<(String, AbstractValue)>),
    /// What a path of names stands for (`os.system`), or what a call of one returned (`open()`),
    /// with the arguments of that call.
    Path(String, Vec<AbstractValue>),
    /// Nothing is known but its provenance.
    Unknown(Provenance),
}

/// Where an unknown value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Provenance {
    /// From nowhere that matters.
    Other,
    /// From the network.
    Network,
    /// From a decoder, or it was put together from more than is kept.
    Decoded,
    /// From standard input.
    Input,
    /// It may be any function.
    Code,
}

impl AbstractValue {
    /// A known text.
    pub(super) fn known(text: impl Into<String>) -> AbstractValue {
        AbstractValue::Text(Value::known(text))
    }

    /// What a path of names stands for.
    pub(super) fn path(path: impl Into<String>) -> AbstractValue {
        AbstractValue::Path(path.into(), Vec::new())
    }

    /// A function that is written where it stands.
    pub(super) fn function() -> AbstractValue {
        AbstractValue::Map(Vec::new())
    }

    /// It as a text.
    pub(super) fn value(&self) -> Value {
        match self {
            AbstractValue::Text(value) => value.clone(),
            AbstractValue::Number(number) => Value::known(number.to_string()),
            AbstractValue::Path(path, made) if PATHS.contains(&path.as_str()) => joined(made),
            _ => Value::Unknown(Origin::Other),
        }
    }

    /// The text, if all of it is known.
    pub(super) fn text(&self) -> Option<&str> {
        match self {
            AbstractValue::Text(value) => value.as_known(),
            _ => None,
        }
    }

    /// Where it comes from.
    pub(super) fn provenance(&self) -> Provenance {
        match self {
            AbstractValue::Unknown(provenance) => *provenance,
            AbstractValue::Path(path, made) if path.starts_with("*.") => {
                made.first().map_or(Provenance::Other, AbstractValue::provenance)
            }
            _ => Provenance::Other,
        }
    }

    /// True for what counts as true where it is an option.
    pub(super) fn is_true(&self) -> bool {
        !matches!(self, AbstractValue::Number(0))
    }

    /// The value of an option.
    pub(super) fn option(&self, name: &str) -> Option<&AbstractValue> {
        let AbstractValue::Map(all) = self else { return None };
        all.iter().rev().find(|(other, _)| other == name).map(|(_, value)| value)
    }

    /// The elements of a list; anything else is one element.
    pub(super) fn elements(&self) -> Vec<AbstractValue> {
        match self {
            AbstractValue::List(all) => all.clone(),
            other => vec![other.clone()],
        }
    }

    /// The one behind the other as a text.
    pub(super) fn then(&self, next: &AbstractValue) -> AbstractValue {
        match (self, next) {
            (AbstractValue::List(these), AbstractValue::List(those)) => {
                AbstractValue::List(these.iter().chain(those).cloned().collect()).short()
            }
            (AbstractValue::Number(one), AbstractValue::Number(other)) => {
                AbstractValue::Number(one.wrapping_add(*other))
            }
            (AbstractValue::Unknown(provenance), _) | (_, AbstractValue::Unknown(provenance))
                if *provenance != Provenance::Other =>
            {
                AbstractValue::Unknown(*provenance)
            }
            _ => AbstractValue::Text(self.value().then(next.value())).short(),
        }
    }

    /// It, unless it is more than is kept.
    pub(super) fn short(self) -> AbstractValue {
        if self.weight() > HEAVIEST { AbstractValue::Unknown(Provenance::Decoded) } else { self }
    }

    /// How much it is, in parts and in pieces of text; more than is kept counts as that.
    pub(super) fn weight(&self) -> usize {
        fn add(operand: &AbstractValue, all: &mut usize) {
            *all += 1;
            if *all > HEAVIEST {
                return;
            }
            match operand {
                AbstractValue::Text(value) => *all += length(value) / PIECE,
                AbstractValue::List(inner) | AbstractValue::Path(_, inner) => {
                    inner.iter().for_each(|operand| add(operand, all));
                }
                AbstractValue::Map(inner) => {
                    inner.iter().for_each(|(_, operand)| add(operand, all))
                }
                AbstractValue::Number(_) | AbstractValue::Unknown(_) => {}
            }
        }
        let mut all = 0;
        add(self, &mut all);
        all
    }

    /// One of the two.
    pub(super) fn or(&self, other: &AbstractValue) -> AbstractValue {
        match (self, other) {
            (this, other) if this == other => this.clone(),
            (AbstractValue::Text(this), AbstractValue::Text(other)) => {
                AbstractValue::Text(this.clone().or(other.clone()))
            }
            (AbstractValue::Unknown(provenance), _) | (_, AbstractValue::Unknown(provenance)) => {
                AbstractValue::Unknown(*provenance)
            }
            _ => AbstractValue::Unknown(Provenance::Other),
        }
    }

    /// What a loop over it takes in its turn.
    pub(super) fn element(&self) -> AbstractValue {
        match self {
            AbstractValue::List(all) => {
                let mut all = all.iter().cloned();
                let first = all.next().unwrap_or(AbstractValue::Unknown(Provenance::Other));
                all.fold(first, |all, next| all.or(&next))
            }
            AbstractValue::Text(value @ Value::Unknown(Origin::Glob(_))) => {
                AbstractValue::Text(value.clone())
            }
            AbstractValue::Path(path, made) if path == "files()" => AbstractValue::List(vec![
                    made.first()
                        .cloned()
                        .unwrap_or(AbstractValue::Unknown(Provenance::Other));
                    3
                ]),
            AbstractValue::Unknown(provenance) => AbstractValue::Unknown(*provenance),
            _ => AbstractValue::Unknown(Provenance::Other),
        }
    }
}

/// The most parts of a value that is kept. Code that doubles a list in a loop would grow without
/// bound.
const HEAVIEST: usize = 1024;

/// This many bytes of text count as a part.
const PIECE: usize = 64;

/// How many bytes of text a value holds.
fn length(value: &Value) -> usize {
    match value {
        Value::Known(text) | Value::Prefix(text, _) => text.len(),
        Value::OneOf(texts) => texts.iter().map(String::len).sum(),
        Value::Unknown(_) => 0,
    }
}

/// Values that are a path of the file system: a call of one of these constructors returned them.
const PATHS: &[&str] = &["pathlib.Path()", "Pathname.new()", "Pathname()", "Path()"];

/// Parts of a path with slashes between them.
pub(super) fn joined(parts: &[AbstractValue]) -> Value {
    let mut all = Value::known("");
    for part in parts {
        let part = part.value();
        if part.prefix().starts_with('/') {
            all = part;
            continue;
        }
        if !matches!(&all, Value::Known(text) if text.is_empty() || text.ends_with('/')) {
            all = all.then(Value::known("/"));
        }
        all = all.then(part);
    }
    all
}
