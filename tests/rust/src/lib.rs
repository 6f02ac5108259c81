//! Runs the shared vectors (`tests/vectors/**/*.json`) on one face of toolkeep.
//!
//! The same files run in every language. Here a [`Face`] is driven: the Rust API, or the C ABI.
//! The format is described by `tests/vectors.schema.json`.
#![expect(clippy::print_stdout, reason = "the number of cases is part of the report")]

mod expression;
mod load;
mod matcher;
mod table;

pub use load::{Case, File, Step, load};
pub use matcher::mismatch;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde_json::{Map, Value, json};

use expression::Words;

/// What a face raised: a code and a message.
#[derive(Clone, Debug)]
pub struct Raised {
    /// The stable name of the code.
    pub code: String,
    /// The text.
    pub message: String,
}

/// One way to reach toolkeep.
pub trait Face: Sized {
    /// Opens a runtime and registers the host tools.
    fn open(config: &Value) -> Result<Self, Raised>;

    /// Does one step: `verb` is `call`, `call_all`, `invoke`, `definitions`, `explain`, `scrub`,
    /// `check`, `register`, `unregister` or `close`, and `input` is what stands beside it.
    fn step(&mut self, verb: &str, input: &Value) -> Result<Value, Raised>;
}

/// Runs every case of every file.
///
/// # Errors
/// The failures, one a line; also if a case was left out.
pub fn run<F: Face>(face: &str) -> Result<(), String> {
    let files = load()?;
    let held: usize = files.iter().map(|file| file.cases.len()).sum();
    let mut ran = 0;
    let mut failures = Vec::new();
    for file in &files {
        for case in &file.cases {
            ran += 1;
            if let Err(failure) = run_case::<F>(file, case) {
                failures.push(format!("{} / {}: {failure}", file.name, case.name));
            }
        }
    }
    println!("vectors ({face}): {ran} cases");
    if ran != held || ran == 0 {
        failures.push(format!("{ran} of {held} cases ran"));
    }
    if failures.is_empty() { Ok(()) } else { Err(failures.join("\n")) }
}

fn run_case<F: Face>(file: &File, case: &Case) -> Result<(), String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let workspace = folder.path().join("ws");
    let mut words = Words(BTreeMap::from([
        ("folder".to_owned(), folder.path().display().to_string()),
        ("workspace".to_owned(), workspace.display().to_string()),
    ]));
    if file.setup.docker || case.setup.docker {
        let engine = toolkeep_test_docker::Engine::shared().socket();
        words.0.insert("engine".into(), engine.display().to_string());
        words.0.insert("image".into(), toolkeep_test_docker::IMAGE.into());
    }
    let mut config = Map::new();
    config.insert("workspace".into(), json!("{workspace}"));
    for setup in [&file.setup, &case.setup] {
        write_files(&workspace, &setup.files, &words)?;
        config.extend(setup.config.clone());
    }
    let mut face = F::open(&words.expand(&Value::Object(config))?)
        .map_err(|raised| format!("opening: {raised:?}"))?;
    for (number, step) in case.steps.iter().enumerate() {
        run_step(&mut face, step, &mut words)
            .map_err(|why| format!("step {} ({}): {why}", number + 1, step.verb))?;
    }
    face.step("close", &json!({})).map_err(|raised| format!("closing: {raised:?}"))?;
    Ok(())
}

fn write_files(folder: &Path, files: &Map<String, Value>, words: &Words) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| error.to_string())?;
    for (name, content) in files {
        let place = folder.join(name);
        let content = words.expand(content)?;
        let text = content.as_str().ok_or("a file's content is no string")?;
        if let Some(parent) = place.parent() {
            fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        }
        fs::write(place, text).map_err(|error| error.to_string())?;
    }
    Ok(())
}

fn run_step<F: Face>(face: &mut F, step: &Step, words: &mut Words) -> Result<(), String> {
    let input = words.expand(&step.input)?;
    let answer = match step.verb.as_str() {
        "open" => F::open(&input["config"]).and_then(|mut other| {
            other.step("close", &json!({}))?;
            Ok(Value::Null)
        }),
        "check_rows" => Ok(table::check_rows(face, &input)?),
        verb => face.step(verb, &input),
    };
    let (actual, expected) = match (answer, &step.expect, &step.raises) {
        (Ok(actual), Some(expected), None) => (actual, expected),
        (Err(raised), None, Some(expected)) => {
            (json!({ "code": raised.code, "message": raised.message }), expected)
        }
        (Ok(actual), _, _) => return Err(format!("should have raised, but gave {actual}")),
        (Err(raised), _, _) => return Err(format!("raised {raised:?}")),
    };
    if let Some(why) = mismatch(&words.fill_in(expected), &actual) {
        return Err(format!("{why}\n    in {actual}"));
    }
    for (word, pointer) in &step.save {
        let value = actual.pointer(pointer).and_then(Value::as_str);
        let value = value.ok_or_else(|| format!("nothing to save at {pointer} of {actual}"))?;
        words.0.insert(word.clone(), value.to_owned());
    }
    Ok(())
}
