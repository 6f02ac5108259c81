//! Shells: `sh -c`, scripts in files and on standard input.

use super::{Wrapper, WrapperCall};
use crate::evaluate::changes_commands;
use crate::model::{Grammar, Opt, Parsed, Style};

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &[
            "sh", "bash", "dash", "ash", "ksh", "ksh93", "mksh", "zsh", "rbash", "yash", "posh",
        ],
        grammar: &SHELL,
        run: shell,
    },
    Wrapper {
        names: &["fish", "csh", "tcsh", "elvish", "nu", "pwsh"],
        grammar: &OTHER,
        run: other,
    },
    Wrapper { names: &["busybox", "toybox"], grammar: &APPLETS, run: applet },
];

/// The options of `bash(1)`, which hold those of `dash(1)`, `ksh(1)` and `zsh(1)` that scripts use.
/// `-c` takes no value: the text is the first operand.
static SHELL: Grammar = Grammar {
    options: &[
        Opt::flag(&["-c"]),
        Opt::flag(&["-s", "--stdin"]),
        Opt::flag(&["-i", "--interactive"]),
        Opt::flag(&["-l", "--login"]),
        Opt::flag(&["-r", "--restricted"]),
        Opt::flag(&["-p", "--privileged"]),
        Opt::flag(&["-D", "--dump-strings", "--dump-po-strings"]),
        Opt::flag(&["-e", "--errexit"]),
        Opt::flag(&["-u", "--nounset"]),
        Opt::flag(&["-x", "--xtrace"]),
        Opt::flag(&["-v", "--verbose"]),
        Opt::flag(&["-n", "--noexec"]),
        Opt::flag(&["-f"]),
        Opt::flag(&["-a"]),
        Opt::flag(&["-b"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-k"]),
        Opt::flag(&["-m"]),
        Opt::flag(&["-t"]),
        Opt::flag(&["-B"]),
        Opt::flag(&["-C"]),
        Opt::flag(&["-E"]),
        Opt::flag(&["-H"]),
        Opt::flag(&["-P"]),
        Opt::flag(&["-T"]),
        Opt::value(&["-o"]),
        Opt::value(&["-O"]),
        Opt::value(&["--rcfile", "--init-file"]),
        Opt::flag(&["--norc"]),
        Opt::flag(&["--noprofile"]),
        Opt::flag(&["--noediting"]),
        Opt::flag(&["--posix"]),
        Opt::flag(&["--debugger"]),
        Opt::flag(&["--version"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// Evaluates what `sh` runs.
fn shell(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    if parsed.has("--version") {
        return;
    }
    if let Some(file) = parsed.value("--rcfile") {
        wrapper.script_of_file(&file.value.clone(), &[]);
    }
    let file = wrapper.invocation.environment.iter().find(|(name, _)| name == "ENV");
    if let (true, Some((_, file))) = (parsed.has("-i"), file.cloned()) {
        // An interactive one starts with it.
        wrapper.script_of_file(&file, &[]);
    }
    let is_set = |name| parsed.values("-o").any(|option| option.value.as_known() == Some(name));
    wrapper.state.ends_on_failure = parsed.has("-e") || is_set("errexit");
    wrapper.state.ends_on_unset = parsed.has("-u") || is_set("nounset");
    let options = parsed.values("-O").chain(parsed.values("-o"));
    let mut names = options.map(|option| option.value.as_known());
    if ["-k", "-t", "-P"].iter().any(|option| parsed.has(option))
        || names.any(|name| name.is_none_or(changes_commands))
    {
        let why = format!("an option of `{}` changes what its commands are", wrapper.name);
        wrapper.dynamic(why);
    }
    // `+x` and `+o name` switch options off, before the first operand.
    let mut operands = &parsed.operands[..];
    while let Some(text) = operands.first().and_then(|operand| operand.value.as_known())
        && text.starts_with('+')
        && text.len() > 1
    {
        if text.contains(['B', 'o', 'O']) {
            let why = format!("`{text}` changes what the commands of `{}` are", wrapper.name);
            wrapper.dynamic(why);
        }
        operands = &operands[(1 + usize::from(text.ends_with(['o', 'O']))).min(operands.len())..];
        // `-c` may stand behind it.
        if let Some("-c") = operands.first().and_then(|operand| operand.value.as_known())
            && let [_, text, rest @ ..] = operands
        {
            wrapper.script(&text.value, rest);
            return;
        }
    }
    match operands {
        [text, rest @ ..] if parsed.has("-c") => {
            if text.many {
                wrapper.dynamic(format!("what `{}` runs is not known", wrapper.name));
            }
            wrapper.script(&text.value, rest);
        }
        [file, rest @ ..] if !parsed.has("-s") => wrapper.script_of_file(&file.value, rest),
        operands => wrapper.script_of_stdin(operands),
    }
}

/// Shells of another language: `-c` takes a value.
static OTHER: Grammar = Grammar {
    options: &[
        Opt::value(&["-c", "--command", "-Command", "--commands"]),
        Opt::flag(&["-i", "--interactive"]),
        Opt::flag(&["-l", "--login"]),
        Opt::flag(&["-e"]),
        Opt::flag(&["-f"]),
        Opt::flag(&["-n", "--no-execute"]),
        Opt::flag(&["-v", "--version"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-N", "--no-config"]),
        Opt::value(&["-C", "--init-command"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// Their language is not that of a POSIX shell, but simple commands are the same. What is found by
/// that is told, and that it may be wrong, too.
fn other(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let texts: Vec<_> =
        parsed.values("-c").chain(parsed.values("-C")).map(|text| text.value.clone()).collect();
    if !texts.is_empty() {
        wrapper.dynamic(format!("`{}` has a language of its own", wrapper.name));
        wrapper.conditional = true;
    }
    for text in &texts {
        let problems = wrapper.interpreter.out.problems.len();
        wrapper.script(text, &[]);
        wrapper.interpreter.out.problems.truncate(problems);
    }
    match &parsed.operands[..] {
        [file, rest @ ..] if texts.is_empty() => wrapper.script_of_file(&file.value, rest),
        [] if texts.is_empty() => wrapper.script_of_stdin(&[]),
        _ => {}
    }
}

/// The options of `busybox`.
static APPLETS: Grammar = Grammar {
    options: &[
        Opt::flag(&["--list"]),
        Opt::flag(&["--list-full"]),
        Opt::flag(&["--help"]),
        Opt::flag(&["--long"]),
    ],
    style: Style::Posix,
    subcommands: &[],
};

/// Evaluates what `busybox` runs.
fn applet(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.run(&parsed.operands);
}
