//! The known word that a mistyped one was probably meant to be.

/// The known word closest to a mistyped one, if any is close enough to be worth naming.
pub fn nearest<'k>(given: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    const CLOSE_ENOUGH: f64 = 0.75;
    // Longer than any word that we know; a model may send megabytes, and likeness is quadratic.
    const LONGEST: usize = 256;
    if given.len() > LONGEST {
        return None;
    }
    let given = given.to_lowercase();
    known
        .map(|word| (strsim::jaro_winkler(&given, &word.to_lowercase()), word))
        .filter(|(likeness, _)| *likeness >= CLOSE_ENOUGH)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, word)| word)
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
