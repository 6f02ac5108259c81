//! The protected names: what Git, agents, editors, shells and package managers read when they start, and
//! run or obey without being asked. One list binds commands and file tools alike.
//!
//! A name counts in every folder of a workspace. The owner opens names by `files.open`.

use super::is_within;
use super::names::{
    AGENTS, GIT, GIT_RUNS, STARTS_EDITORS, STARTS_HOOKS, STARTS_SHELLS, STARTS_TOOLS,
};
use crate::effect::Scope;
use crate::env::Env;
use crate::value::Value;

/// Every protected name, as a path from the folder in which it counts. Of `.git` those that run something.
pub fn names() -> impl Iterator<Item = &'static str> {
    let starts = [AGENTS, STARTS_EDITORS, STARTS_HOOKS, STARTS_SHELLS, STARTS_TOOLS];
    GIT_RUNS.iter().chain(starts.into_iter().flatten()).copied()
}

/// True for a name of what tells agents, editors, shells and package managers what to run, where they
/// start beside it. Names that are paths, such as `.cargo/config.toml`, are among [`names`] only.
#[must_use]
pub fn starts(name: &str) -> bool {
    names().any(|one| one == name)
}

/// True if the owner has opened a protected name: it, or the folder that it is in.
#[must_use]
pub fn is_opened(name: &str, opened: &[String]) -> bool {
    opened.iter().any(|open| is_within(name, open))
}

/// The protected name that a path below a workspace has in it, in whatever folder. `below` has no `/`
/// before it, no `..`, and no links on its way.
///
/// All of `.git` is protected: a path in it that runs nothing gives `.git`.
#[must_use]
pub fn protected(below: &str, opened: &[String]) -> Option<&'static str> {
    let mut rest = below;
    loop {
        let here = names().chain([GIT]).filter(|name| begins(rest, name));
        let longest = here.max_by_key(|name| name.len());
        if let Some(name) = longest.filter(|name| !is_opened(name, opened)) {
            return Some(name);
        }
        rest = rest.split_once('/')?.1;
    }
}

/// True if a path begins with a name, as the file system of this platform compares names.
fn begins(path: &str, name: &str) -> bool {
    let is_same = |start: &str| match cfg!(target_os = "macos") {
        true => start.eq_ignore_ascii_case(name),
        false => start == name,
    };
    let ends = matches!(path.as_bytes().get(name.len()), None | Some(b'/'));
    ends && path.get(..name.len()).is_some_and(is_same)
}

/// True for a resolved path in a workspace that is protected, or may be.
#[must_use]
pub fn is_protected(path: &Value, env: &Env) -> bool {
    let is_one = |path: &String| scope(path, env) != Scope::Workspace;
    path.possible().is_some_and(|all| all.iter().any(is_one))
}

/// Whose place a path in the workspace is.
pub(super) fn scope(path: &str, env: &Env) -> Scope {
    if env.protected.iter().any(|one| is_within(path, one)) {
        return Scope::VersionControl;
    }
    below(path, env).and_then(|below| is_of(below, env)).unwrap_or(Scope::Workspace)
}

/// The part of a path below the innermost folder of the workspace that holds it.
fn below<'p>(path: &'p str, env: &Env) -> Option<&'p str> {
    let around = env.workspace.iter().filter(|root| is_within(path, root));
    let root = around.map(|root| root.trim_end_matches('/').len()).max()?;
    path.get(root..).map(|below| below.trim_start_matches('/'))
}

/// The scope of a protected path; none for files that only Git itself uses, because git commands write them.
fn is_of(below: &str, env: &Env) -> Option<Scope> {
    match protected(below, &env.opened)? {
        GIT => runs_in_git(below).then_some(Scope::VersionControl),
        name if GIT_RUNS.contains(&name) => Some(Scope::VersionControl),
        _ => Some(Scope::AgentConfig),
    }
}

/// True for `.git` itself, for what of its submodules and worktrees runs, and for what a rebase that is
/// under way will run.
fn runs_in_git(below: &str) -> bool {
    let mut parts = below.split('/').skip_while(|part| *part != GIT).skip(1);
    let runs = |part: &str| GIT_RUNS.iter().any(|name| name.rsplit('/').next() == Some(part));
    match parts.next() {
        None | Some("rebase-merge" | "sequencer") => true,
        Some("modules" | "worktrees") => parts.any(runs),
        Some(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_protected_name_counts_in_every_folder_until_the_owner_opens_it() {
        for (path, name) in [
            (".git", Some(".git")),
            (".git/config", Some(".git/config")),
            (".git/hooks/pre-commit", Some(".git/hooks")),
            (".git/info/exclude", Some(".git")),
            ("vendor/lib/.git/config", Some(".git/config")),
            ("a/b/.envrc", Some(".envrc")),
            ("AGENTS.md", Some("AGENTS.md")),
            (".claude/settings.json", Some(".claude")),
            (".vscode/tasks.json", Some(".vscode")),
            ("sub/.cargo/config.toml", Some(".cargo/config.toml")),
            (".cargo/registry", None),
            (".github/workflows/ci.yml", None),
            (".gitignore", None),
            (".gitx/config", None),
            ("src/agents.rs", None),
            ("config", None),
        ] {
            assert_eq!(protected(path, &[]), name, "{path}");
        }
        let opened = ["AGENTS.md".to_owned(), ".git/hooks".to_owned(), ".cargo".to_owned()];
        for (path, name) in [
            ("AGENTS.md", None),
            ("sub/AGENTS.md", None),
            (".git/hooks/pre-commit", None),
            (".git/config", Some(".git/config")),
            (".cargo/config.toml", None),
            ("CLAUDE.md", Some("CLAUDE.md")),
            ("AGENTS.md/.git/config", Some(".git/config")),
        ] {
            assert_eq!(protected(path, &opened), name, "{path}");
        }
    }

    #[test]
    fn what_runs_something_is_distinguished_from_what_git_keeps_for_itself() {
        let env = Env::default();
        for (path, expected) in [
            (".git", Scope::VersionControl),
            (".git/hooks/x", Scope::VersionControl),
            (".git/config.worktree", Scope::VersionControl),
            (".git/modules/a/config", Scope::VersionControl),
            (".git/rebase-merge/git-rebase-todo", Scope::VersionControl),
            (".git/index.lock", Scope::Workspace),
            (".git/refs/heads/x", Scope::Workspace),
            (".husky/pre-commit", Scope::AgentConfig),
            ("sub/.npmrc", Scope::AgentConfig),
            ("src/main.rs", Scope::Workspace),
        ] {
            assert_eq!(scope(&format!("/workspace/{path}"), &env), expected, "{path}");
        }
    }

    #[test]
    fn what_settings_name_is_protected_as_well() {
        let env = Env { protected: vec!["/workspace/tools/hooks".into()], ..Env::default() };
        assert_eq!(scope("/workspace/tools/hooks/pre-commit", &env), Scope::VersionControl);
        assert_eq!(scope("/workspace/tools/other", &env), Scope::Workspace);
        assert!(is_protected(&Value::known("/workspace/tools/hooks"), &env));
        assert!(crate::place::protected_paths(&env).contains(&"/workspace/tools/hooks".to_owned()));
    }

    #[test]
    fn names_above_the_workspace_do_not_count() {
        let root = "/home/user/.claude/worktrees/a";
        let env = Env { workspace: vec![root.into()], ..Env::default() };
        assert_eq!(scope(&format!("{root}/src/a.rs"), &env), Scope::Workspace);
        assert_eq!(scope(&format!("{root}/.claude/a"), &env), Scope::AgentConfig);
    }
}
