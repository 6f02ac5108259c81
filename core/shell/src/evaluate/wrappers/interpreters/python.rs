//! `python`: its options, and the modules that `-m` runs.
//!
//! A module is a program of its own: `python -m http.server` listens, `python -m pip` is `pip`,
//! `python -m timeit` runs its operands as code.

use super::super::WrapperCall;
use super::super::switches::{self, Letters};
use crate::code::Language;
use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::invocation::Argument;
use crate::model::Parsed;
use crate::value::{Origin, Value};

/// The options of `python`.
static PYTHON: Letters = Letters {
    flags: "bBdEhiIOPqRsStuvVx?3",
    values: "WXQ",
    attached: "",
    digits: "",
    last: "cm",
    long_flags: &[
        "--help", "--version", "--help-env", "--help-xoptions", "--help-all", "--no-banner",
    ],
    long_values: &["--check-hash-based-pycs"],
    any_long: false,
};

/// Evaluates what `python` runs.
pub(super) fn python(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if wrapper.name.ends_with("-config") {
        return;
    }
    let switches = switches::read(&parsed.operands, &PYTHON);
    wrapper.report_switches(&switches);
    if ["--help", "--version", "h", "V", "?"].iter().any(|option| switches.has(option)) {
        return;
    }
    let settings: Vec<Argument> = switches.values(&["X"]).cloned().collect();
    settings.iter().for_each(|setting| setting_of_python(wrapper, setting));
    let code = switches.values(&["c"]).next().cloned();
    let module = switches.values(&["m"]).next().cloned();
    match (code, module) {
        (Some(code), _) => wrapper.code(Language::Python, &code.value, &switches.rest),
        (_, Some(module)) => python_module(wrapper, &module, &switches.rest),
        _ if switches.has("c") || switches.has("m") => {}
        _ => wrapper.operands(Language::Python, &switches.rest),
    }
    wrapper.done();
}

/// What `-X` sets. One that is not known may load a module.
const SETTINGS: &[&str] = &[
    "context_aware_warnings", "cpu_count", "dev", "disable_remote_debug", "faulthandler",
    "frozen_modules", "gil", "importtime", "int_max_str_digits", "lazy_imports", "no_debug_ranges",
    "perf", "perf_jit", "showrefcount", "thread_inherit_context", "tracemalloc", "utf8",
    "warn_default_encoding",
];

/// Records what `-X` sets.
fn setting_of_python(wrapper: &mut WrapperCall<'_, '_>, setting: &Argument) {
    let text = setting.value.prefix().to_owned();
    let (name, value) = text.split_once('=').unwrap_or((&text, ""));
    match name {
        "pycache_prefix" if setting.value.as_known().is_some() => {
            wrapper.file_effect(Access::Write, &Value::known(value), false, false);
        }
        name if SETTINGS.contains(&name) => {}
        name => wrapper.dynamic(format!("what `-X {name}` sets is not known")),
    }
}

/// Options of modules that run a script: those that take a value, and those of them that name a
/// file that is written. All else that begins with a dash stands alone.
const RUNNERS: &[(&str, &[&str], &[&str])] = &[
    ("pdb", &[], &[]),
    ("bdb", &[], &[]),
    ("cProfile", &["-o", "--outfile", "-s", "--sort"], &["-o", "--outfile"]),
    ("profile", &["-o", "--outfile", "-s", "--sort"], &["-o", "--outfile"]),
    (
        "trace",
        &["-f", "--file", "-C", "--coverdir", "--ignore-module", "--ignore-dir"],
        &["-f", "--file", "-C", "--coverdir"],
    ),
    ("doctest", &["-o", "--option"], &[]),
    ("timeit", &["-n", "--number", "-r", "--repeat", "-u", "--unit"], &[]),
    ("json.tool", &["--indent"], &[]),
    (
        "pickletools",
        &["-o", "--output", "-l", "--indentlevel", "-p", "--preamble"],
        &["-o", "--output"],
    ),
    ("unittest", &["-k", "-p", "--pattern", "--durations"], &[]),
    ("pydoc", &["-n", "-p", "-k"], &[]),
];

/// The words of a module behind its options. What its options write and run is recorded.
#[expect(clippy::too_many_lines, reason = "one match arm per module")]
fn operands(wrapper: &mut WrapperCall<'_, '_>, name: &str, rest: &[Argument]) -> Vec<Argument> {
    let row = RUNNERS.iter().find(|(module, ..)| *module == name);
    let (takes, writes) = row.map_or((&[][..], &[][..]), |(_, takes, writes)| (*takes, *writes));
    let runs = matches!(name, "pdb" | "cProfile" | "profile" | "trace" | "bdb");
    let mut words = rest.iter();
    let mut found = Vec::new();
    while let Some(word) = words.next() {
        let text = word.value.prefix().to_owned();
        if !text.starts_with('-') || text == "-" {
            found.push(word.clone());
            // Behind the script stand its own options.
            if runs {
                break;
            }
            continue;
        }
        if text == "--" {
            found.extend(words.by_ref().cloned());
            break;
        }
        let (option, attached) = match text.split_once('=') {
            Some((option, value)) if option.starts_with("--") => (option, Some(value)),
            _ if !text.starts_with("--") && text.len() > 2 && text.is_char_boundary(2) => {
                let (option, value) = text.split_at(2);
                (option, takes.contains(&option).then_some(value))
            }
            _ => (text.as_str(), None),
        };
        let option = unabbreviated(option, takes);
        let is_known = takes.contains(&option) || matches!(option, "-s" | "-m" | "-c");
        if row.is_some() && !is_known && joins_others(&text) {
            wrapper.dynamic(format!("options of `{name}` are joined"));
            continue;
        }
        match (name, option) {
            ("pdb", "-c" | "--command") => {
                wrapper.dynamic("commands of a debugger are run".into());
                words.next();
            }
            ("pdb" | "cProfile" | "profile" | "trace", "-m" | "--module") => {
                let module = words.next().cloned();
                let rest: Vec<Argument> = words.cloned().collect();
                match module.filter(|_| text == option) {
                    Some(module) => python_module(wrapper, &module, &rest),
                    None => wrapper.dynamic("which module is run is not known".into()),
                }
                return Vec::new();
            }
            ("timeit", "-s" | "--setup") => {
                let code = match attached
                    .or_else(|| text.strip_prefix("-s").filter(|code| !code.is_empty()))
                {
                    Some(code) => Some(Value::known(code)),
                    None => words.next().map(|code| code.value.clone()),
                };
                if let Some(code) = code {
                    wrapper.code(Language::Python, &code, &[]);
                }
            }
            (_, option) if takes.contains(&option) => {
                let value = match attached {
                    Some(value) => Some(wrapper.word(Value::known(value))),
                    None => words.next().cloned(),
                };
                if writes.contains(&option) {
                    wrapper.reads(Access::Write, value.as_slice());
                }
            }
            _ => {}
        }
    }
    if runs {
        found.extend(words.cloned());
    }
    found
}

/// A long option as it is written out, of which the beginning is enough.
fn unabbreviated<'o>(option: &'o str, takes: &[&'o str]) -> &'o str {
    let more = ["--command", "--module", "--setup"];
    let begins = |whole: &&&str| option.len() > 2 && whole.starts_with(option);
    let is_long = option.starts_with("--");
    let whole = takes.iter().chain(&more).filter(|_| is_long).find(begins);
    whole.copied().unwrap_or(option)
}

/// True for letters behind one dash, among which one may take a value, or code.
fn joins_others(text: &str) -> bool {
    let letters = text.strip_prefix('-').filter(|letters| !letters.starts_with('-'));
    letters
        .and_then(|letters| letters.get(1..))
        .is_some_and(|rest| rest.contains(['s', 'm', 'c', 'o']))
}

/// What is given to a module of which nothing is known, by its words.
fn given_to_module(wrapper: &mut WrapperCall<'_, '_>, name: &str, rest: &[Argument]) {
    for word in rest {
        let text = word.value.prefix();
        let value = match text.split_once('=') {
            Some((option, _)) if option.starts_with('-') => {
                let from = option.len() + 1;
                word.value.map(|text| text.get(from..).unwrap_or_default().to_owned())
            }
            _ => word.value.clone(),
        };
        let text = value.prefix();
        if text.contains("://") {
            let host = Value::Unknown(Origin::Other);
            let sends = Payload::None;
            wrapper.effect(Effect::Network { host, port: None, fetches: true, sends });
        } else if text.starts_with(['/', '~', '.']) || text.contains("/.") {
            wrapper.perhaps_file(&value, &format!("python -m {name}"));
        }
    }
}

/// Imports what a word names: a file, or a module.
fn imports(wrapper: &mut WrapperCall<'_, '_>, word: &Argument) {
    let text = word.value.prefix();
    if text.contains('/') || text.ends_with(".py") {
        wrapper.code_of_file(Language::Python, &word.value.clone(), &[]);
    } else {
        let from = CodeFrom::Project(format!("the module {text}"));
        wrapper.effect(Effect::Code { from });
    }
}

/// Modules that are the program of the same name.
const PROGRAMS: &[&str] = &[
    "pip", "pip3", "pytest", "mypy", "black", "ruff", "flake8", "isort", "pylint", "coverage",
    "tox", "nox", "build", "twine", "poetry", "pipenv", "uv", "virtualenv", "sphinx", "mkdocs",
    "pre_commit", "bandit", "pyright", "yapf", "autopep8", "pipx", "django", "flask", "uvicorn",
    "gunicorn", "celery", "alembic", "jupyter", "notebook", "ansible", "hatch", "pdm", "cython",
    "pydocstyle", "pyflakes", "pycodestyle", "nose", "nose2", "streamlit", "scrapy",
    "cookiecutter", "maturin", "piptools",
];

/// Evaluates the module that `-m` names.
#[expect(clippy::too_many_lines, reason = "a table of modules, as a match")]
fn python_module(wrapper: &mut WrapperCall<'_, '_>, module: &Argument, rest: &[Argument]) {
    let Some(name) = module.value.as_known() else {
        return wrapper.dynamic("which module is run is not known".into());
    };
    let operands = operands(wrapper, name, rest);
    match name {
        "timeit" => {
            for code in &operands {
                wrapper.code(Language::Python, &code.value, &[]);
            }
        }
        "pdb" | "cProfile" | "profile" | "trace" | "bdb" => {
            if let Some((file, rest)) = operands.split_first() {
                wrapper.code_of_file(Language::Python, &file.value.clone(), rest);
            }
        }
        "doctest" | "inspect" => operands.iter().for_each(|word| imports(wrapper, word)),
        "pydoc" => {
            let serves = |word: &Argument| {
                ["-p", "-n", "-b"].iter().any(|option| word.value.prefix().starts_with(option))
            };
            if rest.iter().any(serves) {
                wrapper.effect(Effect::Listen { port: Some(8000) });
            }
            operands.iter().for_each(|word| imports(wrapper, word));
        }
        "pickle" | "cPickle" | "runpy" | "idlelib" if !rest.is_empty() => {
            wrapper.dynamic(format!("`python -m {name}` runs what it is given"));
        }
        "imaplib" if rest.iter().any(|word| word.value.prefix().starts_with("-s")) => {
            wrapper.dynamic("it runs a command for its connection".into());
        }
        "sqlite3" => {
            wrapper.reads(Access::Write, operands.get(..1).unwrap_or_default());
            let opens = ["attach", "load_extension", "vacuum into"];
            let text = |word: &Argument| word.value.prefix().to_ascii_lowercase();
            let is_known = |word: &Argument| {
                word.value.as_known().is_some()
                    && !opens.iter().any(|word_of| text(word).contains(word_of))
            };
            if !operands.iter().skip(1).all(is_known) {
                wrapper.dynamic("what the database opens besides is not told".into());
            }
        }
        "http.server" | "SimpleHTTPServer" | "smtpd" => {
            let port = operands
                .first()
                .and_then(|port| port.value.as_known())
                .and_then(|port| port.parse().ok());
            wrapper.effect(Effect::Listen { port: port.or(Some(8000)) });
        }
        "json.tool" | "tokenize" | "ast" | "dis" | "tabnanny" | "pickletools" | "mimetypes"
        | "pyclbr" | "symtable" | "base64" | "quopri" | "uu" => {
            if let Some(file) = operands.first() {
                wrapper.reads(Access::Read, std::slice::from_ref(file));
            }
            if let Some(file) = operands.get(1).filter(|_| matches!(name, "json.tool" | "uu")) {
                wrapper.reads(Access::Write, std::slice::from_ref(file));
            }
        }
        "venv" => wrapper.reads(Access::Write, &operands),
        "py_compile" | "compileall" => wrapper.reads(Access::Write, &operands),
        "zipfile" | "tarfile" | "gzip" | "zipapp" => wrapper.reads(Access::Write, &operands),
        "ensurepip" => wrapper.effect(Effect::Package {
            manager: "pip".into(),
            source: Value::known("pip"),
            installs: true,
        }),
        "site" | "sysconfig" | "platform" | "calendar" | "this" | "locale" | "zoneinfo"
        | "encodings" | "keyword" | "random" | "antigravity" | "test.support" => {}
        "webbrowser" | "ftplib" | "telnetlib" | "poplib" | "imaplib" => {
            let host =
                operands.first().map_or(Value::Unknown(Origin::Other), |word| word.value.clone());
            let sends = Payload::None;
            wrapper.effect(Effect::Network { host, port: None, fetches: true, sends });
        }
        "IPython" if !rest.is_empty() => {
            wrapper.dynamic("`python -m IPython` runs what it is given".into());
        }
        "code" | "asyncio" | "idlelib" | "IPython" => wrapper.code_of_stdin(Language::Python, &[]),
        _ if PROGRAMS.contains(&name.split('.').next().unwrap_or_default()) => {
            let program = name.split('.').next().unwrap_or_default().replace('_', "-");
            let program = if program == "pip3" { "pip".to_owned() } else { program };
            let words: Vec<Argument> = std::iter::once(wrapper.word(Value::known(program)))
                .chain(rest.iter().cloned())
                .collect();
            wrapper.run(&words);
        }
        "unittest" => {
            wrapper.effect(Effect::Code { from: CodeFrom::Project("python -m unittest".into()) });
            for word in operands.iter().filter(|word| word.value.prefix().contains('/')) {
                wrapper.reads(Access::Execute, std::slice::from_ref(word));
            }
        }
        _ => {
            wrapper.effect(Effect::Code { from: CodeFrom::Project(format!("python -m {name}")) });
            given_to_module(wrapper, name, rest);
        }
    }
}
