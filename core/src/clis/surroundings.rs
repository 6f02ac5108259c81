//! What a CLI finds: exactly the variables that it needs, and private files for those that are files.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use tempfile::TempDir;
use zeroize::Zeroizing;

use super::binary::search_path;
use super::definition::{Definition, VariableKind, Variables};
use crate::exec::environment::Variables as Texts;

/// What is made of a preset's variables besides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Adapter {
    /// Nothing.
    None,
    /// A token or a key for one host, as git takes it.
    Git,
    /// A file of passwords for one server, as psql takes it.
    Psql,
}

/// The surroundings of one call. Its folder, with the files in it, ends with it.
pub(crate) struct Surroundings {
    /// A private folder, which is the home folder and the temporary one.
    pub folder: TempDir,
    /// All variables.
    pub variables: Texts,
    /// Files of the owner's that it reads.
    pub reads: Vec<PathBuf>,
    /// What is masked in the texts of the call, each with what placeholders call it.
    pub secrets: Vec<(Zeroizing<String>, String)>,
}

/// Why there are none.
#[derive(Debug)]
pub(crate) enum NoSurroundings {
    /// These variables are needed and not set.
    Missing(Vec<&'static str>),
    /// Something else, in a sentence without a value.
    Other(String),
}

impl From<io::Error> for NoSurroundings {
    fn from(error: io::Error) -> NoSurroundings {
        NoSurroundings::Other(format!("its private folder cannot be made: {error}"))
    }
}

/// Variables of the host that are no secrets and that every CLI gets where they are set.
const INHERITED: &[&str] =
    &["LANG", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR", "SYSTEMROOT"];

/// The variables that a preset needs and that are missing.
///
/// # Errors
/// Their names.
pub(super) fn complete(of: &Definition, variables: &Variables) -> Result<(), NoSurroundings> {
    let required = of.preset().map_or(&[][..], |preset| preset.required);
    let is_blank =
        |name: &&&str| variables.get(**name).is_none_or(|one| one.value.trim().is_empty());
    let missing: Vec<&'static str> = required.iter().filter(is_blank).copied().collect();
    if missing.is_empty() { Ok(()) } else { Err(NoSurroundings::Missing(missing)) }
}

/// Makes the surroundings; blocking. `seen_at` says where the program sees its folder.
///
/// # Errors
/// Where something is missing, or the folder cannot be made.
pub(super) fn make(
    of: &Definition,
    variables: &Variables,
    binary: &Path,
    seen_at: impl FnOnce(&Path) -> PathBuf,
) -> Result<Surroundings, NoSurroundings> {
    complete(of, variables)?;
    let folder = tempfile::Builder::new().prefix("toolkeep-cli-").tempdir()?;
    for name in ["shm", "files"] {
        fs::DirBuilder::new().mode(0o700).create(folder.path().join(name))?;
    }
    let home = seen_at(folder.path());
    let mut made =
        Surroundings { folder, variables: Texts::new(), reads: Vec::new(), secrets: Vec::new() };
    let own = std::env::vars().filter(|(name, _)| INHERITED.contains(&name.as_str()));
    made.variables.extend(own);
    let shown = home.display().to_string();
    for (name, value) in [
        ("PATH", search_path(binary).as_str()),
        ("HOME", shown.as_str()),
        ("TMPDIR", shown.as_str()),
        ("USER", "toolkeep"),
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
    ] {
        made.variables.insert(name.to_owned(), value.to_owned());
    }
    made.variables.entry("LANG".to_owned()).or_insert_with(|| "C.UTF-8".to_owned());
    let preset = of.preset();
    for (name, value) in preset.map_or(&[][..], |preset| preset.sets) {
        made.variables.insert((*name).to_owned(), value.replace("{HOME}", &shown));
    }
    for (name, one) in variables {
        match one.kind {
            VariableKind::Value => {
                made.variables.insert(name.clone(), one.value.to_string());
            }
            VariableKind::Sensitive => {
                made.guard(&one.value, name);
                made.variables.insert(name.clone(), one.value.to_string());
            }
            VariableKind::File => made.file(name, &one.value, &home)?,
        }
    }
    match preset.map_or(Adapter::None, |preset| preset.adapter) {
        Adapter::None => {}
        Adapter::Git => made.git(&home)?,
        Adapter::Psql => made.psql(&home)?,
    }
    Ok(made)
}

impl Surroundings {
    fn guard(&mut self, value: &str, name: &str) {
        let kind = name.to_ascii_lowercase().replace('_', "-");
        self.secrets.push((Zeroizing::new(value.to_owned()), kind));
    }

    /// A variable that is a file: one of the owner's by its path, or a private one.
    fn file(&mut self, name: &str, value: &str, home: &Path) -> Result<(), NoSurroundings> {
        if value.is_empty() {
            return Ok(());
        }
        let is_path = value.starts_with('/') && !value.contains('\n');
        let path = if is_path {
            let path = PathBuf::from(value);
            if !path.is_file() {
                let text = format!("the variable `{name}` names a file that is not there");
                return Err(NoSurroundings::Other(text));
            }
            if let Ok(content) = fs::read_to_string(&path) {
                self.guard_parts(&content, name);
            }
            self.reads.push(path.clone());
            path
        } else {
            self.guard_parts(value, name);
            self.private(&name.to_ascii_lowercase(), value, home)?
        };
        self.variables.insert(name.to_owned(), path.display().to_string());
        Ok(())
    }

    /// Writes a private file. Where the program sees it.
    fn private(&self, name: &str, content: &str, home: &Path) -> io::Result<PathBuf> {
        let below = Path::new("files").join(name);
        let path = self.folder.path().join(&below);
        let mut file =
            fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
        file.write_all(content.as_bytes())?;
        if !content.ends_with('\n') {
            // A private key without a last line break is none to ssh.
            file.write_all(b"\n")?;
        }
        Ok(home.join(below))
    }

    /// Masks the content of a file as a whole, and what in it is set to a name that tells of a secret.
    fn guard_parts(&mut self, content: &str, name: &str) {
        self.guard(content.trim(), name);
        let mut found: Vec<String> = Vec::new();
        if let Ok(json) = serde_json::from_str::<serde_json::Value>(content) {
            secrets_of_json(&json, &mut found);
        }
        for line in content.lines() {
            let pair = line.split_once(": ").or_else(|| line.split_once('='));
            if let Some((key, value)) = pair
                && is_telling(key.trim().trim_start_matches("- "))
            {
                found.push(value.trim().trim_matches(['"', '\'']).to_owned());
            }
        }
        // A file of passwords: host:port:database:user:password.
        if name == "PGPASSFILE" {
            let words = content.lines().filter_map(|line| line.rsplit(':').next());
            found.extend(words.map(str::to_owned));
        }
        for value in found {
            self.guard(&value, name);
        }
    }

    /// A token goes to its host alone, by settings that stand in the environment; a key stands in a
    /// private file. Settings of a repository that would run programs are set aside.
    fn git(&mut self, home: &Path) -> Result<(), NoSurroundings> {
        let mut take = |name: &str| self.variables.remove(name).filter(|value| !value.is_empty());
        let (host, token) = (take("GIT_HOST"), take("GIT_TOKEN"));
        let (user, key) = (take("GIT_USERNAME"), take("GIT_SSH_KEY"));
        let known = take("GIT_SSH_KNOWN_HOSTS");
        let mut settings: Vec<(String, String)> = [
            ("core.hooksPath", "/dev/null"),
            ("core.fsmonitor", "false"),
            ("core.pager", "cat"),
            ("core.askPass", ""),
            ("core.sshCommand", "ssh"),
            ("core.alternateRefsCommand", "true"),
            ("credential.helper", ""),
            ("protocol.ext.allow", "never"),
            ("protocol.file.allow", "user"),
            ("diff.external", ""),
            ("gpg.program", "false"),
            ("commit.gpgSign", "false"),
            ("tag.gpgSign", "false"),
            ("http.followRedirects", "false"),
            ("http.proxy", ""),
            ("uploadpack.packObjectsHook", ""),
            ("submodule.recurse", "false"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
        if let Some(token) = token {
            let host = checked_host(host.as_deref())?;
            let user = user.unwrap_or_else(|| "x-access-token".to_owned());
            let pair = Zeroizing::new(format!("{user}:{token}"));
            let coded = BASE64.encode(pair.as_bytes());
            self.guard(&pair, "GIT_TOKEN");
            self.guard(&coded, "GIT_TOKEN");
            settings.push((
                format!("http.https://{host}/.extraHeader"),
                format!("Authorization: Basic {coded}"),
            ));
        }
        if let Some(key) = key {
            // A host that is not known is not trusted at first sight.
            let known = known.unwrap_or_else(|| home.join("known_hosts").display().to_string());
            let command = format!(
                "ssh -i {key} -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes \
                 -o UserKnownHostsFile={known} -F /dev/null"
            );
            self.variables.insert("GIT_SSH_COMMAND".into(), command);
        }
        self.variables.insert("GIT_CONFIG_GLOBAL".into(), "/dev/null".into());
        self.variables.insert("GIT_CONFIG_COUNT".into(), settings.len().to_string());
        for (at, (name, value)) in settings.into_iter().enumerate() {
            self.variables.insert(format!("GIT_CONFIG_KEY_{at}"), name);
            self.variables.insert(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
        Ok(())
    }

    /// A password for a server that is named goes to that server alone.
    fn psql(&mut self, home: &Path) -> Result<(), NoSurroundings> {
        let value = |name: &str| self.variables.get(name).filter(|value| !value.is_empty());
        let (Some(password), Some(host)) = (value("PGPASSWORD"), value("PGHOST")) else {
            return Ok(());
        };
        let any = "*".to_owned();
        let part = |name: &str| escaped(value(name).unwrap_or(&any));
        let line = Zeroizing::new(format!(
            "{}:{}:{}:{}:{}\n",
            escaped(host),
            part("PGPORT"),
            part("PGDATABASE"),
            part("PGUSER"),
            escaped(password)
        ));
        let path = self.private("pgpass", &line, home)?;
        self.variables.remove("PGPASSWORD");
        self.variables.insert("PGPASSFILE".into(), path.display().to_string());
        Ok(())
    }
}

/// A field of a file of passwords.
fn escaped(text: &str) -> String {
    if text == "*" { text.to_owned() } else { text.replace('\\', r"\\").replace(':', r"\:") }
}

fn checked_host(host: Option<&str>) -> Result<String, NoSurroundings> {
    let host = host.unwrap_or_default().trim().trim_end_matches('.').to_ascii_lowercase();
    let (name, port) = host.split_once(':').unwrap_or((&host, "0"));
    let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '.' || c == '-';
    let fits = !name.is_empty() && name.chars().all(is_name) && port.parse::<u16>().is_ok();
    let text = "`GIT_HOST` must name the host that `GIT_TOKEN` is for, as `github.com` or \
                `git.example.com:8443`";
    if fits { Ok(host) } else { Err(NoSurroundings::Other(text.into())) }
}

/// True for a name that tells of a secret.
fn is_telling(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_matches(['"', '\'']);
    [
        "token",
        "secret",
        "password",
        "passwd",
        "private_key",
        "key-data",
        "api_key",
        "apikey",
        "credential",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn secrets_of_json(json: &serde_json::Value, found: &mut Vec<String>) {
    match json {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    serde_json::Value::String(text) if is_telling(name) => found.push(text.clone()),
                    other => secrets_of_json(other, found),
                }
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| secrets_of_json(item, found))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::super::definition::Variable;
    use super::*;

    fn made(
        preset: &str,
        given: &[(&str, &str, VariableKind)],
    ) -> Result<Surroundings, NoSurroundings> {
        let variables = given
            .iter()
            .map(|(name, value, kind)| {
                let value = Zeroizing::new((*value).to_owned());
                ((*name).to_owned(), Variable { kind: *kind, value })
            })
            .collect();
        let of = Definition { preset: Some(preset.into()), ..Definition::default() };
        make(&of, &variables, Path::new("/usr/bin/x"), |_| PathBuf::from("/seen"))
    }

    use VariableKind::{File, Sensitive, Value};

    #[test]
    fn what_is_missing_is_named_and_nothing_is_made() {
        let missing = made("aws", &[("AWS_ACCESS_KEY_ID", " ", Sensitive)]);
        let Err(NoSurroundings::Missing(names)) = missing else { panic!("it was made") };
        assert_eq!(names, ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"]);
    }

    #[test]
    fn a_call_has_the_variables_that_it_needs_and_no_others() {
        let made = made("gh", &[("GH_TOKEN", "hunter2hunter2", Sensitive)]).unwrap();
        assert_eq!(made.variables["GH_TOKEN"], "hunter2hunter2");
        assert_eq!(made.variables["HOME"], "/seen");
        assert!(!made.variables.contains_key("CARGO_MANIFEST_DIR"), "{:?}", made.variables);
        assert_eq!(made.secrets[0].1, "gh-token");
    }

    #[test]
    fn a_file_is_private_and_its_secrets_are_masked_one_by_one() {
        let json =
            r#"{"type":"service_account","private_key":"-----BEGIN k\nabc","client_email":"a@b"}"#;
        let made = made("gcloud", &[("GOOGLE_APPLICATION_CREDENTIALS", json, File)]).unwrap();
        let at = "files/google_application_credentials";
        assert_eq!(made.variables["GOOGLE_APPLICATION_CREDENTIALS"], format!("/seen/{at}"));
        let path = made.folder.path().join(at);
        assert_eq!(fs::read_to_string(&path).unwrap().trim(), json);
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(fs::metadata(path).unwrap().permissions().mode() & 0o777, 0o600);
        assert!(made.secrets.iter().any(|(value, _)| value.as_str() == "-----BEGIN k\nabc"));
        assert!(!made.secrets.iter().any(|(value, _)| value.as_str() == "a@b"));
    }

    #[test]
    fn a_token_of_git_goes_to_its_host_by_the_environment() {
        let made = made(
            "git",
            &[("GIT_HOST", " GitHub.Com. ", Value), ("GIT_TOKEN", "ghp_abc", Sensitive)],
        )
        .unwrap();
        let count: usize = made.variables["GIT_CONFIG_COUNT"].parse().unwrap();
        let (name, value) =
            (format!("GIT_CONFIG_KEY_{}", count - 1), format!("GIT_CONFIG_VALUE_{}", count - 1));
        assert_eq!(made.variables[&name], "http.https://github.com/.extraHeader");
        let coded = BASE64.encode(b"x-access-token:ghp_abc");
        assert_eq!(made.variables[&value], format!("Authorization: Basic {coded}"));
        assert!(!made.variables.contains_key("GIT_TOKEN"));
        assert!(made.secrets.iter().any(|(value, _)| value.as_str() == coded));
        let bad = super::tests::made("git", &[("GIT_TOKEN", "ghp_abc", Sensitive)]);
        assert!(matches!(bad, Err(NoSurroundings::Other(_))));
    }

    #[test]
    fn a_password_of_psql_goes_to_its_server_alone() {
        let given = [("PGHOST", "db.internal", Value), ("PGPASSWORD", r"x\:y", Sensitive)];
        let made = made("psql", &given).unwrap();
        assert!(!made.variables.contains_key("PGPASSWORD"));
        let line = fs::read_to_string(made.folder.path().join("files/pgpass")).unwrap();
        assert_eq!(line, "db.internal:*:*:*:x\\\\\\:y\n");
    }
}
