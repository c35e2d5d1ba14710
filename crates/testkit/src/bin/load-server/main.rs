//! An MCP server that answers as quickly as it can and shows what reached it.
//!
//! Over stdio, or with `--http` over Streamable HTTP on a port of its own, which it prints. A legacy server,
//! or with `--modern` a modern one. `--tools=N` lists so many more tools of about 2 KB each, or of `--bytes=N`; their
//! names begin with `--prefix=TEXT`, and `--piece=TEXT` is what they repeat; `--tool=NAME` lists one more, such as
//! `repeat`, which says a text again and again; `--changes=MS` changes one tool again and again and
//! says so (over stdio); `--label=TEXT` stands before what `echo` answers; `--delay=MS` waits before the first answer,
//! `--hangs` gives none.

#![allow(clippy::print_stdout, reason = "its stdout is what is read")]

mod answers;
mod http;
mod tools;

use std::io::{self, BufRead, Write};
use std::sync::Arc;
use std::thread;

use answers::{Said, Server};

const CHANGED: &str = r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#;

fn main() -> io::Result<()> {
    let server = Arc::new(Server::new(std::env::args().skip(1)));
    if std::env::args().any(|argument| argument == "--http") {
        return http::serve(server);
    }
    if let Some(pause) = server.changes {
        let server = Arc::clone(&server);
        thread::spawn(move || {
            loop {
                thread::sleep(pause);
                if server.change() && write(CHANGED).is_err() {
                    return;
                }
            }
        });
    }
    let mut line = String::new();
    let mut stdin = io::stdin().lock();
    loop {
        line.clear();
        if stdin.read_line(&mut line)? == 0 {
            return Ok(());
        }
        match server.hear(line.trim_end_matches(['\n', '\r']), &[]) {
            Said::Nothing => {}
            Said::Now(answer) => write(&answer)?,
            Said::Later(time, answer) => {
                thread::spawn(move || {
                    thread::sleep(time);
                    // Nobody may be left who reads it.
                    let _ = write(&answer);
                });
            }
        }
    }
}

fn write(answer: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(answer.as_bytes())?;
    stdout.write_all(b"\n")?;
    stdout.flush()
}
