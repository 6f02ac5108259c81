//! The programs that a reader starts from.

use crate::program::{Program, run};

#[test]
fn the_c_quickstart_works() {
    let printed = run(&mut Program::compile("examples/c/quickstart.c", &[]).command());
    assert!(printed.contains(r#""name":"weather","description":"The weather now.""#), "{printed}");
    assert!(printed.contains(r#"why not edit: {"tool":"edit","allowed":false"#), "{printed}");
    assert!(printed.contains(r#""code":"denied_by_policy""#), "{printed}");
    assert!(printed.contains(r#"asked: {"city":"Oslo"}"#), "{printed}");
    assert!(
        printed.contains(r#""for_llm":"18 degrees, password=[REDACTED:password]""#),
        "{printed}"
    );
}

#[test]
fn the_cpp_quickstart_works() {
    let printed = run(&mut Program::compile("examples/cpp/quickstart.cpp", &[]).command());
    assert!(
        printed.contains(r#""for_llm":"18 degrees, password=[REDACTED:password]""#),
        "{printed}"
    );
    assert!(printed.contains(r#""allowed":false"#), "{printed}");
    assert!(printed.contains(r#""code":"denied_by_policy""#), "{printed}");
    assert!(printed.contains(r#""code":"unknown_tool""#), "{printed}");
}
