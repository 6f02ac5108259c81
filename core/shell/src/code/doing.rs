//! What calls do.

mod files;

use super::super::effect::{Access, CodeFrom, Effect, Payload};
use super::super::value::{Origin, Value};
use super::address::address;
use super::reader::{Reader, is_environment};
use super::thing::{From, Thing, joined};
use super::{Act, Language};

/// What a function does with its arguments.
#[derive(Clone, Copy, Debug)]
pub(super) enum Doing {
    /// The first argument is a text for a shell.
    Shell,
    /// The arguments are a program and its arguments; one alone is a text for a shell.
    Words,
    /// The first argument is a list of words; or a program, or with `shell` a text for a shell.
    Process,
    /// The first argument is a program, its arguments begin at this one, in lists or not.
    Program(usize),
    /// As [`Doing::Program`]; the first of the arguments is the program's own name.
    Execute(usize),
    /// Something with the file that this argument names.
    File(Access, usize),
    /// As [`Doing::File`], if there is such an argument.
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
    /// Does the one with the first argument, the other with the second.
    Between(Access, Access),
    /// Opens a file; the second argument says for what. In some languages it may be a command.
    Open,
    /// Something with the path that it is a method of.
    Of(Access),
    /// Something with the path that it is a method of, and with the first argument.
    OfBetween(Access, Access),
    /// Fetches the address that this argument is, and sends what follows.
    Fetch(usize),
    /// As [`Doing::Fetch`], and it sends for sure.
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
    /// What it does cannot be told.
    Dynamic,
    /// Something that no arguments matter to.
    Effect(fn() -> Effect),
    /// Nothing that matters.
    Nothing,
}

impl Reader<'_> {
    /// Calls something; what comes of it.
    #[expect(
        clippy::too_many_lines,
        reason = "one question after the other, each of which may end it"
    )]
    pub(super) fn call(
        &mut self,
        thing: &Thing,
        mut given: Vec<Thing>,
        named: Vec<(String, Thing)>,
    ) -> Thing {
        let (path, made) = match thing {
            Thing::Path(path, made) => (path.clone(), made.clone()),
            Thing::Text(value) if self.language == Language::Php => match value.as_known() {
                Some(name) => (name.trim_start_matches('\\').to_owned(), Vec::new()),
                None => return self.unknown_call(),
            },
            Thing::Text(value) if self.language == Language::Perl => match value.as_known() {
                Some(name) => (self.tables.canonical(&name.replace("::", ".")), Vec::new()),
                None => return self.unknown_call(),
            },
            Thing::Unknown(From::Code) => return self.unknown_call(),
            Thing::Map(_) => {
                given.iter().for_each(|thing| self.handed_on(thing));
                return Thing::Unknown(From::Other);
            }
            other => {
                given.iter().for_each(|thing| self.handed_on(thing));
                return Thing::Unknown(other.from());
            }
        };
        if made.first().is_some_and(|thing| thing.from() == From::Code) {
            return self.unknown_call();
        }
        if let Some(parameters) = self.parameters(&path) {
            for (name, thing) in parameters.iter().zip(&given) {
                self.give(name, thing.clone());
            }
            for (name, thing) in &named {
                self.give(name, thing.clone());
            }
        }
        if path.starts_with("environment.") {
            return match given.first() {
                Some(key) if !path.ends_with(".update") => self.variable(&key.clone()),
                _ => Thing::path("environment"),
            };
        }
        if let Some(found) = self.computed(&path, &made, &given, &named) {
            return found;
        }
        if self.language == Language::Perl && matches!(path.as_str(), "push" | "unshift") {
            let (list, rest) =
                given.split_first().map_or((None, &[][..]), |(one, rest)| (Some(one), rest));
            if matches!(list, Some(Thing::Path(path, _)) if path == "@INC") {
                rest.iter().for_each(|thing| self.library(thing));
            }
        }
        let hidden = |name: &str| matches!(name, "env" | "environ" | "environment");
        let copies =
            matches!(path.as_str(), "dict" | "Object.assign" | "copy.copy" | "copy.deepcopy");
        if copies && given.iter().any(is_environment) {
            return Thing::path("environment");
        }
        for thing in &given {
            match thing {
                Thing::Map(all) => {
                    let shown = all.iter().filter(|(name, _)| !hidden(name));
                    let shown: Vec<_> = shown.map(|(_, thing)| thing.clone()).collect();
                    self.shown(&Thing::List(shown));
                }
                thing => self.shown(thing),
            }
        }
        for (name, thing) in &named {
            if !hidden(name) {
                self.shown(thing);
            }
            if matches!(name.as_str(), "shell" | "executable") {
                continue;
            }
            self.handed_on(thing);
        }
        self.made_of_code(&path, &given);
        self.starts(&path);
        match self.tables.find(&path) {
            Some(doing) => {
                if !named.is_empty() {
                    given.push(Thing::Map(named));
                }
                self.does(&path, *doing, &made, &given)
            }
            None => {
                if self.tables.is_risky(&path) {
                    self.dynamic(format!("what `{path}` does is not known"));
                }
                self.unmodelled(&path, &given, &named);
                self.handed_whole(&path, &given);
                given.iter().for_each(|thing| self.handed_on(thing));
                self.result(path, made, given)
            }
        }
    }

    fn result(&mut self, path: String, made: Vec<Thing>, given: Vec<Thing>) -> Thing {
        let tainted = made.iter().chain(&given).map(Thing::from).find(|from| *from != From::Other);
        match tainted {
            Some(from) if from != From::Code => Thing::Unknown(from),
            _ if path.starts_with("*.") || path.len() > 200 => Thing::Unknown(From::Other),
            _ => {
                Thing::Path(format!("{path}()"), if made.is_empty() { given } else { made }).short()
            }
        }
    }

    fn unknown_call(&mut self) -> Thing {
        self.dynamic("which function is called is not known");
        Thing::Unknown(From::Other)
    }

    /// A function that is given away is called by who gets it.
    pub(super) fn handed_on(&mut self, thing: &Thing) {
        let Thing::Path(path, made) = thing else { return };
        if !made.is_empty() || path.contains('(') {
            return;
        }
        let harmless = |doing: &Doing| matches!(doing, Doing::Nothing | Doing::Import);
        if self.tables.find(path).is_some_and(|doing| !harmless(doing)) && self.is_verb(thing) {
            self.given_away(path.clone());
        }
    }

    fn given_away(&mut self, path: String) {
        if !matches!(self.peek(), Some(super::token::Token::Mark("="))) {
            self.dynamic(format!("`{path}` is given to something else, which calls it"));
        }
    }

    /// True for what does something when it is called.
    pub(super) fn is_verb(&self, thing: &Thing) -> bool {
        let Thing::Path(path, made) = thing else { return false };
        let exact = self.tables.calls.iter().any(|(name, _)| name == path);
        made.is_empty() && exact
    }

    #[expect(clippy::too_many_lines, reason = "one arm a kind of deed")]
    fn does(&mut self, path: &str, doing: Doing, made: &[Thing], given: &[Thing]) -> Thing {
        let none = Thing::Unknown(From::Other);
        let at = |at: usize| given.get(at).cloned().unwrap_or(Thing::Unknown(From::Other));
        let first = at(0);
        match doing {
            Doing::Shell
            | Doing::Words
            | Doing::Process
            | Doing::Program(_)
            | Doing::Execute(_) => {
                self.process(doing, given);
                return self.result(path.to_owned(), Vec::new(), Vec::new());
            }
            // `IO.write("|command", …)`
            Doing::File(_, 0)
                if path.starts_with("IO.")
                    && self.language == Language::Ruby
                    && first.text().is_none_or(|text| text.starts_with('|')) =>
            {
                return self.open(given);
            }
            Doing::File(access, position) => {
                self.file(access, &at(position));
                // Its methods are told apart by where it is from.
                if self.language == Language::Python && !path.starts_with("*.") {
                    return self.result(path.to_owned(), Vec::new(), given.to_vec());
                }
            }
            Doing::Maybe(access, position) => {
                if let Some(thing) = given.get(position) {
                    self.file(access, thing);
                }
            }
            Doing::Files(access) => {
                if given.is_empty() {
                    self.file(access, &none);
                }
                for thing in given.iter().flat_map(Thing::elements) {
                    self.file(access, &thing);
                }
            }
            Doing::Tree(access) => {
                for path in first.elements() {
                    let (path, recursive, forced) = (path.value(), true, access == Access::Delete);
                    self.act(Act::File { access, path, recursive, forced });
                }
            }
            Doing::Remove => {
                let is = |name: &str| {
                    given.iter().any(|thing| thing.option(name).is_some_and(Thing::is_true))
                };
                let (path, recursive, forced) = (first.value(), is("recursive"), is("force"));
                self.act(Act::File { access: Access::Delete, path, recursive, forced });
            }
            Doing::Between(one, other) => {
                self.file(one, &first);
                self.file(other, &at(1));
            }
            Doing::Open => return self.open(given),
            Doing::Archive => {
                self.open(given);
                return Thing::Path("archive()".into(), Vec::new());
            }
            Doing::Packs => {
                self.file(Access::Write, &first);
                let named = ["root_dir", "base_dir"];
                let options = given.iter().flat_map(|thing| named.map(|name| thing.option(name)));
                for root in options.flatten().chain(given.get(2..).unwrap_or_default()) {
                    if !matches!(root, Thing::Map(_)) {
                        self.file(Access::Read, root);
                    }
                }
            }
            Doing::Of(access) => self.act(Act::file(access, joined(made))),
            Doing::OfBetween(one, other) => {
                self.act(Act::file(one, joined(made)));
                self.file(other, &first);
            }
            Doing::Fetch(position) | Doing::Send(position) => {
                return self.fetch(matches!(doing, Doing::Send(_)), path, position, given);
            }
            Doing::Connect(position) | Doing::Talk(position) => {
                self.connects |= matches!(doing, Doing::Connect(_));
                let (host, port) = address(given.get(position..).unwrap_or_default());
                let sends = Payload::Text;
                self.effect(Effect::Network { host, port, fetches: true, sends });
                return Thing::Unknown(From::Network);
            }
            Doing::Listen => {
                self.connects = true;
                self.effect(Effect::Listen { port: address(given).1 });
                return Thing::Unknown(From::Network);
            }
            Doing::Code(position) => {
                let last = self.code(&at(position));
                // It makes a function of the text, which gives what the text does.
                let makes = path == "Function" || path.ends_with("constructor");
                return if makes { Thing::Unknown(From::Code) } else { last };
            }
            Doing::Load => self.load(path, given),
            Doing::Library => given.iter().for_each(|thing| self.library(thing)),
            Doing::Folder => {
                let perhaps = self.branching || self.language == Language::Ruby;
                self.act(Act::Folder { path: first.value(), perhaps });
            }
            Doing::Import => return self.required(&first),
            Doing::Variable if given.is_empty() => self.effect(Effect::EnvironmentDump),
            Doing::Variable => return self.variable(&first),
            Doing::SetVariable => {
                let text = first.value().prefix().to_owned();
                let (name, value) = match text.split_once('=') {
                    Some((name, value)) => (name.to_owned(), Value::known(value)),
                    None => (text, at(1).value()),
                };
                if crate::interpret::is_poison(&name) || crate::environment::steers(&name) {
                    self.effect(Effect::EnvironmentPoison { name, value });
                }
            }
            Doing::Kill => {
                let what = if self.language == Language::Perl || self.language == Language::Ruby {
                    at(1).value()
                } else {
                    first.value()
                };
                let all = matches!(what.as_known(), Some("-1" | "0"));
                self.effect(Effect::Kill { all, what });
            }
            Doing::Fork => self.forks(),
            Doing::Join => self.runs = true,
            Doing::Template if first.text().is_some_and(|text| !text.contains("<%")) => {}
            Doing::Template => self.dynamic(format!("`{path}` may run what stands in its text")),
            Doing::Dynamic => self.dynamic(format!("what `{path}` runs cannot be told")),
            Doing::Effect(make) => self.effect(make()),
            Doing::Nothing => {
                return self.result(path.to_owned(), made.to_vec(), given.to_vec());
            }
        }
        none
    }

    pub(super) fn file(&mut self, access: Access, thing: &Thing) {
        if self.language == Language::Php
            && let Some(text) = thing.text().filter(|text| text.contains("://"))
        {
            match files::place_of_php(Some(text)) {
                Some(path) => self.act(Act::file(access, Value::known(path))),
                None if text.starts_with("php://") => {}
                None => self.dynamic(format!("what `{text}` stands for is not known")),
            }
            return;
        }
        // A descriptor is no path.
        if !matches!(thing, Thing::Number(_)) {
            self.act(Act::file(access, thing.value()));
        }
    }

    /// A text is given to a shell.
    pub(super) fn shell(&mut self, thing: &Thing) {
        self.runs = true;
        self.taint(thing);
        self.act(Act::Shell(thing.value()));
    }

    fn taint(&mut self, thing: &Thing) {
        let from = match thing.from() {
            From::Network => CodeFrom::Network,
            From::Decoded => CodeFrom::Decoded,
            From::Input => CodeFrom::Stdin,
            From::Other | From::Code => return,
        };
        self.effect(Effect::Code { from });
    }

    fn process(&mut self, doing: Doing, given: &[Thing]) {
        self.runs = true;
        let Some(first) = given.first().cloned() else { return };
        let option =
            |name: &str| given.iter().any(|thing| thing.option(name).is_some_and(Thing::is_true));
        let words: Vec<Thing> = match doing {
            Doing::Shell => {
                // A list of words needs no shell: PHP's `proc_open`.
                match first {
                    Thing::List(words) => words,
                    text => return self.shell(&text),
                }
            }
            Doing::Process => match first {
                Thing::List(words) if option("shell") && !words.is_empty() => {
                    return self.shell(&words[0]);
                }
                Thing::List(words) => words,
                text if option("shell") => return self.shell(&text),
                text => vec![text],
            },
            Doing::Words => {
                let words: Vec<Thing> = given
                    .iter()
                    .filter(|thing| !matches!(thing, Thing::Map(_)))
                    .flat_map(Thing::elements)
                    .collect();
                // What takes options behind the command is called with options alone.
                match &words[..] {
                    [text] => return self.shell(&text.clone()),
                    _ => words,
                }
            }
            Doing::Program(from) | Doing::Execute(from) => {
                let rest = given.get(from..).unwrap_or_default();
                let skip = usize::from(matches!(doing, Doing::Execute(_)));
                let rest: Vec<Thing> = rest
                    .iter()
                    .filter(|thing| !matches!(thing, Thing::Map(_) | Thing::Path(..)))
                    .flat_map(Thing::elements)
                    .skip(skip)
                    .collect();
                if option("shell") {
                    let mut text = first.clone();
                    for word in &rest {
                        text = text.then(&Thing::known(" ")).then(word);
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
        self.act(Act::Run(words.iter().map(Thing::value).collect()));
    }

    /// Runs a text as code.
    fn code(&mut self, thing: &Thing) -> Thing {
        match thing {
            Thing::Text(Value::Known(text)) => {
                let text = text.clone();
                return self.text(&text);
            }
            Thing::Text(Value::OneOf(texts)) => {
                for text in texts.clone() {
                    self.text(&text);
                }
            }
            Thing::Path(path, made)
                if path.starts_with("open()") || path.ends_with("read_text()") =>
            {
                let path = made.first().map_or(Value::Unknown(Origin::Other), Thing::value);
                self.act(Act::Load(path));
            }
            // Python's `compile` gives what it was given.
            Thing::Number(_) | Thing::List(_) | Thing::Map(_) => {}
            other => {
                self.taint(other);
                self.dynamic("code is run that is not known");
            }
        }
        Thing::Unknown(thing.from())
    }

    /// Imports a module by a name that may not be known.
    pub(super) fn required(&mut self, thing: &Thing) -> Thing {
        let Some(name) = thing.text() else {
            self.dynamic("which module is imported is not known");
            return Thing::Unknown(From::Code);
        };
        let name = name.strip_prefix("node:").unwrap_or(name).to_owned();
        if name.starts_with(['.', '/']) || name.ends_with(".php") || name.ends_with(".rb") {
            if !name.ends_with(".json") {
                self.act(Act::Load(thing.value()));
            } else {
                self.file(Access::Read, thing);
            }
            return Thing::path("loaded");
        }
        let path = match self.language {
            Language::JavaScript => self.tables.canonical(&name.replace('/', ".")),
            _ => name,
        };
        self.import(&path);
        Thing::path(path)
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
