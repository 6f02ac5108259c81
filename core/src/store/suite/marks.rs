//! Checks of the marks of sessions.

use super::{Failure, Problem, Report, bad_keys, good_keys, new_tenant, refused, same};
use crate::kind::Taint;
use crate::store::{Kind, PutSession, SessionMark, Store};

/// Checks the marks of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn marks(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("marks: they add up, and each is told of once", add_up(store)).await?;
    report.check("marks: tenants and sessions are apart", apart(store)).await?;
    report.check("marks: those who add at the same time lose none", concurrent(store)).await?;
    report.check("marks: a deleted session leaves none", deleted(store)).await?;
    report.check("marks: a bad key is refused", bad_input(store)).await?;
    Ok(report)
}

const BOTH: [Taint; 2] = [Taint::Untrusted, Taint::Private];

async fn found(store: &dyn Store, tenant: &str, session: &str) -> Result<Vec<Taint>, Problem> {
    let marks = store.get_marks(tenant, session).await?;
    Ok(marks.into_iter().map(|found| found.mark).collect())
}

async fn add_up(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.get_marks(&tenant, "s").await?, vec![])?;
    store.add_marks(&tenant, "s", &[], 1).await?;
    store.add_marks(&tenant, "s", &[Taint::Untrusted, Taint::Untrusted], 2).await?;
    store.add_marks(&tenant, "s", &[Taint::Untrusted], 3).await?;
    store.add_marks(&tenant, "s", &BOTH, 4).await?;
    let expected = vec![
        SessionMark { mark: Taint::Private, at_ms: 4 },
        SessionMark { mark: Taint::Untrusted, at_ms: 2 },
    ];
    same(store.get_marks(&tenant, "s").await?, expected)?;
    same(store.clear_marks(&tenant, "s", 5).await?, true)?;
    same(store.clear_marks(&tenant, "s", 6).await?, false)?;
    same(store.get_marks(&tenant, "s").await?, vec![])?;
    let events = store.read_events(&tenant, 0, 10).await?;
    let events = events.into_iter().map(|event| (event.kind, event.at_ms)).collect();
    let expected = [("session.marked", 2), ("session.marked", 4), ("session.marks_cleared", 5)];
    same(events, expected.map(|(kind, at_ms)| (kind.to_owned(), at_ms)).to_vec())
}

async fn apart(store: &dyn Store) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    for key in good_keys() {
        store.add_marks(&one, &key, &BOTH[..1], 1).await?;
        store.add_marks(&two, &key, &BOTH[1..], 1).await?;
    }
    store.clear_marks(&one, " ", 2).await?;
    for key in good_keys() {
        let of_one = if key == " " { vec![] } else { vec![Taint::Untrusted] };
        same(found(store, &one, &key).await?, of_one)?;
        same(found(store, &two, &key).await?, vec![Taint::Private])?;
    }
    Ok(())
}

async fn concurrent(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let adds = (0..20).map(|n| store.add_marks(&tenant, "s", &BOTH[n % 2..=n % 2], 1));
    futures_util::future::try_join_all(adds).await?;
    same(found(store, &tenant, "s").await?, vec![Taint::Private, Taint::Untrusted])
}

async fn deleted(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    for id in ["s", "stays"] {
        store.put_session(PutSession::new(&tenant, id), 1).await?;
        store.add_marks(&tenant, id, &BOTH, 2).await?;
    }
    same(store.delete_session(&tenant, "s", Some(9), 3).await.is_err(), true)?;
    same(found(store, &tenant, "s").await?.len(), 2)?;
    same(store.delete_session(&tenant, "s", None, 3).await?, true)?;
    same(found(store, &tenant, "s").await?, vec![])?;
    same(found(store, &tenant, "stays").await?.len(), 2)
}

async fn bad_input(store: &dyn Store) -> Result<(), Problem> {
    for key in bad_keys() {
        for (tenant, session) in [(key.as_str(), "s"), ("t", key.as_str())] {
            refused(store.get_marks(tenant, session).await, Kind::InvalidArgument)?;
            refused(store.add_marks(tenant, session, &BOTH, 1).await, Kind::InvalidArgument)?;
            refused(store.clear_marks(tenant, session, 1).await, Kind::InvalidArgument)?;
        }
    }
    Ok(())
}
