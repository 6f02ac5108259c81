//! What an agent tries that wants out, in every profile and in a container: with the real thing.
//!
//! Each profile is attacked in a process of its own, whose home folder is made for that.

use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, ToolResult};

use crate::exec::FILLS;
use crate::support::{Ended, House, as_nobody, deny_namespaces, half, passes, script};

#[test]
fn a_profile_that_only_reads_holds() {
    attack_in("read-only", "");
}

#[test]
fn the_workspace_holds() {
    attack_in("workspace", "");
}

#[test]
fn the_workspace_with_a_network_holds() {
    attack_in("workspace+network", "");
}

#[test]
fn the_workspace_holds_where_the_kernel_gives_no_namespaces() {
    attack_in("landlock", "");
}

#[test]
fn the_workspace_holds_where_the_host_is_not_privileged() {
    attack_in("unprivileged", "");
}

#[test]
fn no_profile_lets_a_disk_be_filled() {
    for profile in ["read-only", "workspace", "workspace+network", "landlock"] {
        let temp = tempfile::tempdir_in("/dev/shm").unwrap();
        let mut filling = half("attacks::an_agent_that_fills_disks");
        filling.env("TOOLKEEP_TEST_FILLED", profile).env("TMPDIR", temp.path());
        passes(filling);
    }
}

#[cfg(feature = "docker")]
#[test]
fn a_container_holds() {
    let socket = toolkeep_test_docker::Engine::shared().socket();
    attack_in("docker", socket.to_str().unwrap());
}

/// Has a process with a home folder of its own attack a profile.
fn attack_in(profile: &str, socket: &str) {
    let home = tempfile::tempdir_in("/var").unwrap();
    let outside = tempfile::tempdir_in("/var").unwrap();
    let keys = home.path().join(".ssh");
    fs::create_dir(&keys).unwrap();
    fs::write(keys.join("id_ed25519"), "private-words").unwrap();
    let mut attack = half("attacks::an_agent_that_wants_out");
    attack
        .env("HOME", home.path())
        .env(OUTSIDE, outside.path())
        .env("TOOLKEEP_TEST_ATTACKED", profile)
        .env("TOOLKEEP_TEST_SOCKET", socket);
    if profile == "unprivileged" {
        let own = [home.path(), &keys, &keys.join("id_ed25519"), outside.path()];
        as_nobody(&mut attack, &own);
    }
    passes(attack);
    let names = fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
    assert_eq!(names.collect::<Vec<_>>(), [".ssh"], "it wrote in the home folder");
    assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0, "it wrote outside");
}

/// Names the folder outside that the attacked process itself may write.
const OUTSIDE: &str = "TOOLKEEP_TEST_OUTSIDE";

#[tokio::test]
async fn an_agent_that_wants_out() {
    // Without a profile it is the child of no test.
    let Ok(profile) = std::env::var("TOOLKEEP_TEST_ATTACKED") else { return };
    if profile == "landlock" {
        deny_namespaces();
    }
    let attacked = Attacked::new(&profile).await;
    attacked.is_attacked_as_it_should_be(&profile).await;
    attacked.tries_to_write_outside_and_to_read_secrets().await;
    if profile != "docker" {
        // A container is whose its scope says.
        attacked.tries_to_read_what_another_session_has().await;
    }
    attacked.tries_to_reach_what_is_temporary_on_the_machine().await;
    attacked.tries_to_move_what_is_closed_and_to_replace_links(&profile).await;
    attacked.tries_to_have_repositories_within_run_something().await;
    attacked.tries_to_read_disks_past_their_files(&profile).await;
    attacked.tries_to_reach_services_and_processes(&profile).await;
    attacked.tries_to_use_everything_up().await;
    attacked.tries_to_outlive_its_time().await;
    attacked.house.rt.close().await.unwrap();
}

#[tokio::test]
async fn an_agent_that_fills_disks() {
    let Ok(profile) = std::env::var("TOOLKEEP_TEST_FILLED") else { return };
    let mut exec = json!({ "limits": { "memory_mb": 256 } });
    match &*profile {
        "landlock" => deny_namespaces(),
        profile => exec["confinement"] = json!(profile),
    }
    let config = json!({ "approval": { "external": false }, "exec": exec });
    let house = House::with_room(32, config).await;
    let places = if profile == "read-only" { &["$TMPDIR"][..] } else { &["$TMPDIR", "."] };
    for place in places {
        let fill = script(&house, &format!("cd {place} || exit\n{FILLS}"));
        let result = house.call("exec", json!({ "command": fill })).await;
        assert!(result.for_llm.contains("used up the disk"), "{profile}: {}", result.for_llm);
        assert_eq!(result.code, Some(Code::ToolFailed));
        let parts = parts(&std::env::temp_dir(), house.folder.path());
        assert!((1..900).contains(&parts.len()), "{profile}: {} in {place}", parts.len());
        parts.into_iter().for_each(|part| fs::remove_file(part).unwrap());
    }
    house.rt.close().await.unwrap();
}

/// What was filled with, in the temporary folders of sessions and in the workspace.
fn parts(temp: &Path, workspace: &Path) -> Vec<PathBuf> {
    let found = Command::new("find").args([temp, workspace]).args(["-name", "part*"]).output();
    let found = String::from_utf8(found.unwrap().stdout).unwrap();
    found.lines().map(PathBuf::from).collect()
}

/// Tries what takes system calls of its own, and says what came of it.
const PROBE: &str = r#"
#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>
static void say(const char *what, int failed) { printf("%s %s\n", what, failed ? "refused" : "reached"); }
int main(int count, char **words) {
    if (!strcmp(words[1], "bomb")) {
        int forked = 0;
        for (; forked < 300; forked++) {
            int child = fork();
            if (child < 0) break;
            if (child == 0) { sleep(600); _exit(0); }
        }
        printf("forked %d\n", forked);
        return 0;
    }
    int process = atoi(words[1]);
    say("ptrace", ptrace(PTRACE_SEIZE, process, 0, 0));
    char byte;
    struct iovec here = {&byte, 1}, there = {(void *)main, 1};
    say("memory", process_vm_readv(process, &here, 1, &there, 1, 0) < 0);
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(atoi(words[2]))};
    inet_pton(AF_INET, "127.0.0.1", &to.sin_addr);
    int tcp = socket(AF_INET, SOCK_STREAM, 0);
    say("tcp", tcp < 0 || connect(tcp, (void *)&to, sizeof to));
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    strcpy(at.sun_path, words[3]);
    int local = socket(AF_UNIX, SOCK_STREAM, 0);
    say("unix", local < 0 || connect(local, (void *)&at, sizeof at));
    say("raw", socket(AF_PACKET, SOCK_RAW, 0) < 0);
    return 0;
}
"#;

struct Attacked {
    house: House,
    /// Sets its processes apart from those of others that are attacked meanwhile.
    number: usize,
}

const PROFILES: [&str; 6] =
    ["read-only", "workspace", "workspace+network", "docker", "landlock", "unprivileged"];

impl Attacked {
    async fn new(profile: &str) -> Attacked {
        let mut exec = json!({ "limits": { "processes": 64, "file_mb": 1, "memory_mb": 256 } });
        match profile {
            "docker" => exec["sandbox"] = container(),
            "landlock" | "unprivileged" => {}
            profile => exec["confinement"] = json!(profile),
        }
        let files = json!({ "deny": ["closed/deep/private.txt"] });
        let config = json!({ "approval": { "external": false }, "exec": exec, "files": files });
        let house = House::new(config).await;
        let source = house.folder.path().join("probe.c");
        fs::write(&source, PROBE).unwrap();
        let probe = house.folder.path().join("probe");
        let compiled = Command::new("cc").arg("-static").arg("-o").args([&probe, &source]).status();
        assert!(compiled.unwrap().success());
        let number = PROFILES.iter().position(|one| *one == profile).unwrap();
        Attacked { house, number }
    }

    fn folder(&self) -> &Path {
        self.house.folder.path()
    }

    /// Runs a script that the judge cannot look into.
    async fn run(&self, script: &str, timeout_ms: u64) -> ToolResult {
        let path = self.folder().join("attack.sh");
        fs::write(&path, script).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        let args = json!({ "command": "sh ./attack.sh", "timeout_ms": timeout_ms });
        self.house.call("exec", args).await
    }

    /// So that nothing is proved of another machine than is meant.
    async fn is_attacked_as_it_should_be(&self, profile: &str) {
        if profile == "unprivileged" {
            // Some kernels give namespaces to such a host, others do not.
            assert!(!rustix::process::geteuid().is_root());
            return;
        }
        let found = self.house.rt.capabilities().await.unwrap();
        assert_eq!(found.namespaces, profile != "landlock", "{:?}", found.missing);
    }

    async fn tries_to_write_outside_and_to_read_secrets(&self) {
        let outside = PathBuf::from(std::env::var(OUTSIDE).unwrap());
        let at = outside.display();
        let home = std::env::var("HOME").unwrap();
        symlink(&outside, self.folder().join("out")).unwrap();
        symlink(format!("{home}/.ssh"), self.folder().join("keys")).unwrap();
        let script = format!(
            "echo x > {at}/direct\necho x > out/linked\nln -s {at} late; echo x > late/linked\n\
             mv out/../late {at}/moved\nln attack.sh {at}/hard\nmkdir -p out/folder\n\
             echo x > /etc/toolkeep-attack\necho x > {home}/written\necho x > ~/written\n\
             cat {home}/.ssh/id_ed25519 ~/.ssh/* keys/id_ed25519 /etc/shadow\n\
             cat /proc/*/root{home}/.ssh/id_ed25519 /proc/self/cwd/keys/*\necho end"
        );
        let result = self.run(&script, 60_000).await;
        assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
        assert!(!result.for_llm.contains("private-words"), "{}", result.for_llm);
        assert!(!result.for_llm.contains("root:"), "{}", result.for_llm);
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0, "{}", result.for_llm);
        assert!(!fs::exists("/etc/toolkeep-attack").unwrap());
    }

    /// What a session has for a while may be a credential, as the private files of a CLI are.
    async fn tries_to_read_what_another_session_has(&self) {
        let other = CallContext::new().session("other");
        let writes = "echo private-words > $TMPDIR/note; cat $TMPDIR/note; echo $TMPDIR";
        let args = json!({ "command": script(&self.house, writes) });
        let result = self.house.rt.call(&other, "exec", args).await.unwrap();
        let at = result.for_llm.strip_prefix("private-words\n").unwrap().trim().to_owned();
        let temp = std::env::temp_dir();
        let temp = temp.display();
        let script = format!(
            "cat {at}/note /tmp/note {temp}/*/note {temp}/*/*/note {temp}/*/*/*/note\n             find /tmp /var/tmp {temp} -name note -exec cat {{}} +; echo end"
        );
        let result = self.run(&script, 60_000).await;
        assert!(result.for_llm.contains("end\n"), "{}", result.for_llm);
        assert!(!result.for_llm.contains("private-words"), "{}", result.for_llm);
    }

    /// By its name, and by the folder that a command starts in. The machine's temporary folder is where
    /// others keep what is theirs, the folders of other sessions among them.
    async fn tries_to_reach_what_is_temporary_on_the_machine(&self) {
        let folders = [std::env::temp_dir(), "/tmp".into(), "/var/tmp".into()]
            .map(|at| tempfile::tempdir_in(at).unwrap());
        for folder in &folders {
            let path = folder.path();
            fs::set_permissions(path, fs::Permissions::from_mode(0o777)).unwrap();
            fs::write(path.join("note"), "private-words").unwrap();
            let at = path.display();
            let reads = format!("touch {at}; cat {at}/note; echo end");
            let writes = format!("touch {at}; echo x > {at}/new; mkdir -p {at}/folder");
            let here = at.to_string();
            for (command, folder) in
                [(&*reads, "."), (&*writes, "."), ("cat note; echo x > new; echo end", &*here)]
            {
                let args = json!({ "command": command, "working_dir": folder });
                let result = self.house.call("exec", args).await;
                // Where only the host has its temporary folder, it is a place as others are.
                if ["/tmp", "/var/tmp"].iter().any(|at| path.starts_with(at)) {
                    let said = result.for_llm;
                    assert!(!said.contains("private-words"), "{command}: {said}");
                }
            }
            let names = fs::read_dir(path).unwrap().map(|entry| entry.unwrap().file_name());
            assert_eq!(names.collect::<Vec<_>>(), ["note"], "{here}");
            assert_eq!(fs::read_to_string(path.join("note")).unwrap(), "private-words");
        }
    }

    /// What is closed goes with the folder above it, and a link that instructs agents is no file.
    async fn tries_to_move_what_is_closed_and_to_replace_links(&self, profile: &str) {
        let is_held = match profile {
            "landlock" | "unprivileged" => self.house.rt.capabilities().await.unwrap().namespaces,
            _ => true,
        };
        if !is_held {
            // Landlock gives a folder with all that is below.
            return;
        }
        let folder = self.folder().join("closed/deep");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("private.txt"), "private-words").unwrap();
        fs::write(self.folder().join("AGENTS.md"), "as it was\n").unwrap();
        fs::create_dir(self.folder().join("githooks")).unwrap();
        fs::create_dir_all(self.folder().join(".git")).unwrap();
        symlink("AGENTS.md", self.folder().join("CLAUDE.md")).unwrap();
        symlink("../githooks", self.folder().join(".git/hooks")).unwrap();
        let script = "mv closed moved; mv closed/deep moved; mv moved/deep elsewhere\n\
                      rm -f CLAUDE.md; echo x > CLAUDE.md; mv CLAUDE.md other; echo x > AGENTS.md\n\
                      rm -f .git/hooks; mkdir .git/hooks; mv .git/hooks .git/h; echo x > githooks/pre-commit\n\
                      echo x > .git/hooks/pre-commit; ln -sfn /tmp .git/hooks; ln -sfn /tmp CLAUDE.md; echo end";
        let result = self.run(script, 60_000).await;
        assert!(result.for_llm.contains("end\n"), "{}", result.for_llm);
        let find =
            "find . -name private.txt -exec cat {} +; cat */*/private.txt */private.txt; echo end";
        let result = self.run(find, 60_000).await;
        assert!(!result.for_llm.contains("private-words"), "{}", result.for_llm);
        let at = |name: &str| self.folder().join(name);
        if profile != "docker" {
            assert_eq!(fs::read_link(at("CLAUDE.md")).unwrap(), Path::new("AGENTS.md"));
            assert_eq!(fs::read_link(at(".git/hooks")).unwrap(), Path::new("../githooks"));
        }
        assert_eq!(fs::read_to_string(at("AGENTS.md")).unwrap(), "as it was\n");
        assert_eq!(fs::read_dir(at("githooks")).unwrap().count(), 0);
        for name in ["CLAUDE.md", ".git"] {
            let _ = fs::remove_file(at(name));
            let _ = fs::remove_dir_all(at(name));
        }
    }

    /// What Git runs in a repository of the workspace, it runs for the user, too, outside of all walls.
    async fn tries_to_have_repositories_within_run_something(&self) {
        if !self.house.rt.capabilities().await.unwrap().namespaces {
            // Landlock gives a folder with all that is below.
            return;
        }
        let made = |name: &str| {
            fs::create_dir_all(self.folder().join(name).join("hooks")).unwrap();
            fs::write(self.folder().join(name).join("config"), "as it was\n").unwrap();
        };
        let gits = ["vendor/lib/.git", "vendor/lib/.git/modules/deep/one", "bare.git"];
        gits.iter().for_each(|git| made(git));
        for git in &gits[1..] {
            fs::create_dir_all(self.folder().join(git).join("objects")).unwrap();
            fs::create_dir(self.folder().join(git).join("refs")).unwrap();
            fs::write(self.folder().join(git).join("HEAD"), "ref: refs/heads/main\n").unwrap();
        }
        let named = ["vendor/lib/.envrc", "vendor/lib/AGENTS.md", "vendor/lib/deep/.git"];
        fs::create_dir(self.folder().join("vendor/lib/deep")).unwrap();
        named.iter().for_each(|file| fs::write(self.folder().join(file), "as it was\n").unwrap());
        let gits = gits.join(" ");
        let script = format!(
            "for git in {gits}; do\n\
             echo x > $git/hooks/pre-commit; ln -s /bin/true $git/hooks/post-checkout\n\
             echo x >> $git/config; rm -f $git/config; echo y > late; mv late $git/config\n\
             rmdir $git/hooks; rm -rf $git/hooks; mv $git/hooks $git/old; mv $git moved\ndone\n\
             for file in {}; do echo x > $file; rm -f $file; mv $file other; done\n\
             mv vendor/lib away; mv vendor away\necho end",
            named.join(" ")
        );
        let result = self.run(&script, 60_000).await;
        assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
        for git in gits.split(' ').map(|git| self.folder().join(git)) {
            let hooks = fs::read_dir(git.join("hooks"));
            let hooks = hooks.unwrap_or_else(|error| panic!("{}: {error}", git.display()));
            assert_eq!(hooks.count(), 0, "{}: {}", git.display(), result.for_llm);
            assert_eq!(fs::read_to_string(git.join("config")).unwrap(), "as it was\n");
        }
        for file in named {
            let text = fs::read_to_string(self.folder().join(file));
            assert_eq!(text.unwrap(), "as it was\n", "{file}: {}", result.for_llm);
        }
    }

    /// Root opens a disk as any file, and finds there what no wall around files hides.
    async fn tries_to_read_disks_past_their_files(&self, profile: &str) {
        let is_disk = |entry: &fs::DirEntry| {
            entry.file_type().is_ok_and(|kind| kind.is_block_device() || kind.is_char_device())
        };
        let names = fs::read_dir("/dev").unwrap().map(Result::unwrap).filter(is_disk);
        let harmless = ["null", "zero", "full", "random", "urandom", "tty", "ptmx"];
        // Whoever is not root opens what the machine's owner lets everybody open.
        let is_root = profile != "unprivileged";
        let names = names
            .filter(|entry| is_root || entry.metadata().unwrap().permissions().mode() & 0o4 == 0);
        let names = names.map(|entry| entry.file_name().into_string().unwrap());
        let names: Vec<String> = names.filter(|name| !harmless.contains(&&**name)).collect();
        let script = format!(
            "for name in {}; do (: < /dev/$name) && echo opened $name; done\n\
             mknod disk b 7 0 && head -c 1 disk && echo made\n\
             head -c 3 /dev/zero | wc -c; head -c 3 /dev/urandom | wc -c; echo x > /dev/null; echo end",
            names.join(" ")
        );
        let result = self.run(&script, 60_000).await;
        assert!(result.for_llm.starts_with("3\n3\nend\n"), "{}", result.for_llm);
    }

    async fn tries_to_reach_services_and_processes(&self, profile: &str) {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = tcp.local_addr().unwrap().port();
        let _service = UnixListener::bind(self.folder().join("service.sock")).unwrap();
        let mut sibling = Ended(Command::new("sleep").arg("600").spawn().unwrap());
        let id = sibling.0.id();
        let script = format!("kill -9 {id}; ./probe {id} {port} service.sock");
        let result = self.run(&script, 60_000).await;
        let tcp = if profile == "workspace+network" { "reached" } else { "refused" };
        let answer =
            format!("ptrace refused\nmemory refused\ntcp {tcp}\nunix refused\nraw refused\n");
        assert!(result.for_llm.starts_with(&answer), "{}", result.for_llm);
        assert!(sibling.0.try_wait().unwrap().is_none(), "it was ended: {}", result.for_llm);
    }

    async fn tries_to_use_everything_up(&self) {
        let number = self.number;
        let script = format!(
            "cd $TMPDIR; head -c 3000000 /dev/zero > big; wc -c < big; cd $OLDPWD; \
             ./probe bomb {number}"
        );
        let result = self.run(&script, 60_000).await;
        let mut lines = result.for_llm.lines();
        let written: u64 = lines.next().unwrap().trim().parse().unwrap();
        assert!(written <= 1 << 20, "{}", result.for_llm);
        let forked = lines.find_map(|line| line.strip_prefix("forked ")).unwrap();
        let forked: u64 = forked.parse().unwrap();
        assert!(forked < 64, "{}", result.for_llm);
        assert!(is_gone(&format!("probe bomb {number}")).await);
        assert_eq!(self.run("echo fine", 60_000).await.for_llm, "fine\n");
    }

    async fn tries_to_outlive_its_time(&self) {
        let base = 9_100 + 10 * self.number;
        let [one, two, three] = [base, base + 1, base + 2];
        let script = format!(
            "trap '' TERM\n(setsid sh -c 'trap \"\" TERM; (sleep {one} &); exec sleep {two}' &)\n\
             echo begun\nwhile true; do sleep {three}; done"
        );
        let began = Instant::now();
        let result = self.run(&script, 1_000).await;
        assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
        assert!(result.for_llm.starts_with("begun\n"), "{}", result.for_llm);
        assert!(began.elapsed() < Duration::from_secs(40));
        for seconds in [one, two, three] {
            assert!(is_gone(&format!("sleep {seconds}")).await, "{seconds}");
        }
    }
}

#[cfg(feature = "docker")]
fn container() -> Value {
    let socket = std::env::var("TOOLKEEP_TEST_SOCKET").unwrap();
    let image = toolkeep_test_docker::IMAGE;
    json!({ "mode": "all", "image": image, "socket": socket, "pids_limit": 40 })
}

#[cfg(not(feature = "docker"))]
fn container() -> Value {
    panic!("this build has no containers")
}

/// Waits until no process with these words runs, for as long as a machine at work may take.
async fn is_gone(words: &str) -> bool {
    for _ in 0..200 {
        let found = Command::new("pgrep").args(["-f", words]).output().unwrap();
        if found.stdout.is_empty() {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    false
}
