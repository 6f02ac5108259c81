//! Many processes claim the same leases, each in an order of its own: every lease is won once.
//!
//! The test starts itself again as the processes that claim: each prints what it won.

use std::collections::BTreeMap;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use toolkeep::store::{self, Lease, OpenOptions};

use crate::support::eventually;

const STORE: &str = "TOOLKEEP_CLAIMS_STORE";
const HOLDER: &str = "TOOLKEEP_CLAIMS_HOLDER";
const LEASES: &str = "TOOLKEEP_CLAIMS_LEASES";
const PROCESSES: &str = "TOOLKEEP_CLAIMS_PROCESSES";

/// One time for all processes, so that no lease expires during the test.
const NOW_MS: i64 = 1_000_000;

/// The child's part: does nothing unless the parent set its variables.
#[tokio::test]
async fn child_claims_every_lease() {
    let Ok(url) = std::env::var(STORE) else { return };
    let number = |name| std::env::var(name).unwrap().parse::<usize>().unwrap();
    let (holder, leases, processes) = (number(HOLDER), number(LEASES), number(PROCESSES));
    let options = OpenOptions { timeout_ms: 120_000, ..OpenOptions::default() };
    let store = store::open(&url, options).await.unwrap();
    let name = holder.to_string();
    // Nobody begins before all are there.
    store.acquire_lease("t", "ready", &name, &name, 1_000, NOW_MS).await.unwrap();
    eventually(async || {
        store.list_leases("t", "ready", None, 100, NOW_MS).await.unwrap().len() == processes
    })
    .await;
    for n in order(leases, holder) {
        let row = n.to_string();
        let claim = store.acquire_lease("t", "claim", &row, &name, 1_000, NOW_MS).await.unwrap();
        if claim.is_some() {
            println!("won {n}.");
            // However fast one is, the others get their turns.
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    }
    store.close().await.unwrap();
}

/// All numbers below `count`, in an order that differs from process to process.
fn order(count: usize, seed: usize) -> Vec<usize> {
    let mut order: Vec<usize> = (0..count).collect();
    let mut dice = u64::try_from(seed).unwrap().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    for last in (1..count).rev() {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        order.swap(last, usize::try_from(dice >> 33).unwrap() % (last + 1));
    }
    order
}

#[tokio::test(flavor = "multi_thread")]
async fn processes_on_one_sqlite_file_win_each_lease_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("claims.db").display());
    each_is_won_once(&url).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread")]
async fn processes_on_one_postgres_database_win_each_lease_once() {
    each_is_won_once(&toolkeep_test_postgres::Server::shared().new_database()).await;
}

async fn each_is_won_once(url: &str) {
    let long = std::env::var_os("TOOLKEEP_SOAK").is_some();
    let (processes, leases) = if long { (16, 1_000) } else { (4, 200) };
    // Made before the processes start, so that they race for the leases and not for the tables.
    let store = store::open(url, OpenOptions::default()).await.unwrap();
    let children: Vec<Child> = (0..processes).map(|n| start(url, n, leases, processes)).collect();
    let mut won = BTreeMap::new();
    for (holder, child) in children.into_iter().enumerate() {
        let output = child.wait_with_output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "process {holder} failed: {text}");
        // The harness prints the test's name first, on the same line as the first win.
        for (_, rest) in text.lines().filter_map(|line| line.split_once("won ")) {
            let lease = rest.trim_end_matches('.').to_owned();
            if let Some(other) = won.insert(lease.clone(), holder.to_string()) {
                panic!("lease {lease} was won by {other} and by {holder}");
            }
        }
    }
    assert_eq!(won.len(), leases);
    let winners: std::collections::BTreeSet<_> = won.values().collect();
    assert!(winners.len() > 1, "one process won them all: there was no race");
    assert_eq!(kept(&*store).await, won);
    store.close().await.unwrap();
}

fn start(url: &str, holder: usize, leases: usize, processes: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "claims::child_claims_every_lease", "--nocapture"])
        .env(STORE, url)
        .env(HOLDER, holder.to_string())
        .env(LEASES, leases.to_string())
        .env(PROCESSES, processes.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Who holds what, by the rows of the store.
async fn kept(store: &dyn store::Store) -> BTreeMap<String, String> {
    let mut kept = BTreeMap::new();
    let mut after: Option<String> = None;
    loop {
        let page: Vec<Lease> =
            store.list_leases("t", "claim", after.as_deref(), 300, NOW_MS).await.unwrap();
        let Some(last) = page.last() else { return kept };
        after = Some(last.name.clone());
        kept.extend(page.into_iter().map(|lease| (lease.name, lease.holder)));
    }
}
