//! The error for a place where a store cannot be says what the place is.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::*;
use crate::store::{Kind, PutAgent};

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

async fn refused(folder: &Path, kind: Kind, says: &[&str]) {
    let error = open_in(folder).await.map(drop).unwrap_err();
    assert_eq!(error.kind(), kind, "{error}");
    for part in says {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_closed_file_or_folder_is_denied_and_named() {
    let top = tempfile::tempdir().unwrap();
    let folder = top.path().join("state");
    fs::create_dir(&folder).unwrap();
    open_in(&folder).await.unwrap().close().await.unwrap();
    let file = folder.join("agent.db");
    set_mode(&file, 0);
    refused(&folder, Kind::Path, &["permission denied", "agent.db`", "mode 000", "chmod u+rw"])
        .await;
    set_mode(&file, 0o644);
    set_mode(&folder, 0);
    refused(&folder, Kind::Path, &["permission denied", "state`", "chmod u+rwx"]).await;
    fs::remove_file(&file).ok();
    set_mode(&folder, 0o700);
    fs::remove_file(&file).ok();
    set_mode(&folder, 0);
    refused(&folder, Kind::Path, &["permission denied", "state`"]).await;
    set_mode(&folder, 0o700);
}

#[tokio::test]
async fn a_pipe_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    let pipe = folder.path().join("agent.db");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status().unwrap();
    assert!(made.success());
    refused(folder.path(), Kind::Path, &["a pipe", "regular file"]).await;
}

#[tokio::test]
async fn a_link_to_nowhere_and_a_link_to_itself_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("agent.db");
    std::os::unix::fs::symlink("agent.db", &link).unwrap();
    refused(folder.path(), Kind::Path, &["agent.db` cannot be looked at"]).await;
}

#[tokio::test]
async fn a_file_that_is_closed_while_the_store_is_open_goes_on_being_written() {
    let folder = tempfile::tempdir().unwrap();
    let store = open_in(folder.path()).await.unwrap();
    set_mode(&folder.path().join("agent.db"), 0);
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    set_mode(&folder.path().join("agent.db"), 0o600);
    store.close().await.unwrap();
}
