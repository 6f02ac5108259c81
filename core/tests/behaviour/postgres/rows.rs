//! What the tables hold.

use toolkeep::store::driver::{Driver as _, Statement};
use toolkeep::store::{Artifact, Kind, PutAgent, Store};
use toolkeep_test_postgres::Server;

use super::{driver, open};

#[tokio::test]
async fn a_row_edited_into_nonsense_is_corrupt_and_named() {
    let server = Server::shared();
    let name = server.new_database_name();
    let store = open(&server.url(&name), 5_000).await.unwrap();
    store.put_agent(PutAgent::new("t", "crab"), 1).await.unwrap();
    server.sql(&name, "UPDATE toolkeep_agents SET deny = '{'");
    let error = store.get_agent("t", "crab").await.unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt);
    for part in ["agents.get", "`deny`", "(t, crab)", &name] {
        assert!(error.to_string().contains(part), "{error}");
    }
    server.sql(&name, "ALTER TABLE toolkeep_agents RENAME COLUMN deny TO denied");
    let error = store.put_agent(PutAgent::new("t", "crab"), 1).await.unwrap_err();
    assert_eq!(error.kind(), Kind::Corrupt, "{error}");
    server.sql(&name, "DROP TABLE toolkeep_agents");
    assert_eq!(store.get_agent("t", "crab").await.unwrap_err().kind(), Kind::Corrupt);
}

#[tokio::test]
async fn keys_are_refused_as_on_sqlite() {
    let postgres = open(&Server::shared().new_database(), 5_000).await.unwrap();
    let sqlite = open("memory:", 5_000).await.unwrap();
    let refusal = async |store: &dyn Store, key: &str| {
        let error = store.put_agent(PutAgent::new("t", key), 1).await.unwrap_err();
        (error.kind(), error.to_string().replace(&store.url(), ""))
    };
    for key in ["", "a\0b", &"x".repeat(513), &"🦀".repeat(129)] {
        let refused = refusal(&*postgres, key).await;
        assert_eq!(refused.0, Kind::InvalidArgument);
        assert_eq!(refused, refusal(&*sqlite, key).await);
    }
    for store in [&postgres, &sqlite] {
        for key in ["🦀", "é", "z", "Z", "a b", "a", "aa", &"🦀".repeat(128)] {
            store.put_agent(PutAgent::new("t", key), 1).await.unwrap();
        }
    }
    let ids = async |store: &dyn Store| {
        let agents = store.list_agents("t", None, 100).await.unwrap();
        agents.into_iter().map(|agent| agent.id).collect::<Vec<_>>()
    };
    // Byte by byte, whatever the collation of the database.
    assert_eq!(ids(&*postgres).await, ids(&*sqlite).await);
}

#[tokio::test]
async fn a_body_of_a_hundred_mebibytes_comes_back_whole() {
    let store = open(&Server::shared().new_database(), 60_000).await.unwrap();
    let body: Vec<u8> = (0..100 << 20).map(|n: u32| (n >> 3) as u8).collect();
    let artifact = Artifact {
        tenant: "t".into(),
        id: "big".into(),
        session: None,
        tool: "exec".into(),
        mime: "application/octet-stream".into(),
        body,
        created_at_ms: 0,
    };
    store.put_artifact(artifact.clone()).await.unwrap();
    assert!(store.get_artifact("t", None, "big").await.unwrap() == Some(artifact));
}

#[tokio::test]
async fn text_with_nul_is_refused_by_the_server_and_leaves_the_store_usable() {
    let driver = driver(&Server::shared().new_database(), 5_000).await;
    let insert = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES (?1, ?2)";
    let error = driver
        .write(Statement::new(insert, vec!["a\0b".into(), 1_i64.into()]).into())
        .await
        .unwrap_err();
    assert_eq!(error.kind(), Kind::InvalidArgument, "{error}");
    driver.write(Statement::new(insert, vec!["ab".into(), 1_i64.into()]).into()).await.unwrap();
}
