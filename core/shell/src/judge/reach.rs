//! Where an effect on a file really lands, as far as the judge has to know.
//!
//! The scope of an effect is often unknown although the command says it: `find src -name x | xargs
//! rm` deletes below `src`. This module follows names through pipes to the programs that printed
//! them, and answers other questions about the place of an effect: on which machine it happens,
//! whether a confinement covers it, whether a search found the file.

use super::Case;
use crate::effect::{Access, Effect, FileEffect, Found, Scope};
use crate::invocation::{Invocation, Locus, Stdin, program_name};
use crate::place;
use crate::value::{Origin, Value};

/// How many filters names are followed through.
const DEEPEST: usize = 8;

/// The call that has an effect; none if the shell has it.
pub(super) fn call<'a>(case: &Case<'a>, found: &Found) -> Option<&'a Invocation> {
    case.analysis.invocations.get(found.by?)
}

/// True if an effect is one on this machine.
pub(super) fn is_here(case: &Case<'_>, found: &Found) -> bool {
    call(case, found).is_none_or(|call| call.locus == Locus::Here)
}

/// Whose place a file is. A name that another program listed stands where that one looked. The
/// folder of the workspace itself is distinguished from those above it by its path.
pub(super) fn scope(case: &Case<'_>, found: &Found, file: &FileEffect) -> Scope {
    if file.scope != Scope::Unknown {
        return file.scope;
    }
    let outputs = file.path.outputs();
    if let Value::Prefix(text, _) = &file.path
        && !outputs.is_empty()
        && outputs.iter().all(|number| prints_no_path(case, *number))
    {
        return place::scope(&Value::Prefix(text.clone(), Origin::Number), case.env);
    }
    let piped = match call(case, found).map(|call| &call.stdin) {
        Some(Stdin::Pipe(numbers)) if outputs.is_empty() => &numbers[..],
        _ => outputs,
    };
    if piped.is_empty() {
        return Scope::Unknown;
    }
    let names = scope_of_names(case, piped, DEEPEST);
    match &file.path {
        Value::Prefix(text, _) => more_sensitive(names, scope_of_beginning(case, text)),
        _ => names,
    }
}

/// Whose place a path is that begins like this and goes on with names: they may be none, and then it is
/// the path as it begins.
fn scope_of_beginning(case: &Case<'_>, text: &str) -> Scope {
    let folder = place::scope(&Value::Prefix(text.to_owned(), Origin::Number), case.env);
    match text.rsplit('/').next().unwrap_or_default() {
        // It may be any of the hidden ones.
        part if part.starts_with('.') => more_sensitive(folder, Scope::Unknown),
        "" if folder == Scope::Workspace => folder,
        _ => more_sensitive(folder, place::scope(&Value::known(text), case.env)),
    }
}

/// The more sensitive of two scopes.
fn more_sensitive(one: Scope, other: Scope) -> Scope {
    let rank = |scope| (severity(scope), place::severity(scope));
    if rank(other) > rank(one) { other } else { one }
}

/// Where the names stand that some programs print.
fn scope_of_names(case: &Case<'_>, numbers: &[usize], depth: usize) -> Scope {
    let mut worst: Option<Scope> = None;
    for number in numbers {
        let scope = scope_of_printed_names(case, *number, depth);
        worst = Some(match worst {
            None => scope,
            Some(worst) if severity(scope) > severity(worst) => scope,
            Some(worst) => worst,
        });
    }
    worst.unwrap_or(Scope::Unknown)
}

/// Where the names stand that one program prints.
fn scope_of_printed_names(case: &Case<'_>, number: usize, depth: usize) -> Scope {
    let Some(call) = case.analysis.invocations.get(number) else { return Scope::Unknown };
    let Some(program) = call.program.value.as_known() else { return Scope::Unknown };
    let name = program_name(program);
    if depth > 0
        && FILTERS.contains(&name)
        && let Stdin::Pipe(numbers) = &call.stdin
    {
        return scope_of_names(case, numbers, depth - 1);
    }
    if !LISTERS.contains(&name) {
        return Scope::Unknown;
    }
    let looks = case.analysis.found.iter().filter(|found| found.by == Some(number));
    let scopes = looks.filter_map(|found| match &found.effect {
        Effect::File(file) if matches!(file.access, Access::List | Access::Read) => {
            Some(below(case, file))
        }
        _ => None,
    });
    scopes.max_by_key(|scope| severity(*scope)).unwrap_or(Scope::Unknown)
}

/// Whose place the files in a folder are.
fn below(case: &Case<'_>, file: &FileEffect) -> Scope {
    if is_workspace(case, &file.path) { Scope::Workspace } else { file.scope }
}

/// True for a path in the workspace, or the folder of it.
pub(super) fn is_workspace(case: &Case<'_>, path: &Value) -> bool {
    let within = |path: &str| case.env.workspace.iter().any(|root| place::is_within(path, root));
    match path {
        Value::Known(path) => within(path),
        Value::OneOf(paths) => paths.iter().all(|path| within(path)),
        Value::Prefix(path, _) => path.rsplit_once('/').is_some_and(|(folder, _)| within(folder)),
        Value::Unknown(_) => false,
    }
}

/// The rank of a scope in a list of names. It differs from [`place::severity`]: an unknown place
/// may be anywhere.
fn severity(scope: Scope) -> u8 {
    match scope {
        Scope::HarmlessDevice | Scope::Temp | Scope::Workspace => 0,
        Scope::ReadRoot | Scope::VersionControl | Scope::AgentConfig => 1,
        Scope::Unknown => 2,
        _ => 3,
    }
}

/// Programs that print names of the files that they look at.
const LISTERS: &[&str] =
    &["find", "fd", "fdfind", "ls", "grep", "rg", "git", "ag", "tree", "locate"];

/// Programs that print some of the lines that they read.
const FILTERS: &[&str] =
    &["sort", "uniq", "head", "tail", "grep", "egrep", "fgrep", "rg", "tac", "shuf", "cat", "tee"];

/// True for programs that print a text without slashes.
fn prints_no_path(case: &Case<'_>, number: usize) -> bool {
    let call = case.analysis.invocations.get(number);
    let program = call.and_then(|call| call.program.value.as_known()).map(program_name);
    let plain = call.is_some_and(|call| {
        call.arguments
            .iter()
            .all(|word| word.value.as_known().is_some_and(|text| !text.contains('/')))
    });
    plain && program.is_some_and(|program| PRINT_NO_PATH.contains(&program))
}

/// Programs that print texts which are no paths.
const PRINT_NO_PATH: &[&str] =
    &["date", "whoami", "hostname", "uname", "id", "nproc", "arch", "seq", "wc", "expr"];

/// True if walls cover what is denied from the program that has an effect: it runs within them, and neither
/// keeps a copy of files, as Git does, nor has a service read them.
pub(super) fn is_covered(case: &Case<'_>, found: &Found) -> bool {
    const READ_PAST_CONFINEMENT: &[&str] = &[
        "git", "hg", "svn", "jj", "sl", "docker", "docker-compose", "podman", "nerdctl", "buildah",
        "buildctl", "ctr", "systemd-run",
    ];
    case.env.covered
        && is_here(case, found)
        && !READ_PAST_CONFINEMENT.contains(&program_name(&found.program))
}

/// True for a search that does not look into folders and files whose names begin with a dot, if
/// nothing else in it is denied.
pub(super) fn skips_hidden(case: &Case<'_>, found: &Found) -> bool {
    const SKIP_HIDDEN: &[&str] = &["rg", "ag", "fd", "fdfind", "ack"];
    let program = program_name(&found.program);
    let Some(call) = call(case, found) else { return false };
    let looks = call.arguments.iter().any(|word| match word.value.as_known() {
        Some(text) => {
            text.starts_with("--hidden")
                || text.starts_with("--unrestricted")
                || text.starts_with("--all")
                || text.starts_with('-')
                    && !text.starts_with("--")
                    && text.contains(['u', '.', 'H', 'a'])
        }
        None => true,
    });
    let hidden = |root: &String| root.split('/').any(|part| part.starts_with('.'));
    SKIP_HIDDEN.contains(&program) && !looks && case.env.deny_paths.iter().all(hidden)
}

/// True for a file that `find` or its like hands to another program, whatever its name is.
pub(super) fn is_found_by_search(case: &Case<'_>, found: &Found, file: &FileEffect) -> bool {
    let is_one = matches!(&file.path, Value::Prefix(_, Origin::Picked));
    is_one
        && file.access != Access::List
        && searched_names(case, found).is_some_and(|names| names.is_empty())
}

/// True for a file that `find` hands to another program, by a name that secrets have.
pub(super) fn is_secret_found(case: &Case<'_>, found: &Found) -> bool {
    searched_names(case, found)
        .is_some_and(|names| names.iter().any(|name| place::may_be_secret(name)))
}

/// The names that the `find` looks for which runs the call.
fn searched_names(case: &Case<'_>, found: &Found) -> Option<Vec<String>> {
    const NAME_OPTIONS: &[&str] =
        &["-name", "-iname", "-path", "-ipath", "-wholename", "-regex", "-e"];
    let outer = case.analysis.invocations.get(call(case, found)?.outer?)?;
    let program = program_name(outer.program.value.as_known()?);
    if !["find", "gfind", "fd", "fdfind"].contains(&program) {
        return None;
    }
    let words: Vec<&str> = outer.arguments.iter().map(|word| word.value.prefix()).collect();
    let names =
        words.windows(2).filter(|two| NAME_OPTIONS.contains(&two[0])).map(|two| two[1].to_owned());
    Some(names.collect())
}

/// True for what is done with one thing after the other that is found: with all that is below.
pub(super) fn is_for_each_found(case: &Case<'_>, found: &Found, file: &FileEffect) -> bool {
    const FINDERS: &[&str] = &["find", "gfind", "fd", "fdfind", "xargs", "gxargs", "parallel"];
    let wrappers = call(case, found).map(|call| &call.wrappers[..]).unwrap_or_default();
    FINDERS.contains(&program_name(&found.program))
        || file.path.as_known().is_none() && wrappers.iter().any(|by| FINDERS.contains(&&**by))
}

/// True for a program that deletes on Windows, whose other options no table has.
pub(super) fn is_of_windows(found: &Found) -> bool {
    ["del", "erase", "rd"].contains(&program_name(&found.program))
}
