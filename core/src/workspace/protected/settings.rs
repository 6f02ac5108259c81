//! The files that the settings of a Git repository have it run or read.

use std::fs;
use std::io::Read as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};

use super::real;

/// The most files of settings that are read for one repository.
const MOST_FILES: usize = 32;

/// The largest of them, in bytes.
const MOST_BYTES: u64 = 1 << 20;

/// How deep settings include others: as deep as Git goes.
const DEEPEST: usize = 10;

/// The most paths that are given for one repository.
const MOST_TARGETS: usize = 256;

/// Where the settings of a repository lead that runs programs or reads more settings: the targets of
/// `core.hooksPath`, `include.path` and `includeIf.….path`, and files that its programs are. `git_dir` is its
/// own folder (`.git`, that of a worktree or a submodule, or a bare one). Absolute, without links as far as
/// they exist; they may be anywhere, and need not be there. Blocking and bounded; what cannot be read
/// names nothing.
pub(crate) fn git_targets(git_dir: &Path) -> Vec<PathBuf> {
    let common = named_by(&git_dir.join("commondir")).map(|named| git_dir.join(named));
    let common = common.unwrap_or_else(|| git_dir.to_owned());
    let mut reading = Reading { settings: Vec::new(), included: Vec::new(), files: 0 };
    reading.read(&common.join("config"), 0);
    reading.read(&git_dir.join("config.worktree"), 0);
    let folders = work_folders(git_dir, &reading.settings);
    let mut targets = reading.included;
    for (key, value) in &reading.settings {
        let paths = match key.as_str() {
            "core.hookspath" => vec![value.as_str()],
            key if runs(key) => words(value),
            _ => continue,
        };
        for path in paths {
            targets.extend(folders.iter().map(|folder| real(&at(folder, path))));
        }
    }
    // A folder itself, such as that of the work, is no file that is run.
    targets.retain(|target| !folders.iter().any(|folder| folder.starts_with(target)));
    targets.sort();
    targets.dedup();
    targets.truncate(MOST_TARGETS);
    targets
}

/// What a small file names, on its first line: behind `gitdir:`, where that stands there.
pub(super) fn named_by(file: &Path) -> Option<PathBuf> {
    let text = text_of(file)?;
    let line = text.lines().next()?;
    Some(PathBuf::from(line.strip_prefix("gitdir:").unwrap_or(line).trim()))
}

/// The folders from which Git may take the relative paths of settings for.
fn work_folders(git_dir: &Path, settings: &[(String, String)]) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    if git_dir.file_name().is_some_and(|name| name == ".git") {
        folders.extend(git_dir.parent().map(Path::to_owned));
    }
    // The `.git` of a worktree names the folder of its work.
    let linked = named_by(&git_dir.join("gitdir")).and_then(|at| at.parent().map(Path::to_owned));
    folders.extend(linked);
    let set = settings.iter().filter(|(key, _)| key == "core.worktree");
    folders.extend(set.map(|(_, folder)| at(git_dir, folder)));
    if folders.is_empty() {
        folders.push(git_dir.to_owned());
    }
    folders.iter().map(|folder| real(folder)).collect()
}

/// A path of the settings, from a folder.
fn at(folder: &Path, path: &str) -> PathBuf {
    match path.strip_prefix("~/") {
        Some(rest) => std::env::home_dir().unwrap_or_default().join(rest),
        None => folder.join(path),
    }
}

/// True for a setting whose value is a command or a program.
fn runs(key: &str) -> bool {
    let last = key.rsplit('.').next().unwrap_or(key);
    ["alias.", "pager.", "guitool.", "man.", "browser."].iter().any(|start| key.starts_with(start))
        || [
            "askpass",
            "clean",
            "cmd",
            "command",
            "difffilter",
            "driver",
            "editor",
            "external",
            "fsmonitor",
            "gitproxy",
            "helper",
            "packobjectshook",
            "pager",
            "process",
            "program",
            "smudge",
            "sshcommand",
            "textconv",
            "alternaterefscommand",
            "defaultkeycommand",
        ]
        .contains(&last)
}

/// The words of a command that are paths, without what a shell puts around them.
fn words(command: &str) -> Vec<&str> {
    let parts = command.split(|char: char| char.is_whitespace() || "'\"!;|&()=<>`$".contains(char));
    parts.filter(|word| word.contains('/') && !word.starts_with('-')).collect()
}

/// Settings as they are read, with what they include.
struct Reading {
    /// Keys, in small letters but for what stands in quotes, and their values.
    settings: Vec<(String, String)>,
    included: Vec<PathBuf>,
    files: usize,
}

impl Reading {
    fn read(&mut self, file: &Path, depth: usize) {
        if depth > DEEPEST || self.files >= MOST_FILES {
            return;
        }
        self.files += 1;
        let Some(text) = text_of(file) else { return };
        for (key, value) in parse(&text) {
            let includes =
                key == "include.path" || key.starts_with("includeif.") && key.ends_with(".path");
            if includes {
                let folder = file.parent().unwrap_or(Path::new("/"));
                let target = real(&at(folder, &value));
                if self.included.len() < MOST_FILES && !self.included.contains(&target) {
                    self.included.push(target.clone());
                    self.read(&target, depth + 1);
                }
            } else {
                self.settings.push((key, value));
            }
        }
    }
}

/// The text of a regular file that is not too large. Nobody is waited for.
fn text_of(file: &Path) -> Option<String> {
    let flags = rustix::fs::OFlags::NONBLOCK.bits().cast_signed();
    let file = fs::OpenOptions::new().read(true).custom_flags(flags).open(file).ok()?;
    file.metadata().ok().filter(|data| data.is_file() && data.len() <= MOST_BYTES)?;
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The settings of a file of Git: `section.key` or `section.sub.key`, in small letters but for the part
/// in quotes, each with its value.
fn parse(text: &str) -> Vec<(String, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut found = Vec::new();
    let mut section = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let mut line = line.trim().to_owned();
        while let Some((header, rest)) = line.strip_prefix('[').and_then(header) {
            section = header;
            line = rest;
        }
        if line.is_empty() || line.starts_with(['#', ';']) {
            continue;
        }
        // A value goes on behind a backslash at the end of its line.
        while line.ends_with('\\') {
            line.pop();
            line.push_str(lines.next().unwrap_or_default());
        }
        let (key, value) = line.split_once('=').unwrap_or((&line, ""));
        found.push((format!("{section}.{}", key.trim().to_lowercase()), unquoted(value)));
    }
    found
}

/// A header behind its `[`, as a prefix of keys, and what follows it on its line.
fn header(text: &str) -> Option<(String, String)> {
    let mut quoted = false;
    let mut escaped = false;
    let end = text.char_indices().find_map(|(at, char)| {
        match char {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ']' if !quoted => return Some(at),
            _ => {}
        }
        None
    })?;
    let inside = &text[..end];
    let name = match inside.split_once('"') {
        Some((name, below)) => {
            let below = below.trim_end().trim_end_matches('"').replace("\\\"", "\"");
            format!("{}.{below}", name.trim().to_lowercase())
        }
        None => inside.trim().to_lowercase(),
    };
    Some((name, text[end + 1..].trim().to_owned()))
}

/// A value without its quotes, its escapes and the comment behind it.
fn unquoted(text: &str) -> String {
    let mut value = String::new();
    let mut quoted = false;
    let mut ends = 0;
    let mut chars = text.trim_start().chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => match chars.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some(other) => value.push(other),
                None => {}
            },
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            other => value.push(other),
        }
        if quoted || !char.is_whitespace() {
            ends = value.len();
        }
    }
    value.truncate(ends);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_read_as_git_reads_them() {
        let text = "\u{feff}[core] hooksPath = \"a b\"/c # no\n\tbare\n[Include]\npath=x\\\\y\n\
                    [includeIf \"gitdir:~/W]/\"]\n path = one\\\ntwo\n[filter.Low]\nCLEAN=./run -x\n";
        let found = parse(text);
        let shown: Vec<String> =
            found.iter().map(|(key, value)| format!("{key}={value}")).collect();
        assert_eq!(
            shown,
            [
                "core.hookspath=a b/c",
                "core.bare=",
                "include.path=x\\y",
                "includeif.gitdir:~/W]/.path=onetwo",
                "filter.low.clean=./run -x",
            ]
        );
    }

    #[test]
    fn the_paths_of_a_command_are_distinguished_from_its_other_words() {
        for (command, paths) in [
            ("./tools/watch.sh", &["./tools/watch.sh"][..]),
            ("!f() { sh ./a/b; }; f", &["./a/b"]),
            ("cat", &[]),
            ("'tools/x y' --at=z/w", &["tools/x", "z/w"]),
        ] {
            assert_eq!(words(command), paths, "{command}");
        }
    }
}
