//! Hard denials: what no rule, no list and no approval lets run. Only another profile does.
//!
//! These are seven categories, as effects, so that they hold in every spelling: deleting trees,
//! writing to disks, turning the machine off, fork bombs, running what the network sends, shells on
//! connections, and running text that was decoded or put together. A user who wants one of these
//! runs it himself.

use super::emptying;
use super::reach;
use super::{Case, Objection};
use crate::denied;
use crate::effect::{Access, CodeFrom, Effect, FileEffect, Found, Scope, SystemChange};
use crate::invocation::program_name;
use crate::model::globbed;
use crate::place;
use crate::settings::Profile;
use crate::value::{Origin, Value};

/// The hard denial of an effect, if there is one.
pub(super) fn check_effect(case: &Case<'_>, found: &Found) -> Option<Objection> {
    let program = program_name(&found.program);
    match &found.effect {
        Effect::File(file) if file.access == Access::Delete => deletes(case, found, file),
        Effect::File(file) => disk(file).or_else(|| empties(case, found, file)),
        Effect::Device { what } if !is_mount(what) => Some(
            Objection::new("destructive_ops", format!("It writes to a disk itself: {what}."))
                .instead("Work on files. Disks are prepared by whoever owns the machine."),
        ),
        Effect::System(SystemChange::Power) => Some(
            Objection::new("destructive_ops", "It turns the machine off, or restarts it.")
                .instead("Restart only the service that you mean, or ask the user to do it."),
        ),
        Effect::Bomb => Some(
            Objection::new("destructive_ops", "It starts copies of itself without end.")
                .instead("Use a loop with a bound, or `xargs -P` with a number."),
        ),
        Effect::Code { from: CodeFrom::Network } => Some(
            Objection::new("data_exfiltration", "It runs what the network sends, unseen.")
                .instead("Download it into a file, read it, and run that file then."),
        ),
        Effect::Code { from: CodeFrom::Decoded } => Some(
            Objection::new("code_injection", "It runs a text that was decoded, unseen.")
                .instead("Decode it into a file, read it, and run that file then."),
        ),
        Effect::RemoteShell => Some(
            Objection::new("reverse_shell", "It joins a shell to a network connection.")
                .instead("Run the commands one by one, in calls of their own."),
        ),
        Effect::Dynamic { .. } if program == "eval" && case.settings.profile == Profile::Strict => {
            Some(
                Objection::new(
                    "code_injection",
                    "It evaluates a text that is not known before it runs.",
                )
                .instead("Write the commands out, or put them into a script and run that."),
            )
        }
        _ => None,
    }
}

/// The objection to a path that the owner denies. It is as hard as the others: nothing lifts it.
pub(super) fn check_denied_path(case: &Case<'_>, found: &Found) -> Option<Objection> {
    let is_denied = match &found.effect {
        Effect::File(file) if file.scope == Scope::Denied => true,
        Effect::File(file) => {
            return (!reach::is_covered(case, found) && goes_through(case, found, file))
                .then(tree_denied);
        }
        Effect::Unmodelled { .. } => reach::call(case, found).is_some_and(|call| {
            let mut words = call.arguments.iter().flat_map(|word| paths_in(&word.value));
            words.any(|word| {
                let path = place::resolve(&word, &call.cwd, case.env);
                denied::is_denied(&path, case.env)
            })
        }),
        _ => false,
    };
    is_denied.then(path_denied)
}

/// True if it goes through a folder in which something is denied.
fn goes_through(case: &Case<'_>, found: &Found, file: &FileEffect) -> bool {
    let tree = (file.recursive || file.access == Access::Move) && file.access != Access::List;
    tree && !reach::skips_hidden(case, found) && holds_denied(&file.path, case)
        || reach::is_found_by_search(case, found, file)
            && holds_denied(&Value::known(folder_of(&file.path)), case)
}

/// True if something denied may lie below a path.
fn holds_denied(path: &Value, case: &Case<'_>) -> bool {
    denied::holds_denied(path, case.env)
}

/// The folder of a path, as far as it is known.
fn folder_of(path: &Value) -> String {
    path.prefix().rsplit_once('/').map_or("/", |(folder, _)| folder).to_owned()
}

/// What of a word may be a path: all of it, and what follows `=`, `@` and `:`.
fn paths_in(word: &Value) -> Vec<Value> {
    let of_text = |text: &str| {
        let mut all = vec![text.to_owned()];
        let tails = text.char_indices().filter(|(_, char)| matches!(char, '=' | '@' | ':' | ','));
        all.extend(tails.map(|(at, _)| text[at + 1..].to_owned()));
        all
    };
    match word {
        Value::Known(text) => of_text(text).into_iter().map(Value::known).collect(),
        Value::OneOf(texts) => {
            texts.iter().flat_map(|text| of_text(text)).map(Value::known).collect()
        }
        Value::Unknown(Origin::Glob(pattern)) => vec![globbed(pattern)],
        Value::Prefix(..) => vec![word.clone()],
        Value::Unknown(_) => Vec::new(),
    }
}

/// The objection to a path that the owner denies.
pub(super) fn path_denied() -> Objection {
    Objection::new("path_denied", "It reaches a path that is closed to commands.")
        .instead("Leave that path out, and name the files and folders that you need.")
}

/// The objection to a folder that holds a denied path which no confinement covers.
fn tree_denied() -> Objection {
    Objection::new(
        "path_denied",
        "It goes through a folder in which a path is closed to commands, and nothing covers that path \
         here.",
    )
    .instead(
        "Name the files and folders that you need, or use the tools for files, which leave it out. With \
         `exec.confinement` on, and namespaces of the kernel, the owner has it covered.",
    )
}

/// `mount` changes what is seen, and no disk.
pub(super) fn is_mount(what: &str) -> bool {
    ["mount", "umount", "unmount", "swap", "losetup"].iter().any(|word| what.contains(word))
}

/// The objection to writing to a file that is a disk or a switch of the kernel.
fn disk(file: &FileEffect) -> Option<Objection> {
    let writes = matches!(
        file.access,
        Access::Write | Access::Delete | Access::Move | Access::Link | Access::Meta
    );
    let is_power = file.path.as_known().is_some_and(|path| path == "/proc/sysrq-trigger");
    if writes && is_power {
        return Some(
            Objection::new("destructive_ops", "It restarts or stops the kernel.")
                .instead("Ask the user to do it."),
        );
    }
    (file.access == Access::Write && file.scope == Scope::Device).then(|| {
        Objection::new("destructive_ops", "It writes to a device itself.")
            .instead("Write to a file in the workspace.")
    })
}

/// The objection to emptying every file that a search finds. In `strict` it counts as deleting
/// them.
fn empties(case: &Case<'_>, found: &Found, file: &FileEffect) -> Option<Objection> {
    let is_denied = case.settings.profile == Profile::Strict
        && reach::is_for_each_found(case, found, file)
        && emptying::empties(case, found, file);
    is_denied.then(|| {
        Objection::new("destructive_ops", "It empties all files that it finds.")
            .instead("Name the files, one after the other.")
    })
}

/// The objection to deleting.
///
/// In `strict`, whatever deletes a tree is denied, and whatever deletes outside of the workspace
/// and the temporary folders. In `workspace`, a tree within those is left to be asked about.
fn deletes(case: &Case<'_>, found: &Found, file: &FileEffect) -> Option<Objection> {
    let scope = reach::scope(case, found, file);
    let within = matches!(scope, Scope::Workspace | Scope::Temp | Scope::HarmlessDevice);
    let is_strict = case.settings.profile == Profile::Strict;
    if !is_strict && !reach::is_here(case, found) {
        return None;
    }
    // Of Windows: `/f` and `/q` ask nothing.
    let of_windows = file.forced && reach::is_of_windows(found);
    let one_by_one = reach::is_for_each_found(case, found, file);
    let whole = file.recursive || is_strict && (one_by_one || of_windows);
    if whole && (is_strict || !within) {
        let (why, instead) = if within {
            (
                if one_by_one {
                    "It deletes all files that it finds."
                } else {
                    "It deletes a folder with all that is in it."
                },
                "Name the files and delete them with plain `rm FILE…` and `rmdir FOLDER`, or move \
                 the folder to a temporary place. For build output, use the clean target of the \
                 build (`make clean`, `cargo clean`).",
            )
        } else {
            (
                "It deletes a folder with all that is in it, outside of the workspace or where \
                 that is not known.",
                "Delete only named files in the workspace, with plain `rm FILE…`.",
            )
        };
        return Some(Objection::new("destructive_ops", why).instead(instead));
    }
    // One file of an unknown name may be any, but no tree goes with it. What holds secrets, or is version
    // control's, may lie in the workspace.
    let outside = !within && scope != Scope::Unknown && !reach::is_workspace(case, &file.path);
    outside.then(|| {
        Objection::new("destructive_ops", "It deletes files outside of the workspace.")
            .instead("Delete only named files in the workspace, with plain `rm FILE…`.")
    })
}
