//! Models that we ask ourselves: the same table, upstreams, keys and records, without a client before us.
//!
//! What is asked and answered is the form of `toolwright-llm`, not bytes of a dialect. Calls in an answer are not mended
//! here: they are for our own executor, which does that by the tools themselves.

use http::{HeaderMap, Method};
use toolwright_llm::exchange::{Fresh, OwnQuestion, Report};
use toolwright_llm::form::{Event, Request, Response};
use toolwright_llm::stream::Gathered;
use toolwright_llm::{Dialect, Failure, Thinks, dialects};

use tokio::time::timeout;

use crate::ask::is_stream;
use crate::record::Exchanged;
use crate::router::Way;
use crate::said::{self, Visit};
use crate::streaming::LAST_BYTES;
use crate::upstream::Ask;
use crate::{LlmFront, headers};

/// One question of ours.
pub struct OwnAsk<'a> {
    /// What is asked; [`Request::model`] says of whom.
    pub request: &'a Request,
    /// Who asks, for records.
    pub client: &'a str,
    /// The way in, for records.
    pub front: &'static str,
    /// The conversation, for records.
    pub session: Option<String>,
}

/// Where a model is asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name of the upstream.
    pub upstream: String,
    /// What it speaks.
    pub dialect: Dialect,
    /// The model, as it is called there.
    pub model: String,
    /// Whether there is a key for it; without one a provider turns us away.
    pub has_key: bool,
}

/// An answer to a question of ours.
#[derive(Clone, Debug)]
pub struct Heard {
    /// What was answered, whole.
    pub response: Response,
    /// Who answered.
    pub place: Place,
}

impl LlmFront {
    /// Where a model is asked first.
    ///
    /// # Errors
    /// When it leads nowhere.
    pub fn place_of(&self, model: &str) -> Result<Place, Failure> {
        let ways = self.router.load().ways(model)?;
        // There is one way at least.
        ways.first().map(place).ok_or_else(|| Failure::invalid("no upstream is configured"))
    }

    /// Asks a model once. `hear` is told what comes, when it comes. The next upstream is asked only while nothing of an
    /// answer was heard. When this is dropped the upstream is cancelled.
    ///
    /// # Errors
    /// When no upstream answered, or one broke off.
    pub async fn ask_for_ourselves(
        &self,
        ask: OwnAsk<'_>,
        hear: &mut (dyn FnMut(&Event) + Send),
    ) -> Result<Heard, Failure> {
        let fresh = said::fresh();
        let router = self.router.load_full();
        let ways = router.ways(&ask.request.model)?;
        let visit = Visit { client: ask.client.to_owned(), ..Visit::default() };
        let dialect = ways.first().map_or(Dialect::OpenAiChat, |way| way.upstream.dialect());
        let mut exchanged =
            Exchanged::new(self, dialect, &visit, &fresh.id, 0).of(ask.front, ask.session.clone());
        exchanged.keeps_bodies = router.keeps_bodies;
        exchanged.asks_for(&ask.request.model, ask.request.is_stream);
        let mut last = Failure::invalid("no upstream is configured");
        for (number, way) in ways.iter().enumerate() {
            if number > 0 {
                let name = way.upstream.name();
                tracing::warn!("an upstream failed; \"{name}\" is asked");
            }
            match self.ask_way(way, &ask, &fresh, &mut exchanged, hear).await {
                Ok(heard) => {
                    exchanged.ends();
                    return Ok(heard);
                }
                Err(Broken { failure, is_worth_another }) => {
                    exchanged.fails(&failure);
                    last = failure;
                    if !is_worth_another {
                        break;
                    }
                }
            }
        }
        exchanged.ends();
        Err(last)
    }

    async fn ask_way(
        &self,
        way: &Way,
        ask: &OwnAsk<'_>,
        fresh: &Fresh,
        exchanged: &mut Exchanged,
        hear: &mut (dyn FnMut(&Event) + Send),
    ) -> Result<Heard, Broken> {
        let upstream = &way.upstream;
        let target = match ask.request.reasoning {
            Some(_) => upstream.target_that_thinks(&way.model, &HeaderMap::new()).await,
            None => upstream.target(&way.model),
        };
        let mut question = OwnQuestion::new(ask.request, &target, fresh)?;
        exchanged.goes_to(way, &question.notes, &question.body);
        let to = upstream.dialect();
        let sent = Ask {
            method: Method::POST,
            path: dialects::of(to).path(),
            query: None,
            headers: headers::for_upstream(to, to, &HeaderMap::new()),
            own_key: &HeaderMap::new(),
            body: Some(std::mem::take(&mut question.body)),
        };
        let mut response = upstream.send(sent).await.map_err(Broken::before)?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            let mut head = std::mem::take(response.headers_mut());
            upstream.hide_in_head(&mut head);
            return Err(Broken::before(upstream.redirects(status, &head)));
        }
        if question.tries_thinking() && response.status().is_success() {
            upstream.learn(&way.model, Thinks::Yes);
        }
        let mut gathered = Gathered::default();
        let mut tell = |events: &mut Vec<Event>, gathered: &mut Gathered, exchanged: &mut Exchanged| {
            for event in events.drain(..) {
                if gathered.is_over() {
                    break;
                }
                gathered.push(&event);
                hear(&event);
            }
            let told = gathered.response();
            exchanged.watches(&Report {
                usage: told.usage,
                stop: told.stop.clone(),
                model: told.model.clone(),
                has_content: gathered.has_content(),
                ..Report::default()
            });
        };
        let comes_in_pieces = ask.request.is_stream
            && response.status().is_success()
            && is_stream(response.headers(), upstream.dialect());
        if comes_in_pieces {
            let mut body = response.into_body();
            let mut stream = question.stream();
            let mut events = Vec::new();
            while !gathered.is_over() {
                match upstream.piece(&mut body).await {
                    Ok(Some(piece)) => {
                        exchanged.answers(&piece);
                        stream.push(&upstream.hide(piece), &mut events);
                    }
                    Ok(None) => stream.end(None, &mut events),
                    Err(failure) => stream.end(Some(failure), &mut events),
                }
                tell(&mut events, &mut gathered, exchanged);
            }
            // A connection that has come to its end can be used again.
            let _ = timeout(LAST_BYTES, body.piece()).await;
        } else {
            let body = upstream.whole(response).await.map_err(Broken::before)?;
            let is_refused = question.is_thinking_refused(status, &body);
            if is_refused && upstream.learn(&way.model, Thinks::No) {
                // At most once: from now on the model is not asked to think.
                return Box::pin(self.ask_way(way, ask, fresh, exchanged, hear)).await;
            }
            exchanged.answers(&body);
            let mut events = question.whole(status, &body)?;
            tell(&mut events, &mut gathered, exchanged);
        }
        let has_content = gathered.has_content();
        match gathered.finish() {
            Ok(response) => Ok(Heard { response, place: place(way) }),
            // Somebody has heard the beginning: another answer would contradict it.
            Err(failure) => Err(Broken { failure, is_worth_another: !has_content }),
        }
    }
}

/// Why an upstream gave no answer.
struct Broken {
    failure: Failure,
    is_worth_another: bool,
}

impl Broken {
    /// Nothing was heard: another may do better.
    fn before(failure: Failure) -> Broken {
        Broken { failure, is_worth_another: true }
    }
}

impl From<Failure> for Broken {
    /// What is wrong with the question is wrong everywhere.
    fn from(failure: Failure) -> Broken {
        let is_worth_another = failure.status >= 500;
        Broken { failure, is_worth_another }
    }
}

fn place(way: &Way) -> Place {
    Place {
        upstream: way.upstream.name().to_owned(),
        dialect: way.upstream.dialect(),
        model: way.model.clone(),
        has_key: way.upstream.has_key(),
    }
}
