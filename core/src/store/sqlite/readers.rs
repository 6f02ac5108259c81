//! The readers of a file: threads with connections of their own, started when first needed.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};

use rusqlite::Connection;
use tokio::sync::mpsc as async_mpsc;

use super::files::Files;
use super::worker::{Job, serve, spawn};
use super::{Place, open};
use crate::store::Error;

/// How many threads read a file at once, beside the writer.
const MOST: usize = 2;

#[derive(Debug)]
pub(super) struct Readers {
    place: Place,
    files: Arc<Files>,
    queue: mpsc::Sender<Job>,
    shared: Arc<Shared>,
    started: usize,
    /// Every reader holds a clone, so the receiver ends when the last one has.
    alive: async_mpsc::Sender<()>,
    ended: async_mpsc::Receiver<()>,
}

#[derive(Debug)]
struct Shared {
    queue: Mutex<mpsc::Receiver<Job>>,
    /// Jobs that were sent and are not done.
    open_jobs: AtomicUsize,
}

impl Readers {
    pub(super) fn new(place: Place, files: Arc<Files>) -> Readers {
        let (queue, jobs) = mpsc::channel();
        let (alive, ended) = async_mpsc::channel(1);
        let shared = Shared { queue: Mutex::new(jobs), open_jobs: AtomicUsize::new(0) };
        Readers { place, files, queue, shared: Arc::new(shared), started: 0, alive, ended }
    }

    /// Hands a job to a reader, starting another one if all are at work.
    pub(super) fn send(&mut self, job: Job) -> Result<(), Error> {
        let ahead = self.shared.open_jobs.load(Ordering::Relaxed);
        // A reader that has just answered may still count: one job more is no sign of a queue, and
        // a second reader that is not needed makes each job wake two threads.
        if self.started == 0 || (ahead > self.started && self.started < MOST) {
            self.start()?;
        }
        self.shared.open_jobs.fetch_add(1, Ordering::Relaxed);
        let _ = self.queue.send(job);
        Ok(())
    }

    /// Lets the readers finish their queue and waits until they are gone.
    pub(super) async fn end(self) {
        let Readers { queue, alive, mut ended, shared, .. } = self;
        drop((queue, alive, shared));
        ended.recv().await;
    }

    fn start(&mut self) -> Result<(), Error> {
        let (place, files) = (self.place.clone(), self.files.clone());
        let (shared, alive) = (self.shared.clone(), self.alive.clone());
        spawn(&self.place.url, "toolkeep-read", move || {
            read_all(&place, &files, &shared);
            drop(alive);
        })?;
        self.started += 1;
        Ok(())
    }
}

fn read_all(place: &Place, files: &Files, shared: &Shared) {
    let mut connection: Option<Connection> = None;
    loop {
        let next = shared.queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok(job) = next else { return };
        let open = connection.take().map_or_else(|| open::open_reader(place), Ok);
        // Once it is open: it must be the file that the writer has.
        match files.check().and(open) {
            Ok(open) => {
                serve(Ok(&open), job);
                connection = Some(open);
            }
            // The next job tries again: what was in the way may be gone by then.
            Err(error) => serve(Err(error), job),
        }
        shared.open_jobs.fetch_sub(1, Ordering::Relaxed);
    }
}
