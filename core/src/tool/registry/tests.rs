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
