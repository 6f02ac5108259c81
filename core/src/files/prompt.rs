//! The context files of a prompt: the host's own, with those of the store in their places.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::context::{self, BOOTSTRAP, ReadFrom};
use super::ownership::Ownership;
use crate::error::Error;
use crate::store::{ContextFileKey, Store};

/// How many names one page of the store's list has.
const PAGE: u32 = 1_000;

/// The source of a context file's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContextSource {
    /// The host gave it.
    Base,
    /// The agent's, for all its users.
    Agent,
    /// The user's own.
    User,
}

/// A context file of a prompt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MergedContextFile {
    /// Its name.
    pub name: String,
    /// Its text, never empty.
    pub text: String,
    /// Its source.
    pub source: ContextSource,
}

/// The agent and the user that a prompt is for.
pub(crate) struct Prompt<'p> {
    pub tenant: &'p str,
    pub agent: &'p str,
    pub user: Option<&'p str>,
    pub agent_type: Option<&'p str>,
    /// The configured names, in the order in which a prompt has them.
    pub names: &'p [String],
}

/// The texts of one scope that are not empty, by name, and the names of those that are.
#[derive(Default)]
struct Texts {
    texts: BTreeMap<String, String>,
    empty: Vec<String>,
}

impl Prompt<'_> {
    /// The files of the prompt: the base's in their order, then the configured names in theirs, then
    /// others by name. Each has what the agent and the user read under that name; a file of the base
    /// that the store does not have stays as it is. Empty ones are left out.
    ///
    /// # Errors
    /// The store's; `invalid_config` for settings of the agent that make no sense.
    pub(crate) async fn merged(
        &self,
        store: &dyn Store,
        base: Vec<(String, String)>,
    ) -> Result<Vec<MergedContextFile>, Error> {
        let ownership = Ownership::of(store, (self.tenant, self.agent), self.agent_type).await?;
        let agents = self.texts(store, None).await?;
        let own = match self.user {
            Some(user) if !ownership.shared_context => self.texts(store, Some(user)).await?,
            _ => Texts::default(),
        };
        let order = self.order(&base, &agents, &own);
        let mut base: BTreeMap<String, String> = base.into_iter().collect();
        let (mut agents, mut own) = (agents, own);
        let mut merged = Vec::new();
        for name in order {
            let has_own = context::route(&name, &ownership, self.user.is_some()).read;
            let has_own = has_own == ReadFrom::OwnElseAgent;
            let followed = has_own && name == BOOTSTRAP && own.empty.contains(&name);
            let mine = own.texts.remove(&name).filter(|_| has_own);
            let found = (mine.map(|text| (text, ContextSource::User)))
                .or_else(|| Some((agents.texts.remove(&name)?, ContextSource::Agent)))
                .or_else(|| Some((base.remove(&name)?, ContextSource::Base)));
            let Some((text, source)) = found.filter(|(text, _)| !followed && !text.is_empty())
            else {
                continue;
            };
            merged.push(MergedContextFile { name, text, source });
        }
        Ok(merged)
    }

    fn order(&self, base: &[(String, String)], agents: &Texts, own: &Texts) -> Vec<String> {
        let stored = agents.texts.keys().chain(own.texts.keys());
        let mut others: Vec<&String> = stored.collect();
        others.sort();
        let names = base.iter().map(|(name, _)| name).chain(self.names).chain(others);
        let mut order: Vec<String> = Vec::new();
        for name in names {
            if !order.contains(name) {
                order.push(name.clone());
            }
        }
        order
    }

    async fn texts(&self, store: &dyn Store, user: Option<&str>) -> Result<Texts, Error> {
        let mut found = Texts::default();
        let mut after: Option<String> = None;
        loop {
            let page = store
                .list_context_files(self.tenant, self.agent, user, after.as_deref(), PAGE)
                .await?;
            let Some(last) = page.last() else { return Ok(found) };
            after = Some(last.key.name.clone());
            for info in page {
                let ContextFileKey { name, .. } = &info.key;
                if info.size == 0 {
                    found.empty.push(name.clone());
                    continue;
                }
                // Somebody may have deleted it meanwhile.
                let Some(file) = store.get_context_file(&info.key).await? else { continue };
                let text = String::from_utf8_lossy(&file.body).into_owned();
                found.texts.insert(name.clone(), text);
            }
        }
    }
}
