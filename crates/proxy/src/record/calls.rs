//! What is written down of the calls in an exchange.

use toolwright_ledger::{
    Change, Exchange, Failure as Failed, Ledger, Reached, Record, Stages, recorded_part,
};
use toolwright_llm::calls::CallReport;
use toolwright_model::Outcome;

use super::Exchanged;

/// How much of a tool's name is written down: a model may write any text for one.
const MOST_NAME: usize = 256;
/// How many warnings one answer leaves in the log: every call is in the journal.
const MOST_WARNINGS: usize = 8;
/// The codes of refused calls, as those of calls to servers.
const UNKNOWN_TOOL: &str = "unknown_tool";
const INVALID: &str = "invalid_arguments";

impl Exchanged {
    /// Warns of calls of tools that the request does not have: the client alone sees what comes of them.
    pub(super) fn warn_of_unknown_tools(&self, exchange: &Exchange) {
        let unknown = self.report.calls.iter().filter_map(|call| Some((call, call.unknown_tool.as_ref()?)));
        for (call, why) in unknown.take(MOST_WARNINGS) {
            let (client, upstream, model) = (&self.client, &exchange.upstream, &exchange.model);
            let tool = name_of(call);
            tracing::warn!(tool, client, upstream, model, "a model called an unknown tool: {why}");
        }
    }

    /// A call in an answer, or in the history. The client runs it, so nobody here knows what came of it. What was
    /// right in a history is no news.
    pub(super) fn write_call(
        &self,
        ledger: &Ledger,
        call: &CallReport,
        number: usize,
        session: &str,
        upstream: &str,
    ) {
        if number < self.history.len() && !call.is_changed() {
            return;
        }
        let sent = ledger.hide(recorded_part(&call.sent));
        let (normalized, changes, error) = match &call.outcome {
            Outcome::Unchanged => (Default::default(), Vec::new(), None),
            Outcome::Repaired { arguments, changes } => {
                (ledger.hide(recorded_part(arguments)), changes.iter().map(Change::from).collect(), None)
            }
            Outcome::Refused { problems, .. } => {
                let message: Vec<&str> = problems.iter().map(|problem| problem.message.as_str()).collect();
                let failed = Failed {
                    code: if call.unknown_tool.is_some() { UNKNOWN_TOOL } else { INVALID }.to_owned(),
                    message: message.join("; "),
                    parameters: problems.iter().map(|problem| problem.path.clone()).collect(),
                    is_from_tool: false,
                };
                (Default::default(), Vec::new(), Some(failed))
            }
        };
        let renamed: Vec<Change> = call.name_change.iter().map(Change::from).collect();
        let protocol = if error.is_some() { Reached::Failed } else { Reached::Passed };
        let record = Record {
            ts: self.ts,
            call: format!("{}-{number}", self.id),
            client: Some(self.client.clone()),
            session: Some(session.to_owned()),
            front: self.front.to_owned(),
            server: Some(upstream.to_owned()),
            tool: name_of(call).to_owned(),
            changes: renamed.into_iter().chain(changes).collect(),
            stages: Stages { transport: Reached::Passed, protocol, tool: Reached::NotReached },
            error,
            bytes_in: call.sent.len() as u64,
            ..Record::default()
        };
        let _ = ledger.end(record, sent, normalized);
    }
}

/// The name of a call's tool, as far as it is written down.
fn name_of(call: &CallReport) -> &str {
    &call.name[..call.name.floor_char_boundary(MOST_NAME)]
}
