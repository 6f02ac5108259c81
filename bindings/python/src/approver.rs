//! The host's `approve` handler, written in Python.

use futures_util::future::BoxFuture;
use pyo3::prelude::*;
use toolkeep::{ApprovalAnswer, ApprovalRequest, Approver, CallContext, Code, Error};

use crate::host_tool::ask;

/// A handler that Python does: `start(invocation)` as for a tool, whose arguments are the request.
pub struct HostApprover(pub Py<PyAny>);

impl Approver for HostApprover {
    fn approve(
        &self,
        request: ApprovalRequest,
        cx: CallContext,
    ) -> BoxFuture<'_, Result<Option<ApprovalAnswer>, Error>> {
        Box::pin(async move {
            let request = serde_json::to_value(request)
                .map_err(|error| Error::new(Code::Internal, error.to_string()))?;
            let answer = ask(&self.0, request, cx).await;
            let answer = answer.map_err(|error| Error::new(Code::Internal, error.message))?;
            ApprovalAnswer::from_value(&answer)
        })
    }
}
