//! Settings of the judgement: how strict it is, for all agents or for one.
//!
//! The owner of the tools writes [`Settings`] in a configuration file. It is plain data: no
//! function here decides anything about a command. [`Settings::of_agent`] lays the settings of one
//! agent over those for all. The doc comments of the types are part of the published JSON schema.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{Deserializer, IntoDeserializer as _};
use serde::{Deserialize, Serialize};

/// How commands are judged. A field that is left out has its default; a field or a value that does
/// not exist is an error.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ShellSettings")]
pub struct Settings {
    /// What is always denied, and what runs without asking.
    pub profile: Profile,
    /// Whether commands run at all.
    pub security: Security,
    /// When somebody is asked.
    pub ask: Ask,
    /// Programs that run without asking, as names or globs (`git`, `cargo-*`), and beginnings of
    /// commands (`git status`, `git *`). A name means the program in the system's folders, never
    /// one in the workspace. It lifts no denial.
    pub allowlist: Vec<String>,
    /// If set, only these programs run, and only in commands without substitutions, redirections
    /// and line breaks. Everything else is denied.
    pub strict_allowlist: Option<Vec<String>>,
    /// Switches for groups of dangers; groups that are left out are on.
    #[serde(deserialize_with = "by_name")]
    #[schemars(schema_with = "switched")]
    pub groups: BTreeMap<Group, Switch>,
    /// What happens to a command that needs approval if nobody can be asked.
    pub without_approver: WithoutApprover,
    /// Commands that never run.
    pub deny: Vec<Rule>,
    /// Commands that always need approval.
    pub ask_rules: Vec<Rule>,
    /// Commands that run without asking, unless `deny`, `ask_rules` or a group says otherwise.
    pub allow: Vec<Rule>,
    /// Different settings for an agent, by its id.
    pub agents: BTreeMap<String, AgentSettings>,
}

/// Different settings for one agent. A field that is left out is the same as for all. A child agent
/// is judged by its parent's settings, too, and the stricter judgement counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellAgentSettings")]
#[serde(deny_unknown_fields, default)]
pub struct AgentSettings {
    /// What is always denied, and what runs without asking.
    pub profile: Option<Profile>,
    /// Whether commands run at all.
    pub security: Option<Security>,
    /// When somebody is asked.
    pub ask: Option<Ask>,
    /// Programs that run without asking, instead of those for all.
    pub allowlist: Option<Vec<String>>,
    /// The only programs that run, instead of those for all.
    pub strict_allowlist: Option<Vec<String>>,
    /// Switches for groups of dangers, in addition to those for all.
    #[serde(deserialize_with = "by_name")]
    #[schemars(schema_with = "switched")]
    pub groups: BTreeMap<Group, Switch>,
    /// What happens to a command that needs approval if nobody can be asked.
    pub without_approver: Option<WithoutApprover>,
    /// Commands that never run, in addition to those for all.
    pub deny: Vec<Rule>,
    /// Commands that always need approval, in addition to those for all.
    pub ask_rules: Vec<Rule>,
    /// Commands that run without asking, instead of those for all.
    pub allow: Option<Vec<Rule>>,
}

/// What is always denied, and what runs without asking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellProfile")]
pub enum Profile {
    /// What the floor names is denied whatever its target: `rm -rf` of anything.
    #[default]
    Strict,
    /// It is denied by its target: outside the workspace, or where that is not known.
    Workspace,
}

/// Whether commands run at all.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellSecurity")]
pub enum Security {
    /// None does.
    Deny,
    /// Those whose programs are all listed.
    Allowlist,
    /// Those that no rule denies.
    #[default]
    Full,
}

/// When somebody is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[schemars(rename = "ShellAsk")]
pub enum Ask {
    /// Never: what would be asked about goes the way of `without_approver`.
    Off,
    /// About what is not understood, not listed, or beyond the profile.
    #[default]
    OnMiss,
    /// About everything that is not denied.
    Always,
}

/// What happens to a command that needs approval if nobody can be asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellWithoutApprover")]
pub enum WithoutApprover {
    /// It runs in a confinement that enforces what was predicted of it, and not without one.
    #[default]
    Confine,
    /// It does not run.
    Deny,
    /// It runs as if it had been allowed.
    Run,
}

/// Whether a group of dangers counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellSwitch")]
pub enum Switch {
    /// As the group decides by itself.
    #[default]
    On,
    /// It does not count. The floor, the profile and denied paths do.
    Off,
    /// Somebody is asked.
    Ask,
    /// It is denied.
    Deny,
}

/// A group of dangers.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "ShellGroup")]
pub enum Group {
    /// Deleting trees, writing to disks, turning the machine off.
    DestructiveOps,
    /// Sending files away, running what is fetched, reaching services of this machine.
    DataExfiltration,
    /// Joining a shell to a connection, raw connections.
    ReverseShell,
    /// Running text that was decoded or put together.
    CodeInjection,
    /// Becoming another user, changing users, mounting.
    PrivilegeEscalation,
    /// Changing modes and owners outside the workspace, writing system files.
    DangerousPaths,
    /// Variables that make programs run something else.
    EnvInjection,
    /// Reaching the host of a container, or the kernel.
    ContainerEscape,
    /// Mining.
    CryptoMining,
    /// Options that make a harmless program run another.
    FilterBypass,
    /// Scanning networks, logging in to other machines, tunnels.
    NetworkRecon,
    /// Installing and removing packages.
    PackageInstall,
    /// Making something run later or at each start.
    Persistence,
    /// Ending processes by force or by name.
    ProcessControl,
    /// Showing the environment.
    EnvDump,
}

/// The schema of switched groups, which names the groups that there are.
fn switched(generator: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "propertyNames": generator.subschema_for::<Group>(),
        "additionalProperties": generator.subschema_for::<Switch>(),
    })
}

/// Reads the names as texts, so that an error tells which of them it is about.
fn by_name<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<BTreeMap<Group, Switch>, D::Error> {
    let named = BTreeMap::<String, Switch>::deserialize(deserializer)?;
    let group = |name: &str| Group::deserialize(name.into_deserializer());
    named.into_iter().map(|(name, switch)| Ok((group(&name)?, switch))).collect()
}

impl Group {
    /// Its name in settings and reasons.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Group::DestructiveOps => "destructive_ops",
            Group::DataExfiltration => "data_exfiltration",
            Group::ReverseShell => "reverse_shell",
            Group::CodeInjection => "code_injection",
            Group::PrivilegeEscalation => "privilege_escalation",
            Group::DangerousPaths => "dangerous_paths",
            Group::EnvInjection => "env_injection",
            Group::ContainerEscape => "container_escape",
            Group::CryptoMining => "crypto_mining",
            Group::FilterBypass => "filter_bypass",
            Group::NetworkRecon => "network_recon",
            Group::PackageInstall => "package_install",
            Group::Persistence => "persistence",
            Group::ProcessControl => "process_control",
            Group::EnvDump => "env_dump",
        }
    }
}

/// An owner's decision about some commands. Every given field must fit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "ShellRule")]
pub struct Rule {
    /// The program, as a name or glob; left out, any.
    pub program: Option<String>,
    /// Its first arguments, each as a text or glob: `["push"]`.
    pub arguments: Vec<String>,
    /// Labels of effects, or globs of them: `write:system`, `network*`. A rule that denies or asks
    /// counts for these effects; one that allows needs all effects of the program to be among them.
    /// Empty: any.
    pub effects: Vec<String>,
    /// Why, for the model and the user.
    pub reason: Option<String>,
}

impl Settings {
    /// The switch of a group.
    #[must_use]
    pub fn switch(&self, group: Group) -> Switch {
        self.groups.get(&group).copied().unwrap_or_default()
    }

    /// The settings for an agent, or for a caller that is none.
    #[must_use]
    pub fn of_agent(&self, agent: Option<&str>) -> Cow<'_, Settings> {
        match agent.and_then(|agent| self.agents.get(agent)) {
            Some(own) => Cow::Owned(self.with(own)),
            None => Cow::Borrowed(self),
        }
    }

    /// These settings with what is different for an agent.
    #[must_use]
    pub fn with(&self, own: &AgentSettings) -> Settings {
        let mut all = self.clone();
        all.profile = own.profile.unwrap_or(all.profile);
        all.security = own.security.unwrap_or(all.security);
        all.ask = own.ask.unwrap_or(all.ask);
        all.without_approver = own.without_approver.unwrap_or(all.without_approver);
        all.allowlist = own.allowlist.clone().unwrap_or(all.allowlist);
        all.strict_allowlist = own.strict_allowlist.clone().or(all.strict_allowlist);
        all.groups.extend(own.groups.iter().map(|(group, switch)| (*group, *switch)));
        all.deny.extend(own.deny.iter().cloned());
        all.ask_rules.extend(own.ask_rules.iter().cloned());
        all.allow = own.allow.clone().unwrap_or(all.allow);
        all
    }
}
