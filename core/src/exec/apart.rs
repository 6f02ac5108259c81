//! A program with credentials that runs in a container of its own.

use zeroize::Zeroizing;

use super::environment::Variables;

/// A program of an image, and all that it finds besides its order. No other command ever runs in its
/// container, so nobody is near what only it may have.
#[derive(Clone, Debug)]
#[cfg_attr(not(feature = "docker"), expect(dead_code, reason = "another build runs it"))]
pub(crate) struct Apart {
    /// Its words, the name that it is found by first.
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
