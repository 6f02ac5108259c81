//! The tables of values: filters that reject nearly every place of a text, and a map from the anchors
//! to the forms that have them.
//!
//! The anchor of a form is a stretch of it, in one of three [layers](LAYERS) by the length of the
//! form. The stretch is so long that a scan at the layer's step meets one of the grams at its
//! beginning. The gram is in a [filter](super::gram_filter). If that accepts, the key of the whole
//! stretch is looked up in a [second filter](super::key_set), and only then in the map.
//!
//! A form that may be wrapped has an anchor in each half, so that one is whole if it is broken
//! once. A long form has more: every stretch of [`MAX_UNANCHORED`] bytes contains one. Forms that
//! are broken at shorter distances are found in [unwrapped](super::unwrapped) text.
//!
//! Removed values leave the map at once. They leave the filters when those are next rebuilt, which
//! happens when they are full or when more was removed than is left.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use zeroize::Zeroizing;

use super::Registered;
use super::confirm::{self, Entry};
use super::form::{FORMS, Form};
use super::gram_filter::{Gram, GramFilter};
use super::key_set::KeySet;
use super::part::Part;
use super::unwrapped::{MAX_UNANCHORED, UnwrapOptions};

/// The length of the stretches of a layer, and the step of its scan. A stretch has one byte less
/// than a gram (8 or 4 bytes) and a step together.
pub(super) struct Layer {
    pub step: usize,
    pub stretch: usize,
}

/// The layers for long, short and tiny forms.
pub(super) const LAYERS: [Layer; 3] =
    [Layer { step: 4, stretch: 11 }, Layer { step: 4, stretch: 7 }, Layer { step: 1, stretch: 4 }];
/// The longest stretch of any layer.
pub(super) const LONGEST_STRETCH: usize = LAYERS[LONG].stretch;
/// The layer of long forms.
pub(super) const LONG: usize = 0;
/// The layer of short forms.
pub(super) const SHORT: usize = 1;
/// The layer of tiny forms.
pub(super) const TINY: usize = 2;

/// How many stretches of a form are tried to find one that no other value has.
const MAX_TRIES: usize = 8;

/// A stretch by which a form of a part is recognised.
pub(super) struct Anchor {
    key: u64,
    at: u16,
    part: u16,
    form: Form,
    layer: u8,
}

#[cfg(test)]
impl Anchor {
    pub(super) fn form(&self) -> Form {
        self.form
    }
}

/// All entries with the same key; nearly always there is one.
#[derive(Clone)]
struct Entries {
    first: Entry,
    more: Option<Arc<[Entry]>>,
}

impl Entries {
    /// All entries, the first one first.
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(self.more.iter().flat_map(|more| more.iter()))
    }

    /// The entries with one key; `None` if there are none.
    fn collect(entries: Vec<Entry>) -> Option<Entries> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        let more = entries.as_slice();
        let more = (!more.is_empty()).then(|| more.into());
        Some(Entries { first, more })
    }
}

/// The filters that a text is scanned with.
pub(super) struct Filters {
    /// The grams of the long and short layers, and those of the tiny layer.
    pub grams: GramFilter,
    pub tiny: GramFilter,
    key_set: KeySet,
    /// How many anchors of each layer they have room for.
    capacity: [usize; 3],
}

impl Filters {
    /// Filters with room for twice as many anchors.
    fn new(anchors: [usize; 3]) -> Filters {
        let capacity = anchors.map(|count| count * 2);
        let grams = |layer: usize| capacity[layer] * LAYERS[layer].step;
        Filters {
            grams: GramFilter::new(grams(LONG) + grams(SHORT)),
            tiny: GramFilter::new(grams(TINY)),
            key_set: KeySet::new(capacity.iter().sum()),
            capacity,
        }
    }

    /// True if the layer has an anchor.
    pub(super) fn has_layer(&self, layer: usize) -> bool {
        self.capacity[layer] > 0
    }

    /// True if the stretch that `text` starts with may be an anchor.
    #[inline]
    pub(super) fn may_be(&self, layer: usize, text: &[u8]) -> bool {
        self.key_set.may_have(key(layer, text))
    }
}

/// The anchors of all values: filters for the scan, and the entries that a hit is confirmed with.
///
/// Readers take no lock. The filters are replaced as a whole when they have to grow; an anchor
/// enters the entries before the filters. When a value is added, every later scan finds it.
pub(super) struct Tables {
    filters: ArcSwap<Filters>,
    entries: papaya::HashMap<u64, Entries, foldhash::fast::RandomState>,
    /// How many anchors of each layer are in the filters, removed ones included.
    used: [AtomicUsize; 3],
    /// How many of them were removed.
    removed: AtomicUsize,
    /// The longest distance from the start of a match to its end.
    max_match_length: AtomicUsize,
    /// Set by the first value that needs it: see [`UnwrapOptions`].
    blanks: AtomicBool,
    short: AtomicBool,
    /// How many forms were made; tests measure the cost of adding and removing by it.
    #[cfg(test)]
    pub(super) work: AtomicUsize,
}

impl Tables {
    /// Tables without a value.
    pub(super) fn new() -> Tables {
        Tables {
            filters: ArcSwap::from_pointee(Filters::new([0; 3])),
            entries: papaya::HashMap::default(),
            used: Default::default(),
            removed: AtomicUsize::new(0),
            max_match_length: AtomicUsize::new(0),
            blanks: AtomicBool::new(false),
            short: AtomicBool::new(false),
            #[cfg(test)]
            work: AtomicUsize::new(0),
        }
    }

    /// The current filters.
    pub(super) fn filters(&self) -> arc_swap::Guard<Arc<Filters>> {
        self.filters.load()
    }

    /// How far behind its start a match may end.
    pub(super) fn max_match_length(&self) -> usize {
        self.max_match_length.load(Ordering::Acquire)
    }

    /// What the registered values require of unwrapped text.
    pub(super) fn unwrap_options(&self) -> UnwrapOptions {
        UnwrapOptions {
            blanks: self.blanks.load(Ordering::Acquire),
            short: self.short.load(Ordering::Acquire),
        }
    }

    /// Notes what the parts of a new value require of unwrapped text.
    fn note_options(&self, parts: &[Part]) {
        for part in parts.iter().filter(|part| part.encoded) {
            if part.text().contains(' ') {
                self.blanks.store(true, Ordering::Release);
            }
            if part.text().len() < confirm::MIN_SPLIT {
                self.short.store(true, Ordering::Release);
            }
        }
    }

    /// Calls `visit` with every entry that may have its anchor at `at`.
    pub(super) fn for_each_entry(
        &self,
        layer: usize,
        text: &[u8],
        at: usize,
        visit: &mut impl FnMut(&Entry),
    ) {
        let Some(entries) = self.entries.pin().get(&key(layer, &text[at..])).cloned() else {
            return;
        };
        entries.iter().for_each(visit);
    }

    /// Chooses the anchors of a new value: stretches that no other value has, if possible.
    pub(super) fn choose_anchors(&self, parts: &[Part]) -> Box<[Anchor]> {
        let mut anchors = Vec::new();
        for (number, part) in parts.iter().enumerate() {
            let mut seen: Vec<Zeroizing<Vec<u8>>> = Vec::new();
            let forms = if part.encoded { FORMS } else { &FORMS[..1] };
            for &form in forms {
                let text = self.form(form, part);
                if seen.contains(&text) {
                    continue;
                }
                let own = anchors.len();
                for (layer, from, to) in anchor_spans(text.len(), form.wraps()) {
                    let at = self.rarest(layer, &text, from, to);
                    let key = key(layer, &text[at..]);
                    // More anchors of a repetitive form would only cost time.
                    if anchors[own..].iter().filter(|anchor: &&Anchor| anchor.key == key).count()
                        > 1
                    {
                        continue;
                    }
                    anchors.push(Anchor {
                        key,
                        at: at as u16,
                        part: number as u16,
                        form,
                        layer: layer as u8,
                    });
                }
                seen.push(text);
            }
        }
        anchors.into()
    }

    /// The part in a form.
    fn form(&self, form: Form, part: &Part) -> Zeroizing<Vec<u8>> {
        #[cfg(test)]
        self.work.fetch_add(1, Ordering::Relaxed);
        form.of(part.text())
    }

    /// The start of the stretch between `from` and `to` that the fewest other values have.
    fn rarest(&self, layer: usize, text: &[u8], from: usize, to: usize) -> usize {
        let filters = self.filters();
        let pinned = self.entries.pin();
        let tries = (to - from + 1).min(MAX_TRIES);
        // Starts in the middle, which is most specific in links and in tokens with a prefix.
        let place =
            |n: usize| from + ((2 * n + tries) * (to - from + 1) / (2 * tries)) % (to - from + 1);
        let others = |at: usize| {
            let key = key(layer, &text[at..]);
            if !filters.key_set.may_have(key) {
                0
            } else {
                pinned.get(&key).map_or(0, |e| e.iter().count())
            }
        };
        let mut best = (usize::MAX, from);
        for at in (0..tries).map(place) {
            best = best.min((others(at), at));
            if best.0 == 0 {
                break;
            }
        }
        best.1
    }

    /// Makes a value findable. `all` are all values, including this one.
    pub(super) fn add<'r, I>(&self, value: &Arc<Registered>, all: impl Fn() -> I)
    where
        I: Iterator<Item = &'r Arc<Registered>>,
    {
        self.note_options(&value.parts);
        let pinned = self.entries.pin();
        for anchor in &value.anchors {
            let &Anchor { key, at, part, form, layer } = anchor;
            let entry = Entry { value: Arc::downgrade(value), at, part, form };
            let mut entries: Vec<Entry> =
                pinned.get(&key).into_iter().flat_map(Entries::iter).cloned().collect();
            entries.push(entry);
            if let Some(entries) = Entries::collect(entries) {
                pinned.insert(key, entries);
            }
            self.used[usize::from(layer)].fetch_add(1, Ordering::Relaxed);
        }
        let filters = self.filters();
        let full = |(used, room): (&AtomicUsize, &usize)| used.load(Ordering::Relaxed) > *room;
        if self.used.iter().zip(&filters.capacity).any(full) {
            self.rebuild(all());
        } else {
            self.max_match_length.fetch_max(self.fill_filters(value, &filters), Ordering::Release);
        }
    }

    /// Forgets a value. `all` are the values that stay.
    pub(super) fn remove<'r, I>(&self, value: &Arc<Registered>, all: impl Fn() -> I)
    where
        I: Iterator<Item = &'r Arc<Registered>>,
    {
        let pinned = self.entries.pin();
        let gone = Arc::downgrade(value);
        for anchor in &value.anchors {
            let Some(entries) = pinned.get(&anchor.key) else { continue };
            let left = entries.iter().filter(|entry| !entry.value.ptr_eq(&gone)).cloned();
            match Entries::collect(left.collect()) {
                Some(left) => pinned.insert(anchor.key, left),
                None => pinned.remove(&anchor.key),
            };
        }
        let removed =
            value.anchors.len() + self.removed.fetch_add(value.anchors.len(), Ordering::Relaxed);
        let used: usize = self.used.iter().map(|used| used.load(Ordering::Relaxed)).sum();
        if removed * 2 > used {
            self.rebuild(all());
        }
    }

    /// Forgets all values.
    pub(super) fn clear(&self) {
        self.rebuild(std::iter::empty());
        self.blanks.store(false, Ordering::Release);
        self.short.store(false, Ordering::Release);
        self.entries.pin().clear();
    }

    /// Builds new filters for `all`, with room for as many again.
    fn rebuild<'r>(&self, all: impl Iterator<Item = &'r Arc<Registered>>) {
        let all: Vec<&Arc<Registered>> = all.collect();
        let mut used = [0; 3];
        for anchor in all.iter().flat_map(|value| &value.anchors) {
            used[usize::from(anchor.layer)] += 1;
        }
        let filters = Filters::new(used);
        let max_match_length =
            all.iter().map(|value| self.fill_filters(value, &filters)).max().unwrap_or(0);
        // A reader with the old filters may still need the old length, so it only shrinks when the set
        // is empty.
        self.max_match_length.fetch_max(max_match_length, Ordering::Release);
        self.filters.store(Arc::new(filters));
        for (count, used) in self.used.iter().zip(used) {
            count.store(used, Ordering::Relaxed);
        }
        self.removed.store(0, Ordering::Relaxed);
    }

    /// Adds the grams and keys of a value to the filters. Returns the length of its
    /// longest match.
    fn fill_filters(&self, value: &Registered, filters: &Filters) -> usize {
        let mut max_match_length = 0;
        for part in value.anchors.chunk_by(|a, b| (a.part, a.form) == (b.part, b.form)) {
            let Some(first) = part.first() else { continue };
            let text = self.form(first.form, &value.parts[usize::from(first.part)]);
            max_match_length = max_match_length.max(confirm::longest(text.len()));
            for anchor in part {
                let layer = usize::from(anchor.layer);
                // The key first: a gram that is accepted must find its key.
                filters.key_set.set(anchor.key);
                for at in usize::from(anchor.at)..usize::from(anchor.at) + LAYERS[layer].step {
                    let gram = Gram::at(&text[at..]);
                    match layer {
                        LONG => filters.grams.set_long(gram),
                        SHORT => filters.grams.set_short(gram),
                        _ => filters.tiny.set_short(gram),
                    }
                }
            }
        }
        max_match_length
    }
}

/// In which layers, and between which starts, the anchors of a form of this length are chosen.
fn anchor_spans(length: usize, wraps: bool) -> Vec<(usize, usize, usize)> {
    let half = length / 2;
    let [long, short, tiny] = [LONG, SHORT, TINY].map(|layer| LAYERS[layer].stretch);
    let halves = |layer, stretch| [(layer, 0, half - stretch), (layer, half, length - stretch)];
    match length {
        _ if length >= 2 * long && wraps => {
            // Two consecutive anchors span at most two such parts from start to end.
            let parts = length.div_ceil(MAX_UNANCHORED / 2).max(2);
            let start = |part: usize| length * part / parts;
            (0..parts).map(|part| (LONG, start(part), start(part + 1) - long)).collect()
        }
        _ if length >= 2 * short && wraps => {
            let mut spans: Vec<_> = halves(SHORT, short).into();
            if length >= long {
                spans.insert(0, (LONG, 0, length - long));
            }
            spans
        }
        _ if length >= long => vec![(LONG, 0, length - long)],
        _ if length >= short => vec![(SHORT, 0, length - short)],
        _ if length >= tiny => vec![(TINY, 0, length - tiny)],
        _ => Vec::new(),
    }
}

/// Makes case irrelevant, and leaves enough of other bytes to distinguish them.
const FOLD: u64 = 0x2020_2020_2020_2020;

// Odd constants with well-mixed bits: the fractional parts of the golden ratio, and of the square
// roots of 3 and 5 (each times 2^64). The high bits of a product are the mixed ones.
const GOLD: u64 = 0x9e37_79b9_7f4a_7c15;
const ROOT3: u64 = 0xbb67_ae85_84ca_a73b;
const ROOT5: u64 = 0x3c6e_f372_fe94_f82b;

/// The key of the stretch that `text` starts with.
#[inline]
fn key(layer: usize, text: &[u8]) -> u64 {
    let (a, b) = match layer {
        LONG => (load8(text), load8(&text[3..])),
        SHORT => (u64::from(load4(text)), u64::from(load4(&text[3..]))),
        _ => (u64::from(load4(text)), 0),
    };
    let mixed = (a | FOLD).wrapping_mul(ROOT3) ^ (b | FOLD).wrapping_mul(ROOT5).rotate_left(32);
    (mixed ^ mixed >> 32 ^ layer as u64).wrapping_mul(GOLD)
}

/// The first eight bytes of `text`; 0 if there are fewer.
#[inline(always)]
fn load8(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// The first four bytes of `text`; 0 if there are fewer.
#[inline(always)]
fn load4(text: &[u8]) -> u32 {
    text.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
