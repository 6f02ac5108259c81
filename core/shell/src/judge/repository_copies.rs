//! Denied paths that a command names within what a repository keeps: `git show HEAD:.env`.
//!
//! A repository has a copy of every committed file, so a confinement around the file does not cover
//! it. A path that a command names there is denied as the file is: behind `REV:`, as a path that
//! limits a command, or as a pattern for paths. What has no name in the command is not seen: the
//! number of a blob, and commands for whole trees.
//!
//! Source of the forms: `gitrevisions(7)`, `gitglossary(7)` (pathspec).

use super::{Case, Objection};
use crate::decision::Decision;
use crate::denied;
use crate::invocation::{Argument, Invocation, Stdin, program_name};
use crate::model::globbed;
use crate::models;
use crate::place;
use crate::value::{Origin, Value};
use crate::verdict::Reason;

/// Other programs that keep copies of files. They take paths as plain words.
const OTHER_VERSION_CONTROL: &[&str] = &["hg", "svn", "jj", "sl", "bzr", "fossil", "tig", "gitk"];

/// Options of `git` whose values have paths in them.
const PATH_OPTIONS: &[&str] = &["-L", "--path", "--include", "--pathspec-from-file"];

/// The reasons against calls that name a denied path in a repository.
pub(super) fn check_calls(case: &Case<'_>) -> Vec<Reason> {
    if case.env.deny_paths.is_empty() {
        return Vec::new();
    }
    let calls = case.analysis.invocations.iter();
    calls.filter_map(|call| check_call(case, call)).collect()
}

/// The reason against one call.
fn check_call(case: &Case<'_>, call: &Invocation) -> Option<Reason> {
    let program = program_name(call.program.value.as_known()?);
    let words = match program {
        "git" => words_of_git(call),
        other if OTHER_VERSION_CONTROL.contains(&other) => call.arguments.iter().collect(),
        _ => return None,
    };
    let folders = folders(case, call);
    if let Some(word) = words.iter().find(|word| names_denied(case, &folders, &word.value)) {
        let objection = Objection::new(
            "path_denied",
            "It names a closed path in a repository, which keeps a copy of the file.",
        )
        .instead("Leave that path out, and name the files that you need.");
        return Some(case.reason(Decision::Deny, objection, &word.span));
    }
    if lines_of(call).iter().any(|line| names_denied(case, &folders, &Value::known(*line))) {
        let objection = Objection::new("path_denied", "It is given a closed path of a repository.")
            .instead("Leave that path out, and name the files that you need.");
        return Some(case.reason(Decision::Deny, objection, &call.span));
    }
    // `HEAD:$NAME` may be any file.
    let is_open = |word: &&&Argument| match &word.value {
        Value::Prefix(text, origin) => text.contains(':') && !matches!(origin, Origin::Glob(_)),
        _ => false,
    };
    let open = words.iter().find(is_open).filter(|_| program == "git")?;
    let objection = Objection::new("unknown", "It names a file in a repository that is not known.")
        .instead("Write the path out.");
    Some(case.reason(Decision::Ask, objection, &open.span))
}

/// The words of a call of Git that may be paths, or have one in them. A text for a message, a pattern to
/// search for and the like name no paths.
fn words_of_git(call: &Invocation) -> Vec<&Argument> {
    let Some(parsed) = models::parse(call).filter(|parsed| parsed.unknown.is_empty()) else {
        return call.arguments.iter().collect();
    };
    let searches =
        parsed.subcommands.first() == Some(&"grep") && !parsed.has("-e") && !parsed.has("-f");
    let operands: Vec<_> = parsed.operands.iter().skip(usize::from(searches)).collect();
    let values = parsed.options.iter().filter(|(id, _)| PATH_OPTIONS.contains(id));
    let named: Vec<_> =
        operands.into_iter().chain(values.filter_map(|(_, value)| value.as_ref())).collect();
    // Those of the call itself: what was parsed may be a part of one.
    let is_named = |argument: &&Argument| named.iter().any(|word| word.span == argument.span);
    call.arguments.iter().filter(is_named).collect()
}

/// The folders from which a path may count: where Git is called, and each one above, since any of them may
/// be the top of the repository.
fn folders(case: &Case<'_>, call: &Invocation) -> Vec<String> {
    let mut starts: Vec<String> = call.cwd.possible().unwrap_or_default().to_vec();
    for pair in call.arguments.windows(2).filter(|pair| pair[0].value.as_known() == Some("-C")) {
        let at = place::resolve(&pair[1].value, &call.cwd, case.env);
        starts.extend(at.possible().unwrap_or_default().iter().cloned());
    }
    starts.extend(case.env.workspace.iter().cloned());
    let mut folders: Vec<String> = Vec::new();
    for start in &starts {
        let above = std::iter::successors(Some(start.as_str()), |at| {
            at.rsplit_once('/').map(|(above, _)| above).filter(|_| !at.is_empty())
        });
        folders.extend(above.map(str::to_owned));
    }
    folders.sort_unstable();
    folders.dedup();
    folders
}

/// The lines of a text on standard input that is a list of paths or objects.
fn lines_of(call: &Invocation) -> Vec<&str> {
    let lists = call.arguments.iter().any(|word| {
        let text = word.value.prefix();
        ["--batch", "--stdin", "--pathspec-from-file"].iter().any(|name| text.starts_with(name))
    });
    match &call.stdin {
        Stdin::Text(Value::Known(text)) if lists => text.lines().collect(),
        _ => Vec::new(),
    }
}

/// True if a word names a denied path, seen from one of the folders.
fn names_denied(case: &Case<'_>, folders: &[String], word: &Value) -> bool {
    match word {
        Value::Known(text) => text_names_denied(case, folders, text),
        Value::OneOf(texts) => texts.iter().any(|text| text_names_denied(case, folders, text)),
        // A pattern that finds no file is a pattern for Git.
        Value::Unknown(Origin::Glob(pattern)) => {
            is_denied(case, folders, &globbed(pattern)) || denied::may_name(pattern, case.env)
        }
        Value::Prefix(text, Origin::Glob(pattern)) => {
            is_denied(case, folders, &Value::Prefix(text.clone(), Origin::Glob(pattern.clone())))
                || denied::may_name(pattern, case.env)
        }
        Value::Prefix(..) | Value::Unknown(_) => false,
    }
}

/// [`names_denied`] for one known text.
fn text_names_denied(case: &Case<'_>, folders: &[String], text: &str) -> bool {
    if is_left_out(text) {
        return false;
    }
    let tails = text.char_indices().filter(|(_, char)| matches!(char, ':' | '=' | ')'));
    let tails = std::iter::once(text).chain(tails.map(|(at, _)| &text[at + 1..]));
    tails.filter(|tail| !tail.is_empty()).any(|tail| {
        let below = tail.trim_start_matches('/');
        [tail, below].iter().any(|path| is_denied(case, folders, &Value::known(*path)))
            || denied::may_name(tail, case.env)
    })
}

/// True for a path that a command leaves out: `:!x`, `:^x`, `:(exclude)x`.
fn is_left_out(text: &str) -> bool {
    let Some(magic) = text.strip_prefix(':') else { return false };
    match magic.strip_prefix('(') {
        Some(words) => words.split(')').next().is_some_and(|words| words.contains("exclude")),
        None => magic.trim_start_matches('/').starts_with(['!', '^']),
    }
}

/// True if a path is denied, seen from one of the folders.
fn is_denied(case: &Case<'_>, folders: &[String], path: &Value) -> bool {
    folders.iter().any(|folder| {
        let at = place::resolve(path, &Value::known(format!("{folder}/")), case.env);
        denied::is_denied(&at, case.env)
    })
}
