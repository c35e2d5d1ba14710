//! Tokens: the install's own, those with a name, and what is kept of them.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use toolwright_port::{Allowed, NewToken, TokenError, TokenFolder, WebLimits};

use crate::port::{Doors, port, port_with, read_answer, read_to_last_chunk};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

fn named(name: &str) -> NewToken {
    NewToken { name: name.to_owned(), created: "2026-11-16T10:00:00Z".to_owned(), ..NewToken::default() }
}

fn mode(path: &std::path::Path) -> u32 {
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn without_the_token_nothing_is_answered_and_the_way_is_told() {
    let port = port().await;
    for headers in [
        "",
        "Authorization: Bearer wrong\r\n",
        "Authorization: Bearer\r\n",
        "Authorization: Bearer \r\n",
        "Authorization: Basic TOKEN\r\n",
        "Authorization: TOKEN\r\n",
        "Authorization: Bearer TOKENx\r\n",
        "Authorization: Bearer tOKEN\r\n",
        "Authorization: Bearer TOKEN\r\nAuthorization: Bearer other\r\n",
        "Authorization: Bearer TOKEN\r\nX-Toolwright-Token: other\r\n",
        "X-Toolwright-Token: other\r\n",
        "Cookie: token=TOKEN\r\n",
    ] {
        let headers = headers.replace("TOKEN", &port.token);
        for path in ["/mcp", "/mcp/all", "/mcp/t/dev", "/nowhere", "/mcp?token=TOKEN"] {
            let path = path.replace("TOKEN", &port.token);
            let answer = port.ask_as("POST", &path, &headers, "x").await;
            assert_eq!(answer.status, 401, "{headers:?} {path}");
            assert_eq!(answer.header("www-authenticate"), Some("Bearer realm=\"toolwright\""));
            assert!(answer.body.contains("toolwright/token"), "{}", answer.body);
            assert!(answer.body.contains("Authorization: Bearer TOKEN"), "{}", answer.body);
            assert!(!answer.body.contains(&port.token), "{}", answer.body);
        }
    }
    for headers in [
        "Authorization: Bearer TOKEN\r\n",
        "authorization: bearer  TOKEN \r\n",
        "x-toolwright-token: TOKEN\r\n",
    ] {
        let answer = port.ask_as("POST", "/mcp", &headers.replace("TOKEN", &port.token), "x").await;
        assert_eq!(answer.status, 200, "{headers}");
    }
}

#[tokio::test]
async fn where_no_token_is_needed_everybody_may_come() {
    let port = port_with(Doors::Open, WebLimits::default(), Allowed::default()).await;
    let answer = port.ask_as("POST", "/mcp", "", "x").await;
    assert!(answer.status == 200 && answer.body.contains("for anyone"), "{}", answer.body);
}

#[test]
fn the_own_token_stays_and_is_for_the_owners_eyes() {
    let state = tempfile::tempdir().expect("a folder");
    let path = state.path().join("toolwright");
    let folder = TokenFolder::new(&path);
    let token = folder.own().expect("a token");
    assert!(token.starts_with("tw_") && token.len() > 40, "{token}");
    assert_eq!(folder.own().expect("the same"), token);
    assert_eq!((mode(&path), mode(&folder.own_file())), (0o700, 0o600));
    assert_eq!(folder.seal_key().expect("a key"), folder.seal_key().expect("the same"));
    assert_eq!(mode(&path.join("seal-key")), 0o600);
    let other = TokenFolder::new(state.path().join("another"));
    assert_ne!(other.own().expect("a token"), token);
    assert_ne!(other.seal_key().expect("a key"), folder.seal_key().expect("a key"));
    // Somebody opened it to others.
    std::fs::set_permissions(folder.own_file(), PermissionsExt::from_mode(0o644)).expect("changed");
    assert_eq!(folder.own().expect("the same"), token);
    assert_eq!(mode(&folder.own_file()), 0o600);
    std::fs::write(folder.own_file(), "\n").expect("written");
    let error = folder.own().expect_err("no token");
    assert!(error.to_string().contains("holds no token"), "{error}");
}

#[test]
fn of_a_named_token_only_its_hash_is_kept() {
    let state = tempfile::tempdir().expect("a folder");
    let folder = TokenFolder::new(state.path().join("toolwright"));
    let token = folder.add(named("ci")).expect("a token");
    let other = folder.add(named("laptop")).expect("a token");
    assert_ne!(token, other);
    let text = std::fs::read_to_string(folder.names_file()).expect("a file");
    assert!(!text.contains(&token) && !text.contains(&other), "{text}");
    assert_eq!(mode(&folder.names_file()), 0o600);
    let names: Vec<String> = folder.list().expect("a list").into_iter().map(|token| token.name).collect();
    assert_eq!(names, ["ci", "laptop"]);
    assert!(matches!(folder.add(named("ci")), Err(TokenError::NameTaken(_))));
    for name in ["default", "anyone", "stdio"] {
        let error = folder.add(named(name)).expect_err("a reserved name");
        assert!(matches!(error, TokenError::NameReserved(_)), "{name}");
        assert!(error.to_string().contains("is reserved"), "{error}");
    }
    for name in ["", "a b", "a/b", "\u{e4}", "\u{1b}[1m", &"x".repeat(65)] {
        assert!(matches!(folder.add(named(name)), Err(TokenError::BadName(_))), "{name}");
    }
    folder.revoke("ci").expect("gone");
    let error = folder.revoke("ci").expect_err("it is gone");
    assert!(matches!(error, TokenError::NoSuchToken { names, .. } if names == ["laptop"]));
    std::fs::write(folder.names_file(), "{\"tokens\": [{}]}").expect("written");
    assert!(matches!(folder.add(named("x")), Err(TokenError::NotUnderstood { .. })));
}

#[test]
fn tokens_that_are_made_at_once_are_all_kept() {
    let state = tempfile::tempdir().expect("a folder");
    let folder = TokenFolder::new(state.path().join("toolwright"));
    std::thread::scope(|scope| {
        for at in 0..16 {
            let folder = folder.clone();
            scope.spawn(move || folder.add(named(&format!("t{at}"))).expect("a token"));
        }
    });
    assert_eq!(folder.list().expect("a list").len(), 16);
}

async fn status_becomes(port: &crate::port::Port, bearer: &str, status: u16) -> bool {
    for _ in 0..500 {
        if port.ask_as("POST", "/mcp", bearer, "").await.status == status {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    false
}

#[tokio::test]
async fn a_gateway_that_runs_sees_tokens_come_and_go_and_ends_their_streams() {
    let port = port().await;
    let token = port.folder.add(named("ci")).expect("a token");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert!(status_becomes(&port, &bearer, 200).await, "it is known");
    let mut stream = TcpStream::connect(port.address).await.expect("a connection");
    stream.write_all(port.request("GET", "/mcp", &bearer, "").as_bytes()).await.expect("sent");
    assert_eq!(read_answer(&mut stream).await.map(|answer| answer.status), Some(200));
    // A file that nobody can read changes nothing.
    let good = std::fs::read_to_string(port.folder.names_file()).expect("a file");
    std::fs::write(port.folder.names_file(), "{").expect("written");
    tokio::time::sleep(Duration::from_millis(1000)).await;
    assert_eq!(port.ask_as("POST", "/mcp", &bearer, "").await.status, 200);
    std::fs::write(port.folder.names_file(), good).expect("written");
    port.folder.revoke("ci").expect("gone");
    assert!(status_becomes(&port, &bearer, 401).await, "it is gone");
    assert!(read_to_last_chunk(&mut stream).await, "the stream ended");
    // The others stay.
    assert_eq!(port.ask("POST", "/mcp", "", "").await.status, 200);
}

#[tokio::test]
async fn a_token_has_limits_of_its_own() {
    let port = port().await;
    let new = NewToken { rate: Some(1), calls: Some(1), ..named("slow") };
    let token = port.folder.add(new).expect("a token");
    let bearer = format!("Authorization: Bearer {token}\r\n");
    assert!(status_becomes(&port, &bearer, 429).await, "more than one in a second");
    let answer = port.ask_as("POST", "/mcp", &bearer, "").await;
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("1")));
    assert!(
        answer.body.contains("the client \\\"slow\\\" sends more than 1 requests in a second, its limit"),
        "{}",
        answer.body
    );
    assert_eq!(port.ask("POST", "/mcp", "", "").await.status, 200);
}
