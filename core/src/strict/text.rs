//! JSON text that says each thing once. Of two keys of the same name most parsers keep the last,
//! so that a `deny` could vanish without a word.

use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::de::StrRead;

/// Why a text was not read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Unread {
    /// It is not JSON. The error names line and column.
    #[error("{0}")]
    Broken(#[from] serde_json::Error),
    /// An object in it has a key twice: the path of that key, as `policy.deny`.
    #[error("`{0}` is there twice, and it is unclear which of them holds; leave one of them out")]
    Repeated(String),
}

/// The value that a JSON text is, up to 128 levels deep.
///
/// # Errors
/// Text that is not JSON, or that has a key twice in one object.
pub fn parse(text: &str) -> Result<Value, Unread> {
    parse_by(|| serde_json::Deserializer::from_str(text))
}

/// The same by parsers of the caller's, which may have another limit. Each reads the same text.
///
/// # Errors
/// As [`parse`].
pub fn parse_by<'t>(
    parser: impl Fn() -> serde_json::Deserializer<StrRead<'t>>,
) -> Result<Value, Unread> {
    let (mut first, mut second) = (parser(), parser());
    let repeated = RefCell::new(None);
    // Keys are looked at apart from the values, whose own reader knows best how they are kept.
    let keys = Keys { place: &Place::Root, repeated: &repeated };
    if let Err(error) = keys.deserialize(&mut first) {
        return Err(repeated.take().map_or(Unread::Broken(error), Unread::Repeated));
    }
    first.end()?;
    Ok(Value::deserialize(&mut second)?)
}

/// Where in the text the reader is.
enum Place<'p> {
    Root,
    Key(&'p Place<'p>, &'p str),
    Item(&'p Place<'p>, usize),
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Root => Ok(()),
            Place::Key(Place::Root, key) => f.write_str(key),
            Place::Key(above, key) => write!(f, "{above}.{key}"),
            Place::Item(above, index) => write!(f, "{above}[{index}]"),
        }
    }
}

/// Looks for keys that are there twice, and keeps nothing else.
#[derive(Clone, Copy)]
struct Keys<'p> {
    place: &'p Place<'p>,
    repeated: &'p RefCell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, parser: D) -> Result<(), D::Error> {
        parser.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        let mut index = 0;
        loop {
            let place = Place::Item(self.place, index);
            if items.next_element_seed(Keys { place: &place, ..self })?.is_none() {
                return Ok(());
            }
            index += 1;
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let mut seen: HashSet<String> = HashSet::new();
        while let Some(key) = fields.next_key::<String>()? {
            let place = Place::Key(self.place, &key);
            if seen.contains(&key) {
                *self.repeated.borrow_mut() = Some(place.to_string());
                return Err(A::Error::custom("a key is there twice"));
            }
            fields.next_value_seed(Keys { place: &place, ..self })?;
            seen.insert(key);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_text_that_says_each_thing_once_is_read_as_it_is() {
        let text = r#"{"a": [1, -2, 0.5, null, true, "x\n"], "b": {"a": {}}}"#;
        assert_eq!(
            parse(text).unwrap(),
            json!({"a": [1, -2, 0.5, null, true, "x\n"], "b": {"a": {}}})
        );
        assert!(matches!(parse("{} x"), Err(Unread::Broken(_))));
        assert!(matches!(parse(r#"{"a": 1"#), Err(Unread::Broken(_))));
    }

    #[test]
    fn a_key_that_is_there_twice_is_named_with_its_path() {
        for (text, path) in [
            (r#"{"a": 1, "a": 1}"#, "a"),
            (r#"{"a": 1, "\u0061": 2}"#, "a"),
            (r#"{"policy": {"deny": ["edit"], "deny": []}}"#, "policy.deny"),
            (r#"[{"a": [{"b": {}}, {"b": 1, "c": 2, "b": 3}]}]"#, "[0].a[1].b"),
        ] {
            match parse(text) {
                Err(Unread::Repeated(found)) => assert_eq!(found, path),
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_deep_text_is_refused() {
        let deep = format!("{}{}", "[".repeat(130), "]".repeat(130));
        let error = parse(&deep).unwrap_err();
        assert!(error.to_string().starts_with("recursion limit exceeded"), "{error}");
    }
}
