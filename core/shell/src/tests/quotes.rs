//! Quotes within parameters, calculations and indexes, where single ones quote in one place and are
//! characters in the next: `${x:-'$(evil)'}` runs `evil` in `$((…))` and between double quotes.

use super::generated::PROGRAMS;
use super::odd::PROGRAM;
use super::trace::try_texts;
use super::{Dice, rounds};

/// Where a word stands: `W`.
const PLACES: &[&str] = &[
    "echo W", "echo aWb", "echo \"W\"", "echo \"aWb\"", "echo $((1+W))", "echo \"$((W))\"",
    "echo $(( \"W\" ))", "echo $[1+W]", "((1+W))", "for ((i=W;i<1;i++)); do ls; done", "let n=W",
    "declare -i n=W", "cat <<E\nW\nE", "cat <<<W", "cat < W", "x=W", "a[W]=1", "a[W]+=1",
    "a=([W]=1)", "declare -A m; m[W]=1", "echo ${a[W]}", "echo \"${a[W]}\"", "echo ${s:W}",
    "echo \"${s:0:W}\"", "echo ${s/W/c}", "echo {a,W}", "unset a[W]", "[[ -v a[W] ]]",
    "[[ 1 -eq W ]]", "[[ W == a ]]", "[[ a == W ]]", "[[ a =~ W ]]", "case W in a) ;; esac",
    "case a in W) ;; esac", "echo `echo W`", "echo \"`echo W`\"", "echo $(echo W)",
];

/// Parameters with a word in them: `x` and `y` are unset.
const PARAMETERS: &[&str] = &[
    "${x:-W}", "${x-W}", "${s:+W}", "${s+W}", "${x:=W}", "${x:?W}", "${s#W}", "${s%%W}",
    "${s/a/W}", "${s/W/b}", "${s//b/W}", "${s^^W}", "${s:W}", "${s:0:W}", "${a[W]}", "${!x:-W}",
    "${x:-aW}", "${x:-\"W\"}", "$((W))", "$[W]", "\"W\"",
];

/// What is quoted, or not.
const QUOTED: &[&str] = &[
    "'$(evil)'", "'`evil`'", "\"'$(evil)'\"", "'\"$(evil)\"'", "'$(\"evil\")'", "\\'$(evil)",
    "$'$(evil)'", "'\\$(evil)'", "''$(evil)''", "'a'$(evil)'b'", "'a\"$(evil)\"'",
    "\"a'\"'$(evil)'", "'}$(evil)'", "'${y:-$(evil)}'",
];

fn text(dice: &mut Dice) -> String {
    let mut text = (*dice.pick(QUOTED)).to_owned();
    for _ in 0..dice.roll(4) {
        text = dice.pick(PARAMETERS).replacen('W', &text, 1);
    }
    format!("s=abc; {}", dice.pick(PLACES).replacen('W', &text, 1))
}

#[test]
fn every_program_between_quotes_was_reported() {
    let programs = PROGRAMS.iter().copied().chain([PROGRAM]);
    try_texts(programs, 41, rounds(2_000, 100_000), text);
}
