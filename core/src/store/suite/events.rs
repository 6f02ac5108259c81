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
    }
    let deep = (0..200).fold(json!(null), |inner, _| json!({ "a": inner }));
    for data in [json!(1), deep] {
        let bad = NewEvent { data, ..new_event(&tenant, 1) };
        refused(store.append_events(vec![bad]).await, invalid)?;
    }
    same(store.last_event_seq(&tenant).await?, 0)
}
