//! The tables in which values are found: sieves that say fast where nothing is, and a map that
//! says what could be where something is.
//!
//! The anchor of a form is a stretch of it, of one of three [layers](LAYERS) by how long the form
//! is. A stretch is long enough that any sweep by the layer's step meets one of the grams at its
//! beginning. The grams are in a sieve; where it lets one through, the key of the whole stretch
//! is looked up in a second sieve, and only then in the map.
//!
//! A form that may be broken into lines has an anchor in each half, so that one is whole where it is
//! broken once, and more where it is long: in what stands on a line of [`WHOLE`] bytes there is one.
//! What is broken into shorter stretches is found in a [joined](super::joined) text.
//!
//! What is removed leaves the map at once and the sieves when they are next made anew, which is
//! done when they are full, or when more has left than stays.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use arc_swap::ArcSwap;
use zeroize::Zeroizing;

use super::Registered;
use super::confirm::{self, Entry};
use super::form::{FORMS, Form};
use super::joined::{WHOLE, Wanted};
use super::keys::Keys;
use super::part::Part;
use super::sieve::{Gram, Sieve};

/// How long the stretches of a layer are, and how far apart the places are at which a text is
/// looked at. A stretch has one byte less than a gram (8 or 4 bytes) and a step.
pub(super) struct Shape {
    pub step: usize,
    pub stretch: usize,
}

/// The layers, for long, short and tiny forms.
pub(super) const LAYERS: [Shape; 3] =
    [Shape { step: 4, stretch: 11 }, Shape { step: 4, stretch: 7 }, Shape { step: 1, stretch: 4 }];
/// The longest stretch of any layer.
pub(super) const LONGEST_STRETCH: usize = LAYERS[LONG].stretch;
pub(super) const LONG: usize = 0;
pub(super) const SHORT: usize = 1;
pub(super) const TINY: usize = 2;

/// How many stretches of a form are tried for one that no other value has.
const TRIES: usize = 8;

/// Where a form of a part is recognised.
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

/// Everything that has a stretch with the same key; nearly always one thing.
#[derive(Clone)]
struct Entries {
    first: Entry,
    more: Option<Arc<[Entry]>>,
}

impl Entries {
    fn iter(&self) -> impl Iterator<Item = &Entry> {
        std::iter::once(&self.first).chain(self.more.iter().flat_map(|more| more.iter()))
    }

    fn collect(entries: Vec<Entry>) -> Option<Entries> {
        let mut entries = entries.into_iter();
        let first = entries.next()?;
        let more = entries.as_slice();
        let more = (!more.is_empty()).then(|| more.into());
        Some(Entries { first, more })
    }
}

/// What a text is swept with.
pub(super) struct Sieves {
    /// The grams of the long and of the short layer, and those of the tiny one.
    pub grams: Sieve,
    pub tiny: Sieve,
    keys: Keys,
    /// For how many anchors of each layer they are large enough.
    capacity: [usize; 3],
}

impl Sieves {
    /// With room for twice as many anchors as there are.
    fn new(anchors: [usize; 3]) -> Sieves {
        let capacity = anchors.map(|count| count * 2);
        let grams = |layer: usize| capacity[layer] * LAYERS[layer].step;
        Sieves {
            grams: Sieve::new(grams(LONG) + grams(SHORT)),
            tiny: Sieve::new(grams(TINY)),
            keys: Keys::new(capacity.iter().sum()),
            capacity,
        }
    }

    pub(super) fn have(&self, layer: usize) -> bool {
        self.capacity[layer] > 0
    }

    /// True if the stretch that `text` starts with may be somebody's.
    #[inline]
    pub(super) fn may_be(&self, layer: usize, text: &[u8]) -> bool {
        self.keys.have(key(layer, text))
    }
}

pub(super) struct Tables {
    sieves: ArcSwap<Sieves>,
    entries: papaya::HashMap<u64, Entries, foldhash::fast::RandomState>,
    /// How many anchors are in the sieves of each layer, those included that were removed.
    used: [AtomicUsize; 3],
    /// How many of them were removed.
    removed: AtomicUsize,
    /// How far the end of a match may be from its start, at most.
    reach: AtomicUsize,
    /// Set by the first value that wants it: see [`Wanted`].
    blanks: AtomicBool,
    short: AtomicBool,
    /// How many forms were made, to show what adding and removing costs.
    #[cfg(test)]
    pub(super) work: AtomicUsize,
}

impl Tables {
    pub(super) fn new() -> Tables {
        Tables {
            sieves: ArcSwap::from_pointee(Sieves::new([0; 3])),
            entries: papaya::HashMap::default(),
            used: Default::default(),
            removed: AtomicUsize::new(0),
            reach: AtomicUsize::new(0),
            blanks: AtomicBool::new(false),
            short: AtomicBool::new(false),
            #[cfg(test)]
            work: AtomicUsize::new(0),
        }
    }

    pub(super) fn sieves(&self) -> arc_swap::Guard<Arc<Sieves>> {
        self.sieves.load()
    }

    pub(super) fn reach(&self) -> usize {
        self.reach.load(Ordering::Acquire)
    }

    /// What the values ask for that are in many pieces.
    pub(super) fn wanted(&self) -> Wanted {
        Wanted {
            blanks: self.blanks.load(Ordering::Acquire),
            short: self.short.load(Ordering::Acquire),
        }
    }

    fn want(&self, parts: &[Part]) {
        for part in parts.iter().filter(|part| part.encoded) {
            if part.text().contains(' ') {
                self.blanks.store(true, Ordering::Release);
            }
            if part.text().len() < confirm::LEAST_BY_HALVES {
                self.short.store(true, Ordering::Release);
            }
        }
    }

    /// Calls `see` with everything that may have its stretch at `at`.
    pub(super) fn look(&self, layer: usize, text: &[u8], at: usize, see: &mut impl FnMut(&Entry)) {
        let Some(entries) = self.entries.pin().get(&key(layer, &text[at..])).cloned() else {
            return;
        };
        entries.iter().for_each(see);
    }

    /// Where the forms of the parts of a new value are recognised: at stretches that no other
    /// value has, if there are such.
    pub(super) fn choose(&self, parts: &[Part]) -> Box<[Anchor]> {
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
                for (layer, from, to) in spans(text.len(), form.wraps()) {
                    let at = self.rarest(layer, &text, from, to);
                    let key = key(layer, &text[at..]);
                    // Of a form that repeats itself more would only be looked at in vain.
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

    fn form(&self, form: Form, part: &Part) -> Zeroizing<Vec<u8>> {
        #[cfg(test)]
        self.work.fetch_add(1, Ordering::Relaxed);
        form.of(part.text())
    }

    /// The start of a stretch between `from` and `to` that few other values have.
    fn rarest(&self, layer: usize, text: &[u8], from: usize, to: usize) -> usize {
        let sieves = self.sieves();
        let pinned = self.entries.pin();
        let tries = (to - from + 1).min(TRIES);
        // From the middle, which is the most telling of links and of tokens with a prefix.
        let place =
            |n: usize| from + ((2 * n + tries) * (to - from + 1) / (2 * tries)) % (to - from + 1);
        let others = |at: usize| {
            let key = key(layer, &text[at..]);
            if !sieves.keys.have(key) {
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

    /// Makes a value findable. `all` are the values, this one included.
    pub(super) fn add<'r, I>(&self, value: &Arc<Registered>, all: impl Fn() -> I)
    where
        I: Iterator<Item = &'r Arc<Registered>>,
    {
        self.want(&value.parts);
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
        let sieves = self.sieves();
        let full = |(used, room): (&AtomicUsize, &usize)| used.load(Ordering::Relaxed) > *room;
        if self.used.iter().zip(&sieves.capacity).any(full) {
            self.rebuild(all());
        } else {
            self.reach.fetch_max(self.sift(value, &sieves), Ordering::Release);
        }
    }

    /// Forgets a value. `all` are those that stay.
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

    /// Forgets everything.
    pub(super) fn clear(&self) {
        self.rebuild(std::iter::empty());
        self.blanks.store(false, Ordering::Release);
        self.short.store(false, Ordering::Release);
        self.entries.pin().clear();
    }

    /// Makes new sieves for `all`, with room for as many again.
    fn rebuild<'r>(&self, all: impl Iterator<Item = &'r Arc<Registered>>) {
        let all: Vec<&Arc<Registered>> = all.collect();
        let mut used = [0; 3];
        for anchor in all.iter().flat_map(|value| &value.anchors) {
            used[usize::from(anchor.layer)] += 1;
        }
        let sieves = Sieves::new(used);
        let reach = all.iter().map(|value| self.sift(value, &sieves)).max().unwrap_or(0);
        // A reader with the old sieves may still need the old reach: it only shrinks when empty.
        self.reach.fetch_max(reach, Ordering::Release);
        self.sieves.store(Arc::new(sieves));
        for (count, used) in self.used.iter().zip(used) {
            count.store(used, Ordering::Relaxed);
        }
        self.removed.store(0, Ordering::Relaxed);
    }

    /// Puts the grams and keys of a value into the sieves. Answers how far its matches reach.
    fn sift(&self, value: &Registered, sieves: &Sieves) -> usize {
        let mut reach = 0;
        for part in value.anchors.chunk_by(|a, b| (a.part, a.form) == (b.part, b.form)) {
            let Some(first) = part.first() else { continue };
            let text = self.form(first.form, &value.parts[usize::from(first.part)]);
            reach = reach.max(confirm::longest(text.len()));
            for anchor in part {
                let layer = usize::from(anchor.layer);
                // The key first: a gram that is let through must find it.
                sieves.keys.set(anchor.key);
                for at in usize::from(anchor.at)..usize::from(anchor.at) + LAYERS[layer].step {
                    let gram = Gram::at(&text[at..]);
                    match layer {
                        LONG => sieves.grams.set_long(gram),
                        SHORT => sieves.grams.set_short(gram),
                        _ => sieves.tiny.set_short(gram),
                    }
                }
            }
        }
        reach
    }
}

/// In which layers, and between which starts, the anchors of a form of some length are.
fn spans(length: usize, wraps: bool) -> Vec<(usize, usize, usize)> {
    let half = length / 2;
    let [long, short, tiny] = [LONG, SHORT, TINY].map(|layer| LAYERS[layer].stretch);
    let halves = |layer, stretch| [(layer, 0, half - stretch), (layer, half, length - stretch)];
    match length {
        _ if length >= 2 * long && wraps => {
            // Two anchors that follow each other are at most twice such a part from start to end.
            let parts = length.div_ceil(WHOLE / 2).max(2);
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

/// Makes the case of letters not count, and leaves enough of other bytes to tell them apart.
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

#[inline(always)]
fn load8(text: &[u8]) -> u64 {
    text.first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

#[inline(always)]
fn load4(text: &[u8]) -> u32 {
    text.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes))
}
