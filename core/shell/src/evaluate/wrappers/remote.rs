//! Wrappers that run a command on another machine or in a container: `ssh`, `docker exec`, `kubectl
//! exec`.
//!
//! What runs there has another [`Locus`], so that its files are not those of this machine. Options
//! that run a command here (`ProxyCommand`) are evaluated here.

use super::prefix::options;
use super::{Wrapper, WrapperCall};
use crate::invocation::{Argument, Locus};
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::value::{Origin, Value};

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["ssh", "autossh", "mosh", "slogin", "sshpass-ssh"],
        grammar: options![
            flag["-4"], flag["-6"], flag["-A"], flag["-a"], flag["-C"], flag["-f"], flag["-G"],
            flag["-g"], flag["-K"], flag["-k"], flag["-M"], flag["-N"], flag["-n"], flag["-q"],
            flag["-s"], flag["-T"], flag["-t"], flag["-V"], flag["-v"], flag["-X"], flag["-x"],
            flag["-Y"], flag["-y"], value["-B"], value["-b"], value["-c"], value["-D"],
            value["-E"], value["-e"], value["-F"], value["-I"], value["-i"], value["-J"],
            value["-L"], value["-l"], value["-m"], value["-O"], value["-o"], value["-P"],
            value["-p"], value["-Q"], value["-R"], value["-S"], value["-W"], value["-w"],
            value["--ssh"], value["--port"],
        ],
        run: ssh,
    },
    Wrapper {
        names: &["sshpass"],
        grammar: options![
            value["-f"], value["-d"], value["-p"], attached["-e"], value["-P"], flag["-v"],
            flag["-h"], flag["-V"]
        ],
        run: sshpass,
    },
    Wrapper { names: &["docker", "podman", "nerdctl"], grammar: &DOCKER, run: docker },
    Wrapper { names: &["docker-compose", "podman-compose"], grammar: &COMPOSE, run: docker },
    Wrapper { names: &["kubectl", "oc", "k3s-kubectl"], grammar: &KUBECTL, run: kubectl },
    Wrapper {
        names: &[
            "lxc-attach", "machinectl", "vagrant", "lxc", "incus", "multipass", "wsl", "distrobox",
            "toolbox",
        ],
        grammar: &OPERANDS,
        run: behind_dashes,
    },
];

/// No options: every word is an operand, and the code below reads it itself.
static OPERANDS: Grammar = Grammar { options: &[], style: Style::Operands, subcommands: &[] };

/// Evaluates what `ssh` runs.
fn ssh(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    // These run a command here.
    for option in parsed.values("-o").cloned().collect::<Vec<_>>() {
        let text = option.value.prefix().to_owned();
        let (name, command) = text.split_once(['=', ' ']).unwrap_or((&text, ""));
        let local = ["proxycommand", "localcommand", "knownhostscommand", "match"];
        if local.contains(&name.trim().to_ascii_lowercase().as_str()) {
            let command = command.trim_start_matches(['=', ' ']);
            let value = match &option.value {
                Value::Known(_) => Value::known(command),
                other => Value::known(command)
                    .then(Value::Unknown(other.origin().cloned().unwrap_or(Origin::Other))),
            };
            wrapper.script(&value, &[]);
        }
    }
    let Some((host, mut command)) = parsed.operands.split_first() else { return };
    // Options may stand behind the host, too.
    if command.first().is_some_and(|word| word.value.prefix().starts_with('-')) {
        let inner = super::Invocation { arguments: command.to_vec(), ..wrapper.invocation.clone() };
        let skip =
            command.len() - super::grammar::parse(&inner, WRAPPERS[0].grammar).operands.len();
        command = &command[skip..];
    }
    wrapper.locus = Locus::Remote(host.value.clone());
    wrapper.state.cwd = Value::Unknown(Origin::Other);
    match command {
        [] if !parsed.has("-N") => wrapper.script_of_stdin(&[]),
        [] => {}
        [dashes, rest @ ..] if dashes.value.as_known() == Some("--") => {
            let text = wrapper.joined(rest);
            wrapper.script(&text, &[]);
        }
        command => {
            let text = wrapper.joined(command);
            wrapper.script(&text, &[]);
        }
    }
}

/// Evaluates what `sshpass` runs.
fn sshpass(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.run(&parsed.operands);
}

/// The options of `docker`.
static DOCKER: Grammar = Grammar {
    options: &[
        Opt::value(&["-H", "--host"]),
        Opt::value(&["-c", "--context"]),
        Opt::value(&["--config"]),
        Opt::value(&["-l", "--log-level"]),
        Opt::flag(&["-D", "--debug"]),
        Opt::flag(&["--tls"]),
        Opt::flag(&["--tlsverify"]),
        Opt::value(&["--tlscacert"]),
        Opt::value(&["--tlscert"]),
        Opt::value(&["--tlskey"]),
        Opt::flag(&["-v", "--version"]),
        Opt::value(&["-n", "--namespace"]),
        Opt::value(&["--root"]),
        Opt::flag(&["-r", "--remote"]),
        Opt::value(&["--url"]),
    ],
    style: Style::Posix,
    subcommands: &[
        ("exec", &EXEC),
        ("run", &RUN),
        ("create", &RUN),
        ("container", &CONTAINER),
        ("compose", &COMPOSE),
    ],
};

/// The options of `docker container`.
static CONTAINER: Grammar = Grammar {
    options: &[],
    style: Style::Posix,
    subcommands: &[("exec", &EXEC), ("run", &RUN), ("create", &RUN)],
};

/// The options of `docker compose`.
static COMPOSE: Grammar = Grammar {
    options: &[
        Opt::value(&["-f", "--file"]),
        Opt::value(&["-p", "--project-name"]),
        Opt::value(&["--profile"]),
        Opt::value(&["--project-directory"]),
        Opt::value(&["--env-file"]),
        Opt::value(&["--ansi"]),
        Opt::value(&["--progress"]),
        Opt::value(&["--parallel"]),
        Opt::flag(&["--compatibility"]),
        Opt::flag(&["--dry-run"]),
        Opt::flag(&["--all-resources"]),
        Opt::flag(&["--verbose"]),
    ],
    style: Style::Posix,
    subcommands: &[("exec", &EXEC), ("run", &RUN)],
};

/// The options of `docker exec`.
static EXEC: Grammar = Grammar {
    options: &[
        Opt::flag(&["-d", "--detach"]),
        Opt::value(&["--detach-keys"]),
        Opt::value(&["-e", "--env"]),
        Opt::value(&["--env-file"]),
        Opt::flag(&["-i", "--interactive"]),
        Opt::flag(&["--privileged"]),
        Opt::flag(&["-t", "--tty"]),
        Opt::flag(&["-T", "--no-TTY"]),
        Opt::value(&["-u", "--user"]),
        Opt::value(&["-w", "--workdir"]),
        Opt::value(&["--index"]),
        Opt::flag(&["-l", "--latest"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `docker run`.
static RUN: Grammar = Grammar {
    options: &[
        Opt::flag(&["-d", "--detach"]),
        Opt::flag(&["-i", "--interactive"]),
        Opt::flag(&["-t", "--tty"]),
        Opt::flag(&["-T", "--no-TTY"]),
        Opt::flag(&["--rm"]),
        Opt::flag(&["--privileged"]),
        Opt::flag(&["--init"]),
        Opt::flag(&["-P", "--publish-all"]),
        Opt::flag(&["--read-only"]),
        Opt::flag(&["--no-healthcheck"]),
        Opt::flag(&["--oom-kill-disable"]),
        Opt::flag(&["--sig-proxy"]),
        Opt::flag(&["-q", "--quiet"]),
        Opt::flag(&["--disable-content-trust"]),
        Opt::flag(&["--no-deps"]),
        Opt::flag(&["--build"]),
        Opt::flag(&["--service-ports"]),
        Opt::flag(&["--use-aliases"]),
        Opt::flag(&["--remove-orphans"]),
        Opt::flag(&["--replace"]),
        Opt::value(&["-a", "--attach"]),
        Opt::value(&["--add-host"]),
        Opt::value(&["--annotation"]),
        Opt::value(&["--blkio-weight"]),
        Opt::value(&["--cap-add"]),
        Opt::value(&["--cap-drop"]),
        Opt::value(&["--cgroup-parent"]),
        Opt::value(&["--cgroupns"]),
        Opt::value(&["--cidfile"]),
        Opt::value(&["-c", "--cpu-shares"]),
        Opt::value(&["--cpus"]),
        Opt::value(&["--cpuset-cpus"]),
        Opt::value(&["--cpu-period"]),
        Opt::value(&["--cpu-quota"]),
        Opt::value(&["--device"]),
        Opt::value(&["--device-cgroup-rule"]),
        Opt::value(&["--dns"]),
        Opt::value(&["--dns-search"]),
        Opt::value(&["--entrypoint"]),
        Opt::value(&["-e", "--env"]),
        Opt::value(&["--env-file"]),
        Opt::value(&["--expose"]),
        Opt::value(&["--gpus"]),
        Opt::value(&["--group-add"]),
        Opt::value(&["-h", "--hostname"]),
        Opt::value(&["--health-cmd"]),
        Opt::value(&["--ip"]),
        Opt::value(&["--ipc"]),
        Opt::value(&["--isolation"]),
        Opt::value(&["-l", "--label"]),
        Opt::value(&["--link"]),
        Opt::value(&["--log-driver"]),
        Opt::value(&["--log-opt"]),
        Opt::value(&["--mac-address"]),
        Opt::value(&["-m", "--memory"]),
        Opt::value(&["--memory-swap"]),
        Opt::value(&["--mount"]),
        Opt::value(&["--name"]),
        Opt::value(&["--network", "--net"]),
        Opt::value(&["--network-alias"]),
        Opt::value(&["--pid"]),
        Opt::value(&["--pids-limit"]),
        Opt::value(&["--platform"]),
        Opt::value(&["-p", "--publish"]),
        Opt::value(&["--pull"]),
        Opt::value(&["--restart"]),
        Opt::value(&["--runtime"]),
        Opt::value(&["--security-opt"]),
        Opt::value(&["--shm-size"]),
        Opt::value(&["--stop-signal"]),
        Opt::value(&["--stop-timeout"]),
        Opt::value(&["--sysctl"]),
        Opt::value(&["--tmpfs"]),
        Opt::value(&["--ulimit"]),
        Opt::value(&["-u", "--user"]),
        Opt::value(&["--userns"]),
        Opt::value(&["--uts"]),
        Opt::value(&["-v", "--volume"]),
        Opt::value(&["--volume-driver"]),
        Opt::value(&["--volumes-from"]),
        Opt::value(&["-w", "--workdir"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// Evaluates what `docker` and `podman` runs.
fn docker(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let (Some(last), Some((_, command))) =
        (parsed.subcommands.last(), parsed.operands.split_first())
    else {
        return;
    };
    if !matches!(*last, "exec" | "run" | "create") {
        return;
    }
    let mut command = command.to_vec();
    if let Some(entry) = parsed.value("--entrypoint") {
        command.insert(0, entry.clone());
    }
    inside(wrapper, &command);
}

/// Runs words in a container, where nothing of the folder or the variables is known.
fn inside(wrapper: &mut WrapperCall<'_, '_>, command: &[Argument]) {
    if wrapper.locus == Locus::Here {
        wrapper.locus = Locus::Container;
    }
    wrapper.state.cwd = Value::Unknown(Origin::Other);
    wrapper.run(command);
}

/// Options of `kubectl exec` may stand anywhere before `--`, behind which is the command.
static KUBECTL: Grammar = Grammar {
    options: &[
        Opt::value(&["-n", "--namespace"]),
        Opt::value(&["--context"]),
        Opt::value(&["--kubeconfig"]),
        Opt::value(&["--cluster"]),
        Opt::value(&["--user"]),
        Opt::value(&["-s", "--server"]),
        Opt::value(&["--token"]),
        Opt::value(&["--as"]),
        Opt::value(&["--as-group"]),
        Opt::value(&["--request-timeout"]),
        Opt::value(&["-v", "--v"]),
        Opt::flag(&["--insecure-skip-tls-verify"]),
    ],
    style: Style::Posix,
    subcommands: &[("exec", &KUBECTL_RUN), ("run", &KUBECTL_RUN), ("debug", &KUBECTL_RUN)],
};

/// No options: what stands behind `--` is the command.
static KUBECTL_RUN: Grammar = Grammar { options: &[], style: Style::Operands, subcommands: &[] };

/// Evaluates what `kubectl` runs.
fn kubectl(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if parsed.subcommands.is_empty() {
        return;
    }
    let dashes = parsed.operands.iter().position(|word| word.value.as_known() == Some("--"));
    match dashes {
        Some(at) => inside(wrapper, &parsed.operands[at + 1..]),
        None if parsed.subcommands.last() != Some(&"exec") => {}
        None => {
            // The old form: the command is what follows the name of the pod.
            let plain = |word: &&Argument| !word.value.prefix().starts_with('-');
            let command: Vec<Argument> =
                parsed.operands.iter().filter(plain).skip(1).cloned().collect();
            wrapper.conditional = true;
            inside(wrapper, &command);
        }
    }
}

/// What stands behind `--`, or behind the first operands, is a command in a container.
fn behind_dashes(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    if let Some(at) = words.iter().position(|word| word.value.as_known() == Some("--")) {
        inside(wrapper, &words[at + 1..]);
    } else if let Some(at) = words.iter().position(|word| word.value.as_known() == Some("-c"))
        && let Some(text) = words.get(at + 1)
    {
        wrapper.locus = Locus::Container;
        wrapper.script(&text.value, &[]);
    }
}
