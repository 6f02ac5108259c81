//! Following what happens.

use std::ffi::c_void;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::ThreadId;

use serde_json::Value;
use tokio_util::sync::CancellationToken;
use toolkeep::runtime::Progress;
use toolkeep::{Code, Error, Event, EventStream, Follow};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::{guard, guard_or};
use crate::handle::{self, Opaque, Out};
use crate::input;
use crate::runtime::{Host, toolkeep_runtime};
use crate::string::toolkeep_str;

/// How many events are handed to the callback's thread at once.
const AT_ONCE: usize = 100;

/// A subscription to events. Any thread may free it.
pub struct toolkeep_subscription {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_subscription {
    type Inside = Following;
    const KIND: u64 = u64::from_le_bytes(*b"tk.subsc");
    const NAME: &'static str = "toolkeep_subscription";
}

/// Receives an event, a JSON object with `seq`, `tenant`, `at_ms`, `kind`, `subject` and `data`.
/// The text is valid during the call only. Events come one at a time, in order, on a thread of
/// toolkeep's that may block.
pub type toolkeep_event_fn =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event_json: toolkeep_str)>;

/// What C's handle holds.
pub(crate) struct Following {
    listener: Arc<Listener>,
    ended: CancellationToken,
    /// The process that it was made in.
    process: u32,
}

struct Listener {
    call: unsafe extern "C" fn(*mut c_void, toolkeep_str),
    turn: Mutex<Turn>,
    ended: Condvar,
    progress: Arc<Progress>,
}

#[derive(Default)]
struct Turn {
    stopped: bool,
    /// The thread on which the callback runs now.
    running: Option<ThreadId>,
    /// The place that the callback has come to, while it is given what the stream has passed.
    reached: Option<i64>,
    data: Option<Arc<UserData>>,
}

impl Listener {
    fn turn(&self) -> MutexGuard<'_, Turn> {
        self.turn.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Calls the host for each event, in order. False if it does not want to be called any more.
    fn notify_all_events(&self, events: &[Event]) -> bool {
        events.iter().all(|event| {
            // An event is a few plain fields, which are always JSON.
            let text = serde_json::to_string(event).unwrap_or_default();
            let goes_on = self.notify(&text);
            self.turn().reached = Some(event.seq);
            goes_on
        })
    }

    /// Calls the host once. False if it does not want to be called any more.
    fn notify(&self, event: &str) -> bool {
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

    fn cursor(&self) -> i64 {
        let turn = self.turn();
        turn.reached.unwrap_or_else(|| self.progress.cursor())
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

/// Calls `callback` for every event of a tenant, until the subscription is freed or the runtime
/// closes.
///
/// `options_json` is an object; empty means the defaults. `tenant` (default: `"default"`), `after`,
/// the `seq` of the last event already known (default: 0, from the beginning; the operation
/// `events.last` gives the newest), `subject` (only events about this), `kinds` (a list: only
/// events whose kind begins with one of these, such as `"call."`).
///
/// Events are delivered at least once to a host that saves toolkeep_subscription_cursor(): if the
/// process ends before a callback has returned, its event comes again. If the store does not
/// answer, it is asked again and again. The subscription ends if `after` is greater than the newest
/// event of the store, since then it is another store.
///
/// `callback` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it when
/// the subscription ends, or before this function returns an error. On success `*out` is a handle
/// that the host owns: release it with toolkeep_subscription_free(). Callbacks may call this
/// function.
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
        let follow = what_to_follow(&unsafe { input::json(options_json, "options_json") }?)?;
        let events = host.core.follow(follow)?;
        let turn = Mutex::new(Turn { data: Some(Arc::new(data)), ..Turn::default() });
        let progress = events.progress();
        let listener = Arc::new(Listener { call, turn, ended: Condvar::new(), progress });
        let ended = CancellationToken::new();
        let work = pass_on(events, listener.clone());
        let end = ended.clone();
        let listening = listener.clone();
        out.put(handle::give(Following { listener, ended, process: std::process::id() }));
        host.threads.spawn(async move {
            end.run_until_cancelled(work).await;
            // Nobody needs the host's data any more, even if the handle is freed much later.
            let data = listening.turn().data.take();
            drop(data);
        });
        Ok(())
    })
}

fn what_to_follow(options: &Value) -> Result<Follow, Error> {
    if options.is_null() { Ok(Follow::default()) } else { Follow::from_value(options) }
}

/// Reads on and on and tells the listener, until it wants no more or the runtime closes.
async fn pass_on(mut events: EventStream, listener: Arc<Listener>) {
    loop {
        match events.ready().await {
            Ok(true) => {}
            Ok(false) => return,
            // The place is one of another store.
            Err(error) if error.code() == Code::InvalidArgument => return,
            // The stream waits before it tries again.
            Err(_) => continue,
        }
        listener.turn().reached = Some(events.cursor());
        let chunk: Vec<Event> = std::iter::from_fn(|| events.pop()).take(AT_ONCE).collect();
        let listening = listener.clone();
        // Host code may block, which the threads that run calls must not.
        let goes_on =
            tokio::task::spawn_blocking(move || listening.notify_all_events(&chunk)).await;
        if !goes_on.unwrap_or(false) {
            return;
        }
        listener.turn().reached = None;
    }
}

/// The `seq` of the last event that the subscription is done with: the callback has returned for
/// it, or the options leave it out. Give it as `after` to go on from here. Any thread may ask.
/// Within the callback it is the event before the current one.
///
/// `*out` gets the number. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_subscription_cursor(
    subscription: *const toolkeep_subscription,
    out: *mut i64,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let following = unsafe { handle::look(subscription) }?;
        // SAFETY: the host gives NULL or a place to write to.
        unsafe { put_number(out, following.listener.cursor()) }
    })
}

/// How many events of the tenant were pruned before the subscription reached them, including those
/// that the options leave out. A callback that is too slow misses the oldest events once the store
/// has pruned them (`retention` in the configuration). Any thread may ask, callbacks too.
///
/// `*out` gets the number. Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_subscription_dropped(
    subscription: *const toolkeep_subscription,
    out: *mut u64,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let following = unsafe { handle::look(subscription) }?;
        // SAFETY: the host gives NULL or a place to write to.
        unsafe { put_number(out, following.listener.progress.dropped()) }
    })
}

/// Writes a number to where C wants it.
///
/// # Safety
/// `out` is NULL, or may be written to.
unsafe fn put_number<T>(out: *mut T, number: T) -> Result<(), Error> {
    if out.is_null() {
        let text = "the out parameter is NULL; give the address of a number";
        return Err(Error::new(Code::InvalidArgument, text));
    }
    // SAFETY: the caller vouches for the place.
    unsafe { out.write(number) };
    Ok(())
}

/// Ends a subscription and releases its handle. NULL is fine.
///
/// It waits until the callback is not running, and the callback is not called again. Within the
/// callback itself it does not wait, and that call is the last. It may be called after
/// toolkeep_runtime_free().
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
