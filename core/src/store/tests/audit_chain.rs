//! Each way to tamper with the ledger's file is found, and nothing else is.

use std::path::PathBuf;
use std::time::Duration;

use rusqlite::Connection;

use crate::store::audit::SegmentLimits;
use crate::store::suite::audit_row as row;
use crate::store::{
    Audit as _, AuditReport, AuditRow, ChainHead, PruneAudit, PrunedAudit, SqlStore, SqliteDriver,
    SqliteOptions,
};

/// Segments of four rows.
const SMALL: SegmentLimits = SegmentLimits { rows: 4, age: Duration::from_secs(3600) };

struct File {
    folder: tempfile::TempDir,
}

impl File {
    fn new() -> File {
        File { folder: tempfile::tempdir().unwrap() }
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("agent.db")
    }

    async fn open(&self, limits: SegmentLimits) -> SqlStore<SqliteDriver> {
        let driver = SqliteDriver::open(self.path(), SqliteOptions::default()).await.unwrap();
        SqlStore::with_segments(driver, limits)
    }

    /// A ledger of ten rows, `00` to `09`, in segments of four, four and two.
    async fn ten_rows() -> (File, SqlStore<SqliteDriver>) {
        let file = File::new();
        let store = file.open(SMALL).await;
        store.record_audit(rows("t", 0..10), vec![]).await.unwrap();
        (file, store)
    }

    fn tamper(&self, sql: &str) {
        Connection::open(self.path()).unwrap().execute_batch(sql).unwrap();
    }
}

fn rows(tenant: &str, ids: std::ops::Range<usize>) -> Vec<crate::store::AuditRow> {
    ids.map(|id| row(tenant, &format!("{id:02}"))).collect()
}

async fn report(store: &SqlStore<SqliteDriver>, anchors: Vec<ChainHead>) -> AuditReport {
    store.verify_audit("t", anchors).await.unwrap()
}

/// Tampers with ten rows and gives the segment, place, id and text of each problem.
async fn found_after(sql: &str) -> Vec<(i64, Option<i64>, Option<String>, String)> {
    let (file, store) = File::ten_rows().await;
    let before = report(&store, vec![]).await;
    assert_eq!((before.ok, before.rows, before.segments), (true, 10, 3), "{before:?}");
    file.tamper(sql);
    let after = report(&store, vec![]).await;
    assert_eq!(after.ok, after.problems.is_empty());
    assert_eq!(after.problem_count, after.problems.len() as u64);
    let problems = after.problems.into_iter();
    problems.map(|one| (one.segment, one.position, one.id, one.what)).collect()
}

async fn assert_found(sql: &str, expected: &[(i64, Option<i64>, Option<&str>, &str)]) {
    let found = found_after(sql).await;
    assert_eq!(found.len(), expected.len(), "{sql}: {found:#?}");
    for (found, expected) in found.iter().zip(expected) {
        assert_eq!((found.0, found.1, found.2.as_deref()), (expected.0, expected.1, expected.2));
        assert!(found.3.contains(expected.3), "{sql}: {found:?}");
    }
}

const MISMATCH: &str = "does not match its hash";

#[tokio::test]
async fn a_changed_field_is_found_whichever_it_is() {
    for change in [
        "at_ms = at_ms + 1",
        "phase = 'intent'",
        "id = 'x'",
        "agent = 'x'",
        "user_key = 'x'",
        "session = ''",
        "tool = 'x'",
        "called_as = 'x'",
        "decision = 'refused'",
        "code = 'x'",
        "rule = 'x'",
        "arguments = x'00'",
        "duration_us = 1",
        "is_error = 1",
        "run = 'x'",
        "depth = 1",
    ] {
        let sql =
            format!("UPDATE toolkeep_audit_rows SET {change} WHERE segment = 1 AND position = 2");
        let found = found_after(&sql).await;
        assert_eq!((found[0].0, found[0].1), (1, Some(2)), "{change}: {found:?}");
        assert!(found[0].3.contains(MISMATCH), "{change}: {found:?}");
    }
}

#[tokio::test]
async fn a_row_made_nonsense_is_found_and_does_not_stop_the_check() {
    assert_found(
        "UPDATE toolkeep_audit_rows SET decision = 'maybe', arguments = x'ff' WHERE id = '01';
         UPDATE toolkeep_audit_rows SET hash = x'00' WHERE id = '09'",
        &[
            (1, Some(2), Some("01"), MISMATCH),
            (3, Some(2), Some("09"), MISMATCH),
            (3, Some(2), None, "another hash than the last row"),
        ],
    )
    .await;
}

#[tokio::test]
async fn a_deleted_row_is_found() {
    let delete = |id: &str| format!("DELETE FROM toolkeep_audit_rows WHERE id = '{id}'");
    assert_found(&delete("00"), &[(1, Some(1), None, "rows 1 to 1 are missing")]).await;
    assert_found(&delete("05"), &[(2, Some(2), None, "rows 2 to 2 are missing")]).await;
    assert_found(&delete("07"), &[(2, Some(4), None, "rows 4 to 4 are missing")]).await;
}

#[tokio::test]
async fn a_truncated_tail_is_found() {
    let sql = "DELETE FROM toolkeep_audit_rows WHERE id >= '08'";
    assert_found(sql, &[(3, Some(1), None, "rows 1 to 2 are missing")]).await;
}

#[tokio::test]
async fn an_inserted_row_is_found() {
    let copy = |to: &str| {
        format!(
            "CREATE TEMP TABLE copy AS SELECT * FROM toolkeep_audit_rows WHERE id = '01';
             UPDATE copy SET id = 'new', {to};
             INSERT INTO toolkeep_audit_rows SELECT * FROM copy"
        )
    };
    let beyond = "beyond what the checkpoint counts";
    assert_found(&copy("position = 5"), &[(1, Some(5), None, beyond)]).await;
    let none = "the row was put in";
    assert_found(&copy("position = -7"), &[(1, Some(-7), Some("new"), none)]).await;
    let shift = "UPDATE toolkeep_audit_rows SET position = position + 10
                 WHERE segment = 1 AND position > 1;
                 UPDATE toolkeep_audit_rows SET position = position - 9
                 WHERE segment = 1 AND position > 1;";
    let between = format!("{shift}{}", copy("position = 2"));
    let found = found_after(&between).await;
    assert!(found.iter().any(|one| one.1 == Some(2) && one.3.contains(MISMATCH)), "{found:?}");
    assert!(found.iter().any(|one| one.3.contains(beyond)), "{found:?}");
    let lonely = copy("writer = 'x', segment = 1, position = 1");
    assert_found(&lonely, &[(1, Some(1), None, "without a checkpoint")]).await;
    let unchained = copy("writer = '', segment = 0, position = 1");
    assert_found(&unchained, &[(0, Some(1), None, "without a checkpoint")]).await;
}

#[tokio::test]
async fn a_row_that_takes_anothers_place_is_found_at_the_edge_of_a_page() {
    let file = File::new();
    let store = file.open(SegmentLimits { rows: 2000, ..SMALL }).await;
    let many = (0..1200).map(|id| row("t", &format!("{id:04}"))).collect();
    store.record_audit(many, vec![]).await.unwrap();
    assert!(report(&store, vec![]).await.ok);
    file.tamper(
        "DROP INDEX toolkeep_audit_rows_by_place;
         CREATE TEMP TABLE copy AS SELECT * FROM toolkeep_audit_rows WHERE position = 500;
         UPDATE copy SET id = 'x';
         INSERT INTO toolkeep_audit_rows SELECT * FROM copy",
    );
    let after = report(&store, vec![]).await;
    assert_eq!(after.problems[0].position, Some(500), "{after:?}");
}

#[tokio::test]
async fn a_long_gap_is_one_problem() {
    let file = File::new();
    let store = file.open(SegmentLimits { rows: 5000, ..SMALL }).await;
    let many = (0..3000).map(|id| row("t", &format!("{id:04}"))).collect();
    store.record_audit(many, vec![]).await.unwrap();
    file.tamper("DELETE FROM toolkeep_audit_rows WHERE position BETWEEN 11 AND 2900");
    let after = report(&store, vec![]).await;
    assert_eq!((after.problem_count, after.rows), (1, 110));
    assert_eq!(after.problems[0].what, "rows 11 to 2900 are missing");
    file.tamper("UPDATE toolkeep_audit_segments SET row_count = 9223372036854775807");
    assert_eq!(report(&store, vec![]).await.problem_count, 2);
    file.tamper("UPDATE toolkeep_audit_rows SET tool = 'x'");
    let after = report(&store, vec![]).await;
    assert_eq!((after.problems.len(), after.problem_count), (100, 111));
}

#[tokio::test]
async fn notes_that_were_changed_added_or_taken_away_are_found() {
    for notes in ["'{\"a\":2}'", "NULL"] {
        let file = File::new();
        let store = file.open(SMALL).await;
        let notes_before = serde_json::json!({ "a": 1 }).as_object().cloned();
        let noted = AuditRow { notes: notes_before, ..row("t", "1") };
        store.record_audit(vec![noted, row("t", "2")], vec![]).await.unwrap();
        assert!(report(&store, vec![]).await.ok);
        file.tamper(&format!("UPDATE toolkeep_audit_rows SET notes = {notes} WHERE id = '1'"));
        let found = report(&store, vec![]).await.problems;
        assert_eq!((found[0].position, found[0].what.contains(MISMATCH)), (Some(1), true));
    }
    let found = found_after("UPDATE toolkeep_audit_rows SET notes = '{}' WHERE id = '01'").await;
    assert_eq!((found[0].0, found[0].1), (1, Some(2)));
    assert!(found[0].3.contains(MISMATCH));
}

#[tokio::test]
async fn swapped_rows_are_found() {
    let swap = "UPDATE toolkeep_audit_rows SET position = 99 WHERE id = '01';
                UPDATE toolkeep_audit_rows SET position = 2 WHERE id = '02';
                UPDATE toolkeep_audit_rows SET position = 3 WHERE id = '01'";
    let found = found_after(swap).await;
    assert_eq!((found[0].0, found[0].1), (1, Some(2)));
    assert!(found[0].3.contains(MISMATCH));
}

#[tokio::test]
async fn a_missing_segment_or_checkpoint_is_found() {
    let rows = |of: &str| format!("DELETE FROM toolkeep_audit_rows WHERE {of};");
    let checkpoints = |of: &str| format!("DELETE FROM toolkeep_audit_segments WHERE {of};");
    let both = |of: &str| rows(of) + &checkpoints(of);
    let gone = "no checkpoint is left of segments";
    assert_found(&both("segment = 2"), &[(3, None, None, gone)]).await;
    assert_found(&both("segment = 1"), &[(2, None, None, gone)]).await;
    let missing = "rows 1 to 4 are missing";
    assert_found(&rows("segment = 2"), &[(2, Some(1), None, missing)]).await;
    let unknown = "without a checkpoint";
    assert_found(&checkpoints("segment = 3"), &[(3, Some(2), None, unknown)]).await;
}

#[tokio::test]
async fn a_changed_checkpoint_is_found() {
    let set = |what: &str| format!("UPDATE toolkeep_audit_segments SET {what} WHERE segment = 2");
    assert_found(&set("last_at_ms = 5"), &[(2, Some(4), None, "times")]).await;
    assert_found(&set("state = 'x'"), &[(2, Some(4), None, "state")]).await;
    let found = found_after(&set("hash = x'00'")).await;
    assert!(found.iter().any(|one| one.0 == 2 && one.3.contains("another hash")), "{found:?}");
    assert!(found.iter().any(|one| one.0 == 3 && one.3.contains("does not begin")), "{found:?}");
    let found = found_after(&set("previous = x'00'")).await;
    assert!(found.iter().any(|one| one.0 == 2 && one.3.contains("does not begin")), "{found:?}");
    let pruned = "in a segment that was pruned";
    assert_found(&set("state = 'pruned'"), &[(2, Some(4), None, pruned)]).await;
    let found = found_after(&set("row_count = 0")).await;
    assert!(found.iter().any(|one| one.3.contains("counts no rows")), "{found:?}");
}

#[tokio::test]
async fn rows_given_to_another_tenant_are_found() {
    let move_all = "UPDATE toolkeep_audit_rows SET tenant = 'u';
                    UPDATE toolkeep_audit_segments SET tenant = 'u'";
    let (file, store) = File::ten_rows().await;
    file.tamper(move_all);
    assert!(report(&store, vec![]).await.ok, "the tenant has no row any more");
    let moved = store.verify_audit("u", vec![]).await.unwrap();
    assert!(!moved.ok);
    assert!(moved.problems[0].what.contains("does not begin"), "{moved:?}");
}

#[tokio::test]
async fn anchors_find_what_the_chain_alone_cannot_show() {
    let cut = "DELETE FROM toolkeep_audit_rows WHERE id = '09';
               UPDATE toolkeep_audit_segments SET row_count = 1, hash =
               (SELECT hash FROM toolkeep_audit_rows WHERE id = '08') WHERE segment = 3";
    let last = "DELETE FROM toolkeep_audit_rows WHERE segment = 3;
                DELETE FROM toolkeep_audit_segments WHERE segment = 3";
    let all = "DELETE FROM toolkeep_audit_rows; DELETE FROM toolkeep_audit_segments";
    for (sql, says) in [(cut, "an anchor says"), (last, "is gone"), (all, "is gone")] {
        let (file, store) = File::ten_rows().await;
        let heads = report(&store, vec![]).await.heads;
        assert_eq!(heads.len(), 1);
        file.tamper(sql);
        assert!(report(&store, vec![]).await.ok, "the chain alone shows nothing");
        let after = report(&store, heads).await;
        assert_eq!(after.problem_count, 1, "{after:?}");
        assert!(after.problems[0].what.contains(says), "{after:?}");
    }
}

#[tokio::test]
async fn a_chain_written_anew_is_found_by_its_anchor() {
    let (file, store) = File::ten_rows().await;
    let heads = report(&store, vec![]).await.heads;
    store.record_audit(rows("t", 10..11), vec![]).await.unwrap();
    assert!(report(&store, heads.clone()).await.ok);
    // Somebody who knows how hashes are made can rewrite a chain to its end.
    let writer = heads[0].writer.clone();
    file.tamper("DELETE FROM toolkeep_audit_rows; DELETE FROM toolkeep_audit_segments");
    let other = file.open(SMALL).await;
    other.record_audit(rows("t", 0..11), vec![]).await.unwrap();
    file.tamper(&format!(
        "UPDATE toolkeep_audit_rows SET writer = '{writer}';
         UPDATE toolkeep_audit_segments SET writer = '{writer}'"
    ));
    let after = report(&store, heads).await;
    let texts: Vec<&str> = after.problems.iter().map(|one| one.what.as_str()).collect();
    assert!(texts.iter().any(|what| what.contains("the chain was rewritten")), "{texts:?}");
}

#[tokio::test]
async fn tampering_where_a_writer_goes_on_does_not_stop_it() {
    for sql in [
        // Somebody's row stands where the next one belongs.
        "CREATE TEMP TABLE copy AS SELECT * FROM toolkeep_audit_rows WHERE id = '09';
         UPDATE copy SET id = 'new', position = 3;
         INSERT INTO toolkeep_audit_rows SELECT * FROM copy",
        "UPDATE toolkeep_audit_segments SET row_count = 1 WHERE segment = 3",
        "UPDATE toolkeep_audit_segments SET state = 'closed' WHERE segment = 3;
         DELETE FROM toolkeep_audit_rows WHERE id = '09'",
    ] {
        let (file, store) = File::ten_rows().await;
        file.tamper(sql);
        store.record_audit(rows("t", 10..12), vec![]).await.unwrap();
        let after = report(&store, vec![]).await;
        assert!(!after.ok);
        assert!(after.problems.iter().all(|one| one.segment == 3), "{after:?}");
        assert!(after.heads.iter().any(|head| (head.segment, head.rows) == (1, 2)), "{after:?}");
    }
}

#[tokio::test]
async fn pruning_takes_whole_segments_and_leaves_the_rest_whole() {
    let (_file, store) = File::ten_rows().await;
    let heads = report(&store, vec![]).await.heads;
    let prune = |keep| PruneAudit { tenant: "t".into(), keep_rows: Some(keep), before_ms: None };
    let pruned = store.prune_audit(prune(3), 1000).await.unwrap();
    assert_eq!(pruned, PrunedAudit { segments: 1, rows: 4 });
    let pruned = store.prune_audit(prune(0), 1000).await.unwrap();
    assert_eq!(pruned, PrunedAudit { segments: 1, rows: 4 }, "the last is being written");
    let after = report(&store, heads.clone()).await;
    assert_eq!((after.ok, after.rows, after.segments, after.pruned_segments), (true, 2, 1, 2));
    assert_eq!(after.heads, heads);
}
