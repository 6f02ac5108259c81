//! Another name for a tool.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

/// What an alias stands for. Beside the name it may have names of its own for the arguments, and
/// defaults of its own.
///
/// ```
/// use toolkeep::tool::Alias;
/// let bash = Alias::of("exec").argument("cmd", "command").default("timeout_ms", 30_000);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Alias {
    /// The tool's own name.
    pub name: String,
    /// True if definitions show the alias beside the tool. Without that it is only understood.
    pub advertised: bool,
    /// The alias's own names of arguments, each mapped to the tool's name. One that the tool has,
    /// too, means here what it stands for.
    pub arguments: BTreeMap<String, String>,
    /// What the tool's arguments are where the call does not give them and the tool knows them.
    pub defaults: Map<String, Value>,
    /// What it says of other arguments that a call uses one of the alias's own names: defaults that
    /// go before those above, of the first name that has some.
    pub(crate) implied: BTreeMap<String, Map<String, Value>>,
}

impl Alias {
    /// Another name for that tool, shown in definitions.
    pub fn of(name: impl Into<String>) -> Alias {
        Alias {
            name: name.into(),
            advertised: true,
            arguments: BTreeMap::new(),
            defaults: Map::new(),
            implied: BTreeMap::new(),
        }
    }

    /// Leaves it out of definitions.
    #[must_use]
    pub fn unadvertised(mut self) -> Alias {
        self.advertised = false;
        self
    }

    /// Calls the tool's argument `name` also `alias`, whatever the tool calls `alias` itself.
    #[must_use]
    pub fn argument(mut self, alias: impl Into<String>, name: impl Into<String>) -> Alias {
        self.arguments.insert(alias.into(), name.into());
        self
    }

    /// Sets what the tool's argument `name` is where the call uses `alias` and does not give it.
    #[must_use]
    pub(crate) fn implying(
        mut self,
        alias: impl Into<String>,
        (name, value): (&str, impl Into<Value>),
    ) -> Alias {
        self.implied.entry(alias.into()).or_default().insert(name.to_owned(), value.into());
        self
    }

    /// Sets what the tool's argument `name` is where the call does not give it.
    #[must_use]
    pub fn default(mut self, name: impl Into<String>, value: impl Into<Value>) -> Alias {
        self.defaults.insert(name.into(), value.into());
        self
    }
}
