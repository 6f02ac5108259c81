//! One command that runs in a container: reads its output, waits for its end, and ends it on time.

use std::time::{Duration, Instant};

use bollard::Docker;
use tokio::io::AsyncWriteExt as _;

use super::super::console::{Console, END_OF_INPUT};
use super::super::control::Control;
use super::super::disk::Disks;
use super::super::limits;
use super::super::protected_paths::Absent;
use super::super::replaced::Kept;
use super::super::request::ExecRequest;
use super::super::running::{Cut, Ended, GRACE, Status, Stream, Written};
use super::shell_session::{self, Received, Refused, ShellReport, ShellSession};

/// How long to wait for a killed command to end, before its container is ended.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// How often requests to the command (input, signals, its cancellation) are looked at: soon enough for
/// a person, and rare enough to cost nothing.
const LOOK: Duration = Duration::from_millis(25);

/// How often, if a protected path could appear: what Git would obey must be renamed quickly.
const SHORT_LOOK: Duration = Duration::from_millis(5);

/// A command and where it runs.
pub(super) struct Running<'r> {
    pub(super) client: &'r Docker,
    pub(super) container: &'r str,
    pub(super) session: ShellSession,
}

/// What became of a command.
pub(super) struct Run {
    /// How it ended, or why it has not run.
    pub(super) ended: Result<Ended, Refused>,
    pub(super) left: Left,
}

/// What a command leaves behind in its container.
pub(super) enum Left {
    /// A session that takes another command.
    Idle(ShellSession),
    /// Nothing.
    Nothing,
    /// Processes that only end with their container.
    Trouble,
}

/// What is known of a command so far.
#[derive(Default)]
struct State {
    has_begun: bool,
    refused: Option<Refused>,
    code: Option<(i32, bool)>,
    no_more_errors: bool,
    is_gone: bool,
    cut: Option<Cut>,
    killed: bool,
}

/// What is to be done to end a command.
enum Due {
    Nothing,
    Signal(&'static str),
    GiveUp,
}

impl State {
    fn is_over(&self) -> bool {
        self.is_gone || (self.code.is_some() && self.no_more_errors)
    }

    /// What is to be done to end it, and when the next is.
    fn due(&mut self, wanted: Option<Cut>, until: &mut Option<Instant>) -> Due {
        let is_due = until.is_some_and(|until| Instant::now() >= until);
        match self.cut {
            _ if self.is_over() => Due::Nothing,
            None if wanted.is_some_and(Cut::is_at_once) => {
                (self.cut, self.killed) = (wanted, true);
                *until = Some(Instant::now() + LAST_WAIT);
                Due::Signal("KILL")
            }
            None if wanted.is_some() || is_due => {
                self.cut = Some(wanted.unwrap_or(Cut::Deadline));
                *until = Some(Instant::now() + GRACE);
                Due::Signal("TERM")
            }
            Some(_) if is_due && self.killed => Due::GiveUp,
            Some(_) if is_due => {
                self.killed = true;
                *until = Some(Instant::now() + LAST_WAIT);
                Due::Signal("KILL")
            }
            _ => Due::Nothing,
        }
    }

    fn note(&mut self, report: ShellReport) {
        match report {
            ShellReport::Begun => self.has_begun = true,
            ShellReport::Refused(why) => self.refused = Some(why),
            ShellReport::Ended { code, swamped } => self.code = Some((code, swamped)),
            ShellReport::NoMoreErrors => self.no_more_errors = true,
        }
    }
}

/// What a shell is given to run.
#[derive(Clone, Copy)]
pub(super) struct Given<'r> {
    /// What the container is kept from by mounts.
    pub(super) kept: &'r Kept,
    pub(super) script: &'r str,
    pub(super) request: &'r ExecRequest,
    pub(super) deadline: Option<Instant>,
    pub(super) disk_left: limits::Left,
    pub(super) control: &'r Control,
}

/// Passes on what a session sends: first that the command begins, then what it writes.
struct OutputRouter<B, S> {
    begun: Option<B>,
    sink: S,
    /// What came on standard error before the command was reported to begin: it is another stream, and may overtake.
    early: Vec<(Stream, Vec<u8>)>,
}

impl<B: FnOnce(), S: FnMut(Stream, Written<'_>)> OutputRouter<B, S> {
    fn give(&mut self, stream: Stream, bytes: &[u8]) {
        (self.sink)(stream, &mut |text| text.extend_from_slice(bytes));
    }

    fn receive(&mut self, received: Received<'_>, state: &mut State) {
        match received {
            Received::Written(stream, bytes) if self.begun.is_some() => {
                self.early.push((stream, bytes.to_vec()));
            }
            Received::Written(stream, bytes) => self.give(stream, bytes),
            Received::Report(report) => {
                if report == ShellReport::Begun
                    && let Some(begun) = self.begun.take()
                {
                    begun();
                    for (stream, bytes) in std::mem::take(&mut self.early) {
                        self.give(stream, &bytes);
                    }
                }
                state.note(report);
            }
        }
    }
}

/// What is still to be read by a command.
struct Input {
    rest: Vec<u8>,
    is_all: bool,
    is_over: bool,
    is_terminal: bool,
}

impl Input {
    fn add(&mut self, bytes: Vec<u8>, is_all: bool) {
        self.rest.extend(bytes);
        if is_all && self.is_terminal {
            self.rest.push(END_OF_INPUT);
        }
        self.is_all |= is_all && !self.is_terminal;
    }

    /// True once, when nothing more will be written.
    fn ends(&mut self) -> bool {
        let ends = self.is_all && self.rest.is_empty() && !self.is_over;
        self.is_over |= ends;
        ends
    }
}

impl Running<'_> {
    /// Runs a script to its end, and calls `begun` when it begins. `None`: the shell ended before that.
    pub(super) async fn run(
        mut self,
        given: Given<'_>,
        absent: &mut Absent,
        begun: impl FnOnce(),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Option<Run> {
        let Given { script, request, deadline: mut until, disk_left, control, kept } = given;
        let mut kept = kept.clone();
        let mut disks = Disks::of(request.owner.workspace.as_deref().into_iter(), disk_left);
        let since = Instant::now();
        let is_all = request.console == Console::Once;
        let reads = !is_all || !request.input.is_empty();
        let is_terminal = matches!(request.console, Console::Terminal { .. });
        let mut input = Input { rest: request.input.clone(), is_all, is_over: !reads, is_terminal };
        let word = uuid::Uuid::new_v4().simple().to_string();
        self.session.give(&word, script, reads).await.ok()?;
        let mut router = OutputRouter { begun: Some(begun), sink, early: Vec::new() };
        let mut state = State::default();
        let pid = self.session.pid().to_owned();
        let (writer, mut outputs) = self.session.parts();
        let look = if absent.ready().is_some() { SHORT_LOOK } else { LOOK };
        while !state.is_over() {
            tokio::select! {
                biased;
                is_there = outputs.next(|received| router.receive(received, &mut state)) => {
                    state.is_gone = !is_there;
                }
                written = writer.write(&input.rest), if !input.rest.is_empty() => {
                    // If that fails, nobody reads the input any more.
                    let count = written.unwrap_or(input.rest.len());
                    input.rest.drain(..count);
                    control.has_read(count);
                }
                () = tokio::time::sleep(disks.soon(look)) => {}
            }
            let wishes = control.take();
            input.add(wishes.input, wishes.end_of_input);
            if input.ends() {
                let _ = writer.shutdown().await;
            }
            for signal in wishes.signals {
                shell_session::signal(self.client, self.container, &pid, &signal.to_string());
            }
            let wanted = match wishes.cancelled {
                true => Some(Cut::Cancelled),
                false if absent.look() => Some(Cut::Appeared),
                false => match disks.used_up() {
                    Some(used_up) => Some(Cut::Disk(used_up)),
                    None => kept.replaced().map(|_| Cut::Replaced),
                },
            };
            match state.due(wanted, &mut until) {
                Due::Nothing => {}
                Due::GiveUp => break,
                Due::Signal(signal) => {
                    shell_session::signal(self.client, self.container, &pid, signal);
                }
            }
        }
        self.end(state, since, reads).await
    }

    async fn end(self, state: State, since: Instant, reads: bool) -> Option<Run> {
        if !state.has_begun && state.refused.is_none() && state.is_gone && state.cut.is_none() {
            return None;
        }
        let took = since.elapsed();
        let status = match state.code {
            // The session's shell reports only the exit code. 128 and more may mean a signal, or be the command's own choice.
            Some((code, _)) => Status::Exited(code),
            None => Status::Lost,
        };
        let ended = Ended { status, cut: state.cut, took };
        let left = match state.code {
            Some((_, true)) => Left::Trouble,
            Some(_) if !state.is_gone && !reads => Left::Idle(self.session),
            Some(_) => Left::Nothing,
            // The session's shell was ended, so it is unknown what else is still running.
            None if state.is_gone => {
                match shell_session::clear(self.client, self.container, self.session.pid()).await {
                    true => Left::Nothing,
                    false => Left::Trouble,
                }
            }
            None => Left::Trouble,
        };
        Some(Run { ended: state.refused.map_or(Ok(ended), Err), left })
    }
}
