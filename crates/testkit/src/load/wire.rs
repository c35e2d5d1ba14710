//! One HTTP/1.1 connection that is kept: bytes out, one answer in.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// A connection.
pub struct Wire {
    stream: TcpStream,
    /// What has come and is not read yet starts at `at`.
    buffer: Vec<u8>,
    at: usize,
}

/// What came back.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The lines of the head, without the first.
    pub head: String,
    /// The body without its chunks.
    pub body: Vec<u8>,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.split("\r\n").find_map(|line| {
            let (known, value) = line.split_once(':')?;
            known.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    /// Whether the body is a stream of events.
    pub fn is_stream(&self) -> bool {
        self.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"))
    }

    /// The body as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

impl Wire {
    /// Connects.
    pub async fn connect(address: SocketAddr) -> io::Result<Wire> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Wire { stream, buffer: Vec::with_capacity(CHUNK), at: 0 })
    }

    /// Sends these bytes as they are.
    pub async fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// Sends a whole request and waits for the end of its answer.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.send(request).await?;
        self.receive().await
    }

    /// Waits for the end of the next answer.
    pub async fn receive(&mut self) -> io::Result<Answer> {
        let head = self.receive_head().await?;
        self.receive_body(head).await
    }

    /// Waits for the rest of an answer whose head has come.
    pub async fn receive_body(&mut self, mut answer: Answer) -> io::Result<Answer> {
        if answer.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
            while let Some(chunk) = self.receive_chunk().await? {
                answer.body.extend_from_slice(&chunk);
            }
        } else if let Some(length) = answer.header("content-length") {
            let length: usize = length.parse().map_err(|_| broken("its length is no number"))?;
            self.fill(length).await?;
            answer.body.extend_from_slice(self.taken(length));
        } else if answer.status != 202 && answer.status != 204 {
            return Err(broken("its body has no length"));
        }
        Ok(answer)
    }

    /// Waits for the head of the next answer; its body is still to come.
    pub async fn receive_head(&mut self) -> io::Result<Answer> {
        let length = self.find(b"\r\n\r\n").await?;
        let head = String::from_utf8_lossy(self.taken(length)).into_owned();
        self.at += 4;
        let (first, rest) = head.split_once("\r\n").unwrap_or((&head, ""));
        let status = first.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| broken("its status is no number"))?;
        Ok(Answer { status, head: rest.to_owned(), body: Vec::new() })
    }

    /// The next chunk of a body that comes in chunks; nothing at its end.
    pub async fn receive_chunk(&mut self) -> io::Result<Option<Vec<u8>>> {
        let length = self.find(b"\r\n").await?;
        let line = String::from_utf8_lossy(self.taken(length)).into_owned();
        self.at += 2;
        let size = line.split(';').next().unwrap_or_default().trim();
        let size = usize::from_str_radix(size, 16).map_err(|_| broken("a chunk has no length"))?;
        self.fill(size + 2).await?;
        let chunk = self.taken(size).to_vec();
        self.at += 2;
        Ok((size > 0).then_some(chunk))
    }

    /// Waits until these bytes have come, and says after how many others.
    async fn find(&mut self, wanted: &[u8]) -> io::Result<usize> {
        let mut searched = 0;
        loop {
            let come = &self.buffer[self.at..];
            let found = come[searched..].windows(wanted.len()).position(|window| window == wanted);
            if let Some(found) = found {
                return Ok(searched + found);
            }
            searched = come.len().saturating_sub(wanted.len() - 1);
            self.more().await?;
        }
    }

    async fn fill(&mut self, length: usize) -> io::Result<()> {
        while self.buffer.len() - self.at < length {
            self.more().await?;
        }
        Ok(())
    }

    fn taken(&mut self, length: usize) -> &[u8] {
        self.at += length;
        &self.buffer[self.at - length..self.at]
    }

    async fn more(&mut self) -> io::Result<()> {
        if self.at == self.buffer.len() {
            self.buffer.clear();
            self.at = 0;
        }
        self.buffer.reserve(CHUNK);
        match self.stream.read_buf(&mut self.buffer).await? {
            0 => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed")),
            _ => Ok(()),
        }
    }
}

fn broken(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the answer is not understood: {what}"))
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    #[tokio::test]
    async fn answers_of_every_form_are_read_one_after_the_other() {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("an address");
        let answers = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none\
            HTTP/1.1 202 Accepted\r\n\r\n\
            HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\ntw\r\n1;x=y\r\no\r\n0\r\n\r\n\
            HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n";
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.expect("a client");
            for piece in answers.as_bytes().chunks(5) {
                stream.write_all(piece).await.expect("written");
                tokio::task::yield_now().await;
            }
        });
        let mut wire = Wire::connect(address).await.expect("connected");
        let mut seen = Vec::new();
        for _ in 0..4 {
            let answer = wire.receive().await.expect("an answer");
            seen.push((answer.status, answer.text()));
        }
        let expected = [(200, "one"), (202, ""), (200, "two"), (404, "")];
        assert_eq!(seen, expected.map(|(status, text)| (status, text.to_owned())));
        assert!(wire.receive().await.is_err());
    }
}
