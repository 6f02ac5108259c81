//! Programs that matter for where data flows, by what they do with it.

/// Programs whose output says something of this machine.
pub(super) const DESCRIBE_MACHINE: &[&str] = &[
    "hostname", "whoami", "id", "uname", "ifconfig", "ip", "ps", "who", "w", "last", "history",
    "ss", "netstat", "lsof", "dmidecode", "lscpu", "hostnamectl", "getent", "groups", "df",
    "mount", "lsblk", "crontab", "pwd", "ls", "find", "tree", "docker", "kubectl", "printenv",
    "set",
];

/// Programs that fetch repositories.
pub(super) const FETCH_REPOSITORIES: &[&str] = &["git", "gh", "glab", "hub"];

/// Programs by which what lies in one folder comes into another.
pub(super) const COPY_PROGRAMS: &[&str] =
    &["cp", "mv", "ln", "rsync", "install", "tar", "git", "unzip"];

/// Programs that send on all that they read.
pub(super) const CONNECTORS: &[&str] = &[
    "nc", "ncat", "netcat", "nc.traditional", "nc.openbsd", "socat", "telnet", "openssl",
    "websocat", "ssh", "mail", "mailx", "mutt", "sendmail", "msmtp", "swaks", "ftp", "lftp",
    "sftp",
];

/// Options of HTTP clients behind which stands what is sent.
pub(super) const HTTP_DATA_OPTIONS: &[&str] = &[
    "-d", "--data", "--data-raw", "--data-binary", "--data-ascii", "--data-urlencode", "--json",
    "-F", "--form", "--form-string", "-T", "--upload-file", "--post-data", "--post-file",
    "--body-data", "--body-file", "-H", "--header", "-A", "--user-agent", "-b", "--cookie", "-e",
    "--referer", "--url-query",
];

/// Shells: what they read on standard input runs.
pub(super) const SHELLS: &[&str] =
    &["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish", "csh", "tcsh", "busybox"];

/// Programs that ask for names, by which what is in a name is sent.
pub(super) const RESOLVERS: &[&str] = &[
    "ping", "ping6", "dig", "nslookup", "host", "drill", "kdig", "delv", "resolvectl",
    "traceroute", "tracepath", "mtr",
];
