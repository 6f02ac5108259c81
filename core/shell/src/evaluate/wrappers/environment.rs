//! Wrappers that set up an environment or a user and then run a command: `env`, `su`, `sg`.
//!
//! `env` changes variables and the folder for its command, and its `-S` splits a text into words.
//! The others run a text as another user, which is an effect of its own.

use super::prefix::options;
use super::{Wrapper, WrapperCall};
use crate::effect::Effect;
use crate::invocation::Argument;
use crate::model::{Grammar, Opt, Parsed, Style};
use crate::place;
use crate::value::{Origin, Value};

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        names: &["env", "genv"],
        grammar: options![
            flag ["-i", "--ignore-environment"], value ["-u", "--unset"], value ["-C", "--chdir"],
            value ["-S", "--split-string"], flag ["-v", "--debug"], flag ["-0", "--null"],
            value ["-a", "--argv0"], attached ["--block-signal"], attached ["--default-signal"],
            attached ["--ignore-signal"], flag ["--list-signal-handling"], value ["-P"], flag ["--help"],
            flag ["--version"],
        ],
        run: env,
    },
    Wrapper { names: &["cross-env"], grammar: options![], run: cross_env },
    Wrapper { names: &["su"], grammar: &SU, run: su },
    Wrapper { names: &["runuser"], grammar: &SU, run: su },
    Wrapper { names: &["sg", "newgrp"], grammar: options![flag["-"], value["-c"]], run: sg },
];

/// Evaluates what `env` runs.
fn env(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let mut words: Vec<Argument> = Vec::new();
    for text in parsed.values("-S") {
        match text.value.as_known().and_then(split) {
            Some(more) => {
                words.extend(more.into_iter().map(|word| wrapper.word(Value::Known(word))))
            }
            None => {
                wrapper.dynamic("what `env -S` runs is not known".to_owned());
                words.push(wrapper.word(Value::Unknown(Origin::Other)));
            }
        }
    }
    words.extend(parsed.operands.iter().cloned());
    // A lone `-` is `-i`.
    if words.first().and_then(|word| word.value.as_known()) == Some("-") {
        words.remove(0);
    }
    let clears = parsed.has("-i")
        || parsed.operands.first().is_some_and(|word| word.value.as_known() == Some("-"));
    if clears {
        for name in ["HOME", "USER", "LOGNAME", "TMPDIR", "SHELL"] {
            wrapper.state.unset(name);
        }
    }
    for name in parsed.values("-u") {
        if let Some(name) = name.value.as_known() {
            wrapper.state.unset(name);
        }
    }
    if let Some(folder) = parsed.value("-C") {
        wrapper.state.cwd =
            place::resolve(&folder.value, &wrapper.state.cwd, wrapper.interpreter.env);
    }
    let at = assigned(wrapper, &words);
    let informs = ["--help", "--version", "--list-signal-handling"];
    if at >= words.len() && !informs.iter().any(|option| parsed.has(option)) {
        wrapper.effect(Effect::EnvironmentDump);
    }
    // Options may stand in the text of `-S`, too.
    let rest = &words[at..];
    if rest.first().is_some_and(|word| word.value.prefix().starts_with('-')) && parsed.has("-S") {
        let program = wrapper.word(Value::known("env"));
        let words: Vec<Argument> = std::iter::once(program).chain(rest.iter().cloned()).collect();
        wrapper.run(&words);
        return;
    }
    wrapper.run(rest);
}

/// `cross-env A=b command`: it takes quotes and backslashes out of its words, puts variables in, and finds
/// a name wherever in a word it stands.
fn cross_env(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = || parsed.operands.iter().map(|word| word.value.prefix());
    let is_name = |name: &str| name.chars().all(|char| char.is_ascii_alphanumeric() || char == '_');
    let mut names = words().map_while(|word| Some(word.split_once('=')?.0));
    let mut changed = words().filter(|word| word.contains(['\'', '"', '\\', '$']));
    if !names.all(is_name) || changed.next().is_some() {
        wrapper.dynamic("`cross-env` changes its words".to_owned());
    }
    let at = assigned(wrapper, &parsed.operands);
    wrapper.run(&parsed.operands[at..]);
}

/// Sets the variables that stand before a command, and returns where the command begins.
fn assigned(wrapper: &mut WrapperCall<'_, '_>, words: &[Argument]) -> usize {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let Some((name, start)) = word.value.prefix().split_once('=') else { break };
        let value = match &word.value {
            Value::Known(_) => Value::known(start),
            other => Value::known(start)
                .then(Value::Unknown(other.origin().cloned().unwrap_or(Origin::Other))),
        };
        if crate::names::is_env_injection(name) {
            let effect =
                Effect::EnvironmentInjection { name: name.to_owned(), value: value.clone() };
            wrapper.effect(effect);
        }
        wrapper.state.set_text(name, value);
        wrapper.state.export(name, true);
        at += 1;
    }
    at
}

/// The words of `env -S`: quotes and backslashes as in a shell, variables only as `${NAME}`.
fn split(text: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match (quote, char) {
            (Some(open), _) if open == char => quote = None,
            (None, '\'' | '"') => {
                quote = Some(char);
                word.get_or_insert_default();
            }
            (Some('\''), char) => word.get_or_insert_default().push(char),
            (_, '$') => return None,
            (_, '\\') => match chars.next()? {
                '_' if quote.is_none() => words.extend(word.take()),
                'c' => break,
                'n' => word.get_or_insert_default().push('\n'),
                't' => word.get_or_insert_default().push('\t'),
                char => word.get_or_insert_default().push(char),
            },
            (None, '#') if word.is_none() => break,
            (None, ' ' | '\t' | '\n') => words.extend(word.take()),
            (_, char) => word.get_or_insert_default().push(char),
        }
    }
    words.extend(word);
    Some(words)
}

/// The options of `su`.
static SU: Grammar = Grammar {
    options: &[
        Opt::value(&["-c", "--command", "--session-command"]),
        Opt::flag(&["-l", "--login"]),
        Opt::flag(&["-f", "--fast"]),
        Opt::flag(&["-m", "-p", "--preserve-environment"]),
        Opt::flag(&["-P", "--pty"]),
        Opt::value(&["-g", "--group"]),
        Opt::value(&["-G", "--supp-group"]),
        Opt::value(&["-s", "--shell"]),
        Opt::value(&["-u", "--user"]),
        Opt::value(&["-w", "--whitelist-environment"]),
        Opt::flag(&["-h", "--help"]),
        Opt::flag(&["-V", "--version"]),
    ],
    style: Style::Gnu,
    subcommands: &[],
};

/// Evaluates what `su` runs.
fn su(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.effect(Effect::Privilege { how: wrapper.name.to_owned() });
    for text in parsed.values("-c").cloned().collect::<Vec<_>>() {
        wrapper.script(&text.value, &[]);
    }
    if parsed.has("-u") {
        wrapper.run(&parsed.operands);
    } else if parsed.values("-c").next().is_none() && parsed.operands.len() < 2 {
        wrapper.script_of_stdin(&[]);
    }
}

/// `sg group -c text`
fn sg(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    wrapper.effect(Effect::Privilege { how: wrapper.name.to_owned() });
    let rest = parsed.operands.get(1..).unwrap_or_default();
    match rest {
        [option, text, ..] if option.value.as_known() == Some("-c") => {
            wrapper.script(&text.value, &[]);
        }
        [text, ..] => wrapper.script(&text.value, &[]),
        [] => wrapper.script_of_stdin(&[]),
    }
}
