//! What names and members stand for: the environment, the arguments, modules and their functions.
//!
//! A name stands for what was assigned to it, or for itself as a path: `os` and then `os.system`. A
//! member of a module is a longer path, a member of the environment is a variable, and a member by
//! which any function can be reached makes the value unknown.

use super::super::Language;
use super::super::abstract_value::{AbstractValue, Provenance};
use super::super::token::Token;
use super::reflection::REFLECTIVE;
use super::{Reader, is_environment};
use crate::effect::Effect;
use crate::names::is_secret_name;
use crate::value::{Origin, Value};

/// Modules with functions that matter, by the names under which others import them.
const IMPORTED: &[&str] = &[
    "_os", "os", "_sys", "sys", "subprocess", "_subprocess", "builtins", "_builtins", "shutil",
    "_shutil", "importlib", "_importlib", "ctypes", "runpy",
];

impl Reader<'_> {
    /// Reads a variable of the environment.
    pub(in super::super) fn variable(&mut self, key: &AbstractValue) -> AbstractValue {
        match key.text() {
            Some(name) => {
                if is_secret_name(name) {
                    let kind = format!("the variable {name}");
                    self.effect(Effect::Secret { kind, path: None });
                }
                match name {
                    "HOME" => AbstractValue::known(self.home),
                    _ => AbstractValue::Text(Value::Unknown(Origin::Environment(name.to_owned()))),
                }
            }
            None => {
                self.effect(Effect::EnvironmentDump);
                AbstractValue::Unknown(Provenance::Other)
            }
        }
    }

    /// Records that the whole environment is looked at, if the value holds it.
    pub(in super::super) fn shown(&mut self, value: &AbstractValue) {
        let holds = match value {
            AbstractValue::Map(all) => all.iter().any(|(_, value)| is_environment(value)),
            AbstractValue::List(all) => all.iter().any(is_environment),
            value => is_environment(value),
        };
        if holds {
            self.effect(Effect::EnvironmentDump);
        }
    }

    /// Records what a loop over a value looks at.
    pub(in super::super) fn iterated(&mut self, value: &AbstractValue) {
        self.shown(value);
    }

    /// The member of a value: `value.name`.
    pub(in super::super) fn member(&mut self, value: &AbstractValue, name: &str) -> AbstractValue {
        match value {
            _ if is_environment(value) => match name {
                "get" | "fetch" | "pop" | "setdefault" | "copy" | "update" | "key" | "has_key"
                | "include" | "delete" | "keys" | "has" | "dup" | "key?" | "include?"
                | "has_key?" | "hasOwnProperty" => {
                    AbstractValue::path(format!("environment.{name}"))
                }
                "items" | "values" | "to_h" | "to_hash" | "each" | "map" | "inspect" | "to_s"
                | "to_a" | "each_pair" | "sort" | "select" | "filter" | "collect" | "__str__"
                | "__repr__" | "data" | "_data" | "sort_by" | "reject" | "find" | "to_json"
                | "toString" => {
                    self.effect(Effect::EnvironmentDump);
                    AbstractValue::Unknown(Provenance::Other)
                }
                name => self.variable(&AbstractValue::known(name)),
            },
            _ if name == "__builtins__" => AbstractValue::path("__builtins__"),
            // What a module of Python imported for itself is the same module.
            _ if self.language == Language::Python && IMPORTED.contains(&name) => {
                AbstractValue::path(name.trim_start_matches('_'))
            }
            _ if name == "constructor" && self.language == Language::JavaScript => {
                if !self.only_inspects() {
                    self.dynamic("`constructor` makes functions of texts");
                }
                AbstractValue::Path("*.constructor".to_owned(), vec![value.clone()])
            }
            _ if matches!(
                (name, self.language),
                ("can", Language::Perl) | ("to_proc", Language::Ruby)
            ) =>
            {
                AbstractValue::Unknown(Provenance::Code)
            }
            AbstractValue::Path(..) if name == "__dict__" => value.clone(),
            _ if REFLECTIVE.contains(&name) => AbstractValue::Unknown(Provenance::Code),
            AbstractValue::Path(path, made) => {
                let path = format!("{path}.{name}");
                self.special(&path).unwrap_or_else(|| {
                    AbstractValue::Path(self.tables.canonical(&path), made.clone())
                })
            }
            AbstractValue::Map(_) => match value.option(name) {
                Some(found) => found.clone(),
                None => AbstractValue::Path(format!("*.{name}"), vec![value.clone()]),
            },
            AbstractValue::Text(_) => {
                AbstractValue::Path(format!("text.{name}"), vec![value.clone()])
            }
            AbstractValue::List(_) => {
                AbstractValue::Path(format!("list.{name}"), vec![value.clone()])
            }
            other => AbstractValue::Path(format!("*.{name}"), vec![other.clone()]),
        }
    }

    /// True if the code takes only the name of what stands here, or compares it.
    fn only_inspects(&self) -> bool {
        let next = |ahead: usize| self.tokens.get(self.at + ahead);
        match next(0) {
            Some(Token::Mark("." | "?.")) => {
                matches!(next(1), Some(Token::Name(name)) if name == "name")
            }
            Some(Token::Mark("===" | "==" | "!==" | "!=")) => true,
            _ => false,
        }
    }

    /// What a name stands for.
    pub(in super::super) fn name(&mut self, name: &str) -> AbstractValue {
        match name {
            "True" | "true" | "TRUE" => return AbstractValue::Number(1),
            "False" | "false" | "FALSE" | "nil" | "None" | "null" | "undefined" | "undef"
            | "NULL" => {
                return AbstractValue::Number(0);
            }
            _ => {}
        }
        match (name, self.language) {
            ("@INC", Language::Perl) => return AbstractValue::path("@INC"),
            ("$:" | "$LOAD_PATH", Language::Ruby) => return AbstractValue::path("LOAD_PATH"),
            _ => {}
        }
        if let Some(value) = self.names.get(name).or_else(|| self.later.get(name)) {
            self.fuel = self.fuel.saturating_sub(value.weight() / 4);
            return value.clone();
        }
        // An element is written with another sigil than all: `$x[0]` of `@x`.
        if self.language == Language::Perl
            && let Some(bare) = name.strip_prefix('$')
            && matches!(self.tokens.get(self.at), Some(Token::Mark("[" | "{")))
        {
            let sigil = if self.tokens[self.at] == Token::Mark("[") { '@' } else { '%' };
            let whole = format!("{sigil}{bare}");
            if let Some(value) = self.names.get(&whole).or_else(|| self.later.get(&whole)) {
                return value.clone();
            }
            if let Some(value) = self.special(&whole) {
                return value;
            }
        }
        if let Some(value) = self.special(name) {
            return value;
        }
        let star = self.stars.iter().map(|module| format!("{module}.{name}"));
        let found = star.into_iter().find(|path| self.tables.find(path).is_some());
        let path = found.unwrap_or_else(|| name.to_owned());
        if path.starts_with(['$', '@', '%']) && self.tables.find(&path).is_none() {
            return AbstractValue::Unknown(Provenance::Other);
        }
        AbstractValue::Path(self.tables.canonical(&path), Vec::new())
    }

    /// What stands for the environment and for the arguments.
    pub(in super::super) fn special(&self, path: &str) -> Option<AbstractValue> {
        if self.tables.environment.contains(&path) {
            return Some(AbstractValue::path("environment"));
        }
        let (_, skip) = self.tables.arguments.iter().find(|(name, _)| *name == path)?;
        let all: Vec<AbstractValue> =
            self.arguments.iter().cloned().map(AbstractValue::Text).collect();
        Some(AbstractValue::List(match skip {
            -1 => std::iter::once(AbstractValue::known(self.language.name())).chain(all).collect(),
            skip => all.into_iter().skip(usize::try_from(*skip).unwrap_or(0)).collect(),
        }))
    }

    /// The parameters of a function that the code defines.
    pub(in super::super) fn parameters(&self, path: &str) -> Option<Vec<String>> {
        self.functions.get(path).cloned()
    }

    /// What a parameter becomes, beside what it was.
    pub(in super::super) fn give(&mut self, name: &str, value: AbstractValue) {
        let value = value.short();
        let value = match self.names.get(name) {
            Some(before) => self.one_of(before, &value),
            None => value,
        };
        self.names.insert(name.to_owned(), value);
    }

    /// Makes all names of a module known: `from x import *`.
    pub(in super::super) fn import_all(&mut self, module: &str) {
        let first = module.split('.').next().unwrap_or_default();
        self.foreign_names |= self.foreign.iter().any(|foreign| foreign == first);
        self.stars.push(module.to_owned());
    }
}
