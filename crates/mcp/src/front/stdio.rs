//! A client that started us: lines in, lines out, both eras over one connection.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolwright_jsonrpc::lines::{Line as InputLine, Lines};
use toolwright_jsonrpc::{ErrorObject, INVALID_REQUEST, Id, Json, Message, Request};

use super::client::{Client, SessionId, Visitor};
use super::exchange::Begun;
use super::fronts::Shared;
use super::http::names_revision;
use super::legacy::{self, Begun as LegacyBegun};
use super::reading::{self, Params, Piece};
use super::seal::random_number;
use super::service::Service;
use super::session::{Output, Session};
use super::stdio_wire::Wire;
use super::task::answer_line;
use super::{batch, handshake};
use crate::{Era, LEGACY_REVISIONS};

/// Lines that wait to be written.
const OUTPUT: usize = 256;
/// Bytes that are read at once.
const READ: usize = 64 << 10;
/// How long the last lines may take to be written.
const FLUSH: Duration = Duration::from_secs(5);

/// Serves one client.
pub(super) async fn serve(
    shared: Arc<Shared>,
    service: Arc<dyn Service>,
    input: impl AsyncRead + Send,
    output: impl AsyncWrite + Send + 'static,
    visitor: Visitor,
) {
    let _counted = shared.stdio_client();
    // Ends what would wait for ever, with the client or with the front.
    let closing = shared.closing.child_token();
    let (out, lines) = mpsc::channel(OUTPUT);
    let mut writer = tokio::spawn(write(lines, output));
    let id = SessionId(random_number());
    let unknown = Client {
        visitor: visitor.clone(),
        era: Era::Legacy,
        revision: LEGACY_REVISIONS[0].to_owned(),
        info: None,
        capabilities: Json::empty_object(),
        session: Some(id),
        is_resumed: false,
    };
    let session = Session::new(Arc::new(unknown), id, service, Arc::clone(&shared), Some(out.clone()));
    let mut desk = Desk {
        shared,
        session,
        visitor,
        out,
        is_begun: false,
        running: JoinSet::new(),
        over: closing.clone(),
    };
    tokio::select! {
        () = desk.read(input) => {}
        // Nobody reads what we write.
        _ = &mut writer => {}
    }
    closing.cancel();
    let Desk { shared, session, out, mut running, .. } = desk;
    let finished = async { while running.join_next().await.is_some() {} };
    if timeout(shared.limits.stdio_grace, finished).await.is_err() {
        running.shutdown().await;
    }
    session.end();
    if !writer.is_finished() {
        // Whoever does not read gets nothing more.
        let flushed = async {
            let _ = out.send(Output::End).await;
            let _ = (&mut writer).await;
        };
        if timeout(FLUSH, flushed).await.is_err() {
            writer.abort();
        }
    }
}

/// The only one who writes.
async fn write(mut lines: mpsc::Receiver<Output>, output: impl AsyncWrite + Send) {
    tokio::pin!(output);
    while let Some(next) = lines.recv().await {
        let Output::Line(mut line) = next else { break };
        line.push('\n');
        if output.write_all(line.as_bytes()).await.is_err() {
            return;
        }
        // Several lines at once are flushed once.
        if lines.is_empty() && output.flush().await.is_err() {
            return;
        }
    }
    let _ = output.flush().await;
}

/// Where the messages of one client arrive.
struct Desk {
    shared: Arc<Shared>,
    session: Arc<Session>,
    visitor: Visitor,
    out: mpsc::Sender<Output>,
    /// Whether a legacy client has said who it is.
    is_begun: bool,
    running: JoinSet<()>,
    /// Cancelled when the client is gone.
    over: CancellationToken,
}

/// A line that came in.
enum Arrived {
    Whole(Vec<u8>),
    TooLong(usize),
}

impl Desk {
    /// Reads until the input ends or the front closes.
    async fn read(&mut self, input: impl AsyncRead + Send) {
        tokio::pin!(input);
        let mut lines = Lines::new(self.shared.limits.line_bytes);
        let mut buffer = vec![0; READ];
        let closing = self.over.clone();
        loop {
            let read = tokio::select! {
                read = input.read(&mut buffer) => read,
                () = closing.cancelled() => return,
                Some(_) = self.running.join_next() => continue,
            };
            let mut arrived = Vec::new();
            let mut keep = |line: InputLine<'_>| {
                arrived.push(match line {
                    InputLine::Whole(bytes) => Arrived::Whole(bytes.to_vec()),
                    InputLine::TooLong { bytes, .. } => Arrived::TooLong(bytes),
                });
            };
            let is_over = match read {
                Ok(0) | Err(_) => {
                    lines.finish(&mut keep);
                    true
                }
                Ok(count) => {
                    lines.push(&buffer[..count], &mut keep);
                    false
                }
            };
            for line in arrived {
                match line {
                    Arrived::Whole(bytes) if bytes.iter().all(u8::is_ascii_whitespace) => {}
                    Arrived::Whole(bytes) => self.take(&bytes).await,
                    Arrived::TooLong(bytes) => {
                        let limit = self.shared.limits.line_bytes;
                        let said = format!("the message has {bytes} bytes; at most {limit} are taken");
                        self.answer(None, Err(ErrorObject::new(INVALID_REQUEST, said))).await;
                    }
                }
            }
            if is_over {
                return;
            }
        }
    }

    async fn take(&mut self, bytes: &[u8]) {
        match reading::piece(bytes) {
            Ok(Piece::One(Message::Request(request))) => self.request(request).await,
            Ok(Piece::One(Message::Notification(told))) => {
                let is_start = told.method == "notifications/initialized";
                legacy::notified(&self.session, told);
                if is_start && self.is_begun {
                    self.session.begin_listening();
                }
            }
            Ok(Piece::One(Message::Response(response))) => self.session.answered(response),
            Ok(Piece::Batch(texts)) => self.batch(&texts).await,
            Err(unreadable) => self.answer(unreadable.id, Err(unreadable.error)).await,
        }
    }

    async fn answer(&self, id: Option<Id>, outcome: Result<Json, ErrorObject>) {
        // A client that is gone hears nothing.
        let _ = self.out.send(Output::Line(answer_line(id, outcome))).await;
    }

    async fn request(&mut self, request: Request) {
        let is_modern = request.method == "server/discover" || {
            let params = Params::read(request.params.as_ref());
            names_revision(request.params.as_ref(), &params)
        };
        match request.method.as_str() {
            _ if is_modern => self.modern(request).await,
            "initialize" if !self.is_begun => self.initialize(request).await,
            "ping" => self.answer(Some(request.id), Ok(Json::empty_object())).await,
            _ if !self.is_begun => {
                let said = "send \"initialize\" first, or name a revision in \"_meta\" of every request";
                self.answer(Some(request.id), Err(ErrorObject::new(INVALID_REQUEST, said))).await;
            }
            "resources/subscribe" => {
                // A server may take its time; the messages behind this one do not wait for it.
                let wire = self.wire();
                self.running.spawn(async move { wire.begin_legacy(request).await });
            }
            _ => match legacy::begin(&self.session, &request, Params::read(request.params.as_ref()), true)
                .await
            {
                LegacyBegun::Answered(outcome) => self.answer(Some(request.id), outcome).await,
                LegacyBegun::Call(call) => {
                    let wire = self.wire();
                    self.running.spawn(async move { wire.run_legacy(call, request).await });
                }
            },
        }
    }

    async fn initialize(&mut self, request: Request) {
        let introduced = Params::read(request.params.as_ref())
            .and_then(|params| handshake::introduced(&params, &self.visitor, self.session.id));
        let outcome = match introduced {
            Err(error) => Err(error),
            Ok(client) => {
                let outcome = handshake::initialized(&self.session.service(), client).await;
                outcome.map(|(result, client)| {
                    self.session.introduce(client);
                    self.is_begun = true;
                    result
                })
            }
        };
        self.answer(Some(request.id), outcome).await;
    }

    async fn modern(&mut self, request: Request) {
        let wire = self.wire();
        match request.method.as_str() {
            // These may wait for a server before anything else is known of them.
            "server/discover" | "subscriptions/listen" => {
                self.running.spawn(async move { wire.answer_modern(request).await });
            }
            _ => match wire.begin_modern(&request).await {
                (None, Begun::Answered(outcome)) | (Some(_), Begun::Answered(outcome)) => {
                    self.answer(Some(request.id), outcome).await;
                }
                (Some(exchange), Begun::Call(call)) => {
                    self.running.spawn(async move { wire.run_modern(exchange, call).await });
                }
                _ => {}
            },
        }
    }

    async fn batch(&mut self, texts: &[&str]) {
        let read = match batch::read(&self.session, texts) {
            Ok(read) if self.is_begun => read,
            Ok(_) => {
                let said = "send \"initialize\" first";
                return self.answer(None, Err(ErrorObject::new(INVALID_REQUEST, said))).await;
            }
            Err(error) => return self.answer(None, Err(error)).await,
        };
        let wire = self.wire();
        self.running.spawn(async move {
            let mut lines = read.wrong;
            let told = wire.clone();
            lines
                .extend(batch::gather(&wire.session, read.requests, true, move |line| told.tell(line)).await);
            if !lines.is_empty() {
                wire.send(format!("[{}]", lines.join(","))).await;
            }
        });
    }

    fn wire(&self) -> Wire {
        Wire {
            shared: Arc::clone(&self.shared),
            session: Arc::clone(&self.session),
            visitor: self.visitor.clone(),
            out: self.out.clone(),
            over: self.over.clone(),
        }
    }
}
