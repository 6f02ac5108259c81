//! An agent with default settings, nobody to ask, and a script that the judge does not look into wants to
//! change what a repository in the workspace runs: among many others, behind decoys, or out of sight.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use toolkeep::ToolResult;

use crate::support::{House, as_nobody, half, passes, script};

/// `short` in `make test`, `long` in `make soak`.
fn rounds(short: usize, long: usize) -> usize {
    if std::env::var_os("TOOLKEEP_SOAK").is_some() { long } else { short }
}

/// Writes all that a repository runs, of each that `targets` names: the way to it, then its folder of Git's.
const ATTACK: &str = r#"root=$PWD
while IFS=$'\t' read -r -d '' way git; do
  cd "$root/$way" || continue
  echo evil >> "$git/config"
  mkdir -p "$git/hooks"; echo evil > "$git/hooks/post-checkout"
  mv "$git" moved && cp -r moved "$git" && echo evil >> "$git/config"
done < "$root/targets" 2> /dev/null
cd "$root"; echo end"#;

const CONFIG: &str = "[core]\n";

struct Work {
    house: House,
    targets: Vec<(PathBuf, &'static str)>,
}

impl Work {
    async fn new() -> Work {
        Work::with(json!({})).await
    }

    async fn with(shell: Value) -> Work {
        let config = json!({ "approval": { "external": false }, "shell": shell });
        Work { house: House::new(config).await, targets: Vec::new() }
    }

    fn at(&self, path: impl AsRef<Path>) -> PathBuf {
        self.house.folder.path().join(path)
    }

    /// Makes a repository whose folder of Git's has that name, `.` for one that is bare.
    fn has(&mut self, folder: impl AsRef<Path>, git: &'static str) {
        let at = self.at(&folder).join(git);
        for name in ["hooks", "objects", "refs"] {
            fs::create_dir_all(at.join(name)).unwrap();
        }
        fs::write(at.join("config"), CONFIG).unwrap();
        fs::write(at.join("HEAD"), "ref: refs/heads/main\n").unwrap();
        self.targets.push((folder.as_ref().to_owned(), git));
    }

    async fn run(&self, command: &str) -> ToolResult {
        self.house.call("exec", json!({ "command": command })).await
    }

    async fn script(&self, text: &str) -> ToolResult {
        self.run(script(&self.house, text)).await
    }

    /// Attacks all repositories, behind another command, and checks that they are as they were.
    async fn holds_behind(&self, before: &str) -> ToolResult {
        let lines = self.targets.iter().map(|(folder, git)| {
            [folder.as_os_str().as_bytes(), b"\t", git.as_bytes(), b"\0"].concat()
        });
        fs::write(self.at("targets"), lines.collect::<Vec<_>>().concat()).unwrap();
        let result = self.run(&format!("{before}; {}", script(&self.house, ATTACK))).await;
        assert!(result.for_llm.contains("end"), "{}", result.for_llm);
        for (folder, git) in &self.targets {
            let at = self.at(folder).join(git);
            let config = fs::read_to_string(at.join("config")).unwrap();
            assert_eq!(config, CONFIG, "{}: {}", at.display(), result.for_llm);
            assert!(!at.join("hooks/post-checkout").exists(), "{}", at.display());
        }
        result
    }

    async fn holds(&self) -> ToolResult {
        self.holds_behind("true").await
    }
}

/// What was closed, as the result says.
fn not_looked_at(result: &ToolResult) -> Vec<String> {
    let structured = result.structured.as_ref().unwrap();
    let all = structured["confinement"]["not_looked_at"].as_array();
    all.into_iter().flatten().map(|path| path.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn every_one_of_many_repositories_stays_as_it_is() {
    for many in [70, 130, rounds(200, 1_000), rounds(0, 3_000)] {
        let mut work = Work::new().await;
        (0..many).for_each(|n| work.has(format!("r{n:04}"), ".git"));
        for n in 0..many / 20 {
            work.has(format!("deep/a/b/c/{n}/x.git"), ".");
            work.has(format!("r0000/vendor/{n}"), ".git");
            work.has("r0001/.git/modules", "sub");
            work.has(format!("r0002/.git/modules/a/modules/{n}"), ".");
        }
        let result = work.holds().await;
        assert!(not_looked_at(&result).is_empty(), "{:?}", result.structured);
        work.house.rt.close().await.unwrap();
    }
}

#[tokio::test]
async fn decoys_of_an_earlier_command_hide_no_repository() {
    let many = rounds(50, 20_000);
    for make in
        ["\"$d/.git\"", "\"$d/.git/hooks\" \"$d/.git/modules/x/hooks\"", "\"$d/a\" \"$d/b/c\""]
    {
        let mut work = Work::new().await;
        work.has("zz/y/lib", ".git");
        for folder in ["aa", "zz", "zz/y/lib", "zz/y/lib/.git/modules"] {
            let text = format!(
                "for n in $(seq {many}); do d={folder}/d$n; echo {}; done | xargs mkdir -p; echo made",
                make.replace('"', "")
            );
            let made = work.script(&text).await;
            assert!(made.for_llm.contains("made"), "{}", made.for_llm);
            work.holds().await;
        }
        work.house.rt.close().await.unwrap();
    }
}

/// Makes a folder so deep that no path leads to its end, with a repository at the end.
const DEEP: &str = "d=$(printf 'd%.0s' $(seq 200)); mkdir deep; cd deep; \
    for n in $(seq 30); do mkdir $d; cd ./$d; done 2> /dev/null; \
    mkdir -p .git/hooks .git/objects .git/refs; echo '[core]' > .git/config; echo made";

/// How much of a path a text shows before the mark of the cut.
const SHOWN_BYTES: usize = 299;

/// Goes to the end of it.
const GO: &str = "d=$(printf 'd%.0s' $(seq 200)); cd deep; \
    for n in $(seq 30); do cd ./$d; done 2> /dev/null";

#[tokio::test]
async fn what_cannot_be_looked_through_is_closed_and_the_result_says_so() {
    let work = Work::with(json!({ "profile": "workspace" })).await;
    assert!(work.script(DEEP).await.for_llm.contains("made"));
    let attack = format!(
        "{GO}; echo evil >> .git/config; echo evil > .git/hooks/x; ls .git/hooks; cat .git/config"
    );
    // To name something in it opens none of the rest.
    for before in ["true", "touch deep/x", "mkdir deep/y", "echo x > deep/z"] {
        let result = work.run(&format!("{before}; {}", script(&work.house, &attack))).await;
        assert!(result.for_llm.starts_with("[core]\n"), "{before}: {}", result.for_llm);
        assert!(!result.for_llm.contains("evil\n"), "{before}: {}", result.for_llm);
        let closed = not_looked_at(&result);
        assert!(closed.len() == 1 && closed[0].contains("/deep/"), "{closed:?}");
        let expected = format!("[Nothing could be written in {}…: ", &closed[0][..SHOWN_BYTES]);
        assert!(result.for_llm.contains(&expected), "{}", result.for_llm);
        assert!(result.for_llm.contains("`rm -rf`"), "{}", result.for_llm);
    }
    // Elsewhere work goes on, and who takes it away by name may.
    let elsewhere = work.script("echo x > deep/a; echo x > b; cat deep/a b").await;
    assert_eq!(elsewhere.for_llm, "x\nx\n");
    assert_eq!(not_looked_at(&elsewhere).len(), 1);
    let gone = work.run("rm -rf deep").await;
    assert!(!gone.is_error && !work.at("deep").exists(), "{}", gone.for_llm);
    assert!(not_looked_at(&work.script("ls").await).is_empty());
}

#[tokio::test]
async fn repositories_hundreds_of_folders_deep_stay_as_they_are() {
    let mut work = Work::new().await;
    for n in 0..rounds(3, 40) {
        work.has(format!("{n}/{}lib", "d/".repeat(rounds(300, 1_500))), ".git");
        work.has(format!("{n}/{}lib", "d/".repeat(150)), ".git");
    }
    let result = work.holds().await;
    assert_eq!(not_looked_at(&result).len(), rounds(3, 40));
}

#[tokio::test]
async fn a_repository_whose_path_is_no_text_stays_as_it_is() {
    let mut work = Work::new().await;
    for name in [&b"odd\xff"[..], b"a/\xfe\xff/lib", b"\xc0\xaf/.git/modules/x", b"new\nline"] {
        work.has(std::ffi::OsStr::from_bytes(name), ".git");
    }
    // Where hooks are missing, they cannot be made.
    fs::remove_dir(work.at(std::ffi::OsStr::from_bytes(b"odd\xff/.git/hooks"))).unwrap();
    let result = work.holds().await;
    assert!(not_looked_at(&result).is_empty());
}

#[test]
fn a_folder_that_nobody_may_look_into_hides_no_repository() {
    let home = tempfile::tempdir_in("/var").unwrap();
    let mut attack = half("attacks_repositories::an_agent_that_closes_its_doors");
    attack.env("HOME", home.path()).env("TOOLKEEP_TEST_DOORS", "1");
    as_nobody(&mut attack, &[home.path()]);
    passes(attack);
}

#[tokio::test]
async fn an_agent_that_closes_its_doors() {
    // Without that it is the child of no test.
    if std::env::var_os("TOOLKEEP_TEST_DOORS").is_none() {
        return;
    }
    let mut work = Work::new().await;
    for name in ["a/lib", "b/lib", "c/lib", "d/lib"] {
        work.has(name, ".git");
    }
    work.holds().await;
    let doors = "chmod 000 a b/lib; chmod 444 c; chmod 333 d; echo done";
    assert!(work.script(doors).await.for_llm.contains("done"));
    let open = "chmod -R u+rwx a b c d 2> /dev/null";
    let mut text = String::new();
    for name in ["a", "b", "c", "d"] {
        let _ = writeln!(text, "echo evil >> {name}/lib/.git/config; mv {name} x{name}");
    }
    let result = work.script(&format!("{open}; {text} echo end")).await;
    assert!(!not_looked_at(&result).is_empty(), "{}", result.for_llm);
    for name in ["a", "b", "c", "d"] {
        let opened = Command::new("chmod").args(["-R", "u+rwx"]).arg(work.at(name)).status();
        assert!(opened.unwrap().success());
        let config = fs::read_to_string(work.at(name).join("lib/.git/config")).unwrap();
        assert_eq!(config, CONFIG, "{name}: {}", result.for_llm);
    }
}

#[tokio::test]
async fn builds_in_large_trees_go_on() {
    let many = rounds(2_000, 30_000);
    let mut work = Work::new().await;
    work.has("lib", ".git");
    let made =
        format!("seq {many} | sed 's,..$,/&,; s,^,node_modules/p,' | xargs mkdir -p; echo made");
    assert!(work.script(&made).await.for_llm.contains("made"));
    for _ in 0..2 {
        let build = "find node_modules -type d | sed 's,$,/index.js,' | xargs touch; \
                     find node_modules -name index.js | wc -l; cd lib; git add . ; echo x > a";
        let result = work.script(build).await;
        let count: usize = result.for_llm.lines().next().unwrap().trim().parse().unwrap();
        assert!(count > many, "{}", result.for_llm);
        assert!(not_looked_at(&result).is_empty());
        assert!(work.at("lib/a").exists());
    }
    work.holds().await;
}

#[tokio::test]
async fn more_folders_than_are_looked_at_open_nothing() {
    if rounds(0, 1) == 0 {
        return;
    }
    let mut work = Work::new().await;
    work.has("zz/lib", ".git");
    work.holds().await;
    let text = "for n in $(seq 250000); do echo aa/$((n % 500))/$n; done | xargs mkdir -p; \
                mkdir -p aa/1/late/.git; echo '[core]' > aa/1/late/.git/config";
    work.house
        .call("exec", json!({ "command": script(&work.house, text), "timeout_ms": 100_000 }))
        .await;
    work.targets.push(("aa/1/late".into(), ".git"));
    let result = work.holds().await;
    let closed = not_looked_at(&result);
    assert!(!closed.is_empty() && closed.iter().all(|path| path.contains("/aa")), "{closed:?}");
    let ordinary = work.script("echo x > zz/lib/a; cat zz/lib/a").await;
    assert_eq!(ordinary.for_llm, "x\n");
}

#[cfg(feature = "docker")]
#[tokio::test]
async fn a_container_guards_as_many_as_its_engine_takes_and_the_rest_is_closed() {
    let socket = toolkeep_test_docker::Engine::shared().socket();
    let sandbox = json!({
        "mode": "all", "image": toolkeep_test_docker::IMAGE, "socket": socket.to_str().unwrap()
    });
    let config = json!({ "approval": { "external": false }, "exec": { "sandbox": sandbox } });
    let mut work = Work { house: House::new(config).await, targets: Vec::new() };
    (0..200).for_each(|n| work.has(format!("vendor/r{n}"), ".git"));
    work.has(std::ffi::OsStr::from_bytes(b"odd/\xff"), ".git");
    fs::write(
        work.at("attack.sh"),
        "for d in vendor/* odd/*; do echo evil >> $d/.git/config; \
         echo evil > $d/.git/hooks/post-checkout; done 2> /dev/null; echo x > a; echo end",
    )
    .unwrap();
    let result = work.run("sh ./attack.sh").await;
    assert_eq!(result.for_llm, "end\n");
    for (folder, git) in &work.targets {
        let at = work.at(folder).join(git);
        assert_eq!(fs::read_to_string(at.join("config")).unwrap(), CONFIG, "{}", at.display());
        assert!(!at.join("hooks/post-checkout").exists(), "{}", at.display());
    }
    let closed = not_looked_at(&result);
    assert!(closed.contains(&"/workspace/odd".to_owned()), "{closed:?}");
    assert!((2..100).contains(&closed.len()), "{closed:?}");
    assert!(work.at("a").exists());
    work.house.rt.close().await.unwrap();
}
