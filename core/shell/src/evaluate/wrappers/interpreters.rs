//! Interpreters of other languages: code in an option, on standard input and in files.
//!
//! [`crate::code`] searches the code, and its [`Act`]s become effects and inner calls here. The
//! options of each interpreter say where the code stands: `filters` has `awk` and `sed`, `node`,
//! `php` and `python` have files of their own, and `perl`, `ruby` and `lua` stand in this one.

mod filters;
mod node;
mod php;
mod python;

use super::switches::{self, Letters, Switches};
use super::{Wrapper, WrapperCall};
use crate::code::{Act, Language, search};
use crate::effect::{Access, CodeFrom, Effect, FileEffect, Scope};
use crate::evaluate::state::Descriptor;
use crate::invocation::program_name;
use crate::invocation::{Argument, Stdin};
use crate::model::{self, Grammar, Parsed, Style};
use crate::place;
use crate::value::{Origin, Value};
use filters::{SED, run_awk, run_sed};
use node::node;
use php::php;
use python::python;

/// No options: every word is an operand, and the code below reads it itself.
static WORDS: Grammar = Grammar { options: &[], style: Style::Operands, subcommands: &[] };

/// The wrapper commands of this file: their names, options and how they run what they run.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper { names: &["python*", "pypy*", "ipython*"], grammar: &WORDS, run: python },
    Wrapper { names: &["node", "nodejs"], grammar: &WORDS, run: node },
    Wrapper { names: RUNNERS, grammar: &WORDS, run: runner },
    Wrapper { names: &["perl", "perl5*"], grammar: &WORDS, run: perl },
    Wrapper { names: &["ruby", "ruby2*", "ruby3*", "jruby", "irb"], grammar: &WORDS, run: ruby },
    Wrapper { names: &["php", "php5*", "php7*", "php8*", "php-cli"], grammar: &WORDS, run: php },
    Wrapper { names: &["lua", "lua5*", "luajit", "texlua"], grammar: &WORDS, run: lua },
    Wrapper {
        names: &["awk", "gawk", "mawk", "nawk", "goawk", "original-awk"],
        grammar: &WORDS,
        run: run_awk,
    },
    Wrapper { names: &["sed", "gsed"], grammar: &SED, run: run_sed },
];

impl WrapperCall<'_, '_> {
    /// What an interpreter runs is not what it writes, too.
    fn done(&mut self) {
        self.ran = false;
    }

    /// What it runs reads what the code gives it, or what the interpreter itself reads.
    fn feeds(&mut self) {
        self.state.redirect(0, Descriptor::Input(Stdin::Pipe(vec![self.number])));
    }

    /// Records what code does: shells and programs are evaluated, files and effects are recorded.
    fn acts(&mut self, language: Option<Language>, acts: Vec<Act>) {
        for act in acts {
            match act {
                Act::Shell(text) => self.script(&text, &[]),
                Act::Run(words) => {
                    let words: Vec<Argument> =
                        words.into_iter().map(|word| self.word(word)).collect();
                    self.run(&words);
                }
                Act::File { access, path, recursive, forced } => {
                    self.file_effect(access, &path, recursive, forced);
                }
                Act::Load(path) => match language {
                    Some(language) => self.code_of_file(language, &path, &[]),
                    None => self.file_effect(Access::Execute, &path, false, false),
                },
                Act::Perhaps { path, by } => self.perhaps_file(&path, &by),
                Act::Folder { path, perhaps } => self.goes(&path, perhaps),
                Act::Effect(effect) => self.effect(effect),
            }
        }
    }

    /// Records an access to a file.
    fn file_effect(&mut self, access: Access, path: &Value, recursive: bool, forced: bool) {
        let path = match path {
            Value::Unknown(Origin::Glob(pattern)) => model::globbed(pattern),
            other => other.clone(),
        };
        let path = place::resolve(&path, &self.state.cwd, self.interpreter.env);
        let scope = place::scope(&path, self.interpreter.env);
        self.effect(Effect::File(FileEffect { access, path, scope, recursive, forced }));
    }

    /// What gets a path, and nobody knows for what, reads the file and may write it.
    fn perhaps_file(&mut self, path: &Value, by: &str) {
        let place = place::resolve(path, &self.state.cwd, self.interpreter.env);
        let scope = place::scope(&place, self.interpreter.env);
        if matches!(scope, Scope::Workspace | Scope::Temp | Scope::HarmlessDevice) {
            return;
        }
        self.file_effect(Access::Read, path, false, false);
        self.dynamic(format!("`{by}` gets a path beyond the workspace"));
    }

    /// What follows is done in another folder; `perhaps`: or in the one before.
    fn goes(&mut self, path: &Value, perhaps: bool) {
        let folder = place::resolve(path, &self.state.cwd, self.interpreter.env);
        self.state.cwd = if perhaps { self.state.cwd.clone().or(folder) } else { folder };
    }

    /// Records that files are accessed, standard input left out.
    fn reads(&mut self, access: Access, files: &[Argument]) {
        for file in files {
            if file.value.as_known() != Some("-") {
                self.file_effect(access, &file.value.clone(), false, false);
            }
        }
    }

    /// Looks into code that stands in a text.
    pub(super) fn code(&mut self, language: Language, code: &Value, arguments: &[Argument]) {
        let name = language.name();
        let texts: Vec<String> = match code {
            Value::Known(text) => vec![text.clone()],
            Value::OneOf(texts) => texts.clone(),
            Value::Prefix(start, _) => {
                self.inline(code, format!("the end of the {name} code is not known"));
                vec![start.clone()]
            }
            Value::Unknown(_) => {
                self.inline(code, format!("the {name} code is not known"));
                return;
            }
        };
        let values: Vec<Value> =
            arguments
                .iter()
                .map(|argument| {
                    if argument.many {
                        Value::Unknown(Origin::Other)
                    } else {
                        argument.value.clone()
                    }
                })
                .collect();
        self.feeds();
        self.effect(Effect::Code { from: CodeFrom::Inline(name.to_owned()) });
        for text in texts {
            let home = self.interpreter.env.home.clone();
            let acts = search(language, &text, &values, &home);
            self.acts(Some(language), acts);
        }
    }

    /// Code that is not known, and where it comes from.
    fn inline(&mut self, code: &Value, why: String) {
        if !code.outputs().is_empty() {
            self.effect(Effect::Code { from: CodeFrom::Stdin });
        }
        self.dynamic(why);
    }

    /// Evaluates code that stands on standard input.
    fn code_of_stdin(&mut self, language: Language, arguments: &[Argument]) {
        match self.invocation.stdin.clone() {
            Stdin::Inherited => {}
            Stdin::Text(text) => self.code(language, &text, arguments),
            Stdin::Rest(text) => {
                self.code(language, &text, arguments);
                self.dynamic(format!(
                    "a part of what `{}` runs is not known, or read by another",
                    self.name
                ));
            }
            Stdin::File(path) if path.as_known() == Some("/dev/null") => {}
            Stdin::File(path) => self.code_of_file(language, &path, arguments),
            Stdin::Pipe(_) | Stdin::Unknown => {
                self.effect(Effect::Code { from: CodeFrom::Stdin });
                self.dynamic(format!("what `{}` reads and runs is not known", self.name));
            }
        }
    }

    /// Evaluates code in a file: its text if this text wrote it, otherwise the effect that a file
    /// is run.
    fn code_of_file(&mut self, language: Language, path: &Value, arguments: &[Argument]) {
        let path = place::resolve(path, &self.state.cwd, self.interpreter.env);
        if let Value::OneOf(paths) = path {
            let run = |this: &mut Self, path: &Value| this.code_of_file(language, path, arguments);
            return self.each_possible_file(paths, run);
        }
        if path.as_known().is_some_and(place::is_stdin) {
            return self.code_of_stdin(language, arguments);
        }
        let is_process = path.as_known().is_none() && place::is_process(path.prefix());
        if is_process || self.interpreter.descriptor_at(&self.state, &path).is_some() {
            self.effect(Effect::Code { from: CodeFrom::Stdin });
            return self.dynamic(format!("what `{}` reads and runs is not known", self.name));
        }
        let text = path.as_known().and_then(|known| self.own_file(known));
        self.file_effect(Access::Execute, &path, false, false);
        match text {
            None => self.effect(Effect::Code { from: CodeFrom::File }),
            Some(text) if text.outputs().is_empty() => self.code(language, &text, arguments),
            Some(_) => {
                self.effect(Effect::Code { from: CodeFrom::Fetched });
                self.dynamic(format!("what `{}` runs was written by a program", self.name));
            }
        }
    }

    /// Records that an option is not known.
    fn report_switches(&mut self, switches: &Switches) {
        if let Some(option) = switches.unknown.first() {
            let why = match option.value.as_known() {
                Some(option) => {
                    format!("`{}` has an option that is not known: `{option}`", self.name)
                }
                None => format!("a word of `{}` is not known", self.name),
            };
            self.dynamic(why);
        }
    }

    /// Folders in which modules are looked for: what stands in them is run.
    fn libraries(&mut self, switches: &Switches, options: &[&str]) {
        let folders: Vec<Argument> = switches.values(options).cloned().collect();
        self.reads(Access::Execute, &folders);
    }

    /// Folders that it goes into, one behind the other.
    fn folders(&mut self, switches: &Switches, options: &[&str]) {
        let folders: Vec<Argument> = switches.values(options).cloned().collect();
        for folder in folders.iter().filter(|folder| folder.value.as_known() != Some("")) {
            self.goes(&folder.value, false);
        }
    }

    /// A script that is looked for in the folders of programs may be any.
    fn searched(&mut self, switches: &Switches) {
        let script = switches.rest.first().map(|script| script.value.prefix().to_owned());
        if script.is_some_and(|script| !script.contains('/')) {
            self.dynamic("which script is found is not known".into());
        }
    }

    /// A file of code with its arguments, or code on standard input.
    fn operands(&mut self, language: Language, rest: &[Argument]) {
        match rest.split_first() {
            None => self.code_of_stdin(language, &[]),
            Some((file, rest)) if file.value.as_known() == Some("-") => {
                self.code_of_stdin(language, rest);
            }
            Some((file, rest)) => {
                self.code_of_file(language, &file.value.clone(), rest);
                // A tool of a framework, whose commands are known.
                let name = file.value.as_known().map(program_name);
                if let Some(name) = name.filter(|name| matches!(*name, "artisan" | "manage.py")) {
                    let words: Vec<Argument> = std::iter::once(self.word(Value::known(name)))
                        .chain(rest.iter().cloned())
                        .collect();
                    self.run(&words);
                }
            }
        }
    }

    /// Several pieces of code as one, line by line.
    fn joined_code(&self, codes: &[Argument]) -> Value {
        let mut all = Value::known("");
        for code in codes {
            all = all.then(code.value.clone()).then(Value::known("\n"));
        }
        all
    }
}

/// Runtimes with commands of their own. Those stand in tables; here is only the code.
const RUNNERS: &[&str] =
    &["deno", "bun", "tsx", "ts-node", "ts-node-esm", "esno", "jiti", "vite-node"];

/// True for a wrapper that may run others by what its table says, too.
pub(super) fn has_table(name: &str) -> bool {
    RUNNERS.contains(&name)
}

/// Evaluates what a runner of JavaScript runs: `deno`, `bun`, `tsx`.
fn runner(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let words = &parsed.operands;
    let is_option = |word: &&Argument| word.value.prefix().starts_with('-');
    let options = words.iter().take_while(is_option).count();
    if wrapper.name == "deno" {
        let code = words.iter().skip(1).position(|word| !is_option(&word));
        let name = words.first().and_then(|word| word.value.as_known());
        if let (Some("eval"), Some(at)) = (name, code) {
            wrapper.code(Language::JavaScript, &words[at + 1].value.clone(), &words[at + 2..]);
        }
    } else {
        for at in 0..options {
            let text = words[at].value.prefix();
            let code = match text {
                "-e" | "--eval" | "-p" | "--print" | "-pe" => {
                    words.get(at + 1).map(|word| word.value.clone())
                }
                text => text.strip_prefix("--eval=").map(Value::known),
            };
            if let Some(code) = code {
                let rest = words.get(at + 2..).unwrap_or_default();
                wrapper.code(Language::JavaScript, &code, rest);
            }
        }
    }
    if words.is_empty()
        || words.len() == options && words.iter().any(|word| word.value.as_known() == Some("-"))
    {
        wrapper.code_of_stdin(Language::JavaScript, &[]);
    }
    wrapper.done();
}

/// The options of `perl`.
static PERL: Letters = Letters {
    flags: "acdfghnpqsStTuUvwWX",
    values: "eEI",
    attached: "DFMmixVC",
    digits: "0l",
    last: "",
    long_flags: &["--version", "--help"],
    long_values: &[],
    any_long: false,
};

/// Evaluates what `perl` runs.
fn perl(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    // The rest of `-i` may be other options in old habits: `-pie`; Perl takes it as a suffix.
    let switches = switches::read(&parsed.operands, &PERL);
    wrapper.report_switches(&switches);
    if switches.has("v") || switches.has("V") || switches.has("h") {
        return;
    }
    if switches.has("d") {
        wrapper.dynamic("a debugger of perl runs code that is not told".into());
    }
    wrapper.libraries(&switches, &["I"]);
    wrapper.folders(&switches, &["x"]);
    let mut codes: Vec<Argument> = Vec::new();
    for module in switches.values(&["M", "m"]) {
        let value = module.value.map(|module| {
            let (module, names) = module.split_once('=').unwrap_or((module, ""));
            format!("use {} qw({names});", module.trim_start_matches('-'))
        });
        codes.push(Argument { value, ..module.clone() });
    }
    let modules = codes.len();
    codes.extend(switches.values(&["e", "E"]).cloned());
    if codes.len() == modules {
        if modules > 0 {
            let code = wrapper.joined_code(&codes);
            wrapper.code(Language::Perl, &code, &[]);
        }
        if switches.has("S") {
            wrapper.searched(&switches);
        }
        wrapper.operands(Language::Perl, &switches.rest);
        return wrapper.done();
    }
    let code = wrapper.joined_code(&codes);
    wrapper.code(Language::Perl, &code, &switches.rest);
    let loops = switches.has("n") || switches.has("p");
    if loops || code.prefix().contains("<>") || code.prefix().contains("<ARGV>") {
        let access = if switches.has("i") { Access::Write } else { Access::Read };
        for suffix in switches.values(&["i"]) {
            wrapper.keeps(suffix, &switches.rest);
        }
        // A name that ends so is a command: `perl -ne … 'id|'`.
        for file in &switches.rest {
            let name = file.value.prefix().trim();
            if let Some(command) = name.strip_suffix('|').or_else(|| name.strip_prefix('|')) {
                wrapper.script(&Value::known(command), &[]);
            }
        }
        wrapper.reads(access, &switches.rest);
    }
    wrapper.done();
}

/// The options of `ruby`.
static RUBY: Letters = Letters {
    flags: "aclnpsSvwyhU",
    values: "eICXr",
    attached: "FiKETxW",
    digits: "0",
    last: "",
    long_flags: &[
        "--version", "--help", "--disable", "--enable", "--yjit", "--jit", "--verbose",
        "--copyright",
    ],
    long_values: &["--encoding", "--external-encoding"],
    any_long: false,
};

/// Evaluates what `ruby` runs.
fn ruby(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let switches = switches::read(&parsed.operands, &RUBY);
    wrapper.report_switches(&switches);
    if ["v", "h", "--version", "--help"].iter().any(|option| switches.has(option))
        && switches.rest.is_empty()
    {
        return;
    }
    wrapper.folders(&switches, &["C", "X", "x"]);
    wrapper.libraries(&switches, &["I"]);
    if switches.values(&["r"]).any(|module| module.value.as_known() == Some("un")) {
        return ruby_tool(wrapper, &switches);
    }
    // Whatever reads the operands runs one that begins so.
    for file in &switches.rest {
        if let Some(command) = file.value.prefix().trim_start().strip_prefix('|') {
            wrapper.script(&Value::known(command), &[]);
        }
    }
    let mut codes: Vec<Argument> = Vec::new();
    for module in switches.values(&["r"]) {
        let value = module.value.map(|module| format!("require '{module}'"));
        codes.push(Argument { value, ..module.clone() });
    }
    let modules = codes.len();
    codes.extend(switches.values(&["e"]).cloned());
    let code = wrapper.joined_code(&codes);
    if !codes.is_empty() {
        wrapper.code(Language::Ruby, &code, &switches.rest);
    }
    if codes.len() == modules {
        if switches.has("c") {
            wrapper.reads(Access::Read, &switches.rest);
        } else {
            if switches.has("S") {
                wrapper.searched(&switches);
            }
            wrapper.operands(Language::Ruby, &switches.rest);
        }
    } else if switches.has("n") || switches.has("p") {
        let access = if switches.has("i") { Access::Write } else { Access::Read };
        for suffix in switches.values(&["i"]) {
            wrapper.keeps(suffix, &switches.rest);
        }
        wrapper.reads(access, &switches.rest);
    }
    wrapper.done();
}

/// `ruby -run -e rm -- -r x`: the module is a box of tools, and the code the name of one.
fn ruby_tool(wrapper: &mut WrapperCall<'_, '_>, switches: &Switches) {
    /// Commands of `ruby -run`.
    const TOOLS: &[&str] = &["cp", "ln", "mv", "rm", "mkdir", "rmdir", "install", "chmod", "touch"];
    let tool = switches.values(&["e"]).next().and_then(|tool| tool.value.as_known());
    match tool {
        Some(tool) if TOOLS.contains(&tool) => {
            let words: Vec<Argument> = std::iter::once(wrapper.word(Value::known(tool)))
                .chain(switches.rest.iter().cloned())
                .collect();
            wrapper.run(&words);
        }
        Some("httpd") => wrapper.effect(Effect::Listen { port: Some(8080) }),
        _ => wrapper.dynamic("which tool of ruby is run is not known".into()),
    }
    wrapper.done();
}

/// The options of `lua`.
static LUA: Letters = Letters {
    flags: "ivEWb",
    values: "elj",
    attached: "O",
    digits: "",
    last: "",
    long_flags: &[],
    long_values: &[],
    any_long: false,
};

/// Modules that come with Lua, or that do nothing to the world.
const LUA_MODULES: &[&str] = &[
    "bit", "bit32", "cjson", "coroutine", "inspect", "io", "jit", "lpeg", "math", "os", "string",
    "table", "utf8",
];

/// Evaluates what `lua` runs.
fn lua(wrapper: &mut WrapperCall<'_, '_>, parsed: &Parsed<'_>) {
    let switches = switches::read(&parsed.operands, &LUA);
    wrapper.report_switches(&switches);
    let codes: Vec<Argument> = switches.values(&["e"]).cloned().collect();
    for module in switches.values(&["l"]) {
        let name = module.value.prefix().to_owned();
        let name = name.rsplit_once('=').map_or(name.as_str(), |(_, name)| name);
        if !LUA_MODULES.contains(&name) {
            let from = CodeFrom::Project(format!("the module {name}"));
            wrapper.effect(Effect::Code { from });
            wrapper.dynamic(format!("which file the module `{name}` is, is not known"));
        }
    }
    if switches.values(&["j"]).any(|how| how.value.prefix().contains('/')) {
        wrapper.dynamic("luajit writes a file".into());
    }
    if switches.has("b") {
        let from = switches.rest.first().cloned();
        wrapper.reads(Access::Read, from.as_slice());
        wrapper.reads(Access::Write, switches.rest.get(1..).unwrap_or_default());
        return wrapper.done();
    }
    if !codes.is_empty() {
        let code = wrapper.joined_code(&codes);
        wrapper.code(Language::Lua, &code, &switches.rest);
    }
    if codes.is_empty() && !switches.has("v") || !switches.rest.is_empty() {
        wrapper.operands(Language::Lua, &switches.rest);
    }
    wrapper.done();
}
