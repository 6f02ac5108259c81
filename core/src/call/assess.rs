//! Gate: what the call would touch, and the tool's own objection to it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::error::Code;
use crate::tool::{Assessment, CallContext, Entry, ToolError};

pub(super) fn pass(entry: &Entry, args: &Value, cx: &CallContext) -> Result<Assessment, ToolError> {
    let mut assessment = ask(entry, args, cx)?;
    match assessment.objection.take() {
        Some(objection) => Err(ToolError::new(Code::DeniedByTool, objection)),
        None => Ok(assessment),
    }
}

/// The tool's assessment; a panic in it is contained.
pub(super) fn ask(entry: &Entry, args: &Value, cx: &CallContext) -> Result<Assessment, ToolError> {
    catch_unwind(AssertUnwindSafe(|| entry.tool.assess(args, cx))).map_err(|_| {
        let text = format!("`{}` panicked while it assessed the call.", entry.spec.name);
        ToolError::new(Code::ToolPanicked, text)
    })
}
