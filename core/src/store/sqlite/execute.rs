//! Running statements on a connection.

use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, Result, Transaction, TransactionBehavior, params_from_iter};

use crate::store::driver::{Batch, Outcome, Row, Statement, Value, Written};

impl ToSql for Value {
    fn to_sql(&self) -> Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Value::Null => ValueRef::Null,
            Value::Int(int) => ValueRef::Integer(*int),
            Value::Real(real) => ValueRef::Real(*real),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

pub(super) fn read(connection: &Connection, statement: &Statement) -> Result<Vec<Row>> {
    run(connection, statement).map(|outcome| outcome.rows)
}

/// Writes a batch in a transaction of its own. It takes the write lock first, so that what the
/// batch reads cannot change before it writes; a lone statement does so by itself.
pub(super) fn write(connection: &Connection, batch: &Batch) -> Result<Written> {
    if let [statement] = batch.statements.as_slice() {
        let outcome = run(connection, statement)?;
        return Ok(match statement.require_change && outcome.changed == 0 {
            true => Written::ConditionFailed { statement: 0 },
            false => Written::Done(vec![outcome]),
        });
    }
    let transaction = Transaction::new_unchecked(connection, TransactionBehavior::Immediate)?;
    let written = run_all(&transaction, batch)?;
    match written {
        Written::Done(_) => transaction.commit()?,
        Written::ConditionFailed { .. } => transaction.rollback()?,
    }
    Ok(written)
}

/// Writes a batch inside of a transaction that writes others too.
pub(super) fn write_nested(transaction: &Transaction<'_>, batch: &Batch) -> Result<Written> {
    transaction.prepare_cached("SAVEPOINT batch")?.execute([])?;
    let written = run_all(transaction, batch)?;
    match written {
        Written::Done(_) => release(transaction)?,
        Written::ConditionFailed { .. } => undo_nested(transaction)?,
    }
    Ok(written)
}

/// Undoes a batch that [`write_nested`] left unfinished because a statement failed.
pub(super) fn undo_nested(transaction: &Transaction<'_>) -> Result<()> {
    transaction.prepare_cached("ROLLBACK TO batch")?.execute([])?;
    release(transaction)
}

fn release(transaction: &Transaction<'_>) -> Result<()> {
    transaction.prepare_cached("RELEASE batch")?.execute([]).map(drop)
}

/// What SQLite finds wrong with the file, each as a line of text.
pub(super) fn integrity(connection: &Connection) -> Result<Vec<String>> {
    // What was read before is in memory and looks whole.
    connection.execute_batch("PRAGMA shrink_memory")?;
    let mut problems = Vec::new();
    for sql in ["PRAGMA integrity_check", "PRAGMA foreign_key_check"] {
        match lines(connection, sql) {
            Ok(lines) => problems.extend(lines.into_iter().filter(|line| line != "ok")),
            // Some damage ends the check itself.
            Err(error) if is_damage(&error) => problems.push(error.to_string()),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

fn lines(connection: &Connection, sql: &str) -> Result<Vec<String>> {
    connection.prepare(sql)?.query_map([], |row| row.get(0))?.collect()
}

fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::ErrorCode::{DatabaseCorrupt, NotADatabase};
    matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
}

fn run_all(connection: &Connection, batch: &Batch) -> Result<Written> {
    let mut outcomes = Vec::with_capacity(batch.statements.len());
    for (index, statement) in batch.statements.iter().enumerate() {
        let outcome = run(connection, statement)?;
        if statement.require_change && outcome.changed == 0 {
            return Ok(Written::ConditionFailed { statement: index });
        }
        outcomes.push(outcome);
    }
    Ok(Written::Done(outcomes))
}

fn run(connection: &Connection, statement: &Statement) -> Result<Outcome> {
    let mut prepared = connection.prepare_cached(statement.sql)?;
    let columns = prepared.column_count();
    let mut found = prepared.query(params_from_iter(&statement.params))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        // Collecting results would not know how many there will be.
        let mut values = Vec::with_capacity(columns);
        for index in 0..columns {
            values.push(value(row.get_ref(index)?, index)?);
        }
        rows.push(Row(values));
    }
    drop(found);
    let changed = if prepared.readonly() { 0 } else { connection.changes() };
    Ok(Outcome { rows, changed })
}

fn value(found: ValueRef<'_>, column: usize) -> Result<Value> {
    Ok(match found {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(int) => Value::Int(int),
        ValueRef::Real(real) => Value::Real(real),
        ValueRef::Text(text) => {
            let text = str::from_utf8(text).map_err(|e| rusqlite::Error::Utf8Error(column, e))?;
            Value::Text(text.to_owned())
        }
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
    })
}
