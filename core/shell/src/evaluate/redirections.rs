//! Redirections: where descriptors lead, and which files the shell opens for them.
//!
//! The shell opens the files itself, so a redirection has effects of its own: it reads, truncates
//! or creates a file, or opens a connection (`/dev/tcp/…`).

use std::sync::Arc;

use super::Interpreter;
use super::builtins::unmatched;
use super::parameter::is_name;
use super::state::{Descriptor, State};
use crate::effect::{Access, Effect, FileEffect, Payload};
use crate::invocation::{Argument, Stdin};
use crate::ir::{Command, Piece, Redirection, RedirectionKind, Span, Word};
use crate::place;
use crate::value::Value;

/// The most redirections of one command. Ordinary commands have three.
const MOST_REDIRECTIONS: usize = 64;

impl Interpreter<'_> {
    /// Opens the redirections of a command, from left to right.
    pub(super) fn redirect(&mut self, state: &mut State, redirections: &[Redirection]) {
        if let Some(first) = redirections.get(MOST_REDIRECTIONS) {
            self.unknown("more redirections than are looked at", first.span.clone());
        }
        for redirection in redirections.iter().take(MOST_REDIRECTIONS) {
            self.one(state, redirection);
        }
    }

    /// Opens one redirection.
    fn one(&mut self, state: &mut State, redirection: &Redirection) {
        let span = &redirection.span;
        if let Some(name) = &redirection.fd_name {
            // The shell picks a free descriptor of 10 or more.
            if is_name(name) {
                state.set_text(name, Value::known("10"));
            } else {
                self.element_set(state, name, span);
            }
        }
        let number = |default| match (&redirection.fd_name, redirection.fd) {
            (Some(_), _) => 10,
            (None, fd) => fd.unwrap_or(default),
        };
        match &redirection.kind {
            RedirectionKind::Read(word) => {
                let descriptor = self.read_from(state, word, span);
                state.redirect(number(0), descriptor);
            }
            RedirectionKind::Write { to, .. } => self.output_to(state, to, number(1), false, span),
            RedirectionKind::Append(to) => self.output_to(state, to, number(1), true, span),
            RedirectionKind::WriteBoth { to, append } => {
                self.output_to(state, to, 1, *append, span);
                let out = state.descriptor(1);
                state.redirect(2, out);
            }
            RedirectionKind::ReadWrite(word) => {
                let path = self.path(state, word);
                self.open(&path, Access::Read, span);
                self.open(&path, Access::Write, span);
                self.files_in_doubt = true;
                state.redirect(number(0), Descriptor::Both(path));
            }
            RedirectionKind::Duplicate(word) => {
                let target = self.single(state, word);
                self.duplicate(state, &target, number(1), span);
            }
            RedirectionKind::HereDocument { body, .. } => {
                let text = self.single(state, body);
                let descriptor = self.opened(text);
                state.redirect(number(0), descriptor);
            }
            RedirectionKind::HereString(word) => {
                let text = self.single(state, word).then(Value::known("\n"));
                let descriptor = self.opened(text);
                state.redirect(number(0), descriptor);
            }
        }
    }

    /// `< word`
    fn read_from(&mut self, state: &mut State, word: &Word, span: &Span) -> Descriptor {
        let path = self.path(state, word);
        self.open(&path, Access::Read, span);
        match path.as_known().and_then(|path| self.file(path)).cloned() {
            Some(text) if text.possible().is_some() => {
                self.process_read(&path);
                self.opened(text)
            }
            Some(text) if !text.outputs().is_empty() => {
                Descriptor::Input(Stdin::Pipe(text.outputs().to_vec()))
            }
            _ => match (self.descriptor_at(state, &path), path.outputs()) {
                (Some(descriptor), _) => descriptor,
                (None, []) => Descriptor::Input(Stdin::File(path)),
                (None, outputs) => Descriptor::Input(Stdin::Pipe(outputs.to_vec())),
            },
        }
    }

    /// The path of a redirection, from the working folder.
    fn path(&mut self, state: &mut State, word: &Word) -> Value {
        let mut words = self.arguments(state, std::slice::from_ref(word));
        let value = match words.len() {
            1 => words.remove(0).value,
            _ => self.single(state, word),
        };
        // Where the folders on the way are links or none at all, it is another file, or none.
        self.files_in_doubt |= value.prefix().contains("..");
        match value.as_known() {
            // These are no files: the shell opens a connection.
            Some(text) if text.starts_with("/dev/tcp/") || text.starts_with("/dev/udp/") => value,
            _ => place::resolve(&value, &state.cwd, self.env),
        }
    }

    /// Opens a file for writing.
    fn output_to(&mut self, state: &mut State, to: &Word, number: u32, append: bool, span: &Span) {
        let deferred = self.deferred.len();
        let path = self.path(state, to);
        if self.deferred.len() > deferred {
            // `> >(…)`: what is written is read by the commands.
            state.redirect(number, Descriptor::Output { path, append });
            return;
        }
        self.open(&path, Access::Write, span);
        if let Some(descriptor) = self.descriptor_at(state, &path) {
            // A file is opened anew by that, and what is written to it stands at its beginning.
            let is_file =
                |it: &Descriptor| matches!(it, Descriptor::Output { .. } | Descriptor::Both(_));
            self.files_in_doubt |= descriptor.places().iter().any(is_file);
            state.redirect(number, descriptor);
            return;
        }
        match path.as_known() {
            Some(known) if !append => self.truncate_file(known),
            Some(_) => {}
            None => self.files_in_doubt = true,
        }
        state.redirect(number, Descriptor::Output { path, append });
    }

    /// Where `/dev/fd/3` and its like lead. Of several paths one may be such, and the others files.
    pub(in super::super) fn descriptor_at(
        &self,
        state: &State,
        path: &Value,
    ) -> Option<Descriptor> {
        let paths = path.possible()?;
        let at = |path: &String| {
            let number = place::descriptor(path).filter(|_| !self.is_written(path))?;
            let is_open = number <= 2 || state.descriptors.contains_key(&number);
            is_open.then(|| state.descriptor(number))
        };
        let open: Vec<Option<Descriptor>> = paths.iter().map(at).collect();
        let file = |path: &String| Descriptor::Both(Value::known(path.clone()));
        let each = open.iter().zip(paths);
        let each = each.map(|(open, path)| open.clone().unwrap_or_else(|| file(path)));
        each.reduce(|all, one| all.or(&one)).filter(|_| open.iter().any(Option::is_some))
    }

    /// `{name[index]}>`: the index is evaluated. It is read as a word, which stands right before.
    pub(super) fn elements_opened(
        &mut self,
        state: &mut State,
        words: &[Argument],
        redirections: &[Redirection],
    ) {
        for word in words {
            let stands_before = |it: &Redirection| it.span.start == word.span.end;
            for text in unmatched(&word.value) {
                let name = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
                let name = name.filter(|name| name.ends_with(']') && name.contains('['));
                if let Some(name) = name.filter(|_| redirections.iter().any(stands_before)) {
                    self.element_set(state, name, &word.span);
                }
            }
        }
    }

    /// Lets a descriptor lead to where another one does: `2>&1`, `>&-`.
    fn duplicate(&mut self, state: &mut State, target: &Value, number: u32, span: &Span) {
        let text = target.as_known();
        let moved = text.and_then(|text| text.strip_suffix('-')).unwrap_or_default();
        match text.map(|text| (text, text.trim_end_matches('-').parse::<u32>())) {
            Some(("-", _)) => state.redirect(number, Descriptor::Closed),
            Some((_, Ok(source))) => {
                let descriptor = state.descriptor(source);
                state.redirect(number, descriptor);
                if !moved.is_empty() {
                    state.redirect(source, Descriptor::Closed);
                }
            }
            // `>&$x` writes to a file if `x` is the name of one.
            _ => {
                // What it becomes is expanded once more.
                let texts = target.possible().unwrap_or_default();
                if texts.iter().any(|text| text.contains(['$', '`'])) {
                    let why = "a name of a file that is expanded twice".to_owned();
                    self.found(Effect::Dynamic { why }, ">&", span);
                }
                let path = place::resolve(target, &state.cwd, self.env);
                self.open(&path, Access::Write, span);
                let out = Descriptor::Output { path, append: false };
                state.descriptors = Arc::clone(&state.descriptors);
                state.redirect(number, out);
            }
        }
    }

    /// Reports that the shell opens a file or a connection.
    fn open(&mut self, path: &Value, access: Access, span: &Span) {
        let connection =
            ["/dev/tcp/", "/dev/udp/"].iter().find_map(|start| path.prefix().strip_prefix(start));
        if let Some(rest) = connection {
            let (host, port) = rest.split_once('/').unwrap_or((rest, ""));
            let host = match path {
                Value::Known(_) => Value::known(host),
                other => Value::Unknown(other.origin().cloned().unwrap_or(super::Origin::Other)),
            };
            let effect = Effect::Network {
                host,
                port: port.parse().ok(),
                fetches: access == Access::Read,
                sends: if access == Access::Read { Payload::None } else { Payload::Stdin },
            };
            self.found(effect, "/dev/tcp", span);
            return;
        }
        if access == Access::Read && path.prefix().starts_with("/dev/fd/") {
            return;
        }
        let scope = place::scope(path, self.env);
        let file =
            FileEffect { access, path: path.clone(), scope, recursive: false, forced: false };
        self.found(Effect::File(file), if access == Access::Read { "<" } else { ">" }, span);
    }
}

/// A command of which the errors go where its output goes: what `|&` does.
pub(super) fn with_errors(command: &Command) -> Command {
    let span = command.span.clone();
    let one = Piece::Literal { text: "1".to_owned(), quoted: false };
    let kind = RedirectionKind::Duplicate(Word { pieces: vec![one], span: span.clone() });
    let mut command = command.clone();
    command.redirections.push(Redirection { fd: Some(2), fd_name: None, kind, span });
    command
}
