//! Texts of 16 MB, made from what is on the machine.
//!
//! Source code is that of the crates in Cargo's registry cache. JSON and minified JavaScript come
//! from there and from the `node_modules` of npm and of the Node package of this repository, over
//! and over until they are long enough. The log is what a verbose build and a web server would
//! write about those crates, with numbers that are the same in every run. What is mixed takes
//! 4 KB of each in turn. Files are taken in the order of their paths.

use std::borrow::Cow;
use std::fmt::Write;
use std::path::PathBuf;
use std::process::Command;

use toolkeep_scrub::Scrubber;

const LENGTH: usize = 16 << 20;
/// Where a line is longer, it is cut behind a `;`, `,` or `}`.
const LINE: usize = 256;

/// A text, or pieces of one.
#[derive(Clone)]
pub struct Text {
    pub name: &'static str,
    pub pieces: Vec<String>,
}

pub struct Corpora {
    pub texts: Vec<Text>,
}

impl Corpora {
    pub fn gather() -> Corpora {
        let roots = roots();
        let source = filled(&roots, |path, _| path.ends_with(".rs"));
        let log = log();
        let json = filled(&roots, |path, _| path.ends_with(".json"));
        let minified = filled(&roots, |path, text| {
            let is_script = [".js", ".mjs", ".cjs"].iter().any(|end| path.ends_with(end));
            is_script && text.len() > 1 << 13 && text.len() / (text.lines().count() + 1) > 500
        });
        let mut mixed = String::new();
        let mut at = 0;
        while mixed.len() < LENGTH {
            for text in [&source, &log, &json, &minified] {
                let ends = [at, at + 4096].map(|end| text.floor_char_boundary(end % LENGTH));
                mixed.push_str(text.get(ends[0]..ends[1]).unwrap_or_default());
            }
            at += 4096;
        }
        let all = [source, log, json, minified, mixed];
        let names = ["source", "logs", "JSON", "minified JavaScript", "mixed"];
        let texts =
            names.into_iter().zip(all).map(|(name, text)| Text { name, pieces: vec![text] });
        Corpora { texts: texts.collect() }
    }
}

impl Text {
    /// Pieces of `bytes` from all over the text, at most 64 of them.
    pub fn cut(&self, bytes: usize) -> Text {
        let text = &self.pieces[0];
        let count = (text.len() / bytes).clamp(1, 64);
        let stride = text.len() / count;
        let piece = |n: usize| {
            let start = text.floor_char_boundary(n * stride);
            text[start..text.floor_char_boundary(start + bytes)].to_owned()
        };
        let count = count.min((LENGTH / bytes / 4).max(1));
        Text { name: self.name, pieces: (0..count).map(piece).collect() }
    }

    /// The text without the pieces that `scrubber` changes, and the share of pieces (in percent)
    /// that were taken out. A match may reach over pieces, so this goes on until nothing changes.
    pub fn cleaned(&self, scrubber: &Scrubber) -> (Text, f64) {
        let is_clean = |text: &str| matches!(scrubber.scrub(text), Cow::Borrowed(_));
        let mut text = self.pieces[0].clone();
        let all = lines(&text).len();
        let mut left = all;
        while !is_clean(&text) {
            let mut kept = String::new();
            let lines = lines(&text);
            left = 0;
            let mut pending = vec![&lines[..]];
            while let Some(group) = pending.pop() {
                let joined = group.concat();
                if is_clean(&joined) {
                    kept.push_str(&joined);
                    left += group.len();
                } else if group.len() > 1 {
                    let (first, second) = group.split_at(group.len() / 2);
                    // What spans the border would be whole in neither half.
                    let spans = is_clean(&first.concat()) && is_clean(&second.concat());
                    pending.push(if spans { &second[1..] } else { second });
                    pending.push(first);
                }
            }
            text = kept;
        }
        let taken = 100.0 * (all - left) as f64 / all as f64;
        // What was taken out is made up for by the start of the text, so that sizes compare.
        (Text { name: self.name, pieces: vec![text] }, taken)
    }
}

/// The lines with their ends; long ones in parts.
fn lines(text: &str) -> Vec<&str> {
    let mut lines = Vec::new();
    for mut line in text.split_inclusive('\n') {
        while line.len() > LINE {
            let from = line.floor_char_boundary(LINE);
            let Some(cut) = line[from..].find([';', ',', '}']) else { break };
            let (part, rest) = line.split_at(from + cut + 1);
            lines.push(part);
            line = rest;
        }
        lines.push(line);
    }
    lines
}

fn roots() -> Vec<PathBuf> {
    let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    let cargo = std::env::var_os("CARGO_HOME").map_or(home.join(".cargo"), PathBuf::from);
    let repository = PathBuf::from("../bindings/node/node_modules");
    let global = Command::new("npm").args(["root", "-g"]).output().ok();
    let global = global.and_then(|output| String::from_utf8(output.stdout).ok());
    let global = global.map(|path| PathBuf::from(path.trim()));
    [cargo.join("registry/src"), repository].into_iter().chain(global).collect()
}

/// The texts of the files that are `wanted`, one after another, over and over.
fn filled(roots: &[PathBuf], wanted: impl Fn(&str, &str) -> bool) -> String {
    let mut text = String::new();
    let mut pending: Vec<PathBuf> = roots.iter().rev().cloned().collect();
    while let Some(path) = pending.pop() {
        if text.len() >= LENGTH {
            break;
        }
        if path.is_dir() && !path.is_symlink() {
            let entries = std::fs::read_dir(&path).into_iter().flatten().flatten();
            let mut inside: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
            inside.sort();
            pending.extend(inside.into_iter().rev());
            continue;
        }
        let name = path.to_string_lossy();
        let ends = [".rs", ".json", ".js", ".mjs", ".cjs"];
        if !ends.iter().any(|end| name.ends_with(end)) || !wanted(&name, &"x".repeat(1 << 14)) {
            continue;
        }
        if let Ok(file) = std::fs::read_to_string(&path)
            && wanted(&name, &file)
            && !file.contains('\0')
        {
            text.push_str(&file);
        }
    }
    assert!(text.len() > 1 << 16, "too little text of a kind on this machine");
    while text.len() < LENGTH {
        text.push_str(
            &text.clone()[..text.floor_char_boundary(text.len().min(LENGTH - text.len() + 3))],
        );
    }
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

/// Numbers that look random and are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }
}

fn log() -> String {
    const CRATES: [&str; 8] =
        ["serde_json", "regex-automata", "tokio", "hyper-util", "syn", "rustls", "libc", "cc"];
    const PATHS: [&str; 5] =
        ["/", "/api/v1/items", "/static/app.js", "/api/v1/users/profile", "/healthz"];
    let mut numbers = Numbers(88_172_645_463_325_252);
    let mut text = String::new();
    while text.len() < LENGTH {
        let second = text.len() / 900;
        let name = CRATES[numbers.below(8) as usize];
        let (id, hash) = (numbers.next(), numbers.next());
        let time = format!(
            "2026-03-{:02}T{:02}:{:02}:{:02}.{:03}Z",
            second / 86_400 % 28 + 1,
            second / 3_600 % 24,
            second / 60 % 60,
            second % 60,
            id % 1_000
        );
        let line = match numbers.below(7) {
            0 => format!("   Compiling {name} v{}.{}.{}", id % 3, id % 41, hash % 17),
            1 => format!(
                "     Running `CARGO=/usr/bin/cargo CARGO_PKG_NAME={name} rustc --crate-name {} --edition=2021 src/lib.rs --error-format=json --crate-type lib --emit=dep-info,metadata,link -C embed-bitcode=no -C metadata={hash:016x} -C extra-filename=-{hash:016x} --out-dir /build/target/release/deps -L dependency=/build/target/release/deps`",
                name.replace('-', "_")
            ),
            2 => format!(
                "{time} INFO  server::http{{request_id={id:016x}}}: finished processing request latency={} ms status=200",
                id % 900
            ),
            3 => format!(
                "10.{}.{}.{} - - [{time}] \"GET {}?page={} HTTP/1.1\" 200 {} \"-\" \"Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\"",
                id % 256,
                hash % 256,
                id % 251,
                PATHS[numbers.below(5) as usize],
                hash % 90,
                id % 70_000
            ),
            4 => format!(
                "{time} DEBUG pool: connection {} of {} idle for {}s, key={name}:{}",
                id % 20,
                20,
                hash % 300,
                id % 9_999
            ),
            5 => format!(
                "{time} WARN  worker-{}: retry {} of 5 after {}ms: connection reset by peer (os error 104)",
                id % 16,
                hash % 5 + 1,
                id % 5_000
            ),
            _ => format!("test {}::tests::case_{} ... ok", name.replace('-', "_"), id % 5_000),
        };
        let _ = writeln!(text, "{line}");
    }
    text.truncate(text.floor_char_boundary(LENGTH));
    text
}

/// Values as hosts register them: tokens, passwords, hexadecimal keys. None of them is in a text.
pub fn values(count: u64) -> impl Iterator<Item = String> {
    let mut numbers = Numbers(0x9E37_79B9_7F4A_7C15);
    (0..count).map(move |n| {
        let mut letters = |alphabet: &[u8], length: u64| -> String {
            (0..length)
                .map(|_| alphabet[numbers.below(alphabet.len() as u64) as usize] as char)
                .collect()
        };
        const WIDE: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
        match n % 4 {
            0 => letters(WIDE, 40),
            1 => letters(b"0123456789abcdef", 32),
            2 => format!("tk_{}", letters(WIDE, 24)),
            _ => letters(b"abcdefghkmnpqrstuvwxyzABCDEFGHKLMNPQRSTUVWXYZ23456789!#%+=?", 14),
        }
    })
}

/// What is meant to be slow, by name.
pub fn hostile(bytes: usize) -> impl Iterator<Item = (&'static str, Text)> {
    let parts = [
        "a",
        "A",
        "0",
        "f",
        "-",
        "_",
        ".",
        "=",
        ":",
        "/",
        "\\",
        "\\\"",
        "\"",
        " ",
        "\n",
        "key_",
        "key",
        "token ",
        "token=",
        "secret:",
        "password=\"",
        "://",
        "a://",
        "http://a@",
        "-----BEGIN ",
        "-----",
        "eyJ",
        "eyJ.",
        "ghp_",
        "sk-",
        "AKIA",
        "Bearer ",
        "Basic ",
        "{\"key\":",
        "a.b.c-",
        "0x",
        "secr",
        "toke",
        "\\n",
        "%3D",
        "[REDACTED:",
        "é",
        "ſ",
        "abcdefghijkl ",
    ];
    parts.into_iter().map(move |part| {
        let text = part.repeat(bytes / part.len());
        (
            if part == "\n" { "\\n (a line feed)" } else { part },
            Text { name: "hostile", pieces: vec![text] },
        )
    })
}
