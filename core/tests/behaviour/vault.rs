//! What becomes of a masked secret when the model gives its placeholder back.

use std::sync::{Arc, Mutex};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use toolkeep::clock::ManualClock;
use toolkeep::kind::{Capability, Resource};
use toolkeep::tool::Assessment;
use toolkeep::{
    ApprovalAnswer, Approve, CallContext, CallRequest, Code, Config, Runtime, Tool, ToolError,
    ToolResult, ToolSpec, handler_fn,
};

/// A tool that takes anything, remembers it, and says it again.
#[derive(Clone, Default)]
pub struct Sends {
    pub name: &'static str,
    pub got: Arc<Mutex<Vec<Value>>>,
    pub writes: Option<&'static str>,
    /// What it says to the user.
    pub says: Option<String>,
    pub fails: bool,
}

impl Sends {
    pub fn named(name: &'static str) -> Sends {
        Sends { name, ..Sends::default() }
    }

    pub fn got(&self) -> Vec<Value> {
        self.got.lock().unwrap().clone()
    }
}

impl Tool for Sends {
    fn spec(&self) -> ToolSpec {
        let spec = ToolSpec::new(self.name, "Sends.").capability(Capability::OpenWorld);
        ToolSpec { needs_approval: self.name == "asks", ..spec }
    }

    fn assess(&self, _: &Value, _: &CallContext) -> Assessment {
        let writes = |path: &str| Assessment::writes(Resource::Path(path.into()));
        self.writes.map_or_else(Assessment::default, writes)
    }

    fn call(&self, args: Value, _: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        self.got.lock().unwrap().push(args.clone());
        let (fails, says) = (self.fails, self.says.clone());
        async move {
            match fails {
                true => Err(ToolError::raise(toolkeep::Error::new(
                    Code::StoreUnavailable,
                    format!("refused {args}"),
                ))),
                false => {
                    let sent = ToolResult::data(json!({ "sent": args }));
                    Ok(ToolResult { for_user: says, ..sent })
                }
            }
        }
        .boxed()
    }
}

pub struct House {
    pub rt: Runtime,
    folder: tempfile::TempDir,
    pub send: Sends,
    clock: Arc<ManualClock>,
}

pub async fn house_with(send: Sends, config: Value) -> House {
    let folder = tempfile::tempdir().unwrap();
    let mut whole = json!({ "vault": { "enabled": true }, "workspace": folder.path() });
    for (key, value) in config.as_object().unwrap() {
        whole[key] = value.clone();
    }
    let clock = Arc::new(ManualClock::at(1_000_000));
    let config = Config::from_value(whole).unwrap();
    let builder = Runtime::builder().config(config).tool(send.clone()).clock(clock.clone());
    House { rt: builder.build().await.unwrap(), folder, send, clock }
}

pub async fn house(config: Value) -> House {
    house_with(Sends::named("send"), config).await
}

impl House {
    pub fn put(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.folder.path().join(name)).unwrap()
    }

    async fn call_in(&self, session: &str, name: &str, args: Value) -> ToolResult {
        self.rt.call(&CallContext::new().session(session), name, args).await.unwrap()
    }

    pub async fn call(&self, name: &str, args: Value) -> ToolResult {
        self.call_in("s", name, args).await
    }

    pub async fn read(&self, name: &str) -> String {
        let read = self.call("read_file", json!({ "path": name })).await;
        assert!(!read.is_error, "{read:?}");
        read.for_llm
    }

    pub async fn bind(&self, more: Value) -> Value {
        let mut args = json!({ "session": "s" });
        for (key, value) in more.as_object().unwrap() {
            args[key] = value.clone();
        }
        self.rt.invoke("vault.bind", args).await.unwrap()
    }
}

/// A password that could be guessed, one that could not, and a key of several lines.
const GUESSABLE: &str = "hunter2hunter2";
fn generated() -> String {
    ["q7Rz", "Vn2x", "Kp9w", "Lt4m", "Hd8s", "Yb3c"].concat()
}

fn url(password: &str) -> String {
    format!("postgres://app:{password}@db.internal:5432/app")
}

fn pem() -> String {
    let line = "MIIEowIBAAKCAQEAu1SU1LfVLPHCozMxH2Mo4lgOEePzNm0tRgeLezV6ffAt0gun";
    format!("-----BEGIN {0}-----\n{line}\n{line}\n-----END {0}-----", "RSA PRIVATE KEY")
}

fn env() -> String {
    format!("NAME=app\nONE={}\nTWO={}\n{}\nLAST=1\n", url(GUESSABLE), url(&generated()), pem())
}

pub fn placeholders(text: &str) -> Vec<String> {
    let pattern = regex::Regex::new(r"\[REDACTED:[a-z0-9-]+:[a-z0-9]+\]").unwrap();
    pattern.find_iter(text).map(|found| found.as_str().to_owned()).collect()
}

#[tokio::test]
async fn a_rewritten_file_keeps_its_secrets_byte_for_byte() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let shown = house.read("a.env").await;
    assert_eq!(placeholders(&shown).len(), 3, "{shown}");
    let changed = shown.replace("NAME=app", "NAME=other");
    let wrote = house.call("write_file", json!({ "path": "a.env", "content": changed })).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
    assert_eq!(house.text("a.env"), env().replace("NAME=app", "NAME=other"));
    let again = house.read("a.env").await;
    assert!(!again.contains(GUESSABLE) && !again.contains(&generated()), "{again}");
}

#[tokio::test]
async fn an_edit_finds_and_puts_back_what_placeholders_stand_for() {
    for ends in ["\n", "\r\n"] {
        let house = house(json!({})).await;
        house.put("a.env", &env().replace('\n', ends));
        let shown = house.read("a.env").await.replace("\r\n", "\n");
        let new = shown.replace("LAST=1", "LAST=2");
        let args = json!({ "path": "a.env", "old_string": shown, "new_string": new });
        let edited = house.call("edit", args).await;
        assert!(!edited.is_error, "{}", edited.for_llm);
        let expected = env().replace("LAST=1", "LAST=2").replace('\n', ends);
        assert_eq!(house.text("a.env"), expected);
    }
}

#[tokio::test]
async fn a_file_that_is_reached_through_a_link_is_the_same_file_and_a_swapped_one_is_not() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let at = |name: &str| house.folder.path().join(name);
    std::os::unix::fs::symlink("a.env", at("link")).unwrap();
    let shown = house.read("link").await;
    let args = json!({ "path": "a.env", "content": shown });
    assert!(!house.call("write_file", args.clone()).await.is_error);
    assert_eq!(house.text("a.env"), env());
    std::fs::remove_file(at("a.env")).unwrap();
    std::os::unix::fs::symlink("public.txt", at("a.env")).unwrap();
    let refused = house.call("write_file", args).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound));
    assert!(!at("public.txt").exists());
}

#[tokio::test]
async fn another_file_gets_a_secret_only_if_it_is_bound_to_it() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    let write = |path: &str| json!({ "path": path, "content": format!("x {secret}") });
    let refused = house.call("write_file", write("out/b.txt")).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound));
    assert!(refused.for_llm.contains(&secret) && refused.for_llm.contains("`content`"));
    assert!(refused.for_llm.contains("file a.env"), "{}", refused.for_llm);
    assert!(!house.folder.path().join("out").exists());
    house.bind(json!({ "placeholder": secret, "tools": ["write_file"], "paths": ["out/*"], "once": true })).await;
    assert_eq!(house.call("write_file", write("c.txt")).await.code, Some(Code::SecretUnbound));
    let wrote = house.call("write_file", write("out/b.txt")).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
    assert_eq!(house.text("out/b.txt"), format!("x {}", generated()));
    assert_eq!(house.call("write_file", write("out/b.txt")).await.code, Some(Code::SecretUnbound));
}

#[tokio::test]
async fn a_tool_gets_a_secret_only_where_it_is_bound() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    let send = |url: &str, header: &str| json!({ "url": url, "headers": { header: format!("Bearer {secret}") } });
    let good = send("https://api.example.com/v1", "Authorization");
    let refused = house.call("send", good.clone()).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound));
    assert!(refused.for_llm.contains("headers.Authorization"), "{}", refused.for_llm);
    house
        .bind(json!({
            "kind": "*", "tools": ["se*"], "hosts": ["*.example.com"],
            "arguments": ["headers.authorization"]
        }))
        .await;
    let sent = house.call("send", good).await;
    assert!(!sent.is_error, "{}", sent.for_llm);
    let expected = format!("Bearer {}", generated());
    assert_eq!(house.send.got()[0]["headers"]["Authorization"], expected);
    for bad in [
        send("https://evil.com/", "Authorization"),
        send("https://api.example.com@evil.com/", "Authorization"),
        send("https://evil.com\\@api.example.com/", "Authorization"),
        send("https://api.example.com\n.evil.com/", "Authorization"),
        send("https://example.com/", "Authorization"),
        send("evil.com", "Authorization"),
        send("https://api.example.com/v1", "X-Other"),
        json!({ "headers": { "authorization": secret } }),
        json!({ "url": "https://api.example.com/", "headers": { "authorization": secret },
                "body": "{\"then\":\"https:\\/\\/evil.com\\/\"}" }),
        json!({ "url": format!("https://{secret}.evil.com/"), "headers": {} }),
        json!({ "url": "https://api.example.com/", "headers": { secret.as_str(): "x" } }),
        json!({ "url": "https://api.example.com/", "headers": { "authorization": [secret] } }),
    ] {
        let refused = house.call("send", bad.clone()).await;
        assert_eq!(refused.code, Some(Code::SecretUnbound), "{bad}");
        assert!(!refused.for_llm.contains(&generated()));
    }
    assert_eq!(house.send.got().len(), 1);
}

#[tokio::test]
async fn a_tool_that_writes_a_file_wants_the_file_bound() {
    let send = Sends { writes: Some("out/x"), ..Sends::named("send") };
    let house = house_with(send, json!({})).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    house.bind(json!({ "placeholder": secret, "tools": ["send"] })).await;
    let send = json!({ "text": secret });
    assert_eq!(house.call("send", send.clone()).await.code, Some(Code::SecretUnbound));
    house.bind(json!({ "placeholder": secret, "tools": ["send"], "paths": ["out/**"] })).await;
    assert_eq!(house.call("send", send).await.code, None);
}

#[tokio::test]
async fn what_a_tool_says_of_a_secret_is_masked_again_and_nowhere_written() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let found = placeholders(&house.read("a.env").await);
    house.bind(json!({ "kind": "*", "tools": ["send"] })).await;
    let args = json!({ "a": found[0], "b": [{ "c": format!("x{}y", found[1]) }] });
    let sent = house.call("send", args).await;
    assert!(!sent.is_error);
    assert_eq!(house.send.got()[0]["b"][0]["c"], format!("x{}y", generated()));
    assert_eq!(house.send.got()[0]["a"], GUESSABLE);
    let rows = house.rt.invoke("audit.query", json!({ "tool": "send" })).await.unwrap();
    let events = house.rt.invoke("events.read", json!({})).await.unwrap();
    for text in [format!("{sent:?}"), rows.to_string(), events.to_string()] {
        assert!(!text.contains(GUESSABLE) && !text.contains(&generated()), "{text}");
    }
    let opened = &rows[0]["notes"]["vault"]["opened"];
    assert_eq!(opened.as_array().unwrap().len(), 2);
    assert!(opened.to_string().contains(r#""argument":"b[0].c""#), "{opened}");
    assert!(rows[0]["arguments"].as_str().unwrap().contains(&found[1]));
}

#[tokio::test]
async fn an_error_for_the_host_reveals_no_secret() {
    let house = house_with(Sends { fails: true, ..Sends::named("send") }, json!({})).await;
    house.put("a.env", &env());
    let found = placeholders(&house.read("a.env").await);
    house.bind(json!({ "kind": "*", "tools": ["send"] })).await;
    let cx = CallContext::new().session("s");
    let error = house.rt.call(&cx, "send", json!({ "a": found[1] })).await.unwrap_err();
    assert!(!format!("{error:?}").contains(&generated()), "{error:?}");
}

#[tokio::test]
async fn who_approves_sees_the_placeholder_and_the_tool_gets_the_secret() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.env"), env()).unwrap();
    let send = Sends::named("asks");
    let seen: Arc<Mutex<Vec<Value>>> = Arc::default();
    let sees = seen.clone();
    let approver = handler_fn(Approve, move |request, _| {
        sees.lock().unwrap().push(json!(request.arguments));
        async { Ok(Some(ApprovalAnswer::allow())) }
    });
    let config = json!({
        "workspace": folder.path(),
        "vault": { "enabled": true, "bindings": [{ "kind": "*", "tools": ["asks"] }] }
    });
    let config = Config::from_value(config).unwrap();
    let rt = Runtime::builder().config(config).tool(send.clone()).handler(approver);
    let rt = rt.build().await.unwrap();
    let cx = CallContext::new().session("s");
    let read = rt.call(&cx, "read_file", json!({ "path": "a.env" })).await.unwrap();
    let secret = placeholders(&read.for_llm)[1].clone();
    let asked = rt.call(&cx, "asks", json!({ "key": secret })).await.unwrap();
    assert!(!asked.is_error, "{}", asked.for_llm);
    assert_eq!(seen.lock().unwrap()[0], json!({ "key": secret }));
    assert_eq!(send.got()[0]["key"], generated());
    let approvals = rt.invoke("approvals.list", json!({})).await.unwrap();
    assert!(!approvals.to_string().contains(&generated()));
}

#[tokio::test]
async fn a_placeholder_of_another_session_or_tenant_opens_nothing() {
    let bindings = json!([{ "kind": "*", "tools": ["send"] }]);
    let house = house(json!({ "vault": { "enabled": true, "bindings": bindings } })).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    let contexts = [
        CallContext::new().session("other"),
        CallContext::new().session("s").tenant("other"),
        CallContext::new(),
    ];
    for cx in contexts {
        house.rt.call(&cx, "send", json!({ "key": secret })).await.unwrap();
        assert_eq!(house.send.got().pop().unwrap()["key"], secret);
    }
    let child = CallContext::new().session("s").agent("main").child("helper");
    house.rt.call(&child, "send", json!({ "key": secret })).await.unwrap();
    assert_eq!(house.send.got().pop().unwrap()["key"], generated());
}

#[tokio::test]
async fn of_calls_at_once_one_uses_up_a_binding_for_once() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    house.bind(json!({ "placeholder": secret, "tools": ["send"], "once": true })).await;
    let cx = CallContext::new().session("s");
    let args = json!({ "key": secret });
    let calls = (0..8).map(|_| house.rt.call(&cx, "send", args.clone()));
    let answers = futures_util::future::join_all(calls).await;
    let done = answers.iter().filter(|answer| !answer.as_ref().unwrap().is_error).count();
    assert_eq!((done, house.send.got().len()), (1, 1));
    let request = CallRequest { id: "1".into(), name: "send".into(), arguments: args };
    let answers = house.rt.call_all(&cx, vec![request]).await.unwrap();
    assert_eq!(answers[0].result.code, Some(Code::SecretUnbound));
}

#[tokio::test]
async fn without_the_vault_a_placeholder_is_not_written() {
    let house = house(json!({ "vault": { "enabled": false } })).await;
    house.put("a.env", &env());
    house.put("docs.md", "It shows [REDACTED:password] there.\n");
    let shown = house.read("a.env").await;
    for (tool, args) in [
        ("write_file", json!({ "path": "a.env", "content": shown })),
        ("write_file", json!({ "path": "a.env", "content": "[REDACTED:x:y]", "append": true })),
        ("write_file", json!({ "path": "new.md", "content": "a [REDACTED:password]" })),
        ("edit", json!({ "path": "a.env", "old_string": "NAME", "new_string": "[REDACTED:x]" })),
        ("edit", json!({ "path": "a.env", "old_string": shown, "new_string": "x" })),
        ("edit", json!({ "path": "a.env", "old_string": "[REDACTED]", "new_string": "x" })),
    ] {
        let refused = house.call(tool, args.clone()).await;
        assert_eq!(refused.code, Some(Code::SecretUnbound), "{args}");
        assert!(refused.for_llm.contains("placeholder"), "{}", refused.for_llm);
        assert!(refused.for_llm.contains("`vault.enabled`"), "{}", refused.for_llm);
    }
    assert_eq!(house.text("a.env"), env());
    let docs = "It shows [REDACTED:password] there, and [REDACTED:password] here.\n";
    let wrote = house.call("write_file", json!({ "path": "docs.md", "content": docs })).await;
    assert!(!wrote.is_error, "{}", wrote.for_llm);
    let edit = json!({
        "path": "docs.md", "old_string": "[REDACTED:password] here", "new_string": "[REDACTED:password]"
    });
    assert!(!house.call("edit", edit).await.is_error);
    assert_eq!(house.text("docs.md"), docs.replace(" here", ""));
    // A word that anybody writes, where it stands for nothing.
    let word = json!({ "path": "log.txt", "content": "token [REDACTED] was used" });
    assert!(!house.call("write_file", word).await.is_error);
    let error = house.rt.invoke("vault.list", json!({})).await.unwrap_err();
    assert_eq!(error.code(), Code::Conflict);
}

#[tokio::test]
async fn a_placeholder_that_is_not_ours_is_not_written_and_elsewhere_is_text() {
    let house = house(json!({})).await;
    let made_up = "[REDACTED:github-pat:abcdefgh]";
    let write = json!({ "path": "x", "content": made_up });
    assert_eq!(house.call("write_file", write).await.code, Some(Code::SecretUnbound));
    let sent = house.call("send", json!({ "text": made_up })).await;
    assert!(!sent.is_error);
    assert_eq!(house.send.got()[0]["text"], made_up);
}

#[tokio::test]
async fn a_secret_that_can_be_guessed_has_another_tag_each_time() {
    let house = house(json!({})).await;
    house.put("a", &format!("{}\n{}\n", url(GUESSABLE), url(GUESSABLE)));
    let mut found = placeholders(&house.read("a").await);
    found.extend(placeholders(&house.read("a").await));
    assert_eq!(found.len(), 4);
    found.sort();
    found.dedup();
    assert_eq!(found.len(), 4);
    house.put("b", &format!("{}\n{}\n", url(&generated()), url(&generated())));
    let same = placeholders(&house.read("b").await);
    assert_eq!(same[0], same[1]);
}

#[tokio::test]
async fn a_secret_is_not_put_where_nothing_marks_it_as_a_secret() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let found = placeholders(&house.read("a.env").await);
    let edit = |secret: &str| json!({ "path": "a.env", "old_string": "NAME=app", "new_string": format!("NOTE {secret}") });
    let refused = house.call("edit", edit(&found[0])).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound));
    assert!(refused.for_llm.contains("nothing would tell"), "{}", refused.for_llm);
    let write = json!({ "path": "a.env", "content": format!("x={}", found[0]) });
    assert_eq!(house.call("write_file", write).await.code, Some(Code::SecretUnbound));
    assert_eq!(house.text("a.env"), env());
    // One that cannot be guessed is looked for from then on, in other sessions, too.
    let moved = house.call("edit", edit(&found[1])).await;
    assert!(!moved.is_error, "{}", moved.for_llm);
    assert!(house.text("a.env").contains(&format!("NOTE {}", generated())));
    for session in ["s", "other"] {
        let shown = house.call_in(session, "read_file", json!({ "path": "a.env" })).await.for_llm;
        assert!(!shown.contains(&generated()), "{shown}");
    }
}

#[tokio::test]
async fn a_secret_is_forgotten_after_its_time_and_on_request() {
    let vault = json!({ "enabled": true, "ttl_ms": 1_000 });
    let house = house(json!({ "vault": vault })).await;
    house.put("a.env", &env());
    let listed = async || house.rt.invoke("vault.list", json!({ "session": "s" })).await.unwrap();
    let shown = house.read("a.env").await;
    house.clock.advance(999);
    let write = json!({ "path": "a.env", "content": shown });
    assert_eq!(house.call("write_file", write.clone()).await.code, None);
    house.clock.advance(999);
    let contents = listed().await;
    assert_eq!(contents["secrets"].as_array().unwrap().len(), 3);
    assert_eq!(contents["secrets"][0]["files"], json!(["a.env"]));
    assert!(!contents.to_string().contains(GUESSABLE));
    house.clock.advance(1);
    assert_eq!(house.call("write_file", write).await.code, Some(Code::SecretUnbound));
    assert_eq!(listed().await["secrets"], json!([]));

    let secret = placeholders(&house.read("a.env").await)[1].clone();
    let bound = house.bind(json!({ "placeholder": secret, "tools": ["send"] })).await;
    assert_eq!(listed().await["bindings"][0], bound);
    let forgot = house.rt.invoke("vault.forget", json!({ "session": "s" })).await.unwrap();
    assert_eq!(forgot, json!({ "secrets": 3, "bindings": 1 }));
    house.call("send", json!({ "key": secret })).await;
    assert_eq!(house.send.got()[0]["key"], secret);
}

#[tokio::test]
async fn of_too_many_secrets_the_least_recently_used_goes() {
    let vault = json!({ "enabled": true, "max_entries": 3 });
    let house = house(json!({ "vault": vault })).await;
    house.put("a.env", &env());
    let shown = house.read("a.env").await;
    house.put("b", &url(&generated().to_lowercase()));
    house.read("b").await;
    let write = json!({ "path": "a.env", "content": shown });
    let refused = house.call("write_file", write).await;
    assert_eq!(refused.code, Some(Code::SecretUnbound), "{}", refused.for_llm);
}

#[tokio::test]
async fn a_page_keeps_only_the_secrets_that_it_shows() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    house.call("read_file", json!({ "path": "a.env", "offset": 1, "limit": 1 })).await;
    let contents = house.rt.invoke("vault.list", json!({})).await.unwrap();
    assert_eq!(contents["secrets"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn what_was_read_in_a_run_is_read_again_so_that_its_placeholders_open() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let cx = CallContext::new().session("s").run("r");
    let read = async || house.rt.call(&cx, "read_file", json!({ "path": "a.env" })).await.unwrap();
    read().await;
    house.rt.invoke("vault.forget", json!({})).await.unwrap();
    let again = read().await;
    assert!(!again.cached);
    let write = json!({ "path": "a.env", "content": again.for_llm });
    assert_eq!(house.rt.call(&cx, "write_file", write).await.unwrap().code, None);
    assert_eq!(house.text("a.env"), env());
}

#[tokio::test]
async fn a_run_that_reads_the_same_again_and_again_is_stopped_though_tags_differ() {
    let house = house(json!({ "redundancy": { "enabled": false } })).await;
    house.put("a", &url(GUESSABLE));
    let cx = CallContext::new().session("s").run("r");
    let mut last = None;
    for _ in 0..12 {
        last = house.rt.call(&cx, "read_file", json!({ "path": "a" })).await.unwrap().code;
    }
    assert_eq!(last, Some(Code::LoopDetected));
}

#[tokio::test]
async fn a_tool_that_hands_texts_on_gets_placeholders_as_they_are() {
    let vault = json!({ "enabled": true, "text_tools": ["sen?"] });
    let house = house(json!({ "vault": vault })).await;
    house.put("a.env", &env());
    let secret = placeholders(&house.read("a.env").await)[1].clone();
    let answer = house.call("send", json!({ "text": format!("use {secret}") })).await;
    assert!(!answer.is_error, "{}", answer.for_llm);
    assert_eq!(house.send.got()[0]["text"], format!("use {secret}"));
}

#[tokio::test]
async fn what_an_error_of_an_edit_quotes_is_masked_as_in_the_whole_file() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    let line = pem().lines().nth(1).unwrap().to_owned();
    let wrong = format!("{}x", &line[..40]);
    let args = json!({ "path": "a.env", "old_string": wrong, "new_string": "y" });
    let missed = house.call("edit", args).await;
    assert_eq!(missed.code, Some(Code::Conflict));
    assert!(!missed.for_llm.contains(&line[..20]), "{}", missed.for_llm);
}

#[tokio::test]
async fn a_binding_that_says_nothing_or_nonsense_is_refused() {
    let house = house(json!({})).await;
    for (args, part) in [
        (json!({ "kind": "x", "tools": [] }), "`tools` is empty"),
        (json!({ "tools": ["send"] }), "either `placeholder` or `kind`"),
        (json!({ "kind": "x", "placeholder": "y", "tools": ["send"] }), "either"),
        (json!({ "kind": "x", "tools": ["send"], "hosts": ["https://a/b"] }), "`hosts`"),
        (json!({ "kind": "x", "tools": ["["] }), "`[`"),
        (json!({ "kind": "x", "tools": ["send"], "arguments": [""] }), "`arguments`"),
    ] {
        let error = house.rt.invoke("vault.bind", args).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidArgument, "{error}");
        assert!(error.message().contains(part), "{error}");
    }
    let unknown = json!({ "placeholder": "[REDACTED:a:b]", "tools": ["send"] });
    let error = house.rt.invoke("vault.bind", unknown).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    let refused = |config: Value| async {
        let error = Runtime::builder().config(Config::from_value(config)?).build().await;
        error.map(|_| ())
    };
    let config = json!({ "vault": { "bindings": [{ "kind": "x", "tools": [] }] } });
    let error = refused(config).await.unwrap_err();
    assert!(error.message().contains("`vault.bindings[0]`"), "{error}");
    let config = json!({ "vault": { "enabled": true }, "scrub": { "profile": "seed" } });
    let error = refused(config).await.unwrap_err();
    assert!(error.message().contains("`vault.enabled`"), "{error}");
}

#[tokio::test]
async fn a_closed_runtime_keeps_nothing() {
    let house = house(json!({})).await;
    house.put("a.env", &env());
    house.read("a.env").await;
    let before = format!("{:?}", house.rt);
    assert!(!before.contains(GUESSABLE));
    house.rt.close().await.unwrap();
    let list = toolkeep::ops::ListVault { tenant: "default".into(), session: None, limit: 10 };
    assert_eq!(house.rt.ops().vault().list(list).await.unwrap().secrets, []);
}
