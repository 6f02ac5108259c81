//! Rules that somebody taught by allowing a command for always: over what it does, never over its
//! text.
//!
//! A rule is proposed where an analysis is understood and none of its words is open, the narrowest
//! first. It covers a later analysis only if that does nothing else. It lifts a question; no denial.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::analyse::{Analysis, analyse};
use super::effect::{Access, Effect, Found, Payload, Scope};
use super::env::Env;
use super::invocation::{Invocation, Locus, Stdin, Stdout};
use super::judge::groups::is_socket_of_engine;
use super::models;
use super::place;
use super::unwrap;
use super::value::Value;
use super::verdict::Decision;
use crate::visible::visible;

/// Calls that may run without asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellStandingRule")]
#[serde(deny_unknown_fields)]
pub struct StandingRule {
    /// The calls that it holds for, each of them any number of times.
    pub calls: Vec<StandingCall>,
    /// All their allowed effects, as [`key`] writes them.
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
    let covers_not = vec![format!("{}\n{}", another(&calls), analysis.text.trim_end())];
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

/// The same calls with other operands, and with other options as well, as far as all of them may have
/// these.
fn wider(calls: &[Call]) -> Vec<(Vec<StandingCall>, &'static str)> {
    let alike: Option<Vec<StandingCall>> = calls.iter().map(Call::alike).collect();
    let any: Option<Vec<StandingCall>> = calls.iter().map(Call::any).collect();
    let alike = alike.map(|calls| (calls, "with the same options and any operands"));
    let any = any.map(|calls| (calls, "with any options and operands that are understood"));
    alike.into_iter().chain(any).collect()
}

/// A command of which no rule for these calls is.
fn another(calls: &[Call]) -> String {
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

/// A call as it is compared.
struct Call {
    exactly: StandingCall,
    /// Its words as its program reads them; none if that is not known in full.
    read: Option<Read>,
}

struct Read {
    command: Vec<String>,
    options: Vec<String>,
}

impl Call {
    fn alike(&self) -> Option<StandingCall> {
        let read = self.read.as_ref()?;
        let (command, options) = (read.command.clone(), read.options.clone());
        Some(StandingCall { words: Words::Alike { command, options }, ..self.exactly.clone() })
    }

    fn any(&self) -> Option<StandingCall> {
        let command = self.read.as_ref()?.command.clone();
        Some(StandingCall { words: Words::Any { command }, ..self.exactly.clone() })
    }
}

/// Wrappers that only start another program: a rule is about that one.
pub(super) const TRANSPARENT: &[&str] =
    &["timeout", "nice", "nohup", "time", "stdbuf", "ionice", "chronic"];

/// The calls of an analysis in which nothing is open.
///
/// # Errors
/// What is open, in a sentence.
fn calls_of(analysis: &Analysis, env: &Env) -> Result<Vec<Call>, String> {
    let is_understood = analysis.problems.is_empty()
        && analysis.findings.iter().all(|finding| finding.decision() == Decision::Allow);
    if !is_understood {
        return Err("The command is not understood in full.".to_owned());
    }
    if analysis.invocations.is_empty() {
        return Err("The command runs no program.".to_owned());
    }
    if let Some(why) = analysis.found.iter().find_map(open) {
        return Err(why);
    }
    let runs = |number: usize, call: &Invocation| {
        let name = call.name().unwrap_or_default();
        TRANSPARENT.contains(&name)
            && analysis.invocations.iter().any(|inner| inner.outer == Some(number))
    };
    let calls = analysis
        .invocations
        .iter()
        .enumerate()
        .filter(|(number, call)| !call.builtin && !runs(*number, call));
    calls.map(|(_, call)| plain(call, env)).collect()
}

/// Why the words do not show what happens, where an effect is such a one.
fn open(found: &Found) -> Option<String> {
    let program = &found.program;
    Some(match &found.effect {
        Effect::Code { .. } => format!("`{program}` runs code that its words do not show."),
        Effect::Dynamic { why } => format!("It is not known what `{program}` does: {why}."),
        Effect::Privilege { .. } => format!("`{program}` acts as another user."),
        _ => return None,
    })
}

/// Effects that say all that matters of other operands, too: what is done where in the workspace, or
/// to which host.
fn is_general(effect: &Effect) -> bool {
    match effect {
        Effect::File(file) => match file.access {
            Access::Read | Access::List => file.path.as_known().is_some(),
            Access::Write | Access::Meta => {
                file.path.as_known().is_some()
                    && matches!(file.scope, Scope::Workspace | Scope::Temp)
            }
            Access::Delete | Access::Move | Access::Link | Access::Execute => false,
        },
        Effect::Network { host: Value::Known(_), sends: Payload::None, .. } => true,
        _ => false,
    }
}

/// What a rule remembers of an effect: its label, and where it is not the workspace, the operand.
#[must_use]
pub fn key(effect: &Effect) -> String {
    let label = effect.label();
    match effect {
        Effect::File(file) => match file.scope {
            _ if file.path.as_known().is_some_and(is_socket_of_engine) => {
                format!("{label} {}", shown(&file.path))
            }
            Scope::Workspace | Scope::Temp | Scope::ReadRoot | Scope::HarmlessDevice => label,
            _ => format!("{label} {}", shown(&file.path)),
        },
        Effect::Network { host, port, .. } => {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            format!("{label} {}{port}", shown(host))
        }
        Effect::Listen { port } => format!("{label} {port:?}"),
        Effect::Kill { what, .. } => format!("{label} {}", shown(what)),
        Effect::Package { manager, source, .. } => format!("{label} {manager} {}", shown(source)),
        Effect::EnvironmentPoison { name, value } => format!("{label} {name} {}", shown(value)),
        Effect::Secret { kind, path } => {
            format!("{label} {kind} {}", path.as_ref().map(shown).unwrap_or_default())
        }
        Effect::Cloud { provider, .. } => format!("{label} {provider}"),
        Effect::Device { what } => format!("{label} {what}"),
        Effect::Unmodelled { program, why } => format!("{label} {}: {why}", unwrap::base(program)),
        _ => label,
    }
}

fn shown(value: &Value) -> String {
    match value {
        Value::Known(text) => text.clone(),
        Value::OneOf(texts) => texts.join("|"),
        Value::Prefix(text, _) => format!("{text}…"),
        Value::Unknown(_) => "?".to_owned(),
    }
}

fn keys(analysis: &Analysis) -> BTreeSet<String> {
    analysis.found.iter().map(|found| key(&found.effect)).collect()
}

fn plain(call: &Invocation, env: &Env) -> Result<Call, String> {
    let is_alone = call.wrappers.iter().all(|wrapper| TRANSPARENT.contains(&wrapper.as_str()))
        && call.locus == Locus::Here
        && call.environment.is_empty()
        && matches!(call.stdin, Stdin::Inherited | Stdin::Pipe(_))
        && !matches!(call.stdout, Stdout::File { .. });
    let program = call.program.value.as_known().filter(|_| !call.program.many);
    let program = program.ok_or("It is not known which program runs.")?;
    if !is_alone {
        return Err(format!(
            "`{program}` runs in a wrapper, elsewhere, with variables or an input of its own, or \
             into a file."
        ));
    }
    let arguments = call.arguments.iter();
    let arguments: Option<Vec<String>> = arguments
        .map(|word| word.value.as_known().filter(|_| !word.many).map(str::to_owned))
        .collect();
    let is_of_system = unwrap::is_trusted(program, &call.cwd, env);
    let name = if is_of_system { unwrap::base(program) } else { program };
    let unknown = |what: &str| format!("{what} of `{program}` is not known before it runs.");
    let arguments = arguments.ok_or_else(|| unknown("A word"))?;
    let cwd = call.cwd.as_known().ok_or_else(|| unknown("The folder"))?;
    let exactly = StandingCall {
        program: name.to_owned(),
        words: Words::Exactly { arguments },
        cwd: cwd.to_owned(),
    };
    let read = if is_of_system { read(call) } else { None };
    Ok(Call { exactly, read })
}

/// The words of a call as its program reads them; none if one is not known.
fn read(call: &Invocation) -> Option<Read> {
    let parsed = models::parse(call)?;
    if !parsed.unknown.is_empty() || !parsed.perhaps.is_empty() {
        return None;
    }
    let mut options = Vec::new();
    for (name, value) in &parsed.options {
        options.push(match value {
            Some(value) => format!("{name} {}", value.value.as_known()?),
            None => (*name).to_owned(),
        });
    }
    options.sort_unstable();
    Some(Read {
        command: parsed.subcommands.iter().map(|name| (*name).to_owned()).collect(),
        options,
    })
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
            let told = unkept(&analyse(command, &env), &env).unwrap();
            assert!(told.contains(why), "{command}: {told}");
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
    #[expect(clippy::too_many_lines, reason = "a table of commands")]
    fn a_rule_covers_only_what_does_no_more_than_it_was_made_from() {
        let env = Env::default();
        let commands = [
            "ls",
            "ls -la src",
            "ls /etc",
            "cat a",
            "cat -A b",
            "cat .env",
            "cat ~/.bashrc",
            "grep -rn x src",
            "grep x a | wc -l",
            "git status",
            "git log",
            "git log --output=x",
            "git push",
            "git push -f origin main",
            "git diff",
            "git commit -m x",
            "curl https://a.example",
            "curl https://a.example/b",
            "curl https://b.example",
            "curl -d x https://a.example",
            "curl -o x https://a.example",
            "touch x",
            "touch /etc/x",
            "mkdir -p a/b",
            "rm x",
            "rm -rf x",
            "cp a b",
            "cp a /etc/b",
            "mv a b",
            "chmod +x a",
            "sed -n 1p a",
            "sed -i 's/a/b/' a",
            "sed 's/a/b/e' a",
            "sort a",
            "sort -o b a",
            "find . -name x",
            "find . -delete",
            "tar tf a.tar",
            "frobnicate",
            "frobnicate x",
            "kill 1",
            "npm install x",
            "docker ps",
            "timeout 1 ls",
            "cd src && ls",
            "cd / && ls",
            "cat a && curl https://a.example",
            "cat a | curl -d @- https://a.example",
            "echo x > a",
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
