//! Group `fs`: files in the workspace.

pub(super) mod edit;
pub(super) mod list_files;
mod masked;
mod placeholders;
pub(super) mod read_file;
pub(super) mod write_file;

use std::path::Path;

use super::Deps;
use crate::error::Code;
use crate::kind::Effect;
use crate::tool::{Assessment, CallContext, ToolError};
use crate::workspace::{RelativePath, Workspace};

/// The workspace of a call: the caller's own, or the runtime's. The runtime's files are kept in
/// either.
fn workspace(deps: &Deps, cx: &CallContext) -> Result<Workspace, ToolError> {
    opened(deps, cx).map(|workspace| workspace.keeping(deps.kept.clone()))
}

fn opened(deps: &Deps, cx: &CallContext) -> Result<Workspace, ToolError> {
    if let Some(folder) = &cx.caller().workspace {
        return Workspace::open(Path::new(folder)).map_err(|_| {
            // The message of `open` names a path of the host, which the model must not see.
            ToolError::new(Code::Unavailable, "The workspace of this caller cannot be opened.")
        });
    }
    deps.workspace.clone().ok_or_else(|| {
        let text = "There is no workspace, so files cannot be used. The owner has to set \
                    `workspace` in the configuration.";
        ToolError::new(Code::Unavailable, text)
    })
}

/// Does file work on a thread that may block.
async fn blocking<T: Send + 'static, E: Into<ToolError>>(
    deps: &Deps,
    cx: &CallContext,
    path: String,
    work: impl FnOnce(&Workspace, &RelativePath) -> Result<T, E> + Send + 'static,
) -> Result<T, ToolError> {
    let (deps, cx) = (deps.clone(), cx.clone());
    let done = tokio::task::spawn_blocking(move || {
        let workspace = workspace(&deps, &cx)?;
        work(&workspace, &workspace.relative(&path)?).map_err(Into::into)
    });
    done.await.unwrap_or_else(|error| Err(ToolError::failed(format!("File work failed: {error}."))))
}

/// Declares that a call uses one path. A path that will be refused is declared as nothing.
fn uses(deps: &Deps, cx: &CallContext, effect: Effect, path: &str) -> Assessment {
    let own = cx.caller().workspace.is_none().then_some(deps.workspace.as_ref()).flatten();
    let declared = own.and_then(|own| Some(own.resource(&own.relative(path).ok()?)));
    let touches = declared.into_iter().map(|resource| (effect, resource)).collect();
    Assessment { touches, ..Assessment::default() }
}
