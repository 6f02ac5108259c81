//! Where a path leads, and whose place that is.

mod names;
mod protected;

pub use protected::{is_opened, is_protected, names, protected, starts};

use names::{
    SECRET_NAMES, SECRETS_OF_HOME, SECRETS_OF_SYSTEM, STARTS_SHELLS, STARTUP_OF_HOME,
    STARTUP_OF_SYSTEM,
};

use super::denied;
use super::effect::Scope;
use super::env::Env;
use super::value::{Origin, Value};

/// How the file begins that stands for `<(command)`, which is no folder.
pub const PROCESS: &str = "/dev/fd/63";

/// True for the path of what a process writes, `<(…)`.
#[must_use]
pub fn is_process(path: &str) -> bool {
    path.starts_with("/dev/fd/")
}

/// True for a path of the standard input.
#[must_use]
pub fn is_stdin(path: &str) -> bool {
    matches!(path, "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0")
}

/// The descriptor that a path stands for: `/dev/stderr`, `/dev/fd/3`.
#[must_use]
pub fn descriptor(path: &str) -> Option<u32> {
    match path {
        "/dev/stdin" => Some(0),
        "/dev/stdout" => Some(1),
        "/dev/stderr" => Some(2),
        path => {
            let starts = ["/dev/fd/", "/proc/self/fd/", "/proc/thread-self/fd/"];
            starts.iter().find_map(|start| path.strip_prefix(start))?.parse().ok()
        }
    }
}

/// The most links that are followed for one path.
const MOST_LINKS: usize = 32;

/// A path from the working folder, absolute, without `.` and `..`, with links followed. A value
/// that is not known keeps what it surely begins with.
#[must_use]
pub fn resolve(path: &Value, cwd: &Value, env: &Env) -> Value {
    match path {
        Value::Known(text) if text.starts_with('/') => Value::Known(normal(text, env)),
        Value::Known(text) => match cwd {
            Value::Known(_) | Value::OneOf(_) => {
                cwd.map(|cwd| normal(&format!("{cwd}/{text}"), env))
            }
            // The folder is one of which the beginning is sure, such as a new temporary one.
            Value::Prefix(folder, origin)
                if (origin.is_plain() || matches!(origin, Origin::Output(_)))
                    && !text.contains("..") =>
            {
                Value::Prefix(folder.clone(), origin.clone())
            }
            Value::Prefix(_, origin) | Value::Unknown(origin) => Value::Unknown(origin.clone()),
        },
        Value::OneOf(texts) => {
            let all = texts.iter().map(|text| resolve(&Value::Known(text.clone()), cwd, env));
            all.reduce(Value::or).unwrap_or_else(|| path.clone())
        }
        Value::Prefix(text, origin) => {
            // Behind the last slash a name may go on, and `..` may follow; the folder is sure only
            // as far as it is written.
            let (folder, name) = text.rsplit_once('/').unwrap_or((".", text));
            let folder = if text.starts_with('/') && folder.is_empty() { "/" } else { folder };
            match resolve(&Value::Known(folder.to_owned()), cwd, env) {
                Value::Known(folder) => {
                    let folder = folder.trim_end_matches('/');
                    Value::Prefix(format!("{folder}/{name}"), origin.clone())
                }
                Value::OneOf(folders) if !name.starts_with('.') => in_one_of(&folders, origin),
                _ => Value::Unknown(origin.clone()),
            }
        }
        // A pattern of names, in one of the folders that it may stand in.
        Value::Unknown(origin @ Origin::Glob(written)) => match cwd {
            Value::OneOf(folders) if !written.starts_with(['/', '~', '.']) => {
                in_one_of(folders, origin)
            }
            _ => path.clone(),
        },
        Value::Unknown(_) => path.clone(),
    }
}

/// What is known of a name in one of these folders: it lies below what they have in common.
fn in_one_of(folders: &[String], origin: &Origin) -> Value {
    let common = folders.iter().map(|folder| folder.trim_end_matches('/')).reduce(|one, other| {
        let mut common = one;
        while !is_within(other, common) {
            common = common.rsplit_once('/').map_or("", |(above, _)| above);
        }
        common
    });
    Value::Prefix(format!("{}/", common.unwrap_or_default()), origin.clone())
}

/// An absolute path without `.`, `..` and doubled slashes, with the links of the snapshot followed.
#[must_use]
pub fn normal(path: &str, env: &Env) -> String {
    let mut rest: Vec<String> = parts(path);
    let mut done = String::new();
    let mut links = 0;
    while let Some(part) = rest.pop() {
        if part == ".." {
            // Where this leads is decided by links within, which nobody may follow.
            if !env.deny_paths.iter().any(|root| root.trim_end_matches('/') == done) {
                done.truncate(done.rfind('/').unwrap_or(0));
            }
            continue;
        }
        let parent = done.len();
        done.push('/');
        done.push_str(&part);
        if let Some(target) = env.links.get(&done)
            && links < MOST_LINKS
        {
            links += 1;
            if target.starts_with('/') {
                done.clear();
            } else {
                done.truncate(parent);
            }
            rest.extend(parts(target));
        } else if done == "/proc/self/root" || done == "/proc/1/root" {
            done.clear();
        } else if done == "/proc/self/cwd" {
            done.clear();
            rest.extend(parts(&env.cwd));
        }
    }
    if done.is_empty() { "/".to_owned() } else { done }
}

/// The parts of a path, the last one first.
fn parts(path: &str) -> Vec<String> {
    path.split('/')
        .rev()
        .filter(|part| !part.is_empty() && *part != ".")
        .map(str::to_owned)
        .collect()
}

/// True if `path` is `root` or below it. Both are normal.
#[must_use]
pub fn is_within(path: &str, root: &str) -> bool {
    let root = root.trim_end_matches('/');
    path.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whose place a resolved path is. Of several possible ones the most sensitive counts; of a path
/// whose end is unknown, what its beginning makes sure.
#[must_use]
pub fn scope(path: &Value, env: &Env) -> Scope {
    if denied::is_denied(path, env) {
        return Scope::Denied;
    }
    match path {
        Value::Known(text) => known(text, env),
        Value::OneOf(texts) => texts
            .iter()
            .map(|text| known(text, env))
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
            Some((folder, _)) if !folder.is_empty() => match known(folder, env) {
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

/// The order of places, the most sensitive last.
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

fn known(path: &str, env: &Env) -> Scope {
    let within = |roots: &[String]| roots.iter().any(|root| is_within(path, root));
    if let Some(scope) = device(path) {
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

fn device(path: &str) -> Option<Scope> {
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
pub fn guarded(env: &Env) -> Vec<String> {
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

fn is_startup(path: &str, env: &Env) -> bool {
    let mut of_home = STARTS_SHELLS.iter().chain(STARTUP_OF_HOME);
    STARTUP_OF_SYSTEM.iter().any(|root| is_within(path, root))
        || in_home(path, env).is_some_and(|rest| of_home.any(|name| is_within(rest, name)))
}

#[cfg(test)]
mod tests {
    use super::{normal, resolve, scope};
    use crate::effect::Scope;
    use crate::env::Env;
    use crate::value::{Origin, Value};

    #[test]
    fn paths_lose_what_does_not_count_and_follow_links() {
        let mut env = Env::default();
        env.links.insert("/workspace/out".into(), "/etc".into());
        env.links.insert("/workspace/loop".into(), "/workspace/loop".into());
        env.links.insert("/workspace/up".into(), "../srv".into());
        for (path, expected) in [
            ("//a/./b/../c/", "/a/c"),
            ("/../..", "/"),
            ("/workspace/out/passwd", "/etc/passwd"),
            ("/workspace/up/x", "/srv/x"),
            ("/proc/self/root/etc", "/etc"),
            ("/proc/self/cwd/x", "/workspace/x"),
        ] {
            assert_eq!(normal(path, &env), expected, "{path}");
        }
        assert!(normal("/workspace/loop/x", &env).ends_with("/x"));
    }

    #[test]
    fn scopes_tell_whose_place_a_path_is() {
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
        let guarded = super::guarded(&env);
        assert!(guarded.contains(&"/tmp/ws/docs".to_owned()), "{guarded:?}");
        assert!(!guarded.iter().any(|path| path == "/srv" || path == "/tmp/skills"), "{guarded:?}");
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
