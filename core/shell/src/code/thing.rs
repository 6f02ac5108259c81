//! What is known of a value in code.

use super::super::value::{Origin, Value};

/// A value in code.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Thing {
    /// A text, as far as it is known.
    Text(Value),
    Number(i64),
    List(Vec<Thing>),
    /// Names and values: a hash, an object, options.
    Map(Vec<(String, Thing)>),
    /// What a path of names stands for, `os.system`, or what a call of one made, `open()`, with what
    /// was given to it.
    Path(String, Vec<Thing>),
    Unknown(From),
}

/// Where an unknown thing comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum From {
    Other,
    /// It was fetched.
    Network,
    /// It was decoded.
    Decoded,
    /// Standard input.
    Input,
    /// It may be any function.
    Code,
}

impl Thing {
    pub(super) fn known(text: impl Into<String>) -> Thing {
        Thing::Text(Value::known(text))
    }

    pub(super) fn path(path: impl Into<String>) -> Thing {
        Thing::Path(path.into(), Vec::new())
    }

    /// A function that is written where it stands.
    pub(super) fn function() -> Thing {
        Thing::Map(Vec::new())
    }

    /// It as a text.
    pub(super) fn value(&self) -> Value {
        match self {
            Thing::Text(value) => value.clone(),
            Thing::Number(number) => Value::known(number.to_string()),
            Thing::Path(path, made) if PATHS.contains(&path.as_str()) => joined(made),
            _ => Value::Unknown(Origin::Other),
        }
    }

    pub(super) fn text(&self) -> Option<&str> {
        match self {
            Thing::Text(value) => value.as_known(),
            _ => None,
        }
    }

    pub(super) fn from(&self) -> From {
        match self {
            Thing::Unknown(from) => *from,
            Thing::Path(path, made) if path.starts_with("*.") => {
                made.first().map_or(From::Other, Thing::from)
            }
            _ => From::Other,
        }
    }

    /// True for what counts as true where it is an option.
    pub(super) fn is_true(&self) -> bool {
        !matches!(self, Thing::Number(0))
    }

    /// The value of an option.
    pub(super) fn option(&self, name: &str) -> Option<&Thing> {
        let Thing::Map(all) = self else { return None };
        all.iter().rev().find(|(other, _)| other == name).map(|(_, thing)| thing)
    }

    /// The elements of a list; anything else is one element.
    pub(super) fn elements(&self) -> Vec<Thing> {
        match self {
            Thing::List(all) => all.clone(),
            other => vec![other.clone()],
        }
    }

    /// The one behind the other as a text.
    pub(super) fn then(&self, next: &Thing) -> Thing {
        match (self, next) {
            (Thing::List(these), Thing::List(those)) => {
                Thing::List(these.iter().chain(those).cloned().collect()).short()
            }
            (Thing::Number(one), Thing::Number(other)) => Thing::Number(one.wrapping_add(*other)),
            (Thing::Unknown(from), _) | (_, Thing::Unknown(from)) if *from != From::Other => {
                Thing::Unknown(*from)
            }
            _ => Thing::Text(self.value().then(next.value())).short(),
        }
    }

    /// It, unless it is more than is kept.
    pub(super) fn short(self) -> Thing {
        if self.weight() > HEAVIEST { Thing::Unknown(From::Decoded) } else { self }
    }

    /// How much it is, in parts and in pieces of text; more than is kept counts as that.
    pub(super) fn weight(&self) -> usize {
        fn add(thing: &Thing, all: &mut usize) {
            *all += 1;
            if *all > HEAVIEST {
                return;
            }
            match thing {
                Thing::Text(value) => *all += length(value) / PIECE,
                Thing::List(inner) | Thing::Path(_, inner) => {
                    inner.iter().for_each(|thing| add(thing, all));
                }
                Thing::Map(inner) => inner.iter().for_each(|(_, thing)| add(thing, all)),
                Thing::Number(_) | Thing::Unknown(_) => {}
            }
        }
        let mut all = 0;
        add(self, &mut all);
        all
    }

    /// One of the two.
    pub(super) fn or(&self, other: &Thing) -> Thing {
        match (self, other) {
            (this, other) if this == other => this.clone(),
            (Thing::Text(this), Thing::Text(other)) => Thing::Text(this.clone().or(other.clone())),
            (Thing::Unknown(from), _) | (_, Thing::Unknown(from)) => Thing::Unknown(*from),
            _ => Thing::Unknown(From::Other),
        }
    }

    /// What a loop over it takes in its turn.
    pub(super) fn element(&self) -> Thing {
        match self {
            Thing::List(all) => {
                let mut all = all.iter().cloned();
                let first = all.next().unwrap_or(Thing::Unknown(From::Other));
                all.fold(first, |all, next| all.or(&next))
            }
            Thing::Text(value @ Value::Unknown(Origin::Glob(_))) => Thing::Text(value.clone()),
            Thing::Path(path, made) if path == "files()" => {
                Thing::List(vec![made.first().cloned().unwrap_or(Thing::Unknown(From::Other)); 3])
            }
            Thing::Unknown(from) => Thing::Unknown(*from),
            _ => Thing::Unknown(From::Other),
        }
    }
}

/// The most parts of a thing that is kept.
const HEAVIEST: usize = 1024;

/// How much text counts as a part.
const PIECE: usize = 64;

fn length(value: &Value) -> usize {
    match value {
        Value::Known(text) | Value::Prefix(text, _) => text.len(),
        Value::OneOf(texts) => texts.iter().map(String::len).sum(),
        Value::Unknown(_) => 0,
    }
}

/// Things that are a path of the file system.
const PATHS: &[&str] = &["pathlib.Path()", "Pathname.new()", "Pathname()", "Path()"];

/// Parts of a path with slashes between them.
pub(super) fn joined(parts: &[Thing]) -> Value {
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
