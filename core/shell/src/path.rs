//! Paths as text: absolute, without `.` and `..`, with links followed.
//!
//! [`resolve`] is for values, of which perhaps only the beginning is known; [`normal`] is for
//! texts. The disk is never read: links are those of the snapshot in [`Env`]. Whose place a path is
//! decides [`crate::place`], one floor above, so that [`crate::denied`] can use these functions and
//! be used by it.

use crate::env::Env;
use crate::value::{Origin, Value};

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

/// The most links that are followed for one path. Linux gives up after 40 (`MAXSYMLINKS`); a chain
/// of this length is no honest one.
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

#[cfg(test)]
mod tests {
    use super::normal;
    use crate::env::Env;

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
}
