//! Names: which names say that their value is a secret.
//!
//! [`classify`] splits a name into words: `DB_PASSWORD`, `dbPassword` and `db-password` all end
//! with `password`. It drops words at the end that say only where or in what form a value is used
//! (`_PROD`, `_2`, `_value`). The last word that is left decides, together with the one before it:
//! `api_key` is a secret, `sort_key` is not, and `key` alone is one only if the value looks random.
//!
//! Invariant: [`may_be_secret_name`], the prefilter, rejects only names that [`classify`] rejects.
//!
//! Word lists are data (`data/words/names.toml`); the words that decide are matched here.

use crate::words;
use split::Words;

mod non_secret_keys;
mod prefilter;
mod split;

pub(super) use prefilter::may_be_secret_name;
pub(super) use split::MAX_NAME;

#[cfg(test)]
mod tests;

/// The kind of the words from which a wallet's keys are derived.
pub(super) const MNEMONIC: &str = "mnemonic";

/// How strongly a name suggests a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// `session`, `key`, `auth`: a secret only if the value looks random.
    Weak,
    /// `password`, `api_key`, `client_secret`: any literal is a secret.
    Strong,
}

/// What a name implies about its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NameClass {
    /// The kind of a secret with this name: `password`, `api-key`, `token`…
    pub kind: &'static str,
    pub strength: Strength,
}

impl NameClass {
    /// The class of a name whose value is a secret unless it is no literal.
    fn strong(kind: &'static str) -> Option<NameClass> {
        Some(NameClass { kind, strength: Strength::Strong })
    }

    /// The class of a name whose value is a secret only if it looks random.
    fn weak(kind: &'static str) -> Option<NameClass> {
        Some(NameClass { kind, strength: Strength::Weak })
    }

    /// The same kind, but the value must look random.
    pub(super) fn weakened(self) -> NameClass {
        NameClass { strength: Strength::Weak, ..self }
    }
}

/// Classifies a name; `None` if its value is no secret. `turnkey`, `KEY_PREFIX` and `sort_key` say
/// nothing.
pub(super) fn classify(name: &[u8]) -> Option<NameClass> {
    let class = classify_unchecked(name);
    debug_assert!(class.is_none() || may_be_secret_name(name), "an ending is not known");
    class
}

/// [`classify`] without the check of the prefilter.
fn classify_unchecked(name: &[u8]) -> Option<NameClass> {
    if name == b"key" {
        // The most frequent name of those that may be secret.
        return key(b"", true);
    }
    let mut words = Words::of(name)?;
    let mut vague = false;
    while words.len() > 1 {
        let last = words.nth_last(0);
        if words::is_environment_word(last) || last[0].is_ascii_digit() {
            words.drop_last();
        } else if words::is_encoding_word(last) {
            vague = true;
            words.drop_last();
        } else {
            break;
        }
    }
    if words.len() > 1 && words::is_question_word(words.first()) {
        return None;
    }
    let class = classify_last_word(&words)?;
    Some(if vague && class.kind != "password" { class.weakened() } else { class })
}

/// How a function with a secret's name takes the secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ArgumentStyle {
    /// As its only argument: `.password("…")`.
    OnlyArgument,
    /// As its first argument: `setPassword("…", true)`.
    MoreArguments,
}

/// How a function of this name takes a secret; `None` if it returns one or does something else:
/// `getPassword("database")`, `hash_password("…")`.
pub(super) fn argument_style(name: &[u8]) -> Option<ArgumentStyle> {
    let own = name.rsplit(|&b| b == b'.').next().unwrap_or(name);
    let words = Words::of(own)?;
    let (first, last) = (words.first(), words.nth_last(0));
    if words.len() == 1 {
        let plain = [&b"password"[..], b"passwd", b"passphrase", b"token", b"secret", b"apikey"];
        return plain.contains(&last).then_some(ArgumentStyle::OnlyArgument);
    }
    match first {
        b"set" | b"with" | b"put" | b"add" | b"use" | b"update" => {
            Some(ArgumentStyle::MoreArguments)
        }
        b"client" | b"db" | b"user" | b"access" | b"api" | b"auth" | b"secret" | b"private"
        | b"bearer" | b"refresh" | b"bot" => Some(ArgumentStyle::OnlyArgument),
        _ => None,
    }
}

/// Classifies by the last word and the one before it.
fn classify_last_word(words: &Words<'_>) -> Option<NameClass> {
    let last = words.nth_last(0);
    let before = words.before(0);
    match last {
        b"password" | b"passwd" | b"passphrase" | b"passcode" | b"pwd" | b"passwort"
        | b"kennwort" | b"senha" | b"contrasena" | b"parola" | b"wachtwoord" | b"motdepasse"
        | b"salasana" | b"heslo" | b"haslo" | b"pword" | b"passwrd" | b"requirepass"
        | b"masterauth" | b"psw" | b"pswd" | b"pw" => password(before),
        b"pass" | b"passkey" => password(before),
        b"phrase" if before == b"pass" => password(words.before(1)),
        b"word" | b"code" | b"wd" if before == b"pass" => password(words.before(1)),
        b"passe" if before == b"de" => NameClass::strong("password"),
        b"passe" => NameClass::weak("password"),
        // A token that identifies a request of a client.
        b"token" if before == b"request" && words.before(1) == b"client" => None,
        // A token that identifies an assembly of .NET.
        b"token" if before == b"key" && words.before(1) == b"public" => None,
        b"token" => token(before),
        b"jwt" => NameClass::weak("token"),
        b"material" if before == b"key" => NameClass::strong("encryption-key"),
        b"pat" if words.len() > 1 => NameClass::weak("token"),
        b"bearer" => NameClass::strong("token"),
        b"secret" => secret(before),
        b"credential" | b"credentials" | b"cred" | b"creds" => credential(last, words),
        b"authorization" => NameClass::strong("authorization"),
        b"auth" => NameClass::weak("authorization"),
        b"key" => key(before, words.len() == 1),
        b"private" => NameClass::weak("private-key"),
        b"phpsessid" | b"jsessionid" => NameClass::strong("session"),
        b"session" | b"sessionid" | b"sessid" | b"sess" | b"sid" => NameClass::weak("session"),
        b"id" if matches!(before, b"session" | b"sess") => NameClass::weak("session"),
        b"cookie" => NameClass::weak("cookie"),
        b"signature" | b"sig" => NameClass::weak("signature"),
        b"csrf" | b"xsrf" => NameClass::weak("token"),
        b"psk" => NameClass::strong("password"),
        b"mnemonic" => NameClass::strong(MNEMONIC),
        // The word also means a key.
        b"clave" => NameClass::weak("password"),
        b"salt" | b"pepper" => NameClass::weak("secret"),
        b"dsn" => NameClass::weak("connection"),
        b"url" | b"uri" if matches!(before, b"database" | b"redis" | b"mongo" | b"mongodb") => {
            NameClass::weak("connection")
        }
        _ => words
            .classify_by_vendor()
            .or_else(|| classify_joined_word(last))
            .or_else(|| classify_foreign_word(last))
            .or_else(|| classify_first_word(words.first(), last)),
    }
}

/// Classifies a word that ends with a secret word without a boundary: `PGPASSWORD`, `APIKEY`.
fn classify_joined_word(word: &[u8]) -> Option<NameClass> {
    if let Some(front) = word.strip_suffix(b"pass").or_else(|| word.strip_suffix(b"pwd")) {
        return words::WORDS_BEFORE_PASS
            .contains(&front)
            .then_some(())
            .and_then(|()| NameClass::strong("password"));
    }
    for end in [&b"password"[..], b"passwd", b"passphrase", b"passwort", b"passcode"] {
        if let Some(front) = word.strip_suffix(end) {
            return password(front);
        }
    }
    if let Some(front) = word.strip_suffix(b"token") {
        return token(front);
    }
    if let Some(front) = word.strip_suffix(b"secret") {
        return secret(front);
    }
    let front = word.strip_suffix(b"key")?;
    match key(front, false)? {
        class if class.strength == Strength::Strong => Some(class),
        _ => None,
    }
}

/// True if a value is only the word for a password in a language other than English, as a label
/// shows it. (`password` itself may be a password.)
pub(super) fn is_password_word(value: &[u8]) -> bool {
    /// Longer than any word of the list.
    const LONGEST: usize = 40;
    let label = value.trim_ascii_end().strip_suffix(b":").unwrap_or(value);
    let Some(label) = std::str::from_utf8(label).ok().filter(|label| label.len() <= LONGEST) else {
        return false;
    };
    let folded = || label.chars().flat_map(char::to_lowercase);
    words::PASSWORD_LABELS.iter().any(|word| folded().eq(word.chars()))
}

/// Classifies by the first word, as in Spanish and Portuguese: `senha_banco`.
fn classify_first_word(word: &[u8], last: &[u8]) -> Option<NameClass> {
    let other = matches!(
        last,
        b"publica" | b"primaria" | b"foranea" | b"unica" | b"hash" | b"id" | b"invalida"
    );
    (words::FIRST_WORDS.contains(&word) && !other).then_some(())?;
    NameClass::strong("password")
}

/// Classifies words for a password that are not written in ASCII.
fn classify_foreign_word(word: &[u8]) -> Option<NameClass> {
    words::FOREIGN_PASSWORD_WORDS
        .iter()
        .any(|known| known.as_bytes() == word)
        .then_some(())
        .and_then(|()| NameClass::strong("password"))
}

/// Classifies a word for a password, by the word before it.
fn password(before: &[u8]) -> Option<NameClass> {
    match before {
        b"reset" | b"change" | b"hashed" | b"encrypted" | b"by" | b"crypt" | b"com" | b"en" => None,
        _ => NameClass::strong("password"),
    }
}

/// Classifies `token`, by the word before it. Tokens of parsers, pages and models are no secrets.
fn token(before: &[u8]) -> Option<NameClass> {
    match before {
        b"stop" | b"pad" | b"bos" | b"eos" | b"unk" | b"sep" | b"cls" | b"mask" | b"special"
        | b"page" | b"next" | b"continuation" | b"continue" | b"start" | b"end" | b"first"
        | b"last" | b"peek" | b"parse" | b"lex" | b"lexer" | b"close" | b"open" | b"eof"
        | b"sync" | b"idempotency" | b"cancel" | b"cancellation" | b"design" | b"color"
        | b"per" | b"keyword" | b"punctuation" | b"operator" | b"comment" | b"image"
        | b"paging" | b"pagination" | b"begin" | b"separator" | b"whitespace" | b"placeholder"
        | b"syntax" | b"added" | b"vocab" | b"nextpage" | b"of" | b"cursor" | b"lock"
        | b"change" | b"action" | b"creation" | b"update" | b"starting" | b"forward"
        | b"backward" => None,
        b"current" | b"prev" | b"previous" => NameClass::weak("token"),
        _ => NameClass::strong("token"),
    }
}

/// Classifies `secret`, by the word before it.
fn secret(before: &[u8]) -> Option<NameClass> {
    match before {
        b"pull" | b"tls" | b"image" | b"top" | b"k8s" | b"kubernetes" => None,
        _ => NameClass::strong("secret"),
    }
}

/// `credentials` alone is as often the name of a group of settings as of a value, so the value must look
/// random.
fn credential(last: &[u8], words: &Words<'_>) -> Option<NameClass> {
    if last == b"credential" || words.len() > 1 {
        NameClass::strong("credential")
    } else {
        NameClass::weak("credential")
    }
}

/// Classifies `key`, by the word before it.
fn key(before: &[u8], alone: bool) -> Option<NameClass> {
    match before {
        b"api" => NameClass::strong("api-key"),
        b"access" | b"account" | b"storage" => NameClass::strong("access-key"),
        b"private" | b"priv" | b"ssh" => NameClass::strong("private-key"),
        b"secret" => NameClass::strong("secret"),
        b"encryption" | b"encrypt" | b"crypto" | b"decryption" | b"cipher" | b"aes" => {
            NameClass::strong("encryption-key")
        }
        b"signing" | b"sign" | b"hmac" | b"signature" | b"jwt" => NameClass::strong("signing-key"),
        b"auth" | b"master" | b"shared" | b"presharedkey" | b"license" | b"licence"
        | b"service" | b"consumer" | b"webhook" | b"subscription" | b"preshared" | b"bot"
        | b"deploy" | b"app" | b"application" | b"restricted" => NameClass::strong("api-key"),
        _ if alone => NameClass::weak("key"),
        _ if non_secret_keys::is_ordinary(before) => None,
        _ => NameClass::weak("key"),
    }
}
