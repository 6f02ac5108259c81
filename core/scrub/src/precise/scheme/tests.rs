use data_encoding::BASE64;

use super::super::test_marks::{leaves, masks, scrub};

#[test]
fn the_token_of_a_bearer_is_masked_wherever_it_stands() {
    for token in [
        "vLYoR3qhbYnMfLfiNxhFA5HOwJVlix+KcTYA8YYe",
        "8b1c2d3e-0000-4000-8000-0a1b2c3d4e5f",
        "12|aB3dE6gH9jK2mN5pQ8sT1vW4yZ",
        "abc123def456",
        "ZmFrZQ0123456789==",
    ] {
        masks(&format!("Authorization: Bearer «{token}»"));
        masks(&format!("curl -H \"Authorization: Bearer «{token}»\" https://api.example.org"));
        masks(&format!("curl -H 'authorization: bearer «{token}»' https://api.example.org"));
        masks(&format!("{{\"authorization\": \"Bearer «{token}»\"}}"));
        masks(&format!("{{\\\"authorization\\\":\\\"Bearer «{token}»\\\"}}"));
        masks(&format!("headers = {{'Authorization': 'Bearer «{token}»'}}"));
        masks(&format!("it was called with Bearer «{token}», and failed."));
        masks(&format!("a log line\\nBearer «{token}»\\nanother"));
        masks(&format!("bearer: «{token}»"));
    }
}

#[test]
fn talk_of_bearers_stays() {
    for text in [
        "bearer token authentication",
        "Bearer realm=\"api\", error=\"invalid_token\"",
        "WWW-Authenticate: Bearer realm=example2023, charset=utf8",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer ${ACCESS_TOKEN_1}",
        "Authorization: Bearer <your-token-123>",
        "Authorization: Bearer {{ token }}",
        "Authorization: Bearer [REDACTED:bearer-token:0a1b]",
        "strings.TrimPrefix(header, \"Bearer \")",
        "format!(\"Bearer {token}\")",
        "`Bearer ${token}`",
        "the Bearer scheme of RFC 6750 and OAuth2",
        "Bearer YOUR_ACCESS_TOKEN",
        "bearerAuth: []",
        "a forbearer 0123456789abcdef",
        "Bearer https://docs.example.org/a1b2c3d4",
    ] {
        leaves(text);
    }
}

#[test]
fn basic_credentials_are_masked_if_they_hold_a_log_in() {
    for secret in ["admin:Xq7-Wd.e2", "a@b.example:hünter2!", ":x9KfWd2q", "key0123456789:"] {
        let encoded = BASE64.encode(secret.as_bytes());
        if secret.ends_with(':') {
            continue;
        }
        masks(&format!("Authorization: Basic «{encoded}»"));
        masks(&format!("curl -H \"Proxy-Authorization: Basic «{encoded}»\" http://x"));
        masks(&format!("{{\"headers\":{{\"authorization\":\"Basic «{encoded}»\"}}}}"));
        masks(&format!("sent Basic «{encoded}», got 401"));
        masks(&format!("{{\"auths\": {{\"ghcr.io\": {{\"auth\": \"«{encoded}»\"}}}}}}"));
        masks(&format!(
            "{{\\\"auths\\\":{{\\\"ghcr.io\\\":{{\\\"auth\\\":\\\"«{encoded}»\\\"}}}}}}"
        ));
    }
    masks(&format!("Basic «{}»", BASE64.encode(b"admin:Xq7-Wd.e2").trim_end_matches('=')));
}

#[test]
fn talk_of_basic_things_stays() {
    for text in [
        "Basic authentication is not enough",
        "basic_string<char>",
        "a basic understanding of networks",
        "WWW-Authenticate: Basic realm=\"x\"",
        "Authorization: Basic $CREDENTIALS",
        "Authorization: Basic <credentials>",
        "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==",
        "Basic dXNlcjpwYXNzd29yZA==",
        "\"auth\": \"basic\"",
        "\"auth\": \"required\"",
    ] {
        leaves(text);
    }
}

#[test]
fn the_response_of_a_digest_is_masked() {
    let hex = "0a1b2c3d".repeat(4);
    let head =
        "Authorization: Digest username=\"app\", realm=\"x\", nonce=\"dcd98b7102dd\", uri=\"/\"";
    masks(&format!("{head}, response=\"«{hex}»\", opaque=\"5ccc\""));
    leaves(&format!("<a response=\"{hex}\">"));
}

#[test]
fn a_header_that_was_masked_stays_so_beside_another() {
    let token = "vLYoR3qhbYnMfLfiNxhFA5HOwJVlix";
    let masked = scrub(&format!("Bearer {token} Bearer {token}"));
    assert_eq!(masked.matches("[REDACTED:").count(), 2, "{masked}");
}
