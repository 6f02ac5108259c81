//! Checks of the artifacts.

use super::{Failure, Problem, Report, bad_keys, good_keys, new_tenant, refused, same};
use crate::store::{Artifact, Artifacts, Kind};

/// Checks the artifacts of a store.
///
/// # Errors
///
/// [`Failure`] with the first check that the store did not pass.
pub async fn artifacts(store: &dyn Artifacts) -> Result<Report, Failure> {
    let mut report = Report::default();
    report.check("artifacts: any body is got back", bodies(store)).await?;
    report.check("artifacts: only its tenant and session see one", isolation(store)).await?;
    report.check("artifacts: an id is used once in a tenant", ids(store)).await?;
    report.check("artifacts: old ones are deleted, of one tenant", deletion(store)).await?;
    report.check("artifacts: so much is kept, the newest", keeping(store)).await?;
    report.check("artifacts: any good key is taken", takes_good_keys(store)).await?;
    report.check("artifacts: a bad key is refused", bad_input(store)).await?;
    Ok(report)
}

fn artifact(tenant: &str, session: Option<&str>, id: &str) -> Artifact {
    Artifact {
        tenant: tenant.into(),
        id: id.into(),
        session: session.map(String::from),
        tool: "exec".into(),
        mime: "text/plain".into(),
        body: b"body".to_vec(),
        created_at_ms: 1000,
    }
}

async fn bodies(store: &dyn Artifacts) -> Result<(), Problem> {
    let tenant = new_tenant();
    let big: Vec<u8> = (0..1_u32 << 20).map(|n| (n % 251) as u8).collect();
    let bodies = [vec![], b"a\0b".to_vec(), vec![0xff, 0xfe, 0x00], "🦀".into(), big];
    for (id, body) in ["1", "2", "3", "4", "5"].into_iter().zip(bodies) {
        let kept = Artifact { body, ..artifact(&tenant, Some("s"), id) };
        store.put_artifact(kept.clone()).await?;
        same(store.get_artifact(&tenant, Some("s"), id).await?, Some(kept))?;
    }
    Ok(())
}

async fn isolation(store: &dyn Artifacts) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let of_session = artifact(&one, Some("s"), "1");
    let of_none = artifact(&one, None, "2");
    store.put_artifact(of_session.clone()).await?;
    store.put_artifact(of_none.clone()).await?;
    same(store.get_artifact(&one, Some("s"), "1").await?, Some(of_session))?;
    same(store.get_artifact(&one, None, "2").await?, Some(of_none))?;
    for (tenant, session, id) in [
        (&one, Some("t"), "1"),
        (&one, None, "1"),
        (&one, Some("s"), "2"),
        (&one, Some("s"), "3"),
        (&two, Some("s"), "1"),
        (&two, None, "2"),
    ] {
        same(store.get_artifact(tenant, session, id).await?, None)?;
    }
    Ok(())
}

async fn ids(store: &dyn Artifacts) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    let first = artifact(&one, Some("s"), "1");
    store.put_artifact(first.clone()).await?;
    let second = Artifact { body: b"other".to_vec(), ..artifact(&one, Some("t"), "1") };
    refused(store.put_artifact(second).await, Kind::Conflict)?;
    store.put_artifact(artifact(&two, Some("s"), "1")).await?;
    same(store.get_artifact(&one, Some("s"), "1").await?, Some(first))
}

async fn deletion(store: &dyn Artifacts) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    for tenant in [&one, &two] {
        for (id, created_at_ms) in [("1", 1), ("2", 2), ("3", 3)] {
            let kept = Artifact { created_at_ms, ..artifact(tenant, None, id) };
            store.put_artifact(kept).await?;
        }
    }
    same(store.delete_artifacts_before(&one, 3).await?, 2)?;
    same(store.delete_artifacts_before(&one, 3).await?, 0)?;
    for (tenant, id, is_there) in [(&one, "2", false), (&one, "3", true), (&two, "1", true)] {
        same(store.get_artifact(tenant, None, id).await?.is_some(), is_there)?;
    }
    Ok(())
}

async fn keeping(store: &dyn Artifacts) -> Result<(), Problem> {
    let (one, two) = (new_tenant(), new_tenant());
    for tenant in [&one, &two] {
        for (id, created_at_ms) in [("1", 1), ("2", 2), ("2.1", 2), ("3", 3), ("4", 4)] {
            let body = vec![b'a'; 100];
            let kept = Artifact { created_at_ms, body, ..artifact(tenant, None, id) };
            store.put_artifact(kept).await?;
        }
    }
    same(store.delete_artifacts_beyond(&one, 500).await?, 0)?;
    same(store.delete_artifacts_beyond(&one, 499).await?, 1)?;
    // Half of what was made at one moment is of no use.
    same(store.delete_artifacts_beyond(&one, 300).await?, 2)?;
    same(store.delete_artifacts_beyond(&one, 200).await?, 0)?;
    for (tenant, id, is_there) in [(&one, "2", false), (&one, "3", true), (&two, "1", true)] {
        same(store.get_artifact(tenant, None, id).await?.is_some(), is_there)?;
    }
    same(store.delete_artifacts_beyond(&one, 0).await?, 2)
}

async fn takes_good_keys(store: &dyn Artifacts) -> Result<(), Problem> {
    let tenant = new_tenant();
    for key in good_keys() {
        let kept = artifact(&tenant, Some(&key), &key);
        store.put_artifact(kept.clone()).await?;
        same(store.get_artifact(&tenant, Some(&key), &key).await?, Some(kept))?;
    }
    Ok(())
}

async fn bad_input(store: &dyn Artifacts) -> Result<(), Problem> {
    let invalid = Kind::InvalidArgument;
    for key in bad_keys() {
        refused(store.put_artifact(artifact(&key, None, "1")).await, invalid)?;
        refused(store.put_artifact(artifact("t", None, &key)).await, invalid)?;
        refused(store.put_artifact(artifact("t", Some(&key), "1")).await, invalid)?;
        refused(store.get_artifact(&key, None, "1").await, invalid)?;
        refused(store.get_artifact("t", Some(&key), "1").await, invalid)?;
        refused(store.get_artifact("t", None, &key).await, invalid)?;
        refused(store.delete_artifacts_before(&key, 1).await, invalid)?;
        refused(store.delete_artifacts_beyond(&key, 1).await, invalid)?;
    }
    Ok(())
}
