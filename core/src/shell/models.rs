//! What programs do, in tables by area. A program that stands in none of them, and is no wrapper, is
//! not understood.

mod address;
mod files;
mod filters;
mod kinds;
mod looking;
mod modes;
mod search;
mod text;

use std::collections::HashMap;
use std::sync::LazyLock;

use super::effect::{CodeFrom, Effect, Found};
use super::env::Env;
use super::grammar;
use super::invocation::Invocation;
use super::model::{Model, Parsed, Report, Role};
use super::unwrap;
use super::value::Value;

const TABLES: &[&[Model]] =
    &[filters::TABLE, files::TABLE, looking::TABLE, modes::TABLE, search::TABLE, text::TABLE];

static BY_NAME: LazyLock<HashMap<&'static str, &'static Model>> = LazyLock::new(|| {
    let models = TABLES.iter().copied().flatten();
    models.flat_map(|model| model.names.iter().map(move |name| (*name, model))).collect()
});

/// The model of a program, by its name without a folder.
#[must_use]
pub fn find(name: &str) -> Option<&'static Model> {
    BY_NAME.get(name).copied()
}

/// What all invocations do, as far as their programs have models, and which have none.
#[must_use]
pub fn tell(invocations: &[Invocation], env: &Env) -> Vec<Found> {
    let mut found = Vec::new();
    for (number, invocation) in invocations.iter().enumerate() {
        let Some(program) = invocation.program.value.as_known() else { continue };
        if invocation.builtin {
            continue;
        }
        let mut report = Report { env, invocation, found: Vec::new() };
        let name = unwrap::base(program);
        match find(name) {
            Some(model) => {
                let parsed = grammar::parse(invocation, model.grammar);
                // With nothing but this a program shows a text and ends.
                let only = invocation.arguments.len() == 1;
                if only && (parsed.has("--help") || parsed.has("--version")) {
                    continue;
                }
                named(&mut report, &parsed);
                (model.effects)(&mut report, &parsed);
                understood(&mut report, &parsed);
            }
            None if unwrap::is_wrapper(name) => {}
            None => report.not_understood("what this program does is not known"),
        }
        found.extend(report.found.into_iter().map(|(effect, certainty, span)| Found {
            effect,
            certainty,
            by: Some(number),
            program: program.to_owned(),
            span,
        }));
    }
    found
}

/// Tells what of the arguments is not known.
fn understood(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if let Some(word) = parsed.unknown.first().or(parsed.perhaps.first()) {
        report.not_understood(match word.value.as_known() {
            Some(option) => format!("its option `{option}` is not known"),
            None => "a word whose text is not known may be an option".to_owned(),
        });
    }
}

/// What options do with the files and the commands that they name.
fn named(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    for (role, option, value) in &parsed.named {
        match role {
            Role::Plain => {}
            Role::Reads => report.reads(value),
            Role::Writes => report.writes(value),
            Role::Runs => {
                let setting = format!("`{option}` of `{}`", report.name());
                let effect = Effect::Code { from: CodeFrom::Setting(setting) };
                report.at(effect, value.span.clone());
            }
        }
    }
}

/// The commands that options of an invocation name.
#[must_use]
pub fn commands(invocation: &Invocation) -> Vec<Value> {
    let name = invocation.program.value.as_known().map(unwrap::base);
    let Some(model) = name.and_then(find) else { return Vec::new() };
    if !model.grammar.runs_commands() {
        return Vec::new();
    }
    let parsed = grammar::parse(invocation, model.grammar);
    let commands = parsed.named.into_iter().filter(|(role, ..)| *role == Role::Runs);
    commands.map(|(_, _, value)| value.value).collect()
}

/// True for effects that examples leave out: reads and lists of what is no secret.
#[cfg(test)]
fn is_plain_read(effect: &super::effect::Effect) -> bool {
    use super::effect::{Access, Scope};
    let super::effect::Effect::File(file) = effect else { return false };
    matches!(file.access, Access::Read | Access::List)
        && !matches!(file.scope, Scope::Secret | Scope::Denied | Scope::Kernel | Scope::Device)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::{Env, analyse};
    use super::{TABLES, is_plain_read};

    #[test]
    fn each_example_has_its_effects() {
        let mut wrong = Vec::new();
        for model in TABLES.iter().copied().flatten() {
            assert!(!model.examples.is_empty(), "{:?} has no example", model.names);
            for example in model.examples {
                let analysis = analyse(example.command, &Env::default());
                assert!(
                    analysis.problems.is_empty(),
                    "{}: {:?}",
                    example.command,
                    analysis.problems
                );
                let found = analysis.found.iter().filter(|found| !is_plain_read(&found.effect));
                let mut labels: Vec<String> = found.map(|found| found.effect.label()).collect();
                labels.sort();
                labels.dedup();
                let mut wanted = example.effects.to_vec();
                wanted.sort_unstable();
                if labels != wanted {
                    wrong
                        .push(format!("{}\n  has  {labels:?}\n  want {wanted:?}", example.command));
                }
            }
        }
        assert!(wrong.is_empty(), "{} examples\n{}", wrong.len(), wrong.join("\n"));
    }

    #[test]
    fn no_name_stands_twice() {
        let mut seen = HashSet::new();
        for name in TABLES.iter().copied().flatten().flat_map(|model| model.names) {
            assert!(seen.insert(name), "{name} has two models");
        }
    }
}
