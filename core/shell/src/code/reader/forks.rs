//! Code that makes processes without end.
//!
//! A fork in an endless loop is a bomb, which is denied. In a counted loop it asks. Loops are
//! recognised by their words before the fork and behind its statement, and by a function that calls
//! itself.

use super::super::token::Token;
use super::Reader;
use crate::effect::Effect;

/// The most processes that code makes of itself in a row, without a loop. Two are common: a daemon
/// does it.
const MOST_FORKS: usize = 3;

/// Words of loops that run until something stops them.
const ENDLESS_LOOPS: &[&str] =
    &["while", "until", "loop", "forever", "repeat", "setInterval", "setImmediate", "cycle"];

/// Words of loops that run a number of times.
const COUNTED_LOOPS: &[&str] =
    &["for", "foreach", "times", "each", "upto", "downto", "step", "map", "array_map", "grep"];

/// Functions that start a program and do not wait for it.
const STARTS_PROCESS: &[&str] = &[
    "subprocess.Popen", "multiprocessing.Process", "multiprocessing.Pool",
    "asyncio.create_subprocess_exec", "child_process.spawn", "child_process.exec",
    "child_process.execFile", "child_process.fork", "cluster.fork", "worker_threads.Worker",
    "Bun.spawn", "spawn", "Process.spawn", "IO.popen", "popen", "proc_open",
];

/// How often something is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Repetition {
    /// Once.
    Once,
    /// A number of times.
    Counted,
    /// Until something stops it.
    Endless,
}

impl Reader<'_> {
    /// A process is made of this one.
    pub(in super::super) fn forks(&mut self) {
        self.forked += 1;
        match self.repetition() {
            Repetition::Endless => self.effect(Effect::Bomb),
            Repetition::Counted => self.dynamic("it makes processes of itself in a loop"),
            Repetition::Once if self.forked > MOST_FORKS => {
                self.dynamic("it makes many processes of itself");
            }
            Repetition::Once => {}
        }
    }

    /// A program is started that is not waited for.
    pub(in super::super) fn starts(&mut self, path: &str) {
        if STARTS_PROCESS.contains(&path) && self.repetition() == Repetition::Endless {
            self.dynamic(format!("`{path}` starts processes without end"));
        }
    }

    /// How often what stands here is done, by the loops before it and the one behind its statement.
    fn repetition(&self) -> Repetition {
        let at = self.at.min(self.tokens.len());
        let (before, after) = self.tokens.split_at(at);
        let ends = |token: &&Token| !matches!(token, Token::Mark(";") | Token::Line);
        let loops = |tokens: &mut dyn Iterator<Item = &Token>| {
            tokens.map(|token| self.word_of_loop(token)).max().unwrap_or(Repetition::Once)
        };
        let all = loops(&mut before.iter()).max(loops(&mut after.iter().take_while(ends)));
        let is_open = |tokens: &[Token]| {
            matches!(tokens, [Token::Name(name), Token::Mark("("), Token::Mark(";"), Token::Mark(";")]
                if name == "for")
        };
        if all == Repetition::Endless || before.windows(4).any(is_open) || self.recurses() {
            return Repetition::Endless;
        }
        all
    }

    /// The repetition that a word begins.
    fn word_of_loop(&self, token: &Token) -> Repetition {
        match token {
            Token::Name(name) if ENDLESS_LOOPS.contains(&name.as_str()) => Repetition::Endless,
            Token::Name(name) if COUNTED_LOOPS.contains(&name.as_str()) => Repetition::Counted,
            _ => Repetition::Once,
        }
    }

    /// True if a function is named where it is made, where it is called, and once more.
    fn recurses(&self) -> bool {
        self.functions.keys().any(|function| {
            let names = |token: &&Token| matches!(token, Token::Name(name) if name == function);
            self.tokens.iter().filter(names).count() > 2
        })
    }
}
