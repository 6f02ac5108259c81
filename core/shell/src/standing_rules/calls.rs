//! The calls and effects of an analysis, as a standing rule compares them.
//!
//! [`calls_of`] takes an analysis apart into [`Call`]s. It fails, with a sentence for the person who decides,
//! where anything is open: a word that is not known, code that the words do not show, a wrapper that
//! is more than a prefix. [`key`] writes an effect as the text that a rule remembers of it.

use super::{StandingCall, Words};
use crate::analyse::Analysis;
use crate::decision::Decision;
use crate::effect::{Access, Effect, Found, Payload, Scope};
use crate::env::Env;
use crate::invocation::{Invocation, Locus, Stdin, Stdout, program_name};
use crate::judge::is_socket_of_engine;
use crate::models;
use crate::place;
use crate::value::Value;

/// A call of a program in the form in which rules compare calls.
pub(super) struct Call {
    /// The call with exactly its words.
    pub(super) exactly: StandingCall,
    /// Its words as its program reads them; none if that is not known in full.
    pub(super) read: Option<Read>,
}

/// The words of a call as its program reads them.
pub(super) struct Read {
    /// The names of its subcommands: `remote`, `add`.
    pub(super) command: Vec<String>,
    /// Its options with their values, sorted, so that their order does not count.
    pub(super) options: Vec<String>,
}

impl Call {
    /// The call with the same options and any operands.
    pub(super) fn alike(&self) -> Option<StandingCall> {
        let read = self.read.as_ref()?;
        let (command, options) = (read.command.clone(), read.options.clone());
        Some(StandingCall { words: Words::Alike { command, options }, ..self.exactly.clone() })
    }

    /// The call with any options and operands.
    pub(super) fn any(&self) -> Option<StandingCall> {
        let command = self.read.as_ref()?.command.clone();
        Some(StandingCall { words: Words::Any { command }, ..self.exactly.clone() })
    }
}

/// Wrappers that only start another program. A rule is about that program, so these may stand
/// before it.
pub(in super::super) const TRANSPARENT: &[&str] =
    &["timeout", "nice", "nohup", "time", "stdbuf", "ionice", "chronic"];

/// The calls of an analysis in which nothing is open.
///
/// # Errors
///
/// What is open, in a sentence for the person who decides.
pub(super) fn calls_of(analysis: &Analysis, env: &Env) -> Result<Vec<Call>, String> {
    let is_understood = analysis.problems.is_empty()
        && analysis.findings.iter().all(|finding| finding.decision() == Decision::Allow);
    if !is_understood {
        return Err("The command is not understood in full.".to_owned());
    }
    if analysis.invocations.is_empty() {
        return Err("The command runs no program.".to_owned());
    }
    if let Some(why) = analysis.found.iter().find_map(why_open) {
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
    calls.map(|(_, call)| comparable_call(call, env)).collect()
}

/// Why the words do not show what happens; none where they do.
fn why_open(found: &Found) -> Option<String> {
    let program = &found.program;
    Some(match &found.effect {
        Effect::Code { .. } => format!("`{program}` runs code that its words do not show."),
        Effect::Dynamic { why } => format!("It is not known what `{program}` does: {why}."),
        Effect::Privilege { .. } => format!("`{program}` acts as another user."),
        _ => return None,
    })
}

/// True for an effect that says all that matters of other operands as well: what is done where in
/// the workspace, or with which host.
pub(super) fn is_general(effect: &Effect) -> bool {
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

/// What a rule remembers of an effect: its label, and the operand where that is not in the
/// workspace.
pub(super) fn key(effect: &Effect) -> String {
    let label = effect.label();
    match effect {
        Effect::File(file) => match file.scope {
            _ if file.path.as_known().is_some_and(is_socket_of_engine) => {
                format!("{label} {}", describe_value(&file.path))
            }
            Scope::Workspace | Scope::Temp | Scope::ReadRoot | Scope::HarmlessDevice => label,
            _ => format!("{label} {}", describe_value(&file.path)),
        },
        Effect::Network { host, port, .. } => {
            let port = port.map(|port| format!(":{port}")).unwrap_or_default();
            format!("{label} {}{port}", describe_value(host))
        }
        Effect::Listen { port } => format!("{label} {port:?}"),
        Effect::Kill { what, .. } => format!("{label} {}", describe_value(what)),
        Effect::Package { manager, source, .. } => {
            format!("{label} {manager} {}", describe_value(source))
        }
        Effect::EnvironmentInjection { name, value } => {
            format!("{label} {name} {}", describe_value(value))
        }
        Effect::Secret { kind, path } => {
            format!("{label} {kind} {}", path.as_ref().map(describe_value).unwrap_or_default())
        }
        Effect::Cloud { provider, .. } => format!("{label} {provider}"),
        Effect::Device { what } => format!("{label} {what}"),
        Effect::Unmodelled { program, why } => format!("{label} {}: {why}", program_name(program)),
        _ => label,
    }
}

/// A value as it stands in a key. What is unknown stands as `…` or `?`.
fn describe_value(value: &Value) -> String {
    match value {
        Value::Known(text) => text.clone(),
        Value::OneOf(texts) => texts.join("|"),
        Value::Prefix(text, _) => format!("{text}…"),
        Value::Unknown(_) => "?".to_owned(),
    }
}

/// One invocation as a call to compare.
///
/// # Errors
///
/// What is open of it, in a sentence.
fn comparable_call(call: &Invocation, env: &Env) -> Result<Call, String> {
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
    let is_of_system = place::is_trusted(program, &call.cwd, env);
    let name = if is_of_system { program_name(program) } else { program };
    let unknown = |what: &str| format!("{what} of `{program}` is not known before it runs.");
    let arguments = arguments.ok_or_else(|| unknown("A word"))?;
    let cwd = call.cwd.as_known().ok_or_else(|| unknown("The folder"))?;
    let exactly = StandingCall {
        program: name.to_owned(),
        words: Words::Exactly { arguments },
        cwd: cwd.to_owned(),
    };
    let read = if is_of_system { read_words(call) } else { None };
    Ok(Call { exactly, read })
}

/// The words of a call as its program reads them; none if one is not known.
fn read_words(call: &Invocation) -> Option<Read> {
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
