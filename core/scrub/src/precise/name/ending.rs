//! Says no to nearly every name that tells nothing, by its last three letters.

use super::words::{VENDOR, belongs};

/// How all words end that [`telling`](super::telling) knows, be they telling ones or such as are
/// dropped: with these three letters, or with all of a shorter word.
const ENDINGS: &[&str] = &[
    // Telling words.
    "als", "alt", "ana", "ase", "ass", "ate", "ave", "dsn", "eds", "ena", "ess", "fre", "ial", "id",
    "ion", "jwt", "ken", "key", "kie", "nha", "nic", "nid", "ode", "ola", "ord", "ort", "pat",
    "per", "psk", "psw", "pw", "pwd", "red", "rer", "ret", "sid", "sig", "slo", "srf", "sse",
    "swd", "ure", "uri", "url", "uth", "wd", "wrd", // Words that say where or when.
    "age", "ain", "ary", "bak", "bal", "box", "cal", "ci", "dev", "eat", "emp", "ent", "env",
    "ere", "est", "eu", "ing", "irm", "ive", "kup", "min", "nal", "new", "old", "oot", "ous",
    "prd", "qa", "rev", "ro", "rod", "rw", "stg", "ter", "tmp", "uat", "ult", "us", "v", "vel",
    // Words that say in what form.
    "b", "ded", "din", "ext", "hex", "lue", "ral", "raw", "str", "txt", "val",
];

/// A bit for each row of three letters without their case, in 15 bits; one of the three may be any
/// where a word is shorter.
const ENDS: [u64; 512] = {
    let mut ends = [0_u64; 512];
    let mut index = 0;
    while index < ENDINGS.len() {
        let word = ENDINGS[index].as_bytes();
        let free = 3 - word.len();
        let mut any = 0;
        while any < 1 << (5 * free) {
            let mut row: usize = any;
            let mut at = 0;
            while at < word.len() {
                row = row << 5 | (word[at] & 31) as usize;
                at += 1;
            }
            ends[row / 64] |= 1 << (row % 64);
            any += 1;
        }
        index += 1;
    }
    ends
};

/// Ends of common words, `signal` and `passing`, with all letters that stand before them in words
/// that are known.
const RARE: &[(&[u8; 3], &[u8])] = &[(b"nal", b"r"), (b"ing", b"gtr")];

/// False for most names that tell nothing, and for none that tells something.
#[inline]
pub(in crate::precise) fn may_tell(name: &[u8]) -> bool {
    let &[.., first, second, last] = name else { return !name.is_empty() };
    if !last.is_ascii_alphabetic() || !(first | second).is_ascii() {
        return true;
    }
    // No word goes on over what is no letter.
    let letter = |b: u8| if b.is_ascii_alphabetic() { usize::from(b & 31) } else { 0 };
    let row = letter(first) << 10 | letter(second) << 5 | letter(last);
    ENDS[row / 64] >> (row % 64) & 1 == 1 && !is_rare(name) || begins_as_known(name)
}

/// True of what ends as a known word does, but is another.
fn is_rare(name: &[u8]) -> bool {
    let Some((before, end)) = name.split_last_chunk::<3>() else { return false };
    let before = before.last().map_or(0, u8::to_ascii_lowercase);
    let rare = RARE.iter().find(|(rare, _)| rare.eq_ignore_ascii_case(end));
    rare.is_some_and(|(_, known)| before.is_ascii() && !known.contains(&before))
}

/// Words for passwords that tell where they begin a name.
pub(super) const LEADING: &[&[u8]] = &[b"clave", b"senha", b"contrasena"];

/// True of a name that begins with a vendor's, or with one of [`LEADING`].
#[inline]
fn begins_as_known(name: &[u8]) -> bool {
    let start = name.iter().position(|&b| belongs(b)).unwrap_or(name.len());
    let name = &name[start..];
    let begins =
        |word: &[u8]| name.get(..word.len()).is_some_and(|first| first.eq_ignore_ascii_case(word));
    match name.first().map(|first| first | 0x20) {
        Some(first) if first == VENDOR[0] => begins(VENDOR),
        Some(b'c' | b's') => LEADING.iter().any(|word| begins(word)),
        _ => false,
    }
}
