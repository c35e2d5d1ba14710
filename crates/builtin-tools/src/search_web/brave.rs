//! Brave Search: `GET /res/v1/web/search` with the token in a header.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::provider::{ApiKey, SearchError, SearchHit, SearchProvider, SearchResults};
use super::request::{Http, list, string};

pub(super) const URL: &str = "https://api.search.brave.com/res/v1/web/search";

/// The most results that one request may ask for.
const MAX_COUNT: usize = 20;

pub(super) struct Brave {
    pub http: Http,
    pub api_key: ApiKey,
}

impl SearchProvider for Brave {
    fn name(&self) -> &'static str {
        "Brave Search"
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<SearchResults, SearchError>> {
        async move {
            let wanted = count.clamp(1, MAX_COUNT).to_string();
            let request = self
                .http
                .get()?
                .query(&[("q", query), ("count", &wanted)])
                .header("x-subscription-token", self.api_key.secret());
            let answer = self.http.json(request, |said| said.pointer("/error/detail")?.as_str()).await?;
            let hits = list(&answer, "/web/results")?.iter().take(count).map(|hit| SearchHit {
                title: string(hit, "title"),
                url: string(hit, "url"),
                snippet: string(hit, "description"),
            });
            Ok(SearchResults { answer: None, hits: hits.collect() })
        }
        .boxed()
    }
}
