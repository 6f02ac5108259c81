//! A program with credentials that runs in a container of its own, where no other command ever runs.

use zeroize::Zeroizing;

use super::environment::Variables;

/// A program of an image, with everything it gets besides its request. No other command ever runs in its
/// container, so nothing else can reach its secrets.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "docker"), expect(dead_code, reason = "another build runs it"))]
pub(crate) struct Isolated {
    /// Its arguments, the program's name first.
    pub(crate) words: Vec<String>,
    /// Every variable that it gets.
    pub(crate) variables: Variables,
    /// The files that are written into its home folder, for it alone.
    pub(crate) files: Vec<PrivateFile>,
}

/// A file that only one program may read.
#[derive(Clone, Debug)]
pub(crate) struct PrivateFile {
    /// Its name, without a folder.
    pub(crate) name: String,
    /// What it holds.
    pub(crate) content: Zeroizing<Vec<u8>>,
}
