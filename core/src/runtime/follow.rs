//! Following the events of a tenant.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::Stream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::{Instant, timeout_at};
use tokio_util::task::AbortOnDropHandle;

use super::Runtime;
use crate::error::{Code, Error};
use crate::event::Event;
use crate::id::{DEFAULT_TENANT, check_key};
use crate::store::Store;

/// How often a waiting reader looks for what the store did not tell of, such as another process's
/// writes to a SQLite file.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// How many events are read ahead at most.
const PAGE: u32 = 256;

/// What to follow, and from where on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Follow {
    /// Whose events. Default: `default`.
    pub tenant: String,
    /// Go on after the event of this `seq`. Default: 0, from the beginning. `events.last` gives
    /// the place from which on everything is new.
    pub after: i64,
    /// Only events about this subject.
    pub subject: Option<String>,
    /// Only events whose kind begins with one of these: `call.`, `agent.changed`, … Default: all.
    pub kinds: Vec<String>,
}

impl Default for Follow {
    fn default() -> Follow {
        Follow { tenant: DEFAULT_TENANT.into(), after: 0, subject: None, kinds: Vec::new() }
    }
}

impl Follow {
    /// What to follow, from JSON-like data: what the other languages hand over.
    ///
    /// # Errors
    /// `invalid_argument` that names the key, and the nearest known one.
    pub fn from_value(value: &Value) -> Result<Follow, Error> {
        crate::strict::from_value(value)
            .map_err(|why| Error::new(Code::InvalidArgument, format!("what to follow: {why}")))
    }

    fn check(&self) -> Result<(), Error> {
        check_key("tenant", &self.tenant)?;
        if self.after < 0 {
            let text = format!("`after` is {}; give 0 or the `seq` of an event", self.after);
            return Err(Error::new(Code::InvalidArgument, text));
        }
        Ok(())
    }

    fn wants(&self, event: &Event) -> bool {
        let subject = self.subject.as_ref().is_none_or(|subject| *subject == event.subject);
        let is_of = |kind: &String| event.kind.starts_with(kind.as_str());
        subject && (self.kinds.is_empty() || self.kinds.iter().any(is_of))
    }
}

/// The events of a tenant, those that are there and those to come, in order.
///
/// It reads pages from the store and holds one at a time, so a slow reader costs no memory. What
/// bounds it is how many events the store keeps: a reader that is overtaken by pruning goes on with
/// the oldest event that is left, and [`dropped`](EventStream::dropped) says how many it missed.
///
/// An event is delivered at least once to a reader that begins again after the last event it is
/// done with. The stream moves on only when an event is taken from it, so a wait that is given up
/// loses nothing. An error does not end it: the next poll tries again, a little later. It ends,
/// with `None`, when the runtime is closed; what was not taken until then is there the next time.
///
/// It must be polled within the async runtime (tokio) that the [`Runtime`] is used on.
///
/// ```
/// use futures_util::StreamExt as _;
/// use serde_json::json;
/// use toolkeep::{CallContext, Follow, Runtime};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), toolkeep::Error> {
/// let rt = Runtime::builder().build().await?;
/// rt.call(&CallContext::new().session("s1"), "datetime", json!({})).await?;
/// let mut calls = rt.follow(Follow { kinds: vec!["call.".into()], ..Follow::default() })?;
/// while let Some(event) = calls.next().await {
///     let event = event?;
///     assert_eq!((event.kind.as_str(), event.subject.as_str()), ("call.completed", "s1"));
///     // Done with it: a later `after: calls.cursor()` goes on behind it.
///     rt.close().await?;
/// }
/// assert_eq!((calls.cursor(), calls.dropped()), (1, 0));
/// # Ok(())
/// # }
/// ```
pub struct EventStream {
    runtime: Runtime,
    follow: Arc<Follow>,
    /// What was read and not taken yet. The first one is wanted; the others may not be.
    page: VecDeque<Event>,
    reading: Option<AbortOnDropHandle<Result<Vec<Event>, Error>>>,
    /// True until the store has shown that it has the place to begin after.
    begins: bool,
    failed: bool,
    progress: Arc<Progress>,
}

/// How far an [`EventStream`] has come. It may be asked while another thread waits in the stream.
#[derive(Debug)]
pub struct Progress {
    cursor: AtomicI64,
    dropped: AtomicU64,
}

impl Progress {
    /// As [`EventStream::cursor`].
    pub fn cursor(&self) -> i64 {
        self.cursor.load(Ordering::Acquire)
    }

    /// As [`EventStream::dropped`].
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Acquire)
    }

    /// Moves on over one event, and over those that should have come before it.
    fn pass(&self, event: &Event) {
        let missed = event.seq.saturating_sub(self.cursor()).saturating_sub(1);
        self.dropped.fetch_add(u64::try_from(missed).unwrap_or(0), Ordering::AcqRel);
        self.cursor.store(event.seq, Ordering::Release);
    }
}

impl Runtime {
    /// Follows the events of a tenant. The calls of this runtime show up once they are recorded,
    /// some milliseconds later; what other processes write shows up within a second.
    ///
    /// # Errors
    /// `invalid_argument` for a bad tenant or place, or `closed`. The stream itself gives the
    /// store's errors, and `invalid_argument` if the store has no event of that place yet: then the
    /// place is one of another store.
    pub fn follow(&self, follow: Follow) -> Result<EventStream, Error> {
        self.check_open()?;
        follow.check()?;
        let progress =
            Progress { cursor: AtomicI64::new(follow.after), dropped: AtomicU64::new(0) };
        Ok(EventStream {
            runtime: self.clone(),
            begins: follow.after > 0,
            follow: Arc::new(follow),
            page: VecDeque::new(),
            reading: None,
            failed: false,
            progress: Arc::new(progress),
        })
    }
}

impl EventStream {
    /// The `seq` of the last event that was taken, or that was passed over because it is not
    /// wanted: give it as `after` to go on from here.
    pub fn cursor(&self) -> i64 {
        self.progress.cursor()
    }

    /// How many events of the tenant were pruned before this reader came to them, wanted or not. It
    /// grows when the next event that is left is reached.
    pub fn dropped(&self) -> u64 {
        self.progress.dropped()
    }

    /// The same two numbers, for another thread to ask.
    pub fn progress(&self) -> Arc<Progress> {
        self.progress.clone()
    }

    /// Waits until there is an event to take: true; or until the runtime is closed: false. Giving
    /// the wait up loses nothing.
    ///
    /// # Errors
    /// As the stream's items.
    pub async fn ready(&mut self) -> Result<bool, Error> {
        poll_fn(|cx| self.poll_ready(cx)).await
    }

    /// Takes the next event if it has been read already; it has after [`ready`](Self::ready).
    pub fn pop(&mut self) -> Option<Event> {
        if self.runtime.is_closed() {
            return None;
        }
        let event = self.page.pop_front()?;
        self.progress.pass(&event);
        self.pass_unwanted();
        Some(event)
    }

    fn pass_unwanted(&mut self) {
        while let Some(event) = self.page.pop_front_if(|event| !self.follow.wants(event)) {
            self.progress.pass(&event);
        }
    }

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<bool, Error>> {
        loop {
            if self.runtime.is_closed() {
                self.reading = None;
                return Poll::Ready(Ok(false));
            }
            if !self.page.is_empty() {
                return Poll::Ready(Ok(true));
            }
            let read = match &mut self.reading {
                Some(reading) => ready!(Pin::new(reading).poll(cx)),
                None => {
                    self.reading = Some(self.read()?);
                    continue;
                }
            };
            self.reading = None;
            let page = read.unwrap_or_else(|why| {
                let text = format!("the reading of events ended ({why}); please report it");
                Err(Error::new(Code::Panic, text))
            });
            self.failed = page.is_err();
            match page {
                Ok(page) => {
                    self.begins = false;
                    self.page = page.into();
                    self.pass_unwanted();
                }
                // It was closed while this read; the loop says so.
                Err(error) if error.code() == Code::Closed && self.runtime.is_closed() => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    /// Begins to read the next page. A task does it, so that nothing of the store's is held by a
    /// stream that nobody polls.
    fn read(&self) -> Result<AbortOnDropHandle<Result<Vec<Event>, Error>>, Error> {
        let Ok(handle) = tokio::runtime::Handle::try_current() else {
            let text = "events are followed outside of an async runtime; poll them within tokio";
            return Err(Error::new(Code::Internal, text));
        };
        let (runtime, follow) = (self.runtime.clone(), self.follow.clone());
        let (after, begins, failed) = (self.cursor(), self.begins, self.failed);
        let read = async move {
            if failed {
                tokio::time::sleep(LOOK_EVERY).await;
            }
            let store = runtime.store();
            if begins {
                has_come_to(store, &follow.tenant, after).await?;
            }
            events_after(store, &follow.tenant, after, PAGE, None).await
        };
        let closing = self.runtime.closing();
        Ok(AbortOnDropHandle::new(handle.spawn(async move {
            closing.run_until_cancelled_owned(read).await.unwrap_or_else(|| Err(super::closed()))
        })))
    }
}

impl Stream for EventStream {
    type Item = Result<Event, Error>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        Poll::Ready(match ready!(self.poll_ready(cx)) {
            Ok(_) => self.pop().map(Ok),
            Err(error) => Some(Err(error)),
        })
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EventStream")
            .field("follow", &self.follow)
            .field("progress", &self.progress)
            .finish_non_exhaustive()
    }
}

/// Refuses a place that the tenant has not come to: it is one of another store, or of one that was
/// set back, and nothing would come for long.
pub(crate) async fn has_come_to(store: &dyn Store, tenant: &str, after: i64) -> Result<(), Error> {
    let last = store.last_event_seq(tenant).await?;
    if after <= last {
        return Ok(());
    }
    let text = format!(
        "`after` is {after}, but the newest event of tenant `{tenant}` is {last}: is this cursor of \
         another store? Begin with 0 for all events that are there, with {last} for new ones"
    );
    Err(Error::new(Code::InvalidArgument, text))
}

/// The first events after a place, at most `limit`. While there are none it waits: until that time,
/// or for as long as it takes.
pub(crate) async fn events_after(
    store: &dyn Store,
    tenant: &str,
    after: i64,
    limit: u32,
    until: Option<Instant>,
) -> Result<Vec<Event>, Error> {
    let mut changes = store.event_changes();
    loop {
        changes.mark_unchanged();
        let events = store.read_events(tenant, after, limit).await?;
        let now = Instant::now();
        if !events.is_empty() || until.is_some_and(|until| now >= until) {
            return Ok(events);
        }
        let look = now + LOOK_EVERY;
        // Whether it ticked or not, the next round looks again.
        let _ = timeout_at(until.map_or(look, |until| until.min(look)), tick(&mut changes)).await;
    }
}

async fn tick(changes: &mut watch::Receiver<u64>) {
    if changes.changed().await.is_err() {
        // A store that tells of nothing, or no longer, never ticks.
        std::future::pending().await
    }
}
