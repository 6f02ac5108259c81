//! A shell that stays open in a container and runs one command after another.
//!
//! Starting a program through the engine takes as long as a hundred commands in a shell that already
//! waits. So a session is started once and reused, see `shell_session.sh` for its side of the protocol.

use std::pin::Pin;
use std::time::Duration;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::exec::{ResizeExecOptions, StartExecOptions, StartExecResults};
use bollard::models::ExecConfig;
use futures_util::{Stream, StreamExt as _};
use tokio::io::{AsyncWrite, AsyncWriteExt as _};

use super::super::running::Stream as Which;
use super::marks::{Marks, Part};
use super::trouble;

/// The script of a session: waits for commands and runs them.
const SCRIPT: &str = concat!(include_str!("sweep.sh"), include_str!("shell_session.sh"));

/// The script of a second shell: sends a signal to everything the command of a session has started.
const SIGNAL: &str = concat!(include_str!("sweep.sh"), "sweep \"$1\" \"$2\"\n");

/// The script of a second shell: ends everything the command of a session has started.
const CLEAR: &str = concat!(include_str!("sweep.sh"), "clear \"$1\"\n");

/// The script of a second shell: waits until it is killed. The session reads its standard input.
const HOLDER: &str = "printf '%s\\n' \"$$\"; kill -STOP \"$$\"";

/// The keys by which a client of the engine detaches from a terminal. The engine needs some, so these are
/// ones that nobody types.
const LEAVE: &str = "ctrl-^,ctrl-@,ctrl-^,ctrl-_,ctrl-@,ctrl-_,ctrl-^,ctrl-@";

/// How long a shell may take to start or to take a command. What runs in its container can stop it, so
/// the wait must end.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How much is read at once, in bytes.
const PIECE: usize = 64 * 1024;

/// A shell that waits in a container.
pub(super) struct ShellSession {
    pid: String,
    output: Output,
    input: Input,
    /// Where its commands are written to, if not to its own input. It stays open as long as the session.
    commands: Option<Box<Shell>>,
    marks: [Marks; 2],
}

type Output = Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>;

type Input = Pin<Box<dyn AsyncWrite + Send>>;

/// A shell that was started in a container.
struct Shell {
    exec: String,
    output: Output,
    input: Input,
}

/// Rows and columns of a terminal.
pub(super) type Size = (u16, u16);

/// What comes from a session, in order.
#[derive(Debug)]
pub(super) enum Received<'b> {
    /// Output of its command.
    Written(Which, &'b [u8]),
    /// A report of the session itself.
    Report(ShellReport),
}

/// What a session reports about its command.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum ShellReport {
    /// The command begins.
    Begun,
    /// The command does not run.
    Refused(Refused),
    /// The command has ended with this code.
    Ended {
        code: i32,
        /// True if it left more processes behind than could be ended.
        swamped: bool,
    },
    /// Everything it wrote to standard error has arrived.
    NoMoreErrors,
}

/// Why a command does not run in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its folder is not there.
    Folder,
    /// The image has no such program, for a program that must come from the image.
    Program,
    /// Its private files cannot be written.
    Files,
}

impl ShellSession {
    /// Starts a shell in a container.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn start(docker: &Docker, container: &str) -> Result<ShellSession, String> {
        in_time(async {
            let shell = start(docker, container, SCRIPT, &[], false).await?;
            ShellSession::of(shell, None).await
        })
        .await
    }

    /// Starts a session with a terminal of its own. It takes one command.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn at_terminal(
        docker: &Docker,
        container: &str,
        (height, width): Size,
    ) -> Result<ShellSession, String> {
        in_time(async {
            let mut commands = start(docker, container, HOLDER, &[], false).await?;
            let holder = commands.pid().await?;
            let shell = start(docker, container, SCRIPT, &[&holder], true).await?;
            let exec = shell.exec.clone();
            let session = ShellSession::of(shell, Some(Box::new(commands))).await?;
            let size = ResizeExecOptions { height, width };
            docker.resize_exec(&exec, size).await.map_err(trouble)?;
            Ok(session)
        })
        .await
    }

    async fn of(mut shell: Shell, commands: Option<Box<Shell>>) -> Result<ShellSession, String> {
        let pid = shell.pid().await?;
        let marks = [Marks::default(), Marks::default()];
        Ok(ShellSession { pid, output: shell.output, input: shell.input, commands, marks })
    }

    /// Gives the session a command. `word` marks the session's own lines, so nobody must be able to guess
    /// it. A command that reads input is the session's last.
    ///
    /// # Errors
    /// If the session has ended.
    pub(super) async fn give(
        &mut self,
        word: &str,
        script: &str,
        reads: bool,
    ) -> std::io::Result<()> {
        self.marks.iter_mut().for_each(|marks| marks.expect(word));
        let reads = if reads { "yes" } else { "no" };
        let text = format!("{word}\n{reads}\n{script}{word}\n");
        let input = match &mut self.commands {
            Some(shell) => &mut shell.input,
            None => &mut self.input,
        };
        let given = async {
            input.write_all(text.as_bytes()).await?;
            input.flush().await
        };
        tokio::time::timeout(PATIENCE, given).await?
    }

    /// The input of its command, and its outputs. Both at once, since a command that does not read must
    /// still be able to write.
    pub(super) fn parts(&mut self) -> (&mut Input, Outputs<'_>) {
        (&mut self.input, Outputs { output: &mut self.output, marks: &mut self.marks })
    }

    pub(super) fn pid(&self) -> &str {
        &self.pid
    }
}

/// The outputs of a session.
pub(super) struct Outputs<'s> {
    output: &'s mut Output,
    marks: &'s mut [Marks; 2],
}

impl Outputs<'_> {
    /// Waits for the next output. False: the session has ended.
    pub(super) async fn next(&mut self, mut receive: impl FnMut(Received<'_>)) -> bool {
        let Some(Ok(piece)) = self.output.next().await else {
            for (marks, which) in self.marks.iter_mut().zip([Which::Output, Which::Error]) {
                marks.finish(|part| received(which, part, &mut receive));
            }
            return false;
        };
        let (at, which) = match &piece {
            LogOutput::StdErr { .. } => (1, Which::Error),
            _ => (0, Which::Output),
        };
        self.marks[at].push(piece.as_ref(), |part| received(which, part, &mut receive));
        true
    }
}

fn received(which: Which, part: Part<'_>, receive: &mut impl FnMut(Received<'_>)) {
    match part {
        Part::Output(bytes) => receive(Received::Written(which, bytes)),
        Part::Mark(mark) => {
            if let Some(report) = read(mark) {
                receive(Received::Report(report));
            }
        }
    }
}

fn read(mark: &str) -> Option<ShellReport> {
    // A terminal ends its lines with both.
    match mark.trim_end_matches('\r') {
        "begin" => Some(ShellReport::Begun),
        "folder" => Some(ShellReport::Refused(Refused::Folder)),
        "program" => Some(ShellReport::Refused(Refused::Program)),
        "files" => Some(ShellReport::Refused(Refused::Files)),
        "end" => Some(ShellReport::NoMoreErrors),
        mark => {
            let (code, swamped) = match mark.strip_suffix(" swamped") {
                Some(code) => (code, true),
                None => (mark, false),
            };
            Some(ShellReport::Ended { code: code.parse().ok()?, swamped })
        }
    }
}

/// Sends a signal to everything the command of a session has started. Nobody waits for that: what runs
/// in the container could stop the shell that sends it.
pub(super) fn signal(docker: &Docker, container: &str, session: &str, signal: &str) {
    let (docker, container) = (docker.clone(), container.to_owned());
    let words = [session.to_owned(), signal.to_owned()];
    let sending = async move {
        let words = words.each_ref().map(String::as_str);
        // It writes nothing; only its end matters.
        if let Ok(mut shell) = start(&docker, &container, SIGNAL, &words, false).await {
            while shell.output.next().await.is_some() {}
        }
    };
    tokio::spawn(tokio::time::timeout(PATIENCE, sending));
}

/// Ends everything the command of a session has started. False if that failed.
pub(super) async fn clear(docker: &Docker, container: &str, session: &str) -> bool {
    tokio::time::timeout(PATIENCE, cleared(docker, container, session)).await.unwrap_or(false)
}

async fn cleared(docker: &Docker, container: &str, session: &str) -> bool {
    const DONE: &str = "done";
    let script = format!("{CLEAR} && echo {DONE}", CLEAR = CLEAR.trim_end());
    let Ok(mut shell) = start(docker, container, &script, &[session], false).await else {
        return false;
    };
    let mut said = Vec::new();
    while let Some(Ok(piece)) = shell.output.next().await {
        said.extend_from_slice(piece.as_ref());
    }
    said.starts_with(DONE.as_bytes())
}

impl Shell {
    /// Its process id, which is the first thing it writes.
    async fn pid(&mut self) -> Result<String, String> {
        let mut said = String::new();
        while !said.ends_with('\n') {
            let Some(Ok(piece)) = self.output.next().await else { break };
            said.push_str(&String::from_utf8_lossy(piece.as_ref()));
        }
        let pid = said.trim();
        if pid.is_empty() || !pid.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("its shell does not start: {pid}"));
        }
        Ok(pid.to_owned())
    }
}

/// The result of a start, unless it takes too long.
async fn in_time(
    starting: impl Future<Output = Result<ShellSession, String>>,
) -> Result<ShellSession, String> {
    let late = |_| Err("its shell does not start in time".to_owned());
    tokio::time::timeout(PATIENCE, starting).await.unwrap_or_else(late)
}

/// Starts a shell with a script and its arguments.
async fn start(
    docker: &Docker,
    container: &str,
    script: &str,
    arguments: &[&str],
    tty: bool,
) -> Result<Shell, String> {
    let words = ["sh", "-c", script, "sh"].into_iter().chain(arguments.iter().copied());
    let config = ExecConfig {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        detach_keys: tty.then(|| LEAVE.to_owned()),
        tty: Some(tty),
        cmd: Some(words.map(str::to_owned).collect()),
        ..ExecConfig::default()
    };
    let made = docker.create_exec(container, config).await.map_err(trouble)?;
    let options =
        StartExecOptions { output_capacity: Some(PIECE), tty, ..StartExecOptions::default() };
    match docker.start_exec(&made.id, Some(options)).await.map_err(trouble)? {
        StartExecResults::Attached { output, input } => Ok(Shell { exec: made.id, output, input }),
        StartExecResults::Detached => Err("the engine does not attach to it".into()),
    }
}
