//! The rules of the judge, each with examples: texts that it accepts and texts that it rejects.
//!
//! The examples sit close to the thresholds, so that a changed threshold fails here, with the name of
//! its rule.

use super::*;
use crate::precise::name::{NameClass, Strength};

/// A rule, what it accepts, and what it rejects.
type Rule = (&'static str, fn(&[u8]) -> bool, &'static [&'static str], &'static [&'static str]);

const PASSWORD: NameClass = NameClass { kind: "password", strength: Strength::Strong };
const KEY: NameClass = NameClass { kind: "key", strength: Strength::Weak };
const TOKEN: NameClass = NameClass { kind: "token", strength: Strength::Strong };

fn value<'t>(name: &'t str, class: NameClass, value: &'t [u8], form: Form) -> NamedValue<'t> {
    NamedValue { name: name.as_bytes(), class, value, form, after: b"" }
}

fn password(text: &[u8], form: Form) -> NamedValue<'_> {
    value("password", PASSWORD, text, form)
}

fn token(text: &[u8], form: Form) -> NamedValue<'_> {
    value("token", TOKEN, text, form)
}

const RULES: &[Rule] = &[
    // Randomness.
    (
        "random: at least 16 bytes, 10 of them different, 6 of them letters, and mixed",
        is_random,
        &["a8f3k2m9x7q1z5w4", "XeIzBhBpGhLGBJTRZo1aTg9h", "k3Vt9xQ2mZ7pL4wR8sN1"],
        &["a8f3k2m9x7q1z5w", "a1a1a1a1a1a1a1a1a1", "1234567890123456a", "aaaaaaaabbbbbbbbcc"],
    ),
    (
        "random: no digest, UUID, slug, path or words",
        is_random,
        &["PjdcAIdMK1pSRKj2zyqI5dPf2+gcHa5Ka4sTDzIaqJA="],
        &[
            "6a7d16cdaeaaad73f0d13b9663493d1eadee4383",
            "825b4a46-e18b-44cc-a2be-84f8caeb0559",
            "invoice-fc6750fb6-7d1f0",
            "/usr/lib/x86_64-linux-gnu/libssl.so.1.1",
            "KeyboardInterruptHandlerFactory2",
        ],
    ),
    (
        "random: no text with a public prefix",
        is_random,
        &["e3nRfgfUZ4rNGL232gUgX06QNyyez04KdjFrF"],
        &["sha512-e3nRfgfUZ4rNGL232gUgX06QNyyez04KdjFrF"],
    ),
    (
        "noise: at least 40 bytes of all signs of a keyboard",
        random::is_noise,
        &["v;J8#kQ!2m@Zp$7Lx^4Rt&9Wn*3Hd(6Gf)1Sb_5Yc"],
        &["v;J8#kQ!2m@Zp$7Lx^4Rt&9Wn*3Hd", "This is a sentence, with 3 numbers: 1, 2 and 30 more."],
    ),
    (
        "id: at least 24 hexadecimal digits, or a UUID, perhaps behind a word",
        random::is_id,
        &[
            "0123456789abcdef01234567",
            "pk-lf-825b4a46-e18b-44cc-a2be-84f8caeb0559",
            "825b4a46-e18b-44cc-a2be-84f8caeb0559",
        ],
        &["0123456789abcdef0123456", "000000000000000000000000", "a-name-with-many-words-in-it"],
    ),
    (
        "opaque: random text and ids",
        is_opaque,
        &["a8f3k2m9x7q1z5w4", "0123456789abcdef01234567"],
        &["hunter2", "deployment-strategy"],
    ),
    // Passwords.
    (
        "password-like: 8 to 64 bytes of letters, digits and marks mixed",
        is_password_like,
        &["Tr0ub4dor&3", "xK9!mQ2p", "gB7qX2mT"],
        &["xK9!mQ2", "sunshine", "deploy-key-2", "changeme"],
    ),
    (
        "memorable: words, and at least two digits",
        is_memorable,
        &["arsenal1975", "Summer2024!"],
        &["arsenal1", "sha256sum", "AUTH-1024", "db-prod-01", "bob@example.org2024"],
    ),
    (
        "passphrase: at least two words and a number",
        is_passphrase,
        &["copper-rocket-16", "lantern.copper.8"],
        &["copper-rocket", "copper-16", "python-3.11"],
    ),
    (
        "PIN: at least 4 digits under the name of a password, where numbers are no code",
        |text| is_pin(&password(text, Form::Env), text),
        &["4711", "20240101"],
        &["471", "47a1"],
    ),
    (
        "PIN: at least 6 digits at the end of a line",
        |text| is_pin(&password(text, Form::Line), text),
        &["471100"],
        &["47110"],
    ),
    (
        "mnemonic: at least twelve words of 3 to 8 lower-case letters",
        is_mnemonic,
        &["apple river stone cloud tiger music paper light green house water chair"],
        &[
            "apple river stone cloud tiger music paper light green house water",
            "apple river stone cloud tiger music paper light green house water Chair",
        ],
    ),
    // Dummy values and references.
    (
        "dummy: a word for no value",
        is_dummy_value,
        &["changeme", "CHANGE_ME", "null", "n/a", "not-set"],
        &["changeme2024", "Null1234", "todo-8fK2mQ91"],
    ),
    (
        "dummy: at most 10 letters and digits are shown of a truncated value",
        is_dummy_value,
        &["****abcd", "sk-****1234", "abc...xyz", "sk-ant-..."],
        &["my-*pass*-99x", "Xk9dPq2m...Rt7w", "hunter2..."],
    ),
    (
        "dummy: one character more than half of the time",
        is_dummy_value,
        &["xxxxxxxx", "sk-xxxxxxxxxxxx", "0000"],
        &["xk9xxQ2m", "xxxk9Q2m"],
    ),
    (
        "dummy: a description",
        is_dummy_value,
        &["your_token_here", "enter-your-password", "correct passphrase goes here"],
        &["your4711secret", "correct horse battery staple"],
    ),
    (
        "dummy: brackets around it",
        is_dummy_value,
        &["<token>", "(empty)", "***REMOVED***", "__SECRET_KEY__", "{{ token }}"],
        &["(8fK2mQ91)", "_8fK2mQ91_"],
    ),
    (
        "reference: a variable, a template, an address or an expression",
        reference::is_reference,
        &["${TOKEN}", "$TOKEN", "op://vault/item/X", "process.env.X", "{a}:{b}"],
        &["$ecr3t!x9K", "{Kx91mQ", "env.9xKq2LmZ81"],
    ),
    // Prose and plain values.
    (
        "status: a word that describes a secret",
        prose::is_status_word,
        &["expired", "Required.", "invalid"],
        &["hunter2", "expiredish"],
    ),
    (
        "prose: several words, one of them of sentences, or with a capital or mark",
        prose::is_prose,
        &["must be between 8 and 64 characters", "Forgot it?", "two words"],
        &["correct horse battery staple", "my pet is Rex4711x", "word"],
    ),
    (
        "number: digits with a unit of at most three letters",
        prose::is_number,
        &["8080", "3600s", "10,000", "-1", "0x1f", "128MiB"],
        &["8080abcd", "1234567s", "0x1f1f1f1f1f1f1f1f1", "hunter2"],
    ),
    (
        "plain: versions, dates, URLs, paths, colours and shortcuts",
        prose::is_plain,
        &["1.2.3-rc.1", "2026-09-01", "https://a.example/x", "certs/ca.pem", "#f8f8f2", "Ctrl+S"],
        &["1-2-x", "v!zFDpOszLmba", "#f8f8f", "hunter2"],
    ),
    (
        "version: at most 3 dots, and at most 16 bytes behind the numbers",
        prose::is_plain,
        &["v1.2.3.4", "v1.2-aaaaaaaaaaaaaaa"],
        &["v1.2.3.4.5", "v1.2-aaaaaaaaaaaaaaaa"],
    ),
    (
        "date: at least 5 bytes, at most 20 digits, at most 9 digits with one separator",
        prose::is_plain,
        &["10:00", "2026-09-01T10:00:00.123456Z", "12345-6789"],
        &["1:00", "2026-09-01T10:00:00.1234567Z", "12345-67890"],
    ),
    (
        "path: a name before the extension",
        prose::is_plain,
        &["certs.pem", "server.key"],
        &[".pem", "certs.xyz"],
    ),
    (
        "prose: a word of at least 6 bytes with 2 digits and 3 letters is no word of a sentence",
        prose::is_prose,
        &["the Rex47 is here", "the Rexxx4 is here"],
        &["the Rex471 is here"],
    ),
    // Code.
    (
        "code: a call, a member, a type, a pointer",
        |text| code::is_code(text, b""),
        &["parser.next_token()", "self.key", "Option<String>", "*const", "token[0]", "1*tchar"],
        &["hunter2", "*MAfZdb7K3TIk", "Kraken7912*0xS", "#Iof-wdWS6XQng"],
    ),
    (
        "code: at most 3 signs before a pointer",
        |text| code::is_code(text, b""),
        &["***self"],
        &["****self"],
    ),
    (
        "code: before an operator, a name of words, or one of fewer than 6 bytes",
        |text| code::is_code(text, b""),
        &["x9K2q(", "parse_token("],
        &["x9K2qW("],
    ),
    (
        "code: a member with a number has at most 10 bytes",
        |text| code::is_code(text, b""),
        &["key.zqxkw25519"],
        &["key.zqxkvw25519"],
    ),
    ("pattern: more than one escape per 8 bytes", code::is_pattern, &["\\x00abc"], &["\\x00abcd"]),
    (
        "pattern: a regular expression or escapes",
        code::is_pattern,
        &["^[a-z0-9]+$", "\\d{4}", "\\x00\\xff"],
        &["a^b$c", "hunter2"],
    ),
    (
        "unnatural name: at least 8 bytes that no variable is called",
        code::is_unnatural_name,
        &["noOmHaYWDUsiq", "k3Vt9xQ2"],
        &["k3Vt9xQ", "authToken", "parseHTTPBody2"],
    ),
    // What is written how.
    (
        "never a secret: fewer than three letters and digits",
        |text| is_never_secret(&password(text, Form::QuotedData), text),
        &["a1", "--", "8080.5x", "Passwort"],
        &["a1b", "hunter2"],
    ),
    (
        "repeats its name",
        |text| repeats_name(b"api_key", text, false),
        &["api_key", "API-KEY", "apiKey"],
        &["api_key_2", "key"],
    ),
    (
        "repeats its name in part, in code",
        |text| repeats_name(b"api_key", text, true),
        &["key", "my_api_key"],
        &["keys", "hunter2"],
    ),
    (
        "Kubernetes object: namespace and name",
        |text| is_kubernetes_object(&value("secret", TOKEN, text, Form::QuotedData), text),
        &["kube-system/token-x2k9p"],
        &["kube-system/token", "kube-system/a/token-x", "Kube/token-x2k9p"],
    ),
    (
        "realm: a word that ends with `realm`",
        is_realm,
        &["basic_test_realm", "Realm"],
        &["realm2", "realmless"],
    ),
    (
        "working directory of a shell",
        |text| is_working_directory(&value("PWD", PASSWORD, text, Form::Env), text),
        &["/home/bob/src", "src/lib"],
        &["/X9!k", "Hunter2"],
    ),
    (
        "id under the name of a vendor's key",
        |text| is_id_under_key_name(&value("pardot_key", KEY, text, Form::Env), text),
        &["0123456789abcdef01234567"],
        &["0123456789abcdef"],
    ),
    (
        "quoted literal: at least 3 bytes, and 12 if there are blanks",
        |text| is_quoted_literal(&password(text, Form::QuotedData), text),
        &["abc", "correct horse battery", "hunter2"],
        &["ab", "two words", "^[a-z]+$"],
    ),
    (
        "label: words only, as in names of things",
        is_label,
        &["my-release-token", "CLIENT_TRAFFIC_SECRET", "derived"],
        &["hunter2", "correcthorsebattery", "k3Vt9xQ2"],
    ),
    (
        "env literal: a name counts only with digits, or under a password's name",
        |text| is_env_literal(&token(text, Form::Env), text),
        &["abc123def", "k3Vt9xQ2"],
        &["some_variable", "get_token()", "expired"],
    ),
    (
        "line literal: at least 4 bytes that are no name",
        |text| is_line_literal(&token(text, Form::Line), text),
        &["a8f3k2m9x7q1z5w4", "x9!k"],
        &["x9!", "two words", "string", "self.key"],
    ),
    (
        "spaced literal: at least 6 bytes that are no name",
        |text| is_spaced_literal(&token(text, Form::Spaced), text),
        &["x9!kQ2"],
        &["x9!kQ", "parse_token", "two words"],
    ),
    (
        "flag literal: at least 3 bytes with a digit or mark, 4 otherwise",
        |text| is_flag_literal(&password(text, Form::Flag), text),
        &["x9!", "hunter2", "sunshine"],
        &["--force", "x9", "PASSWORD_FILE"],
    ),
    (
        "pair literal: at least 3 bytes for a password, 6 otherwise",
        |text| is_pair_literal(&token(text, Form::Query), text),
        &["abc123"],
        &["abc12", "value", "f(x)"],
    ),
    (
        "wide script: at least half of the value",
        is_wide_script,
        &["密码错误"],
        &["hunter2", "hunter2密"],
    ),
];

#[test]
fn every_rule_accepts_and_rejects_its_examples() {
    let mut wrong = Vec::new();
    for (rule, accepts, hits, misses) in RULES {
        assert!(!hits.is_empty() && !misses.is_empty(), "{rule} has no examples");
        for (texts, expected) in [(hits, true), (misses, false)] {
            for text in *texts {
                if accepts(text.as_bytes()) != expected {
                    let verb = if expected { "rejects" } else { "accepts" };
                    wrong.push(format!("{rule}: {verb} {text:?}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
