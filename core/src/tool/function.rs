//! Tools made of an argument struct and a closure.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Assessment, CallContext, Stamp, Tool, ToolError, ToolResult, ToolSpec, Touch};
use crate::error::Code;
use crate::kind::{Action, Capability, Effect, ResourceKind, Taint};

type Handler<A> =
    Arc<dyn Fn(A, CallContext) -> BoxFuture<'static, Result<ToolResult, ToolError>> + Send + Sync>;
type Assessor = Arc<dyn Fn(&Value, &CallContext) -> Assessment + Send + Sync>;
type Stamper<A> = Arc<dyn Fn(A, CallContext) -> BoxFuture<'static, Stamp> + Send + Sync>;

/// A tool made by [`tool_fn`].
pub struct FnTool<A> {
    spec: ToolSpec,
    handler: Handler<A>,
    assessor: Option<Assessor>,
    stamper: Option<Stamper<A>>,
    keeps_placeholders: bool,
    confines: Option<Confines>,
    shell_text: Option<ShellText>,
}

type ShellText = fn(&Value) -> Option<String>;

type Confines = Arc<dyn Fn() -> bool + Send + Sync>;

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
        stamper: None,
        keeps_placeholders: false,
        confines: None,
        shell_text: None,
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

    /// Sets the deadline of a call, instead of the runtime's.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> FnTool<A> {
        self.spec = self.spec.timeout(timeout);
        self
    }

    /// Says that an argument, a text or a list of texts, names what a call touches.
    #[must_use]
    pub fn touches(
        mut self,
        argument: impl Into<String>,
        resource: ResourceKind,
        effect: Effect,
    ) -> FnTool<A> {
        self.spec.touches.push(Touch { argument: argument.into(), resource, effect });
        self
    }

    /// Limits the tool to channels of these types. Where the caller's is another, it is hidden.
    #[must_use]
    pub fn channels<T: Into<String>>(mut self, types: impl IntoIterator<Item = T>) -> FnTool<A> {
        self.spec.channels.extend(types.into_iter().map(Into::into));
        self
    }

    /// Says that the same call may well be repeated until its answer changes.
    #[must_use]
    pub fn polling(mut self) -> FnTool<A> {
        self.spec.polling = true;
        self
    }

    /// Says that each call wants somebody's approval.
    #[must_use]
    pub fn needs_approval(mut self) -> FnTool<A> {
        self.spec.needs_approval = true;
        self
    }

    /// Adds what its results do to a session.
    #[must_use]
    pub fn taints(mut self, taint: Taint) -> FnTool<A> {
        self.spec.taints.push(taint);
        self
    }

    /// Says which action it is, for agents whose actions are limited.
    #[must_use]
    pub fn action(mut self, action: Action) -> FnTool<A> {
        self.spec.action = Some(action);
        self
    }

    /// Sets the name that it has where it comes from, if that is another.
    #[must_use]
    pub fn original_name(mut self, name: impl Into<String>) -> FnTool<A> {
        self.spec.original_name = Some(name.into());
        self
    }

    /// Says that an argument is a command of a shell, a text or a list of its words. It is judged
    /// before the tool is called.
    #[must_use]
    pub fn shell_command(mut self, argument: impl Into<String>) -> FnTool<A> {
        self.spec.shell_command = Some(argument.into());
        self
    }

    /// Tells the command that this argument comes to, where it is none itself. See
    /// [`Tool::shell_text`].
    #[must_use]
    pub fn shell_text(mut self, text: fn(&Value) -> Option<String>) -> FnTool<A> {
        self.shell_text = Some(text);
        self
    }

    /// Says which argument names the folder in which that command starts.
    #[must_use]
    pub fn shell_cwd(mut self, argument: impl Into<String>) -> FnTool<A> {
        self.spec.shell_cwd = Some(argument.into());
        self
    }

    /// Says which argument is given to that command on standard input.
    #[must_use]
    pub fn shell_stdin(mut self, argument: impl Into<String>) -> FnTool<A> {
        self.spec.shell_stdin = Some(argument.into());
        self
    }

    /// Lets the argument `name` come under these other names, too.
    #[must_use]
    pub fn argument_aliases(mut self, name: &str, aliases: &[&str]) -> FnTool<A> {
        self.spec = self.spec.argument_aliases(name, aliases);
        self
    }

    /// Gives placeholders in the arguments to the tool as they are. See
    /// [`Tool::keeps_placeholders`].
    #[must_use]
    pub fn keeps_placeholders(mut self) -> FnTool<A> {
        self.keeps_placeholders = true;
        self
    }

    /// Says whether it holds its command to what was decided of it. See [`Tool::confines`].
    #[must_use]
    pub fn confines(mut self, confines: impl Fn() -> bool + Send + Sync + 'static) -> FnTool<A> {
        self.confines = Some(Arc::new(confines));
        self
    }

    /// Declares what a call touches, or why it must not run. `B` is the tool's argument struct, or one
    /// of those arguments alone that the declaration is made from: others are then not copied.
    #[must_use]
    pub fn assess<B: DeserializeOwned + 'static>(
        mut self,
        assessor: impl Fn(&B, &CallContext) -> Assessment + Send + Sync + 'static,
    ) -> FnTool<A> {
        self.assessor = Some(Arc::new(move |args, cx| match B::deserialize(args) {
            Ok(args) => assessor(&args, cx),
            Err(_) => Assessment::default(),
        }));
        self
    }
}

impl<A> FnTool<A> {
    /// Tells what a call would read from what it was earlier. See [`Tool::stamp`].
    #[must_use]
    pub fn stamp<F, Fut>(mut self, stamper: F) -> FnTool<A>
    where
        F: Fn(A, CallContext) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Stamp> + Send + 'static,
    {
        self.stamper = Some(Arc::new(move |args, cx| stamper(args, cx).boxed()));
        self
    }
}

impl<A: DeserializeOwned + 'static> Tool for FnTool<A> {
    fn spec(&self) -> ToolSpec {
        self.spec.clone()
    }

    fn assess(&self, args: &Value, cx: &CallContext) -> Assessment {
        self.assessor.as_ref().map_or_else(Assessment::default, |assess| assess(args, cx))
    }

    fn stamp<'c>(&'c self, args: &'c Value, cx: &'c CallContext) -> BoxFuture<'c, Stamp> {
        match self.stamper.as_ref().map(|stamp| (stamp, A::deserialize(args))) {
            Some((stamp, Ok(args))) => stamp(args, cx.clone()),
            _ => std::future::ready(Stamp::Declared).boxed(),
        }
    }

    fn keeps_placeholders(&self) -> bool {
        self.keeps_placeholders
    }

    fn shell_text(&self, args: &Value) -> Option<String> {
        self.shell_text.and_then(|text| text(args))
    }

    fn confines(&self) -> bool {
        self.confines.as_ref().is_some_and(|confines| confines())
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

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use serde_json::json;

    use super::*;

    /// Copies a file.
    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Copy {
        from: String,
        to: String,
    }

    /// An argument of it.
    #[derive(Deserialize)]
    struct To {
        to: String,
    }

    #[test]
    fn a_declaration_may_be_made_from_some_of_the_arguments() {
        let tool = tool_fn("copy", |_: Copy, _| async { Ok(ToolResult::default()) })
            .assess(|To { to }: &To, _| Assessment::default().asks(to.as_str()));
        let assess = |args: Value| Tool::assess(&tool, &args, &CallContext::new()).ask;
        assert_eq!(assess(json!({ "from": "a", "to": "b" })).as_deref(), Some("b"));
        assert_eq!(assess(json!({ "from": "a" })), None);
    }

    #[test]
    fn the_builder_says_what_a_description_in_json_says() {
        let tool = tool_fn("copy", |_: Copy, _| async { Ok(ToolResult::default()) })
            .group("files")
            .capability(Capability::Mutating)
            .timeout(Duration::from_secs(2))
            .touches("from", ResourceKind::Path, Effect::Read)
            .touches("to", ResourceKind::Path, Effect::Write)
            .channels(["cli"])
            .argument_aliases("from", &["source", "src"])
            .polling()
            .needs_approval()
            .taints(Taint::Private)
            .action(Action::Patch)
            .original_name("copy-file")
            .shell_command("from")
            .shell_cwd("to")
            .shell_stdin("from");
        let written = ToolSpec::from_value(&json!({
            "name": "copy",
            "description": "Copies a file.",
            "parameters": tool.spec().parameters,
            "group": "files",
            "capabilities": ["mutating"],
            "timeout_ms": 2_000,
            "touches": [
                { "argument": "from", "resource": "path", "effect": "read" },
                { "argument": "to", "resource": "path", "effect": "write" },
            ],
            "channels": ["cli"],
            "argument_aliases": { "from": ["source", "src"] },
            "polling": true,
            "needs_approval": true,
            "taints": ["private"],
            "action": "patch",
            "original_name": "copy-file",
            "shell_command": "from",
            "shell_cwd": "to",
            "shell_stdin": "from",
        }));
        assert_eq!(tool.spec(), written.unwrap());
    }
}
