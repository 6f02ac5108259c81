//! A server process that ends with whoever started it.

use std::fs::File;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

/// A shell between us and the server. Told to, it stops the server by its id. When its input ends
/// because this process is gone, even by `kill -9`, it removes the server's folder too.
#[derive(Debug)]
pub(crate) struct Keeper {
    shell: Child,
    server: u32,
    _output: BufReader<ChildStdout>,
}

const SCRIPT: &str = r#"folder=$1; shift
"$@" </dev/null & pid=$!
echo "$pid"
exec >/dev/null
if read -r _; then
  kill -INT "$pid"; wait "$pid"
else
  kill -CONT "$pid"; kill -QUIT "$pid"; wait "$pid"; rm -rf "$folder"
fi"#;

impl Keeper {
    pub(crate) fn start(server: &Command, folder: &Path) -> Keeper {
        let log = folder.join("log");
        let log = File::create(&log).unwrap_or_else(|error| panic!("{}: {error}", log.display()));
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "keeper"])
            .arg(folder)
            .arg(server.get_program())
            .args(server.get_args())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap_or_else(|error| panic!("sh: {error}"));
        let mut output = BufReader::new(shell.stdout.take().unwrap_or_else(|| panic!("no output")));
        let mut pid = String::new();
        let read = output.read_line(&mut pid);
        let server = read.ok().and_then(|_| pid.trim().parse().ok());
        let server = server.unwrap_or_else(|| panic!("the shell named no process: `{pid}`"));
        Keeper { shell, server, _output: output }
    }

    pub(crate) fn is_alive(&self) -> bool {
        is_alive(self.server)
    }

    /// Sends a signal to the server and to the processes that it started.
    pub(crate) fn signal_all(&self, signal: &str) {
        let children = self.children();
        // The server first: it must not start others meanwhile.
        send(signal, self.server);
        for child in children {
            send(signal, child);
        }
    }

    /// Kills the server and the processes that it started, and waits until they are gone.
    pub(crate) fn kill_all(&self) {
        let mut all = self.children();
        all.push(self.server);
        self.signal_all("-KILL");
        while all.iter().any(|pid| is_alive(*pid)) {
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn children(&self) -> Vec<u32> {
        let ps =
            Command::new("ps").args(["-o", "pid=", "--ppid", &self.server.to_string()]).output();
        let text = ps.map(|out| String::from_utf8_lossy(&out.stdout).into_owned());
        text.unwrap_or_default().split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        if let Some(mut input) = self.shell.stdin.take() {
            let _ = input.write_all(b"stop\n");
            let _ = self.shell.wait();
        }
    }
}

fn send(signal: &str, pid: u32) {
    let _ = Command::new("kill").args([signal, &pid.to_string()]).stderr(Stdio::null()).status();
}

/// A zombie waits for its parent only and holds nothing any more.
fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}
