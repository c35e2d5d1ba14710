//! What the two servers answer.

use axum::body::Body;
use axum::http::{Response, header};
use reqwest::Url;
use serde_json::{Value, json};

use super::{Asked, CLIENT_SECRET, Shared};

/// An answer without a body.
pub(super) fn status(status: u16) -> Response<Body> {
    with_header(status, header::CACHE_CONTROL, "no-store", Value::Null)
}

fn json_answer(code: u16, value: Value) -> Response<Body> {
    with_header(code, header::CACHE_CONTROL, "no-store", value)
}

fn with_header(code: u16, name: header::HeaderName, value: &str, body: Value) -> Response<Body> {
    let text = if body.is_null() { String::new() } else { body.to_string() };
    Response::builder()
        .status(code)
        .header(header::CONTENT_TYPE, "application/json")
        .header(name, value)
        .body(Body::from(text))
        .unwrap_or_default()
}

/// The value of a form or a query.
fn field(form: &str, key: &str) -> Option<String> {
    let url = Url::parse(&format!("http://form/?{form}")).ok()?;
    url.query_pairs().find(|(name, _)| name == key).map(|(_, value)| value.into_owned())
}

impl Shared {
    pub(super) fn resource(&self) -> Response<Body> {
        let named = self.state().habits.names.clone().unwrap_or_else(|| self.url.clone());
        json_answer(200, json!({"resource": self.at("mcp"), "authorization_servers": [named]}))
    }

    pub(super) fn metadata(&self) -> Response<Body> {
        let page = self.state().habits.authorization_endpoint.clone();
        json_answer(
            200,
            json!({
                "issuer": self.url,
                "authorization_endpoint": page.unwrap_or_else(|| self.at("authorize").into()),
                "token_endpoint": self.at("token"),
                "registration_endpoint": self.at("register"),
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "scopes_supported": ["basic", "offline_access"],
                "authorization_response_iss_parameter_supported": true,
            }),
        )
    }

    pub(super) fn register(&self, asked: &Asked) -> Response<Body> {
        let said: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let redirects = said.get("redirect_uris").cloned().unwrap_or_default();
        let secret = CLIENT_SECRET;
        json_answer(
            201,
            json!({"client_id": "client-1", "client_secret": secret, "redirect_uris": redirects}),
        )
    }

    pub(super) fn authorize(&self, asked: &Asked) -> Response<Body> {
        let redirect = field(&asked.query, "redirect_uri").and_then(|redirect| Url::parse(&redirect).ok());
        let Some(mut back) = redirect else { return status(400) };
        let mut state = self.state();
        {
            let mut query = back.query_pairs_mut();
            if let Some(given) = field(&asked.query, "state") {
                query.append_pair("state", &given);
            }
            query.append_pair("iss", self.url.as_str());
            if state.habits.denies {
                query.append_pair("error", "access_denied").append_pair("error_description", "not today");
            } else {
                state.count += 1;
                let code = format!("code-{}", state.count);
                query.append_pair("code", &code);
                state.codes.insert(code);
            }
        }
        with_header(302, header::LOCATION, back.as_str(), Value::Null)
    }

    pub(super) fn token(&self, asked: &Asked) -> Response<Body> {
        let form = |key: &str| field(&asked.body, key);
        let mut state = self.state();
        let is_granted = match form("grant_type").as_deref() {
            Some("authorization_code") => {
                form("code_verifier").is_some() && form("code").is_some_and(|code| state.codes.remove(&code))
            }
            Some("refresh_token") => {
                !state.habits.refuses_renewals
                    && form("refresh_token").is_some_and(|token| state.renewals.remove(&token))
            }
            _ => false,
        };
        if !is_granted || form("resource").as_deref() != Some(self.at("mcp").as_str()) {
            return json_answer(400, json!({"error": "invalid_grant"}));
        }
        state.count += 1;
        let (token, renewal) = (format!("access-{}", state.count), format!("renewal-{}", state.count));
        state.tokens.insert(token.clone());
        state.renewals.insert(renewal.clone());
        let mut answer = json!({
            "access_token": token, "refresh_token": renewal, "token_type": "Bearer", "id_token": "identity-1",
        });
        if let Some(seconds) = state.habits.expires_in {
            answer["expires_in"] = seconds.into();
        }
        json_answer(200, answer)
    }

    /// The server that wants logins. It is a modern one without tools.
    pub(super) fn call(&self, asked: &Asked) -> Response<Body> {
        let state = self.state();
        if let Some(place) = &state.habits.redirects_to {
            return with_header(307, header::LOCATION, place, Value::Null);
        }
        let token = asked.authorization.as_deref().and_then(|value| value.strip_prefix("Bearer "));
        let metadata = self.at(".well-known/oauth-protected-resource/mcp");
        if !token.is_some_and(|token| state.tokens.contains(token)) {
            let challenge = format!("Bearer resource_metadata=\"{metadata}\", scope=\"basic\"");
            return with_header(401, header::WWW_AUTHENTICATE, &challenge, Value::Null);
        }
        if let Some(scope) = &state.habits.wants_scope {
            let challenge = format!("Bearer error=\"insufficient_scope\", scope=\"{scope}\"");
            return with_header(403, header::WWW_AUTHENTICATE, &challenge, Value::Null);
        }
        let request: Value = serde_json::from_str(&asked.body).unwrap_or_default();
        let result = json!({
            "resultType": "complete", "ttlMs": 0, "cacheScope": "private",
            "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}, "tools": [],
        });
        json_answer(200, json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
    }
}
