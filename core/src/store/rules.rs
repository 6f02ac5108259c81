//! Rules: what an owner decided, or taught by deciding, about calls of some sort.

use futures_util::FutureExt as _;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};

use super::driver::{Batch, Driver, Statement, Value};
use super::fields::{BadRow, Fields, text};
use super::json::object_text;
use super::record::{Delete, Put, Table};
use super::{Error, SqlStore, StoreFuture};
use crate::event::NewEvent;
use crate::id::new_id;

/// What happens to a call that fits a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum RuleEffect {
    /// Lets it through.
    Allow,
    /// Asks an approver.
    Ask,
    /// Refuses it.
    Deny,
}

impl RuleEffect {
    fn name(self) -> &'static str {
        match self {
            RuleEffect::Allow => "allow",
            RuleEffect::Ask => "ask",
            RuleEffect::Deny => "deny",
        }
    }

    fn from_name(name: &str) -> Option<RuleEffect> {
        [RuleEffect::Allow, RuleEffect::Ask, RuleEffect::Deny]
            .into_iter()
            .find(|effect| effect.name() == name)
    }
}

/// A rule as the store holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rule {
    /// The tenant it belongs to.
    pub tenant: String,
    /// The kind of the calls, such as `command` or `tool`.
    pub kind: String,
    /// Its id within the kind.
    pub id: String,
    /// The agent it holds for; none: all of them.
    pub agent: Option<String>,
    /// The user it holds for; none: all of them.
    pub user: Option<String>,
    /// What it does.
    pub effect: RuleEffect,
    /// Which calls it fits, in the language of its kind.
    pub pattern: String,
    /// Other settings of its kind, a JSON object.
    pub settings: Json,
    /// Where it comes from, such as `owner` or `approval:<id>`.
    pub source: String,
    /// When it ends, in milliseconds since 1970-01-01T00:00:00Z; none: never.
    pub expires_at_ms: Option<i64>,
    /// 1 for a new rule, one more with each change.
    pub version: i64,
    /// When it was last changed, in milliseconds since 1970-01-01T00:00:00Z.
    pub updated_at_ms: i64,
}

/// A rule to be made or changed. All of it is written: what is not given becomes empty.
#[derive(Clone, Debug, PartialEq)]
pub struct PutRule {
    /// The tenant it belongs to.
    pub tenant: String,
    /// What sort of calls it is about.
    pub kind: String,
    /// Its id within the kind; none: a new one is made.
    pub id: Option<String>,
    /// The agent it holds for; none: all of them.
    pub agent: Option<String>,
    /// The user it holds for; none: all of them.
    pub user: Option<String>,
    /// What it does.
    pub effect: RuleEffect,
    /// Which calls it fits. No NUL.
    pub pattern: String,
    /// Other settings of its kind, a JSON object.
    pub settings: Json,
    /// Where it comes from. No NUL.
    pub source: String,
    /// When it ends, in milliseconds since 1970-01-01T00:00:00Z; none: never.
    pub expires_at_ms: Option<i64>,
    /// Write only if the rule has this version now; 0: only if there is none.
    pub if_version: Option<i64>,
}

impl PutRule {
    /// A rule with a new id for all agents and users, for ever.
    pub fn new(
        tenant: impl Into<String>,
        kind: impl Into<String>,
        effect: RuleEffect,
        pattern: impl Into<String>,
    ) -> PutRule {
        PutRule {
            tenant: tenant.into(),
            kind: kind.into(),
            id: None,
            agent: None,
            user: None,
            effect,
            pattern: pattern.into(),
            settings: json!({}),
            source: String::new(),
            expires_at_ms: None,
            if_version: None,
        }
    }
}

/// Which rules to list, in order of id (byte by byte).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListRules {
    /// The tenant.
    pub tenant: String,
    /// The kind.
    pub kind: String,
    /// Only rules that hold for this agent: its own and those for all agents.
    pub agent: Option<String>,
    /// Only rules that hold for this user: theirs and those for all users.
    pub user: Option<String>,
    /// Go on after this id.
    pub after: Option<String>,
    /// The most rules to give.
    pub limit: u32,
}

/// The rules of each tenant, by kind.
pub trait Rules: Send + Sync {
    /// Makes or changes a rule and writes the event `rule.changed` with it.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if `if_version` does not hold; then nothing is
    /// written.
    fn put_rule(&self, rule: PutRule, now_ms: i64) -> StoreFuture<'_, Rule>;

    /// The rule of that kind and id, also when it has ended.
    fn get_rule<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        id: &'a str,
    ) -> StoreFuture<'a, Option<Rule>>;

    /// Rules of a kind that have not ended at `now_ms`.
    fn list_rules(&self, list: ListRules, now_ms: i64) -> StoreFuture<'_, Vec<Rule>>;

    /// Deletes a rule, if it has `if_version` where that is given, and writes the event
    /// `rule.deleted` with it. False if there is none; then there is no event.
    ///
    /// # Errors
    ///
    /// [`Kind::Conflict`](super::Kind::Conflict) if it has another version.
    fn delete_rule<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        id: &'a str,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool>;

    /// Forgets, for all tenants, the rules that ended at or before that time. Gives their number.
    /// No event reports it: they had stopped holding before.
    fn prune_rules(&self, before_ms: i64) -> StoreFuture<'_, u64>;
}

static TABLE: Table = Table::new("rules", &["tenant", "kind", "id"], BODY, &[]);

const BODY: &[&str] =
    &["agent", "user_key", "effect", "pattern", "settings", "source", "expires_at_ms"];

const COLUMNS: &[&str] = &[
    "tenant",
    "kind",
    "id",
    "agent",
    "user_key",
    "effect",
    "pattern",
    "settings",
    "source",
    "expires_at_ms",
    "version",
    "updated_at_ms",
];

const LIST: &str = "SELECT tenant, kind, id, agent, user_key, effect, pattern, settings, source, \
     expires_at_ms, version, updated_at_ms FROM toolkeep_rules \
     WHERE tenant = ?1 AND kind = ?2 AND id > ?3 \
     AND (expires_at_ms IS NULL OR expires_at_ms > ?4) \
     AND (CAST(?5 AS TEXT) IS NULL OR agent IN ('', CAST(?5 AS TEXT))) \
     AND (CAST(?6 AS TEXT) IS NULL OR user_key IN ('', CAST(?6 AS TEXT))) \
     ORDER BY id LIMIT ?7";

const PRUNE: &str = "DELETE FROM toolkeep_rules WHERE expires_at_ms <= ?1";

impl<D: Driver> SqlStore<D> {
    fn check_rule(&self, operation: &'static str, rule: &PutRule) -> Result<(), Error> {
        self.check(operation, &[("tenant", &rule.tenant), ("kind", &rule.kind)])?;
        let given = [
            ("id", rule.id.as_deref()),
            ("agent", rule.agent.as_deref()),
            ("user", rule.user.as_deref()),
        ];
        self.check_given(operation, &given)
    }
}

impl<D: Driver> Rules for SqlStore<D> {
    fn put_rule(&self, rule: PutRule, now_ms: i64) -> StoreFuture<'_, Rule> {
        async move {
            const OPERATION: &str = "rules.put";
            self.check_rule(OPERATION, &rule)?;
            let body = body(&rule).map_err(|message| self.invalid(OPERATION, message))?;
            let id = rule.id.unwrap_or_else(new_id);
            let put = Put {
                what: what(&rule.kind, &id),
                keys: keys(&rule.tenant, &rule.kind, &id),
                body,
                if_version: rule.if_version,
                if_body: None,
                fence: None,
                event: changed_event("rule.changed", &rule.tenant, &rule.kind, &id, now_ms),
            };
            let version = self.put_row(OPERATION, &TABLE, put, now_ms).await?;
            Ok(Rule {
                tenant: rule.tenant,
                kind: rule.kind,
                id,
                agent: rule.agent,
                user: rule.user,
                effect: rule.effect,
                pattern: rule.pattern,
                settings: rule.settings,
                source: rule.source,
                expires_at_ms: rule.expires_at_ms,
                version,
                updated_at_ms: now_ms,
            })
        }
        .boxed()
    }

    fn get_rule<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        id: &'a str,
    ) -> StoreFuture<'a, Option<Rule>> {
        async move {
            const OPERATION: &str = "rules.get";
            self.check(OPERATION, &[("tenant", tenant), ("kind", kind), ("id", id)])?;
            self.get_row(OPERATION, &TABLE, keys(tenant, kind, id), decode).await
        }
        .boxed()
    }

    fn list_rules(&self, list: ListRules, now_ms: i64) -> StoreFuture<'_, Vec<Rule>> {
        async move {
            const OPERATION: &str = "rules.list";
            let ListRules { tenant, kind, agent, user, after, limit } = list;
            self.check(OPERATION, &[("tenant", &tenant), ("kind", &kind)])?;
            let given = [
                ("agent", agent.as_deref()),
                ("user", user.as_deref()),
                ("after", after.as_deref()),
            ];
            self.check_given(OPERATION, &given)?;
            let params = vec![
                tenant.into(),
                kind.into(),
                after.unwrap_or_default().into(),
                now_ms.into(),
                agent.into(),
                user.into(),
                limit.into(),
            ];
            self.read_all(OPERATION, Statement::new(LIST, params), COLUMNS, decode).await
        }
        .boxed()
    }

    fn delete_rule<'a>(
        &'a self,
        tenant: &'a str,
        kind: &'a str,
        id: &'a str,
        if_version: Option<i64>,
        now_ms: i64,
    ) -> StoreFuture<'a, bool> {
        async move {
            const OPERATION: &str = "rules.revoke";
            self.check(OPERATION, &[("tenant", tenant), ("kind", kind), ("id", id)])?;
            let delete = Delete {
                what: what(kind, id),
                keys: keys(tenant, kind, id),
                if_version,
                fence: None,
                event: changed_event("rule.deleted", tenant, kind, id, now_ms),
            };
            self.delete_row(OPERATION, &TABLE, delete, now_ms).await
        }
        .boxed()
    }

    fn prune_rules(&self, before_ms: i64) -> StoreFuture<'_, u64> {
        async move {
            let batch = Batch::from(Statement::new(PRUNE, vec![before_ms.into()]));
            let outcomes = self.write_always("rules.prune", batch).await?;
            Ok(outcomes.iter().map(|outcome| outcome.changed).sum())
        }
        .boxed()
    }
}

fn keys(tenant: &str, kind: &str, id: &str) -> Vec<Value> {
    vec![tenant.into(), kind.into(), id.into()]
}

fn what(kind: &str, id: &str) -> String {
    format!("rule `{id}` of kind `{kind}`")
}

fn changed_event(event: &'static str, tenant: &str, kind: &str, id: &str, at_ms: i64) -> NewEvent {
    let data = json!({ "kind": kind });
    NewEvent { tenant: tenant.into(), at_ms, kind: event, subject: id.into(), data }
}

fn body(rule: &PutRule) -> Result<Vec<Value>, String> {
    Ok(vec![
        rule.agent.as_deref().unwrap_or_default().into(),
        rule.user.as_deref().unwrap_or_default().into(),
        rule.effect.name().into(),
        text("pattern", &rule.pattern)?.into(),
        object_text("settings", &rule.settings)?.into(),
        text("source", &rule.source)?.into(),
        rule.expires_at_ms.into(),
    ])
}

fn decode(fields: &mut Fields) -> Result<Rule, BadRow> {
    Ok(Rule {
        tenant: fields.text()?,
        kind: fields.text()?,
        id: fields.text()?,
        agent: fields.part()?,
        user: fields.part()?,
        effect: fields.name(RuleEffect::from_name)?,
        pattern: fields.text()?,
        settings: fields.object()?,
        source: fields.text()?,
        expires_at_ms: fields.int_or_none()?,
        version: fields.int()?,
        updated_at_ms: fields.int()?,
    })
}
