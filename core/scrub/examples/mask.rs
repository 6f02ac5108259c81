//! Masks the secrets in what comes in on standard input, as it comes in.
//!
//! `cargo run -p toolkeep-scrub --example mask < log.txt`
//!
//! With `--findings`, reports instead what would be masked, one line each: its kind, where it starts
//! and ends, and how sure the scrubber is.

#![expect(clippy::print_stderr, reason = "a program for a terminal")]

use std::io::{self, Read, Write};

use toolkeep_scrub::{Profile, Scrubber, TagKey};

fn main() -> io::Result<()> {
    // The key of the tags in placeholders. A host draws it at random and keeps it to itself; with a
    // published key like this one, anybody could test guesses against the tags.
    let scrubber = Scrubber::new(Profile::Precise, TagKey::new([7; 32]));
    match std::env::args().nth(1).as_deref() {
        None => mask(&scrubber),
        Some("--findings") => report(&scrubber),
        Some(other) => {
            eprintln!("unknown argument `{other}`; give `--findings` or nothing");
            std::process::exit(2)
        }
    }
}

/// Copies the input to the output with placeholders in it.
fn mask(scrubber: &Scrubber) -> io::Result<()> {
    let (mut input, mut output) = (io::stdin().lock(), io::stdout().lock());
    let mut stream = scrubber.stream();
    let mut piece = [0; 64 * 1024];
    loop {
        let length = input.read(&mut piece)?;
        if length == 0 {
            return output.write_all(&stream.finish());
        }
        output.write_all(&stream.push(&piece[..length]))?;
    }
}

/// Prints what would be masked.
fn report(scrubber: &Scrubber) -> io::Result<()> {
    let text = io::read_to_string(io::stdin())?;
    let mut output = io::stdout().lock();
    for finding in scrubber.findings(&text) {
        let confidence = finding.confidence.as_str();
        writeln!(output, "{}\t{}..{}\t{confidence}", finding.kind, finding.start, finding.end)?;
    }
    Ok(())
}
