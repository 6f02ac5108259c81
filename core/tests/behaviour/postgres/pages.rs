//! Lists read what they give and not much more, also before the server has counted what is in a
//! table.

use toolkeep::store::{
    ApprovalQuery, ApprovalState, AuditQuery, ListSessions, SessionInfo, SessionPlace, Store,
};
use toolkeep_test_postgres::Server;

use super::open;

const SESSIONS: &str = "INSERT INTO toolkeep_sessions \
     SELECT 't', 's' || n, 'a' || n % 2, '', '', '', '', '', '', '', '{}', 0, 0, 0, 0, n, 1, \
     n * 7919 % 1000003 FROM generate_series(1, 20000) n";

const APPROVALS: &str = "INSERT INTO toolkeep_approvals \
     SELECT 't', 'i' || n, 'd' || n, 'a', 'u', 's' || n % 2, 'echo', '{}', \
     CASE WHEN n % 2 = 0 THEN 'pending' ELSE 'consumed' END, NULL, NULL, NULL, 0, 9999, NULL, 0 \
     FROM generate_series(1, 20000) n";

const ROWS: &str = "INSERT INTO toolkeep_audit_rows (tenant, id, at_ms, phase, session, tool, \
     called_as, decision, arguments, is_error, depth, writer, segment, position, hash) \
     SELECT 't', 'i' || n, n, 'completed', 's' || n % 2, 'echo', 'echo', 'allowed', '', 0, 0, 'w', \
     1, n, '' FROM generate_series(1, 20000) n";

/// How many rows of the table were read so far, by connections that are closed.
fn rows_read(server: &Server, name: &str, table: &str) -> u64 {
    let read = format!(
        "SELECT COALESCE(idx_tup_fetch, 0) + seq_tup_read FROM pg_stat_user_tables \
         WHERE relname = '{table}'"
    );
    server.sql(name, &read).parse().unwrap()
}

/// Reads ten pages of a hundred rows through a store of its own.
async fn rows_read_for(
    server: &Server,
    (name, table): (&str, &str),
    pages: impl AsyncFn(&dyn Store),
) -> u64 {
    let before = rows_read(server, name, table);
    let store = open(&server.url(name), 20_000).await.unwrap();
    pages(&*store).await;
    store.close().await.unwrap();
    // A connection reports when the server ends it, which may be a moment later.
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
         AND pid <> pg_backend_pid()";
    crate::support::eventually(async || server.sql(name, others) == "0").await;
    rows_read(server, name, table) - before
}

async fn page_sessions(store: &dyn Store, agent: Option<&str>) {
    let mut after: Option<SessionInfo> = None;
    for _ in 0..10 {
        let after_last = after
            .as_ref()
            .map(|last| SessionPlace { updated_at_ms: last.updated_at_ms, id: last.id.clone() });
        let list = ListSessions {
            tenant: "t".into(),
            agent: agent.map(str::to_owned),
            after: after_last,
            limit: 100,
            ..ListSessions::default()
        };
        let page = store.list_sessions(list).await.unwrap();
        assert_eq!(page.len(), 100);
        after = page.last().cloned();
    }
}

#[tokio::test]
async fn a_list_after_a_bulk_load_reads_no_more_than_its_pages() {
    let server = Server::shared();
    let name = server.new_database_name();
    open(&server.url(&name), 20_000).await.unwrap().close().await.unwrap();
    for bulk in [SESSIONS, APPROVALS, ROWS] {
        server.sql(&name, bulk);
    }
    let sessions = (&*name, "toolkeep_sessions");
    let all = rows_read_for(server, sessions, async |store| page_sessions(store, None).await).await;
    let of_one = async |store: &dyn Store| page_sessions(store, Some("a1")).await;
    let of_one = rows_read_for(server, sessions, of_one).await;
    let approvals = async |store: &dyn Store| {
        let query =
            ApprovalQuery { state: Some(ApprovalState::Pending), ..ApprovalQuery::new("t") };
        for _ in 0..10 {
            assert_eq!(store.list_approvals(query.clone(), 1).await.unwrap().len(), 100);
        }
    };
    let approvals = rows_read_for(server, (&name, "toolkeep_approvals"), approvals).await;
    let rows = async |store: &dyn Store| {
        let query = AuditQuery { session: Some("s1".into()), ..AuditQuery::new("t") };
        for latest in [true, false].repeat(5) {
            let query = AuditQuery { latest, ..query.clone() };
            assert_eq!(store.query_audit(query).await.unwrap().len(), 100);
        }
    };
    let rows = rows_read_for(server, (&name, "toolkeep_audit_rows"), rows).await;
    // A list that sorts reads 10,000 rows for a page.
    for (list, read) in [all, of_one, approvals, rows].into_iter().enumerate() {
        assert!((1_000..3_000).contains(&read), "list {list} read {read} rows");
    }
}
