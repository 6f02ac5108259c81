//! Checks of the marks of files.

use super::{Failure, Problem, Report, bad_keys, good_keys, new_tenant, refused, same};
use crate::kind::Taint;
use crate::store::{FileMark, Kind, Store};

/// Checks the marks of files of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn file_marks(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("file marks: they add up, and the later time stays", add_up(store)).await?;
    report.check("file marks: tenants and files are apart", apart(store)).await?;
    report.check("file marks: a bad key is refused and marks nothing", bad_input(store)).await?;
    report.check("file marks: old ones are forgotten", prune(store)).await?;
    Ok(report)
}

const BOTH: [Taint; 2] = [Taint::Untrusted, Taint::Private];

fn mark(file: &str, mark: Taint, at_ms: i64) -> FileMark {
    FileMark { file: file.to_owned(), mark, at_ms }
}

/// Late enough that no other check's pruning takes them.
const LATE_MS: i64 = 1_000_000;

async fn add_up(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let files = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    same(store.list_file_marks(&tenant).await?, vec![])?;
    store.add_file_marks(&tenant, &[], &BOTH, LATE_MS).await?;
    store.add_file_marks(&tenant, &files(&["b", "a", "a"]), &BOTH[..1], LATE_MS + 2).await?;
    store.add_file_marks(&tenant, &files(&["a"]), &BOTH, LATE_MS + 1).await?;
    store.add_file_marks(&tenant, &files(&["b"]), &BOTH[..1], LATE_MS + 3).await?;
    let expected = vec![
        mark("a", Taint::Private, LATE_MS + 1),
        mark("a", Taint::Untrusted, LATE_MS + 2),
        mark("b", Taint::Untrusted, LATE_MS + 3),
    ];
    same(store.list_file_marks(&tenant).await?, expected)
}

async fn apart(store: &dyn Store) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let mut files = good_keys();
    files.sort_unstable();
    store.add_file_marks(&one, &files, &BOTH[..1], LATE_MS).await?;
    store.add_file_marks(&two, &files[..1], &BOTH[1..], LATE_MS).await?;
    let of_one = files.iter().map(|file| mark(file, Taint::Untrusted, LATE_MS)).collect();
    same(store.list_file_marks(&one).await?, of_one)?;
    same(store.list_file_marks(&two).await?, vec![mark(&files[0], Taint::Private, LATE_MS)])
}

async fn bad_input(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    for key in bad_keys() {
        refused(store.list_file_marks(&key).await, Kind::InvalidArgument)?;
        let files = ["good".to_owned(), key.clone()];
        refused(store.add_file_marks(&key, &files[..1], &BOTH, 1).await, Kind::InvalidArgument)?;
        refused(store.add_file_marks(&tenant, &files, &BOTH, 1).await, Kind::InvalidArgument)?;
    }
    same(store.list_file_marks(&tenant).await?, vec![])
}

async fn prune(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.add_file_marks(&tenant, &["old".to_owned()], &BOTH[..1], 1).await?;
    store.add_file_marks(&tenant, &["new".to_owned()], &BOTH[..1], LATE_MS).await?;
    same(store.prune_file_marks(2).await? >= 1, true)?;
    same(store.list_file_marks(&tenant).await?, vec![mark("new", Taint::Untrusted, LATE_MS)])
}
