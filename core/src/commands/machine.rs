//! What a command finds on this machine, recorded when the runtime is built.

use std::collections::HashSet;
use std::env;

use crate::shell::Env;
use crate::workspace::CallerFolders;

/// The surroundings that are the same for all callers.
#[derive(Clone, Debug)]
pub(super) struct Machine {
    home: String,
    user: String,
    temp: Vec<String>,
}

impl Machine {
    /// As this process has it.
    pub(super) fn of_process() -> Machine {
        let absolute = |name: &str| env::var(name).ok().filter(|path| path.starts_with('/'));
        let mut temp = Env::default().temp;
        temp.extend(absolute("TMPDIR"));
        let real = |path: &String| Some(std::fs::canonicalize(path).ok()?.display().to_string());
        let links: Vec<String> = temp.iter().filter_map(real).collect();
        temp.extend(links);
        // The first is the temporary folder that commands have.
        let mut seen = HashSet::new();
        temp.retain(|path| seen.insert(path.clone()));
        Machine {
            home: absolute("HOME").unwrap_or_else(|| Env::default().home),
            user: env::var("USER").unwrap_or_else(|_| Env::default().user),
            temp,
        }
    }

    /// The surroundings of a caller with these folders. Without a workspace they are those of a
    /// virtual one.
    pub(super) fn env(&self, places: CallerFolders) -> Env {
        let mut env = Env {
            home: self.home.clone(),
            user: self.user.clone(),
            temp: self.temp.clone(),
            read_roots: places.readable,
            deny_paths: places.denied,
            opened: places.opened,
            ..Env::default()
        };
        if let Some(workspace) = places.writable.first() {
            env.cwd.clone_from(workspace);
            env.workspace = places.writable;
        }
        env
    }
}
