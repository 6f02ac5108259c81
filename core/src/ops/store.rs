//! `store.*`

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::operations;
use crate::custom::Followed;
use crate::detached::detached;
use crate::error::Error;
use crate::runtime::Runtime;
use crate::store::{self, Moved, StoreCheck};

operations! {
    /// The store as a whole: what it is, a copy of it, its rows as a file.
    store as StoreOps {
        /// Returns which store this is.
        info(StoreInfoArgs) -> StoreInfo = info;
        /// Looks for damage in the whole store: the database's own check of its file, every row of
        /// every tenant, every ledger. Reads everything, while calls go on. Returns the problems
        /// and advice. Fails with `store_corrupt` if the store cannot be read at all.
        check(CheckStore) -> StoreCheck = check;
        /// Copies a SQLite store to a new file, as of one moment, while it is in use. For
        /// PostgreSQL use the server's own tools, such as `pg_dump`.
        backup(BackupStore) -> StoreFile = backup;
        /// Writes the rows of one tenant, or of all, to a new file (JSON Lines). `import` reads it
        /// into a store of any kind. Stop other writers first. Sealed values stay sealed.
        export(ExportStore) -> Moved = export;
        /// Reads an export into a store. The store must be empty: of that tenant, or wholly for an
        /// export of all tenants.
        import(ImportStore) -> Moved = import;
    }
}

/// The arguments of `store.info`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct StoreInfoArgs {}

/// Which store this is.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct StoreInfo {
    /// Its URL, without any password.
    pub url: String,
    /// The schema version of its tables.
    pub schema: i64,
}

/// The arguments of `store.check`: none.
#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CheckStore {}

/// The arguments of `store.backup`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BackupStore {
    /// The file to write; it must not exist. A relative path starts at the working directory.
    pub path: String,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct StoreFile {
    /// Its path.
    pub path: String,
}

/// The arguments of `store.export`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ExportStore {
    /// The file to write; it must not exist. A relative path starts at the working directory.
    pub path: String,
    /// Only the rows of this tenant. Left out: of all tenants.
    #[serde(default)]
    pub tenant: Option<String>,
}

/// The arguments of `store.import`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ImportStore {
    /// The file to read. A relative path starts at the working directory.
    pub path: String,
}

async fn info(runtime: &Runtime, _: StoreInfoArgs) -> Result<StoreInfo, Error> {
    Ok(StoreInfo { url: runtime.store().url(), schema: store::migrate::NEWEST })
}

async fn check(runtime: &Runtime, _: CheckStore) -> Result<StoreCheck, Error> {
    runtime.path().recorder.flush().await?;
    Ok(runtime.store().check_integrity().await?)
}

async fn backup(runtime: &Runtime, args: BackupStore) -> Result<StoreFile, Error> {
    runtime.path().recorder.flush().await?;
    runtime.store().backup(PathBuf::from(&args.path)).await?;
    Ok(StoreFile { path: args.path })
}

async fn export(runtime: &Runtime, args: ExportStore) -> Result<Moved, Error> {
    runtime.path().recorder.flush().await?;
    Ok(store::export(runtime.store(), args.tenant.as_deref(), args.path.as_ref()).await?)
}

async fn import(runtime: &Runtime, args: ImportStore) -> Result<Moved, Error> {
    let runtime = runtime.clone();
    // A caller that stops waiting must not keep the decisions of the old lists alive.
    detached(async move {
        let custom = runtime.system::<Followed>();
        let _change = custom.as_ref().map(|custom| custom.changing());
        let moved = store::import(runtime.store(), args.path.as_ref()).await;
        runtime.path().policy.rows_changed();
        Ok(moved?)
    })
    .await
}
