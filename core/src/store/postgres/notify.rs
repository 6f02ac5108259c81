//! Notifies other processes that something was written.
//!
//! Committing a `NOTIFY` takes a lock that all of a database's notifying transactions share, so
//! it stays out of the store's own transactions: a task sends one for all the writes of a moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::{self, Handle};
use tokio::time::{Instant, sleep_until};
use tokio_util::task::TaskTracker;

use super::Shared;
use crate::store::driver::Statement;

/// The channel on which every toolkeep store of a database notifies.
pub(super) const CHANNEL: &str = "toolkeep_changes";

/// The shortest time between two notifications of one process. Readers that follow events see no
/// difference below this, and the database has at most 50 notifications a second of each process.
const EVERY: Duration = Duration::from_millis(20);

/// The setting lasts as long as the statement: a notification need not survive a power cut.
const NOTIFY: &str = "SELECT CAST(set_config('synchronous_commit', 'off', true) AS TEXT), \
     CAST(pg_notify(?1, ?2) AS TEXT)";

#[derive(Default)]
pub(super) struct Notifier {
    state: Mutex<State>,
    /// The notifications on their way. They are not what closing must wait for to be right.
    sending: TaskTracker,
}

#[derive(Default)]
struct State {
    /// Something was written since the last notification.
    pending: bool,
    /// The async runtimes that have a task for it. One that nobody drives any more sends nothing.
    runtimes: Vec<runtime::Id>,
    last: Option<Instant>,
}

impl Notifier {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notifies the other processes soon.
pub(super) fn soon(shared: &Arc<Shared>) {
    let mut state = shared.notifier.state();
    state.pending = true;
    let Ok(runtime) = Handle::try_current() else { return };
    if state.runtimes.contains(&runtime.id()) {
        return;
    }
    state.runtimes.push(runtime.id());
    drop(state);
    runtime.spawn(notify(Running(shared.clone(), runtime.id())));
}

/// Waits for the notifications being sent, then sends what the tasks, stopped by closing, left over.
pub(super) async fn last(shared: &Shared) {
    shared.notifier.sending.close();
    shared.notifier.sending.wait().await;
    if std::mem::take(&mut shared.notifier.state().pending) {
        send(shared).await;
    }
}

/// Says that no task is running when it is dropped, even if its runtime ends.
struct Running(Arc<Shared>, runtime::Id);

impl Running {
    fn end(&self, state: &mut State) {
        state.runtimes.retain(|runtime| *runtime != self.1);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end(&mut self.0.notifier.state());
    }
}

async fn notify(running: Running) {
    let shared = &running.0;
    loop {
        let last = shared.notifier.state().last;
        if let Some(last) = last {
            let soon = sleep_until(last + EVERY);
            shared.closed.run_until_cancelled(soon).await;
        }
        // First the token: closing waits for what is being sent, and sends the rest itself.
        let _token = shared.notifier.sending.token();
        if shared.closed.is_cancelled() {
            return;
        }
        {
            let mut state = shared.notifier.state();
            if !state.pending {
                running.end(&mut state);
                return;
            }
            state.pending = false;
            state.last = Some(Instant::now());
        }
        send(shared).await;
    }
}

/// If it fails, the others see the change when they next look by themselves.
async fn send(shared: &Shared) {
    let statement = Statement::new(NOTIFY, vec![CHANNEL.into(), shared.origin().into()]);
    let _ = shared.read(&statement, shared.deadline()).await;
}
