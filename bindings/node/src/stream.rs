//! Following events, as the native half offers it to `lib/events.cjs`.

use std::sync::Arc;

use napi::Env;
use napi::bindgen_prelude::PromiseRaw;
use napi_derive::napi;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use toolkeep::EventStream;
use toolkeep::runtime::Progress;

use crate::failure::{failure, settle};
use crate::json;

/// The events of a tenant. Waiting for one takes none.
#[napi]
pub struct NativeStream {
    /// Taken out when it is closed. Whoever waits holds the lock.
    events: Arc<Mutex<Option<EventStream>>>,
    progress: Arc<Progress>,
    closed: CancellationToken,
}

impl NativeStream {
    pub(crate) fn new(events: EventStream) -> NativeStream {
        NativeStream {
            progress: events.progress(),
            events: Arc::new(Mutex::new(Some(events))),
            closed: CancellationToken::new(),
        }
    }
}

#[napi]
impl NativeStream {
    /// Waits until there is an event: true; or until the end: false.
    #[napi(catch_unwind)]
    pub fn wait<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, bool>> {
        let (events, closed) = (self.events.clone(), self.closed.clone());
        env.spawn_future(settle(async move {
            let ready = async {
                match events.lock().await.as_mut() {
                    Some(events) => events.ready().await,
                    None => Ok(false),
                }
            };
            let ready = closed.run_until_cancelled(ready).await;
            if ready.is_none() {
                *events.lock().await = None;
            }
            ready.unwrap_or(Ok(false))
        }))
    }

    /// Takes the next event as JSON text; null if it must be waited for.
    #[napi(catch_unwind)]
    pub fn pop(&self) -> napi::Result<Option<String>> {
        let event = match self.events.try_lock() {
            Ok(mut events) => events.as_mut().and_then(EventStream::pop),
            // Somebody waits for one.
            Err(_) => None,
        };
        event.map(|event| json::write(&event)).transpose().map_err(failure)
    }

    /// Ends it, and every wait.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        self.closed.cancel();
        // Where somebody waits, that wait lets go of it.
        if let Ok(mut events) = self.events.try_lock() {
            *events = None;
        }
    }

    /// The `seq` of the last event that was taken, or passed over.
    #[napi(getter, catch_unwind)]
    pub fn cursor(&self) -> i64 {
        self.progress.cursor()
    }

    /// How many events were pruned before this reader came to them.
    #[napi(getter, catch_unwind)]
    pub fn dropped(&self) -> i64 {
        i64::try_from(self.progress.dropped()).unwrap_or(i64::MAX)
    }
}
