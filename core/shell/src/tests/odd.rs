//! Texts that are hard to read: of which it is easily taken for the one what Bash takes for the other.
//!
//! In each stands a program, `evil`, in a place where it may be thought to be none: behind a quote or a
//! brace that opens nothing, at the end of a here-document that has another end, in a comment.

use std::sync::LazyLock;

use serde::Deserialize;

use super::Dice;
use super::differential::PARTS;
use crate::parse::suite::SCRIPTS;

/// The program that must not run untold.
pub(super) const PROGRAM: &str = "evil";

/// How long a text may be, in bytes.
const LONGEST: usize = 400;

/// One such text.
pub(super) fn text(dice: &mut Dice) -> String {
    loop {
        let text = match dice.roll(4) {
            0 => parameter(dice),
            1 => document(dice),
            2 => nested(dice),
            _ => changed(dice),
        };
        if text.len() <= LONGEST && !may_be_bomb(&text) {
            return text;
        }
    }
}

/// True where a function may run itself beside itself.
fn may_be_bomb(text: &str) -> bool {
    text.contains(['&', '|']) && (text.contains("()") || text.contains("function"))
}

/// What the texts are made of.
#[derive(Deserialize)]
struct Tables {
    /// What a parameter is named by.
    names: Vec<String>,
    /// What is done to it.
    operators: Vec<String>,
    /// Parts of the word behind it.
    operands: Vec<String>,
    /// What stands before a parameter.
    before: Vec<String>,
    /// What stands behind one.
    after: Vec<String>,
    /// Parts of the mark of a here-document.
    marks: Vec<String>,
    /// Lines of one.
    lines: Vec<String>,
    /// What stands before one.
    readers: Vec<String>,
    /// What stands behind its mark.
    endings: Vec<String>,
    /// What stands around a text.
    around: Vec<(String, String)>,
    /// Texts that are hard to read.
    atoms: Vec<String>,
    /// The program that is not to run untold, where it may be thought to be none.
    hidden: Vec<String>,
    /// What is put into a text anywhere, beside the parts of `differential`.
    tokens: Vec<String>,
}

static TABLES: LazyLock<Tables> =
    LazyLock::new(|| serde_json::from_str(include_str!("odd.json")).unwrap());

fn of<T: AsRef<str>>(dice: &mut Dice, all: &'static [T]) -> &'static str {
    dice.pick(all).as_ref()
}

fn chance(dice: &mut Dice, of_hundred: usize) -> bool {
    dice.roll(100) < of_hundred
}

/// `count` of these, one behind the other.
fn several<T: AsRef<str>>(dice: &mut Dice, all: &'static [T], count: usize) -> String {
    (0..count).map(|_| of(dice, all)).collect()
}

fn with_program(text: String) -> String {
    if text.contains(PROGRAM) { text } else { text + "\n" + PROGRAM }
}

/// `${…}` with a word that may end elsewhere.
fn parameter(dice: &mut Dice) -> String {
    const ENDS: &[&str] = &["}", "}", "}", "}\"", "}'", "", "\"}", "'}"];
    const LAST: &[&str] = &["\nevil", "\n'evil'", "\n\"evil\"", " ;evil;"];
    let count = 1 + dice.roll(3);
    let mut text = format!(
        "{}${{{}{}",
        of(dice, &TABLES.before),
        of(dice, &TABLES.names),
        of(dice, &TABLES.operators)
    );
    text += &several(dice, &TABLES.operands, count);
    text += of(dice, ENDS);
    let count = dice.roll(5).saturating_sub(2);
    text += &several(dice, &TABLES.operands, count);
    text += of(dice, &TABLES.after);
    if chance(dice, 30) {
        text += of(dice, LAST);
    }
    with_program(text)
}

/// A here-document that may end elsewhere.
fn document(dice: &mut Dice) -> String {
    const OPERATORS: &[&str] = &["<<", "<<", "<<-", "<< ", "<<- ", "<<-\t"];
    const ENDS: &[&str] = &["", "", "", " ", ")", "`", "\\"];
    const RUNS: &[&str] = &["evil", "evil #'", "evil #\"", "evil;", "evil\nE"];
    const CLOSES: &[&str] =
        &["}", ")", "`", ")\"", "'", "\"", "E", "X", "Y", "fi", "done", ";; esac", "ls", ")}"];
    let count = 1 + dice.roll(4).saturating_sub(1);
    let mark = several(dice, &TABLES.marks, count);
    let ends = unquoted(&mark);
    let mut text = format!(
        "{}{}{mark}{}\n",
        of(dice, &TABLES.readers),
        of(dice, OPERATORS),
        of(dice, &TABLES.endings)
    );
    for _ in 0..1 + dice.roll(3) {
        for _ in 0..dice.roll(3) {
            text += &format!("{}{}\n", of(dice, &["", "", "\t"]), of(dice, &TABLES.lines));
        }
        let end = dice.pick(&ends).clone();
        text += &format!("{}{end}{}\n", of(dice, &["", "", "", "\t", " "]), of(dice, ENDS));
        if chance(dice, 70) {
            text += &format!("{}\n", of(dice, RUNS));
        }
        if chance(dice, 30) {
            text += &format!("{}\n", of(dice, CLOSES));
        }
    }
    with_program(text)
}

/// What a mark may be without its quotes.
fn unquoted(mark: &str) -> Vec<String> {
    let without = |chars: &[char]| mark.replace(chars, "");
    vec![
        mark.to_owned(),
        without(&['\'']),
        without(&['"']),
        without(&['\\']),
        without(&['\'', '"']),
        without(&['\'', '"', '\\']),
        without(&['$']),
        without(&['$', '\'', '"']),
        mark.replace("\\\\", "\\"),
    ]
}

/// Commands around commands.
fn nested(dice: &mut Dice) -> String {
    const CLOSES: &[&str] = &["'", "\"", ")", "`", "}", " fi", " esac", "\n", "done"];
    let mut text = within(dice, 3);
    let hidden = of(dice, &TABLES.hidden);
    if chance(dice, 50) {
        let at = border(dice, &text);
        text.insert_str(at, hidden);
    } else {
        text += hidden;
    }
    if chance(dice, 30) {
        text += of(dice, CLOSES);
    }
    text
}

fn within(dice: &mut Dice, depth: usize) -> String {
    if depth == 0 || chance(dice, 25) {
        return of(dice, &TABLES.atoms).to_owned();
    }
    if chance(dice, 65) {
        let (open, close) = dice.pick(&TABLES.around);
        let before = match dice.roll(10) {
            0..=3 => "",
            _ => of(dice, &["echo ", "ls ", "x=", "cat ", "echo a"]),
        };
        return format!("{before}{open}{}{close}", within(dice, depth - 1));
    }
    let joint = of(dice, &[";", "\n", " ", "|", "&&", "\n\n", " ; "]);
    format!("{}{joint}{}", within(dice, depth - 1), within(dice, depth - 1))
}

/// A script with a few things put in, left out or moved.
fn changed(dice: &mut Dice) -> String {
    const LAST: &[&str] = &[
        "\nevil", "'\nevil '", "\" evil \"", "\nevil\nE", "# evil", "\n# evil\n", " 'evil' ",
        " ;evil;", "\"'evil'\"",
    ];
    let mut text = match dice.roll(5) {
        0 => {
            let count = 2 + dice.roll(10);
            (0..count).map(|_| token(dice)).collect()
        }
        1 => {
            let joint = of(dice, &["\n", ";", " ", "|", "&&"]);
            format!("{}{joint}{}", script(dice), script(dice))
        }
        _ => script(dice),
    };
    for _ in 0..1 + dice.roll(5) {
        let at = border(dice, &text);
        match dice.roll(20) {
            0..=2 => _ = text[at..].chars().next().map(|_| text.remove(at)),
            3 | 4 => {
                let other = border(dice, &text);
                let part = text[at.min(other)..at.max(other)].to_owned();
                let to = border(dice, &text);
                text.insert_str(to, &part);
            }
            5 | 6 => {
                let other = script(dice);
                text.insert_str(at, &other);
            }
            _ => text.insert_str(at, token(dice)),
        }
    }
    if chance(dice, 30) {
        text += of(dice, LAST);
    }
    with_program(text)
}

fn token(dice: &mut Dice) -> &'static str {
    if chance(dice, 50) { of(dice, PARTS) } else { of(dice, &TABLES.tokens) }
}

/// A script of those that are told by hand, with programs that are there.
fn script(dice: &mut Dice) -> String {
    let words = |text: &str, program: &str| {
        let is_program = |word: &str| matches!(word, "id" | "pwd" | "w" | "who");
        let is_part = |char: char| char.is_ascii_alphanumeric() || char == '_';
        let mut out = String::new();
        let mut word = String::new();
        for char in text.chars().chain(['\0']) {
            if is_part(char) {
                word.push(char);
                continue;
            }
            out += if is_program(&word) { program } else { &word };
            word.clear();
            out.push(char);
        }
        out.pop();
        out
    };
    let program = of(dice, &[PROGRAM, "ls", "ls"]);
    words(dice.pick(SCRIPTS).0, program)
}

/// A place between two characters.
fn border(dice: &mut Dice, text: &str) -> usize {
    let mut at = dice.roll(text.len() + 1);
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}
