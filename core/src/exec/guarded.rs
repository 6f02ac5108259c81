//! What in a workspace tells version control and agents what to do, and is not there yet. A wall stands
//! around what is there; of what is not, it can be told afterwards that it has come.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::looks::{Answer, Look, Looks, Question, There};
use super::order::Order;
use super::sandbox::Mounted;

/// The folder that Git runs programs of. Where it is not there, it can be made, empty, so that a wall
/// can stand around it.
const HOOKS: &str = ".git/hooks";

/// The files and folders that are not there.
#[derive(Debug)]
pub(crate) struct Absent {
    paths: Vec<PathBuf>,
    looked: Arc<Answer>,
}

impl Absent {
    /// What a command may not write and could make. Where it could make the folder that Git runs
    /// programs of, that is made here.
    pub(super) fn before(order: &Order, is_sandboxed: bool, looks: &Looks) -> Absent {
        let mounted = Mounted { real: order.whose.workspace.clone() };
        let here = |path: &String| match is_sandboxed {
            true => mounted.on_host(path),
            false => Some(PathBuf::from(path)),
        };
        let asked = order.held_to.write_never.iter().filter_map(here).collect();
        let looked = looks.answer(Question::Missing, asked, |look, paths| {
            paths.iter().filter(|path| could_be_made(look, path)).cloned().collect()
        });
        let mut paths = looked.paths.clone();
        paths.retain(|path| !(path.ends_with(HOOKS) && is_made(path)));
        Absent { paths, looked }
    }

    /// Those that are there now.
    pub(super) fn appeared(&self) -> Vec<String> {
        if self.looked.folders.are_as_they_were() {
            return Vec::new();
        }
        let mut look = Look::once();
        let there = self.paths.iter().filter(|path| look.at(path) != Some(There::Nothing));
        there.map(|path| path.display().to_string()).collect()
    }
}

/// True if nothing is there and the folder for it is. Where there is no `.git`, it is a new one that
/// brings its own.
fn could_be_made(look: &mut Look, path: &Path) -> bool {
    let folder = path.parent();
    folder.is_some_and(|folder| look.at(folder) == Some(There::Folder))
        && look.at(path) == Some(There::Nothing)
}

/// Makes a folder, unless another command has by now.
fn is_made(path: &Path) -> bool {
    fs::create_dir(path).map_or_else(|error| error.kind() == ErrorKind::AlreadyExists, |()| true)
}
