//! What an agent tries that wants to use up a disk on which the store lies, too: with real small disks.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use toolkeep::{Code, Config, Runtime, ToolResult};

use crate::support::{House, deny_namespaces, half_on_disk, passes, script};

/// Names the folder at which the disk is.
const DISK: &str = "TOOLKEEP_TEST_DISK";
/// Names the profile in which the agent runs.
const PROFILE: &str = "TOOLKEEP_TEST_DISK_PROFILE";

/// Uses up a disk in the way that its first word names, by four processes at once that do not give up.
const FILLER: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
static int made(int of, int n) {
    char name[64];
    snprintf(name, sizeof name, "part-%d-%d", of, n);
    return open(name, O_CREAT | O_RDWR, 0644);
}
static void say(const char *what, int failed) { printf("%s %s\n", what, failed ? strerror(errno) : "done"); }
static int allocate(void) {
    int file = made(0, 0);
    for (int mode = 0; mode < 2; mode++) say("fallocate", fallocate(file, mode, 0, 64 << 20));
    say("zero", fallocate(file, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, 0, 64 << 20));
    struct { short type, whence; long long start, length; int rest[6]; } room = {0, SEEK_SET, 0, 64 << 20};
    say("reserve", ioctl(file, _IOW('X', 42, room), &room));
    if (write(file, "some words", 10) != 10) return 1;
    say("hole", fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4));
    say("posix", errno = posix_fallocate(file, 0, 1 << 20));
    struct stat there;
    fstat(file, &there);
    printf("blocks %ld\n", (long)there.st_blocks);
    return 0;
}
int main(int count, char **words) {
    static char bytes[1 << 20];
    memset(bytes, 'x', sizeof bytes);
    if (!strcmp(words[1], "allocate")) return allocate();
    signal(SIGTERM, SIG_IGN);
    int of = fork() ? 1 : 2;
    of = fork() ? of : of + 2;
    for (int n = 0;; n++) {
        if (!strcmp(words[1], "files")) close(made(of, n));
        else if (!strcmp(words[1], "folders")) { char name[64]; snprintf(name, sizeof name, "part-%d-%d", of, n); mkdir(name, 0755); }
        else {
            int file = made(of, n);
            if (file < 0) continue;
            if (!strcmp(words[1], "posix")) posix_fallocate(file, 0, 16 << 20);
            else if (!strcmp(words[1], "write")) for (int m = 0; m < 16; m++) if (write(file, bytes, sizeof bytes) < 0) break;
            if (!strcmp(words[1], "sparse") && !ftruncate(file, 16 << 20)) {
                char *at = mmap(0, 16 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
                if (at != MAP_FAILED) { for (long m = 0; m < 16 << 20; m += 4096) at[m] = 1; munmap(at, 16 << 20); }
            }
            close(file);
        }
    }
}
"#;

/// A runtime whose workspace, temporary folders and store are on the small disk.
async fn house(limits: Value, mode: &str) -> House {
    let disk = PathBuf::from(std::env::var(DISK).unwrap());
    for folder in ["work", "temp"] {
        fs::create_dir_all(disk.join(folder)).unwrap();
    }
    let work = tempfile::tempdir_in(disk.join("work")).unwrap();
    let mut exec = json!({ "limits": limits });
    match &*std::env::var(PROFILE).unwrap_or_default() {
        "landlock" => deny_namespaces(),
        "" => {}
        profile => exec["confinement"] = json!(profile),
    }
    let config = json!({
        "approval": { "external": false },
        "store": store(),
        "record": { "mode": mode },
        "exec": exec,
    });
    let house = House::on(work, config).await;
    let source = house.folder.path().join("filler.c");
    fs::write(&source, FILLER).unwrap();
    let filler = house.folder.path().join("filler");
    let compiled = Command::new("cc").arg("-o").args([&filler, &source]).status();
    assert!(compiled.unwrap().success());
    house
}

fn store() -> String {
    format!("sqlite:{}/agent.db", std::env::var(DISK).unwrap())
}

/// What is free on the disk: bytes, and files.
fn free() -> (u64, u64) {
    let disk = rustix::fs::statvfs(std::env::var(DISK).unwrap()).unwrap();
    (disk.f_bavail * disk.f_frsize, disk.f_favail)
}

async fn fill(house: &House, way: &str) -> ToolResult {
    let text = format!("ulimit -c 0\n./filler {way}");
    let args = json!({ "command": script(house, &text), "timeout_ms": 120_000 });
    house.call("exec", args).await
}

fn clear(house: &House) {
    for part in fs::read_dir(house.folder.path()).unwrap().map(|part| part.unwrap().path()) {
        let name = part.file_name().unwrap().to_str().unwrap().to_owned();
        match part.is_dir() {
            _ if !name.starts_with("part-") => {}
            true => fs::remove_dir(part).unwrap(),
            false => fs::remove_file(part).unwrap(),
        }
    }
}

/// How many calls the store has on record, once it is opened again.
async fn recorded() -> usize {
    let config = Config::from_value(json!({ "store": store() })).unwrap();
    let rt = Runtime::builder().config(config).build().await.unwrap();
    let report = rt.invoke("audit.verify", json!({})).await.unwrap();
    let rows = rt.invoke("audit.query", json!({ "limit": 500 })).await.unwrap();
    rt.close().await.unwrap();
    assert!(!report.to_string().contains("\"ok\":false"), "{report}");
    rows.as_array().unwrap().len()
}

/// Runs a half on a disk of its own.
fn on_disk(test: &str, options: &str, profile: &str) {
    let at = tempfile::tempdir().unwrap();
    let mut half = half_on_disk(&format!("attacks_disks::{test}"), at.path(), options);
    half.env(DISK, at.path()).env(PROFILE, profile).env("TMPDIR", at.path().join("temp"));
    passes(half);
}

fn is_half() -> bool {
    std::env::var(DISK).is_ok()
}

#[test]
fn no_call_of_the_system_takes_a_disk_without_writing_to_it() {
    for profile in ["workspace", "read-only", "landlock"] {
        on_disk("an_agent_that_allocates", "size=64m", profile);
    }
}

#[tokio::test]
async fn an_agent_that_allocates() {
    if !is_half() {
        return;
    }
    let house = house(json!({ "disk_left_mb": 16 }), "batched").await;
    let filler = house.folder.path().join("filler");
    let text = format!("cd $TMPDIR; {} allocate", filler.display());
    let result = house.call("exec", json!({ "command": script(&house, &text) })).await;
    let no = "Operation not supported";
    let expected = format!(
        "fallocate {no}\nfallocate {no}\nzero {no}\nreserve {no}\nhole done\nposix done\nblocks 2048\n"
    );
    assert_eq!(result.for_llm, expected);
    house.rt.close().await.unwrap();
}

#[test]
fn whichever_way_a_disk_is_filled_the_command_is_ended_and_the_store_goes_on() {
    for profile in ["workspace", "landlock"] {
        on_disk("an_agent_that_fills_the_disk_of_the_store", "size=256m", profile);
    }
}

#[tokio::test]
async fn an_agent_that_fills_the_disk_of_the_store() {
    if !is_half() {
        return;
    }
    let house = house(json!({ "disk_left_mb": 128 }), "durable").await;
    for way in ["write", "posix", "sparse"] {
        let result = fill(&house, way).await;
        assert!(result.for_llm.contains("used up the disk"), "{way}: {}", result.for_llm);
        assert_eq!(result.code, Some(Code::ToolFailed));
        let fine = house.call("exec", json!({ "command": format!("echo fine {way}") })).await;
        assert_eq!(fine.for_llm, format!("fine {way}\n"));
        clear(&house);
    }
    house.rt.close().await.unwrap();
    assert_eq!(recorded().await, 6);
}

#[test]
fn many_commands_one_after_the_other_do_not_take_what_one_may_not() {
    on_disk("an_agent_that_fills_again_and_again", "size=256m", "");
}

#[tokio::test]
async fn an_agent_that_fills_again_and_again() {
    if !is_half() {
        return;
    }
    let house = house(json!({ "disk_left_mb": 128 }), "batched").await;
    // Where nothing more may be written, what is to write a file fails.
    let part = File::create(house.folder.path().join("part-of-others")).unwrap();
    rustix::fs::fallocate(&part, rustix::fs::FallocateFlags::empty(), 0, free().0 - (12 << 20))
        .unwrap();
    let before = free().0;
    for n in 0..10 {
        let text =
            "echo $1; mkdir -p part-2; wc -c < part-2/none; head -c 3000000 /dev/zero > part-1";
        let command = format!("{} {n}", script(&house, text));
        let result = house.call("exec", json!({ "command": command })).await;
        assert!(result.for_llm.contains("no file may grow"), "{}", result.for_llm);
    }
    for _ in 0..3 {
        let result = fill(&house, "sparse").await;
        assert!(result.is_error, "{}", result.for_llm);
    }
    assert!(before - free().0 < 2 << 20, "{} of {before}", free().0);
    drop(part);
    // What deletes works, and then what writes.
    let text = "rm part-*; rmdir part-*; ls";
    house.call("exec", json!({ "command": script(&house, text) })).await;
    assert!(free().0 > 64 << 20, "{}", free().0);
    let result = house.call("exec", json!({ "command": "echo written > new; cat new" })).await;
    assert_eq!(result.for_llm, "written\n");
    house.rt.close().await.unwrap();
}

#[test]
fn the_number_of_files_of_a_disk_is_not_used_up_either() {
    for profile in ["workspace", "landlock"] {
        on_disk("an_agent_that_makes_empty_files", "size=256m,nr_inodes=60000", profile);
    }
}

#[tokio::test]
async fn an_agent_that_makes_empty_files() {
    if !is_half() {
        return;
    }
    let house = house(json!({ "disk_left_mb": 8, "files_left": 40_000 }), "durable").await;
    for way in ["files", "folders"] {
        let result = fill(&house, way).await;
        assert!(result.for_llm.contains("few files more"), "{way}: {}", result.for_llm);
        assert_eq!(result.code, Some(Code::ToolFailed));
        clear(&house);
    }
    house.rt.close().await.unwrap();
    assert_eq!(recorded().await, 2);
}

#[test]
fn a_store_on_a_disk_that_others_have_filled_records_calls_and_is_closed_and_opened() {
    for mode in ["durable", "batched"] {
        on_disk("a_runtime_on_a_full_disk", "size=64m", mode);
    }
}

#[tokio::test]
async fn a_runtime_on_a_full_disk() {
    if !is_half() {
        return;
    }
    let mode = std::env::var(PROFILE).unwrap();
    // It is no profile here.
    let disk = PathBuf::from(std::env::var(DISK).unwrap());
    let work = disk.join("work");
    fs::create_dir_all(&work).unwrap();
    let config = json!({ "store": store(), "record": { "mode": mode } });
    let house = House::on(tempfile::tempdir_in(&work).unwrap(), config).await;
    house.call("echo", json!({ "text": "before" })).await;
    let mut full = use_up(&disk);
    assert!(full.write_all(&[0; 4096]).is_err());
    for n in 0..200 {
        let result =
            house.call("echo", json!({ "text": format!("{n} {}", "x".repeat(1000)) })).await;
        assert!(!result.is_error, "{n}: {}", result.for_llm);
    }
    house.rt.close().await.unwrap();
    let House { rt, folder, .. } = house;
    drop(rt);
    assert_eq!(recorded().await, 201, "while the disk is full");
    drop(full);
    fs::remove_file(disk.join("full")).unwrap();
    assert_eq!(recorded().await, 201);
    drop(folder);
}

/// Writes until nothing more fits.
fn use_up(disk: &Path) -> File {
    let mut full = File::create(disk.join("full")).unwrap();
    for length in [1 << 20, 4096, 1] {
        let bytes = vec![b'x'; length];
        while full.write_all(&bytes).is_ok() {}
    }
    full
}
