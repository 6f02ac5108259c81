//! Abstract values of the shell: what is known of a text before anything runs.
//!
//! A word like `rm -rf "$DIR/x"` is not a text yet. A [`Value`] says how much of it is certain: all
//! of it, one of several texts, a beginning, or nothing. An [`Origin`] says where the unknown rest
//! comes from, because that decides how dangerous it is: a number cannot become an option, what a
//! program printed can.
//!
//! Two operations carry the analysis. [`Value::then`] concatenates, and [`Value::or`] joins what
//! two branches leave behind. Both lose precision rather than be wrong: a value never claims more
//! than what holds on every path.
//!
//! # Example
//!
//! What is known of the words of a command, where `DIR` was never set and `ls` runs in the text:
//!
//! ```text
//! x=src; rm "$x/a"        Known("src/a")
//! rm "$DIR/a"             Unknown(Environment("DIR")): a prefix is never empty
//! rm "build-$DIR"         Prefix("build-", Environment("DIR"))
//! rm "$(ls)"              Unknown(Output([0])): what invocation 0 printed
//! if …; then x=a; else x=b; fi; rm "$x"      OneOf(["a", "b"])
//! ```
//!
//! A value that would hold more than [`Value::MOST`] texts becomes unknown with the origin of what was
//! joined. Of a text longer than [`Value::LONGEST`] only the beginning is known.

/// What is known of the value of a word or a variable.
///
/// The variants are ordered by how much is known. A value never claims more than what holds on
/// every path through the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// It is exactly this text.
    Known(String),
    /// It is one of these texts: at least two, at most [`Value::MOST`], each once.
    OneOf(Vec<String>),
    /// It begins with this text, and how it goes on is unknown. The text is never empty.
    Prefix(String, Origin),
    /// Nothing is known but its origin.
    Unknown(Origin),
}

/// Where an unknown value comes from. The origin decides how dangerous it is: a number cannot be an
/// option.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Origin {
    /// A variable of the environment with this name, which the script did not set.
    Environment(String),
    /// A variable of the environment, or this text where it is not set: `${name:-text}`.
    EnvironmentOr(String, String),
    /// The output of programs, by their numbers in the list of all invocations.
    Output(Vec<usize>),
    /// Names of files that match a pattern, which stands here as it is written.
    Glob(String),
    /// An argument of the script or of a function.
    Argument,
    /// Text that was read from the caller's standard input, or from a file.
    Input,
    /// The result of arithmetic, or another number of the shell.
    Number,
    /// A name that a program picks by itself within a folder: a match of `find`, a temporary file.
    Picked,
    /// Anything else: a random value, a variable that a loop changes, too many values.
    Other,
}

impl Value {
    /// The most texts that are kept apart. A script with more branches than this seldom differs in
    /// what matters.
    pub const MOST: usize = 16;

    /// A known value.
    pub fn known(text: impl Into<String>) -> Value {
        Value::Known(text.into())
    }

    /// The text, if it is known exactly.
    pub fn as_known(&self) -> Option<&str> {
        match self {
            Value::Known(text) => Some(text),
            _ => None,
        }
    }

    /// Every text that it may be, if all of them are known.
    pub fn possible(&self) -> Option<&[String]> {
        match self {
            Value::Known(text) => Some(std::slice::from_ref(text)),
            Value::OneOf(texts) => Some(texts),
            Value::Prefix(..) | Value::Unknown(_) => None,
        }
    }

    /// The text that it certainly begins with. Empty if nothing is known.
    pub fn prefix(&self) -> &str {
        match self {
            Value::Known(text) | Value::Prefix(text, _) => text,
            Value::OneOf(_) | Value::Unknown(_) => "",
        }
    }

    /// Either of two values: what a shell has behind two branches.
    #[must_use]
    pub fn or(self, other: Value) -> Value {
        if self == other {
            return self;
        }
        match (self.possible(), other.possible()) {
            (Some(these), Some(those)) => Value::one_of(these.iter().chain(those).cloned()),
            _ => Value::Unknown(Origin::joined(self.origin(), other.origin())),
        }
    }

    /// Where it comes from, if it is not known in full.
    pub fn origin(&self) -> Option<&Origin> {
        match self {
            Value::Prefix(_, origin) | Value::Unknown(origin) => Some(origin),
            Value::Known(_) | Value::OneOf(_) => None,
        }
    }

    /// The numbers of the invocations whose output it holds.
    pub fn outputs(&self) -> &[usize] {
        match self.origin() {
            Some(Origin::Output(numbers)) => numbers,
            _ => &[],
        }
    }

    /// One of some known texts; unknown if there are none or too many.
    pub fn one_of(values: impl IntoIterator<Item = String>) -> Value {
        let mut all: Vec<String> = Vec::new();
        for value in values {
            if !all.contains(&value) {
                all.push(value);
            }
            if all.len() > Value::MOST {
                return Value::Unknown(Origin::Other);
            }
        }
        match all.len() {
            0 => Value::Unknown(Origin::Other),
            1 => Value::Known(all.remove(0)),
            _ => Value::OneOf(all),
        }
    }

    /// The most bytes of a text that is kept: as long as the longest text that is analysed. A text
    /// may double itself with each command.
    pub const LONGEST: usize = crate::precheck::LONGEST;

    /// How many bytes of text it holds, for the accounting of fuel.
    pub fn weight(&self) -> usize {
        match self {
            Value::Known(text) | Value::Prefix(text, _) => text.len(),
            Value::OneOf(texts) => texts.iter().map(String::len).sum(),
            Value::Unknown(_) => 0,
        }
    }

    /// This value with another one behind it. If the result would be longer than
    /// [`Value::LONGEST`], only its beginning is known.
    #[must_use]
    pub fn then(self, next: Value) -> Value {
        match (self, next) {
            (Value::Known(first), Value::Known(next) | Value::Prefix(next, _))
                if !first.is_empty() && first.len() + next.len() > Value::LONGEST =>
            {
                Value::Prefix(first, Origin::Other)
            }
            (Value::Known(first), Value::Known(next)) => Value::Known(first + &next),
            (Value::Known(first), next) if first.is_empty() => next,
            (first, Value::Known(next)) if next.is_empty() => first,
            (Value::Known(first), Value::Prefix(next, origin)) => {
                Value::Prefix(first + &next, origin)
            }
            (Value::Known(first), Value::Unknown(origin)) => Value::Prefix(first, origin),
            // What climbs again leaves nothing sure of where it is.
            (Value::Prefix(text, origin), Value::Known(next))
                if next.contains("..") && !matches!(origin, Origin::Output(_)) =>
            {
                Value::Prefix(text, Origin::Other)
            }
            (first, next) => match (first.possible(), next.possible()) {
                (Some(firsts), Some(nexts)) => {
                    let longest = |texts: &[String]| texts.iter().map(String::len).max();
                    if longest(firsts)
                        > longest(nexts).map(|next| Value::LONGEST.saturating_sub(next))
                    {
                        return Value::Unknown(Origin::Other);
                    }
                    Value::one_of(
                        firsts.iter().flat_map(|a| nexts.iter().map(move |b| format!("{a}{b}"))),
                    )
                }
                _ => {
                    let mut origin = Origin::joined(first.origin(), next.origin());
                    if origin.is_plain() && !(first.is_plain(true) && next.is_plain(false)) {
                        origin = Origin::Other;
                    }
                    match first {
                        Value::Prefix(text, _) => Value::Prefix(text, origin),
                        _ => Value::Unknown(origin),
                    }
                }
            },
        }
    }

    /// True if what is known of it may be a part of a single name, or of the path that `begins` with it
    /// or goes on in it.
    fn is_plain(&self, begins: bool) -> bool {
        let is_plain = |text: &str| !text.contains(char::is_whitespace) && !text.contains("..");
        match self {
            Value::Known(text) | Value::Prefix(text, _) => is_plain(text),
            // What they begin with is forgotten.
            Value::OneOf(texts) => {
                texts.iter().all(|text| is_plain(text) && !(begins && text.contains('/')))
            }
            Value::Unknown(_) => true,
        }
    }

    /// The value with a change applied to every possible text. An unknown value stays unknown, with
    /// the same origin.
    #[must_use]
    pub fn map(&self, change: impl Fn(&str) -> String) -> Value {
        match self {
            Value::Known(text) => Value::Known(change(text)),
            Value::OneOf(texts) => Value::one_of(texts.iter().map(|text| change(text))),
            Value::Prefix(_, origin) | Value::Unknown(origin) => Value::Unknown(origin.clone()),
        }
    }
}

/// True for the name of a variable that holds a secret, as far as its name says.
#[must_use]
pub fn names_a_secret(name: &str) -> bool {
    /// Words in names of variables that hold secrets.
    const WORDS: &[&str] = &[
        "TOKEN", "SECRET", "SECRETS", "PASSWORD", "PASSWD", "PASSPHRASE", "PASS", "PWD", "KEY",
        "KEYS", "APIKEY", "CREDENTIAL", "CREDENTIALS", "DSN", "AUTH", "COOKIE", "PAT", "PRIVATE",
    ];
    /// Names with such a word that hold none.
    const PLAIN: &[&str] = &["PWD", "OLDPWD", "SSH_AUTH_SOCK", "PUBLIC_KEY", "KEY", "PASS", "AUTH"];
    let name = name.to_ascii_uppercase();
    !PLAIN.contains(&&*name)
        && !name.contains("PUBLIC")
        && (name.split('_').any(|word| WORDS.contains(&word))
            || ["DATABASE_URL", "REDIS_URL", "MONGO_URL", "MONGODB_URI", "WEBHOOK_URL"]
                .iter()
                .any(|end| name.ends_with(end)))
}

impl Origin {
    /// True for what is a name, as far as it is unknown: it has no slash, or is found in one place.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        match self {
            Origin::Number | Origin::Picked | Origin::Glob(_) => true,
            Origin::Output(numbers) => numbers.is_empty(),
            _ => false,
        }
    }

    /// The origin of what is made of two values. What programs wrote is never forgotten, since a
    /// secret may be in it.
    pub fn joined(one: Option<&Origin>, other: Option<&Origin>) -> Origin {
        match (one, other) {
            // What surely has no slash says nothing of what has one.
            (Some(plain), Some(origin)) | (Some(origin), Some(plain))
                if plain.is_plain() && !origin.is_plain() =>
            {
                origin.clone()
            }
            (Some(Origin::Output(these)), Some(Origin::Output(those))) => {
                let mut all = these.clone();
                all.extend(those.iter().filter(|number| !these.contains(number)));
                Origin::Output(all)
            }
            (Some(outputs @ Origin::Output(_)), _) | (_, Some(outputs @ Origin::Output(_))) => {
                outputs.clone()
            }
            (_, Some(secret @ Origin::Environment(name))) if names_a_secret(name) => secret.clone(),
            (Some(Origin::Other), Some(origin)) | (Some(origin), _) | (None, Some(origin)) => {
                origin.clone()
            }
            (None, None) => Origin::Other,
        }
    }
}
