//! `rules.*`

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{check_limit, default_limit, default_tenant, no_such, operations};
use crate::call::{Kept, STANDING};
use crate::error::{Code, Error};
use crate::runtime::Runtime;
use crate::store::{self, Rule, RuleEffect};

operations! {
    /// What an owner decided, or taught by deciding, about calls of some sort.
    rules as Rules {
        /// Stores a rule, replacing one of the same kind and id. A rule of the kind `command` lets
        /// commands run without asking; take it from the `proposals` of an approval. Fails with
        /// `conflict` if `if_version` does not hold.
        put(PutRule) -> Rule = put;
        /// Returns a rule, even up to a day after it has expired. Fails with `not_found` if there
        /// is none of that kind and id.
        get(GetRule) -> Rule = get;
        /// Lists the rules of a kind by id, without expired ones.
        list(ListRules) -> Vec<Rule> = list;
        /// Revokes a rule: it holds for no call that begins after this. Fails with `conflict` if
        /// `if_version` does not hold.
        revoke(RevokeRule) -> Revoked = revoke;
    }
}

/// The arguments of `rules.put`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PutRule {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind of the calls, such as `command` or `tool`.
    pub kind: String,
    /// Its id within the kind. Left out: a new one is made.
    #[serde(default)]
    pub id: Option<String>,
    /// The agent it holds for. Left out: all of them.
    #[serde(default)]
    pub agent: Option<String>,
    /// The user it holds for. Left out: all of them.
    #[serde(default)]
    pub user: Option<String>,
    /// What happens to a call that fits it.
    pub effect: RuleEffect,
    /// Which calls it fits, in the language of its kind.
    pub pattern: String,
    /// Other settings of its kind.
    #[serde(default)]
    pub settings: Map<String, Value>,
    /// Where it comes from, such as `owner` or `approval:<id>`. Default: `owner`.
    #[serde(default = "owner")]
    pub source: String,
    /// When it ends, in milliseconds since 1970-01-01T00:00:00Z. Left out: never.
    #[serde(default)]
    pub expires_at_ms: Option<i64>,
    /// Only if the stored rule has this version; 0: only if there is none.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// The arguments of `rules.get`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GetRule {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The rule's kind.
    pub kind: String,
    /// The rule's id.
    pub id: String,
}

/// The arguments of `rules.list`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListRules {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The kind.
    pub kind: String,
    /// Only rules that hold for this agent: its own and those for all agents.
    #[serde(default)]
    pub agent: Option<String>,
    /// Only rules that hold for this user: theirs and those for all users.
    #[serde(default)]
    pub user: Option<String>,
    /// Go on after this id.
    #[serde(default)]
    pub after: Option<String>,
    /// How many at most, 1 to 1,000. Default: 100.
    #[serde(default = "default_limit")]
    pub limit: u32,
}

/// The arguments of `rules.revoke`.
#[derive(Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RevokeRule {
    /// The tenant.
    #[serde(default = "default_tenant")]
    pub tenant: String,
    /// The rule's kind.
    pub kind: String,
    /// The rule's id.
    pub id: String,
    /// Only if the stored rule has this version.
    #[serde(default)]
    pub if_version: Option<i64>,
}

/// Whether a rule was revoked.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize, JsonSchema)]
pub struct Revoked {
    /// False if there was none of that kind and id.
    pub revoked: bool,
}

fn owner() -> String {
    "owner".into()
}

async fn put(runtime: &Runtime, args: PutRule) -> Result<Rule, Error> {
    if args.kind == STANDING {
        check_standing(&args)?;
    }
    let rule = store::PutRule {
        tenant: args.tenant,
        kind: args.kind,
        id: args.id,
        agent: args.agent,
        user: args.user,
        effect: args.effect,
        pattern: args.pattern,
        settings: Value::Object(args.settings),
        source: args.source,
        expires_at_ms: args.expires_at_ms,
        if_version: args.if_version,
    };
    Ok(runtime.writing(&rule.tenant).put_rule(rule, runtime.clock().now_ms()).await?)
}

/// Refuses a rule about commands that would be passed over later.
fn check_standing(rule: &PutRule) -> Result<(), Error> {
    if rule.effect != RuleEffect::Allow {
        let text = format!(
            "a rule of the kind `{STANDING}` only allows; what commands are denied or asked about \
             says `shell` in the configuration"
        );
        return Err(Error::new(Code::InvalidArgument, text));
    }
    Kept::of(&Value::Object(rule.settings.clone())).map(|_| ())
}

async fn get(runtime: &Runtime, args: GetRule) -> Result<Rule, Error> {
    let GetRule { tenant, kind, id } = args;
    let rule = runtime.store().get_rule(&tenant, &kind, &id).await?;
    rule.ok_or_else(|| no_such(&format!("rule `{id}` of kind `{kind}`")))
}

async fn list(runtime: &Runtime, args: ListRules) -> Result<Vec<Rule>, Error> {
    check_limit(args.limit)?;
    let ListRules { tenant, kind, agent, user, after, limit } = args;
    let query = store::ListRules { tenant, kind, agent, user, after, limit };
    Ok(runtime.store().list_rules(query, runtime.clock().now_ms()).await?)
}

async fn revoke(runtime: &Runtime, args: RevokeRule) -> Result<Revoked, Error> {
    let RevokeRule { tenant, kind, id, if_version } = args;
    let now_ms = runtime.clock().now_ms();
    let revoked =
        runtime.writing(&tenant).delete_rule(&tenant, &kind, &id, if_version, now_ms).await?;
    Ok(Revoked { revoked })
}
