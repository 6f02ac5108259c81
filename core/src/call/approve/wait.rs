//! Waiting for a decision: the host's handler, anybody with access to the store, the end of the
//! time. The first of them counts, and the store says which it was.

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, Either, pending, select};
use futures_util::pin_mut;
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::task::TaskTracker;

use super::super::path::CallPath;
use super::super::state::Stop;
use super::edit::Original;
use super::{ApprovalAnswer, always, only_allowed};
use crate::clock::Clock;
use crate::shell::Proposal;
use crate::store::{Approval, ApprovalState, Kind, Store, Verdict};

/// How often a waiting call looks for what the store did not tell of, such as another process's
/// decision in a SQLite file.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// The least time between two looks, however much is written to the store.
const LOOK_AFTER: Duration = Duration::from_millis(10);

/// How a wait ended.
pub(super) enum Ended {
    /// The approval is not pending any more.
    Decided(Box<Approval>),
    /// The handler failed, and so the call was denied.
    Failed,
    /// The handler edited the arguments to some that do not fit, and so the call was denied.
    Unfit,
    /// The handler leaves the decision to others, and nobody waits for them.
    Left,
    /// The approval is not in the store any more.
    Gone,
}

/// What the handler said, or how it failed.
type Said = Result<Option<ApprovalAnswer>, String>;

/// One wait.
pub(super) struct Wait<'p> {
    pub path: &'p CallPath,
    pub tenant: &'p str,
    pub id: &'p str,
    pub expires_at_ms: i64,
    /// True if the wait goes on when the handler leaves the decision to others.
    pub others: bool,
    /// What the handler's edited arguments are held against.
    pub original: &'p Original<'p>,
}

impl Wait<'_> {
    /// Waits for the first decision.
    pub(super) async fn ended(&self, handler: Option<BoxFuture<'_, Said>>) -> Result<Ended, Stop> {
        if handler.is_none() && !self.others {
            return Ok(Ended::Left);
        }
        let timeout = Duration::from_millis(self.path.approval.config.timeout_ms);
        let until = Instant::now() + timeout;
        let mut handler = handler.unwrap_or_else(|| Box::pin(pending()));
        let mut changes = self.path.store.event_changes();
        loop {
            let look = until.min(Instant::now() + LOOK_EVERY);
            let said = {
                let changed = wait_for_change(&mut changes, look);
                pin_mut!(changed);
                match select(&mut handler, changed).await {
                    Either::Left((said, _)) => Some(said),
                    Either::Right(_) => None,
                }
            };
            if let Some(said) = said {
                handler = Box::pin(pending());
                if let Some(ended) = self.answered(said).await? {
                    return Ok(ended);
                }
            }
            changes.mark_unchanged();
            let over = Instant::now() >= until;
            if let Some(ended) = self.look(over).await? {
                return Ok(ended);
            }
        }
    }

    /// What became of it so far. `over` if nobody may decide any more.
    async fn look(&self, over: bool) -> Result<Option<Ended>, Stop> {
        let (store, tenant, id) = (&self.path.store, self.tenant, self.id);
        let now_ms = self.path.clock.now_ms();
        let found = if over || now_ms >= self.expires_at_ms {
            // The clock of the host may have been set back: the wait ends all the same.
            store.expire_approval(tenant, id, now_ms.max(self.expires_at_ms)).await?
        } else {
            store.get_approval(tenant, id, now_ms).await?
        };
        Ok(match found {
            None => Some(Ended::Gone),
            Some(found) if found.state == ApprovalState::Pending => None,
            // Somebody decided who has no say here.
            Some(found) if found.state == ApprovalState::Allowed && !self.external() => {
                Some(Ended::Gone)
            }
            Some(found) => Some(Ended::Decided(Box::new(found))),
        })
    }

    fn external(&self) -> bool {
        self.path.approval.config.external
    }

    /// Makes the handler's answer the decision, unless somebody else was faster.
    async fn answered(&self, said: Said) -> Result<Option<Ended>, Stop> {
        let answer = match said {
            Ok(Some(answer)) => answer,
            Ok(None) => return Ok((!self.others).then_some(Ended::Left)),
            Err(why) => return self.failed(&why).await,
        };
        let always = match self.kept(&answer).await? {
            Ok(always) => always,
            Err(why) => return self.failed(&why).await,
        };
        let ApprovalAnswer { allow, by, reason, edited, .. } = answer;
        let edited = edited.map(serde_json::Value::Object);
        if allow && let Some(why) = edited.as_ref().and_then(|edited| self.original.misfit(edited))
        {
            let why = self.original.scrubber().scrub(&why).replace('\0', " ");
            tracing::error!(approval = self.id, %why, "the approve handler's answer does not hold");
            return self.deny(&why, Ended::Unfit).await;
        }
        let verdict = Verdict { allow, by, reason, edited };
        match self.decide(verdict).await {
            Ok(decided) => {
                self.keep(decided.as_ref(), always).await?;
                Ok(decided)
            }
            Err(error) if error.kind() == Kind::InvalidArgument => {
                self.failed(&error.to_string()).await
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The rule that comes with an answer, if one does; or why it cannot.
    async fn kept(
        &self,
        answer: &ApprovalAnswer,
    ) -> Result<Result<Option<Proposal>, String>, Stop> {
        let Some(number) = answer.always else { return Ok(Ok(None)) };
        if let Err(why) = only_allowed(answer.allow, answer.edited.is_some()) {
            return Ok(Err(why));
        }
        let now_ms = self.path.clock.now_ms();
        let row = self.path.store.get_approval(self.tenant, self.id, now_ms).await?;
        let chosen = row.map(|row| always::chosen(&row, number));
        Ok(chosen.transpose().map_err(|error| error.message().to_owned()))
    }

    /// Keeps the rule that came with a decision which counts.
    async fn keep(&self, ended: Option<&Ended>, rule: Option<Proposal>) -> Result<(), Stop> {
        if let (Some(Ended::Decided(decided)), Some(rule)) = (ended, rule) {
            let until = (self.path.clock.now_ms(), self.path.approval.config.always_ms);
            always::keep(self.path.store.as_ref(), decided, rule, until).await?;
        }
        Ok(())
    }

    /// Denies the call, because the host's handler could not decide. Why, only the host is told.
    async fn failed(&self, why: &str) -> Result<Option<Ended>, Stop> {
        let why = self.original.scrubber().scrub(why).replace('\0', " ");
        tracing::error!(approval = self.id, %why, "the approve handler failed");
        self.deny(&format!("the approve handler failed: {why}"), Ended::Failed).await
    }

    /// Denies the call in the host's name. None if somebody else was faster.
    async fn deny(&self, why: &str, denied: Ended) -> Result<Option<Ended>, Stop> {
        let reason = Some(crate::limits::shortened(why, MOST_WHY).into_owned());
        let verdict = Verdict { allow: false, by: "host".into(), reason, edited: None };
        Ok(self.decide(verdict).await?.map(|ended| match ended {
            Ended::Decided(_) => denied,
            other => other,
        }))
    }

    /// None if somebody else was faster.
    async fn decide(&self, verdict: Verdict) -> Result<Option<Ended>, crate::store::Error> {
        let now_ms = self.path.clock.now_ms();
        match self.path.store.decide_approval(self.tenant, self.id, verdict, now_ms).await {
            Ok(Some(decided)) => Ok(Some(Ended::Decided(Box::new(decided)))),
            Ok(None) => Ok(Some(Ended::Gone)),
            Err(error) if error.kind() == Kind::Conflict => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// How much of a handler's failure is kept, in bytes.
const MOST_WHY: usize = 2_000;

/// Waits until the store may have changed, or until it is time to look anyway.
async fn wait_for_change(changes: &mut watch::Receiver<u64>, look: Instant) {
    let tick = async {
        if changes.changed().await.is_err() {
            // A store that tells of nothing, or no longer, never ticks.
            pending::<()>().await;
        }
        sleep(LOOK_AFTER).await;
    };
    let _ = timeout_at(look, tick).await;
}

/// Takes an approval back when the call that wants it ends before it was used.
pub(super) struct Release {
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    releases: TaskTracker,
    /// Kept, because whoever drops a call may do so outside of the async runtime.
    tokio: Option<Handle>,
    key: Option<(String, String)>,
}

impl Release {
    pub(super) fn new(path: &CallPath, tenant: &str, id: &str) -> Release {
        Release {
            store: path.store.clone(),
            clock: path.clock.clone(),
            releases: path.approval.releases.clone(),
            tokio: Handle::try_current().ok(),
            key: Some((tenant.to_owned(), id.to_owned())),
        }
    }

    /// Lets the approval be.
    pub(super) fn disarm(mut self) {
        self.key = None;
    }
}

impl Drop for Release {
    fn drop(&mut self) {
        let (Some((tenant, id)), Some(tokio)) = (self.key.take(), &self.tokio) else { return };
        let (store, clock) = (self.store.clone(), self.clock.clone());
        let release = async move {
            // The request itself may still be on its way to the store.
            for pause in [0, 50, 500] {
                sleep(Duration::from_millis(pause)).await;
                match store.cancel_approval(&tenant, &id, clock.now_ms()).await {
                    Ok(None) => {}
                    Ok(Some(_)) => return,
                    Err(error) if error.kind() == Kind::Conflict => return,
                    Err(error) => {
                        tracing::warn!(approval = id, %error, "an approval was not taken back");
                        return;
                    }
                }
            }
        };
        self.releases.spawn_on(release, tokio);
    }
}

/// True for the failure of a decision that came too late, or was used already.
pub(super) fn is_conflict(error: &crate::store::Error) -> bool {
    error.kind() == Kind::Conflict
}
