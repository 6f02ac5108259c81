//! PostgreSQL's programs, and the user they run as.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

/// A program of PostgreSQL's: from the path, or from where Debian puts the newest version.
pub(crate) fn program(name: &str) -> PathBuf {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let debian = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<PathBuf> = debian.map(|entry| entry.path().join("bin")).collect();
    versions.sort_by_key(|bin| version(bin));
    versions.reverse();
    versions
        .into_iter()
        .chain(std::env::split_paths(&path))
        .map(|folder| folder.join(name))
        .find(|program| program.is_file())
        .unwrap_or_else(|| {
            panic!("PostgreSQL's `{name}` is missing; run `make deps` or install PostgreSQL")
        })
}

fn version(bin: &Path) -> u32 {
    let name = bin.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    name.and_then(|name| name.parse().ok()).unwrap_or(0)
}

/// A program that refuses to run as root, run as another user if we are root.
pub(crate) fn unprivileged(name: &str) -> Command {
    match other_user() {
        None => Command::new(program(name)),
        Some(user) => {
            let mut command = Command::new("setpriv");
            command.args(["--reuid", user, "--regid", user_group(user), "--clear-groups"]);
            command.arg(program(name));
            command
        }
    }
}

/// Makes a file or folder the server's own.
pub(crate) fn give(path: &Path) {
    if let Some(user) = other_user() {
        let mut chown = Command::new("chown");
        chown.arg(format!("{user}:{}", user_group(user))).arg(path);
        finished(chown);
    }
    let mut chmod = Command::new("chmod");
    chmod.arg(if path.is_dir() { "0700" } else { "0600" }).arg(path);
    finished(chmod);
}

/// Runs a command to its end and gives its output.
pub(crate) fn finished(mut command: Command) -> String {
    let shown = command.get_program().to_string_lossy().into_owned();
    let output = command.output().unwrap_or_else(|error| panic!("{shown}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{shown} failed: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn user_group(user: &str) -> &'static str {
    if user == "postgres" { "postgres" } else { "nogroup" }
}

fn other_user() -> Option<&'static str> {
    static USER: OnceLock<Option<&'static str>> = OnceLock::new();
    *USER.get_or_init(|| {
        let mut id = Command::new("id");
        id.arg("-u");
        if finished(id).trim() != "0" {
            return None;
        }
        let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
        let known = |user: &str| users.lines().any(|line| line.starts_with(&format!("{user}:")));
        Some(if known("postgres") { "postgres" } else { "nobody" })
    })
}
