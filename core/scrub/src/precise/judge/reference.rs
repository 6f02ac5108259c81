//! References: values that say where a secret is kept, and code that fetches it.

use super::starts::Starts;
use super::wordy::Words;

/// Beginnings of addresses in a store of secrets, and of values that are encrypted already.
static STORES: Starts = Starts::new(&[
    b"op://",
    b"vault:",
    b"gcp:secretmanager:",
    b"encrypted:",
    b"vault://",
    b"ref+",
    b"ref:",
    b"secret:",
    b"secret://",
    b"secretref:",
    b"secretKeyRef",
    b"valueFrom",
    b"file:",
    b"/run/secrets/",
    b"/var/run/secrets/",
    b"/etc/secrets/",
    b"/vault/secrets/",
    b"keychain:",
    b"keyring:",
    b"env:",
    b"env://",
    b"ssm:",
    b"awssm:",
    b"aws-sm",
    b"asm://",
    b"sm://",
    b"gcp-sm",
    b"gcpsm:",
    b"gsm:",
    b"akv:",
    b"azkv:",
    b"azurekeyvault",
    b"kv:",
    b"bw:",
    b"bws:",
    b"doppler:",
    b"infisical:",
    b"sops:",
    b"berglas://",
    b"k8s:",
    b"pass:",
    b"lpass:",
    b"@Microsoft.KeyVault(",
    b"projects/",
    b"!Ref ",
    b"!Sub ",
    b"!GetAtt ",
    b"!ImportValue ",
    b"!vault",
    b"!secret ",
    b"!env",
    b"!reference",
    b"$ANSIBLE_VAULT",
    b"{{resolve:",
    b"ENC[",
    b"ENC(",
    b"{cipher}",
    b"AgEA",
    b"lookup(",
    b"*default",
    b"~/.",
    b"./",
    b"../",
    b"$HOME/",
    b"@/",
    b"fnox",
]);

/// The roots of expressions that read the environment, a configuration, or a store.
static ROOTS: Starts = Starts::new(&[
    b"process.env",
    b"import.meta.env",
    b"os.environ",
    b"os.getenv",
    b"os.Getenv",
    b"os.LookupEnv",
    b"Deno.env",
    b"Bun.env",
    b"System.getenv",
    b"System.getProperty",
    b"Environment.Get",
    b"ENV[",
    b"ENV.",
    b"env(",
    b"env[",
    b"env.",
    b"env!(",
    b"std::env",
    b"option_env!",
    b"getenv(",
    b"get_env(",
    b"$ENV{",
    b"$_ENV",
    b"$_SERVER",
    b"secrets.",
    b"secrets[",
    b"vars.",
    b"var.",
    b"local.",
    b"data.",
    b"module.",
    b"settings.",
    b"config.",
    b"config[",
    b"config(",
    b"conf.",
    b"cfg.",
    b"app.config",
    b"current_app.config",
    b"Rails.application",
    b"ProcessInfo.",
    b"Configuration[",
    b"configuration[",
    b"builder.Configuration",
    b"getpass",
    b"input(",
    b"prompt(",
    b"raw_input(",
    b"readline(",
    b"click.prompt",
    b"viper.",
    b"dotenv",
    b"keyring.",
    b"credentials(",
    b"credentials.",
    b"vault(",
    b"Secret::",
    b"Vault.",
    b"vault.",
    b"steps.",
    b"needs.",
    b"inputs.",
    b"github.",
    b"parameters.",
    b"random_password.",
    b"aws_secretsmanager",
    b"azurerm_",
    b"google_secret",
    b"kubernetes_secret",
    b"self.",
    b"this.",
    b"Sys.getenv",
    b"System.get_env",
    b"Application.get_env",
    b"NSProcessInfo",
    b"BuildConfig.",
    b"Bundle.main",
    b"args.",
    b"opts.",
    b"options.",
    b"params.",
    b"props.",
    b"ctx.",
    b"request.",
    b"req.",
    b"res.",
    b"response.",
    b"event.",
    b"flags.",
    b"context.",
    b"account.",
    b"user.",
    b"os.path",
    b"ansible_",
    b"hostvars[",
    b"fn::",
    b"Fn::",
    b"sub:",
    b"ssm(",
    b"pulumi.",
]);

/// True if the whole value is a reference: `${TOKEN}`, `$TOKEN`, `%TOKEN%`, `#{token}`,
/// `$(cat token)`, a back-quoted command, `op://…`, `arn:…:secret:…`, `os.environ["TOKEN"]`.
pub(super) fn is_reference(value: &[u8]) -> bool {
    let value = without_scheme(value);
    is_variable(value)
        || is_address(value)
        || is_template(value)
        || ROOTS.begin(value) && is_expression(value)
}

/// What is behind `Bearer `, `Basic ` or `token `, or behind the `f` of a Python string.
fn without_scheme(value: &[u8]) -> &[u8] {
    for scheme in [&b"bearer "[..], b"basic ", b"token ", b"apikey "] {
        if value.len() > scheme.len() && value[..scheme.len()].eq_ignore_ascii_case(scheme) {
            return value[scheme.len()..].trim_ascii();
        }
    }
    value
}

/// A name as variables have it.
fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|b| b.is_ascii_alphabetic() || *b == b'_')
        && name.iter().all(|&b| b.is_ascii_alphanumeric() || b == b'_')
}

/// `$NAME`, `%NAME%`, `@NAME@`, `:name`, and the like.
fn is_variable(value: &[u8]) -> bool {
    let capitals = |name: &[u8]| is_name(name) && !name.iter().any(u8::is_ascii_lowercase);
    let worded = |name: &[u8]| {
        is_name(name) && (capitals(name) || Words::of(name).mostly() || name.len() < 4)
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

/// `db.password`: names with dots between them, all of them words.
fn is_property(name: &[u8]) -> bool {
    name.split(|b| *b == b'.').all(is_name) && Words::of(name).mostly()
}

/// An address of a store, or a file.
fn is_address(value: &[u8]) -> bool {
    if STORES.begin(value) {
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

/// Pieces in braces, and between them nothing that could be a secret: `${{ secrets.A }}`,
/// `{tenant}:{user}`, `#{a}-#{b}`, `${A:-}`, `Bearer {token}`.
fn is_template(value: &[u8]) -> bool {
    let mut plain = 0;
    let mut pieces = 0;
    let mut at = 0;
    // Once a brace is left open, so is every brace behind it: looking again would cost a square.
    let mut open = false;
    while at < value.len() {
        let piece = if value[at] == b'{' && !open { braced(&value[at..]) } else { None };
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
    pieces > 0 && (plain < 6 || Words::of(value).mostly() && plain * 2 < value.len())
}

/// The length of a piece in braces at the start of `text`: its inside may be a name, a path, or an
/// expression with nested braces.
fn braced(text: &[u8]) -> Option<usize> {
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
    // A view or a lexer may cut the value inside: what began as a piece is one.
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
    }) && (end < value.len() || Words::of(path).mostly())
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
