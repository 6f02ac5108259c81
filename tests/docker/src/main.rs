//! A Docker Engine for tests in other languages: tells its socket and its image, a line each, and runs
//! until its standard input ends.
#![expect(clippy::print_stdout, reason = "that is how it tells")]

use std::io::Read as _;

use toolkeep_test_docker::{Engine, IMAGE};

fn main() -> std::io::Result<()> {
    let engine = Engine::start();
    println!("{}\n{IMAGE}", engine.socket().display());
    std::io::stdin().read_to_end(&mut Vec::new()).map(drop)
}
