//! Dummy passwords of URLs: templates, and what documents write in place of a password.

use super::super::super::placeholder;
use super::super::judge;
use crate::words;

/// True for a filler next to a token that is the user: GitHub's `TOKEN:x-oauth-basic@`.
pub(in crate::precise) fn is_unused_password(password: &[u8]) -> bool {
    matches!(password, b"x-oauth-basic" | b"x" | b"X" | b"api_token" | b"_" | b"unused")
}

/// True for a template: `${PASS}`, `{password}`, `%s`, `$PASS`, `<password>`.
pub(in crate::precise) fn is_template(value: &[u8]) -> bool {
    let has = |mark: &[u8]| value.windows(mark.len()).any(|part| part == mark);
    let (Some(&first), Some(&last)) = (value.first(), value.last()) else { return true };
    let name = |rest: &[u8]| {
        rest.iter().all(|b| b.is_ascii_alphanumeric() || *b == b'_')
            && !(rest.iter().any(u8::is_ascii_digit) && rest.iter().any(u8::is_ascii_lowercase))
    };
    let framed = |open: u8, close: u8| first == open && last == close;
    has(b"${")
        || has(b"&lt;")
        || has(b"$(")
        || has(b"{{")
        || has(b"#{")
        || has(b"%(")
        || has(b"<%")
        || has(b"@@")
        || has(b"...")
        || placeholder::length(value) == Some(value.len())
        || has("\u{2026}".as_bytes())
        || framed(b'{', b'}')
        || framed(b'[', b']')
        || framed(b'<', b'>')
        || framed(b'(', b')')
        || framed(b'%', b'%') && value.len() > 2
        || framed(b'_', b'_') && value.len() > 4
        || first == b'$' && name(&value[1..])
        || first == b':'
            && value.len() > 1
            && name(&value[1..])
            && !value.iter().any(u8::is_ascii_digit)
        || matches!(value, b"%s" | b"%v" | b"%d" | b"%@" | b"%p" | b"%q" | b"?" | b"+")
        || value.iter().all(|b| *b == first) && value.len() > 1
}

/// True if the password of `user` at `host` is no secret.
pub(in crate::precise) fn is_dummy_password(user: &[u8], password: &[u8], host: &[u8]) -> bool {
    let bare = password.strip_suffix(b"]").unwrap_or(password);
    if is_template(password) || judge::is_dummy_value(password) || bare.len() < 4 {
        return true;
    }
    if bare.eq_ignore_ascii_case(user)
        || words::DUMMY_URL_PASSWORDS.iter().any(|w| bare.eq_ignore_ascii_case(w))
    {
        return true;
    }
    // In examples the password is often a word.
    let example = host.starts_with(b"localhost") || host.starts_with(b"127.") || {
        let name = host.split(|&b| b == b':').next().unwrap_or(host);
        !name.contains(&b'.') || name.starts_with(b"example.") || name.ends_with(b"example.com")
    };
    let cased = password.iter().skip(1).any(u8::is_ascii_uppercase);
    let word = !cased && bare.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'-');
    let shouted = password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    shouted || example && word && bare.len() <= 12 || word && contains_dummy_word(bare)
}

/// True for letters only, with a word for secrets inside: `your-password`, `mysecretpassword`.
fn contains_dummy_word(value: &[u8]) -> bool {
    let words: [&[u8]; 4] = [b"password", b"passwd", b"secret", b"token"];
    words.iter().any(|word| value.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)))
}
