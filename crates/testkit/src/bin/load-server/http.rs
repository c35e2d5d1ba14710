//! The same over Streamable HTTP: every answer is JSON, nothing is streamed.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, Method, Response, StatusCode, header};
use axum::serve::ListenerExt;
use tokio::net::TcpListener;

use crate::answers::{Said, Server};

static SESSIONS: AtomicU64 = AtomicU64::new(1);

/// Serves until it is killed.
pub fn serve(server: Arc<Server>) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        println!("{}", listener.local_addr()?.port());
        let listener = listener.tap_io(|stream| {
            let _ = stream.set_nodelay(true);
        });
        let router = Router::new().fallback(answer).with_state(server);
        axum::serve(listener, router).await
    })
}

async fn answer(
    State(server): State<Arc<Server>>,
    method: Method,
    headers: HeaderMap,
    body: Bytes,
) -> Response<Body> {
    if method == Method::DELETE {
        return with(StatusCode::OK, Body::empty());
    }
    if method != Method::POST {
        return with(StatusCode::METHOD_NOT_ALLOWED, Body::empty());
    }
    let text = String::from_utf8_lossy(&body);
    let seen: Vec<(String, String)> = headers
        .iter()
        .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into_owned()))
        .collect();
    let said = match server.hear(&text, &seen) {
        Said::Nothing => return with(StatusCode::ACCEPTED, Body::empty()),
        Said::Now(said) => said,
        Said::Later(time, said) => {
            tokio::time::sleep(time).await;
            said
        }
    };
    let mut response = with(StatusCode::OK, Body::from(said));
    let kind = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    if text.contains(r#""method":"initialize""#) {
        let session = format!("s-{}", SESSIONS.fetch_add(1, Ordering::Relaxed));
        if let Ok(session) = session.parse() {
            response.headers_mut().insert("mcp-session-id", session);
        }
    }
    response
}

fn with(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}
