//! Values that are broken in many places.

use super::*;

/// Distances at which a value is broken.
const EVERY: [usize; 6] = [1, 2, 3, 5, 8, 13];

fn broken(value: &str, every: usize, by: &str) -> String {
    let characters: Vec<char> = value.chars().collect();
    let lines: Vec<String> = characters.chunks(every).map(|line| line.iter().collect()).collect();
    lines.join(by)
}

#[track_caller]
fn is_masked(values: &Values, value: &str, by: &str) {
    for every in EVERY {
        let text = format!("before\nx: {}\nbehind", broken(value, every, by));
        let left = masked(values, &text);
        assert!(left.starts_with("before\nx: #") && left.ends_with("\nbehind"), "{left:?}");
        assert!(left.len() < "before\nx: #\nbehind".len() + 2, "{every} {by:?}: {left:?}");
    }
}

#[test]
fn a_value_on_any_number_of_lines_is_found() {
    let values = values(&[TOKEN]);
    for by in [
        "\n",
        "\r\n",
        "\n    ",
        "\n\t",
        " \n",
        "  \n  ",
        "\n\n",
        "\\\n",
        "\\\n  ",
        "\\n",
        "\\\\n",
        "\\r\\n",
        "%0A",
        "%0D%0A",
        "\u{2028}",
        "\u{85}",
        "\x0b",
        "\n        ",
    ] {
        is_masked(&values, TOKEN, by);
    }
}

#[test]
fn a_value_with_characters_in_it_that_nobody_sees_is_found() {
    let values = values(&[TOKEN]);
    let unseen = (0x200b..=0x200f)
        .chain(0x202a..=0x202e)
        .chain(0x2060..=0x206f)
        .chain([0xad, 0x34f, 0x61c, 0x180e, 0x3164, 0xfe0f, 0xfeff, 0xfff9])
        .chain((0xe0000..0xe0080).step_by(9))
        .chain([0xe0100, 0x07, 0x08, 0x1b, 0x7f, 0x9b]);
    for code in unseen {
        let by = char::from_u32(code).unwrap().to_string();
        is_masked(&values, TOKEN, &by);
        is_masked(&values, TOKEN, &by.repeat(2));
        if code > 0x9f {
            is_masked(&values, TOKEN, &format!("{by}\n"));
        }
    }
    for by in ["\\u200b", "\\udb40\\udc41", "\x1b[0m", "\x1b[38;5;1m"] {
        is_masked(&values, TOKEN, by);
    }
}

#[test]
fn an_encoding_of_a_value_on_many_lines_is_found() {
    let values = values(&[TOKEN]);
    for form in FORMS {
        let encoded = String::from_utf8_lossy(&form.of(TOKEN)).into_owned();
        let is_text = !matches!(form, Form::Utf16Le | Form::Utf16Be);
        for every in [20, 48, 60, 64, 76] {
            if is_text && (form.wraps() || every < unwrapped::MAX_UNANCHORED) && encoded.is_ascii()
            {
                let text = format!("x: {}\nbehind", broken(&encoded, every, "\n"));
                let left = masked(&values, &text);
                assert!(left.len() < "x: #\nbehind".len() + 3, "{form:?} {every}: {left:?}");
            }
        }
    }
}

#[test]
fn a_long_value_is_found_at_any_width() {
    let long: String =
        (0..60_u32).map(|n| format!("{:08x}", n.wrapping_mul(0x9e37_79b9))).collect();
    let values = values(&[&long]);
    for every in (1..200).step_by(7) {
        let left = masked(&values, &format!("x\n{}\ny", broken(&long, every, "\n")));
        assert_eq!(left, "x\n#\ny", "{every}");
        let encoded = data_encoding::BASE64.encode(long.as_bytes());
        if every >= 7 {
            let left = masked(&values, &format!("x\n{}\ny", broken(&encoded, every, "\n")));
            assert_eq!(left, "x\n#\ny", "{every} of base64");
        }
    }
}

#[test]
fn the_words_of_a_value_may_stand_on_a_line_each() {
    let value = "correct horse battery staple";
    let values = values(&[value]);
    for by in ["\n", " \n", "\n  ", "\r\n", " "] {
        let text = format!("say {} now", value.replace(' ', by));
        assert_eq!(masked(&values, &text), "say # now", "{by:?}");
    }
    is_masked(&values, value, "\u{200b}");
}

#[test]
fn a_short_value_is_found_on_two_lines() {
    let values = values(&["hunter2-xy"]);
    for at in 1..10 {
        let (head, tail) = "hunter2-xy".split_at(at);
        let text = format!("some text {head}\n{tail} and more");
        assert_eq!(masked(&values, &text), "some text # and more", "{at}");
    }
}

#[test]
fn words_and_numbers_on_lines_of_their_own_are_no_value() {
    check(
        &["butterfly", "48151623", "hunter2"],
        &[
            ("butter\nfly\n", "butter\nfly\n"),
            ("4815\n1623\n", "4815\n1623\n"),
            ("hun\nter\n2\n", "hun\nter\n2\n"),
            ("b\nu\nt\nt\ne\nr\nflies\n", "b\nu\nt\nt\ne\nr\nflies\n"),
        ],
    );
}

#[test]
fn a_text_with_nothing_but_breaks_is_looked_at_no_more_often_than_other() {
    let values = values(&[TOKEN, "with some blanks in it", "short-one"]);
    for unit in ["\n", "a\n", " \n", "\u{200b}", "\\n", "tk9\n", "\x1b[0m", "t\u{e0041}"] {
        let text = unit.repeat(100_000 / unit.len());
        assert!(hits(&values, text.as_bytes()).is_empty(), "{unit:?}");
    }
}
