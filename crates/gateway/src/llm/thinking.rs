//! Which models of an upstream think: what the upstream says of them, what it refused, and what it took.

use std::time::Duration;

use http::{HeaderMap, Method};
use tokio::time::timeout;
use toolwright_jsonrpc::{Json, ObjectWriter};
use toolwright_llm::{Dialect, Target, Thinks};

use std::sync::Arc;

use super::upstream::{Ask, Upstream};

/// Where Ollama says what a model can do.
const SHOW: &str = "/api/show";
/// How long that may take: without an answer the request itself finds out.
const SHOW_TIMEOUT: Duration = Duration::from_secs(3);
/// What Ollama calls it.
const THINKING: &str = "thinking";

impl Upstream {
    /// What requests for this model are written for, where the model may be asked to think. Ollama is asked once per
    /// model whether it does; whatever goes wrong there leaves it open.
    pub async fn target_that_thinks(&self, model: &str, own_key: &HeaderMap) -> Arc<Target> {
        let target = self.target(model);
        if target.thinks != Thinks::Untried || self.dialect() != Dialect::OllamaChat {
            return target;
        }
        let Ok(Some(shown)) = timeout(SHOW_TIMEOUT, self.show(model, own_key)).await else { return target };
        let Some(thinks) = thinks_by(&shown) else { return target };
        self.learn(model, thinks);
        self.target(model)
    }

    /// What Ollama says of a model; nothing where it does not say.
    pub async fn show(&self, model: &str, own_key: &HeaderMap) -> Option<String> {
        let mut body = ObjectWriter::default();
        body.text("model", model);
        let ask = Ask {
            method: Method::POST,
            path: SHOW,
            query: None,
            headers: HeaderMap::new(),
            own_key,
            body: Some(body.finish().as_str().to_owned()),
        };
        let response = self.send(ask).await.ok().filter(|response| response.status().is_success())?;
        let text = self.whole(response).await.ok()?;
        String::from_utf8(text.to_vec()).ok()
    }
}

/// What the capabilities in an answer of `/api/show` say. Older servers have none.
fn thinks_by(shown: &str) -> Option<Thinks> {
    let capabilities = Json::parse(shown).ok()?.get("capabilities")?.items()?;
    let is_there = capabilities.iter().any(|one| one.to_text().as_deref() == Some(THINKING));
    Some(if is_there { Thinks::Yes } else { Thinks::No })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn capabilities_say_whether_a_model_thinks() {
        assert_eq!(thinks_by(r#"{"capabilities":["completion","thinking"]}"#), Some(Thinks::Yes));
        assert_eq!(thinks_by(r#"{"capabilities":["completion","tools"]}"#), Some(Thinks::No));
        for unknown in
            [r#"{"details":{"family":"thinking"}}"#, r#"{"capabilities":"thinking"}"#, "no JSON", "{}"]
        {
            assert_eq!(thinks_by(unknown), None, "{unknown}");
        }
    }
}
