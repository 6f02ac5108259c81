//! The control plane: a table of typed operations.
//!
//! Each operation stands once, in the table of its domain: its name, argument type, result type and doc.
//! From that come the Rust methods (`rt.ops().agents().put(…)`), [`Runtime::invoke`] for the other
//! languages, and, through `cargo xtask gen`, the Python and TypeScript methods and the reference.
//! Adding one is a function and a line in its domain's table; adding a domain is a file and a line in `domains!`.

mod agents;
mod approvals;
mod artifacts;
mod audit;
mod clis;
mod config;
mod context_files;
mod credentials;
mod custom_tools;
mod documents;
mod events;
mod exec;
mod grants;
mod guarded;
mod leases;
mod locks;
mod memory;
mod policy;
mod registry;
mod rules;
mod secrets;
mod sessions;
mod shell;
mod store;
mod vault;

use futures_util::future::BoxFuture;
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Code, Error};
use crate::id::DEFAULT_TENANT;
use crate::limits::{check_json, echo};
use crate::nearest::nearest;
use crate::runtime::Runtime;

/// One operation of the control plane.
pub struct Operation {
    /// `domain.verb`.
    pub name: &'static str,
    /// What it does.
    pub doc: &'static str,
    /// The JSON Schema of its arguments, an object.
    pub arguments: fn() -> Schema,
    /// The JSON Schema of its result.
    pub result: fn() -> Schema,
    run: for<'r> fn(&'r Runtime, Value) -> BoxFuture<'r, Result<Value, Error>>,
}

/// Declares the operations of one domain: the struct with its methods, and the domain's table.
macro_rules! operations {
    (
        $(#[doc = $about:literal])+
        $domain:ident as $Domain:ident {
            $($(#[doc = $doc:literal])+ $verb:ident($Args:ty) -> $Result:ty = $run:path;)+
        }
    ) => {
        $(#[doc = $about])+
        #[derive(Clone, Copy)]
        pub struct $Domain<'r>(&'r $crate::runtime::Runtime);

        impl<'r> $Domain<'r> {
            pub(super) fn new(runtime: &'r $crate::runtime::Runtime) -> $Domain<'r> {
                $Domain(runtime)
            }

            $($(#[doc = $doc])+
            pub async fn $verb(&self, args: $Args) -> Result<$Result, $crate::error::Error> {
                $run(self.0, args).await
            })+
        }

        pub(super) const OPERATIONS: &[$crate::ops::Operation] = &[
            $($crate::ops::Operation {
                name: concat!(stringify!($domain), ".", stringify!($verb)),
                doc: concat!($($doc, "\n"),+),
                arguments: || schemars::schema_for!($Args),
                result: || schemars::schema_for!($Result),
                run: |runtime, args| Box::pin(async move {
                    let name = concat!(stringify!($domain), ".", stringify!($verb));
                    let args: $Args = $crate::ops::arguments(name, args)?;
                    $crate::ops::answer($run(runtime, args).await?)
                }),
            },)+
        ];
    };
}
use operations;

impl Runtime {
    /// The control plane: agents, audit, events, …
    pub fn ops(&self) -> Ops<'_> {
        Ops(self)
    }

    /// Runs one operation by name, JSON in and JSON out: what the bindings do.
    ///
    /// # Errors
    /// `unknown_operation`, `invalid_argument` naming the field, `closed`, or the operation's own.
    pub async fn invoke(&self, operation: &str, args: Value) -> Result<Value, Error> {
        self.until_closed(run(self, operation, args)).await?
    }
}

/// The operations of one runtime, by domain.
#[derive(Clone, Copy)]
pub struct Ops<'r>(&'r Runtime);

/// Declares the domains of the control plane: a line for each.
macro_rules! domains {
    ($($(#[doc = $doc:literal])+ $domain:ident: $Domain:ident,)+) => {
        $(pub use $domain::*;)+

        impl<'r> Ops<'r> {
            $($(#[doc = $doc])+
            pub fn $domain(&self) -> $Domain<'r> {
                $Domain::new(self.0)
            })+
        }

        /// Every operation, domain by domain.
        pub fn all() -> impl Iterator<Item = &'static Operation> {
            [$($domain::OPERATIONS,)+].into_iter().flatten()
        }
    };
}

domains! {
    /// Agents and their own lists.
    agents: Agents,
    /// Calls that wait for somebody's word.
    approvals: Approvals,
    /// Texts that were too long for a result.
    artifacts: Artifacts,
    /// The ledger of calls.
    audit: Audit,
    /// Programs with credentials.
    clis: ClisOps,
    /// The configuration.
    config: ConfigOps,
    /// Credentials for programs.
    credentials: Credentials,
    /// Commands that are tools.
    custom_tools: CustomTools,
    /// The texts that tell an agent who it is.
    context_files: ContextFiles,
    /// The texts that an agent keeps.
    documents: Documents,
    /// What agents remember.
    memory: Memory,
    /// What happened.
    events: Events,
    /// Who may use which resource.
    grants: Grants,
    /// What an owner decided about calls.
    rules: Rules,
    /// The conversations of agents.
    sessions: Sessions,
    /// Who does what for now.
    leases: Leases,
    /// Who may write which files for now.
    locks: Locks,
    /// The policy.
    policy: PolicyOps,
    /// Commands that run.
    exec: ExecOps,
    /// The tools.
    registry: RegistryOps,
    /// Commands of a shell.
    shell: ShellOps,
    /// The store as a whole.
    store: StoreOps,
    /// Values that are masked in every text.
    secrets: SecretsOps,
    /// Where masked secrets may be put back.
    vault: VaultOps,
}

async fn run(runtime: &Runtime, name: &str, args: Value) -> Result<Value, Error> {
    let Some(operation) = all().find(|operation| operation.name == name) else {
        let meant = nearest(name, all().map(|operation| operation.name));
        let hint = meant.map(|m| format!(", did you mean `{m}`?")).unwrap_or_default();
        let text = format!("there is no operation `{}`{hint}", echo(name));
        return Err(Error::new(Code::UnknownOperation, text));
    };
    (operation.run)(runtime, args).await
}

fn arguments<A: DeserializeOwned + JsonSchema>(operation: &str, args: Value) -> Result<A, Error> {
    let refuse = |code: Code, why: String| {
        Error::new(code, format!("the arguments of `{operation}`: {why}"))
    };
    check_json(&args).map_err(|why| refuse(why.code(), why.to_string()))?;
    let args = if args.is_null() { Value::Object(Map::new()) } else { args };
    crate::strict::from_value(&args).map_err(|why| refuse(Code::InvalidArgument, why))
}

fn answer<R: Serialize>(result: R) -> Result<Value, Error> {
    serde_json::to_value(result)
        .map_err(|error| Error::new(Code::Internal, format!("a result is not JSON: {error}")))
}

/// What a `get` fails with. `what` names the thing: ``agent `a` ``.
fn no_such(what: &str) -> Error {
    Error::new(Code::NotFound, format!("there is no {what}"))
}

/// The text of a body, which a Rust host may have written with other bytes.
fn utf8(what: &str, body: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(body).map_err(|error| {
        let place = error.utf8_error().valid_up_to();
        let text = format!(
            "the body of {what} is not UTF-8 (byte {place}); read it through the Rust store, or \
             put a text"
        );
        Error::new(Code::InvalidUtf8, text)
    })
}

/// The tenant of an operation that names none.
fn default_tenant() -> String {
    DEFAULT_TENANT.into()
}

/// How many rows an operation gives where it names no limit.
fn default_limit() -> u32 {
    100
}

/// The most rows that one operation gives.
const MOST_ROWS: u32 = 1_000;

fn check_limit(limit: u32) -> Result<(), Error> {
    if (1..=MOST_ROWS).contains(&limit) {
        return Ok(());
    }
    Err(Error::new(Code::InvalidArgument, format!("`limit` is {limit}; give 1 to {MOST_ROWS}")))
}
