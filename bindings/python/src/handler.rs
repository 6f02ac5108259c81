//! Handlers that are written in Python.

use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use serde_json::Value;
use toolkeep::{CallContext, Code, Error, JsonHandler};

use crate::host_tool::ask;

/// A handler that Python does: `start(invocation)` as for a tool, whose arguments are the request.
pub struct HostHandler(pub Py<PyAny>);

impl JsonHandler for HostHandler {
    fn handle(&self, request: Value, cx: CallContext) -> BoxFuture<'_, Result<Value, Error>> {
        Box::pin(async move {
            let answer = ask(&self.0, request, cx).await;
            answer.map_err(|error| Error::new(Code::Internal, error.message))
        })
    }
}
