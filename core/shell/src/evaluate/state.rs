//! What is known of a shell at one point of a script.
//!
//! A [`State`] is copied at every branch and joined where branches meet, so its tables are shared
//! behind [`Arc`] and copied only when one changes. [`State::or`] joins two states,
//! [`State::widened`] forgets what differs between two rounds of a loop, so that a third round
//! would bring nothing new.
//!
//! # Joining
//!
//! ```text
//! if grep -q x f; then v=1; cd a; else v=2; fi
//! ```
//!
//! Behind this line `v` is one of `1` and `2`, and the working folder is one of two. A variable
//! that only one branch sets may be unset: [`Content::Perhaps`]. A function that the branches
//! define differently has both bodies, and a call of it runs both.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::env::{Env, Shell};
use crate::invocation::{Argument, Stdin, Stdout};
use crate::ir::Command;
use crate::value::{Origin, Value};

/// A shell between two commands. Cloning is cheap: the tables are shared until one changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct State {
    /// Variables that the script or the start of the shell set. Others are those of the
    /// environment, and unknown.
    pub(super) variables: Arc<BTreeMap<String, HeldVariable>>,
    /// Functions by their names.
    pub(super) functions: Arc<BTreeMap<String, FunctionBodies>>,
    /// What `alias` and `hash -p` put in the place of a name.
    pub(super) replaced: Arc<BTreeMap<String, Replacement>>,
    /// `$1`, `$2`, …
    pub(super) arguments: Arguments,
    /// The working folder.
    pub(in super::super) cwd: Value,
    /// The folders of `pushd`.
    pub(super) stack: Vec<Value>,
    /// Where descriptors lead. One that is not here is inherited.
    pub(super) descriptors: Arc<BTreeMap<u32, Descriptor>>,
    /// `set -f`
    pub(super) no_glob: bool,
    /// `set -a`
    pub(super) all_exported: bool,
    /// `set -e`
    pub(in super::super) ends_on_failure: bool,
    /// `set -u`
    pub(in super::super) ends_on_unset: bool,
}

/// Variables that the shell itself sets again and again. Their values are not known, and
/// assignments to them do not last.
const SET_BY_SHELL: &[&str] = &[
    "_", "BASH_ARGC", "BASH_ARGV", "BASH_COMMAND", "BASH_LINENO", "BASH_REMATCH", "BASH_SOURCE",
    "BASH_SUBSHELL", "DIRSTACK", "EPOCHREALTIME", "FUNCNAME", "GROUPS", "HISTCMD", "PIPESTATUS",
];

/// The most places to which one descriptor may lead. With more, it is not known where it leads.
const MOST_PLACES: usize = 8;

/// What a function may do: one of several bodies, where branches defined it differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct FunctionBodies {
    /// The bodies that it may have.
    pub(super) all: Vec<Arc<Command>>,
    /// There may be no such function.
    pub(super) or_none: bool,
}

/// What replaces the name of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// The text of an alias.
    Alias(Value),
    /// The path of `hash -p`.
    Path(Value),
}

/// A variable with its attributes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct HeldVariable {
    /// What it holds.
    pub(super) content: Content,
    /// True if programs get it.
    pub(super) exported: bool,
    /// `declare -i`: whatever is assigned is evaluated.
    pub(super) integer: bool,
    /// `readonly`, perhaps: what is assigned later may not count.
    pub(super) readonly: bool,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// A text.
    Text(Value),
    /// A text, or it is not set: `"${name[@]}"` is one word or none.
    Perhaps(Value),
    /// An array; none: what it holds is unknown.
    Array(Option<Vec<Value>>),
    /// It is surely not set.
    Nothing,
}

/// `$1`, `$2`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    /// These, and no others.
    Known(Vec<Value>),
    /// Any number of any texts.
    Unknown,
}

impl Arguments {
    /// The arguments of a call.
    pub(super) fn of(arguments: &[Argument]) -> Arguments {
        if arguments.iter().any(|argument| argument.many) {
            Arguments::Unknown
        } else {
            Arguments::Known(arguments.iter().map(|argument| argument.value.clone()).collect())
        }
    }
}

/// A function that is running, or a text that is sourced.
pub(super) struct Call {
    /// Empty for a text.
    pub(super) name: String,
    /// None for a text.
    pub(super) body: Option<Arc<Command>>,
    /// Where its `return`s lead.
    pub(super) returns: Vec<State>,
    /// The variables that are its own, and what they were before.
    pub(super) locals: Vec<(String, Option<HeldVariable>)>,
    /// How often it was called by itself, in the background or as a part of a pipeline.
    pub(super) copies: usize,
    /// The number of subshells around its call.
    pub(super) subshells: usize,
}

/// Where a descriptor leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Descriptor {
    /// To what the caller gave.
    Inherited,
    /// Nowhere.
    Closed,
    /// It is read from.
    Input(Stdin),
    /// A text is read from it. Those that share the number share what is left of it.
    Text { text: Value, number: usize },
    /// It is written to.
    Output { path: Value, append: bool },
    /// Both.
    Both(Value),
    /// To one of several places.
    Either(Vec<Descriptor>),
    /// Into a pipe or a word, whose text is collected under this number.
    Sink { number: usize, substitution: bool },
}

impl State {
    /// A shell that just started.
    pub(super) fn new(env: &Env) -> State {
        let shell = match env.shell {
            Shell::Sh => "sh",
            Shell::Bash => "bash",
        };
        let temp = env.temp.first().map_or("/tmp", String::as_str);
        let known = [
            ("HOME", env.home.as_str()),
            ("PWD", env.cwd.as_str()),
            ("USER", env.user.as_str()),
            ("LOGNAME", env.user.as_str()),
            ("TMPDIR", temp),
            ("IFS", " \t\n"),
            ("BASH", "/bin/bash"),
            ("OPTIND", "1"),
        ];
        let mut variables: BTreeMap<String, HeldVariable> = known
            .into_iter()
            .map(|(name, text)| {
                let exported = !matches!(name, "IFS" | "BASH" | "OPTIND");
                (name.to_owned(), HeldVariable::text(Value::known(text), exported))
            })
            .collect();
        let shells = Value::one_of(["/bin/sh".to_owned(), "/bin/bash".to_owned()]);
        variables.insert("SHELL".into(), HeldVariable::text(shells, true));
        variables.insert("0".into(), HeldVariable::text(Value::known(shell), false));
        let given = env
            .stdin
            .iter()
            .map(|text| (0, Descriptor::Text { text: Value::known(text.clone()), number: 0 }));
        State {
            variables: Arc::new(variables),
            functions: Arc::default(),
            replaced: Arc::default(),
            arguments: Arguments::Known(Vec::new()),
            cwd: Value::known(env.cwd.clone()),
            stack: Vec::new(),
            descriptors: Arc::new(given.collect()),
            no_glob: false,
            all_exported: false,
            ends_on_failure: false,
            ends_on_unset: false,
        }
    }

    /// Where a descriptor leads.
    pub(super) fn descriptor(&self, number: u32) -> Descriptor {
        self.descriptors.get(&number).cloned().unwrap_or(Descriptor::Inherited)
    }

    /// Lets a descriptor lead elsewhere.
    pub(in super::super) fn redirect(&mut self, number: u32, to: Descriptor) {
        Arc::make_mut(&mut self.descriptors).insert(number, to);
    }

    /// Where standard output leads, for an invocation.
    pub(super) fn stdout(&self) -> Stdout {
        self.descriptor(1).as_stdout()
    }

    /// A variable, if the script or the start of the shell set it.
    pub(super) fn held(&self, name: &str) -> Option<&HeldVariable> {
        self.variables.get(name)
    }

    /// The value of a variable as a text.
    pub(in super::super) fn value(&self, name: &str) -> Value {
        match self.variables.get(name).map(|held| &held.content) {
            Some(Content::Text(value) | Content::Perhaps(value)) => value.clone(),
            Some(Content::Array(Some(values))) => {
                values.first().cloned().unwrap_or_else(|| Value::known(""))
            }
            Some(Content::Array(None)) => Value::Unknown(Origin::Other),
            Some(Content::Nothing) => Value::known(""),
            None => Value::Unknown(Origin::Environment(name.to_owned())),
        }
    }

    /// Assigns to a variable, by its attributes: what is read-only may stay as it was, and an array
    /// gets a new first element.
    pub(super) fn set(&mut self, name: &str, content: Content) {
        if SET_BY_SHELL.contains(&name) {
            return;
        }
        // What is not known here is of the environment, if it is anywhere.
        let before = self.variables.get(name);
        let exported = self.all_exported || before.is_some_and(|held| held.exported);
        let integer = content != Content::Nothing && before.is_some_and(|held| held.integer);
        let content = match (content, before.map(|held| &held.content)) {
            // What is assigned to an array is its first element.
            (Content::Text(value), Some(Content::Array(values))) => {
                let rest = values.as_ref().map(|values| values.iter().skip(1).cloned());
                Content::Array(rest.map(|rest| std::iter::once(value).chain(rest).collect()))
            }
            (content, _) => content,
        };
        let content = match before {
            Some(held) if held.readonly => held.content.or(&content),
            _ => content,
        };
        let readonly = before.is_some_and(|held| held.readonly);
        let held = HeldVariable { content, exported, integer, readonly };
        Arc::make_mut(&mut self.variables).insert(name.to_owned(), held);
    }

    /// Sets a variable to a number that is not known, or perhaps sets it.
    pub(super) fn set_number(&mut self, name: &str, surely: bool) {
        let number = Content::Text(Value::Unknown(Origin::Number));
        let before = self.held(name).cloned().unwrap_or_else(|| HeldVariable::of_environment(name));
        self.set(name, if surely { number } else { before.content.or(&number) });
    }

    /// Assigns a text.
    pub(in super::super) fn set_text(&mut self, name: &str, value: Value) {
        self.set(name, Content::Text(value));
    }

    /// Marks a variable as one that programs get, or not.
    pub(in super::super) fn export(&mut self, name: &str, exported: bool) {
        self.held_mut(name).exported = exported;
    }

    /// A variable, to change what else is known of it than its content.
    pub(super) fn held_mut(&mut self, name: &str) -> &mut HeldVariable {
        let variables = Arc::make_mut(&mut self.variables);
        variables.entry(name.to_owned()).or_insert_with(|| HeldVariable::of_environment(name))
    }

    /// Sets a variable back to what it was before a value of one command alone, which some commands
    /// keep, and some change.
    pub(super) fn undo(
        &mut self,
        name: &str,
        given: &Value,
        before: Option<HeldVariable>,
        keeps: bool,
    ) {
        match self.variables.get(name).cloned() {
            Some(held) if keeps || held.content != Content::Text(given.clone()) => {
                let before = before.unwrap_or_else(|| HeldVariable::of_environment(name));
                self.restore(name, Some(held.or(&before)));
            }
            _ => self.restore(name, before),
        }
    }

    /// Sets a variable back to what it was.
    pub(super) fn restore(&mut self, name: &str, held: Option<HeldVariable>) {
        let variables = Arc::make_mut(&mut self.variables);
        match held {
            Some(held) => _ = variables.insert(name.to_owned(), held),
            None => _ = variables.remove(name),
        }
    }

    /// Makes a variable surely unset.
    pub(in super::super) fn unset(&mut self, name: &str) {
        self.set(name, Content::Nothing);
    }

    /// Forgets functions and aliases, which no program has.
    pub(in super::super) fn forget_functions(&mut self) {
        self.functions = Arc::default();
        self.replaced = Arc::default();
    }

    /// What is exported and was set by the script.
    pub(super) fn exported(&self, start: &State) -> Vec<(String, Value)> {
        if Arc::ptr_eq(&self.variables, &start.variables) {
            return Vec::new();
        }
        let is_new =
            |name: &String, held: &HeldVariable| held.exported && start.held(name) != Some(held);
        self.variables
            .iter()
            .filter(|(name, held)| is_new(name, held))
            .map(|(name, _)| (name.clone(), self.value(name)))
            .collect()
    }

    /// What a shell that is a program of its own starts with.
    pub(super) fn of_program(&self, start: &State, env: &Env) -> State {
        let mut inner = State::new(env);
        for (name, value) in self.exported(start) {
            inner.set_text(&name, value);
            inner.export(&name, true);
        }
        inner.cwd = self.cwd.clone();
        inner.descriptors = self.descriptors.clone();
        inner.ends_on_failure = self.ends_on_failure;
        inner.ends_on_unset = self.ends_on_unset;
        inner
    }

    /// What is known where two ways meet.
    pub(super) fn or(self, other: State) -> State {
        if self == other {
            return self;
        }
        State {
            variables: joined(self.variables, other.variables, |name, one, other| {
                let env = HeldVariable::of_environment(name);
                one.unwrap_or(&env).or(other.unwrap_or(&env))
            }),
            functions: joined(self.functions, other.functions, |_, one, other| {
                let mut all: Vec<Arc<Command>> = Vec::new();
                for body in one.into_iter().chain(other).flat_map(|bodies| &bodies.all) {
                    if !all.contains(body) {
                        all.push(body.clone());
                    }
                }
                let is_sure =
                    |bodies: Option<&FunctionBodies>| bodies.is_some_and(|it| !it.or_none);
                FunctionBodies { all, or_none: !is_sure(one) || !is_sure(other) }
            }),
            replaced: joined(self.replaced, other.replaced, |_, one, other| match (one, other) {
                (Some(one), None) | (None, Some(one)) => one.clone(),
                (Some(one), Some(other)) if one == other => one.clone(),
                _ => Replacement::Path(Value::Unknown(Origin::Other)),
            }),
            arguments: if self.arguments == other.arguments {
                self.arguments
            } else {
                Arguments::Unknown
            },
            cwd: self.cwd.or(other.cwd),
            stack: if self.stack == other.stack { self.stack } else { Vec::new() },
            descriptors: joined(self.descriptors, other.descriptors, |number, one, other| {
                let inherited = Descriptor::Inherited;
                match (one, other) {
                    // Where it is not open, what uses it does not run.
                    (Some(open), None) | (None, Some(open)) if *number > 2 => open.clone(),
                    _ => one.unwrap_or(&inherited).or(other.unwrap_or(&inherited)),
                }
            }),
            no_glob: self.no_glob && other.no_glob,
            all_exported: self.all_exported || other.all_exported,
            ends_on_failure: self.ends_on_failure || other.ends_on_failure,
            ends_on_unset: self.ends_on_unset || other.ends_on_unset,
        }
    }

    /// What holds however often a loop changes what differs between two rounds.
    pub(super) fn widened(self, later: &State) -> State {
        let mut wide = self.clone().or(later.clone());
        if wide.variables != self.variables {
            let variables = Arc::make_mut(&mut wide.variables);
            for (name, held) in variables.iter_mut() {
                if self.held(name) != Some(held) {
                    held.content = held.content.widened();
                }
            }
        }
        if wide.cwd != self.cwd {
            wide.cwd = Value::Unknown(Origin::Other);
        }
        wide
    }
}

/// Two tables as one, with `join` for each name that differs.
fn joined<K: Ord + Clone, V: Clone + PartialEq>(
    one: Arc<BTreeMap<K, V>>,
    other: Arc<BTreeMap<K, V>>,
    join: impl Fn(&K, Option<&V>, Option<&V>) -> V,
) -> Arc<BTreeMap<K, V>> {
    if Arc::ptr_eq(&one, &other) || one == other {
        return one;
    }
    let mut all = (*one).clone();
    for (name, held) in &*one {
        if other.get(name) != Some(held) {
            all.insert(name.clone(), join(name, Some(held), other.get(name)));
        }
    }
    for (name, held) in &*other {
        if !one.contains_key(name) {
            all.insert(name.clone(), join(name, None, Some(held)));
        }
    }
    Arc::new(all)
}

impl HeldVariable {
    /// A text that is set for certain.
    fn text(value: Value, exported: bool) -> HeldVariable {
        HeldVariable { content: Content::Text(value), exported, integer: false, readonly: false }
    }

    /// What is known of a variable that the script did not set.
    fn of_environment(name: &str) -> HeldVariable {
        let value = Value::Unknown(Origin::Environment(name.to_owned()));
        HeldVariable {
            content: Content::Perhaps(value),
            ..HeldVariable::text(Value::known(""), false)
        }
    }

    /// A variable behind two branches.
    fn or(&self, other: &HeldVariable) -> HeldVariable {
        HeldVariable {
            content: self.content.or(&other.content),
            exported: self.exported || other.exported,
            integer: self.integer || other.integer,
            readonly: self.readonly || other.readonly,
        }
    }
}

impl Content {
    /// What there is behind two branches.
    pub(super) fn or(&self, other: &Content) -> Content {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            (Content::Array(_), _) | (_, Content::Array(_)) => Content::Array(None),
            (Content::Text(one), Content::Text(other)) => {
                Content::Text(one.clone().or(other.clone()))
            }
            (one, other) => Content::Perhaps(one.text().or(other.text())),
        }
    }

    /// What it holds as one text.
    pub(super) fn text(&self) -> Value {
        match self {
            Content::Text(value) | Content::Perhaps(value) => value.clone(),
            Content::Array(_) => Value::Unknown(Origin::Other),
            Content::Nothing => Value::known(""),
        }
    }

    /// All that it may be, if that is known.
    pub(super) fn texts(&self) -> Option<Vec<String>> {
        let values = match self {
            Content::Text(value) | Content::Perhaps(value) => std::slice::from_ref(value),
            Content::Array(Some(values)) => values,
            Content::Array(None) => return None,
            Content::Nothing => &[],
        };
        let texts: Option<Vec<&[String]>> = values.iter().map(Value::possible).collect();
        Some(texts?.concat())
    }

    /// The same content with its texts forgotten.
    fn widened(&self) -> Content {
        let unknown =
            |value: &Value| Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other));
        match self {
            Content::Array(_) => Content::Array(None),
            Content::Text(value) => Content::Text(unknown(value)),
            Content::Perhaps(value) => Content::Perhaps(unknown(value)),
            Content::Nothing => Content::Perhaps(Value::Unknown(Origin::Other)),
        }
    }
}

impl Descriptor {
    /// Where a program that has this as standard output writes. Of several places, the one from
    /// which most can follow counts.
    pub(super) fn as_stdout(&self) -> Stdout {
        match self {
            Descriptor::Inherited => Stdout::Inherited,
            Descriptor::Closed => Stdout::Nowhere,
            Descriptor::Output { path, .. } if path.as_known() == Some("/dev/null") => {
                Stdout::Nowhere
            }
            Descriptor::Output { path, append } => {
                Stdout::File { path: path.clone(), append: *append }
            }
            Descriptor::Both(path) | Descriptor::Input(Stdin::File(path)) => {
                Stdout::File { path: path.clone(), append: true }
            }
            Descriptor::Input(_) | Descriptor::Text { .. } => Stdout::Nowhere,
            Descriptor::Sink { substitution: true, .. } => Stdout::Substitution,
            Descriptor::Sink { .. } => Stdout::Pipe,
            Descriptor::Either(all) => {
                let all: Vec<Stdout> = all.iter().map(Descriptor::as_stdout).collect();
                let first = |fits: fn(&Stdout) -> bool| all.iter().find(|stdout| fits(stdout));
                first(|stdout| matches!(stdout, Stdout::Pipe | Stdout::Substitution))
                    .or_else(|| first(|stdout| matches!(stdout, Stdout::File { .. })))
                    .or_else(|| first(|stdout| *stdout == Stdout::Inherited))
                    .cloned()
                    .unwrap_or(Stdout::Nowhere)
            }
        }
    }

    /// True where what writes to it or copies it may fail.
    pub(super) fn may_be_closed(&self) -> bool {
        match self {
            Descriptor::Closed => true,
            Descriptor::Either(all) => all.iter().any(Descriptor::may_be_closed),
            _ => false,
        }
    }

    /// The places to which it may lead.
    pub(super) fn places(&self) -> &[Descriptor] {
        match self {
            Descriptor::Either(all) => all,
            one => std::slice::from_ref(one),
        }
    }

    /// Either of two.
    pub(super) fn or(&self, other: &Descriptor) -> Descriptor {
        if self == other {
            return self.clone();
        }
        let mut all = self.places().to_vec();
        all.extend(other.places().iter().filter(|place| !self.places().contains(place)).cloned());
        match all.len() {
            1 => all.remove(0),
            2..=MOST_PLACES => Descriptor::Either(all),
            _ => Descriptor::Input(Stdin::Unknown),
        }
    }
}
