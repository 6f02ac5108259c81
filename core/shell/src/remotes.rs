//! Remotes of repositories that a command does not spell out: `git pull`, `git push origin`.
//!
//! Such a command reaches the hosts that the repository has configured. The caller can look them
//! up: [`folders`] says in which folders, and [`Env::remotes`] takes the answer. `hosts` then
//! narrows the network of the plan to those. No verdict depends on remotes; only the confinement
//! does.

use std::collections::BTreeSet;

use crate::analyse::Analysis;
use crate::effect::{Effect, Found};
use crate::env::Env;
use crate::models::address::{self, Remote};
use crate::nested::call_of_git;
use crate::value::Value;

/// Hosts and the ports that are named with them.
pub(super) type Hosts = BTreeSet<(String, Option<u16>)>;

/// Subcommands of Git that reach remotes as the settings of the repository have them, and nothing else.
const REACH: &[&str] = &["fetch", "ls-remote", "pull", "push", "remote"];

/// The folders, absolute, in which a command has Git reach remotes that it does not spell out.
#[must_use]
pub fn folders(analysis: &Analysis, env: &Env) -> BTreeSet<String> {
    let unknown = analysis.found.iter().filter(|found| match &found.effect {
        Effect::Network { host, .. } => !matches!(host, Value::Known(_) | Value::OneOf(_)),
        Effect::VersionControlRemote { .. } => true,
        _ => false,
    });
    let calls = unknown.filter_map(|found| call_of_git(analysis, found.by?, env));
    calls.filter(|call| REACH.contains(&call.name)).map(|call| call.folder).collect()
}

/// Where the call of that number connects to, by the remotes of its repository. None: not known.
pub(super) fn hosts(analysis: &Analysis, number: usize, env: &Env) -> Option<Hosts> {
    let call = call_of_git(analysis, number, env).filter(|call| REACH.contains(&call.name))?;
    let is_spelled = |found: &Found| {
        found.by == Some(number)
            && matches!(&found.effect, Effect::Network { host: Value::Known(_), .. })
    };
    if analysis.found.iter().any(is_spelled) {
        return Some(Hosts::new());
    }
    let remotes = env.remotes.get(&call.folder)?;
    let words = &analysis.invocations.get(number)?.arguments;
    let named = |name: &String| words.iter().any(|word| word.value.as_known() == Some(name));
    let is_named = remotes.keys().any(named);
    let addresses = remotes.iter().filter(|(name, _)| !is_named || named(name));
    let mut hosts = Hosts::new();
    for address in addresses.flat_map(|(_, addresses)| addresses) {
        match address::of_remote(address) {
            Remote::At(host, port) => _ = hosts.insert((host, port)),
            Remote::Here => {}
            Remote::Unknown => return None,
        }
    }
    Some(hosts)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::analyse;
    use crate::env::Remotes;
    use crate::plan::{Reach, plan};
    use crate::settings::Settings;

    fn env() -> Env {
        let remotes = |all: &[(&str, &str)]| {
            let one = |(name, address): &(&str, &str)| {
                ((*name).to_owned(), BTreeSet::from([(*address).to_owned()]))
            };
            all.iter().map(one).collect::<Remotes>()
        };
        let main = [
            ("origin", "https://git.example/a.git"),
            ("fork", "ssh://git@fork.example:2222/a"),
            ("copy", "../a"),
            ("other", "git@scp.example:a/b.git"),
        ];
        let odd = [("origin", "ext::sh -c x"), ("six", "ssh://[::1]/a")];
        Env {
            remotes: BTreeMap::from([
                ("/workspace".to_owned(), remotes(&main)),
                ("/workspace/none".to_owned(), remotes(&[])),
                ("/workspace/odd".to_owned(), remotes(&odd)),
            ]),
            ..Env::default()
        }
    }

    fn reach(text: &str) -> String {
        let env = env();
        match plan(&analyse(text, &env), &env).confinement.network {
            Reach::None => "none".into(),
            Reach::Any => "any".into(),
            Reach::Hosts { hosts, ports } => format!("{hosts:?} {ports:?}").replace('"', ""),
        }
    }

    #[test]
    fn a_remote_that_is_known_is_all_that_is_reached() {
        for (text, to) in [
            ("git fetch origin", "{git.example} {}"),
            ("git pull --rebase origin main", "{git.example} {}"),
            ("git push fork HEAD:x", "{fork.example} {2222}"),
            ("git push other", "{scp.example} {}"),
            ("git push https://x.example:8000/a main", "{x.example} {8000}"),
            ("git fetch copy", "none"),
            ("git remote update fork other", "{fork.example, scp.example} {2222}"),
            ("git -C none fetch", "none"),
            ("git fetch", "{fork.example, git.example, scp.example} {2222}"),
            ("git push origin && make", "{git.example} {}"),
            ("curl https://x.example/ && git fetch origin", "{git.example, x.example} {}"),
            ("git fetch origin; curl https://x.example/", "{git.example, x.example} {}"),
            ("git clone ssh://git@x.example:2200/a", "{x.example} {2200}"),
        ] {
            assert_eq!(reach(text), to, "{text}");
        }
    }

    #[test]
    fn what_is_not_known_of_a_remote_is_not_guessed() {
        for text in [
            "git -C elsewhere fetch",
            "git -C odd fetch",
            "git -C odd fetch six",
            "git -c remote.origin.url=https://x.example/a fetch origin",
            "git --git-dir=x fetch origin",
            "GIT_DIR=x git fetch origin",
            "git fetch origin; curl $URL",
            "git submodule update",
        ] {
            assert_eq!(reach(text), "any", "{text}");
        }
    }

    #[test]
    fn the_folders_whose_remotes_are_wanted_are_given() {
        let env = Env::default();
        let of = |text: &str| {
            let folders = folders(&analyse(text, &env), &env);
            folders.into_iter().collect::<Vec<_>>().join(" ")
        };
        assert_eq!(of("git pull"), "/workspace");
        assert_eq!(
            of("cd a && git push origin x && git -C ../b ls-remote"),
            "/workspace/a /workspace/b"
        );
        for text in ["git status", "git fetch https://x.example/a", "curl $URL", "git remote -v"] {
            assert_eq!(of(text), "", "{text}");
        }
    }

    #[test]
    fn what_is_known_of_remotes_changes_no_verdict() {
        for text in ["git pull", "git push origin main", "git fetch fork", "git push -f origin x"] {
            let verdict = |env: &Env| crate::check(text, env, &Settings::default()).verdict;
            assert_eq!(verdict(&env()), verdict(&Env::default()), "{text}");
        }
    }
}
