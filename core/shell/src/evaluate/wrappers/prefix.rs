//! Wrappers whose operands are a command: `nice`, `timeout 5`, `nohup`, `strace`.
//!
//! They change how the command runs, and not what it does. Those that write a file of their own
//! (`strace -o`) record that as an effect.

use super::{Wrapper, WrapperCall};
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::value::Value;

/// A grammar whose options end with the first operand.
macro_rules! options {
    ($($kind:ident $spellings:expr),* $(,)?) => {
        &Grammar {
            options: &[$(Opt::$kind(&$spellings)),*],
            style: Style::Posix,
            subcommands: &[],
        }
    };
}
pub(super) use options;

/// The option that shows a help text.
pub(super) const HELP: [&str; 1] = ["--help"];

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &[
            "nohup", "eatmydata", "catchsegv", "command", "dbus-run-session", "unbuffer",
            "fakeroot-sysv",
        ],
        grammar: options![flag HELP, flag ["--version"], flag ["-p"]],
        run: command,
    },
    Wrapper {
        names: &["ssh-agent"],
        grammar: options![
            flag["-c"], flag["-s"], flag["-k"], flag["-d"], flag["-D"], flag["-T"], flag["-u"],
            flag["-U"], value["-a"], value["-E"], value["-O"], value["-P"], value["-t"]
        ],
        run: command,
    },
    Wrapper {
        names: &["setsid"],
        grammar: options![flag ["-c", "--ctty"], flag ["-f", "--fork"], flag ["-w", "--wait"], flag ["-h", "--help"], flag ["-V", "--version"]],
        run: command,
    },
    Wrapper {
        names: &["nice"],
        grammar: options![value ["-n", "--adjustment"], attached ["-#"], flag HELP, flag ["--version"]],
        run: command,
    },
    Wrapper {
        names: &["ionice"],
        grammar: options![value ["-c", "--class"], value ["-n", "--classdata"], value ["-p", "--pid"], value ["-P", "--pgid"], value ["-u", "--uid"], flag ["-t", "--ignore"], flag ["-h", "--help"], flag ["-V", "--version"]],
        run: command,
    },
    Wrapper {
        names: &["chrt"],
        grammar: options![flag ["-b", "--batch"], flag ["-d", "--deadline"], flag ["-f", "--fifo"], flag ["-i", "--idle"], flag ["-o", "--other"], flag ["-r", "--rr"], flag ["-R", "--reset-on-fork"], flag ["-a", "--all-tasks"], flag ["-m", "--max"], flag ["-v", "--verbose"], value ["-T", "--sched-runtime"], value ["-P", "--sched-period"], value ["-D", "--sched-deadline"], value ["-p", "--pid"], flag ["-h", "--help"]],
        run: second,
    },
    Wrapper {
        names: &["taskset"],
        grammar: options![flag ["-a", "--all-tasks"], flag ["-c", "--cpu-list"], flag ["-p", "--pid"], flag ["-h", "--help"], flag ["-V", "--version"]],
        run: second,
    },
    Wrapper {
        names: &["timeout", "gtimeout"],
        grammar: options![value ["-s", "--signal"], value ["-k", "--kill-after"], flag ["--preserve-status"], flag ["--foreground"], flag ["-f"], flag ["-p"], flag ["-v", "--verbose"], flag HELP, flag ["--version"]],
        run: limited,
    },
    Wrapper {
        names: &["time", "gtime"],
        grammar: options![flag ["-p", "--portability"], flag ["-v", "--verbose"], flag ["-q", "--quiet"], flag ["-a", "--append"], flag ["-l"], flag ["-h"], value ["-o", "--output"], value ["-f", "--format"], flag HELP, flag ["-V", "--version"]],
        run: traced,
    },
    Wrapper {
        names: &["stdbuf", "gstdbuf"],
        grammar: options![value ["-i", "--input"], value ["-o", "--output"], value ["-e", "--error"], flag HELP, flag ["--version"]],
        run: command,
    },
    Wrapper {
        names: &["setarch", "linux32", "linux64", "i386", "x86_64", "uname26", "personality"],
        grammar: options![flag ["-B", "--32bit"], flag ["-F", "--fdpic-funcptrs"], flag ["-I", "--short-inode"], flag ["-L", "--addr-compat-layout"], flag ["-R", "--addr-no-randomize"], flag ["-S", "--whole-seconds"], flag ["-T", "--sticky-timeouts"], flag ["-X", "--read-implies-exec"], flag ["-Z", "--mmap-page-zero"], flag ["-3", "--3gb"], flag ["--4gb"], flag ["--uname-2.6"], flag ["-v", "--verbose"], flag ["--list"], flag ["-h", "--help"]],
        run: architecture,
    },
    Wrapper {
        names: &["arch"],
        grammar: options![
            flag["-arm64"], flag["-x86_64"], flag["-i386"], value["-arch"], flag["-c"]
        ],
        run: command,
    },
    Wrapper {
        names: &["numactl"],
        grammar: options![value ["-i", "--interleave"], value ["-m", "--membind"], value ["-N", "--cpunodebind"], value ["-C", "--physcpubind"], value ["-p", "--preferred"], flag ["-l", "--localalloc"], flag ["-b", "--balancing"], flag ["-s", "--show"], flag ["-H", "--hardware"], flag ["-a", "--all"]],
        run: command,
    },
    Wrapper {
        names: &["cpulimit"],
        grammar: options![value ["-l", "--limit"], value ["-p", "--pid"], value ["-e", "--exe"], flag ["-z", "--lazy"], flag ["-i", "--include-children"], flag ["-f", "--foreground"], flag ["-b", "--background"], flag ["-q", "--quiet"], flag ["-v", "--verbose"], flag ["-k", "--kill"]],
        run: command,
    },
    Wrapper {
        names: &["prlimit"],
        grammar: options![value ["-p", "--pid"], value ["-o", "--output"], flag ["--noheadings"], flag ["--raw"], flag ["--verbose"], attached ["-c", "--core"], attached ["-d", "--data"], attached ["-e", "--nice"], attached ["-f", "--fsize"], attached ["-i", "--sigpending"], attached ["-l", "--memlock"], attached ["-m", "--rss"], attached ["-n", "--nofile"], attached ["-q", "--msgqueue"], attached ["-r", "--rtprio"], attached ["-s", "--stack"], attached ["-t", "--cpu"], attached ["-u", "--nproc"], attached ["-v", "--as"], attached ["-x", "--locks"], attached ["-y", "--rttime"], flag ["-h", "--help"]],
        run: command,
    },
    Wrapper {
        names: &["choom"],
        grammar: options![value ["-n", "--adjust"], value ["-p", "--pid"], flag ["-h", "--help"]],
        run: command,
    },
    Wrapper { names: &["strace"], grammar: &STRACE, run: traced },
    Wrapper { names: &["ltrace"], grammar: &LTRACE, run: traced },
    Wrapper { names: &["perf"], grammar: &PERF, run: traced },
    Wrapper { names: &["valgrind"], grammar: &VALGRIND, run: checked },
    Wrapper {
        names: &[
            "rlwrap", "rfwrap", "socksify", "tsocks", "torsocks", "torify", "proxychains",
            "proxychains4",
        ],
        grammar: options![flag ["-q", "--quiet"], flag ["-i", "--isolate"], flag ["-d"], value ["-f"], flag ["-a"], flag ["-c"], value ["-H"], value ["-C"], flag ["-r"], flag ["-A"], flag ["-n"], value ["-P"], value ["-S"], value ["-s"], value ["-p"]],
        run: command,
    },
    Wrapper {
        names: &["fakeroot", "fakechroot", "pseudo"],
        grammar: options![value ["-l", "--lib"], value ["-f", "--faked"], value ["-i"], value ["-s"], flag ["-u", "--unknown-is-real"], value ["-b"], flag ["-v", "--version"], flag ["-h", "--help"]],
        run: command,
    },
    Wrapper {
        names: &["xvfb-run", "wl-run", "dbus-launch"],
        grammar: options![flag ["-a", "--auto-servernum"], value ["-e", "--error-file"], value ["-f", "--auth-file"], flag ["-l", "--listen-tcp"], value ["-n", "--server-num"], value ["-p", "--xauth-protocol"], value ["-s", "--server-args"], flag ["--exit-with-session"], flag ["-h", "--help"]],
        run: displayed,
    },
    Wrapper {
        names: &["caffeinate"],
        grammar: options![
            flag["-d"], flag["-i"], flag["-m"], flag["-s"], flag["-u"], value["-t"], value["-w"]
        ],
        run: command,
    },
    Wrapper {
        names: &["sandbox-exec"],
        grammar: options![value["-f"], value["-n"], value["-p"], value["-D"]],
        run: command,
    },
    Wrapper {
        names: &["firejail"],
        grammar: options![
            flag["--noprofile"], flag["--private"], flag["--quiet"], flag["--net"],
            flag["--seccomp"], attached["--profile"], attached["--whitelist"],
            attached["--blacklist"]
        ],
        run: command,
    },
    Wrapper {
        names: &["chronic", "softlimit", "chpst"],
        grammar: options![
            flag["-v"], flag["-e"], value["-u"], value["-m"], value["-o"], value["-l"], value["-/"]
        ],
        run: command,
    },
    Wrapper {
        names: &["envdir", "envuidgid", "setuidgid", "setlock"],
        grammar: options![flag["-n"], flag["-N"], flag["-x"], flag["-X"]],
        run: second,
    },
    Wrapper {
        names: &["ld-linux*", "ld-musl*", "ld.so", "ld64.so*"],
        grammar: options![flag ["--list"], flag ["--verify"], flag ["--inhibit-cache"], value ["--library-path"], value ["--inhibit-rpath"], value ["--audit"], value ["--preload"], value ["--argv0"], flag HELP],
        run: command,
    },
    Wrapper { names: &["start-stop-daemon"], grammar: &DAEMON, run: daemon },
    Wrapper { names: &["bwrap", "bubblewrap"], grammar: &BWRAP, run: command },
    Wrapper {
        names: &["flock"],
        grammar: options![flag ["-s", "--shared"], flag ["-x", "-e", "--exclusive"], flag ["-u", "--unlock"], flag ["-n", "--nb", "--nonblock"], value ["-w", "--wait", "--timeout"], value ["-E", "--conflict-exit-code"], flag ["-o", "--close"], flag ["-F", "--no-fork"], flag ["--verbose"], flag ["-h", "--help"], flag ["-V", "--version"]],
        run: flock,
    },
];

/// The operands are the command.
pub(super) fn command(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.run(&parsed.operands);
}

/// A command whose times or calls are written to a file. What begins with a bar is a command that
/// reads them.
fn traced(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    match parsed.value("-o").map(|output| (output, output.value.prefix())) {
        Some((_, text)) if text.starts_with(['|', '!']) && wrapper.name != "time" => {
            let text = Value::known(&text[1..]);
            let what = format!("`-o` of `{}`", wrapper.name);
            wrapper.effect(Effect::Code { from: CodeFrom::Setting(what) });
            wrapper.script(&text, &[]);
        }
        output => wrapper.file(Access::Write, output.map(|(output, _)| output)),
    }
    if matches!(wrapper.name, "strace" | "ltrace") {
        // `-F` names settings to one of them, and nothing to the other.
        if ["-u", "-F", "-E"].iter().any(|option| parsed.value(option).is_some()) {
            let why = format!("`{}` changes the surroundings of what it runs", wrapper.name);
            wrapper.dynamic(why);
        }
    }
    command(wrapper, parsed);
}

/// A command whose memory is looked at. `%p` and the like stand for a part of a name.
fn checked(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    for option in VALGRIND_WRITES {
        wrapper.file(Access::Write, parsed.value(option));
    }
    wrapper.file(Access::Read, parsed.value("--suppressions"));
    let is_name =
        |tool: &Argument| tool.value.as_known().is_some_and(|tool| !tool.contains(['/', '.']));
    if parsed.value("--tool").is_some_and(|tool| !is_name(tool)) {
        wrapper.dynamic("the tool of `valgrind` is not known".to_owned());
    }
    command(wrapper, parsed);
}

/// A command with a display of its own.
fn displayed(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    for option in ["-e", "-f"] {
        wrapper.file(Access::Write, parsed.value(option));
    }
    let is_plain =
        |words: &Argument| words.value.as_known().is_some_and(|words| !words.contains('/'));
    if parsed.value("-s").is_some_and(|words| !is_plain(words)) {
        wrapper.dynamic("what the display is told is not known".to_owned());
    }
    command(wrapper, parsed);
}

/// The command stands behind one operand: a duration, a mask.
pub(super) fn second(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.run(parsed.operands.get(1..).unwrap_or_default());
}

/// A command that is stopped after some time.
fn limited(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let before = wrapper.interpreter.sinks_so_far();
    second(wrapper, parsed);
    wrapper.interpreter.stopped_since(before);
}

/// `setarch x86_64 -R command`: `setarch` has the name of an architecture first.
fn architecture(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if wrapper.name != "setarch" {
        return command(wrapper, parsed);
    }
    let rest = parsed.operands.get(1..).unwrap_or_default();
    let options = rest.iter().take_while(|word| word.value.prefix().starts_with('-')).count();
    wrapper.run(&rest[options..]);
}

/// `flock file command`, `flock file -c text`
fn flock(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let is_number = |file: &&Argument| file.value.prefix().parse::<u32>().is_ok();
    wrapper.file(Access::Write, parsed.operands.first().filter(|file| !is_number(file)));
    match parsed.operands.get(1..).unwrap_or_default() {
        [option, text, ..] if matches!(option.value.as_known(), Some("-c" | "--command")) => {
            wrapper.script(&text.value, &[]);
        }
        rest => wrapper.run(rest),
    }
}

/// Evaluates what `start-stop-daemon` runs.
fn daemon(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let program = parsed.value("--exec").or_else(|| parsed.value("--startas"));
    if let Some(program) = program {
        let words: Vec<_> =
            std::iter::once(program.clone()).chain(parsed.operands.iter().cloned()).collect();
        wrapper.run(&words);
    }
}

/// The options of `perf`.
static PERF: Grammar = Grammar {
    options: &[],
    style: Style::Posix,
    subcommands: &[("stat", PERF_RUN), ("record", PERF_RUN), ("trace", PERF_RUN)],
};

/// The options of `perf stat`, `perf record` and `perf trace`.
const PERF_RUN: &Grammar = options![
    value ["-e", "--event"], value ["-o", "--output"], value ["-F", "--freq"], value ["-c", "--count"],
    value ["-p", "--pid"], value ["-r", "--repeat"], flag ["-g"], flag ["-a", "--all-cpus"],
    flag ["-d", "--detailed"], flag ["-v", "--verbose"], flag ["-q", "--quiet"], flag ["-s"],
    value ["--call-graph"], flag ["-B"], value ["-x"], flag ["-i"],
];

/// Files that `valgrind` writes.
const VALGRIND_WRITES: &[&str] = &[
    "--log-file", "--xml-file", "--callgrind-out-file", "--cachegrind-out-file",
    "--massif-out-file", "--dhat-out-file",
];

/// The options of `valgrind`.
static VALGRIND: Grammar = Grammar::of(
    Style::Posix,
    &[Opt::list(
        "-v --verbose, -q --quiet, -d, -h, --tool[=], --leak-check[=], --error-exitcode[=], --log-file[=], --xml-file[=], --suppressions[=], --track-origins[=], --show-leak-kinds[=], --trace-children[=], --num-callers[=], \
         --xml[=], --callgrind-out-file[=], --cachegrind-out-file[=], --massif-out-file[=], --dhat-out-file[=], --show-reachable[=], --gen-suppressions[=], --track-fds[=], --main-stacksize[=], --error-limit[=], \
         --errors-for-leak-kinds[=], --fair-sched[=], --time-stamp[=], --read-var-info[=], --keep-stacktraces[=], --undef-value-errors[=], --dump-instr[=], --collect-jumps[=], --cache-sim[=], --branch-sim[=], \
         --instr-atstart[=], --time-unit[=], --stacks[=], --child-silent-after-fork[=], --exit-on-first-error[=]",
    )],
);

/// The options of `strace`.
static STRACE: Grammar = Grammar::of(
    Style::Posix,
    &[Opt::list(
        "-f --follow-forks[=], -ff, -c --summary-only, -C --summary, -q --quiet[=], -d --debug, -D --daemonize[=], -F, -h, -i --instruction-pointer, -k --stack-trace[=], -n --syscall-number, -r --relative-timestamps[=], \
         -t --absolute-timestamps[=], -T --syscall-times[=], -v --no-abbrev, -V, -w --summary-wall-clock, -x --strings-in-hex[=], -y --decode-fds[=], -Y --decode-pids=, -z --successful-only, -Z --failed-only, -A --output-append-mode, \
         -N --arg-names, -a --columns=, -b --detach-on=, -e --trace --expr=, -E --env=, -I --interruptible=, -o --output=, -O --summary-syscall-overhead=, -p --attach=, -P --trace-path=, -s --string-limit=, -S --summary-sort-by=, \
         -u --user=, -U --summary-columns=, -X --const-print-style=, --seccomp-bpf, --kill-on-exit, --output-separately, --status=, --signal=, --inject=, --fault=, --abbrev=, --raw=, --verbose=, --read=, --write=, --secontext[=], --tips[=], --argv0=",
    )],
);

/// The options of `ltrace`.
static LTRACE: Grammar = Grammar::of(
    Style::Posix,
    &[Opt::list(
        "-f, -b --no-signals, -c, -C --demangle, -h, -i, -L, -r, -S, -t, -T, -V, -a --align=, -A=, -D --debug=, -e=, -F --config=, -l --library=, -n --indent=, -o --output=, -p=, -s=, -u=, -w --where=, -x=",
    )],
);

/// The options of `start-stop-daemon`.
static DAEMON: Grammar = Grammar {
    options: &[
        Opt::flag(&["-S", "--start"]),
        Opt::flag(&["-K", "--stop"]),
        Opt::flag(&["-T", "--status"]),
        Opt::value(&["--exec", "-x"]),
        Opt::value(&["--startas", "-a"]),
        Opt::value(&["-p", "--pidfile"]),
        Opt::value(&["-u", "--user"]),
        Opt::value(&["-g", "--group"]),
        Opt::value(&["-n", "--name"]),
        Opt::value(&["-s", "--signal"]),
        Opt::value(&["-R", "--retry"]),
        Opt::value(&["-c", "--chuid"]),
        Opt::value(&["-r", "--chroot"]),
        Opt::value(&["-d", "--chdir"]),
        Opt::value(&["-N", "--nicelevel"]),
        Opt::value(&["-P", "--procsched"]),
        Opt::value(&["-I", "--iosched"]),
        Opt::value(&["-k", "--umask"]),
        Opt::value(&["-O", "--output"]),
        Opt::flag(&["-b", "--background"]),
        Opt::flag(&["-C", "--no-close"]),
        Opt::flag(&["-m", "--make-pidfile"]),
        Opt::flag(&["-q", "--quiet"]),
        Opt::flag(&["-o", "--oknodo"]),
        Opt::flag(&["-t", "--test"]),
        Opt::flag(&["-v", "--verbose"]),
        Opt::flag(&["--remove-pidfile"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// The options of `bwrap`.
static BWRAP: Grammar = Grammar {
    options: &[
        Opt::list(
            "--bind==, --bind-try==, --dev-bind==, --dev-bind-try==, --ro-bind==, --ro-bind-try==, \
             --setenv==, --symlink==, --chmod==",
        ),
        Opt::flag(&["--unshare-all"]),
        Opt::flag(&["--unshare-user"]),
        Opt::flag(&["--unshare-ipc"]),
        Opt::flag(&["--unshare-pid"]),
        Opt::flag(&["--unshare-net"]),
        Opt::flag(&["--unshare-uts"]),
        Opt::flag(&["--unshare-cgroup"]),
        Opt::flag(&["--share-net"]),
        Opt::flag(&["--die-with-parent"]),
        Opt::flag(&["--new-session"]),
        Opt::flag(&["--clearenv"]),
        Opt::value(&["--chdir"]),
        Opt::value(&["--proc"]),
        Opt::value(&["--dev"]),
        Opt::value(&["--tmpfs"]),
        Opt::value(&["--dir"]),
        Opt::value(&["--hostname"]),
        Opt::value(&["--uid"]),
        Opt::value(&["--gid"]),
        Opt::value(&["--unsetenv"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};
