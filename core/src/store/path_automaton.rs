//! Automatons of glob patterns, and whether two can end on the same bytes.
//!
//! Patterns of `*`, `**`, `?` and plain characters are translated here, because a space may hold
//! many; those with classes or braces go through the regular expression that `globset` gives.
//! Either way the automaton takes what `globset` takes with `literal_separator`.

use std::mem::take;

use globset::GlobBuilder;
use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::syntax;

/// What one pair of patterns may cost: enough for any two without classes and braces.
const MOST_OF_A_PAIR: usize = 600_000;

/// What one decision about a lock may cost, over all its pairs: some 150 ms of an
/// optimized build. Patterns can be built to be slow to compare, and a model may have written
/// them.
const MOST: usize = 30_000_000;

/// What a byte of a pattern costs that goes through a regular expression.
const STEPS_OF_A_REGEX_BYTE: usize = 100;

/// How many steps are taken in one go on a thread that serves others too.
const STEPS_IN_ONE_GO: usize = 50_000;

/// The bytes that a move takes.
#[derive(Clone, Copy, Debug)]
enum Bytes {
    /// From one to another, both included.
    Range(u8, u8),
    NotSlash,
}

/// A state, with the states that follow it.
#[derive(Clone, Copy, Debug)]
enum Op {
    Take(Bytes, usize),
    Fork(usize, usize),
    /// The end, where all bytes have been taken.
    End,
    Fail,
}

/// What takes the paths of a pattern byte by byte.
#[derive(Debug)]
pub(super) struct Automaton {
    ops: Vec<Op>,
    start: usize,
}

/// What there is to say about two patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overlap {
    /// No path is matched by both.
    Apart,
    /// Some path is matched by both.
    Common,
    /// It would have cost too much to find out.
    TooCostly,
}

/// The work that is left for a decision, and the memory that it is done in.
pub(super) struct Effort {
    left: usize,
    pauses_at: usize,
    seen: Vec<u64>,
    open: Vec<(usize, usize)>,
}

impl Default for Effort {
    fn default() -> Effort {
        Effort::of(MOST)
    }
}

impl Effort {
    pub(super) fn of(steps: usize) -> Effort {
        let pauses_at = steps.saturating_sub(STEPS_IN_ONE_GO);
        Effort { left: steps, pauses_at, seen: Vec::new(), open: Vec::new() }
    }

    /// Takes steps. False if there are too few left.
    pub(super) fn spend(&mut self, steps: usize) -> bool {
        let enough = self.left >= steps;
        self.left = self.left.saturating_sub(steps);
        enough
    }

    /// Lets others have the thread if it was used for long enough.
    pub(super) async fn pause(&mut self) {
        if self.left <= self.pauses_at {
            self.pauses_at = self.left.saturating_sub(STEPS_IN_ONE_GO);
            tokio::task::yield_now().await;
        }
    }
}

impl Automaton {
    /// The automaton of a pattern; none if it costs more than is left, or is no pattern.
    pub(super) fn of_pattern(pattern: &str, effort: &mut Effort) -> Option<Automaton> {
        let plain = !pattern.contains(['[', '{', '}']);
        let steps_of_a_byte = if plain { 1 } else { STEPS_OF_A_REGEX_BYTE };
        if !effort.spend(pattern.len() * steps_of_a_byte) {
            return None;
        }
        match plain {
            true => Some(Automaton { ops: translate(pattern.as_bytes()), start: 0 }),
            false => through_regex(pattern),
        }
    }

    /// The automaton that takes one path.
    pub(super) fn of_path(path: &str) -> Automaton {
        let mut ops = Vec::with_capacity(path.len() + 1);
        for byte in path.bytes() {
            take_one(&mut ops, Bytes::Range(byte, byte));
        }
        ops.push(Op::End);
        Automaton { ops, start: 0 }
    }

    /// Whether some bytes bring both automatons to their ends.
    pub(super) fn meets(&self, other: &Automaton, effort: &mut Effort) -> Overlap {
        let width = other.ops.len();
        let words = (self.ops.len() * width).div_ceil(64);
        let reserve = effort.left.saturating_sub(MOST_OF_A_PAIR);
        if !effort.spend(1 + words / 16) {
            return Overlap::TooCostly;
        }
        let (mut seen, mut open) = (take(&mut effort.seen), take(&mut effort.open));
        seen.clear();
        seen.resize(words, 0);
        open.clear();
        let mut found = Overlap::Apart;
        let mut next = Some((self.start, other.start));
        while let Some((a, b)) = next.take().or_else(|| open.pop()) {
            let at = a * width + b;
            let bit = 1_u64 << (at % 64);
            if seen[at / 64] & bit != 0 {
                continue;
            }
            seen[at / 64] |= bit;
            if effort.left <= reserve {
                found = Overlap::TooCostly;
                break;
            }
            effort.left -= 1;
            match (self.ops[a], other.ops[b]) {
                (Op::Fork(one, two), _) => {
                    open.push((two, b));
                    next = Some((one, b));
                }
                (_, Op::Fork(one, two)) => {
                    open.push((a, two));
                    next = Some((a, one));
                }
                (Op::End, Op::End) => {
                    found = Overlap::Common;
                    break;
                }
                (Op::Take(ours, one), Op::Take(theirs, two)) if ours.meets(theirs) => {
                    next = Some((one, two));
                }
                _ => {}
            }
        }
        (effort.seen, effort.open) = (seen, open);
        found
    }
}

impl Bytes {
    fn meets(self, other: Bytes) -> bool {
        match (self, other) {
            (Bytes::Range(from, to), Bytes::Range(low, high)) => from <= high && low <= to,
            (Bytes::NotSlash, Bytes::Range(from, to))
            | (Bytes::Range(from, to), Bytes::NotSlash) => (from, to) != (b'/', b'/'),
            (Bytes::NotSlash, Bytes::NotSlash) => true,
        }
    }
}

fn take_one(ops: &mut Vec<Op>, bytes: Bytes) {
    ops.push(Op::Take(bytes, ops.len() + 1));
}

/// Takes any number of bytes.
fn take_many(ops: &mut Vec<Op>, bytes: Bytes) {
    let fork = ops.len();
    ops.push(Op::Fork(fork + 1, fork + 2));
    ops.push(Op::Take(bytes, fork));
}

const ANY: Bytes = Bytes::Range(0, u8::MAX);
const SLASH: Bytes = Bytes::Range(b'/', b'/');

/// Translates a pattern that has no classes and braces.
fn translate(pattern: &[u8]) -> Vec<Op> {
    let mut ops = Vec::with_capacity(pattern.len() + 4);
    // `**` means folders only where it fills the place between two `/`.
    let mut begins_part = true;
    let mut rest = pattern;
    loop {
        rest = match rest {
            [] => break,
            b"**" if begins_part => {
                take_many(&mut ops, ANY);
                break;
            }
            // Nothing, or anything that ends in `/`.
            [b'*', b'*', b'/', rest @ ..] if begins_part => {
                let fork = ops.len();
                ops.push(Op::Fork(fork + 1, fork + 4));
                take_many(&mut ops, ANY);
                take_one(&mut ops, SLASH);
                rest
            }
            [b'*', rest @ ..] => {
                begins_part = false;
                take_many(&mut ops, Bytes::NotSlash);
                &rest[rest.iter().take_while(|byte| **byte == b'*').count()..]
            }
            [b'?', rest @ ..] => {
                begins_part = false;
                take_one(&mut ops, Bytes::NotSlash);
                rest
            }
            [b'\\', byte, rest @ ..] | [byte, rest @ ..] => {
                begins_part = *byte == b'/';
                take_one(&mut ops, Bytes::Range(*byte, *byte));
                rest
            }
        };
    }
    ops.push(Op::End);
    ops
}

fn through_regex(pattern: &str) -> Option<Automaton> {
    let glob = GlobBuilder::new(pattern).literal_separator(true).build().ok()?;
    let syntax = syntax::Config::new().utf8(false).dot_matches_new_line(true);
    let config = NFA::config().utf8(false).which_captures(WhichCaptures::None);
    let nfa = NFA::compiler().syntax(syntax).configure(config).build(glob.regex()).ok()?;
    let mut ops = vec![Op::Fail; nfa.states().len()];
    for (at, state) in nfa.states().iter().enumerate() {
        let range = |from, to, next: usize| Op::Take(Bytes::Range(from, to), next);
        match state {
            State::ByteRange { trans: t } => ops[at] = range(t.start, t.end, t.next.as_usize()),
            State::Sparse(sparse) => {
                let moves = sparse.transitions.iter();
                let moves = moves.map(|t| range(t.start, t.end, t.next.as_usize())).collect();
                fork_to_moves(&mut ops, at, moves);
            }
            State::Dense(dense) => {
                let led = |b| dense.matches_byte(b).map(|next| range(b, b, next.as_usize()));
                fork_to_moves(&mut ops, at, (0..=u8::MAX).filter_map(led).collect());
            }
            // The only looks are the first `^` and the last `$`, where they always hold.
            State::Look { next, .. } | State::Capture { next, .. } => {
                ops[at] = Op::Fork(next.as_usize(), next.as_usize());
            }
            State::Union { alternates } => {
                fork(&mut ops, at, alternates.iter().map(|next| next.as_usize()).collect());
            }
            State::BinaryUnion { alt1, alt2 } => {
                ops[at] = Op::Fork(alt1.as_usize(), alt2.as_usize());
            }
            State::Match { .. } => ops[at] = Op::End,
            State::Fail => {}
        }
    }
    Some(Automaton { ops, start: nfa.start_anchored().as_usize() })
}

fn fork_to_moves(ops: &mut Vec<Op>, at: usize, moves: Vec<Op>) {
    let first = ops.len();
    ops.extend(moves);
    fork(ops, at, (first..ops.len()).collect());
}

/// Makes the state lead to each of the others.
fn fork(ops: &mut Vec<Op>, at: usize, mut targets: Vec<usize>) {
    let Some(mut last) = targets.pop() else { return };
    for target in targets {
        ops.push(Op::Fork(target, last));
        last = ops.len() - 1;
    }
    ops[at] = Op::Fork(last, last);
}
