//! A server as a child process: one owner for its life, its pipes and everything it starts.
//!
//! The child leads a process group of its own, so that what it starts goes with it. Its environment is
//! a short list and what was declared. Its stderr is drained from the first byte, its stdout is read
//! whatever it holds, and its end is told with exit code or signal and the last lines of its stderr.

mod environment;
mod stderr;

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use toolwright_base::off_async;
use toolwright_jsonrpc::lines::{Line, Lines, MAX_LINE_BYTES, Noise, Reader, Reading};
use toolwright_redact::known;

use crate::error::{Closed, Ending, StartError, Unreachable};
#[cfg(unix)]
use crate::guard::{Guardian, MARK, Watched};
use crate::link::{EVENTS, Event, Link, OUTGOING, Outgoing};

pub use stderr::StderrRing;

/// How long a server may take to end by itself once its stdin is closed, and again once it is asked to.
const GRACE: Duration = Duration::from_secs(2);
/// How long a server that closed its stdout may take to exit before it is ended.
const TIME_TO_EXIT: Duration = Duration::from_secs(1);
/// How long the pipes of a server that has ended are still read: what it started may hold them.
const LAST_WORDS: Duration = Duration::from_millis(200);
/// How long the rest of a line, or of a message that stands on several lines, is waited for.
const QUIET: Duration = Duration::from_millis(500);
/// How much is read from a pipe at once.
const CHUNK: usize = 64 << 10;

/// What is started, and with what.
#[derive(Clone, Default)]
pub struct ChildCommand {
    /// The program.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Variables that it gets.
    pub env: Vec<(String, String)>,
    /// Variables of this process that it gets as well.
    pub env_from: Vec<String>,
    /// The folder that it runs in; this process's own when absent.
    pub cwd: Option<PathBuf>,
    /// Who ends it when this process is killed. Without one, and on Windows, a server must end by itself
    /// when its stdin does.
    #[cfg(unix)]
    pub guardian: Option<Guardian>,
    /// Values that must not be shown when the server prints them. Those of its variables whose names
    /// speak of secrets are hidden in any case.
    pub secrets: Vec<String>,
    /// The largest line that is taken from it, in bytes; [`MAX_LINE_BYTES`] when absent.
    pub max_response_bytes: Option<usize>,
}

impl fmt::Debug for ChildCommand {
    /// Without the values of variables, and without arguments: they may be secrets.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.env.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("ChildCommand")
            .field("program", &self.program)
            .field("env", &names)
            .field("env_from", &self.env_from)
            .field("cwd", &self.cwd)
            .finish_non_exhaustive()
    }
}

/// A child that was started.
#[derive(Debug)]
pub struct StartedChild {
    /// The way to it.
    pub link: Link,
    /// What it wrote to stderr.
    pub stderr: Arc<StderrRing>,
    /// Its process id.
    pub pid: Option<u32>,
    /// Cancelled when it has ended, with everything it started.
    pub gone: CancellationToken,
}

/// Starts a server.
pub fn start(command: &ChildCommand) -> Result<StartedChild, StartError> {
    let mut prepared = Command::new(&command.program);
    prepared
        .args(&command.args)
        .env_clear()
        .envs(environment::of(command))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true);
    if let Some(folder) = &command.cwd {
        prepared.current_dir(folder);
    }
    #[cfg(unix)]
    prepared.process_group(0);
    #[cfg(unix)]
    let guarded = command.guardian.as_ref().map(|guardian| (guardian, guardian.mark()));
    #[cfg(unix)]
    if let Some((_, mark)) = &guarded {
        prepared.env(MARK, mark);
    }
    let mut child = prepared.spawn().map_err(|error| start_error(command, error))?;
    let pid = child.id();
    #[cfg(unix)]
    let watched = guarded.zip(pid).map(|((guardian, mark), pid)| guardian.watch(pid, mark));
    let (outgoing, to_send) = mpsc::channel(OUTGOING);
    let (events, incoming) = mpsc::channel(EVENTS);
    let stop = CancellationToken::new();
    let secrets = environment::secrets_of(command);
    let stderr = Arc::new(StderrRing::hiding(secrets.clone()));
    let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let (Some(stdin), Some(stdout), Some(errors)) = pipes else {
        let source = io::Error::other("its pipes are missing");
        return Err(StartError::Other { program: command.program.to_string_lossy().into_owned(), source });
    };
    let limit = command.max_response_bytes.unwrap_or(MAX_LINE_BYTES);
    let exited = CancellationToken::new();
    let writer = tokio::spawn(write(stdin, to_send, exited.clone()));
    let reader = tokio::spawn(read(stdout, events.clone(), secrets, limit));
    let drain = tokio::spawn(drain(errors, Arc::clone(&stderr)));
    let owner = Owner {
        child,
        pid,
        #[cfg(unix)]
        watched,
        stop: stop.clone(),
        exited,
        events,
        stderr: Arc::clone(&stderr),
    };
    let gone = CancellationToken::new();
    tokio::spawn(owner.watch(writer, reader, drain, gone.clone().drop_guard()));
    Ok(StartedChild { link: Link { outgoing, events: incoming, stop }, stderr, pid, gone })
}

fn start_error(command: &ChildCommand, source: io::Error) -> StartError {
    let program = command.program.to_string_lossy().into_owned();
    if let Some(folder) = command.cwd.as_ref().filter(|folder| !folder.is_dir()) {
        return StartError::NoFolder { folder: folder.display().to_string() };
    }
    match source.kind() {
        io::ErrorKind::NotFound => StartError::NotFound { program },
        io::ErrorKind::PermissionDenied => StartError::NotAllowed { program },
        _ => StartError::Other { program, source },
    }
}

/// Writes messages until nobody sends any more, the server does not read or has exited; then stdin is closed. True when
/// the server has read nothing of what was written.
async fn write(
    mut stdin: ChildStdin,
    mut outgoing: mpsc::Receiver<Outgoing>,
    exited: CancellationToken,
) -> bool {
    let mut written = 0;
    loop {
        let next = tokio::select! {
            next = outgoing.recv() => next,
            () = exited.cancelled() => None,
        };
        let Some(Outgoing { message, .. }) = next else { break };
        let mut line = message.to_line();
        line.push('\n');
        if stdin.write_all(line.as_bytes()).await.is_err() || stdin.flush().await.is_err() {
            break;
        }
        written += line.len();
    }
    unread(&stdin).is_some_and(|unread| unread == written)
}

/// How many bytes stand in the pipe; nobody knows on other systems.
#[cfg(target_os = "linux")]
fn unread(stdin: &ChildStdin) -> Option<usize> {
    rustix::io::ioctl_fionread(stdin).ok().and_then(|bytes| usize::try_from(bytes).ok())
}

#[cfg(not(target_os = "linux"))]
fn unread(_: &ChildStdin) -> Option<usize> {
    None
}

/// Hands over what the server prints, line by line.
async fn read(mut stdout: ChildStdout, events: mpsc::Sender<Event>, secrets: Vec<String>, limit: usize) {
    let (mut lines, mut reader) = (Lines::new(limit), Reader::new(limit));
    let mut chunk = vec![0; CHUNK];
    let mut found = Vec::new();
    let mut is_quiet = false;
    loop {
        let is_held = reader.is_waiting() || lines.waiting() > 0 && !is_quiet;
        let patience = if is_held { QUIET } else { Duration::MAX };
        // Nothing that was read is lost when its time is over.
        let count = timeout(patience, stdout.read(&mut chunk)).await.map(Result::unwrap_or_default).ok();
        is_quiet = count.is_none();
        let mut hand_over = |reading: Reading| {
            found.extend(reading.messages.into_iter().map(|found| Event::Message { found, of: None }));
            found.extend(reading.noise.map(|noise| Event::Noise(without(&secrets, noise))));
        };
        let each = |line: Line<'_>| reader.read(line, &mut hand_over);
        let is_read = count.is_none_or(|count| count == 0 || chunk[..count].contains(&b'\n'));
        let bytes = if is_read { lines.waiting() + count.unwrap_or_default() } else { 0 };
        off_async(bytes, || match count {
            Some(0) => lines.finish(each),
            Some(count) => lines.push(&chunk[..count], each),
            None => lines.finish_message(each),
        });
        if count.is_none_or(|count| count == 0) {
            reader.flush(hand_over);
        }
        for event in found.drain(..) {
            if events.send(event).await.is_err() {
                return;
            }
        }
        if count == Some(0) {
            return;
        }
    }
}

fn without(secrets: &[String], noise: Noise) -> Noise {
    Noise { shown: known(&noise.shown, secrets).into_owned(), ..noise }
}

async fn drain(mut errors: impl AsyncRead + Unpin, ring: Arc<StderrRing>) {
    let mut chunk = vec![0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut chunk).await {
        ring.push(&chunk[..count]);
    }
}

/// Waits for the end of one child and tells it.
struct Owner {
    child: Child,
    pid: Option<u32>,
    #[cfg(unix)]
    watched: Option<Watched>,
    stop: CancellationToken,
    /// Ends the writer once the child has exited.
    exited: CancellationToken,
    events: mpsc::Sender<Event>,
    stderr: Arc<StderrRing>,
}

type Task<T = ()> = tokio::task::JoinHandle<T>;

impl Owner {
    async fn watch(mut self, writer: Task<bool>, mut reader: Task, mut drain: Task, gone: DropGuard) {
        let mut is_read = false;
        let ending = tokio::select! {
            status = self.child.wait() => ending(status),
            _ = &mut reader => {
                is_read = true;
                // The output of a program that exits ends before the program does.
                let exited = tokio::select! {
                    status = timeout(TIME_TO_EXIT, self.child.wait()) => status.ok(),
                    () = self.stop.cancelled() => None,
                    () = self.events.closed() => None,
                };
                match exited {
                    Some(status) => ending(status),
                    None => {
                        let is_stopped = self.stop.is_cancelled() || self.events.is_closed();
                        writer.abort();
                        self.end().await;
                        if is_stopped { Ending::Stopped } else { Ending::Mute }
                    }
                }
            }
            () = self.stop.cancelled() => {
                writer.abort();
                self.end().await;
                Ending::Stopped
            }
            () = self.events.closed() => {
                writer.abort();
                self.end().await;
                Ending::Stopped
            }
        };
        self.exited.cancel();
        // What it printed last is still in the pipes; what it started may keep them open for ever.
        let last_words = async {
            let _ = (&mut drain).await;
            if !is_read {
                let _ = (&mut reader).await;
            }
        };
        let _ = timeout(LAST_WORDS, last_words).await;
        let stopping = writer.abort_handle();
        let is_unread = timeout(LAST_WORDS, writer).await.ok().and_then(Result::ok).unwrap_or(false);
        stopping.abort();
        self.signal(Signal::Kill);
        reader.abort();
        drain.abort();
        let closed = Closed { ending, stderr: self.stderr.tail(), is_unread };
        let _ = self.events.send(Event::Closed(Arc::new(closed))).await;
        // What left the group is looked for when nobody waits any more.
        #[cfg(unix)]
        if let Some(watched) = self.watched.take() {
            tokio::task::spawn_blocking(move || {
                watched.end_marked();
                drop(gone);
            });
        }
    }

    /// Its stdin is closed already: it may end by itself, then it is asked to, then it must.
    async fn end(&mut self) {
        for signal in [None, Some(Signal::Terminate), Some(Signal::Kill)] {
            if let Some(signal) = signal {
                self.signal(signal);
            }
            if timeout(GRACE, self.child.wait()).await.is_ok() {
                return;
            }
        }
        let _ = self.child.kill().await;
    }

    /// Sends a signal to the child's whole group.
    fn signal(&mut self, signal: Signal) {
        #[cfg(unix)]
        if let Some(group) = self.pid.and_then(|pid| rustix::process::Pid::from_raw(pid.cast_signed())) {
            let signal = match signal {
                Signal::Terminate => rustix::process::Signal::TERM,
                Signal::Kill => rustix::process::Signal::KILL,
            };
            // The group is gone when nothing of it runs any more.
            let _ = rustix::process::kill_process_group(group, signal);
        }
        #[cfg(not(unix))]
        if signal == Signal::Kill {
            let _ = self.child.start_kill();
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Signal {
    Terminate,
    Kill,
}

fn ending(status: io::Result<ExitStatus>) -> Ending {
    let status = match status {
        Ok(status) => status,
        Err(error) => return Ending::Lost(Unreachable::other(error.to_string())),
    };
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ending::Killed(signal);
    }
    Ending::Exited(status.code().unwrap_or(-1))
}
