//! What can go wrong with a file, in words for the model that named it.

use std::fmt;
use std::io;

use rustix::io::Errno;

use super::edit_problem::EditProblem;
use super::encoding::CONVERT;
use super::media::Media;
use crate::error::Code;

/// Why a file was not read, written, edited or listed. Messages are for the model: they name the
/// path as the model wrote it and what to do instead, and never a path of the host.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The path leads outside the workspace.
    #[error(
        "access denied: `{path}` is outside the workspace; only paths inside the workspace are \
         allowed, written relative to its root, and those in the folders that workspace_dir tells"
    )]
    Outside {
        /// The path as the model wrote it.
        path: String,
    },
    /// The path has a loop of symbolic links, too many of them, or one of the kernel's own.
    #[error(
        "access denied: the symbolic links in `{path}` do not lead to a place inside the \
         workspace; only paths inside the workspace are allowed, written relative to its root"
    )]
    Links {
        /// The path as the model wrote it.
        path: String,
    },
    /// The owner has closed the path, whether there is something or not.
    #[error("access denied: `{path}` is closed to tools; go on without it")]
    Denied {
        /// The path as the model wrote it.
        path: String,
    },
    /// The file is a team's, and the caller only reviews.
    #[error(
        "access denied: `{path}` is in the folder of the team, where a reviewer reads and does not \
         write; tell the team what to change"
    )]
    Reviewed {
        /// The path as the model wrote it.
        path: String,
    },
    /// A team's files do not end so.
    #[error(
        "access denied: `{path}` is in the folder of the team, where no file may end in \
         `.{extension}`; give it another ending"
    )]
    Extension {
        /// The path as the model wrote it.
        path: String,
        /// The ending, in lower case.
        extension: String,
    },
    /// A team has as many files as it may have.
    #[error(
        "`{path}` was not made: the folder of the team has {max} files, as many as it may have; \
         change one that is there, or delete what is no longer needed"
    )]
    TooManyFiles {
        /// The path as the model wrote it.
        path: String,
        /// The most files.
        max: usize,
    },
    /// The path lies in a root that is only read.
    #[error(
        "access denied: `{path}` may be read but not written; write in the workspace, or in a \
         folder that workspace_dir tells to be writable"
    )]
    ReadOnly {
        /// The path as the model wrote it.
        path: String,
    },
    /// The file has several names on the disk, which the owner does not want used.
    #[error(
        "access denied: `{path}` is one of several names of one file (a hard link), which are not \
         used here; use a copy of it"
    )]
    ManyNames {
        /// The path as the model wrote it.
        path: String,
    },
    /// The file is one of toolkeep's own: its configuration or its store.
    #[error(
        "access denied: `{path}` belongs to the tool layer itself and is not changed by tools; ask \
         the user to change it"
    )]
    Kept {
        /// The path as the model wrote it.
        path: String,
    },
    /// A link leads to what somebody has to allow, and only by its own path.
    #[error(
        "access denied: `{path}` leads to `{place}`, which is protected, and no link is followed there; \
         name that path itself, and somebody is asked about it"
    )]
    Protected {
        /// The path as the model wrote it.
        path: String,
        /// Where it leads, from its root.
        place: String,
    },
    /// The operating system refuses.
    #[error("access denied: the operating system does not permit this on `{path}`")]
    Permission {
        /// The path as the model wrote it.
        path: String,
    },
    /// The path names a device, a FIFO or a socket.
    #[error("access denied: `{path}` is {kind}; only regular files are read and written")]
    NotRegular {
        /// The path as the model wrote it.
        path: String,
        /// What it is instead of a file.
        kind: Special,
    },
    /// The text is no path.
    #[error("the path `{path}` {problem}")]
    InvalidPath {
        /// The path as the model wrote it, shortened if it is very long.
        path: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The path has `..` after a symbolic link, which means two different folders depending on who
    /// reads it.
    #[error(
        "the path `{path}` is ambiguous, because `{link}` is a symbolic link and `..` follows it; \
         write the path without `..`"
    )]
    AmbiguousParent {
        /// The path as the model wrote it.
        path: String,
        /// The part before the `..`.
        link: String,
    },
    /// Nothing has that name.
    #[error("`{path}` does not exist{}", did_you_mean(similar))]
    NotFound {
        /// The path as the model wrote it.
        path: String,
        /// Existing paths that look like it, the likeliest first, relative to the root.
        similar: Vec<String>,
    },
    /// The path names a folder where a file is needed.
    #[error("`{path}` is a folder, not a file; list_files shows what is in it")]
    IsFolder {
        /// The path as the model wrote it.
        path: String,
    },
    /// The path, or a part of it before the last, names a file where a folder is needed.
    #[error("`{path}`, or a part of it, is a file and not a folder")]
    NotAFolder {
        /// The path as the model wrote it.
        path: String,
    },
    /// The file holds no text.
    #[error("`{path}` is {media}, {}", what_to_do(*media))]
    Binary {
        /// The path as the model wrote it.
        path: String,
        /// What it seems to hold.
        media: Media,
    },
    /// The file is in another encoding than UTF-8, and what would be appended is not ASCII.
    #[error(
        "`{path}` is unchanged: it is not in UTF-8, and what is appended would be, so that no program \
         could read both; append ASCII text only, or {CONVERT}"
    )]
    OtherEncoding {
        /// The path as the model wrote it.
        path: String,
    },
    /// The file, or what it would become, is larger than is handled at once.
    #[error("`{path}` would be handled as {bytes} bytes, and at most {max} are; {remedy}")]
    TooLarge {
        /// The path as the model wrote it.
        path: String,
        /// The size in bytes.
        bytes: u64,
        /// The most bytes allowed.
        max: u64,
        /// What to do instead.
        remedy: &'static str,
    },
    /// The edit does not fit the file.
    #[error("`{path}` is unchanged: {problem}")]
    Edit {
        /// The path as the model wrote it.
        path: String,
        /// Why it does not fit.
        #[source]
        problem: Box<EditProblem>,
    },
    /// Somebody else changed the file, or a folder on the way to it, in the meantime.
    #[error("`{path}` was changed by somebody else at this moment; read it again and retry")]
    Changed {
        /// The path as the model wrote it.
        path: String,
    },
    /// Others kept the file or its folder locked.
    #[error(
        "others are changing `{path}`, or files beside it, and did not finish within 10 seconds; try \
         again"
    )]
    Busy {
        /// The path as the model wrote it.
        path: String,
    },
    /// The operating system failed.
    #[error("cannot {action} `{path}`: {source}")]
    Io {
        /// The path as the model wrote it.
        path: String,
        /// What was tried: `read`, `write`, …
        action: &'static str,
        /// The system's own error.
        source: io::Error,
    },
}

/// A thing in the file system that is neither a file, a folder nor a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Special {
    /// A named pipe.
    Fifo,
    /// A socket.
    Socket,
    /// A block or character device.
    Device,
    /// A socket, or a device without a driver: the system does not say which.
    Unknown,
}

impl fmt::Display for Special {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Special::Fifo => "a FIFO",
            Special::Socket => "a socket",
            Special::Device => "a device",
            Special::Unknown => "a socket or a device",
        })
    }
}

impl Error {
    /// The stable code.
    pub fn code(&self) -> Code {
        match self {
            Error::Outside { .. }
            | Error::Links { .. }
            | Error::Denied { .. }
            | Error::ReadOnly { .. }
            | Error::Reviewed { .. }
            | Error::Extension { .. }
            | Error::ManyNames { .. }
            | Error::Kept { .. }
            | Error::Protected { .. }
            | Error::Permission { .. }
            | Error::NotRegular { .. } => Code::AccessDenied,
            Error::NotFound { .. } => Code::NotFound,
            Error::InvalidPath { .. }
            | Error::AmbiguousParent { .. }
            | Error::IsFolder { .. }
            | Error::NotAFolder { .. }
            | Error::Binary { .. } => Code::InvalidArguments,
            Error::TooLarge { .. } | Error::TooManyFiles { .. } => Code::ToolFailed,
            Error::Edit { problem, .. } => problem.code(),
            Error::Changed { .. } | Error::Busy { .. } | Error::OtherEncoding { .. } => {
                Code::Conflict
            }
            Error::Io { .. } => Code::ToolFailed,
        }
    }

    /// The error for what the system said while it tried to `action` the path that the model wrote
    /// as `path`.
    pub(super) fn from_io(
        path: impl fmt::Display,
        action: &'static str,
        error: io::Error,
    ) -> Error {
        let path = path.to_string();
        if is_escape(&error) {
            return Error::Outside { path };
        }
        match Errno::from_io_error(&error) {
            Some(Errno::LOOP) => Error::Links { path },
            Some(Errno::ACCESS | Errno::PERM) => Error::Permission { path },
            Some(Errno::NOENT) => Error::NotFound { path, similar: Vec::new() },
            Some(Errno::NOTDIR) => Error::NotAFolder { path },
            Some(Errno::ISDIR) => Error::IsFolder { path },
            Some(Errno::NXIO | Errno::NODEV) => Error::NotRegular { path, kind: Special::Unknown },
            Some(Errno::NAMETOOLONG) => {
                Error::InvalidPath { path, problem: "has a name that is too long" }
            }
            _ => Error::Io { path, action, source: error },
        }
    }
}

/// True if the path led outside the handle. The confinement says so with an error of its own that
/// carries no number of the system's.
pub(super) fn is_escape(error: &io::Error) -> bool {
    let own = error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_none();
    own || Errno::from_io_error(error) == Some(Errno::XDEV)
}

fn did_you_mean(similar: &[String]) -> String {
    if similar.is_empty() {
        return String::new();
    }
    let names: Vec<String> = similar.iter().map(|name| format!("`{name}`")).collect();
    format!("; did you mean {}?", names.join(" or "))
}

fn what_to_do(media: Media) -> String {
    match media.tool() {
        Some(tool) => {
            let aside = match media {
                Media::Document => "; `exec` with `cat -v` shows its bytes",
                _ => "",
            };
            format!(
                "not text; a tool for that kind reads it, such as `{tool}` where you have it{aside}"
            )
        }
        None if media.is_text() => {
            let from = if media == Media::Utf16 { "UTF-16" } else { "UTF-32" };
            format!("and only UTF-8 is taken; convert it first, as with `iconv -f {from} -t UTF-8`")
        }
        None => "not text; it cannot be read or edited as text".to_owned(),
    }
}
