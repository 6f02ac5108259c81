//! Commands that continue after the call that started them. They belong to the session that started them
//! and end with the runtime.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::{oneshot, watch};

use super::config::ProcessesConfig;
use super::confined::Confined;
use super::control::Control;
use super::host::Host;
use super::log::{Cursor, Log, Part};
use super::not_run::NotRun;
use super::protected_paths::Appeared;
use super::request::ExecRequest;
use super::running::{Ended, GRACE, Written};
use crate::scrub::Scrubber;

/// How many that have ended are remembered for each session.
const MOST_ENDED: usize = 16;

/// The table of a runtime's processes.
pub(crate) struct Background {
    host: Arc<Host>,
    table: Arc<Mutex<Table>>,
}

#[derive(Default)]
struct Table {
    closed: bool,
    started: u64,
    processes: BTreeMap<u64, Arc<Process>>,
}

/// The owner of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    pub(crate) tenant: String,
    pub(crate) session: String,
}

/// A process of the table.
pub(crate) struct Process {
    number: u64,
    owner: Owner,
    /// The command, as it may be shown.
    pub(crate) command: String,
    pub(crate) confined: Confined,
    /// Until it has ended.
    control: Mutex<Option<Control>>,
    since: Instant,
    state: Mutex<State>,
    /// Counts what has changed.
    changes: watch::Sender<u64>,
}

struct State {
    log: Log,
    cursor: Cursor,
    ended: Option<Ended>,
    /// Protected paths that appeared while it ran; reported once it has ended.
    appeared: Vec<Appeared>,
}

/// Why no process was started.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The command did not start.
    #[error("{0}")]
    NotRun(#[from] NotRun),
    /// As many run as may.
    #[error("{running} processes run, and no more may: {key}")]
    Full {
        /// How many.
        running: u32,
        /// What the owner can change.
        key: &'static str,
    },
    /// The runtime is closed.
    #[error("the runtime is closed")]
    Closed,
}

/// What one poll of a process gives.
#[derive(Clone, Debug)]
pub(crate) struct Polled {
    /// What it wrote since the last poll.
    pub(crate) news: Part,
    /// How it ended. None: it runs.
    pub(crate) ended: Option<Ended>,
}

impl Background {
    pub(crate) fn new(host: Arc<Host>) -> Background {
        Background { host, table: Arc::default() }
    }

    /// What runs the commands.
    pub(crate) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    /// Starts a command, shown as `command`, and waits until it runs.
    ///
    /// # Errors
    /// [`Refused`], and nothing runs.
    pub(crate) async fn start(
        &self,
        owner: Owner,
        command: String,
        mut request: ExecRequest,
        scrubber: Scrubber,
    ) -> Result<Arc<Process>, Refused> {
        let config = self.host.config().processes.clone();
        if config.max_seconds != 0 {
            request.timeout = request.timeout.min(Duration::from_secs(config.max_seconds));
        }
        self.lock().has_room(&owner, &config)?;
        let control = Control::new().map_err(NotRun::from)?;
        // If the caller has given up, the command must not start.
        let given_up = GivenUp(Some(control.clone()));
        let (starting, started) = oneshot::channel::<Result<Starting, NotRun>>();
        let host = self.host.clone();
        let waiting = control.clone();
        let spawned = std::thread::Builder::new()
            .name("toolkeep-process".into())
            .spawn(move || watch_over(&host, request, &waiting, starting));
        spawned.map_err(NotRun::from)?;
        let silent = || NotRun::System("the thread that watches it ended early".into());
        let Starting { confined, take } = started.await.map_err(|_| silent())??;
        let log = Log::new(&scrubber, config.log_kb * 1024);
        let state = State { log, cursor: Cursor::default(), ended: None, appeared: Vec::new() };
        let process = |number| Process {
            number,
            owner: owner.clone(),
            command,
            confined,
            control: Mutex::new(Some(control)),
            since: Instant::now(),
            state: Mutex::new(state),
            changes: watch::Sender::new(0),
        };
        let process = self.lock().add(&owner, &config, process)?;
        given_up.keep();
        // If the thread is gone, the process has ended.
        let _ = take.send(process.clone());
        Ok(process)
    }

    /// A process of this owner's.
    pub(crate) fn get(&self, owner: &Owner, id: &str) -> Option<Arc<Process>> {
        let number = id.strip_prefix('p').unwrap_or(id).parse().ok()?;
        let process = self.lock().processes.get(&number).cloned();
        process.filter(|process| process.owner == *owner)
    }

    /// All of this owner's, the oldest first.
    pub(crate) fn list(&self, owner: &Owner) -> Vec<Arc<Process>> {
        let table = self.lock();
        table.processes.values().filter(|process| process.owner == *owner).cloned().collect()
    }

    /// Ends all of them, waits until they have ended, and closes what runs commands; blocking. No other
    /// starts.
    pub(crate) fn close(&self) {
        let processes = {
            let mut table = self.lock();
            table.closed = true;
            std::mem::take(&mut table.processes)
        };
        processes.values().for_each(|process| process.end());
        let deadline = Instant::now() + GRACE + GRACE;
        while processes.values().any(|process| process.runs()) && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.host.close();
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.lock().processes.values().for_each(|process| process.end());
    }
}

impl Table {
    fn has_room(&self, owner: &Owner, config: &ProcessesConfig) -> Result<(), Refused> {
        if self.closed {
            return Err(Refused::Closed);
        }
        let running = |is_one: &dyn Fn(&Process) -> bool| {
            let all = self.processes.values();
            let count = all.filter(|process| is_one(process) && process.runs()).count();
            u32::try_from(count).unwrap_or(u32::MAX)
        };
        let (own, all) = (running(&|one| one.owner == *owner), running(&|_| true));
        if own >= config.max_per_session {
            let key = "exec.processes.max_per_session";
            return Err(Refused::Full { running: own, key });
        }
        if all >= config.max {
            return Err(Refused::Full { running: all, key: "exec.processes.max" });
        }
        Ok(())
    }

    fn add(
        &mut self,
        owner: &Owner,
        config: &ProcessesConfig,
        process: impl FnOnce(u64) -> Process,
    ) -> Result<Arc<Process>, Refused> {
        // Others may have started meanwhile.
        self.has_room(owner, config)?;
        self.started += 1;
        let process = Arc::new(process(self.started));
        self.processes.insert(self.started, process.clone());
        let own = self.processes.iter().filter(|(_, one)| one.owner == *owner && !one.runs());
        let ended: Vec<u64> = own.map(|(number, _)| *number).collect();
        for number in ended.iter().take(ended.len().saturating_sub(MOST_ENDED)) {
            self.processes.remove(number);
        }
        Ok(process)
    }
}

impl Process {
    /// The name that it goes by.
    pub(crate) fn id(&self) -> String {
        format!("p{}", self.number)
    }

    /// True until it has ended.
    pub(crate) fn runs(&self) -> bool {
        self.lock().ended.is_none()
    }

    /// For how long it has run.
    pub(crate) fn age(&self) -> Duration {
        let ended = self.lock().ended;
        ended.map_or_else(|| self.since.elapsed(), |ended| ended.took)
    }

    /// How it ended. None: it runs.
    pub(crate) fn ended(&self) -> Option<Ended> {
        self.lock().ended
    }

    /// Protected paths that appeared while it ran. Empty until it has ended.
    pub(crate) fn appeared(&self) -> Vec<Appeared> {
        self.lock().appeared.clone()
    }

    /// What is new, at most so many bytes of it. Where nothing is, it waits for that, or for the end.
    pub(crate) async fn poll(&self, most: usize, wait: Duration) -> Polled {
        let deadline = tokio::time::Instant::now() + wait;
        let mut changes = self.changes.subscribe();
        loop {
            changes.mark_unchanged();
            let polled = self.poll_once(most);
            if polled.ended.is_some() || !polled.news.text.is_empty() {
                return polled;
            }
            match tokio::time::timeout_at(deadline, changes.changed()).await {
                Ok(Ok(())) => {}
                _ => return self.poll_once(most),
            }
        }
    }

    fn poll_once(&self, most: usize) -> Polled {
        let mut state = self.lock();
        let State { log, cursor, ended, .. } = &mut *state;
        Polled { news: log.news(cursor, most), ended: *ended }
    }

    /// At most `most` bytes of what it wrote, from a position on; without a position, the end of it.
    pub(crate) fn log(&self, from: Option<u64>, most: usize) -> Part {
        self.lock().log.part(from, most)
    }

    /// Gives it input, and ends its input if this `is_all`. False if too much unread input waits already.
    pub(crate) fn give(&self, bytes: &[u8], is_all: bool) -> bool {
        self.control().is_none_or(|control| control.give(bytes, is_all))
    }

    /// Sends a signal to its group of processes.
    pub(crate) fn signal(&self, signal: u8) {
        if let Some(control) = self.control() {
            control.signal(signal);
        }
    }

    /// Ends it and everything that it has started: first with SIGTERM, then with SIGKILL.
    pub(crate) fn end(&self) {
        if let Some(control) = self.control() {
            control.cancel();
        }
    }

    fn control(&self) -> Option<Control> {
        self.control.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until it has ended, at most for `longest`.
    pub(crate) async fn wait(&self, longest: Duration) {
        let mut changes = self.changes.subscribe();
        let ended = async { while self.runs() && changes.changed().await.is_ok() {} };
        let _ = tokio::time::timeout(longest, ended).await;
    }

    fn change(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changes.send_modify(|count| *count = count.wrapping_add(1));
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A command that runs and is in no table yet.
struct Starting {
    confined: Confined,
    /// Takes the process once it is in the table.
    take: std::sync::mpsc::SyncSender<Arc<Process>>,
}

/// Runs a command to its end. Its output is read only after it has been put in the table.
fn watch_over(
    host: &Host,
    request: ExecRequest,
    control: &Control,
    starting: oneshot::Sender<Result<Starting, NotRun>>,
) {
    let (take, taken) = std::sync::mpsc::sync_channel::<Arc<Process>>(1);
    let starting = Mutex::new(Some(starting));
    let answer = |result| {
        let starting = starting.lock().unwrap_or_else(PoisonError::into_inner).take();
        // If the call was given up, nobody takes the process, and it is ended.
        starting.is_some_and(|starting| starting.send(result).is_ok())
    };
    let process = std::cell::OnceCell::new();
    let started = |confined| {
        if answer(Ok(Starting { confined, take }))
            && let Ok(taken) = taken.recv()
        {
            let _ = process.set(taken);
        }
    };
    let mut bytes = Vec::new();
    let sink = |_, written: Written<'_>| {
        bytes.clear();
        written(&mut bytes);
        if let Some(process) = process.get() {
            process.change(|state| state.log.push(&bytes));
        }
    };
    match host.follow(request, control, started, sink) {
        Ok((ended, appeared)) => {
            if let Some(process) = process.get() {
                // Nobody is there any more who could be asked for anything.
                drop(process.control.lock().unwrap_or_else(PoisonError::into_inner).take());
                process.change(|state| {
                    state.log.end();
                    state.ended = Some(ended);
                    state.appeared = appeared;
                });
            }
        }
        Err(error) => {
            answer(Err(error));
        }
    }
}

/// Ends the command when it is dropped, unless it is to be kept.
struct GivenUp(Option<Control>);

impl GivenUp {
    fn keep(mut self) {
        self.0 = None;
    }
}

impl Drop for GivenUp {
    fn drop(&mut self) {
        if let Some(control) = &self.0 {
            control.cancel();
        }
    }
}
