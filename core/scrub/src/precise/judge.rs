//! Judges whether a value that stands under a telling name is a secret, or code, a reference, a
//! placeholder, prose, or plainly none (a port, a flag, a path).
//!
//! What counts as a literal depends on how it is written. Between quotes anything is one that is
//! none of the above; without quotes it has to look like no code, no prose and no name.

use super::super::hit::Confidence;
use super::name::{self, Strength, Telling};

mod code;
mod prose;
mod random;
mod reference;
mod stand_in;
mod starts;
mod wordy;

pub(super) use starts::Starts;

/// How much of a value is looked at, in bytes.
const LONGEST: usize = 512;

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Between quotes, in data: JSON, YAML, TOML, a connection list.
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
    /// A line of a block below its name: YAML `|`.
    Block,
}

/// A value and where it stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Claim<'t> {
    pub name: &'t [u8],
    pub telling: Telling,
    pub value: &'t [u8],
    pub form: Form,
    /// The rest of the line behind the value, as far as it is seen.
    pub after: &'t [u8],
}

/// The confidence with which the value is a secret; `None` if it is none.
pub(super) fn judge(claim: &Claim<'_>) -> Option<Confidence> {
    let value = claim.value[..claim.value.len().min(LONGEST)].trim_ascii();
    let quoted = matches!(claim.form, Form::QuotedData | Form::QuotedCode);
    let random = is_random(value) || quoted && random::is_noise(value);
    // Most values are under weak names, and this is the cheapest to ask.
    let weak = claim.telling.strength == Strength::Weak;
    if weak && !random && !is_own_key(claim, value) {
        return None;
    }
    if claim.telling.kind == name::MNEMONIC {
        return is_mnemonic(value).then_some(Confidence::Medium);
    }
    if is_stand_in(value) || is_plainly_none(claim, value) {
        return None;
    }
    let literal = random
        || match claim.telling.strength {
            Strength::Weak => true,
            Strength::Strong => match claim.form {
                Form::QuotedData | Form::Element => is_quoted_literal(claim, value),
                Form::QuotedCode => {
                    is_quoted_literal(claim, value) && is_code_literal(claim, value)
                }
                Form::Env => is_env_literal(claim, value),
                Form::Line => is_line_literal(claim, value),
                Form::Spaced => is_spaced_literal(claim, value),
                Form::Flag => is_flag_literal(claim, value),
                Form::Query | Form::List => is_pair_literal(claim, value),
                Form::Block => {
                    value.len() >= 8 && !is_blank_between(value) && !code::is_code(value, b"")
                }
            },
        };
    literal.then_some(if random { Confidence::High } else { Confidence::Medium })
}

/// What is no secret however it is written.
fn is_plainly_none(claim: &Claim<'_>, value: &[u8]) -> bool {
    let code = claim.form == Form::QuotedCode;
    let telling = value.iter().filter(|b| b.is_ascii_alphanumeric() || **b >= 0xC0).count();
    // A quote that ends a string was taken for one that begins it.
    let rest = [&b", "[..], b"),", b");", b") "].iter().any(|start| value.starts_with(start));
    // The scheme of a signature, which goes on with what was signed with.
    if telling < 3 || rest || value == b"AWS4-HMAC-SHA256" {
        return true;
    }
    if prose::is_number(value) {
        return !is_pin(claim, value);
    }
    repeats_name(claim.name, value, code)
        || is_password(claim) && (name::says_password(value) || is_realm(value))
        || prose::is_plain(value)
        || prose::is_prose(value)
        || is_folder(claim, value)
        || is_object(claim, value)
}

/// The name of an object of Kubernetes with its namespace: `secret="kube-system/token-x2k9p"`.
///
/// Source: RFC 1123, section 2.1, for the names.
fn is_object(claim: &Claim<'_>, value: &[u8]) -> bool {
    let belongs = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit() || *b == b'-';
    let named = |part: &[u8]| {
        part.first().is_some_and(u8::is_ascii_lowercase)
            && part.len() > 2
            && part.iter().all(belongs)
    };
    let mut parts = value.split(|b| *b == b'/');
    let (space, name) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    claim.name.eq_ignore_ascii_case(b"secret")
        && parts.next().is_none()
        && named(space)
        && named(name)
        && name.contains(&b'-')
        && !is_random(value)
}

/// Twelve words at least, of small letters.
///
/// Source: BIP 39.
fn is_mnemonic(value: &[u8]) -> bool {
    let words = value.split(|b| *b == b' ');
    words.clone().count() >= 12
        && words
            .into_iter()
            .all(|word| (3..=8).contains(&word.len()) && word.iter().all(u8::is_ascii_lowercase))
}

/// The realm of a password, which stands before it in a call: `add_password("basic_test_realm", …)`.
fn is_realm(value: &[u8]) -> bool {
    const REALM: &[u8] = b"realm";
    let end = value.len().checked_sub(REALM.len()).map(|at| &value[at..]);
    end.is_some_and(|end| end.eq_ignore_ascii_case(REALM))
        && value.iter().all(|b| b.is_ascii_alphabetic() || b"_- ".contains(b))
}

/// The folder that a shell is in, under the name that it gives that.
fn is_folder(claim: &Claim<'_>, value: &[u8]) -> bool {
    let is_of_path = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-+@~".contains(byte);
    let is_of_word = |byte: &u8| byte.is_ascii_lowercase() || b"/.".contains(byte);
    let whole = value.starts_with(b"/") && value[1..].contains(&b'/');
    matches!(claim.name, b"PWD" | b"OLDPWD")
        && (whole && value.iter().all(is_of_path)
            || claim.form == Form::Env && value.iter().all(is_of_word))
}

/// An id under the name of somebody's key: `pardot_key`, where no ordinary key has its name.
fn is_own_key(claim: &Claim<'_>, value: &[u8]) -> bool {
    let form = !matches!(claim.form, Form::Line | Form::Block) || is_end(claim.after);
    let own =
        claim.name.len() > 5 && matches!(claim.telling.kind, "key" | "authorization" | "token");
    own && form && random::is_id(value)
}

/// Digits under the name of a password, where text stands.
fn is_pin(claim: &Claim<'_>, value: &[u8]) -> bool {
    let text = matches!(
        claim.form,
        Form::QuotedData | Form::Element | Form::Env | Form::Flag | Form::Query | Form::List
    );
    let line = matches!(claim.form, Form::Line | Form::Spaced) && is_end(claim.after);
    let digits = value.iter().all(u8::is_ascii_digit);
    // Nothing is counted in so many digits; times in nanoseconds have more.
    let id = (15..=18).contains(&value.len()) && claim.telling.strength == Strength::Strong;
    digits && text && (id || is_password(claim) && value.len() >= 4)
        || digits && line && (id || is_password(claim) && value.len() >= 6)
        || digits && id && claim.form == Form::QuotedCode
}

fn is_password(claim: &Claim<'_>) -> bool {
    matches!(claim.telling.kind, "password" | "passphrase")
}

/// The value is its own name: `api_key=api_key`, `password: "Password"`; in code also a part of it.
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

/// The letters and digits of a text, in lower case.
fn letters(text: &[u8]) -> impl DoubleEndedIterator<Item = u8> {
    let kept = text.iter().filter(|b| b.is_ascii_alphanumeric());
    kept.map(u8::to_ascii_lowercase)
}

/// True if the letters and digits of `text` end with those of `end`, in any case.
fn ends_with(text: &[u8], end: &[u8]) -> bool {
    let mut back = letters(text).rev();
    letters(end).rev().all(|byte| back.next() == Some(byte))
}

fn is_blank_between(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_whitespace)
}

/// Between quotes: no sentence, no pattern, and under a name that does not say password more than
/// words.
fn is_quoted_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    let said = prose::is_said(value) || is_label(value);
    value.len() >= 3
        && (is_password(claim) || !said)
        && !(is_blank_between(value) && value.len() < 12)
        && !code::is_pattern(value)
}

/// Words alone, as in names of things: `my-release-token`, `CLIENT_TRAFFIC_SECRET`, `derived`. A
/// long run of small letters is none.
fn is_label(value: &[u8]) -> bool {
    let mark = |b: &u8| matches!(b, b'_' | b'-' | b'.' | b' ' | b'/' | b':');
    let run = value.len() >= 12 && value.iter().all(u8::is_ascii_lowercase);
    let capitals = value.iter().all(|b| b.is_ascii_uppercase() || mark(b) || b.is_ascii_digit());
    let letters = value.iter().all(|b| b.is_ascii_alphabetic() || mark(b));
    !run && (letters || capitals && value.contains(&b'_')) && wordy::Words::of(value).mostly()
}

/// Between quotes in code, where names of fields, headers and messages stand as well.
fn is_code_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    if prose::is_said(value) || value.windows(2).any(|pair| pair == b"::") {
        return false;
    }
    let own = claim.name.rsplit(|&b| b == b'.').next().unwrap_or(claim.name);
    if own.eq_ignore_ascii_case(b"pass") {
        // Rarely a password in code: what passes is passed.
        let link = value.iter().any(|b| matches!(b, b'/' | b':' | b'.'));
        let odd = || !wordy::Words::of(value).mostly() || is_memorable(value);
        return value.len() >= 8 && !link && odd();
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    let marks = value.iter().any(|b| b.is_ascii_punctuation() && !b"_-.:/".contains(b));
    let worded = !digits && !marks && wordy::Words::of(value).mostly();
    !worded || is_password(claim) && !value.contains(&b'.') && !value.starts_with(b"-")
}

/// Without quotes behind `=`.
fn is_env_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    let capitals = has_capitals_only(claim.name);
    if code::is_code(value, claim.after)
        || prose::is_said(value) && !(capitals && is_password(claim))
    {
        return false;
    }
    let digits = value.iter().any(u8::is_ascii_digit);
    if !code::is_name(value) || code::is_odd_name(value) {
        return digits || capitals || is_password(claim) || !is_label(value);
    }
    let text = capitals || !code::goes_on(claim.after) && (is_password(claim) || digits);
    text && value.len() >= 3 || is_password(claim) && is_memorable(value)
}

/// A name as the environment has it.
fn has_capitals_only(name: &[u8]) -> bool {
    !name.iter().any(u8::is_ascii_lowercase)
}

/// Without quotes behind `: `.
fn is_line_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    if is_blank_between(value) || code::is_code(value, claim.after) || prose::is_said(value) {
        return false;
    }
    if is_wide(value) {
        return false;
    }
    if claim.name == b"PASS" {
        // As a rule this is the outcome of a test, and its name.
        return is_password_like(value);
    }
    // Whatever the line goes on with: `sending header x-api-key: … to upstream`.
    if is_opaque(value) {
        return true;
    }
    if !code::is_name(value) {
        return value.len() >= 4 && !reads_on(claim.after) && is_mixed(claim, value);
    }
    let words = wordy::Words::of(value);
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let lower = value.iter().all(u8::is_ascii_lowercase);
    // A passphrase without blanks, and a token of letters and digits in no order.
    let phrase = is_password(claim) && lower && value.len() >= 12 && words.words > 2;
    let token = value.len() >= 12 && digits >= 2 && !value.contains(&b'_') && !words.mostly();
    code::is_odd_name(value)
        || is_password(claim) && is_member(claim.after) && is_memorable(value)
        || is_end(claim.after) && (phrase || token)
        || is_end(claim.after)
            && value.len() >= 6
            && is_mixed(claim, value)
            && (is_password(claim) || has_capitals_only(claim.name) && claim.name.contains(&b'_'))
}

/// Without quotes behind ` = `.
fn is_spaced_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    if is_blank_between(value) || code::is_code(value, claim.after) || prose::is_said(value) {
        return false;
    }
    if !is_end(claim.after) {
        return is_opaque(value);
    }
    if !code::is_name(value) {
        return value.len() >= 6 && is_mixed(claim, value);
    }
    code::is_odd_name(value) || is_password(claim) && value.len() >= 6 && is_mixed(claim, value)
}

/// More than words: letters that are none, digits, marks; of words with hyphens two digits.
fn is_mixed(claim: &Claim<'_>, value: &[u8]) -> bool {
    let digits = value.iter().filter(|b| b.is_ascii_digit()).count();
    let words = wordy::Words::of(value);
    if code::is_kebab(value) && words.covered > 0 {
        return digits >= 2 || !words.mostly() || is_password(claim) && words.words > 2;
    }
    digits > 0 || !words.mostly() || !code::is_name(value)
}

/// Behind a flag.
fn is_flag_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    if value.starts_with(b"--") || prose::is_said(value) || code::is_code(value, claim.after) {
        return false;
    }
    if value.iter().any(u8::is_ascii_digit) || !(code::is_name(value) || code::is_kebab(value)) {
        return value.len() >= 3;
    }
    let capitals = has_capitals_only(value);
    let metavariable = capitals && (value.contains(&b'_') || wordy::Words::of(value).mostly());
    let noise = !wordy::Words::of(value).mostly();
    let literal = is_password(claim) || noise;
    let drawn = noise && value.len() >= 8 && has_both_cases(value);
    !metavariable && literal && value.len() >= 4 && (drawn || !reads_on(claim.after))
}

/// At least half of it in a script that is written without blanks: a sentence, and no password.
fn is_wide(value: &[u8]) -> bool {
    // The first bytes of all from U+3000 to U+DFFF.
    let wide = value.iter().filter(|b| matches!(b, 0xE3..=0xED)).count();
    wide * 6 > value.len()
}

fn has_both_cases(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_lowercase) && value.iter().any(u8::is_ascii_uppercase)
}

/// In a query, a form, a cookie, or a list.
fn is_pair_literal(claim: &Claim<'_>, value: &[u8]) -> bool {
    let worded = code::is_name(value)
        && !value.iter().any(u8::is_ascii_digit)
        && wordy::Words::of(value).mostly();
    if prose::is_said(value) && !is_password(claim) || code::is_code(value, b"") {
        return false;
    }
    value.len() >= 3 && (is_password(claim) || !worded && value.len() >= 6)
}

/// Nothing follows on the line but a comment.
fn is_end(after: &[u8]) -> bool {
    let after = after.trim_ascii();
    after.is_empty()
        || after.starts_with(b"#")
        || after.starts_with(b"//")
        || after.starts_with(b"\\n")
}

/// The next member of a map follows, or its end: `, port: 5432}`.
fn is_member(after: &[u8]) -> bool {
    let Some(rest) = after.strip_prefix(b", ") else { return after.starts_with(b"}") };
    let name = rest.iter().take_while(|b| b.is_ascii_alphanumeric() || **b == b'_').count();
    name > 0 && rest[name..].starts_with(b": ")
}

/// A sentence follows.
fn reads_on(after: &[u8]) -> bool {
    let trimmed = after.trim_ascii_start();
    let word = trimmed.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    trimmed.len() < after.len()
        && word > 1
        && matches!(trimmed.get(word), None | Some(b' ' | b'.' | b',' | b':' | b'\''))
}

/// The shortest value that may be a secret under a weak name.
pub(super) const SHORTEST: usize = random::SHORTEST;
/// The shortest id that may be one.
pub(super) const SHORTEST_ID: usize = random::ID;

/// True if text without any name looks like a random token: long enough, mixed, no words, no
/// UUID, digest, path or version.
pub(super) fn is_random(value: &[u8]) -> bool {
    random::is_random(value)
}

/// True of what is random, and of what may be an id as well: hexadecimal digits or a UUID, with or
/// without a word before them. Under a sure name these are keys.
pub(super) fn is_opaque(value: &[u8]) -> bool {
    is_random(value) || random::is_id(value)
}

/// True of what can only be a password in a sentence: letters, digits and marks mixed.
pub(super) fn is_password_like(value: &[u8]) -> bool {
    let has = |is: fn(&u8) -> bool| value.iter().any(is);
    let mark = has(|b| b"!@#$%^&*?+=~".contains(b));
    let cases = has_both_cases(value);
    let noise = || !wordy::Words::of(value).mostly();
    let plain = || is_stand_in(value) || prose::is_plain(value) || code::is_code(value, b"");
    value.len() >= 8
        && value.len() <= 64
        && has(u8::is_ascii_alphabetic)
        && match has(u8::is_ascii_digit) {
            true => mark || cases && noise(),
            false => mark && cases && noise(),
        }
        && !value.iter().any(|b| b"-/()[]{}<>,:".contains(b))
        && !plain()
}

/// True of what people make passwords of: a word or several, and digits behind or among them, as in
/// `arsenal1975` and `copper-rocket-16`.
pub(super) fn is_memorable(value: &[u8]) -> bool {
    let count = |is: fn(&u8) -> bool| value.iter().filter(|b| is(b)).count();
    let belongs = |b: &u8| b.is_ascii_alphanumeric() || b"-_.!@#$%^&*?+=~".contains(b);
    let named = |part: &[u8]| ALGORITHMS.begin(&part.to_ascii_lowercase());
    (8..=64).contains(&value.len())
        && value.iter().all(belongs)
        && value.first().is_some_and(u8::is_ascii_alphanumeric)
        && count(u8::is_ascii_alphabetic) >= 4
        && count(u8::is_ascii_digit) >= 2
        && !value.split(|b| !b.is_ascii_alphanumeric()).any(named)
        && !random::is_hex(value)
        && !is_numbered(value)
        && !is_address(value)
        && !is_stand_in(value)
        && !prose::is_plain(value)
        && !code::is_code(value, b"")
}

/// Words and then numbers, with signs between: a ticket, a host, a release, as in `AUTH-1024`,
/// `db-prod-01` and `python-3.11`. As some passwords are: where one must stand, see
/// [`is_passphrase`].
fn is_numbered(value: &[u8]) -> bool {
    let mut parts = value.split(|b| !b.is_ascii_alphanumeric());
    let whole = |part: &[u8]| {
        part.iter().all(u8::is_ascii_alphabetic) || part.iter().all(u8::is_ascii_digit)
    };
    value.iter().any(|b| b"-_.".contains(b)) && parts.all(whole)
}

/// Two words and a number at least, with hyphens or dots between: `copper-rocket-16`.
pub(super) fn is_passphrase(value: &[u8]) -> bool {
    let parts = || value.split(|b| matches!(b, b'-' | b'.'));
    let words = parts().filter(|part| part.len() > 2 && part.iter().all(u8::is_ascii_alphabetic));
    words.count() > 1 && value.iter().any(u8::is_ascii_digit) && is_numbered(value)
}

/// Of mail, as far as its shape tells.
fn is_address(value: &[u8]) -> bool {
    let at = value.iter().position(|b| *b == b'@');
    at.is_some_and(|at| value[at..].contains(&b'.'))
}

/// Names of algorithms, encodings and versions, which have digits as well.
static ALGORITHMS: Starts = Starts::new(&[
    b"aes", b"argon", b"base", b"bcrypt", b"blake", b"chacha", b"curve", b"ecdsa", b"ed25519",
    b"es256", b"hmac", b"hs256", b"http", b"ipv", b"iso", b"md5", b"oauth", b"pbkdf", b"pkcs",
    b"ripemd", b"rs256", b"rsa", b"scrypt", b"secp", b"sha", b"tls", b"utf", b"windows", b"x509",
]);

/// True if the whole value is a stand-in: `xxxx`, `<token>`, `${TOKEN}`, `changeme`, `***`,
/// `your-key-here`, a placeholder of this library, a reference to where the secret is kept.
pub(super) fn is_stand_in(value: &[u8]) -> bool {
    value.len() <= LONGEST && stand_in::is_stand_in(value)
}
