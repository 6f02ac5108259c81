//! The secrets that are kept, by the placeholder that stands for each.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

/// How many bytes all of them take at most (16 MiB). The session that was not used for the longest
/// time goes first.
const MOST_BYTES: usize = 16 << 20;
/// The longest secret that is kept, in bytes: what can be looked for in the answer of the tool that
/// gets it.
const LONGEST: usize = crate::scrub::Values::LONGEST;
/// About how many bytes an entry takes besides its texts.
const OVERHEAD: usize = 200;
/// How many files one secret may have been read from.
const MOST_FILES: usize = 16;
/// How often everything is looked through for what is too old, in milliseconds.
const SWEEP_MS: i64 = 60_000;

/// The owner of a secret: nobody else can open it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Owner {
    pub tenant: String,
    pub session: String,
}

/// A file, without links: its workspace's root, and its place in there.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct FileAt {
    pub root: PathBuf,
    pub path: PathBuf,
}

/// A secret that the vault keeps, without its value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct KeptSecret {
    /// The session that may use it.
    pub session: String,
    /// Its placeholder.
    pub placeholder: String,
    /// Its kind: `github-pat`, `password`, …
    pub kind: String,
    /// The files that it was read from, and may be written back to.
    pub files: Vec<String>,
    /// When it is forgotten unless it is used earlier, in milliseconds since 1970-01-01T00:00:00Z.
    pub expires_at_ms: i64,
}

/// A secret that a scrubber has just masked.
pub(super) struct Taken {
    pub placeholder: String,
    pub kind: String,
    pub value: Arc<Zeroizing<String>>,
    /// True if it could be guessed: it has no tag that distinguishes it from others.
    pub is_guessable: bool,
}

/// A secret, to be put back. Its memory is overwritten when the last use of it ends.
#[derive(Clone)]
pub(super) struct Secret {
    pub kind: String,
    pub value: Arc<Zeroizing<String>>,
    pub files: Vec<FileAt>,
    /// True if it could be guessed: it had no tag of its own.
    pub is_guessable: bool,
    /// True if two secrets came under the same placeholder: then it opens neither.
    is_ambiguous: bool,
    expires_at_ms: i64,
    used: u64,
}

#[derive(Default)]
struct Session {
    secrets: HashMap<String, Secret>,
    used: u64,
}

/// All that is kept.
pub(super) struct Kept {
    sessions: HashMap<Owner, Session>,
    max_entries: usize,
    ttl_ms: i64,
    bytes: usize,
    /// Counts uses, to know which was the last.
    uses: u64,
    swept_ms: i64,
}

impl Kept {
    pub(super) fn new(max_entries: usize, ttl_ms: u64) -> Kept {
        Kept {
            sessions: HashMap::new(),
            max_entries,
            ttl_ms: i64::try_from(ttl_ms).unwrap_or(i64::MAX),
            bytes: 0,
            uses: 0,
            swept_ms: i64::MIN,
        }
    }

    /// Keeps a secret under a placeholder, which stands for it alone from now on.
    pub(super) fn put(
        &mut self,
        owner: &Owner,
        Taken { placeholder, kind, value, is_guessable }: &Taken,
        file: Option<&FileAt>,
        now_ms: i64,
    ) {
        if value.len() > LONGEST {
            return;
        }
        self.sweep(now_ms);
        self.uses += 1;
        let expires_at_ms = now_ms.saturating_add(self.ttl_ms);
        let session = self.sessions.entry(owner.clone()).or_default();
        session.used = self.uses;
        let secret = session.secrets.entry(placeholder.clone()).or_insert_with(|| {
            self.bytes += size(placeholder, value);
            let files = Vec::new();
            let (kind, value, is_guessable) = (kind.clone(), value.clone(), *is_guessable);
            let is_ambiguous = false;
            Secret { kind, value, files, is_guessable, is_ambiguous, expires_at_ms, used: 0 }
        });
        secret.is_ambiguous |= secret.value != *value;
        (secret.used, secret.expires_at_ms) = (self.uses, expires_at_ms);
        if let Some(file) = file.filter(|file| !secret.files.contains(file)) {
            if secret.files.len() >= MOST_FILES {
                secret.files.remove(0);
            }
            secret.files.push(file.clone());
        }
        self.make_room(owner);
    }

    /// The secret that a placeholder stands for.
    pub(super) fn get(&mut self, owner: &Owner, placeholder: &str, now_ms: i64) -> Option<Secret> {
        let session = self.sessions.get_mut(owner)?;
        let secret = session.secrets.get_mut(placeholder)?;
        if secret.expires_at_ms <= now_ms || secret.is_ambiguous {
            return None;
        }
        self.uses += 1;
        (session.used, secret.used) = (self.uses, self.uses);
        secret.expires_at_ms = now_ms.saturating_add(self.ttl_ms);
        Some(secret.clone())
    }

    /// True if some session of the tenant, or that one, has the placeholder.
    pub(super) fn has(
        &self,
        tenant: &str,
        session: Option<&str>,
        placeholder: &str,
        now_ms: i64,
    ) -> bool {
        let is_kept = |kept: &Session| {
            kept.secrets.get(placeholder).is_some_and(|secret| secret.expires_at_ms > now_ms)
        };
        self.sessions.iter().any(|(owner, kept)| is_of(owner, tenant, session) && is_kept(kept))
    }

    pub(super) fn list(&self, tenant: &str, session: Option<&str>, now_ms: i64) -> Vec<KeptSecret> {
        let mut found = Vec::new();
        for (owner, kept) in &self.sessions {
            if !is_of(owner, tenant, session) {
                continue;
            }
            let alive = kept.secrets.iter().filter(|(_, secret)| secret.expires_at_ms > now_ms);
            found.extend(alive.map(|(placeholder, secret)| {
                let shown = KeptSecret {
                    session: owner.session.clone(),
                    placeholder: placeholder.clone(),
                    kind: secret.kind.clone(),
                    files: secret.files.iter().map(|file| shown(&file.path)).collect(),
                    expires_at_ms: secret.expires_at_ms,
                };
                (secret.used, shown)
            }));
        }
        found.sort_by_key(|(used, _)| std::cmp::Reverse(*used));
        found.into_iter().map(|(_, shown)| shown).collect()
    }

    /// Forgets a tenant's secrets, or those of one session; gives how many.
    pub(super) fn forget(&mut self, tenant: &str, session: Option<&str>, now_ms: i64) -> usize {
        let forgotten = self.list(tenant, session, now_ms).len();
        self.sessions.retain(|owner, _| !is_of(owner, tenant, session));
        self.count_bytes();
        forgotten
    }

    pub(super) fn clear(&mut self) {
        self.sessions.clear();
        self.bytes = 0;
    }

    /// When to look for what is too old: once something is, but not more often than [`SWEEP_MS`]. `None`
    /// if nothing is kept.
    pub(super) fn next_sweep_ms(&self) -> Option<i64> {
        let secrets = self.sessions.values().flat_map(|session| session.secrets.values());
        let first = secrets.map(|secret| secret.expires_at_ms).min()?;
        Some(first.max(self.swept_ms.saturating_add(SWEEP_MS)))
    }

    /// Forgets what is too old.
    pub(super) fn sweep(&mut self, now_ms: i64) {
        // A clock that was set back sweeps, too.
        if (0..SWEEP_MS).contains(&now_ms.saturating_sub(self.swept_ms)) {
            return;
        }
        self.swept_ms = now_ms;
        self.sessions.retain(|_, session| {
            session.secrets.retain(|_, secret| secret.expires_at_ms > now_ms);
            !session.secrets.is_empty()
        });
        self.count_bytes();
    }

    fn make_room(&mut self, owner: &Owner) {
        if let Some(session) = self.sessions.get_mut(owner)
            && session.secrets.len() > self.max_entries
        {
            self.bytes -= session.drop_least_used();
        }
        while self.bytes > MOST_BYTES {
            let oldest = self.sessions.iter().min_by_key(|(_, session)| session.used);
            let Some(oldest) = oldest.map(|(owner, _)| owner.clone()) else { return };
            if oldest == *owner {
                let Some(session) = self.sessions.get_mut(owner) else { return };
                self.bytes -= session.drop_least_used();
            } else {
                self.sessions.remove(&oldest);
                self.count_bytes();
            }
        }
    }

    fn count_bytes(&mut self) {
        let secrets = self.sessions.values().flat_map(|session| &session.secrets);
        self.bytes = secrets.map(|(placeholder, secret)| size(placeholder, &secret.value)).sum();
    }
}

impl Session {
    /// Drops the secret that was least recently used. Returns how many bytes it took.
    fn drop_least_used(&mut self) -> usize {
        let least = self.secrets.iter().min_by_key(|(_, secret)| secret.used);
        let Some(least) = least.map(|(placeholder, _)| placeholder.clone()) else { return 0 };
        let secret = self.secrets.remove(&least);
        secret.map_or(0, |secret| size(&least, &secret.value))
    }
}

fn size(placeholder: &str, value: &str) -> usize {
    placeholder.len() + value.len() + OVERHEAD
}

fn is_of(owner: &Owner, tenant: &str, session: Option<&str>) -> bool {
    owner.tenant == tenant && session.is_none_or(|session| owner.session == session)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(session: &str) -> Owner {
        Owner { tenant: "t".into(), session: session.into() }
    }

    fn taken(placeholder: &str, value: &str) -> Taken {
        Taken {
            placeholder: placeholder.into(),
            kind: "password".into(),
            value: Arc::new(Zeroizing::new(value.into())),
            is_guessable: false,
        }
    }

    fn value(kept: &mut Kept, session: &str, placeholder: &str) -> Option<String> {
        kept.get(&owner(session), placeholder, 0).map(|secret| secret.value.to_string())
    }

    #[test]
    fn two_secrets_under_one_placeholder_open_neither() {
        let mut kept = Kept::new(10, 1_000);
        kept.put(&owner("s"), &taken("p", "one"), None, 0);
        kept.put(&owner("s"), &taken("p", "one"), None, 0);
        assert_eq!(value(&mut kept, "s", "p").as_deref(), Some("one"));
        kept.put(&owner("s"), &taken("p", "two"), None, 0);
        assert_eq!(value(&mut kept, "s", "p"), None);
        kept.put(&owner("other"), &taken("p", "two"), None, 0);
        assert_eq!(value(&mut kept, "other", "p").as_deref(), Some("two"));
    }

    #[test]
    fn the_least_recently_used_goes_first() {
        let mut kept = Kept::new(2, 1_000);
        kept.put(&owner("s"), &taken("a", "1"), None, 0);
        kept.put(&owner("s"), &taken("b", "2"), None, 0);
        assert!(value(&mut kept, "s", "a").is_some());
        kept.put(&owner("s"), &taken("c", "3"), None, 0);
        let left = ["a", "b", "c"].map(|one| value(&mut kept, "s", one).is_some());
        assert_eq!(left, [true, false, true]);
    }

    #[test]
    fn all_together_take_no_more_than_their_share_of_memory() {
        let mut kept = Kept::new(10_000, 1_000);
        let long = "x".repeat(LONGEST);
        kept.put(&owner("idle"), &taken("p", "1"), None, 0);
        for number in 0..1_200 {
            kept.put(&owner("busy"), &taken(&format!("p{number}"), &long), None, 0);
        }
        assert!(kept.bytes <= MOST_BYTES);
        assert_eq!(value(&mut kept, "idle", "p"), None);
        assert!(value(&mut kept, "busy", "p1199").is_some());
        assert_eq!(value(&mut kept, "busy", "p0"), None);
        kept.put(&owner("busy"), &taken("longer", &"x".repeat(LONGEST + 1)), None, 0);
        assert_eq!(value(&mut kept, "busy", "longer"), None);
        assert!(kept.forget("t", None, 0) > 200);
        assert_eq!(kept.bytes, 0);
    }

    #[test]
    fn expired_values_are_swept_out_even_if_nobody_asks_for_them() {
        let mut kept = Kept::new(10, 1_000);
        kept.put(&owner("old"), &taken("p", "1"), None, 0);
        kept.put(&owner("new"), &taken("p", "2"), None, SWEEP_MS);
        assert_eq!(kept.sessions.len(), 1);
    }
}
