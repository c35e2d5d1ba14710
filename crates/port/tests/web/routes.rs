//! What each path leads to, and what nobody else gets to see.

use toolwright_port::{NewToken, WebLimits};

use crate::port::{port, port_with_limits};

#[tokio::test]
async fn every_path_leads_where_it_says() {
    let port = port().await;
    for (path, place) in [
        ("/mcp", "Toolboxes for default"),
        ("/mcp/all", "All for default"),
        ("/mcp/t/dev", "Toolbox(\"dev\") for default"),
        ("/mcp/t/my%20tools", "Toolbox(\"my tools\") for default"),
        ("/mcp?x=/metrics", "Toolboxes for default"),
    ] {
        let answer = port.ask("POST", path, "", "hello").await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        assert!(answer.body.starts_with(place) && answer.body.ends_with(": hello"), "{}", answer.body);
    }
    let answer = port.ask("POST", "/mcp/t/other", "", "").await;
    assert_eq!(answer.status, 404);
    assert!(answer.body.contains("there is dev, my tools, prod"), "{}", answer.body);
    // Clients of models ask so whether somebody is there.
    for method in ["GET", "HEAD"] {
        assert_eq!(port.ask(method, "/", "", "").await.status, 200, "{method}");
    }
    for path in ["/mcp/", "/sse", "/mcp/t/", "/api/servers", "/mcp/../metrics", "//metrics"] {
        let answer = port.ask("GET", path, "", "").await;
        assert_eq!(answer.status, 404, "{path}");
        assert!(
            answer.body.contains("/mcp/t/{toolbox}") && answer.body.contains("/readyz"),
            "{}",
            answer.body
        );
    }
}

#[tokio::test]
async fn what_is_between_the_client_and_us_goes_no_further() {
    let port = port().await;
    let more =
        "X-Toolwright-Token: TOKEN\r\nCookie: a=b\r\nProxy-Authorization: Basic x\r\nMcp-Session-Id: 1\r\n";
    let answer = port.ask("POST", "/mcp", &more.replace("TOKEN", &port.token), "").await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    assert!(answer.body.contains("\"mcp-session-id\""), "{}", answer.body);
    for secret in ["authorization", "x-toolwright-token", "cookie", &port.token] {
        assert!(!answer.body.contains(secret), "{}", answer.body);
    }
}

#[tokio::test]
async fn methods_that_are_not_possible_are_named_with_those_that_are() {
    let port = port().await;
    for method in ["PUT", "PATCH", "HEAD", "TRACE", "PROPFIND"] {
        let answer = port.ask(method, "/mcp", "", "").await;
        assert_eq!(answer.status, 405, "{method}");
        assert_eq!(answer.header("allow"), Some("GET, POST, DELETE, OPTIONS"), "{method}");
    }
    for path in ["/healthz", "/readyz", "/metrics"] {
        let answer = port.ask("POST", path, "", "").await;
        assert_eq!((answer.status, answer.header("allow")), (405, Some("GET, HEAD, OPTIONS")), "{path}");
        assert_eq!(port.ask("HEAD", path, "", "").await.status, 200, "{path}");
        assert_eq!(port.ask_as("OPTIONS", path, "", "").await.status, 204, "{path}");
    }
}

#[tokio::test]
async fn health_needs_no_token_and_tells_numbers_only() {
    let port = port().await;
    let answer = port.ask_as("GET", "/healthz", "", "").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "ok\n"));
    let answer = port.ask_as("GET", "/readyz", "", "").await;
    assert_eq!(answer.status, 200);
    let said: serde_json::Value = serde_json::from_str(&answer.body).expect("JSON");
    assert_eq!(said["status"], "ready");
    assert_eq!(said["servers"]["ready"], 2);
    assert_eq!(said["tools"], 7);
    assert!(!answer.body.contains("dev"), "{}", answer.body);
}

#[tokio::test]
async fn metrics_count_what_was_answered_and_refused() {
    let port = port().await;
    assert_eq!(port.ask_as("GET", "/metrics", "", "").await.status, 401);
    for _ in 0..3 {
        port.ask("POST", "/mcp/t/dev", "", "").await;
    }
    port.ask("POST", "/mcp", "Origin: http://evil.example\r\n", "").await;
    let answer = port.ask("GET", "/metrics", "", "").await;
    assert_eq!(answer.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        "toolwright_http_requests_total{endpoint=\"toolbox\",status=\"200\"} 3",
        "toolwright_http_requests_total{endpoint=\"metrics\",status=\"401\"} 1",
        "toolwright_http_requests_total{endpoint=\"mcp\",status=\"403\"} 1",
        "toolwright_http_refused_total{reason=\"origin\"} 1",
        "toolwright_http_refused_total{reason=\"token\"} 1",
        "toolwright_sessions 3",
        "toolwright_servers{state=\"ready\"} 2",
    ] {
        assert!(answer.body.lines().any(|known| known == line), "{line}\n{}", answer.body);
    }
    assert!(!answer.body.contains(&port.token));
}

#[tokio::test]
async fn bodies_are_bounded_with_and_without_their_length() {
    let port = port_with_limits(WebLimits { body_bytes: 100_000, ..WebLimits::default() }).await;
    assert_eq!(port.ask("POST", "/mcp", "", &"x".repeat(100_000)).await.status, 200);
    let answer = port.ask("POST", "/mcp", "", &"x".repeat(100_001)).await;
    assert_eq!(answer.status, 413);
    assert!(answer.body.contains("100000 bytes"), "{}", answer.body);
    let chunks: String = (0..30).map(|_| format!("1000\r\n{}\r\n", "x".repeat(4096))).collect();
    let request = format!(
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n{}\r\n{chunks}0\r\n\r\n",
        port.bearer()
    );
    assert_eq!(port.raw(&request).await.map(|answer| answer.status), Some(413));
    // A length and chunks at once is how one request is smuggled in another.
    let both = request.replace("Transfer-Encoding", "Content-Length: 5\r\nTransfer-Encoding");
    let answer = port.raw(&both).await;
    assert!(answer.is_none_or(|answer| answer.status >= 400));
    let large_head = format!("X-Large: {}\r\n", "x".repeat(100_000));
    let request = port.request("POST", "/mcp", &large_head, "");
    let answer = port.raw(&request).await;
    assert!(answer.is_none_or(|answer| answer.status == 431), "the head is too large");
}

#[tokio::test]
async fn a_token_for_some_toolboxes_opens_no_other() {
    let port = port().await;
    let new =
        NewToken { name: "ci".to_owned(), toolboxes: Some(vec!["dev".to_owned()]), ..NewToken::default() };
    let token = port.folder.add(new).expect("a token");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    for _ in 0..300 {
        if port.ask_as("POST", "/mcp/t/dev", &bearer, "").await.status == 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let answer = port.ask_as("POST", "/mcp/t/dev", &bearer, "").await;
    assert!(answer.body.contains("for ci"), "{}", answer.body);
    // There is one of the first name and none of the second; the answer does not tell.
    for toolbox in ["prod", "nothing"] {
        let answer = port.ask_as("POST", &format!("/mcp/t/{toolbox}"), &bearer, "").await;
        assert_eq!(answer.status, 403);
        let expected = format!("this token may not use the toolbox \\\"{toolbox}\\\"; it may use dev");
        assert!(answer.body.contains(&expected), "{}", answer.body);
    }
}
