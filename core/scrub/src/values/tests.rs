use super::form::{FORMS, Form};
use super::*;

mod broken;
mod concurrent;
mod oracle;

fn values(texts: &[&str]) -> Values {
    let values = Values::new();
    for text in texts {
        values.add(text, None).unwrap();
    }
    values
}

/// The hits in a text, as `start..end` and encoding.
fn hits(values: &Values, text: &[u8]) -> Vec<(std::ops::Range<usize>, Option<&'static str>)> {
    let mut found = Vec::new();
    values.find(text, 0, text.len(), &mut found);
    found.into_iter().map(|hit| (hit.span, hit.encoding)).collect()
}

/// The text with `#` in place of each hit, or of several that overlap.
fn masked(values: &Values, text: &str) -> String {
    let mut out = String::new();
    let mut copied = 0;
    for (span, _) in hits(values, text.as_bytes()) {
        if span.start >= copied {
            out.push_str(&text[copied..span.start]);
            out.push('#');
        }
        copied = span.end;
    }
    out + &text[copied..]
}

#[track_caller]
fn check(registered: &[&str], cases: &[(&str, &str)]) {
    let values = values(registered);
    for (text, want) in cases {
        assert_eq!(masked(&values, text), *want, "in {text:?}");
    }
}

const TOKEN: &str = "tk9Zq3-VbX_71LmQwErT0aSd";

#[test]
fn a_value_is_found_wherever_it_stands() {
    check(
        &[TOKEN],
        &[
            (TOKEN, "#"),
            (&format!("a={TOKEN};"), "a=#;"),
            (&format!("xx{TOKEN}yy"), "xx#yy"),
            (&format!("{TOKEN}{TOKEN}"), "##"),
            (&TOKEN[1..], &TOKEN[1..]),
            ("", ""),
        ],
    );
}

#[test]
fn the_longest_value_wins_where_several_start() {
    check(
        &["10.0.0.1", "10.0.0.12", "10.0.0.123"],
        &[
            ("a 10.0.0.1, b 10.0.0.12, c 10.0.0.123.", "a #, b #, c #."),
            ("10.0.0.124", "10.0.0.124"),
        ],
    );
    check(
        &["secret-alpha-one", "secret-alpha-one-two", "alpha-one-two-three"],
        &[("secret-alpha-one-two-three!", "#!"), ("x alpha-one-two-three", "x #")],
    );
}

#[test]
fn no_part_of_a_value_that_overlaps_with_another_is_left() {
    check(
        &["zq81nfw02kxm55pd", "kxm55pd-and-a-tail", "a-tail/of/its/own", "m55pd-and"],
        &[
            ("x zq81nfw02kxm55pd-and-a-tail/of/its/own y", "x # y"),
            ("x zq81nfw02kxm55pd-and-a y", "x #-a y"),
            ("zq81nfw02kxm55pdzq81nfw02kxm55pd", "##"),
        ],
    );
    check(&["ab1ab1ab1ab1"], &[("x ab1ab1ab1ab1ab1ab1 y", "x # y")]);
}

#[test]
fn an_encoded_value_is_found_right_behind_another_value() {
    // Its first bits may stand in the last letter of the other one by chance.
    let encoded = data_encoding::BASE64.encode(format!("?{TOKEN}").as_bytes());
    for letter in ('a'..='z').chain('A'..='Z').chain('0'..='9') {
        let other = format!("another-value-17{letter}");
        let values = values(&[TOKEN, &other]);
        let left = masked(&values, &format!("{other}{}", &encoded[2..]));
        assert!(left.bytes().all(|byte| byte == b'#'), "{left} is left behind {other}");
    }
}

#[test]
fn the_pieces_of_a_long_value_leave_nothing_between_them_in_any_encoding() {
    let letters = b"ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnpqrstuvwxyz23456789+/_-";
    let mut seed = 7_u64;
    let mut letter = |_| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(letters[(seed >> 33) as usize % letters.len()])
    };
    for length in [600, 1_000, 5_000, Values::LONGEST] {
        let value: String = (0..length).map(&mut letter).collect();
        let values = values(&[&value]);
        for before in ["", "x", "xy"] {
            let base64 = data_encoding::BASE64.encode(format!("{before}{value}").as_bytes());
            // What stands before the value has a character or two of its own.
            let left = masked(&values, &base64).replace('#', "");
            assert!(left.len() <= before.len(), "of {length} bytes is left: {left}");
        }
        let hex = data_encoding::HEXLOWER.encode(value.as_bytes());
        assert!(masked(&values, &hex).trim_matches('#').is_empty());
    }
}

#[test]
fn numbers_and_addresses_have_boundaries() {
    check(
        &["10.0.0.1", "48151623", "fe80::12:34", "10-0-0-7"],
        &[
            (
                "110.0.0.12 10.0.0.123 110.0.0.1 10.0.0.1.5 3.10.0.0.1",
                "110.0.0.12 10.0.0.123 110.0.0.1 10.0.0.1.5 3.10.0.0.1",
            ),
            ("10.0.0.1:80 http://10.0.0.1/ (10.0.0.1). 10.0.0.1", "#:80 http://#/ (#). #"),
            ("10.0.0.1.nip.io", "#.nip.io"),
            (
                "148151623 481516233 3.48151623 a48151623 id_48151623",
                "148151623 481516233 3.48151623 a48151623 id_#",
            ),
            ("pin 48151623. pin=48151623", "pin #. pin=#"),
            ("fe80::12:34 fe80::12:345 1fe80::12:34", "# fe80::12:345 1fe80::12:34"),
            ("ip-10-0-0-7.internal 110-0-0-7 10-0-0-77", "ip-#.internal 110-0-0-7 10-0-0-77"),
        ],
    );
}

#[test]
fn a_short_value_is_no_part_of_a_longer_word() {
    check(
        &["zq7x", "hunter2", "tangerine"],
        &[
            ("zq7x zq7xx azq7x zq7x_1 (zq7x)", "# zq7xx azq7x zq7x_1 (#)"),
            ("hunter2! hunter22 密码hunter2是", "#! hunter22 密码#是"),
            ("tangerine tangerines 9tangerine9", "# tangerines 9#9"),
            (r#""a\nhunter2\nb""#, r##""a\n#\nb""##),
            ("x%3Dhunter2%26 \x1b[31mhunter2\x1b[0m", "x%3D#%26 \x1b[31m#\x1b[0m"),
        ],
    );
}

#[test]
fn a_value_in_base64_is_found_at_every_alignment() {
    let values = values(&[TOKEN, "p+ss/w?rd~4>2"]);
    for value in [TOKEN, "p+ss/w?rd~4>2"] {
        for before in 0..7 {
            for behind in 0..7 {
                let clear =
                    [&b"[{(<|,;"[..before], value.as_bytes(), &b"!$%&:.#"[..behind]].concat();
                for encoding in [
                    data_encoding::BASE64,
                    data_encoding::BASE64_NOPAD,
                    data_encoding::BASE64URL,
                    data_encoding::BASE64URL_NOPAD,
                ] {
                    let text = encoding.encode(&clear);
                    let found = hits(&values, text.as_bytes());
                    assert_eq!(found.len(), 1, "{before} {behind} {text}");
                    // What is left is less than a byte of the value at either end.
                    let (span, name) = &found[0];
                    assert!(name.unwrap().starts_with("base64"));
                    assert!(span.start * 6 <= before * 8, "{before} {behind} {text} {span:?}");
                    assert!(span.end * 6 >= (before + value.len()) * 8, "{before} {behind} {text}");
                }
            }
        }
    }
}

#[test]
fn every_encoding_is_found_and_named() {
    let value = r#"pä"s's <w>&o\r/d$1+2%"#;
    let values = values(&[value]);
    let mut names = std::collections::BTreeSet::new();
    for form in FORMS {
        let text = form.of(value);
        for around in [("", ""), ("x = ", " ;\n"), ("\"", "\"")] {
            let text = [around.0.as_bytes(), &text, around.1.as_bytes()].concat();
            let found = hits(&values, &text);
            assert_eq!(found.len(), 1, "{form:?} in {:?}", String::from_utf8_lossy(&text));
            let span = around.0.len()..text.len() - around.1.len();
            assert!(found[0].0.start <= span.start && found[0].0.end >= span.end, "{form:?}");
            names.extend(found[0].1);
        }
    }
    assert!(names.len() >= 14, "{names:?}");
}

#[test]
fn what_encoders_of_libraries_write_is_found() {
    let value = "pa ss/w@rd\"+&<é'$`\\x";
    let texts = [
        "pa%20ss%2Fw%40rd%22%2B%26%3C%C3%A9'%24%60%5Cx", // JavaScript: encodeURIComponent
        "pa%20ss%2fw%40rd%22%2b%26%3c%c3%a9'%24%60%5cx",
        "pa%20ss/w%40rd%22%2B%26%3C%C3%A9%27%24%60%5Cx", // Python: quote
        "pa+ss%2Fw%40rd%22%2B%26%3C%C3%A9%27%24%60%5Cx", // Python: quote_plus; forms
        "pa%20ss/w@rd%22+&%3C%C3%A9'$%60%5Cx",           // JavaScript: encodeURI
        r#"pa ss/w@rd\"+&<é'$`\\x"#,                     // JSON
        r#"pa ss\/w@rd\"+&<é'$`\\x"#,                    // JSON of PHP
        r#"pa ss/w@rd\"+&<\u00e9'$`\\x"#,                // JSON of Python
        r#"pa ss/w@rd\"+\u0026\u003cé'$`\\x"#,           // JSON of Go
        r#"pa ss/w@rd\\\"+&<é'$`\\\\x"#,                 // JSON in JSON
        "pa ss/w@rd&quot;+&amp;&lt;é&#x27;$`\\x",        // Python: html.escape
        "pa ss/w@rd&#34;+&amp;&lt;é&#39;$`\\x",          // Go: html.EscapeString
        "pa ss/w@rd&quot;+&amp;&lt;é&apos;$`\\x",        // XML
        "pa ss/w@rd\"+&amp;&lt;é'$`\\x",                 // XML text
        r#"'pa ss/w@rd"+&<é'\''$`\x'"#,                  // shells
        r#"'pa ss/w@rd"+&<é'"'"'$`\x'"#,                 // Python: shlex.quote
        "\"pa ss/w@rd\\\"+&<é'\\$\\`\\\\x\"",
        r#"pa\ ss/w@rd\"+\&\<é\'\$\`\\x"#, // bash: printf %q
        "'pa ss/w@rd\"+&<é''$`\\x'",       // PowerShell
    ];
    let values = values(&[value]);
    for text in texts {
        let found = hits(&values, text.as_bytes());
        assert_eq!(found.len(), 1, "{text}");
        assert!(found[0].0.len() >= text.len() - 2, "{text} {:?}", found[0]);
    }
}

#[test]
fn a_value_broken_into_lines_is_found() {
    let values = values(&[TOKEN]);
    for at in 1..TOKEN.len() {
        for end in ["\n", "\r\n", "\n    ", "\\\n", "\\n", "\\\\n  ", "=\n", "\u{200b}", "\u{ad}"] {
            let text = format!("x {}{end}{} y", &TOKEN[..at], &TOKEN[at..]);
            assert_eq!(masked(&values, &text), "x # y", "{at} {end:?}");
            assert_eq!(hits(&values, text.as_bytes())[0].1, Some("wrapped"));
        }
    }
}

#[test]
fn wrapped_base64_of_a_text_with_a_value_leaves_nothing_of_it() {
    let values = values(&[TOKEN]);
    for columns in [64, 76] {
        for before in 0..120 {
            let clear = format!("{}{TOKEN}{}", "#".repeat(before), "~".repeat(90));
            let text = data_encoding::BASE64.encode(clear.as_bytes());
            let lines: Vec<&str> = (0..text.len().div_ceil(columns))
                .map(|n| &text[n * columns..text.len().min((n + 1) * columns)])
                .collect();
            for end in ["\n", "\r\n", "\\n"] {
                let wrapped = lines.join(end);
                assert_eq!(
                    hits(&values, wrapped.as_bytes()).len(),
                    1,
                    "{columns} {before} {end:?}"
                );
            }
        }
    }
}

#[test]
fn an_escape_is_never_split() {
    check(
        &["nabc-DEF-123-ghi", "41abc-DEF-123-ghj", "0041abc-DEF-123-ghk", "abc-DEF-123-ghl\\"],
        &[
            (r#"{"a":"\nabc-DEF-123-ghi"}"#, r##"{"a":"#"}"##),
            (r#"{"a":"\\nabc-DEF-123-ghi"}"#, r#"{"a":"\\#"}"#),
            ("x%41abc-DEF-123-ghj", "x#"),
            (r#""\u0041abc-DEF-123-ghk""#, r##""#""##),
            (r#""abc-DEF-123-ghl\"" "#, r##""#" "##),
            (r#""abc-DEF-123-ghl\\" "#, r##""#" "##),
        ],
    );
}

#[test]
fn a_key_block_is_found_however_it_is_laid_out() {
    let body: String = (0..24)
        .map(|n| {
            data_encoding::BASE64
                .encode(format!("{n:02}key material: ü{:033}", n * 77_777).as_bytes())
        })
        .collect();
    let lines: Vec<&str> =
        (0..body.len().div_ceil(64)).map(|n| &body[n * 64..body.len().min(n * 64 + 64)]).collect();
    let block = |end: &str| {
        format!(
            "-----BEGIN RSA PRIVATE KEY-----{end}{}{end}-----END RSA PRIVATE KEY-----{end}",
            lines.join(end)
        )
    };
    let values = values(&[&block("\n")]);
    assert_eq!(values.len(), 1);
    for end in ["\n", "\r\n", "\n        ", "\\n", "\\\\n"] {
        let text = format!("key: {} end", block(end));
        let left = masked(&values, &text);
        assert!(
            left.contains("BEGIN") && !lines.iter().any(|line| left.contains(&line[..16])),
            "{left}"
        );
    }
    let left = masked(&values, &body);
    assert!(left.bytes().all(|b| b == b'#'), "{left}");
    let inner = data_encoding::BASE64.encode(block("\n").as_bytes());
    assert!(masked(&values, &inner).len() < inner.len() / 4);
}

#[test]
fn a_long_value_is_found_and_a_longer_one_refused() {
    let long: String = (0..Values::LONGEST as u32 / 8)
        .map(|n| format!("{:08x}", n.wrapping_mul(0x9e37_79b9)))
        .collect();
    let values = Values::new();
    assert_eq!(values.add(&long, None).unwrap().warning, None);
    let left = masked(&values, &format!("a {long} b"));
    assert!(left.starts_with("a #") && left.ends_with("# b") && left.len() < 100, "{left}");
    let hex = data_encoding::HEXUPPER.encode(long.as_bytes());
    assert!(masked(&values, &hex).len() < 100);
    let error = values.add(&format!("{long}x"), None).unwrap_err();
    assert_eq!(error, ValueError::TooLong { length: Values::LONGEST + 1 });
    assert!(error.to_string().contains("16,384"));
}

#[test]
fn values_that_cannot_be_guarded_are_warned_about() {
    let values = Values::new();
    let code = |value: &str| values.add(value, None).unwrap().warning.map(Warning::code);
    for short in ["", " ", "a", "abc", "\n12\n"] {
        assert_eq!(code(short), Some("value_too_short"), "{short:?}");
    }
    for common in ["true", "ROOT", "localhost", "127.0.0.1", "********", "[REDACTED]", "password"] {
        assert_eq!(code(common), Some("value_common"), "{common:?}");
    }
    assert!(values.is_empty());
    assert_eq!(code("x7k2"), Some("value_short"));
    assert_eq!(code("hunter2"), Some("value_short"));
    assert_eq!(code("hunter22"), None);
    assert_eq!(values.len(), 3);
    assert!(!hits(&values, b"MTIzNHg3azI= aHVudGVyMjI=").is_empty());
    assert!(hits(&values, b"6878376b3278").is_empty(), "a short value has no encodings");
}

#[test]
fn a_kind_is_a_few_plain_characters() {
    let values = Values::new();
    for kind in ["", "Deploy", "a b", "a:b", "ü", &"x".repeat(41)] {
        let error = values.add(TOKEN, Some(kind)).unwrap_err();
        assert!(matches!(error, ValueError::Kind { .. }), "{kind}");
        assert!(!error.to_string().contains(TOKEN));
    }
    values.add(TOKEN, Some("deploy-key-2")).unwrap();
    let mut found = Vec::new();
    values.find(TOKEN.as_bytes(), 0, TOKEN.len(), &mut found);
    assert_eq!(found[0].kind.as_str(), "deploy-key-2");
}

#[test]
fn a_value_added_twice_is_removed_twice() {
    let values = values(&[TOKEN, TOKEN, "another-value-17"]);
    assert_eq!(values.len(), 2);
    assert!(values.remove(TOKEN));
    assert_eq!(masked(&values, TOKEN), "#");
    assert!(values.remove(&format!(" {TOKEN}\n")), "white space around does not count");
    assert_eq!(masked(&values, TOKEN), TOKEN);
    assert!(!values.remove(TOKEN));
    assert_eq!(masked(&values, "another-value-17"), "#");
    values.clear();
    assert!(values.is_empty());
    assert_eq!(masked(&values, "another-value-17"), "another-value-17");
    values.add(TOKEN, None).unwrap();
    assert_eq!(masked(&values, TOKEN), "#");
}

#[test]
fn nothing_of_a_value_is_shown_or_kept() {
    let values = values(&[TOKEN]);
    let shown = format!("{values:?}");
    assert!(shown.contains('1') && !shown.contains(&TOKEN[..6]), "{shown}");
    let held = Arc::downgrade(&values.lock().values.keys().next().unwrap().0);
    assert!(held.upgrade().is_some());
    values.remove(TOKEN);
    assert!(held.upgrade().is_none(), "wiped as soon as it is removed");
}

#[test]
fn values_with_much_in_common_are_distinguished() {
    let header = data_encoding::BASE64URL_NOPAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
    let token = |n: u32| {
        format!("{header}.{}.{:08x}", "same-payload".repeat(4), n.wrapping_mul(0x9e37_79b9))
    };
    let values = Values::new();
    for n in 0..500 {
        values.add(&token(n), None).unwrap();
    }
    for n in (0..500).step_by(97) {
        assert_eq!(
            masked(&values, &format!("t={} u={}", token(n), token(n + 5_000))),
            format!("t=# u={}", token(n + 5_000))
        );
    }
}

#[test]
fn adding_and_removing_cost_the_same_however_many_there_are() {
    let values = Values::new();
    let work = || values.tables.work.load(Ordering::Relaxed);
    let value = |n: u32| format!("value-{:08x}-{:08x}", n.wrapping_mul(0x9e37_79b9), n);
    let mut before = 0;
    for n in 0..1_024 {
        values.add(&value(n), None).unwrap();
        if (n + 1).is_power_of_two() {
            let forms = (work() - before) / (n as usize / 2 + 1);
            assert!(forms < 5 * FORMS.len(), "{forms} forms for each of the last of {n}");
            before = work();
        }
    }
    for n in 0..1_024 {
        assert!(values.remove(&value(n)));
    }
    assert!(work() - before < 1_024 * 5 * FORMS.len());
    assert!(values.is_empty());
    assert_eq!(masked(&values, &value(7)), value(7));
}

#[test]
fn clean_text_costs_no_allocation() {
    let values = Values::new();
    for n in 0..500_u32 {
        values.add(&format!("{:08x}-tok-{n:06}", n.wrapping_mul(0x9e37_79b9)), None).unwrap();
    }
    let text = "The quick brown fox, 2026-11-22T08:00:00Z, jumps over 10.1.2.3.\n".repeat(400);
    let mut found = Vec::new();
    values.find(text.as_bytes(), 0, text.len(), &mut found);
    let spent = allocation_counter::measure(|| {
        values.find(text.as_bytes(), 0, text.len(), &mut found);
    });
    assert_eq!((spent.count_total, found.len()), (0, 0));
}

#[test]
fn a_form_is_made_once_for_each_different_text() {
    let values = values(&[TOKEN]);
    let registry = values.lock();
    let registered = &registry.values.keys().next().unwrap().0;
    let mut forms: Vec<Form> = registered.anchors.iter().map(|anchor| anchor.form()).collect();
    forms.dedup();
    assert!(forms.contains(&Form::Raw) && !forms.contains(&Form::Json), "{forms:?}");
}
