//! What a path leads to.

use percent_encoding::percent_decode_str;
use toolwright_endpoints::Endpoint;
use toolwright_proxy::LlmPath;

use crate::api;

/// Every path there is, as it is told.
pub(crate) const ROUTES: &[&str] = &[
    "/mcp",
    "/mcp/all",
    "/mcp/t/{toolbox}",
    "/v1/messages",
    "/v1/chat/completions",
    "/v1/responses",
    "/api/chat",
    "/v1/models",
    "/healthz",
    "/readyz",
    "/metrics",
    "/api/openapi.json",
];

/// What a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Route {
    Mcp(Endpoint),
    Healthz,
    Readyz,
    Metrics,
    /// `/` itself, where clients of models look whether somebody is there.
    Root,
    Llm(LlmPath),
    Api(api::Path),
    Nowhere,
}

impl Route {
    /// Reads a path. It is taken as it is: no `..`, no second slash and no upper case leads anywhere.
    pub fn of(path: &str) -> Route {
        match path {
            "/mcp" => Route::Mcp(Endpoint::Toolboxes),
            "/mcp/all" => Route::Mcp(Endpoint::All),
            "/healthz" => Route::Healthz,
            "/readyz" => Route::Readyz,
            "/metrics" => Route::Metrics,
            "/" => Route::Root,
            _ => LlmPath::of(path).map_or_else(|| Route::elsewhere(path), Route::Llm),
        }
    }

    fn elsewhere(path: &str) -> Route {
        match path.strip_prefix("/api/") {
            Some(rest) => api::Path::of(rest).map_or(Route::Nowhere, Route::Api),
            None => path.strip_prefix("/mcp/t/").and_then(toolbox).map_or(Route::Nowhere, Route::Mcp),
        }
    }

    /// The word for it in counters.
    pub fn label(&self) -> &'static str {
        match self {
            Route::Mcp(Endpoint::Toolboxes) => "mcp",
            Route::Mcp(Endpoint::All) => "all",
            Route::Mcp(Endpoint::Toolbox(_)) => "toolbox",
            Route::Healthz => "healthz",
            Route::Readyz => "readyz",
            Route::Metrics => "metrics",
            Route::Root => "root",
            Route::Llm(_) => "llm",
            Route::Api(_) => "api",
            Route::Nowhere => "none",
        }
    }

    /// The methods that are possible there.
    pub fn methods(&self) -> &'static str {
        match self {
            Route::Mcp(_) => "GET, POST, DELETE, OPTIONS",
            Route::Api(path) => path.methods(),
            Route::Llm(path) => path.methods(),
            _ => "GET, HEAD, OPTIONS",
        }
    }
}

fn toolbox(encoded: &str) -> Option<Endpoint> {
    if encoded.is_empty() || encoded.contains('/') {
        return None;
    }
    let name = percent_decode_str(encoded).decode_utf8().ok()?;
    (!name.chars().any(char::is_control)).then(|| Endpoint::Toolbox(name.into_owned()))
}

#[cfg(test)]
mod tests {
    use toolwright_llm::Dialect;

    use super::*;

    fn named(toolbox: &str) -> Route {
        Route::Mcp(Endpoint::Toolbox(toolbox.to_owned()))
    }

    #[test]
    fn paths_lead_where_they_say() {
        for (path, route) in [
            ("/mcp", Route::Mcp(Endpoint::Toolboxes)),
            ("/mcp/all", Route::Mcp(Endpoint::All)),
            ("/mcp/t/dev", named("dev")),
            ("/mcp/t/my%20tools", named("my tools")),
            ("/mcp/t/a%2Fb", named("a/b")),
            ("/mcp/t/b%C3%BCro", named("büro")),
            ("/mcp/t/100%", named("100%")),
            ("/healthz", Route::Healthz),
            ("/readyz", Route::Readyz),
            ("/metrics", Route::Metrics),
            ("/api/health", Route::Api(api::Path::Health)),
            ("/", Route::Root),
            ("/v1/messages", Route::Llm(LlmPath::Ask(Dialect::AnthropicMessages))),
            ("/api/chat", Route::Llm(LlmPath::Ask(Dialect::OllamaChat))),
        ] {
            assert_eq!(Route::of(path), route, "{path}");
        }
    }

    #[test]
    fn what_is_nearly_a_path_leads_nowhere() {
        for path in [
            "",
            "*",
            "//mcp",
            "/mcp/",
            "/MCP",
            "/mcp/t",
            "/mcp/t/",
            "/mcp/t/a/b",
            "/mcp/t/%FF",
            "/mcp/t/%00",
            "/mcp/../metrics",
            "/mcp/all/",
            "/./metrics",
            "/metrics/",
            "/healthz/x",
            "/%6dcp",
            "/api",
            "/api/",
            "/api/nothing",
        ] {
            assert_eq!(Route::of(path), Route::Nowhere, "{path}");
        }
    }
}
