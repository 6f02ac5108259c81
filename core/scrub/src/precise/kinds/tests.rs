//! Every kind is found in every dress, and what only looks like it is left alone.

use std::collections::HashSet;

use super::super::super::simd::{Lanes, Level, Task};
use super::super::super::view::View;
use super::super::candidate::{CandidateScanner, Detector, MIN_RUN};
use super::super::token;
use super::keyword_context::is_identifier;
use super::shape::{Check, Part, Set, Shape};
use super::*;

/// Random bytes that are the same on every run (SplitMix64).
pub(super) struct Dice(pub u64);

impl Dice {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }

    fn byte(&mut self, members: &[u8]) -> u8 {
        members[self.below(members.len())]
    }
}

/// A secret as the shape has it, drawn again until it looks random.
pub(super) fn drawn(shape: &Shape, dice: &mut Dice) -> String {
    for _ in 0..1_000 {
        let mut secret = shape.prefix.as_bytes().to_vec();
        for part in shape.parts {
            match part {
                Part::Lit(literal) => secret.extend_from_slice(literal.as_bytes()),
                Part::Run(set, least, most) => {
                    let room = usize::from(most - least).min(8);
                    let length = usize::from(*least) + dice.below(room + 1);
                    // The signs of a list or a URL are rare in real secrets.
                    let rare = |b: &u8| set.has(b',') && b"=,:%.".contains(b);
                    let members: Vec<u8> = (0..128).filter(|b| set.has(*b) && !rare(b)).collect();
                    let letters: Vec<u8> =
                        members.iter().copied().filter(|b| Set::ALNUM.has(*b)).collect();
                    for n in 0..length {
                        // Neither end of a run is a sign, so that none stands at the end of a text.
                        let end = (n == 0 || n + 1 == length) && !letters.is_empty();
                        secret.push(dice.byte(if end { &letters } else { &members }));
                    }
                }
            }
        }
        // What is cut into short pieces by the signs of base64 is no candidate.
        let long = |run: &[u8]| run.len() >= 14 && is_plain(run);
        let seen = secret.split(|b| !is_token(*b)).any(long)
            || secret.iter().take_while(|b| is_token(**b)).count() >= 12;
        let plain = shape.keywords.is_empty() || is_plain(&secret) && !is_identifier(&secret);
        if seen && plain && (shape.shape_suffices || looks_random(&secret[shape.prefix.len()..])) {
            return String::from_utf8(secret).unwrap();
        }
    }
    panic!("{} never looks random", shape.name);
}

/// The hits that the runs of a text give, one after the other.
pub(super) fn hits(kinds: &Kinds, candidates: &CandidateScanner, text: &str) -> Vec<Hit> {
    let text = text.as_bytes();
    let mut found = Vec::new();
    let (mut at, mut floor) = (0, 0);
    let mut scan = candidates.scan(kinds, text, 0, text.len());
    while let Some(candidate) = scan.next(at) {
        at = candidate.at + 1;
        if candidate.detector != Detector::Run {
            continue;
        }
        let (view, start) = View::around(text, candidate.at, floor);
        let look = token::inspect(kinds, &view).shifted(start);
        at = look.resume;
        if let Some(hit) = look.hit {
            floor = hit.span.end;
            found.push(hit);
        }
    }
    found
}

pub(super) fn masked(
    kinds: &Kinds,
    candidates: &CandidateScanner,
    text: &str,
    secret: &str,
) -> bool {
    let start = text.find(secret).unwrap();
    let end = start + secret.len();
    hits(kinds, candidates, text).iter().any(|hit| hit.span.start <= start && hit.span.end >= end)
}

fn contexts(shape: &Shape, secret: &str) -> Vec<String> {
    let word = shape.keywords.first().map_or(String::new(), |word| {
        if word.contains(['.', '/', ':', '~']) { format!("{word}/") } else { format!("{word} ") }
    });
    vec![
        format!("{word}token {secret}"),
        format!("{word}token \"{secret}\", and more"),
        format!("{word}key = \"{secret}\""),
        format!("{{\"{word}key\":\"{secret}\",\"n\":1}}"),
        format!("{{\\\"{word}key\\\":\\\"{secret}\\\",\\\"n\\\":1}}"),
        format!("https://example.org/?x=1&{word}key={secret}&page=2"),
        format!("{word}key:\\n{secret}\\nnext"),
        format!("{word}key='{secret}'; next"),
        format!("({word}key {secret}) and so on"),
        format!("<{word}token>{secret}</token>"),
    ]
}

#[test]
fn the_table_is_well_formed() {
    let mut names = HashSet::new();
    for shape in table::all() {
        let name = shape.name;
        assert!(names.insert(name), "{name} stands there twice");
        let fits = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        assert!(!name.is_empty() && name.len() <= 40 && name.bytes().all(fits), "{name}");
        assert_ne!(shape.prefix.len(), 1, "{name}: a prefix of one byte says nothing");
        let keyword =
            !shape.prefix.is_empty() || !shape.keywords.is_empty() || infix_of(shape).is_some();
        assert!(keyword, "{name} has neither a prefix nor a mark nor a word near");
        assert!(shape.keywords.iter().all(|word| (3..=40).contains(&word.len())), "{name}");
        let length: u16 = shape.parts.iter().map(part_length).sum();
        let length = usize::from(length) + shape.prefix.len();
        assert!(length >= 12, "{name} may be {length} bytes long: too short to be sure");
        for part in shape.parts {
            if let Part::Run(_, least, most) = part {
                assert!(least <= most && *most > 0, "{name}");
            }
        }
    }
    assert!(names.len() >= 500, "{} kinds", names.len());
}

fn part_length(part: &Part) -> u16 {
    match part {
        Part::Lit(literal) => u16::try_from(literal.len()).unwrap(),
        Part::Run(_, least, _) => *least,
    }
}

#[test]
fn every_kind_is_found_in_every_context() {
    let (kinds, candidates) = (Kinds::new(), CandidateScanner::new(Level::best()));
    let mut missed = Vec::new();
    for (number, shape) in (0..).zip(table::all()) {
        for seed in 0..3 {
            let secret = drawn(shape, &mut Dice(number * 31 + seed));
            for text in contexts(shape, &secret) {
                if !masked(&kinds, &candidates, &text, &secret) {
                    missed.push(format!("{}: {text}", shape.name));
                }
            }
        }
    }
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}

#[test]
fn every_kind_with_a_mark_of_its_own_is_found_alone() {
    let (kinds, candidates) = (Kinds::new(), CandidateScanner::new(Level::best()));
    for (number, shape) in (0..).zip(table::all()) {
        if !shape.keywords.is_empty() {
            continue;
        }
        let secret = drawn(shape, &mut Dice(number * 7));
        for text in [
            secret.clone(),
            format!("see {secret}."),
            format!("\u{1b}[32m{secret}\u{1b}[0m"),
            format!("+{secret}\n-old"),
            format!("\\u0022{secret}\\u0022"),
        ] {
            let spans = hits(&kinds, &candidates, &text);
            assert!(
                masked(&kinds, &candidates, &text, &secret),
                "{}: {text} {spans:?}",
                shape.name
            );
        }
        let whole = kinds.match_whole(secret.as_bytes());
        assert!(whole.is_some(), "{}: {secret} as a whole value", shape.name);
    }
}

#[test]
fn a_secret_that_is_too_short_or_written_with_other_letters_is_none() {
    let (kinds, candidates) = (Kinds::new(), CandidateScanner::new(Level::best()));
    for (number, shape) in (0..).zip(table::all()) {
        let [.., Part::Run(set, least, _)] = shape.parts else { continue };
        if *least < 10 || !shape.keywords.is_empty() {
            continue;
        }
        let secret = drawn(shape, &mut Dice(number * 13));
        let last = shape.parts.len() - 1;
        let head = shape.prefix.len()
            + shape.parts[..last].iter().map(|part| usize::from(part_length(part))).sum::<usize>();
        let cut = &secret[..head + usize::from(*least) - 1];
        let named = |text: &str| {
            hits(&kinds, &candidates, text).iter().any(|hit| hit.kind.as_str() == shape.name)
        };
        assert!(!named(&format!("x {cut} y")), "{}: {cut} is one too short", shape.name);
        let foreign = (0..128u8).find(|b| b.is_ascii_graphic() && !set.has(*b)).unwrap();
        let mut other = secret.clone().into_bytes();
        other[head] = foreign;
        let other = String::from_utf8(other).unwrap();
        assert!(!named(&format!("x {other} y")), "{}: {other} has a foreign byte", shape.name);
    }
}

#[test]
fn a_dummy_value_is_left_alone() {
    let (kinds, candidates) = (Kinds::new(), CandidateScanner::new(Level::best()));
    let github = format!("ghp_{}", "x".repeat(36));
    let stripe = format!("sk_live_{}", "0".repeat(24));
    for text in [
        github.as_str(),
        stripe.as_str(),
        "sk-learn-0.24.2-py3-none-any.whl",
        "disk-usage-analyzer-for-kubernetes",
        "task-scheduler-with-priority-queues-v2",
        "npm_config_cache_directory_for_builds",
        "hf_hub_download_something_from_somewhere",
        "AKIA is the prefix of long-term access key ids",
        "xoxb-your-token-here",
        "sk_test_placeholder",
        "sk-ant-your-api-key-goes-in-here",
        "glpat-your-personal-access-token",
        "https://github.com/DataDog/datadog-agent/commit/0123456789abcdef0123456789abcdef01234567",
        "heroku/buildpack@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "550e8400-e29b-41d4-a716-446655440000",
    ] {
        assert!(
            hits(&kinds, &candidates, text).is_empty(),
            "{text}: {:?}",
            hits(&kinds, &candidates, text)
        );
    }
}

#[test]
fn the_key_of_amazons_documentation_is_masked() {
    let key = ["AKIA", "IOSFODNN7EXAMPLE"].concat();
    assert!(masked(
        &Kinds::new(),
        &CandidateScanner::new(Level::best()),
        &format!("aws_key: {key}"),
        &key
    ));
}

#[test]
fn a_right_checksum_is_reported_and_a_wrong_one_still_masks() {
    let kinds = Kinds::new();
    let body = "9vHjHkm1x72EsSfUQUAkNX7LHQ7AtN";
    let right = format!("ghs_{body}46key0");
    let wrong = format!("ghs_{body}46key1");
    let hit = kinds.match_whole(right.as_bytes()).unwrap();
    assert!(hit.verified && hit.kind.as_str() == "github-app-token");
    let hit = kinds.match_whole(wrong.as_bytes()).unwrap();
    assert!(!hit.verified && hit.kind.as_str() == "github-app-token");
    let checked = table::all().filter(|kind| kind.check != Check::None);
    assert!(checked.count() >= 8);
}

#[test]
fn a_token_at_the_end_of_a_view_is_left_open() {
    let kinds = Kinds::new();
    let token = format!("ghp_{}", "aB3dE6gH9jK2".repeat(3));
    assert_eq!(kinds.find_at(token.as_bytes(), 0, false).unwrap().open, Some(Continuation::Token));
    assert_eq!(kinds.find_at(token.as_bytes(), 0, true).unwrap().open, None);
}

#[test]
fn the_bitmap_of_prefixes_rejects_no_kind() {
    let kinds = Kinds::new();
    let mut set = 0u32;
    for shape in table::all().filter(|shape| !shape.prefix.is_empty()) {
        let secret = drawn(shape, &mut Dice(5));
        assert!(kinds.may_have_prefix(secret.as_bytes(), 0), "{}", shape.name);
    }
    for word in kinds.start_bits.iter() {
        set += word.count_ones();
    }
    assert!(set < 1 << (START_BITS - 5), "{set} bits of the bitmap are set: it lets too much by");
}

/// A kind as it stands in a text, or nearly so: with a near word of another, behind a joint, cut,
/// or among bytes that look like more of it.
fn nearly(dice: &mut Dice, shapes: &[&'static Shape]) -> (String, usize) {
    const BEFORE: [&str; 12] =
        [" key: ", "=", " ", ":\"", "_", "/", "%3D", "\\n", " token \"", "['", "-", "("];
    let mut text = String::new();
    for _ in 0..dice.below(4) {
        text += ["x=", "deps-1.2/", "0a9f3", "secret ", "ab+c|", "\n", "id~", " "][dice.below(8)];
    }
    let shape = shapes[dice.below(shapes.len())];
    let distinguisher = if dice.below(3) > 0 { shape } else { shapes[dice.below(shapes.len())] };
    if let Some(word) = distinguisher.keywords.first() {
        text += word;
    }
    text += BEFORE[dice.below(BEFORE.len())];
    if dice.below(3) == 0 {
        text += ["api=", "8123456789:", "a1/", "Ab3+"][dice.below(4)];
    }
    let at = text.len();
    let secret = drawn(shape, dice);
    text += if dice.below(6) == 0 { &secret[..secret.len() - 1] } else { &secret };
    text += ["", " ", "\"", "-x", "=", "/1", "~", ":9", ".", "Q"][dice.below(10)];
    (text, at)
}

struct BlockChecked<'a>(&'a Kinds, &'a [u8], usize);

impl Task for BlockChecked<'_> {
    type Answer = bool;

    fn run<L: Lanes>(self) -> bool {
        let BlockChecked(kinds, text, at) = self;
        let before = at.checked_sub(1).map_or(0, |before| text[before]);
        let length = text[at..].iter().take_while(|b| is_plain_byte(**b)).count();
        let closed = text.get(at + length).is_some_and(|b| kinds.is_short_closer(*b));
        let min_unvalued_run = length >= kinds.min_unvalued_run || closed;
        let value = kinds.may_follow(before);
        let tokens = text[at..].iter().take_while(|b| is_token(**b)).count();
        let letters = text[at..].iter().take_while(|b| b.is_ascii_alphanumeric()).count();
        (min_unvalued_run || value)
            && kinds.start_counts.may_start(text, at, letters as u32, tokens as u32, value)
            && kinds.may_match_block::<L>(text, at)
            || kinds.may_continue_after(before) && kinds.may_continue_block::<L>(text, at)
    }
}

#[test]
fn no_prefilter_rejects_what_the_match_finds() {
    let kinds = Kinds::new();
    let shapes: Vec<&'static Shape> =
        table::all().filter(|shape| shape.check == Check::None).collect();
    let bare: Vec<&'static Shape> =
        shapes.iter().copied().filter(|shape| shape.prefix.is_empty()).collect();
    let mut dice = Dice(77);
    let mut found = 0;
    for round in 0..1_500 {
        let (text, start) = nearly(&mut dice, if round % 4 == 0 { &shapes } else { &bare });
        let text = text.as_bytes();
        for at in (start..text.len()).filter(|&at| at == start || !is_token(text[at - 1])) {
            if !is_token(text[at]) || kinds.may_have_prefix(text, at) {
                continue;
            }
            if kinds.find_at(text, at, true).is_none() || !is_plain(&text[at..]) {
                continue;
            }
            found += 1;
            let lossy = String::from_utf8_lossy(text);
            assert!(kinds.may_be_unprefixed(text, at), "{at} in {lossy}");
            for level in Level::all() {
                assert!(level.run(BlockChecked(&kinds, text, at)), "{level:?}: {at} in {lossy}");
            }
        }
    }
    assert!(found > 250, "{found} found");
}

#[test]
fn the_candidate_scan_skips_no_run_with_a_hit() {
    let kinds = Kinds::new();
    let candidates: Vec<CandidateScanner> = Level::all().map(CandidateScanner::new).collect();
    let shapes: Vec<&'static Shape> =
        table::all().filter(|shape| shape.check == Check::None).collect();
    let bare: Vec<&'static Shape> =
        shapes.iter().copied().filter(|shape| shape.prefix.is_empty()).collect();
    let mut dice = Dice(78);
    let mut found = 0;
    for round in 0..crate::test_rounds::rounds(1_500, 150_000) {
        let (near, _) = nearly(&mut dice, if round % 4 == 0 { &shapes } else { &bare });
        let text = [&" ".repeat(dice.below(200)), "- name=", &near].concat();
        let bytes = text.as_bytes();
        let fresh = |at: &usize| is_token(bytes[*at]) && (*at == 0 || !is_token(bytes[at - 1]));
        for start in (0..bytes.len()).filter(fresh) {
            let run = &bytes[start..];
            let signs = run.iter().take_while(|b| escape::is_sign(**b)).count();
            let at = start + signs;
            let long = run.iter().take_while(|b| is_token(**b)).count() >= MIN_RUN;
            let Some(hit) = kinds.find_at(bytes, at, true).filter(|_| long) else { continue };
            let keyword = kinds.may_have_prefix(bytes, hit.span.start) || is_plain(&bytes[at..]);
            if signs > escape::MAX_HIDDEN || !keyword {
                continue;
            }
            found += 1;
            // Of two that overlap the first is taken, and nothing is sought in it.
            let first = |seen: &Hit| (seen.span.start + 1..seen.span.end).contains(&hit.span.start);
            for candidates in &candidates {
                let hits = hits(&kinds, candidates, &text);
                let seen = hits.iter().any(|seen| seen.span.contains(&at) || first(seen));
                assert!(seen, "{} at {at} in {text:?}", hit.kind.as_str());
            }
        }
    }
    assert!(found > 250, "{found} found");
}

#[test]
fn the_words_in_a_placeholder_are_no_keywords_for_what_follows() {
    let kinds = Kinds::new();
    let token = "k3Vt9xQ2mZ7pL4wR8sN1".repeat(2);
    let keyword =
        |before: &str| kinds.find_at(format!("{before}{token}").as_bytes(), before.len(), true);
    assert!(keyword("cloudflare key: ").is_some());
    assert!(keyword("[REDACTED:password] cloudflare key: ").is_some());
    for before in [
        "[REDACTED:cloudflare-origin-ca-key:abcd2345] ",
        "[REDACTED:cloudflare-token] key: ",
        "cloudflare [REDACTED:token:abcd2345] key: ",
    ] {
        assert!(keyword(before).is_none(), "{before}");
    }
}
