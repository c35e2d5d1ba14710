//! Who gets nothing of `/api/*`, and what wrong questions are answered with.

use serde_json::Value;
use toolwright_port::{API_ROUTES, Allowed, NewToken};

use crate::port::{Answer, Doors, port};
use crate::telling::{Index, telling, telling_at};

fn paths() -> impl Iterator<Item = (String, String)> {
    let filled = |path: &str| path.replace("{call}", "call1").replace("{id}", "0a1b2c3d4e5f");
    API_ROUTES.iter().map(move |(method, path)| (method.to_uppercase(), filled(path)))
}

fn reason(answer: &Answer) -> String {
    let told: Value = serde_json::from_str(&answer.body).unwrap_or_default();
    told["error"]["data"]["reason"].as_str().unwrap_or_default().to_owned()
}

const JSON: &str = "Content-Type: application/json\r\n";

#[tokio::test(flavor = "multi_thread")]
async fn only_who_may_see_everything_sees_anything() {
    let telling = telling(Index::None).await;
    let new = NewToken {
        name: "editor".into(),
        created: "2026-11-16T10:00:00Z".into(),
        toolboxes: Some(vec!["dev".into()]),
        ..NewToken::default()
    };
    let limited = telling.port.folder.add(new).expect("a token");
    let limited = format!("Authorization: Bearer {limited}\r\n{JSON}");
    for _ in 0..500 {
        if telling.port.ask_as("GET", "/metrics", &limited, "").await.status != 401 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let numbers = telling.port.ask_as("GET", "/metrics", &limited, "").await;
    assert_eq!((numbers.status, &*reason(&numbers)), (403, "access"), "{}", numbers.body);
    for (method, path) in paths() {
        let answer = telling.port.ask_as(&method, &path, JSON, "{}").await;
        assert_eq!((answer.status, &*reason(&answer)), (401, "token"), "{path}");
        let answer = telling.port.ask_as(&method, &path, &limited, "{}").await;
        assert_eq!((answer.status, &*reason(&answer)), (403, "access"), "{path}: {}", answer.body);
        assert!(answer.body.contains("made without --toolbox"), "{}", answer.body);
        for page in [
            "Sec-Fetch-Site: cross-site\r\n",
            "Origin: https://evil.example\r\nSec-Fetch-Site: cross-site\r\n",
            "Origin: null\r\n",
        ] {
            let answer = telling.port.ask(&method, &path, &format!("{page}{JSON}"), "{}").await;
            assert_eq!((answer.status, &*reason(&answer)), (403, "origin"), "{path}: {page}");
        }
        let wrong = telling.port.request(&method, &path, &telling.port.bearer(), "");
        let wrong = wrong.replacen("127.0.0.1:", "evil.example:", 1);
        let answer = telling.port.raw(&wrong).await.expect("an answer");
        assert_eq!((answer.status, &*reason(&answer)), (403, "host"), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_the_methods_of_a_path_are_possible() {
    let telling = telling(Index::None).await;
    for (method, path) in paths() {
        let (wrong, allow) = match &*method {
            "GET" => (&["POST", "PUT", "DELETE", "PATCH"][..], "GET, HEAD, OPTIONS"),
            _ => (&["GET", "HEAD", "PUT", "DELETE"][..], "POST, OPTIONS"),
        };
        for other in wrong {
            let answer = telling.port.ask(other, &path, JSON, "{}").await;
            assert_eq!((answer.status, answer.header("allow")), (405, Some(allow)), "{other} {path}");
        }
        if method == "GET" {
            let (get, head) = (telling.get(&path).await, telling.port.ask("HEAD", &path, "", "").await);
            assert_eq!(get.status, head.status, "{path}");
            assert_eq!(head.body, "", "{path}");
        }
        let answer = telling.port.ask("OPTIONS", &path, "", "").await;
        assert_eq!((answer.status, answer.header("allow")), (204, Some(allow)), "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_decides_nothing_unless_it_may_read_the_answer() {
    let path = "/api/suggestions/0a1b2c3d4e5f/accept";
    // Nobody needs a token here: only the headers tell who asks.
    let allowed = Allowed { origins: vec!["https://board.example".into()], ..Allowed::default() };
    let open = telling_at(Index::None, Doors::Open, allowed).await;
    for (page, status) in [
        ("", 404),
        ("Sec-Fetch-Site: same-origin\r\n", 404),
        ("Origin: https://board.example\r\nSec-Fetch-Site: cross-site\r\n", 404),
        ("Origin: http://localhost:3000\r\nSec-Fetch-Site: same-site\r\n", 403),
        ("Sec-Fetch-Site: same-site\r\n", 403),
        ("Sec-Fetch-Site: cross-site\r\n", 403),
    ] {
        let answer = open.port.ask_as("POST", path, &format!("{page}{JSON}"), "{}").await;
        assert_eq!(answer.status, status, "{page}: {}", answer.body);
    }
    for kind in ["", "Content-Type: text/plain\r\n", "Content-Type: application/x-www-form-urlencoded\r\n"] {
        let answer = open.port.ask_as("POST", path, kind, "{}").await;
        assert_eq!((answer.status, &*reason(&answer)), (415, "kind"), "{kind}: {}", answer.body);
        assert!(answer.body.contains("application/json"), "{}", answer.body);
    }
    let answer =
        open.port.ask_as("POST", path, "Content-Type: application/json; charset=utf-8\r\n", "{}").await;
    assert_eq!(answer.status, 404, "{}", answer.body);
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_parameters_are_told_with_what_is_right() {
    let telling = telling(Index::None).await;
    for (path, part) in [
        ("/api/operations?limit=0", "\\\"limit\\\": \\\"0\\\" is no number from 1 to 1000"),
        ("/api/operations?limit=1001", "from 1 to 1000"),
        ("/api/operations?limit=all", "leave it out for 100"),
        ("/api/operations?cursor=5", "x-next-cursor"),
        ("/api/operations?outcome=fine", "use ok, error, changed, interrupted or running"),
        ("/api/operations?since=yesterday", "15m, 24h or 7d"),
        ("/api/operations?colour=red", "there are limit, cursor, tool"),
        ("/api/operations?q=%FF", "it is no text"),
        ("/api/operations?tool=a&tool=b", "it is there twice"),
        ("/api/operations/call1?x=1", "there are none"),
        ("/api/operations/live?limit=1", "there are none"),
        ("/api/stats?range=2h", "use all, 1h, 24h, 7d, 30d, 90d"),
        ("/api/stats?scope=me", "use gateway, all"),
        ("/api/stats?minutes=1441", "from 1 to 1440"),
        ("/api/suggestions/history?limit=-1", "from 1 to 1000"),
        ("/api/health?x", "there are none"),
    ] {
        let answer = telling.get(path).await;
        assert_eq!((answer.status, &*reason(&answer)), (400, "parameter"), "{path}: {}", answer.body);
        assert!(answer.body.contains(part), "{path}: {}", answer.body);
    }
    let answer = telling.get("/api/operations/nothing").await;
    assert_eq!((answer.status, &*reason(&answer)), (404, "call"), "{}", answer.body);
    let answer = telling.get("/api/nothing").await;
    assert_eq!((answer.status, &*reason(&answer)), (404, "path"), "{}", answer.body);
    // A port that tells nothing has none of the paths.
    let silent = port().await;
    for (method, path) in paths() {
        let answer = silent.ask(&method, &path, JSON, "{}").await;
        assert_eq!((answer.status, &*reason(&answer)), (404, "path"), "{path}");
    }
}
