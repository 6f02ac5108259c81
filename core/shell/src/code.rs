//! Code of other languages within a command: `python -c`, `node -e`, `perl -ne`, awk programs, sed
//! scripts.
//!
//! The code is read word by word, so that comments and texts are no code, and searched for what it
//! does outside of itself: programs, files, the network, the environment, and code that it makes.
//! The result is a list of [`Act`]s.
//!
//! It is no interpreter. Every branch is taken, a loop runs once, and what a name stands for is
//! kept as long as that is plain. Where a call could do harm and it is not known what it does, the
//! act is [`Effect::Dynamic`], which asks. A text that the code gives to a shell is evaluated as
//! any other.
//!
//! - `token` splits code into words; `reader` reads expressions and statements (`statements`), and
//!   keeps what names stand for as an [`abstract_value::AbstractValue`].
//! - `call_signature` says what a call does by its [`CallSignature`]. Each language has a table of
//!   them: `python`, `node`, `perl`, `ruby`, `php`, `lua`.
//! - `pure` computes functions that hide a text: joins, decoders. `beyond` judges calls of
//!   functions in no table.
//! - `awk` and `sed` have readers of their own.
//!
//! # Example
//!
//! ```text
//! python3 -c 'import os as o; f = "rm -rf "; o.system(f + "/srv")'
//! ```
//!
//! 1. `import os as o` binds `o` to the path `os`.
//! 2. `f` is bound to a known text.
//! 3. `o.system` is the path `os.system`, which has the signature [`CallSignature::Shell`]; its
//!    argument is the known text `rm -rf /srv`.
//! 4. The act [`Act::Shell`] goes back to the evaluation, which parses the text as any script.

mod abstract_value;
mod address;
mod awk;
mod beyond;
mod call_signature;
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
mod token;

#[cfg(test)]
mod tests;

use crate::effect::{Access, Effect};
use crate::value::Value;
pub use awk::awk;
use call_signature::CallSignature;
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

    /// What is known of the language's functions.
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

/// What is known of a language's functions. Paths of names are written with dots, whatever the
/// language writes.
struct Tables {
    /// What functions do. A path that begins with `*.` is a method of whatever it is called on.
    calls: &'static [(&'static str, CallSignature)],
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
    /// A path with the beginnings replaced that may be left out.
    fn canonical(&self, path: &str) -> String {
        let mut path = path.to_owned();
        for (from, to) in self.renames {
            if let Some(rest) = path.strip_prefix(from) {
                path = format!("{to}{rest}");
            }
        }
        path
    }

    /// What a function does, by its whole path, or as a method of anything.
    fn find(&self, path: &str) -> Option<&'static CallSignature> {
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

    /// True for a name by which any function can be found.
    fn holds_code(&self, path: &str) -> bool {
        self.reflective.contains(&path) || self.risky.contains(&path)
    }
}
