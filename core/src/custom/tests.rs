//! Templates: what is refused when a tool is defined, and what a shell makes of what is bound.

use std::process::Command;

use serde_json::{Value, json};

use super::Definition;
use crate::policy::Permit;
use crate::store::{CustomTool, CustomToolKey};

fn row(command: &str, properties: &Value, required: &[&str]) -> CustomTool {
    let (tenant, name) = ("default".to_owned(), "t".to_owned());
    CustomTool {
        key: CustomToolKey { tenant, agent: None, name },
        description: String::new(),
        parameters: json!({ "type": "object", "properties": properties, "required": required }),
        command: command.to_owned(),
        working_dir: None,
        timeout_seconds: 60,
        enabled: true,
        permit: Permit::default(),
        settings: json!({}),
        created_by: String::new(),
        env_names: Vec::new(),
        version: 1,
        updated_at_ms: 0,
    }
}

fn defined(command: &str) -> Result<Definition, String> {
    let properties = json!({
        "a": { "type": "string" },
        "b": { "type": "string" },
        "n": { "type": "integer" },
        "flag": { "type": "boolean" },
        "list": { "type": "array", "items": { "type": "string" } },
        "mode": { "type": "string", "enum": ["-x", "plain"] },
        "may-be": {},
    });
    let required = ["a", "b", "n"];
    Definition::new(row(command, &properties, &required))
        .map_err(|error| error.message().to_owned())
}

fn rendered(command: &str, args: &Value) -> Result<String, String> {
    defined(command).unwrap().command(args).map_err(|error| error.message)
}

#[test]
fn a_place_becomes_one_quoted_word() {
    for (command, args, expected) in [
        ("echo {{.a}}", json!({ "a": "hi" }), "echo 'hi'"),
        ("echo {{ .a }}", json!({ "a": "it's" }), r"echo 'it'\''s'"),
        ("echo {{.a}}", json!({ "a": "" }), "echo ''"),
        ("echo {{.a}}", json!({ "a": "$(id) `id` ; id\nid" }), "echo '$(id) `id` ; id\nid'"),
        ("echo --x={{.a}}/{{.b}}", json!({ "a": "1", "b": "2" }), "echo --x='1'/'2'"),
        ("echo \"$HOME\"/{{.a}}", json!({ "a": "x" }), "echo \"$HOME\"/'x'"),
        ("echo {{.a}} {{.b}}", json!({ "a": "{{.b}}", "b": "; id #" }), "echo '{{.b}}' '; id #'"),
        ("x={{.a}}; echo \"$x\"", json!({ "a": "v" }), "x='v'; echo \"$x\""),
        ("cat < {{.a}} > out-{{.b}}", json!({ "a": "i", "b": "o" }), "cat < 'i' > out-'o'"),
        ("echo \"$(date -d {{.a}})\"", json!({ "a": "now" }), "echo \"$(date -d 'now')\""),
        (
            "for f in {{.list}}; do echo \"$f\"; done",
            json!({ "list": ["p", "q r"] }),
            "for f in 'p' 'q r'; do echo \"$f\"; done",
        ),
        (
            "curl -s \\\n  --max-time {{.n}} -- {{.a}}",
            json!({ "n": 5, "a": "u" }),
            "curl -s \\\n  --max-time '5' -- 'u'",
        ),
        ("ls *.{{.a}}", json!({ "a": "*" }), "ls *.'*'"),
        ("awk '{{ print }}' {{.a}}", json!({ "a": "f" }), "awk '{{ print }}' 'f'"),
    ] {
        assert_eq!(rendered(command, &args).as_deref(), Ok(expected), "{command}");
    }
}

#[test]
fn every_kind_of_value_has_one_form() {
    for (value, expected) in [
        (json!(true), "echo 'true'"),
        (json!(10), "echo '10'"),
        (json!(-3), "echo '-3'"),
        (json!(0.1), "echo '0.1'"),
        (json!(1_000_000), "echo '1000000'"),
        (json!(5.0), "echo '5'"),
        (json!(1e21), "echo '1000000000000000000000'"),
        (json!(1e-7), "echo '0.0000001'"),
        (json!(u64::MAX), "echo '18446744073709551615'"),
        (json!(null), "echo "),
        (json!([]), "echo "),
        (json!(["x y", 2, null, ["z"]]), "echo 'x y' '2' 'null' '[\"z\"]'"),
        (json!({ "k": "v'w" }), r#"echo '{"k":"v'\''w"}'"#),
    ] {
        let args = json!({ "may-be": value });
        assert_eq!(rendered("echo {{.may-be}}", &args).as_deref(), Ok(expected), "{value}");
    }
    assert_eq!(rendered("echo {{.may-be}}", &json!({})).as_deref(), Ok("echo "));
    assert_eq!(rendered("ls --x={{.may-be}} y", &json!({})).as_deref(), Ok("ls  y"));
    let why = rendered("echo x{{.may-be}}", &json!({ "may-be": ["a"] })).unwrap_err();
    assert!(why.contains("`may-be`") && why.contains("list"), "{why}");
    let why = rendered("echo {{.a}}", &json!({ "a": "x\0y" })).unwrap_err();
    assert!(why.contains("`a`") && why.contains("NUL"), "{why}");
}

#[test]
fn a_value_does_not_become_an_option_unless_the_owner_has_listed_it() {
    for (command, args) in [
        ("ls {{.a}}", json!({ "a": "-la" })),
        ("ls -l {{.a}}{{.b}}", json!({ "a": "--x", "b": "" })),
        ("ls ''{{.a}}", json!({ "a": "-la" })),
        ("x=; ls \"$x\"{{.a}}", json!({ "a": "-la" })),
        ("ls ${NOT_SET-}{{.a}}", json!({ "a": "-la" })),
        ("ls $(true){{.a}}", json!({ "a": "-la" })),
        ("ls {{.list}}", json!({ "list": ["a", "-R"] })),
        ("ls {{.mode}}", json!({ "mode": "-y" })),
        ("f={{.a}}; ls \"$f\"", json!({ "a": "-la" })),
        ("for f in {{.list}}; do rm \"$f\"; done", json!({ "list": ["a", "-rf"] })),
        ("set -- {{.a}}; ls \"$@\"", json!({ "a": "-la" })),
        ("export X={{.a}}; env ls \"$X\"", json!({ "a": "-la" })),
        ("find -- {{.a}}", json!({ "a": "-delete" })),
    ] {
        let why = rendered(command, &args).unwrap_err();
        assert!(why.contains("option"), "{command}: {why}");
    }
    for (command, args, expected) in [
        ("ls -- {{.a}}", json!({ "a": "-la" }), "ls -- '-la'"),
        ("ls --x={{.a}}", json!({ "a": "-la" }), "ls --x='-la'"),
        ("ls \"$HOME/\"{{.a}}", json!({ "a": "-la" }), "ls \"$HOME/\"'-la'"),
        ("ls {{.mode}}", json!({ "mode": "-x" }), "ls '-x'"),
        ("head -n {{.n}}", json!({ "n": -5 }), "head -n '-5'"),
        ("x={{.a}}; cat -- \"$x\"", json!({ "a": "-" }), "x='-'; cat -- \"$x\""),
        ("x={{.a}}; echo \"$x\"", json!({ "a": "-x" }), "x='-x'; echo \"$x\""),
        ("x={{.a}}; ls --y=\"$x\"", json!({ "a": "-x" }), "x='-x'; ls --y=\"$x\""),
        ("x={{.a}}; mail \"$x\"", json!({ "a": "- one\n- two" }), "x='- one\n- two'; mail \"$x\""),
    ] {
        assert_eq!(rendered(command, &args).as_deref(), Ok(expected), "{command}");
    }
}

/// Templates, and a word of what is said of them.
const REFUSED: &[(&str, &str)] = &[
    ("echo \"{{.a}}\"", "between quotes"),
    ("echo '{{.a}}'", "between quotes"),
    ("echo \"x {{.a}} y\"", "between quotes"),
    ("echo $'{{.a}}'", "between quotes"),
    ("cat <<EOF\n{{.a}}\nEOF", "here-document"),
    ("cat <<'EOF'\n{{.a}}\nEOF", "here-document"),
    ("echo `date {{.a}}`", "backticks"),
    ("echo \"`date {{.a}}`\"", "backticks"),
    ("`{{.a}}`", ""),
    ("echo x`date -d {{.a}} `{{.b}}", "backticks"),
    ("echo $(( {{.n}} + 1 ))", "arithmetic"),
    ("(( {{.n}} > 1 )) && echo x", "arithmetic"),
    ("[[ {{.a}} == x ]] && echo y", "`[[ … ]]`"),
    ("echo ${x:-{{.a}}}", "`${…}`"),
    ("echo {x,{{.a}}}", "braces"),
    ("echo x # {{.a}}", "comment"),
    ("{{.a}}=x env", "as a name"),
    ("x[{{.n}}]=1; echo x", ""),
    ("{{.a}} --version", "choose the program"),
    ("./bin/{{.a}} --version", "choose the program"),
    ("x | {{.a}}", "choose the program"),
    ("eval {{.a}}", "`eval`"),
    ("eval echo {{.a}}", "`eval`"),
    (". {{.a}}", "`.`"),
    ("trap {{.a}} EXIT", "`trap`"),
    ("export {{.a}}", "`export`"),
    ("declare {{.a}}", "`declare`"),
    ("read {{.a}}", "`read`"),
    ("[ -v {{.a}} ]", "`[`"),
    ("printf -v {{.a}} x", "`printf`"),
    ("printf -v{{.a}} x", "`printf`"),
    ("bash -c {{.a}}", "run as code"),
    ("sh -c '\"$0\"' {{.a}}", "run as code"),
    ("sh -c '$1' x {{.a}}", "run as code"),
    ("bash -c 'eval \"$1\"' x {{.a}}", "run as code"),
    ("echo {{.a}} | sh", "run as code"),
    ("xargs {{.a}} < f", "run as code"),
    ("find . -exec {{.a}} ';'", "run as code"),
    ("python3 -c {{.a}}", "run as code"),
    ("awk {{.a}} f", "run as code"),
    ("perl -e {{.a}}", "run as code"),
    ("node -e {{.a}}", "run as code"),
    ("xargs -I @ sh -c {{.a}} < f", "run as code"),
    ("env -S {{.a}}", "run as code"),
    ("timeout 5 {{.a}}", "run as code"),
    ("sudo {{.a}} x", "run as code"),
    ("env {{.a}} x", "run as code"),
    ("ssh host -- uptime {{.a}}", "run as code"),
    ("x={{.a}}; eval \"$x\"", "run as code"),
    ("x={{.a}}; $x", "run as code"),
    ("x={{.a}}; echo $((x + 1))", "kept in a variable"),
    ("for x in {{.list}}; do echo $((x)); done", "kept in a variable"),
    ("echo {{.other}}", "names no parameter"),
    ("echo {{.aa}}", "names no parameter"),
    ("echo {{.a }", "no place"),
    ("echo {{.}}", "no place"),
    ("echo {{.a.b}}", "no place"),
    ("echo x{{.list}}", "is a list"),
    ("cat < {{.list}}", "is a list"),
    ("cat < {{.flag}}", "`required`"),
    ("echo (", "cannot be understood"),
    ("# only", "no command"),
    ("  ", "empty"),
];

#[test]
fn a_place_where_a_shell_reads_more_than_a_word_is_refused() {
    for (command, word) in REFUSED {
        match defined(command) {
            Ok(made) => panic!("`{command}` was let through as {:?}", made.command(&json!({}))),
            Err(why) => {
                assert!(why.starts_with("`command`: "), "{command}: {why}");
                assert!(why.contains(word) && !why.contains("TOOLKEEP"), "{command}: {why}");
            }
        }
    }
}

#[test]
fn what_is_ordinary_is_let_through() {
    for command in [
        "dig +short {{.a}} {{.b}}",
        "curl -sS --max-time 10 -- https://example.com/{{.a}}",
        "git log --oneline -n {{.n}} -- {{.a}}",
        "grep -rn -e {{.a}} .",
        "python3 tool.py {{.a}} --list {{.list}}",
        "python3 -c 'import sys; print(sys.argv[1])' {{.a}}",
        "jq -r --arg name {{.a}} '.[$name]' data.json",
        "awk -v n={{.n}} 'NR == n' -- {{.a}}",
        "find . -name {{.a}} -maxdepth {{.n}}",
        "tar -czf out.tgz -- {{.list}}",
        "if [ {{.flag}} = true ]; then echo {{.a}}; else echo {{.b}}; fi",
        "case {{.a}} in x) echo 1 ;; *) echo 2 ;; esac",
        "set -- {{.list}}; echo \"$#\"",
        "n={{.n}}; echo $((n * 2))",
        "export NAME={{.a}}; printenv NAME",
        "cat <<< {{.a}}",
        "docker ps --format '{''{.Names}}'",
        "psql -v id={{.n}} -c 'select 1'",
        "diff <(sort {{.a}}) <(sort {{.b}})",
        "make -C {{.a}} test",
        "timeout 5 ls {{.a}}",
        "xargs -n 1 echo {{.a}}",
    ] {
        if let Err(why) = defined(command) {
            let required = why.contains("`required`") && command.contains("flag");
            assert!(required, "{command}: {why}");
        }
    }
}

#[test]
fn a_shell_gets_back_exactly_what_was_bound() {
    let nasty = [
        "plain",
        "",
        " ",
        "a b",
        "it's",
        "''",
        "\"",
        "\\",
        "\\'",
        "$(id)",
        "`id`",
        "$HOME",
        "a;id",
        "a\nid\n",
        "a && id",
        "a | id",
        "> x",
        "*",
        "~",
        "!!",
        "#x",
        "{a,b}",
        "{{.b}}",
        "é🦀",
        "\t",
        "$'\\x41'",
        "%s",
        "\u{7f}\u{1b}[0m",
    ];
    for one in nasty {
        for other in ["x", "'", "$(id)"] {
            let command = "printf '%s\\0' -- {{.a}} x{{.b}}y {{.list}}";
            let args = json!({ "a": one, "b": other, "list": [other, one] });
            let text = rendered(command, &args).unwrap();
            let output = Command::new("bash").args(["-c", &text]).output().unwrap();
            let expected = format!("--\0{one}\0x{other}y\0{other}\0{one}\0");
            assert_eq!(String::from_utf8_lossy(&output.stdout), expected, "{text}");
        }
    }
}

#[test]
fn what_else_is_wrong_is_named_by_its_field() {
    let good = row("true", &json!({}), &[]);
    let key = |name: &str| CustomToolKey { name: name.into(), ..good.key.clone() };
    for (bad, word) in [
        (CustomTool { key: key("a b"), ..good.clone() }, "tool name"),
        (CustomTool { timeout_seconds: 0, ..good.clone() }, "`timeout_seconds`"),
        (CustomTool { timeout_seconds: 3_601, ..good.clone() }, "`timeout_seconds`"),
        (CustomTool { working_dir: Some(String::new()), ..good.clone() }, "`working_dir`"),
        (CustomTool { working_dir: Some("a/../b".into()), ..good.clone() }, "`working_dir`"),
        (CustomTool { parameters: json!({ "type": "string" }), ..good.clone() }, "`parameters`"),
        (CustomTool { env_names: vec!["LD_PRELOAD".into()], ..good.clone() }, "`env`"),
        (
            CustomTool {
                permit: Permit { write: vec!["/".into()], ..Permit::default() },
                ..good.clone()
            },
            "`write`",
        ),
    ] {
        let error = Definition::new(bad).unwrap_err();
        assert!(error.message().contains(word), "{}", error.message());
    }
    assert!(Definition::new(good).is_ok());
}
