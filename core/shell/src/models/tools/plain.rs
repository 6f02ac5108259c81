//! Tools whose options are not known one by one. A rule for each says which of its words make it
//! run, fetch or send what the project does not hold. Such calls are asked about, and any other
//! call is taken to read its files.

mod rules;

use crate::compilers::{Flag, flags};
use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::invocation::program_name;
use crate::model::tool::Action::Database;
use crate::model::{Parsed, Report};
use crate::models;
use crate::models::kinds::is_fed;
use crate::models::perform::perform;
use crate::names::is_wrapper;

/// What is asked about of some tools. Words are parted by blanks; `a:b` is the word `b` behind `a`, and
/// `a:*` is anything behind it.
struct Rule {
    /// The names of the tools, separated by blanks.
    names: &'static str,
    /// Commands that do no more than the project says; empty: it has none, or its commands are tasks
    /// of the project.
    commands: &'static str,
    /// Commands that install. `*`: each.
    installs: &'static str,
    /// Commands that delete data.
    destroys: &'static str,
    /// Options and commands that are asked about. One that ends in `*` stands for what begins so.
    doubts: &'static str,
    /// Options that are not, though they sound so.
    fine: &'static str,
    /// Words behind which the name of a program stands.
    runs: &'static str,
    /// What else is special about them.
    also: &'static [Also],
}

/// What a tool does besides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Also {
    /// It runs what it is fed if no file is named.
    Fed,
    /// It expands its words as a script.
    Expands,
    /// Commands may stand anywhere, several in a word.
    Everywhere,
    /// It is given flags of a compiler, behind `--`, too.
    Compiles,
    /// What stands behind `--` is a program.
    Dashes,
    /// Names of targets may be places in the network.
    Remote,
}

/// A rule that says nothing, to be filled in part.
const NONE: Rule = Rule {
    names: "",
    commands: "",
    installs: "",
    destroys: "",
    doubts: "",
    fine: "",
    runs: "",
    also: &[],
};

/// Parts of the names of options that run or load what their value names, whatever tool has them.
const PARTS: &[&str] = &[
    "exec", "eval", "hook", "cmd", "command", "launcher", "addon", "run-under", "run_under",
    "interpreter", "-shell", "-script", "-load", ".exe", "linkerexe",
];

/// What begins an option that keeps something from being done, or only shows it.
const KEEPS: &[&str] =
    &["no-", "no_", "skip-", "disable-", "ignore-", "without-", "list-", "show-", "print-"];

/// Programs that a project's tests and checks are.
const TESTS: &[&str] = &[
    "pytest", "py.test", "trial", "behave", "robot", "nose2", "nosetests", "tox", "flask",
    "uvicorn", "gunicorn", "ruff", "mypy", "black", "isort", "flake8", "pylint", "unittest",
];

/// Asks about words of a tool that make it do something else than the project says.
pub(super) fn plain(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let name = report.name();
    let rule = rules::RULES.iter().find(|rule| has(rule.names, name)).unwrap_or(&NONE);
    let is = |also: Also| rule.also.contains(&also);
    let all: Vec<&str> =
        parsed.invocation.arguments.iter().map(|word| word.value.prefix()).collect();
    let dashes = all.iter().position(|word| *word == "--").unwrap_or(all.len());
    let own = if is(Also::Compiles) { &all[..] } else { &all[..dashes] };
    if let Some(option) = own.iter().find(|word| is_doubtful(word, rule)) {
        report.not_understood(format!("what its option `{option}` makes it run is not known"));
    }
    let words: Vec<&str> =
        all[..dashes].iter().copied().filter(|word| !word.starts_with(['-', '+'])).collect();
    commands(report, parsed, rule, &words);
    programs(report, rule, &all, dashes);
    if is(Also::Compiles) {
        for flag in flags(all.iter().copied()) {
            match flag {
                Flag::Loads(word) => {
                    report.not_understood(format!("what `{word}` loads is not known"))
                }
                Flag::Writes(path) => report.path(Access::Write, path),
            }
        }
    }
    if is(Also::Expands)
        && all[..dashes].iter().any(|word| word.contains(['$', '`', ';', '|', '&', '(', '\n']))
    {
        report.not_understood("a word of it may hold code");
    }
    let remote = |word: &&str| {
        word.contains('+') && word.contains('/') && !word.starts_with(['.', '+', '/'])
    };
    if is(Also::Remote) && words.iter().any(remote) {
        report.not_understood("a target of it may be somewhere in the network");
    }
    if is(Also::Fed) && is_fed(report) && words.iter().all(|word| *word == "-") {
        report.add(Effect::Code { from: CodeFrom::Stdin });
    }
}

/// True if a list holds a word.
fn has(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|one| one == word)
}

/// True for an option that may make it run or load something.
fn is_doubtful(word: &str, rule: &Rule) -> bool {
    let Some(bare) = word.strip_prefix('-').map(|rest| rest.trim_start_matches('-')) else {
        return false;
    };
    let is_long = word.starts_with("--");
    let end = bare.find(['=', ':']).unwrap_or(bare.len());
    let (bare_name, _) = bare.split_at(end);
    let name = &word[..word.len() - bare.len() + end];
    if has(rule.fine, name) {
        return false;
    }
    let is_listed = rule.doubts.split_ascii_whitespace().any(|one| match one.strip_suffix('*') {
        Some(start) => word.starts_with(start),
        // A value may be attached to a letter.
        None if one.len() == 2 => !is_long && word.starts_with(one),
        None => name == one,
    });
    let lower = name.to_ascii_lowercase();
    let keeps = KEEPS.iter().any(|start| bare_name.starts_with(start));
    let sounds = name.len() > 2 && !keeps && PARTS.iter().any(|part| lower.contains(part));
    is_listed || sounds
}

/// Commands: what stands first, and behind it.
fn commands(report: &mut Report<'_>, parsed: &Parsed<'_>, rule: &Rule, words: &[&str]) {
    let everywhere = rule.also.contains(&Also::Everywhere);
    let fits = |list: &str| {
        if everywhere {
            let mut parts = words.iter().flat_map(|word| word.split([' ', ';', ',']));
            return parts.any(|part| has(list, part));
        }
        let (first, second) = (words.first().copied(), words.get(1).copied());
        list.split_ascii_whitespace().any(|one| {
            Some(one) == first
                || one.split_once(':').is_some_and(|(before, behind)| {
                    Some(before) == first
                        && second.is_some_and(|word| behind == "*" || behind == word)
                })
        })
    };
    if fits(rule.destroys) {
        perform(report, parsed, &[Database(true)], Certainty::Must);
    }
    if rule.installs == "*" || fits(rule.installs) {
        let manager = report.name().to_owned();
        let source = crate::value::Value::known("");
        report.add(Effect::Package { manager, source, installs: true });
        return;
    }
    let is_file = |word: &str| word.contains(['.', '/']);
    let is_known = rule.commands.is_empty()
        || fits(rule.commands)
        || words.first().is_none_or(|word| is_file(word) && !word.contains("://"));
    if !is_known || fits(rule.doubts) {
        let word = words.first().copied().unwrap_or_default();
        report.not_understood(format!("what its command `{word}` does is not known"));
    }
}

/// Programs that it is told to run.
fn programs(report: &mut Report<'_>, rule: &Rule, all: &[&str], dashes: usize) {
    let is_program = |word: &&str| {
        let name = program_name(word.split(' ').next().unwrap_or_default());
        word.contains(' ') || (models::is_known(name) || is_wrapper(name)) && !TESTS.contains(&name)
    };
    let mut named = all.iter().enumerate().filter(|(_, word)| has(rule.runs, word)).take(2);
    let behind = named.any(|(at, _)| {
        all[at + 1..].iter().find(|word| !word.starts_with('-')).is_some_and(is_program)
    });
    let last = rule.also.contains(&Also::Dashes).then(|| all.get(dashes + 1)).flatten();
    if behind || last.is_some_and(is_program) {
        report.not_understood("it runs another program");
    }
}
