//! Programs that end processes, turn the machine off, and manage services and schedules.

use super::kinds::{WORDS, behind, changes_system, ex, gnu, list, model, reads};
use crate::effect::{Access, CodeFrom, Effect, Persistence, SystemChange};
use crate::invocation::Argument;
use crate::model::{Model, Parsed, Report};
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["kill", "gkill"],
        &WORDS,
        kill,
        &[
            ex("kill 1234", &["kill"]),
            ex("kill -s 9 -1", &["kill:all"]),
            ex("kill -9 -- -5", &["kill:all"]),
            ex("kill -l", &[]),
            ex("kill -0 1234", &[]),
        ],
    ),
    model(
        &["pkill killall skill snice xkill killall5 taskkill tskill Stop-Process"],
        &WORDS,
        |report, parsed| {
            let mut words =
                parsed.operands.iter().filter(|word| !word.value.prefix().starts_with(['-', '/']));
            let what = words.next_back().map_or(Value::known(""), |word| word.value.clone());
            report.add(Effect::Kill { all: true, what });
        },
        &[ex("pkill -f gateway", &["kill:all"]), ex("killall node", &["kill:all"])],
    ),
    model(
        &["fuser"],
        &gnu(&[list(
            "-a --all, -c -m --mount, -f, -i --interactive, -I --inode, -k --kill, -l --list-signals, -M --ismountpoint, -n --namespace=, -s --silent, -u --user, -v --verbose, -w --writeonly, -V, -4 --ipv4, -6 --ipv6, -KILL, -TERM, -#[=]",
        )]),
        |report, parsed| {
            if parsed.has("-k") {
                let what =
                    parsed.operands.first().map_or(Value::known(""), |word| word.value.clone());
                report.add(Effect::Kill { all: true, what });
            }
        },
        &[ex("fuser -k 8080/tcp", &["kill:all"]), ex("fuser -v 8080/tcp", &[])],
    ),
    model(
        &["renice", "schedtool"],
        &WORDS,
        changes_system,
        &[ex("renice -n 5 -p 1234", &["system:other"])],
    ),
    model(
        &["shutdown reboot halt poweroff pm-suspend pm-hibernate kexec systemsetup"],
        &WORDS,
        |report, parsed| {
            let cancels = parsed.operands.iter().any(|word| {
                matches!(word.value.as_known(), Some("-c" | "--help" | "-?" | "--version"))
            });
            if !cancels {
                report.add(Effect::System(SystemChange::Power));
            }
        },
        &[
            ex("shutdown -h now", &["system:power"]),
            ex("reboot", &["system:power"]),
            ex("kexec -e", &["system:power"]),
        ],
    ),
    model(
        &["init", "telinit"],
        &WORDS,
        |report, parsed| {
            let levels = ["0", "6", "1", "s", "S", "emergency"];
            let level = parsed.operands.first().map(|level| &level.value);
            match level {
                Some(Value::Known(level)) if levels[..2].contains(&&**level) => {
                    report.add(Effect::System(SystemChange::Power))
                }
                Some(Value::Known(_)) => report.add(Effect::System(SystemChange::Service)),
                Some(_) => report.add(Effect::System(SystemChange::Power)),
                None => {}
            }
        },
        &[
            ex("init 0", &["system:power"]),
            ex("init 3", &["system:service"]),
            ex("telinit $x", &["system:power"]),
        ],
    ),
    model(
        &["systemctl"],
        &gnu(&[list(
            "-t --type=, --state=, -p --property=, -P=, -a --all, -r --recursive, --reverse, --with-dependencies, -l --full, --value, --show-types, --job-mode=, -T --show-transaction, --fail, --check-inhibitors=, -i --ignore-inhibitors, --dry-run, \
             -q --quiet, --no-warn, --no-block, --wait, --user, --system, --failed, --no-wall, --global, --no-reload, --no-legend, --no-pager, --no-ask-password, --kill-whom=, --kill-who=, --kill-value=, -s --signal=, --what=, -f --force, --message=, \
             --now, --runtime, --preset-mode=, --root=, --image=, -n --lines=, -o --output=, --firmware-setup, --boot-loader-menu=, --boot-loader-entry=, --reboot-argument=, --plain, --timestamp=, --read-only, --mkdir, --marked, --drop-in=, --when=, -H --host=, -M --machine=, -h, --legend=",
        )]),
        systemctl,
        &[
            ex("systemctl status", &[]),
            ex("systemctl --user list-units --no-pager", &[]),
            ex("systemctl start nginx", &["system:service"]),
            ex("systemctl reboot", &["system:power"]),
            ex("systemctl enable --now evil.service", &["persistence:service", "system:service"]),
            ex("systemctl edit x", &["unmodelled"]),
        ],
    ),
    model(
        &["service rc-service invoke-rc.d initctl sv svc s6-svc runit supervisorctl"],
        &WORDS,
        |report, parsed| {
            let shows = parsed.operands.last().is_some_and(|word| {
                matches!(word.value.as_known(), Some("status" | "--status-all" | "list"))
            });
            if !shows {
                report.add(Effect::System(SystemChange::Service));
            }
        },
        &[ex("service nginx restart", &["system:service"]), ex("service nginx status", &[])],
    ),
    model(
        &["update-rc.d chkconfig rc-update launchd nssm schtasks sc.exe"],
        &WORDS,
        |report, _| report.add(Effect::Persistence(Persistence::Service)),
        &[ex("update-rc.d evil defaults", &["persistence:service"])],
    ),
    model(
        &["crontab"],
        &gnu(&[list("-u=, -e, -l, -r, -i, -s, -n, -T=, -V, -x=, -c, -h")]),
        |report, parsed| {
            if !parsed.has("-l") && !parsed.has("-V") {
                report.add(Effect::Persistence(Persistence::Schedule));
                reads(report, parsed);
            }
        },
        &[
            ex("crontab -l", &[]),
            ex("crontab -", &["persistence:schedule"]),
            ex("crontab -r", &["persistence:schedule"]),
        ],
    ),
    model(
        &["at", "batch", "atrm", "atq"],
        &WORDS,
        |report, _| {
            if report.name() == "atrm" {
                report.add(Effect::System(SystemChange::Other));
            }
        },
        &[ex("atq", &[]), ex("echo ls | at now + 1 minute", &["persistence:schedule"])],
    ),
    model(
        &["hwclock ntpdate chronyc ntpd rdate adjtimex sntp"],
        &WORDS,
        |report, _| report.add(Effect::System(SystemChange::Clock)),
        &[ex("hwclock -w", &["system:clock"])],
    ),
    model(
        &["timedatectl hostnamectl localectl loginctl networkctl busctl bootctl \
             systemd-analyze systemd-cgls systemd-cgtop portablectl homectl userdbctl"],
        &gnu(&[list(
            "-h, --no-pager, --no-legend, --no-ask-password, -l --full, -a --all, -n --lines=, -o --output=, --json=, -j, \
             -p --property=, -P=, --value, -q --quiet, --user, --system, --global, -s --signal=, --kill-whom=, \
             --static, --transient, --pretty, --adjust-system-clock, --monitor, --stats, -r --reverse, --fuzz=, --man[=], \
             --since=, --until=, --from-pattern=, --to-pattern=, --order, --require, --iterations=, --base-time=, --no-hostname, \
             --unique, --acquired, --activatable, --list, --verbose, --expect-reply=, --timeout=, --size=",
        )]),
        controls,
        &[
            ex("timedatectl", &[]),
            ex("timedatectl set-time 12:00", &["system:other"]),
            ex("loginctl list-sessions", &[]),
            ex("loginctl poweroff", &["system:power"]),
            ex("loginctl enable-linger me", &["persistence:service"]),
            ex("busctl --address=unixexec:path=/tmp/x list", &["unmodelled"]),
        ],
    ),
    model(
        &["coredumpctl"],
        &gnu(&[list(
            "-h, --no-pager, --no-legend, --json=, --debugger=!, -A --debugger-arguments=, -1, -n=, -S --since=, \
             -U --until=, -r --reverse, -F --field=, -o --output=>, -D --directory=<, --file=<, -q --quiet, --all",
        )]),
        |report, parsed| {
            let command = parsed.operands.first().map(|word| word.value.as_known());
            if !matches!(command, None | Some(Some("list" | "info" | "dump"))) {
                report.not_understood("it hands the program to a debugger");
            }
        },
        &[
            ex("coredumpctl list", &[]),
            ex("coredumpctl dump -o ~/.bashrc 123", &["write:startup"]),
            ex("coredumpctl gdb", &["unmodelled"]),
        ],
    ),
    model(
        &["dbus-send gdbus qdbus dbus-monitor xdotool ydotool wmctrl xset gsettings dconf \
             xrandr wtype"],
        &WORDS,
        |report, parsed| {
            let words: Vec<&str> = parsed.operands.iter().map(|word| word.value.prefix()).collect();
            let power = ["Reboot", "PowerOff", "Suspend", "Hibernate", "Halt"];
            if words.iter().any(|word| power.iter().any(|name| word.ends_with(name))) {
                report.add(Effect::System(SystemChange::Power));
            } else {
                report.not_understood("it tells other programs what to do");
            }
        },
        &[ex(
            "dbus-send --system --dest=org.freedesktop.login1 /org/freedesktop/login1 org.freedesktop.login1.Manager.Reboot boolean:false",
            &["system:power"],
        )],
    ),
    model(
        &["gdb lldb ptrace reptyr frida radare2 r2 rizin cutter pwndbg gdbserver lldb-server \
             jdb pdb"],
        &WORDS,
        |report, _| report.add(Effect::Code { from: CodeFrom::Inline(report.name().to_owned()) }),
        &[ex("gdb -batch -ex '!id' x", &["code:inline:gdb"])],
    ),
    model(
        &["strace ltrace perf valgrind dtruss dtrace ktrace"],
        &WORDS,
        |report, parsed| {
            if parsed
                .operands
                .iter()
                .any(|word| matches!(word.value.as_known(), Some("-p" | "--attach" | "--pid")))
            {
                report.add(Effect::Secret { kind: "memory of a process".to_owned(), path: None });
            }
            if report.name() == "perf" {
                perf(report, parsed);
            }
            // `-o '|command'` and `-o '!command'` run a command.
            for (at, word) in parsed.operands.iter().enumerate() {
                let next = parsed.operands.get(at + 1);
                let attached = behind(word, "-o").filter(|rest| rest.value.as_known() != Some(""));
                let output = if word.value.as_known() == Some("-o")
                    || word.value.as_known() == Some("--output")
                {
                    next.cloned()
                } else {
                    attached.or_else(|| behind(word, "--output="))
                };
                let Some(output) = output else { continue };
                if output.value.prefix().starts_with(['|', '!']) {
                    let setting = format!("`-o` of `{}`", report.name());
                    report.add(Effect::Code { from: CodeFrom::Setting(setting) });
                } else {
                    report.writes(&output);
                }
            }
        },
        &[
            ex("strace -o '|sh -c id' ls", &["code:setting"]),
            ex("strace -f -o out.txt ls", &["write:workspace"]),
            ex("strace -A -o ls ./a", &["code:file", "execute:workspace", "write:workspace"]),
            ex("valgrind --log-file=/home/user/.bashrc ls", &["write:startup"]),
            ex("perf stat -o /etc/x ls", &["write:system"]),
            ex("perf report --objdump=./x", &["unmodelled"]),
        ],
    ),
    model(
        &["history"],
        &WORDS,
        |report, parsed| {
            if parsed.operands.iter().any(|word| word.value.prefix().starts_with('-')) {
                report.add(Effect::History);
            }
        },
        &[ex("history | grep x", &[])],
    ),
];

/// What `perf stat`, `record` and `trace` run was looked into; the others may run scripts and tools.
fn perf(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words: Vec<&str> = parsed.operands.iter().map(|word| word.value.prefix()).collect();
    let is_plain = |word: &&str| {
        ["-i", "--stdio", "-g", "-n", "--no-children", "perf.data"].contains(word)
            || !word.starts_with('-') && !word.contains('/')
    };
    match words.split_first() {
        Some((&("stat" | "trace" | "list" | "version" | "--version"), _)) => {}
        Some((&"record", _)) => report.path(Access::Write, "perf.data"),
        Some((&("report" | "annotate"), rest)) if rest.iter().all(is_plain) => {}
        _ => report.not_understood("its command, or an option of it, is not known"),
    }
}

/// The effects of `kill`.
fn kill(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut words = parsed.operands.iter().peekable();
    let mut signal: Option<&str> = None;
    let mut targets: Vec<&Argument> = Vec::new();
    while let Some(word) = words.next() {
        match word.value.as_known() {
            Some("-l" | "-L" | "--list" | "--table" | "-V" | "--version" | "-h" | "--help")
                if signal.is_none() && targets.is_empty() =>
            {
                return;
            }
            Some("-s" | "-n" | "--signal" | "-q") => {
                signal = words.next().and_then(|word| word.value.as_known()).or(Some("?"))
            }
            Some("--") => targets.extend(words.by_ref()),
            Some(text) if text.starts_with("--signal=") => signal = Some(&text[9..]),
            Some(text) if text.starts_with('-') && signal.is_none() && targets.is_empty() => {
                signal = Some(&text[1..])
            }
            _ => targets.push(word),
        }
    }
    // Signal 0 only asks.
    if signal == Some("0") {
        return;
    }
    for target in targets {
        let all = match &target.value {
            Value::Known(text) => text.starts_with('-') || text == "0",
            _ => false,
        };
        report.at(Effect::Kill { all, what: target.value.clone() }, target.span.clone());
    }
}

/// The effects of `systemctl`.
#[expect(clippy::too_many_lines, reason = "a table of commands, as a match")]
fn systemctl(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    /// Commands of `systemctl` that only show.
    const SHOW: &[&str] = &[
        "status", "show", "cat", "help", "list-units", "list-unit-files", "list-timers",
        "list-sockets", "list-dependencies", "list-jobs", "list-machines", "list-automounts",
        "list-paths", "is-active", "is-enabled", "is-failed", "is-system-running", "get-default",
        "show-environment", "whoami",
    ];
    /// Commands of `systemctl` that stop or restart the machine.
    const POWER: &[&str] = &[
        "reboot", "poweroff", "halt", "suspend", "hibernate", "hybrid-sleep",
        "suspend-then-hibernate", "kexec", "soft-reboot", "rescue", "emergency", "exit", "sleep",
        "switch-root", "default",
    ];
    /// Commands of `systemctl` that make something start by itself.
    const ENABLE: &[&str] = &[
        "enable", "reenable", "link", "preset", "preset-all", "add-wants", "add-requires",
        "set-default", "unmask",
    ];
    /// Commands of `systemctl` that start, stop or change what runs now.
    const RUN: &[&str] = &[
        "start", "stop", "restart", "reload", "try-restart", "reload-or-restart", "kill",
        "daemon-reload", "daemon-reexec", "reset-failed", "disable", "mask", "clean", "freeze",
        "thaw", "set-property", "cancel", "try-reload-or-restart", "condrestart", "force-reload",
    ];
    let Some(command) = parsed.operands.first() else { return };
    match command.value.as_known() {
        Some(name) if SHOW.contains(&name) => {}
        Some(name) if POWER.contains(&name) => report.add(Effect::System(SystemChange::Power)),
        Some("isolate") => {
            let power = [
                "reboot", "poweroff", "halt", "rescue", "emergency", "runlevel0", "runlevel6",
                "shutdown",
            ];
            let is_power = parsed
                .operands
                .iter()
                .any(|unit| power.iter().any(|name| unit.value.prefix().starts_with(name)));
            report.add(Effect::System(if is_power {
                SystemChange::Power
            } else {
                SystemChange::Service
            }));
        }
        Some(name) if ENABLE.contains(&name) => {
            report.add(Effect::Persistence(Persistence::Service));
            if parsed.has("--now") {
                report.add(Effect::System(SystemChange::Service));
            }
        }
        Some(name) if RUN.contains(&name) => {
            let power = [
                "reboot.target", "poweroff.target", "halt.target", "shutdown.target",
                "rescue.target", "emergency.target", "kexec.target", "suspend.target",
                "hibernate.target", "ctrl-alt-del.target",
            ];
            let is_power = parsed
                .operands
                .iter()
                .any(|unit| unit.value.as_known().is_some_and(|unit| power.contains(&unit)));
            report.add(Effect::System(if is_power && name.contains("start") {
                SystemChange::Power
            } else {
                SystemChange::Service
            }));
        }
        Some("set-environment" | "import-environment" | "unset-environment") => {
            report.add(Effect::System(SystemChange::Service))
        }
        _ => report.not_understood("its command is not known"),
    }
}

/// The effects of the other programs of systemd, which show or change by the first word:
/// `loginctl`, `timedatectl`.
fn controls(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let mut commands = parsed.operands.iter().filter(|word| !word.value.prefix().starts_with('-'));
    let Some(command) = commands.next() else { return };
    let Some(name) = command.value.as_known() else {
        return report.not_understood("its command is not known");
    };
    let shows = [
        "status", "show", "list", "user-status", "session-status", "seat-status",
        "timesync-status", "blame", "critical-chain", "time", "plot", "dot", "verify", "info",
        "tree", "introspect", "monitor", "get", "calendar", "timespan", "timestamp", "unit-paths",
        "is-", "dump", "security", "cat-config", "lldp", "user", "group", "services",
    ];
    let power = ["poweroff", "reboot", "suspend", "hibernate", "halt", "hybrid-sleep"];
    if power.contains(&name) {
        report.add(Effect::System(SystemChange::Power));
    } else if name.ends_with("-linger") {
        report.add(Effect::Persistence(Persistence::Service));
    } else if name == "call" || name == "debug" || name == "gdb" {
        report.not_understood("it tells another program what to do");
    } else if !shows.iter().any(|start| name.starts_with(start))
        && !["systemd-cgls", "systemd-cgtop"].contains(&report.name())
    {
        report.add(Effect::System(SystemChange::Other));
    }
}
