//! The same lines under a model checker, in many thousands of orders.

use std::convert::Infallible;

use shuttle::sync::atomic::{AtomicU64, Ordering};
use shuttle::sync::{Arc as Shared, Mutex};
use shuttle::thread;

use super::*;
use crate::soak::rounds;

/// A place as the checker knows it: every access is a point where threads may change.
struct Checked<T>(Mutex<Arc<T>>);

impl<T: Send + Sync> Place<T> for Checked<T> {
    fn new(value: Arc<T>) -> Checked<T> {
        Checked(Mutex::new(value))
    }

    fn load(&self) -> Arc<T> {
        self.0.lock().unwrap().clone()
    }

    fn replace(&self, held: &Arc<T>, next: Arc<T>) -> bool {
        let mut there = self.0.lock().unwrap();
        let same = Arc::ptr_eq(&there, held);
        if same {
            *there = next;
        }
        same
    }
}

/// What is derived, in a cell that shuttle looks into.
type Watched = Derived<(u64, u64), Checked<Keyed<(u64, u64)>>>;

/// A version of the policy, with what is derived from it.
struct Version {
    number: u64,
    derived: Watched,
}

fn version(number: u64) -> Version {
    Version { number, derived: Derived::new() }
}

fn check(scenario: fn()) {
    shuttle::check_random(scenario, rounds(500, 100_000));
    shuttle::check_pct(scenario, rounds(500, 100_000), 3);
}

#[test]
fn whoever_reads_after_a_change_returned_reads_it_or_a_newer_one() {
    check(|| {
        let place = Shared::new(Checked::new(Arc::new(version(0))));
        let returned = Shared::new(AtomicU64::new(0));
        let writers: Vec<_> = (0..2)
            .map(|_| {
                let (place, returned) = (place.clone(), returned.clone());
                thread::spawn(move || {
                    let next = |held: &Version| Ok::<_, Infallible>(version(held.number + 1));
                    let Ok(next) = change(&*place, next);
                    returned.fetch_max(next.number, Ordering::SeqCst);
                })
            })
            .collect();
        let readers: Vec<_> = (1..3)
            .map(|snapshot| {
                let (place, returned) = (place.clone(), returned.clone());
                thread::spawn(move || {
                    let least = returned.load(Ordering::SeqCst);
                    let read = place.load();
                    let make = || Ok::<_, Infallible>((read.number, snapshot));
                    let Ok(decided_by) = read.derived.get(snapshot, make);
                    assert!(decided_by.0 >= least, "{} after {least}", decided_by.0);
                    assert_eq!(*decided_by, (read.number, snapshot));
                })
            })
            .collect();
        writers.into_iter().chain(readers).for_each(|thread| thread.join().unwrap());
        assert_eq!(place.load().number, 2, "no change is lost");
    });
}

#[test]
fn a_change_that_is_refused_leaves_what_was_there() {
    check(|| {
        let place = Shared::new(Checked::new(Arc::new(version(0))));
        let refused = {
            let place = place.clone();
            thread::spawn(move || change(&*place, |_| Err::<Version, _>("wrong")).is_err())
        };
        let Ok(_) = change(&*place, |held| Ok::<_, Infallible>(version(held.number + 1)));
        assert!(refused.join().unwrap());
        assert_eq!(place.load().number, 1);
    });
}

#[test]
fn keys_that_share_a_slot_never_share_a_value() {
    check(|| {
        let derived = Shared::new(Derived::<u64, Checked<Keyed<u64>>>::new());
        let slots = SLOTS as u64;
        let readers: Vec<_> = [1, 1 + slots, 1, 1 + 2 * slots]
            .map(|key| {
                let derived = derived.clone();
                thread::spawn(move || {
                    let Ok(value) = derived.get(key, || Ok::<_, Infallible>(key * 10));
                    assert_eq!(*value, key * 10);
                })
            })
            .into();
        readers.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

type Row = Remembered<u64, Checked<Memory<u64>>>;

/// Two change a row of the store and two read it, with `remember` as the readers do it.
fn rows(remember: fn(&Row, &Arc<Memory<u64>>, Arc<u64>)) {
    let row = Shared::new(Row::new());
    let store = Shared::new(AtomicU64::new(0));
    let returned = Shared::new(AtomicU64::new(0));
    let writers: Vec<_> = (0..2)
        .map(|_| {
            let (row, store, returned) = (row.clone(), store.clone(), returned.clone());
            thread::spawn(move || {
                row.begin();
                let written = store.fetch_add(1, Ordering::SeqCst) + 1;
                row.end();
                returned.fetch_max(written, Ordering::SeqCst);
            })
        })
        .collect();
    let readers: Vec<_> = (0..2)
        .map(|_| {
            let (row, store, returned) = (row.clone(), store.clone(), returned.clone());
            thread::spawn(move || {
                for _ in 0..2 {
                    let least = returned.load(Ordering::SeqCst);
                    let read = row.known().unwrap_or_else(|| {
                        let ticket = row.ticket();
                        let read = Arc::new(store.load(Ordering::SeqCst));
                        remember(&row, &ticket, read.clone());
                        read
                    });
                    assert!(*read >= least, "outlived a change: {read} after {least}");
                }
            })
        })
        .collect();
    writers.into_iter().chain(readers).for_each(|thread| thread.join().unwrap());
    assert!(!row.is_changing());
    let known = row.known();
    assert!(known.is_none_or(|known| *known == 2), "outlived a change: still remembered");
}

#[test]
fn no_row_outlives_a_change_of_it() {
    check(|| rows(Row::remember));
}

#[test]
#[should_panic(expected = "outlived a change")]
fn the_checker_finds_a_careless_reader() {
    shuttle::check_random(
        || {
            rows(|row, _, read| {
                let now = row.ticket();
                row.place
                    .replace(&now, Arc::new(Memory { changing: now.changing, known: Some(read) }));
            });
        },
        20_000,
    );
}
