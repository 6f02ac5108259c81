//! Parsing: no input makes it panic or takes the stack, and every place it names is in the text.
#![no_main]

use libfuzzer_sys::fuzz_target;
use toolkeep_shell::{parse, precheck::{self, Finding}};

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = precheck::text(bytes) else { return };
    if precheck::check(text).iter().any(Finding::is_fatal) {
        return;
    }
    let parsed = parse::parse(text);
    for problem in &parsed.problems {
        assert!(problem.span.start <= problem.span.end && problem.span.end <= text.len());
    }
    assert_eq!(parsed, parse::parse(text));
});
