//! The same statements, written by hand over the databases' own clients.

use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::{Connection, TransactionBehavior, params};
use tokio_postgres::{Client, NoTls, Statement};

const AGENT: &str = "SELECT tenant, id, description, allow, deny, settings, version, updated_at_ms \
                     FROM toolkeep_agents WHERE tenant = ?1 AND id = ?2";
const CREATE: &str = "INSERT INTO toolkeep_agents (tenant, id, description, allow, deny, settings, \
                      updated_at_ms, version) VALUES (?1, ?2, '', NULL, '[]', '{}', ?3, 1) \
                      ON CONFLICT (tenant, id) DO NOTHING RETURNING version";
const COUNT: &str = "INSERT INTO toolkeep_event_counters (tenant, last_seq) VALUES (?1, 1) \
                     ON CONFLICT (tenant) DO UPDATE SET last_seq = \
                     toolkeep_event_counters.last_seq + 1";
const APPEND: &str = "INSERT INTO toolkeep_events (tenant, seq, at_ms, kind, subject, data) \
                      SELECT tenant, last_seq, CAST(?2 AS BIGINT), 'bench.event', \
                      CAST(?3 AS TEXT), '{}' FROM toolkeep_event_counters WHERE tenant = ?1";
const CLAIM: &str = "INSERT INTO toolkeep_leases (tenant, kind, name, holder, epoch, \
                     expires_at_ms) VALUES (?1, 'bench', ?2, 'me', ?3, ?4) \
                     ON CONFLICT (tenant, kind, name) DO UPDATE SET \
                     epoch = toolkeep_leases.epoch + 1, holder = excluded.holder, \
                     expires_at_ms = excluded.expires_at_ms \
                     WHERE toolkeep_leases.expires_at_ms <= ?3 RETURNING epoch";
const TAIL: &str = "SELECT seq, at_ms, kind, subject, data FROM toolkeep_events \
                    WHERE tenant = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3";
const TENANT: &str = "default";

/// What is measured.
pub trait ByHand: Send + Sync + 'static {
    fn point_read(&self, id: &str) -> impl Future<Output = i64> + Send;
    fn conditional_write(&self, id: &str) -> impl Future<Output = ()> + Send;
    fn claim(&self, name: &str) -> impl Future<Output = bool> + Send;
    fn append(&self) -> impl Future<Output = ()> + Send;
    fn tail(&self, count: i64) -> impl Future<Output = usize> + Send;
}

fn point_read(connection: &Connection, id: &str) -> i64 {
    let mut statement = connection.prepare_cached(AGENT).unwrap();
    let mut rows = statement.query((TENANT, id)).unwrap();
    let Some(row) = rows.next().unwrap() else { return 0 };
    let texts: Vec<Option<String>> = (0..6).map(|column| row.get(column).unwrap()).collect();
    assert_eq!(texts.len(), 6);
    row.get::<_, i64>(7).unwrap();
    row.get(6).unwrap()
}

fn conditional_write(connection: &mut Connection, id: &str) {
    let behavior = TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behavior).unwrap();
    let version: i64 = transaction
        .prepare_cached(CREATE)
        .unwrap()
        .query_row((TENANT, id, 1), |row| row.get(0))
        .unwrap();
    assert_eq!(version, 1);
    transaction.prepare_cached(COUNT).unwrap().execute([TENANT]).unwrap();
    transaction.prepare_cached(APPEND).unwrap().execute((TENANT, 1, id)).unwrap();
    transaction.commit().unwrap();
}

fn claim(connection: &Connection, name: &str) -> bool {
    let mut statement = connection.prepare_cached(CLAIM).unwrap();
    let mut rows = statement.query(params![TENANT, name, 1, 60_001]).unwrap();
    rows.next().unwrap().is_some()
}

fn append(connection: &mut Connection) {
    let behavior = TransactionBehavior::Immediate;
    let transaction = connection.transaction_with_behavior(behavior).unwrap();
    transaction.prepare_cached(COUNT).unwrap().execute([TENANT]).unwrap();
    transaction.prepare_cached(APPEND).unwrap().execute((TENANT, 1, "bench")).unwrap();
    transaction.commit().unwrap();
}

fn tail(connection: &Connection, count: i64) -> usize {
    let mut statement = connection.prepare_cached(TAIL).unwrap();
    let mut rows = statement.query((TENANT, 100, count)).unwrap();
    let mut found = 0;
    while let Some(row) = rows.next().unwrap() {
        let texts: [String; 3] = [2, 3, 4].map(|column| row.get(column).unwrap());
        let data: serde_json::Value = serde_json::from_str(&texts[2]).unwrap();
        assert!(data.is_object());
        row.get::<_, i64>(0).unwrap();
        row.get::<_, i64>(1).unwrap();
        found += 1;
    }
    found
}

fn connect(path: &Path) -> Connection {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    connection.pragma_update(None, "synchronous", "NORMAL").unwrap();
    connection
}

/// On the thread that asks, which an async program can not do.
pub struct Sqlite(Mutex<Connection>);

impl Sqlite {
    pub fn open(path: &Path) -> Sqlite {
        Sqlite(Mutex::new(connect(path)))
    }

    pub fn durable(self) -> Sqlite {
        self.0.lock().unwrap().pragma_update(None, "synchronous", "FULL").unwrap();
        self
    }
}

impl ByHand for Sqlite {
    async fn point_read(&self, id: &str) -> i64 {
        point_read(&self.0.lock().unwrap(), id)
    }
    async fn conditional_write(&self, id: &str) {
        conditional_write(&mut self.0.lock().unwrap(), id);
    }
    async fn claim(&self, name: &str) -> bool {
        claim(&self.0.lock().unwrap(), name)
    }
    async fn append(&self) {
        append(&mut self.0.lock().unwrap());
    }
    async fn tail(&self, count: i64) -> usize {
        tail(&self.0.lock().unwrap(), count)
    }
}

/// Off the async threads, on those that tokio has for it.
pub struct OffThread(Arc<Mutex<Connection>>);

impl OffThread {
    pub fn open(path: &Path) -> OffThread {
        OffThread(Arc::new(Mutex::new(connect(path))))
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Connection) -> T + Send + 'static,
    ) -> T {
        let connection = self.0.clone();
        tokio::task::spawn_blocking(move || work(&mut connection.lock().unwrap())).await.unwrap()
    }
}

impl ByHand for OffThread {
    async fn point_read(&self, id: &str) -> i64 {
        let id = id.to_owned();
        self.run(move |connection| point_read(connection, &id)).await
    }
    async fn conditional_write(&self, id: &str) {
        let id = id.to_owned();
        self.run(move |connection| conditional_write(connection, &id)).await;
    }
    async fn claim(&self, name: &str) -> bool {
        let name = name.to_owned();
        self.run(move |connection| claim(connection, &name)).await
    }
    async fn append(&self) {
        self.run(append).await;
    }
    async fn tail(&self, count: i64) -> usize {
        self.run(move |connection| tail(connection, count)).await
    }
}

/// One connection with prepared statements.
pub struct Postgres {
    client: Client,
    agent: Statement,
    create: Statement,
    count: Statement,
    append: Statement,
    claim: Statement,
    tail: Statement,
}

impl Postgres {
    pub async fn connect(url: &str) -> Postgres {
        let (client, connection) = tokio_postgres::connect(url, NoTls).await.unwrap();
        tokio::spawn(connection);
        let prepare = async |sql: &str| client.prepare(&sql.replace('?', "$")).await.unwrap();
        Postgres {
            agent: prepare(AGENT).await,
            create: prepare(CREATE).await,
            count: prepare(COUNT).await,
            append: prepare(APPEND).await,
            claim: prepare(CLAIM).await,
            tail: prepare(TAIL).await,
            client,
        }
    }
}

impl ByHand for Postgres {
    async fn point_read(&self, id: &str) -> i64 {
        let row = self.client.query_opt(&self.agent, &[&TENANT, &id]).await.unwrap();
        let Some(row) = row else { return 0 };
        let texts: Vec<Option<String>> = (0..6).map(|column| row.get(column)).collect();
        assert_eq!(texts.len(), 6);
        row.get::<_, i64>(7);
        row.get(6)
    }
    async fn conditional_write(&self, id: &str) {
        self.client.batch_execute("BEGIN").await.unwrap();
        let row = self.client.query_one(&self.create, &[&TENANT, &id, &1_i64]).await.unwrap();
        assert_eq!(row.get::<_, i64>(0), 1);
        self.client.execute(&self.count, &[&TENANT]).await.unwrap();
        self.client.execute(&self.append, &[&TENANT, &1_i64, &id]).await.unwrap();
        self.client.batch_execute("COMMIT").await.unwrap();
    }
    async fn claim(&self, name: &str) -> bool {
        let (now, until) = (1_i64, 60_001_i64);
        let row = self.client.query_opt(&self.claim, &[&TENANT, &name, &now, &until]).await;
        row.unwrap().is_some()
    }
    async fn append(&self) {
        self.client.batch_execute("BEGIN").await.unwrap();
        self.client.execute(&self.count, &[&TENANT]).await.unwrap();
        self.client.execute(&self.append, &[&TENANT, &1_i64, &"bench"]).await.unwrap();
        self.client.batch_execute("COMMIT").await.unwrap();
    }
    async fn tail(&self, count: i64) -> usize {
        let rows = self.client.query(&self.tail, &[&TENANT, &100_i64, &count]).await.unwrap();
        for row in &rows {
            let texts: [String; 3] = [2, 3, 4].map(|column| row.get(column));
            let data: serde_json::Value = serde_json::from_str(&texts[2]).unwrap();
            assert!(data.is_object());
            row.get::<_, i64>(0);
            row.get::<_, i64>(1);
        }
        rows.len()
    }
}
