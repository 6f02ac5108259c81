//! Checking a whole store: the database's own check, then what only toolkeep knows of its rows.

use data_encoding::{BASE64, HEXLOWER};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};
use sha2::{Digest as _, Sha256};

use super::driver::{Driver, Statement, Value};
use super::layout::LAYOUTS;
use super::transfer::{ExportCursor, ExportRow};
use super::{Audit as _, Error, Kind, SqlStore, Transfer as _};

const OPERATION: &str = "store.check";

/// The most problems that a check lists.
const MOST_PROBLEMS: usize = 100;

/// The result of a check of a store.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StoreCheck {
    /// True if nothing is wrong.
    pub ok: bool,
    /// True if the database checked its own pages and indexes. False for PostgreSQL, whose server has
    /// tools of its own for that (`amcheck`, data checksums).
    pub database_checked: bool,
    /// How many rows were read.
    pub rows: u64,
    /// How many tenants' ledgers were verified.
    pub ledgers: u64,
    /// The problems; at most 100 are listed.
    pub problems: Vec<String>,
    /// How many problems there are.
    pub problem_count: u64,
    /// Advice on what to do.
    pub advice: Option<String>,
}

const ADVICE: &str = "Stop every process that uses the store and keep a copy of its files. Then restore the \
     last good backup, or export what can be read (`store.export`) and import it into a new store. See to the \
     disk, too: it may go on losing data.";

const TENANTS: &str = "SELECT MIN(tenant) FROM toolkeep_audit_segments WHERE tenant > ?1";

#[derive(Default)]
struct Found {
    rows: u64,
    ledgers: u64,
    problems: Vec<String>,
    count: u64,
}

impl Found {
    fn add(&mut self, problem: impl Into<String>) {
        self.count += 1;
        if self.problems.len() < MOST_PROBLEMS {
            self.problems.push(problem.into());
        }
    }

    /// An error that says something about the rows is a problem; any other ends the check.
    fn add_error(&mut self, place: &str, error: Error) -> Result<(), Error> {
        match error.kind() {
            Kind::Corrupt => {
                self.add(format!("{place}: {}", error.message()));
                Ok(())
            }
            _ => Err(error.during(OPERATION)),
        }
    }
}

pub(super) async fn check<D: Driver>(store: &SqlStore<D>) -> Result<StoreCheck, Error> {
    let mut found = Found::default();
    let own = store.driver().integrity().await.map_err(|error| error.during(OPERATION))?;
    let database_checked = own.is_some();
    own.into_iter().flatten().for_each(|problem| found.add(problem));
    check_rows(store, &mut found).await?;
    check_ledgers(store, &mut found).await?;
    let ok = found.count == 0;
    Ok(StoreCheck {
        ok,
        database_checked,
        rows: found.rows,
        ledgers: found.ledgers,
        problems: found.problems,
        problem_count: found.count,
        advice: (!ok).then(|| ADVICE.into()),
    })
}

/// Reads every row of every table. A table is left at its first row that cannot be read.
async fn check_rows<D: Driver>(store: &SqlStore<D>, found: &mut Found) -> Result<(), Error> {
    for (table, layout) in LAYOUTS.iter().enumerate() {
        let mut cursor = ExportCursor::of_table(table);
        while let Some(at) = cursor.take() {
            match store.export_page(None, Some(at)).await {
                Ok(page) => {
                    found.rows += page.rows.len() as u64;
                    page.rows.iter().filter_map(problem_of).for_each(|problem| found.add(problem));
                    cursor = page.next.filter(|next| next.table() == table);
                }
                Err(error) => found.add_error(&format!("the table `{}`", layout.name), error)?,
            }
        }
    }
    Ok(())
}

/// What is wrong with a body that has its size and its hash beside it.
fn problem_of(row: &ExportRow) -> Option<String> {
    let field = |name: &str| row.row.get(name);
    let (size, body) = (field("size")?.as_u64()?, field("body")?.as_str()?);
    let body = BASE64.decode(body.as_bytes()).ok()?;
    let is_whole = body.len() as u64 == size
        && field("hash")
            .and_then(Json::as_str)
            .is_none_or(|hash| hash == HEXLOWER.encode(&Sha256::digest(&body)));
    (!is_whole).then(|| {
        let key = key_of(&row.row);
        format!("the body of {key} in the table `{}` is not the one that was written", row.table)
    })
}

fn key_of(row: &Map<String, Json>) -> String {
    let named = ["tenant", "agent", "user_key", "name", "path"];
    let parts = named.iter().filter_map(|name| row.get(*name)?.as_str());
    format!("({})", parts.collect::<Vec<_>>().join(", "))
}

async fn check_ledgers<D: Driver>(store: &SqlStore<D>, found: &mut Found) -> Result<(), Error> {
    let mut after = String::new();
    loop {
        let next = Statement::new(TENANTS, vec![after.as_str().into()]);
        let rows = match store.read(OPERATION, next).await {
            Ok(rows) => rows,
            Err(error) => return found.add_error("the ledgers", error),
        };
        let Some([Value::Text(tenant)]) = rows.first().map(|row| row.0.as_slice()) else {
            return Ok(());
        };
        match store.verify_audit(tenant, Vec::new()).await {
            Ok(report) => {
                found.ledgers += 1;
                for problem in &report.problems {
                    found.add(format!(
                        "the ledger of tenant `{tenant}`, writer `{}`, segment {}: {}",
                        problem.writer, problem.segment, problem.what
                    ));
                }
            }
            Err(error) => found.add_error(&format!("the ledger of tenant `{tenant}`"), error)?,
        }
        after.clone_from(tenant);
    }
}
