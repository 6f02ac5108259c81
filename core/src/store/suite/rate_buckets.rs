//! Checks of the rate windows.

use super::{Failure, Problem, Report, bad_keys, ensure, good_keys, new_tenant, refused, same};
use crate::store::{Kind, RateBuckets, Taken};

/// Checks the rate windows of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn rate_buckets(store: &dyn RateBuckets) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("rate_buckets: a window fills and slides", slides(store)).await?;
    report
        .check("rate_buckets: no window holds more than the maximum", never_exceeds(store))
        .await?;
    report.check("rate_buckets: a lowered maximum counts at once", lowered(store)).await?;
    report.check("rate_buckets: tenants and keys are apart", apart(store)).await?;
    report.check("rate_buckets: concurrent calls share a window", concurrent(store)).await?;
    report.check("rate_buckets: pruning keeps what still counts", pruning(store)).await?;
    report.check("rate_buckets: a bad key or window is refused", bad_input(store)).await?;
    report.check("rate_buckets: windows of two lengths share a key", two_windows(store)).await?;
    report.check("rate_buckets: a clock that was ahead locks nobody out", set_back(store)).await?;
    report
        .check("rate_buckets: a call that comes late counts what it follows", late(store))
        .await?;
    report
        .check("rate_buckets: no window holds more, in whatever order calls come", unordered(store))
        .await?;
    Ok(report)
}

fn allowed(used: u32) -> Taken {
    Taken { allowed: true, used, retry_after_ms: 0 }
}

fn full(used: u32, retry_after_ms: i64) -> Taken {
    Taken { allowed: false, used, retry_after_ms }
}

async fn slides(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    let expected = [
        (0, allowed(1)),
        (400, allowed(2)),
        (400, full(2, 600)),
        (999, full(2, 1)),
        // The call at 0 has just left; the refused ones took nothing.
        (1000, allowed(2)),
        (1000, full(2, 400)),
        (1399, full(2, 1)),
        (1400, allowed(2)),
        (9000, allowed(1)),
    ];
    for (now_ms, expected) in expected {
        same(store.take_rate(&tenant, "k", 2, 1000, now_ms).await?, expected)?;
    }
    same(store.take_rate(&tenant, "none", 0, 1000, 5).await?, full(0, 1000))
}

async fn never_exceeds(store: &dyn RateBuckets) -> Result<(), Problem> {
    const MAX: u32 = 5;
    const WINDOW_MS: i64 = 50;
    let tenant = new_tenant();
    let (mut now_ms, mut random) = (1_000_000_i64, 12345_u32);
    let mut taken: Vec<i64> = Vec::new();
    for _ in 0..300 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        now_ms += i64::from(random >> 28);
        let in_window = taken.iter().filter(|&&at| at > now_ms - WINDOW_MS).count();
        let took = store.take_rate(&tenant, "k", MAX, WINDOW_MS, now_ms).await?;
        same(took.allowed, in_window < MAX as usize)?;
        if took.allowed {
            taken.push(now_ms);
        } else {
            let oldest = taken.iter().find(|&&at| at > now_ms - WINDOW_MS).copied();
            same(Some(took.retry_after_ms), oldest.map(|at| at + WINDOW_MS - now_ms))?;
        }
    }
    Ok(())
}

async fn lowered(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    for now_ms in 0..5 {
        store.take_rate(&tenant, "k", 5, 100, now_ms).await?;
    }
    // Room for one of two only when four of the five have left.
    same(store.take_rate(&tenant, "k", 2, 100, 10).await?, full(5, 93))?;
    same(store.take_rate(&tenant, "k", 2, 100, 102).await?, full(2, 1))?;
    same(store.take_rate(&tenant, "k", 2, 100, 103).await?, allowed(2))
}

async fn apart(store: &dyn RateBuckets) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    for tenant in [&one, &two] {
        for key in good_keys() {
            same(store.take_rate(tenant, &key, 1, 1000, 0).await?, allowed(1))?;
        }
    }
    for tenant in [&one, &two] {
        for key in good_keys() {
            same(store.take_rate(tenant, &key, 1, 1000, 1).await?, full(1, 999))?;
        }
    }
    // What is over for one key of one tenant may still count for all others.
    store.take_rate(&one, "🦀🔑", 1, 1, 500).await?;
    for (tenant, key) in [(&two, "🦀🔑"), (&one, " ")] {
        same(store.take_rate(tenant, key, 1, 1000, 600).await?, full(1, 400))?;
    }
    Ok(())
}

async fn concurrent(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    let takes = (0..40).map(|_| store.take_rate(&tenant, "k", 13, 1000, 7));
    let taken = futures_util::future::try_join_all(takes).await?;
    same(taken.iter().filter(|taken| taken.allowed).count(), 13)
}

async fn pruning(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    // Far in the past, where no other user of the store has calls that still count.
    let at = |ms: i64| ms - 1_000_000_000;
    store.take_rate(&tenant, "short", 1, 100, at(0)).await?;
    store.take_rate(&tenant, "long", 1, 1000, at(0)).await?;
    ensure(store.prune_rates(at(100)).await? >= 1, "nothing was pruned")?;
    same(store.take_rate(&tenant, "long", 1, 1000, at(200)).await?, full(1, 800))?;
    same(store.take_rate(&tenant, "short", 1, 100, at(50)).await?, allowed(1))
}

async fn bad_input(store: &dyn RateBuckets) -> Result<(), Problem> {
    for key in bad_keys() {
        refused(store.take_rate(&key, "k", 1, 1, 0).await, Kind::InvalidArgument)?;
        refused(store.take_rate("t", &key, 1, 1, 0).await, Kind::InvalidArgument)?;
    }
    for window_ms in [0, -1] {
        refused(store.take_rate("t", "k", 1, window_ms, 0).await, Kind::InvalidArgument)?;
    }
    Ok(())
}

async fn two_windows(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    for _ in 0..2 {
        same(store.take_rate(&tenant, "k", 2, 3_600_000, 1_000).await?.allowed, true)?;
    }
    same(store.take_rate(&tenant, "k", 2, 3_600_000, 5_000).await?.allowed, false)?;
    // The short window has room, and must not forget what the long one counts.
    same(store.take_rate(&tenant, "k", 1, 1_000, 6_000).await?.allowed, true)?;
    same(store.take_rate(&tenant, "k", 2, 3_600_000, 7_500).await?.allowed, false)
}

async fn set_back(store: &dyn RateBuckets) -> Result<(), Problem> {
    let (tenant, day) = (new_tenant(), 86_400_000);
    same(store.take_rate(&tenant, "k", 1, 1_000, 10 * day).await?.allowed, true)?;
    same(store.take_rate(&tenant, "k", 1, 1_000, 9 * day).await?.allowed, true)
}

async fn late(store: &dyn RateBuckets) -> Result<(), Problem> {
    let tenant = new_tenant();
    for _ in 0..3 {
        same(store.take_rate(&tenant, "k", 3, 1_000, 0).await?.allowed, true)?;
    }
    // At this moment the three have left. For one that began just before, they have not.
    same(store.take_rate(&tenant, "k", 3, 1_000, 1_000).await?, allowed(1))?;
    same(store.take_rate(&tenant, "k", 3, 1_000, 999).await?.allowed, false)?;
    same(store.take_rate(&tenant, "k", 3, 1_000, 1_000).await?, allowed(2))?;
    same(store.take_rate(&tenant, "k", 3, 1_000, 1_001).await?, allowed(3))?;
    same(store.take_rate(&tenant, "k", 3, 1_000, 1_999).await?, full(3, 1))
}

async fn unordered(store: &dyn RateBuckets) -> Result<(), Problem> {
    const MAX: usize = 4;
    const WINDOW_MS: i64 = 50;
    let tenant = new_tenant();
    let (mut base_ms, mut random) = (1_000_000_i64, 54_321_u32);
    let mut taken: Vec<i64> = Vec::new();
    for _ in 0..300 {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        base_ms += i64::from(random >> 28);
        // Up to 31 ms late.
        let now_ms = base_ms - i64::from(random >> 8 & 31);
        if store.take_rate(&tenant, "k", MAX as u32, WINDOW_MS, now_ms).await?.allowed {
            taken.push(now_ms);
        }
    }
    taken.sort_unstable();
    let fullest = taken.windows(MAX + 1).filter(|calls| calls[MAX] - calls[0] < WINDOW_MS).count();
    same(fullest, 0)?;
    ensure(taken.len() > 100, "hardly a call was allowed")
}
