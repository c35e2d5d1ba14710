//! Which models can be asked, in the words of each dialect.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderMap, Method, Request, Response};
use serde_json::Value;
use tokio::time::timeout;
use toolwright_llm::models::{self, ModelEntry};
use toolwright_llm::{Dialect, Failure, FailureKind};

use super::said::{self, Visit};
use super::upstream::{Ask, Upstream};
use super::{LlmFront, LlmPath, headers};
use crate::web::InsideBody;

/// How long an upstream may take to tell its models. One that takes longer is left out of the list.
const TELL: Duration = Duration::from_secs(5);
/// The most models that are listed.
const MOST_MODELS: usize = 2_000;

impl LlmFront {
    pub(super) async fn list(
        self: &Arc<LlmFront>,
        path: &LlmPath,
        request: &Request<Bytes>,
        visit: &Visit,
    ) -> Response<InsideBody> {
        let dialect = match request.headers().contains_key("anthropic-version") {
            true => Dialect::AnthropicMessages,
            false => path.dialect(),
        };
        let entries = self.entries(visit).await;
        match path {
            LlmPath::Model(id) => match self.find(&entries, id, visit) {
                Some(entry) if dialect == Dialect::AnthropicMessages => {
                    said::json(200, models::anthropic_model(&entry))
                }
                Some(entry) => said::json(200, models::openai_model(&entry)),
                None => said::failure(dialect, &no_model(id), &said::fresh().id),
            },
            LlmPath::Tags => said::json(200, models::ollama_tags(&entries)),
            _ if dialect == Dialect::AnthropicMessages => said::json(200, models::anthropic_list(&entries)),
            _ => said::json(200, models::openai_list(&entries)),
        }
    }

    /// What Ollama's clients want to know of a model before they use it.
    pub(super) async fn show(
        self: &Arc<LlmFront>,
        request: &Request<Bytes>,
        visit: &Visit,
    ) -> Response<InsideBody> {
        let asked: Value = serde_json::from_slice(request.body()).unwrap_or_default();
        let id = asked.get("model").or(asked.get("name")).and_then(Value::as_str).unwrap_or_default();
        match self.find(&[], id, visit) {
            Some(entry) => said::json(200, models::ollama_show(&entry)),
            None => said::failure(Dialect::OllamaChat, &no_model(id), &said::fresh().id),
        }
    }

    /// One that is listed, or one that would be asked all the same.
    fn find(&self, entries: &[ModelEntry], id: &str, visit: &Visit) -> Option<ModelEntry> {
        let listed = entries.iter().find(|entry| entry.id == id).cloned();
        listed.or_else(|| {
            let ways = self.router.load().ways(id).ok().filter(|_| visit.may_ask(id) && !id.is_empty())?;
            let owned_by = ways.first()?.upstream.name().to_owned();
            Some(ModelEntry { id: id.to_owned(), owned_by, ..ModelEntry::default() })
        })
    }

    /// Models that are named in the table, and those of the upstreams that lead to themselves.
    async fn entries(&self, visit: &Visit) -> Vec<ModelEntry> {
        let router = self.router.load_full();
        let mut entries: Vec<ModelEntry> = Vec::new();
        for id in router.named_models() {
            let Ok(ways) = router.ways(&id) else { continue };
            let owned_by = ways.first().map(|way| way.upstream.name().to_owned()).unwrap_or_default();
            entries.push(ModelEntry { id, owned_by, ..ModelEntry::default() });
        }
        let told = router.upstreams().map(|upstream| async move {
            let models = timeout(TELL, upstream.models(&visit.own_key)).await;
            (upstream, models.ok().and_then(Result::ok).unwrap_or_default())
        });
        for (upstream, models) in join_all(told).await {
            for (id, created) in models {
                let leads_there = router.ways(&id).is_ok_and(|ways| {
                    ways.first().is_some_and(|way| Arc::ptr_eq(&way.upstream, upstream) && way.model == id)
                });
                if leads_there && !entries.iter().any(|entry| entry.id == id) {
                    let owned_by = upstream.name().to_owned();
                    entries.push(ModelEntry { id, created, owned_by, ..ModelEntry::default() });
                }
            }
        }
        entries.retain(|entry| visit.may_ask(&entry.id));
        entries.truncate(MOST_MODELS);
        entries
    }
}

impl Upstream {
    /// The models that it says it has, with the time of each where it tells one.
    pub async fn models(&self, own_key: &HeaderMap) -> Result<Vec<(String, Option<u64>)>, Failure> {
        let path = if self.dialect() == Dialect::OllamaChat { "/api/tags" } else { "/v1/models" };
        let headers = headers::for_upstream(self.dialect(), self.dialect(), &HeaderMap::new());
        let response =
            self.send(Ask { method: Method::GET, path, query: None, headers, own_key, body: None }).await?;
        let status = response.status().as_u16();
        if response.status().is_redirection() {
            return Err(self.redirects(status, response.headers()));
        }
        let body = self.whole(response).await?;
        if !(200..300).contains(&status) {
            let text = String::from_utf8_lossy(&body);
            return Err(toolwright_llm::dialects::read_error(self.dialect(), status, &text));
        }
        let told: Value = serde_json::from_slice(&body).map_err(|error| {
            let what = format!("the list of models of upstream \"{}\" is no JSON: {error}", self.name());
            Failure::new(FailureKind::Api, what).with_status(502)
        })?;
        let list = told.get("data").or(told.get("models")).and_then(Value::as_array);
        let list = list.ok_or_else(|| {
            let what = format!(
                "what upstream \"{}\" answers is no list of models; check its url and its kind",
                self.name()
            );
            Failure::new(FailureKind::Api, what).with_status(502)
        })?;
        let named = list.iter().filter_map(|model| {
            let id = ["id", "model", "name"].iter().find_map(|key| model.get(key)?.as_str())?;
            Some((id.to_owned(), model.get("created").and_then(Value::as_u64)))
        });
        Ok(named.take(MOST_MODELS).collect())
    }
}

fn no_model(id: &str) -> Failure {
    let what = format!("there is no model \"{id}\" here; /v1/models lists those that can be asked");
    Failure::new(FailureKind::NotFound, what).about("model")
}
