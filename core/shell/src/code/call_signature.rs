//! What calls do: a function's signature says what its arguments mean.
//!
//! A table of a language maps each function that matters to a [`CallSignature`]: the first argument
//! is a text for a shell, the second names a file to write. [`Reader::call`] evaluates a call by
//! its signature and records the acts. A function in no table may still do harm through its
//! arguments; `beyond` looks at those.
//!
//! Files and addresses that a call opens: `files`.
//!
//! # Example
//!
//! `shutil.move(a, b)` has the signature `Between(Move, Write)`: the file that the first argument
//! names is moved, the one that the second names is written. `subprocess.run(x, shell=True)` has
//! `Process`, which looks at the option: with it `x` is a text for a shell, and without it a
//! program.

mod files;

use super::abstract_value::{AbstractValue, Provenance, joined};
use super::address::address;
use super::reader::{Reader, is_environment};
use super::{Act, Language};
use crate::effect::{Access, CodeFrom, Effect, Payload};
use crate::value::{Origin, Value};

/// What a function does with its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum CallSignature {
    /// The first argument is a text for a shell.
    Shell,
    /// The arguments are a program and its arguments; one alone is a text for a shell.
    Words,
    /// The first argument is a list of words; or a program, or with `shell` a text for a shell.
    Process,
    /// The first argument is a program, its arguments begin at this one, in lists or not.
    Program(usize),
    /// As [`CallSignature::Program`]; the first of the arguments is the program's own name.
    Execute(usize),
    /// Something with the file that this argument names.
    File(Access, usize),
    /// As [`CallSignature::File`], if there is such an argument.
    Maybe(Access, usize),
    /// Something with all files that the arguments name.
    Files(Access),
    /// Something with all that is below what the first argument names.
    Tree(Access),
    /// Opens an archive; the second argument says for what.
    Archive,
    /// Packs the folder that the third argument names into a file that the first one names.
    Packs,
    /// Deletes what the first argument names, as its options say.
    Remove,
    /// Action the one with the first argument, the other with the second.
    Between(Access, Access),
    /// Opens a file; the second argument says for what. In some languages it may be a command.
    Open,
    /// Something with the path that it is a method of.
    Of(Access),
    /// Something with the path that it is a method of, and with the first argument.
    OfBetween(Access, Access),
    /// Fetches the address that this argument is, and sends what follows.
    Fetch(usize),
    /// As [`CallSignature::Fetch`], and it sends for sure.
    Send(usize),
    /// Connects to a host, by hand.
    Connect(usize),
    /// Connects to a host that it speaks a protocol with.
    Talk(usize),
    /// Waits for connections.
    Listen,
    /// This argument is code of the same language.
    Code(usize),
    /// The first argument names a file of code.
    Load,
    /// The arguments name folders in which modules are looked for.
    Library,
    /// Goes into the folder that the first argument names.
    Folder,
    /// The first argument names a module.
    Import,
    /// Reads a variable of the environment; without an argument, all.
    Variable,
    /// Sets one.
    SetVariable,
    /// Ends a process.
    Kill,
    /// Makes a second process of this one.
    Fork,
    /// Joins a connection to a program's input and output.
    Join,
    /// Makes a template of a text, which may have code in it.
    Template,
    /// What it does is not known.
    Dynamic,
    /// Something that no arguments matter to.
    Effect(fn() -> Effect),
    /// Nothing that matters.
    Nothing,
}

impl Reader<'_> {
    /// Evaluates a call. The result is what it returns.
    #[expect(
        clippy::too_many_lines,
        reason = "one question after the other, each of which may end it"
    )]
    pub(super) fn call(
        &mut self,
        operand: &AbstractValue,
        mut arguments: Vec<AbstractValue>,
        named: Vec<(String, AbstractValue)>,
    ) -> AbstractValue {
        let (path, made) = match operand {
            AbstractValue::Path(path, made) => (path.clone(), made.clone()),
            AbstractValue::Text(value) if self.language == Language::Php => {
                match value.as_known() {
                    Some(name) => (name.trim_start_matches('\\').to_owned(), Vec::new()),
                    None => return self.unknown_call(),
                }
            }
            AbstractValue::Text(value) if self.language == Language::Perl => match value.as_known()
            {
                Some(name) => (self.tables.canonical(&name.replace("::", ".")), Vec::new()),
                None => return self.unknown_call(),
            },
            AbstractValue::Unknown(Provenance::Code) => return self.unknown_call(),
            AbstractValue::Map(_) => {
                arguments.iter().for_each(|operand| self.check_callback(operand));
                return AbstractValue::Unknown(Provenance::Other);
            }
            other => {
                arguments.iter().for_each(|operand| self.check_callback(operand));
                return AbstractValue::Unknown(other.provenance());
            }
        };
        if made.first().is_some_and(|operand| operand.provenance() == Provenance::Code) {
            return self.unknown_call();
        }
        if let Some(parameters) = self.parameters(&path) {
            for (name, operand) in parameters.iter().zip(&arguments) {
                self.give(name, operand.clone());
            }
            for (name, operand) in &named {
                self.give(name, operand.clone());
            }
        }
        if path.starts_with("environment.") {
            return match arguments.first() {
                Some(key) if !path.ends_with(".update") => self.variable(&key.clone()),
                _ => AbstractValue::path("environment"),
            };
        }
        if let Some(found) = self.computed(&path, &made, &arguments, &named) {
            return found;
        }
        if self.language == Language::Perl && matches!(path.as_str(), "push" | "unshift") {
            let (list, rest) =
                arguments.split_first().map_or((None, &[][..]), |(one, rest)| (Some(one), rest));
            if matches!(list, Some(AbstractValue::Path(path, _)) if path == "@INC") {
                rest.iter().for_each(|operand| self.library(operand));
            }
        }
        let hidden = |name: &str| matches!(name, "env" | "environ" | "environment");
        let copies =
            matches!(path.as_str(), "dict" | "Object.assign" | "copy.copy" | "copy.deepcopy");
        if copies && arguments.iter().any(is_environment) {
            return AbstractValue::path("environment");
        }
        for operand in &arguments {
            match operand {
                AbstractValue::Map(all) => {
                    let shown = all.iter().filter(|(name, _)| !hidden(name));
                    let shown: Vec<_> = shown.map(|(_, operand)| operand.clone()).collect();
                    self.shown(&AbstractValue::List(shown));
                }
                operand => self.shown(operand),
            }
        }
        for (name, operand) in &named {
            if !hidden(name) {
                self.shown(operand);
            }
            if matches!(name.as_str(), "shell" | "executable") {
                continue;
            }
            self.check_callback(operand);
        }
        self.check_function_from_code(&path, &arguments);
        self.starts(&path);
        match self.tables.find(&path) {
            Some(signature) => {
                if !named.is_empty() {
                    arguments.push(AbstractValue::Map(named));
                }
                self.perform(&path, *signature, &made, &arguments)
            }
            None => {
                if self.tables.is_risky(&path) {
                    self.dynamic(format!("what `{path}` does is not known"));
                }
                self.check_unknown_function(&path, &arguments, &named);
                self.check_module_argument(&path, &arguments);
                arguments.iter().for_each(|operand| self.check_callback(operand));
                self.result(path, made, arguments)
            }
        }
    }

    /// What a call returns that is not computed: a path that remembers its arguments, or a value
    /// with their provenance.
    fn result(
        &mut self,
        path: String,
        made: Vec<AbstractValue>,
        arguments: Vec<AbstractValue>,
    ) -> AbstractValue {
        let tainted = made
            .iter()
            .chain(&arguments)
            .map(AbstractValue::provenance)
            .find(|provenance| *provenance != Provenance::Other);
        match tainted {
            Some(provenance) if provenance != Provenance::Code => {
                AbstractValue::Unknown(provenance)
            }
            _ if path.starts_with("*.") || path.len() > 200 => {
                AbstractValue::Unknown(Provenance::Other)
            }
            _ => AbstractValue::Path(
                format!("{path}()"),
                if made.is_empty() { arguments } else { made },
            )
            .short(),
        }
    }

    /// Records a call of a function that is not known.
    fn unknown_call(&mut self) -> AbstractValue {
        self.dynamic("which function is called is not known");
        AbstractValue::Unknown(Provenance::Other)
    }

    /// Records that a known function is passed to another one, which may call it.
    pub(super) fn check_callback(&mut self, value: &AbstractValue) {
        let AbstractValue::Path(path, made) = value else { return };
        if !made.is_empty() || path.contains('(') {
            return;
        }
        let harmless = |signature: &CallSignature| {
            matches!(signature, CallSignature::Nothing | CallSignature::Import)
        };
        if self.tables.find(path).is_some_and(|signature| !harmless(signature))
            && self.is_known_call(value)
        {
            self.report_callback(path.clone());
        }
    }

    /// Records that a function is passed on, unless it is only assigned.
    fn report_callback(&mut self, path: String) {
        if !matches!(self.peek(), Some(super::token::Token::Mark("="))) {
            self.dynamic(format!("`{path}` is given to something else, which calls it"));
        }
    }

    /// True for a function that stands in a table, so that calling it does something.
    pub(super) fn is_known_call(&self, value: &AbstractValue) -> bool {
        let AbstractValue::Path(path, made) = value else { return false };
        let exact = self.tables.calls.iter().any(|(name, _)| name == path);
        made.is_empty() && exact
    }

    /// Records what a call with this signature does. One match arm per kind of action.
    #[expect(clippy::too_many_lines, reason = "one match arm per kind of action")]
    fn perform(
        &mut self,
        path: &str,
        signature: CallSignature,
        made: &[AbstractValue],
        arguments: &[AbstractValue],
    ) -> AbstractValue {
        let none = AbstractValue::Unknown(Provenance::Other);
        let at = |at: usize| {
            arguments.get(at).cloned().unwrap_or(AbstractValue::Unknown(Provenance::Other))
        };
        let first = at(0);
        match signature {
            CallSignature::Shell
            | CallSignature::Words
            | CallSignature::Process
            | CallSignature::Program(_)
            | CallSignature::Execute(_) => {
                self.process(signature, arguments);
                return self.result(path.to_owned(), Vec::new(), Vec::new());
            }
            // `IO.write("|command", …)`
            CallSignature::File(_, 0)
                if path.starts_with("IO.")
                    && self.language == Language::Ruby
                    && first.text().is_none_or(|text| text.starts_with('|')) =>
            {
                return self.open(arguments);
            }
            CallSignature::File(access, position) => {
                self.file(access, &at(position));
                // Its methods are distinguished by the call that returned it.
                if self.language == Language::Python && !path.starts_with("*.") {
                    return self.result(path.to_owned(), Vec::new(), arguments.to_vec());
                }
            }
            CallSignature::Maybe(access, position) => {
                if let Some(operand) = arguments.get(position) {
                    self.file(access, operand);
                }
            }
            CallSignature::Files(access) => {
                if arguments.is_empty() {
                    self.file(access, &none);
                }
                for operand in arguments.iter().flat_map(AbstractValue::elements) {
                    self.file(access, &operand);
                }
            }
            CallSignature::Tree(access) => {
                for path in first.elements() {
                    let (path, recursive, forced) = (path.value(), true, access == Access::Delete);
                    self.act(Act::File { access, path, recursive, forced });
                }
            }
            CallSignature::Remove => {
                let is = |name: &str| {
                    arguments
                        .iter()
                        .any(|operand| operand.option(name).is_some_and(AbstractValue::is_true))
                };
                let (path, recursive, forced) = (first.value(), is("recursive"), is("force"));
                self.act(Act::File { access: Access::Delete, path, recursive, forced });
            }
            CallSignature::Between(one, other) => {
                self.file(one, &first);
                self.file(other, &at(1));
            }
            CallSignature::Open => return self.open(arguments),
            CallSignature::Archive => {
                self.open(arguments);
                return AbstractValue::Path("archive()".into(), Vec::new());
            }
            CallSignature::Packs => {
                self.file(Access::Write, &first);
                let named = ["root_dir", "base_dir"];
                let options =
                    arguments.iter().flat_map(|operand| named.map(|name| operand.option(name)));
                for root in options.flatten().chain(arguments.get(2..).unwrap_or_default()) {
                    if !matches!(root, AbstractValue::Map(_)) {
                        self.file(Access::Read, root);
                    }
                }
            }
            CallSignature::Of(access) => self.act(Act::file(access, joined(made))),
            CallSignature::OfBetween(one, other) => {
                self.act(Act::file(one, joined(made)));
                self.file(other, &first);
            }
            CallSignature::Fetch(position) | CallSignature::Send(position) => {
                return self.fetch(
                    matches!(signature, CallSignature::Send(_)),
                    path,
                    position,
                    arguments,
                );
            }
            CallSignature::Connect(position) | CallSignature::Talk(position) => {
                self.connects |= matches!(signature, CallSignature::Connect(_));
                let (host, port) = address(arguments.get(position..).unwrap_or_default());
                let sends = Payload::Text;
                self.effect(Effect::Network { host, port, fetches: true, sends });
                return AbstractValue::Unknown(Provenance::Network);
            }
            CallSignature::Listen => {
                self.connects = true;
                self.effect(Effect::Listen { port: address(arguments).1 });
                return AbstractValue::Unknown(Provenance::Network);
            }
            CallSignature::Code(position) => {
                let last = self.code(&at(position));
                // It makes a function of the text, which gives what the text does.
                let makes = path == "Function" || path.ends_with("constructor");
                return if makes { AbstractValue::Unknown(Provenance::Code) } else { last };
            }
            CallSignature::Load => self.load(path, arguments),
            CallSignature::Library => arguments.iter().for_each(|operand| self.library(operand)),
            CallSignature::Folder => {
                let perhaps = self.branching || self.language == Language::Ruby;
                self.act(Act::Folder { path: first.value(), perhaps });
            }
            CallSignature::Import => return self.import_by_name(&first),
            CallSignature::Variable if arguments.is_empty() => self.effect(Effect::EnvironmentDump),
            CallSignature::Variable => return self.variable(&first),
            CallSignature::SetVariable => {
                let text = first.value().prefix().to_owned();
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name.to_owned(), Value::known(value)),
                    None => (text, at(1).value()),
                };
                if crate::names::is_env_injection(&name) || crate::environment::steers(&name) {
                    self.effect(Effect::EnvironmentInjection { name, value });
                }
            }
            CallSignature::Kill => {
                let what = if self.language == Language::Perl || self.language == Language::Ruby {
                    at(1).value()
                } else {
                    first.value()
                };
                let all = matches!(what.as_known(), Some("-1" | "0"));
                self.effect(Effect::Kill { all, what });
            }
            CallSignature::Fork => self.forks(),
            CallSignature::Join => self.runs = true,
            CallSignature::Template if first.text().is_some_and(|text| !text.contains("<%")) => {}
            CallSignature::Template => {
                self.dynamic(format!("`{path}` may run what stands in its text"))
            }
            CallSignature::Dynamic => self.dynamic(format!("what `{path}` runs cannot be told")),
            CallSignature::Effect(make) => self.effect(make()),
            CallSignature::Nothing => {
                return self.result(path.to_owned(), made.to_vec(), arguments.to_vec());
            }
        }
        none
    }

    /// Records an access to the file that a value names.
    pub(super) fn file(&mut self, access: Access, value: &AbstractValue) {
        if self.language == Language::Php
            && let Some(text) = value.text().filter(|text| text.contains("://"))
        {
            match files::place_of_php(Some(text)) {
                Some(path) => self.act(Act::file(access, Value::known(path))),
                None if text.starts_with("php://") => {}
                None => self.dynamic(format!("what `{text}` stands for is not known")),
            }
            return;
        }
        // A descriptor is no path.
        if !matches!(value, AbstractValue::Number(_)) {
            self.act(Act::file(access, value.value()));
        }
    }

    /// A text is given to a shell.
    pub(super) fn shell(&mut self, value: &AbstractValue) {
        self.runs = true;
        self.taint(value);
        self.act(Act::Shell(value.value()));
    }

    /// Records that code runs which was fetched, decoded or read.
    fn taint(&mut self, value: &AbstractValue) {
        let from = match value.provenance() {
            Provenance::Network => CodeFrom::Network,
            Provenance::Decoded => CodeFrom::Decoded,
            Provenance::Input => CodeFrom::Stdin,
            Provenance::Other | Provenance::Code => return,
        };
        self.effect(Effect::Code { from });
    }

    /// Records that a program runs, as the signature splits program and arguments.
    fn process(&mut self, signature: CallSignature, arguments: &[AbstractValue]) {
        self.runs = true;
        let Some(first) = arguments.first().cloned() else { return };
        let option = |name: &str| {
            arguments.iter().any(|operand| operand.option(name).is_some_and(AbstractValue::is_true))
        };
        let words: Vec<AbstractValue> = match signature {
            CallSignature::Shell => {
                // A list of words needs no shell: PHP's `proc_open`.
                match first {
                    AbstractValue::List(words) => words,
                    text => return self.shell(&text),
                }
            }
            CallSignature::Process => match first {
                AbstractValue::List(words) if option("shell") && !words.is_empty() => {
                    return self.shell(&words[0]);
                }
                AbstractValue::List(words) => words,
                text if option("shell") => return self.shell(&text),
                text => vec![text],
            },
            CallSignature::Words => {
                let words: Vec<AbstractValue> = arguments
                    .iter()
                    .filter(|operand| !matches!(operand, AbstractValue::Map(_)))
                    .flat_map(AbstractValue::elements)
                    .collect();
                // What takes options behind the command is called with options alone.
                match &words[..] {
                    [text] => return self.shell(&text.clone()),
                    _ => words,
                }
            }
            CallSignature::Program(from) | CallSignature::Execute(from) => {
                let rest = arguments.get(from..).unwrap_or_default();
                let skip = usize::from(matches!(signature, CallSignature::Execute(_)));
                let rest: Vec<AbstractValue> = rest
                    .iter()
                    .filter(|operand| {
                        !matches!(operand, AbstractValue::Map(_) | AbstractValue::Path(..))
                    })
                    .flat_map(AbstractValue::elements)
                    .skip(skip)
                    .collect();
                if option("shell") {
                    let mut text = first.clone();
                    for word in &rest {
                        text = text.then(&AbstractValue::known(" ")).then(word);
                    }
                    return self.shell(&text);
                }
                std::iter::once(first).chain(rest).collect()
            }
            _ => return,
        };
        if let Some(program) = words.first() {
            self.taint(&program.clone());
        }
        self.act(Act::Run(words.iter().map(AbstractValue::value).collect()));
    }

    /// Runs a text as code.
    fn code(&mut self, operand: &AbstractValue) -> AbstractValue {
        match operand {
            AbstractValue::Text(Value::Known(text)) => {
                let text = text.clone();
                return self.text(&text);
            }
            AbstractValue::Text(Value::OneOf(texts)) => {
                for text in texts.clone() {
                    self.text(&text);
                }
            }
            AbstractValue::Path(path, made)
                if path.starts_with("open()") || path.ends_with("read_text()") =>
            {
                let path = made.first().map_or(Value::Unknown(Origin::Other), AbstractValue::value);
                self.act(Act::Load(path));
            }
            // Python's `compile` gives what it was given.
            AbstractValue::Number(_) | AbstractValue::List(_) | AbstractValue::Map(_) => {}
            other => {
                self.taint(other);
                self.dynamic("code is run that is not known");
            }
        }
        AbstractValue::Unknown(operand.provenance())
    }

    /// Imports a module by a name that may not be known.
    pub(super) fn import_by_name(&mut self, value: &AbstractValue) -> AbstractValue {
        let Some(name) = value.text() else {
            self.dynamic("which module is imported is not known");
            return AbstractValue::Unknown(Provenance::Code);
        };
        let name = name.strip_prefix("node:").unwrap_or(name).to_owned();
        if name.starts_with(['.', '/']) || name.ends_with(".php") || name.ends_with(".rb") {
            if !name.ends_with(".json") {
                self.act(Act::Load(value.value()));
            } else {
                self.file(Access::Read, value);
            }
            return AbstractValue::path("loaded");
        }
        let path = match self.language {
            Language::JavaScript => self.tables.canonical(&name.replace('/', ".")),
            _ => name,
        };
        self.import(&path);
        AbstractValue::path(path)
    }

    /// Imports a module. One that does not come with the language is code of the project.
    pub(super) fn import(&mut self, path: &str) {
        let first = path.split(['.', '/']).next().unwrap_or_default();
        let known = |names: &[&str]| names.contains(&first) || names.contains(&path);
        let calls = self.tables.calls.iter();
        let is_known = known(self.tables.modules)
            || known(self.tables.risky)
            || calls.map(|(call, _)| *call).any(|call| call.split('.').next() == Some(first));
        if !is_known && !first.is_empty() {
            self.foreign.push(first.to_owned());
            let name = format!("the module {path}");
            self.effect(Effect::Code { from: CodeFrom::Project(name) });
        }
    }
}
