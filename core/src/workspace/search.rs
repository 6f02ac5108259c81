//! Searching the content of files.
//!
//! What is searched is what a reader would be shown: files in which a line matches are masked as a
//! whole, and searched again. So no line shows a half of a secret. What is found depends on the
//! masked text alone (see `around_masks`), so no query can find out what a masked secret is.

mod across;
mod around_masks;
mod cut;
mod file;
mod hits;
mod pattern;

use std::ffi::CStr;
use std::io::{BufRead, Read};
use std::os::fd::BorrowedFd;
use std::path::Path;

use super::globs::Globs;
use super::ignoring::Unfiltered;
use super::overlay::Overlay;
use super::read::check_text;
use super::scan::open_file;
use super::walk::{Visit, Walk};
use super::{Error, RelativePath, Workspace};
use file::Search;
use hits::{Caps, Hits};

pub(crate) use hits::{FileHits, Line, Matched, Show};
pub(crate) use pattern::{BadQuery, Pattern, Reading};

/// What to search for, and where.
#[derive(Clone, Debug)]
pub(crate) struct SearchOptions {
    pub pattern: Pattern,
    pub globs: Globs,
    pub unfiltered: Unfiltered,
    /// How many lines to show before and after each that matches.
    pub context: (usize, usize),
    /// What is shown of the files in which a line matches.
    pub show: Show,
    /// How many matching lines, or files, are passed over first.
    pub skipped: usize,
    /// The most matching lines, or files.
    pub max_results: usize,
    /// About how many characters the results may take.
    pub max_chars: usize,
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SearchFound {
    /// Folder by folder, each sorted by name.
    pub files: Vec<FileHits>,
    /// True if there is more than the caps allowed.
    pub more: bool,
    /// How many files and folders could not be read.
    pub unread: usize,
}

/// Makes of a text what may be shown.
pub(crate) trait Mask: Sync {
    /// Masks a text, and gives what `show` makes of it. `file` is its path from the root, without
    /// links.
    fn masked(&self, file: &Path, text: &[u8], show: &mut dyn FnMut(&[u8]) -> Matched) -> Matched;

    /// The same for a text that is too large to be held.
    fn masked_as_read<'r>(&self, text: Box<dyn BufRead + 'r>) -> Box<dyn Read + 'r>;
}

/// A text that is searched besides the files of the disk.
#[derive(Clone, Debug)]
pub(crate) struct SearchText {
    /// Its path from the root.
    pub path: String,
    pub text: String,
}

impl SearchOptions {
    /// True if a file of the overlay is searched when its folder is. Paths are from the root.
    pub(crate) fn covers(&self, folder: &RelativePath, file: &str) -> bool {
        if folder.normalised() == file {
            return true;
        }
        let below = match folder.normalised() {
            "." => Some(file),
            folder => file.strip_prefix(folder).and_then(|below| below.strip_prefix('/')),
        };
        below.is_some_and(|below| self.globs.match_file(Path::new(below), false))
    }
}

impl Workspace {
    /// Searches a file, or the files below a folder, and these texts, of which one is held at a time.
    pub(crate) fn search(
        &self,
        path: &RelativePath,
        options: &SearchOptions,
        (overlay, texts): (&Overlay, &mut dyn Iterator<Item = SearchText>),
        mask: &dyn Mask,
        is_stopped: &(dyn Fn() -> bool + Sync),
    ) -> Result<SearchFound, Error> {
        let caps = Caps {
            skipped: options.skipped,
            before: options.context.0,
            matches: options.max_results,
            cost: options.max_chars,
        };
        let hits = Hits::new(caps);
        let search = Search { options, mask, caps, is_stopped };
        let mut is_text = false;
        for text in texts {
            is_text |= text.path == path.normalised();
            let place = Path::new(&text.path);
            let matched = search.text(&mut search.own(), place, text.text.as_bytes());
            if matched.count > 0 {
                hits.put(text.path.as_bytes(), FileHits { path: text.path.clone(), matched });
            }
        }
        let unread = match self.start(path, options.unfiltered, overlay) {
            _ if is_text => 0,
            Ok(start) => {
                let (base, below) = (path.shown_base(), start.path.len());
                let searcher = Searcher { workspace: self, search, hits: &hits, base, below };
                let (globs, unfiltered) = (&options.globs, options.unfiltered);
                let walk = Walk { workspace: self, globs, unfiltered, overlay, is_stopped };
                let walked = walk.run(start, &searcher);
                walked.unread + walked.owns.iter().map(|own| own.unread).sum::<usize>()
            }
            Err(Error::NotAFolder { .. }) => {
                self.search_file(path, search, &hits)?;
                0
            }
            Err(error) => return Err(error),
        };
        let (files, more) = hits.shown();
        Ok(SearchFound { files, more, unread })
    }

    /// Searches one file, whatever rules are about it.
    fn search_file(&self, path: &RelativePath, search: Search, hits: &Hits) -> Result<(), Error> {
        let failed = |error| Error::from_io(path, "read", error);
        let (file, place) = self.open_file_at(path)?;
        let bytes = file.metadata().map_err(failed)?.len();
        check_text(path, &file::start(&file).map_err(failed)?)?;
        let matched = search.file(&mut search.own(), &place, &file, bytes).map_err(failed)?;
        if matched.count > 0 {
            let shown = path.shown_base();
            let shown = FileHits { path: shown.trim_end_matches('/').to_owned(), matched };
            hits.put(path.normalised().as_bytes(), shown);
        }
        Ok(())
    }
}

struct Searcher<'s> {
    workspace: &'s Workspace,
    search: Search<'s>,
    hits: &'s Hits,
    /// What stands before a path from the start.
    base: String,
    /// How much of a path from the root is that of the start.
    below: usize,
}

/// What one thread has.
struct Own {
    tools: file::Own,
    unread: usize,
}

impl Visit for Searcher<'_> {
    type Own = Own;
    const IS_QUICK: bool = false;

    fn own(&self) -> Own {
        Own { tools: self.search.own(), unread: 0 }
    }

    fn wants(&self, _: &Own, path: &[u8]) -> bool {
        self.hits.wants(path)
    }

    fn file(&self, own: &mut Own, folder: BorrowedFd<'_>, name: &CStr, path: &[u8]) {
        let place = super::walk::as_path(path);
        let found = match open_file(folder, name) {
            // Something else by now.
            Ok(None) => return,
            Ok(Some((file, _))) if !self.workspace.allows_names_of(&file) => {
                own.unread += 1;
                return;
            }
            Ok(Some((file, bytes))) => self.search.file(&mut own.tools, place, &file, bytes),
            Err(error) if super::walk::is_gone(&error) => return,
            Err(error) => Err(error),
        };
        match found {
            Ok(matched) if matched.count == 0 => {}
            Ok(matched) => {
                let path_shown = String::from_utf8_lossy(&path[self.below..]);
                let path_shown = format!("{}{path_shown}", self.base);
                self.hits.put(path, FileHits { path: path_shown, matched });
            }
            Err(_) => own.unread += 1,
        }
    }
}
