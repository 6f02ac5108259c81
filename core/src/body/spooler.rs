//! A text in the making that a thread of its own writes down once it is long, so that whoever makes it
//! does not wait for the file system.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::Spool;

/// How long a text may become before a thread is started for it, in bytes.
const SHORT: u64 = 1 << 20;

/// The longest part that is handed over at once, in bytes.
const PART: usize = 64 * 1024;

/// How many parts may wait. Whoever makes more waits, too.
const MOST_WAITING: usize = 8;

/// A [`Spool`] that is written here or by a thread of its own.
pub(crate) enum Spooler {
    Here(Spool),
    Behind(Writer),
}

impl Spooler {
    pub(crate) fn new(spool: Spool) -> Spooler {
        Spooler::Here(spool)
    }

    pub(crate) fn push(&mut self, bytes: &[u8]) {
        match self {
            Spooler::Behind(writer) => bytes.chunks(PART).for_each(|part| writer.push(part)),
            Spooler::Here(spool) => {
                spool.push(bytes);
                // Without a thread it is written here, as before.
                if spool.total() > SHORT
                    && let Ok((writer, spools)) = Writer::start()
                {
                    let spool = std::mem::replace(spool, Spool::of_the_end(1));
                    let _ = spools.send(spool);
                    *self = Spooler::Behind(writer);
                }
            }
        }
    }

    /// The text, once all of it is written.
    pub(crate) fn finish(self) -> Spool {
        match self {
            Spooler::Here(spool) => spool,
            Spooler::Behind(writer) => writer.finish(),
        }
    }
}

/// A thread that writes.
pub(crate) struct Writer {
    parts: SyncSender<Vec<u8>>,
    /// What held parts before, to hold others.
    emptied: Receiver<Vec<u8>>,
    thread: JoinHandle<Spool>,
}

impl Writer {
    /// A thread that waits for what it is to write to.
    fn start() -> std::io::Result<(Writer, SyncSender<Spool>)> {
        let (spools, spool) = sync_channel::<Spool>(1);
        let (parts, coming) = sync_channel::<Vec<u8>>(MOST_WAITING);
        let (emptied_by_it, emptied) = sync_channel(MOST_WAITING);
        let write = move || {
            let mut spool = spool.recv().unwrap_or_else(|_| Spool::of_the_end(1));
            for part in coming {
                spool.push(&part);
                let _ = emptied_by_it.try_send(part);
            }
            spool
        };
        let thread = std::thread::Builder::new().name("toolkeep-spool".into()).spawn(write)?;
        Ok((Writer { parts, emptied, thread }, spools))
    }

    fn push(&self, bytes: &[u8]) {
        let mut part = self.emptied.try_recv().unwrap_or_else(|_| Vec::with_capacity(PART));
        part.clear();
        part.extend_from_slice(bytes);
        // It fails only where the thread has panicked, which `finish` tells.
        let _ = self.parts.send(part);
    }

    fn finish(self) -> Spool {
        drop(self.parts);
        self.thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_the_same_whoever_writes_it() {
        let whole: Vec<u8> = (0..3_500_000_u32).map(|n| b'a' + (n % 23) as u8).collect();
        for (length, is_behind) in [(700, false), (SHORT as usize, false), (whole.len(), true)] {
            for piece in [997, PART, 3 * PART + 1] {
                let mut spooler = Spooler::new(Spool::of_both_ends(2 << 20));
                let mut spool = Spool::of_both_ends(2 << 20);
                for part in whole[..length].chunks(piece) {
                    spooler.push(part);
                    spool.push(part);
                }
                assert_eq!(matches!(spooler, Spooler::Behind(_)), is_behind);
                let written = spooler.finish();
                assert_eq!(written.total(), length as u64);
                assert_eq!(written.dropped(), spool.dropped());
                let [written, spool] =
                    [written, spool].map(|spool| spool.finish().head(1 << 30).unwrap());
                assert!(written == spool, "{length} bytes in pieces of {piece}");
            }
        }
    }

    #[test]
    fn nobody_waits_for_a_thread_that_is_given_up() {
        let mut spooler = Spooler::new(Spool::of_the_end(4 << 20));
        (0..40).for_each(|_| spooler.push(&[b'x'; PART]));
        let Spooler::Behind(writer) = spooler else { panic!("it is written here") };
        let Writer { parts, thread, .. } = writer;
        drop(parts);
        assert_eq!(thread.join().unwrap().total(), 40 * PART as u64);
    }
}
