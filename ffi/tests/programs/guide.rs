//! The C of the guide: each block compiles against the header.
//!
//! A comment `<!-- setup: … -->` right before a block declares the names that the reader has. Blocks of
//! `<!-- snippet: … -->` are examples, which are compiled and run as such.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::program::{output, root, text};

/// The functions of a block, up to the last line that ends one, and the statements behind them.
fn functions_and_statements(code: &str) -> (String, String) {
    let lines: Vec<&str> = code.lines().collect();
    let ends = |line: &&str| *line == "}" || line.starts_with("static ");
    let split = lines.iter().rposition(ends).map_or(0, |last| last + 1);
    (lines[..split].join("\n"), lines[split..].join("\n"))
}

/// Compiles every block of a page; gives how many they are.
fn compile_blocks(page: &PathBuf) -> usize {
    let all = fs::read_to_string(page).unwrap();
    let mut found = 0;
    let mut rest = all.as_str();
    while let Some((before, after)) = rest.split_once("```c\n") {
        let (code, next) = after.split_once("\n```").unwrap();
        rest = next;
        let comment = before.strip_suffix("-->\n").and_then(|text| text.rsplit_once("<!-- "));
        let comment = comment.map_or("", |(_, comment)| comment);
        if comment.starts_with("snippet:") {
            continue;
        }
        found += 1;
        let setup = comment.strip_prefix("setup:").unwrap_or_default().trim();
        let (functions, statements) = functions_and_statements(code);
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("block.c");
        let program = format!(
            "#include <toolkeep.h>\n{setup}\n{functions}\nvoid block(void);\nvoid block(void) \
             {{\n{statements}\n}}\n"
        );
        fs::write(&source, &program).unwrap();
        let compiled = output(
            Command::new("gcc")
                .args(["-std=c99", "-pedantic", "-fsyntax-only", "-Werror=implicit"])
                .args(["-Werror=incompatible-pointer-types", "-Werror=int-conversion"])
                .arg("-I")
                .arg(root().join("include"))
                .arg(&source),
        );
        assert!(compiled.status.success(), "{}: {}\n{program}", page.display(), text(&compiled));
    }
    found
}

#[test]
fn the_guides_c_compiles() {
    let docs = root().join("docs");
    let pages = [docs.clone(), docs.join("getting-started")].into_iter().flat_map(|folder| {
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect::<Vec<_>>()
    });
    let pages = pages.filter(|page| page.extension().is_some_and(|end| end == "md"));
    let found: usize = pages.map(|page| compile_blocks(&page)).sum();
    assert!(found >= 6, "{found} blocks");
}
