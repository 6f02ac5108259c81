//! Writing the ledger: requests that come while another is being written go together in the next
//! transaction, and a row that is there already is left out.
//!
//! What a row's hash is depends on the row before it, so only one transaction of a store adds rows
//! at a time. A task carries it on, one on each async runtime where somebody waits: neither a caller
//! that stops polling nor a runtime that nobody drives any more holds the others up.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use futures_util::FutureExt as _;
use tokio::runtime::{self, Handle};
use tokio::sync::oneshot;

use super::Phase;
use super::chain::{Chain, SegmentLimits, Values, adds_row};
use crate::event::NewEvent;
use crate::joint::{Joint, WeakJoint};
use crate::store::driver::{Batch, Driver, Statement, Value, Written, stopped};
use crate::store::{Error, Kind};

pub(super) const OPERATION: &str = "audit.record";

/// How many rows of waiting requests go into one transaction at most.
const TOGETHER: usize = 1_024;
/// How often a batch is tried again because others wrote the same rows meanwhile.
const ATTEMPTS: usize = 8;
/// How many tenants' chains are kept in memory. A tenant that comes back later gets a new writer.
const TENANTS: usize = 4_096;

/// What a row is known by: tenant, id, phase.
type Key<'r> = (&'r str, &'r str, &'r str);

/// The chains that a store writes, and who waits to write.
#[derive(Debug, Default)]
pub(in crate::store) struct Ledger {
    limits: SegmentLimits,
    queue: Mutex<Queue>,
    chains: Mutex<HashMap<String, Chain>>,
}

#[derive(Debug, Default)]
struct Queue {
    waiting: VecDeque<Request>,
    /// Who writes what waits; nothing while nobody does.
    turn: WeakJoint,
    /// How many turns there were.
    turns: u64,
    /// The async runtimes that carry the turn on.
    carriers: Vec<runtime::Id>,
    closed: bool,
}

#[derive(Debug)]
struct Request {
    rows: Vec<Values>,
    events: Vec<NewEvent>,
    reply: oneshot::Sender<Result<(), Error>>,
}

impl Request {
    /// The events to write when only some rows are added: `added` has an entry for each row. A row
    /// that is there already was written with its event.
    fn events_with(&self, added: &[bool]) -> Vec<&NewEvent> {
        let completed = |row: &Values| text(row, PHASE) == Phase::Completed.name();
        let rows = self.rows.iter().zip(added).filter(|(row, _)| completed(row));
        if rows.clone().count() == self.events.len() {
            let pairs = rows.zip(&self.events).filter(|((_, added), _)| **added);
            return pairs.map(|(_, event)| event).collect();
        }
        match self.rows.is_empty() || added.contains(&true) {
            true => self.events.iter().collect(),
            false => Vec::new(),
        }
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Ledger {
    pub(in crate::store) fn new(limits: SegmentLimits) -> Ledger {
        Ledger { limits, ..Ledger::default() }
    }

    /// Writes rows and events together. The work is begun by the first poll and finished even
    /// when the future is dropped.
    pub(super) async fn record<D: Driver>(
        self: &Arc<Ledger>,
        driver: &Arc<D>,
        rows: Vec<Values>,
        events: Vec<NewEvent>,
    ) -> Result<(), Error> {
        match self.enqueue(driver, rows, events, false) {
            Some(waiter) => {
                let answer = waiter.wait().await;
                answer.unwrap_or_else(|| Err(stopped(&driver.url()).during(OPERATION)))
            }
            None => {
                let message = "the store is closed; open it again to go on";
                Err(Error::new(Kind::Closed, driver.url(), message).during(OPERATION))
            }
        }
    }

    /// Waits until everything that was begun is written, and takes nothing further.
    pub(in crate::store) async fn finish<D: Driver>(self: &Arc<Ledger>, driver: &Arc<D>) {
        // An empty request is answered after those before it. Whatever its answer, nothing is
        // being written any more.
        if let Some(last) = self.enqueue(driver, vec![], vec![], true) {
            let _ = last.wait().await;
        }
    }

    /// Puts a request in the queue and gives who waits for its answer. None if there was a last
    /// one.
    fn enqueue<D: Driver>(
        self: &Arc<Ledger>,
        driver: &Arc<D>,
        rows: Vec<Values>,
        events: Vec<NewEvent>,
        is_last: bool,
    ) -> Option<Waiter> {
        let (reply, answer) = oneshot::channel();
        let mut queue = locked(&self.queue);
        if queue.closed {
            return None;
        }
        queue.closed = is_last;
        queue.waiting.push_back(Request { rows, events, reply });
        let turn = queue.turn.upgrade().unwrap_or_else(|| {
            queue.turns += 1;
            let turn = Turn { ledger: self.clone(), number: queue.turns, over: false };
            let turn = Joint::new(write_all(turn, driver.clone()));
            queue.turn = turn.downgrade();
            queue.carriers.clear();
            turn
        });
        let number = queue.turns;
        drop(queue);
        Some(Waiter { ledger: self.clone(), turn, number, carrier: None, answer })
    }

    /// True if the turn must be carried on here too: a request of this async runtime waits for it,
    /// and no task of this runtime carries it on yet.
    fn wants(&self, turn: u64, here: runtime::Id) -> bool {
        let mut queue = locked(&self.queue);
        let wants = queue.turns == turn && !queue.carriers.contains(&here);
        if wants {
            queue.carriers.push(here);
        }
        wants
    }

    /// Requests for the next transaction; none ends the turn.
    fn take(&self) -> Vec<Request> {
        let mut queue = locked(&self.queue);
        let mut rows = 0;
        let mut taken: Vec<Request> = Vec::new();
        while let Some(next) = queue.waiting.front() {
            rows += next.rows.len();
            if rows > TOGETHER && !taken.is_empty() {
                break;
            }
            taken.extend(queue.waiting.pop_front());
        }
        if taken.is_empty() {
            // From here on a new request begins a turn of its own.
            queue.turn = WeakJoint::default();
        }
        taken
    }

    fn keep(&self, chains: Vec<(String, Chain)>) {
        let mut kept = locked(&self.chains);
        for (tenant, chain) in chains {
            if kept.len() >= TENANTS && !kept.contains_key(&tenant) {
                let idle = kept.iter().min_by_key(|(_, chain)| chain.used);
                if let Some(idle) = idle.map(|(tenant, _)| tenant.clone()) {
                    kept.remove(&idle);
                }
            }
            kept.insert(tenant, chain);
        }
    }
}

/// Who waits for the answer to a request.
struct Waiter {
    ledger: Arc<Ledger>,
    turn: Joint,
    number: u64,
    /// The async runtime that carries the turn on for this one.
    carrier: Option<runtime::Id>,
    answer: oneshot::Receiver<Result<(), Error>>,
}

impl Waiter {
    /// None if the turn was lost. What was begun goes on when this future is dropped.
    async fn wait(mut self) -> Option<Result<(), Error>> {
        poll_fn(|cx| self.poll(cx)).await
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<(), Error>>> {
        match Handle::try_current() {
            // It may have been moved here since it was last polled.
            Ok(runtime) if self.carrier != Some(runtime.id()) => {
                self.carrier = Some(runtime.id());
                if self.ledger.wants(self.number, runtime.id()) {
                    runtime.spawn(self.turn.clone());
                }
            }
            Ok(_) => {}
            // Whether it is done shows in the answer.
            Err(_) => drop(self.turn.poll_unpin(cx)),
        }
        Poll::Ready(ready!(self.answer.poll_unpin(cx)).ok())
    }
}

/// The right to write. Lost in the middle (everybody who carried it on is gone, or it panicked), it
/// fails whoever waits: what they wrote is not known, and they may ask again.
struct Turn {
    ledger: Arc<Ledger>,
    number: u64,
    over: bool,
}

impl Drop for Turn {
    fn drop(&mut self) {
        if self.over {
            return;
        }
        let mut queue = locked(&self.ledger.queue);
        // Otherwise the next turn has taken over what waits.
        if queue.turns == self.number {
            queue.turn = WeakJoint::default();
            queue.waiting.clear();
        }
    }
}

async fn write_all<D: Driver>(mut turn: Turn, driver: Arc<D>) {
    loop {
        let requests = turn.ledger.take();
        if requests.is_empty() {
            turn.over = true;
            return;
        }
        match turn.ledger.write(&*driver, &requests).await {
            // One of them may be to blame: the others shall not suffer for it.
            Err(error) if requests.len() > 1 && is_about_one(&error) => {
                for request in requests {
                    let written = turn.ledger.write(&*driver, std::slice::from_ref(&request)).await;
                    let _ = request.reply.send(written);
                }
            }
            written => {
                for request in requests {
                    let copy = written.as_ref().copied().map_err(Error::again);
                    let _ = request.reply.send(copy);
                }
            }
        }
    }
}

fn is_about_one(error: &Error) -> bool {
    matches!(error.kind(), Kind::InvalidArgument | Kind::Conflict)
}

/// A transaction, and the chains as they are without it and with it.
struct Plan<'r> {
    batch: Batch,
    before: Vec<(String, Chain)>,
    after: Vec<(String, Chain)>,
    /// Which statements change a checkpoint, and whose.
    checkpoints: Vec<(usize, String)>,
    keys: Vec<Key<'r>>,
}

impl Ledger {
    /// Writes requests in one transaction, without the rows that are there already. The chains of
    /// a write that failed are given up, because it may have been written all the same.
    async fn write<D: Driver>(&self, driver: &D, requests: &[Request]) -> Result<(), Error> {
        let mut present = HashSet::new();
        for _ in 0..ATTEMPTS {
            let plan = self.plan(requests, &present);
            let plan = plan.map_err(|message| invalid(driver, message))?;
            if plan.batch.statements.is_empty() {
                return Ok(());
            }
            match driver.write(plan.batch).await.map_err(|error| error.during(OPERATION))? {
                Written::Done(_) => {
                    self.keep(plan.after);
                    return Ok(());
                }
                Written::ConditionFailed { statement } => {
                    let changed = plan.checkpoints.into_iter().find(|(at, _)| *at == statement);
                    let mut chains = plan.before;
                    match changed {
                        // Pruned meanwhile, or set back: its chain goes on as another writer.
                        Some((_, changed)) => chains.retain(|(tenant, _)| *tenant != changed),
                        None => {
                            let there = look_up(driver, plan.keys).await?;
                            // Then it is not the rows that are there, but others in their places.
                            if there.is_empty() {
                                chains.clear();
                            }
                            present.extend(there);
                        }
                    }
                    self.keep(chains);
                }
            }
        }
        let message = "other processes kept writing the same rows; try again";
        Err(Error::new(Kind::Conflict, driver.url(), message).during(OPERATION))
    }

    /// Takes the chains that it plans with: whoever writes must give back what is true then.
    fn plan<'r>(
        &self,
        requests: &'r [Request],
        present: &HashSet<Key<'r>>,
    ) -> Result<Plan<'r>, String> {
        let mut rows: BTreeMap<&str, Vec<&[Value]>> = BTreeMap::new();
        let mut keys = HashSet::new();
        let mut events = Vec::new();
        for request in requests {
            let mut added = Vec::with_capacity(request.rows.len());
            for row in &request.rows {
                let is_new = !present.contains(&key(row)) && keys.insert(key(row));
                if is_new {
                    rows.entry(text(row, TENANT)).or_default().push(row);
                }
                added.push(is_new);
            }
            events.extend(request.events_with(&added));
        }
        let outbox = Batch::default().with_event_refs(events)?;
        let mut plan = Plan {
            batch: Batch { statements: Vec::new(), sync_later: true, ..outbox },
            before: Vec::new(),
            after: Vec::new(),
            checkpoints: Vec::new(),
            keys: keys.into_iter().collect(),
        };
        // In the order of tenants, so that two transactions never wait for each other.
        for (tenant, rows) in rows {
            let known = locked(&self.chains).remove(tenant);
            let chain = known.unwrap_or_else(|| Chain::new(tenant));
            let (statements, after) = chain.append(tenant, &rows, self.limits);
            let first = plan.batch.statements.len();
            let checkpoints = statements.iter().enumerate().filter(|(_, one)| !adds_row(one));
            plan.checkpoints.extend(checkpoints.map(|(at, _)| (first + at, tenant.to_owned())));
            plan.batch.statements.extend(statements);
            plan.before.push((tenant.to_owned(), chain));
            plan.after.push((tenant.to_owned(), after));
        }
        plan.batch.statements.extend(outbox.statements);
        Ok(plan)
    }
}

fn invalid(driver: &impl Driver, message: String) -> Error {
    Error::new(Kind::InvalidArgument, driver.url(), message).during(OPERATION)
}

/// The positions of the key in the values of a row.
const TENANT: usize = 0;
const ID: usize = 1;
const PHASE: usize = 3;

fn key(row: &Values) -> Key<'_> {
    (text(row, TENANT), text(row, ID), text(row, PHASE))
}

fn text(row: &Values, column: usize) -> &str {
    match row.get(column) {
        Some(Value::Text(text)) => text,
        _ => "",
    }
}

const FIND: &str = "SELECT tenant, id, phase FROM toolkeep_audit_rows \
     WHERE tenant = ?1 AND id = ?2 AND phase = ?3";

/// Those of the keys whose rows are there.
async fn look_up<'r, D: Driver>(driver: &D, keys: Vec<Key<'r>>) -> Result<Vec<Key<'r>>, Error> {
    let find = |(tenant, id, phase): &Key<'_>| {
        Statement::new(FIND, vec![(*tenant).into(), (*id).into(), (*phase).into()])
    };
    // One transaction is one way to the database, where as many reads would be as many ways.
    let batch = Batch::new(keys.iter().map(find).collect());
    match driver.write(batch).await.map_err(|error| error.during(OPERATION))? {
        Written::Done(outcomes) => {
            let found = keys.into_iter().zip(outcomes).filter(|(_, one)| !one.rows.is_empty());
            Ok(found.map(|(key, _)| key).collect())
        }
        Written::ConditionFailed { .. } => Ok(Vec::new()),
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[FIND];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::suite::audit_row as row;
    use crate::store::{Audit as _, SqlStore, SqliteDriver, SqliteOptions};

    #[tokio::test]
    async fn chains_of_many_tenants_are_given_up_again_and_stay_whole() {
        let driver = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
        let store = SqlStore::new(driver);
        let count = TENANTS + 50;
        for id in ["1", "2"] {
            let rows = (0..count).map(|n| row(&format!("t{n:05}"), id)).collect();
            store.record_audit(rows, vec![]).await.unwrap();
            assert_eq!(locked(&store.ledger.chains).len(), TENANTS);
        }
        let mut writers = 0;
        for n in [0, 25, count / 2, count - 1] {
            let report = store.verify_audit(&format!("t{n:05}"), vec![]).await.unwrap();
            assert_eq!((report.ok, report.rows), (true, 2));
            writers += report.heads.len();
        }
        assert!(writers > 4, "a tenant that was given up came back as the same writer");
    }
}
