//! Which paths of a workspace lead into the store.

use std::path::Path;

use super::FilesConfig;

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
}

impl VirtualName {
    /// What a path from the workspace's root stands for, in its normal form or without links. None:
    /// a file of the disk.
    ///
    /// Only the root has such names: `repo/AGENTS.md` is a file of the repository. Case does not
    /// count there, so that no `soul.md` on the disk passes for the stored one; beneath `memory/` it
    /// does. `is_folder` says that the spelling can mean a folder alone.
    pub(super) fn of(path: &Path, is_folder: bool, config: &FilesConfig) -> Option<VirtualName> {
        let path = path.to_str()?;
        let (first, beneath) = path.split_once('/').unwrap_or((path, ""));
        if config.memory && same_name(first, MEMORY_FOLDER) {
            let key = [MEMORY_FOLDER, beneath].join("/");
            return Some(match (beneath.is_empty(), is_folder) {
                (true, _) => VirtualName::MemoryFolder(MEMORY_FOLDER.into()),
                (false, true) => VirtualName::MemoryFolder(key),
                (false, false) => VirtualName::Memory(key),
            });
        }
        if !beneath.is_empty() {
            return None;
        }
        if config.memory && same_name(first, MEMORY_FILE) {
            return Some(VirtualName::Memory(MEMORY_FILE.into()));
        }
        let name = config.context_files.iter().find(|name| same_name(first, name))?;
        Some(VirtualName::Context(name.clone()))
    }

    /// True for what an agent remembers.
    pub(crate) fn is_memory(&self) -> bool {
        !matches!(self, VirtualName::Context(_))
    }

    /// The path from the workspace's root, in its one spelling.
    pub(crate) fn path(&self) -> &str {
        match self {
            VirtualName::Context(path)
            | VirtualName::Memory(path)
            | VirtualName::MemoryFolder(path) => path,
        }
    }
}

/// True for two spellings of one name.
fn same_name(one: &str, other: &str) -> bool {
    if one.is_ascii() && other.is_ascii() {
        return one.eq_ignore_ascii_case(other);
    }
    let lower = |name: &str| name.chars().flat_map(char::to_lowercase).collect::<String>();
    lower(one) == lower(other)
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
