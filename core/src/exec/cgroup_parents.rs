//! Where this process can make control groups, and which limits they can have there.
//!
//! Linux has two versions of control groups, which may be in use at the same time. In version 1 each
//! resource has a tree of its own; in version 2 there is one tree, and a group that holds processes
//! cannot also give limits to the groups inside it.

use std::fs;
use std::path::{Component, Path, PathBuf};

use rustix::fs::{Access, access};

/// A folder in which groups can be made.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) folder: PathBuf,
    /// The file of each limit there, if the limit can be set.
    pub(super) memory: Option<&'static str>,
    pub(super) processes: Option<&'static str>,
}

/// Where the kernel's groups are mounted.
pub(super) const ROOT: &str = "/sys/fs/cgroup";

/// Version 1: the limit of memory.
pub(super) const CGROUP_V1_MEMORY: &str = "memory.limit_in_bytes";

/// Version 1: the limit of memory together with swap.
pub(super) const CGROUP_V1_BOTH: &str = "memory.memsw.limit_in_bytes";

/// Version 2: the limit of memory.
pub(super) const CGROUP_V2_MEMORY: &str = "memory.max";

/// Version 2: the limit of swap alone.
pub(super) const CGROUP_V2_SWAP: &str = "memory.swap.max";

/// The limit of processes, in both versions.
const PROCESSES: &str = "pids.max";

/// The folders in which a process can make groups. `own` are the groups that it is in, as in
/// `/proc/self/cgroup`: lines of `number:controllers:path`.
pub(super) fn parents(root: &Path, own: &str) -> Vec<Parent> {
    own.lines().filter_map(|line| parent(root, line)).collect()
}

fn parent(root: &Path, line: &str) -> Option<Parent> {
    let mut parts = line.splitn(3, ':');
    let (_, controllers, path) = (parts.next()?, parts.next()?, parts.next()?);
    let below = Path::new(path.trim_start_matches('/'));
    if below.components().any(|part| part == Component::ParentDir) {
        // The group lies outside of what this process sees.
        return None;
    }
    if controllers.is_empty() {
        cgroup_v2(root, below)
    } else {
        cgroup_v1(root, controllers, below)
    }
}

fn cgroup_v1(root: &Path, controllers: &str, below: &Path) -> Option<Parent> {
    let has = |name: &str| controllers.split(',').any(|one| one == name);
    let memory = has("memory").then_some(CGROUP_V1_MEMORY);
    let processes = has("pids").then_some(PROCESSES);
    let is_wanted = memory.is_some() || processes.is_some();
    let folder = root.join(controllers).join(below);
    (is_wanted && folder.is_dir()).then_some(Parent { folder, memory, processes })
}

/// A version 2 group has either processes or groups with limits, unless it is the root. So the groups of
/// commands are made beside the group of this process, which stays where it is. If that group is limited,
/// none are made there: they would escape its limits.
fn cgroup_v2(root: &Path, below: &Path) -> Option<Parent> {
    let own = root.join(below);
    let is_first = below.as_os_str().is_empty();
    let beside = || own.parent().filter(|above| !is_first && !is_limited(&own) && is_ours(above));
    with_limits(&own).or_else(|| beside().and_then(with_limits))
}

/// A folder, if the groups in it can be limited.
fn with_limits(folder: &Path) -> Option<Parent> {
    let enabled = fs::read_to_string(folder.join("cgroup.subtree_control")).ok()?;
    let has = |name: &str| enabled.split_whitespace().any(|one| one == name);
    let memory = has("memory").then_some(CGROUP_V2_MEMORY);
    let processes = has("pids").then_some(PROCESSES);
    let is_wanted = memory.is_some() || processes.is_some();
    is_wanted.then(|| Parent { folder: folder.to_owned(), memory, processes })
}

fn is_limited(group: &Path) -> bool {
    let limits = [CGROUP_V2_MEMORY, "memory.high", CGROUP_V2_SWAP, PROCESSES, "cpu.max"];
    let set = limits.iter().filter_map(|name| fs::read_to_string(group.join(name)).ok());
    set.into_iter().any(|limit| limit.split_whitespace().next() != Some("max"))
}

/// True if this process may make groups in a folder, and move what it starts into them from a group beside
/// them.
fn is_ours(folder: &Path) -> bool {
    access(folder, Access::WRITE_OK).is_ok()
        && access(folder.join("cgroup.procs"), Access::WRITE_OK).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Groups of version 2: one that has limits for those in it, and that of this process in it.
    fn tree(enabled: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let own = root.path().join("service/own");
        fs::create_dir_all(&own).unwrap();
        for folder in [root.path(), &root.path().join("service"), &own] {
            fs::write(folder.join("cgroup.procs"), "").unwrap();
            fs::write(folder.join("cgroup.subtree_control"), "").unwrap();
        }
        fs::write(root.path().join("service/cgroup.subtree_control"), enabled).unwrap();
        root
    }

    const OWN: &str = "0::/service/own\n";

    #[test]
    fn groups_are_made_beside_that_of_this_process_where_they_can_be_limited() {
        let root = tree("cpu memory pids\n");
        let folder = root.path().join("service");
        let expected =
            Parent { folder, memory: Some(CGROUP_V2_MEMORY), processes: Some(PROCESSES) };
        assert_eq!(parents(root.path(), OWN), [expected]);
        let root = tree("cpu pids\n");
        let found = parents(root.path(), OWN);
        assert_eq!((found[0].memory, found[0].processes), (None, Some(PROCESSES)));
        assert!(parents(tree("cpu\n").path(), OWN).is_empty());
    }

    #[test]
    fn groups_are_made_in_that_of_this_process_where_it_can_hold_both() {
        let root = tree("memory pids\n");
        assert!(parents(root.path(), "0::/\n").is_empty());
        fs::write(root.path().join("cgroup.subtree_control"), "memory\n").unwrap();
        assert_eq!(parents(root.path(), "0::/\n")[0].folder, root.path());
        fs::write(root.path().join("service/own/cgroup.subtree_control"), "memory").unwrap();
        assert_eq!(parents(root.path(), OWN)[0].folder, root.path().join("service/own"));
    }

    #[test]
    fn groups_do_not_escape_the_limits_of_this_process() {
        for (name, limit) in
            [(CGROUP_V2_MEMORY, "1048576\n"), (PROCESSES, "10\n"), ("cpu.max", "50 100\n")]
        {
            let root = tree("memory pids\n");
            let file = root.path().join("service/own").join(name);
            fs::write(&file, "max 100000\n").unwrap();
            assert_eq!(parents(root.path(), OWN).len(), 1, "{name}");
            fs::write(&file, limit).unwrap();
            assert!(parents(root.path(), OWN).is_empty(), "{name}");
        }
    }

    #[test]
    fn a_folder_that_is_not_to_be_written_is_none_of_ours() {
        let root = tree("memory pids\n");
        fs::remove_file(root.path().join("service/cgroup.procs")).unwrap();
        assert!(parents(root.path(), OWN).is_empty());
        assert!(parents(root.path(), "0::/../service/own\n").is_empty());
    }

    #[test]
    fn each_tree_of_version_1_has_its_own_parent() {
        let root = tempfile::tempdir().unwrap();
        for folder in ["memory/a", "pids", "cpu"] {
            fs::create_dir_all(root.path().join(folder)).unwrap();
        }
        let own = "8:pids:/\n4:memory:/a\n3:memory:/none\n1:cpu:/\n0::/\n";
        let parent = |below: &str, memory, processes| {
            let folder = root.path().join(below);
            Parent { folder, memory, processes }
        };
        let expected = [
            parent("pids", None, Some(PROCESSES)),
            parent("memory/a", Some(CGROUP_V1_MEMORY), None),
        ];
        let found = parents(root.path(), own);
        assert_eq!(found, expected);
    }
}
