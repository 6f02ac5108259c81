//! Commands of an owner's own: he has approved them by writing them, and they run held to what he
//! permits. What nobody's approval lets run, his does not either.

use super::{Commands, JudgedCommand, Wanted, analysed, settings_of, strictest};
use crate::error::Code;
use crate::exec::{Permit, permit};
use crate::shell::judge::check_floor;
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
        let mut env = self.machine.env(self.files.places(cx.caller())?);
        if let Some(cwd) = wanted.cwd {
            let folder = permit::found(cwd, &env)
                .map_err(|why| unusable(&format!("`working_dir`: {why}")))?;
            env.cwd = folder.ok_or_else(|| {
                let text = format!("`working_dir`: there is no folder `{cwd}`.");
                ToolError::new(Code::NotFound, text)
            })?;
        }
        let held = permit.confinement(&env).map_err(|why| unusable(&why))?;
        let (analysis, env) = analysed(wanted.text, env);
        let own = settings_of(&self.settings, cx.caller(), wanted.agents);
        let checks = own.iter().map(|settings| check_floor(&analysis, &env, settings)).collect();
        let mut check =
            strictest(checks).unwrap_or_else(|| check_floor(&analysis, &env, &self.settings));
        if let Some(plan) = &mut check.plan {
            plan.confinement = held;
        }
        Ok(JudgedCommand { check, allowed_by: None, analysis, env, asks_always: false })
    }
}

fn unusable(why: &str) -> ToolError {
    let text = format!(
        "The tool cannot run as its owner has defined it: {why}. Tell the user; only the owner can \
         change that."
    );
    ToolError::new(Code::Unavailable, text)
}
