//! `git` with a credential for one host. Half of git's settings name a program that it runs.

use super::{Denied, NONE, Preset};
use crate::clis::surroundings::Adapter;

const SETTINGS: &str = "settings given with `-c`, but for those that change only how things look";
const CONFIG: &str = "settings that run programs, give credentials or lead to other hosts";
const OUTSIDE: &str = "settings outside of the repository";
const CREDENTIALS: &str = "what stores and shows credentials";
const SERVERS: &str = "servers and transports that run programs (`daemon`, `ext::`)";
const PROGRAMS: &str = "options and commands that run other programs";

/// Settings that only change how things look or what is written into a commit.
const HARMLESS: &str = r"(?i)(user\.(name|email)|author\.\w+|committer\.\w+|color\.[\w.]+|advice\.\w+|init\.defaultbranch|core\.(quotepath|autocrlf|eol|safecrlf|abbrev|longpaths|ignorecase|filemode|precomposeunicode)|commit\.gpgsign=(false|0|no|off)|tag\.gpgsign=(false|0|no|off)|log\.\w+|pull\.(rebase|ff)|merge\.(ff|conflictstyle)|push\.(default|autosetupremote|followtags)|fetch\.(prune|prunetags|parallel)|rebase\.(autostash|autosquash)|i18n\.\w+|column\.\w+|status\.\w+|grep\.(linenumber|patterntype)|diff\.(renames|algorithm|renamelimit|context|noprefix|mnemonicprefix)|blame\.\w+|branch\.sort|tag\.sort|gc\.auto|checkout\.defaultremote|submodule\.recurse|format\.pretty)(=.*)?";

/// Settings that make git run a program, send elsewhere what is meant for a host, or read another
/// file.
const HARMFUL: &str = r"(?i)^(core\.(sshcommand|pager|editor|hookspath|fsmonitor|askpass|gitproxy|attributesfile|alternaterefscommand|worktree|excludesfile)|alias\.|https?\.|credential|url\.|remote\..*\.(vcs|proxy|uploadpack|receivepack)|filter\.|diff\.(external|.*\.(command|textconv))|diff\.tool|difftool|mergetool|merge\.(tool|.*\.driver)|pager\.|sequence\.editor|gpg\.|user\.signingkey|protocol\.|include|submodule\..*\.(update|url)|sendemail|browser\.|web\.|man\.|help\.|interactive\.|init\.templatedir|uploadpack\.|receive\.|trailer\.|tar\.|guitool|instaweb|safe\.|extensions\.|ssh\.|hook\.|maintenance\.|imap\.|svn|p4|gui\.)";

pub(super) const PRESET: Preset = Preset {
    name: "git",
    description: "Git, with a credential for one host",
    optional: &["GIT_HOST", "GIT_TOKEN", "GIT_USERNAME", "GIT_SSH_KEY", "GIT_SSH_KNOWN_HOSTS"],
    files: &["GIT_SSH_KEY", "GIT_SSH_KNOWN_HOSTS"],
    sets: &[
        ("GIT_TERMINAL_PROMPT", "0"),
        ("GIT_PAGER", "cat"),
        ("GIT_EDITOR", "true"),
        ("GIT_SEQUENCE_EDITOR", "false"),
        ("GIT_ASKPASS", "false"),
        ("SSH_ASKPASS", "false"),
        ("GIT_CONFIG_NOSYSTEM", "1"),
        ("GIT_ALLOW_PROTOCOL", "https:ssh:git"),
        ("GIT_OPTIONAL_LOCKS", "0"),
    ],
    timeout_seconds: 300,
    tips: "Work in a clone in the workspace. The credential goes to its own host only.",
    values: &[
        "-C",
        "-c",
        "--git-dir",
        "--work-tree",
        "--namespace",
        "--config-env",
        "--super-prefix",
        "-m",
        "--message",
        "-b",
        "--branch",
        "--depth",
        "-o",
        "--origin",
        "--grep",
        "--author",
        "-n",
        "--since",
        "--until",
        "--format",
        "--pretty",
        "-F",
        "--file",
        "-f",
        "-x",
        "--exec",
        "--upload-pack",
        "-u",
        "--receive-pack",
        "--template",
        "--config",
        "--reference",
        "--extcmd",
        "-t",
        "--tool",
        "--repo",
        "--type",
        "--default",
        "--blob",
        "-O",
    ],
    abbreviates: true,
    denied: &[
        Denied::all(&[], SETTINGS).with(&["-c"]).before().but(HARMLESS),
        Denied::all(&["clone|init|submodule"], SETTINGS).with(&["-c", "--config"]).but(HARMLESS),
        Denied::all(&[], SETTINGS).with(&["--config-env"]),
        Denied::all(&[], PROGRAMS).with(&["--exec-path"]).before(),
        Denied::all(&["config"], OUTSIDE).with(&[
            "--global",
            "--system",
            "--file",
            "-f",
            "--edit",
            "-e",
            "--blob",
            "--worktree",
        ]),
        Denied::all(&["config", "edit"], OUTSIDE),
        Denied::all(&["config"], CONFIG).of(HARMFUL),
        Denied::all(&["config"], CREDENTIALS).with(&[
            "-l",
            "--list",
            "--get-regexp",
            "--get-urlmatch",
            "--get-color",
        ]),
        Denied::all(&["config", "list"], CREDENTIALS),
        Denied::all(&["credential.*"], CREDENTIALS),
        Denied::all(
            &[
                "daemon|http-backend|http-fetch|http-push|shell|upload-pack|receive-pack|upload-archive|send-pack|fetch-pack|cvsserver|instaweb|serve",
            ],
            SERVERS,
        ),
        Denied::all(&["remote-.*"], SERVERS),
        Denied::all(&[], SERVERS).of("(?i)^(ext|fd|file)::|^ext:"),
        Denied::all(
            &[
                "send-email|imap-send|difftool|mergetool|gui|citool|web--browse|hook|filter-branch|for-each-repo|maintenance|fsmonitor--daemon|p4|svn|bugreport|diagnose|scalar|sh-.*|mergetool-.*",
            ],
            PROGRAMS,
        ),
        Denied::all(&["submodule", "foreach"], PROGRAMS),
        Denied::all(&[".*--helper|merge-index"], PROGRAMS),
        Denied::all(&[], PROGRAMS).with(&["--bare"]).before(),
        Denied::all(&["bisect", "run|visualize|view"], PROGRAMS),
        Denied::all(&["clone|fetch|pull|ls-remote|submodule|archive|remote"], PROGRAMS)
            .with(&["--upload-pack"]),
        Denied::all(&["clone"], PROGRAMS).with(&["-u"]),
        Denied::all(&["push|archive"], PROGRAMS).with(&["--receive-pack", "--exec"]),
        Denied::all(&["ls-remote"], PROGRAMS).with(&["--exec"]),
        Denied::all(&["clone|init|submodule"], PROGRAMS).with(&["--template"]),
        Denied::all(&["rebase"], PROGRAMS).with(&["-x", "--exec", "-i", "--interactive"]),
        Denied::all(&["grep"], PROGRAMS).with(&["-O", "--open-files-in-pager"]),
        Denied::all(
            &["diff.*|log|show|format-patch|whatchanged|reflog|stash|blame|cat-file|grep"],
            PROGRAMS,
        )
        .with(&["--ext-diff", "--textconv"]),
        Denied::all(&["help"], PROGRAMS).with(&["-w", "--web", "-i", "--info"]),
    ],
    adapter: Adapter::Git,
    ..NONE
};
