//! One connection: requests in, bytes out as they were ordered.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::time::sleep;

use super::answer::{Answer, answer};
use super::order::{End, Order};
use super::script::Next;
use super::{Ended, Shared};
use crate::http::Asked;

/// How much is read at once.
const CHUNK: usize = 64 << 10;

/// Serves one connection until it ends.
pub async fn serve(stream: TcpStream, shared: Arc<Shared>) {
    let _ = stream.set_nodelay(true);
    let (reader, writer) = stream.into_split();
    let mut reader = Reader { half: reader, buffer: Vec::new() };
    let mut writer = Writer { half: writer, written: 0 };
    while let Ok(asked) = reader.request().await {
        let line = shared.next_line(&asked);
        let (answer, order) = match asked.path.as_str() {
            "/seen" => (Answer::json(200, &shared.told()), Order::default()),
            _ => answer(&asked, &line),
        };
        let told = match line {
            Next::Said(_) => String::from_utf8_lossy(&answer.pieces.concat()).into_owned(),
            _ => String::new(),
        };
        let number = match asked.path.as_str() {
            "/seen" => usize::MAX,
            _ => shared.begin(&asked, told),
        };
        writer.written = 0;
        let said = tokio::select! {
            said = writer.say(&answer, &order, &asked.method, |written| shared.note(number, written, Ended::Runs)) => said,
            () = reader.gone() => Err(io::ErrorKind::ConnectionAborted.into()),
        };
        match said {
            Ok(Said::Whole) => shared.note(number, writer.written, Ended::Whole),
            Ok(Said::Cut) => {
                shared.note(number, writer.written, Ended::Cut);
                return close(reader, writer, order.end);
            }
            Err(_) => return shared.note(number, writer.written, Ended::Gone),
        }
    }
}

/// Ends a connection as ordered.
fn close(reader: Reader, writer: Writer, end: End) {
    let Ok(stream) = reader.half.reunite(writer.half) else { return };
    if end == End::Reset {
        // Nothing that waits is sent: the other side sees a reset.
        let _ = stream.set_zero_linger();
    }
}

struct Reader {
    half: OwnedReadHalf,
    buffer: Vec<u8>,
}

impl Reader {
    async fn more(&mut self) -> io::Result<()> {
        self.buffer.reserve(CHUNK);
        match self.half.read_buf(&mut self.buffer).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }

    /// Waits until the other side has gone away.
    async fn gone(&mut self) {
        while self.more().await.is_ok() {}
    }

    async fn fill(&mut self, length: usize) -> io::Result<()> {
        while self.buffer.len() < length {
            self.more().await?;
        }
        Ok(())
    }

    async fn until(&mut self, mark: &[u8]) -> io::Result<usize> {
        let mut searched = 0;
        loop {
            let found = self.buffer[searched..].windows(mark.len()).position(|window| window == mark);
            if let Some(found) = found {
                return Ok(searched + found);
            }
            searched = self.buffer.len().saturating_sub(mark.len() - 1);
            self.more().await?;
        }
    }

    fn take(&mut self, length: usize) -> Vec<u8> {
        let rest = self.buffer.split_off(length);
        std::mem::replace(&mut self.buffer, rest)
    }

    async fn request(&mut self) -> io::Result<Asked> {
        let end = self.until(b"\r\n\r\n").await?;
        let head = String::from_utf8_lossy(&self.take(end + 4)).into_owned();
        let mut lines = head.trim_end().split("\r\n");
        let mut first = lines.next().unwrap_or_default().split(' ');
        let method = first.next().unwrap_or_default().to_owned();
        let path = first.next().unwrap_or_default().to_owned();
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut asked = Asked { method, path, headers, body: String::new() };
        let body = if asked.header("transfer-encoding").is_some_and(|it| it.eq_ignore_ascii_case("chunked")) {
            self.chunked().await?
        } else {
            let length = asked.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
            self.fill(length).await?;
            self.take(length)
        };
        asked.body = String::from_utf8_lossy(&body).into_owned();
        Ok(asked)
    }

    async fn chunked(&mut self) -> io::Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let end = self.until(b"\r\n").await?;
            let line = String::from_utf8_lossy(&self.take(end + 2)).into_owned();
            let size = line.trim().split(';').next().unwrap_or_default();
            let size = usize::from_str_radix(size, 16).map_err(|_| io::ErrorKind::InvalidData)?;
            self.fill(size + 2).await?;
            let mut chunk = self.take(size + 2);
            chunk.truncate(size);
            if size == 0 {
                return Ok(body);
            }
            body.append(&mut chunk);
        }
    }
}

enum Said {
    Whole,
    Cut,
}

struct Writer {
    half: OwnedWriteHalf,
    /// Bytes of this body so far.
    written: u64,
}

impl Writer {
    async fn say(
        &mut self,
        answer: &Answer,
        order: &Order,
        method: &str,
        note: impl Fn(u64),
    ) -> io::Result<Said> {
        wait(order.slow).await;
        let mut head = format!("HTTP/1.1 {} Scenario\r\n", answer.status);
        for (name, value) in &answer.headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        let length: usize = answer.pieces.iter().map(Vec::len).sum();
        match answer.is_stream {
            true => head.push_str("transfer-encoding: chunked\r\n\r\n"),
            false => head.push_str(&format!("content-length: {length}\r\n\r\n")),
        }
        if method == "HEAD" {
            self.half.write_all(head.as_bytes()).await?;
            return Ok(Said::Whole);
        }
        // A whole answer that nothing is asked of goes out in one write.
        let is_plain = order.split.is_none() && order.cut.is_none() && order.pause.is_zero();
        if !answer.is_stream && is_plain {
            let mut bytes = head.into_bytes();
            bytes.extend(answer.pieces.iter().flatten());
            self.half.write_all(&bytes).await?;
            self.written = length as u64;
            return Ok(Said::Whole);
        }
        self.half.write_all(head.as_bytes()).await?;
        wait(order.pause).await;
        let mut left = order.cut.unwrap_or(usize::MAX);
        let mut number = 0;
        while number < answer.pieces.len() {
            if order.hold == Some(number) {
                std::future::pending::<()>().await;
            }
            let piece = &answer.pieces[number];
            for part in piece.chunks(order.split.unwrap_or(usize::MAX)) {
                let part = &part[..part.len().min(left)];
                self.part(answer, part).await?;
                note(self.written);
                left -= part.len();
                if left == 0 {
                    return Ok(Said::Cut);
                }
                wait(order.delay).await;
            }
            if answer.repeats != Some(number) {
                number += 1;
            }
        }
        if answer.dies || order.cut.is_some() {
            return Ok(Said::Cut);
        }
        if answer.is_stream {
            self.half.write_all(b"0\r\n\r\n").await?;
        }
        Ok(Said::Whole)
    }

    async fn part(&mut self, answer: &Answer, part: &[u8]) -> io::Result<()> {
        if answer.is_stream && !part.is_empty() {
            let mut chunk = format!("{:x}\r\n", part.len()).into_bytes();
            chunk.extend_from_slice(part);
            chunk.extend_from_slice(b"\r\n");
            self.half.write_all(&chunk).await?;
        } else {
            self.half.write_all(part).await?;
        }
        self.written += part.len() as u64;
        Ok(())
    }
}

async fn wait(time: Duration) {
    if !time.is_zero() {
        sleep(time).await;
    }
}
