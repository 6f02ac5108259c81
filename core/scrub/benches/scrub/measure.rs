//! Measures in turns, and holds what is measured against.

use regex::{NoExpand, Regex};
use rustix::time::{ClockId, clock_gettime};
use std::borrow::Cow;

use super::corpus::Text;

const TURNS: usize = 9;
/// How long one turn lasts at least, in seconds.
const TURN: f64 = 0.004;

/// What is measured: a text, and what is done with it.
type Run<'r> = (&'r Text, &'r dyn Fn(&str));

/// Bytes per second of each run, of its fastest turn. The runs take turns. What a text of 1 KB
/// costs is measured over so many of them that asking for the time costs nothing.
pub fn in_turns<const N: usize>(runs: [Run<'_>; N]) -> [f64; N] {
    let mut best = [0.0_f64; N];
    for _ in 0..TURNS {
        for (best, (text, run)) in best.iter_mut().zip(&runs) {
            let start = used();
            let mut bytes = 0;
            while bytes == 0 || used() - start < TURN {
                for piece in &text.pieces {
                    run(std::hint::black_box(piece));
                    bytes += piece.len();
                }
            }
            *best = best.max(bytes as f64 / (used() - start));
        }
    }
    best
}

/// Seconds that this thread has had a processor for: what other programs do does not count.
fn used() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

pub fn gigabytes(speed: f64) -> String {
    if speed < 1e9 { format!("{:.3}", speed / 1e9) } else { format!("{:.2}", speed / 1e9) }
}

pub fn allocations(run: impl FnOnce()) -> u64 {
    allocation_counter::measure(run).count_total
}

/// The fourteen patterns of the `seed` profile, each over the whole text, one after another.
pub struct Baseline(Vec<Regex>);

const PATTERNS: [&str; 14] = [
    r"sk-[a-zA-Z0-9]{20,}",
    r"sk-ant-[a-zA-Z0-9-]{20,}",
    r"ghp_[a-zA-Z0-9]{36}",
    r"gho_[a-zA-Z0-9]{36}",
    r"ghu_[a-zA-Z0-9]{36}",
    r"ghs_[a-zA-Z0-9]{36}",
    r"ghr_[a-zA-Z0-9]{36}",
    r"AKIA[A-Z0-9]{16}",
    r#"(?i)(?:api[_-]?key|token|secret|password|bearer|authorization)[\t\n\f\r ]*[:=][\t\n\f\r ]*["']?[^\t\n\f\r ]{8,}["']?"#,
    r#"(?i)(?:postgres|postgresql|mysql|mongodb|redis|amqp)://[^\t\n\f\r "']+"#,
    r"(?i)[A-Z_]*(?:KEY|SECRET|CREDENTIAL|PRIVATE)[A-Z_]*[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{8,}",
    r"(?i)(?:DSN|DATABASE_URL|REDIS_URL|MONGO_URI)[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{8,}",
    r"(?i)VIRTUAL_[A-Z_]+[\t\n\f\r ]*=[\t\n\f\r ]*[^\t\n\f\r \[]{4,}",
    r"[a-fA-F0-9]{64,}",
];

impl Baseline {
    pub fn new() -> Baseline {
        Baseline(PATTERNS.iter().map(|pattern| Regex::new(pattern).unwrap()).collect())
    }

    pub fn scrub<'t>(&self, text: &'t str) -> Cow<'t, str> {
        self.0.iter().fold(Cow::Borrowed(text), |text, pattern| {
            match pattern.replace_all(&text, NoExpand("[REDACTED]")) {
                Cow::Borrowed(_) => text,
                Cow::Owned(masked) => Cow::Owned(masked),
            }
        })
    }
}
