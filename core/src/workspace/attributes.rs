//! What a file has besides its content: owner, mode, access lists, and extended attributes.

use std::ffi::{CStr, OsStr};
use std::fs::{File, Permissions};
use std::io;
use std::os::fd::AsRawFd as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};
use std::path::{Path, PathBuf};

use cap_std::fs::{Metadata, MetadataExt as _};
use rustix::buffer::{SpareCapacity, spare_capacity};
use rustix::fs::{
    XattrFlags, fgetxattr, flistxattr, fremovexattr, fsetxattr, lgetxattr, llistxattr,
};
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
        let list = names(|into| llistxattr(&at, into));
        Attributes::read(file, list, |name| value(|into| lgetxattr(&at, name, into)))
    }

    /// Those of a file that is open, which costs the system less.
    ///
    /// # Errors
    /// As [`Attributes::of`].
    pub(super) fn of_open(file: &File) -> io::Result<Attributes> {
        let list = names(|into| flistxattr(file, into));
        let metadata = Metadata::from_file(file)?;
        Attributes::read(&metadata, list, |name| value(|into| fgetxattr(file, name, into)))
    }

    fn read(
        file: &Metadata,
        names: Vec<Vec<u8>>,
        value: impl Fn(&OsStr) -> Result<Vec<u8>, Errno>,
    ) -> io::Result<Attributes> {
        let mut extended = Vec::new();
        for name in names {
            let is_list = name == LIST.to_bytes();
            if !is_list && !name.starts_with(b"user.") && name != b"security.selinux" {
                continue;
            }
            match value(OsStr::from_bytes(&name)) {
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
        let is_kept = self.give_owner(file)?;
        let list = self.extended.iter().find(|(name, _)| name == LIST.to_bytes());
        let mut mode = self.mode & PERMISSIONS;
        // The list is set before the mode: without a list, the group's part of the mode would apply to the group.
        if let Some((_, list)) = list {
            let mut list = list.clone();
            if !is_kept {
                narrow(&mut list);
            }
            fsetxattr(file, LIST, &list, XattrFlags::empty())?;
        } else {
            if names(|into| flistxattr(file, into)).iter().any(|name| name == LIST.to_bytes()) {
                fremovexattr(file, LIST)?;
            }
            if !is_kept {
                mode &= !0o070 | (mode & 0o007) << 3;
            }
        }
        // After the owner, because a change of owner takes bits away.
        file.set_permissions(Permissions::from_mode(mode))?;
        for (name, value) in self.extended.iter().filter(|(name, _)| name != LIST.to_bytes()) {
            // Attributes that cannot be set are lost.
            let _ = fsetxattr(file, OsStr::from_bytes(name), value, XattrFlags::empty());
        }
        Ok(())
    }

    /// False if the file is of another group: who is in that one may do no more than anybody may.
    fn give_owner(&self, file: &File) -> io::Result<bool> {
        let (owner, group) = self.owner;
        let now = file.metadata()?;
        // Only the superuser may give files away; for others the new file is theirs, and of the group
        // where they are in it.
        Ok((now.uid(), now.gid()) == self.owner
            || fchown(file, Some(owner), Some(group)).is_ok()
            || now.gid() == group
            || fchown(file, None, Some(group)).is_ok())
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
            // There are none, or the system does not list them.
            Err(_) => return Vec::new(),
        }
    };
    let names = all[..length].split(|byte| *byte == 0).filter(|name| !name.is_empty());
    names.map(<[u8]>::to_vec).collect()
}

/// Lets the owning group on a list do no more than anybody may. Source: `posix_acl_xattr.h` of Linux.
fn narrow(list: &mut [u8]) {
    const HEAD: usize = 4;
    const ENTRY: usize = 8;
    const GROUP: u16 = 0x04;
    const OTHERS: u16 = 0x20;
    let tag = |entry: &[u8]| u16::from_le_bytes([entry[0], entry[1]]);
    let Some((_, entries)) = list.split_at_mut_checked(HEAD) else { return };
    let others = entries.chunks_exact(ENTRY).find(|entry| tag(entry) == OTHERS);
    let others = others.map_or(0, |entry| entry[2]);
    for entry in entries.chunks_exact_mut(ENTRY).filter(|entry| tag(entry) == GROUP) {
        entry[2] &= others;
    }
}

/// The most that the kernel gives of a value, or of all names.
const MOST_BYTES: usize = 64 << 10;

fn value(get: impl Fn(SpareCapacity<'_, u8>) -> Result<usize, Errno>) -> Result<Vec<u8>, Errno> {
    let mut value = Vec::with_capacity(MOST_BYTES);
    get(spare_capacity(&mut value))?;
    value.shrink_to_fit();
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::replace::seen_writable;
    use crate::workspace::{Workspace, WriteMode};
    use rustix::fs::setxattr;

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
    fn where_the_group_is_another_one_it_may_do_no_more_than_anybody() {
        let mut list = a_list();
        // The owning group, the third on the list, may read and write.
        let group = 4 + 2 * 8 + 2;
        list[group] = 6;
        let before = list.clone();
        narrow(&mut list);
        assert_eq!(list[group], 0);
        list[group] = 6;
        assert_eq!(list, before);
        narrow(&mut []);
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
        let place = workspace.place(&path, false).unwrap();
        let opened = Attributes::of_open(&File::open(&at).unwrap()).unwrap();
        assert_eq!(workspace.attributes(&path).unwrap().as_ref(), Some(&opened));
        assert_eq!(seen_writable(&place, &File::open(&at).unwrap()), Some(opened));
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
