//! What costs nothing on clean text.

use std::borrow::Cow;

use super::*;

fn clean_text(length: usize) -> String {
    let line = "The quick brown fox; `let x = parse(input)?;` 2026-01-02T03:04:05Z \"quoted\"\n";
    line.chars().cycle().take(length).collect()
}

#[test]
fn clean_text_is_neither_copied_nor_allocated_for() {
    for length in [0, 10, 1_000, 100_000] {
        let text = clean_text(length);
        for scrubber in plain().iter().chain(&with_values()) {
            let mut borrowed = false;
            let count = allocation_counter::measure(|| {
                borrowed = matches!(scrubber.scrub(&text), Cow::Borrowed(_));
            });
            assert!(borrowed, "{scrubber:?} changed clean text");
            assert_eq!(count.count_total, 0, "{scrubber:?} on {length} bytes");
        }
    }
}

#[test]
fn runs_that_only_look_like_keys_allocate_nothing() {
    let line = "2026-01-02T03:04:05Z INFO request=3f2b8c1e-9a4d-4e6f-8b7a-1c2d3e4f5a6b commit \
                4b825dc642cb6eb9a060e54bf8d69288fbee4904 from 10.1.22.133 took 14ms v1.2.3-rc.4\n\
                GET /static/app.3f2b8c1e9a4d4e6f.js etag W/Zm9vYmFyMTIzNDU2Nzg5MGFiY2RlZg== 200\n";
    let text = line.repeat(200);
    for scrubber in plain().iter().filter(|scrubber| scrubber.profile() == Profile::Precise) {
        let mut borrowed = false;
        let count = allocation_counter::measure(|| {
            borrowed = matches!(scrubber.scrub(&text), Cow::Borrowed(_));
        });
        assert!(borrowed, "{scrubber:?} changed clean text");
        assert_eq!(count.count_total, 0, "{scrubber:?}");
    }
}

#[test]
fn no_text_that_stays_is_allocated_for() {
    let judged = [
        "password = \"changeme\"; token: 'your_token_here', secret = \"null\"",
        "{\"api_key\": \"<your-key>\", \"password\": \"changeme\"}",
        "api_key=api_key, PASSWORD: \"Password\", set_header(\"X-Auth-Token\", TOKEN_NAME)",
        "Authorization: Bearer <token>, curl 'https://user:password@localhost/?sig=none&code=1'",
    ];
    let texts: Vec<String> = corpus().into_iter().chain(judged.map(str::to_owned)).collect();
    for scrubber in plain().iter().chain(&with_values()) {
        let mut stayed = 0;
        for text in &texts {
            // The patterns are compiled when they are first met.
            drop(scrubber.scrub(text));
            let mut stays = false;
            let count = allocation_counter::measure(|| {
                stays = matches!(scrubber.scrub(text), Cow::Borrowed(_));
            });
            stayed += usize::from(stays);
            assert!(!stays || count.count_total == 0, "{scrubber:?} allocates for {text}");
        }
        assert!(stayed > texts.len() / 5, "{scrubber:?} left only {stayed}");
    }
}

#[test]
fn a_clone_shares_everything_heavy() {
    for scrubber in with_values() {
        let count = allocation_counter::measure(|| drop(scrubber.clone()));
        // The list of the scopes, and nothing in it.
        assert!(count.count_total <= 1, "{} allocations", count.count_total);
    }
}

#[test]
fn a_stream_keeps_back_no_more_than_documented() {
    let rows = corpus();
    let mut random = Random::new();
    for scrubber in plain().iter().chain(&with_values()) {
        let text = clean_text(60_000) + &lines(&mut random, &rows, 60_000);
        // The patterns are compiled when they are first met.
        drop(scrubber.scrub(&text));
        let mut stream = scrubber.stream();
        let mut given = 0;
        for (pushed, byte) in clean_text(60_000).bytes().enumerate() {
            given += stream.push(&[byte]).len();
            assert!(pushed + 1 - given <= 8 * 1_024, "{scrubber:?} keeps {}", pushed + 1 - given);
        }
        let held = least_held(|| {
            let mut stream = scrubber.stream();
            for piece in text.as_bytes().chunks(100) {
                drop(stream.push(piece));
            }
        });
        assert!(held < 200_000, "{scrubber:?} holds {held} bytes");
    }
}

/// The most bytes that are held at once, in the best of some turns: all threads share the patterns,
/// and whoever finds the scratch space of one taken by another thread makes a new one.
fn least_held(mut turn: impl FnMut()) -> u64 {
    (0..4).map(|_| allocation_counter::measure(&mut turn).bytes_max).min().unwrap_or(0)
}

#[test]
fn an_open_secret_takes_no_memory() {
    let heads = ["password=", "SECRET_KEY=", "-----BEGIN RSA PRIVATE KEY-----\n"];
    for (scrubber, head) in plain().iter().flat_map(|scrubber| heads.map(|head| (scrubber, head))) {
        if scrubber.profile() == Profile::Seed && head.starts_with('-') {
            // It knows no blocks.
            continue;
        }
        let body = "Zm9vYmFyQmF6cXV4MTIz".repeat(5);
        drop(scrubber.scrub(&format!("{head}{body}")));
        let mut stream = scrubber.stream();
        let mut given = stream.push(head.as_bytes()).len();
        let held = least_held(|| {
            for _ in 0..2_000 {
                given += stream.push(body.as_bytes()).len();
            }
        });
        assert!(held < 200_000, "{scrubber:?} holds {held} bytes");
        given += stream.finish().len();
        assert!(given < 200, "{scrubber:?} gave {given} bytes behind {head:?}");
    }
}
