//! Randomness of the body of a token: does it look drawn at random, as a key does, or like words, a
//! counter or a dummy value that only shows the shape?
//!
//! The test is weak on purpose, because the shape of the token fits already. The stricter test for
//! values without a known shape is in [`judge`](crate::precise::judge).

/// True if the bytes look random enough for a token of a known shape.
pub(super) fn looks_random(body: &[u8]) -> bool {
    let stats = ByteStats::of(body);
    let worded = stats.is_separated_words() || stats.is_camel_case_words();
    stats.is_varied() && (stats.digits > 0 || stats.is_mixed_case()) && !worded && !is_filled(body)
}

/// True for `Something00000000` and `abcxxxxxxxx`: filled up to the required length.
fn is_filled(body: &[u8]) -> bool {
    body.windows(MIN_FILLING)
        .any(|run| matches!(run[0], b'0' | b'x' | b'X') && run[1..] == run[..MIN_FILLING - 1])
}

/// A row of this many equal bytes does not occur in a key.
const MIN_FILLING: usize = 8;

/// Counts over a body.
struct ByteStats {
    /// How many letters and digits there are.
    length: usize,
    digits: usize,
    upper: usize,
    /// How often a lower-case letter follows another.
    lower_pairs: usize,
    /// How often a letter of one case follows a letter of the other.
    case_changes: usize,
    /// How often a digit follows a letter, or a letter a digit.
    digit_changes: usize,
    separators: usize,
    distinct: usize,
    /// How often the most frequent byte occurs.
    most_frequent: usize,
}

impl ByteStats {
    /// Counts the bytes of a body.
    fn of(body: &[u8]) -> ByteStats {
        let mut counts = [0u16; 128];
        let (mut digits, mut upper, mut case_changes, mut digit_changes, mut separators) =
            (0, 0, 0, 0, 0);
        let mut lower_pairs = 0;
        let mut before = 0u8;
        for &byte in body {
            if !byte.is_ascii_alphanumeric() {
                separators += 1;
                before = byte;
                continue;
            }
            counts[usize::from(byte & 127)] += 1;
            digits += usize::from(byte.is_ascii_digit());
            upper += usize::from(byte.is_ascii_uppercase());
            lower_pairs += usize::from(byte.is_ascii_lowercase() && before.is_ascii_lowercase());
            let letters = byte.is_ascii_alphabetic() && before.is_ascii_alphabetic();
            case_changes += usize::from(letters && (byte ^ before) & 32 != 0);
            let word = before.is_ascii_alphanumeric();
            digit_changes += usize::from(word && byte.is_ascii_digit() != before.is_ascii_digit());
            before = byte;
        }
        ByteStats {
            length: body.len() - separators,
            digits,
            upper,
            lower_pairs,
            case_changes,
            digit_changes,
            separators,
            distinct: counts.iter().filter(|n| **n > 0).count(),
            most_frequent: counts.iter().copied().max().unwrap_or(0).into(),
        }
    }

    /// Many different bytes, none of them very frequent. False for `xxxxxxxx` and `00000000`.
    fn is_varied(&self) -> bool {
        self.distinct >= (self.length / 3).min(7) && self.most_frequent * 5 <= self.length * 2
    }

    /// A body without digits must change its case all the time.
    fn is_mixed_case(&self) -> bool {
        self.upper * 4 >= self.length && self.case_changes * 4 >= self.length
    }

    /// Words between separators, with hardly a number: `config_cache_directory_2`.
    fn is_separated_words(&self) -> bool {
        let changes = self.case_changes + self.digit_changes;
        self.separators * 8 > self.length && changes * 6 < self.length
    }

    /// Words in camel case with hardly a number: `BatchUpdateMemberEc2Status`. In random letters
    /// and digits, a sixth of the pairs are two lower-case letters.
    fn is_camel_case_words(&self) -> bool {
        self.upper > 0 && self.digits * 12 <= self.length && self.lower_pairs * 2 >= self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_look_random_and_names_do_not() {
        for key in ["8Jd0qXv2mKzR4t", "0f8a2b6c9d1e3f57", "QwErTzUiOpAsDfGh", "a8f-3kd9_x02jq7"] {
            assert!(looks_random(key.as_bytes()), "{key}");
        }
        for name in [
            "xxxxxxxxxxxx",
            "BatchUpdateMemberEc2DeepInspectionStatus",
            "policy/AmazonS3FilesClientReadOnlyAccess",
            "config_cache_directory_2",
            "requestIdleCallback",
            "0000000000001",
        ] {
            assert!(!looks_random(name.as_bytes()), "{name}");
        }
    }
}
