//! Who may write context files that others read: in group chats, and for all users of an agent.
//!
//! In this order, and closed where nothing says otherwise:
//!
//! 1. the roles `admin`, `operator` and `owner` may;
//! 2. for all users: a run that no user and no sender stands behind is the agent's own, and may;
//! 3. without a person (`system:…`, no sender in a group) nobody may;
//! 4. the grants of the kinds `context_files` and `file_writer`, of the resource `agent` (for all
//!    users) or of the group, of all such groups (`group:*`) or of all (`*`): one that denies the
//!    person, then one that allows him, then one that denies everybody, then one that allows;
//! 5. else not.
//!
//! An agent that another one started may what that one may as well, and is in a group with it.
//!
//! A store that does not answer is an error, and never leave.

use crate::error::{Code, Error};
use crate::store::{Grant, GrantEffect, Store};
use crate::tool::{Caller, ToolError};

/// The roles that may write for others everywhere.
const ROLES: [&str; 3] = ["admin", "operator", "owner"];
/// The kinds of grants that give leave.
const KINDS: [&str; 2] = ["context_files", "file_writer"];
/// How the names of the host's own senders begin. No person is behind them.
const SYNTHETIC: [&str; 5] = ["system:", "notification:", "teammate:", "ticker:", "subagent:"];
/// The one such sender that has a whole name instead of a prefix.
const SESSION_SEND: &str = "session_send_tool";
/// How the user's name begins if a whole group is the user.
const GROUP_PREFIXES: [&str; 2] = ["group:", "guild:"];

/// What is to be written for others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// For all users of the agent.
    Agent,
    /// For the group that the call is from.
    Group,
}

/// The caller, and who stands above it.
fn line(caller: &Caller) -> impl Iterator<Item = &Caller> {
    std::iter::successors(Some(caller), |one| one.parent.as_deref())
}

/// True if the call is from a group chat, or from an agent that was started in one.
pub(super) fn is_in_group(caller: &Caller) -> bool {
    line(caller).any(is_group)
}

/// True if a user or a sender is behind the call, or behind the call that started its agent.
pub(super) fn is_somebodys(caller: &Caller) -> bool {
    line(caller).any(|one| one.user.is_some() || one.sender.is_some())
}

fn is_group(caller: &Caller) -> bool {
    caller.peer_kind.as_deref() == Some("group")
        || caller.user.as_deref().is_some_and(|user| group_prefix(user).is_some())
}

fn group_prefix(user: &str) -> Option<&'static str> {
    GROUP_PREFIXES.into_iter().find(|prefix| user.starts_with(prefix))
}

/// Refuses unless the caller, and all who stand above it, may write in that scope.
///
/// # Errors
/// `access_denied` for the model; for the host, what the store answers instead of its grants.
pub(super) async fn check(
    store: &dyn Store,
    caller: &Caller,
    what: (&str, &str),
    scope: Scope,
) -> Result<(), ToolError> {
    for one in line(caller).filter(|one| scope == Scope::Agent || is_group(one)) {
        check_one(store, one, what, scope).await?;
    }
    Ok(())
}

async fn check_one(
    store: &dyn Store,
    caller: &Caller,
    (agent, name): (&str, &str),
    scope: Scope,
) -> Result<(), ToolError> {
    if caller.role.as_deref().is_some_and(|role| ROLES.contains(&role)) {
        return Ok(());
    }
    let sender = caller.sender.as_deref();
    let user = caller.user.as_deref();
    if scope == Scope::Agent && !is_group(caller) && sender.is_none() && user.is_none() {
        return Ok(());
    }
    let Some(person) = person(sender.or(user)) else {
        return Err(refused(name, "system context cannot write files: no person stands behind it"));
    };
    let mut grants = Vec::new();
    for resource in resources(caller, scope) {
        for kind in KINDS {
            let tenant = &caller.tenant;
            let found = store.grants_for(tenant, kind, &resource, Some(agent), Some(person)).await;
            grants.extend(found.map_err(|error| {
                let text = format!("permission check failed: {error}");
                ToolError::raise(Error::new(error.code(), text))
            })?);
        }
    }
    match verdict(&grants) {
        true => Ok(()),
        false => {
            let ownership = match scope {
                Scope::Agent => "all users of this agent",
                Scope::Group => "this group",
            };
            Err(refused(
                name,
                &format!("it holds for {ownership}, and the sender may not change it"),
            ))
        }
    }
}

/// Who sent it, if that is a person: the part of an id before `|`.
fn person(sender: Option<&str>) -> Option<&str> {
    let sender = sender?;
    let id = sender.split('|').next().filter(|id| !id.is_empty())?;
    let is_synthetic = sender == SESSION_SEND
        || SYNTHETIC.iter().any(|prefix| sender.starts_with(prefix))
        || group_prefix(sender).is_some();
    (!is_synthetic).then_some(id)
}

/// What a grant may be of, so that it gives leave.
fn resources(caller: &Caller, scope: Scope) -> Vec<String> {
    let own = match scope {
        Scope::Agent => vec!["agent".to_owned()],
        Scope::Group => groups(caller),
    };
    own.into_iter().chain(["*".to_owned()]).collect()
}

fn groups(caller: &Caller) -> Vec<String> {
    let user = caller.user.as_deref();
    if let Some((user, prefix)) = user.and_then(|user| Some((user, group_prefix(user)?))) {
        return vec![user.to_owned(), format!("{prefix}*")];
    }
    let all = "group:*".to_owned();
    match (&caller.channel, &caller.chat) {
        (Some(channel), Some(chat)) => {
            let one = format!("group:{channel}:{chat}");
            // A longer one cannot be the key of a grant.
            [one]
                .into_iter()
                .filter(|one| one.len() <= crate::id::MAX_KEY_BYTES)
                .chain([all])
                .collect()
        }
        _ => vec![all],
    }
}

/// Whether the grants that apply give leave.
fn verdict(grants: &[Grant]) -> bool {
    let any = |individual: bool, effect: GrantEffect| {
        grants.iter().any(|g| g.key.user.is_some() == individual && g.effect == effect)
    };
    if any(true, GrantEffect::Deny) {
        return false;
    }
    any(true, GrantEffect::Allow)
        || (!any(false, GrantEffect::Deny) && any(false, GrantEffect::Allow))
}

fn refused(name: &str, why: &str) -> ToolError {
    let text = format!(
        "access denied: `{name}` was not written: {why}. Ask a user with the right to, or the \
         owner to grant it."
    );
    ToolError::new(Code::AccessDenied, text).by_rule("grants.context_files")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::GrantKey;

    fn grant(user: Option<&str>, effect: GrantEffect) -> Grant {
        let key = GrantKey {
            tenant: "t".into(),
            kind: "context_files".into(),
            resource: "*".into(),
            agent: None,
            user: user.map(Into::into),
        };
        let settings = serde_json::json!({});
        Grant { key, effect, settings, granted_by: String::new(), version: 1, updated_at_ms: 0 }
    }

    #[test]
    fn a_denial_of_the_person_counts_first_and_nothing_means_no() {
        use GrantEffect::{Allow, Deny};
        let one = Some("7");
        type Rows<'r> = &'r [(Option<&'r str>, GrantEffect)];
        let rows: [(Rows<'_>, bool); 7] = [
            (&[], false),
            (&[(one, Allow)], true),
            (&[(one, Allow), (one, Deny)], false),
            (&[(one, Allow), (None, Deny)], true),
            (&[(None, Allow)], true),
            (&[(None, Allow), (None, Deny)], false),
            (&[(None, Allow), (one, Deny)], false),
        ];
        for (grants, expected) in rows {
            let given: Vec<_> = grants.iter().map(|(user, effect)| grant(*user, *effect)).collect();
            assert_eq!(verdict(&given), expected, "{grants:?}");
        }
    }

    #[test]
    fn nobody_stands_behind_a_sender_of_the_hosts_own() {
        let rows = [
            (Some("123|alice"), Some("123")),
            (Some("alice"), Some("alice")),
            (None, None),
            (Some("|alice"), None),
            (Some("system:x"), None),
            (Some("notification:1"), None),
            (Some("teammate:bob"), None),
            (Some("ticker:1"), None),
            (Some("subagent:1"), None),
            (Some("session_send_tool"), None),
            (Some("group:telegram:-5"), None),
            (Some("guild:9"), None),
        ];
        for (sender, expected) in rows {
            assert_eq!(person(sender), expected, "{sender:?}");
        }
    }

    #[test]
    fn a_grant_is_of_the_group_of_all_groups_or_of_all() {
        let group = |user: Option<&str>, channel: Option<&str>, chat: Option<&str>| Caller {
            user: user.map(Into::into),
            channel: channel.map(Into::into),
            chat: chat.map(Into::into),
            ..Caller::default()
        };
        let of = |caller: &Caller| resources(caller, Scope::Group);
        let named = group(Some("guild:9"), None, None);
        assert_eq!(of(&named), ["guild:9", "guild:*", "*"]);
        assert!(is_group(&named));
        let chat = group(Some("7"), Some("telegram"), Some("-5"));
        assert_eq!(of(&chat), ["group:telegram:-5", "group:*", "*"]);
        assert!(!is_group(&chat));
        assert_eq!(of(&group(None, None, None)), ["group:*", "*"]);
        assert_eq!(resources(&chat, Scope::Agent), ["agent", "*"]);
    }
}
