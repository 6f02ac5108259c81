//! Where a key is kept: the `secrets` part of the configuration. It holds references only.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use zeroize::Zeroizing;

use super::{Error, Key};
use crate::limits::echo;

/// The `secrets` part of the configuration: the keys under which secrets are stored. The
/// configuration says where a key is kept and never holds one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Secrets {
    /// Where the key is kept that seals and opens secrets: in an environment variable (`{ env =
    /// "TOOLKEEP_KEY" }`), or in a file that only its owner can read, relative to the configuration
    /// file (`{ file = "toolkeep.key" }`). Default: none, and no secret can be stored.
    pub key: Option<KeySource>,
    /// Where older keys are kept. They only open secrets that were sealed under them earlier.
    #[serde(deserialize_with = "sources")]
    pub older_keys: Vec<KeySource>,
}

impl Secrets {
    /// Reads the key that seals, if there is one. A file is relative to `folder`.
    ///
    /// # Errors
    /// [`Error::BadKey`] that names the setting and what is wrong with it.
    pub fn sealing_key(&self, folder: Option<&Path>) -> Result<Option<Key>, Error> {
        self.key.as_ref().map(|source| read("secrets.key", source, folder)).transpose()
    }

    /// Reads the keys that only open. Files are relative to `folder`.
    ///
    /// # Errors
    /// As [`Secrets::sealing_key`].
    pub fn opening_keys(&self, folder: Option<&Path>) -> Result<Vec<Key>, Error> {
        let sources = self.older_keys.iter().enumerate();
        sources.map(|(at, one)| read(&format!("secrets.older_keys[{at}]"), one, folder)).collect()
    }
}

fn read(setting: &str, source: &KeySource, folder: Option<&Path>) -> Result<Key, Error> {
    source
        .key(folder)
        .map_err(|error| Error::BadKey(format!("configuration: `{setting}`: {error}")))
}

/// Where a key is kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum KeySource {
    /// The name of an environment variable.
    Env(String),
    /// The path of a file.
    File(String),
}

const SOURCES: &str = "say where the key is kept: { env = \"TOOLKEEP_KEY\" } or { file = \
                       \"toolkeep.key\" }; the key itself never stands in the configuration";

/// No key is that long, in any form and with any line end.
const MAX_FILE_BYTES: usize = 80;

impl KeySource {
    /// Reads the key. A file is relative to `folder`.
    ///
    /// # Errors
    /// [`Error::BadKey`]: the variable is not set, the file cannot be read or can be read by other
    /// users, or what is there is no key.
    pub fn key(&self, folder: Option<&Path>) -> Result<Key, Error> {
        self.check().map_err(Error::BadKey)?;
        match self {
            KeySource::Env(name) => from_env(name)
                .map_err(|why| bad(&format!("the environment variable `{name}`"), why)),
            KeySource::File(path) => {
                let path = folder.map_or(Cow::Borrowed(Path::new(path)), |f| f.join(path).into());
                from_file(&path).map_err(|why| bad(&format!("the file {}", path.display()), why))
            }
        }
    }

    /// Refuses what is no name or path, above all a key: it would be repeated by the next error.
    fn check(&self) -> Result<(), String> {
        let (KeySource::Env(given) | KeySource::File(given)) = self;
        if looks_like_key(given) {
            return Err(format!("this looks like a key; {SOURCES}"));
        }
        let usable = match self {
            KeySource::Env(name) => {
                !name.starts_with(|c: char| c.is_ascii_digit())
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            }
            KeySource::File(path) => !path.contains('\0'),
        };
        if usable && !given.is_empty() {
            return Ok(());
        }
        Err(match self {
            KeySource::Env(_) => format!("`env` is not the name of a variable; {SOURCES}"),
            KeySource::File(_) => format!("`file` is not the path of a file; {SOURCES}"),
        })
    }

    fn from_value(value: &Value) -> Result<KeySource, String> {
        let Some(fields) = value.as_object() else { return Err(SOURCES.into()) };
        let mut fields = fields.iter();
        let (Some((name, value)), None) = (fields.next(), fields.next()) else {
            return Err(SOURCES.into());
        };
        let make = match name.as_str() {
            "env" => KeySource::Env,
            "file" => KeySource::File,
            other if looks_like_key(other) => return Err(SOURCES.into()),
            other => return Err(format!("there is no such key: `{}`; {SOURCES}", echo(other))),
        };
        let Some(text) = value.as_str() else {
            return Err(format!("`{name}` is no text; {SOURCES}"));
        };
        let source = make(text.to_owned());
        source.check()?;
        Ok(source)
    }
}

// Serde's own errors repeat what they got, which may be a key. These two never do.

impl<'de> Deserialize<'de> for KeySource {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<KeySource, D::Error> {
        let value = Value::deserialize(deserializer)?;
        KeySource::from_value(&value).map_err(serde::de::Error::custom)
    }
}

fn sources<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<KeySource>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let Some(items) = value.as_array() else {
        return Err(serde::de::Error::custom(format!("expected a list; in it, {SOURCES}")));
    };
    let source = |(at, item)| {
        KeySource::from_value(item)
            .map_err(|why| serde::de::Error::custom(format!("entry {at}: {why}")))
    };
    items.iter().enumerate().map(source).collect()
}

impl JsonSchema for KeySource {
    fn schema_name() -> Cow<'static, str> {
        "KeySource".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "Where a key is kept: `{ env = \"NAME\" }` or `{ file = \"path\" }`.",
            "type": "object",
            "propertyNames": { "enum": ["env", "file"] },
            "additionalProperties": { "type": "string" },
            "minProperties": 1,
            "maxProperties": 1,
        })
    }
}

/// True for a key, a key with a slip in it, and hardly any name or path.
fn looks_like_key(text: &str) -> bool {
    let coded = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'=';
    Key::from_text(text).is_ok() || (text.len() >= 32 && text.trim_ascii().bytes().all(coded))
}

fn bad(place: &str, why: String) -> Error {
    Error::BadKey(format!("{place} {why}"))
}

fn from_env(name: &str) -> Result<Key, String> {
    match std::env::var(name) {
        Ok(text) => {
            let text = Zeroizing::new(text);
            Key::from_text(&text).map_err(|error| format!("holds no key: {error}"))
        }
        Err(std::env::VarError::NotPresent) => Err("is not set".into()),
        Err(std::env::VarError::NotUnicode(raw)) => {
            drop(Zeroizing::new(raw.into_encoded_bytes()));
            Err(format!("holds no key: it is not text; {}", super::key::FORMS))
        }
    }
}

fn from_file(path: &Path) -> Result<Key, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let mut file = open(path).map_err(unreadable)?;
    check_file(&file.metadata().map_err(unreadable)?)?;
    let mut content = Zeroizing::new([0; MAX_FILE_BYTES + 1]);
    let mut length = 0;
    while length < content.len() {
        match file.read(&mut content[length..]) {
            Ok(0) => break,
            Ok(more) => length += more,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(unreadable(error)),
        }
    }
    if length > MAX_FILE_BYTES {
        return Err(format!("is longer than a key file can be; {}", super::key::FORMS));
    }
    Key::from_file_content(&content[..length]).map_err(|error| format!("holds no key: {error}"))
}

#[cfg(unix)]
fn open(path: &Path) -> std::io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;

    // A pipe without a writer would be waited for, forever.
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    File::options().read(true).custom_flags(flags).open(path)
}

#[cfg(not(unix))]
fn open(path: &Path) -> std::io::Result<File> {
    File::open(path)
}

/// Looks at the file that was opened, not at its name, which may mean another one by now.
fn check_file(found: &std::fs::Metadata) -> Result<(), String> {
    if !found.is_file() {
        return Err("is not a regular file".into());
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;

        let mode = found.permissions().mode() & 0o7777;
        if mode & 0o077 != 0 {
            return Err(format!(
                "is open to other users (mode {mode:04o}); `chmod 600` it, and make a new key if \
                 somebody may have read this one"
            ));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
