use super::*;

struct Ask<'a> {
    class: &'a Class,
    grams: &'a Grams,
    bytes: &'a [u8; BLOCK_WINDOW],
}

impl Task for Ask<'_> {
    type Answer = (u64, u64);

    fn run<L: Lanes>(self) -> (u64, u64) {
        (L::matching(self.class, self.bytes), L::gram_starts(self.grams, self.bytes))
    }
}

fn token() -> ByteSet {
    ByteSet::of(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.'))
}

const WORDS: [&[u8]; 9] =
    [b"pass", b"secr", b"://", b"-beg", b"key", b"\xE2\x84\xAA", b"\xC5\xBF", b"AKIA", b"\x00\xFF"];

/// Texts that stand on the borders of classes, words and blocks, and random ones.
fn texts() -> Vec<Vec<u8>> {
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 24) as u8
    };
    let mut texts: Vec<Vec<u8>> = (0..200).map(|length| vec![b'a'; length]).collect();
    texts.extend((0..200).map(|length| (0..length).map(|_| random()).collect()));
    texts.extend(
        (0..200)
            .map(|length| (0..length).map(|_| b"-beGINk:/sP"[random() as usize % 11]).collect()),
    );
    for word in WORDS {
        texts.extend((0..130).map(|at| [&vec![b' '; at][..], word, b"\xFF/"].concat()));
        texts.push(word.repeat(50));
    }
    texts.push((0..=255).collect());
    texts
}

#[test]
fn every_level_answers_what_plain_code_answers() {
    let class = Class::new(token()).unwrap();
    let grams = Grams::new(&WORDS.map(Gram::folded));
    for text in texts() {
        for start in 0..text.len().min(70) {
            let text = &text[start..];
            for at in (0..text.len() + 70).step_by(BLOCK) {
                let piece = block(text, at);
                let ask = |level: Level| {
                    level.run(Ask { class: &class, grams: &grams, bytes: piece.bytes() })
                };
                let expected = ask(Level::Scalar);
                for level in Level::all() {
                    assert_eq!(ask(level), expected, "{level:?} at {at} of {text:?}");
                }
            }
        }
    }
}

#[test]
fn a_class_is_exactly_its_set() {
    let sets = [
        token(),
        ByteSet::of(|b| b.is_ascii_hexdigit()),
        ByteSet::of(|b| b.is_ascii_alphabetic() || b == b'_'),
        ByteSet::ANY,
        ByteSet::of(|_| false),
    ];
    for set in sets {
        let class = Class::new(set).unwrap();
        for byte in 0..=u8::MAX {
            let looked_up =
                class.lower[usize::from(byte & 15)] & class.upper[usize::from(byte >> 4)];
            assert_eq!(looked_up != 0, set.has(byte), "{byte:#x}");
            let padded = block(&[byte], 0).bytes()[0];
            assert_eq!(class.has(padded), set.has(byte));
        }
    }
    let nine_rows = ByteSet::of(|b| b & 15 <= b >> 4 && b >> 4 < 9);
    assert!(Class::new(nine_rows).is_none());
}

#[test]
fn no_word_is_missed_in_any_case_and_place() {
    let grams = Grams::new(&WORDS.map(Gram::folded));
    let two = Grams::two(&WORDS.map(Gram::folded), &[0, 3, 9, 15, 8]);
    let class = Class::new(token()).unwrap();
    for word in WORDS {
        for at in 0..200 {
            for word in [word.to_ascii_lowercase(), word.to_ascii_uppercase()] {
                let text = [&vec![b'x'; at][..], &word].concat();
                let piece = block(&text, at / BLOCK * BLOCK);
                for level in Level::all() {
                    let ask = Ask { class: &class, grams: &grams, bytes: piece.bytes() };
                    assert!(level.run(ask).1 >> (at % BLOCK) & 1 == 1, "{word:?} at {at}");
                    let bits = two.iter().fold(0, |bits, grams| {
                        bits | level.run(Ask { class: &class, grams, bytes: piece.bytes() }).1
                    });
                    assert!(bits >> (at % BLOCK) & 1 == 1, "{word:?} at {at} in two");
                }
            }
        }
    }
}

/// Which bytes are of each of several sets, and where words of either search may start.
struct AskAll<'a> {
    classes: &'a Classes<4>,
    grams: &'a [Grams; 2],
    bytes: &'a [u8; BLOCK_WINDOW],
}

impl Task for AskAll<'_> {
    type Answer = ([u64; 4], u64);

    fn run<L: Lanes>(self) -> ([u64; 4], u64) {
        (
            L::each(self.classes, self.bytes),
            L::any_gram_starts(&L::load_tables(self.grams), self.bytes),
        )
    }
}

#[test]
fn several_questions_at_once_are_answered_as_one_by_one() {
    let sets = [
        token(),
        ByteSet::of(|b| b.is_ascii_hexdigit() || b == b'-'),
        ByteSet::of(|b| b.is_ascii_digit()),
        ByteSet::of(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/')),
    ];
    let classes = Classes::new(&sets).unwrap();
    let grams = Grams::two(&WORDS.map(Gram::folded), &[0, 3, 9, 15, 8]);
    for text in texts() {
        for at in (0..text.len() + 70).step_by(29) {
            let piece = block(&text, at);
            for level in Level::all() {
                let bytes = piece.bytes();
                let (found, starts) = level.run(AskAll { classes: &classes, grams: &grams, bytes });
                let one = |set: &ByteSet| {
                    (0..BLOCK).fold(0, |bits, n| bits | u64::from(set.has(bytes[n])) << n)
                };
                assert_eq!(found, sets.each_ref().map(one), "{level:?} at {at} of {text:?}");
                let class = Class::new(token()).unwrap();
                let either = grams.iter().fold(0, |bits, grams| {
                    bits | Level::Scalar.run(Ask { class: &class, grams, bytes }).1
                });
                assert_eq!(starts, either, "{level:?} at {at} of {text:?}");
            }
        }
    }
    let nine_rows = [ByteSet::of(|b| b & 15 <= b >> 4 && b >> 4 < 9)];
    assert!(Classes::new(&nine_rows).is_none());
}

/// Which bytes are of each of some sets that lie in each other.
struct AskNest<'a> {
    nested_sets: &'a NestedSets<4>,
    bytes: &'a [u8; BLOCK_WINDOW],
}

impl Task for AskNest<'_> {
    type Answer = [u64; 4];

    fn run<L: Lanes>(self) -> [u64; 4] {
        L::nested(self.nested_sets, self.bytes)
    }
}

#[test]
fn sets_that_lie_in_each_other_are_exactly_what_they_are_at_all_levels() {
    let sets = [
        token(),
        ByteSet::of(|b| b.is_ascii_digit()),
        ByteSet::of(|b| token().has(b) || matches!(b, b'+' | b'/' | b'~')),
        ByteSet::of(|b| b.is_ascii_alphanumeric()),
    ];
    let nested_sets = NestedSets::new(&sets).unwrap();
    for text in texts() {
        for at in (0..text.len() + 70).step_by(29) {
            let piece = block(&text, at);
            let bytes = piece.bytes();
            let one = |set: &ByteSet| {
                (0..BLOCK).fold(0, |bits, n| bits | u64::from(set.has(bytes[n])) << n)
            };
            let expected = sets.each_ref().map(one);
            for level in Level::all() {
                let found = level.run(AskNest { nested_sets: &nested_sets, bytes });
                assert_eq!(found, expected, "{level:?} at {at} of {text:?}");
            }
        }
    }
    let crossing = [ByteSet::of(|b| b.is_ascii_lowercase()), ByteSet::of(|b| b < b'm')];
    assert!(NestedSets::new(&crossing).is_none());
    let nine_rows = [ByteSet::of(|b| b & 15 <= b >> 4 && b >> 4 < 9)];
    assert!(NestedSets::new(&nine_rows).is_none());
}
