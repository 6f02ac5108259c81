//! Build logs: none of their text is redacted.

use super::dice::{BASE62, BASE64, Dice, HEX};
use super::score::scrubber;
use crate::test_rounds;

/// Lines of compilers, package managers, test runners, version control and containers. `{w}` is a
/// word, `{d}` a number, `{h40}` that many hexadecimal digits, `{b43}` base64, `{a8}` letters and
/// digits.
const LINES: &[&str] = &[
    "   Compiling {w} v{d}.{d}.{d} (/work/{w}/crates/{w})",
    "     Running `rustc --crate-name {w} --edition=2021 src/lib.rs --error-format=json --json=diagnostic-rendered-ansi --crate-type lib -C metadata={h16} -C extra-filename=-{h16} --out-dir /t/deps -L dependency=/t/deps --extern {w}=/t/deps/lib{w}-{h16}.rmeta`",
    "warning: unused variable: `token`",
    "  --> src/{w}/token.rs:{d}:{d}",
    "   |     let password = {w}.password();",
    "error[E0425]: cannot find value `secret_key` in this scope",
    "   = note: expected `Token`, found `{w}::Token`",
    "test {w}::auth::tests::test_{w}_password ... ok",
    "test result: ok. {d} passed; 0 failed; finished in {d}.{d}s",
    "    Finished `dev` profile [unoptimized] target(s) in {d}.{d}s",
    " Downloading crates ...",
    "  Downloaded {w}-keys v{d}.1.0",
    "npm warn deprecated {w}@{d}.0.0: use {w}-token instead",
    "npm http fetch GET 200 https://registry.npmjs.org/{w} {d}ms (cache hit)",
    "added {d} packages, and audited {d} packages in {d}s",
    "npm verb cli node v22.{d}.0",
    "npm sill placeDep ROOT {w}@{d}.1.0 OK for: acme@1.0.0 want: ^{d}.0.0",
    "> {w}@1.0.0 build\n> tsc -p tsconfig.json",
    "dist/assets/index-{a8}.js   {d}.20 kB | gzip: {d}.10 kB",
    "asset main.{h8}.js {d} KiB [emitted] [minimized]",
    "tests/{w}/test_auth.py::TestToken::test_{w}[param{d}] PASSED [ {d}%]",
    "E       KeyError: 'access_token'",
    "E       AssertionError: assert token == expected_token",
    "tests/test_{w}.py:{d}: in test_{w}\n    token = client.{w}(key=key, password=password)",
    "/usr/lib/python3/{w}.py:{d}: DeprecationWarning: key= is deprecated, use sort_key=",
    "  File \"/usr/lib/python3.13/{w}.py\", line {d}, in <lambda>\n    items.sort(key=lambda item: item.{w})",
    "Traceback (most recent call last):\n  File \"/srv/{w}.py\", line {d}, in {w}\n    session = Session(key=key, token=token)",
    "commit {h40}\nAuthor: Dev {w} <dev@example.org>\nDate:   Tue Nov 17 10:{d}:00 2026 +0100\n\n    Rotate the token of {w}",
    "{h7} Merge branch '{w}-password'",
    "index {h7}..{h7} 100644\n--- a/{w}/token.rs\n+++ b/{w}/token.rs",
    "HEAD is now at {h7} Add {w} key",
    "remote: Compressing objects: 100% ({d}/{d}), done.",
    " * [new branch]      {w}-auth -> origin/{w}-auth",
    "From https://github.com/acme/{w}\n   {h9}..{h9}  main -> origin/main",
    "#{d} [internal] load build definition from Dockerfile",
    "#{d} sha256:{h64} {d}.1MB / {d}.1MB {d}.2s done",
    "#{d} exporting manifest sha256:{h64} 0.0s done",
    " ---> Running in {h12}\n ---> {h12}",
    "Successfully built {h12}",
    "Digest: sha256:{h64}",
    "{h64}: Pull complete",
    "naming to docker.io/acme/{w}:{h7}",
    "[{d}/{d}] Building CXX object src/CMakeFiles/{w}.dir/token.cc.o",
    "gcc -DKEY_SIZE={d} -Wall -O2 -c {w}_key.c -o {w}_key.o",
    "make[{d}]: Entering directory '/work/{w}'",
    "/work/{w}/keys.c:{d}:{d}: warning: 'key' may be used uninitialized [-Wmaybe-uninitialized]",
    "-- Found OpenSSL: /usr/lib/libcrypto.so (found version \"3.0.{d}\")",
    "go: downloading github.com/acme/{w} v0.{d}.0-20260101120000-{h12}",
    "ok  \tgithub.com/acme/{w}/token\t{d}.123s",
    "--- PASS: TestParseToken/{w}_{d} (0.00s)",
    "verifying github.com/acme/{w}@v1.{d}.0: h1:{b43}=",
    "[INFO] Downloaded from central: https://repo.example.org/{w}/{w}-{d}.0.jar ({d} kB at {d} kB/s)",
    "> Task :{w}:compileKotlin UP-TO-DATE",
    "w: file:///work/{w}/Token.kt:{d}:{d} Parameter 'token' is never used",
    "Collecting {w}=={d}.{d}\n  Using cached {w}-{d}.{d}-py3-none-any.whl.metadata ({d}.1 kB)",
    "Installing collected packages: {w}, python-{w}-secrets, keyring",
    "Created wheel for {w}: filename={w}-1.{d}-py3-none-any.whl size={d} sha256={h64}",
    "Stored in directory: /root/.cache/pip/wheels/{h2}/{h2}/{h2}/{h56}",
    "2026-11-{d}T10:00:00.{d}Z ##[group]Run actions/checkout@v4",
    "2026-11-{d}T10:00:00.{d}Z   token: ***",
    "2026-11-{d}T10:00:00.{d}Z   ssh-key: ***",
    "Cache restored from key: {w}-linux-{h64}",
    "Cache saved with key: node-cache-Linux-x64-npm-{h64}",
    "  key: cargo-{w}-{h40}",
    "  restore-keys: cargo-{w}-",
    "Post job cleanup. token: ***",
    "pod/{w}-{h9}-{l5} created",
    "secret/{w}-tls configured",
    "Warning: resource secrets/{w} is missing the annotation",
    "deployment.apps/{w} rolled out",
    "I1121 10:00:00.{d}       1 token_cleaner.go:{d}] Deleting expired token {w}",
    "level=info ts=2026-11-21T10:00:00.{d}Z caller={w}.go:{d} msg=\"request\" trace_id={h32} span_id={h16}",
    "{\"level\":\"info\",\"key\":\"{w}\",\"took\":{d},\"id\":\"{u}\"}",
    "GET /v1/{w}?sort_key=created_at&page={d} 200 {d}ms {u}",
    "10.0.0.{d} - - [21/Nov/2026:10:00:00 +0000] \"GET /{w}/{h32}.js HTTP/1.1\" 200 {d} \"-\" \"Mozilla/5.0\"",
    "Nov 21 10:00:00 host sshd[{d}]: Accepted publickey for dev from 10.0.0.{d} port {d} ssh2: ED25519 SHA256:{b43}",
    "Nov 21 10:00:00 host sshd[{d}]: Failed password for invalid user {w} from 10.0.0.{d} port {d} ssh2",
    "gpg: key {h16}: public key \"Dev {w} <dev@example.org>\" imported",
    "apt-key adv --recv-keys {h16}",
    "Signed by key {h40}",
    "terraform: aws_secretsmanager_secret.{w}: Creation complete after {d}s [id=arn:aws:secretsmanager:eu-west-1:123456789012:secret:{w}-AbCdEf]",
    "  + password      = (sensitive value)",
    "  ~ token         = (known after apply)",
    "      secret_string = (sensitive value)",
    "\u{1b}[32m PASS \u{1b}[0m src/{w}/token.test.ts",
    "  \u{2713} rejects a wrong password ({d} ms)",
    "  \u{2717} keeps the session key: {w}",
    "Snapshot {w} key 1: obsolete",
    "Running post-install: generating key pair for {w} ... done",
];

/// About this many bytes of log.
fn log(bytes: usize) -> String {
    const WORDS: [&str; 8] =
        ["serde", "parser", "stream", "worker", "render", "session", "router", "schema"];
    let mut dice = Dice::new(9);
    let lower = "abcdefghijklmnopqrstuvwxyz";
    let mut text = String::with_capacity(bytes + 1_024);
    while text.len() < bytes {
        let mut rest = *dice.pick(LINES);
        while let Some(open) = rest.find('{') {
            text.push_str(&rest[..open]);
            let close = rest[open..].find('}').map_or(rest.len(), |at| at + open);
            let field = &rest[open + 1..close.max(open + 1)];
            let length = field.get(1..).and_then(|n| n.parse().ok());
            let filled = match (field.as_bytes().first(), length) {
                _ if field == "w" => (*dice.pick(&WORDS)).to_owned(),
                _ if field == "d" => dice.below(900).to_string(),
                _ if field == "u" => [8, 4, 4, 4, 12].map(|n| dice.text(HEX, n)).join("-"),
                (Some(b'h'), Some(n)) => dice.text(HEX, n),
                (Some(b'b'), Some(n)) => dice.text(BASE64, n),
                (Some(b'a'), Some(n)) => dice.text(BASE62, n),
                (Some(b'l'), Some(n)) => dice.text(lower, n),
                _ => {
                    text.push('{');
                    rest = &rest[open + 1..];
                    continue;
                }
            };
            text.push_str(&filled);
            rest = &rest[close + 1..];
        }
        text.push_str(rest);
        text.push('\n');
    }
    text
}

#[test]
fn build_logs_are_left_alone() {
    let text = log(test_rounds::rounds(1, 16) << 20);
    let mut found = Vec::new();
    for finding in scrubber().findings(&text) {
        let start = text[..finding.start].rfind('\n').map_or(0, |at| at + 1);
        let end = text[finding.end..].find('\n').map_or(text.len(), |at| at + finding.end);
        found.push(format!("{}: {}", finding.kind, &text[start..end]));
    }
    assert!(
        found.is_empty(),
        "{} redactions\n{}",
        found.len(),
        found[..found.len().min(50)].join("\n")
    );
}
