//! Code that finds functions by their names, or makes them of texts.
//!
//! Such code can call anything without naming it, so it is recorded as dynamic unless the name is
//! known.

use super::super::Language;
use super::super::abstract_value::AbstractValue;
use super::super::token::Token;
use super::Reader;

/// Members by which any function can be reached.
pub(super) const REFLECTIVE: &[&str] = &[
    "__subclasses__", "__globals__", "__code__", "__mro__", "__bases__", "__base__",
    "__getattribute__", "f_globals", "f_builtins", "gi_frame", "tb_frame", "__loader__",
    "load_module", "__self__", "__func__", "__wrapped__", "__closure__", "__reduce__",
    "__reduce_ex__", "f_back", "cr_frame", "ag_frame", "get_objects", "get_referrers",
    "get_referents", "each_object",
];

/// Functions that get a whole module and only look at its names.
const INSPECTING_FUNCTIONS: &[&str] = &[
    "print", "dir", "help", "repr", "str", "type", "id", "len", "hasattr", "callable",
    "isinstance", "getsource", "getfile", "getdoc", "log", "keys", "getOwnPropertyNames",
    "inspect", "puts", "p", "pp", "typeof", "reload", "version", "bool", "ismodule", "next",
    "tostring",
];

impl Reader<'_> {
    /// Records that a module with dangerous functions is passed to a function, which may call any
    /// of them.
    pub(in super::super) fn check_module_argument(
        &mut self,
        to: &str,
        arguments: &[AbstractValue],
    ) {
        let name = to.rsplit_once('.').map_or(to, |(_, name)| name);
        let is_whole = |value: &AbstractValue| match value {
            AbstractValue::Path(path, made) if made.is_empty() => {
                self.tables.holds_code(path)
                    || path == "process" && self.language == Language::JavaScript
            }
            _ => false,
        };
        if !INSPECTING_FUNCTIONS.contains(&name) && arguments.iter().any(is_whole) {
            self.dynamic(format!("`{to}` is given all functions of a module"));
        }
    }

    /// Records `type(f)(code, {})`: the type of functions makes a function of code.
    pub(in super::super) fn check_function_from_code(
        &mut self,
        path: &str,
        arguments: &[AbstractValue],
    ) {
        if path == "type()" && self.language == Language::Python && arguments.len() > 1 {
            self.dynamic("a function is made of code");
        }
    }

    /// Records `new $class`.
    pub(super) fn check_class_by_name(&mut self, word: &str) {
        if word == "new" && self.language == Language::Php && self.next_token_is_variable() {
            self.dynamic("which class is made is not known");
        }
    }

    /// True if the next word is a variable of PHP.
    fn next_token_is_variable(&self) -> bool {
        matches!(self.tokens.get(self.at), Some(Token::Name(name)) if name.starts_with('$'))
    }

    /// Records `&{"name"}`, `&$name` and `*{"name"}`, which may be any function of Perl.
    pub(super) fn symbolic(&mut self) {
        if self.language != Language::Perl {
            return;
        }
        let by_name = match (self.tokens.get(self.at), self.tokens.get(self.at + 1)) {
            (Some(Token::Mark("&" | "*")), Some(Token::Mark("{"))) => true,
            (Some(Token::Mark("&")), Some(Token::Name(name))) if name.starts_with('$') => {
                let name = name.clone();
                !matches!(self.name(&name), AbstractValue::Map(_))
            }
            _ => false,
        };
        if by_name {
            self.dynamic("a function is found by its name");
        }
    }
}
