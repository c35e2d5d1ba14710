//! Arguments that a tool wants as headers, towards a real HTTP server.

use crate::era;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::post;
use era::{PATIENCE, identity, json, options};
use tokio::net::TcpListener;
use toolwright_jsonrpc::{Json, Message, raw};
use toolwright_mcp::http::{HttpKind, HttpTarget, open};
use toolwright_mcp::{Connection, Era, NoHost, Peer, PeerOptions};

/// Renames the header of its tool once it is listed, so that the first call has the old one.
#[derive(Default)]
struct Server {
    lists: AtomicU32,
}

async fn answer(State(server): State<Arc<Server>>, request: Request) -> Response {
    let headers = request.headers().clone();
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).map(str::to_owned);
    let (old, new) = (header("Mcp-Param-Region"), header("Mcp-Param-Area"));
    let body = to_bytes(request.into_body(), 1 << 20).await.expect("a body");
    let text = String::from_utf8(body.to_vec()).expect("text");
    let Ok(Message::Request(asked)) = Message::parse(&text) else { panic!("{text}") };
    let tool = |name: &str, header: &str| {
        format!(
            r#"{{"name":"{name}","inputSchema":{{"type":"object","properties":{{"region":{{"type":"string","x-mcp-header":{header}}}}}}}}}"#
        )
    };
    let said = match asked.method.as_str() {
        "server/discover" => r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public"}"#.to_owned(),
        "tools/list" => {
            let name = if server.lists.fetch_add(1, Ordering::SeqCst) == 0 { "\"Region\"" } else { "\"Area\"" };
            let tools = format!("{},{}", tool("good", name), tool("bad", "\"no name\""));
            format!(r#""result":{{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":[{tools}]}}"#)
        }
        _ if new.is_none() => r#""error":{"code":-32020,"message":"header mismatch"}"#.to_owned(),
        _ => format!(
            r#""result":{{"resultType":"complete","old":{},"new":{}}}"#,
            raw::quote(&old.unwrap_or_default()),
            raw::quote(&new.unwrap_or_default())
        ),
    };
    let message = format!(r#"{{"jsonrpc":"2.0","id":{},{said}}}"#, asked.id);
    Response::builder()
        .header("content-type", "application/json")
        .body(Body::from(message))
        .expect("an answer")
}

async fn met(server: Arc<Server>) -> Peer {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let url = format!("http://{}/mcp", listener.local_addr().expect("an address"));
    let app = Router::new().route("/mcp", post(answer)).with_state(server);
    tokio::spawn(async move { axum::serve(listener, app).await });
    let target = HttpTarget {
        url,
        headers: Vec::new(),
        kind: HttpKind::Streamable,
        authorizer: None,
        max_response_bytes: None,
    };
    let connection = Connection::open(open(target), Arc::new(NoHost));
    let wait = PeerOptions { probe: PATIENCE, start: PATIENCE, ..PeerOptions::default() };
    Peer::connect(connection, identity(), &wait).await.expect("met").over_http(&wait)
}

#[tokio::test]
async fn annotated_arguments_travel_as_headers_and_tools_that_cannot_are_left_out() {
    let server = Arc::new(Server::default());
    let peer = met(Arc::clone(&server)).await;
    assert_eq!(peer.era(), Era::Modern);
    for _ in 0..2 {
        let tools = peer.list("tools/list", "tools", &options()).await.expect("tools");
        let names: Vec<Option<String>> = tools.iter().map(|tool: &Json| tool.get_text("name")).collect();
        assert_eq!(names, [Some("good".to_owned())]);
    }
    // The tool has changed since: it is listed again, once, and the call goes out with the new header.
    let params = json(r#"{"name":"good","arguments":{"region":"eu"}}"#);
    let result = peer.request("tools/call", Some(params), &options()).await.expect("an answer");
    assert_eq!(
        (result.get_text("old").as_deref(), result.get_text("new").as_deref()),
        (Some(""), Some("eu"))
    );
    assert_eq!(server.lists.load(Ordering::SeqCst), 2);
}
