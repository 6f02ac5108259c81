//! Checks of the ledger's hash chains, and of pruning.

use super::audit::row;
use super::{Failure, Problem, Report, bad_keys, ensure, new_tenant, refused, same};
use crate::store::{
    Audit, AuditQuery, AuditReport, AuditRow, ChainHead, Kind, Phase, PruneAudit, PrunedAudit,
};

/// Long after every row of these checks: no writer goes on with a segment so old.
const LATER: i64 = i64::MAX;

/// Checks that the ledger of a store can be verified and pruned.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn audit_chain(store: &dyn Audit) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("audit_chain: what is recorded at once is whole", together(store)).await?;
    report.check("audit_chain: intent and completed are two rows", two_phases(store)).await?;
    report.check("audit_chain: writing again does no harm", again(store)).await?;
    report.check("audit_chain: anchors hold while rows are added", anchors(store)).await?;
    report.check("audit_chain: anchors that do not fit are found", wrong(store)).await?;
    report.check("audit_chain: pruning by age spares what is written", by_age(store)).await?;
    report.check("audit_chain: pruning by count keeps what it says", by_count(store)).await?;
    report.check("audit_chain: tenants are pruned apart", tenants(store)).await?;
    report.check("audit_chain: bad input is refused", bad_input(store)).await?;
    Ok(report)
}

async fn whole(store: &dyn Audit, tenant: &str, rows: u64) -> Result<AuditReport, Problem> {
    let report = store.verify_audit(tenant, vec![]).await?;
    same(&report.problems, &vec![])?;
    same((report.ok, report.problem_count), (true, 0))?;
    same((report.rows, report.unchained), (rows, 0))?;
    Ok(report)
}

async fn together(store: &dyn Audit) -> Result<(), Problem> {
    let tenants = [new_tenant(), new_tenant(), new_tenant()];
    let write = |n: usize| {
        let rows = tenants.iter().flat_map(move |tenant| {
            (0..5).map(move |place| row(tenant, &format!("{n:04}-{place}")))
        });
        store.record_audit(rows.collect(), vec![])
    };
    futures_util::future::try_join_all((0..40).map(write)).await?;
    for tenant in &tenants {
        let report = whole(store, tenant, 200).await?;
        ensure(!report.heads.is_empty(), "a ledger with rows has no head")?;
        same(
            store.query_audit(AuditQuery { limit: 500, ..AuditQuery::new(tenant) }).await?.len(),
            200,
        )?;
    }
    whole(store, &new_tenant(), 0).await.map(drop)
}

async fn two_phases(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let intent = AuditRow { phase: Phase::Intent, ..row(&tenant, "1") };
    store.record_audit(vec![intent], vec![]).await?;
    store.record_audit(vec![row(&tenant, "1")], vec![]).await?;
    whole(store, &tenant, 2).await?;
    same(store.query_audit(AuditQuery::new(&tenant)).await?, vec![row(&tenant, "1")])
}

async fn again(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let rows =
        |ids: std::ops::Range<i32>| ids.map(|id| row(&tenant, &id.to_string())).collect::<Vec<_>>();
    let changed = AuditRow { tool: "exec".into(), ..row(&tenant, "13") };
    for rows in [rows(10..20), rows(10..20), rows(15..25), vec![changed]] {
        store.record_audit(rows, vec![]).await?;
    }
    whole(store, &tenant, 15).await?;
    let found = store.query_audit(AuditQuery::new(&tenant)).await?;
    same(found, rows(10..25))?;
    // At the same time, too.
    let writes = (0..8).map(|_| store.record_audit(rows(30..40), vec![]));
    futures_util::future::try_join_all(writes).await?;
    whole(store, &tenant, 25).await.map(drop)
}

async fn anchors(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let mut heads = Vec::new();
    for id in ["1", "2", "3"] {
        store.record_audit(vec![row(&tenant, id)], vec![]).await?;
        heads.extend(whole(store, &tenant, id.parse().unwrap_or(0)).await?.heads);
    }
    same(heads.len(), 3)?;
    let report = store.verify_audit(&tenant, heads.clone()).await?;
    same((report.ok, report.problems), (true, vec![]))?;
    prune(store, &tenant, Some(0), None, LATER).await?;
    let report = store.verify_audit(&tenant, heads).await?;
    same((report.ok, report.rows), (true, 0))
}

async fn wrong(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.record_audit(vec![row(&tenant, "1"), row(&tenant, "2")], vec![]).await?;
    let heads = whole(store, &tenant, 2).await?.heads;
    let Some(head) = heads.first() else { return Err(Problem("no head was given".into())) };
    let wrong = [
        ChainHead { writer: "another".into(), ..head.clone() },
        ChainHead { segment: head.segment + 1, ..head.clone() },
        ChainHead { rows: head.rows + 1, ..head.clone() },
        ChainHead { rows: head.rows - 1, ..head.clone() },
        ChainHead { hash: "0".repeat(64), ..head.clone() },
    ];
    for anchor in wrong {
        let report = store.verify_audit(&tenant, vec![head.clone(), anchor]).await?;
        same((report.ok, report.problem_count), (false, 1))?;
    }
    // Another tenant has other chains.
    let report = store.verify_audit(&new_tenant(), heads).await?;
    same((report.ok, report.problem_count), (false, 1))
}

async fn prune(
    store: &dyn Audit,
    tenant: &str,
    keep_rows: Option<u64>,
    before_ms: Option<i64>,
    now_ms: i64,
) -> Result<PrunedAudit, Problem> {
    let prune = PruneAudit { tenant: tenant.into(), keep_rows, before_ms };
    Ok(store.prune_audit(prune, now_ms).await?)
}

async fn by_age(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let rows = |ids: [&str; 2]| ids.map(|id| row(&tenant, id)).to_vec();
    store.record_audit(rows(["1", "2"]), vec![]).await?;
    let nothing = PrunedAudit::default();
    same(prune(store, &tenant, None, Some(1000), LATER).await?, nothing)?;
    same(prune(store, &tenant, None, Some(2000), 2000).await?, nothing)?;
    let done = prune(store, &tenant, None, Some(2000), LATER).await?;
    same((done.segments > 0, done.rows), (true, 2))?;
    same(prune(store, &tenant, None, Some(2000), LATER).await?, nothing)?;
    same(store.query_audit(AuditQuery::new(&tenant)).await?, vec![])?;
    same(whole(store, &tenant, 0).await?.pruned_segments, done.segments)?;
    // The same store goes on all the same.
    store.record_audit(rows(["3", "4"]), vec![]).await?;
    let report = whole(store, &tenant, 2).await?;
    same(report.pruned_segments, done.segments)
}

async fn by_count(store: &dyn Audit) -> Result<(), Problem> {
    const ROWS: u64 = 10_050;
    let tenant = new_tenant();
    let rows = (0..ROWS).map(|id| row(&tenant, &format!("{id:08}"))).collect();
    store.record_audit(rows, vec![]).await?;
    let before = whole(store, &tenant, ROWS).await?;
    ensure(before.segments > 1, "10,050 rows are in one segment")?;
    same(prune(store, &tenant, Some(ROWS), None, 2000).await?, PrunedAudit::default())?;
    let done = prune(store, &tenant, Some(10), None, 2000).await?;
    ensure(done.segments > 0 && done.rows <= ROWS - 10, "too little or too much was pruned")?;
    let report = store.verify_audit(&tenant, before.heads).await?;
    same((report.ok, report.rows), (true, ROWS - done.rows))?;
    same(report.pruned_segments, done.segments)?;
    let found = store.query_audit(AuditQuery::new(&tenant)).await?;
    same(found.first().map(|row| row.id.clone()), Some(format!("{:08}", done.rows)))
}

async fn tenants(store: &dyn Audit) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    store.record_audit(vec![row(&one, "1"), row(&two, "1")], vec![]).await?;
    same(prune(store, &one, Some(0), None, LATER).await?.rows, 1)?;
    whole(store, &one, 0).await?;
    whole(store, &two, 1).await.map(drop)
}

async fn bad_input(store: &dyn Audit) -> Result<(), Problem> {
    let tenant = new_tenant();
    let good =
        ChainHead { writer: "w".into(), segment: 1, rows: 1, hash: "0123456789abcdef".repeat(4) };
    let bad = [
        ChainHead { writer: String::new(), ..good.clone() },
        ChainHead { segment: 0, ..good.clone() },
        ChainHead { rows: -1, ..good.clone() },
        ChainHead { hash: "é".repeat(32), ..good.clone() },
        ChainHead { hash: "0".repeat(63), ..good.clone() },
    ];
    for bad in bad {
        let result = store.verify_audit(&tenant, vec![good.clone(), bad]).await;
        refused(result, Kind::InvalidArgument)?;
    }
    let nothing = PruneAudit { tenant, keep_rows: None, before_ms: None };
    refused(store.prune_audit(nothing.clone(), 1).await, Kind::InvalidArgument)?;
    for key in bad_keys() {
        refused(store.verify_audit(&key, vec![]).await, Kind::InvalidArgument)?;
        let prune = PruneAudit { tenant: key, keep_rows: Some(1), ..nothing.clone() };
        refused(store.prune_audit(prune, 1).await, Kind::InvalidArgument)?;
    }
    Ok(())
}
