//! Files of the store that two processes share.

use serde_json::json;
use toolkeep::{Config, Runtime};
use toolkeep_test_postgres::Server;

use crate::virtual_files::{edits_from_two_runtimes, reads_after_writes};

async fn two() -> ([Runtime; 2], tempfile::TempDir) {
    let (url, folder) = (Server::shared().new_database(), tempfile::tempdir().unwrap());
    let open = async || {
        let workspace = folder.path().to_str().unwrap();
        let files = json!({ "write_safety": "off" });
        let config = json!({ "store": url, "workspace": workspace, "files": files });
        Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
    };
    ([open().await, open().await], folder)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_edit_of_one_file_is_lost() {
    let (runtimes, _folder) = two().await;
    edits_from_two_runtimes(runtimes).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn no_reader_sees_less_than_a_finished_write() {
    let ([here, there], _folder) = two().await;
    reads_after_writes(&here, &there).await;
}
