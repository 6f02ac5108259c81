//! The smallest parts of a word, and how braces, tildes and patterns are made of them.
//!
//! Bash expands braces by the text alone, before anything else. So a word is first a row of atoms,
//! in which what a brace or a pattern may be made of stands apart from what is quoted.

use crate::ir::Piece;

/// The most words that the braces of one word make. The evaluation has the same limit.
pub(super) const MOST_RESULTS: usize = 64;

/// The most opening braces of one word. Each is tried as the beginning of a list.
const MOST_BRACES: usize = 64;

/// The longest group of a pattern that is read, in atoms. Longer ones count as plain characters.
const LONGEST_PATTERN: usize = 128;

/// The smallest part of a word: a bare character, a quoted text or an expansion.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Atom {
    /// A character that is not quoted.
    Bare(char),
    /// A text that is quoted, which may be empty.
    Quoted(String),
    /// An expansion.
    Piece(Piece),
}

/// What is expanded in a word besides parameters and commands. It depends on where the word stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// `{a,b}`
    pub(super) braces: bool,
    /// `~` at the start.
    pub(super) tilde: bool,
    /// `~` behind `:`, as in the value of an assignment.
    pub(super) assignment: bool,
}

impl Mode {
    /// A word of a command.
    pub(super) const WORD: Mode = Mode { braces: true, tilde: true, assignment: false };
    /// The value of an assignment.
    pub(super) const VALUE: Mode = Mode { braces: false, tilde: true, assignment: true };
    /// The value of an assignment that is an argument: `declare a={b,c}` makes two of it.
    pub(super) const DECLARED: Mode = Mode { braces: true, tilde: true, assignment: true };
    /// A word that is neither split nor expanded by braces: a subject, a here-string.
    pub(super) const SINGLE: Mode = Mode { braces: false, tilde: true, assignment: false };
    /// A word in which only parameters and commands are expanded.
    pub(super) const PLAIN: Mode = Mode { braces: false, tilde: false, assignment: false };
}

/// Makes the pieces of a word from its atoms.
pub(super) fn pieces(atoms: Vec<Atom>, mode: Mode) -> Vec<Piece> {
    let mut pieces = Vec::new();
    assemble(&atoms, mode, &mut pieces);
    pieces
}

/// Makes pieces of atoms, with braces expanded where the mode says so.
fn assemble(atoms: &[Atom], mode: Mode, pieces: &mut Vec<Piece>) {
    if mode.braces && atoms.iter().filter(|atom| **atom == Atom::Bare('{')).count() > MOST_BRACES {
        pieces.push(Piece::Unknown("many braces".into()));
    } else if mode.braces {
        for at in 0..atoms.len() {
            if atoms[at] == Atom::Bare('{')
                && let Some((end, alternatives)) = alternatives(&atoms[at..])
            {
                let rest = &atoms[at + end..];
                if mode.tilde && is_home_in_part(&atoms[..at], true) {
                    pieces.push(Piece::Unknown("a home before braces".into()));
                } else {
                    plain(&atoms[..at], mode, pieces);
                }
                let inner = Mode { tilde: mode.tilde && at == 0, ..mode };
                let goes_on = rest.first().is_some_and(|next| *next != Atom::Bare('/'));
                let pieces_of =
                    |atoms: Vec<Atom>| match inner.tilde && is_home_in_part(&atoms, goes_on) {
                        true => vec![Piece::Unknown("a home in braces".into())],
                        false => self::pieces(atoms, inner),
                    };
                pieces.push(Piece::Brace(alternatives.into_iter().map(pieces_of).collect()));
                assemble(rest, Mode { tilde: false, ..mode }, pieces);
                return;
            }
        }
    }
    plain(atoms, mode, pieces);
}

/// True for a `~` whose name may go on behind these atoms: `~{a,b}` is `~a ~b`.
fn is_home_in_part(atoms: &[Atom], goes_on: bool) -> bool {
    goes_on && atoms.first() == Some(&Atom::Bare('~')) && !atoms.contains(&Atom::Bare('/'))
}

/// The alternatives of a brace that begins with these atoms, and where it ends. None if it is no
/// list.
fn alternatives(atoms: &[Atom]) -> Option<(usize, Vec<Vec<Atom>>)> {
    let mut depth = 0_usize;
    let mut commas = vec![0];
    for (at, atom) in atoms.iter().enumerate() {
        match atom {
            Atom::Bare('{') => depth += 1,
            Atom::Bare(',') if depth == 1 => commas.push(at),
            Atom::Bare('}') => {
                depth -= 1;
                if depth == 0 {
                    commas.push(at);
                    let end = at + 1;
                    if commas.len() > 2 {
                        let texts =
                            commas.windows(2).map(|ends| atoms[ends[0] + 1..ends[1]].to_vec());
                        return Some((end, texts.collect()));
                    }
                    return sequence(&atoms[1..at]).map(|texts| (end, texts));
                }
            }
            _ => {}
        }
    }
    None
}

/// The texts of a sequence: `1..9`, `a..e..2`.
fn sequence(atoms: &[Atom]) -> Option<Vec<Vec<Atom>>> {
    let text: String = atoms
        .iter()
        .map(|atom| if let Atom::Bare(char) = atom { Some(*char) } else { None })
        .collect::<Option<_>>()?;
    let parts: Vec<&str> = text.split("..").collect();
    let (from, to, step) = match parts[..] {
        [from, to] => (from, to, 1),
        [from, to, step] => (from, to, step.parse::<i64>().ok()?),
        _ => return None,
    };
    let single = |text: &str| {
        let mut chars = text.chars();
        chars.next().filter(|char| char.is_ascii_alphabetic() && chars.next().is_none())
    };
    let (first, last, width) = match (single(from), single(to)) {
        (Some(from), Some(to)) => (i64::from(from as u32), i64::from(to as u32), None),
        _ => {
            let padded = |text: &str| {
                let digits = text.trim_start_matches(['-', '+']);
                digits.len() > 1 && digits.starts_with('0')
            };
            let width = (padded(from) || padded(to)).then_some(from.len().max(to.len()));
            (from.parse().ok()?, to.parse().ok()?, Some(width.unwrap_or(0)))
        }
    };
    let step = step.unsigned_abs().max(1);
    let count = first.abs_diff(last) / step + 1;
    if count > MOST_RESULTS as u64 {
        return Some(vec![vec![Atom::Piece(Piece::Unknown("a long sequence in braces".into()))]]);
    }
    let nth = |index: u64| {
        let offset = i64::try_from(index * step).unwrap_or(0);
        let value = if first <= last { first + offset } else { first - offset };
        match width {
            None => u32::try_from(value)
                .ok()
                .and_then(char::from_u32)
                .map(String::from)
                .unwrap_or_default(),
            Some(width) => format!("{value:0width$}"),
        }
    };
    Some((0..count).map(|index| nth(index).chars().map(Atom::Bare).collect()).collect())
}

/// Appends pieces for atoms in which no brace is expanded.
fn plain(atoms: &[Atom], mut mode: Mode, pieces: &mut Vec<Piece>) {
    let mut at = 0;
    if mode.tilde {
        at = tilde(atoms, 0, mode.assignment, pieces);
    }
    while at < atoms.len() {
        match &atoms[at] {
            Atom::Piece(piece) => pieces.push(piece.clone()),
            Atom::Quoted(text) => literal(pieces, text, true),
            Atom::Bare(char) => {
                if let Some(end) = group(&atoms[at..]) {
                    glob(&atoms[at..at + end], pieces);
                    at += end;
                    continue;
                }
                match char {
                    '*' | '?' => glob(&atoms[at..=at], pieces),
                    '[' => match class(&atoms[at..]) {
                        Some(end) => {
                            glob(&atoms[at..at + end], pieces);
                            at += end;
                            continue;
                        }
                        None => literal(pieces, "[", false),
                    },
                    _ => literal(pieces, char.encode_utf8(&mut [0; 4]), false),
                }
                // Bash takes every word for an assignment that looks like one.
                let assigns = mode.tilde && *char == '=' && named(&atoms[..at]);
                mode.assignment |= assigns;
                if assigns || mode.assignment && *char == ':' {
                    at = tilde(atoms, at + 1, true, pieces);
                    continue;
                }
            }
        }
        at += 1;
    }
}

/// True for atoms that may stand before the `=` of an assignment: a name.
fn named(atoms: &[Atom]) -> bool {
    let atoms = atoms.strip_suffix(&[Atom::Bare('+')]).unwrap_or(atoms);
    !atoms.is_empty()
        && atoms.iter().enumerate().all(|(at, atom)| {
            matches!(atom, Atom::Bare(char) if *char == '_' || char.is_ascii_alphabetic() || at > 0 && char.is_ascii_digit())
        })
}

/// Reads a tilde at `at`, if there is one; the answer is where to go on. Bash also ends a name at a
/// `:` or before `=~` where nothing is assigned, unless anything up to the next `/` is quoted.
fn tilde(atoms: &[Atom], at: usize, assigns: bool, pieces: &mut Vec<Piece>) -> usize {
    if atoms.get(at) != Some(&Atom::Bare('~')) {
        return at;
    }
    let mut name = String::new();
    let mut end = at + 1;
    loop {
        match atoms.get(end) {
            Some(Atom::Bare(':')) if !assigns && is_quoted_before_slash(&atoms[end..]) => {
                pieces.push(Piece::Unknown("a home before `:`".into()));
                return end;
            }
            Some(Atom::Bare('=')) if atoms.get(end + 1) == Some(&Atom::Bare('~')) => {
                pieces.push(Piece::Unknown("a home before `=~`".into()));
                return end;
            }
            None | Some(Atom::Bare('/' | ':')) => break,
            Some(Atom::Bare(char)) if char.is_ascii_alphanumeric() || "_-+.".contains(*char) => {
                name.push(*char);
            }
            Some(_) => return at,
        }
        end += 1;
    }
    pieces.push(Piece::Tilde(name));
    end
}

/// True if anything up to the next `/` is no plain character.
fn is_quoted_before_slash(atoms: &[Atom]) -> bool {
    let mut part = atoms.iter().take_while(|atom| **atom != Atom::Bare('/'));
    part.any(|atom| !matches!(atom, Atom::Bare(_)))
}

/// The end of an extended pattern that begins here (`@(a|b)`); none if none begins.
fn group(atoms: &[Atom]) -> Option<usize> {
    let [Atom::Bare('?' | '*' | '+' | '@' | '!'), Atom::Bare('('), rest @ ..] = atoms else {
        return None;
    };
    let mut depth = 1;
    for (at, atom) in rest.iter().take(LONGEST_PATTERN).enumerate() {
        match atom {
            Atom::Bare('(') => depth += 1,
            Atom::Bare(')') => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(at + 3);
        }
    }
    // Without an end in sight, all of it is one pattern.
    Some(atoms.len())
}

/// The end of a character class that begins here (`[a-z]`); none if none begins.
fn class(atoms: &[Atom]) -> Option<usize> {
    let atoms = &atoms[..atoms.len().min(LONGEST_PATTERN)];
    let mut at = 1;
    if matches!(atoms.get(at), Some(Atom::Bare('!' | '^'))) {
        at += 1;
    }
    if atoms.get(at) == Some(&Atom::Bare(']')) {
        at += 1;
    }
    loop {
        match atoms.get(at)? {
            Atom::Bare(']') => return Some(at + 1),
            Atom::Bare('/') => return None,
            // `[[:space:]]`
            Atom::Bare('[') if matches!(atoms.get(at + 1), Some(Atom::Bare(':' | '.' | '='))) => {
                let kind = &atoms[at + 1];
                let close = (at + 2..atoms.len().saturating_sub(1))
                    .find(|end| atoms[*end] == *kind && atoms[end + 1] == Atom::Bare(']'))?;
                at = close + 2;
            }
            _ => at += 1,
        }
    }
}

/// A pattern as it is written. What is expanded within it follows it, so that it is not lost.
fn glob(atoms: &[Atom], pieces: &mut Vec<Piece>) {
    let mut text = String::new();
    let mut within = Vec::new();
    for atom in atoms {
        match atom {
            Atom::Bare(char) => text.push(*char),
            Atom::Quoted(quoted) => {
                for char in quoted.chars() {
                    if !char.is_alphanumeric() {
                        text.push('\\');
                    }
                    text.push(char);
                }
            }
            Atom::Piece(piece) => {
                text.push('*');
                within.push(piece.clone());
            }
        }
    }
    if let (Some(Piece::Glob(before)), true) = (pieces.last_mut(), within.is_empty()) {
        before.push_str(&text);
    } else {
        pieces.push(Piece::Glob(text));
        pieces.append(&mut within);
    }
}

/// True where something is expanded within a pattern: what that matches is not followed.
pub(super) fn expands_in_pattern(atoms: &[Atom]) -> bool {
    let has_piece = |atoms: &[Atom]| atoms.iter().any(|atom| matches!(atom, Atom::Piece(_)));
    let mut at = 0;
    while let Some(first) = atoms.get(at) {
        let rest = &atoms[at..];
        let end = if *first == Atom::Bare('[') { class(rest) } else { group(rest) };
        if end.is_some_and(|end| has_piece(&rest[..end])) {
            return true;
        }
        at += end.unwrap_or(1);
    }
    false
}

/// Appends a literal, to the one before if both are quoted alike.
fn literal(pieces: &mut Vec<Piece>, more: &str, is_quoted: bool) {
    if let Some(Piece::Literal { text, quoted }) = pieces.last_mut()
        && *quoted == is_quoted
    {
        text.push_str(more);
    } else {
        pieces.push(Piece::Literal { text: more.to_owned(), quoted: is_quoted });
    }
}
