//! The tables as they stand after every migration: what an export writes and an import expects.

use std::sync::OnceLock;

/// A table and its columns, those of its key first.
pub(super) struct Layout {
    /// Its name without `toolkeep_`.
    pub name: &'static str,
    pub keys: usize,
    pub columns: &'static [(&'static str, Type)],
}

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Text,
    Int,
    Bytes,
}

impl Type {
    /// What an export holds of it.
    pub fn in_words(self) -> &'static str {
        match self {
            Text => "text",
            Int => "a whole number",
            Bytes => "bytes in base64",
        }
    }
}

use Type::{Bytes, Int, Text};

/// Every table with rows of tenants.
#[rustfmt::skip]
pub(super) static LAYOUTS: &[Layout] = &[
    table("agents", 2, &[
        ("tenant", Text), ("id", Text), ("description", Text), ("allow", Text), ("deny", Text),
        ("settings", Text), ("version", Int), ("updated_at_ms", Int),
    ]),
    table("sessions", 2, &[
        ("tenant", Text), ("id", Text), ("agent", Text), ("user_key", Text), ("channel", Text),
        ("chat", Text), ("label", Text), ("provider", Text), ("model", Text), ("summary", Text),
        ("settings", Text), ("messages", Int), ("input_tokens", Int), ("output_tokens", Int),
        ("compactions", Int), ("created_at_ms", Int), ("version", Int), ("updated_at_ms", Int),
    ]),
    table("session_messages", 3, &[
        ("tenant", Text), ("session", Text), ("seq", Int), ("at_ms", Int), ("role", Text),
        ("content", Bytes),
    ]),
    table("session_marks", 3, &[
        ("tenant", Text), ("session", Text), ("mark", Text), ("at_ms", Int),
    ]),
    table("file_marks", 3, &[
        ("tenant", Text), ("file", Text), ("mark", Text), ("at_ms", Int),
    ]),
    table("context_files", 4, &[
        ("tenant", Text), ("agent", Text), ("user_key", Text), ("name", Text), ("size", Int),
        ("body", Bytes), ("version", Int), ("updated_at_ms", Int),
    ]),
    table("documents", 4, &[
        ("tenant", Text), ("agent", Text), ("user_key", Text), ("path", Text), ("mime", Text),
        ("size", Int), ("hash", Text), ("body", Bytes), ("version", Int),
        ("updated_at_ms", Int),
    ]),
    table("approvals", 2, &[
        ("tenant", Text), ("id", Text), ("digest", Text), ("agent", Text), ("user_key", Text),
        ("session", Text), ("tool", Text), ("request", Text), ("state", Text),
        ("decided_by", Text), ("reason", Text), ("edited", Text), ("created_at_ms", Int),
        ("expires_at_ms", Int), ("decided_at_ms", Int), ("updated_at_ms", Int),
    ]),
    table("rules", 3, &[
        ("tenant", Text), ("kind", Text), ("id", Text), ("agent", Text), ("user_key", Text),
        ("effect", Text), ("pattern", Text), ("settings", Text), ("source", Text),
        ("expires_at_ms", Int), ("version", Int), ("updated_at_ms", Int),
    ]),
    table("grants", 5, &[
        ("tenant", Text), ("kind", Text), ("resource", Text), ("agent", Text),
        ("user_key", Text), ("effect", Text), ("settings", Text), ("granted_by", Text),
        ("version", Int), ("updated_at_ms", Int),
    ]),
    table("custom_tools", 3, &[
        ("tenant", Text), ("agent", Text), ("name", Text), ("description", Text),
        ("parameters", Text), ("command", Text), ("working_dir", Text),
        ("timeout_seconds", Int), ("enabled", Int), ("settings", Text), ("created_by", Text),
        ("env_names", Text), ("env", Bytes), ("version", Int), ("updated_at_ms", Int),
    ]),
    table("credentials", 4, &[
        ("tenant", Text), ("name", Text), ("agent", Text), ("user_key", Text), ("kind", Text),
        ("host_scope", Text), ("settings", Text), ("key_id", Text), ("value", Bytes),
        ("version", Int), ("updated_at_ms", Int),
    ]),
    table("leases", 3, &[
        ("tenant", Text), ("kind", Text), ("name", Text), ("holder", Text), ("epoch", Int),
        ("expires_at_ms", Int), ("data", Text),
    ]),
    table("rates", 4, &[
        ("tenant", Text), ("bucket", Text), ("at_ms", Int), ("id", Text),
        ("expires_at_ms", Int),
    ]),
    table("artifacts", 2, &[
        ("tenant", Text), ("id", Text), ("session", Text), ("tool", Text), ("mime", Text),
        ("created_at_ms", Int), ("body", Bytes),
    ]),
    table("audit_rows", 3, &[
        ("tenant", Text), ("id", Text), ("phase", Text), ("at_ms", Int), ("agent", Text),
        ("user_key", Text), ("session", Text), ("tool", Text), ("called_as", Text),
        ("decision", Text), ("code", Text), ("rule", Text), ("arguments", Bytes),
        ("duration_us", Int), ("is_error", Int), ("run", Text), ("depth", Int),
        ("writer", Text), ("segment", Int), ("position", Int), ("notes", Text),
        ("hash", Bytes),
    ]),
    table("audit_segments", 3, &[
        ("tenant", Text), ("writer", Text), ("segment", Int), ("row_count", Int),
        ("first_at_ms", Int), ("last_at_ms", Int), ("hash", Bytes), ("previous", Bytes),
        ("state", Text),
    ]),
    table("events", 2, &[
        ("tenant", Text), ("seq", Int), ("at_ms", Int), ("kind", Text), ("subject", Text),
        ("data", Text),
    ]),
    table("event_counters", 1, &[
        ("tenant", Text), ("last_seq", Int),
    ]),
];

const fn table(
    name: &'static str,
    keys: usize,
    columns: &'static [(&'static str, Type)],
) -> Layout {
    Layout { name, keys, columns }
}

/// The statements of a table, by the way it is read.
pub(super) struct TableSql {
    /// Rows of every tenant after a key.
    pub all: String,
    /// Rows of one tenant after the other parts of a key.
    pub of_tenant: String,
    /// Whether there is a row, of any tenant or of one.
    pub any: String,
    pub any_of_tenant: String,
    /// How many bytes each of these rows has.
    pub sizes_of_all: String,
    pub sizes_of_tenant: String,
    pub insert: String,
}

impl Layout {
    /// The statements of every table, in the order of [`LAYOUTS`].
    pub fn sql() -> &'static [TableSql] {
        static SQL: OnceLock<Vec<TableSql>> = OnceLock::new();
        SQL.get_or_init(|| LAYOUTS.iter().map(TableSql::of).collect())
    }
}

impl TableSql {
    fn of(layout: &Layout) -> TableSql {
        let table = format!("toolkeep_{}", layout.name);
        let columns: Vec<&str> = layout.columns.iter().map(|(name, _)| *name).collect();
        let (keys, count) = (&columns[..layout.keys], columns.len());
        let listed = columns.join(", ");
        let place = |n: usize| format!("?{n}");
        let places = |range: std::ops::RangeInclusive<usize>| {
            range.map(place).collect::<Vec<_>>().join(", ")
        };
        let (last, order) = (keys.len(), keys.join(", "));
        let size = |(name, kind): &(&str, Type)| match kind {
            Int => "8".to_owned(),
            Text | Bytes => format!("COALESCE(CAST(octet_length({name}) AS BIGINT), 0)"),
        };
        let size = layout.columns.iter().map(size).collect::<Vec<_>>().join(" + ");
        let of_tenant = |listed: &str| match &keys[1..] {
            [] => {
                format!("SELECT {listed} FROM {table} WHERE tenant = ?1 AND tenant > ?2 LIMIT ?3")
            }
            others => format!(
                "SELECT {listed} FROM {table} WHERE tenant = ?1 AND ({0}) > ({1}) \
                 ORDER BY {0} LIMIT {2}",
                others.join(", "),
                places(2..=last),
                place(last + 1)
            ),
        };
        let all = |listed: &str| {
            format!(
                "SELECT {listed} FROM {table} WHERE ({order}) > ({}) ORDER BY {order} LIMIT {}",
                places(1..=last),
                place(last + 1)
            )
        };
        TableSql {
            all: all(&listed),
            of_tenant: of_tenant(&listed),
            sizes_of_all: all(&size),
            sizes_of_tenant: of_tenant(&size),
            any: format!("SELECT 1 FROM {table} LIMIT 1"),
            any_of_tenant: format!("SELECT 1 FROM {table} WHERE tenant = ?1 LIMIT 1"),
            insert: format!(
                "INSERT INTO {table} ({listed}) VALUES ({}) ON CONFLICT ({order}) DO NOTHING",
                places(1..=count)
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::migrate::{MIGRATIONS, SCHEMA_TABLE, SQLITE};

    #[test]
    fn the_layouts_are_those_of_the_migrated_tables() {
        let connection = rusqlite::Connection::open_in_memory().unwrap();
        for migration in MIGRATIONS {
            connection.execute_batch(&migration.sql(&SQLITE)).unwrap();
        }
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name <> ?1";
        let mut tables = connection.prepare(tables).unwrap();
        let tables: Vec<String> = tables
            .query_map([SCHEMA_TABLE], |row| row.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        assert_eq!(tables.len(), LAYOUTS.len());
        for layout in LAYOUTS {
            let sql = "SELECT name, type, pk FROM pragma_table_info(?1)";
            let mut columns = connection.prepare(sql).unwrap();
            let mut found: Vec<(String, String, i64)> = columns
                .query_map([format!("toolkeep_{}", layout.name)], |row| {
                    Ok((row.get(0)?, row.get(1)?, row.get(2)?))
                })
                .unwrap()
                .map(Result::unwrap)
                .collect();
            let keys = found.iter().filter(|(_, _, key)| *key > 0).count();
            assert_eq!(keys, layout.keys, "{}", layout.name);
            let mut expected: Vec<(String, String, i64)> = layout
                .columns
                .iter()
                .zip(1..)
                .map(|((name, kind), place)| {
                    let kind = match kind {
                        Text => "TEXT",
                        Int => "INTEGER",
                        Bytes => "BLOB",
                    };
                    let key = if place <= keys as i64 { place } else { 0 };
                    ((*name).to_owned(), kind.to_owned(), key)
                })
                .collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected, "{}", layout.name);
        }
    }
}
