//! The command of a custom tool: a text for a shell with places for arguments, `{{.key}}`.
//!
//! A place is a word, or a part of one, and its argument becomes one quoted word there, in which a shell
//! reads nothing. Whether that holds is checked when the tool is defined, on the syntax tree that the
//! analysis of commands uses: a place is allowed only in a plain, unquoted word that the shell does not
//! read as code. Everywhere else it is refused, so what this file does not know is refused, too.

use std::collections::BTreeSet;
use std::ops::Range;

use super::place::{Where, places};
use crate::shell::{Analysis, Effect, Env, Found, Invocation, analyse};

/// A template, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Template {
    pub(super) parts: Vec<Part>,
}

/// A part of a template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// As it is written.
    Text(String),
    /// A word with arguments in it.
    Word(Word),
}

/// A word with arguments in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub(super) pieces: Vec<Piece>,
    pub(super) at: At,
}

/// A piece of a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Piece {
    /// As it is written.
    Text(String),
    /// The argument of this name.
    Argument(String),
}

/// Where a word stands, as far as it matters for what may stand there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// Among the words of a command: the value may be no word, or several. `could_be_option` if the program
    /// could take it for an option.
    Words { could_be_option: bool },
    /// Where there must be exactly one word: a redirection, an assignment, `case`. `could_be_option` if it is
    /// kept for a program that could take it for an option.
    One { could_be_option: bool },
}

/// A place in the text.
struct Slot {
    span: Range<usize>,
    key: String,
}

impl Template {
    /// Takes a template apart. `is_fixed` says of a key whether its values can be nothing but
    /// numbers, `true`, `false`, or words that the owner has listed.
    ///
    /// # Errors
    /// What is wrong, and how to write it instead.
    pub(super) fn parse(text: &str, is_fixed: impl Fn(&str) -> bool) -> Result<Template, String> {
        let slots = slots(text)?;
        let marks = marks(text, slots.len());
        let marked = replaced(text, &slots, &marks);
        let found = places(&marked, &marks).map_err(|why| named(&why, &slots, &marks))?;
        let mut words: Vec<(Range<usize>, Word)> = Vec::new();
        let mut used = vec![false; slots.len()];
        for place in &found.places {
            let word = word(&marked[place.span.clone()], &marks, &slots, &mut used);
            let at = at(place.at, &word, place.is_kept && found.passes_variables);
            words.push((place.span.clone(), Word { pieces: word, at }));
        }
        if let Some(slot) = used.iter().position(|used| !used) {
            return Err(misplaced(&slots[slot].key));
        }
        words.sort_by_key(|(span, _)| span.start);
        if let Some(two) = words.windows(2).find(|two| two[0].0.end > two[1].0.start) {
            let key = two[1].1.keys().next().unwrap_or_default().to_owned();
            return Err(misplaced(&key));
        }
        if let Some(what) = &found.calculates {
            let keys = found.places.iter().zip(&words).filter(|(place, _)| place.is_kept);
            for key in keys.flat_map(|(_, (_, word))| word.keys()) {
                if !is_fixed(key) {
                    return Err(format!(
                        "`{{{{.{key}}}}}` is kept in a variable, and {what} in the same command would \
                         run what stands in that; make `{key}` an `integer`, or list its values with \
                         `enum`"
                    ));
                }
            }
        }
        read_as_code(text, &slots, &marks)?;
        Ok(Template { parts: parts(&marked, words) })
    }

    /// The names of its arguments.
    pub(super) fn keys(&self) -> BTreeSet<&str> {
        self.words().flat_map(Word::keys).collect()
    }

    /// Its words with arguments.
    pub(super) fn words(&self) -> impl Iterator<Item = &Word> {
        self.parts.iter().filter_map(|part| match part {
            Part::Word(word) => Some(word),
            Part::Text(_) => None,
        })
    }
}

impl Word {
    /// The names of its arguments.
    pub(super) fn keys(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Argument(key) => Some(key.as_str()),
            Piece::Text(_) => None,
        })
    }

    /// The argument that is all of it.
    pub(super) fn whole(&self) -> Option<&str> {
        match &self.pieces[..] {
            [Piece::Argument(key)] => Some(key),
            _ => None,
        }
    }
}

impl Piece {
    /// True for a text that is not empty for sure, as a program would see it. Quotes are nothing, and a
    /// variable or what a command prints may be.
    pub(super) fn is_something(&self) -> bool {
        let Piece::Text(text) = self else { return false };
        let mut rest = without_quotes(text);
        while let Some(inside) = rest.strip_prefix('$') {
            let end = match inside.chars().next() {
                Some('{') => match inside.split_once('}') {
                    Some((name, _)) if !name.contains(['$', '`', '"', '\'']) => name.len() + 1,
                    _ => return false,
                },
                Some('(') => return false,
                Some('\'' | '"') => 0,
                Some(c) if c.is_ascii_alphabetic() || c == '_' => inside
                    .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
                    .unwrap_or(inside.len()),
                Some(c) => c.len_utf8(),
                None => return true,
            };
            rest = without_quotes(&inside[end..]);
        }
        !rest.is_empty() && !rest.starts_with('`')
    }
}

/// A text without the quotes and the broken lines that it begins with.
fn without_quotes(text: &str) -> &str {
    let rest = text.trim_start_matches(['\'', '"']);
    rest.strip_prefix("\\\n").map_or(rest, without_quotes)
}

/// The places of a text.
fn slots(text: &str) -> Result<Vec<Slot>, String> {
    let mut slots = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("{{").map(|at| from + at) {
        let inside = &text[at + 2..];
        let blanks = inside.len() - inside.trim_start_matches([' ', '\t']).len();
        let Some(name) = inside[blanks..].strip_prefix('.') else {
            from = at + 1;
            continue;
        };
        let is_of_name = |char: char| char.is_ascii_alphanumeric() || "_-".contains(char);
        let end = name.find(|char| !is_of_name(char)).unwrap_or(name.len());
        let (key, rest) = name.split_at(end);
        let after = rest.trim_start_matches([' ', '\t']);
        if key.is_empty() || !after.starts_with("}}") {
            return Err(format!(
                "`{}` is no place for an argument; write `{{{{.name}}}}` with the name of a \
                 parameter. For the text itself break it with quotes: `'{{''{{.…'`",
                crate::limits::echo(&text[at..])
            ));
        }
        let end = text.len() - after.len() + 2;
        slots.push(Slot { span: at..end, key: key.to_owned() });
        from = end;
    }
    Ok(slots)
}

/// A word for each place that occurs neither in the text nor in another of these words.
fn marks(text: &str, count: usize) -> Vec<String> {
    let mut begin = "TOOLKEEP".to_owned();
    while text.contains(&begin) {
        begin.push('Q');
    }
    (0..count).map(|number| format!("{begin}{number}Z")).collect()
}

fn replaced(text: &str, slots: &[Slot], with: &[String]) -> String {
    let (mut marked, mut from) = (String::with_capacity(text.len()), 0);
    for (slot, with) in slots.iter().zip(with) {
        marked.push_str(&text[from..slot.span.start]);
        marked.push_str(with);
        from = slot.span.end;
    }
    marked.push_str(&text[from..]);
    marked
}

/// The pieces of a word in which marks stand.
fn word(text: &str, marks: &[String], slots: &[Slot], used: &mut [bool]) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    let first = |rest: &str| {
        let found = marks.iter().enumerate();
        let found = found.filter_map(|(number, mark)| Some((rest.find(mark.as_str())?, number)));
        found.min()
    };
    while let Some((at, number)) = first(rest) {
        if at > 0 {
            pieces.push(Piece::Text(rest[..at].to_owned()));
        }
        pieces.push(Piece::Argument(slots[number].key.clone()));
        used[number] = true;
        rest = &rest[at + marks[number].len()..];
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.to_owned()));
    }
    pieces
}

/// Where a word stands. `is_passed`: it is kept by a variable that a program gets as it is.
fn at(place: Where, pieces: &[Piece], is_passed: bool) -> At {
    // The text before it may be empty when the command runs.
    let mut before = pieces.iter().take_while(|piece| !matches!(piece, Piece::Argument(_)));
    let begins = !before.any(Piece::is_something);
    match place {
        Where::Operand => At::Words { could_be_option: begins },
        Where::Value => At::Words { could_be_option: begins && is_passed },
        Where::One => At::One { could_be_option: begins && is_passed },
    }
}

fn parts(marked: &str, words: Vec<(Range<usize>, Word)>) -> Vec<Part> {
    let (mut parts, mut from) = (Vec::new(), 0);
    for (span, word) in words {
        parts.push(Part::Text(marked[from..span.start].to_owned()));
        parts.push(Part::Word(word));
        from = span.end;
    }
    parts.push(Part::Text(marked[from..].to_owned()));
    parts.retain(|part| !matches!(part, Part::Text(text) if text.is_empty()));
    parts
}

/// Refuses a place whose argument would decide what is run. With a word that nobody knows there, the
/// command runs something that cannot be known, and with any other it does not; or it is given to a
/// program that runs something that cannot be known in any case.
fn read_as_code(text: &str, slots: &[Slot], marks: &[String]) -> Result<(), String> {
    let analysed = |with: &[String]| analyse(&replaced(text, slots, with), &Env::default());
    let known = analysed(marks);
    for (slot, mark) in slots.iter().zip(marks) {
        if unknown(&known).any(|found| is_given(&known, found, mark)) {
            return Err(as_code(&slot.key));
        }
    }
    let effects: Vec<&Effect> = unknown(&known).map(|found| &found.effect).collect();
    let adds = |with: &[String]| {
        let analysis = analysed(with);
        unknown(&analysis).count() > effects.len()
            || unknown(&analysis).any(|found| !effects.contains(&&found.effect))
    };
    // Which one it is shows when all others are known.
    for (number, slot) in slots.iter().enumerate() {
        let mut with = marks.to_vec();
        with[number] = format!("\"${}\"", marks[number]);
        if adds(&with) {
            return Err(as_code(&slot.key));
        }
    }
    let with: Vec<String> = marks.iter().map(|mark| format!("\"${mark}\"")).collect();
    if adds(&with) {
        return Err(
            "its arguments would decide together what it runs; write the programs out".into()
        );
    }
    Ok(())
}

/// What a command runs that cannot be known.
fn unknown(analysis: &Analysis) -> impl Iterator<Item = &Found> {
    analysis.found.iter().filter(|found| matches!(found.effect, Effect::Dynamic { .. }))
}

/// True if a mark is an argument of what has an effect, or of what runs that.
fn is_given(analysis: &Analysis, found: &Found, mark: &str) -> bool {
    let calls = &analysis.invocations;
    let first = found.by.and_then(|number| calls.get(number));
    let around = |call: &&Invocation| call.outer.and_then(|number| calls.get(number));
    // Each is around the one before, so there are no more than there are calls.
    let mut chain = std::iter::successors(first, around).take(calls.len());
    chain.any(|call| {
        call.arguments.iter().any(|word| {
            word.value.possible().unwrap_or_default().iter().any(|text| text.contains(mark))
        })
    })
}

fn as_code(key: &str) -> String {
    format!(
        "`{{{{.{key}}}}}` stands where its value would be run as code; write the program and its code \
         out, and let arguments be data: `python3 -c '…' {{{{.{key}}}}}`"
    )
}

fn misplaced(key: &str) -> String {
    format!(
        "`{{{{.{key}}}}}` stands where a shell would read its value as more than a word: in a \
         here-document, in backticks, in arithmetic, in `[[ … ]]`, in `${{…}}`, in braces, in a \
         comment, or as a name. Give it as a word of its own, or assign it first (`x={{{{.{key}}}}}`) and \
         use \"$x\" there"
    )
}

/// The sentence of an error with the key in place of its mark.
fn named(why: &str, slots: &[Slot], marks: &[String]) -> String {
    let named = slots.iter().zip(marks);
    named.fold(why.to_owned(), |why, (slot, mark)| {
        why.replace(mark, &format!("{{{{.{}}}}}", slot.key))
    })
}
