//! `gcloud`, the CLI of Google Cloud.

use super::{Denied, NONE, Preset};

const ACCESS: &str = "who may do what (`iam`, IAM policies)";
const LOG_IN: &str = "logging in, and showing tokens (`auth`, `config-helper`)";
const PROJECTS: &str = "deleting projects and switching services off";
const KEYS: &str = "keys (`kms`) and the values of secrets";
const SETTINGS: &str = "settings that change who is logged in or where requests go";
const SHELLS: &str = "shells on other machines";
const VERBOSE: &str = "debugging output, which shows the credential";

pub(super) const PRESET: Preset = Preset {
    name: "gcloud",
    description: "Google Cloud",
    required: &["GOOGLE_APPLICATION_CREDENTIALS"],
    optional: &["CLOUDSDK_CORE_PROJECT", "CLOUDSDK_COMPUTE_REGION", "CLOUDSDK_COMPUTE_ZONE"],
    files: &["GOOGLE_APPLICATION_CREDENTIALS"],
    sets: &[
        ("CLOUDSDK_CORE_DISABLE_PROMPTS", "1"),
        ("CLOUDSDK_CORE_DISABLE_USAGE_REPORTING", "1"),
        ("CLOUDSDK_COMPONENT_MANAGER_DISABLE_UPDATE_CHECK", "1"),
        ("CLOUDSDK_CONFIG", "{HOME}/.config/gcloud"),
    ],
    timeout_seconds: 120,
    tips: "Give `--project`, and `--format=json` for output that is read by a program.",
    values: &[
        "--project", "--format", "--filter", "--zone", "--region", "--account", "--configuration",
        "--verbosity", "--impersonate-service-account", "--access-token-file", "--flags-file",
        "--billing-project", "--limit", "--sort-by", "--page-size", "--flatten", "--trace-token",
    ],
    abbreviates: true,
    skips: &["alpha", "beta", "preview"],
    denied: &[
        Denied::all(&["iam"], ACCESS),
        Denied::all(&[], ACCESS).of("(?i)^(add|set|remove)-iam-policy(-binding)?$"),
        Denied::all(&["auth"], LOG_IN),
        Denied::all(&["init"], LOG_IN),
        Denied::all(&["config", "config-helper"], LOG_IN),
        Denied::all(&["sql", "generate-login-token"], LOG_IN),
        Denied::all(&["projects", "delete"], PROJECTS),
        Denied::all(&["services", "disable"], PROJECTS),
        Denied::all(&["kms"], KEYS),
        Denied::all(&["secrets", "versions", "access"], KEYS),
        Denied::all(&["services", "api-keys", "get-key-string|create"], KEYS),
        Denied::all(&["config", "set|unset"], SETTINGS)
            .of("(?i)^(auth/|proxy/|api_endpoint_overrides/|context_aware/|(core/)?(account|custom_ca.*|disable_ssl.*|log_http.*|verbosity|pass_credentials.*))"),
        Denied::all(&[], SETTINGS)
            .with(&["--impersonate-service-account", "--access-token-file", "--flags-file"]),
        Denied::all(&["components"], SETTINGS).of("(?i)^(install|update|remove|reinstall|restore)$"),
        Denied::all(&["compute", "ssh|scp|start-iap-tunnel|connect-to-serial-port|reset-windows-password"], SHELLS),
        Denied::all(&["cloud-shell"], SHELLS),
        Denied::all(&["app|workstations|tpus|compute", "ssh|scp|start-tcp-tunnel"], SHELLS),
        Denied::all(&["app|workstations|tpus|compute", ".*", "ssh|scp|start-tcp-tunnel"], SHELLS),
        Denied::all(&["compute", ".*", ".*", "ssh|scp|start-tcp-tunnel"], SHELLS),
        Denied::all(&[], VERBOSE).with(&["--verbosity"]).of("(?i)^debug$"),
        Denied::all(&[], VERBOSE).with(&["--log-http"]),
    ],
    ..NONE
};
