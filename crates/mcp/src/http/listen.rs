//! The stream on which a legacy server speaks by itself, kept open.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::exchange::Place;
use super::streamable::Streamable;
use super::web::{EVENT_STREAM, Reply, SendError, content_type, read_event};

/// How often in a row nobody may be reached before the server counts as gone.
const MAX_UNREACHED: u32 = 5;
/// A stream that lasted so long did not fail.
const LASTING: Duration = Duration::from_secs(5);

impl Streamable {
    /// Listens for as long as there is a session to listen to, and again when it is begun anew.
    pub async fn listen_always(self: Arc<Self>) {
        let mut confirmed = self.session.confirmations();
        loop {
            let Ok(number) = confirmed.wait_for(|number| *number > 0).await.map(|number| *number) else {
                return;
            };
            tokio::select! {
                () = self.listen_to_session() => {}
                _ = confirmed.wait_for(|confirmed| *confirmed != number) => continue,
            }
            // The server offers no such stream, until it is another one.
            if confirmed.wait_for(|confirmed| *confirmed != number).await.is_err() {
                return;
            }
        }
    }

    /// Ends when the server does not offer its stream.
    async fn listen_to_session(&self) {
        let mut place = Place::default();
        let mut unreached = 0;
        let mut failures = 0;
        loop {
            let reply = self.listen(place.last_id.as_deref()).await;
            self.listened.notify_one();
            match reply {
                Ok(Reply::Accepted(response)) if content_type(&response) == EVENT_STREAM => {
                    unreached = 0;
                    let mut stream = self.web.events(response);
                    failures += 1;
                    let begin = Instant::now();
                    while let Some(event) = stream.next().await {
                        failures = 0;
                        place.note(&event);
                        if event.is_message() {
                            self.hear(read_event(&event), None).await;
                        }
                    }
                    // Something on the way ends every stream that is silent for long.
                    if begin.elapsed() > LASTING {
                        failures = 0;
                    }
                }
                Ok(Reply::Accepted(_)) => return,
                Ok(Reply::Refused(refusal)) if refusal.status >= 500 => failures += 1,
                Ok(Reply::Refused(refusal)) => {
                    tracing::debug!(place = %self.web.place(), status = refusal.status, "no stream of its own");
                    return;
                }
                Err(SendError::Unreachable(reason)) => {
                    unreached += 1;
                    failures += 1;
                    if unreached == MAX_UNREACHED {
                        return self.lose(reason);
                    }
                }
                Err(SendError::Failed(error)) => {
                    tracing::debug!(%error, "no stream of its own");
                    failures += 1;
                }
            }
            sleep(place.wait(failures)).await;
        }
    }
}
