//! Store URLs, and how a relative path in one is resolved.

use std::path::{Path, PathBuf};

use super::{Error, Kind};

/// How a store is opened.
#[derive(Clone, Copy, Debug)]
pub struct OpenOptions<'a> {
    /// The folder that a relative `sqlite:` path starts from. Default: the working directory.
    pub base_dir: Option<&'a Path>,
    /// True if an acknowledged write must survive a power cut, at the cost of one disk sync per
    /// write; otherwise it survives the death of the process. Default: false.
    pub durable: bool,
    /// How long to wait for the store, in milliseconds: for another process that holds a file; for
    /// a server, which then gives an answer or an error within this time. Default: 5,000.
    pub timeout_ms: u64,
}

/// How long to wait for the store unless another time is given, in milliseconds.
pub const DEFAULT_TIMEOUT_MS: u64 = 5_000;

impl Default for OpenOptions<'_> {
    fn default() -> Self {
        OpenOptions { base_dir: None, durable: false, timeout_ms: DEFAULT_TIMEOUT_MS }
    }
}

/// What a store URL names.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum StoreUrl {
    /// `memory:`, a private store that is gone when dropped.
    Memory,
    /// `sqlite:PATH`, a file.
    Sqlite(PathBuf),
    /// `postgres://USER:PASSWORD@HOST:PORT/DATABASE`, a server.
    #[cfg(feature = "postgres")]
    Postgres(Box<super::PostgresUrl>),
}

const ACCEPTED: &str = "write `memory:`, `sqlite:PATH` (for example `sqlite:toolkeep.db`) or \
     `postgres://USER:PASSWORD@HOST:PORT/DATABASE`";

impl StoreUrl {
    /// Reads a store URL. The error never repeats what may be a password.
    ///
    /// # Errors
    ///
    /// [`Kind::Path`] for a URL of another form, [`Kind::Unsupported`] for PostgreSQL in a build
    /// without the feature `postgres`.
    pub fn parse(url: &str) -> Result<StoreUrl, Error> {
        let Some((scheme, rest)) = url.split_once(':') else {
            return Err(wrong("", format!("the URL names no kind of store; {ACCEPTED}")));
        };
        match scheme {
            "memory" if rest.is_empty() => Ok(StoreUrl::Memory),
            "memory" => Err(wrong("memory:", "nothing may follow `memory:`".into())),
            "sqlite" => sqlite_path(rest).map(StoreUrl::Sqlite),
            #[cfg(feature = "postgres")]
            "postgres" | "postgresql" => {
                super::PostgresUrl::parse(rest).map(|url| StoreUrl::Postgres(Box::new(url)))
            }
            #[cfg(not(feature = "postgres"))]
            "postgres" | "postgresql" => {
                let message = "this build has no PostgreSQL; build toolkeep with its feature \
                     `postgres`, or take `sqlite:PATH`";
                Err(Error::new(Kind::Unsupported, format!("{scheme}:"), message))
            }
            _ if is_scheme(scheme) => {
                let message = format!("there is no kind of store called `{scheme}`; {ACCEPTED}");
                Err(wrong(&format!("{scheme}:"), message))
            }
            _ => Err(wrong("", format!("the URL names no kind of store; {ACCEPTED}"))),
        }
    }
}

/// The absolute path of a `sqlite:` path.
pub(super) fn resolve(path: PathBuf, base_dir: Option<&Path>) -> Result<PathBuf, Error> {
    let joined = base_dir.map_or(path.clone(), |base| base.join(&path));
    std::path::absolute(&joined).map_err(|error| {
        let message = format!("the working directory cannot be told ({error}); give a whole path");
        wrong(&format!("sqlite:{}", joined.display()), message).with_source(error)
    })
}

fn sqlite_path(path: &str) -> Result<PathBuf, Error> {
    let problem = if path.is_empty() {
        "the path is missing; write `sqlite:toolkeep.db`"
    } else if path == ":memory:" {
        "a store in memory is written `memory:`"
    } else if path.starts_with("//") {
        "a path follows `sqlite:` directly, without `//`: `sqlite:agent.db`, `sqlite:/var/agent.db`"
    } else if path.contains('\0') {
        "the path contains a NUL character"
    } else {
        return Ok(PathBuf::from(path));
    };
    Err(wrong(&format!("sqlite:{path}"), problem.into()))
}

fn is_scheme(text: &str) -> bool {
    text.len() <= 20
        && text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c))
}

fn wrong(store: &str, message: String) -> Error {
    Error::new(Kind::Path, if store.is_empty() { "?" } else { store }, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_names_memory_or_a_file() {
        assert_eq!(StoreUrl::parse("memory:").unwrap(), StoreUrl::Memory);
        let file = StoreUrl::parse("sqlite:a/b.db").unwrap();
        assert_eq!(file, StoreUrl::Sqlite("a/b.db".into()));
        let path = resolve("a/b.db".into(), Some(Path::new("/base"))).unwrap();
        assert_eq!(path, Path::new("/base/a/b.db"));
    }

    #[test]
    fn the_error_for_a_wrong_url_names_the_accepted_forms() {
        for url in ["", "agent.db", "mysql:x", "memory:x", "sqlite:", "sqlite://a", "user@:x"] {
            let error = StoreUrl::parse(url).unwrap_err();
            assert_eq!(error.kind(), Kind::Path, "{url}");
            assert!(error.to_string().contains(":`"), "{error}");
        }
    }

    #[test]
    fn a_wrong_url_is_refused_without_repeating_the_password() {
        for url in ["redis://u:secret@h", "u ser:secret@h", "postgres:u:secret@h"] {
            let error = StoreUrl::parse(url).unwrap_err();
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
    }

    #[cfg(not(feature = "postgres"))]
    #[test]
    fn postgres_is_refused_by_a_build_without_it() {
        let error = StoreUrl::parse("postgres://u:secret@h/db").unwrap_err();
        assert_eq!(error.kind(), Kind::Unsupported);
        assert!(error.to_string().contains("feature `postgres`"), "{error}");
        assert!(!format!("{error} {error:?}").contains("secret"));
    }
}
