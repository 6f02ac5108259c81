//! The runtime as the native half offers it to `lib.cjs`.

use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use napi::Env;
use napi::bindgen_prelude::{Function, PromiseRaw, block_on};
use napi_derive::napi;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use toolkeep::secret::SecretString;
use toolkeep::tool::Arguments;
use toolkeep::{
    CallContext, CallRequest, Caller, Code, Config, DefinitionOptions, Error, Follow, Registration,
    Runtime, ToolSpec, TurnCall,
};

use crate::failure::{failure, settle};
use crate::host::{Host, HostHandler, HostTool, Parts, dispatch};
use crate::json;
use crate::stream::NativeStream;

/// One runtime. `open` comes first and once; the others need it done.
#[napi]
pub struct NativeRuntime {
    state: Arc<State>,
}

struct State {
    runtime: OnceLock<Runtime>,
    /// Where the runtime was opened: what closes it when it is thrown away.
    tokio: OnceLock<Handle>,
    host: Arc<Host>,
    /// The calls that can be cancelled, by the number that JavaScript gave them.
    cancellable: Mutex<HashMap<u32, CancellationToken>>,
}

impl State {
    fn runtime(&self) -> Result<&Runtime, Error> {
        let unopened = || Error::new(Code::InvalidHandle, "the runtime is not open yet");
        self.runtime.get().ok_or_else(unopened)
    }

    fn cancellable(&self) -> MutexGuard<'_, HashMap<u32, CancellationToken>> {
        self.cancellable.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn open(
        &self,
        config: &str,
        is_path: bool,
        key: Option<SecretString>,
    ) -> Result<(), Error> {
        let mut builder = if is_path {
            Runtime::builder().file(Path::new(config))?
        } else {
            Runtime::builder().config(Config::from_value(json::parse(config)?)?)
        };
        if let Some(key) = key {
            builder = builder.key(move || Ok(key));
        }
        let runtime = builder.build().await?;
        self.tokio.get_or_init(Handle::current);
        let twice = |_| Error::new(Code::InvalidHandle, "the runtime is open already");
        self.runtime.set(runtime).map_err(twice)
    }
}

/// A call that is on its way: its context, which ends its entry among the cancellable ones.
struct Started {
    state: Arc<State>,
    cx: CallContext,
    number: u32,
}

impl Started {
    /// `number` is 0 for a call that is neither cancellable nor bound to an async context.
    fn new(state: &Arc<State>, caller: Option<String>, number: u32) -> Result<Started, Error> {
        let mut cx = match caller {
            Some(text) => CallContext::from(Caller::from_value(&json::parse(&text)?)?),
            None => CallContext::new(),
        };
        if number != 0 {
            let token = CancellationToken::new();
            state.cancellable().insert(number, token.clone());
            cx = cx.with_cancellation(token).host(Arc::new(number));
        }
        Ok(Started { state: state.clone(), cx, number })
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        if self.number != 0 {
            self.state.cancellable().remove(&self.number);
        }
    }
}

/// `form` says what `args` is: 0 a value as JSON, 1 the text that the model wrote, 2 why the value is not JSON.
fn arguments(args: String, form: u32) -> Result<Arguments, Error> {
    match form {
        0 => json::parse(&args).map(Arguments::Value),
        1 => Ok(Arguments::Text(args)),
        _ => Ok(Arguments::Unread(args)),
    }
}

/// The calls of a turn. `unread` has the places of those whose arguments are not JSON, each with the reason.
fn calls(requests: &str, unread: &str) -> Result<Vec<TurnCall>, Error> {
    let requests: Vec<CallRequest> = json::read("the calls", json::parse(requests)?)?;
    let unread: Vec<(usize, String)> = json::read("the calls", json::parse(unread)?)?;
    let mut calls: Vec<TurnCall> = requests.into_iter().map(TurnCall::from).collect();
    for (place, why) in unread {
        if let Some(call) = calls.get_mut(place) {
            call.arguments = Arguments::Unread(why);
        }
    }
    Ok(calls)
}

#[napi]
impl NativeRuntime {
    /// A runtime that is not open yet. Tools are run, cancelled and forgotten through `dispatch`.
    #[napi(constructor, catch_unwind)]
    pub fn new(
        #[napi(
            ts_arg_type = "(kind: number, run: number, tool: number, call: number, args: string | null, caller: string | null) => void"
        )]
        function: Function<'_, Parts, ()>,
    ) -> napi::Result<NativeRuntime> {
        let host = Arc::new(Host::new(dispatch(&function)?));
        let state = State {
            runtime: OnceLock::new(),
            tokio: OnceLock::new(),
            host,
            cancellable: Mutex::new(HashMap::new()),
        };
        Ok(NativeRuntime { state: Arc::new(state) })
    }

    /// Opens it: with a configuration as JSON text, or with the path of a file that holds one, and
    /// with the host's key if it gives one.
    #[napi(catch_unwind)]
    pub fn open<'env>(
        &self,
        env: &'env Env,
        config: String,
        is_path: bool,
        key: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, ()>> {
        let state = self.state.clone();
        let key = key.map(SecretString::from);
        env.spawn_future(settle(async move { state.open(&config, is_path, key).await }))
    }

    /// Takes one call along the path.
    #[napi(catch_unwind)]
    pub fn call<'env>(
        &self,
        env: &'env Env,
        name: String,
        args: String,
        form: u32,
        caller: Option<String>,
        number: u32,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let started = Started::new(&self.state, caller, number).map_err(failure)?;
        #[cfg(feature = "bench")]
        if crate::empty_core::is_meant(&name) {
            return env.spawn_future(settle(async move {
                let (runtime, args) = (started.state.runtime()?, arguments(args, form)?);
                json::write(&crate::empty_core::call(runtime, &started.cx, &name, args).await?)
            }));
        }
        env.spawn_future(settle(async move {
            let args = arguments(args, form)?;
            json::write(&started.state.runtime()?.call(&started.cx, &name, args).await?)
        }))
    }

    /// Takes the calls of one turn along the path.
    #[napi(catch_unwind)]
    pub fn call_all<'env>(
        &self,
        env: &'env Env,
        requests: String,
        unread: String,
        caller: Option<String>,
        number: u32,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let started = Started::new(&self.state, caller, number).map_err(failure)?;
        env.spawn_future(settle(async move {
            let calls = calls(&requests, &unread)?;
            json::write(&started.state.runtime()?.call_turn(&started.cx, calls).await?)
        }))
    }

    /// The definitions of the tools that the caller may call; with `whole` also which are left out.
    #[napi(catch_unwind)]
    pub fn definitions<'env>(
        &self,
        env: &'env Env,
        options: String,
        caller: Option<String>,
        whole: bool,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let started = Started::new(&self.state, caller, 0).map_err(failure)?;
        env.spawn_future(settle(async move {
            let options = DefinitionOptions::from_value(&json::parse(&options)?)?;
            let definitions = started.state.runtime()?.definitions(&started.cx, options).await?;
            if whole { json::write(&*definitions) } else { Ok(definitions.text().to_owned()) }
        }))
    }

    /// Whether the caller may call a tool, and why.
    #[napi(catch_unwind)]
    pub fn explain<'env>(
        &self,
        env: &'env Env,
        tool: String,
        caller: Option<String>,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let started = Started::new(&self.state, caller, 0).map_err(failure)?;
        env.spawn_future(settle(async move {
            json::write(&started.state.runtime()?.explain(&started.cx, &tool).await?)
        }))
    }

    /// Runs one operation of the control plane.
    #[napi(catch_unwind)]
    pub fn invoke<'env>(
        &self,
        env: &'env Env,
        operation: String,
        args: String,
    ) -> napi::Result<PromiseRaw<'env, String>> {
        let state = self.state.clone();
        env.spawn_future(settle(async move {
            let answer = state.runtime()?.invoke(&operation, json::parse(&args)?).await?;
            json::write(&answer)
        }))
    }

    /// Follows the events of a tenant.
    #[napi(catch_unwind)]
    pub fn follow(&self, options: String) -> napi::Result<NativeStream> {
        let follow = || {
            let options = Follow::from_value(&json::parse(&options)?)?;
            self.state.runtime()?.follow(options)
        };
        follow().map(NativeStream::new).map_err(failure)
    }

    /// Adds a tool of the host's under a number of its choice, or puts it in the place of another.
    #[napi(catch_unwind)]
    pub fn register(&self, spec: String, number: u32, replace: bool) -> napi::Result<()> {
        self.add(&spec, number, replace).map_err(failure)
    }

    fn add(&self, spec: &str, number: u32, replace: bool) -> Result<(), Error> {
        let runtime = self.state.runtime()?;
        let spec = ToolSpec::from_value(&json::parse(spec)?)?;
        let tool = HostTool::new(self.state.host.clone(), number, spec);
        let registration = Registration::new(tool);
        runtime.add(if replace { registration.replace() } else { registration }).map(|_| ())
    }

    /// Sets the function of that number as the handler of that name; without one, takes it away.
    #[napi(catch_unwind)]
    pub fn set_handler(&self, name: String, number: Option<u32>) -> napi::Result<()> {
        let runtime = self.state.runtime().map_err(failure)?;
        let host = || self.state.host.clone();
        let handler = number.map(|number| Arc::new(HostHandler::new(host(), number)) as _);
        runtime.set_json_handler(&name, handler).map_err(failure)
    }

    /// Removes a tool.
    #[napi(catch_unwind)]
    pub fn unregister(&self, name: String) -> napi::Result<()> {
        let runtime = self.state.runtime().map_err(failure)?;
        runtime.unregister(&name).map_err(failure)
    }

    /// Answers a run of a tool: with the JSON text of what it returned, or with a code and the
    /// message of what it threw.
    #[napi(catch_unwind)]
    pub fn answer(&self, run: u32, code: Option<String>, text: String) {
        self.state.host.answer(run, code.as_deref(), text);
    }

    /// Cancels the call of that number, if it is still on its way.
    #[napi(catch_unwind)]
    pub fn cancel(&self, number: u32) {
        if let Some(token) = self.state.cancellable().get(&number) {
            token.cancel();
        }
    }

    /// Ends the runtime: running calls are cancelled, what is queued is written.
    #[napi(catch_unwind)]
    pub fn close<'env>(&self, env: &'env Env) -> napi::Result<PromiseRaw<'env, ()>> {
        let state = self.state.clone();
        env.spawn_future(settle(async move { state.runtime()?.close().await }))
    }

    /// The same without a promise, for a process that exits: blocks for so many milliseconds at
    /// most, and reports nothing.
    #[napi(catch_unwind)]
    pub fn close_now(&self, most_ms: u32) {
        let Ok(runtime) = self.state.runtime() else { return };
        let most = Duration::from_millis(u64::from(most_ms));
        let _outcome = block_on(async { tokio::time::timeout(most, runtime.close()).await });
    }
}

/// A runtime that was thrown away unclosed still writes what it had queued.
impl Drop for State {
    fn drop(&mut self) {
        let Some(runtime) = self.runtime.take().filter(|runtime| !runtime.is_closed()) else {
            return;
        };
        if let Some(tokio) = self.tokio.get() {
            tokio.spawn(async move {
                let _nobody_listens = runtime.close().await;
            });
        }
    }
}
