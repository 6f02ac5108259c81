//! Groups of dangers: what is denied or asked about unless the owner switches the group.
//!
//! [`danger`] maps an effect to a [`Danger`]: a group, and how strict the group is by itself.
//! [`decide`] applies the owner's switch. A group that is switched off leaves the effect to the
//! layers below, so the profile may still ask.

use super::{Case, Objection, env_injection, network, reach, shown};
use crate::decision::Decision;
use crate::effect::{
    Access, CodeFrom, Effect, FileEffect, Found, Leak, Persistence, Scope, SystemChange,
};
use crate::invocation::{Invocation, Stdin, Stdout, program_name};
use crate::models;
use crate::place;
use crate::settings::{Group, Profile, Switch};
use crate::value::{Origin, Value, names_a_secret};
use crate::verdict::Reason;

/// What a group says of an effect, and how strict it is by itself.
pub(super) struct Danger {
    /// The group, which the owner may switch.
    group: Group,
    /// The decision while the group is on.
    by_itself: Decision,
    /// What is wrong, in a sentence.
    why: String,
    /// What to do instead; none: what fits the group.
    instead: Option<&'static str>,
}

impl Danger {
    /// A danger that is denied.
    pub(super) fn denied(group: Group, why: impl Into<String>) -> Danger {
        Danger { group, by_itself: Decision::Deny, why: why.into(), instead: None }
    }

    /// Adds what to do instead.
    pub(super) fn instead(mut self, instead: &'static str) -> Danger {
        self.instead = Some(instead);
        self
    }

    /// Asked about rather than denied.
    pub(super) fn asked(mut self, if_so: bool) -> Danger {
        if if_so {
            self.by_itself = Decision::Ask;
        }
        self
    }
}

/// What the groups decide of an effect.
pub(super) fn check_effect(case: &Case<'_>, found: &Found) -> Option<(Decision, Objection)> {
    decide(case, danger(case, found)?)
}

/// What the groups decide of calls that are dangerous whatever their effects.
pub(super) fn check_calls(case: &Case<'_>) -> Vec<Reason> {
    let calls = case.analysis.invocations.iter();
    let reasons = calls.filter_map(|call| {
        let danger = check_call(case, call)?;
        let (decision, objection) = decide(case, danger)?;
        Some(case.reason(decision, objection, &call.span))
    });
    reasons.collect()
}

/// Applies the switch of the group.
fn decide(case: &Case<'_>, danger: Danger) -> Option<(Decision, Objection)> {
    let decision = match case.settings.switch(danger.group) {
        Switch::On => danger.by_itself,
        Switch::Off => return None,
        Switch::Ask => Decision::Ask,
        Switch::Deny => Decision::Deny,
    };
    let objection = Objection::new(danger.group.name(), danger.why);
    Some((decision, objection.instead(danger.instead.unwrap_or(default_suggestion(danger.group)))))
}

/// What to do instead where a danger has nothing better to say.
fn default_suggestion(group: Group) -> &'static str {
    match group {
        Group::ReverseShell | Group::DataExfiltration | Group::NetworkRecon => {
            "Use the client of the one service that you need, such as `curl` for HTTP."
        }
        Group::DangerousPaths => "Write to the workspace, and ask the user to put it in place.",
        Group::EnvInjection => "Run the program without it.",
        Group::CryptoMining => "Leave it.",
        Group::CodeInjection | Group::FilterBypass => {
            "Run the other program itself, in a call of its own."
        }
        Group::DestructiveOps
        | Group::PrivilegeEscalation
        | Group::ContainerEscape
        | Group::PackageInstall
        | Group::Persistence
        | Group::ProcessControl
        | Group::EnvDump => "Ask the user to do this step.",
    }
}

/// The danger of an effect, if it is one.
#[expect(clippy::too_many_lines, reason = "one match arm per effect")]
fn danger(case: &Case<'_>, found: &Found) -> Option<Danger> {
    let is_strict = case.settings.profile == Profile::Strict;
    match &found.effect {
        Effect::File(file) => check_file(case, found, file),
        Effect::Device { .. } => Some(
            Danger::denied(Group::PrivilegeEscalation, "It changes what is mounted.")
                .instead("Work with the files that are there."),
        ),
        Effect::Network { host, sends, .. } => network::check_effect(case, found, host, sends),
        Effect::Listen { .. } if network::is_connector(program_name(&found.program)) => {
            Some(Danger::denied(Group::ReverseShell, "It opens a raw port to others."))
        }
        Effect::Privilege { how } => Some(
            Danger::denied(
                Group::PrivilegeEscalation,
                format!("It takes other rights than the agent's own, by `{how}`."),
            )
            .instead("Do it without other rights, or ask the user to do this step."),
        ),
        Effect::Users => Some(
            Danger::denied(Group::PrivilegeEscalation, "It changes users or groups.")
                .instead("Ask the user to do this step."),
        ),
        Effect::System(SystemChange::Kernel) => {
            Some(Danger::denied(Group::PrivilegeEscalation, "It changes the kernel."))
        }
        Effect::Kill { all, what } => kill(case, found, *all, what),
        Effect::Persistence(kind) => Some(
            Danger::denied(Group::Persistence, persists(*kind))
                .instead("Run it now, once, or ask the user to set it up."),
        ),
        Effect::EnvironmentInjection { name, value } => env_injection::is_denied(name, value, case)
            .then(|| {
                Danger::denied(
                    Group::EnvInjection,
                    format!("It sets `{name}`, which makes programs run or load something else."),
                )
                .instead("Run the program without it, or with options that say what you need.")
            }),
        Effect::EnvironmentDump => Some(
            Danger::denied(Group::EnvDump, "It shows the environment, which holds secrets.")
                .instead("Ask for one variable that holds no secret: `echo \"$PATH\"`."),
        ),
        Effect::Secret { kind, path: _ } if kind.contains("environment") => Some(
            Danger::denied(Group::EnvDump, "It shows the environment, which holds secrets.")
                .instead("Ask for one variable that holds no secret: `echo \"$PATH\"`."),
        ),
        Effect::Leak(leak) => Some(
            Danger::denied(
                Group::DataExfiltration,
                match leak {
                    Leak::Secret => "It sends a secret to another machine.",
                    Leak::Environment => "It sends the environment to another machine.",
                    Leak::Local => "It sends what is on this machine to another one.",
                },
            )
            .asked(!is_strict && *leak == Leak::Local)
            .instead("Ask the user to send it, or use a tool that is made for that service."),
        ),
        Effect::History => Some(
            Danger::denied(Group::FilterBypass, "It changes the history of commands.")
                .instead("Leave the history as it is."),
        ),
        Effect::ContainerEscape { how } => Some(
            Danger::denied(
                Group::ContainerEscape,
                format!("It reaches out of its container, by {how}."),
            )
            .instead("Run it without the host's files, sockets and rights."),
        ),
        Effect::Package { source, .. } => package(source, is_strict),
        Effect::Code { from: CodeFrom::Package(name) } => Some(fetched(name, is_strict)),
        Effect::Code { from: CodeFrom::Setting(what) } => Some(
            Danger::denied(
                Group::FilterBypass,
                format!("An option makes a harmless program run another: {what}."),
            )
            .instead("Run the other program itself, in a call of its own."),
        ),
        Effect::Recon => Some(
            Danger::denied(
                Group::NetworkRecon,
                "It looks around in a network, or tunnels through it.",
            )
            .instead("Reach the one service that you need, by its own client."),
        ),
        Effect::Mining => Some(Danger::denied(Group::CryptoMining, "It mines.")),
        _ => None,
    }
}

/// The danger of installing or removing packages.
fn package(source: &Value, is_strict: bool) -> Option<Danger> {
    // What the project itself declares is no choice of the command's.
    let declared = source.as_known().is_some_and(str::is_empty);
    let why = if declared {
        "It installs the packages that the project declares.".to_owned()
    } else {
        "It installs or removes packages, whose scripts run.".to_owned()
    };
    Some(
        Danger::denied(Group::PackageInstall, why)
            .asked(declared || !is_strict)
            .instead("Use what is installed, or ask the user to install the package."),
    )
}

/// The danger of fetching a package to run it.
fn fetched(name: &str, is_strict: bool) -> Danger {
    Danger::denied(Group::PackageInstall, format!("It fetches a package to run it: {name}."))
        .asked(!is_strict)
        .instead("Run the version that the project has, without fetching (`npx --no-install …`).")
}

/// What is wrong with a way to make something run later.
fn persists(kind: Persistence) -> &'static str {
    match kind {
        Persistence::Schedule => "It makes something run later.",
        Persistence::Service => "It makes a service start by itself.",
        Persistence::Startup => "It makes something run at each start of a shell or session.",
        Persistence::Hook => "It makes something run with each step of version control.",
        Persistence::LogIn => "It changes who may log in.",
        Persistence::Path => "It puts a program before another of the same name.",
    }
}

/// The danger of an effect on a file.
fn check_file(case: &Case<'_>, found: &Found, file: &FileEffect) -> Option<Danger> {
    let path = file.path.as_known().unwrap_or_default();
    if is_socket_of_engine(path) {
        return Some(
            Danger::denied(
                Group::ContainerEscape,
                "It reaches the socket of a container engine, which rules the machine.",
            )
            .instead("Use the client of the engine, without its socket."),
        );
    }
    if shows_environment(case, found, file) {
        return Some(
            Danger::denied(Group::EnvDump, "It shows the environment of a process.")
                .instead("Ask for one variable that holds no secret: `echo \"$PATH\"`."),
        );
    }
    let is_strict = case.settings.profile == Profile::Strict;
    let changes = !matches!(file.access, Access::Read | Access::List | Access::Execute);
    if !changes || !reach::is_here(case, found) {
        return None;
    }
    match reach::scope(case, found, file) {
        Scope::Startup if path == "/etc/ld.so.preload" || path.starts_with("/etc/ld.so.conf") => {
            Some(Danger::denied(Group::EnvInjection, "It makes every program load something else."))
        }
        Scope::VersionControl if path.contains("/.git/hooks") => Some(
            Danger::denied(Group::Persistence, persists(Persistence::Hook))
                .asked(!is_strict)
                .instead("Ask the user to set up the hook."),
        ),
        // An empty folder runs nothing.
        Scope::Startup if program_name(&found.program) == "mkdir" => None,
        Scope::Startup => Some(
            Danger::denied(
                Group::Persistence,
                "It changes what runs at each start of a shell, session or machine.",
            )
            .instead("Set it for this one command, or ask the user to change that file."),
        ),
        Scope::Secret if is_account(path) => Some(
            Danger::denied(Group::PrivilegeEscalation, "It changes who has which rights.")
                .instead("Ask the user to do this step."),
        ),
        Scope::Kernel => Some(
            Danger::denied(Group::ContainerEscape, "It changes the kernel's own settings.")
                .instead("Ask the user to do this step."),
        ),
        Scope::System | Scope::WorkspaceRoot if is_account(path) => Some(
            Danger::denied(Group::PrivilegeEscalation, "It changes users or their rights.")
                .instead("Ask the user to do this step."),
        ),
        scope => outside_workspace(case, file, scope, path),
    }
}

/// True for reading the environment of a process. Of a path that is not known in full, what is not
/// known stands between what is.
fn shows_environment(case: &Case<'_>, found: &Found, file: &FileEffect) -> bool {
    let is_named = || shown::words(&case.analysis.text, &found.span).contains("environ");
    file.access == Access::Read
        && file.path.prefix().starts_with("/proc/")
        && (file.scope == Scope::Secret || file.path.as_known().is_none() && is_named())
}

/// Changes outside of what agents work in.
fn outside_workspace(
    case: &Case<'_>,
    file: &FileEffect,
    scope: Scope,
    path: &str,
) -> Option<Danger> {
    if reach::is_workspace(case, &file.path) {
        return None;
    }
    let is_strict = case.settings.profile == Profile::Strict;
    let outside = !matches!(
        scope,
        Scope::Workspace
            | Scope::VersionControl
            | Scope::AgentConfig
            | Scope::Unknown
            | Scope::HarmlessDevice
    );
    if file.access == Access::Meta && outside {
        return Some(
            Danger::denied(
                Group::DangerousPaths,
                "It changes the mode or owner of what is not in the workspace.",
            )
            .asked(scope == Scope::Temp && !is_strict)
            .instead("Change only files in the workspace."),
        );
    }
    let is_system = SYSTEM.iter().any(|root| place::is_within(path, root));
    let is_system = is_system && !place::is_within(path, "/usr/local");
    (is_system && scope != Scope::Temp).then(|| {
        Danger::denied(Group::DangerousPaths, "It changes files of the system.")
            .instead("Write to the workspace, and ask the user to put it in place.")
    })
}

/// Folders of the system that only its owner changes.
const SYSTEM: &[&str] = &[
    "/etc", "/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/boot", "/var/lib", "/var/spool",
];

/// True for a file that says who may do what.
fn is_account(path: &str) -> bool {
    ["passwd", "shadow", "group", "gshadow", "sudoers", "subuid", "subgid"].iter().any(|name| {
        path.strip_prefix("/etc/").is_some_and(|rest| rest.trim_end_matches('-') == *name)
    }) || place::is_within(path, "/etc/sudoers.d")
        || place::is_within(path, "/etc/pam.d")
}

/// True for a path of a socket by which the machine can be ruled.
pub(in super::super) fn is_socket_of_engine(path: &str) -> bool {
    SOCKETS.iter().any(|name| path.ends_with(name))
}

/// Sockets by which a program rules the machine: those of container engines.
const SOCKETS: &[&str] = &[
    "/docker.sock", "/containerd.sock", "/podman.sock", "/crio.sock", "/buildkitd.sock",
    "/k3s.sock", "/lxd/unix.socket",
];

/// The danger of ending processes: by force, by name, or all of them.
fn kill(case: &Case<'_>, found: &Found, all: bool, what: &Value) -> Option<Danger> {
    let call = reach::call(case, found);
    let forced = call.is_some_and(is_forced_kill);
    let first = matches!(what.as_known(), Some("1" | "-1" | "0"));
    (all || forced || first).then(|| {
        Danger::denied(
            Group::ProcessControl,
            if all {
                "It ends processes that it does not name one by one."
            } else {
                "It ends a process by force."
            },
        )
        .instead("End one process that you started, by its number, with plain `kill NUMBER`.")
    })
}

/// True for a `kill` whose signal a process cannot handle.
fn is_forced_kill(call: &Invocation) -> bool {
    /// Signals that end or stop a process by force.
    const FORCED: &[&str] = &["9", "KILL", "SIGKILL", "STOP", "SIGSTOP", "19"];
    let words = call.arguments.iter().filter_map(|word| word.value.as_known());
    let words: Vec<String> = words.map(str::to_uppercase).collect();
    words.iter().enumerate().any(|(at, word)| {
        let attached = word.strip_prefix("-S").or(word.strip_prefix("--SIGNAL="));
        let signal = attached.or(word.strip_prefix('-')).unwrap_or_default();
        FORCED.contains(&signal)
            || matches!(&**word, "-S" | "--SIGNAL" | "-N")
                && words.get(at + 1).is_some_and(|next| FORCED.contains(&&**next))
            || word == "/F"
    })
}

/// The danger of a call whatever its effects.
fn check_call(case: &Case<'_>, call: &Invocation) -> Option<Danger> {
    if let Some(danger) =
        prints_secret(call).or_else(|| mines(call)).or_else(|| by_name(case, call))
    {
        return Some(danger);
    }

    let by_option: Option<&String> =
        call.wrappers.last().filter(|last| BY_OPTION.contains(&last.as_str()));
    by_option.map(|by| {
        Danger::denied(
            Group::FilterBypass,
            format!("An option or script of `{by}` makes it run another program."),
        )
        .instead("Run the other program itself, in a call of its own.")
    })
}

/// Printing a variable that holds a secret, or using one of the program that hosts the agent.
fn prints_secret(call: &Invocation) -> Option<Danger> {
    let program = call.name()?;
    let prints = matches!(program, "echo" | "printf" | "print") && call.stdout != Stdout::Pipe;
    let stdin = match &call.stdin {
        Stdin::Text(text) | Stdin::Rest(text) => Some(text),
        _ => None,
    };
    let mut values = call.arguments.iter().map(|word| &word.value).chain(stdin);
    let name = values.find_map(|value| match value.origin()? {
        Origin::Environment(name) | Origin::EnvironmentOr(name, _) => {
            let own = ["TOOLKEEP_", "GOCLAW_"].iter().any(|start| name.starts_with(start));
            (names_a_secret(name) && (prints || own)).then_some(name)
        }
        _ => None,
    })?;
    Some(
        Danger::denied(Group::EnvDump, format!("It uses the secret in `{name}`."))
            .instead("Give the variable to the program that needs it, without printing it."),
    )
}

/// Programs that are dangers by what they are for, whatever they do this time.
fn by_name(case: &Case<'_>, call: &Invocation) -> Option<Danger> {
    let is_strict = case.settings.profile == Profile::Strict;
    let program = call.name()?;
    let mut words = call.arguments.iter().map(|word| word.value.prefix());
    Some(match program {
        "mkfifo" => Danger::denied(
            Group::ReverseShell,
            "It makes a pipe with a name, by which shells are joined to connections.",
        )
        .asked(!is_strict)
        .instead("Join the programs with a plain pipe."),
        "getcap" => {
            Danger::denied(Group::PrivilegeEscalation, "It looks for programs with more rights.")
                .asked(!is_strict)
        }
        "printenv" if is_strict && words.any(|word| !word.starts_with('-')) => {
            Danger::denied(Group::EnvDump, "It shows a variable of the environment.")
                .asked(true)
                .instead("Use `echo \"$NAME\"` for one that holds no secret.")
        }
        "dd" if is_strict && words.any(|word| word.starts_with("if=")) => {
            Danger::denied(Group::DestructiveOps, "It copies bytes past all checks.")
                .asked(true)
                .instead("Use `cp`, `head -c` or `truncate -s` on files.")
        }
        _ => return None,
    })
}

/// A program that is not known, with the address of a pool.
fn mines(call: &Invocation) -> Option<Danger> {
    let is_pool = |word: &str| {
        let word = word.to_ascii_lowercase();
        let word = word.split_once('=').map_or(&*word, |(_, address)| address);
        word.starts_with("stratum") && word.contains("://")
    };
    let program = call.name()?;
    let mut words = call.arguments.iter().map(|word| word.value.prefix());
    (!models::is_known(program) && words.any(is_pool))
        .then(|| Danger::denied(Group::CryptoMining, "It works for a pool of miners."))
}

/// Programs that nobody needs to run others.
const BY_OPTION: &[&str] = &[
    "sed", "gsed", "rg", "sort", "gsort", "man", "tar", "bsdtar", "gtar", "less", "more", "vi",
    "vim", "nvim", "view", "ex", "ed", "rsync", "zip", "7z", "tcpdump",
];
