//! Writes the tables of the crate from the files in `data/`.
//!
//! The data is read here, once, when the crate is compiled. What comes out is Rust source with
//! constants, so that nothing is parsed at run time. `data/README.md` describes the files. A file
//! that breaks its schema stops the build with a message that names the file and the entry.

#![expect(clippy::panic, clippy::expect_used, reason = "a build script reports errors by a panic")]

use std::collections::HashSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use toml::{Table, Value};

/// The files of the kinds, in the order in which their kinds are tried. Where two kinds with a
/// prefix fit equally far, the later one names the secret, so general kinds come first.
const KIND_FILES: [&str; 12] = [
    "ai",
    "source-control",
    "ci",
    "cloud",
    "chat",
    "payment",
    "monitoring",
    "data",
    "packages",
    "identity",
    "business",
    "places",
];

/// The files of the word lists.
const WORD_FILES: [&str; 5] = ["assignment", "context", "judge", "names", "values"];

/// The sets of bytes that a body may name, with their constants in `kinds/shape.rs`.
const SETS: [(&str, &str); 16] = [
    ("digits", "DIGITS"),
    ("hex", "HEX"),
    ("any-hex", "ANY_HEX"),
    ("upper-hex", "UPPER_HEX"),
    ("lower", "LOWER"),
    ("upper", "UPPER"),
    ("alnum", "ALNUM"),
    ("token", "TOKEN"),
    ("word", "WORD"),
    ("hyphened", "HYPHENED"),
    ("dotted", "DOTTED"),
    ("base64", "BASE64"),
    ("loose", "LOOSE"),
    ("escaped", "ESCAPED"),
    ("azure", "AZURE"),
    ("padding", "PADDING"),
];

/// A UUID in lower case.
const UUID: &str = "{hex 8}-{hex 4}-{hex 4}-{hex 4}-{hex 12}";

fn main() {
    println!("cargo::rerun-if-changed=data");
    write("kinds.rs", &kinds());
    write("words.rs", &words());
    write("keywords.rs", &keywords());
    write("webhooks.rs", &webhooks());
    write("clients.rs", &clients());
    write("calls.rs", &calls());
    write("commands.rs", &commands());
}

fn write(name: &str, source: &str) {
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(folder.join(name), source).expect("the output folder can be written");
}

/// A data file.
struct File {
    name: String,
    table: Table,
}

impl File {
    fn read(name: String) -> File {
        let path = Path::new("data").join(&name);
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("data/{name}: {error}"));
        let table = text.parse().unwrap_or_else(|error| panic!("data/{name}: {error}"));
        File { name, table }
    }

    /// The entries of a list of tables.
    fn entries(&self, key: &str) -> impl Iterator<Item = Entry<'_>> {
        let list = self.table.get(key).and_then(Value::as_array);
        let list = list.unwrap_or_else(|| panic!("data/{}: `{key}` is no list", self.name));
        list.iter().enumerate().map(move |(number, value)| {
            let table = value.as_table();
            let place = format!("data/{}, {key} {}", self.name, number + 1);
            Entry { table: table.unwrap_or_else(|| panic!("{place} is no table")), place }
        })
    }
}

/// A table in a data file, and where it is, for messages.
struct Entry<'f> {
    table: &'f Table,
    place: String,
}

impl Entry<'_> {
    /// Panics if the entry has a key that is not among these.
    fn allow_only(&self, keys: &[&str]) {
        if let Some(other) = self.table.keys().find(|key| !keys.contains(&key.as_str())) {
            panic!("{}: unknown key `{other}`; there are {keys:?}", self.place);
        }
    }

    fn text(&self, key: &str) -> &str {
        self.find_text(key).unwrap_or_else(|| panic!("{}: `{key}` is missing", self.place))
    }

    fn find_text(&self, key: &str) -> Option<&str> {
        let value = self.table.get(key)?;
        Some(value.as_str().unwrap_or_else(|| panic!("{}: `{key}` is no string", self.place)))
    }

    fn texts(&self, key: &str) -> Vec<&str> {
        let Some(value) = self.table.get(key) else { return Vec::new() };
        let list = value.as_array().unwrap_or_else(|| panic!("{}: `{key}` is no list", self.place));
        let text = |value| {
            Value::as_str(value).unwrap_or_else(|| panic!("{}: `{key}` has no text", self.place))
        };
        list.iter().map(text).collect()
    }

    fn number(&self, key: &str) -> Option<i64> {
        let value = self.table.get(key)?;
        Some(value.as_integer().unwrap_or_else(|| panic!("{}: `{key}` is no number", self.place)))
    }

    fn flag(&self, key: &str) -> bool {
        let flag = |value| {
            Value::as_bool(value).unwrap_or_else(|| panic!("{}: `{key}` is no flag", self.place))
        };
        self.table.get(key).is_some_and(flag)
    }
}

/// Appends formatted text.
macro_rules! emit {
    ($out:expr, $($arguments:tt)*) => {
        write!($out, $($arguments)*).expect("a string takes everything")
    };
}

/// `FIELDS`: the kinds by field. `EXAMPLES`, for tests: a hit and a miss of each kind.
fn kinds() -> String {
    let mut fields = String::from("pub(super) static FIELDS: &[(&str, &[Shape])] = &[\n");
    let mut examples = String::from(
        "#[cfg(test)]\npub(super) static EXAMPLES: &[(&str, Option<&str>, &str, &str)] = &[\n",
    );
    let mut names = HashSet::new();
    for file in KIND_FILES {
        let file = File::read(format!("kinds/{file}.toml"));
        let title = file.table.get("title").and_then(Value::as_str);
        let title = title.unwrap_or_else(|| panic!("data/{}: `title` is missing", file.name));
        emit!(fields, "({title:?}, &[\n");
        for kind in file.entries("kind") {
            let name = kind.text("name");
            assert!(names.insert(name.to_owned()), "{}: `{name}` is there twice", kind.place);
            emit!(fields, "{},\n", shape(&kind));
            let example = |key| kind.find_text(key).unwrap_or_default();
            let (shadow, hit, miss) =
                (kind.find_text("shadowed_by"), example("hit"), example("miss"));
            emit!(examples, "({name:?}, {shadow:?}, {hit:?}, {miss:?}),\n");
        }
        fields += "]),\n";
    }
    fields + "];\n\n" + &examples + "];\n"
}

fn shape(kind: &Entry<'_>) -> String {
    kind.allow_only(&[
        "name",
        "prefix",
        "keywords",
        "body",
        "checksum",
        "shape_suffices",
        "shadowed_by",
        "hit",
        "miss",
    ]);
    let checksum = match kind.find_text("checksum") {
        None => "None",
        Some("crc32-base62") => "Crc62",
        Some("crc32-hex") => "CrcHex",
        Some(other) => panic!("{}: no checksum is called `{other}`", kind.place),
    };
    format!(
        "Shape {{ name: {:?}, prefix: {:?}, parts: &[{}], keywords: &{:?}, check: Check::{checksum}, \
         shape_suffices: {} }}",
        kind.text("name"),
        kind.find_text("prefix").unwrap_or_default(),
        parts(kind.text("body"), &kind.place),
        kind.texts("keywords"),
        kind.flag("shape_suffices"),
    )
}

/// The parts of a body: `{hex 32}-{digits 1..2}` has a run, a literal and a run.
fn parts(body: &str, place: &str) -> String {
    let body = body.replace("{uuid}", UUID).replace("{padding}", "{padding 0..2}");
    let mut parts = String::new();
    let mut rest = body.as_str();
    while !rest.is_empty() {
        let (literal, behind) = rest.split_at(rest.find('{').unwrap_or(rest.len()));
        if !literal.is_empty() {
            emit!(parts, "Part::Lit({literal:?}), ");
        }
        let Some(behind) = behind.strip_prefix('{') else { break };
        let Some((run, behind)) = behind.split_once('}') else {
            panic!("{place}: a `{{` in `{body}` is not closed");
        };
        let parsed = run.split_once(' ').and_then(|(name, count)| {
            let (_, set) = SETS.iter().find(|(known, _)| *known == name)?;
            let (least, most) = count.split_once("..").unwrap_or((count, count));
            Some((set, least.parse::<u16>().ok()?, most.parse::<u16>().ok()?))
        });
        let Some((set, least, most)) = parsed.filter(|(_, least, most)| least <= most) else {
            panic!("{place}: `{{{run}}}` is no run, such as `{{hex 32}}` or `{{alnum 20..40}}`");
        };
        emit!(parts, "Part::Run(Set::{set}, {least}, {most}), ");
        rest = behind;
    }
    parts
}

/// Constants and functions, one for each word list.
fn words() -> String {
    let mut out = String::new();
    for file in WORD_FILES {
        let file = File::read(format!("words/{file}.toml"));
        for (name, list) in &file.table {
            let place = format!("data/{}, [{name}]", file.name);
            let table = list.as_table().unwrap_or_else(|| panic!("{place} is no table"));
            let entry = Entry { table, place };
            entry.allow_only(&["about", "rust", "words"]);
            let words = entry.texts("words");
            assert!(!words.is_empty(), "{}: there are no words", entry.place);
            emit!(out, "/// {}\n", entry.text("about"));
            out += &word_list(name, &words, &entry);
        }
    }
    out
}

fn word_list(name: &str, words: &[&str], entry: &Entry<'_>) -> String {
    let constant = name.to_uppercase();
    let bytes = || words.iter().map(|word| bytes(word));
    match entry.text("rust") {
        "strings" => format!("pub(crate) const {constant}: &[&str] = &{words:?};\n"),
        "array" => format!("pub(crate) const {constant}: [&str; {}] = {words:?};\n", words.len()),
        "bytes" => {
            let list = bytes().collect::<Vec<_>>().join(", ");
            format!("pub(crate) const {constant}: &[&[u8]] = &[{list}];\n")
        }
        "match" => {
            let pattern = bytes().collect::<Vec<_>>().join(" | ");
            let function = name.strip_suffix('s').unwrap_or(name);
            format!(
                "pub(crate) fn is_{function}(word: &[u8]) -> bool {{ matches!(word, {pattern}) }}\n"
            )
        }
        other => panic!("{}: `rust` is strings, array, bytes or match, not `{other}`", entry.place),
    }
}

/// A byte string literal.
fn bytes(text: &str) -> String {
    format!("b\"{}\"", text.as_bytes().escape_ascii())
}

/// The keywords of the candidate scan, the offsets of some, and their buckets.
fn keywords() -> String {
    let file = File::read("keywords.toml".to_owned());
    let (mut keywords, mut offsets, mut buckets) = (String::new(), String::new(), Vec::new());
    for keyword in file.entries("keywords") {
        keyword.allow_only(&["text", "detector", "offset", "bucket"]);
        let text = keyword.text("text");
        emit!(keywords, "({text:?}, Detector::{}),\n", camel_case(keyword.text("detector")));
        if let Some(offset) = keyword.number("offset") {
            emit!(offsets, "({text:?}, {offset}),\n");
        }
        let bucket = keyword.number("bucket").filter(|bucket| (0..16).contains(bucket));
        buckets.push(bucket.unwrap_or_else(|| panic!("{}: `bucket` is 0 to 15", keyword.place)));
    }
    format!(
        "/// The keywords, and the detector of each: see `data/keywords.toml`.\n\
         const KEYWORDS: &[(&str, Detector)] = &[\n{keywords}];\n\n\
         /// How far behind the start of some keywords the scan searches for them.\n\
         const PROBE_OFFSETS: &[(&str, usize)] = &[\n{offsets}];\n\n\
         /// The bucket of each keyword.\n\
         const BUCKET_OF_KEYWORD: [u8; {}] = {buckets:?};\n",
        buckets.len()
    )
}

fn webhooks() -> String {
    let file = File::read("webhooks.toml".to_owned());
    let mut out = String::from(
        "/// The webhooks: see `data/webhooks.toml`.\nconst WEBHOOKS: &[Webhook] = &[\n",
    );
    for hook in file.entries("webhooks") {
        hook.allow_only(&["host", "marker", "skip", "whole_path", "min_length"]);
        let number = |key| {
            let number = hook.number(key).and_then(|number| usize::try_from(number).ok());
            number.unwrap_or_else(|| panic!("{}: `{key}` is missing", hook.place))
        };
        emit!(
            out,
            "Webhook {{ host: {}, marker: {}, skip: {}, whole_path: {}, min_length: {} }},\n",
            bytes(hook.text("host")),
            bytes(hook.text("marker")),
            number("skip"),
            hook.flag("whole_path"),
            number("min_length"),
        );
    }
    out + "];\n"
}

fn clients() -> String {
    let file = File::read("clients.toml".to_owned());
    let mut out =
        String::from("/// The clients: see `data/clients.toml`.\nconst CLIENTS: &[Client] = &[\n");
    for client in file.entries("clients") {
        client.allow_only(&["names", "flag", "style", "separator", "required_word"]);
        let names: Vec<String> = client.texts("names").into_iter().map(bytes).collect();
        let style = match (client.text("style"), client.find_text("separator")) {
            ("after-user", Some(separator)) if separator.len() == 1 => {
                format!("AfterUser({})", separator.as_bytes()[0])
            }
            (style @ ("attached" | "separate" | "either"), None) => camel_case(style),
            (style, separator) => panic!("{}: {style}, {separator:?}", client.place),
        };
        emit!(
            out,
            "Client {{ names: &[{}], flag: {}, style: FlagStyle::{style}, required_word: {} }},\n",
            names.join(", "),
            bytes(client.text("flag")),
            bytes(client.find_text("required_word").unwrap_or_default()),
        );
    }
    out + "];\n"
}

fn calls() -> String {
    let file = File::read("calls.toml".to_owned());
    let mut out = String::from(
        "/// The functions and the position of their secret: see `data/calls.toml`.\n\
         const CALLS: &[(&[u8], usize)] = &[\n",
    );
    for call in file.entries("calls") {
        call.allow_only(&["name", "position"]);
        let position = call.number("position").filter(|position| (0..8).contains(position));
        let position = position.unwrap_or_else(|| panic!("{}: `position` is 0 to 7", call.place));
        emit!(out, "({}, {position}),\n", bytes(call.text("name")));
    }
    out + "];\n"
}

fn commands() -> String {
    let file = File::read("commands.toml".to_owned());
    let mut out = String::from(
        "/// The commands: see `data/commands.toml`.\nconst COMMANDS: &[(&[u8], Command)] = &[\n",
    );
    for command in file.entries("commands") {
        command.allow_only(&["name", "reads"]);
        let variant = camel_case(command.text("reads"));
        emit!(out, "({}, Command::{variant}),\n", bytes(command.text("name")));
    }
    out + "];\n"
}

/// `password-hash` as the name of a Rust variant: `PasswordHash`.
fn camel_case(name: &str) -> String {
    let word = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('-').map(word).collect()
}
