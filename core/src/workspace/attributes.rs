//! What a file has besides its content: owner, mode, who else may use it, and notes of programs.

use std::ffi::{CStr, OsStr};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use cap_std::fs::{Metadata, MetadataExt as _};
use rustix::buffer::spare_capacity;
use rustix::fs::{XattrFlags, flistxattr, fremovexattr, fsetxattr, lgetxattr, llistxattr};
use rustix::io::Errno;

use super::resolve::Place;
use super::{Error, RelativePath, Workspace};

/// The list of who else may use a file. With one, the group's part of the mode is not what the group may, but
/// the most that anybody on the list may. Source: acl(5).
const LIST: &CStr = c"system.posix_acl_access";

/// Only permissions are kept: a set-user-id bit must not outlive a change of content.
const PERMISSIONS: u32 = 0o777;

/// What a file has besides its content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Attributes {
    owner: (u32, u32),
    mode: u32,
    /// The list of who may use it, and what programs have noted (`user.`, `security.selinux`), by name.
    extended: Vec<(Vec<u8>, Vec<u8>)>,
}

impl Attributes {
    /// Those of the file at a place.
    ///
    /// # Errors
    /// Where there is a list and it cannot be read: others could use a file like this one.
    pub(super) fn of(place: &Place, file: &Metadata) -> io::Result<Attributes> {
        let at = named(place);
        let mut extended = Vec::new();
        for name in names(|into| llistxattr(&at, into)) {
            let is_list = name == LIST.to_bytes();
            if !is_list && !name.starts_with(b"user.") && name != b"security.selinux" {
                continue;
            }
            match value(&at, &name) {
                Ok(value) => extended.push((name, value)),
                Err(error) if is_list => return Err(error.into()),
                Err(_) => {}
            }
        }
        Ok(Attributes { owner: (file.uid(), file.gid()), mode: file.mode(), extended })
    }

    /// Gives them to a new file.
    ///
    /// # Errors
    /// Where the mode or the list cannot be given: others could use the file than before.
    pub(super) fn give(&self, file: &File) -> io::Result<()> {
        let (owner, group) = self.owner;
        let now = file.metadata()?;
        if (now.uid(), now.gid()) != self.owner {
            // Only the superuser may give files away; for others the new file is theirs, and of the group
            // where they are in it.
            if fchown(file, Some(owner), Some(group)).is_err() {
                let _ = fchown(file, None, Some(group));
            }
        }
        // After the owner, because a change of owner takes bits away.
        file.set_permissions(Permissions::from_mode(self.mode & PERMISSIONS))?;
        let has_list = self.extended.iter().any(|(name, _)| name == LIST.to_bytes());
        if !has_list
            && names(|into| flistxattr(file, into)).iter().any(|name| name == LIST.to_bytes())
        {
            fremovexattr(file, LIST)?;
        }
        for (name, value) in &self.extended {
            let given = fsetxattr(file, OsStr::from_bytes(name), value, XattrFlags::empty());
            if name == LIST.to_bytes() {
                given?;
            }
        }
        Ok(())
    }
}

impl Workspace {
    /// What the file at a path has besides its content; none if there is none.
    pub(crate) fn attributes(&self, path: &RelativePath) -> Result<Option<Attributes>, Error> {
        let failed = |error| Error::from_io(path, "read", error);
        let place = self.place_seen(path)?;
        match place.dir.symlink_metadata(&place.name) {
            Ok(file) => Attributes::of(&place, &file).map(Some).map_err(failed),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }
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

fn value(at: &Path, name: &[u8]) -> Result<Vec<u8>, Errno> {
    let mut value = Vec::with_capacity(MOST_BYTES);
    lgetxattr(at, OsStr::from_bytes(name), spare_capacity(&mut value))?;
    value.shrink_to_fit();
    Ok(value)
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
