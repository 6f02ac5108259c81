use super::*;

fn kind(name: &str) -> Option<&'static str> {
    classify(name.as_bytes()).map(|classified| classified.kind)
}

#[test]
fn the_last_word_decides_in_every_case_and_with_every_separator() {
    for name in ["password", "DB_PASSWORD", "dbPassword", "db-password", "PGPASSWORD", "MYSQL_PWD"]
    {
        assert_eq!(kind(name), Some("password"), "{name}");
    }
    for name in ["db_pass", "sudo-pass", "smtpPass", "passwd", "passphrase", "rootPassword"] {
        assert_eq!(kind(name), Some("password"), "{name}");
    }
    for name in ["spring.datasource.password", "passPhrase", "pass_word", "mot_de_passe", "пароль"]
    {
        assert_eq!(kind(name), Some("password"), "{name}");
    }
    for name in ["api_key", "apiKey", "APIKEY", "x-api-key", "OPENAI_API_KEY", "APIKey"] {
        assert_eq!(kind(name), Some("api-key"), "{name}");
    }
    for name in ["token", "session_token", "authToken", "GITHUB_TOKEN", "authtoken", "csrf_token"] {
        assert_eq!(kind(name), Some("token"), "{name}");
    }
    for name in ["SecretAccessKey", "AccountKey", "SharedAccessKey", "aws_secret_access_key"] {
        assert_eq!(kind(name), Some("access-key"), "{name}");
    }
    assert_eq!(kind("client_secret"), Some("secret"));
    assert_eq!(kind("PrivateKey"), Some("private-key"));
    assert_eq!(kind("Authorization"), Some("authorization"));
    assert_eq!(kind("credential"), Some("credential"));
    assert_eq!(kind("PHPSESSID"), Some("session"));
}

#[test]
fn suffixes_of_place_and_form_are_dropped() {
    for name in ["DB_PASSWORD_PROD", "password1", "PASSWORD_2", "password_confirmation"] {
        assert_eq!(classify(name.as_bytes()).map(|t| t.strength), Some(Strength::Strong), "{name}");
    }
    assert_eq!(kind("auth_token_v2"), Some("token"));
    assert_eq!(kind("token_value"), Some("token"));
    assert_eq!(kind("SECRET_KEY_BASE"), Some("secret"));
    assert_eq!(kind("SecretString"), Some("secret"));
}

#[test]
fn the_prefilter_rejects_only_names_without_a_class() {
    for end in ["Internal", "External", "Staging", "Testing", "String", "Ci", "Us", "Qa", "B"] {
        let [lower, upper] = [end.to_ascii_lowercase(), end.to_ascii_uppercase()];
        for name in [
            format!("api_key_{lower}"),
            format!("api-key-{lower}"),
            format!("API_KEY_{upper}"),
            format!("apiKey{end}"),
        ] {
            assert_eq!(kind(&name), Some("api-key"), "{name}");
        }
    }
    for name in ["signal", "AbortSignal", "r.signal", "KEY_SIGNAL", "passing", "passed-in"] {
        assert!(!may_be_secret_name(name.as_bytes()), "{name}");
    }
}

#[test]
fn a_weak_name_requires_a_random_value() {
    for name in ["key", "session", "auth", "signature", "STRIPE_KEY", "cookie", "VIRTUAL_HOST"] {
        assert_eq!(classify(name.as_bytes()).map(|t| t.strength), Some(Strength::Weak), "{name}");
    }
}

#[test]
fn a_secret_word_that_is_not_the_last_gives_no_class() {
    for name in [
        "turnkey",
        "monkey",
        "KEY_PREFIX",
        "sort_key",
        "cache_key",
        "primary_key",
        "public_key",
        "foreign_key",
        "partition_key",
        "keyboard",
        "tokenizer",
        "max_tokens",
        "token_type",
        "token_count",
        "password_hash",
        "secret_name",
        "secretKeyRef",
        "passed",
        "author",
        "compass",
        "bypass",
        "KEYCLOAK_REALM",
        "CREDENTIAL_HELPER",
        "token_url",
        "stop_token",
        "pad_token_id",
        "next_page_token",
        "existingSecret",
        "has_password",
        "isSecret",
        "",
        "secret-id",
        "keys",
        "hotkey",
        "reset_password",
        "1234",
        "---",
    ] {
        assert_eq!(kind(name), None, "{name}");
    }
}

#[test]
fn a_name_of_any_length_is_bounded() {
    assert_eq!(kind(&"a_".repeat(63)), None);
    assert_eq!(kind(&format!("{}password", "a".repeat(120))), Some("password"));
    assert_eq!(kind(&format!("{}password", "a".repeat(121))), None);
    assert_eq!(kind(&"aB1".repeat(42)), None);
}

#[test]
fn a_function_takes_a_secret_or_brings_one() {
    let style = |name: &str| argument_style(name.as_bytes());
    assert_eq!(style("setPassword"), Some(ArgumentStyle::MoreArguments));
    assert_eq!(style("builder.password"), Some(ArgumentStyle::OnlyArgument));
    assert_eq!(style("getPassword"), None);
    assert_eq!(style("hash_password"), None);
    assert_eq!(style("splitpasswd"), None);
    assert_eq!(style("base.pass"), None);
}
