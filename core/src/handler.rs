//! Handlers: host code that toolkeep asks.
//!
//! A host answers questions that only it can answer: whether a call may run, what a model says. Each
//! kind of question is a [`HandlerKind`]: a name, the type of its request, the type of its answer. A
//! [`Handler`] answers one kind. All kinds take the same way:
//!
//! ```text
//! a gate or a system ── request ──▶ Handlers ──▶ Handler<K>      a Rust host
//!                                      └───────▶ FromJson<K>     another language: JSON in, JSON out
//! ```
//!
//! A new kind is its type, with [`HandlerKind`] implemented for it, and a line in the runtime's table of
//! kinds. From then on Rust hosts set it by its type, and hosts of other languages by its name.
//!
//! No lock is held while a handler runs. Its future is dropped when nobody waits for the answer any more.

use std::any::Any;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::{Arc, PoisonError, RwLock};

use futures_util::future::BoxFuture;
use serde::Serialize;
use serde_json::Value;

use crate::catch_panic::{self, CatchPanic};
use crate::error::{Code, Error};
use crate::tool::CallContext;

/// A kind of question that host code answers.
pub trait HandlerKind: Send + Sync + 'static {
    /// The name under which hosts of every language set it: `approve`.
    const NAME: &'static str;
    /// What is asked.
    type Request: Serialize + Send + 'static;
    /// What is answered.
    type Answer: Send + 'static;

    /// Reads an answer that another language gave.
    ///
    /// # Errors
    /// `invalid_argument` that says what a valid answer is.
    fn read(answer: &Value) -> Result<Self::Answer, Error>;
}

/// Host code that answers one kind of question.
///
/// Implement it for a type of your own, or give a function to
/// [`RuntimeBuilder::on`](crate::RuntimeBuilder::on).
pub trait Handler<K: HandlerKind>: Send + Sync + 'static {
    /// Answers a request. `cx` is the context of the call, or of the operation, that asks.
    ///
    /// The future is dropped when the answer is not needed any more: another one was faster, the time is
    /// over, or the call was cancelled. `cx.cancellation()` fires then as well.
    ///
    /// # Errors
    /// An error, or a panic, counts as no answer. What follows depends on the kind: a call that wants
    /// approval is denied.
    fn handle(
        &self,
        request: K::Request,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<K::Answer, Error>>;
}

/// A [`Handler`] that is a function. `kind` only says for which kind it is.
pub fn handler_fn<K, F, R>(kind: K, answer: F) -> impl Handler<K>
where
    K: HandlerKind,
    F: Fn(K::Request, CallContext) -> R + Send + Sync + 'static,
    R: Future<Output = Result<K::Answer, Error>> + Send + 'static,
{
    struct Function<F>(F);

    impl<K, F, R> Handler<K> for Function<F>
    where
        K: HandlerKind,
        F: Fn(K::Request, CallContext) -> R + Send + Sync + 'static,
        R: Future<Output = Result<K::Answer, Error>> + Send + 'static,
    {
        fn handle(
            &self,
            request: K::Request,
            cx: CallContext,
        ) -> BoxFuture<'_, Result<K::Answer, Error>> {
            Box::pin((self.0)(request, cx))
        }
    }

    drop(kind);
    Function(answer)
}

/// Host code of another language: it gets the request as JSON and answers with JSON.
pub trait JsonHandler: Send + Sync + 'static {
    /// Answers a request; otherwise as [`Handler::handle`].
    ///
    /// # Errors
    /// As [`Handler::handle`].
    fn handle(&self, request: Value, cx: CallContext) -> BoxFuture<'_, Result<Value, Error>>;
}

/// The handlers of one runtime, one of each kind at most.
#[derive(Default)]
pub(crate) struct Handlers {
    /// By the name of the kind `K`: an `Arc<dyn Handler<K>>`.
    by_name: RwLock<HashMap<&'static str, Slot>>,
}

type Slot = Box<dyn Any + Send + Sync>;

impl Handlers {
    /// The handler of a kind, if the host has set one.
    pub(crate) fn get<K: HandlerKind>(&self) -> Option<Arc<dyn Handler<K>>> {
        let by_name = self.by_name.read().unwrap_or_else(PoisonError::into_inner);
        by_name.get(K::NAME)?.downcast_ref::<Arc<dyn Handler<K>>>().cloned()
    }

    /// Sets the handler of a kind in the place of the one before, or takes it away.
    pub(crate) fn set<K: HandlerKind>(&self, handler: Option<Arc<dyn Handler<K>>>) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        let earlier = match handler {
            Some(handler) => by_name.insert(K::NAME, Box::new(handler)),
            None => by_name.remove(K::NAME),
        };
        drop(by_name);
        // A destructor of the host's does not run under the lock.
        drop(earlier);
    }

    /// Takes all handlers away.
    pub(crate) fn clear(&self) {
        let mut by_name = self.by_name.write().unwrap_or_else(PoisonError::into_inner);
        let earlier = std::mem::take(&mut *by_name);
        drop(by_name);
        drop(earlier);
    }
}

/// A kind as hosts of other languages set it: by its name.
#[derive(Clone, Copy)]
pub(crate) struct KindByName {
    pub(crate) name: &'static str,
    pub(crate) set: fn(&Handlers, Option<Arc<dyn JsonHandler>>),
}

impl KindByName {
    pub(crate) const fn of<K: HandlerKind>() -> KindByName {
        KindByName {
            name: K::NAME,
            set: |handlers, handler| {
                let typed = |handler| Arc::new(FromJson(handler, PhantomData::<K>)) as _;
                handlers.set::<K>(handler.map(typed));
            },
        }
    }
}

/// Asks a handler. Its panics are caught, and its context is cancelled when the future is dropped.
///
/// # Errors
/// The message of its error, or of its panic.
pub(crate) fn ask<K: HandlerKind>(
    handler: Arc<dyn Handler<K>>,
    request: K::Request,
    cx: &CallContext,
) -> BoxFuture<'static, Result<K::Answer, String>> {
    let token = cx.cancellation().child_token();
    let cx = cx.clone().with_cancellation(token.clone());
    Box::pin(async move {
        let _cancels_the_context = token.drop_guard();
        let answered = match CatchPanic::start(|| handler.handle(request, cx)) {
            Ok(running) => running.await,
            Err(panic) => Err(panic),
        };
        match answered {
            Ok(answered) => answered.map_err(|error: Error| error.message().to_owned()),
            Err(panic) => Err(format!("it panicked: {}", catch_panic::message(panic.as_ref()))),
        }
    })
}

/// A handler of another language as one of a kind.
struct FromJson<K>(Arc<dyn JsonHandler>, PhantomData<K>);

impl<K: HandlerKind> Handler<K> for FromJson<K> {
    fn handle(
        &self,
        request: K::Request,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<K::Answer, Error>> {
        Box::pin(async move {
            let request = serde_json::to_value(request).map_err(|error| {
                let text = format!("the request for the `{}` handler: {error}", K::NAME);
                Error::new(Code::Internal, text)
            })?;
            K::read(&self.0.handle(request, cx).await?)
        })
    }
}
