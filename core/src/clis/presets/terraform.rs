//! `terraform`. Its providers are programs of their own, which it fetches and runs.

use super::{Denied, NONE, Preset};

const DESTROY: &str = "destroying what was built (`destroy`, `apply -destroy`, `plan -destroy`)";
const LOCK: &str = "breaking locks (`force-unlock`)";
const STATE: &str = "the state, which holds secrets, and its locks";
const LOG_IN: &str = "logging in and out";
const PROGRAMS: &str = "providers from other places, and the console";

pub(super) const PRESET: Preset = Preset {
    name: "terraform",
    description: "Terraform",
    optional: &["TF_TOKEN_app_terraform_io"],
    sets: &[("TF_INPUT", "0"), ("TF_IN_AUTOMATION", "1"), ("CHECKPOINT_DISABLE", "1")],
    timeout_seconds: 300,
    tips: "Nothing is asked: give `-auto-approve` where a plan is applied, and `-no-color`. `output` shows \
           all values that are no secrets; it takes no name.",
    values: &["--var", "--var-file", "--target", "--backend-config", "--replace"],
    single_dash: true,
    denied: &[
        Denied::all(&["destroy"], DESTROY),
        Denied::all(&["apply|plan"], DESTROY).with(&["--destroy"]).but("(?i)false|0|f"),
        Denied::all(&["force-unlock"], LOCK),
        Denied::all(&["state", "push|pull"], STATE),
        Denied::all(&["show"], STATE).with(&["--json"]),
        // What is sensitive is masked only where all are shown to a reader.
        Denied::all(&["output"], STATE).with(&["--json", "--raw"]).but("(?i)false|0|f"),
        Denied::all(&["output", ".*"], STATE),
        Denied::all(&["login|logout"], LOG_IN),
        Denied::all(&["console"], PROGRAMS),
        Denied::all(&["init"], PROGRAMS).with(&["--plugin-dir", "--from-module"]),
        Denied::all(&["get|init"], PROGRAMS).with(&["--plugin-dir"]),
    ],
    ..NONE
};
