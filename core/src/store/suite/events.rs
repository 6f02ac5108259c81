//! Checks of the events.

use serde_json::json;

use super::{Failure, Problem, Report, bad_keys, ensure, new_tenant, refused, same};
use crate::event::{Event, NewEvent};
use crate::store::{Events, Kind};

/// Checks the events of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn events(store: &dyn Events) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("events: what was appended is read in order", comes_back(store)).await?;
    report.check("events: tenants are apart", tenants(store)).await?;
    report.check("events: a reader goes on from its cursor", paging(store)).await?;
    report.check("events: concurrent appends are all kept", concurrent(store)).await?;
    report.check("events: places have no gaps", dense(store)).await?;
    report.check("events: pruning keeps the newest and their places", pruned(store)).await?;
    report.check("events: pruning by age takes only from the front", pruned_by_age(store)).await?;
    report.check("events: pruning and appending may overlap", pruned_meanwhile(store)).await?;
    report.check("events: a bad event is refused with its batch", bad_input(store)).await?;
    Ok(report)
}

pub(super) fn new_event(tenant: &str, number: i64) -> NewEvent {
    NewEvent {
        tenant: tenant.into(),
        at_ms: number,
        kind: "suite.happened",
        subject: format!("subject {number}"),
        data: json!({ "number": number, "text": "a\u{0}b 🦀" }),
    }
}

fn is_event(event: &Event, new: &NewEvent) -> bool {
    event.tenant == new.tenant
        && event.at_ms == new.at_ms
        && event.kind == new.kind
        && event.subject == new.subject
        && event.data == new.data
}

async fn comes_back(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.last_event_seq(&tenant).await?, 0)?;
    same(store.read_events(&tenant, 0, 10).await?, vec![])?;
    store.append_events(vec![]).await?;
    let mut new: Vec<NewEvent> = (0..3).map(|number| new_event(&tenant, number)).collect();
    if let Some(last) = new.last_mut() {
        last.subject = String::new();
    }
    store.append_events(new.clone()).await?;
    let found = store.read_events(&tenant, 0, 10).await?;
    same(found.len(), 3)?;
    let all_are = found.iter().zip(&new).all(|(event, new)| is_event(event, new));
    ensure(all_are, "an event is not as it was appended")?;
    ensure(found.is_sorted_by(|a, b| a.seq < b.seq), "places do not grow")?;
    ensure(found.iter().all(|event| event.seq > 0), "a place is not greater than 0")?;
    same(store.last_event_seq(&tenant).await?, found.last().map_or(0, |event| event.seq))
}

async fn tenants(store: &dyn Events) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let mixed = (0..6).map(|n| new_event(if n % 2 == 0 { &one } else { &two }, n)).collect();
    store.append_events(mixed).await?;
    for (tenant, expected) in [(&one, [0, 2, 4]), (&two, [1, 3, 5])] {
        let found = store.read_events(tenant, 0, 10).await?;
        ensure(found.iter().all(|event| event.tenant == *tenant), "another tenant's event")?;
        same(found.iter().map(|event| event.at_ms).collect::<Vec<_>>(), expected.to_vec())?;
    }
    same(store.last_event_seq(&new_tenant()).await?, 0)
}

async fn paging(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    for number in 0..7 {
        store.append_events(vec![new_event(&tenant, number)]).await?;
    }
    let (mut after, mut found) = (0, Vec::new());
    for _ in 0..4 {
        for event in store.read_events(&tenant, after, 3).await? {
            after = event.seq;
            found.push(event.at_ms);
        }
    }
    same(found, (0..7).collect())?;
    same(store.read_events(&tenant, after, 3).await?, vec![])
}

async fn concurrent(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    let appends = (0..32).map(|n| store.append_events(vec![new_event(&tenant, n); 2]));
    futures_util::future::try_join_all(appends).await?;
    let found = store.read_events(&tenant, 0, 1000).await?;
    let mut numbers: Vec<i64> = found.iter().map(|event| event.at_ms).collect();
    numbers.sort_unstable();
    same(numbers, (0..32).flat_map(|n| [n, n]).collect())
}

fn places(events: &[Event]) -> Vec<i64> {
    events.iter().map(|event| event.seq).collect()
}

async fn dense(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    store.append_events(vec![new_event(&tenant, 0); 3]).await?;
    let bad = NewEvent { data: json!(1), ..new_event(&tenant, 1) };
    refused(store.append_events(vec![bad]).await, Kind::InvalidArgument)?;
    let appends = (0..5).map(|n| store.append_events(vec![new_event(&tenant, n); 2]));
    futures_util::future::try_join_all(appends).await?;
    same(places(&store.read_events(&tenant, 0, 100).await?), (1..=13).collect())
}

async fn pruned(store: &dyn Events) -> Result<(), Problem> {
    let (tenant, other) = (new_tenant(), new_tenant());
    for tenant in [&tenant, &other] {
        store.append_events((0..2_500).map(|n| new_event(tenant, n)).collect()).await?;
    }
    same(store.prune_events(&tenant, None, None).await?, 0)?;
    same(store.prune_events(&tenant, Some(2_500), None).await?, 0)?;
    same(store.prune_events(&tenant, Some(u64::MAX), Some(i64::MIN)).await?, 0)?;
    same(store.prune_events(&tenant, Some(10), None).await?, 2_490)?;
    same(places(&store.read_events(&tenant, 0, 100).await?), (2_491..=2_500).collect())?;
    same(store.prune_events(&tenant, Some(10), None).await?, 0)?;
    // Numbers go on where they were, even if nothing is left.
    same(store.prune_events(&tenant, Some(0), None).await?, 10)?;
    same(store.read_events(&tenant, 0, 100).await?, vec![])?;
    same(store.last_event_seq(&tenant).await?, 2_500)?;
    store.append_events(vec![new_event(&tenant, 0)]).await?;
    same(places(&store.read_events(&tenant, 0, 100).await?), vec![2_501])?;
    same(store.prune_events(&new_tenant(), Some(0), Some(i64::MAX)).await?, 0)?;
    same(store.read_events(&other, 0, 1_000).await?.len(), 1_000)
}

async fn pruned_by_age(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    // The fourth came late: what is young before it keeps it.
    let times = [10, 20, 30, 15, 40];
    store.append_events(times.map(|at_ms| new_event(&tenant, at_ms)).to_vec()).await?;
    same(store.prune_events(&tenant, None, Some(10)).await?, 0)?;
    same(store.prune_events(&tenant, None, Some(25)).await?, 2)?;
    same(places(&store.read_events(&tenant, 0, 100).await?), vec![3, 4, 5])?;
    // Either reason is enough.
    same(store.prune_events(&tenant, Some(1), Some(25)).await?, 2)?;
    same(store.prune_events(&tenant, Some(5), Some(41)).await?, 1)?;
    same(store.read_events(&tenant, 0, 100).await?, vec![])
}

async fn pruned_meanwhile(store: &dyn Events) -> Result<(), Problem> {
    let tenant = new_tenant();
    let append = async {
        for number in 0..60 {
            store.append_events(vec![new_event(&tenant, number)]).await?;
        }
        Ok::<_, crate::store::Error>(())
    };
    let prune = async {
        let mut pruned = 0;
        for _ in 0..20 {
            pruned += store.prune_events(&tenant, Some(5), None).await?;
        }
        Ok(pruned)
    };
    let ((), again, pruned) = futures_util::try_join!(
        append,
        async { store.prune_events(&tenant, Some(5), None).await },
        prune
    )?;
    let rest = store.prune_events(&tenant, Some(5), None).await?;
    same(again + pruned + rest, 55)?;
    same(places(&store.read_events(&tenant, 0, 100).await?), (56..=60).collect())
}

async fn bad_input(store: &dyn Events) -> Result<(), Problem> {
    let (tenant, invalid) = (new_tenant(), Kind::InvalidArgument);
    for key in bad_keys() {
        let mut bad = vec![new_event(&key, 1)];
        if !key.is_empty() {
            bad.push(NewEvent { subject: key.clone(), ..new_event(&tenant, 1) });
        }
        for bad in bad {
            let batch = vec![new_event(&tenant, 0), bad];
            refused(store.append_events(batch).await, invalid)?;
        }
        refused(store.read_events(&key, 0, 1).await, invalid)?;
        refused(store.last_event_seq(&key).await, invalid)?;
        refused(store.prune_events(&key, Some(0), None).await, invalid)?;
    }
    let deep = (0..200).fold(json!(null), |inner, _| json!({ "a": inner }));
    for data in [json!(1), deep] {
        let bad = NewEvent { data, ..new_event(&tenant, 1) };
        refused(store.append_events(vec![bad]).await, invalid)?;
    }
    same(store.last_event_seq(&tenant).await?, 0)
}
