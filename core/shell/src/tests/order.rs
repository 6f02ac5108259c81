//! The order of the crate's modules: an arrow only goes down.
//!
//! A module may import from modules below it, and never from one above. So there is no circle, and a
//! reader can start at the bottom and never meet a name that he has not seen. The one circle that is
//! real, of shells that run wrappers that run shells, stays within `evaluate`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The top-level modules, the lowest first. The crate's documentation has the same list.
const ORDER: &[&str] = &[
    "ir", "decision", "precheck", "value", "effect", "invocation", "env", "path", "denied",
    "place", "compilers", "names", "environment", "model", "grammar", "models", "code", "parse",
    "print", "evaluate", "environment_effects", "flows", "analyse", "nested", "remotes", "plan",
    "settings", "verdict", "visible", "judge", "standing_rules",
];

/// The folder of the sources.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All files of the sources that are no tests.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        if name == "tests" || path.ends_with("parse/suite.rs") {
            continue;
        }
        if path.is_dir() {
            files(&path, all);
        } else if path.extension().is_some_and(|end| end == "rs") {
            all.push(path);
        }
    }
}

/// The path of a file's module: `["judge", "groups"]`.
fn module_of(path: &Path) -> Vec<String> {
    let below = path.strip_prefix(sources()).unwrap().with_extension("");
    let names = below.iter().map(|name| name.to_str().unwrap().to_owned());
    names.filter(|name| name != "lib").collect()
}

/// A source without comments and without the tests at its end.
fn code_of(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let lines = code.lines().map(|line| line.split("//").next().unwrap());
    lines.collect::<Vec<_>>().join("\n")
}

/// The paths that a `use` names: `crate::{a::B, c}` is `crate::a::B` and `crate::c`.
fn spread(tree: &str) -> Vec<String> {
    let tree = tree.trim();
    let Some(open) = tree.find('{') else { return vec![tree.to_owned()] };
    let (start, rest) = tree.split_at(open);
    let inner = &rest[1..rest.rfind('}').unwrap()];
    let mut parts = vec![String::new()];
    let mut depth = 0;
    for char in inner.chars() {
        match char {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if char == ',' && depth == 0 {
            parts.push(String::new());
        } else {
            parts.last_mut().unwrap().push(char);
        }
    }
    let parts = parts.iter().map(|part| part.trim()).filter(|part| !part.is_empty());
    parts.flat_map(|part| spread(&format!("{start}{part}"))).collect()
}

/// Every path of another module in a source: those of `use`, and those in the code itself.
fn paths_of(code: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut rest = String::new();
    let mut statements = code.split("use ");
    rest.push_str(statements.next().unwrap());
    for statement in statements {
        let (tree, after) = statement.split_once(';').unwrap_or((statement, ""));
        let is_import = ["crate", "super", "self"].iter().any(|start| tree.starts_with(start));
        if is_import {
            paths.extend(spread(tree));
            rest.push_str(after);
        } else {
            rest.push_str(statement);
        }
    }
    let is_path = |char: char| char == '_' || char == ':' || char.is_ascii_alphanumeric();
    let words = rest.split(|char| !is_path(char));
    paths.extend(words.filter(|word| word.starts_with("crate::")).map(str::to_owned));
    let ups = rest.split(|char| !is_path(char)).filter(|word| word.starts_with("super::"));
    paths.extend(ups.map(str::to_owned));
    paths
}

/// The top-level module that a path leads to, from the module it stands in.
fn target(module: &[String], path: &str) -> Option<String> {
    let mut at = module.to_vec();
    let mut names = path.split("::").map(|name| name.trim().split(' ').next().unwrap());
    let mut first = names.next()?;
    match first {
        "crate" => at.clear(),
        "self" => {}
        _ => {
            while first == "super" {
                at.pop();
                first = names.next()?;
            }
            at.push(first.to_owned());
        }
    }
    at.extend(names.map(str::to_owned));
    at.into_iter().next()
}

#[test]
fn a_module_imports_only_from_modules_below_it() {
    let floors: BTreeMap<&str, usize> =
        ORDER.iter().enumerate().map(|(floor, name)| (*name, floor)).collect();
    let mut all = Vec::new();
    files(&sources(), &mut all);
    let (mut wrong, mut arrows) = (Vec::new(), 0);
    for path in all {
        let module = module_of(&path);
        let Some(top) = module.first() else { continue };
        let Some(floor) = floors.get(top.as_str()) else {
            wrong.push(format!("`{top}` has no place in the order"));
            continue;
        };
        for used in paths_of(&code_of(&path)) {
            let Some(other) = target(&module, &used).filter(|other| other != top) else { continue };
            arrows += 1;
            match floors.get(other.as_str()) {
                Some(below) if below < floor => {}
                Some(_) => wrong.push(format!("{}: `{used}` is above `{top}`", path.display())),
                None => wrong.push(format!("{}: `{used}` is no module", path.display())),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(arrows > 500, "only {arrows} imports were found");
}

#[test]
fn the_documentation_of_the_crate_has_the_same_order() {
    let text = std::fs::read_to_string(sources().join("lib.rs")).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("//! | `"));
    let names: Vec<&str> = rows.map(|row| row.split('`').next().unwrap()).collect();
    assert_eq!(names, ORDER);
    let modules = text.lines().filter_map(|line| {
        let line = line.strip_prefix("pub ").unwrap_or(line);
        line.strip_prefix("mod ")?.strip_suffix(';')
    });
    let mut modules: Vec<&str> = modules.filter(|name| *name != "tests").collect();
    let mut order = ORDER.to_vec();
    modules.sort_unstable();
    order.sort_unstable();
    assert_eq!(modules, order);
}

#[test]
fn an_upward_arrow_is_found_however_it_is_written() {
    let module = ["code".to_owned(), "reader".to_owned()];
    for (code, to) in [
        ("use crate::judge::check;", "judge"),
        ("use super::super::judge::{check, judge};", "judge"),
        ("use crate::{effect::Effect, judge};", "judge"),
        ("fn x() { crate::judge::check() }", "judge"),
        ("fn x() { super::super::judge::check() }", "judge"),
    ] {
        let found: Vec<String> =
            paths_of(code).iter().filter_map(|path| target(&module, path)).collect();
        assert!(found.iter().any(|other| other == to), "{code}: {found:?}");
    }
}
