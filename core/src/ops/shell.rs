//! `shell.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::operations;
use crate::commands::Wanted;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::shell::{Check, Profile, Settings};
use crate::tool::{CallContext, Caller};

operations! {
    /// Commands of a shell: what they do, and whether they may.
    shell as ShellOps {
        /// Judges a command as in a call of this caller, with his folders and the links in them.
        /// Runs nothing.
        ///
        /// Fails with `invalid_argument` if a folder of the caller cannot be used.
        check(CheckCommand) -> Check = check;
    }
}

/// The arguments of `shell.check`.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckCommand {
    /// The command, as a model would write it.
    pub command: String,
    /// The folder that it starts in: absolute, or relative to the workspace. Left out: the
    /// workspace.
    #[serde(default)]
    pub cwd: Option<String>,
    /// A profile instead of the configuration's.
    #[serde(default)]
    pub profile: Option<Profile>,
    /// The text on its standard input. Left out: unknown.
    #[serde(default)]
    pub stdin: Option<String>,
    /// Settings instead of those of the configuration. The agent's row in the store narrows these,
    /// too.
    #[serde(default)]
    pub settings: Option<Settings>,
    /// The caller, with the keys of a call's context. Left out: nobody in particular.
    #[serde(default)]
    pub context: Map<String, Value>,
}

async fn check(runtime: &Runtime, args: CheckCommand) -> Result<Check, Error> {
    let CheckCommand { command, cwd, profile, stdin, settings, context } = args;
    let cx = CallContext::from(Caller::from_value(&Value::Object(context))?);
    let mut settings = settings;
    if let Some(profile) = profile {
        let settings = settings.get_or_insert_with(|| runtime.config().shell.clone());
        settings.profile = profile;
        settings.agents.values_mut().for_each(|own| own.profile = None);
    }
    let commands = runtime.path().shell.commands.clone();
    runtime
        .check_with(&cx, move |cx, agents| {
            let wanted = Wanted {
                text: &command,
                cwd: cwd.as_deref(),
                stdin: stdin.as_deref(),
                settings: settings.as_ref(),
                agents,
                is_walled: true,
            };
            commands.judge(cx, wanted)
        })
        .await
}
