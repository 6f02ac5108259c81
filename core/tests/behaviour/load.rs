//! Four processes write all sorts of things to one store while they, or the store's server, are
//! killed. What was acknowledged is there, nothing is there in halves, every event is delivered,
//! and the ledger's chain is whole.
//!
//! The test starts itself again as the processes to be killed. A child prints a line for every
//! write that the store acknowledged.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use futures_util::StreamExt as _;
use serde_json::{Value, json};
use toolkeep::event::NewEvent;
use toolkeep::id::new_id;
use toolkeep::store::{self, ContextFileKey, Kind, OpenOptions, PutAgent, PutContextFile, Store};
use toolkeep::{CallContext, Code, Config, Follow, Runtime};

use crate::support::echo;

const CHILD: &str = "TOOLKEEP_LOAD_STORE";
const WORKERS: usize = 4;
const TENANT: &str = "load";
/// How many events one batch appends.
const TOGETHER: usize = 5;

fn rounds(short: usize, long: usize) -> usize {
    if std::env::var_os("TOOLKEEP_SOAK").is_some() { long } else { short }
}

fn counter() -> ContextFileKey {
    let (tenant, agent, name) = (TENANT.into(), "all".into(), "COUNTER.md".into());
    ContextFileKey { tenant, agent, user: None, name }
}

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_writes_until_it_is_killed() {
    let Ok(url) = std::env::var(CHILD) else { return };
    // Each event is looked for at the end, and there may be more than are kept otherwise.
    let retention = json!({ "events_keep": null });
    let config = json!({ "store": url, "record": { "mode": "durable" }, "retention": retention });
    let rt = loop {
        let config = Config::from_value(config.clone()).unwrap();
        match Runtime::builder().config(config).tool(echo()).build().await {
            Ok(rt) => break rt,
            // The server may be away just now.
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    let store = loop {
        match store::open(&url, OpenOptions::default()).await {
            Ok(store) => break store,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    };
    let cx = CallContext::new().tenant(TENANT);
    loop {
        let done = [
            put_agent(&*store).await,
            count(&*store).await,
            append(&*store).await,
            call(&rt, &cx).await,
        ];
        if done.contains(&false) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
}

fn acknowledged(what: &str, which: &str) -> bool {
    println!("\nacknowledged {what} {which} .");
    true
}

async fn put_agent(store: &dyn Store) -> bool {
    let id = new_id();
    let put = PutAgent { if_version: Some(0), ..PutAgent::new(TENANT, &id) };
    store.put_agent(put, 1).await.is_ok() && acknowledged("agent", &id)
}

/// Adds one to a number that all processes add to, by compare-and-set.
async fn count(store: &dyn Store) -> bool {
    let Ok(found) = store.get_context_file(&counter()).await else { return false };
    let version = found.map_or(0, |file| file.info.version);
    let body = (version + 1).to_string().into_bytes();
    let put = PutContextFile {
        key: counter(),
        body,
        if_version: Some(version),
        if_body: None,
        fence: None,
    };
    match store.put_context_file(put, 1).await {
        Ok(info) => acknowledged("count", &info.version.to_string()),
        Err(error) => error.kind() == Kind::Conflict,
    }
}

async fn append(store: &dyn Store) -> bool {
    let id = new_id();
    let event = |n: usize| NewEvent {
        tenant: TENANT.into(),
        at_ms: 1,
        kind: "load.batch",
        subject: id.clone(),
        data: json!({ "n": n }),
    };
    store.append_events((0..TOGETHER).map(event).collect()).await.is_ok()
        && acknowledged("batch", &id)
}

async fn call(rt: &Runtime, cx: &CallContext) -> bool {
    match rt.call(cx, "echo", json!({ "text": "x" })).await {
        Ok(result) => acknowledged("call", &result.call_id),
        Err(_) => false,
    }
}

/// What the children said was acknowledged: sort and name.
type Acknowledged = Arc<Mutex<BTreeSet<(String, String)>>>;

struct Worker {
    child: Child,
    reader: std::thread::JoinHandle<()>,
}

impl Worker {
    fn start(url: &str, acknowledged: &Acknowledged) -> Worker {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "load::child_writes_until_it_is_killed", "--nocapture"])
            .env(CHILD, url)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let acknowledged = acknowledged.clone();
        let reader = std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                // A line that the kill cut does not end in a dot.
                if let ["acknowledged", what, which, "."] =
                    line.split(' ').collect::<Vec<_>>().as_slice()
                {
                    acknowledged.lock().unwrap().insert(((*what).into(), (*which).into()));
                }
            }
        });
        Worker { child, reader }
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
        self.reader.join().unwrap();
    }
}

/// Some milliseconds, different each time.
fn moment(least: u64, most: u64) -> Duration {
    let random = u64::from_str_radix(&new_id()[20..], 16).unwrap();
    Duration::from_millis(least + random % (most - least))
}

/// Loads the store, disturbs it `rounds` times, and gives what was acknowledged.
fn load(url: &str, rounds: usize, mut disturb: impl FnMut(&mut Vec<Worker>)) -> Acknowledged {
    let acknowledged = Acknowledged::default();
    let mut workers: Vec<_> = (0..WORKERS).map(|_| Worker::start(url, &acknowledged)).collect();
    let deadline = Instant::now() + Duration::from_secs(60);
    while acknowledged.lock().unwrap().is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
    for _ in 0..rounds {
        disturb(&mut workers);
        while workers.len() < WORKERS {
            workers.push(Worker::start(url, &acknowledged));
        }
    }
    workers.into_iter().for_each(Worker::kill);
    acknowledged
}

fn kill_one(workers: &mut Vec<Worker>) {
    std::thread::sleep(moment(20, 250));
    let victim = moment(0, WORKERS as u64).as_millis() as usize;
    workers.swap_remove(victim).kill();
}

/// Follows the events from the beginning, as another process would, until it is told the last one.
async fn follow(url: String, mut last: tokio::sync::watch::Receiver<Option<i64>>) -> Vec<i64> {
    let rt = Runtime::builder().store_url(url).build().await.unwrap();
    let follow = Follow { tenant: TENANT.into(), ..Follow::default() };
    let mut stream = rt.follow(follow).unwrap();
    let mut seen = Vec::new();
    while last.borrow_and_update().is_none_or(|last| stream.cursor() < last) {
        tokio::select! {
            _ = last.changed() => {}
            event = stream.next() => match event.unwrap() {
                Ok(event) => seen.push(event.seq),
                // The server may be away just now.
                Err(error) => {
                    let away = [Code::StoreUnavailable, Code::StoreTimeout];
                    assert!(away.contains(&error.code()), "{error}");
                }
            },
        }
    }
    assert_eq!(stream.dropped(), 0);
    drop(stream);
    rt.close().await.unwrap();
    seen
}

async fn disturbed(
    url: String,
    rounds: usize,
    disturb: impl FnMut(&mut Vec<Worker>) + Send + 'static,
) {
    // Makes the tables, so that all of it begins with what a running service has.
    store::open(&url, OpenOptions::default()).await.unwrap().close().await.unwrap();
    let (report_last, last) = tokio::sync::watch::channel(None);
    let follower = tokio::spawn(follow(url.clone(), last));
    let loaded = url.clone();
    let acknowledged =
        tokio::task::spawn_blocking(move || load(&loaded, rounds, disturb)).await.unwrap();
    let acknowledged = std::mem::take(&mut *acknowledged.lock().unwrap());
    let store = store::open(&url, OpenOptions::default()).await.unwrap();
    let newest = store.last_event_seq(TENANT).await.unwrap();
    report_last.send(Some(newest)).unwrap();
    let seen = tokio::time::timeout(Duration::from_secs(60), follower).await.unwrap().unwrap();
    assert!(seen.into_iter().eq(1..=newest), "events were missed or out of order");
    nothing_is_lost(&*store, &acknowledged).await;
    store.close().await.unwrap();
    the_ledger_is_whole(&url, &acknowledged).await;
    println!("{} writes acknowledged in {rounds} rounds, {newest} events", acknowledged.len());
}

fn all<'a>(
    acknowledged: &'a BTreeSet<(String, String)>,
    what: &'a str,
) -> impl Iterator<Item = &'a String> + 'a {
    acknowledged.iter().filter(move |(sort, _)| sort == what).map(|(_, which)| which)
}

async fn nothing_is_lost(store: &dyn Store, acknowledged: &BTreeSet<(String, String)>) {
    let mut reported: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut after = 0;
    loop {
        let events = store.read_events(TENANT, after, 1_000).await.unwrap();
        let Some(last) = events.last() else { break };
        after = last.seq;
        for event in events {
            *reported.entry((event.kind, event.subject)).or_default() += 1;
        }
    }
    let mut agents = BTreeSet::new();
    let mut last: Option<String> = None;
    loop {
        let page = store.list_agents(TENANT, last.as_deref(), 1_000).await.unwrap();
        let Some(end) = page.last() else { break };
        last = Some(end.id.clone());
        agents.extend(page.into_iter().map(|agent| agent.id));
    }
    for id in all(acknowledged, "agent") {
        assert!(agents.contains(id), "agent {id} is lost");
    }
    // An agent and its event are one transaction.
    for id in &agents {
        assert_eq!(reported.get(&("agent.changed".into(), id.clone())), Some(&1), "agent {id}");
    }
    let reported_agents = reported.keys().filter(|(kind, _)| kind == "agent.changed").count();
    assert_eq!(reported_agents, agents.len());
    for ((kind, id), count) in &reported {
        assert!(kind != "load.batch" || *count == TOGETHER, "batch {id} has {count} events");
    }
    for id in all(acknowledged, "batch") {
        assert!(reported.contains_key(&("load.batch".into(), id.clone())), "batch {id} is lost");
    }
    let file = store.get_context_file(&counter()).await.unwrap().unwrap();
    assert_eq!(file.body, file.info.version.to_string().into_bytes());
    let counts = all(acknowledged, "count").map(|n| n.parse::<i64>().unwrap());
    assert!(counts.max().unwrap() <= file.info.version);
    // Each number was given to one process only, and each change was told once.
    let changes = reported.get(&("context_file.changed".into(), "all".into()));
    assert_eq!(changes.copied(), Some(file.info.version as usize));
}

async fn the_ledger_is_whole(url: &str, acknowledged: &BTreeSet<(String, String)>) {
    let rt = Runtime::builder().store_url(url).build().await.unwrap();
    let mut kept = BTreeSet::new();
    let mut after = Value::Null;
    loop {
        let args = json!({ "tenant": TENANT, "after": after, "limit": 1_000 });
        let rows = rt.invoke("audit.query", args).await.unwrap();
        let rows = rows.as_array().unwrap();
        let Some(last) = rows.last() else { break };
        after = last["id"].clone();
        let completed = rows.iter().filter(|row| row["phase"] == "completed");
        kept.extend(completed.map(|row| row["id"].as_str().unwrap().to_owned()));
    }
    for id in all(acknowledged, "call") {
        assert!(kept.contains(id), "call {id} is lost");
    }
    let report = rt.invoke("audit.verify", json!({ "tenant": TENANT })).await.unwrap();
    assert_eq!(report["problems"], json!([]), "{report}");
    assert!(report["rows"].as_u64().unwrap() as usize >= kept.len(), "{report}");
    rt.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_lose_nothing_in_a_sqlite_file() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}", folder.path().join("load.db").display());
    disturbed(url, rounds(6, 300), kill_one).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_processes_lose_nothing_in_postgres() {
    let url = toolkeep_test_postgres::Server::shared().new_database();
    disturbed(url, rounds(6, 300), kill_one).await;
}

#[cfg(feature = "postgres")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_killed_postgres_server_loses_nothing() {
    let server = Arc::new(Mutex::new(toolkeep_test_postgres::Server::start(&[])));
    let url = server.lock().unwrap().new_database();
    let killed = server.clone();
    let disturb = move |_: &mut Vec<Worker>| {
        std::thread::sleep(moment(300, 1_200));
        let mut server = killed.lock().unwrap();
        server.kill();
        server.restart(&[]);
        // Those who write notice, and go on.
        std::thread::sleep(moment(200, 600));
    };
    disturbed(url, rounds(2, 20), disturb).await;
}
