//! Calls of functions that no table knows: their arguments say what they may do.
//!
//! A path beyond the workspace may be read and written, an address may be reached, and a text that
//! looks like a command may be run. What only computes on its arguments is listed in `pure`, by
//! name.

mod pure;

use super::abstract_value::{AbstractValue, Provenance};
use super::address::host_of;
use super::reader::{Reader, Target};
use super::{Act, Language};
use crate::effect::{Access, Effect, Payload};
use crate::value::Value;
use pure::{MODULES, NAMES};

/// How deep lists and maps in the arguments are searched.
const DEEPEST: usize = 4;

/// The longest text that a system takes for a path (`PATH_MAX` of Linux).
const LONGEST: usize = 4096;

/// Folders at the top of a disk. A text that begins with one of them is a path, whatever function
/// gets it.
const TOP_FOLDERS: &[&str] = &[
    "Applications", "Library", "System", "Users", "Volumes", "bin", "boot", "dev", "etc", "home",
    "lib", "lib64", "media", "mnt", "opt", "private", "proc", "root", "run", "sbin", "srv", "sys",
    "tmp", "usr", "var",
];

/// Names of functions that run their arguments, in Python, where a method is seldom called so for
/// anything else.
const RUN_NAMES_OF_PYTHON: &[&str] = &[
    "run", "runctx", "runeval", "spawn", "main", "eval", "exec", "system", "execute", "call",
    "check_call", "check_output", "getoutput", "popen", "Popen", "shell", "sudo", "bash",
    "run_command", "exec_command", "subprocess_shell", "subprocess_exec", "load", "loads",
    "load_all",
];

/// The same in the other languages, where `exec` and `call` are methods of patterns and functions.
const RUN_NAMES: &[&str] =
    &["spawn", "system", "popen", "shell", "execFile", "execFileSync", "spawnSync", "execSync"];

/// Functions with such a name that run nothing.
const HARMLESS_IN_SPITE_OF_NAME: &[&str] = &[
    "json.", "simplejson.", "orjson.", "ujson.", "tomllib.", "tomli.", "toml.", "plistlib.",
    "asyncio.run", "unittest.main", "numpy.load", "html.",
];

/// Words by which a statement opens another file or loads a library.
const DATABASE_OPENS_FILE: &[&str] =
    &["attach", "load_extension", "vacuum into", "writefile", "readfile"];

/// Functions that are private by their name, and commonly used all the same.
const USUAL: &[&str] = &["os._exit", "sys._getframe", "ssl._create_unverified_context"];

impl Reader<'_> {
    /// Records what a function in no table may do with its arguments.
    pub(super) fn check_unknown_function(
        &mut self,
        path: &str,
        arguments: &[AbstractValue],
        named: &[(String, AbstractValue)],
    ) {
        let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
        if self.functions.contains_key(name) || path.starts_with("environment") {
            return;
        }
        let all = || arguments.iter().chain(named.iter().map(|(_, value)| value));
        let carries = all().any(|value| may_hold_text(value, DEEPEST));
        if carries && self.is_foreign(path) {
            self.dynamic(format!("what `{path}` does, of a module that is not known, is not told"));
        } else if self.is_private(path) {
            self.dynamic(format!("what `{path}` does is not documented"));
        } else if carries && self.runs_texts(path, name) && !is_safe_loader(path, named) {
            self.dynamic(format!("`{path}` may run what it is given"));
        }
        if opens_database(name, arguments) {
            self.dynamic(format!("what `{path}` opens besides is not told"));
        }
        if is_pure_name(name) || self.is_pure(path) {
            return;
        }
        let is_method = path.starts_with("*.") || path.contains('(');
        for value in all() {
            self.reaches_out(path, value, is_method, DEEPEST);
        }
    }

    /// Records that a value of an unknown module is indexed: some modules run programs by what
    /// stands in brackets.
    pub(super) fn check_index(&mut self, value: &AbstractValue, key: &AbstractValue) {
        if let AbstractValue::Path(path, _) = value
            && self.is_foreign(path)
            && may_hold_text(key, DEEPEST)
        {
            self.dynamic(format!("what `{path}` does, of a module that is not known, is not told"));
        }
    }

    /// True for a function of a module that is neither part of the language nor well known.
    fn is_foreign(&self, path: &str) -> bool {
        let first = path.split(['.', '(', '/']).next().unwrap_or_default();
        let is_bare = !path.contains(['.', '(']);
        if is_bare && self.foreign_names && !is_pure_name(path) {
            return true;
        }
        let is_named = |module: &String| match self.language {
            // `net-ssh` makes `Net`.
            Language::Ruby => {
                first.starts_with(char::is_uppercase)
                    && module.to_ascii_lowercase().starts_with(&first.to_ascii_lowercase())
            }
            _ => module == first,
        };
        self.foreign.iter().any(is_named)
    }

    /// True for a name that a Python module keeps to itself.
    fn is_private(&self, path: &str) -> bool {
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        self.language == Language::Python
            && !path.contains('(')
            && self.tables.modules.contains(&first)
            && !USUAL.contains(&path)
            && parts.any(|part| part.starts_with('_') && !part.starts_with("__"))
    }

    /// True for a function that may run its arguments, by its name.
    fn runs_texts(&self, path: &str, name: &str) -> bool {
        let running =
            if self.language == Language::Python { RUN_NAMES_OF_PYTHON } else { RUN_NAMES };
        let is_known = self.language == Language::Python
            && (path.starts_with("sqlite3.")
                || HARMLESS_IN_SPITE_OF_NAME.iter().any(|start| path.starts_with(start)));
        path.contains('.') && running.contains(&name) && !is_known
    }

    /// True for a function that only computes.
    fn is_pure(&self, path: &str) -> bool {
        let within = |module: &&str| {
            path.strip_prefix(*module)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '(']))
        };
        let of = MODULES.iter().find(|(language, _)| *language == self.language);
        of.is_some_and(|(_, modules)| modules.iter().any(&within))
            || self.tables.harmless.iter().any(within)
            || self.language == Language::Php && is_pure_of_php(path)
    }

    /// Records the paths and addresses that a value holds.
    fn reaches_out(&mut self, by: &str, operand: &AbstractValue, is_method: bool, depth: usize) {
        match operand {
            AbstractValue::Text(Value::OneOf(texts)) => {
                for text in texts.clone() {
                    self.reaches(by, Value::Known(text), is_method);
                }
            }
            AbstractValue::Text(value) => self.reaches(by, value.clone(), is_method),
            AbstractValue::List(all) if depth > 0 => {
                for operand in all {
                    self.reaches_out(by, operand, is_method, depth - 1);
                }
            }
            AbstractValue::Map(all) if depth > 0 => {
                for (_, operand) in all {
                    self.reaches_out(by, operand, is_method, depth - 1);
                }
            }
            AbstractValue::Path(..) if !matches!(operand.value(), Value::Unknown(_)) => {
                self.reaches(by, operand.value(), is_method);
            }
            _ => {}
        }
    }

    /// Records that an address or a path is given to a function, which may reach it.
    fn reaches(&mut self, by: &str, value: Value, is_method: bool) {
        let text = value.prefix();
        if ["http://", "https://", "ftp://", "ws://", "wss://"]
            .iter()
            .any(|scheme| text.starts_with(scheme))
        {
            let (host, port) = host_of(&value);
            let sends = Payload::None;
            return self.effect(Effect::Network { host, port, fetches: true, sends });
        }
        // `sqlite:/x`, `file:///x`
        let is_scheme = |scheme: &str| {
            scheme.len() > 1
                && scheme.chars().all(|char| {
                    char.is_ascii_lowercase() || char.is_ascii_digit() || ".+".contains(char)
                })
        };
        let value = match text.split_once(':') {
            Some((scheme, rest)) if is_scheme(scheme) && rest.starts_with('/') => {
                let from = text.len() - rest.trim_start_matches('/').len() - 1;
                value.map(|text| text.get(from..).unwrap_or_default().to_owned())
            }
            _ => value,
        };
        if is_beyond(value.prefix(), is_method) {
            let path = self.in_home(value);
            self.act(Act::Perhaps { path, by: by.to_owned() });
        }
    }

    /// A path with `~` replaced by the home folder.
    fn in_home(&self, value: Value) -> Value {
        match value.prefix().strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                value.map(|text| format!("{}{}", self.home, text.get(1..).unwrap_or_default()))
            }
            _ => value,
        }
    }

    /// Records that modules are looked for in the folders that a value names.
    pub(super) fn library(&mut self, operand: &AbstractValue) {
        for folder in operand.elements() {
            match &folder {
                AbstractValue::Text(value) => {
                    let path = self.in_home(value.clone());
                    self.act(Act::file(Access::Execute, path));
                }
                AbstractValue::Path(path, _) if LIBRARIES.contains(&path.as_str()) => {}
                AbstractValue::Number(_) => {}
                AbstractValue::Path(..) => self.act(Act::file(Access::Execute, folder.value())),
                _ => self.dynamic("where modules are looked for is not known"),
            }
        }
    }

    /// Records what is added to the folders in which modules or files are looked for.
    pub(super) fn put_into(
        &mut self,
        operand: &AbstractValue,
        target: &Target,
        value: &AbstractValue,
    ) {
        match (operand, target) {
            (_, Target::Name(name)) if name == "@INC" => self.library(value),
            (_, Target::Name(name)) if name == "@ARGV" => self.operands(value),
            (AbstractValue::Path(path, _), _) if LIBRARIES.contains(&path.as_str()) => {
                self.library(value);
            }
            (AbstractValue::Path(path, _), _)
                if (path == "package.path" || path == "package.cpath")
                    && is_beyond(value.value().prefix(), false) =>
            {
                self.dynamic("modules are looked for beyond the workspace");
            }
            _ => {}
        }
    }

    /// Records what Perl opens by itself: files, or commands whose name ends with `|`.
    pub(super) fn operands(&mut self, all: &AbstractValue) {
        for name in all.elements() {
            let Some(text) = name.text().map(|text| text.trim().to_owned()) else {
                self.dynamic("which files are opened is not known");
                continue;
            };
            if let Some(command) = text.strip_suffix('|').or_else(|| text.strip_prefix('|')) {
                self.shell(&AbstractValue::known(command));
            } else if let Some(path) = text.strip_prefix('>') {
                self.file(
                    Access::Write,
                    &AbstractValue::known(path.trim_start_matches('>').trim()),
                );
            } else {
                self.file(Access::Read, &AbstractValue::known(text.trim_start_matches('<').trim()));
            }
        }
    }
}

/// Lists of folders in which modules are looked for.
pub(super) const LIBRARIES: &[&str] = &["sys.path", "LOAD_PATH", "module.paths", "@INC"];

/// True for the name of a function that only computes.
fn is_pure_name(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
        || ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
}

/// PHP has no modules: functions of texts and lists are recognised by their prefix.
fn is_pure_of_php(path: &str) -> bool {
    ["str", "array_", "preg_", "ctype_", "is_", "json_", "mb_str", "mb_sub", "var_", "url"]
        .iter()
        .any(|start| path.starts_with(start))
}

/// True for `yaml.load(…, Loader=yaml.SafeLoader)` and the like, and for what is no loader.
fn is_safe_loader(path: &str, named: &[(String, AbstractValue)]) -> bool {
    let loader = named.iter().find(|(name, _)| name == "Loader").map(|(_, value)| value);
    path.starts_with("yaml.")
        && matches!(loader, Some(AbstractValue::Path(loader, _))
            if ["SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader"]
                .iter()
                .any(|safe| loader.ends_with(&format!(".{safe}")) || loader == safe))
}

/// True for a query that attaches another database file.
fn opens_database(name: &str, arguments: &[AbstractValue]) -> bool {
    let asks = [
        "execute", "executescript", "executemany", "exec", "query", "prepare", "run", "all", "get",
        "do",
    ];
    let opens = |value: &AbstractValue| {
        let text = value.value().prefix().to_ascii_lowercase();
        DATABASE_OPENS_FILE.iter().any(|word| text.contains(word))
    };
    asks.contains(&name) && arguments.iter().any(opens)
}

/// True for a value that may hold a text. A number does not, nor does a function.
fn may_hold_text(value: &AbstractValue, depth: usize) -> bool {
    match value {
        AbstractValue::Number(_) => false,
        AbstractValue::Text(_) => true,
        _ if depth == 0 => true,
        AbstractValue::List(all) => all.iter().any(|value| may_hold_text(value, depth - 1)),
        AbstractValue::Map(all) => all.iter().any(|(_, value)| may_hold_text(value, depth - 1)),
        AbstractValue::Path(path, made) => {
            path.contains("stdin") || made.iter().any(|value| may_hold_text(value, depth - 1))
        }
        AbstractValue::Unknown(provenance) => *provenance != Provenance::Other || depth == DEEPEST,
    }
}

/// True for the beginning of a path that may lead out of the workspace, or to something hidden in
/// it. The argument of a method may be anything, so it counts only if it names a folder that disks
/// have.
fn is_beyond(text: &str, is_method: bool) -> bool {
    if text.len() > LONGEST {
        return false;
    }
    // A document or a pattern may begin with a slash, too.
    let is_method = is_method || text.contains(['\n', '<', '>', '|']);
    let mut parts = text.split('/');
    let first = parts.next().unwrap_or_default();
    let second = parts.next();
    match (first, second) {
        ("", Some(top)) => TOP_FOLDERS.contains(&top) || !is_method && !top.is_empty(),
        (home, _) if home.starts_with('~') => home.len() == 1 || second.is_some(),
        _ if text.contains(['\n', '<', '>', '|']) => false,
        _ => text.split('/').any(|part| {
            part == ".."
                || part.starts_with('.')
                    && part.len() > 2
                    && !part.starts_with("..")
                    && !part.contains(' ')
        }),
    }
}
