//! Sealing anew under another key: interrupted, resumed, and while others write.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::{Code, Runtime};

const ONE: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";
const TWO: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
/// The ids of these keys.
const IDS: [&str; 2] = ["31b450e023837bdb", "4093fab818cbe254"];

const CHILD: &str = "TOOLKEEP_ROTATION_STORE";

/// The URLs of stores that several processes can use, and the folder of the first.
fn stores() -> (Vec<String>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let urls = [
        format!("sqlite:{}", folder.path().join("a.db").display()),
        #[cfg(feature = "postgres")]
        toolkeep_test_postgres::Server::shared().new_database(),
    ];
    (urls.into(), folder)
}

async fn open(url: &str, key: &'static str, older: Option<&'static str>) -> Runtime {
    let builder = Runtime::builder().store_url(url).key(move || Ok(key.into()));
    match older {
        Some(older) => builder.older_key(move || Ok(older.into())).build().await.unwrap(),
        None => builder.build().await.unwrap(),
    }
}

/// Credentials of several tenants, a CLI, and custom tools; under the first key.
async fn fill(url: &str, count: usize) {
    let rt = open(url, ONE, None).await;
    for at in 0..count {
        let tenant = format!("t{}", at % 3);
        let args =
            json!({ "tenant": tenant, "name": format!("c{at}"), "env": { "A": format!("v{at}") } });
        rt.invoke("credentials.put", args).await.unwrap();
    }
    let cli = json!({ "binary_name": "some-cli", "encrypted_env": { "A_TOKEN": "of-the-cli" } });
    rt.invoke("clis.put", cli).await.unwrap();
    for agent in [Value::Null, json!("a")] {
        let args = json!({
            "agent": agent, "name": "tool", "description": "d", "command": "true",
            "env": { "A": "of-the-tool" },
        });
        rt.invoke("custom_tools.put", args).await.unwrap();
    }
    rt.close().await.unwrap();
}

/// How many credentials are sealed under each of the keys.
async fn counted(rt: &Runtime) -> [usize; 2] {
    let mut counts = [0, 0];
    for tenant in ["default", "t0", "t1", "t2"] {
        let args = json!({ "tenant": tenant, "limit": 1_000 });
        let all = rt.invoke("credentials.list", args).await.unwrap();
        for one in all.as_array().unwrap() {
            let at = IDS.iter().position(|id| one["key_id"] == *id).unwrap();
            counts[at] += 1;
        }
    }
    counts
}

#[tokio::test]
async fn everything_is_sealed_anew_once_and_then_the_old_key_can_go() {
    let (urls, _folder) = stores();
    for url in urls {
        fill(&url, 20).await;
        let rt = open(&url, TWO, Some(ONE)).await;
        assert_eq!(counted(&rt).await, [21, 0]);
        let status = rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
        assert_eq!((&status["resealed"], &status["done"]), (&json!(23), &json!(true)), "{status}");
        assert_eq!(status["key_id"], IDS[1]);
        let again = rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
        assert_eq!(again["resealed"], 0, "{again}");
        rt.close().await.unwrap();
        let rt = open(&url, TWO, None).await;
        assert_eq!(counted(&rt).await, [0, 21]);
        let args = json!({ "tenant": "t1", "name": "c1" });
        rt.invoke("credentials.check", args).await.unwrap();
        let tool = json!({ "name": "tool", "agent": "a" });
        assert_eq!(rt.invoke("custom_tools.get", tool).await.unwrap()["version"], 2);
    }
}

#[tokio::test]
async fn what_cannot_be_opened_is_named_and_stays() {
    let (urls, _folder) = stores();
    for url in urls {
        fill(&url, 3).await;
        let rt = open(&url, TWO, None).await;
        let status = rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
        assert_eq!(
            (&status["resealed"], &status["unreadable_count"]),
            (&json!(0), &json!(6)),
            "{status}"
        );
        assert!(status["unreadable"][0].as_str().unwrap().contains(IDS[0]), "{status}");
        rt.close().await.unwrap();
        let rt = open(&url, ONE, None).await;
        rt.invoke("credentials.check", json!({ "tenant": "t0", "name": "c0" })).await.unwrap();
        let rt = Runtime::builder().store_url("memory:").build().await.unwrap();
        let refused = rt.invoke("secrets.rotate", json!({})).await.unwrap_err();
        assert_eq!(refused.code(), Code::NoKey);
    }
}

#[tokio::test]
async fn what_others_write_meanwhile_is_never_lost() {
    let (urls, _folder) = stores();
    for url in urls {
        fill(&url, 60).await;
        let rt = open(&url, TWO, Some(ONE)).await;
        let mut done = rt.invoke("secrets.rotate", json!({})).await.unwrap();
        for at in (0..60).rev() {
            let args = json!({
                "tenant": format!("t{}", at % 3), "name": format!("c{at}"), "kind": "text",
                "value": format!("written-meanwhile-{at}"),
            });
            rt.invoke("credentials.put", args).await.unwrap();
        }
        while done["running"] == true {
            tokio::time::sleep(Duration::from_millis(10)).await;
            done = rt.invoke("secrets.rotation", json!({})).await.unwrap();
        }
        assert_eq!(done["done"], true, "{done}");
        for at in 0..60 {
            let args = json!({ "tenant": format!("t{}", at % 3), "name": format!("c{at}") });
            let kept = rt.invoke("credentials.check", args).await.unwrap();
            assert_eq!(
                (&kept["kind"], &kept["key_id"]),
                (&json!("text"), &json!(IDS[1])),
                "{kept}"
            );
        }
    }
}

#[tokio::test]
async fn a_rotation_that_is_stopped_goes_on_from_there() {
    let (urls, _folder) = stores();
    for url in urls {
        fill(&url, 200).await;
        let rt = open(&url, TWO, Some(ONE)).await;
        rt.invoke("secrets.rotate", json!({})).await.unwrap();
        rt.invoke("secrets.stop_rotation", json!({})).await.unwrap();
        let mut status = json!({ "running": true });
        while status["running"] == true {
            tokio::time::sleep(Duration::from_millis(5)).await;
            status = rt.invoke("secrets.rotation", json!({})).await.unwrap();
        }
        let first = status["resealed"].as_u64().unwrap();
        assert_eq!(status["done"], false, "{status}");
        let status = rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
        assert_eq!(first + status["resealed"].as_u64().unwrap(), 203, "{status}");
        assert_eq!(counted(&rt).await, [0, 201]);
    }
}

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_rotates_until_it_is_killed() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let rt = open(&url, TWO, Some(ONE)).await;
    println!("begins");
    rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
    tokio::time::sleep(Duration::from_secs(60)).await;
}

#[tokio::test]
async fn a_process_that_is_killed_leaves_every_value_readable_and_the_next_one_finishes() {
    use std::io::{BufRead, BufReader};

    let (urls, _folder) = stores();
    for url in urls {
        fill(&url, 600).await;
        for round in 0..3 {
            let mut child = Command::new(std::env::current_exe().unwrap())
                .args(["--exact", "rotation::child_rotates_until_it_is_killed", "--nocapture"])
                .env(CHILD, &url)
                .stdout(Stdio::piped())
                .spawn()
                .unwrap();
            let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
            assert!(lines.any(|line| line.unwrap().contains("begins")));
            std::thread::sleep(Duration::from_millis(20 + 15 * round));
            child.kill().unwrap();
            child.wait().unwrap();
            let rt = open(&url, TWO, Some(ONE)).await;
            let [old, new] = counted(&rt).await;
            assert_eq!(old + new, 601, "after round {round}");
            for at in (0..600).step_by(97) {
                let args = json!({ "tenant": format!("t{}", at % 3), "name": format!("c{at}") });
                rt.invoke("credentials.check", args).await.unwrap();
            }
            rt.close().await.unwrap();
        }
        let rt = open(&url, TWO, Some(ONE)).await;
        rt.invoke("secrets.rotate", json!({ "wait": true })).await.unwrap();
        assert_eq!(counted(&rt).await, [0, 601]);
    }
}
