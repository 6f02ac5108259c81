//! Files that the text writes, and what is known of them later.
//!
//! What is written to a file is known until something may have changed it or may have kept it from
//! being written: a program that is not known to write nothing, a link, an option of the shell.
//! From then on what was written is still evaluated where it runs, so that harm in it is found, and
//! an effect says that it may be something else.
//!
//! # Example
//!
//! ```text
//! printf 'rm -rf /srv' > x.sh      x.sh holds a known text
//! chmod +x x.sh                    it still does: the mode takes no right away
//! ./x.sh                           runs that text
//! ```
//!
//! With `make` between the lines, the file may have been changed. The text still runs, and so does
//! an effect that says that the file may be another.

use super::Interpreter;
use super::state::State;
use crate::effect::Effect;
use crate::invocation::{Argument, Invocation, Stdin};
use crate::ir::{CommandKind, RedirectionKind, Script, Span, Word};
use crate::place;
use crate::value::{Origin, Value};

/// What was written to a file.
#[derive(Clone, Debug)]
pub(super) struct Written {
    /// What was written.
    pub(super) text: Value,
    /// How many branches and loops were around. Out of them it is there perhaps.
    pub(super) within: usize,
    /// It may be something else.
    pub(super) in_doubt: bool,
    /// A program that runs what stands in it has been looked at.
    pub(super) read: bool,
}

impl Written {
    /// A file that was written for certain.
    pub(super) fn new(text: Value, within: usize) -> Written {
        Written { text, within, in_doubt: false, read: false }
    }
}

/// Programs that change no file, whatever their arguments. Only a redirection lets them write one.
const READ_ONLY_PROGRAMS: &[&str] = &[
    "[", "base32", "base64", "basename", "cat", "cksum", "cmp", "comm", "cut", "date", "df",
    "diff", "dirname", "du", "echo", "egrep", "expr", "false", "fgrep", "fold", "grep", "groups",
    "head", "hostname", "id", "ls", "md5sum", "mkdir", "nl", "nproc", "od", "printf", "ps", "pwd",
    "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "sleep", "stat", "tac", "tail",
    "test", "touch", "tr", "true", "tty", "uname", "wc", "which", "whoami",
];

/// Programs that do nothing but run others, which are evaluated in their turn.
const TRANSPARENT_WRAPPERS: &[&str] = &[
    "ash", "bash", "dash", "doas", "env", "ionice", "ksh", "nice", "nohup", "setsid", "sh",
    "stdbuf", "sudo", "timeout", "xargs", "zsh",
];

/// Programs that give one file the text of another.
const COPY_PROGRAMS: &[&str] = &["cp", "install", "link", "ln", "mv", "rsync", "scp"];

impl Interpreter<'_> {
    /// The text of a file that this text wrote, if it is surely that.
    pub(in super::super) fn file(&self, path: &str) -> Option<&Value> {
        let is_sure = |it: &&Written| !self.is_in_doubt(path, it, self.files_in_doubt);
        self.files.get(path).filter(is_sure).map(|it| &it.text)
    }

    /// What this text wrote to a file. It may be something else by now.
    pub(in super::super) fn written_text(&self, path: &str) -> Option<&Value> {
        self.files.get(path).map(|written| &written.text)
    }

    /// What this text wrote to such files and no known program has run yet, each once.
    pub(in super::super) fn take_unread(
        &mut self,
        wanted: impl Fn(&str) -> bool,
    ) -> Vec<(String, Value)> {
        let unread = self.files.iter_mut().filter(|(path, written)| !written.read && wanted(path));
        let take = |(path, written): (&String, &mut Written)| {
            written.read = true;
            (path.clone(), written.text.clone())
        };
        unread.map(take).collect()
    }

    /// The text of a file that this text wrote and that `program` runs. If it may be something else
    /// by then, that is reported. `files_in_doubt` says whether files were uncertain when the
    /// program began.
    pub(in super::super) fn file_to_run(
        &mut self,
        path: &str,
        program: &str,
        span: &Span,
        files_in_doubt: bool,
    ) -> Option<Value> {
        let in_doubt = self.is_in_doubt(path, self.files.get(path)?, files_in_doubt);
        let written = self.files.get_mut(path)?;
        written.read = true;
        let text = written.text.clone();
        if in_doubt {
            let why = format!("the file that `{program}` runs may have been changed");
            self.found(Effect::Dynamic { why }, program, span);
        }
        Some(text)
    }

    /// True if a file may hold something other than what was written.
    fn is_in_doubt(&self, path: &str, written: &Written, files_in_doubt: bool) -> bool {
        // What `<(…)` writes is kept in no file.
        let is_process = place::is_process(path);
        let may_differ = files_in_doubt || self.conditional < written.within;
        written.in_doubt || may_differ && !is_process
    }

    /// Notes that a file is about to be written from its beginning.
    pub(super) fn truncate_file(&mut self, path: &str) {
        let before = self.files.remove(path);
        if self.conditional > 0
            || self.may_be_unreachable()
            || before.as_ref().is_some_and(|before| before.in_doubt)
        {
            let in_doubt = before.is_some();
            let written =
                Written { text: Value::known(""), within: self.conditional, in_doubt, read: false };
            self.files.insert(path.to_owned(), written);
        }
    }

    /// Notes that more may be written to a file than is known.
    pub(super) fn doubt_file(&mut self, path: &str) {
        let nothing = || Written::new(Value::known(""), 0);
        self.files.entry(path.to_owned()).or_insert_with(nothing).in_doubt = true;
    }

    /// Notes what is written to a file.
    pub(super) fn write_file(&mut self, path: &str, append: bool, value: Value) {
        let before = self.files.remove(path);
        let in_doubt = before.as_ref().is_some_and(|before| before.in_doubt);
        let text = match before.filter(|_| append || in_doubt) {
            Some(before) if before.in_doubt && !append => value,
            Some(before) => before.text.then(value),
            None => value,
        };
        let within = self.conditional;
        self.files.insert(path.to_owned(), Written { in_doubt, ..Written::new(text, within) });
    }

    /// Notes that a program runs which may change files.
    pub(super) fn may_write(&mut self, state: &State, invocation: &Invocation) {
        if invocation.name() == Some("tee") && self.apply_tee(state, invocation) {
            return;
        }
        let reads = only_reads(invocation) || self.runs_own_file(state, invocation);
        self.files_in_doubt |= !reads;
        if matches!(invocation.name(), Some("kill" | "gkill" | "fuser")) {
            self.mark_maybe_stopped();
        }
        if invocation.name().is_some_and(|name| COPY_PROGRAMS.contains(&name)) {
            self.apply_copy(state, invocation);
        }
    }

    /// Writes what `tee` reads to the files that it names. False if it is not known which.
    fn apply_tee(&mut self, state: &State, invocation: &Invocation) -> bool {
        let words: Option<Vec<&str>> =
            invocation.arguments.iter().map(|word| word.value.as_known()).collect();
        let Some(words) = words else { return false };
        let text = match &invocation.stdin {
            Stdin::Text(text) => text.clone(),
            _ => Value::Unknown(Origin::Input),
        };
        let (options, files): (Vec<&str>, Vec<&str>) =
            words.into_iter().partition(|word| word.starts_with('-'));
        let appends = options.iter().any(|option| option.contains('a'));
        for file in files {
            let path = place::resolve(&Value::known(file), &state.cwd, self.env);
            if let Some(descriptor) = self.descriptor_at(state, &path) {
                self.write_to(&descriptor, text.clone(), false);
                continue;
            }
            let Some(path) = path.as_known() else { return false };
            if !appends {
                self.truncate_file(path);
            }
            self.write_file(path, appends, text.clone());
        }
        true
    }

    /// True for a program that is a file which this text wrote. What it does is evaluated by
    /// itself.
    fn runs_own_file(&self, state: &State, invocation: &Invocation) -> bool {
        let program = invocation.program.value.as_known().filter(|program| program.contains('/'));
        let path = program.map(|path| place::resolve(&Value::known(path), &state.cwd, self.env));
        let text = path.as_ref().and_then(Value::as_known).and_then(|path| self.files.get(path));
        text.is_some_and(|written| written.text.possible().is_some())
    }

    /// Notes that what was written to a file may run under another name as well.
    fn apply_copy(&mut self, state: &State, invocation: &Invocation) {
        // Of a link it may be written later.
        let is_link = matches!(invocation.name(), Some("ln" | "link"));
        let operands =
            invocation.arguments.iter().filter(|word| !word.value.prefix().starts_with('-'));
        let paths: Vec<Value> = operands
            .clone()
            .map(|word| place::resolve(&word.value, &state.cwd, self.env))
            .collect();
        let mut operands = operands.map(|word| &word.value).chain(&paths);
        if operands.any(|path| leads_to_descriptor(path, is_link)) {
            let why = "a link to a descriptor leads to what is open when it is used".to_owned();
            let name = invocation.name().unwrap_or_default();
            self.found(Effect::Dynamic { why }, name, &invocation.span);
        }
        let known: Option<Vec<&str>> = paths.iter().map(Value::as_known).collect();
        let Some((to, from)) = known.as_ref().and_then(|known| known.split_last()) else { return };
        for from in from {
            self.apply_folder_copy(from, to);
            let text = match self.files.get(*from) {
                Some(written) => written.text.clone(),
                None if is_link => Value::Unknown(Origin::Input),
                None => continue,
            };
            let name = from.rsplit('/').next().unwrap_or_default();
            for path in [(*to).to_owned(), format!("{to}/{name}")] {
                let written = Written { in_doubt: true, ..Written::new(text.clone(), 0) };
                self.files.entry(path).or_insert(written);
            }
        }
    }

    /// Notes that what was written to the files of a folder may run from another folder as well.
    fn apply_folder_copy(&mut self, from: &str, to: &str) {
        let name = from.rsplit('/').next().unwrap_or_default();
        let below =
            |path: &String| path.strip_prefix(from).filter(|it| it.starts_with('/')).is_some();
        let within: Vec<(String, Value)> = self
            .files
            .iter()
            .filter(|(path, _)| below(path))
            .map(|(path, written)| (path[from.len()..].to_owned(), written.text.clone()))
            .collect();
        for (rest, text) in within {
            for path in [format!("{to}{rest}"), format!("{to}/{name}{rest}")] {
                let written = Written { in_doubt: true, ..Written::new(text.clone(), 0) };
                self.files.entry(path).or_insert(written);
            }
        }
    }

    /// True for a file that this text wrote.
    pub(super) fn is_written(&self, path: &str) -> bool {
        self.files.contains_key(path)
    }

    /// Reports a program in whose place a file of this text may run, because `PATH` leads to other
    /// folders.
    pub(super) fn check_shadowing(&mut self, state: &State, invocation: &Invocation) {
        let Some(name) = invocation.program.value.as_known().filter(|name| !name.contains('/'))
        else {
            return;
        };
        let given = invocation.environment.iter().any(|(name, _)| name == "PATH");
        if !given && state.held("PATH").is_none() {
            return;
        }
        let is_it = |path: &str| path.rsplit('/').next() == Some(name);
        let may_make = |earlier: &Invocation| {
            let is_copier = earlier.name().is_some_and(|name| COPY_PROGRAMS.contains(&name));
            let names = |word: &Argument| match word.value.possible() {
                Some(texts) => texts.iter().any(|text| is_it(text)),
                None => is_copier,
            };
            !only_reads(earlier) && earlier.arguments.iter().any(names)
        };
        if self.files.keys().any(|path| is_it(path)) || self.out.invocations.iter().any(may_make) {
            let why = format!("a file that this text makes may run as `{name}`");
            self.found(Effect::Dynamic { why }, name, &invocation.span);
        }
    }

    /// What `$(< file)` becomes: the text of the file.
    pub(super) fn file_alone(&mut self, state: &State, script: &Script) -> Option<Value> {
        let word = only_read(script)?;
        let mut inner = state.clone();
        let path = self.single(&mut inner, word);
        let path = place::resolve(&path, &state.cwd, self.env);
        let known = path.as_known().and_then(|path| self.file(path)).cloned();
        Some(known.unwrap_or(Value::Unknown(Origin::Input)))
    }
}

/// True if a program surely changes no file.
fn only_reads(invocation: &Invocation) -> bool {
    match invocation.name().unwrap_or_default() {
        // To run a file, or to write it again, it must not lose a permission.
        "chmod" => invocation.arguments.first().is_some_and(gives_permission),
        name => READ_ONLY_PROGRAMS.contains(&name) || TRANSPARENT_WRAPPERS.contains(&name),
    }
}

/// True for a path that may stand for a descriptor or for a folder around one. How far up the `..`
/// of a link lead depends on where it stands.
fn leads_to_descriptor(path: &Value, is_link: bool) -> bool {
    /// Paths that stand for descriptors.
    const DEVICES: &[&str] = &["dev/fd", "dev/stdin", "dev/stdout", "dev/stderr"];
    let leads = |text: &str| {
        let below = text.trim_start_matches("../");
        let is_below = below.starts_with('/') || below != text;
        let below = below.trim_matches('/');
        text == "/"
            || is_below && matches!(below, "dev" | "proc")
            || is_below && DEVICES.iter().any(|device| below.starts_with(device))
            || is_below && is_link && below.starts_with("proc/")
    };
    match path.possible() {
        Some(texts) => texts.iter().any(|text| leads(text)),
        None => leads(path.prefix()),
    }
}

/// The word in a script that is `< word` and nothing else.
fn only_read(script: &Script) -> Option<&Word> {
    let [item] = &script.items[..] else { return None };
    let [command] = &item.pipeline.commands[..] else { return None };
    let CommandKind::Simple(simple) = &command.kind else { return None };
    let [redirection] = &command.redirections[..] else { return None };
    let RedirectionKind::Read(word) = &redirection.kind else { return None };
    let is_alone = simple.words.is_empty()
        && simple.assignments.is_empty()
        && redirection.fd.is_none_or(|fd| fd == 0);
    is_alone.then_some(word)
}

/// True for a mode that takes no permission from the owner: `+x`, `755`.
fn gives_permission(mode: &Argument) -> bool {
    let Some(mode) = mode.value.as_known() else { return false };
    let octal = mode.len() >= 3 && mode.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    let owner = mode.len().checked_sub(3).map(|at| mode.as_bytes()[at]);
    let adds = mode.trim_start_matches(['u', 'g', 'o', 'a']).strip_prefix('+');
    octal && matches!(owner, Some(b'6' | b'7'))
        || adds.is_some_and(|bits| bits.bytes().all(|byte| b"rwx".contains(&byte)))
}
