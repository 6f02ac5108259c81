use std::process::Command;

use proptest::prelude::*;

use super::*;
use crate::invocation::{Invocation, Locus, Stdin, Stdout};

const SUB: Grammar = Grammar {
    options: &[Opt {
        id: "all",
        spellings: &["-a", "--all"],
        takes: Takes::Nothing,
        role: Role::Plain,
        listed: "",
    }],
    style: Style::Gnu,
    subcommands: &[],
};

macro_rules! grammar {
    ($style:ident, $subcommands:expr) => {
        Grammar {
            options: &[
                Opt {
                    id: "a",
                    spellings: &["-a", "--alpha"],
                    takes: Takes::Nothing,
                    role: Role::Plain,
                    listed: "",
                },
                Opt {
                    id: "b",
                    spellings: &["-b", "--beta"],
                    takes: Takes::Value,
                    role: Role::Plain,
                    listed: "",
                },
                Opt {
                    id: "c",
                    spellings: &["-c", "--gamma"],
                    takes: Takes::Attached,
                    role: Role::Plain,
                    listed: "",
                },
                Opt {
                    id: "alpine",
                    spellings: &["--alpine"],
                    takes: Takes::Nothing,
                    role: Role::Plain,
                    listed: "",
                },
                Opt {
                    id: "better",
                    spellings: &["--better"],
                    takes: Takes::Value,
                    role: Role::Plain,
                    listed: "",
                },
            ],
            style: Style::$style,
            subcommands: $subcommands,
        }
    };
}

static GNU: Grammar = grammar!(Gnu, &[]);
static POSIX: Grammar = grammar!(Posix, &[]);
static GO: Grammar = grammar!(Go, &[("run", &SUB)]);
static GIT: Grammar = grammar!(Gnu, &[("add", &SUB)]);
static FIND: Grammar = Grammar {
    options: &[
        Opt {
            id: "name",
            spellings: &["-name"],
            takes: Takes::Value,
            role: Role::Plain,
            listed: "",
        },
        Opt {
            id: "delete",
            spellings: &["-delete"],
            takes: Takes::Nothing,
            role: Role::Plain,
            listed: "",
        },
        Opt {
            id: "define",
            spellings: &["-D"],
            takes: Takes::Attached,
            role: Role::Plain,
            listed: "",
        },
        Opt {
            id: "lines",
            spellings: &["-#"],
            takes: Takes::Attached,
            role: Role::Plain,
            listed: "",
        },
    ],
    style: Style::Single,
    subcommands: &[],
};

#[test]
fn an_option_is_looked_up_in_a_list_as_if_the_list_were_read() {
    static LISTED: Opt = Opt::list("-o --out=, --out-file=>, -i[=],  --in --into/ ,--x==,-xx!, -x");
    let spellings =
        "-o --out --out-file --out- --ou -i -i[ --in --into --int --x --x= -xx -x x -- - = ,";
    for spelling in spellings.split(' ').chain(["", " ", "-o --out", "--in --into/ ", "-x,"]) {
        let read = Entry::all(&LISTED).find(|option| option.any(|other| other == spelling));
        let found = Entry::by_spelling(&LISTED, &Finder::new(spelling));
        let shown = |option: Option<Entry>| option.map(|it| (it.id, it.takes, it.role));
        assert_eq!(shown(found), shown(read), "`{spelling}`");
    }
}

fn invocation(values: Vec<Value>) -> Invocation {
    let argument = |value| Argument::new(value, 0..0);
    Invocation {
        program: argument(Value::known("x")),
        arguments: values.into_iter().map(argument).collect(),
        environment: Vec::new(),
        stdin: Stdin::Inherited,
        stdout: Stdout::Inherited,
        cwd: Value::known("/"),
        locus: Locus::Here,
        wrappers: Vec::new(),
        outer: None,
        builtin: false,
        conditional: false,
        span: 0..0,
    }
}

/// The result in the words of `getopt(1)`; none if something is unknown.
fn shown(words: &[String], grammar: &'static Grammar) -> Option<String> {
    let invocation = invocation(words.iter().map(Value::known).collect());
    let parsed = parse(&invocation, grammar);
    let mut all = parsed.subcommands.iter().map(|name| format!("{name} ")).collect::<String>();
    for (id, value) in &parsed.options {
        all.push_str(id);
        if let Some(value) = value {
            all.push_str(&format!("={:?}", value.value.as_known()?));
        }
        all.push(' ');
    }
    for operand in &parsed.operands {
        all.push_str(&format!("{:?} ", operand.value.as_known()?));
    }
    parsed.unknown.is_empty().then_some(all)
}

fn words(text: &str) -> Vec<String> {
    text.split(' ').map(str::to_owned).collect()
}

#[test]
fn options_are_read_in_every_spelling() {
    for (grammar, text, expected) in [
        (&GNU, "-ab x y --gamma=z", Some("a b=\"x\" c=\"z\" \"y\" ")),
        (&GNU, "-abx y -- -a", Some("a b=\"x\" \"y\" \"-a\" ")),
        (&GNU, "--alph --bet=x", None),
        (&GNU, "--alph --beta=x", Some("a b=\"x\" ")),
        (&GNU, "--al", None),
        (&GNU, "--alpha=x", None),
        (&GNU, "-ax", None),
        (&GNU, "-b", None),
        (&GNU, "-c x", Some("c \"x\" ")),
        (&GNU, "-cx -", Some("c=\"x\" \"-\" ")),
        (&POSIX, "-a x -a", Some("a \"x\" \"-a\" ")),
        (&GIT, "-a add -a x", Some("add a all \"x\" ")),
        (&GIT, "-a other -z", Some("a \"other\" \"-z\" ")),
        (&GIT, "add --alpha", None),
        (&GO, "-alpha --b x -beta=y", Some("a b=\"x\" b=\"y\" ")),
        (&GO, "--alpha=false -ab x", Some("a b=\"x\" ")),
        (
            &FIND,
            ". -name -delete -delete -Dx=y -12",
            Some("name=\"-delete\" delete define=\"x=y\" lines=\"12\" \".\" "),
        ),
        (&FIND, ". -delet", None),
    ] {
        assert_eq!(shown(&words(text), grammar).as_deref(), expected, "{text}");
    }
}

#[test]
fn what_is_not_known_of_a_word_is_kept_apart() {
    let unknown = || Value::Unknown(Origin::Other);
    let prefix = |text: &str| Value::Prefix(text.into(), Origin::Other);
    let call = invocation(vec![prefix("-b"), prefix("--beta="), unknown(), prefix("x")]);
    let parsed = parse(&call, &GNU);
    assert_eq!(parsed.values("b").count(), 2);
    assert_eq!((parsed.operands.len(), parsed.perhaps.len()), (2, 1));
    assert!(parsed.unknown.is_empty());
    for value in [prefix("-a"), prefix("--"), prefix("-z")] {
        let call = invocation(vec![value]);
        assert_eq!(parse(&call, &GNU).unknown.len(), 1);
    }
    let call = invocation(vec![Value::known("--"), unknown()]);
    assert!(parse(&call, &GNU).perhaps.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn options_are_read_as_getopt_reads_them(
        words in prop::collection::vec(
            prop::sample::select(vec![
                "-a", "-b", "-c", "-ab", "-bx", "-cx", "-acx", "-d", "--", "-", "x", "y=z", "--alpha",
                "--alph", "--al", "--alpine", "--alpi", "--beta", "--bet", "--beta=x", "--better=",
                "--bett=y", "--gamma", "--g=x", "--alpha=x", "--other", "-aaa", "--b",
            ]),
            0..6,
        ),
        posix in any::<bool>(),
    ) {
        let words: Vec<String> = words.into_iter().map(str::to_owned).collect();
        let short = if posix { "+ab:c::" } else { "ab:c::" };
        let output = Command::new("getopt")
            .args(["-q", "-u", "-o", short, "-l", "alpha,beta:,gamma::,alpine,better:", "--"])
            .args(&words)
            .output();
        if let Ok(output) = output {
            let ours = shown(&words, if posix { &POSIX } else { &GNU });
            prop_assert_eq!(output.status.success(), ours.is_some(), "{:?}", &words);
            if let Some(ours) = ours {
                prop_assert_eq!(normal(&String::from_utf8_lossy(&output.stdout)), ours.replace('"', ""));
            }
        }
    }
}

/// The output of `getopt -u` in the words of [`shown`].
fn normal(output: &str) -> String {
    let mut all = String::new();
    let mut words = output.trim_start_matches(' ').trim_end().split(' ');
    while let Some(word) = words.next() {
        let (id, takes) = match word {
            "-a" | "--alpha" => ("a", false),
            "--alpine" => ("alpine", false),
            "-b" | "--beta" => ("b", true),
            "--better" => ("better", true),
            "-c" | "--gamma" => ("c", true),
            "--" => break,
            other => (other, false),
        };
        let value = if takes { words.next().unwrap_or_default() } else { "" };
        // For what may have no value, `getopt` writes an empty one.
        let optional = id == "c" && value.is_empty();
        all.push_str(id);
        if takes && !optional {
            all.push('=');
            all.push_str(value);
        }
        all.push(' ');
    }
    words.for_each(|word| all.push_str(&format!("{word} ")));
    all
}
