//! Which files are generated, and from what.

use std::env;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use crate::schema::Api;
use crate::{caller, guide, python, readme, reference, typescript};

type Outcome = Result<(), Box<dyn Error>>;

/// Writes every generated file that is not current.
pub fn write() -> Outcome {
    for (path, text) in files()? {
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder)?;
            }
            fs::write(&path, text)?;
            eprintln!("wrote {}", path.display());
        }
    }
    Ok(())
}

/// Fails if a generated file is not current.
pub fn check() -> Outcome {
    let mut stale = Vec::new();
    for (path, text) in files()? {
        if fs::read_to_string(&path).ok().as_deref() != Some(&text) {
            stale.push(path.display().to_string());
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("not current, run `cargo xtask gen`: {}", stale.join(", ")).into())
}

fn files() -> Result<Vec<(PathBuf, String)>, Box<dyn Error>> {
    let api = Api::read()?;
    // As it is when it runs: a target folder may serve several copies of the repository.
    let here = env::var_os("CARGO_MANIFEST_DIR").ok_or("run this as `cargo xtask`")?;
    let root = Path::new(&here).join("..");
    let file = |place: &str, text: String| (root.join(place), text);
    let with_snippets = |place: &str| -> Result<(PathBuf, String), Box<dyn Error>> {
        let text = fs::read_to_string(root.join(place))?;
        Ok(file(place, readme::with_snippets(&root, &text)?))
    };
    Ok(vec![
        with_snippets("README.md")?,
        with_snippets("docs/getting-started/rust.md")?,
        with_snippets("docs/getting-started/python.md")?,
        with_snippets("docs/getting-started/node.md")?,
        with_snippets("bindings/node/README.md")?,
        with_snippets("docs/getting-started/c.md")?,
        file("bindings/python/python/toolkeep/_operations.py", python::operations(&api)),
        file("bindings/python/python/toolkeep/_caller.py", caller::python()?),
        file("bindings/node/lib/generated.cjs", caller::code()?),
        file("bindings/node/caller.d.ts", caller::types()?),
        file("bindings/node/operations.cjs", typescript::code(&api)),
        file("bindings/node/operations.d.ts", typescript::types(&api)),
        file("docs/reference/operations.md", reference::operations(&api)),
        file("docs/reference/errors.md", reference::errors()),
        file("docs/reference/configuration.md", reference::configuration()?),
        file("docs/reference/tools.md", reference::tools()?),
        file("examples/rust/tests/guide.rs", guide::blocks(&root)?),
    ])
}
