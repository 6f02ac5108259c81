//! An export as a file: JSON Lines, first a header, then a row a line, then how many there were.

use std::fs::File;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read as _, Write as _};
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::migrate::NEWEST;
use super::temp_file::TempFile;
use super::transfer::ExportRow;
use super::{Error, Kind, MAX_BODY_BYTES, Store};
use crate::limits;

/// The form of the file that this library writes.
const FORMAT: u32 = 1;
/// How many rows one transaction imports at most.
const BATCH_ROWS: usize = 256;
/// How many bytes of lines one transaction imports at most, unless one line has more.
const BATCH_BYTES: usize = 8 << 20;
/// The longest line: a row of the largest size whose every byte JSON writes as six, and some.
const MOST_LINE: usize = 7 * MAX_BODY_BYTES;

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
    let refuse = |why: String| wrong(store, to, &why);
    let (temp_file, file) = TempFile::create(to).map_err(refuse)?;
    let file = BufWriter::new(file);
    let header =
        Header { toolkeep_export: FORMAT, schema: NEWEST, tenant: tenant.map(str::to_owned) };
    let mut file = write(file, vec![header]).await.map_err(refuse)?;
    let (mut cursor, mut rows) = (None, 0);
    loop {
        let page = store.export_page(tenant, cursor).await?;
        rows += page.rows.len() as u64;
        file = write(file, page.rows).await.map_err(refuse)?;
        cursor = page.next;
        if cursor.is_none() {
            break;
        }
    }
    let file = write(file, vec![Footer { rows }]).await.map_err(refuse)?;
    blocking(move || {
        file.into_inner().map_err(io::IntoInnerError::into_error)?;
        temp_file.keep()
    })
    .await
    .map_err(refuse)?;
    Ok(Moved { rows })
}

/// Writes lines away from the async threads.
async fn write<T: Serialize + Send + 'static>(
    mut file: BufWriter<File>,
    lines: Vec<T>,
) -> Result<BufWriter<File>, String> {
    blocking(move || {
        for line in lines {
            let line = serde_json::to_string(&line)?;
            if line.len() >= MOST_LINE {
                let start = limits::shortened(&line, 200);
                let text = format!("a row is too large to be exported; it begins with {start}");
                return Err(io::Error::other(text));
            }
            file.write_all(line.as_bytes())?;
            file.write_all(b"\n")?;
        }
        Ok(file)
    })
    .await
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(io::Error::other).and_then(|done| done).map_err(|error| error.to_string())
}

/// Reads an export into a store that holds nothing of its tenant, or nothing at all if the export
/// is of all tenants. What was imported before an error stays: empty the store and begin again.
///
/// # Errors
///
/// [`Kind::Path`] if the file cannot be read, [`Kind::InvalidArgument`] naming the line that makes
/// no sense, [`Kind::Newer`] for the export of another schema, [`Kind::Conflict`] if the store is
/// not empty, or the store's error.
pub async fn import(store: &dyn Store, from_path: &Path) -> Result<Moved, Error> {
    let (url, from) = (store.url(), from_path.to_owned());
    let mut lines = Lines::open(url, from).map_err(|why| wrong(store, from_path, &why))?;
    let header: Header = match lines.next()? {
        Some(line) => lines.parse(&line)?,
        None => return Err(lines.invalid("the file is empty")),
    };
    check(store, from_path, &header).await?;
    let mut rows = 0;
    fill(store, lines, &header, &mut rows).await.map_err(|error| match rows {
        0 => error,
        _ => error.and(&format!(
            "; {rows} rows from before it are in the store: take a fresh one, or delete them, and \
             import again"
        )),
    })?;
    Ok(Moved { rows })
}

/// Imports what follows the header, counting as it goes.
async fn fill(
    store: &dyn Store,
    mut lines: Lines,
    header: &Header,
    rows: &mut u64,
) -> Result<(), Error> {
    loop {
        let tenant = header.tenant.clone();
        let work = move || {
            let batch = lines.batch(tenant.as_deref());
            (lines, batch)
        };
        let (back, batch) = tokio::task::spawn_blocking(work).await.map_err(|error| {
            Error::new(Kind::Unavailable, store.url(), error.to_string()).during("store.import")
        })?;
        lines = back;
        let Batch { rows: read, end } = batch?;
        let count = read.len();
        if count > 0 {
            store.import_rows(read).await.map_err(|error| lines.refused(count, error))?;
        }
        *rows += count as u64;
        match end {
            Some(Footer { rows: expected }) if expected == *rows => return Ok(()),
            Some(Footer { rows: expected }) => {
                let text = format!("the file has {rows} rows and says it has {expected}");
                return Err(lines.invalid(&text));
            }
            None => {}
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
    let of_tenant = match &header.tenant {
        Some(tenant) => format!(" of tenant `{tenant}`"),
        None => String::new(),
    };
    let text =
        format!("the store holds rows{of_tenant} already, in `{table}`; import into an empty one");
    Err(Error::new(Kind::Conflict, store.url(), text).during("store.import"))
}

/// The lines of an export, read away from the async threads.
struct Lines {
    url: String,
    from: PathBuf,
    file: BufReader<File>,
    number: usize,
}

/// Some rows, and the last line if it came after them.
struct Batch {
    rows: Vec<ExportRow>,
    end: Option<Footer>,
}

impl Lines {
    fn open(url: String, from: PathBuf) -> Result<Lines, String> {
        // Opening a pipe would wait for somebody to write to it.
        match from.metadata() {
            Ok(found) if !found.is_file() => return Err("this is no file".into()),
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
        let file = File::open(&from).map_err(|error| error.to_string())?;
        Ok(Lines { url, from, file: BufReader::new(file), number: 0 })
    }

    fn batch(&mut self, of_tenant: Option<&str>) -> Result<Batch, Error> {
        let (mut rows, mut bytes) = (Vec::new(), 0);
        while rows.len() < BATCH_ROWS && bytes < BATCH_BYTES {
            let Some(line) = self.next()? else {
                return Err(self.invalid("the file ends before its last line; export again"));
            };
            if let Ok(end) = serde_json::from_str(&line) {
                return Ok(Batch { rows, end: Some(end) });
            }
            let row: ExportRow = self.parse(&line)?;
            let tenant = row.row.get("tenant").and_then(serde_json::Value::as_str);
            if of_tenant.is_some() && tenant != of_tenant {
                return Err(self.invalid("the row is not of the tenant that the first line names"));
            }
            bytes += line.len();
            rows.push(row);
        }
        Ok(Batch { rows, end: None })
    }

    fn next(&mut self) -> Result<Option<String>, Error> {
        self.number += 1;
        let mut line = String::new();
        match (&mut self.file).take(MOST_LINE as u64 + 1).read_line(&mut line) {
            Ok(0) => Ok(None),
            Ok(_) if line.ends_with('\n') => Ok(Some(line)),
            Ok(_) => Err(self.invalid("the line does not end; the file was cut")),
            Err(error) => Err(self.invalid(&error.to_string())),
        }
    }

    /// What the store said to the last `count` rows.
    fn refused(&self, count: usize, error: Error) -> Error {
        match error.kind() {
            Kind::InvalidArgument | Kind::Conflict => {
                let first = self.number.saturating_sub(count);
                self.invalid(&format!("among the {count} rows from line {first} on: {error}"))
            }
            _ => error,
        }
    }

    fn parse<T: serde::de::DeserializeOwned>(&self, line: &str) -> Result<T, Error> {
        // The parser's own words could repeat what the line holds.
        serde_json::from_str(line).map_err(|_| self.invalid("the line is no row of an export"))
    }

    fn invalid(&self, why: &str) -> Error {
        let text = format!("`{}`, line {}: {why}", self.from.display(), self.number);
        Error::new(Kind::InvalidArgument, &self.url, text).during("store.import")
    }
}

fn wrong(store: &dyn Store, path: &Path, why: &str) -> Error {
    Error::new(Kind::Path, store.url(), format!("`{}`: {why}", path.display()))
}
