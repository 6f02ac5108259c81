//! What `echo` and `printf` write, exactly.
//!
//! Both are used to build commands from pieces (`printf '\162m'`), so their escapes are computed as
//! shells compute them. Where shells differ, the value is one of several.

use super::Interpreter;
use super::parameter::is_name;
use super::simple::ReadyCommand;
use super::state::{Content, State};
use crate::env::Shell;
use crate::invocation::Argument;
use crate::value::{Origin, Value};

/// The widest field of `printf` that is filled. A wider one makes the text unknown, so that a width
/// costs no memory.
const WIDEST: usize = 256;

impl Interpreter<'_> {
    /// `printf -v name …`
    pub(super) fn print_into(&mut self, state: &mut State, call: &ReadyCommand<'_>) {
        let Some((name, rest)) = destination(&call.arguments) else { return };
        let Some(name) = name.as_known() else { return self.unknown_name(call) };
        if is_name(name) {
            let value = printf(rest);
            self.assign(state, name, Content::Text(value), &call.span);
        } else {
            self.element_set(state, name, &call.span);
        }
    }
}

/// The variable that `printf -v NAME` or `-vNAME` writes to, and the arguments behind it.
pub(super) fn destination(arguments: &[Argument]) -> Option<(Value, &[Argument])> {
    let (option, rest) = arguments.split_first()?;
    let (name, rest) = match &option.value {
        Value::Known(text) if text == "-v" => {
            let (name, rest) = rest.split_first()?;
            (name.value.clone(), rest)
        }
        Value::Known(text) => (Value::known(text.strip_prefix("-v")?), rest),
        other if other.prefix().starts_with('-') => (Value::Unknown(Origin::Other), rest),
        // What is not known is taken for the format that it mostly is, unless it may be two words.
        _ if option.many => (Value::Unknown(Origin::Other), rest),
        _ => return None,
    };
    // Of more than one, the last.
    Some(destination(rest).unwrap_or((name, rest)))
}

/// What `echo` writes.
pub(super) fn echo(arguments: &[Argument], shell: Shell) -> Value {
    let mut newline = true;
    let mut escapes = None;
    let mut at = 0;
    while let Some(text) = arguments.get(at).and_then(|argument| argument.value.as_known())
        && is_option_of_echo(text)
    {
        for letter in text.bytes().skip(1) {
            match letter {
                b'n' => newline = false,
                b'e' => escapes = Some(true),
                _ => escapes = Some(false),
            }
        }
        at += 1;
    }
    let may_be_option = match arguments.get(at).map(|argument| &argument.value) {
        Some(Value::OneOf(texts)) => texts.iter().any(|text| is_option_of_echo(text)),
        Some(Value::Prefix(text, _)) => text == "-" || is_option_of_echo(text),
        _ => false,
    };
    if may_be_option {
        let origins = arguments[at..].iter().filter_map(|argument| argument.value.origin());
        let origin = origins.cloned().reduce(|all, one| Origin::joined(Some(&all), Some(&one)));
        return Value::Unknown(origin.unwrap_or(Origin::Other));
    }
    if arguments[at..].iter().any(|argument| argument.many) {
        return prefix(&arguments[at..]);
    }
    let values: Vec<Value> =
        arguments[at..].iter().map(|argument| argument.value.clone()).collect();
    let text = super::expand::joined(&values, " ");
    let end = Value::known(if newline { "\n" } else { "" });
    let interpreted = |text: &str| escaped(text, Escapes::Echo).0;
    let has_escapes = text.prefix().contains('\\');
    let text = match (escapes, shell) {
        _ if !has_escapes => text,
        (Some(true), _) => text.map(interpreted),
        // A POSIX shell interprets them always, Bash only with `-e`; `sh` is either.
        (_, Shell::Sh) => text.clone().or(text.map(interpreted)),
        _ => text,
    };
    text.then(end)
}

/// True for a word that `echo` of Bash reads as options.
fn is_option_of_echo(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|letters| {
        !letters.is_empty() && letters.bytes().all(|byte| b"neE".contains(&byte))
    })
}

/// What is known of the beginning, where the number of words is not.
fn prefix(arguments: &[Argument]) -> Value {
    let mut text = String::new();
    let mut origin = None;
    for (at, argument) in arguments.iter().enumerate() {
        // Where there may be no word at all, there may be no blank before it.
        if at > 0 && !argument.many && origin.is_none() {
            text.push(' ');
        }
        if let (Some(known), false, None) = (argument.value.as_known(), argument.many, &origin) {
            text.push_str(known);
        } else {
            let found = argument.value.origin().cloned();
            origin = Some(Origin::joined(origin.as_ref(), found.as_ref()));
        }
    }
    Value::Known(text).then(Value::Unknown(origin.unwrap_or(Origin::Other)))
}

/// True if `printf` certainly succeeds: its format takes no numbers.
pub(super) fn never_fails(arguments: &[Argument]) -> bool {
    let Some(format) = arguments.first().and_then(|first| first.value.as_known()) else {
        return false;
    };
    let is_text = |rest: &str| rest.starts_with(['s', 'b', 'c', '%']) || rest.is_empty();
    !format.starts_with('-') && format.replace("%%", "").split('%').skip(1).all(is_text)
}

/// What `printf` writes with a format and its arguments.
pub(super) fn printf(arguments: &[Argument]) -> Value {
    let arguments = match arguments.first().and_then(|first| first.value.as_known()) {
        Some("--") => &arguments[1..],
        _ => arguments,
    };
    let Some((format, values)) = arguments.split_first() else { return Value::known("") };
    let Some(format) = format.value.as_known() else {
        let origins = arguments.iter().filter_map(|argument| argument.value.origin());
        let origin = origins.fold(None, |all: Option<Origin>, origin| {
            Some(Origin::joined(all.as_ref(), Some(origin)))
        });
        return Value::Unknown(origin.unwrap_or(Origin::Other));
    };
    if values.iter().any(|argument| argument.many) {
        return match format.split_once('%') {
            Some((start, _)) => Value::known(escaped(start, Escapes::Format).0)
                .then(prefix(values).map(|_| String::new()).then(Value::Unknown(Origin::Other))),
            None => Value::Known(escaped(format, Escapes::Format).0),
        };
    }
    let mut values = values.iter().map(|argument| argument.value.clone()).peekable();
    let mut output = Value::known("");
    for _ in 0..64 {
        let before = values.len();
        let (text, stop) = once(format, &mut values);
        output = output.then(text);
        if stop || values.len() == 0 || values.len() == before {
            return output;
        }
    }
    output.then(Value::Unknown(Origin::Other))
}

/// The format, used once; true if the output ends here.
fn once(format: &str, values: &mut impl Iterator<Item = Value>) -> (Value, bool) {
    let mut output = Value::known("");
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let (text, stop) = escaped(&rest[..at], Escapes::Format);
        output = output.then(Value::Known(text));
        if stop {
            return (output, true);
        }
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            output = output.then(Value::known("%"));
            rest = after;
            continue;
        }
        let end = rest.find(|char: char| char.is_ascii_alphabetic()).unwrap_or(rest.len());
        let (width, after) = rest.split_at(end);
        let mut chars = after.chars();
        let kind = chars.next();
        rest = chars.as_str();
        let value = values.next().unwrap_or_else(|| Value::known(""));
        let value = match kind {
            Some('s') => value,
            Some('b') => value.map(|text| escaped(text, Escapes::Argument).0),
            Some('c') => value.map(|text| text.chars().take(1).collect()),
            Some('q') => value.map(quoted),
            Some('d' | 'i') => value.map(|text| number(text).to_string()),
            Some('x') => value.map(|text| format!("{:x}", number(text))),
            Some('X') => value.map(|text| format!("{:X}", number(text))),
            Some('o') => value.map(|text| format!("{:o}", number(text))),
            _ => Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other)),
        };
        output =
            output.then(widened(&value, width, matches!(kind, Some('d' | 'i' | 'x' | 'X' | 'o'))));
    }
    let (text, stop) = escaped(rest, Escapes::Format);
    (output.then(Value::Known(text)), stop)
}

/// The number that `printf` makes of an argument.
fn number(text: &str) -> i64 {
    match text.strip_prefix(['\'', '"']) {
        Some(char) => char.chars().next().map_or(0, |char| i64::from(char as u32)),
        None => super::arithmetic::evaluate(text, &|_| None).unwrap_or(0),
    }
}

/// A text as `%q` writes it.
fn quoted(text: &str) -> String {
    let plain = |char: char| char.is_ascii_alphanumeric() || "-_./,:@%+=".contains(char);
    if !text.is_empty() && text.chars().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// A value in a field of a width, and cut at a precision.
fn widened(value: &Value, width: &str, number: bool) -> Value {
    if width.is_empty() {
        return value.clone();
    }
    let left = width.starts_with('-');
    let zeros = number && width.starts_with('0');
    let (width, most) = match width.trim_start_matches(['-', '+', ' ', '0', '#']).split_once('.') {
        Some((width, most)) => (width, most.parse::<usize>().ok().or(Some(0))),
        None => (width.trim_start_matches(['-', '+', ' ', '0', '#']), None),
    };
    let width = if width.is_empty() { Some(0) } else { width.parse::<usize>().ok() };
    let Some(width) = width.filter(|width| *width <= WIDEST) else {
        return Value::Unknown(value.origin().cloned().unwrap_or(Origin::Other));
    };
    value.map(|text| {
        let text: String = text.chars().take(most.unwrap_or(usize::MAX)).collect();
        match (left, zeros) {
            (true, _) => format!("{text:<width$}"),
            (false, true) => format!("{text:0>width$}"),
            (false, false) => format!("{text:>width$}"),
        }
    })
}

/// Whose escapes are meant: they differ in how octal digits are written.
#[derive(Clone, Copy)]
pub(super) enum Escapes {
    /// `echo -e`: `\0nnn`
    Echo,
    /// The format of `printf`: `\nnn`
    Format,
    /// `%b`: both.
    Argument,
}

/// A number of at most so many digits, taken from the text.
fn digits(
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    radix: u32,
    most: usize,
) -> Option<u32> {
    let mut value = None;
    for _ in 0..most {
        let Some(digit) = chars.peek().and_then(|char| char.to_digit(radix)) else { break };
        value = Some(value.unwrap_or(0_u32).wrapping_mul(radix).wrapping_add(digit));
        chars.next();
    }
    value
}

/// A text with its escapes replaced; true if `\c` ends it.
pub(super) fn escaped(text: &str, escapes: Escapes) -> (String, bool) {
    let mut bytes: Vec<u8> = Vec::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        if char != '\\' {
            bytes.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        // `echo` wants a zero before octal digits, `%b` allows it.
        let zero = chars.peek() == Some(&'0');
        let most = match escapes {
            Escapes::Echo if !zero => 0,
            Escapes::Format => 3,
            Escapes::Echo | Escapes::Argument => 3 + usize::from(zero),
        };
        if let Some(value) = digits(&mut chars, 8, most) {
            bytes.push((value & 0xff) as u8);
            continue;
        }
        match chars.next() {
            None => bytes.push(b'\\'),
            Some('x') => match digits(&mut chars, 16, 2) {
                Some(value) => bytes.push((value & 0xff) as u8),
                None => bytes.extend(b"\\x"),
            },
            Some(kind @ ('u' | 'U')) => {
                let value = digits(&mut chars, 16, if kind == 'u' { 4 } else { 8 });
                let char = value.and_then(char::from_u32).unwrap_or('\u{fffd}');
                bytes.extend(char.encode_utf8(&mut [0; 4]).as_bytes());
            }
            Some('c') => return (String::from_utf8_lossy(&bytes).into_owned(), true),
            Some(kind) => match "abefnrtv\\\"'".find(kind) {
                Some(at) => bytes.push(b"\x07\x08\x1b\x0c\n\r\t\x0b\\\"'"[at]),
                None => {
                    bytes.push(b'\\');
                    bytes.extend(kind.encode_utf8(&mut [0; 4]).as_bytes());
                }
            },
        }
    }
    (String::from_utf8_lossy(&bytes).into_owned(), false)
}

#[cfg(test)]
mod tests {
    use super::{echo, printf};
    use crate::env::Shell;
    use crate::invocation::Argument;
    use crate::value::Value;

    fn arguments(texts: &[&str]) -> Vec<Argument> {
        texts.iter().map(|text| Argument::new(Value::known(*text), 0..0)).collect()
    }

    #[test]
    fn echo_writes_what_a_shell_writes() {
        for (words, text) in [
            (&["a", "b"][..], "a b\n"),
            (&["-n", "a"], "a"),
            (&["-ne", r"\x72\0155\n"], "rm\n"),
            (&["-x", "a"], "-x a\n"),
            (&[r"a\nb"], "a\\nb\n"),
        ] {
            assert_eq!(echo(&arguments(words), Shell::Bash), Value::known(text), "{words:?}");
        }
        let either = echo(&arguments(&[r"a\tb"]), Shell::Sh);
        assert_eq!(either.possible().map(<[String]>::len), Some(2));
    }

    #[test]
    fn printf_writes_what_a_shell_writes() {
        for (words, text) in [
            (&["%s-%s", "a", "b"][..], "a-b"),
            (&["%s\\n", "a", "b"], "a\nb\n"),
            (&["\\x72\\155"], "rm"),
            (&["%b", r"\x72m"], "rm"),
            (&["%d %x %o%%", "10", "255", "8"], "10 ff 10%"),
            (&["%5s|%-3s|%.2s", "a", "b", "cde"], "    a|b  |cd"),
            (&["%c%c", "rx", "my"], "rm"),
            (&["x"], "x"),
            (&["--", "%s", "a"], "a"),
        ] {
            assert_eq!(printf(&arguments(words)), Value::known(text), "{words:?}");
        }
    }
}
