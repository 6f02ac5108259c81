//! Which version of which file each caller has read, so that none is overwritten unread.
//!
//! Kept in memory, one table per runtime, and bounded: what is forgotten counts as never read. A version
//! is identified by its content, not by the file's name or times.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::principal::Principal;
use crate::fingerprint::{Fingerprint, Fingerprints};

/// How many versions are remembered in all, a few megabytes.
const MOST_VERSIONS: usize = 16_384;
/// The longest text that is kept to show later what was changed.
pub(crate) const LONGEST_TEXT: usize = 256 << 10;
/// How many bytes of such texts are kept in all.
const MOST_TEXT: usize = 16 << 20;

/// What identifies a version of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum VersionPrint {
    /// Its content.
    Content(Fingerprint),
    /// What the file system says of a file that is too large to be looked at.
    Large(Fingerprint),
}

/// What is known of a file that is about to be overwritten.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It was never read.
    Never,
    /// It is as it was read.
    Current,
    /// It was changed since it was read.
    Changed {
        /// How it was shown then, where that is still known.
        shown: Option<Arc<str>>,
    },
}

/// The versions that were read. A place is any text that is another one for each file: for one of
/// the machine its absolute path without links.
#[derive(Default)]
pub(crate) struct ReadVersions {
    prints: Fingerprints,
    table: Mutex<Table>,
}

#[derive(Default)]
struct Table {
    versions: HashMap<Fingerprint, Version>,
    text_bytes: usize,
    uses: u64,
}

struct Version {
    print: VersionPrint,
    shown: Option<Arc<str>>,
    used: u64,
}

impl ReadVersions {
    /// The print of this content.
    pub(crate) fn print(&self, content: &[u8]) -> VersionPrint {
        VersionPrint::Content(self.prints.of(content))
    }

    /// The print of a file that is too large to be read, made from what the file system says of it.
    pub(crate) fn print_of_large(&self, version: &impl std::fmt::Debug) -> VersionPrint {
        VersionPrint::Large(self.prints.of(format!("{version:?}").as_bytes()))
    }

    /// Notes that this version is known, because it was read or written. `shown` is how it was
    /// shown, masked; a long one is not kept.
    pub(crate) fn note(
        &self,
        principal: &Principal,
        place: &[u8],
        print: VersionPrint,
        shown: Option<Arc<str>>,
    ) {
        let shown = shown.filter(|shown| shown.len() <= LONGEST_TEXT);
        self.lock().put(self.key(principal, place), print, shown);
    }

    /// What is known of the file as it stands.
    pub(crate) fn verdict(
        &self,
        principal: &Principal,
        place: &[u8],
        print: VersionPrint,
    ) -> Verdict {
        match self.lock().versions.get(&self.key(principal, place)) {
            None => Verdict::Never,
            Some(version) if version.print == print => Verdict::Current,
            Some(version) => Verdict::Changed { shown: version.shown.clone() },
        }
    }

    /// Forgets a file that is gone.
    pub(crate) fn forget(&self, principal: &Principal, place: &[u8]) {
        let mut table = self.lock();
        if let Some(gone) = table.versions.remove(&self.key(principal, place)) {
            table.text_bytes -= gone.bytes();
        }
    }

    /// The key of a version: a fingerprint, so that its size does not depend on the names.
    fn key(&self, principal: &Principal, place: &[u8]) -> Fingerprint {
        let mut pieces = self.prints.pieces();
        // The user is a part, because the same name in the store is another file for each user.
        let Principal { tenant, agent, conversation, user } = principal;
        for name in [Some(tenant), agent.as_ref(), conversation.as_ref(), user.as_ref()] {
            // Each name is preceded by its length, so that no two lists of names give the same bytes.
            pieces.put(&name.map_or(u64::MAX, |name| name.len() as u64).to_le_bytes());
            pieces.put(name.map_or("", String::as_str).as_bytes());
        }
        pieces.put(place);
        pieces.done()
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // A panic leaves the table consistent, except for a count that only bounds it.
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Version {
    fn bytes(&self) -> usize {
        self.shown.as_ref().map_or(0, |shown| shown.len())
    }
}

impl Table {
    fn put(&mut self, key: Fingerprint, print: VersionPrint, shown: Option<Arc<str>>) {
        self.uses += 1;
        let version = Version { print, shown, used: self.uses };
        self.text_bytes += version.bytes();
        if let Some(before) = self.versions.insert(key, version) {
            self.text_bytes -= before.bytes();
        }
        if self.text_bytes > MOST_TEXT {
            self.drop_texts();
        }
        if self.versions.len() > MOST_VERSIONS {
            self.drop_versions();
        }
    }

    /// Keeps the younger half of the texts, so that this is rarely needed.
    fn drop_texts(&mut self) {
        let mut by_age: Vec<&mut Version> =
            self.versions.values_mut().filter(|version| version.shown.is_some()).collect();
        by_age.sort_by_key(|version| version.used);
        for version in by_age {
            if self.text_bytes <= MOST_TEXT / 2 {
                return;
            }
            self.text_bytes -= version.bytes();
            version.shown = None;
        }
    }

    /// Keeps the younger seven eighths.
    fn drop_versions(&mut self) {
        let mut ages: Vec<u64> = self.versions.values().map(|version| version.used).collect();
        let (_, &mut oldest_kept, _) = ages.select_nth_unstable(MOST_VERSIONS / 8);
        self.versions.retain(|_, version| version.used >= oldest_kept);
        self.text_bytes = self.versions.values().map(Version::bytes).sum();
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn principal(conversation: &str) -> Principal {
        Principal {
            tenant: "t".into(),
            agent: None,
            conversation: Some(conversation.into()),
            user: None,
        }
    }

    #[test]
    fn a_version_is_known_to_whoever_read_it_and_until_it_changes() {
        let versions = ReadVersions::default();
        let (me, one, two) = (principal("me"), versions.print(b"one"), versions.print(b"two"));
        assert_eq!(versions.verdict(&me, b"/a", one), Verdict::Never);
        versions.note(&me, b"/a", one, Some("one".into()));
        assert_eq!(versions.verdict(&me, b"/a", one), Verdict::Current);
        assert_eq!(
            versions.verdict(&me, b"/a", two),
            Verdict::Changed { shown: Some("one".into()) }
        );
        assert_eq!(versions.verdict(&principal("other"), b"/a", one), Verdict::Never);
        assert_eq!(versions.verdict(&me, b"/b", one), Verdict::Never);
        let another = Principal { user: Some("another".into()), ..principal("me") };
        assert_eq!(versions.verdict(&another, b"/a", two), Verdict::Never);
        versions.note(&me, b"/a", two, None);
        assert_eq!(versions.verdict(&me, b"/a", two), Verdict::Current);
        versions.forget(&me, b"/a");
        assert_eq!(versions.verdict(&me, b"/a", two), Verdict::Never);
        assert_eq!(versions.lock().text_bytes, 0);
    }

    #[test]
    fn no_names_run_into_each_other() {
        let all = [
            (Some("a"), Some("b"), "c"),
            (Some("ab"), None, "c"),
            (None, Some("ab"), "c"),
            (None, None, "abc"),
            (Some(""), None, "abc"),
            (Some("a"), None, "bc"),
        ];
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let versions = ReadVersions::default();
        let keys: HashSet<Fingerprint> = all
            .into_iter()
            .map(|(agent, conversation, place)| {
                let (agent, conversation) = (owned(agent), owned(conversation));
                let principal = Principal { tenant: "t".into(), agent, conversation, user: None };
                versions.key(&principal, place.as_bytes())
            })
            .collect();
        assert_eq!(keys.len(), all.len());
    }

    #[test]
    fn the_oldest_are_forgotten_first_and_never_more_than_needed_is_kept() {
        let versions = ReadVersions::default();
        let (me, print) = (principal("me"), versions.print(b""));
        for n in 0..=MOST_VERSIONS {
            versions.note(&me, &n.to_le_bytes(), print, None);
        }
        let of = |n: usize| versions.verdict(&me, &n.to_le_bytes(), print);
        assert_eq!((of(0), of(MOST_VERSIONS)), (Verdict::Never, Verdict::Current));
        assert!(versions.lock().versions.len() <= MOST_VERSIONS);

        let text = "x".repeat(LONGEST_TEXT);
        for n in 0..=MOST_TEXT / LONGEST_TEXT {
            versions.note(&me, &n.to_le_bytes(), print, Some(text.clone().into()));
        }
        let other = versions.print(b"other");
        let shown = |n: usize| match versions.verdict(&me, &n.to_le_bytes(), other) {
            Verdict::Changed { shown } => shown.is_some(),
            _ => false,
        };
        assert_eq!((shown(0), shown(MOST_TEXT / LONGEST_TEXT)), (false, true));
        assert!(versions.lock().text_bytes <= MOST_TEXT);
        versions.note(&me, b"long", print, Some("x".repeat(LONGEST_TEXT + 1).into()));
        assert_eq!(versions.verdict(&me, b"long", other), Verdict::Changed { shown: None });
    }
}
