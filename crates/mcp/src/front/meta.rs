//! What a modern request says of itself, and the params without it.

use aws_lc_rs::digest::{SHA256, digest};
use toolwright_jsonrpc::raw::{self, RawMember};
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, Json, ObjectWriter};

use super::level::Level;
use super::parked::is_own_state;
use super::reading::Params;
use super::service::HttpTrace;
use crate::peer::{CAPABILITIES, CLIENT, LOG_LEVEL, REVISION};
use crate::{LEGACY_REVISIONS, MODERN_REVISIONS};

/// A server that does not speak the revision.
pub(super) const UNSUPPORTED_REVISION: i64 = -32022;

/// What a modern request says of itself.
pub(super) struct Said {
    pub capabilities: Json,
    pub info: Option<Json>,
    pub level: Option<Level>,
    pub progress_token: Option<Json>,
    /// The state of a parked call of ours.
    pub state: Option<String>,
    /// The answers that came with it.
    pub responses: Option<Json>,
    /// The params that are left for the service.
    pub params: Option<Json>,
    /// What the headers beside them say of a trace.
    pub trace: Option<HttpTrace>,
}

/// The revisions that we serve, the newest first.
pub(super) fn served_revisions() -> Vec<&'static str> {
    [MODERN_REVISIONS, LEGACY_REVISIONS].concat()
}

/// The revision that a request names itself. An error when it names none.
pub(super) fn revision(params: &Params<'_>) -> Result<String, ErrorObject> {
    if params.meta.is_none() {
        let said = format!("\"params\" has no \"_meta\"; every request says \"{REVISION}\" there");
        return Err(ErrorObject::new(INVALID_PARAMS, said));
    }
    match params.get_meta_text(REVISION) {
        Some(revision) => Ok(revision.into_owned()),
        None => Err(missing(REVISION, "a string")),
    }
}

/// Refuses a revision that is not served without a session.
pub(super) fn check_revision(revision: &str) -> Result<(), ErrorObject> {
    if MODERN_REVISIONS.contains(&revision) {
        return Ok(());
    }
    let data = Json::empty_object()
        .with("supported", &Json::texts(&served_revisions()))
        .with("requested", &Json::text(revision));
    let said = format!("revision {} is not served in this way", raw::quote(revision));
    Err(ErrorObject::new(UNSUPPORTED_REVISION, said).with_data(data))
}

fn missing(key: &str, kind: &str) -> ErrorObject {
    ErrorObject::new(INVALID_PARAMS, format!("\"_meta\" of params must have \"{key}\", {kind}"))
}

/// Reads the rest of what a request says of itself.
pub(super) fn said(params: &Params<'_>) -> Result<Said, ErrorObject> {
    let capabilities = params.get_meta(CAPABILITIES).filter(|value| value.starts_with('{'));
    let Some(capabilities) = capabilities.and_then(|value| Json::parse(value).ok()) else {
        return Err(missing(CAPABILITIES, "an object"));
    };
    let level = match params.get_meta(LOG_LEVEL).filter(|value| *value != "null") {
        None => None,
        Some(value) => match super::reading::text_of(value).and_then(|text| Level::parse(&text)) {
            Some(level) => Some(level),
            None => {
                let said = format!("\"{LOG_LEVEL}\" must be one of {}, not {value}", Level::names());
                return Err(ErrorObject::new(INVALID_PARAMS, said));
            }
        },
    };
    let state = params.get_text("requestState").filter(|state| is_own_state(state)).map(|s| s.into_owned());
    let responses = params.get("inputResponses").and_then(|value| Json::parse(value).ok());
    Ok(Said {
        capabilities,
        info: params.get_meta(CLIENT).and_then(|value| Json::parse(value).ok()),
        level,
        progress_token: params.progress_token(),
        params: for_service(params, state.is_some()),
        responses,
        state,
        trace: params.trace.clone(),
    })
}

/// The params without what the era puts around them, and without the state of ours and what answers it.
fn for_service(params: &Params<'_>, has_own_state: bool) -> Option<Json> {
    let mut out = ObjectWriter::default();
    for member in &params.members {
        match &*member.key {
            "_meta" => {
                let own = |member: &&RawMember<'_>| {
                    !matches!(&*member.key, REVISION | CAPABILITIES | CLIENT | LOG_LEVEL)
                };
                let mut meta = ObjectWriter::default();
                for member in params.meta.iter().flatten().filter(own) {
                    meta.member(member);
                }
                if !meta.is_empty() {
                    out.value("_meta", &meta.finish());
                }
            }
            "requestState" | "inputResponses" if has_own_state => {}
            _ => out.member(member),
        }
    }
    (!out.is_empty()).then(|| out.finish())
}

/// What a call is about, in a few bytes: a retry must be about the same.
pub(super) fn call_digest(params: &Params<'_>) -> Vec<u8> {
    let mut text = String::new();
    for key in ["name", "uri", "arguments"] {
        text.push_str(key);
        text.push('=');
        push_without_space(&mut text, params.get(key).unwrap_or_default());
        text.push('\n');
    }
    digest(&SHA256, text.as_bytes()).as_ref().to_vec()
}

/// A client may write the same value with other space between its parts.
fn push_without_space(out: &mut String, json: &str) {
    let mut is_in_string = false;
    let mut is_escaped = false;
    for char in json.chars() {
        if !is_in_string && char.is_ascii_whitespace() {
            continue;
        }
        out.push(char);
        if char == '"' && !is_escaped {
            is_in_string = !is_in_string;
        }
        is_escaped = is_in_string && char == '\\' && !is_escaped;
    }
}
