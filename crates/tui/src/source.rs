//! The API client: status, calls as they end, suggestions; and decisions.
//!
//! It reconnects to a lost gateway with backoff, and the call feed resumes after the last received event.
//! If the page draws slowly, only one short queue fills up: then the client reads more slowly, and no call
//! of the gateway waits for it.

mod calls;
mod http;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep, timeout};

use crate::Clean;
use crate::api_types::{ApiStatus, ApiSuggestion, numbers};
use crate::state::{News, SuggestionDecision};

use http::GatewayClient;

/// The interval of status requests.
const STATUS_EVERY: Duration = Duration::from_secs(2);
/// The interval of statistics requests.
const NUMBERS_EVERY: Duration = Duration::from_secs(5);
/// The interval of suggestion requests without a change.
const SUGGESTIONS_EVERY: Duration = Duration::from_secs(10);
/// The backoff before reconnecting: initial and maximum.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// The address of a gateway, and its token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address, such as `http://127.0.0.1:8484`.
    pub url: String,
    /// The token; empty for none.
    pub token: String,
}

/// Why a gateway cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// No program listens there.
    #[error("nothing listens at {0}")]
    NobodyThere(String),
    /// The connection was closed without a response, or the response is not HTTP.
    #[error("{0} broke the connection off")]
    BrokeOff(String),
    /// The gateway rejects the token.
    #[error("it does not take the token of this install")]
    NotLetIn,
    /// The request timed out.
    #[error("it does not answer in time")]
    Silent,
    /// The gateway refused the request.
    #[error("{0}")]
    Refused(String),
    /// The program that listens there is not a gateway.
    #[error("what listens at {0} does not answer as a gateway does")]
    NotUnderstood(String),
}

/// Finds the gateway; called before every connection, because the address may change.
pub type Find = Arc<dyn Fn() -> Finding + Send + Sync>;
/// The future of [`Find`].
pub type Finding = Pin<Box<dyn Future<Output = Result<Place, Lost>> + Send>>;

/// A confirmed decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfirmedDecision {
    /// The suggestion.
    pub id: Clean,
    /// The decision.
    pub decision: SuggestionDecision,
}

/// Sends news of a gateway until the receiver is dropped. `by` is the user who decides.
pub async fn watch(
    find: Find,
    by: String,
    news: mpsc::Sender<News>,
    decisions: mpsc::Receiver<ConfirmedDecision>,
) {
    let mut watcher = Watcher { by, news, decisions, resume: None };
    let mut wait = FIRST_WAIT;
    while !watcher.news.is_closed() {
        let begun = Instant::now();
        let lost = match find().await {
            Ok(place) => watcher.session(&place).await,
            Err(lost) => lost,
        };
        if watcher.news.send(News::Away(Clean::new(&lost.to_string()))).await.is_err() {
            return;
        }
        if begun.elapsed() > LONGEST_WAIT {
            wait = FIRST_WAIT;
        }
        watcher.rest(wait).await;
        wait = (wait * 2).min(LONGEST_WAIT);
    }
}

struct Watcher {
    by: String,
    news: mpsc::Sender<News>,
    decisions: mpsc::Receiver<ConfirmedDecision>,
    /// The id of the last event of the feed.
    resume: Option<String>,
}

/// Requests for an immediate refresh.
#[derive(Default)]
struct RefreshRequests {
    status: Notify,
    suggestions: std::sync::atomic::AtomicBool,
}

impl Watcher {
    /// Reads one gateway until it fails.
    async fn session(&mut self, place: &Place) -> Lost {
        let http = match GatewayClient::new(place) {
            Ok(http) => http,
            Err(lost) => return lost,
        };
        let hurry = RefreshRequests::default();
        let (news, by) = (&self.news, self.by.as_str());
        tokio::select! {
            lost = states(&http, news, &hurry) => lost,
            () = calls::follow(&http, news, &hurry.status, &mut self.resume) => Lost::Silent,
            () = decide(&http, by, news, &mut self.decisions, &hurry) => Lost::Silent,
        }
    }

    /// Waits. Decisions made in the meantime are rejected, not queued: the user has seen that the gateway
    /// is away.
    async fn rest(&mut self, wait: Duration) {
        let reject = async {
            while self.decisions.recv().await.is_some() {
                let message = Clean::new("the gateway is away: nothing was decided");
                let _ = self.news.send(News::Decided(message)).await;
            }
            std::future::pending::<()>().await;
        };
        let _ = timeout(wait, reject).await;
    }
}

/// Polls the status, and less often the statistics and the suggestions.
async fn states(http: &GatewayClient, news: &mpsc::Sender<News>, hurry: &RefreshRequests) -> Lost {
    let mut known_waiting = None;
    let (mut numbers_at, mut suggestions_at) = (None::<Instant>, None::<Instant>);
    let is_due = |at: Option<Instant>, every| at.is_none_or(|at| at.elapsed() >= every);
    loop {
        let status: ApiStatus = match http.json("/api/status").await {
            Ok(status) => status,
            Err(lost) => return lost,
        };
        // A response without a status comes from another program.
        if status.status.is_empty() {
            return http.not_understood();
        }
        let waiting = status.suggestions;
        if news.send(News::Status(Box::new(status))).await.is_err() {
            return Lost::Silent;
        }
        if is_due(numbers_at, NUMBERS_EVERY) {
            numbers_at = Some(Instant::now());
            // Without a journal there are no statistics.
            if let Ok(text) = http.get("/api/stats?hours=1&minutes=1").await
                && let Ok(numbers) = numbers(&text)
            {
                let _ = news.send(News::Numbers(numbers)).await;
            }
        }
        let is_asked = hurry.suggestions.swap(false, std::sync::atomic::Ordering::Relaxed);
        if is_asked || waiting != known_waiting || is_due(suggestions_at, SUGGESTIONS_EVERY) {
            suggestions_at = Some(Instant::now());
            known_waiting = waiting;
            if let Ok(text) = http.get("/api/suggestions").await
                && let Ok(suggestions) = ApiSuggestion::read_all(&text)
            {
                let _ = news.send(News::Suggestions(suggestions)).await;
            }
        }
        tokio::select! {
            () = sleep(STATUS_EVERY) => {}
            () = hurry.status.notified() => {}
        }
    }
}

/// Sends confirmed decisions.
async fn decide(
    http: &GatewayClient,
    by: &str,
    news: &mpsc::Sender<News>,
    decisions: &mut mpsc::Receiver<ConfirmedDecision>,
    hurry: &RefreshRequests,
) {
    while let Some(ConfirmedDecision { id, decision }) = decisions.recv().await {
        let path = format!("/api/suggestions/{}/{}", http::segment(id.as_str()), decision.word());
        let message = match (http.post(&path, &json!({ "by": by })).await, decision) {
            (Ok(()), SuggestionDecision::Accept) => format!("accepted: {id} is in force now"),
            (Ok(()), SuggestionDecision::Dismiss) => format!("dismissed: {id}"),
            (Err(lost), _) => format!("not decided: {lost}"),
        };
        let _ = news.send(News::Decided(Clean::new(&message))).await;
        hurry.suggestions.store(true, std::sync::atomic::Ordering::Relaxed);
        hurry.status.notify_one();
    }
    std::future::pending().await
}
