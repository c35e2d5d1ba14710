//! The requests that wait for their answers.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tokio::time::Instant;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{ErrorObject, Json};

use crate::{Closed, Host, RequestError};

/// The number of cancelled requests whose late answers are noticed.
const MAX_CANCELLED: usize = 256;

/// Where the progress of a request is told.
pub(crate) type OnProgress = Arc<dyn Fn(Json) + Send + Sync>;

/// One request that waits.
pub(crate) struct Waiting {
    pub answer: oneshot::Sender<Result<Json, RequestError>>,
    /// Woken when the server shows that it is still at it.
    pub is_alive: Arc<Notify>,
    pub on_progress: Option<OnProgress>,
    pub on_acknowledged: Option<OnProgress>,
    /// Who answers what the server asks while it works on it.
    pub host: Option<Arc<dyn Host>>,
    /// Whether it is asked on our own behalf.
    pub is_background: bool,
}

/// All that wait on one connection. Each leaves exactly once: answered, given up, or with the server.
#[derive(Default)]
pub(crate) struct Requests {
    table: Mutex<Table>,
}

struct Table {
    waiting: HashMap<u64, Waiting>,
    /// How many of them are not in the background.
    in_use: usize,
    /// When the last of those came or left.
    used_at: Instant,
    closed: Option<Arc<Closed>>,
    /// The hosts of requests that were cancelled and that the server may still answer.
    cancelled: BTreeMap<u64, Arc<dyn Host>>,
}

impl Default for Table {
    fn default() -> Self {
        Table {
            waiting: HashMap::new(),
            in_use: 0,
            used_at: Instant::now(),
            closed: None,
            cancelled: BTreeMap::new(),
        }
    }
}

impl Table {
    fn enter(&mut self, id: u64, waiting: Waiting) {
        if !waiting.is_background {
            self.in_use += 1;
            self.used_at = Instant::now();
        }
        self.waiting.insert(id, waiting);
    }

    fn remove(&mut self, id: u64) -> Option<Waiting> {
        let waiting = self.waiting.remove(&id)?;
        if !waiting.is_background {
            self.in_use -= 1;
            self.used_at = Instant::now();
        }
        Some(waiting)
    }
}

impl Requests {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().ignore_poison()
    }

    /// Enters a request, unless the server is gone.
    pub fn enter(&self, id: u64, waiting: Waiting) -> Result<(), Arc<Closed>> {
        let mut table = self.table();
        if let Some(closed) = &table.closed {
            return Err(Arc::clone(closed));
        }
        table.enter(id, waiting);
        Ok(())
    }

    /// Answers a request; false when none waits under this id.
    pub fn answer(&self, id: u64, outcome: Result<Json, ErrorObject>) -> bool {
        self.end(id, outcome.map_err(RequestError::Server))
    }

    /// Fails a request, if one waits under this id.
    pub fn fail(&self, id: u64, error: RequestError) {
        self.end(id, Err(error));
    }

    fn end(&self, id: u64, outcome: Result<Json, RequestError>) -> bool {
        let (waiting, late) = {
            let mut table = self.table();
            (table.remove(id), table.cancelled.remove(&id))
        };
        if let Some(host) = late {
            host.answered_late();
        }
        waiting.map(|waiting| waiting.answer.send(outcome)).is_some()
    }

    /// Takes a request out that nobody waits for any more; false when it has left already.
    pub fn give_up(&self, id: u64) -> bool {
        let mut table = self.table();
        let Some(waiting) = table.remove(id) else { return false };
        if let Some(host) = waiting.host {
            table.cancelled.insert(id, host);
            if table.cancelled.len() > MAX_CANCELLED {
                table.cancelled.pop_first();
            }
        }
        true
    }

    /// The request that waits, when it is the only one. One that stays open by its nature does not count.
    pub fn only(&self) -> Option<u64> {
        let table = self.table();
        let mut waiting = table.waiting.iter().filter(|(_, waiting)| waiting.on_acknowledged.is_none());
        let (id, _) = waiting.next()?;
        waiting.next().is_none().then_some(*id)
    }

    /// The host of a request that waits, when it has one of its own.
    pub fn host(&self, id: u64) -> Option<Arc<dyn Host>> {
        self.table().waiting.get(&id).and_then(|waiting| waiting.host.clone())
    }

    /// Tells the progress of a request; false when none waits under this id.
    pub fn progress(&self, id: u64, params: Json) -> bool {
        let (is_alive, on_progress) = match self.table().waiting.get(&id) {
            Some(waiting) => (Arc::clone(&waiting.is_alive), waiting.on_progress.clone()),
            None => return false,
        };
        is_alive.notify_one();
        if let Some(tell) = on_progress {
            tell(params);
        }
        true
    }

    /// Tells the acknowledgement of a request that stays open; false when none waits under this id.
    pub fn acknowledge(&self, id: u64, params: &Json) -> bool {
        let tell = match self.table().waiting.get(&id) {
            Some(waiting) => waiting.on_acknowledged.clone(),
            None => return false,
        };
        if let Some(tell) = &tell {
            tell(params.clone());
        }
        tell.is_some()
    }

    /// Fails all that wait, and all that would.
    pub fn close(&self, closed: Arc<Closed>) {
        let (waiting, cancelled) = {
            let mut table = self.table();
            table.closed = Some(Arc::clone(&closed));
            table.in_use = 0;
            (std::mem::take(&mut table.waiting), std::mem::take(&mut table.cancelled))
        };
        cancelled.values().for_each(|host| host.answered_late());
        for (_, waiting) in waiting {
            let _ = waiting.answer.send(Err(RequestError::Closed(Arc::clone(&closed))));
        }
    }

    /// Why there is no server any more.
    pub fn closed(&self) -> Option<Arc<Closed>> {
        self.table().closed.clone()
    }

    /// How many wait, those in the background left out.
    pub fn len(&self) -> usize {
        self.table().in_use
    }

    /// How long none of these has come, waited or left.
    pub fn unused_for(&self) -> Duration {
        let table = self.table();
        if table.in_use > 0 { Duration::ZERO } else { table.used_at.elapsed() }
    }
}
