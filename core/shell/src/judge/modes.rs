//! The modes on top of the judgement: whether anything runs, and whether somebody is asked.
//!
//! `security` switches commands off, or allows only listed programs. `ask` says when somebody is
//! asked, and `without_approver` what happens where nobody can be. The modes never weaken a denial.

use super::{Case, Objection, groups, hard_deny, profile, shown};
use crate::analyse::Analysis;
use crate::decision::Decision;
use crate::denied::matches;
use crate::effect::{CodeFrom, Effect, Found};
use crate::env::Env;
use crate::invocation::{Invocation, program_name};
use crate::ir::{Command, CommandKind, Item, Script};
use crate::place;
use crate::settings::{Ask, Security, Settings, WithoutApprover};
use crate::verdict::{Check, Reason, Verdict};

/// Commands that somebody approved for always, analysed.
#[derive(Clone, Debug, Default)]
pub struct Approvals {
    /// They hold for the very same calls only.
    pub approved: Vec<Analysis>,
}

/// What the modes alone decide: `security` and `ask` with the list of programs, as if no group
/// denied anything. A command counts as safe if it is understood and within the profile.
#[must_use]
pub fn mode(
    analysis: &Analysis,
    env: &Env,
    settings: &Settings,
    approvals: &Approvals,
) -> Decision {
    let case = Case { analysis, env, settings };
    let listed = all_listed(&case) || is_approved(analysis, approvals);
    match (settings.security, settings.ask) {
        (Security::Deny, _) => Decision::Deny,
        (Security::Allowlist, Ask::Off) if !listed => Decision::Deny,
        (Security::Allowlist, Ask::Always | Ask::OnMiss) if !listed => Decision::Ask,
        (_, Ask::Always) => Decision::Ask,
        (Security::Full, Ask::OnMiss) if !listed && !is_safe(&case) => Decision::Ask,
        (Security::Allowlist | Security::Full, Ask::OnMiss | Ask::Off) => Decision::Allow,
    }
}

/// What the modes alone decide, for a reader.
pub(super) fn checked(case: &Case<'_>, approvals: &Approvals) -> Check {
    let decision = mode(case.analysis, case.env, case.settings, approvals);
    let why = match (decision, case.settings.security, case.settings.ask) {
        (Decision::Allow, ..) => None,
        (Decision::Deny, Security::Deny, _) => Some(SWITCHED_OFF),
        (Decision::Ask, _, Ask::Always) => Some(ALWAYS_ASKED),
        (_, Security::Allowlist, _) => Some(NOT_LISTED),
        _ => Some("It is neither on the list nor known to be safe, and was not approved before."),
    };
    let verdict = Verdict {
        decision,
        reasons: why.map(|why| case.whole(decision, why)).into_iter().collect(),
        effects: case.analysis.found.clone(),
        unknowns: case.unknowns(),
        without_approver: case.settings.without_approver,
        confined: false,
    };
    shown::check(case.analysis, verdict)
}

/// The reason where no command may run.
const SWITCHED_OFF: &str = "Running commands is switched off.";
/// The reason where only listed programs may run.
const NOT_LISTED: &str = "It runs a program that is not on the list of programs that may run.";
/// The reason where every command is asked about.
const ALWAYS_ASKED: &str = "Every command is asked about.";

/// Lays the modes on a verdict.
pub(super) fn apply(case: &Case<'_>, verdict: &mut Verdict) {
    let settings = case.settings;
    let mut say = |decision, why: &str| verdict.reasons.push(case.whole(decision, why));
    if let Some(why) = settings.strict_allowlist.as_ref().and_then(|set| beyond_set(case, set)) {
        say(Decision::Deny, &why);
    }
    match settings.security {
        Security::Deny => say(Decision::Deny, SWITCHED_OFF),
        Security::Allowlist if !all_listed(case) => {
            let off = settings.ask == Ask::Off;
            let decision = if off { Decision::Deny } else { Decision::Ask };
            say(decision, NOT_LISTED);
        }
        Security::Allowlist | Security::Full => {}
    }
    if settings.ask == Ask::Always {
        say(Decision::Ask, ALWAYS_ASKED);
    }
    let strictest = verdict.reasons.iter().map(|reason| reason.decision).max();
    verdict.decision = strictest.unwrap_or(Decision::Allow);
    if settings.ask == Ask::Off && verdict.decision == Decision::Ask {
        match settings.without_approver {
            WithoutApprover::Run => verdict.decision = Decision::Allow,
            WithoutApprover::Confine => {
                verdict.decision = Decision::Allow;
                verdict.confined = true;
            }
            WithoutApprover::Deny => verdict.decision = Decision::Deny,
        }
    }
}

impl Case<'_> {
    /// A reason about the whole text.
    fn whole(&self, decision: Decision, why: &str) -> Reason {
        self.reason(decision, Objection::new("mode", why), &(0..self.analysis.text.len()))
    }
}

/// Programs that everybody uses for work on files and code.
const COMMON: &[&str] = &[
    "cat", "echo", "ls", "pwd", "head", "tail", "wc", "sort", "uniq", "grep", "egrep", "fgrep",
    "find", "which", "whoami", "date", "uname", "hostname", "df", "du", "free", "uptime", "file",
    "stat", "dirname", "basename", "realpath", "readlink", "jq", "yq", "sed", "awk", "tr", "cut",
    "diff", "cmp", "patch", "tee", "xargs", "git", "node", "npm", "npx", "yarn", "pnpm", "bun",
    "deno", "python", "python3", "pip", "pip3", "go", "cargo", "rustc", "make", "cmake", "gcc",
    "g++", "clang", "java", "javac", "mvn", "gradle", "rg", "fd", "true", "false", "test", "[",
    "printf", "sleep", "mkdir", "touch", "cp", "mv",
];

/// True if everything is done by common programs, understood, and within the profile.
fn is_safe(case: &Case<'_>) -> bool {
    // Who lists an interpreter means its scripts: code in the command is asked about.
    let is_code = |found: &Found| {
        matches!(&found.effect, Effect::Code { from: CodeFrom::Inline(language) }
            if !matches!(&**language, "awk" | "sed" | "jq" | "sh"))
    };
    let is_fine = |found: &Found| {
        !is_code(found)
            && hard_deny::check_effect(case, found).is_none()
            && groups::check_effect(case, found).is_none()
            && profile::check_effect(case, found).is_none()
    };
    // A program of the workspace is not the well-known program of that name.
    let calls = &case.analysis.invocations;
    let is_common = |(number, call): (usize, &Invocation)| {
        let Some(program) = call.program.value.as_known() else { return false };
        let name = program_name(program);
        let runs_another = || {
            let inner = calls.iter().any(|inner| inner.outer == Some(number));
            inner && !case.analysis.found.iter().any(|found| found.by == Some(number))
        };
        place::is_trusted(program, &call.cwd, case.env)
            && (call.builtin || COMMON.contains(&name) || runs_another())
    };
    is_understood(case.analysis)
        && calls.iter().enumerate().all(is_common)
        && case.analysis.found.iter().all(is_fine)
}

/// True for an analysis without problems, and without a finding that decides anything.
fn is_understood(analysis: &Analysis) -> bool {
    analysis.problems.is_empty()
        && analysis.findings.iter().all(|finding| finding.decision() == Decision::Allow)
}

/// True if every program is listed, and the shell itself does nothing beyond the profile.
fn all_listed(case: &Case<'_>) -> bool {
    let analysis = case.analysis;
    let mut programs = analysis.invocations.iter().filter(|call| !call.builtin).peekable();
    let of_shell = |found: &&Found| {
        let is_builtin = |by: usize| analysis.invocations.get(by).is_some_and(|call| call.builtin);
        found.by.is_none_or(is_builtin) || matches!(found.effect, Effect::Dynamic { .. })
    };
    is_understood(analysis)
        && programs.peek().is_some()
        && programs.all(|call| is_listed(&case.settings.allowlist, call, case.env))
        && analysis
            .found
            .iter()
            .filter(of_shell)
            .all(|found| profile::check_effect(case, found).is_none())
}

/// True if the very same calls were approved before.
fn is_approved(analysis: &Analysis, approvals: &Approvals) -> bool {
    is_understood(analysis)
        && !analysis.invocations.is_empty()
        && approvals.approved.iter().any(|before| {
            is_understood(before)
                && before.found.len() == analysis.found.len()
                && before.invocations.len() == analysis.invocations.len()
                && before.invocations.iter().zip(&analysis.invocations).all(|(a, b)| is_same(a, b))
                && before.found.iter().zip(&analysis.found).all(|(a, b)| a.effect == b.effect)
        })
}

/// True for calls that do the same, wherever they stand. Calls of which something is not known never
/// are.
fn is_same(one: &Invocation, other: &Invocation) -> bool {
    let words = |call: &Invocation| {
        std::iter::once(&call.program)
            .chain(&call.arguments)
            .map(|word| word.value.as_known().map(str::to_owned))
            .collect::<Option<Vec<String>>>()
    };
    words(one).is_some_and(|words_of_one| words(other) == Some(words_of_one))
        && one.environment == other.environment
        && one.stdin == other.stdin
        && one.stdout == other.stdout
        && one.cwd == other.cwd
        && one.locus == other.locus
        && one.wrappers == other.wrappers
}

/// True if a list has a call: by the name of its program, or by the beginning of its words.
pub(super) fn is_listed(list: &[String], call: &Invocation, env: &Env) -> bool {
    let Some(program) = call.program.value.as_known().filter(|_| !call.program.many) else {
        return false;
    };
    let trusted = trusted_name(program, call, env);
    let named = |name: &str| {
        let mut words = name.to_owned();
        for argument in &call.arguments {
            words.push(' ');
            words.push_str(argument.value.as_known().unwrap_or("\u{fffd}"));
        }
        list.iter().any(|pattern| matches(pattern, name) || matches(pattern, &words))
    };
    named(program) && (trusted.is_some() || list.iter().any(|pattern| pattern.contains('/')))
        || trusted.is_some_and(named)
}

/// The name of a program of the system; none for a program elsewhere.
pub(super) fn trusted_name<'a>(program: &'a str, call: &Invocation, env: &Env) -> Option<&'a str> {
    place::is_trusted(program, &call.cwd, env).then(|| program_name(program))
}

/// Why a text does not fit a set of programs, if it does not: plain commands of listed programs
/// with nothing but `;`, `&&`, `||` and `|` between them.
fn beyond_set(case: &Case<'_>, set: &[String]) -> Option<String> {
    let analysis = case.analysis;
    if !is_understood(analysis) {
        return Some("It could not be understood.".to_owned());
    }
    if analysis.text.trim().contains('\n') {
        return Some("Only one line may run at a time.".to_owned());
    }
    if let Some(what) = of_script(&analysis.script) {
        return Some(format!("Only plain commands may run, and this has {what}."));
    }
    analysis.invocations.iter().find_map(|call| match call.program.value.as_known() {
        Some(program) => (!is_listed(set, call, case.env))
            .then(|| format!("`{program}` is not one of the programs that may run.")),
        None => Some("It is not known which program it runs.".to_owned()),
    })
}

/// What a script has besides plain commands, if it has something.
fn of_script(script: &Script) -> Option<&'static str> {
    let commands = |item: &'_ Item| item.pipeline.commands.clone();
    script.items.iter().flat_map(commands).find_map(|command| of_command(&command))
}

/// What a command is besides a plain one, if it is more.
fn of_command(command: &Command) -> Option<&'static str> {
    if !command.redirections.is_empty() {
        return Some("a redirection");
    }
    match &command.kind {
        CommandKind::Simple(simple) => {
            let values = simple.assignments.iter().chain(&simple.arrays).next();
            let words = simple.words.iter();
            words
                .flat_map(|word| &word.pieces)
                .find_map(super::segments::substitution)
                .or(values.map(|_| "an assignment"))
        }
        CommandKind::Subshell(inner) | CommandKind::Group(inner) => of_script(inner),
        CommandKind::Time(pipeline) => pipeline.commands.iter().find_map(of_command),
        _ => Some("more than plain commands"),
    }
}
