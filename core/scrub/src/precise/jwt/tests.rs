use data_encoding::BASE64URL_NOPAD;

use super::super::test_marks::{leaves, masks};

fn part(json: &str) -> String {
    BASE64URL_NOPAD.encode(json.as_bytes())
}

fn signature() -> String {
    "aB3dE6gH9jK2mN5pQ8sT1vW4yZ_-0".repeat(2)
}

#[test]
fn a_token_is_masked_wherever_it_stands() {
    for header in
        ["{\"alg\":\"HS256\",\"typ\":\"JWT\"}", "{ \"typ\":\"JWT\" }", "{\n  \"alg\": \"ES256\"}"]
    {
        let token = format!("{}.{}.{}", part(header), part("{\"sub\":\"app\"}"), signature());
        masks(&format!("«{token}»"));
        masks(&format!("it is «{token}», they said"));
        masks(&format!("it is «{token}». Then"));
        masks(&format!("{{\"a\":\"«{token}»\"}}"));
        masks(&format!("a line\\n«{token}»\\nanother"));
        masks(&format!("https://app.example.org/#x=«{token}»&y=1"));
    }
}

#[test]
fn an_unsigned_an_encrypted_and_a_cut_token_are_masked() {
    let header = part("{\"alg\":\"none\"}");
    let payload = part("{\"sub\":\"app\",\"admin\":true}");
    masks(&format!("«{header}.{payload}»."));
    masks(&format!("«{header}.{payload}»..."));
    masks(&format!("«{header}.{}»\u{2026}", &payload[..12]));
    let header = part("{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}");
    let random = signature();
    masks(&format!("x: «{header}.{random}.{}.{random}.{}»", &random[..16], &random[..22]));
    masks(&format!("x: «{header}..{}.{random}.{}»", &random[..16], &random[..22]));
}

#[test]
fn a_signed_session_is_masked() {
    let session = part("{\"user_id\":17,\"csrf\":\"x\"}");
    masks(&format!("session: «{session}.ZxYzAb.{}»", &signature()[..27]));
}

#[test]
fn a_token_longer_than_a_view_is_masked_whole() {
    let header = part("{\"alg\":\"HS256\"}");
    let payload = part(&format!("{{\"sub\":\"{}\"}}", "ab1".repeat(4_000)));
    masks(&format!("x «{header}.{payload}.{}» y", signature()));
}

#[test]
fn what_only_looks_like_a_token_stays() {
    leaves("eyJ is the base64 of \"{\\\"\" so a JWT such as eyJ... starts with it");
    leaves("eyJhbGciOiJIUzI1NiJ9...");
    leaves("eyJhbGciOiJIUzI1NiJ9");
    leaves("eyJhbGciOiJIUzI1NiJ9.<payload>.<signature>");
    leaves("import eyJson.parser.handler");
    leaves("eyJunk.file.name_of_something_long");
    leaves(&"eyJ".repeat(100));
    leaves(&"eyJ.".repeat(100));
}
