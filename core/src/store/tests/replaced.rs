//! A store whose files were deleted, moved or replaced while it was open says so, and touches nothing that
//! has their names by then.

use std::fs;
use std::path::PathBuf;

use super::*;
use crate::error::Code;
use crate::store::PutAgent;

struct Open {
    folder: tempfile::TempDir,
    store: Arc<dyn Store>,
}

impl Open {
    /// A store with one agent in it.
    async fn new() -> Open {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("state")).unwrap();
        let store = open_in(&folder.path().join("state")).await.unwrap();
        store.put_agent(PutAgent::new("t", "kept"), 1).await.unwrap();
        Open { folder, store }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("state").join(name)
    }

    async fn put(&self) -> Result<(), Error> {
        self.store.put_agent(PutAgent::new("t", "late"), 1).await.map(drop)
    }

    /// Reads, writes and the closing fail, each naming the file and what became of it.
    async fn fails(&self, name: &str, became: &str) {
        for _ in 0..20 {
            names(self.put().await.unwrap_err(), name, became);
        }
        names(self.store.get_agent("t", "kept").await.unwrap_err(), name, became);
        let copy = self.folder.path().join("copy.db");
        names(self.store.backup(copy.clone()).await.unwrap_err(), name, became);
        assert!(!copy.exists());
        names(self.store.close().await.unwrap_err(), name, became);
    }
}

fn names(error: Error, name: &str, became: &str) {
    assert_eq!(error.code(), Code::StorePath, "{error}");
    assert!(!error.code().is_retryable());
    for part in [&format!("{name}` {became}"), "open it again"] {
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[tokio::test]
async fn a_store_whose_file_was_deleted_acknowledges_nothing_more() {
    let open = Open::new().await;
    fs::remove_file(open.path("agent.db")).unwrap();
    open.fails("agent.db", "was deleted or moved away").await;
    assert!(!open.path("agent.db").exists());
}

#[tokio::test]
async fn a_store_whose_file_was_replaced_leaves_the_new_one_as_it_is() {
    let open = Open::new().await;
    let (copy, log) = (open.path("copy.db"), open.path("agent.db-wal"));
    open.store.backup(copy.clone()).await.unwrap();
    fs::rename(&copy, open.path("agent.db")).unwrap();
    fs::remove_file(&log).unwrap();
    fs::write(&log, "somebody else's").unwrap();
    let before = fs::read(open.path("agent.db")).unwrap();
    open.fails("agent.db", "was replaced by another file").await;
    assert_eq!(fs::read(open.path("agent.db")).unwrap(), before);
    assert_eq!(fs::read_to_string(log).unwrap(), "somebody else's");
}

#[tokio::test]
async fn a_store_that_was_dropped_leaves_the_new_file_as_it_is_too() {
    let open = Open::new().await;
    for end in ["", "-wal", "-shm"] {
        fs::remove_file(open.path(&format!("agent.db{end}"))).unwrap();
    }
    let new = open_in(&open.folder.path().join("state")).await.unwrap();
    new.put_agent(PutAgent::new("t", "new"), 1).await.unwrap();
    open.put().await.unwrap_err();
    drop(open.store);
    new.put_agent(PutAgent::new("t", "newer"), 1).await.unwrap();
    new.close().await.unwrap();
    let new = open_in(&open.folder.path().join("state")).await.unwrap();
    let agents = new.list_agents("t", None, 10).await.unwrap();
    assert_eq!(agents.iter().map(|agent| &agent.id).collect::<Vec<_>>(), ["new", "newer"]);
}

#[tokio::test]
async fn a_store_whose_folder_was_moved_or_replaced_says_so() {
    for replaced in [false, true] {
        let open = Open::new().await;
        let away = open.folder.path().join("away");
        fs::rename(open.folder.path().join("state"), &away).unwrap();
        if replaced {
            fs::create_dir(open.folder.path().join("state")).unwrap();
            fs::copy(away.join("agent.db"), open.path("agent.db")).unwrap();
        }
        let became =
            if replaced { "was replaced by another file" } else { "was deleted or moved away" };
        open.fails("agent.db", became).await;
    }
}

#[tokio::test]
async fn a_store_whose_link_leads_to_another_file_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("agent.db");
    fs::write(folder.path().join("one"), "").unwrap();
    fs::write(folder.path().join("two"), "").unwrap();
    std::os::unix::fs::symlink("one", &link).unwrap();
    let store = open_in(folder.path()).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    fs::remove_file(&link).unwrap();
    std::os::unix::fs::symlink("two", &link).unwrap();
    let error = store.put_agent(PutAgent::new("t", "b"), 1).await.unwrap_err();
    names(error, "agent.db", "was replaced by another file");
    store.close().await.unwrap_err();
    assert_eq!(fs::read(folder.path().join("two")).unwrap(), b"");
}

#[tokio::test]
async fn a_store_that_was_put_back_goes_on() {
    let open = Open::new().await;
    fs::rename(open.path("agent.db"), open.path("aside")).unwrap();
    names(open.put().await.unwrap_err(), "agent.db", "was deleted or moved away");
    fs::rename(open.path("aside"), open.path("agent.db")).unwrap();
    open.put().await.unwrap();
    open.store.close().await.unwrap();
}

#[tokio::test]
async fn a_deleted_log_loses_nothing_that_was_acknowledged() {
    for end in ["-wal", "-shm"] {
        let open = Open::new().await;
        let name = format!("agent.db{end}");
        fs::remove_file(open.path(&name)).unwrap();
        open.fails(&name, "was deleted or moved away").await;
        let again = open_in(&open.folder.path().join("state")).await.unwrap();
        assert!(again.get_agent("t", "kept").await.unwrap().is_some(), "{end}");
        assert!(again.get_agent("t", "late").await.unwrap().is_none(), "{end}");
    }
}

#[tokio::test]
async fn a_replaced_log_and_an_emptied_file_are_reported() {
    let open = Open::new().await;
    fs::copy(open.path("agent.db-wal"), open.path("copy")).unwrap();
    fs::rename(open.path("copy"), open.path("agent.db-wal")).unwrap();
    open.fails("agent.db-wal", "was replaced by another file").await;
    let open = Open::new().await;
    fs::write(open.path("agent.db"), "").unwrap();
    open.fails("agent.db", "was emptied").await;
}
