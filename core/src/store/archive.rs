//! An export as a file: JSON Lines, first a header, then a row a line, then how many there were.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::Path;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::migrate::NEWEST;
use super::transfer::ExportRow;
use super::{Error, Kind, Store};

/// The form of the file that this library writes.
const FORMAT: u32 = 1;
/// How many rows one transaction imports at most.
const BATCH_ROWS: usize = 256;
/// How many bytes of lines one transaction imports at most, unless one line has more.
const BATCH_BYTES: usize = 8 << 20;
/// The longest line: a body of the largest size in base64, and some.
const MOST_LINE: u64 = 128 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    toolkeep_export: u32,
    schema: i64,
    tenant: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Footer {
    rows: u64,
}

/// How much was moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Moved {
    /// The number of rows.
    pub rows: u64,
}

/// Writes the rows of a tenant (none: of all tenants) to a new file. Stop the writers first: rows
/// that are written meanwhile may be in it or not. Sealed values stay sealed. A file of that name
/// is always a whole export: it gets its name at the end.
///
/// # Errors
///
/// [`Kind::Path`] if the file exists or cannot be written, or the store's error.
pub async fn export(store: &dyn Store, tenant: Option<&str>, to: &Path) -> Result<Moved, Error> {
    let refuse = |error: io::Error| wrong(store, to, &error.to_string());
    if to.symlink_metadata().is_ok() {
        return Err(wrong(store, to, "the file exists already; name another"));
    }
    let part = part_of(to);
    let file = OpenOptions::new().write(true).create_new(true).open(&part).map_err(refuse)?;
    let result = write_all(store, tenant, BufWriter::new(file), &refuse).await;
    let result = result.and_then(|moved| {
        fs::hard_link(&part, to).map_err(refuse)?;
        Ok(moved)
    });
    let _ = fs::remove_file(&part);
    result
}

async fn write_all(
    store: &dyn Store,
    tenant: Option<&str>,
    mut file: BufWriter<File>,
    refuse: &(dyn Fn(io::Error) -> Error + Sync),
) -> Result<Moved, Error> {
    let tenant_text = tenant.map(str::to_owned);
    let header = Header { toolkeep_export: FORMAT, schema: NEWEST, tenant: tenant_text };
    write_line(&mut file, &header).map_err(refuse)?;
    let (mut cursor, mut rows) = (None, 0);
    loop {
        let page = store.export_page(tenant, cursor).await?;
        for row in &page.rows {
            write_line(&mut file, row).map_err(refuse)?;
            rows += 1;
        }
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    write_line(&mut file, &Footer { rows }).map_err(refuse)?;
    let file = file.into_inner().map_err(|error| refuse(error.into_error()))?;
    let synced = tokio::task::spawn_blocking(move || file.sync_all()).await;
    synced.map_err(io::Error::other).and_then(|done| done).map_err(refuse)?;
    Ok(Moved { rows })
}

fn write_line(file: &mut BufWriter<File>, line: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut *file, line)?;
    file.write_all(b"\n")
}

/// Reads an export into a store that holds nothing of its tenant, or nothing at all if the export
/// is of all tenants. What was imported before an error stays: empty the store and begin again.
///
/// # Errors
///
/// [`Kind::Path`] if the file cannot be read, [`Kind::InvalidArgument`] naming the line that makes
/// no sense, [`Kind::Newer`] for the export of another schema, [`Kind::Conflict`] if the store is
/// not empty, or the store's error.
pub async fn import(store: &dyn Store, from: &Path) -> Result<Moved, Error> {
    let file = File::open(from).map_err(|error| wrong(store, from, &error.to_string()))?;
    let mut lines = Lines { store, from, file: BufReader::new(file), number: 0 };
    let header: Header = match lines.next()? {
        Some(line) => lines.parse(&line)?,
        None => return Err(lines.invalid("the file is empty")),
    };
    check(store, from, &header).await?;
    let (mut rows, mut batch, mut bytes) = (0, Vec::new(), 0);
    loop {
        let Some(line) = lines.next()? else {
            return Err(lines.invalid("the file ends before its last line; export again"));
        };
        if let Ok(Footer { rows: expected }) = serde_json::from_str(&line) {
            rows += take(&lines, &mut batch).await?;
            if expected != rows {
                let text = format!("the file has {rows} rows and says it has {expected}");
                return Err(lines.invalid(&text));
            }
            return Ok(Moved { rows });
        }
        let row: ExportRow = lines.parse(&line)?;
        let tenant = row.row.get("tenant").and_then(serde_json::Value::as_str);
        if header.tenant.is_some() && tenant != header.tenant.as_deref() {
            return Err(lines.invalid("the row is not of the tenant that the first line names"));
        }
        bytes += line.len();
        batch.push(row);
        if batch.len() >= BATCH_ROWS || bytes >= BATCH_BYTES {
            rows += take(&lines, &mut batch).await?;
            bytes = 0;
        }
    }
}

async fn check(store: &dyn Store, from: &Path, header: &Header) -> Result<(), Error> {
    if header.toolkeep_export != FORMAT || header.schema != NEWEST {
        let text = format!(
            "the export `{}` has form {} and schema version {}, and this toolkeep reads form \
             {FORMAT} and schema version {NEWEST}; open its store with this toolkeep and export \
             again",
            from.display(),
            header.toolkeep_export,
            header.schema
        );
        return Err(Error::new(Kind::Newer, store.url(), text).during("store.import"));
    }
    let Some(table) = store.occupied_table(header.tenant.as_deref()).await? else { return Ok(()) };
    let whose = match &header.tenant {
        Some(tenant) => format!(" of tenant `{tenant}`"),
        None => String::new(),
    };
    let text =
        format!("the store holds rows{whose} already, in `{table}`; import into an empty one");
    Err(Error::new(Kind::Conflict, store.url(), text).during("store.import"))
}

async fn take(lines: &Lines<'_>, batch: &mut Vec<ExportRow>) -> Result<u64, Error> {
    let (count, rows) = (batch.len(), std::mem::take(batch));
    if rows.is_empty() {
        return Ok(0);
    }
    lines.store.import_rows(rows).await.map_err(|error| match error.kind() {
        Kind::InvalidArgument | Kind::Conflict => {
            let first = lines.number.saturating_sub(count);
            lines.invalid(&format!("among the {count} rows from line {first} on: {error}"))
        }
        _ => error,
    })?;
    Ok(count as u64)
}

struct Lines<'a> {
    store: &'a dyn Store,
    from: &'a Path,
    file: BufReader<File>,
    number: usize,
}

impl Lines<'_> {
    fn next(&mut self) -> Result<Option<String>, Error> {
        self.number += 1;
        let mut line = String::new();
        let read = (&mut self.file).take(MOST_LINE).read_line(&mut line);
        match read {
            Ok(0) => Ok(None),
            Ok(_) if line.ends_with('\n') => Ok(Some(line)),
            Ok(_) => Err(self.invalid("the line does not end; the file was cut")),
            Err(error) => Err(self.invalid(&error.to_string())),
        }
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, line: &str) -> Result<T, Error> {
        // The parser's own words could repeat what the line holds.
        serde_json::from_str(line).map_err(|_| self.invalid("the line is no row of an export"))
    }

    fn invalid(&self, why: &str) -> Error {
        let text = format!("`{}`, line {}: {why}", self.from.display(), self.number);
        Error::new(Kind::InvalidArgument, self.store.url(), text).during("store.import")
    }
}

/// The name of a file until it is whole.
pub(super) fn part_of(path: &Path) -> std::path::PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".part");
    name.into()
}

fn wrong(store: &dyn Store, path: &Path, why: &str) -> Error {
    Error::new(Kind::Path, store.url(), format!("`{}`: {why}", path.display()))
}
