//! Checks of the path locks.

use super::{Failure, Problem, Report, bad_keys, ensure, new_tenant, other_holder, refused, same};
use crate::store::{
    Fence, Kind, MOST_PATTERNS, NewPathLock, PathClaim, PathConflict, PathLock, PathLocks,
};

/// Checks the path locks of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn path_locks(store: &dyn PathLocks) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("path_locks: a lock is kept as it was taken", comes_back(store)).await?;
    report.check("path_locks: overlapping patterns conflict", overlaps(store)).await?;
    report.check("path_locks: all patterns or none", all_or_none(store)).await?;
    report.check("path_locks: an expired lock is in nobody's way", expiry(store)).await?;
    report.check("path_locks: the same patterns again renew", asked_again(store)).await?;
    report.check("path_locks: only the holder renews and gives back", ownership(store)).await?;
    report.check("path_locks: of racing takers one gets it", racing(store)).await?;
    report.check("path_locks: takers of other paths all get theirs", racing_apart(store)).await?;
    report.check("path_locks: a path's lock is found", covering(store)).await?;
    report.check("path_locks: tenants and spaces are apart", apart(store)).await?;
    report.check("path_locks: bad input is refused", refuses_bad_input(store)).await?;
    Ok(report)
}

fn new(tenant: &str, patterns: &[&str], holder: &str) -> NewPathLock {
    NewPathLock {
        tenant: tenant.into(),
        space: "ws".into(),
        patterns: patterns.iter().map(|pattern| (*pattern).into()).collect(),
        holder: holder.into(),
        ttl_ms: 10,
    }
}

async fn take(
    store: &dyn PathLocks,
    tenant: &str,
    patterns: &[&str],
    holder: &str,
    now_ms: i64,
) -> Result<PathLock, Problem> {
    match store.lock_paths(new(tenant, patterns, holder), now_ms).await? {
        PathClaim::Taken(lock) => Ok(lock),
        PathClaim::Refused(_) => Err(other_holder()),
    }
}

async fn refusal(
    store: &dyn PathLocks,
    tenant: &str,
    patterns: &[&str],
    holder: &str,
    now_ms: i64,
) -> Result<PathConflict, Problem> {
    match store.lock_paths(new(tenant, patterns, holder), now_ms).await? {
        PathClaim::Refused(conflict) => Ok(*conflict),
        PathClaim::Taken(_) => Err(Problem(format!("{patterns:?} was given to {holder}, too"))),
    }
}

async fn comes_back(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    same(store.list_path_locks(&tenant, "ws", None, 10, 5).await?, vec![])?;
    let lock = take(store, &tenant, &["src/**", "./README.md", "src/**"], "a", 100).await?;
    same(&lock.patterns, &vec!["README.md".into(), "src/**".into()])?;
    same((lock.holder.as_str(), lock.space.as_str(), lock.expires_at_ms), ("a", "ws", 110))?;
    let other = take(store, &tenant, &["docs/*"], "b", 101).await?;
    ensure(other.epoch > lock.epoch, "the epoch did not grow")?;
    let both = vec![lock.clone(), other.clone()];
    same(store.list_path_locks(&tenant, "ws", None, 10, 105).await?, both)?;
    let after = store.list_path_locks(&tenant, "ws", Some(&lock.id), 10, 105).await?;
    same(after, vec![other.clone()])?;
    same(store.list_path_locks(&tenant, "ws", None, 1, 105).await?, vec![lock])?;
    same(store.list_path_locks(&tenant, "ws", None, 10, 110).await?, vec![other])
}

async fn overlaps(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lock = take(store, &tenant, &["src/**"], "a", 100).await?;
    for pattern in ["src/a.rs", "src/*/b.rs", "**/*.rs", "{docs,src}/*", "src/**", "s?c/[a-z]"] {
        let conflict = refusal(store, &tenant, &[pattern], "b", 105).await?;
        same(conflict.pattern.as_str(), pattern)?;
        same((conflict.held_pattern.as_str(), &conflict.lock), ("src/**", &lock))?;
    }
    // The same holder's own locks are in nobody's way.
    take(store, &tenant, &["src/a.rs"], "a", 105).await?;
    take(store, &tenant, &["docs/**", "src.rs"], "b", 105).await?;
    Ok(())
}

async fn all_or_none(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    take(store, &tenant, &["b"], "a", 100).await?;
    let conflict = refusal(store, &tenant, &["a", "b", "c"], "b", 101).await?;
    same(conflict.pattern.as_str(), "b")?;
    take(store, &tenant, &["a", "c"], "c", 102).await?;
    Ok(())
}

async fn expiry(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let first = take(store, &tenant, &["src/**"], "a", 100).await?;
    take(store, &tenant, &["docs/**"], "a", 100).await?;
    refusal(store, &tenant, &["src/x"], "b", 109).await?;
    let second = take(store, &tenant, &["src/x"], "b", 110).await?;
    ensure(second.epoch > first.epoch, "the epoch did not grow with the new holder")?;
    // Even by a clock that is slow the old holder cannot have it back.
    same(store.renew_paths(&tenant, &first.fence(), "a", 10, 105).await?, false)?;
    same(store.unlock_paths(&tenant, &first.fence(), "a", 105).await?, false)?;
    same(store.list_path_locks(&tenant, "ws", None, 10, 111).await?, vec![second])?;
    // Long after, what expired is swept away with the next lock.
    take(store, &tenant, &["x"], "c", 100_000_000).await?;
    same(store.list_path_locks(&tenant, "ws", None, 10, 0).await?.len(), 1)
}

async fn asked_again(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let first = take(store, &tenant, &["a", "b"], "h", 100).await?;
    let again = take(store, &tenant, &["b", "./a"], "h", 105).await?;
    same(&again, &PathLock { expires_at_ms: 115, ..first.clone() })?;
    same(store.list_path_locks(&tenant, "ws", None, 10, 105).await?, vec![again])?;
    let later = take(store, &tenant, &["a", "b"], "h", 115).await?;
    ensure(later.epoch > first.epoch && later.id != first.id, "an expired lock was renewed")
}

async fn ownership(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lock = take(store, &tenant, &["a"], "h", 100).await?;
    let fence = lock.fence();
    let wrong = Fence { epoch: fence.epoch + 1, ..fence.clone() };
    same(store.renew_paths(&tenant, &fence, "other", 10, 105).await?, false)?;
    same(store.renew_paths(&tenant, &wrong, "h", 10, 105).await?, false)?;
    same(store.unlock_paths(&tenant, &fence, "other", 105).await?, false)?;
    same(store.unlock_paths(&tenant, &wrong, "h", 105).await?, false)?;
    same(store.renew_paths(&tenant, &fence, "h", 10, 105).await?, true)?;
    refusal(store, &tenant, &["a"], "b", 114).await?;
    same(store.unlock_paths(&tenant, &fence, "h", 114).await?, true)?;
    same(store.unlock_paths(&tenant, &fence, "h", 114).await?, false)?;
    take(store, &tenant, &["a"], "b", 114).await?;
    Ok(())
}

async fn racing(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let patterns = ["src/**", "src/*.rs", "**/a.rs", "src/a.rs"];
    let takes =
        (0..16).map(|n| store.lock_paths(new(&tenant, &[patterns[n % 4]], &format!("h{n}")), 100));
    let claims = futures_util::future::try_join_all(takes).await?;
    let taken = claims.into_iter().filter(|claim| matches!(claim, PathClaim::Taken(_))).count();
    same(taken, 1)?;
    same(store.list_path_locks(&tenant, "ws", None, 100, 100).await?.len(), 1)
}

async fn racing_apart(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let names: Vec<String> = (0..16).map(|n| format!("folder{n}/**")).collect();
    let takes = names.iter().map(|name| store.lock_paths(new(&tenant, &[name], name), 100));
    let claims = futures_util::future::try_join_all(takes).await?;
    ensure(
        claims.iter().all(|claim| matches!(claim, PathClaim::Taken(_))),
        "a lock was refused that overlaps with none",
    )?;
    let mut epochs: Vec<i64> = Vec::new();
    for lock in store.list_path_locks(&tenant, "ws", None, 100, 100).await? {
        epochs.push(lock.epoch);
    }
    epochs.sort_unstable();
    epochs.dedup();
    same(epochs.len(), 16)
}

async fn covering(store: &dyn PathLocks) -> Result<(), Problem> {
    let tenant = new_tenant();
    let lock = take(store, &tenant, &["src/*.rs", "[D]ocs/**"], "a", 100).await?;
    for path in ["src/a.rs", "./src/a.rs", "Docs/deep/er.md"] {
        same(store.path_lock_of(&tenant, "ws", path, 105).await?, Some(lock.clone()))?;
        same(store.path_lock_of(&tenant, "ws", path, 110).await?, None)?;
    }
    for path in ["src/deep/a.rs", "src/a.rs.bak", "docs/a", "Docs", "x"] {
        same(store.path_lock_of(&tenant, "ws", path, 105).await?, None)?;
    }
    for path in ["", "/src/a.rs", "src/../src/a.rs", "src//a.rs", "a\0"] {
        let found = store.path_lock_of(&tenant, "ws", path, 105).await;
        refused(found, Kind::InvalidArgument)?;
    }
    Ok(())
}

async fn apart(store: &dyn PathLocks) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let lock = take(store, &one, &["**"], "a", 100).await?;
    take(store, &two, &["**"], "b", 100).await?;
    let other = NewPathLock { space: "other".into(), ..new(&one, &["**"], "b") };
    let claim = store.lock_paths(other, 100).await?;
    ensure(matches!(claim, PathClaim::Taken(_)), "two spaces share a lock")?;
    same(store.unlock_paths(&two, &lock.fence(), "a", 101).await?, false)?;
    same(store.list_path_locks(&one, "ws", None, 10, 101).await?, vec![lock])
}

async fn refuses_bad_input(store: &dyn PathLocks) -> Result<(), Problem> {
    let (tenant, invalid) = (new_tenant(), Kind::InvalidArgument);
    let lock = |change: fn(&mut NewPathLock, String), key: String| {
        let mut lock = new(&tenant, &["a"], "h");
        change(&mut lock, key);
        store.lock_paths(lock, 5)
    };
    for key in bad_keys() {
        refused(lock(|lock, key| lock.tenant = key, key.clone()).await, invalid)?;
        refused(lock(|lock, key| lock.space = key, key.clone()).await, invalid)?;
        refused(lock(|lock, key| lock.holder = key, key.clone()).await, invalid)?;
        refused(lock(|lock, key| lock.patterns = vec![key], key.clone()).await, invalid)?;
        refused(store.list_path_locks("t", &key, None, 1, 5).await, invalid)?;
        let fence = PathLock::fence_of("ws", &key, 1);
        refused(store.unlock_paths("t", &fence, "h", 5).await, invalid)?;
        refused(store.renew_paths("t", &fence, "h", 1, 5).await, invalid)?;
    }
    refused(lock(|lock, key| lock.space = key, "x".repeat(508)).await, invalid)?;
    for pattern in ["/etc/*", "../x", "src/", "src/[a", "{a", "[é]"] {
        refused(lock(|lock, key| lock.patterns.push(key), pattern.into()).await, invalid)?;
    }
    for count in [0, MOST_PATTERNS + 1] {
        let many = NewPathLock { patterns: vec!["a".into(); count], ..new(&tenant, &[], "h") };
        refused(store.lock_paths(many, 5).await, invalid)?;
    }
    let never = NewPathLock { ttl_ms: 0, ..new(&tenant, &["a"], "h") };
    refused(store.lock_paths(never, 5).await, invalid)?;
    same(store.list_path_locks(&tenant, "ws", None, 1, 5).await?, vec![])
}
