//! The judge: decides whether a value with a secret's name is a secret.
//!
//! `password = x` may assign a secret, a variable, a reference to a vault, a placeholder, a word of
//! a sentence or a port. The judge sees the name, its [class](super::name::NameClass), the value,
//! how the value is written (its [`Form`]) and the rest of the line. It decides in this order:
//!
//! 1. Under a *weak* name (`key`, `session`) only random values are secrets.
//! 2. A [dummy value](dummy_value), a [reference](mod@reference) or a value that is [never a
//!    secret](is_never_secret) is none.
//! 3. A [random] value is one, with high confidence.
//! 4. Under a *strong* name (`password`, `api_key`) any other literal is one. What counts as a
//!    literal depends on the form: between quotes, anything that is no prose; without quotes,
//!    only what is no [code], no [prose] and no name.
//!
//! Invariant: the judge reads at most [`MAX_JUDGED`] bytes of the value, so it decides the same for
//! a value that is cut by its view.
//!
//! Each rule has examples, positive and negative, in the table of `judge/rules.rs`; a test runs
//! them. [`word_score`] distinguishes words from noise by their pairs of letters. The word lists are data:
//! `data/words/judge.toml`.

use super::super::hit::Confidence;
use super::name::{self, NameClass, Strength};
use crate::words;

mod code;
mod dummy_value;
mod prefix_set;
mod prose;
mod random;
mod reference;
mod word_score;

#[cfg(test)]
mod rules;

pub(super) use prefix_set::PrefixSet;

/// How many bytes of a value are judged. Longer values are random long before that.
const MAX_JUDGED: usize = 512;

/// Numbers of these lengths count nothing: counters are shorter, times in nanoseconds longer.
const ID_DIGITS: std::ops::RangeInclusive<usize> = 15..=18;
/// The shortest PIN, in digits: four, as banks give them.
const MIN_PIN: usize = 4;
/// The shortest PIN in a line of text, where short numbers count things.
const MIN_LINE_PIN: usize = 6;
/// The lengths of passwords that people make, in bytes: most sites ask for eight.
const PASSWORD_LENGTHS: std::ops::RangeInclusive<usize> = 8..=64;
/// The least number of words of a mnemonic. Source: BIP 39.
const MIN_MNEMONIC: usize = 12;
/// A quoted value with blanks is a passphrase from this length on, in bytes; shorter ones are labels.
const MIN_PHRASE: usize = 12;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Between quotes in data: JSON, YAML, TOML, a connection string.
    QuotedData,
    /// Between quotes, in code.
    QuotedCode,
    /// Unquoted after `=` without blanks: an env file, a shell.
    Env,
    /// Unquoted after `: `: YAML, a header, a log line; or prose.
    Line,
    /// Unquoted after ` = `: TOML-like, INI, code.
    Spaced,
    /// After a flag of a command: `--password X`, `--password=X`.
    Flag,
    /// The text of an XML element.
    Element,
    /// In the query of a URL, a form, or a cookie.
    Query,
    /// A part of a `;` or `,` list of `name=value` pairs.
    List,
    /// A line of a block below its name, as behind `|` in YAML.
    Block,
}

/// A value with its name and its place.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedValue<'t> {
    pub name: &'t [u8],
    pub class: NameClass,
    pub value: &'t [u8],
    pub form: Form,
    /// The rest of the line behind the value, as far as it is visible.
    pub after: &'t [u8],
}

/// The confidence with which the value is a secret; `None` if it is none.
pub(super) fn judge(named: &NamedValue<'_>) -> Option<Confidence> {
    let value = named.value[..named.value.len().min(MAX_JUDGED)].trim_ascii();
    let quoted = matches!(named.form, Form::QuotedData | Form::QuotedCode);
    let random = is_random(value) || quoted && random::is_noise(value);
    // Most values have weak names, and this test is the cheapest.
    let weak = named.class.strength == Strength::Weak;
    if weak && !random && !is_id_under_key_name(named, value) {
        return None;
    }
    if named.class.kind == name::MNEMONIC {
        return is_mnemonic(value).then_some(Confidence::Medium);
    }
    if is_dummy_value(value) || is_never_secret(named, value) {
        return None;
    }
    let literal = random
        || match named.class.strength {
            Strength::Weak => true,
            Strength::Strong => match named.form {
                Form::QuotedData | Form::Element => is_quoted_literal(named, value),
                Form::QuotedCode => {
                    is_quoted_literal(named, value) && is_code_literal(named, value)
                }
                Form::Env => is_env_literal(named, value),
                Form::Line => is_line_literal(named, value),
                Form::Spaced => is_spaced_literal(named, value),
                Form::Flag => is_flag_literal(named, value),
                Form::Query | Form::List => is_pair_literal(named, value),
                Form::Block => {
                    value.len() >= 8 && !contains_whitespace(value) && !code::is_code(value, b"")
                }
            },
        };
    literal.then_some(if random { Confidence::High } else { Confidence::Medium })
}

/// Values that are no secret in any form.
fn is_never_secret(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let code = named.form == Form::QuotedCode;
    let informative = value.iter().filter(|b| b.is_ascii_alphanumeric() || **b >= 0xC0).count();
    // A quote that ends a string was taken for one that begins it.
    let rest = [&b", "[..], b"),", b");", b") "].iter().any(|start| value.starts_with(start));
    // The scheme of a signature. What it signed with follows.
    if informative < 3 || rest || value == b"AWS4-HMAC-SHA256" {
        return true;
    }
    if prose::is_number(value) {
        return !is_pin(named, value);
    }
    repeats_name(named.name, value, code)
        || is_password(named) && (name::is_password_word(value) || is_realm(value))
        || prose::is_plain(value)
        || prose::is_prose(value)
        || is_working_directory(named, value)
        || is_kubernetes_object(named, value)
}

/// The name of a Kubernetes object with its namespace: `secret="kube-system/token-x2k9p"`.
///
/// Source: RFC 1123, section 2.1, for the names.
fn is_kubernetes_object(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    let is_name = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_lowercase)
            && part.len() > 2
            && part.iter().all(belongs)
    };
    let mut parts = value.split(|b| *b == b'/');
    let (space, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    named.name.eq_ignore_ascii_case(b"secret")
        && parts.next().is_none()
        && is_name(space)
        && is_name(name)
        && name.contains(&b'-')
        && !is_random(value)
}

/// A mnemonic: at least twelve words of 3 to 8 lower-case letters.
///
/// Source: BIP 39.
fn is_mnemonic(value: &[u8]) -> bool {
    let words = value.split(|b| *b == b' ');
    words.clone().count() >= MIN_MNEMONIC
        && words
            .into_iter()
            .all(|word| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase))
}

/// The realm of a password, as it stands before the password in a call:
/// `add_password("basic_test_realm", …)`.
fn is_realm(value: &[u8]) -> bool {
    const REALM: &[u8] = b"realm";
    let end = value.len().checked_sub(REALM.len()).map(|at| &value[at..]);
    end.is_some_and(|end| end.eq_ignore_ascii_case(REALM))
        && value.iter().all(|b| b.is_ascii_alphabetic() || b"_- ".contains(b))
}

/// The working directory of a shell, under its names `PWD` and `OLDPWD`.
fn is_working_directory(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@~".contains(byte);
    let is_of_word = |byte: &u8| byte.is_ascii_lowercase() || b"/.".contains(byte);
    let whole = value.starts_with(b"/") && value[1..].contains(&b'/');
    matches!(named.name, b"PWD" | b"OLDPWD")
        && (whole && value.iter().all(is_of_path)
            || named.form == Form::Env && value.iter().all(is_of_word))
}

/// An id under the name of a vendor's key: `pardot_key`.
fn is_id_under_key_name(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let form = !matches!(named.form, Form::Line | Form::Block) || ends_line(named.after);
    let own = named.name.len() > 5 && matches!(named.class.kind, "key" | "authorization" | "token");
    own && form && random::is_id(value)
}

/// Digits under the name of a password, in a form in which numbers would not be code.
fn is_pin(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let text = matches!(
        named.form,
        Form::QuotedData | Form::Element | Form::Env | Form::Flag | Form::Query | Form::List
    );
    let line = matches!(named.form, Form::Line | Form::Spaced) && ends_line(named.after);
    let digits = value.iter().all(u8::is_ascii_digit);
    // Counters are shorter than this, and times in nanoseconds longer.
    let id = ID_DIGITS.contains(&value.len()) && named.class.strength == Strength::Strong;
    digits && text && (id || is_password(named) && value.len() >= MIN_PIN)
        || digits && line && (id || is_password(named) && value.len() >= MIN_LINE_PIN)
        || digits && id && named.form == Form::QuotedCode
}

/// True for the name of a password or passphrase.
fn is_password(named: &NamedValue<'_>) -> bool {
    matches!(named.class.kind, "password" | "passphrase")
}

/// A value that repeats its name: `api_key=api_key`, `password: "Password"`. In code, part of the
/// name suffices.
fn repeats_name(name: &[u8], value: &[u8], code: bool) -> bool {
    if value.len() > 64 {
        return false;
    }
    let length = letters(value).count();
    length > 0
        && (letters(name).eq(letters(value))
            || (code || length > 10) && ends_with(name, value)
            || code && ends_with(value, name))
}

/// The letters and digits of a text in lower case.
fn letters(text: &[u8]) -> impl DoubleEndedIterator<Item = u8> {
    let kept = text.iter().filter(|b| b.is_ascii_alphanumeric());
    kept.map(u8::to_ascii_lowercase)
}

/// True if the letters and digits of `text` end with those of `end`, in any case.
fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let mut back = letters(text).rev();
    letters(end).rev().all(|byte| back.next() == Some(byte))
}

/// True if the value has white space inside.
fn contains_whitespace(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace)
}

/// Between quotes: no sentence, no pattern, and, unless the name is one of a password, more than words.
fn is_quoted_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let status = prose::is_status_word(value) || is_label(value);
    value.len() >= 3
        && (is_password(named) || !status)
        && !(contains_whitespace(value) && value.len() < MIN_PHRASE)
        && !code::is_pattern(value)
}

/// Words only, as in names of things: `my-release-token`, `CLIENT_TRAFFIC_SECRET`, `derived`. A
/// long run of lower-case letters is no label.
fn is_label(value: &[u8]) -> bool {
    let mark = |b: &u8| matches!(b, b'_' | b'-' | b'.' | b' ' | b'/' | b':');
    let run = value.len() >= 12 && value.iter().all(u8::is_ascii_lowercase);
    let capitals = value.iter().all(|b| b.is_ascii_uppercase() || mark(b) || b.is_ascii_digit());
    let letters = value.iter().all(|b| b.is_ascii_alphabetic() || mark(b));
    !run && (letters || capitals && value.contains(&b'_'))
        && word_score::Words::of(value).mostly_words()
}

/// Between quotes in code, where names of fields, headers and messages stand as well.
fn is_code_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    if prose::is_status_word(value) || value.windows(2).any(|pair| pair == b"::") {
        return false;
    }
    let own = named.name.rsplit(|&b| b == b'.').next().unwrap_or(named.name);
    if own.eq_ignore_ascii_case(b"pass") {
        // In code, `pass` is rarely a password: what passes is passed.
        let link = value.iter().any(|b| matches!(b, b'/' | b':' | b'.'));
        let odd = || !word_score::Words::of(value).mostly_words() || is_memorable(value);
        return value.len() >= 8 && !link && odd();
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    let marks = value.iter().any(|b| b.is_ascii_punctuation() && !b"_-.:/".contains(b));
    let worded = !digits && !marks && word_score::Words::of(value).mostly_words();
    !worded || is_password(named) && !value.contains(&b'.') && !value.starts_with(b"-")
}

/// Unquoted behind `=`.
fn is_env_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let capitals = has_capitals_only(named.name);
    if code::is_code(value, named.after)
        || prose::is_status_word(value) && !(capitals && is_password(named))
    {
        return false;
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    if !code::is_name(value) || code::is_unnatural_name(value) {
        return digits || capitals || is_password(named) || !is_label(value);
    }
    let text = capitals || !code::code_continues(named.after) && (is_password(named) || digits);
    text && value.len() >= 3 || is_password(named) && is_memorable(value)
}

/// True for a name as the environment has it.
fn has_capitals_only(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

/// Unquoted behind `: `.
fn is_line_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    if contains_whitespace(value)
        || code::is_code(value, named.after)
        || prose::is_status_word(value)
    {
        return false;
    }
    if is_wide_script(value) {
        return false;
    }
    if named.name == b"PASS" {
        // `PASS` mostly is the outcome of a test, and its name follows.
        return is_password_like(value);
    }
    // However the line continues: `sending header x-api-key: … to upstream`.
    if is_opaque(value) {
        return true;
    }
    if !code::is_name(value) {
        return value.len() >= 4 && !sentence_follows(named.after) && is_mixed(named, value);
    }
    let words = word_score::Words::of(value);
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let lower = value.iter().all(u8::is_ascii_lowercase);
    // A passphrase without blanks, and a token of unordered letters and digits.
    let phrase = is_password(named) && lower && value.len() >= 12 && words.words > 2;
    let token = value.len() >= 12 && digits >= 2 && !value.contains(&b'_') && !words.mostly_words();
    code::is_unnatural_name(value)
        || is_password(named) && map_continues(named.after) && is_memorable(value)
        || ends_line(named.after) && (phrase || token)
        || ends_line(named.after)
            && value.len() >= 6
            && is_mixed(named, value)
            && (is_password(named) || has_capitals_only(named.name) && named.name.contains(&b'_'))
}

/// Unquoted behind ` = `.
fn is_spaced_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    if contains_whitespace(value)
        || code::is_code(value, named.after)
        || prose::is_status_word(value)
    {
        return false;
    }
    if !ends_line(named.after) {
        return is_opaque(value);
    }
    if !code::is_name(value) {
        return value.len() >= 6 && is_mixed(named, value);
    }
    code::is_unnatural_name(value)
        || is_password(named) && value.len() >= 6 && is_mixed(named, value)
}

/// More than words: letters that are no word, digits or marks. Hyphenated words need two digits.
fn is_mixed(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let words = word_score::Words::of(value);
    if code::is_kebab(value) && words.covered > 0 {
        return digits >= 2 || !words.mostly_words() || is_password(named) && words.words > 2;
    }
    digits > 0 || !words.mostly_words() || !code::is_name(value)
}

/// Behind a flag.
fn is_flag_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    if value.starts_with(b"--") || prose::is_status_word(value) || code::is_code(value, named.after)
    {
        return false;
    }
    if value.iter().any(u8::is_ascii_digit) || !(code::is_name(value) || code::is_kebab(value)) {
        return value.len() >= 3;
    }
    let capitals = has_capitals_only(value);
    let metavariable =
        capitals && (value.contains(&b'_') || word_score::Words::of(value).mostly_words());
    let noise = !word_score::Words::of(value).mostly_words();
    let literal = is_password(named) || noise;
    let drawn = noise && value.len() >= 8 && has_both_cases(value);
    !metavariable && literal && value.len() >= 4 && (drawn || !sentence_follows(named.after))
}

/// True if at least half of the value is in a script written without blanks: a sentence, not a
/// password.
fn is_wide_script(value: &[u8]) -> bool {
    // The first bytes of all characters from U+3000 to U+DFFF.
    let wide = value.iter().filter(|b| matches!(b, 0xE3..=0xED)).count();
    wide * 6 > value.len()
}

/// True if the value has letters of both cases.
fn has_both_cases(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase)
}

/// In a query, a form, a cookie or a list.
fn is_pair_literal(named: &NamedValue<'_>, value: &[u8]) -> bool {
    let worded = code::is_name(value)
        && !value.iter().any(u8::is_ascii_digit)
        && word_score::Words::of(value).mostly_words();
    if prose::is_status_word(value) && !is_password(named) || code::is_code(value, b"") {
        return false;
    }
    value.len() >= 3 && (is_password(named) || !worded && value.len() >= 6)
}

/// Nothing but a comment follows on the line.
fn ends_line(after: &[u8]) -> bool {
    let after = after.trim_ascii();
    after.is_empty()
        || after.starts_with(b"#")
        || after.starts_with(b"//")
        || after.starts_with(b"\\n")
}

/// The next member of a map follows, or its end: `, port: 5432}`.
fn map_continues(after: &[u8]) -> bool {
    let Some(rest) = after.strip_prefix(b", ") else { return after.starts_with(b"}") };
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    name > 0 && rest[name..].starts_with(b": ")
}

/// A sentence follows.
fn sentence_follows(after: &[u8]) -> bool {
    let trimmed = after.trim_ascii_start();
    let word = trimmed.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    trimmed.len() < after.len()
        && word > 1
        && matches!(trimmed.get(word), None | Some(b' ' | b'.' | b',' | b':' | b'\''))
}

/// The shortest value that may be a secret under a weak name, in bytes.
pub(super) const MIN_RANDOM: usize = random::MIN_LENGTH;
/// The shortest id that may be a secret, in bytes.
pub(super) const MIN_ID: usize = random::MIN_ID;

/// True if text without any name looks like a random token: long enough, mixed, and no words, UUID,
/// digest, path or version.
pub(super) fn is_random(value: &[u8]) -> bool {
    random::is_random(value)
}

/// True for random text, and for what may also be an id: hexadecimal digits or a UUID, with or
/// without a word before them. Under a strong name these are keys.
pub(super) fn is_opaque(value: &[u8]) -> bool {
    is_random(value) || random::is_id(value)
}

/// True for what can only be a password in a sentence: letters, digits and marks mixed.
pub(super) fn is_password_like(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let mark = has(|b| b"!@#$%^&*?+=~".contains(b));
    let cases = has_both_cases(value);
    let noise = || !word_score::Words::of(value).mostly_words();
    let plain = || is_dummy_value(value) || prose::is_plain(value) || code::is_code(value, b"");
    PASSWORD_LENGTHS.contains(&value.len())
        && has(u8::is_ascii_alphabetic)
        && match has(u8::is_ascii_digit) {
            true => mark || cases && noise(),
            false => mark && cases && noise(),
        }
        && !value.iter().any(|b| b"-/()[]{}<>,:".contains(b))
        && !plain()
}

/// True for passwords that people make: words, and digits behind or among them, as in `arsenal1975`
/// and `copper-rocket-16`.
pub(super) fn is_memorable(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"-_.!@#$%^&*?+=~".contains(b);
    let is_algorithm = |part: &[u8]| ALGORITHMS.matches(&part.to_ascii_lowercase());
    PASSWORD_LENGTHS.contains(&value.len())
        && value.iter().all(belongs)
        && value.first().is_some_and(u8::is_ascii_alphanumeric)
        && count(u8::is_ascii_alphabetic) >= 4
        && count(u8::is_ascii_digit) >= 2
        && !value.split(|b| !b.is_ascii_alphanumeric()).any(is_algorithm)
        && !random::is_hex(value)
        && !is_numbered(value)
        && !is_address(value)
        && !is_dummy_value(value)
        && !prose::is_plain(value)
        && !code::is_code(value, b"")
}

/// Words and then numbers with signs in between: a ticket, a host, a release, as in `AUTH-1024`,
/// `db-prod-01` and `python-3.11`. Some passwords look the same; [`is_passphrase`] is for places
/// where a password must stand.
fn is_numbered(value: &[u8]) -> bool {
    let mut parts = value.split(|b| !b.is_ascii_alphanumeric());
    let whole = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphabetic) || part.iter().all(u8::is_ascii_digit)
    };
    value.iter().any(|b| b"-_.".contains(b)) && parts.all(whole)
}

/// At least two words and a number, with hyphens or dots in between: `copper-rocket-16`.
pub(super) fn is_passphrase(value: &[u8]) -> bool {
    let parts = || value.split(|b| matches!(b, b'-' | b'.'));
    let words = parts().filter(|part| part.len() > 2 && part.iter().all(u8::is_ascii_alphabetic));
    words.count() > 1 && value.iter().any(u8::is_ascii_digit) && is_numbered(value)
}

/// A mail address, by its shape.
fn is_address(value: &[u8]) -> bool {
    let at = value.iter().position(|b| *b == b'@');
    at.is_some_and(|at| value[at..].contains(&b'.'))
}

/// Prefixes of algorithms, encodings and versions, from `data/words/judge.toml`.
static ALGORITHMS: PrefixSet = PrefixSet::new(words::ALGORITHM_PREFIXES);

/// True if the whole value is a dummy: `xxxx`, `<token>`, `${TOKEN}`, `changeme`, `***`,
/// `your-key-here`, a placeholder of this crate, or a reference to where the secret is kept.
pub(super) fn is_dummy_value(value: &[u8]) -> bool {
    value.len() <= MAX_JUDGED && dummy_value::is_dummy_value(value)
}
