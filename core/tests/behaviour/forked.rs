//! A process that is forked while other threads of it are in calls: the child has none of these
//! threads, and all that they held.

use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::json;
use toolkeep::{CallContext, Error, Runtime};

/// How long a child may take before it is ended as one that hangs.
const PATIENCE_SECONDS: u32 = 60;

#[test]
fn a_child_forked_during_calls_opens_a_runtime_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("agent.db").display());
    in_forked_children(&["memory:", &file], &["memory:"]);
}

#[test]
fn a_child_forked_during_calls_opens_the_file_that_its_parent_has_open() {
    let folder = tempfile::tempdir().unwrap();
    let file = format!("sqlite:{}", folder.path().join("agent.db").display());
    in_forked_children(&[&file], &[&file]);
}

/// Forks again and again while threads of this process use these stores, and has each child use those.
fn in_forked_children(parents: &[&str], childrens: &[&str]) {
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        for store in parents {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        use_once(store).unwrap();
                    }
                });
            }
        }
        let failed = (0..40).find_map(|_| Some(child(childrens)).filter(|status| *status != 0));
        is_over.store(true, Ordering::Relaxed);
        assert_eq!(failed, None, "the status that a child has ended with");
    });
}

fn use_once(store: &str) -> Result<(), Error> {
    let threads = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    threads.block_on(async {
        let rt = Runtime::builder().store_url(store).build().await?;
        for zone in ["UTC", "Europe/Berlin"] {
            let answer =
                rt.call(&CallContext::new(), "datetime", json!({ "timezone": zone })).await?;
            assert!(!answer.is_error, "{}", answer.for_llm);
        }
        rt.close().await
    })
}

/// The status of a child that has used these stores.
fn child(stores: &[&str]) -> i32 {
    // SAFETY: the child uses what its own threads make, and ends without running anything of its parent's.
    unsafe {
        match libc::fork() {
            -1 => panic!("no child could be made"),
            0 => {
                libc::alarm(PATIENCE_SECONDS);
                let used = std::panic::catch_unwind(|| {
                    stores.iter().try_for_each(|store| use_once(store))
                });
                libc::_exit(i32::from(!matches!(used, Ok(Ok(())))));
            }
            child => {
                let mut status = 0;
                assert_eq!(libc::waitpid(child, &raw mut status, 0), child);
                status
            }
        }
    }
}
