//! Collects the [folders of a caller](CallerFolders) by their paths, for commands.

use super::Granting;
use crate::shell::denied;
use crate::tool::{Caller, ToolError};
use crate::workspace::CallerFolders;

impl Granting {
    /// # Errors
    /// As [`Granting::roots`]; a workspace that was never set is none.
    pub(in crate::files) fn places(&self, caller: &Caller) -> Result<CallerFolders, ToolError> {
        if caller.workspace.is_none() && self.workspace.is_none() {
            return Ok(CallerFolders::default());
        }
        let roots = self.all_roots(caller)?;
        let mut places = CallerFolders { opened: self.opened.to_vec(), ..CallerFolders::default() };
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
        for entry in self.closed(caller).iter().flat_map(|entry| read(entry)) {
            places.denied.extend(anchored(&anchors, &entry));
        }
        // Whoever can write these files makes the rules, and reading by a command cannot be separated from writing.
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

/// An entry in each way that it is read: its braces spelled out, and as it is written.
fn read(entry: &str) -> Vec<String> {
    if !denied::is_glob(entry) {
        return vec![entry.to_owned()];
    }
    let mut read = denied::spelled_out(entry);
    let written = denied::as_written(entry);
    if written != entry {
        read.push(written);
    }
    read
}

/// An entry as absolute ones: a path counts from each folder, a glob without a `/` is one of names.
fn anchored(folders: &[String], entry: &str) -> Vec<String> {
    if entry.starts_with('/') {
        return vec![entry.to_owned()];
    }
    let entry = entry.trim_start_matches("./").trim_end_matches('/');
    let is_glob = denied::is_glob(entry);
    let between = if is_glob && !entry.contains('/') { "**/" } else { "" };
    let within = |folder: &String| {
        let folder = folder.trim_end_matches('/');
        if !is_glob && !denied::is_glob(folder) {
            return format!("{folder}/{entry}");
        }
        // Neither the name of the folder nor a path in it is a pattern.
        let entry = if is_glob { entry.to_owned() } else { denied::escaped(entry) };
        format!("{}/{between}{entry}", denied::escaped(folder))
    };
    folders.iter().map(within).collect()
}

#[cfg(test)]
mod tests {
    use super::{anchored, read};

    #[test]
    fn an_entry_is_read_as_a_glob_and_as_it_is_written() {
        assert_eq!(read("a/*.{pem,key}"), ["a/*.key", "a/*.pem", r"a/*.\{pem,key\}"]);
        assert_eq!(read("app/[id]"), ["app/[id]", r"app/\[id\]"]);
        assert_eq!(read("**/*.pem"), ["**/*.pem"]);
        assert_eq!(read(r"plain\name"), [r"plain\name"]);
    }

    #[test]
    fn the_name_of_a_folder_is_no_pattern() {
        let folders = ["/srv/ws[1]".to_owned()];
        assert_eq!(anchored(&folders, "k[0-9]"), [r"/srv/ws\[1\]/**/k[0-9]"]);
        assert_eq!(anchored(&folders, "secret"), [r"/srv/ws\[1\]/secret"]);
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
            assert_eq!(anchored(&folders, entry), expected, "{entry}");
        }
        assert_eq!(anchored(&folders, "/srv/keys"), ["/srv/keys"]);
    }
}
