//! "Did you mean …?" for paths that do not exist.

use std::io;
use std::path::Path;

use cap_std::fs::Dir;
use rustix::fs::OFlags;

use super::{Error, RelativePath, Workspace};

/// How many names of a folder are compared; beyond that a guess costs more than it helps.
const MAX_NAMES: usize = 10_000;
/// How many names are suggested.
const MAX_SUGGESTIONS: usize = 3;
/// How similar a name must be to be suggested, from 0 to 1.
const LIKE_ENOUGH: f64 = 0.6;
/// Longer names are not compared: the work grows with the product of the lengths.
const MAX_NAME_BYTES: usize = 120;

impl Workspace {
    /// Existing paths that look like `path`, which is missing, the likeliest first. Looks in the
    /// deepest folder of the path that exists, and nowhere outside the workspace. What is denied is
    /// not suggested.
    pub(super) fn similar(&self, path: &RelativePath) -> Vec<String> {
        let names: Vec<&str> = path.normalised().split('/').collect();
        for (depth, name) in names.iter().enumerate().rev() {
            let folder = names[..depth].join("/");
            let shown = RelativePath::plain(if depth == 0 { "." } else { &folder });
            // An unreadable folder is no reason to fail: the caller has an error to report.
            match self.open_beneath(&shown, "list", OFlags::RDONLY | OFlags::DIRECTORY) {
                Ok((folder_file, place)) => {
                    let dir = Dir::from_std_file(folder_file);
                    let Some(base) = base(path, &names[..depth], &names[depth..]) else { break };
                    return self.names_like((&dir, &place), &base, name).unwrap_or_default();
                }
                Err(Error::NotFound { .. }) => {}
                Err(_) => break,
            }
        }
        Vec::new()
    }

    fn names_like(
        &self,
        (dir, place): (&Dir, &Path),
        base: &str,
        wanted: &str,
    ) -> io::Result<Vec<String>> {
        let mut scored: Vec<(f64, String)> = Vec::new();
        for entry in dir.entries()?.take(MAX_NAMES) {
            let Ok(name) = entry?.file_name().into_string() else { continue };
            if name.len().max(wanted.len()) > MAX_NAME_BYTES {
                continue;
            }
            let score = likeness(&name, wanted);
            // An entry with exactly this name is a link that leads nowhere.
            if score >= LIKE_ENOUGH
                && name != wanted
                && !name.contains(char::is_control)
                && !self.hides(&place.join(&name))
            {
                scored.push((score, name));
            }
        }
        scored.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        scored.truncate(MAX_SUGGESTIONS);
        Ok(scored.into_iter().map(|(_, name)| format!("{base}{name}")).collect())
    }
}

/// What to put in front of a name in the folder `above` this root, so that the model may use it, where
/// what is missing is `below`. A path that the model wrote otherwise may lead to another root than its
/// own, as an absolute one or by a link: then what it wrote is kept. None where no part of that means
/// the folder.
fn base(path: &RelativePath, above: &[&str], below: &[&str]) -> Option<String> {
    let written: Vec<&str> = path.as_written().trim_end_matches('/').split('/').collect();
    let mut plain: Vec<&str> = Vec::new();
    for name in &written {
        match *name {
            "" | "." => {}
            ".." => drop(plain.pop()),
            name => plain.push(name),
        }
    }
    let is_absolute = path.as_written().starts_with('/');
    let front = match !is_absolute && plain == [above, below].concat() {
        true => above.join("/"),
        false => written[..].strip_suffix(below)?.join("/"),
    };
    Some(if front.is_empty() && !is_absolute { front } else { format!("{front}/") })
}

fn likeness(name: &str, wanted: &str) -> f64 {
    strsim::normalized_damerau_levenshtein(&name.to_lowercase(), &wanted.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_names_of_the_deepest_existing_folder_are_suggested() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        for name in ["main.rs", "mail.rs", "zebra.txt"] {
            std::fs::write(root.path().join("src").join(name), "").unwrap();
        }
        let workspace = Workspace::open(root.path()).unwrap();
        let similar = |path| workspace.similar(&workspace.relative(path).unwrap());
        assert_eq!(similar("src/mian.rs"), ["src/main.rs", "src/mail.rs"]);
        assert_eq!(similar("scr/main.rs"), ["src"]);
        assert_eq!(similar("src/MAIN.RS")[0], "src/main.rs");
        assert!(similar("nothing like it").is_empty());
    }

    #[test]
    fn a_suggestion_leads_where_the_path_would_have_led() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        std::fs::write(root.path().join("src/main.rs"), "").unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let similar = |path: &str| workspace.similar(&workspace.relative(path).unwrap());
        let real = workspace.real_root().display().to_string();
        assert_eq!(similar(&format!("{real}/src/mian.rs")), [format!("{real}/src/main.rs")]);
        assert_eq!(similar(&format!("{real}/scr/main.rs")), [format!("{real}/src")]);
        assert_eq!(similar("./src//mian.rs"), ["src/main.rs"]);
        assert_eq!(similar("src/../src/mian.rs"), ["src/main.rs"]);
        // As of a link in another workspace that leads here.
        let linked = |written: &str, normal: &str| {
            workspace.similar(&RelativePath::linked_as(written, normal))
        };
        assert_eq!(linked("link/mian.rs", "src/mian.rs"), ["link/main.rs"]);
        assert_eq!(linked("link/scr/main.rs", "scr/main.rs"), ["link/src"]);
        assert!(linked("link", "src/mian.rs").is_empty());
    }

    #[test]
    fn a_link_to_outside_gives_nothing_away() {
        let root = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.txt"), "").unwrap();
        std::os::unix::fs::symlink(outside.path(), root.path().join("out")).unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        assert!(workspace.similar(&workspace.relative("out/secret.tx").unwrap()).is_empty());
    }
}
