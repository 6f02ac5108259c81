//! Where a secret is stored. An envelope opens there and nowhere else.

use std::fmt;

use crate::limits::echo;

/// Where a secret is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The tenant.
    pub tenant: &'a str,
    /// The table, or whatever a store of another kind has instead.
    pub table: &'a str,
    /// The parts of the row's key, without the tenant, in the order of the table's key.
    pub row: &'a [&'a str],
    /// The column, or a path within it.
    pub field: &'a str,
}

impl Place<'_> {
    /// The place as bytes, behind `header`. Every part comes with its length, and only the row may
    /// have any number of parts, so that no two places give the same bytes.
    pub(super) fn bind(&self, header: &[u8]) -> Vec<u8> {
        let mut bound = header.to_vec();
        let mut add = |part: &str| {
            bound.extend_from_slice(&(part.len() as u64).to_be_bytes());
            bound.extend_from_slice(part.as_bytes());
        };
        add(self.tenant);
        add(self.table);
        add(self.field);
        // Last: whatever follows the field is the row, so that it needs no count.
        self.row.iter().for_each(|part| add(part));
        bound
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Place { tenant, table, row, field } = self;
        let row: Vec<_> = row.iter().map(|part| echo(part)).collect();
        let (tenant, table, field) = (echo(tenant), echo(table), echo(field));
        write!(f, "table {table:?}, row {row:?}, field {field:?} of tenant {tenant:?}")
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_places_are_bound_alike() {
        let words = ["", "a", "b", "ab", "bc", "abc", "a\0", "\0\0\0\0\0\0\0\u{1}a"];
        let mut rows: Vec<Vec<&str>> = vec![vec![]];
        rows.extend(words.map(|word| vec![word]));
        rows.extend(words.iter().flat_map(|one| words.map(|two| vec![*one, two])));
        let mut places = BTreeSet::new();
        let mut made = 0;
        for tenant in words {
            for table in words {
                for field in words {
                    for row in &rows {
                        places.insert(Place { tenant, table, row, field }.bind(b"header"));
                        made += 1;
                    }
                }
            }
        }
        assert_eq!(places.len(), made);
    }

    #[test]
    fn a_place_is_shown_with_every_part_and_stays_short() {
        let row = ["gh", "line\nbreak"];
        let place = Place { tenant: "acme", table: "credentials", row: &row, field: "env" };
        let shown = place.to_string();
        let wanted =
            r#"table "credentials", row ["gh", "line\nbreak"], field "env" of tenant "acme""#;
        assert_eq!(shown, wanted);
        let long = "x".repeat(512);
        let place = Place { tenant: &long, table: &long, row: &[&long], field: &long };
        assert!(place.to_string().len() < 400);
    }
}
