//! The approvals in SQL.

use futures_util::FutureExt as _;
use serde_json::{Value as Json, json};

use super::{Approval, ApprovalQuery, ApprovalState, Approvals, NewApproval, Verdict};
use crate::event::NewEvent;
use crate::store::driver::{Batch, Driver, Statement, Value, Written};
use crate::store::fields::{BadRow, Fields, text};
use crate::store::json::object_text;
use crate::store::{Error, SqlStore, StoreFuture};

macro_rules! columns {
    () => {
        "tenant, id, digest, agent, user_key, session, tool, request, state, decided_by, reason, \
         edited, created_at_ms, expires_at_ms, decided_at_ms, updated_at_ms"
    };
}

const COLUMNS: &[&str] = &[
    "tenant",
    "id",
    "digest",
    "agent",
    "user_key",
    "session",
    "tool",
    "request",
    "state",
    "decided_by",
    "reason",
    "edited",
    "created_at_ms",
    "expires_at_ms",
    "decided_at_ms",
    "updated_at_ms",
];

const REQUEST: &str = concat!(
    "INSERT INTO toolkeep_approvals (tenant, id, digest, agent, user_key, session, tool, request, \
     state, created_at_ms, expires_at_ms, updated_at_ms) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, 'pending', ?9, ?10, ?9) \
     ON CONFLICT (tenant, id) DO NOTHING RETURNING ",
    columns!()
);

const GET: &str =
    concat!("SELECT ", columns!(), " FROM toolkeep_approvals WHERE tenant = ?1 AND id = ?2");

const FIND: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM toolkeep_approvals WHERE tenant = ?1 AND digest = ?2 \
     AND state IN ('pending', 'allowed') AND (state = 'allowed' OR expires_at_ms > ?3) \
     ORDER BY created_at_ms, id LIMIT 100"
);

/// A denial changes once more when it is reported.
const UNREPORTED: &str = concat!(
    "SELECT ",
    columns!(),
    " FROM toolkeep_approvals WHERE tenant = ?1 AND digest = ?2 AND state = 'denied' \
     AND updated_at_ms = decided_at_ms ORDER BY created_at_ms DESC, id DESC LIMIT 100"
);

const REPORT_DENIAL: &str = concat!(
    "UPDATE toolkeep_approvals SET updated_at_ms = \
     CASE WHEN decided_at_ms < ?3 THEN ?3 ELSE decided_at_ms + 1 END \
     WHERE tenant = ?1 AND id = ?2 AND state = 'denied' AND updated_at_ms = decided_at_ms \
     RETURNING ",
    columns!()
);

const DECIDE: &str = concat!(
    "UPDATE toolkeep_approvals SET state = ?4, decided_by = ?5, reason = ?6, edited = ?7, \
     decided_at_ms = ?3, updated_at_ms = ?3 \
     WHERE tenant = ?1 AND id = ?2 AND state = 'pending' AND expires_at_ms > ?3 RETURNING ",
    columns!()
);

const CONSUME: &str = concat!(
    "UPDATE toolkeep_approvals SET state = 'consumed', updated_at_ms = ?3 \
     WHERE tenant = ?1 AND id = ?2 AND state = 'allowed' AND digest = ?4 RETURNING ",
    columns!()
);

const CANCEL: &str = concat!(
    "UPDATE toolkeep_approvals SET state = 'cancelled', updated_at_ms = ?3 \
     WHERE tenant = ?1 AND id = ?2 \
     AND (state = 'allowed' OR (state = 'pending' AND expires_at_ms > ?3)) RETURNING ",
    columns!()
);

const EXPIRE: &str = concat!(
    "UPDATE toolkeep_approvals SET state = 'expired', updated_at_ms = ?3 \
     WHERE tenant = ?1 AND id = ?2 AND state = 'pending' AND expires_at_ms <= ?3 RETURNING ",
    columns!()
);

const OVERDUE: &str = "SELECT tenant, id FROM toolkeep_approvals \
     WHERE state = 'pending' AND expires_at_ms <= ?1 ORDER BY expires_at_ms LIMIT 500";

/// A list that is driven by the index which the first condition names; the others filter.
macro_rules! list {
    ($driver:literal) => {
        concat!(
            "SELECT ",
            columns!(),
            " FROM toolkeep_approvals WHERE tenant = ?1 AND id > ?2",
            $driver,
            " AND (CAST(?4 AS TEXT) IS NULL OR CAST(?4 AS TEXT) = CASE WHEN state = 'pending' \
             AND expires_at_ms <= ?3 THEN 'expired' ELSE state END) \
             AND (CAST(?5 AS TEXT) IS NULL OR session = CAST(?5 AS TEXT)) \
             AND (CAST(?6 AS TEXT) IS NULL OR agent = CAST(?6 AS TEXT)) \
             ORDER BY id LIMIT ?7"
        )
    };
}

const LIST: &str = list!("");
const LIST_OF_SESSION: &str = list!(" AND session = CAST(?5 AS TEXT)");
const LIST_OF_AGENT: &str = list!(" AND agent = CAST(?6 AS TEXT)");
const LIST_OF_STATE: &str = list!(" AND state = CAST(?8 AS TEXT)");

/// A step of an approval: the statement that makes it, with its condition, and the event that reports it.
struct Step<'a> {
    operation: &'static str,
    tenant: &'a str,
    id: &'a str,
    now_ms: i64,
    sql: &'static str,
    /// The parameters after tenant, id and time.
    rest: Vec<Value>,
    kind: &'static str,
    data: Json,
}

impl<D: Driver> SqlStore<D> {
    /// Makes a step. None if its condition does not hold.
    async fn step(&self, step: Step<'_>) -> Result<Option<Approval>, Error> {
        let Step { operation, tenant, id, now_ms, sql, rest, kind, data } = step;
        let mut params = vec![tenant.into(), id.into(), now_ms.into()];
        params.extend(rest);
        let statement = Statement::new(sql, params).must_change();
        let event =
            NewEvent { tenant: tenant.into(), at_ms: now_ms, kind, subject: id.into(), data };
        self.changed(operation, statement, event).await
    }

    async fn changed(
        &self,
        operation: &'static str,
        statement: Statement,
        event: NewEvent,
    ) -> Result<Option<Approval>, Error> {
        let batch = Batch::from(statement).with_events(vec![event]);
        let batch = batch.map_err(|message| self.invalid(operation, message))?;
        let outcomes = match self.write(operation, batch).await? {
            Written::Done(outcomes) => outcomes,
            Written::ConditionFailed { .. } => return Ok(None),
        };
        let rows = outcomes.into_iter().next().map(|outcome| outcome.rows).unwrap_or_default();
        self.decode_all(operation, rows, COLUMNS, decode).map(|mut found| found.pop())
    }

    async fn approval(
        &self,
        operation: &'static str,
        tenant: &str,
        id: &str,
        now_ms: i64,
    ) -> Result<Option<Approval>, Error> {
        let statement = Statement::new(GET, vec![tenant.into(), id.into()]);
        let found = self.read_all(operation, statement, COLUMNS, decode).await?.pop();
        Ok(found.map(|approval| approval.at_time(now_ms)))
    }

    /// Makes a step, or says why it cannot be made.
    async fn step_or_say(&self, step: Step<'_>) -> Result<Option<Approval>, Error> {
        let Step { operation, tenant, id, now_ms, .. } = step;
        if let Some(changed) = self.step(step).await? {
            return Ok(Some(changed));
        }
        match self.approval(operation, tenant, id, now_ms).await? {
            None => Ok(None),
            Some(other) => Err(self.conflict(operation, other.standing())),
        }
    }

    fn check_request(&self, operation: &'static str, new: &NewApproval) -> Result<String, Error> {
        let keys = [
            ("tenant", &*new.tenant),
            ("id", &new.id),
            ("digest", &new.digest),
            ("tool", &new.tool),
        ];
        self.check(operation, &keys)?;
        let given = [
            ("agent", new.agent.as_deref()),
            ("user", new.user.as_deref()),
            ("session", new.session.as_deref()),
        ];
        self.check_given(operation, &given)?;
        let request = object_text("request", &new.request);
        let request = request.map_err(|message| self.invalid(operation, message))?;
        self.check_body(operation, &format!("approval `{}`", new.id), request.len())?;
        Ok(request)
    }

    fn check_verdict(
        &self,
        operation: &'static str,
        id: &str,
        verdict: &Verdict,
    ) -> Result<Vec<Value>, Error> {
        self.check(operation, &[("by", &verdict.by)])?;
        let invalid = |message| self.invalid(operation, message);
        let reason = verdict.reason.as_deref().unwrap_or_default();
        text("reason", reason).map_err(invalid)?;
        if verdict.edited.is_some() && !verdict.allow {
            let message = "`edited` is given with a denial; give it only where you allow";
            return Err(self.invalid(operation, message.into()));
        }
        let edited = verdict.edited.as_ref().map(|edited| object_text("edited", edited));
        let edited = edited.transpose().map_err(|message| self.invalid(operation, message))?;
        let size = reason.len() + edited.as_ref().map_or(0, String::len);
        self.check_body(operation, &format!("the decision on approval `{id}`"), size)?;
        let state = if verdict.allow { ApprovalState::Allowed } else { ApprovalState::Denied };
        Ok(vec![
            state.name().into(),
            verdict.by.as_str().into(),
            verdict.reason.as_deref().into(),
            edited.into(),
        ])
    }
}

impl<D: Driver> Approvals for SqlStore<D> {
    fn request_approval(&self, new: NewApproval, now_ms: i64) -> StoreFuture<'_, Approval> {
        async move {
            const OPERATION: &str = "approvals.request";
            let request = self.check_request(OPERATION, &new)?;
            let mut data = json!({
                "tool": new.tool, "agent": new.agent, "user": new.user,
                "session": new.session, "expires_at_ms": new.expires_at_ms
            });
            if let (Some(data), Json::Object(more)) = (data.as_object_mut(), new.event_data) {
                data.extend(more);
            }
            let event = NewEvent {
                tenant: new.tenant.clone(),
                at_ms: now_ms,
                kind: "approval.requested",
                subject: new.id.clone(),
                data,
            };
            let params = vec![
                new.tenant.as_str().into(),
                new.id.as_str().into(),
                new.digest.as_str().into(),
                new.agent.into(),
                new.user.into(),
                new.session.into(),
                new.tool.into(),
                request.into(),
                now_ms.into(),
                new.expires_at_ms.into(),
            ];
            let statement = Statement::new(REQUEST, params).must_change();
            if let Some(requested) = self.changed(OPERATION, statement, event).await? {
                return Ok(requested.at_time(now_ms));
            }
            match self.approval(OPERATION, &new.tenant, &new.id, now_ms).await? {
                Some(there) if there.digest == new.digest => Ok(there),
                _ => {
                    let message = format!(
                        "approval `{}` is for another call (its digest differs); take another id",
                        new.id
                    );
                    Err(self.conflict(OPERATION, message))
                }
            }
        }
        .boxed()
    }

    fn get_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.get";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            self.approval(OPERATION, tenant, id, now_ms).await
        }
        .boxed()
    }

    fn list_approvals(&self, query: ApprovalQuery, now_ms: i64) -> StoreFuture<'_, Vec<Approval>> {
        async move {
            const OPERATION: &str = "approvals.list";
            self.check(OPERATION, &[("tenant", &query.tenant)])?;
            let given = [
                ("session", query.session.as_deref()),
                ("agent", query.agent.as_deref()),
                ("after", query.after.as_deref()),
            ];
            self.check_given(OPERATION, &given)?;
            let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
            let mut found = Vec::new();
            for (sql, kept_as) in listings(&query) {
                let mut params = vec![
                    query.tenant.as_str().into(),
                    query.after.as_deref().unwrap_or_default().into(),
                    now_ms.into(),
                    query.state.map(ApprovalState::name).into(),
                    query.session.as_deref().into(),
                    query.agent.as_deref().into(),
                    query.limit.into(),
                ];
                params.extend(kept_as.map(|state| Value::from(state.name())));
                let statement = Statement::new(sql, params);
                let page = self.read_all(OPERATION, statement, COLUMNS, decode).await?;
                found.extend(page.into_iter().map(|approval| approval.at_time(now_ms)));
            }
            found.sort_by(|a, b| a.id.cmp(&b.id));
            found.dedup_by(|a, b| a.id == b.id);
            found.truncate(limit);
            Ok(found)
        }
        .boxed()
    }

    fn find_approvals<'a>(
        &'a self,
        tenant: &'a str,
        digest: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Vec<Approval>> {
        async move {
            const OPERATION: &str = "approvals.find";
            self.check(OPERATION, &[("tenant", tenant), ("digest", digest)])?;
            let key = || vec![tenant.into(), digest.into()];
            let usable = Statement::new(FIND, [key(), vec![now_ms.into()]].concat());
            let mut found = self.read_all(OPERATION, usable, COLUMNS, decode).await?;
            let untold = Statement::new(UNREPORTED, key());
            found.extend(self.read_all(OPERATION, untold, COLUMNS, decode).await?);
            found.sort_by(|a, b| (a.created_at_ms, &a.id).cmp(&(b.created_at_ms, &b.id)));
            Ok(found)
        }
        .boxed()
    }

    fn report_denial<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.tell";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let params = vec![tenant.into(), id.into(), now_ms.into()];
            let statement = Statement::new(REPORT_DENIAL, params).must_change();
            let outcomes = match self.write(OPERATION, statement.into()).await? {
                Written::Done(outcomes) => outcomes,
                Written::ConditionFailed { .. } => return Ok(None),
            };
            let rows = outcomes.into_iter().next().map(|outcome| outcome.rows).unwrap_or_default();
            self.decode_all(OPERATION, rows, COLUMNS, decode).map(|mut found| found.pop())
        }
        .boxed()
    }

    fn decide_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        verdict: Verdict,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.decide";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let rest = self.check_verdict(OPERATION, id, &verdict)?;
            let state = if verdict.allow { "allowed" } else { "denied" };
            let data = json!({ "state": state, "by": verdict.by });
            let (sql, kind) = (DECIDE, "approval.decided");
            let step = Step { operation: OPERATION, tenant, id, now_ms, sql, rest, kind, data };
            self.step_or_say(step).await
        }
        .boxed()
    }

    fn consume_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        digest: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.consume";
            self.check(OPERATION, &[("tenant", tenant), ("id", id), ("digest", digest)])?;
            let (sql, rest) = (CONSUME, vec![digest.into()]);
            let (kind, data) = ("approval.consumed", json!({}));
            let step = Step { operation: OPERATION, tenant, id, now_ms, sql, rest, kind, data };
            if let Some(consumed) = self.step(step).await? {
                return Ok(Some(consumed));
            }
            match self.approval(OPERATION, tenant, id, now_ms).await? {
                None => Ok(None),
                Some(other) if other.digest != digest => {
                    let message = format!(
                        "approval `{id}` is for another call (its digest differs); ask anew"
                    );
                    Err(self.conflict(OPERATION, message))
                }
                Some(other) => Err(self.conflict(OPERATION, other.standing())),
            }
        }
        .boxed()
    }

    fn cancel_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.cancel";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            let (sql, rest) = (CANCEL, Vec::new());
            let (kind, data) = ("approval.cancelled", json!({}));
            let step = Step { operation: OPERATION, tenant, id, now_ms, sql, rest, kind, data };
            self.step_or_say(step).await
        }
        .boxed()
    }

    fn expire_approval<'a>(
        &'a self,
        tenant: &'a str,
        id: &'a str,
        now_ms: i64,
    ) -> StoreFuture<'a, Option<Approval>> {
        async move {
            const OPERATION: &str = "approvals.expire";
            self.check(OPERATION, &[("tenant", tenant), ("id", id)])?;
            match self.step(expiry(OPERATION, tenant, id, now_ms)).await? {
                Some(expired) => Ok(Some(expired)),
                None => self.approval(OPERATION, tenant, id, now_ms).await,
            }
        }
        .boxed()
    }

    fn expire_approvals(&self, now_ms: i64) -> StoreFuture<'_, u64> {
        async move {
            const OPERATION: &str = "approvals.expire_all";
            let mut expired = 0;
            loop {
                let statement = Statement::new(OVERDUE, vec![now_ms.into()]);
                let keys = self.read_all(OPERATION, statement, &["tenant", "id"], key).await?;
                if keys.is_empty() {
                    return Ok(expired);
                }
                for (tenant, id) in keys {
                    let done = self.step(expiry(OPERATION, &tenant, &id, now_ms)).await?;
                    expired += u64::from(done.is_some());
                }
            }
        }
        .boxed()
    }
}

/// The statements of a list, each driven by the index that fits, and the state by which its rows
/// are kept. Expired ones are kept as such or still as pending; they are looked for in the order in
/// which they change, so that none slips through in between.
fn listings(query: &ApprovalQuery) -> Vec<(&'static str, Option<ApprovalState>)> {
    match (&query.session, &query.agent, query.state) {
        (Some(_), _, _) => vec![(LIST_OF_SESSION, None)],
        (None, Some(_), _) => vec![(LIST_OF_AGENT, None)],
        (None, None, Some(ApprovalState::Expired)) => {
            let states = [ApprovalState::Pending, ApprovalState::Expired];
            states.map(|state| (LIST_OF_STATE, Some(state))).to_vec()
        }
        (None, None, state @ Some(_)) => vec![(LIST_OF_STATE, state)],
        (None, None, None) => vec![(LIST, None)],
    }
}

fn expiry<'a>(operation: &'static str, tenant: &'a str, id: &'a str, now_ms: i64) -> Step<'a> {
    let (sql, kind) = (EXPIRE, "approval.expired");
    Step { operation, tenant, id, now_ms, sql, rest: Vec::new(), kind, data: json!({}) }
}

fn key(fields: &mut Fields) -> Result<(String, String), BadRow> {
    Ok((fields.text()?, fields.text()?))
}

fn decode(fields: &mut Fields) -> Result<Approval, BadRow> {
    Ok(Approval {
        tenant: fields.text()?,
        id: fields.text()?,
        digest: fields.text()?,
        agent: fields.text_or_none()?,
        user: fields.text_or_none()?,
        session: fields.text_or_none()?,
        tool: fields.text()?,
        request: fields.object()?,
        state: fields.name(ApprovalState::from_name)?,
        decided_by: fields.text_or_none()?,
        reason: fields.text_or_none()?,
        edited: fields.json_or_none()?,
        created_at_ms: fields.int()?,
        expires_at_ms: fields.int()?,
        decided_at_ms: fields.int_or_none()?,
        updated_at_ms: fields.int()?,
    })
}
