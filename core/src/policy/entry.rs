//! One entry of a list: a name, an alias, `group:x`, `capability:x` or a glob, with or without `!`.

use fixedbitset::FixedBitSet;
use globset::{Glob, GlobMatcher};

use super::{Catalog, Error};
use crate::kind::Capability;
use crate::nearest::nearest;

/// The capabilities as lists name them.
pub(super) const CAPABILITIES: [(&str, Capability); 6] = [
    ("read-only", Capability::ReadOnly),
    ("mutating", Capability::Mutating),
    ("async", Capability::Async),
    ("mcp-bridged", Capability::McpBridged),
    ("open-world", Capability::OpenWorld),
    ("destructive", Capability::Destructive),
];

const GROUP: &str = "group";
const CAPABILITY: &str = "capability";

/// A parsed entry of a list.
#[derive(Clone, Debug)]
pub struct Entry {
    text: String,
    negated: bool,
    pattern: Pattern,
}

#[derive(Clone, Debug)]
enum Pattern {
    Name,
    Group,
    Capability(Capability),
    Glob(Box<GlobMatcher>),
}

impl Entry {
    /// Parses one entry; `source` names its place (`policy.deny[2]`) in an error.
    ///
    /// # Errors
    /// The text is no entry, or names a capability that there is not.
    pub fn parse(source: &str, text: &str) -> Result<Entry, Error> {
        let trimmed = text.trim();
        let (negated, body) = match trimmed.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let bad = |why: String| Error::BadEntry {
            source_name: source.to_owned(),
            entry: text.to_owned(),
            why,
        };
        let pattern = match body.split_once(':') {
            _ if body.is_empty() => return Err(bad("it is empty".into())),
            Some((GROUP, "")) => return Err(bad("the group has no name".into())),
            Some((GROUP, _)) => Pattern::Group,
            Some((CAPABILITY, name)) => Pattern::Capability(capability(source, name)?),
            Some((prefix, name)) if mistyped(prefix).is_some() => {
                let meant = mistyped(prefix).unwrap_or_default();
                return Err(bad(format!("did you mean `{meant}:{name}`?")));
            }
            _ if body.contains(['*', '?', '[', '{']) => {
                let glob = Glob::new(body).map_err(|error| bad(error.to_string()))?;
                Pattern::Glob(Box::new(glob.compile_matcher()))
            }
            _ => {
                if !body.bytes().all(|b| b.is_ascii_alphanumeric() || b"_-.:/".contains(&b)) {
                    return Err(bad(
                        "a tool name has only letters, digits, `_`, `-`, `.`, `:` and `/`".into(),
                    ));
                }
                Pattern::Name
            }
        };
        Ok(Entry { text: trimmed.to_owned(), negated, pattern })
    }

    /// The entry as it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Without `!`, and without `group:`.
    fn body(&self) -> &str {
        let body = self.text.strip_prefix('!').unwrap_or(&self.text);
        match &self.pattern {
            Pattern::Group => body.split_once(':').map_or(body, |(_, group)| group),
            _ => body,
        }
    }

    /// Adds the tools that the entry means, whether it adds or takes them away.
    pub(super) fn expand(
        &self,
        source: &str,
        catalog: &Catalog,
        into: &mut FixedBitSet,
    ) -> Result<(), Error> {
        match &self.pattern {
            Pattern::Name => {
                if let Some(id) = catalog.id(self.body()) {
                    into.insert(id.0 as usize);
                }
            }
            Pattern::Capability(capability) => into.union_with(catalog.capable(*capability)),
            Pattern::Glob(glob) => {
                for (index, name) in catalog.names().enumerate() {
                    if glob.is_match(name) {
                        into.insert(index);
                    }
                }
            }
            Pattern::Group => match catalog.grouped(self.body()) {
                Some(tools) => into.union_with(tools),
                None => return Err(self.unknown_group(source, catalog)),
            },
        }
        Ok(())
    }

    /// Adds the tool that the entry's name stood for before another tool or alias took the name: a
    /// list that takes away, or asks, goes on to hold for it.
    pub(super) fn expand_lost(&self, catalog: &Catalog, into: &mut FixedBitSet) {
        if let (Pattern::Name, Some(id)) = (&self.pattern, catalog.lost(self.body())) {
            into.insert(id.0 as usize);
        }
    }

    /// True if the entry means the tool, whether it adds or takes it away.
    pub(super) fn means(&self, tool: usize, catalog: &Catalog) -> bool {
        match &self.pattern {
            Pattern::Name => {
                let ids = [catalog.id(self.body()), catalog.lost(self.body())];
                ids.into_iter().flatten().any(|id| id.0 as usize == tool)
            }
            Pattern::Capability(capability) => catalog.capable(*capability).contains(tool),
            Pattern::Glob(glob) => catalog.name(tool).is_some_and(|name| glob.is_match(name)),
            Pattern::Group => {
                catalog.grouped(self.body()).is_some_and(|tools| tools.contains(tool))
            }
        }
    }

    /// The names that the entry means, of tools that there are and of tools that are not.
    pub(super) fn member_names(
        &self,
        source: &str,
        catalog: &Catalog,
    ) -> Result<Vec<String>, Error> {
        match &self.pattern {
            Pattern::Name => Ok(vec![catalog.canonical(self.body()).to_owned()]),
            Pattern::Group => match catalog.groups().get(self.body()) {
                Some(members) => Ok(members.clone()),
                None => Err(self.unknown_group(source, catalog)),
            },
            Pattern::Capability(_) | Pattern::Glob(_) => {
                let mut tools = catalog.nothing();
                self.expand(source, catalog, &mut tools)?;
                Ok(tools.ones().filter_map(|tool| catalog.name(tool)).map(str::to_owned).collect())
            }
        }
    }

    /// The complaint about a name or a glob that matches no tool that is known; none if it does.
    pub(super) fn unmatched(&self, source: &str, catalog: &Catalog) -> Option<Error> {
        let body = self.body();
        let matched = match &self.pattern {
            Pattern::Name => catalog.knows(body),
            Pattern::Glob(glob) => catalog.known_names().any(|name| glob.is_match(name)),
            Pattern::Group | Pattern::Capability(_) => true,
        };
        if matched {
            return None;
        }
        let meant = if catalog.groups().contains_key(body) {
            Some(format!("{GROUP}:{body}"))
        } else if CAPABILITIES.iter().any(|(name, _)| *name == body) {
            Some(format!("{CAPABILITY}:{body}"))
        } else {
            nearest(body, catalog.known_names().chain(catalog.alias_names())).map(str::to_owned)
        };
        Some(Error::Unmatched {
            source_name: source.to_owned(),
            entry: self.text.clone(),
            nearest: meant,
        })
    }

    fn unknown_group(&self, source: &str, catalog: &Catalog) -> Error {
        let group = self.body();
        Error::UnknownGroup {
            source_name: source.to_owned(),
            group: group.to_owned(),
            nearest: nearest(group, catalog.groups().keys().map(String::as_str)).map(str::to_owned),
        }
    }

    /// True if the entry names a capability that a tool may well have without saying so.
    pub(super) fn may_mean_undeclared(&self) -> bool {
        use Capability::{Destructive, OpenWorld};
        matches!(self.pattern, Pattern::Capability(OpenWorld | Destructive))
    }

    /// The group that the entry names, if it names one.
    pub(super) fn group(&self) -> Option<&str> {
        matches!(self.pattern, Pattern::Group).then(|| self.body())
    }

    pub(super) fn is_negated(&self) -> bool {
        self.negated
    }
}

/// The prefix that this one was probably meant to be.
fn mistyped(prefix: &str) -> Option<&'static str> {
    nearest(prefix, [GROUP, CAPABILITY].into_iter())
}

fn capability(source: &str, name: &str) -> Result<Capability, Error> {
    if let Some((_, capability)) = CAPABILITIES.iter().find(|(known, _)| *known == name) {
        return Ok(*capability);
    }
    Err(Error::UnknownCapability {
        source_name: source.to_owned(),
        capability: name.to_owned(),
        nearest: nearest(name, CAPABILITIES.iter().map(|(known, _)| *known)).map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_have_the_names_that_tools_give_them() {
        for (name, capability) in CAPABILITIES {
            assert_eq!(serde_json::to_value(capability).unwrap(), name);
        }
    }

    #[test]
    fn foreign_names_are_names_and_mistyped_prefixes_are_not() {
        for name in ["server.tool", "ns/tool", "mcp:github", "!a.b", " exec "] {
            assert!(Entry::parse("l", name).is_ok(), "{name}");
        }
        for (typo, meant) in [
            ("groups:fs", "group:fs"),
            ("Group:fs", "group:fs"),
            ("gruop:mcp:x", "group:mcp:x"),
            ("capabilities:mutating", "capability:mutating"),
            ("!grup:fs", "group:fs"),
        ] {
            let text = Entry::parse("policy.deny[1]", typo).unwrap_err().to_string();
            assert!(text.contains(meant) && text.contains("policy.deny[1]"), "{text}");
        }
        for bad in ["", "!", "group:", "group fs", "a,b", "@fs", "a[", "! exec", "é"] {
            assert!(Entry::parse("l", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn an_unknown_capability_names_the_known_ones() {
        let text = Entry::parse("policy.deny[0]", "capability:mutatin").unwrap_err().to_string();
        for part in ["policy.deny[0]", "did you mean `capability:mutating`", "read-only"] {
            assert!(text.contains(part), "{text}");
        }
    }
}
