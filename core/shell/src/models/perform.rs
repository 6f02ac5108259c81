//! From the actions in a table to effects: what a [`Tool`] does.
//!
//! [`report_effects`] reports the actions of a call's command, and those of the whole program.
//! [`inner`] finds what its operands make it run, for the evaluation. Conditions ([`Action::If`],
//! [`Action::Alone`]) are decided here.

use super::Inner;
use crate::effect::{Access, Certainty, CodeFrom, Effect, Payload, Scope};
use crate::invocation::Argument;
use crate::model::tool::{Action, Tool};
use crate::model::{Parsed, Report, Role};
use crate::place;
use crate::value::{Origin, Value};

/// Reports the effects of a call of a tool.
pub(super) fn report_effects(report: &mut Report<'_>, parsed: &Parsed<'_>, tool: &'static Tool) {
    if parsed.has("--help") {
        return;
    }
    let Some(command) = parsed.command else { return };
    for (_, _, folder) in parsed.named.iter().filter(|(role, ..)| *role == Role::Folder) {
        report.file(Access::Read, folder);
        report.cwd = place::resolve(&folder.value, &report.cwd, report.env);
    }
    match parsed.operands.first() {
        Some(word) if !command.commands.is_empty() => {
            let word = word.value.as_known().unwrap_or("…");
            report.not_understood(format!("its command `{word}` is not known"));
            perform(report, parsed, tool.command.actions, Certainty::Must);
        }
        _ => perform(report, parsed, command.actions, Certainty::Must),
    }
    if !std::ptr::eq(command, &raw const tool.command) {
        perform(report, parsed, tool.command.actions, Certainty::Must);
    }
}

/// Code of a project that is not in the workspace is code of a file.
fn project(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let here = Value::known(".");
    let whole = Argument::new(here, report.invocation.span.clone());
    let files = parsed.named.iter().filter(|(role, ..)| *role == Role::Reads);
    for argument in std::iter::once(&whole).chain(files.map(|(.., file)| file)) {
        let path = place::resolve(&argument.value, &report.cwd, report.env);
        let special = matches!(argument.value.as_known(), Some("-" | "/dev/null" | "/dev/stdin"));
        let secret = place::scope(&path, report.env) == Scope::Secret;
        if !special && !secret && !is_of_workspace(report, &path) {
            let effect = report.file_effect(Access::Execute, &argument.value, true, false);
            report.push(effect, Certainty::May, argument.span.clone());
        }
    }
}

/// True for a folder of the workspace, itself or one in it, and for a file in it.
fn is_of_workspace(report: &Report<'_>, path: &Value) -> bool {
    let is_root = |path: &String| report.env.workspace.contains(path);
    let is_in = |path: &Value| place::scope(path, report.env) == Scope::Workspace;
    match path.possible() {
        Some(all) => all.iter().all(|path| is_root(path) || is_in(&Value::known(path))),
        None => is_in(path),
    }
}

/// Reports the effects of the actions of a command.
pub(super) fn perform(
    report: &mut Report<'_>,
    parsed: &Parsed<'_>,
    actions: &[Action],
    certainty: Certainty,
) {
    let has = |options: &str| options.split(' ').any(|option| parsed.has(option));
    for one in actions {
        match *one {
            Action::If(options, inner) if has(options) => perform(report, parsed, inner, certainty),
            Action::Unless(options, inner) if !has(options) => {
                perform(report, parsed, inner, certainty);
            }
            Action::If(..) | Action::Unless(..) => {}
            Action::WithOperands(inner) if !parsed.operands.is_empty() => {
                perform(report, parsed, inner, certainty);
            }
            Action::Alone(inner) if parsed.operands.is_empty() => {
                perform(report, parsed, inner, certainty);
            }
            Action::WithOperands(_) | Action::Alone(_) => {}
            Action::Call(function) => function(report, parsed),
            Action::Reads => operands(report, parsed, Access::Read),
            Action::Writes => operands(report, parsed, Access::Write),
            Action::Project => {
                let from = CodeFrom::Project(report.name().to_owned());
                report.push(Effect::Code { from }, certainty, report.invocation.span.clone());
                project(report, parsed);
            }
            Action::Executes => {
                for operand in &parsed.operands {
                    beyond(report, operand, &operand.value, true);
                }
            }
            Action::Touches => words(report, true),
            Action::Looks => words(report, false),
            Action::Unknown(why) => report.not_understood(why),
            Action::Installs | Action::Removes => {
                packages(report, parsed, matches!(one, Action::Installs), certainty);
            }
            Action::Here => here(report, certainty),
            other => {
                let effect = effect(report, parsed, other);
                let span = report.invocation.span.clone();
                if let Some(effect) = effect {
                    let certainty = if matches!(other, Action::MayFetch(_)) {
                        Certainty::May
                    } else {
                        certainty
                    };
                    report.push(effect, certainty, span);
                }
            }
        }
    }
}

/// What the operands of a command make it run.
pub(super) fn inner(parsed: &Parsed<'_>, actions: &[Action], all: &mut Vec<Inner>) {
    let has = |options: &str| options.split(' ').any(|option| parsed.has(option));
    for one in actions {
        match *one {
            Action::If(options, more) if has(options) => inner(parsed, more, all),
            Action::Unless(options, more) if !has(options) => inner(parsed, more, all),
            Action::WithOperands(more) => inner(parsed, more, all),
            Action::Runs(first) => {
                let words = parsed.operands.get(first..).unwrap_or_default().to_vec();
                all.push(Inner::Words(words));
            }
            Action::RunsBehindDashes => {
                let dashes = |word: &Argument| word.value.as_known() == Some("--");
                if let Some(at) = parsed.operands.iter().position(dashes) {
                    all.push(Inner::Words(parsed.operands[at + 1..].to_vec()));
                } else {
                    all.push(Inner::Words(parsed.operands.clone()));
                }
            }
            Action::RunsOption(option, before) => {
                let text = |word: &Argument| Value::known(before).then(word.value.clone());
                all.extend(parsed.values(option).map(|word| Inner::Text(text(word))));
            }
            Action::RunsTexts => {
                all.extend(parsed.operands.iter().map(|word| Inner::Text(word.value.clone())));
            }
            _ => {}
        }
    }
}

/// Files in the folder are written, in each that it may be.
fn here(report: &mut Report<'_>, certainty: Certainty) {
    let folders = match report.cwd.possible() {
        Some(folders) => folders.iter().map(Value::known).collect(),
        None => vec![report.cwd.clone()],
    };
    let span = report.invocation.span.clone();
    for folder in folders {
        let file = folder.then(Value::Prefix("/".into(), Origin::Picked));
        let effect = report.file_effect(Access::Write, &file, true, false);
        report.push(effect, certainty, span.clone());
    }
}

/// The effect of an action that has just one.
fn effect(report: &Report<'_>, parsed: &Parsed<'_>, actions: Action) -> Option<Effect> {
    let code = |from| Some(Effect::Code { from });
    Some(match actions {
        Action::At(access, path) => {
            let path = match path.strip_prefix("~/") {
                Some(rest) => format!("{}/{rest}", report.env.home),
                None => path.to_owned(),
            };
            report.file_effect(access, &Value::Known(path), true, false)
        }
        Action::Package => {
            let name = parsed.operands.first().map_or("", |word| word.value.prefix());
            return code(CodeFrom::Package(name.to_owned()));
        }
        Action::Setting(what) => return code(CodeFrom::Setting(what.to_owned())),
        Action::Fetches(host) | Action::MayFetch(host) => {
            Effect::Network { host: named(host), port: None, fetches: true, sends: Payload::None }
        }
        Action::Sends(host) => {
            let sends = Payload::File(Value::known("."));
            Effect::Network { host: named(host), port: None, fetches: true, sends }
        }
        Action::Listens => Effect::Listen { port: None },
        Action::Cloud(provider) => Effect::Cloud { provider: provider.to_owned(), destroys: false },
        Action::Destroys(provider) => {
            Effect::Cloud { provider: provider.to_owned(), destroys: true }
        }
        Action::Database(destroys) => Effect::Database { destroys },
        Action::Secret(kind) => Effect::Secret { kind: kind.to_owned(), path: None },
        Action::System(change) => Effect::System(change),
        Action::Escapes(how) => Effect::ContainerEscape { how: how.to_owned() },
        Action::Loss => Effect::VersionControlLoss,
        Action::Remote(forced, deletes) => Effect::VersionControlRemote { forced, deletes },
        _ => return None,
    })
}

/// The host of an action; unknown if it is empty.
fn named(host: &str) -> Value {
    if host.is_empty() { Value::Unknown(Origin::Other) } else { Value::known(host) }
}

/// Reports that each operand is accessed.
fn operands(report: &mut Report<'_>, parsed: &Parsed<'_>, access: Access) {
    for operand in &parsed.operands {
        if operand.value.as_known() != Some("-") {
            report.file(access, operand);
        }
    }
}

/// Reports that each operand is installed or removed, or what the project declares without
/// operands.
fn packages(report: &mut Report<'_>, parsed: &Parsed<'_>, installs: bool, certainty: Certainty) {
    let manager = report.name().to_owned();
    let whole = Argument::new(Value::known(""), report.invocation.span.clone());
    let named = if parsed.operands.is_empty() { vec![whole] } else { parsed.operands.clone() };
    for Argument { value: source, span, .. } in named {
        let manager = manager.clone();
        report.push(Effect::Package { manager, source, installs }, certainty, span);
    }
}

/// Every word that may name a file beyond the workspace, or a secret: it is read, and perhaps written.
fn words(report: &mut Report<'_>, writes: bool) {
    for argument in &report.invocation.arguments {
        word(report, argument, writes);
    }
}

/// One such word.
pub(super) fn word(report: &mut Report<'_>, argument: &Argument, writes: bool) {
    let Some(value) = path_in(&argument.value) else { return };
    let value = match value.prefix().strip_prefix("file://") {
        Some(path) if value.as_known().is_some() => Value::known(path),
        _ => value,
    };
    let text = value.prefix();
    if let Some((scheme, rest)) = text.split_once("://") {
        if !["http", "https", "ftp", "ssh", "git", "ws", "wss"].contains(&scheme) {
            return;
        }
        let host = rest.split(['/', ':', '?', '#']).next().unwrap_or_default();
        let host = named(host.rsplit('@').next().unwrap_or_default());
        let sends = Payload::None;
        let effect = Effect::Network { host, port: None, fetches: true, sends };
        report.at(effect, argument.span.clone());
        return;
    }
    beyond(report, argument, &value, writes);
}

/// A file that is not in the workspace is read, and perhaps written and run.
pub(super) fn beyond(report: &mut Report<'_>, argument: &Argument, value: &Value, more: bool) {
    let path = place::resolve(value, &report.cwd, report.env);
    if is_of_workspace(report, &path) {
        return;
    }
    let span = || argument.span.clone();
    let effect = report.file_effect(Access::Read, value, true, false);
    report.at(effect, span());
    if more {
        for access in [Access::Write, Access::Execute] {
            let effect = report.file_effect(access, value, true, false);
            report.push(effect, Certainty::May, span());
        }
    }
}

/// The part of a word that may be a path: `x`, the value of `--out=x`, `KEY=x`, `-ox`.
pub(super) fn path_in(value: &Value) -> Option<Value> {
    let cut = |text: &str| -> Option<usize> {
        let dashes = text.len() - text.trim_start_matches('-').len();
        match (dashes, text.find('=')) {
            (_, Some(at)) => Some(at + 1),
            (0, None) => Some(usize::from(text.starts_with('@'))),
            (_, None) => text.find(['/', '~', '.']),
        }
    };
    match value {
        Value::Known(text) => cut(text).map(|at| Value::known(&text[at..])),
        Value::Prefix(text, origin) => match cut(text) {
            Some(at) if at < text.len() => {
                Some(Value::Prefix(text[at..].to_owned(), origin.clone()))
            }
            _ => Some(Value::Unknown(origin.clone())),
        },
        other => Some(other.clone()),
    }
}
