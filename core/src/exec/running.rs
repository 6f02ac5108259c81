//! One command that runs on the host: reads its output, waits for its end, and ends it on time.

use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::time::{Duration, Instant};

use rustix::buffer::spare_capacity;
use rustix::event::{PollFd, PollFlags, Timespec};
use rustix::io::Errno;
use rustix::net::{RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags};

use super::confine::plan::Plan;
use super::confine::program::Supervisor;
use super::confine::wire;
use super::console::{self, Console, Files, Input, PIECE};
use super::control::Control;
use super::disk::{Disks, UsedUp};
use super::protected_paths::Absent;
use super::replaced::Kept;

/// How long a command has between SIGTERM and SIGKILL.
pub(crate) const GRACE: Duration = Duration::from_secs(3);

/// How long is waited for the end of what was killed, before the call goes on without it.
const LAST_WAIT: Duration = Duration::from_secs(2);

/// How long output is read after the end, where something still holds the pipe.
const DRAIN: Duration = Duration::from_millis(200);

/// Which of the two outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    Output,
    Error,
}

/// What a command has written: puts it behind what a text holds already, so that it is not copied.
pub(crate) type Written<'w> = &'w mut dyn FnMut(&mut Vec<u8>);

/// How a command has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    /// By itself, with this code.
    Exited(i32),
    /// By this signal.
    Signalled(i32),
    /// Unknown: the process that watched it was ended, for example by a system out of memory.
    Lost,
}

/// Why a command was ended before its own end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cut {
    Deadline,
    Cancelled,
    /// It had all but used up a disk.
    Disk(UsedUp),
    /// Something that it was kept from was replaced, and could not be kept from it any more.
    Replaced,
    /// Something has come that it must not make.
    Appeared,
}

impl Cut {
    /// True if it is ended at once: what does harm would go on with it.
    pub(super) fn is_at_once(self) -> bool {
        matches!(self, Cut::Disk(_) | Cut::Replaced | Cut::Appeared)
    }
}

/// What is looked at while a command runs.
pub(crate) struct Watched<'w> {
    pub(crate) disks: Disks,
    /// What it is kept from by mounts.
    pub(crate) kept: Kept,
    /// What it must not make.
    pub(crate) absent: &'w mut Absent,
}

/// What became of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ended {
    pub(crate) status: Status,
    pub(crate) cut: Option<Cut>,
    pub(crate) took: Duration,
}

/// Why a command did not start.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StartError {
    /// The system gives no process, pipe or file.
    #[error("no process could be started: {0}")]
    System(#[from] io::Error),
    /// A step of the confinement failed, so nothing has run.
    #[error("`{step}` failed: {error}")]
    Step {
        /// What was to be done.
        step: String,
        /// True if it was the last: to become the command itself.
        is_last: bool,
        /// What the kernel says.
        error: io::Error,
    },
    /// The confining program ended without a word.
    #[error("the confining program ended before the command ran")]
    Silent,
}

impl StartError {
    /// True if something that a wall was to stand around, or the folder, was there no more.
    pub(crate) fn is_of_what_is_gone(&self) -> bool {
        // Or another thing was there, such as a link.
        matches!(self, StartError::Step { is_last: false, error, .. }
            if matches!(Errno::from_io_error(error), Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP)))
    }
}

/// A started command whose output has not been read yet.
pub(crate) struct Running {
    supervisor: Supervisor,
    outputs: [Option<OwnedFd>; 2],
    input: Option<Input>,
    since: Instant,
}

/// What a step of the confining program says.
enum Report {
    Failed {
        step: u32,
        error: i32,
    },
    /// Our side of the terminal that it has made.
    Terminal(OwnedFd),
    Started,
    Ended(i32),
    Idle,
}

impl Running {
    /// Starts a plan, with these bytes for its standard input, and more to come where the console
    /// stays open.
    ///
    /// # Errors
    /// [`StartError`], where nothing has run.
    pub(crate) fn start(
        supervisor: Supervisor,
        plan: &Plan,
        console: Console,
        input: Vec<u8>,
    ) -> Result<Running, StartError> {
        let since = Instant::now();
        let (files, later) = match plan.makes_terminal() {
            true => (console::nowhere()?, Some(input)),
            false => (console.open(input)?, None),
        };
        let Files { ends, outputs, input } = files;
        supervisor.give(plan, [ends[0].as_fd(), ends[1].as_fd(), ends[2].as_fd()])?;
        drop(ends);
        let running = Running { supervisor, outputs, input, since };
        running.wait_until_started(plan, later)
    }

    /// Waits until the plan has become the command. `later` is the input for a terminal that comes with it.
    fn wait_until_started(
        mut self,
        plan: &Plan,
        mut later: Option<Vec<u8>>,
    ) -> Result<Running, StartError> {
        let error = loop {
            match report(self.supervisor.socket()) {
                Ok(Some(Report::Started)) => return Ok(self),
                Ok(Some(Report::Terminal(ours))) => {
                    match console::of_terminal(ours, later.take().unwrap_or_default()) {
                        Ok(both) => (self.outputs, self.input) = both,
                        Err(error) => break StartError::System(error),
                    }
                }
                Ok(Some(Report::Failed { step, error })) => {
                    break StartError::Step {
                        step: plan.what(step).to_owned(),
                        is_last: step == plan.last(),
                        error: io::Error::from_raw_os_error(error),
                    };
                }
                Ok(Some(Report::Ended(_) | Report::Idle) | None) | Err(_) => {
                    break StartError::Silent;
                }
            }
        };
        self.supervisor.end();
        Err(error)
    }

    /// Reads what it writes until it ends, or is ended: at the deadline, or when somebody cancels.
    /// Nothing that it has started lives on.
    pub(crate) fn finish(
        mut self,
        deadline: Option<Instant>,
        watched: Watched<'_>,
        control: &Control,
        mut sink: impl FnMut(Stream, Written<'_>),
    ) -> (Ended, Remains) {
        let Watched { mut disks, mut kept, absent } = watched;
        let mut ending =
            Ending { deadline, cut: None, killed: false, status: None, is_idle: false };
        while let Some(until) = ending.until() {
            let checks = [disks.next(), kept.next(), absent.next()];
            let until = until.into_iter().chain(checks.into_iter().flatten()).min();
            let ready = self.wait(until, control, absent);
            // At once, because others may read what appeared.
            if absent.look() {
                ending.cut(Cut::Appeared, self.supervisor.socket());
            }
            if ready.input {
                self.feed(control);
            }
            for (at, stream) in [(0, Stream::Output), (1, Stream::Error)] {
                if ready.outputs[at] {
                    self.take(at, |written| sink(stream, written));
                }
            }
            if ready.socket {
                ending.take_report(self.supervisor.socket());
            }
            let is_done = ending.status.is_some() && self.outputs.iter().all(Option::is_none);
            if is_done {
                break;
            }
            if ready.control {
                self.heed(control, &mut ending);
            }
            if let Some(used_up) = disks.used_up() {
                ending.cut(Cut::Disk(used_up), self.supervisor.socket());
            }
            if let Some(path) = kept.replaced() {
                tracing::warn!(path = %path.display(), "a command is ended: this was replaced");
                ending.cut(Cut::Replaced, self.supervisor.socket());
            }
            ending.proceed(self.supervisor.socket());
        }
        let status = ending.status.unwrap_or(Status::Lost);
        let took = self.since.elapsed();
        let remains = Remains { supervisor: self.supervisor, is_idle: ending.is_idle };
        (Ended { status, cut: ending.cut, took }, remains)
    }

    /// Does what was asked for.
    fn heed(&mut self, control: &Control, ending: &mut Ending) {
        let wishes = control.take();
        if wishes.cancelled {
            ending.cut(Cut::Cancelled, self.supervisor.socket());
        }
        for signal in wishes.signals {
            ask(self.supervisor.socket(), wire::TO_GROUP, signal);
        }
        match &mut self.input {
            Some(input) => input.add(wishes.input, wishes.end_of_input),
            None => control.has_read(wishes.input.len()),
        }
        self.input = self.input.take().filter(|input| !input.is_over());
    }

    fn wait(&self, until: Option<Instant>, control: &Control, absent: &Absent) -> Ready {
        let mut files: Vec<(Source, BorrowedFd<'_>, PollFlags)> = Vec::with_capacity(6);
        files.push((Source::Socket, self.supervisor.socket().as_fd(), PollFlags::IN));
        files.push((Source::Control, control.woken(), PollFlags::IN));
        files.extend(absent.ready().map(|file| (Source::Absent, file, PollFlags::IN)));
        for (at, output) in self.outputs.iter().enumerate() {
            if let Some(output) = output {
                files.push((Source::Output(at), output.as_fd(), PollFlags::IN));
            }
        }
        if let Some(file) = self.input.as_ref().and_then(Input::waits) {
            files.push((Source::Input, file, PollFlags::OUT));
        }
        let mut polled: Vec<PollFd<'_>> =
            files.iter().map(|(_, file, flags)| PollFd::from_borrowed_fd(*file, *flags)).collect();
        let left = until.map(|until| until.saturating_duration_since(Instant::now()));
        let left = left.and_then(|left| Timespec::try_from(left).ok());
        let mut ready = Ready::default();
        if rustix::event::poll(&mut polled, left.as_ref()).is_err() {
            return ready;
        }
        for ((source, ..), polled) in files.iter().zip(&polled) {
            if polled.revents().is_empty() {
                continue;
            }
            match source {
                Source::Socket => ready.socket = true,
                Source::Control => ready.control = true,
                // It is looked at in any case.
                Source::Absent => {}
                Source::Output(at) => ready.outputs[*at] = true,
                Source::Input => ready.input = true,
            }
        }
        ready
    }

    fn take(&mut self, at: usize, sink: impl FnOnce(Written<'_>)) {
        let Some(output) = &self.outputs[at] else { return };
        let mut is_over = false;
        sink(&mut |text| {
            text.reserve(PIECE);
            is_over = match rustix::io::read(output, spare_capacity(text)) {
                Ok(count) => count == 0,
                Err(error) => !matches!(error, Errno::INTR | Errno::AGAIN),
            };
        });
        if is_over {
            self.outputs[at] = None;
        }
    }

    fn feed(&mut self, control: &Control) {
        let Some(input) = &mut self.input else { return };
        control.has_read(input.write());
        self.input = self.input.take().filter(|input| !input.is_over());
    }
}

/// What remains of a command that has ended: the process that watched over it.
#[derive(Debug)]
pub(crate) struct Remains {
    supervisor: Supervisor,
    is_idle: bool,
}

impl Remains {
    /// Waits until nothing runs any more. Gives the supervisor if it can take another command.
    pub(crate) fn wait(self) -> Option<Supervisor> {
        let mut is_idle = self.is_idle;
        while !is_idle {
            match report(self.supervisor.socket()) {
                Ok(Some(Report::Idle)) => is_idle = true,
                Ok(Some(_)) => {}
                Ok(None) | Err(_) => {
                    self.supervisor.end();
                    return None;
                }
            }
        }
        Some(self.supervisor)
    }
}

/// Which of the files there is something to be done with.
#[derive(Default)]
struct Ready {
    socket: bool,
    control: bool,
    outputs: [bool; 2],
    input: bool,
}

#[derive(Clone, Copy)]
enum Source {
    Socket,
    Control,
    Absent,
    Output(usize),
    Input,
}

/// How a command comes to its end.
struct Ending {
    /// When the next thing is to happen.
    deadline: Option<Instant>,
    cut: Option<Cut>,
    killed: bool,
    status: Option<Status>,
    is_idle: bool,
}

impl Ending {
    /// Until when is waited. `None`: no longer.
    fn until(&self) -> Option<Option<Instant>> {
        match self.deadline {
            Some(deadline) if self.is_over() && Instant::now() >= deadline => None,
            other => Some(other),
        }
    }

    /// True if after this deadline nothing more is done.
    fn is_over(&self) -> bool {
        self.status.is_some() || self.killed
    }

    fn take_report(&mut self, socket: &OwnedFd) {
        match report(socket) {
            Ok(Some(Report::Ended(status))) => self.end(status_of(status)),
            Ok(Some(Report::Idle)) => {
                self.is_idle = true;
                self.end(Status::Lost);
            }
            Ok(Some(_)) => {}
            Ok(None) | Err(_) => self.end(Status::Lost),
        }
    }

    fn end(&mut self, status: Status) {
        if self.status.is_none() {
            self.status = Some(status);
            self.deadline = Some(Instant::now() + DRAIN);
        }
    }

    fn cut(&mut self, cut: Cut, socket: &OwnedFd) {
        if self.cut.is_none() && self.status.is_none() {
            self.cut = Some(cut);
            ask(socket, wire::TO_ALL, TERMINATE);
            let grace = if cut.is_at_once() { Duration::ZERO } else { GRACE };
            self.deadline = Some(Instant::now() + grace);
        }
    }

    /// Does what is due.
    fn proceed(&mut self, socket: &OwnedFd) {
        let is_due = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        if !is_due || self.is_over() {
            return;
        }
        if self.cut.is_none() {
            self.cut(Cut::Deadline, socket);
        } else {
            self.killed = true;
            ask(socket, wire::TO_ALL, KILL);
            self.deadline = Some(Instant::now() + LAST_WAIT);
        }
    }
}

const TERMINATE: u8 = 15;
const KILL: u8 = 9;

/// Asks the confining program to send a signal.
pub(crate) fn ask(socket: &OwnedFd, to: u8, signal: u8) {
    let _ = rustix::net::send(socket, &[to, signal], SendFlags::NOSIGNAL);
}

fn status_of(status: i32) -> Status {
    let signal = status & 0x7f;
    if signal == 0 { Status::Exited((status >> 8) & 0xff) } else { Status::Signalled(signal) }
}

/// The next report. `None` where there will be no more.
fn report(socket: &OwnedFd) -> io::Result<Option<Report>> {
    let mut bytes = [0; wire::REPORT];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut extra = RecvAncillaryBuffer::new(&mut space);
    let received = loop {
        let into = &mut [IoSliceMut::new(&mut bytes)];
        match rustix::net::recvmsg(socket, into, &mut extra, RecvFlags::CMSG_CLOEXEC) {
            Err(Errno::INTR) => {}
            other => break other?.bytes,
        }
    };
    if received < wire::REPORT {
        return Ok(None);
    }
    let number =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let report = match number(0) {
        wire::FAILED => Report::Failed { step: number(4), error: number(8).cast_signed() },
        wire::STARTED => Report::Started,
        wire::ENDED => Report::Ended(number(4).cast_signed()),
        wire::IDLE => Report::Idle,
        wire::NEW_TERMINAL_IS => {
            let mut files = extra.drain().filter_map(|message| match message {
                RecvAncillaryMessage::ScmRights(mut files) => files.next(),
                _ => None,
            });
            let none =
                || io::Error::new(io::ErrorKind::InvalidData, "a terminal that is not there");
            Report::Terminal(files.next().ok_or_else(none)?)
        }
        _ => return Err(io::Error::new(io::ErrorKind::InvalidData, "an unknown report")),
    };
    Ok(Some(report))
}
