//! Code that finds functions by their names, or makes them of texts.

use super::super::Language;
use super::super::thing::Thing;
use super::super::token::Token;
use super::Reader;

/// Members by which anything can be found.
pub(super) const REFLECTIVE: &[&str] = &[
    "__subclasses__",
    "__globals__",
    "__code__",
    "__mro__",
    "__bases__",
    "__base__",
    "__getattribute__",
    "f_globals",
    "f_builtins",
    "gi_frame",
    "tb_frame",
    "__loader__",
    "load_module",
    "__self__",
    "__func__",
    "__wrapped__",
    "__closure__",
    "__reduce__",
    "__reduce_ex__",
    "f_back",
    "cr_frame",
    "ag_frame",
    "get_objects",
    "get_referrers",
    "get_referents",
    "each_object",
];

/// Functions to which a module is given whole, and that only look at its names.
const LOOKING: &[&str] = &[
    "print",
    "dir",
    "help",
    "repr",
    "str",
    "type",
    "id",
    "len",
    "hasattr",
    "callable",
    "isinstance",
    "getsource",
    "getfile",
    "getdoc",
    "log",
    "keys",
    "getOwnPropertyNames",
    "inspect",
    "puts",
    "p",
    "pp",
    "typeof",
    "reload",
    "version",
    "bool",
    "ismodule",
    "next",
    "tostring",
];

impl Reader<'_> {
    /// A module with functions that matter is given to a function, which may call any of them.
    pub(in super::super) fn handed_whole(&mut self, to: &str, given: &[Thing]) {
        let name = to.rsplit_once('.').map_or(to, |(_, name)| name);
        let is_whole = |thing: &Thing| match thing {
            Thing::Path(path, made) if made.is_empty() => {
                self.tables.holds_code(path)
                    || path == "process" && self.language == Language::JavaScript
            }
            _ => false,
        };
        if !LOOKING.contains(&name) && given.iter().any(is_whole) {
            self.dynamic(format!("`{to}` is given all functions of a module"));
        }
    }

    /// Tells of `type(f)(code, {})`: the type of functions makes a function of code.
    pub(in super::super) fn made_of_code(&mut self, path: &str, given: &[Thing]) {
        if path == "type()" && self.language == Language::Python && given.len() > 1 {
            self.dynamic("a function is made of code");
        }
    }

    /// Tells of `new $class`.
    pub(super) fn made_by_name(&mut self, word: &str) {
        if word == "new" && self.language == Language::Php && self.next_token_is_variable() {
            self.dynamic("which class is made is not known");
        }
    }

    fn next_token_is_variable(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name.starts_with('$'))
    }

    /// Tells of `&{"name"}`, `&$name` and `*{"name"}`, which may be any function of Perl.
    pub(super) fn symbolic(&mut self) {
        if self.language != Language::Perl {
            return;
        }
        let by_name = match (self.tokens.get(self.at), self.tokens.get(self.at + 1)) {
            (Some(Token::Mark("&" | "*")), Some(Token::Mark("{"))) => true,
            (Some(Token::Mark("&")), Some(Token::Name(name))) if name.starts_with('$') => {
                let name = name.clone();
                !matches!(self.name(&name), Thing::Map(_))
            }
            _ => false,
        };
        if by_name {
            self.dynamic("a function is found by its name");
        }
    }
}
