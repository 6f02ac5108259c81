//! The runtime: opened, closed, freed.

use std::ffi::c_void;
use std::path::Path;
use std::time::{Duration, Instant};

use tokio::runtime::{Builder, Handle};
use toolkeep::secret::SecretString;
use toolkeep::{Code, Config, Error, Runtime, RuntimeBuilder};

use crate::callback::required;
use crate::error::toolkeep_error;
use crate::guard::{guard, guard_or};
use crate::handle::{self, Opaque, Out};
use crate::string::toolkeep_str;

/// How many threads of a runtime's own run its calls. Callbacks have others, made as needed.
const WORKERS: usize = 2;

/// How long freeing a runtime waits: for its records to be written, and for callbacks to return.
const PATIENCE: Duration = Duration::from_secs(1);

/// The least that freeing a runtime leaves to its threads, where writing used up the patience.
const LEAST: Duration = Duration::from_millis(50);

/// The governed tool layer of one agent program. Any number of threads may use one at once.
/// toolkeep_runtime_free() must be the last use. Runtimes in one process are independent of each
/// other.
///
/// It has two threads of its own, and makes more for callbacks of the host's, which may block. It
/// does not survive `fork()`: the child gets `TOOLKEEP_FORKED` and opens its own.
pub struct toolkeep_runtime {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_runtime {
    type Inside = Host;
    const KIND: u64 = u64::from_le_bytes(*b"tk.runtm");
    const NAME: &'static str = "toolkeep_runtime";
}

/// A core runtime and the threads that it runs on.
pub(crate) struct Host {
    pub core: Runtime,
    pub threads: Handle,
    owned: Option<tokio::runtime::Runtime>,
    process: u32,
}

impl Host {
    fn open(builder: RuntimeBuilder) -> Result<Host, Error> {
        check_may_block()?;
        let threads = Builder::new_multi_thread()
            .worker_threads(WORKERS)
            .thread_name("toolkeep")
            .enable_all()
            .build()
            .map_err(|error| {
                Error::new(Code::Internal, format!("cannot start threads: {error}"))
            })?;
        let core = threads.block_on(builder.build())?;
        let process = std::process::id();
        Ok(Host { core, threads: threads.handle().clone(), owned: Some(threads), process })
    }

    /// Looks at a host's runtime handle.
    ///
    /// # Safety
    /// As [`handle::look`].
    pub(crate) unsafe fn look<'h>(runtime: *const toolkeep_runtime) -> Result<&'h Host, Error> {
        // SAFETY: the same conditions.
        let host = unsafe { handle::look(runtime) }?;
        if host.process != std::process::id() {
            let text = "the runtime was opened before fork(); open another in this process";
            return Err(Error::new(Code::Forked, text));
        }
        Ok(host)
    }

    /// Waits for work on the host's thread.
    pub(crate) fn wait<T>(&self, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        check_may_block()?;
        self.threads.block_on(work)
    }

    /// Writes what is queued and ends the threads, with bounded patience.
    fn end(mut self) {
        let Some(owned) = self.owned.take() else { return };
        let deadline = Instant::now() + PATIENCE;
        // A store that failed here has failed the calls before, too.
        let _ = owned.block_on(async { tokio::time::timeout(PATIENCE, self.core.close()).await });
        owned.shutdown_timeout(deadline.saturating_duration_since(Instant::now()).max(LEAST));
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Waiting for the threads here could be waiting for the one that this runs on.
        if let Some(owned) = self.owned.take() {
            owned.shutdown_background();
        }
    }
}

/// Refuses to block one of our own threads: what is waited for might need it.
fn check_may_block() -> Result<(), Error> {
    if !on_own_thread() {
        return Ok(());
    }
    let text = "this is one of toolkeep's threads, in a callback: use the async function";
    Err(Error::new(Code::WouldBlock, text))
}

fn on_own_thread() -> bool {
    Handle::try_current().is_ok()
}

/// Returns the key that seals secrets: 64 hexadecimal digits, or 44 characters of standard base64.
/// The text must stay valid until the function that asked for it returns; toolkeep copies it and
/// wipes its copy. An empty text (`len` is 0) means that there is no key; then the runtime is not
/// opened.
///
/// It runs once, on the thread that opens the runtime. A C++ exception must not leave it.
pub type toolkeep_key_fn = Option<unsafe extern "C" fn(user_data: *mut c_void) -> toolkeep_str>;

type AskKey = unsafe extern "C" fn(*mut c_void) -> toolkeep_str;

/// Asks the host for its key.
///
/// # Safety
/// The host gave both for this.
unsafe fn with_key(
    builder: RuntimeBuilder,
    ask: AskKey,
    user_data: *mut c_void,
) -> Result<RuntimeBuilder, Error> {
    let bad =
        |why: &str| Error::new(Code::InvalidConfig, format!("configuration: `secrets.key`: {why}"));
    // SAFETY: the caller's promise.
    let lent = unsafe { ask(user_data) };
    if lent.len == 0 {
        return Err(bad("the host gives no key"));
    }
    // SAFETY: the host lends the text until this function's caller returns.
    let text = unsafe { lent.text("key") }.map_err(|_| bad("what the host gives is no text"))?;
    let key = SecretString::from(text);
    Ok(builder.key(move || Ok(key)))
}

/// Reads a configuration as JSON text.
///
/// # Safety
/// As [`toolkeep_str::text`].
unsafe fn configured(config_json: toolkeep_str) -> Result<RuntimeBuilder, Error> {
    // SAFETY: the same conditions.
    let text = unsafe { config_json.text("config_json") }?;
    let config = if text.trim().is_empty() { Config::default() } else { Config::from_json(text)? };
    Ok(Runtime::builder().config(config))
}

/// Reads a configuration file.
///
/// # Safety
/// As [`toolkeep_str::text`].
unsafe fn configured_by_file(path: toolkeep_str) -> Result<RuntimeBuilder, Error> {
    // SAFETY: the same conditions.
    let path = unsafe { path.text("path") }?;
    Runtime::builder().file(Path::new(path))
}

/// Opens a runtime.
///
/// `config_json` is the configuration, a JSON object; empty means all defaults. On success `*out`
/// is a runtime that the host owns: release it with toolkeep_runtime_free(). Fails in callbacks
/// with `TOOLKEEP_WOULD_BLOCK`.
///
/// Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_CONFIG` naming the key, or the
/// store's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_open(
    config_json: toolkeep_str,
    out: *mut *mut toolkeep_runtime,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        out.put(handle::give(Host::open(unsafe { configured(config_json) }?)?));
        Ok(())
    })
}

/// Opens a runtime as toolkeep_runtime_open() does, with a key from the host, such as one from a
/// keychain. `key` may not be NULL and gets `user_data`. It replaces the setting `secrets.key`;
/// giving both is an error.
///
/// Returns NULL, or an error that the host owns: as toolkeep_runtime_open(), and
/// `TOOLKEEP_INVALID_CONFIG` if `key` returned no key or an invalid one. The error never contains
/// the key.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_open_with_key(
    config_json: toolkeep_str,
    key: toolkeep_key_fn,
    user_data: *mut c_void,
    out: *mut *mut toolkeep_runtime,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        let key = required(key, "key")?;
        // SAFETY: the host lends the text for the length of this call.
        let builder = unsafe { configured(config_json) }?;
        // SAFETY: the host gave both for this.
        out.put(handle::give(Host::open(unsafe { with_key(builder, key, user_data) }?)?));
        Ok(())
    })
}

/// Opens the runtime that a `.toml` or `.json` file describes. Relative paths in it start at its
/// folder; without a `store` the state is kept in `toolkeep.db` beside it.
///
/// On success `*out` is a runtime that the host owns: release it with toolkeep_runtime_free().
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`.
///
/// Returns NULL, or an error that the host owns: `TOOLKEEP_INVALID_CONFIG` naming the file and the
/// key, or the store's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_open_file(
    path: toolkeep_str,
    out: *mut *mut toolkeep_runtime,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        // SAFETY: the host lends the text for the length of this call.
        out.put(handle::give(Host::open(unsafe { configured_by_file(path) }?)?));
        Ok(())
    })
}

/// Opens a runtime as toolkeep_runtime_open_file() does, with a key from the host, as
/// toolkeep_runtime_open_with_key() does.
///
/// Returns NULL, or an error that the host owns, like these two.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_open_file_with_key(
    path: toolkeep_str,
    key: toolkeep_key_fn,
    user_data: *mut c_void,
    out: *mut *mut toolkeep_runtime,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a place to write to.
        let out = unsafe { Out::new(out) }?;
        let key = required(key, "key")?;
        // SAFETY: the host lends the text for the length of this call.
        let builder = unsafe { configured_by_file(path) }?;
        // SAFETY: the host gave both for this.
        out.put(handle::give(Host::open(unsafe { with_key(builder, key, user_data) }?)?));
        Ok(())
    })
}

/// Closes a runtime: running calls fail with `TOOLKEEP_CLOSED`, queued rows are written, and the
/// store is closed. Closing again does nothing. The handle stays valid, and must still be freed.
/// Fails in callbacks with `TOOLKEEP_WOULD_BLOCK`.
///
/// Returns NULL, or an error that the host owns: the store's, if the last records could not be
/// written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_close(
    runtime: *mut toolkeep_runtime,
) -> *mut toolkeep_error {
    guard(|| {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let host = unsafe { Host::look(runtime) }?;
        host.wait(host.core.close())
    })
}

/// Releases a runtime, and closes it first if it is still open. NULL is fine.
///
/// It waits up to a second for the records to be written and for callbacks to return. A callback
/// that takes longer goes on, and its answer is ignored. Operations, subscriptions and invocations
/// stay valid and must be freed separately. No other thread may be using the runtime. In a callback
/// it does not wait: another thread does that.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_runtime_free(runtime: *mut toolkeep_runtime) {
    guard_or((), || {
        // SAFETY: the host gives NULL or a handle that it has not freed.
        let Some(host) = (unsafe { handle::take_inside(runtime) }) else { return };
        if host.process != std::process::id() {
            // The threads stayed in the parent; there is nobody to end or to wait for.
            std::mem::forget(host);
        } else if on_own_thread() {
            // If there is no thread to be had, dropping the host ends it without waiting.
            let _ = std::thread::Builder::new().spawn(move || host.end());
        } else {
            host.end();
        }
    });
}
