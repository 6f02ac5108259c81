//! A program that forks while other threads of it are in calls.

use crate::program::{Program, run};

#[test]
fn a_child_forked_during_calls_opens_a_runtime_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let program = Program::compile("tests/c/forks.c", &[]);
    let file = folder.path().join("agent.db");
    for store in ["memory:".to_owned(), format!("sqlite:{}", file.display())] {
        let config = format!("{{\"store\": \"{store}\"}}");
        assert_eq!(run(program.command().arg(config)), "40 children\n");
    }
}
