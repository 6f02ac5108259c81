//! Checks of the audit ledger.

use super::{Failure, Problem, Report, bad_keys, good_keys, new_tenant, refused, same};
use crate::store::{Audit, AuditQuery, AuditRow, Decision, Kind, Phase};

/// Checks the audit ledger of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn audit(store: &dyn Audit) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("audit: what was recorded is read back", comes_back(store)).await?;
    report.check("audit: a completed row is shown before its intent row", phases(store)).await?;
    report.check("audit: tenants with equal ids are apart", tenants(store)).await?;
    report.check("audit: a query gives what it asks for", filters(store)).await?;
    report.check("audit: a query goes on from its cursor, both ways", paging(store)).await?;
    report.check("audit: any good key is taken", takes_good_keys(store)).await?;
    report.check("audit: a bad key is refused with its whole batch", bad_input(store)).await?;
    Ok(report)
}

pub(in crate::store) fn row(tenant: &str, id: &str) -> AuditRow {
    AuditRow {
        tenant: tenant.into(),
        id: id.into(),
        at_ms: 1000,
        phase: Phase::Completed,
        agent: None,
        user: None,
        session: None,
        tool: "read_file".into(),
        called_as: "read_file".into(),
        decision: Decision::Allowed,
        code: None,
        rule: None,
        arguments: "{}".into(),
        duration_us: None,
        is_error: false,
        run: None,
        depth: 0,
        notes: None,
    }
}

async fn ids(store: &dyn Audit, query: AuditQuery) -> Result<Vec<String>, Problem> {
    Ok(store.query_audit(query).await?.into_iter().map(|row| row.id).collect())
}

async fn comes_back(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let full = AuditRow {
        at_ms: i64::MAX,
        agent: Some("agent".into()),
        user: Some("user".into()),
        session: Some("session".into()),
        called_as: "Read🦀".into(),
        decision: Decision::Refused,
        code: Some("denied_by_policy".into()),
        rule: Some("policy.deny".into()),
        arguments: "a\0b".repeat(100_000),
        duration_us: Some(123),
        is_error: true,
        run: Some("run".into()),
        depth: 3,
        notes: serde_json::json!({ "repairs": ["a\0b"], "🦀": 1.5 }).as_object().cloned(),
        ..row(&tenant, "1")
    };
    let odd = AuditRow { called_as: "a\0b".into(), ..row(&tenant, "2") };
    store.record_audit(vec![full.clone(), odd.clone()], vec![]).await?;
    store.record_audit(vec![], vec![]).await?;
    let odd = AuditRow { called_as: "a\u{2400}b".into(), ..odd };
    same(store.query_audit(AuditQuery::new(&tenant)).await?, vec![full, odd])
}

async fn phases(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let intent = AuditRow { phase: Phase::Intent, ..row(&tenant, "1") };
    let completed = AuditRow { at_ms: 1001, is_error: true, ..row(&tenant, "1") };
    let found = || store.query_audit(AuditQuery::new(&tenant));
    let again = AuditRow { tool: "exec".into(), ..intent.clone() };
    store.record_audit(vec![intent.clone(), again], vec![]).await?;
    same(found().await?, vec![intent.clone()])?;
    store.record_audit(vec![completed.clone()], vec![]).await?;
    same(found().await?, vec![completed.clone()])?;
    let other = AuditRow { tool: "exec".into(), ..completed.clone() };
    store.record_audit(vec![intent.clone(), other], vec![]).await?;
    same(found().await?, vec![completed.clone()])?;
    let in_one_batch = [(intent.clone(), completed.clone()), (completed, intent)];
    for (id, (first, second)) in ["2", "3"].into_iter().zip(in_one_batch) {
        let named = |row| AuditRow { id: id.into(), ..row };
        store.record_audit(vec![named(first), named(second)], vec![]).await?;
    }
    let phases: Vec<Phase> = found().await?.into_iter().map(|row| row.phase).collect();
    same(phases, vec![Phase::Completed; 3])
}

async fn tenants(store: &dyn Audit) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let of = |tenant: &str, tool: &str| AuditRow {
        tool: tool.into(),
        session: Some("s".into()),
        ..row(tenant, "1")
    };
    store.record_audit(vec![of(&one, "a"), of(&two, "b")], vec![]).await?;
    for (tenant, tool) in [(&one, "a"), (&two, "b")] {
        for session in [None, Some("s".to_owned())] {
            let query = AuditQuery { session, ..AuditQuery::new(tenant) };
            same(store.query_audit(query).await?, vec![of(tenant, tool)])?;
        }
    }
    Ok(())
}

async fn filters(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let rows = vec![
        AuditRow { agent: Some("x".into()), ..row(&tenant, "1") },
        AuditRow { session: Some("x".into()), ..row(&tenant, "2") },
        AuditRow { tool: "x".into(), session: Some("y".into()), ..row(&tenant, "3") },
        AuditRow { decision: Decision::Refused, ..row(&tenant, "4") },
        AuditRow { at_ms: 2000, session: Some("x".into()), ..row(&tenant, "5") },
    ];
    store.record_audit(rows, vec![]).await?;
    let all = || AuditQuery::new(&tenant);
    let x = || Some("x".to_owned());
    let expected: [(AuditQuery, &[&str]); 9] = [
        (all(), &["1", "2", "3", "4", "5"]),
        (AuditQuery { latest: true, ..all() }, &["5", "4", "3", "2", "1"]),
        (AuditQuery { agent: x(), ..all() }, &["1"]),
        (AuditQuery { session: x(), ..all() }, &["2", "5"]),
        (AuditQuery { session: x(), latest: true, limit: 1, ..all() }, &["5"]),
        (AuditQuery { tool: x(), ..all() }, &["3"]),
        (AuditQuery { decision: Some(Decision::Refused), ..all() }, &["4"]),
        (AuditQuery { since_ms: Some(2000), ..all() }, &["5"]),
        (AuditQuery { until_ms: Some(2000), session: x(), ..all() }, &["2"]),
    ];
    for (query, expected) in expected {
        same(ids(store, query).await?, expected.iter().map(|id| (*id).into()).collect())?;
    }
    Ok(())
}

async fn paging(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let expected: Vec<String> = (10..17).map(|id| id.to_string()).collect();
    let rows = expected.iter().rev().map(|id| row(&tenant, id)).collect();
    store.record_audit(rows, vec![]).await?;
    for latest in [false, true] {
        let mut found: Vec<String> = Vec::new();
        for _ in 0..4 {
            let after = found.last().cloned();
            let query = AuditQuery { after, limit: 3, latest, ..AuditQuery::new(&tenant) };
            found.extend(ids(store, query).await?);
        }
        if latest {
            found.reverse();
        }
        same(&found, &expected)?;
    }
    same(ids(store, AuditQuery { limit: 0, ..AuditQuery::new(&tenant) }).await?, vec![])
}

async fn takes_good_keys(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    for key in good_keys() {
        let kept = AuditRow { session: Some(key.clone()), ..row(&tenant, &key) };
        store.record_audit(vec![kept.clone()], vec![]).await?;
        for latest in [false, true] {
            let session = Some(key.clone());
            let query = AuditQuery { session, latest, ..AuditQuery::new(&tenant) };
            same(store.query_audit(query).await?, vec![kept.clone()])?;
        }
    }
    Ok(())
}

async fn bad_input(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    for key in bad_keys() {
        let bad = [
            row(&key, "1"),
            row(&tenant, &key),
            AuditRow { agent: Some(key.clone()), ..row(&tenant, "1") },
            AuditRow { user: Some(key.clone()), ..row(&tenant, "1") },
            AuditRow { session: Some(key.clone()), ..row(&tenant, "1") },
            AuditRow { run: Some(key.clone()), ..row(&tenant, "1") },
        ];
        for bad in bad {
            let result = store.record_audit(vec![row(&tenant, "0"), bad], vec![]).await;
            refused(result, Kind::InvalidArgument)?;
        }
        let query = AuditQuery { after: Some(key.clone()), ..AuditQuery::new(&tenant) };
        refused(store.query_audit(query).await, Kind::InvalidArgument)?;
        refused(store.query_audit(AuditQuery::new(&key)).await, Kind::InvalidArgument)?;
    }
    same(ids(store, AuditQuery::new(&tenant)).await?, vec![])
}
