//! How long a change of a file waits for the changes of others.

use std::time::{Duration, Instant};

/// How long it waits in all. What others do under a lock takes milliseconds.
const LONGEST: Duration = Duration::from_secs(10);

/// The wait of one change, for all the locks that it takes one after the other.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wait {
    until: Instant,
}

impl Wait {
    /// It begins now.
    pub(super) fn begin() -> Wait {
        Wait::lasting(LONGEST)
    }

    pub(super) fn lasting(wait: Duration) -> Wait {
        Wait { until: Instant::now() + wait }
    }

    /// What is left of it; none once it is over.
    pub(super) fn left(self) -> Option<Duration> {
        self.until.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
    }
}
