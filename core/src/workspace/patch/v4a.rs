//! The shape that begins with `*** Begin Patch`.

use super::hunk::{Body, Hunk, Lines, marked, ranges};
use super::{Action, FilePatch, Malformed};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const UPDATE: &str = "*** Update File:";
const ADD: &str = "*** Add File:";
const DELETE: &str = "*** Delete File:";
const MOVE: &str = "*** Move to:";
const END_OF_FILE: &str = "*** End of File";

/// True if a patch has this shape.
pub(super) fn is_this(lines: &Lines<'_>) -> bool {
    let heads = |line: &str| [BEGIN, UPDATE, ADD, DELETE].iter().any(|head| line.starts_with(head));
    let others = |line: &str| line.starts_with("diff --git ") || line.starts_with("--- ");
    lines.all().find(|line| heads(line) || others(line)).is_some_and(heads)
}

pub(super) fn parse(mut lines: Lines<'_>) -> Result<Vec<FilePatch>, Malformed> {
    let begins = |line: &str| !line.starts_with("*** ") || line.starts_with(BEGIN);
    while lines.peek().is_some_and(begins) {
        lines.next();
    }
    let mut files = Vec::new();
    loop {
        let Some(line) = lines.next() else {
            let problem = "the patch ends without `*** End Patch`, so it may have been cut off";
            return Err(lines.malformed(problem));
        };
        if line.starts_with(END) {
            return Ok(files);
        }
        if line.trim().is_empty() {
            continue;
        }
        files.push(file(&mut lines, line)?);
    }
}

fn file(lines: &mut Lines<'_>, head: &str) -> Result<FilePatch, Malformed> {
    let (path, action) = if let Some(path) = head.strip_prefix(UPDATE) {
        let to = lines.take(MOVE).map(|to| to.trim().to_owned());
        let hunks = hunks(lines)?;
        if hunks.is_empty() && to.is_none() {
            return Err(lines.malformed(format!("`{}` changes nothing; give a hunk", head.trim())));
        }
        (path, Action::Update { hunks, to })
    } else if let Some(path) = head.strip_prefix(ADD) {
        (path, Action::Add(added(lines)?))
    } else if let Some(path) = head.strip_prefix(DELETE) {
        (path, Action::Delete(Vec::new()))
    } else {
        let problem = format!(
            "`{}` is where a file begins; write `{UPDATE} path`, `{ADD} path`, `{DELETE} path` or \
             `{END}`",
            crate::limits::echo(head)
        );
        return Err(lines.malformed(problem));
    };
    match path.trim() {
        "" => Err(lines.malformed(format!("`{}` names no file", head.trim()))),
        path => Ok(FilePatch { path: path.to_owned(), action }),
    }
}

/// The lines of a new file.
fn added(lines: &mut Lines<'_>) -> Result<String, Malformed> {
    let mut content = String::new();
    while let Some(line) = lines.peek().filter(|line| !line.starts_with("*** ")) {
        lines.next();
        match line.strip_prefix('+') {
            Some(text) => {
                content.push_str(text);
                content.push('\n');
            }
            // Between two files.
            None if line.trim().is_empty() && lines.peek().is_none_or(|l| !l.starts_with('+')) => {}
            None => return Err(lines.malformed("each line of a new file begins with `+`")),
        }
    }
    Ok(content)
}

fn hunks(lines: &mut Lines<'_>) -> Result<Vec<Hunk>, Malformed> {
    let mut hunks = Vec::new();
    while lines
        .peek()
        .is_some_and(|line| !line.starts_with("*** ") || line.starts_with(END_OF_FILE))
    {
        if lines.is_blank_before("@@") || lines.is_blank_before("*** ") {
            lines.next();
            continue;
        }
        let mut body = Body::new(head(lines));
        while let Some(line) = lines.peek().filter(|line| !ends(line)) {
            lines.next();
            if line.is_empty() && lines.peek().is_none_or(|next| next.starts_with("*** ")) {
                // Between two files, not in a hunk.
                break;
            }
            if line.is_empty() {
                body.push_blank(line);
                continue;
            }
            let Some((mark, text)) = marked(line) else {
                let problem =
                    "a line of a hunk begins with a blank, `+` or `-`, and a hunk with `@@`";
                return Err(lines.malformed(problem));
            };
            body.push(mark, text);
        }
        if lines.take(END_OF_FILE).is_some() {
            body.at_end();
        }
        let is_empty = body.is_empty();
        match body.finish() {
            Some(hunk) => hunks.push(hunk),
            None if is_empty && hunks.is_empty() => {}
            None => return Err(lines.malformed("the hunk that ends here changes nothing")),
        }
    }
    Ok(hunks)
}

fn ends(line: &str) -> bool {
    line.starts_with("@@") || line.starts_with("*** ")
}

/// What is said of a hunk before its lines.
fn head(lines: &mut Lines<'_>) -> Hunk {
    let mut hunk = Hunk::default();
    while let Some(head) = lines.take("@@") {
        match ranges(head.trim_start()) {
            Some(((line, _), _, _)) => hunk.line = Some(line),
            None => hunk.anchors.extend(anchor(head)),
        }
    }
    hunk
}

/// The line that a head names, if it does: `@@ fn main() {`, and neither `@@` nor `@@ ... @@`.
pub(super) fn anchor(head: &str) -> Option<String> {
    let text = head.trim();
    let text = text.strip_suffix("@@").map_or(text, str::trim);
    (!text.is_empty() && text != "...").then(|| text.to_owned())
}
