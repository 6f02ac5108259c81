//! Windows: cuts a text where no seed pattern can match across, however earlier patterns changed
//! it.
//!
//! A pattern crosses white space only next to its `:` or `=`. So white space with neither sign on
//! either side separates matches. It keeps doing so, as a replacement can put only a bracket there.

use std::ops::Range;

use super::byte_search;
use super::pattern::is_space;

/// The smallest window around the byte at `at`: it begins at `floor` or behind a cut, and ends at a
/// cut or at the end of the text. The byte is no white space, and `floor` is a cut before it.
pub(super) fn around(bytes: &[u8], at: usize, floor: usize) -> Range<usize> {
    start(bytes, at, floor)..end(bytes, at)
}

/// The start of the window: behind the last white space before `at` that no sign is next to.
fn start(bytes: &[u8], at: usize, floor: usize) -> usize {
    let mut from = at;
    loop {
        let Some(last) = byte_search::last(&bytes[floor..from], is_space) else {
            return floor;
        };
        let last = floor + last;
        let Some(before) = byte_search::last(&bytes[floor..last], |b| !is_space(b)) else {
            return last + 1;
        };
        let before = floor + before;
        if !is_sign(bytes[before]) && !is_sign(bytes[last + 1]) {
            return last + 1;
        }
        from = before;
    }
}

/// The end of the window: the first white space behind `at` that no sign is next to.
fn end(bytes: &[u8], at: usize) -> usize {
    let mut from = at;
    loop {
        let Some(first) = byte_search::first(&bytes[from..], is_space) else {
            return bytes.len();
        };
        let first = from + first;
        let Some(after) = byte_search::first(&bytes[first..], |b| !is_space(b)) else {
            return first;
        };
        let after = first + after;
        if !is_sign(bytes[first - 1]) && !is_sign(bytes[after]) {
            return first;
        }
        from = after;
    }
}

/// True for a sign that a pattern allows white space around.
fn is_sign(byte: u8) -> bool {
    matches!(byte, b':' | b'=')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn piece<'t>(text: &'t str, needle: &str) -> &'t str {
        &text[around(text.as_bytes(), text.find(needle).unwrap(), 0)]
    }

    #[test]
    fn plain_white_space_cuts() {
        assert_eq!(piece("one two\tthree", "two"), "two");
        assert_eq!(piece("  one  ", "one"), "one");
        assert_eq!(piece("one", "one"), "one");
    }

    #[test]
    fn white_space_beside_a_sign_does_not_cut() {
        assert_eq!(piece("a b \n= \r\n c d", "="), "b \n= \r\n c");
        assert_eq!(piece("a key :\n\tvalue b", "value"), "key :\n\tvalue");
        assert_eq!(piece("a b: c= d e", "d"), "b: c= d");
    }

    #[test]
    fn the_vertical_tab_is_no_white_space() {
        assert_eq!(piece("a b\x0bc d", "b"), "b\x0bc");
    }

    #[test]
    fn windows_that_follow_each_other_do_not_overlap() {
        let text = "a= b c d :e f";
        let first = around(text.as_bytes(), 1, 0);
        assert_eq!(&text[first.clone()], "a= b");
        assert_eq!(&text[around(text.as_bytes(), 9, first.end)], "d :e");
    }
}
