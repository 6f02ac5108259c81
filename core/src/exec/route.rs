//! Where a command runs: on the host, or in a sandbox. Whoever has a command run needs to know nothing
//! of it.

use std::time::Duration;

use super::capabilities::{Capabilities, SandboxCapabilities};
use super::confine::kernel::Namespaces;
use super::confined::Confined;
use super::control::Control;
use super::host::Host;
use super::not_run::NotRun;
use super::profile::Profile;
use super::protected_paths::Absent;
use super::request::ExecRequest;
use super::running::{Ended, Stream, Written};
use super::sandbox::SandboxMode;

impl Host {
    /// True if commands are held to what was decided of them, wherever they run. It may take some
    /// milliseconds the first time.
    pub(crate) fn confines(&self) -> bool {
        let sandbox = &self.config().sandbox;
        match sandbox.mode {
            SandboxMode::Disabled => self.host_confines(),
            SandboxMode::NonMain => sandbox.has_no_network() && self.host_confines(),
            SandboxMode::All | SandboxMode::Unsaid => sandbox.has_no_network(),
        }
    }

    /// True if mounts cover what is closed to a command of this agent. It may take some milliseconds the
    /// first time.
    pub(crate) fn covers(&self, agent: Option<&str>) -> bool {
        self.config().sandbox.is_for(agent)
            || self.config().confinement != Profile::Off && self.namespaces() != Namespaces::None
    }

    /// How long a command of this agent may take that does not say so itself.
    pub(crate) fn usual_timeout(&self, agent: Option<&str>) -> Duration {
        let config = self.config();
        Duration::from_secs(match config.sandbox.is_for(agent) {
            true => config.sandbox.timeout_seconds,
            false => config.timeout_seconds,
        })
    }

    /// What commands can be held to; blocking.
    pub(crate) fn capabilities(&self) -> Capabilities {
        Capabilities { sandbox: self.sandbox_capabilities(), ..self.host_capabilities() }
    }

    pub(super) fn is_sandboxed(&self, request: &ExecRequest) -> bool {
        self.config().sandbox.is_for(request.owner.agent.as_deref())
    }

    #[cfg(feature = "docker")]
    fn sandbox_capabilities(&self) -> SandboxCapabilities {
        self.docker.capabilities()
    }

    #[cfg(not(feature = "docker"))]
    #[expect(clippy::unused_self, reason = "another build asks an engine")]
    fn sandbox_capabilities(&self) -> SandboxCapabilities {
        SandboxCapabilities { missing: vec![NO_DOCKER.into()], ..SandboxCapabilities::default() }
    }

    /// Has a command run in a container. Where there is none it does not run.
    #[cfg(feature = "docker")]
    pub(super) fn in_sandbox(
        &self,
        request: &ExecRequest,
        control: &Control,
        absent: &mut Absent,
        started: impl FnOnce(Confined),
        sink: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        self.docker.run(request, control, absent, started, sink)
    }

    #[cfg(not(feature = "docker"))]
    #[expect(clippy::unused_self, reason = "another build asks an engine")]
    pub(super) fn in_sandbox(
        &self,
        _: &ExecRequest,
        _: &Control,
        _: &mut Absent,
        _: impl FnOnce(Confined),
        _: impl FnMut(Stream, Written<'_>),
    ) -> Result<Ended, NotRun> {
        Err(NotRun::Sandbox(NO_DOCKER.into()))
    }
}

#[cfg(not(feature = "docker"))]
const NO_DOCKER: &str = "this build has no Docker: it is without the feature `docker`";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::config::ExecConfig;
    use crate::scrub::{Profile, Scrubber, TagKey};

    fn timeouts(config: ExecConfig) -> [u64; 3] {
        let host = Host::new(config, Scrubber::new(Profile::Precise, TagKey::new([7; 32])));
        [None, Some("main"), Some("other")].map(|agent| host.usual_timeout(agent).as_secs())
    }

    #[test]
    fn a_command_has_a_minute_on_the_host_and_five_in_a_sandbox() {
        let mut config = ExecConfig::default();
        assert_eq!(timeouts(config.clone()), [60, 60, 60]);
        config.sandbox.mode = SandboxMode::NonMain;
        assert_eq!(timeouts(config.clone()), [300, 60, 300]);
        config.sandbox.mode = SandboxMode::All;
        assert_eq!(timeouts(config), [300, 300, 300]);
    }

    #[test]
    fn a_command_has_as_long_as_the_owner_says() {
        let mut config = ExecConfig { timeout_seconds: 7, ..ExecConfig::default() };
        config.sandbox.timeout_seconds = 8;
        config.sandbox.mode = SandboxMode::NonMain;
        assert_eq!(timeouts(config), [8, 7, 8]);
    }
}
