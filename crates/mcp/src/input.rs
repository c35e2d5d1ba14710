//! What a modern server asks back before it answers: the questions go to the host, and the request is
//! sent again with the answers.

use std::time::Duration;

use tokio::time::sleep;
use toolwright_base::off_async;
use toolwright_jsonrpc::{Id, Json, Request};

use crate::{Host, Peer, RequestError, RequestOptions};

/// The requests that a server may answer with questions.
const ASKABLE: &[&str] = &["tools/call", "resources/read", "prompts/get"];
/// How often one request is answered with questions: a server that always has another one gets none.
const MAX_ROUNDS: u32 = 16;
/// The wait before a request is sent again to a server that asked nothing; it grows with every round.
const NOTHING_ASKED: Duration = Duration::from_millis(100);

/// The kind of a result; a server that says nothing means `complete`.
pub fn result_type(result: &Json) -> String {
    off_async(result.as_str().len(), || result.get_text("resultType"))
        .unwrap_or_else(|| "complete".to_owned())
}

/// Whether the server wants to know something before it answers.
pub(crate) fn is_asked_for(method: &str, result: &Json) -> bool {
    ASKABLE.contains(&method) && result_type(result) == "input_required"
}

/// Answers the server's questions until it answers the request.
pub(crate) async fn provide(
    peer: &Peer,
    method: &str,
    params: Option<Json>,
    mut result: Json,
    options: &RequestOptions,
) -> Result<Json, RequestError> {
    let params = params.unwrap_or_else(Json::empty_object);
    for round in 1..=MAX_ROUNDS {
        let (questions, state) = (result.get("inputRequests"), result.get("requestState"));
        if questions.is_none() && state.is_none() {
            return Err(RequestError::misshapen());
        }
        let mut again = params.without("inputResponses").without("requestState");
        match questions {
            Some(questions) => {
                let host = options.host.as_deref().unwrap_or_else(|| peer.connection().host());
                again = again.with("inputResponses", &answers(host, &questions).await?);
            }
            None => sleep(NOTHING_ASKED * round).await,
        }
        if let Some(state) = state {
            again = again.with("requestState", &state);
        }
        result = peer.ask(method, Some(again), options).await?;
        if !is_asked_for(method, &result) {
            return Ok(result);
        }
    }
    Err(RequestError::AsksWithoutEnd(MAX_ROUNDS))
}

/// The host's answers, each under the key of its question.
async fn answers(host: &dyn Host, questions: &Json) -> Result<Json, RequestError> {
    let mut answers = Json::empty_object();
    for question in questions.members().ok_or(RequestError::misshapen())? {
        let key = question.key.into_owned();
        let asked = Json::parse(question.value).ok();
        let method = asked.as_ref().and_then(|asked| asked.get_text("method"));
        let (Some(asked), Some(method)) = (asked, method) else {
            return Err(RequestError::misshapen());
        };
        // What else stands beside the question is told with it.
        let members = asked.members().unwrap_or_default();
        let extra = members
            .into_iter()
            .filter(|member| !matches!(&*member.key, "method" | "params"))
            .filter_map(|member| Some((member.key.into_owned(), Json::parse(member.value).ok()?)))
            .collect();
        let Some(id) = Id::from_json(Json::text(&key)) else { continue };
        let request = Request { id, method: method.clone(), params: asked.get("params"), extra };
        let answer = host.request(request).await;
        let answer = answer.map_err(|error| RequestError::NotProvided { method, reason: error.message })?;
        answers = answers.with(&key, &answer);
    }
    Ok(answers)
}
