//! A harder sample than the labelled one, made at run time from tables beside this file: what
//! vendors' pages show of their tokens in the contexts of the labelled secrets, keys that only the
//! vendor's name tells in the ways that code assigns them, lines of examples, and harmless lines.
//!
//! In a pattern `{w:20}` stands for twenty letters of the alphabet `w`, `{u}` for a UUID, `{j}` for
//! a JSON web token.

use data_encoding::BASE64URL_NOPAD;

use super::dice::{BASE62, BASE64, Dice, HEX, LOWER};
use super::score::{ALL, Tally, is_found, scrubber};

const MARKED: &str = include_str!("hard/marked.txt");
const VENDORS: &str = include_str!("hard/vendors.txt");
const SNIPPETS: &str = include_str!("hard/snippets.txt");
const HARMLESS: &str = include_str!("hard/harmless.txt");

/// The contexts of the labelled secrets: `{S}` is the secret, `{N}` a name, `{E}` one of the
/// environment, `{F}` a flag.
const CONTEXTS: &[&str] = &[
    "My key is {S}, please keep it safe.",
    "client = Client({N}='{S}', timeout=30)",
    "const {N} = '{S}';",
    "+    {N}={S}\n-    {N}=",
    "--{F} {S} --verbose",
    "{\"env\":[{\"name\":\"{E}\",\"value\":\"{S}\"}]}",
    "2026-11-21T08:12:13Z DEBUG http: sending header x-api-key: {S} to upstream",
    "{S}",
    "<{N}>{S}</{N}>",
    "https://api.example.org/v1/items?{N}={S}&page=2",
    "Cookie: session={S}; Path=/",
    "{\"status\":\"ok\",\"{N}\":\"{S}\",\"expires_in\":3600}",
    "\"{N}\": \"{S}\",",
    "{N} = \"{S}\"",
    "{N}: {S}",
    "{N}: |\n  {S}\nother: 1",
    "export {E}={S}",
    "curl -s -H \"Authorization: Bearer {S}\" https://api.example.org/v1/me",
    "\\\"{N}\\\":\\\"{S}\\\"",
];

const NAMES: &[&str] =
    &["api_key", "apiKey", "token", "access_token", "secret", "client_secret", "auth_token"];

/// How code assigns a vendor's key; `{V}` is the vendor, `{U}` the same in capitals.
const ASSIGNED: &[&str] = &[
    "{V}Token=\"{S}\"",
    "{V}Token = {S}",
    "{\n    \"{V}_token\": \"{S}\"\n}",
    "{\\n    \\\"{V}_token\\\": \\\"{S}\\\"\\n}",
    "<{V}Token>\n    {S}\n</{V}Token>",
    "{V}_token: {S}",
    "{V}_token: '{S}'",
    "string {V}Token = \"{S}\";",
    "var {V}Token string = \"{S}\"",
    "{V}Token := `{S}`",
    "${V}Token .= \"{S}\"",
    "{U}_TOKEN := \"{S}\"",
    "{U}_TOKEN ::= \"{S}\"",
    "{U}_TOKEN :::= \"{S}\"",
    "{U}_TOKEN ?= \"{S}\"",
    "System.setProperty(\"{U}_TOKEN\", \"{S}\")",
    "  \"{V}Token\" => \"{S}\"",
    "{V}_secret = \"{S}\"",
    "{U}_SECRET: {S}",
    "{V}.api.key={S}",
    "{V}_key: {S}",
    "\"{V}_key\": \"{S}\"",
    "{U}_KEY={S}",
    "{V}-api-key: {S}",
    "{V}_pat = \"{S}\"",
    "{V}_auth: \"{S}\"",
    "{V} api key is {S}",
    "{V}:\n  api_key: {S}",
    "{U}_API_TOKEN:\n  {S}\n",
];

fn lines(table: &'static str) -> impl Iterator<Item = &'static str> {
    table.lines().filter(|line| !line.is_empty() && !line.starts_with("# "))
}

fn alphabet(letter: &str) -> String {
    match letter {
        "h" => HEX.to_owned(),
        "H" => HEX.to_uppercase(),
        "d" => HEX[..10].to_owned(),
        "l" => LOWER.to_owned(),
        "a" => format!("{LOWER}{}", &HEX[..10]),
        "A" => format!("{}{}", LOWER.to_uppercase(), &HEX[..10]),
        "m" => format!("{}234567", LOWER.to_uppercase()),
        "c" => format!("{LOWER}234567"),
        "B" => "023456789ACDEFGHJKLMNPQRSTUVWXYZ".to_owned(),
        "W" => BASE62[..52].to_owned(),
        "w" => BASE62.to_owned(),
        "s" => format!("{BASE62}-_"),
        "b" => BASE64.to_owned(),
        "K" => format!("{BASE64}="),
        "p" => format!("{BASE62}!#%^&*-_=+@"),
        other => panic!("no alphabet {other}"),
    }
}

fn uuid(dice: &mut Dice) -> String {
    let mut text = |length| dice.text(HEX, length);
    format!("{}-{}-4{}-a{}-{}", text(8), text(4), text(3), text(3), text(12))
}

fn web_token(dice: &mut Dice) -> String {
    let part = |said: &str| BASE64URL_NOPAD.encode(said.as_bytes());
    let claims = format!("{{\"sub\":\"{}\"}}", dice.text(HEX, 12));
    let signature = dice.text(&alphabet("s"), 43);
    format!("{}.{}.{signature}", part("{\"alg\":\"HS256\",\"typ\":\"JWT\"}"), part(&claims))
}

/// The pattern with what its braces stand for; other braces stay.
fn drawn(pattern: &str, dice: &mut Dice) -> String {
    let mut text = String::new();
    let mut rest = pattern;
    while let Some(open) = rest.find('{') {
        text.push_str(&rest[..open]);
        rest = &rest[open..];
        let inner = rest.find('}').map_or("", |close| &rest[1..close]);
        let part = match inner.split_once(':') {
            Some((letter, length)) if letter.len() == 1 && length.parse::<usize>().is_ok() => {
                dice.text(&alphabet(letter), length.parse().unwrap())
            }
            None if inner == "u" => uuid(dice),
            None if inner == "U" => uuid(dice).to_uppercase(),
            None if inner == "j" => web_token(dice),
            _ => {
                text.push('{');
                rest = &rest[1..];
                continue;
            }
        };
        text.push_str(&part);
        rest = &rest[inner.len() + 2..];
    }
    text + rest
}

fn parts(line: &'static str) -> (&'static str, &'static str) {
    line.split_once('|').unwrap()
}

#[test]
fn tokens_with_a_mark_are_found_in_every_context() {
    let (scrubber, mut dice, mut tally) = (scrubber(), Dice::new(11), Tally::default());
    for (vendor, pattern) in lines(MARKED).map(parts) {
        for context in CONTEXTS {
            let (secret, name) = (drawn(pattern, &mut dice), *dice.pick(NAMES));
            let text = context
                .replace("{N}", name)
                .replace("{E}", &name.to_uppercase())
                .replace("{F}", &name.replace('_', "-"))
                .replace("{S}", &secret);
            let found = is_found(&secret, &scrubber.scrub(&text));
            tally.count(ALL, found, String::new);
            let bare = matches!(*context, "{S}") || context.starts_with("My key");
            let group = if bare { "bare" } else { "named" };
            tally.count(group, found, || format!("{vendor} {text:?}"));
        }
    }
    tally.hold(&[(ALL, 9_780), ("bare", 8_700), ("named", 9_950)]);
}

#[test]
fn keys_without_a_mark_are_found_by_the_name_of_their_vendor() {
    let (scrubber, mut dice, mut tally) = (scrubber(), Dice::new(12), Tally::default());
    for (vendor, pattern) in lines(VENDORS).map(parts) {
        for context in ASSIGNED {
            let secret = drawn(pattern, &mut dice);
            let text = context
                .replace("{V}", vendor)
                .replace("{U}", &vendor.to_uppercase())
                .replace("{S}", &secret);
            let found = is_found(&secret, &scrubber.scrub(&text));
            tally.count(ALL, found, String::new);
            tally.count(context, found, || format!("{vendor} {text:?}"));
        }
    }
    tally.hold(&[(ALL, 9_900)]);
}

#[test]
fn secrets_in_lines_of_examples_are_found() {
    let (scrubber, mut dice, mut tally) = (scrubber(), Dice::new(13), Tally::default());
    for line in lines(SNIPPETS).flat_map(|line| [line; 3]) {
        let made = drawn(&line.replace("\\n", "\n"), &mut dice);
        let (front, rest) = made.split_once('«').unwrap();
        let (secret, back) = rest.split_once('»').unwrap();
        let masked = scrubber.scrub(&format!("{front}{secret}{back}")).into_owned();
        let found = is_found(secret, &masked);
        tally.count(ALL, found, String::new);
        tally.count("line", found, || format!("{line} -> {masked:?}"));
    }
    tally.hold(&[(ALL, 9_250)]);
}

#[test]
fn harmless_lines_stay_as_they_are() {
    let (scrubber, mut tally) = (scrubber(), Tally::default());
    for line in lines(HARMLESS) {
        let text = line.replace("\\n", "\n").replace("\\t", "\t");
        let masked = scrubber.scrub(&text);
        tally.count(ALL, masked == text, String::new);
        tally.count("line", masked == text, || format!("{text:?} -> {masked:?}"));
    }
    tally.hold(&[(ALL, 9_900)]);
}
