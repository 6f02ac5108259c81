//! How many connections are in use at once.
//!
//! The server may have fewer left than the pool may make. A caller that is refused a connection gives up
//! the right to make one, and waits in line for one that exists. Now and then a right is given back,
//! because the server may have room again.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::within::{TooLate, within};

/// How soon after the server refused a connection one more is tried.
const AGAIN: Duration = Duration::from_millis(500);

/// The right to use one connection, and to make it if none is idle. Dropping it gives it back.
pub(super) type Turn = OwnedSemaphorePermit;

pub(super) struct Room {
    turns: Arc<Semaphore>,
    /// The size of the pool.
    most: usize,
    now: Mutex<Now>,
}

struct Now {
    /// How many turns there are, those that are taken included; at least one.
    size: usize,
    changed: Instant,
}

impl Room {
    pub(super) fn new(most: usize) -> Room {
        let now = Now { size: most, changed: Instant::now() };
        Room { turns: Arc::new(Semaphore::new(most)), most, now: Mutex::new(now) }
    }

    /// Waits in line for a turn.
    pub(super) async fn turn(&self, deadline: Instant) -> Result<Turn, TooLate> {
        self.widen();
        let turn = within(deadline, self.turns.clone().acquire_owned()).await?;
        match turn {
            Ok(turn) if Instant::now() < deadline => Ok(turn),
            // It is of no use any more; nobody ever closes the semaphore.
            _ => Err(TooLate),
        }
    }

    /// Takes a turn away, because the server has no connection for it. The last one is given back:
    /// its owner has to try again.
    pub(super) fn narrow(&self, turn: Turn) -> Option<Turn> {
        let mut now = self.now();
        now.changed = Instant::now();
        if now.size <= 1 {
            return Some(turn);
        }
        now.size -= 1;
        turn.forget();
        None
    }

    /// True if the server had no connection for as many turns as the pool may have.
    pub(super) fn is_narrow(&self) -> bool {
        self.now().size < self.most
    }

    /// Brings one turn back, if it is time to try.
    fn widen(&self) {
        let mut now = self.now();
        if now.size < self.most && now.changed.elapsed() >= AGAIN {
            now.size += 1;
            now.changed = Instant::now();
            self.turns.add_permits(1);
        }
    }

    fn now(&self) -> MutexGuard<'_, Now> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn soon() -> Instant {
        Instant::now() + Duration::from_millis(10)
    }

    #[tokio::test(start_paused = true)]
    async fn turns_that_the_server_has_no_connection_for_come_back_one_by_one() {
        let room = Room::new(3);
        let kept = room.turn(soon()).await.unwrap();
        for _ in 0..2 {
            let refused = room.turn(soon()).await.unwrap();
            assert!(room.narrow(refused).is_none());
        }
        assert!(room.is_narrow());
        room.turn(soon()).await.unwrap_err();
        tokio::time::advance(AGAIN).await;
        let back = room.turn(soon()).await.unwrap();
        room.turn(soon()).await.unwrap_err();
        drop(kept);
        drop(room.turn(soon()).await.unwrap());
        drop(back);
        tokio::time::advance(AGAIN).await;
        drop(room.turn(soon()).await.unwrap());
        assert!(!room.is_narrow());
    }

    #[tokio::test]
    async fn the_last_turn_stays() {
        let room = Room::new(1);
        let turn = room.turn(soon()).await.unwrap();
        assert!(room.narrow(turn).is_some());
        drop(room.turn(soon()).await.unwrap());
    }
}
