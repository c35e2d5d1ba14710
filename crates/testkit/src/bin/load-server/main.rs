//! An MCP server that answers as quickly as it can and shows what reached it.
//!
//! Over stdio, or with `--http` over Streamable HTTP on a port of its own, which it prints. A legacy server,
//! or with `--modern` a modern one. `--tools=N` lists so many more tools of about 2 KB each, their names begin
//! with `--prefix=TEXT`; `--tool=NAME` lists one more; `--label=TEXT` stands before what `echo` answers;
//! `--delay=MS` waits before the first answer, `--hangs` gives none.

#![allow(clippy::print_stdout, reason = "its stdout is what is read")]

mod answers;
mod http;
mod tools;

use std::io::{self, BufRead, Write};
use std::thread;

use answers::{Said, Server};

fn main() -> io::Result<()> {
    let server = Server::new(std::env::args().skip(1));
    if std::env::args().any(|argument| argument == "--http") {
        return http::serve(server);
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
