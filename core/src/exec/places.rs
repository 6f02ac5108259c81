//! The folders of this machine that a command gets for itself, and those that it must not see.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt, FileTypeExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use super::owned;

/// The folders that sessions have as `/tmp`. They end with the runtime.
#[derive(Debug)]
pub(crate) struct Temps {
    root: TempDir,
    made: Mutex<HashMap<String, PathBuf>>,
    /// Says that they have an owner.
    _lock: File,
}

/// The file that says so.
const OWNER: &str = "owner";

/// Where the folder of a session appears to its commands.
pub(crate) const SEEN_AT: [&str; 2] = ["/tmp", "/var/tmp"];

/// Where its folder `shm` appears, for shared memory.
pub(crate) const SHARED_AT: &str = "/dev/shm";

/// Where a path of the machine's lies in the folder of a session, if it lies where that appears.
fn within(path: &Path) -> Option<PathBuf> {
    let below = |at: &&str| path.strip_prefix(at).ok().map(Path::to_owned);
    let shared = || path.strip_prefix(SHARED_AT).ok().map(|below| Path::new("shm").join(below));
    SEEN_AT.iter().find_map(below).or_else(shared)
}

/// True if a path of the machine's lies where a command has a folder of its session's.
pub(crate) fn is_own(path: &Path) -> bool {
    within(path).is_some()
}

impl Temps {
    /// Takes away what runtimes have left whose programs were killed.
    pub(crate) fn new() -> io::Result<Temps> {
        let root = tempfile::Builder::new().prefix(owned::PREFIX).tempdir()?;
        let lock = File::create(root.path().join(OWNER))?;
        // Where files cannot be locked, nobody takes the folders of others for left.
        let _ = owned::hold(&lock);
        let beside = root.path().parent().unwrap_or(Path::new("/"));
        for left in owned::left_in(beside, OWNER) {
            // What cannot be removed now is left to the next.
            let _ = fs::remove_dir_all(left);
        }
        Ok(Temps { root, made: Mutex::default(), _lock: lock })
    }

    /// Makes a folder that nobody else has. It is gone when it is dropped, or with the others.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub(crate) fn private(&self) -> io::Result<TempDir> {
        tempfile::tempdir_in(self.root.path())
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
        if let Some(folder) = made.get(session).filter(|folder| folder.is_dir()) {
            return Ok(folder.clone());
        }
        let folder = self.root.path().join(made.len().to_string());
        // Others in the session's own walls may be another user there.
        fs::DirBuilder::new().mode(0o700).recursive(true).create(folder.join("shm"))?;
        made.insert(session.to_owned(), folder.clone());
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
            // Nobody sees half of it.
            let mut file = tempfile::NamedTempFile::new_in(self.root.path())?;
            file.write_all(text.as_bytes())?;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
            file.persist(&path).map_err(|error| error.error)?;
        }
        Ok(path)
    }

    /// Makes the places in a session's folder at which others of the machine's will be seen.
    ///
    /// # Errors
    /// Where they cannot be made.
    pub(crate) fn make_way(folder: &Path, seen: &Path) -> io::Result<()> {
        let Some(below) = within(seen) else { return Ok(()) };
        let way = folder.join(below);
        if seen.is_dir() {
            return fs::create_dir_all(way);
        }
        fs::create_dir_all(way.parent().unwrap_or(folder))?;
        fs::OpenOptions::new().create(true).append(true).open(way).map(drop)
    }
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

/// The paths of the sockets in this network, as far as the kernel tells them: not of those that were
/// bound by a relative path. A path may hold blanks, and need be no text.
fn listening() -> Vec<PathBuf> {
    /// Most machines have fewer than fill this.
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
    fn a_socket_that_listens_is_a_service() {
        let folder = tempfile::tempdir().unwrap();
        for name in [&b"socket"[..], b"with a blank", b"no \xff text"] {
            let path = folder.path().join(OsStr::from_bytes(name));
            let _listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
            assert!(sockets().contains(&path), "{}", path.display());
        }
    }
}
