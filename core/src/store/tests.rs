//! Behaviour of the stores that this crate brings.

mod audit_chain;
mod audit_plans;
mod audit_writing;
mod check;
mod failures;
mod path_locks;
mod places;
mod replaced;
mod sharing;

use std::path::Path;
use std::sync::Arc;

use super::{Error, OpenOptions, Store, open, suite};

/// Opens `agent.db` in a folder, not waiting long for anybody.
async fn open_in(folder: &Path) -> Result<Arc<dyn Store>, Error> {
    let options =
        OpenOptions { base_dir: Some(folder), timeout_ms: 5000, ..OpenOptions::default() };
    open("sqlite:agent.db", options).await
}

#[tokio::test]
async fn a_store_in_memory_passes_the_suite() {
    let report = suite::run(|| open("memory:", OpenOptions::default())).await.unwrap();
    assert!(report.passed.len() >= 84, "{report:?}");
}

#[tokio::test]
async fn a_store_in_a_file_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    suite::run(|| open_in(folder.path())).await.unwrap();
}

#[tokio::test]
async fn a_durable_store_passes_the_suite() {
    let folder = tempfile::tempdir().unwrap();
    let options =
        OpenOptions { base_dir: Some(folder.path()), durable: true, ..OpenOptions::default() };
    suite::run(|| open("sqlite:agent.db", options)).await.unwrap();
}

#[tokio::test]
async fn a_store_reports_its_url() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(open("memory:", OpenOptions::default()).await.unwrap().url(), "memory:");
    let path = folder.path().join("agent.db");
    assert_eq!(open_in(folder.path()).await.unwrap().url(), format!("sqlite:{}", path.display()));
}

#[cfg(feature = "postgres")]
#[tokio::test]
async fn a_store_on_postgres_passes_the_suite() {
    let url = toolkeep_test_postgres::Server::shared().new_database();
    let report = suite::run(|| open(&url, OpenOptions::default())).await.unwrap();
    assert!(report.passed.len() >= 84, "{report:?}");
}
