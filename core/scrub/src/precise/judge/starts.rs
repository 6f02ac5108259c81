//! A list of beginnings, of which a look at the first byte says no to nearly every text.

/// Beginnings of texts.
pub(in crate::precise) struct Starts {
    list: &'static [&'static [u8]],
    /// Where the beginnings with this first byte may stand in the list: from the first to behind
    /// the last.
    places: [(u8, u8); 256],
}

impl Starts {
    /// Of at most 255, none of them empty.
    pub(in crate::precise) const fn new(list: &'static [&'static [u8]]) -> Starts {
        assert!(list.len() < 256, "too many beginnings");
        let mut places = [(0, 0); 256];
        let mut index = 0;
        while index < list.len() {
            let place = &mut places[list[index][0] as usize];
            if place.1 == 0 {
                place.0 = index as u8;
            }
            index += 1;
            place.1 = index as u8;
        }
        Starts { list, places }
    }

    /// True if the text begins with one of them.
    #[inline]
    pub(in crate::precise) fn begin(&self, text: &[u8]) -> bool {
        self.of(text).next().is_some()
    }

    /// Those with which the text begins.
    #[inline]
    pub(in crate::precise) fn of(&self, text: &[u8]) -> impl Iterator<Item = &'static [u8]> {
        let (from, to) = text.first().map_or((0, 0), |&first| self.places[usize::from(first)]);
        let list = &self.list[usize::from(from)..usize::from(to)];
        list.iter().copied().filter(move |start| text.starts_with(start))
    }
}
