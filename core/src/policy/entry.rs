//! One entry of a list: a name, an alias, `group:x` or a glob, with or without `!`.

use fixedbitset::FixedBitSet;
use globset::{Glob, GlobMatcher};

use super::{Catalog, Error};
use crate::nearest::nearest;

/// A parsed entry of an allow or deny list.
#[derive(Clone, Debug)]
pub struct Entry {
    text: String,
    negated: bool,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    Name(String),
    Group(String),
    Glob(Box<GlobMatcher>),
}

impl Entry {
    /// Parses one entry; `source` names its place (`policy.deny[2]`) in an error.
    pub fn parse(source: &str, text: &str) -> Result<Entry, Error> {
        let bad = |why: &str| Error::BadEntry {
            source_name: source.to_owned(),
            entry: text.to_owned(),
            why: why.to_owned(),
        };
        let trimmed = text.trim();
        let (negated, body) = match trimmed.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        if body.is_empty() {
            return Err(bad("it is empty"));
        }
        let pattern = if let Some(group) = body.strip_prefix("group:") {
            if group.is_empty() {
                return Err(bad("the group has no name"));
            }
            Pattern::Group(group.to_owned())
        } else if body.contains(['*', '?', '[', '{']) {
            let glob = Glob::new(body).map_err(|error| bad(&error.to_string()))?;
            Pattern::Glob(Box::new(glob.compile_matcher()))
        } else if body.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-') {
            Pattern::Name(body.to_owned())
        } else {
            return Err(bad("a tool name has only letters, digits, `_` and `-`"));
        };
        Ok(Entry { text: trimmed.to_owned(), negated, pattern })
    }

    /// The entry as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The tools that the entry means, whether it adds or takes them away.
    pub(super) fn expand(&self, source: &str, catalog: &Catalog) -> Result<FixedBitSet, Error> {
        match &self.pattern {
            Pattern::Name(name) => {
                let mut set = catalog.nothing();
                if let Some(id) = catalog.id(name) {
                    set.insert(id.0 as usize);
                }
                Ok(set)
            }
            Pattern::Glob(glob) => Ok(catalog.matching(|name| glob.is_match(name))),
            Pattern::Group(group) => match catalog.groups().get(group) {
                Some(members) => Ok(catalog.matching(|name| {
                    members.binary_search_by(|member| member.as_str().cmp(name)).is_ok()
                })),
                None => Err(Error::UnknownGroup {
                    source_name: source.to_owned(),
                    group: group.clone(),
                    nearest: nearest(group, catalog.groups().keys().map(String::as_str))
                        .map(str::to_owned),
                }),
            },
        }
    }

    /// The names that the entry means, of tools that there are and of tools that are not.
    pub(super) fn names(&self, source: &str, catalog: &Catalog) -> Result<Vec<String>, Error> {
        if let Pattern::Name(name) = &self.pattern {
            return Ok(vec![catalog.canonical(name).to_owned()]);
        }
        if let Pattern::Group(group) = &self.pattern
            && let Some(members) = catalog.groups().get(group)
        {
            return Ok(members.clone());
        }
        let tools = self.expand(source, catalog)?;
        Ok(tools.ones().filter_map(|index| catalog.name(index)).map(str::to_owned).collect())
    }

    /// The group that the entry names, if it names one.
    pub(super) fn group(&self) -> Option<&str> {
        match &self.pattern {
            Pattern::Group(group) => Some(group),
            _ => None,
        }
    }

    pub(super) fn is_negated(&self) -> bool {
        self.negated
    }
}
