//! Versioned rows: the one way in which a domain keeps a thing under a key.
//!
//! A [`Table`] names the columns; the statements follow from it. Every row has a `version`, 1 for
//! a new one and one more with each change, and every change is one conditional statement in one
//! transaction with the event that reports it. A change may be fenced by a lease.

use std::fmt::Write as _;
use std::sync::OnceLock;

use super::driver::{Batch, Driver, Row, Statement, Value, Written};
use super::fields::{BadRow, Fields};
use super::leases::Fence;
use super::{Error, SqlStore};
use crate::event::NewEvent;
use crate::id::MAX_KEY_BYTES;

/// A table of versioned rows. Its columns are the keys (`tenant` first), the light ones, `version`,
/// `updated_at_ms`, and the heavy ones, which a list leaves out.
pub(super) struct Table {
    name: &'static str,
    keys: &'static [&'static str],
    light: &'static [&'static str],
    heavy: &'static [&'static str],
    sync_later: bool,
    sql: OnceLock<Sql>,
}

/// The statements of a table.
struct Sql {
    /// The columns of `get`; a list gives the first `listed` of them.
    columns: Vec<&'static str>,
    listed: usize,
    get: String,
    put: String,
    create: String,
    change: String,
    /// Changes nothing, unless the first heavy column is not what it should be.
    same: String,
    delete: String,
    /// By the number of leading keys that are fixed.
    lists: Vec<String>,
}

/// A row to be written.
pub(super) struct Put {
    /// What it is, for messages: `agent 'a'`.
    pub what: String,
    /// The keys, `tenant` first.
    pub keys: Vec<Value>,
    /// The light columns, then the heavy ones.
    pub body: Vec<Value>,
    /// Write only over this version; 0: only if there is no row.
    pub if_version: Option<i64>,
    /// Write only over a row whose heavy column, of a table that has one, is this.
    pub if_body: Option<Vec<u8>>,
    /// Write only while this lease is held.
    pub fence: Option<Fence>,
    /// The event that reports the change.
    pub event: NewEvent,
}

/// A row to be deleted.
pub(super) struct Delete {
    /// What it is, for messages.
    pub what: String,
    /// The keys, `tenant` first.
    pub keys: Vec<Value>,
    /// Delete only this version.
    pub if_version: Option<i64>,
    /// Delete only while this lease is held.
    pub fence: Option<Fence>,
    /// The event that reports the change.
    pub event: NewEvent,
}

/// Which rows to list: those whose first keys are `fixed`, in the order of the others.
pub(super) struct List<'a> {
    /// The leading keys, `tenant` first.
    pub fixed: Vec<Value>,
    /// Go on after the row of these other keys.
    pub after: Option<Vec<Value>>,
    /// Only rows whose first key that is not fixed begins so.
    pub prefix: &'a str,
    /// The most rows to give.
    pub limit: u32,
}

impl Table {
    /// `name` without `toolkeep_`; `heavy` columns are left out of lists.
    pub(super) const fn new(
        name: &'static str,
        keys: &'static [&'static str],
        light: &'static [&'static str],
        heavy: &'static [&'static str],
    ) -> Table {
        Table { name, keys, light, heavy, sync_later: false, sql: OnceLock::new() }
    }

    /// The same table, whose changes a power cut in the next second may undo.
    pub(super) const fn synced_later(mut self) -> Table {
        self.sync_later = true;
        self
    }

    fn sql(&self) -> &Sql {
        self.sql.get_or_init(|| Sql::of(self))
    }
}

impl Sql {
    fn of(table: &Table) -> Sql {
        let name = format!("toolkeep_{}", table.name);
        let (keys, count) = (table.keys.join(", "), table.keys.len());
        let mut columns = [table.keys, table.light, &["version", "updated_at_ms"]].concat();
        let listed = columns.len();
        let list = columns.join(", ");
        columns.extend(table.heavy);
        let written = [table.keys, table.light, table.heavy, &["updated_at_ms"]].concat();
        let (places, last) = (numbered(written.len()), written.len());
        let insert =
            format!("INSERT INTO {name} ({}, version) VALUES ({places}, 1)", written.join(", "));
        let excluded = sets(&written[count..], |column, _| format!("excluded.{column}"));
        let given = sets(&written[count..], |_, place| format!("?{}", count + place));
        let here = equal(table.keys);
        Sql {
            get: format!("SELECT {} FROM {name} WHERE {here}", columns.join(", ")),
            put: format!(
                "{insert} ON CONFLICT ({keys}) DO UPDATE SET {excluded}, \
                 version = {name}.version + 1 RETURNING version"
            ),
            create: format!("{insert} ON CONFLICT ({keys}) DO NOTHING RETURNING version"),
            change: format!(
                "UPDATE {name} SET {given}, version = version + 1 \
                 WHERE {here} AND version = ?{} RETURNING version",
                last + 1
            ),
            same: format!(
                "UPDATE {name} SET version = version WHERE {here} AND {} = ?{}",
                table.heavy.first().copied().unwrap_or("version"),
                count + 1
            ),
            delete: format!(
                "DELETE FROM {name} WHERE {here} AND (CAST(?{0} AS BIGINT) IS NULL \
                 OR version = CAST(?{0} AS BIGINT))",
                count + 1
            ),
            lists: (0..count).map(|fixed| listing(&name, &list, table.keys, fixed)).collect(),
            columns,
            listed,
        }
    }
}

fn numbered(count: usize) -> String {
    (1..=count).map(|place| format!("?{place}")).collect::<Vec<_>>().join(", ")
}

fn equal(keys: &[&str]) -> String {
    let each = keys.iter().zip(1..).map(|(key, place)| format!("{key} = ?{place}"));
    each.collect::<Vec<_>>().join(" AND ")
}

fn sets(columns: &[&str], value: impl Fn(&str, usize) -> String) -> String {
    let each = columns
        .iter()
        .zip(1..)
        .map(|(column, place)| format!("{column} = {}", value(column, place)));
    each.collect::<Vec<_>>().join(", ")
}

/// Rows with `fixed` leading keys, after those of the other keys, whose first other key lies in a
/// range: `?1..` the fixed keys, the cursor, then from, until and limit.
fn listing(name: &str, columns: &str, keys: &[&str], fixed: usize) -> String {
    let (leading, others) = keys.split_at(fixed);
    let mut sql = format!("SELECT {columns} FROM {name} WHERE ");
    for (key, place) in leading.iter().zip(1..) {
        let _ = write!(sql, "{key} = ?{place} AND ");
    }
    let cursor: Vec<_> = (fixed + 1..=keys.len()).map(|place| format!("?{place}")).collect();
    let (others_text, first, next) = (others.join(", "), others[0], keys.len() + 1);
    let _ = write!(
        sql,
        "({others_text}) > ({}) AND {first} >= ?{next} AND {first} < ?{} \
         ORDER BY {others_text} LIMIT ?{}",
        cursor.join(", "),
        next + 1,
        next + 2
    );
    sql
}

/// Sorts after every key that begins with `prefix`, because no key is as long.
pub(super) fn beyond(prefix: &str) -> String {
    format!("{prefix}{}", "\u{10FFFF}".repeat(MAX_KEY_BYTES / 4 + 1))
}

impl<D: Driver> SqlStore<D> {
    /// Writes a row with its event. Gives the row's new version.
    pub(super) async fn put_row(
        &self,
        operation: &'static str,
        table: &'static Table,
        put: Put,
        now_ms: i64,
    ) -> Result<i64, Error> {
        let sql = table.sql();
        let mut guards = guards(&put.keys, put.fence, now_ms);
        let fences = guards.len();
        if let Some(body) = put.if_body {
            let params = put.keys.iter().cloned().chain([body.into()]).collect();
            guards.push(Statement::new(&sql.same, params).must_change());
        }
        let last = guards.len();
        let mut params = put.keys;
        params.extend(put.body);
        params.push(now_ms.into());
        let statement = match put.if_version {
            None => Statement::new(&sql.put, params),
            Some(0) => Statement::new(&sql.create, params).must_change(),
            Some(version) => {
                params.push(version.into());
                Statement::new(&sql.change, params).must_change()
            }
        };
        let statements = guards.into_iter().chain([statement]).collect();
        let batch = Batch { sync_later: table.sync_later, ..Batch::new(statements) };
        let batch = batch.with_events(vec![put.event]).map_err(|m| self.invalid(operation, m))?;
        let outcomes = match self.write(operation, batch).await? {
            Written::Done(outcomes) => outcomes,
            Written::ConditionFailed { statement } if statement < fences => {
                return Err(self.conflict(operation, lost(&put.what)));
            }
            Written::ConditionFailed { .. } => {
                return Err(self.conflict(operation, stale(&put.what, put.if_version)));
            }
        };
        match outcomes.get(last).and_then(|put| put.rows.first()).map(|row| row.0.as_slice()) {
            Some([Value::Int(version)]) => Ok(*version),
            _ => Err(self.bad_row(operation, BadRow(format!("{} has no version", put.what)))),
        }
    }

    /// The row of these keys.
    pub(super) async fn get_row<T>(
        &self,
        operation: &'static str,
        table: &'static Table,
        keys: Vec<Value>,
        decode: fn(&mut Fields) -> Result<T, BadRow>,
    ) -> Result<Option<T>, Error> {
        let sql = table.sql();
        let statement = Statement::new(&sql.get, keys);
        let rows = self.read(operation, statement).await?;
        Ok(self.decode_rows(operation, table, &sql.columns, rows, decode)?.pop())
    }

    /// Rows without their heavy columns, in order of their keys.
    pub(super) async fn list_rows<T>(
        &self,
        operation: &'static str,
        table: &'static Table,
        list: List<'_>,
        decode: fn(&mut Fields) -> Result<T, BadRow>,
    ) -> Result<Vec<T>, Error> {
        let sql = table.sql();
        let mut params = list.fixed;
        let fixed = params.len();
        let from_start = || vec![Value::from(""); table.keys.len() - fixed];
        params.extend(list.after.unwrap_or_else(from_start));
        params.extend([list.prefix.into(), beyond(list.prefix).into(), list.limit.into()]);
        let statement = Statement::new(&sql.lists[fixed], params);
        let rows = self.read(operation, statement).await?;
        self.decode_rows(operation, table, &sql.columns[..sql.listed], rows, decode)
    }

    /// An error names a row by its whole key.
    fn decode_rows<T>(
        &self,
        operation: &'static str,
        table: &'static Table,
        columns: &'static [&'static str],
        rows: Vec<Row>,
        decode: fn(&mut Fields) -> Result<T, BadRow>,
    ) -> Result<Vec<T>, Error> {
        let keys = table.keys.len();
        rows.into_iter()
            .map(|row| decode(&mut Fields::keyed(row, columns, keys)))
            .collect::<Result<_, _>>()
            .map_err(|problem| self.bad_row(operation, problem))
    }

    /// Deletes a row with its event. False if there is none.
    pub(super) async fn delete_row(
        &self,
        operation: &'static str,
        table: &'static Table,
        delete: Delete,
        now_ms: i64,
    ) -> Result<bool, Error> {
        let sql = table.sql();
        let guards = guards(&delete.keys, delete.fence, now_ms);
        let fences = guards.len();
        let mut params = delete.keys.clone();
        params.push(delete.if_version.into());
        let statement = Statement::new(&sql.delete, params).must_change();
        let statements = guards.into_iter().chain([statement]).collect();
        let batch = Batch { sync_later: table.sync_later, ..Batch::new(statements) };
        let batch =
            batch.with_events(vec![delete.event]).map_err(|m| self.invalid(operation, m))?;
        match self.write(operation, batch).await? {
            Written::Done(_) => Ok(true),
            Written::ConditionFailed { statement } if statement < fences => {
                Err(self.conflict(operation, lost(&delete.what)))
            }
            Written::ConditionFailed { .. } if delete.if_version.is_none() => Ok(false),
            // No row, or another version of it: only a read shows which.
            Written::ConditionFailed { .. } => {
                let there = self.read(operation, Statement::new(&sql.get, delete.keys)).await?;
                match there.is_empty() {
                    true => Ok(false),
                    false => Err(self.conflict(operation, stale(&delete.what, delete.if_version))),
                }
            }
        }
    }
}

fn guards(keys: &[Value], fence: Option<Fence>, now_ms: i64) -> Vec<Statement> {
    let tenant = keys.first().cloned().unwrap_or(Value::Null);
    fence.into_iter().map(|fence| fence.guard(tenant.clone(), now_ms)).collect()
}

fn lost(what: &str) -> String {
    format!("{what} was not written: its lease is no longer held; acquire it again")
}

/// What a conflict says when a version does not hold.
pub(super) fn stale(what: &str, if_version: Option<i64>) -> String {
    match if_version {
        Some(0) => format!("{what} exists already; get it and give its version"),
        Some(version) => {
            format!("{what} no longer has version {version}; get it again and decide anew")
        }
        None => format!("{what} was not written"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    static TABLE: Table = Table::new("things", &["tenant", "name"], &["size"], &["body"]);

    #[test]
    fn the_statements_follow_from_the_columns() {
        let sql = TABLE.sql();
        let expected = "SELECT tenant, name, size, version, updated_at_ms, body \
                        FROM toolkeep_things WHERE tenant = ?1 AND name = ?2";
        assert_eq!(sql.get, expected);
        let expected = "UPDATE toolkeep_things SET size = ?3, body = ?4, updated_at_ms = ?5, \
                        version = version + 1 WHERE tenant = ?1 AND name = ?2 AND version = ?6 \
                        RETURNING version";
        assert_eq!(sql.change, expected);
        let expected = "SELECT tenant, name, size, version, updated_at_ms FROM toolkeep_things \
                        WHERE tenant = ?1 AND (name) > (?2) AND name >= ?3 AND name < ?4 \
                        ORDER BY name LIMIT ?5";
        assert_eq!(sql.lists[1], expected);
    }

    #[test]
    fn nothing_that_begins_so_sorts_after_beyond() {
        for rest in ["", "z", "\u{10FFFF}\u{10FFFF}"] {
            assert!(format!("memory/{rest}") < beyond("memory/"));
        }
        assert!(beyond("memory/").as_str() < "memory0");
    }
}
