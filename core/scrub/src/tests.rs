//! What must hold for every text and every profile, on mixtures of labelled texts and noise.

use std::io::Read;
use std::sync::Arc;

use super::{Profile, SCAN_STEP, Scrubber, TagKey, Values};

mod clean;
mod json;
mod output;
mod pieces;
mod twice;

/// A scrubber of each profile, without registered values.
fn plain() -> Vec<Scrubber> {
    let key = TagKey::new([7; 32]);
    Profile::ALL.into_iter().map(|profile| Scrubber::new(profile, key.clone())).collect()
}

/// Values of many shapes. Their secrets are nowhere in the labelled texts.
const VALUES: &[(&str, &str)] = &[
    ("Tr0ub4dor&3-staple", "staff-password"),
    ("zq81nfw02kxm55pd", "build-token"),
    ("8391047265", "account-number"),
    ("пароль-от-склада", "store-password"),
    ("näme\\with\"marks'and<more>", "marked"),
];

/// The same with registered values.
fn with_values() -> Vec<Scrubber> {
    let values = Arc::new(Values::new());
    for (value, kind) in VALUES {
        values.add(value, Some(kind)).unwrap();
    }
    plain().into_iter().map(|scrubber| scrubber.with_values(values.clone())).collect()
}

/// The texts of the corpora.
pub(super) fn corpus() -> Vec<String> {
    let packed: [&[u8]; 2] = [
        include_bytes!("../testdata/secrets.jsonl.gz"),
        include_bytes!("../testdata/not-secrets.jsonl.gz"),
    ];
    let mut texts = Vec::new();
    for packed in packed {
        let mut lines = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut lines).unwrap();
        texts.extend(lines.lines().filter(|line| !line.is_empty()).map(|line| {
            let row: serde_json::Value = serde_json::from_str(line).unwrap();
            row["text"].as_str().unwrap().to_owned()
        }));
    }
    texts
}

/// Random choices that are the same in every run.
struct Random(u64);

impl Random {
    fn new() -> Random {
        Random(0x9E37_79B9_7F4A_7C15)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }

    fn pick<'t, T: AsRef<str>>(&mut self, from: &'t [T]) -> &'t str {
        from[self.below(from.len())].as_ref()
    }
}

const GLUE: &[&str] = &[
    "\n", "\n", " ", "", ",", "\"", "\\n", "\t", ": ", "=", "\r\n", "\u{a0}", "'", "\\", "&", "}",
];

/// A few things that are long, and cut where views end.
fn long(random: &mut Random) -> String {
    let length = [60, 1_000, 1_100, 4_000, 4_200, 9_000, 20_000][random.below(7)];
    let letters = random.pick(&["a", "Ab3", "x1_", "é", "7", "0f", "🦀", " ", "=", "key_", "://"]);
    let body: String = letters.chars().cycle().take(length + random.below(70)).collect();
    let head = random.pick(&[
        "",
        "token=",
        "\"password\": \"",
        "sk-",
        "-----BEGIN RSA PRIVATE KEY-----\n",
        "redis://u:",
        "Bearer ",
        "eyJhbGciOi",
        "api_key: '",
        "ghp_",
        "SECRET_KEY = ",
        "https://u:p4ssw0rd@h/?sig=",
    ]);
    let tail = random.pick(&["", "\"", "'", "\n", "\n-----END RSA PRIVATE KEY-----\n", "@host/"]);
    format!("{head}{body}{tail}")
}

/// A table with a column of passwords, in which other things stand too: with `rows`, also those and
/// parts of them.
fn table(random: &mut Random, rows: Option<&[String]>) -> String {
    let mut text = random.pick(&[
        "user,password\n",
        "id,password,note\n",
        "a;password\r\n",
        "password\tuser\n",
        " id | password \n----+------\n",
        " password\n----\n",
        "| user | password |\n|---|---|\n",
        "+---+---+\n| a | password |\n+---+---+\n",
        "│ a │ password │\n├───┼───┤\n",
        "name  password\n----  --------\n",
        "INSERT INTO t (a, password) VALUES ",
        "COPY t (password, api_key) FROM stdin;\n",
    ]);
    let mut whole = text.to_owned();
    for _ in 0..random.below(30) {
        for part in 0..random.below(5) {
            let row = rows.map(|rows| random.pick(rows));
            text = match (random.below(6), row) {
                (0, Some(row)) => {
                    &row[..row.floor_char_boundary(random.below(row.len().min(60) + 1))]
                }
                (1, Some(row)) => row,
                (2, _) => "[REDACTED:password]",
                (3, _) => "'hunter2x9'",
                (4, _) => "\"s3cr,et;9\"",
                _ => "bob9",
            };
            whole.push_str(if part > 0 {
                random.pick(&[",", ";", "\t", " | ", "│", "  "])
            } else {
                ""
            });
            whole.push_str(text);
        }
        whole.push_str(random.pick(&["\n", "\n", "\r\n", "),\n(", "---+---\n"]));
    }
    whole
}

/// A text of about `length` bytes, glued wildly.
fn mixture(random: &mut Random, rows: &[String], length: usize) -> String {
    mixed(random, rows, length, GLUE, Some(rows))
}

/// A text of about `length` bytes, of whole lines.
fn lines(random: &mut Random, rows: &[String], length: usize) -> String {
    mixed(random, rows, length, &["\n", "\r\n", "\n\n"], None)
}

fn mixed(
    random: &mut Random,
    rows: &[String],
    length: usize,
    glue: &[&str],
    cells: Option<&[String]>,
) -> String {
    let mut text = String::new();
    while text.len() < length {
        match random.below(24) {
            0 => text.push_str(&long(random)),
            1 => text.push_str(VALUES[random.below(VALUES.len())].0),
            2 => text.push_str(random.pick(&[
                "[REDACTED]",
                "[REDACTED:password:abcd2345]",
                "[REDACTED:token]",
                "[SERVER_IP]",
                "[REDACTED:",
                "[REDACTED:x:",
            ])),
            3 => {
                // A part of a row: secrets and placeholders that are cut.
                let row = random.pick(rows);
                let start = row.floor_char_boundary(random.below(row.len() + 1));
                text.push_str(&row[start..]);
            }
            4 => text.push_str(&table(random, cells)),
            _ => text.push_str(random.pick(rows)),
        }
        text.push_str(random.pick(glue));
    }
    text
}
