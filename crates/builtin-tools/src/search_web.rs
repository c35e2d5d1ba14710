//! `search_web`: a question to a search engine, whichever is configured.

mod brave;
mod duckduckgo;
mod google;
mod provider;
mod request;
mod searxng;
mod text;

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use jiff::tz::TimeZone;
use serde::Deserialize;
use serde_json::json;
use toolwright_executor::{ToolFailure, ToolFunction, ToolOutput};
use toolwright_model::{Annotations, Origin, ToolDefinition};

use super::arguments::{invalid, parse};
use super::datetime::of_the_machine;
use super::{BuiltinError, BuiltinTool, Clock};
pub use provider::{
    ApiKey, ProviderConfig, SearchConfig, SearchError, SearchHit, SearchProvider, SearchResults,
};

const NAME: &str = "search_web";

/// The longest query, in characters. Longer ones are no queries.
const MAX_QUERY_CHARS: usize = 256;

const INPUT: &str = r#"{
  "type": "object",
  "properties": {
    "query": {"type": "string", "minLength": 1, "maxLength": 256, "description": "What to look for"}
  },
  "required": ["query"],
  "additionalProperties": false
}"#;

const OUTPUT: &str = r#"{
  "type": "object",
  "properties": {
    "provider": {"type": "string"},
    "answer": {"type": ["string", "null"]},
    "results": {"type": "array", "items": {
      "type": "object",
      "properties": {"title": {"type": "string"}, "url": {"type": "string"}, "snippet": {"type": "string"}},
      "required": ["title", "url", "snippet"],
      "additionalProperties": false
    }}
  },
  "required": ["provider", "answer", "results"],
  "additionalProperties": false
}"#;

const NOT_CONFIGURED: &str = "web search is not set up: no search engine is configured. Choose one: searxng with the url of a server that has the json format enabled, brave with an api_key, \
    google with an api_key and a cx, or duckduckgo, which needs nothing and knows only short answers";

/// The tool's line in the table.
pub(super) fn tool(
    config: &SearchConfig,
    clock: &Clock,
    home: Option<&TimeZone>,
) -> Result<BuiltinTool, BuiltinError> {
    let provider = match &config.provider {
        Some(provider) => Some(provider.build(config.timeout)?),
        None => None,
    };
    Ok(BuiltinTool {
        definition: ToolDefinition {
            name: NAME.to_owned(),
            origin: Origin::BuiltIn,
            description:
                "Searches the web for current information: news, weather, prices, facts that change. \
                          Returns the first results with title, address and a few words."
                    .to_owned(),
            input_schema: INPUT.to_owned(),
            output_schema: Some(OUTPUT.to_owned()),
            annotations: Annotations { harmless: true, ..Annotations::default() },
            ..ToolDefinition::default()
        },
        function: Arc::new(SearchWeb {
            provider,
            config: config.clone(),
            clock: clock.clone(),
            home: home.cloned(),
        }),
    })
}

struct SearchWeb {
    provider: Option<Box<dyn SearchProvider>>,
    config: SearchConfig,
    clock: Clock,
    home: Option<TimeZone>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Arguments {
    query: String,
}

impl ToolFunction for SearchWeb {
    fn call(self: Arc<Self>, arguments: String) -> BoxFuture<'static, Result<ToolOutput, ToolFailure>> {
        async move {
            let arguments: Arguments = parse(NAME, &arguments)?;
            let query = arguments.query.trim();
            if query.is_empty() {
                return Err(invalid("the query is empty. Send what to look for"));
            }
            if query.chars().count() > MAX_QUERY_CHARS {
                return Err(invalid(format!(
                    "the query is longer than {MAX_QUERY_CHARS} characters. Send a few words"
                )));
            }
            let Some(provider) = &self.provider else {
                let message = self.config.fault.clone().unwrap_or_else(|| NOT_CONFIGURED.to_owned());
                return Err(ToolFailure::NotReady { message });
            };
            let found = provider.search(query, self.config.max_results).await;
            let results = found.map_err(|error| error.into_failure(provider.name()))?;
            Ok(self.output(provider.name(), query, results))
        }
        .boxed()
    }
}

impl SearchWeb {
    fn output(&self, provider: &str, query: &str, mut results: SearchResults) -> ToolOutput {
        results.hits.truncate(self.config.max_results);
        let today = self.clock.now().to_zoned(self.home.clone().unwrap_or_else(of_the_machine));
        // A model that does not know the date takes old news for new (founding document 001, its search tool).
        let mut out = format!("[Today is {}]", today.strftime("%A, %B %-d, %Y"));
        let mut room = self.config.max_chars;
        if let Some(answer) = &results.answer {
            let answer = text::cut(answer, room);
            room -= answer.chars().count().min(room);
            out.push_str(&format!("\n{answer}"));
        }
        let mut shown = Vec::new();
        for (index, hit) in results.hits.iter().enumerate() {
            let line = format!("\n{}. {} ({})\n   {}", index + 1, hit.title, hit.url, hit.snippet);
            let length = line.chars().count();
            // Whole results only: half a sentence misleads. Where there is nothing else, the first is cut.
            if length > room && (results.answer.is_some() || !shown.is_empty()) {
                break;
            }
            out.push_str(&text::cut(&line, room));
            room -= length.min(room);
            shown.push(json!({"title": hit.title, "url": hit.url, "snippet": hit.snippet}));
        }
        if results.answer.is_none() && shown.is_empty() {
            out.push_str(&format!("\nNothing was found for {query:?}."));
        }
        let structured = json!({"provider": provider, "answer": results.answer, "results": shown});
        ToolOutput::structured(out, structured.to_string())
    }
}
