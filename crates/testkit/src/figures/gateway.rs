//! The figures of a whole gateway, over HTTP.

mod crashes;
mod many_tools;
mod reloads;
mod routing;
mod sessions;
mod starts;

use std::time::{Duration, Instant};

use tokio::time::sleep;

pub use crashes::crashes;
pub use many_tools::many_tools;
pub use reloads::reloads;
pub use routing::{ids, routing};
pub use sessions::sessions;
pub use starts::starts;

use crate::load::{Client, Served};

/// Waits until something is so; says whether it came.
async fn comes(patience: Duration, mut is_so: impl AsyncFnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    while !is_so().await {
        if Instant::now() >= deadline {
            return false;
        }
        sleep(Duration::from_millis(20)).await;
    }
    true
}

/// The names of the tools that a client sees, in their order.
async fn names(client: &mut Client, id: u64) -> Vec<String> {
    let mut names = Vec::new();
    let mut cursor = None::<String>;
    // More pages than any list here has.
    for page in 0..1000 {
        let params = match &cursor {
            Some(cursor) => format!(r#"{{"cursor":{}}}"#, serde_json::Value::from(cursor.as_str())),
            None => "{}".to_owned(),
        };
        let Ok(reply) = client.ask(&(id + page).to_string(), "tools/list", &params).await else { break };
        let Ok(result) = reply.outcome else { break };
        let tools = result["tools"].as_array().cloned().unwrap_or_default();
        names.extend(tools.iter().filter_map(|tool| tool["name"].as_str().map(str::to_owned)));
        cursor = result["nextCursor"].as_str().map(str::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    names
}

/// What is wrong with the children of a gateway that should have so many servers.
fn astray(served: &Served, expected: usize) -> Option<String> {
    let servers = served.servers();
    let zombies = servers.iter().filter(|process| process.is_zombie()).count();
    if zombies > 0 {
        return Some(format!("{zombies} zombies"));
    }
    (servers.len() != expected).then(|| format!("{} servers run, not {expected}: {servers:?}", servers.len()))
}
