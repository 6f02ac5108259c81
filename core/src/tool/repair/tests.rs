//! What is put right, and what is left alone.

use proptest::prelude::*;
use serde_json::json;

use super::*;

fn schema() -> Schema {
    let schema = json!({
        "type": "object",
        "properties": {
            "path": { "type": "string" },
            "count": { "type": "integer" },
            "ratio": { "type": "number" },
            "flag": { "type": "boolean" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "ids": { "type": "array", "items": { "type": "integer" } },
            "maybe": { "anyOf": [{ "type": "integer" }, { "type": "null" }] },
            "either": { "type": ["integer", "array"], "items": { "type": "integer" } },
            "level": { "enum": [1, 2, "three"] },
            "inner": {
                "type": "object",
                "properties": { "n": { "$ref": "#/$defs/n" } },
                "additionalProperties": false
            },
            "mode": { "type": "string", "default": "fast" },
            "file": { "type": "string" }
        },
        "$defs": { "n": { "type": "integer" } },
        "additionalProperties": false
    });
    Schema::compile("t", &schema).unwrap()
}

fn aliases() -> BTreeMap<String, Vec<String>> {
    let list = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
    BTreeMap::from([
        ("path".to_owned(), list(&["file", "filepath", "p"])),
        ("count".to_owned(), list(&["n", "number"])),
        ("nowhere".to_owned(), list(&["ratios"])),
    ])
}

fn fit(args: Value) -> Fitted {
    schema().fit(Names { argument_aliases: &aliases(), alias: None }, args)
}

/// The arguments after repair, without the default of `mode`.
fn fitted(args: Value) -> Value {
    let fitted = fit(args.clone());
    assert!(fitted.fits, "{args}: {fitted:?}");
    let mut args = fitted.args;
    args.as_object_mut().unwrap().shift_remove("mode");
    args
}

fn kinds(args: Value) -> Vec<(String, RepairKind)> {
    let repaired = fit(args).repairs.into_iter().map(|repair| (repair.path, repair.kind));
    repaired.filter(|(_, kind)| *kind != RepairKind::Defaulted).collect()
}

#[test]
fn a_scalar_becomes_the_wanted_type_where_it_says_the_same() {
    for (given, repaired) in [
        (json!({"count": "5"}), json!({"count": 5})),
        (json!({"count": " 5"}), json!({"count": 5})),
        (json!({"count": "-3"}), json!({"count": -3})),
        (json!({"count": "5.0"}), json!({"count": 5})),
        (json!({"ratio": "0.25"}), json!({"ratio": 0.25})),
        (json!({"flag": "true"}), json!({"flag": true})),
        (json!({"flag": "False"}), json!({"flag": false})),
        (json!({"path": 5}), json!({"path": "5"})),
        (json!({"path": true}), json!({"path": "true"})),
        (json!({"maybe": "7"}), json!({"maybe": 7})),
        (json!({"level": "2"}), json!({"level": 2})),
        (json!({"inner": {"n": "4"}}), json!({"inner": {"n": 4}})),
    ] {
        assert_eq!(fitted(given.clone()), repaired, "{given}");
        assert_eq!(kinds(given.clone())[0].1, RepairKind::Coerced, "{given}");
    }
}

#[test]
fn what_would_be_lost_is_left_as_it_is() {
    for given in [
        json!({"count": "5.5"}),
        json!({"count": "five"}),
        json!({"count": "0x10"}),
        json!({"count": "123456789012345678901234567890"}),
        json!({"ratio": "0.1234567890123456789"}),
        json!({"flag": 1}),
        json!({"flag": "yes"}),
        json!({"path": 1.10}),
        json!({"path": {"a": 1}}),
        json!({"path": null, "count": "x"}),
        json!({"tags": [null]}),
        json!({"unknown": 1}),
    ] {
        let fitted = fit(given.clone());
        assert!(!fitted.fits, "{given}");
        assert!(fitted.repairs.is_empty(), "{given}");
        assert_eq!(fitted.args, given, "nothing is changed where not everything fits");
    }
}

#[test]
fn text_that_is_json_becomes_the_list_or_object_in_it() {
    for (given, repaired, kind) in [
        (json!({"tags": "[\"a\", \"b\"]"}), json!({"tags": ["a", "b"]}), RepairKind::Parsed),
        (json!({"inner": "{\"n\": 1}"}), json!({"inner": {"n": 1}}), RepairKind::Parsed),
        (
            json!({"inner": "```json\n{\"n\": 1}\n```"}),
            json!({"inner": {"n": 1}}),
            RepairKind::Parsed,
        ),
        (json!({"tags": "a"}), json!({"tags": ["a"]}), RepairKind::Wrapped),
        (json!({"ids": 5}), json!({"ids": [5]}), RepairKind::Wrapped),
    ] {
        assert_eq!(fitted(given.clone()), repaired);
        assert_eq!(kinds(given)[0].1, kind);
    }
    assert_eq!(fitted(json!({"ids": "[\"1\", 2]"})), json!({"ids": [1, 2]}));
    assert_eq!(fitted(json!({"ids": "5"})), json!({"ids": [5]}));
    let kinds = kinds(json!({"ids": "[\"1\"]"}));
    assert_eq!(
        kinds,
        [("ids".to_owned(), RepairKind::Parsed), ("ids[0]".to_owned(), RepairKind::Coerced)]
    );
}

#[test]
fn text_that_is_wanted_as_text_stays_text() {
    for given in [json!({"path": "{\"a\": 1}"}), json!({"path": "5"}), json!({"tags": ["[1]"]})] {
        assert_eq!(fitted(given.clone()), given);
        assert!(kinds(given).is_empty());
    }
}

#[test]
fn a_null_where_none_may_be_is_left_out_and_makes_room_for_the_default() {
    assert_eq!(fitted(json!({"count": null, "path": "a"})), json!({"path": "a"}));
    assert_eq!(fitted(json!({"maybe": null})), json!({"maybe": null}));
    assert_eq!(fit(json!({"mode": null})).args, json!({"mode": "fast"}));
    assert_eq!(kinds(json!({"level": null})), [("level".to_owned(), RepairKind::DroppedNull)]);
}

#[test]
fn a_whole_number_with_a_point_is_written_without_it() {
    let fitted = fitted(json!({"count": 5.0, "ratio": 5.0, "inner": {"n": 2.0}, "ids": [1.0]}));
    assert_eq!(fitted.to_string(), r#"{"count":5,"ratio":5.0,"inner":{"n":2},"ids":[1]}"#);
}

#[test]
fn another_name_becomes_the_arguments_own() {
    assert_eq!(fitted(json!({"filepath": "a"})), json!({"path": "a"}));
    assert_eq!(fitted(json!({"number": "5"})), json!({"count": 5}));
    let repairs = fit(json!({"p": "b", "filepath": "a"})).repairs;
    let repaired: Vec<_> =
        repairs.iter().map(|r| (r.kind, r.from.as_deref().unwrap_or(""))).collect();
    assert_eq!(repaired[0], (RepairKind::Renamed, "filepath"), "the first that is declared counts");
    assert_eq!(repaired[1], (RepairKind::DroppedAlias, "p"));
}

#[test]
fn another_name_beside_the_own_one_is_left_out() {
    assert_eq!(fitted(json!({"path": "a", "filepath": "b"})), json!({"path": "a"}));
    assert_eq!(
        kinds(json!({"path": "a", "filepath": "b"})),
        [("filepath".to_owned(), RepairKind::DroppedAlias)]
    );
}

#[test]
fn a_property_of_the_schema_is_never_another_name() {
    assert_eq!(fitted(json!({"file": "a"})), json!({"file": "a"}));
    assert!(!fit(json!({"ratios": 1})).fits, "an alias of a property that is not there is none");
}

#[test]
fn what_the_alias_of_a_tool_calls_otherwise_is_meant_so_though_the_tool_has_that_name() {
    let alias = Alias::of("t").argument("file", "path").argument("ratio", "elsewhere");
    let names = Names { argument_aliases: &BTreeMap::new(), alias: Some(&alias) };
    assert_eq!(schema().fit(names, json!({"file": "a"})).args["path"], "a");
    let given = schema().fit(names, json!({"file": "a", "path": "b"}));
    assert_eq!(given.args, json!({"path": "b", "mode": "fast"}));
    let kept = schema().fit(names, json!({"path": "a", "ratio": 1.5}));
    assert_eq!(kept.args["ratio"], 1.5, "what it stands for is not there");
}

#[test]
fn an_alias_of_the_tool_brings_names_and_defaults_where_the_tool_knows_them() {
    let alias = Alias::of("t")
        .argument("cmd", "path")
        .default("count", 30)
        .default("mode", "slow")
        .default("elsewhere", 1);
    let names = Names { argument_aliases: &BTreeMap::new(), alias: Some(&alias) };
    let fitted = schema().fit(names, json!({"cmd": "ls"}));
    assert_eq!(fitted.args, json!({"path": "ls", "count": 30, "mode": "slow"}));
    let given = schema().fit(names, json!({"cmd": "ls", "count": 5}));
    assert_eq!(given.args["count"], 5);
}

#[test]
fn a_name_of_the_alias_may_say_something_of_another_argument() {
    let alias = Alias::of("t")
        .argument("-n", "count")
        .argument("cmd", "path")
        .implying("-n", ("mode", "quick"))
        .implying("cmd", ("mode", "slow"));
    let names = Names { argument_aliases: &BTreeMap::new(), alias: Some(&alias) };
    let mode = |args| schema().fit(names, args).args["mode"].clone();
    assert_eq!(mode(json!({"cmd": "ls"})), "slow");
    assert_eq!(mode(json!({"cmd": "ls", "-n": 1})), "quick", "the first name counts");
    assert_eq!(mode(json!({"cmd": "ls", "mode": "fast"})), "fast");
    assert_eq!(mode(json!({"path": "ls"})), "fast");
}

#[test]
fn a_default_that_breaks_the_schema_is_not_filled_in() {
    let schema = json!({
        "properties": { "a": { "default": 1 }, "b": { "type": "string", "default": 5 } },
        "maxProperties": 1
    });
    let schema = Schema::compile("t", &schema).unwrap();
    let names = Names { argument_aliases: &BTreeMap::new(), alias: None };
    assert_eq!(schema.fit(names, json!({"a": 2})).args, json!({"a": 2}));
    assert!(schema.fit(names, json!({})).fits);
}

#[test]
fn a_required_argument_with_a_default_need_not_be_given() {
    let schema = json!({
        "properties": { "a": { "type": "integer", "default": 1 } }, "required": ["a"]
    });
    let schema = Schema::compile("t", &schema).unwrap();
    let names = Names { argument_aliases: &BTreeMap::new(), alias: None };
    assert_eq!(schema.fit(names, json!({})).args, json!({"a": 1}));
}

#[test]
fn a_repair_never_holds_a_value() {
    let repairs = fit(json!({"path": 424_242, "ids": "[\"515151\"]"})).repairs;
    let repaired = serde_json::to_string(&repairs).unwrap();
    assert!(!repaired.contains("424242") && !repaired.contains("515151"), "{repaired}");
}

#[test]
fn a_path_is_written_as_people_write_it() {
    assert_eq!(dotted("/a/0/b~1c"), "a[0].b/c");
    assert_eq!(dotted("/0"), "0");
    assert_eq!(dotted(""), "");
}

/// Some JSON, often one that a schema could nearly want.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        (-5i32..5).prop_map(|n| Value::from(f64::from(n))),
        any::<f64>().prop_map(Value::from),
        "[a-z0-9 .{}\\[\\]\"-]{0,8}".prop_map(Value::from),
        prop_oneof![
            Just("5"),
            Just("true"),
            Just("[1]"),
            Just("[\"2\"]"),
            Just("{\"n\": \"3\"}"),
            Just("```\n[1]\n```"),
            Just("1e3"),
            Just("-0"),
            Just("three"),
            Just("null"),
        ]
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key(), inner), 0..4)
                .prop_map(|fields| fields.into_iter().collect::<Value>()),
        ]
    })
}

fn key() -> impl Strategy<Value = String> {
    let keys = [
        "path", "count", "ratio", "flag", "tags", "ids", "maybe", "either", "level", "inner",
        "mode", "file", "filepath", "p", "n", "number", "other", "a/b", "~", "0",
    ];
    proptest::sample::select(keys.to_vec()).prop_map(str::to_owned)
}

fn arguments() -> impl Strategy<Value = Value> {
    proptest::collection::vec((key(), json_value()), 0..6)
        .prop_map(|fields| fields.into_iter().collect::<Value>())
}

/// A schema of the kind that tools have, also with contradictions in it.
fn any_schema() -> impl Strategy<Value = Value> {
    let kind = proptest::sample::select(vec![
        json!({"type": "string"}),
        json!({"type": "integer"}),
        json!({"type": "number"}),
        json!({"type": "boolean"}),
        json!({"type": "array", "items": {"type": "integer"}}),
        json!({"type": "object", "properties": {"n": {"type": "integer"}}}),
        json!({"anyOf": [{"type": "integer"}, {"type": "null"}]}),
        json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
        json!({"enum": [1, "1", true]}),
        json!({"const": 5}),
        json!({"type": "integer", "default": "x"}),
        json!({"type": "string", "default": "d", "minLength": 1}),
        json!({"type": ["string", "integer"], "minimum": 3}),
    ]);
    let required = proptest::collection::vec(key(), 0..2);
    let properties = proptest::collection::vec((key(), kind), 0..5);
    (properties, required, any::<bool>()).prop_map(|(properties, mut required, open)| {
        required.dedup();
        let properties: Value = properties.into_iter().collect();
        json!({
            "type": "object", "properties": properties, "required": required,
            "additionalProperties": open
        })
    })
}

/// Equal to JSON Schema: `5` and `5.0` are the same.
fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a == b || a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(k, v)| b.get(k).is_some_and(|b| same(v, b)))
        }
        _ => a == b,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_fits_and_what_is_not_is_reported(schema in any_schema(), args in arguments()) {
        let schema = Schema::compile("t", &schema).unwrap();
        let names = Names { argument_aliases: &aliases(), alias: None };
        let fitted = schema.fit(names, args.clone());
        prop_assert_eq!(schema.accepts(&fitted.args), fitted.fits);
        if fitted.fits {
            prop_assert!(schema.complaints(&fitted.args).is_empty());
        } else {
            let complaints = schema.complaints(&fitted.args);
            prop_assert!(!complaints.is_empty() && complaints.len() <= 5);
            prop_assert!(fitted.repairs.is_empty());
            prop_assert!(!schema.accepts(&args), "valid arguments were refused");
        }
    }

    #[test]
    fn a_second_repair_finds_nothing_to_do(schema in any_schema(), args in arguments()) {
        let schema = Schema::compile("t", &schema).unwrap();
        let names = Names { argument_aliases: &aliases(), alias: None };
        let once = schema.fit(names, args);
        if once.fits {
            let twice = schema.fit(names, once.args.clone());
            prop_assert!(twice.fits);
            prop_assert_eq!(twice.args, once.args);
            prop_assert!(twice.repairs.is_empty(), "{:?}", twice.repairs);
        }
    }

    #[test]
    fn valid_arguments_keep_every_value(schema in any_schema(), args in arguments()) {
        let schema = Schema::compile("t", &schema).unwrap();
        let names = Names { argument_aliases: &BTreeMap::new(), alias: None };
        if schema.accepts(&args) {
            let fitted = schema.fit(names, args.clone()).args;
            let fitted = fitted.as_object().unwrap();
            for (name, value) in args.as_object().unwrap() {
                prop_assert!(fitted.get(name).is_some_and(|kept| same(kept, value)), "{name}");
            }
            let added = fitted.keys().filter(|name| args.get(name.as_str()).is_none());
            for name in added {
                prop_assert!(schema.defaults().iter().any(|(known, _)| known == name));
            }
        }
    }
}

#[test]
fn the_record_of_repairs_is_short_however_long_the_arguments_are() {
    let ids = |one: Value| json!({ "ids": vec![one; 5_000] });
    let whole = fit(ids(json!(1.0)));
    assert_eq!(whole.args["ids"], json!(vec![1; 5_000]));
    assert!(whole.fits && whole.repairs.len() <= MOST_REPAIRS + 1, "{}", whole.repairs.len());
}

#[test]
fn a_null_for_a_constant_that_may_be_left_out_is_dropped() {
    let schema = json!({
        "properties": { "kind": { "const": "a" }, "n": { "type": "integer" } },
        "additionalProperties": false
    });
    let schema = Schema::compile("t", &schema).unwrap();
    let none = BTreeMap::new();
    let names = Names { argument_aliases: &none, alias: None };
    let fitted = schema.fit(names, json!({ "kind": null, "n": 1 }));
    assert!(fitted.fits && fitted.args == json!({ "n": 1 }), "{fitted:?}");
}

#[test]
fn the_nulls_that_a_strict_definition_asks_for_are_dropped_however_many_they_are() {
    let schema = json!({
        "properties": { "list": { "type": "array", "items": {
            "type": "object",
            "properties": { "a": { "type": "integer" }, "b": { "type": "string" } },
            "required": ["a"], "additionalProperties": false
        } } }
    });
    let schema = Schema::compile("t", &schema).unwrap();
    let none = BTreeMap::new();
    let names = Names { argument_aliases: &none, alias: None };
    let fitted = schema.fit(names, json!({ "list": vec![json!({ "a": 1, "b": null }); 1_000] }));
    assert!(fitted.fits, "{}", fitted.args);
    assert_eq!(fitted.args["list"], json!(vec![json!({ "a": 1 }); 1_000]));
}

#[test]
fn no_default_takes_the_place_of_an_argument_that_came_under_another_name() {
    let schema = json!({ "properties": { "path": { "type": "string", "default": "." } } });
    let schema = Schema::compile("t", &schema).unwrap();
    let names = aliases();
    let names = Names { argument_aliases: &names, alias: None };
    let fitted = schema.fit(names, json!({ "file": 0.5 }));
    assert_eq!((fitted.args, fitted.repairs), (json!({ "file": 0.5 }), vec![]));
    let named = schema.fit(names, json!({ "file": "a" }));
    assert_eq!(named.args, json!({ "path": "a" }));
}
