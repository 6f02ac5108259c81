//! What an agent tries with second names (hard links) of files that it must not write: with real files.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;

use serde_json::{Value, json};
use toolkeep::{CallContext, Config, Runtime, ToolResult};

use crate::support::{as_nobody, deny_namespaces, half, passes};

/// Names the profile in which the agent runs.
const PROFILE: &str = "TOOLKEEP_TEST_LINKS";

#[test]
fn no_second_name_of_a_file_lets_a_command_write_it() {
    attack_as("workspace");
    attack_as("workspace+network");
}

#[test]
fn no_second_name_of_a_file_lets_a_command_write_it_where_the_host_is_not_privileged() {
    attack_as("unprivileged");
}

#[test]
fn without_namespaces_a_second_name_of_a_file_elsewhere_keeps_commands_from_running() {
    attack_as("landlock");
}

#[cfg(feature = "docker")]
#[test]
fn in_a_container_no_second_name_of_a_file_lets_a_command_write_it() {
    attack_as("docker");
}

fn attack_as(profile: &str) {
    let folder = tempfile::tempdir_in("/var").unwrap();
    let mut attack = half("attacks_links::an_agent_with_second_names");
    attack.env(PROFILE, profile).env("HOME", folder.path()).env("TMPDIR", "/tmp");
    if profile == "unprivileged" {
        as_nobody(&mut attack, &[folder.path()]);
    }
    passes(attack);
}

/// A workspace, and files that are not to be written.
struct Attacked {
    rt: Runtime,
    /// In which all of it lies.
    at: PathBuf,
    profile: String,
}

impl Attacked {
    async fn new(profile: &str) -> Attacked {
        let at = PathBuf::from(std::env::var("HOME").unwrap());
        for folder in
            ["work/.git/hooks", "work/closed", "work/docs", "work/deep/er", "handbook/a", ".ssh"]
        {
            fs::create_dir_all(at.join(folder)).unwrap();
        }
        let mut exec = json!({});
        match profile {
            "docker" => exec["sandbox"] = container(),
            "landlock" => deny_namespaces(),
            "unprivileged" => {}
            profile => exec["confinement"] = json!(profile),
        }
        let files = json!({
            "read_roots": [at.join("handbook"), at.join("work/docs")],
            "deny": ["closed", "*.pem"],
        });
        let config = json!({
            "workspace": at.join("work"),
            "store": format!("sqlite:{}/agent.db", at.display()),
            "approval": { "external": false },
            "exec": exec,
            "files": files,
        });
        let rt = Runtime::builder().config(Config::from_value(config).unwrap()).build();
        Attacked { rt: rt.await.unwrap(), at, profile: profile.to_owned() }
    }

    async fn run(&self, text: &str) -> ToolResult {
        fs::write(self.at.join("work/attack.sh"), text).unwrap();
        let cx = CallContext::new().session("s");
        let args = json!({ "command": "sh ./attack.sh" });
        self.rt.call(&cx, "exec", args).await.unwrap()
    }

    /// Tries everything to a second name of a file, which stays as it was.
    async fn is_kept(&self, file: &str) {
        let file = self.at.join(file);
        if !file.exists() {
            fs::write(&file, "as it was\n").unwrap();
        }
        let before = fs::read(&file).unwrap();
        for name in ["second", "deep/er/second"] {
            let second = self.at.join("work").join(name);
            fs::hard_link(&file, &second).unwrap();
            let moves = match name.starts_with("deep") {
                true => {
                    "mv deep moved; mv deep/er moved; echo x >> moved/er/second; echo x >> moved/second"
                }
                false => "mv second moved; echo x >> moved",
            };
            let text = format!(
                "echo x >> {name}; echo x > {name}; truncate -s 0 {name}; chmod 777 {name}\n\
                 python3 -c 'open(\"{name}\", \"r+\").write(\"x\")'\n\
                 ln {name} third; echo x >> third; {moves}; echo end"
            );
            let result = self.run(&text).await;
            assert_eq!(fs::read(&file).unwrap(), before, "{}: {}", file.display(), result.for_llm);
            assert!(second.exists(), "{}", result.for_llm);
            assert!(result.for_llm.contains("end\n"), "{}", result.for_llm);
            fs::remove_file(second).unwrap();
            let _ = fs::remove_file(self.at.join("work/third"));
        }
    }

    async fn keeps_what_is_guarded_closed_read_only_or_its_own(&self) {
        let mut files = vec![
            "work/AGENTS.md",
            "work/.git/config",
            "work/.git/hooks/pre-commit",
            "work/closed/deep.txt",
            "work/key.pem",
            "work/docs/a.txt",
            "handbook/a/b.txt",
            "agent.db",
        ];
        if self.profile != "docker" {
            // A container has no home folder of the machine's.
            files.push(".ssh/id_ed25519");
        }
        for file in files {
            self.is_kept(file).await;
        }
        let ours = self.run("echo own > own; ln own other; echo x >> other; cat own").await;
        assert_eq!(ours.for_llm, "own\nx\n", "its own files may have any names");
    }

    /// The agent makes the link before there is anything to guard.
    async fn keeps_what_got_its_name_from_the_agent(&self) {
        let _ = fs::remove_file(self.at.join("work/CLAUDE.md"));
        let made = self.run("echo first > prepared; ln prepared CLAUDE.md").await;
        assert!(made.for_llm.contains("CLAUDE.md came while it ran"), "{}", made.for_llm);
        let result =
            self.run("echo x >> prepared; echo x >> CLAUDE.md; ln CLAUDE.md more; echo end").await;
        assert!(result.for_llm.contains("end\n"), "{}", result.for_llm);
        let text = fs::read_to_string(self.at.join("work/CLAUDE.md")).unwrap();
        assert_eq!(text, "first\n", "{}", result.for_llm);
        // A folder that nobody looks into hides no name.
        fs::create_dir(self.at.join("work/shut")).unwrap();
        fs::rename(self.at.join("work/prepared"), self.at.join("work/shut/prepared")).unwrap();
        let shut =
            |mode| fs::set_permissions(self.at.join("work/shut"), fs::Permissions::from_mode(mode));
        shut(0o000).unwrap();
        let result = self.run("chmod 700 shut; echo x >> shut/prepared; echo end").await;
        shut(0o700).unwrap();
        let text = fs::read_to_string(self.at.join("work/CLAUDE.md")).unwrap();
        assert_eq!(text, "first\n", "{}", result.for_llm);
    }

    /// By commands whose writing is understood, and by the tools for files.
    async fn protects_it_from_understood_commands_and_file_tools(&self) {
        let file = self.at.join("work/AGENTS.md");
        let second = self.at.join("work/notes.txt");
        let before = fs::read_to_string(&file).unwrap();
        fs::hard_link(&file, &second).unwrap();
        let cx = CallContext::new().session("s");
        for command in [
            "echo x >> notes.txt",
            "tee -a notes.txt < attack.sh",
            "sed -i s/w/x/ notes.txt",
            "cp attack.sh notes.txt",
        ] {
            let _ = self.rt.call(&cx, "exec", json!({ "command": command })).await.unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), before, "{command}");
        }
        for command in [
            "ln AGENTS.md linked",
            "ln -f AGENTS.md linked && echo x >> linked",
            "cp -l AGENTS.md linked",
        ] {
            let _ = self.rt.call(&cx, "exec", json!({ "command": command })).await.unwrap();
            let _ = self.run("echo x >> linked").await;
            assert_eq!(fs::read_to_string(&file).unwrap(), before, "{command}");
        }
        let append = json!({ "path": "notes.txt", "content": "x", "append": true });
        let write = json!({ "path": "notes.txt", "content": "x" });
        for args in [append, write] {
            let _ = self.rt.call(&cx, "write_file", args).await.unwrap();
            assert_eq!(fs::read_to_string(&file).unwrap(), before);
        }
    }
}

#[tokio::test]
async fn an_agent_with_second_names() {
    let Ok(profile) = std::env::var(PROFILE) else { return };
    let attacked = Attacked::new(&profile).await;
    let namespaces = attacked.rt.capabilities().await.unwrap().namespaces;
    if profile == "landlock" || profile == "unprivileged" && !namespaces {
        assert!(!namespaces);
        without_namespaces(&attacked).await;
    } else {
        attacked.keeps_what_is_guarded_closed_read_only_or_its_own().await;
        attacked.keeps_what_got_its_name_from_the_agent().await;
        attacked.protects_it_from_understood_commands_and_file_tools().await;
    }
    attacked.rt.close().await.unwrap();
}

/// There nothing stands around a file in a folder that may be written.
async fn without_namespaces(attacked: &Attacked) {
    for file in ["handbook/a/b.txt", ".ssh/id_ed25519", "agent.db"] {
        let file = attacked.at.join(file);
        if !file.exists() {
            fs::write(&file, "as it was\n").unwrap();
        }
        let before = fs::read(&file).unwrap();
        let second = attacked.at.join("work/second");
        fs::hard_link(&file, &second).unwrap();
        let result = attacked.run("echo x >> second").await;
        assert!(result.for_llm.contains("work/second` is another name"), "{}", result.for_llm);
        assert_eq!(fs::read(&file).unwrap(), before, "{}", result.for_llm);
        fs::remove_file(second).unwrap();
        assert_eq!(attacked.run("echo fine").await.for_llm, "fine\n");
        let linked = format!("ln {} third; echo x >> third; echo end", file.display());
        let result = attacked.run(&linked).await;
        assert!(result.for_llm.starts_with("end\n"), "{}", result.for_llm);
        assert_eq!(fs::read(&file).unwrap(), before, "{}", result.for_llm);
        let _ = fs::remove_file(attacked.at.join("work/third"));
    }
}

#[cfg(feature = "docker")]
fn container() -> Value {
    let socket = toolkeep_test_docker::Engine::shared().socket();
    json!({ "mode": "all", "image": toolkeep_test_docker::IMAGE, "socket": socket })
}

#[cfg(not(feature = "docker"))]
fn container() -> Value {
    panic!("this build has no containers")
}
