//! Tests of the crate as a whole: on labelled commands, on their rewritings, and against a real
//! shell. `make soak` runs them long.

mod brush;
mod builds;
mod canonical;
mod code;
mod corpus;
mod differential;
mod documents;
mod evasion;
mod generated;
mod kept;
mod lattice;
mod leading;
mod misread;
mod odd;
mod order;
mod prose;
mod quotes;
mod reflection;
mod rewrites;
mod shapes;
pub(super) mod shown;
mod spellings;
mod trace;
mod words;
mod written;

/// `short` in `make test`, `long` in `make soak`.
fn rounds(short: usize, long: usize) -> usize {
    if std::env::var_os("TOOLKEEP_SOAK").is_some() { long } else { short }
}

/// Numbers that are the same in each run.
struct Dice(u64);

impl Dice {
    fn new(seed: u64) -> Dice {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `sides`, which is not zero.
    fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap() % sides
    }

    fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }
}
