//! The connection to a Docker Engine, and the thread that serves it.
//!
//! Shells that wait in containers outlive calls, and with them the host's async runtimes may end. So the
//! room has one of its own, which only waits for sockets and clocks: what commands write is read, masked
//! and kept by the threads that wait for them.

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::Duration;

use bollard::query_parameters::RemoveContainerOptions;
use bollard::{API_DEFAULT_VERSION, Docker};
use tokio::runtime::Handle;
use tokio::sync::oneshot;

use super::trouble;

/// The thread.
pub(super) struct Engine {
    handle: Handle,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// How long an engine may take to answer at all.
const FIRST_ANSWER: Duration = Duration::from_secs(5);

/// How long an engine may take for anything, in seconds. To start a container is the longest.
const ANSWER_SECONDS: u64 = 60;

/// Where an engine is asked for if nothing says where.
const USUAL: &str = "/var/run/docker.sock";

impl Engine {
    /// # Errors
    /// Where the system gives no thread or no descriptors.
    pub(super) fn start() -> std::io::Result<Engine> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let handle = runtime.handle().clone();
        let (stop, stopped) = oneshot::channel::<()>();
        let thread =
            std::thread::Builder::new().name("toolkeep-docker".into()).spawn(move || {
                // An error says that the sender is gone: time to end as well.
                let _ = runtime.block_on(stopped);
            })?;
        Ok(Engine { handle, stop: Some(stop), thread: Some(thread) })
    }

    pub(super) fn handle(&self) -> &Handle {
        &self.handle
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The path of the engine's socket.
///
/// # Errors
/// What of `DOCKER_HOST` cannot be used.
pub(super) fn socket(given: Option<&str>) -> Result<PathBuf, String> {
    if let Some(path) = given {
        return Ok(path.into());
    }
    match std::env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty()) {
        None => Ok(USUAL.into()),
        Some(host) => match host.strip_prefix("unix://") {
            Some(path) => Ok(path.into()),
            None => {
                Err("`DOCKER_HOST` names no `unix://` socket; set `exec.sandbox.socket`".into())
            }
        },
    }
}

/// Speaks to an engine, in the version that both know.
///
/// # Errors
/// Why there is none.
pub(super) async fn connect(given: Option<&str>) -> Result<Docker, String> {
    let path = socket(given)?;
    let shown = path.display();
    let nobody = |why: String| {
        format!(
            "no Docker Engine answers at `{shown}` ({why}); start it, or set `exec.sandbox.socket`"
        )
    };
    let path = path.to_str().ok_or_else(|| nobody("its path is no UTF-8".into()))?;
    let docker = Docker::connect_with_unix(path, ANSWER_SECONDS, API_DEFAULT_VERSION);
    let docker = docker.map_err(|error| nobody(trouble(error)))?;
    match tokio::time::timeout(FIRST_ANSWER, docker.negotiate_version()).await {
        Ok(Ok(docker)) => Ok(docker),
        Ok(Err(error)) => Err(nobody(trouble(error))),
        Err(_) => Err(nobody("it takes too long".into())),
    }
}

/// Ends a container with all that is in it.
pub(super) async fn remove(docker: &Docker, id: &str) {
    let options = RemoveContainerOptions { force: true, v: true, ..Default::default() };
    if let Err(error) = docker.remove_container(id, Some(options)).await {
        // It may be gone already, or about to be.
        tracing::debug!(%error, "a container was not removed");
    }
}
