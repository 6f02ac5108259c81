//! Texts that are too long for a result, in the store: a long one as several artifacts, `<id>`,
//! `<id>.1`, `<id>.2`, …, so that nobody has to hold it whole.

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use futures_util::future::ready;
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use tokio::sync::mpsc;

use crate::body::Body;
use crate::store::{Artifact, Error, Store};

/// How many bytes each has but the last.
const PART: usize = 1 << 18;

/// How many of them are read and put at once.
const AT_ONCE: usize = 3;

/// What was counted of a text while it was kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) bytes: u64,
    pub(crate) lines: u64,
}

/// Why a text was not kept.
pub(crate) enum NotKept {
    Store(Error),
    /// The file that it waited in could not be read.
    File(io::Error),
}

/// Keeps a text, of which `first` says all but the text itself.
pub(crate) async fn keep(
    store: &dyn Store,
    first: Artifact,
    body: Body,
) -> Result<Counted, NotKept> {
    let bytes = body.length();
    let text = Text { first, body: Arc::new(body), parts: bytes.div_ceil(PART as u64).max(1) };
    // The first one comes last: whoever finds it finds all of them.
    let rest = stream::iter((1..text.parts).rev()).map(|number| text.keep_part(store, number));
    let lines = rest.buffer_unordered(AT_ONCE).try_fold(0, |sum, lines| ready(Ok(sum + lines)));
    let lines = lines.await? + text.keep_part(store, 0).await?;
    Ok(Counted { bytes, lines })
}

/// A text on its way to a store.
struct Text {
    first: Artifact,
    body: Arc<Body>,
    parts: u64,
}

impl Text {
    /// Keeps one of its parts, and answers how many lines end in it.
    async fn keep_part(&self, store: &dyn Store, number: u64) -> Result<u64, NotKept> {
        let body = self.body.clone();
        let read = move || body.part(number * PART as u64, PART);
        let read = tokio::task::spawn_blocking(read).await.map_err(io::Error::other).flatten();
        let part = read.map_err(NotKept::File)?;
        let is_end = number + 1 == self.parts && part.last().is_some_and(|last| *last != b'\n');
        let lines = memchr::memchr_iter(b'\n', &part).count() as u64 + u64::from(is_end);
        let id = if number == 0 { self.first.id.clone() } else { id_of(&self.first.id, number) };
        let artifact = Artifact { id, body: part, ..self.first.clone() };
        store.put_artifact(artifact).await.map_err(NotKept::Store)?;
        Ok(lines)
    }
}

fn id_of(first: &str, number: u64) -> String {
    format!("{first}.{number}")
}

/// True if a text can be read by this id: none of a part alone, in which a secret may be cut.
fn is_whole(id: &str) -> bool {
    crate::id::check_key("id", id).is_ok() && !id.contains('.')
}

/// A text that is being read from a store.
pub(crate) struct Reading<'s> {
    store: &'s dyn Store,
    first: Artifact,
}

/// Finds a text.
pub(crate) async fn find<'s>(
    store: &'s dyn Store,
    tenant: &str,
    session: Option<&str>,
    id: &str,
) -> Result<Option<Reading<'s>>, Error> {
    if !is_whole(id) {
        return Ok(None);
    }
    let first = store.get_artifact(tenant, session, id).await?;
    Ok(first.map(|first| Reading { store, first }))
}

impl Reading<'_> {
    /// The whole of it, in memory.
    pub(crate) async fn whole(self) -> Result<Artifact, Error> {
        let Reading { store, first: mut whole } = self;
        for number in 1.. {
            if whole.body.len() % PART != 0 || whole.body.is_empty() {
                break;
            }
            match next(store, &whole, number).await? {
                Some(part) => whole.body.extend(part),
                None => break,
            }
        }
        Ok(whole)
    }

    /// Has somebody read it to the end, or as far as he likes, who never gets more than some of it at
    /// once.
    pub(crate) async fn read<T: Send + 'static>(
        self,
        work: impl FnOnce(Parts) -> T + Send + 'static,
    ) -> Result<Option<T>, Error> {
        let Reading { store, mut first } = self;
        let (give, parts) = mpsc::channel(1);
        let working = tokio::task::spawn_blocking(move || work(Parts::new(parts)));
        let mut part = std::mem::take(&mut first.body);
        for number in 1.. {
            let is_last = part.len() < PART;
            // Nobody takes it who has read enough.
            if give.send(part).await.is_err() || is_last {
                break;
            }
            match next(store, &first, number).await? {
                Some(next) => part = next,
                None => break,
            }
        }
        drop(give);
        Ok(working.await.ok())
    }
}

async fn next(store: &dyn Store, first: &Artifact, number: u64) -> Result<Option<Vec<u8>>, Error> {
    let id = id_of(&first.id, number);
    let part = store.get_artifact(&first.tenant, first.session.as_deref(), &id).await?;
    Ok(part.map(|part| part.body))
}

/// A text that comes in parts.
pub(crate) struct Parts {
    parts: mpsc::Receiver<Vec<u8>>,
    part: Vec<u8>,
    taken: usize,
}

impl Parts {
    fn new(parts: mpsc::Receiver<Vec<u8>>) -> Parts {
        Parts { parts, part: Vec::new(), taken: 0 }
    }
}

impl BufRead for Parts {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.taken == self.part.len() {
            let Some(part) = self.parts.blocking_recv() else { return Ok(&[]) };
            (self.part, self.taken) = (part, 0);
        }
        Ok(&self.part[self.taken..])
    }

    fn consume(&mut self, amount: usize) {
        self.taken += amount;
    }
}

impl Read for Parts {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let ready = self.fill_buf()?;
        let length = ready.len().min(into.len());
        into[..length].copy_from_slice(&ready[..length]);
        self.consume(length);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{OpenOptions, open};

    fn artifact(id: &str) -> Artifact {
        Artifact {
            tenant: "t".into(),
            id: id.into(),
            session: Some("s".into()),
            tool: "exec".into(),
            mime: "text/plain".into(),
            body: Vec::new(),
            created_at_ms: 5,
        }
    }

    #[tokio::test]
    async fn a_text_of_any_length_is_got_back() {
        let store = open("memory:", OpenOptions::default()).await.unwrap();
        let line = "0123456789abcde\n";
        for (id, length) in [("a", 0), ("b", 100), ("c", PART), ("d", PART + 1), ("e", 5 * PART)] {
            let text = line.repeat(length / line.len() + 1)[..length].to_owned();
            let counted = keep(&*store, artifact(id), Body::from(text.clone())).await.ok().unwrap();
            let lines = text.lines().count() as u64;
            assert_eq!(counted, Counted { bytes: length as u64, lines });
            let find = || find(&*store, "t", Some("s"), id);
            let whole = find().await.unwrap().unwrap().whole().await.unwrap();
            assert!(whole.body == text.as_bytes() && whole.id == id);
            let read = |mut parts: Parts| {
                let mut text = String::new();
                parts.read_to_string(&mut text).map(|_| text)
            };
            let read = find().await.unwrap().unwrap().read(read).await.unwrap().unwrap();
            assert!(read.unwrap() == text);
            // Who reads no further holds nobody up.
            let enough = find().await.unwrap().unwrap().read(drop).await;
            assert!(enough.unwrap().is_some());
        }
        assert!(find(&*store, "t", Some("s"), "e.1").await.unwrap().is_none());
        assert!(store.get_artifact("t", Some("s"), "e.4").await.unwrap().is_some());
        assert_eq!(store.delete_artifacts_before("t", 6).await.unwrap(), 10);
    }
}
