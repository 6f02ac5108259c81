//! A check of the whole store finds what no access meets.

use rusqlite::Connection;

use super::*;
use crate::store::{DocumentKey, PutDocument, StoreCheck};

/// A store with something in each kind of row that the check knows.
async fn filled(folder: &Path) {
    let store = open_in(folder).await.unwrap();
    let [tenant, agent, path, mime] = ["t", "a", "notes/one", "text/plain"].map(String::from);
    let key = DocumentKey { tenant, agent, user: None, path };
    let (if_version, fence) = (None, None);
    let body = b"one line\n".to_vec();
    let document = PutDocument { key, mime, body, if_version, if_body: None, fence };
    store.put_document(document, 1).await.unwrap();
    let rows = (0..20).map(|n| suite::audit_row("t", &format!("call {n:02}"))).collect();
    let event = |n: i64| crate::event::NewEvent {
        tenant: "t".into(),
        at_ms: n,
        kind: "call.completed",
        subject: "s".into(),
        data: serde_json::json!({}),
    };
    store.record_audit(rows, (0..200).map(event).collect()).await.unwrap();
    store.close().await.unwrap();
}

async fn check(folder: &Path) -> StoreCheck {
    let store = open_in(folder).await.unwrap();
    let found = store.check_integrity().await.unwrap();
    assert_eq!(found.ok, found.problems.is_empty());
    assert_eq!(found.advice.is_none(), found.ok);
    found
}

#[tokio::test]
async fn a_whole_store_has_no_problems() {
    let folder = tempfile::tempdir().unwrap();
    filled(folder.path()).await;
    let found = check(folder.path()).await;
    assert!(found.ok && found.database_checked, "{found:?}");
    assert_eq!(found.ledgers, 1);
    assert!(found.rows > 220, "{found:?}");
    let memory = open("memory:", OpenOptions::default()).await.unwrap();
    assert!(memory.check_integrity().await.unwrap().ok);
}

#[tokio::test]
async fn a_changed_body_and_a_changed_call_are_found_and_named() {
    for (sql, says) in [
        (
            "UPDATE toolkeep_documents SET body = CAST('one lime' || char(10) AS BLOB)",
            "(t, a, , notes/one)",
        ),
        ("UPDATE toolkeep_documents SET size = 5", "`documents`"),
        ("UPDATE toolkeep_audit_rows SET tool = 'rm' WHERE id = 'call 07'", "ledger of tenant `t`"),
        ("DELETE FROM toolkeep_audit_rows WHERE id = 'call 07'", "ledger of tenant `t`"),
        (
            "UPDATE toolkeep_events SET subject = CAST(x'ff' AS TEXT) WHERE seq = 7",
            "the table `events`",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        Connection::open(folder.path().join("agent.db")).unwrap().execute_batch(sql).unwrap();
        let found = check(folder.path()).await;
        assert!(found.problems.iter().any(|it| it.contains(says)), "{sql}: {found:?}");
    }
}

#[tokio::test]
async fn damaged_pages_are_found_while_the_store_still_answers() {
    for name in ["sqlite_autoindex_toolkeep_events_1", "toolkeep_audit_rows_by_place"] {
        let folder = tempfile::tempdir().unwrap();
        filled(folder.path()).await;
        let path = folder.path().join("agent.db");
        let connection = Connection::open(&path).unwrap();
        let page: i64 = connection
            .query_row("SELECT rootpage FROM sqlite_master WHERE name = ?1", [name], |row| {
                row.get(0)
            })
            .unwrap();
        connection.close().unwrap();
        let mut bytes = std::fs::read(&path).unwrap();
        let page = usize::try_from(page).unwrap();
        // The cells of the page, which are at its end.
        bytes[page * 4096 - 1_000..page * 4096].fill(0xa5);
        std::fs::write(&path, bytes).unwrap();
        let found = check(folder.path()).await;
        assert!(found.problem_count > 0, "{name}: {found:?}");
    }
}
