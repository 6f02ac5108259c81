//! Keeps what a scrubber masks, under its placeholder.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use zeroize::Zeroizing;

use super::kept::{FileAt, Owner, Taken};
use super::written::FRESH_TAG;
use super::{Vault, placeholders};
use crate::scrub::{Kind, Seal};

/// The letters of a tag.
const LETTERS: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// The kind of the addresses of the server itself.
const SERVER: &str = "server-ip";

/// Takes the secrets of one text, or one result, and keeps them on request.
pub(crate) struct Sealing<'v> {
    vault: &'v Vault,
    owner: &'v Owner,
    /// The file that the text was read from.
    file: Option<FileAt>,
    taken: RefCell<Vec<Taken>>,
}

impl<'v> Sealing<'v> {
    pub(crate) fn new(vault: &'v Vault, owner: &'v Owner, file: Option<FileAt>) -> Sealing<'v> {
        Sealing { vault, owner, file, taken: RefCell::default() }
    }

    /// Keeps every secret that was taken; gives how many.
    pub(crate) fn keep(self) -> usize {
        self.keep_if(|_| true)
    }

    /// Keeps the secrets whose placeholders stand in `text`; gives how many. Of a long text only
    /// the page that is shown fills the vault.
    pub(crate) fn keep_in(self, text: &str) -> usize {
        let shown: HashSet<&str> = placeholders(text).map(|one| one.text).collect();
        self.keep_if(|placeholder| shown.contains(placeholder))
    }

    fn keep_if(self, wanted: impl Fn(&str) -> bool) -> usize {
        let taken = self.taken.into_inner();
        if taken.is_empty() {
            return 0;
        }
        let now_ms = self.vault.clock.now_ms();
        let mut state = self.vault.state();
        if state.is_closed {
            return 0;
        }
        let mut count = 0;
        for one in taken.iter().filter(|one| wanted(&one.placeholder)) {
            state.kept.put(self.owner, one, self.file.as_ref(), now_ms);
            count += 1;
        }
        self.vault.forget_in_time(&mut state);
        count
    }
}

impl Seal for Sealing<'_> {
    /// A secret without a tag gets a new one each time, so that nobody can see which are the same:
    /// it could be guessed.
    fn seal(&self, kind: &Kind, tag: Option<&str>, secret: &[u8]) -> Option<String> {
        if kind.as_str() == SERVER {
            // All of them have one placeholder.
            return None;
        }
        let value = Arc::new(Zeroizing::new(std::str::from_utf8(secret).ok()?.to_owned()));
        let own = match tag {
            Some(_) => None,
            None => Some(fresh_tag()?),
        };
        let shown = own.as_deref().or(tag)?;
        let placeholder = format!("[REDACTED:{kind}:{shown}]");
        let (kind, is_guessable) = (kind.to_string(), own.is_some());
        self.taken.borrow_mut().push(Taken { placeholder, kind, value, is_guessable });
        own
    }
}

/// A tag that reveals nothing: 80 random bits, so that none comes twice. `None` where the system gives
/// no random bytes.
fn fresh_tag() -> Option<String> {
    let mut bytes = [0; FRESH_TAG];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes.iter().map(|byte| char::from(LETTERS[usize::from(byte & 31)])).collect())
}
