//! What `packaging/` has to copy is true: the unit starts, reloads and ends a gateway, and the load balancer stands before two
//! gateways on one PostgreSQL.

#![cfg(unix)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::gateway::{Answer, Gateway, Home, until};
use crate::notes;
use crate::shared_store::cluster::Cluster;

/// The name that clients know the gateways by, as the file of the balancer has it.
const HOST: &str = "tools.example";

fn project(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let sbin = [PathBuf::from("/usr/sbin")];
    std::env::split_paths(&path).chain(sbin).map(|folder| folder.join(name)).find(|program| program.exists())
}

/// The value of a line of the unit.
fn of_the_unit(key: &str) -> String {
    let unit = project("packaging/toolwright.service");
    let value = unit.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    value.unwrap_or_else(|| panic!("the unit has no {key}")).to_owned()
}

#[test]
fn the_unit_starts_reloads_and_ends_a_gateway() {
    let home = Home::new();
    std::fs::create_dir_all(home.path().join("config/toolwright")).expect("a folder");
    let file = home.path().join("config/toolwright/toolwright.json");
    std::fs::write(&file, notes::configuration(&json!({}))).expect("written");
    let start = of_the_unit("ExecStart");
    let words = start.replace("%E", &home.path().join("config").display().to_string());
    let mut words = words.split_whitespace();
    assert_eq!(words.next(), Some("%h/.cargo/bin/toolwright"), "where cargo install puts it");
    let words: Vec<&str> = words.chain(["--port", "0", "--json"]).collect();
    let mut gateway = Gateway::of(home.command(&words).stderr(Stdio::null()));
    assert!(notes::send(&gateway, "prose", "hello"));

    assert_eq!(of_the_unit("ExecReload"), "kill -HUP $MAINPID");
    let tool = notes::tool("Sends a note, quickly.");
    std::fs::write(&file, notes::configuration_of(&tool, &json!({}))).expect("written");
    gateway.signal("HUP");
    let described = || {
        let list = gateway.modern("/mcp/t/default", "tools/list", json!({})).unwrap_or_default();
        list["tools"][0]["description"].as_str().unwrap_or_default().to_owned()
    };
    until("the file was read again", || described().ends_with("quickly."));

    let stop: u64 = of_the_unit("TimeoutStopSec").parse().expect("seconds");
    gateway.signal("TERM");
    let status = gateway.end(Duration::from_secs(stop)).expect("it ends in the unit's time");
    assert_eq!(status.code(), Some(0));
}

#[test]
fn the_unit_is_one_for_systemd() {
    let Some(analyze) = program("systemd-analyze") else {
        eprintln!("SKIPPED: there is no systemd-analyze");
        return;
    };
    let folder = tempfile::tempdir().expect("a folder");
    // The program need not be there where cargo puts it.
    let unit = project("packaging/toolwright.service").replace("%h/.cargo/bin/toolwright", "/bin/true");
    let file = folder.path().join("toolwright.service");
    std::fs::write(&file, unit).expect("written");
    let output = Command::new(analyze)
        .env("XDG_RUNTIME_DIR", folder.path())
        .args(["verify", "--user", "--man=no"])
        .arg(file)
        .output()
        .expect("it runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A balancer that ends with the test.
struct Balancer {
    child: Child,
    port: u16,
}

impl Drop for Balancer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Balancer {
    /// HAProxy with the file of `packaging/`, at these gateways instead, and without TLS.
    fn start(program: &Path, folder: &Path, gateways: [u16; 2]) -> Balancer {
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let text = project("packaging/haproxy.cfg");
        for part in ["bind :443 ssl crt /etc/haproxy/tools.pem", "10.0.0.11:8484", "10.0.0.12:8484", HOST] {
            assert!(text.contains(part), "the file has no {part}");
        }
        let text = text
            .replace(":443 ssl crt /etc/haproxy/tools.pem", &format!("127.0.0.1:{port}"))
            .replace("10.0.0.11:8484", &format!("127.0.0.1:{}", gateways[0]))
            .replace("10.0.0.12:8484", &format!("127.0.0.1:{}", gateways[1]));
        let file = folder.join("haproxy.cfg");
        std::fs::write(&file, text).expect("written");
        let check = Command::new(program).args(["-c", "-f"]).arg(&file).output().expect("it runs");
        assert!(check.status.success(), "{}", String::from_utf8_lossy(&check.stderr));
        let mut run = Command::new(program);
        run.args(["-db", "-f"]).arg(&file).stdout(Stdio::null()).stderr(Stdio::null());
        Balancer { child: run.spawn().expect("it starts"), port }
    }

    fn post(&self, headers: &str, body: &Value) -> Option<Answer> {
        let body = body.to_string();
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(60))).ok()?;
        let request = format!(
            "POST /mcp/t/default HTTP/1.1\r\nHost: {HOST}\r\nConnection: close\r\nContent-Length: {}\r\n{headers}\r\n{body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let (head, body) = text.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, head: head.to_owned(), body: body.to_owned() })
    }
}

fn send_note(text: &str) -> Value {
    let params = json!({ "name": "send_note", "arguments": { "recipient": "anna", "prose": text } });
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params })
}

#[test]
fn a_session_goes_on_behind_the_balancer_when_its_gateway_is_gone() {
    let Some(haproxy) = program("haproxy") else {
        eprintln!("SKIPPED: there is no haproxy");
        return;
    };
    let cluster = Cluster::start();
    let store = cluster.database("replicas");
    let (one, two) = (Home::new(), Home::new());
    for home in [&one, &two] {
        home.put("toolwright.json", &notes::configuration(&json!({ "store": store })));
    }
    let flags = ["--allow-host", HOST];
    let first = Gateway::start(&one, &flags);
    // What the page says is to be the same everywhere.
    let state = |home: &Home, name: &str| home.path().join("state/toolwright").join(name);
    std::fs::create_dir_all(state(&two, "")).expect("a folder");
    for name in ["token", "seal-key"] {
        std::fs::copy(state(&one, name), state(&two, name)).expect(name);
    }
    let second = Gateway::start(&two, &flags);
    assert_eq!(first.token, second.token, "a token is good everywhere");

    let folder = tempfile::tempdir().expect("a folder");
    let balancer = Balancer::start(&haproxy, folder.path(), [first.port, second.port]);
    let headers = first.headers();
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": { "name": "test", "version": "1" } } });
    until("a gateway answers behind it", || {
        balancer.post(&headers, &hello).is_some_and(|answer| answer.status == 200)
    });
    let begun = balancer.post(&headers, &hello).expect("an answer");
    let session = begun.header("Mcp-Session-Id").expect("a session").to_owned();
    let headers = format!("{headers}Mcp-Session-Id: {session}\r\nMCP-Protocol-Version: 2025-11-25\r\n");
    let begun = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    assert_eq!(balancer.post(&headers, &begun).expect("an answer").status, 202);

    let sent = |text: &str| {
        let answer = balancer.post(&headers, &send_note(text)).expect("an answer");
        assert_eq!(answer.status, 200, "{answer:?}");
        assert_eq!(answer.message()["result"]["content"][0]["text"], "sent", "{answer:?}");
    };
    for number in 0..4 {
        sent(&format!("both {number}"));
    }
    let calls = || cluster.run_sql("replicas", "SELECT count(*) FROM calls WHERE kind = 0");
    until("they are in the store", || calls() == "4");
    // Each of the two goes once: the session outlives both.
    let port = first.port.to_string();
    drop(first);
    sent("the first is gone");
    until("it is in the store", || calls() == "5");
    let arguments = [&["serve", "--json", "--port", port.as_str()], flags.as_slice()].concat();
    let _again = Gateway::of(one.command(&arguments).stderr(Stdio::null()));
    drop(second);
    let answered = || {
        balancer.post(&headers, &send_note("the second is gone")).is_some_and(|answer| answer.status == 200)
    };
    until("the first one is asked again", answered);
    until("all calls are in one store", || calls() == "6");
}

#[test]
fn the_page_shows_the_file_of_the_balancer() {
    let page = project("docs/operations.md");
    assert!(
        page.contains(&project("packaging/haproxy.cfg")),
        "docs/operations.md and packaging/haproxy.cfg differ"
    );
}
