//! The sweep: which places of a text deserve a look, and by whom.
//!
//! It may name too many places but never too few. A place is named from the bytes around it alone,
//! so pieces of a text have the same sights as the whole.

use super::super::simd::{ByteSet, Class, Gram, Grams, Level, Nest};
use super::kinds::{JWT_OPENINGS, Kinds, eight, is_plain_byte, is_token};
use super::link;

mod batch;
mod deal;
mod held;
mod places;
mod runs;
mod sweep;

#[cfg(test)]
mod tests;

pub(super) use sweep::Sweep;

/// Who looks at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sort {
    /// The first letter or digit of a run of at least [`RUN`] token bytes (`A-Z a-z 0-9 _ - .`)
    /// that begins as a known kind does, or what follows an escape sequence that such a run seems
    /// to begin with, as in `\nghp_…`; and the first of at least [`DIGITS`] hexadecimal digits
    /// inside of a token, where a key [may stand](super::hex::may_stand), and of those that are no
    /// plain run.
    Run,
    /// The first letter of a word with which secrets are named: `password`, `token`, `key`…
    Name,
    /// The first byte of `://`, `:\/\/`, `@//`, `@tcp(` and `@unix(`.
    Link,
    /// The first letter of a parameter of a signed link: `X-Amz-Signature`, `sig=`.
    Parameter,
    /// The first letter of `Bearer`, `Basic` and the like.
    Scheme,
    /// The first letter of what may be a JWT: `{"` in base64.
    Jwt,
    /// The first byte of a password hash: `$2b$`, `{SSHA}`.
    Crypt,
    /// The `:5432:` of a line of PostgreSQL's password file.
    Pgpass,
    /// The `kind: Secret` of a Kubernetes manifest.
    Manifest,
    /// The `"kty"` of a JSON web key.
    Jwk,
    /// The first `-` of `-----BEGIN`.
    Block,
    /// The parenthesis that closes the columns of a statement that fills a table.
    Rows,
}

/// A place that deserves a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sight {
    pub at: usize,
    pub sort: Sort,
    /// Who looks if the first finds nothing: a run may begin with a word, as in `secret_…`.
    pub then: Option<Sort>,
}

/// The shortest run that is a sight.
pub(super) const RUN: usize = 12;
/// The fewest hexadecimal digits that may be a sight by themselves.
const DIGITS: u32 = 64;

/// The words, in lower case; they are found in any case. Of two that start at one place the
/// longer counts. What is sought of a word has at least three bytes. One where from there on 64
/// token bytes follow each other is no sight, as no name is that long.
const WORDS: &[(&str, Sort)] = &[
    ("://", Sort::Link),
    (":\\/\\/", Sort::Link),
    ("@//", Sort::Link),
    ("@tcp(", Sort::Link),
    ("@unix(", Sort::Link),
    ("x-amz-s", Sort::Parameter),
    ("x-goog-s", Sort::Parameter),
    ("x-oss-s", Sort::Parameter),
    ("x-tos-s", Sort::Parameter),
    ("x-obs-s", Sort::Parameter),
    ("q-signature", Sort::Parameter),
    ("signature=", Sort::Parameter),
    ("sig=", Sort::Parameter),
    ("?code=", Sort::Parameter),
    ("&code=", Sort::Parameter),
    ("-----begin", Sort::Block),
    ("---- begin", Sort::Block),
    ("private-lines:", Sort::Block),
    ("bearer", Sort::Scheme),
    ("basic", Sort::Scheme),
    ("response=\"", Sort::Scheme),
    ("response=\\\"", Sort::Scheme),
    ("\"auth\"", Sort::Scheme),
    ("\"auth\\\"", Sort::Scheme),
    ("eyj", Sort::Jwt),
    ("eyai", Sort::Jwt),
    ("ewog", Sort::Jwt),
    ("\"kty\"", Sort::Jwk),
    ("$2a$", Sort::Crypt),
    ("$2b$", Sort::Crypt),
    ("$2y$", Sort::Crypt),
    ("$1$", Sort::Crypt),
    ("$5$", Sort::Crypt),
    ("$6$", Sort::Crypt),
    ("$y$", Sort::Crypt),
    ("$7$", Sort::Crypt),
    ("$apr1$", Sort::Crypt),
    ("$argon2", Sort::Crypt),
    ("$scrypt$", Sort::Crypt),
    ("$pbkdf2", Sort::Crypt),
    ("pbkdf2_sha", Sort::Crypt),
    ("{ssha", Sort::Crypt),
    (":5432:", Sort::Pgpass),
    ("kind: secret", Sort::Manifest),
    ("\"kind\": \"secret\"", Sort::Manifest),
    ("\"kind\":\"secret\"", Sort::Manifest),
    (") values", Sort::Rows),
    (")\nvalues", Sort::Rows),
    (") from stdin", Sort::Rows),
    ("passw", Sort::Name),
    ("passp", Sort::Name),
    ("passc", Sort::Name),
    ("pass", Sort::Name),
    ("pwd", Sort::Name),
    ("_pat=", Sort::Name),
    ("_pat =", Sort::Name),
    ("_pat:", Sort::Name),
    ("_pat\"", Sort::Name),
    ("pw=", Sort::Name),
    ("pw =", Sort::Name),
    (".sid=", Sort::Name),
    ("pw: ", Sort::Name),
    ("pw\":", Sort::Name),
    ("secret", Sort::Name),
    ("token", Sort::Name),
    ("key", Sort::Name),
    ("credential", Sort::Name),
    ("auth", Sort::Name),
    ("private", Sort::Name),
    ("cookie", Sort::Name),
    ("signature", Sort::Name),
    ("sig", Sort::Name),
    ("sess", Sort::Name),
    ("csrf", Sort::Name),
    ("psk", Sort::Name),
    ("jwt", Sort::Name),
    ("salt", Sort::Name),
    ("senha", Sort::Name),
    ("trase", Sort::Name),
    ("kennwort", Sort::Name),
    ("wachtwoord", Sort::Name),
    ("heslo", Sort::Name),
    ("parola", Sort::Name),
    ("salasana", Sort::Name),
    ("adgangskode", Sort::Name),
    ("sło", Sort::Name),
    ("löse", Sort::Name),
    ("lszó", Sort::Name),
    ("şifr", Sort::Name),
    ("парол", Sort::Name),
    ("Парол", Sort::Name),
    ("密码", Sort::Name),
    ("密碼", Sort::Name),
    ("パスワード", Sort::Name),
    ("비밀번호", Sort::Name),
    // The flags with which clients take passwords, and the marks of Oracle's log-ins.
    (" -p", Sort::Name),
    (" -u ", Sort::Name),
    (" -a ", Sort::Name),
    (" -w ", Sort::Name),
    ("--user", Sort::Name),
    ("--proxy-user", Sort::Name),
    (":thin:", Sort::Name),
    ("sqlplus ", Sort::Name),
    ("identified by", Sort::Name),
    ("net user ", Sort::Name),
    ("htpasswd ", Sort::Name),
    ("chpasswd", Sort::Name),
    ("snmp", Sort::Name),
    ("rocommunity ", Sort::Name),
    ("rwcommunity ", Sort::Name),
    ("to-securestring", Sort::Name),
    // Functions that take a password without its name.
    ("_connect(", Sort::Name),
    ("new pdo(", Sort::Name),
    ("getconnection(", Sort::Name),
    ("networkcredential(", Sort::Name),
    (".login(", Sort::Name),
    ("jwt.sign(", Sort::Name),
    ("jwt.encode(", Sort::Name),
    ("new mysqli(", Sort::Name),
    ("plainauth(", Sort::Name),
    // More commands, and words of other languages.
    ("net use ", Sort::Name),
    ("rabbitmqctl ", Sort::Name),
    ("cryptsetup ", Sort::Name),
    ("sudo -s ", Sort::Name),
    ("clave", Sort::Name),
    ("haslo", Sort::Name),
    ("mnemonic", Sort::Name),
    // The name of a session's cookie, and commands that take a token or a log-in.
    ("sid=", Sort::Name),
    ("curl ", Sort::Name),
    ("vault login ", Sort::Name),
    ("vault unwrap ", Sort::Name),
    ("operator unseal ", Sort::Name),
    ("cargo login ", Sort::Name),
    ("wandb login ", Sort::Name),
    ("snyk auth ", Sort::Name),
    ("--auth", Sort::Name),
];

/// Words with which much begins that is none: they are sought by what stands so far behind their
/// start. No other sight may begin in between, as it would come first. So no run may: what is
/// sought, or what follows it, holds a byte that ends one.
const LATE: &[(&str, usize)] = &[
    ("response=\"", 5),
    ("response=\\\"", 5),
    ("kind: secret", 3),
    ("\"kind\": \"secret\"", 8),
    ("\"kind\":\"secret\"", 6),
    ("_pat=", 1),
    ("_pat =", 1),
    ("_pat:", 1),
    ("_pat\"", 1),
    (":thin:", 2),
    ("identified by", 7),
    ("_connect(", 5),
    ("new pdo(", 4),
    ("networkcredential(", 6),
    ("new mysqli(", 6),
    ("plainauth(", 4),
    ("cryptsetup ", 5),
];

/// The bits of the hash that finds the words; there are fewer than 256 of them.
const LIST_BITS: u32 = 11;
const LISTS: usize = 1 << LIST_BITS;
const _: () = assert!(WORDS.len() < 256);

/// The bits of the bitmap of first bytes: about one per cent of them are set.
const HEAD_BITS: u32 = 16;

/// A word, made to be compared eight bytes at once.
#[derive(Clone, Copy)]
struct Word {
    sort: Sort,
    /// How many bytes stand before what is sought: for a word of [`LATE`] what is said there. Of
    /// others a row of equal bytes is left out but for its last, so that a long line of them is no
    /// row of places to look at.
    lead: usize,
    /// What is sought, up to eight bytes of it, and which bits of the text count and are set to
    /// lower case before the comparison.
    sought: u64,
    counts: u64,
    lowers: u64,
    text: &'static [u8],
}

impl Word {
    fn new(&(text, sort): &(&'static str, Sort)) -> Word {
        let late = LATE.iter().find(|(word, _)| *word == text);
        let text = text.as_bytes();
        let same = text.iter().take_while(|&byte| Some(byte) == text.first()).count();
        let lead = late.map_or(same.saturating_sub(1), |(_, lead)| *lead);
        let pack = |bits: fn(u8) -> u8| {
            u64::from_le_bytes(std::array::from_fn(|at| {
                text.get(lead + at).map_or(0, |&b| bits(b))
            }))
        };
        let lowers = pack(|b| if b.is_ascii_lowercase() { 0x20 } else { 0 });
        Word { sort, lead, sought: pack(|b| b), counts: pack(|_| 0xFF), lowers, text }
    }

    /// True if the sought part starts at `at`, where `first` stands.
    #[inline]
    fn is_at(&self, text: &[u8], at: usize, first: u64) -> bool {
        if (first | self.lowers) & self.counts != self.sought {
            return false;
        }
        let simple = self.lead == 0 && self.text.len() <= 8;
        simple || self.is_whole(text, at)
    }

    /// The hashes of the four bytes with which the sought part may begin.
    fn heads(&self) -> impl Iterator<Item = usize> {
        let (sought, free) = (self.sought as u32, !(self.counts as u32));
        (0..=u8::MAX).map(move |any| head(sought | free & u32::from(any) << 24))
    }

    fn is_whole(&self, text: &[u8], at: usize) -> bool {
        let start = at.checked_sub(self.lead);
        let found = start.and_then(|start| text.get(start..start + self.text.len()));
        found.is_some_and(|found| found.eq_ignore_ascii_case(self.text))
    }
}

/// The tables of the sweep.
pub(super) struct Sights {
    level: Level,
    grams: [Grams; 2],
    /// Which bytes of a block are token bytes, which belong to a plain run, which are letters and
    /// digits, and which are digits.
    classes: Nest<4>,
    hexadecimal: Class,
    links: link::Glance,
    /// A bit for each hash of four bytes in any case with which what is sought may begin.
    heads: Box<[u64; 1 << (HEAD_BITS - 6)]>,
    /// By a hash of the first three sought bytes, then the longest first.
    words: Vec<Word>,
    /// Where the words with this hash start.
    lists: Box<[u8; LISTS + 1]>,
    /// The largest lead.
    lead: usize,
}

impl Sights {
    pub(super) fn new(level: Level) -> Sights {
        let mut words: Vec<Word> = WORDS.iter().map(Word::new).collect();
        words.sort_by_key(|word| (list(word.sought), std::cmp::Reverse(word.text.len())));
        let lists = Box::new(std::array::from_fn(|n| {
            words.partition_point(|word| list(word.sought) < n) as u8
        }));
        let mut heads = Box::new([0; 1 << (HEAD_BITS - 6)]);
        for bit in words.iter().flat_map(Word::heads) {
            heads[bit / 64] |= 1 << (bit % 64);
        }
        let gram = |word: Word| Gram::folded(&word.text[word.lead..]);
        let grams: Vec<Gram> = WORDS.iter().map(Word::new).map(gram).collect();
        let lead = words.iter().map(|word| word.lead).max().unwrap_or(0);
        let grams = Grams::two(&grams, &deal::DEAL);
        let (classes, hexadecimal, links) = (classes(), hexadecimal(), link::Glance::new());
        Sights { level, grams, classes, hexadecimal, links, heads, words, lists, lead }
    }

    /// Names the sights of `text[from..to]` in their order. What is at and behind `to` is looked
    /// at, but no sight.
    pub(super) fn sweep<'a>(
        &'a self,
        kinds: &'a Kinds,
        text: &'a [u8],
        from: usize,
        to: usize,
    ) -> Sweep<'a> {
        Sweep::new(self, kinds, text, from, to)
    }

    /// False if no word is sought at `at`, and for nearly all other places too; and whether `://`
    /// stands there.
    #[inline(always)]
    fn may_be_word(&self, text: &[u8], at: usize) -> (bool, bool) {
        let four = match text.get(at..).and_then(<[u8]>::first_chunk) {
            Some(four) => u32::from_le_bytes(*four),
            None => eight(text, at) as u32,
        };
        let bit = head(four);
        let link = four & 0x00FF_FFFF == u32::from_le_bytes(*b"://\0");
        (self.heads[bit / 64] >> (bit % 64) & 1 == 1, link)
    }

    /// The word that starts at `at`, unless it goes on for too long.
    fn word_from(&self, text: &[u8], at: usize) -> Option<&Word> {
        let goes_on = |at: usize| {
            let run = text.get(at..at + DIGITS as usize);
            run.is_some_and(|run| run.iter().all(|b| is_token(*b)))
        };
        (0..=self.lead)
            .filter_map(|lead| self.word(text, at + lead).filter(|word| word.lead == lead))
            .find(|word| !goes_on(at + word.lead))
    }

    /// The word of which the sought part starts at `at`.
    #[inline]
    fn word(&self, text: &[u8], at: usize) -> Option<&Word> {
        let first = eight(text, at);
        let list = list(first);
        let range = usize::from(self.lists[list])..usize::from(self.lists[list + 1]);
        let words = &self.words[range];
        words.iter().find(|word| word.is_at(text, at, first))
    }
}

/// True if what begins at `at` begins as a kind with a prefix or as a JWT does.
#[inline(always)]
fn begins_as_known(kinds: &Kinds, text: &[u8], at: usize) -> bool {
    kinds.may_have_prefix(text, at) || may_be_jwt(&text[at..])
}

/// True if `text` begins as a JWT does. What follows may be too long to be found as a word.
#[inline]
fn may_be_jwt(text: &[u8]) -> bool {
    text.first() == Some(&b'e') && JWT_OPENINGS.iter().any(|opening| text.starts_with(*opening))
}

/// A hash of four bytes in any case: their product with the fraction of the cube root of three, in
/// 32 bits. Of some such numbers this one lets the fewest usual letters seem to begin a word.
#[inline(always)]
fn head(four: u32) -> usize {
    ((four | 0x2020_2020).wrapping_mul(0x7137_4491) >> (32 - HEAD_BITS)) as usize
}

/// A hash of the first three of eight bytes, in any case.
#[inline]
fn list(eight: u64) -> usize {
    let three = (eight as u32 | 0x0020_2020) & 0x00FF_FFFF;
    (three.wrapping_mul(0x9E37_79B1) >> (32 - LIST_BITS)) as usize
}

#[expect(clippy::expect_used, reason = "a constant set, with two different rows")]
fn hexadecimal() -> Class {
    Class::new(ByteSet::of(|b| b.is_ascii_hexdigit())).expect("the class of digits")
}

#[expect(clippy::expect_used, reason = "constant sets, each in the next, with few rows")]
fn classes() -> Nest<4> {
    let letters = ByteSet::of(|b| b.is_ascii_alphanumeric());
    let digits = ByteSet::of(|b| b.is_ascii_digit());
    let sets = [ByteSet::of(is_token), ByteSet::of(is_plain_byte), letters, digits];
    Nest::new(&sets).expect("the classes of runs")
}
