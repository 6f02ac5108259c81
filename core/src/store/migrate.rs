//! The numbered migrations, forward only, and how each database spells them.
//!
//! A driver applies what [`pending`] gives in one transaction under an exclusive lock, and
//! records each version in the table `toolkeep_schema`, which the first migration makes.

/// One step of the schema.
#[derive(Clone, Copy, Debug)]
pub struct Migration {
    /// Its number: 1, 2, 3, ….
    pub version: i64,
    template: &'static str,
}

/// Every migration, in order.
pub const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, template: include_str!("migrations/0001_spine.sql") },
    Migration { version: 2, template: include_str!("migrations/0002_audit_chain.sql") },
    Migration { version: 3, template: include_str!("migrations/0003_records.sql") },
    Migration { version: 4, template: include_str!("migrations/0004_notes_and_marks.sql") },
    Migration { version: 5, template: include_str!("migrations/0005_file_marks.sql") },
];

/// The schema version that this library writes.
pub const NEWEST: i64 = MIGRATIONS[MIGRATIONS.len() - 1].version;

/// The table that holds the versions applied: `version`, `applied_at_ms`.
pub const SCHEMA_TABLE: &str = "toolkeep_schema";

/// How a database spells types and the end of a table.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// A key: text that compares byte by byte.
    pub key: &'static str,
    /// Text.
    pub text: &'static str,
    /// A whole number of 64 bits.
    pub int: &'static str,
    /// Bytes.
    pub bytes: &'static str,
    /// The end of a table.
    pub plain: &'static str,
    /// The end of a table of small rows that are best kept in the order of their key.
    pub clustered: &'static str,
}

/// SQLite's spelling. `STRICT` keeps a row edited by hand from holding values of wrong types.
pub const SQLITE: Dialect = Dialect {
    key: "TEXT",
    text: "TEXT",
    int: "INTEGER",
    bytes: "BLOB",
    plain: "STRICT",
    clustered: "STRICT, WITHOUT ROWID",
};

/// PostgreSQL's spelling. The collation makes keys compare byte by byte whatever the database's is.
pub const POSTGRES: Dialect = Dialect {
    key: "TEXT COLLATE \"C\"",
    text: "TEXT",
    int: "BIGINT",
    bytes: "BYTEA",
    plain: "",
    clustered: "",
};

impl Migration {
    /// The migration's SQL, as statements that end in semicolons.
    pub fn sql(&self, dialect: &Dialect) -> String {
        self.template
            .replace("{key}", dialect.key)
            .replace("{text}", dialect.text)
            .replace("{int}", dialect.int)
            .replace("{bytes}", dialect.bytes)
            .replace("{plain}", dialect.plain)
            .replace("{clustered}", dialect.clustered)
    }

    /// The tables that it drops, having copied what is in them. Where others can write meanwhile,
    /// lock them before anything else.
    pub fn drops(&self) -> impl Iterator<Item = &'static str> {
        let statements = self.template.lines().filter_map(|line| line.strip_prefix("DROP TABLE "));
        statements.map(|rest| rest.trim_end_matches(';'))
    }
}

/// The migrations that a database at version `found` (0: an empty one) still needs, in order;
/// none if it is newer than this library and must not be touched.
pub fn pending(found: i64) -> Option<impl Iterator<Item = &'static Migration>> {
    (found <= NEWEST).then(|| MIGRATIONS.iter().filter(move |migration| migration.version > found))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn migrations_are_numbered_without_gaps() {
        let versions: Vec<i64> = MIGRATIONS.iter().map(|migration| migration.version).collect();
        assert_eq!(versions, (1..=NEWEST).collect::<Vec<_>>());
    }

    #[test]
    fn no_brace_is_left_in_the_sql() {
        for migration in MIGRATIONS {
            for dialect in [SQLITE, POSTGRES] {
                assert!(!migration.sql(&dialect).contains(['{', '}']));
            }
        }
    }

    #[test]
    fn a_migration_names_every_table_that_it_drops() {
        let dropped: Vec<_> = MIGRATIONS.iter().flat_map(Migration::drops).collect();
        assert_eq!(dropped, ["toolkeep_audit"]);
        let drops = |migration: &Migration| migration.template.matches("DROP").count();
        assert_eq!(MIGRATIONS.iter().map(drops).sum::<usize>(), dropped.len());
    }

    #[test]
    fn a_newer_database_has_nothing_pending() {
        assert_eq!(pending(0).unwrap().count(), MIGRATIONS.len());
        assert_eq!(pending(NEWEST).unwrap().count(), 0);
        assert!(pending(NEWEST + 1).is_none());
    }
}
