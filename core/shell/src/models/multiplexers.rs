//! Terminals within a terminal: `tmux`, `screen`. The evaluation looks into the commands that they
//! run; the effects here are those of the multiplexers themselves.

use super::kinds::{WORDS, ex, list, model, posix, unknown};
use crate::model::{Model, Parsed, Report};
use crate::value::Value;

/// The programs of this file, each with its options, its effects and its examples.
pub(super) const TABLE: &[Model] = &[
    model(
        &["tmux"],
        &posix(&[list("-2, -u, -v, -V, -C, -D, -l, -N, -c=, -L=, -S=, -T=")]),
        tmux,
        &[
            ex("tmux ls", &[]),
            ex("tmux new -d -s x 'rm -rf /srv'", &["delete:system:recursive:forced"]),
            ex("tmux -L s display-message -p '#S'", &[]),
            ex("tmux source-file x", &["unmodelled"]),
            ex("tmux -S s source-file x", &["unmodelled"]),
            ex("tmux display-message -p '#(rm -rf /home/user)'", &["unmodelled"]),
            ex("tmux ls ';' source-file x", &["unmodelled"]),
        ],
    ),
    model(
        &["screen", "byobu", "dtach", "abduco"],
        &WORDS,
        screen,
        &[ex("screen -ls", &[]), ex("screen -d -m -c rc", &["unmodelled"])],
    ),
    model(&["zellij"], &WORDS, unknown, &[ex("zellij ls", &["unmodelled"])]),
];

/// Commands that show something, or run what they are given.
const COMMANDS: &[&str] = &[
    "ls", "list-sessions", "list-windows", "list-panes", "lsp", "lsw", "has-session", "has",
    "attach", "a", "attach-session", "detach", "new", "new-session", "neww", "new-window",
    "splitw", "split-window", "send-keys", "send", "kill-session", "kill-window", "kill-pane",
    "kill-server", "capture-pane", "capturep", "display-message", "display", "select-window",
    "selectw", "select-pane", "rename-session", "rename-window", "info",
];

/// The effects of `tmux`.
fn tmux(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let Some((name, words)) = parsed.operands.split_first() else { return };
    if !name.value.as_known().is_some_and(|name| COMMANDS.contains(&name)) {
        return report.not_understood("its command is not known");
    }
    // A text may hold commands, and a word that ends so another one of its own.
    let runs = |value: &Value| {
        let texts = value.possible().unwrap_or_default();
        value.prefix().contains("#(")
            || texts.iter().any(|text| text.contains("#(") || ends_command(text))
    };
    let shows = ["display-message", "display", "ls", "list-sessions", "list-windows", "list-panes"];
    let is_unknown = name.value.as_known().is_some_and(|name| shows.contains(&name))
        && words.iter().any(|word| word.value.possible().is_none());
    if is_unknown || words.iter().any(|word| runs(&word.value)) {
        report.not_understood("a word of it holds commands");
    }
}

/// True for a word with which a command ends: `;`, `x;`.
fn ends_command(text: &str) -> bool {
    text.ends_with(';') && !text.ends_with("\\;")
}

/// The effects of `screen`.
fn screen(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let known = [
        "-ls", "-list", "-r", "-R", "-d", "-D", "-x", "-m", "-S", "-dm", "-dmS", "-X", "-p", "-v",
        "-U", "-q", "-wipe",
    ];
    let options = parsed.operands.iter().take_while(|word| word.value.prefix().starts_with('-'));
    let is_known = options.clone().count() > 0
        && options
            .clone()
            .all(|word| word.value.as_known().is_some_and(|text| known.contains(&text)));
    // Behind the name of a session there may be more.
    let more = parsed.operands.iter().any(|word| {
        word.value
            .as_known()
            .is_some_and(|text| text.starts_with('-') && text.contains('c') && text.len() < 4)
    });
    if !is_known && !parsed.operands.is_empty() || more {
        report.not_understood("its options are not known");
    }
}
