//! `artifacts.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{default_tenant, operations};
use crate::artifacts;
use crate::error::{Code, Error};
use crate::runtime::Runtime;

operations! {
    /// The texts that were too long for a result.
    artifacts as Artifacts {
        /// Returns the whole text of an artifact, for the host. A model reads it in parts with
        /// `read_file`. Fails with `not_found` unless tenant, session and user are those of the
        /// call.
        read(ReadArtifact) -> ArtifactText = read;
    }
}

/// The arguments of `artifacts.read`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReadArtifact {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The session of the call; left out if the call had none.
    #[serde(default)]
    pub session: Option<String>,
    /// The user of the call; left out if the call had none. It does not matter if the users of a
    /// session share (`sessions.shared_by_users`).
    #[serde(default)]
    pub user: Option<String>,
    /// The artifact's id.
    pub id: String,
}

/// An artifact as text.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct ArtifactText {
    /// The artifact's id.
    pub id: String,
    /// The tool whose result it is.
    pub tool: String,
    /// The MIME type.
    pub mime: String,
    /// The whole text. Scrubbed.
    pub text: String,
    /// When it was made, in milliseconds since 1970-01-01T00:00:00Z.
    pub created_at_ms: i64,
}

async fn read(runtime: &Runtime, args: ReadArtifact) -> Result<ArtifactText, Error> {
    let ReadArtifact { tenant, session, user, id } = args;
    let session = runtime.path().sessions.key_of(session.as_deref(), user.as_deref());
    let found = artifacts::find(runtime.store(), &tenant, session.as_deref(), &id).await?;
    let reading = found.ok_or_else(|| {
        let text = format!("there is no artifact `{id}` of this tenant, session and user");
        Error::new(Code::NotFound, text)
    })?;
    let artifact = reading.whole().await?;
    Ok(ArtifactText {
        id: artifact.id,
        tool: artifact.tool,
        mime: artifact.mime,
        text: String::from_utf8_lossy(&artifact.body).into_owned(),
        created_at_ms: artifact.created_at_ms,
    })
}
