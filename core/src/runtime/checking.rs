//! Judging commands without a runtime: settings and surroundings as data.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::error::{Code, Error};
use crate::fork;
use crate::shell::{self, Approvals, Check, Env, Settings, check_modes};
use crate::strict;

/// How a command is judged without a runtime.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CheckOptions {
    /// How strict the judge is.
    pub settings: Settings,
    /// Where the command would run. Default: in the virtual workspace `/workspace`.
    pub env: Env,
    /// Where set, the modes alone decide (`security`, `ask`, the list of programs), for a host that
    /// has a judge of its own and wants to know whether to ask.
    pub modes: Option<ModesAlone>,
}

/// How the modes alone decide, as if no group denied anything. A command is safe if it is
/// understood, within the profile, and done by programs that everybody uses.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(rename = "ShellModes")]
#[serde(deny_unknown_fields, default)]
pub struct ModesAlone {
    /// Commands that somebody approved for always. They hold for what does the very same.
    pub approved: Vec<String>,
}

impl CheckOptions {
    /// Options from JSON-like data: the keys of [`Settings`], `env` with the keys of an [`Env`], and
    /// `modes` with those of a [`ModesAlone`]. `null` is all defaults.
    ///
    /// # Errors
    /// `invalid_argument` that names the key, what is allowed there, and the nearest known key.
    pub fn from_value(value: &Value) -> Result<CheckOptions, Error> {
        let bad = |why: String| {
            Error::new(Code::InvalidArgument, format!("the options of a command check: {why}"))
        };
        if value.is_null() {
            return Ok(CheckOptions::default());
        }
        let mut settings = value.clone();
        let mut taken = |key: &str| {
            let part = settings.as_object_mut().and_then(|options| options.shift_remove(key));
            part.filter(|part| !part.is_null())
        };
        let (env, modes) = (taken("env"), taken("modes"));
        let env = env.map(|env| strict::from_value(&env).map_err(|why| format!("`env`: {why}")));
        let modes =
            modes.map(|modes| strict::from_value(&modes).map_err(|why| format!("`modes`: {why}")));
        Ok(CheckOptions {
            settings: strict::from_value(&settings).map_err(bad)?,
            env: env.transpose().map_err(bad)?.unwrap_or_default(),
            modes: modes.transpose().map_err(bad)?,
        })
    }
}

/// Judges a command without a runtime, and runs nothing.
///
/// ```
/// use toolkeep::{CheckOptions, check_command, shell::Decision};
///
/// let check = check_command("rm -rf /", &CheckOptions::default());
/// assert_eq!(check.verdict, Decision::Deny);
/// println!("{}", check.for_llm);
/// ```
#[must_use]
pub fn check_command(command: &str, options: &CheckOptions) -> Check {
    fork::hold(shell::prepare);
    let CheckOptions { settings, env, modes } = options;
    match modes {
        None => shell::check(command, env, settings),
        Some(ModesAlone { approved }) => {
            let approved = approved.iter().map(|text| shell::analyse(text, env)).collect();
            check_modes(command, env, settings, &Approvals { approved })
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::shell::{Decision, Group, Switch};

    fn complaint(options: Value) -> String {
        let error = CheckOptions::from_value(&options).unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        error.message().to_owned()
    }

    #[test]
    fn options_are_those_of_the_configuration_and_the_surroundings() {
        let options = CheckOptions::from_value(&json!({
            "profile": "workspace",
            "groups": { "package_install": "off" },
            "env": { "cwd": "/workspace/src", "deny_paths": ["/workspace/keys"] },
        }));
        let options = options.unwrap();
        assert_eq!(options.settings.switch(Group::PackageInstall), Switch::Off);
        assert_eq!(options.env.cwd, "/workspace/src");
        assert_eq!(check_command("cat ../keys/a", &options).verdict, Decision::Deny);
        assert_eq!(CheckOptions::from_value(&Value::Null).unwrap(), CheckOptions::default());
    }

    #[test]
    fn the_modes_alone_ask_about_what_is_not_listed_and_no_group_denies() {
        let decided = |command: &str, options: Value| {
            check_command(command, &CheckOptions::from_value(&options).unwrap()).verdict
        };
        let alone = json!({ "modes": {} });
        assert_eq!(decided("git status", alone.clone()), Decision::Allow);
        assert_eq!(decided("docker ps", alone.clone()), Decision::Ask);
        assert_eq!(decided("rm -rf /", alone), Decision::Ask);
        let approved = json!({ "modes": { "approved": ["docker ps"] } });
        assert_eq!(decided("docker  'ps'", approved.clone()), Decision::Allow);
        assert_eq!(decided("docker ps -a", approved), Decision::Ask);
        let off = json!({ "modes": {}, "security": "deny" });
        assert_eq!(decided("git status", off), Decision::Deny);
        let text = complaint(json!({ "modes": { "aproved": [] } }));
        assert!(text.contains("`modes`") && text.contains("did you mean `approved`"), "{text}");
    }

    #[test]
    fn what_is_misspelt_is_named_with_what_is_allowed() {
        let text = complaint(json!({ "profile": "strickt" }));
        assert!(text.contains("`profile`") && text.contains("`strict` or `workspace`"), "{text}");
        let text = complaint(json!({ "proflie": "strict" }));
        assert!(text.contains("`proflie`") && text.contains("did you mean `profile`"), "{text}");
        let text = complaint(json!({ "groups": { "mining": "off" } }));
        assert!(text.contains("groups") && text.contains("`crypto_mining`"), "{text}");
        let text = complaint(json!({ "env": { "cdw": "/" } }));
        assert!(text.contains("`env`") && text.contains("known here: cwd,"), "{text}");
    }
}
