//! The hostile server as a child of the test.

#![allow(dead_code, reason = "every test file uses its part of it")]

use std::sync::Arc;
use std::time::Duration;

use toolwright_mcp::stdio::{ChildCommand, StartedChild, StderrRing, start};
use toolwright_mcp::{Connection, Host, NoHost, RequestOptions};

/// Longer than anything here takes, so that a hang is a failure and not a wait.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A server that runs.
pub struct Child {
    pub connection: Connection,
    pub stderr: Arc<StderrRing>,
    pub pid: u32,
}

impl Child {
    pub fn start(args: &[&str]) -> Child {
        Child::start_with(args, Arc::new(NoHost))
    }

    pub fn start_with(args: &[&str], host: Arc<dyn Host>) -> Child {
        Child::start_limited(args, host, None)
    }

    /// The same with another limit on the size of its answers.
    pub fn start_limited(args: &[&str], host: Arc<dyn Host>, max_response_bytes: Option<usize>) -> Child {
        let command = ChildCommand {
            program: env!("CARGO_BIN_EXE_hostile-server").into(),
            args: args.iter().map(Into::into).collect(),
            max_response_bytes,
            ..ChildCommand::default()
        };
        let StartedChild { link, stderr, pid, .. } = start(&command).expect("the server starts");
        let connection = Connection::open(link, host);
        Child { connection, stderr, pid: pid.expect("it runs") }
    }
}

pub fn options() -> RequestOptions {
    RequestOptions { timeout: Some(PATIENCE), ..RequestOptions::default() }
}
