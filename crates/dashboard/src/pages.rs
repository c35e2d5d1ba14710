//! The pages, one file each.

pub mod about;
pub mod call;
pub mod calls;
pub mod errors;
pub mod live;
pub mod models;
pub mod normalizer;
pub mod notices;
pub mod overview;
pub mod playground;
pub mod rules;
pub mod rules_edit;
pub mod security;
pub mod servers;
pub mod toolboxes;
pub mod voice;

use std::sync::Arc;

use http::StatusCode;
use toolwright_executor::RegisteredTool;
use toolwright_ledger::Ledger;
use toolwright_ledger::index::Store;

use crate::{Dashboard, PageProblem};

impl Dashboard {
    pub(crate) fn ledger(&self) -> Result<&Arc<Ledger>, PageProblem> {
        self.ledger.as_ref().ok_or_else(PageProblem::no_ledger)
    }

    /// Whether clients can call a tool: built-in tools are registered even if they are not served.
    pub(crate) fn serves(&self, tool: &RegisteredTool) -> bool {
        let current = self.servers.current();
        let is_of_server = |server: &String| current.list.iter().any(|known| known.name == *server);
        current.configuration.serves_own_tools()
            || tool.definition().server.as_ref().is_some_and(is_of_server)
    }

    /// The index of calls.
    pub(crate) fn store(&self) -> Result<Store, PageProblem> {
        let ledger = self.ledger()?;
        ledger.store().ok_or_else(|| {
            PageProblem::no_index(
                &ledger.index_problem().unwrap_or_else(|| "the database is not open yet".to_owned()),
            )
        })
    }
}

/// Runs work that may block on a thread for blocking work.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, PageProblem> {
    tokio::task::spawn_blocking(work).await.map_err(|error| {
        PageProblem::new(StatusCode::INTERNAL_SERVER_ERROR, "The page could not be made.", error.to_string())
    })
}
