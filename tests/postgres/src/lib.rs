//! A real PostgreSQL server for tests, in a temporary folder, gone with the process that started
//! it.
//!
//! [`Server::shared`] is one server for all tests of a process; [`Server::start`] is one of a
//! test's own, to be paused, killed and started again. Both let the user [`USER`] in with
//! [`PASSWORD`] over TCP, on a port of the loopback address.

#![expect(clippy::panic, reason = "a test without its server must fail, and say why")]

mod keeper;
mod programs;

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use tempfile::TempDir;

use keeper::Keeper;
use programs::{finished, program, unprivileged};

/// The owner of every test server.
pub const USER: &str = "toolkeep";

/// The password of [`USER`].
pub const PASSWORD: &str = "open-sesame-42";

/// A running server. Dropping it stops it and removes its folder.
#[derive(Debug)]
pub struct Server {
    settings: Vec<(String, String)>,
    port: u16,
    keeper: Option<Keeper>,
    // Last, so that it goes after the server has.
    folder: TempDir,
}

impl Server {
    /// The server that the tests of this process share. It keeps PostgreSQL's own settings
    /// (`fsync` is on) with up to 200 connections.
    pub fn shared() -> &'static Server {
        static SHARED: OnceLock<Server> = OnceLock::new();
        SHARED.get_or_init(|| Server::start(&[]))
    }

    /// A server of the test's own, with these settings (`("fsync", "off")`).
    pub fn start(settings: &[(&str, &str)]) -> Server {
        let folder = tempfile::Builder::new().prefix("toolkeep-pg-").tempdir();
        let folder = folder.unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        programs::give(folder.path());
        new_cluster(folder.path());
        let settings =
            settings.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
        let mut server = Server { settings, port: free_port(), keeper: None, folder };
        server.run();
        server
    }

    /// The URL of a database of this server, with user and password.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://{USER}:{PASSWORD}@127.0.0.1:{}/{database}", self.port)
    }

    /// Makes an empty database and gives its URL.
    pub fn new_database(&self) -> String {
        self.url(&self.new_database_name())
    }

    /// Makes an empty database and gives its name.
    pub fn new_database_name(&self) -> String {
        static NEXT: AtomicU32 = AtomicU32::new(1);
        let name = format!("test_{}", NEXT.fetch_add(1, Ordering::Relaxed));
        self.sql("postgres", &format!("CREATE DATABASE {name}"));
        name
    }

    /// Runs SQL as the owner and gives its rows as text, columns joined by `|`.
    pub fn sql(&self, database: &str, sql: &str) -> String {
        let mut psql = Command::new(program("psql"));
        psql.args(["-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", "-U", USER, "-d", database])
            .args(["-h", self.folder_text(), "-p", &self.port.to_string(), "-c", sql]);
        finished(psql).trim_end().to_owned()
    }

    /// The port on 127.0.0.1.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The folder of the server's socket.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The folder of the server's data; certificates can be put there.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Puts a file into the server's data, readable by the server only.
    pub fn put_file(&self, name: &str, content: &[u8]) {
        let path = self.data().join(name);
        std::fs::write(&path, content).unwrap_or_else(|error| panic!("{name}: {error}"));
        programs::give(&path);
    }

    /// Kills the server with all its processes, as a power cut of the program would.
    pub fn kill(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.kill_all();
        }
    }

    /// Stops the server cleanly, ending all connections.
    pub fn stop(&mut self) {
        self.keeper = None;
    }

    /// Starts the server again on the same port and data, with further settings.
    pub fn restart(&mut self, settings: &[(&str, &str)]) {
        self.keeper = None;
        self.settings
            .extend(settings.iter().map(|(name, value)| ((*name).into(), (*value).into())));
        self.run();
    }

    /// Freezes every process of the server, until [`resume`](Server::resume).
    pub fn pause(&self) {
        self.signal_all("-STOP");
    }

    /// Lets a frozen server go on.
    pub fn resume(&self) {
        self.signal_all("-CONT");
    }

    fn folder_text(&self) -> &str {
        self.folder.path().to_str().unwrap_or_else(|| panic!("the folder's name is not UTF-8"))
    }

    fn run(&mut self) {
        let mut postgres = unprivileged("postgres");
        postgres.args(["-D", self.data().to_str().unwrap_or_default()]);
        let own = [
            ("listen_addresses", "127.0.0.1"),
            ("port", &self.port.to_string()),
            ("unix_socket_directories", self.folder_text()),
            ("max_connections", "200"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
        for (name, value) in own.iter().chain(&self.settings) {
            postgres.args(["-c", &format!("{name}={value}")]);
        }
        let keeper = Keeper::start(&postgres, self.folder.path());
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.is_ready() {
            if Instant::now() > deadline || !keeper.is_alive() {
                let log = std::fs::read_to_string(self.folder.path().join("log"));
                let log = log.unwrap_or_default();
                panic!("the PostgreSQL server did not start:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        self.keeper = Some(keeper);
    }

    fn is_ready(&self) -> bool {
        let mut ready = Command::new(program("pg_isready"));
        ready.args(["-q", "-h", self.folder_text(), "-p", &self.port.to_string()]);
        ready.status().is_ok_and(|status| status.success())
    }

    fn signal_all(&self, signal: &str) {
        let Some(keeper) = &self.keeper else { return };
        keeper.signal_all(signal);
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // A frozen server would not hear that it is to stop.
        self.resume();
    }
}

/// Two processes may be given the same port, but not within the moment that it takes to start.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .and_then(|listener| listener.local_addr())
        .map(|address| address.port())
        .unwrap_or_else(|error| panic!("no free port: {error}"))
}

fn new_cluster(folder: &Path) {
    let password = folder.join("password");
    std::fs::write(&password, PASSWORD).unwrap_or_else(|error| panic!("{error}"));
    programs::give(&password);
    let mut initdb = unprivileged("initdb");
    initdb.args(["--no-sync", "--encoding=UTF8", "--locale=C.UTF-8", "--username", USER]);
    initdb.args(["--auth-local=trust", "--auth-host=scram-sha-256", "--pwfile"]);
    initdb.arg(&password).arg("-D").arg(folder.join("data"));
    finished(initdb);
    let access = folder.join("data/pg_hba.conf");
    let rules = std::fs::read_to_string(&access).unwrap_or_else(|error| panic!("{error}"));
    std::fs::write(&access, format!("{rules}\nhost all all all scram-sha-256\n"))
        .unwrap_or_else(|error| panic!("{error}"));
}
