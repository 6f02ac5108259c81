//! Judging: no input makes it panic or takes the stack, what was not understood is never allowed,
//! and the stricter profile is never the weaker one.
#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use toolkeep_shell::{analyse, Decision, Env, Profile, Settings, precheck};

struct Fixed {
    env: Env,
    strict: Settings,
    workspace: Settings,
}

static FIXED: LazyLock<Fixed> = LazyLock::new(|| Fixed {
    env: Env::default(),
    strict: Settings { profile: Profile::Strict, ..Settings::default() },
    workspace: Settings { profile: Profile::Workspace, ..Settings::default() },
});

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = precheck::text(bytes) else { return };
    let analysis = analyse(text, &FIXED.env);
    let strict = judge(&analysis, &FIXED.env, &FIXED.strict);
    let workspace = judge(&analysis, &FIXED.env, &FIXED.workspace);
    assert!(workspace.decision <= strict.decision);
    let understood = analysis.problems.is_empty();
    assert!(understood || workspace.decision > Decision::Allow);
    for reason in &strict.reasons {
        assert!(reason.span.start <= reason.span.end && reason.span.end <= text.len());
    }
});
