//! A real Docker Engine for tests: on a socket of its own, with its data in a temporary folder, gone with
//! the process that started it. It needs root. The machine's own engine, if there is one, is never used.

#![expect(clippy::panic, reason = "a test without its engine must fail, and say why")]

use std::fs::{self, File};
use std::io::{BufRead as _, BufReader, Write as _};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The image that every test engine has: a static BusyBox, and nothing else.
pub const IMAGE: &str = "toolkeep-test/busybox";

/// A running engine. Dropping it stops it with all of its containers, and removes its folder.
#[derive(Debug)]
pub struct Engine {
    shell: Child,
    _output: BufReader<ChildStdout>,
    // Last, so that it goes after the engine has.
    folder: TempDir,
}

/// A shell between us and the engine: when its input ends, because this process is gone, even by
/// `kill -9`, it stops the engine, and removes its folder and its control groups. The engine's mounts are
/// in a name space of their own, so they go with it.
const KEEPER: &str = r#"trap '' INT TERM
folder=$1 group=$2; shift 2
unshare --mount --propagation private "$@" </dev/null >"$folder/log" 2>&1 & pid=$!
echo started
exec >/dev/null
read -r _
kill -TERM "$pid"; wait "$pid"
find /sys/fs/cgroup -depth -type d -path "*/$group*" -exec rmdir {} + 2>/dev/null
rm -rf "$folder""#;

impl Engine {
    /// The engine that the tests of this process share.
    pub fn shared() -> &'static Engine {
        static SHARED: OnceLock<Engine> = OnceLock::new();
        SHARED.get_or_init(Engine::start)
    }

    /// An engine of the test's own.
    pub fn start() -> Engine {
        let folder = tempfile::Builder::new().prefix("toolkeep-docker-").tempdir();
        let folder = folder.unwrap_or_else(|error| panic!("no temporary folder: {error}"));
        let name = folder.path().file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let group = name.replace('.', "");
        let at = |part: &str| folder.path().join(part).display().to_string();
        fs::write(at("config"), "{}").unwrap_or_else(|error| panic!("{error}"));
        let mut shell = Command::new("sh")
            .args(["-c", KEEPER, "keeper"])
            .arg(folder.path())
            .arg(&group)
            .arg("dockerd")
            .args(["--host", &format!("unix://{}", at("sock")), "--config-file", &at("config")])
            .args(["--data-root", &at("data"), "--exec-root", &at("exec"), "--pidfile", &at("pid")])
            .args(["--bridge=none", "--iptables=false", "--ip6tables=false", "--ip-forward=false"])
            .args(["--exec-opt", "native.cgroupdriver=cgroupfs"])
            .args(["--cgroup-parent", &format!("/{group}"), "--shutdown-timeout", "1"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("sh: {error}"));
        let output = shell.stdout.take().unwrap_or_else(|| panic!("no output"));
        let mut output = BufReader::new(output);
        let _ = output.read_line(&mut String::new());
        let engine = Engine { shell, _output: output, folder };
        engine.wait();
        engine.make_image();
        engine
    }

    /// The path of its socket.
    pub fn socket(&self) -> PathBuf {
        self.folder.path().join("sock")
    }

    /// Runs the command-line client and gives what it writes.
    pub fn docker(&self, words: &[&str]) -> String {
        let output = self.client(words).output().unwrap_or_else(|error| panic!("docker: {error}"));
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "docker {words:?} failed: {errors}");
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// The command-line client, to be run.
    pub fn client(&self, words: &[&str]) -> Command {
        let mut client = Command::new("docker");
        client.arg("--host").arg(format!("unix://{}", self.socket().display())).args(words);
        client.env_remove("DOCKER_CONTEXT").env("DOCKER_CONFIG", self.folder.path());
        client
    }

    /// The containers, running or not, that have this folder of the machine mounted.
    pub fn containers_with(&self, folder: &Path) -> Vec<String> {
        let wanted = folder.display().to_string();
        let format = "{{.Id}}{{range .Mounts}}\t{{.Source}}{{end}}";
        let has = |id: &&str| {
            // It may be gone by now.
            let output = self.client(&["inspect", "--format", format, id]).output();
            let text = output.map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
            text.is_ok_and(|text| text.trim().split('\t').any(|part| part == wanted))
        };
        let all = self.docker(&["ps", "--all", "--quiet", "--no-trunc"]);
        all.lines().filter(has).map(str::to_owned).collect()
    }

    fn wait(&self) {
        let deadline = Instant::now() + Duration::from_secs(60);
        while !self.client(&["version"]).output().is_ok_and(|output| output.status.success()) {
            if Instant::now() > deadline {
                let log = fs::read_to_string(self.folder.path().join("log")).unwrap_or_default();
                panic!("the Docker Engine did not start (run `make deps`; it needs root):\n{log}");
            }
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn make_image(&self) {
        let root = self.folder.path().join("image");
        let busybox = Path::new("/bin/busybox");
        let failed = |error: std::io::Error| -> ! { panic!("the image: {error}") };
        fs::create_dir_all(root.join("bin")).unwrap_or_else(|error| failed(error));
        fs::copy(busybox, root.join("bin/busybox")).unwrap_or_else(|error| failed(error));
        let list =
            Command::new(busybox).arg("--list").output().unwrap_or_else(|error| failed(error));
        for name in String::from_utf8_lossy(&list.stdout).lines().filter(|name| *name != "busybox")
        {
            symlink("busybox", root.join("bin").join(name)).unwrap_or_else(|error| failed(error));
        }
        let archive = self.folder.path().join("image.tar");
        let mut tar = Command::new("tar");
        tar.arg("-cf").arg(&archive).arg("-C").arg(&root).arg(".");
        assert!(tar.status().is_ok_and(|status| status.success()), "tar failed");
        let file = File::open(&archive).unwrap_or_else(|error| failed(error));
        let import = self.client(&["import", "-", IMAGE]).stdin(file).output();
        assert!(import.is_ok_and(|output| output.status.success()), "the image was not imported");
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if let Some(mut input) = self.shell.stdin.take() {
            let _ = input.write_all(b"stop\n");
            drop(input);
            let _ = self.shell.wait();
        }
    }
}
