use std::cell::Cell;

use proptest::prelude::*;

use super::super::test_marks::scrub;

thread_local! {
    static INSPECTIONS: Cell<usize> = const { Cell::new(0) };
}

/// The finders look at something.
pub(in super::super) fn count_look() {
    INSPECTIONS.set(INSPECTIONS.get() + 1);
}

/// How often the detectors inspect a candidate of the text.
fn inspections(text: &str) -> usize {
    INSPECTIONS.set(0);
    scrub(text);
    INSPECTIONS.get()
}

/// Pieces of text each of which is inspected.
const BUSY: &[&str] = &[
    "key=(",
    "key=key==",
    "token=",
    "token: ",
    "password: ",
    "\"key\":\"",
    "key='a ",
    " -p",
    " -u ",
    "bearer ",
    "bearer: ",
    "Basic ",
    "://",
    "x://",
    "a://b:c@",
    "https://a@",
    "eyJ",
    "eyJ ",
    "eyJ.",
    "ewog.",
    "-----BEGIN ",
    "[REDACTED:token]",
    "?sig=a",
    "&key=",
    "$2y$",
    "kind: Secret\n",
    "\"auth\":\"",
    "identified by ",
    "key\n",
    "key: |\n  a\n",
    "密码",
    "<password>",
    "key=[[",
];

#[test]
fn text_that_repeats_itself_is_inspected_once() {
    for piece in BUSY {
        let (some, more) =
            (piece.repeat(20_000 / piece.len()), piece.repeat(200_000 / piece.len()));
        let (some, more) = (inspections(&some), inspections(&more));
        assert!(more <= some + 200, "{piece}: {some} looks, then {more}");
    }
}

#[test]
fn a_secret_in_or_behind_a_repetition_is_found() {
    let secret = format!("token=\"{}\"", "aB3dE6gH9jK2mN5".repeat(2));
    for piece in BUSY.iter().filter(|piece| !piece.contains(['"', '\''])) {
        let busy = format!("{}\n", piece.repeat(20));
        for count in [1, 5, 13, 37, 101, 103, 211] {
            let text = format!("{}{secret}\n{}", busy.repeat(count), busy.repeat(200));
            let masked = scrub(&text);
            assert!(!masked.contains(&secret[7..20]), "{piece} {count}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_is_found_behind_a_repetition_is_what_is_found_without(
        pieces in prop::collection::vec(prop::sample::select(BUSY), 1..6),
        count in (1_usize..34).prop_map(|dozens| 12 * dozens),
        tail in prop::collection::vec(prop::sample::select(BUSY), 1..6),
    ) {
        let piece = pieces.concat();
        let tail = format!("{}\npassword=hunter2aB9x\n", tail.concat());
        // A view around the tail sees the same in both. A hit may reach into the next piece, so
        // that every second or third piece has one: both have as many pieces, but for dozens.
        let enough = 2 * super::BACK / piece.len() + 2;
        let short = format!("{}{tail}", piece.repeat(enough));
        let long = format!("{}{tail}", piece.repeat(enough + count));
        let (short, long) = (scrub(&short), scrub(&long));
        let (short, long) = (short.as_bytes(), long.as_bytes());
        let seen = short.len().min(long.len()).min(tail.len());
        prop_assert_eq!(&short[short.len() - seen..], &long[long.len() - seen..]);
    }
}
