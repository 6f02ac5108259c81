//! A command that runs in a container: its output is read, its end is waited for, and it is ended on time.

use std::time::{Duration, Instant};

use bollard::Docker;
use tokio::io::AsyncWriteExt as _;

use super::super::running::{Canceller, Cut, Ended, GRACE, Status, Stream};
use super::seat::{self, Seat, Told};

/// How long the end of what was killed is waited for, before its container is ended.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// How often is looked whether somebody has cancelled.
const LOOK: Duration = Duration::from_millis(25);

/// A command and where it runs.
pub(super) struct Running<'r> {
    pub(super) client: &'r Docker,
    pub(super) container: &'r str,
    pub(super) seat: Seat,
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
        input: &[u8],
        mut until: Option<Instant>,
        canceller: &Canceller,
        mut sink: impl FnMut(Stream, &[u8]),
    ) -> Option<Run> {
        let since = Instant::now();
        let reads = !input.is_empty();
        let word = uuid::Uuid::new_v4().simple().to_string();
        self.seat.give(&word, script, reads).await.ok()?;
        let mut state = State::default();
        let pid = self.seat.pid().to_owned();
        let (writer, mut outputs) = self.seat.parts();
        let mut rest = input;
        while !state.is_over() {
            tokio::select! {
                biased;
                told = outputs.next(&mut sink) => match told {
                    Some(told) => told.into_iter().for_each(|told| state.note(told)),
                    None => state.is_gone = true,
                },
                written = writer.write(rest), if !rest.is_empty() => match written {
                    Ok(count) if count > 0 => {
                        rest = &rest[count..];
                        if rest.is_empty() {
                            let _ = writer.shutdown().await;
                        }
                    }
                    // Nobody reads it any more.
                    _ => rest = &[],
                },
                () = tokio::time::sleep(LOOK) => {}
            }
            let is_due = until.is_some_and(|until| Instant::now() >= until);
            let cut = match state.cut {
                None if canceller.is_cancelled() => Some(Cut::Cancelled),
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
