//! Registries as their readers and writers see them.

use schemars::JsonSchema;
use serde::Deserialize;

use super::super::{ToolResult, tool_fn};
use super::*;

/// Nothing.
#[derive(Deserialize, JsonSchema)]
struct Empty {}

fn named(name: &str) -> Arc<dyn Tool> {
    Arc::new(tool_fn(name, |_: Empty, _| async { Ok(ToolResult::default()) }))
}

fn registry() -> Registry {
    let registry = Registry::new(BTreeMap::new()).unwrap();
    registry.register(named("read_file")).unwrap();
    registry.register(named("edit")).unwrap();
    registry.alias("Read", "read_file").unwrap();
    registry
}

#[test]
fn names_and_aliases_resolve_and_disabled_tools_do_not() {
    let registry = registry();
    assert_eq!(registry.snapshot().resolve("Read").unwrap().spec.name, "read_file");
    registry.set_enabled("read_file", false).unwrap();
    assert!(registry.snapshot().resolve("Read").is_none());
    assert!(registry.snapshot().resolve("read_file").is_none());
    assert!(!registry.set_enabled("Read", false).unwrap().enabled);
    registry.set_enabled("Read", true).unwrap();
    assert!(registry.snapshot().resolve("read_file").is_some());
}

#[test]
fn a_tools_own_name_is_proposed_before_an_alias_that_is_as_close() {
    let registry = registry();
    registry.alias("Edit", "edit").unwrap();
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.nearest("edti", |_| true), ["edit", "Edit"]);
    let error = snapshot.known("edti").unwrap_err();
    assert!(error.message().contains("did you mean `edit`?"), "{error}");
}

#[test]
fn a_clash_names_both_sides() {
    let registry = registry();
    for (error, words) in [
        (registry.register(named("read_file")).unwrap_err(), vec!["`read_file`"]),
        (registry.register(named("Read")).unwrap_err(), vec!["`Read`", "`read_file`"]),
        (registry.alias("edit", "read_file").unwrap_err(), vec!["`edit`"]),
    ] {
        assert_eq!(error.code(), Code::NameTaken);
        for word in words {
            assert!(error.message().contains(word), "{error}");
        }
    }
    let error = registry.alias("x", "raed_file").unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    assert!(error.message().contains("`read_file`"));
}

#[test]
fn unregistering_takes_the_aliases_along() {
    let registry = registry();
    registry.unregister("Read").unwrap();
    assert!(registry.snapshot().aliases().is_empty());
    assert!(registry.snapshot().resolve("read_file").is_none());
    registry.register(named("Read")).unwrap();
}

#[test]
fn a_clone_changes_apart_and_a_snapshot_never_changes() {
    let registry = registry();
    let before = registry.snapshot();
    let clone = registry.clone();
    clone.unregister("edit").unwrap();
    assert!(registry.snapshot().resolve("edit").is_some());
    registry.unregister("edit").unwrap();
    assert!(before.resolve("edit").is_some());
    assert!(registry.snapshot().generation() > before.generation());
}

#[test]
fn the_end_of_a_tool_may_come_back_to_the_registry() {
    struct Ends(Arc<Registry>);
    impl Drop for Ends {
        fn drop(&mut self) {
            let _ = self.0.register(named("another"));
        }
    }
    let registry = Arc::new(registry());
    let ends = |name: &str| {
        let end = Ends(registry.clone());
        Arc::new(tool_fn(name, move |_: Empty, _| {
            let _ = &end;
            async { Ok(ToolResult::default()) }
        }))
    };
    assert!(registry.register(ends("edit")).is_err());
    assert!(registry.snapshot().resolve("another").is_some());
    registry.unregister("another").unwrap();
    registry.register(ends("ends")).unwrap();
    registry.unregister("ends").unwrap();
    assert!(registry.snapshot().resolve("another").is_some());
}

#[test]
fn ids_are_the_places_in_the_catalog() {
    let snapshot = registry().snapshot();
    for entry in snapshot.tools() {
        assert_eq!(snapshot.catalog().id(&entry.spec.name), Some(entry.id));
    }
}

fn of(name: &str, origin: Origin) -> Registration {
    Registration::shared(named(name)).origin(origin)
}

/// A tool of that name with another description, and so another version.
fn other(name: &str) -> Registration {
    Registration::new(
        tool_fn(name, |_: Empty, _| async { Ok(ToolResult::text("other")) }).group("g"),
    )
}

#[test]
fn a_tool_is_replaced_only_when_asked_to_and_keeps_aliases_and_switch() {
    let registry = registry();
    registry.set_enabled("read_file", false).unwrap();
    let before = registry.snapshot().known("read_file").unwrap().version.to_string();
    assert_eq!(registry.add(other("read_file")).unwrap_err().code(), Code::NameTaken);
    let replaced = registry.add(other("read_file").replace()).unwrap();
    assert_eq!(replaced.replaced_version, Some(before));
    assert_eq!(replaced.tool.aliases, ["Read"]);
    assert_eq!(replaced.tool.group.as_deref(), Some("g"));
    assert!(!replaced.tool.enabled, "what was switched off stays off");
    assert_eq!(registry.snapshot().tools().count(), 2);
}

#[test]
fn a_replacement_under_the_name_of_an_alias_drops_the_alias_and_says_so() {
    let registry = registry();
    let replaced = registry.add(other("Read").replace()).unwrap();
    assert_eq!(replaced.dropped_alias_of.as_deref(), Some("read_file"));
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.resolve("Read").unwrap().spec.name, "Read");
    assert!(snapshot.info(snapshot.known("read_file").unwrap()).aliases.is_empty());
}

#[test]
fn several_tools_come_all_or_not_at_all() {
    let registry = registry();
    let generation = registry.snapshot().generation();
    let refused = registry.add_all(vec![of("new", Origin::Host), of("edit", Origin::Host)]);
    assert_eq!(refused.unwrap_err().code(), Code::NameTaken);
    assert!(registry.snapshot().resolve("new").is_none());
    assert_eq!(registry.snapshot().generation(), generation);
}

#[test]
fn a_tool_of_a_later_tier_waits_in_the_shadow_of_an_earlier_one() {
    let registry = registry();
    let mcp = registry.add(of("edit", Origin::Mcp)).unwrap().tool;
    assert_eq!((mcp.tier, mcp.shadowed_by), (Tier::Extra, Some(Origin::Host)));
    let skill = registry.add(of("edit", Origin::Skill)).unwrap().tool;
    assert_eq!((skill.tier, skill.shadowed_by), (Tier::Skill, Some(Origin::Host)));
    let custom = registry.add(of("edit", Origin::Custom)).unwrap_err();
    assert_eq!(custom.code(), Code::NameTaken, "custom and MCP tools share a tier");
    let origin = || registry.snapshot().resolve("edit").map(|entry| entry.origin);
    assert_eq!(origin(), Some(Origin::Host));
    assert_eq!(registry.snapshot().list().iter().filter(|tool| tool.name == "edit").count(), 3);
    assert_eq!(registry.snapshot().tools().count(), 2, "one tool for each name");
    registry.unregister("edit").unwrap();
    assert_eq!(origin(), Some(Origin::Skill));
    registry.unregister("edit").unwrap();
    assert_eq!(origin(), Some(Origin::Mcp));
    registry.add(of("edit", Origin::Builtin)).unwrap();
    assert_eq!(origin(), Some(Origin::Builtin), "an earlier tier takes the name");
}

#[test]
fn a_tool_that_is_switched_off_still_has_its_name() {
    let registry = registry();
    registry.add(of("edit", Origin::Mcp)).unwrap();
    registry.set_enabled("edit", false).unwrap();
    assert!(registry.snapshot().resolve("edit").is_none());
}

#[test]
fn one_tier_can_be_emptied_of_a_name_without_touching_the_others() {
    let registry = registry();
    registry.add(of("read_file", Origin::Skill)).unwrap();
    let gone = registry.take("read_file", Some(Tier::Skill)).unwrap();
    assert_eq!(gone.origin, Origin::Skill);
    let snapshot = registry.snapshot();
    assert_eq!(snapshot.resolve("Read").unwrap().origin, Origin::Host, "its aliases are left");
    let error = registry.take("read_file", Some(Tier::Skill)).unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[test]
fn what_surfaces_does_not_inherit_the_aliases_of_what_went() {
    let registry = registry();
    registry.add(of("read_file", Origin::Mcp)).unwrap();
    registry.unregister("read_file").unwrap();
    assert!(registry.snapshot().resolve("Read").is_none());
    assert_eq!(registry.snapshot().resolve("read_file").unwrap().origin, Origin::Mcp);
}

#[test]
fn a_standing_alias_gives_way_to_every_other_name_and_comes_back() {
    let registry = registry();
    let standing = |name: &str, tool: &str| (name.to_owned(), Alias::of(tool).unadvertised());
    let aliases = [standing("Read", "edit"), standing("bash", "exec"), standing("Edit", "edit")];
    registry.add_standing_aliases(aliases).unwrap();
    let tool = |name: &str| registry.snapshot().resolve(name).map(|entry| entry.spec.name.clone());
    assert_eq!(tool("Read").as_deref(), Some("read_file"), "the owner's alias goes before");
    assert_eq!(tool("bash"), None);
    registry.register(named("bash")).unwrap();
    registry.register(named("exec")).unwrap();
    assert_eq!(tool("bash").as_deref(), Some("bash"));
    registry.unregister("bash").unwrap();
    assert_eq!(tool("bash").as_deref(), Some("exec"));
    registry.alias("Edit", "exec").unwrap();
    assert_eq!(tool("Edit").as_deref(), Some("exec"));
    let snapshot = registry.snapshot();
    let shown: Vec<&str> = snapshot.advertised_aliases().map(|(name, _)| name).collect();
    assert_eq!(shown, ["Edit", "Read"]);
}

#[test]
fn names_that_there_ever_were_stay_known() {
    let registry = registry();
    registry.unregister("read_file").unwrap();
    let snapshot = registry.snapshot();
    for name in ["read_file", "Read", "edit"] {
        assert!(snapshot.ever_known().contains(name), "{name}");
    }
}

#[test]
fn no_two_states_of_related_registries_have_one_generation() {
    let registry = registry();
    let clone = registry.clone();
    let mut seen = std::collections::BTreeSet::new();
    for name in ["a", "b", "c"] {
        for registry in [&registry, &clone] {
            registry.register(named(name)).unwrap();
            assert!(seen.insert(registry.snapshot().generation()));
        }
    }
}

#[test]
fn each_caller_gets_the_registry_of_its_agent_or_of_the_one_above_it() {
    let registries = Registries::new(registry());
    let own = registries.clone_for("t", "a").unwrap();
    own.register(named("mine")).unwrap();
    let caller = |tenant: &str, agent: &str| crate::tool::Caller {
        tenant: tenant.into(),
        agent: Some(agent.into()),
        ..crate::tool::Caller::default()
    };
    let has = |caller: &crate::tool::Caller| registries.of(caller).resolve("mine").is_some();
    assert!(has(&caller("t", "a")));
    assert!(!has(&caller("t", "b")) && !has(&caller("u", "a")));
    let child = |agent: &str| crate::tool::Caller {
        parent: Some(Box::new(caller("t", "a"))),
        ..caller("t", agent)
    };
    assert!(has(&child("b")), "an agent without its own has that of the one above");
    registries.clone_for("t", "c").unwrap();
    assert!(!has(&child("c")), "its own goes before");
    registries.drop_clone("t", "a").unwrap();
    assert!(!has(&caller("t", "a")));
}

#[test]
fn the_end_of_a_cloned_tool_may_come_back_to_the_registries() {
    struct Ends(Arc<Registries>);
    impl Drop for Ends {
        fn drop(&mut self) {
            let _ = self.0.clone_for("t", "another");
        }
    }
    let registries = Arc::new(Registries::new(registry()));
    let own = registries.clone_for("t", "a").unwrap();
    let end = Ends(registries.clone());
    let ends = tool_fn("ends", move |_: Empty, _| {
        let _ = &end;
        async { Ok(ToolResult::default()) }
    });
    own.register(Arc::new(ends)).unwrap();
    drop(own);
    registries.drop_clone("t", "a").unwrap();
    assert!(registries.own("t", "another").is_some());
}

#[test]
fn tools_that_are_added_one_by_one_are_settled_once() {
    let registry = registry();
    let settled = || registry.lineage.generations.load(Ordering::Relaxed);
    let before = settled();
    for number in 0..500 {
        registry.register(named(&format!("tool_{number}"))).unwrap();
    }
    assert_eq!(settled(), before, "nobody has read yet");
    assert!(registry.snapshot().resolve("tool_499").is_some());
    assert_eq!(registry.snapshot().tools().count(), 502);
    assert_eq!(settled(), before + 1);
}

#[test]
fn a_tool_costs_the_same_however_many_wait() {
    let registry = registry();
    let mut number = 0;
    let mut hundred = || {
        let tools: Vec<_> = (0..100).map(|at| named(&format!("tool_{}", number + at))).collect();
        number += 100;
        allocation_counter::measure(|| {
            tools.into_iter().for_each(|tool| registry.register(tool).unwrap());
        })
    };
    // The first makes the state to which the others are added.
    hundred();
    let few = hundred();
    for _ in 0..20 {
        hundred();
    }
    let many = hundred();
    assert!(many.bytes_total < few.bytes_total * 2, "{many:?} after {few:?}");
}

#[test]
fn a_tool_that_waits_is_known_to_whoever_changes_or_adds() {
    let registry = registry();
    registry.register(named("one")).unwrap();
    assert_eq!(registry.register(named("one")).unwrap_err().code(), Code::NameTaken);
    assert_eq!(registry.register(named("Read")).unwrap_err().code(), Code::NameTaken);
    assert_eq!(registry.alias("one", "edit").unwrap_err().code(), Code::NameTaken);
    registry.register(named("two")).unwrap();
    assert_eq!(registry.alias("deux", "two").unwrap().aliases, ["deux"]);
    let added = registry.add(Registration::shared(named("two")).replace()).unwrap();
    assert_eq!((added.tool.aliases, added.replaced_version.is_some()), (vec!["deux".into()], true));
    registry.unregister("one").unwrap();
    // One that was refused is not there, and has not undone what came after it.
    let left: Vec<_> = registry.snapshot().tools().map(|entry| entry.spec.name.clone()).collect();
    assert_eq!(left, ["edit", "read_file", "two"]);
}

#[test]
fn a_name_that_waits_is_known_to_a_related_registry() {
    let registry = registry();
    let clone = registry.clone();
    registry.register(named("late")).unwrap();
    assert!(clone.snapshot().ever_known().contains("late"));
    assert!(clone.snapshot().resolve("late").is_none());
    assert!(registry.snapshot().ever_known().contains("late"));
}
