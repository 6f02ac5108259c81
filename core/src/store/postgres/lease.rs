//! A connection on loan from the pool.

use std::ops::{Deref, DerefMut};
use std::time::Duration;

use deadpool::managed::Object;
use tokio::runtime::Handle;
use tokio::time::timeout;

use super::connection::{Connection, Manager, Pool};
use super::room::Turn;

/// How long telling the server to stop may take.
const CANCEL_WITHIN: Duration = Duration::from_secs(2);

/// A connection that goes back to the pool only when somebody says that it is idle. Dropped in
/// the middle of anything, it is cut off: nobody knows what state it is in.
pub(super) struct Lease {
    object: Option<Object<Manager>>,
    /// Given back after the connection.
    _turn: Turn,
}

impl Lease {
    pub(super) fn new(object: Object<Manager>, turn: Turn) -> Lease {
        Lease { object: Some(object), _turn: turn }
    }

    /// Gives the connection back; it must be outside of any transaction.
    pub(super) fn give_back(mut self) {
        drop(self.object.take());
    }

    /// Cuts the connection off and asks the server to stop what it is doing for it.
    pub(super) fn cancel(mut self, pool: &Pool) {
        let Some(object) = self.object.take() else { return };
        let token = object.client().cancel_token();
        drop(Object::take(object));
        let tls = pool.manager().tls.clone();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move {
                // If it does not arrive, the server's own timeouts stop the statement.
                let _ = timeout(CANCEL_WITHIN, token.cancel_query(tls)).await;
            });
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(object) = self.object.take() {
            drop(Object::take(object));
        }
    }
}

impl Deref for Lease {
    type Target = Connection;

    #[expect(clippy::expect_used, reason = "it is taken only by methods that consume the lease")]
    fn deref(&self) -> &Connection {
        self.object.as_ref().expect("a lease holds its connection")
    }
}

impl DerefMut for Lease {
    #[expect(clippy::expect_used, reason = "it is taken only by methods that consume the lease")]
    fn deref_mut(&mut self) -> &mut Connection {
        self.object.as_mut().expect("a lease holds its connection")
    }
}
