//! Decoders between a text and the shell that runs it.
//!
//! A decoded text is hidden from a reader even where the analysis knows it: `echo aWQ= | base64 -d | sh`
//! runs `id`, which stands nowhere in the command.

use super::{Graph, evaluates, is_shell};
use crate::invocation::{Invocation, Stdin, Stdout};
use crate::ir::Span;

impl Graph<'_> {
    /// True for a program that turns one text into another, so that nobody sees what it will be.
    pub(super) fn decodes(&self, number: usize) -> bool {
        let words: Vec<&str> =
            self.invocations[number].arguments.iter().map(|word| word.value.prefix()).collect();
        let has = |letter: char, long: &str| {
            words.iter().any(|word| {
                word.starts_with(long)
                    || word.starts_with('-') && !word.starts_with("--") && word.contains(letter)
            })
        };
        match self.name(number) {
            "base64" | "gbase64" | "base32" | "basenc" | "base16" => {
                has('d', "--d") || has('D', "--decode")
            }
            "openssl" => words.contains(&"-d") || words.contains(&"-decrypt"),
            "xxd" => has('r', "--r"),
            "gpg" | "gpg2" | "age" => has('d', "--decrypt"),
            "gzip" | "bzip2" | "xz" | "zstd" | "lz4" | "lzma" | "brotli" => {
                has('d', "--d") || has('d', "--uncompress")
            }
            "gunzip" | "zcat" | "bunzip2" | "bzcat" | "unxz" | "xzcat" | "unzstd" | "zstdcat"
            | "uudecode" | "rev" | "tr" | "rot13" | "caesar" | "funzip" | "lz4cat" | "gzcat"
            | "uncompress" | "tac" | "iconv" => true,
            _ => false,
        }
    }

    /// True if what a shell reads was decoded, though its text is known.
    pub(super) fn decoded_before(&self, number: usize) -> bool {
        let name = self.name(number);
        let invocation = &self.invocations[number];
        if !is_shell(name) && !evaluates(invocation, name) {
            return false;
        }
        let between = |from: usize, to: usize| {
            let between = self.text.get(from..to).map(str::trim);
            matches!(between, Some("|" | "|&"))
        };
        self.invocations.iter().enumerate().any(|(other, decoder)| {
            if other == number || !self.decodes(other) {
                return false;
            }
            let (one, two): (&Span, &Span) = (&decoder.span, &invocation.span);
            match decoder.stdout {
                Stdout::Pipe => {
                    matches!(invocation.stdin, Stdin::Text(_) | Stdin::Rest(_))
                        && between(one.end, two.start)
                }
                Stdout::Substitution => {
                    let within = two.start <= one.start && one.end <= two.end && one != two;
                    let after = self.text.get(two.end..one.start).map(str::trim_start);
                    let as_input =
                        after.is_some_and(|text| text.starts_with('<') && !text.contains('\n'));
                    within && takes_code(invocation) || as_input
                }
                _ => false,
            }
        })
    }
}

/// True for a shell that is given a text, or that evaluates its words.
fn takes_code(invocation: &Invocation) -> bool {
    invocation.builtin
        || invocation.arguments.iter().any(|word| {
            let text = word.value.prefix();
            text.starts_with('-') && !text.starts_with("--") && text.ends_with('c')
        })
}
