//! Credentialed CLIs with real programs: what they get, what nobody else gets, and what is refused.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolkeep::{CallContext, Code, ToolResult};

use crate::support::House;

/// Put together at run time, so that no scanner takes it for a leak.
fn token() -> String {
    ["Zq7", "wandering-Heron", "58131"].join("_")
}

const SCRIPT: &str = r#"#!/bin/sh
case "$1" in
  env) env ;;
  argv) for word in "$@"; do echo "[$word]"; done ;;
  clear) echo "$FAKE_TOKEN" ;;
  base64) printf %s "$FAKE_TOKEN" | base64 ;;
  reversed) printf %s "$FAKE_TOKEN" | rev ;;
  hex) printf %s "$FAKE_TOKEN" | od -An -tx1 | tr -d ' \n' ;;
  error) echo "$FAKE_TOKEN" >&2; exit 3 ;;
  hold) echo "$FAKE_TOKEN" > /dev/null; sleep 4; echo held ;;
  home) ls -A "$HOME"; echo x > "$HOME/left" ;;
  in) cat ;;
  much) awk 'BEGIN { for (n = 0; n < 20000; n++) print n, ENVIRON["FAKE_TOKEN"] }' ;;
  size) echo "${#FAKE_REGION} ${#MORE}" ;;
  connect) bash -c "exec 3<>/dev/tcp/$2/$3" 2>/dev/null && echo open || echo closed ;;
esac
"#;

/// A folder outside of the workspace and of temporary folders, wherever the checkout lies.
fn outside() -> TempDir {
    let target = PathBuf::from(env!("CARGO_TARGET_TMPDIR"));
    let temporary = [PathBuf::from("/tmp"), PathBuf::from("/var/tmp"), std::env::temp_dir()];
    let within = match temporary.iter().any(|temp| target.starts_with(temp)) {
        true => std::env::home_dir().unwrap().join(".cache/toolkeep/tests"),
        false => target,
    };
    fs::create_dir_all(&within).unwrap();
    let folder = tempfile::tempdir_in(within).unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn program(path: &Path, text: &[u8]) {
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

struct Set {
    house: House,
    outside: TempDir,
}

impl Set {
    /// A house with the CLI `fakecli`, for everybody.
    async fn new() -> Set {
        Set::with(json!({})).await
    }

    async fn with(more: Value) -> Set {
        let key = json!({ "env": "TOOLKEEP_TEST_KEY" });
        let config = json!({ "approval": { "external": false }, "secrets": { "key": key } });
        let set = Set { house: House::new(config).await, outside: outside() };
        program(&set.path(), SCRIPT.as_bytes());
        set.put(more).await.unwrap();
        set
    }

    fn path(&self) -> PathBuf {
        self.outside.path().join("fakecli")
    }

    async fn put(&self, more: Value) -> Result<Value, toolkeep::Error> {
        let mut args = json!({
            "binary_name": "fakecli",
            "binary_path": self.path(),
            "encrypted_env": { "FAKE_TOKEN": token(), "FAKE_REGION": { "kind": "value", "value": "eu-north" } },
            "deny_args": [r"secret\s+", "delete"],
            "deny_verbose": ["--verbose", "-v"],
        });
        for (name, value) in more.as_object().unwrap() {
            args[name] = value.clone();
        }
        self.house.rt.invoke("clis.put", args).await
    }

    async fn call(&self, words: Value) -> ToolResult {
        self.house.call("credentialed_exec", json!({ "command": words })).await
    }

    async fn exec(&self, command: &str) -> ToolResult {
        self.house.call("exec", json!({ "command": command })).await
    }

    async fn as_agent(&self, agent: &str, command: &str) -> ToolResult {
        let cx = CallContext::new().session("s").agent(agent).user("u");
        self.house.rt.call(&cx, "exec", json!({ "command": command })).await.unwrap()
    }
}

fn holds_no_credential(text: &str) {
    let token = token();
    let reversed: String = token.chars().rev().collect();
    let hex: String = token.bytes().map(|byte| format!("{byte:02x}")).collect();
    for form in [token.as_str(), &reversed, &hex, "wandering"] {
        assert!(!text.contains(form), "{text}");
    }
}

#[tokio::test]
async fn a_cli_gets_its_variables_and_its_words_and_no_shell() {
    let set = Set::new().await;
    let result = set.call(json!(["fakecli", "argv", "a b", "$HOME", "*", "x|y"])).await;
    assert_eq!(result.for_llm, "[argv]\n[a b]\n[$HOME]\n[*]\n[x|y]\n");
    let result = set.exec("fakecli argv 'a; b' \"c\"").await;
    assert_eq!(result.for_llm, "[argv]\n[a; b]\n[c]\n");
    let result = set.call(json!("fakecli env")).await;
    assert!(!result.is_error, "{}", result.for_llm);
    let mut names: Vec<&str> =
        result.for_llm.lines().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    names.retain(|name| {
        !["_", "SHLVL", "OLDPWD", "LC_ALL", "LC_CTYPE", "TZ", "SSL_CERT_FILE", "SSL_CERT_DIR"]
            .contains(name)
    });
    names.sort_unstable();
    let expected = [
        "FAKE_REGION",
        "FAKE_TOKEN",
        "HOME",
        "LANG",
        "NO_COLOR",
        "PATH",
        "PWD",
        "TERM",
        "TMPDIR",
        "USER",
    ];
    assert_eq!(names, expected);
    assert!(result.for_llm.contains("FAKE_REGION=eu-north"), "{}", result.for_llm);
    holds_no_credential(&result.for_llm);
}

#[tokio::test]
async fn what_a_cli_writes_of_its_credential_is_masked_in_every_encoding_and_record() {
    let set = Set::new().await;
    for how in ["clear", "base64", "reversed", "hex", "error"] {
        let result = set.call(json!(["fakecli", how])).await;
        let shown = format!("{result:?}");
        assert!(shown.contains("[REDACTED:fake-token:"), "{how}: {shown}");
        holds_no_credential(&shown);
    }
    for operation in ["audit.query", "events.read", "clis.list", "credentials.list"] {
        let expected = set.house.rt.invoke(operation, json!({})).await.unwrap().to_string();
        holds_no_credential(&expected);
    }
}

#[tokio::test]
async fn a_long_output_of_a_cli_is_masked_and_can_be_paged() {
    let set = Set::new().await;
    let result = set.call(json!(["fakecli", "much"])).await;
    assert!(!result.is_error, "{}", result.for_llm);
    assert!(result.for_llm.contains("0 [REDACTED:fake-token:"), "{}", result.for_llm);
    assert!(result.for_llm.len() < 100_000, "{} bytes are shown", result.for_llm.len());
    holds_no_credential(&result.for_llm);
    let id = result.artifact.unwrap();
    for offset in [0, 9_999, 19_990] {
        let args = json!({ "path": format!("artifact:{id}"), "offset": offset, "limit": 20 });
        let page = set.house.call("read_file", args).await.for_llm;
        assert!(page.contains(&format!("{offset} [REDACTED:fake-token:")), "{page}");
        holds_no_credential(&page);
    }
}

#[tokio::test]
async fn other_commands_neither_see_its_file_nor_its_environment() {
    let set = Set::new().await;
    let folder = set.house.folder.path();
    let at = set.path().display().to_string();
    let script = format!(
        "{at} clear\ncp {at} copy; ./copy clear\nsh {at} clear\ncat {at}\nenv\n\
         cat /proc/*/environ | tr '\\0' '\\n' | grep FAKE\n"
    );
    fs::write(folder.join("attack.sh"), script).unwrap();
    let hold = set.call(json!(["fakecli", "hold"]));
    let attack = async {
        tokio::time::sleep(std::time::Duration::from_millis(500)).await;
        set.exec("bash ./attack.sh").await
    };
    let (held, attacked) = tokio::join!(hold, attack);
    assert_eq!(held.for_llm, "held\n");
    assert!(!attacked.for_llm.contains("FAKE"), "{}", attacked.for_llm);
    holds_no_credential(&attacked.for_llm);
    assert!(attacked.for_llm.contains("PATH="), "{}", attacked.for_llm);
}

#[tokio::test]
async fn a_cli_reaches_what_its_owner_gives_it_and_nothing_else() {
    let listeners = [(); 2].map(|()| std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let [one, other] = listeners.each_ref().map(|at| at.local_addr().unwrap().port().to_string());
    let one_of_both = json!([format!("localhost:{one}")]);
    for (network, wanted, expected) in [
        (json!(null), ["open", "open"], "all"),
        (json!(true), ["open", "open"], "all"),
        (one_of_both.clone(), ["open", "closed"], "hosts"),
        (json!(false), ["closed", "closed"], "nothing"),
    ] {
        let set = Set::with(json!({ "network": network })).await;
        for (port, wanted) in [&one, &other].into_iter().zip(wanted) {
            let result = set.call(json!(["fakecli", "connect", "localhost", port])).await;
            assert_eq!(result.for_llm.lines().next(), Some(wanted), "{network} {port}");
            let reported = &result.structured.unwrap()["confinement"]["network"];
            assert_eq!(reported, expected, "{network}");
        }
    }
    let set = Set::new().await;
    for (bad, why) in [
        (json!(["http://a.example/"]), "`http://a.example/` is no host"),
        (json!(["a.example:99999"]), "`a.example:99999` is no host"),
        (json!("a.example"), "`network`: expected `true`, `false`, or a list of hosts"),
    ] {
        let error = set.put(json!({ "network": bad })).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument);
        assert!(error.message().contains(why), "{}", error.message());
    }
}

#[tokio::test]
async fn one_in_a_bigger_command_is_refused_with_what_to_do() {
    let set = Set::new().await;
    let at = set.path().display().to_string();
    for command in [
        "fakecli clear | cat".to_owned(),
        "env fakecli clear".to_owned(),
        format!("{at} clear | cat"),
        format!("ln -s {at} x"),
        format!("cp {at} x"),
        format!("sh {at} clear"),
    ] {
        let result = set.exec(&command).await;
        assert_eq!(result.rule.as_deref(), Some("cli.shape"), "{command}: {}", result.for_llm);
        assert!(result.for_llm.contains("`credentialed_exec`"), "{}", result.for_llm);
    }
    // Its own path is its name.
    assert_eq!(set.exec(&format!("{at} argv")).await.for_llm, "[argv]\n");
    // A link and a copy that stand there already are noticed by what they are.
    symlink(set.path(), set.house.folder.path().join("linked")).unwrap();
    fs::copy(set.path(), set.house.folder.path().join("copied")).unwrap();
    for command in ["./linked clear", "./copied clear"] {
        let result = set.exec(command).await;
        assert_eq!(result.rule.as_deref(), Some("cli.shape"), "{command}: {}", result.for_llm);
    }
    let other = set.call(json!(["ls"])).await;
    assert!(other.is_error && other.for_llm.contains("`fakecli`"), "{}", other.for_llm);
}

#[tokio::test]
async fn what_is_denied_does_not_run() {
    let set = Set::new().await;
    for words in [
        json!(["fakecli", "secret", "set"]),
        json!(["fakecli", "x", "--y", "DELETE"]),
        json!(["fakecli", "argv", "-v"]),
        json!(["fakecli", "argv", "--verb"]),
        json!(["fakecli", "argv", "/proc/self/environ"]),
    ] {
        let result = set.call(words.clone()).await;
        assert_eq!(result.code, Some(Code::CommandDenied), "{words}: {}", result.for_llm);
    }
    symlink("/proc/self/environ", set.house.folder.path().join("link")).unwrap();
    let result = set.call(json!(["fakecli", "argv", "@link"])).await;
    assert_eq!(result.code, Some(Code::CommandDenied), "{}", result.for_llm);
}

#[tokio::test]
async fn a_binary_that_others_can_change_or_have_changed_is_refused() {
    let set = Set::new().await;
    program(&set.path(), SCRIPT.replace("held", "kept").as_bytes());
    let result = set.call(json!(["fakecli", "argv"])).await;
    assert_eq!(result.code, Some(Code::Unavailable));
    assert!(result.for_llm.contains("not the one that was registered"), "{}", result.for_llm);
    set.put(json!({})).await.unwrap();
    assert_eq!(set.call(json!(["fakecli", "argv"])).await.for_llm, "[argv]\n");
    fs::set_permissions(set.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let result = set.call(json!(["fakecli", "argv"])).await;
    assert_eq!(result.code, Some(Code::Unavailable), "{}", result.for_llm);
    let refused = set.put(json!({})).await.unwrap_err();
    assert!(refused.message().contains("chmod go-w"), "{refused}");
    let inside = set.house.folder.path().join("fakecli");
    program(&inside, SCRIPT.as_bytes());
    let refused = set.put(json!({ "binary_path": inside })).await.unwrap_err();
    assert!(refused.message().contains("which agents write"), "{refused}");
    let folder = set.outside.path();
    fs::set_permissions(set.path(), fs::Permissions::from_mode(0o755)).unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(set.put(json!({})).await.is_err());
    let refused = set.put(json!({ "binary_path": "/bin/sh" })).await.unwrap_err();
    assert!(refused.message().contains("not named `fakecli`"), "{refused}");
}

#[tokio::test]
async fn a_compiled_program_runs_by_its_opened_file() {
    let set = Set::new().await;
    let path = set.outside.path().join("envcli");
    program(&path, &fs::read("/usr/bin/env").unwrap());
    let args = json!({
        "binary_name": "ENVCLI", "binary_path": path, "encrypted_env": { "A_KEY": token() },
    });
    let info = set.house.rt.invoke("clis.put", args).await.unwrap();
    assert_eq!(info["binary_name"], "envcli");
    let result = set.exec("envcli").await;
    assert!(result.for_llm.contains("A_KEY=[REDACTED:"), "{}", result.for_llm);
    assert!(!result.for_llm.contains("FAKE_TOKEN"), "{}", result.for_llm);
    holds_no_credential(&result.for_llm);
}

#[tokio::test]
async fn its_home_folder_is_empty_and_new_and_its_input_is_given() {
    let set = Set::new().await;
    let first = set.call(json!(["fakecli", "home"])).await;
    let second = set.call(json!(["fakecli", "home"])).await;
    // The folder of private files has another name each time.
    let names = |text: &str| {
        text.lines()
            .filter(|line| !line.starts_with("files-"))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_ne!(first.for_llm, second.for_llm);
    assert_eq!(names(&first.for_llm), names(&second.for_llm));
    assert!(!second.for_llm.contains("left"), "{}", second.for_llm);
    let args = json!({ "command": ["fakecli", "in"], "stdin": "given" });
    assert_eq!(set.house.call("credentialed_exec", args).await.for_llm, "given");
}

#[tokio::test]
async fn no_argument_leads_to_its_private_files_or_to_what_processes_hold() {
    let set = Set::new().await;
    symlink("/proc", set.house.folder.path().join("pe")).unwrap();
    symlink("/tmp", set.house.folder.path().join("home")).unwrap();
    for word in [
        "/proc/self/environ",
        "file://pe/self/environ",
        "--from=pe/self/environ",
        "-fpe/self/environ",
        "/tmp",
        "/tmp/",
        "@home",
        "--into=home/.",
        "~",
        "~/",
        "~/x/..",
        "../../../../../../../..",
    ] {
        // The same refusal over and over is a loop.
        set.call(json!(["fakecli", "argv", format!("before {word}")])).await;
        let refused = set.call(json!(["fakecli", "argv", word])).await;
        assert_eq!(refused.code, Some(Code::CommandDenied), "{word}: {}", refused.for_llm);
        assert!(refused.for_llm.contains(" leads to "), "{}", refused.for_llm);
    }
    for word in ["/", "~x", "notes~", "/tmp/x", "~/x", "a=b", "https://a.example/~", "pe"] {
        let ran = set.call(json!(["fakecli", "argv", word])).await;
        assert_eq!(ran.for_llm, format!("[argv]\n[{word}]\n"));
    }
}

#[tokio::test]
async fn one_that_is_not_granted_is_refused_in_every_spelling() {
    let set = Set::with(json!({ "is_global": false })).await;
    let spellings = ["fakecli argv", "FAKECLI argv", "sh -c 'fakecli argv'", "fakecli argv | cat"];
    for command in spellings {
        let result = set.as_agent("a", command).await;
        assert_eq!(result.code, Some(Code::AccessDenied), "{command}: {}", result.for_llm);
        assert_eq!(result.rule.as_deref(), Some("cli.grant"));
    }
    let grant = |effect: &str, more: Value| {
        let mut args =
            json!({ "kind": "cli", "resource": "fakecli", "agent": "a", "effect": effect });
        for (name, value) in more.as_object().unwrap() {
            args[name] = value.clone();
        }
        args
    };
    let rt = &set.house.rt;
    rt.invoke("grants.put", grant("allow", json!({}))).await.unwrap();
    assert_eq!(set.as_agent("a", "fakecli argv").await.for_llm, "[argv]\n");
    assert_eq!(set.as_agent("b", "fakecli argv").await.code, Some(Code::AccessDenied));
    rt.invoke("grants.put", grant("deny", json!({ "user": "u" }))).await.unwrap();
    assert_eq!(set.as_agent("a", "fakecli argv").await.code, Some(Code::AccessDenied));
    // A grant has its own patterns, and a wrong one is told where it is made.
    let bad = grant("allow", json!({ "user": "u", "settings": { "deny_args": ["("] } }));
    let refused = rt.invoke("grants.put", bad).await.unwrap_err();
    assert!(refused.message().contains("`deny_args[0]`"), "{refused}");
    let own = grant("allow", json!({ "user": "u", "settings": { "deny_args": ["argv"] } }));
    rt.invoke("grants.put", own).await.unwrap();
    assert_eq!(set.as_agent("a", "fakecli argv").await.code, Some(Code::CommandDenied));
    assert!(set.as_agent("a", "fakecli clear").await.for_llm.contains("[REDACTED:"));
    // Whoever was started by one that has no grant has none.
    let mut cx = CallContext::new().agent("a");
    let mut caller = cx.caller().clone();
    caller.parent = Some(Box::new(CallContext::new().agent("b").caller().clone()));
    caller.depth = 1;
    cx = CallContext::from(caller);
    let result = rt.call(&cx, "exec", json!({ "command": "fakecli clear" })).await.unwrap();
    assert_eq!(result.code, Some(Code::AccessDenied), "{}", result.for_llm);
}

#[tokio::test]
async fn what_is_denied_to_an_agent_is_denied_to_those_that_it_starts() {
    let set = Set::with(json!({ "is_global": false })).await;
    for (agent, settings) in [
        ("above", json!({ "deny_args": ["argv"], "timeout_seconds": 1 })),
        ("below", json!({ "deny_args": ["home"], "timeout_seconds": 30 })),
    ] {
        let grant = json!({
            "kind": "cli", "resource": "fakecli", "agent": agent, "effect": "allow",
            "settings": settings,
        });
        set.house.rt.invoke("grants.put", grant).await.unwrap();
    }
    let started = |command: &'static str| {
        let mut caller = CallContext::new().session("s").agent("below").caller().clone();
        let above = CallContext::new().session("s").agent("above").caller().clone();
        (caller.parent, caller.depth) = (Some(Box::new(above)), 1);
        let rt = set.house.rt.clone();
        async move {
            let args = json!({ "command": command });
            rt.call(&CallContext::from(caller), "exec", args).await.unwrap()
        }
    };
    for command in ["fakecli argv", "fakecli home"] {
        let result = started(command).await;
        assert_eq!(result.code, Some(Code::CommandDenied), "{command}: {}", result.for_llm);
    }
    assert_eq!(started("fakecli size").await.for_llm, "8 0\n");
    let result = started("fakecli hold").await;
    assert_eq!(result.code, Some(Code::Timeout), "{}", result.for_llm);
    // Alone it is held to its own.
    assert_eq!(set.as_agent("below", "fakecli argv").await.for_llm, "[argv]\n");
}

#[tokio::test]
async fn credentials_of_agents_and_users_lie_on_top() {
    let set = Set::new().await;
    let rt = &set.house.rt;
    let put = |more: Value| {
        let mut args = json!({ "name": "fakecli" });
        for (name, value) in more.as_object().unwrap() {
            args[name] = value.clone();
        }
        rt.invoke("credentials.put", args)
    };
    put(json!({ "agent": "a", "env": { "FAKE_REGION": "ag", "MORE": "agents" } })).await.unwrap();
    put(json!({ "user": "u", "env": { "FAKE_REGION": "the-users" } })).await.unwrap();
    assert_eq!(set.as_agent("a", "fakecli size").await.for_llm, "9 6\n");
    assert_eq!(set.as_agent("b", "fakecli size").await.for_llm, "9 0\n");
    assert_eq!(set.call(json!(["fakecli", "size"])).await.for_llm, "8 0\n");
    let bad = put(json!({ "name": "cli/fakecli", "env": { "A": "b" } })).await.unwrap_err();
    assert!(bad.message().contains("clis.put"), "{bad}");
}

#[tokio::test]
async fn what_the_seeds_write_loads_as_written_and_updates_keep_what_is_left_out() {
    let set = Set::new().await;
    let rt = &set.house.rt;
    let seeds = json!({
        "binary_name": " GH ", "encrypted_env": { "GH_TOKEN": token() },
        "deny_args": [r"auth\s+", r"repo\s+delete"], "deny_verbose": ["--verbose", "-v"],
        "tips": "Use --json.",
    });
    let info = rt.invoke("clis.put", seeds).await.unwrap();
    assert_eq!((&info["binary_name"], &info["timeout_seconds"]), (&json!("gh"), &json!(30)));
    assert_eq!(info["is_global"], true);
    holds_no_credential(&info.to_string());
    for (field, value) in [("deny_args", json!(["("])), ("deny_verbose", json!(["a{2,1}"]))] {
        let refused = set.put(json!({ field: value })).await.unwrap_err();
        assert_eq!(refused.code(), Code::InvalidArgument);
        assert!(refused.message().contains(&format!("`{field}[0]`")), "{refused}");
    }
    let refused = set.put(json!({ "encrypted_env": { "PATH": "x", "LD_PRELOAD": "y" } })).await;
    assert!(refused.unwrap_err().message().contains("LD_PRELOAD, PATH"));
    set.put(json!({ "encrypted_env": { "FAKE_TOKEN": "" } })).await.unwrap();
    assert!(set.call(json!(["fakecli", "clear"])).await.for_llm.contains("[REDACTED:"));
    let missing = json!({
        "binary_name": "rapidapi", "binary_path": "/usr/bin/rapidapi", "preset": "rapidapi",
    });
    rt.invoke("clis.put", missing).await.unwrap();
    let result = set.call(json!(["rapidapi", "list"])).await;
    assert!(result.for_llm.contains("RAPIDAPI_KEY is not set"), "{}", result.for_llm);
}

#[tokio::test]
async fn a_prompt_names_the_clis_of_its_agent_and_no_others() {
    let set = Set::with(json!({ "is_global": false, "tips": "Be kind to it." })).await;
    let rt = &set.house.rt;
    let merge = json!({ "agent": "a", "base": [{ "name": "TOOLS.md", "text": "Own text.\n" }] });
    let expected = rt.invoke("context_files.merge", merge.clone()).await.unwrap();
    assert_eq!(expected[0]["text"], "Own text.\n");
    let grant = json!({ "kind": "cli", "resource": "fakecli", "agent": "a", "effect": "allow" });
    rt.invoke("grants.put", grant).await.unwrap();
    let expected = rt.invoke("context_files.merge", merge).await.unwrap();
    let text = expected[0]["text"].as_str().unwrap();
    assert!(text.starts_with("Own text.\n\n## Credentialed CLIs"), "{text}");
    assert!(text.contains("Be kind to it.") && text.contains("`secret`"), "{text}");
    let other = rt.invoke("context_files.merge", json!({ "agent": "b" })).await.unwrap();
    assert_eq!(other, json!([]));
}

#[tokio::test]
async fn git_works_in_a_repository_that_runs_nothing_of_its_own() {
    let set = Set::new().await;
    let git = json!({
        "binary_name": "git", "preset": "git",
        "encrypted_env": { "GIT_HOST": { "kind": "value", "value": "git.example" }, "GIT_TOKEN": token() },
    });
    let info = set.house.rt.invoke("clis.put", git).await.unwrap();
    assert!(info["binary"]["digest"].is_string(), "{info}");
    let made = set.exec("git init -q r").await;
    assert!(!made.is_error, "{}", made.for_llm);
    let state = set.exec("git -C r status --short --branch").await;
    assert!(state.for_llm.contains("No commits yet"), "{}", state.for_llm);
    // A hook stands where git would run it.
    let hook = set.house.folder.path().join("r/.git/hooks/pre-commit");
    fs::create_dir_all(hook.parent().unwrap()).unwrap();
    program(&hook, b"#!/bin/sh\nenv > ran\n");
    let commit = "git -C r -c user.name=n -c user.email=e commit -q --allow-empty -m m";
    let done = set.exec(commit).await;
    assert!(!done.is_error, "{}", done.for_llm);
    assert!(!set.house.folder.path().join("r/ran").exists());
    let config = set.house.folder.path().join("r/.git/config");
    let plain = fs::read_to_string(&config).unwrap();
    for harmful in
        ["[alias]\n x = !env\n", "[filter \"x\"]\n clean = env\n", "[http]\n proxy = x\n"]
    {
        fs::write(&config, format!("{plain}{harmful}")).unwrap();
        let result = set.exec("git -C r status").await;
        assert_eq!(result.code, Some(Code::Unavailable), "{harmful}: {}", result.for_llm);
        assert!(result.for_llm.contains("which would run"), "{}", result.for_llm);
    }
}
