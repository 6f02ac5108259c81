//! The known word that a mistyped one was probably meant to be.

/// The known word closest to a mistyped one, if any is close enough to be worth naming.
pub fn nearest<'k>(given: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    nearest_few(given, known, 1).pop()
}

/// The known words closest to a mistyped one, the closest first; of those that are equally close,
/// in the order given. Those that are much farther than the closest are not worth naming beside it.
pub fn nearest_few<'k>(
    given: &str,
    known: impl Iterator<Item = &'k str>,
    most: usize,
) -> Vec<&'k str> {
    const CLOSE_ENOUGH: f64 = 0.75;
    const BESIDE_THE_BEST: f64 = 0.1;
    // Longer than any word that we know; a model may send megabytes, and likeness is quadratic.
    const LONGEST: usize = 256;
    if given.len() > LONGEST {
        return Vec::new();
    }
    let given = given.to_lowercase();
    let mut close: Vec<(f64, &str)> = known
        .filter(|word| word.len() <= LONGEST)
        .map(|word| (strsim::jaro_winkler(&given, &word.to_lowercase()), word))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .collect();
    close.sort_by(|a, b| b.0.total_cmp(&a.0));
    let best = close.first().map_or(0.0, |(likeness, _)| *likeness);
    close.retain(|(likeness, _)| best - likeness <= BESIDE_THE_BEST);
    close.truncate(most);
    close.into_iter().map(|(_, word)| word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_typo_finds_its_word_and_a_stranger_finds_none() {
        let known = ["read_file", "write_file", "datetime"];
        assert_eq!(nearest("raed_file", known.into_iter()), Some("read_file"));
        assert_eq!(nearest("ReadFile", known.into_iter()), Some("read_file"));
        assert_eq!(nearest("zzz", known.into_iter()), None);
        assert_eq!(nearest(&"read_file".repeat(1_000_000), known.into_iter()), None);
    }
}
