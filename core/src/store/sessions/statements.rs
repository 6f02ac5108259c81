//! The statements of sessions and their messages.

macro_rules! listed {
    () => {
        "tenant, id, agent, user_key, channel, chat, label, provider, model, messages, \
         input_tokens, output_tokens, compactions, created_at_ms, version, updated_at_ms"
    };
}

macro_rules! insert {
    () => {
        "INSERT INTO toolkeep_sessions (tenant, id, agent, user_key, channel, chat, label, \
         provider, model, summary, settings, messages, input_tokens, output_tokens, compactions, \
         created_at_ms, version, updated_at_ms) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, 0, 0, 0, 0, ?12, 1, ?12) \
         ON CONFLICT (tenant, id) "
    };
}

macro_rules! page {
    ($more:literal) => {
        concat!(
            "SELECT ",
            listed!(),
            " FROM toolkeep_sessions WHERE tenant = ?1 AND (updated_at_ms, id) < (?2, ?3) \
             AND updated_at_ms >= ?4 \
             AND (CAST(?5 AS TEXT) IS NULL OR user_key = CAST(?5 AS TEXT)) \
             AND (CAST(?6 AS TEXT) IS NULL OR label = CAST(?6 AS TEXT)) ",
            $more,
            "ORDER BY updated_at_ms DESC, id DESC LIMIT ?7"
        )
    };
}

pub(super) const COLUMNS: &[&str] = &[
    "tenant",
    "id",
    "agent",
    "user_key",
    "channel",
    "chat",
    "label",
    "provider",
    "model",
    "messages",
    "input_tokens",
    "output_tokens",
    "compactions",
    "created_at_ms",
    "version",
    "updated_at_ms",
    "summary",
    "settings",
];

pub(super) const PUT: &str = concat!(
    insert!(),
    "DO UPDATE SET agent = excluded.agent, user_key = excluded.user_key, \
     channel = excluded.channel, chat = excluded.chat, label = excluded.label, \
     provider = excluded.provider, model = excluded.model, summary = excluded.summary, \
     settings = excluded.settings, version = toolkeep_sessions.version + 1, \
     updated_at_ms = excluded.updated_at_ms RETURNING ",
    listed!(),
    ", summary, settings"
);

pub(super) const CREATE: &str =
    concat!(insert!(), "DO NOTHING RETURNING ", listed!(), ", summary, settings");

pub(super) const CHANGE: &str = concat!(
    "UPDATE toolkeep_sessions SET agent = ?3, user_key = ?4, channel = ?5, chat = ?6, label = ?7, \
     provider = ?8, model = ?9, summary = ?10, settings = ?11, version = version + 1, \
     updated_at_ms = ?12 WHERE tenant = ?1 AND id = ?2 AND version = ?13 RETURNING ",
    listed!(),
    ", summary, settings"
);

pub(super) const GET: &str = concat!(
    "SELECT ",
    listed!(),
    ", summary, settings FROM toolkeep_sessions WHERE tenant = ?1 AND id = ?2"
);

pub(super) const LIST: &str = page!("");

pub(super) const LIST_OF_AGENT: &str = page!("AND agent = ?8 ");

pub(super) const DELETE: &str = "DELETE FROM toolkeep_sessions WHERE tenant = ?1 AND id = ?2 \
     AND (CAST(?3 AS BIGINT) IS NULL OR version = CAST(?3 AS BIGINT))";

pub(super) const DELETE_MESSAGES: &str =
    "DELETE FROM toolkeep_session_messages WHERE tenant = ?1 AND session = ?2";

pub(super) const COUNT: &str = concat!(
    "UPDATE toolkeep_sessions SET messages = messages + ?3, input_tokens = input_tokens + ?4, \
     output_tokens = output_tokens + ?5, compactions = compactions + ?6, \
     updated_at_ms = CASE WHEN updated_at_ms > ?7 THEN updated_at_ms ELSE ?7 END \
     WHERE tenant = ?1 AND id = ?2 RETURNING ",
    listed!()
);

// Without a session there is nothing to select: a driver may run it before it looks at what the
// statement before it changed.
pub(super) const APPEND: &str = "INSERT INTO toolkeep_session_messages \
     (tenant, session, seq, at_ms, role, content) \
     SELECT tenant, id, messages - CAST(?3 AS BIGINT), CAST(?4 AS BIGINT), CAST(?5 AS TEXT), ?6 \
     FROM toolkeep_sessions WHERE tenant = ?1 AND id = ?2";

pub(super) const MESSAGE: &[&str] = &["seq", "at_ms", "role", "content"];

pub(super) const READ: &str = "SELECT seq, at_ms, role, content FROM toolkeep_session_messages \
     WHERE tenant = ?1 AND session = ?2 AND seq > ?3 ORDER BY seq LIMIT ?4";

pub(super) const READ_LATEST: &str = "SELECT seq, at_ms, role, content FROM toolkeep_session_messages \
     WHERE tenant = ?1 AND session = ?2 AND seq < ?3 ORDER BY seq DESC LIMIT ?4";
