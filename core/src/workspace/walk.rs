//! Going through all files below a folder, on several threads.
//!
//! Each folder is opened from the handle of the one that holds it and is never a link, so the walk
//! cannot be led out by whoever renames and links while it runs. Work is taken from one stack, the
//! latest first and each folder in order of name: the threads stay near each other and near the
//! order of the results, so what comes too late to be shown is soon not looked at any more. What is
//! held is the names that wait: those of the folders on the way, not those of the tree.

mod names;
mod queue;

use std::ffi::{CStr, CString, OsStr};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::io::Errno;

use super::globs::Globs;
use super::ignoring::{IgnoreFiles, Level, Unfiltered};
use super::overlay::Overlay;
use super::scan::{Buffer, each_entry, open_folder};
use super::start::Start;
use super::{EntryKind, Workspace};
use names::{Chunk, Names};
use queue::Queue;

/// The most threads of one walk.
const MOST_THREADS: usize = 8;
/// The deepest folder that is opened, below where the walk begins. Each takes a handle meanwhile.
const MOST_DEPTH: usize = 100;
/// How many names of a folder are held before they are worked on.
const CHUNK: usize = 4096;
/// How many files a thread takes up at once.
const BATCH: usize = 32;
/// How much may wait before a thread works on what it finds at once.
const MOST_WAITING: usize = 4096;

/// What is done with the files of a walk.
pub(super) trait Visit: Sync {
    /// What one thread has for itself.
    type Own: Send;

    /// True if a file takes so little that it is not worth another thread's while.
    const IS_QUICK: bool;

    fn own(&self) -> Self::Own;

    /// False if the file, or whatever is in the folder, comes too late to matter. Paths are from
    /// the root; that of a folder ends with a slash.
    fn wants(&self, own: &Self::Own, path: &[u8]) -> bool;

    /// A file: the handle of its folder, its name in there, its path from the root.
    fn file(&self, own: &mut Self::Own, folder: BorrowedFd<'_>, name: &CStr, path: &[u8]);
}

/// Which files a walk is about.
#[derive(Clone, Copy)]
pub(super) struct Walk<'w> {
    pub workspace: &'w Workspace,
    pub globs: &'w Globs,
    pub unfiltered: Unfiltered,
    pub overlay: &'w Overlay,
    /// True when nobody waits for the results any more.
    pub is_stopped: &'w (dyn Fn() -> bool + Sync),
}

/// What a walk brought.
pub(super) struct Walked<Own> {
    /// What each thread has.
    pub owns: Vec<Own>,
    /// How many folders could not be opened.
    pub unread: usize,
}

/// A folder that is being worked on.
struct Folder {
    opened: OwnedFd,
    /// From the root: empty, or with a slash at its end.
    path: Vec<u8>,
    /// The rules of the folders above.
    above: Option<Arc<Level>>,
    /// The rules that hold in this folder, once it is known which files it has.
    level: OnceLock<Option<Arc<Level>>>,
    depth: usize,
    /// True if it, or one above it below the start, has a name that begins with a dot.
    is_hidden: bool,
}

/// What a thread takes up.
enum Work {
    Folder(Arc<Folder>, CString),
    Files(Arc<Folder>, Names),
}

impl Walk<'_> {
    /// Visits each file below the start, in no order.
    pub(super) fn run<V: Visit>(self, start: Start, visitor: &V) -> Walked<V::Own> {
        let below = start.path.len();
        let (queue, unread) = (Queue::new(), AtomicUsize::new(0));
        let walker = Walker { walk: self, visitor, below, queue, unread };
        let mut own = visitor.own();
        if let Some(opened) = start.opened {
            let first = Folder {
                opened: opened.folder,
                path: start.path,
                above: opened.level,
                level: OnceLock::new(),
                depth: 0,
                is_hidden: false,
            };
            walker.read(first, &mut own, &mut Buffer::new());
        }
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = threads.min(MOST_THREADS).min(walker.queue.len());
        let owns = std::thread::scope(|scope| {
            let others: Vec<_> =
                (1..threads).map(|_| scope.spawn(|| walker.work(visitor.own()))).collect();
            let mut owns = vec![walker.work(own)];
            for other in others {
                match other.join() {
                    Ok(own) => owns.push(own),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            owns
        });
        Walked { owns, unread: walker.unread.into_inner() }
    }
}

struct Walker<'w, V> {
    walk: Walk<'w>,
    visitor: &'w V,
    /// How much of a path from the root is that of the start.
    below: usize,
    queue: Queue<Work>,
    unread: AtomicUsize,
}

impl<V: Visit> Walker<'_, V> {
    fn work(&self, mut own: V::Own) -> V::Own {
        let mut buffer = Buffer::new();
        let mut taker = self.queue.taker();
        while let Some(work) = taker.next() {
            if (self.walk.is_stopped)() {
                break;
            }
            match work {
                Work::Folder(above, name) => self.enter(&above, &name, &mut own, &mut buffer),
                Work::Files(folder, names) => self.visit(&folder, names.iter(), &mut own),
            }
        }
        own
    }

    fn enter(&self, above: &Folder, name: &CStr, own: &mut V::Own, buffer: &mut Buffer) {
        let path = [&above.path, name.to_bytes(), b"/"].concat();
        if !self.visitor.wants(own, &path) {
            return;
        }
        let depth = above.depth + 1;
        let opened = match open_folder(above.opened.as_fd(), name) {
            Ok(opened) if depth <= MOST_DEPTH => opened,
            Err(error) if is_gone(&error) => return,
            _ => {
                self.unread.fetch_add(1, Ordering::Relaxed);
                return;
            }
        };
        let is_hidden = above.is_hidden || name.to_bytes().starts_with(b".");
        let (level, above) = (OnceLock::new(), above.level.get().cloned().flatten());
        self.read(Folder { opened, path, above, level, depth, is_hidden }, own, buffer);
    }

    /// Reads the names in a folder and hands out the work that they are.
    fn read(&self, folder: Folder, own: &mut V::Own, buffer: &mut Buffer) {
        let folder = Arc::new(folder);
        let (mut chunk, mut ignore_files) = (Chunk::default(), IgnoreFiles::default());
        let read = each_entry(folder.opened.as_fd(), buffer, |name, kind| {
            ignore_files.note(name);
            if matches!(kind, EntryKind::File | EntryKind::Folder) {
                chunk.push(name, kind == EntryKind::Folder);
            }
            if chunk.len() >= CHUNK {
                self.hand_out(&folder, &mut chunk, IgnoreFiles::MAYBE, own);
            }
            !(self.walk.is_stopped)()
        });
        self.hand_out(&folder, &mut chunk, ignore_files, own);
        if read.is_err() {
            self.unread.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Puts what the walk is about into the queue, the first on top, and leaves the chunk empty.
    fn hand_out(
        &self,
        folder: &Arc<Folder>,
        chunk: &mut Chunk,
        ignore_files: IgnoreFiles,
        own: &mut V::Own,
    ) {
        folder.level.get_or_init(|| match self.walk.unfiltered.ignored {
            true => None,
            false => {
                let (above, at) = (folder.above.as_ref(), folder.path.len());
                Level::in_folder(above, folder.opened.as_fd(), at, ignore_files)
            }
        });
        chunk.sort();
        let mut path = folder.path.clone();
        let mut work: Vec<Work> = Vec::new();
        let mut files = Names::default();
        for (name, is_folder) in chunk.iter() {
            path.truncate(folder.path.len());
            path.extend_from_slice(name.to_bytes());
            if !self.is_meant(folder, &path, name, is_folder) {
                continue;
            }
            if is_folder {
                work.extend(files.take().map(|files| Work::Files(folder.clone(), files)));
                work.push(Work::Folder(folder.clone(), name.to_owned()));
            } else if V::IS_QUICK {
                self.visit(folder, std::iter::once(name), own);
            } else {
                files.push(name);
                if files.len() >= BATCH {
                    work.extend(files.take().map(|files| Work::Files(folder.clone(), files)));
                }
            }
        }
        work.extend(files.take().map(|files| Work::Files(folder.clone(), files)));
        chunk.clear();
        if self.queue.len() > MOST_WAITING {
            // All threads have work, and what waits takes memory.
            work.retain(|work| match work {
                Work::Files(folder, names) => {
                    self.visit(folder, names.iter(), own);
                    false
                }
                Work::Folder(..) => true,
            });
        }
        self.queue.add(work.into_iter().rev());
    }

    /// True if the walk is about what is at `path`.
    fn is_meant(&self, folder: &Folder, path: &[u8], name: &CStr, is_folder: bool) -> bool {
        let walk = &self.walk;
        let dotted = walk.globs.name_hidden();
        let hidden = walk.unfiltered.hidden || dotted;
        let unfiltered = Unfiltered { hidden, ..walk.unfiltered };
        let level = folder.level.get().and_then(Option::as_ref);
        if !unfiltered.passes(level, path, name, is_folder) {
            return false;
        }
        let place = as_path(path);
        let below = as_path(&path[self.below..]);
        let matches = if is_folder {
            walk.globs.enter(below)
        } else {
            let is_hidden = folder.is_hidden || name.to_bytes().starts_with(b".");
            walk.globs.match_file(below, is_hidden && !walk.unfiltered.hidden)
        };
        matches && !walk.workspace.hides(place) && !walk.overlay.shadows(place)
    }

    fn visit<'n>(&self, folder: &Folder, names: impl Iterator<Item = &'n CStr>, own: &mut V::Own) {
        let mut path = folder.path.clone();
        for name in names {
            path.truncate(folder.path.len());
            path.extend_from_slice(name.to_bytes());
            if self.visitor.wants(own, &path) {
                self.visitor.file(own, folder.opened.as_fd(), name, &path);
            }
        }
    }
}

pub(super) fn as_path(path: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(path))
}

/// True if what was there is gone, or was swapped for something else, since its name was read.
pub(super) fn is_gone(error: &std::io::Error) -> bool {
    let gone = [Errno::NOENT, Errno::NOTDIR, Errno::LOOP];
    Errno::from_io_error(error).is_some_and(|error| gone.contains(&error))
}
