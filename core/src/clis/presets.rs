//! What is known of some CLIs: the variables that they need, how they read their options, and what is
//! denied of them. One file for each program.

mod aws;
mod gcloud;
mod gh;
mod git;
mod kubectl;
mod others;
mod psql;
mod terraform;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::adapter::Adapter;
use super::arguments::Style;

/// What is known of a CLI.
#[derive(Debug)]
pub(crate) struct Preset {
    /// Its name, which is its program's.
    pub name: &'static str,
    /// What it is for.
    pub description: &'static str,
    /// The variables that it must have.
    pub required: &'static [&'static str],
    /// Other variables that it may have.
    pub optional: &'static [&'static str],
    /// Those of them that are files: given by content, or by an absolute path.
    pub files: &'static [&'static str],
    /// Variables that each call gets, so that no pager, editor or question holds it up.
    pub sets: &'static [(&'static str, &'static str)],
    /// How long a call may take, in seconds.
    pub timeout_seconds: u64,
    /// Advice for the model.
    pub tips: &'static str,
    /// The options that take a value.
    pub values: &'static [&'static str],
    /// True if `-name` is the same as `--name`.
    pub single_dash: bool,
    /// True if the beginning of a long option stands for it.
    pub abbreviates: bool,
    /// Words that may stand before a subcommand and change nothing.
    pub skips: &'static [&'static str],
    /// The program's own subcommands, where any other word could lead to a program of somebody else's.
    /// Empty: there are no such.
    pub subcommands: &'static [&'static str],
    /// What is denied.
    pub denied: &'static [Denied],
    /// Options whose values are SQL or commands of psql.
    pub sql: &'static [&'static str],
    /// What is made of its variables besides.
    pub adapter: Adapter,
}

/// Something that is denied of a CLI: where all that it says holds of a call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Denied {
    /// The subcommand: a pattern for each of its words, which fits all of the word.
    pub words: &'static [&'static str],
    /// The options of which one is given. Empty: it takes none.
    pub options: &'static [&'static str],
    /// True if only an option before the subcommand counts.
    pub global: bool,
    /// A pattern of which one word behind the subcommand must fit all. Empty: none need be.
    pub anywhere: &'static str,
    /// What is found in the value of the option; without options, in a word behind the subcommand.
    pub value: &'static str,
    /// What makes it fine when it fits all of the value.
    pub unless: &'static str,
    /// What is denied, for a reader.
    pub why: &'static str,
}

impl Denied {
    /// A subcommand with everything below it; no words: every call.
    const fn all(words: &'static [&'static str], why: &'static str) -> Denied {
        Denied { words, options: &[], global: false, anywhere: "", value: "", unless: "", why }
    }

    /// Only with one of these options.
    const fn with(self, options: &'static [&'static str]) -> Denied {
        Denied { options, ..self }
    }

    /// Only with such a word behind the subcommand.
    const fn around(self, anywhere: &'static str) -> Denied {
        Denied { anywhere, ..self }
    }

    /// Only with such a value.
    const fn of(self, value: &'static str) -> Denied {
        Denied { value, ..self }
    }

    /// Not with such a value.
    const fn but(self, unless: &'static str) -> Denied {
        Denied { unless, ..self }
    }

    /// Only with an option before the subcommand.
    const fn before(self) -> Denied {
        Denied { global: true, ..self }
    }
}

/// What is denied of every preset that has a list of subcommands.
pub(crate) const NOT_ITS_OWN: &str =
    "words that are no subcommands of the program itself: aliases, plugins and programs elsewhere";

/// A preset with nothing in it.
const NONE: Preset = Preset {
    name: "",
    description: "",
    required: &[],
    optional: &[],
    files: &[],
    sets: &[],
    timeout_seconds: 60,
    tips: "",
    values: &[],
    single_dash: false,
    abbreviates: false,
    skips: &[],
    subcommands: &[],
    denied: &[],
    sql: &[],
    adapter: Adapter::None,
};

static PRESETS: &[Preset] = &[
    gh::PRESET,
    gcloud::PRESET,
    aws::PRESET,
    kubectl::PRESET,
    terraform::PRESET,
    git::PRESET,
    psql::PRESET,
    others::GWS,
    others::RAPIDAPI,
];

/// Every preset.
pub(crate) fn all() -> &'static [Preset] {
    PRESETS
}

/// The preset of that name.
pub(crate) fn preset(name: &str) -> Option<&'static Preset> {
    PRESETS.iter().find(|one| one.name.eq_ignore_ascii_case(name.trim()))
}

impl Preset {
    pub(super) fn style(&self) -> Style<'static> {
        Style { values: self.values, single_dash: self.single_dash }
    }

    /// True if a variable is a file.
    pub(super) fn is_file(&self, name: &str) -> bool {
        self.files.contains(&name)
    }
}

/// A preset as it is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CliPreset")]
pub struct PresetInfo {
    /// Its name.
    pub name: String,
    /// What the CLI is for.
    pub description: String,
    /// The variables that it must have.
    pub required: Vec<String>,
    /// Other variables that it may have.
    pub optional: Vec<String>,
    /// Those of them that are files: give the content, or an absolute path on the machine.
    pub files: Vec<String>,
    /// How long a call may take, in seconds.
    pub timeout_seconds: u64,
    /// What it denies, in words.
    pub blocked: Vec<String>,
    /// Advice for the model.
    pub tips: String,
}

impl From<&Preset> for PresetInfo {
    fn from(preset: &Preset) -> PresetInfo {
        let texts = |all: &[&str]| all.iter().map(ToString::to_string).collect();
        PresetInfo {
            name: preset.name.into(),
            description: preset.description.into(),
            required: texts(preset.required),
            optional: texts(preset.optional),
            files: texts(preset.files),
            timeout_seconds: preset.timeout_seconds,
            blocked: preset.blocked().into_iter().map(str::to_owned).collect(),
            tips: preset.tips.into(),
        }
    }
}

impl Preset {
    /// What is denied, in words, each once.
    pub(super) fn blocked(&self) -> Vec<&'static str> {
        let mut all: Vec<&'static str> = Vec::new();
        for denied in self.denied {
            if !all.contains(&denied.why) {
                all.push(denied.why);
            }
        }
        if !self.subcommands.is_empty() {
            all.push(NOT_ITS_OWN);
        }
        if !self.sql.is_empty() {
            all.push(super::sql::BLOCKED);
        }
        all
    }
}
