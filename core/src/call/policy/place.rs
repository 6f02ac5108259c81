//! One shared place, and what is done with it without a lock: everything that readers of the policy
//! and its writers agree on. It is written against [`Place`], so that the tests can run the same
//! lines under a model checker, in every order that threads may take.

use std::sync::Arc;

use arc_swap::ArcSwap;

/// A place that many read and few replace.
pub(super) trait Place<T>: Send + Sync {
    /// A place with a value in it.
    fn new(value: Arc<T>) -> Self;

    /// What is there.
    fn load(&self) -> Arc<T>;

    /// Puts `next` there if `held` is still what is there. False if it is not.
    fn replace(&self, held: &Arc<T>, next: Arc<T>) -> bool;
}

impl<T: Send + Sync> Place<T> for ArcSwap<T> {
    fn new(value: Arc<T>) -> ArcSwap<T> {
        ArcSwap::new(value)
    }

    fn load(&self) -> Arc<T> {
        self.load_full()
    }

    fn replace(&self, held: &Arc<T>, next: Arc<T>) -> bool {
        Arc::ptr_eq(&self.compare_and_swap(held, next), held)
    }
}

/// Replaces what is there by what `make` makes of it. Once this has returned nobody loads what was
/// there before. What others put there meanwhile is never lost: `make` then runs again, on that.
///
/// # Errors
/// What `make` fails with; what is there then stays.
pub(super) fn change<T, E>(
    place: &impl Place<T>,
    make: impl Fn(&T) -> Result<T, E>,
) -> Result<Arc<T>, E> {
    loop {
        let held = place.load();
        let next = Arc::new(make(&held)?);
        if place.replace(&held, next.clone()) {
            return Ok(next);
        }
    }
}

/// How many derived values a [`Derived`] keeps.
const SLOTS: usize = 64;

/// A value with the key that it was made for.
pub(super) type Keyed<V> = Option<(u64, Arc<V>)>;

/// Values that are made once per key: a bounded number of them, each in the slot of its key. The
/// keys of one runtime come from one counter, so that only very old ones meet in a slot.
pub(super) struct Derived<V, P = ArcSwap<Keyed<V>>> {
    slots: Vec<P>,
    value: std::marker::PhantomData<fn() -> V>,
}

impl<V, P: Place<Keyed<V>>> Derived<V, P> {
    pub(super) fn new() -> Derived<V, P> {
        let slots = (0..SLOTS).map(|_| P::new(Arc::new(None))).collect();
        Derived { slots, value: std::marker::PhantomData }
    }

    /// The value of the key, made if it is not there. Two that ask at once may both make it; either
    /// will do, and nobody waits.
    pub(super) fn get<E>(
        &self,
        key: u64,
        make: impl FnOnce() -> Result<V, E>,
    ) -> Result<Arc<V>, E> {
        let slot = &self.slots[usize::try_from(key).unwrap_or_default() % SLOTS];
        let held = slot.load();
        if let Some((of, value)) = held.as_ref()
            && *of == key
        {
            return Ok(value.clone());
        }
        let value = Arc::new(make()?);
        slot.replace(&held, Arc::new(Some((key, value.clone()))));
        Ok(value)
    }
}

/// What is remembered of something that lives elsewhere and may change there.
///
/// The one who changes it says so before ([`begin`](Remembered::begin)) and after
/// ([`end`](Remembered::end)); in between nothing is remembered. Whoever reads it takes a
/// [`ticket`](Remembered::ticket) first; what was read is remembered only if nothing happened since.
pub(super) struct Remembered<R, P = ArcSwap<Memory<R>>> {
    place: P,
    value: std::marker::PhantomData<fn() -> R>,
}

/// The state of a [`Remembered`].
pub(super) struct Memory<R> {
    /// How many changes are on their way.
    changing: u32,
    known: Option<Arc<R>>,
}

impl<R, P: Place<Memory<R>>> Remembered<R, P> {
    pub(super) fn new() -> Remembered<R, P> {
        let place = P::new(Arc::new(Memory { changing: 0, known: None }));
        Remembered { place, value: std::marker::PhantomData }
    }

    /// What is remembered.
    pub(super) fn known(&self) -> Option<Arc<R>> {
        self.place.load().known.clone()
    }

    /// Taken before reading.
    pub(super) fn ticket(&self) -> Arc<Memory<R>> {
        self.place.load()
    }

    /// Remembers what was read, unless something happened since the ticket was taken.
    pub(super) fn remember(&self, ticket: &Arc<Memory<R>>, read: Arc<R>) {
        if ticket.changing == 0 {
            self.place.replace(ticket, Arc::new(Memory { changing: 0, known: Some(read) }));
        }
    }

    /// A change is about to be made.
    pub(super) fn begin(&self) {
        self.forget(|changing| changing.saturating_add(1));
    }

    /// A change was made, or failed.
    pub(super) fn end(&self) {
        self.forget(|changing| changing.saturating_sub(1));
    }

    /// True while a change is on its way.
    pub(super) fn is_changing(&self) -> bool {
        self.place.load().changing > 0
    }

    fn forget(&self, count: impl Fn(u32) -> u32) {
        let make = |held: &Memory<R>| {
            Ok::<_, std::convert::Infallible>(Memory {
                changing: count(held.changing),
                known: None,
            })
        };
        let Ok(_) = change(&self.place, make);
    }
}

#[cfg(test)]
mod tests;
