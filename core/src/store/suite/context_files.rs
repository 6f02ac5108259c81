//! Checks of the context files.

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{
    ContextFile, ContextFileInfo, ContextFileKey, ContextFiles, Fence, Kind, MAX_BODY_BYTES,
    PutContextFile,
};

/// Checks the context files of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn context_files(store: &dyn ContextFiles) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("context_files: what was put is got back", comes_back(store)).await?;
    report.check("context_files: agents, users and tenants are apart", apart(store)).await?;
    report.check("context_files: a change needs its version", versions(store)).await?;
    report.check("context_files: a list goes on from its cursor", paging(store)).await?;
    report.check("context_files: any good key is taken", takes_good_keys(store)).await?;
    report.check("context_files: a bad key or value is refused", refuses_bad_input(store)).await?;
    report.check("context_files: no lease, no fenced write", needs_the_lease(store)).await?;
    Ok(report)
}

fn key(tenant: &str, agent: &str, user: Option<&str>, name: &str) -> ContextFileKey {
    let [tenant, agent, name] = [tenant, agent, name].map(str::to_owned);
    ContextFileKey { tenant, agent, user: user.map(str::to_owned), name }
}

fn put(key: &ContextFileKey, body: &[u8]) -> PutContextFile {
    PutContextFile {
        key: key.clone(),
        body: body.to_vec(),
        if_version: None,
        if_body: None,
        fence: None,
    }
}

async fn comes_back(store: &dyn ContextFiles) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", Some("u"), "SOUL.md");
    same(store.get_context_file(&key).await?, None)?;
    let body = b"bytes\0of\xffany sort";
    let written = store.put_context_file(put(&key, body), 17).await?;
    let info = ContextFileInfo { key: key.clone(), size: 17, version: 1, updated_at_ms: 17 };
    same(&written, &info)?;
    let file = ContextFile { info, body: body.to_vec() };
    same(store.get_context_file(&key).await?, Some(file))?;
    let changed = store.put_context_file(put(&key, b""), 18).await?;
    same((changed.size, changed.version, changed.updated_at_ms), (0, 2, 18))?;
    let empty = ContextFile { info: changed, body: vec![] };
    same(store.get_context_file(&key).await?, Some(empty))?;
    same(store.delete_context_file(&key, None, 19).await?, true)?;
    same(store.delete_context_file(&key, None, 19).await?, false)?;
    same(store.get_context_file(&key).await?, None)
}

async fn apart(store: &dyn ContextFiles) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let keys = [
        key(&one, "a", None, "n"),
        key(&one, "a", Some("u"), "n"),
        key(&one, "a", Some("v"), "n"),
        key(&one, "b", None, "n"),
        key(&two, "a", None, "n"),
    ];
    for (place, key) in (0u8..).zip(&keys) {
        same(store.get_context_file(key).await?, None)?;
        store.put_context_file(put(key, &[place]), 1).await?;
    }
    for (place, key) in (0u8..).zip(&keys) {
        let found = store.get_context_file(key).await?;
        same(found.map(|file| file.body), Some(vec![place]))?;
        let listed =
            store.list_context_files(&key.tenant, &key.agent, key.user.as_deref(), None, 9).await?;
        same(listed.into_iter().map(|file| file.key).collect::<Vec<_>>(), vec![key.clone()])?;
    }
    same(store.delete_context_file(&keys[4], None, 2).await?, true)?;
    same(store.get_context_file(&keys[0]).await?.is_some(), true)
}

async fn versions(store: &dyn ContextFiles) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", None, "n");
    let at = |version| PutContextFile { if_version: Some(version), ..put(&key, b"x") };
    refused(store.put_context_file(at(1), 1).await, Kind::Conflict)?;
    same(store.delete_context_file(&key, Some(1), 1).await?, false)?;
    same(store.put_context_file(at(0), 1).await?.version, 1)?;
    refused(store.put_context_file(at(0), 2).await, Kind::Conflict)?;
    same(store.put_context_file(at(1), 3).await?.version, 2)?;
    let over = |body: &[u8]| PutContextFile { if_body: Some(body.to_vec()), ..at(2) };
    refused(store.put_context_file(over(b"y"), 4).await, Kind::Conflict)?;
    for never in [-1, 1, 3, i64::MAX] {
        let same_body = PutContextFile { if_body: Some(b"x".to_vec()), ..at(never) };
        refused(store.put_context_file(same_body, 4).await, Kind::Conflict)?;
        refused(store.put_context_file(at(never), 4).await, Kind::Conflict)?;
        refused(store.delete_context_file(&key, Some(never), 4).await, Kind::Conflict)?;
    }
    let kept = store.get_context_file(&key).await?;
    same(kept.map(|file| (file.info.version, file.info.updated_at_ms)), Some((2, 3)))?;
    same(store.put_context_file(over(b"x"), 4).await?.version, 3)?;
    same(store.delete_context_file(&key, Some(3), 5).await?, true)
}

async fn paging(store: &dyn ContextFiles) -> Result<(), Problem> {
    let tenant = new_tenant();
    let names = ["A", "B", "_", "a", "a-b", "aB", "b", "é", "🦀"];
    for name in names.iter().rev() {
        store.put_context_file(put(&key(&tenant, "a", None, name), b"x"), 1).await?;
    }
    let mut found: Vec<String> = Vec::new();
    loop {
        let after = found.last().map(String::as_str);
        let page = store.list_context_files(&tenant, "a", None, after, 4).await?;
        ensure(page.len() <= 4, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < names.len(), "the list does not end")?;
        found.extend(page.into_iter().map(|file| file.key.name));
    }
    same(found, names.map(String::from).to_vec())
}

async fn takes_good_keys(store: &dyn ContextFiles) -> Result<(), Problem> {
    for good in good_keys() {
        let tenant = new_tenant();
        let key = key(&tenant, &good, Some(&good), &good);
        store.put_context_file(put(&key, b"x"), 1).await?;
        same(store.get_context_file(&key).await?.map(|file| file.info.key), Some(key))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn ContextFiles) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for bad in bad_keys() {
        for key in [
            key(&bad, "a", None, "n"),
            key("t", &bad, None, "n"),
            key("t", "a", Some(&bad), "n"),
            key("t", "a", None, &bad),
        ] {
            refused(store.put_context_file(put(&key, b"x"), 1).await, invalid)?;
            refused(store.get_context_file(&key).await, invalid)?;
            refused(store.delete_context_file(&key, None, 1).await, invalid)?;
        }
        refused(store.list_context_files(&bad, "a", None, None, 1).await, invalid)?;
        refused(store.list_context_files("t", &bad, None, None, 1).await, invalid)?;
        refused(store.list_context_files("t", "a", Some(&bad), None, 1).await, invalid)?;
        refused(store.list_context_files("t", "a", None, Some(&bad), 1).await, invalid)?;
    }
    let key = key(&new_tenant(), "a", None, "n");
    let huge = PutContextFile { body: vec![b'x'; MAX_BODY_BYTES + 1], ..put(&key, b"") };
    refused(store.put_context_file(huge, 1).await, invalid)?;
    same(store.get_context_file(&key).await?, None)
}

async fn needs_the_lease(store: &dyn ContextFiles) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", None, "n");
    let fence = Fence { kind: "k".into(), name: "n".into(), epoch: 1 };
    let fenced = PutContextFile { fence: Some(fence), ..put(&key, b"x") };
    refused(store.put_context_file(fenced, 1).await, Kind::Conflict)?;
    same(store.get_context_file(&key).await?, None)
}
