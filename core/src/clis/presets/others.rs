//! `gws` (Google Workspace) and `rapidapi`, of which little is denied.

use super::{Denied, NONE, Preset};

const LOG_IN: &str = "logging in and out, and exporting credentials (`auth`)";
const VERBOSE: &str = "verbose output, which shows the credential";

pub(super) const GWS: Preset = Preset {
    name: "gws",
    description: "Google Workspace",
    required: &["GOOGLE_WORKSPACE_CLI_CREDENTIALS_FILE"],
    optional: &[
        "GOOGLE_WORKSPACE_CLI_TOKEN",
        "GOOGLE_WORKSPACE_CLI_CLIENT_ID",
        "GOOGLE_WORKSPACE_CLI_CLIENT_SECRET",
    ],
    files: &["GOOGLE_WORKSPACE_CLI_CREDENTIALS_FILE"],
    timeout_seconds: 120,
    tips: "`gws schema SERVICE.RESOURCE.METHOD` tells the parameters; give them with `--params JSON`.",
    values: &[
        "--params",
        "--json",
        "--output",
        "--upload",
        "--api-version",
        "--account",
        "--format",
    ],
    denied: &[Denied::all(&["auth", "setup|log-?in|export|log-?out|token.*|.*-?token"], LOG_IN)],
    ..NONE
};

pub(super) const RAPIDAPI: Preset = Preset {
    name: "rapidapi",
    description: "RapidAPI",
    required: &["RAPIDAPI_KEY"],
    timeout_seconds: 60,
    denied: &[Denied::all(&[], VERBOSE).with(&["-v", "--verbose", "--debug"])],
    ..NONE
};
