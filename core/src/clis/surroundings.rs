//! The environment of a CLI: exactly the variables that it needs, and private files for those that are
//! files.

use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use data_encoding::BASE64;
use zeroize::Zeroizing;

use super::adapter::Adapter;
use super::binary::search_path;
use super::definition::{Definition, VariableKind, Variables};
use super::parts::parts;
use crate::exec::PrivateFile;
use crate::exec::environment::Variables as Texts;
use crate::exec::sandbox::HOME;

/// Where a CLI runs.
pub(crate) enum Ground<'g> {
    /// On this machine.
    Host {
        /// Where it sees its private folder.
        home: PathBuf,
        /// Its binary.
        binary: &'g Path,
    },
    /// In a container of its own, whose home folder is its private folder.
    Container,
}

/// The surroundings of one call.
pub(crate) struct Surroundings {
    /// All variables. In a container, the search path, the language, the time zone and certificates are
    /// those of the image.
    pub variables: Texts,
    /// Its private files.
    pub files: Vec<PrivateFile>,
    /// Files of the owner's that it reads.
    pub reads: Vec<PathBuf>,
    /// What is masked in the texts of the call, each with what placeholders call it.
    pub secrets: Vec<(Zeroizing<String>, String)>,
    /// Where it sees its private files.
    files_at: PathBuf,
    /// What their names end with, which no word of a call can guess.
    mark: String,
    /// Files of the owner's are there, by their paths.
    is_on_host: bool,
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

/// Settings of git that set aside those by which a repository would have it run programs.
const GUARDS: [(&str, &str); 16] = [
    ("core.hooksPath", "/dev/null"),
    ("core.fsmonitor", "false"),
    ("core.pager", "cat"),
    ("core.askPass", ""),
    ("core.sshCommand", "ssh"),
    ("core.alternateRefsCommand", "true"),
    ("credential.helper", ""),
    ("protocol.ext.allow", "never"),
    ("protocol.file.allow", "user"),
    ("help.autocorrect", "never"),
    ("gpg.program", "false"),
    ("commit.gpgSign", "false"),
    ("tag.gpgSign", "false"),
    ("http.proxy", ""),
    ("uploadpack.packObjectsHook", ""),
    ("submodule.recurse", "false"),
];

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

/// Makes of an empty folder of this machine a private one; blocking.
///
/// # Errors
/// Where it cannot be written.
pub(super) fn furnish(folder: &Path) -> io::Result<()> {
    let make = |name: &str| fs::DirBuilder::new().mode(0o700).create(folder.join(name));
    make("shm")
}

/// Makes the surroundings; blocking.
///
/// # Errors
/// Where something is missing.
pub(super) fn make(
    of: &Definition,
    variables: &Variables,
    ground: &Ground<'_>,
) -> Result<Surroundings, NoSurroundings> {
    complete(of, variables)?;
    let mut made = Surroundings::on(ground);
    let home = match ground {
        Ground::Host { home, .. } => home.as_path(),
        Ground::Container => Path::new(HOME),
    };
    let shown = home.display().to_string();
    for (name, value) in [
        ("HOME", shown.as_str()),
        ("TMPDIR", shown.as_str()),
        ("USER", "toolkeep"),
        ("TERM", "dumb"),
        ("NO_COLOR", "1"),
    ] {
        made.variables.insert(name.to_owned(), value.to_owned());
    }
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
            VariableKind::File => made.file(name, &one.value)?,
        }
    }
    match preset.map_or(Adapter::None, |preset| preset.adapter) {
        Adapter::None => {}
        Adapter::Git => made.git(home)?,
        Adapter::Gh => made.set_for_git(GUARDS.map(owned).into()),
        Adapter::Psql => made.psql(),
    }
    Ok(made)
}

/// The largest file of the owner's that goes into a container, in bytes: it is passed through a shell.
const MOST_BYTES: u64 = 256 << 10;

impl Surroundings {
    fn guard(&mut self, value: &str, name: &str) {
        let kind = name.to_ascii_lowercase().replace('_', "-");
        self.secrets.push((Zeroizing::new(value.to_owned()), kind));
    }

    /// Nothing but what every CLI has there.
    fn on(ground: &Ground<'_>) -> Surroundings {
        let mut variables = Texts::new();
        let mark = format!("-{}", uuid::Uuid::new_v4().simple());
        let files_at = match ground {
            Ground::Host { home, binary } => {
                let own = std::env::vars().filter(|(name, _)| INHERITED.contains(&name.as_str()));
                variables.extend(own);
                variables.insert("PATH".to_owned(), search_path(binary));
                variables.entry("LANG".to_owned()).or_insert_with(|| "C.UTF-8".to_owned());
                home.join(format!("files{mark}"))
            }
            Ground::Container => PathBuf::from(HOME),
        };
        let is_on_host = matches!(ground, Ground::Host { .. });
        let (files, reads, secrets) = (Vec::new(), Vec::new(), Vec::new());
        Surroundings { variables, files, reads, secrets, files_at, mark, is_on_host }
    }

    /// Writes the private files into a folder of this machine; blocking.
    ///
    /// # Errors
    /// Where one cannot be written.
    pub(super) fn write_into(&self, folder: &Path) -> io::Result<()> {
        let own = self.files_at.file_name().map(|name| folder.join(name));
        let own = own.ok_or(io::ErrorKind::InvalidInput)?;
        fs::DirBuilder::new().mode(0o700).create(&own)?;
        for PrivateFile { name, content } in &self.files {
            let path = own.join(name);
            let mut file =
                fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
            file.write_all(content)?;
        }
        Ok(())
    }

    /// A variable that is a file: one of the owner's by its path, or a private one.
    fn file(&mut self, name: &str, value: &str) -> Result<(), NoSurroundings> {
        if value.is_empty() {
            return Ok(());
        }
        let own = name.to_ascii_lowercase();
        let is_path = value.starts_with('/') && !value.contains('\n');
        let path = if !is_path {
            self.guard_parts(value, name);
            self.private(&own, value)
        } else {
            let path = PathBuf::from(value);
            let content = self.owners(&path).map_err(|why| {
                NoSurroundings::Other(format!("the variable `{name}` names a file that {why}"))
            })?;
            if let Some(text) = content.as_deref().and_then(|all| std::str::from_utf8(all).ok()) {
                self.guard_parts(text, name);
            }
            match content {
                Some(content) if !self.is_on_host => self.keep(&own, content),
                _ => {
                    self.reads.push(path.clone());
                    path
                }
            }
        };
        self.variables.insert(name.to_owned(), path.display().to_string());
        Ok(())
    }

    /// What a file of the owner's holds, as far as that is needed here.
    fn owners(&self, path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, String> {
        if !path.is_file() {
            return Err("is not there".to_owned());
        }
        let read = fs::read(path).map(Zeroizing::new);
        if self.is_on_host {
            return Ok(read.ok());
        }
        let content = read.map_err(|error| format!("cannot be read: {error}"))?;
        match content.len() as u64 <= MOST_BYTES {
            true => Ok(Some(content)),
            false => Err(format!("is larger than {} KiB, so no sandbox gets it", MOST_BYTES >> 10)),
        }
    }

    /// Adds a private file. Where the program sees it.
    fn private(&mut self, name: &str, content: &str) -> PathBuf {
        let mut content = Zeroizing::new(content.as_bytes().to_vec());
        if !content.ends_with(b"\n") {
            // ssh rejects a private key without a final line break.
            content.push(b'\n');
        }
        self.keep(name, content)
    }

    fn keep(&mut self, name: &str, content: Zeroizing<Vec<u8>>) -> PathBuf {
        let name = format!("{name}{}", self.mark);
        let path = self.files_at.join(&name);
        self.files.push(PrivateFile { name, content });
        path
    }

    /// Masks the content of a file as a whole, and what in it is set to a name that suggests a secret.
    fn guard_parts(&mut self, content: &str, name: &str) {
        self.guard(content.trim(), name);
        for value in parts(name, content) {
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
        let mut settings: Vec<(String, String)> = GUARDS.map(owned).into();
        // Without this, the token would be sent to other hosts as well.
        settings.push(owned(("http.followRedirects", "false")));
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
        self.set_for_git(settings);
        Ok(())
    }

    /// Settings that hold before those of any file.
    fn set_for_git(&mut self, settings: Vec<(String, String)>) {
        self.variables.insert("GIT_CONFIG_GLOBAL".into(), "/dev/null".into());
        self.variables.insert("GIT_CONFIG_COUNT".into(), settings.len().to_string());
        for (at, (name, value)) in settings.into_iter().enumerate() {
            self.variables.insert(format!("GIT_CONFIG_KEY_{at}"), name);
            self.variables.insert(format!("GIT_CONFIG_VALUE_{at}"), value);
        }
    }

    /// A password for a server that is named goes to that server alone.
    fn psql(&mut self) {
        let value = |name: &str| self.variables.get(name).filter(|value| !value.is_empty());
        let (Some(password), Some(host)) = (value("PGPASSWORD"), value("PGHOST")) else {
            return;
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
        let path = self.private("pgpass", &line);
        self.variables.remove("PGPASSWORD");
        self.variables.insert("PGPASSFILE".into(), path.display().to_string());
    }
}

/// A field of a file of passwords.
fn escaped(text: &str) -> String {
    if text == "*" { text.to_owned() } else { text.replace('\\', r"\\").replace(':', r"\:") }
}

fn owned((name, value): (&str, &str)) -> (String, String) {
    (name.to_owned(), value.to_owned())
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

#[cfg(test)]
mod tests {
    use super::super::definition::Variable;
    use super::*;

    fn made(
        preset: &str,
        given: &[(&str, &str, VariableKind)],
    ) -> Result<Surroundings, NoSurroundings> {
        let (home, binary) = (PathBuf::from("/seen"), Path::new("/usr/bin/x"));
        made_on(preset, given, &Ground::Host { home, binary })
    }

    fn made_on(
        preset: &str,
        given: &[(&str, &str, VariableKind)],
        ground: &Ground<'_>,
    ) -> Result<Surroundings, NoSurroundings> {
        let variables = given
            .iter()
            .map(|(name, value, kind)| {
                let value = Zeroizing::new((*value).to_owned());
                ((*name).to_owned(), Variable { kind: *kind, value })
            })
            .collect();
        let of = Definition { preset: Some(preset.into()), ..Definition::default() };
        make(&of, &variables, ground)
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
        // The git that it runs takes no program from a repository's settings.
        let count: usize = made.variables["GIT_CONFIG_COUNT"].parse().unwrap();
        let set = |name: &str| {
            let at = (0..count).find(|at| made.variables[&format!("GIT_CONFIG_KEY_{at}")] == name);
            made.variables[&format!("GIT_CONFIG_VALUE_{}", at.unwrap())].as_str()
        };
        assert_eq!((set("core.fsmonitor"), set("core.hooksPath")), ("false", "/dev/null"));
        assert_eq!(made.variables["GIT_CONFIG_GLOBAL"], "/dev/null");
    }

    #[test]
    fn a_file_is_private_and_its_secrets_are_masked_one_by_one() {
        let json =
            r#"{"type":"service_account","private_key":"-----BEGIN k\nabc","client_email":"a@b"}"#;
        let made = made("gcloud", &[("GOOGLE_APPLICATION_CREDENTIALS", json, File)]).unwrap();
        // The name is random, so words that were written before cannot contain it.
        let mark = &made.mark;
        assert!(mark.len() > 30, "{mark}");
        let at = format!("files{mark}/google_application_credentials{mark}");
        assert_eq!(made.variables["GOOGLE_APPLICATION_CREDENTIALS"], format!("/seen/{at}"));
        let folder = tempfile::tempdir().unwrap();
        furnish(folder.path()).unwrap();
        made.write_into(folder.path()).unwrap();
        let path = folder.path().join(at);
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
        assert_eq!(&*made.files[0].content, b"db.internal:*:*:*:x\\\\\\:y\n");
        let mark = &made.mark;
        assert_eq!(made.variables["PGPASSFILE"], format!("/seen/files{mark}/pgpass{mark}"));
    }

    #[test]
    fn in_a_container_files_are_in_its_home_and_the_rest_is_the_images() {
        let own = tempfile::NamedTempFile::new().unwrap();
        fs::write(own.path(), [b'a', 0, 255]).unwrap();
        let path = own.path().to_str().unwrap();
        let given = [
            ("AWS_ACCESS_KEY_ID", "hunter2hunter2", Sensitive),
            ("AWS_SECRET_ACCESS_KEY", "hunter3hunter3", Sensitive),
            ("AWS_DEFAULT_REGION", "eu-north-1", Value),
            ("BINARY", path, File),
            ("TEXT", "token: x", File),
        ];
        let made = made_on("aws", &given, &Ground::Container).unwrap();
        for (name, value) in [
            ("AWS_DEFAULT_REGION", "eu-north-1"),
            ("AWS_PAGER", ""),
            ("BINARY", "/home/agent/binary"),
            ("TEXT", "/home/agent/text"),
            ("HOME", "/home/agent"),
        ] {
            assert_eq!(made.variables[name].replace(&made.mark, ""), value, "{name}");
        }
        for image in ["PATH", "LANG", "TZ", "SSL_CERT_FILE"] {
            assert!(!made.variables.contains_key(image), "{image}");
        }
        let name = |file: &PrivateFile| file.name.replace(&made.mark, "");
        let files: Vec<(String, &[u8])> =
            made.files.iter().map(|file| (name(file), &**file.content)).collect();
        let expected = [("binary".into(), &[b'a', 0, 255][..]), ("text".into(), b"token: x\n")];
        assert_eq!(files, expected);
        assert!(made.reads.is_empty());
        fs::write(own.path(), vec![0; 300 << 10]).unwrap();
        let Err(NoSurroundings::Other(why)) = made_on("aws", &given, &Ground::Container) else {
            panic!("it was made")
        };
        assert!(why.contains("`BINARY`") && why.contains("256 KiB"), "{why}");
    }
}
