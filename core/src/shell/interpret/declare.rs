//! `export`, `declare`, `local`, `readonly`, `unset`, `set`, `shift`.

use super::super::effect::Effect;
use super::super::invocation::Argument;
use super::super::ir::Span;
use super::super::value::{Origin, Value};
use super::parameter::is_name;
use super::simple::Ready;
use super::state::{Arguments, Bodies, Content, State};
use super::{Flow, Interpreter};

/// How names are declared.
#[derive(Default)]
struct How {
    exports: bool,
    unexports: bool,
    prints: bool,
    /// They are functions.
    functions: bool,
    readonly: bool,
    /// Whether they hold numbers from now on.
    integer: Option<bool>,
    /// In a function they are its own.
    is_local: bool,
}

impl How {
    /// By the name of the builtin alone, and `-g`.
    fn of(call: &Ready<'_>) -> How {
        let is_global = |argument: &Argument| {
            let text = argument.value.as_known();
            text.is_some_and(|text| text.starts_with('-') && text.contains('g'))
        };
        let is_local = matches!(call.name, "local" | "declare" | "typeset")
            && !call.arguments.iter().any(is_global);
        let (exports, readonly) = (call.name == "export", call.name == "readonly");
        How { exports, readonly, is_local, ..How::default() }
    }
}

impl Interpreter<'_> {
    /// `export`, `declare` and their like.
    pub(super) fn declare(&mut self, mut state: State, call: &Ready<'_>) -> Flow {
        let mut how = How::of(call);
        let mut names = false;
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some(text) if !names && text.len() > 1 && text.starts_with(['-', '+']) => {
                    self.declare_option(&mut how, text, call);
                }
                Some(text) => {
                    names = true;
                    self.declare_one(&mut state, &how, text, call);
                }
                None => {
                    names = true;
                    let name = argument.value.prefix().split_once('=').map(|(name, _)| name);
                    if let Some(name) = name.filter(|_| how.is_local) {
                        self.localize(&mut state, name.trim_end_matches('+'));
                    }
                    self.declare_unknown(&mut state, argument, &call.span, how.exports);
                    if let Some(name) = name.filter(|name| how.readonly && is_name(name)) {
                        state.held_mut(name).readonly = true;
                    }
                }
            }
        }
        if !names && !how.functions || how.prints {
            self.found(Effect::EnvironmentDump, call.name, &call.span);
        }
        // It fails for what is no name, for a variable that may not be set, and outside of a function.
        Flow::both(state)
    }

    fn declare_option(&mut self, how: &mut How, text: &str, call: &Ready<'_>) {
        let (on, has) = (text.starts_with('-'), |letter: char| text.contains(letter));
        how.exports |= on && has('x');
        how.unexports |= !on && has('x') || call.name == "export" && has('n');
        how.prints |= has('p');
        how.functions |= on && (has('f') || has('F'));
        how.readonly |= on && has('r');
        if has('i') {
            how.integer = Some(on);
        }
        let changes = call.name != "export" && text.contains(['n', 'l', 'u', 'c']);
        if on && (changes || has('f') && (how.readonly || how.exports)) {
            let why = format!("`{} {text}` changes what is set later", call.name);
            self.found(Effect::Dynamic { why }, call.name, &call.span);
        }
    }

    /// `name`, `name=value`, `name+=value`
    fn declare_one(&mut self, state: &mut State, how: &How, text: &str, call: &Ready<'_>) {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text, None),
        };
        let (name, append) = match name.strip_suffix('+') {
            Some(name) if value.is_some() => (name, true),
            _ => (name, false),
        };
        let base = name.split('[').next().unwrap_or(name);
        if !is_name(base) {
            return;
        }
        if how.is_local {
            self.localize(state, base);
        }
        if let Some(integer) = how.integer {
            state.held_mut(base).integer = integer;
        }
        self.declare_known(state, name, value, append, &call.span);
        if how.exports {
            self.exported(state, name, &call.span);
        } else if how.unexports {
            state.export(name, false);
        }
        if how.readonly {
            state.held_mut(base).readonly = true;
        }
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
            self.element_set(state, name, span);
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
        let (mut functions, mut variables) = (true, true);
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some("-f") => (functions, variables) = (true, false),
                Some("-v" | "-n") => (functions, variables) = (false, true),
                Some(name) => {
                    if functions {
                        unset_function(&mut state, name, variables);
                    }
                    if variables && name.contains('[') {
                        self.element_set(&mut state, name, &call.span);
                    } else if variables {
                        state.unset(name);
                        self.uncovered(&mut state, name);
                    }
                    if variables && name == "IFS" {
                        state.set_text("IFS", Value::known(" \t\n"));
                    }
                }
                None => self.unknown_name(call),
            }
        }
        Flow::both(state)
    }

    /// Where a function unsets a variable of the one that called it, there may be that of before.
    fn uncovered(&self, state: &mut State, name: &str) {
        let locals = self.calls.iter().flat_map(|call| &call.locals);
        for (_, before) in locals.filter(|(local, _)| local == name) {
            let content = match before {
                Some(held) => Content::Nothing.or(&held.content),
                None => continue,
            };
            state.set(name, content);
        }
    }

    /// A variable is changed, and which one is not known.
    pub(super) fn unknown_name(&mut self, call: &Ready<'_>) {
        let why = "the name of a variable that is set is not known".to_owned();
        self.found(Effect::Dynamic { why }, call.name, &call.span);
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
            if options.contains('e') {
                state.ends_on_failure = on;
            }
            if options.contains('u') {
                state.ends_on_unset = on;
            }
            // What is there already may not be written again.
            self.files_in_doubt |= on && options.contains('C');
            let mut changes = options.contains(['k', 'P', 't']) || !on && options.contains('B');
            at += 1;
            if options.ends_with('o') {
                match call.arguments.get(at).and_then(|argument| argument.value.as_known()) {
                    Some("noglob") => state.no_glob = on,
                    Some("noclobber") => self.files_in_doubt |= on,
                    Some("allexport") => state.all_exported = on,
                    Some("errexit") => state.ends_on_failure = on,
                    Some("nounset") => state.ends_on_unset = on,
                    Some("braceexpand") => changes |= !on,
                    Some(name) => changes |= super::builtins::changes_commands(name),
                    None => changes = true,
                }
                at += 1;
            }
            if changes {
                let why = "an option that changes what later commands are".to_owned();
                self.found(Effect::Dynamic { why }, "set", &call.span);
            }
        }
        if at < call.arguments.len() {
            return self.set_arguments(state, &call.arguments[at..]).unsure();
        }
        Flow::both(state)
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

/// `unset name` takes a function only where there is no variable of that name, or, in some shells, not
/// at all.
fn unset_function(state: &mut State, name: &str, or_variable: bool) {
    let Some(bodies) = state.functions.get(name) else { return };
    let is_variable = matches!(
        state.held(name).map(|held| &held.content),
        Some(Content::Text(_) | Content::Array(_))
    );
    if !or_variable {
        std::sync::Arc::make_mut(&mut state.functions).remove(name);
    } else if !is_variable {
        let bodies = Bodies { or_none: true, ..bodies.clone() };
        std::sync::Arc::make_mut(&mut state.functions).insert(name.to_owned(), bodies);
    }
}
