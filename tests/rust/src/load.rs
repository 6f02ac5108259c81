//! Reads the vector files.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};

/// One file of cases.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// The file's place below `tests/vectors`.
    #[serde(skip)]
    pub name: String,
    /// What the file shows.
    pub about: String,
    /// What all its cases start from.
    #[serde(default)]
    pub setup: Setup,
    /// The cases.
    pub cases: Vec<Case>,
}

/// What a case starts from.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Setup {
    /// The runtime's configuration.
    pub config: Map<String, Value>,
    /// True if a Docker Engine must run.
    pub docker: bool,
    /// Files in the workspace.
    pub files: Map<String, Value>,
}

/// One case.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// A sentence.
    pub name: String,
    /// What it adds to the file's setup.
    #[serde(default)]
    pub setup: Setup,
    /// What is done, in order.
    pub steps: Vec<Step>,
}

/// One step of a case.
#[derive(Debug, Deserialize)]
#[serde(try_from = "Map<String, Value>")]
pub struct Step {
    /// What is done.
    pub verb: String,
    /// With what.
    pub input: Value,
    /// What must come of it.
    pub expect: Option<Value>,
    /// What must be raised instead.
    pub raises: Option<Value>,
    /// Strings to keep, by JSON pointer.
    pub save: BTreeMap<String, String>,
}

impl TryFrom<Map<String, Value>> for Step {
    type Error = String;

    fn try_from(mut fields: Map<String, Value>) -> Result<Step, String> {
        let expect = fields.remove("expect");
        let raises = fields.remove("raises");
        let save = fields.remove("save").map(serde_json::from_value).transpose();
        let save = save.map_err(|error| error.to_string())?.unwrap_or_default();
        let mut rest = fields.into_iter();
        match (rest.next(), rest.next()) {
            (Some((verb, input)), None) if expect.is_some() != raises.is_some() => {
                Ok(Step { verb, input, expect, raises, save })
            }
            _ => Err("a step has one verb, and either `expect` or `raises`".into()),
        }
    }
}

/// Every vector file, sorted by name.
///
/// # Errors
/// The file that cannot be read, and why.
pub fn load() -> Result<Vec<File>, String> {
    let root = tests()?.join("vectors");
    let mut places = Vec::new();
    collect(&root, &mut places)?;
    places.sort();
    let read = |place: PathBuf| {
        let shown = place.strip_prefix(&root).unwrap_or(&place).display().to_string();
        let text = fs::read_to_string(&place).map_err(|error| format!("{shown}: {error}"))?;
        let file: File =
            serde_json::from_str(&text).map_err(|error| format!("{shown}: {error}"))?;
        Ok(File { name: shown, ..file })
    };
    places.into_iter().map(read).collect()
}

/// The folder of the tests. It is looked for when it is wanted, from where the test runs: a target
/// folder may serve several copies of the repository.
pub(crate) fn tests() -> Result<PathBuf, String> {
    let here = env::current_dir().map_err(|error| error.to_string())?;
    let tests = here.ancestors().map(|folder| folder.join("tests"));
    let mut tests = tests.filter(|folder| folder.join("vectors").is_dir());
    tests.next().ok_or_else(|| format!("there is no `tests/vectors` above {}", here.display()))
}

fn collect(folder: &Path, places: &mut Vec<PathBuf>) -> Result<(), String> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries {
        let place = entry.map_err(|error| error.to_string())?.path();
        if place.is_dir() {
            collect(&place, places)?;
        } else if place.extension().is_some_and(|extension| extension == "json") {
            places.push(place);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_fits_the_schema_of_vectors() {
        let here = tests().unwrap();
        let schema = fs::read_to_string(here.join("vectors.schema.json")).unwrap();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        for file in load().unwrap() {
            let text = fs::read_to_string(here.join("vectors").join(&file.name)).unwrap();
            let value: Value = serde_json::from_str(&text).unwrap();
            let problems: Vec<String> = validator
                .iter_errors(&value)
                .map(|error| format!("{}: {error}", error.instance_path().as_str()))
                .collect();
            assert!(problems.is_empty(), "{}: {problems:?}", file.name);
        }
    }

    #[test]
    fn names_of_cases_are_unique_within_their_file() {
        for file in load().unwrap() {
            let names: std::collections::BTreeSet<_> = file.cases.iter().map(|c| &c.name).collect();
            assert_eq!(names.len(), file.cases.len(), "{}", file.name);
        }
    }
}
