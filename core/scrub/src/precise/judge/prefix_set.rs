//! Prefix sets: lists of prefixes that reject nearly every text by its first byte.

/// A set of prefixes.
pub(in crate::precise) struct PrefixSet {
    list: &'static [&'static [u8]],
    /// For each first byte, the part of the list where prefixes with that byte stand: from the
    /// first to behind the last.
    ranges: [(u8, u8); 256],
}

impl PrefixSet {
    /// A set of at most 255 prefixes, none of them empty. It is built when the crate is compiled.
    pub(in crate::precise) const fn new(list: &'static [&'static [u8]]) -> PrefixSet {
        assert!(list.len() < 256, "too many beginnings");
        let mut ranges = [(0, 0); 256];
        let mut index = 0;
        while index < list.len() {
            let range = &mut ranges[list[index][0] as usize];
            if range.1 == 0 {
                range.0 = index as u8;
            }
            index += 1;
            range.1 = index as u8;
        }
        PrefixSet { list, ranges }
    }

    /// True if the text starts with one of the prefixes.
    #[inline]
    pub(in crate::precise) fn matches(&self, text: &[u8]) -> bool {
        self.matching(text).next().is_some()
    }

    /// The prefixes that the text starts with.
    #[inline]
    pub(in crate::precise) fn matching(&self, text: &[u8]) -> impl Iterator<Item = &'static [u8]> {
        let (from, to) = text.first().map_or((0, 0), |&first| self.ranges[usize::from(first)]);
        let list = &self.list[usize::from(from)..usize::from(to)];
        list.iter().copied().filter(move |start| text.starts_with(start))
    }
}
