//! Our own connections in a process of their own: calls come in as lines and go to a supervised server.
//!
//! There is no front in between yet, so that lines stand in for it.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{ChildStdin, ChildStdout};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, stdin};
use tokio::sync::oneshot;
use toolwright_base::IgnorePoison;
use toolwright_jsonrpc::{Json, raw};
use toolwright_mcp::guard::Guardian;
use toolwright_testkit::servers::{Programs, call, supervised, text_of};

use crate::way::Said;

/// How long a call may take here; shorter than its caller waits.
const TIMEOUT: Duration = Duration::from_secs(10);
/// How long a call waits for a server that is being started again.
const READY: Duration = Duration::from_secs(2);
/// How much of a result is told.
const TOLD_BYTES: usize = 4000;

/// Serves calls from stdin until it ends: `{"id", "habit", "arguments"}`.
pub async fn serve() {
    let own = std::env::current_exe().expect("this program has a path");
    let programs = Programs::beside(&own);
    let guardian = Guardian::start(programs.guardian.clone(), vec!["__guard".into()]).ok();
    let command = toolwright_mcp::stdio::ChildCommand { guardian, ..programs.hostile(&[]) };
    let server = supervised("hostile", command);
    let mut lines = tokio::io::BufReader::new(stdin()).lines();
    while let Ok(Some(line)) = lines.next_line().await {
        let server = server.clone();
        tokio::spawn(async move {
            let Ok(asked) = Json::parse(&line) else { return };
            let id = asked.get("id").map_or(String::new(), |id| id.to_string());
            let habit = asked.get_text("habit").unwrap_or_default();
            let arguments = asked.get("arguments").unwrap_or_else(Json::empty_object);
            let answer = match server.peer(READY).await {
                Ok(peer) => {
                    call(&peer, &habit, arguments.as_str(), TIMEOUT).await.map_err(|error| error.to_string())
                }
                Err(error) => Err(error.to_string()),
            };
            let (kind, text) = match &answer {
                Ok(result) => ("ok", text_of(result)),
                Err(error) => ("error", error.clone()),
            };
            let text = &text[..text.floor_char_boundary(TOLD_BYTES)];
            println!(r#"{{"id":{id},"{kind}":{}}}"#, raw::quote(text));
        });
    }
}

type Waiting = Arc<Mutex<HashMap<String, oneshot::Sender<Said>>>>;

/// The other end of the lines.
pub struct Lines {
    stdin: Mutex<ChildStdin>,
    ids: AtomicU64,
    waiting: Waiting,
}

impl Lines {
    pub fn new(stdin: ChildStdin, stdout: ChildStdout) -> Lines {
        let waiting = Waiting::default();
        let answered = Arc::clone(&waiting);
        std::thread::spawn(move || {
            for line in BufReader::new(stdout).lines().map_while(Result::ok) {
                let Ok(line) = Json::parse(&line) else { continue };
                let said = match line.get_text("ok") {
                    Some(text) => Said::Result(text),
                    None => Said::Error(line.get_text("error").unwrap_or_default()),
                };
                let id = line.get("id").map_or(String::new(), |id| id.to_string());
                let waiter = answered.lock().ignore_poison().remove(&id);
                if let Some(waiter) = waiter {
                    let _ = waiter.send(said);
                }
            }
        });
        Lines { stdin: Mutex::new(stdin), ids: AtomicU64::new(0), waiting }
    }

    pub async fn call(&self, habit: &str, arguments: &str) -> Said {
        let id = self.ids.fetch_add(1, Ordering::Relaxed).to_string();
        let (answer, answered) = oneshot::channel();
        self.waiting.lock().ignore_poison().insert(id.clone(), answer);
        let line = format!("{{\"id\":{id},\"habit\":{},\"arguments\":{arguments}}}\n", raw::quote(habit));
        let written = self.stdin.lock().ignore_poison().write_all(line.as_bytes());
        match written {
            Ok(()) => answered.await.unwrap_or_else(|_| Said::Error("it is gone".to_owned())),
            Err(error) => Said::Error(error.to_string()),
        }
    }
}
