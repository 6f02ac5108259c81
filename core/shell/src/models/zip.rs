//! `zip`, whose options of one and of two letters stand in one word.

use std::iter::Peekable;
use std::slice::Iter;

use super::kinds::behind;
use crate::effect::Access;
use crate::invocation::Argument;
use crate::model::{Parsed, Report};

/// Options of two letters, which count before those of one.
const PAIRS: &[&str] = &[
    "db", "dc", "dd", "dg", "du", "dv", "FF", "FS", "ic", "jj", "la", "li", "ll", "MM", "nw", "sc",
    "sf", "so", "sp", "sv", "ws",
];

/// Options of one letter without a value.
const LETTERS: &str = "0123456789@ADFRTXcdefghjklmoqruvyz";

/// Options with a value that names no file.
const VALUES: &[&str] = &["tt", "UN", "ds", "P", "Z", "n", "s", "t"];

/// Long options without a value.
const LONG: &[&str] = &[
    "--recurse-paths", "--quiet", "--verbose", "--junk-paths", "--move", "--update", "--freshen",
    "--delete", "--encrypt", "--symlinks", "--test", "--filesync", "--grow", "--no-dir-entries",
    "--strip-extra", "--latest-time", "--help", "--version", "--to-crlf", "--from-crlf", "--fix",
    "--show-files",
];

/// What the words of a call say.
#[derive(Default)]
struct Read {
    /// What is no option.
    operands: Vec<Argument>,
    /// The options, as written.
    options: Vec<String>,
    /// Files that are written.
    written: Vec<Argument>,
    /// True if one is not known.
    unknown: bool,
}

/// It packs files, and may delete them.
pub(super) fn zip(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let read = read(&parsed.operands);
    let has = |name: &str| read.options.iter().any(|option| option == name);
    if read.unknown {
        report.not_understood("an option of it is not known");
    }
    for file in &read.written {
        report.writes(file);
    }
    let Some((archive, files)) = read.operands.split_first() else { return };
    report.writes(archive);
    if has("@") {
        report.reads_listed(None);
    }
    let recursive = has("r") || has("R") || has("--recurse-paths");
    let deletes = has("d") || has("--delete");
    for file in files.iter().filter(|_| !deletes) {
        report.tree(Access::Read, file, recursive, false);
        if has("m") || has("--move") {
            report.tree(Access::Delete, file, recursive, false);
        }
    }
}

/// Reads the words of a call.
fn read(words: &[Argument]) -> Read {
    let mut read = Read::default();
    let mut words = words.iter().peekable();
    while let Some(word) = words.next() {
        match word.value.as_known() {
            Some("--") => read.operands.extend(words.by_ref().cloned()),
            Some(text) if text.starts_with("--") => {
                read.unknown |= !LONG.contains(&text)
                    && !["--exclude=", "--include="].iter().any(|start| text.starts_with(start));
                read.options.push(text.to_owned());
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                letters(&mut read, word, text, &mut words);
            }
            Some(_) => read.operands.push(word.clone()),
            None => {
                read.unknown |= word.value.prefix().is_empty() && !word.many
                    || word.value.prefix().starts_with('-');
                read.operands.push(word.clone());
            }
        }
    }
    read
}

/// `-qr9`, `-lf file`, `-Ofile`
fn letters(read: &mut Read, word: &Argument, text: &str, words: &mut Peekable<Iter<'_, Argument>>) {
    let mut rest = &text[1..];
    while !rest.is_empty() {
        let starts =
            |names: &[&'static str]| names.iter().copied().find(|name| rest.starts_with(name));
        // It is given a command.
        if rest.starts_with("TT") {
            read.unknown = true;
            return;
        }
        if let Some(name) = starts(&["lf", "b", "O"])
            && !(name == "b" && rest.len() > 1)
        {
            let attached = behind(word, &text[..text.len() - rest.len() + name.len()]);
            let attached = attached.filter(|_| rest.len() > name.len());
            read.written.extend(attached.or_else(|| words.next().cloned()));
            return;
        }
        if let Some(name) = starts(PAIRS) {
            read.options.push(name.to_owned());
            rest = &rest[name.len()..];
        } else if let Some(name) = starts(VALUES) {
            if rest.len() == name.len() {
                words.next();
            }
            return;
        } else if matches!(rest, "x" | "i") {
            // Patterns follow, up to the next option.
            let is_pattern = |word: &&Argument| {
                let text = word.value.prefix();
                text != "@" && !text.is_empty() && !text.starts_with('-')
            };
            while words.next_if(is_pattern).is_some() {}
            return;
        } else if let Some(letter) = rest.chars().next().filter(|one| LETTERS.contains(*one)) {
            read.options.push(letter.to_string());
            rest = &rest[letter.len_utf8()..];
        } else {
            read.unknown = true;
            return;
        }
    }
}
