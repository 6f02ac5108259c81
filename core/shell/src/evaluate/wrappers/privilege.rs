//! Wrappers that run a command as another user, with other rights, or in another namespace: `sudo`,
//! `setpriv`, `unshare`, `systemd-run`.
//!
//! Each records [`Effect::Privilege`], whatever the command behind it does.

use super::prefix::{HELP, command, options, second};
use super::{Wrapper, WrapperCall};
use crate::effect::Effect;
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::value::Value;

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper { names: &["sudo", "sudoedit"], grammar: &SUDO, run: privileged },
    Wrapper {
        names: &["doas"],
        grammar: options![
            flag["-L"], flag["-n"], flag["-s"], value["-a"], value["-C"], value["-u"]
        ],
        run: privileged,
    },
    Wrapper {
        names: &["pkexec", "gksu", "gksudo", "kdesu", "kdesudo", "beesu"],
        grammar: options![value ["-u", "--user"], flag ["--disable-internal-agent"], flag ["--keep-cwd"], flag ["--version"], flag HELP],
        run: privileged,
    },
    Wrapper { names: &["run0"], grammar: &SYSTEMD, run: privileged },
    Wrapper { names: &["systemd-run"], grammar: &SYSTEMD, run: command },
    Wrapper {
        names: &["systemd-inhibit"],
        grammar: options![
            value["--what"], value["--who"], value["--why"], value["--mode"], flag["--list"],
            flag["--no-pager"]
        ],
        run: command,
    },
    Wrapper { names: &["setpriv"], grammar: &SETPRIV, run: privileged },
    Wrapper { names: &["gosu", "su-exec"], grammar: options![flag HELP], run: privileged_second },
    Wrapper { names: &["capsh"], grammar: &CAPSH, run: capsh },
    Wrapper { names: &["unshare"], grammar: &UNSHARE, run: privileged },
    Wrapper { names: &["nsenter"], grammar: &NSENTER, run: privileged },
    Wrapper {
        names: &["chroot", "schroot"],
        grammar: options![value ["--groups"], value ["--userspec"], flag ["--skip-chdir"], value ["-c"], value ["-u"], flag HELP],
        run: privileged_second,
    },
];

/// Runs the operands with other rights; assignments before them are the command's environment.
fn privileged(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.effect(Effect::Privilege { how: wrapper.name.to_owned() });
    let assignments = parsed
        .operands
        .iter()
        .take_while(|word| {
            let name = word.value.prefix().split_once('=').map(|(name, _)| name);
            name.is_some_and(|name| !name.is_empty() && !name.contains('/'))
        })
        .count();
    wrapper.run(&parsed.operands[assignments..]);
}

/// The same, with one operand before the command.
fn privileged_second(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.effect(Effect::Privilege { how: wrapper.name.to_owned() });
    second(wrapper, parsed);
}

/// `capsh … -- -c text`: what is behind `--` are arguments of a shell.
fn capsh(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.effect(Effect::Privilege { how: "capsh".to_owned() });
    let shell = wrapper.word(Value::known("bash"));
    let words: Vec<_> = std::iter::once(shell).chain(parsed.operands.iter().cloned()).collect();
    wrapper.run(&words);
}

/// The options of `sudo`.
static SUDO: Grammar = Grammar {
    options: &[
        Opt::flag(&["-A", "--askpass"]),
        Opt::flag(&["-b", "--background"]),
        Opt::flag(&["-B", "--bell"]),
        Opt::flag(&["-E"]),
        Opt::attached(&["--preserve-env"]),
        Opt::flag(&["-e", "--edit"]),
        Opt::flag(&["-H", "--set-home"]),
        Opt::flag(&["-i", "--login"]),
        Opt::flag(&["-K", "--remove-timestamp"]),
        Opt::flag(&["-k", "--reset-timestamp"]),
        Opt::flag(&["-l", "--list"]),
        Opt::flag(&["-N", "--no-update"]),
        Opt::flag(&["-n", "--non-interactive"]),
        Opt::flag(&["-P", "--preserve-groups"]),
        Opt::flag(&["-S", "--stdin"]),
        Opt::flag(&["-s", "--shell"]),
        Opt::flag(&["-V", "--version"]),
        Opt::flag(&["-v", "--validate"]),
        Opt::flag(&["--help"]),
        Opt::value(&["-C", "--close-from"]),
        Opt::value(&["-c"]),
        Opt::value(&["-D", "--chdir"]),
        Opt::value(&["-g", "--group"]),
        Opt::value(&["-h", "--host"]),
        Opt::value(&["-p", "--prompt"]),
        Opt::value(&["-R", "--chroot"]),
        Opt::value(&["-r", "--role"]),
        Opt::value(&["-T", "--command-timeout"]),
        Opt::value(&["-t", "--type"]),
        Opt::value(&["-U", "--other-user"]),
        Opt::value(&["-u", "--user"]),
        Opt::value(&["-a", "--auth-type"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `systemd-run`.
static SYSTEMD: Grammar = Grammar {
    options: &[
        Opt::flag(&["--user"]),
        Opt::flag(&["--system"]),
        Opt::flag(&["--scope"]),
        Opt::flag(&["-r", "--remain-after-exit"]),
        Opt::flag(&["--send-sighup"]),
        Opt::flag(&["--no-block"]),
        Opt::flag(&["--wait"]),
        Opt::flag(&["-t", "--pty"]),
        Opt::flag(&["-P", "--pipe"]),
        Opt::flag(&["-q", "--quiet"]),
        Opt::flag(&["-G", "--collect"]),
        Opt::flag(&["-S", "--shell"]),
        Opt::flag(&["-d", "--same-dir"]),
        Opt::flag(&["--no-ask-password"]),
        Opt::flag(&["--slice-inherit"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["--version"]),
        Opt::value(&["-H", "--host"]),
        Opt::value(&["-M", "--machine"]),
        Opt::value(&["-u", "--unit"]),
        Opt::value(&["-p", "--property"]),
        Opt::value(&["--description"]),
        Opt::value(&["--slice"]),
        Opt::value(&["--uid"]),
        Opt::value(&["--gid"]),
        Opt::value(&["--nice"]),
        Opt::value(&["--working-directory", "-D", "--chdir"]),
        Opt::value(&["-E", "--setenv"]),
        Opt::value(&["--on-active"]),
        Opt::value(&["--on-boot"]),
        Opt::value(&["--on-startup"]),
        Opt::value(&["--on-unit-active"]),
        Opt::value(&["--on-calendar"]),
        Opt::value(&["--timer-property"]),
        Opt::value(&["--service-type"]),
        Opt::value(&["--background"]),
        Opt::value(&["-g", "--group"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `setpriv`.
static SETPRIV: Grammar = Grammar {
    options: &[
        Opt::flag(&["-d", "--dump"]),
        Opt::flag(&["--nnp", "--no-new-privs"]),
        Opt::value(&["--ambient-caps"]),
        Opt::value(&["--inh-caps"]),
        Opt::value(&["--bounding-set"]),
        Opt::value(&["--ruid"]),
        Opt::value(&["--euid"]),
        Opt::value(&["--rgid"]),
        Opt::value(&["--egid"]),
        Opt::value(&["--reuid"]),
        Opt::value(&["--regid"]),
        Opt::flag(&["--clear-groups"]),
        Opt::flag(&["--keep-groups"]),
        Opt::flag(&["--init-groups"]),
        Opt::value(&["--groups"]),
        Opt::value(&["--securebits"]),
        Opt::value(&["--pdeathsig"]),
        Opt::value(&["--selinux-label"]),
        Opt::value(&["--apparmor-profile"]),
        Opt::flag(&["--reset-env"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-V", "--version"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `capsh`.
static CAPSH: Grammar = Grammar {
    options: &[
        Opt::flag(&["--print"]),
        Opt::attached(&["--caps"]),
        Opt::attached(&["--drop"]),
        Opt::attached(&["--inh"]),
        Opt::attached(&["--user"]),
        Opt::attached(&["--uid"]),
        Opt::attached(&["--gid"]),
        Opt::attached(&["--groups"]),
        Opt::attached(&["--keep"]),
        Opt::attached(&["--secbits"]),
        Opt::attached(&["--chroot"]),
        Opt::attached(&["--shell"]),
        Opt::attached(&["--addamb"]),
        Opt::attached(&["--decode"]),
        Opt::attached(&["--supports"]),
        Opt::flag(&["--noamb"]),
        Opt::flag(&["--current"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `unshare`.
static UNSHARE: Grammar = Grammar {
    options: &[
        Opt::attached(&["--mount"]),
        Opt::attached(&["--uts"]),
        Opt::attached(&["--ipc"]),
        Opt::attached(&["--net"]),
        Opt::attached(&["--pid"]),
        Opt::attached(&["--user"]),
        Opt::attached(&["--cgroup"]),
        Opt::attached(&["--time"]),
        Opt::flag(&["-m"]),
        Opt::flag(&["-u"]),
        Opt::flag(&["-i"]),
        Opt::flag(&["-n"]),
        Opt::flag(&["-p"]),
        Opt::flag(&["-U"]),
        Opt::flag(&["-C"]),
        Opt::flag(&["-T"]),
        Opt::flag(&["-f", "--fork"]),
        Opt::flag(&["-r", "--map-root-user"]),
        Opt::flag(&["-c", "--map-current-user"]),
        Opt::flag(&["--map-auto"]),
        Opt::value(&["--map-user"]),
        Opt::value(&["--map-group"]),
        Opt::value(&["--map-users"]),
        Opt::value(&["--map-groups"]),
        Opt::attached(&["--kill-child"]),
        Opt::attached(&["--mount-proc"]),
        Opt::value(&["--propagation"]),
        Opt::value(&["--setgroups"]),
        Opt::flag(&["--keep-caps"]),
        Opt::value(&["-R", "--root"]),
        Opt::value(&["-w", "--wd"]),
        Opt::value(&["-S", "--setuid"]),
        Opt::value(&["-G", "--setgid"]),
        Opt::value(&["--monotonic"]),
        Opt::value(&["--boottime"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-V", "--version"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `nsenter`.
static NSENTER: Grammar = Grammar {
    options: &[
        Opt::flag(&["-a", "--all"]),
        Opt::value(&["-t", "--target"]),
        Opt::attached(&["-m", "--mount"]),
        Opt::attached(&["-u", "--uts"]),
        Opt::attached(&["-i", "--ipc"]),
        Opt::attached(&["-n", "--net"]),
        Opt::attached(&["-p", "--pid"]),
        Opt::attached(&["-U", "--user"]),
        Opt::attached(&["-C", "--cgroup"]),
        Opt::attached(&["-T", "--time"]),
        Opt::attached(&["-r", "--root"]),
        Opt::attached(&["-w", "--wd"]),
        Opt::attached(&["-W", "--wdns"]),
        Opt::value(&["-S", "--setuid"]),
        Opt::value(&["-G", "--setgid"]),
        Opt::flag(&["--preserve-credentials"]),
        Opt::flag(&["-e", "--env"]),
        Opt::flag(&["-F", "--no-fork"]),
        Opt::flag(&["-Z", "--follow-context"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-V", "--version"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};
