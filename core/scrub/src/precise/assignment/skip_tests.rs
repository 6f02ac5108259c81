//! Tests of [`skip`]: a name that is skipped gives no hit in a full inspection, and the search
//! continues at the same place.

use super::super::super::view::View;
use super::super::kinds::Kinds;
use super::super::name;
use super::site::{NameSpan, Site};
use super::{
    assigned, class_of, continues_as_prose, has_empty_string, has_macro_value, has_no_assignment,
    has_weak_value, inspect, skip,
};

/// Pieces of names, signs and values that texts are composed of.
const PIECES: &[&str] = &[
    "password",
    "passing",
    "key",
    "Key",
    "apiKey",
    "token",
    "Tokens",
    "session",
    "auth",
    "sig",
    "virtual_key_x",
    "VIRTUAL_HOST",
    "_prod",
    "_2",
    "_value",
    "пароль",
    "contraseña",
    "turnkey",
    "=",
    "==",
    ":",
    "::",
    ": ",
    " = ",
    "=\"",
    "(",
    "(\"",
    ")",
    "[",
    "]",
    "{",
    "}",
    "<",
    ">",
    "</",
    ",",
    ", ",
    ".",
    ".=",
    "+=",
    "!",
    "!=",
    "?",
    "?:",
    "?=",
    "||=",
    "->",
    ";",
    "&",
    "%3D",
    "/",
    "\\n",
    "\n",
    "\n  ",
    " ",
    "\"",
    "'",
    "\\\"",
    "-",
    "--",
    "#",
    "@",
    "$",
    "：",
    "{\"",
    "libc:8986",
    "regex-automata:7545",
    "regex-automata:7545\n",
    "b8x2q9w4m7k1z5c3v6n0\n",
    "npg_aB3dE6gH9jK2\n",
    "0123456789abcdef01234567\n",
    "two_words_2, ",
    "t,i.cache=",
    ",a,",
    "abc",
    "a1",
    "aB3dE6gH9jK2mN5pQr8sT1uV",
    "is ",
    " is ",
    " to ",
    " set ",
    " for ",
    " constraint ",
    " the ",
    " by ",
    " a\n",
    "set ",
    "let ",
    "login bob password ",
    "enable ",
    " deadbeefdeadbeefdeadbeef ",
    "$ cat ",
    "# ",
    ":\n",
    "\narsenal1975\n",
    "\naB3dE6gH9jK2mN5pQr8sT1uV\n",
    " use arsenal1975 ",
    "arsenal1975 as the ",
    "\"arsenal1975\"",
    "[[arsenal1975]]",
    " <- \"arsenal1975\"",
    "password<-\"arsenal1975\"",
    "{password,<<\"arsenal1975\">>}",
    ").toBe(\"arsenal1975\")",
    "{\"arsenal1975\"}",
    ", <<\"arsenal1975\">>}",
    " As String = \"arsenal1975\"",
    "] => arsenal1975\n",
    "API ",
    "[REDACTED]",
    "npg_aB3dE6gH9jK2",
    "String::from(",
    "r#\"",
    "default",
    "Cookie: ",
    "key=libc:8986\n",
    "key: u64,\n",
    ": K\n",
    "user, key=abc, \"",
    "user, key: abc\r",
    "echo aB3dE6gH9jK2mN5pQr8sT1uV | tool --key-stdin",
    "session=a1, ",
    "auth=abc)",
    ": \"\"",
    "=''",
    "\"\"\"",
    "'",
    "user, ",
    ": &hex!(\"",
    "key: &hex!(\"00ff\"),",
    "session: b!(\"",
    "hex!(\"",
    "!(\"",
    "&",
    "\")",
    "[1, 2]",
];

#[test]
fn what_is_skipped_has_no_hit_in_a_full_inspection() {
    let kinds = Kinds::new();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let mut passed = [0; 7];
    for _ in 0..crate::test_rounds::rounds(100_000, 2_000_000) {
        let piece: Vec<&str> = (0..2 + next(10)).map(|_| PIECES[next(PIECES.len())]).collect();
        let text = piece.concat();
        let text = text.as_bytes();
        let at = next(text.len());
        if !text[at].is_ascii_alphabetic() {
            continue;
        }
        let view = View { text, at, floor: 0, last: true };
        let site = Site::new(&view, NameSpan::around(text, at));
        let shown = || String::from_utf8_lossy(text);
        if let Some(resume) = skip(&kinds, &view) {
            passed[3] += 1;
            let inspect = inspect(&kinds, &view);
            assert!(inspect.hit.is_none(), "{} at {at}", shown());
            assert_eq!(inspect.resume, resume, "{} at {at}", shown());
        }
        if !name::may_be_secret_name(site.name()) {
            passed[0] += 1;
            assert_eq!(name::classify(site.name()), None, "{} at {at}", shown());
        }
        let Some(class) = class_of(&site) else { continue };
        let found = || assigned(&kinds, &view, &site, class);
        if has_no_assignment(&view, &site) {
            passed[1] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if has_empty_string(&view, &site) {
            passed[4] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if has_macro_value(&kinds, &view, &site) {
            passed[5] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if continues_as_prose(&view, &site) {
            passed[6] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if has_weak_value(&kinds, &view, &site) {
            passed[2] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
    }
    assert!(passed.iter().all(|count| *count > 20), "too few were passed over: {passed:?}");
}
