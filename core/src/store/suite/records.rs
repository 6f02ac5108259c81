//! Checks of what the versioned rows have in common: each change is reported, and a lease fences it.

use serde_json::{Value as Json, json};

use super::{Failure, Problem, Report, new_tenant, refused, same};
use crate::store::{
    ContextFileKey, DocumentKey, GrantEffect, GrantKey, Kind, NewMessage, PutContextFile,
    PutDocument, PutGrant, PutRule, PutSession, RuleEffect, SessionUsage, Store,
};

/// Checks that each change of a context file, document, rule, grant or session is reported, and that
/// a write under a lease needs the lease.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn records(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("records: each change of a text is told", texts_are_reported(store)).await?;
    report
        .check("records: each change of a rule or grant is told", rules_are_reported(store))
        .await?;
    report.check("records: each change of a session is told", sessions_are_reported(store)).await?;
    report.check("records: what did not happen is not told", failures_are_not(store)).await?;
    report.check("records: who lost a lease writes nothing", fences(store)).await?;
    Ok(report)
}

fn file(tenant: &str) -> PutContextFile {
    let key = ContextFileKey {
        tenant: tenant.into(),
        agent: "a".into(),
        user: Some("u".into()),
        name: "n".into(),
    };
    PutContextFile { key, body: b"x".to_vec(), if_version: None, if_body: None, fence: None }
}

fn document(tenant: &str) -> PutDocument {
    let key =
        DocumentKey { tenant: tenant.into(), agent: "a".into(), user: None, path: "p".into() };
    PutDocument {
        key,
        mime: "m".into(),
        body: b"x".to_vec(),
        if_version: None,
        if_body: None,
        fence: None,
    }
}

fn rule(tenant: &str) -> PutRule {
    PutRule { id: Some("r".into()), ..PutRule::new(tenant, "tool", RuleEffect::Allow, "exec") }
}

fn grant(tenant: &str) -> PutGrant {
    let key = GrantKey {
        tenant: tenant.into(),
        kind: "cli".into(),
        resource: "gh".into(),
        agent: Some("a".into()),
        user: None,
    };
    let (effect, granted_by) = (GrantEffect::Allow, "owner".into());
    PutGrant { key, effect, settings: json!({}), granted_by, if_version: None }
}

type EventRow = (String, String, i64, Json);

async fn events(store: &dyn Store, tenant: &str) -> Result<Vec<EventRow>, Problem> {
    let events = store.read_events(tenant, 0, 1_000).await?;
    Ok(events.into_iter().map(|e| (e.kind, e.subject, e.at_ms, e.data)).collect())
}

fn expected<const N: usize>(events: [(&str, &str, i64, Json); N]) -> Vec<EventRow> {
    events.map(|(kind, about, at_ms, data)| (kind.into(), about.into(), at_ms, data)).to_vec()
}

async fn texts_are_reported(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.put_context_file(file(&tenant), 1).await?;
    store.delete_context_file(&file(&tenant).key, None, 2).await?;
    store.put_document(document(&tenant), 3).await?;
    store.delete_document(&document(&tenant).key, None, 4).await?;
    let file = json!({ "user": "u", "name": "n" });
    let document = json!({ "user": null, "path": "p" });
    let expected = expected([
        ("context_file.changed", "a", 1, file.clone()),
        ("context_file.deleted", "a", 2, file),
        ("document.changed", "a", 3, document.clone()),
        ("document.deleted", "a", 4, document),
    ]);
    same(events(store, &tenant).await?, expected)
}

async fn rules_are_reported(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.put_rule(rule(&tenant), 1).await?;
    store.delete_rule(&tenant, "tool", "r", None, 2).await?;
    store.put_grant(grant(&tenant), 3).await?;
    store.delete_grant(&grant(&tenant).key, None, 4).await?;
    let grant = json!({ "kind": "cli", "agent": "a", "user": null });
    let expected = expected([
        ("rule.changed", "r", 1, json!({ "kind": "tool" })),
        ("rule.deleted", "r", 2, json!({ "kind": "tool" })),
        ("grant.changed", "gh", 3, grant.clone()),
        ("grant.deleted", "gh", 4, grant),
    ]);
    same(events(store, &tenant).await?, expected)
}

async fn sessions_are_reported(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let message = NewMessage { at_ms: 1, role: "user".into(), content: json!("x") };
    store.put_session(PutSession::new(&tenant, "s"), 1).await?;
    let messages = vec![message.clone(), message];
    store.append_messages(&tenant, "s", messages, SessionUsage::default(), 2).await?;
    store.delete_session(&tenant, "s", None, 3).await?;
    let expected = expected([
        ("session.changed", "s", 1, json!({})),
        ("session.appended", "s", 2, json!({ "count": 2 })),
        ("session.deleted", "s", 3, json!({})),
    ]);
    same(events(store, &tenant).await?, expected)
}

async fn failures_are_not(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let stale = Some(3);
    let (file, document) = (file(&tenant), document(&tenant));
    same(store.delete_context_file(&file.key, None, 1).await?, false)?;
    same(store.delete_document(&document.key, None, 1).await?, false)?;
    same(store.delete_rule(&tenant, "tool", "r", None, 1).await?, false)?;
    same(store.delete_grant(&grant(&tenant).key, None, 1).await?, false)?;
    same(store.delete_session(&tenant, "s", None, 1).await?, false)?;
    let file = PutContextFile { if_version: stale, ..file };
    refused(store.put_context_file(file, 1).await, Kind::Conflict)?;
    let document = PutDocument { if_version: stale, ..document };
    refused(store.put_document(document, 1).await, Kind::Conflict)?;
    let rule = PutRule { if_version: stale, ..rule(&tenant) };
    refused(store.put_rule(rule, 1).await, Kind::Conflict)?;
    let grant = PutGrant { if_version: stale, ..grant(&tenant) };
    refused(store.put_grant(grant, 1).await, Kind::Conflict)?;
    let session = PutSession { if_version: stale, ..PutSession::new(&tenant, "s") };
    refused(store.put_session(session, 1).await, Kind::Conflict)?;
    let usage = SessionUsage::default();
    same(store.append_messages(&tenant, "s", vec![], usage, 1).await?, None)?;
    same(events(store, &tenant).await?, vec![])
}

async fn fences(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let held = async |holder: &'static str, now_ms: i64| {
        let lease = store.acquire_lease(&tenant, "writer", "a", holder, 10, now_ms).await?;
        lease.map(|lease| lease.fence()).ok_or_else(|| Problem("somebody else holds it".into()))
    };
    let first = held("x", 1_000).await?;
    let write = async |fence, now_ms| {
        let file = PutContextFile { fence: Some(fence), ..file(&tenant) };
        store.put_context_file(file, now_ms).await
    };
    let keep = async |fence, now_ms| {
        let document = PutDocument { fence: Some(fence), ..document(&tenant) };
        store.put_document(document, now_ms).await
    };
    same(write(first.clone(), 1_005).await?.version, 1)?;
    same(keep(first.clone(), 1_005).await?.version, 1)?;
    refused(write(first.clone(), 1_010).await, Kind::Conflict)?;
    let second = held("y", 1_020).await?;
    refused(write(first.clone(), 1_021).await, Kind::Conflict)?;
    refused(keep(first, 1_021).await, Kind::Conflict)?;
    same(write(second.clone(), 1_021).await?.version, 2)?;
    let other = PutDocument { fence: Some(second), ..document(&new_tenant()) };
    refused(store.put_document(other, 1_021).await, Kind::Conflict)?;
    same(events(store, &tenant).await?.len(), 3)
}
