//! `datetime`

use jiff::Timestamp;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::builtin::Deps;
use crate::error::Code;
use crate::fork;
use crate::kind::Capability;
use crate::tool::{Tool, ToolError, ToolResult, tool_fn};

/// Tells the current date and time, with the weekday, in a time zone.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Args {
    /// An IANA time zone such as "Europe/Berlin". Default: "UTC".
    #[serde(default = "utc")]
    timezone: String,
}

fn utc() -> String {
    "UTC".into()
}

pub(in crate::builtin) fn tool(deps: &Deps) -> impl Tool {
    let clock = deps.clock.clone();
    tool_fn("datetime", move |args: Args, _cx| {
        let answer = render(clock.now_ms(), &args.timezone);
        async move { answer }
    })
    .group("automation")
    .capability(Capability::ReadOnly)
    .polling()
}

fn render(now_ms: i64, timezone: &str) -> Result<ToolResult, ToolError> {
    // Zones that were read once are kept for the whole process.
    let zone = fork::hold(|| TimeZone::get(timezone)).map_err(|_| {
        let text = format!(
            "There is no time zone `{timezone}`. Give an IANA name such as \"Europe/Berlin\" or \
             \"UTC\"."
        );
        ToolError::new(Code::InvalidArguments, text)
    })?;
    let now = Timestamp::from_millisecond(now_ms)
        .map_err(|error| ToolError::failed(format!("The clock is off: {error}.")))?
        .to_zoned(zone);
    let iso = now.strftime("%Y-%m-%dT%H:%M:%S%:z").to_string();
    let weekday = now.strftime("%A").to_string();
    Ok(ToolResult {
        for_llm: format!("{iso} ({weekday}, {timezone})"),
        structured: Some(json!({
            "iso": iso, "weekday": weekday, "timezone": timezone, "unix_ms": now_ms,
        })),
        silent: true,
        ..ToolResult::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_given_in_the_zone_asked_for() {
        let answer = render(1_792_000_000_000, "Asia/Tokyo").unwrap();
        assert_eq!(answer.for_llm, "2026-10-15T02:46:40+09:00 (Thursday, Asia/Tokyo)");
        let error = render(0, "Mars/Olympus").unwrap_err();
        assert_eq!(error.code, Code::InvalidArguments);
    }
}
