//! What in a workspace tells version control and agents what to do, and is not there yet. A wall stands
//! around what is there; of what is not, it can be told afterwards that it has come.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::host::Order;
use super::sandbox::Mounted;

/// The folder that Git runs programs of. Where it is not there, it can be made, empty, so that a wall
/// can stand around it.
const HOOKS: &str = ".git/hooks";

/// The files and folders that are not there.
#[derive(Debug, Default)]
pub(crate) struct Absent(Vec<PathBuf>);

impl Absent {
    /// What a command may not write and could make. Where it could make the folder that Git runs
    /// programs of, that is made here.
    pub(crate) fn before(order: &Order, is_sandboxed: bool) -> Absent {
        let mounted = Mounted { real: order.whose.workspace.clone() };
        let here = |path: &String| match is_sandboxed {
            true => mounted.on_host(path),
            false => Some(PathBuf::from(path)),
        };
        let mut absent: Vec<PathBuf> = order.held_to.write_never.iter().filter_map(here).collect();
        // Where there is no `.git`, it is a new one that brings its own.
        let mut folders = HashMap::new();
        let mut is_in_one = |path: &Path| {
            let folder = path.parent().map(Path::to_owned);
            folder.is_some_and(|at| *folders.entry(at).or_insert_with_key(|at| is_folder(at)))
        };
        absent.retain(|path| is_missing(path) && is_in_one(path));
        absent.retain(|path| !(path.ends_with(HOOKS) && is_made(path)));
        Absent(absent)
    }

    /// Those that are there now.
    pub(crate) fn appeared(&self) -> Vec<String> {
        let there = self.0.iter().filter(|path| !is_missing(path));
        there.map(|path| path.display().to_string()).collect()
    }
}

/// Makes a folder, unless another command has by now.
fn is_made(path: &Path) -> bool {
    fs::create_dir(path).map_or_else(|error| error.kind() == ErrorKind::AlreadyExists, |()| true)
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|error| error.kind() == ErrorKind::NotFound)
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|data| data.is_dir())
}
