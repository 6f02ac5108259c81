//! Decisions that were made already. Readers never wait for a writer, and a hit allocates nothing.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use papaya::Equivalent;

use super::{Compiled, Decision, Error, Inputs, RowLists};

/// A compiled policy with the decisions that it gave.
#[derive(Debug)]
pub struct Memo {
    compiled: Compiled,
    decisions: papaya::HashMap<Key, Arc<Decision>>,
    most: usize,
}

impl Memo {
    /// Keeps so many decisions; when there is one more it forgets them and begins anew.
    pub fn new(compiled: Compiled, most: usize) -> Memo {
        Memo { compiled, decisions: papaya::HashMap::new(), most }
    }

    /// The policy that decides.
    pub fn compiled(&self) -> &Compiled {
        &self.compiled
    }

    /// What this caller may call, if that is known.
    pub fn get(&self, inputs: &Inputs<'_>) -> Option<Arc<Decision>> {
        self.decisions.pin().get(&Asked(inputs)).cloned()
    }

    /// What this caller may call: what is known, or a decision that is known from then on.
    ///
    /// # Errors
    /// As [`Compiled::decide`]; a mistake is not kept.
    pub fn decide(&self, inputs: &Inputs<'_>) -> Result<Arc<Decision>, Error> {
        if let Some(decision) = self.get(inputs) {
            return Ok(decision);
        }
        let decision = Arc::new(self.compiled.decide(inputs)?);
        let decisions = self.decisions.pin();
        if decisions.len() >= self.most {
            decisions.clear();
        }
        decisions.insert(Key::of(inputs), decision.clone());
        Ok(decision)
    }
}

/// [`Inputs`] to look up.
struct Asked<'a, 'i>(&'a Inputs<'i>);

/// [`Inputs`] to keep.
#[derive(Debug)]
struct Key {
    agent: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    channel: Option<String>,
    channel_type: Option<String>,
    chat: Option<String>,
    in_group: bool,
    depth: u32,
    tools: Option<Vec<String>>,
    row: Option<(Option<Vec<String>>, Vec<String>)>,
    /// Kept alive, so that no other decision can come to stand at its address.
    parent: Option<Arc<Decision>>,
}

impl Key {
    fn of(inputs: &Inputs<'_>) -> Key {
        let owned = |text: Option<&str>| text.map(str::to_owned);
        Key {
            agent: owned(inputs.agent),
            provider: owned(inputs.provider),
            model: owned(inputs.model),
            channel: owned(inputs.channel),
            channel_type: owned(inputs.channel_type),
            chat: owned(inputs.chat),
            in_group: inputs.in_group,
            depth: inputs.depth,
            tools: inputs.tools.map(<[String]>::to_vec),
            row: inputs.row.map(|row| (row.allow.map(<[String]>::to_vec), row.deny.to_vec())),
            parent: inputs.parent.cloned(),
        }
    }

    fn inputs(&self) -> Inputs<'_> {
        Inputs {
            agent: self.agent.as_deref(),
            provider: self.provider.as_deref(),
            model: self.model.as_deref(),
            channel: self.channel.as_deref(),
            channel_type: self.channel_type.as_deref(),
            chat: self.chat.as_deref(),
            in_group: self.in_group,
            depth: self.depth,
            tools: self.tools.as_deref(),
            row: self.row.as_ref().map(|(allow, deny)| RowLists { allow: allow.as_deref(), deny }),
            parent: self.parent.as_ref(),
        }
    }
}

/// Everything that distinguishes inputs. The decision of the agent above counts by its identity.
type Parts<'i> = (
    [Option<&'i str>; 6],
    (bool, u32, Option<&'i [String]>, Option<RowLists<'i>>, Option<*const Decision>),
);

fn parts<'i>(inputs: &Inputs<'i>) -> Parts<'i> {
    // Every field by name, so that one that is added cannot be forgotten.
    let Inputs {
        agent,
        provider,
        model,
        channel,
        channel_type,
        chat,
        in_group,
        depth,
        tools,
        row,
        parent,
    } = *inputs;
    let names = [agent, provider, model, channel, channel_type, chat];
    (names, (in_group, depth, tools, row, parent.map(Arc::as_ptr)))
}

impl Hash for Asked<'_, '_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        parts(self.0).hash(state);
    }
}

impl Hash for Key {
    fn hash<H: Hasher>(&self, state: &mut H) {
        parts(&self.inputs()).hash(state);
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Key) -> bool {
        parts(&self.inputs()) == parts(&other.inputs())
    }
}

impl Eq for Key {}

impl Equivalent<Key> for Asked<'_, '_> {
    fn equivalent(&self, key: &Key) -> bool {
        parts(self.0) == parts(&key.inputs())
    }
}
