//! The smoke tests, plain and under the checkers of memory.

use crate::program::{Program, output, run, text};

const C: &str = "tests/c/smoke.c";
const CPP: &str = "tests/c/smoke.cpp";

/// GCC's checkers; the first error ends the program.
const SANITIZERS: &[&str] = &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"];

#[test]
fn a_c99_program_passes() {
    let program = Program::compile(C, &[]);
    let printed = run(program.command().arg(program.data()));
    assert!(printed.contains("smoke.c: "), "{printed}");
}

#[test]
fn a_cpp17_program_passes() {
    let program = Program::compile(CPP, &[]);
    let printed = run(program.command().arg(program.data()));
    assert!(printed.contains("smoke.cpp: "), "{printed}");
}

#[test]
fn the_c_program_is_clean_under_sanitizers() {
    let program = Program::compile(C, SANITIZERS);
    run(program.command().arg(program.data()));
}

#[test]
fn the_cpp_program_is_clean_under_sanitizers() {
    let program = Program::compile(CPP, SANITIZERS);
    run(program.command().arg(program.data()));
}

#[test]
fn the_c_program_is_clean_under_valgrind() {
    let program = Program::compile(C, &[]);
    run(program.under_valgrind().arg(program.data()));
}

#[test]
fn the_cpp_program_is_clean_under_valgrind() {
    let program = Program::compile(CPP, &[]);
    run(program.under_valgrind().arg(program.data()));
}

#[test]
fn a_leaked_string_is_found_by_both_checkers() {
    let program = Program::compile(C, SANITIZERS);
    let found = output(program.command().args(["leak", "some text"]));
    assert!(!found.status.success());
    assert!(text(&found).contains("LeakSanitizer"), "{}", text(&found));

    let program = Program::compile(C, &[]);
    let found = output(program.under_valgrind().args(["leak", "some text"]));
    assert!(!found.status.success());
    assert!(text(&found).contains("toolkeep_scrub"), "{}", text(&found));
}
