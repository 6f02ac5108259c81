//! Words in odd spellings come to a program as Bash would give them to it, whichever way the command is
//! run: by its words, or as a script that is printed again.

use std::io::Write as _;
use std::process::Command;

use super::corpus::workspace;
use super::{Dice, rounds};
use crate::plan::Run;
use crate::{Decision, Env, check};

/// What the words are made of.
const PARTS: &[&str] = &[
    "a", "b", "1", ".", "-", "_", "/", "\\$", "$", "\\\"", "\\\\", "\\`", "\\'", "'", "\"", "\"",
    "'", "*", "?", "[a]", "{a,b}", "{", "}", "~", "$x", "${x}", "$1", "!", "#", "=", ":", "%", "@",
    "^", "+", ",", "\\ ", " ", "\\n", "\\t", "$((1+2))", "$(echo q)", "${x:-d}", "${#x}",
    "$'a\\tb'", "$\"c\"", "\\a", "é", "x=", "--", "\\;", "\\&", "\\|", "\\(", "\\)", "\\<", "\\*",
    "\\{", "\\}", "\\~", "\\#", "\\!", "\\=", "${x%b}", "${x/a/b}", "$?", "`echo r`", "\\\n",
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

/// How a program gets its words that was allowed.
fn given(run: Run, folder: &std::path::Path) -> Option<Vec<u8>> {
    Some(match run {
        Run::Direct { arguments, .. } if arguments.is_empty() => "<>".into(),
        Run::Direct { arguments, .. } => {
            arguments.iter().map(|word| format!("<{word}>")).collect::<String>().into_bytes()
        }
        Run::Canonical { script } => shown(&script, folder),
        Run::Verbatim { .. } => return None,
    })
}

/// What the long form has named.
#[test]
fn a_home_ends_where_bash_ends_it_or_nobody_says_where() {
    let folder = tempfile::tempdir().unwrap();
    let texts =
        ["ls ~=~", "ls ~=~x", "ls ~=x", "ls ~:x", "ls ~:", "ls ~:\\|!", "ls ~/x=~", "ls x=~:~"];
    let mut compared = Vec::new();
    for text in texts {
        let checked = check(text, &Env::default(), &workspace());
        if checked.verdict != Decision::Allow {
            continue;
        }
        if let Some(given) = given(checked.plan.unwrap().run, folder.path()) {
            assert_eq!(given, shown(text, folder.path()), "{text}");
            compared.push(text);
        }
    }
    assert_eq!(compared, ["ls ~=x", "ls ~:x", "ls ~:", "ls ~/x=~", "ls x=~:~"]);
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
        // Another number in each shell, and another folder here.
        if checked.verdict != Decision::Allow || text.contains("$$") || text.contains("~+") {
            continue;
        }
        let Some(given) = given(checked.plan.unwrap().run, folder.path()) else { continue };
        tried += 1;
        if given != shown(&text, folder.path()) {
            wrong.push(text);
        }
    }
    writeln!(std::io::stderr(), "{tried} commands, {} with other words", wrong.len()).unwrap();
    assert!(tried > rounds(500, 25_000), "{tried}");
    assert!(wrong.is_empty(), "{wrong:#?}");
}
