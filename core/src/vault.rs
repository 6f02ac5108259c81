//! The secrets that placeholders stand for, and where each may be put back.
//!
//! With the vault on, a secret that is masked in a result is kept, in memory, under its placeholder. When
//! a later call of the same tenant and session has that placeholder in its arguments, the secret is put
//! back as the last step before the tool runs. So nobody who looks at the call before (an approver, an
//! event, the ledger, a span) ever sees it.
//!
//! The invariant: a secret is put back only where a [binding](Binding) allows it, or into the file that it
//! was read from. Anywhere else the call is refused.
//!
//! The way of a secret: `sealing` keeps what a scrubber masks, and `kept` holds it. When a placeholder
//! comes back, `written` finds it in the arguments, `destination` says where the call would take it
//! (`endpoint`: to which host), `binding` says where it may go, and `opener` puts it back. From then on
//! `guards` looks for it in results.

mod binding;
mod config;
mod destination;
mod endpoint;
mod guards;
mod kept;
mod opener;
mod sealing;
mod written;

pub use binding::{Binding, NewBinding};
pub use config::{BindingConfig, VaultConfig};
pub use kept::KeptSecret;

use destination::{ArgumentPath, Destination};
pub(crate) use kept::FileAt;
pub(crate) use opener::{Opened, Opener, Refusal};
pub(crate) use sealing::Sealing;
pub(crate) use written::{placeholders, without_fresh_tags, without_placeholders};

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::clock::Clock;
use crate::deadlines::Deadlines;
use crate::error::{Code, Error};
use crate::id::new_id;
use binding::Compiled;
use guards::Guards;
use kept::Kept;

/// How many bindings the operations may make, of all tenants together.
const MOST_BINDINGS: usize = 10_000;

/// The vault of one runtime. What it holds is gone, and its memory overwritten, when the runtime is
/// closed or dropped.
pub(crate) struct Vault {
    config: VaultConfig,
    clock: Arc<dyn Clock>,
    deadlines: Arc<Deadlines>,
    state: Mutex<State>,
    this: Weak<Vault>,
}

struct State {
    kept: Kept,
    /// Those of the configuration first.
    bindings: Vec<Arc<Compiled>>,
    guards: Guards,
    /// True while a job waits that forgets what is too old.
    is_watched: bool,
    is_closed: bool,
}

impl Vault {
    /// The vault of a configuration; `None` if it is off.
    ///
    /// # Errors
    /// `invalid_config` naming the binding that cannot be.
    pub(crate) fn new(
        config: &VaultConfig,
        clock: Arc<dyn Clock>,
        deadlines: Arc<Deadlines>,
    ) -> Result<Option<Arc<Vault>>, Error> {
        let bindings = config.compiled()?;
        if !config.enabled {
            return Ok(None);
        }
        let config = config.clone();
        let state = Mutex::new(State {
            kept: Kept::new(config.max_entries, config.ttl_ms),
            bindings,
            guards: Guards::default(),
            is_watched: false,
            is_closed: false,
        });
        let make =
            |this: &Weak<Vault>| Vault { config, clock, deadlines, state, this: this.clone() };
        Ok(Some(Arc::new_cyclic(make)))
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// True if placeholders in this tool's arguments are text to it.
    pub(crate) fn is_text_to(&self, tool: &str) -> bool {
        self.config.text_tools.iter().any(|pattern| binding::fits(pattern, tool))
    }

    /// Adds a binding.
    ///
    /// # Errors
    /// `invalid_argument` naming the field, `not_found` for a placeholder that is not kept,
    /// `conflict` if there are too many.
    pub(crate) fn bind(&self, new: NewBinding) -> Result<Binding, Error> {
        let compiled = Compiled::new(new_id(), new, Code::InvalidArgument, "")?;
        let mut state = self.state();
        let shown = &compiled.shown;
        if let Some(placeholder) = &shown.placeholder {
            let tenant = shown.tenant.as_deref().unwrap_or_default();
            let now_ms = self.clock.now_ms();
            if !state.kept.has(tenant, shown.session.as_deref(), placeholder, now_ms) {
                let text = format!(
                    "the vault keeps no secret under `{}` there; bind it after a result has shown \
                     it, or bind its kind",
                    crate::limits::echo(placeholder)
                );
                return Err(Error::new(Code::NotFound, text));
            }
        }
        if state.bindings.len() >= MOST_BINDINGS {
            let text = format!("there are {MOST_BINDINGS} bindings; unbind some first");
            return Err(Error::new(Code::Conflict, text));
        }
        let shown = shown.clone();
        if !state.is_closed {
            state.bindings.push(Arc::new(compiled));
        }
        Ok(shown)
    }

    /// Takes a binding away. False if the tenant has none of that id.
    pub(crate) fn unbind(&self, tenant: &str, id: &str) -> bool {
        let mut state = self.state();
        let before = state.bindings.len();
        let is_it = |one: &Binding| one.tenant.as_deref() == Some(tenant) && one.id == id;
        state.bindings.retain(|one| !is_it(&one.shown));
        state.bindings.len() < before
    }

    /// What is kept for a tenant, or one session of it, the last used first; never a value.
    pub(crate) fn kept(&self, tenant: &str, session: Option<&str>) -> Vec<KeptSecret> {
        self.state().kept.list(tenant, session, self.clock.now_ms())
    }

    /// The bindings that hold for a tenant, or one session of it: its own, and the configuration's.
    pub(crate) fn bindings(&self, tenant: &str, session: Option<&str>) -> Vec<Binding> {
        let state = self.state();
        let holds = |one: &&Arc<Compiled>| one.shown.holds_for(tenant, session);
        state.bindings.iter().filter(holds).map(|one| one.shown.clone()).collect()
    }

    /// Forgets what a tenant, or one session of it, has in the vault: secrets and bindings. Gives
    /// how many of each.
    pub(crate) fn forget(&self, tenant: &str, session: Option<&str>) -> (usize, usize) {
        let mut state = self.state();
        let secrets = state.kept.forget(tenant, session, self.clock.now_ms());
        if session.is_none() {
            state.guards.forget(tenant);
        }
        let before = state.bindings.len();
        state.bindings.retain(|one| {
            let Binding { tenant: tenant_of_binding, session: of, .. } = &one.shown;
            tenant_of_binding.as_deref() != Some(tenant)
                || session.is_some() && of.as_deref() != session
        });
        (secrets, before - state.bindings.len())
    }

    /// Has secrets forgotten when their time is over, though nobody asks for them again.
    fn forget_in_time(&self, state: &mut State) {
        if state.is_watched {
            return;
        }
        let Some(at_ms) = state.kept.next_sweep_ms() else { return };
        state.is_watched = true;
        let vault = self.this.clone();
        let forget = || async move {
            if let Some(vault) = vault.upgrade() {
                vault.forget_old();
            }
        };
        self.deadlines.add(at_ms, Box::new(|| Box::pin(forget())));
    }

    fn forget_old(&self) {
        let mut state = self.state();
        state.is_watched = false;
        state.kept.sweep(self.clock.now_ms());
        self.forget_in_time(&mut state);
    }

    /// Forgets everything, for good.
    pub(crate) fn forget_all(&self) {
        let mut state = self.state();
        state.kept.clear();
        state.bindings.clear();
        state.guards.clear();
        state.is_closed = true;
    }
}

impl fmt::Debug for Vault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Vault").finish_non_exhaustive()
    }
}
