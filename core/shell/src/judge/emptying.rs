//! Emptying: commands that leave nothing of an existing file, or take it out of version control,
//! without `rm`.
//!
//! The profile judges them as it judges deleting. `> file` and programs that write a text of their
//! own are no emptying: they create the file as often as they overwrite one.

use super::{Case, reach};
use crate::effect::{Access, FileEffect, Found};
use crate::invocation::{Argument, Invocation, Stdin, program_name};
use crate::models;
use crate::value::{Origin, Value};

/// Programs that copy what they are given, or put a link to it in the place of a file.
const COPY: &[&str] = &["cp", "gcp", "install", "ginstall", "ln", "gln", "mv", "gmv"];

/// True if nothing is left of a file that an effect writes.
pub(super) fn empties(case: &Case<'_>, found: &Found, file: &FileEffect) -> bool {
    if !matches!(file.access, Access::Write | Access::Link) {
        return false;
    }
    let Some(call) = reach::call(case, found) else { return false };
    match program_name(&found.program) {
        "truncate" | "gtruncate" => shrinks(call),
        program if COPY.contains(&program) => call.arguments.iter().any(is_nothing),
        "tee" | "gtee" | "sponge" => !appends(call) && is_given_nothing(case, call),
        "dd" | "gdd" => call
            .arguments
            .iter()
            .any(|word| matches!(word.value.as_known(), Some("if=/dev/null" | "count=0"))),
        "sed" | "gsed" => deletes_lines(call),
        "perl" | "ruby" | "awk" | "gawk" => prints_nothing(call),
        "git" => untracks(call),
        _ => false,
    }
}

/// True for the word `/dev/null`.
fn is_nothing(word: &Argument) -> bool {
    word.value.as_known() == Some("/dev/null")
}

/// True for a size that may be less than what the file has. `+`, `>` and `%` only make it longer.
fn shrinks(call: &Invocation) -> bool {
    let Some(parsed) = models::parse(call) else { return true };
    let Some(size) = parsed.value("-s") else { return parsed.has("-r") };
    let grows = |size: &str| {
        let is_large = size.len() > 3 && size.starts_with(|char: char| ('1'..='9').contains(&char));
        let has_unit = size.ends_with(|char: char| char.is_ascii_alphabetic());
        size.starts_with(['+', '>', '%'])
            || is_large
            || has_unit && !size.starts_with(['-', '<', '/', '0'])
    };
    !size.value.as_known().is_some_and(grows)
}

/// True for an option by which the end of the file is written.
fn appends(call: &Invocation) -> bool {
    call.arguments.iter().any(|word| matches!(word.value.as_known(), Some("-a" | "--append")))
}

/// True if its standard input is empty: `/dev/null`, or what `cat /dev/null`, `:` and `true` write.
fn is_given_nothing(case: &Case<'_>, call: &Invocation) -> bool {
    match &call.stdin {
        Stdin::File(path) => path.as_known() == Some("/dev/null"),
        Stdin::Text(text) => text.as_known() == Some(""),
        Stdin::Pipe(numbers) => numbers.iter().all(|number| {
            let Some(from) = case.analysis.invocations.get(*number) else { return false };
            match from.name() {
                Some("cat") => !from.arguments.is_empty() && from.arguments.iter().all(is_nothing),
                Some("true" | ":") => true,
                _ => false,
            }
        }),
        _ => false,
    }
}

/// True for a script that deletes every line, or prints none.
fn deletes_lines(call: &Invocation) -> bool {
    /// Scripts of `sed` that delete every line.
    const ALL: &[&str] = &["d", "1,$d", "1,$ d", "/^/d", "//d", "/.*/d", "1,$!d", "Q", "1Q"];
    call.arguments.iter().any(|word| word.value.as_known().is_some_and(|text| ALL.contains(&text)))
        || prints_nothing(call)
}

/// True for a script, given with options to change files in place, that has nothing printed.
fn prints_nothing(call: &Invocation) -> bool {
    let words: Vec<&str> = call.arguments.iter().map(|word| word.value.prefix()).collect();
    let in_place = words.iter().any(|word| {
        word.starts_with("-i")
            || *word == "inplace"
            || word.starts_with("--in-place")
            || word.starts_with('-') && !word.starts_with("--") && word.contains('i')
    });
    let scripts = words.iter().any(|word| matches!(*word, "" | "0" | ";" | "1;" | "b"));
    in_place && scripts
}

/// True for a command of Git that deletes files, or takes all that it finds out of the index.
fn untracks(call: &Invocation) -> bool {
    let Some(parsed) = models::parse(call) else { return false };
    let is_many = |word: &Argument| match &word.value {
        Value::Known(path) => {
            matches!(path.as_str(), "." | "./" | ":/") || path.contains(['*', '?', '['])
        }
        Value::Unknown(Origin::Glob(_)) | Value::Prefix(..) => true,
        _ => false,
    };
    match parsed.subcommands.first() {
        Some(&"rm") if parsed.has("-n") => false,
        Some(&"rm") => !parsed.has("--cached") || parsed.operands.iter().any(is_many),
        Some(&"update-index") => parsed.has("--force-remove"),
        Some(&"read-tree") => parsed.has("--empty"),
        _ => false,
    }
}
