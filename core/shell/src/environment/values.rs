//! Values of variables: which of them fit what a name takes.

use super::names::{self, Takes};
use super::{options, resolved};
use crate::compilers::{are_harmless_flags, is_compiler_command};
use crate::effect::Scope;
use crate::env::Env;
use crate::place;
use crate::value::Value;

/// Folders that only the system's owner writes to.
const OF_SYSTEM: &[&str] = &[
    "/usr", "/opt", "/bin", "/sbin", "/lib", "/lib64", "/Library", "/Applications", "/System",
    "/nix/store", "/snap",
];

/// Folders of the home folder where tools are installed by default.
const DEFAULTS: &[&str] = &[
    ".cargo", ".rustup", "go", "go/bin", ".gradle", ".m2", ".npm", ".nvm", ".bun", ".deno",
    ".pyenv", ".rbenv", ".local", ".local/share", ".local/state", ".local/share/pnpm", ".cache",
    ".dotnet", ".nuget/packages", ".volta", ".asdf", ".sdkman", ".gem", ".composer", ".mix",
    ".hex", ".ccache", "Android/Sdk", "Library/Android/sdk",
];

/// Programs that a variable may name because the tool would use them anyway.
const PROGRAMS: &[&str] = &[
    "cargo", "rustfmt", "rustdoc", "rustc", "clippy-driver", "ccache", "sccache", "go", "gofmt",
    "gotestsum", "python", "python2", "python3", "node", "nodejs", "npm", "pnpm", "yarn", "bun",
    "deno", "java", "javac", "ruby", "perl", "php", "lua", "make", "gmake", "ninja", "cmake", "m4",
    "gm4", "autom4te", "autoconf", "automake", "pkg-config", "pkgconf", "llvm-config", "pg_config",
    "mysql_config", "curl-config", "python3-config", "git", "sh", "bash", "dash", "zsh", "docker",
    "podman", "terraform", "tofu", "gcloud", "kubectl", "chromium", "chromium-browser",
    "google-chrome", "firefox", "llvm-symbolizer", "gccgo", "xelatex", "pdflatex", "lualatex",
    "sed", "awk", "grep", "true", "false",
];

/// Words that name a kind of build or place, and no file.
const KINDS: &[&str] = &[
    "", "debug", "release", "Debug", "Release", "RelWithDebInfo", "MinSizeRel", "dev",
    "development", "test", "testing", "prod", "production", "staging", "ci", "local", "default",
    "none", "auto", "true", "false",
];

/// True if a variable that takes such values does no harm with this one.
pub(super) fn fits(
    takes: Takes,
    name: &str,
    value: &Value,
    cwd: Option<&Value>,
    env: &Env,
) -> bool {
    let text = value.prefix();
    match takes {
        Takes::Anything => true,
        Takes::Asks => text.is_empty(),
        Takes::Switch => is_switch(text),
        Takes::Kind => KINDS.contains(&text),
        Takes::Name => is_name(text),
        Takes::Version => is_switch(text) || is_program(text),
        Takes::Proxies => {
            let usual = ["direct", "off", "https://proxy.golang.org", ""];
            text.split([',', '|']).all(|proxy| usual.contains(&proxy))
        }
        Takes::Place => each(value, |path| is_place(path, cwd, env, true)),
        Takes::Home => {
            each(value, |path| is_place(path, cwd, env, false) || is_default(path, cwd, env))
        }
        Takes::Library => each(value, |path| {
            is_place(path, cwd, env, false)
                || is_default(path, cwd, env)
                || is_of_system(path, cwd, env)
        }),
        Takes::Installed => {
            is_of_system(value, cwd, env) || is_default(value, cwd, env) || text.is_empty()
        }
        Takes::Program => is_program(text),
        Takes::Flags => are_harmless_flags(text),
        Takes::Options(options::Kind::Other) if is_switch(text) => true,
        Takes::Options(kind) => options::are_harmless(kind, text),
        Takes::Family => is_switch(text) || is_cache(name, value, cwd, env),
    }
}

/// Each folder of a list.
fn each(value: &Value, fits: impl Fn(&Value) -> bool) -> bool {
    match value {
        Value::Known(text) => {
            text.split(':').all(|part| part.is_empty() || fits(&Value::known(part)))
        }
        other => fits(other),
    }
}

/// `0`, `1`, `true`, `30`, `1.2.3`.
fn is_switch(text: &str) -> bool {
    /// Words for a switch.
    const WORDS: &[&str] = &["", "true", "false", "yes", "no", "on", "off", "never", "always"];
    WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        || text.starts_with(|char: char| char.is_ascii_digit())
            && text.chars().all(|char| char.is_ascii_digit() || char == '.')
}

/// A name or a version that is no path: `stable`, `3.12`, `go1.22.0+auto`.
fn is_name(text: &str) -> bool {
    !text.starts_with(['.', '-'])
        && text.chars().all(|char| char.is_ascii_alphanumeric() || "-_.+:,@ ".contains(char))
}

/// True for the folder of a cache, which is in a place of its own.
fn is_cache(name: &str, value: &Value, cwd: Option<&Value>, env: &Env) -> bool {
    let ends = ["_CACHE", "_CACHE_DIR", "_CACHE_PATH", "_CACHE_FOLDER", "_TARGET_DIR", "_TMPDIR"];
    let name = name.to_ascii_uppercase();
    ends.iter().any(|end| name.ends_with(end)) && is_place(value, cwd, env, true)
}

/// True for a path in the workspace, or for a temporary one.
fn is_place(path: &Value, cwd: Option<&Value>, env: &Env, or_temp: bool) -> bool {
    if matches!(path.as_known(), Some("/dev/null" | "/dev/stdout" | "/dev/stderr" | "-" | "")) {
        return true;
    }
    let Some(path) = resolved(path, cwd, env) else { return true };
    let is_root = |path: &str| env.workspace.iter().any(|root| root.trim_end_matches('/') == path);
    path.as_known().is_some_and(is_root)
        || match place::scope(&path, env) {
            Scope::Workspace => true,
            Scope::Temp => or_temp,
            _ => false,
        }
}

/// True for where a tool lives anyway.
fn is_default(path: &Value, cwd: Option<&Value>, env: &Env) -> bool {
    let Some(path) = resolved(path, cwd, env) else { return true };
    let below = |path: &str| Some(path.strip_prefix(&env.home)?.strip_prefix('/')?.to_owned());
    path.as_known().and_then(below).is_some_and(|rest| DEFAULTS.contains(&&*rest))
}

/// True for a path in a folder of the system.
fn is_of_system(path: &Value, cwd: Option<&Value>, env: &Env) -> bool {
    let Some(path) = resolved(path, cwd, env) else { return false };
    let within = |path: &str| OF_SYSTEM.iter().any(|root| place::is_within(path, root));
    path.as_known().is_some_and(within)
}

/// True for a well-known program by its name alone, or in a folder of the system.
fn is_program(text: &str) -> bool {
    let folders = ["/usr/bin/", "/bin/", "/usr/local/bin/", "/opt/homebrew/bin/"];
    let name = folders.iter().find_map(|folder| text.strip_prefix(folder)).unwrap_or(text);
    let is_version =
        |rest: &str| rest.chars().all(|char| char.is_ascii_digit() || ".-".contains(char));
    let is_known = |program: &str| name.strip_prefix(program).is_some_and(is_version);
    name.is_empty() || PROGRAMS.iter().any(|program| is_known(program)) || is_compiler_command(text)
}

/// True if a value names a path beyond workspace, temporary folders and those of the system.
#[must_use]
pub fn leads_out(name: &str, value: &Value, cwd: &Value, env: &Env) -> bool {
    if names::takes(name).is_some() {
        return false;
    }
    match value {
        Value::Known(text) => text_leads_out(text, cwd, env),
        Value::OneOf(texts) => texts.iter().any(|text| text_leads_out(text, cwd, env)),
        Value::Prefix(text, _) => text_leads_out(text, cwd, env),
        Value::Unknown(_) => false,
    }
}

/// True for a known text that names a place outside of the workspace.
fn text_leads_out(text: &str, cwd: &Value, env: &Env) -> bool {
    // An address of another machine, and what comes in it.
    if text.contains("://") && !text.contains("file:") {
        return false;
    }
    let parts = text.split([':', ',', '=', ' ', ';', '\t', '\n']);
    parts.filter(|part| is_path(part)).any(|part| {
        let path = Value::known(part);
        !(is_place(&path, Some(cwd), env, true)
            || is_default(&path, Some(cwd), env)
            || is_of_system(&path, Some(cwd), env))
    })
}

/// True for what can only be a path that may be elsewhere.
fn is_path(part: &str) -> bool {
    let rooted = part.strip_prefix('/').is_some_and(|rest| {
        rest.starts_with(|char: char| char.is_ascii_alphanumeric() || "._~".contains(char))
    });
    // Two slashes are a path, too, where no address stands before.
    let doubled = part.strip_prefix("//").is_some_and(|rest| !rest.is_empty());
    rooted || doubled || part.starts_with("~/") || part == ".." || part.contains("../")
}
