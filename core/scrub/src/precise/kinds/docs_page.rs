//! Keeps `docs/secret-kinds.md` in step with the data.

use std::fs;
use std::path::PathBuf;

use super::shape::{Part, Shape};
use super::table;

fn page_path() -> PathBuf {
    // Cargo runs the tests of a package in its folder.
    let here = fs::canonicalize("src/lib.rs").unwrap();
    here.ancestors().nth(4).unwrap().join("docs/secret-kinds.md")
}

/// How a kind is recognised, for the page.
fn recognised_by(shape: &Shape) -> String {
    let near = shape.keywords.join("`, `");
    match (shape.prefix, shape.keywords, shape.parts) {
        ("", [], [_, Part::Lit(mark), ..]) => format!("`{}` inside", mark.replace('|', "\\|")),
        ("", ..) => format!("near `{near}`"),
        (prefix, [], _) => format!("`{}…`", prefix.replace('|', "\\|")),
        (prefix, ..) => format!("`{prefix}…` near `{near}`"),
    }
}

fn rendered() -> String {
    let mut text = format!(
        "# Kinds of secrets\n\nThe `precise` profile knows {} kinds of secrets by their shape. A kind is \
         recognised by its prefix, by a literal inside it, or, if its shape alone is too common, by a \
         keyword such as the name of the vendor shortly before it. Its length, its letters and the text \
         next to it must fit in each case. Placeholders show the kind: `[REDACTED:github-pat:…]`.\n\n\
         This page is generated from `core/scrub/data/kinds`, which also has an example of each kind. A \
         test keeps it in step; `TOOLKEEP_UPDATE=1 cargo test -p toolkeep-scrub --lib kinds` writes \
         it.\n",
        table::all().count()
    );
    for (field, shapes) in table::FIELDS {
        text += &format!("\n## {field}\n\n| kind | recognised by |\n|---|---|\n");
        for shape in *shapes {
            text += &format!("| {} | {} |\n", shape.name, recognised_by(shape));
        }
    }
    text
}

#[test]
fn the_page_of_kinds_says_what_the_data_says() {
    let made = rendered();
    if std::env::var_os("TOOLKEEP_UPDATE").is_some() {
        fs::write(page_path(), &made).unwrap();
    }
    let kept = fs::read_to_string(page_path()).unwrap();
    assert!(kept == made, "docs/secret-kinds.md is out of date: run this with TOOLKEEP_UPDATE=1");
}
