//! Which models can be asked, in the words of each dialect.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::join_all;
use http::{HeaderMap, Method, Request, Response};
use tokio::time::timeout;
use toolwright_jsonrpc::Json;
use toolwright_llm::dialects::{self, DialectModule};
use toolwright_llm::models::ModelEntry;
use toolwright_llm::{Dialect, Failure, FailureKind};

use crate::ProxyBody;
use crate::router::Way;
use crate::said::{self, Visit};
use crate::upstream::{Ask, Upstream};
use crate::{LlmFront, LlmPath, headers};

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
    ) -> Response<ProxyBody> {
        let (dialect, module) = dialect_of_list(path, request);
        let entries = self.entries(visit).await;
        match path {
            LlmPath::Model(_, id) => match self.find(&entries, id, visit).await {
                Some(entry) => said::json(200, module.write_model(&entry)),
                None => said::failure(dialect, &no_model(id), &said::fresh().id),
            },
            _ => said::json(200, module.write_models(&entries)),
        }
    }

    /// What clients want to know of a model before they use it, where their dialect has a page for that.
    pub(super) async fn show(
        self: &Arc<LlmFront>,
        dialect: Dialect,
        request: &Request<Bytes>,
        visit: &Visit,
    ) -> Response<ProxyBody> {
        let page = dialects::of(dialect).model_page();
        let id = page.map(|page| (page.read_request)(request.body())).unwrap_or_default();
        let (Some(page), Some(way)) = (page, self.way(&id, visit)) else {
            return said::failure(dialect, &no_model(&id), &said::fresh().id);
        };
        // An upstream that has such pages knows more of its models than any list says.
        if way.upstream.dialect() == dialect
            && let Ok(Some(shown)) = timeout(TELL, way.upstream.show(&way.model, &visit.own_key)).await
        {
            return said::json(200, shown);
        }
        said::json(200, (page.write)(&told(&way, &id, visit).await))
    }

    /// One that is listed, or one that would be asked all the same.
    async fn find(&self, entries: &[ModelEntry], id: &str, visit: &Visit) -> Option<ModelEntry> {
        match entries.iter().find(|entry| entry.id == id) {
            Some(listed) => Some(listed.clone()),
            None => Some(told(&self.way(id, visit)?, id, visit).await),
        }
    }

    /// Where a model is asked first, for who may ask it.
    fn way(&self, id: &str, visit: &Visit) -> Option<Way> {
        let ways = self.router.load().ways(id).ok().filter(|_| visit.may_ask(id) && !id.is_empty())?;
        ways.into_iter().next()
    }

    /// Models that are named in the table, and those of the upstreams that lead to themselves.
    async fn entries(&self, visit: &Visit) -> Vec<ModelEntry> {
        let router = self.router.load_full();
        let told = router.upstreams().map(|upstream| async move {
            let models = timeout(TELL, upstream.models(&visit.own_key)).await;
            (upstream, models.ok().and_then(Result::ok).unwrap_or_default())
        });
        let told = join_all(told).await;
        let mut entries: Vec<ModelEntry> = Vec::new();
        for id in router.named_models() {
            let Some(way) = router.ways(&id).ok().and_then(|ways| ways.into_iter().next()) else { continue };
            let of_way = told.iter().find(|(upstream, _)| Arc::ptr_eq(&way.upstream, upstream));
            let known = of_way.and_then(|(_, models)| models.iter().find(|model| model.id == way.model));
            entries.push(known.cloned().unwrap_or_else(|| bare(&way)).named(&id));
        }
        let mut known: HashSet<String> = entries.iter().map(|entry| entry.id.clone()).collect();
        for (upstream, models) in told {
            for model in models {
                let leads_there = router.ways(&model.id).is_ok_and(|ways| {
                    let way = ways.first();
                    way.is_some_and(|way| Arc::ptr_eq(&way.upstream, upstream) && way.model == model.id)
                });
                if leads_there && known.insert(model.id.clone()) {
                    entries.push(model);
                }
            }
        }
        entries.retain(|entry| visit.may_ask(&entry.id));
        entries.truncate(MOST_MODELS);
        entries
    }
}

impl Upstream {
    /// The models that it says it has, with what it says of them.
    pub async fn models(&self, own_key: &HeaderMap) -> Result<Vec<ModelEntry>, Failure> {
        let path = dialects::of(self.dialect()).models_path();
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
            return Err(dialects::of(self.dialect()).read_error(status, &text));
        }
        let told = String::from_utf8_lossy(&body);
        let told = Json::parse(&told).map_err(|error| {
            let what = format!("the list of models of upstream \"{}\" is no JSON: {error}", self.name());
            Failure::new(FailureKind::Api, what).with_status(502)
        })?;
        let list = told.get("data").or_else(|| told.get("models")).and_then(|list| list.items());
        let list = list.ok_or_else(|| {
            let what = format!(
                "what upstream \"{}\" answers is no list of models; check its url and its kind",
                self.name()
            );
            Failure::new(FailureKind::Api, what).with_status(502)
        })?;
        let named = list.iter().filter_map(|model| ModelEntry::read(model, self.name()));
        Ok(named.take(MOST_MODELS).collect())
    }
}

/// The dialect of a client that asks for models: by its own header where several dialects have the path.
fn dialect_of_list(path: &LlmPath, request: &Request<Bytes>) -> (Dialect, &'static dyn DialectModule) {
    let is_meant = |module: &dyn DialectModule| {
        let is_there = |name: &str| request.headers().contains_key(name);
        request.uri().path().starts_with(module.models_path())
            && module.distinguishing_header().is_some_and(is_there)
    };
    let meant = dialects::all().find(|(_, module)| is_meant(*module));
    meant.unwrap_or_else(|| (path.dialect(), dialects::of(path.dialect())))
}

/// What the upstream says of a model that its list may have under another name.
async fn told(way: &Way, id: &str, visit: &Visit) -> ModelEntry {
    let models = timeout(TELL, way.upstream.models(&visit.own_key)).await;
    let models = models.ok().and_then(Result::ok).unwrap_or_default();
    let known = models.into_iter().find(|model| model.id == way.model);
    known.unwrap_or_else(|| bare(way)).named(id)
}

/// A model of which nothing is known but who has it.
fn bare(way: &Way) -> ModelEntry {
    ModelEntry { owned_by: way.upstream.name().to_owned(), ..ModelEntry::default() }
}

fn no_model(id: &str) -> Failure {
    let what = format!("there is no model \"{id}\" here; /v1/models lists those that can be asked");
    Failure::new(FailureKind::NotFound, what).about("model")
}
