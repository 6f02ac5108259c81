//! Keeps `docs/secret-kinds.md` as the table says.

use std::fs;
use std::path::PathBuf;

use super::shape::{Part, Shape};
use super::table;

fn page() -> PathBuf {
    // Cargo runs the tests of a package in its folder.
    let here = fs::canonicalize("src/lib.rs").unwrap();
    here.ancestors().nth(4).unwrap().join("docs/secret-kinds.md")
}

/// What a kind is told by.
fn told_by(shape: &Shape) -> String {
    let near = shape.near.join("`, `");
    match (shape.prefix, shape.near, shape.parts) {
        ("", [], [_, Part::Lit(mark), ..]) => format!("`{}` inside", mark.replace('|', "\\|")),
        ("", ..) => format!("near `{near}`"),
        (prefix, [], _) => format!("`{}…`", prefix.replace('|', "\\|")),
        (prefix, ..) => format!("`{prefix}…` near `{near}`"),
    }
}

fn written() -> String {
    let mut text = format!(
        "# Kinds of secrets\n\nThe `precise` profile knows {} kinds of secrets by their shape. A kind is told by \
         what it begins with, by a mark inside it, or, where its shape says too little, by the name \
         of the vendor shortly before it. In each case its length, its letters and what stands \
         beside it must fit as well. The name is what stands in a placeholder: \
         `[REDACTED:github-pat:…]`.\n\nThis page is made from the table in \
         `core/scrub/src/precise/kinds/table`; a test keeps it in step \
         (`TOOLKEEP_UPDATE=1 cargo test -p toolkeep-scrub --lib kinds` writes it).\n",
        table::all().count()
    );
    for (field, shapes) in table::FIELDS {
        text += &format!("\n## {field}\n\n| kind | told by |\n|---|---|\n");
        for shape in *shapes {
            text += &format!("| {} | {} |\n", shape.name, told_by(shape));
        }
    }
    text
}

#[test]
fn the_page_of_kinds_says_what_the_table_says() {
    let made = written();
    if std::env::var_os("TOOLKEEP_UPDATE").is_some() {
        fs::write(page(), &made).unwrap();
    }
    let kept = fs::read_to_string(page()).unwrap();
    assert!(kept == made, "docs/secret-kinds.md is out of date: run this with TOOLKEEP_UPDATE=1");
}
