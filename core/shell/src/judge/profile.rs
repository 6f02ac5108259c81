//! The profile: what runs without asking, and why everything else is beyond it.
//!
//! This is the last layer. It sees effects that nothing denied, and lets through what careful work
//! in a workspace needs: reading and writing its files, running its code, looking at the system. In
//! `workspace` it also lets clients of the network and plain deletions pass.

use super::{Case, Objection, emptying, env_injection, network, reach};
use crate::denied;
use crate::effect::{Access, CodeFrom, Effect, FileEffect, Found, Payload, Scope};
use crate::invocation::program_name;
use crate::models;
use crate::names::is_wrapper;
use crate::place;
use crate::settings::Profile;
use crate::value::{Origin, Value};

/// Why an effect is beyond the profile; none if it runs without asking.
pub(super) fn check_effect(case: &Case<'_>, found: &Found) -> Option<Objection> {
    match &found.effect {
        Effect::File(file) => check_file(case, found, file),
        Effect::Code { from } => check_code(from),
        Effect::EnvironmentInjection { name, value } => {
            (!env_injection::is_harmless(name, value, case, found)).then(|| {
                beyond_profile(format!(
                    "It sets `{name}`, which changes what programs run or trust."
                ))
            })
        }
        Effect::Dynamic { why } => Some(
            Objection::new("unknown", format!("What it runs cannot be told: {why}."))
                .instead("Write the command out, with names and values instead of variables."),
        ),
        Effect::Unmodelled { program, why } => Some(
            Objection::new("unknown", format!("`{}`: {why}.", program_name(program)))
                .instead("Use a program and options that are commonly known."),
        ),
        Effect::Network { sends: Payload::None, .. } => reaches(case, found),
        Effect::Network { .. } => Some(beyond_profile("It sends data to another machine.")),
        Effect::Listen { .. } => Some(beyond_profile("It waits for connections from others.")),
        Effect::Secret { kind, .. } => Some(secret(&format!("It reads a secret: {kind}."))),
        other => Some(beyond_profile(describe_effect(other))),
    }
}

/// An objection that the profile makes.
fn beyond_profile(why: impl Into<String>) -> Objection {
    Objection::new("beyond_profile", why)
        .instead("Do it within the workspace, or leave this step to the user.")
}

/// The objection to reading a secret.
fn secret(why: &str) -> Objection {
    Objection::new("secret", why)
        .instead("Use the tool that is given the credential, without reading it.")
}

/// An effect in words.
fn describe_effect(effect: &Effect) -> &'static str {
    match effect {
        Effect::Device { .. } => "It changes devices.",
        Effect::Privilege { .. } => "It takes other rights.",
        Effect::Users => "It changes users or groups.",
        Effect::System(_) => "It changes how the machine runs.",
        Effect::Kill { .. } => "It ends processes.",
        Effect::Persistence(_) => "It makes something run later.",
        Effect::EnvironmentDump => "It shows the environment.",
        Effect::History => "It changes the history of commands.",
        Effect::ContainerEscape { .. } => "It reaches out of its container.",
        Effect::Cloud { destroys: true, .. } => "It deletes something at a cloud provider.",
        Effect::Cloud { .. } => "It changes something at a cloud provider.",
        Effect::Database { destroys: true } => "It deletes data of a database.",
        Effect::Database { .. } => "It changes a database.",
        Effect::VersionControlLoss => "It may lose work that is not committed.",
        Effect::VersionControlRemote { forced: true, .. } => "It overwrites what others pushed.",
        Effect::VersionControlRemote { deletes: true, .. } => {
            "It deletes a branch or tag of others."
        }
        Effect::VersionControlRemote { .. } => "It changes a repository on another machine.",
        Effect::Package { .. } => "It installs or removes packages.",
        Effect::Leak(_) => "It sends what is on this machine to another one.",
        Effect::Recon => "It looks around in the network.",
        Effect::Mining => "It mines.",
        _ => "It does more than this profile lets run unasked.",
    }
}

/// The objection to running code, by where the code comes from.
fn check_code(from: &CodeFrom) -> Option<Objection> {
    match from {
        // The file is an effect of its own; a build runs what the project holds.
        CodeFrom::File | CodeFrom::Project(_) => None,
        // It was searched: what it does, and what of it is not known, are effects of their own.
        CodeFrom::Inline(language)
            if matches!(
                &**language,
                "python"
                    | "javascript"
                    | "perl"
                    | "ruby"
                    | "php"
                    | "lua"
                    | "awk"
                    | "sed"
                    | "jq"
                    | "sh"
            ) =>
        {
            None
        }
        CodeFrom::Inline(language) => Some(
            beyond_profile(format!("It runs code in {language} that stands in the command."))
                .instead("Put the code into a file, and run that."),
        ),
        CodeFrom::Stdin => Some(beyond_profile("It runs what it reads.")),
        CodeFrom::Network => Some(beyond_profile("It runs what the network sends.")),
        CodeFrom::Decoded => Some(beyond_profile("It runs a text that was decoded.")),
        CodeFrom::Fetched => Some(
            beyond_profile("It runs a file that was fetched or written by the same command.")
                .instead("Read the file first, and run it in a call of its own."),
        ),
        CodeFrom::Package(name) => {
            Some(beyond_profile(format!("It fetches a package to run it: {name}.")))
        }
        CodeFrom::Setting(what) => {
            Some(beyond_profile(format!("An option makes it run another: {what}.")))
        }
    }
}

/// The objection to reaching another machine without sending anything.
fn reaches(case: &Case<'_>, found: &Found) -> Option<Objection> {
    let program = program_name(&found.program);
    if case.settings.profile == Profile::Workspace && network::is_client(program) {
        return None;
    }
    Some(beyond_profile("It reaches another machine."))
}

/// The objection to an effect on a file.
fn check_file(case: &Case<'_>, found: &Found, file: &FileEffect) -> Option<Objection> {
    if !reach::is_here(case, found) {
        return Some(beyond_profile("It works on files of another machine or of a container."));
    }
    let scope = match reach::scope(case, found, file) {
        Scope::Workspace | Scope::Temp if reach::is_secret_found(case, found) => Scope::Secret,
        scope => scope,
    };
    let in_workspace = reach::is_workspace(case, &file.path);
    if emptying::empties(case, found, file)
        && (case.settings.profile == Profile::Strict || reach::is_for_each_found(case, found, file))
    {
        return Some(beyond_profile(
            "It empties existing files, or takes them out of version control.",
        ));
    }
    let allowed = match file.access {
        // Nobody sees more than whether it is there.
        Access::List if matches!(program_name(&found.program), "test" | "[") => true,
        Access::List => !matches!(scope, Scope::Secret | Scope::Unknown | Scope::Device),
        Access::Read => reads(file, scope, in_workspace),
        // Nobody sees what stands in a secret that is written.
        Access::Write if scope == Scope::Secret => {
            in_workspace
                && case.settings.profile == Profile::Workspace
                && !place::may_be_hooks(&file.path)
                && !place::is_protected(&file.path, case.env)
        }
        Access::Write | Access::Link => writes(scope, in_workspace),
        Access::Move => writes(scope, in_workspace) && scope != Scope::Secret,
        Access::Meta => writes(scope, in_workspace) || in_workspace && scope == Scope::Secret,
        Access::Delete => {
            deletes(case, file, scope)
                && !reach::is_for_each_found(case, found, file)
                && !reach::is_of_windows(found)
        }
        Access::Execute => {
            if let Some(program) = shadows(case, found, file) {
                return Some(beyond_profile(format!(
                    "It runs a program of the workspace that bears the name of `{program}`."
                )));
            }
            in_workspace
        }
    };
    (!allowed).then(|| beyond_place(file, scope))
}

/// The well-known program whose name a file of the workspace bears that is run. Folders where
/// projects keep the programs that they use do not count.
fn shadows(case: &Case<'_>, found: &Found, file: &FileEffect) -> Option<String> {
    const KEEP: &[&str] =
        &["bin", ".bin", "sbin", "scripts", "debug", "release", "build", "dist", "out", "tools"];
    let call = reach::call(case, found)?;
    let program = call.program.value.as_known()?;
    let path = file.path.as_known()?;
    let (folder, name) = path.rsplit_once('/')?;
    let is_itself = program_name(program) == name;
    let kept = folder.split('/').any(|part| KEEP.contains(&part));
    let known = models::is_known(name) || is_wrapper(name);
    (is_itself && known && !kept && !models::is_everyday(name)).then(|| name.to_owned())
}

/// True if a file of this scope may be read without asking.
fn reads(file: &FileEffect, scope: Scope, in_workspace: bool) -> bool {
    match scope {
        Scope::Workspace
        | Scope::VersionControl
        | Scope::AgentConfig
        | Scope::Temp
        | Scope::ReadRoot
        | Scope::HarmlessDevice => true,
        Scope::WorkspaceRoot => in_workspace,
        // A tree of these has secrets in it.
        Scope::System | Scope::Kernel => !file.recursive && !finds_all(file) && !is_memory(file),
        Scope::Startup => {
            let home = file.path.as_known().is_some_and(|path| !place::is_within(path, "/etc"));
            !file.recursive && !home
        }
        Scope::Home | Scope::Secret | Scope::Device | Scope::Denied | Scope::Unknown => false,
    }
}

/// True for a pattern that finds all files of a folder.
fn finds_all(file: &FileEffect) -> bool {
    matches!(&file.path, Value::Prefix(_, Origin::Glob(pattern))
        if pattern.split('/').any(denied::says_nothing))
}

/// Files of the kernel that show what programs keep to themselves.
fn is_memory(file: &FileEffect) -> bool {
    let path = file.path.prefix();
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_other =
        ["/root/", "/cwd/", "/fd/", "/map_files/"].iter().any(|part| path.contains(part));
    const NAMES: &[&str] = &[
        "mem", "maps", "smaps", "kcore", "cmdline", "kmsg", "pagemap", "auxv", "stack", "kallsyms",
    ];
    place::is_within(path, "/proc")
        && (is_other || NAMES.contains(&name))
        && path != "/proc/cmdline"
}

/// True if a file of this scope may be written without asking.
fn writes(scope: Scope, in_workspace: bool) -> bool {
    match scope {
        Scope::Workspace | Scope::Temp | Scope::HarmlessDevice => true,
        Scope::WorkspaceRoot => in_workspace,
        _ => false,
    }
}

/// One file after the other may be deleted in the workspace; a tree is asked about.
fn deletes(case: &Case<'_>, file: &FileEffect, scope: Scope) -> bool {
    let within = matches!(scope, Scope::Workspace | Scope::Temp);
    case.settings.profile == Profile::Workspace && within && !file.recursive
}

/// The objection to an effect on a file, with the place in words.
fn beyond_place(file: &FileEffect, scope: Scope) -> Objection {
    let does = match file.access {
        Access::Read => "reads",
        Access::List => "lists",
        Access::Write => "writes",
        Access::Delete => "deletes",
        Access::Meta => "changes the mode, owner or time of",
        Access::Move => "moves",
        Access::Link => "makes a link at",
        Access::Execute => "runs",
    };
    let what = match scope {
        Scope::Secret => {
            return secret(&format!("It {does} a place where secrets are kept."));
        }
        Scope::Workspace | Scope::WorkspaceRoot if file.recursive => "a whole folder",
        Scope::Workspace => "a file of the workspace",
        Scope::WorkspaceRoot => "a folder around the workspace",
        Scope::VersionControl => "what version control runs or believes",
        Scope::AgentConfig => "what agents, editors or tools obey or run when they start",
        Scope::Temp => "a temporary file",
        Scope::ReadRoot => "a folder that is only for reading",
        Scope::Home => "a file of the user's, outside of the workspace",
        Scope::Startup => "what runs when a session starts",
        Scope::System => "a file of the system",
        Scope::Kernel => "a file of the kernel",
        Scope::HarmlessDevice | Scope::Device => "a device",
        Scope::Denied => "a closed path",
        Scope::Unknown => {
            return Objection::new("unknown", format!("It {does} a file whose name is not known."))
                .instead("Name the file.");
        }
    };
    beyond_profile(format!("It {does} {what}."))
}
