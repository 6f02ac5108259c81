//! The principal of file work: one agent in one conversation, for one user.

use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::id::MAX_KEY_BYTES;
use crate::tool::Caller;

/// An agent in a conversation. The conversation is the session; where a call has none, the run.
/// Calls of one user that name neither share what calls without a conversation know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Principal {
    pub tenant: String,
    pub agent: Option<String>,
    pub conversation: Option<String>,
    /// The user that the agent works for. Several users may take part in one conversation.
    pub user: Option<String>,
}

impl Principal {
    pub(crate) fn of(caller: &Caller) -> Principal {
        let conversation = caller.session.clone().or_else(|| caller.run.clone());
        let (agent, user) = (caller.agent.clone(), caller.user.clone());
        Principal { tenant: caller.tenant.clone(), agent, conversation, user }
    }

    /// The name by which path locks know it: the agent and the conversation as a JSON array, where
    /// there is no conversation with the user behind them; or the SHA-256 of that where it is too
    /// long for a key.
    pub(crate) fn holder(&self) -> String {
        let name = match (&self.conversation, &self.user) {
            (None, Some(user)) => json!([self.agent, null, user]).to_string(),
            _ => json!([self.agent, self.conversation]).to_string(),
        };
        if name.len() <= MAX_KEY_BYTES {
            return name;
        }
        format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(name)))
    }

    /// What a model may know of a holder: the agent, and never its conversation.
    pub(crate) fn shown(&self, holder: &str) -> String {
        let parsed: Option<Vec<Option<String>>> = serde_json::from_str(holder).ok();
        let parsed = parsed.filter(|parts| parts.len() == 2 || parts.len() == 3);
        match parsed.map(|parts| (parts[0].clone(), parts.get(2).cloned().flatten())) {
            Some((agent, Some(user)))
                if agent == self.agent && Some(&user) != self.user.as_ref() =>
            {
                "this agent, working for another user".to_owned()
            }
            Some((agent, _)) if agent == self.agent => "you in another session".to_owned(),
            Some((Some(agent), _)) => format!("agent `{agent}`"),
            Some((None, _)) => "a caller without a name".to_owned(),
            None => format!("`{holder}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn principal(agent: Option<&str>, conversation: Option<&str>) -> Principal {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        let (agent, conversation) = (owned(agent), owned(conversation));
        Principal { tenant: "t".into(), agent, conversation, user: None }
    }

    #[test]
    fn no_two_agents_and_conversations_have_the_same_holder() {
        let long = "x".repeat(MAX_KEY_BYTES);
        let all = [
            principal(None, None),
            principal(Some("a"), None),
            principal(None, Some("a")),
            principal(Some("a"), Some("b")),
            principal(Some("a\",\"b"), None),
            principal(Some(&long), Some(&long)),
            principal(Some(&long), Some("b")),
            Principal { user: Some("a".into()), ..principal(None, None) },
            Principal { user: Some("a".into()), ..principal(Some("a"), None) },
        ];
        let mut holders: Vec<String> = all.iter().map(Principal::holder).collect();
        assert!(holders.iter().all(|holder| holder.len() <= MAX_KEY_BYTES));
        holders.sort();
        holders.dedup();
        assert_eq!(holders.len(), all.len());
    }

    #[test]
    fn a_holder_is_shown_without_its_conversation() {
        let other = principal(Some("b"), Some("secret-chat")).holder();
        assert_eq!(principal(Some("a"), None).shown(&other), "agent `b`");
        assert_eq!(principal(Some("b"), None).shown(&other), "you in another session");
        assert_eq!(principal(Some("a"), None).shown("the host"), "`the host`");
        let user = |user: &str| Principal { user: Some(user.into()), ..principal(Some("a"), None) };
        assert_eq!(user("u").shown(&user("v").holder()), "this agent, working for another user");
        assert_eq!(principal(Some("b"), None).shown(&user("v").holder()), "agent `a`");
    }
}
