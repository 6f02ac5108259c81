//! What a [`Permit`] comes to on this machine, for one caller: the confinement of a program of the
//! owner's.
//!
//! It looks at the disk: a path that may be written is bound as it is now, without links, so that a
//! link of an agent's cannot move it.

use std::fs;
use std::path::Path;

use crate::policy::permit::{NetworkPermit, Permit, host_and_port};
use crate::shell::{Confinement, Env, Nested, Reach, Value, denied, place};

impl NetworkPermit {
    /// Where it leads.
    ///
    /// # Errors
    /// The host that is none.
    pub(crate) fn reach(&self) -> Result<Reach, String> {
        let hosts = match self {
            NetworkPermit::All(true) => return Ok(Reach::Any),
            NetworkPermit::Hosts(hosts) if !hosts.is_empty() => hosts,
            _ => return Ok(Reach::None),
        };
        let known = hosts.iter().map(|host| host_and_port(host));
        let known = known.collect::<Result<Vec<_>, String>>()?;
        let ports = known.iter().filter_map(|(_, port)| *port).collect();
        let hosts = known.into_iter().map(|(host, _)| host.to_owned()).collect();
        Ok(Reach::Hosts { hosts, ports })
    }
}

impl Permit {
    /// What a program is held to that has this permit, for a caller with these folders. It looks at
    /// the disk: what may be written is bound as it is, and a link of the agent's must not move it.
    ///
    /// # Errors
    /// The entry that cannot be had, and why, in a sentence for whoever owns the program.
    pub(crate) fn confinement(&self, env: &Env) -> Result<Confinement, String> {
        let mut held = Confinement {
            write_never: place::protected_paths(env).into_iter().collect(),
            read_never: place::secrets(env).into_iter().collect(),
            by_owner: true,
            nested: Nested::unseen(env),
            ..Confinement::default()
        };
        held.read_never.extend(env.deny_paths.iter().cloned());
        for path in &self.write {
            let found = found(path, env).map_err(|why| format!("`write`: {why}"))?;
            let Some(found) = found else {
                return Err(format!("`write`: there is no `{path}`; it must be made first"));
            };
            // A protected path stays protected unless the permit names that very path.
            held.write_never.retain(|protected| !place::is_within(&found, protected));
            held.nested.writes(&found);
            held.write.insert(found);
        }
        for path in &self.read {
            held.read.extend(found(path, env).map_err(|why| format!("`read`: {why}"))?);
        }
        held.network = self.network.reach()?;
        Ok(held)
    }
}

/// Where a path of a permit leads, absolute and without links. None if there is nothing.
///
/// # Errors
/// Why it cannot be had.
pub(crate) fn found(path: &str, env: &Env) -> Result<Option<String>, String> {
    let written = absolute(path, env)?;
    let real = match fs::canonicalize(&written) {
        Ok(real) => real.display().to_string(),
        Err(_) => return Ok(None),
    };
    let within = |path: &str| {
        env.workspace.iter().any(|root| {
            let real = fs::canonicalize(root).map(|root| root.display().to_string());
            place::is_within(path, root) || real.is_ok_and(|root| place::is_within(path, &root))
        })
    };
    if within(&written) && !within(&real) {
        return Err(format!("`{path}` is in the workspace, but a link leads out of it"));
    }
    if denied::is_denied(&Value::known(real.clone()), env) {
        return Err(format!("`{path}` is closed by `files.deny`"));
    }
    Ok(Some(real))
}

/// A path as it is written, absolute and without `..`.
fn absolute(path: &str, env: &Env) -> Result<String, String> {
    let whole = match path.strip_prefix('~') {
        Some(rest) => format!("{}{rest}", env.home),
        None if path.starts_with('/') => path.to_owned(),
        None => match env.workspace.first().filter(|root| Path::new(root).is_dir()) {
            Some(root) => format!("{root}/{path}"),
            None => return Err(format!("`{path}` is of the workspace, and there is none")),
        },
    };
    Ok(place::normal(&whole, &Env::default()))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn permit(read: &[&str], write: &[&str]) -> Permit {
        let owned = |paths: &[&str]| paths.iter().map(|path| (*path).to_owned()).collect();
        Permit { read: owned(read), write: owned(write), ..Permit::default() }
    }

    #[test]
    fn a_permit_gives_what_it_names_and_a_link_moves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        fs::create_dir(root.join("out")).unwrap();
        symlink("/etc", root.join("away")).unwrap();
        let root = root.display().to_string();
        let env = Env { cwd: root.clone(), workspace: vec![root.clone()], ..Env::default() };
        let held = permit(&[], &["out"]).confinement(&env).unwrap();
        assert!(held.write.contains(&format!("{root}/out")) && !held.write.contains(&root));
        assert_eq!(held.network, Reach::None);
        let hooks = format!("{root}/.git/hooks");
        assert!(permit(&[], &["."]).confinement(&env).unwrap().write_never.contains(&hooks));
        let named = permit(&[], &[".git/hooks"]).confinement(&env).unwrap();
        assert!(!named.write_never.contains(&hooks));
        assert!(permit(&[], &["away"]).confinement(&env).unwrap_err().contains("link"));
        assert!(permit(&[], &["none"]).confinement(&env).unwrap_err().contains("made first"));
        let denying = Env { deny_paths: vec![format!("{root}/out")], ..env };
        assert!(permit(&["out"], &[]).confinement(&denying).unwrap_err().contains("files.deny"));
    }
}
