//! Tools that publish what a project has built, and those that set up what git runs at each commit.

use crate::effect::{Access, Certainty, CodeFrom, Effect};
use crate::model::tool::Action::{At, Call, Cloud, Here, Project, Sends, Touches};
use crate::model::tool::{Tool, tools};
use crate::model::{Parsed, Report};
use crate::models::perform::perform;

use super::plain::plain;

/// Those that are no packages of Node.
pub(super) const TABLE: &[Tool] = tools! {
    Operands "goreleaser jreleaser" => Project, Here, Touches, Call(releases); [
        "goreleaser build --snapshot": "code:project write:workspace:recursive",
        "goreleaser release": "cloud code:project network:send write:workspace:recursive",
        "goreleaser r --clean": "cloud code:project network:send write:workspace:recursive",
        "goreleaser release --snapshot": "code:project write:workspace:recursive",
        "jreleaser upload": "cloud code:project network:send write:workspace:recursive",
    ]
    Operands "semantic-release-py" => Project, Here, Touches, Call(releases); [
        "semantic-release-py version --print": "code:project write:workspace:recursive",
        "semantic-release-py -v publish": "cloud code:project network:send write:workspace:recursive",
    ]
    Operands "pre-commit lefthook overcommit" => Project, Here, Touches, Call(hooks); [
        "pre-commit run --files scripts/install.sh": "code:project write:workspace:recursive",
        "pre-commit install --hook-type commit-msg": "code:project write:version_control:recursive write:workspace:recursive",
        "pre-commit try-repo git@github.com:x/y": "code:package code:project write:workspace:recursive",
        "lefthook run pre-commit": "code:project write:workspace:recursive",
        "lefthook install": "code:project write:version_control:recursive write:workspace:recursive",
        "overcommit": "code:project write:version_control:recursive write:workspace:recursive",
        "overcommit --run": "code:project write:workspace:recursive",
    ]
};

/// Those that projects keep in `node_modules`.
pub(super) const OF_NODE: &[Tool] = tools! {
    Operands "semantic-release release-it np changeset lerna expo eas electron-builder electron-forge" => Project, Here, Touches, Call(releases), Call(plain); [
        "lerna exec rm x": "code:project unmodelled write:workspace:recursive",
        "changeset": "code:project write:workspace:recursive",
        "changeset publish --snapshot": "cloud code:project network:send write:workspace:recursive",
        "lerna run build": "code:project write:workspace:recursive",
        "lerna publish": "cloud code:project network:send write:workspace:recursive",
        "np": "cloud code:project network:send write:workspace:recursive",
        "np --preview": "code:project write:workspace:recursive",
        "electron-builder --linux -p always": "cloud code:project network:send write:workspace:recursive",
        "electron-builder --linux --publish=always": "cloud code:project network:send write:workspace:recursive",
        "electron-builder --linux -p never": "code:project write:workspace:recursive",
    ]
    Operands "husky simple-git-hooks" => Project, Here, Touches, Call(hooks); [
        "husky": "code:project write:version_control:recursive write:workspace:recursive",
        "husky --version": "code:project write:workspace:recursive",
    ]
};

/// A tool that releases, if one of these words stands in its command and none of those.
struct Releaser {
    /// The names of the tool.
    names: &'static [&'static str],
    /// Empty: it needs none.
    sends: &'static [&'static str],
    /// Words with which it publishes nothing.
    keeps: &'static [&'static str],
}

/// Options that only show a text.
const HELP: &[&str] = &["--help", "-h", "--version"];

/// Tools that publish, with the words that make them do it or not.
const RELEASERS: &[Releaser] = &[
    Releaser {
        names: &["semantic-release", "release-it", "np"],
        sends: &[],
        keeps: &["--dry-run", "-d", "--preview", "-v", "--changelog", "--release-version"],
    },
    Releaser { names: &["changeset"], sends: &["publish"], keeps: &[] },
    Releaser { names: &["lerna"], sends: &["publish"], keeps: &[] },
    Releaser {
        names: &["goreleaser"],
        sends: &["release", "r", "publish", "announce", "continue"],
        keeps: &["--snapshot", "--skip-publish", "--skip=publish"],
    },
    Releaser {
        names: &["jreleaser"],
        sends: &["release", "full-release", "publish", "announce", "deploy", "upload"],
        keeps: &["--dry-run"],
    },
    Releaser {
        names: &["semantic-release-py"],
        sends: &["publish", "version", "changelog"],
        keeps: &["--print", "--noop"],
    },
    Releaser {
        names: &["electron-builder"],
        sends: &["-p", "--publish", "-p=", "--publish="],
        keeps: &["never", "-p=never", "--publish=never"],
    },
    Releaser {
        names: &["expo", "eas", "electron-forge"],
        sends: &["publish", "submit", "update", "deploy", "upload"],
        keeps: &["--dry-run"],
    },
];

/// The effects of a tool that publishes.
fn releases(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let name = report.name();
    let Some(releaser) = RELEASERS.iter().find(|one| one.names.contains(&name)) else { return };
    let words = known(parsed);
    let has = |names: &[&str]| words.iter().any(|word| is_one_of(word, names));
    let sends = releaser.sends.is_empty() || has(releaser.sends);
    if sends && !has(releaser.keeps) && !has(HELP) {
        let actions = &[Sends(""), Cloud("whoever hosts its releases")];
        perform(report, parsed, actions, Certainty::Must);
    }
}

/// True for one of these words. One that ends in `=` stands for all that begin with it.
fn is_one_of(word: &str, names: &[&str]) -> bool {
    names.iter().any(|name| *name == word || name.ends_with('=') && word.starts_with(name))
}

/// `pre-commit install`, `husky`: git runs what they write.
fn hooks(report: &mut Report<'_>, parsed: &Parsed<'_>) {
    let words = known(parsed);
    let has = |names: &[&str]| words.iter().any(|word| is_one_of(word, names));
    let first = words.first().copied().unwrap_or_default();
    let sets_up = match report.name() {
        "pre-commit" => matches!(first, "install" | "init-templatedir"),
        "lefthook" => matches!(first, "install" | "add"),
        "overcommit" => first.is_empty() || has(&["-i", "--install", "-f", "--force"]),
        _ => !has(HELP),
    };
    if sets_up {
        perform(report, parsed, &[At(Access::Write, ".git/hooks")], Certainty::Must);
    }
    if report.name() == "pre-commit" && first == "try-repo" {
        let name = words.get(1).copied().unwrap_or_default().to_owned();
        report.add(Effect::Code { from: CodeFrom::Package(name) });
    }
}

/// The known words of a call.
fn known<'p>(parsed: &Parsed<'p>) -> Vec<&'p str> {
    parsed.invocation.arguments.iter().filter_map(|word| word.value.as_known()).collect()
}
