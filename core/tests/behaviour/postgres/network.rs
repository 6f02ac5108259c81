//! A network that swallows every packet.
//!
//! The client is this test program, started again in a network namespace that is joined to ours by
//! a pair of virtual interfaces. On a cue, our side drops whatever goes to the client.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use toolkeep::store::{Kind, PutAgent};
use toolkeep_test_postgres::Server;

use super::open;

const CHILD: &str = "TOOLKEEP_NETWORK_STORE";
const TIMEOUT_MS: u64 = 500;

/// The child's part: does nothing unless the parent set its variable.
#[tokio::test]
async fn child_uses_a_store_that_is_cut_off() {
    let Ok(url) = std::env::var(CHILD) else { return };
    let store = open(&url, TIMEOUT_MS).await.unwrap();
    store.put_agent(PutAgent::new("t", "a"), 1).await.unwrap();
    cue("connected");
    for _ in 0..4 {
        let began = Instant::now();
        let error = store.put_agent(PutAgent::new("t", "a"), 2).await.unwrap_err();
        let took = began.elapsed();
        assert!(matches!(error.kind(), Kind::Timeout | Kind::Unavailable), "{error}");
        assert!(took < Duration::from_millis(TIMEOUT_MS + 700), "it took {took:?}");
    }
    cue("cut off");
    let deadline = Instant::now() + Duration::from_secs(20);
    while let Err(error) = store.put_agent(PutAgent::new("t", "a"), 3).await {
        assert!(Instant::now() < deadline, "{error}");
    }
    cue("connected again");
}

/// Says where the child is and waits for the parent's answer.
fn cue(word: &str) {
    println!("at: {word}");
    std::io::stdout().flush().unwrap();
    std::io::stdin().read_line(&mut String::new()).unwrap();
}

/// The namespace and the interfaces, removed when dropped.
struct Namespace(String);

impl Namespace {
    fn new() -> Namespace {
        let namespace = Namespace(format!("tk{}", std::process::id()));
        let Namespace(name) = &namespace;
        for step in [
            format!("netns add {name}"),
            format!("link add {name}a type veth peer name {name}b netns {name}"),
            format!("addr add {}/30 dev {name}a", namespace.address(1)),
            format!("link set {name}a up"),
            format!("-n {name} addr add {}/30 dev {name}b", namespace.address(2)),
            format!("-n {name} link set {name}b up"),
        ] {
            ip(&step);
        }
        namespace
    }

    fn address(&self, end: u8) -> String {
        let id = std::process::id();
        format!("10.213.{}.{}", id / 63 % 250, id % 63 * 4 + u32::from(end))
    }

    fn cut(&self) {
        ip(&format!("route add blackhole {}/32", self.address(2)));
    }

    fn mend(&self) {
        ip(&format!("route del blackhole {}/32", self.address(2)));
    }
}

impl Drop for Namespace {
    fn drop(&mut self) {
        let Namespace(name) = self;
        for step in [vec!["link", "del", &format!("{name}a")], vec!["netns", "del", name]] {
            let _ = Command::new("ip").args(step).stderr(Stdio::null()).status();
        }
    }
}

fn ip(step: &str) {
    let output = Command::new("ip").args(step.split(' ')).output();
    let output = output.unwrap_or_else(|e| panic!("`ip` (Debian: iproute2) is missing: {e}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    let needs =
        "this test needs root with CAP_NET_ADMIN and CAP_SYS_ADMIN, for a network namespace";
    assert!(output.status.success(), "`ip {step}`: {errors}; {needs}");
}

#[test]
fn dropped_packets_fail_calls_in_time_and_the_store_comes_back() {
    let namespace = Namespace::new();
    let server = Server::start(&[("fsync", "off"), ("listen_addresses", "*")]);
    let url = server.url("postgres").replace("127.0.0.1", &namespace.address(1));
    let mut child = Command::new("ip")
        .args(["netns", "exec", &namespace.0])
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "postgres::network::child_uses_a_store_that_is_cut_off", "--nocapture"])
        .env(CHILD, &url)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut answers = child.stdin.take().unwrap();
    let mut cues = Vec::new();
    for line in BufReader::new(child.stdout.take().unwrap()).lines() {
        let line = line.unwrap();
        let Some((_, cue)) = line.split_once("at: ") else { continue };
        match cue {
            "connected" => namespace.cut(),
            "cut off" => namespace.mend(),
            _ => {}
        }
        cues.push(cue.to_owned());
        writeln!(answers).unwrap();
    }
    assert!(child.wait().unwrap().success());
    assert_eq!(cues, ["connected", "cut off", "connected again"]);
}
