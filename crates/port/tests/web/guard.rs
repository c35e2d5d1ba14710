//! Who may speak to the port at all (T01, T03): over raw sockets, for no client library would send these.

use toolwright_port::{Allowed, WebLimits};

use crate::port::{Answer, Doors, Port, port, port_with};

async fn with_head(port: &Port, line: &str, head: &str) -> Option<Answer> {
    let head = head.replace("PORT", &port.address.port().to_string());
    port.raw(&format!("{line}\r\n{head}{}Content-Length: 0\r\n\r\n", port.bearer())).await
}

#[tokio::test]
async fn only_plain_spellings_of_this_machine_are_hosts() {
    let port = port().await;
    for (host, status) in [
        ("Host: localhost\r\n", 200),
        ("Host: localhost:PORT\r\n", 200),
        ("Host: 127.0.0.1\r\n", 200),
        ("Host: 127.0.0.1:PORT\r\n", 200),
        ("Host: [::1]\r\n", 200),
        ("Host: [::1]:PORT\r\n", 200),
        ("Host: LOCALHOST:PORT\r\n", 200),
        ("host:  localhost \r\n", 200),
        ("", 400),
        ("Host:\r\n", 400),
        ("Host: localhost\r\nHost: localhost\r\n", 400),
        ("Host: localhost\r\nHost: evil.example\r\n", 400),
        ("Host: localhost, evil.example\r\n", 400),
        ("Host: localhost evil.example\r\n", 400),
        ("Host: user@localhost\r\n", 400),
        ("Host: localhost@evil.example\r\n", 400),
        ("Host: localhost.\r\n", 400),
        ("Host: localhost.:PORT\r\n", 400),
        ("Host: localhost:\r\n", 400),
        ("Host: localhost:0PORT\r\n", 400),
        ("Host: localhost:PORT:1\r\n", 400),
        ("Host: http://localhost\r\n", 400),
        ("Host: localhost/evil\r\n", 400),
        ("Host: localhost%2eevil\r\n", 400),
        ("Host: l\u{f6}calhost\r\n", 400),
        ("Host: localhost#evil\r\n", 400),
        ("Host: [::1\r\n", 400),
        ("Host: localhost:1\r\n", 403),
        ("Host: evil.example\r\n", 403),
        ("Host: evil.example:PORT\r\n", 403),
        ("Host: localhost.evil.example\r\n", 403),
        ("Host: 127.0.0.1.nip.io\r\n", 403),
        ("Host: 127.1\r\n", 403),
        ("Host: 2130706433\r\n", 403),
        ("Host: 0x7f.0.0.1\r\n", 403),
        ("Host: 0.0.0.0:PORT\r\n", 403),
        ("Host: [::ffff:127.0.0.1]\r\n", 403),
        ("Host: [0:0:0:0:0:0:0:1]\r\n", 403),
    ] {
        for path in ["/mcp", "/healthz", "/readyz", "/metrics", "/mcp/all", "/nowhere"] {
            let method = if path.starts_with("/mcp") { "POST" } else { "GET" };
            let answer =
                with_head(&port, &format!("{method} {path} HTTP/1.1"), host).await.expect("an answer");
            let is_probe = path.ends_with('z');
            let expected = match status {
                200 if path == "/nowhere" => 404,
                403 if is_probe => 200,
                status => status,
            };
            assert_eq!(answer.status, expected, "{host:?} {path}: {}", answer.body);
            if expected == 403 {
                assert!(answer.body.contains("\"jsonrpc\":\"2.0\""), "{}", answer.body);
                assert!(answer.body.contains("--allow-host"), "{}", answer.body);
            }
        }
    }
}

/// Probes of Kubernetes and of balancers send the address that they know.
#[tokio::test]
async fn health_is_answered_under_any_host_and_reveals_nothing_there() {
    let port = port().await;
    for host in ["10.244.1.17:8484", "toolwright", "evil.example"] {
        let head = format!("Host: {host}\r\n");
        let answer = with_head(&port, "GET /healthz HTTP/1.1", &head).await.expect("an answer");
        assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"), "{host}");
        let answer = with_head(&port, "GET /readyz HTTP/1.1", &head).await.expect("an answer");
        assert_eq!((answer.status, answer.body.as_str()), (200, "{\"status\":\"ready\"}\n"), "{host}");
        // A page of another site cannot read it, whatever its name points at.
        let page = format!("{head}Origin: http://{host}\r\n");
        let answer = with_head(&port, "GET /readyz HTTP/1.1", &page).await.expect("an answer");
        assert_eq!(answer.status, 403, "{host}");
        for path in ["/mcp", "/metrics", "/api/health", "/"] {
            let answer = with_head(&port, &format!("GET {path} HTTP/1.1"), &head).await.expect("an answer");
            assert_eq!(answer.status, 403, "{host} {path}");
        }
    }
    let known = with_head(&port, "GET /readyz HTTP/1.1", "Host: localhost\r\n").await.expect("an answer");
    assert!(known.body.contains("\"servers\""), "{}", known.body);
    // HAProxy asks so when no header is configured.
    let old = with_head(&port, "GET /readyz HTTP/1.0", "").await.expect("an answer");
    assert_eq!((old.status, old.body.as_str()), (200, "{\"status\":\"ready\"}\n"));
    assert_eq!(with_head(&port, "GET /metrics HTTP/1.0", "").await.expect("an answer").status, 400);
}

#[tokio::test]
async fn a_first_line_that_names_a_host_is_refused() {
    let port = port().await;
    for line in [
        "GET http://localhost/healthz HTTP/1.1",
        "GET http://evil.example/healthz HTTP/1.1",
        "POST http://127.0.0.1:PORT/mcp HTTP/1.1",
        "CONNECT evil.example:443 HTTP/1.1",
        "CONNECT localhost:80 HTTP/1.1",
    ] {
        let line = line.replace("PORT", &port.address.port().to_string());
        let answer = with_head(&port, &line, "Host: localhost\r\n").await.expect("an answer");
        assert_eq!(answer.status, 400, "{line}: {}", answer.body);
    }
    // An old client without a host is no client of ours.
    let answer = with_head(&port, "GET /metrics HTTP/1.0", "").await.expect("an answer");
    assert_eq!(answer.status, 400);
    // What is no HTTP at all is none of a route.
    for line in ["GET /healthz", "GET  HTTP/1.1", "get", "PRI * HTTP/2.0", "\u{1}\u{2}"] {
        let answer = with_head(&port, line, "Host: localhost\r\n").await;
        assert!(answer.is_none_or(|answer| answer.status >= 400), "{line}");
    }
    let spaced = port.raw("GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n").await;
    assert!(spaced.is_none_or(|answer| answer.status == 400));
}

#[tokio::test]
async fn only_pages_of_this_machine_are_origins() {
    let port = port().await;
    for (origin, status) in [
        ("", 200),
        ("Origin: http://localhost\r\n", 200),
        ("Origin: http://localhost:6274\r\n", 200),
        ("Origin: https://localhost\r\n", 200),
        ("Origin: http://127.0.0.1:PORT\r\n", 200),
        ("Origin: http://[::1]:3000\r\n", 200),
        ("Origin: null\r\n", 403),
        ("Origin:\r\n", 403),
        ("Origin: http://evil.example\r\n", 403),
        ("Origin: http://evil.example:PORT\r\n", 403),
        ("Origin: http://localhost.evil.example\r\n", 403),
        ("Origin: http://localhost@evil.example\r\n", 403),
        ("Origin: http://evil.example/localhost\r\n", 403),
        ("Origin: http://localhost/\r\n", 403),
        ("Origin: http://localhost.\r\n", 403),
        ("Origin: localhost\r\n", 403),
        ("Origin: file://\r\n", 403),
        ("Origin: file://localhost\r\n", 403),
        ("Origin: chrome-extension://localhost\r\n", 403),
        ("Origin: http://localhost\r\nOrigin: http://localhost\r\n", 403),
        ("Origin: http://localhost http://evil.example\r\n", 403),
        ("Origin: http://l\u{f6}calhost\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
        ("Sec-Fetch-Site: none\r\n", 200),
    ] {
        for path in ["/mcp", "/healthz", "/readyz", "/metrics"] {
            let method = if path == "/mcp" { "POST" } else { "GET" };
            let line = format!("{method} {path} HTTP/1.1");
            let answer =
                with_head(&port, &line, &format!("Host: localhost\r\n{origin}")).await.expect("an answer");
            assert_eq!(answer.status, status, "{origin:?} {path}: {}", answer.body);
            let reader = answer.header("access-control-allow-origin");
            assert_eq!(reader.is_some(), status == 200 && origin.starts_with("Origin"), "{origin:?}");
        }
    }
}

#[tokio::test]
async fn what_is_allowed_besides_is_let_in() {
    let allowed = Allowed {
        hosts: ["gw.example", "forwarded.example:9000", "*.svc.cluster.local", "10.244.0.0/16"]
            .map(str::to_owned)
            .to_vec(),
        origins: vec!["https://app.example".to_owned()],
    };
    let port = port_with(Doors::Locked, WebLimits::default(), allowed).await;
    for (head, status) in [
        ("Host: gw.example\r\n", 200),
        ("Host: GW.example:PORT\r\n", 200),
        ("Host: forwarded.example:9000\r\n", 200),
        ("Host: forwarded.example\r\n", 403),
        ("Host: gw.example:9000\r\n", 403),
        ("Host: gw.example.evil\r\n", 403),
        ("Host: tools.prod.svc.cluster.local:PORT\r\n", 200),
        ("Host: svc.cluster.local\r\n", 403),
        ("Host: 10.244.1.17:PORT\r\n", 200),
        ("Host: 10.245.1.17\r\n", 403),
        ("Host: localhost\r\nOrigin: https://app.example\r\n", 200),
        ("Host: localhost\r\nOrigin: http://app.example\r\n", 403),
        ("Host: localhost\r\nOrigin: https://app.example:444\r\n", 403),
    ] {
        let answer = with_head(&port, "GET /metrics HTTP/1.1", head).await.expect("an answer");
        assert_eq!(answer.status, status, "{head:?}");
    }
}

#[tokio::test]
async fn a_page_may_ask_what_it_may_send_and_not_where_no_token_protects() {
    let port = port().await;
    let preflight = "Host: localhost\r\nOrigin: http://localhost:6274\r\nAccess-Control-Request-Method: POST\r\nAccess-Control-Request-Headers: authorization, mcp-session-id\r\n";
    let line = "OPTIONS /mcp HTTP/1.1";
    let answer = port.raw(&format!("{line}\r\n{preflight}\r\n")).await.expect("an answer");
    assert_eq!(answer.status, 204);
    assert_eq!(answer.header("access-control-allow-origin"), Some("http://localhost:6274"));
    assert_eq!(answer.header("access-control-allow-headers"), Some("authorization, mcp-session-id"));
    assert!(answer.header("access-control-allow-methods").is_some_and(|methods| methods.contains("POST")));
    assert_eq!(answer.header("vary"), Some("Origin"));

    let open = port_with(Doors::Open, WebLimits::default(), Allowed::default()).await;
    let answer = open.raw(&format!("{line}\r\n{preflight}\r\n")).await.expect("an answer");
    assert_eq!(answer.status, 403);
    // Plain text is sent without asking first: only pages of this port may.
    let plain = "Content-Type: text/plain\r\n";
    for path in ["/mcp", "/v1/messages", "/v1/chat/completions", "/api/chat"] {
        let answer =
            open.ask_as("POST", path, &format!("{plain}Origin: http://localhost:6274\r\n"), "x").await;
        assert_eq!((answer.status, answer.header("access-control-allow-origin")), (403, None), "{path}");
    }
    let own = format!("{plain}Origin: http://127.0.0.1:{}\r\n", open.address.port());
    let answer = open.ask_as("POST", "/mcp", &own, "x").await;
    assert_eq!((answer.status, answer.header("access-control-allow-origin")), (200, None));
    assert_eq!(open.ask_as("POST", "/mcp", plain, "x").await.status, 200, "no page: a program");
}
