//! Whether the bytes of a token look drawn at random, as a key's do, or like words, a counter, or
//! a stand-in that only shows the shape.

/// True if the bytes look random enough to be a key. Asks little: the shape has been found right
/// already.
pub(super) fn looks_random(body: &[u8]) -> bool {
    let seen = Seen::of(body);
    let worded = seen.spelled_out() || seen.is_joined();
    seen.varied() && (seen.digits > 0 || seen.mixed()) && !worded && !is_filled(body)
}

/// True for `Something00000000` and `abcxxxxxxxx`: filled up to the right length.
fn is_filled(body: &[u8]) -> bool {
    body.windows(FILLING)
        .any(|run| matches!(run[0], b'0' | b'x' | b'X') && run[1..] == run[..FILLING - 1])
}

/// So many times the same byte stand nowhere in a key.
const FILLING: usize = 8;

/// What is counted in a body.
struct Seen {
    /// Letters and digits.
    length: usize,
    digits: usize,
    upper: usize,
    /// How often a small letter follows another.
    small: usize,
    /// How often a letter of one case follows one of the other.
    turns: usize,
    /// How often a letter or a digit follows one of the other sort.
    shifts: usize,
    separators: usize,
    distinct: usize,
    /// How often the most frequent byte stands there.
    most: usize,
}

impl Seen {
    fn of(body: &[u8]) -> Seen {
        let mut counts = [0u16; 128];
        let (mut digits, mut upper, mut turns, mut shifts, mut separators) = (0, 0, 0, 0, 0);
        let mut small = 0;
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
            small += usize::from(byte.is_ascii_lowercase() && before.is_ascii_lowercase());
            let letters = byte.is_ascii_alphabetic() && before.is_ascii_alphabetic();
            turns += usize::from(letters && (byte ^ before) & 32 != 0);
            let word = before.is_ascii_alphanumeric();
            shifts += usize::from(word && byte.is_ascii_digit() != before.is_ascii_digit());
            before = byte;
        }
        Seen {
            length: body.len() - separators,
            digits,
            upper,
            small,
            turns,
            shifts,
            separators,
            distinct: counts.iter().filter(|n| **n > 0).count(),
            most: counts.iter().copied().max().unwrap_or(0).into(),
        }
    }

    /// No `xxxxxxxx`, no `00000000`: many different bytes, none of them very frequent.
    fn varied(&self) -> bool {
        self.distinct >= (self.length / 3).min(7) && self.most * 5 <= self.length * 2
    }

    /// Without any digit, only a text whose letters change their case all the time is random.
    fn mixed(&self) -> bool {
        self.upper * 4 >= self.length && self.turns * 4 >= self.length
    }

    /// Words between separators, with hardly a number among them: `config_cache_directory_2`.
    fn spelled_out(&self) -> bool {
        let changes = self.turns + self.shifts;
        self.separators * 8 > self.length && changes * 6 < self.length
    }

    /// Words in a row, each with a capital, and hardly a number: `BatchUpdateMemberEc2Status`. At
    /// random, a sixth of the pairs are two small letters.
    fn is_joined(&self) -> bool {
        self.upper > 0 && self.digits * 12 <= self.length && self.small * 2 >= self.length
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
