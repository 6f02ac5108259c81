//! A list of beginnings, of which a look at the first byte says no to nearly every text.

/// Beginnings of texts.
pub(in crate::scrub::precise) struct Starts {
    list: &'static [&'static [u8]],
    /// Where the beginnings with this first byte may stand in the list: from the first to behind
    /// the last.
    places: [(u8, u8); 256],
}

impl Starts {
    /// Of at most 255, none of them empty.
    pub(in crate::scrub::precise) const fn new(list: &'static [&'static [u8]]) -> Starts {
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
    pub(in crate::scrub::precise) fn begin(&self, text: &[u8]) -> bool {
        let Some(&first) = text.first() else { return false };
        let (from, to) = self.places[usize::from(first)];
        from < to && self.is_one(text, from, to)
    }

    fn is_one(&self, text: &[u8], from: u8, to: u8) -> bool {
        let list = &self.list[usize::from(from)..usize::from(to)];
        list.iter().any(|start| start[0] == text[0] && text.starts_with(start))
    }
}
