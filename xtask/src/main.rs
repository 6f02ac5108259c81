//! Work on the repository itself.
//!
//! ```text
//! cargo xtask gen           write what is generated from the core: the operations and error codes
//!                           of Python and TypeScript, docs/reference, the README's snippets,
//!                           a test that compiles the Rust of the guide
//! cargo xtask gen --check   fail if any of it is not current
//! ```
#![expect(clippy::print_stderr, reason = "a command speaks on its error stream")]

mod caller;
mod generate;
mod guide;
mod python;
mod readme;
mod reference;
mod schema;
mod typescript;

use std::process::ExitCode;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let outcome = match words.as_slice() {
        ["gen"] => generate::write(),
        ["gen", "--check"] => generate::check(),
        _ => Err("usage: cargo xtask gen [--check]".into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}
