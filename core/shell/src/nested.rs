//! Repositories within the workspace, as a command meets them.
//!
//! A repository may lie below the workspace, with hooks and settings that run. [`Nested`] says what
//! a command could do to such repositories: change what they run, or take files of them away or
//! write them by name. The caller, who can look at the disk, decides with it which repositories a
//! confinement has to protect.

use std::collections::BTreeSet;

use crate::analyse::Analysis;
use crate::denied;
use crate::effect::{Access, Effect, FileEffect, Found, Scope};
use crate::env::Env;
use crate::invocation::{Argument, Invocation, Locus};
use crate::place::{self, is_opened, is_within};
use crate::value::{Origin, Value};

/// What a command does with repositories within the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Nested {
    /// The folders of the workspace, absolute, where it does what nobody has seen. None: all that it
    /// writes is known.
    pub unseen_in: BTreeSet<String>,
    /// True if a program is called to make a repository.
    pub makes_repository: bool,
    /// What the command could change.
    open: BTreeSet<Open>,
    /// The protected names that the owner opens.
    opened: Vec<String>,
}

/// What stands open to a command that was understood to change it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Open {
    /// It is written by name.
    Written(String),
    /// It is taken away, with all that is below.
    Away(String),
    /// All that a pattern finds is taken away.
    AllAway(String),
    /// Git writes the settings of the repository around this folder.
    Tracked(String),
}

/// Programs that write nothing but what they name. What `mv` and `ln` name may be a folder, in which
/// they make a file with the name of another.
const EXACT: &[&str] =
    &["rm", "rmdir", "unlink", "mkdir", "touch", "tee", "sed", "chmod", "truncate"];

/// Subcommands of Git that run nothing of the work, and change settings or take away what is a
/// repository.
const EXACT_OF_GIT: &[&str] =
    &["branch", "clean", "clone", "config", "init", "remote", "rm", "submodule", "worktree"];

/// Subcommands of Git that write settings: which branch follows which, remotes, their options. What
/// they run themselves, by a hook or a filter, they run for the user, too.
const TRACKS: &[&str] =
    &["branch", "checkout", "config", "fetch", "init", "pull", "push", "remote", "switch"];

/// True if a call of such a subcommand may write settings, by the words behind it. None is a word that is not
/// known.
fn may_write_settings(name: &str, words: &[Option<&str>]) -> bool {
    let begins = |word: &str, options: &[&str]| options.iter().any(|one| word.starts_with(one));
    let surely = |options: &[&str]| words.iter().flatten().any(|word| begins(word, options));
    let perhaps = |options: &[&str]| words.contains(&None) || surely(options);
    let operands = || words.iter().filter(|word| word.is_none_or(|word| !word.starts_with('-')));
    let first = operands().next();
    match name {
        "config" => {
            let changes = ["--unset", "--add", "--replace", "--rename", "--remove", "--edit", "-e"];
            let changes = perhaps(&changes)
                || matches!(
                    first,
                    Some(Some("set" | "unset" | "edit" | "rename-section" | "remove-section"))
                );
            let reads =
                surely(&["--get", "--list", "-l"]) || matches!(first, Some(Some("get" | "list")));
            changes || !reads && operands().count() > 1
        }
        "remote" => !matches!(first, None | Some(Some("show" | "get-url"))),
        "branch" => {
            first.is_some() && !surely(&["-l", "--list", "--contains", "--merged"])
                || surely(&["--unset-upstream", "--edit-description"])
        }
        "fetch" | "pull" => perhaps(&["--set-upstream"]),
        "checkout" => !words.contains(&Some("--")),
        _ => true,
    }
}

impl Nested {
    /// That of a command of which nothing is known.
    #[must_use]
    pub fn unseen(env: &Env) -> Nested {
        let unseen_in = env.workspace.iter().cloned().collect();
        Nested { unseen_in, opened: env.opened.clone(), ..Nested::default() }
    }

    /// As a command was understood.
    #[must_use]
    pub fn of(analysis: &Analysis, env: &Env) -> Nested {
        let mut nested = Nested { opened: env.opened.clone(), ..Nested::default() };
        let mut only_git = true;
        for found in &analysis.found {
            let is_seen = match &found.effect {
                Effect::File(file) => {
                    nested.file(file, found);
                    !writes_workspace(file) || is_exact(file, found, analysis)
                }
                Effect::Code { .. } | Effect::Unmodelled { .. } | Effect::Dynamic { .. } => false,
                _ => true,
            };
            let by_git = found.by.is_some_and(|number| tracked(analysis, number, env).is_some());
            let is_code = matches!(found.effect, Effect::Code { .. });
            only_git &= if by_git { !is_code } else { is_seen };
            if !is_seen {
                nested.unseen_in.extend(env.workspace.iter().cloned());
            }
        }
        nested.makes_repository = analysis.invocations.iter().any(makes_repository);
        if only_git {
            let calls = 0..analysis.invocations.len();
            let folders = calls.filter_map(|number| tracked(analysis, number, env));
            nested.open.extend(folders.map(Open::Tracked));
        }
        nested
    }

    /// That of the same command where nobody has allowed it: then it may take away by name what it was
    /// understood to, if that is all, and nothing else.
    #[must_use]
    pub fn unallowed(&self, env: &Env) -> Nested {
        let takes_away =
            self.open.iter().all(|open| matches!(open, Open::Away(_) | Open::AllAway(_)));
        match self.unseen_in.is_empty() && takes_away {
            true => self.clone(),
            false => {
                let makes_repository = self.makes_repository;
                Nested { makes_repository, ..Nested::unseen(env) }
            }
        }
    }

    /// That of the same command where its program is trusted with a credential and nobody is asked: whatever
    /// it names, nothing stands open but the settings that Git itself was called to write.
    #[must_use]
    pub fn of_cli(&self, env: &Env) -> Nested {
        let tracked = self.open.iter().filter(|open| matches!(open, Open::Tracked(_)));
        let (open, makes_repository) = (tracked.cloned().collect(), self.makes_repository);
        Nested { open, makes_repository, ..Nested::unseen(env) }
    }

    /// Says that a file or folder may be written, with what is below: what is protected around it not.
    pub fn writes(&mut self, path: &str) {
        self.open.insert(Open::Written(path.to_owned()));
    }

    /// True if a path, which is protected otherwise, was understood to be changed.
    #[must_use]
    pub fn is_open(&self, protected: &str) -> bool {
        let by_owner = |name: &str| {
            let before = protected.strip_suffix(name);
            before.is_some_and(|before| before.ends_with('/')) && is_opened(name, &self.opened)
        };
        if !self.opened.is_empty() && place::names().any(by_owner) {
            return true;
        }
        self.open.iter().any(|open| match open {
            Open::Written(path) => is_within(path, protected),
            Open::Away(path) => is_within(protected, path),
            Open::AllAway(pattern) => denied::closes(pattern, protected),
            Open::Tracked(folder) => is_tracked(folder, protected),
        })
    }

    /// True if a folder is taken away with all that is in it.
    #[must_use]
    pub fn is_away(&self, folder: &str) -> bool {
        self.open.iter().any(|open| match open {
            Open::Away(path) => is_within(folder, path),
            Open::AllAway(pattern) => denied::closes(pattern, folder),
            Open::Written(_) | Open::Tracked(_) => false,
        })
    }

    /// True for the settings of a repository that Git itself was called to write.
    #[must_use]
    pub fn is_tracked(&self, protected: &str) -> bool {
        let tracks = |open: &Open| matches!(open, Open::Tracked(at) if is_tracked(at, protected));
        self.open.iter().any(tracks)
    }

    /// Records what an access to a file could do to repositories.
    fn file(&mut self, file: &FileEffect, found: &Found) {
        let goes = match file.access {
            Access::Read | Access::List | Access::Execute | Access::Link => return,
            Access::Write | Access::Meta => false,
            Access::Delete => file.recursive,
            Access::Move => true,
        };
        for path in file.path.possible().unwrap_or_default() {
            self.open.insert(match goes {
                true => Open::Away(path.clone()),
                false => Open::Written(path.clone()),
            });
        }
        // Others look at each file that a pattern finds, and leave most of them.
        if goes
            && ["rm", "mv"].contains(&&*found.program)
            && let Value::Prefix(begins, Origin::Glob(pattern)) = &file.path
        {
            self.open.insert(Open::AllAway(denied::whole(begins, pattern)));
        }
    }
}

/// Programs that make a repository where they are called to, by subcommands.
const MAKES_REPOSITORY: &[(&str, &[&str])] = &[
    ("git", &["init", "clone"]),
    ("cargo", &["init", "new"]),
    ("uv", &["init"]),
    ("jj", &["git"]),
];

/// True for a call that creates a repository.
fn makes_repository(call: &Invocation) -> bool {
    let program = call.program.value.as_known().unwrap_or_default();
    let known = MAKES_REPOSITORY.iter().find(|(name, _)| *name == program);
    let name = subcommand(&call.arguments).map(|(name, _)| name);
    call.locus == Locus::Here
        && known
            .is_some_and(|(_, subcommands)| name.is_some_and(|name| subcommands.contains(&name)))
}

/// True if something in the workspace is made or written. What is only taken away, or gets another
/// mode, is no file that anything runs.
fn writes_workspace(file: &FileEffect) -> bool {
    let is_there = matches!(
        file.scope,
        Scope::Workspace
            | Scope::WorkspaceRoot
            | Scope::VersionControl
            | Scope::AgentConfig
            | Scope::Unknown
    );
    file.access == Access::Write && is_there
}

/// True if what is written is all that the effect says.
fn is_exact(file: &FileEffect, found: &Found, analysis: &Analysis) -> bool {
    let is_known = file.path.possible().is_some();
    let Some(number) = found.by else { return is_known };
    if found.program != "git" {
        return is_known && EXACT.contains(&&*found.program);
    }
    // What Git writes by itself, it writes in its own folder.
    let words = analysis.invocations.get(number).map(|call| &call.arguments);
    words.and_then(|words| subcommand(words)).is_some_and(|(name, _)| EXACT_OF_GIT.contains(&name))
}

/// True for the settings of the repository that a folder is in.
fn is_tracked(folder: &str, protected: &str) -> bool {
    protected.strip_suffix("/.git/config").is_some_and(|home| is_within(folder, home))
}

/// The folder in whose repository Git writes settings.
fn tracked(analysis: &Analysis, number: usize, env: &Env) -> Option<String> {
    let call = call_of_git(analysis, number, env)?;
    let words = &analysis.invocations.get(number)?.arguments;
    let words: Vec<Option<&str>> = words.iter().map(|word| word.value.as_known()).collect();
    let at = words.iter().position(|word| *word == Some(call.name))?;
    let writes = TRACKS.contains(&call.name) && may_write_settings(call.name, &words[at + 1..]);
    writes.then_some(call.folder)
}

/// A call of Git on this machine that has nothing before its subcommand but the folder.
pub(super) struct CallOfGit<'a> {
    /// The subcommand.
    pub name: &'a str,
    /// The folder, absolute.
    pub folder: String,
}

/// The call of that number, if it is Git in a folder that is known, without variables and here on
/// this machine. A variable may name what Git runs, or another repository.
pub(super) fn call_of_git<'a>(
    analysis: &'a Analysis,
    number: usize,
    env: &Env,
) -> Option<CallOfGit<'a>> {
    let call = analysis.invocations.get(number)?;
    let is_git = call.program.value.as_known() == Some("git")
        && call.locus == Locus::Here
        && call.environment.is_empty();
    let (name, folder) = subcommand(&call.arguments).filter(|_| is_git)?;
    let folder = Value::known(folder.unwrap_or("."));
    let folder = place::resolve(&folder, &call.cwd, env).as_known()?.to_owned();
    Some(CallOfGit { name, folder })
}

/// The subcommand of Git among its words, and the folder.
fn subcommand(words: &[Argument]) -> Option<(&str, Option<&str>)> {
    let mut words = words.iter().map(|word| word.value.as_known().unwrap_or_default());
    let mut folder = None;
    loop {
        match words.next()? {
            "-C" if folder.is_none() => folder = Some(words.next()?),
            "--no-pager" => {}
            name => return Some((name, folder)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyse;

    fn nested(text: &str) -> Nested {
        let env = Env::default();
        Nested::of(&analyse(text, &env), &env)
    }

    #[test]
    fn what_nobody_has_seen_is_distinguished_from_what_is_known() {
        for (text, is_unseen) in [
            ("true", false),
            ("ls -l", false),
            ("cat x | wc -l", false),
            ("echo x > a.txt", false),
            ("touch a; mkdir b; rm -rf c", false),
            // One name may stand for a file of any repository.
            ("tee vendor/*/.git/config", true),
            ("find vendor -name config -exec tee {} \\;", true),
            ("find vendor -name config -exec sed -i s/a/b/ {} +", true),
            ("find vendor -name hooks -execdir touch pre-commit \\;", true),
            ("find vendor -name config -exec ln {} notes1 \\;", true),
            ("tee $(find vendor -name config)", true),
            ("echo x > vendor/*/config", true),
            ("cd vendor/* && tee config", true),
            ("echo x > \"$x\"", true),
            ("mv x/config vendor/y", true),
            ("git mv x/config vendor/y", true),
            ("ln -s x/config vendor/y", true),
            ("for f in a b; do touch $f; done", false),
            ("git -C sub remote add o https://a.example/x", false),
            ("git config user.name x", false),
            ("git -c core.hooksPath=x rm a", true),
            ("git commit -m x", true),
            ("sh ./a.sh", true),
            ("make", true),
            ("echo x > a; python3 -c 'print(1)'", true),
            ("npm install", true),
            ("tar xf a.tar", true),
            ("cp -r a/. vendor/lib", true),
            ("frobnicate", true),
            ("rm -rf vendor && make", true),
        ] {
            assert_eq!(!nested(text).unseen_in.is_empty(), is_unseen, "{text}");
        }
    }

    #[test]
    fn git_writes_settings_where_nothing_else_runs() {
        for (text, at) in [
            ("git checkout feature", Some("/workspace/.git/config")),
            ("git -C sub switch -c x --track origin/y", Some("/workspace/sub/.git/config")),
            ("cd sub && git push -u origin x | cat", Some("/workspace/sub/.git/config")),
            ("cd sub/src && git push", Some("/workspace/sub/.git/config")),
            ("git pull --set-upstream o x", Some("/workspace/.git/config")),
            ("git pull", None),
            ("git fetch", None),
            ("git branch -a", None),
            ("git branch --show-current", None),
            ("git branch -d x", Some("/workspace/.git/config")),
            ("git branch x", Some("/workspace/.git/config")),
            ("git branch --unset-upstream", Some("/workspace/.git/config")),
            ("git config user.name", None),
            ("git config --get user.name", None),
            ("git config list", None),
            ("git config set user.name x", Some("/workspace/.git/config")),
            ("git config --unset user.name", Some("/workspace/.git/config")),
            ("git config get --add x", Some("/workspace/.git/config")),
            ("git remote -v", None),
            ("git remote show o", None),
            ("git remote -v add o x", Some("/workspace/.git/config")),
            ("git checkout -- a", None),
            ("git fetch; ./a.sh", None),
            ("git fetch --upload-pack=./a.sh", None),
            ("GIT_SSH_COMMAND=./a.sh git fetch", None),
            ("git fetch 'ext::sh -c ./a.sh'", None),
            ("git -c core.hooksPath=x checkout y", None),
            ("git --git-dir=sub/.git checkout y", None),
            ("git commit -m x", None),
            ("git remote add o https://a.example/x", Some("/workspace/.git/config")),
            ("git config user.name x && git init", Some("/workspace/.git/config")),
            ("git config user.name x && make", None),
        ] {
            for config in ["/workspace/.git/config", "/workspace/sub/.git/config"] {
                let nested = nested(text);
                let is_open = at.is_some_and(|at| at == config)
                    || config == "/workspace/.git/config" && at.is_some();
                assert_eq!(nested.is_tracked(config), is_open, "{text}: {config}");
                assert!(!nested.is_open(&config.replace("config", "hooks")), "{text}");
            }
        }
    }

    #[test]
    fn a_repository_is_made_by_what_says_so() {
        for (text, makes) in [
            ("git init", true),
            ("git init && make", true),
            ("git -C sub clone https://a.example/x", true),
            ("cargo new x", true),
            ("git status", false),
            ("echo git init", false),
            ("./git init", false),
            ("make init", false),
        ] {
            assert_eq!(nested(text).makes_repository, makes, "{text}");
        }
    }

    #[test]
    fn what_nobody_has_allowed_only_takes_away() {
        let env = Env::default();
        for (text, is_unseen) in [
            ("rm -rf vendor/lib", false),
            ("cat a", false),
            ("rm -rf vendor/lib; make", true),
            ("echo x > vendor/lib/.npmrc", true),
            ("rm vendor/lib/.npmrc", true),
        ] {
            let nested = nested(text).unallowed(&env);
            assert_eq!(!nested.unseen_in.is_empty(), is_unseen, "{text}");
            assert_eq!(nested.is_open("/workspace/vendor/lib/x"), text == "rm -rf vendor/lib");
        }
    }

    #[test]
    fn what_is_taken_away_or_written_by_name_stands_open() {
        let hooks = "/workspace/vendor/lib/.git/hooks";
        for (text, is_open) in [
            ("rm -rf vendor/lib; make", true),
            ("rm -rf vendor; make", true),
            ("rm -rf ven*; make", true),
            ("rm -rf vendor/*; make", true),
            ("mv vendor/lib x; make", true),
            ("echo x > vendor/lib/.git/hooks/pre-commit; make", true),
            ("chmod +x vendor/lib/.git/hooks/pre-commit; make", true),
            ("rm -rf vendor/li; make", false),
            ("rm -f *; make", false),
            ("mv *.o x; make", false),
            ("rm -rf x vendor/other/*; make", false),
            ("find . -name '*.pyc' -delete; make", false),
            ("chmod -R u+w vendor; make", false),
            ("cp -r a/. vendor/lib; make", false),
            ("touch vendor/lib/x; make", false),
            ("ln vendor/lib x; make", false),
            ("false && rm -rf vendor/lib; make", false),
        ] {
            assert_eq!(nested(text).is_open(hooks), is_open, "{text}");
            let is_away = is_open && !text.contains("pre-commit");
            assert_eq!(nested(text).is_away("/workspace/vendor/lib"), is_away, "{text}");
        }
    }
}
