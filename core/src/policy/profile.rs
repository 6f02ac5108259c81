//! The built-in groups and profiles.
//!
//! Names whose tools are not in this build stay valid in lists. Source: the seed of 23 March 2026
//! (its group and profile tables), with `team` and `teams` both accepted.

/// The built-in groups and their members. A tool joins further groups by its own `group`.
pub const BUILTIN_GROUPS: &[(&str, &[&str])] = &[
    ("fs", &["read_file", "write_file", "list_files", "edit", "search", "glob"]),
    ("runtime", &["exec", "credentialed_exec", "process"]),
    ("web", &["web_search", "web_fetch"]),
    ("memory", &["memory_search", "memory_get"]),
    (
        "sessions",
        &["sessions_list", "sessions_history", "sessions_send", "spawn", "session_status"],
    ),
    ("knowledge", &["knowledge_graph_search", "skill_search"]),
    ("ui", &["browser", "canvas"]),
    ("automation", &["cron", "datetime"]),
    ("messaging", &["message", "create_forum_topic", "list_group_members"]),
    ("delegation", &["delegate", "handoff", "delegate_search", "evaluate_loop"]),
    ("team", &["team_tasks", "team_message"]),
    ("teams", &["team_tasks", "team_message"]),
    ("media_gen", &["create_image", "create_audio", "create_video", "tts"]),
    ("media_read", &["read_image", "read_audio", "read_document", "read_video"]),
    ("skills", &["use_skill", "publish_skill"]),
    ("mcp", &[]),
];

/// The profiles other than `full`, each as the entries that it allows.
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
