//! The folders that a command gets for itself, and the places of the machine that it must not see.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;

use super::folder::{self, Folder, HANDLE};
use super::owned;

/// The folders that sessions have as `/tmp`. They end with the runtime.
#[derive(Debug)]
pub(crate) struct Temps {
    root: Folder,
    made: Mutex<Made>,
    /// The lock that shows that these folders have a living owner.
    _lock: File,
}

/// The folders of sessions, and how many there have been: no folder is another session's later.
#[derive(Debug, Default)]
struct Made {
    folders: HashMap<String, PathBuf>,
    count: u64,
}

/// The lock file in the folder of a runtime. Its owner holds it locked as long as it lives.
const OWNER: &str = "owner";

/// Where commands see the folder of their session.
pub(crate) const TEMP_MOUNT_POINTS: [&str; 2] = ["/tmp", "/var/tmp"];

/// Where commands see its folder `shm`, for shared memory.
pub(crate) const SHARED_AT: &str = "/dev/shm";

/// Where a path of the machine's lies in the folder of a session, if it lies where that appears.
pub(super) fn within(path: &Path) -> Option<PathBuf> {
    let below = |at: &&str| path.strip_prefix(at).ok().map(Path::to_owned);
    let shared = || path.strip_prefix(SHARED_AT).ok().map(|below| Path::new("shm").join(below));
    TEMP_MOUNT_POINTS.iter().find_map(below).or_else(shared)
}

/// True if a path of the machine's lies where a command has a folder of its session's.
pub(crate) fn is_own(path: &Path) -> bool {
    within(path).is_some()
}

impl Temps {
    /// Takes away what runtimes have left whose programs were killed.
    pub(crate) fn new() -> io::Result<Temps> {
        let root = tempfile::Builder::new().prefix(owned::PREFIX).tempdir()?;
        let root = Folder::of(root, Some(OWNER));
        let lock = File::create(root.path().join(OWNER))?;
        // If files cannot be locked, no folder of others is taken for abandoned.
        let _ = owned::hold(&lock);
        let beside = root.path().parent().unwrap_or(Path::new("/"));
        for left in owned::left_in(beside, OWNER) {
            // What cannot be removed now is left to the next runtime.
            let _ = folder::remove(&left, Some(OWNER));
        }
        Ok(Temps { root, made: Mutex::default(), _lock: lock })
    }

    /// Makes a folder that nobody else has. It is gone when it is dropped, or with the others.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn private(&self) -> io::Result<Folder> {
        Ok(Folder::of(tempfile::tempdir_in(self.root.path())?, None))
    }

    /// Where all of them are.
    pub(crate) fn root(&self) -> &Path {
        self.root.path()
    }

    /// A name that no other runtime has.
    pub(crate) fn name(&self) -> String {
        let name = self.root().file_name().unwrap_or_default();
        name.to_string_lossy().into_owned()
    }

    /// The folder of a session.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn of(&self, session: &str) -> io::Result<PathBuf> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = made.folders.get(session).filter(|folder| folder.is_dir()) {
            // A command may have taken it away, or put a link there.
            let at = rustix::fs::open(folder, HANDLE, Mode::empty())?;
            folder_in(&at, OsStr::new("shm"))?;
            return Ok(folder.clone());
        }
        let folder = self.root.path().join(made.count.to_string());
        made.count += 1;
        // Commands of the session may run as another user.
        let mut builder = fs::DirBuilder::new();
        builder.mode(0o700).create(&folder)?;
        builder.create(folder.join("shm"))?;
        made.folders.insert(session.to_owned(), folder.clone());
        Ok(folder)
    }

    /// A file of host names with this text. It stays until the runtime ends.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub(crate) fn names(&self, text: &str) -> io::Result<PathBuf> {
        let name = blake3::hash(text.as_bytes()).to_hex();
        let path = self.root.path().join(&name.as_str()[..32]);
        if !path.exists() {
            // The file gets its name only when it is complete.
            let mut file = tempfile::NamedTempFile::new_in(self.root.path())?;
            file.write_all(text.as_bytes())?;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            file.persist(&path).map_err(|error| error.error)?;
        }
        Ok(path)
    }

    /// Makes the places in a session's folder at which others of the machine's will be seen. Commands
    /// write there: what they have put in the way, such as a link or a pipe, goes.
    ///
    /// # Errors
    /// Where they cannot be made.
    pub(crate) fn make_way(folder: &Path, seen: &Path) -> io::Result<()> {
        match within(seen) {
            Some(below) => make_place(folder, &below, seen.is_dir()),
            None => Ok(()),
        }
    }

    /// A folder that stands in the place of a home: empty but for the places of what is open there, and
    /// links. It stays until the runtime ends.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn skeleton<'p>(
        &self,
        home: &Path,
        open: impl Iterator<Item = &'p PathBuf>,
        links: impl Iterator<Item = &'p (PathBuf, PathBuf)>,
    ) -> io::Result<PathBuf> {
        let name = blake3::hash(home.as_os_str().as_bytes()).to_hex();
        let skeleton = self.root.path().join(format!("home-{}", &name.as_str()[..32]));
        // Only one thread at a time adds to it.
        let _made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if !skeleton.is_dir() {
            fs::DirBuilder::new().mode(0o755).create(&skeleton)?;
        }
        for path in open {
            let below = path.strip_prefix(home).unwrap_or(path);
            make_place(&skeleton, below, path.is_dir())?;
        }
        for (path, target) in links {
            let at = skeleton.join(path.strip_prefix(home).unwrap_or(path));
            if fs::read_link(&at).is_ok_and(|known| known == *target) {
                continue;
            }
            at.parent().map(fs::create_dir_all).transpose()?;
            if fs::remove_file(&at).is_err() && at.is_dir() {
                fs::remove_dir_all(&at)?;
            }
            std::os::unix::fs::symlink(target, at)?;
        }
        Ok(skeleton)
    }
}

/// Makes an empty file or folder below a folder. What stands in the way goes, unless it is a folder with
/// something in it.
fn make_place(folder: &Path, below: &Path, is_folder: bool) -> io::Result<()> {
    let mut at = rustix::fs::open(folder, HANDLE, Mode::empty())?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_some() || is_folder {
            at = folder_in(&at, name)?;
        } else {
            file_in(&at, name)?;
        }
    }
    Ok(())
}

/// The folder of a name, made where there is none or something else.
fn folder_in(at: &OwnedFd, name: &OsStr) -> io::Result<OwnedFd> {
    let open = || rustix::fs::openat(at, name, HANDLE, Mode::empty());
    open().or_else(|error| {
        match error {
            Errno::NOENT => {}
            Errno::NOTDIR | Errno::LOOP => rustix::fs::unlinkat(at, name, AtFlags::empty())?,
            other => return Err(other.into()),
        }
        rustix::fs::mkdirat(at, name, Mode::RWXU)?;
        Ok(open()?)
    })
}

/// Makes an empty file where there is none.
fn file_in(at: &OwnedFd, name: &OsStr) -> io::Result<()> {
    let there = rustix::fs::statat(at, name, AtFlags::SYMLINK_NOFOLLOW);
    match there.map(|there| FileType::from_raw_mode(there.st_mode)) {
        Ok(FileType::RegularFile) => return Ok(()),
        Ok(FileType::Directory) => rustix::fs::unlinkat(at, name, AtFlags::REMOVEDIR)?,
        Ok(_) => rustix::fs::unlinkat(at, name, AtFlags::empty())?,
        Err(_) => {}
    }
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    rustix::fs::openat(at, name, flags, Mode::RUSR | Mode::WUSR).map(drop)?;
    Ok(())
}

/// Folders in which services of the machine are reached: what listens there would do things for a command
/// that it may not do itself.
pub(crate) const SERVICES: &[&str] = &["/run", "/var/run"];

/// The sockets by which services of this machine can be reached elsewhere.
pub(crate) fn sockets() -> Vec<PathBuf> {
    let is_socket = |path: &PathBuf| {
        fs::symlink_metadata(path).is_ok_and(|data| data.file_type().is_socket())
            && !SERVICES.iter().any(|folder| path.starts_with(folder))
    };
    listening().into_iter().filter(is_socket).collect()
}

/// The paths of the sockets in this network, as far as the kernel lists them: not of those that were
/// bound by a relative path. A path may hold blanks, and need be no text.
fn listening() -> Vec<PathBuf> {
    /// The size of the buffer for one answer of the kernel, in bytes. Most machines have fewer sockets than fill it.
    const ROOM: usize = 64 << 10;
    let mut sockets = Vec::with_capacity(ROOM);
    let read = File::open("/proc/net/unix").and_then(|mut file| file.read_to_end(&mut sockets));
    if read.is_err() {
        return Vec::new();
    }
    // Num RefCount Protocol Flags Type St Inode Path
    let path = |line: &[u8]| {
        let at = line.windows(2).position(|two| two == b" /")?;
        Some(PathBuf::from(OsStr::from_bytes(&line[at + 1..])))
    };
    sockets.split(|byte| *byte == b'\n').skip(1).filter_map(path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_has_one_folder_and_another_has_another() {
        let temps = Temps::new().unwrap();
        let one = temps.of("a").unwrap();
        assert_eq!(one, temps.of("a").unwrap());
        assert_ne!(one, temps.of("b").unwrap());
        assert!(one.join("shm").is_dir());
        let root = one.parent().unwrap().to_owned();
        let private = temps.private().unwrap();
        assert!(private.path().starts_with(&root) && private.path() != one);
        drop(temps);
        assert!(!root.exists());
    }

    #[test]
    fn a_folder_that_is_gone_is_made_anew_and_is_never_anothers() {
        let temps = Temps::new().unwrap();
        let one = temps.of("a").unwrap();
        fs::remove_dir_all(&one).unwrap();
        let all = [temps.of("a").unwrap(), temps.of("b").unwrap(), temps.of("c").unwrap()];
        assert!(all.iter().all(|folder| folder.join("shm").is_dir()));
        assert_eq!(std::collections::HashSet::from(all.clone()).len(), 3);
        fs::remove_dir(all[0].join("shm")).unwrap();
        std::os::unix::fs::symlink("/etc", all[0].join("shm")).unwrap();
        let shm = temps.of("a").unwrap().join("shm");
        assert!(fs::symlink_metadata(shm).unwrap().is_dir());
    }

    #[test]
    fn what_stands_in_the_way_is_not_followed_and_waited_for() {
        let there = tempfile::tempdir_in("/tmp").unwrap();
        fs::create_dir(there.path().join("folder")).unwrap();
        fs::write(there.path().join("file"), "").unwrap();
        let own = tempfile::tempdir().unwrap();
        let outside = tempfile::tempdir().unwrap();
        let way = own.path().join(there.path().strip_prefix("/tmp").unwrap());
        let clear = || {
            let _ = fs::remove_dir_all(&way);
            let _ = fs::remove_file(&way);
        };
        let make = || {
            for name in ["file", "folder"] {
                Temps::make_way(own.path(), &there.path().join(name)).unwrap();
            }
            assert!(fs::symlink_metadata(way.join("file")).unwrap().is_file());
            assert!(fs::symlink_metadata(way.join("folder")).unwrap().is_dir());
        };
        make();
        make();
        clear();
        std::os::unix::fs::symlink(outside.path(), &way).unwrap();
        make();
        for name in ["file", "folder"] {
            clear();
            fs::create_dir(&way).unwrap();
            let at = way.join(name);
            rustix::fs::mknodat(rustix::fs::CWD, &at, FileType::Fifo, Mode::RWXU, 0).unwrap();
            make();
            clear();
            fs::create_dir(&way).unwrap();
            std::os::unix::fs::symlink(outside.path().join("made"), &at).unwrap();
            make();
        }
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_socket_that_listens_is_a_service() {
        let folder = tempfile::tempdir().unwrap();
        for name in [&b"socket"[..], b"with a blank", b"no \xff text"] {
            let path = folder.path().join(OsStr::from_bytes(name));
            let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
            assert!(sockets().contains(&path), "{}", path.display());
        }
    }
}
