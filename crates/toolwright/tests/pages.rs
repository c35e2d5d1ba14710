//! The pages for people, as a browser gets them: who is let in, what they show, and what they never do.

#![cfg(unix)]

use crate::gateway;
use crate::notes;

use gateway::{Answer, Gateway, Home, until};
use serde_json::{Value, json};

const PAGES: [&str; 13] = [
    "/",
    "/live",
    "/calls",
    "/normalizer",
    "/errors",
    "/rules",
    "/playground",
    "/servers",
    "/toolboxes",
    "/models",
    "/voice",
    "/security",
    "/about",
];

/// A browser that has been let in.
pub struct Browser<'g> {
    gateway: &'g Gateway,
    cookie: String,
}

fn path_of(url: &str) -> &str {
    url.find("/login").map_or("/", |at| &url[at..])
}

impl<'g> Browser<'g> {
    /// Opens a login link of the gateway.
    pub fn enter(gateway: &'g Gateway) -> Browser<'g> {
        Browser::enter_by(gateway, &gateway.login_link())
    }

    pub fn enter_by(gateway: &'g Gateway, link: &str) -> Browser<'g> {
        let answer = gateway.send("GET", link, "", "");
        assert_eq!((answer.status, answer.header("location")), (303, Some("/")), "{answer:?}");
        let cookie = answer.header("set-cookie").expect("a cookie");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        let cookie = cookie.split(';').next().expect("a pair").to_owned();
        Browser { gateway, cookie }
    }

    /// What a button of a page has done.
    pub fn does(&self, action: &str, body: &Value) -> Answer {
        let headers = format!("Content-Type: application/json\r\nX-Toolwright-Page: {}\r\n", self.mark());
        self.post(&format!("/do/{action}"), &headers, body)
    }

    pub fn get(&self, path: &str) -> Answer {
        self.gateway.send("GET", path, &format!("Cookie: {}\r\n", self.cookie), "")
    }

    pub fn page(&self, path: &str) -> String {
        let answer = self.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.body
    }

    /// What the page sends along with what changes something.
    pub fn mark(&self) -> String {
        let page = self.page("/");
        let (_, rest) = page.split_once("name=\"toolwright-mark\" content=\"").expect("a mark");
        rest.split('"').next().expect("its end").to_owned()
    }

    pub fn post(&self, path: &str, headers: &str, body: &Value) -> Answer {
        let headers = format!("Cookie: {}\r\n{headers}", self.cookie);
        self.gateway.send("POST", path, &headers, &body.to_string())
    }
}

pub fn wait_for_index(gateway: &Gateway) {
    until("all is indexed", || {
        let answer = gateway.send("GET", "/api/health", &gateway.headers(), "");
        serde_json::from_str::<Value>(&answer.body).is_ok_and(|said| said["index"]["behind"] == json!(0))
    });
}

/// A gateway before a model that corrected itself twice, and so taught it something.
pub fn taught(home: &Home) -> Gateway {
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let gateway = Gateway::start(home, &[]);
    for words in ["buy milk", "feed the cat"] {
        notes::correct_itself(&gateway, words);
    }
    wait_for_index(&gateway);
    gateway
}

#[test]
fn a_link_lets_one_in_once_and_pages_are_for_those_inside() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    for path in PAGES {
        let answer = gateway.send("GET", path, "", "");
        assert_eq!((answer.status, answer.header("location")), (303, Some("/login")), "{path}");
    }
    wait_for_index(&gateway);
    let link = gateway.login_link();
    let browser = Browser::enter_by(&gateway, &link);
    for path in PAGES {
        let answer = browser.get(path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        let policy = answer.header("content-security-policy").expect("a policy");
        assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"));
        assert_eq!(answer.header("cache-control"), Some("no-store"));
        assert!(!answer.body.contains(" style=") && !answer.body.contains(" onclick="), "{path}");
        assert!(!answer.body.contains(&gateway.token), "{path} shows the token");
    }
    // The link was used; another one is made by the command.
    let again = gateway.send("GET", &link, "", "");
    assert!(again.status == 403 && again.body.contains("used before"), "{again:?}");
    let (code, url, error) = home.run(&["dashboard", "--url", "http://127.0.0.1:1/"]);
    assert_eq!(code, 0, "{error}");
    assert_eq!(gateway.send("GET", path_of(url.trim()), "", "").status, 303);
    // Without an address it is the gateway that runs, wherever it listens.
    let (code, url, error) = home.run(&["dashboard"]);
    assert_eq!(code, 0, "{error}");
    assert!(url.contains(&format!(".localhost:{}/login?once=", gateway.port)), "{url}");
    // So does the token in the form, and nothing else.
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let token = format!("token={}", gateway.token);
    assert_eq!(gateway.send("POST", "/login", form, &token).header("location"), Some("/"));
    assert_eq!(gateway.send("POST", "/login", form, "token=tw_wrong").status, 403);
    let foreign = format!("{form}Sec-Fetch-Site: cross-site\r\n");
    assert_eq!(gateway.send("POST", "/login", &foreign, &token).status, 403);
    let lost = format!("Cookie: {}\r\nAccept: text/html\r\n", browser.cookie);
    let lost = gateway.send("GET", "/nowhere", &lost, "");
    assert!(lost.status == 404 && lost.body.contains("There is no such page"), "{lost:?}");
    assert_eq!(gateway.send("GET", "/nowhere", "Accept: text/html\r\n", "").status, 401, "nobody is inside");
    // Who leaves takes no cookie along.
    let left = browser.get("/logout");
    assert_eq!(left.header("location"), Some("/login"));
    assert_eq!(browser.get("/").header("location"), Some("/login"), "an old cookie opens nothing");
    assert!(
        left.header("set-cookie")
            .is_some_and(|cookie| cookie.contains("=; ") && cookie.contains("Max-Age=0"))
    );
    // Files are for everybody, and say nothing of this gateway.
    for (file, kind) in
        [("style.css", "text/css"), ("script.js", "text/javascript"), ("icon.svg", "image/svg+xml")]
    {
        let answer = gateway.send("GET", &format!("/assets/{file}"), "", "");
        assert!(
            answer.status == 200 && answer.header("content-type").is_some_and(|it| it.starts_with(kind)),
            "{answer:?}"
        );
    }
    assert_eq!(
        gateway.send("HEAD", "/", "", "").status,
        200,
        "clients of models look so whether somebody is there"
    );
}

#[test]
fn a_used_link_and_a_logout_hold_after_a_restart_and_on_other_gateways_of_the_state_folder() {
    let home = Home::new();
    let first = Gateway::start(&home, &[]);
    let second = Gateway::start(&home, &[]);
    let link = first.login_link();
    let (left, stays) = (Browser::enter_by(&first, &link), Browser::enter(&first));
    assert_eq!(second.send("GET", &link, "", "").status, 403, "another gateway takes it no more");
    left.get("/logout");
    let value = |browser: &Browser| browser.cookie.split_once('=').expect("a pair").1.to_owned();
    let (left, stays) = (value(&left), value(&stays));
    drop(first);
    let restarted = Gateway::start(&home, &[]);
    assert_eq!(restarted.send("GET", &link, "", "").status, 403, "it was used before the restart");
    for gateway in [&second, &restarted] {
        let status = |value: &str| {
            let cookie = format!("Cookie: toolwright_{}={value}\r\n", gateway.port);
            gateway.send("GET", "/about", &cookie, "").status
        };
        assert_eq!((status(&left), status(&stays)), (303, 200));
    }
}

/// A browser sends the cookies of a host to all of its ports: programs on other ports do not know this host.
#[test]
fn the_dashboard_has_a_host_of_its_own_on_this_machine() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let (code, url, error) = home.run(&["dashboard"]);
    assert_eq!(code, 0, "{error}");
    let (host, path) = url.trim().strip_prefix("http://").and_then(|it| it.split_once('/')).expect("a URL");
    assert!(host.ends_with(&format!(".localhost:{}", gateway.port)), "{url}");
    let ask = |host: &str, line: &str, more: &str, body: &str| {
        use std::io::{Read, Write};
        let mut stream = std::net::TcpStream::connect(("127.0.0.1", gateway.port)).expect("a connection");
        let length = body.len();
        write!(stream, "{line} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nContent-Length: {length}\r\n{more}\r\n{body}")
            .expect("sent");
        let mut text = String::new();
        stream.read_to_string(&mut text).expect("an answer");
        text
    };
    let entered = ask(host, &format!("GET /{path}"), "", "");
    assert!(entered.starts_with("HTTP/1.1 303") && entered.contains("Max-Age=604800"), "{entered}");
    // Its forms and buttons name it as their origin.
    let form = format!("Origin: http://{host}\r\nContent-Type: application/x-www-form-urlencoded\r\n");
    let entered = ask(host, "POST /login", &form, &format!("token={}", gateway.token));
    assert!(entered.starts_with("HTTP/1.1 303"), "{entered}");
    let shared =
        ask(&format!("127.0.0.1:{}", gateway.port), "POST /login", "", &format!("token={}", gateway.token));
    assert!(shared.contains("Max-Age=43200"), "a host that others share: {shared}");
    // Nobody learns the host who has not logged in, and no other name below localhost is served.
    for path in ["/", "/login", "/healthz", "/readyz", "/assets/script.js"] {
        let name = host.split('.').next().expect("a name");
        let said = ask(&format!("127.0.0.1:{}", gateway.port), &format!("GET {path}"), "", "");
        assert!(!said.contains(name), "{path}: {said}");
    }
    let other = ask(&format!("toolwright.localhost:{}", gateway.port), "GET /login", "", "");
    assert!(other.starts_with("HTTP/1.1 403"), "{other}");
}

/// Those who are not logged in take no place of the owner, however slow or many they are.
#[test]
fn slow_strangers_at_the_login_do_not_keep_the_owner_out() {
    use std::io::Write;
    let home = Home::new();
    let gateway = Gateway::start(&home, &["--calls", "4", "--rate", "20"]);
    let slow: Vec<_> = (0..30)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(("127.0.0.1", gateway.port)).expect("a connection");
            let head = "POST /login HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ntoken=";
            stream.write_all(head.as_bytes()).expect("sent");
            stream
        })
        .collect();
    // And quick ones, more than their rate allows.
    let statuses: Vec<u16> = (0..60).map(|_| gateway.send("GET", "/login", "", "").status).collect();
    assert!(statuses.contains(&429), "{statuses:?}");
    let form = "Content-Type: application/x-www-form-urlencoded\r\n";
    let entered = gateway.send("POST", "/login", form, &format!("token={}", gateway.token));
    assert_eq!(entered.status, 303, "{entered:?}");
    Browser::enter(&gateway);
    drop(slow);
}

#[test]
fn another_install_has_another_token_and_another_session() {
    let (home, other) = (Home::new(), Home::new());
    let (gateway, second) = (Gateway::start(&home, &[]), Gateway::start(&other, &[]));
    assert_ne!(gateway.token, second.token);
    let browser = Browser::enter(&gateway);
    let value = browser.cookie.split_once('=').expect("a pair").1;
    let there = format!("Cookie: toolwright_{}={value}\r\n", second.port);
    assert_eq!(second.send("GET", "/", &there, "").status, 303, "it opens nothing there");
    let link = gateway.login_link();
    assert_eq!(second.send("GET", &link, "", "").status, 403);
}

#[test]
fn pages_show_what_happened_and_a_suggestion_is_accepted_and_taken_back_there() {
    let home = Home::new();
    let gateway = taught(&home);
    let browser = Browser::enter(&gateway);
    let overview = browser.page("/");
    assert!(
        overview.contains("notes") && overview.contains("send_note") && overview.contains("<svg"),
        "{overview}"
    );
    let calls = browser.page("/calls?tool=send_note&outcome=error");
    assert!(calls.contains("⊘</span> refused") && !calls.contains("✓</span> ok"), "{calls}");
    let (_, rest) = calls.split_once("href=\"/calls/").expect("a call");
    let call = browser.page(&format!("/calls/{}", rest.split('"').next().expect("an id")));
    assert!(
        call.contains("What went wrong") && call.contains("buy milk") || call.contains("feed the cat"),
        "{call}"
    );
    // Nothing was sent anywhere, and the page says so.
    assert!(
        call.contains("these arguments were sent to no tool") && call.contains("no tool: Toolwright refused"),
        "{call}"
    );
    assert!(!call.contains("forwarded unchanged") && !call.contains("✕ failed"), "{call}");
    let models = browser.page("/models");
    assert!(models.contains(&format!("ANTHROPIC_BASE_URL=http://127.0.0.1:{}<", gateway.port)), "{models}");
    let chosen = browser.page("/playground?tool=notes%2Fsend_note");
    let (_, schema) = chosen.split_once("id=\"schema\"").expect("a schema");
    let schema = schema.split("</textarea>").next().expect("its end");
    assert!(schema.contains("readonly") && schema.contains("properties"), "{schema}");
    assert!(!schema.contains("lines"), "the example: {schema}");
    assert!(browser.page("/servers").contains("ready"), "the server is there");
    until("there is a suggestion", || browser.page("/errors").contains("data-decide=\"accept\""));
    let errors = browser.page("/errors");
    let (_, rest) = errors.split_once("data-suggestion=\"").expect("a suggestion");
    let id = rest.split('"').next().expect("an id").to_owned();
    // The button asks the same path as programs do, with the mark of the page.
    let json = format!("Content-Type: application/json\r\nX-Toolwright-Page: {}\r\n", browser.mark());
    let decide =
        |word: &str| browser.post(&format!("/api/suggestions/{id}/{word}"), &json, &json!({})).status;
    assert_eq!(decide("accept"), 200);
    let errors = browser.page("/errors");
    assert!(
        errors.contains("data-decide=\"undo\"") && !errors.contains("data-decide=\"accept\""),
        "{errors}"
    );
    let rules = browser.page("/rules");
    assert!(rules.contains("what calls taught"));
    assert!(rules.contains("read_file-offset-drop") && rules.contains("model calls"), "{rules}");
    assert!(notes::send(&gateway, "payload", "water the plants"), "what failed before is mended now");
    wait_for_index(&gateway);
    assert!(browser.page("/calls?outcome=changed").contains("mended"), "the next call is mended");
    assert_eq!(decide("undo"), 200);
    assert!(!notes::send(&gateway, "payload", "again"), "the rule is not in force any more");
}

#[test]
fn pages_of_other_sites_change_nothing() {
    let home = Home::new();
    home.put("toolwright.json", &notes::configuration(&json!({})));
    let gateway = Gateway::start(&home, &[]);
    let browser = Browser::enter(&gateway);
    let mark = browser.mark();
    let body = json!({ "server": "notes" });
    let json = "Content-Type: application/json\r\n";
    let marked = format!("X-Toolwright-Page: {mark}\r\n");
    for (headers, status) in [
        (json.to_owned(), 403),
        (format!("Content-Type: text/plain\r\n{marked}"), 415),
        (format!("Content-Type: application/x-www-form-urlencoded\r\n{marked}"), 415),
        (format!("{json}{marked}Sec-Fetch-Site: cross-site\r\n"), 403),
        (format!("{json}{marked}Sec-Fetch-Site: same-site\r\n"), 403),
        (format!("{json}{marked}Origin: https://evil.example\r\n"), 403),
        (format!("{json}X-Toolwright-Page: {mark}x\r\n"), 403),
        (format!("{json}{marked}"), 200),
    ] {
        let answer = browser.post("/do/restart", &headers, &body);
        assert_eq!(answer.status, status, "{headers}: {answer:?}");
    }
    // Decisions by the cookie alone are none, and neither is anything of the protocol.
    assert_eq!(browser.post("/api/suggestions/x/accept", json, &json!({})).status, 401);
    assert_eq!(browser.post("/mcp", &format!("{json}{marked}"), &json!({})).status, 401);
    assert_eq!(browser.get("/metrics").status, 401);
    let foreign = format!("Cookie: {}\r\nSec-Fetch-Site: cross-site\r\n", browser.cookie);
    assert!(gateway.send("GET", "/api/operations", &foreign, "").status >= 400);
    assert_eq!(browser.get("/api/operations").status, 200);
    let outside = gateway.send("POST", "/do/restart", &format!("{json}{marked}"), &body.to_string());
    assert_eq!(outside.status, 401, "{outside:?}");
}

#[test]
fn the_playground_tells_every_step_and_calls_nothing() {
    let home = Home::new();
    let gateway = Gateway::start(&home, &[]);
    let browser = Browser::enter(&gateway);
    let page = browser.page("/playground?tool=read_file&arguments=%7B%22file_path%22%3A%22notes.md%22%7D");
    assert!(page.contains("Mended") && page.contains("&quot;path&quot;: &quot;notes.md&quot;"), "{page}");
    assert!(!page.contains("buy milk"), "nothing is read");
    let headers = format!("Content-Type: application/json\r\nX-Toolwright-Page: {}\r\n", browser.mark());
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}"#;
    let tried = |arguments: &str| {
        let body = json!({ "tool": "", "schema": schema, "arguments": arguments });
        browser.post("/do/try", &headers, &body).body
    };
    assert!(tried(r#"{"n":"5"}"#).contains("Mended"));
    assert!(tried(r#"{"n":5}"#).contains("fits as it is"));
    assert!(tried(r#"{"n":"five"}"#).contains("cannot be mended safely"));
    let wrong = browser.post("/do/try", &headers, &json!({ "schema": "{", "arguments": "{}" })).body;
    assert!(wrong.contains("The schema cannot be used"), "{wrong}");
}

/// Whatever comes from outside is text on every page.
#[test]
fn nothing_that_comes_from_outside_becomes_a_part_of_a_page() {
    const HOSTILE: &str = "<script>alert(1)</script><img src=x onerror=alert(1)>\"'`javascript:alert(1)";
    let home = Home::new();
    let script = "echo '<script>alert(2)</script>' >&2; echo '<script>alert(3)</script>'; sleep 60";
    home.put(
        "toolwright.json",
        &json!({
            "mcpServers": { "<script>alert(4)<-script>": { "command": "sh", "args": ["-c", script] } },
            "builtinTools": true,
        })
        .to_string(),
    );
    let gateway = Gateway::start(&home, &[]);
    for (tool, arguments) in [
        ("read_file", json!({ "file_path": HOSTILE })),
        ("read_file", json!({ HOSTILE: HOSTILE })),
        (HOSTILE, json!({ HOSTILE: HOSTILE })),
        ("list_directory", json!({ "path": HOSTILE, HOSTILE: 1 })),
    ] {
        // Whatever becomes of it, it is written down.
        let _ =
            gateway.modern("/mcp/t/builtin", "tools/call", json!({ "name": tool, "arguments": arguments }));
    }
    // A list starts the server, which says on stderr what it has to say.
    let _ = gateway.modern("/mcp/all", "tools/list", json!({}));
    wait_for_index(&gateway);
    let browser = Browser::enter(&gateway);
    until("the server is heard", || browser.page("/servers").contains("&lt;script&gt;alert(2)"));
    assert!(browser.page("/servers").contains("&lt;script&gt;alert(4)"), "its name is there");
    let calls = browser.page("/calls");
    let ids: Vec<String> = calls
        .split("href=\"/calls/")
        .skip(1)
        .filter_map(|rest| rest.split('"').next().map(str::to_owned))
        .collect();
    assert!(!ids.is_empty(), "calls were written down: {calls}");
    let encoded = "%3Cscript%3Ealert(1)%3C/script%3E%22";
    let mut paths: Vec<String> = PAGES.iter().map(|path| (*path).to_owned()).collect();
    paths.extend(ids.iter().map(|id| format!("/calls/{id}")));
    for name in ["q", "tool", "server", "client", "rule", "outcome", "after", "schema", "arguments"] {
        paths.push(format!("/calls?{name}={encoded}"));
        paths.push(format!("/playground?{name}={encoded}"));
    }
    paths.push(format!("/calls/{}", encoded.replace('/', "%2F")));
    paths.push(format!("/login?once={encoded}"));
    for path in paths {
        let page = browser.get(&path).body;
        assert!(
            !page.contains("<script>") && !page.contains("<img") && !page.contains("onerror=alert(1)>\""),
            "{path}: {page}"
        );
        assert!(!page.contains("href=\"javascript:"), "{path}");
        let scripts: Vec<&str> = page.match_indices("<script").map(|(at, _)| &page[at..]).collect();
        assert!(
            scripts.iter().all(|it| {
                it.starts_with("<script src=\"/assets/script.js\" defer>")
                    || it.starts_with("<script src=\"/assets/theme.js\">")
            }) && scripts.len() <= 2,
            "{path}"
        );
    }
}
