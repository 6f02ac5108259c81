//! Checks of the agents.

use serde_json::json;

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{Agent, Agents, Kind, PutAgent};

/// Checks the agents of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn agents(store: &dyn Agents) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("agents: what was put is got back", comes_back(store)).await?;
    report.check("agents: no allow list is not an empty one", allow_lists(store)).await?;
    report.check("agents: tenants with equal ids are apart", tenants(store)).await?;
    report.check("agents: a change needs the version it was made for", versions(store)).await?;
    report.check("agents: a list goes on from its cursor", paging(store)).await?;
    report.check("agents: an agent is deleted once", deletion(store)).await?;
    report.check("agents: any good key is taken", takes_good_keys(store)).await?;
    report.check("agents: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

async fn comes_back(store: &dyn Agents) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.get_agent(&tenant, "a").await?, None)?;
    let put = PutAgent {
        description: "writes\n\"things\" 🦀".into(),
        allow: Some(vec!["group:files".into(), "!write_file".into()]),
        deny: vec!["exec".into()],
        settings: json!({ "z": 1, "a": [1.5, null, "\u{0}"], "big": i64::MAX }),
        ..PutAgent::new(&tenant, "a")
    };
    let written = store.put_agent(put.clone(), 17).await?;
    let expected = Agent {
        tenant: tenant.clone(),
        id: "a".into(),
        description: put.description,
        allow: put.allow,
        deny: put.deny,
        settings: put.settings,
        version: 1,
        updated_at_ms: 17,
    };
    same(&written, &expected)?;
    same(store.get_agent(&tenant, "a").await?, Some(expected))?;
    let changed = store.put_agent(PutAgent::new(&tenant, "a"), 18).await?;
    same((changed.version, changed.updated_at_ms), (2, 18))?;
    same(store.get_agent(&tenant, "a").await?, Some(changed))
}

async fn allow_lists(store: &dyn Agents) -> Result<(), Problem> {
    let tenant = new_tenant();
    for allow in [None, Some(vec![])] {
        let put = PutAgent { allow: allow.clone(), ..PutAgent::new(&tenant, "a") };
        store.put_agent(put, 1).await?;
        let found = store.get_agent(&tenant, "a").await?;
        same(found.map(|agent| agent.allow), Some(allow))?;
    }
    Ok(())
}

async fn tenants(store: &dyn Agents) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let put = PutAgent { description: "of one".into(), ..PutAgent::new(&one, "a") };
    store.put_agent(put, 1).await?;
    same(store.get_agent(&two, "a").await?, None)?;
    same(store.list_agents(&two, None, 10).await?, vec![])?;
    same(store.delete_agent(&two, "a", 2).await?, false)?;
    let first = PutAgent { if_version: Some(0), ..PutAgent::new(&two, "a") };
    same(store.put_agent(first, 3).await?.version, 1)?;
    same(store.delete_agent(&two, "a", 4).await?, true)?;
    let kept = store.get_agent(&one, "a").await?;
    same(kept.map(|agent| (agent.description, agent.version)), Some(("of one".into(), 1)))
}

async fn versions(store: &dyn Agents) -> Result<(), Problem> {
    let tenant = new_tenant();
    let put = |version| PutAgent { if_version: Some(version), ..PutAgent::new(&tenant, "a") };
    refused(store.put_agent(put(1), 1).await, Kind::Conflict)?;
    same(store.get_agent(&tenant, "a").await?, None)?;
    same(store.put_agent(put(0), 1).await?.version, 1)?;
    refused(store.put_agent(put(0), 2).await, Kind::Conflict)?;
    same(store.put_agent(put(1), 3).await?.version, 2)?;
    refused(store.put_agent(put(1), 4).await, Kind::Conflict)?;
    for never in [-1, 3, i64::MAX] {
        refused(store.put_agent(put(never), 4).await, Kind::Conflict)?;
    }
    let kept = store.get_agent(&tenant, "a").await?;
    same(kept.map(|agent| (agent.version, agent.updated_at_ms)), Some((2, 3)))
}

async fn paging(store: &dyn Agents) -> Result<(), Problem> {
    let tenant = new_tenant();
    // In order byte by byte, which no language's alphabet agrees with.
    let ids = ["A", "B", "_", "a", "a-b", "aB", "b", "é", "🦀"];
    for id in ids.iter().rev() {
        store.put_agent(PutAgent::new(&tenant, *id), 1).await?;
    }
    let mut found: Vec<String> = Vec::new();
    loop {
        let page = store.list_agents(&tenant, found.last().map(String::as_str), 4).await?;
        ensure(page.len() <= 4, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < ids.len(), "the list does not end")?;
        found.extend(page.into_iter().map(|agent| agent.id));
    }
    same(found, ids.map(String::from).to_vec())?;
    same(store.list_agents(&tenant, None, 0).await?, vec![])
}

async fn deletion(store: &dyn Agents) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.put_agent(PutAgent::new(&tenant, "a"), 1).await?;
    same(store.delete_agent(&tenant, "a", 2).await?, true)?;
    same(store.delete_agent(&tenant, "a", 3).await?, false)?;
    same(store.get_agent(&tenant, "a").await?, None)
}

async fn takes_good_keys(store: &dyn Agents) -> Result<(), Problem> {
    for key in good_keys() {
        let tenant = new_tenant();
        store.put_agent(PutAgent::new(&tenant, &key), 1).await?;
        let found = store.get_agent(&tenant, &key).await?;
        same(found.map(|agent| agent.id), Some(key))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Agents) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for key in bad_keys() {
        refused(store.get_agent(&key, "a").await, invalid)?;
        refused(store.get_agent("t", &key).await, invalid)?;
        refused(store.put_agent(PutAgent::new(&key, "a"), 1).await, invalid)?;
        refused(store.put_agent(PutAgent::new("t", &key), 1).await, invalid)?;
        refused(store.list_agents(&key, None, 1).await, invalid)?;
        refused(store.list_agents("t", Some(&key), 1).await, invalid)?;
        refused(store.delete_agent("t", &key, 1).await, invalid)?;
    }
    let tenant = new_tenant();
    let settings = PutAgent { settings: json!([1]), ..PutAgent::new(&tenant, "a") };
    refused(store.put_agent(settings, 1).await, invalid)?;
    let description = PutAgent { description: "a\0b".into(), ..PutAgent::new(&tenant, "a") };
    refused(store.put_agent(description, 1).await, invalid)?;
    same(store.get_agent(&tenant, "a").await?, None)
}
