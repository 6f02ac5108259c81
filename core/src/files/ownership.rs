//! Who owns the virtual files of a call, the agent or its users: what the agent's row in the store says.

use serde_json::Value;

use crate::error::{Code, Error};
use crate::store::Store;

/// Whose the context files of an agent are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum AgentType {
    /// Each user's.
    Open,
    /// The agent's, except for what it knows of each user.
    Predefined,
    /// Nobody said.
    Unknown,
}

/// What the owner says of an agent's virtual files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Ownership {
    pub agent_type: AgentType,
    /// The agent may change its own nature (`settings.self_evolve`).
    pub self_evolve: bool,
    /// All users share the context files (`settings.shared_context`).
    pub shared_context: bool,
    /// All users share the memory (`settings.shared_memory`).
    pub shared_memory: bool,
}

impl Ownership {
    /// What holds for an agent. The type that the host has given counts before `settings.type` of
    /// the agent's row.
    ///
    /// # Errors
    /// The store's, and `invalid_config` for a setting that makes no sense.
    pub(super) async fn of(
        store: &dyn Store,
        (tenant, agent): (&str, &str),
        given: Option<&str>,
    ) -> Result<Ownership, Error> {
        let row = store.get_agent(tenant, agent).await?;
        let settings = row.map_or(Value::Null, |agent| agent.settings);
        Ownership::read(given, &settings).map_err(|why| {
            let text = format!("agent `{agent}` of the store: {why}");
            Error::new(Code::InvalidConfig, text)
        })
    }

    fn read(given: Option<&str>, settings: &Value) -> Result<Ownership, String> {
        let agent_type = match given.map_or(&settings["type"], |_| &Value::Null) {
            Value::Null => given,
            Value::String(name) => Some(name.as_str()),
            other => return Err(format!("`settings.type` is {other}; give a text")),
        };
        let agent_type = match agent_type {
            None => AgentType::Unknown,
            Some("open") => AgentType::Open,
            Some("predefined") => AgentType::Predefined,
            Some(other) => {
                return Err(format!("`settings.type` is `{other}`; give `open` or `predefined`"));
            }
        };
        let flag = |name: &str| match &settings[name] {
            Value::Null => Ok(false),
            Value::Bool(set) => Ok(*set),
            other => Err(format!("`settings.{name}` is {other}; give true or false")),
        };
        Ok(Ownership {
            agent_type,
            self_evolve: flag("self_evolve")?,
            shared_context: flag("shared_context")?,
            shared_memory: flag("shared_memory")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_callers_word_counts_before_the_row() {
        let of = |given: Option<&str>, settings: Value| Ownership::read(given, &settings).unwrap();
        let row = json!({ "type": "open", "self_evolve": true });
        assert_eq!(of(None, row.clone()).agent_type, AgentType::Open);
        assert!(of(Some("predefined"), row.clone()).self_evolve);
        assert_eq!(of(Some("predefined"), row).agent_type, AgentType::Predefined);
        assert_eq!(of(None, Value::Null).agent_type, AgentType::Unknown);
        assert!(of(None, json!({ "shared_memory": true })).shared_memory);
    }

    #[test]
    fn a_setting_that_makes_no_sense_is_named() {
        for (settings, named) in [
            (json!({ "type": "opne" }), "`opne`"),
            (json!({ "type": 3 }), "`settings.type`"),
            (json!({ "self_evolve": "yes" }), "`settings.self_evolve`"),
            (json!({ "shared_context": 1 }), "`settings.shared_context`"),
        ] {
            let why = Ownership::read(None, &settings).unwrap_err();
            assert!(why.contains(named), "{why}");
        }
    }
}
