//! Moving a store: its rows out and in, and a copy of it while it is in use.

use std::path::PathBuf;
use std::sync::atomic::Ordering::SeqCst;

use data_encoding::BASE64;
use futures_util::FutureExt as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::driver::{Batch, Driver, Row, Statement, Value, Written};
use super::fields::{BadRow, text};
use super::layout::{LAYOUTS, Layout, Type};
use super::{Error, Kind, SqlStore, StoreFuture};
use crate::id::check_key;

/// How many rows of a table a page of an export holds at most.
const PAGE: u32 = 500;
/// How many bytes a page of an export holds at most, unless one row has more.
const PAGE_BYTES: i64 = 8 << 20;

/// One row of an export.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExportRow {
    /// The table, such as `agents`.
    pub table: String,
    /// Its columns: texts, whole numbers, bytes in base64, or null.
    pub row: Map<String, Json>,
}

/// Where an export goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportCursor {
    table: usize,
    after: Vec<Value>,
}

impl ExportCursor {
    /// The beginning of a table; none beyond the last one.
    pub(super) fn of_table(table: usize) -> Option<ExportCursor> {
        LAYOUTS.get(table).map(|layout| ExportCursor { table, after: layout.start() })
    }

    pub(super) fn table(&self) -> usize {
        self.table
    }
}

/// Some rows of an export.
#[derive(Clone, Debug, PartialEq)]
pub struct ExportPage {
    /// The rows, of one table, in the order of their keys.
    pub rows: Vec<ExportRow>,
    /// Where to go on; none at the end.
    pub next: Option<ExportCursor>,
}

/// Moves the rows of a store. A store of a host's own may leave these out.
pub trait Transfer: Send + Sync {
    /// The next rows of a tenant (none: of all tenants), from the beginning without a cursor.
    /// Sealed values stay sealed. Each page is read by itself: stop the writers to get one moment.
    fn export_page<'a>(
        &'a self,
        _tenant: Option<&'a str>,
        _cursor: Option<ExportCursor>,
    ) -> StoreFuture<'a, ExportPage> {
        async { Err(unsupported("export")) }.boxed()
    }

    /// Writes exported rows, all or none.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`] if a row is there already, [`Kind::InvalidArgument`] naming the table
    /// and the column of what makes no sense.
    fn import_rows(&self, _rows: Vec<ExportRow>) -> StoreFuture<'_, ()> {
        async { Err(unsupported("import")) }.boxed()
    }

    /// A table that holds rows of the tenant (none: of any tenant), if there is one.
    fn occupied_table<'a>(
        &'a self,
        _tenant: Option<&'a str>,
    ) -> StoreFuture<'a, Option<&'static str>> {
        async { Err(unsupported("import")) }.boxed()
    }

    /// Writes a copy of the whole store to a file that does not exist yet, as it is at one
    /// moment, while it is in use.
    ///
    /// # Errors
    ///
    /// [`Kind::Unsupported`] by a store that is no file; its server has tools for it.
    fn backup(&self, _to: PathBuf) -> StoreFuture<'_, ()> {
        async { Err(unsupported("backup")) }.boxed()
    }
}

fn unsupported(what: &str) -> Error {
    Error::new(Kind::Unsupported, "?", format!("this store has no {what}; use its own tools"))
}

impl<D: Driver> Transfer for SqlStore<D> {
    fn export_page<'a>(
        &'a self,
        tenant: Option<&'a str>,
        cursor: Option<ExportCursor>,
    ) -> StoreFuture<'a, ExportPage> {
        async move {
            const OPERATION: &str = "store.export";
            self.check_given(OPERATION, &[("tenant", tenant)])?;
            let table = cursor.as_ref().map_or(0, |cursor| cursor.table);
            let Some(layout) = LAYOUTS.get(table) else {
                return Ok(ExportPage { rows: Vec::new(), next: None });
            };
            let after = cursor.map_or_else(|| layout.start(), |cursor| cursor.after);
            let sizes = layout.read(table, tenant, &after, PAGE, Columns::Sizes);
            let limit = fitting(&self.read(OPERATION, sizes).await?);
            let statement = layout.read(table, tenant, &after, limit, Columns::Rows);
            let rows = self.read(OPERATION, statement).await?;
            let full = !rows.is_empty();
            let last = rows.last().map(|row| row.0[..layout.keys].to_vec());
            let rows: Result<Vec<_>, BadRow> =
                rows.into_iter().map(|row| layout.export(row)).collect();
            let rows = rows.map_err(|problem| self.bad_row(OPERATION, problem))?;
            let next = match last {
                Some(after) if full => Some(ExportCursor { table, after }),
                _ => ExportCursor::of_table(table + 1),
            };
            Ok(ExportPage { rows, next })
        }
        .boxed()
    }

    fn import_rows(&self, rows: Vec<ExportRow>) -> StoreFuture<'_, ()> {
        async move {
            const OPERATION: &str = "store.import";
            let statements: Result<Vec<_>, String> = rows.into_iter().map(insert).collect();
            let statements = statements.map_err(|message| self.invalid(OPERATION, message))?;
            self.may_hold_path_locks.store(true, SeqCst);
            match self.write_large(OPERATION, Batch::new(statements)).await? {
                Written::Done(_) => Ok(()),
                Written::ConditionFailed { statement } => {
                    let message = format!(
                        "row {} of these is there already; import into an empty store",
                        statement + 1
                    );
                    Err(self.conflict(OPERATION, message))
                }
            }
        }
        .boxed()
    }

    fn occupied_table<'a>(
        &'a self,
        tenant: Option<&'a str>,
    ) -> StoreFuture<'a, Option<&'static str>> {
        async move {
            const OPERATION: &str = "store.import";
            self.check_given(OPERATION, &[("tenant", tenant)])?;
            for (layout, sql) in LAYOUTS.iter().zip(Layout::sql()) {
                let statement = match tenant {
                    None => Statement::new(&sql.any, vec![]),
                    Some(tenant) => Statement::new(&sql.any_of_tenant, vec![tenant.into()]),
                };
                if !self.read(OPERATION, statement).await?.is_empty() {
                    return Ok(Some(layout.name));
                }
            }
            Ok(None)
        }
        .boxed()
    }

    fn backup(&self, to: PathBuf) -> StoreFuture<'_, ()> {
        async move { self.driver().backup(to).await.map_err(|error| error.during("store.backup")) }
            .boxed()
    }
}

/// What of some rows is read.
#[derive(Clone, Copy)]
enum Columns {
    Rows,
    Sizes,
}

/// How many of the rows of these sizes are one page: at least one.
fn fitting(sizes: &[Row]) -> u32 {
    let (mut rows, mut bytes) = (0, 0);
    for size in sizes {
        if let [Value::Int(size)] = size.0.as_slice() {
            bytes += size;
        }
        if rows > 0 && bytes > PAGE_BYTES {
            break;
        }
        rows += 1;
    }
    rows.max(1)
}

impl Layout {
    /// A key before every key.
    fn start(&self) -> Vec<Value> {
        let before = |kind: &Type| match kind {
            Type::Int => Value::Int(i64::MIN),
            Type::Text | Type::Bytes => Value::from(""),
        };
        self.columns[..self.keys].iter().map(|(_, kind)| before(kind)).collect()
    }

    fn read(
        &self,
        table: usize,
        tenant: Option<&str>,
        after: &[Value],
        limit: u32,
        columns: Columns,
    ) -> Statement {
        let sql = &Layout::sql()[table];
        let (all, of_tenant) = match columns {
            Columns::Rows => (&sql.all, &sql.of_tenant),
            Columns::Sizes => (&sql.sizes_of_all, &sql.sizes_of_tenant),
        };
        let limit = [Value::from(limit)];
        match tenant {
            None => Statement::new(all, [after, &limit].concat()),
            Some(tenant) => {
                let tenant = [Value::from(tenant)];
                // A table with one row for each tenant goes on after the tenant itself.
                let after = if self.keys == 1 { after } else { &after[1..] };
                Statement::new(of_tenant, [&tenant, after, &limit].concat())
            }
        }
    }

    fn export(&self, row: Row) -> Result<ExportRow, BadRow> {
        let mut columns = Map::new();
        for ((name, kind), value) in self.columns.iter().zip(row.0) {
            let value = match (kind, value) {
                (_, Value::Null) => Json::Null,
                (Type::Text, Value::Text(text)) => Json::String(text),
                (Type::Int, Value::Int(int)) => Json::from(int),
                (Type::Bytes, Value::Bytes(bytes)) => Json::String(BASE64.encode(&bytes)),
                _ => {
                    let problem = format!(
                        "column `{name}` of a row in `{}` does not hold {}",
                        self.name,
                        kind.in_words()
                    );
                    return Err(BadRow(problem));
                }
            };
            columns.insert((*name).to_owned(), value);
        }
        Ok(ExportRow { table: self.name.to_owned(), row: columns })
    }
}

fn insert(exported: ExportRow) -> Result<Statement, String> {
    let ExportRow { table, mut row } = exported;
    let known = LAYOUTS.iter().zip(Layout::sql()).find(|(layout, _)| layout.name == table);
    let Some((layout, sql)) = known else {
        return Err(format!("there is no table `{}`", crate::limits::echo(&table)));
    };
    let mut params = Vec::with_capacity(layout.columns.len());
    for (name, kind) in layout.columns {
        let wrong = || {
            let wanted = kind.in_words();
            format!("column `{name}` of a row in `{table}` is missing or does not hold {wanted}")
        };
        let value = row.shift_remove(*name).ok_or_else(wrong)?;
        params.push(match (kind, value) {
            (_, Json::Null) => Value::Null,
            (Type::Text, Json::String(given)) if params.len() < layout.keys => {
                key(name, &given)?.into()
            }
            (Type::Text, Json::String(given)) => text(name, &given)?.into(),
            (Type::Int, Json::Number(number)) => number.as_i64().ok_or_else(wrong)?.into(),
            (Type::Bytes, Json::String(given)) => {
                BASE64.decode(given.as_bytes()).map_err(|_| wrong())?.into()
            }
            _ => return Err(wrong()),
        });
    }
    match row.keys().next() {
        Some(name) => Err(format!("a row in `{table}` has an unknown column `{name}`")),
        None => Ok(Statement::new(&sql.insert, params).must_change()),
    }
}

/// A part of a key. Only the tenant may not be empty: an empty part means "all".
fn key<'k>(name: &str, given: &'k str) -> Result<&'k str, String> {
    if given.is_empty() && name != "tenant" {
        return Ok(given);
    }
    check_key(name, given).map_err(|error| error.message().to_owned())?;
    Ok(given)
}
