//! Which paths of a workspace lead into the store.

use std::path::Path;

use super::FilesConfig;
use crate::workspace::folded_name;

/// The folder of memory files, at the workspace's root.
pub(super) const MEMORY_FOLDER: &str = "memory";
/// The memory file beside it. `memory.md` is the same one.
pub(super) const MEMORY_FILE: &str = "MEMORY.md";

/// A name that stands for something in the store, under the one key that all its spellings have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum VirtualName {
    /// A context file, by its configured name.
    Context(String),
    /// A memory file, by its path: `MEMORY.md` or `memory/…`.
    Memory(String),
    /// The folder of memory files, or one beneath it: `memory`, `memory/people`.
    MemoryFolder(String),
    /// Something below a file of the store, where nothing can be: `SOUL.md/notes`.
    BelowFile(String),
}

impl VirtualName {
    /// What a path from the workspace's root stands for, in its normal form or without links. None:
    /// a file of the disk.
    ///
    /// Only the root has such names: `repo/AGENTS.md` is a file of the repository. Whatever some
    /// file system takes for the same name is the same there, so that no `soul.md` on the disk passes
    /// for the stored one; beneath `memory/` case counts. `is_folder` says that the spelling can mean
    /// a folder alone.
    pub(super) fn of(path: &Path, is_folder: bool, config: &FilesConfig) -> Option<VirtualName> {
        let path = path.to_str()?;
        let (first, beneath) = path.split_once('/').unwrap_or((path, ""));
        let first = folded_name(first);
        let is = |name: &str| first.eq_ignore_ascii_case(&folded_name(name));
        if config.memory && is(MEMORY_FOLDER) {
            let key = [MEMORY_FOLDER, beneath].join("/");
            return Some(match (beneath.is_empty(), is_folder) {
                (true, _) => VirtualName::MemoryFolder(MEMORY_FOLDER.into()),
                (false, true) => VirtualName::MemoryFolder(key),
                (false, false) => VirtualName::Memory(key),
            });
        }
        let below = |name: &str| VirtualName::BelowFile([name, beneath].join("/"));
        if config.memory && is(MEMORY_FILE) {
            let memory = VirtualName::Memory(MEMORY_FILE.into());
            return Some(if beneath.is_empty() { memory } else { below(MEMORY_FILE) });
        }
        let name = config.context_files.iter().find(|name| is(name))?;
        let context = || VirtualName::Context(name.clone());
        Some(if beneath.is_empty() { context() } else { below(name) })
    }

    /// True for the key of a memory file to which a path of a workspace can lead.
    pub(super) fn is_document(path: &str) -> bool {
        let is_name = |name: &str| !matches!(name, "" | "." | "..");
        let beneath = path.strip_prefix("memory/");
        path == MEMORY_FILE || beneath.is_some_and(|path| path.split('/').all(is_name))
    }

    /// True for what an agent remembers.
    pub(crate) fn is_memory(&self) -> bool {
        matches!(self, VirtualName::Memory(_) | VirtualName::MemoryFolder(_))
    }

    /// The path from the workspace's root, in its one spelling.
    pub(crate) fn path(&self) -> &str {
        match self {
            VirtualName::Context(path)
            | VirtualName::Memory(path)
            | VirtualName::MemoryFolder(path)
            | VirtualName::BelowFile(path) => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_name_has_one_key_and_only_at_the_root() {
        let context = |name: &str| Some(VirtualName::Context(name.into()));
        let memory = |path: &str| Some(VirtualName::Memory(path.into()));
        let folder = |path: &str| Some(VirtualName::MemoryFolder(path.into()));
        let rows = [
            ("SOUL.md", false, context("SOUL.md")),
            ("soul.md", false, context("SOUL.md")),
            ("Tools.MD", false, context("TOOLS.md")),
            ("docs/SOUL.md", false, None),
            ("SOUL.md.bak", false, None),
            ("MEMORY.md", false, memory("MEMORY.md")),
            ("memory.md", false, memory("MEMORY.md")),
            ("docs/MEMORY.md", false, None),
            ("memory", false, folder("memory")),
            ("Memory", true, folder("memory")),
            ("memory/a.md", false, memory("memory/a.md")),
            ("MEMORY/a.md", false, memory("memory/a.md")),
            ("memory/A.md", false, memory("memory/A.md")),
            ("memory/people/mark", true, folder("memory/people/mark")),
            ("memory/SOUL.md", false, memory("memory/SOUL.md")),
            ("memorywall/a.md", false, None),
            ("SOUL.md/notes", false, Some(VirtualName::BelowFile("SOUL.md/notes".into()))),
            ("memory.md/a/b", true, Some(VirtualName::BelowFile("MEMORY.md/a/b".into()))),
            ("\u{17f}oul.md", false, context("SOUL.md")),
            ("SO\u{200b}UL.md", false, context("SOUL.md")),
            ("SOUL.md ", false, context("SOUL.md")),
            ("memory. /a.md", false, memory("memory/a.md")),
            ("\u{440}\u{443}\u{441}.md", false, None),
            ("...", true, None),
            ("TEAM.md", false, None),
            ("AVAILABILITY.md", false, None),
            (".", true, None),
        ];
        for (path, is_folder, expected) in rows {
            let config = FilesConfig::default();
            let found = VirtualName::of(Path::new(path), is_folder, &config);
            assert_eq!(found, expected, "{path}");
        }
    }

    #[test]
    fn no_name_outside_of_ascii_is_lost_in_folding() {
        let config =
            FilesConfig { context_files: vec!["ÜBER.md".into()], ..FilesConfig::default() };
        for (path, is_context) in
            [("über.md", true), ("U\u{308}ber.MD", true), ("uber.md", false), ("ÜBER.md.", true)]
        {
            let found = VirtualName::of(Path::new(path), false, &config);
            assert_eq!(found.is_some(), is_context, "{path}");
        }
    }

    #[test]
    fn what_is_configured_counts() {
        let config = FilesConfig {
            context_files: vec!["RULES.md".into()],
            memory: false,
            ..FilesConfig::default()
        };
        let of = |path: &str| VirtualName::of(Path::new(path), false, &config);
        assert_eq!(of("rules.md"), Some(VirtualName::Context("RULES.md".into())));
        for path in ["SOUL.md", "MEMORY.md", "memory/a.md", "memory"] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
