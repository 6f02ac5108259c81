//! Telling other processes that something was written.
//!
//! Committing a `NOTIFY` takes a lock that all of a database's notifying transactions share, so
//! it stays out of the store's own transactions: a task sends one for all the writes of a moment.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use super::Shared;
use crate::store::driver::Statement;

/// The channel that every toolkeep store of a database tells on.
pub(super) const CHANNEL: &str = "toolkeep_changes";

/// How often one process tells at most.
const EVERY: Duration = Duration::from_millis(20);

/// The setting lasts as long as the statement: a notification need not survive a power cut.
const TELL: &str = "SELECT CAST(set_config('synchronous_commit', 'off', true) AS TEXT), \
     CAST(pg_notify(?1, ?2) AS TEXT)";

#[derive(Default)]
pub(super) struct Teller(Mutex<State>);

#[derive(Default)]
struct State {
    /// Something was written since the last notification.
    pending: bool,
    running: bool,
    last: Option<Instant>,
}

impl Teller {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Tells the other processes soon.
pub(super) fn soon(shared: &Arc<Shared>) {
    let mut state = shared.teller.state();
    state.pending = true;
    if state.running {
        return;
    }
    let Ok(runtime) = Handle::try_current() else { return };
    state.running = true;
    runtime.spawn(shared.begun.track_future(tell(Running(shared.clone()))));
}

/// Says that no task is running when it is dropped, even if its runtime ends.
struct Running(Arc<Shared>);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.teller.state().running = false;
    }
}

async fn tell(running: Running) {
    let shared = &running.0;
    loop {
        let last = shared.teller.state().last;
        if let Some(last) = last {
            sleep_until(last + EVERY).await;
        }
        {
            let mut state = shared.teller.state();
            if !state.pending {
                state.running = false;
                return;
            }
            state.pending = false;
            state.last = Some(Instant::now());
        }
        // If it fails, the others see the change when they next look by themselves.
        let statement = Statement::new(TELL, vec![CHANNEL.into(), shared.origin().into()]);
        let _ = shared.read(&statement).await;
    }
}
