//! Checks of the documents.

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{
    Document, DocumentInfo, DocumentKey, Documents, Fence, Kind, ListDocuments, MAX_BODY_BYTES,
    PutDocument,
};

/// Checks the documents of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn documents(store: &dyn Documents) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("documents: what was put is got back", comes_back(store)).await?;
    report.check("documents: the hash is the body's SHA-256", hashes(store)).await?;
    report.check("documents: agents, users and tenants are apart", apart(store)).await?;
    report.check("documents: a change needs its version", versions(store)).await?;
    report.check("documents: a list is of a prefix and goes on", paging(store)).await?;
    report.check("documents: any good key is taken", takes_good_keys(store)).await?;
    report.check("documents: a bad key or value is refused", refuses_bad_input(store)).await?;
    report.check("documents: no lease, no fenced write", needs_the_lease(store)).await?;
    Ok(report)
}

fn key(tenant: &str, agent: &str, user: Option<&str>, path: &str) -> DocumentKey {
    let [tenant, agent, path] = [tenant, agent, path].map(str::to_owned);
    DocumentKey { tenant, agent, user: user.map(str::to_owned), path }
}

fn put(key: &DocumentKey, body: &[u8]) -> PutDocument {
    let (key, mime) = (key.clone(), "text/markdown".into());
    PutDocument { key, mime, body: body.to_vec(), if_version: None, if_body: None, fence: None }
}

fn all_of(key: &DocumentKey) -> ListDocuments {
    let DocumentKey { tenant, agent, user, .. } = key.clone();
    ListDocuments { tenant, agent, user, prefix: String::new(), after: None, limit: 9 }
}

async fn comes_back(store: &dyn Documents) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", Some("u"), "memory/people.md");
    same(store.get_document(&key).await?, None)?;
    let body = b"bytes\0of\xffany sort";
    let written = store.put_document(put(&key, body), 17).await?;
    let info = DocumentInfo {
        key: key.clone(),
        mime: "text/markdown".into(),
        size: 17,
        hash: written.hash.clone(),
        version: 1,
        updated_at_ms: 17,
    };
    same(&written, &info)?;
    same(store.list_documents(all_of(&key)).await?, vec![info.clone()])?;
    let document = Document { info, body: body.to_vec() };
    same(store.get_document(&key).await?, Some(document))?;
    let changed = store.put_document(put(&key, b""), 18).await?;
    same((changed.size, changed.version, changed.updated_at_ms), (0, 2, 18))?;
    same(store.get_document(&key).await?, Some(Document { info: changed, body: vec![] }))?;
    same(store.delete_document(&key, None, 19).await?, true)?;
    same(store.delete_document(&key, None, 19).await?, false)?;
    same(store.get_document(&key).await?, None)
}

async fn hashes(store: &dyn Documents) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", None, "p");
    // One of them is larger than what is hashed at once.
    let million = vec![b'a'; 1_000_000];
    let two = [million.as_slice(), &million].concat();
    for (body, hash) in [
        (&b""[..], "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (&million, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
        (&two, "bcf7f9d1b4311c3352e60502255ce09a6744df84e8f2c89f79c4b5d74933a95a"),
    ] {
        same(store.put_document(put(&key, body), 1).await?.hash, hash.to_owned())?;
        let found = store.get_document(&key).await?;
        same(found.map(|document| document.info.hash), Some(hash.to_owned()))?;
    }
    Ok(())
}

async fn apart(store: &dyn Documents) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let keys = [
        key(&one, "a", None, "p"),
        key(&one, "a", Some("u"), "p"),
        key(&one, "a", Some("v"), "p"),
        key(&one, "b", None, "p"),
        key(&two, "a", None, "p"),
    ];
    for (place, key) in (0u8..).zip(&keys) {
        same(store.get_document(key).await?, None)?;
        store.put_document(put(key, &[place]), 1).await?;
    }
    for (place, key) in (0u8..).zip(&keys) {
        let found = store.get_document(key).await?;
        same(found.map(|document| document.body), Some(vec![place]))?;
        let listed = store.list_documents(all_of(key)).await?;
        same(listed.into_iter().map(|one| one.key).collect::<Vec<_>>(), vec![key.clone()])?;
    }
    same(store.delete_document(&keys[4], None, 2).await?, true)?;
    same(store.get_document(&keys[0]).await?.is_some(), true)
}

async fn versions(store: &dyn Documents) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", None, "p");
    let at = |version| PutDocument { if_version: Some(version), ..put(&key, b"x") };
    refused(store.put_document(at(1), 1).await, Kind::Conflict)?;
    same(store.delete_document(&key, Some(1), 1).await?, false)?;
    same(store.put_document(at(0), 1).await?.version, 1)?;
    refused(store.put_document(at(0), 2).await, Kind::Conflict)?;
    same(store.put_document(at(1), 3).await?.version, 2)?;
    let over = |body: &[u8]| PutDocument { if_body: Some(body.to_vec()), ..at(2) };
    refused(store.put_document(over(b"y"), 4).await, Kind::Conflict)?;
    for never in [-1, 1, 3, i64::MAX] {
        let same_body = PutDocument { if_body: Some(b"x".to_vec()), ..at(never) };
        refused(store.put_document(same_body, 4).await, Kind::Conflict)?;
        refused(store.put_document(at(never), 4).await, Kind::Conflict)?;
        refused(store.delete_document(&key, Some(never), 4).await, Kind::Conflict)?;
    }
    let kept = store.get_document(&key).await?;
    same(kept.map(|one| (one.info.version, one.info.updated_at_ms)), Some((2, 3)))?;
    same(store.put_document(over(b"x"), 4).await?.version, 3)?;
    same(store.delete_document(&key, Some(3), 5).await?, true)
}

async fn paging(store: &dyn Documents) -> Result<(), Problem> {
    let tenant = new_tenant();
    let neighbours = ["memor", "memory", "memory.md", "memory0", "memoryz", "n"];
    let inside = ["memory/A", "memory/_", "memory/a", "memory/a-b", "memory/é", "memory/🦀"];
    for path in neighbours.iter().chain(inside.iter().rev()) {
        store.put_document(put(&key(&tenant, "a", None, path), b"x"), 1).await?;
    }
    let list = |prefix: &str, after: Option<&String>, limit| {
        let all = all_of(&key(&tenant, "a", None, "p"));
        ListDocuments { prefix: prefix.into(), after: after.cloned(), limit, ..all }
    };
    let mut found: Vec<String> = Vec::new();
    loop {
        let page = store.list_documents(list("memory/", found.last(), 4)).await?;
        ensure(page.len() <= 4, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < inside.len(), "the list does not end")?;
        found.extend(page.into_iter().map(|document| document.key.path));
    }
    same(found, inside.map(String::from).to_vec())?;
    same(store.list_documents(list("", None, 100)).await?.len(), neighbours.len() + inside.len())?;
    same(store.list_documents(list("memory/%", None, 100)).await?, vec![])?;
    same(store.list_documents(list("", None, 0)).await?, vec![])
}

async fn takes_good_keys(store: &dyn Documents) -> Result<(), Problem> {
    for good in good_keys() {
        let tenant = new_tenant();
        let key = key(&tenant, &good, Some(&good), &good);
        store.put_document(put(&key, b"x"), 1).await?;
        same(store.get_document(&key).await?.map(|document| document.info.key), Some(key.clone()))?;
        let list = ListDocuments { prefix: good, ..all_of(&key) };
        same(store.list_documents(list).await?.len(), 1)?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Documents) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for bad in bad_keys() {
        for key in [
            key(&bad, "a", None, "p"),
            key("t", &bad, None, "p"),
            key("t", "a", Some(&bad), "p"),
            key("t", "a", None, &bad),
        ] {
            refused(store.put_document(put(&key, b"x"), 1).await, invalid)?;
            refused(store.get_document(&key).await, invalid)?;
            refused(store.delete_document(&key, None, 1).await, invalid)?;
        }
        let list = || all_of(&key("t", "a", None, "p"));
        let mut lists = vec![
            ListDocuments { tenant: bad.clone(), ..list() },
            ListDocuments { agent: bad.clone(), ..list() },
            ListDocuments { user: Some(bad.clone()), ..list() },
            ListDocuments { after: Some(bad.clone()), ..list() },
        ];
        // An empty prefix is that of every path.
        if !bad.is_empty() {
            lists.push(ListDocuments { prefix: bad, ..list() });
        }
        for list in lists {
            refused(store.list_documents(list).await, invalid)?;
        }
    }
    let key = key(&new_tenant(), "a", None, "p");
    let huge = PutDocument { body: vec![b'x'; MAX_BODY_BYTES + 1], ..put(&key, b"") };
    refused(store.put_document(huge, 1).await, invalid)?;
    let mime = PutDocument { mime: "a\0b".into(), ..put(&key, b"") };
    refused(store.put_document(mime, 1).await, invalid)?;
    same(store.get_document(&key).await?, None)
}

async fn needs_the_lease(store: &dyn Documents) -> Result<(), Problem> {
    let key = key(&new_tenant(), "a", None, "p");
    let fence = Fence { kind: "k".into(), name: "n".into(), epoch: 1 };
    let fenced = PutDocument { fence: Some(fence), ..put(&key, b"x") };
    refused(store.put_document(fenced, 1).await, Kind::Conflict)?;
    same(store.get_document(&key).await?, None)
}
