//! Commands of an owner's own. The owner has approved them by writing them, and they run confined to what
//! the owner permits. What no approval can allow is refused for them as well.

use std::collections::BTreeSet;

use super::git_settings;
use super::links::Links;
use super::{Commands, JudgedCommand, Wanted, analysed, settings_of, strictest};
use crate::error::Code;
use crate::exec::permitted;
use crate::exec::sandbox::Mounted;
use crate::policy::Permit;
use crate::shell::{Confinement, Env, Nested, check_hard_deny, place};
use crate::tool::{CallContext, ToolError};

impl Commands {
    /// Judges a command of an owner's own for a caller, and holds it to what he permits.
    ///
    /// # Errors
    /// Where the folders of the caller, or those of the permit, cannot be used.
    pub(crate) fn judge_permitted(
        &self,
        cx: &CallContext,
        wanted: Wanted<'_>,
        permit: &Permit,
    ) -> Result<JudgedCommand, ToolError> {
        let places = self.files.places(cx.caller())?;
        let mounted = self.files.mounted(cx.caller(), &places);
        let links = Links::new(mounted.clone());
        let mut on_host = self.machine.env(places.clone());
        on_host.protected = git_settings::protected(&on_host, None);
        let cwd = wanted.cwd.map(|cwd| folder(cwd, &on_host)).transpose()?;
        let (mut env, held) = match &mounted {
            Some(mounted) => {
                let cwd = cwd.map(|cwd| mounted.in_container(&cwd).unwrap_or(cwd));
                let mut env = with(mounted.env(&places), cwd);
                env.protected = git_settings::protected(&env, Some(mounted));
                let held = permit.confinement(&on_host).map_err(|why| unusable(&why))?;
                let held = in_container(held, &env, mounted);
                (env, held)
            }
            None => {
                let env = with(on_host, cwd);
                let held = permit.confinement(&env).map_err(|why| unusable(&why))?;
                (env, held)
            }
        };
        env.covered = self.covers(&env, cx.caller());
        env.stdin = wanted.stdin.map(str::to_owned);
        let (analysis, env) = analysed(wanted.text, env, links);
        let own = settings_of(&self.settings, cx.caller(), wanted.agents);
        let checks =
            own.iter().map(|settings| check_hard_deny(&analysis, &env, settings)).collect();
        let mut check =
            strictest(checks).unwrap_or_else(|| check_hard_deny(&analysis, &env, &self.settings));
        if let Some(plan) = &mut check.plan {
            plan.confinement = held;
        }
        let variables = self.variables.clone();
        let (allowed_by, cli, asks_always) = (None, None, false);
        Ok(JudgedCommand { check, allowed_by, cli, analysis, env, asks_always, variables })
    }
}

/// What is permitted on the host, as it is in a container: of its folders only those of the workspace are
/// there, and of secrets those that are closed to all.
fn in_container(permitted: Confinement, env: &Env, mounted: &Mounted) -> Confinement {
    let write: BTreeSet<String> =
        permitted.write.iter().filter_map(|path| mounted.in_container(path)).collect();
    let mut write_never: BTreeSet<String> = place::protected_paths(env).into_iter().collect();
    write_never.retain(|protected| !write.iter().any(|path| place::is_within(path, protected)));
    let mut nested = Nested::unseen(env);
    write.iter().for_each(|path| nested.writes(path));
    Confinement {
        write,
        nested,
        write_never,
        read: BTreeSet::new(),
        read_never: env.deny_paths.iter().cloned().collect(),
        ..permitted
    }
}

fn with(mut env: Env, cwd: Option<String>) -> Env {
    if let Some(cwd) = cwd {
        env.cwd = cwd;
    }
    env
}

/// Where a command of an owner's starts.
fn folder(cwd: &str, env: &Env) -> Result<String, ToolError> {
    let found = permitted::found(cwd, env);
    found.map_err(|why| unusable(&format!("`working_dir`: {why}")))?.ok_or_else(|| {
        let text = format!("`working_dir`: there is no folder `{cwd}`.");
        ToolError::new(Code::NotFound, text)
    })
}

fn unusable(why: &str) -> ToolError {
    let text = format!(
        "The tool cannot run as its owner has defined it: {why}. Tell the user; only the owner can \
         change that."
    );
    ToolError::new(Code::Unavailable, text)
}
