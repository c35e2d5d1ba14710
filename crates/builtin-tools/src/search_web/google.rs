//! Google Programmable Search: `GET /customsearch/v1`.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;

use super::provider::{ApiKey, SearchError, SearchHit, SearchProvider, SearchResults};
use super::request::{Http, list, string};

pub(super) const URL: &str = "https://www.googleapis.com/customsearch/v1";

/// The most results that one request may ask for.
const MAX_COUNT: usize = 10;

pub(super) struct Google {
    pub http: Http,
    pub api_key: ApiKey,
    pub cx: String,
}

impl SearchProvider for Google {
    fn name(&self) -> &'static str {
        "Google"
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<SearchResults, SearchError>> {
        async move {
            let wanted = count.clamp(1, MAX_COUNT).to_string();
            let request = self.http.get()?.query(&[
                ("key", self.api_key.secret()),
                ("cx", &self.cx),
                ("q", query),
                ("num", &wanted),
            ]);
            let answer = self.http.json(request, |said| said.pointer("/error/message")?.as_str()).await?;
            let hits = list(&answer, "/items")?.iter().take(count).map(|hit| SearchHit {
                title: string(hit, "title"),
                url: string(hit, "link"),
                snippet: string(hit, "snippet"),
            });
            Ok(SearchResults { answer: None, hits: hits.collect() })
        }
        .boxed()
    }
}
