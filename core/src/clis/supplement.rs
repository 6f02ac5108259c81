//! Describes to a model the CLIs that it has.

use std::fmt::Write as _;

use super::Granted;
use crate::limits::shortened;

/// The context file that it goes into.
pub(crate) const NAME: &str = "TOOLS.md";

/// The most that is shown of one CLI's tips, in characters.
const MOST_TIPS: usize = 2_000;

/// The text about these CLIs; empty if there are none.
pub(crate) fn supplement(clis: &[Granted]) -> String {
    if clis.is_empty() {
        return String::new();
    }
    let mut text = String::from(
        "## Credentialed CLIs\n\n\
         These programs run with credentials that you never see. Call one with \
         `credentialed_exec`, or as the whole command of `exec`. There is no shell: no pipe, \
         redirection, `;`, `&&`, `$(…)`, variable, `*` or `~`, and no other program around it. \
         Quotes are fine: `|` or `;` within them is text. Filter with the CLI's own options, or \
         work on its output in a call of its own. Files that it reads or writes must lie in the \
         workspace; its home folder is empty and new with each call.\n",
    );
    for cli in clis {
        let definition = &cli.definition;
        let preset = definition.preset();
        let description = match definition.description.as_str() {
            "" => preset.map_or("", |preset| preset.description),
            own => own,
        };
        let _ = write!(text, "\n- `{}`", cli.name);
        if !description.is_empty() {
            let _ = write!(text, ": {}", description.trim());
        }
        let _ = writeln!(text, " (at most {} s).", definition.timeout_seconds);
        let mut blocked: Vec<String> = preset
            .map(|preset| preset.blocked())
            .unwrap_or_default()
            .into_iter()
            .map(str::to_owned)
            .collect();
        for one in std::iter::once(definition).chain(&cli.above) {
            for pattern in one.deny_args.iter().chain(&one.deny_verbose) {
                let shown = format!("`{}`", readable(pattern));
                if !blocked.contains(&shown) {
                    blocked.push(shown);
                }
            }
        }
        if !blocked.is_empty() {
            let _ = writeln!(text, "  Blocked: {}.", blocked.join("; "));
        }
        let own = definition.tips.trim();
        let known = preset.map_or("", |preset| preset.tips);
        for tips in [known, own].into_iter().filter(|tips| !tips.is_empty()) {
            let tips = shortened(tips, MOST_TIPS);
            let _ = writeln!(text, "  {}", tips.replace('\n', "\n  "));
        }
    }
    text.push_str(
        "\nWhat is blocked stays blocked in every spelling. If you need it, tell the user what is to \
         be done by hand. Never ask for a credential, and never try to print one.\n",
    );
    text
}

/// A pattern as a reader understands it.
fn readable(pattern: &str) -> String {
    let plain = pattern.replace(r"\s+", " ").replace(r"\s*", " ").replace(r"\s", " ");
    let plain = plain.replace(r"\b", "").replace(r"\.", ".").replace(r"\-", "-");
    plain.trim_start_matches('^').trim_end_matches('$').trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Definition;
    use super::*;

    #[test]
    fn the_supplement_names_what_there_is_what_is_blocked_and_that_there_is_no_shell() {
        assert_eq!(supplement(&[]), "");
        let definition = Definition {
            preset: Some("gh".into()),
            deny_args: vec![r"^repo\s+rename".into()],
            tips: "Use --json.".into(),
            timeout_seconds: 30,
            ..Definition::default()
        };
        let mut narrower = definition.clone();
        narrower.deny_args.push("label".into());
        let above = vec![narrower];
        let text = supplement(&[Granted { name: "gh".into(), definition, above }]);
        for part in [
            "`gh`: GitHub (at most 30 s)",
            "no shell",
            "`repo rename`; `label`.",
            "Use --json.",
            "`gh auth`",
        ] {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
