//! Who owns a context file: the table of who reads and who writes which.
//!
//! | | read | write |
//! |---|---|---|
//! | open agent, with a user | the user's, else the agent's | the user's |
//! | open agent, no user | the agent's | the agent's, with leave |
//! | open agent, `shared_context` | the agent's | the agent's |
//! | predefined, `USER.md` | the user's, else the agent's | the user's |
//! | predefined, `BOOTSTRAP.md` | the user's, else the agent's | the user's is deleted by an empty text; else refused |
//! | predefined, `HEARTBEAT.md` | the agent's | the agent's, with leave |
//! | predefined, `SOUL.md`, `CAPABILITIES.md` | refused; with `self_evolve` the agent's | refused; with `self_evolve` the agent's, with leave |
//! | predefined, any other | refused: it is in the prompt | refused |
//! | nobody says which type | the agent's | the agent's, with leave |
//!
//! *With leave*: what one user writes there appears in the prompts of all other users. So it takes a role
//! or a grant, or a run of the agent's own, which nobody sent (see [`permission`](super::permission)).

use super::ownership::{AgentType, Ownership};

/// What deletes itself once it has been followed.
pub(super) const BOOTSTRAP: &str = "BOOTSTRAP.md";
/// What an agent knows of its user.
pub(super) const USER: &str = "USER.md";
/// What an agent does by itself.
const HEARTBEAT: &str = "HEARTBEAT.md";
/// What an agent is, and may change if it evolves by itself.
const NATURE: [&str; 2] = ["SOUL.md", "CAPABILITIES.md"];

/// Where a context file is read from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReadFrom {
    OwnElseAgent,
    Agent,
    /// It is in the prompt already.
    Refused,
}

/// Where a context file is written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WriteTo {
    Own,
    /// The user's own can only be deleted.
    OwnDeletion,
    Agent,
    /// The agent's, for those who may write for all users.
    AgentWithLeave,
    Refused,
}

/// Where a context file is read from and written to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Route {
    pub read: ReadFrom,
    pub write: WriteTo,
}

/// The route of a context file.
pub(super) fn route(name: &str, ownership: &Ownership, has_user: bool) -> Route {
    use {ReadFrom as R, WriteTo as W};
    let to = |read, write| Route { read, write };
    let has_own = has_user && !ownership.shared_context;
    match ownership.agent_type {
        AgentType::Open if has_own => to(R::OwnElseAgent, W::Own),
        AgentType::Open if ownership.shared_context => to(R::Agent, W::Agent),
        AgentType::Open | AgentType::Unknown => to(R::Agent, W::AgentWithLeave),
        AgentType::Predefined => match name {
            USER if has_own => to(R::OwnElseAgent, W::Own),
            BOOTSTRAP if has_own => to(R::OwnElseAgent, W::OwnDeletion),
            BOOTSTRAP => to(R::Agent, W::Refused),
            USER | HEARTBEAT => to(R::Agent, W::AgentWithLeave),
            name if NATURE.contains(&name) && ownership.self_evolve => {
                to(R::Agent, W::AgentWithLeave)
            }
            _ => to(R::Refused, W::Refused),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 8] = [
        "SOUL.md",
        "IDENTITY.md",
        "AGENTS.md",
        "TOOLS.md",
        "HEARTBEAT.md",
        "USER.md",
        "BOOTSTRAP.md",
        "OTHER.md",
    ];

    fn ownership(agent_type: AgentType) -> Ownership {
        Ownership { agent_type, self_evolve: false, shared_context: false, shared_memory: false }
    }

    #[test]
    fn an_open_agents_files_are_each_users_own() {
        let open = ownership(AgentType::Open);
        for name in ALL {
            let own = Route { read: ReadFrom::OwnElseAgent, write: WriteTo::Own };
            assert_eq!(route(name, &open, true), own, "{name}");
            let agents = Route { read: ReadFrom::Agent, write: WriteTo::AgentWithLeave };
            assert_eq!(route(name, &open, false), agents, "{name}");
            let shared = Route { read: ReadFrom::Agent, write: WriteTo::Agent };
            let mode = Ownership { shared_context: true, ..open };
            assert_eq!(route(name, &mode, true), shared, "{name}");
        }
    }

    #[test]
    fn a_predefined_agents_files_are_the_agents_but_for_what_is_about_the_user() {
        use {ReadFrom as R, WriteTo as W};
        let of = |name, self_evolve, has_user| {
            let ownership = Ownership { self_evolve, ..ownership(AgentType::Predefined) };
            let Route { read, write } = route(name, &ownership, has_user);
            (read, write)
        };
        let rows = [
            ("USER.md", false, true, (R::OwnElseAgent, W::Own)),
            ("USER.md", false, false, (R::Agent, W::AgentWithLeave)),
            ("BOOTSTRAP.md", false, true, (R::OwnElseAgent, W::OwnDeletion)),
            ("BOOTSTRAP.md", false, false, (R::Agent, W::Refused)),
            ("HEARTBEAT.md", false, true, (R::Agent, W::AgentWithLeave)),
            ("SOUL.md", false, true, (R::Refused, W::Refused)),
            ("SOUL.md", true, true, (R::Agent, W::AgentWithLeave)),
            ("CAPABILITIES.md", true, true, (R::Agent, W::AgentWithLeave)),
            ("CAPABILITIES.md", false, true, (R::Refused, W::Refused)),
            ("IDENTITY.md", true, true, (R::Refused, W::Refused)),
            ("AGENTS.md", true, true, (R::Refused, W::Refused)),
            ("TOOLS.md", true, false, (R::Refused, W::Refused)),
            ("OTHER.md", true, true, (R::Refused, W::Refused)),
        ];
        for (name, self_evolve, has_user, expected) in rows {
            assert_eq!(of(name, self_evolve, has_user), expected, "{name} {self_evolve}");
        }
    }

    #[test]
    fn no_user_writes_for_all_users_without_leave_unless_the_owner_shares() {
        for agent_type in [AgentType::Open, AgentType::Predefined, AgentType::Unknown] {
            for name in ALL {
                for self_evolve in [false, true] {
                    for has_user in [false, true] {
                        let ownership = Ownership { self_evolve, ..ownership(agent_type) };
                        let write = route(name, &ownership, has_user).write;
                        assert_ne!(write, WriteTo::Agent, "{agent_type:?} {name}");
                    }
                }
            }
        }
    }
}
