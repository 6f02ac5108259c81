//! What an owner says of a CLI: its variables, what is denied of it, and where it may connect to.

use std::collections::BTreeMap;

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use zeroize::Zeroizing;

use super::binary::PinnedBinary;
use super::patterns;
use super::presets::{self, Preset};
use crate::limits::echo;
use crate::policy::NetworkPermit;
use crate::strict;

/// A CLI without the values of its variables.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
#[schemars(rename = "CliDefinition")]
pub struct Definition {
    /// Where its binary is, absolute. None: it is looked for in the folders of the system.
    pub binary_path: Option<String>,
    /// What it is for, for people.
    pub description: String,
    /// The preset whose rules hold, too.
    pub preset: Option<String>,
    /// The variables that it gets, and what each is.
    pub variables: BTreeMap<String, VariableKind>,
    /// Regular expressions, in any case of letters, of which none may be found in the arguments.
    pub deny_args: Vec<String>,
    /// Regular expressions. No argument may start with a match of any of them.
    pub deny_verbose: Vec<String>,
    /// Options whose values are prose, which `deny_args` is not held against.
    pub free_text: Vec<String>,
    /// Where it may connect to. None: to the host that its variables name, else anywhere.
    pub network: Option<NetworkPermit>,
    /// How long a call may take, in seconds.
    pub timeout_seconds: u64,
    /// Advice for the model.
    pub tips: String,
    /// True if everybody may use it, false if it takes a grant.
    pub is_global: bool,
    /// False if nobody may.
    pub enabled: bool,
    /// The binary as it was when the CLI was registered; none: it was not there.
    pub binary: Option<PinnedBinary>,
}

/// The kind of a variable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "CliVariableKind")]
pub enum VariableKind {
    /// A secret: it is masked in every text of the call.
    #[default]
    Sensitive,
    /// No secret, such as a region: it is not masked.
    Value,
    /// The content of a file. The variable is the path of a private file with that content, which is
    /// there as long as the call takes.
    File,
}

/// A variable with its value.
pub(crate) struct Variable {
    /// What it is.
    pub kind: VariableKind,
    /// Its value.
    pub value: Zeroizing<String>,
}

/// Variables by name.
pub(crate) type Variables = BTreeMap<String, Variable>;

/// What the variables of a CLI are, without their values.
pub(crate) fn kinds_of(variables: &Variables) -> BTreeMap<String, VariableKind> {
    variables.iter().map(|(name, one)| (name.clone(), one.kind)).collect()
}

/// How long a call may take where nothing is said, in seconds; from the seeds.
pub(crate) const DEFAULT_TIMEOUT_SECONDS: u64 = 30;

/// The longest that a call may take, in seconds.
const MOST_SECONDS: u64 = 3_600;

/// The most variables of one CLI; from the seeds.
const MOST_VARIABLES: usize = 50;

/// The most patterns of one list.
const MOST_PATTERNS: usize = 500;

/// Names that no credential has: they change what is loaded, run or trusted; from the seeds.
const DENIED_NAMES: &[&str] = &[
    "PATH",
    "HOME",
    "USER",
    "SHELL",
    "PWD",
    "LD_PRELOAD",
    "LD_LIBRARY_PATH",
    "LD_AUDIT",
    "NODE_OPTIONS",
    "NODE_PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "PYTHONSTARTUP",
    "GIT_SSH_COMMAND",
    "GIT_SSH",
    "GIT_EXEC_PATH",
    "GIT_CONFIG_SYSTEM",
    "SSH_AUTH_SOCK",
    "BASH_ENV",
    "ENV",
    "PROMPT_COMMAND",
    "PERL5LIB",
    "RUBYOPT",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "CURL_CA_BUNDLE",
    "IFS",
];

/// What such names begin with.
const DENIED_PREFIXES: &[&str] = &["DYLD_", "GOCLAW_", "TOOLKEEP_", "LD_", "NPM_CONFIG_"];

impl Definition {
    /// A definition as the store holds it.
    pub(super) fn stored(settings: &Value) -> Result<Definition, String> {
        let definition: Definition = strict::from_value(settings)?;
        definition.check()?;
        Ok(definition)
    }

    /// Its preset, if it has one.
    pub(crate) fn preset(&self) -> Option<&'static Preset> {
        presets::preset(self.preset.as_deref()?)
    }

    /// True if it denies the same calls as another one of the same CLI.
    pub(super) fn denies_as(&self, other: &Definition) -> bool {
        self.deny_args == other.deny_args && self.deny_verbose == other.deny_verbose
    }

    /// Looks at all that can be wrong with it.
    ///
    /// # Errors
    /// What is, naming the field.
    pub(crate) fn check(&self) -> Result<(), String> {
        if let Some(path) = self.binary_path.as_deref().filter(|path| !path.starts_with('/')) {
            return Err(format!("`binary_path` is `{}`; give an absolute path", echo(path)));
        }
        if let Some(name) = self.preset.as_deref().filter(|name| presets::preset(name).is_none()) {
            let known: Vec<&str> = presets::all().iter().map(|one| one.name).collect();
            let (name, known) = (echo(name), known.join(", "));
            return Err(format!("`preset`: there is none named `{name}`; there are {known}"));
        }
        if let Some(network) = &self.network {
            network.check().map_err(|error| error.message().to_owned())?;
        }
        check_seconds(self.timeout_seconds)?;
        check_patterns("deny_args", &self.deny_args, patterns::compiled)?;
        check_patterns("deny_verbose", &self.deny_verbose, patterns::at_start)?;
        for (at, option) in self.free_text.iter().enumerate() {
            if !option.starts_with('-') {
                let option = echo(option);
                return Err(format!(
                    "`free_text[{at}]` is `{option}`; name an option, as `--body`"
                ));
            }
        }
        check_names(self.variables.keys())
    }
}

fn check_seconds(seconds: u64) -> Result<(), String> {
    if (1..=MOST_SECONDS).contains(&seconds) {
        return Ok(());
    }
    Err(format!("`timeout_seconds` is {seconds}; give 1 to {MOST_SECONDS}"))
}

fn check_patterns(
    field: &str,
    patterns: &[String],
    compile: fn(&str) -> Result<Regex, String>,
) -> Result<(), String> {
    if patterns.len() > MOST_PATTERNS {
        let count = patterns.len();
        return Err(format!("`{field}` has {count} patterns; give at most {MOST_PATTERNS}"));
    }
    for (at, pattern) in patterns.iter().enumerate() {
        compile(pattern)
            .map_err(|why| format!("`{field}[{at}]` is no regular expression: {why}"))?;
    }
    Ok(())
}

/// All unusable names are reported at once, in order.
fn check_names<'n>(names: impl ExactSizeIterator<Item = &'n String>) -> Result<(), String> {
    let count = names.len();
    if count > MOST_VARIABLES {
        return Err(format!(
            "`encrypted_env` has {count} variables; give at most {MOST_VARIABLES}"
        ));
    }
    let mut denied = Vec::new();
    for name in names {
        let upper = name.to_ascii_uppercase();
        let fits = upper.starts_with(|c: char| c.is_ascii_uppercase() || c == '_')
            && upper.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if !fits {
            let name: String = name.chars().take_while(|c| c.is_ascii_alphanumeric()).collect();
            return Err(format!(
                "`encrypted_env`: what begins with `{}` is no name of a variable; write letters, \
                 digits and `_`, not beginning with a digit",
                echo(&name)
            ));
        }
        let is_denied = DENIED_NAMES.contains(&upper.as_str())
            || DENIED_PREFIXES.iter().any(|prefix| upper.starts_with(prefix));
        if is_denied {
            denied.push(name.as_str());
        }
    }
    if denied.is_empty() {
        return Ok(());
    }
    let denied = denied.join(", ");
    Err(format!(
        "`encrypted_env` has {denied}, which would change what is loaded or run; leave them out"
    ))
}

/// Reads variables as the seeds write them: each a text, a number, a truth value or null, which are
/// sensitive, or an object of `kind` and `value`.
///
/// # Errors
/// What is wrong, naming the variable and never a value.
pub(crate) fn variables(
    env: &Map<String, Value>,
    preset: Option<&Preset>,
) -> Result<Variables, String> {
    let mut all = Variables::new();
    for (name, given) in env {
        let name = name.trim();
        if name.is_empty() {
            continue;
        }
        let of = || format!("`encrypted_env.{}`", echo(name));
        let (kind, value) = match given {
            Value::Object(fields) => {
                let kind = match fields.get("kind") {
                    None | Some(Value::Null) => VariableKind::Sensitive,
                    Some(Value::String(kind)) => kind_named(kind).ok_or_else(|| {
                        format!("{}: `kind` is `sensitive`, `value` or `file`", of())
                    })?,
                    Some(_) => return Err(format!("{}: `kind` is no text", of())),
                };
                if let Some(other) = fields.keys().find(|key| *key != "kind" && *key != "value") {
                    return Err(format!("{}: there is no key `{}`", of(), echo(other)));
                }
                (kind, fields.get("value").unwrap_or(&Value::Null))
            }
            other => (VariableKind::Sensitive, other),
        };
        let value = match value {
            Value::Null => String::new(),
            Value::String(text) => text.clone(),
            Value::Bool(_) | Value::Number(_) => value.to_string(),
            _ => return Err(format!("{}: its value is no text", of())),
        };
        let is_file = preset.is_some_and(|preset| preset.is_file(name));
        let kind = if is_file { VariableKind::File } else { kind };
        if value.contains('\0') {
            return Err(format!("{} contains a NUL character; remove it", of()));
        }
        if kind != VariableKind::File && value.contains(['\n', '\r']) {
            return Err(format!(
                "{} contains a line break; give the content of a file with the kind `file`",
                of()
            ));
        }
        all.insert(name.to_owned(), Variable { kind, value: Zeroizing::new(value) });
    }
    check_names(all.keys())?;
    Ok(all)
}

fn kind_named(kind: &str) -> Option<VariableKind> {
    match kind.trim().to_ascii_lowercase().as_str() {
        "" | "sensitive" => Some(VariableKind::Sensitive),
        "value" => Some(VariableKind::Value),
        "file" => Some(VariableKind::File),
        _ => None,
    }
}

/// Variables that were opened: a JSON object of texts.
pub(crate) fn opened(
    sealed: &crate::secret::SecretBytes,
    of: &Definition,
) -> Result<Variables, String> {
    use crate::secret::ExposeSecret as _;

    let texts: BTreeMap<String, Zeroizing<String>> =
        serde_json::from_slice::<BTreeMap<String, String>>(sealed.expose_secret())
            .map_err(|_| "what was sealed are no variables".to_owned())?
            .into_iter()
            .map(|(name, value)| (name, Zeroizing::new(value)))
            .collect();
    check_names(texts.keys())?;
    let preset = of.preset();
    let kind = |name: &str| {
        let own = of.variables.get(name).copied();
        own.or_else(|| preset?.is_file(name).then_some(VariableKind::File)).unwrap_or_default()
    };
    Ok(texts
        .into_iter()
        .map(|(name, value)| (name.clone(), Variable { kind: kind(&name), value }))
        .collect())
}

/// What a grant says instead of the definition.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Overrides {
    deny_args: Option<Vec<String>>,
    deny_verbose: Option<Vec<String>>,
    timeout_seconds: Option<u64>,
    tips: Option<String>,
}

impl Overrides {
    /// Those of a grant's settings; what else stands there is the host's own.
    pub(super) fn of(settings: &Value) -> Result<Overrides, String> {
        let overrides: Overrides = strict::from_value(settings)?;
        check_patterns(
            "deny_args",
            overrides.deny_args.as_deref().unwrap_or_default(),
            patterns::compiled,
        )?;
        check_patterns(
            "deny_verbose",
            overrides.deny_verbose.as_deref().unwrap_or_default(),
            patterns::at_start,
        )?;
        overrides.timeout_seconds.map_or(Ok(()), check_seconds)?;
        Ok(overrides)
    }

    pub(super) fn apply(self, to: &mut Definition) {
        if let Some(patterns) = self.deny_args {
            to.deny_args = patterns;
        }
        if let Some(patterns) = self.deny_verbose {
            to.deny_verbose = patterns;
        }
        if let Some(seconds) = self.timeout_seconds {
            to.timeout_seconds = seconds;
        }
        if let Some(tips) = self.tips {
            to.tips = tips;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(env: Value) -> Result<Variables, String> {
        variables(env.as_object().unwrap(), None)
    }

    #[test]
    fn variables_are_read_as_the_seeds_write_them() {
        let read = read(json!({
            " GH_TOKEN ": "a", "PORT": 5432, "ON": true, "NONE": null, "  ": "dropped",
            "REGION": { "kind": "Value", "value": "eu" }, "KEY": { "kind": "", "value": "k" },
        }))
        .unwrap();
        let shown: Vec<_> =
            read.iter().map(|(n, v)| (n.as_str(), v.value.as_str(), v.kind)).collect();
        use VariableKind::{Sensitive, Value};
        let expected = [
            ("GH_TOKEN", "a", Sensitive),
            ("KEY", "k", Sensitive),
            ("NONE", "", Sensitive),
            ("ON", "true", Sensitive),
            ("PORT", "5432", Sensitive),
            ("REGION", "eu", Value),
        ];
        assert_eq!(shown, expected);
    }

    #[test]
    fn what_changes_what_is_run_is_no_credential() {
        for (env, expected) in [
            (json!({ "path": "x", "LD_PRELOAD": "y", "OK": "z" }), "LD_PRELOAD, path"),
            (json!({ "DYLD_INSERT_LIBRARIES": "x" }), "DYLD_INSERT_LIBRARIES"),
            (json!({ "GOCLAW_SECRET": "x" }), "GOCLAW_SECRET"),
            (json!({ "A-B": "hunter2" }), "`A`"),
            (json!({ "A": { "kind": "other", "value": "hunter2" } }), "`encrypted_env.A`"),
            (json!({ "A": ["hunter2"] }), "`encrypted_env.A`"),
            (json!({ "A": "hunter2\nB" }), "`file`"),
        ] {
            let why = read(env).err().unwrap();
            assert!(why.contains(expected) && !why.contains("hunter2"), "{why}");
        }
    }

    #[test]
    fn a_pattern_that_is_none_names_its_field() {
        let definition = Definition { timeout_seconds: 30, ..Definition::default() };
        let bad = vec!["fine".to_owned(), "(".to_owned()];
        let args = Definition { deny_args: bad.clone(), ..definition.clone() };
        assert!(args.check().unwrap_err().starts_with("`deny_args[1]`"));
        let verbose = Definition { deny_verbose: bad, ..definition };
        assert!(verbose.check().unwrap_err().starts_with("`deny_verbose[1]`"));
    }
}
