//! Checks of the grants.

use serde_json::json;

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{Grant, GrantEffect, GrantKey, GrantPlace, Grants, Kind, ListGrants, PutGrant};

/// Checks the grants of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn grants(store: &dyn Grants) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("grants: what was put is got back", comes_back(store)).await?;
    report.check("grants: keys that differ in one part are apart", apart(store)).await?;
    report.check("grants: a change needs its version", versions(store)).await?;
    report.check("grants: a list goes on from its cursor", paging(store)).await?;
    report.check("grants: the most specific one decides", precedence(store)).await?;
    report.check("grants: any good key is taken", takes_good_keys(store)).await?;
    report.check("grants: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

/// A grant of `mcp` to `holder`: an agent and a user, `-` for all.
fn key(tenant: &str, resource: &str, holder: &str) -> GrantKey {
    let part = |part: &str| (part != "-").then(|| part.to_owned());
    GrantKey {
        tenant: tenant.into(),
        kind: "mcp".into(),
        resource: resource.into(),
        agent: part(&holder[..1]),
        user: part(&holder[1..]),
    }
}

fn put(key: &GrantKey, effect: GrantEffect) -> PutGrant {
    let granted_by = "owner".into();
    PutGrant { key: key.clone(), effect, settings: json!({}), granted_by, if_version: None }
}

fn all_of(tenant: &str) -> ListGrants {
    let (tenant, kind) = (tenant.to_owned(), "mcp".to_owned());
    ListGrants { tenant, kind, resource: None, after: None, limit: 100 }
}

async fn comes_back(store: &dyn Grants) -> Result<(), Problem> {
    let key = key(&new_tenant(), "r", "au");
    same(store.get_grant(&key).await?, None)?;
    let settings = json!({ "tools": ["a", "\u{0}"], "n": 1.5 });
    let put = PutGrant { settings: settings.clone(), ..put(&key, GrantEffect::Allow) };
    let written = store.put_grant(put.clone(), 17).await?;
    let expected = Grant {
        key: key.clone(),
        effect: GrantEffect::Allow,
        settings,
        granted_by: "owner".into(),
        version: 1,
        updated_at_ms: 17,
    };
    same(&written, &expected)?;
    same(store.get_grant(&key).await?, Some(expected))?;
    let changed = store.put_grant(PutGrant { effect: GrantEffect::Deny, ..put }, 18).await?;
    same((changed.effect, changed.version, changed.updated_at_ms), (GrantEffect::Deny, 2, 18))?;
    same(store.get_grant(&key).await?, Some(changed))?;
    same(store.delete_grant(&key, None, 19).await?, true)?;
    same(store.delete_grant(&key, None, 19).await?, false)?;
    same(store.get_grant(&key).await?, None)
}

async fn apart(store: &dyn Grants) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let mut keys =
        ["--", "-u", "a-", "au", "av", "bu"].map(|holder| key(&one, "r", holder)).to_vec();
    keys.push(key(&one, "s", "--"));
    keys.push(GrantKey { kind: "cli".into(), ..key(&one, "r", "--") });
    keys.push(key(&two, "r", "--"));
    for (place, key) in (0..).zip(&keys) {
        same(store.get_grant(key).await?, None)?;
        let settings = json!({ "place": place });
        store.put_grant(PutGrant { settings, ..put(key, GrantEffect::Allow) }, 1).await?;
    }
    for (place, key) in (0..).zip(&keys) {
        let found = store.get_grant(key).await?;
        same(found.map(|grant| grant.settings), Some(json!({ "place": place })))?;
    }
    same(store.list_grants(all_of(&two)).await?.len(), 1)?;
    same(store.grants_for(&two, "mcp", "r", Some("a"), Some("u")).await?.len(), 1)?;
    same(store.grants_for(&two, "mcp", "s", Some("a"), Some("u")).await?, vec![])?;
    same(store.delete_grant(&keys[8], None, 2).await?, true)?;
    for key in &keys[..8] {
        same(store.get_grant(key).await?.is_some(), true)?;
    }
    Ok(())
}

async fn versions(store: &dyn Grants) -> Result<(), Problem> {
    let key = key(&new_tenant(), "r", "--");
    let at = |version| PutGrant { if_version: Some(version), ..put(&key, GrantEffect::Deny) };
    refused(store.put_grant(at(1), 1).await, Kind::Conflict)?;
    same(store.delete_grant(&key, Some(1), 1).await?, false)?;
    same(store.put_grant(at(0), 1).await?.version, 1)?;
    refused(store.put_grant(at(0), 2).await, Kind::Conflict)?;
    same(store.put_grant(at(1), 3).await?.version, 2)?;
    for never in [-1, 1, 3, i64::MAX] {
        refused(store.put_grant(at(never), 4).await, Kind::Conflict)?;
        refused(store.delete_grant(&key, Some(never), 4).await, Kind::Conflict)?;
    }
    same(store.delete_grant(&key, Some(2), 5).await?, true)
}

async fn pages(
    store: &dyn Grants,
    tenant: &str,
    resource: Option<&str>,
) -> Result<Vec<GrantKey>, Problem> {
    let mut found: Vec<GrantKey> = Vec::new();
    loop {
        let after = found.last().map(|key| {
            let GrantKey { resource, agent, user, .. } = key.clone();
            GrantPlace { resource, agent, user }
        });
        let resource = resource.map(str::to_owned);
        let list = ListGrants { resource, after, limit: 2, ..all_of(tenant) };
        let page = store.list_grants(list).await?;
        ensure(page.len() <= 2, "a page is longer than its limit")?;
        if page.is_empty() {
            return Ok(found);
        }
        ensure(found.len() < 100, "the list does not end")?;
        found.extend(page.into_iter().map(|grant| grant.key));
    }
}

async fn paging(store: &dyn Grants) -> Result<(), Problem> {
    let tenant = new_tenant();
    let whos = ["--", "-u", "-v", "a-", "au", "b-", "bz"];
    let keys: Vec<GrantKey> = ["r", "s"]
        .iter()
        .flat_map(|resource| whos.map(|holder| key(&tenant, resource, holder)))
        .collect();
    for key in keys.iter().rev() {
        store.put_grant(put(key, GrantEffect::Allow), 1).await?;
    }
    same(pages(store, &tenant, None).await?, keys.clone())?;
    same(pages(store, &tenant, Some("r")).await?, keys[..7].to_vec())?;
    same(pages(store, &tenant, Some("s")).await?, keys[7..].to_vec())?;
    same(pages(store, &tenant, Some("q")).await?, vec![])
}

async fn precedence(store: &dyn Grants) -> Result<(), Problem> {
    let tenant = new_tenant();
    let (allow, deny) = (GrantEffect::Allow, GrantEffect::Deny);
    let all = [("au", allow), ("a-", allow), ("-u", deny), ("--", allow), ("bu", deny)];
    for (holder, effect) in all {
        store.put_grant(put(&key(&tenant, "r", holder), effect), 1).await?;
    }
    for (agent, user, expected) in [
        (Some("a"), Some("u"), &["au", "-u", "a-", "--"][..]),
        (Some("b"), Some("u"), &["bu", "-u", "--"]),
        (Some("a"), Some("v"), &["a-", "--"]),
        (Some("a"), None, &["a-", "--"]),
        (None, Some("u"), &["-u", "--"]),
        (None, None, &["--"]),
        (Some("c"), Some("w"), &["--"]),
    ] {
        let found = store.grants_for(&tenant, "mcp", "r", agent, user).await?;
        let found: Vec<GrantKey> = found.into_iter().map(|grant| grant.key).collect();
        same(found, expected.iter().map(|holder| key(&tenant, "r", holder)).collect())?;
    }
    // Now the denial is the agent's.
    store.put_grant(put(&key(&tenant, "r", "a-"), deny), 2).await?;
    store.put_grant(put(&key(&tenant, "r", "-u"), allow), 2).await?;
    store.delete_grant(&key(&tenant, "r", "au"), None, 2).await?;
    let first = store.grants_for(&tenant, "mcp", "r", Some("a"), Some("u")).await?;
    same(first.into_iter().next().map(|grant| grant.key), Some(key(&tenant, "r", "a-")))
}

async fn takes_good_keys(store: &dyn Grants) -> Result<(), Problem> {
    for good in good_keys() {
        let some = Some(good.clone());
        let key = GrantKey {
            tenant: new_tenant(),
            kind: good.clone(),
            resource: good.clone(),
            agent: some.clone(),
            user: some,
        };
        let written = store.put_grant(put(&key, GrantEffect::Allow), 1).await?;
        same(store.get_grant(&key).await?, Some(written.clone()))?;
        let found = store.grants_for(&key.tenant, &good, &good, Some(&good), Some(&good)).await?;
        same(found, vec![written])?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Grants) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for bad in bad_keys() {
        let some = || Some(bad.clone());
        for key in [
            key(&bad, "r", "--"),
            key("t", &bad, "--"),
            GrantKey { kind: bad.clone(), ..key("t", "r", "--") },
            GrantKey { agent: some(), ..key("t", "r", "--") },
            GrantKey { user: some(), ..key("t", "r", "--") },
        ] {
            refused(store.put_grant(put(&key, GrantEffect::Allow), 1).await, invalid)?;
            refused(store.get_grant(&key).await, invalid)?;
            refused(store.delete_grant(&key, None, 1).await, invalid)?;
            let GrantKey { tenant, kind, resource, agent, user } = &key;
            let (agent, user) = (agent.as_deref(), user.as_deref());
            refused(store.grants_for(tenant, kind, resource, agent, user).await, invalid)?;
        }
        let place = || GrantPlace { resource: "r".into(), agent: None, user: None };
        for list in [
            all_of(&bad),
            ListGrants { kind: bad.clone(), ..all_of("t") },
            ListGrants { resource: some(), ..all_of("t") },
            ListGrants {
                after: Some(GrantPlace { resource: bad.clone(), ..place() }),
                ..all_of("t")
            },
            ListGrants { after: Some(GrantPlace { agent: some(), ..place() }), ..all_of("t") },
            ListGrants { after: Some(GrantPlace { user: some(), ..place() }), ..all_of("t") },
        ] {
            refused(store.list_grants(list).await, invalid)?;
        }
    }
    let after = GrantPlace { resource: "s".into(), agent: None, user: None };
    let list = ListGrants { resource: Some("r".into()), after: Some(after), ..all_of("t") };
    refused(store.list_grants(list).await, invalid)?;
    let key = key(&new_tenant(), "r", "--");
    let by = PutGrant { granted_by: "a\0b".into(), ..put(&key, GrantEffect::Allow) };
    refused(store.put_grant(by, 1).await, invalid)?;
    let settings = PutGrant { settings: json!([1]), ..put(&key, GrantEffect::Allow) };
    refused(store.put_grant(settings, 1).await, invalid)?;
    same(store.get_grant(&key).await?, None)
}
