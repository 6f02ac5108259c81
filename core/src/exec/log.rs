//! What a command that goes on has written so far, masked: all of it, or its end.

use crate::body::{Spool, inner_bytes, whole_characters};
use crate::scrub::{Scrubber, Stream};
use crate::terminal::{Cleaner, Returns};

/// The masked output of a command, without what commands a terminal. Positions count its bytes from the first one on.
pub(crate) struct Log {
    /// None once it is complete.
    stream: Option<Stream>,
    cleaner: Cleaner,
    settled: Spool,
}

/// A part of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) text: String,
    /// The position of its first byte.
    pub(crate) from: u64,
    /// The position behind its last byte.
    pub(crate) to: u64,
    /// The position behind the last byte there is.
    pub(crate) end: u64,
}

/// How far somebody has read, and what he was shown that was not settled.
#[derive(Clone, Debug, Default)]
pub(crate) struct Cursor {
    at: u64,
    shown: Vec<u8>,
}

/// How far is looked for the beginning of a line, where the text before is no longer kept.
const LINE: usize = 4_096;

impl Log {
    /// Keeps the last `most` bytes.
    pub(crate) fn new(scrubber: &Scrubber, most: u64) -> Log {
        let cleaner = Cleaner::new(Returns::Lines);
        Log { stream: Some(scrubber.stream()), cleaner, settled: Spool::of_the_end(most) }
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        if let Some(stream) = &mut self.stream {
            stream.push_to(&self.cleaner.cleaned(bytes), |part| self.settled.push(part));
        }
    }

    /// Nothing more will be written.
    pub(crate) fn end(&mut self) {
        if let Some(mut stream) = self.stream.take() {
            let mut rest = Vec::new();
            self.cleaner.finish(&mut rest);
            stream.push_to(&rest, |part| self.settled.push(part));
            self.settled.push(&stream.finish());
        }
    }

    /// At most so many bytes from a position on; without one the last of them.
    pub(crate) fn part(&self, from: Option<u64>, most: usize) -> Part {
        let unsettled = self.unsettled();
        let end = self.settled.total() + unsettled.len() as u64;
        let wanted = from.unwrap_or_else(|| end.saturating_sub(most as u64)).min(end);
        let (mut from, mut text) = self.from(wanted, most.saturating_add(LINE), &unsettled);
        let mut skipped = inner_bytes(&text);
        if from > wanted {
            // The line that it begins with is not there as a whole.
            let line = text.iter().take(LINE).position(|byte| *byte == b'\n');
            skipped = line.map_or(skipped, |line| line + 1);
        }
        text.drain(..skipped);
        from += skipped as u64;
        text.truncate(whole_characters(&text, most.min(text.len())));
        let to = from + text.len() as u64;
        Part { text: String::from_utf8_lossy(&text).into_owned(), from, to, end }
    }

    /// What was written since the cursor was here before; if that is more than so many bytes, the end
    /// of it. While more may come, a last word that may be half of a secret is held back.
    pub(crate) fn news(&self, cursor: &mut Cursor, most: usize) -> Part {
        let settled = self.settled.total();
        let unsettled = self.unsettled();
        // Of long news, the part that is not given need not be read.
        let longest = cursor.shown.len() + most + LINE;
        let wanted = cursor.at.max(settled.saturating_sub(longest as u64)).min(settled);
        let (at, rest) = self.from(wanted, usize::MAX, &unsettled);
        let seen = if at == cursor.at { common(&cursor.shown, &rest) } else { 0 };
        let until = if self.stream.is_some() { held_back(&rest).max(seen) } else { rest.len() };
        let mut from = seen;
        if until - from > most {
            from = until - most;
            from += inner_bytes(&rest[from..until]);
        }
        let text = String::from_utf8_lossy(&rest[from..until]).into_owned();
        let end = at + rest.len() as u64;
        // What is settled by now is not compared again.
        let behind = usize::try_from(settled - at).unwrap_or(0).min(until);
        *cursor = Cursor { at: at + behind as u64, shown: rest[behind..until].to_vec() };
        Part { text, from: at + from as u64, to: at + until as u64, end }
    }

    /// At most so many bytes from a position on, or from the first that is still kept; with the
    /// position of the first.
    fn from(&self, position: u64, most: usize, unsettled: &[u8]) -> (u64, Vec<u8>) {
        let settled = self.settled.total();
        if position >= settled {
            let skipped = usize::try_from(position - settled).unwrap_or(usize::MAX);
            let rest = &unsettled[skipped.min(unsettled.len())..];
            return (position, rest[..most.min(rest.len())].to_vec());
        }
        let (from, mut text) = self.settled.part(position, most);
        if from + text.len() as u64 == settled {
            let room = most - text.len();
            text.extend_from_slice(&unsettled[..room.min(unsettled.len())]);
        }
        (from, text)
    }

    fn unsettled(&self) -> Vec<u8> {
        self.stream.as_ref().map(Stream::so_far).unwrap_or_default()
    }
}

/// The shortest word at the end that may be half of a secret.
const SHORTEST: usize = 8;

/// Where the last word begins, if it is long and not plainly at its end.
fn held_back(text: &[u8]) -> usize {
    let word = text.iter().rev().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let is_prompt = text.last().is_some_and(|last| b":?>$#%)".contains(last));
    if word >= SHORTEST && !is_prompt {
        return text.len() - word;
    }
    whole_characters(text, text.len())
}

/// How much of what was shown still stands: all of it, or the words before the first that has become
/// another.
fn common(shown: &[u8], now: &[u8]) -> usize {
    let same = shown.iter().zip(now).take_while(|(shown, now)| shown == now).count();
    if same == shown.len() {
        return whole_characters(now, same);
    }
    now[..same].iter().rposition(u8::is_ascii_whitespace).map_or(0, |space| space + 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scrub::{Profile, TagKey};

    const SECRET: &str = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";

    fn log(most: u64) -> Log {
        Log::new(&Scrubber::new(Profile::Precise, TagKey::new([7; 32])), most)
    }

    #[test]
    fn each_byte_is_news_once() {
        let (mut log, mut cursor) = (log(1_000_000), Cursor::default());
        let line = "a line of text that says nothing in particular\n";
        let mut all = String::new();
        for round in 1..600 {
            log.push(line.repeat(round % 7).as_bytes());
            all += &log.news(&mut cursor, 100_000).text;
        }
        log.end();
        all += &log.news(&mut cursor, 100_000).text;
        let rounds: usize = (1..600).map(|round| round % 7).sum();
        assert_eq!(all, line.repeat(rounds));
        assert_eq!(log.news(&mut cursor, 100_000).text, "");
    }

    #[test]
    fn a_secret_that_comes_in_halves_is_never_shown() {
        for at in 1..SECRET.len() {
            let (mut log, mut cursor) = (log(1_000), Cursor::default());
            let mut all = String::new();
            log.push(b"token ");
            for half in [&SECRET[..at], &SECRET[at..]] {
                log.push(half.as_bytes());
                all += &log.news(&mut cursor, 1_000).text;
            }
            log.push(b"\n");
            log.end();
            all += &log.news(&mut cursor, 1_000).text;
            let shown = all.len() - all.find("[REDACTED").unwrap_or(0);
            assert!(all.contains("[REDACTED:") && shown > 0, "{at}: {all}");
            // What is too short to be held back is too short to be of use.
            let longest = (0..SECRET.len()).find(|end| !all.contains(&SECRET[..*end]));
            assert!(longest.unwrap_or(SECRET.len()) <= SHORTEST, "{at}: {all}");
        }
    }

    #[test]
    fn a_prompt_is_shown_at_once() {
        let (mut log, mut cursor) = (log(1_000), Cursor::default());
        log.push(b"Password:");
        assert_eq!(log.news(&mut cursor, 1_000).text, "Password:");
        log.push(b"\nWelcome ");
        assert_eq!(log.news(&mut cursor, 1_000).text, "\nWelcome ");
    }

    #[test]
    fn of_a_long_log_the_end_is_kept_and_of_much_news_the_end_is_reported() {
        let (mut log, mut cursor) = (log(10_000), Cursor::default());
        (0..10_000).for_each(|line| log.push(format!("line {line}\n").as_bytes()));
        log.end();
        let part = log.news(&mut cursor, 30);
        assert_eq!(part.text, "line 9997\nline 9998\nline 9999\n");
        let all = log.part(Some(0), 100_000);
        assert!(all.from > 0 && all.text.starts_with("line ") && all.text.len() >= 9_900);
        assert_eq!(all.to, part.end);
        assert_eq!(log.part(Some(all.to - 10), 4).text, "line");
        assert_eq!(log.part(None, 10).text, "line 9999\n");
    }

    #[test]
    fn no_character_is_cut() {
        let (mut log, mut cursor) = (log(1_000), Cursor::default());
        log.push("é".as_bytes().split_at(1).0);
        assert_eq!(log.news(&mut cursor, 100).text, "");
        log.push("é".as_bytes().split_at(1).1);
        assert_eq!(log.news(&mut cursor, 100).text, "é");
        log.push("ééé ".as_bytes());
        assert_eq!(log.news(&mut cursor, 3).text, "é ");
        assert_eq!(log.part(Some(1), 3).text, "é");
    }
}
