//! Why a command did not run.

use std::io;

use crate::shell::precheck::LONGEST_RUN;

/// Why a command did not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotRun {
    /// There is no such program.
    #[error("there is no program `{0}`")]
    NoProgram(String),
    /// A word of it is longer than the system takes: so many bytes.
    #[error("an argument of it has {0} bytes, and at most {LONGEST_RUN} can be given")]
    TooLong(usize),
    /// The folder cannot be entered.
    #[error("the folder `{0}` cannot be entered: {1}")]
    NoFolder(String, io::Error),
    /// It could not be confined as it must be.
    #[error("it could not be confined as it must be: {0}")]
    Unconfined(String),
    /// It is to run in a sandbox, and there is none.
    #[error("the sandbox cannot be used: {0}")]
    Sandbox(String),
    /// A Git that still runs writes a file that it must not.
    #[error("`{0}` is being written by Git in another command that still runs")]
    Busy(String),
    /// Anything else of the system's.
    #[error("{0}")]
    System(String),
}

impl From<io::Error> for NotRun {
    fn from(error: io::Error) -> NotRun {
        NotRun::System(error.to_string())
    }
}
