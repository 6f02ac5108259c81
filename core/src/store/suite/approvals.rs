//! Checks of the approvals.

use serde_json::{Value as Json, json};

use super::{Failure, Problem, Report, bad_keys, good_keys, new_tenant, refused, same};
use crate::store::{
    Approval, ApprovalQuery, ApprovalState, Approvals, Error, Kind, NewApproval, Store, Verdict,
};

/// Checks the approvals of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn approvals(store: &dyn Approvals) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("approvals: what was asked for is got back", comes_back(store)).await?;
    report.check("approvals: asking again is harmless", asked_again(store)).await?;
    report.check("approvals: each is decided once", decided_once(store)).await?;
    report.check("approvals: an allowed one is used once", used_once(store)).await?;
    report.check("approvals: a late decision is refused", late(store)).await?;
    report.check("approvals: one taken back is not used", cancelled(store)).await?;
    report.check("approvals: of racing decisions one counts", racing(store)).await?;
    report.check("approvals: a list filters and goes on", listing(store)).await?;
    report.check("approvals: one of use is found by its digest", finding(store)).await?;
    report.check("approvals: a denial is told once", reporting_a_denial(store)).await?;
    report.check("approvals: tenants with equal ids are apart", tenants(store)).await?;
    report.check("approvals: any good key is taken", takes_good_keys(store)).await?;
    report.check("approvals: a bad key or value is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

/// Checks that each step of an approval is reported once.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn approval_events(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("approvals: each step is told once", each_step_has_an_event(store)).await?;
    report.check("approvals: of racing steps one is told", reported_once(store)).await?;
    Ok(report)
}

fn new(tenant: &str, id: &str) -> NewApproval {
    NewApproval {
        tenant: tenant.into(),
        id: id.into(),
        digest: "d1".into(),
        agent: None,
        user: None,
        session: None,
        tool: "exec".into(),
        request: json!({}),
        event_data: json!({}),
        expires_at_ms: 200,
    }
}

/// Before every time that the other checks use: a sweep for all tenants must leave theirs alone.
const LONG_AGO: i64 = -1_000_000;

fn long_ago(tenant: &str, id: &str) -> NewApproval {
    NewApproval { expires_at_ms: LONG_AGO, ..new(tenant, id) }
}

fn verdict(allow: bool, by: &str) -> Verdict {
    Verdict { allow, by: by.into(), reason: None, edited: None }
}

fn there(found: Option<Approval>) -> Result<Approval, Problem> {
    found.ok_or_else(|| Problem("an approval that was asked for is not there".into()))
}

/// The refusal of a step, which must say in words which state the approval is in.
fn says(result: Result<Option<Approval>, Error>, words: &str) -> Result<(), Problem> {
    match &result {
        Err(error) if error.to_string().contains(words) => {}
        other => return Err(Problem(format!("found {other:?}, expected `{words}`"))),
    }
    refused(result, Kind::Conflict)
}

async fn comes_back(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.get_approval(&tenant, "a", 1).await?, None)?;
    let asked = NewApproval {
        agent: Some("helper".into()),
        user: Some("🦀".into()),
        session: Some("s".into()),
        request: json!({ "command": "rm -r 'x'\n", "nul": "\u{0}" }),
        ..new(&tenant, "a")
    };
    let approval = store.request_approval(asked.clone(), 100).await?;
    let expected = Approval {
        tenant: tenant.clone(),
        id: "a".into(),
        digest: "d1".into(),
        agent: asked.agent,
        user: asked.user,
        session: asked.session,
        tool: "exec".into(),
        request: asked.request,
        state: ApprovalState::Pending,
        decided_by: None,
        reason: None,
        edited: None,
        created_at_ms: 100,
        expires_at_ms: 200,
        decided_at_ms: None,
        updated_at_ms: 100,
    };
    same(&approval, &expected)?;
    same(store.get_approval(&tenant, "a", 150).await?, Some(expected.clone()))?;
    let verdict = Verdict {
        reason: Some("fine".into()),
        edited: Some(json!({ "n": 1 })),
        ..verdict(true, "me")
    };
    let decided = there(store.decide_approval(&tenant, "a", verdict, 150).await?)?;
    let expected = Approval {
        state: ApprovalState::Allowed,
        decided_by: Some("me".into()),
        reason: Some("fine".into()),
        edited: Some(json!({ "n": 1 })),
        decided_at_ms: Some(150),
        updated_at_ms: 150,
        ..expected
    };
    same(&decided, &expected)?;
    let used = there(store.consume_approval(&tenant, "a", "d1", 300).await?)?;
    let expected = Approval { state: ApprovalState::Consumed, updated_at_ms: 300, ..expected };
    same(&used, &expected)?;
    same(store.get_approval(&tenant, "a", 300).await?, Some(expected))
}

async fn asked_again(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    let first = store.request_approval(new(&tenant, "a"), 100).await?;
    let again = NewApproval { tool: "other".into(), expires_at_ms: 900, ..new(&tenant, "a") };
    same(store.request_approval(again.clone(), 101).await?, first)?;
    let other = NewApproval { digest: "d2".into(), ..again };
    refused(store.request_approval(other, 102).await, Kind::Conflict)?;
    store.decide_approval(&tenant, "a", verdict(false, "x"), 103).await?;
    let now = store.request_approval(new(&tenant, "a"), 104).await?;
    same(now.state, ApprovalState::Denied)
}

async fn decided_once(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.decide_approval(&tenant, "a", verdict(true, "x"), 100).await?, None)?;
    for (id, allow, words) in
        [("a", true, "already allowed by `x`"), ("b", false, "already denied by `x`")]
    {
        store.request_approval(new(&tenant, id), 100).await?;
        store.decide_approval(&tenant, id, verdict(allow, "x"), 101).await?;
        for again in [true, false] {
            says(store.decide_approval(&tenant, id, verdict(again, "y"), 102).await, words)?;
        }
        let kept = there(store.get_approval(&tenant, id, 103).await?)?;
        same((kept.decided_by, kept.decided_at_ms), (Some("x".into()), Some(101)))?;
    }
    Ok(())
}

async fn used_once(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.consume_approval(&tenant, "a", "d1", 100).await?, None)?;
    store.request_approval(new(&tenant, "a"), 100).await?;
    says(store.consume_approval(&tenant, "a", "d1", 101).await, "is still pending")?;
    store.decide_approval(&tenant, "a", verdict(true, "x"), 102).await?;
    says(store.consume_approval(&tenant, "a", "d2", 103).await, "digest")?;
    let used = store.consume_approval(&tenant, "a", "d1", 104).await?;
    same(used.map(|used| used.state), Some(ApprovalState::Consumed))?;
    says(store.consume_approval(&tenant, "a", "d1", 105).await, "has been used")?;
    says(store.cancel_approval(&tenant, "a", 105).await, "has been used")?;
    store.request_approval(new(&tenant, "b"), 100).await?;
    store.decide_approval(&tenant, "b", verdict(false, "x"), 101).await?;
    says(store.consume_approval(&tenant, "b", "d1", 102).await, "already denied by `x`")
}

async fn late(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    for id in ["a", "b"] {
        store.request_approval(new(&tenant, id), 100).await?;
    }
    let state = async |id: &str, now_ms| {
        Ok::<_, Problem>(there(store.get_approval(&tenant, id, now_ms).await?)?.state)
    };
    same(state("a", 199).await?, ApprovalState::Pending)?;
    same(state("a", 200).await?, ApprovalState::Expired)?;
    says(store.decide_approval(&tenant, "a", verdict(true, "x"), 200).await, "has expired")?;
    says(store.cancel_approval(&tenant, "a", 200).await, "has expired")?;
    // Too early to end it; in time by the clock of who decides.
    let early = there(store.expire_approval(&tenant, "b", 199).await?)?;
    same(early.state, ApprovalState::Pending)?;
    store.decide_approval(&tenant, "b", verdict(true, "x"), 199).await?;
    let kept = there(store.expire_approval(&tenant, "b", 200).await?)?;
    same(kept.state, ApprovalState::Allowed)?;
    // Once it was reported as expired, no slower clock decides it any more.
    let row = there(store.expire_approval(&tenant, "a", 200).await?)?;
    same(row.state, ApprovalState::Expired)?;
    says(store.decide_approval(&tenant, "a", verdict(true, "x"), 150).await, "has expired")?;
    same(store.expire_approval(&tenant, "nobody", 200).await?, None)?;
    store.request_approval(long_ago(&tenant, "c"), LONG_AGO - 100).await?;
    store.expire_approvals(LONG_AGO).await?;
    let slow = LONG_AGO - 50;
    says(store.decide_approval(&tenant, "c", verdict(true, "x"), slow).await, "has expired")?;
    same(state("c", slow).await?, ApprovalState::Expired)
}

async fn cancelled(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.cancel_approval(&tenant, "a", 100).await?, None)?;
    for id in ["a", "b"] {
        store.request_approval(new(&tenant, id), 100).await?;
    }
    let gone = there(store.cancel_approval(&tenant, "a", 101).await?)?;
    same(gone.state, ApprovalState::Cancelled)?;
    says(store.decide_approval(&tenant, "a", verdict(true, "x"), 102).await, "was cancelled")?;
    says(store.cancel_approval(&tenant, "a", 102).await, "was cancelled")?;
    store.decide_approval(&tenant, "b", verdict(true, "x"), 101).await?;
    store.cancel_approval(&tenant, "b", 102).await?;
    says(store.consume_approval(&tenant, "b", "d1", 103).await, "was cancelled")
}

async fn racing(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.request_approval(new(&tenant, "a"), 100).await?;
    let deciders: Vec<String> = (0..16).map(|n| format!("p{n}")).collect();
    let decide = |(n, by): (usize, &String)| {
        store.decide_approval(&tenant, "a", verdict(n % 2 == 0, by), 101)
    };
    let results = futures_util::future::join_all(deciders.iter().enumerate().map(decide)).await;
    let mut winners = Vec::new();
    for result in results {
        match result {
            Ok(won) => winners.push(there(won)?),
            lost => refused(lost, Kind::Conflict)?,
        }
    }
    same(winners.len(), 1)?;
    same(store.get_approval(&tenant, "a", 102).await?, winners.pop())?;
    store.request_approval(new(&tenant, "b"), 100).await?;
    store.decide_approval(&tenant, "b", verdict(true, "x"), 101).await?;
    let uses = (0..16).map(|_| store.consume_approval(&tenant, "b", "d1", 102));
    let results = futures_util::future::join_all(uses).await;
    same(results.iter().filter(|result| matches!(result, Ok(Some(_)))).count(), 1)
}

async fn listing(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    for (n, id) in ["A", "a", "b", "c", "d", "é"].into_iter().enumerate() {
        let asked = NewApproval {
            session: Some(if n % 2 == 0 { "even".into() } else { "odd".into() }),
            agent: (n < 3).then(|| "helper".into()),
            expires_at_ms: if id == "d" { 150 } else { 200 },
            ..new(&tenant, id)
        };
        store.request_approval(asked, 100).await?;
    }
    store.decide_approval(&tenant, "a", verdict(true, "x"), 101).await?;
    store.decide_approval(&tenant, "b", verdict(false, "x"), 101).await?;
    let all = || ApprovalQuery::new(&tenant);
    let ids = async |query, now_ms| {
        let found: Vec<Approval> = store.list_approvals(query, now_ms).await?;
        Ok::<_, Problem>(found.into_iter().map(|found| found.id).collect::<Vec<_>>().join(" "))
    };
    let of = |state| ApprovalQuery { state: Some(state), ..all() };
    same(ids(all(), 110).await?.as_str(), "A a b c d é")?;
    same(ids(of(ApprovalState::Pending), 110).await?.as_str(), "A c d é")?;
    same(ids(of(ApprovalState::Pending), 150).await?.as_str(), "A c é")?;
    same(ids(of(ApprovalState::Expired), 150).await?.as_str(), "d")?;
    same(ids(of(ApprovalState::Allowed), 150).await?.as_str(), "a")?;
    same(ids(of(ApprovalState::Consumed), 150).await?.as_str(), "")?;
    let even = || ApprovalQuery { session: Some("even".into()), ..all() };
    same(ids(even(), 110).await?.as_str(), "A b d")?;
    let helper = || ApprovalQuery { agent: Some("helper".into()), ..all() };
    same(ids(helper(), 110).await?.as_str(), "A a b")?;
    let both = ApprovalQuery { agent: Some("helper".into()), ..even() };
    same(ids(both, 110).await?.as_str(), "A b")?;
    let expired = ApprovalQuery { state: Some(ApprovalState::Expired), ..even() };
    same(ids(expired, 150).await?.as_str(), "d")?;
    let allowed = ApprovalQuery { state: Some(ApprovalState::Allowed), ..helper() };
    same(ids(allowed, 110).await?.as_str(), "a")?;
    let page = ApprovalQuery { after: Some("a".into()), limit: 2, ..all() };
    same(ids(page, 110).await?.as_str(), "b c")
}

async fn finding(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    let found = async |now_ms| {
        let found = store.find_approvals(&tenant, "d1", now_ms).await?;
        let ids: Vec<_> = found.into_iter().map(|found| found.id).collect();
        Ok::<_, Problem>(ids.join(" "))
    };
    same(found(100).await?.as_str(), "")?;
    for (id, at_ms) in [("z", 100), ("y", 101), ("x", 102), ("w", 103)] {
        store.request_approval(new(&tenant, id), at_ms).await?;
    }
    same(found(110).await?.as_str(), "z y x w")?;
    store.decide_approval(&tenant, "w", verdict(false, "p"), 110).await?;
    store.cancel_approval(&tenant, "x", 110).await?;
    store.decide_approval(&tenant, "y", verdict(true, "p"), 110).await?;
    same(found(110).await?.as_str(), "z y w")?;
    same(found(300).await?.as_str(), "y w")?;
    store.consume_approval(&tenant, "y", "d1", 300).await?;
    same(found(150).await?.as_str(), "z w")
}

async fn reporting_a_denial(store: &dyn Approvals) -> Result<(), Problem> {
    let tenant = new_tenant();
    for id in ["a", "b", "c"] {
        store.request_approval(new(&tenant, id), 100).await?;
    }
    store.decide_approval(&tenant, "a", verdict(false, "p"), 110).await?;
    store.decide_approval(&tenant, "b", verdict(true, "p"), 110).await?;
    // Also in the very millisecond of the decision, and by a clock that is slow.
    let row = there(store.report_denial(&tenant, "a", 105).await?)?;
    same((row.state, row.updated_at_ms), (ApprovalState::Denied, 111))?;
    for id in ["a", "b", "c", "nope"] {
        same(store.report_denial(&tenant, id, 120).await?, None)?;
    }
    let found = store.find_approvals(&tenant, "d1", 110).await?;
    same(found.len(), 2)
}

async fn tenants(store: &dyn Approvals) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    for tenant in [&one, &two] {
        store.request_approval(new(tenant, "a"), 100).await?;
    }
    store.decide_approval(&one, "a", verdict(true, "x"), 101).await?;
    says(store.consume_approval(&two, "a", "d1", 102).await, "is still pending")?;
    same(store.list_approvals(ApprovalQuery::new(&two), 102).await?.len(), 1)?;
    let found = store.find_approvals(&two, "d1", 102).await?;
    same(found.iter().map(|found| found.state).collect(), vec![ApprovalState::Pending])?;
    store.cancel_approval(&two, "a", 103).await?;
    same(there(store.get_approval(&one, "a", 104).await?)?.state, ApprovalState::Allowed)
}

async fn takes_good_keys(store: &dyn Approvals) -> Result<(), Problem> {
    for key in good_keys() {
        let tenant = new_tenant();
        let asked = NewApproval {
            digest: key.clone(),
            agent: Some(key.clone()),
            session: Some(key.clone()),
            ..new(&tenant, &key)
        };
        store.request_approval(asked, 100).await?;
        store.decide_approval(&tenant, &key, verdict(true, &key), 101).await?;
        let used = there(store.consume_approval(&tenant, &key, &key, 102).await?)?;
        same((used.id, used.decided_by), (key.clone(), Some(key)))?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Approvals) -> Result<(), Problem> {
    let (tenant, invalid) = (new_tenant(), Kind::InvalidArgument);
    for key in bad_keys() {
        let put = |approval| store.request_approval(approval, 100);
        refused(put(new(&key, "a")).await, invalid)?;
        refused(put(new(&tenant, &key)).await, invalid)?;
        refused(put(NewApproval { digest: key.clone(), ..new(&tenant, "a") }).await, invalid)?;
        refused(put(NewApproval { tool: key.clone(), ..new(&tenant, "a") }).await, invalid)?;
        let agent = NewApproval { agent: Some(key.clone()), ..new(&tenant, "a") };
        refused(put(agent).await, invalid)?;
        refused(store.get_approval(&tenant, &key, 1).await, invalid)?;
        refused(store.find_approvals(&tenant, &key, 1).await, invalid)?;
        refused(store.report_denial(&tenant, &key, 1).await, invalid)?;
        refused(store.decide_approval(&tenant, "a", verdict(true, &key), 1).await, invalid)?;
        refused(store.consume_approval(&tenant, "a", &key, 1).await, invalid)?;
        refused(store.cancel_approval(&tenant, &key, 1).await, invalid)?;
        refused(store.expire_approval(&tenant, &key, 1).await, invalid)?;
        let after = ApprovalQuery { after: Some(key.clone()), ..ApprovalQuery::new(&tenant) };
        refused(store.list_approvals(after, 1).await, invalid)?;
    }
    let request = NewApproval { request: json!([1]), ..new(&tenant, "a") };
    refused(store.request_approval(request, 100).await, invalid)?;
    same(store.get_approval(&tenant, "a", 100).await?, None)?;
    store.request_approval(new(&tenant, "a"), 100).await?;
    let edited = |allow, edited: Json| Verdict { edited: Some(edited), ..verdict(allow, "x") };
    refused(store.decide_approval(&tenant, "a", edited(false, json!({})), 101).await, invalid)?;
    refused(store.decide_approval(&tenant, "a", edited(true, json!("x")), 101).await, invalid)?;
    let nul = Verdict { reason: Some("a\0".into()), ..verdict(true, "x") };
    refused(store.decide_approval(&tenant, "a", nul, 101).await, invalid)?;
    same(there(store.get_approval(&tenant, "a", 101).await?)?.state, ApprovalState::Pending)
}

async fn events(store: &dyn Store, tenant: &str) -> Result<Vec<(String, String)>, Problem> {
    let events = store.read_events(tenant, 0, 1000).await?;
    Ok(events.into_iter().map(|event| (event.kind, event.subject)).collect())
}

async fn each_step_has_an_event(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    for id in ["a", "a", "b"] {
        store.request_approval(new(&tenant, id), 100).await?;
    }
    for id in ["c", "d"] {
        store.request_approval(long_ago(&tenant, id), LONG_AGO - 100).await?;
    }
    store.decide_approval(&tenant, "a", verdict(true, "x"), 101).await?;
    refused(store.decide_approval(&tenant, "a", verdict(true, "x"), 101).await, Kind::Conflict)?;
    store.consume_approval(&tenant, "a", "d1", 102).await?;
    refused(store.consume_approval(&tenant, "a", "d1", 102).await, Kind::Conflict)?;
    store.cancel_approval(&tenant, "b", 103).await?;
    refused(store.cancel_approval(&tenant, "b", 103).await, Kind::Conflict)?;
    for _ in 0..2 {
        store.expire_approval(&tenant, "c", LONG_AGO).await?;
        store.expire_approvals(LONG_AGO).await?;
    }
    let mut found = events(store, &tenant).await?;
    found.sort_by(|(_, one), (_, two)| one.cmp(two));
    let expected = [
        ("approval.requested", "a"),
        ("approval.decided", "a"),
        ("approval.consumed", "a"),
        ("approval.requested", "b"),
        ("approval.cancelled", "b"),
        ("approval.requested", "c"),
        ("approval.expired", "c"),
        ("approval.requested", "d"),
        ("approval.expired", "d"),
    ];
    same(found, expected.map(|(kind, id)| (kind.into(), id.into())).to_vec())?;
    let all = store.read_events(&tenant, 0, 1000).await?;
    let decided = all.into_iter().find(|event| event.kind == "approval.decided");
    same(decided.map(|event| event.data), Some(json!({ "state": "allowed", "by": "x" })))
}

async fn reported_once(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.request_approval(new(&tenant, "a"), 100).await?;
    let decisions =
        (0..8).map(|n| store.decide_approval(&tenant, "a", verdict(n % 2 == 0, "x"), 101));
    let cancels = (0..8).map(|_| store.cancel_approval(&tenant, "a", 101));
    let expiries = (0..8).map(|_| store.expire_approval(&tenant, "a", 200));
    futures_util::future::join_all(decisions.chain(cancels).chain(expiries)).await;
    // An allowed one may be cancelled after it: at most one more step, and that one is reported, too.
    let kinds: Vec<String> =
        events(store, &tenant).await?.into_iter().map(|(kind, _)| kind).collect();
    let state = there(store.get_approval(&tenant, "a", 102).await?)?.state;
    let expected: &[&str] = match state {
        ApprovalState::Expired => &["approval.requested", "approval.expired"],
        ApprovalState::Cancelled if kinds.len() == 3 => {
            &["approval.requested", "approval.decided", "approval.cancelled"]
        }
        ApprovalState::Cancelled => &["approval.requested", "approval.cancelled"],
        _ => &["approval.requested", "approval.decided"],
    };
    same(kinds, expected.iter().map(|kind| (*kind).to_owned()).collect())
}
