//! Writing a file, against what a careful program does by hand; and reading a page of a huge one.
//!
//! Baseline and rows are measured in this one process, ten of a kind in a row and the kinds in turns, and
//! the median counts: an fsync takes what the disk takes. Neither side syncs the folder. It is measured
//! twice: one right after the other, and each after a pause, when a program has nothing of either side
//! at hand and each thread must be woken, as an agent has it whose model thinks in between.
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and may fail")]

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::workspace::{Workspace, WriteMode};
use toolkeep::{CallContext, Config, Runtime};

const ROUNDS: usize = 30;
const IN_A_ROW: usize = 10;
const SIZES: [usize; 3] = [1 << 10, 16 << 10, 1 << 20];
const LARGE_BYTES: usize = 1 << 30;

fn main() {
    let tokio =
        tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    // Where the repository is built and not in a file system in memory, where fsync costs nothing.
    let folder = tempfile::tempdir_in(".").unwrap();
    let turns = ROUNDS * IN_A_ROW;
    println!("| replacing a file | µs, median of {turns} | ratio to by hand |");
    println!("|---|---:|---:|");
    for (pauses, when) in [(false, "in a row"), (true, "after a pause")] {
        for bytes in SIZES {
            tokio.block_on(writes(folder.path(), bytes, pauses, when));
        }
    }
    println!();
    println!(
        "| 100 lines out of a file of 1 GiB | ms | peak of the process above what it had, MiB |"
    );
    println!("|---|---:|---:|");
    tokio.block_on(reads(folder.path()));
}

async fn runtime(folder: &Path) -> Runtime {
    let config = json!({ "workspace": folder.to_str().unwrap(), "record": { "mode": "batched" } });
    Runtime::builder().config(Config::from_value(config).unwrap()).build().await.unwrap()
}

const WAYS: [&str; 4] =
    ["by hand: write, fsync, rename", "Workspace::write", "call of write_file", "call of edit"];

async fn writes(folder: &Path, bytes: usize, pauses: bool, when: &str) {
    let rt = runtime(folder).await;
    let mut took = [const { Vec::new() }; WAYS.len()];
    for round in 0..ROUNDS {
        for (way, took) in took.iter_mut().enumerate() {
            for turn in round * IN_A_ROW..(round + 1) * IN_A_ROW {
                took.push(write(&rt, folder, way, turn, bytes, pauses).await);
            }
        }
    }
    let medians = took.map(median);
    for (name, median) in WAYS.into_iter().zip(medians) {
        let (us, ratio) =
            (median.as_secs_f64() * 1e6, median.as_secs_f64() / medians[0].as_secs_f64());
        println!("| {} KiB {when}, {name} | {us:.0} | {ratio:.2} |", bytes >> 10);
    }
}

async fn write(
    rt: &Runtime,
    folder: &Path,
    way: usize,
    turn: usize,
    bytes: usize,
    pauses: bool,
) -> Duration {
    let text = format!("{turn:08} {}\n", "some text ".repeat(bytes / 10));
    // A few sessions, so that neither loops nor rates get in the way.
    let session = format!("{way} {}", turn / 3);
    if way == 3 && turn.is_multiple_of(IN_A_ROW) {
        call(rt, &session, "write_file", json!({ "path": "by-edit", "content": text })).await;
    }
    if pauses {
        settle(folder);
    }
    let began = Instant::now();
    match way {
        0 => by_hand(folder, &text),
        1 => {
            let workspace = Workspace::open(folder).unwrap();
            let path = workspace.relative("by-function").unwrap();
            workspace.write(&path, text.as_bytes(), WriteMode::Replace).unwrap();
        }
        2 => call(rt, &session, "write_file", json!({ "path": "by-call", "content": text })).await,
        _ => {
            let old = format!("{turn:08} ");
            let new = format!("{:08} ", turn + 1);
            let args = json!({ "path": "by-edit", "old_string": old, "new_string": new });
            call(rt, &session, "edit", args).await;
        }
    }
    began.elapsed()
}

/// Lets what the one before has left behind come to an end: the file that it replaced is freed, and the
/// disk has written that down. It would fall to the next in line.
fn settle(folder: &Path) {
    std::thread::sleep(Duration::from_millis(1));
    File::open(folder).unwrap().sync_all().unwrap();
}

fn by_hand(folder: &Path, text: &str) {
    let temporary = folder.join("by-hand.tmp");
    let mut file = File::create(&temporary).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    file.sync_all().unwrap();
    fs::rename(temporary, folder.join("by-hand")).unwrap();
}

async fn call(rt: &Runtime, session: &str, tool: &str, args: Value) {
    let cx = CallContext::new().session(session);
    let result = rt.call(&cx, tool, args).await.unwrap();
    assert!(!result.is_error, "{}", result.for_llm);
}

fn median(mut took: Vec<Duration>) -> Duration {
    took.sort();
    took[took.len() / 2]
}

async fn reads(folder: &Path) {
    let file = folder.join("large.txt");
    let mut writer = BufWriter::new(File::create(&file).unwrap());
    let block: String = (0..20_000).map(|n| format!("line {n} of a text that goes on\n")).collect();
    for _ in 0..=LARGE_BYTES / block.len() {
        writer.write_all(block.as_bytes()).unwrap();
    }
    writer.flush().unwrap();
    let rt = runtime(folder).await;
    for _ in 0..2 {
        measured("by hand: reading it line by line, to count them", async {
            let lines =
                BufReader::with_capacity(128 << 10, File::open(&file).unwrap()).split(b'\n');
            assert!(lines.count() > 1_000_000);
        })
        .await;
        for offset in [0, 20_000_000] {
            let args = json!({ "path": "large.txt", "offset": offset, "limit": 100 });
            let name = format!("call of read_file, from line {offset}");
            measured(&name, call(&rt, "reads", "read_file", args)).await;
        }
    }
}

async fn measured(name: &str, work: impl Future<Output = ()>) {
    let before = memory_mib("VmRSS:");
    // Forgets the peak so far.
    let _ = fs::write("/proc/self/clear_refs", "5");
    let began = Instant::now();
    work.await;
    let ms = began.elapsed().as_secs_f64() * 1e3;
    println!("| {name} | {ms:.0} | {:.1} |", memory_mib("VmHWM:") - before);
}

fn memory_mib(field: &str) -> f64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix(field));
    let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) / 1024.0
}
