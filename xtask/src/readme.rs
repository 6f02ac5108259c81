//! The snippets of the README: the examples themselves, so that what is pasted is what is tested.

use std::error::Error;
use std::fs;
use std::path::Path;

/// The text with the file named behind each `<!-- snippet: … -->` put below it.
pub fn with_snippets(root: &Path, text: &str) -> Result<String, Box<dyn Error>> {
    let mut out = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        let Some(place) = line.strip_prefix("<!-- snippet: ").and_then(|l| l.strip_suffix(" -->"))
        else {
            continue;
        };
        for old in lines.by_ref() {
            if old == "<!-- end -->" {
                break;
            }
        }
        let snippet = fs::read_to_string(root.join(place)).map_err(|e| format!("{place}: {e}"))?;
        let language = match place.rsplit('.').next().unwrap_or_default() {
            "rs" => "rust",
            "py" => "python",
            "mjs" => "js",
            other => other,
        };
        out.push_str(&format!("```{language}\n{}\n```\n<!-- end -->\n", snippet.trim_end()));
    }
    Ok(out)
}
