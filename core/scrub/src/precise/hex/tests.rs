use super::super::test_marks::{leaves, masks};

fn digits() -> String {
    "0a1b2c3d4e5f6978".repeat(4)
}

#[test]
fn a_bare_run_of_64_or_more_digits_is_masked() {
    let hex = digits();
    masks(&format!("«{hex}»"));
    masks(&format!("«{hex}{hex}»"));
    masks(&format!("«{}»", hex.to_uppercase()));
    masks(&format!("here it is: «{hex}»."));
    masks(&format!("use «{hex}» for the vault"));
    masks(&format!("a line\n«{hex}»\nanother line"));
    masks(&format!("X=«{hex}»"));
    masks(&format!("«{}»", "deadbeef".repeat(8)));
    masks(&format!("«{}»", hex.repeat(200)));
}

#[test]
fn a_token_that_goes_on_with_digits_is_masked() {
    // One whose first digits are letters is no plain run.
    for hex in [digits(), format!("{}{}", "abcdefbcad".repeat(4), "0123456789abcdef".repeat(2))] {
        masks(&format!("see «{}{hex}» here", "Atza|"));
    }
}

#[test]
fn a_value_of_json_under_a_name_without_a_class_is_masked() {
    let hex = digits();
    masks(&format!("{{\"v\": \"«{hex}»\"}}"));
    masks(&format!("{{\"v\":\"«{hex}»\",\"n\":1}}"));
    masks(&format!("{{\n  \"some_name\": \"«{hex}»\",\n  \"n\": 1\n}}\n"));
    masks(&format!("\"{{\\\"v\\\": \\\"«{hex}»\\\"}}\""));
}

#[test]
fn digits_that_are_a_digest_stay() {
    let hex = digits();
    for text in [
        format!("{hex}  dist/policy-3.tar.gz"),
        format!("{hex} *policy.tar.gz"),
        format!("{hex}  LICENSE"),
        format!("{hex}  -"),
        format!("{hex} policy.zip"),
        format!("SHA256 (policy.zip) = {hex}"),
        format!("sha256:{hex}"),
        format!("image@sha256:{hex}"),
        format!("checksum = \"{hex}\""),
        format!("digest: {hex}"),
        format!("commit {hex}"),
        format!("{{\"hash\": \"{hex}\"}}"),
        format!("{{\"LICENSE\":\"{hex}\",\"src/lib.rs\":\"{hex}\"}}"),
        format!("{{\"files\": {{\"README.md\": \"{hex}\"}}}}"),
        format!("{{\n  \"a\": \"{hex}\",\n  \"b\": \"{hex}\"\n}}"),
        format!("{{\"sha256\": \"{hex}\"}}"),
        format!("{{\"commit\": \"{hex}\"}}"),
        format!("{{\"rev\": \"{hex}\", \"v\": 1}}"),
        format!("{{\"image_id\": \"{hex}\"}}"),
        format!("{{\"resolved\": \"{hex}\"}}"),
        format!("ETag: {hex}"),
        format!("trace_id={hex}"),
        format!("tx 0x{hex}"),
        format!("0x{hex}"),
        format!("/var/lib/docker/containers/{hex}/json.log"),
        format!("https://example.org/blobs/{hex}"),
        format!("let x = hex(\"{hex}\");"),
        format!("{hex} (sha256)"),
        format!("Removed container {hex}"),
        format!("{hex}: Pull complete"),
        format!("X = {hex}\nY = {hex}\nR = {hex}"),
        format!("a: b\n  {hex}\\\n  {hex}\\\n  {hex}"),
        format!("let key = hex!(\"\n  {hex}\n\");"),
        format!("// {hex}\nlet x = 1;"),
        format!("cc {hex} # shrinks to seed = 1"),
        "0".repeat(64),
        "1234567890".repeat(8),
    ] {
        leaves(&text);
    }
}
