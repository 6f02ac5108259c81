//! A tree of files to search: the same in every run.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

/// How many files the tree has that are searched.
pub const FILES: usize = 52_000;
/// How many folders hold them, two levels deep.
const FOLDERS: usize = 4_000;

/// What stands in five files.
pub const RARE: &str = "quiet_harbour_lantern";
/// What stands in every file, many times.
pub const COMMON: &str = "result";
/// What stands in a hundred files: a word in capitals, a number.
pub const CLASSES: &str = r"\b[A-Z][a-z]+Lamp_[0-9]{4}\b";

const WORDS: [&str; 24] = [
    "let", "result", "value", "index", "buffer", "if", "else", "return", "match", "while", "state",
    "request", "handler", "message", "config", "error", "length", "offset", "parser", "token",
    "stream", "cursor", "window", "total",
];
const EXTENSIONS: [&str; 8] = ["rs", "ts", "py", "go", "md", "json", "txt", "c"];

/// Writes the tree: sources of about 5 KB, two folders that are ignored, a few binary files.
pub fn write(root: &Path) {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    fs::create_dir_all(root.join(".git/objects")).unwrap();
    fs::write(root.join(".gitignore"), "node_modules/\ntarget/\n*.log\n").unwrap();
    for folder in ["node_modules/left", "target/debug"] {
        fs::create_dir_all(root.join(folder)).unwrap();
        for file in 0..500 {
            let path = root.join(folder).join(format!("{file}.js"));
            fs::write(path, text(&mut random, file, 1_000)).unwrap();
        }
    }
    for folder in 0..FOLDERS {
        let folder = root.join(format!("part{:02}/module{folder:04}", folder % 64));
        fs::create_dir_all(folder).unwrap();
    }
    for file in 0..FILES {
        let folder = random.below(FOLDERS);
        let extension = EXTENSIONS[random.below(EXTENSIONS.len())];
        let folder = root.join(format!("part{:02}/module{folder:04}", folder % 64));
        let path = folder.join(format!("file{file:05}.{extension}"));
        let bytes = 500 + random.below(9_000);
        let mut text = text(&mut random, file, bytes);
        if file % 500 == 7 {
            text.insert(20, '\0');
        }
        fs::write(path, text).unwrap();
    }
}

fn text(random: &mut Random, file: usize, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        let indent = 4 * random.below(4);
        let _ = write!(text, "{:indent$}", "");
        for _ in 0..3 + random.below(8) {
            let word = WORDS[random.below(WORDS.len())];
            let mark = [" ", "_", ".", "(", ") ", " = ", ", "][random.below(7)];
            text.push_str(word);
            text.push_str(mark);
        }
        let _ = writeln!(text, "{};", random.below(10_000));
    }
    if file % 10_400 == 3 {
        let _ = writeln!(text, "call({RARE}, {file});");
    }
    if file % 520 == 11 {
        let _ = writeln!(text, "GreenLamp_{:04}", file % 10_000);
    }
    text
}

/// A generator of numbers that look random and are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 20).unwrap() % end
    }
}
