//! What fuzzing kept: inputs that together reach all of the code that any did. `make soak` fuzzes on
//! from them.

use std::io::Read;

use flate2::read::GzDecoder;

use super::corpus::{strict, workspace};
use super::rounds;
use crate::judge::judge;
use crate::{Decision, Env, analyse, parse, precheck};

/// The inputs as lines of JSON.
fn inputs() -> Vec<String> {
    let packed = include_bytes!("../../../../fuzz/corpus/shell.jsonl.gz");
    let mut lines = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut lines).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn what_fuzzing_kept_is_judged_and_never_allowed_where_it_is_not_understood() {
    let (env, strict, workspace) = (Env::default(), strict(), workspace());
    let all = inputs();
    let step = rounds(8, 1);
    assert!(all.len() > 1000);
    for text in all.iter().step_by(step) {
        let analysis = analyse(text, &env);
        let strict = judge(&analysis, &env, &strict).decision;
        let workspace = judge(&analysis, &env, &workspace).decision;
        assert!(workspace <= strict, "{text:?}");
        assert!(analysis.problems.is_empty() || workspace > Decision::Allow, "{text:?}");
    }
}

#[test]
fn what_fuzzing_kept_is_parsed_the_same_twice_with_places_within_the_text() {
    let step = rounds(8, 1);
    for text in inputs().iter().step_by(step) {
        if precheck::check(text).iter().any(precheck::Finding::is_fatal) {
            continue;
        }
        let parsed = parse::parse(text);
        for problem in &parsed.problems {
            assert!(problem.span.start <= problem.span.end, "{text:?}");
            assert!(problem.span.end <= text.len(), "{text:?}");
        }
        assert_eq!(parsed, parse::parse(text));
    }
}
