//! The symbolic links on the paths of a command. The analysis itself never asks the system.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::exec::sandbox::Mounted;
use crate::shell::{Analysis, Effect, Env, Stdin, Stdout, Value, place};

/// The most parts of paths that are looked at for one command.
const MOST_LOOKS: usize = 4_096;

/// The most paths that are looked at before an analysis.
const MOST_AHEAD: usize = 16;

/// The most links that one path is led through.
const MOST_LINKS: usize = 32;

/// What was seen so far of the links of the machine.
#[derive(Clone, Default)]
pub(super) struct Links {
    /// How a container sees the workspace, where the command runs in one.
    mounted: Option<Mounted>,
    looked: HashSet<String>,
    found: BTreeMap<String, String>,
}

/// There are too many paths to look at them all.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TooMany;

impl Links {
    pub(super) fn new(mounted: Option<Mounted>) -> Links {
        Links { mounted, ..Links::default() }
    }

    /// The links that were found: from an absolute path to where it leads.
    pub(super) fn found(&self) -> &BTreeMap<String, String> {
        &self.found
    }

    /// Looks at the absolute paths that stand in a text, as far as they can be found without an analysis:
    /// one that knows their links from the start need not be made anew.
    pub(super) fn look_ahead(&mut self, text: &str, env: &Env) {
        let is_of_path = |char: char| char.is_ascii_alphanumeric() || "/-_.+@".contains(char);
        let words = text.split(|char: char| !is_of_path(char));
        let paths = words.filter(|word| word.starts_with('/')).take(MOST_AHEAD);
        for path in env.workspace.iter().map(String::as_str).chain(paths) {
            // The limit is reported with the analysis.
            let _ = self.follow(path);
        }
    }

    /// Looks at every path that an analysis names. True if there are links that it did not know of.
    ///
    /// # Errors
    /// [`TooMany`]: then not all were looked at.
    pub(super) fn look(&mut self, analysis: &Analysis, env: &Env) -> Result<bool, TooMany> {
        let before = self.found.len();
        for path in paths(analysis, env) {
            self.follow(&path)?;
        }
        Ok(self.found.len() > before)
    }

    /// A path as it is without links.
    pub(super) fn without(mut self, path: &str, env: &Env) -> Result<String, TooMany> {
        self.follow(path)?;
        let env = Env { links: self.found, ..env.clone() };
        Ok(place::normal(path, &env))
    }

    fn follow(&mut self, path: &str) -> Result<(), TooMany> {
        let mut rest: Vec<String> = parts(path);
        let mut done = String::new();
        let mut links = 0;
        while let Some(part) = rest.pop() {
            if part == ".." {
                done.truncate(done.rfind('/').unwrap_or(0));
                continue;
            }
            let parent = done.len();
            done.push('/');
            done.push_str(&part);
            let Some(target) = self.at(&done)? else { continue };
            links += 1;
            if links > MOST_LINKS {
                return Ok(());
            }
            if target.starts_with('/') {
                done.clear();
            } else {
                done.truncate(parent);
            }
            rest.extend(parts(&target));
        }
        Ok(())
    }

    /// Where the link of that path leads, if it is one.
    fn at(&mut self, path: &str) -> Result<Option<String>, TooMany> {
        // What these folders contain is different for each process.
        if self.looked.contains(path) || path == "/proc" || path.starts_with("/proc/") {
            return Ok(self.found.get(path).cloned());
        }
        if self.looked.len() >= MOST_LOOKS {
            return Err(TooMany);
        }
        self.looked.insert(path.to_owned());
        let target = match &self.mounted {
            // The links of an image are unknown, and lead only within the container.
            Some(mounted) => mounted.on_host(path).and_then(|path| std::fs::read_link(path).ok()),
            None => std::fs::read_link(Path::new(path)).ok(),
        };
        // A target that is not UTF-8 is no path that a command could name.
        let target = target.and_then(|target| target.into_os_string().into_string().ok());
        if let Some(target) = &target {
            self.found.insert(path.to_owned(), target.clone());
        }
        Ok(target)
    }
}

/// The parts of a path, the last one first.
fn parts(path: &str) -> Vec<String> {
    let parts = path.split('/').filter(|part| !part.is_empty() && *part != ".");
    parts.rev().map(str::to_owned).collect()
}

/// Every absolute path that an analysis names, as far as it is known.
fn paths(analysis: &Analysis, env: &Env) -> Vec<String> {
    let mut all: Vec<String> = env.workspace.clone();
    let mut add = |value: &Value, cwd: &Value| {
        let texts = value.possible().map(<[String]>::to_vec);
        let texts = texts.unwrap_or_else(|| vec![value.prefix().to_owned()]);
        let folders = cwd.possible().unwrap_or_default();
        for text in texts.iter().filter(|text| !text.is_empty()) {
            // `--file=a` and `of=a` name a file, too.
            let behind = text.split_once('=').map(|(_, behind)| behind);
            for word in std::iter::once(text.as_str()).chain(behind) {
                if word.starts_with('/') {
                    all.push(word.to_owned());
                } else {
                    all.extend(folders.iter().map(|folder| format!("{folder}/{word}")));
                }
            }
        }
    };
    let start = Value::known(env.cwd.clone());
    for call in &analysis.invocations {
        add(&call.cwd, &start);
        let words = std::iter::once(&call.program).chain(&call.arguments);
        words.for_each(|word| add(&word.value, &call.cwd));
        if let Stdin::File(path) = &call.stdin {
            add(path, &call.cwd);
        }
        if let Stdout::File { path, .. } = &call.stdout {
            add(path, &call.cwd);
        }
    }
    for found in &analysis.found {
        match &found.effect {
            Effect::File(file) => add(&file.path, &start),
            Effect::Secret { path: Some(path), .. } => add(path, &start),
            _ => {}
        }
    }
    all.sort();
    all.dedup();
    all
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::shell::analyse;

    fn env(folder: &Path) -> Env {
        let folder = folder.display().to_string();
        Env { cwd: folder.clone(), workspace: vec![folder], ..Env::default() }
    }

    #[test]
    fn links_are_found_on_the_ways_of_all_words() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        symlink("/etc", at("out")).unwrap();
        symlink("out/../etc", at("two")).unwrap();
        let env = env(folder.path());
        for command in [
            "cat out/passwd",
            "dd if=out/passwd",
            "sort --output=out/x a",
            "echo > out/x",
            "cat < out/x",
            "cat two/passwd",
            "ls */../out/x",
        ] {
            let mut links = Links::default();
            links.look(&analyse(command, &env), &env).unwrap();
            let out = at("out").display().to_string();
            let is_found = links.found().get(&out).map(String::as_str) == Some("/etc");
            assert_eq!(is_found, !command.starts_with("ls"), "{command}: {:?}", links.found());
        }
    }

    #[test]
    fn a_link_that_leads_to_itself_ends() {
        let folder = tempfile::tempdir().unwrap();
        symlink("round", folder.path().join("round")).unwrap();
        let env = env(folder.path());
        let mut links = Links::default();
        let analysis = analyse("cat round/x", &env);
        assert_eq!(links.look(&analysis, &env), Ok(true));
        assert_eq!(links.look(&analysis, &env), Ok(false));
    }

    #[test]
    fn looking_ends_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let env = env(folder.path());
        let mut links = Links::default();
        let words: String = (0..8_000).map(|number| format!("f{number} ")).collect();
        let analysis =
            Analysis { invocations: analyse("cat x", &env).invocations, ..Analysis::default() };
        assert_eq!(links.look(&analysis, &env), Ok(false));
        let mut many = analysis;
        let word = many.invocations[0].arguments[0].clone();
        many.invocations[0].arguments = words
            .split_whitespace()
            .map(|text| crate::shell::Argument { value: Value::known(text), ..word.clone() })
            .collect();
        assert_eq!(links.look(&many, &env), Err(TooMany));
    }
}
