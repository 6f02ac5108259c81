//! A rule that was kept for one command lets nothing through that does more.

use std::collections::BTreeSet;
use std::io::Write;

use super::super::effect::{Effect, Scope};
use super::super::rules::propose;
use super::super::unwrap::base;
use super::super::{Analysis, Decision, Env, analyse, judge};
use super::corpus::{rows, strict, workspace};
use super::rewrites::REWRITES;
use super::{Dice, rounds};

/// Commands of every day, beside the labelled ones, with many words that others may have, too.
const WORK: &[&str] = &[
    "git status",
    "git status --short",
    "git log --oneline -5",
    "git diff HEAD~1",
    "git add src/a.rs",
    "git commit -m x",
    "git push origin main",
    "git push --force origin main",
    "git fetch origin",
    "ls",
    "ls -la src",
    "ls /etc",
    "cat README.md",
    "cat /etc/passwd",
    "cat src/a.rs src/b.rs",
    "grep -rn x src",
    "grep x /etc/passwd",
    "find . -name '*.rs'",
    "find . -name '*.rs' -delete",
    "cargo test",
    "cargo build --release",
    "npm test",
    "npm run build",
    "touch a.txt",
    "touch /etc/x",
    "mkdir -p build",
    "cp a.txt b.txt",
    "cp a.txt /etc/b.txt",
    "mv a.txt b.txt",
    "rm a.txt",
    "echo x > out.txt",
    "echo x > /etc/x",
    "sort a.txt",
    "sort -o b.txt a.txt",
    "wc -l a.txt",
    "sed -n 1,5p a.txt",
    "sed -i s/a/b/ a.txt",
    "tar -cf x.tar src",
    "curl https://example.com/a",
    "curl -o a https://example.com/a",
    "curl https://other.example/a",
    "timeout 5 git log",
    "cd src && ls",
    "git log --output=x",
    "chmod 644 a.txt",
    "head -5 a.txt",
    "tail -f log.txt",
];

/// What a command does, told apart from how a rule keeps it: each effect with its place.
fn does(analysis: &Analysis) -> BTreeSet<String> {
    let shown = |effect: &Effect| match effect {
        Effect::File(file)
            if !matches!(file.scope, Scope::Workspace | Scope::Temp | Scope::HarmlessDevice) =>
        {
            format!("{} {:?}", effect.label(), file.path)
        }
        Effect::Network { host, .. } => format!("{} {host:?}", effect.label()),
        effect => effect.label(),
    };
    analysis.found.iter().map(|found| shown(&found.effect)).collect()
}

fn programs(analysis: &Analysis) -> BTreeSet<&str> {
    let calls = analysis.invocations.iter().filter(|call| !call.builtin);
    let names = calls.filter_map(|call| call.program.value.as_known()).map(base);
    // A rule is about what these run.
    names.filter(|name| !["timeout", "nice", "nohup", "stdbuf", "ionice"].contains(name)).collect()
}

/// A text that is somewhat like another: a word is another, is added or is taken away, a command
/// follows, or it is written otherwise.
fn like(text: &str, others: &[String], dice: &mut Dice) -> String {
    let other = dice.pick(others);
    let mut words: Vec<&str> = text.split(' ').collect();
    let others: Vec<&str> = other.split(' ').collect();
    let at = dice.roll(words.len());
    match dice.roll(7) {
        0 => words[at] = *dice.pick(&others),
        1 => words.insert(at, *dice.pick(&others)),
        2 if words.len() > 1 => _ = words.remove(at),
        3 => return format!("{text}; {other}"),
        4 => return format!("{text} > out.txt"),
        5 => return (dice.pick(REWRITES).write)(text, dice).unwrap_or_else(|| text.to_owned()),
        _ => words.push(*dice.pick(&others)),
    }
    words.join(" ")
}

#[test]
fn what_a_rule_lets_through_does_no_more_than_what_it_was_kept_for() {
    let env = Env::default();
    let settings = [strict(), workspace()];
    let decide = |analysis: &Analysis| -> [Decision; 2] {
        [0, 1].map(|which: usize| judge(analysis, &env, &settings[which]).decision)
    };
    let mut texts: Vec<String> = rows().into_iter().map(|row| row.cmd).collect();
    // Half of the pairs are of ordinary work, for which there are rules.
    texts.extend(WORK.iter().cycle().take(texts.len()).map(|text| (*text).to_owned()));
    let mut dice = Dice::new(13);
    let (mut pairs, mut through) = (0, 0);
    for _ in 0..rounds(400, 20_000) {
        let kept = dice.pick(&texts).clone();
        let before = analyse(&kept, &env);
        let proposals = propose(&before, &env);
        if proposals.is_empty() {
            continue;
        }
        let (may, judged) = (does(&before), decide(&before));
        for _ in 0..8 {
            let other = match dice.roll(4) {
                0 => dice.pick(&texts).clone(),
                1 => like(&like(&kept, &texts, &mut dice), &texts, &mut dice),
                _ => like(&kept, &texts, &mut dice),
            };
            let after = analyse(&other, &env);
            for proposal in &proposals {
                pairs += 1;
                if !proposal.rule.is_about(&after, &env) {
                    continue;
                }
                through += usize::from(other != kept);
                let says = format!("{other:?} by {:?} of {kept:?}", proposal.text);
                assert!(does(&after).is_subset(&may), "{says}: {:?}", does(&after));
                assert!(programs(&after).is_subset(&programs(&before)), "{says}");
                assert!(after.problems.is_empty(), "{says}: {:?}", after.problems);
                let decided = decide(&after);
                assert!(decided[0] <= judged[0] && decided[1] <= judged[1], "{says}: {decided:?}");
            }
        }
    }
    writeln!(std::io::stderr(), "{pairs} pairs, {through} let through").unwrap();
    assert!(through > 20, "{through} of {pairs}");
}
