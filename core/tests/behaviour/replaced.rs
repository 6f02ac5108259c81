//! Files that are kept from a command, and are replaced by others while it runs: by the user, by an editor,
//! by Git.

use std::fs;
use std::io::{Read as _, Write as _};
use std::os::fd::AsFd as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::ToolResult;

use crate::support::{House, half, passes, script};

struct Replaced(House);

impl Replaced {
    async fn new() -> Replaced {
        let config = json!({
            "approval": { "external": false }, "files": { "deny": [".env.secret", "closed/*.key"] },
        });
        Replaced(House::new(config).await)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.0.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.at(name)).unwrap()
    }

    /// Puts a file in the place of another, as an editor does that saves.
    fn saves(&self, name: &str, text: &str) {
        let beside = self.at(&format!("{name}.new"));
        fs::write(&beside, text).unwrap();
        fs::rename(beside, self.at(name)).unwrap();
    }

    async fn process(&self, args: Value) -> ToolResult {
        self.0.call("process", args).await
    }

    /// Starts what the judge cannot look into. It waits for a file `go`, and then does what the text says.
    async fn starts(&self, text: &str) -> String {
        let waits = "echo ready; until test -e go; do sleep 0.02; done\n";
        let command = script(&self.0, &format!("{waits}{text}\necho end"));
        let started = self.process(json!({ "action": "start", "command": command })).await;
        assert!(!started.is_error, "{}", started.for_llm);
        let id = started.structured.unwrap()["id"].as_str().unwrap().to_owned();
        self.until(&id, "ready").await;
        id
    }

    async fn goes_on(&self, id: &str) -> String {
        fs::write(self.at("go"), "").unwrap();
        let all = self.until(id, "end").await;
        fs::remove_file(self.at("go")).unwrap();
        all
    }

    /// How a command ended.
    async fn ended(&self, id: &str) -> String {
        for _ in 0..200 {
            let args = json!({ "action": "poll", "id": id, "wait_ms": 500 });
            let polled = self.process(args).await;
            if polled.structured.unwrap()["running"] == false {
                return polled.for_llm;
            }
        }
        panic!("it has not ended");
    }

    async fn until(&self, id: &str, text: &str) -> String {
        for _ in 0..200 {
            let log = self.process(json!({ "action": "log", "id": id, "offset": 0 })).await;
            if log.for_llm.contains(text) {
                return log.for_llm;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("it did not say `{text}`");
    }
}

#[tokio::test]
async fn a_command_is_ended_when_what_it_is_kept_from_is_replaced() {
    let work = Replaced::new().await;
    fs::create_dir_all(work.at(".git/hooks")).unwrap();
    fs::create_dir(work.at("closed")).unwrap();
    for name in [".git/config", ".env.secret", "CLAUDE.md", "closed/a.key"] {
        fs::write(work.at(name), "before\n").unwrap();
    }
    let attack = "cd .git && echo x >> config; cd ../closed && cat a.key ../.env.secret\n\
                  echo x >> ../CLAUDE.md; echo x >> ../.git/hooks/pre-commit";
    let replace: [&dyn Fn(); 5] = [
        &|| work.saves(".git/config", "private-words\n"),
        &|| work.saves(".env.secret", "private-words\n"),
        &|| work.saves("CLAUDE.md", "private-words\n"),
        &|| fs::remove_file(work.at("closed/a.key")).unwrap(),
        &|| fs::remove_dir(work.at(".git/hooks")).unwrap(),
    ];
    for replaces in replace {
        let id = work.starts(attack).await;
        // What is written as it stands is no other file.
        fs::write(work.at("closed/a.key"), "private-words\n").unwrap();
        tokio::time::sleep(Duration::from_millis(300)).await;
        let polled = work.process(json!({ "action": "poll", "id": id })).await;
        assert_eq!(polled.structured.unwrap()["running"], true);
        replaces();
        let ended = work.ended(&id).await;
        assert!(ended.contains("what it is kept from was replaced"), "{ended}");
        fs::write(work.at("go"), "").unwrap();
        let log = work.process(json!({ "action": "log", "id": id, "offset": 0 })).await.for_llm;
        assert!(!log.contains("private-words"), "{log}");
        fs::remove_file(work.at("go")).unwrap();
    }
    for name in [".git/config", "CLAUDE.md"] {
        assert_eq!(work.text(name), "private-words\n");
    }
}

#[tokio::test]
async fn git_and_those_behind_its_guards_take_turns() {
    let work = Replaced::new().await;
    let run = async |command: &str| work.0.call("exec", json!({ "command": command })).await;
    assert!(!run("git init -q").await.is_error);
    let config = work.text(".git/config");
    let id = work.starts("echo x >> .git/config").await;
    let kept = run("git config user.name somebody").await;
    assert!(
        kept.is_error && kept.for_llm.contains("could not be written, since"),
        "{}",
        kept.for_llm
    );
    let withheld = kept.structured.unwrap()["confinement"]["withheld"].to_string();
    assert!(withheld.contains(".git/config"), "{withheld}");
    assert_eq!(work.text(".git/config"), config);
    // What writes no settings goes on.
    let made = run("git checkout -q -b other").await;
    assert!(!made.is_error, "{}", made.for_llm);
    work.goes_on(&id).await;
    assert_eq!(work.text(".git/config"), config);
    let written = run("git config user.name somebody").await;
    assert!(!written.is_error, "{}", written.for_llm);
    assert!(work.text(".git/config").contains("somebody"));
    // The other way round it is waited for.
    let command = "sleep 1; git config user.name other";
    let started = work.process(json!({ "action": "start", "command": command })).await;
    assert!(!started.is_error, "{}", started.for_llm);
    let reads = script(&work.0, "cat .git/config; echo x >> .git/config");
    let read = run(reads).await;
    assert!(read.for_llm.contains("name = other"), "{}", read.for_llm);
    assert!(!work.text(".git/config").contains('x'), "{}", work.text(".git/config"));
}

/// Named in the child of a test: its home folder is one of its own.
const HOME_OF: &str = "TOOLKEEP_TEST_CREDENTIALS";

#[test]
fn credentials_that_are_replaced_are_never_read() {
    let home = tempfile::tempdir_in("/var").unwrap();
    fs::write(home.path().join(".git-credentials"), "before\n").unwrap();
    let mut reader = half("replaced::a_home_in_which_credentials_are_replaced");
    reader.env("HOME", home.path()).env(HOME_OF, home.path());
    passes(reader);
}

#[tokio::test]
async fn a_home_in_which_credentials_are_replaced() {
    let Ok(home) = std::env::var(HOME_OF) else { return };
    let work = Replaced::new().await;
    let at = PathBuf::from(home).join(".git-credentials");
    let text = format!("for n in $(seq 300); do cat {}; done 2>/dev/null", at.display());
    let id = work.starts(&text).await;
    fs::write(work.at("go"), "").unwrap();
    for _ in 0..100 {
        let beside = at.with_extension("lock");
        fs::write(&beside, "private-words\n").unwrap();
        fs::rename(beside, &at).unwrap();
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    let said = work.until(&id, "end").await;
    assert!(!said.contains("private-words"), "{said}");
}

#[tokio::test]
async fn terminals_are_those_of_the_command_alone() {
    let work = Replaced::new().await;
    let ours = rustix::pty::openpt(rustix::pty::OpenptFlags::RDWR).unwrap();
    rustix::pty::grantpt(&ours).unwrap();
    rustix::pty::unlockpt(&ours).unwrap();
    let name = rustix::pty::ptsname(&ours, Vec::new()).unwrap().into_string().unwrap();
    let mut theirs = fs::OpenOptions::new().read(true).write(true).open(&name).unwrap();
    let text = format!("echo pushed > {name}; timeout 1 head -c 6 {name}; ls /dev/pts; echo end");
    let reads = script(&work.0, &text);
    let reading = work.0.call("exec", json!({ "command": reads }));
    let typing = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        fs::File::from(ours.as_fd().try_clone_to_owned().unwrap()).write_all(b"typed\n").unwrap();
    };
    let (read, ()) = tokio::join!(reading, typing);
    assert!(!read.for_llm.contains("typed") && read.for_llm.contains("end"), "{}", read.for_llm);
    let mut line = [0; 16];
    let count = theirs.read(&mut line).unwrap();
    assert_eq!(&line[..count], b"typed\n");
    if work.0.rt.capabilities().await.unwrap().namespaces {
        assert!(read.for_llm.starts_with("ptmx\nend"), "{}", read.for_llm);
        let args =
            json!({ "action": "start", "command": "tty; ls /dev/pts; echo end", "terminal": true });
        let started = work.process(args).await;
        let id = started.structured.unwrap()["id"].as_str().unwrap().to_owned();
        let said = work.until(&id, "end").await;
        assert!(said.contains("/dev/pts/0"), "{said}");
        let more = script(&work.0, "script -qec tty /dev/null");
        let made = work.0.call("exec", json!({ "command": more })).await;
        assert!(made.for_llm.contains("/dev/pts/0"), "{}", made.for_llm);
    }
}

#[tokio::test]
async fn a_folder_of_a_session_goes_however_deep_it_is() {
    let work = Replaced::new().await;
    let text = "import os\nos.chdir(os.environ['TMPDIR'])\nfor _ in range(3000):\n os.mkdir('d', 0o700)\n os.chdir('d')\n\
                os.mkdir('e', 0o500)\nprint(os.stat(os.environ['TMPDIR']).st_ino)";
    fs::write(work.at("deep.py"), text).unwrap();
    let made = work.0.call("exec", json!({ "command": "python3 deep.py" })).await;
    assert!(!made.is_error, "{}", made.for_llm);
    // Other processes have such folders, too: ours is known by its number.
    let number: u64 = made.for_llm.trim().parse().unwrap();
    let is_ours = |entry: &std::io::Result<fs::DirEntry>| {
        let folder = entry.as_ref().unwrap().path();
        let is_named = folder.to_string_lossy().contains("toolkeep-run-");
        is_named && fs::metadata(folder.join("0")).is_ok_and(|found| found.ino() == number)
    };
    let ours = || fs::read_dir(std::env::temp_dir()).unwrap().filter(is_ours).count();
    assert_eq!(ours(), 1);
    work.0.rt.close().await.unwrap();
    assert_eq!(ours(), 0);
}
