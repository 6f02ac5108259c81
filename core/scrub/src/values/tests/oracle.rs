//! Compares the search with a naive one: every form of every value at every place.

use proptest::prelude::*;

use super::*;
use crate::view::AHEAD;

/// A text without random values in it has none of these.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        "[A-Za-z0-9_-]{8,40}",
        "[a-z]{4,20}",
        "[0-9]{4,20}",
        "[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}\\.[0-9]{1,3}",
        "[ -~]{8,30}",
        "[!-~äß€𝄞]{6,30}",
        "[ab]{8,16}",
    ]
    .prop_filter("is guarded", |value| {
        acceptance::check(value.trim()).is_none_or(Warning::guarded) && value.trim().len() >= 4
    })
    .prop_map(|value| value.trim().to_owned())
}

/// A text of forms of the values, some cut, and of other things.
fn text(values: &[String], pieces: &[(usize, usize, usize, String)]) -> Vec<u8> {
    let mut text = Vec::new();
    for (value, form, cut, other) in pieces {
        let value = &values[value % values.len()];
        let form = FORMS[form % FORMS.len()].of(value);
        match cut % 4 {
            0 => text.extend_from_slice(&form[..form.len() / 2]),
            _ => text.extend_from_slice(&form),
        }
        text.extend_from_slice(other.as_bytes());
    }
    text
}

/// Every place at which a form of a value stands, where the boundaries let it count.
fn naive(values: &[String], text: &[u8]) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    for value in values {
        let guard = boundary::Boundary::of(value.as_bytes());
        let forms = if value.len() < acceptance::MIN_ENCODED { &FORMS[..1] } else { FORMS };
        for form in forms {
            let needle = form.of(value);
            if *form != Form::Raw && needle[..] == *value.as_bytes() {
                continue;
            }
            for at in 0..text.len().saturating_sub(needle.len() - 1) {
                let here = &text[at..at + needle.len()];
                let same =
                    here == &needle[..] || form.any_case() && here.eq_ignore_ascii_case(&needle);
                let span = at..at + needle.len();
                let passes = !form.is_plain()
                    || guard.allows(&text[..span.start], &needle, &text[span.end..]);
                if same && passes && !confirm::splits_character(text, &span) {
                    found.push(span);
                }
            }
        }
    }
    found
}

/// What is masked: the hits, those that overlap as one.
fn find(values: &Values, text: &[u8]) -> Vec<std::ops::Range<usize>> {
    unwrapped(hits(values, text).into_iter().map(|(span, _)| span))
}

fn unwrapped(spans: impl Iterator<Item = std::ops::Range<usize>>) -> Vec<std::ops::Range<usize>> {
    let mut unwrapped: Vec<std::ops::Range<usize>> = Vec::new();
    for span in spans {
        match unwrapped.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => unwrapped.push(span),
        }
    }
    unwrapped
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(crate::test_rounds::rounds(150, 40_000) as u32))]

    #[test]
    fn what_a_naive_search_finds_is_found(
        list in prop::collection::vec(value(), 1..6),
        pieces in prop::collection::vec((0..9usize, 0..99usize, 0..9usize, "[ -~]{0,6}|\n|\\\\n| "), 0..12),
    ) {
        let values = values(&list.iter().map(String::as_str).collect::<Vec<_>>());
        let text = text(&list, &pieces);
        let found = find(&values, &text);
        prop_assert!(found.windows(2).all(|pair| pair[0].end <= pair[1].start));
        let naive = naive(&list, &text);
        for want in &naive {
            let covered = found.iter().any(|hit| hit.start <= want.start && want.end <= hit.end);
            prop_assert!(covered, "{want:?} not in {found:?} of {:?}", String::from_utf8_lossy(&text));
        }
        for hit in &found {
            let known = naive.iter().any(|want| hit.start <= want.start && want.end <= hit.end);
            let wrapped = hits(&values, &text).iter().any(|(span, _)| {
                hit.start <= span.start && span.end <= hit.end && (0..span.len()).any(|at| breaks::at_start(&text[span.start + at..]).is_some())
            });
            prop_assert!(known || wrapped, "{hit:?} is nothing in {:?}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn a_text_in_stretches_has_the_hits_of_the_whole(
        list in prop::collection::vec(value(), 1..6),
        pieces in prop::collection::vec((0..9usize, 0..99usize, 0..9usize, "[ -~]{0,6}|\n|\\\\n| "), 0..12),
        stretches in prop::collection::vec(1..300usize, 1..20),
    ) {
        let values = values(&list.iter().map(String::as_str).collect::<Vec<_>>());
        let text = text(&list, &pieces);
        let mut found = Vec::new();
        let (mut from, mut to) = (0, 0);
        for stretch in stretches.iter().cycle() {
            to = (to + stretch).min(text.len());
            // A stream has this much and no more of what follows.
            let seen = text.len().min(to + AHEAD);
            if to > from {
                values.find(&text[..seen], from, to, &mut found);
                from = to;
            }
            if to == text.len() {
                break;
            }
        }
        let found = unwrapped(found.into_iter().map(|hit| hit.span));
        prop_assert_eq!(found, find(&values, &text));
    }

    #[test]
    fn some_grams_at_once_are_what_one_at_a_time_is(
        entries in prop::collection::vec(any::<[u8; 8]>(), 1..200),
        mut text in prop::collection::vec(any::<u8>(), 0..6_000),
    ) {
        let gram_filter = gram_filter::GramFilter::new(entries.len());
        for (n, entry) in entries.iter().enumerate() {
            let gram = gram_filter::Gram::at(entry);
            if n % 2 == 0 { gram_filter.set_long(gram) } else { gram_filter.set_short(gram) }
            if let Some(place) = text.get_mut(n * 52..n * 52 + 8) {
                place.copy_from_slice(entry);
            }
        }
        let (mut seen, mut other) = (gram_filter::GramHits::new(), gram_filter::GramHits::new());
        let mut from = 0;
        loop {
            gram_filter.find_hits(&text[from..], &mut seen);
            for way in gram_filter::SimdWidth::all() {
                gram_filter.find_hits_with(way, &text[from..], &mut other);
                prop_assert_eq!(seen.blocks(), other.blocks(), "{:?}", way);
                prop_assert_eq!(seen.blocks, other.blocks, "{:?}", way);
            }
            let end = from + seen.blocks * gram_filter::STRIDE;
            for (n, start) in (0..entries.len()).map(|n| n * 52).enumerate() {
                let block = start.wrapping_sub(from) / gram_filter::STRIDE;
                let place = start % gram_filter::STRIDE / gram_filter::STEP;
                if (from..end).contains(&start) && start + 8 <= text.len() {
                    let found = seen.blocks().iter().find(|s| usize::from(s.block) == block);
                    let places = found.map(|s| if n % 2 == 0 { s.long } else { s.short });
                    prop_assert!(places.is_some_and(|places| places >> place & 1 == 1));
                }
            }
            from = end;
            if seen.blocks < gram_filter::BLOCKS {
                break;
            }
        }
    }
}

#[test]
fn text_made_to_be_slow_is_looked_at_no_more_often_than_other() {
    let all_a = "a".repeat(300);
    let values = values(&[&format!("{all_a}b"), "key_key_key_key_key_x", TOKEN]);
    for unit in ["a", "key_", "://", "\\", "token=", "=", "%41", "\\n"] {
        let text = unit.repeat(100_000 / unit.len());
        let mut found = Vec::new();
        values.find(text.as_bytes(), 0, text.len(), &mut found);
        assert!(found.is_empty(), "{unit}");
    }
}
