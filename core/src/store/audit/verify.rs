//! Checking a tenant's chains against their checkpoints.
//!
//! Writers may write meanwhile: a segment is checked up to the count of its checkpoint as it was
//! read, and rows up to that count never change but by pruning. So when something is wrong, the
//! checkpoint is read again to see whether the segment was pruned in between.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::super::driver::{Driver, Row, Statement, Value};
use super::super::{Error, SqlStore};
use super::chain::{hex, origin};
use super::checkpoint::{self, COLUMNS, Checkpoint};
use super::walk::{PAGE_ROWS, Walk};

const OPERATION: &str = "audit.verify";

/// The most problems that a report lists.
pub const MOST_PROBLEMS: usize = 100;

/// The result of a check of the ledger.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AuditReport {
    /// True if nothing is wrong.
    pub ok: bool,
    /// How many chained rows were checked. Intent and completed are rows of their own.
    pub rows: u64,
    /// How many segments were checked.
    pub segments: u64,
    /// How many rows belong to no chain, because they are older than the chains.
    pub unchained: u64,
    /// How many segments were pruned: only their checkpoints are left.
    pub pruned_segments: u64,
    /// The end of each writer's chain, unless it is damaged or pruned. Keep them outside of the
    /// store and give them as `anchors` later, to show that nothing up to here was rewritten.
    pub heads: Vec<ChainHead>,
    /// The problems; at most 100 are listed.
    pub problems: Vec<ChainProblem>,
    /// How many problems there are.
    pub problem_count: u64,
}

/// The end of a chain at some time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ChainHead {
    /// The writer: an id that each opened store has for each tenant it writes.
    pub writer: String,
    /// The number of the segment, from 1.
    pub segment: i64,
    /// How many rows the segment had.
    pub rows: i64,
    /// The hash of the last of them: 64 hexadecimal digits.
    pub hash: String,
}

/// A problem of the ledger.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ChainProblem {
    /// The writer of the chain; empty for rows of no chain.
    pub writer: String,
    /// The segment.
    pub segment: i64,
    /// The place in the segment, counted from 1.
    pub position: Option<i64>,
    /// The id of the call whose row is there.
    pub id: Option<String>,
    /// What is wrong.
    pub what: String,
}

/// Problems, of which the first are kept.
#[derive(Debug, Default)]
pub(super) struct Problems {
    kept: Vec<ChainProblem>,
    count: u64,
}

impl Problems {
    pub(super) fn add(
        &mut self,
        at: (&str, i64),
        position: Option<i64>,
        id: Option<String>,
        what: impl Into<String>,
    ) {
        self.count += 1;
        if self.kept.len() < MOST_PROBLEMS {
            let (writer, segment) = (at.0.to_owned(), at.1);
            self.kept.push(ChainProblem { writer, segment, position, id, what: what.into() });
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.count == 0
    }

    fn extend(&mut self, more: Problems) {
        self.count += more.count;
        self.kept.extend(more.kept);
        self.kept.truncate(MOST_PROBLEMS);
    }
}

const CHECKPOINTS: &str = "SELECT tenant, writer, segment, row_count, first_at_ms, last_at_ms, \
     hash, previous, state FROM toolkeep_audit_segments \
     WHERE tenant = ?1 AND (writer, segment) > (?2, ?3) ORDER BY writer, segment LIMIT ?4";

const ROWS: &str = "SELECT tenant, id, at_ms, phase, agent, user_key, session, tool, called_as, \
     decision, code, rule, arguments, duration_us, is_error, run, depth, writer, segment, position, \
     notes, hash FROM toolkeep_audit_rows WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 \
     AND position > ?4 AND position <= ?5 ORDER BY position LIMIT ?6";

const NEXT: &str = "SELECT MIN(position) FROM toolkeep_audit_rows \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 AND position > ?4";

const COUNT: &str = "SELECT COUNT(*) FROM toolkeep_audit_rows \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3";

const HASH: &str = "SELECT hash FROM toolkeep_audit_rows \
     WHERE tenant = ?1 AND writer = ?2 AND segment = ?3 AND position = ?4";

/// The next segment that has rows, by the rows, with what its checkpoint says: one statement, so
/// that both are as of the same moment.
const HELD: &str = "SELECT held.writer, held.segment, \
     (SELECT MAX(position) FROM toolkeep_audit_rows AS last WHERE last.tenant = held.tenant \
     AND last.writer = held.writer AND last.segment = held.segment), \
     noted.row_count, noted.state \
     FROM toolkeep_audit_rows AS held LEFT JOIN toolkeep_audit_segments AS noted \
     ON noted.tenant = held.tenant AND noted.writer = held.writer \
     AND noted.segment = held.segment \
     WHERE held.tenant = ?1 AND (held.writer, held.segment) > (?2, ?3) \
     ORDER BY held.writer, held.segment LIMIT 1";

pub(super) async fn verify<D: Driver>(
    store: &SqlStore<D>,
    tenant: &str,
    anchors: Vec<ChainHead>,
) -> Result<AuditReport, Error> {
    store.check(OPERATION, &[("tenant", tenant)])?;
    for (place, anchor) in anchors.iter().enumerate() {
        check(anchor).map_err(|why| {
            store.invalid(OPERATION, format!("`anchors[{place}]{why}; give a head of a report"))
        })?;
    }
    let report = AuditReport::default();
    let mut check = Check { store, tenant, report, problems: Problems::default() };
    check.checkpoints().await?;
    check.held().await?;
    for anchor in &anchors {
        check.anchor(anchor).await?;
    }
    let Problems { kept: problems, count: problem_count } = check.problems;
    Ok(AuditReport { ok: problem_count == 0, problems, problem_count, ..check.report })
}

fn check(anchor: &ChainHead) -> Result<(), String> {
    crate::id::check_key("writer", &anchor.writer)
        .map_err(|_| ".writer` is no writer".to_owned())?;
    for (field, number) in [("segment", anchor.segment), ("rows", anchor.rows)] {
        if number < 1 {
            return Err(format!(".{field}` is {number}, and counting begins with 1"));
        }
    }
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    match anchor.hash.len() == 64 && anchor.hash.bytes().all(is_hex) {
        true => Ok(()),
        false => Err(".hash` is not 64 hexadecimal digits in lower case".into()),
    }
}

struct Check<'s, D> {
    store: &'s SqlStore<D>,
    tenant: &'s str,
    report: AuditReport,
    problems: Problems,
}

impl<D: Driver> Check<'_, D> {
    /// Every segment that has a checkpoint, writer by writer.
    async fn checkpoints(&mut self) -> Result<(), Error> {
        let mut last: Option<Checkpoint> = None;
        let mut head = None;
        let mut after = (String::new(), i64::MIN);
        loop {
            let params =
                vec![self.tenant.into(), after.0.into(), after.1.into(), checkpoint::PAGE.into()];
            let page = Statement::new(CHECKPOINTS, params);
            let page = self.store.read_all(OPERATION, page, COLUMNS, Checkpoint::decode).await?;
            for checkpoint in page.iter().cloned() {
                let before = last.take().filter(|last| last.writer == checkpoint.writer);
                if before.is_none() {
                    self.report.heads.extend(head.take());
                }
                if checkpoint.is_unchained() {
                    self.unchained(&checkpoint).await?;
                } else {
                    self.link(before.as_ref(), &checkpoint).await?;
                    head = self.segment(&checkpoint).await?;
                }
                last = Some(checkpoint);
            }
            let Some(end) = page.last() else { break };
            after = (end.writer.clone(), end.segment);
        }
        self.report.heads.extend(head);
        Ok(())
    }

    /// Whether a segment goes on where the one before it ended.
    async fn link(&mut self, before: Option<&Checkpoint>, at: &Checkpoint) -> Result<(), Error> {
        let place = (at.writer.as_str(), at.segment);
        let expected = before.map_or(1, |before| before.segment.saturating_add(1));
        if at.segment != expected {
            let what = match at.segment > expected {
                true => format!("no checkpoint is left of segments {expected} to before this one"),
                false => "no writer makes a segment of this number".to_owned(),
            };
            self.problems.add(place, None, None, what);
            return Ok(());
        }
        let goes_on = match before {
            None => at.previous == origin(self.tenant, &at.writer),
            // It may have grown since it was read.
            Some(before) => {
                at.previous == before.hash
                    || self.again(before).await?.is_some_and(|before| at.previous == before.hash)
            }
        };
        if !goes_on {
            let what = "the segment does not begin where the one before it ended";
            self.problems.add(place, None, None, what);
        }
        Ok(())
    }

    async fn again(&self, checkpoint: &Checkpoint) -> Result<Option<Checkpoint>, Error> {
        let Checkpoint { writer, segment, .. } = checkpoint;
        Checkpoint::find(self.store, OPERATION, self.tenant, writer, *segment).await
    }

    async fn was_pruned(&self, checkpoint: &Checkpoint) -> Result<bool, Error> {
        Ok(self.again(checkpoint).await?.is_some_and(|now| now.is_pruned()))
    }

    /// The rows of a segment. Gives the chain's end, if it is whole.
    async fn segment(&mut self, checkpoint: &Checkpoint) -> Result<Option<ChainHead>, Error> {
        if checkpoint.is_pruned() {
            self.report.pruned_segments += 1;
            return Ok(None);
        }
        let mut walk = Walk::new(checkpoint);
        self.walk(&mut walk, checkpoint).await?;
        let (rows, problems) = walk.end();
        if !problems.is_empty() && self.was_pruned(checkpoint).await? {
            self.report.pruned_segments += 1;
            return Ok(None);
        }
        self.report.segments += 1;
        self.report.rows += rows;
        let head = problems.is_empty().then(|| ChainHead {
            writer: checkpoint.writer.clone(),
            segment: checkpoint.segment,
            rows: checkpoint.rows,
            hash: hex(&checkpoint.hash),
        });
        self.problems.extend(problems);
        Ok(head)
    }

    /// Reads by ranges of places, so that no row hides behind another at the edge of a page.
    async fn walk(&self, walk: &mut Walk<'_>, checkpoint: &Checkpoint) -> Result<(), Error> {
        let mut from = i64::MIN;
        let mut to = PAGE_ROWS.min(checkpoint.rows);
        loop {
            let mut params = self.place(checkpoint);
            params.extend([from.into(), to.into(), Value::Int(PAGE_ROWS + 1)]);
            let rows = self.store.read(OPERATION, Statement::new(ROWS, params)).await?;
            let found = rows.len();
            rows.into_iter().for_each(|row| walk.step(row));
            from = to;
            if found == 0 {
                let mut params = self.place(checkpoint);
                params.push(to.into());
                let next = self.store.read(OPERATION, Statement::new(NEXT, params)).await?;
                match first_int(next) {
                    Some(next) => from = next - 1,
                    None => return Ok(()),
                }
            }
            if from >= checkpoint.rows {
                return Ok(());
            }
            to = from.saturating_add(PAGE_ROWS).min(checkpoint.rows);
        }
    }

    fn place(&self, checkpoint: &Checkpoint) -> Vec<Value> {
        let Checkpoint { writer, segment, .. } = checkpoint;
        vec![self.tenant.into(), writer.as_str().into(), (*segment).into()]
    }

    /// Rows of before the chains: they can only be counted.
    async fn unchained(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        if checkpoint.is_pruned() {
            self.report.pruned_segments += 1;
            return Ok(());
        }
        let count = Statement::new(COUNT, self.place(checkpoint));
        let count = first_int(self.store.read(OPERATION, count).await?).unwrap_or(0);
        if count != checkpoint.rows && !self.was_pruned(checkpoint).await? {
            let noted = checkpoint.rows;
            let what =
                format!("of the {noted} rows that are older than the chains, {count} are there");
            self.problems.add((&checkpoint.writer, checkpoint.segment), None, None, what);
        }
        self.report.unchained += u64::try_from(count).unwrap_or(0);
        Ok(())
    }

    /// Every segment that has rows: a checkpoint must know of them.
    async fn held(&mut self) -> Result<(), Error> {
        let mut after = (String::new(), i64::MIN);
        loop {
            let params = vec![self.tenant.into(), after.0.into(), after.1.into()];
            let mut held = self.store.read(OPERATION, Statement::new(HELD, params)).await?;
            let Some(Row(values)) = held.pop() else { return Ok(()) };
            let mut values = values.into_iter();
            let mut next = || values.next().unwrap_or(Value::Null);
            let (Value::Text(writer), Value::Int(segment), Value::Int(last)) =
                (next(), next(), next())
            else {
                let problem = "the ledger's rows have no place in a chain".to_owned();
                return Err(self.store.bad_row(OPERATION, super::BadRow(problem)));
            };
            let what = match (next(), next()) {
                (Value::Int(_), Value::Text(state)) if state == "pruned" => {
                    Some("there are rows in a segment that was pruned")
                }
                (Value::Int(rows), Value::Text(_)) if last > rows => {
                    Some("there are rows beyond what the checkpoint counts")
                }
                (Value::Int(_), Value::Text(_)) => None,
                _ => Some("there are rows without a checkpoint"),
            };
            if let Some(what) = what {
                self.problems.add((&writer, segment), Some(last), None, what);
            }
            after = (writer, segment);
        }
    }

    /// Whether what a report once gave is still so.
    async fn anchor(&mut self, anchor: &ChainHead) -> Result<(), Error> {
        let place = (anchor.writer.as_str(), anchor.segment);
        let found = Checkpoint::find(self.store, OPERATION, self.tenant, place.0, place.1).await?;
        let Some(checkpoint) = found else {
            self.problems.add(place, None, None, "the segment of an anchor is gone");
            return Ok(());
        };
        if checkpoint.rows < anchor.rows {
            let what = format!(
                "the segment has {} rows; an anchor says that it had {}",
                checkpoint.rows, anchor.rows
            );
            self.problems.add(place, Some(anchor.rows), None, what);
            return Ok(());
        }
        let hash = if checkpoint.rows == anchor.rows {
            Some(hex(&checkpoint.hash))
        } else if checkpoint.is_pruned() {
            return Ok(());
        } else {
            let mut params = self.place(&checkpoint);
            params.push(anchor.rows.into());
            let found = self.store.read(OPERATION, Statement::new(HASH, params)).await?;
            match found.first().map(|row| row.0.as_slice()) {
                Some([Value::Bytes(hash)]) => Some(hex(hash)),
                _ => None,
            }
        };
        if hash.as_ref() != Some(&anchor.hash)
            && (hash.is_some() || !self.was_pruned(&checkpoint).await?)
        {
            let what = "the row here is another than that of an anchor: the chain was rewritten";
            self.problems.add(place, Some(anchor.rows), None, what);
        }
        Ok(())
    }
}

fn first_int(rows: Vec<Row>) -> Option<i64> {
    match rows.first().map(|row| row.0.as_slice()) {
        Some([Value::Int(int)]) => Some(*int),
        _ => None,
    }
}

#[cfg(test)]
pub(super) const STATEMENTS: &[&str] = &[CHECKPOINTS, ROWS, NEXT, COUNT, HASH, HELD];
