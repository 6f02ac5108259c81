//! Marks of files: what the sessions that wrote them had read.

use futures_util::FutureExt as _;

use super::driver::{Batch, Driver, Statement};
use super::fields::{BadRow, Fields};
use super::marks::{from_name, name};
use super::{SqlStore, StoreFuture};
use crate::kind::Taint;

/// A mark of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMark {
    /// The key of the file: its path, its identity, or what else its reader knows it by.
    pub file: String,
    /// What the session that wrote it had read.
    pub mark: Taint,
    /// When it was last marked so, in milliseconds since 1970-01-01T00:00:00Z.
    pub at_ms: i64,
}

/// The marks of each tenant's files. The store knows files by keys and nothing of what they are.
pub trait FileMarks: Send + Sync {
    /// All marks of a tenant's files, by key.
    fn list_file_marks<'a>(&'a self, tenant: &'a str) -> StoreFuture<'a, Vec<FileMark>>;

    /// Gives every one of the files each of the marks, all or nothing. One that has a mark already
    /// gets the later time.
    fn add_file_marks<'a>(
        &'a self,
        tenant: &'a str,
        files: &'a [String],
        marks: &'a [Taint],
        now_ms: i64,
    ) -> StoreFuture<'a, ()>;

    /// Forgets, for all tenants, the marks from before that time. Gives their number.
    fn prune_file_marks(&self, before_ms: i64) -> StoreFuture<'_, u64>;
}

const LIST: &str = "SELECT tenant, file, mark, at_ms FROM toolkeep_file_marks WHERE tenant = ?1 ORDER BY file, mark";

const ADD: &str = "INSERT INTO toolkeep_file_marks (tenant, file, mark, at_ms) \
     VALUES (?1, ?2, ?3, ?4) ON CONFLICT (tenant, file, mark) DO UPDATE SET at_ms = ?4 \
     WHERE toolkeep_file_marks.at_ms < ?4";

const PRUNE: &str = "DELETE FROM toolkeep_file_marks WHERE (tenant, file, mark) IN \
     (SELECT tenant, file, mark FROM toolkeep_file_marks WHERE at_ms < ?1 LIMIT ?2)";

/// How many marks one transaction forgets at most.
const PRUNED_AT_ONCE: u32 = 1_000;

const COLUMNS: &[&str] = &["tenant", "file", "mark", "at_ms"];

impl<D: Driver> FileMarks for SqlStore<D> {
    fn list_file_marks<'a>(&'a self, tenant: &'a str) -> StoreFuture<'a, Vec<FileMark>> {
        async move {
            const OPERATION: &str = "file_marks.list";
            self.check(OPERATION, &[("tenant", tenant)])?;
            let statement = Statement::new(LIST, vec![tenant.into()]);
            self.read_all(OPERATION, statement, COLUMNS, decode).await
        }
        .boxed()
    }

    fn add_file_marks<'a>(
        &'a self,
        tenant: &'a str,
        files: &'a [String],
        marks: &'a [Taint],
        now_ms: i64,
    ) -> StoreFuture<'a, ()> {
        async move {
            const OPERATION: &str = "file_marks.add";
            self.check(OPERATION, &[("tenant", tenant)])?;
            // In one order, so that two who mark the same files do not wait for each other.
            let (mut files, mut marks) = (files.to_vec(), marks.to_vec());
            files.sort_unstable();
            files.dedup();
            marks.sort_unstable_by_key(|mark| name(*mark));
            marks.dedup();
            let mut statements = Vec::with_capacity(files.len() * marks.len());
            for file in &files {
                self.check(OPERATION, &[("file", file)])?;
                for mark in &marks {
                    let params = vec![
                        tenant.into(),
                        file.as_str().into(),
                        name(*mark).into(),
                        now_ms.into(),
                    ];
                    statements.push(Statement::new(ADD, params));
                }
            }
            if statements.is_empty() {
                return Ok(());
            }
            self.write(OPERATION, Batch::new(statements).synced_later()).await.map(drop)
        }
        .boxed()
    }

    fn prune_file_marks(&self, before_ms: i64) -> StoreFuture<'_, u64> {
        let params = vec![before_ms.into()];
        self.delete_in_slices("file_marks.prune", PRUNE, params, PRUNED_AT_ONCE).boxed()
    }
}

fn decode(fields: &mut Fields) -> Result<FileMark, BadRow> {
    let (_tenant, file) = (fields.text()?, fields.text()?);
    Ok(FileMark { file, mark: fields.name(from_name)?, at_ms: fields.int()? })
}
