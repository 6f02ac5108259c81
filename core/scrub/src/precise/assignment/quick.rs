//! The quick answers of this finder: what is passed over at once tells nothing at a full look.

use super::super::super::view::View;
use super::super::kinds::Kinds;
use super::super::name;
use super::site::{Extent, Site};
use super::{assigned, is_empty, is_idle, is_in_prose, is_macro, is_weak, look, pass, tells};

/// Parts of names, signs, and values.
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
fn what_is_passed_over_at_once_tells_nothing_at_a_full_look() {
    let kinds = Kinds::new();
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut next = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % below as u64).expect("a small number")
    };
    let mut passed = [0; 7];
    for _ in 0..crate::soak::rounds(100_000, 2_000_000) {
        let piece: Vec<&str> = (0..2 + next(10)).map(|_| PIECES[next(PIECES.len())]).collect();
        let text = piece.concat();
        let text = text.as_bytes();
        let at = next(text.len());
        if !text[at].is_ascii_alphabetic() {
            continue;
        }
        let view = View { text, at, floor: 0, last: true };
        let site = Site::new(&view, Extent::around(text, at));
        let shown = || String::from_utf8_lossy(text);
        if let Some(resume) = pass(&kinds, &view) {
            passed[3] += 1;
            let look = look(&kinds, &view);
            assert!(look.hit.is_none(), "{} at {at}", shown());
            assert_eq!(look.resume, resume, "{} at {at}", shown());
        }
        if !name::may_tell(site.name()) {
            passed[0] += 1;
            assert_eq!(name::telling(site.name()), None, "{} at {at}", shown());
        }
        let Some(telling) = tells(&site) else { continue };
        let found = || assigned(&kinds, &view, &site, telling);
        if is_idle(&view, &site) {
            passed[1] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if is_empty(&view, &site) {
            passed[4] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if is_macro(&kinds, &view, &site) {
            passed[5] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if is_in_prose(&view, &site) {
            passed[6] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
        if is_weak(&kinds, &view, &site) {
            passed[2] += 1;
            assert!(found().is_none(), "{} at {at}", shown());
        }
    }
    assert!(passed.iter().all(|count| *count > 20), "too few were passed over: {passed:?}");
}
