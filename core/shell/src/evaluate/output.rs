//! What pure programs write, where everything that goes into them is known.
//!
//! `echo aGk= | base64 -d | sh` runs a text that stands nowhere in the command. So the filters that
//! people put in front of a shell are computed: decoders, `tr`, `rev`, `cut`, plain `sed`
//! substitutions. What is not in this list is unknown, and whatever runs unknown output is asked
//! about.

use data_encoding::{BASE32, BASE64_MIME_PERMISSIVE, HEXLOWER_PERMISSIVE};

use super::Interpreter;
use super::print::{destination, echo, printf};
use super::state::State;
use crate::invocation::{Argument, Invocation, Stdin};
use crate::place;
use crate::value::{Origin, Value};

impl Interpreter<'_> {
    /// What an invocation writes, if that is known.
    pub(super) fn output(&self, state: &State, invocation: &Invocation) -> Option<Value> {
        let name = invocation.name()?;
        let arguments = &invocation.arguments;
        match name {
            "echo" => return Some(echo(arguments, self.env.shell)),
            "printf" if destination(arguments).is_some() => return Some(Value::known("")),
            "printf" => return Some(printf(arguments)),
            "pwd" => return Some(state.cwd.clone().then(Value::known("\n"))),
            "true" | "false" | "sleep" | "mkdir" | "touch" | "test" | "[" => {
                return Some(Value::known(""));
            }
            _ => {}
        }
        let words: Option<Vec<&str>> =
            arguments.iter().map(|argument| known(argument).filter(|_| !argument.many)).collect();
        let words = words?;
        if let Some(text) = self.of_names(state, name, &words) {
            return Some(text);
        }
        let (stdin, options) = self.input(state, invocation, name, &words)?;
        match &stdin {
            Value::Known(text) => filter(name, &options, text).map(Value::Known),
            Value::OneOf(texts) => {
                let all: Option<Vec<String>> =
                    texts.iter().map(|text| filter(name, &options, text)).collect();
                Some(Value::one_of(all?))
            }
            _ => None,
        }
    }

    /// What programs write that look at nothing but their arguments.
    fn of_names(&self, state: &State, name: &str, words: &[&str]) -> Option<Value> {
        let line = |text: String| Some(Value::Known(text + "\n"));
        match (name, words) {
            ("basename", [path]) => line(base(path).to_owned()),
            ("basename", [path, end]) => {
                let base = base(path);
                line(
                    base.strip_suffix(end)
                        .filter(|rest| !rest.is_empty())
                        .unwrap_or(base)
                        .to_owned(),
                )
            }
            ("dirname", [path]) => line(folder(path).to_owned()),
            ("whoami", []) | ("id", ["-un"]) => line(self.env.user.clone()),
            ("which", [program]) if is_everywhere(program) => Some(found_program(program)),
            ("which", [program]) => Some(found_program(program).or(Value::known(""))),
            ("realpath", [path]) | ("readlink", ["-f", path]) => {
                let path = place::resolve(&Value::known(*path), &state.cwd, self.env);
                Some(path.then(Value::known("\n")))
            }
            ("git", ["rev-parse", "--show-toplevel"]) => {
                let cwd = state.cwd.as_known()?;
                let within = |root: &&String| place::is_within(cwd, root);
                line(self.env.workspace.iter().find(within)?.clone())
            }
            ("mktemp", words)
                if words.iter().all(|word| matches!(*word, "-d" | "-q" | "--directory")) =>
            {
                let temp = self.env.temp.first()?;
                Some(Value::Prefix(format!("{temp}/tmp."), Origin::Picked))
            }
            ("seq", [to]) => line(sequence(1, to.parse().ok()?)?),
            ("seq", [from, to]) => line(sequence(from.parse().ok()?, to.parse().ok()?)?),
            _ => None,
        }
    }

    /// What a filter reads, and its arguments without the file.
    fn input(
        &self,
        state: &State,
        invocation: &Invocation,
        name: &str,
        words: &[&str],
    ) -> Option<(Value, Vec<String>)> {
        let mut options: Vec<String> = Vec::new();
        let mut files: Vec<&str> = Vec::new();
        for word in words {
            let is_operand = !word.starts_with('-') || *word == "-";
            let takes_operand =
                matches!(name, "tr" | "sed" | "head" | "tail" | "cut" | "openssl" | "awk" | "grep");
            if is_operand && !takes_operand {
                files.push(word)
            } else {
                options.push((*word).to_owned())
            }
        }
        match files[..] {
            // What it names it writes.
            [_, ..] if name == "tee" => match &invocation.stdin {
                Stdin::Text(text) => Some((text.clone(), Vec::new())),
                _ => None,
            },
            [] | ["-"] | ["/dev/stdin"] => match &invocation.stdin {
                Stdin::Text(text) => Some((text.clone(), options)),
                _ => None,
            },
            [file] => {
                let path = place::resolve(&Value::known(file), &state.cwd, self.env);
                self.file(path.as_known()?).map(|text| (text.clone(), options))
            }
            _ => None,
        }
    }
}

/// The text of an argument, if it is known.
fn known(argument: &Argument) -> Option<&str> {
    argument.value.as_known()
}

/// Whether a builtin of the shell may print something: all but those that are known to write nothing.
pub(super) fn may_print(name: &str, arguments: &[Argument]) -> bool {
    let options = || arguments.iter().map(|word| word.value.prefix());
    let shows = |letters: &[char]| options().any(|it| it.starts_with('-') && it.contains(letters));
    match name {
        "." | "[" | "break" | "continue" | "exit" | "getopts" | "let" | "logout" | "mapfile"
        | "read" | "readarray" | "return" | "shift" | "source" | "test" | "unalias" | "unset"
        | "wait" | "disown" => false,
        "cd" => options().any(|it| it == "-" || it.is_empty()),
        "trap" => arguments.len() < 2 || shows(&['p', 'l']),
        "export" | "declare" | "typeset" | "local" | "readonly" => {
            arguments.is_empty() || shows(&['p', 'f', 'F'])
        }
        "set" => arguments.is_empty() || options().next_back().is_some_and(|it| it.ends_with('o')),
        "alias" => !options().all(|it| it.contains('=')),
        "shopt" => !shows(&['s', 'u', 'q']),
        "enable" => !shows(&['n', 'd']),
        "hash" => arguments.is_empty() || shows(&['l', 't']),
        "umask" | "ulimit" => arguments.is_empty() || shows(&['S', 'p', 'a']),
        _ => true,
    }
}

/// True for a program that there is wherever there is a shell.
pub(super) fn is_everywhere(name: &str) -> bool {
    /// Programs of every system.
    const NAMES: &[&str] = &[
        "awk", "bash", "cat", "cp", "echo", "env", "false", "grep", "ls", "mkdir", "mv", "printf",
        "rm", "sed", "sh", "test", "true",
    ];
    NAMES.contains(&name)
}

/// What a filter makes of a text.
fn filter(name: &str, options: &[String], text: &str) -> Option<String> {
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    match (name, &options[..]) {
        ("cat" | "tee", []) | ("cat", ["-u"]) => Some(text.to_owned()),
        ("rev", []) => Some(text.split_inclusive('\n').map(reversed).collect()),
        ("tac", []) => Some(text.split_inclusive('\n').rev().collect()),
        ("base64", ["-d" | "-D" | "--decode" | "-di" | "-id"])
        | ("base64", ["-d", "-i"])
        | (
            "openssl",
            ["base64" | "enc", .., "-d"]
            | ["base64", "-d", ..]
            | ["enc", "-base64" | "-a", "-d", ..],
        ) => decoded(BASE64_MIME_PERMISSIVE.decode(padded(text).as_bytes()).ok()?),
        ("base32", ["-d" | "--decode"]) => {
            let text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
            decoded(BASE32.decode(text.as_bytes()).ok()?)
        }
        (
            "xxd",
            ["-r", "-p"]
            | ["-p", "-r"]
            | ["-rp" | "-pr"]
            | ["-r", "-ps"]
            | ["-ps", "-r"]
            | ["-plain", "-r"]
            | ["-r", "-plain"],
        ) => {
            let text: String = text.chars().filter(char::is_ascii_hexdigit).collect();
            decoded(HEXLOWER_PERMISSIVE.decode(text.as_bytes()).ok()?)
        }
        ("tr", ["-d", set]) => {
            let set = set_of(set)?;
            Some(text.chars().filter(|char| !set.contains(char)).collect())
        }
        ("tr", [from, to]) if !from.starts_with('-') => {
            let (from, to) = (set_of(from)?, set_of(to)?);
            let last = *to.last()?;
            Some(
                text.chars()
                    .map(|char| match from.iter().rposition(|other| *other == char) {
                        Some(at) => *to.get(at).unwrap_or(&last),
                        None => char,
                    })
                    .collect(),
            )
        }
        ("sed", [script]) | ("sed", ["-e", script]) => substituted(script, text),
        ("head", ["-n1" | "-1"] | ["-n", "1"]) => {
            Some(text.split_inclusive('\n').next().unwrap_or_default().to_owned())
        }
        ("head", ["-c", count]) => Some(text.chars().take(count.parse().ok()?).collect()),
        ("cut", ["-c", range]) => cut(range, text),
        ("cut", [range]) if range.starts_with("-c") => cut(&range[2..], text),
        _ => None,
    }
}

/// A line with its characters reversed, and its end left in place.
fn reversed(line: &str) -> String {
    match line.strip_suffix('\n') {
        Some(line) => line.chars().rev().chain(['\n']).collect(),
        None => line.chars().rev().collect(),
    }
}

/// Bytes as a text; none if they are not UTF-8.
fn decoded(bytes: Vec<u8>) -> Option<String> {
    String::from_utf8(bytes).ok()
}

/// Base64 with what is missing at its end.
fn padded(text: &str) -> String {
    let mut text: String = text.chars().filter(|char| !char.is_whitespace()).collect();
    while !text.len().is_multiple_of(4) && !text.ends_with("==") {
        text.push('=');
    }
    text
}

/// The characters of a set of `tr`.
fn set_of(set: &str) -> Option<Vec<char>> {
    if set.contains("[:") || set.contains("[=") {
        return class(set);
    }
    let (text, _) = super::print::escaped(set, super::print::Escapes::Format);
    let chars: Vec<char> = text.chars().collect();
    let mut all = Vec::new();
    let mut at = 0;
    while at < chars.len() {
        if let [from, '-', to, ..] = chars[at..] {
            if to < from || to as u32 - from as u32 > 256 {
                return None;
            }
            all.extend(from..=to);
            at += 3;
        } else {
            all.push(chars[at]);
            at += 1;
        }
    }
    Some(all)
}

/// The characters of a named class: `[:upper:]`.
fn class(set: &str) -> Option<Vec<char>> {
    let chars = |test: fn(&char) -> bool| (0_u8..128).map(char::from).filter(test).collect();
    match set {
        "[:upper:]" => Some(chars(char::is_ascii_uppercase)),
        "[:lower:]" => Some(chars(char::is_ascii_lowercase)),
        "[:digit:]" => Some(chars(char::is_ascii_digit)),
        "[:space:]" => Some(vec![' ', '\t', '\n', '\r', '\u{b}', '\u{c}']),
        _ => None,
    }
}

/// `s/a/b/g` with plain texts.
fn substituted(script: &str, text: &str) -> Option<String> {
    let rest = script.strip_prefix('s')?;
    let mark = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let mut parts = rest[1..].split(mark);
    let (from, to, flags) = (parts.next()?, parts.next()?, parts.next()?);
    let special = |char: char| "\\.*[]^$&".contains(char);
    if parts.next().is_some() || from.is_empty() || from.contains(special) || to.contains(special) {
        return None;
    }
    match flags {
        "g" => Some(text.replace(from, to)),
        "" => Some(text.split_inclusive('\n').map(|line| line.replacen(from, to, 1)).collect()),
        _ => None,
    }
}

/// `cut -c`
fn cut(range: &str, text: &str) -> Option<String> {
    let (from, to) = match range.split_once('-') {
        Some((from, to)) => (
            if from.is_empty() { 1 } else { from.parse::<usize>().ok()? },
            if to.is_empty() { usize::MAX } else { to.parse::<usize>().ok()? },
        ),
        None => {
            let at = range.parse::<usize>().ok()?;
            (at, at)
        }
    };
    let count = to.checked_sub(from)?.saturating_add(1);
    let line = |line: &str| -> String {
        line.chars().skip(from.saturating_sub(1)).take(count).chain(['\n']).collect()
    };
    Some(text.lines().map(line).collect())
}

/// The last part of a path, as `basename` prints it.
fn base(path: &str) -> &str {
    let path = path.trim_end_matches('/');
    if path.is_empty() { "/" } else { path.rsplit('/').next().unwrap_or(path) }
}

/// The folder of a path, as `dirname` prints it.
fn folder(path: &str) -> &str {
    match path.trim_end_matches('/').rsplit_once('/') {
        Some(("", _)) => "/",
        Some((folder, _)) => folder.trim_end_matches('/'),
        None if path.starts_with('/') => "/",
        None => ".",
    }
}

/// The lines of `seq`; none if they are more than anybody needs here.
fn sequence(from: i64, to: i64) -> Option<String> {
    let count = to.checked_sub(from)?;
    let numbers: Vec<String> = (from..=to).take(64).map(|number| number.to_string()).collect();
    (count < 64).then(|| numbers.join("\n"))
}

/// Where a program is found, so far as it is one of the system.
pub(super) fn found_program(name: &str) -> Value {
    if name.contains('/') {
        return Value::known(name);
    }
    Value::one_of([format!("/usr/bin/{name}"), format!("/bin/{name}")])
}
