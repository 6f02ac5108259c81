//! The lists of a policy, each expanded once against one catalog.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::profile::{FULL, PROFILES};
use super::tool_list::{Noticed, Purpose, ToolList};
use super::{
    Actions, AgentPolicy, Catalog, ChatPolicy, Error, ListEntry, Policy, ProviderPolicy, Rule,
    TaintPolicy,
};
use crate::id::MAX_KEY_BYTES;
use crate::kind::{Action, Taint};
use crate::limits::echo;
use crate::nearest::nearest;

/// The lists of one place: global, of a provider, an agent, an agent with a provider, or a chat.
#[derive(Debug, Default)]
pub(super) struct Lists {
    pub profile: Option<Profile>,
    pub allow: Option<ToolList>,
    pub deny: Option<ToolList>,
    pub also_allow: Option<ToolList>,
    pub ask: Option<ToolList>,
}

/// A set of tools to start from.
#[derive(Debug)]
pub(super) enum Profile {
    /// All tools.
    Full,
    /// These.
    Some(ToolList),
}

/// The lists of an agent.
#[derive(Debug)]
pub(super) struct AgentLists {
    pub lists: Arc<Lists>,
    pub by_provider: HashMap<String, Arc<Lists>>,
    pub tools: Option<ToolList>,
    pub actions: Option<ActionGate>,
}

/// What the actions of an agent leave.
#[derive(Debug)]
pub(super) struct ActionGate {
    /// `policy.agents.helper.actions.allow`.
    pub place: String,
    /// The tools whose action is not among them.
    pub withheld: FixedBitSet,
    pub delegate_targets: Vec<String>,
}

/// The lists that mark sessions.
#[derive(Debug)]
pub(super) struct Taints {
    pub untrusted: FixedBitSet,
    pub private: FixedBitSet,
    pub guarded: FixedBitSet,
}

/// All lists of a policy.
#[derive(Debug)]
pub(super) struct PolicyLists {
    pub global: Arc<Lists>,
    pub by_provider: HashMap<String, Arc<Lists>>,
    pub agents: HashMap<String, Arc<AgentLists>>,
    pub by_chat: HashMap<String, Arc<Lists>>,
    pub subagent_deny: Option<ToolList>,
    pub leaf_deny: Option<ToolList>,
    pub taints: Taints,
}

impl ActionGate {
    pub(super) fn rule(&self, tool: usize, catalog: &Catalog) -> Rule {
        let action = catalog.tools().get(tool).and_then(|tool| tool.action).map_or("", action_name);
        Rule {
            name: self.place.clone(),
            text: format!(
                "it needs the action `{action}`; whoever configures this can add `{action}` to \
                 `{}`",
                self.place
            ),
        }
    }
}

fn action_name(action: Action) -> &'static str {
    match action {
        Action::Patch => "patch",
        Action::Finalize => "finalize",
        Action::Delegate => "delegate",
    }
}

/// Expands the lists of a policy.
pub(super) struct Expander<'c> {
    catalog: &'c Catalog,
    pub noticed: Noticed,
}

/// The four lists and the profile as they stand in the configuration, wherever they stand.
struct Written<'p> {
    profile: Option<&'p str>,
    allow: Option<&'p [ListEntry]>,
    deny: &'p [ListEntry],
    also_allow: &'p [ListEntry],
    ask: &'p [ListEntry],
}

impl<'p> From<&'p ProviderPolicy> for Written<'p> {
    fn from(lists: &'p ProviderPolicy) -> Written<'p> {
        Written {
            profile: lists.profile.as_deref(),
            allow: lists.allow.as_deref(),
            deny: &lists.deny,
            also_allow: &lists.also_allow,
            ask: &lists.ask,
        }
    }
}

impl<'p> From<&'p AgentPolicy> for Written<'p> {
    fn from(lists: &'p AgentPolicy) -> Written<'p> {
        Written {
            profile: lists.profile.as_deref(),
            allow: lists.allow.as_deref(),
            deny: &lists.deny,
            also_allow: &lists.also_allow,
            ask: &lists.ask,
        }
    }
}

impl<'p> From<&'p ChatPolicy> for Written<'p> {
    fn from(lists: &'p ChatPolicy) -> Written<'p> {
        Written {
            profile: None,
            allow: lists.allow.as_deref(),
            deny: &lists.deny,
            also_allow: &[],
            ask: &lists.ask,
        }
    }
}

impl<'p> From<&'p Policy> for Written<'p> {
    fn from(lists: &'p Policy) -> Written<'p> {
        Written {
            profile: Some(&lists.profile),
            allow: lists.allow.as_deref(),
            deny: &lists.deny,
            also_allow: &lists.also_allow,
            ask: &lists.ask,
        }
    }
}

impl<'c> Expander<'c> {
    pub(super) fn new(catalog: &'c Catalog) -> Expander<'c> {
        Expander { catalog, noticed: catalog.noticed().clone() }
    }

    /// Expands every list of the policy.
    ///
    /// # Errors
    /// The first mistake, with its place.
    pub(super) fn policy(&mut self, policy: &Policy) -> Result<PolicyLists, Error> {
        let subagents = &policy.subagents;
        Ok(PolicyLists {
            global: Arc::new(self.lists("policy", policy)?),
            by_provider: self.each("policy.by_provider", '/', &policy.by_provider)?,
            agents: self.agents(&policy.agents)?,
            by_chat: self.each("policy.by_chat", ':', &policy.by_chat)?,
            subagent_deny: self.deny("policy.subagents.deny", &subagents.deny)?,
            leaf_deny: self.deny("policy.subagents.leaf_deny", &subagents.leaf_deny)?,
            taints: self.taints(&policy.taint)?,
        })
    }

    fn each<'p, P>(
        &mut self,
        place: &str,
        separator: char,
        written: &'p BTreeMap<String, P>,
    ) -> Result<HashMap<String, Arc<Lists>>, Error>
    where
        Written<'p>: From<&'p P>,
    {
        let mut all = HashMap::with_capacity(written.len());
        for (key, lists) in written {
            check_key(place, key, separator)?;
            let lists = self.lists(&format!("{place}.{}", quoted(key)), lists)?;
            all.insert(key.clone(), Arc::new(lists));
        }
        Ok(all)
    }

    fn agents(
        &mut self,
        written: &BTreeMap<String, AgentPolicy>,
    ) -> Result<HashMap<String, Arc<AgentLists>>, Error> {
        let mut all = HashMap::with_capacity(written.len());
        for (id, agent) in written {
            check_key("policy.agents", id, '\0')?;
            let place = format!("policy.agents.{}", quoted(id));
            let lists = AgentLists {
                lists: Arc::new(self.lists(&place, agent)?),
                by_provider: self.each(&format!("{place}.by_provider"), '/', &agent.by_provider)?,
                tools: match &agent.tools {
                    Some(tools) => Some(self.list(format!("{place}.tools"), tools)?),
                    None => None,
                },
                actions: agent.actions.as_ref().map(|actions| self.actions(&place, actions)),
            };
            all.insert(id.clone(), Arc::new(lists));
        }
        Ok(all)
    }

    fn lists<'p>(&mut self, place: &str, written: impl Into<Written<'p>>) -> Result<Lists, Error> {
        let written = written.into();
        let profile = written.profile.map(|name| self.profile(&format!("{place}.profile"), name));
        let allow = written.allow.map(|allow| self.list(format!("{place}.allow"), allow));
        Ok(Lists {
            profile: profile.transpose()?,
            allow: allow.transpose()?,
            deny: self.deny(&format!("{place}.deny"), written.deny)?,
            also_allow: self.unless_empty(&format!("{place}.also_allow"), written.also_allow)?,
            ask: match written.ask {
                [] => None,
                ask => Some(self.watch(&format!("{place}.ask"), ask)?),
            },
        })
    }

    fn profile(&mut self, place: &str, name: &str) -> Result<Profile, Error> {
        if name == FULL {
            return Ok(Profile::Full);
        }
        let Some((_, entries)) = PROFILES.iter().find(|(known, _)| *known == name) else {
            let known = PROFILES.iter().map(|(known, _)| *known).chain([FULL]);
            return Err(Error::UnknownProfile {
                source_name: place.to_owned(),
                profile: name.to_owned(),
                nearest: nearest(name, known).map(str::to_owned),
            });
        };
        let entries: Vec<ListEntry> = entries.iter().map(|entry| ListEntry::from(*entry)).collect();
        Ok(Profile::Some(self.list(format!("{place} = \"{name}\""), &entries)?))
    }

    fn list(&mut self, place: String, entries: &[ListEntry]) -> Result<ToolList, Error> {
        self.noticed.list(place, entries, Purpose::Allow, self.catalog)
    }

    fn watch(&mut self, place: &str, entries: &[ListEntry]) -> Result<ToolList, Error> {
        self.noticed.list(place.to_owned(), entries, Purpose::Watch, self.catalog)
    }

    fn unless_empty(
        &mut self,
        place: &str,
        entries: &[ListEntry],
    ) -> Result<Option<ToolList>, Error> {
        if entries.is_empty() {
            return Ok(None);
        }
        self.list(place.to_owned(), entries).map(Some)
    }

    fn deny(&mut self, place: &str, entries: &[ListEntry]) -> Result<Option<ToolList>, Error> {
        if entries.is_empty() {
            return Ok(None);
        }
        let list = self.noticed.list(place.to_owned(), entries, Purpose::Deny, self.catalog)?;
        Ok(Some(list))
    }

    fn actions(&self, place: &str, actions: &Actions) -> ActionGate {
        let mut withheld = self.catalog.nothing();
        for (index, tool) in self.catalog.tools().iter().enumerate() {
            withheld.set(index, tool.action.is_some_and(|action| !actions.allow.contains(&action)));
        }
        let mut delegate_targets: Vec<String> = actions
            .delegate_targets
            .iter()
            .map(|target| target.trim().to_lowercase())
            .filter(|target| !target.is_empty())
            .collect();
        if delegate_targets.is_empty() && !actions.delegate_targets.is_empty() {
            // None at all means anybody; blanks alone were not meant to.
            delegate_targets.push(String::new());
        }
        delegate_targets.sort();
        delegate_targets.dedup();
        ActionGate { place: format!("{place}.actions.allow"), withheld, delegate_targets }
    }

    fn taints(&mut self, policy: &TaintPolicy) -> Result<Taints, Error> {
        let untrusted = self.watch("policy.taint.untrusted", &policy.untrusted)?;
        let private = self.watch("policy.taint.private", &policy.private)?;
        let guarded = "policy.taint.guarded".to_owned();
        let guarded = self.noticed.list(guarded, &policy.guarded, Purpose::Guard, self.catalog)?;
        let with_own = |list: ToolList, taint: Taint| {
            let mut set = list.tools().clone();
            for (index, tool) in self.catalog.tools().iter().enumerate() {
                if tool.taints.contains(&taint) {
                    set.insert(index);
                }
            }
            set
        };
        Ok(Taints {
            untrusted: with_own(untrusted, Taint::Untrusted),
            private: with_own(private, Taint::Private),
            guarded: guarded.tools().clone(),
        })
    }
}

/// Refuses a key that no caller can ever have: the lists under it would be missed without a word.
/// `separator` stands between the two names that a key may be made of.
fn check_key(place: &str, key: &str, separator: char) -> Result<(), Error> {
    let names = if key.contains(separator) { 2 } else { 1 };
    let why = if key.is_empty() {
        "is empty"
    } else if key.contains('\0') {
        "contains a NUL character"
    } else if key.len() > names * (MAX_KEY_BYTES + 1) - 1 {
        "is longer than any name of a caller (512 bytes)"
    } else if key.ends_with(separator) {
        "has no name after its last separator"
    } else if separator == '/' && key.starts_with(separator) {
        "has no provider before its model"
    } else {
        return Ok(());
    };
    let shown = quoted(&echo(key)).replace('\0', "\\0");
    Err(Error::BadKey { source_name: format!("{place}.{shown}"), why })
}

/// A key as it stands in a path of the configuration.
fn quoted(key: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !key.is_empty() && key.bytes().all(plain) { key.to_owned() } else { format!("\"{key}\"") }
}
