//! Following what happens.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolkeep::{Caller, Code, Error, Runtime, strict};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::{guard, guard_or};
use crate::handle::{self, Opaque, Out};
use crate::input;
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::toolkeep_str;

/// How long one read waits for something to happen, in milliseconds.
const WAIT_MS: u64 = 30_000;

/// How many events one read gives at most.
const LIMIT: u32 = 100;

/// How long to leave a store alone that did not answer.
const PAUSE: Duration = Duration::from_millis(500);

/// Somebody who follows the events. Any thread may free it.
pub struct toolkeep_subscription {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_subscription {
    type Inside = Following;
    const KIND: u64 = u64::from_le_bytes(*b"tk.subsc");
    const NAME: &'static str = "toolkeep_subscription";
}

/// Takes an event, a JSON object with `seq`, `tenant`, `at_ms`, `kind`, `subject` and `data`. The
/// text is borrowed for the length of the call. One at a time, in order, on a thread of toolkeep's
/// that may block.
pub type toolkeep_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event_json: toolkeep_str)>;

/// What C's handle holds.
pub(crate) struct Following {
    listener: Arc<Listener>,
    ended: CancellationToken,
    /// The process that it was made in.
    process: u32,
}

/// What to follow.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct Options {
    /// Whose events.
    tenant: String,
    /// Go on after the event of this `seq`.
    after: i64,
}

impl Default for Options {
    fn default() -> Options {
        Options { tenant: Caller::default().tenant, after: 0 }
    }
}

struct Listener {
    call: unsafe extern "C" fn(*mut c_void, toolkeep_str),
    turn: Mutex<Turn>,
    ended: Condvar,
}

#[derive(Default)]
struct Turn {
    stopped: bool,
    /// The thread on which the callback runs now.
    running: Option<ThreadId>,
    data: Option<Arc<UserData>>,
}

impl Listener {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the host once. False if it does not want to be called any more.
    fn tell(&self, event: &str) -> bool {
        let mut turn = self.turn();
        let Some(data) = turn.data.clone().filter(|_| !turn.stopped) else { return false };
        turn.running = Some(std::thread::current().id());
        drop(turn);
        // SAFETY: the host gave both for this.
        unsafe { (self.call)(data.pointer(), toolkeep_str::lend(event)) };
        // If it was stopped meanwhile this is the last share, and `stop` waits for it.
        drop(data);
        let mut turn = self.turn();
        turn.running = None;
        self.ended.notify_all();
        !turn.stopped
    }

    /// After this the callback is not running, unless this is its thread, and will not run.
    fn stop(&self) {
        let mut turn = self.turn();
        turn.stopped = true;
        let data = turn.data.take();
        let here = std::thread::current().id();
        while turn.running.is_some_and(|thread| thread != here) {
            turn = self.ended.wait(turn).unwrap_or_else(PoisonError::into_inner);
        }
        drop(turn);
        drop(data);
    }
}

/// Calls `callback` for every event of a tenant, from a place on, until the subscription is freed
/// or the runtime closes.
///
/// `options_json` is an object with `tenant` (default: `"default"`) and `after`, the `seq` of the
/// last event already known (default: 0, from the beginning); empty means the defaults. `callback`
/// may not be NULL and gets `user_data`; `destroy`, which may be NULL, releases it when the
/// subscription ends, or before this function returns an error. On success `*out` is a handle that
/// the host owns: release it with toolkeep_subscription_free(). For callbacks, too.
///
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_events_subscribe(
    runtime: *const toolkeep_runtime,
    options_json: toolkeep_str,
    callback: toolkeep_event_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
    out: *mut *mut toolkeep_subscription,
) -> *mut toolkeep_error {
    let data = UserData::new(user_data, destroy);
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        let call = required(callback, "callback")?;
        // SAFETY: the host lends the text for the length of this call.
        let options = options(&unsafe { input::json(options_json, "options_json") }?)?;
        if host.core.is_closed() {
            return Err(Error::new(Code::Closed, "the runtime is closed; open a new one"));
        }
        let turn = Mutex::new(Turn { data: Some(Arc::new(data)), ..Turn::default() });
        let listener = Arc::new(Listener { call, turn, ended: Condvar::new() });
        let ended = CancellationToken::new();
        let work = follow(host.core.clone(), options, listener.clone());
        let end = ended.clone();
        let told = listener.clone();
        out.put(handle::give(Following { listener, ended, process: std::process::id() }));
        host.threads.spawn(async move {
            end.run_until_cancelled(work).await;
            // Nobody needs the host's data any more, even if the handle is freed much later.
            let data = told.turn().data.take();
            drop(data);
        });
        Ok(())
    })
}

fn options(value: &Value) -> Result<Options, Error> {
    if value.is_null() {
        return Ok(Options::default());
    }
    let options: Options = strict::from_value(value).map_err(|why| {
        Error::new(Code::InvalidArgument, format!("the options of the subscription: {why}"))
    })?;
    Caller { tenant: options.tenant.clone(), ..Caller::default() }.check()?;
    Ok(options)
}

/// Reads on and on and tells the listener, until it wants no more or the runtime closes.
async fn follow(core: Runtime, mut options: Options, listener: Arc<Listener>) {
    loop {
        let args = json!({
            "tenant": options.tenant, "after": options.after, "limit": LIMIT, "wait_ms": WAIT_MS,
        });
        let events = match core.invoke("events.read", args).await {
            Ok(Value::Array(events)) => events,
            Err(error) if error.code() == Code::Closed => return,
            _ => {
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        if let Some(seq) = events.last().and_then(|event| event["seq"].as_i64()) {
            options.after = seq;
        }
        let listener = listener.clone();
        // Host code may block, which the threads that run calls must not.
        let told = tokio::task::spawn_blocking(move || {
            events.iter().all(|event| listener.tell(&event.to_string()))
        });
        if !told.await.unwrap_or(false) {
            return;
        }
    }
}

/// Ends a subscription and releases its handle. NULL is fine.
///
/// It waits until the callback is not running; after it has returned the callback is not called any
/// more. Within the callback itself it does not wait, and that call is the last. It may be called
/// after toolkeep_runtime_free().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_subscription_free(subscription: *mut toolkeep_subscription) {
    guard_or((), || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let Some(following) = (unsafe { handle::take(subscription) }) else { return };
        if following.process != std::process::id() {
            // A forked child: the threads that would end it are the parent's.
            std::mem::forget(following);
            return;
        }
        following.ended.cancel();
        following.listener.stop();
    });
}
