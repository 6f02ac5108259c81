//! Options of interpreters, which no grammar of GNU options can describe: `-0pe CODE`, `-lane
//! CODE`, `-ibak`, and `-c CODE` behind which nothing is an option any more.

use crate::invocation::Argument;
use crate::value::Value;

/// The letters of a program.
pub(super) struct Letters {
    /// Letters without a value.
    pub(super) flags: &'static str,
    /// They take the rest of the word, or the next word.
    pub(super) values: &'static str,
    /// They take the rest of the word.
    pub(super) attached: &'static str,
    /// They take the digits that follow.
    pub(super) digits: &'static str,
    /// They take a value, and end the options.
    pub(super) last: &'static str,
    /// Long options without a value.
    pub(super) long_flags: &'static [&'static str],
    /// Long options with a value.
    pub(super) long_values: &'static [&'static str],
    /// True if every long option is known: one that is in no list takes no value of its own.
    pub(super) any_long: bool,
}

/// Arguments, read by letters.
#[derive(Default)]
pub(super) struct Switches {
    /// Options in their order: a letter or a long name, and the value.
    pub(super) options: Vec<(String, Option<Argument>)>,
    /// What follows the options.
    pub(super) rest: Vec<Argument>,
    /// Options that are not known.
    pub(super) unknown: Vec<Argument>,
}

impl Switches {
    /// True if an option is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.options.iter().any(|(other, _)| other == name)
    }

    /// The values of options, in their order.
    pub(super) fn values<'s>(&'s self, names: &'s [&str]) -> impl Iterator<Item = &'s Argument> {
        let fits = |(name, _): &&(String, Option<Argument>)| names.contains(&name.as_str());
        self.options.iter().filter(fits).filter_map(|(_, value)| value.as_ref())
    }
}

/// Reads arguments up to the first that is no option.
pub(super) fn read(arguments: &[Argument], letters: &Letters) -> Switches {
    let mut switches = Switches::default();
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        let text = argument.value.prefix();
        if argument.value.possible().is_none() && text.is_empty() {
            // Of a word that is not known it is not known either whether it is an option.
            switches.unknown.push(argument.clone());
            break;
        }
        if !text.starts_with('-') || text == "-" {
            break;
        }
        at += 1;
        if text == "--" {
            break;
        }
        let next = arguments.get(at).cloned();
        let (takes_next, ends) = if text.starts_with("--") {
            switches.long(argument, text, next, letters)
        } else {
            switches.short(argument, next, letters)
        };
        at += usize::from(takes_next);
        if ends {
            break;
        }
    }
    switches.rest = arguments.get(at..).unwrap_or_default().to_vec();
    switches
}

impl Switches {
    /// Reads a long option. True if it took the next word.
    fn long(
        &mut self,
        argument: &Argument,
        text: &str,
        next: Option<Argument>,
        letters: &Letters,
    ) -> (bool, bool) {
        let (name, attached) = match text.split_once('=') {
            Some((name, _)) => (name, true),
            None => (text, false),
        };
        let value = attached.then(|| part(argument, name.len() + 1));
        if letters.long_values.contains(&name) {
            let takes_next = value.is_none();
            self.options.push((name.to_owned(), value.or(next)));
            return (takes_next, false);
        }
        if !letters.any_long && !letters.long_flags.contains(&name) {
            self.unknown.push(argument.clone());
        }
        self.options.push((name.to_owned(), value));
        (false, false)
    }

    /// Reads a cluster of letters. The first result is whether it took the next word, the second
    /// whether options end here.
    fn short(
        &mut self,
        argument: &Argument,
        next: Option<Argument>,
        letters: &Letters,
    ) -> (bool, bool) {
        let text = argument.value.prefix().to_owned();
        let mut at = 1;
        while let Some(letter) = text[at..].chars().next() {
            at += letter.len_utf8();
            let name = letter.to_string();
            let ends = letters.last.contains(letter);
            if ends || letters.values.contains(letter) {
                let is_whole = at == text.len() && argument.value.as_known().is_some();
                let value = if is_whole { next } else { Some(part(argument, at)) };
                self.options.push((name, value));
                return (is_whole, ends);
            }
            if letters.attached.contains(letter) {
                self.options.push((name, Some(part(argument, at))));
                return (false, false);
            }
            if letters.digits.contains(letter) {
                at += text[at..]
                    .chars()
                    .take_while(char::is_ascii_hexdigit)
                    .take_while(char::is_ascii_digit)
                    .count();
            } else if !letters.flags.contains(letter) {
                self.unknown.push(argument.clone());
            }
            self.options.push((name, None));
        }
        if argument.value.as_known().is_none() {
            self.unknown.push(argument.clone());
        }
        (false, false)
    }
}

/// What follows in a word.
fn part(argument: &Argument, from: usize) -> Argument {
    let value = match &argument.value {
        Value::Prefix(text, origin) => {
            Value::known(&text[from..]).then(Value::Unknown(origin.clone()))
        }
        other => other.map(|text| text.get(from..).unwrap_or_default().to_owned()),
    };
    Argument { value, ..argument.clone() }
}
