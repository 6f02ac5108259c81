use crate::{Profile, Scrubber, TagKey};

fn scrub(text: &str) -> String {
    Scrubber::new(Profile::Precise, TagKey::new([7; 32])).scrub(text).into_owned()
}

/// A body of `lines` lines that look like base64.
fn body(lines: usize, between: &str) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |at: usize| char::from(alphabet[(at * 37 + at / 7) % 64]);
    let line = |row: usize| (0..64).map(|column| letter(row * 64 + column)).collect::<String>();
    (0..lines).map(line).collect::<Vec<_>>().join(between)
}

fn begin(label: &str) -> String {
    format!("-----BEGIN {label}-----")
}

fn finish(label: &str) -> String {
    format!("-----END {label}-----")
}

/// Asserts that `secret` alone is replaced in `before + secret + after`, and stays so.
#[track_caller]
fn masks(before: &str, secret: &str, after: &str) {
    let masked = scrub(&format!("{before}{secret}{after}"));
    assert!(masked.starts_with(&format!("{before}[REDACTED:")), "{masked}");
    assert!(masked.ends_with(&format!("]{after}")), "{masked}");
    assert!(masked.len() < before.len() + after.len() + 60, "{masked}");
    assert_eq!(scrub(&masked), masked);
}

#[track_caller]
fn leaves(text: &str) {
    assert_eq!(scrub(text), text);
}

#[test]
fn the_body_of_every_private_key_is_masked_and_its_lines_stay() {
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "DSA PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
    ] {
        let (first, last) = (begin(label), finish(label));
        for lines in [1, 3, 13, 90] {
            let secret = format!("{}\nabc=", body(lines, "\n"));
            masks(&format!("{first}\n"), &secret, &format!("\n{last}\n"));
        }
    }
}

#[test]
fn a_key_is_masked_in_whatever_it_stands() {
    let (first, last) = (begin("RSA PRIVATE KEY"), finish("RSA PRIVATE KEY"));
    let escaped = format!("{}\\nabc=", body(13, "\\n"));
    masks(&format!("{{\"key\":\"{first}\\n"), &escaped, &format!("\\n{last}\\n\",\"id\":1}}"));
    let twice = format!("{}\\\\nabc=", body(90, "\\\\n"));
    masks(
        &format!("\"{{\\\"key\\\":\\\"{first}\\\\n"),
        &twice,
        &format!("\\\\n{last}\\\\n\\\"}}\""),
    );
    let indented = format!("{}\n    abc=", body(13, "\n    "));
    masks(&format!("key: |\n    {first}\n    "), &indented, &format!("\n    {last}\nnext: 1\n"));
    let windows = format!("{}\r\nabc=", body(13, "\r\n"));
    masks(&format!("{first}\r\n"), &windows, &format!("\r\n{last}\r\n"));
    let spaced = format!("{} abc=", body(13, " "));
    masks(&format!("KEY={first} "), &spaced, &format!(" {last} # then"));
    let quoted = format!("{}\\n\" +\n  \"abc=", body(13, "\\n\" +\n  \""));
    masks(&format!("\"{first}\\n\" +\n  \""), &quoted, &format!("\\n\" +\n  \"{last}\";"));
    let numbered = format!("{}\n  14\tabc=", body(13, "\n  12\t"));
    masks(&format!("   1\t{first}\n   2\t"), &numbered, &format!("\n  15\t{last}"));
    let slashed = format!("{}\\nabc=", body(13, "\\n").replace('/', "\\/"));
    masks(&format!("{{\"key\":\"{first}\\n"), &slashed, &format!("\\n{last}\"}}"));
    let percent = body(13, "%0A").replace('/', "%2F").replace('+', "%2B");
    masks("key=-----BEGIN+PRIVATE+KEY-----%0A", &percent, "%0A-----END+PRIVATE+KEY-----&a=b");
}

#[test]
fn the_headers_of_a_block_stay() {
    let (first, last) = (begin("RSA PRIVATE KEY"), finish("RSA PRIVATE KEY"));
    let headers = "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,0123456789ABCDEF\n\n";
    masks(&format!("{first}\n{headers}"), &body(13, "\n"), &format!("\n{last}"));
    let (first, last) = (begin("PGP PRIVATE KEY BLOCK"), finish("PGP PRIVATE KEY BLOCK"));
    let secret = format!("{}\n=aBc1", body(13, "\n"));
    masks(&format!("{first}\nVersion: GnuPG v2\n\n"), &secret, &format!("\n{last}"));
    let first = "---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: \"a key\"\n";
    masks(first, &body(9, "\n"), "\n---- END SSH2 ENCRYPTED PRIVATE KEY ----");
}

#[test]
fn the_private_lines_of_putty_are_masked() {
    let head = format!("PuTTY-User-Key-File-3: ssh-rsa\nPublic-Lines: 1\n{}\n", body(1, ""));
    masks(&format!("{head}Private-Lines: 4\n"), &body(4, "\n"), "\nPrivate-MAC: 0123\n");
}

#[test]
fn a_key_that_was_cut_off_is_masked_to_its_last_line() {
    let first = begin("EC PRIVATE KEY");
    masks(&format!("{first}\n"), &body(3, "\n"), "");
    masks(&format!("{first}\n"), &body(3, "\n"), "\n$ ls -l");
    masks(&format!("{first}\n"), &body(90, "\n"), "\n(90 lines of 100 shown)");
    masks(&format!("{{\"key\":\"{first}\\n"), &body(3, "\\n"), "\",\"client_email\":\"a@b\"}");
    let omitted = format!("{}\n[...]\n{}", body(2, "\n"), body(1, ""));
    masks(&format!("{first}\n"), &omitted, &format!("\n{}", finish("EC PRIVATE KEY")));
}

#[test]
fn two_keys_are_two_secrets() {
    let (first, last) = (begin("PRIVATE KEY"), finish("PRIVATE KEY"));
    let one = format!("{first}\n{}\n{last}\n", body(13, "\n"));
    let masked = scrub(&format!("{one}{one}"));
    assert_eq!(masked.matches("[REDACTED:private-key").count(), 2, "{masked}");
    assert_eq!(masked.matches(&last).count(), 2, "{masked}");
}

#[test]
fn what_is_public_stays() {
    for label in ["PUBLIC KEY", "CERTIFICATE", "CERTIFICATE REQUEST", "PGP SIGNATURE", "X509 CRL"] {
        leaves(&format!("{}\n{}\n{}\n", begin(label), body(13, "\n"), finish(label)));
    }
}

#[test]
fn talk_of_a_key_stays() {
    let (first, last) = (begin("PRIVATE KEY"), finish("PRIVATE KEY"));
    leaves(&format!("if text.contains(\"{first}\") {{ return true; }}"));
    leaves(&format!("A key stands between `{first}` and `{last}` lines."));
    leaves(&format!("{first}\n<your key here>\n{last}"));
    leaves(&format!("{first}\n...\n{last}"));
    leaves(&format!("{first}\n{}\n{last}", "x".repeat(64)));
    leaves(&format!("{first}\n[REDACTED:private-key:0a1b]\n{last}"));
    leaves(&first.repeat(50));
}

#[test]
fn a_document_with_a_key_stays_valid() {
    let key = format!("{}\n{}\n{}\n", begin("PRIVATE KEY"), body(90, "\n"), finish("PRIVATE KEY"));
    let inner = serde_json::json!({ "key": key, "next": [key, 1] }).to_string();
    let outer = serde_json::json!({ "text": inner, "key": key }).to_string();
    let masked: serde_json::Value = serde_json::from_str(&scrub(&outer)).expect("JSON");
    let text = masked["text"].as_str().expect("a string");
    let nested: serde_json::Value = serde_json::from_str(text).expect("JSON in JSON");
    assert!(nested["key"].as_str().expect("a key").contains("[REDACTED:private-key"));
    assert!(!masked.to_string().contains(&body(1, "")[..20]));
}

#[test]
fn a_key_in_a_log_is_masked_whatever_stands_before_and_behind_its_lines() {
    let (first, last) = (begin("EC PRIVATE KEY"), finish("EC PRIVATE KEY"));
    for (before, behind) in [
        ("app-1  | ", ""),
        ("[pod/web-5d9/app] ", ""),
        ("2026-11-27T10:31:20.123456Z ", ""),
        ("Nov 27 10:31:20 host app[12]: ", ""),
        ("[INFO] ", ""),
        ("#12 0.345 ", ""),
        ("##[debug]", ""),
        ("key.pem:7:", ""),
        ("a1b2c3d4 (Bob 2026-11-27 7) ", ""),
        ("\u{1b}[32m", "\u{1b}[0m"),
        ("", "$"),
        ("", "^M$"),
        ("", "<br>"),
    ] {
        for lines in [1, 3, 40] {
            let line = format!("{behind}\n{before}");
            let secret = format!("{}{line}abc=", body(lines, &line));
            masks(&format!("{before}{first}{line}"), &secret, &format!("{line}{last}{behind}\n"));
        }
    }
    // What comes behind a key that was cut off is left alone.
    let cut = body(3, "\n[INFO] ");
    masks(
        &format!("[INFO] {first}\n[INFO] "),
        &cut,
        "\n[INFO] 200 lines of /usr/share/doc/that/are/long\n",
    );
}

#[test]
fn a_line_that_is_no_header_of_a_block_is_inspected_by_itself() {
    let text = format!(
        "{}\n  url: \"http://svc:BL39HJc3Yq@db.example.net:3128\"\n{}\n",
        begin("PRIVATE KEY"),
        body(1, "")
    );
    let masked = scrub(&text);
    assert!(!masked.contains("BL39HJc3Yq"), "{masked}");
    assert_eq!(scrub(&masked), masked);
}
