//! Each way to fail has its code, and its message says where and what to do.

use rusqlite::Connection;
use serde_json::json;

use super::*;
use crate::error::Code;
use crate::store::driver::{Batch, Driver as _, Statement, Written};
use crate::store::{Agents as _, Artifact, Artifacts as _, PutAgent, SqlStore, SqliteDriver};
use crate::store::{Kind, SqliteOptions};

async fn failure(folder: &Path, url: &str) -> Error {
    let options = OpenOptions { base_dir: Some(folder), timeout_ms: 50, ..OpenOptions::default() };
    match open(url, options).await {
        Ok(_) => panic!("{url} was opened"),
        Err(error) => error,
    }
}

#[tokio::test]
async fn a_folder_or_a_missing_folder_is_a_wrong_path() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("dir")).unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for (url, says) in [
        ("sqlite:dir", "is a folder"),
        ("sqlite:missing/a.db", "missing`; make it"),
        ("sqlite:file/a.db", "file`; make it"),
    ] {
        let error = failure(folder.path(), url).await;
        assert_eq!(error.code(), Code::StorePath);
        assert!(error.to_string().contains(says), "{error}");
        assert!(error.to_string().contains("store `sqlite:/"), "{error}");
    }
}

#[tokio::test]
async fn a_file_that_is_no_database_is_corrupt_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.db");
    let text = "not a database, but long enough to be one\n".repeat(100);
    std::fs::write(&path, &text).unwrap();
    assert_eq!(failure(folder.path(), "sqlite:agent.db").await.code(), Code::StoreCorrupt);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
}

#[tokio::test]
async fn a_damaged_store_is_corrupt() {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path()).await.unwrap().close().await.unwrap();
    let path = folder.path().join("agent.db");
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[100..].fill(0xa5);
    std::fs::write(&path, bytes).unwrap();
    assert_eq!(failure(folder.path(), "sqlite:agent.db").await.code(), Code::StoreCorrupt);
}

#[tokio::test]
async fn another_applications_database_is_refused_and_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.db");
    let other = Connection::open(&path).unwrap();
    other.execute_batch("CREATE TABLE songs (title TEXT)").unwrap();
    drop(other);
    let before = std::fs::read(&path).unwrap();
    let error = failure(folder.path(), "sqlite:agent.db").await;
    assert_eq!(error.code(), Code::StorePath);
    assert!(error.to_string().contains("`songs`"), "{error}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[tokio::test]
async fn a_read_only_file_is_said_to_be_read_only() {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path()).await.unwrap().close().await.unwrap();
    let path = folder.path().join("agent.db");
    let mut permissions = std::fs::metadata(&path).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&path, permissions).unwrap();
    assert_eq!(failure(folder.path(), "sqlite:agent.db").await.code(), Code::StoreReadOnly);
}

#[tokio::test]
async fn a_store_that_another_process_holds_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path()).await.unwrap().close().await.unwrap();
    let holder = Connection::open(folder.path().join("agent.db")).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = failure(folder.path(), "sqlite:agent.db").await;
    assert_eq!(error.code(), Code::StoreLocked);
    assert!(crate::Error::from(error).code().is_retryable());
    holder.execute_batch("ROLLBACK").unwrap();
    open_in(folder.path()).await.unwrap();
}

#[tokio::test]
async fn a_new_file_that_another_process_holds_is_locked() {
    let folder = tempfile::tempdir().unwrap();
    let holder = Connection::open(folder.path().join("agent.db")).unwrap();
    holder.execute_batch("BEGIN EXCLUSIVE").unwrap();
    let error = failure(folder.path(), "sqlite:agent.db").await;
    assert_eq!(error.code(), Code::StoreLocked);
}

#[tokio::test]
async fn a_store_that_becomes_locked_answers_again_when_it_is_free() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("agent.db");
    let options = SqliteOptions { timeout_ms: 50, ..SqliteOptions::default() };
    let store = SqlStore::new(SqliteDriver::open(path.clone(), options).await.unwrap());
    let holder = Connection::open(path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();
    let error = store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreLocked);
    assert!(error.to_string().contains("agents.put"), "{error}");
    assert_eq!(store.get_agent("t", "a").await.unwrap(), None);
    holder.execute_batch("ROLLBACK").unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
}

#[tokio::test]
async fn a_newer_store_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().unwrap();
    open_in(folder.path()).await.unwrap().close().await.unwrap();
    let newer = Connection::open(folder.path().join("agent.db")).unwrap();
    newer.execute_batch("INSERT INTO toolkeep_schema VALUES (999, 0)").unwrap();
    drop(newer);
    let error = failure(folder.path(), "sqlite:agent.db").await;
    assert_eq!(error.code(), Code::StoreNewer);
    let known = format!("knows up to {}", crate::store::migrate::NEWEST);
    assert!(error.to_string().contains("version 999"), "{error}");
    assert!(error.to_string().contains(&known), "{error}");
}

#[tokio::test]
async fn a_store_that_is_open_notices_a_newer_toolkeep() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    let newer = Connection::open(folder.path().join("agent.db")).unwrap();
    newer.execute_batch("INSERT INTO toolkeep_schema VALUES (999, 0)").unwrap();
    for _ in 0..2 {
        let error = store.put_agent(PutAgent::new("t", "b"), 1).await.unwrap_err();
        assert_eq!(error.code(), Code::StoreNewer);
        assert!(error.to_string().contains("version 999"), "{error}");
    }
    assert_eq!(store.get_agent("t", "b").await.unwrap(), None);
    newer.execute_batch("DELETE FROM toolkeep_schema WHERE version = 999").unwrap();
    store.put_agent(PutAgent::new("t", "b"), 1).await.unwrap();
}

#[tokio::test]
async fn a_full_disk_loses_only_the_write_that_did_not_fit() {
    let driver = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
    let limit = Statement::new("PRAGMA max_page_count = 60", vec![]);
    driver.write(Batch::from(limit)).await.unwrap();
    let store = SqlStore::new(driver);
    let artifact = |id: &str, bytes: usize| Artifact {
        tenant: "t".into(),
        id: id.into(),
        session: None,
        tool: "exec".into(),
        mime: "text/plain".into(),
        body: vec![7; bytes],
        created_at_ms: 0,
    };
    let error = store.put_artifact(artifact("big", 1 << 20)).await.unwrap_err();
    assert_eq!(error.code(), Code::StoreFull);
    assert_eq!(store.get_artifact("t", None, "big").await.unwrap(), None);
    store.put_artifact(artifact("small", 10)).await.unwrap();
    assert!(store.get_artifact("t", None, "small").await.unwrap().is_some());
}

#[tokio::test]
async fn a_row_edited_into_nonsense_is_corrupt_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    store.put_agent(PutAgent::new("t", "crab"), 1).await.unwrap();
    let editor = Connection::open(folder.path().join("agent.db")).unwrap();
    editor.execute_batch("UPDATE toolkeep_agents SET deny = '{'").unwrap();
    let error = store.get_agent("t", "crab").await.unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt);
    for part in ["agents.get", "`deny`", "(t, crab)", "agent.db"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_failed_condition_undoes_the_whole_batch() {
    let driver = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
    let insert = "INSERT INTO toolkeep_event_counters VALUES (?1, ?2)";
    let delete = "DELETE FROM toolkeep_event_counters WHERE tenant = 'nobody'";
    let written = driver
        .write(Batch::new(vec![
            Statement::new(insert, vec!["t".into(), 1_i64.into()]),
            Statement::new(delete, vec![]).must_change(),
        ]))
        .await
        .unwrap();
    assert_eq!(written, Written::ConditionFailed { statement: 1 });
    let count = Statement::new("SELECT 1 FROM toolkeep_event_counters", vec![]);
    assert_eq!(driver.read(count).await.unwrap(), vec![]);
}

#[tokio::test]
async fn a_write_on_a_store_that_can_only_be_read_says_so() {
    let driver = SqliteDriver::open_memory(SqliteOptions::default()).await.unwrap();
    driver.read(Statement::new("PRAGMA query_only = 1", vec![])).await.unwrap();
    let store = SqlStore::new(driver);
    let put = PutAgent { settings: json!({}), ..PutAgent::new("t", "a") };
    assert_eq!(store.put_agent(put, 1).await.unwrap_err().code(), Code::StoreReadOnly);
}

#[tokio::test]
async fn the_longest_wait_can_be_asked_for() {
    let folder = tempfile::tempdir().unwrap();
    let base_dir = Some(folder.path());
    let options = OpenOptions { base_dir, timeout_ms: u64::MAX, ..OpenOptions::default() };
    let store = open("sqlite:agent.db", options).await.unwrap();
    store.close().await.unwrap();
}

#[tokio::test]
async fn a_backup_whose_name_looks_like_a_uri_is_whole() {
    let store = open("memory:", OpenOptions::default()).await.unwrap();
    let name = format!("file:{}.db", crate::id::new_id());
    let done = store.backup(name.as_str().into()).await;
    let size = std::fs::metadata(&name).map(|found| found.len());
    std::fs::remove_file(&name).unwrap();
    done.unwrap();
    assert!(size.unwrap() > 4096);
}
