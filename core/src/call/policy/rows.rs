//! Agents' own lists, as the store has them, remembered for a moment.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::place::Remembered;
use crate::commands::settings_of_row;
use crate::error::{Code, Error};
use crate::policy::RowLists;
use crate::shell::AgentSettings;
use crate::store::{Agent, Store};

/// How long an agent's lists are believed before the store is asked again, so that a change made
/// by another process is seen within a second.
const FRESH: Duration = Duration::from_secs(1);

/// How many agents' lists are kept at most.
const MOST_AGENTS: usize = 4_096;

/// An agent's row, as it was read.
pub(super) struct Row {
    read_at: Instant,
    agent: Option<Agent>,
}

impl Row {
    /// The agent's lists, if the store has it.
    pub(super) fn lists(&self) -> Option<RowLists<'_>> {
        let agent = self.agent.as_ref()?;
        Some(RowLists { allow: agent.allow.as_deref(), deny: &agent.deny })
    }

    /// What it says of the agent's commands.
    pub(super) fn commands(&self) -> Result<Option<AgentSettings>, Error> {
        let Some(agent) = &self.agent else { return Ok(None) };
        settings_of_row(&agent.settings).map_err(|why| {
            let text = format!("agent `{}` of the store: {why}", agent.id);
            Error::new(Code::InvalidConfig, text)
        })
    }
}

type Cell = Arc<Remembered<Row>>;
type Agents = HashMap<Arc<str>, Cell>;

/// The rows of agents. Whoever finds one remembered waits for nobody.
pub(super) struct Rows {
    store: Arc<dyn Store>,
    /// By tenant, by agent.
    cells: ArcSwap<HashMap<Arc<str>, Arc<Agents>>>,
    /// Held while a cell is added or its change begins.
    adding: Mutex<()>,
}

impl Rows {
    pub(super) fn new(store: Arc<dyn Store>) -> Rows {
        Rows { store, cells: ArcSwap::default(), adding: Mutex::new(()) }
    }

    /// The agent's row, if it was read a moment ago.
    pub(super) fn remembered(&self, tenant: &str, agent: &str) -> Option<Arc<Row>> {
        let cells = self.cells.load();
        let known = cells.get(tenant)?.get(agent)?.known()?;
        (known.read_at.elapsed() < FRESH).then_some(known)
    }

    /// The agent's row.
    pub(super) async fn read(&self, tenant: &str, agent: &str) -> Result<Arc<Row>, Error> {
        if let Some(row) = self.remembered(tenant, agent) {
            return Ok(row);
        }
        let cell = self.cell(tenant, agent, |_| ());
        let ticket = cell.ticket();
        let read_at = Instant::now();
        let agent = self.store.get_agent(tenant, agent).await?;
        let row = Arc::new(Row { read_at, agent });
        cell.remember(&ticket, row.clone());
        Ok(row)
    }

    /// Announces that an agent's row is about to change. Until the announcement is dropped the row
    /// is not remembered, so that no decision outlives the row that it was made from.
    pub(super) fn changing(&self, tenant: &str, agent: &str) -> Change {
        Change { cell: self.cell(tenant, agent, |cell| cell.begin()) }
    }

    /// Forgets every row: any of them may have changed. What is being read at this moment is not
    /// remembered either.
    pub(super) fn forget_all(&self) {
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        for cell in self.cells.load().values().flat_map(|agents| agents.values()) {
            cell.begin();
            cell.end();
        }
    }

    /// The cell of the agent, made if need be, after `first` was done to it.
    fn cell(&self, tenant: &str, agent: &str, first: impl Fn(&Remembered<Row>)) -> Cell {
        let _adding = self.adding.lock().unwrap_or_else(PoisonError::into_inner);
        let cells = self.cells.load();
        if let Some(cell) = cells.get(tenant).and_then(|agents| agents.get(agent)) {
            first(cell);
            return cell.clone();
        }
        let mut next = cells.as_ref().clone();
        if next.values().map(|agents| agents.len()).sum::<usize>() >= MOST_AGENTS {
            // One whose change is on its way must stay, or its old row could be remembered anew.
            next.retain(|_, agents| {
                Arc::make_mut(agents).retain(|_, cell| cell.is_changing());
                !agents.is_empty()
            });
        }
        let cell = Cell::new(Remembered::new());
        first(&cell);
        let agents = next.entry(tenant.into()).or_default();
        Arc::make_mut(agents).insert(agent.into(), cell.clone());
        self.cells.store(Arc::new(next));
        cell
    }
}

/// A change of an agent's row that is on its way.
pub(crate) struct Change {
    cell: Cell,
}

impl Drop for Change {
    fn drop(&mut self) {
        self.cell.end();
    }
}
