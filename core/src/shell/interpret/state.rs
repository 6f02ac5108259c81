//! What a shell knows at one point of a script.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::super::env::{Env, Shell};
use super::super::invocation::{Argument, Stdin, Stdout};
use super::super::ir::Command;
use super::super::value::{Origin, Value};

/// A shell between two commands. Cloning is cheap: the tables are shared until one changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) struct State {
    pub(super) variables: Arc<BTreeMap<String, Held>>,
    pub(super) functions: Arc<BTreeMap<String, Vec<Arc<Command>>>>,
    /// What `alias` and `hash -p` put in the place of a name.
    pub(super) replaced: Arc<BTreeMap<String, Replacement>>,
    pub(super) arguments: Arguments,
    pub(in super::super) cwd: Value,
    pub(super) stack: Vec<Value>,
    pub(super) descriptors: Arc<BTreeMap<u32, Descriptor>>,
    /// `set -f`
    pub(super) no_glob: bool,
    /// `set -a`
    pub(super) all_exported: bool,
}

/// What stands for the name of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    Alias(Value),
    Path(Value),
}

/// A variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Held {
    pub(super) content: Content,
    pub(super) exported: bool,
}

/// What a variable holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Text(Value),
    /// An array; none: what it holds is unknown.
    Array(Option<Vec<Value>>),
    /// It is surely not set.
    Nothing,
}

/// `$1`, `$2`, …
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Arguments {
    Known(Vec<Value>),
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

/// Where a descriptor leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in super::super) enum Descriptor {
    /// To what the caller gave.
    Inherited,
    /// Nowhere.
    Closed,
    /// It is read from.
    Input(Stdin),
    /// It is written to.
    Output { path: Value, append: bool },
    /// Both.
    Both(Value),
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
        let mut variables: BTreeMap<String, Held> = known
            .into_iter()
            .map(|(name, text)| {
                let exported = !matches!(name, "IFS" | "BASH" | "OPTIND");
                (name.to_owned(), Held { content: Content::Text(Value::known(text)), exported })
            })
            .collect();
        let shells = Value::one_of(["/bin/sh".to_owned(), "/bin/bash".to_owned()]);
        variables.insert("SHELL".into(), Held { content: Content::Text(shells), exported: true });
        variables.insert(
            "0".into(),
            Held { content: Content::Text(Value::known(shell)), exported: false },
        );
        let given = env
            .stdin
            .iter()
            .map(|text| (0, Descriptor::Input(Stdin::Text(Value::known(text.clone())))));
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
        }
    }

    pub(super) fn descriptor(&self, number: u32) -> Descriptor {
        self.descriptors.get(&number).cloned().unwrap_or(Descriptor::Inherited)
    }

    pub(in super::super) fn redirect(&mut self, number: u32, to: Descriptor) {
        Arc::make_mut(&mut self.descriptors).insert(number, to);
    }

    pub(in super::super) fn stdin(&self) -> Stdin {
        self.descriptor(0).as_stdin()
    }

    pub(super) fn stdout(&self) -> Stdout {
        self.descriptor(1).as_stdout()
    }

    /// Where the text that is written on standard output is collected.
    pub(super) fn sink(&self) -> Option<usize> {
        match self.descriptor(1) {
            Descriptor::Sink { number, .. } => Some(number),
            _ => None,
        }
    }

    pub(super) fn held(&self, name: &str) -> Option<&Held> {
        self.variables.get(name)
    }

    /// The value of a variable as a text.
    pub(in super::super) fn value(&self, name: &str) -> Value {
        match self.variables.get(name).map(|held| &held.content) {
            Some(Content::Text(value)) => value.clone(),
            Some(Content::Array(Some(values))) => {
                values.first().cloned().unwrap_or_else(|| Value::known(""))
            }
            Some(Content::Array(None)) => Value::Unknown(Origin::Other),
            Some(Content::Nothing) => Value::known(""),
            None => Value::Unknown(Origin::Environment(name.to_owned())),
        }
    }

    pub(super) fn set(&mut self, name: &str, content: Content) {
        let exported = self.all_exported
            || match self.variables.get(name) {
                Some(held) => held.exported,
                // What is not known here is of the environment, if it is anywhere.
                None => false,
            };
        let held = Held { content, exported };
        Arc::make_mut(&mut self.variables).insert(name.to_owned(), held);
    }

    pub(in super::super) fn set_text(&mut self, name: &str, value: Value) {
        self.set(name, Content::Text(value));
    }

    pub(in super::super) fn export(&mut self, name: &str, exported: bool) {
        let value = self.value(name);
        let held = Arc::make_mut(&mut self.variables)
            .entry(name.to_owned())
            .or_insert(Held { content: Content::Text(value), exported });
        held.exported = exported;
    }

    /// Sets a variable back to what it was.
    pub(super) fn restore(&mut self, name: &str, held: Option<Held>) {
        let variables = Arc::make_mut(&mut self.variables);
        match held {
            Some(held) => _ = variables.insert(name.to_owned(), held),
            None => _ = variables.remove(name),
        }
    }

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
        let is_new = |name: &String, held: &Held| held.exported && start.held(name) != Some(held);
        self.variables
            .iter()
            .filter(|(name, held)| is_new(name, held))
            .map(|(name, _)| (name.clone(), self.value(name)))
            .collect()
    }

    /// What is known where two ways meet.
    pub(super) fn or(self, other: State) -> State {
        if self == other {
            return self;
        }
        State {
            variables: joined(self.variables, other.variables, |name, one, other| {
                let env = Held {
                    content: Content::Text(Value::Unknown(Origin::Environment(name.to_owned()))),
                    exported: false,
                };
                one.unwrap_or(&env).or(other.unwrap_or(&env))
            }),
            functions: joined(self.functions, other.functions, |_, one, other| {
                let mut all = one.cloned().unwrap_or_default();
                for body in other.into_iter().flatten() {
                    if !all.contains(body) {
                        all.push(body.clone());
                    }
                }
                all
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
            descriptors: joined(self.descriptors, other.descriptors, |_, one, other| {
                let inherited = Descriptor::Inherited;
                one.unwrap_or(&inherited).or(other.unwrap_or(&inherited))
            }),
            no_glob: self.no_glob && other.no_glob,
            all_exported: self.all_exported || other.all_exported,
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

impl Held {
    fn or(&self, other: &Held) -> Held {
        Held { content: self.content.or(&other.content), exported: self.exported || other.exported }
    }
}

impl Content {
    fn or(&self, other: &Content) -> Content {
        match (self, other) {
            (one, other) if one == other => one.clone(),
            (Content::Array(_), _) | (_, Content::Array(_)) => Content::Array(None),
            (one, other) => Content::Text(one.text().or(other.text())),
        }
    }

    pub(super) fn text(&self) -> Value {
        match self {
            Content::Text(value) => value.clone(),
            Content::Array(_) => Value::Unknown(Origin::Other),
            Content::Nothing => Value::known(""),
        }
    }

    fn widened(&self) -> Content {
        match self {
            Content::Array(_) => Content::Array(None),
            Content::Text(value) => {
                Content::Text(Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other)))
            }
            Content::Nothing => Content::Text(Value::Unknown(Origin::Other)),
        }
    }
}

impl Descriptor {
    pub(super) fn as_stdin(&self) -> Stdin {
        match self {
            Descriptor::Inherited | Descriptor::Closed => Stdin::Inherited,
            Descriptor::Input(stdin) => stdin.clone(),
            Descriptor::Output { path, .. } | Descriptor::Both(path) => Stdin::File(path.clone()),
            Descriptor::Sink { .. } => Stdin::Unknown,
        }
    }

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
            Descriptor::Input(_) => Stdout::Nowhere,
            Descriptor::Sink { substitution: true, .. } => Stdout::Substitution,
            Descriptor::Sink { .. } => Stdout::Pipe,
        }
    }

    fn or(&self, other: &Descriptor) -> Descriptor {
        if self == other { self.clone() } else { Descriptor::Input(Stdin::Unknown) }
    }
}
