//! `search`, `glob` and `list_files` against ripgrep, on a tree of more than 50,000 files.
//!
//! `make bench` runs it and prints its tables. Both sides search the same warm tree with as many
//! threads, in turns, and the fastest of the turns counts. Ours is the whole call: policy, rules,
//! masking, ledger. Theirs is the whole process, which writes into a pipe. Both must find the same.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

mod tree;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

use serde_json::{Value, json};
use toolkeep::{CallContext, Config, Runtime, ToolResult};

const TURNS: usize = 9;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    tree::write(root);
    let tokio = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let config = Config::from_value(json!({ "workspace": root })).unwrap();
    let rt = tokio.block_on(Runtime::builder().config(config).build()).unwrap();
    let bench = Bench { tokio, rt, root };
    bench.search();
    bench.glob();
    bench.list();
    bench.memory();
    bench.tokio.block_on(bench.rt.close()).unwrap();
}

struct Bench<'b> {
    tokio: tokio::runtime::Runtime,
    rt: Runtime,
    root: &'b Path,
}

impl Bench<'_> {
    fn call(&self, tool: &str, args: &Value) -> ToolResult {
        let cx = CallContext::new();
        let result = self.tokio.block_on(self.rt.call(&cx, tool, args.clone())).unwrap();
        assert!(!result.is_error, "{}", result.for_llm);
        result
    }

    /// The fastest of each, in milliseconds, and the last answer of ours and of theirs.
    fn against(&self, tool: &str, args: &Value, theirs: &[&str]) -> (f64, f64, ToolResult, String) {
        let (mut best, mut best_of_theirs) = (f64::MAX, f64::MAX);
        let (mut result, mut output) = (ToolResult::default(), String::new());
        for _ in 0..TURNS {
            let start = Instant::now();
            result = self.call(tool, args);
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            let start = Instant::now();
            output = self.ripgrep(theirs);
            best_of_theirs = best_of_theirs.min(start.elapsed().as_secs_f64() * 1e3);
        }
        (best, best_of_theirs, result, output)
    }

    fn ripgrep(&self, args: &[&str]) -> String {
        let threads = std::thread::available_parallelism().map_or(1, usize::from).min(8);
        let mut command = Command::new("rg");
        command.args(["--no-config", "--threads", &threads.to_string()]).args(args);
        let output = command.current_dir(self.root).stdin(Stdio::null()).output().unwrap();
        assert!(output.status.success(), "rg {args:?}");
        String::from_utf8(output.stdout).unwrap()
    }

    fn search(&self) {
        println!("| search in {} files | ms, ripgrep | ms, toolkeep | ratio |", tree::FILES);
        println!("|---|---:|---:|---:|");
        let in_vain = format!("{}_{}[0-9]{{9}}|{}", tree::COMMON, tree::COMMON, tree::RARE);
        let rows = [
            ("a literal in 5 files", tree::RARE, false),
            ("the same whatever its case", tree::RARE, true),
            ("classes, in 100 files", tree::CLASSES, false),
            ("a word of every file, then what few have", in_vain.as_str(), false),
        ];
        for (what, query, ignore_case) in rows {
            let args = json!({ "query": query, "ignore_case": ignore_case });
            let case = if ignore_case { "--ignore-case" } else { "--case-sensitive" };
            let theirs = ["--line-number", "--no-heading", case, "-e", query, "."];
            let (ours, rg, result, output) = self.against("search", &args, &theirs);
            let data = result.structured.unwrap();
            let files = data["files"].as_array().unwrap().iter();
            let lines: usize = files.map(|file| file["lines"].as_array().unwrap().len()).sum();
            assert_eq!(lines, output.lines().count(), "{what}");
            println!("| {what} | {rg:.1} | {ours:.1} | {:.2} |", ours / rg);
        }
        let args = json!({ "query": tree::COMMON });
        let theirs = ["--line-number", "--no-heading", "-e", tree::COMMON, "."];
        let (ours, rg, ..) = self.against("search", &args, &theirs);
        let what = "a word of every file: the first 200 lines, against all of them";
        println!("| {what} | {rg:.1} | {ours:.1} | {:.2} |", ours / rg);
        println!();
    }

    fn glob(&self) {
        println!("| glob in {} files | ms, ripgrep | ms, toolkeep | ratio |", tree::FILES);
        println!("|---|---:|---:|---:|");
        for (what, glob) in
            [("`*.rs`, 6,500 of them", "*.rs"), ("`part01/**/*.c`", "part01/**/*.c")]
        {
            let args = json!({ "globs": [glob], "max_results": 10_000 });
            let (ours, rg, result, output) =
                self.against("glob", &args, &["--files", "--glob", glob]);
            let data = result.structured.unwrap();
            assert_eq!(data["paths"].as_array().unwrap().len(), output.lines().count(), "{what}");
            println!("| {what} | {rg:.1} | {ours:.1} | {:.2} |", ours / rg);
        }
        println!();
    }

    fn list(&self) {
        let folder = self.root.join("flat");
        fs::create_dir(&folder).unwrap();
        for file in 0..10_000 {
            fs::write(folder.join(format!("file{file:05}")), "x").unwrap();
        }
        println!("| listing a folder of 10,000 files | ms, `ls -l` | ms, toolkeep | ratio |");
        println!("|---|---:|---:|---:|");
        for (what, args) in [
            ("all of them", json!({ "path": "flat", "limit": 10_000 })),
            (
                "a page of 100 from the middle",
                json!({ "path": "flat", "limit": 100, "after": "file05000" }),
            ),
        ] {
            let (mut ours, mut theirs) = (f64::MAX, f64::MAX);
            for _ in 0..TURNS {
                let start = Instant::now();
                self.call("list_files", &args);
                ours = ours.min(start.elapsed().as_secs_f64() * 1e3);
                let start = Instant::now();
                let listed = Command::new("ls").arg("-l").arg(&folder).env("LC_ALL", "C").output();
                assert!(listed.unwrap().stdout.len() > 10_000);
                theirs = theirs.min(start.elapsed().as_secs_f64() * 1e3);
            }
            println!("| {what} | {theirs:.1} | {ours:.1} | {:.2} |", ours / theirs);
        }
        println!();
    }

    /// What the process has at most while a call runs. Memory that an earlier row took and gave back
    /// to the allocator is in the later ones.
    fn memory(&self) {
        let long = self.root.join("long.txt");
        let line = "a line of a file that is far too long to be held in memory at once\n";
        fs::write(&long, line.repeat((256 << 20) / line.len())).unwrap();
        println!("| memory of the process | MiB resident at most |");
        println!("|---|---:|");
        println!("| before the rows below | {:.1} |", status_mib("VmRSS:"));
        for (what, tool, args) in [
            ("search all files", "search", json!({ "query": tree::RARE, "globs": ["!long.txt"] })),
            (
                "search a file of 256 MiB",
                "search",
                json!({ "query": "too long to .* twice", "path": "long.txt" }),
            ),
            (
                "search it, and mask it as it is read",
                "search",
                json!({ "query": "too long to", "path": "long.txt" }),
            ),
            (
                "read 100 lines of it",
                "read_file",
                json!({ "path": "long.txt", "offset": 10, "limit": 100 }),
            ),
            ("glob all files", "glob", json!({ "globs": ["*"], "max_results": 200 })),
            ("list 10,000 files", "list_files", json!({ "path": "flat", "limit": 10_000 })),
        ] {
            fs::write("/proc/self/clear_refs", "5").unwrap();
            self.call(tool, &args);
            println!("| {what} | {:.1} |", status_mib("VmHWM:"));
        }
    }
}

/// A line of the kernel's own account of this process.
fn status_mib(name: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with(name)).unwrap();
    let kib: f64 = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib / 1024.0
}
