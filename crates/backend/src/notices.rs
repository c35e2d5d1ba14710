//! What somebody should know: a server that went down, a tool that is not what it was, a new suggestion.
//!
//! The last ones are kept for the pages; each is sent once to the webhook of the configuration, when there is one.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use arc_swap::ArcSwap;
use serde::Serialize;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;
use toolwright_base::IgnorePoison;
use toolwright_config::{NotifySettings, SecretText};
use toolwright_ledger::Ledger;
use toolwright_ledger::learn::Status;
use toolwright_toolbox::State;

use crate::servers::Servers;

/// How many are kept.
const KEPT: usize = 100;
/// How often servers and suggestions are looked at.
const LOOK: Duration = Duration::from_secs(2);
/// How long a webhook may take.
const WEBHOOK: Duration = Duration::from_secs(10);
/// The waits before it is tried again.
const AGAIN: [Duration; 2] = [Duration::from_secs(2), Duration::from_secs(10)];

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeKind {
    /// A server does not work.
    ServerDown,
    /// One that did not works again.
    ServerUp,
    /// A tool is not what was agreed to.
    DefinitionChanged,
    /// A tool's definition speaks to the model behind the user's back.
    HiddenInstructions,
    /// Calls have taught a rule.
    NewSuggestion,
}

/// One notice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Notice {
    /// Its number, from 1 on since the start.
    pub number: u64,
    /// When, in microseconds since 1970.
    pub ts: i64,
    /// What happened.
    pub kind: NoticeKind,
    /// The same for people.
    pub text: String,
    /// The page that tells more.
    pub page: &'static str,
}

/// The last notices.
pub struct Notices {
    kept: Mutex<VecDeque<Notice>>,
    newest: watch::Sender<u64>,
    settings: ArcSwap<NotifySettings>,
    /// Why the last notice did not reach the webhook.
    undelivered: Mutex<Option<String>>,
}

impl Default for Notices {
    fn default() -> Notices {
        Notices {
            kept: Mutex::default(),
            newest: watch::channel(0).0,
            settings: ArcSwap::default(),
            undelivered: Mutex::default(),
        }
    }
}

impl Notices {
    /// Sends them elsewhere from now on.
    pub fn set_settings(&self, settings: NotifySettings) {
        self.settings.store(Arc::new(settings));
    }

    /// Tells something.
    pub fn tell(&self, kind: NoticeKind, text: String, page: &'static str) {
        tracing::info!("notice: {text}");
        let mut kept = self.kept();
        let number = *self.newest.borrow() + 1;
        kept.push_back(Notice { number, ts: toolwright_base::unix_micros(), kind, text, page });
        if kept.len() > KEPT {
            kept.pop_front();
        }
        self.newest.send_replace(number);
    }

    /// Those after a number, the oldest first.
    pub fn after(&self, number: u64) -> Vec<Notice> {
        self.kept().iter().filter(|notice| notice.number > number).cloned().collect()
    }

    /// Why the last notice did not reach the webhook; nothing when it did.
    pub fn undelivered(&self) -> Option<String> {
        self.undelivered.lock().ignore_poison().clone()
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Notice>> {
        self.kept.lock().ignore_poison()
    }

    /// Looks after servers and suggestions, and sends what there is to tell, until it is stopped.
    pub async fn run(&self, servers: &Servers, ledger: Option<&Arc<Ledger>>, stop: &CancellationToken) {
        let watching =
            async { tokio::join!(self.watch_servers(servers), self.watch_suggestions(ledger), self.send()) };
        stop.run_until_cancelled(watching).await;
    }

    async fn watch_servers(&self, servers: &Servers) {
        let mut down: HashMap<String, bool> = HashMap::new();
        loop {
            let list = &servers.current().list;
            down.retain(|name, _| list.iter().any(|server| server.name == *name));
            for server in list {
                let seen = server.supervisor.snapshot();
                // What is on its way says nothing yet.
                let is_down = match &seen.state {
                    State::Starting { .. } => continue,
                    State::Backoff { .. } | State::Quarantined => true,
                    State::Ready | State::Degraded { .. } | State::Resting | State::Disabled => false,
                };
                let was_down = down.insert(server.name.clone(), is_down).unwrap_or(false);
                match (was_down, is_down) {
                    (false, true) => {
                        let why = seen.last_failure.as_ref().map(ToString::to_string);
                        let why = why.as_deref().unwrap_or("it does not say why");
                        let text = format!("The server \"{}\" does not work: {why}", server.name);
                        self.tell(NoticeKind::ServerDown, text, "/servers");
                    }
                    (true, false) if !matches!(seen.state, State::Disabled) => {
                        let text = format!("The server \"{}\" works again", server.name);
                        self.tell(NoticeKind::ServerUp, text, "/servers");
                    }
                    _ => {}
                }
            }
            tokio::time::sleep(LOOK).await;
        }
    }

    async fn watch_suggestions(&self, ledger: Option<&Arc<Ledger>>) {
        let Some(ledger) = ledger else { return };
        let mut known: Option<HashSet<String>> = None;
        loop {
            let ledger = Arc::clone(ledger);
            let waiting = tokio::task::spawn_blocking(move || {
                let all = ledger.learning().suggestions();
                all.into_iter()
                    .filter(|suggestion| suggestion.status == Status::Suggested)
                    .collect::<Vec<_>>()
            });
            let Ok(waiting) = waiting.await else { return };
            // What waited before the start is on the page; it is no news.
            let before = known.take().unwrap_or_else(|| waiting.iter().map(|one| one.id.clone()).collect());
            for suggestion in waiting.iter().filter(|suggestion| !before.contains(&suggestion.id)) {
                let text = format!("A new suggestion for {}: {}", suggestion.tool, suggestion.reason);
                self.tell(NoticeKind::NewSuggestion, text, "/errors");
            }
            known = Some(before.into_iter().chain(waiting.into_iter().map(|one| one.id)).collect());
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Sends every notice once, in order. One that nobody takes is said in the log and passed over.
    async fn send(&self) {
        let mut newest = self.newest.subscribe();
        let mut sent = 0;
        let client = reqwest::Client::builder().timeout(WEBHOOK).redirect(reqwest::redirect::Policy::none());
        let client = match client.build() {
            Ok(client) => client,
            Err(error) => return tracing::warn!("notices cannot be sent: {error}"),
        };
        loop {
            for notice in self.after(sent) {
                sent = notice.number;
                if let Some(webhook) = self.settings.load().webhook.clone() {
                    let problem = deliver(&client, &webhook, &notice).await.err();
                    *self.undelivered.lock().ignore_poison() = problem;
                }
            }
            if newest.changed().await.is_err() {
                return;
            }
        }
    }
}

async fn deliver(client: &reqwest::Client, webhook: &SecretText, notice: &Notice) -> Result<(), String> {
    // Chat services show `text`; the rest is for programs.
    let body =
        serde_json::json!({ "text": notice.text, "source": "toolwright", "notice": notice }).to_string();
    let mut problem = String::new();
    for wait in [Duration::ZERO].into_iter().chain(AGAIN) {
        tokio::time::sleep(wait).await;
        let request = client.post(webhook.expose()).header("content-type", "application/json");
        match request.body(body.clone()).send().await {
            Ok(answer) if answer.status().is_success() => return Ok(()),
            Ok(answer) => problem = format!("it answered {}", answer.status()),
            // The address is a secret: it is not shown.
            Err(error) => problem = error.without_url().to_string(),
        }
    }
    tracing::warn!("a notice did not reach the webhook: {problem}");
    Err(problem)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_last_notices_are_kept_and_each_has_its_number() {
        let notices = Notices::default();
        for number in 0..150 {
            notices.tell(NoticeKind::ServerDown, format!("{number}"), "/servers");
        }
        let all = notices.after(0);
        assert_eq!((all.len(), all[0].number, all[99].number), (KEPT, 51, 150));
        assert_eq!(notices.after(149).len(), 1);
        assert!(notices.after(150).is_empty());
    }
}
