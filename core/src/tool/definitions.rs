//! The definitions that go into a model's request: which tools, in which shape, built once.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock, Weak};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::deferred::{Activated, Deferred, Offered, SEARCH};
use super::search::Words;
use super::{Dialect, Snapshot, ToolSpec};
use crate::error::{Code, Error};
use crate::limits::{TooMuch, check_json, prefix_of_bytes};
use crate::policy::Decision;

/// How tools are defined for models.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DefinitionsConfig {
    /// How many MCP, custom and host tools of a caller are defined in full. If there are more, the
    /// first ones by name are. The others are listed by name in the description of `tool_search`,
    /// and defined once it has found them. Default: 40.
    pub defer_over: usize,
    /// Whether definitions are strict if the caller does not say. Default: false.
    pub strict: bool,
}

impl Default for DefinitionsConfig {
    fn default() -> DefinitionsConfig {
        DefinitionsConfig { defer_over: 40, strict: false }
    }
}

/// Which form of the definitions is wanted. A [`Dialect`] alone is one, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, JsonSchema)]
pub struct DefinitionOptions {
    /// The provider's shape.
    pub dialect: Dialect,
    /// The form that the provider holds its model to. None: as `definitions.strict` has it. Where
    /// a provider has no such form it changes nothing.
    #[serde(default)]
    pub strict: Option<bool>,
}

impl From<Dialect> for DefinitionOptions {
    fn from(dialect: Dialect) -> DefinitionOptions {
        DefinitionOptions { dialect, strict: None }
    }
}

impl DefinitionOptions {
    /// Asks for the strict form, or for the other one.
    #[must_use]
    pub fn strict(self, strict: bool) -> DefinitionOptions {
        DefinitionOptions { strict: Some(strict), ..self }
    }

    /// Options from JSON-like data: what the other languages hand over. A string is a dialect; an
    /// object has `dialect` and, if wanted, `strict`.
    ///
    /// # Errors
    /// `invalid_argument` that names the key or the nearest dialect.
    pub fn from_value(value: &Value) -> Result<DefinitionOptions, Error> {
        #[derive(Deserialize, Serialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        struct Given {
            dialect: String,
            #[serde(default)]
            strict: Option<bool>,
        }
        if let Value::String(dialect) = value {
            return Ok(Dialect::from_name(dialect)?.into());
        }
        let given: Given = crate::strict::from_value(value).map_err(|why| {
            let code = check_json(value).err().map_or(Code::InvalidArgument, TooMuch::code);
            Error::new(code, format!("the options of the definitions: {why}"))
        })?;
        Ok(DefinitionOptions { dialect: Dialect::from_name(&given.dialect)?, strict: given.strict })
    }
}

/// A tool that one provider cannot be told of. Calls of it still work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Quarantined {
    /// The tool, by its own name.
    pub tool: String,
    /// The shape that it does not fit.
    pub dialect: Dialect,
    /// What cannot be expressed, and what would help.
    pub reason: String,
    /// Where, as a JSON pointer into the tool's `parameters`; empty for all of it.
    pub path: String,
}

/// What a model is told of the tools that its caller may call.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Definitions {
    /// The shape.
    pub dialect: Dialect,
    /// True if it is the strict form.
    pub strict: bool,
    /// The definitions, one a tool: canonical names sorted, then aliases sorted.
    pub tools: Vec<Arc<Value>>,
    /// The tools that are left out because the provider cannot be told of them.
    pub quarantined: Vec<Quarantined>,
    /// The tools that are not defined yet but found by `tool_search`, sorted.
    pub deferred: Vec<String>,
    #[serde(skip)]
    text: OnceLock<String>,
}

impl Definitions {
    /// The definitions as a JSON array; the same bytes every time.
    pub fn text(&self) -> &str {
        self.text.get_or_init(|| serde_json::to_string(&self.tools).unwrap_or_default())
    }
}

/// A definition, or why there is none.
type View = Result<Arc<Value>, Quarantined>;

/// What was made of one tool's description, each once. It goes when the tool goes.
#[derive(Default)]
pub(crate) struct Views {
    definitions: [[OnceLock<View>; 2]; Dialect::ALL.len()],
    words: OnceLock<Words>,
}

impl Views {
    fn definition(&self, spec: &ToolSpec, dialect: Dialect, strict: bool) -> &View {
        self.definitions[dialect as usize][usize::from(strict)]
            .get_or_init(|| define(&spec.name, spec, dialect, strict))
    }

    /// What the tool is found by.
    pub(super) fn words(&self, spec: &ToolSpec) -> &Words {
        self.words.get_or_init(|| Words::of(spec))
    }
}

fn define(name: &str, spec: &ToolSpec, dialect: Dialect, strict: bool) -> View {
    dialect.define(name, spec, strict).map(Arc::new).map_err(|unfit| Quarantined {
        tool: spec.name.clone(),
        dialect,
        reason: unfit.reason,
        path: unfit.path,
    })
}

/// How many lists of definitions are remembered at most.
const MOST_LISTS: usize = 1_024;

/// The definitions that were asked for lately. What they were made of is remembered weakly, so that
/// none outlives it and no tool is kept by being remembered here.
#[derive(Default)]
pub(crate) struct DefinitionCache {
    lists: RwLock<HashMap<Key, List>>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    snapshot: usize,
    decision: usize,
    everything: bool,
    dialect: Dialect,
    strict: bool,
    activated: u64,
}

struct List {
    /// While these are here no other state gets the addresses that are in the key.
    made_of: (Weak<Snapshot>, Weak<Decision>),
    definitions: Arc<Definitions>,
}

impl List {
    fn holds(&self) -> bool {
        self.made_of.0.strong_count() > 0 && self.made_of.1.strong_count() > 0
    }
}

impl DefinitionCache {
    /// The definitions for a caller with that decision and those activated tools.
    pub(crate) fn definitions(
        &self,
        snapshot: &Arc<Snapshot>,
        offered: Offered<'_>,
        (dialect, strict): (Dialect, bool),
        (deferred, activated): (&Deferred, &Activated),
    ) -> Arc<Definitions> {
        let strict = strict && dialect.has_strict();
        let key = Key {
            snapshot: Arc::as_ptr(snapshot).addr(),
            decision: Arc::as_ptr(offered.decision).addr(),
            everything: offered.everything,
            dialect,
            strict,
            activated: activated.stamp,
        };
        let lists = self.lists.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(list) = lists.get(&key) {
            return list.definitions.clone();
        }
        drop(lists);
        let definitions =
            Arc::new(gather(snapshot, offered, (dialect, strict), (deferred, activated)));
        let made_of = (Arc::downgrade(snapshot), Arc::downgrade(offered.decision));
        let list = List { made_of, definitions: definitions.clone() };
        let mut lists = self.lists.write().unwrap_or_else(PoisonError::into_inner);
        if lists.len() >= MOST_LISTS {
            lists.retain(|_, list| list.holds());
        }
        if lists.len() >= MOST_LISTS {
            lists.clear();
        }
        lists.insert(key, list);
        definitions
    }
}

fn gather(
    snapshot: &Snapshot,
    offered: Offered<'_>,
    (dialect, strict): (Dialect, bool),
    (deferred, activated): (&Deferred, &Activated),
) -> Definitions {
    let past = deferred.past(snapshot, offered);
    let mut definitions = Definitions {
        dialect,
        strict,
        tools: Vec::new(),
        quarantined: Vec::new(),
        deferred: Vec::new(),
        text: OnceLock::new(),
    };
    for entry in offered.tools(snapshot) {
        let name = &entry.spec.name;
        if name == SEARCH && entry.is_builtin() {
            if !past.is_empty() {
                definitions.add(&define(name, &listing(&entry.spec, &past), dialect, strict));
            }
        } else if past.binary_search(&name.as_str()).is_ok() && !activated.names.contains(name) {
            definitions.deferred.push(name.clone());
        } else {
            definitions.add(entry.views.definition(&entry.spec, dialect, strict));
        }
    }
    for (alias, entry) in snapshot.advertised_aliases() {
        if offered.has(entry)
            && definitions.deferred.binary_search(&entry.spec.name).is_err()
            && let Ok(definition) = define(alias, &entry.spec, dialect, strict)
        {
            definitions.tools.push(definition);
        }
    }
    definitions
}

impl Definitions {
    fn add(&mut self, definition: &View) {
        match definition {
            Ok(definition) => self.tools.push(definition.clone()),
            Err(quarantined) => self.quarantined.push(quarantined.clone()),
        }
    }
}

/// The longest list of names in a description, in bytes.
const MOST_LISTED: usize = 4_000;

/// The description of `tool_search` with the names that it finds. All of them, those found already
/// too: so it stays the same through a session, as prompt caches want it.
fn listing(spec: &ToolSpec, past: &[&str]) -> ToolSpec {
    let names = past.join(", ");
    let shown = prefix_of_bytes(&names, MOST_LISTED);
    let shown = match shown.rfind(", ") {
        Some(end) if shown.len() < names.len() => &shown[..end],
        _ => shown,
    };
    let missing = past.len() - shown.split(", ").count();
    let more = if missing > 0 { format!(", and {missing} more") } else { String::new() };
    let description = format!("{} The tools: {shown}{more}.", spec.description);
    ToolSpec { description, ..spec.clone() }
}
