//! PostgreSQL's spelling of placeholders.

/// Writes `?1` as `$1`. No statement has a `?` in any other place; a driver's rules say so.
pub(super) fn numbered(sql: &str) -> String {
    sql.replace('?', "$")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_keep_their_numbers() {
        assert_eq!(numbered("SELECT ?1 WHERE a < ?12"), "SELECT $1 WHERE a < $12");
    }
}
