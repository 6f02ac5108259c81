//! Tools made of an argument struct and a closure.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Assessment, CallContext, Tool, ToolError, ToolResult, ToolSpec};
use crate::error::Code;
use crate::kind::Capability;

type Handler<A> =
    Arc<dyn Fn(A, CallContext) -> BoxFuture<'static, Result<ToolResult, ToolError>> + Send + Sync>;
type Assessor<A> = Arc<dyn Fn(&A, &CallContext) -> Assessment + Send + Sync>;

/// A tool made by [`tool_fn`].
pub struct FnTool<A> {
    spec: ToolSpec,
    handler: Handler<A>,
    assessor: Option<Assessor<A>>,
}

/// A tool from an argument struct and an async closure. The struct's doc comment is the
/// description; its fields are the parameters. See the [module](super) for an example.
pub fn tool_fn<A, F, Fut>(name: impl Into<String>, handler: F) -> FnTool<A>
where
    A: DeserializeOwned + JsonSchema + 'static,
    F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = Result<ToolResult, ToolError>> + Send + 'static,
{
    FnTool {
        spec: ToolSpec::of::<A>(name),
        handler: Arc::new(move |args, cx| handler(args, cx).boxed()),
        assessor: None,
    }
}

impl<A> FnTool<A> {
    /// Sets the group.
    #[must_use]
    pub fn group(mut self, group: impl Into<String>) -> FnTool<A> {
        self.spec = self.spec.group(group);
        self
    }

    /// Adds a capability.
    #[must_use]
    pub fn capability(mut self, capability: Capability) -> FnTool<A> {
        self.spec = self.spec.capability(capability);
        self
    }

    /// Lets the argument `name` come under these other names, too.
    #[must_use]
    pub fn argument_aliases(mut self, name: &str, aliases: &[&str]) -> FnTool<A> {
        self.spec = self.spec.argument_aliases(name, aliases);
        self
    }

    /// Declares what a call touches, or why it must not run.
    #[must_use]
    pub fn assess(
        mut self,
        assessor: impl Fn(&A, &CallContext) -> Assessment + Send + Sync + 'static,
    ) -> FnTool<A> {
        self.assessor = Some(Arc::new(assessor));
        self
    }
}

impl<A: DeserializeOwned + 'static> Tool for FnTool<A> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn assess(&self, args: &Value, cx: &CallContext) -> Assessment {
        match (&self.assessor, A::deserialize(args)) {
            (Some(assess), Ok(args)) => assess(&args, cx),
            _ => Assessment::default(),
        }
    }

    fn call(&self, args: Value, cx: CallContext) -> BoxFuture<'_, Result<ToolResult, ToolError>> {
        match serde_path_to_error::deserialize(args) {
            Ok(args) => (self.handler)(args, cx),
            Err(error) => {
                let message = format!(
                    "Argument `{}` of `{}` does not fit: {}.",
                    error.path(),
                    self.spec.name,
                    error.inner()
                );
                let refusal = ToolError::new(Code::InvalidArguments, message);
                std::future::ready(Err(refusal)).boxed()
            }
        }
    }
}
