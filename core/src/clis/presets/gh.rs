//! `gh`, the CLI of GitHub.

use super::{Denied, NONE, Preset};
use crate::clis::adapter::Adapter;

const LOG_IN: &str = "logging in and out, and showing tokens (`gh auth`)";
const KEYS: &str = "keys of the account and of repositories";
const SECRETS: &str = "secrets of repositories and organizations";
const PROGRAMS: &str = "aliases, extensions and settings that run programs";
const DELETE: &str = "deleting what cannot be made again: repositories, DELETE requests, and queries that only a file \
     holds";
const ENVIRONMENT: &str = "filters that read the environment";
const ELSEWHERE: &str = "requests to other hosts than that of the credential";
const VERBOSE: &str = "verbose output, which shows the credential";
const SHELLS: &str = "shells on other machines";
const GIT: &str = "options of git that run programs";

/// Repositories of the host that the credential is for.
const AT_HOME: &str = r"(?i)(https?|git)://github\.com/[^@]*|ssh://(git@)?github\.com/[^@]*|git@github\.com:[^@]*|github\.com/[^/@]+/[^/@]+";

/// The address of GraphQL.
const GRAPHQL: &str = r"(.*/)?graphql/*([?#].*)?";

pub(super) const PRESET: Preset = Preset {
    name: "gh",
    description: "GitHub",
    required: &["GH_TOKEN"],
    optional: &["GH_HOST", "GH_REPO", "GH_ENTERPRISE_TOKEN"],
    sets: &[
        ("GH_PROMPT_DISABLED", "1"),
        ("GH_NO_UPDATE_NOTIFIER", "1"),
        ("GH_NO_EXTENSION_UPDATE_NOTIFIER", "1"),
        ("GH_SPINNER_DISABLED", "1"),
        ("GH_PAGER", "cat"),
        ("GH_EDITOR", "false"),
        ("GH_BROWSER", "false"),
        ("GIT_TERMINAL_PROMPT", "0"),
    ],
    timeout_seconds: 30,
    tips: "Give `--repo OWNER/NAME` where there is no clone, and `--json FIELDS` for output that is \
           read by a program.",
    values: &[
        "-R",
        "--repo",
        "-X",
        "--method",
        "-q",
        "--jq",
        "-F",
        "-f",
        "--field",
        "--raw-field",
        "-H",
        "--header",
        "--input",
        "--cache",
        "--hostname",
        "-t",
        "--title",
        "--template",
        "--source",
        "-b",
        "--body",
        "--body-file",
        "-L",
        "--limit",
        "-l",
        "--label",
        "-a",
        "--assignee",
        "-m",
        "--milestone",
        "--json",
        "-B",
        "--base",
        "-s",
        "--search",
        "--state",
        "-p",
        "--preview",
        "-S",
        "--notes",
        "-n",
        "--add-label",
        "--remove-label",
        "--reviewer",
        "--project",
        "-e",
        "--env",
        "-o",
        "--org",
        "-u",
        "--user",
        "--ref",
        "-w",
        "--workflow",
    ],
    denied: &[
        Denied::all(&["auth"], LOG_IN),
        Denied::all(&["config", "get"], LOG_IN).of("(?i)token"),
        Denied::all(&["config", "list|ls"], LOG_IN).of("(?i)token"),
        Denied::all(&["ssh-key|gpg-key"], KEYS),
        Denied::all(&["repo", "deploy-key"], KEYS),
        Denied::all(&["secrets?"], SECRETS),
        Denied::all(&["alias", "set|import|delete"], PROGRAMS),
        Denied::all(&["ext|extensions?"], PROGRAMS),
        Denied::all(&["config", "set"], PROGRAMS),
        Denied::all(&["repo", "delete"], DELETE),
        Denied::all(&["api"], DELETE).with(&["-X", "--method"]).of("(?i)^delete$"),
        Denied::all(&["api"], DELETE)
            .with(&["-f", "-F", "--field", "--raw-field", "--header", "-H"])
            .of(r"(?i)\bdelete(Repository|Ref|Environment|Deployment)\b|x-http-method-override"),
        // What a file asks for is not seen.
        Denied::all(&["api", GRAPHQL], DELETE).with(&["--input"]),
        Denied::all(&["api", GRAPHQL], DELETE).with(&["-F", "--field"]).of(r"^\s*query\s*=@"),
        Denied::all(&["api"], SECRETS).of(
            r"(?i)(^|/)(actions|dependabot|codespaces)/secrets(/|\?|$)|/environments/[^/]+/secrets",
        ),
        Denied::all(&["api"], KEYS)
            .of(r"(?i)^/?(user/(gpg_keys|keys|ssh_signing_keys)|repos/[^/]+/[^/]+/keys|repositories/\d+/keys)(/|\?|$)"),
        Denied::all(&["api"], ELSEWHERE).of("(?i)^[a-z][a-z0-9+.-]*://"),
        Denied::all(&[], ELSEWHERE).with(&["--hostname"]).but(r"(?i)github\.com"),
        Denied::all(&[], ELSEWHERE).with(&["-R", "--repo"]).of(r"^[^/]*/[^/]*/|:").but(AT_HOME),
        Denied::all(&["repo", "sync|create"], ELSEWHERE)
            .with(&["-s", "--source", "-p", "--template"])
            .of(r"^[^/\s]+/[^/]+/[^/]+$|:")
            .but(AT_HOME),
        Denied::all(&["[a-z-]+", "[a-z-]+"], ELSEWHERE)
            .of(r"(?i)^(https?|ssh|git)://|^git@|^[\w-]+([.:][\w-]+)+/[^/]+/[^/]+$")
            .but(AT_HOME),
        // Where a branch cannot stand, a host without a dot is one, too.
        Denied::all(&["repo|label", "[a-z-]+"], ELSEWHERE)
            .of(r"^[^/\s]+/[^/]+/[^/]+$")
            .but(AT_HOME),
        Denied::all(&["issue", "transfer"], ELSEWHERE).of(r"^[^/\s]+/[^/]+/[^/]+$").but(AT_HOME),
        Denied::all(&[], ENVIRONMENT)
            .with(&["-q", "--jq"])
            .of(r"(?i)\benv\b|\$__|\binput_filename\b|\$ENV"),
        Denied::all(&[], VERBOSE).with(&["-v", "--verbose"]),
        Denied::all(&["cs|codespaces?"], SHELLS),
        Denied::all(&["repo|gist", "clone|fork"], GIT).of("(?i)^ext::"),
        // What stands behind `--` is git's.
        Denied::all(&["repo|gist", "clone|fork"], GIT)
            .of("^-")
            .but("(?i)--(depth|branch|single-branch|no-tags|quiet|bare|mirror)(=.*)?|-q"),
    ],
    adapter: Adapter::Gh,
    ..NONE
};
