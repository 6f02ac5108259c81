//! `python`, and the modules that it runs.

use super::super::super::code::Language;
use super::super::super::effect::{Access, CodeFrom, Effect, Payload};
use super::super::super::invocation::Argument;
use super::super::super::model::Parsed;
use super::super::super::value::{Origin, Value};
use super::super::Unwrapping;
use super::super::switches::{self, Letters};

static PYTHON: Letters = Letters {
    flags: "bBdEhiIOPqRsStuvVx?3",
    values: "WXQ",
    attached: "",
    digits: "",
    last: "cm",
    long_flags: &[
        "--help",
        "--version",
        "--help-env",
        "--help-xoptions",
        "--help-all",
        "--no-banner",
    ],
    long_values: &["--check-hash-based-pycs"],
    any_long: false,
};

pub(super) fn python(unwrapping: &mut Unwrapping<'_, '_>, parsed: &Parsed<'_>) {
    if unwrapping.name.ends_with("-config") {
        return;
    }
    let switches = switches::read(&parsed.operands, &PYTHON);
    unwrapping.told(&switches);
    if ["--help", "--version", "h", "V", "?"].iter().any(|option| switches.has(option)) {
        return;
    }
    let code = switches.values(&["c"]).next().cloned();
    let module = switches.values(&["m"]).next().cloned();
    match (code, module) {
        (Some(code), _) => unwrapping.code(Language::Python, &code.value, &switches.rest),
        (_, Some(module)) => python_module(unwrapping, &module, &switches.rest),
        _ if switches.has("c") || switches.has("m") => {}
        _ => unwrapping.operands(Language::Python, &switches.rest),
    }
    unwrapping.done();
}

/// Modules that are the program of the same name.
const PROGRAMS: &[&str] = &[
    "pip",
    "pip3",
    "pytest",
    "mypy",
    "black",
    "ruff",
    "flake8",
    "isort",
    "pylint",
    "coverage",
    "tox",
    "nox",
    "build",
    "twine",
    "poetry",
    "pipenv",
    "uv",
    "virtualenv",
    "sphinx",
    "mkdocs",
    "pre_commit",
    "bandit",
    "pyright",
    "yapf",
    "autopep8",
    "pipx",
    "django",
    "flask",
    "uvicorn",
    "gunicorn",
    "celery",
    "alembic",
    "jupyter",
    "notebook",
    "ansible",
    "hatch",
    "pdm",
    "cython",
    "pydocstyle",
    "pyflakes",
    "pycodestyle",
    "nose",
    "nose2",
    "streamlit",
    "scrapy",
    "cookiecutter",
    "maturin",
    "piptools",
];

#[expect(clippy::too_many_lines, reason = "a table of modules, as a match")]
fn python_module(unwrapping: &mut Unwrapping<'_, '_>, module: &Argument, rest: &[Argument]) {
    let Some(name) = module.value.as_known() else {
        return unwrapping.dynamic("which module is run is not known".into());
    };
    let operands: Vec<Argument> =
        rest.iter().filter(|word| !word.value.prefix().starts_with('-')).cloned().collect();
    match name {
        "timeit" => {
            for code in &operands {
                unwrapping.code(Language::Python, &code.value, &[]);
            }
        }
        "pdb" | "cProfile" | "profile" | "trace" | "bdb" | "doctest" => {
            if let Some((file, rest)) = operands.split_first() {
                unwrapping.code_of_file(Language::Python, &file.value.clone(), rest);
            }
        }
        "http.server" | "SimpleHTTPServer" | "smtpd" | "pydoc"
            if name != "pydoc" || rest.len() > 1 =>
        {
            let port = operands
                .first()
                .and_then(|port| port.value.as_known())
                .and_then(|port| port.parse().ok());
            unwrapping.effect(Effect::Listen { port: port.or(Some(8000)) });
        }
        "json.tool" | "tokenize" | "ast" | "dis" | "tabnanny" | "pickletools" | "mimetypes"
        | "pyclbr" | "symtable" | "base64" | "quopri" | "uu" | "inspect" => {
            if let Some(file) = operands.first() {
                unwrapping.reads(Access::Read, std::slice::from_ref(file));
            }
            if let Some(file) = operands.get(1).filter(|_| name == "json.tool") {
                unwrapping.reads(Access::Write, std::slice::from_ref(file));
            }
        }
        "venv" => unwrapping.reads(Access::Write, &operands),
        "py_compile" | "compileall" => unwrapping.reads(Access::Read, &operands),
        "zipfile" | "tarfile" | "gzip" | "zipapp" | "sqlite3" => {
            unwrapping.reads(Access::Write, &operands)
        }
        "ensurepip" => unwrapping.effect(Effect::Package {
            manager: "pip".into(),
            source: Value::known("pip"),
            installs: true,
        }),
        "site" | "sysconfig" | "platform" | "calendar" | "this" | "pydoc" | "locale"
        | "zoneinfo" | "encodings" | "keyword" | "random" | "antigravity" | "test.support" => {}
        "webbrowser" | "ftplib" | "telnetlib" | "poplib" | "imaplib" => {
            let host =
                operands.first().map_or(Value::Unknown(Origin::Other), |word| word.value.clone());
            let sends = Payload::None;
            unwrapping.effect(Effect::Network { host, port: None, fetches: true, sends });
        }
        "code" | "asyncio" | "idlelib" | "IPython" => {
            unwrapping.code_of_stdin(Language::Python, &[])
        }
        _ if PROGRAMS.contains(&name.split('.').next().unwrap_or_default()) => {
            let program = name.split('.').next().unwrap_or_default().replace('_', "-");
            let program = if program == "pip3" { "pip".to_owned() } else { program };
            let words: Vec<Argument> = std::iter::once(unwrapping.word(Value::known(program)))
                .chain(rest.iter().cloned())
                .collect();
            unwrapping.run(&words);
        }
        "unittest" => {
            unwrapping.effect(Effect::Code { from: CodeFrom::Project("python -m unittest".into()) })
        }
        _ => {
            unwrapping.effect(Effect::Code { from: CodeFrom::Project(format!("python -m {name}")) })
        }
    }
}
