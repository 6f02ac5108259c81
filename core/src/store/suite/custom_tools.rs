//! Checks of the custom tools.

use serde_json::json;

use super::credentials::{ring, sealed};
use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::policy::{NetworkPermit, Permit};
use crate::store::{
    CustomTool, CustomToolKey, CustomTools, Kind, PutCustomTool, SealedCustomTool, Store,
};

/// Checks the custom tools of a store, with environments sealed under a key that is thrown away.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn custom_tools(store: &dyn CustomTools) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("custom_tools: what was put is got back", comes_back(store)).await?;
    report.check("custom_tools: an environment in clear is refused", only_sealed(store)).await?;
    report.check("custom_tools: tenants and agents are apart", apart(store)).await?;
    report.check("custom_tools: a change needs its version", versions(store)).await?;
    report.check("custom_tools: a list goes on from its cursor", paging(store)).await?;
    report.check("custom_tools: the names of all are told", names(store)).await?;
    report.check("custom_tools: one is deleted once, at its version", deletion(store)).await?;
    report.check("custom_tools: any good key is taken", takes_good_keys(store)).await?;
    report.check("custom_tools: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

fn key(tenant: &str, agent: Option<&str>, name: &str) -> CustomToolKey {
    CustomToolKey { tenant: tenant.into(), agent: agent.map(String::from), name: name.into() }
}

fn put(key: &CustomToolKey) -> PutCustomTool {
    let tool = CustomTool {
        key: key.clone(),
        description: String::new(),
        parameters: json!({ "type": "object" }),
        command: "true".into(),
        working_dir: None,
        timeout_seconds: 60,
        enabled: true,
        permit: Permit::default(),
        settings: json!({}),
        created_by: String::new(),
        env_names: Vec::new(),
        version: 0,
        updated_at_ms: 0,
    };
    PutCustomTool { tool, env: None, if_version: None }
}

async fn names(store: &dyn CustomTools) -> Result<(), Problem> {
    let (one, other) = (new_tenant(), new_tenant());
    for (tenant, agent) in [(&one, None), (&one, Some("a")), (&other, None)] {
        store.put_custom_tool(put(&key(tenant, agent, &one)), 17).await?;
    }
    let names = store.custom_tool_names().await?;
    same(names.iter().filter(|name| **name == one).count(), 1)
}

async fn comes_back(store: &dyn CustomTools) -> Result<(), Problem> {
    let key = key(&new_tenant(), Some("a"), "deploy");
    same(store.get_custom_tool(&key).await?, None)?;
    let env = key.place(|place| sealed(&ring()?, place, b"{\"TOKEN\":\"hunter2\"}"))?;
    let mut given = PutCustomTool { env: Some(env.clone()), ..put(&key) };
    given.tool = CustomTool {
        description: "Deploys\n\"it\" 🦀".into(),
        parameters: json!({ "type": "object", "properties": { "z": {}, "a": {} } }),
        command: "deploy {{a}} 'x' \\ $HOME".into(),
        working_dir: Some("sub/folder".into()),
        timeout_seconds: 3_600,
        enabled: false,
        permit: Permit {
            network: NetworkPermit::Hosts(vec!["a.example".into()]),
            read: vec!["~/.kube".into()],
            write: vec![".".into()],
        },
        settings: json!({ "z": 1, "a": [1.5, null, "\u{0}"] }),
        created_by: "é".into(),
        env_names: vec!["TOKEN".into()],
        version: 99,
        ..given.tool
    };
    let written = store.put_custom_tool(given.clone(), 17).await?;
    let expected = CustomTool { version: 1, updated_at_ms: 17, ..given.tool };
    same(&written, &expected)?;
    let sealed = SealedCustomTool { tool: expected.clone(), env: Some(env) };
    same(store.get_custom_tool(&key).await?, Some(sealed))?;
    same(store.list_custom_tools(&key.tenant, Some("a"), None, 10).await?, vec![expected])?;
    let changed = store.put_custom_tool(put(&key), 18).await?;
    same((changed.version, changed.updated_at_ms, changed.enabled), (2, 18, true))?;
    let without = SealedCustomTool { tool: changed, env: None };
    same(store.get_custom_tool(&key).await?, Some(without))
}

async fn only_sealed(store: &dyn CustomTools) -> Result<(), Problem> {
    let key = key(&new_tenant(), None, "deploy");
    for clear in [Vec::new(), b"{\"TOKEN\":\"hunter2\"}".to_vec(), b"TKS\x01".to_vec()] {
        let clear = PutCustomTool { env: Some(clear), ..put(&key) };
        refused(store.put_custom_tool(clear, 1).await, Kind::InvalidArgument)?;
    }
    same(store.get_custom_tool(&key).await?, None)
}

async fn apart(store: &dyn CustomTools) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let keys = [
        key(&one, None, "deploy"),
        key(&one, Some("a"), "deploy"),
        key(&one, Some("b"), "deploy"),
        key(&two, None, "deploy"),
    ];
    for (at, key) in keys.iter().enumerate() {
        same(store.get_custom_tool(key).await?, None)?;
        let listed = store.list_custom_tools(&key.tenant, key.agent.as_deref(), None, 10).await?;
        same(listed, vec![])?;
        same(store.delete_custom_tool(key, None, 1).await?, false)?;
        let mut given = PutCustomTool { if_version: Some(0), ..put(key) };
        given.tool.command = at.to_string();
        same(store.put_custom_tool(given, 1).await?.version, 1)?;
    }
    same(store.delete_custom_tool(&keys[3], None, 2).await?, true)?;
    for (at, key) in keys.iter().enumerate().take(3) {
        let found = store.get_custom_tool(key).await?.map(|found| found.tool);
        let expected = Some((key.clone(), at.to_string()));
        same(found.map(|tool| (tool.key, tool.command)), expected)?;
        let listed = store.list_custom_tools(&one, key.agent.as_deref(), None, 10).await?;
        same(listed.len(), 1)?;
    }
    Ok(())
}

async fn versions(store: &dyn CustomTools) -> Result<(), Problem> {
    let key = key(&new_tenant(), None, "deploy");
    let put = |version| PutCustomTool { if_version: Some(version), ..put(&key) };
    refused(store.put_custom_tool(put(1), 1).await, Kind::Conflict)?;
    same(store.get_custom_tool(&key).await?, None)?;
    same(store.put_custom_tool(put(0), 1).await?.version, 1)?;
    refused(store.put_custom_tool(put(0), 2).await, Kind::Conflict)?;
    same(store.put_custom_tool(put(1), 3).await?.version, 2)?;
    for never in [-1, 1, 3, i64::MAX] {
        refused(store.put_custom_tool(put(never), 4).await, Kind::Conflict)?;
    }
    let kept = store.get_custom_tool(&key).await?.map(|found| found.tool);
    same(kept.map(|tool| (tool.version, tool.updated_at_ms)), Some((2, 3)))
}

async fn paging(store: &dyn CustomTools) -> Result<(), Problem> {
    let tenant = new_tenant();
    // In order byte by byte, which no language's alphabet agrees with.
    let names = ["A", "B", "_", "a", "a-b", "aB", "b", "é", "🦀"];
    for name in names.iter().rev() {
        store.put_custom_tool(put(&key(&tenant, Some("a"), name)), 1).await?;
    }
    let mut found: Vec<String> = Vec::new();
    loop {
        let after = found.last().map(String::as_str);
        let page = store.list_custom_tools(&tenant, Some("a"), after, 4).await?;
        ensure(page.len() <= 4, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < names.len(), "the list does not end")?;
        found.extend(page.into_iter().map(|tool| tool.key.name));
    }
    same(found, names.map(String::from).to_vec())?;
    same(store.list_custom_tools(&tenant, Some("a"), None, 0).await?, vec![])
}

async fn deletion(store: &dyn CustomTools) -> Result<(), Problem> {
    let key = key(&new_tenant(), None, "deploy");
    same(store.delete_custom_tool(&key, Some(1), 1).await?, false)?;
    store.put_custom_tool(put(&key), 1).await?;
    refused(store.delete_custom_tool(&key, Some(2), 2).await, Kind::Conflict)?;
    same(store.get_custom_tool(&key).await?.is_some(), true)?;
    same(store.delete_custom_tool(&key, Some(1), 3).await?, true)?;
    same(store.delete_custom_tool(&key, None, 4).await?, false)?;
    same(store.get_custom_tool(&key).await?, None)
}

async fn takes_good_keys(store: &dyn CustomTools) -> Result<(), Problem> {
    for good in good_keys() {
        let key = key(&new_tenant(), Some(&good), &good);
        store.put_custom_tool(put(&key), 1).await?;
        same(store.get_custom_tool(&key).await?.map(|found| found.tool.key), Some(key))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn CustomTools) -> Result<(), Problem> {
    let (invalid, tenant) = (Kind::InvalidArgument, new_tenant());
    for bad in bad_keys() {
        for key in [
            key(&bad, None, "deploy"),
            key(&tenant, Some(&bad), "deploy"),
            key(&tenant, None, &bad),
        ] {
            refused(store.get_custom_tool(&key).await, invalid)?;
            refused(store.put_custom_tool(put(&key), 1).await, invalid)?;
            refused(store.delete_custom_tool(&key, None, 1).await, invalid)?;
        }
        refused(store.list_custom_tools(&bad, None, None, 1).await, invalid)?;
        refused(store.list_custom_tools(&tenant, Some(&bad), None, 1).await, invalid)?;
        refused(store.list_custom_tools(&tenant, None, Some(&bad), 1).await, invalid)?;
    }
    let good = key(&tenant, None, "deploy");
    let tool = || put(&good).tool;
    let nul = || "a\0b".to_owned();
    for wrong in [
        CustomTool { description: nul(), ..tool() },
        CustomTool { command: nul(), ..tool() },
        CustomTool { working_dir: Some(nul()), ..tool() },
        CustomTool { created_by: nul(), ..tool() },
        CustomTool { parameters: json!([1]), ..tool() },
        CustomTool { settings: json!(null), ..tool() },
    ] {
        let wrong = PutCustomTool { tool: wrong, ..put(&good) };
        refused(store.put_custom_tool(wrong, 1).await, invalid)?;
    }
    same(store.get_custom_tool(&good).await?, None)
}

/// Each change is reported once, with what finds the row and without what is in it.
pub(super) async fn events(store: &dyn Store) -> Result<(), Problem> {
    let key = key(&new_tenant(), Some("a"), "deploy");
    store.put_custom_tool(put(&key), 1).await?;
    let stale = PutCustomTool { if_version: Some(9), ..put(&key) };
    refused(store.put_custom_tool(stale, 2).await, Kind::Conflict)?;
    refused(store.delete_custom_tool(&key, Some(9), 2).await, Kind::Conflict)?;
    store.delete_custom_tool(&key, None, 3).await?;
    store.delete_custom_tool(&key, None, 4).await?;
    let events = store.read_events(&key.tenant, 0, 10).await?;
    let events =
        events.into_iter().map(|event| (event.kind, event.subject, event.at_ms, event.data));
    let data = json!({ "agent": "a" });
    let expected = [("custom_tool.changed", 1), ("custom_tool.deleted", 3)]
        .map(|(kind, at_ms)| (kind.into(), "deploy".into(), at_ms, data.clone()));
    same(events.collect::<Vec<_>>(), expected.to_vec())
}
