//! What is behind the port in earnest: the wire of both eras in front of the gateway's services.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use bytes::Bytes;
use http::Request;
use http_body_util::BodyExt;
use toolwright_backend::Servers;
use toolwright_endpoints::{Endpoint, Gateway, OWN_TOOLBOX};
use toolwright_executor::ToolExecutor;
use toolwright_ledger::Ledger;
use toolwright_mcp::front::{Fronts, Visitor};

use crate::inside::{Counts, Inside, Reply};

/// The gateway, as the port sees it.
pub struct Served {
    /// The services.
    pub gateway: Arc<Gateway>,
    /// The protocol.
    pub fronts: Arc<Fronts>,
    /// The servers behind them.
    pub servers: Arc<Servers>,
    /// Who runs tools.
    pub executor: Arc<ToolExecutor>,
    /// Where calls are written down.
    pub ledger: Option<Arc<Ledger>>,
}

impl Inside for Served {
    fn answer(&self, endpoint: Endpoint, request: Request<Bytes>, visitor: Visitor) -> Reply<'_> {
        Box::pin(async move {
            let service = self.gateway.service(&endpoint)?;
            let name = match &endpoint {
                Endpoint::Toolboxes => "mcp".to_owned(),
                Endpoint::All => "mcp/all".to_owned(),
                Endpoint::Toolbox(name) => format!("mcp/t/{name}"),
            };
            let response = self.fronts.answer_http(&name, service, request, visitor).await;
            Some(response.map(BodyExt::boxed_unsync))
        })
    }

    fn toolboxes(&self) -> Vec<String> {
        let configured = self.servers.views().into_iter().map(|view| view.toolbox);
        let mut names: BTreeSet<String> = configured.collect();
        names.insert(OWN_TOOLBOX.to_owned());
        // One that has nothing to serve is none.
        names.retain(|name| self.gateway.service(&Endpoint::Toolbox(name.clone())).is_some());
        names.into_iter().collect()
    }

    fn counts(&self) -> Counts {
        let front = self.fronts.counts();
        let mut servers: BTreeMap<String, usize> = BTreeMap::new();
        for view in self.servers.views() {
            *servers.entry(view.state.to_string()).or_default() += 1;
        }
        Counts {
            sessions: front.sessions,
            parked_calls: front.parked_calls,
            dropped_notifications: front.dropped_notifications,
            calls_in_flight: self.executor.running(),
            servers,
            tools: self.gateway.offered_tools(),
            journal: self.ledger.as_ref().map(|ledger| ledger.health()),
            refuses_calls: self.ledger.as_ref().is_some_and(|ledger| ledger.refuses_calls()),
        }
    }

    fn close(&self) {
        self.fronts.close();
    }

    fn give_up(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.servers.stop())
    }
}
