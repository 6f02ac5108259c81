//! Credentials and custom tools: what is kept of them, and what never is.

use std::path::Path;

use rusqlite::Connection;
use serde_json::{Value, json};
use toolkeep::ops::{PutCredential, PutCustomTool};
use toolkeep::{CallContext, Code, Error, Runtime, RuntimeBuilder};

const ONE: &str = "8f1d2c3b4a59687716253443526170f0e1d2c3b4a5968778695a4b3c2d1e0f11";
const TWO: &str = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
/// The ids of these keys.
const IDS: [&str; 2] = ["31b450e023837bdb", "4093fab818cbe254"];

const SECRET: &str = "hunter2-correct-horse-battery-staple";

fn on(folder: &Path) -> RuntimeBuilder {
    Runtime::builder().store_url(format!("sqlite:{}", folder.join("a.db").display()))
}

async fn open(folder: &Path, key: &'static str) -> Runtime {
    on(folder).key(move || Ok(key.into())).build().await.unwrap()
}

fn credential(name: &str) -> Value {
    json!({ "name": name, "env": { "TOKEN": SECRET } })
}

async fn refused(rt: &Runtime, operation: &str, args: Value) -> Error {
    let error = rt.invoke(operation, args).await.unwrap_err();
    let shown = format!("{error} {error:?}");
    assert!(!shown.contains("hunter2") && !shown.contains("4711"), "{shown}");
    error
}

/// All that a store keeps on disk.
fn on_disk(folder: &Path) -> Vec<u8> {
    let files = std::fs::read_dir(folder).unwrap();
    files.flat_map(|file| std::fs::read(file.unwrap().path()).unwrap()).collect()
}

fn holds(bytes: &[u8], part: &[u8]) -> bool {
    bytes.windows(part.len()).any(|window| window == part)
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let whole = bytes.chunks_exact(3).flat_map(|three| {
        let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
        [18, 12, 6, 0].map(|at| char::from(DIGITS[(bits >> at & 63) as usize]))
    });
    whole.collect()
}

#[tokio::test]
async fn a_secret_is_on_the_disk_in_no_form() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    rt.invoke("credentials.put", credential("gh")).await.unwrap();
    let token = json!({ "name": "token", "kind": "token", "value": SECRET });
    rt.invoke("credentials.put", token).await.unwrap();
    let tool = json!({ "name": "deploy", "description": "d", "command": "true", "env": { "TOKEN": SECRET } });
    rt.invoke("custom_tools.put", tool).await.unwrap();
    let live = on_disk(folder.path());
    rt.close().await.unwrap();
    let exported = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    for (operation, name) in [("store.export", "a.jsonl"), ("store.backup", "b.db")] {
        rt.invoke(operation, json!({ "path": exported.path().join(name) })).await.unwrap();
    }
    let hex: String = SECRET.bytes().map(|byte| format!("{byte:02x}")).collect();
    for bytes in [live, on_disk(folder.path()), on_disk(exported.path())] {
        assert!(holds(&bytes, b"TOKEN") && holds(&bytes, b"deploy"), "nothing was written");
        for start in 0..3 {
            let part = base64(&SECRET.as_bytes()[start..]);
            assert!(!holds(&bytes, part.as_bytes()), "base64 from {start}");
        }
        for form in [SECRET, "hunter2", &hex, &hex.to_uppercase()] {
            assert!(!holds(&bytes, form.as_bytes()), "{form}");
        }
        for key in [ONE, &ONE.to_uppercase()] {
            assert!(!holds(&bytes, key.as_bytes()), "the key");
        }
    }
}

#[tokio::test]
async fn another_key_does_not_open_and_an_older_one_does() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    let put = rt.invoke("credentials.put", credential("gh")).await.unwrap();
    let checked = rt.invoke("credentials.check", json!({ "name": "gh" })).await.unwrap();
    assert_eq!((&put, &put["key_id"]), (&checked, &json!(IDS[0])));

    let other = open(folder.path(), TWO).await;
    let error = refused(&other, "credentials.check", json!({ "name": "gh" })).await;
    assert_eq!(error.code(), Code::SecretUnreadable);
    for part in [IDS[0], IDS[1], "older_keys", "credentials", "gh"] {
        assert!(error.message().contains(part), "{part}: {error}");
    }
    let both = on(folder.path()).key(|| Ok(TWO.into())).older_key(|| Ok(ONE.into()));
    let both = both.build().await.unwrap();
    both.invoke("credentials.check", json!({ "name": "gh" })).await.unwrap();
    let again = both.invoke("credentials.put", credential("gh")).await.unwrap();
    assert_eq!(again["key_id"], IDS[1]);
    other.invoke("credentials.check", json!({ "name": "gh" })).await.unwrap();
    refused(&rt, "credentials.check", json!({ "name": "gh" })).await;
}

#[tokio::test]
async fn without_a_key_nothing_secret_is_written_and_the_rest_works() {
    let folder = tempfile::tempdir().unwrap();
    let sealing = open(folder.path(), ONE).await;
    sealing.invoke("credentials.put", credential("gh")).await.unwrap();
    let rt = on(folder.path()).build().await.unwrap();
    let env = json!({ "TOKEN": SECRET });
    let tool = json!({ "name": "deploy", "description": "d", "command": "true", "env": env });
    for (operation, args) in [
        ("credentials.put", credential("new")),
        ("custom_tools.put", tool.clone()),
        ("credentials.check", json!({ "name": "gh" })),
    ] {
        assert_eq!(refused(&rt, operation, args).await.code(), Code::NoKey, "{operation}");
    }
    let missing = refused(&rt, "credentials.get", json!({ "name": "new" })).await;
    assert_eq!(missing.code(), Code::NotFound);
    rt.invoke("credentials.get", json!({ "name": "gh" })).await.unwrap();
    // What a key sealed is kept by a change that leaves it alone, and cleared without a key.
    sealing.invoke("custom_tools.put", tool).await.unwrap();
    let kept = json!({ "name": "deploy", "description": "d", "command": "false" });
    let kept = rt.invoke("custom_tools.put", kept).await.unwrap();
    assert_eq!(kept["env_names"], json!(["TOKEN"]));
    let cleared = json!({ "name": "deploy", "description": "d", "command": "false", "env": {} });
    let cleared = rt.invoke("custom_tools.put", cleared).await.unwrap();
    assert_eq!(cleared["env_names"], json!([]));
}

/// Opens the file behind a runtime's back.
fn by_hand(folder: &Path, sql: &str) {
    let database = Connection::open(folder.join("a.db")).unwrap();
    assert_eq!(database.execute(sql, ()).unwrap(), 1, "{sql}");
}

fn by_hand_value(folder: &Path, row: &str) -> Vec<u8> {
    let database = Connection::open(folder.join("a.db")).unwrap();
    let sql = format!("SELECT value FROM toolkeep_credentials WHERE {row}");
    database.query_row(&sql, (), |row| row.get(0)).unwrap()
}

#[tokio::test]
async fn a_value_that_was_moved_or_altered_by_hand_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    let of = |tenant: &str, agent: Option<&str>, name: &str| json!({ "tenant": tenant, "agent": agent, "name": name });
    let places = [
        of("default", None, "gh"),
        of("default", None, "aws"),
        of("default", Some("a"), "gh"),
        of("other", None, "gh"),
    ];
    let put = async || {
        for place in &places {
            let mut args = place.clone();
            args["env"] = json!({ "TOKEN": SECRET });
            rt.invoke("credentials.put", args).await.unwrap();
        }
    };
    let row = |place: &Value| {
        let agent = place["agent"].as_str().unwrap_or_default();
        let text = |field: &str| place[field].as_str().unwrap().to_owned();
        format!("tenant = '{}' AND name = '{}' AND agent = '{agent}'", text("tenant"), text("name"))
    };
    put().await;
    let table = "toolkeep_credentials";
    let first = row(&places[0]);
    for place in &places[1..] {
        let value = format!("(SELECT value FROM {table} WHERE {first})");
        by_hand(folder.path(), &format!("UPDATE {table} SET value = {value} WHERE {}", row(place)));
        let error = refused(&rt, "credentials.check", place.clone()).await;
        assert_eq!(error.code(), Code::SecretUnreadable);
        let named = format!("\"{}\"", place["name"].as_str().unwrap());
        for part in ["altered or moved", "table \"credentials\"", &named] {
            assert!(error.message().contains(part), "{part}: {error}");
        }
    }
    put().await;
    let value = by_hand_value(folder.path(), &first);
    let mut flipped = value.clone();
    flipped[29] ^= 1;
    for (value, says) in [
        (flipped, "altered or moved"),
        (SECRET.into(), "not a sealed secret"),
        (value[..30].into(), "cut short"),
    ] {
        let database = Connection::open(folder.path().join("a.db")).unwrap();
        let sql = format!("UPDATE {table} SET value = ?1 WHERE {first}");
        assert_eq!(database.execute(&sql, [value]).unwrap(), 1);
        let error = refused(&rt, "credentials.check", places[0].clone()).await;
        assert_eq!(error.code(), Code::SecretUnreadable);
        assert!(error.message().contains(says), "{error}");
    }
    // What was wrong in one row is mended by storing it anew, and did no harm to the others.
    put().await;
    for place in &places {
        rt.invoke("credentials.check", place.clone()).await.unwrap();
    }
    let row = row(&places[2]);
    by_hand(folder.path(), &format!("UPDATE {table} SET settings = 'nonsense' WHERE {row}"));
    let error = refused(&rt, "credentials.get", places[2].clone()).await;
    assert_eq!(error.code(), Code::StoreCorrupt);
    assert!(error.message().contains("`settings` of row (default, gh, a, )"), "{error}");
}

#[tokio::test]
async fn a_wrong_environment_is_refused_without_its_values() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    let big = "x".repeat(1 << 20);
    for (env, code, says) in [
        (json!({ "": "hunter2" }), Code::InvalidArgument, "no name of a variable"),
        (json!({ "A=hunter2": "" }), Code::InvalidArgument, "begins with `A`"),
        (json!({ "A hunter2": "" }), Code::InvalidArgument, "begins with `A`"),
        (json!({ "1A": "hunter2" }), Code::InvalidArgument, "no name of a variable"),
        (json!({ "Ä": "hunter2" }), Code::InvalidArgument, "no name of a variable"),
        (json!({ "A\0": "hunter2" }), Code::InvalidArgument, "begins with `A`"),
        (json!({ "A": "hunter2\0" }), Code::InvalidArgument, "`env.A` contains a NUL"),
        (json!({ "A": 4711 }), Code::InvalidArgument, "the value of `A` is not a string"),
        (json!({ "A": ["hunter2"] }), Code::InvalidArgument, "the value of `A` is not a string"),
        (json!("hunter2"), Code::InvalidArgument, "`env`"),
        (json!(4711), Code::InvalidArgument, "`env`"),
        (json!(["hunter2"]), Code::InvalidArgument, "`env`"),
        (json!({ "A": "hunter2", "B": big }), Code::TooLarge, "`env` has"),
    ] {
        let tool = json!({ "name": "x", "description": "d", "command": "true", "env": env });
        for (operation, args) in
            [("credentials.put", json!({ "name": "x", "env": env })), ("custom_tools.put", tool)]
        {
            let error = refused(&rt, operation, args).await;
            assert_eq!(error.code(), code, "{error}");
            assert!(error.message().contains(says), "{error}");
        }
    }
    for args in [
        json!({ "name": "x", "kind": "token", "value": 4711 }),
        json!({ "name": "x", "kind": "token", "value": ["hunter2"] }),
        json!({ "name": "x", "kind": "token", "env": { "A": "hunter2" } }),
        json!({ "name": "x", "value": "hunter2" }),
        json!({ "name": "x", "kind": "", "value": "hunter2" }),
        json!({ "name": "x", "env": { "A": "hunter2" }, "value": "hunter2" }),
        json!({ "name": "x" }),
    ] {
        assert_eq!(refused(&rt, "credentials.put", args).await.code(), Code::InvalidArgument);
    }
    let listed = rt.invoke("credentials.list", json!({})).await.unwrap();
    assert_eq!(listed, json!([]));
}

#[tokio::test]
async fn no_event_no_row_of_the_ledger_and_no_debug_shows_a_secret() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    let tool = json!({ "name": "deploy", "description": "d", "command": "true", "env": { "TOKEN": SECRET } });
    let answers = [
        rt.invoke("credentials.put", credential("gh")).await.unwrap(),
        rt.invoke("custom_tools.put", tool.clone()).await.unwrap(),
        rt.invoke("credentials.list", json!({})).await.unwrap(),
        rt.invoke("custom_tools.get", json!({ "name": "deploy" })).await.unwrap(),
        rt.invoke("custom_tools.list", json!({})).await.unwrap(),
    ];
    rt.call(&CallContext::new(), "datetime", json!({})).await.unwrap();
    let ledger = rt.invoke("audit.query", json!({})).await.unwrap();
    let events = rt.invoke("events.read", json!({})).await.unwrap();
    assert_eq!(ledger.as_array().unwrap().len(), 1);
    let kinds: Vec<_> = events.as_array().unwrap().iter().map(|event| &event["kind"]).collect();
    assert_eq!(kinds, ["credential.changed", "custom_tool.changed", "call.completed"]);
    let put: PutCredential = serde_json::from_value(credential("gh")).unwrap();
    let put_tool: PutCustomTool = serde_json::from_value(tool).unwrap();
    let shown = format!("{answers:?} {ledger} {events} {put:?} {put_tool:?} {rt:?}");
    assert!(shown.contains("TOKEN") && !shown.contains("hunter2"), "{shown}");
    assert!(!shown.contains(ONE), "{shown}");
}

/// The environment of the tool, by hand: no operation gives it out.
async fn env_of(rt: &Runtime, folder: &Path) -> (Value, bool) {
    let tool = rt.invoke("custom_tools.get", json!({ "name": "deploy" })).await.unwrap();
    let database = Connection::open(folder.join("a.db")).unwrap();
    let sql = "SELECT env IS NOT NULL FROM toolkeep_custom_tools";
    (tool["env_names"].clone(), database.query_row(sql, (), |row| row.get(0)).unwrap())
}

#[tokio::test]
async fn an_environment_is_kept_cleared_or_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    let put = async |mut fields: Value| {
        fields["name"] = json!("deploy");
        fields["description"] = json!("d");
        fields["command"] = json!("true");
        rt.invoke("custom_tools.put", fields).await
    };
    for (fields, names) in [
        (json!({}), json!([])),
        (json!({ "env": { "B": "2", "A": "1" } }), json!(["A", "B"])),
        (json!({}), json!(["A", "B"])),
        (json!({ "env": null, "if_version": 3 }), json!(["A", "B"])),
        (json!({ "env": { "C": "" } }), json!(["C"])),
        (json!({ "env": {} }), json!([])),
        (json!({}), json!([])),
    ] {
        let put = put(fields.clone()).await.unwrap();
        assert_eq!(put["env_names"], names, "{fields}");
        let sealed = names != json!([]);
        assert_eq!(env_of(&rt, folder.path()).await, (names, sealed), "{fields}");
    }
    for stale in [0, 6, 8] {
        let error = put(json!({ "if_version": stale })).await.unwrap_err();
        assert_eq!(error.code(), Code::Conflict, "{error}");
        assert!(error.message().contains("`deploy`"), "{error}");
    }
    assert_eq!(put(json!({ "if_version": 7 })).await.unwrap()["version"], 8);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn racing_changes_lose_no_environment_and_none_fails() {
    let folder = tempfile::tempdir().unwrap();
    let rt = open(folder.path(), ONE).await;
    for round in 0..8 {
        let put = |fields: Value| {
            let (rt, mut args) =
                (rt.clone(), json!({ "name": "deploy", "description": "d", "command": "true" }));
            args.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            tokio::spawn(async move { rt.invoke("custom_tools.put", args).await })
        };
        let name = format!("ROUND_{round}");
        // One sets the environment, fifteen change something else and must keep whichever is set.
        let puts: Vec<_> = (0..16)
            .map(|n| match n {
                7 => put(json!({ "env": { &name: "x" } })),
                n => put(json!({ "description": n.to_string() })),
            })
            .collect();
        for put in puts {
            put.await.unwrap().unwrap();
        }
        assert_eq!(env_of(&rt, folder.path()).await, (json!([name]), true));
    }
    let tool = rt.invoke("custom_tools.get", json!({ "name": "deploy" })).await.unwrap();
    assert_eq!(tool["version"], 8 * 16);
}
