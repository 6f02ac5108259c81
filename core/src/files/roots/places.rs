//! The folders of a caller as a command of a shell sees them: by their paths on the machine.

use std::path::Path;

use super::Granting;
use crate::tool::{Caller, ToolError};
use crate::workspace::Quota;

/// Where a caller works, what he reads, and what is closed to him. Every path is absolute.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Places {
    /// The workspace, without links.
    pub workspace: Option<String>,
    /// The folders that he reads and writes, without links. The first is the workspace; none if
    /// there is no workspace.
    pub writable: Vec<String>,
    /// Folders that he only reads, without links.
    pub readable: Vec<String>,
    /// What is closed to him: paths with all that is below, and globs.
    pub denied: Vec<String>,
    /// The protected names that the owner opens.
    pub opened: Vec<String>,
}

/// The characters that make a glob of an entry.
const GLOB: [char; 4] = ['*', '?', '[', '{'];

impl Granting {
    /// # Errors
    /// As [`Granting::roots`]; a workspace that was never set is none.
    pub(in crate::files) fn places(&self, caller: &Caller) -> Result<Places, ToolError> {
        if caller.workspace.is_none() && self.workspace.is_none() {
            return Ok(Places::default());
        }
        let roots = self.all_roots(caller)?;
        let mut places = Places { opened: self.opened.to_vec(), ..Places::default() };
        let mut anchors: Vec<String> = Vec::new();
        for (folder, read_only) in roots.folders() {
            let folder = folder.display().to_string();
            anchors.push(folder.clone());
            places.workspace.get_or_insert_with(|| folder.clone());
            if read_only { places.readable.push(folder) } else { places.writable.push(folder) }
        }
        self.quotas(caller)?.iter().for_each(|quota| places.only_reviews(quota));
        let (_, of_parents) = self.denied(caller)?;
        anchors.extend(of_parents.iter().map(|folder| folder.display().to_string()));
        for entry in self.closed(caller).iter().flat_map(|entry| spelled_out(entry)) {
            places.denied.extend(seen_from(&anchors, &entry));
        }
        // Who can write these makes the rules, and a command is not told from its writing.
        places.denied.extend(self.kept.iter().map(|file| file.display().to_string()));
        places.denied.dedup();
        Ok(places)
    }

    /// The entries that close something to a caller or to his parents.
    fn closed(&self, caller: &Caller) -> Vec<String> {
        let callers = std::iter::successors(Some(caller), |one| one.parent.as_deref());
        let own = callers.flat_map(|one| one.deny_paths.iter().cloned());
        self.deny.iter().cloned().chain(own).collect()
    }
}

impl Places {
    /// Has a reviewer only read what his team shares. What others write there by commands, nobody
    /// counts.
    fn only_reviews(&mut self, quota: &Quota) {
        if !quota.is_reviewer {
            return;
        }
        let shared = quota.folder.real_root();
        self.writable.retain(|folder| !Path::new(folder).starts_with(shared));
        self.readable.push(shared.display().to_string());
    }
}

/// The most entries that one is spelled out to; beyond that its braces are taken for any name.
const MOST_SPELLED: usize = 64;

/// An entry with each of what stands between its braces: `*.{pem,key}` is two.
fn spelled_out(entry: &str) -> Vec<String> {
    let mut left = vec![entry.to_owned()];
    let mut done = Vec::new();
    while let Some(entry) = left.pop() {
        let Some((before, choices, after)) = braces(&entry) else {
            done.push(entry);
            continue;
        };
        if left.len() + done.len() + choices.len() > MOST_SPELLED {
            done.push(format!("{before}*{after}"));
            continue;
        }
        left.extend(choices.iter().map(|choice| format!("{before}{choice}{after}")));
    }
    // What stands beside inner braces comes once for each of their choices.
    done.sort();
    done.dedup();
    done
}

/// What stands before, between and behind the first braces that hold no others.
fn braces(entry: &str) -> Option<(&str, Vec<&str>, &str)> {
    let close = entry.find('}')?;
    let open = entry[..close].rfind('{')?;
    let choices = entry[open + 1..close].split(',').collect();
    Some((&entry[..open], choices, &entry[close + 1..]))
}

/// An entry as absolute ones: a path counts from each folder, a glob without a `/` is one of names.
fn seen_from(folders: &[String], entry: &str) -> Vec<String> {
    if entry.starts_with('/') {
        return vec![entry.to_owned()];
    }
    let entry = entry.trim_start_matches("./").trim_end_matches('/');
    let is_name = entry.contains(GLOB) && !entry.contains('/');
    let between = if is_name { "**/" } else { "" };
    let within = |folder: &String| format!("{}/{between}{entry}", folder.trim_end_matches('/'));
    folders.iter().map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::{seen_from, spelled_out};

    #[test]
    fn braces_are_spelled_out() {
        assert_eq!(spelled_out("a/*.{pem,key}"), ["a/*.key", "a/*.pem"]);
        assert_eq!(spelled_out("{a,b{c,d}}/x"), ["a/x", "bc/x", "bd/x"]);
        assert_eq!(spelled_out("app/[id]"), ["app/[id]"]);
    }

    #[test]
    fn an_entry_counts_from_every_folder() {
        let folders = ["/srv/ws".to_owned(), "/srv/docs".to_owned()];
        for (entry, expected) in [
            (".git/hooks", ["/srv/ws/.git/hooks", "/srv/docs/.git/hooks"]),
            ("./a/", ["/srv/ws/a", "/srv/docs/a"]),
            ("*.pem", ["/srv/ws/**/*.pem", "/srv/docs/**/*.pem"]),
            ("**/*.pem", ["/srv/ws/**/*.pem", "/srv/docs/**/*.pem"]),
        ] {
            assert_eq!(seen_from(&folders, entry), expected, "{entry}");
        }
        assert_eq!(seen_from(&folders, "/srv/keys"), ["/srv/keys"]);
    }
}
