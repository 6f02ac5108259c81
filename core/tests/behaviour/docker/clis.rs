//! CLIs with credentials in containers: they get what they would get on the host, and nobody sees it.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::OnceLock;
use std::time::Duration;

use serde_json::{Value, json};
use toolkeep::{Code, ToolResult};
use toolkeep_test_docker::{Engine, IMAGE};

use super::{containers, folder, run, settings};
use crate::support::{House, eventually};

/// Put together at run time, so that no scanner takes it for a leak.
fn token() -> String {
    ["Zq7", "wandering-Heron", "58131"].join("_")
}

/// Something that no shell may read as more than bytes.
const CONTENT: &str = "key: 'a' \"b\" $(id) `id` \\101 %s\n-x\n\u{e9}\ttoken: sleeping-Otter-77\n";

const CLI: &str = r#"#!/bin/sh
case "$1" in
  env) env ;;
  argv) for word in "$@"; do echo "[$word]"; done; tr '\0' '|' </proc/$$/cmdline; echo ;;
  sums) sha256sum <"$FAKE_FILE"; sha256sum <"$OWN_FILE"; stat -c '%a %u' "$FAKE_FILE" ;;
  lengths) echo "${#FAKE_TOKEN} $FAKE_REGION" ;;
  write) echo x >"$HOME/left"; echo x >/workspace/made; ls -A "$HOME" ;;
  hold) touch /workspace/holds; while [ ! -e /workspace/go ]; do sleep 0.1; done; echo "$FAKE_TOKEN" ;;
esac
"#;

/// An image with the CLI `fakecli`, with `linked`, which leads into the workspace, and with a search path
/// and variables that try something.
fn image() -> &'static str {
    const NAME: &str = "toolkeep-test/clis";
    static MADE: OnceLock<()> = OnceLock::new();
    MADE.get_or_init(|| {
        let engine = Engine::shared();
        let folder = tempfile::tempdir().unwrap();
        super::program(&folder.path().join("fakecli"), CLI);
        symlink("/workspace/linked", folder.path().join("linked")).unwrap();
        let id = engine.docker(&["create", IMAGE, "true"]);
        for name in ["fakecli", "linked"] {
            let from = folder.path().join(name).display().to_string();
            engine.docker(&["cp", &from, &format!("{id}:/bin/{name}")]);
        }
        let env = "ENV PATH=/workspace:/tmp:bin:/bin STRAY=here TZ=Europe/Paris";
        engine.docker(&["commit", "--change", env, &id, NAME]);
        engine.docker(&["rm", &id]);
    });
    NAME
}

async fn house(sandbox: Value) -> House {
    let mut sandbox = sandbox;
    sandbox["image"] = json!(image());
    let config = json!({
        "approval": { "external": false },
        "secrets": { "key": { "env": "TOOLKEEP_TEST_KEY" } },
        "exec": { "sandbox": settings(sandbox), "environment": { "set": { "SET": "by-owner" } } },
    });
    House::new(config).await
}

async fn put(house: &House, name: &str, more: Value) {
    let mut args = json!({
        "binary_name": name,
        "encrypted_env": {
            "FAKE_TOKEN": token(),
            "FAKE_REGION": { "kind": "value", "value": "eu-north" },
            "FAKE_FILE": { "kind": "file", "value": CONTENT },
        },
    });
    for (key, value) in more.as_object().unwrap() {
        args[key] = value.clone();
    }
    house.rt.invoke("clis.put", args).await.unwrap();
}

async fn call(house: &House, words: &[&str]) -> ToolResult {
    house.call("credentialed_exec", json!({ "command": words })).await
}

fn sha256(content: &[u8]) -> String {
    use sha2::{Digest as _, Sha256};
    data_encoding::HEXLOWER.encode(&Sha256::digest(content))
}

#[tokio::test]
async fn a_cli_gets_the_environment_that_it_gets_on_the_host() {
    let house = house(json!({})).await;
    put(&house, "fakecli", json!({})).await;
    let result = call(&house, &["fakecli", "env"]).await;
    assert!(!result.is_error, "{}", result.for_llm);
    let mut lines: Vec<&str> = result.for_llm.lines().collect();
    lines.retain(|line| {
        !["_=", "SHLVL=", "OLDPWD=", "TOOLKEEP_RUN="].iter().any(|name| line.starts_with(name))
    });
    lines.sort_unstable();
    assert!(lines[2].starts_with("FAKE_TOKEN=") && !lines[2].contains("Heron"), "{lines:?}");
    lines.remove(2);
    // A name that nobody can say beforehand.
    let file = lines.remove(0).strip_prefix("FAKE_FILE=/home/agent/fake_file-").unwrap();
    assert_eq!(file.len(), 32, "{file}");
    let expected = [
        "FAKE_REGION=eu-north",
        "HOME=/home/agent",
        "LANG=C.UTF-8",
        "NO_COLOR=1",
        "PATH=/bin",
        "PWD=/workspace",
        "TERM=dumb",
        "TMPDIR=/home/agent",
        "TZ=Europe/Paris",
        "USER=toolkeep",
    ];
    assert_eq!(lines, expected);
    let result = call(&house, &["fakecli", "lengths"]).await;
    assert_eq!(result.for_llm, format!("{} eu-north\n", token().len()));
    assert_eq!(result.structured.unwrap()["confinement"]["ran_in"], "sandbox");
    let result = run(&house, "fakecli lengths").await;
    assert_eq!(result.for_llm, format!("{} eu-north\n", token().len()), "by `exec`, too");
}

#[tokio::test]
async fn files_are_there_as_they_are_and_end_with_the_call() {
    let house = house(json!({ "user": "1234:1234" })).await;
    let own = tempfile::NamedTempFile::new().unwrap();
    let binary: Vec<u8> = (0..=255).cycle().take(20_000).collect();
    fs::write(own.path(), &binary).unwrap();
    let more = json!({ "encrypted_env": {
        "FAKE_FILE": { "kind": "file", "value": CONTENT },
        "OWN_FILE": { "kind": "file", "value": own.path() },
    } });
    put(&house, "fakecli", more).await;
    let result = call(&house, &["fakecli", "sums"]).await;
    let (one, two) = (sha256(CONTENT.as_bytes()), sha256(&binary));
    assert_eq!(result.for_llm, format!("{one}  -\n{two}  -\n600 1234\n"));
    fs::set_permissions(house.folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o777))
        .unwrap();
    for _ in 0..2 {
        let result = call(&house, &["fakecli", "write"]).await;
        let names: Vec<&str> =
            result.for_llm.lines().filter_map(|line| line.split('-').next()).collect();
        assert_eq!(names, ["fake_file", "left", "own_file"], "nothing is left of a call");
    }
    assert!(house.folder.path().join("made").exists());
    eventually(async || containers(&house).is_empty()).await;
}

#[tokio::test]
async fn the_words_of_a_cli_stay_words_and_no_secret_is_among_them_or_in_what_the_engine_shows() {
    let house = house(json!({})).await;
    put(&house, "fakecli", json!({})).await;
    let words = ["fakecli", "argv", "a b", "$HOME", "it's", "*", "x|y"];
    let result = call(&house, &words).await;
    let shown: String = words[1..].iter().map(|word| format!("[{word}]\n")).collect();
    let line = format!("/bin/sh|/bin/fakecli|{}|\n", words[1..].join("|"));
    assert_eq!(result.for_llm, shown + &line);
    run(&house, "true").await;
    let before = containers(&house);
    let holds = call(&house, &["fakecli", "hold"]);
    let looks = async {
        eventually(async || house.folder.path().join("holds").exists()).await;
        let all = containers(&house);
        let own: Vec<&String> = all.iter().filter(|id| !before.contains(id)).collect();
        assert_eq!((before.len(), own.len()), (1, 1), "a container of its own");
        // What runs beside it meanwhile sees nothing of it.
        let others = super::attack(&house, "cat /proc/*/environ /proc/*/cmdline; echo end").await;
        let of_host = std::process::Command::new("ps").args(["-eo", "args"]).output().unwrap();
        let seen = [
            Engine::shared().docker(&["inspect", own[0]]),
            Engine::shared().docker(&["top", own[0], "-o", "pid,args"]),
            Engine::shared().docker(&["inspect", image()]),
            String::from_utf8_lossy(&of_host.stdout).into_owned(),
        ];
        fs::write(house.folder.path().join("go"), "").unwrap();
        assert!(seen[1].contains("/bin/fakecli hold"), "{}", seen[1]);
        for text in &seen {
            for part in [token().as_str(), "sleeping-Otter", "FAKE_"] {
                assert!(!text.contains(part), "{part}: {text}");
            }
        }
        // Masked it would be a placeholder.
        let others = others.for_llm;
        assert!(others.contains("HOME=") && others.contains("end"), "{others}");
        assert!(!others.contains("FAKE_") && !others.contains("hold"), "{others}");
    };
    let (result, ()) = tokio::join!(holds, looks);
    assert!(!result.is_error && !result.for_llm.contains("Heron"), "{}", result.for_llm);
    eventually(async || containers(&house) == before).await;
}

#[tokio::test]
async fn only_what_the_image_itself_has_is_run() {
    let house = house(json!({ "read_only_root": false, "user": "0:0" })).await;
    let evil = "#!/bin/sh\necho evil\n";
    for name in ["fakecli", "linked", "planted"] {
        put(&house, name, json!({})).await;
        super::program(&house.folder.path().join(name), evil);
    }
    // A root user of a root that can be written plants programs, in a container that no CLI ever has.
    let plants = "cd /workspace; cp planted /bin/; rm /bin/env; cp planted /bin/env; echo planted";
    assert_eq!(super::attack(&house, plants).await.for_llm, "planted\n");
    let result = call(&house, &["fakecli", "lengths"]).await;
    assert_eq!(result.for_llm, format!("{} eu-north\n", token().len()));
    assert!(call(&house, &["fakecli", "env"]).await.for_llm.contains("FAKE_REGION"));
    for name in ["linked", "planted"] {
        let result = call(&house, &[name]).await;
        assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
        for part in ["no program", name, "workspace"] {
            assert!(result.for_llm.contains(part), "{}", result.for_llm);
        }
    }
}

#[tokio::test]
async fn what_leads_to_processes_or_to_harmful_settings_is_refused_by_the_containers_paths() {
    let house = house(json!({})).await;
    put(&house, "fakecli", json!({})).await;
    let at = |name: &str| house.folder.path().join(name);
    symlink("../proc/self", at("process")).unwrap();
    for word in ["process/environ", "/dev/fd/../environ", "--file=/workspace/process/environ"] {
        let result = call(&house, &["fakecli", "argv", word]).await;
        assert_eq!(result.code, Some(Code::CommandDenied), "{}", result.for_llm);
    }
    let git = json!({ "preset": "git", "encrypted_env": {
        "GIT_HOST": { "kind": "value", "value": "git.example.com" }, "GIT_TOKEN": token(),
    } });
    put(&house, "git", git).await;
    fs::create_dir_all(at("repo/.git")).unwrap();
    fs::write(at("settings"), "[alias]\nst = !sh\n").unwrap();
    symlink("/workspace/settings", at("repo/.git/config")).unwrap();
    let args = json!({ "command": ["git", "status"], "working_dir": "repo" });
    let result = house.call("credentialed_exec", args).await;
    assert!(result.for_llm.contains("alias.st"), "{}", result.for_llm);
    let result = call(&house, &["git", "-C", "/workspace/repo", "status"]).await;
    assert!(result.for_llm.contains("alias.st"), "{}", result.for_llm);
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_ended_with_its_container() {
    let house = house(json!({})).await;
    put(&house, "fakecli", json!({ "timeout_seconds": 1 })).await;
    let result = call(&house, &["fakecli", "hold"]).await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    eventually(async || containers(&house).is_empty()).await;
    put(&house, "fakecli", json!({ "timeout_seconds": 60 })).await;
    let call = call(&house, &["fakecli", "hold"]);
    assert!(tokio::time::timeout(Duration::from_secs(2), call).await.is_err());
    eventually(async || containers(&house).is_empty()).await;
    assert!(Path::new(&folder(&house)).join("holds").exists());
}
