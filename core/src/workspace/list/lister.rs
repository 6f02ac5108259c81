//! Going through folders in order of name, one page of them.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

use super::{Entry, EntryKind, ListOptions, Listing};
use crate::workspace::Workspace;
use crate::workspace::ignoring::{IgnoreFiles, Level};
use crate::workspace::overlay::{Overlaid, Overlay};
use crate::workspace::scan::{Buffer, bytes_of, each_entry, open_folder};

pub(super) struct Lister<'l> {
    workspace: &'l Workspace,
    options: &'l ListOptions,
    overlay: &'l Overlay,
    /// Tells that nobody waits for the listing any more.
    is_stopped: &'l dyn Fn() -> bool,
    /// How much of a path from the root is that of the listed folder.
    skipped: usize,
    buffer: Buffer,
    pub(super) listing: Listing,
}

pub(super) struct Folder {
    /// `None` if only the overlay has it.
    pub(super) opened: Option<OwnedFd>,
    /// The rules of the folders above.
    pub(super) level: Option<Arc<Level>>,
    /// From the root: empty, or with a slash at its end.
    pub(super) path: Vec<u8>,
}

/// Where an entry comes from.
enum Found {
    Disk(CString, EntryKind),
    Overlay(Overlaid),
}

/// What is in a folder, by the names as they are shown and as they are: two may be shown alike.
type Names = BTreeMap<(String, Vec<u8>), Found>;

impl<'l> Lister<'l> {
    pub(super) fn new(
        workspace: &'l Workspace,
        options: &'l ListOptions,
        (overlay, is_stopped): (&'l Overlay, &'l dyn Fn() -> bool),
        skipped: usize,
    ) -> Lister<'l> {
        let listing = Listing { entries: Vec::new(), more: false };
        Lister { workspace, options, overlay, is_stopped, skipped, buffer: Buffer::new(), listing }
    }

    /// Adds what is in a folder and comes after `after`, a path from that folder.
    pub(super) fn add(
        &mut self,
        folder: &Folder,
        depth: usize,
        after: Option<&str>,
    ) -> io::Result<()> {
        let (from, below_from) = match after.map(|after| after.split_once('/')) {
            Some(Some((from, below))) => (Some(from), Some(below)),
            Some(None) => (after, None),
            None => (None, None),
        };
        if (self.is_stopped)() {
            return Ok(());
        }
        let (names, level) = self.first_names(folder, from)?;
        for ((name, _), found) in names {
            // The last one of the page before, or a folder above that.
            let was_shown = from == Some(name.as_str());
            if !was_shown && self.listing.entries.len() >= self.options.max_entries {
                self.listing.more = true;
                return Ok(());
            }
            let Some((path, kind, bytes)) = described(folder, &name, &found) else { continue };
            if !was_shown {
                let path = String::from_utf8_lossy(&path[self.skipped..]).into_owned();
                self.listing.entries.push(Entry {
                    path,
                    kind,
                    bytes,
                    closed: false,
                    unread: false,
                });
            }
            if kind == EntryKind::Folder && depth > 1 {
                let read = match self.opened(folder, level.as_ref(), path, &found) {
                    Ok(Some(below)) => {
                        let at = self.listing.entries.len();
                        let below_from = below_from.filter(|_| was_shown);
                        self.add(&below, depth - 1, below_from).map_err(|_| at)
                    }
                    Ok(None) if !was_shown => {
                        self.mark(self.listing.entries.len(), |entry| entry.closed = true);
                        Ok(())
                    }
                    Ok(None) => Ok(()),
                    Err(_) => Err(self.listing.entries.len()),
                };
                // What has been listed so far is kept.
                if let Err(at) = read
                    && !was_shown
                {
                    self.mark(at, |entry| entry.unread = true);
                }
            }
        }
        Ok(())
    }

    /// A folder in a folder. `None` if the rules keep it closed; an error if the system does.
    fn opened(
        &self,
        above: &Folder,
        level: Option<&Arc<Level>>,
        path: Vec<u8>,
        found: &Found,
    ) -> io::Result<Option<Folder>> {
        let Found::Disk(name, _) = found else {
            let path = [&path[..], b"/"].concat();
            return Ok(Some(Folder { opened: None, level: None, path }));
        };
        if !self.options.unfiltered.passes(level, &path, name, true) {
            return Ok(None);
        }
        let opened = match above.opened.as_ref().map(|above| open_folder(above.as_fd(), name)) {
            // It may vanish while we look: then it holds nothing.
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => None,
            opened => opened.transpose()?,
        };
        let path = [&path[..], b"/"].concat();
        Ok(Some(Folder { opened, level: level.cloned(), path }))
    }

    /// Marks the folder that was shown when there were so many entries.
    fn mark(&mut self, at: usize, as_what: impl FnOnce(&mut Entry)) {
        if let Some(entry) = at.checked_sub(1).and_then(|at| self.listing.entries.get_mut(at)) {
            as_what(entry);
        }
    }

    /// The first names of a folder from the one called `from` on: one more than there is room for.
    /// With them the rules that hold in the folder.
    fn first_names(
        &mut self,
        folder: &Folder,
        from: Option<&str>,
    ) -> io::Result<(Names, Option<Arc<Level>>)> {
        let room = self.options.max_entries.saturating_sub(self.listing.entries.len());
        // The name to begin with takes no room: it was shown before.
        let mut first = First { from, most: room + 2, names: BTreeMap::new() };
        let mut ignore_files = IgnoreFiles::default();
        let exclude = &self.options.exclude;
        let excludes = |path: &[u8], is_folder: bool| {
            !exclude.keeps(Path::new(OsStr::from_bytes(path)), is_folder)
        };
        if let Some(opened) = &folder.opened {
            each_entry(opened.as_fd(), &mut self.buffer, |name, kind| {
                ignore_files.note(name);
                let shown = name.to_string_lossy();
                if first.wants(&shown) {
                    let path = [&folder.path, name.to_bytes()].concat();
                    let is_excluded = excludes(&path[self.skipped..], kind == EntryKind::Folder);
                    let path = Path::new(OsStr::from_bytes(&path));
                    if !is_excluded && !self.workspace.hides(path) && !self.overlay.shadows(path) {
                        first.put(shown, name.to_bytes(), Found::Disk(name.to_owned(), kind));
                    }
                }
                !(self.is_stopped)()
            })?;
        }
        if let Ok(path) = std::str::from_utf8(&folder.path) {
            for (name, overlaid) in self.overlay.in_folder(path) {
                let path = [&folder.path, name.as_bytes()].concat();
                let is_folder = matches!(overlaid, Overlaid::Folder);
                if first.wants(&name) && !excludes(&path[self.skipped..], is_folder) {
                    let raw = name.as_bytes().to_vec();
                    first.put(name, &raw, Found::Overlay(overlaid));
                }
            }
        }
        let level = match &folder.opened {
            Some(opened) if !self.options.unfiltered.ignored => Level::in_folder(
                folder.level.as_ref(),
                opened.as_fd(),
                folder.path.len(),
                ignore_files,
            ),
            _ => None,
        };
        Ok((first.names, level))
    }
}

/// The first names of a folder, as they are shown, with what they stand for.
struct First<'f> {
    from: Option<&'f str>,
    most: usize,
    names: Names,
}

impl First<'_> {
    fn wants(&self, name: &str) -> bool {
        let is_before = self.from.is_some_and(|from| name < from);
        let is_beyond =
            || self.names.last_key_value().is_some_and(|((last, _), _)| name > last.as_str());
        !is_before && (self.names.len() < self.most || !is_beyond())
    }

    fn put(&mut self, name: Cow<'_, str>, raw: &[u8], found: Found) {
        let key = (name.into_owned(), raw.to_vec());
        let is_known_folder = matches!(found, Found::Overlay(Overlaid::Folder))
            && matches!(self.names.get(&key), Some(Found::Disk(_, EntryKind::Folder)));
        // What the overlay has in a folder of the disk is listed when that folder is opened.
        if is_known_folder {
            return;
        }
        self.names.insert(key, found);
        if self.names.len() > self.most {
            self.names.pop_last();
        }
    }
}

/// The path from the root, the kind and the size of a name in a folder. `None` if it is gone since
/// its name was read.
fn described(folder: &Folder, shown: &str, found: &Found) -> Option<(Vec<u8>, EntryKind, u64)> {
    let path = |name: &[u8]| [&folder.path, name].concat();
    Some(match found {
        Found::Overlay(Overlaid::File(bytes)) => (path(shown.as_bytes()), EntryKind::File, *bytes),
        Found::Overlay(Overlaid::Folder) => (path(shown.as_bytes()), EntryKind::Folder, 0),
        Found::Disk(name, EntryKind::File) => {
            let bytes = bytes_of(folder.opened.as_ref()?.as_fd(), name).ok()?;
            (path(name.to_bytes()), EntryKind::File, bytes)
        }
        Found::Disk(name, kind) => (path(name.to_bytes()), *kind, 0),
    })
}
