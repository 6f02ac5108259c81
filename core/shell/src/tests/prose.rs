//! A harmful text that is only talked about denies nothing.

use super::corpus::{rows, strict, workspace};
use super::shapes::quoted;
use crate::{Decision, analyse, judge};

/// Where a text is data, and nothing runs it.
const TALK: &[fn(&str) -> String] = &[
    |text| format!("echo {}", quoted(text)),
    |text| format!("printf '%s\\n' {}", quoted(text)),
    |text| format!("git commit -m {}", quoted(text)),
    |text| format!("git commit -F - <<'TK'\n{text}\nTK"),
    |text| format!("git log --grep={}", quoted(text)),
    |text| format!("grep -n -e {} README.md", quoted(text)),
    |text| format!("grep -rF -- {} docs", quoted(text)),
    |text| format!("rg -F -e {} src", quoted(text)),
    |text| format!("cat > notes.md <<'TK'\n{text}\nTK"),
    |text| format!("cat <<'TK' >> docs/notes.md\n# How not to\n\n{text}\nTK"),
    |text| format!("tee notes.md <<'TK'\n{text}\nTK"),
    |text| format!("echo {} >> notes.md", quoted(text)),
    |text| format!("tk_x={}", quoted(text)),
    |text| format!(": {}", quoted(text)),
    |text| format!("test \"$1\" = {}", quoted(text)),
    |text| format!("[[ $1 == {} ]] && echo same", quoted(text)),
    |text| format!("case \"$1\" in {}) echo no ;; esac", quoted(text)),
    |text| format!("echo {} | grep -c x", quoted(text)),
    |text| format!("echo {} | wc -c", quoted(text)),
    |text| format!("wc -w <<< {}", quoted(text)),
    |text| format!("jq -n --arg text {} '$text'", quoted(text)),
    |text| format!("for tk in {}; do echo \"$tk\"; done", quoted(text)),
    |text| format!("python3 -c {}", quoted(&format!("print({text:?})"))),
    |text| format!("node -e {}", quoted(&format!("console.log({})", serde_json::json!(text)))),
    |text| text.lines().map(|line| format!("# {line}\n")).collect::<String>() + "ls",
    |text| format!("git tag -a v1 -m {}", quoted(text)),
];

/// Names that are a harmful text made harmless, and where names stand.
const NAMES: &[fn(&str) -> String] = &[
    |name| format!("cat docs/{name}.md"),
    |name| format!("touch {name}.txt"),
    |name| format!("mkdir -p src/{name}"),
    |name| format!("git checkout -b fix/{name}"),
    |name| format!("git add {name}.rs"),
    |name| format!("cp {name}.txt other.txt"),
    |name| format!("ls {name}/"),
    |name| format!("cargo test {name}"),
    |name| format!("npm run {name}"),
    |name| format!("man {name}"),
    |name| format!("which {name}"),
    |name| format!("command -v {name}"),
    |name| format!("type {name}"),
    |name| format!("cd {name} && ls"),
    |name| format!("sed -n '/{name}/p' README.md"),
    |name| format!("awk '/{name}/ {{ print }}' README.md"),
    |name| format!("find . -name '{name}*'"),
    |name| format!("{name}_count=1; echo \"${name}_count\""),
    |name| format!("grep {name} notes.md"),
    |name| format!("git grep -n {name}"),
    |name| format!("python3 tests/test_{name}.py"),
];

fn denied(texts: impl Iterator<Item = String>) -> (usize, Vec<String>) {
    let settings = [strict(), workspace()];
    let env = crate::Env::default();
    let mut tried = 0;
    let mut denied = Vec::new();
    for text in texts {
        tried += 1;
        let analysis = analyse(&text, &env);
        for settings in &settings {
            let verdict = judge(&analysis, &env, settings);
            if verdict.decision == Decision::Deny {
                let why = verdict.reasons.first().map(|reason| reason.why.clone());
                denied.push(format!("{text:?}: {why:?}"));
            }
        }
    }
    denied.dedup();
    (tried, denied)
}

#[test]
fn what_is_only_talked_about_is_not_denied() {
    let rows = rows();
    let texts = rows.iter().filter(|row| row.denies());
    let talked = texts.flat_map(|row| TALK.iter().map(|talk| talk(&row.cmd)));
    let (tried, denied) = denied(talked);
    assert!(tried > 5_000);
    assert!(
        denied.is_empty(),
        "{} of {tried}: {:#?}",
        denied.len(),
        &denied[..denied.len().min(40)]
    );
}

#[test]
fn names_of_harmful_things_are_not_denied() {
    let rows = rows();
    let words = rows.iter().filter(|row| row.denies()).flat_map(|row| row.cmd.split_whitespace());
    let is_name = |word: &&str| {
        word.len() > 1
            && word.chars().all(|char| char.is_ascii_lowercase())
            && word.chars().any(|char| char != char::from(word.as_bytes()[0]))
    };
    let names: std::collections::BTreeSet<_> = words.filter(is_name).collect();
    assert!(names.len() > 50, "{names:?}");
    let (tried, denied) =
        denied(names.iter().flat_map(|name| NAMES.iter().map(|write| write(name))));
    assert!(
        denied.is_empty(),
        "{} of {tried}: {:#?}",
        denied.len(),
        &denied[..denied.len().min(40)]
    );
}
