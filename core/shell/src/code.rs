//! Code of other languages within a command: `python -c`, `node -e`, `perl -ne`, awk programs, sed
//! scripts. It is read word by word, so that comments and texts are no code, and searched for what
//! it does outside of itself: programs, files, the network, the environment, and code that it makes.
//!
//! It is no interpreter: every branch is taken, a loop runs once, and what a name stands for is kept
//! as long as that is plain. What a call cannot be known of where it could do harm is told as
//! [`Effect::Dynamic`]; a text that it gives to a shell is looked at as any other.

mod address;
mod awk;
mod beyond;
mod doing;
mod lua;
mod node;
mod perl;
mod php;
mod pure;
mod python;
mod reader;
mod ruby;
mod sed;
mod statements;
mod thing;
mod token;

#[cfg(test)]
mod tests;

use super::effect::{Access, Effect};
use super::value::Value;
pub use awk::awk;
use doing::Doing;
pub use reader::is_secret_name;
pub use sed::sed;

/// A language that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// Python 2 and 3.
    Python,
    /// JavaScript and TypeScript, as node, deno and bun run them.
    JavaScript,
    /// Perl 5.
    Perl,
    /// Ruby.
    Ruby,
    /// PHP.
    Php,
    /// Lua.
    Lua,
}

/// Something that code does.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    /// A text is given to a shell.
    Shell(Value),
    /// A program is run with its arguments.
    Run(Vec<Value>),
    /// Something is done with a file.
    File {
        /// What.
        access: Access,
        /// The path, from the working folder.
        path: Value,
        /// True if all that is below is meant as well.
        recursive: bool,
        /// True if nothing can stop it.
        forced: bool,
    },
    /// A file of code of the same language is run.
    Load(Value),
    /// A function that is not known gets the path of a file: it reads it, and may write it.
    Perhaps {
        /// The path, from the working folder.
        path: Value,
        /// The function.
        by: String,
    },
    /// What follows is done in another folder.
    Folder {
        /// The folder, from the one before.
        path: Value,
        /// True if it may still be done in the one before.
        perhaps: bool,
    },
    /// Something else.
    Effect(Effect),
}

impl Act {
    /// Something is done with one file.
    #[must_use]
    pub fn file(access: Access, path: Value) -> Act {
        Act::File { access, path, recursive: false, forced: false }
    }
}

/// What code does, which is called with `arguments` in a home folder.
#[must_use]
pub fn search(language: Language, code: &str, arguments: &[Value], home: &str) -> Vec<Act> {
    reader::read(language, code, arguments, home)
}

impl Language {
    /// Its name: `python`, `javascript`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Language::Python => "python",
            Language::JavaScript => "javascript",
            Language::Perl => "perl",
            Language::Ruby => "ruby",
            Language::Php => "php",
            Language::Lua => "lua",
        }
    }

    fn tables(self) -> &'static Tables {
        match self {
            Language::Python => &python::TABLES,
            Language::JavaScript => &node::TABLES,
            Language::Perl => &perl::TABLES,
            Language::Ruby => &ruby::TABLES,
            Language::Php => &php::TABLES,
            Language::Lua => &lua::TABLES,
        }
    }
}

/// What is known of a language's functions. Paths are written with dots.
struct Tables {
    /// What functions do. A path that begins with `*.` is a method of whatever it is called on.
    calls: &'static [(&'static str, Doing)],
    /// Modules in which a function that is not known is not harmless.
    risky: &'static [&'static str],
    /// Functions and modules within those that are, with all that begins so.
    harmless: &'static [&'static str],
    /// Modules that come with the language.
    modules: &'static [&'static str],
    /// Beginnings of paths that may be left out, and what stands for them.
    renames: &'static [(&'static str, &'static str)],
    /// Names of the environment.
    environment: &'static [&'static str],
    /// Names of the arguments, and how many are skipped; -1: the name of the code stands first.
    arguments: &'static [(&'static str, i64)],
    /// Names by which any function can be found.
    reflective: &'static [&'static str],
}

impl Tables {
    fn canonical(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (from, to) in self.renames {
            if let Some(rest) = path.strip_prefix(from) {
                path = format!("{to}{rest}");
            }
        }
        path
    }

    fn find(&self, path: &str) -> Option<&'static Doing> {
        let exact = self.calls.iter().find(|(name, _)| *name == path);
        let method = || {
            let name = path.rsplit_once('.')?.1;
            self.calls.iter().find(|(call, _)| call.strip_prefix("*.") == Some(name))
        };
        Some(&exact.or_else(method)?.1)
    }

    /// True for a function of a module of which unknown functions are not harmless. What a call
    /// made is no module.
    fn is_risky(&self, path: &str) -> bool {
        let starts = |names: &[&str]| {
            names.iter().any(|name| {
                path.strip_prefix(name)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
            })
        };
        !path.contains('(') && starts(self.risky) && !starts(self.harmless)
    }

    fn holds_code(&self, path: &str) -> bool {
        self.reflective.contains(&path) || self.risky.contains(&path)
    }
}
