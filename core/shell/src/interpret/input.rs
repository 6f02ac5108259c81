//! What is read of a text that several commands may read.
//!
//! The commands of a group, of a pipeline's stage, or of a substitution in it share what they read:
//! after `head -c 1` a shell reads the rest. How much a program reads is not known. So once one that
//! may read a text ran, what is left of it is doubted: the whole still runs, so that harm in it is
//! found, and it is told that it may be something else.

use std::collections::BTreeSet;

use super::super::invocation::{Argument, Invocation, Stdin};
use super::super::place;
use super::super::value::Value;
use super::Interpreter;
use super::sinks::Sink;
use super::state::{Descriptor, State};

/// The texts that were opened to be read.
#[derive(Default)]
pub(super) struct Openings {
    count: usize,
    /// The numbers of those of which something may have been read.
    partly_read: BTreeSet<usize>,
}

/// Programs that do not read their standard input, whatever they are told.
const ALWAYS_DEAF: &[&str] =
    &["[", "echo", "false", "kill", "printf", "pwd", "sleep", "test", "true"];

/// Programs that do not read their standard input, unless an argument says so.
const DEAF: &[&str] = &[
    "basename", "black", "cargo", "chgrp", "chmod", "chown", "clang", "clang++", "cmake",
    "composer", "ctest", "date", "df", "dirname", "du", "eslint", "expr", "find", "g++", "gcc",
    "go", "gradle", "groups", "hostname", "id", "javac", "jest", "ln", "ls", "make", "mkdir",
    "mvn", "mypy", "ninja", "npm", "nproc", "pip", "pip3", "pnpm", "poetry", "prettier", "ps",
    "pytest", "readlink", "realpath", "rmdir", "ruff", "rustc", "rustfmt", "seq", "stat", "touch",
    "tsc", "tty", "uname", "uv", "vitest", "which", "whoami", "yarn",
];

/// Programs that read their standard input only where they are told no file, and how many of their
/// operands are none.
const FILTERS: &[(&str, usize)] = &[
    ("base32", 0),
    ("base64", 0),
    ("cat", 0),
    ("cmp", 1),
    ("cut", 0),
    ("diff", 1),
    ("egrep", 1),
    ("fgrep", 1),
    ("fold", 0),
    ("grep", 1),
    ("head", 0),
    ("md5sum", 0),
    ("nl", 0),
    ("od", 0),
    ("rev", 0),
    ("sed", 1),
    ("sha1sum", 0),
    ("sha256sum", 0),
    ("sort", 0),
    ("tac", 0),
    ("tail", 0),
    ("uniq", 0),
    ("wc", 0),
];

/// What `git` does without reading.
const DEAF_GIT: &[&str] = &[
    "add",
    "blame",
    "branch",
    "checkout",
    "clone",
    "config",
    "describe",
    "diff",
    "fetch",
    "init",
    "log",
    "ls-files",
    "merge",
    "pull",
    "push",
    "rebase",
    "remote",
    "reset",
    "restore",
    "rev-parse",
    "show",
    "stash",
    "status",
    "switch",
    "tag",
];

impl Interpreter<'_> {
    /// A descriptor to read a text from, from its beginning.
    pub(in super::super) fn opened(&mut self, text: Value) -> Descriptor {
        self.openings.count += 1;
        Descriptor::Text { text, number: self.openings.count }
    }

    /// A descriptor to read what is written into a pipe, if that is known. Of what may have been
    /// stopped there may be less.
    pub(super) fn piped(&mut self, output: &Sink) -> Option<Descriptor> {
        let text = output.uncut();
        text.possible()?;
        let is_cut = output.value.possible().is_none();
        let opened = self.opened(text.clone());
        if is_cut {
            self.reads(&opened);
        }
        Some(opened)
    }

    /// What a program reads from a descriptor.
    pub(super) fn stdin_of(&self, descriptor: &Descriptor) -> Stdin {
        match descriptor {
            Descriptor::Inherited | Descriptor::Closed => Stdin::Inherited,
            Descriptor::Input(stdin) => stdin.clone(),
            Descriptor::Text { text, number } if self.openings.partly_read.contains(number) => {
                Stdin::Rest(text.clone())
            }
            Descriptor::Text { text, .. } => Stdin::Text(text.clone()),
            Descriptor::Output { path, .. } | Descriptor::Both(path) => Stdin::File(path.clone()),
            Descriptor::Sink { .. } | Descriptor::Either(_) => Stdin::Unknown,
        }
    }

    pub(in super::super) fn stdin(&self, state: &State) -> Stdin {
        self.stdin_of(&state.descriptor(0))
    }

    /// Something that reads a descriptor ran.
    pub(super) fn reads(&mut self, descriptor: &Descriptor) {
        match descriptor {
            Descriptor::Text { number, .. } => _ = self.openings.partly_read.insert(*number),
            Descriptor::Either(all) => all.iter().for_each(|one| self.reads(one)),
            _ => {}
        }
    }

    /// Something that reads one of the descriptors ran, and which is not known.
    pub(super) fn reads_any(&mut self, state: &State) {
        state.descriptors.values().for_each(|descriptor| self.reads(descriptor));
    }

    /// True if something that reads a text, of which this is the descriptor, ran.
    pub(in super::super) fn is_partly_read(&self, descriptor: &Descriptor) -> bool {
        matches!(descriptor, Descriptor::Text { number, .. } if self.openings.partly_read.contains(number))
    }

    /// A program ran that may have read its standard input, or what a process of the text writes.
    pub(super) fn may_have_read(&mut self, state: &State, invocation: &Invocation) {
        let name = invocation.name().unwrap_or_default();
        if !is_deaf(name, &invocation.arguments) {
            self.reads(&state.descriptor(0));
        }
        for argument in &invocation.arguments {
            self.process_read(&argument.value);
        }
    }

    /// What `<(…)` writes was read, if that is what a path names.
    pub(super) fn process_read(&mut self, path: &Value) {
        let written = path.as_known().and_then(|path| self.files.get_mut(path));
        if let (true, Some(written)) = (place::is_process(path.prefix()), written) {
            written.in_doubt = true;
        }
    }
}

/// True for a program that surely leaves its standard input alone.
fn is_deaf(name: &str, arguments: &[Argument]) -> bool {
    if ALWAYS_DEAF.contains(&name) {
        return true;
    }
    let mut operands = Vec::new();
    for argument in arguments {
        match argument.value.prefix() {
            "-" | "--stdin" => return false,
            text if text.starts_with("/dev/") || text.contains("stdin") => return false,
            "" => return false,
            text if text.starts_with('-') => {}
            text => operands.push(text),
        }
    }
    let filters = || FILTERS.iter().find(|(filter, _)| *filter == name);
    match name {
        "git" => operands.first().is_some_and(|command| DEAF_GIT.contains(command)),
        name if DEAF.contains(&name) => true,
        _ => filters().is_some_and(|(_, others)| operands.len() > *others),
    }
}
