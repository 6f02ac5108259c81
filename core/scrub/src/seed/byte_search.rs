//! Finds the next byte of a class, in chunks that the compiler vectorises.

/// How many bytes are tested without a branch.
const CHUNK: usize = 32;

/// The position of the first byte for which `is_sought` is true.
#[inline(always)]
pub(super) fn first(text: &[u8], is_sought: impl Fn(u8) -> bool) -> Option<usize> {
    let none = |chunk: &&[u8; CHUNK]| !chunk.iter().fold(false, |any, &b| any | is_sought(b));
    let from = CHUNK * text.as_chunks().0.iter().take_while(none).count();
    text[from..].iter().position(|&b| is_sought(b)).map(|at| from + at)
}

/// The position of the last such byte.
#[inline(always)]
pub(super) fn last(text: &[u8], is_sought: impl Fn(u8) -> bool) -> Option<usize> {
    let none = |chunk: &&[u8; CHUNK]| !chunk.iter().fold(false, |any, &b| any | is_sought(b));
    let behind = CHUNK * text.as_rchunks().1.iter().rev().take_while(none).count();
    text[..text.len() - behind].iter().rposition(|&b| is_sought(b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_byte_is_found_wherever_it_stands() {
        for length in 0..3 * CHUNK {
            let mut text = vec![b'a'; length];
            assert_eq!((first(&text, |b| b == b' '), last(&text, |b| b == b' ')), (None, None));
            for at in 0..length {
                text[at] = b' ';
                text[length - 1] = b' ';
                assert_eq!(first(&text, |b| b == b' '), Some(at));
                text[length - 1] = b'a';
                text[at] = b' ';
                assert_eq!(last(&text, |b| b == b' '), Some(at));
                text[at] = b'a';
            }
        }
    }
}
