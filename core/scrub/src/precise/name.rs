//! Which names say that their value is a secret.
//!
//! A name is split into words, what says only where or in what form it is used (`_PROD`, `_2`,
//! `_value`) is dropped, and the last word that is left decides, together with the one before.

use words::Words;

mod ending;
mod ordinary;
mod words;

pub(super) use ending::may_tell;
pub(super) use words::MAX_NAME;

#[cfg(test)]
mod tests;

/// The kind of the words from which the keys of a wallet are made.
pub(super) const MNEMONIC: &str = "mnemonic";

/// How much a name says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Strength {
    /// `session`, `key`, `auth`: the value must look random.
    Weak,
    /// `password`, `api_key`, `client_secret`: any literal is a secret.
    Strong,
}

/// What a name tells of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Telling {
    /// The kind that a secret under this name has: `password`, `api-key`, `token`…
    pub kind: &'static str,
    pub strength: Strength,
}

impl Telling {
    fn strong(kind: &'static str) -> Option<Telling> {
        Some(Telling { kind, strength: Strength::Strong })
    }

    fn weak(kind: &'static str) -> Option<Telling> {
        Some(Telling { kind, strength: Strength::Weak })
    }

    /// The same, with a value that must look random.
    pub(super) fn weakened(self) -> Telling {
        Telling { strength: Strength::Weak, ..self }
    }
}

/// What the last word of an identifier tells: `DB_PASSWORD`, `dbPassword`, `db-password` and
/// `spring.datasource.password` end with `password`, `turnkey`, `KEY_PREFIX` and `sort_key` tell
/// nothing.
pub(super) fn telling(name: &[u8]) -> Option<Telling> {
    let told = told(name);
    debug_assert!(told.is_none() || may_tell(name), "an ending is not known");
    told
}

fn told(name: &[u8]) -> Option<Telling> {
    if name == b"key" {
        // As most names are that may tell something.
        return key(b"", true);
    }
    let mut words = Words::of(name)?;
    let mut vague = false;
    while words.len() > 1 {
        let last = words.nth_last(0);
        if is_place(last) || last[0].is_ascii_digit() {
            words.drop_last();
        } else if is_wrapping(last) {
            vague = true;
            words.drop_last();
        } else {
            break;
        }
    }
    if words.len() > 1 && asks(words.first()) {
        return None;
    }
    let told = by_words(&words)?;
    Some(if vague && told.kind != "password" { told.weakened() } else { told })
}

/// How a function of a telling name takes a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    /// As its one argument: `.password("…")`.
    Alone,
    /// More may follow: `setPassword("…", true)`.
    More,
}

/// How a function of this name takes a secret; `None` if it brings one, or does something else:
/// `getPassword("database")`, `hash_password("…")`.
pub(super) fn takes(name: &[u8]) -> Option<Takes> {
    let own = name.rsplit(|&b| b == b'.').next().unwrap_or(name);
    let words = Words::of(own)?;
    let (first, last) = (words.first(), words.nth_last(0));
    if words.len() == 1 {
        let plain = [&b"password"[..], b"passwd", b"passphrase", b"token", b"secret", b"apikey"];
        return plain.contains(&last).then_some(Takes::Alone);
    }
    match first {
        b"set" | b"with" | b"put" | b"add" | b"use" | b"update" => Some(Takes::More),
        b"client" | b"db" | b"user" | b"access" | b"api" | b"auth" | b"secret" | b"private"
        | b"bearer" | b"refresh" | b"bot" => Some(Takes::Alone),
        _ => None,
    }
}

/// What says only for which place or time a name is meant.
fn is_place(word: &[u8]) -> bool {
    matches!(
        word,
        b"prod"
            | b"production"
            | b"prd"
            | b"dev"
            | b"devel"
            | b"development"
            | b"stage"
            | b"staging"
            | b"stg"
            | b"test"
            | b"testing"
            | b"qa"
            | b"uat"
            | b"local"
            | b"live"
            | b"sandbox"
            | b"ci"
            | b"old"
            | b"new"
            | b"prev"
            | b"previous"
            | b"current"
            | b"backup"
            | b"bak"
            | b"default"
            | b"v"
            | b"primary"
            | b"secondary"
            | b"tmp"
            | b"temp"
            | b"main"
            | b"global"
            | b"internal"
            | b"external"
            | b"ro"
            | b"rw"
            | b"us"
            | b"eu"
            | b"confirm"
            | b"confirmation"
            | b"repeat"
            | b"again"
            | b"here"
            | b"env"
            | b"admin"
            | b"root"
            | b"master"
    )
}

/// What says only in what form the value is kept.
fn is_wrapping(word: &[u8]) -> bool {
    matches!(
        word,
        b"value"
            | b"val"
            | b"str"
            | b"string"
            | b"text"
            | b"txt"
            | b"plain"
            | b"plaintext"
            | b"raw"
            | b"base"
            | b"b"
            | b"base64"
            | b"hex"
            | b"encoded"
            | b"literal"
            | b"stdin"
    )
}

/// A first word that makes a question or a setting of what follows: `has_token`,
/// `require_password`, `max_token`.
fn asks(word: &[u8]) -> bool {
    matches!(
        word,
        b"is"
            | b"has"
            | b"had"
            | b"needs"
            | b"need"
            | b"require"
            | b"requires"
            | b"required"
            | b"use"
            | b"uses"
            | b"show"
            | b"hide"
            | b"allow"
            | b"enable"
            | b"enabled"
            | b"disable"
            | b"no"
            | b"without"
            | b"missing"
            | b"invalid"
            | b"expired"
            | b"wrong"
            | b"empty"
            | b"max"
            | b"min"
            | b"num"
            | b"forgot"
            | b"should"
            | b"can"
            | b"expect"
            | b"existing"
            | b"unexpected"
    )
}

fn by_words(words: &Words<'_>) -> Option<Telling> {
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
        b"passe" if before == b"de" => Telling::strong("password"),
        b"passe" => Telling::weak("password"),
        // What tells one request of a client from another.
        b"token" if before == b"request" && words.before(1) == b"client" => None,
        // What tells one assembly of .NET from another.
        b"token" if before == b"key" && words.before(1) == b"public" => None,
        b"token" => token(before),
        b"jwt" => Telling::weak("token"),
        b"material" if before == b"key" => Telling::strong("encryption-key"),
        b"pat" if words.len() > 1 => Telling::weak("token"),
        b"bearer" => Telling::strong("token"),
        b"secret" => secret(before),
        b"credential" | b"credentials" | b"cred" | b"creds" => credential(last, words),
        b"authorization" => Telling::strong("authorization"),
        b"auth" => Telling::weak("authorization"),
        b"key" => key(before, words.len() == 1),
        b"private" => Telling::weak("private-key"),
        b"phpsessid" | b"jsessionid" => Telling::strong("session"),
        b"session" | b"sessionid" | b"sessid" | b"sess" | b"sid" => Telling::weak("session"),
        b"id" if matches!(before, b"session" | b"sess") => Telling::weak("session"),
        b"cookie" => Telling::weak("cookie"),
        b"signature" | b"sig" => Telling::weak("signature"),
        b"csrf" | b"xsrf" => Telling::weak("token"),
        b"psk" => Telling::strong("password"),
        b"mnemonic" => Telling::strong(MNEMONIC),
        // A key as well.
        b"clave" => Telling::weak("password"),
        b"salt" | b"pepper" => Telling::weak("secret"),
        b"dsn" => Telling::weak("connection"),
        b"url" | b"uri" if matches!(before, b"database" | b"redis" | b"mongo" | b"mongodb") => {
            Telling::weak("connection")
        }
        _ => words
            .vendor()
            .or_else(|| glued(last))
            .or_else(|| foreign(last))
            .or_else(|| leading(words.first(), last)),
    }
}

/// A word that ends with a telling one, written without a boundary: `PGPASSWORD`, `APIKEY`.
fn glued(word: &[u8]) -> Option<Telling> {
    const PASS: &[&[u8]] = &[
        b"db",
        b"user",
        b"usr",
        b"sudo",
        b"root",
        b"admin",
        b"mysql",
        b"pg",
        b"smtp",
        b"mail",
        b"ftp",
        b"my",
        b"login",
        b"ssh",
        b"key",
        b"store",
        b"ldap",
        b"proxy",
        b"http",
        b"wifi",
        b"vnc",
        b"bind",
        b"imap",
        b"redis",
        b"srcstore",
        b"deststore",
        b"srckey",
        b"destkey",
    ];
    if let Some(front) = word.strip_suffix(b"pass").or_else(|| word.strip_suffix(b"pwd")) {
        return PASS.contains(&front).then_some(()).and_then(|()| Telling::strong("password"));
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
        told if told.strength == Strength::Strong => Some(told),
        _ => None,
    }
}

/// True if a value is but the word for a password, in a language other than English: what a
/// label says. (`password` itself is one that is taken.)
pub(super) fn says_password(value: &[u8]) -> bool {
    const WORDS: &[&str] = &[
        "passwort",
        "kennwort",
        "contraseña",
        "contrasena",
        "contrasenya",
        "senha",
        "palavra-passe",
        "mot de passe",
        "hasło",
        "haslo",
        "heslo",
        "geslo",
        "lozinka",
        "lösenord",
        "passord",
        "adgangskode",
        "kodeord",
        "salasana",
        "wachtwoord",
        "parola",
        "parole",
        "parool",
        "şifre",
        "sifre",
        "jelszó",
        "slaptažodis",
        "пароль",
        "парола",
        "лозинка",
        "密码",
        "密碼",
        "パスワード",
        "비밀번호",
        "mật khẩu",
        "kata sandi",
        "sandi",
        "รหัสผ่าน",
        "كلمة المرور",
        "סיסמה",
        "κωδικός",
        "κωδικός πρόσβασης",
        "पासवर्ड",
    ];
    const LONGEST: usize = 40;
    let label = value.trim_ascii_end().strip_suffix(b":").unwrap_or(value);
    let Some(label) = std::str::from_utf8(label).ok().filter(|label| label.len() <= LONGEST) else {
        return false;
    };
    let folded = || label.chars().flat_map(char::to_lowercase);
    WORDS.iter().any(|word| folded().eq(word.chars()))
}

/// A noun that stands before what it is for, as in Spanish and Portuguese: `senha_banco`.
fn leading(word: &[u8], last: &[u8]) -> Option<Telling> {
    let other = matches!(
        last,
        b"publica" | b"primaria" | b"foranea" | b"unica" | b"hash" | b"id" | b"invalida"
    );
    (ending::LEADING.contains(&word) && !other).then_some(())?;
    Telling::strong("password")
}

fn foreign(word: &[u8]) -> Option<Telling> {
    const WORDS: &[&str] = &[
        "contraseña",
        "hasło",
        "lösenord",
        "jelszó",
        "пароль",
        "Пароль",
        "ПАРОЛЬ",
        "密码",
        "密碼",
        "口令",
        "パスワード",
        "비밀번호",
        "şifre",
        "adgangskode",
        "kodeord",
        "mật_khẩu",
    ];
    WORDS
        .iter()
        .any(|known| known.as_bytes() == word)
        .then_some(())
        .and_then(|()| Telling::strong("password"))
}

fn password(before: &[u8]) -> Option<Telling> {
    match before {
        b"reset" | b"change" | b"hashed" | b"encrypted" | b"by" | b"crypt" | b"com" | b"en" => None,
        _ => Telling::strong("password"),
    }
}

fn token(before: &[u8]) -> Option<Telling> {
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
        b"current" | b"prev" | b"previous" => Telling::weak("token"),
        _ => Telling::strong("token"),
    }
}

fn secret(before: &[u8]) -> Option<Telling> {
    match before {
        b"pull" | b"tls" | b"image" | b"top" | b"k8s" | b"kubernetes" => None,
        _ => Telling::strong("secret"),
    }
}

/// `credentials` alone is as often the name of a thing as a value: it must look random.
fn credential(last: &[u8], words: &Words<'_>) -> Option<Telling> {
    if last == b"credential" || words.len() > 1 {
        Telling::strong("credential")
    } else {
        Telling::weak("credential")
    }
}

fn key(before: &[u8], alone: bool) -> Option<Telling> {
    match before {
        b"api" => Telling::strong("api-key"),
        b"access" | b"account" | b"storage" => Telling::strong("access-key"),
        b"private" | b"priv" | b"ssh" => Telling::strong("private-key"),
        b"secret" => Telling::strong("secret"),
        b"encryption" | b"encrypt" | b"crypto" | b"decryption" | b"cipher" | b"aes" => {
            Telling::strong("encryption-key")
        }
        b"signing" | b"sign" | b"hmac" | b"signature" | b"jwt" => Telling::strong("signing-key"),
        b"auth" | b"master" | b"shared" | b"presharedkey" | b"license" | b"licence"
        | b"service" | b"consumer" | b"webhook" | b"subscription" | b"preshared" | b"bot"
        | b"deploy" | b"app" | b"application" | b"restricted" => Telling::strong("api-key"),
        _ if alone => Telling::weak("key"),
        _ if ordinary::is_ordinary(before) => None,
        _ => Telling::weak("key"),
    }
}
