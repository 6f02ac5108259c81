//! How a command that was judged is run, so that what runs is what was judged.
//!
//! A [`Plan`] says how to start the command: as a program with its arguments, as the script printed
//! again from what was understood of it ([`crate::print`]), or as the text itself. The first two
//! leave a shell nothing to read differently from the analysis. The plan also holds the
//! [`Confinement`]: the folders that the command may write and the hosts that it may reach, as they
//! follow from its effects, so that a sandbox can enforce what was predicted.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::analyse::Analysis;
use crate::effect::{Access, CodeFrom, Effect, FileEffect, Found, Scope};
use crate::env::Env;
use crate::invocation::Locus;
use crate::ir::{CommandKind, Script};
use crate::nested::Nested;
use crate::place;
use crate::print;
use crate::remotes;
use crate::value::Value;

/// A way to run a command, and what it may do then.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellPlan")]
pub struct Plan {
    /// What is run.
    pub run: Run,
    /// The folder it starts in, absolute.
    pub cwd: String,
    /// What it may do: what was predicted, and no more.
    pub confinement: Confinement,
}

/// What is run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellRun")]
#[serde(tag = "as", rename_all = "snake_case")]
pub enum Run {
    /// A program with its arguments, without a shell.
    Direct {
        /// The program as it is called.
        program: String,
        /// Its arguments, without itself.
        arguments: Vec<String>,
        /// Variables that are set for it alone.
        environment: Vec<(String, String)>,
    },
    /// A script that says again what was understood, for a shell that reads no files at its start.
    Canonical {
        /// The script.
        script: String,
    },
    /// The text itself. Only after somebody approved it, or fully confined.
    Verbatim {
        /// The text.
        text: String,
    },
}

/// How a command is confined while it runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellConfinement")]
pub struct Confinement {
    /// Files and folders, absolute, that may be written, with everything below.
    pub write: BTreeSet<String>,
    /// Paths below those that may not be written.
    pub write_never: BTreeSet<String>,
    /// Secret files and folders, and those of homes, that may be read: those that the command was
    /// predicted to read.
    pub read: BTreeSet<String>,
    /// Files and folders that may not be read.
    pub read_never: BTreeSet<String>,
    /// The network.
    pub network: Reach,
    /// True if it may wait for connections.
    pub listens: bool,
    /// True if the owner of the command set these permissions; then the profile changes nothing.
    pub by_owner: bool,
    /// What it does with repositories within the workspace.
    #[serde(skip)]
    #[schemars(skip)]
    pub nested: Nested,
}

/// Where a command may connect to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ShellReach")]
#[serde(tag = "to", rename_all = "snake_case")]
pub enum Reach {
    /// Nowhere.
    #[default]
    None,
    /// To these hosts.
    Hosts {
        /// Names and addresses.
        hosts: BTreeSet<String>,
        /// The ports that the command names, besides the usual ones.
        ports: BTreeSet<u16>,
    },
    /// Anywhere: the host is not known.
    Any,
}

/// Variables that change what a shell reads when it starts, or what programs load. Whoever runs a plan
/// takes them away.
pub const REMOVED: &[&str] = &[
    "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "PS4", "PROMPT_COMMAND", "CDPATH", "GLOBIGNORE",
    "IFS", "LD_PRELOAD", "LD_AUDIT", "LD_LIBRARY_PATH", "DYLD_INSERT_LIBRARIES",
    "DYLD_LIBRARY_PATH",
];

/// Variables that are set for each script that was printed again: names are compared as bytes.
pub const SET: &[(&str, &str)] = &[("LC_ALL", "C")];

/// Options of a shell that runs a script.
pub const SHELL_OPTIONS: &[&str] = &["--noprofile", "--norc"];

/// How what was analysed is run.
#[must_use]
pub fn plan(analysis: &Analysis, env: &Env) -> Plan {
    let run = direct(analysis)
        .or_else(|| {
            let printed = analysis.problems.is_empty() && !analysis.script.items.is_empty();
            let script = printed.then(|| print::canonical(&analysis.text, &analysis.script))??;
            Some(Run::Canonical { script })
        })
        .unwrap_or_else(|| Run::Verbatim { text: analysis.text.clone() });
    Plan { run, cwd: env.cwd.clone(), confinement: confinement(analysis, env) }
}

impl Plan {
    /// What an approval is bound to: a hexadecimal SHA-256 of what is run, the folder, the names of
    /// the variables, and standard input. With another of these it is another command.
    #[must_use]
    pub fn digest<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
        stdin: Option<&[u8]>,
    ) -> String {
        let mut hash = Sha256::new();
        let mut part = |text: &[u8]| {
            // Each part with its length, so that none runs into the next.
            hash.update(u64::try_from(text.len()).unwrap_or(u64::MAX).to_be_bytes());
            hash.update(text);
        };
        match &self.run {
            Run::Direct { program, arguments, environment } => {
                part(b"direct");
                part(program.as_bytes());
                part(&arguments.len().to_be_bytes());
                arguments.iter().for_each(|word| part(word.as_bytes()));
                part(&environment.len().to_be_bytes());
                for (name, value) in environment {
                    part(name.as_bytes());
                    part(value.as_bytes());
                }
            }
            Run::Canonical { script } => {
                part(b"canonical");
                part(script.as_bytes());
            }
            Run::Verbatim { text } => {
                part(b"verbatim");
                part(text.as_bytes());
            }
        }
        part(b"cwd");
        part(self.cwd.as_bytes());
        part(b"names");
        let names: BTreeSet<&str> = names.into_iter().collect();
        names.into_iter().for_each(|name| part(name.as_bytes()));
        part(b"stdin");
        if let Some(stdin) = stdin {
            part(&Sha256::digest(stdin));
        }
        data_encoding::HEXLOWER.encode(&hash.finalize())
    }
}

/// Builtins that do otherwise than the programs of their names.
const BUILTINS: &[&str] = &["echo", "printf", "test", "[", "kill", "pwd", "time"];

/// Builtins that do the same as the programs of their names where they have no arguments.
const ALIKE: &[&str] = &["true", "false"];

/// One program whose words are all known needs no shell.
fn direct(analysis: &Analysis) -> Option<Run> {
    let [item] = &analysis.script.items[..] else { return None };
    let [command] = &item.pipeline.commands[..] else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let is_plain = !item.background
        && !item.pipeline.negated
        && command.redirections.is_empty()
        && simple.arrays.is_empty()
        && !simple.words.is_empty()
        && analysis.problems.is_empty()
        && !substitutes(&analysis.script);
    is_plain.then_some(())?;
    let mut outer = analysis.invocations.iter().filter(|call| call.outer.is_none());
    let call = outer.next().filter(|call| !call.builtin && call.locus == Locus::Here)?;
    if outer.next().is_some() || call.program.many {
        return None;
    }
    let program = call.program.value.as_known()?;
    let is_other =
        BUILTINS.contains(&program) || ALIKE.contains(&program) && !call.arguments.is_empty();
    if is_other || program.is_empty() {
        return None;
    }
    let arguments = call.arguments.iter();
    let arguments: Option<Vec<String>> = arguments
        .map(|word| word.value.as_known().filter(|_| !word.many).map(str::to_owned))
        .collect();
    let set = call.environment.iter();
    let environment: Option<Vec<(String, String)>> =
        set.map(|(name, value)| Some((name.clone(), value.as_known()?.to_owned()))).collect();
    Some(Run::Direct {
        program: program.to_owned(),
        arguments: arguments?,
        environment: environment?,
    })
}

/// True if something runs within a word.
fn substitutes(script: &Script) -> bool {
    let shown = format!("{script:?}");
    shown.contains("Command { script") || shown.contains("Process { script")
}

/// What a command may do that was understood so.
fn confinement(analysis: &Analysis, env: &Env) -> Confinement {
    let nested = Nested::of(analysis, env);
    let protected = place::protected_paths(env).into_iter().filter(|path| !nested.is_tracked(path));
    let protected = protected.collect();
    let mut held = Confinement {
        write_never: protected,
        read_never: place::secrets(env).into_iter().collect(),
        nested,
        ..Confinement::default()
    };
    held.read_never.extend(env.deny_paths.iter().cloned());
    let (mut hosts, mut ports) = (BTreeSet::new(), BTreeSet::new());
    let mut any = false;
    let remote = |found: &Found, hosts: &mut BTreeSet<String>, ports: &mut BTreeSet<u16>| {
        let reached = found.by.and_then(|number| remotes::hosts(analysis, number, env));
        let is_known = reached.is_some();
        for (host, port) in reached.into_iter().flatten() {
            hosts.insert(host);
            ports.extend(port);
        }
        is_known
    };
    for found in &analysis.found {
        if let Effect::Network { port: Some(port), .. } = found.effect {
            ports.insert(port);
        }
        match &found.effect {
            Effect::File(file) => held.file(file, env),
            Effect::Network { host: Value::Known(host), .. } => _ = hosts.insert(host.clone()),
            Effect::Network { host: Value::OneOf(all), .. } => hosts.extend(all.iter().cloned()),
            Effect::Network { .. } => any |= !remote(found, &mut hosts, &mut ports),
            Effect::VersionControlRemote { .. } => {
                // What was pushed is noted in the repository.
                held.write.extend(env.workspace.iter().cloned());
                any |= !remote(found, &mut hosts, &mut ports) && hosts.is_empty();
            }
            Effect::Package { .. } | Effect::Cloud { .. } => any |= hosts.is_empty(),
            Effect::Listen { .. } => held.listens = true,
            // What is not seen works in the workspace, as a build does.
            Effect::Code { from: CodeFrom::File | CodeFrom::Project(_) | CodeFrom::Package(_) }
            | Effect::Unmodelled { .. }
            | Effect::Dynamic { .. } => held.write.extend(env.workspace.iter().cloned()),
            _ => {}
        }
    }
    held.network = match (any, hosts.is_empty()) {
        (true, _) => Reach::Any,
        (false, true) => Reach::None,
        (false, false) => Reach::Hosts { hosts, ports },
    };
    held
}

impl Confinement {
    /// Adds what a file effect needs to the confinement.
    fn file(&mut self, file: &FileEffect, env: &Env) {
        let path = file.path.as_known();
        match (file.access, file.scope, path) {
            (
                Access::Read | Access::List | Access::Execute,
                Scope::Secret | Scope::Home | Scope::Startup,
                Some(path),
            ) => {
                self.read.insert(path.to_owned());
            }
            (Access::Read | Access::List | Access::Execute, ..) => {}
            (_, Scope::Workspace | Scope::WorkspaceRoot | Scope::Unknown, path) => {
                if let Some(path) = path {
                    self.write_never.remove(path);
                }
                self.write.extend(env.workspace.iter().cloned());
            }
            // What is temporary is the session's own; of the machine's it gets nothing by naming it.
            (_, Scope::HarmlessDevice | Scope::Temp, _) => {}
            (_, _, Some(path)) => {
                self.write_never.retain(|protected| !place::is_within(path, protected));
                self.write.insert(path.to_owned());
                // To make or to delete a name, its folder is written.
                if file.access != Access::Meta
                    && matches!(file.scope, Scope::Home | Scope::System)
                    && let Some((folder, _)) = path.rsplit_once('/')
                    && !folder.is_empty()
                {
                    self.write.insert(folder.to_owned());
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;

    fn planned(text: &str) -> Plan {
        let env = Env::default();
        plan(&analyse(text, &env), &env)
    }

    fn shown(text: &str) -> String {
        match planned(text).run {
            Run::Direct { program, arguments, environment } => {
                format!("direct {environment:?} {program} {arguments:?}")
            }
            Run::Canonical { script } => format!("canonical {script}"),
            Run::Verbatim { .. } => "verbatim".to_owned(),
        }
    }

    #[test]
    fn one_program_with_known_words_needs_no_shell() {
        for (text, wanted) in [
            ("git  status -s", r#"direct [] git ["status", "-s"]"#),
            ("r''m \"a b\"", r#"direct [] rm ["a b"]"#),
            ("A=1 cmd ~/x", r#"direct [("A", "1")] cmd ["/home/user/x"]"#),
            ("sudo ls", r#"direct [] sudo ["ls"]"#),
            ("echo a", "canonical 'set' '-f'\n'echo' 'a'\n"),
            ("cd x", "canonical 'set' '-f'\n'cd' 'x'\n"),
            ("ls *.rs", "canonical 'ls' *'.rs'\n"),
            ("ls | wc", "canonical 'set' '-f'\n'ls' | 'wc'\n"),
            ("ls > x", "canonical 'set' '-f'\n'ls' > 'x'\n"),
            ("cat $(ls)", "canonical 'set' '-f'\n'cat' $(\n'ls'\n)\n"),
            ("ls &", "canonical 'set' '-f'\n'ls' &\n"),
            ("coproc ls", "verbatim"),
        ] {
            assert_eq!(shown(text), wanted, "{text}");
        }
    }

    #[test]
    fn a_command_is_held_to_what_it_was_understood_to_do() {
        let read = planned("cat README.md").confinement;
        assert!(read.write.iter().all(|path| path.contains("tmp")), "{read:?}");
        assert_eq!(read.network, Reach::None);
        assert!(read.read_never.contains("/home/user/.ssh"), "{read:?}");
        let written = planned("echo x > a.txt; curl -s https://x.example/y").confinement;
        assert!(written.write.contains("/workspace"));
        assert!(written.write_never.contains("/workspace/.git/hooks"));
        assert_eq!(
            written.network,
            Reach::Hosts { hosts: ["x.example".to_owned()].into(), ports: [].into() }
        );
        assert_eq!(planned("curl $URL").confinement.network, Reach::Any);
        assert!(planned("python3 -m http.server").confinement.listens);
        assert!(planned("cat ~/.ssh/id_rsa").confinement.read.contains("/home/user/.ssh/id_rsa"));
        let settings = "/workspace/.npmrc";
        assert!(planned("frobnicate").confinement.write_never.contains(settings));
        assert!(!planned("echo x > .npmrc").confinement.write_never.contains(settings));
        assert!(planned("frobnicate").confinement.write.contains("/workspace"));
        assert_eq!(planned("frobnicate").confinement.network, Reach::None);
    }

    #[test]
    fn another_word_folder_variable_or_input_is_another_digest() {
        let one = planned("git status").digest(["A", "B"], None);
        assert_eq!(one, planned("git   'status'").digest(["B", "A"], None));
        let others = [
            planned("git statu s").digest(["A", "B"], None),
            planned("git status").digest(["A"], None),
            planned("git status").digest(["A", "B"], Some(b"")),
            planned("git status | cat").digest(["A", "B"], None),
            Plan { cwd: "/".into(), ..planned("git status") }.digest(["A", "B"], None),
        ];
        for (at, other) in others.iter().enumerate() {
            assert_ne!(&one, other);
            assert!(!others[..at].contains(other));
        }
    }
}
