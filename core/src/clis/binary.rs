//! The program of a CLI: found, verified, and opened, so that what runs is what was verified.

use std::collections::HashMap;
use std::fs::{self, File, Metadata};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::fs::{FileExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A binary as it was when its CLI was registered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PinnedBinary {
    /// Its path, without links.
    pub path: String,
    /// The hexadecimal BLAKE3 hash of its content.
    pub digest: String,
}

/// A program that was opened and looked at.
#[derive(Clone, Debug)]
pub(crate) struct Verified {
    /// Its path, without links.
    pub path: PathBuf,
    /// What it is.
    pub pinned: PinnedBinary,
    /// The opened file of a program that the kernel runs itself; none for a script, which its
    /// interpreter opens by its path.
    pub file: Option<Arc<OwnedFd>>,
}

/// The folders in which the system keeps programs, in the order in which they are searched.
const FOLDERS: &[&str] = &[
    "/usr/local/sbin",
    "/usr/local/bin",
    "/usr/sbin",
    "/usr/bin",
    "/sbin",
    "/bin",
    "/opt/homebrew/bin",
    "/snap/bin",
];

/// The folders in which CLIs are looked for.
pub(super) fn program_folders() -> Vec<PathBuf> {
    FOLDERS.iter().map(PathBuf::from).collect()
}

/// The search path that a CLI gets: what the system keeps, and its own folder.
pub(super) fn search_path(binary: &Path) -> String {
    let own = binary.parent().map(|folder| folder.display().to_string());
    let mut folders: Vec<String> = FOLDERS[..6].iter().map(ToString::to_string).collect();
    folders.extend(own.filter(|own| !own.contains(':') && !folders.contains(own)));
    folders.join(":")
}

/// The program of that name in the folders of the system.
pub(crate) fn found(name: &str) -> Option<PathBuf> {
    if name.is_empty() || name.contains('/') {
        return None;
    }
    program_folders().into_iter().map(|folder| folder.join(name)).find(|path| path.is_file())
}

/// When a file was last changed, and which one it is. Nobody but the superuser can set it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    inode: u64,
    size: u64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(data: &Metadata) -> Stamp {
        Stamp {
            device: data.dev(),
            inode: data.ino(),
            size: data.size(),
            changed: (data.ctime(), data.ctime_nsec()),
        }
    }
}

/// The digests of binaries that were read already.
#[derive(Debug, Default)]
pub(crate) struct Digests(Mutex<HashMap<PathBuf, (Stamp, String)>>);

/// How many are remembered.
const MOST_DIGESTS: usize = 1_000;

impl Digests {
    fn of(&self, path: &Path, file: &File) -> io::Result<String> {
        let stamp = Stamp::of(&file.metadata()?);
        {
            let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some((_, digest)) = known.get(path).filter(|(of, _)| *of == stamp) {
                return Ok(digest.clone());
            }
        }
        let mut hasher = blake3::Hasher::new();
        hasher.update_reader(file)?;
        let digest = hasher.finalize().to_hex().to_string();
        // What changed while it was read is read again the next time.
        if Stamp::of(&file.metadata()?) == stamp {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if known.len() >= MOST_DIGESTS {
                known.clear();
            }
            known.insert(path.to_owned(), (stamp, digest.clone()));
        }
        Ok(digest)
    }
}

/// Finds the binary of a CLI, makes sure that nobody but the owner of the machine can change it, and
/// opens it; blocking. `writable` are folders that agents write.
///
/// # Errors
/// What is wrong with it, in a sentence.
pub(crate) fn verify(
    name: &str,
    given: Option<&str>,
    writable: &[PathBuf],
    digests: &Digests,
) -> Result<Verified, String> {
    let path = match given {
        Some(path) => PathBuf::from(path),
        None => found(name).ok_or_else(|| {
            format!("there is no program `{name}` in the folders of the system; give `binary_path`")
        })?,
    };
    let shown = path.display().to_string();
    let says = |what: &str| format!("the binary `{shown}` {what}");
    let named = path.file_name().map(|own| own.to_string_lossy().to_lowercase());
    if named.as_deref() != Some(name) {
        return Err(says(&format!("is not named `{name}`")));
    }
    let real = path.canonicalize().map_err(|error| says(&format!("cannot be found: {error}")))?;
    for path in [&path, &real] {
        if let Some(folder) = writable.iter().find(|folder| path.starts_with(folder)) {
            let folder = folder.display();
            return Err(says(&format!(
                "lies in `{folder}`, which agents write; install it elsewhere"
            )));
        }
        trusted_folders(path)?;
    }
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOFOLLOW;
    let flags = flags.bits().cast_signed();
    let file = File::options().read(true).custom_flags(flags).open(&real);
    let file = file.map_err(|error| says(&format!("cannot be opened: {error}")))?;
    let data = file.metadata().map_err(|error| says(&format!("cannot be looked at: {error}")))?;
    if !data.is_file() || data.mode() & 0o111 == 0 {
        return Err(says("is no program"));
    }
    owned(&real, &data)?;
    let digest =
        digests.of(&real, &file).map_err(|error| says(&format!("cannot be read: {error}")))?;
    let pinned = PinnedBinary { path: real.display().to_string(), digest };
    let mut start = [0; 2];
    let is_script = file.read_exact_at(&mut start, 0).is_ok() && &start == b"#!";
    let file = (!is_script).then(|| Arc::new(OwnedFd::from(file)));
    Ok(Verified { path: real, pinned, file })
}

/// Makes sure that only the superuser and who runs this process can put something else at a path.
fn trusted_folders(path: &Path) -> Result<(), String> {
    for folder in path.ancestors().skip(1) {
        let data = fs::metadata(folder).map_err(|error| {
            format!("the folder `{}` cannot be looked at: {error}", folder.display())
        })?;
        owned(folder, &data)?;
    }
    Ok(())
}

/// The mode bits that let the group or anybody write.
const WRITABLE_BY_OTHERS: u32 = 0o022;

fn owned(path: &Path, data: &Metadata) -> Result<(), String> {
    let shown = path.display();
    if data.mode() & WRITABLE_BY_OTHERS != 0 {
        let mode = data.mode() & 0o7777;
        return Err(format!(
            "`{shown}` can be written by its group or by everybody (mode {mode:04o}); `chmod go-w` it"
        ));
    }
    let own = rustix::process::geteuid().as_raw();
    if data.uid() != 0 && data.uid() != own {
        let uid = data.uid();
        return Err(format!("`{shown}` belongs to the user {uid}, who could change it"));
    }
    Ok(())
}

/// Folders that agents write, besides those of the caller.
pub(crate) fn temp_folders() -> Vec<PathBuf> {
    let own = std::env::temp_dir();
    let fixed = ["/tmp", "/var/tmp", "/dev/shm"].map(PathBuf::from);
    let mut all: Vec<PathBuf> = fixed.into_iter().chain([own]).collect();
    let real: Vec<PathBuf> = all.iter().filter_map(|path| path.canonicalize().ok()).collect();
    all.extend(real);
    all
}
