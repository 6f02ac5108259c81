//! Whose texts are scrubbed for what: the runtime's values in all of them, a tenant's in its own, a
//! call's in that call's. Each tenant has a key of its own for the tags, so nobody can tell from
//! two tenants' texts that they have a secret in common.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use zeroize::Zeroizing;

use crate::error::{Code, Error};
use crate::scrub::{Added, Profile, Scrubber, TagKey, ValueError, Values};

/// How many tenants are remembered. Beyond, those without values are made anew when they call.
const MOST_TENANTS: usize = 10_000;

/// The scrubbers of a runtime.
pub(crate) struct Scrubbers {
    /// Looks for the values of the runtime.
    shared: Scrubber,
    /// The keys of the tags come from this one.
    root: Zeroizing<[u8; 32]>,
    /// Each looks for the values of the runtime and of its tenant, which are its narrowest.
    tenants: papaya::HashMap<String, Scrubber, foldhash::fast::RandomState>,
    /// What is registered because something else holds it. Whoever adds or drops a tenant, or a
    /// value of one, holds the lock.
    held: Mutex<HashMap<Source, Vec<Zeroizing<String>>>>,
}

/// What holds secrets of a tenant: a stored credential.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Source {
    pub tenant: String,
    pub name: String,
}

impl Scrubbers {
    pub(crate) fn new(profile: Profile, root: Zeroizing<[u8; 32]>) -> Scrubbers {
        Scrubbers {
            shared: Scrubber::new(profile, tag_key(&root, None)),
            root,
            tenants: papaya::HashMap::default(),
            held: Mutex::default(),
        }
    }

    /// For what is no tenant's.
    pub(crate) fn shared(&self) -> &Scrubber {
        &self.shared
    }

    /// For the texts of a tenant.
    pub(crate) fn of(&self, tenant: &str) -> Scrubber {
        if let Some(scrubber) = self.tenants.pin().get(tenant) {
            return scrubber.clone();
        }
        self.made(tenant, &self.lock())
    }

    /// Looks for a value from now on: in the texts of a tenant, or in all.
    pub(crate) fn register(
        &self,
        tenant: Option<&str>,
        value: &str,
        kind: Option<&str>,
    ) -> Result<Added, ValueError> {
        let held = self.lock();
        match tenant {
            None => self.shared.values().add(value, kind),
            Some(tenant) => self.made(tenant, &held).values().add(value, kind),
        }
    }

    /// Has an address or a name of the machine masked in all texts, if it can be guarded.
    pub(crate) fn register_server(&self, name: &str) {
        // One that everyday texts are full of tells nothing of the machine.
        let _ = self.shared.values().add_server(name);
    }

    /// Takes a value back; true if it was registered.
    pub(crate) fn forget(&self, tenant: Option<&str>, value: &str) -> bool {
        let _held = self.lock();
        match tenant {
            None => self.shared.values().remove(value),
            Some(tenant) => {
                self.tenants.pin().get(tenant).is_some_and(|one| one.values().remove(value))
            }
        }
    }

    /// Registers what a source holds now, each value with its kind, in place of what it held.
    pub(crate) fn hold<'v>(
        &self,
        source: Source,
        values: impl IntoIterator<Item = (&'v str, &'v str)>,
    ) {
        let mut held = self.lock();
        let scrubber = self.made(&source.tenant, &held);
        let mut kept = Vec::new();
        for (value, kind) in values {
            // One that cannot be guarded is still masked where its context tells what it is.
            if scrubber.values().add(value, Some(kind)).is_ok() {
                kept.push(Zeroizing::new(value.to_owned()));
            }
        }
        // Only now: what it held before and holds still is never unguarded.
        for gone in held.insert(source, kept).into_iter().flatten() {
            scrubber.values().remove(&gone);
        }
    }

    /// Forgets what a source held.
    pub(crate) fn release(&self, source: &Source) {
        let mut held = self.lock();
        let Some(gone) = held.remove(source) else { return };
        let scrubber = self.made(&source.tenant, &held);
        for value in gone {
            scrubber.values().remove(&value);
        }
    }

    /// The scrubber of a tenant, which is made if it is not there.
    fn made(
        &self,
        tenant: &str,
        _held: &MutexGuard<'_, HashMap<Source, Vec<Zeroizing<String>>>>,
    ) -> Scrubber {
        let tenants = self.tenants.pin();
        if let Some(scrubber) = tenants.get(tenant) {
            return scrubber.clone();
        }
        if tenants.len() >= MOST_TENANTS {
            tenants.retain(|_, scrubber| !scrubber.values().is_empty());
        }
        let scrubber = self.shared.with_key(tag_key(&self.root, Some(tenant)));
        let scrubber = scrubber.with_values(Arc::new(Values::new()));
        tenants.insert(tenant.to_owned(), scrubber.clone());
        scrubber
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Source, Vec<Zeroizing<String>>>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The key of the tags of a tenant, or of what is no tenant's.
#[expect(clippy::expect_used, reason = "a key of any length is one")]
fn tag_key(root: &[u8; 32], tenant: Option<&str>) -> TagKey {
    let mut code = Hmac::<Sha256>::new_from_slice(root).expect("a key of any length");
    code.update(b"toolkeep tags, version 1\0");
    if let Some(tenant) = tenant {
        code.update(b"tenant\0");
        code.update(tenant.as_bytes());
    }
    TagKey::new(code.finalize().into_bytes().into())
}

/// The values of one call, made when the first is registered.
#[derive(Clone, Default)]
pub(crate) struct CallSecrets(Arc<OnceLock<Arc<Values>>>);

impl CallSecrets {
    pub(crate) fn register(&self, value: &str, kind: Option<&str>) -> Result<Added, ValueError> {
        self.0.get_or_init(Arc::default).add(value, kind)
    }

    pub(crate) fn values(&self) -> Option<Arc<Values>> {
        self.0.get().cloned()
    }
}

impl From<ValueError> for Error {
    fn from(error: ValueError) -> Error {
        Error::new(Code::InvalidArgument, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrubbers() -> Scrubbers {
        Scrubbers::new(Profile::Precise, Zeroizing::new([7; 32]))
    }

    const VALUE: &str = "Zk81-quiet-Harbour-4471";

    #[test]
    fn a_value_of_a_tenant_is_found_in_its_texts_alone() {
        let scrubbers = scrubbers();
        scrubbers.register(Some("a"), VALUE, Some("door-code")).unwrap();
        assert!(scrubbers.of("a").scrub(VALUE).starts_with("[REDACTED:door-code:"));
        assert_eq!(scrubbers.of("b").scrub(VALUE), VALUE);
        assert_eq!(scrubbers.shared().scrub(VALUE), VALUE);
        assert!(!scrubbers.forget(Some("b"), VALUE));
        assert!(scrubbers.forget(Some("a"), VALUE));
        assert_eq!(scrubbers.of("a").scrub(VALUE), VALUE);
    }

    #[test]
    fn a_value_of_the_runtime_is_found_in_all_texts_with_other_tags() {
        let scrubbers = scrubbers();
        let before = scrubbers.of("a");
        scrubbers.register(None, VALUE, None).unwrap();
        let tags = [before, scrubbers.of("b"), scrubbers.shared().clone()]
            .map(|scrubber| scrubber.scrub(VALUE).into_owned());
        assert!(tags.iter().all(|tag| tag.starts_with("[REDACTED:secret:")), "{tags:?}");
        assert!(tags[0] != tags[1] && tags[1] != tags[2] && tags[0] != tags[2], "{tags:?}");
    }

    #[test]
    fn what_a_source_holds_is_guarded_until_it_holds_something_else() {
        let scrubbers = scrubbers();
        let source = || Source { tenant: "a".into(), name: "gh".into() };
        let is_masked = |value: &str| scrubbers.of("a").scrub(value) != value;
        scrubbers.register(Some("a"), VALUE, None).unwrap();
        scrubbers.hold(source(), [(VALUE, "token"), ("first-9QpA-value", "token")]);
        scrubbers.hold(source(), [("second-9QpA-value", "token")]);
        assert!(is_masked("second-9QpA-value") && !is_masked("first-9QpA-value"));
        assert!(is_masked(VALUE), "somebody else registered it, too");
        scrubbers.release(&source());
        assert!(!is_masked("second-9QpA-value"));
    }

    #[test]
    fn tenants_with_values_are_never_forgotten() {
        let scrubbers = scrubbers();
        scrubbers.register(Some("kept"), VALUE, None).unwrap();
        for n in 0..MOST_TENANTS + 10 {
            assert_eq!(scrubbers.of(&n.to_string()).scrub("nothing"), "nothing");
        }
        assert!(scrubbers.tenants.len() < MOST_TENANTS);
        assert_ne!(scrubbers.of("kept").scrub(VALUE), VALUE);
    }
}
