use super::{End, MAX_UNDECIDED, end};
use crate::hit::Continuation;

/// A body of `lines` lines that look like base64.
fn body(lines: usize, between: &str) -> String {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let letter = |at: usize| char::from(alphabet[(at * 37 + at / 7) % 64]);
    let line = |row: usize| (0..64).map(|column| letter(row * 64 + column)).collect::<String>();
    (0..lines).map(line).collect::<Vec<_>>().join(between)
}

/// The end as a stream sees it that gets the text in pieces of `size`.
fn in_pieces(continuation: Continuation, text: &[u8], size: usize) -> usize {
    let (mut from, mut shown) = (0, 0);
    loop {
        shown = text.len().min(shown + size);
        match end(continuation, &text[..shown], from, shown == text.len()) {
            End::At(at) => return at,
            End::Beyond(safe) => {
                assert!(safe >= from && shown - safe <= MAX_UNDECIDED, "{from} {safe} {shown}");
                from = safe;
            }
        }
    }
}

#[test]
fn a_secret_ends_at_the_same_place_however_the_text_is_cut() {
    let wrapped = format!("{}\r\n  abc=\r\n-----END", body(40, "\r\n  "));
    let escaped = format!("{}\\nab\\/c=\\n-----END", body(40, "\\n"));
    let quoted = format!("{}\\n\" +\n \"x\",\n \"name\": 1", body(5, "\\n\" +\n  \""));
    let percent = format!("{}%0Aabc%3D%0A-----END", body(9, "%2B").replace('/', "%2F"));
    let pgp = format!("{}\n=aBc1\n-----END", body(3, "\n"));
    let numbered = format!("{}\n   7\u{2192}and so on", body(3, "\n   5\u{2192}"));
    let assigned = format!("{}\nDATABASE=abcabcabcabcabcabcabcabc", body(3, "\n"));
    let one = format!("{} and so on", body(100, ""));
    for text in [wrapped, escaped, quoted, percent, pgp, numbered, assigned, one] {
        let whole = in_pieces(Continuation::Block, text.as_bytes(), text.len());
        assert!(whole >= body(3, "").len(), "{whole} in {text}");
        for size in [1, 2, 3, 7, 63, 64, 65, 500] {
            assert_eq!(
                in_pieces(Continuation::Block, text.as_bytes(), size),
                whole,
                "{size} {text}"
            );
        }
    }
}

#[test]
fn a_body_ends_before_what_is_no_base64() {
    let ends = |rest: &str| {
        let text = format!("{}{rest}", body(2, "\n"));
        match end(Continuation::Block, text.as_bytes(), 0, true) {
            End::At(at) => text[at..].to_string(),
            End::Beyond(_) => String::from("no end"),
        }
    };
    let line = body(1, "");
    for rest in
        ["\n-----END KEY-----", "\n$ ls", "\nDone reading it", "\", \"id\": \"x\"", "...", ""]
    {
        assert_eq!(ends(rest), rest);
    }
    assert_eq!(ends("\nabc=\n-----END"), "\n-----END");
    assert_eq!(ends(&format!("\",\n\"{line}\n-----END")), "\n-----END");
    assert_eq!(ends(&format!("\",\"{line}\":1")), format!("\",\"{line}\":1"));
    assert_eq!(ends("\nTOKEN=abc"), "\nTOKEN=abc");
}

#[test]
fn a_body_in_a_string_ends_with_it_unless_another_such_string_goes_on() {
    let ends = |rest: &str| {
        let text = format!("{}{rest}", body(2, "\\n"));
        let end = in_pieces(Continuation::Block, text.as_bytes(), text.len());
        for size in [1, 7, 64] {
            assert_eq!(in_pieces(Continuation::Block, text.as_bytes(), size), end, "{size} {text}");
        }
        text[end..].to_string()
    };
    for rest in [
        "\",true,\"-----BEGIN",
        "\", null, \"x\"]",
        "\",12,\n-----END",
        "\",123456789012345678901234567890,\n-----END",
        "\\\"\",true,\"-----END",
        "\\\"\",\"abc\",\"-----END",
        "\\u0022,true,\\u0022-----END",
    ] {
        assert_eq!(ends(rest), rest);
    }
    let line = body(1, "");
    for between in ["\\n\" +\n  \"", "\",\n \"", "'\n. '", "\\\", \\\"", "\"\n"] {
        assert_eq!(ends(&format!("{between}{line}\n-----END")), "\n-----END", "{between}");
    }
    assert_eq!(ends("\",\"abc=\",\"-----END"), "\",\"-----END");
}

#[test]
fn a_token_a_word_and_a_quoted_text_end_at_what_is_none() {
    let at = |continuation, text: &str| in_pieces(continuation, text.as_bytes(), 1);
    assert_eq!(at(Continuation::Token, "ab-c_d.e+f/g=~%41, then"), 17);
    assert_eq!(at(Continuation::Space, "ab,c;d:e then"), 8);
    assert_eq!(at(Continuation::Quote(b'"'), r#"a\"b\\" then"#), 6);
    assert_eq!(at(Continuation::Quote(b'\''), "a\"b"), 3);
}
