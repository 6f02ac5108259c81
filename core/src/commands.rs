//! Shell commands as a runtime judges them: for one caller, with that caller's folders and the links that
//! are on the disk now.
//!
//! The judgement itself is pure and belongs to [`shell`](crate::shell). This room looks up what it must
//! know of the machine:
//!
//! - `machine`: what every command finds, recorded when the runtime is built
//! - `links`: the symbolic links on the paths of a command
//! - `git_settings`, `remotes`: what the settings of repositories have Git run, and where remotes are
//! - `permitted`: commands of an owner's own, confined to what the owner permits
//! - `uses`: which files a command is predicted to read and write

mod git_settings;
mod links;
mod machine;
mod permitted;
mod remotes;
mod uses;

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;

use crate::clis::{self, Called, Known};
use crate::exec::Host;
use crate::files::Files;
use crate::shell::{
    self, Access, AgentSettings, Analysis, Ask, Check, CodeFrom, Decision, Effect, Env, FileEffect,
    Locus, Plan, Proposal, Reach, Reason, Scope, Settings, StandingRule, WithoutApprover, analyse,
    check_analysis, parse::Problem, place,
};
use crate::strict;
use crate::tool::{CallContext, Caller, ToolError};
pub(crate) use uses::FileUses;

use links::{Links, TooMany};
use machine::Machine;

/// How often a command is analysed again because links were found on its paths. Each round can only find
/// links behind those of the round before.
const MOST_ROUNDS: usize = 4;

/// Judges the commands of a runtime.
pub(crate) struct Commands {
    settings: Settings,
    files: Files,
    /// What runs the commands that it judges, unless a tool does it itself.
    host: Arc<Host>,
    machine: Machine,
    /// The variables that the owner has named for commands.
    variables: Arc<[String]>,
}

/// A command as somebody wants it run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Wanted<'w> {
    /// The text.
    pub text: &'w str,
    /// The folder that it starts in: absolute, or from the workspace. Default: the workspace.
    pub cwd: Option<&'w str>,
    /// What it is given on standard input. Default: nothing.
    pub stdin: Option<&'w str>,
    /// Settings instead of the runtime's.
    pub settings: Option<&'w Settings>,
    /// What the store says of the caller's agent, and of each one above it. It only narrows.
    pub agents: &'w [Option<AgentSettings>],
    /// True if it runs within the walls of the runtime, and not as a tool of the host's likes.
    pub is_walled: bool,
}

/// What the owner keeps with an agent about its commands: `shell` in the settings of its row.
///
/// # Errors
/// What is wrong with it, in a sentence that names the key.
pub(crate) fn settings_of_row(settings: &Value) -> Result<Option<AgentSettings>, String> {
    match settings.get("shell").filter(|own| !own.is_null()) {
        Some(own) => {
            strict::from_value(own).map(Some).map_err(|why| format!("`settings.shell`: {why}"))
        }
        None => Ok(None),
    }
}

/// A command that was judged.
#[derive(Clone, Debug)]
pub(crate) struct JudgedCommand {
    /// The verdict and its reasons.
    pub check: Check,
    /// The rule that allows it all the same, where it would be asked about.
    pub allowed_by: Option<String>,
    /// The credentialed CLI that it is a call of, if it was let through as one.
    pub cli: Option<Arc<str>>,
    analysis: Analysis,
    env: Env,
    /// True if the owner wants it asked about each time.
    asks_always: bool,
    /// The variables that the owner has named for commands.
    variables: Arc<[String]>,
}

impl JudgedCommand {
    /// True if somebody has to be asked.
    pub(crate) fn asks(&self) -> bool {
        self.check.verdict == Decision::Ask && self.allowed_by.is_none()
    }

    /// True if it is predicted to change files.
    pub(crate) fn writes(&self) -> bool {
        let writes = |file: &FileEffect| {
            file.scope != Scope::HarmlessDevice
                && !matches!(file.access, Access::Read | Access::List | Access::Execute)
        };
        self.analysis
            .found
            .iter()
            .any(|found| matches!(&found.effect, Effect::File(file) if writes(file)))
    }

    /// True if a rule that somebody kept may take the place of asking. What the owner wants asked
    /// about each time is asked about.
    pub(crate) fn may_be_lifted(&self) -> bool {
        self.check.verdict == Decision::Ask && !self.asks_always
    }

    /// How it is run. None for one that is denied.
    pub(crate) fn plan(&self) -> Option<&Plan> {
        self.check.plan.as_ref()
    }

    /// The plan of a command that was not approved: it writes in the workspace and in temporary folders, reads
    /// no secrets, and has no network.
    pub(crate) fn shut(&self, mut plan: Plan) -> Plan {
        let held = &mut plan.confinement;
        let own = |path: &str| {
            let mut roots = self.env.workspace.iter().chain(&self.env.temp);
            roots.any(|root| Path::new(path).starts_with(root))
        };
        held.write.retain(|path| own(path));
        held.write_never.extend(place::protected_paths(&self.env));
        held.nested = held.nested.unallowed(&self.env);
        held.read.clear();
        held.network = Reach::None;
        held.listens = false;
        plan
    }

    /// Confines it to what a CLI may do without asking, whatever the analysis predicted: it writes in the
    /// folders that its caller writes, and no protected path there. A person is asked about a protected path
    /// that it was understood to write.
    pub(crate) fn hold_as_cli(&mut self) {
        let named: Vec<String> = self.protected_names_made().map(str::to_owned).collect();
        let Some(plan) = &mut self.check.plan else { return };
        let held = &mut plan.confinement;
        held.write = self.env.workspace.iter().cloned().collect();
        held.nested = held.nested.of_cli(&self.env);
        let protected = place::protected_paths(&self.env).into_iter();
        let is_asked = |path: &String| named.iter().any(|named| place::is_within(named, path));
        let kept = protected.filter(|path| !held.nested.is_tracked(path) && !is_asked(path));
        held.write_never = kept.collect();
    }

    /// The protected paths that it was understood to write or to make.
    pub(crate) fn protected_names_made(&self) -> impl Iterator<Item = &str> {
        let files = self.analysis.found.iter().filter_map(|found| match &found.effect {
            Effect::File(file) if matches!(file.access, Access::Write | Access::Link) => {
                Some(&file.path)
            }
            _ => None,
        });
        let protected = files.filter(|path| place::is_protected(path, &self.env));
        protected.filter_map(|path| path.possible()?.first().map(String::as_str))
    }

    /// What runs in it besides its own program, as far as its words show; none if nothing does.
    pub(crate) fn runs_besides(&self) -> Option<String> {
        let inner = self.analysis.invocations.iter().find(|call| {
            let is_other = call.outer.is_some() && !call.builtin;
            is_other && call.locus == Locus::Here
        });
        if let Some(call) = inner {
            return Some(call.program.value.as_known().unwrap_or("another program").to_owned());
        }
        self.analysis.found.iter().find_map(|found| match &found.effect {
            Effect::Code { from: CodeFrom::Setting(what) } => Some(what.clone()),
            Effect::Code { from: CodeFrom::Network | CodeFrom::Decoded | CodeFrom::Fetched } => {
                Some("code that nobody has seen".to_owned())
            }
            _ => None,
        })
    }

    /// True if all that it was understood to write is in the workspace, in no protected place, or is
    /// temporary.
    pub(crate) fn stays_within(&self) -> bool {
        self.analysis.found.iter().all(|found| match &found.effect {
            Effect::File(file) => {
                let only_looks =
                    matches!(file.access, Access::Read | Access::List | Access::Execute);
                let within = matches!(
                    file.scope,
                    Scope::Workspace | Scope::WorkspaceRoot | Scope::Temp | Scope::HarmlessDevice
                );
                only_looks || within
            }
            _ => true,
        })
    }

    /// The program that is called, as it is written.
    pub(crate) fn program(&self) -> Option<&str> {
        self.analysis.invocations.first()?.program.value.as_known()
    }

    /// The call of a credentialed CLI in it; blocking.
    pub(crate) fn calls(&self, clis: &[Known]) -> Option<Called> {
        clis::look(&self.analysis, &self.env, clis)
    }

    /// Hides files from it.
    pub(crate) fn hide<'p>(&mut self, paths: impl Iterator<Item = &'p PathBuf>) {
        if let Some(plan) = &mut self.check.plan {
            plan.confinement.read_never.extend(paths.map(|path| path.display().to_string()));
        }
    }

    /// What binds an approval to how it is run: with what words, where, with which input, and
    /// with which variables besides those that every command gets. Those of a custom tool are part of
    /// its version.
    pub(crate) fn digest(&self) -> Option<String> {
        let stdin = self.env.stdin.as_deref().map(str::as_bytes);
        let names = || self.variables.iter().map(String::as_str);
        self.plan().map(|plan| plan.digest(names(), stdin))
    }

    /// The rules that would allow it for always, the narrowest first.
    pub(crate) fn proposals(&self) -> Vec<Proposal> {
        shell::propose(&self.analysis, &self.env)
    }

    /// Why no rule may be kept that would allow it for always; none if one may.
    pub(crate) fn unkept(&self) -> Option<String> {
        if self.check.verdict == Decision::Ask && self.asks_always {
            return Some("The owner wants it asked about each time.".to_owned());
        }
        shell::unkept(&self.analysis, &self.env)
    }

    /// Whether a rule is about this command. One whose examples do not hold is about none.
    ///
    /// # Errors
    /// The example that does not hold.
    pub(crate) fn is_covered_by(&self, rule: &StandingRule) -> Result<bool, String> {
        if !rule.is_about(&self.analysis, &self.env) {
            return Ok(false);
        }
        rule.check(&self.env).map(|()| true)
    }
}

/// The category of what the owner's own rules say.
const OWNERS_RULE: &str = "rule";

impl Commands {
    /// `variables` are those that the owner has named for commands.
    pub(crate) fn new(
        settings: Settings,
        files: Files,
        host: Arc<Host>,
        variables: impl Iterator<Item = String>,
    ) -> Commands {
        let variables = variables.collect();
        Commands { settings, files, host, machine: Machine::of_process(), variables }
    }

    /// True if walls cover what is closed to a caller, for a command that runs within them.
    fn covers(&self, env: &Env, caller: &Caller) -> bool {
        !env.deny_paths.is_empty() && self.host.covers(caller.agent.as_deref())
    }

    /// Judges a command for a caller. It looks at links on the disk, at where the remotes of repositories
    /// are, and at nothing else.
    ///
    /// # Errors
    /// Where the folders of the caller cannot be used, as for file tools.
    pub(crate) fn judge(
        &self,
        cx: &CallContext,
        wanted: Wanted<'_>,
    ) -> Result<JudgedCommand, ToolError> {
        let places = self.files.places(cx.caller())?;
        let mounted = self.files.mounted(cx.caller(), &places);
        let mut env = match &mounted {
            Some(mounted) => mounted.env(&places),
            None => self.machine.env(places),
        };
        env.covered = wanted.is_walled && self.covers(&env, cx.caller());
        env.protected = git_settings::protected(&env, mounted.as_ref());
        let links = Links::new(mounted.clone());
        if let Some(cwd) = wanted.cwd.filter(|cwd| !cwd.is_empty()) {
            let inside = mounted.as_ref().and_then(|mounted| mounted.in_container(cwd));
            let cwd = match inside {
                Some(inside) => inside,
                None if cwd.starts_with('/') => cwd.into(),
                None => format!("{}/{cwd}", env.cwd),
            };
            // Beyond the limit the path stays as it was given, and is checked below.
            env.cwd = links.clone().without(&cwd, &env).unwrap_or(cwd);
        }
        env.stdin = wanted.stdin.map(str::to_owned);
        let (analysis, mut env) = analysed(wanted.text, env, links);
        // The network of a container cannot be restricted to hosts.
        if mounted.is_none() {
            env.remotes = remotes::known(&analysis, &env);
        }
        let settings = wanted.settings.unwrap_or(&self.settings);
        let own = settings_of(settings, cx.caller(), wanted.agents);
        let checks: Vec<Check> =
            own.iter().map(|settings| check_analysis(&analysis, &env, settings)).collect();
        let asks_always = own.iter().any(|settings| settings.ask == Ask::Always)
            || checks.iter().any(is_owners_to_ask);
        let check = strictest(checks);
        let check = check.unwrap_or_else(|| check_analysis(&analysis, &env, settings));
        let variables = self.variables.clone();
        let (allowed_by, cli) = (None, None);
        Ok(JudgedCommand { check, allowed_by, cli, analysis, env, asks_always, variables })
    }
}

/// Analyses a text with the links that stand on its ways.
fn analysed(text: &str, mut env: Env, mut links: Links) -> (Analysis, Env) {
    links.look_ahead(text, &env);
    env.links.clone_from(links.found());
    let mut analysis = analyse(text, &env);
    for _ in 0..MOST_ROUNDS {
        match links.look(&analysis, &env) {
            Ok(false) => return (analysis, env),
            Ok(true) => {
                env.links.clone_from(links.found());
                analysis = analyse(text, &env);
            }
            Err(TooMany) => break,
        }
    }
    let what = "its paths lead through more links than are followed".to_owned();
    analysis.problems.push(Problem { what, span: 0..text.len() });
    (analysis, env)
}

/// The settings for an agent and for all that stand above it, its own first; those of the store
/// besides the owner's, since they only narrow.
fn settings_of<'s>(
    settings: &'s Settings,
    caller: &Caller,
    agents: &[Option<AgentSettings>],
) -> Vec<Cow<'s, Settings>> {
    let callers = std::iter::successors(Some(caller), |one| one.parent.as_deref());
    let rows = agents.iter().map(Option::as_ref).chain(std::iter::repeat(None));
    let mut own: Vec<Cow<'_, Settings>> = Vec::new();
    for (one, row) in callers.zip(rows) {
        let settings = settings.of_agent(one.agent.as_deref());
        let narrowed = row.map(|row| Cow::Owned(settings.with(row)));
        for settings in std::iter::once(settings).chain(narrowed) {
            if !own.contains(&settings) {
                own.push(settings);
            }
        }
    }
    own
}

/// True if a rule of the owner's own wants it asked about.
fn is_owners_to_ask(check: &Check) -> bool {
    let is_owners =
        |reason: &Reason| reason.decision == Decision::Ask && reason.category == OWNERS_RULE;
    check.reasons.iter().any(is_owners)
}

/// The strictest of all judgements; of equal ones the first.
fn strictest(checks: Vec<Check>) -> Option<Check> {
    let stricter = |one: Check, other: Check| if rank(&other) > rank(&one) { other } else { one };
    checks.into_iter().reduce(stricter)
}

fn rank(check: &Check) -> (Decision, bool, u8) {
    let without_approver = match check.without_approver {
        WithoutApprover::Run => 0,
        WithoutApprover::Confine => 1,
        WithoutApprover::Deny => 2,
    };
    (check.verdict, check.confined, without_approver)
}
