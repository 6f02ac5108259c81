//! What a registry tells of a tool.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Entry, Snapshot};
use crate::kind::{Action, Capability, Origin, Taint, Tier};
use crate::tool::{ToolSpec, Touch};

/// A tool in the registry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolInfo {
    /// The canonical name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// Where it comes from.
    pub origin: Origin,
    /// Where its name is looked up.
    pub tier: Tier,
    /// The origin of a tool in an earlier tier with the same name: while it exists, this one is not
    /// called. None: there is no such tool.
    pub shadowed_by: Option<Origin>,
    /// The digest of its name, description and schema.
    pub version: String,
    /// The group that it names.
    pub group: Option<String>,
    /// What it can do. Empty means mutating.
    pub capabilities: Vec<Capability>,
    /// The arguments that name resources of a call.
    pub touches: Vec<Touch>,
    /// The channel types that it works on. Empty: all.
    pub channels: Vec<String>,
    /// Its deadline in milliseconds, if it differs from the runtime's.
    pub timeout_ms: Option<u64>,
    /// True if the same call may be repeated until its answer changes.
    pub polling: bool,
    /// True if each call needs somebody's approval.
    pub needs_approval: bool,
    /// The marks that its results set on a session.
    pub taints: Vec<Taint>,
    /// Its action.
    pub action: Option<Action>,
    /// Its name where it comes from, if that differs.
    pub original_name: Option<String>,
    /// The argument that is a shell command.
    pub shell_command: Option<String>,
    /// The argument that names the folder in which that command starts.
    pub shell_cwd: Option<String>,
    /// The argument that becomes that command's standard input.
    pub shell_stdin: Option<String>,
    /// Other names of its arguments.
    pub argument_aliases: BTreeMap<String, Vec<String>>,
    /// Other names for it, built-in ones too.
    pub aliases: Vec<String>,
    /// False while it is switched off.
    pub enabled: bool,
}

impl Snapshot {
    /// What is known of each tool, sorted by name, then by tier.
    pub fn list(&self) -> Vec<ToolInfo> {
        self.registered.values().map(|entry| self.info(entry)).collect()
    }

    /// What is known of one tool.
    pub fn info(&self, entry: &Entry) -> ToolInfo {
        let spec: &ToolSpec = &entry.spec;
        let winner = self.winner(&spec.name).map(|winner| winner.origin);
        let shadowed_by = winner.filter(|winner| winner.tier() < entry.tier());
        let aliases = match shadowed_by {
            None => self.names_of(&spec.name),
            Some(_) => Vec::new(),
        };
        ToolInfo {
            name: spec.name.clone(),
            description: spec.description.clone(),
            origin: entry.origin,
            tier: entry.tier(),
            shadowed_by,
            version: entry.version.to_string(),
            group: spec.group.clone(),
            capabilities: spec.capabilities.clone(),
            touches: spec.touches.clone(),
            channels: spec.channels.clone(),
            timeout_ms: spec.timeout_ms,
            polling: spec.polling,
            needs_approval: spec.needs_approval,
            taints: spec.taints.clone(),
            action: spec.action,
            original_name: spec.original_name.clone(),
            shell_command: spec.shell_command.clone(),
            shell_cwd: spec.shell_cwd.clone(),
            shell_stdin: spec.shell_stdin.clone(),
            argument_aliases: spec.argument_aliases.clone(),
            aliases,
            enabled: entry.enabled,
        }
    }

    /// The tool that has a name, also before this state is settled.
    fn winner(&self, name: &str) -> Option<&Arc<Entry>> {
        let first = (name.to_owned(), Tier::Core);
        let (key, entry) = self.registered.range(first..).next()?;
        (key.0 == name).then_some(entry)
    }

    /// The aliases of a tool, sorted.
    fn names_of(&self, name: &str) -> Vec<String> {
        let given = self.given.iter();
        let standing = self.standing.iter().filter(|(alias, _)| !self.given.contains_key(*alias));
        let mine = given
            .chain(standing)
            .filter(|(alias, stands_for)| stands_for.name == name && self.winner(alias).is_none());
        let names: BTreeSet<&String> = mine.map(|(alias, _)| alias).collect();
        names.into_iter().cloned().collect()
    }
}
