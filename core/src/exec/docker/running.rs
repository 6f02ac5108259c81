//! A command that runs in a container: its output is read, its end is waited for, and it is ended on time.

use std::time::{Duration, Instant};

use bollard::Docker;
use tokio::io::AsyncWriteExt as _;

use super::super::control::Control;
use super::super::running::{Cut, Ended, GRACE, Status, Stream};
use super::seat::{self, Seat, Told};

/// How long the end of what was killed is waited for, before its container is ended.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// How often is looked what somebody has asked for.
const LOOK: Duration = Duration::from_millis(25);

/// A command and where it runs.
pub(super) struct Running<'r> {
    pub(super) client: &'r Docker,
    pub(super) container: &'r str,
    pub(super) seat: Seat,
}

/// What a command is given to read.
pub(super) struct Input<'i> {
    pub(super) rest: &'i mut Vec<u8>,
    /// True if more may come.
    pub(super) stays_open: bool,
}

impl Input<'_> {
    fn is_over(&self) -> bool {
        self.rest.is_empty() && !self.stays_open
    }
}

/// What became of a command.
pub(super) struct Run {
    /// `None`: its folder is not there, and it has not run.
    pub(super) ended: Option<Ended>,
    pub(super) seat: Left,
}

/// What a command leaves.
pub(super) enum Left {
    /// A shell that takes another.
    Idle(Seat),
    /// Nothing.
    Nothing,
    /// Something that could not be ended but with its container.
    Trouble,
}

/// What is known of a command so far.
#[derive(Default)]
struct State {
    has_begun: bool,
    no_folder: bool,
    code: Option<(i32, bool)>,
    no_more_errors: bool,
    is_gone: bool,
    cut: Option<Cut>,
    killed: bool,
}

impl State {
    fn is_over(&self) -> bool {
        self.is_gone || (self.code.is_some() && self.no_more_errors)
    }

    fn note(&mut self, told: Told) {
        match told {
            Told::Begun => self.has_begun = true,
            Told::NoFolder => self.no_folder = true,
            Told::Ended { code, swamped } => self.code = Some((code, swamped)),
            Told::NoMoreErrors => self.no_more_errors = true,
        }
    }
}

impl Running<'_> {
    /// Runs a script to its end. `None`: the shell went before the command began.
    pub(super) async fn run(
        mut self,
        script: &str,
        mut input: Input<'_>,
        mut until: Option<Instant>,
        control: &Control,
        mut begun: impl FnMut(),
        mut sink: impl FnMut(Stream, &[u8]),
    ) -> Option<Run> {
        let since = Instant::now();
        let reads = !input.is_over();
        let mut is_open = reads;
        let word = uuid::Uuid::new_v4().simple().to_string();
        self.seat.give(&word, script, reads).await.ok()?;
        let mut state = State::default();
        let pid = self.seat.pid().to_owned();
        let (writer, mut outputs) = self.seat.parts();
        while !state.is_over() {
            tokio::select! {
                biased;
                told = outputs.next(&mut sink) => match told {
                    Some(told) => told.into_iter().for_each(|told| {
                        if told == Told::Begun {
                            begun();
                        }
                        state.note(told);
                    }),
                    None => state.is_gone = true,
                },
                written = writer.write(input.rest), if state.has_begun && !input.rest.is_empty() => match written {
                    Ok(count) if count > 0 => control.has_read(input.rest.drain(..count).count()),
                    // Nobody reads it any more.
                    _ => {
                        control.has_read(input.rest.drain(..).count());
                        input.stays_open = false;
                    }
                },
                () = tokio::time::sleep(LOOK) => {}
            }
            let wishes = control.take();
            input.rest.extend(wishes.input);
            input.stays_open &= !wishes.end_of_input;
            if is_open && input.is_over() {
                is_open = false;
                let _ = writer.shutdown().await;
            }
            for number in wishes.signals {
                seat::signal(self.client, self.container, &pid, &number.to_string()).await;
            }
            let is_due = until.is_some_and(|until| Instant::now() >= until);
            let cut = match state.cut {
                None if wishes.cancelled => Some(Cut::Cancelled),
                None if is_due => Some(Cut::Deadline),
                _ => None,
            };
            if let Some(cut) = cut.filter(|_| !state.is_over()) {
                state.cut = Some(cut);
                until = Some(Instant::now() + GRACE);
                seat::signal(self.client, self.container, &pid, "TERM").await;
            } else if is_due && state.cut.is_some() && !state.is_over() {
                if state.killed {
                    break;
                }
                state.killed = true;
                until = Some(Instant::now() + LAST_WAIT);
                seat::signal(self.client, self.container, &pid, "KILL").await;
            }
        }
        self.end(state, since, reads).await
    }

    async fn end(self, state: State, since: Instant, reads: bool) -> Option<Run> {
        if !state.has_begun && state.is_gone && state.cut.is_none() {
            return None;
        }
        let took = since.elapsed();
        let status = match state.code {
            // What a shell says of a program that a signal has ended.
            Some((code @ 129..=159, _)) => Status::Signalled(code - 128),
            Some((code, _)) => Status::Exited(code),
            None => Status::Lost,
        };
        let ended = Ended { status, cut: state.cut, took };
        let seat = match state.code {
            Some((_, true)) => Left::Trouble,
            Some(_) if !state.is_gone && !reads => Left::Idle(self.seat),
            Some(_) => Left::Nothing,
            // The shell was ended, and with it nobody knows of the others.
            None if state.is_gone => {
                match seat::clear(self.client, self.container, self.seat.pid()).await {
                    true => Left::Nothing,
                    false => Left::Trouble,
                }
            }
            None => Left::Trouble,
        };
        Some(Run { ended: (!state.no_folder).then_some(ended), seat })
    }
}
