//! Programs that give a text to a shell: `watch`, `script -c`, `at`, `git -c alias.x=!…`, `tmux
//! new`.
//!
//! The operands are joined with blanks and run as a script, the way these programs do it.

use super::prefix::options;
use super::{Wrapper, WrapperCall};
use crate::effect::{Access, Effect, Persistence};
use crate::invocation::Argument;
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::place;
use crate::value::{Origin, Value};

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["watch"],
        grammar: options![
            flag ["-b", "--beep"], flag ["-c", "--color"], flag ["-C", "--no-color"], attached ["-d", "--differences"],
            flag ["-e", "--errexit"], flag ["-g", "--chgexit"], value ["-n", "--interval"], flag ["-p", "--precise"],
            value ["-q", "--equexit"], flag ["-r", "--no-rerun"], value ["-s", "--shotsdir"], flag ["-t", "--no-title"],
            flag ["-w", "--no-wrap"], flag ["-x", "--exec"], flag ["-h", "--help"], flag ["-v", "--version"],
        ],
        run: watch,
    },
    Wrapper {
        names: &["entr"],
        grammar: options![
            flag["-a"], flag["-c"], flag["-d"], flag["-n"], flag["-p"], flag["-r"], flag["-s"],
            flag["-x"], flag["-z"]
        ],
        run: entr,
    },
    Wrapper { names: &["script"], grammar: &SCRIPT, run: script },
    Wrapper { names: &["at", "batch"], grammar: &AT, run: at },
    Wrapper { names: &["tmux"], grammar: &TMUX, run: tmux },
    Wrapper {
        names: &["screen"],
        grammar: options![
            flag ["-a"], flag ["-A"], flag ["-d"], flag ["-D"], flag ["-m"], flag ["-r"], flag ["-R"], flag ["-x"], flag ["-U"],
            flag ["-q"], flag ["-O"], flag ["-L"], flag ["-l"], flag ["-ls", "-list"], flag ["-wipe"], value ["-S"], value ["-X"],
            value ["-c"], value ["-e"], value ["-h"], value ["-p"], value ["-s"], value ["-t"], value ["-T"], flag ["-v"],
        ],
        run: screen,
    },
    Wrapper { names: &["git"], grammar: &GIT, run: git },
    Wrapper { names: &["hyperfine"], grammar: &HYPERFINE, run: hyperfine },
    Wrapper {
        names: &["expect"],
        grammar: options![value["-c"], flag["-b"], flag["-d"], flag["-i"]],
        run: expect,
    },
];

/// Evaluates what `watch` runs.
fn watch(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if parsed.has("-x") {
        return wrapper.run(&parsed.operands);
    }
    if !parsed.operands.is_empty() {
        let text = wrapper.joined(&parsed.operands);
        wrapper.script(&text, &[]);
    }
}

/// Evaluates what `entr` runs.
fn entr(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.conditional = true;
    if parsed.has("-s") {
        let text = wrapper.joined(&parsed.operands);
        return wrapper.script(&text, &[]);
    }
    let found = Value::Unknown(Origin::Input);
    let words: Vec<Argument> = parsed
        .operands
        .iter()
        .map(|word| match word.value.as_known() {
            Some("/_") => Argument { value: found.clone(), ..word.clone() },
            _ => word.clone(),
        })
        .collect();
    wrapper.run(&words);
}

/// The options of `script`.
static SCRIPT: Grammar = Grammar {
    options: &[
        Opt::value(&["-c", "--command"]),
        Opt::flag(&["-a", "--append"]),
        Opt::value(&["-E", "--echo"]),
        Opt::flag(&["-e", "--return"]),
        Opt::flag(&["-f", "--flush"]),
        Opt::flag(&["--force"]),
        Opt::value(&["-I", "--log-in"]),
        Opt::value(&["-B", "--log-io"]),
        Opt::value(&["-O", "--log-out"]),
        Opt::value(&["-T", "--log-timing"]),
        Opt::value(&["-m", "--logging-format"]),
        Opt::value(&["-o", "--output-limit"]),
        Opt::flag(&["-q", "--quiet"]),
        Opt::attached(&["-t", "--timing"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-V", "--version"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Evaluates what `script` runs.
fn script(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    for option in ["-I", "-B", "-O", "-T", "-t"] {
        wrapper.file(Access::Write, parsed.value(option));
    }
    wrapper.file(Access::Write, parsed.operands.first());
    match parsed.value("-c") {
        Some(text) => wrapper.script(&text.value.clone(), &[]),
        // On BSD the command follows the file.
        None if parsed.operands.len() > 1 => {
            wrapper.conditional = true;
            wrapper.run(&parsed.operands[1..]);
        }
        None => wrapper.script_of_stdin(&[]),
    }
}

/// The options of `at`.
static AT: Grammar = Grammar {
    options: &[
        Opt::value(&["-q"]),
        Opt::value(&["-f"]),
        Opt::value(&["-t"]),
        Opt::value(&["-c"]),
        Opt::flag(&["-m"]),
        Opt::flag(&["-M"]),
        Opt::flag(&["-l"]),
        Opt::flag(&["-d"]),
        Opt::flag(&["-r"]),
        Opt::flag(&["-b"]),
        Opt::flag(&["-v"]),
        Opt::flag(&["-V"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Evaluates what `at` runs.
fn at(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if ["-l", "-d", "-r", "-V", "-c"].iter().any(|option| parsed.has(option)) {
        return;
    }
    let time = parsed.operands.first().and_then(|word| word.value.as_known());
    if wrapper.name == "at" && !parsed.has("-t") && time.is_some_and(|word| !may_be_time(word)) {
        return wrapper.dynamic("its first word is no time".to_owned());
    }
    wrapper.effect(Effect::Persistence(Persistence::Schedule));
    match parsed.value("-f") {
        Some(file) => wrapper.script_of_file(&file.value.clone(), &[]),
        None => wrapper.script_of_stdin(&[]),
    }
}

/// True for a word with which a time of `at` may begin: `10:30`, `now`, `teatime`, `next`, `Fri`.
fn may_be_time(word: &str) -> bool {
    /// Words of the times that `at` understands.
    const WORDS: &[&str] = &[
        "now", "noon", "midnight", "teatime", "today", "tomorrow", "next", "utc", "jan", "feb",
        "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec", "mon", "tue", "wed",
        "thu", "fri", "sat", "sun",
    ];
    let word = word.to_ascii_lowercase();
    word.starts_with(|char: char| char.is_ascii_digit())
        || WORDS.iter().any(|time| word.starts_with(time))
}

/// The options of `tmux`.
static TMUX: Grammar = Grammar {
    options: &[
        Opt::value(&["-L"]),
        Opt::value(&["-S"]),
        Opt::value(&["-f"]),
        Opt::value(&["-c"]),
        Opt::value(&["-T"]),
        Opt::flag(&["-2"]),
        Opt::flag(&["-u"]),
        Opt::flag(&["-v"]),
        Opt::flag(&["-V"]),
        Opt::flag(&["-C"]),
        Opt::flag(&["-D"]),
        Opt::flag(&["-l"]),
        Opt::flag(&["-N"]),
        Opt::value(&["-C", "--conclude"]),
        Opt::value(&["--reference"]),
        Opt::value(&["--sort"]),
        Opt::value(&["--export-asciidoc"]),
        Opt::value(&["--export-orgmode"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// The options of `new-session`, `new-window`, `split-window`, `respawn-*`, `run-shell` and the like.
static TMUX_RUN: Grammar = Grammar {
    options: &[
        Opt::flag(&["-A"]),
        Opt::flag(&["-d"]),
        Opt::flag(&["-D"]),
        Opt::flag(&["-E"]),
        Opt::flag(&["-P"]),
        Opt::flag(&["-X"]),
        Opt::flag(&["-a"]),
        Opt::flag(&["-b"]),
        Opt::flag(&["-k"]),
        Opt::flag(&["-S"]),
        Opt::flag(&["-h"]),
        Opt::flag(&["-v"]),
        Opt::flag(&["-f"]),
        Opt::flag(&["-Z"]),
        Opt::flag(&["-I"]),
        Opt::flag(&["-C"]),
        Opt::value(&["-c"]),
        Opt::value(&["-e"]),
        Opt::value(&["-F"]),
        Opt::value(&["-n"]),
        Opt::value(&["-s"]),
        Opt::value(&["-t"]),
        Opt::value(&["-x"]),
        Opt::value(&["-y"]),
        Opt::value(&["-l"]),
        Opt::value(&["-p"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// Evaluates what `tmux` runs.
fn tmux(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if let Some(text) = parsed.value("-c") {
        wrapper.script(&text.value.clone(), &[]);
    }
    let Some((name, rest)) = parsed.operands.split_first() else { return };
    let runs = [
        "new", "new-session", "neww", "new-window", "splitw", "split-window", "split", "respawnp",
        "respawn-pane", "respawnw", "respawn-window", "run", "run-shell", "if", "if-shell",
        "popup", "display-popup", "pipe-pane", "pipep",
    ];
    match name.value.as_known() {
        Some(name) if runs.contains(&name) => {
            let inner =
                super::Invocation { arguments: rest.to_vec(), ..wrapper.invocation.clone() };
            let parsed = super::grammar::parse(&inner, &TMUX_RUN);
            if !parsed.unknown.is_empty() || parsed.has("-e") {
                let why = format!("`tmux {name}` has an option that is not known");
                wrapper.dynamic(why);
            }
            if let Some(folder) = parsed.value("-c") {
                wrapper.state.cwd =
                    place::resolve(&folder.value, &wrapper.state.cwd, wrapper.interpreter.env);
            }
            match &parsed.operands[..] {
                [] => {}
                [text] => wrapper.script(&text.value, &[]),
                _ if name.starts_with("if") => {
                    for text in &parsed.operands {
                        wrapper.script(&text.value, &[]);
                    }
                }
                words => {
                    let words = words.to_vec();
                    wrapper.run(&words);
                }
            }
        }
        Some("send" | "send-keys") => {
            keys(wrapper, rest);
        }
        _ => {}
    }
}

/// Keys that are typed into a shell.
fn keys(wrapper: &mut WrapperCall<'_, '_>, words: &[Argument]) {
    let is_key = |word: &&Argument| {
        matches!(word.value.as_known(), Some("C-m" | "Enter" | "KPEnter" | "-l"))
    };
    let texts: Vec<Argument> = words.iter().filter(|word| !is_key(word)).cloned().collect();
    let has_target = texts.first().is_some_and(|word| word.value.as_known() == Some("-t"));
    wrapper.conditional = true;
    for text in texts.get(usize::from(has_target) * 2..).unwrap_or_default() {
        wrapper.script(&text.value, &[]);
    }
}

/// Evaluates what `screen` runs.
fn screen(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let stuff = parsed.value("-X").and_then(|value| value.value.as_known()) == Some("stuff");
    if stuff {
        let text = wrapper.joined(&parsed.operands);
        wrapper.script(&text, &[]);
    } else {
        wrapper.run(&parsed.operands);
    }
}

/// `git` itself has a model; here are only the texts that it gives to a shell.
static GIT: Grammar = Grammar { options: &[], style: Style::Operands, subcommands: &[] };

/// Evaluates what `git` runs.
#[expect(clippy::too_many_lines, reason = "one match arm per command")]
fn git(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let mut folder = wrapper.state.cwd.clone();
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some(text) = word.value.as_known() else { break };
        match text {
            "-C" => {
                if let Some(named) = words.get(at + 1) {
                    folder = place::resolve(&named.value, &folder, wrapper.interpreter.env);
                }
                at += 2;
            }
            "-c" => {
                if let Some(setting) = words.get(at + 1) {
                    setting_of_git(wrapper, &setting.value);
                }
                at += 2;
            }
            "--git-dir" | "--work-tree" | "--namespace" | "--exec-path" | "--config-env"
            | "--super-prefix" | "--attr-source" | "--list-cmds" => at += 2,
            text if text.starts_with('-') => at += 1,
            _ => break,
        }
    }
    wrapper.repository_written(&folder);
    let Some((name, rest)) = words.get(at..).and_then(<[Argument]>::split_first) else { return };
    let texts = match name.value.as_known() {
        Some("rebase") => values_of(rest, &["--exec", "-x"]),
        Some("filter-branch") => values_of(
            rest,
            &[
                "--env-filter", "--tree-filter", "--index-filter", "--parent-filter",
                "--msg-filter", "--commit-filter", "--tag-name-filter", "--setup",
            ],
        ),
        Some("difftool" | "mergetool") => values_of(rest, &["--extcmd", "-x"]),
        Some("submodule")
            if rest.first().and_then(|word| word.value.as_known()) == Some("foreach") =>
        {
            let command: Vec<Argument> = rest[1..]
                .iter()
                .skip_while(|word| {
                    matches!(word.value.as_known(), Some("--recursive" | "--quiet" | "-q"))
                })
                .cloned()
                .collect();
            vec![wrapper.joined(&command)]
        }
        Some("bisect") if rest.first().and_then(|word| word.value.as_known()) == Some("run") => {
            wrapper.conditional = true;
            let command = rest[1..].to_vec();
            wrapper.run(&command);
            Vec::new()
        }
        _ => Vec::new(),
    };
    wrapper.conditional = true;
    for text in texts {
        wrapper.script(&text, &[]);
    }
    wrapper.ran = false;
}

/// The values of long and short options with these names.
fn values_of(words: &[Argument], names: &[&str]) -> Vec<Value> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let text = word.value.prefix();
        for name in names {
            if text == *name
                && let Some(next) = words.get(at + 1)
            {
                found.push(next.value.clone());
            } else if let Some(value) = text.strip_prefix(name)
                && (!name.starts_with("--") || value.starts_with('='))
            {
                found.push(Value::known(value.trim_start_matches('=')));
            }
        }
    }
    found
}

/// `-c name=value`: settings whose value is a command.
fn setting_of_git(wrapper: &mut WrapperCall<'_, '_>, setting: &Value) {
    let text = setting.prefix().to_owned();
    let Some((name, value)) = text.split_once('=') else { return };
    let name = name.to_ascii_lowercase();
    let command = if name.starts_with("alias.") {
        let Some(command) = value.strip_prefix('!') else { return };
        command
    } else {
        let runs = [
            "core.pager", "core.editor", "core.sshcommand", "core.fsmonitor", "core.gitproxy",
            "core.askpass", "diff.external", "sequence.editor", "gpg.program", "credential.helper",
            "interactive.difffilter", "uploadpack.packobjectshook",
        ];
        let ends = [
            ".textconv", ".command", ".clean", ".smudge", ".process", ".driver", ".cmd", ".helper",
        ];
        let pager = name.starts_with("pager.");
        if !runs.contains(&name.as_str()) && !pager && !ends.iter().any(|end| name.ends_with(end)) {
            return;
        }
        value.trim_start_matches('!')
    };
    let value = match setting {
        Value::Known(_) => Value::known(command),
        other => Value::known(command)
            .then(Value::Unknown(other.origin().cloned().unwrap_or(Origin::Other))),
    };
    wrapper.conditional = true;
    wrapper.script(&value, &[]);
}

/// The options of `hyperfine`.
static HYPERFINE: Grammar = Grammar {
    options: &[
        Opt::value(&["-w", "--warmup"]),
        Opt::value(&["-m", "--min-runs"]),
        Opt::value(&["-M", "--max-runs"]),
        Opt::value(&["-r", "--runs"]),
        Opt::value(&["-s", "--setup"]),
        Opt::value(&["-p", "--prepare"]),
        Opt::value(&["-c", "--cleanup"]),
        Opt::value(&["-n", "--command-name"]),
        Opt::value(&["-S", "--shell"]),
        Opt::flag(&["-N"]),
        Opt::flag(&["-i", "--ignore-failure"]),
        Opt::value(&["--style"]),
        Opt::value(&["-u", "--time-unit"]),
        Opt::value(&["--export-json"]),
        Opt::value(&["--export-csv"]),
        Opt::value(&["--export-markdown"]),
        Opt::flag(&["--show-output"]),
        Opt::value(&["--output"]),
        Opt::value(&["--input"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Evaluates what `hyperfine` runs.
fn hyperfine(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    /// Options of `hyperfine` that write a file.
    const WRITES: &[&str] = &[
        "--export-json", "--export-csv", "--export-markdown", "--export-asciidoc",
        "--export-orgmode", "--output",
    ];
    for file in WRITES.iter().flat_map(|option| parsed.values(option)) {
        if !matches!(file.value.as_known(), Some("null" | "pipe" | "inherit")) {
            wrapper.file(Access::Write, Some(file));
        }
    }
    wrapper.file(Access::Read, parsed.value("--input"));
    let is_shell = |shell: &Argument| {
        matches!(shell.value.as_known(), Some("none" | "default" | "sh" | "bash" | "zsh" | "dash"))
    };
    if !parsed.values("-S").all(is_shell) {
        wrapper.dynamic("the shell of `hyperfine` may be any program".to_owned());
    }
    let options = ["-s", "-p", "-c", "-C", "--reference"];
    let options = options.iter().flat_map(|option| parsed.values(option));
    let texts: Vec<Value> =
        options.chain(&parsed.operands).map(|word| word.value.clone()).collect();
    for text in texts {
        wrapper.script(&text, &[]);
    }
}

/// A language of its own, in which `spawn` runs a command.
fn expect(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.dynamic("`expect` runs a script of its own language".to_owned());
    for text in parsed.values("-c").cloned().collect::<Vec<_>>() {
        if let Some(command) =
            text.value.as_known().and_then(|text| text.trim().strip_prefix("spawn "))
        {
            let command = command.split(';').next().unwrap_or(command).to_owned();
            wrapper.script(&Value::Known(command), &[]);
        }
    }
}
