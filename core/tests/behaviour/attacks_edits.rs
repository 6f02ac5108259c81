//! What a model tries that wants to know a secret which it sees masked, with the file tools alone.

use serde_json::{Value, json};
use toolkeep::{CallContext, Code, ToolResult};

use crate::support::{House, TOKEN};

/// A registered value, which has no shape of its own.
const VALUE: &str = "Otterhafen-Spindel";

/// A house whose files hold secrets, in which nothing is counted.
async fn house(mut config: Value) -> House {
    config["loops"] = json!({ "enabled": false });
    config["files"] = json!({ "write_safety": "off" });
    let house = House::new(config).await;
    let value = json!({ "value": VALUE, "kind": "berth" });
    house.rt.invoke("secrets.register", value).await.unwrap();
    for (name, content) in files() {
        std::fs::write(house.folder.path().join(name), content).unwrap();
    }
    house
}

fn files() -> [(&'static str, Vec<u8>); 4] {
    let text = format!("first\nk = {TOKEN}\nberth: {VALUE}!\nlast\n");
    let mixed = text.replacen('\n', "\r\n", 2);
    let crlf = text.replace('\n', "\r\n");
    let odd = [b"\xff\xfe odd\n", text.as_bytes()].concat();
    [("a", text.into_bytes()), ("crlf", crlf.into_bytes()), ("mixed", mixed.into()), ("odd", odd)]
}

impl House {
    fn bytes(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.folder.path().join(name)).unwrap()
    }

    fn are_unchanged(&self) {
        for (name, content) in files() {
            assert_eq!(self.bytes(name), content, "{name}");
        }
    }
}

/// What of an answer a model could tell two guesses apart by.
fn visible_part(result: ToolResult) -> (Option<Code>, String, Option<Value>, Option<String>) {
    (result.code, result.for_llm, result.structured, result.rule)
}

/// Asks the same with a guess that is right and with one that is wrong, and wants one answer.
async fn same_for_all_guesses(house: &House, name: &str, args: impl Fn(&str) -> Value) {
    for (secret, before, behind) in [(TOKEN, "k = ", "\n"), (VALUE, "berth: ", "!\n")] {
        for length in [1, 5, 12, secret.len() - 1, secret.len()] {
            let right = &secret[..length];
            let wrong = format!("{}~", &right[..length - 1]);
            for (start, end) in [(before, ""), ("", ""), (before, behind)] {
                let ask = async |guess: &str| {
                    let guess = format!("{start}{guess}{end}");
                    visible_part(house.call(name, args(&guess)).await)
                };
                let right = ask(right).await;
                assert_eq!(right, ask(&wrong).await, "{name} {length}");
                assert!(right.0.is_some(), "{right:?}");
            }
        }
    }
    house.are_unchanged();
}

#[tokio::test]
async fn no_edit_reveals_whether_a_guess_at_a_masked_secret_is_right() {
    let house = house(json!({})).await;
    for path in ["a", "crlf", "mixed", "odd"] {
        for all in [false, true] {
            same_for_all_guesses(&house, "edit", |guess| {
                json!({ "path": path, "old_string": guess, "new_string": "x", "replace_all": all })
            })
            .await;
        }
        // Which of several edits fails says nothing either, and neither does what an earlier one did.
        same_for_all_guesses(&house, "edit", |guess| {
            let edit = |old: &str, new: &str| json!({ "old_string": old, "new_string": new });
            json!({ "path": path, "edits": [edit("first", "1"), edit(guess, "x"), edit("absent", "x")] })
        })
        .await;
    }
}

#[tokio::test]
async fn no_patch_reveals_whether_a_guess_at_a_masked_secret_is_right() {
    let house = house(json!({})).await;
    let v4a = |path: &str, hunk: &str| {
        format!("*** Begin Patch\n*** Update File: {path}\n{hunk}\n*** End Patch\n")
    };
    for path in ["a", "crlf", "mixed", "odd"] {
        same_for_all_guesses(
            &house,
            "apply_patch",
            |guess| json!({ "patch": v4a(path, &format!("@@ {}\n-last\n+x", guess.trim_end())) }),
        )
        .await;
        same_for_all_guesses(&house, "apply_patch", |guess| {
            json!({ "patch": v4a(path, &format!("@@\n first\n-{}\n+x", guess.trim_end())) })
        })
        .await;
        same_for_all_guesses(&house, "apply_patch", |guess| {
            let guess = guess.trim_end();
            let hunk = format!("@@ -2,1 +2,1 @@\n-{guess}\n+x\n");
            json!({ "patch": format!("--- a/{path}\n+++ b/{path}\n{hunk}") })
        })
        .await;
    }
}

#[tokio::test]
async fn no_search_and_no_write_reveals_whether_a_guess_is_right() {
    let house = house(json!({})).await;
    for (right, wrong) in [("ghp_a", "ghp_b"), ("Otterh", "Otterg")] {
        for query in [right, wrong] {
            let found = house.call("search", json!({ "query": query, "path": "a" })).await;
            assert_eq!(found.for_llm, "[No line matches]");
        }
    }
    // Whoever guesses all of a file is not told that it is as it was.
    let text = String::from_utf8(house.bytes("a")).unwrap();
    let write = |content: &str| json!({ "path": "a", "content": content });
    let right = visible_part(house.call("write_file", write(&text)).await);
    let wrong = text.replace("ghp_a", "ghp_b");
    assert_eq!(right, visible_part(house.call("write_file", write(&wrong)).await));
}

#[tokio::test]
async fn no_change_takes_the_mask_off_a_secret() {
    let house = house(json!({})).await;
    let pin = "password = kirschkern9\n";
    std::fs::write(house.folder.path().join("pin"), format!("first\n{pin}")).unwrap();
    std::fs::write(house.folder.path().join("end"), format!("first\nk = {TOKEN}")).unwrap();
    let shown = house.call("read_file", json!({ "path": "pin" })).await.for_llm;
    assert!(shown.contains("REDACTED"), "{shown}");
    let edit = |path: &str, old: &str, new: &str| json!({ "path": path, "old_string": old, "new_string": new });
    for (tool, args) in [
        ("edit", edit("a", "k = ", "k = Q")),
        ("edit", edit("pin", "password", "note")),
        ("edit", edit("pin", "password = ", "")),
        (
            "edit",
            json!({ "path": "pin", "edits": [
            { "old_string": "password", "new_string": "note" },
            { "old_string": "note = kirsch", "new_string": "x" },
        ] }),
        ),
    ] {
        let refused = house.call(tool, args.clone()).await;
        assert!(refused.is_error, "{args} {}", refused.for_llm);
        assert!(!refused.for_llm.contains("kirsch"), "{args} {}", refused.for_llm);
    }
    // What is put behind a secret is refused, or hidden with it.
    house.call("edit", edit("a", "\nberth", "QQQQQQQQberth")).await;
    house.call("write_file", json!({ "path": "end", "content": "QQQ", "append": true })).await;
    for (path, kept) in [("a", TOKEN), ("end", TOKEN), ("pin", "kirschkern9")] {
        assert!(String::from_utf8(house.bytes(path)).unwrap().contains(kept), "{path}");
        let shown = house.call("read_file", json!({ "path": path })).await.for_llm;
        assert!(!shown.contains(kept) && !shown.contains(&kept[2..]), "{shown}");
    }
}

#[tokio::test]
async fn text_beside_a_masked_secret_is_changed_and_the_secret_stays() {
    let house = house(json!({})).await;
    let edit = |old: &str, new: &str| json!({ "path": "a", "old_string": old, "new_string": new });
    for (old, new) in
        [("first", "1"), ("k = ", "key = "), ("\nberth", "\n\nberth"), ("!\nlast", ".")]
    {
        let done = house.call("edit", edit(old, new)).await;
        assert!(!done.is_error, "{old} {}", done.for_llm);
    }
    let patch = "--- a/a\n+++ b/a\n@@ -1,1 +1,1 @@\n-1\n+one\n";
    let done = house.call("apply_patch", json!({ "patch": patch })).await;
    assert!(!done.is_error, "{}", done.for_llm);
    let append = json!({ "path": "a", "content": "end\n", "append": true });
    assert!(!house.call("write_file", append).await.is_error);
    let expected = format!("one\nkey = {TOKEN}\n\nberth: {VALUE}.\nend\n");
    assert_eq!(String::from_utf8(house.bytes("a")).unwrap(), expected);
    // Lines are counted as they are shown.
    let twice = house.call("edit", edit("e", "x")).await;
    assert_eq!(twice.code, Some(Code::Conflict));
}

#[tokio::test]
async fn with_the_vault_on_a_guess_in_place_of_a_placeholder_is_an_edit_like_any_other() {
    let house = house(json!({ "vault": { "enabled": true } })).await;
    std::fs::write(house.folder.path().join("pin"), "password = kirschkern9\n").unwrap();
    let mut answers = Vec::new();
    for guess in ["kirschkern9", "kirschkern8"] {
        std::fs::write(house.folder.path().join("pin"), "password = kirschkern9\n").unwrap();
        let shown = house.call("read_file", json!({ "path": "pin" })).await.for_llm;
        let placeholder = shown.trim_end().strip_prefix("password = ").unwrap();
        let edit = json!({ "path": "pin", "old_string": placeholder, "new_string": guess });
        answers.push(visible_part(house.call("edit", edit).await));
        assert_eq!(house.bytes("pin"), format!("password = {guess}\n").into_bytes());
    }
    assert_eq!(answers[0], answers[1]);
    // Nor is the secret found where it stands in the clear, by its placeholder.
    std::fs::write(house.folder.path().join("pin"), "password = kirschkern9\nkirschkern9\n")
        .unwrap();
    let shown = house.call("read_file", json!({ "path": "pin" })).await.for_llm;
    let placeholder = shown.lines().next().unwrap().strip_prefix("password = ").unwrap();
    let edit =
        json!({ "path": "pin", "old_string": placeholder, "new_string": "x", "replace_all": true });
    let done = house.call("edit", edit).await;
    assert_eq!(done.structured.unwrap()["replacements"], 1);
}

#[tokio::test]
async fn a_run_that_tries_one_guess_after_the_other_is_stopped() {
    let house = House::new(json!({ "files": { "write_safety": "off" } })).await;
    std::fs::write(house.folder.path().join("a"), format!("n = 0\nk = {TOKEN}\n")).unwrap();
    let cx = CallContext::new().session("s").run("r");
    let mut stopped = None;
    for at in 0..30 {
        // Each guess is another one, and something else is changed in between.
        let guess = format!("k = ghp_{}", "abcdefghijklmnopqrstuvwxyzABCD".as_bytes()[at] as char);
        let edit = json!({ "path": "a", "old_string": guess, "new_string": format!("{at}") });
        let answer = house.rt.call(&cx, "edit", edit).await.unwrap();
        if answer.code == Some(Code::LoopDetected) {
            stopped = Some((at, answer.for_llm));
            break;
        }
        let edit = json!({ "path": "a", "old_string": format!("n = {at}\n"), "new_string": format!("n = {}\n", at + 1) });
        assert!(!house.rt.call(&cx, "edit", edit).await.unwrap().is_error);
    }
    let (at, text) = stopped.unwrap();
    assert!(at <= 12 && text.contains("Read the file"), "{at} {text}");
}
