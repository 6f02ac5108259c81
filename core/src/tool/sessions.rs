//! Whose a result, a process and a temporary folder are within a session.

use data_encoding::HEXLOWER;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::Caller;

/// The `sessions` part of the configuration.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Sessions {
    /// True: the users of one session read each other's artifacts, see and control each other's
    /// background processes, and share a temporary folder (`/tmp`, in a container too). Default:
    /// each user has his own.
    pub shared_by_users: bool,
}

/// What the keys of users within sessions start with.
const OF_USER: &str = "user:";

impl Sessions {
    /// The key under which the artifacts, the processes and the temporary folder of a caller are
    /// known: its session, and the user in it where users do not share. A call without a user of its
    /// own works for that of the agent above it.
    pub(crate) fn key(self, caller: &Caller) -> Option<String> {
        let mut callers = std::iter::successors(Some(caller), |caller| caller.parent.as_deref());
        let user = callers.find_map(|caller| caller.user.as_deref());
        self.key_of(caller.session.as_deref(), user)
    }

    /// The same for a session and a user by their names.
    pub(crate) fn key_of(self, session: Option<&str>, user: Option<&str>) -> Option<String> {
        let user = user.filter(|_| !self.shared_by_users);
        // A session that is named like such a key must not be taken for one.
        let is_plain = user.is_none() && !session.is_some_and(|name| name.starts_with(OF_USER));
        if is_plain {
            return session.map(str::to_owned);
        }
        let digest = Sha256::digest(json!([session, user]).to_string());
        Some(format!("{OF_USER}{}", HEXLOWER.encode(&digest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_of_a_session_has_a_key_unless_they_share() {
        let apart = Sessions::default();
        let key = |session, user| apart.key_of(session, user);
        assert_eq!(key(Some("s"), None), Some("s".into()));
        assert_eq!(key(None, None), None);
        let keys = [
            key(Some("s"), Some("a")),
            key(Some("s"), Some("b")),
            key(Some("t"), Some("a")),
            key(None, Some("a")),
        ];
        for (at, one) in keys.iter().enumerate() {
            assert!(one.is_some() && !keys[..at].contains(one));
            // Nobody gets there by the name of a session.
            assert_ne!(key(one.as_deref(), None), *one);
        }
        let shared = Sessions { shared_by_users: true };
        assert_eq!(shared.key_of(Some("s"), Some("a")), Some("s".into()));
    }

    #[test]
    fn an_agent_below_works_for_the_user_of_the_one_above() {
        let above =
            Caller { user: Some("a".into()), session: Some("s".into()), ..Caller::default() };
        let below = Caller { user: None, parent: Some(Box::new(above.clone())), ..above.clone() };
        assert_eq!(Sessions::default().key(&below), Sessions::default().key(&above));
    }
}
