//! What an HTTP error status means: an answer, a lost session, a missing login, or just the status.

use reqwest::Response;
use reqwest::header::WWW_AUTHENTICATE;
use toolwright_jsonrpc::{ErrorObject, INVALID_PARAMS, METHOD_NOT_FOUND, Message};

use super::web::content_type;
use crate::RequestError;

/// How much of what comes with an error status is read.
const MAX_REFUSAL_BYTES: usize = 256 << 10;
/// How much of it is shown.
const SHOWN_CHARS: usize = 200;

/// What servers say of a session that they do not know.
const LOST_WORDS: &[&str] = &[
    "not found",
    "unknown",
    "missing",
    "invalid",
    "expired",
    "no valid",
    "no longer",
    "not exist",
    "terminated",
    "required",
    "not recognized",
    "closed",
];
/// The codes that come with it in an answer that looks like any other.
const LOST_CODES: &[i64] = &[-32000, -32001, -32002, -32600];

/// A request that was answered with an error status.
#[derive(Debug)]
pub(super) struct Refusal {
    pub status: u16,
    pub www_authenticate: Option<String>,
    is_page: bool,
    body: String,
}

impl Refusal {
    /// Reads what came with the status, as far as it is of use.
    pub async fn read(mut response: Response) -> Refusal {
        let status = response.status().as_u16();
        let told = response.headers().get(WWW_AUTHENTICATE);
        let www_authenticate = told.and_then(|value| value.to_str().ok()).map(str::to_owned);
        let is_page = content_type(&response).contains("html");
        let mut body = Vec::new();
        // A body that breaks off says what it says.
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk[..chunk.len().min(MAX_REFUSAL_BYTES - body.len())]);
            if body.len() == MAX_REFUSAL_BYTES {
                break;
            }
        }
        let body = String::from_utf8_lossy(&body).trim().to_owned();
        Refusal { status, www_authenticate, is_page: is_page || body.starts_with("<!"), body }
    }

    /// Whether somebody who knows the login could help.
    pub fn is_about_login(&self) -> bool {
        match self.status {
            401 => true,
            403 => self.answer().is_none() || self.www_authenticate.is_some(),
            _ => false,
        }
    }

    /// Whether the session that the request named is gone.
    pub fn is_lost_session(&self) -> bool {
        match (self.status, self.answer()) {
            (404, None) => true,
            // A method or a thing that is not found is no session.
            (404, Some(error)) => !matches!(error.number(), Some(METHOD_NOT_FOUND | INVALID_PARAMS)),
            (401, _) if self.www_authenticate.is_some() => false,
            (400..=499, Some(error)) => is_lost_session(&error),
            (400..=499, None) => {
                let said = self.body.to_ascii_lowercase();
                !self.is_page && (said.contains("session") || said.contains("not initialized"))
            }
            _ => false,
        }
    }

    /// The error in it, when it is an answer of the protocol.
    pub fn answer(&self) -> Option<ErrorObject> {
        match Message::parse(&self.body) {
            Ok(Message::Response(response)) => response.outcome.err(),
            _ => None,
        }
    }

    /// What the request failed with.
    pub fn to_error(&self, place: &str) -> RequestError {
        let said = self.said();
        match self.status {
            401 | 403 if self.status == 401 || self.answer().is_none() => {
                let status = self.status;
                let said = said.map(|said| format!(" ({said})")).unwrap_or_default();
                let why = if status == 401 { "without a valid login" } else { "to this login" };
                RequestError::Unauthorized(format!("{place} refuses requests {why} with HTTP {status}{said}"))
            }
            status => match self.answer() {
                Some(error) => RequestError::Server(error),
                None => RequestError::Http { status, said },
            },
        }
    }

    fn said(&self) -> Option<String> {
        shown(&self.body, self.is_page)
    }
}

/// The beginning of a text on one line; of a page its title.
pub(super) fn shown(text: &str, is_page: bool) -> Option<String> {
    if is_page {
        let lower = text.to_ascii_lowercase();
        let title = lower.find("<title>").and_then(|start| {
            let start = start + "<title>".len();
            let end = lower[start..].find("</title>")?;
            Some(text[start..start + end].trim().to_owned())
        });
        return Some(match title.filter(|title| !title.is_empty()) {
            Some(title) => format!("a web page, \"{}\"", cut(&title)),
            None => "a web page".to_owned(),
        });
    }
    let text = cut(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    (!text.is_empty()).then_some(text)
}

fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether an answer is the complaint of a server that does not know the session any more.
pub(super) fn is_lost_session(error: &ErrorObject) -> bool {
    let said = error.message.to_ascii_lowercase();
    let is_told = said.contains("session") && LOST_WORDS.iter().any(|word| said.contains(word))
        || said.contains("server not initialized");
    is_told && error.number().is_some_and(|code| LOST_CODES.contains(&code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(status: u16, www_authenticate: Option<&str>, body: &str) -> Refusal {
        let www_authenticate = www_authenticate.map(Into::into);
        Refusal { status, www_authenticate, is_page: body.starts_with('<'), body: body.into() }
    }

    fn error(code: i64, message: &str) -> String {
        format!(r#"{{"jsonrpc":"2.0","id":1,"error":{{"code":{code},"message":"{message}"}}}}"#)
    }

    #[test]
    fn what_only_mentions_a_session_is_no_lost_one() {
        for (status, told, body) in [
            (404, None, error(-32601, "Method not found")),
            (404, None, error(-32602, "Resource not found")),
            (400, None, error(-32602, "session_id is missing")),
            (400, None, error(-32000, "bad arguments")),
            (400, None, "bad arguments".to_owned()),
            (401, Some("Bearer"), "the session has expired".to_owned()),
            (403, None, "<html>your session has expired</html>".to_owned()),
            (500, None, "session store is down".to_owned()),
        ] {
            assert!(!refusal(status, told, &body).is_lost_session(), "{status} {body}");
        }
        for message in ["Request timed out", "the session is fine", "user not found"] {
            assert!(!is_lost_session(&ErrorObject::new(-32001, message)), "{message}");
        }
    }

    #[test]
    fn what_is_shown_is_short_and_on_one_line() {
        let long = "word\n".repeat(1000);
        let said = shown(&long, false).unwrap();
        assert!(said.chars().count() <= SHOWN_CHARS + 1 && !said.contains('\n'), "{said}");
        assert_eq!(shown(" \n", false), None);
        assert_eq!(shown("<p>no title</p>", true).unwrap(), "a web page");
    }
}
