//! Sources of the crates in the cargo home: what is redacted in text that has hardly a secret.
//!
//! Crates do have some, in tests and documents: keys of example certificates, tokens of published
//! examples. A finding of high confidence counts as one of these (its shape says what it is, or a
//! name of a secret has a value that looks random); every other redaction counts as false, also that
//! of a password that a test made up.

use std::path::{Path, PathBuf};

use super::super::super::hit::Confidence;
use super::score::scrubber;
use crate::test_rounds;

/// False redactions allowed, in 16 MB.
const ALLOWED: usize = 5;

/// The source directories of the crates, sorted.
fn crates() -> Vec<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(PathBuf::from(std::env::var_os("HOME")?).join(".cargo")));
    let sources = home.map(|home| home.join("registry/src")).unwrap_or_default();
    let mut found: Vec<PathBuf> =
        entries(&sources).iter().flat_map(|index| entries(index)).collect();
    found.sort_by_key(|path| path.file_name().map(std::ffi::OsStr::to_owned));
    found
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let list = std::fs::read_dir(directory).into_iter().flatten();
    let mut paths: Vec<PathBuf> = list.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths
}

/// The texts under a directory, in order of their paths.
fn texts(directory: &Path, out: &mut Vec<PathBuf>) {
    for path in entries(directory) {
        let kind = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if path.is_dir() {
            texts(&path, out);
        } else if matches!(
            kind,
            "rs" | "md"
                | "toml"
                | "json"
                | "lock"
                | "yml"
                | "yaml"
                | "h"
                | "c"
                | "py"
                | "sh"
                | "txt"
                | "html"
                | "js"
                | "css"
        ) {
            out.push(path);
        }
    }
}

/// So many bytes of the texts of a kind, from all crates.
pub(in super::super) fn of_kind(kind: &str, length: usize) -> String {
    let mut files = Vec::new();
    for directory in crates() {
        texts(&directory, &mut files);
    }
    files.retain(|path| path.extension().is_some_and(|end| end == kind));
    let sizes: u64 = files.iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
    let every = usize::try_from(sizes).unwrap() / length + 1;
    let texts = files.iter().step_by(every).flat_map(std::fs::read_to_string);
    texts.collect()
}

#[test]
fn crate_sources_are_left_alone() {
    let budget = test_rounds::rounds(1, 16) << 20;
    let scrubber = scrubber();
    let mut read = 0;
    let mut found = Vec::new();
    let mut files = Vec::new();
    for directory in crates() {
        texts(&directory, &mut files);
    }
    // Spread over all crates, whatever the budget.
    let sizes: u64 = files.iter().filter_map(|f| f.metadata().ok()).map(|m| m.len()).sum();
    let every = usize::try_from(sizes).unwrap() / budget + 1;
    for path in files.iter().step_by(every) {
        let Ok(text) = std::fs::read_to_string(path) else { continue };
        if read + text.len() > budget {
            continue;
        }
        read += text.len();
        for finding in scrubber.findings(&text) {
            let line_start = text[..finding.start].rfind('\n').map_or(0, |at| at + 1);
            let line_end = text[finding.end..].find('\n').map_or(text.len(), |at| at + finding.end);
            let (kind, value) = (finding.kind.to_string(), &text[finding.start..finding.end]);
            if finding.confidence != Confidence::High {
                let line: String = text[line_start..line_end].chars().take(300).collect();
                found.push(format!("{}: {kind} {value:?} in {line}", path.display()));
            }
        }
    }
    let allowed = ALLOWED * budget.div_ceil(16 << 20);
    assert!(found.len() <= allowed, "in {read} bytes:\n{}", found.join("\n"));
}
