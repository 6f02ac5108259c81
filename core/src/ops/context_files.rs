//! `context_files.*`

use std::collections::HashSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Deleted, check_limit, default_limit, default_tenant, no_such, operations, utf8};
use crate::clis::TOOLS_FILE;
use crate::error::{Code, Error};
use crate::files::{ContextSource, MergedContextFile, Prompt};
use crate::limits::echo;
use crate::runtime::Runtime;
use crate::store::{self, ContextFileInfo, ContextFileKey, Fence};
use crate::tool::{Caller, check_agent_type};

operations! {
    /// The texts that tell an agent who it is, for all its users or for one.
    context_files as ContextFiles {
        /// Stores a context file, replacing one of the same name.
        ///
        /// Fails with `conflict` if `if_version` or `fence` does not hold.
        put(PutContextFile) -> ContextFileInfo = put;
        /// Returns a context file. A user's file does not fall back to the agent's.
        ///
        /// Fails with `not_found` if there is none, with `invalid_utf8` if it is not text.
        get(GetContextFile) -> ContextFileText = get;
        /// Lists the files of an agent and a user by name, without their texts.
        list(ListContextFiles) -> Vec<ContextFileInfo> = list;
        /// Deletes a context file. Fails with `conflict` if `if_version` does not hold.
        delete(DeleteContextFile) -> Deleted = delete;
        /// Returns the context files of a prompt: those of `base`, then the others of the store. If
        /// the agent or the user has a file of the same name in the store, that text replaces the
        /// one of `base`. Empty files are left out. The text of `clis.supplement` is added at the
        /// end of TOOLS.md.
        merge(MergeContextFiles) -> Vec<MergedContextFile> = merge;
    }
}

/// The arguments of `context_files.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutContextFile {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for.
    pub agent: String,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its name, such as `SOUL.md`.
    pub name: String,
    /// The whole text.
    pub text: String,
    /// Only if the stored file has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
    /// Only while this lease is held.
    #[serde(default)]
    pub fence: Option<Fence>,
}

/// The arguments of `context_files.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetContextFile {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for.
    pub agent: String,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its name.
    pub name: String,
}

/// The arguments of `context_files.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListContextFiles {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent they are for.
    pub agent: String,
    /// The user they are for. Left out: the files for all users.
    #[serde(default)]
    pub user: Option<String>,
    /// Go on after this name.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `context_files.delete`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DeleteContextFile {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent it is for.
    pub agent: String,
    /// The user it is for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// Its name.
    pub name: String,
    /// Only if the stored file has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `context_files.merge`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MergeContextFiles {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The agent whose prompt it is.
    pub agent: String,
    /// The user it talks to. Left out: nobody.
    #[serde(default)]
    pub user: Option<String>,
    /// `open` or `predefined`, instead of `settings.type` in the agent's row.
    #[serde(default)]
    pub agent_type: Option<String>,
    /// The host's own files, in the order in which the prompt has them. Each name once.
    #[serde(default)]
    pub base: Vec<BaseContextFile>,
}

/// A file that the host puts into a prompt.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BaseContextFile {
    /// Its name, such as `SOUL.md` or `TEAM.md`.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// A context file with its text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct ContextFileText {
    /// What a list shows of it.
    #[serde(flatten)]
    pub info: ContextFileInfo,
    /// The whole text.
    pub text: String,
}

async fn put(runtime: &Runtime, args: PutContextFile) -> Result<ContextFileInfo, Error> {
    let PutContextFile { tenant, agent, user, name, text, if_version, fence } = args;
    let key = ContextFileKey { tenant, agent, user, name };
    let file =
        store::PutContextFile { key, body: text.into_bytes(), if_version, if_body: None, fence };
    Ok(runtime.writing(&file.key.tenant).put_context_file(file, runtime.clock().now_ms()).await?)
}

async fn get(runtime: &Runtime, args: GetContextFile) -> Result<ContextFileText, Error> {
    let GetContextFile { tenant, agent, user, name } = args;
    let key = ContextFileKey { tenant, agent, user, name };
    let file = runtime.store().get_context_file(&key).await?;
    let file = file.ok_or_else(|| no_such(&key.what()))?;
    Ok(ContextFileText { text: utf8(&key.what(), file.body)?, info: file.info })
}

async fn list(runtime: &Runtime, args: ListContextFiles) -> Result<Vec<ContextFileInfo>, Error> {
    check_limit(args.limit)?;
    let ListContextFiles { tenant, agent, user, after, limit } = args;
    let (user, after) = (user.as_deref(), after.as_deref());
    Ok(runtime.store().list_context_files(&tenant, &agent, user, after, limit).await?)
}

async fn delete(runtime: &Runtime, args: DeleteContextFile) -> Result<Deleted, Error> {
    let DeleteContextFile { tenant, agent, user, name, if_version } = args;
    let key = ContextFileKey { tenant, agent, user, name };
    let now_ms = runtime.clock().now_ms();
    let deleted =
        runtime.writing(&key.tenant).delete_context_file(&key, if_version, now_ms).await?;
    Ok(Deleted { deleted })
}

async fn merge(
    runtime: &Runtime,
    args: MergeContextFiles,
) -> Result<Vec<MergedContextFile>, Error> {
    let MergeContextFiles { tenant, agent, user, agent_type, base } = args;
    check_agent_type(agent_type.as_deref())?;
    let mut seen = HashSet::new();
    if let Some(twice) = base.iter().find(|file| !seen.insert(file.name.as_str())) {
        let text = format!("`base` has `{}` twice; give each name once", echo(&twice.name));
        return Err(Error::new(Code::InvalidArgument, text));
    }
    let prompt = Prompt {
        tenant: &tenant,
        agent: &agent,
        user: user.as_deref(),
        agent_type: agent_type.as_deref(),
        names: &runtime.config().files.context_files,
    };
    let base = base.into_iter().map(|file| (file.name, file.text)).collect();
    let mut merged = prompt.merged(runtime.store(), base).await?;
    let caller = Caller { tenant, agent: Some(agent), user, ..Caller::default() };
    let supplement = super::clis::supplement_for(runtime, &caller).await?;
    if !supplement.is_empty() {
        match merged.iter_mut().find(|file| file.name == TOOLS_FILE) {
            Some(file) => file.text = format!("{}\n\n{supplement}", file.text.trim_end()),
            None => merged.push(MergedContextFile {
                name: TOOLS_FILE.into(),
                text: supplement,
                source: ContextSource::Base,
            }),
        }
    }
    Ok(merged)
}
