//! The names by which a path is known for what it is.

/// What is a repository's own. Its content is Git's to write.
pub(super) const GIT: &str = ".git";

/// What of it has Git run something, or has it read another such folder.
pub(super) const GIT_RUNS: &[&str] =
    &[".git/hooks", ".git/config", ".git/config.worktree", ".git/commondir"];

/// Files and folders that tell agents what to do.
pub(super) const AGENTS: &[&str] = &[
    ".claude", ".codex", ".cursor", ".cursorrules", ".gemini", ".agents", ".mcp.json", "AGENTS.md",
    "AGENTS.override.md", "CLAUDE.md", "CLAUDE.local.md", "GEMINI.md", "QWEN.md", ".toolkeep",
    ".windsurf", ".windsurfrules", ".clinerules", ".roo", ".roorules", ".roomodes", ".continue",
    ".aider.conf.yml", ".kiro", ".opencode", "opencode.json", "opencode.jsonc", ".junie",
    ".amazonq", ".qwen", ".factory", ".goosehints", ".github/copilot-instructions.md",
    ".github/instructions", ".github/hooks",
];

/// Files and folders that editors and debuggers read when they open the folder that holds them: settings
/// that name programs, and tasks.
pub(super) const STARTS_EDITORS: &[&str] = &[
    ".vscode", ".idea", ".fleet", ".zed", ".vs", ".devcontainer", ".devcontainer.json", ".vimrc",
    ".exrc", ".nvimrc", ".nvim.lua", ".lvimrc", ".dir-locals.el", ".dir-locals-2.el", ".gdbinit",
    ".lldbinit",
];

/// Files and folders of hooks that a commit runs, once they are set up.
pub(super) const STARTS_HOOKS: &[&str] = &[
    ".husky", ".githooks", ".pre-commit-config.yaml", "lefthook.yml", "lefthook.yaml",
    ".lefthook.yml", ".lefthook.yaml", "lefthook-local.yml", ".lefthook", ".lefthook-local",
    ".overcommit.yml", ".simple-git-hooks.json", "simple-git-hooks.json",
];

/// Files that a shell or Git reads when it starts, for whoever has his home where they are, and that
/// may have it run anything.
pub(super) const STARTS_SHELLS: &[&str] = &[
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".bash_aliases", ".profile",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout", ".kshrc", ".cshrc", ".tcshrc",
    ".login", ".inputrc", ".gitconfig",
];

/// Files that another program reads when it starts where they are, and that may have it run anything:
/// package managers, version managers, builds, shells of languages.
pub(super) const STARTS_TOOLS: &[&str] = &[
    ".envrc", ".npmrc", ".pnpmfile.cjs", ".yarnrc", ".yarnrc.yml", ".yarn/plugins",
    ".yarn/releases", "bunfig.toml", ".cargo/config", ".cargo/config.toml", ".bundle/config",
    ".mise", ".mise.toml", ".mise.local.toml", "mise.toml", "mise.local.toml", ".config/mise",
    ".config/mise.toml", ".rtx.toml", ".mvn", ".bazelrc", ".pdbrc", ".irbrc", ".pryrc", ".iex.exs",
    ".Rprofile", ".ghci",
];

/// Names in a home folder, besides [`STARTS_SHELLS`], that are read when a shell or a session starts,
/// or that are run then.
pub(super) const STARTUP_OF_HOME: &[&str] = &[
    ".config/fish", ".config/autostart", ".config/systemd", ".config/environment.d", ".xinitrc",
    ".xprofile", ".xsession", ".pam_environment", ".ssh/authorized_keys", ".ssh/rc",
    ".ssh/environment", ".config/git/config", ".vimrc", ".config/nvim", ".tmux.conf", ".local/bin",
    "bin", "Library/LaunchAgents", ".emacs", ".config/pip", ".pythonrc", ".screenrc",
];

/// Those of the system.
pub(super) const STARTUP_OF_SYSTEM: &[&str] = &[
    "/etc/profile", "/etc/profile.d", "/etc/bash.bashrc", "/etc/bashrc", "/etc/zsh", "/etc/zshrc",
    "/etc/environment", "/etc/crontab", "/etc/anacrontab", "/etc/cron.d", "/etc/cron.hourly",
    "/etc/cron.daily", "/etc/cron.weekly", "/etc/cron.monthly", "/var/spool/cron", "/etc/systemd",
    "/lib/systemd", "/usr/lib/systemd", "/run/systemd", "/etc/init.d", "/etc/rc.local",
    "/etc/rc.d", "/etc/inittab", "/etc/ld.so.preload", "/etc/ld.so.conf", "/etc/ld.so.conf.d",
    "/etc/pam.d", "/etc/xdg/autostart", "/etc/update-motd.d", "/etc/udev", "/etc/modules-load.d",
    "/Library/LaunchDaemons", "/Library/LaunchAgents", "/var/spool/at",
];

/// Names in a home folder that hold keys, tokens and passwords.
pub(super) const SECRETS_OF_HOME: &[&str] = &[
    ".ssh", ".gnupg", ".aws", ".azure", ".config/gcloud", ".kube", ".docker/config.json", ".netrc",
    ".pgpass", ".my.cnf", ".git-credentials", ".config/gh", ".npmrc", ".pypirc", ".password-store",
    ".local/share/keyrings", ".mozilla", ".config/google-chrome", ".cargo/credentials",
    ".cargo/credentials.toml", ".bash_history", ".zsh_history", ".vault-token", ".terraform.d",
    ".terraformrc",
    // Of programs that keep a login beside their settings.
    ".config/git/credentials", ".claude/.credentials.json", ".codex/auth.json",
    ".gemini/oauth_creds.json", ".gemini/google_accounts.json", ".config/github-copilot",
    ".config/hub", ".config/glab-cli", ".config/rclone", ".rclone.conf", ".config/op",
    ".config/sops", ".config/doctl", ".config/heroku", ".config/ngrok", ".ngrok2",
    ".config/stripe", ".config/configstore", ".config/containers/auth.json", ".config/helm",
    ".config/argocd", ".config/pypoetry/auth.toml", ".config/pip/pip.conf", ".pip/pip.conf",
    ".condarc", ".config/composer/auth.json", ".composer/auth.json", ".m2/settings.xml",
    ".m2/settings-security.xml", ".gradle/gradle.properties", ".sbt/1.0/credentials",
    ".sbt/.credentials", ".ivy2/.credentials", ".gem/credentials", ".local/share/gem/credentials",
    ".bundle/config", ".nuget/NuGet", ".config/NuGet", ".hex/hex.config",
    ".pub-cache/credentials.json", ".cabal/config", ".yarnrc.yml", ".npm/_logs", ".huggingface",
    ".cache/huggingface/token", ".cache/huggingface/stored_tokens", ".kaggle", ".config/kaggle",
    ".openai", ".databrickscfg", ".snowsql", ".dbt/profiles.yml", ".boto", ".s3cfg",
    ".passwd-s3fs", ".oci", ".fly", ".cloudflared", ".netlify", ".config/netlify", ".wrangler",
    ".config/.wrangler", ".smbcredentials", ".fetchmailrc", ".msmtprc", ".config/msmtp",
    ".mbsyncrc", ".authinfo", ".authinfo.gpg", ".age", ".config/age", ".bitcoin", ".ethereum",
    ".electrum", // Of browsers, mail and password managers.
    ".config/chromium", ".config/google-chrome-beta", ".config/BraveSoftware",
    ".config/microsoft-edge", ".config/vivaldi", ".config/opera", ".thunderbird",
    ".local/share/kwalletd", ".kde/share/apps/kwallet", ".config/keepassxc", ".config/Bitwarden",
    ".config/1Password", ".config/Signal", ".config/Slack", ".config/discord", "snap/firefox",
    "snap/chromium", ".var/app", // What was typed.
    ".sh_history", ".history", ".local/share/fish/fish_history", ".python_history",
    ".node_repl_history", ".psql_history", ".mysql_history", ".sqlite_history",
    ".rediscli_history", ".lesshst", ".viminfo",
];

/// Names anywhere that hold them.
pub(super) const SECRET_NAMES: &[&str] = &[
    ".env", ".envrc", ".netrc", ".pgpass", ".git-credentials", "id_rsa", "id_dsa", "id_ecdsa",
    "id_ed25519", "credentials.json", "secrets.json", "secrets.yaml", "secrets.yml", ".htpasswd",
];

/// Files and folders of the system that hold secrets.
pub(super) const SECRETS_OF_SYSTEM: &[&str] = &[
    "/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-", "/etc/security/opasswd",
    "/var/backups/shadow.bak", "/var/backups/gshadow.bak", "/etc/sudoers", "/etc/sudoers.d",
    "/etc/ssl/private", "/etc/letsencrypt/archive", "/etc/letsencrypt/accounts",
    "/etc/letsencrypt/keys", "/etc/ssh/ssh_host_rsa_key", "/etc/ssh/ssh_host_dsa_key",
    "/etc/ssh/ssh_host_ecdsa_key", "/etc/ssh/ssh_host_ed25519_key", "/etc/krb5.keytab",
    "/etc/wireguard", "/etc/openvpn", "/etc/ipsec.secrets", "/etc/ppp/chap-secrets",
    "/etc/ppp/pap-secrets", "/etc/NetworkManager/system-connections", "/etc/wpa_supplicant",
    "/etc/mysql/debian.cnf", "/etc/sssd", "/etc/docker/key.json", "/var/lib/kubelet",
    "/etc/rancher", "/etc/master.passwd", "/run/secrets", "/var/run/secrets", "/etc/kubernetes",
];
