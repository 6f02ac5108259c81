//! What can go wrong with a store.

use std::fmt;

use crate::error::Code;

/// The kinds of store errors. Each has its own [`Code`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// The store does not answer, the connection to it was lost, or it failed in an unexpected
    /// way.
    Unavailable,
    /// The store took longer than the wait allowed.
    Timeout,
    /// The store's file is damaged, is no database, or holds a row that makes no sense.
    Corrupt,
    /// The store can be read but not written: a file without the right, a standby server.
    ReadOnly,
    /// Another process held the store for longer than the wait allowed.
    Locked,
    /// The store was written by a newer toolkeep.
    Newer,
    /// The store's place cannot be used as it was named: a folder, a missing folder, a wrong URL,
    /// another application's database, a login that is refused, a database or right that is
    /// missing. It stays that way until somebody changes something.
    Path,
    /// The disk under the store is full.
    Full,
    /// The thing to be changed is not in the expected state.
    Conflict,
    /// An argument of the call is wrong; the message names it.
    InvalidArgument,
    /// This build does not have the store that the URL names.
    Unsupported,
    /// The store is closed.
    Closed,
}

impl Kind {
    /// The stable code that hosts see.
    pub const fn code(self) -> Code {
        match self {
            Kind::Unavailable => Code::StoreUnavailable,
            Kind::Timeout => Code::StoreTimeout,
            Kind::Corrupt => Code::StoreCorrupt,
            Kind::ReadOnly => Code::StoreReadOnly,
            Kind::Locked => Code::StoreLocked,
            Kind::Newer => Code::StoreNewer,
            Kind::Path => Code::StorePath,
            Kind::Full => Code::StoreFull,
            Kind::Conflict => Code::Conflict,
            Kind::InvalidArgument => Code::InvalidArgument,
            Kind::Unsupported => Code::InvalidConfig,
            Kind::Closed => Code::Closed,
        }
    }
}

/// What went wrong, in which store, during which operation, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub struct Error {
    kind: Kind,
    store: String,
    operation: Option<&'static str>,
    message: String,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// An error of the given kind. `store` is the URL without any password; `message` says what
    /// is wrong and what to do.
    pub fn new(kind: Kind, store: impl Into<String>, message: impl Into<String>) -> Error {
        Error { kind, store: store.into(), operation: None, message: message.into(), source: None }
    }

    /// The same error with the operation it stopped, written `domain.operation`. One that is
    /// already named stays.
    pub fn during(mut self, operation: &'static str) -> Error {
        self.operation.get_or_insert(operation);
        self
    }

    /// The same error with another sentence.
    #[cfg(feature = "postgres")]
    pub(super) fn adding(mut self, sentence: &str) -> Error {
        self.message = format!("{}; {sentence}", self.message);
        self
    }

    /// The same error with its cause attached.
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Error {
        self.source = Some(source.into());
        self
    }

    /// The same error with more to say.
    pub(super) fn and(mut self, more: &str) -> Error {
        self.message.push_str(more);
        self
    }

    /// The same error once more, for another who waited for the same thing.
    pub(crate) fn again(&self) -> Error {
        let Error { kind, store, operation, message, .. } = self;
        let (store, message) = (store.clone(), message.clone());
        Error { kind: *kind, store, operation: *operation, message, source: None }
    }

    /// The kind of error.
    pub fn kind(&self) -> Kind {
        self.kind
    }

    /// What is wrong and what to do, without the store and the operation.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// The stable code that hosts see.
    pub fn code(&self) -> Code {
        self.kind.code()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "store `{}`", self.store)?;
        if let Some(operation) = self.operation {
            write!(f, ", {operation}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl From<Error> for crate::Error {
    fn from(error: Error) -> crate::Error {
        crate::Error::new(error.code(), error.to_string()).with_source(error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_names_the_store_and_the_operation_and_keeps_its_code() {
        let error = Error::new(Kind::Full, "sqlite:/x.db", "no space").during("agents.put");
        let error = crate::Error::from(error.during("other.place"));
        assert_eq!(error.code(), Code::StoreFull);
        assert_eq!(error.message(), "store `sqlite:/x.db`, agents.put: no space");
    }
}
