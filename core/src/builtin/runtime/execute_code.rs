//! `execute_code`

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::carried::{LONGEST, SPARE, finished, timeout};
use super::exec_request::Wanted;
use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::Console;
use crate::kind::Capability;
use crate::tool::{CallContext, Tool, ToolError, ToolResult, tool_fn};

/// Runs code in Python, Bash or JavaScript (Node) and gives what it writes. It is read before it runs,
/// as a command of `exec` is, and runs as confined: it writes in the workspace and in `/tmp`. Print
/// what you want to see. Nothing stays from one call to the next but files.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// What it is written in.
    #[expect(dead_code, reason = "it is part of the command that was judged")]
    language: Language,
    /// The code.
    code: String,
    /// The folder that it starts in, relative to the workspace. Default: the workspace.
    #[serde(default)]
    #[expect(dead_code, reason = "the judge reads the folder; the plan says it again")]
    working_dir: Option<String>,
    /// How long it may take, in milliseconds: at most 3,600,000. Default: 60,000.
    #[serde(default)]
    #[schemars(range(min = 1, max = 3_600_000))]
    timeout_ms: Option<u64>,
    /// What it is given on standard input. Default: nothing.
    #[serde(default)]
    stdin: Option<String>,
}

#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Eq)]
#[schemars(rename = "CodeLanguage")]
#[serde(rename_all = "lowercase")]
enum Language {
    Python,
    Bash,
    Node,
}

/// The longest code, in bytes: what the judge reads, without what stands around it.
const MOST_CODE: usize = 30 * 1024;

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let (deps, host) = (deps.clone(), deps.host.clone());
    tool_fn("execute_code", move |args: Args, cx| {
        let deps = deps.clone();
        async move { run(&deps, args, &cx).await }
    })
    .group("runtime")
    .capability(Capability::Mutating)
    .timeout(LONGEST + SPARE)
    .shell_command("code")
    .shell_text(command_of)
    .shell_cwd("working_dir")
    .shell_stdin("stdin")
    .argument_aliases("working_dir", &["cwd", "workdir"])
    .argument_aliases("language", &["lang"])
    .argument_aliases("code", &["source", "script"])
    // A secret in code would stand in the list of processes.
    .keeps_placeholders()
    .confines(move || host.confines())
}

async fn run(deps: &Deps, args: Args, cx: &CallContext) -> Result<ToolResult, ToolError> {
    if args.code.len() > MOST_CODE {
        let text = format!(
            "`code` has {} bytes, and {MOST_CODE} may be given. Write it to a file with `write_file`, \
             and run that with `exec`.",
            args.code.len()
        );
        return Err(ToolError::new(Code::InvalidArguments, text));
    }
    let timeout = timeout(deps, args.timeout_ms, cx.caller());
    let input = args.stdin.unwrap_or_default().into_bytes();
    let wanted =
        Wanted { command: &args.code, argument: "code", input, console: Console::Once, timeout };
    finished(deps, wanted, cx).await
}

/// The command that runs the code of a call.
fn command_of(args: &Value) -> Option<String> {
    let code = args["code"].as_str()?;
    let quoted = || format!("'{}'", code.replace('\'', r"'\''"));
    Some(match Language::deserialize(&args["language"]).ok()? {
        Language::Python => format!("python3 -c {}", quoted()),
        Language::Node => format!("node -e {}", quoted()),
        Language::Bash => code.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn code_is_one_word_whatever_stands_in_it() {
        let args = json!({ "language": "python", "code": "print('a')\nprint(\"$x\")" });
        let command = command_of(&args);
        assert_eq!(command.as_deref(), Some("python3 -c 'print('\\''a'\\'')\nprint(\"$x\")'"));
    }
}
