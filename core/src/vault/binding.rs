//! A binding: where a secret, or each of a kind, may be put back.

use std::fmt;
use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::destination::{ArgumentPath, Destination};
use super::endpoint::{BoundHost, Endpoint};
use crate::error::{Code, Error};

/// Where a secret, or each secret of a kind, may be put in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Binding {
    /// Its id, for notes of the ledger and `vault.unbind`. The id of a binding in the configuration
    /// is its place there.
    pub id: String,
    /// The tenant that it holds for. None: all of them.
    pub tenant: Option<String>,
    /// The session that it holds for. None: all of them.
    pub session: Option<String>,
    /// The secret, by its placeholder.
    pub placeholder: Option<String>,
    /// The secrets, by their kind.
    pub kind: Option<String>,
    /// The tools.
    pub tools: Vec<String>,
    /// The hosts.
    pub hosts: Vec<String>,
    /// The files.
    pub paths: Vec<String>,
    /// The arguments.
    pub arguments: Vec<String>,
    /// True if only the first call may use it.
    pub once: bool,
}

impl Binding {
    /// True if it has to do with a tenant, or with one session of it.
    pub(super) fn holds_for(&self, tenant: &str, session: Option<&str>) -> bool {
        self.tenant.as_deref().is_none_or(|own| own == tenant)
            && (self.session.is_none() || session.is_none() || self.session.as_deref() == session)
    }
}

impl fmt::Display for Binding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "tool {}", self.tools.join(" or "))?;
        for (what, list) in
            [("argument", &self.arguments), ("host", &self.hosts), ("file", &self.paths)]
        {
            if !list.is_empty() {
                write!(f, ", {what} {}", list.join(" or "))?;
            }
        }
        Ok(())
    }
}

/// What a binding is made of. Either `placeholder` or `kind` is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewBinding {
    /// The tenant. None: all of them.
    pub tenant: Option<String>,
    /// The session. None: all of them.
    pub session: Option<String>,
    /// The secret, by its placeholder.
    pub placeholder: Option<String>,
    /// The secrets, by their kind, or a glob of kinds.
    pub kind: Option<String>,
    /// The tools, by name or glob. At least one.
    pub tools: Vec<String>,
    /// The hosts: each as it is, `*.` and what it ends with, or `*` for any. A host is reached over
    /// `https` and its own port; `http://host`, `host:8443` and `host:*` open more.
    pub hosts: Vec<String>,
    /// Globs of files in the workspace.
    pub paths: Vec<String>,
    /// The arguments, by path, with `*` for any one step.
    pub arguments: Vec<String>,
    /// True if only the first call may use it.
    pub once: bool,
}

/// A binding, ready for use.
pub(super) struct Compiled {
    pub(super) shown: Binding,
    hosts: Vec<BoundHost>,
    paths: GlobSet,
    arguments: Vec<ArgumentPath>,
}

/// A secret that a call would take somewhere.
pub(super) struct Asked<'a> {
    pub tenant: &'a str,
    pub session: &'a str,
    pub placeholder: &'a str,
    pub kind: &'a str,
}

impl Compiled {
    /// Checks what a binding is made of. `place` goes before the text of an error.
    pub(super) fn new(
        id: String,
        new: NewBinding,
        code: Code,
        place: &str,
    ) -> Result<Compiled, Error> {
        let refuse = |why: String| Error::new(code, format!("{place}{why}"));
        if new.placeholder.is_some() == new.kind.is_some() {
            return Err(refuse("give either `placeholder` or `kind`".into()));
        }
        if new.tools.is_empty() {
            return Err(refuse("`tools` is empty; name the tools that may have the secret".into()));
        }
        let texts = [("tools", &new.tools), ("hosts", &new.hosts), ("arguments", &new.arguments)];
        for (field, list) in texts {
            if list.iter().any(|entry| entry.trim().is_empty()) {
                return Err(refuse(format!("`{field}` has an empty entry")));
            }
        }
        for pattern in new.tools.iter().chain(&new.kind) {
            globs(std::slice::from_ref(pattern))
                .map_err(|why| refuse(format!("`{pattern}`: {why}")))?;
        }
        let bound = new.hosts.iter().map(|host| bound_host(host)).collect::<Result<Vec<_>, _>>();
        let bound = bound.map_err(refuse)?;
        let paths = globs(&new.paths).map_err(|why| refuse(format!("`paths`: {why}")))?;
        let arguments = new.arguments.iter().map(|path| ArgumentPath::parse(path)).collect();
        let NewBinding { tenant, session, placeholder, kind, tools, hosts, paths: files, .. } = new;
        let shown = Binding {
            id,
            tenant,
            session,
            placeholder,
            kind,
            tools,
            hosts: hosts.iter().map(|host| host.to_ascii_lowercase()).collect(),
            paths: files,
            arguments: new.arguments,
            once: new.once,
        };
        Ok(Compiled { shown, hosts: bound, paths, arguments })
    }

    /// True if it is about this secret.
    pub(super) fn is_about(&self, asked: &Asked<'_>) -> bool {
        let of_kind = |kind: &String| fits(kind, asked.kind);
        let Binding { placeholder, kind, .. } = &self.shown;
        self.shown.holds_for(asked.tenant, Some(asked.session))
            && placeholder.as_deref().is_none_or(|own| own == asked.placeholder)
            && kind.as_ref().is_none_or(of_kind)
    }

    /// True if a secret may go there.
    pub(super) fn allows(&self, to: &Destination, argument: &ArgumentPath) -> bool {
        self.shown.tools.iter().any(|tool| fits(tool, &to.tool))
            && (self.arguments.is_empty() || self.arguments.iter().any(|own| own.fits(argument)))
            && self.allows_hosts(to)
            && self.allows_files(to)
    }

    /// True if every host of the call is allowed. A host that cannot be recognised fits only `*`. If the
    /// binding names hosts, the call must name one, too: a host that cannot be seen cannot be checked.
    fn allows_hosts(&self, to: &Destination) -> bool {
        if self.hosts.contains(&BoundHost::Any) {
            return true;
        }
        let fits =
            |host: &Endpoint| !host.is_unclear() && self.hosts.iter().any(|own| own.fits(host));
        self.hosts.is_empty() == to.hosts.is_empty() && to.hosts.iter().all(fits)
    }

    fn allows_files(&self, to: &Destination) -> bool {
        let all = self.shown.paths.iter().any(|own| own == "**");
        let fits = |file: &Path| file != Path::new(".") && self.paths.is_match(file);
        all || self.shown.paths.is_empty() == to.files.is_empty()
            && to.files.iter().all(|file| fits(file))
    }
}

/// True if a name fits a pattern with `*`, `?`, `[…]` and `{…}`.
pub(super) fn fits(pattern: &str, name: &str) -> bool {
    pattern == name
        || pattern.contains(['*', '?', '[', '{'])
            && globs(&[pattern.to_owned()]).is_ok_and(|globs| globs.is_match(name))
}

fn globs(patterns: &[String]) -> Result<GlobSet, globset::Error> {
    let mut globs = GlobSetBuilder::new();
    for pattern in patterns {
        globs.add(GlobBuilder::new(pattern).literal_separator(true).build()?);
    }
    globs.build()
}

fn bound_host(host: &str) -> Result<BoundHost, String> {
    BoundHost::parse(host).ok_or_else(|| {
        format!(
            "`hosts`: `{}` is no host; give one as it is (`api.example.com`), `*.` and what it ends \
             with, with a scheme or a port before or behind it where that is not `https` \
             (`http://localhost:8080`, `api.example.com:*`), or `*`",
            crate::limits::echo(host)
        )
    })
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    fn compiled(new: NewBinding) -> Compiled {
        let new = NewBinding { kind: Some("k".into()), tools: vec!["t".into()], ..new };
        Compiled::new("id".into(), new, Code::InvalidArgument, "").unwrap()
    }

    fn endpoint(host: &str) -> Endpoint {
        if host == "?" { Endpoint::unclear() } else { Endpoint::of_host(host) }
    }

    fn to(hosts: &[&str], files: &[&str]) -> Destination {
        Destination {
            tool: "t".into(),
            hosts: hosts.iter().map(|host| endpoint(host)).collect(),
            files: files.iter().map(PathBuf::from).collect(),
        }
    }

    #[test]
    fn every_host_must_fit_and_none_fits_only_a_binding_without_hosts() {
        let allows = |bound: &[&str], named: &[&str]| {
            let hosts = bound.iter().map(|host| (*host).to_owned()).collect();
            let binding = compiled(NewBinding { hosts, ..NewBinding::default() });
            binding.allows(&to(named, &[]), &ArgumentPath::of("a"))
        };
        assert!(allows(&[], &[]) && !allows(&[], &["a.b"]) && !allows(&["a.b"], &[]));
        assert!(allows(&["A.b", "c.d"], &["a.b", "c.d"]) && !allows(&["a.b"], &["a.b", "c.d"]));
        assert!(allows(&["*.a.b"], &["x.a.b"]) && allows(&["*.a.b"], &["y.x.a.b"]));
        assert!(!allows(&["*.a.b"], &["a.b"]) && !allows(&["*.a.b"], &["xa.b"]));
        assert!(!allows(&["a.b"], &["a.b.c"]) && !allows(&["a.b"], &["?"]));
        assert!(allows(&["*"], &["?"]) && allows(&["*"], &[]));
    }

    #[test]
    fn every_file_must_fit_and_one_that_may_be_any_fits_only_all() {
        let allows = |bound: &[&str], files: &[&str]| {
            let paths = bound.iter().map(|path| (*path).to_owned()).collect();
            let binding = compiled(NewBinding { paths, ..NewBinding::default() });
            binding.allows(&to(&[], files), &ArgumentPath::of("a"))
        };
        assert!(allows(&[], &[]) && !allows(&[], &["a"]) && !allows(&["a"], &[]));
        assert!(allows(&["out/*"], &["out/a"]) && !allows(&["out/*"], &["out/a/b"]));
        assert!(allows(&["out/**"], &["out/a/b"]) && !allows(&["out/**"], &["out/a", "b"]));
        assert!(!allows(&["*"], &["."]) && allows(&["**"], &["."]) && allows(&["**"], &["a/b"]));
    }
}
