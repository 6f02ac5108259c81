//! Registered values: exact secrets that a host knows, found in any text and in many encodings.
//!
//! The way of a value: [`acceptance`] decides whether it can be found without masking half of every
//! text. [`part`] splits a long value into parts. Each part has [forms](form): itself, base64, hex,
//! percent encoding, … For each form, [`table`] chooses *anchors*: short stretches that hardly any
//! other value has.
//!
//! The way of a text: [`scan`] looks at every fourth place, in a [filter of grams](gram_filter),
//! for the start of an anchor. Where there may be one, a [set of keys](key_set) and then a map
//! decide. [`confirm`] checks that the whole form stands around the anchor, with a
//! [boundary] where it needs one. Text with many short lines, or with invisible
//! characters, is scanned once more without these [breaks]: see [`unwrapped`].
//!
//! So the cost on clean text does not grow with the number of values, until their tables no longer
//! fit the cache.
//!
//! Invariants: the filters have no false negatives. Readers take no lock. Writers take turns; they
//! change the tables in place, where a reader at the same moment sees the value or does not, and
//! swap in larger tables as they fill.

use std::borrow::Borrow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::hit::{Hit, Kind};

mod acceptance;
mod boundary;
mod breaks;
mod confirm;
mod form;
mod gram_filter;
mod key_set;
mod part;
mod scan;
mod table;
mod unwrapped;

#[cfg(test)]
mod tests;

pub use acceptance::{Added, ValueError, Warning};

use part::Part;
use table::{Anchor, Tables};

/// The kind of a value that is registered without one.
const KIND: &str = "secret";

/// A set of values to find in texts. Readers take no lock; adding a value costs the same however
/// many there are. Values are wiped when they are removed, and `Debug` shows only their number.
///
/// ```
/// use toolkeep_scrub::{Profile, Scrubber, TagKey};
///
/// let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
/// let added = scrubber.values().add("correct-horse-battery", Some("deploy-key"))?;
/// assert_eq!(added.warning, None);
/// assert!(!scrubber.scrub("it is correct-horse-battery").contains("horse"));
/// assert!(!scrubber.scrub("Y29ycmVjdC1ob3JzZS1iYXR0ZXJ5").contains("b3JzZ"));
/// # Ok::<(), toolkeep_scrub::ValueError>(())
/// ```
pub struct Values {
    /// The registered values. Only writers look here.
    registry: Mutex<Registry>,
    /// The same values, arranged for the scan.
    tables: Tables,
    count: AtomicUsize,
}

/// The registered values by their text, with how often each was added.
#[derive(Default)]
struct Registry {
    values: std::collections::HashMap<Listed, usize, foldhash::fast::RandomState>,
}

/// A registered value.
struct Registered {
    kind: Kind,
    /// The value itself, or the parts of a long one.
    parts: Box<[Part]>,
    text: zeroize::Zeroizing<Box<[u8]>>,
    anchors: Box<[Anchor]>,
}

/// A value as a key of the registry. Two are equal if their texts are.
struct Listed(Arc<Registered>);

impl Borrow<[u8]> for Listed {
    fn borrow(&self) -> &[u8] {
        &self.0.text[..]
    }
}

impl PartialEq for Listed {
    fn eq(&self, other: &Listed) -> bool {
        self.0.text == other.0.text
    }
}

impl Eq for Listed {}

impl Hash for Listed {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.text[..].hash(state);
    }
}

impl Values {
    /// The longest value that can be registered, in bytes.
    pub const LONGEST: usize = part::MAX_VALUE;

    /// An empty set.
    pub fn new() -> Values {
        Values { registry: Mutex::default(), tables: Tables::new(), count: AtomicUsize::new(0) }
    }

    /// Registers a value: from now on it is found. White space around it does not count. `kind`
    /// names it in placeholders and findings; the default is `secret`. A value that is added twice
    /// must be removed twice, and keeps its first kind.
    ///
    /// A value that cannot be fully guarded comes with a [`Warning`] that says what is done.
    ///
    /// # Errors
    ///
    /// [`ValueError::Kind`] if the kind is not 1 to 40 of `a-z`, `0-9` and `-`, and
    /// [`ValueError::TooLong`] if the value is longer than [`Values::LONGEST`].
    pub fn add(&self, value: &str, kind: Option<&str>) -> Result<Added, ValueError> {
        let kind = match kind {
            None => Kind::Known(KIND),
            Some(kind) => Kind::Given(acceptance::check_kind(kind)?.into()),
        };
        self.insert(value, kind)
    }

    /// Registers an address or a name of the server itself. Its placeholder is `[SERVER_IP]`.
    ///
    /// # Errors
    ///
    /// As [`Values::add`].
    pub fn add_server(&self, address: &str) -> Result<Added, ValueError> {
        self.insert(address, Kind::Known(super::placeholder::SERVER_IP))
    }

    /// Adds a value whose kind is known to be valid.
    fn insert(&self, value: &str, kind: Kind) -> Result<Added, ValueError> {
        let value = value.trim_ascii();
        if value.len() > part::MAX_VALUE {
            return Err(ValueError::TooLong { length: value.len() });
        }
        let warning = acceptance::check(value);
        if warning.is_some_and(|warning| !warning.guarded()) {
            return Ok(Added { warning });
        }
        let mut registry = self.lock();
        if let Some(times) = registry.values.get_mut(value.as_bytes()) {
            *times += 1;
            return Ok(Added { warning });
        }
        let parts = part::parts(value);
        let anchors = self.tables.choose_anchors(&parts);
        let text = zeroize::Zeroizing::new(value.as_bytes().into());
        let registered = Arc::new(Registered { kind, parts, text, anchors });
        registry.values.insert(Listed(registered.clone()), 1);
        self.tables.add(&registered, || registry.values.keys().map(|listed| &listed.0));
        self.count.store(registry.values.len(), Ordering::Release);
        Ok(Added { warning })
    }

    /// Removes a value; true if it was registered. A value that was added twice stays until it is
    /// removed twice.
    pub fn remove(&self, value: &str) -> bool {
        let value = value.trim_ascii().as_bytes();
        let mut registry = self.lock();
        match registry.values.get_mut(value) {
            None => return false,
            Some(times) if *times > 1 => {
                *times -= 1;
                return true;
            }
            Some(_) => {}
        }
        if let Some((gone, _)) = registry.values.remove_entry(value) {
            self.count.store(registry.values.len(), Ordering::Release);
            self.tables.remove(&gone.0, || registry.values.keys().map(|listed| &listed.0));
        }
        true
    }

    /// Removes every value.
    pub fn clear(&self) {
        let mut registry = self.lock();
        self.count.store(0, Ordering::Release);
        self.tables.clear();
        registry.values.clear();
    }

    /// How many values are registered. Values that are not guarded are not counted.
    pub fn len(&self) -> usize {
        self.count.load(Ordering::Acquire)
    }

    /// True if nothing is registered.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Finds the values that start in `text[from..to]`, in order. Of several that start together,
    /// the longest counts; values that overlap are all returned, as two of them, or two parts of
    /// one, may share bytes. `to` is the end of the text, or so far before it that every value that
    /// starts before it is visible as a whole.
    pub(super) fn find(&self, text: &[u8], from: usize, to: usize, found: &mut Vec<Hit>) {
        if self.is_empty() || from >= to {
            return;
        }
        let mut matches = Vec::new();
        scan::scan(&self.tables, text, from, to, &mut matches);
        let mut end = from;
        // The longest first where several start together, then the plainest form.
        matches.sort_by_key(|m| (m.span.start, std::cmp::Reverse(m.span.end), m.rank));
        for hit in matches {
            if hit.span.end > end {
                end = hit.span.end;
                found.push(hit.into_hit());
            }
        }
    }

    /// The registry. A panic while it was locked leaves it usable.
    fn lock(&self) -> MutexGuard<'_, Registry> {
        // A writer that panicked left the registry complete, since it is changed last.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Default for Values {
    fn default() -> Values {
        Values::new()
    }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values").field("len", &self.len()).finish_non_exhaustive()
    }
}
