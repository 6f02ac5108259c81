//! Gate: the command of a shell that a call brings along. What it does is judged before anything
//! runs, however it is spelled.

use std::fmt::Write as _;
use std::sync::Arc;

use futures_util::future::join;
use serde_json::{Map, Value, json};

use super::AskReason;
use super::approve::Kept;
use super::cli;
use super::path::CallPath;
use super::state::{Call, Judged, Stop};
use crate::clis::{Called, Clis, Known, Registered};
use crate::commands::{JudgedCommand, Wanted};
use crate::custom::Definition;
use crate::error::Code;
use crate::limits::echo;
use crate::shell::{Check, Decision, Plan, WithoutApprover};
use crate::store::{ListRules, Rule};
use crate::tool::{Assessment, Caller, Entry, ToolError};

/// Judges the command of a call, if its tool takes one, and adds to the assessment what it comes to.
///
/// # Errors
/// `command_denied` with the judge's own words; and where the folders of the caller cannot be used.
pub(super) async fn pass(
    path: &CallPath,
    entry: &Entry,
    args: &Value,
    call: &mut Call<'_>,
    assessment: &mut Assessment,
) -> Result<Option<JudgedCommand>, Stop> {
    if let Some(made_of) = Definition::of(entry) {
        return owners(path, made_of, args, call, assessment).await.map(Some);
    }
    let Some(text) = text_of(entry, args)? else { return Ok(None) };
    let named = |argument: &Option<String>| {
        argument.as_ref().and_then(|name| args.get(name)?.as_str()).map(str::to_owned)
    };
    let (cwd, stdin) = (named(&entry.spec.shell_cwd), named(&entry.spec.shell_stdin));
    let agents: Arc<[_]> = path.policy.commands_of(call.cx.caller()).await?.into();
    let (input, cx) = (stdin.clone(), call.cx.clone());
    let is_walled = entry.tool.confines();
    let judge = |text: String| {
        let (commands, cx, agents) = (path.shell.commands.clone(), cx.clone(), agents.clone());
        let (cwd, stdin) = (cwd.clone(), stdin.clone());
        tokio::task::spawn_blocking(move || {
            let (cwd, stdin) = (cwd.as_deref(), stdin.as_deref());
            let wanted =
                Wanted { text: &text, cwd, stdin, settings: None, agents: &agents, is_walled };
            commands.judge(&cx, wanted)
        })
    };
    // What the store knows of CLIs does not wait for the judge.
    let (clis, judged) = join(path.shell.clis.enabled(&call.cx.caller().tenant), judge(text)).await;
    let (clis, mut judged) = (clis?, judged.map_err(not_judged)??);
    let mut called = None;
    if !clis.is_empty() {
        (judged, called) = look_for(&clis, judged).await?;
        // A CLI runs under its registered name, so that is what every rule is held against.
        if let Some(text) = as_registered(&clis, called.as_ref(), &judged) {
            judged = judge(text).await.map_err(not_judged)??;
            (judged, called) = look_for(&clis, judged).await?;
        }
    }
    let alone = match &called {
        Some(Called::Alone(at, _)) => clis.get(*at).map(|cli| Arc::from(cli.name.as_str())),
        _ => None,
    };
    note(call, &judged.check);
    let of_call = (input.as_deref(), &judged.check);
    let cli = cli::pass(path, entry, called, &clis, of_call, call).await?;
    judged.cli = alone.filter(|_| cli.is_some());
    if judged.check.verdict == Decision::Deny {
        return Err(denied(&judged.check).into());
    }
    // Where nothing holds it to that, somebody is asked about what it writes elsewhere; and anywhere about
    // a protected name, which a wall can only guard where it is there already.
    let is_held =
        (is_walled || judged.stays_within()) && judged.protected_names_made().next().is_none();
    if let Some(name) = &judged.cli {
        cli::runs_alone(name, judged.runs_besides().as_deref())?;
        judged.hold_as_cli();
    }
    assessment.plan = Some(plan(&judged, assessment.plan.take()));
    if let Some(cli) = cli.filter(|_| is_held && judged.may_be_lifted()) {
        // The owner registered it with what is denied of it, which is his word for the rest.
        judged.allowed_by = Some(cli);
    } else if judged.may_be_lifted() {
        judged.allowed_by = standing(path, &entry.spec.name, call, &judged).await?;
        if let (Some(rule), Some(note)) = (&judged.allowed_by, call.notes.get_mut("shell")) {
            note["rule"] = json!(rule);
        }
    }
    Ok(Some(judged))
}

/// The command with the registered name of the CLI that it calls, where that is not what was written:
/// another case of letters, `.exe`, a path.
fn as_registered(
    clis: &[Registered],
    called: Option<&Called>,
    judged: &JudgedCommand,
) -> Option<String> {
    let Some(Called::Alone(at, words)) = called else { return None };
    let name = &clis.get(*at)?.name;
    let words = std::iter::once(name).chain(words).map(|word| quoted(word));
    (judged.program() != Some(name)).then(|| words.collect::<Vec<String>>().join(" "))
}

/// Looks for the CLI that a command calls, and has it not see the others.
async fn look_for(
    clis: &[Registered],
    mut judged: JudgedCommand,
) -> Result<(JudgedCommand, Option<Called>), ToolError> {
    let clis = clis.to_owned();
    let looking = tokio::task::spawn_blocking(move || {
        let known = Clis::known(&clis);
        let called = judged.calls(&known);
        if !matches!(called, Some(Called::Alone(..))) {
            judged.hide(known.iter().filter_map(Known::path));
        }
        (judged, called)
    });
    looking.await.map_err(not_judged)
}

/// Judges the command that an owner made a tool of, with the arguments of a call. It is approved,
/// since he has written it: what nobody's approval lets run stays what it is.
async fn owners(
    path: &CallPath,
    made_of: Arc<Definition>,
    args: &Value,
    call: &mut Call<'_>,
    assessment: &mut Assessment,
) -> Result<JudgedCommand, Stop> {
    let text = made_of.command(args)?;
    let agents = path.policy.commands_of(call.cx.caller()).await?;
    let (commands, cx) = (path.shell.commands.clone(), call.cx.clone());
    let judging = tokio::task::spawn_blocking(move || {
        let cwd = made_of.row.working_dir.as_deref();
        let wanted = Wanted { text: &text, cwd, agents: &agents, ..Wanted::default() };
        commands.judge_permitted(&cx, wanted, &made_of.row.permit)
    });
    let judged = judging.await.map_err(not_judged)??;
    note(call, &judged.check);
    if judged.check.verdict == Decision::Deny {
        return Err(denied(&judged.check).into());
    }
    let own = assessment.plan.take();
    assessment.plan = Some(plan(&judged, own));
    Ok(judged)
}

fn not_judged(error: tokio::task::JoinError) -> ToolError {
    ToolError::new(Code::ToolPanicked, format!("The command could not be judged: {error}."))
}

/// The rule that somebody kept for such a command, if there is one.
async fn standing(
    path: &CallPath,
    tool: &str,
    call: &Call<'_>,
    judged: &JudgedCommand,
) -> Result<Option<String>, Stop> {
    let caller = call.cx.caller();
    let mut after = None;
    loop {
        let list = ListRules {
            tenant: caller.tenant.clone(),
            kind: STANDING.into(),
            agent: caller.agent.clone(),
            user: caller.user.clone(),
            after: after.take(),
            limit: PAGE,
        };
        let rows = path.store.list_rules(list, path.clock.now_ms()).await?;
        if let Some(row) = rows.iter().find(|row| covers(row, caller, tool, judged)) {
            return Ok(Some(row.id.clone()));
        }
        match rows.last() {
            Some(last) if rows.len() >= PAGE as usize => after = Some(last.id.clone()),
            _ => return Ok(None),
        }
    }
}

/// True if a rule of the store covers a command. One that cannot be read covers nothing.
fn covers(row: &Rule, caller: &Caller, tool: &str, judged: &JudgedCommand) -> bool {
    let covered = match Kept::of(&row.settings) {
        Ok(kept) if kept.holds_for(row, caller, tool) => judged.is_covered_by(&kept.rule),
        Ok(_) => Ok(false),
        Err(error) => Err(error.message().to_owned()),
    };
    covered.unwrap_or_else(|why| {
        tracing::warn!(rule = row.id, %why, "a rule that allows commands is passed over");
        false
    })
}

/// The kind of the rules that people keep by allowing commands for always.
pub(crate) const STANDING: &str = "command";

/// How many rules are read at once.
const PAGE: u32 = 500;

/// Why the command wants somebody's approval. Empty: it does not.
pub(super) fn reasons(judged: &Judged) -> Vec<AskReason> {
    let Some(command) = asked_about(judged) else { return Vec::new() };
    let reasons = command.check.reasons.iter();
    let asking = reasons.filter(|reason| reason.decision == Decision::Ask);
    asking
        .map(|reason| {
            let why = match reason.words.as_str() {
                "" => reason.why.clone(),
                words => format!("{} (`{words}`)", reason.why),
            };
            AskReason { rule: rule(&reason.category), why }
        })
        .collect()
}

/// True if the command wants somebody's approval.
pub(super) fn asks(judged: &Judged) -> bool {
    asked_about(judged).is_some()
}

fn asked_about(judged: &Judged) -> Option<&JudgedCommand> {
    judged.command.as_ref().filter(|command| command.asks())
}

/// What becomes of a command that nobody can be asked about, where nothing else asks.
///
/// # Errors
/// The refusal, unless the owner lets such commands run.
pub(super) fn unasked(judged: &Judged, call: &mut Call<'_>) -> Result<(), ToolError> {
    let Some(command) = &judged.command else { return Ok(()) };
    let check = &command.check;
    match check.without_approver {
        WithoutApprover::Run => {
            if let Some(note) = call.notes.get_mut("shell") {
                note["without_approver"] = json!("run");
            }
            Ok(())
        }
        WithoutApprover::Deny => {
            let text = format!(
                "{}\nNobody can be asked here, so it has not run, and will not. Write it so that it \
                 needs no approval, or tell the user what is to be done by hand.",
                check.for_llm
            );
            let refusal = ToolError::new(Code::ApprovalDenied, text);
            Err(refusal.by_rule("shell.without_approver = \"deny\""))
        }
        WithoutApprover::Confine if judged.entry.tool.confines() => {
            if let Some(path) = command.protected_names_made().next() {
                return Err(protected(path));
            }
            call.unasked = true;
            Ok(())
        }
        WithoutApprover::Confine => Err(unconfined(check)),
    }
}

/// Refuses what runs only in a confinement: a tool of the host's runs it as it likes.
///
/// # Errors
/// The refusal, for a command that is allowed in a confinement only.
pub(super) fn confined(judged: &Judged, call: &mut Call<'_>) -> Result<(), ToolError> {
    match &judged.command {
        Some(command) if command.check.confined => {
            if let Some(path) = command.protected_names_made().next() {
                return Err(protected(path));
            }
            call.unasked = judged.entry.tool.confines();
            if call.unasked { Ok(()) } else { Err(unconfined(&command.check)) }
        }
        _ => Ok(()),
    }
}

/// How the command is run. One that nobody allowed is held to the workspace, without a network.
pub(super) fn settled(judged: &Judged, call: &Call<'_>) -> Option<Arc<Plan>> {
    let command = judged.command.as_ref()?;
    let plan = command.plan()?.clone();
    Some(Arc::new(if call.unasked { command.shut(plan) } else { plan }))
}

/// Refuses a command that makes what its walls can guard only where it is there already.
fn protected(path: &str) -> ToolError {
    let text = format!(
        "The command writes `{}`, a protected name: Git, an agent, an editor, a shell or a tool may run or \
         obey that by itself. Nobody can be asked about it, so it has not run. Do it without that file, or \
         tell the user what is to be written there; the owner opens such names with `files.open`.",
        echo(path)
    );
    ToolError::new(Code::ApprovalDenied, text).by_rule("shell.protected")
}

fn unconfined(check: &Check) -> ToolError {
    let mut text = check.for_user.clone();
    let _ = write!(
        text,
        "\nNobody can be asked about it, and without somebody's word it runs only in a confinement \
         that enforces what was predicted of it. This tool has none, so it has not run. Write it so \
         that it needs no approval, or tell the user: the owner can have somebody decide on such \
         commands, or set `shell.without_approver` to `run`."
    );
    ToolError::new(Code::ApprovalDenied, text).by_rule("shell.without_approver = \"confine\"")
}

fn denied(check: &Check) -> ToolError {
    let category = check.categories.first().map_or("denied", String::as_str);
    ToolError::new(Code::CommandDenied, check.for_llm.clone()).by_rule(rule(category))
}

fn rule(category: &str) -> String {
    format!("shell.{category}")
}

/// What the ledger keeps of the judgement: no word of the command.
fn note(call: &mut Call<'_>, check: &Check) {
    let note = json!({ "verdict": check.verdict, "categories": check.categories });
    call.notes.insert("shell".into(), note);
}

/// What the call comes to. An approval is bound to it: where the same text would do something else
/// by then, because a link leads elsewhere, the approval does not hold.
fn plan(judged: &JudgedCommand, own: Option<Value>) -> Value {
    let mut effects: Vec<&str> = Vec::new();
    for effect in &judged.check.effects {
        if !effects.contains(&effect.effect.as_str()) {
            effects.push(&effect.effect);
        }
    }
    let mut plan = match json!(judged.check.plan) {
        Value::Object(plan) => plan,
        _ => Map::new(),
    };
    plan.insert("effects".into(), json!(effects));
    plan.insert("unknowns".into(), json!(judged.check.unknowns));
    if let Some(own) = own {
        plan.insert("tool".into(), own);
    }
    Value::Object(plan)
}

/// The argument that is a command, as it was given.
pub(super) fn given<'a>(entry: &Entry, args: &'a Value) -> Option<&'a Value> {
    args.get(entry.spec.shell_command.as_ref()?)
}

/// The command that a call brings. A list of words is one command with these words.
fn text_of(entry: &Entry, args: &Value) -> Result<Option<String>, ToolError> {
    let Some(name) = &entry.spec.shell_command else { return Ok(None) };
    if let Some(text) = entry.tool.shell_text(args) {
        return Ok(Some(text));
    }
    let words = |items: &Vec<Value>| {
        let words = items.iter().map(|item| item.as_str().map(quoted));
        words.collect::<Option<Vec<String>>>().map(|words| words.join(" "))
    };
    let text = match args.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Array(items)) => words(items),
        Some(_) => None,
    };
    text.map(Some).ok_or_else(|| {
        let text = format!("`{name}` must be a command: a text, or a list of its words.");
        ToolError::new(Code::InvalidArguments, text)
    })
}

/// A word as a shell takes it for itself.
fn quoted(word: &str) -> String {
    let is_plain = |char: char| char.is_ascii_alphanumeric() || "-_./=:,+@%".contains(char);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn a_word_stays_one_word() {
        for (word, expected) in
            [("a-b/c.d", "a-b/c.d"), ("", "''"), ("a b", "'a b'"), ("it's", r"'it'\''s'")]
        {
            assert_eq!(quoted(word), expected);
        }
    }
}
