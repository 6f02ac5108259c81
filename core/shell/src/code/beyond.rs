//! Functions of which nothing is known: what they are given tells what they may do. A path beyond
//! the workspace is read and perhaps written, an address is reached, and a text that goes to a
//! module that nobody knows, or to a function with the name of one that runs texts, may be run.

mod pure;

use super::super::effect::{Access, Effect, Payload};
use super::super::value::Value;
use super::address::host_of;
use super::reader::{Reader, Target};
use super::thing::{From, Thing};
use super::{Act, Language};
use pure::{MODULES, NAMES};

/// The most things in each other that are looked through.
const DEEPEST: usize = 4;

/// The longest text that a system takes for a path.
const LONGEST: usize = 4096;

/// Folders at the top of a disk. A text that begins with one of them is a path, whoever gets it.
const TOPS: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "Volumes",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "media",
    "mnt",
    "opt",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "tmp",
    "usr",
    "var",
];

/// Names of functions that run what they are given, in Python, where a method is seldom called so
/// for anything else.
const RUNNING: &[&str] = &[
    "run",
    "runctx",
    "runeval",
    "spawn",
    "main",
    "eval",
    "exec",
    "system",
    "execute",
    "call",
    "check_call",
    "check_output",
    "getoutput",
    "popen",
    "Popen",
    "shell",
    "sudo",
    "bash",
    "run_command",
    "exec_command",
    "subprocess_shell",
    "subprocess_exec",
    "load",
    "loads",
    "load_all",
];

/// The same in the other languages, where `exec` and `call` are methods of patterns and functions.
const SPAWNING: &[&str] =
    &["spawn", "system", "popen", "shell", "execFile", "execFileSync", "spawnSync", "execSync"];

/// Functions with such a name that run nothing.
const READING: &[&str] = &[
    "json.",
    "simplejson.",
    "orjson.",
    "ujson.",
    "tomllib.",
    "tomli.",
    "toml.",
    "plistlib.",
    "asyncio.run",
    "unittest.main",
    "numpy.load",
    "html.",
];

/// Words by which a database opens another file or a library.
const OPENING: &[&str] = &["attach", "load_extension", "vacuum into", "writefile", "readfile"];

/// Functions of modules that are private by their name, and still of use.
const USUAL: &[&str] = &["os._exit", "sys._getframe", "ssl._create_unverified_context"];

impl Reader<'_> {
    /// Tells what a function may do that is in no table.
    pub(super) fn unmodelled(&mut self, path: &str, given: &[Thing], named: &[(String, Thing)]) {
        let name = path.rsplit_once('.').map_or(path, |(_, name)| name);
        if self.functions.contains_key(name) || path.starts_with("environment") {
            return;
        }
        let all = || given.iter().chain(named.iter().map(|(_, thing)| thing));
        let carries = all().any(|thing| carries(thing, DEEPEST));
        if carries && self.is_foreign(path) {
            self.dynamic(format!("what `{path}` does, of a module that is not known, is not told"));
        } else if self.is_private(path) {
            self.dynamic(format!("what `{path}` does is not documented"));
        } else if carries && self.runs_texts(path, name) && !is_safe_loader(path, named) {
            self.dynamic(format!("`{path}` may run what it is given"));
        }
        if opens_database(name, given) {
            self.dynamic(format!("what `{path}` opens besides is not told"));
        }
        if is_pure_name(name) || self.is_pure(path) {
            return;
        }
        let is_method = path.starts_with("*.") || path.contains('(');
        for thing in all() {
            self.reaches_out(path, thing, is_method, DEEPEST);
        }
    }

    /// Some modules run programs by what stands in brackets behind a name.
    pub(super) fn keyed(&mut self, thing: &Thing, key: &Thing) {
        if let Thing::Path(path, _) = thing
            && self.is_foreign(path)
            && carries(key, DEEPEST)
        {
            self.dynamic(format!("what `{path}` does, of a module that is not known, is not told"));
        }
    }

    /// True for a function of a module that is neither of the language nor well known.
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

    /// True for what a module of Python keeps to itself.
    fn is_private(&self, path: &str) -> bool {
        let mut parts = path.split('.');
        let first = parts.next().unwrap_or_default();
        self.language == Language::Python
            && !path.contains('(')
            && self.tables.modules.contains(&first)
            && !USUAL.contains(&path)
            && parts.any(|part| part.starts_with('_') && !part.starts_with("__"))
    }

    fn runs_texts(&self, path: &str, name: &str) -> bool {
        let running = if self.language == Language::Python { RUNNING } else { SPAWNING };
        let is_known = self.language == Language::Python
            && (path.starts_with("sqlite3.")
                || READING.iter().any(|start| path.starts_with(start)));
        path.contains('.') && running.contains(&name) && !is_known
    }

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

    /// Tells of the paths and addresses that a thing holds.
    fn reaches_out(&mut self, by: &str, thing: &Thing, is_method: bool, depth: usize) {
        match thing {
            Thing::Text(Value::OneOf(texts)) => {
                for text in texts.clone() {
                    self.reaches(by, Value::Known(text), is_method);
                }
            }
            Thing::Text(value) => self.reaches(by, value.clone(), is_method),
            Thing::List(all) if depth > 0 => {
                for thing in all {
                    self.reaches_out(by, thing, is_method, depth - 1);
                }
            }
            Thing::Map(all) if depth > 0 => {
                for (_, thing) in all {
                    self.reaches_out(by, thing, is_method, depth - 1);
                }
            }
            Thing::Path(..) if !matches!(thing.value(), Value::Unknown(_)) => {
                self.reaches(by, thing.value(), is_method);
            }
            _ => {}
        }
    }

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

    fn in_home(&self, value: Value) -> Value {
        match value.prefix().strip_prefix('~') {
            Some(rest) if rest.is_empty() || rest.starts_with('/') => {
                value.map(|text| format!("{}{}", self.home, text.get(1..).unwrap_or_default()))
            }
            _ => value,
        }
    }

    /// Modules are looked for in the folders that a thing names.
    pub(super) fn library(&mut self, thing: &Thing) {
        for folder in thing.elements() {
            match &folder {
                Thing::Text(value) => {
                    let path = self.in_home(value.clone());
                    self.act(Act::file(Access::Execute, path));
                }
                Thing::Path(path, _) if LIBRARIES.contains(&path.as_str()) => {}
                Thing::Number(_) => {}
                Thing::Path(..) => self.act(Act::file(Access::Execute, folder.value())),
                _ => self.dynamic("where modules are looked for is not known"),
            }
        }
    }

    /// Tells of what is put where modules, or files to read, are looked for.
    pub(super) fn put_into(&mut self, thing: &Thing, target: &Target, value: &Thing) {
        match (thing, target) {
            (_, Target::Name(name)) if name == "@INC" => self.library(value),
            (_, Target::Name(name)) if name == "@ARGV" => self.operands(value),
            (Thing::Path(path, _), _) if LIBRARIES.contains(&path.as_str()) => {
                self.library(value);
            }
            (Thing::Path(path, _), _)
                if (path == "package.path" || path == "package.cpath")
                    && is_beyond(value.value().prefix(), false) =>
            {
                self.dynamic("modules are looked for beyond the workspace");
            }
            _ => {}
        }
    }

    /// What Perl opens by itself: the names of files, or of commands that end with `|`.
    pub(super) fn operands(&mut self, all: &Thing) {
        for name in all.elements() {
            let Some(text) = name.text().map(|text| text.trim().to_owned()) else {
                self.dynamic("which files are opened is not known");
                continue;
            };
            if let Some(command) = text.strip_suffix('|').or_else(|| text.strip_prefix('|')) {
                self.shell(&Thing::known(command));
            } else if let Some(path) = text.strip_prefix('>') {
                self.file(Access::Write, &Thing::known(path.trim_start_matches('>').trim()));
            } else {
                self.file(Access::Read, &Thing::known(text.trim_start_matches('<').trim()));
            }
        }
    }
}

/// Lists of folders in which modules are looked for.
pub(super) const LIBRARIES: &[&str] = &["sys.path", "LOAD_PATH", "module.paths", "@INC"];

fn is_pure_name(name: &str) -> bool {
    NAMES.binary_search(&name).is_ok()
        || ["Error", "Exception", "Warning"].iter().any(|end| name.ends_with(end))
}

/// PHP has no modules: functions of texts and lists are told by how they begin.
fn is_pure_of_php(path: &str) -> bool {
    ["str", "array_", "preg_", "ctype_", "is_", "json_", "mb_str", "mb_sub", "var_", "url"]
        .iter()
        .any(|start| path.starts_with(start))
}

/// True for `yaml.load(…, Loader=yaml.SafeLoader)` and the like, and for what is no loader.
fn is_safe_loader(path: &str, named: &[(String, Thing)]) -> bool {
    let loader = named.iter().find(|(name, _)| name == "Loader").map(|(_, thing)| thing);
    path.starts_with("yaml.")
        && matches!(loader, Some(Thing::Path(loader, _))
            if ["SafeLoader", "CSafeLoader", "BaseLoader", "CBaseLoader"]
                .iter()
                .any(|safe| loader.ends_with(&format!(".{safe}")) || loader == safe))
}

fn opens_database(name: &str, given: &[Thing]) -> bool {
    let asks = [
        "execute",
        "executescript",
        "executemany",
        "exec",
        "query",
        "prepare",
        "run",
        "all",
        "get",
        "do",
    ];
    let opens = |thing: &Thing| {
        let text = thing.value().prefix().to_ascii_lowercase();
        OPENING.iter().any(|word| text.contains(word))
    };
    asks.contains(&name) && given.iter().any(opens)
}

/// True for what may hold a text: a number does not, nor a function.
fn carries(thing: &Thing, depth: usize) -> bool {
    match thing {
        Thing::Number(_) => false,
        Thing::Text(_) => true,
        _ if depth == 0 => true,
        Thing::List(all) => all.iter().any(|thing| carries(thing, depth - 1)),
        Thing::Map(all) => all.iter().any(|(_, thing)| carries(thing, depth - 1)),
        Thing::Path(path, made) => {
            path.contains("stdin") || made.iter().any(|thing| carries(thing, depth - 1))
        }
        Thing::Unknown(from) => *from != From::Other || depth == DEEPEST,
    }
}

/// True for the beginning of a path that may lead out of the workspace, or to what is hidden in it.
/// What a method gets may be anything, and counts only where it names a folder that disks have.
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
        ("", Some(top)) => TOPS.contains(&top) || !is_method && !top.is_empty(),
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
