//! Hears of what other processes wrote, on a connection of its own.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError, Weak};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::{sleep, timeout};
use tokio_postgres::{AsyncMessage, Notification};

use super::Shared;
use super::connection::Manager;
use super::notify::CHANNEL;

/// How long to wait before a lost connection is made again, at first and at most. It doubles each time.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

#[derive(Default)]
pub(super) struct Listener {
    wanted: AtomicBool,
    task: Mutex<Option<JoinHandle<()>>>,
}

/// Listens from now on.
pub(super) fn start(shared: &Arc<Shared>) {
    shared.listener.wanted.store(true, Ordering::Release);
    keep(shared);
}

/// Starts the task again if its async runtime ended, and if this is a place where it can run.
pub(super) fn keep(shared: &Arc<Shared>) {
    if !shared.listener.wanted.load(Ordering::Acquire) || shared.closed.is_cancelled() {
        return;
    }
    let mut task = shared.listener.task.lock().unwrap_or_else(PoisonError::into_inner);
    if task.as_ref().is_none_or(JoinHandle::is_finished)
        && let Ok(runtime) = Handle::try_current()
    {
        let closed = shared.closed.clone();
        let listening = listen_again(Arc::downgrade(shared), shared.pool.manager().clone());
        *task = Some(runtime.spawn(async move {
            closed.run_until_cancelled(listening).await;
        }));
    }
}

/// Ends the task and waits until its connection is closed.
pub(super) async fn end(shared: &Shared) {
    let task = shared.listener.task.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(task) = task {
        task.abort();
        let _ = task.await;
    }
}

async fn listen_again(shared: Weak<Shared>, manager: Manager) {
    let mut pause = FIRST_PAUSE;
    loop {
        let mut heard = false;
        let _ = listen(&shared, &manager, &mut heard).await;
        if shared.strong_count() == 0 {
            return;
        }
        pause = if heard { FIRST_PAUSE } else { (pause * 2).min(LONGEST_PAUSE) };
        sleep(pause).await;
    }
}

/// Listens until the connection is lost. `heard` becomes true once the server listens for us.
async fn listen(
    shared: &Weak<Shared>,
    manager: &Manager,
    heard: &mut bool,
) -> Result<(), tokio_postgres::Error> {
    let Ok(connected) = timeout(manager.timeout, manager.connect()).await else { return Ok(()) };
    let (client, mut connection) = connected?;
    let sql = format!("LISTEN {CHANNEL}");
    let mut listening = pin!(client.batch_execute(&sql));
    loop {
        tokio::select! {
            done = &mut listening, if !*heard => {
                done?;
                *heard = true;
                // What was written before the server listened for us.
                tick(shared, None);
            }
            message = poll_fn(|cx| connection.poll_message(cx)) => match message {
                Some(Ok(AsyncMessage::Notification(notification))) => {
                    tick(shared, Some(&notification));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error),
                None => return Ok(()),
            },
        }
    }
}

/// Ticks, unless the notification is of our own writes or of another schema.
fn tick(shared: &Weak<Shared>, notification: Option<&Notification>) {
    let Some(shared) = shared.upgrade() else { return };
    let own = shared.origin();
    let relevant = notification.is_none_or(|notification| {
        let origin = notification.payload();
        let schema = |origin: &str| origin.split(':').next().map(str::to_owned);
        origin != own && schema(origin) == schema(&own)
    });
    if relevant {
        shared.tick();
    }
}
