//! How fast text is scrubbed, against the same patterns run one after another with the `regex`
//! crate, and against `memchr` over the same bytes.
//!
//! `make bench` runs it and prints its tables. The texts are made when it starts, from what Cargo
//! and npm have on this machine (see `corpus`); nothing of them is committed. Everything is
//! measured in this one process, in turns, and the fastest turn counts. `as found` is a text as it
//! is; `clean` is what is left of it when the pieces that the profile changes are taken out. Name
//! tables (`seed`, `precise`, `calls`, `values`, `hostile`) to print only those.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::hint::black_box;

use toolkeep_scrub::{Profile, Scrubber, TagKey};

mod corpus;
mod measure;

use corpus::{Corpora, Text};
use measure::{Baseline, allocations, gigabytes, in_turns};

const KB: usize = 1 << 10;
const MB: usize = 1 << 20;
const SIZES: [(&str, usize); 4] =
    [("1 KB", KB), ("64 KB", 64 * KB), ("1 MB", MB), ("16 MB", 16 * MB)];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let is_wanted = |table: &str| wanted.is_empty() || wanted.iter().any(|name| name == table);
    let corpora = Corpora::gather();
    for profile in [Profile::Seed, Profile::Precise] {
        let name = profile.as_str();
        let bench = Bench::new(profile, &corpora);
        if is_wanted(name) {
            bench.speeds();
        }
        if is_wanted("calls") {
            bench.calls();
        }
        if is_wanted("values") && profile == Profile::Precise {
            bench.values();
        }
        if is_wanted("hostile") {
            bench.hostile();
        }
    }
}

/// A profile, and the texts as found and clean for it.
struct Bench {
    profile: Profile,
    scrubber: Scrubber,
    portable: Scrubber,
    found: Vec<Text>,
    clean: Vec<Text>,
    /// What share of the pieces of each text was taken out, in percent.
    taken: Vec<f64>,
}

impl Bench {
    fn new(profile: Profile, corpora: &Corpora) -> Bench {
        let key = || TagKey::new([7; 32]);
        let scrubber = Scrubber::new(profile, key());
        let cleaned = corpora.texts.iter().map(|text| text.cleaned(&scrubber));
        let (clean, taken) = cleaned.unzip();
        let portable = Scrubber::portable(profile, key());
        Bench { profile, scrubber, portable, found: corpora.texts.clone(), clean, taken }
    }

    fn speeds(&self) {
        let name = self.profile.as_str();
        println!(
            "| `{name}` | size | pieces changed | GB/s, as found | GB/s, clean | of one pattern after another, as found | clean | of memchr, clean | GB/s without AVX2, clean | of one pattern after another |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        let baseline = Baseline::new();
        for ((found, clean), taken) in self.found.iter().zip(&self.clean).zip(&self.taken) {
            for (size, bytes) in SIZES {
                let (found, clean) = (found.cut(bytes), clean.cut(bytes));
                let [slow_found, slow, memchr, dirty, fast, portable] = in_turns([
                    (&found, &|text| drop(black_box(baseline.scrub(text)))),
                    (&clean, &|text| drop(black_box(baseline.scrub(text)))),
                    (&clean, &|text| {
                        black_box(memchr::memchr(0, text.as_bytes()));
                    }),
                    (&found, &|text| drop(black_box(self.scrubber.scrub(text)))),
                    (&clean, &|text| drop(black_box(self.scrubber.scrub(text)))),
                    (&clean, &|text| drop(black_box(self.portable.scrub(text)))),
                ]);
                println!(
                    "| {} | {size} | {taken:.2} % | {} | {} | {:.1}× | {:.1}× | {:.0} % | {} | {:.1}× |",
                    clean.name,
                    gigabytes(dirty),
                    gigabytes(fast),
                    dirty / slow_found,
                    fast / slow,
                    100.0 * fast / memchr,
                    gigabytes(portable),
                    portable / slow,
                );
            }
        }
        println!();
    }

    fn calls(&self) {
        let name = self.profile.as_str();
        println!(
            "| `{name}`, a call with 1 KB of clean text | µs | µs without AVX2 | allocations in 64 calls | in a call with 1 MB |"
        );
        println!("|---|---:|---:|---:|---:|");
        for clean in &self.clean {
            let (small, large) = (clean.cut(KB), clean.cut(MB));
            let [fast, portable] = in_turns([
                (&small, &|text| drop(black_box(self.scrubber.scrub(text)))),
                (&small, &|text| drop(black_box(self.portable.scrub(text)))),
            ]);
            let micros = |speed: f64| KB as f64 / speed * 1e6;
            let scrub = |text: &Text| text.pieces.iter().for_each(|t| drop(self.scrubber.scrub(t)));
            println!(
                "| {} | {:.2} | {:.2} | {} | {} |",
                clean.name,
                micros(fast),
                micros(portable),
                allocations(|| scrub(&small)),
                allocations(|| scrub(&large)),
            );
        }
        println!();
    }

    fn values(&self) {
        println!(
            "| `{}`, clean text with registered values | size | GB/s with none | with 100 | of none | with 10,000 | of none |",
            self.profile.as_str()
        );
        println!("|---|---:|---:|---:|---:|---:|---:|");
        let with = |count: u64| {
            let scrubber = Scrubber::new(self.profile, TagKey::new([7; 32]));
            for value in corpus::values(count) {
                scrubber.values().add(&value, None).unwrap();
            }
            scrubber
        };
        let (some, many) = (with(100), with(10_000));
        for clean in &self.clean {
            for (size, bytes) in &SIZES {
                let text = clean.cut(*bytes);
                let [none, some, many] = in_turns([
                    (&text, &|text| drop(black_box(self.scrubber.scrub(text)))),
                    (&text, &|text| drop(black_box(some.scrub(text)))),
                    (&text, &|text| drop(black_box(many.scrub(text)))),
                ]);
                println!(
                    "| {} | {size} | {} | {} | {:.0} % | {} | {:.0} % |",
                    clean.name,
                    gigabytes(none),
                    gigabytes(some),
                    100.0 * some / none,
                    gigabytes(many),
                    100.0 * many / none,
                );
            }
        }
        println!();
    }

    fn hostile(&self) {
        let slowest = self.clean.iter().map(|clean| {
            let text = clean.cut(MB);
            in_turns([(&text, &|text| drop(black_box(self.scrubber.scrub(text))))])[0]
        });
        let slowest = slowest.fold(f64::MAX, f64::min);
        println!(
            "| `{}`, 1 MB of one text over and over | GB/s | times the slowest clean text |",
            self.profile.as_str()
        );
        println!("|---|---:|---:|");
        for (name, text) in corpus::hostile(MB) {
            let [speed] = in_turns([(&text, &|text| drop(black_box(self.scrubber.scrub(text))))]);
            println!("| `{name}` | {} | {:.2} |", gigabytes(speed), slowest / speed);
        }
        println!();
    }
}
