//! The names by which a path is known for what it is.

/// Files and folders that tell agents what to do.
pub(super) const AGENTS: &[&str] = &[
    ".claude",
    ".codex",
    ".cursor",
    ".cursorrules",
    ".gemini",
    ".agents",
    ".mcp.json",
    "AGENTS.md",
    "CLAUDE.md",
    "GEMINI.md",
    ".toolkeep",
];

/// Files that a shell or Git reads when it starts, for whoever has his home where they are, and that
/// may have it run anything.
pub(super) const STARTS_SHELLS: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".gitconfig",
];

/// Files that another program reads when it starts where they are, and that may have it run anything.
pub(super) const STARTS_TOOLS: &[&str] = &[".envrc", ".npmrc", ".yarnrc", ".yarnrc.yml"];

/// Names in a home folder, besides [`STARTS_SHELLS`], that are read when a shell or a session starts,
/// or that are run then.
pub(super) const STARTUP_OF_HOME: &[&str] = &[
    ".config/fish",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".xinitrc",
    ".xprofile",
    ".xsession",
    ".pam_environment",
    ".ssh/authorized_keys",
    ".ssh/rc",
    ".ssh/environment",
    ".config/git/config",
    ".vimrc",
    ".config/nvim",
    ".tmux.conf",
    ".local/bin",
    "bin",
    "Library/LaunchAgents",
    ".emacs",
    ".config/pip",
    ".pythonrc",
    ".screenrc",
];

/// Those of the system.
pub(super) const STARTUP_OF_SYSTEM: &[&str] = &[
    "/etc/profile",
    "/etc/profile.d",
    "/etc/bash.bashrc",
    "/etc/bashrc",
    "/etc/zsh",
    "/etc/zshrc",
    "/etc/environment",
    "/etc/crontab",
    "/etc/anacrontab",
    "/etc/cron.d",
    "/etc/cron.hourly",
    "/etc/cron.daily",
    "/etc/cron.weekly",
    "/etc/cron.monthly",
    "/var/spool/cron",
    "/etc/systemd",
    "/lib/systemd",
    "/usr/lib/systemd",
    "/run/systemd",
    "/etc/init.d",
    "/etc/rc.local",
    "/etc/rc.d",
    "/etc/inittab",
    "/etc/ld.so.preload",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/pam.d",
    "/etc/xdg/autostart",
    "/etc/update-motd.d",
    "/etc/udev",
    "/etc/modules-load.d",
    "/Library/LaunchDaemons",
    "/Library/LaunchAgents",
    "/var/spool/at",
];

/// Names in a home folder that hold keys, tokens and passwords.
pub(super) const SECRETS_OF_HOME: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".docker/config.json",
    ".netrc",
    ".pgpass",
    ".my.cnf",
    ".git-credentials",
    ".config/gh",
    ".npmrc",
    ".pypirc",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".bash_history",
    ".zsh_history",
    ".vault-token",
    ".terraform.d",
];

/// Names anywhere that hold them.
pub(super) const SECRET_NAMES: &[&str] = &[
    ".env",
    ".envrc",
    ".netrc",
    ".pgpass",
    ".git-credentials",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    "credentials.json",
    "secrets.json",
    "secrets.yaml",
    "secrets.yml",
    ".htpasswd",
];

/// Files and folders of the system that hold secrets.
pub(super) const SECRETS_OF_SYSTEM: &[&str] = &[
    "/etc/shadow",
    "/etc/gshadow",
    "/etc/sudoers",
    "/etc/sudoers.d",
    "/etc/ssl/private",
    "/etc/master.passwd",
    "/run/secrets",
    "/var/run/secrets",
    "/etc/kubernetes",
];
