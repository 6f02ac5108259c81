//! Where the remotes of repositories are, according to the settings that Git would read.
//!
//! Only plain settings are read. If something in them could lead Git elsewhere (a rewritten address, a
//! proxy, another file, submodules, a program that fetches), no remote is reported, and the command has
//! the network that it would have without.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{Analysis, Env, Remotes, folders, place::is_within};

/// The most bytes of a file of settings that are read.
const MOST_BYTES: u64 = 64 << 10;

/// What keeps credentials on the machine itself.
const LOCAL_HELPERS: &[&str] = &["", "cache", "store"];

/// One setting.
struct Setting<'t> {
    /// The section, in small letters.
    section: String,
    /// What the section is of.
    of: &'t str,
    /// The name, in small letters.
    name: String,
    value: &'t str,
}

/// The remotes of the repositories in which a command has Git reach them, by the folder where it is called.
/// It reads files.
pub(super) fn known(analysis: &Analysis, env: &Env) -> BTreeMap<String, Remotes> {
    let in_workspace = |folder: &String| env.workspace.iter().any(|root| is_within(folder, root));
    let folders = folders(analysis, env).into_iter().filter(in_workspace);
    let home = Path::new(&env.home);
    let of_user =
        [home.join(".gitconfig"), home.join(".config/git/config"), PathBuf::from("/etc/gitconfig")];
    folders.filter_map(|folder| Some((folder.clone(), of(Path::new(&folder), &of_user)?))).collect()
}

/// The remotes of the repository that a folder is in.
fn of(folder: &Path, of_user: &[PathBuf]) -> Option<Remotes> {
    // One that is bare has its own `HEAD` beside no `.git`, and is not read.
    let is_repository = |at: &&Path| {
        [".git", "HEAD"].iter().any(|name| fs::symlink_metadata(at.join(name)).is_ok())
    };
    let root = folder.ancestors().find(is_repository)?;
    let git = root.join(".git");
    // Submodules and large files have addresses of their own. `.git` may be a file that leads elsewhere.
    let is_more = fs::symlink_metadata(root.join(".gitmodules")).is_ok()
        || read(&root.join(".gitattributes"))?.contains("lfs")
        || !fs::symlink_metadata(&git).ok()?.is_dir();
    if is_more {
        return None;
    }
    let text = read(&git.join("config"))?;
    let own = settings(&text)?;
    let remotes = remotes(&own)?;
    let is_named = |one: &Setting| one.value == "." || remotes.contains_key(one.value);
    let is_other = |one: &Setting| match (&*one.section, &*one.name) {
        ("branch", "remote" | "pushremote") | ("remote", "pushdefault") => !is_named(one),
        _ => leads_elsewhere(one, &remotes),
    };
    if own.iter().any(is_other) {
        return None;
    }
    for file in of_user {
        let text = read(file)?;
        let is_other = |one: &Setting| leads_elsewhere(one, &remotes) || one.section == "remote";
        if settings(&text)?.iter().any(is_other) {
            return None;
        }
    }
    Some(remotes)
}

/// The remotes that settings have. None if it takes more than reading an address to find out where one is.
fn remotes(settings: &[Setting<'_>]) -> Option<Remotes> {
    let mut remotes = Remotes::new();
    for one in settings.iter().filter(|one| one.section == "remote" && !one.of.is_empty()) {
        match &*one.name {
            "url" | "pushurl" if one.value.contains(['"', '\\', '#', ';']) => return None,
            "url" | "pushurl" => {
                remotes.entry(one.of.to_owned()).or_default().insert(one.value.to_owned());
            }
            "proxy" | "vcs" => return None,
            _ => {}
        }
    }
    Some(remotes)
}

/// True for a setting that has Git read other settings, go to another host than the address of a remote says,
/// or have a program go to one.
fn leads_elsewhere(one: &Setting<'_>, remotes: &Remotes) -> bool {
    let is_about_one = || {
        let host = one.of.split_once("://").map_or(one.of, |(_, rest)| rest);
        let host = host.split('/').next().unwrap_or_default().trim_start_matches("*.");
        remotes.values().flatten().any(|address| address.contains(host))
    };
    match (&*one.section, &*one.name) {
        ("include" | "includeif" | "url" | "submodule" | "lfs" | "remotes", _) => true,
        ("core", "sshcommand" | "gitproxy") | ("extensions", "worktreeconfig") => true,
        ("http", "proxy") => is_about_one(),
        ("credential", "helper") => !LOCAL_HELPERS.contains(&one.value) && is_about_one(),
        _ => false,
    }
}

/// The text of a file; nothing, if there is none. None: it cannot be read, or is no plain one.
fn read(path: &Path) -> Option<String> {
    match fs::metadata(path) {
        Ok(there) if there.is_file() && there.len() <= MOST_BYTES => fs::read_to_string(path).ok(),
        Ok(_) => None,
        Err(error) => (error.kind() == std::io::ErrorKind::NotFound).then(String::new),
    }
}

/// The settings in a text. None if there is a line that only Git reads right: one that goes on in the next,
/// or a section beside which a setting stands.
fn settings(text: &str) -> Option<Vec<Setting<'_>>> {
    let mut all = Vec::new();
    let (mut section, mut of) = (String::new(), "");
    for line in text.lines().map(str::trim) {
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        if let Some(header) = line.strip_prefix('[') {
            let header = header.strip_suffix(']')?;
            let (name, rest) = header.split_once([' ', '\t']).unwrap_or((header, "\"\""));
            of = rest.trim().strip_prefix('"')?.strip_suffix('"')?;
            if of.contains(['"', '\\']) || name.contains(['.', '"', ']']) {
                return None;
            }
            section = name.to_ascii_lowercase();
            continue;
        }
        if line.ends_with('\\') {
            return None;
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
        all.push(Setting { section: section.clone(), of, name, value });
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    /// The remotes of a repository that Git made, whose settings begin as it writes them.
    fn of_text(more: &str, of_user: &str) -> Option<String> {
        let root = tempfile::tempdir().unwrap();
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args(arguments).current_dir(root.path());
            git.env("GIT_CONFIG_GLOBAL", "/dev/null").env("GIT_CONFIG_SYSTEM", "/dev/null");
            assert!(git.status().unwrap().success());
        };
        git(&["init", "-q", "-b", "main"]);
        git(&["remote", "add", "origin", "https://git.example/a.git"]);
        git(&["config", "branch.main.remote", "origin"]);
        let file = root.path().join(".git/config");
        fs::write(&file, fs::read_to_string(&file).unwrap() + more).unwrap();
        let user = root.path().join("user");
        fs::write(&user, of_user).unwrap();
        fs::create_dir(root.path().join("below")).unwrap();
        let found = of(&root.path().join("below"), &[user, root.path().join("missing")])?;
        Some(format!("{found:?}").replace('"', ""))
    }

    #[test]
    fn remotes_are_read_as_git_writes_them() {
        let origin = "origin: {https://git.example/a.git}";
        for (more, of_user, remotes) in [
            ("", "", format!("{{{origin}}}")),
            (
                "[remote \"a b\"]\n\tURL = git@x.example:y\n\tpushurl=ssh://x.example/z\n",
                "[credential \"https://y.example\"]\n\thelper = manager\n[alias]\n\tlg = \"log --graph\"\n[user]\n\tname = A; B\n[credential]\nhelper = store\n",
                format!("{{a b: {{git@x.example:y, ssh://x.example/z}}, {origin}}}"),
            ),
        ] {
            assert_eq!(of_text(more, of_user).as_ref(), Some(&remotes), "{more}");
        }
    }

    #[test]
    fn what_could_lead_elsewhere_is_left_to_git() {
        for more in [
            "[include]\n\tpath = x\n",
            "[includeIf \"gitdir:x\"]\n\tpath = x\n",
            "[url \"https://y.example/\"]\n\tinsteadOf = https://git.example/\n",
            "[http]\n\tproxy = http://p.example\n",
            "[http \"https://git.example\"]\n\tproxy = http://p.example\n",
            "[core]\n\tsshCommand = ssh -J x\n",
            "[core]\n\tgitProxy = x\n",
            "[submodule \"x\"]\n\turl = https://y.example\n",
            "[credential]\n\thelper = manager\n",
            "[credential \"https://*.example\"]\n\thelper = manager\n",
            "[extensions]\n\tworktreeConfig = true\n",
            "[core] sshCommand = x\n",
            "[core]\n\tx = a\\\n[include]\n",
            "[remote \"a\\\"b\"]\n\turl = x\n",
        ] {
            assert_eq!(of_text(more, ""), None, "{more}");
            assert_eq!(of_text("", more), None, "of the user: {more}");
        }
        for more in [
            "[remote \"b\"]\n\turl = \"https://y.example/#\"\n",
            "[remote \"b\"]\n\tproxy = http://p.example\n",
            "[remote \"b\"]\n\tvcs = x\n",
            "[branch \"x\"]\n\tremote = https://y.example/z\n",
            "[remote]\n\tpushDefault = elsewhere\n",
        ] {
            assert_eq!(of_text(more, ""), None, "{more}");
        }
        assert_eq!(of_text("", "[remote \"c\"]\n\turl = https://y.example\n"), None);
    }

    #[test]
    fn what_has_more_addresses_than_its_own_is_left_to_git() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(of(root.path(), &[]), None);
        fs::create_dir(root.path().join(".git")).unwrap();
        assert_eq!(of(root.path(), &[]), Some(Remotes::new()));
        let attributes = root.path().join(".gitattributes");
        fs::write(&attributes, "*.bin filter=lfs\n").unwrap();
        assert_eq!(of(root.path(), &[]), None);
        fs::write(&attributes, "*.bin binary\n").unwrap();
        assert_eq!(of(root.path(), &[]), Some(Remotes::new()));
        let bare = root.path().join("bare");
        fs::create_dir(&bare).unwrap();
        assert_eq!(of(&bare, &[]), Some(Remotes::new()));
        fs::write(bare.join("HEAD"), "").unwrap();
        assert_eq!(of(&bare, &[]), None);
        fs::write(root.path().join(".gitmodules"), "").unwrap();
        assert_eq!(of(root.path(), &[]), None);
        fs::remove_file(root.path().join(".gitmodules")).unwrap();
        fs::remove_dir(root.path().join(".git")).unwrap();
        fs::write(root.path().join(".git"), "gitdir: elsewhere\n").unwrap();
        assert_eq!(of(root.path(), &[]), None);
    }
}
