//! Word scores: tell words from noise by how common their pairs of letters are.
use crate::words;

/// How common a letter is behind another one in words, from 0 (rare) to 9 (very common). The row is
/// the first letter, the column the second, `a` to `z`.
///
/// Computed from the 38,713 words of three and more letters (identifiers split at capitals and
/// underscores) in 60 MB of Rust sources and their documentation, without words that occur in fewer
/// than three files. Each pair of a word counts log2(1 + files), `p` is its share of all pairs, and
/// the digit is `(log2(676 p) + 4) * 9 / 8`, rounded and clamped to 0..=9. Pairs of evenly random
/// letters have a mean of 2.4, words one of 6.6; 99 in 100 words have at least 4.2.
const PAIR_SCORES: [&[u8; 26]; 26] = [
    b"36762450603867060768543340",
    b"53325200530611410442500030",
    b"73537306506522830547520030",
    b"53358321710421520552424120",
    b"74785552402768454987354630",
    b"52346610600511610443400020",
    b"40006124500324300543400000",
    b"60026000500131500424301020",
    b"55766560002669850577050306",
    b"10003000000000000100000200",
    b"20116000400101100041100000",
    b"72248210701711740145520060",
    b"74217000600241560042400000",
    b"63777582604424630278441020",
    b"35652440404668560865655210",
    b"72337214501621650756522030",
    b"00000000000000000000500000",
    b"72559341704454730566542050",
    b"50518235703433550368612043",
    b"72438326800432630765512260",
    b"44435430500657250666000100",
    b"50007000500010310000000000",
    b"50214103400114410331000000",
    b"31314100300000040005000000",
    b"11212000300223250043000000",
    b"20006000200000100000000000",
];

/// The mean score from which letters read as a word, in tenths. Between the 2.4 of random letters
/// and the 4.2 that 99 in 100 words reach.
const MIN_WORD_SCORE: usize = 36;

/// The per cent of letters in words from which a text is mostly words. The rest are abbreviations and
/// names.
const MOSTLY: usize = 70;

/// The sum of the scores of the pairs in `letters`, and the number of pairs. Any case; other bytes
/// end a stretch.
fn pair_scores(letters: &[u8]) -> (usize, usize) {
    let mut sum = 0;
    let mut pairs = 0;
    for pair in letters.windows(2) {
        let (a, b) = (pair[0].to_ascii_lowercase(), pair[1].to_ascii_lowercase());
        if a.is_ascii_lowercase() && b.is_ascii_lowercase() {
            sum += usize::from(PAIR_SCORES[usize::from(a - b'a')][usize::from(b - b'a')] - b'0');
            pairs += 1;
        }
    }
    (sum, pairs)
}

/// True if these letters read as one word, or are a well-known abbreviation.
fn is_word(letters: &[u8]) -> bool {
    let (sum, pairs) = pair_scores(letters);
    let known = |word: &&str| word.as_bytes().eq_ignore_ascii_case(letters);
    pairs >= 2 && sum * 10 >= MIN_WORD_SCORE * pairs
        || letters.len() <= 5 && words::ABBREVIATIONS.iter().any(known)
}

/// How much of a text is words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Words {
    /// All letters.
    pub letters: usize,
    /// Letters of parts that read as words. Parts have at least three letters and are split at
    /// capitals, digits and punctuation.
    pub covered: usize,
    /// How many parts read as words.
    pub words: usize,
    /// How many parts there are.
    pub parts: usize,
}

impl Words {
    /// Scores the parts of a text.
    pub(super) fn of(text: &[u8]) -> Words {
        let mut words = Words { letters: 0, covered: 0, words: 0, parts: 0 };
        for part in (Parts { rest: text }) {
            words.letters += part.len();
            words.parts += 1;
            if is_word(part) {
                words.covered += part.len();
                words.words += 1;
            }
        }
        words
    }

    /// True if at least [`MOSTLY`] per cent of the letters are in words.
    pub(super) fn mostly_words(self) -> bool {
        self.letters > 0 && self.covered * 100 >= self.letters * MOSTLY
    }
}

/// Iterates over the parts of an identifier: `parse`, `HTTP` and `Body` of `parseHTTPBody_2`.
struct Parts<'t> {
    rest: &'t [u8],
}

impl<'t> Iterator for Parts<'t> {
    type Item = &'t [u8];

    fn next(&mut self) -> Option<&'t [u8]> {
        let start = self.rest.iter().position(u8::is_ascii_alphabetic)?;
        let rest = &self.rest[start..];
        let upper = rest.iter().take_while(|b| b.is_ascii_uppercase()).count();
        let lower =
            |from: usize| rest[from..].iter().take_while(|b| b.is_ascii_lowercase()).count();
        let length = match (upper, lower(upper)) {
            (0 | 1, lower) => upper + lower,
            // A plural of capitals: `URLs`.
            (upper, 1) if rest[upper] == b's' => upper + 1,
            (upper, 0) => upper,
            (upper, _) => upper - 1,
        };
        self.rest = &rest[length..];
        Some(&rest[..length])
    }
}

/// The mean score of all pairs of letters, in tenths, except pairs of a lower-case letter and a
/// capital; `None` if there are fewer than four pairs.
pub(super) fn mean_pair_score(text: &[u8]) -> Option<usize> {
    let (mut sum, mut pairs) = (0, 0);
    for part in (Parts { rest: text }) {
        let (more, count) = pair_scores(part);
        sum += more;
        pairs += count;
    }
    (pairs >= 4).then(|| sum * 10 / pairs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_words_and_noise_is_not() {
        for word in ["authToken", "parse_http_body", "DEFAULT_SECRET_KEY", "user.password.reset"] {
            assert!(Words::of(word.as_bytes()).mostly_words(), "{word}");
        }
        for noise in ["LXapXAbUcL", "noOmHaYWDUsiq", "wvgeAoVKDKC5", "rrGHN_lz6a2B4vl"] {
            assert!(!Words::of(noise.as_bytes()).mostly_words(), "{noise}");
        }
    }

    #[test]
    fn an_identifier_is_taken_apart_at_capitals_digits_and_punctuation() {
        let parts: Vec<&[u8]> = Parts { rest: b"parseHTTPBody_2-URLs.x" }.collect();
        let expected: [&[u8]; 5] = [b"parse", b"HTTP", b"Body", b"URLs", b"x"];
        assert_eq!(parts, expected);
    }
}
