//! Whose place a path is: the workspace, a temporary folder, a secret, the system.
//!
//! [`resolve`] makes a path absolute (see `path`), and [`scope`] says whose place it is. The rest
//! of the crate judges scopes and never paths, so every list of well-known paths stands here:
//!
//! - `names` holds the lists: secrets, startup files, files that agents and editors obey.
//! - `protected` decides which files of the workspace are protected although the agent works there.
//! - [`is_trusted`] says whether a program is one of the system.
//!
//! Of several possible scopes the most sensitive one counts. A path of which only the beginning is
//! known has the scope of the folder that is certain.
//!
//! # How a path gets its scope
//!
//! ```text
//! "../x/.ssh/id_rsa"            as a word of the command
//! → resolve                     "/home/user/.ssh/id_rsa": absolute, links followed
//! → denied?                     if the owner denies it, that is all that counts
//! → device, secret, startup     by place or by name; the first that fits
//! → workspace, read roots, temp the innermost folder decides
//! → home, system                everything else
//! ```

mod names;
mod protected;

pub use crate::path::{PROCESS, descriptor, is_process, is_stdin, is_within, normal, resolve};
pub use protected::{is_opened, is_protected, names, protected, starts};

use names::{
    SECRET_NAMES, SECRETS_OF_HOME, SECRETS_OF_SYSTEM, STARTS_SHELLS, STARTUP_OF_HOME,
    STARTUP_OF_SYSTEM,
};

use crate::denied;
use crate::effect::Scope;
use crate::env::Env;
use crate::value::{Origin, Value};

/// Folders whose programs are those of the system. Packages and administrators install there; an
/// agent that works in its workspace cannot, so a name in one of them can be trusted to be the
/// program that it names.
const TRUSTED: &[&str] = &[
    "/bin", "/sbin", "/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin",
    "/opt/homebrew/bin", "/usr/lib", "/usr/libexec", "/lib", "/lib64", "/usr/lib64",
];

/// Whose place a resolved path is. Of several possible ones the most sensitive counts; of a path
/// whose end is unknown, what its beginning makes sure.
#[must_use]
pub fn scope(path: &Value, env: &Env) -> Scope {
    if denied::is_denied(path, env) {
        return Scope::Denied;
    }
    match path {
        Value::Known(text) => scope_of_known(text, env),
        Value::OneOf(texts) => texts
            .iter()
            .map(|text| scope_of_known(text, env))
            .max_by_key(|scope| severity(*scope))
            .unwrap_or(Scope::Unknown),
        Value::Prefix(text, Origin::Glob(pattern)) if finds_secret(text, pattern, env) => {
            Scope::Secret
        }
        Value::Prefix(text, Origin::Output(_)) if text == PROCESS => Scope::HarmlessDevice,
        Value::Prefix(..) if may_be_hooks(path) => Scope::VersionControl,
        // What follows may climb out of the folder again.
        Value::Prefix(_, origin) if !origin.is_plain() => Scope::Unknown,
        Value::Prefix(text, _) => match text.rsplit_once('/') {
            // A name that only begins so may be any of the folder.
            Some((folder, _)) if !folder.is_empty() => match scope_of_known(folder, env) {
                Scope::WorkspaceRoot if env.workspace.iter().any(|root| root == folder) => {
                    Scope::Workspace
                }
                Scope::WorkspaceRoot => Scope::Unknown,
                scope => scope,
            },
            _ => Scope::Unknown,
        },
        Value::Unknown(_) => Scope::Unknown,
    }
}

/// True for a pattern that may find the folder of a repository, or what runs in it.
#[must_use]
pub fn may_be_hooks(path: &Value) -> bool {
    let Value::Prefix(text, Origin::Glob(pattern)) = path else { return false };
    let (folder, part) = text.rsplit_once('/').unwrap_or(("", text));
    !part.is_empty() && ".git".starts_with(part)
        || folder.ends_with("/.git")
            && ["hooks", "config"].iter().any(|name| name.starts_with(part))
        || denied::finds_below(pattern, ".git", &["hooks", "config"])
}

/// The rank of a scope: the higher, the more sensitive. Where a path may be one of several, the
/// highest counts.
pub(super) fn severity(scope: Scope) -> usize {
    const ORDER: [Scope; 15] = [
        Scope::HarmlessDevice,
        Scope::Temp,
        Scope::Workspace,
        Scope::ReadRoot,
        Scope::Home,
        Scope::VersionControl,
        Scope::AgentConfig,
        Scope::Unknown,
        Scope::WorkspaceRoot,
        Scope::System,
        Scope::Kernel,
        Scope::Startup,
        Scope::Device,
        Scope::Secret,
        Scope::Denied,
    ];
    ORDER.iter().position(|other| *other == scope).unwrap_or(ORDER.len())
}

/// The scope of one known path.
fn scope_of_known(path: &str, env: &Env) -> Scope {
    let within = |roots: &[String]| roots.iter().any(|root| is_within(path, root));
    if let Some(scope) = device_scope(path) {
        return scope;
    }
    if is_secret(path, env) {
        return Scope::Secret;
    }
    if is_startup(path, env) {
        return Scope::Startup;
    }
    if env.workspace.iter().any(|root| is_within(root, path)) {
        return Scope::WorkspaceRoot;
    }
    // Of folders within each other the innermost says what may be done.
    let depth = |roots: &[String]| {
        roots.iter().filter(|root| is_within(path, root)).map(|root| root.len()).max()
    };
    let read = depth(&env.read_roots);
    if read.is_some() && read >= depth(&env.workspace) && read >= depth(&env.temp) {
        return Scope::ReadRoot;
    }
    if within(&env.workspace) {
        return protected::scope(path, env);
    }
    if within(&env.temp) {
        return Scope::Temp;
    }
    if is_within(path, &env.home) || is_within(path, "/home") || is_within(path, "/root") {
        return Scope::Home;
    }
    Scope::System
}

/// The scope of a path below `/dev`, `/proc` or `/sys`; none for any other path.
fn device_scope(path: &str) -> Option<Scope> {
    if is_within(path, "/proc") || is_within(path, "/sys") {
        let environment = path.ends_with("/environ");
        return Some(if environment { Scope::Secret } else { Scope::Kernel });
    }
    let name = path.strip_prefix("/dev/")?;
    let harmless =
        ["null", "zero", "full", "random", "urandom", "stdin", "stdout", "stderr", "tty", "ptmx"];
    let is_harmless =
        harmless.contains(&name) || ["fd", "pts"].iter().any(|folder| is_within(name, folder));
    Some(match name {
        _ if is_within(name, "shm") => Scope::Temp,
        _ if is_harmless => Scope::HarmlessDevice,
        _ => Scope::Device,
    })
}

/// True for a name, or a pattern of names, that secrets have.
#[must_use]
pub fn may_be_secret(name: &str) -> bool {
    is_secret(&format!("/{name}"), &Env::default()) || denied::finds_name(name, SECRET_NAMES)
}

/// True if a pattern may find a secret.
fn finds_secret(begins: &str, pattern: &str, env: &Env) -> bool {
    let homes = [env.home.trim_end_matches('/'), "/root", "/home/*"];
    let of_home = homes
        .iter()
        .flat_map(|home| SECRETS_OF_HOME.iter().map(move |name| format!("{home}/{name}")));
    let of_system = SECRETS_OF_SYSTEM.iter().copied().map(str::to_owned);
    let of_kernel = ["/proc/*/environ", "/proc/*/task/*/environ"].map(str::to_owned);
    let roots: Vec<String> = of_home.chain(of_system).chain(of_kernel).collect();
    denied::finds_any(begins, pattern, &roots) || denied::finds_name(pattern, SECRET_NAMES)
}

/// True for a path that holds a secret: by its place, or by a name that secrets have anywhere.
fn is_secret(path: &str, env: &Env) -> bool {
    if SECRETS_OF_SYSTEM.iter().any(|root| is_within(path, root)) {
        return true;
    }
    if in_home(path, env)
        .is_some_and(|rest| SECRETS_OF_HOME.iter().any(|name| is_within(rest, name)))
    {
        return !path.ends_with("/.ssh/authorized_keys");
    }
    let name = path.rsplit('/').next().unwrap_or_default();
    SECRET_NAMES.contains(&name)
        || name.starts_with(".env.")
            && !["example", "sample", "template", "dist"].contains(&&name[5..])
        || name.ends_with(".pem") && !is_public(name)
        || [".key", ".p12", ".pfx", ".kdbx"].iter().any(|end| name.ends_with(end))
}

/// True for a name of what is given to everybody: a certificate, a public key.
fn is_public(name: &str) -> bool {
    ["cert", "ca-", "ca.", "pub"].iter().any(|start| name.starts_with(start))
        || ["chain", "public"].iter().any(|part| name.contains(part))
}

/// Files and folders that hold keys, tokens and passwords, as absolute paths: those of the home folder
/// and of the system. Files anywhere that hold them by their names are not among them.
#[must_use]
pub fn secrets(env: &Env) -> Vec<String> {
    let home = env.home.trim_end_matches('/');
    let of_home = SECRETS_OF_HOME.iter().map(|name| format!("{home}/{name}"));
    of_home.chain(SECRETS_OF_SYSTEM.iter().map(|path| (*path).to_owned())).collect()
}

/// What of the workspace may not be written, as absolute paths: the protected names at the root of each
/// folder, and folders in it that are only read.
#[must_use]
pub fn protected_paths(env: &Env) -> Vec<String> {
    let named = env.workspace.iter().flat_map(|root| {
        let kept = names().filter(|name| !is_opened(name, &env.opened));
        kept.map(move |name| format!("{root}/{name}"))
    });
    let is_within_one = |path: &str| env.workspace.iter().any(|root| is_within(path, root));
    let holds_one = |path: &str| env.workspace.iter().any(|root| is_within(root, path));
    let read = env.read_roots.iter().filter(|path| is_within_one(path) && !holds_one(path));
    named.chain(env.protected.iter().cloned()).chain(read.cloned()).collect()
}

/// The path within a home folder: the user's, root's, or another one's.
fn in_home<'a>(path: &'a str, env: &Env) -> Option<&'a str> {
    let below = |root: &str| path.strip_prefix(root).and_then(|rest| rest.strip_prefix('/'));
    below(env.home.trim_end_matches('/')).or_else(|| below("/root")).or_else(|| {
        let rest = path.strip_prefix("/home/")?;
        rest.split_once('/').map(|(_, rest)| rest)
    })
}

/// True for a file that is run when a shell, a session or the machine starts.
fn is_startup(path: &str, env: &Env) -> bool {
    let mut of_home = STARTS_SHELLS.iter().chain(STARTUP_OF_HOME);
    STARTUP_OF_SYSTEM.iter().any(|root| is_within(path, root))
        || in_home(path, env).is_some_and(|rest| of_home.any(|name| is_within(rest, name)))
}

/// True for a program that is called by its name, or by a path where the system keeps programs.
#[must_use]
pub fn is_trusted(program: &str, cwd: &Value, env: &Env) -> bool {
    if !program.contains('/') {
        return true;
    }
    let path = resolve(&Value::known(program), cwd, env);
    let Some(path) = path.as_known() else { return false };
    TRUSTED.iter().any(|folder| is_within(path, folder))
}

#[cfg(test)]
mod tests {
    use super::{resolve, scope};
    use crate::effect::Scope;
    use crate::env::Env;
    use crate::value::{Origin, Value};

    #[test]
    fn scopes_say_where_a_path_is() {
        let env = Env::default();
        let cwd = Value::known("/workspace");
        for (path, expected) in [
            ("src/a.rs", Scope::Workspace),
            (".", Scope::WorkspaceRoot),
            ("/", Scope::WorkspaceRoot),
            ("../other", Scope::System),
            ("/tmp/x", Scope::Temp),
            ("/home/user/notes", Scope::Home),
            ("/home/user/.ssh/id_rsa", Scope::Secret),
            ("/home/other/.ssh/authorized_keys", Scope::Startup),
            ("/home/user/.bashrc", Scope::Startup),
            (".git/hooks/pre-commit", Scope::VersionControl),
            (".env", Scope::Secret),
            (".env.example", Scope::Workspace),
            ("/etc/passwd", Scope::System),
            ("/dev/null", Scope::HarmlessDevice),
            ("/dev/sda", Scope::Device),
            ("/proc/1/environ", Scope::Secret),
            ("CLAUDE.md", Scope::AgentConfig),
        ] {
            let path = Value::known(path);
            assert_eq!(scope(&resolve(&path, &cwd, &env), &env), expected, "{path:?}");
        }
    }

    #[test]
    fn a_pattern_may_find_what_repositories_run() {
        let begins = |pattern: &str| pattern[..pattern.find('*').unwrap()].to_owned();
        for (pattern, may_be) in [
            ("/w/vendor/*/.git/config", true),
            ("/w/vendor/*/.git/hooks/*", true),
            ("/w/vendor/*/.g*/conf*", true),
            ("/w/vendor/*/.git", true),
            ("/w/vendor/*/*/.gi?", true),
            ("/w/*.git/hooks", false),
            ("/w/vendor/*/.git/info/exclude", false),
            ("/w/vendor/*/config", false),
            ("/w/*/@types/hooks", false),
            ("/w/*/.github/config", false),
        ] {
            let path = Value::Prefix(begins(pattern), Origin::Glob(pattern.to_owned()));
            assert_eq!(super::may_be_hooks(&path), may_be, "{pattern}");
        }
    }

    #[test]
    fn of_folders_within_each_other_the_innermost_counts() {
        let env = Env {
            workspace: vec!["/tmp/ws".into()],
            read_roots: vec!["/tmp/ws/docs".into(), "/tmp/skills".into(), "/srv".into()],
            ..Env::default()
        };
        for (path, expected) in [
            ("/tmp/ws/a", Scope::Workspace),
            ("/tmp/ws/docs/a", Scope::ReadRoot),
            ("/tmp/skills/a", Scope::ReadRoot),
            ("/tmp/a", Scope::Temp),
            ("/srv/a", Scope::ReadRoot),
        ] {
            assert_eq!(scope(&Value::known(path), &env), expected, "{path}");
        }
        let protected = super::protected_paths(&env);
        assert!(protected.contains(&"/tmp/ws/docs".to_owned()), "{protected:?}");
        assert!(
            !protected.iter().any(|path| path == "/srv" || path == "/tmp/skills"),
            "{protected:?}"
        );
    }

    #[test]
    fn a_path_whose_end_is_unknown_has_the_scope_of_its_folder() {
        let env = Env::default();
        let cwd = Value::known("/workspace");
        let prefix = |text: &str| Value::Prefix(text.into(), Origin::Glob("*".into()));
        for (path, expected) in [
            (prefix("src/"), Scope::Workspace),
            (prefix("src"), Scope::Workspace),
            (prefix("/etc/"), Scope::System),
            (prefix("/home/"), Scope::Home),
            (prefix("/"), Scope::Unknown),
            (Value::Unknown(Origin::Other), Scope::Unknown),
        ] {
            assert_eq!(scope(&resolve(&path, &cwd, &env), &env), expected, "{path:?}");
        }
    }
}
