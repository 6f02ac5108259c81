//! Which parts of the files that CLIs get are secret.

use zeroize::Zeroizing;

/// What in a file is set to a name that suggests a secret, by the variable that names the file.
pub(crate) fn parts(name: &str, content: &str) -> Vec<Zeroizing<String>> {
    let mut found: Vec<Zeroizing<String>> = Vec::new();
    if let Ok(json) = serde_json::from_str::<serde_json::Value>(content) {
        secrets_of_json(&json, &mut found);
    }
    for line in content.lines() {
        let pair = line.split_once(": ").or_else(|| line.split_once('='));
        if let Some((key, value)) = pair
            && is_revealing(key.trim().trim_start_matches("- "))
        {
            found.push(Zeroizing::new(value.trim().trim_matches(['"', '\'']).to_owned()));
        }
    }
    if name == "PGPASSFILE" {
        found.extend(content.lines().filter_map(password));
    }
    found
}

/// The password in a line of such passwords: host:port:database:user:password. A backslash takes its sense
/// from what follows it.
fn password(line: &str) -> Option<Zeroizing<String>> {
    let mut fields = vec![Zeroizing::new(String::new())];
    let mut letters = line.chars();
    while let Some(letter) = letters.next() {
        match letter {
            ':' => fields.push(Zeroizing::new(String::new())),
            '\\' => fields.last_mut()?.extend(letters.next()),
            other => fields.last_mut()?.push(other),
        }
    }
    fields.into_iter().nth(4)
}

/// True for a name that suggests a secret.
fn is_revealing(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    let name = name.trim_matches(['"', '\'']);
    [
        "token",
        "secret",
        "password",
        "passwd",
        "private_key",
        "key-data",
        "api_key",
        "apikey",
        "credential",
    ]
    .iter()
    .any(|part| name.contains(part))
}

fn secrets_of_json(json: &serde_json::Value, found: &mut Vec<Zeroizing<String>>) {
    match json {
        serde_json::Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    serde_json::Value::String(text) if is_revealing(name) => {
                        found.push(Zeroizing::new(text.clone()));
                    }
                    other => secrets_of_json(other, found),
                }
            }
        }
        serde_json::Value::Array(items) => {
            items.iter().for_each(|item| secrets_of_json(item, found))
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_secret_in_a_file_is_found() {
        let found =
            |name, text| parts(name, text).iter().map(|one| one.to_string()).collect::<Vec<_>>();
        assert_eq!(
            found("PGPASSFILE", "h:1:d:u:a\\:b\\\\c:d\n*:*:*:*:second"),
            ["a:b\\c", "second"]
        );
        let config = "users:\n- name: x\n  user:\n    token: \"abc\"\n    client-key-data: def\n";
        assert_eq!(found("KUBECONFIG", config), ["abc", "def"]);
        assert_eq!(found("X", r#"{"a":[{"client_secret":"abc","kind":"x"}]}"#), ["abc"]);
    }
}
