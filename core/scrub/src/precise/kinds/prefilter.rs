//! Prefilters: reject runs that are no token of an unprefixed kind, as cheaply as possible.
//!
//! Runs of letters and digits are everywhere: words, numbers, digests, base64. To match each of them
//! against hundreds of kinds would cost more than all the rest of the scan. So a run passes a chain of
//! filters first, each cheaper and coarser than the next:
//!
//! | filter | reads | rejects by |
//! |---|---|---|
//! | [`start`] | the counts of the candidate scan | letters and digits, the byte behind them, token bytes |
//! | [`summary`] | the same and the first byte | everything the length filters know, in a few lookups |
//! | [`block`] | 64 bytes from the start, 64 before it | the above, a digit, a value context, a keyword |
//! | [`length`] | the start of the run and its literals | the exact lengths and literals of each group of kinds |
//!
//! # Invariant: no false negatives
//!
//! **A prefilter rejects only what the match would reject.** The match is
//! [`Kinds::find_at`](super::Kinds::find_at); it alone decides. A prefilter may accept a run that
//! matches nothing, which costs time. It must never reject a run that matches, which would lose a
//! secret. So every filter is derived from the same [shapes](super::shape) as the match, when the
//! tables are built, and counts whatever it cannot know as a possible match.
//!
//! Functions named `may_…` answer "false only if…". Two tests hold them to it:
//! `no_prefilter_rejects_what_the_match_finds` compares every filter with the match, on runs that are
//! nearly secrets, at every SIMD level; `the_candidate_scan_skips_no_run_with_a_hit` does so for the
//! whole scan.
//!
//! # Groups
//!
//! Unprefixed kinds form three groups, which the filters keep apart as bits: kinds with an
//! [infix](summary::INFIX), kinds with a [keyword](summary::KEYWORD), and those of the latter that
//! need [no value context](summary::UNVALUED).

pub(super) mod block;
pub(super) mod length;
pub(super) mod start;
pub(super) mod summary;
