//! Escape sequences in front of a token, whose letters and digits look like the start of the token.
//!
//! In `\nghp_…` the run of letters starts with `n`, and the token one byte later. [`hidden_length`]
//! counts the bytes before the token. [`may_hide`] and [`quick_hidden_length`] answer the same for
//! most runs without a branch; a test compares them over all bytes.

/// The largest result of [`hidden_length`].
pub(super) const MAX_HIDDEN: usize = 12;

/// True for a token byte that no token begins with.
#[inline]
pub(super) const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'_' | b'-' | b'.')
}

/// How many bytes at the start of a run stand before the token. First what belongs to an escape
/// sequence that begins before the run: 1 in `\nghp_…`, 5 in `\u0022ghp_…`, 2 in `%3Dghp_…`, 3 in
/// `ESC[32mghp_…`. Then signs: 2 in `--ghp_…`.
#[inline(always)]
pub(super) fn hidden_length(before: Option<u8>, run: &[u8]) -> usize {
    let escape = match before {
        Some(b'\\') => backslash_escape_length(run),
        Some(b'%') if run.starts_with(b"25") => 4,
        Some(b'%' | b'=') if is_hex_pair(run) => 2,
        Some(b'[' | b';') => colour_escape_length(run),
        _ => 0,
    };
    let rest = run.get(escape..MAX_HIDDEN.min(run.len())).unwrap_or_default();
    escape + rest.iter().take_while(|&&b| is_sign(b)).count()
}

/// A prefilter: false only if [`hidden_length`] counts nothing but signs for a run that begins with
/// `first`, behind `before`.
#[inline(always)]
pub(super) fn may_hide(before: u8, first: u8) -> bool {
    WAYS_BEFORE[usize::from(before)] & WAYS_FIRST[usize::from(first)] != 0
}

/// [`hidden_length`] without a branch, for a run that begins with these eight bytes and for which
/// [`may_hide`] holds: two for hexadecimal digits behind an equals sign, zero for none. `None` if
/// the full function must decide.
#[inline(always)]
pub(super) fn quick_hidden_length(before: u8, eight: u64) -> Option<usize> {
    let [first, second, third, fourth, ..] = eight.to_le_bytes();
    let way = WAYS_BEFORE[usize::from(before)] & WAYS_FIRST[usize::from(first)];
    let colour = (first == b'm') | (second == b'm') | (third == b'm') | (fourth == b'm');
    let pair = (way & EQUALS != 0) & second.is_ascii_hexdigit();
    let rare = (way & (BACKSLASH | PERCENT) != 0)
        | ((way & COLOUR != 0) & colour)
        | (pair & is_sign(third));
    (!rare).then_some(2 * usize::from(pair))
}

/// The ways in which the start of a token can be hidden, one bit each. This one: behind a
/// backslash.
const BACKSLASH: u8 = 1;
/// Hexadecimal digits behind a percent sign.
const PERCENT: u8 = 2;
/// Hexadecimal digits behind an equals sign, as in quoted-printable.
const EQUALS: u8 = 4;
/// The end of a terminal's colour sequence.
const COLOUR: u8 = 8;

/// The ways that the byte before a run allows. A way is possible if the first byte of the run
/// allows it too.
static WAYS_BEFORE: [u8; 256] = {
    let mut ways = [0; 256];
    ways[b'\\' as usize] = BACKSLASH;
    ways[b'%' as usize] = PERCENT;
    ways[b'=' as usize] = EQUALS;
    ways[b'[' as usize] = COLOUR;
    ways[b';' as usize] = COLOUR;
    ways
};

/// The ways that the first byte of a run allows.
static WAYS_FIRST: [u8; 256] = {
    let mut ways = [BACKSLASH; 256];
    let mut byte = 0;
    while byte < 256 {
        let first = byte as u8;
        if first.is_ascii_hexdigit() {
            ways[byte] |= PERCENT | EQUALS;
        }
        if first.is_ascii_digit() || first == b'm' {
            ways[byte] |= COLOUR;
        }
        byte += 1;
    }
    ways
};

/// True for two hexadecimal digits, or for as many as there are.
#[inline(always)]
fn is_hex_pair(run: &[u8]) -> bool {
    match run {
        [first, second, ..] => first.is_ascii_hexdigit() & second.is_ascii_hexdigit(),
        rest => rest.iter().all(u8::is_ascii_hexdigit),
    }
}

/// The length of what follows the backslash of an escape.
fn backslash_escape_length(run: &[u8]) -> usize {
    match run.first() {
        Some(b'u') => 5,
        Some(b'x') => 3,
        Some(b'0'..=b'7') => run.iter().take(3).take_while(|b| matches!(b, b'0'..=b'7')).count(),
        _ => 1,
    }
}

/// The length of the end of a terminal's colour sequence: `0m`, `32m`.
fn colour_escape_length(run: &[u8]) -> usize {
    let digits = run.iter().take(3).take_while(|b| b.is_ascii_digit()).count();
    if run.get(digits) == Some(&b'm') { digits + 1 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_of_an_escape_are_counted() {
        for (before, run, expected) in [
            (b'\\', "nghp_", 1),
            (b'\\', "u0022ghp_", 5),
            (b'\\', "x22ghp_", 3),
            (b'\\', "042ghp_", 3),
            (b'%', "3Dghp_", 2),
            (b'%', "253Dghp_", 4),
            (b'=', "3Dghp_", 2),
            (b'=', "ghp_", 0),
            (b'[', "32mghp_", 3),
            (b'[', "mghp_", 1),
            (b';', "1mghp_", 2),
            (b'[', "123456789m", 0),
            (b'"', "nghp_", 0),
            (b' ', "--ghp_", 2),
            (b'\\', "n-ghp_", 2),
            (b' ', "------------ghp_", MAX_HIDDEN),
        ] {
            assert_eq!(hidden_length(Some(before), run.as_bytes()), expected, "{run}");
        }
    }

    #[test]
    fn the_quick_answers_are_those_of_a_whole_look() {
        const BYTES: &[u8] = b"-_.\\%=[;m0259aFuxz \"";
        let mut quick = 0;
        for before in BYTES.iter().copied().chain([0]) {
            for number in 0..BYTES.len().pow(4) {
                let byte = |n: u32| BYTES[number / BYTES.len().pow(n) % BYTES.len()];
                let run = [byte(0), byte(1), byte(2), byte(3), b'-', b'm', b'2', b'z'];
                let hidden = hidden_length(Some(before), &run);
                let shown = || String::from_utf8_lossy(&run).into_owned();
                let may_hide = may_hide(before, run[0]);
                let signs = run.iter().take_while(|b| is_sign(**b)).count();
                assert!(may_hide || hidden == signs, "{} behind {before}", shown());
                if let Some(seen) = quick_hidden_length(before, u64::from_le_bytes(run))
                    && may_hide
                {
                    quick += 1;
                    assert_eq!(seen, hidden, "{} behind {before}", shown());
                }
            }
        }
        assert!(quick > 100_000, "only {quick} are decided by the prefilter");
    }
}
