use serde_json::{Value, json};

use super::*;

fn spec(parameters: Value) -> ToolSpec {
    ToolSpec { parameters, ..ToolSpec::new("t", "A tool.") }
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
