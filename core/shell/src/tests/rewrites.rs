//! Other ways to write what a text does: all that it did, it still does.

use super::Dice;
use super::shapes::{
    base64, behind_backslashes, between_quotes, in_ansi_quotes, in_octal, quoted, same_path,
    split_by_quotes,
};
use super::written::{Written, commands};

/// A way to write a text otherwise; none if it does not fit.
pub(super) struct Rewrite {
    pub name: &'static str,
    pub write: fn(&str, &mut Dice) -> Option<String>,
}

macro_rules! rewrites {
    ($($name:literal: $write:expr,)*) => { &[$(Rewrite { name: $name, write: $write }),*] };
}

/// All of them.
pub(super) const REWRITES: &[Rewrite] = rewrites![
    // Words.
    "quote split": |text, dice| word(text, dice, split_by_quotes),
    "quotes": |text, dice| word(text, dice, between_quotes),
    "backslashes": |text, dice| word(text, dice, behind_backslashes),
    "ANSI-C quotes": |text, dice| word(text, dice, in_ansi_quotes),
    "printed word": |text, dice| word(text, dice, |word, dice| match dice.roll(4) {
        // What begins with a dash may be an option of `echo`.
        0 if !word.starts_with('-') => format!("$(echo {word})"),
        1 if !word.starts_with('-') => format!("`echo {word}`"),
        2 => format!("$(printf '{}')", in_octal(word)),
        _ => {
            let (first, rest) = word.split_at(word.len() / 2);
            format!("$(printf %s%s '{first}' {rest})")
        }
    }),
    "default of a variable": |text, dice| word(text, dice, |word, dice| {
        let operator = dice.pick(&[":-", "-", ":="]);
        format!("${{tk_none_{}{operator}{word}}}", dice.roll(1000))
    }),
    "variable": variable,
    "two variables": two_variables,
    "array": array,
    "arguments": arguments,
    "braces": braces,
    "same path": other_path,
    "variable in a loop": |text, dice| {
        let (command, at) = one_word(text, dice)?;
        let (word, span) = &command.words[at];
        if !command.alone { return None }
        Some(format!("for tk in {word}; do {}$tk{}; done", &text[..span.start], &text[span.end..]))
    },
    // Options.
    "shortened option": shortened_option,
    "split options": split_options,
    "options last": options_last,
    // Programs.
    "wrapper": wrapper,
    "wrapper of anything": wrapper_of_anything,
    "assignment in front": |text, dice| {
        program(text, dice, false, |name, dice| {
            format!("{} {name}", dice.pick(&["A=1", "FOO=", "LC_ALL=C TZ=UTC", "X='a b'"]))
        })
    },
    "redirection in front": |text, dice| {
        program(text, dice, false, |name, dice| {
            format!("{} {name}", dice.pick(&["2>/dev/null", "2>&1", "3>&1", "7</dev/null"]))
        })
    },
    "path of the program": |text, dice| {
        program(text, dice, true, |name, dice| {
            let folder = ["/bin/", "/usr/bin/", "//usr//bin/", "/usr/./bin/", "/bin/../bin/", "/usr/sbin/"];
            format!("{}{name}", dice.pick(&folder))
        })
    },
    "applet": |text, dice| {
        let (command, _) = one_command(text, dice)?;
        let (name, span) = &command.words[0];
        APPLETS.contains(&&**name).then(|| {
            let box_ = dice.pick(&["busybox", "toybox", "/bin/busybox"]);
            replaced(text, span, &format!("{box_} {name}"))
        })
    },
    "xargs": |text, dice| {
        let command = whole(text)?;
        let (name, words) = command.words.split_first()?;
        if is_of_the_shell(&command) || words.is_empty() { return None }
        let words: Vec<_> = words.iter().map(|(word, _)| word.as_str()).collect();
        Some(match dice.roll(4) {
            0 => format!("printf '%s ' {} | xargs {}", words.join(" "), name.0),
            1 => format!("printf '%s\\n' {} | xargs -n 99 {}", words.join(" "), name.0),
            2 => format!("xargs -r -- {} <<< '{}'", name.0, words.join(" ")),
            _ => format!("printf %s {} | xargs -I% {} {} %", words[words.len() - 1], name.0, words[..words.len() - 1].join(" ")),
        })
    },
    "find": |text, dice| {
        let command = whole(text)?;
        if is_of_the_shell(&command) { return None }
        let end = dice.pick(&["\\;", "';'", "\";\""]);
        let one = dice.pick(&["-exec", "-execdir", "-ok"]);
        Some(format!("find . -maxdepth 0 {one} {} {end}", &text[command.span()]))
    },
    "carrier": |text, dice| {
        let command = whole(text)?;
        let carrier = dice.pick(&[r#"sh -c '"$0" "$@"'"#, r#"bash -c '"$@"' x"#, "sh -c '$*' x"]);
        Some(format!("{carrier} {}", &text[command.span()]))
    },
    "env -S": |text, dice| {
        let command = whole(text)?;
        if is_of_the_shell(&command) { return None }
        let option = dice.pick(&["-S", "--split-string=", "-iS", "-S "]);
        if command.program() == "env" && *option == "-iS" { return None }
        Some(format!("env {option}'{}'", &text[command.span()]))
    },
    // Texts. Documents in each other need ends of their own.
    "subshell": |text, _| Some(format!("( {text}\n)")),
    "group": |text, _| Some(format!("{{ {text}\n}}")),
    "function": |text, dice| Some(match dice.roll(3) {
        0 => format!("tk_f() {{ {text}\n}}; tk_f"),
        1 => format!("function tk_g {{\n{text}\n}}\ntk_g"),
        _ => format!("tk_f() ( {text}\n)\n\"tk_f\" a b"),
    }),
    "eval": |text, dice| Some(match dice.roll(4) {
        0 => format!("eval {}", quoted(text)),
        1 => format!("tk_x={}; eval \"$tk_x\"", quoted(text)),
        2 => format!("eval \"$(printf %s {})\"", quoted(text)),
        _ => format!("eval -- {}", quoted(text)),
    }),
    "shell": |text, dice| Some(match dice.roll(6) {
        0 => format!("sh -c {}", quoted(text)),
        1 => format!("bash -lc {}", quoted(text)),
        2 => format!("/bin/dash -e -u -c {} x y", quoted(text)),
        3 => format!("bash --norc -o pipefail -c {}", quoted(text)),
        4 => format!("zsh -fc {}", quoted(text)),
        _ => format!("busybox sh -c {}", quoted(text)),
    }),
    "shell that reads": |text, dice| Some(match dice.roll(6) {
        0 => format!("sh {}", document(text, "", dice)),
        1 => format!("bash -s x {}", document(text, "", dice)),
        2 => format!("bash <<< {}", quoted(text)),
        3 => format!("printf '%s\\n' {} | sh", quoted(text)),
        4 => format!("cat {}", document(text, " | bash", dice)),
        _ => format!("bash <(printf %s {})", quoted(text)),
    }),
    "sourced": |text, dice| Some(match dice.roll(3) {
        0 => format!("source /dev/stdin <<< {}", quoted(text)),
        1 => format!(". <(echo {})", quoted(text)),
        _ => format!("cat > /tmp/tk.sh {}\n. /tmp/tk.sh", document(text, "", dice)),
    }),
    "base64": |text, dice| Some(match dice.roll(3) {
        0 => format!("echo {} | base64 -d | sh", base64(text)),
        1 => format!("eval \"$(echo {} | base64 --decode)\"", base64(text)),
        _ => format!("base64 -d <<< {} | bash -s", base64(text)),
    }),
    "written and run": |text, dice| {
        let run = dice.pick(&["sh x.sh", "chmod +x x.sh; ./x.sh", "bash ./x.sh", ". ./x.sh"]);
        Some(format!("cat > x.sh {}\n{run}", document(text, "", dice)))
    },
    "comment": |text, dice| Some(match dice.roll(3) {
        0 => format!("# only a listing\n{text}"),
        1 => format!("{text}\n# done"),
        _ => format!("echo \"safe\" #\n{text}"),
    }),
    "padding": |text, dice| Some(match dice.roll(3) {
        0 => format!("  \t {text}\n\n"),
        1 => format!("\n\n\n{text} "),
        _ => format!("ls{}\n{text}", " ".repeat(100)),
    }),
    "folder first": |text, dice| {
        let first = dice.pick(&["cd . &&", "cd \"$PWD\" &&", "cd ./ ;", "pushd . >/dev/null;", "cd src/.. &&"]);
        Some(format!("{first} {{ {text}\n}}"))
    },
    "behind others": |text, dice| {
        let others = ["ls;", "ls\n", "true &&", "false ||", "sleep 1 &", "set -e;", "ls | wc -l;", ":;", "exec 3>&1;", "! false;", "umask 022;"];
        Some(format!("{} {{ {text}\n}}", dice.pick(&others)))
    },
    "before others": |text, dice| {
        let others = ["&", "|| true", "&& ls", "; ls", "| cat", "\nls", "2>/dev/null", "</dev/null", "|& tee log.txt"];
        Some(format!("{{ {text}\n}} {}", dice.pick(&others)))
    },
    "condition": |text, dice| Some(match dice.roll(5) {
        0 => format!("if true; then {text}\nfi"),
        1 => format!("if {text}\nthen :; fi"),
        2 => format!("[ -d . ] && {{ {text}\n}}"),
        3 => format!("if false; then :; else {text}\nfi"),
        _ => format!("case x in\nx) {text}\n;; esac"),
    }),
    "loop": |text, dice| Some(match dice.roll(4) {
        0 => format!("for tk_i in 1; do {text}\ndone"),
        1 => format!("while true; do {text}\nbreak; done"),
        2 => format!("until {text}\ndo break; done"),
        _ => format!("for ((tk_i = 0; tk_i < 1; tk_i++)); do {text}\ndone"),
    }),
    "trap": |text, dice| {
        let signal = dice.pick(&["EXIT", "0", "ERR DEBUG EXIT", "SIGTERM EXIT"]);
        Some(format!("trap {} {signal}", quoted(text)))
    },
    "alias": |text, _| Some(format!("shopt -s expand_aliases\nalias tk={}\ntk", quoted(text))),
    "substitution": |text, dice| Some(match dice.roll(4) {
        // Two parentheses begin arithmetic, as far as a shell can tell.
        0 => format!("echo \"$( {text}\n)\""),
        1 => format!("tk_x=$( {text}\n)"),
        2 => format!("cat <( {text}\n)"),
        _ => format!(": ${{tk_none:-$( {text}\n)}}"),
    }),
    "time and coproc": |text, dice| Some(match dice.roll(3) {
        0 => format!("time {{ {text}\n}}"),
        1 => format!("coproc {{ {text}\n}}"),
        _ => format!("! time -p ( {text}\n)"),
    }),
];

const APPLETS: &[&str] = &[
    "rm", "wget", "nc", "telnet", "dd", "mkfs", "chmod", "chown", "reboot", "poweroff", "halt",
    "env", "sh", "kill", "killall", "find", "xargs", "awk", "sed", "tar", "cat", "mount", "su",
    "crontab",
];

const BUILTINS: &[&str] = &[
    ".", ":", "[", "alias", "bind", "builtin", "cd", "command", "compgen", "complete", "declare",
    "dirs", "disown", "enable", "eval", "exec", "exit", "export", "fc", "getopts", "hash",
    "history", "jobs", "let", "local", "logout", "mapfile", "popd", "pushd", "read", "readarray",
    "readonly", "return", "set", "shift", "shopt", "source", "suspend", "times", "trap", "type",
    "typeset", "ulimit", "umask", "unalias", "unset", "wait", "caller",
];

/// Programs that run another, with what follows.
const WRAPPERS: &[&str] = &[
    "sudo", "sudo -u nobody", "sudo -E --", "doas", "doas -u root", "env", "env A=b", "env -u TK",
    "env -C .", "nice", "nice -n 5", "nice -5", "nohup", "timeout 5", "timeout -k 1 -s TERM 5s",
    "timeout --signal=KILL 1m", "stdbuf -oL", "stdbuf --output=0 -e0", "setsid", "setsid -w",
    "ionice -c 3", "ionice -c2 -n7", "chrt -i 0", "taskset 1", "taskset -c 0", "/usr/bin/time -p",
    "command time", "strace -f", "strace -o /tmp/t -e trace=file", "unshare -r", "flock /tmp/l",
    "flock -n /tmp/l", "setpriv --no-new-privs", "prlimit --nofile=99", "choom -n 0", "fakeroot",
    "eatmydata", "proxychains", "proxychains4 -q", "torsocks", "dbus-run-session --",
    "xvfb-run -a", "setarch x86_64 -R", "linux64", "numactl -l", "cpulimit -l 50 --", "caffeinate",
    "unbuffer", "perf stat", "rlwrap", "systemd-run --user --scope", "chroot /",
    "runuser -u nobody --", "busybox env", "busybox timeout 5", "busybox nice -n 1",
    "toybox timeout 5", "firejail", "bwrap --dev-bind / / --", "watch -n 1", "parallel :::",
    "catchsegv", "entr -r", "script -q /dev/null -c", "ltrace", "nsenter -t 1 -m",
];

/// A here-document of a text, with what follows its mark in the same line.
fn document(text: &str, behind: &str, dice: &mut Dice) -> String {
    let end = format!("TK{}", dice.roll(1_000_000));
    format!("<<'{end}'{behind}\n{text}\n{end}")
}

fn is_builtin(name: &str) -> bool {
    BUILTINS.contains(&name)
}

/// True for a command that only the shell itself can do. The program `printf` sets no variable, and
/// the option for it may be written otherwise by now.
fn is_of_the_shell(command: &Written) -> bool {
    let (program, words) = (command.program(), &command.words[1..]);
    let sets = || {
        let is_option = words.first().is_some_and(|(word, _)| word == "-v");
        is_option || words.iter().any(|(word, _)| word.starts_with(VARIABLE))
    };
    is_builtin(program) || program == "printf" && sets()
}

fn replaced(text: &str, span: &std::ops::Range<usize>, with: &str) -> String {
    format!("{}{with}{}", &text[..span.start], &text[span.end..])
}

/// One of the commands of a text, and how many there are.
fn one_command(text: &str, dice: &mut Dice) -> Option<(Written, usize)> {
    let mut all = commands(text);
    let count = all.len();
    if count == 0 {
        return None;
    }
    Some((all.swap_remove(dice.roll(count)), count))
}

/// The only command of a text, all of whose words are plain.
fn whole(text: &str) -> Option<Written> {
    commands(text).into_iter().find(|command| command.alone)
}

fn one_word(text: &str, dice: &mut Dice) -> Option<(Written, usize)> {
    let (command, _) = one_command(text, dice)?;
    let at = dice.roll(command.words.len());
    Some((command, at))
}

/// Writes a word otherwise, in its place.
fn word(text: &str, dice: &mut Dice, write: fn(&str, &mut Dice) -> String) -> Option<String> {
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    Some(replaced(text, span, &write(word, dice)))
}

/// Writes something before a program.
fn program(
    text: &str,
    dice: &mut Dice,
    by_path: bool,
    write: fn(&str, &mut Dice) -> String,
) -> Option<String> {
    let (command, _) = one_command(text, dice)?;
    let (name, span) = &command.words[0];
    if by_path && (is_of_the_shell(&command) || name.contains('/')) {
        return None;
    }
    Some(replaced(text, span, &write(name, dice)))
}

/// What the names of variables begin with that stand for a word.
const VARIABLE: &str = "tk_v";

/// `x=rm; $x -rf y`
fn variable(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    let name = format!("{VARIABLE}{}", dice.roll(1000));
    let set = match dice.roll(5) {
        0 => format!("{name}={word}"),
        1 => format!("export {name}='{word}'"),
        2 => format!("read -r {name} <<< {word}"),
        3 => format!("printf -v {name} %s {word}"),
        _ => format!("declare {name}=\"{word}\""),
    };
    let used = match dice.roll(3) {
        0 => format!("${name}"),
        1 => format!("\"${{{name}}}\""),
        _ => format!("${{{name}}}"),
    };
    Some(format!("{set}\n{}", replaced(text, span, &used)))
}

/// `x=r y=m; $x$y -rf z`
fn two_variables(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    let number = dice.roll(1000);
    let (first, rest) = word.split_at(word.len() / 2);
    let used = match dice.roll(3) {
        0 => format!("$tk_a{number}$tk_b{number}"),
        1 => format!("{first}${{tk_b{number}}}"),
        _ => format!("${{tk_a{number}}}{rest}"),
    };
    Some(format!("tk_a{number}={first} tk_b{number}={rest}\n{}", replaced(text, span, &used)))
}

/// `x=(rm -rf y); "${x[@]}"`
fn array(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, _) = one_command(text, dice)?;
    let number = dice.roll(1000);
    let span = command.span();
    command.whole.then(|| {
        let used = format!("\"${{tk_l{number}[@]}}\"");
        format!("tk_l{number}=({})\n{}", &text[span.clone()], replaced(text, &span, &used))
    })
}

/// `set -- rm -rf y; "$@"`
fn arguments(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, count) = one_command(text, dice)?;
    let span = command.span();
    if !command.whole || count != 1 || text.contains('$') {
        return None;
    }
    let used = dice.pick(&["\"$@\"", "$*", "$@"]);
    Some(format!("set -- {}\n{}", &text[span.clone()], replaced(text, &span, used)))
}

/// `{rm,-rf,y}`
fn braces(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, _) = one_command(text, dice)?;
    if !command.whole || command.words.len() < 2 {
        return None;
    }
    // From any word to the last one.
    let from = dice.roll(command.words.len() - 1);
    let words: Vec<_> = command.words[from..].iter().map(|(word, _)| word.as_str()).collect();
    if words.iter().any(|word| word.contains(',')) {
        return None;
    }
    let span = command.words[from].1.start..command.span().end;
    Some(replaced(text, &span, &format!("{{{}}}", words.join(","))))
}

fn other_path(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    // A program has a way of its own.
    if at == 0 {
        return None;
    }
    Some(replaced(text, span, &same_path(word, dice)?))
}

/// `--recursi`
fn shortened_option(text: &str, dice: &mut Dice) -> Option<String> {
    const GNU: &[&str] =
        &["rm", "chmod", "chown", "chgrp", "sort", "shred", "truncate", "tar", "mv"];
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    let name = word.split('=').next()?;
    if !GNU.contains(&command.program()) || !word.starts_with("--") || name.len() < 7 {
        return None;
    }
    let end = span.start + name.len();
    Some(replaced(text, &(end - 1..end), ""))
}

/// `-r -f` for `-rf`
fn split_options(text: &str, dice: &mut Dice) -> Option<String> {
    const CLUSTERS: &[&str] = &["rm", "chmod", "chown", "ls", "sync"];
    let (command, at) = one_word(text, dice)?;
    let (word, span) = &command.words[at];
    let letters = word.strip_prefix('-').filter(|rest| !rest.starts_with('-'))?;
    if !CLUSTERS.contains(&command.program())
        || at == 0
        || !letters.chars().all(|char| char.is_ascii_alphabetic())
    {
        return None;
    }
    let split: Vec<_> = letters.chars().rev().map(|char| format!("-{char}")).collect();
    Some(replaced(text, span, &split.join(" ")))
}

/// `rm y -rf`
fn options_last(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, _) = one_command(text, dice)?;
    if !command.whole || command.program() != "rm" {
        return None;
    }
    let words: Vec<_> = command.words[1..].iter().map(|(word, _)| word.as_str()).collect();
    if words.contains(&"--") {
        return None;
    }
    let (options, rest): (Vec<&str>, Vec<&str>) =
        words.iter().partition(|word| word.starts_with('-'));
    let all = format!("rm {} {}", rest.join(" "), options.join(" "));
    Some(replaced(text, &command.span(), &all))
}

fn wrapper(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, _) = one_command(text, dice)?;
    let (name, span) = &command.words[0];
    if is_of_the_shell(&command) {
        return None;
    }
    let wrapper = dice.pick(WRAPPERS);
    // These take one text, which the words of a command become.
    if ["parallel", "script", "watch"].iter().any(|text| wrapper.starts_with(text)) {
        let all = command.whole.then(|| quoted(&text[command.span()]))?;
        return Some(replaced(text, &command.span(), &format!("{wrapper} {all}")));
    }
    Some(replaced(text, span, &format!("{wrapper} {name}")))
}

fn wrapper_of_anything(text: &str, dice: &mut Dice) -> Option<String> {
    let (command, count) = one_command(text, dice)?;
    let (name, span) = &command.words[0];
    let wrapper = match dice.roll(4) {
        0 => "command",
        1 => "command --",
        2 if is_builtin(name) => "builtin",
        // What follows a command that the shell becomes never runs.
        3 if !is_builtin(name) && count == 1 && command.alone => "exec -a other",
        _ => "command -p",
    };
    Some(replaced(text, span, &format!("{wrapper} {name}")))
}
