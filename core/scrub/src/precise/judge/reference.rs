//! References: values that name a place where the secret is kept, and code that fetches it.

use super::prefix_set::PrefixSet;
use super::word_score::Words;
use crate::words;

/// Prefixes of addresses in a secret store and of encrypted values, from `data/words/judge.toml`.
static STORE_PREFIXES: PrefixSet = PrefixSet::new(words::STORE_PREFIXES);

/// Roots of expressions that read the environment, a configuration or a store, from
/// `data/words/judge.toml`.
static EXPRESSION_ROOTS: PrefixSet = PrefixSet::new(words::EXPRESSION_ROOTS);

/// True if the whole value is a reference: `${TOKEN}`, `$TOKEN`, `%TOKEN%`, `#{token}`, `$(cat
/// token)`, a command in back quotes, `op://…`, `arn:…:secret:…`, `os.environ["TOKEN"]`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let value = without_scheme(value);
    is_variable(value)
        || is_address(value)
        || is_template(value)
        || EXPRESSION_ROOTS.matches(value) && is_expression(value)
}

/// The value without a scheme such as `Bearer `, `Basic ` or `token `.
fn without_scheme(value: &[u8]) -> &[u8] {
    for scheme in [&b"bearer "[..], b"basic ", b"token ", b"apikey "] {
        if value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme) {
            return value[scheme.len()..].trim_ascii();
        }
    }
    value
}

/// True for the name of a variable.
fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
}

/// A variable: `$NAME`, `%NAME%`, `@NAME@`, `:name` and similar.
fn is_variable(value: &[u8]) -> bool {
    let capitals = |name: &[u8]| is_name(name) && !name.iter().any(u8::is_ascii_lowercase);
    let worded = |name: &[u8]| {
        is_name(name) && (capitals(name) || Words::of(name).mostly_words() || name.len() < 4)
    };
    let around = |mark: &[u8]| value.strip_prefix(mark).and_then(|v| v.strip_suffix(mark));
    if let Some(rest) = value.strip_prefix(b"$") {
        // Make and Compose write it twice.
        let rest = rest.strip_prefix(b"$").unwrap_or(rest);
        let chain = rest.strip_prefix(b"env:").unwrap_or(rest);
        let end = chain
            .iter()
            .position(|b| matches!(b, b'-' | b'[' | b'.' | b':'))
            .unwrap_or(chain.len());
        let tail = &chain[end..];
        let member = tail.starts_with(b"->")
            || tail.starts_with(b"[")
            || tail.starts_with(b".")
            || tail.starts_with(b":");
        return worded(&chain[..end]) && (tail.is_empty() || member)
            || rest.len() == 1 && rest[0].is_ascii_digit();
    }
    around(b"%").is_some_and(is_name)
        || around(b"@").is_some_and(|name| capitals(name) || is_property(name))
        || value.strip_prefix(b":").is_some_and(worded)
        || value.starts_with(b"%(") && (value.ends_with(b")s") || value.ends_with(b")"))
        || matches!(
            value,
            b"%s" | b"%d" | b"%v" | b"%q" | b"%r" | b"%@" | b"{}" | b"{:?}" | b"?" | b"%w"
        )
}

/// A property: `db.password`. Names with dots in between, all of them words.
fn is_property(name: &[u8]) -> bool {
    name.split(|b| *b == b'.').all(is_name) && Words::of(name).mostly_words()
}

/// The address of a secret store, or a file.
fn is_address(value: &[u8]) -> bool {
    if STORE_PREFIXES.matches(value) {
        return true;
    }
    value.starts_with(b"arn:")
        || value.starts_with(b"`") && value.ends_with(b"`")
        || value.starts_with(b"$(") && value.ends_with(b")")
        || value.starts_with(b"`")
        || value.starts_with(b"$(")
        || value.starts_with(b"<(")
        || value.starts_with(b"@") && value[1..].contains(&b'/')
}

/// A template: pieces in braces, with nothing in between that could be a secret. `${{ secrets.A
/// }}`, `{tenant}:{user}`, `#{a}-#{b}`, `${A:-}`, `Bearer {token}`.
fn is_template(value: &[u8]) -> bool {
    let mut plain = 0;
    let mut pieces = 0;
    let mut at = 0;
    // If one brace is left open, so are all behind it. Looking again would take quadratic time.
    let mut open = false;
    while at < value.len() {
        let piece = if value[at] == b'{' && !open { braced_length(&value[at..]) } else { None };
        match (value[at], piece) {
            (b'{', Some(length)) => {
                pieces += 1;
                at += length;
            }
            (b, _) => {
                open |= b == b'{';
                plain += usize::from(b.is_ascii_alphanumeric());
                at += 1;
            }
        }
    }
    pieces > 0 && (plain < 6 || Words::of(value).mostly_words() && plain * 2 < value.len())
}

/// The length of the piece in braces that `text` starts with: a name, a path or an expression with
/// nested braces.
fn braced_length(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    for (at, &b) in text.iter().enumerate() {
        match b {
            b'{' => depth += 1,
            b'}' => {
                depth -= 1;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            b'\n' => return None,
            _ => {}
        }
    }
    // A view or a lexer may have cut the value inside the piece.
    text.starts_with(b"{{").then_some(text.len())
}

/// A path of names with calls and indexes, as far as the value goes: `a.b["C"]`, `a::b("C")`. The
/// end may be cut.
fn is_expression(value: &[u8]) -> bool {
    let end =
        value.iter().position(|b| matches!(b, b'(' | b'[' | b'{' | b'!')).unwrap_or(value.len());
    let path = &value[..end];
    path.iter().all(|&b| {
        b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b':' | b'$' | b'?' | b'-' | b'>')
    }) && (end < value.len() || Words::of(path).mostly_words())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_known() {
        let references = [
            "${TOKEN}",
            "$TOKEN",
            "%TOKEN%",
            "#{API_KEY}",
            "${A:-}",
            "${A:?must be set}",
            "$(cat x)",
            "`pass show TOKEN`",
            "${{ secrets.TOKEN }}",
            "{{ .Values.TOKEN }}",
            "op://vault/item/X",
            "vault:secret/data/app#X",
            "ref+vault://kv/X",
            "/run/secrets/X",
            "file:///etc/secrets/X",
            "arn:aws:secretsmanager:us-east-1:123456789012:secret:X",
            "process.env.X",
            "os.environ[\"X\"]",
            "ENV.fetch(\"X\")",
            "std::env::var(\"X\")",
            "env(\"X\")",
            "!Ref X",
            "getpass.getpass()",
            "input(\"X: \")",
            "var.X",
            "settings.SECRET_KEY",
            "Bearer $TOKEN",
            "data.aws_secretsmanager_secret_version.X.secret_string",
            "{a}:{b}:{c}",
            "$token",
        ];
        for text in references {
            assert!(is_reference(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn secrets_are_no_references() {
        let secrets =
            ["$ecr3t!x9K", "%5xyKq!", "@Tiger6152", "env.9xKq2LmZ81", "self.K9x2Qm7Lz0", "{Kx91mQ"];
        for text in secrets {
            assert!(!is_reference(text.as_bytes()), "{text}");
        }
    }
}
