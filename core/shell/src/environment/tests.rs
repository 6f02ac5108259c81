//! Variables that are given to programs: which are asked about, and which are not.

use crate::decision::Decision;
use crate::judge::check;
use crate::settings::Settings;
use crate::{Env, env::Shell};

fn decided(text: &str, profile: &str) -> Decision {
    let settings: Settings =
        serde_json::from_str(&format!(r#"{{"profile": "{profile}"}}"#)).unwrap();
    let env = Env { shell: Shell::Bash, ..Env::default() };
    check(text, &env, &settings).verdict
}

fn lines(text: &'static str) -> impl Iterator<Item = &'static str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'))
}

#[test]
fn variables_that_make_a_program_run_load_or_write_are_not_allowed() {
    let mut allowed = Vec::new();
    for text in lines(include_str!("steering.txt")) {
        for profile in ["strict", "workspace"] {
            if decided(text, profile) == Decision::Allow {
                allowed.push((profile, text));
            }
        }
    }
    assert_eq!(allowed, Vec::new());
}

#[test]
fn variables_that_only_choose_are_allowed() {
    let asked: Vec<_> = lines(include_str!("choosing.txt"))
        .filter(|text| decided(text, "workspace") != Decision::Allow)
        .collect();
    assert_eq!(asked, Vec::<&str>::new());
}

#[test]
fn what_is_only_unknown_is_asked_about_and_not_denied() {
    for text in [
        "CARGO_HOME=/tmp/x cargo check", "LD_LIBRARY_PATH=. ./a",
        "LD_LIBRARY_PATH=./lib:build/lib ./a", "GNUMAKEFLAGS='--eval=$(shell id)' make",
        "RIPGREP_CONFIG_PATH=./x rg foo", "export GOENV=./x; go build",
    ] {
        assert_eq!(decided(text, "workspace"), Decision::Ask, "{text}");
    }
    for text in ["LD_LIBRARY_PATH=/tmp ./a", "LD_PRELOAD=./a.so ./a", "LD_AUDIT=./a.so ./a"] {
        assert_eq!(decided(text, "workspace"), Decision::Deny, "{text}");
    }
}
