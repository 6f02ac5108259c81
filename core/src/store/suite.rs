//! The test suite that every store must pass.
//!
//! [`run`] checks all of it; a function per domain checks that domain alone, for a store that is
//! being built. Checks make up tenants of their own, so the suite may run on a store that holds
//! other things, and runs on the same store may overlap.
//!
//! ```
//! use toolkeep::store::{self, OpenOptions, suite};
//!
//! # async fn example() -> Result<(), suite::Failure> {
//! let report = suite::run(|| store::open("memory:", OpenOptions::default())).await?;
//! assert!(report.passed.contains(&"rate_buckets: no window holds more than the maximum"));
//! # Ok(())
//! # }
//! # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(example()).unwrap();
//! ```

mod agents;
mod approvals;
mod artifacts;
mod audit;
mod audit_chain;
mod context_files;
mod credentials;
mod custom_tools;
mod documents;
mod events;
mod file_marks;
mod grants;
mod leases;
mod marks;
mod outbox;
mod path_locks;
mod rate_buckets;
mod records;
mod rules;
mod sessions;

use std::fmt;
use std::sync::Arc;

use super::{Error, Kind, Store};
use crate::id::new_id;

pub use agents::agents;
pub use approvals::{approval_events, approvals};
pub use artifacts::artifacts;
pub use audit::audit;
#[cfg(test)]
pub(super) use audit::row as audit_row;
pub use audit_chain::audit_chain;
pub use context_files::context_files;
pub use credentials::credentials;
pub use custom_tools::custom_tools;
pub use documents::documents;
pub use events::events;
pub use file_marks::file_marks;
pub use grants::grants;
pub use leases::{fences, leases};
pub use marks::marks;
pub use outbox::outbox;
pub use path_locks::path_locks;
pub use rate_buckets::rate_buckets;
pub use records::records;
pub use rules::rules;
pub use sessions::sessions;

/// The checks that a store passed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Their names, in the order in which they ran.
    pub passed: Vec<&'static str>,
}

/// The check that a store did not pass.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{check}: {message}")]
pub struct Failure {
    /// Its name: a domain and what holds in it.
    pub check: &'static str,
    /// What was found instead.
    pub message: String,
}

/// Runs every check, each domain on a store of its own that `open` gives and that is closed
/// afterwards. Stops at the first failure.
///
/// # Errors
///
/// [`Failure`] with the check that the store did not pass.
pub async fn run<F, Fut>(open: F) -> Result<Report, Failure>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<Arc<dyn Store>, Error>>,
{
    let mut report = Report::default();
    // Checks each of these on a store of its own.
    macro_rules! check_each {
        ($($domain:ident),+ $(,)?) => {$(
            let store = opened(&open).await?;
            report.add($domain(&*store).await?);
            report.finish(store).await?;
        )+};
    }
    check_each!(
        agents,
        approvals,
        approval_events,
        artifacts,
        audit,
        audit_chain,
        context_files,
        credentials,
        custom_tools,
        documents,
        events,
        fences,
        grants,
        leases,
        file_marks,
        marks,
        outbox,
        path_locks,
        rate_buckets,
        records,
        rules,
        sessions,
    );
    Ok(report)
}

async fn opened<F, Fut>(open: &F) -> Result<Arc<dyn Store>, Failure>
where
    F: Fn() -> Fut,
    Fut: Future<Output = Result<Arc<dyn Store>, Error>>,
{
    open()
        .await
        .map_err(|error| Failure { check: "store: it can be opened", message: error.to_string() })
}

impl Report {
    async fn check(
        &mut self,
        name: &'static str,
        check: impl Future<Output = Result<(), Problem>>,
    ) -> Result<(), Failure> {
        match check.await {
            Ok(()) => self.passed.push(name),
            Err(problem) => return Err(Failure { check: name, message: problem.0 }),
        }
        Ok(())
    }

    fn add(&mut self, other: Report) {
        self.passed.extend(other.passed);
    }

    async fn finish(&mut self, store: Arc<dyn Store>) -> Result<(), Failure> {
        const CLOSING: &str = "store: a closed store says so";
        let tested = self.passed.contains(&CLOSING);
        self.check(CLOSING, closing(&*store)).await?;
        if tested {
            self.passed.pop();
        }
        Ok(())
    }
}

async fn closing(store: &dyn Store) -> Result<(), Problem> {
    store.close().await?;
    store.close().await?;
    refused(store.get_agent("tenant", "id").await, Kind::Closed)?;
    refused(store.append_events(vec![events::new_event("tenant", 1)]).await, Kind::Closed)
}

/// Why a check failed.
struct Problem(String);

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        Problem(error.to_string())
    }
}

fn ensure(condition: bool, otherwise: &str) -> Result<(), Problem> {
    if condition { Ok(()) } else { Err(Problem(otherwise.into())) }
}

fn same<T: PartialEq + fmt::Debug>(found: T, expected: T) -> Result<(), Problem> {
    if found == expected {
        return Ok(());
    }
    let (found, expected) = (shortened(&found), shortened(&expected));
    Err(Problem(format!("found {found}, expected {expected}")))
}

fn shortened(value: &impl fmt::Debug) -> String {
    crate::limits::prefix_of_chars(&format!("{value:?}"), 2000).to_owned()
}

fn refused<T: fmt::Debug>(result: Result<T, Error>, kind: Kind) -> Result<(), Problem> {
    match result {
        Err(error) => same(error.kind(), kind),
        Ok(value) => {
            Err(Problem(format!("found {}, expected an error of kind {kind:?}", shortened(&value))))
        }
    }
}

fn other_holder() -> Problem {
    Problem("somebody else holds what nobody should".into())
}

fn new_tenant() -> String {
    format!("suite-{}", new_id())
}

/// Keys that every store refuses: empty, with NUL, of more than 512 bytes.
fn bad_keys() -> [String; 4] {
    [String::new(), "a\0b".into(), "x".repeat(513), "é".repeat(257)]
}

/// Keys that every store takes: of all sorts of characters, as long as may be.
fn good_keys() -> [String; 5] {
    ["🦀🔑".into(), "é".repeat(256), "a'b\"c%_\\".into(), " ".into(), "x".repeat(512)]
}
