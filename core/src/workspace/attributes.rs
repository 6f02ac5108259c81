//! What a file has besides its content, owner and mode: who else may use it, and notes of programs.

use std::ffi::CStr;
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, flistxattr, fremovexattr, fsetxattr, lgetxattr, llistxattr};
use rustix::io::Errno;

use super::resolve::Place;

/// The list of who else may use a file. With one, the group's part of the mode is not what the group may, but
/// the most that anybody on the list may. Source: acl(5).
const LIST: &CStr = c"system.posix_acl_access";

/// Gives a new content the attributes of the file at a place: its list of who may use it, or none, and what
/// programs have noted (`user.`, `security.selinux`). Its mode is the old one's already.
///
/// # Errors
/// Where the list cannot be kept: others could use the file than before.
pub(super) fn keep(place: &Place, new: &File) -> io::Result<()> {
    let old = named(place);
    let had = names(|into| llistxattr(&old, into));
    let has = names(|into| flistxattr(new, into));
    let list = |names: &[Vec<u8>]| names.iter().any(|name| name == LIST.to_bytes());
    if list(&has) && !list(&had) {
        fremovexattr(new, LIST)?;
    }
    for name in &had {
        let is_list = name == LIST.to_bytes();
        if !is_list && !name.starts_with(b"user.") && name != b"security.selinux" {
            continue;
        }
        let kept = copy(&old, new, name);
        if is_list {
            kept?;
        }
    }
    Ok(())
}

/// A name of the file at a place that is looked at as it is, also if it is a link.
fn named(place: &Place) -> PathBuf {
    Path::new(&format!("/proc/self/fd/{}", place.dir.as_raw_fd())).join(&place.name)
}

fn names(list: impl Fn(&mut [u8]) -> Result<usize, Errno>) -> Vec<Vec<u8>> {
    let mut all = vec![0; 1024];
    let length = loop {
        match list(&mut all) {
            Ok(length) => break length,
            Err(Errno::RANGE) if all.len() < MOST_BYTES => all.resize(all.len() * 8, 0),
            // There are none, or none that anybody tells.
            Err(_) => return Vec::new(),
        }
    };
    let names = all[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

/// The most that the kernel gives of a value, or of all names.
const MOST_BYTES: usize = 64 << 10;

fn copy(old: &Path, new: &File, name: &[u8]) -> io::Result<()> {
    let name = std::ffi::OsStr::from_bytes(name);
    let mut value = Vec::with_capacity(MOST_BYTES);
    lgetxattr(old, name, spare_capacity(&mut value))?;
    Ok(fsetxattr(new, name, &value, XattrFlags::empty())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Workspace, WriteMode};
    use rustix::fs::{fgetxattr, setxattr};

    /// What acl(5) writes as `user::rw,user:1234:rw,group::---,mask::rw,other::---`, by the kernel's
    /// `posix_acl_xattr.h`.
    fn a_list() -> Vec<u8> {
        let mut list = 2_u32.to_le_bytes().to_vec();
        let none = u32::MAX;
        for (tag, access, id) in
            [(1_u16, 6_u16, none), (2, 6, 1234), (4, 0, none), (0x10, 6, none), (0x20, 0, none)]
        {
            list.extend(tag.to_le_bytes());
            list.extend(access.to_le_bytes());
            list.extend(id.to_le_bytes());
        }
        list
    }

    #[test]
    fn who_else_may_use_a_file_stays_so() {
        let root = tempfile::tempdir().unwrap();
        let workspace = Workspace::open(root.path()).unwrap();
        let path = workspace.relative("file").unwrap();
        let at = root.path().join("file");
        std::fs::write(&at, "old").unwrap();
        let put = |text: &str| workspace.write(&path, text.as_bytes(), WriteMode::Replace);
        let list = |at: &Path| {
            let mut value = Vec::with_capacity(1024);
            fgetxattr(File::open(at).unwrap(), LIST, spare_capacity(&mut value)).map(|_| value)
        };
        setxattr(&at, LIST, &a_list(), XattrFlags::empty()).unwrap();
        setxattr(&at, "user.note", b"kept", XattrFlags::empty()).unwrap();
        put("new").unwrap();
        assert_eq!(list(&at), Ok(a_list()));
        let mut note = Vec::with_capacity(16);
        lgetxattr(&at, "user.note", spare_capacity(&mut note)).unwrap();
        assert_eq!(note, b"kept");
        // A file without a list gets none of its folder's.
        let plain = root.path().join("plain");
        std::fs::write(&plain, "old").unwrap();
        setxattr(root.path(), "system.posix_acl_default", &a_list(), XattrFlags::empty()).unwrap();
        let path = workspace.relative("plain").unwrap();
        workspace.write(&path, b"new", WriteMode::Replace).unwrap();
        assert_eq!(std::fs::read(&plain).unwrap(), b"new");
        assert!(list(&plain).is_err());
    }
}
