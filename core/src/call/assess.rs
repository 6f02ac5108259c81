//! Gate: what the call would touch, and the tool's own objection to it.

use std::panic::{AssertUnwindSafe, catch_unwind};

use serde_json::Value;

use crate::error::Code;
use crate::kind::{Resource, ResourceKind};
use crate::tool::{Assessment, CallContext, Entry, ToolError, Touch};

/// What the call touches, as its tool and its description declare it, unless the tool objects.
pub(super) fn pass(entry: &Entry, args: &Value, cx: &CallContext) -> Result<Assessment, ToolError> {
    let mut assessment = ask(entry, args, cx)?;
    match assessment.objection.take() {
        Some(objection) => Err(ToolError::new(Code::DeniedByTool, objection)),
        None => Ok(assessment),
    }
}

/// The tool's assessment, with what its description says of the arguments; a panic in it is
/// contained.
pub(super) fn ask(entry: &Entry, args: &Value, cx: &CallContext) -> Result<Assessment, ToolError> {
    let asked = catch_unwind(AssertUnwindSafe(|| entry.tool.assess(args, cx)));
    let mut assessment = asked.map_err(|_| {
        let text = format!("`{}` panicked while it assessed the call.", entry.spec.name);
        ToolError::new(Code::ToolPanicked, text)
    })?;
    for touch in &entry.spec.touches {
        for resource in named(touch, args, cx) {
            let used = (touch.effect, resource);
            if !assessment.touches.contains(&used) {
                assessment.touches.push(used);
            }
        }
    }
    Ok(assessment)
}

/// What the argument of a call names. Where it names nothing that can be understood, it may be
/// all of the workspace; a host or a session that is not named is the caller's own business.
fn named(touch: &Touch, args: &Value, cx: &CallContext) -> Vec<Resource> {
    let given = args.get(&touch.argument);
    let texts: Vec<&str> = match given {
        Some(Value::String(text)) => vec![text],
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    match touch.resource {
        ResourceKind::Path if texts.is_empty() => vec![Resource::Path(".".into())],
        ResourceKind::Path => {
            texts.into_iter().map(|text| Resource::Path(normalised(text))).collect()
        }
        ResourceKind::Host => texts.into_iter().filter_map(host).map(Resource::Host).collect(),
        ResourceKind::Session if given.is_none() => {
            cx.caller().session.iter().cloned().map(Resource::Session).collect()
        }
        ResourceKind::Session => {
            texts.into_iter().map(|text| Resource::Session(text.to_owned())).collect()
        }
    }
}

/// A relative path without `.` and `..`; one that leads elsewhere may be anything.
fn normalised(path: &str) -> String {
    let anything = || ".".to_owned();
    let path = path.replace('\\', "/");
    if path.starts_with(['/', '~']) || path.as_bytes().get(1) == Some(&b':') {
        return anything();
    }
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                if parts.pop().is_none() {
                    return anything();
                }
            }
            part => parts.push(part),
        }
    }
    if parts.is_empty() { anything() } else { parts.join("/") }
}

/// The host of a URL, or the text itself where it is no URL.
fn host(text: &str) -> Option<String> {
    let rest = text.split_once("://").map_or(text, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let host = match host.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((inside, _)) => inside,
        None => host.split_once(':').map_or(host, |(host, _)| host),
    };
    let host = host.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::kind::Effect;

    #[test]
    fn paths_are_compared_as_what_they_lead_to() {
        let cases = [
            ("a", "a"),
            ("./a//b/", "a/b"),
            ("a/../b", "b"),
            ("a\\b", "a/b"),
            ("", "."),
            (".", "."),
            ("a/..", "."),
            ("../a", "."),
            ("/etc/passwd", "."),
            ("~/x", "."),
            ("C:/x", "."),
        ];
        for (path, expected) in cases {
            assert_eq!(normalised(path), expected, "{path}");
        }
    }

    #[test]
    fn the_host_of_a_url_counts_whatever_else_it_says() {
        let same = ["https://Example.com/a?b", "http://u:p@example.com:8080", "example.com."];
        for url in same {
            assert_eq!(host(url).as_deref(), Some("example.com"), "{url}");
        }
        assert_eq!(host("http://[::1]:80/x").as_deref(), Some("::1"));
        assert_eq!(host("http:///x"), None);
    }

    #[test]
    fn an_argument_names_what_it_holds_and_all_of_the_workspace_where_it_is_left_out() {
        let names = |resource, args: Value| {
            let touch = Touch { argument: "a".into(), resource, effect: Effect::Write };
            named(&touch, &args, &CallContext::new().session("own"))
        };
        let path = |path: &str| Resource::Path(path.into());
        assert_eq!(names(ResourceKind::Path, json!({ "a": "./x" })), [path("x")]);
        assert_eq!(names(ResourceKind::Path, json!({ "a": ["x", "y/"] })), [path("x"), path("y")]);
        assert_eq!(names(ResourceKind::Path, json!({})), [path(".")]);
        assert_eq!(names(ResourceKind::Path, json!({ "a": 5 })), [path(".")]);
        let session = |id: &str| Resource::Session(id.into());
        assert_eq!(names(ResourceKind::Session, json!({})), [session("own")]);
        assert_eq!(names(ResourceKind::Session, json!({ "a": "x" })), [session("x")]);
        assert_eq!(names(ResourceKind::Host, json!({})), []);
    }
}
