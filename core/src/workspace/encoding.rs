//! Text in another encoding than UTF-8.
//!
//! What tools write is UTF-8. Put into a file of another encoding it would make a file that no program
//! reads. ASCII is the exception: nearly every encoding has it, so ASCII text may be changed where it
//! is certain that it is a character by itself. In Shift-JIS, GBK and Big5 the second byte of a
//! character may look like ASCII (`\` most of all).

use std::borrow::Cow;
use std::io::{self, BufRead};
use std::str;

use memchr::memmem;

use super::media::{Media, UTF8_MARK};

/// What to do with a file in another encoding.
pub(super) const CONVERT: &str = "convert the file first, as with `iconv -f SHIFT_JIS -t UTF-8` (give \
                                  the encoding that it has), or write the whole file anew with write_file";

/// The byte where a content is seen not to be in UTF-8, if these texts would mix two encodings in it.
pub(super) fn mixed_by<'t>(
    content: &[u8],
    mut texts: impl Iterator<Item = &'t str>,
) -> Option<usize> {
    // In these every byte of a character looks like ASCII, so that no text is certain.
    if let Some(at) = shifted(content) {
        return Some(at);
    }
    let at = str::from_utf8(content).err()?.valid_up_to();
    texts.any(|text| !text.is_ascii()).then_some(at)
}

/// The first place of an old text that may be within a character, in a content that is not in UTF-8.
pub(super) fn within_character(content: &[u8], old: &[u8]) -> Option<usize> {
    let may_be_second = old.first().is_some_and(|first| matches!(first, b'0'..=b'9' | b'@'..=b'~'));
    if !may_be_second || content.is_ascii() || str::from_utf8(content).is_ok() {
        return None;
    }
    let follows = |at: &usize| at.checked_sub(1).is_some_and(|before| !content[before].is_ascii());
    memmem::find_iter(content, old).find(follows)
}

/// Where a content turns to a set of characters of two bytes, as ISO-2022-JP, -KR and -CN do.
fn shifted(content: &[u8]) -> Option<usize> {
    let turns = |at: &usize| {
        content.get(at + 2).is_some_and(|set| matches!(set, b'@' | b'A' | b'B' | b'('..=b'+'))
    };
    memmem::find_iter(content, b"\x1b$").find(turns)
}

/// True if all that is read is in UTF-8.
pub(super) fn is_utf8(mut reader: impl BufRead) -> io::Result<bool> {
    // The beginning of a character whose rest is in the next block.
    let mut begun: Vec<u8> = Vec::new();
    loop {
        let block = match reader.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            block => block?,
        };
        if block.is_empty() {
            return Ok(begun.is_empty());
        }
        let length = block.len();
        let joined = [&begun, block].concat();
        let valid = match str::from_utf8(&joined) {
            _ if shifted(&joined).is_some() => return Ok(false),
            Err(error) if error.error_len().is_some() => return Ok(false),
            Err(error) => error.valid_up_to(),
            Ok(text) => text.len(),
        };
        begun = joined[valid..].to_vec();
        reader.consume(length);
    }
}

/// A whole text that takes the place of a content, with the mark of UTF-8 that the content begins with.
/// Also returns whether the mark was put there.
pub(crate) fn with_mark<'t>(there: &[u8], text: Cow<'t, [u8]>) -> (Cow<'t, [u8]>, bool) {
    let is_kept = there.starts_with(UTF8_MARK) && !text.is_empty() && !text.starts_with(UTF8_MARK);
    match is_kept {
        true => ([UTF8_MARK, &text].concat().into(), true),
        false => (text, false),
    }
}

/// True if a content is text in another encoding, and the text that takes its place is in UTF-8 and not
/// the same in both.
pub(crate) fn is_converted(there: &[u8], text: &[u8]) -> bool {
    match Media::of_content(there) {
        Some(media) => media.is_text(),
        None => !text.is_ascii() && (shifted(there).is_some() || str::from_utf8(there).is_err()),
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    /// `表示=\` in Shift-JIS, whose first character has a `\` as its second byte.
    const SHIFT_JIS: &[u8] = b"\x95\x5c\x8e\xa6=\\\n";

    #[test]
    fn text_that_is_not_ascii_is_mixed_with_no_other_encoding() {
        for content in [SHIFT_JIS, b"caf\xe9 au lait", b"\xc4\xe3\xba\xc3", b"\xa4\xa2"] {
            assert!(mixed_by(content, ["a", "é"].into_iter()).is_some(), "{content:?}");
            assert!(mixed_by(content, ["a", "b"].into_iter()).is_none(), "{content:?}");
        }
        assert!(mixed_by("é".as_bytes(), ["ü"].into_iter()).is_none());
        assert!(mixed_by(b"\x1b$B%3\x1b(B", ["a"].into_iter()).is_some());
        assert!(mixed_by(b"\x1b[1m\x1b(B", ["é"].into_iter()).is_none());
    }

    #[test]
    fn the_second_byte_of_a_character_is_no_ascii_character() {
        assert_eq!(within_character(SHIFT_JIS, b"\\"), Some(1));
        assert_eq!(within_character(SHIFT_JIS, b"=\\"), None);
        assert_eq!(within_character(SHIFT_JIS, b"\n"), None);
        assert_eq!(within_character("表\\".as_bytes(), b"\\"), None);
    }

    #[test]
    fn a_character_may_stand_across_two_blocks() {
        for size in 1..8 {
            let read = |content: &[u8]| is_utf8(BufReader::with_capacity(size, content)).unwrap();
            assert!(read("aé€𝄞z".as_bytes()), "{size}");
            assert!(!read(SHIFT_JIS) && !read(b"a\xe2\x82"), "{size}");
        }
    }
}
