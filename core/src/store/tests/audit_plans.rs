//! The ledger's statements go through an index, however many rows there are.

use rusqlite::Connection;

use super::*;
use crate::store::audit::STATEMENTS;

#[tokio::test]
async fn no_statement_of_the_ledger_reads_all_its_rows() {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path()).await.unwrap().close().await.unwrap();
    let connection = Connection::open(folder.path().join("agent.db")).unwrap();
    let statements: Vec<&str> = STATEMENTS.concat();
    assert!(statements.len() >= 16);
    for sql in statements {
        let mut plan = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let steps = plan.raw_query().mapped(|row| row.get::<_, String>(3));
        let steps: Vec<String> = steps.collect::<Result<_, _>>().unwrap();
        let scans = steps.iter().filter(|step| step.starts_with("SCAN"));
        // One row of constants, as a checkpoint's insert has.
        let scans: Vec<_> = scans.filter(|step| !step.contains("CONSTANT ROW")).collect();
        assert!(scans.is_empty(), "{sql}: {steps:#?}");
        let of_segments_only = !sql.contains("toolkeep_audit_rows");
        let sorts = steps.iter().any(|step| step.contains("TEMP B-TREE"));
        assert!(of_segments_only || !sorts, "{sql}: {steps:#?}");
    }
}
