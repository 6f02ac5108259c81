//! Which files a command is predicted to read and to write.

use std::path::PathBuf;

use super::{Commands, JudgedCommand};
use crate::exec::sandbox::Mounted;
use crate::files::{Files, Used};
use crate::shell::{Access, Effect, FileEffect, Payload, Scope, Value};
use crate::tool::CallContext;
use crate::workspace::CallerFolders;

/// What a call does with files.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileUses {
    /// What it may read.
    pub reads: Vec<Used>,
    /// What it writes, as far as the paths are known.
    pub writes: Vec<PathBuf>,
    /// True if a command reads, names or may read files: what the file tools would have shown.
    pub shows: bool,
    /// True if it may write more than `writes` in the folders.
    pub may_write_more: bool,
    /// The folders that the caller's calls work in, without links. The first is the workspace.
    pub folders: Vec<PathBuf>,
}

impl Commands {
    /// The files of the runtime.
    pub(crate) fn files(&self) -> &Files {
        &self.files
    }

    /// The folders that the calls of a caller work in. None where there are no files.
    pub(crate) fn folders(&self, cx: &CallContext) -> Option<CallerFolders> {
        self.files.places(cx.caller()).ok()
    }

    /// Adds what a command does with files to the uses of a call.
    pub(crate) fn add_uses(&self, cx: &CallContext, judged: &JudgedCommand, uses: &mut FileUses) {
        let Some(places) = self.folders(cx) else { return };
        let mounted = self.files.mounted(cx.caller(), &places);
        let adding = Adding { mounted, uses };
        adding.command(judged);
    }
}

struct Adding<'u> {
    mounted: Option<Mounted>,
    uses: &'u mut FileUses,
}

impl Adding<'_> {
    fn command(mut self, judged: &JudgedCommand) {
        let mut is_open = !judged.analysis.problems.is_empty();
        for found in &judged.analysis.found {
            match &found.effect {
                Effect::File(file) => self.file(file),
                Effect::Secret { path: Some(path), .. }
                | Effect::Network { sends: Payload::File(path), .. } => {
                    self.uses.shows = true;
                    self.read(path, false);
                }
                Effect::Code { .. } | Effect::Dynamic { .. } | Effect::Unmodelled { .. } => {
                    is_open = true;
                }
                _ => {}
            }
        }
        if is_open {
            // It may do anything in the folders that it works in.
            self.read_all();
            self.uses.shows = true;
            self.uses.may_write_more = true;
        }
    }

    fn file(&mut self, file: &FileEffect) {
        if file.scope == Scope::HarmlessDevice {
            return;
        }
        let FileEffect { access, path, recursive, .. } = file;
        match access {
            Access::Read | Access::List => {
                self.uses.shows = true;
                self.read(path, *recursive);
            }
            Access::Execute => self.read(path, *recursive),
            Access::Write => self.write(path, *recursive),
            // What is moved or linked is the same file under another name.
            Access::Move | Access::Link => {
                self.read(path, true);
                self.write(path, true);
            }
            Access::Delete | Access::Meta => {}
        }
    }

    fn read(&mut self, path: &Value, below: bool) {
        for one in known(path) {
            let path = self.on_host(one);
            self.uses.reads.extend(path.map(|path| Used { path, below }));
        }
        match path {
            Value::Known(_) | Value::OneOf(_) => {}
            Value::Prefix(prefix, _) if prefix.starts_with('/') => {
                let folder = prefix.rsplit_once('/').map_or("/", |(folder, _)| folder);
                let path = self.on_host(if folder.is_empty() { "/" } else { folder });
                self.uses.reads.extend(path.map(|path| Used { path, below: true }));
            }
            Value::Prefix(..) | Value::Unknown(_) => self.read_all(),
        }
    }

    fn read_all(&mut self) {
        let all = self.uses.folders.iter();
        let all: Vec<Used> = all.map(|path| Used { path: path.clone(), below: true }).collect();
        self.uses.reads.extend(all);
    }

    fn write(&mut self, path: &Value, below: bool) {
        for one in known(path) {
            let path = self.on_host(one);
            self.uses.writes.extend(path);
        }
        self.uses.may_write_more |= below || !matches!(path, Value::Known(_) | Value::OneOf(_));
    }

    /// A path as this machine has it. None for one that is a container's own.
    fn on_host(&self, path: &str) -> Option<PathBuf> {
        match &self.mounted {
            Some(mounted) => mounted.on_host(path),
            None => Some(PathBuf::from(path)),
        }
    }
}

fn known(value: &Value) -> &[String] {
    match value {
        Value::Known(one) => std::slice::from_ref(one),
        Value::OneOf(some) => some,
        Value::Prefix(..) | Value::Unknown(_) => &[],
    }
}
