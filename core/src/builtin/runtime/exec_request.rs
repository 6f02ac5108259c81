//! How a judged command becomes an order to run it.

use std::path::PathBuf;
use std::time::Duration;

use crate::builtin::Deps;
use crate::error::Code;
use crate::exec::sandbox::CommandOwner;
use crate::exec::{Console, ExecRequest, NotRun};
use crate::tool::{CallContext, Caller, ToolError};

/// A command as a call wants it run.
pub(super) struct Wanted<'w> {
    pub(super) command: &'w str,
    /// The argument that it is.
    pub(super) argument: &'static str,
    pub(super) input: Vec<u8>,
    pub(super) console: Console,
    pub(super) timeout: Duration,
}

/// The order to run the command of a call as its plan says.
///
/// # Errors
/// Where it is empty, was not judged, or there is no workspace.
pub(super) async fn request(
    deps: &Deps,
    wanted: Wanted<'_>,
    cx: &CallContext,
) -> Result<ExecRequest, ToolError> {
    if wanted.command.trim().is_empty() {
        let text = format!("`{}` is empty; give what is to run.", wanted.argument);
        return Err(ToolError::new(Code::InvalidArguments, text));
    }
    let plan = cx.plan().ok_or_else(|| {
        ToolError::new(Code::Internal, "The command was not judged, so it has not run.")
    })?;
    // Without a workspace there is no folder to run in, as for files.
    deps.files.check_workspace(cx)?;
    let caller = cx.caller();
    let places = deps.files.places(caller)?;
    let visible = places.readable.iter().chain(&places.writable).map(PathBuf::from).collect();
    let session = deps.sessions.key(caller);
    Ok(ExecRequest {
        run: plan.run.clone(),
        cwd: PathBuf::from(&plan.cwd),
        held_to: plan.confinement.clone(),
        visible,
        variables: Default::default(),
        input: wanted.input,
        nested: Default::default(),
        console: wanted.console,
        session: temp_of(caller, session.as_deref()),
        opened: None,
        isolated: None,
        owner: CommandOwner::of(caller, session, &places),
        timeout: wanted.timeout,
    })
}

/// Whose temporary folder a command has, as the key of a session says it.
pub(super) fn temp_of(caller: &Caller, session: Option<&str>) -> String {
    format!("{}\0{}", caller.tenant, session.unwrap_or_default())
}

/// Why a command did not run, as a model is told.
pub(super) fn not_run(error: NotRun) -> ToolError {
    match error {
        NotRun::NoProgram(program) => {
            let text = format!(
                "There is no program `{program}` here, so nothing has run. Look with \
                 `command -v {program}` for another one of the kind, or ask the user to install it."
            );
            ToolError::new(Code::NotFound, text)
        }
        NotRun::TooLong(_) => {
            let text = format!(
                "The command has not run: {error}. Write a long script to a file with `write_file` and \
                 run that file; put long data into a file, too, or give it on standard input."
            );
            ToolError::new(Code::InvalidArguments, text)
        }
        NotRun::NoFolder(folder, error) => {
            let text = format!("`working_dir`: `{folder}` cannot be entered: {error}.");
            ToolError::new(Code::NotFound, text)
        }
        NotRun::Unconfined(why) => {
            let text = format!(
                "The command has not run, since it could not be confined as it must be: {why}. The \
                 owner can change `exec.confinement` or `exec.require`."
            );
            ToolError::new(Code::Unavailable, text).by_rule("exec.confinement")
        }
        NotRun::Sandbox(why) => {
            let text = format!(
                "The command has not run: it is to run in a sandbox, which cannot be used for it: \
                 {why}. It is never run outside of it."
            );
            ToolError::new(Code::Unavailable, text).by_rule("exec.sandbox")
        }
        NotRun::Busy(path) => {
            let text = format!(
                "The command has not run: Git still writes `{path}` in another one, and this one must \
                 be kept from that. Wait until it has ended, or end it, and run this again."
            );
            ToolError::new(Code::Unavailable, text)
        }
        NotRun::System(why) => {
            ToolError::new(Code::Unavailable, format!("The command could not be run: {why}."))
        }
    }
}
