//! A ledger of a million calls: what it costs to read, verify and prune, and that memory stays flat.

use std::sync::Arc;
use std::time::Instant;

use toolkeep::store::{
    self, AuditQuery, AuditRow, Decision, OpenOptions, Phase, PruneAudit, Store,
};

use crate::TENANT;

const ROWS: usize = 1_000_000;
const BATCH: usize = 500;

fn row(n: usize) -> AuditRow {
    AuditRow {
        tenant: TENANT.into(),
        id: format!("{n:032}"),
        at_ms: n as i64,
        phase: Phase::Completed,
        agent: Some("agent".into()),
        user: None,
        session: Some(format!("session-{}", n % 100)),
        tool: "read_file".into(),
        called_as: "read_file".into(),
        decision: Decision::Allowed,
        code: None,
        rule: None,
        arguments: r#"{"path":"notes/today.md"}"#.into(),
        duration_us: Some(120),
        is_error: false,
        run: None,
        depth: 0,
        notes: None,
    }
}

async fn record(store: &dyn Store, from: usize, count: usize) {
    for start in (from..from + count).step_by(BATCH) {
        store.record_audit((start..start + BATCH).map(row).collect(), vec![]).await.unwrap();
    }
}

async fn read_all(store: &dyn Store) -> usize {
    let (mut found, mut after) = (0, None);
    loop {
        let query = AuditQuery { after, limit: 1_000, ..AuditQuery::new(TENANT) };
        let rows = store.query_audit(query).await.unwrap();
        let Some(last) = rows.last() else { return found };
        after = Some(last.id.clone());
        found += rows.len();
    }
}

async fn open(folder: &std::path::Path) -> Arc<dyn Store> {
    let url = format!("sqlite:{}", folder.join("audit.db").display());
    store::open(&url, OpenOptions::default()).await.unwrap()
}

/// Prints how long the ledger's work takes.
pub async fn table() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path()).await;
    println!();
    println!("| ledger, SQLite file | rows | rows per second |");
    println!("|---|---:|---:|");
    let rows = ROWS / 10;
    let line = |what: &str, start: Instant| {
        println!("| {what} | {rows} | {:.0} |", rows as f64 / start.elapsed().as_secs_f64());
    };
    let start = Instant::now();
    record(&*store, 0, rows).await;
    line("recorded, 500 at once, chained", start);
    let start = Instant::now();
    assert_eq!(read_all(&*store).await, rows);
    line("read", start);
    let start = Instant::now();
    let report = store.verify_audit(TENANT, vec![]).await.unwrap();
    assert!(report.problems.is_empty() && report.rows as usize == rows);
    line("verified", start);
}

/// Prints what a process keeps in memory with a hundred thousand rows and with a million.
pub fn memory() {
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    tokio.block_on(async {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path()).await;
        let mut rows = 0;
        println!();
        println!("| ledger, SQLite file | MiB resident at most | against the first line |");
        println!("|---|---:|---:|");
        let mut first = 0.0;
        for upto in [ROWS / 100, ROWS / 10, ROWS] {
            record(&*store, rows, upto - rows).await;
            rows = upto;
            assert_eq!(read_all(&*store).await, rows);
            let report = store.verify_audit(TENANT, vec![]).await.unwrap();
            assert!(report.problems.is_empty() && report.rows as usize == rows);
            let peak = peak_mib();
            if first == 0.0 {
                first = peak;
            }
            println!("| {rows} rows written, read, verified | {peak:.1} | {:.2}x |", peak / first);
        }
        let prune = PruneAudit { tenant: TENANT.into(), keep_rows: Some(1_000), before_ms: None };
        store.prune_audit(prune, ROWS as i64).await.unwrap();
        println!("| pruned | {:.1} | {:.2}x |", peak_mib(), peak_mib() / first);
    });
}

fn peak_mib() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse::<f64>().unwrap() / 1024.0
}
