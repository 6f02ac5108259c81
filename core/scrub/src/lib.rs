//! Masks secrets in text before a model, a host or a log sees it.
//!
//! Three profiles: `precise` finds secrets by shape and by context and replaces the secret alone;
//! `seed` applies fourteen fixed patterns, exactly; `paranoid` takes what either finds. On top of
//! each, registered [`Values`] are found wherever they stand, in many encodings.
//!
//! Everything here is pure: no I/O, no clock. The path of a text is one way: `precise` and
//! `values` find hits, `mask` replaces them by what `placeholder` writes. `seed` stands by
//! itself, since its passes see what earlier passes wrote.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;
use std::sync::{Arc, LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use serde_json::Value;

mod border;
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
mod until;
mod values;
mod view;

#[cfg(test)]
mod soak;
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
use scan::{Eyes, Piece, Scan};

/// Which secrets a scrubber looks for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Profile {
    /// Exactly the fourteen seed patterns, with `[REDACTED]` in place of each match.
    Seed,
    /// Secrets by shape and context, the secret alone replaced.
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

/// A name that is no profile's.
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

/// The key of the tags in placeholders. The same secret has the same tag under the same key.
#[derive(Clone)]
pub struct TagKey(zeroize::Zeroizing<[u8; 32]>);

impl TagKey {
    /// A key of these bytes; they should be random.
    pub fn new(bytes: [u8; 32]) -> TagKey {
        TagKey(zeroize::Zeroizing::new(bytes))
    }
}

/// So many bytes of a long text are looked at before the rest: they stay in the cache while all
/// searches go over them, and so does what is found in them.
const STEP: usize = 128 << 10;

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

/// What never changes and is shared by all scrubbers of a level. Each half is made when it is
/// first needed.
struct Tables {
    level: simd::Level,
    seed: OnceLock<seed::Seed>,
    precise: OnceLock<precise::Precise>,
}

/// Constant, but made of too many words to be made when the library is compiled.
static TABLES: LazyLock<Arc<Tables>> = LazyLock::new(|| Arc::new(Tables::new(simd::Level::best())));

impl Tables {
    fn new(level: simd::Level) -> Tables {
        Tables { level, seed: OnceLock::new(), precise: OnceLock::new() }
    }

    fn seed(&self) -> &seed::Seed {
        self.seed.get_or_init(|| seed::Seed::new(self.level))
    }

    fn precise(&self) -> &precise::Precise {
        self.precise.get_or_init(|| precise::Precise::new(self.level))
    }
}

impl Scrubber {
    /// A scrubber of a profile, with a set of values of its own.
    pub fn new(profile: Profile, key: TagKey) -> Scrubber {
        Scrubber::with_tables(TABLES.clone(), profile, key)
    }

    /// The same without AVX2, for benchmarks.
    #[doc(hidden)]
    pub fn portable(profile: Profile, key: TagKey) -> Scrubber {
        Scrubber::with_tables(Arc::new(Tables::new(simd::Level::portable())), profile, key)
    }

    fn with_tables(tables: Arc<Tables>, profile: Profile, key: TagKey) -> Scrubber {
        let scrubber = Scrubber {
            profile,
            tables,
            placeholders: Arc::new(placeholder::Placeholders::new(&key)),
            values: vec![Arc::new(Values::new())],
        };
        // Makes the tables that the profile needs here, and not with the first text.
        scrubber.eyes();
        scrubber
    }

    /// The fixed patterns of the `seed` profile: OpenAI, Anthropic, GitHub and AWS keys, secrets
    /// assigned to a telling name, connection URLs, and runs of 64 or more hexadecimal digits.
    pub fn seed() -> Scrubber {
        Scrubber::new(Profile::Seed, TagKey::new([0; 32]))
    }

    /// The same scrubber with another key for its tags: another tenant's.
    pub fn with_key(&self, key: TagKey) -> Scrubber {
        Scrubber { placeholders: Arc::new(placeholder::Placeholders::new(&key)), ..self.clone() }
    }

    /// The same scrubber that also looks for `values`: those of a tenant, or of one call.
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

    /// The text with every secret replaced; borrowed if there was none.
    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.replaced(text, None, None)
    }

    /// The same, and `seal` is told every secret that is replaced.
    pub fn scrub_sealing<'t>(&self, text: &'t str, seal: &dyn Seal) -> Cow<'t, str> {
        self.replaced(text, None, Some(seal))
    }

    fn replaced<'t>(
        &self,
        text: &'t str,
        expected: Option<Hit>,
        seal: Option<&dyn Seal>,
    ) -> Cow<'t, str> {
        match self.spliced(text.as_bytes(), expected, seal) {
            None => Cow::Borrowed(text),
            // Masks cut no character in half, so there is nothing to lose.
            Some(masked) => Cow::Owned(
                String::from_utf8(masked)
                    .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            ),
        }
    }

    /// The same for bytes that may not be UTF-8; what is not passes through.
    pub fn scrub_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        self.spliced(text, None, None).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// What [`Scrubber::scrub`] would replace, in the order of the text.
    pub fn findings(&self, text: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        self.search(text.as_bytes(), None, |mask| findings.push(Finding::from(mask)));
        findings
    }

    /// What [`Scrubber::scrub_sealing`] would replace, in the order of the text: where, and by what.
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

    /// The text with placeholders for its secrets; nothing if there are none.
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

    /// Searches a text of which `expected` is known to be secret. `found` is told what is to be
    /// replaced, in the order of the text.
    fn search(&self, text: &[u8], expected: Option<Hit>, mut found: impl FnMut(Mask)) {
        let mut scan = Scan::default();
        // The first step is to hold what is known before it.
        let known = expected.as_ref().map_or(0, |hit| hit.span.end);
        if let Some(hit) = expected {
            scan.expect(hit, text);
        }
        let eyes = self.eyes();
        let mut end = 0;
        loop {
            end = text.len().min(known.max(end + STEP));
            let last = end == text.len();
            let piece = Piece { text: &text[..end], base: 0, last };
            scan.advance(eyes, piece).into_iter().for_each(&mut found);
            if last {
                return;
            }
        }
    }

    fn eyes(&self) -> Eyes<'_> {
        let plain = self.is_plain();
        Eyes {
            precise: (!plain).then(|| self.tables.precise()),
            seed: (self.profile != Profile::Precise).then(|| self.tables.seed()),
            values: &self.values,
            placeholders: (!plain).then_some(&self.placeholders),
        }
    }

    fn style<'s>(&self, seal: Option<&'s dyn Seal>) -> Style<'s> {
        Style { plain: self.is_plain(), seal }
    }

    /// True if placeholders tell nothing.
    fn is_plain(&self) -> bool {
        self.profile == Profile::Seed
    }

    /// Scrubs a text that arrives in pieces. What it gives is what [`Scrubber::scrub_bytes`] gives
    /// for the whole, however the text is cut.
    pub fn stream(&self) -> Stream {
        Stream::new(self.clone())
    }

    /// Scrubs every string in `value`, the keys of objects included. A string is judged by the name
    /// under which it stands, as in the text of the document. A number that is a registered value
    /// becomes a string.
    ///
    /// Entries keep their order and none is lost: where masking would make two keys of an object
    /// equal, a masked one gets a number, as in `[REDACTED] #2`.
    pub fn scrub_json(&self, value: &mut Value) {
        self.replace_json(value, None);
    }

    /// The same, and `seal` is told every secret that is replaced.
    pub fn scrub_json_sealing(&self, value: &mut Value, seal: &dyn Seal) {
        self.replace_json(value, Some(seal));
    }

    fn replace_json(&self, value: &mut Value, seal: Option<&dyn Seal>) {
        let numbers = self.values.iter().any(|values| !values.is_empty());
        json::scrub(value, numbers, |name, text| {
            // The seed patterns know nothing of names that stand elsewhere.
            let name = name.filter(|_| !self.is_plain());
            let named = name.and_then(|name| self.tables.precise().find_named(name, text));
            match self.replaced(text, named, seal) {
                Cow::Borrowed(_) => None,
                Cow::Owned(masked) => Some(masked),
            }
        });
    }

    /// What this scrubber looks for.
    pub fn profile(&self) -> Profile {
        self.profile
    }
}

/// The length of the placeholder that `text` starts with, whoever wrote it; `None` if it starts
/// with none.
pub fn placeholder_length(text: &[u8]) -> Option<usize> {
    placeholder::length(text)
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber").field("profile", &self.profile).finish_non_exhaustive()
    }
}
