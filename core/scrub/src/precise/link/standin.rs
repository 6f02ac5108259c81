//! Which passwords of URLs are none: templates, and what documents write in their place.

use super::super::super::placeholder;
use super::super::judge;

/// Words that documents write where a password belongs.
const WORDS: &[&[u8]] = &[
    b"pass",
    b"passw",
    b"passwd",
    b"password",
    b"passwort",
    b"pwd",
    b"psw",
    b"pw",
    b"secret",
    b"mypass",
    b"mypassword",
    b"mysecret",
    b"my-password",
    b"my_password",
    b"yourpassword",
    b"your-password",
    b"your_password",
    b"dbpass",
    b"dbpassword",
    b"db_password",
    b"userpass",
    b"user_password",
    b"token",
    b"apikey",
    b"api_key",
    b"api-key",
    b"accesstoken",
    b"access_token",
    b"key",
    b"example",
    b"changeme",
    b"change_me",
    b"foo",
    b"bar",
    b"baz",
    b"test",
    b"port",
    b"redacted",
    b"hidden",
    b"masked",
    b"removed",
    b"filtered",
    b"credentials",
    b"pass123",
    b"guest",
    b"anonymous",
    b"none",
    b"null",
    b"undefined",
    b"host",
    b"abc",
    b"xyz",
    b"pas",
    b"passphrase",
    b"client_secret",
    b"secret_key",
    b"admin",
    b"root",
    b"postgres",
    b"mysql",
];

/// What stands beside a token instead of a password: GitHub's `TOKEN:x-oauth-basic@`.
pub(in crate::precise) fn is_idle(password: &[u8]) -> bool {
    matches!(password, b"x-oauth-basic" | b"x" | b"X" | b"api_token" | b"_" | b"unused")
}

/// True if the value is to be filled in: `${PASS}`, `{password}`, `%s`, `$PASS`, `<password>`.
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

/// True if what stands as the password of `user` at `host` is no secret.
pub(in crate::precise) fn is_password(user: &[u8], password: &[u8], host: &[u8]) -> bool {
    let bare = password.strip_suffix(b"]").unwrap_or(password);
    if is_template(password) || judge::is_stand_in(password) || bare.len() < 4 {
        return true;
    }
    if bare.eq_ignore_ascii_case(user) || WORDS.iter().any(|w| bare.eq_ignore_ascii_case(w)) {
        return true;
    }
    // In an example the password is often a word, or the user's name with a number.
    let example = host.starts_with(b"localhost") || host.starts_with(b"127.") || {
        let name = host.split(|&b| b == b':').next().unwrap_or(host);
        !name.contains(&b'.') || name.starts_with(b"example.") || name.ends_with(b"example.com")
    };
    let cased = password.iter().skip(1).any(u8::is_ascii_uppercase);
    let word = !cased && bare.iter().all(|b| b.is_ascii_alphabetic() || *b == b'_' || *b == b'-');
    let shouted = password.iter().all(|b| b.is_ascii_uppercase() || *b == b'_');
    shouted || example && word && bare.len() <= 12 || word && has_word(bare)
}

/// True for `your-password`, `mysecretpassword`: a telling word inside, and nothing but letters.
fn has_word(value: &[u8]) -> bool {
    let words: [&[u8]; 4] = [b"password", b"passwd", b"secret", b"token"];
    words.iter().any(|word| value.windows(word.len()).any(|part| part.eq_ignore_ascii_case(word)))
}
