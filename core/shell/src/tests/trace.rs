//! What a real shell runs is what was predicted, or was said to be unknown.
//!
//! Texts run in namespaces of their own, in a folder that is their whole file system, without a
//! network. Its programs only tell that they ran, but for the shell and some that run others.

use std::fmt::Write as _;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use super::corpus::rows;
use super::generated::{PROGRAMS, text};
use super::odd;
use super::{Dice, rounds};
use crate::effect::Effect;
use crate::invocation::Argument;
use crate::precheck::Finding;
use crate::value::Value;
use crate::{Analysis, Env, analyse, env::Shell};

/// Programs that tell that they ran, and then do what they do: what they write is predicted.
const FILTERS: &[&str] = &[
    "cat", "tee", "tac", "base64", "base32", "tr", "sed", "head", "cut", "basename", "dirname",
    "seq", "realpath", "readlink",
];

/// A call as the shell made it: a path and arguments. None for one that is too long to be told.
type Call = Option<Vec<String>>;

/// A place where texts run.
pub(super) struct Place {
    root: PathBuf,
    driver: Child,
    texts: ChildStdin,
    calls: BufReader<ChildStdout>,
}

/// What a text did.
pub(super) struct Ran {
    pub calls: Vec<Call>,
    /// False if it had to be ended.
    pub ended: bool,
}

impl Place {
    /// A place with these programs, beside the shell and some that run others.
    pub fn new<'a>(programs: impl Iterator<Item = &'a str>) -> Place {
        static NEXT: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let name = format!("toolkeep-trace-{}-{number}", std::process::id());
        let root = std::env::temp_dir().join(name);
        for folder in ["bin", "real", "dev", "etc", "proc", "w", "tmp", "home/user"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        std::fs::write(root.join("dev/null"), "").unwrap();
        std::fs::write(root.join("etc/passwd"), "root:x:0:0:root:/root:/bin/bash\n").unwrap();
        std::os::unix::fs::symlink("/proc/self/fd", root.join("dev/fd")).unwrap();
        compile(&root);
        for real in ["bash", "env", "nice", "nohup", "timeout", "xargs", "setsid", "find"] {
            copy(&root, real, "bin");
        }
        for filter in FILTERS {
            copy(&root, filter, "real");
        }
        std::os::unix::fs::symlink("bash", root.join("bin/sh")).unwrap();
        for name in programs {
            // Those that are there already are the real ones.
            _ = std::os::unix::fs::symlink("trace", root.join("bin").join(name));
        }
        let mut driver = Command::new(root.join("bin/trace"))
            .arg(&root)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let texts = driver.stdin.take().unwrap();
        let calls = BufReader::new(driver.stdout.take().unwrap());
        Place { root, driver, texts, calls }
    }

    /// Runs a text, and tells its calls.
    pub fn run(&mut self, text: &str) -> Ran {
        self.texts.write_all(format!("{}\n{text}", text.len()).as_bytes()).unwrap();
        self.texts.flush().unwrap();
        let mut ran = Ran { calls: Vec::new(), ended: true };
        loop {
            match self.byte() {
                b'.' => {
                    assert_eq!(self.byte(), b'\n');
                    return ran;
                }
                b'?' => {
                    assert_eq!(self.byte(), b'\n');
                    ran.ended = false;
                }
                b'!' => {
                    assert_eq!(self.byte(), b'\n');
                    ran.calls.push(None);
                }
                digit => {
                    let call = self.call(digit);
                    ran.calls.push(Some(call));
                }
            }
        }
    }

    fn byte(&mut self) -> u8 {
        let mut byte = [0];
        // Its end: the driver has said why on its standard error.
        self.calls.read_exact(&mut byte).expect("a place where texts run");
        byte[0]
    }

    fn call(&mut self, first: u8) -> Vec<String> {
        let mut words = Vec::new();
        let mut digit = first;
        while digit != b'\n' {
            let mut rest = Vec::new();
            self.calls.read_until(b':', &mut rest).unwrap();
            rest.insert(0, digit);
            rest.pop();
            let length: usize = String::from_utf8(rest).unwrap().parse().unwrap();
            let mut bytes = vec![0; length];
            self.calls.read_exact(&mut bytes).unwrap();
            words.push(String::from_utf8_lossy(&bytes).into_owned());
            digit = self.byte();
        }
        words
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        _ = self.driver.kill();
        _ = self.driver.wait();
        _ = std::fs::remove_dir_all(&self.root);
    }
}

/// The driver, which is every program, too.
fn compile(root: &Path) {
    let source = root.join("trace.c");
    std::fs::write(&source, include_str!("trace.c")).unwrap();
    let done = Command::new("cc")
        .args(["-O1", "-static", "-o"])
        .arg(root.join("bin/trace"))
        .arg(&source)
        .output()
        .unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    std::fs::remove_file(source).unwrap();
}

/// A program of this machine, with its libraries.
fn copy(root: &Path, name: &str, into: &str) {
    let path = ["/bin", "/usr/bin"].map(|folder| Path::new(folder).join(name));
    let path = path.iter().find(|path| path.exists()).unwrap_or_else(|| panic!("no `{name}`"));
    std::fs::copy(path, root.join(into).join(name)).unwrap();
    let listed = Command::new("ldd").arg(path).output().unwrap();
    let listed = String::from_utf8(listed.stdout).unwrap();
    for library in listed.split_whitespace().filter(|word| word.starts_with('/')) {
        let to = root.join(library.trim_start_matches('/'));
        if !to.exists() {
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::copy(library, to).unwrap();
        }
    }
}

/// Where the texts run, as the analysis knows it.
pub(super) fn surroundings() -> Env {
    Env {
        cwd: "/w".into(),
        home: "/home/user".into(),
        user: "user".into(),
        workspace: vec!["/w".into()],
        shell: Shell::Bash,
        ..Env::default()
    }
}

/// True if the analysis says that it cannot tell all that runs.
pub(super) fn is_declared_unknown(analysis: &Analysis) -> bool {
    !analysis.problems.is_empty()
        || analysis.findings.iter().any(Finding::is_fatal)
        || analysis
            .found
            .iter()
            .any(|found| matches!(found.effect, Effect::Dynamic { .. } | Effect::Code { .. }))
}

/// True if the analysis has an invocation that this call may be.
fn is_predicted(analysis: &Analysis, call: &[String]) -> bool {
    analysis.invocations.iter().any(|invocation| {
        let name = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
        let program = match &invocation.program.value {
            Value::Known(program) => name(program) == name(&call[0]),
            Value::OneOf(programs) => {
                programs.iter().any(|program| name(program) == name(&call[0]))
            }
            Value::Prefix(..) | Value::Unknown(_) => true,
        };
        program && fits(&invocation.arguments, &call[1..])
    })
}

/// A text without the numbers of the pipes to processes, which are left to the shell.
fn unnumbered(text: &str) -> String {
    let mut parts = text.split("/dev/fd/");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.bytes().take(2).take_while(u8::is_ascii_digit).count();
        plain = plain + "/dev/fd/N" + &part[digits..];
    }
    plain
}

fn fits(arguments: &[Argument], words: &[String]) -> bool {
    let Some((argument, rest)) = arguments.split_first() else { return words.is_empty() };
    if argument.many {
        // Each of several may be anything.
        return (0..=words.len()).any(|count| fits(rest, &words[count..]));
    }
    let Some((word, words)) = words.split_first() else { return false };
    let word = &unnumbered(word);
    let same = |it: &String| unnumbered(it) == *word;
    let is_it = match &argument.value {
        Value::Known(text) => same(text),
        Value::OneOf(texts) => texts.iter().any(same),
        Value::Prefix(start, _) => word.starts_with(&unnumbered(start)),
        Value::Unknown(_) => true,
    };
    is_it && fits(rest, words)
}

/// Texts that were run, and what was predicted of them.
#[derive(Default)]
struct Tally {
    texts: usize,
    calls: usize,
    /// Texts of which everything is said to be known.
    understood: usize,
    late: usize,
    wrong: Vec<String>,
}

impl Tally {
    fn add(&mut self, place: &mut Place, env: &Env, text: &str) {
        let analysis = analyse(text, env);
        let is_bomb = |effect: &Effect| *effect == Effect::Bomb;
        if text.contains('\0') || analysis.found.iter().any(|found| is_bomb(&found.effect)) {
            return;
        }
        let ran = place.run(text);
        self.texts += 1;
        self.calls += ran.calls.len();
        self.late += usize::from(!ran.ended);
        if is_declared_unknown(&analysis) {
            return;
        }
        self.understood += 1;
        let missed = ran.calls.iter().flatten().find(|call| !is_predicted(&analysis, call));
        if let Some(call) = missed {
            let wrong = format!("{call:?} in {text:?}");
            // The long form takes an hour.
            writeln!(std::io::stderr(), "{wrong}").unwrap();
            self.wrong.push(wrong);
        }
    }

    /// Fails where a call was not predicted, or too little was told to say so: so many of a hundred.
    fn finish(self, least: usize) {
        let mut says = format!(
            "{} texts ran {} calls; of {} texts all was told; {} did not end; {} not predicted",
            self.texts,
            self.calls,
            self.understood,
            self.late,
            self.wrong.len()
        );
        for wrong in self.wrong.iter().take(20) {
            _ = write!(says, "\n{wrong}");
        }
        assert!(
            self.wrong.is_empty() && self.calls > 0 && self.understood * 100 >= self.texts * least,
            "{says}"
        );
        writeln!(std::io::stderr(), "{says}").unwrap();
    }
}

/// Runs so many texts that are made by dice, in a place with these programs, and fails where a call was
/// not predicted.
pub(super) fn try_texts<'a>(
    programs: impl Iterator<Item = &'a str>,
    seed: u64,
    count: usize,
    make: impl Fn(&mut Dice) -> String,
) {
    let mut place = Place::new(programs);
    let env = surroundings();
    let mut dice = Dice::new(seed);
    let mut tally = Tally::default();
    for _ in 0..count {
        tally.add(&mut place, &env, &make(&mut dice));
    }
    tally.finish(30);
}

#[test]
fn every_program_that_a_made_up_text_runs_was_reported() {
    try_texts(PROGRAMS.iter().copied(), 11, rounds(2_000, 100_000), text);
}

#[test]
fn every_program_that_an_odd_text_runs_was_reported() {
    let mut place = Place::new(PROGRAMS.iter().copied().chain([odd::PROGRAM]));
    let env = surroundings();
    let mut dice = Dice::new(37);
    let mut tally = Tally::default();
    // Most of them are said not to be known: that is no use of a shell.
    let mut tried = 0;
    for _ in 0..rounds(2_000, 1_000_000) {
        let text = odd::text(&mut dice);
        tried += 1;
        if !is_declared_unknown(&analyse(&text, &env)) {
            tally.add(&mut place, &env, &text);
        }
    }
    writeln!(std::io::stderr(), "{tried} odd texts:").unwrap();
    tally.finish(30);
}

#[test]
fn every_program_that_a_labelled_text_runs_was_reported() {
    let rows = rows();
    let is_name = |word: &&str| {
        word.chars().all(|char| char.is_ascii_alphanumeric() || "._-+".contains(char))
    };
    let words =
        rows.iter().flat_map(|row| row.cmd.split(|char: char| " \n;|&()'\"/`$<>\\".contains(char)));
    let mut names: Vec<_> = words
        .filter(is_name)
        .filter(|word| !word.starts_with(['-', '.']) && !word.is_empty())
        .collect();
    names.sort_unstable();
    names.dedup();
    let mut place = Place::new(names.into_iter());
    let env = surroundings();
    let mut tally = Tally::default();
    for row in rows.iter().filter(|row| row.shell != "cmd") {
        tally.add(&mut place, &env, &row.cmd);
    }
    tally.finish(30);
}
