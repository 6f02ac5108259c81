//! Builtins that change what names mean, or show what the shell keeps: `alias`, `hash`, `enable`,
//! `let`, `getopts`, `history`, `compgen`.

use std::sync::Arc;

use super::builtins::unmatched;
use super::simple::ReadyCommand;
use super::state::{Content, Replacement, State};
use super::{Flow, Interpreter};
use crate::effect::{Access, CodeFrom, Effect, FileEffect};
use crate::invocation::Argument;
use crate::place;
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// `alias`: keeps the text of each name.
    pub(super) fn alias(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        for argument in &call.arguments {
            match argument.value.as_known().and_then(|text| text.split_once('=')) {
                Some((name, value)) => {
                    let value = Replacement::Alias(Value::known(value));
                    Arc::make_mut(&mut state.replaced).insert(name.to_owned(), value);
                }
                None if argument.value.as_known().is_none() => {
                    let name = argument.value.prefix().split('=').next().unwrap_or_default();
                    let value = Replacement::Alias(Value::Unknown(Origin::Other));
                    Arc::make_mut(&mut state.replaced).insert(name.to_owned(), value);
                }
                None => {}
            }
        }
        Flow::ok(state)
    }

    /// `hash`: with `-p` a name stands for a path from here on.
    pub(super) fn hash(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let is_unclear = |argument: &Argument| {
            let value = &argument.value;
            let may_be_option = value.prefix().is_empty() || value.prefix().starts_with('-');
            value.as_known().is_none() && may_be_option
        };
        let last = call.arguments.len().saturating_sub(1);
        let mut words = call.arguments.iter().enumerate();
        if words.any(|(at, word)| is_unclear(word) && (word.many || at < last)) {
            let why = "the options of `hash` are not known".to_owned();
            self.found(Effect::Dynamic { why }, "hash", &call.span);
        }
        if let Some((path, names)) = path_given(&call.arguments) {
            let effect =
                Effect::EnvironmentInjection { name: "hash".to_owned(), value: path.clone() };
            self.found(effect, "hash", &call.span);
            for name in names.iter().filter_map(|name| name.value.as_known()) {
                let table = Arc::make_mut(&mut state.replaced);
                table.insert(name.to_owned(), Replacement::Path(path.clone()));
            }
        }
        Flow::both(state)
    }

    /// `enable`: with `-f` it loads code into the shell, with `-n` it takes a builtin away.
    pub(super) fn enable(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let loads = call.arguments.iter().position(|argument| {
            argument.value.as_known().is_none_or(|text| text.starts_with('-') && text.contains('f'))
        });
        if let Some(at) = loads {
            let path = call.arguments.get(at + 1).map(|argument| argument.value.clone());
            let path = path.unwrap_or(Value::Unknown(Origin::Other));
            let path = place::resolve(&path, &state.cwd, self.env);
            let scope = place::scope(&path, self.env);
            let file = FileEffect {
                access: Access::Execute,
                path,
                scope,
                recursive: false,
                forced: false,
            };
            self.found(Effect::File(file), "enable", &call.span);
            self.found(Effect::Code { from: CodeFrom::File }, "enable", &call.span);
            let why = "`enable -f` loads code into the shell".to_owned();
            self.found(Effect::Dynamic { why }, "enable", &call.span);
        }
        let is_option = |text: &str| text.starts_with('-') && text.contains('n');
        let known = || call.arguments.iter().filter_map(|argument| argument.value.as_known());
        if known().any(is_option) && known().any(|text| !text.starts_with('-')) {
            let what = "`enable -n` takes a builtin away, and it is not followed which";
            self.unknown(what, call.span.clone());
        }
        Flow::both(state)
    }

    /// `let`: evaluates each argument as arithmetic.
    pub(super) fn let_builtin(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        for argument in &call.arguments {
            let value = argument.value.clone();
            self.expanded_text(&mut state, &value, &call.span);
            for text in unmatched(&value) {
                self.arithmetic(&mut state, &text, &call.span);
            }
        }
        Flow::both(state)
    }

    /// `unalias`.
    pub(super) fn unalias(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let table = Arc::make_mut(&mut state.replaced);
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some("-a") => table.clear(),
                Some(name) => _ = table.remove(name),
                None => {}
            }
        }
        Flow::ok(state)
    }

    /// `getopts`: sets variables to words of the arguments.
    pub(super) fn getopts(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let value = || Content::Text(Value::Unknown(Origin::Argument));
        if let Some(name) = call.arguments.get(1).and_then(|name| name.value.as_known()) {
            self.assign(&mut state, name, value(), &call.span);
        }
        self.assign(&mut state, "OPTARG", value(), &call.span);
        state.set_text("OPTIND", Value::Unknown(Origin::Number));
        Flow::both(state)
    }

    /// `history` and `fc`: all but showing changes what is kept, or runs it.
    pub(super) fn history(&mut self, state: State, call: &ReadyCommand<'_>) -> Flow {
        let changes = call.arguments.iter().any(|argument| {
            argument.value.as_known().is_none_or(|text| {
                text.starts_with('-')
                    && text.contains(['s', 'a', 'w', 'c', 'd', 'r', 'n', 'p', 'e'])
            })
        });
        if changes {
            self.found(Effect::History, call.name, &call.span);
        }
        Flow::both(state)
    }

    /// `compgen`: shows variables, or runs what an option names.
    pub(super) fn compgen(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        // What stands behind these options is a value, and the last word is what names begin with.
        /// Options of `compgen` that take a value.
        const WITH_VALUE: &[&str] = &["-A", "-C", "-F", "-G", "-P", "-S", "-W", "-X", "-o"];
        let mut dumps = false;
        let mut words = call.arguments.iter();
        while let Some(word) = words.next() {
            match word.value.as_known() {
                Some("--") => break,
                Some(option) if WITH_VALUE.contains(&option) => {
                    let value = words.next().map(|word| word.value.as_known());
                    let variables = [None, Some("export"), Some("variable")];
                    dumps |=
                        option == "-A" && value.is_some_and(|value| variables.contains(&value));
                }
                Some(option) => dumps |= option.starts_with("-e") || option.starts_with("-v"),
                None => dumps |= word.value.prefix().is_empty() && words.len() > 0,
            }
        }
        if dumps {
            self.found(Effect::EnvironmentDump, call.name, &call.span);
        }
        for pair in call.arguments.windows(2) {
            let text = pair[1].value.clone();
            match pair[0].value.as_known() {
                Some("-C" | "-F") => drop(self.script_value(&state, &text, "compgen", &call.span)),
                Some("-W") => self.expanded_text(&mut state, &text, &call.span),
                _ => {}
            }
        }
        Flow::both(state)
    }
}

/// The path of `hash -p path name …`, `-ppath`, `-lp path`, and the names behind it.
fn path_given(arguments: &[Argument]) -> Option<(Value, &[Argument])> {
    for (at, argument) in arguments.iter().enumerate() {
        let letters = argument.value.prefix().strip_prefix('-')?;
        let Some((_, attached)) = letters.split_once('p') else { continue };
        let rest = &arguments[at + 1..];
        return Some(match (&argument.value, attached) {
            (Value::Known(_), "") => match rest.split_first() {
                Some((path, names)) => (path.value.clone(), names),
                None => (Value::Unknown(Origin::Other), rest),
            },
            (Value::Known(_), path) => (Value::known(path), rest),
            _ => (Value::Unknown(Origin::Other), rest),
        });
    }
    None
}
