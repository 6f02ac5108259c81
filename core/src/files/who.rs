//! Who works with files: one agent in one conversation.

use data_encoding::HEXLOWER;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use crate::id::MAX_KEY_BYTES;
use crate::tool::Caller;

/// An agent in a conversation. The conversation is the session; where a call has none, the run.
/// Calls that name neither share what calls without a conversation know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Who {
    pub tenant: String,
    pub agent: Option<String>,
    pub conversation: Option<String>,
}

impl Who {
    pub(crate) fn of(caller: &Caller) -> Who {
        let conversation = caller.session.clone().or_else(|| caller.run.clone());
        Who { tenant: caller.tenant.clone(), agent: caller.agent.clone(), conversation }
    }

    /// The name by which path locks know it: the agent and the conversation as a JSON array, or the
    /// SHA-256 of that where it is too long for a key.
    pub(crate) fn holder(&self) -> String {
        let name = json!([self.agent, self.conversation]).to_string();
        if name.len() <= MAX_KEY_BYTES {
            return name;
        }
        format!("sha256:{}", HEXLOWER.encode(&Sha256::digest(name)))
    }

    /// What a model is told of a holder: the agent, and never its conversation.
    pub(crate) fn shown(&self, holder: &str) -> String {
        let parsed: Option<(Option<String>, Option<String>)> = serde_json::from_str(holder).ok();
        match parsed {
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

    fn who(agent: Option<&str>, conversation: Option<&str>) -> Who {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Who { tenant: "t".into(), agent: owned(agent), conversation: owned(conversation) }
    }

    #[test]
    fn no_two_agents_and_conversations_have_the_same_holder() {
        let long = "x".repeat(MAX_KEY_BYTES);
        let all = [
            who(None, None),
            who(Some("a"), None),
            who(None, Some("a")),
            who(Some("a"), Some("b")),
            who(Some("a\",\"b"), None),
            who(Some(&long), Some(&long)),
            who(Some(&long), Some("b")),
        ];
        let mut holders: Vec<String> = all.iter().map(Who::holder).collect();
        assert!(holders.iter().all(|holder| holder.len() <= MAX_KEY_BYTES));
        holders.sort();
        holders.dedup();
        assert_eq!(holders.len(), all.len());
    }

    #[test]
    fn a_holder_is_shown_without_its_conversation() {
        let other = who(Some("b"), Some("secret-chat")).holder();
        assert_eq!(who(Some("a"), None).shown(&other), "agent `b`");
        assert_eq!(who(Some("b"), None).shown(&other), "you in another session");
        assert_eq!(who(Some("a"), None).shown("the host"), "`the host`");
    }
}
