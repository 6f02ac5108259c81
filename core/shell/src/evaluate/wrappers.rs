//! Wrapper commands: programs that run others. `sudo`, `xargs`, `sh -c`, `ssh`, `find -exec`, …
//!
//! A [`Wrapper`] has its names, a grammar of its options, and a function that finds what it runs.
//! [`evaluate_wrapper`] reads the arguments by the grammar and calls the function, which gives
//! words or a text back to the evaluation. So `sudo sh -c 'rm x'` ends as an invocation of `rm`,
//! with `sudo` and `sh` as its wrappers.
//!
//! An option that the grammar does not have makes the wrapper dynamic: what it then runs is a
//! guess, which can only make the judgement stricter. What a wrapper runs conditionally or several
//! times (`xargs`, `find`) may happen, and not more.
//!
//! - Commands behind options: `prefix`, `privilege`, `environment`. One command for each of many
//!   things: `finders`.
//! - Texts for a shell: `shells`, `texts`. Code of other languages: `interpreters`.
//! - Other machines and containers: `remote`. Files that are run by their path: `local`, `written`.

mod environment;
mod finders;
mod interpreters;
mod local;
mod prefix;
mod privilege;
mod remote;
mod shells;
mod switches;
mod texts;
mod written;

use crate::effect::{Access, Certainty, CodeFrom, Effect, FileEffect, Found};
use crate::env::Env;
use crate::evaluate::state::{Descriptor, State};
use crate::evaluate::{Context, Interpreter};
use crate::grammar;
use crate::invocation::{Argument, Invocation, Locus, Stdin, program_name};
use crate::model::{Grammar, Parsed};
use crate::models::{self, Inner};
use crate::names::is_wrapper_name;
use crate::place;
use crate::value::{Origin, Value};

/// The most wrappers within each other. Honest commands have two or three.
const DEEPEST: usize = 8;

/// A program that runs others.
struct Wrapper {
    /// Its names, without a folder. A name that ends in `*` stands for all that begin so.
    names: &'static [&'static str],
    /// Its options.
    grammar: &'static Grammar,
    /// Finds what it runs.
    run: fn(&mut WrapperCall<'_, '_>, &Parsed<'_>),
}

/// A call of a wrapper that is being evaluated.
struct WrapperCall<'a, 'e> {
    /// The evaluation that goes on with what the wrapper runs.
    interpreter: &'a mut Interpreter<'e>,
    /// The shell that what it runs finds: descriptors, variables and the folder.
    state: State,
    /// Where what it runs runs.
    locus: Locus,
    /// Its name without a folder.
    name: &'a str,
    /// The number of its invocation.
    number: usize,
    /// Its invocation.
    invocation: &'a Invocation,
    /// True if what is run may be run never or several times.
    conditional: bool,
    /// True once something was run.
    ran: bool,
    /// Whether files were in doubt before the program itself may have changed some; none once it has
    /// read the first that it runs.
    files_in_doubt: Option<bool>,
}

/// The wrappers by area. The first table that has a name counts.
const TABLES: &[&[Wrapper]] = &[
    shells::WRAPPERS,
    prefix::WRAPPERS,
    privilege::WRAPPERS,
    environment::WRAPPERS,
    finders::WRAPPERS,
    remote::WRAPPERS,
    texts::WRAPPERS,
    interpreters::WRAPPERS,
];

/// The names of all wrappers.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    TABLES.iter().copied().flatten().flat_map(|wrapper| wrapper.names.iter().copied())
}

/// The wrapper of a name.
fn find(name: &str) -> Option<&'static Wrapper> {
    let fits = |pattern: &&str| is_wrapper_name(pattern, name);
    TABLES.iter().copied().flatten().find(|wrapper| wrapper.names.iter().any(fits))
}

/// Evaluates what a wrapper runs. True if it runs something else, whose output is its own.
pub(super) fn evaluate_wrapper(
    interpreter: &mut Interpreter<'_>,
    state: &State,
    number: usize,
    invocation: &Invocation,
    files_in_doubt: bool,
) -> bool {
    let Some(program) = invocation.program.value.as_known().filter(|_| !invocation.program.many)
    else {
        return false;
    };
    let wrapper = find(program_name(program));
    let is_local = is_local(program, state, interpreter.env);
    let has_table = wrapper.is_none() || interpreters::has_table(program_name(program));
    let inner = if has_table { models::inner(invocation) } else { Vec::new() };
    let may_load = written::may_load(program_name(program));
    if wrapper.is_none() && !is_local && inner.is_empty() && !may_load {
        return false;
    }
    if invocation.wrappers.len() >= DEEPEST {
        interpreter.unknown("wrappers in wrappers, too deep to follow", invocation.span.clone());
        return false;
    }
    let mut state = state.clone();
    state.forget_functions();
    for (name, value) in &invocation.environment {
        state.set_text(name, value.clone());
        state.export(name, true);
    }
    let mut wrapper_call = WrapperCall {
        interpreter,
        state,
        locus: invocation.locus.clone(),
        name: program_name(program),
        number,
        invocation,
        conditional: false,
        ran: false,
        files_in_doubt: Some(files_in_doubt),
    };
    if is_local {
        wrapper_call.local(program);
    }
    wrapper_call.inner(inner, is_local);
    if may_load && wrapper.is_none() {
        wrapper_call.loads_written();
    }
    let Some(wrapper) = wrapper else { return wrapper_call.ran };
    let parsed = grammar::parse(invocation, wrapper.grammar);
    if let Some(option) = parsed.unknown.first() {
        let why = match option.value.as_known() {
            Some(option) => format!("`{program}` has an option that is not known: `{option}`"),
            None => format!("an option of `{program}` is not known"),
        };
        wrapper_call.dynamic(why);
    }
    (wrapper.run)(&mut wrapper_call, &parsed);
    if may_load {
        wrapper_call.loads_written();
    }
    wrapper_call.ran
}

/// True for a program that is called by its path and is none of the system, whatever its name.
fn is_local(program: &str, state: &State, env: &Env) -> bool {
    !place::is_trusted(program, &state.cwd, env)
}

impl WrapperCall<'_, '_> {
    /// The context for what it runs: one wrapper more, and this invocation around it.
    fn around(&self) -> Context {
        let mut wrappers = self.invocation.wrappers.clone();
        wrappers.push(self.name.to_owned());
        Context {
            wrappers,
            locus: self.locus.clone(),
            place: self.interpreter.around.place.clone(),
            outer: Some(self.number),
        }
    }

    /// Runs what a table says that the program runs.
    fn inner(&mut self, inner: Vec<Inner>, ran: bool) {
        for command in inner {
            match command {
                Inner::Text(text) => {
                    self.conditional = true;
                    self.script(&text, &[]);
                    self.ran = ran;
                }
                Inner::Words(words) => {
                    // A runner of Python gives a script to the interpreter.
                    let is_script = words.first().and_then(|word| word.value.as_known());
                    if is_script.is_some_and(|word| word.ends_with(".py")) {
                        let mut all = vec![self.word(Value::known("python3"))];
                        all.extend(words);
                        self.run(&all);
                    } else {
                        self.run(&words);
                    }
                }
            }
        }
    }

    /// Runs words as a program. Without words nothing is run.
    fn run(&mut self, words: &[Argument]) {
        if words.is_empty() {
            return;
        }
        self.ran = true;
        let (words, state) = (words.to_vec(), self.state.clone());
        let span = self.invocation.span.clone();
        let around = self.around();
        self.interpreter.within(around, self.conditional, |interpreter| {
            interpreter.call(state, words, Vec::new(), &span);
        });
    }

    /// Runs a text as a shell would, with `$0` and what follows it.
    fn script(&mut self, text: &Value, arguments: &[Argument]) {
        let texts: Vec<String> = match text {
            Value::Known(text) => vec![text.clone()],
            Value::OneOf(texts) => texts.clone(),
            Value::Prefix(start, _) => {
                self.dynamic(format!("the end of what `{}` runs is not known", self.name));
                self.beginning(start, arguments);
                return;
            }
            Value::Unknown(_) => {
                self.dynamic(format!("what `{}` runs is not known", self.name));
                return;
            }
        };
        self.ran = true;
        let conditional = self.conditional || texts.len() > 1;
        for text in texts {
            let (around, state) = (self.around(), self.state.clone());
            let span = self.invocation.span.clone();
            self.interpreter.within(around, conditional, |interpreter| {
                interpreter.shell(&state, &text, arguments, &span);
            });
        }
    }

    /// Runs the known beginning of a text. That it may not be a whole one is no problem of its own.
    fn beginning(&mut self, start: &str, arguments: &[Argument]) {
        let problems = self.interpreter.out.problems.len();
        let text = format!("{start}${{TOOLKEEP_UNKNOWN}}");
        let conditional = std::mem::replace(&mut self.conditional, true);
        self.script(&Value::Known(text), arguments);
        self.conditional = conditional;
        self.interpreter.out.problems.truncate(problems);
    }

    /// Runs what stands on standard input as a shell would, with its arguments.
    fn script_of_stdin(&mut self, arguments: &[Argument]) {
        match self.invocation.stdin.clone() {
            // A caller may type.
            Stdin::Inherited => self.effect(Effect::Code { from: CodeFrom::Stdin }),
            Stdin::Text(text) | Stdin::Rest(text) => {
                // What its commands read is what it would have run.
                let own = self.interpreter.opened(Value::Unknown(Origin::Other));
                self.state.redirect(0, own.clone());
                let zero = self.word(Value::known(self.name));
                let arguments: Vec<Argument> =
                    std::iter::once(zero).chain(arguments.iter().cloned()).collect();
                self.script(&text, &arguments);
                let is_rest = matches!(self.invocation.stdin, Stdin::Rest(_));
                if is_rest || self.interpreter.is_partly_read(&own) {
                    self.dynamic(format!(
                        "a part of what `{}` runs is not known, or read by another",
                        self.name
                    ));
                }
            }
            Stdin::File(path) if path.as_known() == Some("/dev/null") => {}
            Stdin::File(path) => self.script_of_file(&path, arguments),
            Stdin::Pipe(_) | Stdin::Unknown => {
                self.effect(Effect::Code { from: CodeFrom::Stdin });
                self.dynamic(format!("what `{}` reads and runs is not known", self.name));
            }
        }
    }

    /// Runs a script that stands in a file, with its arguments.
    fn script_of_file(&mut self, path: &Value, arguments: &[Argument]) {
        let zero = self.word(path.clone());
        let path = place::resolve(path, &self.state.cwd, self.interpreter.env);
        if let Value::OneOf(paths) = path {
            return self
                .each_possible_file(paths, |this, path| this.script_of_file(path, arguments));
        }
        let text = match path.as_known() {
            Some(known) if place::is_stdin(known) => {
                self.script_of_stdin(arguments);
                return;
            }
            Some(known) => self.own_file(known),
            None => None,
        };
        let is_process = path.prefix().starts_with(place::PROCESS) && text.is_none()
            || self.interpreter.descriptor_at(&self.state, &path).is_some();
        if is_process || !path.outputs().is_empty() {
            self.effect(Effect::Code { from: CodeFrom::Stdin });
            self.dynamic(format!("what `{}` reads and runs is not known", self.name));
            return;
        }
        if !path.prefix().starts_with("/dev/fd/") {
            let scope = place::scope(&path, self.interpreter.env);
            let access = Access::Execute;
            let file = FileEffect { access, path, scope, recursive: false, forced: false };
            self.effect(Effect::File(file));
        }
        match text {
            None => self.effect(Effect::Code { from: CodeFrom::File }),
            Some(text) if text.outputs().is_empty() => {
                let arguments: Vec<Argument> =
                    std::iter::once(zero).chain(arguments.iter().cloned()).collect();
                self.script(&text, &arguments);
            }
            Some(_) => {
                self.effect(Effect::Code { from: CodeFrom::Fetched });
                self.dynamic(format!("what `{}` runs was written by a program", self.name));
            }
        }
    }

    /// Runs what may be in one of several files.
    fn each_possible_file(&mut self, paths: Vec<String>, mut run: impl FnMut(&mut Self, &Value)) {
        let conditional = std::mem::replace(&mut self.conditional, true);
        for path in paths {
            run(self, &Value::Known(path));
        }
        self.conditional = conditional;
    }

    /// The text of a file that this text wrote and that the program reads to run it. If it may be
    /// something else by then, that is reported.
    fn own_file(&mut self, path: &str) -> Option<Value> {
        let in_doubt = self.files_in_doubt.take().unwrap_or(self.interpreter.files_in_doubt);
        let span = self.invocation.span.clone();
        self.interpreter.file_to_run(path, self.name, &span, in_doubt)
    }

    /// Records that it is not known what the wrapper runs.
    fn dynamic(&mut self, why: String) {
        self.effect(Effect::Dynamic { why });
    }

    /// Records an effect of the wrapper itself.
    fn effect(&mut self, effect: Effect) {
        let may = self.conditional || self.interpreter.out.invocations[self.number].conditional;
        let certainty = if may { Certainty::May } else { Certainty::Must };
        let program = self.name.to_owned();
        let span = self.invocation.span.clone();
        let found = Found { effect, certainty, by: Some(self.number), program, span };
        if !self.interpreter.out.found.contains(&found) {
            self.interpreter.out.found.push(found);
        }
    }

    /// Records what the wrapper itself does with a file that an option names.
    fn file(&mut self, access: Access, file: Option<&Argument>) {
        let Some(file) = file.filter(|file| file.value.as_known() != Some("-")) else { return };
        let path = place::resolve(&file.value, &self.state.cwd, self.interpreter.env);
        let scope = place::scope(&path, self.interpreter.env);
        let effect = FileEffect { access, path, scope, recursive: false, forced: false };
        self.effect(Effect::File(effect));
    }

    /// Some words as one text, as `sh -c "$*"` has it.
    fn joined(&self, words: &[Argument]) -> Value {
        let mut all = Value::known("");
        for (at, word) in words.iter().enumerate() {
            if at > 0 {
                all = all.then(Value::known(" "));
            }
            all = all.then(word.value.clone());
            if word.many {
                let origin = word.value.origin().cloned().unwrap_or(Origin::Other);
                all = all.then(Value::Unknown(origin));
            }
        }
        all
    }

    /// A word with this value, at the place of the invocation.
    fn word(&self, value: Value) -> Argument {
        Argument::new(value, self.invocation.span.clone())
    }
}
