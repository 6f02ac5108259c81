//! Names are made of the field's words: a lint over the identifiers of all crates.
//!
//! A table lists words that a name must not contain, each with what to say instead, and the folders in
//! which that holds. A word counts only as a whole part of a `snake_case` or `CamelCase` name. Comments,
//! strings and the names that the standard library gives are not looked at.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Words that names in some folders must not contain.
struct Table {
    /// The folders, from the root of the repository, with all that is below.
    folders: &'static [&'static str],
    /// Whether names of tests are looked at, too. They are sentences, in which "whose" is plain English.
    sentences: bool,
    /// Each word, and what to say instead. A word may be several parts: `stand_in`.
    words: &'static [(&'static str, &'static str)],
}

/// All code.
const ALL: &[&str] = &[
    "core/src",
    "core/scrub/src",
    "core/shell/src",
    "ffi/src",
    "bindings/node/src",
    "bindings/python/src",
];

const TABLES: &[Table] = &[
    Table {
        folders: ALL,
        sentences: true,
        words: &[
            ("told", "described, rendered, reported, or what the value is"),
            ("tell", "describe, render, notify, report"),
            ("tells", "describes, reports, distinguishes"),
            ("telling", "describing, reporting, with_events"),
            ("teller", "notifier"),
            ("seat", "shell_session or supervisor"),
            ("vicinity", "keyword_context"),
            ("glance", "prefilter"),
        ],
    },
    Table {
        folders: ALL,
        sentences: false,
        words: &[
            ("who", "caller or principal"),
            ("whose", "owner or ownership"),
            ("stand_in", "dummy_value"),
            ("standin", "dummy_value"),
        ],
    },
    Table {
        folders: &["core/src/exec"],
        sentences: false,
        words: &[
            ("seat", "shell_session or supervisor"),
            ("looks", "stat_cache"),
            ("apart", "isolated"),
            ("order", "request"),
            ("of_old", "cgroup_v1"),
            ("of_second", "cgroup_v2"),
        ],
    },
    Table {
        folders: &["core/src/files"],
        sentences: false,
        words: &[("beside", "overlay"), ("seen", "read_versions")],
    },
    Table {
        folders: &["core/scrub/src"],
        sentences: false,
        words: &[
            ("sight", "candidate"),
            ("glance", "prefilter"),
            ("outline", "prefilter"),
            ("gate", "match or filter"),
            ("vicinity", "keyword_context"),
            ("stand_in", "dummy_value"),
            ("standin", "dummy_value"),
            ("until", "continuation"),
        ],
    },
    Table {
        folders: &["core/shell/src", "core/src/exec", "core/src/commands"],
        sentences: false,
        words: &[
            ("thing", "abstract_value"),
            ("doing", "action"),
            ("unwrapping", "wrapper_command"),
            ("poison", "environment_injection"),
            ("guarded", "protected"),
            ("floor", "hard_deny"),
        ],
    },
];

/// Names of libraries that contain a listed word.
const OF_LIBRARIES: &[&str] = &[
    "PoisonError",
    "is_poisoned",
    "floor",
    "floor_char_boundary",
    "run_until_cancelled",
    "run_until_cancelled_owned",
    "sleep_until",
];

/// From how many parts on a name is a sentence, as the names of tests are.
const SENTENCE: usize = 5;

#[test]
fn names_are_made_of_the_fields_words() {
    let mut wrong = Vec::new();
    for table in TABLES {
        for file in table.folders.iter().flat_map(|folder| files(&root().join(folder))) {
            let text = fs::read_to_string(&file).unwrap();
            let shown = file.strip_prefix(root()).unwrap().display();
            // Each name once, where it comes first.
            let mut known = HashSet::new();
            let names = identifiers(&text).into_iter().filter(|(_, name)| known.insert(*name));
            for (line, name) in names {
                if let Some((word, instead)) = table.refused(name) {
                    wrong.push(format!("{shown}:{line}: `{name}`: not `{word}`, say {instead}"));
                }
            }
        }
    }
    wrong.sort();
    wrong.dedup();
    assert!(wrong.is_empty(), "{} names:\n{}", wrong.len(), wrong.join("\n"));
}

impl Table {
    /// The word of a name that is refused, and what to say instead.
    fn refused(&self, name: &str) -> Option<(&'static str, &'static str)> {
        let parts = parts(name);
        if OF_LIBRARIES.contains(&name) || (parts.len() >= SENTENCE && !self.sentences) {
            return None;
        }
        let has = |word: &str| {
            let wanted: Vec<&str> = word.split('_').collect();
            parts.windows(wanted.len()).any(|found| found == wanted)
        };
        self.words.iter().find(|(word, _)| has(word)).copied()
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_owned()
}

/// The `.rs` files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries = fs::read_dir(&folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
        for path in entries.map(|entry| entry.unwrap().path()) {
            match path.extension().and_then(|end| end.to_str()) {
                Some("rs") => found.push(path),
                None if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    found
}

/// The parts of a name in lower case: `told_of`, `ToldOf` and `TOLD_OF` are `told`, `of`.
fn parts(name: &str) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let is_shouted = !word.chars().any(char::is_lowercase);
        parts.push(String::new());
        for (at, letter) in word.char_indices() {
            if letter.is_uppercase() && at > 0 && !is_shouted {
                parts.push(String::new());
            }
            if let Some(part) = parts.last_mut() {
                part.extend(letter.to_lowercase());
            }
        }
    }
    parts
}

/// The identifiers of a source text with their lines, outside of comments and literals.
fn identifiers(text: &str) -> Vec<(usize, &str)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut line) = (0, 1);
    while at < bytes.len() {
        let rest = &text[at..];
        let length = match bytes[at] {
            b'/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            b'/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
            b'"' => string(rest),
            b'\'' => character(rest),
            first if first.is_ascii_alphabetic() || first == b'_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_';
                let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                raw_string(rest, length).unwrap_or_else(|| {
                    found.push((line, &rest[..length]));
                    length
                })
            }
            _ => rest.chars().next().map_or(1, char::len_utf8),
        };
        line += rest[..length].bytes().filter(|byte| *byte == b'\n').count();
        at += length;
    }
    found
}

/// The length of a string literal that begins here.
fn string(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            _ if escaped => escaped = false,
            b'\\' => escaped = true,
            b'"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The length of a raw string literal that begins with a prefix of this length. None if none begins here.
fn raw_string(text: &str, prefix: usize) -> Option<usize> {
    if !matches!(&text[..prefix], "r" | "br" | "cr") {
        return None;
    }
    let rest = &text[prefix..];
    let hashes = rest.bytes().take_while(|byte| *byte == b'#').count();
    let body = rest[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    let length = body.find(&end).map_or(body.len(), |at| at + end.len());
    Some(prefix + hashes + 1 + length)
}

/// The length of a character literal that begins here, or of the quote of a lifetime.
fn character(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => text[2..].find('\'').map_or(1, |at| {
            // `'\''` has a quote right behind the backslash.
            if at == 0 { 4 } else { at + 3 }
        }),
        Some(_) => match letters.next() {
            Some((at, '\'')) => at + 1,
            _ => 1,
        },
        None => 1,
    }
}

#[test]
fn the_lint_reads_names_and_nothing_else() {
    let source = r##"
        // told
        fn told_of<'told>(x: char) -> &'told str { /* told */
            match x { '\'' => "told \" told", '"' => r#"told " told"#, _ => Told::TellAll }
        }
    "##;
    let names: Vec<&str> = identifiers(source).into_iter().map(|(_, name)| name).collect();
    assert_eq!(
        names,
        ["fn", "told_of", "told", "x", "char", "told", "str", "match", "x", "_", "Told", "TellAll"]
    );
    let table = &TABLES[0];
    for name in ["told", "told_of", "ToldOf", "MOST_TOLD", "tell_all", "TellAll", "is_told"] {
        assert!(table.refused(name).is_some(), "{name}");
    }
    for name in ["untold", "intellect", "toldo"] {
        assert!(table.refused(name).is_none(), "{name}");
    }
    assert!(TABLES[1].refused("a_store_whose_file_was_replaced").is_none());
    assert!(TABLES[1].refused("stand_in_of").is_some() && TABLES[1].refused("stands_in").is_none());
}
