//! Path locks: who may write which files of a workspace for now.
//!
//! A lock is a lease of the kind `path:<space>` whose row also holds its glob patterns, so its
//! epoch fences writes like any other. Whether patterns overlap is not for SQL to say: whoever
//! takes a lock reads the space's locks, decides, and writes only if the space's generation is
//! still the one it read. The generation stands in a row of the same kind whose name is empty, as
//! no lock's is; it grows with every lock and is the new lock's epoch.

use std::collections::HashSet;
use std::slice;
use std::sync::atomic::Ordering::SeqCst;

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;

use super::driver::{Batch, Driver, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::leases::PATH_KIND;
use super::path_automaton::{Effort, Overlap};
use super::path_overlap::{PathPattern, check_path};
use super::{Error, Fence, Kind, SqlStore, Store as _, StoreFuture};
use crate::id::{MAX_KEY_BYTES, new_id};

/// The most patterns that one lock may have.
pub const MOST_PATTERNS: usize = 32;

/// The most locks that may be held in one space at a time.
pub const MOST_PATH_LOCKS: usize = 1_000;

/// How often a lock is tried for again because somebody else took one in between. Each failure is
/// somebody's success, so only a space with hundreds of takers at once gets there.
const MOST_TRIES: usize = 200;

/// How long an expired lock that is in nobody's way is left alone, in milliseconds: its holder's
/// clock may be slower.
const LEFT_ALONE_MS: i64 = 60 * 60 * 1000;

/// A lock on some paths of a space.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathLock {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The workspace whose paths it covers.
    pub space: String,
    /// Its id.
    pub id: String,
    /// The glob patterns of the paths it covers.
    pub patterns: Vec<String>,
    /// Who holds it.
    pub holder: String,
    /// Greater than that of every earlier lock in the space.
    pub epoch: i64,
    /// When it ends unless renewed, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
}

/// A lock to be taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPathLock {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The workspace whose paths it covers: a name of at most 507 bytes.
    pub space: String,
    /// Glob patterns of paths relative to the workspace, 1 to [`MOST_PATTERNS`]. `*` and `?` stop
    /// at `/`, `**` does not; `[..]` and `{a,b}` are known; case counts.
    pub patterns: Vec<String>,
    /// Who takes it.
    pub holder: String,
    /// For how many milliseconds, 1 to [`MOST_LEASE_MS`](super::MOST_LEASE_MS).
    pub ttl_ms: i64,
}

/// Why a lock was refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PathConflict {
    /// The requested pattern.
    pub pattern: String,
    /// The pattern it overlaps with.
    pub held_pattern: String,
    /// The lock that this one belongs to.
    pub lock: PathLock,
    /// True if it would cost too much to tell whether they overlap; write simpler patterns.
    pub too_costly: bool,
}

/// What became of an attempt to take a lock.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PathClaim {
    /// It was taken, or renewed.
    Taken(PathLock),
    /// Somebody else holds a lock that it overlaps with.
    Refused(Box<PathConflict>),
}

/// The path locks of each tenant, by space.
pub trait PathLocks: Send + Sync {
    /// Takes a lock on all patterns or on none. It is refused if one of them and a pattern of
    /// another holder's lock could match a common path. Locks that have expired are in nobody's
    /// way. If the holder has a lock on the same set of patterns, that one is renewed and keeps
    /// its epoch.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`] naming the pattern that is wrong; [`Kind::Conflict`] if the space
    /// has [`MOST_PATH_LOCKS`] locks already; [`Kind::Locked`] if others kept taking locks.
    fn lock_paths(&self, lock: NewPathLock, now_ms: i64) -> StoreFuture<'_, PathClaim>;

    /// Makes a lock that has not expired last for `ttl_ms` milliseconds from now. False if
    /// `holder` does not hold it at that epoch any more.
    fn renew_paths<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        holder: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// Releases a lock. False if `holder` does not hold it at that epoch any more.
    fn unlock_paths<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        holder: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// At most `limit` locks of the space that are held now, oldest first, after the id `after`.
    fn list_path_locks<'a>(
        &'a self,
        tenant: &'a str,
        space: &'a str,
        after: Option<&'a str>,
        limit: u32,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<PathLock>>;

    /// The oldest lock held now that covers a path of the space. (All that cover it have the same
    /// holder.) A lock whose patterns are too costly to compare with the path counts as covering.
    ///
    /// # Errors
    ///
    /// [`Kind::InvalidArgument`] for a path that is not relative and plain, or longer than 4,096
    /// bytes.
    fn path_lock_of<'a>(
        &'a self,
        tenant: &'a str,
        space: &'a str,
        path: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<PathLock>>;
}

const COLUMNS: &[&str] = &["tenant", "name", "kind", "holder", "epoch", "expires_at_ms", "data"];

/// The generation, whose name is empty, comes first.
const LOOK: &str = "SELECT tenant, name, kind, holder, epoch, expires_at_ms, data \
     FROM toolkeep_leases WHERE tenant = ?1 AND kind = ?2 ORDER BY name";

const LIST: &str = "SELECT tenant, name, kind, holder, epoch, expires_at_ms, data \
     FROM toolkeep_leases WHERE tenant = ?1 AND kind = ?2 AND name > ?3 AND expires_at_ms > ?4 \
     ORDER BY name LIMIT ?5";

const BEGIN: &str = "INSERT INTO toolkeep_leases \
     (tenant, kind, name, holder, epoch, expires_at_ms) VALUES (?1, ?2, '', '', ?3, ?4) \
     ON CONFLICT (tenant, kind, name) DO NOTHING";

const ADVANCE: &str = "UPDATE toolkeep_leases SET epoch = ?3 \
     WHERE tenant = ?1 AND kind = ?2 AND name = '' AND epoch = ?4";

const EVICT: &str = "DELETE FROM toolkeep_leases \
     WHERE tenant = ?1 AND kind = ?2 AND name = ?3 AND expires_at_ms <= ?4";

const TAKE: &str = "INSERT INTO toolkeep_leases \
     (tenant, kind, name, holder, epoch, expires_at_ms, data) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";

const RENEW: &str = "UPDATE toolkeep_leases SET expires_at_ms = ?7 WHERE tenant = ?1 AND kind = ?2 \
     AND name = ?3 AND holder = ?4 AND epoch = ?5 AND expires_at_ms > ?6";

const RELEASE: &str = "DELETE FROM toolkeep_leases WHERE tenant = ?1 AND kind = ?2 \
     AND name = ?3 AND holder = ?4 AND epoch = ?5 AND expires_at_ms > ?6";

impl PathLock {
    /// What later writes present.
    pub fn fence(&self) -> Fence {
        PathLock::fence_of(&self.space, &self.id, self.epoch)
    }

    /// What later writes under the lock of that id and epoch present.
    pub fn fence_of(space: &str, id: &str, epoch: i64) -> Fence {
        Fence { kind: kind_of(space), name: id.into(), epoch }
    }
}

fn kind_of(space: &str) -> String {
    format!("{PATH_KIND}{space}")
}

/// What a space looked like.
struct Space {
    generation: Option<i64>,
    held: Vec<Held>,
}

/// A lock with its patterns in a shape that can be compared.
struct Held {
    lock: PathLock,
    patterns: Vec<PathPattern>,
}

/// What there is to do for a new lock.
enum Plan {
    Refuse(PathConflict),
    /// The holder has this lock already.
    Renew(PathLock),
    /// Take it, once these expired locks are gone.
    Take {
        evicted: Vec<String>,
    },
}

impl<D: Driver> SqlStore<D> {
    fn check_space(&self, operation: &'static str, tenant: &str, space: &str) -> Result<(), Error> {
        self.check(operation, &[("tenant", tenant), ("space", space)])?;
        let most = MAX_KEY_BYTES - PATH_KIND.len();
        if space.len() <= most {
            return Ok(());
        }
        let message = format!("`space` has {} bytes; give 1 to {most}", space.len());
        Err(self.invalid(operation, message))
    }

    fn check_lock(
        &self,
        operation: &'static str,
        tenant: &str,
        fence: &Fence,
        holder: &str,
    ) -> Result<(), Error> {
        let keys = [("tenant", tenant), ("id", &fence.name), ("holder", holder)];
        self.check(operation, &keys)?;
        self.check_space(operation, tenant, fence.kind.strip_prefix(PATH_KIND).unwrap_or_default())
    }

    fn parse_patterns(
        &self,
        operation: &'static str,
        patterns: &[String],
    ) -> Result<Vec<PathPattern>, Error> {
        if patterns.is_empty() || patterns.len() > MOST_PATTERNS {
            let message = format!("`patterns` has {}; give 1 to {MOST_PATTERNS}", patterns.len());
            return Err(self.invalid(operation, message));
        }
        let parsed = patterns.iter().map(|pattern| PathPattern::parse(pattern));
        let parsed = parsed.collect::<Result<Vec<_>, _>>();
        let mut parsed = parsed.map_err(|message| self.invalid(operation, message))?;
        parsed.sort_by(|a, b| a.text().cmp(b.text()));
        parsed.dedup_by(|a, b| a.text() == b.text());
        Ok(parsed)
    }

    async fn look(
        &self,
        operation: &'static str,
        tenant: &str,
        space: &str,
    ) -> Result<Space, Error> {
        let statement = Statement::new(LOOK, vec![tenant.into(), kind_of(space).into()]);
        let mut rows = self.read(operation, statement).await?;
        let is_generation = |value: &Value| matches!(value, Value::Text(name) if name.is_empty());
        let first = rows.first().and_then(|row| row.0.get(1)).is_some_and(is_generation);
        let generation = match first.then(|| rows.remove(0)) {
            None => None,
            Some(row) => match row.0.get(4) {
                Some(Value::Int(generation)) => Some(*generation),
                _ => return Err(self.bad_row(operation, BadRow(no_generation(space)))),
            },
        };
        let locks = self.decode_all(operation, rows, COLUMNS, decode)?;
        Ok(Space { generation, held: locks.into_iter().map(Held::of).collect() })
    }

    /// One attempt to carry out a plan. None if somebody was faster.
    async fn carry_out(
        &self,
        new: &NewPathLock,
        patterns: &[PathPattern],
        space: &Space,
        plan: Plan,
        now_ms: i64,
    ) -> Result<Option<PathClaim>, Error> {
        let expires_at_ms = now_ms.saturating_add(new.ttl_ms);
        let (batch, lock) = match plan {
            Plan::Refuse(conflict) => return Ok(Some(PathClaim::Refused(Box::new(conflict)))),
            Plan::Renew(lock) => {
                let renew = renewal(&lock.tenant, &lock.fence(), &lock.holder, new.ttl_ms, now_ms);
                (Batch::from(renew.must_change()), PathLock { expires_at_ms, ..lock })
            }
            Plan::Take { evicted } => {
                let after = space.generation.map_or(i64::MIN, |last| last.saturating_add(1));
                let lock = PathLock {
                    tenant: new.tenant.clone(),
                    space: new.space.clone(),
                    id: new_id(),
                    patterns: patterns.iter().map(|pattern| pattern.text().to_owned()).collect(),
                    holder: new.holder.clone(),
                    epoch: after.max(now_ms),
                    expires_at_ms,
                };
                (taking(&lock, space.generation, evicted, now_ms), lock)
            }
        };
        match self.write(LOCK, batch).await? {
            Written::Done(_) => Ok(Some(PathClaim::Taken(lock))),
            Written::ConditionFailed { .. } => Ok(None),
        }
    }
}

const LOCK: &str = "path_locks.lock";

fn no_generation(space: &str) -> String {
    format!("the generation of the path locks of space `{space}` is no number")
}

impl<D: Driver> PathLocks for SqlStore<D> {
    fn lock_paths(&self, new: NewPathLock, now_ms: i64) -> StoreFuture<'_, PathClaim> {
        async move {
            self.check(LOCK, &[("holder", &new.holder)])?;
            self.check_space(LOCK, &new.tenant, &new.space)?;
            self.check_ttl(LOCK, new.ttl_ms)?;
            let patterns = self.parse_patterns(LOCK, &new.patterns)?;
            self.may_hold_path_locks.store(true, SeqCst);
            let (mut effort, mut apart) = (Effort::default(), HashSet::new());
            for _ in 0..MOST_TRIES {
                let space = self.look(LOCK, &new.tenant, &new.space).await?;
                let plan =
                    space.plan(&new.holder, &patterns, &mut apart, &mut effort, now_ms).await;
                let live = space.held.iter().filter(|held| held.lock.expires_at_ms > now_ms);
                if matches!(plan, Plan::Take { .. }) && live.count() >= MOST_PATH_LOCKS {
                    let message = format!(
                        "space `{}` has {MOST_PATH_LOCKS} path locks; release some, or lock folders \
                         instead of files",
                        new.space
                    );
                    return Err(self.conflict(LOCK, message));
                }
                let done = self.carry_out(&new, &patterns, &space, plan, now_ms).await?;
                if let Some(claim) = done {
                    return Ok(claim);
                }
            }
            let message = format!("others keep taking path locks in space `{}`; try again", new.space);
            Err(Error::new(Kind::Locked, self.url(), message).during(LOCK))
        }
        .boxed()
    }

    fn renew_paths<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        holder: &'a str,
        ttl_ms: i64,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "path_locks.renew";
            self.check_lock(OPERATION, tenant, fence, holder)?;
            self.check_ttl(OPERATION, ttl_ms)?;
            let statement = renewal(tenant, fence, holder, ttl_ms, now_ms);
            let outcomes = self.write_always(OPERATION, statement.into()).await?;
            Ok(outcomes.iter().any(|outcome| outcome.changed > 0))
        }
        .boxed()
    }

    fn unlock_paths<'a>(
        &'a self,
        tenant: &'a str,
        fence: &'a Fence,
        holder: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "path_locks.unlock";
            self.check_lock(OPERATION, tenant, fence, holder)?;
            let statement = Statement::new(RELEASE, held_by(tenant, fence, holder, now_ms));
            let outcomes = self.write_always(OPERATION, statement.into()).await?;
            Ok(outcomes.iter().any(|outcome| outcome.changed > 0))
        }
        .boxed()
    }

    fn list_path_locks<'a>(
        &'a self,
        tenant: &'a str,
        space: &'a str,
        after: Option<&'a str>,
        limit: u32,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<PathLock>> {
        async move {
            const OPERATION: &str = "path_locks.list";
            self.check_space(OPERATION, tenant, space)?;
            self.check_given(OPERATION, &[("after", after)])?;
            let params = vec![
                tenant.into(),
                kind_of(space).into(),
                after.unwrap_or_default().into(),
                now_ms.into(),
                limit.into(),
            ];
            self.read_all(OPERATION, Statement::new(LIST, params), COLUMNS, decode).await
        }
        .boxed()
    }

    fn path_lock_of<'a>(
        &'a self,
        tenant: &'a str,
        space: &'a str,
        path: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<PathLock>> {
        async move {
            const OPERATION: &str = "path_locks.of";
            self.check_space(OPERATION, tenant, space)?;
            let path = check_path(path).map_err(|message| self.invalid(OPERATION, message))?;
            if !self.may_hold_path_locks.load(SeqCst) {
                return Ok(None);
            }
            let mut effort = Effort::default();
            for held in self.look(OPERATION, tenant, space).await?.held {
                let live = held.lock.expires_at_ms > now_ms;
                if live && held.meets(slice::from_ref(&path), &mut effort).await.is_some() {
                    return Ok(Some(held.lock));
                }
            }
            Ok(None)
        }
        .boxed()
    }
}

impl Held {
    fn of(lock: PathLock) -> Held {
        let patterns = lock.patterns.iter().cloned().map(PathPattern::checked).collect();
        Held { lock, patterns }
    }

    /// The first of our patterns, and of its own, that are not known to be apart.
    async fn meets(&self, ours: &[PathPattern], effort: &mut Effort) -> Option<PathConflict> {
        for one in ours {
            for two in &self.patterns {
                let overlap = one.overlap(two, effort);
                if overlap != Overlap::Apart {
                    return Some(PathConflict {
                        pattern: one.text().into(),
                        held_pattern: two.text().into(),
                        lock: self.lock.clone(),
                        too_costly: overlap == Overlap::TooCostly,
                    });
                }
            }
            effort.pause().await;
        }
        None
    }
}

impl Space {
    /// `apart` has the ids of locks that are known to be in nobody's way, over several attempts.
    async fn plan(
        &self,
        holder: &str,
        ours: &[PathPattern],
        apart: &mut HashSet<String>,
        effort: &mut Effort,
        now_ms: i64,
    ) -> Plan {
        let mut evicted = Vec::new();
        for held in &self.held {
            let lock = &held.lock;
            let live = lock.expires_at_ms > now_ms;
            if live && lock.holder == holder {
                if held
                    .patterns
                    .iter()
                    .map(PathPattern::text)
                    .eq(ours.iter().map(PathPattern::text))
                {
                    return Plan::Renew(lock.clone());
                }
                continue;
            }
            let conflict = match apart.contains(&lock.id) {
                true => None,
                false => held.meets(ours, effort).await,
            };
            match conflict {
                Some(conflict) if live => return Plan::Refuse(conflict),
                Some(_) => evicted.push(lock.id.clone()),
                None => {
                    apart.insert(lock.id.clone());
                    if lock.expires_at_ms.saturating_add(LEFT_ALONE_MS) <= now_ms {
                        evicted.push(lock.id.clone());
                    }
                }
            }
        }
        Plan::Take { evicted }
    }
}

/// The generation guards what was read about locks that are held; an expired one that is in the
/// way must still be expired, because its holder may have renewed it with a slower clock.
fn taking(lock: &PathLock, generation: Option<i64>, evicted: Vec<String>, now_ms: i64) -> Batch {
    let params = |rest: Vec<Value>| {
        let space = [lock.tenant.as_str().into(), kind_of(&lock.space).into()];
        space.into_iter().chain(rest).collect::<Vec<Value>>()
    };
    let advance = match generation {
        None => Statement::new(BEGIN, params(vec![lock.epoch.into(), i64::MAX.into()])),
        Some(last) => Statement::new(ADVANCE, params(vec![lock.epoch.into(), last.into()])),
    };
    let mut statements = vec![advance.must_change()];
    statements.extend(
        evicted
            .into_iter()
            .map(|id| Statement::new(EVICT, params(vec![id.into(), now_ms.into()])).must_change()),
    );
    statements.push(Statement::new(
        TAKE,
        params(vec![
            lock.id.as_str().into(),
            lock.holder.as_str().into(),
            lock.epoch.into(),
            lock.expires_at_ms.into(),
            Json::from(lock.patterns.as_slice()).to_string().into(),
        ]),
    ));
    Batch::new(statements)
}

fn renewal(tenant: &str, fence: &Fence, holder: &str, ttl_ms: i64, now_ms: i64) -> Statement {
    let mut params = held_by(tenant, fence, holder, now_ms);
    params.push(now_ms.saturating_add(ttl_ms).into());
    Statement::new(RENEW, params)
}

/// The parameters that find a lock which its holder holds at this epoch.
fn held_by(tenant: &str, fence: &Fence, holder: &str, now_ms: i64) -> Vec<Value> {
    vec![
        tenant.into(),
        fence.kind.as_str().into(),
        fence.name.as_str().into(),
        holder.into(),
        fence.epoch.into(),
        now_ms.into(),
    ]
}

fn decode(fields: &mut Fields) -> Result<PathLock, BadRow> {
    let (tenant, id, kind) = (fields.text()?, fields.text()?, fields.text()?);
    Ok(PathLock {
        tenant,
        id,
        space: kind.strip_prefix(PATH_KIND).unwrap_or(&kind).to_owned(),
        holder: fields.text()?,
        epoch: fields.int()?,
        expires_at_ms: fields.int()?,
        patterns: fields.json()?,
    })
}
