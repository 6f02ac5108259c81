//! Commands that manage accounts, SNMP communities, and commands that take a login or a token.
//!
//! `net user bob v /add`, `htpasswd -b file bob v`, `echo bob:v | chpasswd`, `snmp-server community
//! v RO`, `rocommunity v`, `snmpwalk -c v host`, `curl -sSubob:v`, `vault login v`. The password is
//! recognised by its position among the words. The commands are data: `data/commands.toml`.
//!
//! Sources: the manual pages of the commands and of `snmpd.conf`, and the command reference of
//! Cisco IOS.

use super::super::super::view::View;
use super::super::judge::Form;
use super::client_flag::word;
use super::stdin;
use super::value::{Value, blanks, unquoted};
use crate::words;

/// How far the words of a command are read, in bytes.
const MAX_LINE: usize = 256;

/// A command that takes a password among its words.
#[derive(Clone, Copy)]
pub(super) enum Command {
    NetUser,
    NetUse,
    Htpasswd,
    Chpasswd,
    Rabbitmqctl,
    /// A command that reads the password from its standard input.
    ReadsStdin,
    Snmp,
    Community,
    /// A command with `user:password` behind one of its flags.
    Curl,
    /// A command that takes a token as its word.
    Token,
}

include!(concat!(env!("OUT_DIR"), "/commands.rs"));

impl Command {
    /// The command that `text` starts with, and its length.
    pub(super) fn at(text: &[u8]) -> Option<(Command, usize)> {
        let starts = |name: &[u8]| text.get(..name.len())?.eq_ignore_ascii_case(name).then_some(());
        COMMANDS.iter().find_map(|(name, command)| starts(name).map(|()| (*command, name.len())))
    }

    /// The password in the command at the candidate. Its words start at `from`.
    pub(super) fn password(self, view: &View<'_>, from: usize) -> Option<Value> {
        let before = view.text[..view.at].last();
        if before.is_some_and(|b| b.is_ascii_alphanumeric() || b"._-".contains(b)) {
            return None;
        }
        let line = Line::at(view.text, from);
        match self {
            Command::NetUser => net_user(view, line),
            Command::NetUse => net_use(view, line),
            Command::Htpasswd => htpasswd(view, line),
            Command::Chpasswd => after_user(view, chpasswd(view, from)?),
            Command::Rabbitmqctl => rabbitmqctl(view, line),
            // A shell of another user takes no password.
            Command::ReadsStdin if view.text[..from].ends_with(b"-s ") => None,
            Command::ReadsStdin => stdin::value(view, view.at, from),
            Command::Snmp => snmp(view, line),
            Command::Community => community(view, line),
            Command::Curl => curl(view, line),
            Command::Token => token(view, line),
        }
    }
}

/// The words of a line, each with its position.
#[derive(Clone, Copy)]
struct Line<'t> {
    text: &'t [u8],
    at: usize,
    end: usize,
}

impl<'t> Line<'t> {
    /// The words from `at` to the end of the line.
    fn at(text: &'t [u8], at: usize) -> Line<'t> {
        let rest = &text[at..text.len().min(at + MAX_LINE)];
        let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r' | b'|' | b';'));
        Line { text, at, end: at + end.unwrap_or(rest.len()) }
    }
}

impl<'t> Iterator for Line<'t> {
    type Item = (usize, &'t [u8]);

    fn next(&mut self) -> Option<(usize, &'t [u8])> {
        let start = self.at + blanks(self.text, self.at);
        let rest = self.text.get(start..self.end).filter(|rest| !rest.is_empty())?;
        let length = rest.iter().position(|b| matches!(b, b' ' | b'\t')).unwrap_or(rest.len());
        self.at = start + length;
        Some((start, &rest[..length]))
    }
}

/// True for a word that is hardly part of a sentence.
fn is_no_plain_word(word: &[u8]) -> bool {
    word.iter().any(|b| !b.is_ascii_lowercase() && !b",.:\"'`)".contains(b))
}

/// `net user bob v`, with switches behind it.
fn net_user(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    let (_, user) = line.next()?;
    let (start, password) = line.next()?;
    let switches = line.next().is_none_or(|(_, next)| next.starts_with(b"/"));
    let named = !user.starts_with(b"/") && !password.starts_with(b"/") && password != b"*";
    (named && switches && is_no_plain_word(password)).then(|| word(view, start)).flatten()
}

/// `net use z: \\\\host\\share v /user:bob`, where the password may stand behind the user.
fn net_use(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    let place = |word: &[u8]| word.starts_with(b"\\\\") || word.starts_with(b"\"\\\\");
    line.find(|(_, word)| place(word))?;
    let (start, password) = line.find(|(_, word)| !word.starts_with(b"/") && *word != b"*")?;
    is_no_plain_word(password).then(|| word(view, start)).flatten()
}

/// `rabbitmqctl add_user bob v`.
fn rabbitmqctl(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    const VERBS: [&[u8]; 3] = [b"add_user", b"change_password", b"authenticate_user"];
    line.find(|(_, word)| VERBS.contains(word))?;
    let (_, user) = line.next()?;
    let (start, password) = line.next()?;
    let template = [user, password].iter().any(|word| matches!(word[0], b'{' | b'<' | b'-'));
    (is_no_plain_word(password) && !template).then(|| word(view, start)).flatten()
}

/// The input of `chpasswd`, or the first entry of the list with that name in a cloud-init file.
fn chpasswd(view: &View<'_>, from: usize) -> Option<Value> {
    let listed = view.text[from..].strip_prefix(b":\n");
    let Some(listed) = listed else { return stdin::value(view, view.at, from) };
    let label = listed.trim_ascii_start().strip_prefix(b"list: |")?;
    let entry = label.trim_ascii_start();
    unquoted(view, view.text.len() - entry.len(), Form::Query)
}

/// `htpasswd -b file bob v`, and `htpasswd -nb bob v`.
fn htpasswd(view: &View<'_>, line: Line<'_>) -> Option<Value> {
    let (mut batch, mut skipped, mut cost) = (false, 2, false);
    for (start, next) in line {
        match next {
            _ if std::mem::take(&mut cost) => {}
            [b'-', flags @ ..] => {
                batch |= flags.contains(&b'b');
                skipped -= usize::from(flags.contains(&b'n')).min(skipped);
                // The cost of bcrypt, and the rounds, follow their flags.
                cost = matches!(flags.last(), Some(b'C' | b'r'));
            }
            _ if !batch => return None,
            _ if skipped > 0 => skipped -= 1,
            _ => return word(view, start),
        }
    }
    None
}

/// The part behind the colon in `bob:v`.
fn after_user(view: &View<'_>, mut value: Value) -> Option<Value> {
    let pair = &view.text[value.span.clone()];
    value.span.start += pair.iter().position(|b| *b == b':')? + 1;
    Some(value)
}

/// `snmp-server community v`, and `-c v` of the SNMP clients.
fn snmp(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    let (_, rest) = line.next()?;
    let flag: &[u8] = if rest == b"-server" { b"community" } else { b"-c" };
    let asks = rest.iter().all(u8::is_ascii_lowercase) || rest == b"-server";
    let found = asks && line.any(|(_, next)| next == flag);
    if found { community(view, line) } else { None }
}

/// `curl -sSu bob:v`, `curl -ubob:v`, `curl -U bob:v`: user and password for the server or the
/// proxy, behind the last of several letters or attached to it.
fn curl(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    /// The letters that take an argument, as curl(1) lists them.
    const LETTERS_WITH_ARGUMENT: &[u8] = b"AbcCdDeEFhHKmoPQrtTUuwxXyYz";
    while let Some((start, next)) = line.next() {
        let Some(letters) = next.strip_prefix(b"-") else { continue };
        if letters.starts_with(b"-") {
            continue;
        }
        let Some(at) = letters.iter().position(|letter| LETTERS_WITH_ARGUMENT.contains(letter))
        else {
            continue;
        };
        let attached = start + 1 + at + 1;
        let is_attached = at + 1 < letters.len();
        let from = if is_attached { attached } else { line.next()?.0 };
        if matches!(letters[at], b'u' | b'U') {
            let found = word(view, from).and_then(|value| after_user(view, value));
            if found.as_ref().is_some_and(|value| !value.span.is_empty()) {
                return found;
            }
        }
    }
    None
}

/// `vault login v`, with flags before it, and `vault login token=v`.
fn token(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    let (start, token) = line.find(|(_, word)| !word.starts_with(b"-"))?;
    if token.starts_with(b"token=") {
        return self::token(view, Line { at: start + b"token=".len(), ..line });
    }
    // The prefix is left out: with it, a short token looks like code.
    if let Some(marker) =
        words::VAULT_TOKEN_PREFIXES.iter().find(|marker| token.starts_with(marker))
    {
        return word(view, start + marker.len());
    }
    let plain = !token.contains(&b'=') && !matches!(token[0], b'<' | b'{' | b'$' | b'(');
    (plain && is_no_plain_word(token)).then(|| word(view, start)).flatten()
}

/// The community that follows on the line.
fn community(view: &View<'_>, mut line: Line<'_>) -> Option<Value> {
    let (start, community) = line.next()?;
    (!community.starts_with(b"-") && is_no_plain_word(community))
        .then(|| word(view, start))
        .flatten()
}
