//! The built-in groups and profiles.
//!
//! Names whose tools are not in this build stay valid in lists. Source: the seed of 23 March 2026
//! (its group and profile tables). A group has what any seed puts in it, under every name that a
//! seed gives it.

/// The built-in groups and their members. A tool joins further groups by its own `group`. Besides
/// these there are [`MCP`] and the two of [`NATIVE`].
pub const BUILTIN_GROUPS: &[(&str, &[&str])] = &[
    ("fs", &["read_file", "write_file", "list_files", "edit", "edit_file", "search", "glob"]),
    ("runtime", &["exec", "credentialed_exec", "process", "wait"]),
    ("web", &["web_search", "web_fetch"]),
    ("memory", &["memory_search", "memory_get"]),
    (
        "sessions",
        &[
            "sessions_list",
            "sessions_history",
            "sessions_send",
            "sessions_spawn",
            "spawn",
            "subagents",
            "session_status",
        ],
    ),
    ("knowledge", &["knowledge_graph_search", "skill_search"]),
    ("ui", &["browser", "canvas"]),
    ("automation", &["cron", "datetime", "gateway"]),
    ("messaging", &["message", "create_forum_topic", "list_group_members"]),
    ("delegation", &["delegate", "handoff", "delegate_search", "evaluate_loop"]),
    ("team", &["team_tasks", "team_message"]),
    ("teams", &["team_tasks", "team_message"]),
    ("media_gen", &["create_image", "create_audio", "create_video", "tts"]),
    ("media_read", &["read_image", "read_audio", "read_document", "read_video"]),
    ("skills", &["use_skill", "publish_skill"]),
    ("vault", &["vault_search", "vault_read"]),
    ("nodes", &["nodes"]),
];

/// The group of every tool of an MCP server. The tools of one server are in `mcp:{server}`, which
/// they name themselves.
pub const MCP: &str = "mcp";

/// The names of the group of all built-in tools: those there are, and all members of
/// [`BUILTIN_GROUPS`].
pub const NATIVE: [&str; 2] = ["goclaw", "native"];

/// The profile of all tools.
pub const FULL: &str = "full";

/// The profiles other than [`FULL`], each as the entries that it allows.
pub const PROFILES: &[(&str, &[&str])] = &[
    ("minimal", &["session_status"]),
    (
        "coding",
        &[
            "group:fs",
            "group:runtime",
            "group:sessions",
            "group:memory",
            "group:web",
            "group:knowledge",
            "group:media_gen",
            "group:media_read",
            "group:skills",
        ],
    ),
    (
        "messaging",
        &["group:messaging", "group:web", "group:sessions", "group:media_read", "skill_search"],
    ),
];

/// The tools that no sub-agent has, as all the seeds list them.
pub(super) const SUBAGENT_DENY: &[&str] = &[
    "gateway",
    "agents_list",
    "whatsapp_login",
    "session_status",
    "cron",
    "memory_search",
    "memory_get",
    "sessions_send",
];

/// The tools that a sub-agent which starts no others has not, as all the seeds list them.
pub(super) const LEAF_DENY: &[&str] =
    &["sessions_list", "sessions_history", "sessions_spawn", "spawn", "subagent"];
