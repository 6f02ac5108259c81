//! The store over SQL. The domains' files hold the statements; this one holds what they share.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use futures_util::FutureExt as _;

use super::audit::{Ledger, SegmentLimits};
use super::driver::{Batch, Driver, Outcome, Row, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::{Error, Kind, Store, StoreCheck, StoreFuture, check};
use crate::id::check_key;

/// The most bytes that one body in a store may have: 64 MiB. (Artifacts have their own bounds.)
pub const MAX_BODY_BYTES: usize = 64 * 1024 * 1024;

/// The most bytes that one row may have, its keys and settings included.
const MAX_ROW_BYTES: usize = MAX_BODY_BYTES + 1024 * 1024;

/// Every domain of the store, over any [`Driver`].
#[derive(Debug)]
pub struct SqlStore<D> {
    pub(super) driver: Arc<D>,
    pub(super) ledger: Arc<Ledger>,
    /// False as long as there can be no path lock: each write of a file asks for them.
    pub(super) may_hold_path_locks: AtomicBool,
}

impl<D: Driver> SqlStore<D> {
    /// A store over a driver whose tables are up to date.
    pub fn new(driver: D) -> SqlStore<D> {
        let limits = match driver.is_private() {
            true => SegmentLimits::in_memory(),
            false => SegmentLimits::default(),
        };
        SqlStore::with_segments(driver, limits)
    }

    /// The same, its ledger in segments of another size.
    pub(super) fn with_segments(driver: D, limits: SegmentLimits) -> SqlStore<D> {
        SqlStore {
            may_hold_path_locks: AtomicBool::new(!driver.is_private()),
            driver: Arc::new(driver),
            ledger: Arc::new(Ledger::new(limits)),
        }
    }

    pub(super) fn driver(&self) -> &D {
        &self.driver
    }

    /// Checks keys before any driver sees them.
    pub(super) fn check(
        &self,
        operation: &'static str,
        keys: &[(&str, &str)],
    ) -> Result<(), Error> {
        for (field, key) in keys {
            check_key(field, key)
                .map_err(|error| self.invalid(operation, error.message().to_owned()))?;
        }
        Ok(())
    }

    /// Checks keys that may be absent.
    pub(super) fn check_given(
        &self,
        operation: &'static str,
        keys: &[(&str, Option<&str>)],
    ) -> Result<(), Error> {
        for (field, key) in keys {
            if let Some(key) = key {
                self.check(operation, &[(field, key)])?;
            }
        }
        Ok(())
    }

    /// Checks a body before any driver sees it: both databases would refuse a huge one late and in
    /// words of their own.
    pub(super) fn check_body(
        &self,
        operation: &'static str,
        what: &str,
        size: usize,
    ) -> Result<(), Error> {
        if size <= MAX_BODY_BYTES {
            return Ok(());
        }
        let message =
            format!("the body of {what} has {size} bytes; at most {MAX_BODY_BYTES} can be kept");
        Err(self.invalid(operation, message))
    }

    pub(super) fn invalid(&self, operation: &'static str, message: String) -> Error {
        Error::new(Kind::InvalidArgument, self.driver.url(), message).during(operation)
    }

    pub(super) fn conflict(&self, operation: &'static str, message: String) -> Error {
        Error::new(Kind::Conflict, self.driver.url(), message).during(operation)
    }

    pub(super) fn bad_row(&self, operation: &'static str, problem: BadRow) -> Error {
        let message = format!("{}; repair or delete the row", problem.0);
        Error::new(Kind::Corrupt, self.driver.url(), message).during(operation)
    }

    pub(super) async fn read(
        &self,
        operation: &'static str,
        statement: Statement,
    ) -> Result<Vec<Row>, Error> {
        self.driver.read(statement).await.map_err(|error| error.during(operation))
    }

    /// Reads rows of the given columns and makes something of each.
    pub(super) async fn read_all<T>(
        &self,
        operation: &'static str,
        statement: Statement,
        columns: &'static [&'static str],
        decode: fn(&mut Fields) -> Result<T, BadRow>,
    ) -> Result<Vec<T>, Error> {
        let rows = self.read(operation, statement).await?;
        self.decode_all(operation, rows, columns, decode)
    }

    /// Makes something of each row of the given columns.
    pub(super) fn decode_all<T>(
        &self,
        operation: &'static str,
        rows: Vec<Row>,
        columns: &'static [&'static str],
        decode: fn(&mut Fields) -> Result<T, BadRow>,
    ) -> Result<Vec<T>, Error> {
        let mut decoded = Vec::with_capacity(rows.len());
        for row in rows {
            let one = decode(&mut Fields::new(row, columns));
            decoded.push(one.map_err(|problem| self.bad_row(operation, problem))?);
        }
        Ok(decoded)
    }

    /// Writes a batch of rows of usual sizes.
    pub(super) async fn write(
        &self,
        operation: &'static str,
        batch: Batch,
    ) -> Result<Written, Error> {
        for statement in &batch.statements {
            let size: usize = statement.params.iter().map(Value::size).sum();
            if size > MAX_ROW_BYTES {
                let message = format!("a row of {size} bytes; at most {MAX_ROW_BYTES} can be kept");
                return Err(self.invalid(operation, message));
            }
        }
        self.write_large(operation, batch).await
    }

    /// Writes a batch whose rows have bounds of their own.
    pub(super) async fn write_large(
        &self,
        operation: &'static str,
        batch: Batch,
    ) -> Result<Written, Error> {
        self.driver.write(batch).await.map_err(|error| error.during(operation))
    }

    /// Deletes rows in slices, so that others who write need not wait long. The last parameter of the
    /// statement says how many rows it deletes at most. Gives how many were deleted.
    pub(super) async fn delete_in_slices(
        &self,
        operation: &'static str,
        sql: &'static str,
        params: Vec<Value>,
        slice: u32,
    ) -> Result<u64, Error> {
        let mut deleted = 0;
        loop {
            let params = params.iter().cloned().chain([slice.into()]).collect();
            let batch = Batch::from(Statement::new(sql, params)).synced_later();
            let outcomes = self.write_always(operation, batch).await?;
            let changed: u64 = outcomes.iter().map(|outcome| outcome.changed).sum();
            deleted += changed;
            if changed < slice.into() {
                return Ok(deleted);
            }
        }
    }

    /// Writes a batch that has no condition.
    pub(super) async fn write_always(
        &self,
        operation: &'static str,
        batch: Batch,
    ) -> Result<Vec<Outcome>, Error> {
        match self.write(operation, batch).await? {
            Written::Done(outcomes) => Ok(outcomes),
            Written::ConditionFailed { .. } => {
                Err(self.conflict(operation, "a condition failed that was not set".into()))
            }
        }
    }
}

impl<D: Driver> Store for SqlStore<D> {
    fn url(&self) -> String {
        self.driver.url()
    }

    fn check_integrity(&self) -> StoreFuture<'_, StoreCheck> {
        check::check(self).boxed()
    }

    fn close(&self) -> StoreFuture<'_, ()> {
        async move {
            self.ledger.finish(&self.driver).await;
            self.driver.close().await
        }
        .boxed()
    }
}
