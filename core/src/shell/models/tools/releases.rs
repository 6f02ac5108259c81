//! Tools that send what a project has built to where others fetch it, and those that set up what git
//! runs at each commit.

use crate::shell::effect::{Access, Certainty};
use crate::shell::model::{Parsed, Report};
use crate::shell::models::perform::perform;
use crate::shell::models::tool::Does::{At, Call, Cloud, Here, Project, Sends, Touches};
use crate::shell::models::tool::{Tool, tools};

/// Those that are no packages of Node.
pub(super) const TABLE: &[Tool] = tools! {
    Operands "goreleaser cargo-dist dist jreleaser" => Project, Here, Touches, Call(releases); [
        "goreleaser build --snapshot": "code:project write:workspace:recursive",
        "goreleaser release": "cloud code:project network:send write:workspace:recursive",
        "goreleaser release --snapshot": "code:project write:workspace:recursive",
    ]
    Operands "semantic-release-py" => Project, Here, Touches, Call(releases); [
        "semantic-release-py version --print": "code:project write:workspace:recursive",
        "semantic-release-py publish": "cloud code:project network:send write:workspace:recursive",
    ]
    Operands "pre-commit lefthook overcommit" => Project, Here, Touches, Call(hooks); [
        "pre-commit run --all-files": "code:project write:workspace:recursive",
        "pre-commit install --hook-type commit-msg": "code:project write:version_control:recursive write:workspace:recursive",
        "lefthook run pre-commit": "code:project write:workspace:recursive",
        "lefthook install": "code:project write:version_control:recursive write:workspace:recursive",
    ]
};

/// Those that projects keep in `node_modules`.
pub(super) const OF_NODE: &[Tool] = tools! {
    Operands "semantic-release release-it np changeset lerna expo eas electron-builder electron-forge" => Project, Here, Touches, Call(releases); [
        "changeset": "code:project write:workspace:recursive",
        "lerna run build": "code:project write:workspace:recursive",
        "lerna publish": "cloud code:project network:send write:workspace:recursive",
        "np": "cloud code:project network:send write:workspace:recursive",
        "np --preview": "code:project write:workspace:recursive",
        "electron-builder --linux -p always": "cloud code:project network:send write:workspace:recursive",
        "electron-builder --linux --publish=always": "cloud code:project network:send write:workspace:recursive",
    ]
    Operands "husky simple-git-hooks" => Project, Here, Touches, Call(hooks); [
        "husky": "code:project write:version_control:recursive write:workspace:recursive",
        "husky --version": "code:project write:workspace:recursive",
    ]
};

/// What only shows, or builds what is kept here.
const KEEPS: &[&str] = &[
    "--dry-run",
    "-d",
    "--preview",
    "--snapshot",
    "--skip-publish",
    "--skip=publish",
    "--help",
    "-h",
    "--version",
    "-v",
    "--changelog",
    "--print",
];

fn releases(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = known(parsed);
    let has = |names: &[&str]| words.iter().any(|word| names.contains(word));
    let sends = match report.name() {
        "semantic-release" | "release-it" | "np" => true,
        "electron-builder" => {
            let apart = words
                .windows(2)
                .any(|two| matches!(two, ["-p" | "--publish", when] if *when != "never"));
            let attached =
                |word: &&str| word.strip_prefix("--publish=").is_some_and(|when| when != "never");
            apart || words.iter().any(attached)
        }
        "goreleaser" | "jreleaser" => has(&["release", "full-release", "publish", "announce"]),
        _ => has(&["publish", "submit", "update", "deploy", "upload"]),
    };
    if sends && !has(KEEPS) {
        let does = &[Sends("registry.npmjs.org"), Cloud("the registry")];
        perform(report, parsed, does, Certainty::Must);
    }
}

/// `pre-commit install`, `husky`: git runs what they write.
fn hooks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = known(parsed);
    let sets_up = match report.name() {
        "husky" | "simple-git-hooks" => !words.iter().any(|word| KEEPS.contains(word)),
        _ => words
            .iter()
            .any(|word| word.contains("install") && !word.starts_with('-') || *word == "--install"),
    };
    if sets_up {
        perform(report, parsed, &[At(Access::Write, ".git/hooks")], Certainty::Must);
    }
}

fn known<'p>(parsed: &Parsed<'p>) -> Vec<&'p str> {
    parsed.invocation.arguments.iter().filter_map(|word| word.value.as_known()).collect()
}
