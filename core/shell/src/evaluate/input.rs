//! Standard input that several commands share.
//!
//! The commands of a group, of a pipeline's stage, or of a substitution in it read from the same
//! place: after `head -c 1` a shell reads the rest. How much a program reads is not known. So once
//! a program that may read a text ran, the rest of it is uncertain: the whole text is still
//! evaluated, so that harm in it is found, and an effect says that it may be something else.

use std::collections::BTreeSet;

use super::Interpreter;
use super::sinks::Sink;
use super::state::{Descriptor, State};
use crate::invocation::{Argument, Invocation, Stdin};
use crate::place;
use crate::value::Value;

/// The texts that were opened to be read.
#[derive(Default)]
pub(super) struct OpenedTexts {
    /// How many were opened so far. Each gets the next number.
    count: usize,
    /// The numbers of those of which something may have been read.
    partly_read: BTreeSet<usize>,
}

/// Programs that do not read standard input, whatever their arguments.
const NEVER_READ_STDIN: &[&str] =
    &["[", "echo", "false", "kill", "printf", "pwd", "sleep", "test", "true"];

/// Programs that do not read standard input, unless an argument names it (`-`, `/dev/stdin`).
const SELDOM_READ_STDIN: &[&str] = &[
    "basename", "black", "cargo", "chgrp", "chmod", "chown", "clang", "clang++", "cmake",
    "composer", "ctest", "date", "df", "dirname", "du", "eslint", "expr", "find", "g++", "gcc",
    "go", "gradle", "groups", "hostname", "id", "javac", "jest", "ln", "ls", "make", "mkdir",
    "mvn", "mypy", "ninja", "npm", "nproc", "pip", "pip3", "pnpm", "poetry", "prettier", "ps",
    "pytest", "readlink", "realpath", "rmdir", "ruff", "rustc", "rustfmt", "seq", "stat", "touch",
    "tsc", "tty", "uname", "uv", "vitest", "which", "whoami", "yarn",
];

/// Programs that read standard input only without a file, and how many of their first operands are
/// no file: the pattern of `grep` is one.
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

/// Subcommands of `git` that do not read standard input.
const GIT_IGNORES_STDIN: &[&str] = &[
    "add", "blame", "branch", "checkout", "clone", "config", "describe", "diff", "fetch", "init",
    "log", "ls-files", "merge", "pull", "push", "rebase", "remote", "reset", "restore",
    "rev-parse", "show", "stash", "status", "switch", "tag",
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

    /// What a program that starts now reads on standard input.
    pub(in super::super) fn stdin(&self, state: &State) -> Stdin {
        self.stdin_of(&state.descriptor(0))
    }

    /// Notes that something read from a descriptor.
    pub(super) fn reads(&mut self, descriptor: &Descriptor) {
        match descriptor {
            Descriptor::Text { number, .. } => _ = self.openings.partly_read.insert(*number),
            Descriptor::Either(all) => all.iter().for_each(|one| self.reads(one)),
            _ => {}
        }
    }

    /// Notes that something read from one of the descriptors, and it is not known which.
    pub(super) fn reads_any(&mut self, state: &State) {
        state.descriptors.values().for_each(|descriptor| self.reads(descriptor));
    }

    /// True if something that reads a text, of which this is the descriptor, ran.
    pub(in super::super) fn is_partly_read(&self, descriptor: &Descriptor) -> bool {
        matches!(descriptor, Descriptor::Text { number, .. } if self.openings.partly_read.contains(number))
    }

    /// Notes that a program ran that may have read its standard input, or the output of `<(…)`.
    pub(super) fn may_have_read(&mut self, state: &State, invocation: &Invocation) {
        let name = invocation.name().unwrap_or_default();
        if !ignores_stdin(name, &invocation.arguments) {
            self.reads(&state.descriptor(0));
        }
        for argument in &invocation.arguments {
            self.process_read(&argument.value);
        }
    }

    /// Notes that the output of `<(…)` was read, if a path names it.
    pub(super) fn process_read(&mut self, path: &Value) {
        let written = path.as_known().and_then(|path| self.files.get_mut(path));
        if let (true, Some(written)) = (place::is_process(path.prefix()), written) {
            written.in_doubt = true;
        }
    }
}

/// True for a call that certainly does not read standard input.
fn ignores_stdin(name: &str, arguments: &[Argument]) -> bool {
    if NEVER_READ_STDIN.contains(&name) {
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
        "git" => operands.first().is_some_and(|command| GIT_IGNORES_STDIN.contains(command)),
        name if SELDOM_READ_STDIN.contains(&name) => true,
        _ => filters().is_some_and(|(_, others)| operands.len() > *others),
    }
}
