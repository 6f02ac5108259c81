//! A shell in a container that waits for commands and runs one after the other. To start a program
//! there takes the engine as long as a hundred commands that wait for nobody.

use std::pin::Pin;

use bollard::Docker;
use bollard::container::LogOutput;
use bollard::exec::{StartExecOptions, StartExecResults};
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

/// How much is read at once.
const PIECE: usize = 64 * 1024;

/// A shell that waits in a container.
pub(super) struct Seat {
    pid: String,
    output: Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    input: Pin<Box<dyn AsyncWrite + Send>>,
    marks: [Marks; 2],
}

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
        let (output, input) = start(docker, container, SCRIPT, &[]).await?;
        let marks = [Marks::default(), Marks::default()];
        let mut seat = Seat { pid: String::new(), output, input, marks };
        let mut said = String::new();
        while !said.ends_with('\n') {
            let Some(Ok(piece)) = seat.output.next().await else { break };
            said.push_str(&String::from_utf8_lossy(piece.as_ref()));
        }
        seat.pid = said.trim().to_owned();
        if seat.pid.is_empty() || !seat.pid.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("its shell does not start: {}", said.trim()));
        }
        Ok(seat)
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
        self.input.write_all(text.as_bytes()).await?;
        self.input.flush().await
    }

    /// Gives its command an input, and nothing after it. Both halves, since a command that does not
    /// read must be able to write.
    pub(super) fn parts(&mut self) -> (&mut Pin<Box<dyn AsyncWrite + Send>>, Outputs<'_>) {
        (&mut self.input, Outputs { output: &mut self.output, marks: &mut self.marks })
    }

    pub(super) fn pid(&self) -> &str {
        &self.pid
    }
}

/// What a seat writes.
pub(super) struct Outputs<'s> {
    output: &'s mut Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
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
    match mark {
        "begin" => Some(Told::Begun),
        "folder" => Some(Told::Refused(Refused::Folder)),
        "program" => Some(Told::Refused(Refused::Program)),
        "files" => Some(Told::Refused(Refused::Files)),
        "end" => Some(Told::NoMoreErrors),
        _ => {
            let (code, swamped) = match mark.strip_suffix(" swamped") {
                Some(code) => (code, true),
                None => (mark, false),
            };
            Some(Told::Ended { code: code.parse().ok()?, swamped })
        }
    }
}

/// Sends a signal to what the command of a seat has started.
pub(super) async fn signal(docker: &Docker, container: &str, seat: &str, signal: &str) {
    // What it writes is nothing; its end is what is waited for.
    if let Ok((mut output, _)) = start(docker, container, SIGNAL, &[seat, signal]).await {
        while output.next().await.is_some() {}
    }
}

/// Ends whatever the command of a seat has started. False where that failed.
pub(super) async fn clear(docker: &Docker, container: &str, seat: &str) -> bool {
    const DONE: &str = "done";
    let script = format!("{CLEAR} && echo {DONE}", CLEAR = CLEAR.trim_end());
    let Ok((mut output, _)) = start(docker, container, &script, &[seat]).await else {
        return false;
    };
    let mut said = Vec::new();
    while let Some(Ok(piece)) = output.next().await {
        said.extend_from_slice(piece.as_ref());
    }
    said.starts_with(DONE.as_bytes())
}

type Ends = (
    Pin<Box<dyn Stream<Item = Result<LogOutput, bollard::errors::Error>> + Send>>,
    Pin<Box<dyn AsyncWrite + Send>>,
);

/// Starts a shell with a script and its arguments.
async fn start(
    docker: &Docker,
    container: &str,
    script: &str,
    arguments: &[&str],
) -> Result<Ends, String> {
    let words = ["sh", "-c", script, "sh"].into_iter().chain(arguments.iter().copied());
    let config = ExecConfig {
        attach_stdin: Some(true),
        attach_stdout: Some(true),
        attach_stderr: Some(true),
        cmd: Some(words.map(str::to_owned).collect()),
        ..ExecConfig::default()
    };
    let made = docker.create_exec(container, config).await.map_err(trouble)?;
    let options = StartExecOptions { output_capacity: Some(PIECE), ..StartExecOptions::default() };
    match docker.start_exec(&made.id, Some(options)).await.map_err(trouble)? {
        StartExecResults::Attached { output, input } => Ok((output, input)),
        StartExecResults::Detached => Err("the engine does not attach to it".into()),
    }
}
