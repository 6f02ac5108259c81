//! Checks that changes and the events that report them are written together.

use super::audit::row;
use super::events::new_event;
use super::{Failure, Problem, Report, new_tenant, refused, same};
use crate::event::NewEvent;
use crate::store::{AuditQuery, Kind, PruneAudit, PutAgent, Store};

/// Checks that a change and its events are written together or not at all.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn outbox(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("outbox: each change of an agent is told", agents_are_reported(store)).await?;
    let events = super::credentials::events(store);
    report.check("outbox: each change of a credential is told, without its value", events).await?;
    let events = super::custom_tools::events(store);
    report.check("outbox: each change of a custom tool is told", events).await?;
    report.check("outbox: what did not happen is not told", failures_are_not(store)).await?;
    report.check("outbox: audit rows and their events go together", with_audit(store)).await?;
    report.check("outbox: of racing changes one wins and is told", racing(store)).await?;
    report.check("outbox: each pruned segment is told", pruning(store)).await?;
    Ok(report)
}

async fn all_events(
    store: &dyn Store,
    tenant: &str,
) -> Result<Vec<(String, String, i64)>, Problem> {
    let events = store.read_events(tenant, 0, 1000).await?;
    Ok(events.into_iter().map(|event| (event.kind, event.subject, event.at_ms)).collect())
}

async fn agents_are_reported(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.put_agent(PutAgent::new(&tenant, "a"), 1).await?;
    store.put_agent(PutAgent { if_version: Some(1), ..PutAgent::new(&tenant, "a") }, 2).await?;
    store.delete_agent(&tenant, "a", 3).await?;
    let expected = [("agent.changed", 1), ("agent.changed", 2), ("agent.deleted", 3)];
    let expected = expected.map(|(kind, at_ms)| (kind.into(), "a".into(), at_ms));
    same(all_events(store, &tenant).await?, expected.to_vec())
}

async fn failures_are_not(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let stale = PutAgent { if_version: Some(3), ..PutAgent::new(&tenant, "a") };
    refused(store.put_agent(stale, 1).await, Kind::Conflict)?;
    same(store.delete_agent(&tenant, "a", 2).await?, false)?;
    same(all_events(store, &tenant).await?, vec![])
}

async fn with_audit(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let bad = NewEvent { subject: "a\0b".into(), ..new_event(&tenant, 2) };
    let events = vec![new_event(&tenant, 1), bad];
    let result = store.record_audit(vec![row(&tenant, "1")], events).await;
    refused(result, Kind::InvalidArgument)?;
    same(store.query_audit(AuditQuery::new(&tenant)).await?, vec![])?;
    same(all_events(store, &tenant).await?, vec![])?;
    store.record_audit(vec![row(&tenant, "1")], vec![new_event(&tenant, 1)]).await?;
    same(store.query_audit(AuditQuery::new(&tenant)).await?.len(), 1)?;
    same(all_events(store, &tenant).await?.len(), 1)
}

async fn racing(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let put = || PutAgent { if_version: Some(0), ..PutAgent::new(&tenant, "a") };
    let puts = (0..16).map(|n| store.put_agent(put(), n));
    let results = futures_util::future::join_all(puts).await;
    same(results.iter().filter(|result| result.is_ok()).count(), 1)?;
    for lost in results.into_iter().filter(Result::is_err) {
        refused(lost, Kind::Conflict)?;
    }
    same(all_events(store, &tenant).await?.len(), 1)
}

async fn pruning(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.record_audit(vec![row(&tenant, "1"), row(&tenant, "2")], vec![]).await?;
    let prune = PruneAudit { tenant: tenant.clone(), keep_rows: Some(0), before_ms: None };
    let done = store.prune_audit(prune, i64::MAX).await?;
    let events = store.read_events(&tenant, 0, 1000).await?;
    same(events.iter().map(|event| event.kind.as_str()).collect(), vec!["audit.pruned"])?;
    let rows: Vec<_> = events.iter().map(|event| event.data["rows"].as_u64()).collect();
    same(rows, vec![Some(done.rows)])
}
