//! T12: what a server gets to know of the gateway's surroundings and of its clients: nothing that was not
//! given to it.

#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use toolwright_testkit::load::{Client, Era, GatewayPrograms, Served};

/// What any program needs, of what this process has. All that is not in this list stays here.
const BASE: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
];
/// The mark by which nothing outlives the gateway.
const MARK: &str = "TOOLWRIGHT_CHILD";

fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t12_a_child_has_exactly_the_variables_that_it_should() {
    let programs = programs();
    let entry = json!({
        "command": programs.server,
        "env": {"GIVEN": "given value", "EXPANDED": "${T12_EXPANDED}"},
        "env_from": ["T12_WANTED"],
    });
    let configuration = json!({"toolboxes": {"one": {"description": "One.", "mcpServers": {"one": entry}}}});
    let surroundings = [
        ("T12_SECRET", "s1-secret"),
        ("AWS_SECRET_ACCESS_KEY", "s2-secret"),
        ("OPENAI_API_KEY", "s3-secret"),
        ("TOOLWRIGHT_TOKEN", "s4-secret"),
        ("LD_PRELOAD_NOT", "s5-secret"),
        ("T12_WANTED", "wanted value"),
        ("T12_EXPANDED", "expanded value"),
        ("LC_MEASUREMENT", "C"),
    ];
    let served = Served::start_with(&programs, Some(&configuration), &[], &surroundings);
    let mut client = served.client("/mcp/t/one", Era::Legacy).await.expect("a client");
    let reply = client.call("1", "environment", "{}").await.expect("a reply");
    let text = reply.text().unwrap_or_else(|| panic!("{reply:?}"));
    let seen: BTreeMap<String, String> = serde_json::from_str(text).expect("variables");
    let own: BTreeSet<String> = std::env::vars().map(|(name, _)| name).collect();
    let mut expected: BTreeSet<String> =
        own.into_iter().filter(|name| BASE.contains(&name.as_str()) || name.starts_with("LC_")).collect();
    expected.extend(["GIVEN", "EXPANDED", "T12_WANTED", "LC_MEASUREMENT", "HOME", MARK].map(str::to_owned));
    assert_eq!(seen.keys().cloned().collect::<BTreeSet<_>>(), expected);
    assert_eq!(seen["GIVEN"], "given value");
    assert_eq!(seen["EXPANDED"], "expanded value");
    assert_eq!(seen["T12_WANTED"], "wanted value");
}

/// A server over HTTP that ends with the test.
struct HttpServer(Child, u16);

impl HttpServer {
    fn start(programs: &GatewayPrograms, flags: &[&str]) -> HttpServer {
        let mut command = Command::new(&programs.server);
        let mut process =
            command.arg("--http").args(flags).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        let stdout = process.stdout.take().expect("its stdout");
        BufReader::new(stdout).read_line(&mut line).expect("its port");
        HttpServer(process, line.trim().parse().expect("a port"))
    }
}

impl Drop for HttpServer {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a client may send along, and no server may see.
const SENT: [(&str, &str); 7] = [
    ("authorization", "Bearer client-secret-1"),
    ("x-toolwright-token", "client-secret-2"),
    ("cookie", "session=client-secret-3"),
    ("proxy-authorization", "Basic client-secret-4"),
    ("x-api-key", "client-secret-5"),
    ("x-forwarded-for", "client-secret-6"),
    ("x-anything", "client-secret-7"),
];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn t12_no_header_of_a_client_reaches_a_server() {
    let programs = programs();
    let (legacy, modern) = (HttpServer::start(&programs, &[]), HttpServer::start(&programs, &["--modern"]));
    let entry = |server: &HttpServer| json!({"url": format!("http://127.0.0.1:{}/mcp", server.1), "headers": {"X-Own": "own value"}});
    let servers = [("legacy".to_owned(), entry(&legacy)), ("modern".to_owned(), entry(&modern))];
    let served = Served::start(&programs, &programs.apart(&servers));
    // Without a token, pages of the gateway's own origin only may send something.
    let origin = format!("http://{}", served.address);
    let sent = [&SENT[..], &[("origin", &origin)]].concat();
    for server in ["legacy", "modern"] {
        for era in [Era::Legacy, Era::Modern] {
            let path = format!("/mcp/t/{server}");
            let mut client = Client::open_with(served.address, &path, era, &sent).await.expect("a client");
            let reply = client.call("1", "headers", "{}").await.expect("a reply");
            let text = reply.text().unwrap_or_else(|| panic!("{server} {era:?}: {reply:?}"));
            let seen: Vec<(String, String)> = serde_json::from_str(text).expect("headers");
            let is_expected = |name: &str| {
                ["host", "accept", "content-type", "content-length", "x-own", "user-agent", "accept-encoding"]
                    .contains(&name)
                    || name.starts_with("mcp-")
            };
            for (name, value) in &seen {
                assert!(is_expected(name), "{server} {era:?}: the header {name}: {value}");
                assert!(!value.contains("client-secret"), "{server} {era:?}: {name}: {value}");
            }
            assert!(seen.contains(&("x-own".to_owned(), "own value".to_owned())), "{seen:?}");
        }
    }
    // Nor by what a call says of itself.
    let mut client = Client::open_with(served.address, "/mcp", Era::Modern, &SENT).await.expect("a client");
    let tool = json!({"toolbox": "legacy", "server": "legacy", "name": "line"});
    let reply = client.call("1", "use_tool", &json!({"tool": tool}).to_string()).await.expect("a reply");
    let line = reply.text().unwrap_or_else(|| panic!("{reply:?}"));
    assert!(!line.contains("client-secret"), "{line}");
    let message: Value = serde_json::from_str(line).expect("a message");
    assert_eq!(message["params"]["name"], "line");
}
