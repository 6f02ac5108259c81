//! Clients that are the database themselves, `sqlite3` and `duckdb`: what their statements do with files.

use super::{report_statements, texts};
use crate::effect::{Access, CodeFrom, Effect};
use crate::invocation::Argument;
use crate::model::{Parsed, Report};
use crate::value::Value;

/// The effects of `sqlite3`.
pub(super) fn sqlite(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    if parsed.has("-version") || parsed.has("--version") {
        return;
    }
    let Some((file, rest)) = parsed.operands.split_first() else {
        report.not_understood("what is typed into it is not known");
        return;
    };
    let mut all: Vec<Value> =
        parsed.values("-cmd").chain(rest).map(|word| word.value.clone()).collect();
    all.extend(texts(report, parsed, &["-c", "-s"]));
    if all.is_empty() || parsed.has("-init") || parsed.has("-f") {
        report.not_understood("what it is told to do is not known");
    }
    let file = &of_address(file);
    report.file(Access::Read, file);
    for text in all {
        let Some(text) = text.as_known() else {
            report.not_understood("what its statements do is not known");
            continue;
        };
        let mut statements = String::new();
        for line in text.lines() {
            match line.trim_start().strip_prefix('.') {
                Some(command) => dot(report, command),
                None => statements.push_str(&format!("{line}\n")),
            }
        }
        embedded(report, &statements);
        let found = report_statements(report, &statements);
        if found.changes || found.destroys {
            report.file(Access::Write, file);
        }
    }
}

/// The file that an address names: `file:a.db?mode=ro`.
fn of_address(file: &Argument) -> Argument {
    let Some(text) = file.value.as_known().and_then(|text| text.strip_prefix("file:")) else {
        return file.clone();
    };
    let path = text.split(['?', '#']).next().unwrap_or_default();
    let path = match path.strip_prefix("//") {
        Some(rest) => rest.find('/').map_or("", |at| rest.split_at(at).1),
        None => path,
    };
    Argument { value: Value::known(path), ..file.clone() }
}

/// What statements do that run within the client itself, with the owner's files and programs.
fn embedded(report: &mut Report<'_>, statements: &str) {
    /// Functions and statements that reach files.
    const FILES: &[&str] = &[
        "attach", "fsdir", "lsdir", "zipfile", "glob", "install", "getenv", "parquet_scan",
        "fts3_tokenizer", "sniff_csv", "export",
    ];
    let lower = statements.to_ascii_lowercase();
    // Its second argument is the command of an editor. A name may stand in quotes before its parenthesis.
    let is_called = |rest: &str| {
        let quotes = |char: char| char.is_whitespace() || "\"'`]".contains(char);
        rest.trim_start_matches(quotes).starts_with(['(', '/', '-'])
    };
    if lower.split("edit").skip(1).any(is_called) {
        report.add(Effect::Code {
            from: CodeFrom::Setting("a command within its statements".to_owned()),
        });
    }
    let words = lower.split(|char: char| !char.is_alphanumeric() && char != '_');
    let is_file = |word: &str| FILES.contains(&word) || word.starts_with("read_");
    let mut names = false;
    let mut vacuums = false;
    for word in words.filter(|word| !word.is_empty()) {
        vacuums |= word == "vacuum";
        // `glob` compares, too.
        names |= is_file(word) && (word != "glob" || report.name() == "duckdb");
        names |= vacuums && word == "into";
    }
    if names {
        report.not_understood("its statements name files");
    }
    if report.name() == "duckdb" {
        // A text is the name of a table, and that of a file.
        for text in statements.split(['\'', '"']).filter(|text| text.contains(['/', '.'])) {
            report.path(Access::Read, text);
        }
    }
}

/// A command of `sqlite3` itself.
fn dot(report: &mut Report<'_>, command: &str) {
    let name = command.split_whitespace().next().unwrap_or_default();
    let harmless = [
        "tables", "schema", "headers", "header", "mode", "indexes", "indices", "databases",
        "dbinfo", "help", "quit", "exit", "width", "timer", "stats", "dump", "show", "nullvalue",
        "separator", "echo", "bail", "changes", "fullschema", "eqp", "explain", "print", "sha3sum",
        "limit", "version", "timeout",
    ];
    if ["shell", "system", "sh", "sys"].contains(&name) {
        report.add(Effect::Code {
            from: CodeFrom::Setting("a command within its statements".to_owned()),
        });
    } else if !harmless.contains(&name) {
        report.not_understood(format!("what `.{name}` does is not known"));
    }
}
