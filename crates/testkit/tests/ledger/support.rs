//! What these tests share: programs, calls, and what was written down of them.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolwright_testkit::load::{Client, Era, GatewayPrograms, Reply, Served};

/// The journal of a gateway, in its folder.
pub const JOURNAL: &str = "toolwright/journal/main";

pub fn programs() -> GatewayPrograms {
    GatewayPrograms::beside(Path::new(env!("CARGO_BIN_EXE_load-server")))
}

/// A configuration with the server `one` and a toolbox of its own for it.
pub fn one_server(programs: &GatewayPrograms) -> Value {
    programs.apart(&[("one".to_owned(), programs.entry(&[]))])
}

pub async fn client(served: &Served) -> Client {
    served.client("/mcp/t/one", Era::Modern).await.expect("a client")
}

/// A call of a tool with one text.
pub async fn say(client: &mut Client, tool: &str, text: &str) -> Reply {
    let arguments = json!({ "text": text }).to_string();
    client.call("1", tool, &arguments).await.expect("a reply")
}

/// Every record that `audit export` tells, in its order.
pub fn exported(served: &Served) -> Vec<Value> {
    let (code, lines, complaint) = served.run(&["audit", "export"]);
    assert_eq!(code, 0, "{complaint}");
    lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What `audit verify` says of a journal that must be whole.
pub fn verified(served: &Served) -> String {
    let (code, said, complaint) = served.run(&["audit", "verify"]);
    assert_eq!(code, 0, "{said}{complaint}");
    said
}

/// Whether a program works here. When it does not, that is said: the test proves nothing then.
pub fn works(program: &str, words: &[&str]) -> bool {
    let ran = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).status();
    let works = ran.is_ok_and(|status| status.success());
    if !works {
        eprintln!("SKIPPED: `{program} {}` does not work here", words.join(" "));
    }
    works
}

/// Waits until something is so, for a generous time.
pub async fn until(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(30);
    while !is_so().await {
        assert!(Instant::now() < deadline, "{what} did not come to be");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
