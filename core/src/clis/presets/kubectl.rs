//! `kubectl`, the CLI of Kubernetes.

use super::{Denied, NONE, Preset};

const DELETE: &str = "deleting namespaces and nodes, and what only a file names";
const NODES: &str = "taking nodes out of service (`drain`, `cordon`)";
const CREDENTIALS: &str = "credentials of the configuration, and new tokens";
const SECRETS: &str = "the values of secrets";
const ELSEWHERE: &str = "other clusters and unverified connections";
const PROGRAMS: &str = "plugins and programs on this machine";
const VERBOSE: &str = "verbose output from level 6 on, which shows requests";

/// Subcommands that show what they are named.
const SHOWING: &str = "get|label|annotate|patch|edit|replace|apply|set";
/// Secrets, alone or among others, by any of their names.
const SECRET: &str = r"(.*,)?secrets?(\.[^,/]*)?([,/].*)?";
/// The options by which values are shown, and the ways that show names alone.
const SHOWN: &[&str] = &["-o", "--output", "--template"];
const NAMES: &str = "(?i)name|wide|^$";

pub(super) const PRESET: Preset = Preset {
    name: "kubectl",
    description: "Kubernetes",
    required: &["KUBECONFIG"],
    files: &["KUBECONFIG"],
    sets: &[("KUBE_EDITOR", "false"), ("KUBECTL_PLUGINS_PATH", "")],
    timeout_seconds: 60,
    tips: "Give `-n NAMESPACE`. Nothing is interactive: no `-it`, no `edit`.",
    values: &[
        "-n",
        "--namespace",
        "--context",
        "--cluster",
        "--user",
        "-s",
        "--server",
        "--kubeconfig",
        "--token",
        "--as",
        "--as-group",
        "--as-uid",
        "--cache-dir",
        "--certificate-authority",
        "--client-certificate",
        "--client-key",
        "--request-timeout",
        "--tls-server-name",
        "--password",
        "--username",
        "-v",
        "--v",
        "--vmodule",
        "-o",
        "--output",
        "-l",
        "--selector",
        "-f",
        "--filename",
        "-c",
        "--container",
        "--field-selector",
        "--template",
        "-p",
        "--patch",
        "--sort-by",
        "--tail",
        "--since",
        "-k",
        "--kustomize",
        "--grace-period",
        "--timeout",
    ],
    denied: &[
        Denied::all(&["delete", r"(.*,)?(ns|namespaces?|no|nodes?)(\.[^,/]*)?([,/].*)?"], DELETE),
        Denied::all(&["delete"], DELETE).of(r"(?i)^(ns|namespaces?|no|nodes?)(\.[^,/]*)?/"),
        // What a file names is not seen.
        Denied::all(&["delete"], DELETE).with(&["--raw", "-f", "--filename", "-k", "--kustomize"]),
        Denied::all(&["replace"], DELETE).with(&["--force"]).but("(?i)false|0|f"),
        Denied::all(&["apply"], DELETE).with(&["--prune"]).but("(?i)false|0|f"),
        Denied::all(&["drain|cordon"], NODES),
        Denied::all(&["config", "view"], CREDENTIALS).with(&["--raw"]),
        Denied::all(&["config", "set.*|unset|delete-.*|rename-.*"], CREDENTIALS),
        Denied::all(&["create", "token"], CREDENTIALS),
        Denied::all(&[SHOWING, SECRET], SECRETS).with(SHOWN).but(NAMES),
        Denied::all(&[SHOWING, ".*", SECRET], SECRETS).with(SHOWN).but(NAMES),
        Denied::all(&[SHOWING, ".*", ".*", SECRET], SECRETS).with(SHOWN).but(NAMES),
        Denied::all(&[SHOWING, ".*", ".*", ".*", SECRET], SECRETS).with(SHOWN).but(NAMES),
        Denied::all(&["apply|replace"], SECRETS).with(SHOWN).but(NAMES),
        Denied::all(&["get|label|annotate|patch|set"], SECRETS).with(&[
            "-f",
            "--filename",
            "-k",
            "--kustomize",
        ]),
        Denied::all(&["get"], SECRETS).with(&["--raw"]).of("(?i)/secrets(/|$|\\?)|%"),
        Denied::all(&[], ELSEWHERE).with(&[
            "--kubeconfig",
            "--kuberc",
            "-s",
            "--server",
            "--token",
            "--insecure-skip-tls-verify",
            "--client-key",
            "--client-certificate",
            "--certificate-authority",
            "--tls-server-name",
            "--username",
            "--password",
        ]),
        Denied::all(&["proxy"], ELSEWHERE),
        Denied::all(&["plugin|krew"], PROGRAMS),
        Denied::all(&["kustomize"], PROGRAMS).with(&[
            "--enable-exec",
            "--enable-alpha-plugins",
            "--enable-helm",
            "--helm-command",
            "--network",
        ]),
        Denied::all(&["edit"], PROGRAMS),
        Denied::all(&[], VERBOSE).with(&["-v", "--v"]).but("[0-5]"),
        Denied::all(&[], VERBOSE).with(&["--vmodule"]),
    ],
    ..NONE
};
