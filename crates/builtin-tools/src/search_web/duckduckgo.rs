//! DuckDuckGo's instant answers: `GET /?q=…&format=json`.

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::Value;

use super::provider::{SearchError, SearchHit, SearchProvider, SearchResults};
use super::request::{Http, list, string};
use super::text;

pub(super) const URL: &str = "https://api.duckduckgo.com/";

/// How many characters of a topic make its title.
const TITLE_CHARS: usize = 60;

pub(super) struct DuckDuckGo {
    pub http: Http,
}

impl SearchProvider for DuckDuckGo {
    fn name(&self) -> &'static str {
        "DuckDuckGo"
    }

    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<SearchResults, SearchError>> {
        async move {
            let request = self.http.get()?.query(&[
                ("q", query),
                ("format", "json"),
                ("no_html", "1"),
                ("skip_disambig", "1"),
            ]);
            let answer = self.http.json(request, |_| None).await?;
            let mut hits = Vec::new();
            topics(list(&answer, "/RelatedTopics")?, count, &mut hits);
            Ok(SearchResults { answer: direct(&answer), hits })
        }
        .boxed()
    }
}

/// The answer itself, what it knows about the subject, or what the word means.
fn direct(answer: &Value) -> Option<String> {
    let said = ["Answer", "AbstractText", "Definition"].map(|member| string(answer, member));
    let said = said.into_iter().find(|said| !said.is_empty())?;
    let source = ["AbstractURL", "DefinitionURL"].map(|member| string(answer, member));
    Some(match source.into_iter().find(|url| !url.is_empty()) {
        Some(url) => format!("{said} ({url})"),
        None => said,
    })
}

/// Topics, and those inside groups of topics.
fn topics(items: &[Value], count: usize, hits: &mut Vec<SearchHit>) {
    for item in items {
        if hits.len() == count {
            return;
        }
        if let Some(inner) = item["Topics"].as_array() {
            topics(inner, count, hits);
            continue;
        }
        let snippet = string(item, "Text");
        if !snippet.is_empty() {
            let title = text::cut(snippet.split(" - ").next().unwrap_or_default(), TITLE_CHARS);
            hits.push(SearchHit { title, url: string(item, "FirstURL"), snippet });
        }
    }
}
