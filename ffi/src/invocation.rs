//! One call that a function of the host's was asked to answer.

use std::ffi::c_void;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::runtime::Handle;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolkeep::{CallContext, Code, Error, ToolError, strict};

use crate::callback::{UserData, required, toolkeep_destroy_fn};
use crate::error::toolkeep_error;
use crate::guard::{guard, guard_or};
use crate::handle::{self, Allocation, Opaque};
use crate::string::{Text, toolkeep_str};

/// One call of a tool of the host's, or one question to its `approve` function. The host owns it
/// and ends it exactly once, with toolkeep_invocation_resolve(), toolkeep_invocation_reject() or
/// toolkeep_invocation_free(): from any thread, at any time, even after the runtime was freed.
///
/// All of them consume it. Before the callback returns, a second answer is ignored. Afterwards,
/// using the pointer is undefined behaviour. An answer is ignored if the call was cancelled or has
/// timed out. Any thread may use an invocation, but only one at a time while it is being ended.
pub struct toolkeep_invocation {
    _opaque: [u8; 0],
}

impl Opaque for toolkeep_invocation {
    type Inside = Held;
    const KIND: u64 = u64::from_le_bytes(*b"tk.invoc");
    const NAME: &'static str = "toolkeep_invocation";
}

/// Tells the host that nobody waits for its answer any more. It runs at most once, on a thread of
/// toolkeep's that may block. It must not use the invocation, since it may race with an answer.
pub type toolkeep_cancelled_fn = Option<unsafe extern "C" fn(user_data: *mut c_void)>;

type Answer = Result<Value, ToolError>;

/// What both sides know of a call.
pub(crate) struct Invocation {
    args: Text,
    context: Text,
    plan: Option<Text>,
    cancellation: CancellationToken,
    threads: Handle,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    answer: Option<oneshot::Sender<Answer>>,
    abandoned: bool,
    hooks: Vec<Hook>,
}

/// What C's handle holds. However C lets go of it, the call gets an answer.
pub(crate) struct Held(Arc<Invocation>);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.end(|_| ());
    }
}

struct Hook {
    run: unsafe extern "C" fn(*mut c_void),
    data: UserData,
}

/// Hooks that are due. They run when this is dropped, wherever that is.
struct Due(Vec<Hook>);

impl Drop for Due {
    fn drop(&mut self) {
        for hook in self.0.drain(..) {
            // SAFETY: the host gave both for this, and this is the only time.
            unsafe { (hook.run)(hook.data.pointer()) };
        }
    }
}

/// Tells the host when the call's future is dropped before there was an answer.
pub(crate) struct Abandon(Arc<Invocation>);

impl Drop for Abandon {
    fn drop(&mut self) {
        let mut state = self.0.state();
        if state.answer.is_none() {
            return;
        }
        state.abandoned = true;
        let due = Due(std::mem::take(&mut state.hooks));
        drop(state);
        self.0.run_soon(due);
    }
}

impl Invocation {
    /// A call, and the place where its answer will come.
    pub(crate) fn new(
        args: &Value,
        cx: &CallContext,
        threads: Handle,
    ) -> (Arc<Invocation>, oneshot::Receiver<Answer>) {
        let (sender, receiver) = oneshot::channel();
        let context = serde_json::to_string(cx.caller()).unwrap_or_default();
        let plan = cx.plan().and_then(|plan| serde_json::to_string(plan).ok());
        let invocation = Invocation {
            args: Text::new(args.to_string()),
            context: Text::new(context),
            plan: plan.map(Text::new),
            cancellation: cx.cancellation().clone(),
            threads,
            state: Mutex::new(State { answer: Some(sender), ..State::default() }),
        };
        (Arc::new(invocation), receiver)
    }

    /// The handle for C, and a share of it to keep while the tool's function runs. None if nobody
    /// waits for an answer any more.
    pub(crate) fn begin(
        self: &Arc<Invocation>,
    ) -> Option<(Arc<Allocation<toolkeep_invocation>>, *mut toolkeep_invocation)> {
        if self.is_cancelled() {
            return None;
        }
        Some(handle::share(Held(self.clone())))
    }

    /// Tells the host if this is dropped before there is an answer.
    pub(crate) fn abandon_on_drop(self: &Arc<Invocation>) -> Abandon {
        Abandon(self.clone())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_cancelled(&self) -> bool {
        self.cancellation.is_cancelled() || self.state().abandoned
    }

    /// Ends the call once. False if it has ended, or nobody waits any more.
    fn end<T>(&self, answer: impl FnOnce(oneshot::Sender<Answer>) -> T) -> Option<T> {
        let mut state = self.state();
        let sender = state.answer.take()?;
        let hooks = std::mem::take(&mut state.hooks);
        drop(state);
        // Released before the answer is known, so that no hook of an answered call runs.
        for hook in hooks {
            drop(hook.data);
        }
        Some(answer(sender))
    }

    fn run_soon(&self, due: Due) {
        if !due.0.is_empty() {
            self.threads.spawn_blocking(move || drop(due));
        }
    }

    fn on_cancel(&self, hook: Hook) {
        let mut state = self.state();
        if state.abandoned {
            drop(state);
            self.run_soon(Due(vec![hook]));
        } else {
            state.hooks.push(hook);
        }
    }
}

/// The arguments of the call: a JSON object that fits the tool's schema. For `approve`: the
/// request. A NUL follows.
///
/// Borrowed from the invocation: valid until it is ended. Empty for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_args(
    invocation: *const toolkeep_invocation,
) -> toolkeep_str {
    guard_or(toolkeep_str::EMPTY, || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        let held = unsafe { handle::look(invocation) };
        held.map_or(toolkeep_str::EMPTY, |held| held.0.args.lend())
    })
}

/// The context of the call (the caller) as a JSON object. A NUL follows.
///
/// Borrowed from the invocation: valid until it is ended. Empty for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_context(
    invocation: *const toolkeep_invocation,
) -> toolkeep_str {
    guard_or(toolkeep_str::EMPTY, || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        let held = unsafe { handle::look(invocation) };
        held.map_or(toolkeep_str::EMPTY, |held| held.0.context.lend())
    })
}

/// For tools with a `shell_command`: how to run the command of the call, as a JSON object. It has
/// `run` (`as` `direct` with `program`, `arguments` and `environment`; `canonical` with `script`;
/// or `verbatim` with `text`), `cwd`, and `confinement`: what the command may do. Run it so, and it
/// runs exactly as it was judged and approved. A NUL follows.
///
/// Borrowed from the invocation: valid until it is ended. Empty in a call without a command, if the
/// vault has put a secret into the command, and for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_plan(
    invocation: *const toolkeep_invocation,
) -> toolkeep_str {
    guard_or(toolkeep_str::EMPTY, || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        let held = unsafe { handle::look(invocation) };
        let plan = held.ok().and_then(|held| held.0.plan.as_ref());
        plan.map_or(toolkeep_str::EMPTY, Text::lend)
    })
}

/// True once nobody waits for the answer any more: the call was cancelled or timed out, or the
/// runtime closed. True for NULL or a wrong handle.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_is_cancelled(
    invocation: *const toolkeep_invocation,
) -> bool {
    guard_or(true, || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        unsafe { handle::look(invocation) }.map_or(true, |held| held.0.is_cancelled())
    })
}

/// Calls `cancelled` when nobody waits for the answer any more; at once if that is so already.
///
/// `cancelled` may not be NULL and gets `user_data`. `destroy`, which may be NULL, releases it
/// after that, or when the invocation is ended, or before this function returns an error.
///
/// Returns NULL, or an error that the host owns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_on_cancel(
    invocation: *const toolkeep_invocation,
    cancelled: toolkeep_cancelled_fn,
    user_data: *mut c_void,
    destroy: toolkeep_destroy_fn,
) -> *mut toolkeep_error {
    let data = UserData::new(user_data, destroy);
    guard(move || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        let held: &Held = unsafe { handle::look(invocation) }?;
        held.0.on_cancel(Hook { run: required(cancelled, "cancelled")?, data });
        Ok(())
    })
}

/// Ends a call with the tool's result, and consumes the invocation.
///
/// `json` is borrowed. A string is the text for the model, `null` or an empty text an empty result,
/// an object with the key `for_llm` a whole result, and any other JSON is data. Text that is not
/// JSON, or an object that is not a whole result, ends the call with the code `invalid_result`.
///
/// True if the call got the answer. False if it was ignored, because the call had ended or the
/// handle is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_resolve(
    invocation: *mut toolkeep_invocation,
    json: toolkeep_str,
) -> bool {
    guard_or(false, || {
        // SAFETY: the host lends the text for the length of this call.
        let answer = unsafe { result_of(json) };
        // SAFETY: the host gives NULL or a handle that it has not ended.
        unsafe { answer_with(invocation, answer) }
    })
}

/// Ends a call with a failure, and consumes the invocation.
///
/// `code` is one of the codes below 40; any other means `TOOLKEEP_TOOL_FAILED`. `message` is
/// borrowed. It is the text for the model: what failed, why, and what to try next.
///
/// True if the call got the answer. False if it was ignored, because the call had ended or the
/// handle is not valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_reject(
    invocation: *mut toolkeep_invocation,
    code: u32,
    message: toolkeep_str,
) -> bool {
    guard_or(false, || {
        let code = Code::from_number(code).filter(|code| code.number() < FIRST_HOST_CODE);
        // SAFETY: the host lends the text for the length of this call.
        let message = unsafe { message.lossy("message") };
        let answer = Err(ToolError::new(code.unwrap_or(Code::ToolFailed), message));
        // SAFETY: the host gives NULL or a handle that it has not ended.
        unsafe { answer_with(invocation, answer) }
    })
}

/// Releases an invocation without an answer: the call ends with the code `tool_failed`. NULL is
/// fine. Do not call it after toolkeep_invocation_resolve() or toolkeep_invocation_reject(), which
/// consume the invocation.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn toolkeep_invocation_free(invocation: *mut toolkeep_invocation) {
    guard_or((), || {
        // SAFETY: the host gives NULL or a handle that it has not ended.
        if let Some(held) = unsafe { handle::take(invocation) } {
            // The share that is kept while the tool's function runs must not delay this.
            held.0.end(|_| ());
        }
    });
}

/// From this number on codes are the host's own mistakes, which no tool can answer with.
const FIRST_HOST_CODE: u32 = 40;

/// # Safety
/// As [`handle::take`].
unsafe fn answer_with(invocation: *mut toolkeep_invocation, answer: Answer) -> bool {
    // SAFETY: the same conditions.
    let Some(held) = (unsafe { handle::take(invocation) }) else { return false };
    held.0.end(|sender| sender.send(answer).is_ok()).unwrap_or(false)
}

/// # Safety
/// As [`toolkeep_str::text`].
unsafe fn result_of(json: toolkeep_str) -> Answer {
    // SAFETY: the same conditions.
    let value = unsafe { json.text("json") }.and_then(|text| match text.trim() {
        "" => Ok(Value::Null),
        text => strict::parse(text).map_err(|error| {
            Error::new(Code::InvalidJson, format!("it is not valid JSON: {error}"))
        }),
    });
    let invalid = |error: Error| {
        let text = format!("The tool returned something that is no result: {}.", error.message());
        ToolError::new(Code::InvalidResult, text)
    };
    value.map_err(invalid)
}
