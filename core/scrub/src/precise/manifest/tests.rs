use super::super::test_marks::{leaves, scrub};

#[test]
fn every_value_of_a_secret_is_masked_and_its_names_stay() {
    let head = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\n";
    let data = "data:\n  config: aGVsbG8gd29ybGQ=\n  user: \"YWRtaW4=\"\n";
    let rest = "stringData:\n  url: plain-text-1\ntype: Opaque\n";
    let masked = scrub(&format!("{head}{data}{rest}"));
    assert_eq!(masked.matches("[REDACTED:kubernetes-secret").count(), 3, "{masked}");
    for kept in ["name: db\n", "  config: [", "  user: \"[", "]\"\n", "  url: [", "type: Opaque\n"]
    {
        assert!(masked.contains(kept), "{kept} in {masked}");
    }
    assert_eq!(scrub(&masked), masked);
}

#[test]
fn the_data_may_stand_before_the_kind() {
    let yaml =
        "apiVersion: v1\ndata:\n  a: aGVsbG8gd29ybGQ=\nkind: Secret\nmetadata:\n  name: db\n";
    let masked = scrub(yaml);
    assert!(masked.contains("  a: [REDACTED:") && masked.contains("name: db"), "{masked}");
    let json = "{\"apiVersion\":\"v1\",\"data\":{\"a\":\"aGVsbG8gd29ybGQ=\",\"b\":\"YWRtaW4=\"},\"kind\":\"Secret\"}";
    let masked = scrub(json);
    assert!(
        masked.contains("{\"a\":\"[REDACTED:") && masked.contains(",\"b\":\"[REDACTED:"),
        "{masked}"
    );
    assert_eq!(scrub(&masked), masked);
}

#[test]
fn a_list_masks_its_secrets_and_leaves_its_maps() {
    let secret = "- apiVersion: v1\n  data:\n    a: aGVsbG8gd29ybGQ=\n  kind: Secret\n";
    let map = "- apiVersion: v1\n  data:\n    a: aGVsbG8gd29ybGQ=\n  kind: ConfigMap\n";
    let masked = scrub(&format!("items:\n{secret}{map}{secret}{map}"));
    assert_eq!(masked.matches("[REDACTED:").count(), 2, "{masked}");
    assert_eq!(masked.matches(map).count(), 2, "{masked}");
}

#[test]
fn other_kinds_stay() {
    leaves("apiVersion: v1\nkind: ConfigMap\ndata:\n  a: aGVsbG8gd29ybGQ=\n");
    leaves("kind: SecretStore\nmetadata:\n  name: x\ndata:\n  a: aGVsbG8gd29ybGQ=\n");
    leaves("kind: Secret\nmetadata:\n  name: a-long-name-0123\ntype: kubernetes.io/tls\n");
    leaves("kind: Secret\ndata:\n  a: ${A}\n  b: <base64>\n");
    leaves(&"kind: Secret ".repeat(100));
}
