//! The containers of a runtime: one for each identity, made when the first command wants it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bollard::Docker;
use tokio::sync::OnceCell;

use super::super::replaced::Kept;
use super::container::{Container, Use, Wanted};
use super::engine::remove;
use super::owner::Owner;

/// The containers.
#[derive(Default)]
pub(super) struct Containers {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    slots: HashMap<String, Arc<Slot>>,
    is_closed: bool,
}

/// The place of a container. Whoever comes while it is made waits for it.
struct Slot {
    kept: Kept,
    made: OnceCell<Arc<Container>>,
    use_: Mutex<Use>,
}

/// A container in use: it is not removed for being old or idle.
pub(super) struct Taken {
    slot: Arc<Slot>,
    identity: String,
    pub(super) container: Arc<Container>,
}

impl Drop for Taken {
    fn drop(&mut self) {
        self.slot.left();
    }
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, Use> {
        self.use_.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn entered(&self) {
        self.lock().users += 1;
    }

    fn left(&self) {
        let mut use_ = self.lock();
        use_.users -= 1;
        use_.last = Instant::now();
    }

    /// True if nobody uses it or will: what stands at its mounts was replaced.
    fn is_over(&self) -> bool {
        self.lock().users == 0 && !self.kept.are_there()
    }

    fn is_due(&self, idle: Duration, age: Duration) -> bool {
        let use_ = self.lock();
        use_.users == 0 && (use_.last.elapsed() >= idle || use_.made.elapsed() >= age)
    }
}

impl State {
    /// Takes some out, so that nobody gets them any more.
    fn taken_out(&mut self, which: impl Fn(&Slot) -> bool) -> Vec<Arc<Slot>> {
        let slots = std::mem::take(&mut self.slots).into_iter();
        let (out, kept): (Vec<_>, _) = slots.partition(|(_, slot)| which(slot));
        self.slots = kept.into_iter().collect();
        out.into_iter().map(|(_, slot)| slot).collect()
    }
}

/// Counts a user for as long as it lives, until a container is there.
struct Entered<'s>(Option<&'s Arc<Slot>>);

impl Drop for Entered<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.0 {
            slot.left();
        }
    }
}

impl Containers {
    /// The container that is wanted. Of those who want the same one at once, one makes it.
    ///
    /// # Errors
    /// What the engine says.
    pub(super) async fn take(
        &self,
        docker: &Docker,
        owner: &Owner,
        wanted: &Wanted,
    ) -> Result<Taken, String> {
        let (slot, over) = {
            let mut state = self.lock();
            if state.is_closed {
                return Err("the runtime is closed".into());
            }
            let over = match state.slots.contains_key(&wanted.identity) {
                true => Vec::new(),
                false => state.taken_out(Slot::is_over),
            };
            let new = || {
                let (kept, use_) = (wanted.kept.clone(), Mutex::new(Use::new()));
                Arc::new(Slot { kept, made: OnceCell::new(), use_ })
            };
            let slot = state.slots.entry(wanted.identity.clone()).or_insert_with(new).clone();
            // Under the same lock as the search for idle containers.
            slot.entered();
            (slot, over)
        };
        let mut entered = Entered(Some(&slot));
        for container in over.iter().filter_map(|slot| slot.made.get()) {
            remove(docker, &container.id).await;
        }
        let make = || async { wanted.make(docker, owner).await.map(Arc::new) };
        let container = slot.made.get_or_try_init(make).await?.clone();
        if self.lock().is_closed {
            remove(docker, &container.id).await;
            return Err("the runtime is closed".into());
        }
        entered.0 = None;
        drop(entered);
        Ok(Taken { slot, identity: wanted.identity.clone(), container })
    }

    /// Ends a container with all that runs in it, so that the next who wants it gets another.
    pub(super) async fn end(&self, docker: &Docker, taken: &Taken) {
        self.forget(&taken.identity, &taken.slot);
        remove(docker, &taken.container.id).await;
    }

    /// Ends those in which nothing runs, for so long or that are so old.
    pub(super) async fn prune(&self, docker: &Docker, idle: Duration, age: Duration) {
        let due = self.lock().taken_out(|slot| slot.is_due(idle, age));
        for container in due.iter().filter_map(|slot| slot.made.get()) {
            remove(docker, &container.id).await;
        }
    }

    /// Ends all, and lets nobody make more.
    pub(super) async fn close(&self, docker: &Docker) {
        let slots = {
            let mut state = self.lock();
            state.is_closed = true;
            std::mem::take(&mut state.slots)
        };
        let made = slots.values().filter_map(|slot| slot.made.get());
        let removed = made.map(|container| remove(docker, &container.id));
        futures_util::future::join_all(removed).await;
    }

    fn forget(&self, identity: &str, slot: &Arc<Slot>) {
        let mut state = self.lock();
        if state.slots.get(identity).is_some_and(|known| Arc::ptr_eq(known, slot)) {
            state.slots.remove(identity);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
