//! Checks of the leases, and of writes that are fenced by them.

use super::{
    Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, other_holder, refused, same,
};
use crate::store::{
    ContextFileKey, Fence, Kind, Leases, MOST_LEASE_MS, NewPathLock, PathClaim, PutContextFile,
    Store,
};

/// Checks the leases of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn leases(store: &dyn Leases) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("leases: of many takers one gets it", one_taker(store)).await?;
    report.check("leases: an expired one can be taken", expiry(store)).await?;
    report.check("leases: a holder who asks again keeps the epoch", asked_again(store)).await?;
    report.check("leases: only who holds it renews it", renewal(store)).await?;
    report.check("leases: only who holds it gives it back", release(store)).await?;
    report.check("leases: epochs only grow", epochs_grow(store)).await?;
    report.check("leases: a list shows what is held now", listing(store)).await?;
    report.check("leases: tenants and kinds are apart", apart(store)).await?;
    report.check("leases: any good key is taken", takes_good_keys(store)).await?;
    report.check("leases: a bad key or time is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

/// Checks that a write under a lease is made only while the lease is held.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn fences(store: &dyn Store) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("fences: a holder writes, one who lost it does not", fenced(store)).await?;
    report.check("fences: the epoch of a path lock fences too", fenced_by_paths(store)).await?;
    Ok(report)
}

const KIND: &str = "job";

async fn one_taker(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let holders: Vec<String> = (0..16).map(|n| format!("h{n}")).collect();
    let takes = holders.iter().map(|h| store.acquire_lease(&tenant, KIND, "n", h, 100, 5));
    let taken = futures_util::future::try_join_all(takes).await?;
    let winners: Vec<_> = taken.into_iter().flatten().collect();
    same(winners.len(), 1)?;
    same(store.list_leases(&tenant, KIND, None, 10, 5).await?, winners)
}

async fn expiry(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let take = async |holder, now_ms| {
        Ok::<_, Problem>(store.acquire_lease(&tenant, KIND, "n", holder, 10, now_ms).await?)
    };
    let first = take("a", 100).await?.ok_or_else(|| Problem("a free lease is held".into()))?;
    same((first.holder.as_str(), first.expires_at_ms), ("a", 110))?;
    same(take("b", 109).await?, None)?;
    let second = take("b", 110).await?.ok_or_else(|| Problem("it did not expire".into()))?;
    same(second.holder.as_str(), "b")?;
    ensure(second.epoch > first.epoch, "the epoch did not grow with the new holder")?;
    same(take("a", 111).await?, None)
}

async fn asked_again(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let take = async |now_ms| {
        let taken = store.acquire_lease(&tenant, KIND, "n", "a", 10, now_ms).await?;
        taken.map(|lease| (lease.epoch, lease.expires_at_ms)).ok_or_else(other_holder)
    };
    let (epoch, _) = take(100).await?;
    same(take(105).await?, (epoch, 115))?;
    let (next, _) = take(115).await?;
    ensure(next > epoch, "a lease that had expired kept its epoch")
}

async fn renewal(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lease = store.acquire_lease(&tenant, KIND, "n", "a", 10, 100).await?;
    let fence = lease.ok_or_else(other_holder)?.fence();
    same(store.renew_lease(&tenant, &fence, 20, 109).await?, true)?;
    same(store.acquire_lease(&tenant, KIND, "n", "b", 10, 128).await?, None)?;
    let wrong = Fence { epoch: fence.epoch + 1, ..fence.clone() };
    same(store.renew_lease(&tenant, &wrong, 20, 110).await?, false)?;
    same(store.renew_lease(&tenant, &fence, 20, 129).await?, false)?;
    let taken = store.acquire_lease(&tenant, KIND, "n", "b", 10, 129).await?;
    same(taken.map(|lease| lease.holder), Some("b".into()))?;
    same(store.renew_lease(&tenant, &fence, 20, 130).await?, false)
}

async fn release(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lease = store.acquire_lease(&tenant, KIND, "n", "a", 10, 100).await?;
    let fence = lease.ok_or_else(other_holder)?.fence();
    let wrong = Fence { epoch: fence.epoch + 1, ..fence.clone() };
    same(store.release_lease(&tenant, &wrong, 101).await?, false)?;
    same(store.release_lease(&tenant, &fence, 101).await?, true)?;
    same(store.release_lease(&tenant, &fence, 101).await?, false)?;
    same(store.renew_lease(&tenant, &fence, 10, 101).await?, false)?;
    same(store.list_leases(&tenant, KIND, None, 10, 101).await?, vec![])?;
    let next = store.acquire_lease(&tenant, KIND, "n", "b", 10, 101).await?;
    let next = next.ok_or_else(other_holder)?;
    ensure(next.epoch > fence.epoch, "the epoch did not grow after the release")?;
    same(store.release_lease(&tenant, &fence, 102).await?, false)
}

async fn epochs_grow(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    let mut last = i64::MIN;
    // Faster than the clock, so that the epochs run ahead of it; then the clock goes on. Long
    // before every time that the other checks use: pruning is for all tenants.
    let long_ago = -1_000_000;
    for (round, after) in [0, 0, 0, 0, 2, 2, 10].into_iter().enumerate() {
        let now_ms = long_ago + after;
        let holder = if round % 2 == 0 { "a" } else { "b" };
        let lease = store.acquire_lease(&tenant, KIND, "n", holder, 1, now_ms).await?;
        let lease = lease.ok_or_else(other_holder)?;
        ensure(lease.epoch > last, "an epoch did not grow")?;
        last = lease.epoch;
        same(store.release_lease(&tenant, &lease.fence(), now_ms).await?, true)?;
        store.prune_leases(now_ms).await?;
    }
    store.prune_leases(long_ago + 900).await?;
    let lease = store.acquire_lease(&tenant, KIND, "n", "c", 1, long_ago + 900).await?;
    ensure(lease.is_some_and(|lease| lease.epoch > last), "a pruned lease came back lower")
}

async fn listing(store: &dyn Leases) -> Result<(), Problem> {
    let tenant = new_tenant();
    for (name, ttl_ms) in [("é", 50), ("a", 10), ("b", 50), ("A", 50)] {
        store.acquire_lease(&tenant, KIND, name, "h", ttl_ms, 100).await?;
    }
    let names = async |after, limit| {
        let found = store.list_leases(&tenant, KIND, after, limit, 120).await?;
        Ok::<_, Problem>(found.into_iter().map(|lease| lease.name).collect::<Vec<_>>())
    };
    same(names(None, 10).await?, ["A", "b", "é"].map(String::from).to_vec())?;
    same(names(Some("A"), 1).await?, vec!["b".into()])?;
    same(names(None, 0).await?, vec![])
}

async fn apart(store: &dyn Leases) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let mut fences = Vec::new();
    for (tenant, kind) in [(&one, "job"), (&two, "job"), (&one, "task")] {
        let lease = store.acquire_lease(tenant, kind, "n", tenant, 100, 5).await?;
        fences.push(lease.ok_or_else(other_holder)?.fence());
    }
    same(store.release_lease(&two, &fences[1], 6).await?, true)?;
    same(store.list_leases(&one, "job", None, 10, 6).await?.len(), 1)?;
    same(store.list_leases(&one, "task", None, 10, 6).await?.len(), 1)?;
    same(store.renew_lease(&two, &fences[0], 10, 6).await?, false)
}

async fn takes_good_keys(store: &dyn Leases) -> Result<(), Problem> {
    for key in good_keys() {
        let tenant = new_tenant();
        let lease = store.acquire_lease(&tenant, &key, &key, &key, 10, 5).await?;
        let lease = lease.ok_or_else(other_holder)?;
        same((&lease.kind, &lease.name, &lease.holder), (&key, &key, &key))?;
        same(store.release_lease(&tenant, &lease.fence(), 6).await?, true)?;
    }
    Ok(())
}

async fn refuses_bad_input(store: &dyn Leases) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    let fence = |kind: &str, name: &str| Fence { kind: kind.into(), name: name.into(), epoch: 1 };
    for key in bad_keys() {
        refused(store.acquire_lease(&key, "k", "n", "h", 1, 5).await, invalid)?;
        refused(store.acquire_lease("t", &key, "n", "h", 1, 5).await, invalid)?;
        refused(store.acquire_lease("t", "k", &key, "h", 1, 5).await, invalid)?;
        refused(store.acquire_lease("t", "k", "n", &key, 1, 5).await, invalid)?;
        refused(store.renew_lease(&key, &fence("k", "n"), 1, 5).await, invalid)?;
        refused(store.renew_lease("t", &fence(&key, "n"), 1, 5).await, invalid)?;
        refused(store.release_lease("t", &fence("k", &key), 5).await, invalid)?;
        refused(store.list_leases("t", &key, None, 1, 5).await, invalid)?;
        refused(store.list_leases("t", "k", Some(&key), 1, 5).await, invalid)?;
    }
    let tenant = new_tenant();
    for ttl_ms in [i64::MIN, -1, 0, MOST_LEASE_MS + 1, i64::MAX] {
        refused(store.acquire_lease(&tenant, "k", "n", "h", ttl_ms, 5).await, invalid)?;
        refused(store.renew_lease(&tenant, &fence("k", "n"), ttl_ms, 5).await, invalid)?;
    }
    refused(store.acquire_lease(&tenant, "path:ws", "n", "h", 1, 5).await, invalid)?;
    same(store.list_leases(&tenant, "k", None, 1, 5).await?, vec![])
}

fn file(tenant: &str, body: &str, fence: &Fence) -> PutContextFile {
    let (tenant, agent, name) = (tenant.into(), "a".into(), "SOUL.md".into());
    let key = ContextFileKey { tenant, agent, user: None, name };
    PutContextFile {
        key,
        body: body.into(),
        if_version: None,
        if_body: None,
        fence: Some(fence.clone()),
    }
}

async fn fenced(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let first = store.acquire_lease(&tenant, KIND, "n", "a", 10, 100).await?;
    let first = first.ok_or_else(other_holder)?.fence();
    same(store.put_context_file(file(&tenant, "1", &first), 105).await?.version, 1)?;
    refused(store.put_context_file(file(&tenant, "late", &first), 110).await, Kind::Conflict)?;
    let second = store.acquire_lease(&tenant, KIND, "n", "b", 10, 110).await?;
    let second = second.ok_or_else(other_holder)?.fence();
    // Its clock may be slow: the epoch shows it all the same.
    refused(store.put_context_file(file(&tenant, "stale", &first), 105).await, Kind::Conflict)?;
    same(store.put_context_file(file(&tenant, "2", &second), 111).await?.version, 2)?;
    store.release_lease(&tenant, &second, 112).await?;
    refused(store.put_context_file(file(&tenant, "gone", &second), 112).await, Kind::Conflict)?;
    let other = new_tenant();
    refused(store.put_context_file(file(&other, "x", &second), 111).await, Kind::Conflict)?;
    let kept = store.get_context_file(&file(&tenant, "", &second).key).await?;
    same(kept.map(|file| file.body), Some(b"2".to_vec()))
}

async fn fenced_by_paths(store: &dyn Store) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lock = async |holder: &str, now_ms| {
        let lock = NewPathLock {
            tenant: tenant.clone(),
            space: "ws".into(),
            patterns: vec!["**".into()],
            holder: holder.into(),
            ttl_ms: 10,
        };
        match store.lock_paths(lock, now_ms).await? {
            PathClaim::Taken(lock) => Ok(lock),
            PathClaim::Refused(_) => Err(other_holder()),
        }
    };
    let first = lock("a", 100).await?;
    same(store.put_context_file(file(&tenant, "1", &first.fence()), 105).await?.version, 1)?;
    let second = lock("b", 110).await?;
    ensure(second.epoch > first.epoch, "the epoch of a path lock did not grow")?;
    let stale = file(&tenant, "stale", &first.fence());
    refused(store.put_context_file(stale, 105).await, Kind::Conflict)?;
    same(store.unlock_paths(&tenant, &second.fence(), "b", 111).await?, true)?;
    let late = file(&tenant, "late", &second.fence());
    refused(store.put_context_file(late, 111).await, Kind::Conflict)
}
