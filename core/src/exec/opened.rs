//! A program that was opened and verified before it is run.

use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::confine::walls::Launch;
use super::environment::Variables;
use super::folder::Folder;
use super::not_run::NotRun;
use crate::shell::REMOVED;

/// A program that was opened and verified before, such as a CLI with credentials, with everything it
/// gets besides its request.
#[derive(Clone, Debug)]
pub(crate) struct Opened {
    /// Its file. None: it is started by its path, as a script is.
    pub(crate) file: Option<Arc<OwnedFd>>,
    /// Its path.
    pub(crate) path: PathBuf,
    /// Its words, the name that it goes by first.
    pub(crate) words: Vec<String>,
    /// Every variable that it gets.
    pub(crate) variables: Variables,
    /// The folder that it has as its temporary one, with one named `shm` in it. It is gone when
    /// nothing of the program runs any more.
    pub(crate) temp: Arc<Folder>,
}

impl Opened {
    /// What is started. Its folder lies at `lies_at`.
    ///
    /// # Errors
    /// Where the folder cannot be entered.
    pub(super) fn launch(&self, cwd: &Path, lies_at: &Path) -> Result<Launch, NotRun> {
        enter(cwd, lies_at)?;
        let mut variables = self.variables.clone();
        variables.insert("PWD".into(), cwd.display().to_string());
        REMOVED.iter().for_each(|name| drop(variables.remove(*name)));
        let variables = variables.into_iter().map(|(name, value)| format!("{name}={value}").into());
        Ok(Launch {
            file: self.file.clone(),
            path: self.path.clone(),
            words: self.words.iter().map(OsString::from).collect(),
            variables: variables.collect(),
            cwd: cwd.to_owned(),
            terminal: None,
        })
    }
}

/// Makes sure that a folder can be entered that lies at `lies_at`.
pub(super) fn enter(cwd: &Path, lies_at: &Path) -> Result<(), NotRun> {
    let entered = std::fs::read_dir(lies_at).map(drop);
    entered.map_err(|error| NotRun::NoFolder(cwd.display().to_string(), error))
}
