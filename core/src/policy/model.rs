//! What a policy means, said a second time as plainly as can be: sets of names, one layer after the
//! other. Only the tests know it; it shares nothing with the engine but the configuration, the
//! tables of the seeds, and what a tool says of itself.

use std::collections::{BTreeMap, BTreeSet};

use super::{BUILTIN_GROUPS, CatalogTool, ListEntry, PROFILES, Policy};
use crate::kind::{Action, Capability, Origin};

pub(super) type Names = BTreeSet<String>;

/// The tools, aliases and groups that there are.
#[derive(Debug)]
pub(super) struct World {
    pub tools: Vec<CatalogTool>,
    pub aliases: BTreeMap<String, String>,
    pub groups: BTreeMap<String, Vec<ListEntry>>,
}

/// Who asks.
#[derive(Clone, Debug, Default)]
pub(super) struct Asker {
    pub agent: Option<String>,
    pub provider: Option<String>,
    pub model: Option<String>,
    pub channel: Option<String>,
    pub channel_type: Option<String>,
    pub chat: Option<String>,
    pub in_group: bool,
    pub depth: u32,
    pub tools: Option<Vec<String>>,
    pub row: Option<(Option<Vec<String>>, Vec<String>)>,
    pub parent: Option<Box<Asker>>,
}

/// The lists of one place.
#[derive(Clone, Default)]
pub(super) struct Place {
    pub profile: Option<String>,
    pub allow: Option<Vec<ListEntry>>,
    pub deny: Vec<ListEntry>,
    pub also_allow: Vec<ListEntry>,
    pub ask: Vec<ListEntry>,
}

impl World {
    pub(super) fn enabled(&self) -> Names {
        self.tools.iter().filter(|tool| tool.enabled).map(|tool| tool.name.clone()).collect()
    }

    fn those(&self, accept: impl Fn(&CatalogTool) -> bool) -> Names {
        self.tools.iter().filter(|tool| accept(tool)).map(|tool| tool.name.clone()).collect()
    }

    /// What a list of texts means.
    pub(super) fn meant<'t>(&self, texts: impl IntoIterator<Item = &'t str>) -> Names {
        let (mut added, mut taken) = (Names::new(), Names::new());
        for text in texts {
            match text.strip_prefix('!') {
                Some(body) => taken.extend(self.entry(body)),
                None => added.extend(self.entry(text)),
            }
        }
        &added - &taken
    }

    fn listed(&self, list: &[ListEntry]) -> Names {
        self.meant(list.iter().map(ListEntry::text))
    }

    fn entry(&self, body: &str) -> Names {
        if let Some(group) = body.strip_prefix("group:") {
            return self.group(group);
        }
        if let Some(capability) = body.strip_prefix("capability:") {
            return self.those(|tool| has(tool, capability));
        }
        if let Some(start) = body.strip_suffix('*') {
            return self.those(|tool| tool.name.starts_with(start));
        }
        if let Some(end) = body.strip_prefix('*') {
            return self.those(|tool| tool.name.ends_with(end));
        }
        let canonical = self.aliases.get(body).map_or(body, String::as_str);
        self.those(|tool| tool.name == canonical)
    }

    fn group(&self, group: &str) -> Names {
        let of_seeds = |wanted: &dyn Fn(&str) -> bool| -> Names {
            let groups = BUILTIN_GROUPS.iter().filter(|(name, _)| wanted(name));
            groups.flat_map(|(_, names)| names.iter().map(|name| (*name).to_owned())).collect()
        };
        let mut names = of_seeds(&|name| name == group);
        if group == "native" || group == "goclaw" {
            names.extend(of_seeds(&|_| true));
            names.extend(self.those(|tool| tool.origin == Origin::Builtin));
        }
        if group == "mcp" {
            let of_server = |group: &String| group.starts_with("mcp:");
            names.extend(self.those(|tool| {
                tool.origin == Origin::Mcp || tool.group.as_ref().is_some_and(of_server)
            }));
        }
        if let Some(members) = self.groups.get(group) {
            names.extend(self.meant(members.iter().map(ListEntry::text)));
        }
        let named = self.those(|tool| tool.group.as_deref() == Some(group));
        let there = self.those(|tool| names.contains(&tool.name));
        &named | &there
    }

    fn profile(&self, name: &str) -> Names {
        match PROFILES.iter().find(|(known, _)| *known == name) {
            Some((_, entries)) => self.meant(entries.iter().copied()),
            None => self.those(|_| true),
        }
    }
}

fn has(tool: &CatalogTool, capability: &str) -> bool {
    let declares = |wanted: Capability| tool.capabilities.contains(&wanted);
    match capability {
        "read-only" => declares(Capability::ReadOnly),
        "mutating" => {
            declares(Capability::Mutating)
                || declares(Capability::Destructive)
                || !declares(Capability::ReadOnly) && !declares(Capability::Async)
        }
        "async" => declares(Capability::Async),
        "mcp-bridged" => tool.origin == Origin::Mcp || declares(Capability::McpBridged),
        "open-world" => declares(Capability::OpenWorld),
        "destructive" => declares(Capability::Destructive),
        other => unreachable!("no capability {other}"),
    }
}

fn find<'p, P>(by_provider: &'p BTreeMap<String, P>, asker: &Asker) -> Option<&'p P> {
    let provider = asker.provider.as_ref()?;
    let with_model = asker.model.as_ref().map(|model| format!("{provider}/{model}"));
    with_model.and_then(|key| by_provider.get(&key)).or_else(|| by_provider.get(provider))
}

macro_rules! place {
    ($lists:expr, $profile:expr) => {{
        let lists = $lists.clone();
        Place {
            profile: $profile,
            allow: lists.allow,
            deny: lists.deny,
            also_allow: lists.also_allow,
            ask: lists.ask,
        }
    }};
}

/// The lists that hold for the asker, from the widest to the narrowest.
pub(super) fn places(policy: &Policy, asker: &Asker) -> Vec<Place> {
    let mut places = vec![place!(policy, Some(policy.profile.clone()))];
    if let Some(lists) = find(&policy.by_provider, asker) {
        places.push(place!(lists, lists.profile.clone()));
    }
    if let Some(agent) = asker.agent.as_ref().and_then(|agent| policy.agents.get(agent)) {
        places.push(place!(agent, agent.profile.clone()));
        if let Some(lists) = find(&agent.by_provider, asker) {
            places.push(place!(lists, lists.profile.clone()));
        }
    }
    let named = asker.chat.as_ref().and_then(|chat| {
        let full = asker.channel.as_ref().map(|channel| format!("{channel}:{chat}"));
        full.and_then(|key| policy.by_chat.get(&key)).or_else(|| policy.by_chat.get(chat))
    });
    if let Some(chat) = named.or_else(|| policy.by_chat.get("*").filter(|_| asker.in_group)) {
        let (allow, deny, ask) = (chat.allow.clone(), chat.deny.clone(), chat.ask.clone());
        places.push(Place { allow, deny, ask, ..Place::default() });
    }
    places
}

/// What final entries of the deny lists take away.
pub(super) fn finally_denied(world: &World, places: &[Place]) -> Names {
    let mut finals = Names::new();
    for place in places {
        let kept = |entry: &&ListEntry| entry.is_final() || entry.text().starts_with('!');
        finals.extend(world.meant(place.deny.iter().filter(kept).map(ListEntry::text)));
    }
    finals
}

/// The tools that the asker may call.
pub(super) fn allowed(world: &World, policy: &Policy, asker: &Asker) -> Names {
    let places = places(policy, asker);
    let profile = places.iter().filter_map(|place| place.profile.as_ref()).next_back();
    let mut left = &world.profile(profile.unwrap()) & &world.enabled();
    for allow in places.iter().filter_map(|place| place.allow.as_ref()) {
        left = &left & &world.listed(allow);
    }
    for place in &places {
        left = &left - &world.listed(&place.deny);
    }
    let finals = finally_denied(world, &places);
    for place in &places {
        let back = &world.listed(&place.also_allow) & &world.enabled();
        left = &left | &(&back - &finals);
    }
    if let Some((allow, deny)) = &asker.row {
        if let Some(allow) = allow {
            left = &left & &world.meant(allow.iter().map(String::as_str));
        }
        left = &left - &world.meant(deny.iter().map(String::as_str));
    }
    left = of_agent(world, policy, asker, left);
    if let Some(channel) = asker.channel_type.as_ref().or(asker.channel.as_ref()) {
        let works =
            |tool: &CatalogTool| tool.channels.is_empty() || tool.channels.contains(channel);
        left = &left & &world.those(works);
    }
    if asker.depth > 0 {
        left = &left - &world.listed(&policy.subagents.deny);
        if asker.depth >= policy.subagents.max_depth {
            left = &left - &world.listed(&policy.subagents.leaf_deny);
        }
    }
    if let Some(parent) = &asker.parent {
        left = &left & &allowed(world, policy, parent);
    }
    if let Some(tools) = &asker.tools {
        left = &left & &world.meant(tools.iter().map(String::as_str));
    }
    left
}

fn of_agent(world: &World, policy: &Policy, asker: &Asker, mut left: Names) -> Names {
    let Some(agent) = asker.agent.as_ref().and_then(|agent| policy.agents.get(agent)) else {
        return left;
    };
    if let Some(tools) = &agent.tools {
        left = &left & &world.listed(tools);
    }
    if let Some(actions) = &agent.actions {
        let may = |action: Option<Action>| action.is_none_or(|a| actions.allow.contains(&a));
        left = &left & &world.those(|tool| may(tool.action));
    }
    left
}

/// The tools whose calls want approval.
pub(super) fn asked_about(world: &World, policy: &Policy, asker: &Asker) -> Names {
    let mut asked = Names::new();
    for place in places(policy, asker) {
        asked.extend(world.listed(&place.ask));
    }
    if let Some(parent) = &asker.parent {
        asked.extend(asked_about(world, policy, parent));
    }
    asked
}
