//! Checks that a container has mounted what was meant.
//!
//! An engine gets folders by path and looks them up when the container starts. Until then anyone who can
//! write in the workspace could replace such a path by a link to another folder of the machine. So
//! nothing runs in a container before its own mount table has been compared with what was wanted.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use bollard::models::{Mount, MountType};

use super::super::sandbox::WORKSPACE;

/// A line of a table of mounts, as `/proc/self/mountinfo` has it (proc_pid_mountinfo(5)).
struct Line<'t> {
    /// The file system's device.
    device: &'t str,
    /// The folder of that file system that is mounted.
    root: PathBuf,
    /// Where.
    at: PathBuf,
    /// The kind of file system.
    kind: &'t str,
}

/// The place of a container where something else is mounted than was wanted; none where all is as it
/// should be. `table` is the container's own.
pub(super) fn misplaced(wanted: &[Mount], table: &str) -> Option<String> {
    let here = || std::fs::read_to_string("/proc/self/mountinfo").unwrap_or_default();
    first_misplaced(wanted, table, here)
}

/// `here`: the table of this machine.
fn first_misplaced(wanted: &[Mount], table: &str, here: impl Fn() -> String) -> Option<String> {
    let there: Vec<Line<'_>> = table.lines().filter_map(line).collect();
    // Of several at one place the last is seen.
    let found = |target: &str| there.iter().rfind(|line| line.at == Path::new(target));
    let target = |mount: &Mount| mount.target.clone().unwrap_or_default();
    let whole = wanted.iter().find(|mount| mount.target.as_deref() == Some(WORKSPACE));
    let workspace = whole.and_then(|mount| Some((mount.source.as_deref()?, found(WORKSPACE)?)));
    let is_right = |mount: &Mount, line: &Line<'_>| match mount.source.as_deref() {
        None => mount.typ == Some(MountType::TMPFS) && line.kind == "tmpfs",
        Some("/dev/null") => line.root.ends_with("null"),
        Some(source) => workspace.is_some_and(|(real, whole)| {
            is_part(Path::new(source), Path::new(real), line, whole)
                || is_mounted(Path::new(source), line, &here())
        }),
    };
    let wrong = wanted
        .iter()
        .find(|mount| found(&target(mount)).is_none_or(|line| !is_right(mount, line)))?;
    Some(target(wrong))
}

/// True if a mount is the folder of the workspace that it should be.
fn is_part(source: &Path, real: &Path, line: &Line<'_>, whole: &Line<'_>) -> bool {
    let root = source.strip_prefix(real).map(|below| whole.root.join(below));
    line.device == whole.device && root.is_ok_and(|root| is_same(&root, &line.root))
}

/// True if a mount is what this machine has at a path itself: within the workspace another file system
/// may be mounted.
fn is_mounted(source: &Path, line: &Line<'_>, here: &str) -> bool {
    let here: Vec<Line<'_>> = here.lines().filter_map(self::line).collect();
    let around = here.iter().filter(|line| source.starts_with(&line.at));
    // Of several at one place the last is seen.
    let Some(around) = around.max_by_key(|line| line.at.components().count()) else { return false };
    let root = source.strip_prefix(&around.at).map(|below| around.root.join(below));
    line.device == around.device && root.is_ok_and(|root| is_same(&root, &line.root))
}

/// True if two paths have the same parts. `join` leaves a separator at the end.
fn is_same(one: &Path, other: &Path) -> bool {
    one.components().eq(other.components())
}

fn line(text: &str) -> Option<Line<'_>> {
    let (mount, system) = text.split_once(" - ")?;
    let mut fields = mount.split(' ').skip(2);
    let (device, root, at) = (fields.next()?, fields.next()?, fields.next()?);
    let kind = system.split(' ').next()?;
    Some(Line { device, root: plain(root), at: plain(at), kind })
}

/// A path in which blanks and backslashes stand by their numbers.
fn plain(text: &str) -> PathBuf {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let number = after.get(..3).filter(|_| first == b'\\');
        let number = number.and_then(|digits| std::str::from_utf8(digits).ok());
        match number.and_then(|digits| u8::from_str_radix(digits, 8).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[3..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bind(source: &str, target: &str) -> Mount {
        Mount {
            typ: Some(MountType::BIND),
            source: Some(source.into()),
            target: Some(target.into()),
            ..Mount::default()
        }
    }

    fn wanted() -> Vec<Mount> {
        let tmpfs = Mount {
            typ: Some(MountType::TMPFS),
            target: Some("/workspace/hidden".into()),
            ..Mount::default()
        };
        vec![
            bind("/srv/ws", "/workspace"),
            bind("/srv/ws/a b/c", "/workspace/a b/c"),
            bind("/dev/null", "/workspace/key"),
            tmpfs,
        ]
    }

    const RIGHT: &str = "\
        501 500 0:50 / / rw - overlay overlay rw\n\
        510 501 8:1 /data/ws /workspace rw,relatime - ext4 /dev/sda1 rw\n\
        511 510 8:1 /data/ws/a\\040b/c /workspace/a\\040b/c ro shared:3 - ext4 /dev/sda1 rw\n\
        512 510 0:6 /null /workspace/key ro - devtmpfs udev rw\n\
        513 510 0:60 / /workspace/hidden ro - tmpfs tmpfs rw\n\n";

    fn wrong(table: &str, here: &str) -> Option<String> {
        first_misplaced(&wanted(), table, || here.to_owned())
    }

    #[test]
    fn what_stands_elsewhere_than_in_the_workspace_is_found() {
        assert_eq!(wrong(RIGHT, ""), None);
        for (from, to, at) in [
            // Another folder of the same file system, one of another, one that has gone.
            ("/data/ws/a\\040b/c ", "/etc ", "/workspace/a b/c"),
            ("8:1 /data/ws/a\\040b/c ", "8:2 /data/ws/a\\040b/c ", "/workspace/a b/c"),
            ("/data/ws/a\\040b/c ", "/data/ws/a\\040b/c//deleted ", "/workspace/a b/c"),
            // The mount landed where a link led.
            ("/workspace/a\\040b/c ", "/workspace/x ", "/workspace/a b/c"),
            ("/null /workspace/key", "/null /workspace/x", "/workspace/key"),
            ("0:6 /null", "8:1 /etc/passwd", "/workspace/key"),
            ("- tmpfs tmpfs", "- ext4 /dev/sda1", "/workspace/hidden"),
            (" /workspace rw,", " /elsewhere rw,", "/workspace"),
        ] {
            let table = RIGHT.replace(from, to);
            assert_ne!(table, RIGHT, "{from}");
            assert_eq!(wrong(&table, "").as_deref(), Some(at), "{from} -> {to}");
        }
        assert_eq!(wrong("", "").as_deref(), Some("/workspace"));
        assert_eq!(first_misplaced(&[], "", String::new), None);
    }

    #[test]
    fn another_file_system_within_the_workspace_is_known_by_this_machines_own_table() {
        let table = RIGHT.replace("8:1 /data/ws/a\\040b/c ", "8:7 /inner/c ");
        let here = "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n\
                    21 20 8:7 /inner /srv/ws/a\\040b rw - xfs /dev/sdb rw\n";
        assert_eq!(wrong(&table, here), None);
        let other = here.replace("/inner ", "/other ");
        assert_eq!(wrong(&table, &other).as_deref(), Some("/workspace/a b/c"));
    }

    #[test]
    fn a_workspace_that_is_a_whole_file_system_is_one_too() {
        let table = "510 501 8:1 / /workspace rw - ext4 /dev/sda1 rw\n\
                     511 510 8:1 /out /workspace/out rw - ext4 /dev/sda1 rw\n";
        let wanted = [bind("/mnt", "/workspace"), bind("/mnt/out", "/workspace/out")];
        assert_eq!(first_misplaced(&wanted, table, String::new), None);
    }
}
