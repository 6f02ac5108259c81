//! Environment injections: variables that change what programs run, and which values of them do no
//! harm.
//!
//! A variable belongs to a kind by what programs do with it ([`VariableUse`]), and the kind decides
//! which values are denied, asked about or allowed. Names that are not listed anywhere are asked
//! about by the tables of [`crate::environment`].

use super::{Case, reach};
use crate::compilers::{is_usual, of_builds};
use crate::effect::Found;
use crate::environment::{self, Kind, are_harmless_options};
use crate::names::is_env_injection;
use crate::settings::Profile;
use crate::value::{Origin, Value};

/// True if setting a variable so may make programs run something else.
pub(super) fn is_denied(name: &str, value: &Value, case: &Case<'_>) -> bool {
    match kind(name) {
        // A project may keep libraries of its own.
        VariableUse::Loader if name == "LD_LIBRARY_PATH" => !is_in_workspace(name, value, case),
        VariableUse::Loader | VariableUse::Shell => true,
        VariableUse::ShellFile => looks_like_file(value),
        VariableUse::Runs => !is_harmless_program(value),
        VariableUse::Options => !are_harmless_machine_options(value) && !names_modules(value),
        VariableUse::Paths | VariableUse::Git | VariableUse::Builds | VariableUse::Other => false,
    }
}

/// True if setting a variable so is part of ordinary work.
pub(super) fn is_harmless(name: &str, value: &Value, case: &Case<'_>, found: &Found) -> bool {
    if !is_env_injection(name) {
        let cwd = reach::call(case, found).map(|call| &call.cwd);
        return environment::is_harmless(name, value, cwd, case.env);
    }
    match kind(name) {
        VariableUse::Loader | VariableUse::Shell => false,
        VariableUse::ShellFile => !looks_like_file(value),
        VariableUse::Runs => is_harmless_program(value),
        VariableUse::Options => are_harmless_machine_options(value),
        VariableUse::Paths => is_in_workspace(name, value, case),
        VariableUse::Git => GIT_DATA.contains(&name),
        VariableUse::Builds => builds_as_usual(name, value),
        VariableUse::Other => OTHERS.contains(&name),
    }
}

/// What programs do with a variable.
enum VariableUse {
    /// Every program loads it.
    Loader,
    /// A shell runs it.
    Shell,
    /// A shell runs the file that it names.
    ShellFile,
    /// A program runs the command that it holds.
    Runs,
    /// Options for an interpreter.
    Options,
    /// Folders where programs and modules are looked for.
    Paths,
    /// Git's own.
    Git,
    /// A build runs the compiler that it names, or gives it the options that it holds.
    Builds,
    /// Anything else.
    Other,
}

/// Variables that hold what a shell or an interpreter runs, or that load code into one.
const SHELL: &[&str] = &[
    "BASH_ENV", "PROMPT_COMMAND", "PS4", "SHELLOPTS", "BASHOPTS", "LESSOPEN", "LESSCLOSE", "hash",
    "LUA_INIT", "PERL5DB", "EXINIT", "VIMINIT", "MYVIMRC", "GCONV_PATH", "PYTHONSTARTUP",
    "DOTNET_STARTUP_HOOKS", "npm_config_script_shell", "MAKEFILES", "TAR_OPTIONS", "PERL5OPT",
    "RUBYOPT", "PYTHONINSPECT", "PYTHONBREAKPOINT",
];
/// Variables that hold a command which a program runs.
const RUNS: &[&str] = &[
    "PAGER", "MANPAGER", "EDITOR", "VISUAL", "BROWSER", "FCEDIT", "SUDO_EDITOR", "SUDO_ASKPASS",
    "SSH_ASKPASS", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "HGEDITOR", "KUBE_EDITOR", "PSQL_EDITOR",
    "PSQL_PAGER", "GIT_PAGER", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_SSH", "GIT_SSH_COMMAND",
    "GIT_EXTERNAL_DIFF", "GIT_DIFF_OPTS", "GIT_PROXY_COMMAND", "GIT_ASKPASS",
];
/// Variables that hold options of an interpreter.
const OPTIONS: &[&str] = &[
    "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "MAVEN_OPTS",
    "GRADLE_OPTS", "ERL_FLAGS", "ERL_AFLAGS", "PYTHONWARNINGS", "MANOPT",
];
/// Variables that hold folders where programs and modules are looked for.
const PATHS: &[&str] = &[
    "PATH", "PYTHONPATH", "NODE_PATH", "CLASSPATH", "RUBYLIB", "PERL5LIB", "PERLLIB", "LUA_PATH",
    "LUA_CPATH", "CDPATH", "MANPATH", "FPATH",
];

/// What programs do with a variable of this name.
fn kind(name: &str) -> VariableUse {
    if name.starts_with("LD_") && name != "LD_FLAGS" || name.starts_with("DYLD_") {
        return VariableUse::Loader;
    }
    if name.starts_with("BASH_FUNC_") || SHELL.contains(&name) {
        return VariableUse::Shell;
    }
    if name == "ENV" {
        return VariableUse::ShellFile;
    }
    if RUNS.contains(&name) || name.ends_with("_PAGER") || name.ends_with("_EDITOR") {
        return VariableUse::Runs;
    }
    if OPTIONS.contains(&name) {
        return VariableUse::Options;
    }
    if PATHS.contains(&name) {
        return VariableUse::Paths;
    }
    match name {
        _ if name.starts_with("GIT_") => VariableUse::Git,
        _ if of_builds(name) => VariableUse::Builds,
        _ => VariableUse::Other,
    }
}

/// True if a build does what it would have done, with another compiler perhaps.
fn builds_as_usual(name: &str, value: &Value) -> bool {
    let is_usual = |text: &str| is_usual(name, text);
    match value {
        // What was there before, or this.
        Value::Unknown(Origin::EnvironmentOr(before, text)) => before == name && is_usual(text),
        Value::Unknown(Origin::Environment(before)) => before == name,
        other => other.possible().is_some_and(|all| all.iter().all(|text| is_usual(text))),
    }
}

/// Variables of Git that are data.
const GIT_DATA: &[&str] = &[
    "GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_AUTHOR_DATE", "GIT_COMMITTER_NAME",
    "GIT_COMMITTER_EMAIL", "GIT_COMMITTER_DATE", "GIT_TERMINAL_PROMPT", "GIT_MERGE_AUTOEDIT",
    "GIT_TRACE", "GIT_TRACE_PERFORMANCE", "GIT_CURL_VERBOSE", "GIT_OPTIONAL_LOCKS",
    "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_LFS_SKIP_SMUDGE", "GIT_DEPTH", "GIT_STRATEGY",
    "GIT_COMMIT", "GIT_BRANCH", "GIT_SHA", "GIT_TAG",
];

/// Variables whose values choose between harmless things, and run nothing that the command could
/// not run itself.
const OTHERS: &[&str] = &[
    "LD_FLAGS", "IFS", "HISTCONTROL", "HISTSIZE", "TERMINFO", "TERMCAP", "GNUTERM",
    "SSL_CERT_FILE", "SSL_CERT_DIR", "HISTFILESIZE",
];

/// True for a value that may name a file.
fn looks_like_file(value: &Value) -> bool {
    value
        .possible()
        .is_none_or(|all| all.iter().any(|text| text.contains('/') || text.starts_with('.')))
}

/// True for programs that show or edit a text, without anything that a shell would see in them.
fn is_harmless_program(value: &Value) -> bool {
    const HARMLESS: &[&str] = &[
        "", "cat", "less", "more", "most", "true", "false", ":", "vi", "vim", "nvim", "nano",
        "emacs", "code", "delta", "bat", "diff-so-fancy", "colordiff", "tee", "head", "tail",
        "echo", "none", "ed", "micro", "hx", "kak", "joe", "subl", "/bin/cat", "/usr/bin/cat",
        "/bin/true", "/usr/bin/true", "/usr/bin/vim", "/usr/bin/vi", "/usr/bin/nano",
        "/usr/bin/less", "ssh",
    ];
    let Some(all) = value.possible() else { return false };
    all.iter().all(|text| {
        let mut words = text.split(' ').filter(|word| !word.is_empty());
        let program = words.next().unwrap_or_default();
        let plain = |word: &str| {
            word.starts_with('-')
                && !word.starts_with("-c")
                && !word.starts_with("-o")
                && word.chars().all(|char| char.is_ascii_alphanumeric() || "-=".contains(char))
        };
        HARMLESS.contains(&program) && words.all(plain)
    })
}

/// Options of interpreters that only size and log.
fn are_harmless_machine_options(value: &Value) -> bool {
    const HARMLESS: &[&str] = &[
        "--max-old-space-size", "--max_old_space_size", "--max-semi-space-size", "--no-warnings",
        "--no-experimental-", "--trace-warnings", "--trace-deprecation", "--trace-uncaught",
        "--trace-exit", "--trace-sigint", "--trace-sync-io", "--trace-gc", "--pending-deprecation",
        "--tls-min-", "--tls-max-", "--tls-cipher-list", "--expose-gc", "--expose_gc",
        "--disable-warning", "--preserve-symlinks", "--no-deprecation", "--enable-source-maps",
        "--experimental-vm-modules", "--stack-trace-limit", "--unhandled-rejections",
        "--openssl-legacy-provider", "--throw-deprecation", "--dns-result-order", "-Xmx", "-Xms",
        "-Xss", "-XX:+UseG1GC", "-XX:MaxRAMPercentage", "-XX:MaxMetaspaceSize", "-Dfile.encoding",
        "-Dorg.gradle.daemon", "-Dorg.gradle.parallel", "-Djava.awt.headless", "-Duser.timezone",
        "ignore", "default", "error", "always", "once",
    ];
    let Some(all) = value.possible() else { return false };
    all.iter().flat_map(|text| text.split_whitespace()).all(|word| {
        (HARMLESS.iter().any(|start| word.starts_with(start))
            || are_harmless_options(Kind::Java, word))
            && !word.contains(['$', '`', '"', '\'', '(', ';', '|', '&'])
    })
}

/// True for options that load modules of the project by their names, without a path or an address.
fn names_modules(value: &Value) -> bool {
    /// Options of node that load a module.
    const LOADS: &[&str] = &["--import", "--require", "-r", "--loader", "--experimental-loader"];
    let is_module = |word: &str| {
        let rest = word.strip_prefix('@').unwrap_or(word);
        rest.starts_with(|char: char| char.is_ascii_alphanumeric())
            && !rest.contains("..")
            && rest.chars().all(|char| char.is_ascii_alphanumeric() || "-_./".contains(char))
    };
    let loads_modules = |text: &String| {
        let words: Vec<&str> = text.split([' ', '=']).filter(|word| !word.is_empty()).collect();
        words.chunks(2).all(|pair| match pair {
            [option, module] => LOADS.contains(option) && is_module(module),
            _ => false,
        })
    };
    value.possible().is_some_and(|all| all.iter().all(loads_modules))
}

/// True if all folders are in the workspace, or what was there before.
fn is_in_workspace(name: &str, value: &Value, case: &Case<'_>) -> bool {
    let within = |text: &str| {
        text.split(':').all(|folder| {
            if folder.is_empty() || folder == "." {
                return true;
            }
            let folder = Value::known(folder);
            let cwd = Value::known(case.env.cwd.clone());
            let path = crate::place::resolve(&folder, &cwd, case.env);
            reach::is_workspace(case, &path)
        })
    };
    match value {
        Value::Known(text) => within(text),
        Value::OneOf(texts) => texts.iter().all(|text| within(text)),
        Value::Prefix(text, Origin::Environment(_) | Origin::EnvironmentOr(..)) => {
            text.strip_suffix(':').is_some_and(within)
        }
        // More folders behind those that were there before.
        Value::Unknown(Origin::Environment(before)) => {
            before == name && case.settings.profile == Profile::Workspace
        }
        _ => false,
    }
}
