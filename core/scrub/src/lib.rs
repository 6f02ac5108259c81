#![doc = include_str!("../README.md")]

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod border;
mod continuation;
mod finding;
mod hit;
mod json;
mod mask;
mod placeholder;
mod precise;
mod region;
mod scalar;
mod scan;
mod seed;
mod simd;
mod stream;
mod values;
mod view;
mod words;

#[cfg(test)]
mod test_rounds;
#[cfg(test)]
mod tests;

pub use finding::Finding;
pub use hit::{Confidence, Kind};
pub use placeholder::Seal;
pub use stream::Stream;
pub use values::{Added, ValueError, Values, Warning};

use hit::Hit;
use mask::{Splice, Style};
use region::Mask;
use scan::{Detectors, Piece, Scan};

/// Which secrets a scrubber looks for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Exactly the fourteen seed patterns. Each match is replaced by `[REDACTED]`.
    Seed,
    /// Secrets by shape, name and context. Only the secret is replaced.
    #[default]
    Precise,
    /// What either of the other two finds.
    Paranoid,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Profile; 3] = [Profile::Seed, Profile::Precise, Profile::Paranoid];

    /// `seed`, `precise` or `paranoid`.
    pub fn as_str(self) -> &'static str {
        match self {
            Profile::Seed => "seed",
            Profile::Precise => "precise",
            Profile::Paranoid => "paranoid",
        }
    }
}

impl fmt::Display for Profile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The error of a profile's name that does not exist.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no scrub profile; there are seed, precise and paranoid")]
pub struct UnknownProfile(pub String);

impl FromStr for Profile {
    type Err = UnknownProfile;

    fn from_str(name: &str) -> Result<Profile, UnknownProfile> {
        let found = Profile::ALL.into_iter().find(|profile| profile.as_str() == name);
        found.ok_or_else(|| UnknownProfile(name.to_owned()))
    }
}

/// The key of the tags in placeholders. Equal secrets have equal tags under the same key.
#[derive(Clone)]
pub struct TagKey(zeroize::Zeroizing<[u8; 32]>);

impl TagKey {
    /// A key of these bytes. They should be random, and no reader of placeholders should know them.
    pub fn new(bytes: [u8; 32]) -> TagKey {
        TagKey(zeroize::Zeroizing::new(bytes))
    }
}

/// How many bytes of a long text are scanned before the rest, so that the text and what is found in
/// it stay in the cache while all detectors read it.
const SCAN_STEP: usize = 128 << 10;

/// Masks secrets in text. Cheap to clone, and one instance serves any number of threads.
///
/// ```
/// use toolkeep_scrub::Scrubber;
///
/// let scrubber = Scrubber::seed();
/// assert_eq!(scrubber.scrub("password=correct-horse, then"), "[REDACTED] then");
/// assert_eq!(scrubber.scrub("nothing to hide"), "nothing to hide");
/// ```
#[derive(Clone)]
pub struct Scrubber {
    profile: Profile,
    tables: Arc<Tables>,
    placeholders: Arc<placeholder::Placeholders>,
    /// The registered values, the narrowest scope last.
    values: Vec<Arc<Values>>,
}

/// Constant tables, shared by all scrubbers of a SIMD level. Each half is built when it is first
/// needed.
struct Tables {
    level: simd::Level,
    seed: OnceLock<seed::Seed>,
    precise: OnceLock<precise::Precise>,
}

/// Constant, but too large to be built when the crate is compiled.
static TABLES: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::new(simd::Level::best())));

impl Tables {
    /// Empty tables; each profile builds its own when it first runs.
    fn new(level: simd::Level) -> Tables {
        Tables { level, seed: OnceLock::new(), precise: OnceLock::new() }
    }

    /// The tables of the seed patterns.
    fn seed(&self) -> &seed::Seed {
        self.seed.get_or_init(|| seed::Seed::new(self.level))
    }

    /// The tables of the precise profile.
    fn precise(&self) -> &precise::Precise {
        self.precise.get_or_init(|| precise::Precise::new(self.level))
    }
}

impl Scrubber {
    /// A scrubber with a profile, and with an empty set of values of its own.
    pub fn new(profile: Profile, key: TagKey) -> Scrubber {
        Scrubber::with_tables(TABLES.clone(), profile, key)
    }

    /// The same without AVX2, for benchmarks.
    #[doc(hidden)]
    pub fn portable(profile: Profile, key: TagKey) -> Scrubber {
        Scrubber::with_tables(Arc::new(Tables::new(simd::Level::portable())), profile, key)
    }

    /// A scrubber that shares `tables` with others.
    fn with_tables(tables: Arc<Tables>, profile: Profile, key: TagKey) -> Scrubber {
        let scrubber = Scrubber {
            profile,
            tables,
            placeholders: Arc::new(placeholder::Placeholders::new(&key)),
            values: vec![Arc::new(Values::new())],
        };
        // Builds the tables that the profile needs now, and not with the first text.
        scrubber.detectors();
        scrubber
    }

    /// A scrubber with the `seed` profile: OpenAI, Anthropic, GitHub and AWS keys, secrets assigned
    /// to names such as `token`, connection URLs, and runs of 64 or more hexadecimal digits.
    pub fn seed() -> Scrubber {
        Scrubber::new(Profile::Seed, TagKey::new([0; 32]))
    }

    /// The same scrubber with another key for its tags, such as another tenant's.
    pub fn with_key(&self, key: TagKey) -> Scrubber {
        Scrubber { placeholders: Arc::new(placeholder::Placeholders::new(&key)), ..self.clone() }
    }

    /// The same scrubber, which also finds `values`: those of a tenant or of one call.
    pub fn with_values(&self, values: Arc<Values>) -> Scrubber {
        let mut scrubber = self.clone();
        scrubber.values.push(values);
        scrubber
    }

    /// The registered values of the narrowest scope.
    #[expect(clippy::missing_panics_doc, reason = "there is always one set")]
    #[expect(clippy::expect_used, reason = "there is always one set")]
    pub fn values(&self) -> &Arc<Values> {
        self.values.last().expect("a set of values")
    }

    /// The text with every secret replaced; borrowed if there is none.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, None, None)
    }

    /// The same as [`scrub`](Scrubber::scrub), and `seal` receives every secret that is replaced.
    pub fn scrub_sealing<'t>(&self, text: &'t str, seal: &dyn Seal) -> Cow<'t, str> {
        self.replaced(text, None, Some(seal))
    }

    /// The text with its secrets replaced; borrowed if there are none. `expected` is a hit that the
    /// caller already knows.
    fn replaced<'t>(
        &self,
        text: &'t str,
        expected: Option<Hit>,
        seal: Option<&dyn Seal>,
    ) -> Cow<'t, str> {
        match self.spliced(text.as_bytes(), expected, seal) {
            None => Cow::Borrowed(text),
            // Masks cut no character in half, so nothing is lost.
            Some(masked) => Cow::Owned(
                String::from_utf8(masked)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }

    /// The same as [`scrub`](Scrubber::scrub) for bytes that may not be UTF-8. Invalid bytes stay
    /// as they are.
    pub fn scrub_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.spliced(text, None, None).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// What [`scrub`](Scrubber::scrub) would replace, in text order.
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.search(text.as_bytes(), None, |mask| findings.push(Finding::from(mask)));
        findings
    }

    /// What [`scrub_sealing`](Scrubber::scrub_sealing) would replace, in text order: the span in
    /// bytes, and its placeholder.
    pub fn masks(&self, text: &str, seal: Option<&dyn Seal>) -> Vec<(Range<usize>, String)> {
        let (text, style, mut masks) = (text.as_bytes(), self.style(seal), Vec::new());
        self.search(text, None, |mask| {
            let mut placeholder = Vec::new();
            mask::put(&mask, text, style, &mut placeholder);
            let placeholder = String::from_utf8_lossy(&placeholder).into_owned();
            masks.push((mask.start..mask.end, placeholder));
        });
        masks
    }

    /// The text with placeholders for its secrets; `None` if there are none.
    fn spliced(
        &self,
        text: &[u8],
        expected: Option<Hit>,
        seal: Option<&dyn Seal>,
    ) -> Option<Vec<u8>> {
        let style = self.style(seal);
        let mut splice: Option<Splice<'_>> = None;
        self.search(text, expected, |mask| {
            splice.get_or_insert_with(|| Splice::new(text)).add(&mask, style);
        });
        splice.map(Splice::finish)
    }

    /// Scans a text, of which `expected` is known to be secret. `found` receives each mask in text
    /// order.
    fn search(&self, text: &[u8], expected: Option<Hit>, mut found: impl FnMut(Mask)) {
        let mut scan = Scan::default();
        // The first step must include what is known before the scan.
        let known = expected.as_ref().map_or(0, |hit| hit.span.end);
        if let Some(hit) = expected {
            scan.add_known(hit, text);
        }
        let detectors = self.detectors();
        let mut end = 0;
        loop {
            end = text.len().min(known.max(end + SCAN_STEP));
            let last = end == text.len();
            let piece = Piece { text: &text[..end], base: 0, last };
            scan.advance(detectors, piece).into_iter().for_each(&mut found);
            if last {
                return;
            }
        }
    }

    /// The detectors that the profile needs.
    fn detectors(&self) -> Detectors<'_> {
        let plain = self.is_plain();
        Detectors {
            precise: (!plain).then(|| self.tables.precise()),
            seed: (self.profile != Profile::Precise).then(|| self.tables.seed()),
            values: &self.values,
            placeholders: (!plain).then_some(&self.placeholders),
        }
    }

    /// How placeholders look in this profile.
    fn style<'s>(&self, seal: Option<&'s dyn Seal>) -> Style<'s> {
        Style { plain: self.is_plain(), seal }
    }

    /// True if placeholders show neither kind nor tag.
    fn is_plain(&self) -> bool {
        self.profile == Profile::Seed
    }

    /// Scrubs a text that arrives in pieces. The result is that of
    /// [`scrub_bytes`](Scrubber::scrub_bytes) for the whole text, however it is cut.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// Scrubs every string in `value`, including the keys of objects. Each string is judged
    /// together with its name, as in the text of the document. A number that is a registered value
    /// becomes a string.
    ///
    /// Entries keep their order and none is lost. If masking makes two keys of an object equal, a
    /// masked one gets a number, as in `[REDACTED] #2`.
    pub fn scrub_json(&self, value: &mut Value) {
        self.replace_json(value, None);
    }

    /// The same as [`scrub_json`](Scrubber::scrub_json), and `seal` receives every secret that is
    /// replaced.
    pub fn scrub_json_sealing(&self, value: &mut Value, seal: &dyn Seal) {
        self.replace_json(value, Some(seal));
    }

    /// Replaces the secrets in the strings and numbers of `value`, in place.
    fn replace_json(&self, value: &mut Value, seal: Option<&dyn Seal>) {
        let numbers = self.values.iter().any(|values| !values.is_empty());
        json::scrub(value, numbers, |name, text| {
            // The seed patterns do not use names that stand elsewhere.
            let name = name.filter(|_| !self.is_plain());
            let named = name.and_then(|name| self.tables.precise().find_named(name, text));
            match self.replaced(text, named, seal) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(masked),
            }
        });
    }

    /// The profile of this scrubber.
    pub fn profile(&self) -> Profile {
        self.profile
    }
}

/// The length of the placeholder that `text` starts with, whoever wrote it; `None` if it starts
/// with none.
///
/// ```
/// assert_eq!(toolkeep_scrub::placeholder_length(b"[REDACTED:password], and more"), Some(19));
/// assert_eq!(toolkeep_scrub::placeholder_length(b"password"), None);
/// ```
pub fn placeholder_length(text: &[u8]) -> Option<usize> {
    placeholder::length(text)
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").field("profile", &self.profile).finish_non_exhaustive()
    }
}
