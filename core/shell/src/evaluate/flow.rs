//! The two ways behind a command: on which it succeeded, and on which it failed.
//!
//! `a && b` runs `b` in the state in which `a` succeeded, `a || c` runs `c` in the other one.
//! Keeping the two apart is what makes `cd x || exit` precise: behind it the folder is certain.

use super::state::State;

/// Where a command leads.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct Flow {
    /// The shell behind it if it succeeds; none if it cannot.
    pub(in super::super) ok: Option<State>,
    /// The shell behind it if it fails; none if it cannot.
    pub(in super::super) fail: Option<State>,
}

impl Flow {
    /// A command that may succeed or fail, with the same state behind it.
    pub(super) fn both(state: State) -> Flow {
        Flow { ok: Some(state.clone()), fail: Some(state) }
    }

    /// A command that succeeds.
    pub(super) fn ok(state: State) -> Flow {
        Flow { ok: Some(state), fail: None }
    }

    /// A command that fails.
    pub(super) fn fail(state: State) -> Flow {
        Flow { ok: None, fail: Some(state) }
    }

    /// The same, if it may as well fail as succeed.
    pub(super) fn unsure(self) -> Flow {
        self.end().map_or_else(Flow::default, Flow::both)
    }

    /// What is known whether it succeeds or not; none if nothing follows.
    pub(super) fn end(self) -> Option<State> {
        join(self.ok, self.fail)
    }

    /// Either of two flows.
    pub(super) fn or(self, other: Flow) -> Flow {
        Flow { ok: join(self.ok, other.ok), fail: join(self.fail, other.fail) }
    }
}

/// What is known where two ways meet, or one of them.
pub(super) fn join(one: Option<State>, other: Option<State>) -> Option<State> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.or(other)),
        (one, other) => one.or(other),
    }
}
