//! Code that makes processes without end.

use super::super::token::Token;
use super::Reader;
use crate::effect::Effect;

/// The most processes that code makes of itself, one behind the other.
const MOST_FORKS: usize = 3;

/// Words behind which something is done until it is stopped.
const ENDLESS: &[&str] =
    &["while", "until", "loop", "forever", "repeat", "setInterval", "setImmediate", "cycle"];

/// Words behind which something is done some times.
const COUNTED: &[&str] =
    &["for", "foreach", "times", "each", "upto", "downto", "step", "map", "array_map", "grep"];

/// Functions that start a program and do not wait for it.
const STARTING: &[&str] = &[
    "subprocess.Popen",
    "multiprocessing.Process",
    "multiprocessing.Pool",
    "asyncio.create_subprocess_exec",
    "child_process.spawn",
    "child_process.exec",
    "child_process.execFile",
    "child_process.fork",
    "cluster.fork",
    "worker_threads.Worker",
    "Bun.spawn",
    "spawn",
    "Process.spawn",
    "IO.popen",
    "popen",
    "proc_open",
];

/// How often something is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Often {
    Once,
    Counted,
    Endless,
}

impl Reader<'_> {
    /// A process is made of this one.
    pub(in super::super) fn forks(&mut self) {
        self.forked += 1;
        match self.often() {
            Often::Endless => self.effect(Effect::Bomb),
            Often::Counted => self.dynamic("it makes processes of itself in a loop"),
            Often::Once if self.forked > MOST_FORKS => {
                self.dynamic("it makes many processes of itself");
            }
            Often::Once => {}
        }
    }

    /// A program is started that is not waited for.
    pub(in super::super) fn starts(&mut self, path: &str) {
        if STARTING.contains(&path) && self.often() == Often::Endless {
            self.dynamic(format!("`{path}` starts processes without end"));
        }
    }

    /// How often what stands here is done, by the loops before it and the one behind its statement.
    fn often(&self) -> Often {
        let at = self.at.min(self.tokens.len());
        let (before, after) = self.tokens.split_at(at);
        let ends = |token: &&Token| !matches!(token, Token::Mark(";") | Token::Line);
        let loops = |tokens: &mut dyn Iterator<Item = &Token>| {
            tokens.map(|token| self.word_of_loop(token)).max().unwrap_or(Often::Once)
        };
        let all = loops(&mut before.iter()).max(loops(&mut after.iter().take_while(ends)));
        let is_open = |tokens: &[Token]| {
            matches!(tokens, [Token::Name(name), Token::Mark("("), Token::Mark(";"), Token::Mark(";")]
                if name == "for")
        };
        if all == Often::Endless || before.windows(4).any(is_open) || self.recurses() {
            return Often::Endless;
        }
        all
    }

    fn word_of_loop(&self, token: &Token) -> Often {
        match token {
            Token::Name(name) if ENDLESS.contains(&name.as_str()) => Often::Endless,
            Token::Name(name) if COUNTED.contains(&name.as_str()) => Often::Counted,
            _ => Often::Once,
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
