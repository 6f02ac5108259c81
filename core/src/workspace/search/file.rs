//! Searching one file.

use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};
use std::path::Path;

use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkContext, SinkMatch};

use super::around_masks::AroundMasks;
use super::hits::{Caps, Line, Matched, Show};
use super::{Mask, Pattern, SearchOptions};
use super::{across, cut};
use crate::workspace::Media;
use crate::workspace::media::{SNIFFED_BYTES, UTF8_MARK};
use crate::workspace::stoppable::Stoppable;

/// The largest file that a thread reads as a whole to look for a match. The memory for it is kept.
const KEPT_BYTES: u64 = 1 << 20;
/// The largest file that is masked as a whole (16 MiB); `read_file` does the same.
const WHOLE_BYTES: u64 = 16 << 20;
/// The longest line of a larger file.
const LINE_BYTES: usize = 16 << 20;
/// What is read of a larger file at once.
const BLOCK_BYTES: usize = 128 << 10;

/// How files are searched.
#[derive(Clone, Copy)]
pub(super) struct Search<'s> {
    pub options: &'s SearchOptions,
    pub mask: &'s dyn Mask,
    pub caps: Caps,
    pub is_stopped: &'s (dyn Fn() -> bool + Sync),
}

/// What a thread searches with.
pub(super) struct Own {
    buffer: Vec<u8>,
    /// Finds out whether there is a match at all.
    quick: Searcher,
    /// Gathers lines, with their numbers.
    full: Searcher,
}

impl Search<'_> {
    pub(super) fn own(&self) -> Own {
        let builder = || {
            let mut builder = SearcherBuilder::new();
            builder.bom_sniffing(false).heap_limit(Some(LINE_BYTES));
            builder
        };
        let (before, after) = self.options.context;
        let is_multiline = self.options.pattern.is_multiline();
        Own {
            buffer: Vec::new(),
            quick: builder().line_number(false).multi_line(is_multiline).build(),
            full: builder().before_context(before).after_context(after).build(),
        }
    }

    /// The lines of a file to show: none if it holds no text.
    pub(super) fn file(
        &self,
        own: &mut Own,
        place: &Path,
        file: &File,
        bytes: u64,
    ) -> io::Result<Matched> {
        if bytes <= KEPT_BYTES {
            let mut buffer = std::mem::take(&mut own.buffer);
            let lines = match read_all(file, bytes, &mut buffer) {
                Ok(()) if Media::of_content(&buffer).is_none() => {
                    Ok(self.text(own, place, &buffer))
                }
                Ok(()) => Ok(Matched::default()),
                Err(error) => Err(error),
            };
            own.buffer = buffer;
            return lines;
        }
        let start = start(file)?;
        if Media::of_content(&start).is_some() {
            return Ok(Matched::default());
        }
        let text_at = (start.len() - without_mark(&start).len()) as u64;
        if self.options.pattern.is_multiline() {
            return self.whole(own, place, file, bytes);
        }
        seek(file, text_at)?;
        if !self.occurs_in(own, self.reader(file))? {
            return Ok(Matched::default());
        }
        seek(file, text_at)?;
        if bytes <= WHOLE_BYTES {
            let mut whole = Vec::new();
            read_all(file, bytes, &mut whole)?;
            return Ok(self.masked(own, place, &whole));
        }
        let mut gather = Gather::new(self);
        let masked = self.mask.masked_as_read(Box::new(self.reader(file)));
        own.full.search_reader(AroundMasks(&self.options.pattern), masked, &mut gather)?;
        Ok(gather.matched)
    }

    /// The lines of a file that has to be held, because a match may go over all of it.
    fn whole(&self, own: &mut Own, place: &Path, file: &File, bytes: u64) -> io::Result<Matched> {
        if bytes > WHOLE_BYTES {
            let text = format!("over {WHOLE_BYTES} bytes a match must be within a line");
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, text));
        }
        let mut whole = Vec::new();
        read_all(file, bytes, &mut whole)?;
        Ok(self.text(own, place, &whole))
    }

    /// The lines of a text to show.
    pub(super) fn text(&self, own: &mut Own, place: &Path, text: &[u8]) -> Matched {
        let pattern = &self.options.pattern;
        let text = without_mark(text);
        let mut found = Occurs(false);
        // Reading from and writing to memory cannot fail.
        let _ = own.quick.search_slice(&pattern.matcher, text, &mut found);
        if !found.0 && !pattern.is_about_masks {
            return Matched::default();
        }
        self.masked(own, place, text)
    }

    fn masked(&self, own: &mut Own, place: &Path, text: &[u8]) -> Matched {
        let pattern = &self.options.pattern;
        self.mask.masked(place, text, &mut |masked| {
            let mut gather = Gather::new(self);
            if pattern.is_multiline() {
                across::lines(
                    pattern,
                    masked,
                    self.options.context,
                    &self.is_stopped,
                    &mut |number, line, is_match| gather.take(Some(number), line, is_match),
                );
            } else {
                let _ = own.full.search_slice(AroundMasks(pattern), masked, &mut gather);
            }
            gather.matched
        })
    }

    fn occurs_in(&self, own: &mut Own, reader: impl Read) -> io::Result<bool> {
        let pattern = &self.options.pattern;
        let mut found = Occurs(pattern.is_about_masks);
        if !found.0 {
            own.quick.search_reader(&pattern.matcher, reader, &mut found)?;
        }
        Ok(found.0)
    }

    fn reader<'f>(&'f self, file: &'f File) -> BufReader<Stoppable<'f, &'f File>> {
        let stoppable = Stoppable { inner: file, is_stopped: self.is_stopped };
        BufReader::with_capacity(BLOCK_BYTES, stoppable)
    }
}

/// The bytes of a file that decide whether it is text.
pub(super) fn start(file: &File) -> io::Result<Vec<u8>> {
    let mut start = Vec::with_capacity(SNIFFED_BYTES);
    file.take(SNIFFED_BYTES as u64).read_to_end(&mut start)?;
    seek(file, 0)?;
    Ok(start)
}

fn seek(mut file: &File, to: u64) -> io::Result<()> {
    file.seek(SeekFrom::Start(to)).map(drop)
}

/// A text without the mark that says that it is UTF-8: its first line begins behind that.
fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(UTF8_MARK).unwrap_or(text)
}

/// Reads a file of about this many bytes.
fn read_all(file: &File, bytes: u64, into: &mut Vec<u8>) -> io::Result<()> {
    into.clear();
    let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
    // A byte more: a read that leaves it free has come to the end.
    into.reserve(bytes + 1);
    loop {
        let read = rustix::io::retry_on_intr(|| {
            rustix::io::read(file, rustix::buffer::spare_capacity(into))
        })?;
        // What was appended to the file meanwhile is not read.
        if read == 0 || into.len() >= bytes {
            return Ok(());
        }
    }
}

/// Whether there is a match.
struct Occurs(bool);

impl Sink for Occurs {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, _: &SinkMatch<'_>) -> io::Result<bool> {
        self.0 = true;
        Ok(false)
    }
}

/// Takes lines to show, a little more than the caps allow.
struct Gather<'g> {
    pattern: &'g Pattern,
    show: Show,
    caps: Caps,
    cost: usize,
    matched: Matched,
}

impl<'g> Gather<'g> {
    fn new(search: &Search<'g>) -> Gather<'g> {
        let Search { options, caps, .. } = *search;
        let matched = Matched::default();
        Gather { pattern: &options.pattern, show: options.show, caps, cost: 0, matched }
    }

    fn take(&mut self, number: Option<u64>, line: &[u8], is_match: bool) -> bool {
        self.matched.count += usize::from(is_match);
        match self.show {
            Show::Files => return self.matched.count == 0,
            Show::Counts => return true,
            Show::Lines => {}
        }
        let focus = if is_match { self.pattern.find(line) } else { None };
        let line =
            Line { number: number.unwrap_or_default(), text: cut::shown(line, focus), is_match };
        // What is passed over is not shown, if it is passed over in this file.
        if self.matched.count > self.caps.skipped {
            self.cost += line.cost();
        }
        self.matched.lines.push(line);
        let most = self.caps.matches + self.caps.skipped;
        self.matched.count <= most && self.cost <= self.caps.cost
    }
}

impl Sink for Gather<'_> {
    type Error = io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> io::Result<bool> {
        Ok(self.take(found.line_number(), found.bytes(), true))
    }

    fn context(&mut self, _: &Searcher, found: &SinkContext<'_>) -> io::Result<bool> {
        Ok(self.take(found.line_number(), found.bytes(), false))
    }
}
