//! What a name alone says: of a variable, whether it is an environment injection or holds a secret;
//! of a program, whether it is a wrapper command.
//!
//! The lower half of the crate asks these questions, and so does the evaluation, which stands above
//! it. So the names stand here, apart from what is done with them.

use crate::compilers::of_builds;
use crate::invocation::program_name;

/// True for a variable that changes what a shell or another program runs, loads or trusts.
#[must_use]
pub fn is_env_injection(name: &str) -> bool {
    ENV_INJECTION.contains(&name)
        || ["LD_", "DYLD_", "GIT_", "BASH_FUNC_"].iter().any(|start| name.starts_with(start))
        || name.ends_with("_PAGER")
        || name.ends_with("_EDITOR")
        || of_builds(name)
}

/// Such variables by their whole names; families of names stand in [`is_env_injection`].
const ENV_INJECTION: &[&str] = &[
    "PATH", "IFS", "ENV", "BASH_ENV", "PS4", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS", "CDPATH",
    "FUNCNEST", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PYTHONINSPECT", "PYTHONWARNINGS",
    "PYTHONBREAKPOINT", "PYTHONEXECUTABLE", "PERL5LIB", "PERL5DB", "PERL5OPT", "PERLLIB",
    "RUBYOPT", "RUBYLIB", "NODE_PATH", "NODE_OPTIONS", "JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS",
    "JDK_JAVA_OPTIONS", "CLASSPATH", "MAVEN_OPTS", "GRADLE_OPTS", "LUA_INIT", "LUA_PATH",
    "LUA_CPATH", "EDITOR", "VISUAL", "PAGER", "MANPAGER", "LESSOPEN", "LESSCLOSE", "BROWSER",
    "MANOPT", "MANPATH", "FCEDIT", "SUDO_EDITOR", "SUDO_ASKPASS", "SSH_ASKPASS", "HOME", "SHELL",
    "MAKEFILES", "TAR_OPTIONS", "TMUX_TMPDIR", "RSYNC_RSH", "CVS_RSH", "SVN_SSH", "HGRCPATH",
    "HGEDITOR", "KUBE_EDITOR", "KUBECONFIG", "PSQL_EDITOR", "PSQL_PAGER", "TERMINFO", "TERMCAP",
    "INPUTRC", "HISTFILE", "HISTCONTROL", "HISTSIZE", "HISTFILESIZE", "GLOBIGNORE", "EXECIGNORE",
    "FPATH", "ZDOTDIR", "GCONV_PATH", "LOCPATH", "NLSPATH", "HOSTALIASES", "RESOLV_HOST_CONF",
    "GNUTERM", "WGETRC", "CURL_HOME", "OPENSSL_CONF", "OPENSSL_ENGINES", "SSL_CERT_FILE",
    "SSL_CERT_DIR", "CURL_CA_BUNDLE", "REQUESTS_CA_BUNDLE", "NODE_TLS_REJECT_UNAUTHORIZED",
    "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy",
    "all_proxy", "PHPRC", "PHP_INI_SCAN_DIR", "DOCKER_HOST", "XDG_CONFIG_HOME", "EXINIT",
    "VIMINIT", "MYVIMRC", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL", "PIP_CONFIG_FILE",
    "NPM_CONFIG_REGISTRY", "npm_config_registry", "npm_config_script_shell", "ERL_FLAGS",
    "ERL_AFLAGS", "DOTNET_STARTUP_HOOKS",
];

/// True for a variable that holds a secret, by its name.
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    [
        "SECRET", "TOKEN", "PASSWORD", "PASSWD", "API_KEY", "APIKEY", "PRIVATE_KEY", "ACCESS_KEY",
        "CREDENTIAL", "_DSN",
    ]
    .iter()
    .any(|part| name.contains(part))
        || name.ends_with("_KEY")
        || name.ends_with("_PASS")
        || name == "DATABASE_URL"
}

/// True if a program of this name is a wrapper command: one that runs others, and that the evaluation
/// looks into. It needs no model to be understood.
#[must_use]
pub fn is_wrapper(program: &str) -> bool {
    let name = program_name(program);
    WRAPPERS.iter().any(|pattern| is_wrapper_name(pattern, name))
}

/// True if a name of a wrapper is this one. `python*` stands for all names that begin so.
#[must_use]
pub fn is_wrapper_name(pattern: &str, name: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => pattern == name,
    }
}

/// The names of all wrapper commands, sorted. A test compares them with the tables of
/// `evaluate::wrappers`, which hold what each wrapper does. A name that ends in `*` stands for all
/// names that begin so.
pub const WRAPPERS: &[&str] = &[
    "arch", "ash", "at", "autossh", "awk", "bash", "batch", "beesu", "bfs", "bubblewrap", "bun",
    "busybox", "bwrap", "caffeinate", "capsh", "catchsegv", "choom", "chpst", "chronic", "chroot",
    "chrt", "command", "cpulimit", "cross-env", "csh", "dash", "dbus-launch", "dbus-run-session",
    "deno", "distrobox", "doas", "docker", "docker-compose", "eatmydata", "elvish", "entr", "env",
    "envdir", "envuidgid", "esno", "expect", "fakechroot", "fakeroot", "fakeroot-sysv", "fd",
    "fdfind", "find", "firejail", "fish", "flock", "gawk", "genv", "gfind", "git", "gksu",
    "gksudo", "goawk", "gosu", "gsed", "gstdbuf", "gtime", "gtimeout", "gxargs", "hyperfine",
    "i386", "incus", "ionice", "ipython*", "irb", "jiti", "jruby", "k3s-kubectl", "kdesu",
    "kdesudo", "ksh", "ksh93", "kubectl", "ld-linux*", "ld-musl*", "ld.so", "ld64.so*", "linux32",
    "linux64", "ltrace", "lua", "lua5*", "luajit", "lxc", "lxc-attach", "machinectl", "mawk",
    "mksh", "mosh", "multipass", "nawk", "nerdctl", "newgrp", "nice", "node", "nodejs", "nohup",
    "nsenter", "nu", "numactl", "oc", "original-awk", "parallel", "perf", "perl", "perl5*",
    "personality", "php", "php-cli", "php5*", "php7*", "php8*", "pkexec", "podman",
    "podman-compose", "posh", "prlimit", "proxychains", "proxychains4", "pseudo", "pwsh", "pypy*",
    "python*", "rbash", "rfwrap", "rlwrap", "ruby", "ruby2*", "ruby3*", "run0", "runuser", "rush",
    "sandbox-exec", "schroot", "screen", "script", "sed", "setarch", "setlock", "setpriv",
    "setsid", "setuidgid", "sg", "sh", "slogin", "socksify", "softlimit", "ssh", "ssh-agent",
    "sshpass", "sshpass-ssh", "start-stop-daemon", "stdbuf", "strace", "su", "su-exec", "sudo",
    "sudoedit", "systemd-inhibit", "systemd-run", "taskset", "tcsh", "texlua", "time", "timeout",
    "tmux", "toolbox", "torify", "torsocks", "toybox", "ts-node", "ts-node-esm", "tsocks", "tsx",
    "uname26", "unbuffer", "unshare", "vagrant", "valgrind", "vite-node", "watch", "wl-run", "wsl",
    "x86_64", "xargs", "xvfb-run", "yash", "zsh",
];
