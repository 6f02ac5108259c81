//! What a power cut must not undo, on a server that acknowledges before it syncs.

use std::collections::BTreeSet;

use serde_json::json;
use toolkeep::store::driver::{Batch, Driver as _, Statement};
use toolkeep::store::{
    ApprovalState, GrantEffect, GrantKey, NewApproval, PutGrant, PutRule, RuleEffect, Verdict,
    suite,
};
use toolkeep_test_postgres::Server;

use super::{driver, open};

/// Notes with which setting a change is written. What has ended by itself can be deleted twice, and a
/// guard in somebody else's batch changes a lease to no effect.
const NOTE: &str = "CREATE TABLE noted (changed TEXT, setting TEXT); \
     CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN \
     IF current_query() NOT LIKE 'DELETE%expires_at_ms <=%' \
     AND current_query() NOT LIKE '%SET epoch = epoch%' THEN INSERT INTO noted \
     VALUES (TG_TABLE_NAME, current_setting('synchronous_commit')); END IF; \
     RETURN NULL; END $$";

/// Has the database note the changes of a table.
fn watch(server: &Server, name: &str, table: &str) {
    let trigger = format!(
        "CREATE TRIGGER noted AFTER INSERT OR UPDATE OR DELETE ON {table} \
         FOR EACH STATEMENT EXECUTE FUNCTION note()"
    );
    server.sql(name, &trigger);
}

fn set(server: &Server, name: &str, setting: &str) {
    server.sql(name, &format!("ALTER DATABASE {name} SET synchronous_commit = {setting}"));
}

#[tokio::test]
async fn what_gives_or_takes_a_right_is_synced_whatever_the_server_does_with_the_rest() {
    let tables = [
        "toolkeep_agents",
        "toolkeep_approvals",
        "toolkeep_credentials",
        "toolkeep_custom_tools",
        "toolkeep_grants",
        "toolkeep_leases",
        "toolkeep_rules",
        "toolkeep_session_marks",
    ];
    let server = Server::shared();
    let name = server.new_database_name();
    let url = server.url(&name);
    open(&url, 5_000).await.unwrap().close().await.unwrap();
    server.sql(&name, NOTE);
    for table in tables {
        watch(server, &name, table);
    }
    set(server, &name, "off");
    // It changes each of them in every way there is.
    suite::run(|| open(&url, 20_000)).await.unwrap();
    let noted = server.sql(&name, "SELECT DISTINCT changed, setting FROM noted");
    let noted: BTreeSet<&str> = noted.lines().collect();
    let synced: Vec<String> = tables.iter().map(|table| format!("{table}|on")).collect();
    assert_eq!(noted, synced.iter().map(String::as_str).collect());
}

#[tokio::test]
async fn a_batch_leaves_the_setting_to_the_server_where_that_syncs_or_the_batch_may_wait() {
    let server = Server::shared();
    let insert = "INSERT INTO toolkeep_event_counters VALUES (?1, 1)";
    let insert = |key: &str| Statement::new(insert, vec![key.into()]);
    for (setting, at_once) in [("off", "on"), ("local", "local"), ("remote_write", "remote_write")]
    {
        let name = server.new_database_name();
        driver(&server.url(&name), 5_000).await.close().await.unwrap();
        server.sql(&name, NOTE);
        watch(server, &name, "toolkeep_event_counters");
        set(server, &name, setting);
        let driver = driver(&server.url(&name), 5_000).await;
        for (batch, expected) in [
            (Batch::from(insert("a")), at_once),
            (Batch::new(vec![insert("b"), insert("c")]), at_once),
            (Batch::from(insert("d")).locked("lock".into()), at_once),
            (Batch::from(insert("e")).synced_later(), setting),
            (Batch::new(vec![insert("f"), insert("g")]).synced_later(), setting),
            (Batch::from(insert("h")).locked("lock".into()).synced_later(), setting),
        ] {
            driver.write(batch).await.unwrap();
            let noted = server.sql(&name, "DELETE FROM noted RETURNING setting");
            assert!(noted.lines().all(|noted| noted == expected), "{setting}: {noted}");
            assert!(!noted.is_empty());
        }
    }
}

#[tokio::test]
async fn what_was_taken_back_stays_so_when_the_server_is_killed_at_once() {
    let late = [("synchronous_commit", "off"), ("wal_writer_delay", "10s")];
    let mut server = Server::start(&late);
    let store = open(&server.url("postgres"), 20_000).await.unwrap();
    let (rule, grant, approval) = given();
    let rule = store.put_rule(rule, 1).await.unwrap();
    let key = grant.key.clone();
    store.put_grant(grant, 1).await.unwrap();
    store.request_approval(approval, 1).await.unwrap();
    let verdict = Verdict { allow: true, by: "ann".into(), reason: None, edited: None };
    store.decide_approval("t", "1", verdict, 2).await.unwrap();
    for round in 0..3 {
        // What was given is on the disk; what is taken must be, too.
        server.sql("postgres", "CHECKPOINT");
        match round {
            0 => assert!(store.delete_rule("t", "command", &rule.id, None, 3).await.unwrap()),
            1 => assert!(store.delete_grant(&key, None, 3).await.unwrap()),
            _ => drop(store.consume_approval("t", "1", "d", 3).await.unwrap().unwrap()),
        }
        server.kill();
        server.restart(&[]);
        let rule = store.get_rule("t", "command", &rule.id).await.unwrap();
        let grant = store.get_grant(&key).await.unwrap();
        let approval = store.get_approval("t", "1", 4).await.unwrap().unwrap();
        assert!(rule.is_none(), "round {round}");
        assert_eq!(grant.is_none(), round >= 1, "round {round}");
        assert_eq!(approval.state == ApprovalState::Consumed, round >= 2, "round {round}");
    }
}

/// A rule, a grant and an approval that somebody has.
fn given() -> (PutRule, PutGrant, NewApproval) {
    let rule = PutRule::new("t", "command", RuleEffect::Allow, "git status");
    let key = GrantKey {
        tenant: "t".into(),
        kind: "cli".into(),
        resource: "gh".into(),
        agent: None,
        user: None,
    };
    let grant = PutGrant {
        key,
        effect: GrantEffect::Allow,
        settings: json!({}),
        granted_by: "ann".into(),
        if_version: None,
    };
    let approval = NewApproval {
        tenant: "t".into(),
        id: "1".into(),
        digest: "d".into(),
        agent: None,
        user: None,
        session: None,
        tool: "exec".into(),
        request: json!({}),
        event_data: json!({}),
        expires_at_ms: 1_000,
    };
    (rule, grant, approval)
}
