//! A shell in a container that waits for commands and runs one after the other. To start a program
//! there takes the engine as long as a hundred commands that wait for nobody.

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

/// What the shell in a container is told to do: to wait for commands.
const SCRIPT: &str = concat!(include_str!("sweep.sh"), include_str!("seat.sh"));

/// What another one is told: to send a signal to what the command of a seat has started.
const SIGNAL: &str = concat!(include_str!("sweep.sh"), "sweep \"$1\" \"$2\"\n");

/// What another one is told: to end all of that.
const CLEAR: &str = concat!(include_str!("sweep.sh"), "clear \"$1\"\n");

/// What another one is told: to wait until it is killed. Its standard input is another's to read.
const HOLDER: &str = "printf '%s\\n' \"$$\"; kill -STOP \"$$\"";

/// The keys by which a client of the engine leaves a terminal. There must be some, and nobody types these.
const LEAVE: &str = "ctrl-^,ctrl-@,ctrl-^,ctrl-_,ctrl-@,ctrl-_,ctrl-^,ctrl-@";

/// How long a shell may take to start, or to be told something. What runs in its container can stop it.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// A shell that waits in a container.
pub(super) struct Seat {
    pid: String,
    output: Output,
    input: Input,
    /// Where its commands are written to, if that is not its input. It stays open as long as this does.
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

/// What comes from a seat, in its order.
#[derive(Debug)]
pub(super) enum Heard<'b> {
    /// What its command has written.
    Written(Which, &'b [u8]),
    /// What it says itself.
    Told(Told),
}

/// What a seat says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Told {
    /// The command begins.
    Begun,
    /// It does not run.
    Refused(Refused),
    /// It has ended with this code.
    Ended {
        code: i32,
        /// More was left behind than could be ended.
        swamped: bool,
    },
    /// Its errors are all there.
    NoMoreErrors,
}

/// Why a command does not run in its container.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// Its folder is not there.
    Folder,
    /// The image has no such program, where only the image has its say.
    Program,
    /// Its private files cannot be written.
    Files,
}

impl Seat {
    /// Starts a shell in a container.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn start(docker: &Docker, container: &str) -> Result<Seat, String> {
        in_time(async {
            let shell = start(docker, container, SCRIPT, &[], false).await?;
            Seat::of(shell, None).await
        })
        .await
    }

    /// Starts one at a terminal of its own. It takes one command.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn at_terminal(
        docker: &Docker,
        container: &str,
        (height, width): Size,
    ) -> Result<Seat, String> {
        in_time(async {
            let mut commands = start(docker, container, HOLDER, &[], false).await?;
            let holder = commands.pid().await?;
            let shell = start(docker, container, SCRIPT, &[&holder], true).await?;
            let exec = shell.exec.clone();
            let seat = Seat::of(shell, Some(Box::new(commands))).await?;
            let size = ResizeExecOptions { height, width };
            docker.resize_exec(&exec, size).await.map_err(trouble)?;
            Ok(seat)
        })
        .await
    }

    async fn of(mut shell: Shell, commands: Option<Box<Shell>>) -> Result<Seat, String> {
        let pid = shell.pid().await?;
        let marks = [Marks::default(), Marks::default()];
        Ok(Seat { pid, output: shell.output, input: shell.input, commands, marks })
    }

    /// Gives it a command. `word` is one that nobody can guess. A command with an input is its last.
    ///
    /// # Errors
    /// If it has gone.
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

    /// Gives its command an input, and nothing after it. Both halves, since a command that does not
    /// read must be able to write.
    pub(super) fn parts(&mut self) -> (&mut Input, Outputs<'_>) {
        (&mut self.input, Outputs { output: &mut self.output, marks: &mut self.marks })
    }

    pub(super) fn pid(&self) -> &str {
        &self.pid
    }
}

/// What a seat writes.
pub(super) struct Outputs<'s> {
    output: &'s mut Output,
    marks: &'s mut [Marks; 2],
}

impl Outputs<'_> {
    /// Waits for the next of what it writes. False: it has gone.
    pub(super) async fn next(&mut self, mut hear: impl FnMut(Heard<'_>)) -> bool {
        let Some(Ok(piece)) = self.output.next().await else {
            for (marks, which) in self.marks.iter_mut().zip([Which::Output, Which::Error]) {
                marks.finish(|part| heard(which, part, &mut hear));
            }
            return false;
        };
        let (at, which) = match &piece {
            LogOutput::StdErr { .. } => (1, Which::Error),
            _ => (0, Which::Output),
        };
        self.marks[at].push(piece.as_ref(), |part| heard(which, part, &mut hear));
        true
    }
}

fn heard(which: Which, part: Part<'_>, hear: &mut impl FnMut(Heard<'_>)) {
    match part {
        Part::Output(bytes) => hear(Heard::Written(which, bytes)),
        Part::Mark(mark) => {
            if let Some(told) = read(mark) {
                hear(Heard::Told(told));
            }
        }
    }
}

fn read(mark: &str) -> Option<Told> {
    // A terminal ends its lines with both.
    match mark.trim_end_matches('\r') {
        "begin" => Some(Told::Begun),
        "folder" => Some(Told::Refused(Refused::Folder)),
        "program" => Some(Told::Refused(Refused::Program)),
        "files" => Some(Told::Refused(Refused::Files)),
        "end" => Some(Told::NoMoreErrors),
        mark => {
            let (code, swamped) = match mark.strip_suffix(" swamped") {
                Some(code) => (code, true),
                None => (mark, false),
            };
            Some(Told::Ended { code: code.parse().ok()?, swamped })
        }
    }
}

/// Sends a signal to what the command of a seat has started. Nobody waits for it: what runs there could
/// stop whoever sends it.
pub(super) fn signal(docker: &Docker, container: &str, seat: &str, signal: &str) {
    let (docker, container) = (docker.clone(), container.to_owned());
    let words = [seat.to_owned(), signal.to_owned()];
    let sending = async move {
        let words = words.each_ref().map(String::as_str);
        // What it writes is nothing; its end is what is waited for.
        if let Ok(mut shell) = start(&docker, &container, SIGNAL, &words, false).await {
            while shell.output.next().await.is_some() {}
        }
    };
    tokio::spawn(tokio::time::timeout(PATIENCE, sending));
}

/// Ends whatever the command of a seat has started. False where that failed.
pub(super) async fn clear(docker: &Docker, container: &str, seat: &str) -> bool {
    tokio::time::timeout(PATIENCE, cleared(docker, container, seat)).await.unwrap_or(false)
}

async fn cleared(docker: &Docker, container: &str, seat: &str) -> bool {
    const DONE: &str = "done";
    let script = format!("{CLEAR} && echo {DONE}", CLEAR = CLEAR.trim_end());
    let Ok(mut shell) = start(docker, container, &script, &[seat], false).await else {
        return false;
    };
    let mut said = Vec::new();
    while let Some(Ok(piece)) = shell.output.next().await {
        said.extend_from_slice(piece.as_ref());
    }
    said.starts_with(DONE.as_bytes())
}

impl Shell {
    /// Its number, which is the first that it writes.
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

/// What comes of a start, unless it takes too long.
async fn in_time(starting: impl Future<Output = Result<Seat, String>>) -> Result<Seat, String> {
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
