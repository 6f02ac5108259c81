//! Changing several files by a patch, or none of them.
//!
//! First every file is read and every hunk applied in memory; if anything does not fit, nothing is
//! written. Then the files are put in place one after the other, each only if it is still what was
//! read. A file system cannot replace several files in one step: if one fails on the way, those
//! before are put back, and a process that is killed in between leaves some files new and some old,
//! each of them whole. Folders made for new files stay.

use std::collections::HashSet;
use std::path::PathBuf;

use super::guard::{KNOWN_BYTES, Known};
use super::placeholders::Writer;
use super::veiled::PatchedText;
use crate::error::Code;
use crate::files::OnDisk;
use crate::tool::ToolError;
use crate::vault::Opened;
use crate::workspace::{Action, Attributes, Body, Change, Changing, Error, Hunk, Standing};

/// The most bytes of old and new contents that are held at a time (128 MiB).
const MOST_BYTES: u64 = 128 << 20;

/// How many problems are told at once.
const MOST_PROBLEMS: usize = 10;

/// A file of a patch, with where it is.
pub(super) struct Target {
    pub at: OnDisk,
    /// Where it is moved.
    pub to: Option<OnDisk>,
    pub action: Action,
}

/// What a patch did.
pub(super) struct Done {
    pub files: Vec<DoneFile>,
    /// What the model should know besides.
    pub notes: Vec<String>,
}

/// What a patch did to one file.
pub(super) struct DoneFile {
    pub path: String,
    pub to: Option<String>,
    pub change: &'static str,
    /// Where its hunks were found, in the old file, counted from 1.
    pub lines: Vec<usize>,
}

impl DoneFile {
    /// The change as one letter.
    pub(super) fn sign(&self) -> char {
        match self.change {
            "added" => 'A',
            "deleted" => 'D',
            "moved" => 'R',
            _ => 'M',
        }
    }
}

/// What is to be written or removed at one place.
struct Step {
    at: OnDisk,
    /// What was read there.
    before: Standing,
    /// What is to stand there; none: nothing.
    after: Option<Vec<u8>>,
    /// What the file has besides its content where it is moved from, or where it goes: one that is made
    /// there gets the same.
    like: Option<Attributes>,
    known: Option<Known>,
}

/// What the checks of all files have come to.
#[derive(Default)]
struct Plan {
    steps: Vec<Step>,
    opened: Vec<Opened>,
    done: Vec<DoneFile>,
    notes: Vec<String>,
    places: HashSet<PathBuf>,
    bytes: u64,
}

/// Applies a patch for one call.
pub(super) struct Patcher<'w> {
    writer: &'w Writer,
}

impl<'w> Patcher<'w> {
    pub(super) fn new(writer: &'w Writer) -> Patcher<'w> {
        Patcher { writer }
    }

    /// Applies the patch to all files or to none.
    pub(super) fn apply(&self, targets: Vec<Target>) -> Result<Done, ToolError> {
        let mut plan = Plan::default();
        let mut problems: Vec<ToolError> = Vec::new();
        for target in targets {
            self.writer.guard().check_going_on()?;
            if let Err(problem) = self.check(target, &mut plan) {
                if problem.for_host().is_some() {
                    return Err(problem);
                }
                problems.push(problem);
            }
        }
        if let Some(first) = problems.first() {
            return Err(refusal(first, &problems));
        }
        self.writer.take(&plan.opened)?;
        // Removals last: until then every text is still somewhere.
        plan.steps.sort_by_key(|step| step.after.is_none());
        let steps = plan.steps;
        for (at, step) in steps.iter().enumerate() {
            if let Err(error) = self.carry_out(step) {
                return Err(put_back(&steps[..at], error));
            }
        }
        for step in steps {
            let Step { at, before, known, after, .. } = step;
            match after {
                Some(_) => self.writer.guard().knows(&at.workspace, &before.target, known),
                None => self.writer.guard().forget(&at.workspace, &before.target),
            }
        }
        Ok(Done { files: plan.done, notes: plan.notes })
    }

    /// Checks one file and plans what is to be done to it. Nothing is written.
    fn check(&self, target: Target, plan: &mut Plan) -> Result<(), ToolError> {
        let Target { at, to, action } = target;
        let before = self.read(&at, plan)?;
        match action {
            Action::Add(content) => self.add(at, before, &content, plan),
            Action::Delete(hunks) => self.delete(at, before, &hunks, plan),
            Action::Update { hunks, to: None } => {
                let (after, lines) = self.patched(&at, &before, &hunks, plan)?;
                let path = at.path.to_string();
                plan.done.push(DoneFile { path, to: None, change: "updated", lines });
                self.plan_step(at, before, Some(after), plan)
            }
            Action::Update { hunks, .. } => {
                let (after, lines) = self.patched(&at, &before, &hunks, plan)?;
                let Some(to) = to else { return Ok(()) };
                let there = self.read(&to, plan)?;
                if !there.is_missing() {
                    return Err(exists(&to, "moved to"));
                }
                let (path, new_path) = (at.path.to_string(), to.path.to_string());
                plan.done.push(DoneFile { path, to: Some(new_path), change: "moved", lines });
                self.plan_step(to, there, Some(after), plan)?;
                let moved = plan.steps.len() - 1;
                self.plan_step(at, before, None, plan)?;
                plan.steps[moved].like = plan.steps[moved + 1].like.clone();
                Ok(())
            }
        }
    }

    /// What stands at a place that no other part of the patch names.
    fn read(&self, at: &OnDisk, plan: &mut Plan) -> Result<Standing, ToolError> {
        let standing = at.workspace.standing(&at.path, KNOWN_BYTES)?;
        if let Body::Large(bytes) = standing.body {
            let remedy = "change it with a program instead";
            let path = at.path.to_string();
            return Err(Error::TooLarge { path, bytes, max: KNOWN_BYTES, remedy }.into());
        }
        if !plan.places.insert(at.workspace.real_root().join(&standing.target)) {
            let text = format!(
                "`{}` is named more than once; put all hunks of a file into one part of the patch",
                at.path
            );
            return Err(ToolError::new(Code::InvalidArguments, text));
        }
        Ok(standing)
    }

    fn add(
        &self,
        at: OnDisk,
        before: Standing,
        content: &str,
        plan: &mut Plan,
    ) -> Result<(), ToolError> {
        if !before.is_missing() {
            return Err(exists(&at, "added"));
        }
        at.workspace.check_writable_size(&at.path, content.len())?;
        let (text, opened) = self.writer.new_text(&at.workspace, &before.target, content)?;
        plan.opened.extend(opened);
        let path = at.path.to_string();
        plan.done.push(DoneFile { path, to: None, change: "added", lines: Vec::new() });
        self.plan_step(at, before, Some(text), plan)
    }

    fn delete(
        &self,
        at: OnDisk,
        before: Standing,
        hunks: &[Hunk],
        plan: &mut Plan,
    ) -> Result<(), ToolError> {
        if before.is_missing() {
            at.workspace.editable(&at.path, &before)?;
        }
        plan.notes.extend(self.writer.guard().check(&at.workspace, &at.path, &before)?);
        if !hunks.is_empty() {
            let (rest, _) = self.patched(&at, &before, hunks, plan)?;
            if !rest.is_empty() {
                let text = format!(
                    "`{}` is to be deleted, but has more lines than the patch removes; read it \
                     again",
                    at.path
                );
                return Err(ToolError::new(Code::Conflict, text));
            }
        }
        let path = at.path.to_string();
        plan.done.push(DoneFile { path, to: None, change: "deleted", lines: Vec::new() });
        self.plan_step(at, before, None, plan)
    }

    /// The content after all hunks, and where each was found.
    fn patched(
        &self,
        at: &OnDisk,
        before: &Standing,
        hunks: &[Hunk],
        plan: &mut Plan,
    ) -> Result<(Vec<u8>, Vec<usize>), ToolError> {
        let content = at.workspace.editable(&at.path, before)?;
        let note = self.writer.guard().check(&at.workspace, &at.path, before)?;
        plan.notes.extend(note.filter(|note| !plan.notes.contains(note)));
        if hunks.is_empty() {
            return Ok((content.to_owned(), Vec::new()));
        }
        let place = (&at.workspace, &at.path, before.target.as_path());
        let made = self.writer.patched(place, content, hunks)?;
        let PatchedText { content: after, lines, opened, is_same } = made;
        if is_same {
            let text = format!("`{}`: the hunks leave it exactly as it is", at.path);
            return Err(ToolError::new(Code::InvalidArguments, text));
        }
        at.workspace.check_writable_size(&at.path, after.len())?;
        plan.opened.extend(opened);
        Ok((after, lines))
    }

    fn plan_step(
        &self,
        at: OnDisk,
        before: Standing,
        after: Option<Vec<u8>>,
        plan: &mut Plan,
    ) -> Result<(), ToolError> {
        self.writer.guard().last(&at.workspace, &at.path, &before.target)?;
        if after.is_none() && at.workspace.is_link(&at.path) {
            let text = format!(
                "`{}` is a link to `{}`; to take away or to move that, name it; the link itself no patch \
                 takes away",
                at.path,
                before.target.display()
            );
            return Err(ToolError::new(Code::Conflict, text));
        }
        let length = |content: Option<&[u8]>| content.map_or(0, |content| content.len() as u64);
        plan.bytes += length(before.content()) + length(after.as_deref());
        if plan.bytes > MOST_BYTES {
            let text = format!(
                "the files of the patch have more than {MOST_BYTES} bytes together, old and new; \
                 give it in several parts"
            );
            return Err(ToolError::new(Code::ToolFailed, text));
        }
        let known = after.as_deref().and_then(|after| self.writer.guard().known(after));
        let like = match after {
            None => at.workspace.attributes(&at.path)?,
            Some(_) => None,
        };
        plan.steps.push(Step { at, before, after, like, known });
        Ok(())
    }

    fn carry_out(&self, step: &Step) -> Result<(), ToolError> {
        let OnDisk { workspace, path } = &step.at;
        let make = |now: &Standing| {
            if *now != step.before {
                return Err(Error::Changed { path: path.to_string() }.into());
            }
            let change = match &step.after {
                Some(after) => Change::Put(after.into(), step.like.clone()),
                None => Change::Remove,
            };
            Ok((change, ()))
        };
        let last = |now: &Standing, (): &()| self.writer.guard().last(workspace, path, &now.target);
        let most_bytes = KNOWN_BYTES;
        let changing = Changing { most_bytes, expected: None, make_folders: true, make, last };
        workspace.change::<_, ToolError, _, _>(path, changing)
    }
}

/// Puts back what the steps have done, the last first, where it still stands. Gives the error with
/// what became of it.
fn put_back(steps: &[Step], mut error: ToolError) -> ToolError {
    let left: Vec<String> = steps
        .iter()
        .rev()
        .filter(|step| put_back_one(step).is_err())
        .map(|step| format!("`{}`", step.at.path))
        .collect();
    let said = error.message.trim_end_matches('.').to_owned();
    error.message = match left.as_slice() {
        [] => format!("{said}. All files are as they were before the patch."),
        left => format!(
            "{said}. These files were patched before that and could not be put back: {}. Read them \
             before you go on.",
            left.join(", ")
        ),
    };
    error
}

fn put_back_one(step: &Step) -> Result<(), Error> {
    let OnDisk { workspace, path } = &step.at;
    let make = |now: &Standing| {
        let is_ours =
            now.content() == step.after.as_deref() && now.is_missing() == step.after.is_none();
        let change = match (is_ours, step.before.content()) {
            (false, _) => return Err(Error::Changed { path: path.to_string() }),
            (true, Some(before)) => Change::Put(before.into(), step.like.clone()),
            (true, None) => Change::Remove,
        };
        Ok((change, ()))
    };
    let last = |_: &Standing, (): &()| Ok(());
    let most_bytes = KNOWN_BYTES;
    workspace.change(path, Changing { most_bytes, expected: None, make_folders: true, make, last })
}

fn exists(at: &OnDisk, what: &str) -> ToolError {
    let text = format!(
        "`{}` is to be {what}, but it is there already; update it, or delete it first",
        at.path
    );
    ToolError::new(Code::Conflict, text)
}

/// All problems in one refusal.
fn refusal(first: &ToolError, problems: &[ToolError]) -> ToolError {
    let mut problems: Vec<&str> =
        problems.iter().take(MOST_PROBLEMS).map(|problem| problem.message.as_str()).collect();
    if problems.len() > MOST_PROBLEMS {
        problems.push("There are more problems.");
    }
    let text = format!("Nothing was changed in any file.\n{}", problems.join("\n"));
    let mut error = first.clone();
    error.message = text;
    error
}
