//! Models of programs: what each program does with its arguments, in tables by area.
//!
//! A program is known if it stands in one of these tables; otherwise, unless it is a wrapper, its
//! call is "not understood", which asks. A [`Model`] has a function for its effects, a [`Tool`] is
//! data alone (`perform` reads it).
//!
//! [`effects_of`] runs the models of all invocations. [`inner`] says what a program runs besides
//! itself by its table, so that the evaluation can look into it. A table holds examples with the
//! effects that they must have, and a test runs all of them.
//!
//! To add a program: put it into the table of its area with the options from its help text, and
//! give examples of ordinary work and of harm.

pub(super) mod address;
mod administration;
mod archives;
mod binaries;
mod control;
mod desktop;
mod documents;
mod editors;
mod files;
mod filters;
mod kinds;
mod looking;
mod machine;
mod modes;
mod multiplexers;
mod names;
mod perform;
mod remote;
mod search;
mod sockets;
mod text;
mod tools;
mod web;
mod zip;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::effect::{Access, CodeFrom, Effect, Found, Scope};
use crate::env::Env;
use crate::grammar;
use crate::invocation::{Argument, Invocation, Stdin, program_name};
use crate::model::tool::Tool;
use crate::model::{Model, Parsed, Report, Role};
use crate::names::is_wrapper;
use crate::place;
use crate::value::Value;

/// The tables of models.
const TABLES: &[&[Model]] = &[
    archives::TABLE,
    binaries::TABLE,
    web::TABLE,
    filters::TABLE,
    files::TABLE,
    looking::TABLE,
    machine::TABLE,
    administration::TABLE,
    desktop::TABLE,
    documents::TABLE,
    documents::data::TABLE,
    documents::pages::TABLE,
    documents::pictures::TABLE,
    documents::sound::TABLE,
    editors::TABLE,
    control::TABLE,
    names::TABLE,
    remote::TABLE,
    sockets::TABLE,
    modes::TABLE,
    multiplexers::TABLE,
    search::TABLE,
    text::TABLE,
];

/// Programs with commands, as data.
const TOOLS: &[&[Tool]] = tools::TABLES;

/// What is known of a program.
#[derive(Clone, Copy)]
enum Known {
    /// A program with a function for its effects.
    Model(&'static Model),
    /// A program that is data alone.
    Tool(&'static Tool),
}

impl Known {
    /// Reads the arguments of a call of this program.
    fn parse<'a>(&self, invocation: &'a Invocation) -> Parsed<'a> {
        match *self {
            Known::Model(model) => grammar::parse(invocation, model.grammar),
            Known::Tool(tool) => grammar::parse_tool(invocation, tool),
        }
    }

    /// True if an option of the program names a command that is run.
    fn runs_commands(&self) -> bool {
        match self {
            Known::Model(model) => model.grammar.runs_commands(),
            Known::Tool(tool) => tool.command.runs_commands(),
        }
    }
}

/// Programs by their names, and whether an option of theirs names a command that is run.
static BY_NAME: LazyLock<HashMap<&'static str, (Known, bool)>> = LazyLock::new(|| {
    let models = TABLES.iter().copied().flatten();
    let models =
        models.flat_map(|model| model.each_name().map(move |name| (name, Known::Model(model))));
    let tools = TOOLS.iter().copied().flatten();
    let tools =
        tools.flat_map(|tool| tool.command.names.split(' ').map(|name| (name, Known::Tool(tool))));
    let all = models.chain(tools);
    all.map(|(name, known)| (name, (known, known.runs_commands()))).collect()
});

/// Builds the table of programs.
pub(crate) fn prepare() {
    LazyLock::force(&BY_NAME);
}

/// True for a name that projects give to scripts of their own, though a system has a program of it.
#[must_use]
pub fn is_everyday(name: &str) -> bool {
    /// Names that projects give to scripts of their own.
    const NAMES: &[&str] = &[
        "start", "stop", "restart", "reload", "status", "run", "test", "install", "build",
        "deploy", "setup", "configure", "clean", "watch", "check", "format", "lint", "release",
        "update", "script", "service", "init", "server", "app", "main", "monitor", "backup",
        "bench", "dev", "serve", "sync", "migrate", "bootstrap", "compile", "publish", "upgrade",
        "generate", "console", "shell",
    ];
    NAMES.contains(&name)
}

/// Wrappers that do more than run another program, or that need not run one.
const WRAPPERS_WITH_EFFECTS: &[&str] = &[
    "docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc",
    "k3s-kubectl", "ssh", "autossh", "mosh", "slogin", "sshpass-ssh", "lxc-attach", "machinectl",
    "vagrant", "lxc", "incus", "multipass", "wsl", "distrobox", "toolbox", "tmux", "screen",
    "expect", "systemd-run", "bwrap", "bubblewrap", "firejail", "sandbox-exec",
    "start-stop-daemon", "perf", "envdir",
];

/// True if it is known what a program of this name, without a folder, does.
#[must_use]
pub fn is_known(name: &str) -> bool {
    BY_NAME.contains_key(name)
}

/// The arguments of an invocation as its program reads them, if that is known.
#[must_use]
pub fn parse(invocation: &Invocation) -> Option<Parsed<'_>> {
    let name = invocation.name()?;
    Some(BY_NAME.get(name)?.0.parse(invocation))
}

/// What all invocations do, as far as their programs have models, and which have none.
#[must_use]
pub fn effects_of(invocations: &[Invocation], env: &Env) -> Vec<Found> {
    let mut found = Vec::new();
    for (number, invocation) in invocations.iter().enumerate() {
        let Some(program) = invocation.program.value.as_known() else { continue };
        if invocation.builtin {
            continue;
        }
        let mut report = Report { env, invocation, cwd: invocation.cwd.clone(), found: Vec::new() };
        let name = program_name(program);
        let is_local = !place::is_trusted(program, &invocation.cwd, env);
        if is_local && is_everyday(name) {
            continue;
        }
        match BY_NAME.get(name) {
            Some((known, _)) => {
                let parsed = known.parse(invocation);
                // With nothing but this a program shows a text and ends.
                let only = invocation.arguments.len() == 1;
                if only && (parsed.has("--help") || parsed.has("--version")) {
                    continue;
                }
                match known {
                    Known::Model(model) => (model.effects)(&mut report, &parsed),
                    Known::Tool(tool) => perform::report_effects(&mut report, &parsed, tool),
                }
                report_named_options(&mut report, &parsed);
                report_unknown_words(&mut report, &parsed, invocations);
            }
            // The evaluation reported a program of the project as a file that is run.
            None if is_local => {}
            None if is_wrapper(name) && !WRAPPERS_WITH_EFFECTS.contains(&name) => {}
            None => report.not_understood("what this program does is not known"),
        }
        found.extend(report.found.into_iter().map(|(effect, certainty, span)| Found {
            effect,
            certainty,
            by: Some(number),
            program: program.to_owned(),
            span,
        }));
    }
    found
}

/// The places of secrets that code of the project, or of a file, is given: it may read them.
#[must_use]
pub fn secrets_given_to_code(invocations: &[Invocation], found: &[Found], env: &Env) -> Vec<Found> {
    let mut given = Vec::new();
    for (number, invocation) in invocations.iter().enumerate() {
        let own = || found.iter().filter(|found| found.by == Some(number));
        let is_code = |found: &&Found| {
            matches!(&found.effect, Effect::Code { from: CodeFrom::File | CodeFrom::Project(_) })
        };
        let Some(code) = own().find(is_code) else { continue };
        let cwd = invocation.cwd.clone();
        let report = Report { env, invocation, cwd, found: Vec::new() };
        for word in &invocation.arguments {
            let Some(path) = perform::path_in(&word.value) else { continue };
            let effect = report.file_effect(Access::Read, &path, false, false);
            let Effect::File(file) = &effect else { continue };
            let is_reported = own().any(
                |found| matches!(&found.effect, Effect::File(other) if other.path == file.path),
            );
            // What lies in the workspace it can read anyway.
            let within = file
                .path
                .as_known()
                .is_some_and(|path| env.workspace.iter().any(|root| place::is_within(path, root)));
            let is_closed = file.scope == Scope::Denied || file.scope == Scope::Secret && !within;
            if is_closed && !is_reported {
                given.push(Found { effect, span: word.span.clone(), ..code.clone() });
            }
        }
    }
    given
}

/// Programs of which no option does more than print, so that a word may be one.
const ONLY_PRINT: &[&str] = &[
    "basename", "cat", "cmp", "comm", "cut", "dirname", "du", "echo", "expand", "expr", "false",
    "fmt", "fold", "grep", "egrep", "fgrep", "head", "id", "join", "ls", "md5sum", "nl", "nproc",
    "od", "paste", "printf", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum",
    "sha512sum", "sleep", "stat", "tac", "tail", "test", "[", "tr", "true", "uname", "wc",
    "whoami",
];

/// Reports arguments that are not known.
fn report_unknown_words(report: &mut Report<'_>, parsed: &Parsed<'_>, invocations: &[Invocation]) {
    let counts = !ONLY_PRINT.contains(&report.name());
    let mut perhaps = parsed.perhaps.iter().filter(|word| counts && !is_path(word, invocations));
    if let Some(word) = parsed.unknown.first().or_else(|| perhaps.next()) {
        report.not_understood(match word.value.as_known() {
            Some(option) => format!("its option `{option}` is not known"),
            None => "a word whose text is not known may be an option".to_owned(),
        });
    }
}

/// True for what `find` prints: each begins as the folder does that is searched, which is no option.
fn is_path(word: &Argument, invocations: &[Invocation]) -> bool {
    let outputs = word.value.outputs();
    !outputs.is_empty() && outputs.iter().all(|number| prints_paths(invocations, *number, 4))
}

/// True if an invocation prints paths and nothing else: `find`, or a filter of its output.
fn prints_paths(invocations: &[Invocation], number: usize, depth: usize) -> bool {
    let Some(call) = invocations.get(number).filter(|_| depth > 0) else { return false };
    match call.name() {
        Some("find" | "gfind" | "bfs") => {
            call.arguments.iter().all(|word| match word.value.as_known() {
                Some(text) => !["-exec", "-ok", "-printf", "-ls", "-fls"]
                    .iter()
                    .any(|name| text.starts_with(name)),
                None => false,
            })
        }
        Some("sort" | "uniq" | "head" | "tail" | "grep" | "egrep" | "fgrep" | "shuf" | "tac") => {
            match &call.stdin {
                Stdin::Pipe(numbers) => {
                    numbers.iter().all(|number| prints_paths(invocations, *number, depth - 1))
                }
                _ => false,
            }
        }
        _ => false,
    }
}

/// What options do with the files and the commands that they name.
fn report_named_options(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for (role, option, value) in &parsed.named {
        match role {
            Role::Plain | Role::Folder => {}
            Role::Reads => report.reads(value),
            Role::Writes => report.writes(value),
            Role::Runs => {
                let setting = format!("`{option}` of `{}`", report.name());
                let effect = Effect::Code { from: CodeFrom::Setting(setting) };
                report.at(effect, value.span.clone());
            }
        }
    }
}

/// Something that an invocation runs besides itself.
pub enum Inner {
    /// A text, as a shell would.
    Text(Value),
    /// Words, as a program and its arguments.
    Words(Vec<Argument>),
}

/// What an invocation runs by what its table says: the commands that its options name, and the
/// command that its operands are.
#[must_use]
pub fn inner(invocation: &Invocation) -> Vec<Inner> {
    let name = invocation.name();
    let Some((known, true)) = name.and_then(|name| BY_NAME.get(name)) else { return Vec::new() };
    let parsed = known.parse(invocation);
    let mut all = Vec::new();
    if let Some(command) = parsed.command {
        perform::inner(&parsed, command.actions, &mut all);
    }
    let commands = parsed.named.into_iter().filter(|(role, ..)| *role == Role::Runs);
    all.extend(commands.map(|(_, _, value)| Inner::Text(value.value)));
    all
}

/// True for effects that examples leave out: reads and lists of what is no secret.
#[cfg(test)]
fn is_plain_read(effect: &crate::effect::Effect) -> bool {
    let crate::effect::Effect::File(file) = effect else { return false };
    matches!(file.access, Access::Read | Access::List)
        && !matches!(file.scope, Scope::Secret | Scope::Denied | Scope::Kernel | Scope::Device)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::Model;
    use super::{TABLES, TOOLS, is_plain_read};
    use crate::{Env, analyse};

    /// All examples, with the effects that they must have.
    fn examples() -> Vec<(&'static str, Vec<&'static str>)> {
        let mut all = Vec::new();
        for model in TABLES.iter().copied().flatten() {
            assert!(!model.examples.is_empty(), "{:?} has no example", model.names);
            let examples = model.examples.iter();
            all.extend(examples.map(|example| (example.command, example.effects.to_vec())));
        }
        for tool in TOOLS.iter().copied().flatten() {
            assert!(!tool.examples.is_empty(), "{} has no example", tool.command.names);
            let examples = tool.examples.iter();
            all.extend(
                examples.map(|(command, effects)| {
                    (*command, effects.split_ascii_whitespace().collect())
                }),
            );
        }
        all
    }

    #[test]
    fn each_example_has_its_effects() {
        let mut wrong = Vec::new();
        for (command, mut wanted) in examples() {
            let analysis = analyse(command, &Env::default());
            assert!(analysis.problems.is_empty(), "{command}: {:?}", analysis.problems);
            let found = analysis.found.iter().filter(|found| !is_plain_read(&found.effect));
            // Effects that arise from several invocations are added after the models.
            let labels = found.map(|found| found.effect.label());
            let mut labels: Vec<String> =
                labels.filter(|label| !label.starts_with("leak:")).collect();
            labels.sort();
            labels.dedup();
            wanted.sort_unstable();
            if labels != wanted {
                wrong.push(format!("{command}\n  has  {labels:?}\n  want {wanted:?}"));
            }
        }
        assert!(wrong.is_empty(), "{} examples\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn no_name_stands_twice() {
        let mut seen = HashSet::new();
        let models = TABLES.iter().copied().flatten().flat_map(Model::each_name);
        let tools = TOOLS.iter().copied().flatten();
        let mut twice: Vec<&str> =
            models.chain(tools.flat_map(|tool| tool.command.names.split(' '))).collect();
        twice.retain(|name| !seen.insert(*name));
        assert!(twice.is_empty(), "{twice:?} have two models");
    }
}
