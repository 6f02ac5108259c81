//! Builtins that set variables: `export`, `declare`, `local`, `readonly`, `unset`, `set`, `shift`.
//!
//! A declaration is code in more ways than it looks: `declare -i` evaluates what is assigned, the
//! value of an array in parentheses is expanded once more, an index may hold `$(…)`, and options
//! like `-n` and `set -k` change what later commands mean. What is not followed is reported as
//! dynamic.

use super::assign::is_number;
use super::parameter::is_name;
use super::simple::ReadyCommand;
use super::state::{Arguments, Content, FunctionBodies, State};
use super::{Flow, Interpreter, join};
use crate::effect::Effect;
use crate::invocation::Argument;
use crate::ir::Span;
use crate::names::is_secret_name;
use crate::value::{Origin, Value};

/// How a declaration declares its names.
#[derive(Default)]
struct How {
    /// They are exported.
    exports: bool,
    /// They are exported no longer.
    unexports: bool,
    /// They are shown, and not set.
    prints: bool,
    /// They are functions.
    functions: bool,
    /// They may not be set again.
    readonly: bool,
    /// They are arrays.
    array: bool,
    /// Whether they hold numbers from now on.
    integer: Option<bool>,
    /// In a function they are its own.
    is_local: bool,
}

impl How {
    /// By the name of the builtin alone, and `-g`.
    fn of(call: &ReadyCommand<'_>) -> How {
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

/// What is declared by one word.
struct Declared<'a> {
    /// A variable, or an element of one.
    name: &'a str,
    /// True for `+=`.
    append: bool,
    /// What is assigned; none for a bare name.
    value: Option<Value>,
}

impl<'a> Declared<'a> {
    /// None for what names no variable.
    fn of(text: &'a str, end: Option<&Origin>) -> Option<Declared<'a>> {
        let (name, value) = match text.split_once('=') {
            Some((name, value)) => (name, Some(Value::known(value))),
            None => (text, None),
        };
        let (name, append) = match name.strip_suffix('+') {
            Some(name) if value.is_some() => (name, true),
            _ => (name, false),
        };
        let value = match end {
            Some(origin) => value.map(|start| start.then(Value::Unknown(origin.clone()))),
            None => value,
        };
        let declared = Declared { name, append, value };
        is_name(declared.base()).then_some(declared)
    }

    /// The name of the variable.
    fn base(&self) -> &'a str {
        self.name.split('[').next().unwrap_or(self.name)
    }
}

impl Interpreter<'_> {
    /// `export`, `declare` and their like.
    pub(super) fn declare(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
        let mut how = How::of(call);
        let mut names = false;
        for argument in &call.arguments {
            match &argument.value {
                Value::Known(text) if !names && is_option(text) => {
                    self.declare_option(&mut how, text, call);
                }
                Value::Known(text) => {
                    names = true;
                    self.declare_one(&mut state, &how, text, None, call);
                }
                Value::OneOf(texts) => {
                    names = true;
                    self.declare_either(&mut state, &how, texts, call);
                }
                Value::Prefix(text, origin) if text.contains('=') => {
                    names = true;
                    self.declare_one(&mut state, &how, text, Some(origin), call);
                }
                Value::Prefix(..) | Value::Unknown(_) => {
                    names = true;
                    self.unknown_name(call);
                }
            }
        }
        if !names && !how.functions {
            self.found(Effect::EnvironmentDump, call.name, &call.span);
        } else if how.prints {
            self.shown(call);
        }
        // It fails for what is no name, for a variable that may not be set, and outside of a function.
        Flow::both(state)
    }

    /// `declare -p NAME` shows what is kept in the variables that it names.
    fn shown(&mut self, call: &ReadyCommand<'_>) {
        for argument in &call.arguments {
            match argument.value.as_known() {
                Some(text) if is_secret_name(text) => {
                    let kind = format!("the variable {text}");
                    self.found(Effect::Secret { kind, path: None }, call.name, &call.span);
                }
                Some(_) => {}
                None => self.found(Effect::EnvironmentDump, call.name, &call.span),
            }
        }
    }

    /// Reads one option of a declaration.
    fn declare_option(&mut self, how: &mut How, text: &str, call: &ReadyCommand<'_>) {
        let (on, has) = (text.starts_with('-'), |letter: char| text.contains(letter));
        how.exports |= on && has('x');
        how.unexports |= !on && has('x') || call.name == "export" && has('n');
        how.prints |= has('p');
        how.functions |= on && (has('f') || has('F'));
        how.readonly |= on && has('r');
        how.array |= on && (has('a') || has('A'));
        if has('i') {
            how.integer = Some(on);
        }
        let changes = call.name != "export" && text.contains(['n', 'l', 'u', 'c']);
        if on && (changes || has('f') && (how.readonly || how.exports)) {
            let why = format!("`{} {text}` changes what is set later", call.name);
            self.found(Effect::Dynamic { why }, call.name, &call.span);
        }
    }

    /// `name`, `name=value`, `name+=value`, of which the end may not be known.
    fn declare_one(
        &mut self,
        state: &mut State,
        how: &How,
        text: &str,
        end: Option<&Origin>,
        call: &ReadyCommand<'_>,
    ) {
        let Some(declared) = Declared::of(text, end) else { return };
        let base = declared.base();
        if how.is_local {
            self.localize(state, base);
        }
        if let Some(integer) = how.integer {
            state.held_mut(base).integer = integer;
        }
        if how.array {
            self.arrays.insert(base.to_owned());
        }
        self.declare_value(state, how, &declared, call);
        if how.exports {
            self.exported(state, declared.name, &call.span);
        } else if how.unexports {
            state.export(declared.name, false);
        }
        if how.readonly {
            state.held_mut(base).readonly = true;
        }
    }

    /// Sets what a declaration assigns, if it assigns something.
    fn declare_value(
        &mut self,
        state: &mut State,
        how: &How,
        declared: &Declared<'_>,
        call: &ReadyCommand<'_>,
    ) {
        let (name, base) = (declared.name, declared.base());
        let Some(value) = &declared.value else {
            if base.len() < name.len() {
                self.element_set(state, name, &call.span);
            }
            return;
        };
        let is_array = matches!(state.held(base).map(|it| &it.content), Some(Content::Array(_)));
        let sets_arrays = matches!(call.name, "declare" | "local" | "typeset");
        let surely = how.array || sets_arrays && is_array;
        let perhaps = sets_arrays && (base == "DIRSTACK" || self.arrays.contains(base));
        if (surely || perhaps) && may_be_compound(value) {
            let before = (!surely).then(|| state.clone());
            self.declare_compound(state, declared, value, call);
            if let Some(mut before) = before {
                self.declare_text(&mut before, declared, value, call);
                *state = before.or(state.clone());
            }
        } else {
            self.declare_text(state, declared, value, call);
        }
    }

    /// Sets a value as a text.
    fn declare_text(
        &mut self,
        state: &mut State,
        declared: &Declared<'_>,
        value: &Value,
        call: &ReadyCommand<'_>,
    ) {
        let name = declared.name;
        if declared.base().len() < name.len() {
            if is_number(state, declared.base()) {
                self.number_of(state, value, &call.span);
            }
            self.element_set(state, name, &call.span);
            return;
        }
        let value = if declared.append && is_number(state, name) {
            self.number_of(state, value, &call.span);
            Value::Unknown(Origin::Number)
        } else if declared.append {
            state.value(name).then(value.clone())
        } else {
            value.clone()
        };
        self.assign(state, name, Content::Text(value), &call.span);
    }

    /// A value in parentheses that is given to an array is code: its words are expanded once more.
    fn declare_compound(
        &mut self,
        state: &mut State,
        declared: &Declared<'_>,
        value: &Value,
        call: &ReadyCommand<'_>,
    ) {
        let base = declared.base();
        let Value::Known(text) = value else {
            let why = "what is expanded to make an array is not known".to_owned();
            self.found(Effect::Dynamic { why }, call.name, &call.span);
            self.assign(state, base, Content::Array(None), &call.span);
            return;
        };
        let sign = if declared.append { "+=" } else { "=" };
        let flow = self.text(state.clone(), &format!("{base}{sign}{text}"), &call.span);
        if let Some(end) = flow.end() {
            *state = end;
        }
    }

    /// One of several texts is declared.
    fn declare_either(
        &mut self,
        state: &mut State,
        how: &How,
        texts: &[String],
        call: &ReadyCommand<'_>,
    ) {
        let base = |text: &String| Declared::of(text, None).map(|it| it.base().to_owned());
        let first = texts.first().and_then(base);
        match &first {
            Some(name) if texts.iter().all(|text| base(text) == first) => {
                if how.is_local {
                    self.localize(state, name);
                }
            }
            _ => self.unknown_name(call),
        }
        let mut ends = None;
        for text in texts {
            let mut end = state.clone();
            self.declare_one(&mut end, how, text, None, call);
            ends = join(ends, Some(end));
        }
        if let Some(end) = ends {
            *state = end;
        }
    }

    /// Exports a variable, and reports it if it is an environment injection.
    fn exported(&mut self, state: &mut State, name: &str, span: &Span) {
        if crate::names::is_env_injection(name) {
            let value = state.value(name);
            self.found(
                Effect::EnvironmentInjection { name: name.to_owned(), value },
                "export",
                span,
            );
        }
        if is_name(name) {
            state.export(name, true);
        }
    }

    /// `unset`.
    pub(super) fn unset(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
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
                        self.reveal_outer_variable(&mut state, name);
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

    /// Sets what appears where a function unsets a variable of its caller: the value from before,
    /// or none.
    fn reveal_outer_variable(&self, state: &mut State, name: &str) {
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
    pub(super) fn unknown_name(&mut self, call: &ReadyCommand<'_>) {
        let why = "the name of a variable that is set is not known".to_owned();
        self.found(Effect::Dynamic { why }, call.name, &call.span);
    }

    /// `set`: options of the shell, and its arguments.
    pub(super) fn set(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
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

    /// Sets `$1`, `$2`, ….
    fn set_arguments(&mut self, mut state: State, arguments: &[Argument]) -> Flow {
        state.arguments = Arguments::of(arguments);
        Flow::ok(state)
    }

    /// `shift`.
    pub(super) fn shift(&mut self, mut state: State, call: &ReadyCommand<'_>) -> Flow {
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
        let bodies = FunctionBodies { or_none: true, ..bodies.clone() };
        std::sync::Arc::make_mut(&mut state.functions).insert(name.to_owned(), bodies);
    }
}

/// True for a word that a declaration reads as options.
fn is_option(text: &str) -> bool {
    text.len() > 1 && text.starts_with(['-', '+'])
}

/// Whether a value may stand in parentheses.
fn may_be_compound(value: &Value) -> bool {
    match value {
        Value::Known(text) => text.starts_with('(') && text.ends_with(')'),
        Value::Unknown(origin) => *origin != Origin::Number,
        Value::Prefix(text, _) => text.starts_with('('),
        Value::OneOf(texts) => texts.iter().any(|text| text.starts_with('(')),
    }
}
