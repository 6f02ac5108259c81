//! The laws of policies, for policies, tools and callers made up at random.

use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::collection::{btree_map, vec};
use proptest::option::of;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};

use super::model::{self, Asker, Names, World};
use super::*;
use crate::kind::{Action, Origin, ToolId};
use crate::soak::rounds;

const TOOLS: [&str; 14] = [
    "apply_patch",
    "cron",
    "delegate",
    "edit",
    "exec",
    "glob",
    "mcp_a__x",
    "mcp_b__y",
    "read_file",
    "session_status",
    "spawn",
    "weather",
    "web_fetch",
    "write_file",
];

const ENTRIES: [&str; 31] = [
    "*",
    "edit",
    "exec",
    "read_file",
    "web_fetch",
    "weather",
    "spawn",
    "bash",
    "Read",
    "mcp_a__x",
    "process",
    "*_file",
    "mcp_*",
    "e*",
    "group:fs",
    "group:runtime",
    "group:web",
    "group:sessions",
    "group:mcp",
    "group:mcp:a",
    "group:native",
    "group:goclaw",
    "group:mine",
    "group:rest",
    "group:outside",
    "capability:read-only",
    "capability:mutating",
    "capability:async",
    "capability:mcp-bridged",
    "capability:open-world",
    "capability:destructive",
];

const PROFILE_NAMES: [&str; 4] = ["full", "coding", "messaging", "minimal"];

fn texts(entries: &[&str]) -> Vec<String> {
    entries.iter().map(|entry| (*entry).to_owned()).collect()
}

prop_compose! {
    fn a_tool(name: &'static str)(
        origin in select(vec![Origin::Builtin, Origin::Host, Origin::Skill, Origin::Mcp]),
        group in of(select(vec!["mcp:a", "outside", "fs", "mine"])),
        capabilities in subsequence(entry::CAPABILITIES.map(|(_, c)| c).to_vec(), 0..=3),
        channels in subsequence(vec!["t", "u", "tt"], 0..=2),
        action in of(select(vec![Action::Patch, Action::Finalize, Action::Delegate])),
        enabled in prop::bool::weighted(0.9),
    ) -> CatalogTool {
        let channels: &[&str] = if action.is_none() { &[] } else { &channels };
        CatalogTool {
            origin,
            group: group.map(str::to_owned),
            capabilities,
            channels: texts(channels),
            action,
            enabled,
            ..CatalogTool::named(name)
        }
    }
}

fn a_world() -> impl Strategy<Value = World> {
    let tools = subsequence(TOOLS.to_vec(), 0..=TOOLS.len())
        .prop_flat_map(|names| names.into_iter().map(a_tool).collect::<Vec<_>>());
    tools.prop_map(|tools| {
        let alias = |alias: &str, name: &str| (alias.to_owned(), name.to_owned());
        let group = |name: &str, members: &[&str]| {
            (name.to_owned(), members.iter().map(|member| ListEntry::from(*member)).collect())
        };
        World {
            tools,
            aliases: [alias("bash", "exec"), alias("Read", "read_file")].into(),
            groups: [
                group("mine", &["*_file", "bash", "group:web", "!edit"]),
                group("rest", &["group:mine", "capability:async", "!Read"]),
                group("outside", &[]),
                group("mcp:a", &[]),
            ]
            .into(),
        }
    })
}

fn an_entry(finals: bool) -> impl Strategy<Value = ListEntry> {
    let marks = (prop::bool::weighted(0.25), prop::bool::weighted(0.2), any::<bool>());
    (select(ENTRIES.to_vec()), marks).prop_map(move |(text, (negated, is_final, optional))| {
        let entry = if negated { format!("!{text}") } else { text.to_owned() };
        let is_final = is_final && finals && !negated;
        if is_final || optional {
            ListEntry::Marked(MarkedEntry { entry, optional, is_final })
        } else {
            entry.into()
        }
    })
}

/// A list that adds something, if it has entries at all.
fn a_list_with(finals: bool) -> impl Strategy<Value = Vec<ListEntry>> {
    vec(an_entry(finals), 0..5).prop_map(|mut list| {
        if list.iter().all(|entry| entry.text().starts_with('!')) && !list.is_empty() {
            list.push("*".into());
        }
        list
    })
}

fn a_list() -> impl Strategy<Value = Vec<ListEntry>> {
    a_list_with(false)
}

fn some_texts() -> impl Strategy<Value = Vec<String>> {
    a_list().prop_map(|list| list.iter().map(|entry| entry.text().to_owned()).collect())
}

fn wide() -> impl Strategy<Value = Vec<ListEntry>> {
    a_list().prop_map(|mut list| {
        list.push("group:native".into());
        list
    })
}

prop_compose! {
    fn lists()(
        profile in of(select(PROFILE_NAMES.to_vec())),
        allow in of(wide()),
        deny in a_list_with(true),
        also_allow in a_list(),
        ask in a_list(),
    ) -> ProviderPolicy {
        ProviderPolicy { profile: profile.map(str::to_owned), allow, deny, also_allow, ask }
    }
}

fn by_provider() -> impl Strategy<Value = BTreeMap<String, ProviderPolicy>> {
    btree_map(select(vec!["p", "p/m", "q"]).prop_map(str::to_owned), lists(), 0..3)
}

prop_compose! {
    fn an_agent()(
        lists in lists(),
        by_provider in by_provider(),
        tools in of(wide()),
        actions in of(subsequence(vec![Action::Patch, Action::Finalize, Action::Delegate], 0..=3)),
    ) -> AgentPolicy {
        let ProviderPolicy { profile, allow, deny, also_allow, ask } = lists;
        let actions = actions.map(|allow| Actions { allow, ..Actions::default() });
        AgentPolicy { profile, allow, deny, also_allow, ask, by_provider, tools, actions }
    }
}

prop_compose! {
    fn a_policy()(
        global in lists(),
        by_provider in by_provider(),
        agents in btree_map(select(vec!["a", "b"]).prop_map(str::to_owned), an_agent(), 0..3),
        by_chat in btree_map(
            select(vec!["t:1", "1", "*"]).prop_map(str::to_owned),
            lists().prop_map(|lists| ChatPolicy {
                allow: lists.allow, deny: lists.deny, ask: lists.ask,
            }),
            0..3,
        ),
        deny in a_list_with(true),
        leaf_deny in a_list(),
        max_depth in 0..3u32,
    ) -> Policy {
        Policy {
            profile: global.profile.unwrap_or_else(|| "full".into()),
            allow: global.allow,
            deny: global.deny,
            also_allow: global.also_allow,
            ask: global.ask,
            by_provider,
            agents,
            by_chat,
            subagents: SubagentPolicy { deny, leaf_deny, max_depth },
            ..Policy::default()
        }
    }
}

fn one_of(names: &[&'static str]) -> impl Strategy<Value = Option<String>> + use<> {
    of(select(names.to_vec()).prop_map(str::to_owned))
}

prop_compose! {
    fn an_orphan()(
        agent in one_of(&["a", "b", "c"]),
        provider in one_of(&["p", "q", "r"]),
        model in one_of(&["m", "n"]),
        channels in (one_of(&["t", "u"]), one_of(&["tt"])),
        chat in one_of(&["1", "2"]),
        in_group in any::<bool>(),
        depth in 0..4u32,
        tools in of(some_texts()),
        row in of((of(some_texts()), some_texts())),
    ) -> Asker {
        let (channel, channel_type) = channels;
        Asker {
            agent, provider, model, channel, channel_type, chat, in_group, depth, tools, row,
            parent: None,
        }
    }
}

prop_compose! {
    fn an_asker()(child in an_orphan(), parent in of(an_orphan())) -> Asker {
        Asker { parent: parent.map(Box::new), ..child }
    }
}

fn compiled(world: &World, policy: &Policy) -> Compiled {
    let catalog = Catalog::new(world.tools.clone(), world.aliases.clone(), &world.groups).unwrap();
    Compiled::new(Arc::new(catalog), Arc::new(policy.clone())).unwrap()
}

fn decide(compiled: &Compiled, asker: &Asker) -> Decision {
    let parent = asker.parent.as_ref().map(|parent| Arc::new(decide(compiled, parent)));
    let inputs = Inputs {
        agent: asker.agent.as_deref(),
        provider: asker.provider.as_deref(),
        model: asker.model.as_deref(),
        channel: asker.channel.as_deref(),
        channel_type: asker.channel_type.as_deref(),
        chat: asker.chat.as_deref(),
        in_group: asker.in_group,
        depth: asker.depth,
        tools: asker.tools.as_deref(),
        row: asker.row.as_ref().map(|(allow, deny)| RowLists { allow: allow.as_deref(), deny }),
        parent: parent.as_ref(),
    };
    compiled.decide(&inputs).unwrap()
}

fn names(decision: &Decision) -> Names {
    decision.allowed().map(|id| decision.catalog().tool(id).unwrap().name.clone()).collect()
}

fn ids(decision: &Decision) -> impl Iterator<Item = ToolId> {
    (0..u32::try_from(decision.catalog().len()).unwrap()).map(ToolId)
}

fn asked(decision: &Decision) -> Names {
    let name = |id| decision.catalog().tool(id).unwrap().name.clone();
    ids(decision).filter(|id| decision.asks(*id).is_some()).map(name).collect()
}

fn config() -> ProptestConfig {
    ProptestConfig {
        cases: u32::try_from(rounds(40, 5_000)).unwrap(),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// Every list of the policy, to be changed.
fn all_lists(policy: &mut Policy) -> Vec<&mut Vec<ListEntry>> {
    fn of_providers(by: &mut BTreeMap<String, ProviderPolicy>) -> Vec<&mut Vec<ListEntry>> {
        let mut all = Vec::new();
        for ProviderPolicy { allow, deny, also_allow, ask, .. } in by.values_mut() {
            all.extend(allow.iter_mut().chain([deny, also_allow, ask]));
        }
        all
    }
    let Policy { allow, deny, also_allow, ask, by_provider, agents, by_chat, subagents, .. } =
        policy;
    let mut all: Vec<_> = allow.iter_mut().chain([deny, also_allow, ask]).collect();
    all.extend([&mut subagents.deny, &mut subagents.leaf_deny]);
    all.extend(of_providers(by_provider));
    for agent in agents.values_mut() {
        let AgentPolicy { allow, deny, also_allow, ask, by_provider, tools, .. } = agent;
        all.extend(allow.iter_mut().chain([deny, also_allow, ask]).chain(tools));
        all.extend(of_providers(by_provider));
    }
    for ChatPolicy { allow, deny, ask } in by_chat.values_mut() {
        all.extend(allow.iter_mut().chain([deny, ask]));
    }
    all
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn a_decision_is_that_of_the_plain_model(
        world in a_world(), policy in a_policy(), asker in an_asker(),
    ) {
        let decision = decide(&compiled(&world, &policy), &asker);
        prop_assert_eq!(names(&decision), model::allowed(&world, &policy, &asker));
        prop_assert_eq!(asked(&decision), model::asked_about(&world, &policy, &asker));
        prop_assert!(names(&decision).is_subset(&world.enabled()));
    }

    #[test]
    fn an_explanation_ends_with_the_decision_and_names_what_changed_the_tool(
        world in a_world(), policy in a_policy(), asker in an_asker(),
    ) {
        let decision = decide(&compiled(&world, &policy), &asker);
        for id in ids(&decision) {
            let steps = decision.steps(id);
            let mut before = true;
            for step in &steps {
                prop_assert_eq!(step.before, before);
                prop_assert_eq!(step.rule.is_some(), step.before != step.after);
                before = step.after;
            }
            prop_assert_eq!(before, decision.allows(id));
            let last_change = steps.into_iter().rev().find_map(|step| step.rule);
            let refusal = decision.refusal(id);
            prop_assert_eq!(refusal.is_none(), decision.allows(id));
            if let Some(rule) = refusal {
                prop_assert!(!rule.name.is_empty() && !rule.text.is_empty());
                prop_assert_eq!(Some(rule), last_change);
            }
        }
    }

    #[test]
    fn a_child_never_gets_more_than_its_parent(
        world in a_world(), policy in a_policy(), parent in an_orphan(), child in an_orphan(),
    ) {
        let compiled = compiled(&world, &policy);
        let above = names(&decide(&compiled, &parent));
        let child = Asker { parent: Some(Box::new(parent)), ..child };
        prop_assert!(names(&decide(&compiled, &child)).is_subset(&above));
    }

    #[test]
    fn deny_wins_over_allow_where_nothing_gives_back(
        world in a_world(), policy in a_policy(), asker in an_asker(),
    ) {
        let mut policy = policy;
        policy.also_allow.clear();
        policy.by_provider.values_mut().for_each(|lists| lists.also_allow.clear());
        for agent in policy.agents.values_mut() {
            agent.also_allow.clear();
            agent.by_provider.values_mut().for_each(|lists| lists.also_allow.clear());
        }
        let allowed = names(&decide(&compiled(&world, &policy), &asker));
        for place in model::places(&policy, &asker) {
            let denied = world.meant(place.deny.iter().map(ListEntry::text));
            prop_assert!(allowed.is_disjoint(&denied));
        }
    }

    #[test]
    fn also_allow_gives_back_exactly_what_is_not_finally_denied(
        world in a_world(), policy in a_policy(), provider in one_of(&["p", "q"]),
        chat in one_of(&["1"]),
    ) {
        let asker = Asker { provider, chat, ..Asker::default() };
        let policy = Policy { also_allow: vec!["*".into()], ..policy };
        let finals = model::finally_denied(&world, &model::places(&policy, &asker));
        let allowed = names(&decide(&compiled(&world, &policy), &asker));
        // What the lists before also_allow left over stays: a final deny has taken it from them.
        prop_assert_eq!(allowed, &world.enabled() - &finals);
    }

    #[test]
    fn the_order_of_entries_never_matters(
        world in a_world(), policy in a_policy(), asker in an_asker(), turn in 0..5usize,
    ) {
        let before = decide(&compiled(&world, &policy), &asker);
        let mut turned = policy;
        for list in all_lists(&mut turned) {
            let places = turn.min(list.len());
            list.rotate_left(places);
            list.reverse();
        }
        let after = decide(&compiled(&world, &turned), &asker);
        prop_assert_eq!(names(&before), names(&after));
        prop_assert_eq!(asked(&before), asked(&after));
    }

    #[test]
    fn rows_and_requests_only_narrow_and_the_request_is_the_last_word(
        world in a_world(), policy in a_policy(), asker in an_asker(), tools in some_texts(),
    ) {
        let compiled = compiled(&world, &policy);
        let without_row = names(&decide(&compiled, &Asker { row: None, ..asker.clone() }));
        prop_assert!(names(&decide(&compiled, &asker)).is_subset(&without_row));
        let without = names(&decide(&compiled, &Asker { tools: None, ..asker.clone() }));
        let meant = world.meant(tools.iter().map(String::as_str));
        let with = names(&decide(&compiled, &Asker { tools: Some(tools), ..asker }));
        prop_assert_eq!(with, &without & &meant);
    }

    #[test]
    fn a_difference_turns_one_decision_into_the_other(
        world in a_world(), one in a_policy(), other in a_policy(), asker in an_asker(),
    ) {
        let before = decide(&compiled(&world, &one), &asker);
        let after = decide(&compiled(&world, &other), &asker);
        let change = diff(&before, &after);
        let removed: Names = change.removed.into_iter().collect();
        let added: Names = change.added.into_iter().collect();
        prop_assert_eq!(&(&names(&before) - &removed) | &added, names(&after));
        prop_assert!(removed.is_disjoint(&added));
    }
}
