use serde_json::{Value, json};

use super::*;

const PROVIDERS: [(Dialect, bool); 5] = [
    (Dialect::OpenAi, false),
    (Dialect::OpenAi, true),
    (Dialect::Anthropic, false),
    (Dialect::Anthropic, true),
    (Dialect::Gemini, false),
];

fn spec(parameters: Value) -> ToolSpec {
    ToolSpec { parameters, ..ToolSpec::new("t", "A tool.") }
}

fn converted(dialect: Dialect, strict: bool, parameters: &Value) -> Result<Value, Unfit> {
    let mut definition = dialect.define("t", &spec(parameters.clone()), strict)?;
    Ok(match dialect {
        Dialect::OpenAi => definition["function"]["parameters"].take(),
        Dialect::Anthropic => definition["input_schema"].take(),
        _ => definition["parametersJsonSchema"].take(),
    })
}

fn property(dialect: Dialect, strict: bool, schema: Value) -> Result<Value, Unfit> {
    let parameters = json!({ "type": "object", "properties": { "p": schema }, "required": ["p"] });
    converted(dialect, strict, &parameters).map(|mut converted| converted["properties"]["p"].take())
}

#[test]
fn every_name_that_the_registry_takes_suits_every_provider() {
    for name in ["a", "_", "read_file", "Read", "mcp_x__y-z", &"x".repeat(64)] {
        assert!(ToolSpec::check_name(name).is_ok());
        for (_, dialect) in Dialect::ALL {
            assert!(dialect.takes_name(name), "{dialect} {name}");
        }
    }
    assert!(!Dialect::Anthropic.takes_name("a.b") && Dialect::Mcp.takes_name("a.b"));
    assert!(!Dialect::Gemini.takes_name("1a") && !Dialect::OpenAi.takes_name(&"x".repeat(65)));
    assert!(Dialect::OpenAi.define("a.b", &spec(json!({})), false).is_err());
}

#[test]
fn mcp_and_plain_schemas_are_the_tools_own() {
    let own = json!({
        "type": "object", "properties": { "p": { "$ref": "#/$defs/P" } },
        "$defs": { "P": { "oneOf": [{ "const": 1 }, { "type": "string", "minLength": 2 }] } }
    });
    let mcp = Dialect::Mcp.define("t", &spec(own.clone()), true).unwrap();
    assert_eq!(mcp["inputSchema"], own);
    let plain = Dialect::JsonSchema.define("t", &spec(own.clone()), true).unwrap();
    assert_eq!((&plain["title"], &plain["description"]), (&json!("t"), &json!("A tool.")));
    assert_eq!(plain["$defs"], own["$defs"]);
}

#[test]
fn a_definition_does_not_change_the_tool_and_comes_out_the_same_twice() {
    let own = spec(json!({
        "type": "object",
        "properties": { "z": { "const": 1 }, "a": { "type": "string", "minLength": 1 } },
        "allOf": [{ "required": ["z"] }, { "required": ["a"] }]
    }));
    for (dialect, strict) in PROVIDERS {
        let before = own.clone();
        let one = dialect.define("t", &own, strict).unwrap().to_string();
        assert_eq!(one, dialect.define("t", &own, strict).unwrap().to_string());
        assert_eq!(own, before);
    }
}

#[test]
fn values_are_never_taken_for_schemas() {
    let value = json!({ "pattern": "(?=x)", "oneOf": [], "$ref": "#/nowhere", "format": "x" });
    for (dialect, strict) in PROVIDERS {
        let schema = json!({ "type": "string", "enum": ["$ref"], "default": value });
        let converted = property(dialect, strict, schema).unwrap();
        match converted.get("default") {
            Some(kept) => assert_eq!(*kept, value),
            None => assert!(converted["description"].as_str().unwrap().contains("#/nowhere")),
        }
    }
}

#[test]
fn an_inner_schema_that_holds_itself_stays_is_cut_or_is_refused() {
    let tree = json!({
        "type": "object",
        "properties": { "left": { "$ref": "#" }, "name": { "type": "string" } },
        "required": ["name"]
    });
    let kept = converted(Dialect::OpenAi, true, &tree).unwrap();
    assert_eq!(
        kept["properties"]["left"],
        json!({ "anyOf": [{ "$ref": "#" }, { "type": "null" }] })
    );
    let cut = converted(Dialect::Gemini, false, &tree).unwrap();
    let text = cut["properties"]["left"]["description"].as_str().unwrap();
    assert!(text.contains("circular reference"), "{text}");
    let refused = converted(Dialect::Anthropic, true, &tree).unwrap_err();
    assert_eq!(refused.path, "/properties/left");
}

#[test]
fn what_is_said_beside_a_reference_that_stays_is_described() {
    let tree = |beside: Value| {
        let mut child = json!({ "$ref": "#/$defs/node" });
        child.as_object_mut().unwrap().extend(beside.as_object().unwrap().clone());
        json!({
            "type": "object", "properties": { "child": child, "other": { "$ref": "#/$defs/node" } },
            "required": ["child", "other"],
            "$defs": { "node": {
                "type": "object", "properties": {
                    "next": { "$ref": "#/$defs/node", "description": "The one after." }
                }
            } }
        })
    };
    let said = json!({ "description": "The first.", "title": "First", "default": {} });
    let reference = json!({ "$ref": "#/$defs/node" });
    let next = |converted: &Value| converted["$defs"]["node"]["properties"]["next"].clone();
    for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
        let converted = converted(dialect, false, &tree(said.clone())).unwrap();
        let mut both = reference.clone();
        both.as_object_mut().unwrap().extend(said.as_object().unwrap().clone());
        assert_eq!(converted["properties"]["child"], both);
        assert_eq!(next(&converted)["description"], "The one after.");
        assert_eq!(converted["properties"]["other"], reference);
    }
    let strict = converted(Dialect::OpenAi, true, &tree(said.clone())).unwrap();
    let child = &strict["properties"]["child"];
    assert_eq!((&child["anyOf"], &child["title"]), (&json!([reference]), &json!("First")));
    assert_eq!(child["description"], "The first. (default: {})");
    assert_eq!(next(&strict)["anyOf"], json!([reference, { "type": "null" }]));
    assert_eq!(next(&strict)["description"], "The one after.");
    assert_eq!(strict["properties"]["other"], reference);
    let narrowed = converted(Dialect::OpenAi, true, &tree(json!({ "minProperties": 1 }))).unwrap();
    let child = &narrowed["properties"]["child"];
    assert_eq!(child["description"], "(minProperties: 1)");
    let cut = converted(Dialect::Gemini, false, &tree(said)).unwrap();
    let next = cut["properties"]["child"]["properties"]["next"]["description"].clone();
    assert!(next.as_str().unwrap().starts_with("The one after. (circular"), "{next}");
}

#[test]
fn a_reference_that_stays_may_stand_in_an_all_of_of_its_own() {
    let tree = json!({
        "type": "object",
        "properties": {
            "left": { "allOf": [{ "$ref": "#" }], "description": "The left one." },
            "right": { "anyOf": [{ "$ref": "#" }], "description": "The right one." }
        },
        "required": ["left", "right"]
    });
    for (name, said) in [("left", "The left one."), ("right", "The right one.")] {
        let around = json!({ "description": said, "anyOf": [{ "$ref": "#" }] });
        assert_eq!(converted(Dialect::OpenAi, true, &tree).unwrap()["properties"][name], around);
        let beside = json!({ "$ref": "#", "description": said });
        for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
            assert_eq!(converted(dialect, false, &tree).unwrap()["properties"][name], beside);
        }
    }
}

#[test]
fn references_go_by_pointer_and_one_that_leads_nowhere_is_reported() {
    let schema = |pointer: &str| {
        json!({
            "type": "object", "properties": { "p": { "$ref": pointer } },
            "$defs": { "a/b c": { "type": "string" } }
        })
    };
    let found = converted(Dialect::Gemini, false, &schema("#/$defs/a~1b%20c")).unwrap();
    assert_eq!(found["properties"]["p"], json!({ "type": "string" }));
    for nowhere in ["#/$defs/x", "#x", "other.json"] {
        let unfit = converted(Dialect::Gemini, false, &schema(nowhere)).unwrap_err();
        assert_eq!(unfit.path, "/properties/p");
    }
}

#[test]
fn references_that_multiply_are_refused_before_they_fill_the_memory() {
    let mut definitions = serde_json::Map::new();
    definitions.insert("d0".into(), json!({ "type": "string" }));
    for level in 1..40 {
        let below = json!({ "$ref": format!("#/$defs/d{}", level - 1) });
        let both = json!({ "type": "object", "properties": { "a": below, "b": below } });
        definitions.insert(format!("d{level}"), both);
    }
    let bomb = json!({
        "type": "object", "properties": { "p": { "$ref": "#/$defs/d39" } }, "$defs": definitions
    });
    for (dialect, strict) in PROVIDERS {
        assert!(converted(dialect, strict, &bomb).is_err(), "{dialect}");
    }
}

#[test]
fn strict_mode_requires_every_property_and_lets_the_optional_ones_be_null() {
    let schema = json!({
        "type": "object",
        "properties": {
            "o": { "type": "object", "properties": { "x": { "type": "string" } }, "description": "O." },
            "e": { "type": "string", "enum": ["a"] },
            "n": { "type": ["string", "null"] },
            "u": { "anyOf": [{ "type": "string" }, { "type": "integer" }] }
        }
    });
    let converted = converted(Dialect::OpenAi, true, &schema).unwrap();
    let closed = json!({
        "type": "object", "properties": { "x": { "type": ["string", "null"] } },
        "required": ["x"], "additionalProperties": false
    });
    assert_eq!(
        converted["properties"],
        json!({
            "o": { "description": "O.", "anyOf": [closed, { "type": "null" }] },
            "e": { "type": ["string", "null"], "enum": ["a", null] },
            "n": { "type": ["string", "null"] },
            "u": { "anyOf": [{ "type": "string" }, { "type": "integer" }, { "type": "null" }] }
        })
    );
    assert_eq!(converted["required"], json!(["o", "e", "n", "u"]));
    assert_eq!(converted["additionalProperties"], json!(false));
}

#[test]
fn what_strict_mode_cannot_say_is_reported_with_its_place() {
    let cases = [
        (json!({}), "/properties/p"),
        (json!(true), "/properties/p"),
        (json!({ "type": "object" }), "/properties/p"),
        (
            json!({ "type": "object", "additionalProperties": { "type": "string" } }),
            "/properties/p",
        ),
        (json!({ "type": "array" }), "/properties/p"),
        (json!({ "type": "array", "items": {} }), "/properties/p/items"),
        (json!({ "anyOf": [{ "type": "string" }, {}] }), "/properties/p/anyOf/1"),
        (
            json!({ "anyOf": [{ "type": "string" }], "oneOf": [{ "type": "string" }] }),
            "/properties/p",
        ),
    ];
    for (schema, path) in cases {
        for dialect in [Dialect::OpenAi, Dialect::Anthropic] {
            let unfit = property(dialect, true, schema.clone()).unwrap_err();
            assert_eq!(unfit.path, path, "{dialect} {schema}");
        }
    }
}

#[test]
fn strict_openai_has_limits_of_size() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..9 {
        deep = json!({ "type": "array", "items": deep });
    }
    assert!(property(Dialect::OpenAi, true, deep.clone()).is_ok());
    let deeper = json!({ "type": "array", "items": deep });
    assert!(property(Dialect::OpenAi, true, deeper.clone()).is_err());
    assert!(property(Dialect::Anthropic, true, deeper).is_ok());
    let many = |count: usize| {
        let properties: serde_json::Map<String, Value> =
            (0..count).map(|n| (format!("p{n}"), json!({ "type": "string" }))).collect();
        json!({ "type": "object", "properties": properties })
    };
    assert!(converted(Dialect::OpenAi, true, &many(5_000)).is_ok());
    assert!(converted(Dialect::OpenAi, true, &many(5_001)).is_err());
    let values: Vec<usize> = (0..1_001).collect();
    assert!(property(Dialect::OpenAi, true, json!({ "enum": values })).is_err());
}

#[test]
fn parts_that_all_hold_become_one_schema() {
    let schema = json!({ "allOf": [
        { "type": ["integer", "string"], "minimum": 1, "enum": [1, 2, 3] },
        { "type": "number", "minimum": 2, "maximum": 9, "enum": [2, 3, 4] },
        true
    ]});
    let merged = property(Dialect::OpenAi, false, schema).unwrap();
    let expected = json!({ "type": "integer", "minimum": 2, "maximum": 9, "enum": [2, 3] });
    assert_eq!(merged, expected);
    let torn = json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] });
    assert_eq!(property(Dialect::OpenAi, false, torn.clone()).unwrap(), torn);
    assert!(property(Dialect::Gemini, false, torn).is_err());
}

#[test]
fn what_stands_beside_a_union_goes_into_its_variants() {
    let schema = json!({
        "type": "object", "description": "D.", "properties": { "k": { "type": "string" } },
        "oneOf": [
            { "properties": { "a": { "type": "string" } }, "required": ["a"] },
            { "type": "string" }
        ]
    });
    let converted = property(Dialect::Gemini, false, schema).unwrap();
    let expected = json!({
        "description": "D.", "type": "object", "required": ["a"],
        "properties": { "a": { "type": "string" }, "k": { "type": "string" } }
    });
    assert_eq!(converted, expected);
}

#[test]
fn a_root_that_is_no_object_is_refused() {
    let schema = json!({ "anyOf": [{ "type": "object" }, { "type": "string" }] });
    for (dialect, strict) in PROVIDERS {
        assert_eq!(converted(dialect, strict, &schema).unwrap_err().path, "/anyOf/1", "{dialect}");
    }
}

#[test]
fn an_argument_that_anthropic_cannot_name_puts_the_tool_aside() {
    let schema = json!({ "type": "object", "properties": { "größe": { "type": "string" } } });
    assert_eq!(
        converted(Dialect::Anthropic, false, &schema).unwrap_err().path,
        "/properties/größe"
    );
    assert!(converted(Dialect::OpenAi, false, &schema).is_ok());
}

#[test]
fn a_schema_that_is_too_deep_is_refused() {
    let mut deep = json!({ "type": "string" });
    for _ in 0..40 {
        deep = json!({ "type": "object", "properties": { "p": deep } });
    }
    assert!(converted(Dialect::Gemini, false, &deep).is_ok());
    for _ in 0..60 {
        deep = json!({ "type": "object", "properties": { "p": deep } });
    }
    for (dialect, strict) in PROVIDERS {
        assert!(converted(dialect, strict, &deep).is_err(), "{dialect}");
    }
}

#[test]
fn a_schema_that_would_grow_beyond_all_bounds_is_unfit_and_not_written_out() {
    let forms = json!([{ "minProperties": 0 }, { "minProperties": 1 }]);
    let mut nested = json!({ "type": "object" });
    for _ in 0..26 {
        nested = json!({ "anyOf": forms, "type": "object", "properties": { "p": nested } });
    }
    let doubling = json!({ "type": "object", "properties": { "p": nested } });
    let many: Vec<String> = (0..20_000).map(|n| format!("value-{n}")).collect();
    let names = (0..200).map(|n| (format!("p{n}"), json!({ "$ref": "#/$defs/many" })));
    let properties: serde_json::Map<String, Value> = names.collect();
    let repeated = json!({ "properties": properties, "$defs": { "many": { "enum": many } } });
    for (dialect, strict) in PROVIDERS {
        for schema in [&doubling, &repeated] {
            let converted = converted(dialect, strict, schema);
            let reason = converted.map(|converted| converted.to_string().len()).unwrap_err().reason;
            assert!(reason.contains("too large"), "{dialect} {strict}: {reason}");
        }
    }
}

#[test]
fn gemini_gets_no_boolean_in_the_place_of_a_schema() {
    let schema = json!({
        "properties": {
            "any": true, "none": false, "list": { "type": "array", "items": true },
            "inner": { "type": "object", "properties": { "any": true } }
        }
    });
    let converted = converted(Dialect::Gemini, false, &schema).unwrap();
    let properties = &converted["properties"];
    assert_eq!(properties["any"], json!({}));
    assert_eq!(properties["inner"]["properties"]["any"], json!({}));
    assert_eq!(properties["list"], json!({ "type": "array" }));
    assert!(properties.get("none").is_none());
}

#[test]
fn a_form_that_cannot_be_merged_with_what_stands_beside_it_is_not_lost() {
    let schema = json!({
        "properties": {
            "p": { "type": "string", "pattern": "^a", "anyOf": [{ "pattern": "b$" }, { "minLength": 5 }] },
            "q": {
                "type": "object",
                "anyOf": [{ "$ref": "#/$defs/node" }, { "properties": { "x": { "type": "string" } } }]
            },
            "r": { "type": "string", "anyOf": [{ "type": "integer" }, { "minLength": 7 }] }
        },
        "$defs": { "node": {
            "type": "object", "properties": { "inner": { "$ref": "#/$defs/node" } }
        } }
    });
    let converted = converted(Dialect::OpenAi, false, &schema).unwrap();
    let forms = |name: &str| converted["properties"][name]["anyOf"].as_array().map(Vec::len);
    assert_eq!((forms("p"), forms("q")), (Some(2), Some(2)), "{converted}");
    assert_eq!(converted["properties"]["r"], json!({ "type": "string", "minLength": 7 }));
}
