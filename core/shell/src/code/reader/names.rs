//! What names and members stand for: the environment, the arguments, modules and their functions.

use super::super::Language;
use super::super::thing::{From, Thing};
use super::super::token::Token;
use super::reflection::REFLECTIVE;
use super::{Reader, is_environment, is_secret_name};
use crate::effect::Effect;
use crate::value::{Origin, Value};

/// Modules with functions that matter, by the names under which others import them.
const IMPORTED: &[&str] = &[
    "_os",
    "os",
    "_sys",
    "sys",
    "subprocess",
    "_subprocess",
    "builtins",
    "_builtins",
    "shutil",
    "_shutil",
    "importlib",
    "_importlib",
    "ctypes",
    "runpy",
];

impl Reader<'_> {
    /// Reads a variable of the environment.
    pub(in super::super) fn variable(&mut self, key: &Thing) -> Thing {
        match key.text() {
            Some(name) => {
                if is_secret_name(name) {
                    let kind = format!("the variable {name}");
                    self.effect(Effect::Secret { kind, path: None });
                }
                match name {
                    "HOME" => Thing::known(self.home),
                    _ => Thing::Text(Value::Unknown(Origin::Environment(name.to_owned()))),
                }
            }
            None => {
                self.effect(Effect::EnvironmentDump);
                Thing::Unknown(From::Other)
            }
        }
    }

    /// Tells if the whole environment is looked at.
    pub(in super::super) fn shown(&mut self, thing: &Thing) {
        let holds = match thing {
            Thing::Map(all) => all.iter().any(|(_, thing)| is_environment(thing)),
            Thing::List(all) => all.iter().any(is_environment),
            thing => is_environment(thing),
        };
        if holds {
            self.effect(Effect::EnvironmentDump);
        }
    }

    pub(in super::super) fn iterated(&mut self, thing: &Thing) {
        self.shown(thing);
    }

    pub(in super::super) fn member(&mut self, thing: &Thing, name: &str) -> Thing {
        match thing {
            _ if is_environment(thing) => match name {
                "get" | "fetch" | "pop" | "setdefault" | "copy" | "update" | "key" | "has_key"
                | "include" | "delete" | "keys" | "has" | "dup" | "key?" | "include?"
                | "has_key?" | "hasOwnProperty" => Thing::path(format!("environment.{name}")),
                "items" | "values" | "to_h" | "to_hash" | "each" | "map" | "inspect" | "to_s"
                | "to_a" | "each_pair" | "sort" | "select" | "filter" | "collect" | "__str__"
                | "__repr__" | "data" | "_data" | "sort_by" | "reject" | "find" | "to_json"
                | "toString" => {
                    self.effect(Effect::EnvironmentDump);
                    Thing::Unknown(From::Other)
                }
                name => self.variable(&Thing::known(name)),
            },
            _ if name == "__builtins__" => Thing::path("__builtins__"),
            // What a module of Python imported for itself is the same module.
            _ if self.language == Language::Python && IMPORTED.contains(&name) => {
                Thing::path(name.trim_start_matches('_'))
            }
            _ if name == "constructor" && self.language == Language::JavaScript => {
                if !self.only_looks() {
                    self.dynamic("`constructor` makes functions of texts");
                }
                Thing::Path("*.constructor".to_owned(), vec![thing.clone()])
            }
            _ if matches!(
                (name, self.language),
                ("can", Language::Perl) | ("to_proc", Language::Ruby)
            ) =>
            {
                Thing::Unknown(From::Code)
            }
            Thing::Path(..) if name == "__dict__" => thing.clone(),
            _ if REFLECTIVE.contains(&name) => Thing::Unknown(From::Code),
            Thing::Path(path, made) => {
                let path = format!("{path}.{name}");
                self.special(&path)
                    .unwrap_or_else(|| Thing::Path(self.tables.canonical(&path), made.clone()))
            }
            Thing::Map(_) => match thing.option(name) {
                Some(found) => found.clone(),
                None => Thing::Path(format!("*.{name}"), vec![thing.clone()]),
            },
            Thing::Text(_) => Thing::Path(format!("text.{name}"), vec![thing.clone()]),
            Thing::List(_) => Thing::Path(format!("list.{name}"), vec![thing.clone()]),
            other => Thing::Path(format!("*.{name}"), vec![other.clone()]),
        }
    }

    /// True if of what stands here only the name is taken, or it is compared.
    fn only_looks(&self) -> bool {
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
    pub(in super::super) fn name(&mut self, name: &str) -> Thing {
        match name {
            "True" | "true" | "TRUE" => return Thing::Number(1),
            "False" | "false" | "FALSE" | "nil" | "None" | "null" | "undefined" | "undef"
            | "NULL" => {
                return Thing::Number(0);
            }
            _ => {}
        }
        match (name, self.language) {
            ("@INC", Language::Perl) => return Thing::path("@INC"),
            ("$:" | "$LOAD_PATH", Language::Ruby) => return Thing::path("LOAD_PATH"),
            _ => {}
        }
        if let Some(thing) = self.names.get(name).or_else(|| self.later.get(name)) {
            self.fuel = self.fuel.saturating_sub(thing.weight() / 4);
            return thing.clone();
        }
        // An element is written with another sigil than all: `$x[0]` of `@x`.
        if self.language == Language::Perl
            && let Some(bare) = name.strip_prefix('$')
            && matches!(self.tokens.get(self.at), Some(Token::Mark("[" | "{")))
        {
            let sigil = if self.tokens[self.at] == Token::Mark("[") { '@' } else { '%' };
            let whole = format!("{sigil}{bare}");
            if let Some(thing) = self.names.get(&whole).or_else(|| self.later.get(&whole)) {
                return thing.clone();
            }
            if let Some(thing) = self.special(&whole) {
                return thing;
            }
        }
        if let Some(thing) = self.special(name) {
            return thing;
        }
        let star = self.stars.iter().map(|module| format!("{module}.{name}"));
        let found = star.into_iter().find(|path| self.tables.find(path).is_some());
        let path = found.unwrap_or_else(|| name.to_owned());
        if path.starts_with(['$', '@', '%']) && self.tables.find(&path).is_none() {
            return Thing::Unknown(From::Other);
        }
        Thing::Path(self.tables.canonical(&path), Vec::new())
    }

    /// What stands for the environment and for the arguments.
    pub(in super::super) fn special(&self, path: &str) -> Option<Thing> {
        if self.tables.environment.contains(&path) {
            return Some(Thing::path("environment"));
        }
        let (_, skip) = self.tables.arguments.iter().find(|(name, _)| *name == path)?;
        let all: Vec<Thing> = self.arguments.iter().cloned().map(Thing::Text).collect();
        Some(Thing::List(match skip {
            -1 => std::iter::once(Thing::known(self.language.name())).chain(all).collect(),
            skip => all.into_iter().skip(usize::try_from(*skip).unwrap_or(0)).collect(),
        }))
    }

    pub(in super::super) fn parameters(&self, path: &str) -> Option<Vec<String>> {
        self.functions.get(path).cloned()
    }

    /// What a parameter becomes, beside what it was.
    pub(in super::super) fn give(&mut self, name: &str, thing: Thing) {
        let thing = thing.short();
        let thing = match self.names.get(name) {
            Some(before) => self.one_of(before, &thing),
            None => thing,
        };
        self.names.insert(name.to_owned(), thing);
    }

    pub(in super::super) fn import_all(&mut self, module: &str) {
        let first = module.split('.').next().unwrap_or_default();
        self.foreign_names |= self.foreign.iter().any(|foreign| foreign == first);
        self.stars.push(module.to_owned());
    }
}
