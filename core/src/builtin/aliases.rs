//! The names that models know tools by from elsewhere: older names of the seeds, and those of
//! Claude Code and linggen. They are understood, but not shown. One whose tool is not there takes
//! no name away.

use crate::tool::Alias;

/// An alias, the tool it stands for, its own names of arguments with the tool's, and its defaults.
struct Row(
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [(&'static str, u64)],
);

const PATH: &[(&str, &str)] = &[("file", "path"), ("filepath", "path"), ("file_path", "path")];
/// The first line is 1 here. What goes on behind a page then counts like that, too.
const READ: &[(&str, &str)] =
    &[("file", "path"), ("filepath", "path"), ("file_path", "path"), ("offset", "start_line")];
const COMMAND: &[(&str, &str)] = &[("cmd", "command"), ("timeout", "timeout_ms")];
const GREP: &[(&str, &str)] = &[
    ("pattern", "query"),
    ("glob", "globs"),
    ("-i", "ignore_case"),
    ("-A", "after"),
    ("-B", "before"),
    ("-C", "context"),
    ("-n", "line_numbers"),
    ("head_limit", "max_results"),
];
/// What names of `Grep` say of its output, the first that a call uses: Claude Code's `pattern` wants
/// the files, and what is about lines wants lines. linggen's `query` wants lines anyway.
const GREP_OUTPUT: &[(&str, &str)] = &[
    ("-A", "content"),
    ("-B", "content"),
    ("-C", "content"),
    ("-n", "content"),
    ("pattern", "files_with_matches"),
];
const AGENT: &[(&str, &str)] =
    &[("target_agent_id", "agent"), ("subagent_type", "agent"), ("prompt", "task")];

const TABLE: &[Row] = &[
    // Older names of the seeds.
    Row("bash", "exec", &[], &[]),
    Row("apply-patch", "apply_patch", &[], &[]),
    Row("edit_file", "edit", PATH, &[]),
    Row("sessions_spawn", "spawn", &[], &[]),
    Row("mcp_tool_search", "tool_search", &[], &[]),
    // Claude Code and linggen.
    Row("Read", "read_file", READ, &[("start_line", 1)]),
    Row("Write", "write_file", PATH, &[]),
    Row("Edit", "edit", PATH, &[]),
    Row("MultiEdit", "edit", PATH, &[]),
    Row("ApplyPatch", "apply_patch", &[], &[]),
    Row("LS", "list_files", &[("ignore", "exclude")], &[]),
    Row("Glob", "glob", &[("pattern", "globs"), ("glob", "globs")], &[("max_results", 200)]),
    Row("Grep", "search", GREP, &[("max_results", 200)]),
    Row("Bash", "exec", COMMAND, &[("timeout_ms", 30_000)]),
    Row("WebFetch", "web_fetch", &[], &[("max_bytes", 102_400)]),
    Row("WebSearch", "web_search", &[("q", "query")], &[("max_results", 5)]),
    Row("Agent", "spawn", &[("prompt", "task")], &[]),
    Row("Skill", "use_skill", &[("skill", "name")], &[]),
    Row("ToolSearch", "tool_search", &[], &[]),
    Row("Task", "delegate", AGENT, &[]),
    Row("delegate_to_agent", "delegate", AGENT, &[]),
];

/// Every built-in alias with its name.
pub(crate) fn aliases() -> impl Iterator<Item = (String, Alias)> {
    TABLE.iter().map(|Row(name, tool, arguments, defaults)| {
        let mut alias = Alias::of(*tool).unadvertised();
        for (own, argument) in *arguments {
            alias = alias.argument(*own, *argument);
        }
        for (argument, value) in *defaults {
            alias = alias.default(*argument, *value);
        }
        if *name == "Grep" {
            for (own, mode) in GREP_OUTPUT {
                alias = alias.implying(*own, ("output_mode", *mode));
            }
        }
        ((*name).to_owned(), alias)
    })
}
