//! SearXNG: `GET /search?q=…&format=json`.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::provider::{SearchError, SearchHit, SearchProvider, SearchResults};
use super::request::{Http, list, string};
use super::text;

pub(super) struct SearxNg {
    pub http: Http,
}

impl SearchProvider for SearxNg {
    fn name(&self) -> &'static str {
        "SearXNG"
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<SearchResults, SearchError>> {
        async move {
            let request = self.http.get()?.query(&[("q", query), ("format", "json")]);
            let answer = self.http.json(request, |_| None).await.map_err(explain)?;
            let hits = list(&answer, "/results")?.iter().take(count).map(|hit| SearchHit {
                title: string(hit, "title"),
                url: string(hit, "url"),
                snippet: string(hit, "content"),
            });
            Ok(SearchResults { answer: direct(&answer), hits: hits.collect() })
        }
        .boxed()
    }
}

/// Servers come with the JSON format switched off and then say 403 with a page.
fn explain(error: SearchError) -> SearchError {
    match error {
        SearchError::Denied { status: 403, .. } => SearchError::Denied {
            status: 403,
            detail: ": add json to search.formats in the server's settings.yml".to_owned(),
        },
        other => other,
    }
}

/// Answers are strings, or objects in newer versions.
fn direct(answer: &Value) -> Option<String> {
    let first = answer["answers"].get(0)?;
    let said = text::plain(first.as_str().or_else(|| first["answer"].as_str())?);
    (!said.is_empty()).then_some(said)
}
