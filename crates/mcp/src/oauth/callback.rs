//! The place that the browser comes back to: one page on this machine, for one login.

use std::net::Ipv4Addr;
use std::time::Duration;

use reqwest::Url;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::LoginError;
use super::error::shown;

/// The page.
const PATH: &str = "/callback";
/// How large a request for it may be.
const MAX_REQUEST: usize = 16 << 10;
/// How many connections are looked at at once; browsers open some without saying anything.
const MAX_CONNECTIONS: usize = 16;
/// How long one connection may take.
const CONNECTION_WAIT: Duration = Duration::from_secs(10);

const ARRIVED: &str = "The answer has arrived. You can close this window and go back to where you were.";
const REFUSED: &str = "The login was refused. You can close this window and go back to where you were.";
const STRANGE: &str = "This is not the answer to the login that is waited for.";

/// A page that waits for the browser.
pub(super) struct Callback {
    listener: TcpListener,
    /// Its address.
    pub address: String,
}

/// What the browser brings from the authorization server.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Granted {
    pub code: String,
    pub issuer: Option<String>,
}

impl Callback {
    pub async fn open(port: Option<u16>) -> Result<Callback, LoginError> {
        let address = (Ipv4Addr::LOCALHOST, port.unwrap_or(0));
        let listener = TcpListener::bind(address).await.map_err(LoginError::NoPort)?;
        let port = listener.local_addr().map_err(LoginError::NoPort)?.port();
        Ok(Callback { listener, address: format!("http://127.0.0.1:{port}{PATH}") })
    }

    /// Waits for the answer that carries our `state`; what else comes is turned away and waited past.
    pub async fn wait(self, state: &str, wait: Duration) -> Result<Granted, LoginError> {
        let answered = async {
            let mut connections = JoinSet::new();
            loop {
                tokio::select! {
                    accepted = self.listener.accept(), if connections.len() < MAX_CONNECTIONS => {
                        let (stream, _) = accepted.map_err(LoginError::NoPort)?;
                        let state = state.to_owned();
                        connections.spawn(async move {
                            timeout(CONNECTION_WAIT, serve(stream, &state)).await.ok().flatten()
                        });
                    }
                    Some(done) = connections.join_next() => {
                        if let Ok(Some(answer)) = done {
                            return answer.map_err(LoginError::Denied);
                        }
                    }
                }
            }
        };
        timeout(wait, answered).await.unwrap_or(Err(LoginError::TimedOut(wait)))
    }
}

/// Answers one connection; gives what it brought, if that is the answer.
async fn serve(mut stream: TcpStream, state: &str) -> Option<Result<Granted, String>> {
    let head = read_head(&mut stream).await?;
    let answer = read(&head, state);
    let (status, text) = match &answer {
        Some(Ok(_)) => ("200 OK", ARRIVED),
        Some(Err(_)) => ("200 OK", REFUSED),
        None => ("400 Bad Request", STRANGE),
    };
    let body = format!("<!doctype html><meta charset=\"utf-8\"><title>Toolwright</title><p>{text}</p>\n");
    let response = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\n\
         Cache-Control: no-store\r\nReferrer-Policy: no-referrer\r\n\
         Content-Security-Policy: default-src 'none'\r\nConnection: close\r\n\r\n{body}",
        body.len(),
    );
    // The answer counts even if the browser does not wait for the page.
    if stream.write_all(response.as_bytes()).await.is_ok() {
        let _ = stream.shutdown().await;
    }
    answer
}

async fn read_head(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut chunk = [0; 2048];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        match stream.read(&mut chunk).await {
            Ok(count @ 1..) if head.len() + count <= MAX_REQUEST => head.extend_from_slice(&chunk[..count]),
            _ => return None,
        }
    }
    String::from_utf8(head).ok()
}

/// What a request brings: nothing unless it is for our page and carries our `state`.
fn read(head: &str, state: &str) -> Option<Result<Granted, String>> {
    let path = head.strip_prefix("GET ")?.split(' ').next()?;
    let url = Url::parse("http://127.0.0.1").ok()?.join(path).ok()?;
    if url.path() != PATH {
        return None;
    }
    let value = |key: &str| {
        let mut found =
            url.query_pairs().filter(|(name, _)| name == key).map(|(_, value)| value.into_owned());
        // A value that stands twice is none: which one is meant cannot be known.
        found.next().filter(|_| found.next().is_none())
    };
    if value("state").as_deref() != Some(state) {
        return None;
    }
    if let Some(error) = value("error") {
        let why = value("error_description").map(|why| format!(": {why}")).unwrap_or_default();
        return Some(Err(shown(&format!("{error}{why}"))));
    }
    let code = value("code").filter(|code| !code.is_empty())?;
    Some(Ok(Granted { code, issuer: value("iss") }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_answer_with_our_state_counts() {
        let read = |path: &str| read(&format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n"), "s1");
        let granted = Granted { code: "c&d".into(), issuer: Some("https://as.example".into()) };
        assert_eq!(read("/callback?code=c%26d&state=s1&iss=https%3A%2F%2Fas.example"), Some(Ok(granted)));
        assert_eq!(
            read("/callback?error=access_denied&error_description=no%0Away&state=s1"),
            Some(Err("access_denied: no way".into()))
        );
        for strange in [
            "/callback?code=c",
            "/callback?code=c&state=s2",
            "/callback?code=c&state=s1&state=s2",
            "/callback?code=c&code=d&state=s1",
            "/callback?code=&state=s1",
            "/callback?error=access_denied",
            "/favicon.ico",
            "//evil.example/other?code=c&state=s1",
        ] {
            assert_eq!(read(strange), None, "{strange}");
        }
        assert_eq!(super::read("POST /callback?code=c&state=s1 HTTP/1.1\r\n\r\n", "s1"), None);
    }
}
