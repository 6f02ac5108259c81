//! Gate: the credentialed CLI that a command is, or that stands somewhere in it.

use serde_json::json;

use super::path::CallPath;
use super::state::{Call, Stop};
use crate::clis::{Called, Registered};
use crate::error::Code;
use crate::limits::echo;
use crate::shell::Check;
use crate::tool::{Entry, ToolError};

/// The tool that runs CLIs and nothing else.
const OWN_TOOL: &str = "credentialed_exec";

/// Lets a command through that is the call of a CLI which its caller may make, and one in which no CLI
/// is called. Gives what allows the first.
///
/// # Errors
/// The refusal: a CLI that was not granted, what is denied of one, or one in a bigger command.
pub(super) async fn pass(
    path: &CallPath,
    entry: &Entry,
    called: Option<Called>,
    clis: &[Registered],
    (input, check): (Option<&str>, &Check),
    call: &mut Call<'_>,
) -> Result<Option<String>, Stop> {
    let is_own = entry.spec.name == OWN_TOOL;
    let caller = call.cx.caller();
    let (at, words, how) = match called {
        None if is_own => {
            check_text(check)?;
            return Err(not_a_call(path, clis, call).await.into());
        }
        None => return Ok(None),
        Some(Called::Alone(at, words)) => (at, Some(words), String::new()),
        Some(Called::Within(at, how)) => (at, None, how),
    };
    let Some(cli) = clis.get(at) else { return Ok(None) };
    let name = &cli.name;
    let allowed = match &words {
        Some(words) => path.shell.clis.allowed(caller, cli, words, input).await.map(drop),
        None => path.shell.clis.granted(caller, cli).await.map(drop),
    };
    call.notes.insert("cli".into(), json!(name));
    allowed?;
    if words.is_some() && runs_it(entry) {
        return Ok(Some(format!("cli:{name}")));
    }
    let text = format!(
        "[credentialed CLI] `{name}` runs with credentials, so it is called alone and without a \
         shell{}{how}. Nothing has run. Call it with `{OWN_TOOL}`, or as the whole command of `exec`: \
         its name and its arguments, quoted where they need it, without `|`, `>`, `;`, `&&`, `$…`, \
         `*` or another program around it. Work on its output in a call of its own.",
        if how.is_empty() { "" } else { "; here " }
    );
    Err(ToolError::new(Code::CommandDenied, text).by_rule("cli.shape").into())
}

/// Refuses a text in which no call of a CLI can be found, because it is too long or is no plain text.
///
/// # Errors
/// The refusal.
fn check_text(check: &Check) -> Result<(), ToolError> {
    let reason = check.reasons.iter().find(|reason| reason.category == "text");
    let Some(reason) = reason else { return Ok(()) };
    let text = format!(
        "[credentialed CLI] The command has not run. {} {}",
        reason.why,
        reason.instead.as_deref().unwrap_or_default()
    );
    Err(ToolError::new(Code::InvalidArguments, text.trim_end()).by_rule("cli.none"))
}

/// Refuses the call of a CLI that would have another program run: that one would have the credential.
///
/// # Errors
/// The refusal.
pub(super) fn runs_alone(name: &str, besides: Option<&str>) -> Result<(), ToolError> {
    let Some(besides) = besides else { return Ok(()) };
    let text = format!(
        "[credentialed CLI] This call of `{name}` would run another program with its credential: {}. \
         Nothing has run, and no other spelling will. Call `{name}` without that, and do the rest with \
         `exec`.",
        echo(besides)
    );
    Err(ToolError::new(Code::CommandDenied, text).by_rule("cli.runs"))
}

/// True for the tools that call CLIs.
fn runs_it(entry: &Entry) -> bool {
    matches!(entry.spec.name.as_str(), OWN_TOOL | "exec")
}

/// The refusal of what is no call of a CLI; it names those that there are.
async fn not_a_call(path: &CallPath, clis: &[Registered], call: &Call<'_>) -> ToolError {
    let mut names = Vec::new();
    for cli in clis {
        if path.shell.clis.granted(call.cx.caller(), cli).await.is_ok() {
            names.push(format!("`{}`", cli.name));
        }
    }
    let there = match names.as_slice() {
        [] => "There is none that you may use.".to_owned(),
        names => format!("Those that you may use: {}.", names.join(", ")),
    };
    let text = format!(
        "[credentialed CLI] The command is not the call of a credentialed CLI, so it has not run. \
         {there} Give the CLI's name and its arguments; for anything else use `exec`."
    );
    ToolError::new(Code::InvalidArguments, text).by_rule("cli.none")
}
