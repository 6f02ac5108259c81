//! A script that is printed again from what was understood is the same to the analysis, and to a real
//! shell.

use std::io::Write;
use std::process::Command;

use super::corpus::rows;
use super::generated::{PROGRAMS, command, text};
use super::trace::{Place, surroundings};
use super::{Dice, rounds};
use crate::invocation::Argument;
use crate::ir::Script;
use crate::plan::{Run, plan};
use crate::value::{Origin, Value};
use crate::{Analysis, analyse, parse, print};

/// The script of a text as it is printed, if it can be.
fn printed(text: &str) -> Option<String> {
    let parsed = parse::parse(text);
    let whole = parsed.problems.is_empty() && parsed.script != Script::default();
    whole.then(|| print::canonical(text, &parsed.script))?
}

/// What an analysis found, without where it stands and by which number.
fn calls(analysis: &Analysis) -> Vec<String> {
    let word = |word: &Argument| match &word.value {
        Value::Unknown(Origin::Output(_)) => format!("output {}", word.many),
        Value::Prefix(text, Origin::Output(_)) => format!("{text} output {}", word.many),
        value => format!("{value:?} {}", word.many),
    };
    let shown = analysis.invocations.iter().map(|call| {
        let words: Vec<_> = call.arguments.iter().map(word).collect();
        format!("{} {words:?} {:?}", word(&call.program), call.cwd)
    });
    let mut all: Vec<_> = shown.collect();
    // `set -f` stands before some.
    all.retain(|call| !call.starts_with(r#"Known("set") false ["Known(\"-f\") false"]"#));
    all.sort();
    all.dedup();
    all
}

/// What Bash writes when it runs a text.
fn written(text: &str) -> String {
    let bash = Command::new("bash").args(["--norc", "-c", text]).output().unwrap();
    String::from_utf8(bash.stdout).unwrap()
}

#[test]
fn a_quoted_text_in_which_a_continuation_may_have_been_moved_is_not_printed() {
    for text in [
        "cat <<'E'\ni\\\nf\nE",
        "cat <<'f'\ni\\\nf\nrm -rf /srv/x\nf",
        "cat <<'if'\ni\\\nf\nls\nif\n",
        "cat <<-\\E\n\t; i\\\nf\n\tE",
        "printf %s \"it's\" 'a; i\\\nf x'",
        "printf %s \"it's\" $'a; i\\\nf x'",
        "printf %s ${x#\"it's\" 'a; i\\\nf x'}",
        "printf %s \"$(cat <<'E'\n; i\\\nf\nE\n)\"",
    ] {
        assert_eq!(printed(text), None, "{text:?}");
    }
}

#[test]
fn a_quoted_text_keeps_its_continuations() {
    for text in [
        "cat <<'E'\nx \\\ny\nE", "printf %s 'a; i\\\nf'", "printf %s $'a; i\\\nf'",
        "echo x # it's\nprintf %s 'a; i\\\nf'", "a\\\nb=c; printf %s \"$ab i\\\nf\"",
    ] {
        let script = printed(text).unwrap();
        assert_eq!(written(&script), written(text), "{text:?} printed as {script:?}");
    }
}

#[test]
fn a_printed_script_is_the_same_to_the_analysis_and_when_printed_again() {
    let env = surroundings();
    let mut dice = Dice::new(3);
    let made_up = (0..rounds(1_000, 50_000)).map(|_| text(&mut dice));
    let labelled = rows().into_iter().map(|row| row.cmd);
    let (mut tried, mut done) = (0, 0);
    for text in made_up.chain(labelled) {
        tried += 1;
        let Some(script) = printed(&text) else { continue };
        done += 1;
        assert_eq!(printed(&script).as_ref(), Some(&script), "{text:?}");
        let (before, after) = (analyse(&text, &env), analyse(&script, &env));
        let understood = (before.problems.is_empty(), after.problems.is_empty());
        assert_eq!(understood.0, understood.1, "{text:?} {:?}", after.problems);
        assert_eq!(calls(&before), calls(&after), "{text:?} printed as {script:?}");
    }
    writeln!(std::io::stderr(), "{done} of {tried} texts were printed").unwrap();
    assert!(done * 2 > tried, "{done} of {tried}");
}

/// The calls of a text in any order, as often as they come out different in some runs.
fn outcomes(place: &mut Place, text: &str, runs: usize) -> Vec<Vec<String>> {
    let mut all: Vec<Vec<String>> = Vec::new();
    for _ in 0..runs {
        let ran = place.run(text);
        let mut calls: Vec<_> = ran.calls.iter().map(|call| format!("{call:?}")).collect();
        calls.sort();
        if ran.ended && !all.contains(&calls) {
            all.push(calls);
        }
    }
    all
}

#[test]
fn a_plan_runs_what_its_text_runs() {
    let mut place = Place::new(PROGRAMS.iter().copied());
    let env = surroundings();
    let mut dice = Dice::new(5);
    let (mut direct, mut scripts, mut wrong) = (0, 0, Vec::new());
    for _ in 0..rounds(300, 10_000) {
        let text = if dice.roll(4) == 0 { command(&mut dice) } else { text(&mut dice) };
        // Where a name is none, a shell leaves the whole line, and lines are not what is kept.
        if text.contains("${!") {
            continue;
        }
        let analysis = analyse(&text, &env);
        match plan(&analysis, &env).run {
            Run::Direct { program, arguments, .. } => {
                let name = program.rsplit('/').next().unwrap_or_default().to_owned();
                if !PROGRAMS.contains(&name.as_str()) {
                    continue;
                }
                direct += 1;
                let mut call = vec![format!("/bin/{name}")];
                call.extend(arguments);
                let expected = vec![format!("{:?}", Some(call))];
                let ran = outcomes(&mut place, &text, 1);
                if ran != [expected] {
                    wrong.push(format!("{text:?} ran {ran:?}"));
                }
            }
            Run::Canonical { script } => {
                scripts += 1;
                let one = outcomes(&mut place, &text, 1);
                let other = outcomes(&mut place, &script, 1);
                // What runs side by side does not always do the same, and /proc is never the same.
                let is_steady = !format!("{one:?}").contains("/proc/");
                let same = one == other || !is_steady || {
                    let (one, other) =
                        (outcomes(&mut place, &text, 9), outcomes(&mut place, &script, 9));
                    one.iter().any(|calls| other.contains(calls)) || one.is_empty()
                };
                if !same {
                    wrong.push(format!("{text:?} ran {one:?}, {script:?} ran {other:?}"));
                }
            }
            Run::Verbatim { .. } => {}
        }
    }
    writeln!(std::io::stderr(), "{direct} direct, {scripts} scripts, {} wrong", wrong.len())
        .unwrap();
    assert!(wrong.is_empty(), "{:#?}", &wrong[..wrong.len().min(10)]);
    assert!(direct > 5 && scripts > 50);
}
