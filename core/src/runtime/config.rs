//! The configuration: one model for TOML, JSON and the dicts of other languages.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::call::{ApprovalConfig, Budget, Execute, Loops, Output, RateLimit, Record, Redundancy};
use crate::error::{Code, Error};
use crate::exec::ExecConfig;
use crate::files::FilesConfig;
use crate::policy::{ListEntry, Policy};
use crate::scrub::Profile;
use crate::secret::Secrets;
use crate::shell::Settings;
use crate::strict;
use crate::tool::{DefinitionsConfig, Sessions};
use crate::upkeep::Retention;
use crate::vault::VaultConfig;

/// How a runtime is set up. Every key may be left out; an unknown one is an error.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where state is kept: `memory:`, `sqlite:<file>` or `postgres://<user>@<host>/<database>`.
    /// Default: `memory:`, or `sqlite:toolkeep.db` beside the configuration file.
    pub store: Option<String>,
    /// How long one access to the store may take, in milliseconds; longer ones fail. Default:
    /// 5,000.
    pub store_timeout_ms: Option<u64>,
    /// The folder that file tools work in and never leave. Without one, file tools are refused.
    pub workspace: Option<String>,
    /// Which files the file tools reach, and how they treat them.
    pub files: FilesConfig,
    /// The owner's own groups of tools, by name, for use in lists as `group:<name>`. A member is an
    /// entry as in a list; it may be marked `optional`, but not `final`.
    pub groups: BTreeMap<String, Vec<ListEntry>>,
    /// Who may call which tools.
    pub policy: Policy,
    /// How shell commands are judged.
    pub shell: Settings,
    /// How many calls a session may make. Default: no limit.
    pub rate_limit: Option<RateLimit>,
    /// Who is asked if a call needs approval, and for how long.
    pub approval: ApprovalConfig,
    /// How many calls a run may make. Default: no limit.
    pub budget: Budget,
    /// When a run that repeats itself is warned and stopped.
    pub loops: Loops,
    /// Whether repeated reads are answered from a cache.
    pub redundancy: Redundancy,
    /// How tools run.
    pub execute: Execute,
    /// How shell commands run on this machine.
    pub exec: ExecConfig,
    /// How tools are defined for models.
    pub definitions: DefinitionsConfig,
    /// How much of a result the model gets at once.
    pub output: Output,
    /// What the users of one session share.
    pub sessions: Sessions,
    /// How secrets are masked.
    pub scrub: ScrubConfig,
    /// Whether masked secrets are kept, so that they can be put in where they are bound.
    pub vault: VaultConfig,
    /// How calls are recorded.
    pub record: Record,
    /// The keys under which secrets are stored. Without one no secret can be stored.
    pub secrets: Secrets,
    /// How much of the data that only grows is kept.
    pub retention: Retention,
}

/// The `scrub` part of the configuration. Scrubbing cannot be switched off.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ScrubConfig {
    /// Which secrets are masked: `precise` (the default), `seed` or `paranoid`.
    pub profile: Profile,
    /// Whether the addresses and the name of this machine are masked, as `[SERVER_IP]`. Default:
    /// they are not.
    pub server_addresses: bool,
}

impl Config {
    /// A configuration from JSON-like data: what a dict or an object of another language is.
    ///
    /// # Errors
    /// `invalid_config` that names the key, what was expected, and the nearest known key.
    pub fn from_value(value: Value) -> Result<Config, Error> {
        let invalid =
            |why: String| Error::new(Code::InvalidConfig, format!("configuration: {why}"));
        strict::check::<Config>(&value).map_err(invalid)?;
        let config: Config = strict::from_value(&value).map_err(invalid)?;
        config.check()?;
        Ok(config)
    }

    /// A configuration from TOML text.
    ///
    /// # Errors
    /// `invalid_config` that names the line, or the key.
    pub fn from_toml(text: &str) -> Result<Config, Error> {
        // The error's own text repeats the line, which may hold a password.
        let value: Value = toml::from_str(text).map_err(|error: toml::de::Error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let text = format!("the configuration is not TOML: line {line}: {}", error.message());
            Error::new(Code::InvalidConfig, text)
        })?;
        Config::from_value(value)
    }

    /// A configuration from JSON text.
    ///
    /// # Errors
    /// `invalid_config` that names the line, or the key; so, too, where a key is there twice.
    pub fn from_json(text: &str) -> Result<Config, Error> {
        let value = strict::parse(text).map_err(|error| {
            let lead = match error {
                strict::Unread::Broken(_) => "the configuration is not JSON",
                _ => "configuration",
            };
            Error::new(Code::InvalidConfig, format!("{lead}: {error}"))
        })?;
        Config::from_value(value)
    }

    /// A configuration from a `.toml` or `.json` file. Its relative paths are kept as they are.
    ///
    /// # Errors
    /// `invalid_config` that names the file and the key.
    pub fn from_file(path: &Path) -> Result<Config, Error> {
        let shown = path.display();
        let text = read(path).map_err(|error| {
            let text = format!("cannot read the configuration file {shown}: {error}");
            Error::new(Code::InvalidConfig, text).with_source(error)
        })?;
        let parsed = match path.extension().and_then(|extension| extension.to_str()) {
            Some("toml") => Config::from_toml(&text),
            Some("json") => Config::from_json(&text),
            _ => Err(Error::new(Code::InvalidConfig, "name it `….toml` or `….json`")),
        };
        parsed.map_err(|error| {
            Error::new(error.code(), format!("{shown}: {}", error.message())).with_source(error)
        })
    }

    /// What the types alone cannot say.
    pub(super) fn check(&self) -> Result<(), Error> {
        let at_least = |key: &str, given: u64, least: u64| {
            if given >= least {
                return Ok(());
            }
            Err(invalid(key, &format!("{given} is too small, the least is {least}")))
        };
        let at_most = |key: &str, given: u64, most: u64| {
            if given <= most {
                return Ok(());
            }
            Err(invalid(key, &format!("{given} is too large, the most is {most}")))
        };
        at_least("output.max_chars", self.output.max_chars as u64, 1_000)?;
        at_least("output.max_lines", self.output.max_lines as u64, 10)?;
        at_least("execute.timeout_ms", self.execute.timeout_ms, 1)?;
        if let Some(limit) = &self.rate_limit {
            at_least("rate_limit.calls", u64::from(limit.calls), 1)?;
            at_least("rate_limit.window_ms", limit.window_ms, 1)?;
        }
        at_least("approval.timeout_ms", self.approval.timeout_ms, 1)?;
        at_most("approval.timeout_ms", self.approval.timeout_ms, MOST_APPROVAL_MS)?;
        at_least("approval.always_ms", self.approval.always_ms, 1)?;
        at_most("approval.always_ms", self.approval.always_ms, MOST_ALWAYS_MS)?;
        at_least("budget.calls_per_run", self.budget.calls_per_run.unwrap_or(1).into(), 1)?;
        self.check_loops(at_least, at_most)?;
        at_most("execute.parallel", self.execute.parallel as u64, 256)?;
        at_least("execute.parallel", self.execute.parallel as u64, 1)?;
        at_least("exec.timeout_seconds", self.exec.timeout_seconds, 1)?;
        at_most("exec.timeout_seconds", self.exec.timeout_seconds, 3_600)?;
        at_least("exec.max_output_kb", self.exec.max_output_kb, 64)?;
        at_most("exec.max_output_kb", self.exec.max_output_kb, 1 << 20)?;
        let sandbox = &self.exec.sandbox;
        sandbox.check().map_err(|(key, why)| invalid(&format!("exec.sandbox.{key}"), &why))?;
        at_least("store_timeout_ms", self.store_timeout_ms.unwrap_or(1), 1)?;
        let kept = &self.retention;
        at_least("retention.events_keep", kept.events_keep.unwrap_or(1), 1)?;
        at_least("retention.events_older_than_ms", kept.events_older_than_ms.unwrap_or(1), 1)?;
        at_least("retention.audit_keep_rows", kept.audit_keep_rows.unwrap_or(1), 1)?;
        at_least("retention.audit_keep_mb", kept.audit_keep_mb.unwrap_or(1), 1)?;
        at_least("retention.audit_older_than_ms", kept.audit_older_than_ms.unwrap_or(1), 1)?;
        at_least("retention.artifacts_keep_mb", kept.artifacts_keep_mb.unwrap_or(128), 128)?;
        let older = kept.artifacts_older_than_ms;
        at_least("retention.artifacts_older_than_ms", older.unwrap_or(1), 1)?;
        self.files.check().map_err(|(key, why)| invalid(&format!("files.{key}"), &why))?;
        let vault = self.vault.check(self.scrub.profile);
        vault.map_err(|(key, why)| invalid(&format!("vault.{key}"), &why))?;
        for group in self.groups.keys() {
            crate::id::check_key(&format!("groups.{group}"), group)
                .map_err(|error| Error::new(Code::InvalidConfig, error.message()))?;
        }
        Ok(())
    }
}

impl Config {
    fn check_loops(
        &self,
        at_least: impl Fn(&str, u64, u64) -> Result<(), Error>,
        at_most: impl Fn(&str, u64, u64) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let loops = &self.loops;
        at_least("loops.window", loops.window.into(), 1)?;
        at_most("loops.window", loops.window.into(), 1_000)?;
        at_most("loops.exploring_above_percent", loops.exploring_above_percent.into(), 100)?;
        for (key, limits) in loops.thresholds() {
            let given = [("warning", Some(limits.warning)), ("critical", limits.critical)];
            for (what, given) in given.into_iter().filter_map(|(what, given)| Some((what, given?)))
            {
                at_least(&format!("loops.{key}.{what}"), given.into(), 2)?;
                at_most(&format!("loops.{key}.{what}"), given.into(), 10_000)?;
            }
            if let Some(critical) = limits.critical {
                let key = format!("loops.{key}.critical");
                at_least(&key, critical.into(), limits.warning.into())?;
            }
        }
        Ok(())
    }
}

/// The largest configuration file that is read, in bytes (16 MiB).
const MAX_FILE_BYTES: u64 = 16 << 20;

/// What a regular file says. Another kind, such as a pipe, may never end.
fn read(path: &Path) -> io::Result<String> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        return Err(io::Error::other("it is not a regular file"));
    }
    let mut text = String::new();
    // It may grow, whatever its length was just now.
    let file = std::fs::File::open(path)?;
    if file.take(MAX_FILE_BYTES + 1).read_to_string(&mut text)? as u64 > MAX_FILE_BYTES {
        return Err(io::Error::other(format!("it is larger than {} MiB", MAX_FILE_BYTES >> 20)));
    }
    Ok(text)
}

/// The longest that an approval can be waited for: 30 days.
const MOST_APPROVAL_MS: u64 = 30 * 24 * 60 * 60 * 1000;

/// The longest that a rule is kept by allowing a command for always: a year.
const MOST_ALWAYS_MS: u64 = 365 * 24 * 60 * 60 * 1000;

fn invalid(key: &str, why: &str) -> Error {
    Error::new(Code::InvalidConfig, format!("configuration: `{key}`: {why}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn complaint(value: Value) -> String {
        let error = Config::from_value(value).unwrap_err();
        assert_eq!(error.code(), Code::InvalidConfig);
        error.message().to_owned()
    }

    #[test]
    fn an_empty_configuration_is_all_defaults() {
        let config = Config::from_value(json!({})).unwrap();
        assert_eq!(config, Config::default());
        assert_eq!(config.policy.profile, "full");
        assert_eq!(config.output.max_chars, 30_000);
        assert_eq!(config.rate_limit, None);
    }

    #[test]
    fn an_unknown_key_names_itself_and_the_nearest() {
        let text = complaint(json!({ "polcy": {} }));
        assert!(text.contains("`polcy`") && text.contains("`policy`"), "{text}");
        let text = complaint(json!({ "policy": { "denny": [] } }));
        assert!(text.contains("`policy.denny`") && text.contains("`deny`"), "{text}");
        let text = complaint(json!({ "rate_limit": { "calls": 1, "windows_ms": 5 } }));
        assert!(text.contains("`rate_limit.windows_ms`"), "{text}");
    }

    #[test]
    fn a_wrong_type_or_range_names_the_key() {
        assert!(complaint(json!({ "policy": { "deny": "exec" } })).contains("`policy.deny`"));
        assert!(complaint(json!({ "rate_limit": { "calls": 0 } })).contains("`rate_limit.calls`"));
        assert!(complaint(json!({ "record": { "mode": "fast" } })).contains("record.mode"));
        assert!(complaint(json!({ "output": { "max_chars": 5 } })).contains("output.max_chars"));
        let text = complaint(json!({ "loops": { "stuck": { "warning": 9, "critical": 8 } } }));
        assert!(text.contains("`loops.stuck.critical`: 8 is too small, the least is 9"), "{text}");
        let complaint_of = |key: &str| complaint(json!({ "retention": { key: 0 } }));
        for key in ["events_keep", "events_older_than_ms"] {
            assert!(complaint_of(key).contains(&format!("`retention.{key}`")));
        }
        assert!(complaint(json!([])).contains("configuration"));
    }

    #[test]
    fn toml_and_json_are_one_model() {
        let toml = "[policy]\nprofile = \"coding\"\ndeny = [\"exec\"]\n[rate_limit]\ncalls = 5\n";
        let json = r#"{"policy":{"profile":"coding","deny":["exec"]},"rate_limit":{"calls":5}}"#;
        assert_eq!(Config::from_toml(toml).unwrap(), Config::from_json(json).unwrap());
        let error = Config::from_json(r#"{"policy":{"deny":["edit"],"deny":[]}}"#).unwrap_err();
        assert_eq!(error.code(), Code::InvalidConfig);
        assert!(error.message().contains("`policy.deny` is there twice"), "{error}");
        let error = Config::from_toml("policy = ").unwrap_err();
        assert!(error.message().contains("line 1"), "{error}");
        let error = Config::from_toml("[secrets]\nkey = 5w0rdf15h").unwrap_err();
        assert!(error.message().contains("line 2"), "{error}");
        assert!(!format!("{error:?}").contains("5w0rdf15h"), "{error:?}");
    }
}
