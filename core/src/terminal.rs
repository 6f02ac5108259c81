//! Text without what would command a terminal.
//!
//! What a program writes may move the cursor, set the clipboard (OSC 52), rename the window or hide
//! what stands before it, on the terminal of whoever looks at a result. Nothing of that is text. And a
//! sequence in the middle of a secret hides it from whoever looks for secrets. So all of it is taken
//! out before a text is looked at: [`clean`] for a whole text, [`Cleaner`] for one that comes in pieces.
//!
//! Out go the control sequences of ECMA-48 (CSI, OSC, DCS, APC, PM, SOS), and all control characters,
//! C0 (U+0000 to U+001F, U+007F) and C1 (U+0080 to U+009F), but for the tab and the ends of lines. An
//! escape character that begins nothing that is known goes alone, so no letter of a text goes with it.
//! `\r\n` stays. A carriage return that stands alone overwrites a line, as progress bars do: see
//! [`Returns`].
//!
//! A string of a sequence (the title in `ESC ] 0 ; title BEL`) goes with it, up to the end of its
//! line at most: an end that never comes hides no more than that.

use std::borrow::Cow;

/// What becomes of a carriage return with no line feed behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Returns {
    /// The end of a line: what a progress bar wrote stands line by line.
    Lines,
    /// The picture of it, `␍`: for files, whose lines are counted.
    Pictures,
}

/// The longest string of a sequence. A clipboard of 64 KiB in base64 is shorter.
const LONGEST_STRING: usize = 128 << 10;

/// The longest run of parameters of a sequence.
const LONGEST_PARAMETERS: usize = 64;

/// The text without what would command a terminal.
pub(crate) fn clean(text: &str, returns: Returns) -> Cow<'_, str> {
    if !text.bytes().any(is_special) || is_clean(text.as_bytes()) {
        return text.into();
    }
    let mut cleaned = text.as_bytes().to_vec();
    let mut cleaner = Cleaner::new(returns);
    cleaner.clean(&mut cleaned, 0);
    cleaner.finish(&mut cleaned);
    // What was UTF-8 stays UTF-8: characters go whole.
    String::from_utf8_lossy(&cleaned).into_owned().into()
}

/// True for a byte that may begin something to be taken out.
fn is_special(byte: u8) -> bool {
    // 0xC2 begins C1, and much else.
    byte < b'\t' || (0x0b..0x20).contains(&byte) || byte == 0x7f || byte == 0xc2
}

/// True if all of what is special in the text is part of text: `\r\n`, and characters that begin as
/// C1 does.
fn is_clean(text: &[u8]) -> bool {
    text.iter().enumerate().all(|(at, byte)| match (byte, text.get(at + 1)) {
        (b'\r', next) => next == Some(&b'\n'),
        (0xc2, next) => !next.is_some_and(|next| (0x80..=0x9f).contains(next)),
        _ => !is_special(*byte),
    })
}

/// True if the text has something that [`clean`] takes out or changes.
pub(crate) fn has_controls(text: &str) -> bool {
    matches!(clean(text, Returns::Pictures), Cow::Owned(_))
}

/// Takes out of a text that comes in pieces what would command a terminal.
#[derive(Clone, Debug)]
pub(crate) struct Cleaner {
    returns: Returns,
    state: State,
}

/// What the next byte may go on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    /// Behind 0xC2, which is not written yet.
    Lead,
    /// Behind a carriage return, which is not written yet.
    Return,
    Escape,
    /// Behind `ESC (` and the like, which choose a set of characters.
    Charset,
    /// Behind `ESC [`, with so many bytes.
    Parameters(usize),
    /// Inside the string of a sequence, with so many bytes.
    String(usize),
    /// The same, behind an escape character, which may begin its end.
    StringEscape(usize),
    /// The same, behind 0xC2.
    StringLead(usize),
}

impl Cleaner {
    pub(crate) fn new(returns: Returns) -> Cleaner {
        Cleaner { returns, state: State::Text }
    }

    /// Cleans what stands in `text` from `from` on, in its place.
    pub(crate) fn clean(&mut self, text: &mut Vec<u8>, from: usize) {
        if self.state == State::Text && !text[from..].iter().copied().any(is_special) {
            return;
        }
        let piece = text.split_off(from);
        text.reserve(piece.len() + 2);
        for byte in piece {
            self.take(byte, text);
        }
    }

    /// The piece without what would command a terminal.
    pub(crate) fn cleaned<'p>(&mut self, piece: &'p [u8]) -> Cow<'p, [u8]> {
        if self.state == State::Text && !piece.iter().copied().any(is_special) {
            return piece.into();
        }
        let mut text = piece.to_vec();
        self.clean(&mut text, 0);
        text.into()
    }

    /// Ends the text.
    pub(crate) fn finish(&mut self, text: &mut Vec<u8>) {
        match std::mem::replace(&mut self.state, State::Text) {
            State::Lead => text.push(0xc2),
            State::Return => self.write_return(text),
            _ => {}
        }
    }

    fn take(&mut self, byte: u8, out: &mut Vec<u8>) {
        self.state = match self.state {
            State::Text => self.of_text(byte, out),
            State::Lead => self.behind_lead(byte, out),
            State::Return => self.behind_return(byte, out),
            State::Escape => self.behind_escape(byte, out),
            State::Charset => match byte {
                b'0'..=b'9' | b'A' | b'B' | b'G' | b'K' | b'U' | b'@' => State::Text,
                _ => self.of_text(byte, out),
            },
            State::Parameters(length) => match byte {
                0x20..=0x3f if length < LONGEST_PARAMETERS => State::Parameters(length + 1),
                0x40..=0x7e => State::Text,
                _ => self.of_text(byte, out),
            },
            State::String(length) => self.of_string(byte, length, out),
            State::StringEscape(length) => match byte {
                b'\\' => State::Text,
                _ => self.of_string(byte, length, out),
            },
            State::StringLead(length) => match byte {
                0x9c => State::Text,
                _ => self.of_string(byte, length, out),
            },
        };
    }

    fn of_text(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            0x1b => State::Escape,
            b'\r' => State::Return,
            0xc2 => State::Lead,
            b'\t' | b'\n' => {
                out.push(byte);
                State::Text
            }
            0..0x20 | 0x7f => State::Text,
            _ => {
                out.push(byte);
                State::Text
            }
        }
    }

    fn behind_lead(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            // What has no line feed in some encodings has this (NEL).
            0x85 => {
                out.push(b'\n');
                State::Text
            }
            0x9b => State::Parameters(0),
            0x90 | 0x98 | 0x9d..=0x9f => State::String(0),
            0x80..=0x9c => State::Text,
            _ => {
                out.push(0xc2);
                self.of_text(byte, out)
            }
        }
    }

    fn behind_return(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            b'\n' => {
                out.extend(b"\r\n");
                State::Text
            }
            // Some programs write several before a line feed.
            b'\r' => State::Return,
            _ => {
                self.write_return(out);
                self.of_text(byte, out)
            }
        }
    }

    fn write_return(&self, out: &mut Vec<u8>) {
        match self.returns {
            Returns::Lines => out.push(b'\n'),
            Returns::Pictures => out.extend("␍".bytes()),
        }
    }

    fn behind_escape(&mut self, byte: u8, out: &mut Vec<u8>) -> State {
        match byte {
            b'[' => State::Parameters(0),
            b']' | b'P' | b'X' | b'^' | b'_' => State::String(0),
            b'(' | b')' | b'*' | b'+' | b'#' | b'%' => State::Charset,
            // The keypad and the end of a string; letters are taken for text.
            b'=' | b'>' | b'\\' => State::Text,
            _ => self.of_text(byte, out),
        }
    }

    fn of_string(&mut self, byte: u8, length: usize, out: &mut Vec<u8>) -> State {
        match byte {
            // BEL, CAN and SUB end it.
            0x07 | 0x18 | 0x1a => State::Text,
            0x1b => State::StringEscape(length),
            0xc2 => State::StringLead(length),
            b'\n' | b'\r' => self.of_text(byte, out),
            _ if length < LONGEST_STRING => State::String(length + 1),
            _ => self.of_text(byte, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn cleans(text: &str, want: &str) {
        assert_eq!(clean(text, Returns::Lines), want, "{text:?}");
        // However it is cut, it is the same.
        for size in [1, 2, 3, 7] {
            let mut cleaner = Cleaner::new(Returns::Lines);
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                let from = out.len();
                out.extend_from_slice(piece);
                cleaner.clean(&mut out, from);
            }
            cleaner.finish(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), want, "{text:?} by {size}");
        }
    }

    #[test]
    fn sequences_of_terminals_are_taken_out() {
        cleans("a\x1b[31mb\x1b[0mc", "abc");
        cleans("a\x1b[38;2;1;2;3mb\x1b[?25lc\x1b[2J\x1b[Hd", "abcd");
        cleans("\x1b]52;c;Y3VybCBldmlsCg==\x07a", "a");
        cleans("\x1b]8;;https://evil.example\x1b\\link\x1b]8;;\x1b\\", "link");
        cleans("\x1bPq#0\x1b\\a\x1b_x\x1b\\b\x1b^x\x1b\\c\x1bXx\x1b\\d", "abcd");
        cleans("a\u{9b}31mb\u{9d}0;t\u{9c}c\u{90}q\u{9c}d", "abcd");
        cleans("a\x1b(Bb\x1b=c\x1b>d", "abcd");
    }

    #[test]
    fn control_characters_are_taken_out_and_text_stays() {
        let all: String = (0..0xa0).filter_map(char::from_u32).filter(|c| c.is_control()).collect();
        let left = clean(&all, Returns::Lines).into_owned();
        assert!(!left.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t')), "{left:?}");
        cleans("a\x07b\x08c\x00d\x7fe\x0bf\x0cg\x1bh", "abcdefgh");
        for text in ["", "a\tb\n", "a\r\nb\r\n", "é ± § «x» 日本 🦀", "a\u{200b}b"] {
            assert!(matches!(clean(text, Returns::Lines), Cow::Borrowed(_)), "{text:?}");
            cleans(text, text);
        }
        cleans("\u{c2}", "\u{c2}");
    }

    #[test]
    fn a_carriage_return_alone_ends_a_line() {
        cleans("10%\r50%\r100%\n", "10%\n50%\n100%\n");
        cleans("a\r\r\nb\r", "a\r\nb\n");
        assert_eq!(clean("a\rb\r\n", Returns::Pictures), "a␍b\r\n");
    }

    #[test]
    fn what_ends_nowhere_hides_no_more_than_its_line() {
        cleans("a\x1b]52;c;hidden\nseen\n", "a\nseen\n");
        cleans("a\x1b[12\nb", "a\nb");
        let long = format!("\x1b[{}x", "1".repeat(200));
        assert!(clean(&long, Returns::Lines).len() > 100);
    }

    #[test]
    fn no_letter_of_a_secret_goes_with_an_escape_alone() {
        cleans("gh\x1bp_abc", "ghp_abc");
        cleans("ghp\x1b(_abc", "ghp_abc");
        cleans("ghp_\x1b[0mabc", "ghp_abc");
    }
}
