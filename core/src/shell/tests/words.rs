//! Words in odd spellings come to a program as Bash would give them to it, whichever way the command is
//! run: by its words, or as a script that is printed again.

use std::io::Write as _;
use std::process::Command;

use super::super::plan::Run;
use super::super::{Decision, Env, check};
use super::corpus::workspace;
use super::{Dice, rounds};

/// What the words are made of.
const PARTS: &[&str] = &[
    "a",
    "b",
    "1",
    ".",
    "-",
    "_",
    "/",
    "\\$",
    "$",
    "\\\"",
    "\\\\",
    "\\`",
    "\\'",
    "'",
    "\"",
    "\"",
    "'",
    "*",
    "?",
    "[a]",
    "{a,b}",
    "{",
    "}",
    "~",
    "$x",
    "${x}",
    "$1",
    "!",
    "#",
    "=",
    ":",
    "%",
    "@",
    "^",
    "+",
    ",",
    "\\ ",
    " ",
    "\\n",
    "\\t",
    "$((1+2))",
    "$(echo q)",
    "${x:-d}",
    "${#x}",
    "$'a\\tb'",
    "$\"c\"",
    "\\a",
    "é",
    "x=",
    "--",
    "\\;",
    "\\&",
    "\\|",
    "\\(",
    "\\)",
    "\\<",
    "\\*",
    "\\{",
    "\\}",
    "\\~",
    "\\#",
    "\\!",
    "\\=",
    "${x%b}",
    "${x/a/b}",
    "$?",
    "`echo r`",
    "\\\n",
];

/// The program, as a function that shows its words.
const SHOWS: &str = "ls() { printf '<%s>' \"$@\"; }\n";

fn text(dice: &mut Dice) -> String {
    let mut text = dice.pick(&["ls", "ls", "ls", "x=ab; ls"]).to_string();
    for _ in 0..=dice.roll(3) {
        text.push(' ');
        for _ in 0..=dice.roll(5) {
            text += dice.pick::<&str>(PARTS);
        }
    }
    text
}

/// What Bash writes for it, in an empty folder.
fn shown(text: &str, folder: &std::path::Path) -> Vec<u8> {
    let text = format!("{SHOWS}{text}");
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &text]).current_dir(folder).env_clear().env("HOME", "/home/user");
    bash.output().unwrap().stdout
}

#[test]
fn a_program_gets_the_words_that_bash_gives_it() {
    let folder = tempfile::tempdir().unwrap();
    let (env, settings) = (Env::default(), workspace());
    let mut dice = Dice::new(29);
    let (mut tried, mut wrong) = (0, Vec::new());
    for _ in 0..rounds(2_000, 100_000) {
        let text = text(&mut dice);
        let checked = check(&text, &env, &settings);
        // Another number in each shell.
        if checked.verdict != Decision::Allow || text.contains("$$") {
            continue;
        }
        let given = match checked.plan.unwrap().run {
            Run::Direct { arguments, .. } if arguments.is_empty() => "<>".into(),
            Run::Direct { arguments, .. } => {
                arguments.iter().map(|word| format!("<{word}>")).collect::<String>().into_bytes()
            }
            Run::Canonical { script } => shown(&script, folder.path()),
            Run::Verbatim { .. } => continue,
        };
        tried += 1;
        if given != shown(&text, folder.path()) {
            wrong.push(text);
        }
    }
    writeln!(std::io::stderr(), "{tried} commands, {} with other words", wrong.len()).unwrap();
    assert!(tried > rounds(500, 25_000), "{tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
