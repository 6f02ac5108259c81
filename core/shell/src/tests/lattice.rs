//! A rule that was kept for one command lets nothing through that does more.

use std::collections::BTreeSet;
use std::io::Write;

use super::corpus::{rows, strict, workspace};
use super::generated::{command, text};
use super::rewrites::REWRITES;
use super::{Dice, rounds};
use crate::effect::{Effect, Scope};
use crate::invocation::program_name;
use crate::standing_rules::{Proposal, TRANSPARENT, propose};
use crate::{Analysis, Decision, Env, Settings, analyse, judge};

/// Commands of every day, beside the labelled ones, with many words that others may have, too.
const WORK: &[&str] = &[
    "git status", "git status --short", "git log --oneline -5", "git diff HEAD~1",
    "git add src/a.rs", "git commit -m x", "git push origin main", "git push --force origin main",
    "git fetch origin", "ls", "ls -la src", "ls /etc", "cat README.md", "cat /etc/passwd",
    "cat src/a.rs src/b.rs", "grep -rn x src", "grep x /etc/passwd", "find . -name '*.rs'",
    "find . -name '*.rs' -delete", "cargo test", "cargo build --release", "npm test",
    "npm run build", "touch a.txt", "touch /etc/x", "mkdir -p build", "cp a.txt b.txt",
    "cp a.txt /etc/b.txt", "mv a.txt b.txt", "rm a.txt", "echo x > out.txt", "echo x > /etc/x",
    "sort a.txt", "sort -o b.txt a.txt", "wc -l a.txt", "sed -n 1,5p a.txt", "sed -i s/a/b/ a.txt",
    "tar -cf x.tar src", "curl https://example.com/a", "curl -o a https://example.com/a",
    "curl https://other.example/a", "timeout 5 git log", "cd src && ls", "git log --output=x",
    "chmod 644 a.txt", "head -5 a.txt", "tail -f log.txt",
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

fn programs(analysis: &Analysis) -> BTreeSet<String> {
    let calls = analysis.invocations.iter().filter(|call| !call.builtin);
    let names = calls.filter_map(|call| call.program.value.as_known()).map(program_name);
    // A rule is about what these run.
    let is_wrapper = |name: &&str| TRANSPARENT.contains(name);
    names.filter(|name| !is_wrapper(name)).map(str::to_owned).collect()
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

/// A rule, with what its command does.
struct Kept {
    text: String,
    proposal: Proposal,
    may: BTreeSet<String>,
    runs: BTreeSet<String>,
    decided: [Decision; 2],
}

struct Trial {
    env: Env,
    settings: [Settings; 2],
    pairs: usize,
    through: usize,
}

impl Trial {
    fn new() -> Trial {
        let settings = [strict(), workspace()];
        Trial { env: Env::default(), settings, pairs: 0, through: 0 }
    }

    fn decide(&self, analysis: &Analysis) -> [Decision; 2] {
        [0, 1].map(|which: usize| judge(analysis, &self.env, &self.settings[which]).decision)
    }

    /// The rules that are offered for a command.
    fn rules(&self, text: &str) -> Vec<Kept> {
        let analysis = analyse(text, &self.env);
        let proposals = propose(&analysis, &self.env).into_iter();
        let kept = proposals.map(|proposal| Kept {
            text: text.to_owned(),
            proposal,
            may: does(&analysis),
            runs: programs(&analysis),
            decided: self.decide(&analysis),
        });
        kept.collect()
    }

    /// Holds a command against rules.
    fn hold<'a>(&mut self, other: &str, rules: impl Iterator<Item = &'a Kept>) {
        let after = analyse(other, &self.env);
        let (mut done, mut decided) = (None, None);
        for kept in rules {
            self.pairs += 1;
            if !kept.proposal.rule.is_about(&after, &self.env) {
                continue;
            }
            self.through += usize::from(other != kept.text);
            let says = || format!("{other:?} by {:?} of {:?}", kept.proposal.text, kept.text);
            let (does, runs) = done.get_or_insert_with(|| (does(&after), programs(&after)));
            assert!(does.is_subset(&kept.may), "{}: {does:?}, not {:?}", says(), kept.may);
            assert!(runs.is_subset(&kept.runs), "{}: {runs:?}", says());
            assert!(after.problems.is_empty(), "{}: {:?}", says(), after.problems);
            let decided = decided.get_or_insert_with(|| self.decide(&after));
            let weaker = decided[0] <= kept.decided[0] && decided[1] <= kept.decided[1];
            assert!(weaker, "{}: {decided:?}", says());
        }
    }
}

#[test]
fn a_rule_of_any_command_lets_no_other_through_that_does_more() {
    let mut trial = Trial::new();
    let mut dice = Dice::new(23);
    let mut texts: Vec<String> = rows().into_iter().map(|row| row.cmd).collect();
    texts.extend(WORK.iter().map(|text| (*text).to_owned()));
    texts.extend((0..rounds(300, 5_000)).map(|_| text(&mut dice)));
    texts.extend((0..rounds(300, 5_000)).map(|_| command(&mut dice)));
    let rules: Vec<Kept> = texts.iter().flat_map(|text| trial.rules(text)).collect();
    assert!(rules.len() > 200, "{}", rules.len());
    for other in &texts {
        // In the short form each is held against some.
        let first = dice.roll(rules.len());
        let some = rules.iter().cycle().skip(first).take(rounds(200, 1_000));
        trial.hold(other, some);
    }
    writeln!(std::io::stderr(), "{} pairs, {} let through", trial.pairs, trial.through).unwrap();
    assert!(trial.through > 100, "{} of {}", trial.through, trial.pairs);
}

#[test]
fn what_a_rule_lets_through_does_no_more_than_what_it_was_kept_for() {
    let mut trial = Trial::new();
    let mut texts: Vec<String> = rows().into_iter().map(|row| row.cmd).collect();
    // Half of the pairs are of ordinary work, for which there are rules.
    texts.extend(WORK.iter().cycle().take(texts.len()).map(|text| (*text).to_owned()));
    let mut dice = Dice::new(13);
    for _ in 0..rounds(400, 20_000) {
        let text = dice.pick(&texts).clone();
        let rules = trial.rules(&text);
        if rules.is_empty() {
            continue;
        }
        for _ in 0..8 {
            let other = match dice.roll(4) {
                0 => dice.pick(&texts).clone(),
                1 => like(&like(&text, &texts, &mut dice), &texts, &mut dice),
                _ => like(&text, &texts, &mut dice),
            };
            trial.hold(&other, rules.iter());
        }
    }
    writeln!(std::io::stderr(), "{} pairs, {} let through", trial.pairs, trial.through).unwrap();
    assert!(trial.through > 20, "{} of {}", trial.through, trial.pairs);
}
