//! Landlock: which folders may be read and written, by rules that a process holds itself to and can
//! never lift.

use std::collections::BTreeSet;
use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath,
    PathFd, Ruleset, RulesetAttr as _, RulesetCreated, RulesetCreatedAttr as _, Scope,
};

/// The newest rules that are known here. The kernel's own are used where it has fewer.
const KNOWN: ABI = ABI::V7;

/// Where the machine keeps its devices.
pub(super) const ALL_DEVICES: &str = "/dev";

/// Device files that every program may read and write. Terminals are not among them: those of a user's are
/// there side by side, and what is typed at one is for nobody else.
pub(super) const DEVICES: &[&str] =
    &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// The version of Landlock in the kernel: 1 and up. `None`: there is none.
pub(crate) fn version() -> Option<u32> {
    const ASK_FOR_VERSION: libc::c_uint = 1;
    let nothing = std::ptr::null::<u8>();
    // SAFETY: with this flag the call takes no attributes, and answers with a number.
    let version = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, nothing, 0_usize, ASK_FOR_VERSION)
    };
    u32::try_from(version).ok().filter(|version| *version > 0)
}

/// What the rules allow.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Allowed {
    /// Files and folders that may be written, with all that is below.
    pub(crate) write: Vec<PathBuf>,
    /// Files and folders that may be read although they lie in what may not.
    pub(crate) read: Vec<PathBuf>,
    /// Files and folders that may not be read. It takes a rule for each of their neighbours.
    pub(crate) hidden: Vec<PathBuf>,
    /// True if it may connect and listen.
    pub(crate) network: bool,
}

/// The rules that were made lately. To make them again is to open every file that they name, and
/// commands of one session mostly have the same.
#[derive(Debug, Default)]
pub(crate) struct Made(Mutex<Vec<One>>);

#[derive(Debug)]
struct One {
    allowed: Allowed,
    stamps: Vec<Stamp>,
    rules: Option<Rules>,
    at: Instant,
    uses: usize,
}

/// Rules that were made, and what access may be added to them, in the kernel's bits.
#[derive(Clone, Debug)]
pub(crate) struct Rules {
    pub(crate) file: Arc<OwnedFd>,
    /// To read a folder and what is below.
    pub(crate) read: u64,
    /// To read and write a device.
    pub(crate) device: u64,
    /// To read and write the devices in a folder.
    pub(crate) device_folder: u64,
}

/// What a file or folder is known by: another one of its name, and for a folder another list of names
/// in it, has another.
type Stamp = Option<(u64, u64, i64, i64)>;

/// How many sets of rules are kept.
const MOST_MADE: usize = 16;

/// How long a set of rules is kept. A stamp does not show what was mounted meanwhile.
const LONGEST: Duration = Duration::from_secs(10);

/// How many commands may use one set: each adds rules for its own mounts.
const MOST_USES: usize = 64;

impl Made {
    /// The rules, for the confining program to hold itself to. It adds what only it can name.
    ///
    /// # Errors
    /// Where the kernel takes them not.
    pub(crate) fn rules(&self, allowed: Allowed) -> Result<Option<Rules>, landlock::RulesetError> {
        // Taken before the rules are made, so that a change in between gives another stamp.
        let stamps = stamps(&allowed);
        {
            let mut made = self.lock();
            made.retain(|one| one.at.elapsed() < LONGEST && one.uses < MOST_USES);
            let known = made.iter_mut().find(|one| one.allowed == allowed && one.stamps == stamps);
            if let Some(known) = known {
                known.uses += 1;
                return Ok(known.rules.clone());
            }
        }
        let rules = rules(&allowed)?.map(|file| {
            let known = handled(version().unwrap_or(1));
            let bits = |access: BitFlags<AccessFs>| access.bits() & known;
            let device = device();
            Rules {
                file: Arc::new(file),
                read: bits(AccessFs::from_read(KNOWN)),
                device: bits(device & AccessFs::from_file(KNOWN)),
                device_folder: bits(device),
            }
        });
        let mut made = self.lock();
        made.retain(|one| one.allowed != allowed);
        if made.len() >= MOST_MADE {
            made.remove(0);
        }
        made.push(One { allowed, stamps, rules: rules.clone(), at: Instant::now(), uses: 1 });
        Ok(rules)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<One>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn stamps(allowed: &Allowed) -> Vec<Stamp> {
    let identity = |path: &PathBuf| {
        let data = fs::metadata(path).ok()?;
        Some((data.dev(), data.ino(), 0, 0))
    };
    let listing = |path: &&Path| {
        let data = fs::metadata(path).ok()?;
        Some((data.dev(), data.ino(), data.mtime(), data.mtime_nsec()))
    };
    let listed: BTreeSet<&Path> =
        allowed.hidden.iter().flat_map(|path| path.ancestors().skip(1)).collect();
    let named = allowed.write.iter().chain(&allowed.read);
    let found = named.map(identity).chain(listed.iter().map(listing));
    found.collect()
}

fn rules(allowed: &Allowed) -> Result<Option<OwnedFd>, landlock::RulesetError> {
    let mut ruleset = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(AccessFs::from_all(KNOWN))?
        .scope(Scope::from_all(KNOWN))?;
    if !allowed.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(KNOWN))?;
    }
    let mut rules = ruleset.create()?;
    let read = AccessFs::from_read(KNOWN);
    rules = add(rules, Path::new("/"), BitFlags::from(AccessFs::ReadDir))?;
    rules = readable(rules, Path::new("/"), &allowed.hidden, read)?;
    for path in &allowed.read {
        rules = readable(rules, path, &allowed.hidden, read)?;
    }
    for path in &allowed.write {
        rules = add(rules, path, AccessFs::from_all(KNOWN))?;
    }
    for path in DEVICES {
        rules = add(rules, Path::new(path), device())?;
    }
    Ok(rules.into())
}

/// What is done with a device.
fn device() -> BitFlags<AccessFs> {
    AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev | AccessFs::from_read(KNOWN)
}

/// What a kernel of this version knows of, in its bits. Source: the kernel's `landlock.h`.
fn handled(version: u32) -> u64 {
    let bits = match version {
        0 | 1 => 13,
        2 => 14,
        3 | 4 => 15,
        _ => 16,
    };
    (1 << bits) - 1
}

/// Allows to read a folder, but for what is hidden below it.
fn readable(
    mut rules: RulesetCreated,
    folder: &Path,
    hidden: &[PathBuf],
    read: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    if hidden.iter().any(|path| path == folder) {
        return Ok(rules);
    }
    if !hidden.iter().any(|path| path.starts_with(folder)) {
        return add(rules, folder, read);
    }
    let Ok(entries) = fs::read_dir(folder) else { return Ok(rules) };
    for entry in entries.flatten() {
        // The target of a link has a rule of its own, at its real path.
        if !entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            rules = readable(rules, &entry.path(), hidden, read)?;
        }
    }
    Ok(rules)
}

/// A rule for a path, as far as its kind can have it. One that is not there has none.
fn add(
    rules: RulesetCreated,
    path: &Path,
    access: BitFlags<AccessFs>,
) -> Result<RulesetCreated, landlock::RulesetError> {
    let Ok(file) = PathFd::new(path) else { return Ok(rules) };
    let is_folder = fs::metadata(path).is_ok_and(|data| data.is_dir());
    let access = if is_folder { access } else { access & AccessFs::from_file(KNOWN) };
    if access.is_empty() {
        return Ok(rules);
    }
    rules.add_rule(PathBeneath::new(file, access))
}
