//! A small HTTP server on the loopback that answers what a test wants and remembers what it was asked.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

/// What the server does with every request.
#[derive(Clone)]
pub enum Reply {
    /// A status and a body.
    Say(u16, String),
    /// A status, a header line and a body.
    SayWith(u16, &'static str, String),
    /// Nothing, for longer than anybody waits.
    Silence,
    /// The connection is closed in the middle of the body.
    Half,
}

/// The server; it lives as long as the process.
pub struct Server {
    pub url: String,
    requests: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub fn new(reply: Reply) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (reply, seen) = (reply.clone(), Arc::clone(&seen));
                thread::spawn(move || answer(stream, &reply, &seen));
            }
        });
        Server { url, requests }
    }

    /// The head of the only request so far.
    pub fn request(&self) -> String {
        let requests = self.requests.lock().unwrap();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests[0].clone()
    }
}

fn answer(mut stream: TcpStream, reply: &Reply, seen: &Mutex<Vec<String>>) {
    let mut head = String::new();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    while !head.ends_with("\r\n\r\n") {
        if reader.read_line(&mut head).unwrap_or(0) == 0 {
            return;
        }
    }
    seen.lock().unwrap().push(head);
    let _ = match reply {
        Reply::Say(status, body) => write(&mut stream, *status, "x-none: 1", body),
        Reply::SayWith(status, header, body) => write(&mut stream, *status, header, body),
        Reply::Half => stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n{\"results\":["),
        Reply::Silence => {
            thread::sleep(Duration::from_secs(30));
            Ok(())
        }
    };
    // Until the other side has read everything and closes.
    let _ = stream.shutdown(std::net::Shutdown::Write);
    let _ = reader.read_to_end(&mut Vec::new());
}

fn write(stream: &mut TcpStream, status: u16, header: &str, body: &str) -> std::io::Result<()> {
    let length = body.len();
    let head =
        format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n{header}\r\n\r\n");
    stream.write_all(head.as_bytes())?;
    stream.write_all(body.as_bytes())
}
