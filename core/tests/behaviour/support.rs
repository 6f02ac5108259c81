//! A runtime on a temporary workspace, and tools that misbehave.

use std::fs::{self, File};
use std::os::unix::fs::chown;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use toolkeep::tool::Assessment;
use toolkeep::{CallContext, Config, Runtime, Tool, ToolError, ToolResult, ToolSpec, tool_fn};

/// A token of the shape that GitHub gives; put together so that no scanner takes it for a leak.
pub const TOKEN: &str = concat!("ghp_", "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5");

/// Gives back its text.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Echo {
    /// The text.
    pub text: String,
}

pub struct House {
    pub rt: Runtime,
    pub folder: TempDir,
    /// Nobody else tells how much room there is, meanwhile.
    #[expect(dead_code, reason = "it is held as long as the house stands")]
    pub alone: Option<File>,
}

impl House {
    pub async fn new(config: Value) -> House {
        House::in_folder(tempfile::tempdir().unwrap(), None, config).await
    }

    /// One on the disk in memory, of which commands may use no more than so many MiB.
    pub async fn with_room(room_mb: u64, mut config: Value) -> House {
        let alone = File::open("/proc/self/exe").unwrap();
        alone.lock().unwrap();
        let folder = tempfile::tempdir_in("/dev/shm").unwrap();
        let disk = rustix::fs::statvfs(folder.path()).unwrap();
        let free_mb = disk.f_bavail * disk.f_frsize / 1024 / 1024;
        config["exec"]["limits"]["disk_left_mb"] = json!(free_mb.checked_sub(room_mb).unwrap());
        House::in_folder(folder, Some(alone), config).await
    }

    /// One in a folder that is there already.
    pub async fn on(folder: TempDir, config: Value) -> House {
        House::in_folder(folder, None, config).await
    }

    async fn in_folder(folder: TempDir, alone: Option<File>, mut config: Value) -> House {
        config["workspace"] = json!(folder.path().to_str().unwrap());
        let config = Config::from_value(config).unwrap();
        let rt = Runtime::builder().config(config).tool(echo()).tool(Panics).build().await.unwrap();
        House { rt, folder, alone }
    }

    pub async fn call(&self, name: &str, args: Value) -> ToolResult {
        self.rt.call(&CallContext::new().session("s"), name, args).await.unwrap()
    }
}

/// A process that ends with the test.
pub struct Ended(pub Child);

impl Drop for Ended {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// This program again, with a test that is the other half of one.
pub fn half(test: &str) -> Command {
    // Not its path: that may lead through folders which another user may not enter.
    let mut command = Command::new("/proc/self/exe");
    command.args(["--exact", test, "--nocapture"]);
    command
}

/// This program again, with a test that is the other half of one, which finds a small disk in memory at a
/// folder, in mounts of its own.
pub fn half_on_disk(test: &str, at: &Path, options: &str) -> Command {
    let mounts = "mount -t tmpfs -o \"$1\" tmpfs \"$2\" || exit 99; shift 2; exec \"$@\"";
    let mut command = Command::new("unshare");
    if !rustix::process::geteuid().is_root() {
        command.arg("--map-root-user");
    }
    command.args(["--mount", "sh", "-c", mounts, "sh", options]).arg(at);
    command.arg(std::env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
    command
}

/// Runs a half to its end, which must be a good one.
pub fn passes(mut half: Command) {
    let output = half.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}{errors}");
}

/// Has a half run as a user who is nobody, and owns these folders. One who is not root is nobody already.
pub fn as_nobody(half: &mut Command, folders: &[&Path]) {
    const NOBODY: u32 = 65_534;
    if rustix::process::geteuid().is_root() {
        half.uid(NOBODY).gid(NOBODY);
        for folder in folders {
            chown(folder, Some(NOBODY), Some(NOBODY)).unwrap();
        }
    }
}

/// Denies new namespaces to this thread, and to what it starts from now on.
pub fn deny_namespaces() {
    let denied = [(libc::SYS_unshare, Vec::new())].into_iter().collect();
    let filter = seccompiler::SeccompFilter::new(
        denied,
        seccompiler::SeccompAction::Allow,
        seccompiler::SeccompAction::Errno(libc::EPERM.cast_unsigned()),
        std::env::consts::ARCH.try_into().unwrap(),
    );
    let program: seccompiler::BpfProgram = filter.unwrap().try_into().unwrap();
    seccompiler::apply_filter(&program).unwrap();
}

/// Puts a script into the workspace that the judge does not look into, and gives the command that runs it.
pub fn script(house: &House, text: &str) -> &'static str {
    fs::write(house.folder.path().join("attack.sh"), text).unwrap();
    "bash ./attack.sh"
}

pub fn echo() -> impl Tool {
    tool_fn("echo", |args: Echo, _| async move { Ok(ToolResult::for_user(args.text)) })
}

/// A tool that panics, before or in its future, as its arguments say.
pub struct Panics;

impl Tool for Panics {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("panics", "Panics.")
    }

    fn assess(&self, args: &Value, _: &CallContext) -> Assessment {
        assert!(args.get("assess").is_none(), "assess went wrong");
        Assessment::default()
    }

    fn call(&self, args: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        assert!(args.get("early").is_none(), "early trouble");
        async { panic!("late trouble with {TOKEN}") }.boxed()
    }
}

/// A tool that never ends, and counts how often it was dropped and how often it saw its token fire.
#[derive(Clone, Default)]
pub struct Hangs {
    pub dropped: Arc<AtomicUsize>,
    pub cancelled: Arc<AtomicUsize>,
}

impl Tool for Hangs {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("hangs", "Never ends.").timeout(Duration::from_millis(80))
    }

    fn call(&self, _: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        struct OnDrop(Arc<AtomicUsize>);
        impl Drop for OnDrop {
            fn drop(&mut self) {
                self.0.fetch_add(1, Ordering::SeqCst);
            }
        }
        let on_drop = OnDrop(self.dropped.clone());
        let cancelled = self.cancelled.clone();
        tokio::spawn(async move {
            cx.cancellation().cancelled().await;
            cancelled.fetch_add(1, Ordering::SeqCst);
        });
        async move {
            let _on_drop = on_drop;
            std::future::pending().await
        }
        .boxed()
    }
}

/// Waits until something holds, for as long as a busy machine may need.
pub async fn eventually(holds: impl AsyncFn() -> bool) {
    for _ in 0..1_000 {
        if holds().await {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("it did not come to hold within ten seconds");
}

/// A tool that gives what it was told to.
pub struct Gives(pub ToolResult);
impl Tool for Gives {
    fn spec(&self) -> ToolSpec {
        ToolSpec::new("gives", "Gives.")
    }
    fn call(&self, _: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        let r = self.0.clone();
        async move { Ok(r) }.boxed()
    }
}
