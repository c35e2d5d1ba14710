//! What a search provider is, how it is configured, and how it can fail.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use reqwest::Url;
use toolwright_executor::ToolFailure;

use super::super::BuiltinError;
use super::request::Http;
use super::{brave::Brave, duckduckgo::DuckDuckGo, google::Google, searxng::SearxNg};

/// A search engine.
pub trait SearchProvider: Send + Sync + 'static {
    /// Its name for people.
    fn name(&self) -> &'static str;

    /// Asks it. Gives up to `count` results, the best first.
    fn search<'a>(
        &'a self,
        query: &'a str,
        count: usize,
    ) -> BoxFuture<'a, Result<SearchResults, SearchError>>;
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SearchResults {
    /// A direct answer, where the provider gives one.
    pub answer: Option<String>,
    /// Pages, the best first.
    pub hits: Vec<SearchHit>,
}

/// One page that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchHit {
    /// Its title, as plain text.
    pub title: String,
    /// Its address.
    pub url: String,
    /// A few words from it, as plain text.
    pub snippet: String,
}

/// How the web is searched.
#[derive(Clone, Debug)]
pub struct SearchConfig {
    /// Which search engine; without one the tool says how to get one.
    pub provider: Option<ProviderConfig>,
    /// Why the engine that was asked for cannot be used; said instead of how to get one.
    pub fault: Option<String>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// The most results that are given back.
    pub max_results: usize,
    /// The most text of answer and results that is given back, in characters.
    pub max_chars: usize,
}

/// A search engine and what it needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProviderConfig {
    /// A SearXNG server with the format `json` enabled.
    SearxNg {
        /// Its address, for example `http://localhost:8080`.
        url: String,
    },
    /// Brave Search.
    Brave {
        /// The subscription token.
        api_key: ApiKey,
        /// Another address than the public one.
        url: Option<String>,
    },
    /// Google Programmable Search.
    Google {
        /// The key of the project.
        api_key: ApiKey,
        /// The id of the search engine.
        cx: String,
        /// Another address than the public one.
        url: Option<String>,
    },
    /// DuckDuckGo's instant answers: no key, and no list of pages.
    DuckDuckGo {
        /// Another address than the public one.
        url: Option<String>,
    },
}

/// A secret that does not show in logs.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

/// Why a search gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SearchError {
    /// Nobody answered in time.
    #[error("gave no answer within {} seconds", .0.as_secs_f32())]
    Timeout(Duration),
    /// The connection failed.
    #[error("cannot be reached: {0}")]
    Unreachable(String),
    /// The key was not accepted, or the account may not do this.
    #[error("does not accept the request (HTTP {status}{detail}). Check its key and settings")]
    Denied {
        /// The HTTP status.
        status: u16,
        /// What the provider said, with `: ` in front.
        detail: String,
    },
    /// Too many requests.
    #[error("takes no more requests for now (HTTP 429{detail}). Try again later")]
    TooMany {
        /// What the provider said, with `: ` in front.
        detail: String,
    },
    /// Another answer than 200.
    #[error("answered with HTTP {status}{detail}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What the provider said, with `: ` in front.
        detail: String,
    },
    /// An answer that is not what the provider documents.
    #[error("gave an answer that cannot be read: {0}")]
    BadAnswer(String),
}

impl Default for SearchConfig {
    fn default() -> Self {
        SearchConfig {
            provider: None,
            fault: None,
            timeout: Duration::from_secs(10),
            max_results: 5,
            max_chars: 2000,
        }
    }
}

impl ApiKey {
    /// Wraps a secret.
    pub fn new(secret: impl Into<String>) -> Self {
        ApiKey(secret.into())
    }

    pub(super) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(***)")
    }
}

impl ProviderConfig {
    /// Makes the provider ready. Nothing is asked yet.
    pub fn build(&self, timeout: Duration) -> Result<Box<dyn SearchProvider>, BuiltinError> {
        let http = |url: &str| -> Result<Http, BuiltinError> {
            let wrong = |reason: String| BuiltinError::Search { url: url.to_owned(), reason };
            let parsed = Url::parse(url).map_err(|error| wrong(error.to_string()))?;
            if !matches!(parsed.scheme(), "http" | "https") {
                return Err(wrong("it must begin with http:// or https://".to_owned()));
            }
            Ok(Http::new(parsed, timeout))
        };
        Ok(match self {
            ProviderConfig::SearxNg { url } => {
                Box::new(SearxNg { http: http(&format!("{}/search", url.trim_end_matches('/')))? })
            }
            ProviderConfig::Brave { api_key, url } => Box::new(Brave {
                http: http(url.as_deref().unwrap_or(super::brave::URL))?,
                api_key: api_key.clone(),
            }),
            ProviderConfig::Google { api_key, cx, url } => Box::new(Google {
                http: http(url.as_deref().unwrap_or(super::google::URL))?,
                api_key: api_key.clone(),
                cx: cx.clone(),
            }),
            ProviderConfig::DuckDuckGo { url } => {
                Box::new(DuckDuckGo { http: http(url.as_deref().unwrap_or(super::duckduckgo::URL))? })
            }
        })
    }
}

impl SearchError {
    /// The tool's failure for this. What may pass by itself counts as unavailable; only where nothing came
    /// back is the network a likely cause.
    pub(super) fn into_failure(self, provider: &str) -> ToolFailure {
        let message = format!("the web was not searched: {provider} {self}");
        match self {
            SearchError::Timeout(_) | SearchError::Unreachable(_) => ToolFailure::Unavailable { message },
            SearchError::TooMany { .. } => ToolFailure::NotReady { message },
            SearchError::Status { status, .. } if status >= 500 => ToolFailure::NotReady { message },
            _ => ToolFailure::tool(message),
        }
    }
}
