//! `export`, `declare`, `local`, `readonly`, `unset`, `set`, `shift`.

use super::super::effect::Effect;
use super::super::invocation::Argument;
use super::super::ir::Span;
use super::super::value::{Origin, Value};
use super::parameter::is_name;
use super::simple::Ready;
use super::state::{Arguments, Content, State};
use super::{Flow, Interpreter};

impl Interpreter<'_> {
    /// `export`, `declare` and their like.
    pub(super) fn declare(&mut self, mut state: State, call: &Ready<'_>) -> Flow {
        let mut exports = call.name == "export";
        let mut unexports = false;
        let mut prints = false;
        let mut names = false;
        let is_global = |argument: &Argument| {
            argument
                .value
                .as_known()
                .is_some_and(|text| text.starts_with('-') && text.contains('g'))
        };
        let is_local = matches!(call.name, "local" | "declare" | "typeset")
            && !call.arguments.iter().any(is_global);
        for argument in &call.arguments {
            let Some(text) = argument.value.as_known() else {
                if let Some((name, _)) = argument.value.prefix().split_once('=')
                    && is_local
                {
                    self.localize(&state, name);
                }
                self.declare_unknown(&mut state, argument, &call.span, exports);
                names = true;
                continue;
            };
            if let Some(options) =
                text.strip_prefix(['-', '+']).filter(|_| !names && text.len() > 1)
            {
                let on = text.starts_with('-');
                exports |= on && options.contains('x');
                unexports |=
                    !on && options.contains('x') || call.name == "export" && options.contains('n');
                prints |= options.contains('p');
                continue;
            }
            names = true;
            let (name, value) = match text.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (text, None),
            };
            let (name, append) = match name.strip_suffix('+') {
                Some(name) if value.is_some() => (name, true),
                _ => (name, false),
            };
            if is_local {
                self.localize(&state, name.split('[').next().unwrap_or(name));
            }
            if is_local && value.is_none() && call.name == "local" {
                state.unset(name);
            }
            self.declare_known(&mut state, name, value, append, &call.span);
            if exports {
                self.exported(&mut state, name, &call.span);
            } else if unexports {
                state.export(name, false);
            }
        }
        if !names || prints {
            self.found(Effect::EnvironmentDump, call.name, &call.span);
        }
        Flow::ok(state)
    }

    fn declare_known(
        &mut self,
        state: &mut State,
        name: &str,
        value: Option<&str>,
        append: bool,
        span: &Span,
    ) {
        let base = name.split('[').next().unwrap_or(name);
        if !is_name(base) {
            return;
        }
        if base.len() < name.len() {
            // The index of an array is arithmetic, which may run commands.
            let index = Value::known(&name[base.len()..]);
            self.expanded_text(state, &index, span);
            self.assign(state, base, Content::Array(None), span);
        } else if let Some(value) = value {
            let value = Value::known(value);
            let value = if append { state.value(name).then(value) } else { value };
            self.assign(state, name, Content::Text(value), span);
        }
    }

    /// `export "$x"`, `export A=$y`
    fn declare_unknown(
        &mut self,
        state: &mut State,
        argument: &Argument,
        span: &Span,
        exports: bool,
    ) {
        let text = argument.value.prefix().to_owned();
        match (text.split_once('='), &argument.value) {
            (Some((name, start)), value) if is_name(name.trim_end_matches('+')) => {
                let origin = value.origin().cloned().unwrap_or(Origin::Other);
                let value = Value::known(start).then(Value::Unknown(origin));
                let name = name.trim_end_matches('+');
                self.assign(state, name, Content::Text(value), span);
                if exports {
                    state.export(name, true);
                }
            }
            (_, Value::OneOf(texts)) => {
                for text in texts.clone() {
                    let (name, value) = text.split_once('=').unwrap_or((&text, ""));
                    self.declare_known(state, name, Some(value), false, span);
                }
            }
            _ => {
                let why = "the name of a variable that is set is not known".to_owned();
                self.found(Effect::Dynamic { why }, "export", span);
            }
        }
    }

    fn exported(&mut self, state: &mut State, name: &str, span: &Span) {
        if super::is_poison(name) {
            let value = state.value(name);
            self.found(Effect::EnvironmentPoison { name: name.to_owned(), value }, "export", span);
        }
        if is_name(name) {
            state.export(name, true);
        }
    }

    pub(super) fn unset(&mut self, mut state: State, call: &Ready<'_>) -> Flow {
        let mut functions = false;
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some("-f") => functions = true,
                Some("-v" | "-n") => functions = false,
                Some(name) if functions => {
                    std::sync::Arc::make_mut(&mut state.functions).remove(name);
                }
                Some(name) => {
                    state.unset(name);
                    if name == "IFS" {
                        state.set_text("IFS", Value::known(" \t\n"));
                    }
                    std::sync::Arc::make_mut(&mut state.functions).remove(name);
                }
                None => {}
            }
        }
        Flow::both(state)
    }

    pub(super) fn set(&mut self, mut state: State, call: &Ready<'_>) -> Flow {
        if call.arguments.is_empty() {
            self.found(Effect::EnvironmentDump, "set", &call.span);
            return Flow::ok(state);
        }
        let mut at = 0;
        while let Some(argument) = call.arguments.get(at) {
            let Some(text) = argument.value.as_known() else { break };
            if text == "--" {
                at += 1;
                return self.set_arguments(state, &call.arguments[at..]);
            }
            let Some(options) = text.strip_prefix(['-', '+']).filter(|rest| !rest.is_empty())
            else {
                break;
            };
            let on = text.starts_with('-');
            if options.contains('f') {
                state.no_glob = on;
            }
            if options.contains('a') {
                state.all_exported = on;
            }
            at += 1;
            if options.ends_with('o') {
                match call.arguments.get(at).and_then(|argument| argument.value.as_known()) {
                    Some("noglob") => state.no_glob = on,
                    Some("allexport") => state.all_exported = on,
                    _ => {}
                }
                at += 1;
            }
        }
        if at < call.arguments.len() {
            return self.set_arguments(state, &call.arguments[at..]);
        }
        Flow::ok(state)
    }

    fn set_arguments(&mut self, mut state: State, arguments: &[Argument]) -> Flow {
        state.arguments = Arguments::of(arguments);
        Flow::ok(state)
    }

    pub(super) fn shift(&mut self, mut state: State, call: &Ready<'_>) -> Flow {
        let count = match call.arguments.first().map(|argument| argument.value.as_known()) {
            None => Some(1),
            Some(count) => count.and_then(|count| count.parse::<usize>().ok()),
        };
        if let Arguments::Known(values) = &mut state.arguments {
            match count {
                Some(count) if count <= values.len() => {
                    values.drain(..count);
                }
                Some(_) => return Flow::fail(state),
                None => state.arguments = Arguments::Unknown,
            }
        }
        Flow::both(state)
    }
}
