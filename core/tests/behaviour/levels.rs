//! What a command finds when it looks at itself: no privileges, nothing left open, and no way to the
//! system calls that lead out. Tried in processes of their own, which leave a file open.

use std::fs::{self, File};
use std::path::Path;
use std::process::Command;

use rustix::io::FdFlags;
use serde_json::json;

use crate::support::{House, deny_namespaces, half, passes, script};

const PROBE: &str = r#"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>
static void say(const char *what, long result, int expected) {
    printf("%s %s\n", what, result < 0 && errno == expected ? "refused" : "allowed");
}
int main(void) {
    char line[256];
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status))
        if (!strncmp(line, "NoNewPrivs", 10) || !strncmp(line, "Cap", 3)) fputs(line, stdout);
    if (status) fclose(status);
    for (int file = 0; file < 4096; file++)
        if (fcntl(file, F_GETFD) >= 0) printf("open %d\n", file);
    int own = getsid(0) == getpid() || getsid(0) == getppid();
    printf("session %s\n", own ? "own" : "inherited");
    say("bpf", syscall(SYS_bpf, 0, 0, 0), EPERM);
    say("keyctl", syscall(SYS_keyctl, 0, -3, 0), EPERM);
    say("userfaultfd", syscall(SYS_userfaultfd, 0), EPERM);
    say("io_uring", syscall(SYS_io_uring_setup, 1, 0), ENOSYS);
    say("typing", ioctl(0, TIOCSTI, "x"), EPERM);
    return 0;
}
"#;

#[test]
fn a_command_has_no_privileges_and_nothing_that_is_not_its_own() {
    for kind in ["namespaces", "landlock"] {
        let mut looks = half("levels::a_command_looks_at_itself");
        looks.env("TOOLKEEP_TEST_LOOKS", kind);
        passes(looks);
    }
}

#[tokio::test]
async fn a_command_looks_at_itself() {
    let Ok(kind) = std::env::var("TOOLKEEP_TEST_LOOKS") else { return };
    // Whatever this process starts would have it, and its session.
    let left_open = File::open("/dev/null").unwrap();
    rustix::io::fcntl_setfd(&left_open, FdFlags::empty()).unwrap();
    if kind == "landlock" {
        deny_namespaces();
    }
    let house = House::new(json!({ "approval": { "external": false } })).await;
    let found = house.rt.capabilities().await.unwrap();
    assert_eq!(found.namespaces, kind == "namespaces", "{:?}", found.missing);
    compile(house.folder.path());
    let outside = Command::new(house.folder.path().join("probe")).output().unwrap();
    let outside = String::from_utf8(outside.stdout).unwrap();
    assert!(outside.lines().any(|line| line == "session inherited"), "{outside}");
    assert!(outside.lines().filter(|line| line.starts_with("open ")).count() > 3, "{outside}");
    assert!(outside.contains("typing allowed"), "{outside}");
    // Its input is a file, not a terminal.
    let look = script(&house, "./probe");
    let result = house.call("exec", json!({ "command": look, "stdin": "" })).await;
    holds(&result.for_llm);
    house.rt.close().await.unwrap();
}

fn compile(folder: &Path) {
    fs::write(folder.join("probe.c"), PROBE).unwrap();
    let mut compiler = Command::new("cc");
    compiler.arg("-o").args([folder.join("probe"), folder.join("probe.c")]);
    assert!(compiler.status().unwrap().success());
}

/// What root may do to the files of others: to give them away, to read and write them, to change modes.
const OF_FILES: u64 = 1 | 1 << 1 | 1 << 3;

fn holds(found: &str) {
    let mut sets = 0;
    for line in found.lines().filter(|line| line.starts_with("Cap")) {
        let set = u64::from_str_radix(line.split_whitespace().nth(1).unwrap(), 16).unwrap();
        assert_eq!(set & !OF_FILES, 0, "{found}");
        sets += 1;
    }
    // Inheritable, permitted, effective, bounding and ambient.
    assert_eq!(sets, 5, "{found}");
    assert!(found.contains("NoNewPrivs:\t1\n"), "{found}");
    let open: Vec<&str> = found.lines().filter_map(|line| line.strip_prefix("open ")).collect();
    assert_eq!(open, ["0", "1", "2"], "{found}");
    let rest = "session own\nbpf refused\nkeyctl refused\nuserfaultfd refused\nio_uring refused\n\
                typing refused\n";
    assert!(found.ends_with(rest), "{found}");
}
