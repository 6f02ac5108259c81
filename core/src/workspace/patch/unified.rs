//! Unified diffs, as `diff -u` and git write them.
//!
//! The counts in `@@ -1,3 +1,4 @@` end a hunk. Where they are too small or too large, as those of a
//! model often are, the first characters of the lines decide; but a patch that ends before its counts
//! do may have been cut off, and is refused.

use super::git_name::{PREFIXES, is_of_no_time, name, same_name, unquoted};
use super::hunk::{Body, Hunk, Lines, Mark, marked, ranges};
use super::v4a::anchor;
use super::{Action, FilePatch, Malformed};

/// A file while it is read.
#[derive(Default)]
struct Section {
    /// The names in `---` and `+++`; none for `/dev/null`.
    names: Option<(Option<String>, Option<String>)>,
    /// Which of them `diff -N` says that there was not, by their time.
    gone: (bool, bool),
    is_git: bool,
    /// The name in `diff --git`.
    head: Option<String>,
    renamed: (Option<String>, Option<String>),
    added: bool,
    deleted: bool,
    hunks: Vec<Hunk>,
}

pub(super) fn parse(mut lines: Lines<'_>) -> Result<Vec<FilePatch>, Malformed> {
    let mut files = Vec::new();
    let mut section = None;
    while let Some(line) = lines.next() {
        if let Some(names) = line.strip_prefix("diff --git ") {
            files.extend(finished(section.take(), &lines)?);
            section = Some(Section { head: same_name(names), is_git: true, ..Section::default() });
        } else if is_names(line, lines.peek()) {
            let in_git = section.take_if(|section: &mut Section| section.names.is_none());
            files.extend(finished(section.take(), &lines)?);
            let mut new = in_git.unwrap_or_default();
            let behind = lines.next().unwrap_or_default();
            new.names = Some(names(line, behind, new.is_git));
            new.gone = (is_of_no_time(line), is_of_no_time(behind));
            section = Some(new);
        } else if line.starts_with("@@") {
            let Some(section) = &mut section else {
                let problem = "a hunk before the name of its file; write `--- a/path` and \
                               `+++ b/path` above it";
                return Err(lines.malformed(problem));
            };
            section.hunks.push(hunk(&mut lines, line)?);
        } else if let Some(section) = &mut section {
            extended(section, line, &lines)?;
        }
    }
    files.extend(finished(section, &lines)?);
    Ok(files)
}

fn is_names(line: &str, next: Option<&str>) -> bool {
    line.starts_with("--- ") && next.is_some_and(|next| next.starts_with("+++ "))
}

fn names(old: &str, new: &str, is_git: bool) -> (Option<String>, Option<String>) {
    let (old, new) = (&old[4..], new.get(4..).unwrap_or_default());
    let has = |text: &str, prefix| text == "/dev/null" || unquoted(text).starts_with(prefix);
    // Without git the first pair alone is so usual that it is no folder.
    let known = if is_git { &PREFIXES[..] } else { &PREFIXES[..1] };
    let pair = known.iter().find(|(before, behind)| has(old, before) && has(new, behind));
    let (before, behind) = pair.copied().unzip();
    (name(old, before), name(new, behind))
}

/// What git says of a file between its first line and its hunks. Anything else there is a text that
/// goes with the patch.
fn extended(section: &mut Section, line: &str, lines: &Lines<'_>) -> Result<(), Malformed> {
    if let Some(from) = line.strip_prefix("rename from ") {
        section.renamed.0 = Some(unquoted(from));
    } else if let Some(to) = line.strip_prefix("rename to ") {
        section.renamed.1 = Some(unquoted(to));
    } else if line.starts_with("new file mode") {
        section.added = true;
    } else if line.starts_with("deleted file mode") {
        section.deleted = true;
    } else if line.starts_with("copy from ") {
        return Err(lines.malformed("copies are not made; add the new file with its whole content"));
    } else if line.starts_with("GIT binary patch") || line.starts_with("Binary files ") {
        return Err(lines.malformed("binary files are not patched"));
    }
    Ok(())
}

fn finished(section: Option<Section>, lines: &Lines<'_>) -> Result<Option<FilePatch>, Malformed> {
    let Some(section) = section else { return Ok(None) };
    let Section { names, gone, head, renamed, added, deleted, hunks, .. } = section;
    let path = || {
        head.clone().ok_or_else(|| {
            lines.malformed("the file above names no path; write `--- a/path` and `+++ b/path`")
        })
    };
    let (old, new) = match names {
        Some(names) => names,
        None if added => (None, Some(path()?)),
        None if deleted => (Some(path()?), None),
        None => match (&renamed.0, &renamed.1) {
            (Some(_), Some(_)) => (None, None),
            _ => (Some(path()?), Some(path()?)),
        },
    };
    let is_all = |side: fn(&Hunk) -> &str| hunks.iter().all(|hunk| side(hunk).is_empty());
    let old = old.filter(|_| !(gone.0 && is_all(|hunk| &hunk.old)));
    let new = new.filter(|_| !(gone.1 && is_all(|hunk| &hunk.new)));
    let file = match (renamed, old, new) {
        ((Some(path), Some(to)), _, _) => {
            FilePatch { path, action: Action::Update { hunks, to: Some(to) } }
        }
        (_, None, Some(path)) => {
            if hunks.iter().any(|hunk| !hunk.old.is_empty()) {
                let problem = format!("`{path}` is new, but a hunk of it keeps or removes lines");
                return Err(lines.malformed(problem));
            }
            let content = hunks.iter().map(|hunk| hunk.new.as_str()).collect();
            FilePatch { path, action: Action::Add(content) }
        }
        (_, Some(path), None) => FilePatch { path, action: Action::Delete(hunks) },
        (_, Some(_), Some(path)) if hunks.is_empty() => {
            let problem = format!(
                "nothing of the content of `{path}` is changed; give a hunk (modes of files are \
                 not changed)"
            );
            return Err(lines.malformed(problem));
        }
        (_, Some(_), Some(path)) => FilePatch { path, action: Action::Update { hunks, to: None } },
        (_, None, None) => {
            return Err(lines.malformed("both names of a file are `/dev/null`"));
        }
    };
    Ok(Some(file))
}

/// The lines that are still to come, if their counts are to be believed.
struct Counts {
    old: usize,
    new: usize,
}

impl Counts {
    fn is_done(&self) -> bool {
        (self.old, self.new) == (0, 0)
    }

    /// Counts a line. False if there should be none of that kind any more.
    fn take(&mut self, mark: Mark) -> bool {
        let (old, new) = (usize::from(mark != Mark::Add), usize::from(mark != Mark::Remove));
        if self.old < old || self.new < new {
            return false;
        }
        (self.old, self.new) = (self.old - old, self.new - new);
        true
    }
}

fn hunk(lines: &mut Lines<'_>, head: &str) -> Result<Hunk, Malformed> {
    let head = head.trim_start_matches('@').trim_start();
    let (mut hunk, mut counts) = (Hunk::default(), None);
    match ranges(head) {
        Some(((line, old), new, _)) => {
            hunk.line = Some(line);
            counts = Some(Counts { old, new });
        }
        None => hunk.anchors.extend(anchor(head)),
    }
    let mut body = Body::new(hunk);
    loop {
        let counted = counts.as_ref().is_some_and(|counts| !counts.is_done());
        let Some(line) = lines.peek() else {
            if counted {
                let problem = "the patch ends within a hunk, whose `@@` line counts more lines, so \
                               it may have been cut off; count again, or write `@@` without numbers";
                return Err(lines.malformed(problem));
            }
            break;
        };
        if line.starts_with('\\') {
            lines.next();
            body.unend();
            continue;
        }
        if is_over(lines, line, counts.as_ref()) {
            break;
        }
        let Some((mark, text)) = marked(line) else { break };
        lines.next();
        body.push(mark, text);
        counts = counts.filter(|counts| !counts.is_done());
        if let Some(open) = &mut counts
            && !open.take(mark)
        {
            counts = None;
        }
    }
    body.finish().ok_or_else(|| lines.malformed("the hunk that ends here changes nothing"))
}

/// True if the next line belongs to no hunk, although it could by its first character.
fn is_over(lines: &Lines<'_>, line: &str, counts: Option<&Counts>) -> bool {
    let counted = counts.filter(|counts| !counts.is_done());
    if is_names(line, lines.ahead(1)) && lines.ahead(2).is_some_and(|line| line.starts_with("@@")) {
        // A removed line that begins with `-- ` and an added one that begins with `++ `, at the end
        // of a hunk, look the same.
        return counted.is_none_or(|counts| (counts.old, counts.new) != (1, 1));
    }
    if counted.is_some() {
        return false;
    }
    // What a mail ends with, and blank lines behind a hunk.
    let is_blank = |line: &str| line.trim_end_matches('\r').is_empty();
    let goes_on = (1..).map_while(|by| lines.ahead(by)).find(|line| !is_blank(line));
    let goes_on = goes_on.is_some_and(|line| matches!(line.as_bytes()[0], b' ' | b'+' | b'-'));
    line == "-- " || (is_blank(line) && (counts.is_some() || !goes_on))
}
