//! Which models of an upstream think: what the upstream says of them, what it refused, and what it took.

use std::time::Duration;

use http::{HeaderMap, Method};
use tokio::time::timeout;
use toolwright_llm::{Target, Thinks, dialects};

use std::sync::Arc;

use crate::upstream::{Ask, Upstream};

/// How long an upstream may take to say what a model can do: without an answer the request itself finds out.
const SHOW_TIMEOUT: Duration = Duration::from_secs(3);

impl Upstream {
    /// What requests for this model are written for, where the model may be asked to think. An upstream
    /// that has pages of its models is asked once per model whether it does; whatever goes wrong there leaves it open.
    pub async fn target_that_thinks(&self, model: &str, own_key: &HeaderMap) -> Arc<Target> {
        let target = self.target(model);
        let Some(page) =
            dialects::of(self.dialect()).model_page().filter(|_| target.thinks == Thinks::Untried)
        else {
            return target;
        };
        let Ok(Some(shown)) = timeout(SHOW_TIMEOUT, self.show(model, own_key)).await else { return target };
        let Some(thinks) = (page.read_thinks)(&shown) else { return target };
        self.learn(model, thinks);
        self.target(model)
    }

    /// What the upstream's page of a model says; nothing where there is none.
    pub async fn show(&self, model: &str, own_key: &HeaderMap) -> Option<String> {
        let page = dialects::of(self.dialect()).model_page()?;
        let ask = Ask {
            method: Method::POST,
            path: page.path,
            query: None,
            headers: HeaderMap::new(),
            own_key,
            body: Some((page.write_request)(model)),
        };
        let response = self.send(ask).await.ok().filter(|response| response.status().is_success())?;
        let text = self.whole(response).await.ok()?;
        String::from_utf8(text.to_vec()).ok()
    }
}
