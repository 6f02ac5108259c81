//! Checks of the rules.

use serde_json::json;

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{Kind, ListRules, PutRule, Rule, RuleEffect, Rules};

/// Checks the rules of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn rules(store: &dyn Rules) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("rules: what was put is got back", comes_back(store)).await?;
    report.check("rules: tenants and kinds with equal ids are apart", apart(store)).await?;
    report.check("rules: a change needs its version", versions(store)).await?;
    report.check("rules: a list goes on from its cursor", paging(store)).await?;
    report.check("rules: a list holds for an agent and a user", filters(store)).await?;
    report.check("rules: what has ended is not listed, then forgotten", expiry(store)).await?;
    report.check("rules: any good key is taken", takes_good_keys(store)).await?;
    report.check("rules: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

fn named(tenant: &str, id: &str) -> PutRule {
    PutRule { id: Some(id.into()), ..PutRule::new(tenant, "shell", RuleEffect::Ask, "git *") }
}

fn all_of(tenant: &str) -> ListRules {
    let (tenant, kind) = (tenant.to_owned(), "shell".to_owned());
    ListRules { tenant, kind, agent: None, user: None, after: None, limit: 100 }
}

async fn ids(store: &dyn Rules, list: ListRules, now_ms: i64) -> Result<Vec<String>, Problem> {
    Ok(store.list_rules(list, now_ms).await?.into_iter().map(|rule| rule.id).collect())
}

async fn comes_back(store: &dyn Rules) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.get_rule(&tenant, "shell", "r").await?, None)?;
    for effect in [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny] {
        let put = PutRule {
            agent: Some("a".into()),
            user: Some("u".into()),
            settings: json!({ "cwd": "/", "n": [1.5, null, "\u{0}"] }),
            source: "approval:1".into(),
            expires_at_ms: Some(99),
            ..PutRule::new(&tenant, "shell", effect, "git \"push\" 🦀\n")
        };
        let written = store.put_rule(put.clone(), 17).await?;
        let expected = Rule {
            tenant: tenant.clone(),
            kind: "shell".into(),
            id: written.id.clone(),
            agent: put.agent,
            user: put.user,
            effect,
            pattern: put.pattern,
            settings: put.settings,
            source: put.source,
            expires_at_ms: Some(99),
            version: 1,
            updated_at_ms: 17,
        };
        same(&written, &expected)?;
        same(store.get_rule(&tenant, "shell", &written.id).await?, Some(expected))?;
    }
    same(store.list_rules(all_of(&tenant), 20).await?.len(), 3)?;
    let made = store.put_rule(named(&tenant, "r"), 18).await?;
    same(store.get_rule(&tenant, "shell", "r").await?, Some(made))?;
    same(store.delete_rule(&tenant, "shell", "r", None, 19).await?, true)?;
    same(store.delete_rule(&tenant, "shell", "r", None, 19).await?, false)?;
    same(store.get_rule(&tenant, "shell", "r").await?, None)
}

async fn apart(store: &dyn Rules) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    store.put_rule(named(&one, "r"), 1).await?;
    store.put_rule(PutRule { kind: "tool".into(), ..named(&one, "r") }, 1).await?;
    same(store.get_rule(&two, "shell", "r").await?, None)?;
    same(store.list_rules(all_of(&two), 1).await?, vec![])?;
    same(store.delete_rule(&two, "shell", "r", None, 2).await?, false)?;
    same(store.put_rule(named(&two, "r"), 3).await?.version, 1)?;
    same(store.delete_rule(&one, "tool", "r", None, 4).await?, true)?;
    same(store.delete_rule(&two, "shell", "r", None, 4).await?, true)?;
    same(ids(store, all_of(&one), 1).await?, vec!["r".into()])
}

async fn versions(store: &dyn Rules) -> Result<(), Problem> {
    let tenant = new_tenant();
    let at = |version| PutRule { if_version: Some(version), ..named(&tenant, "r") };
    refused(store.put_rule(at(1), 1).await, Kind::Conflict)?;
    same(store.delete_rule(&tenant, "shell", "r", Some(1), 1).await?, false)?;
    same(store.put_rule(at(0), 1).await?.version, 1)?;
    refused(store.put_rule(at(0), 2).await, Kind::Conflict)?;
    same(store.put_rule(at(1), 3).await?.version, 2)?;
    for never in [-1, 1, 3, i64::MAX] {
        refused(store.put_rule(at(never), 4).await, Kind::Conflict)?;
        let deleted = store.delete_rule(&tenant, "shell", "r", Some(never), 4).await;
        refused(deleted, Kind::Conflict)?;
    }
    same(store.delete_rule(&tenant, "shell", "r", Some(2), 5).await?, true)
}

async fn paging(store: &dyn Rules) -> Result<(), Problem> {
    let tenant = new_tenant();
    let all = ["A", "B", "_", "a", "a-b", "aB", "b", "é", "🦀"];
    for id in all.iter().rev() {
        store.put_rule(named(&tenant, id), 1).await?;
    }
    let mut found: Vec<String> = Vec::new();
    loop {
        let list = ListRules { after: found.last().cloned(), limit: 4, ..all_of(&tenant) };
        let page = ids(store, list, 1).await?;
        ensure(page.len() <= 4, "a page is longer than its limit")?;
        if page.is_empty() {
            break;
        }
        ensure(found.len() < all.len(), "the list does not end")?;
        found.extend(page);
    }
    same(found, all.map(String::from).to_vec())
}

async fn filters(store: &dyn Rules) -> Result<(), Problem> {
    let tenant = new_tenant();
    let some = |part: &str| (part != "-").then(|| part.to_owned());
    for id in ["--", "-u", "-v", "a-", "au", "b-", "bv"] {
        let (agent, user) = (some(&id[..1]), some(&id[1..]));
        store.put_rule(PutRule { agent, user, ..named(&tenant, id) }, 1).await?;
    }
    for (agent, user, expected) in [
        ("-", "-", &["--", "-u", "-v", "a-", "au", "b-", "bv"][..]),
        ("a", "-", &["--", "-u", "-v", "a-", "au"]),
        ("-", "v", &["--", "-v", "a-", "b-", "bv"]),
        ("a", "u", &["--", "-u", "a-", "au"]),
        ("c", "w", &["--"]),
    ] {
        let list = ListRules { agent: some(agent), user: some(user), ..all_of(&tenant) };
        same(ids(store, list, 1).await?, expected.iter().map(|id| (*id).into()).collect())?;
    }
    Ok(())
}

async fn expiry(store: &dyn Rules) -> Result<(), Problem> {
    let tenant = new_tenant();
    for (id, expires_at_ms) in [("never", None), ("soon", Some(-90)), ("then", Some(-80))] {
        store.put_rule(PutRule { expires_at_ms, ..named(&tenant, id) }, -100).await?;
    }
    let all: Vec<String> = ["never", "soon", "then"].map(String::from).to_vec();
    same(ids(store, all_of(&tenant), -91).await?, all)?;
    same(ids(store, all_of(&tenant), -90).await?, vec!["never".into(), "then".into()])?;
    same(store.get_rule(&tenant, "shell", "soon").await?.is_some(), true)?;
    // Runs on the same store may overlap, and the other one may be the one that forgets.
    store.prune_rules(-90).await?;
    same(store.get_rule(&tenant, "shell", "soon").await?, None)?;
    same(store.get_rule(&tenant, "shell", "then").await?.is_some(), true)?;
    same(store.get_rule(&tenant, "shell", "never").await?.is_some(), true)
}

async fn takes_good_keys(store: &dyn Rules) -> Result<(), Problem> {
    for good in good_keys() {
        let tenant = new_tenant();
        let (agent, user) = (Some(good.clone()), Some(good.clone()));
        let put = PutRule { kind: good.clone(), agent, user, ..named(&tenant, &good) };
        let written = store.put_rule(put, 1).await?;
        same(store.get_rule(&tenant, &good, &good).await?, Some(written))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Rules) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for bad in bad_keys() {
        let some = || Some(bad.clone());
        for put in [
            named(&bad, "r"),
            named("t", &bad),
            PutRule { kind: bad.clone(), ..named("t", "r") },
            PutRule { agent: some(), ..named("t", "r") },
            PutRule { user: some(), ..named("t", "r") },
        ] {
            refused(store.put_rule(put, 1).await, invalid)?;
        }
        for [tenant, kind, id] in [[&bad, "k", "r"], ["t", &bad, "r"], ["t", "k", &bad]] {
            refused(store.get_rule(tenant, kind, id).await, invalid)?;
            refused(store.delete_rule(tenant, kind, id, None, 1).await, invalid)?;
        }
        for list in [
            all_of(&bad),
            ListRules { kind: bad.clone(), ..all_of("t") },
            ListRules { agent: some(), ..all_of("t") },
            ListRules { user: some(), ..all_of("t") },
            ListRules { after: some(), ..all_of("t") },
        ] {
            refused(store.list_rules(list, 1).await, invalid)?;
        }
    }
    let tenant = new_tenant();
    for put in [
        PutRule { pattern: "a\0b".into(), ..named(&tenant, "r") },
        PutRule { source: "a\0b".into(), ..named(&tenant, "r") },
        PutRule { settings: json!([1]), ..named(&tenant, "r") },
    ] {
        refused(store.put_rule(put, 1).await, invalid)?;
    }
    same(store.get_rule(&tenant, "shell", "r").await?, None)
}
