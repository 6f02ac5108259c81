//! Room on the disk that the write-ahead log has before it needs it.
//!
//! What is written goes to the log, and from there to the file when the log is checkpointed. Where others
//! have filled the disk the file cannot grow, so the checkpoint fails and the log grows in its place. So
//! room for the log is allocated while there is some. It is behind the end of the log's file, which keeps its
//! length, and nobody else can take it: no file is given up for it in need, for which others would race.

use std::fs::File;
use std::io::{self, ErrorKind};

use rustix::fs::{FallocateFlags, fallocate};

/// How much the log has. A quarter is what it grows to between two checkpoints by itself (1,000 pages); the
/// rest holds some hundred calls.
pub(super) const BYTES: u64 = 16 << 20;

/// Allocates room for the log of a database that is open, as far as there is some. A log that is larger has
/// its room already.
pub(super) fn take(log: &File) {
    if let Err(error) = allocate(log) {
        // A file system that cannot do that has other ways to run out of room, or none.
        tracing::debug!(%error, "the store has no reserve for when the disk is full");
    }
}

fn allocate(log: &File) -> io::Result<()> {
    loop {
        match fallocate(log, FallocateFlags::KEEP_SIZE, 0, BYTES).map_err(io::Error::from) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}
