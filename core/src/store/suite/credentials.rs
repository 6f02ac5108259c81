//! Checks of the credentials.

use serde_json::json;

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::secret::{ExposeSecret as _, Key, KeyRing, Place, generate_key};
use crate::store::{
    Credential, CredentialInfo, CredentialKey, Credentials, Kind, PutCredential, Store,
};

/// Checks the credentials of a store, with values sealed under a key that is thrown away.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn credentials(store: &dyn Credentials) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("credentials: what was put is got back", comes_back(store)).await?;
    report.check("credentials: a value that is not sealed is refused", only_sealed(store)).await?;
    report.check("credentials: of all, an agent or a user are apart", apart(store)).await?;
    report.check("credentials: tenants with equal names are apart", tenants(store)).await?;
    report.check("credentials: a change needs its version", versions(store)).await?;
    report.check("credentials: a list goes on from its cursor", paging(store)).await?;
    report.check("credentials: one is deleted once, at its version", deletion(store)).await?;
    report.check("credentials: any good key is taken", takes_good_keys(store)).await?;
    report.check("credentials: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

/// A ring of a key that nobody keeps.
pub(super) fn ring() -> Result<KeyRing, Problem> {
    let key = generate_key().and_then(|text| Key::from_text(text.expose_secret()));
    Ok(KeyRing::new(key.map_err(|error| Problem(error.to_string()))?, []))
}

pub(super) fn sealed(ring: &KeyRing, place: &Place<'_>, value: &[u8]) -> Result<Vec<u8>, Problem> {
    ring.seal(place, value).map_err(|error| Problem(error.to_string()))
}

fn key(tenant: &str, name: &str) -> CredentialKey {
    CredentialKey { tenant: tenant.into(), name: name.into(), agent: None, user: None }
}

fn put(key: CredentialKey) -> Result<PutCredential, Problem> {
    let value = key.place(|place| sealed(&ring()?, place, b"GH_TOKEN=hunter2"))?;
    Ok(PutCredential {
        key,
        kind: "env".into(),
        host_scope: String::new(),
        settings: json!({}),
        value,
        if_version: None,
    })
}

async fn comes_back(store: &dyn Credentials) -> Result<(), Problem> {
    let key = key(&new_tenant(), "gh");
    same(store.get_credential(&key).await?, None)?;
    let (ring, value) = (ring()?, b"\0\xff line\n\xf0\x9f\xa6\x80".as_slice());
    let given = PutCredential {
        kind: "token".into(),
        host_scope: "*.example.org 🦀".into(),
        settings: json!({ "z": 1, "a": [1.5, null, "\u{0}"] }),
        value: key.place(|place| sealed(&ring, place, value))?,
        ..put(key.clone())?
    };
    let written = store.put_credential(given.clone(), 17).await?;
    let expected = CredentialInfo {
        key: key.clone(),
        kind: given.kind,
        host_scope: given.host_scope,
        settings: given.settings,
        key_id: ring.fingerprint().to_string(),
        version: 1,
        updated_at_ms: 17,
    };
    same(&written, &expected)?;
    let found = store.get_credential(&key).await?;
    same(&found, &Some(Credential { info: expected.clone(), value: given.value }))?;
    let opened = found.map(|found| key.place(|place| ring.open(place, &found.value)));
    let as_sealed = matches!(&opened, Some(Ok(opened)) if opened.expose_secret() == value);
    ensure(as_sealed, "the value that came back is not the one that was sealed")?;
    same(store.list_credentials(&key.tenant, None, 10).await?, vec![expected])?;
    let changed = store.put_credential(put(key.clone())?, 18).await?;
    same((changed.version, changed.updated_at_ms, changed.kind.as_str()), (2, 18, "env"))?;
    same(store.get_credential(&key).await?.map(|found| found.info), Some(changed))
}

async fn only_sealed(store: &dyn Credentials) -> Result<(), Problem> {
    let key = key(&new_tenant(), "gh");
    let whole = put(key.clone())?;
    let cut = whole.value[..20].to_vec();
    for value in [Vec::new(), b"hunter2".to_vec(), b"TKS\x01".to_vec(), cut, vec![b'x'; 200]] {
        let clear = PutCredential { value, ..whole.clone() };
        refused(store.put_credential(clear, 1).await, Kind::InvalidArgument)?;
    }
    same(store.get_credential(&key).await?, None)
}

async fn apart(store: &dyn Credentials) -> Result<(), Problem> {
    let tenant = new_tenant();
    let parts = [(None, None), (None, Some("x")), (Some("x"), None), (Some("x"), Some("x"))];
    let keys = parts.map(|(agent, user)| CredentialKey {
        agent: agent.map(String::from),
        user: user.map(String::from),
        ..key(&tenant, "gh")
    });
    for (at, one) in keys.iter().enumerate() {
        same(store.get_credential(one).await?, None)?;
        let given = PutCredential { host_scope: at.to_string(), ..put(one.clone())? };
        same(store.put_credential(given, 1).await?.version, 1)?;
    }
    for (at, one) in keys.iter().enumerate() {
        let info = store.get_credential(one).await?.map(|found| found.info);
        let expected = Some((one.clone(), at.to_string()));
        same(info.map(|info| (info.key, info.host_scope)), expected)?;
    }
    let listed = store.list_credentials(&tenant, None, 10).await?;
    same(listed.into_iter().map(|info| info.key).collect::<Vec<_>>(), keys.to_vec())?;
    same(store.delete_credential(&keys[0], None, 2).await?, true)?;
    same(store.get_credential(&keys[0]).await?, None)?;
    same(store.list_credentials(&tenant, None, 10).await?.len(), 3)
}

async fn tenants(store: &dyn Credentials) -> Result<(), Problem> {
    let (one, two) = (key(&new_tenant(), "gh"), key(&new_tenant(), "gh"));
    store
        .put_credential(PutCredential { host_scope: "one".into(), ..put(one.clone())? }, 1)
        .await?;
    same(store.get_credential(&two).await?, None)?;
    same(store.list_credentials(&two.tenant, None, 10).await?, vec![])?;
    same(store.delete_credential(&two, None, 2).await?, false)?;
    let first = PutCredential { if_version: Some(0), ..put(two.clone())? };
    same(store.put_credential(first, 3).await?.version, 1)?;
    same(store.delete_credential(&two, None, 4).await?, true)?;
    let kept = store.get_credential(&one).await?.map(|found| found.info);
    same(kept.map(|info| (info.host_scope, info.version)), Some(("one".into(), 1)))
}

async fn versions(store: &dyn Credentials) -> Result<(), Problem> {
    let key = key(&new_tenant(), "gh");
    let put = |version| {
        Ok::<_, Problem>(PutCredential { if_version: Some(version), ..put(key.clone())? })
    };
    refused(store.put_credential(put(1)?, 1).await, Kind::Conflict)?;
    same(store.get_credential(&key).await?, None)?;
    same(store.put_credential(put(0)?, 1).await?.version, 1)?;
    refused(store.put_credential(put(0)?, 2).await, Kind::Conflict)?;
    same(store.put_credential(put(1)?, 3).await?.version, 2)?;
    for never in [-1, 1, 3, i64::MAX] {
        refused(store.put_credential(put(never)?, 4).await, Kind::Conflict)?;
    }
    let kept = store.get_credential(&key).await?.map(|found| found.info);
    same(kept.map(|info| (info.version, info.updated_at_ms)), Some((2, 3)))
}

async fn paging(store: &dyn Credentials) -> Result<(), Problem> {
    let tenant = new_tenant();
    // In order of name, agent and user, byte by byte, what is for all first.
    let ids = [
        ("A", "", ""),
        ("a", "", ""),
        ("a", "", "u"),
        ("a", "B", ""),
        ("a", "B", "é"),
        ("a", "b", ""),
        ("aB", "", ""),
        ("é", "", "🦀"),
    ];
    let part = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let keys = ids.map(|(name, agent, user)| CredentialKey {
        agent: part(agent),
        user: part(user),
        ..key(&tenant, name)
    });
    for key in keys.iter().rev() {
        store.put_credential(put(key.clone())?, 1).await?;
    }
    let mut found: Vec<CredentialKey> = Vec::new();
    loop {
        let page = store.list_credentials(&tenant, found.last(), 3).await?;
        ensure(page.len() <= 3, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < keys.len(), "the list does not end")?;
        found.extend(page.into_iter().map(|info| info.key));
    }
    same(found, keys.to_vec())?;
    same(store.list_credentials(&tenant, None, 0).await?, vec![])
}

async fn deletion(store: &dyn Credentials) -> Result<(), Problem> {
    let key = key(&new_tenant(), "gh");
    same(store.delete_credential(&key, Some(1), 1).await?, false)?;
    store.put_credential(put(key.clone())?, 1).await?;
    refused(store.delete_credential(&key, Some(2), 2).await, Kind::Conflict)?;
    same(store.get_credential(&key).await?.is_some(), true)?;
    same(store.delete_credential(&key, Some(1), 3).await?, true)?;
    same(store.delete_credential(&key, None, 4).await?, false)?;
    same(store.get_credential(&key).await?, None)
}

async fn takes_good_keys(store: &dyn Credentials) -> Result<(), Problem> {
    for good in good_keys() {
        let tenant = new_tenant();
        let key = CredentialKey {
            agent: Some(good.clone()),
            user: Some(good.clone()),
            ..key(&tenant, &good)
        };
        store.put_credential(put(key.clone())?, 1).await?;
        let found = store.get_credential(&key).await?;
        same(found.map(|found| found.info.key), Some(key))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Credentials) -> Result<(), Problem> {
    let (invalid, good) = (Kind::InvalidArgument, key(&new_tenant(), "gh"));
    for bad in bad_keys() {
        let keys = [
            CredentialKey { tenant: bad.clone(), ..good.clone() },
            CredentialKey { name: bad.clone(), ..good.clone() },
            CredentialKey { agent: Some(bad.clone()), ..good.clone() },
            CredentialKey { user: Some(bad.clone()), ..good.clone() },
        ];
        for key in keys {
            refused(store.get_credential(&key).await, invalid)?;
            refused(store.put_credential(put(key.clone())?, 1).await, invalid)?;
            refused(store.list_credentials(&good.tenant, Some(&key), 1).await, invalid)?;
            refused(store.delete_credential(&key, None, 1).await, invalid)?;
        }
        refused(store.list_credentials(&bad, None, 1).await, invalid)?;
    }
    let nul = || "a\0b".to_owned();
    for wrong in [
        PutCredential { kind: nul(), ..put(good.clone())? },
        PutCredential { host_scope: nul(), ..put(good.clone())? },
        PutCredential { settings: json!(["no object"]), ..put(good.clone())? },
    ] {
        refused(store.put_credential(wrong, 1).await, invalid)?;
    }
    same(store.get_credential(&good).await?, None)
}

/// Each change is reported once, with what finds the row and without what is in it.
pub(super) async fn events(store: &dyn Store) -> Result<(), Problem> {
    let key = CredentialKey { agent: Some("a".into()), ..key(&new_tenant(), "gh") };
    store.put_credential(put(key.clone())?, 1).await?;
    let stale = PutCredential { if_version: Some(9), ..put(key.clone())? };
    refused(store.put_credential(stale, 2).await, Kind::Conflict)?;
    refused(store.delete_credential(&key, Some(9), 2).await, Kind::Conflict)?;
    store.delete_credential(&key, None, 3).await?;
    store.delete_credential(&key, None, 4).await?;
    let events = store.read_events(&key.tenant, 0, 10).await?;
    let events =
        events.into_iter().map(|event| (event.kind, event.subject, event.at_ms, event.data));
    let data = json!({ "agent": "a", "user": null });
    let expected = [("credential.changed", 1), ("credential.deleted", 3)]
        .map(|(kind, at_ms)| (kind.into(), "gh".into(), at_ms, data.clone()));
    same(events.collect::<Vec<_>>(), expected.to_vec())
}
