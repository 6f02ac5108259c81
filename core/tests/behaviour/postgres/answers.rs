//! Connections that are lost between `COMMIT` and its answer.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::json;
use toolkeep::{CallContext, Config, Runtime};
use toolkeep_test_postgres::Server;

use crate::support::{echo, eventually};

/// A way to the server that loses the answer to the next `COMMIT`, when it is told to.
struct Way {
    port: u16,
    loses: Arc<AtomicBool>,
}

impl Way {
    fn to(server_port: u16) -> Way {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (port, loses) =
            (listener.local_addr().unwrap().port(), Arc::new(AtomicBool::new(false)));
        let armed = loses.clone();
        // Both end with the process of the test.
        thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let server = TcpStream::connect(("127.0.0.1", server_port)).unwrap();
                let doomed = Arc::new(AtomicBool::new(false));
                let (back, doom) = ((server.try_clone(), client.try_clone()), doomed.clone());
                let armed = armed.clone();
                thread::spawn(move || forth(client, server, &armed, &doom));
                thread::spawn(move || answers(back.0.unwrap(), back.1.unwrap(), &doomed));
            }
        });
        Way { port, loses }
    }

    fn is_waiting(&self) -> bool {
        self.loses.load(Ordering::SeqCst)
    }
}

fn forth(mut client: TcpStream, mut server: TcpStream, armed: &AtomicBool, doomed: &AtomicBool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = client.read(&mut bytes) {
        let commits = bytes[..count].windows(6).any(|word| word == b"COMMIT");
        if commits && armed.swap(false, Ordering::SeqCst) {
            doomed.store(true, Ordering::SeqCst);
        }
        if server.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = server.shutdown(Shutdown::Both);
}

fn answers(mut server: TcpStream, mut client: TcpStream, doomed: &AtomicBool) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(count @ 1..) = server.read(&mut bytes) {
        if doomed.load(Ordering::SeqCst) || client.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = client.shutdown(Shutdown::Both);
    let _ = server.shutdown(Shutdown::Both);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_whose_commit_was_not_answered_are_on_record_once_with_one_event_each() {
    for mode in ["batched", "durable"] {
        let server = Server::shared();
        let name = server.new_database_name();
        let way = Way::to(server.port());
        let url = server.url(&name).replace(&server.port().to_string(), &way.port.to_string());
        let config = json!({ "store": url, "record": { "mode": mode } });
        let config = Config::from_value(config).unwrap();
        let rt = Runtime::builder().config(config).tool(echo()).build().await.unwrap();
        let cx = CallContext::new().session("s");
        let call = async || rt.call(&cx, "echo", json!({ "text": "x" })).await;
        call().await.unwrap();
        rt.invoke("audit.query", json!({})).await.unwrap();
        let mut calls = 1;
        for _ in 0..3 {
            way.loses.store(true, Ordering::SeqCst);
            // In durable mode it fails, and is on record as failed.
            let _ = call().await;
            calls += 1;
            eventually(async || !way.is_waiting()).await;
            // The server is well: the next call goes through, and brings what was lost along.
            for _ in 0..2 {
                call().await.unwrap();
                calls += 1;
            }
        }
        rt.close().await.unwrap();
        let count = |sql: &str| server.sql(&name, sql).parse::<u64>().unwrap();
        assert_eq!(
            count("SELECT count(*) FROM toolkeep_audit_rows WHERE phase = 'completed'"),
            calls
        );
        let events = "SELECT count(DISTINCT data::json->>'call_id') FROM toolkeep_events";
        assert_eq!(count(events), calls, "{mode}");
        assert_eq!(count("SELECT count(*) FROM toolkeep_events"), calls, "{mode}");
    }
}
