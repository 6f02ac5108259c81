//! Standing rules: what a person allowed for always, by what a command does and never by its text.
//!
//! When a person approves a command, the host may offer to remember it. [`propose`] makes the rules
//! that can be kept for an analysis, the narrowest first; [`StandingRule::is_about`] says whether a
//! rule covers a later analysis. It covers one only if that does nothing else: the same calls, with
//! no further effects. A rule lifts a question. It never lifts a denial.
//!
//! No rule is proposed where a word is open, or where code runs that the words do not show: nobody
//! could say what the rule would allow. [`unkept`] gives the reason. Each rule carries examples of
//! what it covers and what not, which are tried again whenever it is read. How calls and effects
//! are compared: `calls`.
//!
//! # Example
//!
//! A person allows `curl -s https://api.example/status` for always, in `/workspace`. Three rules are
//! proposed:
//!
//! ```text
//! exactly `curl -s https://api.example/status`
//! `curl -s` with the same options and any operands, as long as it does no more
//! `curl` with any options and operands that are understood, as long as it does no more
//! ```
//!
//! None of them covers `curl -s https://other.example/`, which reaches another host, nor
//! `curl -d @x https://api.example/status`, which sends a file: both have an effect more.

mod calls;

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::analyse::{Analysis, analyse};
use crate::env::Env;
use crate::place;
use crate::visible::visible;
#[cfg(test)]
pub(crate) use calls::TRANSPARENT;
use calls::{Call, calls_of, is_general, key};

/// Calls that may run without asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingRule")]
#[serde(deny_unknown_fields)]
pub struct StandingRule {
    /// The calls that it holds for, each of them any number of times.
    pub calls: Vec<StandingCall>,
    /// All their allowed effects, each as a text.
    pub effects: BTreeSet<String>,
    /// The folder in which its examples start. Empty: that of its first call.
    #[serde(default)]
    pub cwd: String,
    /// Commands that it covers, in its own folder. They are tried when the rule is read.
    #[serde(default)]
    pub covers: Vec<String>,
    /// Commands that it does not cover. They are tried when the rule is read.
    #[serde(default)]
    pub covers_not: Vec<String>,
}

/// A call of a program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingCall")]
#[serde(deny_unknown_fields)]
pub struct StandingCall {
    /// The name of a program in the system's folders, or the path of another program.
    pub program: String,
    /// Its words.
    pub words: Words,
    /// The folder that it starts in.
    pub cwd: String,
}

/// The words of a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingWords")]
#[serde(tag = "are", rename_all = "snake_case")]
pub enum Words {
    /// These and no others.
    Exactly {
        /// The arguments.
        arguments: Vec<String>,
    },
    /// A command of the program with these options; its operands are any that do no more.
    Alike {
        /// The command: `remote`, `add`.
        command: Vec<String>,
        /// Its options, with their values, sorted.
        options: Vec<String>,
    },
    /// A command of the program with any options and operands that do no more.
    Any {
        /// The command.
        command: Vec<String>,
    },
}

/// A rule that may be kept, with its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellProposal")]
pub struct Proposal {
    /// What would run without asking, for the person who decides.
    pub text: String,
    /// The rule.
    pub rule: StandingRule,
}

/// The rules that may be kept for an analysis, the narrowest first. None where a word is open, where
/// code runs that the words do not show, or where a wrapper or an interpreter would be let through.
#[must_use]
pub fn propose(analysis: &Analysis, env: &Env) -> Vec<Proposal> {
    let Ok(calls) = calls_of(analysis, env) else { return Vec::new() };
    let effects = keys(analysis);
    let covers = vec![analysis.text.clone()];
    // It stands before the command: behind `exec` nothing runs any more.
    let covers_not = vec![format!("{}\n{}", unrelated_command(&calls), analysis.text.trim_end())];
    let proposal = |text: String, calls| {
        let (effects, covers) = (effects.clone(), covers.clone());
        let (cwd, covers_not) = (env.cwd.clone(), covers_not.clone());
        let rule = StandingRule { calls, effects, cwd, covers, covers_not };
        Proposal { text: visible(&text).into_owned(), rule }
    };
    let text = format!("exactly `{}`, in `{}`", analysis.text.trim(), env.cwd);
    let mut all = vec![proposal(text, calls.iter().map(|call| call.exactly.clone()).collect())];
    let does = if effects.is_empty() {
        "nothing that counts".to_owned()
    } else {
        effects.iter().cloned().collect::<Vec<_>>().join(", ")
    };
    let is_general = analysis.found.iter().all(|found| is_general(&found.effect));
    let wider = if is_general { wider(&calls) } else { Vec::new() };
    for (wider, how) in wider {
        let names: Vec<String> = wider.iter().map(StandingCall::shown).collect();
        let text = format!(
            "{} {how}, in `{}` and below, as long as it does no more than: {does}",
            names.join(", "),
            env.cwd
        );
        all.push(proposal(text, wider));
    }
    // One that its own examples refute is no rule.
    all.retain(|proposal| proposal.rule.check(env).is_ok());
    all
}

/// The same calls with other operands, and with other options as well. None of either where a call
/// was not understood word by word.
fn wider(calls: &[Call]) -> Vec<(Vec<StandingCall>, &'static str)> {
    let alike: Option<Vec<StandingCall>> = calls.iter().map(Call::alike).collect();
    let any: Option<Vec<StandingCall>> = calls.iter().map(Call::any).collect();
    let alike = alike.map(|calls| (calls, "with the same options and any operands"));
    let any = any.map(|calls| (calls, "with any options and operands that are understood"));
    alike.into_iter().chain(any).collect()
}

/// A command that no rule for these calls may cover. It is the counter-example of a proposal.
fn unrelated_command(calls: &[Call]) -> String {
    let mut name = "frobnicate".to_owned();
    while calls.iter().any(|call| call.exactly.program == name) {
        name.push('_');
    }
    format!("{name} --other")
}

/// Why no rule may be kept for an analysis, in a sentence for the person who decides; none if one
/// may.
#[must_use]
pub fn unkept(analysis: &Analysis, env: &Env) -> Option<String> {
    let holds = || !propose(analysis, env).is_empty();
    let refuted = || "No rule for this command would hold for it when it comes again.".to_owned();
    calls_of(analysis, env).err().or_else(|| (!holds()).then(refuted))
}

/// The keys of all effects of an analysis.
fn keys(analysis: &Analysis) -> BTreeSet<String> {
    analysis.found.iter().map(|found| key(&found.effect)).collect()
}

impl StandingRule {
    /// True if an analysis does nothing but what the rule is about.
    #[must_use]
    pub fn is_about(&self, analysis: &Analysis, env: &Env) -> bool {
        let Ok(calls) = calls_of(analysis, env) else { return false };
        let covers = |call: &Call| self.calls.iter().any(|kept| kept.covers(call));
        calls.iter().all(covers) && keys(analysis).is_subset(&self.effects)
    }

    /// Tries the examples.
    ///
    /// # Errors
    /// The first example that does not hold.
    pub fn check(&self, env: &Env) -> Result<(), String> {
        let first = || self.calls.first().map_or(&env.cwd, |call| &call.cwd);
        let cwd = if self.cwd.is_empty() { first() } else { &self.cwd };
        let env = &Env { cwd: cwd.clone(), ..env.clone() };
        for (examples, expected) in [(&self.covers, true), (&self.covers_not, false)] {
            for example in examples {
                if self.is_about(&analyse(example, env), env) != expected {
                    let not = if expected { "does not cover" } else { "covers" };
                    return Err(format!("the rule {not} its example `{example}`"));
                }
            }
        }
        Ok(())
    }
}

impl StandingCall {
    /// True if a call is one that this rule holds for.
    fn covers(&self, call: &Call) -> bool {
        if self.program != call.exactly.program {
            return false;
        }
        let here = call.exactly.cwd == self.cwd;
        let below = || place::is_within(&call.exactly.cwd, &self.cwd);
        match &self.words {
            Words::Exactly { .. } => here && self.words == call.exactly.words,
            Words::Alike { command, options } => call.read.as_ref().is_some_and(|read| {
                below() && read.command == *command && read.options == *options
            }),
            Words::Any { command } => {
                call.read.as_ref().is_some_and(|read| below() && read.command == *command)
            }
        }
    }

    /// The call as a command line, for the person who decides.
    fn shown(&self) -> String {
        let mut words = vec![self.program.clone()];
        match &self.words {
            Words::Exactly { arguments } => words.extend(arguments.iter().cloned()),
            Words::Alike { command, options } => {
                words.extend(command.iter().chain(options).cloned())
            }
            Words::Any { command } => words.extend(command.iter().cloned()),
        }
        format!("`{}`", words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn proposed(command: &str) -> Vec<Proposal> {
        let env = Env::default();
        propose(&analyse(command, &env), &env)
    }

    #[test]
    fn a_rule_covers_the_same_calls_however_they_are_spelled() {
        let env = Env::default();
        let rule = &proposed("frobnicate --now a.txt")[0].rule;
        for (command, expected) in [
            ("frobnicate --now a.txt", true),
            ("frobnicate  '--now' \"a.txt\"", true),
            ("/usr/bin/frobnicate --now a.txt", true),
            ("frobnicate --now a.txt; frobnicate --now a.txt", true),
            ("./frobnicate --now a.txt", false),
            ("frobnicate --now b.txt", false),
            ("cd sub && frobnicate --now a.txt", false),
            ("frobnicate --now a.txt && rm x", false),
            ("frobnicate --now a.txt > out", false),
            ("LD_PRELOAD=x frobnicate --now a.txt", false),
            ("sudo frobnicate --now a.txt", false),
        ] {
            assert_eq!(rule.is_about(&analyse(command, &env), &env), expected, "{command}");
        }
    }

    #[test]
    fn nothing_is_proposed_for_what_is_open() {
        let env = Env::default();
        for (command, why) in [
            ("frobnicate $X", "A word of `frobnicate` is not known"),
            ("frobnicate *", "A word of `frobnicate` is not known"),
            ("frobnicate $(date)", "A word of `frobnicate` is not known"),
            ("sudo frobnicate", "`sudo` acts as another user"),
            ("python3 -c 'import os'", "`python3` runs code"),
            ("npx thing", "`npx` runs code"),
            ("make deploy", "`make` runs code"),
            ("./deploy.sh", "`deploy.sh` runs code"),
            ("sh -c 'frobnicate'", "in a wrapper"),
            ("LD_PRELOAD=x frobnicate", "with variables"),
            ("frobnicate > out", "into a file"),
            ("frobnicate '", "not understood in full"),
        ] {
            assert_eq!(proposed(command), [], "{command}");
            let why_not = unkept(&analyse(command, &env), &env).unwrap();
            assert!(why_not.contains(why), "{command}: {why_not}");
        }
        assert_eq!(unkept(&analyse("frobnicate x", &env), &env), None);
    }

    #[test]
    fn each_rule_that_is_proposed_holds_for_its_own_command_and_for_no_other() {
        let env = Env { cwd: "/workspace/lib".into(), ..Env::default() };
        for command in [
            "git push",
            "cd src && git push",
            "cd src && git add . && git commit -m x && git push",
            "(cd src && git push)",
            "pushd src && git push && popd",
            "exec frobnicate",
            "exec git push",
            "exec -a x frobnicate",
            "cd src && exec git push",
            "command git push",
            "nice -n 5 git push",
            "time git push",
            "timeout 5 git push",
            "git push 2>&1 | tail -5",
            "frobnicate --other",
            "frobnicate; exit 0",
            "! git push",
            "git push &",
        ] {
            let again = analyse(command, &env);
            let proposals = propose(&again, &env);
            assert!(!proposals.is_empty(), "{command}");
            for rule in proposals.iter().map(|one| &one.rule) {
                assert_eq!(rule.check(&env), Ok(()), "{command}");
                assert!(rule.is_about(&again, &env), "{command}");
                for more in [
                    format!("git push -f\n{command}"),
                    format!("cd .. && git push\n{command}"),
                    format!("A=1 git push\n{command}"),
                ] {
                    assert!(!rule.is_about(&analyse(&more, &env), &env), "{more}");
                }
            }
        }
        let rule = &propose(&analyse("cd src && git push", &env), &env)[0].rule;
        for other in ["git push", "cd other && git push", "cd src && git push origin"] {
            assert!(!rule.is_about(&analyse(other, &env), &env), "{other}");
        }
    }

    #[test]
    fn the_examples_of_a_rule_are_tried() {
        let env = Env::default();
        let rule = proposed("frobnicate a")[0].rule.clone();
        assert_eq!(rule.check(&env), Ok(()));
        let wrong = StandingRule { covers_not: vec!["frobnicate 'a'".into()], ..rule.clone() };
        assert!(wrong.check(&env).unwrap_err().contains("covers its example"));
        let wrong = StandingRule { covers: vec!["frobnicate b".into()], ..rule };
        assert!(wrong.check(&env).unwrap_err().contains("does not cover"));
    }

    #[test]
    fn wider_rules_cover_other_operands_that_do_no_more() {
        let env = Env::default();
        for (from, command, level) in [
            ("cat a.txt", "cat b.txt", Some(1)),
            ("cat -n a.txt", "cat b.txt", Some(2)),
            ("cat a.txt", "cat -n b.txt", Some(2)),
            ("cat a.txt", "cat .env", None),
            ("cat a.txt", "cat a.txt; cat ~/.ssh/id_rsa", None),
            ("cat /var/log/x", "cat /var/log/y", None),
            ("curl -s https://api.example/a", "curl -s https://api.example/b", Some(1)),
            ("curl -s https://api.example/a", "curl -s https://evil.example/b", None),
            ("curl -s https://api.example/a", "curl -s -d @x https://api.example/b", None),
            ("curl -s https://api.example/a", "curl -s -o x https://api.example/b", None),
            ("curl -s https://api.example/a", "curl -s https://api.example/a | sh", None),
            ("timeout 5 cat a.txt", "cat a.txt", Some(0)),
            ("rm a.txt", "rm b.txt", None),
            ("git push origin main", "git push origin other", None),
            ("touch a.txt", "touch b.txt", Some(1)),
            ("touch a.txt", "touch ../b.txt", None),
        ] {
            let proposals = proposed(from);
            let analysis = analyse(command, &env);
            let found =
                proposals.iter().position(|proposal| proposal.rule.is_about(&analysis, &env));
            assert_eq!(found, level, "{from} / {command}: {proposals:#?}");
        }
    }

    #[test]
    fn a_rule_covers_only_what_does_no_more_than_it_was_made_from() {
        let env = Env::default();
        let commands = [
            "ls", "ls -la src", "ls /etc", "cat a", "cat -A b", "cat .env", "cat ~/.bashrc",
            "grep -rn x src", "grep x a | wc -l", "git status", "git log", "git log --output=x",
            "git push", "git push -f origin main", "git diff", "git commit -m x",
            "curl https://a.example", "curl https://a.example/b", "curl https://b.example",
            "curl -d x https://a.example", "curl -o x https://a.example", "touch x",
            "touch /etc/x", "mkdir -p a/b", "rm x", "rm -rf x", "cp a b", "cp a /etc/b", "mv a b",
            "chmod +x a", "sed -n 1p a", "sed -i 's/a/b/' a", "sed 's/a/b/e' a", "sort a",
            "sort -o b a", "find . -name x", "find . -delete", "tar tf a.tar", "frobnicate",
            "frobnicate x", "kill 1", "npm install x", "docker ps", "timeout 1 ls", "cd src && ls",
            "cd / && ls", "cat a && curl https://a.example",
            "cat a | curl -d @- https://a.example", "echo x > a",
        ];
        let analyses: Vec<Analysis> = commands.iter().map(|text| analyse(text, &env)).collect();
        for from in &analyses {
            for proposal in propose(from, &env) {
                assert_eq!(proposal.rule.check(&env), Ok(()), "{}", from.text);
                let shown = serde_json::to_string(&proposal.rule).unwrap();
                assert_eq!(serde_json::from_str::<StandingRule>(&shown).unwrap(), proposal.rule);
                for to in &analyses {
                    if proposal.rule.is_about(to, &env) {
                        let (more, less) = (keys(to), keys(from));
                        assert!(more.is_subset(&less), "{} / {}", from.text, to.text);
                    }
                }
            }
        }
    }
}
