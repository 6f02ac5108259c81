//! Which folders a caller may use, and what in them is closed to the caller.

mod caller_folders;
mod entries;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Parts;
use super::config::TeamConfig;
use super::folders::Folders;
use crate::error::{Code, Error};
use crate::exec::sandbox::WORKSPACE;
use crate::exec::{SandboxConfig, WorkspaceAccess};
use crate::tool::{Caller, ToolError};
use crate::workspace::{BadEntry, Deny, Limits, Quota, Root, Roots, Workspace};

/// The most folders in one list of a caller.
const MOST_ROOTS: usize = 64;

/// The role in a team that writes nothing.
const REVIEWER: &str = "reviewer";

/// How many lists of denied paths stay compiled.
const MOST_COMPILED: usize = 64;

/// Grants folders to callers: what the configuration and the host let each of them use.
pub(super) struct Granting {
    /// The workspace of calls that bring none of their own, identified by where it was at the start.
    workspace: Option<Mutex<Workspace>>,
    /// What the configuration lets every caller use.
    everyone: Vec<Standing>,
    deny: Vec<String>,
    /// The protected names that the owner opens.
    opened: Arc<[String]>,
    team: TeamConfig,
    kept: Arc<[PathBuf]>,
    single_names: bool,
    sandbox: SandboxConfig,
    folders: Folders,
    compiled: Mutex<HashMap<Vec<String>, Arc<Deny>>>,
}

/// A folder of the configuration.
struct Standing {
    field: &'static str,
    index: usize,
    folder: Mutex<Workspace>,
    read_only: bool,
}

/// What one caller may use.
struct Granted {
    workspace: Option<Root>,
    others: Vec<Root>,
}

impl Granting {
    /// # Errors
    /// `invalid_config` that names the key.
    pub(super) fn new(parts: &Parts) -> Result<Granting, Error> {
        let config = &parts.config;
        let mut everyone = Vec::new();
        for (field, paths, read_only) in
            [("read_roots", &config.read_roots, true), ("write_roots", &config.write_roots, false)]
        {
            for (index, path) in paths.iter().enumerate() {
                let opened = Workspace::open(Path::new(path)).map_err(|error| {
                    let text =
                        format!("configuration: `files.{field}[{index}]`: {}", error.message());
                    Error::new(Code::InvalidConfig, text).with_source(error)
                });
                let folder = Mutex::new(opened?);
                everyone.push(Standing { field, index, folder, read_only });
            }
        }
        let bad = |why: String| {
            Error::new(Code::InvalidConfig, format!("configuration: `files.deny`: {why}"))
        };
        let real: Vec<PathBuf> = everyone.iter().map(Standing::real).collect();
        let real: Vec<&Path> = parts
            .workspace
            .iter()
            .map(Workspace::real_root)
            .chain(real.iter().map(|p| &**p))
            .collect();
        let granting = Granting {
            deny: entries::settled(&config.deny, &real).map_err(bad)?,
            workspace: parts.workspace.clone().map(Mutex::new),
            everyone,
            opened: config.open.clone().into(),
            team: config.team.clone(),
            kept: parts.kept.clone(),
            single_names: config.hard_links == super::HardLinks::Refuse,
            sandbox: parts.sandbox.clone(),
            folders: Folders::default(),
            compiled: Mutex::default(),
        };
        granting.compiled(granting.deny.clone()).map_err(|entry| bad(entry.to_string()))?;
        Ok(granting)
    }

    /// The roots of a call.
    ///
    /// # Errors
    /// `unavailable` where there is no workspace, or a folder cannot be opened;
    /// `invalid_arguments` for lists that are none.
    pub(super) fn roots(&self, caller: &Caller) -> Result<Roots, ToolError> {
        if self.sandbox.access_of(caller) == Some(WorkspaceAccess::None) {
            let text = "Files are only in the sandbox here, which the file tools do not reach: work \
                        with them by commands, such as `cat` and `tee`.";
            return Err(ToolError::new(Code::Unavailable, text).by_rule("exec.sandbox"));
        }
        self.all_roots(caller)
    }

    /// Whether there is a folder that commands can work in.
    ///
    /// # Errors
    /// As [`Granting::roots`].
    pub(super) fn check_workspace(&self, caller: &Caller) -> Result<(), ToolError> {
        match self.sandbox.access_of(caller) {
            Some(WorkspaceAccess::None) => Ok(()),
            _ => self.all_roots(caller).map(drop),
        }
    }

    /// The roots, also where only commands on the host would use them. Where commands run in a
    /// container, the model knows the workspace by its path there, and may do no more than they.
    fn all_roots(&self, caller: &Caller) -> Result<Roots, ToolError> {
        let mut granted = self.granted(caller)?;
        if let (Some(access), Some(root)) = (self.sandbox.access_of(caller), &mut granted.workspace)
        {
            root.read_only |= access == WorkspaceAccess::Ro;
            root.shown_as = Some(WORKSPACE.into());
        }
        let workspace = granted.workspace.ok_or_else(|| {
            let text = "There is no workspace, so files cannot be used. The owner has to set \
                        `workspace` in the configuration.";
            ToolError::new(Code::Unavailable, text)
        })?;
        let (deny, anchors) = self.denied(caller)?;
        let limits = Limits {
            kept: self.kept.clone(),
            deny,
            opened: Some(self.opened.clone()),
            anchors,
            single_names: self.single_names,
            quotas: self.quotas(caller)?,
        };
        Ok(Roots::new(workspace, granted.others, limits))
    }

    /// The quotas of the teams of a caller and of its parents. An agent that a reviewer started is a reviewer,
    /// too.
    fn quotas(&self, caller: &Caller) -> Result<Vec<Arc<Quota>>, ToolError> {
        let callers = || std::iter::successors(Some(caller), |one| one.parent.as_deref());
        let mut paths: Vec<&str> =
            callers().filter_map(|one| one.team_workspace.as_deref()).collect();
        paths.sort_unstable();
        paths.dedup();
        let is_reviewer = |one: &Caller| {
            one.team_role.as_deref().is_some_and(|role| role.eq_ignore_ascii_case(REVIEWER))
        };
        let TeamConfig { extensions, max_bytes, max_files } = &self.team;
        let ending = |given: &String| given.trim_start_matches('.').to_lowercase();
        let quota = |path: &str| {
            Ok(Arc::new(Quota {
                folder: self.opened("team_workspace", path)?,
                is_reviewer: callers().any(is_reviewer),
                extensions: extensions.iter().map(ending).collect(),
                max_bytes: *max_bytes,
                max_files: *max_files,
            }))
        };
        paths.into_iter().map(quota).collect()
    }

    /// What a caller may use: what everyone may, and of what the host gives him, what his parents
    /// may use as well. His workspace is the host's word alone.
    fn granted(&self, caller: &Caller) -> Result<Granted, ToolError> {
        let mut others = self.own(caller)?;
        let mut read_only = Vec::new();
        if let Some(parent) = caller.parent.as_deref() {
            let above = self.granted_above(parent);
            others.retain_mut(|root| match above.is_read_only(root.real()) {
                Some(above) => {
                    root.read_only |= above;
                    true
                }
                None => false,
            });
            read_only.extend(above.each().filter(|root| root.read_only).cloned());
        }
        for standing in &self.everyone {
            others.push(Root::new(standing.opened()?, standing.read_only));
        }
        let workspace = self.workspace(caller)?.map(|folder| Root::new(folder, false));
        // A folder that a parent may only read stays read-only inside what the child may write.
        read_only.retain(|root| {
            let within = |other: &Root| root.real().starts_with(other.real());
            workspace.iter().chain(&others).any(within)
        });
        others.extend(read_only);
        Ok(Granted { workspace, others })
    }

    /// What a parent may use. A folder of it that cannot be opened is not granted to the child.
    fn granted_above(&self, parent: &Caller) -> Granted {
        self.granted(parent).unwrap_or_else(|_| Granted { workspace: None, others: Vec::new() })
    }

    /// The folders that the host gives this caller, besides his workspace.
    fn own(&self, caller: &Caller) -> Result<Vec<Root>, ToolError> {
        let team: Vec<String> = caller.team_workspace.iter().cloned().collect();
        let lists = [
            ("read_roots", &caller.read_roots, true),
            ("write_roots", &caller.write_roots, false),
            ("team_workspace", &team, false),
        ];
        let mut roots = Vec::new();
        for (field, paths, read_only) in lists {
            if paths.len() > MOST_ROOTS {
                let text = format!("`{field}` of this caller has more than {MOST_ROOTS} folders.");
                return Err(ToolError::new(Code::InvalidArguments, text));
            }
            for (index, path) in paths.iter().enumerate() {
                let field = match field {
                    "team_workspace" => field.to_owned(),
                    list => format!("{list}[{index}]"),
                };
                roots.push(Root::new(self.opened(&field, path)?, read_only));
            }
        }
        Ok(roots)
    }

    /// A folder that the host gives a caller.
    fn opened(&self, field: &str, path: &str) -> Result<Workspace, ToolError> {
        let path = Path::new(path);
        if !path.is_absolute() {
            let text = format!("`{field}` of this caller is not an absolute path.");
            return Err(ToolError::new(Code::InvalidArguments, text));
        }
        self.folders.open(path).map_err(|_| {
            // The error names a path of the machine, which the model must not see.
            let text = format!(
                "A folder of this caller cannot be used: `{field}` does not exist, is no folder, or \
                 may not be entered."
            );
            ToolError::new(Code::Unavailable, text)
        })
    }

    /// The workspace of a call: the caller's own, or the runtime's.
    fn workspace(&self, caller: &Caller) -> Result<Option<Workspace>, ToolError> {
        if let Some(folder) = &caller.workspace {
            let opened = self.folders.open(Path::new(folder));
            return opened.map(Some).map_err(|_| {
                let text = "The workspace of this caller cannot be opened.";
                ToolError::new(Code::Unavailable, text)
            });
        }
        let Some(workspace) = &self.workspace else { return Ok(None) };
        as_it_stands(workspace).map(Some).map_err(|_| {
            let text = "The workspace cannot be opened: its folder is gone. The owner has to make it \
                        again.";
            ToolError::new(Code::Unavailable, text)
        })
    }

    /// What is closed to a caller, with what is closed to his parents, and the workspaces of those:
    /// their denied paths count from there.
    fn denied(&self, caller: &Caller) -> Result<(Arc<Deny>, Vec<PathBuf>), ToolError> {
        let mut entries = self.deny.clone();
        let mut anchors = Vec::new();
        for one in std::iter::successors(Some(caller), |one| one.parent.as_deref()) {
            entries.extend(one.deny_paths.iter().cloned());
        }
        if entries.len() > self.deny.len() {
            let parents = std::iter::successors(caller.parent.as_deref(), |p| p.parent.as_deref());
            for parent in parents {
                let granted = self.granted_above(parent);
                anchors.extend(granted.each().map(|root| root.real().to_owned()));
            }
        }
        let deny = self.compiled(entries).map_err(|bad| {
            let text = format!("`deny_paths` of this caller: {bad}.");
            ToolError::new(Code::InvalidArguments, text)
        })?;
        Ok((deny, anchors))
    }

    fn compiled(&self, entries: Vec<String>) -> Result<Arc<Deny>, BadEntry> {
        let table = || self.compiled.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = table().get(&entries) {
            return Ok(known.clone());
        }
        let deny = Arc::new(Deny::new(&entries)?);
        let mut table = table();
        if table.len() >= MOST_COMPILED {
            table.clear();
        }
        table.insert(entries, deny.clone());
        Ok(deny)
    }
}

impl Granted {
    fn each(&self) -> impl Iterator<Item = &Root> {
        self.workspace.iter().chain(&self.others)
    }

    /// Whether a folder is only read; none if it is not granted at all.
    fn is_read_only(&self, real: &Path) -> Option<bool> {
        let around = self.each().filter(|root| real.starts_with(root.real()));
        // If the same folder is given twice, the stricter entry counts.
        let innermost = around.max_by_key(|root| (root.real().as_os_str().len(), root.read_only));
        innermost.map(|root| root.read_only)
    }
}

impl Standing {
    /// Where it was when it was opened, without links.
    fn real(&self) -> PathBuf {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        folder.real_root().to_owned()
    }

    fn opened(&self) -> Result<Workspace, ToolError> {
        as_it_stands(&self.folder).map_err(|_| {
            let Standing { field, index, .. } = self;
            let text = format!(
                "A folder of the configuration cannot be used: `files.{field}[{index}]` is gone. The \
                 owner has to make it again."
            );
            ToolError::new(Code::Unavailable, text)
        })
    }
}

/// The folder, opened again if it was deleted and recreated. Other callers do not wait for that.
fn as_it_stands(folder: &Mutex<Workspace>) -> Result<Workspace, Error> {
    let lock = || folder.lock().unwrap_or_else(PoisonError::into_inner);
    let known = lock().clone();
    let now = known.as_it_stands()?;
    if !now.is_same(&known) {
        *lock() = now.clone();
    }
    Ok(now)
}
