//! More secrets of the same kinds, made from templates, names and values.

use super::dice::{BASE62, BASE64, Dice, HEX, LOWER};
use super::score::{ALL, Tally, is_found, scrubber};
use crate::test_rounds;

/// Contexts for any name and value without blanks and quotes: group, text with `{N}` and `{S}`.
const ANY: &[(&str, &str)] = &[
    ("env", "{N}={S}"),
    ("env", "export {N}={S}"),
    ("env", "# settings\nPORT=8080\n{N}={S}\nDEBUG=false\n"),
    ("env", "export {N}=\"{S}\""),
    ("env", "{N}='{S}'"),
    ("docker", "FROM alpine:3.20\nENV {N}={S}\nCMD [\"/app\"]"),
    ("docker", "ARG {N}={S}"),
    ("docker", "docker run -d -e {N}={S} --name app acme/app:1.4"),
    ("compose", "services:\n  db:\n    environment:\n      {N}: {S}\n      TZ: UTC"),
    ("compose", "    environment:\n      - {N}={S}\n      - TZ=UTC"),
    ("actions", "    env:\n      {N}: \"{S}\"\n      CI: true"),
    ("terraform", "resource \"x\" \"y\" {\n  {N} = \"{S}\"\n}"),
    ("terraform", "variable \"{N}\" {\n  default = \"{S}\"\n}"),
    ("tfvars", "region = \"eu-west-1\"\n{N} = \"{S}\"\n"),
    ("properties", "server.port=8080\n{N}={S}\nlogging.level.root=INFO"),
    ("properties", "{N} = {S}\n"),
    ("yaml", "{N}: {S}"),
    ("yaml", "auth:\n  {N}: '{S}'\n  timeout: 30"),
    ("yaml", "auth:\n  {N}: \"{S}\"  # rotate in May\n"),
    ("toml", "[auth]\n{N} = \"{S}\"\nretries = 3"),
    ("ini", "[client]\nuser=app\n{N}={S}\nhost=db"),
    ("json", "{\"{N}\": \"{S}\"}"),
    ("json", "{\n  \"user\": \"app\",\n  \"{N}\": \"{S}\",\n  \"retries\": 3\n}"),
    ("json", "{\"user\":\"app\",\"{N}\":\"{S}\"}"),
    ("json", "[{\"name\":\"{N}\",\"value\":\"{S}\"},{\"name\":\"TZ\",\"value\":\"UTC\"}]"),
    ("json", "{\"outer\":\"{\\\"{N}\\\":\\\"{S}\\\",\\\"n\\\":1}\"}"),
    ("json", "\\\"{N}\\\": \\\"{S}\\\""),
    ("python", "{N} = \"{S}\""),
    ("python", "    self.{N} = '{S}'"),
    ("python", "client = Client(host='db', {N}='{S}', timeout=30)"),
    ("python", "conf = {'host': 'db', '{N}': '{S}'}"),
    ("python", "os.environ['{N}'] = '{S}'"),
    ("javascript", "const {N} = '{S}';"),
    ("javascript", "export default { {N}: '{S}', retries: 3 };"),
    ("javascript", "let {N} = \"{S}\", n = 1;"),
    ("php", "define('{N}', '{S}');"),
    ("php", "    '{N}' => '{S}',"),
    ("php", "${N} = '{S}';"),
    ("ruby", "config.{N} = '{S}'"),
    ("ruby", "  {N}: \"{S}\","),
    ("go", "\t{N} := \"{S}\""),
    ("go", "const {N} = \"{S}\""),
    ("go", "cfg := Config{{N}: \"{S}\", Retries: 3}"),
    ("java", "private static final String {N} = \"{S}\";"),
    ("csharp", "public string {N} { get; set; } = \"{S}\";"),
    ("swift", "let {N}: String = \"{S}\""),
    ("kotlin", "val {N} = \"{S}\""),
    ("rust", "const {N}: &str = \"{S}\";"),
    ("rust", "let {N} = \"{S}\".to_string();"),
    ("flag", "deploy --{N} {S} --verbose"),
    ("flag", "deploy --{N}={S} --verbose"),
    ("flag", "deploy --{N} '{S}'"),
    ("history", "  412  export {N}={S}"),
    ("history", ": 1790000000:0;{N}={S} ./run.sh"),
    ("diff", "+    {N}={S}\n-    {N}="),
    ("diff", "-{N}: {S}\n+{N}: ${TOKEN}"),
    ("xml", "<{N}>{S}</{N}>"),
    ("xml", "<add key=\"{N}\" value=\"{S}\" />"),
    ("xml", "<property name=\"{N}\" value=\"{S}\"/>"),
    ("log", "2026-11-21T08:12:13Z DEBUG config: {N}={S} loaded"),
    ("log", "time=\"2026-11-21\" level=info msg=\"login\" {N}=\"{S}\""),
    ("log", "loaded config {\"{N}\": \"{S}\", \"port\": 5432}"),
    ("log", "Config(host=db, {N}={S}, port=5432)"),
    ("kubectl", "  Environment:\n    {N}:  {S}\n    TZ:  UTC"),
    ("printenv", "HOME=/root\n{N}={S}\nPATH=/usr/bin:/bin"),
    ("block", "{N}: |\n  {S}\nother: 1"),
    ("block", "{N}: >-\n  {S}\n"),
];

/// Contexts of their own, for a random token.
const TOKENS: &[(&str, &str)] = &[
    ("header", "Authorization: Bearer {S}"),
    ("header", "curl -s -H 'Authorization: Bearer {S}' https://api.example.org/v1/me"),
    ("header", "> GET /v1/me HTTP/1.1\n> Host: api.example.org\n> Authorization: Bearer {S}\n>"),
    ("header", "authorization: token {S}"),
    ("header", "X-Api-Key: {S}"),
    ("header", "headers = {\"X-Auth-Token\": \"{S}\"}"),
    ("header", "2026-11-21 DEBUG sending header x-api-key: {S} to upstream"),
    ("cookie", "Cookie: session={S}; Path=/"),
    ("cookie", "Set-Cookie: sessionid={S}; HttpOnly; Secure; SameSite=Lax"),
    ("query", "https://api.example.org/v1/items?access_token={S}&page=2"),
    ("query", "GET /v1/items?api_key={S} HTTP/1.1"),
    ("query", "grant_type=client_credentials&client_id=web&client_secret={S}"),
    ("netrc", "machine github.com login dev password {S}"),
    ("npmrc", "//registry.example.org/:_authToken={S}"),
    ("dsn", "Server=db;Database=acme;User Id=app;Password={S};Encrypt=true"),
    ("dsn", "host=db port=5432 user=app password={S} dbname=acme"),
    ("link", "postgres://app:{S}@db.internal.example.org:5432/acme"),
    ("link", "https://dev:{S}@git.example.org/acme/app.git"),
    ("sql", "ALTER USER app WITH PASSWORD '{S}';"),
    ("sql", "CREATE USER 'app'@'%' IDENTIFIED BY '{S}';"),
    ("wireguard", "[Interface]\nPrivateKey = {S}\nAddress = 10.0.0.2/24"),
    ("curl", "curl -u app:{S} https://api.example.org/v1/me"),
    ("login", "docker login -u app -p {S} registry.example.org"),
];

const NAMES: &[&str] = &[
    "password",
    "passwd",
    "db_password",
    "DB_PASSWORD",
    "dbPassword",
    "rootPassword",
    "MYSQL_PWD",
    "PGPASSWORD",
    "smtp_pass",
    "SUDO_PASS",
    "passphrase",
    "redis_password",
    "adminPassword",
    "secret",
    "client_secret",
    "clientSecret",
    "CLIENT_SECRET",
    "app_secret",
    "JWT_SECRET",
    "webhook_secret",
    "api_key",
    "apiKey",
    "API_KEY",
    "STRIPE_API_KEY",
    "secret_key",
    "SECRET_KEY",
    "AWS_SECRET_ACCESS_KEY",
    "private_key",
    "encryption_key",
    "token",
    "access_token",
    "accessToken",
    "auth_token",
    "authToken",
    "refresh_token",
    "GITHUB_TOKEN",
    "NPM_TOKEN",
    "BOT_TOKEN",
];

/// A value, and whether it is a password rather than a token.
fn value(dice: &mut Dice) -> (String, bool) {
    const WORDS: [&str; 10] = [
        "Summer", "Winter", "Tiger", "Kraken", "Velvet", "Orbit", "Lantern", "Copper", "Maple",
        "Falcon",
    ];
    match dice.below(8) {
        0 => {
            let length = 20 + dice.below(28);
            (dice.text(BASE62, length), false)
        }
        1 => (dice.text(HEX, 32), false),
        2 => (dice.text(BASE64, 43) + "=", false),
        3 => (format!("{}-{}", dice.text(HEX, 12), dice.text(BASE62, 22)), false),
        4 => {
            let mark = dice.text("!#$%*+@_", 1);
            let word = dice.pick(&WORDS);
            (format!("{word}{}{mark}{}", 1000 + dice.below(9000), dice.text(BASE62, 3)), true)
        }
        5 => {
            let length = 11 + dice.below(7);
            let all = format!("{BASE62}!#%*+-_");
            (dice.text(&all, length), true)
        }
        6 => {
            let (a, b) = (dice.pick(&WORDS).to_lowercase(), dice.pick(&WORDS).to_lowercase());
            (format!("{a}-{b}-{}{}", dice.text(LOWER, 5), 10 + dice.below(90)), true)
        }
        _ => {
            let length = 12 + dice.below(6);
            (dice.text(BASE62, length), true)
        }
    }
}

fn filled(template: &str, name: &str, value: &str) -> String {
    template.replace("{N}", name).replace("{S}", value)
}

#[test]
fn made_secrets_under_secret_names_are_found() {
    let scrubber = scrubber();
    let mut dice = Dice::new(5);
    let mut tally = Tally::default();
    for (group, template) in ANY {
        for _ in 0..test_rounds::rounds(12, 200) {
            let (name, (value, _)) = (dice.pick(NAMES), value(&mut dice));
            let flag = name.replace('_', "-").to_lowercase();
            let name = if *group == "flag" { flag.as_str() } else { name };
            let text = filled(template, name, &value);
            let masked = scrubber.scrub(&text);
            let found = is_found(&value, &masked);
            let miss = || format!("{text:?} -> {masked:?}");
            tally.count(ALL, found, miss);
            tally.count(group, found, miss);
        }
    }
    tally.hold(&[(ALL, 9_800), ("json", 9_900), ("env", 9_900), ("flag", 9_700), ("yaml", 9_700)]);
}

#[test]
fn made_tokens_in_their_own_contexts_are_found() {
    let scrubber = scrubber();
    let mut dice = Dice::new(6);
    let mut tally = Tally::default();
    for (group, template) in TOKENS {
        for _ in 0..test_rounds::rounds(12, 200) {
            let length = 24 + dice.below(20);
            let value = dice.text(BASE62, length);
            let text = filled(template, "", &value);
            let masked = scrubber.scrub(&text);
            let found = is_found(&value, &masked);
            let miss = || format!("{text:?} -> {masked:?}");
            tally.count(ALL, found, miss);
            tally.count(group, found, miss);
        }
    }
    tally.hold(&[(ALL, 9_800), ("header", 9_900), ("link", 9_900), ("dsn", 9_900)]);
}
