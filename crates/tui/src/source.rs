//! What is told of a gateway, by its own HTTP: how it is doing, its calls as they end, its suggestions; and decisions.
//!
//! A gateway that goes away is looked for again, with growing waits, and calls go on behind the last one that was heard
//! of. Nothing is kept for a page that draws slowly but one short queue: then we read slowly too, and no call of the
//! gateway waits for us.

mod calls;
mod http;

use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::{Notify, mpsc};
use tokio::time::{Instant, sleep, timeout};

use crate::Clean;
use crate::state::{Decision, News};
use crate::told::{Status, Suggestion, numbers};

use http::Http;

/// How often the gateway is asked how it is doing.
const STATUS_EVERY: Duration = Duration::from_secs(2);
/// How often its numbers are asked for.
const NUMBERS_EVERY: Duration = Duration::from_secs(5);
/// How often its suggestions are asked for when nothing says that there are others.
const SUGGESTIONS_EVERY: Duration = Duration::from_secs(10);
/// How long is waited before a gateway that went away is looked for: at first, and at most.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Where a gateway is, and what opens it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Its address, such as `http://127.0.0.1:8484`.
    pub url: String,
    /// Its token; empty for none.
    pub token: String,
}

/// Why a gateway does not tell.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Lost {
    /// Nobody listens.
    #[error("nothing listens at {0}")]
    NobodyThere(String),
    /// It ends the connection without an answer, or says what is no HTTP.
    #[error("{0} broke the connection off")]
    BrokeOff(String),
    /// It does not take the token.
    #[error("it does not take the token of this install")]
    NotLetIn,
    /// It takes too long.
    #[error("it does not answer in time")]
    Silent,
    /// It says no.
    #[error("{0}")]
    Refused(String),
    /// It is no gateway.
    #[error("what listens at {0} does not answer as a gateway does")]
    NotUnderstood(String),
}

/// Finds the gateway; asked anew whenever it went away, for it may come back elsewhere.
pub type Find = Arc<dyn Fn() -> Finding + Send + Sync>;
/// What [`Find`] gives.
pub type Finding = Pin<Box<dyn Future<Output = Result<Place, Lost>> + Send>>;

/// A decision that somebody confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decided {
    /// The suggestion.
    pub id: Clean,
    /// What was decided.
    pub decision: Decision,
}

/// Tells of a gateway until nobody listens any more. `by` is who decides.
pub async fn watch(find: Find, by: String, news: mpsc::Sender<News>, decisions: mpsc::Receiver<Decided>) {
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
    decisions: mpsc::Receiver<Decided>,
    /// The last event of the feed.
    resume: Option<String>,
}

/// That something should be asked for at once.
#[derive(Default)]
struct Hurry {
    status: Notify,
    suggestions: std::sync::atomic::AtomicBool,
}

impl Watcher {
    /// One gateway, until it does not answer.
    async fn session(&mut self, place: &Place) -> Lost {
        let http = match Http::new(place) {
            Ok(http) => http,
            Err(lost) => return lost,
        };
        let hurry = Hurry::default();
        let (news, by) = (&self.news, self.by.as_str());
        tokio::select! {
            lost = states(&http, news, &hurry) => lost,
            () = calls::follow(&http, news, &hurry.status, &mut self.resume) => Lost::Silent,
            () = decide(&http, by, news, &mut self.decisions, &hurry) => Lost::Silent,
        }
    }

    /// Waits. What is decided meanwhile is not done later: who decided it has seen that nobody was there.
    async fn rest(&mut self, wait: Duration) {
        let nobody = async {
            while self.decisions.recv().await.is_some() {
                let said = Clean::new("the gateway is away: nothing was decided");
                let _ = self.news.send(News::Decided(said)).await;
            }
            std::future::pending::<()>().await;
        };
        let _ = timeout(wait, nobody).await;
    }
}

/// How it is doing, again and again, and what else is looked at from time to time.
async fn states(http: &Http, news: &mpsc::Sender<News>, hurry: &Hurry) -> Lost {
    let mut known_waiting = None;
    let (mut numbers_at, mut suggestions_at) = (None::<Instant>, None::<Instant>);
    let is_due = |at: Option<Instant>, every| at.is_none_or(|at| at.elapsed() >= every);
    loop {
        let status: Status = match http.json("/api/status").await {
            Ok(status) => status,
            Err(lost) => return lost,
        };
        // What says nothing of how it is doing is somebody else.
        if status.status.is_empty() {
            return http.not_understood();
        }
        let waiting = status.suggestions;
        if news.send(News::Status(Box::new(status))).await.is_err() {
            return Lost::Silent;
        }
        if is_due(numbers_at, NUMBERS_EVERY) {
            numbers_at = Some(Instant::now());
            // Where nothing is written down nothing is counted.
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
                && let Ok(suggestions) = Suggestion::read_all(&text)
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

/// Carries out what somebody confirmed.
async fn decide(
    http: &Http,
    by: &str,
    news: &mpsc::Sender<News>,
    decisions: &mut mpsc::Receiver<Decided>,
    hurry: &Hurry,
) {
    while let Some(Decided { id, decision }) = decisions.recv().await {
        let path = format!("/api/suggestions/{}/{}", http::segment(id.as_str()), decision.word());
        let said = match (http.post(&path, &json!({ "by": by })).await, decision) {
            (Ok(()), Decision::Accept) => format!("accepted: {id} is in force now"),
            (Ok(()), Decision::Dismiss) => format!("dismissed: {id}"),
            (Err(lost), _) => format!("not decided: {lost}"),
        };
        let _ = news.send(News::Decided(Clean::new(&said))).await;
        hurry.suggestions.store(true, std::sync::atomic::Ordering::Relaxed);
        hurry.status.notify_one();
    }
    std::future::pending().await
}
