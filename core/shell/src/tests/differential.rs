//! What we read in a text is what another parser reads in it, and Bash takes no text for a script that
//! is let through though we did not understand it.

use std::collections::BTreeMap;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Command, Stdio};

use super::corpus::{rows, strict, workspace};
use super::generated::text as made_up;
use super::rewrites::REWRITES;
use super::shown::{self, Seen};
use super::{Dice, brush, rounds};
use crate::{Decision, Env, analyse, judge, parse};

/// What is put into a text to make another of it.
pub(super) const PARTS: &[&str] = &[
    ";", "|", "||", "&", "&&", "(", ")", "<", ">", ">>", "<<", "<(", "$(", "${", "}", "{", "{ ",
    "; }", "\"", "'", "`", "\\", "\n", "#", " # ", "!", " ! ", "$", "$'", "$\"", "=", "*", "?",
    "[", "]", "[[ ", " ]]", "((", "))", "~", ",", " if ", "; then ", "; fi", " do ", "; done",
    " case x in ", ";;", " esac", "<<E\n", "\nE\n", "<<'E'\n", "<<<", "2>&1", "&>", ">|", "|&",
    "a=", "a=(", "-", " ", "\t", "x", "\\\n",
];

/// A text of any kind.
fn any(texts: &[String], dice: &mut Dice) -> String {
    let mut text = match dice.roll(3) {
        0 => made_up(dice),
        _ => dice.pick(texts).clone(),
    };
    for _ in 0..dice.roll(3) {
        if let Some(other) = (dice.pick(REWRITES).write)(&text, dice) {
            text = other;
        }
    }
    for _ in 0..dice.roll(4) {
        changed(&mut text, dice);
    }
    text
}

/// Puts something into a text, or takes something away.
fn changed(text: &mut String, dice: &mut Dice) {
    let mut at = dice.roll(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    match dice.roll(3) {
        0 if at < text.len() => _ = text.remove(at),
        _ => {
            let part: &&str = dice.pick(PARTS);
            text.insert_str(at, part);
        }
    }
}

/// True if Bash takes a text for a script.
fn is_script(text: &str) -> bool {
    let bash = Command::new("bash")
        .args(["-O", "extglob", "-n", "-c", text])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .output()
        .unwrap();
    // A here-document without an end is only warned of.
    bash.status.success()
        && !String::from_utf8_lossy(&bash.stderr).contains("delimited by end-of-file")
}

/// What another parser reads, if it reads it at all and nothing that it cannot be asked of occurs.
fn theirs(text: &str) -> Option<Vec<Seen>> {
    let read = catch_unwind(AssertUnwindSafe(|| brush::commands(text)));
    read.ok()?.ok()
}

/// What differs, if something does.
fn difference(ours: Vec<Seen>, theirs: Vec<Seen>, counts: bool) -> Option<(Vec<Seen>, Vec<Seen>)> {
    let shown = |mut all: Vec<Seen>| {
        for seen in &mut all {
            seen.words = if counts { seen.words } else { seen.words.min(1) };
        }
        all.sort();
        all
    };
    let (mut ours, mut theirs) = (shown(ours), shown(theirs));
    let common: Vec<Seen> = ours.iter().filter(|seen| theirs.contains(seen)).cloned().collect();
    for seen in common {
        if let Some(at) = theirs.iter().position(|other| *other == seen) {
            theirs.remove(at);
            if let Some(at) = ours.iter().position(|other| *other == seen) {
                ours.remove(at);
            }
        }
    }
    (!ours.is_empty() || !theirs.is_empty()).then_some((ours, theirs))
}

#[test]
fn what_bash_takes_for_a_script_is_read_as_another_parser_reads_it_or_never_let_through() {
    let env = Env::default();
    let settings = [strict(), workspace()];
    let texts: Vec<String> = rows().into_iter().map(|row| row.cmd).collect();
    let mut dice = Dice::new(17);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for _ in 0..rounds(600, 60_000) {
        let text = any(&texts, &mut dice);
        if text.contains('\0') || !is_script(&text) {
            *counts.entry("no script").or_default() += 1;
            continue;
        }
        let parsed = parse::parse(&text);
        if !parsed.problems.is_empty() {
            *counts.entry("not understood").or_default() += 1;
            let analysis = analyse(&text, &env);
            if settings.iter().any(|with| judge(&analysis, &env, with).decision == Decision::Allow)
            {
                wrong.push(format!("{text:?} is not understood, and let through"));
            }
            continue;
        }
        let Some(theirs) = theirs(&text) else {
            *counts.entry("not compared").or_default() += 1;
            continue;
        };
        *counts.entry("compared").or_default() += 1;
        // A process in a word is a word of its own to them.
        let words = !text.contains("<(") && !text.contains(">(");
        if let Some((ours, theirs)) = difference(shown::commands(&parsed.script), theirs, words) {
            wrong.push(format!("{text:?}: we read {ours:?}, they {theirs:?}"));
        }
    }
    writeln!(std::io::stderr(), "{counts:?}, {} wrong", wrong.len()).unwrap();
    assert!(wrong.is_empty(), "{}: {:#?}", wrong.len(), &wrong[..wrong.len().min(40)]);
    assert!(counts["compared"] * 4 > counts.values().sum::<usize>(), "{counts:?}");
}
