//! Seals anew, under the key that seals now, what was sealed under an older one.
//!
//! Nothing is kept of how far it came: a row that is sealed under the new key is done. So it may be
//! ended at any moment and begun again, and two that run at the same time only share the work. Each row
//! is written only if nobody else has changed it since it was read.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

use super::Runtime;
use crate::error::{Code, Error};
use crate::secret::{ExposeSecret as _, KeyRing, sealed_under};
use crate::store::{self, CredentialKey, CustomToolKey, Kind, PutCredential, PutCustomTool};

/// The progress of a rotation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RotationStatus {
    /// True while it runs in this process.
    pub running: bool,
    /// The id of the key under which everything is resealed; none before the first rotation.
    pub key_id: Option<String>,
    /// How many values were checked.
    pub seen: u64,
    /// How many were resealed.
    pub resealed: u64,
    /// How many were changed by others meanwhile. Those changes stay.
    pub overtaken: u64,
    /// Values that could not be opened, a sentence each, at most 100: older keys that are missing,
    /// values that were altered.
    pub unreadable: Vec<String>,
    /// How many those are.
    pub unreadable_count: u64,
    /// True if it is complete: everything but the unreadable values is sealed under the key.
    pub done: bool,
    /// Why it ended early, if it did.
    pub error: Option<String>,
}

/// The rotation of one runtime.
#[derive(Debug, Default)]
pub(crate) struct Rotation(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    status: RotationStatus,
    stop: Option<CancellationToken>,
}

/// How many rows are listed at once.
const PAGE: u32 = 200;

/// How often a row that others change is tried again.
const TRIES: usize = 16;

/// How many unreadable values are told one by one.
const MOST_REPORTED: usize = 100;

/// What became of one value.
enum Turned {
    Resealed,
    Current,
    Overtaken,
    Unreadable(String),
}

impl Rotation {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn status(&self) -> RotationStatus {
        self.lock().status.clone()
    }

    /// Ends one that runs; what it has written stays.
    pub(crate) fn stop(&self) -> RotationStatus {
        let state = self.lock();
        if let Some(stop) = &state.stop {
            stop.cancel();
        }
        state.status.clone()
    }

    fn note(&self, turned: Turned) {
        let status = &mut self.lock().status;
        status.seen += 1;
        match turned {
            Turned::Resealed => status.resealed += 1,
            Turned::Current => {}
            Turned::Overtaken => status.overtaken += 1,
            Turned::Unreadable(why) => {
                status.unreadable_count += 1;
                if status.unreadable.len() < MOST_REPORTED {
                    status.unreadable.push(why);
                }
            }
        }
    }
}

impl Runtime {
    /// Begins a rotation, if none runs, and waits for its end where that is wanted.
    ///
    /// # Errors
    /// `no_key` without a key; with `wait` the error that ended it.
    pub(crate) async fn rotate(&self, wait: bool) -> Result<RotationStatus, Error> {
        let key_id = self.keys()?.fingerprint().to_string();
        let rotation = Arc::clone(&self.inner.rotation);
        let stop = {
            let mut state = rotation.lock();
            if state.status.running {
                None
            } else {
                let stop = CancellationToken::new();
                let key_id = Some(key_id);
                state.status = RotationStatus { running: true, key_id, ..Default::default() };
                state.stop = Some(stop.clone());
                Some(stop)
            }
        };
        let Some(stop) = stop else {
            if wait {
                let text = "a rotation runs already; `secrets.rotation` tells how far it is";
                return Err(Error::new(Code::Conflict, text));
            }
            return Ok(rotation.status());
        };
        let runtime = self.clone();
        let work = async move {
            let ending = Ending(Arc::clone(&runtime.inner.rotation));
            let done = runtime.until_closed(runtime.turn_all(&stop)).await.and_then(|done| done);
            ending.end(done.err());
        };
        if wait {
            work.await;
            let status = rotation.status();
            return match &status.error {
                Some(why) => Err(Error::new(Code::Unavailable, why.clone())),
                None => Ok(status),
            };
        }
        match tokio::runtime::Handle::try_current() {
            Ok(handle) => drop(handle.spawn(work)),
            Err(_) => work.await,
        }
        Ok(rotation.status())
    }

    /// How far the rotation is.
    pub(crate) fn rotation(&self) -> &Rotation {
        &self.inner.rotation
    }

    async fn turn_all(&self, stop: &CancellationToken) -> Result<(), Error> {
        let keys = self.keys()?.clone();
        let key_id = keys.fingerprint().to_string();
        let rotation = self.rotation();
        let mut after: Option<CredentialKey> = None;
        loop {
            let page = self.store().credentials_not_under(&key_id, after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { break };
            after = Some(last.clone());
            for key in &page {
                check(stop)?;
                rotation.note(self.turn_credential(&keys, key).await?);
            }
        }
        let mut after: Option<CustomToolKey> = None;
        loop {
            let page = self.store().custom_tools_with_env(after.as_ref(), PAGE).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.clone());
            for key in &page {
                check(stop)?;
                rotation.note(self.turn_tool(&keys, key).await?);
            }
        }
    }

    async fn turn_credential(&self, keys: &KeyRing, key: &CredentialKey) -> Result<Turned, Error> {
        for _ in 0..TRIES {
            let Some(stored) = self.store().get_credential(key).await? else {
                return Ok(Turned::Overtaken);
            };
            let value = match turned(keys, &stored.value, |with| key.place(with)) {
                Ok(Some(value)) => value,
                Ok(None) => return Ok(Turned::Current),
                Err(why) => return Ok(Turned::Unreadable(why)),
            };
            let info = stored.info;
            let put = PutCredential {
                key: info.key,
                kind: info.kind,
                host_scope: info.host_scope,
                settings: info.settings,
                value,
                if_version: Some(info.version),
            };
            let written = self.store().put_credential(put, self.clock().now_ms()).await;
            if let Some(turned) = outcome(written.map(drop))? {
                return Ok(turned);
            }
        }
        Ok(Turned::Overtaken)
    }

    async fn turn_tool(&self, keys: &KeyRing, key: &CustomToolKey) -> Result<Turned, Error> {
        for _ in 0..TRIES {
            let Some(stored) = self.store().get_custom_tool(key).await? else {
                return Ok(Turned::Overtaken);
            };
            let Some(env) = &stored.env else { return Ok(Turned::Current) };
            let env = match turned(keys, env, |with| key.place(with)) {
                Ok(Some(env)) => env,
                Ok(None) => return Ok(Turned::Current),
                Err(why) => return Ok(Turned::Unreadable(why)),
            };
            let if_version = Some(stored.tool.version);
            let put = PutCustomTool { tool: stored.tool, env: Some(env), if_version };
            let written = self.store().put_custom_tool(put, self.clock().now_ms()).await;
            if let Some(turned) = outcome(written.map(drop))? {
                return Ok(turned);
            }
        }
        Ok(Turned::Overtaken)
    }
}

/// None where somebody else has changed the row: it is read again.
fn outcome(written: Result<(), store::Error>) -> Result<Option<Turned>, Error> {
    match written {
        Ok(()) => Ok(Some(Turned::Resealed)),
        Err(error) if error.kind() == Kind::Conflict => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// A value sealed anew; none if it is sealed under the key already.
fn turned(
    keys: &KeyRing,
    envelope: &[u8],
    at: impl Fn(&dyn Fn(&crate::secret::Place<'_>) -> Sealed) -> Sealed,
) -> Sealed {
    if sealed_under(envelope) == Some(keys.fingerprint()) {
        return Ok(None);
    }
    at(&|place| {
        let opened = keys.open(place, envelope).map_err(|error| error.to_string())?;
        let sealed = keys.seal(place, opened.expose_secret()).map_err(|error| error.to_string())?;
        Ok(Some(sealed))
    })
}

type Sealed = Result<Option<Vec<u8>>, String>;

fn check(stop: &CancellationToken) -> Result<(), Error> {
    if stop.is_cancelled() {
        return Err(Error::new(Code::Cancelled, STOPPED));
    }
    Ok(())
}

const STOPPED: &str =
    "it was stopped; what was sealed anew stays, and the next one goes on from there";

/// Notes the end of a rotation, also where its future is dropped.
struct Ending(Arc<Rotation>);

impl Ending {
    fn end(self, error: Option<Error>) {
        let status = &mut self.0.lock().status;
        status.done = error.is_none();
        status.error = error.map(|error| error.to_string());
    }
}

impl Drop for Ending {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.status.running = false;
        state.stop = None;
        if !state.status.done {
            state.status.error.get_or_insert_with(|| STOPPED.to_owned());
        }
    }
}
