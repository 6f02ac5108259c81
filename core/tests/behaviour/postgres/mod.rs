//! A store on a real PostgreSQL server.

mod answers;
mod approve;
mod crowded;
mod hang;
mod lost;
mod network;
mod pages;
mod power;
mod refused;
mod rows;
mod shared;
mod tls;
mod upgrade;
mod virtual_files;

use std::sync::Arc;

use toolkeep::store::{self, Error, OpenOptions, PostgresDriver, PostgresOptions, Store, StoreUrl};

/// Opens a store whose calls wait for `timeout_ms` at most.
async fn open(url: &str, timeout_ms: u64) -> Result<Arc<dyn Store>, Error> {
    store::open(url, OpenOptions { timeout_ms, ..OpenOptions::default() }).await
}

/// Opens the driver alone, to run statements of the test's own.
async fn driver(url: &str, timeout_ms: u64) -> PostgresDriver {
    let StoreUrl::Postgres(url) = StoreUrl::parse(url).unwrap() else { panic!("{url}") };
    let options = PostgresOptions { timeout_ms, ..PostgresOptions::default() };
    PostgresDriver::open(*url, options).await.unwrap()
}

async fn failure(url: &str) -> Error {
    match open(url, 2_000).await {
        Ok(store) => panic!("{} was opened", store.url()),
        Err(error) => error,
    }
}
