//! Paths that are refused and hidden, in whatever spelling.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;
use std::path::Path;

use caseless::Caseless;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use unicode_normalization::UnicodeNormalization;

use super::globs::has_too_many_braces;
use crate::shell::denied;

/// A list of paths and globs, compiled.
///
/// * `a/b` is that path from the root, with everything below it.
/// * `**/*.pem` is a glob of the whole path from the root, with everything below what it matches.
///   `*` and `?` do not match a `/`. A glob without a `/` is one of names, in whatever folder. It also
///   denies what it is called as it is written: `app/[id]` is that folder, too.
/// * `/srv/keys`, a path of the machine, is that place in whatever root it lies.
///
/// Two spellings that some file system takes for one name are one name here on every file system:
/// case and the form of accents do not count, nor do characters that show nothing, nor blanks and
/// dots at the end of a name. That can hide a file that was not meant, and shows none that was.
#[derive(Debug, Default)]
pub(crate) struct Deny {
    beneath: Patterns,
    anywhere: Patterns,
}

/// An entry that is neither a path nor a glob.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadEntry {
    entry: String,
    problem: String,
}

impl fmt::Display for BadEntry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", crate::limits::echo(&self.entry), self.problem)
    }
}

/// A path in the form in which it is compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Folded(String);

#[derive(Debug, Default)]
struct Patterns {
    paths: HashSet<String>,
    globs: GlobSet,
}

impl Deny {
    /// # Errors
    /// The first entry that is neither a path nor a glob.
    pub(crate) fn new<S: AsRef<str>>(entries: &[S]) -> Result<Deny, BadEntry> {
        let absolute = |entry: &&S| entry.as_ref().starts_with('/');
        let (anywhere, beneath): (Vec<&S>, Vec<&S>) = entries.iter().partition(absolute);
        Ok(Deny { beneath: Patterns::new(&beneath)?, anywhere: Patterns::new(&anywhere)? })
    }

    /// True if nothing is denied.
    pub(crate) fn is_empty(&self) -> bool {
        self.beneath.is_empty() && self.anywhere.is_empty()
    }

    /// True if what lies there, seen from a root, is denied.
    pub(crate) fn denies(&self, relative: &Folded) -> bool {
        self.beneath.match_path(&relative.0)
    }

    /// True if what lies there, by a path of the machine, is denied wherever it is seen from.
    pub(crate) fn denies_anywhere(&self, absolute: &Folded) -> bool {
        self.anywhere.match_path(&absolute.0)
    }
}

impl Patterns {
    fn new<S: AsRef<str>>(entries: &[&S]) -> Result<Patterns, BadEntry> {
        let mut paths = HashSet::new();
        let mut globs = GlobSetBuilder::new();
        for entry in entries.iter().map(|entry| entry.as_ref()) {
            let bad = |problem: String| BadEntry { entry: entry.to_owned(), problem };
            let path = normal(entry).map_err(|problem| bad(problem.to_owned()))?;
            if denied::is_glob(&path) {
                if has_too_many_braces(&path) {
                    return Err(bad("opens too many braces; write several entries".to_owned()));
                }
                let between = if path.contains('/') { "" } else { "**/" };
                for reading in [&path, &denied::as_written(&path)] {
                    for glob in [format!("{between}{reading}/**"), format!("{between}{reading}")] {
                        let built = GlobBuilder::new(&glob).literal_separator(true).build();
                        let glob = built.map_err(|error| bad(no_glob(&path, error.kind())))?;
                        globs.add(glob);
                    }
                }
            }
            paths.insert(path);
        }
        let globs = globs.build().map_err(|error| BadEntry {
            entry: entries.first().map_or_else(String::new, |entry| entry.as_ref().to_owned()),
            problem: format!("and its like cannot be compiled: {}", error.kind()),
        })?;
        Ok(Patterns { paths, globs })
    }

    fn is_empty(&self) -> bool {
        self.paths.is_empty()
    }

    fn match_path(&self, path: &str) -> bool {
        if self.is_empty() {
            return false;
        }
        let ends = path.match_indices('/').map(|(end, _)| end).chain([path.len()]);
        ends.into_iter().any(|end| self.paths.contains(&path[..end])) || self.globs.is_match(path)
    }
}

impl Folded {
    /// The form of a path in which it is compared. Without a leading `/` or `./`.
    pub(crate) fn new(path: &Path) -> Folded {
        let text = path.to_string_lossy();
        Folded(fold(text.trim_start_matches("./").trim_start_matches('/')))
    }

    /// This path beneath another one.
    pub(crate) fn beneath(&self, folder: &Folded) -> Folded {
        if folder.0.is_empty() || folder.0 == "." {
            return self.clone();
        }
        if self.0 == "." {
            return folder.clone();
        }
        Folded(format!("{}/{}", folder.0, self.0))
    }

    /// What of this path lies beneath the folder: `.` for the folder itself.
    pub(crate) fn within(&self, folder: &Folded) -> Option<Folded> {
        match self.0.strip_prefix(&folder.0)? {
            "" => Some(Folded(".".to_owned())),
            rest => rest.strip_prefix('/').map(|rest| Folded(rest.to_owned())),
        }
    }
}

/// Why an entry is no glob, and how to write a name that looks like one.
fn no_glob(entry: &str, why: &globset::ErrorKind) -> String {
    let escaped = denied::as_written(entry);
    format!("is no glob: {why}. For what is called so write `{}`", crate::limits::echo(&escaped))
}

/// The entry as a folded path from its root, without `.` and doubled slashes.
fn normal(entry: &str) -> Result<String, &'static str> {
    if entry.contains('\0') {
        return Err("contains a NUL character");
    }
    let names: Vec<&str> = entry.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return Err("has `..` in it; write the path from the root");
    }
    if names.is_empty() {
        return Err("names no path below the root");
    }
    Ok(fold(&names.join("/")))
}

/// A name in the form in which names are compared. One of ASCII alone comes borrowed, and its case is
/// left to who compares.
pub(crate) fn folded_name(name: &str) -> Cow<'_, str> {
    if !name.is_ascii() {
        return Cow::Owned(fold(name));
    }
    match name.trim_end_matches([' ', '.']) {
        "" => Cow::Borrowed(name),
        trimmed => Cow::Borrowed(trimmed),
    }
}

/// One form for all spellings of a path that some file system takes for the same.
fn fold(path: &str) -> String {
    let mut folded = if path.is_ascii() {
        path.to_ascii_lowercase()
    } else {
        path.chars().filter(|c| !shows_nothing(*c)).nfd().default_case_fold().nfc().collect()
    };
    if folded.split('/').any(|name| name.ends_with([' ', '.'])) {
        let trimmed = folded.split('/').map(|name| match name.trim_end_matches([' ', '.']) {
            "" => name,
            trimmed => trimmed,
        });
        folded = trimmed.collect::<Vec<_>>().join("/");
    }
    folded
}

/// `Default_Ignorable_Code_Point` of Unicode 16: file systems that fold case leave these out.
fn shows_nothing(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}'..='\u{1160}' | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{ffa0}' | '\u{fff0}'..='\u{fff8}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn denies(entries: &[&str], path: &str) -> bool {
        Deny::new(entries).unwrap().denies(&Folded::new(Path::new(path)))
    }

    #[test]
    fn a_path_is_denied_with_everything_below_and_from_the_root_only() {
        for (path, denied) in [
            ("a/b", true),
            ("a/b/c/d", true),
            ("a", false),
            ("a/bc", false),
            ("x/a/b", false),
            (".", false),
        ] {
            assert_eq!(denies(&["a/b"], path), denied, "{path}");
            assert_eq!(denies(&["./a//b/"], path), denied, "{path}");
        }
    }

    #[test]
    fn a_glob_is_one_of_the_whole_path_and_without_a_slash_one_of_names() {
        for (glob, path, denied) in [
            ("**/*.pem", "x.pem", true),
            ("**/*.pem", "a/b/x.pem", true),
            ("**/*.pem", "a/b/x.pem/below", true),
            ("**/*.pem", "a/pem", false),
            ("*.pem", "a/x.pem", true),
            ("a/*", "a/x/y", true),
            ("a/*", "a", false),
            ("a/*.pem", "a/b/x.pem", false),
            ("a/?", "a/x", true),
            ("{a,b}/c", "b/c", true),
            ("a/**", "a", false),
            ("a/**", "a/b", true),
            ("app/[id]", "app/[id]/page", true),
            ("app/[id]", "app/i", true),
            ("app/[id]/*.pem", "app/[id]/x.pem", true),
            ("app/[id]/*.pem", "app/i/x.pem", true),
            ("k[1].txt", "k[1].txt", true),
            ("k[1].txt", "sub/k[1].txt", true),
            (r"k\[1\].txt", "k[1].txt", true),
            (r"k\[1\].txt", "k1.txt", false),
            ("k[[]1].txt", "k[1].txt", true),
            ("k[[]1].txt", "k1.txt", false),
            ("{a,b}.txt", "{a,b}.txt", true),
            ("{a,b}.txt", "b.txt", true),
            (r"\{a,b\}.txt", "b.txt", false),
            ("[A-C]", "x/b", true),
        ] {
            assert_eq!(denies(&[glob], path), denied, "{glob} {path}");
        }
    }

    #[test]
    fn all_spellings_of_a_name_are_one() {
        for (entry, path) in [
            ("Secret", "sECRET/x"),
            ("caf\u{e9}", "CAFE\u{301}"),
            ("cafe\u{301}", "Caf\u{c9}"),
            ("straße", "STRASSE"),
            ("secret", "se\u{200d}cret"),
            ("secret", "secret. "),
            ("secret", "secret./x"),
            ("**/*.PEM", "x.pem"),
            ("**/*.pem", "X.PEM."),
            ("Å", "\u{212b}"),
            ("k", "\u{212a}"),
        ] {
            assert!(denies(&[entry], path), "{entry} {path}");
        }
    }

    #[test]
    fn an_absolute_path_is_a_place_of_the_machine() {
        let deny = Deny::new(&["/srv/Keys"]).unwrap();
        assert!(!deny.denies(&Folded::new(Path::new("srv/keys"))));
        let below = Folded::new(Path::new("keys/a")).beneath(&Folded::new(Path::new("/srv")));
        assert!(deny.denies_anywhere(&below));
        assert!(!deny.denies_anywhere(&Folded::new(Path::new("/srv/key"))));
    }

    #[test]
    fn an_entry_that_says_nothing_is_refused_by_name() {
        for (entry, problem) in [
            ("", "names no path"),
            ("/", "names no path"),
            (".", "names no path"),
            ("../x", "has `..`"),
            ("a/../b", "has `..`"),
            ("a\0", "NUL"),
            ("a/[", "is no glob"),
            ("{a", "is no glob"),
        ] {
            let error = Deny::new(&["fine", entry]).unwrap_err().to_string();
            assert!(error.contains(problem), "{entry}: {error}");
        }
    }

    #[test]
    fn a_path_is_seen_from_an_outer_and_from_an_inner_folder() {
        let folded = |path| Folded::new(Path::new(path));
        assert_eq!(folded("B/c").beneath(&folded("/A")), folded("a/b/c"));
        assert_eq!(folded(".").beneath(&folded("/A")), folded("a"));
        assert_eq!(folded("A/b/c").within(&folded("a/B")), Some(folded("c")));
        assert_eq!(folded("a/b").within(&folded("a/b")), Some(folded(".")));
        assert_eq!(folded("a/bc").within(&folded("a/b")), None);
    }
}
