//! What is started for a command, and with which variables.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::confine::walls::Launch;
use super::console::Console;
use super::environment::Variables;
use super::not_run::NotRun;
use super::opened::enter;
use super::request::ExecRequest;
use crate::shell::{REMOVED, Run, SET, SHELL_OPTIONS, precheck::LONGEST_RUN};

/// What is started for a command: itself, or a shell with its script. Its folder lies at `lies_at`.
///
/// # Errors
/// Where its folder cannot be entered, or there is no such program.
pub(super) fn launch(
    request: &ExecRequest,
    mut variables: Variables,
    lies_at: &Path,
) -> Result<Launch, NotRun> {
    let cwd = request.cwd.clone();
    enter(&cwd, lies_at)?;
    let shell = ["/bin/bash", "/usr/bin/bash", "/bin/sh", "/usr/bin/sh"];
    let (path, words): (PathBuf, Vec<OsString>) = match &request.run {
        Run::Direct { program, arguments, environment } => {
            variables.extend(environment.iter().cloned());
            let path = found(program, &variables, &cwd)?;
            let words = std::iter::once(program).chain(arguments);
            (path, words.map(OsString::from).collect())
        }
        Run::Canonical { script } | Run::Verbatim { text: script } => {
            if matches!(request.run, Run::Canonical { .. }) {
                variables
                    .extend(SET.iter().map(|(name, value)| (name.to_string(), value.to_string())));
            }
            let shell = shell.iter().map(Path::new).find(|path| path.exists());
            let shell = shell.ok_or_else(|| NotRun::NoProgram("sh".into()))?;
            let is_bash = shell.ends_with("bash");
            let options = if is_bash { SHELL_OPTIONS } else { &[] };
            let name = if is_bash { "bash" } else { "sh" };
            let words = std::iter::once(name).chain(options.iter().copied()).chain(["-c", script]);
            (shell.to_owned(), words.map(OsString::from).collect())
        }
    };
    check_length(&words)?;
    variables.extend(request.variables.clone());
    variables.insert("PWD".into(), cwd.display().to_string());
    REMOVED.iter().for_each(|name| drop(variables.remove(*name)));
    let terminal = match request.console {
        Console::Terminal { rows, columns } => Some((rows, columns)),
        Console::Once | Console::Open => None,
    };
    if terminal.is_some() {
        variables.entry("TERM".into()).or_insert_with(|| "xterm-256color".into());
    }
    let variables = variables.into_iter().map(|(name, value)| format!("{name}={value}").into());
    Ok(Launch { file: None, path, words, variables: variables.collect(), cwd, terminal })
}

/// An error for a word with which the system starts no program.
fn check_length(words: &[OsString]) -> Result<(), NotRun> {
    match words.iter().map(|word| word.len()).max() {
        Some(longest) if longest > LONGEST_RUN => Err(NotRun::TooLong(longest)),
        _ => Ok(()),
    }
}

/// Where a program stands: by its path, or by the folders of `PATH`.
fn found(program: &str, variables: &Variables, cwd: &Path) -> Result<PathBuf, NotRun> {
    if program.contains('/') {
        return Ok(cwd.join(program));
    }
    let folders = variables.get("PATH").map(String::as_str).unwrap_or_default();
    let paths = folders.split(':').map(|folder| Path::new(folder).join(program));
    let mut programs = paths.filter(|path| is_program(path));
    programs.next().ok_or_else(|| NotRun::NoProgram(program.to_owned()))
}

fn is_program(path: &Path) -> bool {
    path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
}
