//! What looks like an assigned secret and is none.

use super::assert_leaves;

#[test]
fn a_reference_or_code_or_a_placeholder_stays() {
    assert_leaves(&[
        "password = os.environ[\"DB_PASSWORD\"]",
        "password: ${DB_PASSWORD}",
        "password=$DB_PASSWORD",
        "apiKey: process.env.API_KEY,",
        "token := strings.TrimPrefix(header, \"Bearer \")",
        "api_key=api_key, api_secret=api_secret,",
        "let token = parser.next_token();",
        "if token == expected_token:",
        "password: Option<String>,",
        "{\"password\": null, \"token\": 12345}",
        "{\"password\": \"\"}",
        "password=",
        "<password></password>",
        "<SECRET_KEY><SECRET_KEY></SECRET_KEY>",
        "${DB_PASSWORD:?must be set}",
        "client_secret: {{ vault.secret }}",
        "  password: !vault |\n",
        "token: [REDACTED:token]",
        "password=[REDACTED:password:a1b2c3]",
        "docker login -u \"$USER\" --password-stdin",
        "https://<user>:<password>@github.com/acme/app.git",
        "token:\n  description: the thing",
    ]);
}

#[test]
fn what_is_known_to_be_public_stays() {
    assert_leaves(&[
        "System.Core, Version=8.0.0.0, PublicKeyToken=7cec85d7bea7798e",
        "<assemblyIdentity name=\"Newtonsoft.Json\" publicKeyToken=\"30ad4fe6b2a6aeed\" />",
        "plan_key: 15c78fecfe5f78830417a39cb0d18629",
        "secret=\"kube-system/default-token-qxbm5\"",
        "passphrase = \"correct passphrase goes here\"",
        "if (e) {password:\"mismatch\"}",
        "const o={token:null,apiKey:void 0}",
        "パスワード: 8文字以上の英数字を入力してください",
        "def f(password: str, method: str = \"scrypt\", salt: int = 16):",
        "the password is base64-encoded",
        "mnemonic = \"mov eax, ebx\"",
        "clave = \"usuario_id\"",
        "clave_primaria = \"id_2024\"",
        "assertEquals(\"password\", \"field-name-01\")",
        "token = [[101, 7592, 2088, 102]]",
        "{\"password\":[[80361,8391047265]]}",
    ]);
}

#[test]
fn the_words_of_a_wallet_are_masked() {
    let words =
        "willow harbor rocket velvet ribbon copper lantern mango pepper tundra ember glacier";
    super::assert_masks(&["MNEMONIC=\"§\"", "{\"mnemonic\": \"§\"}"], words);
}

#[test]
fn a_name_that_ends_a_string_has_no_value() {
    assert_leaves(&[
        "print(\"password: \" + value + \" and more text 123\")",
        "input(\"DB_PASSWORD: \")</DB_PASSWORD>",
        "log.info('token=' + token_1 + ' for user 42')",
        "password(\"Your password 1: \")",
        "getPassword(\"database/prod-1\")",
        "hash_password(\"tr0ub4dor\", salt)",
    ]);
}

#[test]
fn names_that_only_resemble_secret_names_have_no_secrets() {
    assert_leaves(&[
        "turnkey = deployment_strategy_blue_green",
        "monkey=banana_split_sundae1",
        "KEY_PREFIX = \"sessions/v1\"",
        "sort_key=created_at_1",
        "max_tokens=17106",
        "\"stop_token\": \"<|endoftext|>\"",
        "next_page_token: \"a8f3c2\"",
        "token_type: bearer123",
        "public_key = \"MCowBQYDK2VwAyEA\"",
        "KEYCLOAK_REALM=production-realm1",
        "CREDENTIAL_HELPER=osxkeychain1",
        "VIRTUAL_PORT=8080",
        "compass: north12ab",
        "author: tr0ub4dor",
        "secretName: my-app-tls-1",
        "mkdir -p src/a1b2c3d4",
        "ssh -p 2222 me@host",
        "cp -a build1 dist2",
        "PWD=/home/me/src1",
        "sh -c 'PWD=foo; pwd'",
        "PWD=foo make",
        "faster than an equivalent two-pass memchr2+SWAR code",
        "telnet will work since login will handle password aging1, or else",
        "Failed to set PSK identity1 hint",
        "Map of `Token` -> `TcpStream1`.",
        "key: \"MCowBQYDK2VwAyEAGb9ECWmEzf6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE=\"",
        "self, token: typing.Union[bytes, str], ttl: int",
        "itoken = grammar.opmap[value1]",
        "if user_pass == \"git\":",
    ]);
}
