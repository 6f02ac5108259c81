//! Masks secrets in text before a model, a host or a log sees it.
//!
//! Three profiles: `precise` finds secrets by shape and by context and replaces the secret alone;
//! `seed` applies fourteen fixed patterns, exactly; `paranoid` takes what either finds. On top of
//! each, registered [`Values`] are found wherever they stand, in many encodings.
//!
//! Everything here is pure: no I/O, no clock. The path of a text is one way: `precise` and
//! `values` find [hits](hit), `mask` replaces them by what `placeholder` writes. `seed` stands by
//! itself, since its passes see what earlier passes wrote.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::Value;

mod hit;
mod json;
mod mask;
mod placeholder;
mod precise;
mod seed;
mod values;
mod view;

pub use hit::{Confidence, Kind};
pub use values::Values;

/// What a scrubber looks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Profile {
    /// Exactly the fourteen seed patterns, with `[REDACTED]` in place of each match.
    Seed,
    /// Secrets by shape and context, the secret alone replaced.
    #[default]
    Precise,
    /// What either of the other two finds.
    Paranoid,
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

/// Masks secrets in text. Cheap to clone, and one instance serves any number of threads.
///
/// ```
/// use toolkeep::scrub::Scrubber;
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

/// What never changes and is shared by all scrubbers that come from one.
struct Tables {
    seed: seed::Seed,
    precise: precise::Precise,
}

impl Scrubber {
    /// A scrubber of a profile, with a set of values of its own.
    pub fn new(profile: Profile, key: TagKey) -> Scrubber {
        let tables = Tables {
            seed: seed::Seed::new(),
            precise: precise::Precise::new(),
        };
        Scrubber {
            profile,
            tables: Arc::new(tables),
            placeholders: Arc::new(placeholder::Placeholders::new(key)),
            values: vec![Arc::new(Values::new())],
        }
    }

    /// The fixed patterns of the `seed` profile: OpenAI, Anthropic, GitHub and AWS keys, secrets
    /// assigned to a telling name, connection URLs, and runs of 64 or more hexadecimal digits.
    pub fn seed() -> Scrubber {
        Scrubber::new(Profile::Seed, TagKey::new([0; 32]))
    }

    /// The same scrubber with another key for its tags: another tenant's.
    pub fn with_key(&self, key: TagKey) -> Scrubber {
        Scrubber {
            placeholders: Arc::new(placeholder::Placeholders::new(key)),
            ..self.clone()
        }
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
        match self.profile {
            Profile::Seed => self.tables.seed.scrub(text),
            Profile::Precise | Profile::Paranoid => match self.scrub_bytes(text.as_bytes()) {
                Cow::Borrowed(_) => Cow::Borrowed(text),
                Cow::Owned(masked) => Cow::Owned(String::from_utf8_lossy(&masked).into_owned()),
            },
        }
    }

    /// The same for bytes that may not be UTF-8; what is not passes through.
    pub fn scrub_bytes<'t>(&self, text: &'t [u8]) -> Cow<'t, [u8]> {
        let mut hits = Vec::new();
        self.tables.precise.find(text, 0, text.len(), 0, &mut hits);
        for values in &self.values {
            values.find(text, 0, text.len(), &mut hits);
        }
        if hits.is_empty() {
            return Cow::Borrowed(text);
        }
        Cow::Owned(mask::splice(text, &hits, &self.placeholders))
    }

    /// Scrubs every string in `value`, the keys of objects included.
    ///
    /// Entries keep their order and none is lost: where masking would make two keys of an object
    /// equal, a masked one gets a number, as in `[REDACTED] #2`.
    pub fn scrub_json(&self, value: &mut Value) {
        json::scrub(value, |text| match self.scrub(text) {
            Cow::Borrowed(_) => None,
            Cow::Owned(masked) => Some(masked),
        });
    }
}

impl fmt::Debug for Scrubber {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scrubber")
            .field("profile", &self.profile)
            .finish_non_exhaustive()
    }
}
