//! The door through which other processes of the same user see and restart the servers of this one.
//!
//! A socket in a folder that only the user may enter; one line of JSON asks, one answers. Nothing that
//! comes through it can start a program that the configuration does not name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright_backend::ServerView;

use crate::status::Status;

/// How long an answer may take, and how long after a restart, which is told when it is done.
const ANSWER: Duration = Duration::from_secs(5);
const RESTARTED: Duration = Duration::from_secs(60);
/// The longest question and the longest answer, in bytes.
const MAX_QUESTION_BYTES: u64 = 64 << 10;
const MAX_ANSWER_BYTES: u64 = 64 << 20;

/// What can be asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "ask", rename_all = "snake_case")]
pub enum Question {
    /// All servers.
    Servers,
    /// How the gateway is doing.
    Status,
    /// The names of servers, toolboxes and tools.
    Names,
    /// What a server wrote to stderr.
    Logs {
        /// Its name.
        server: String,
    },
    /// Ends a server and starts it anew.
    Restart {
        /// Its name.
        server: String,
    },
}

/// What is answered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply {
    /// All servers.
    Servers(Vec<ServerView>),
    /// How the gateway is doing; nothing where only servers are watched.
    Status(Option<Box<Status>>),
    /// The names of servers, toolboxes and tools.
    Names(Names),
    /// What a server wrote to stderr.
    Logs(String),
    /// A server after its restart.
    Restarted(Box<ServerView>),
    /// No server has the name; these are there.
    NoSuchServer(Vec<String>),
}

/// The names that can be used now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Names {
    /// Servers.
    pub servers: Vec<String>,
    /// Toolboxes.
    pub toolboxes: Vec<String>,
    /// Tools, as `server/name`, as far as they are known.
    pub tools: Vec<String>,
}

/// Why nothing was answered.
#[derive(Debug, thiserror::Error)]
pub enum ControlError {
    /// Nobody listens.
    #[error("no gateway is running with this configuration")]
    NobodyThere,
    /// Somebody else listens already.
    #[error("a gateway is running with this configuration already")]
    SomebodyThere,
    /// There is no folder for the door.
    #[error("there is no folder for the control socket: neither XDG_RUNTIME_DIR nor HOME is set")]
    NoFolder,
    /// The answer cannot be understood.
    #[error("the gateway's answer cannot be understood; is it of another version?")]
    NotUnderstood,
    /// Something of the system.
    #[error("{action} {}: {source}", .path.display())]
    Io {
        /// What was done.
        action: &'static str,
        /// To what.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
}

/// Where the door of the gateway with this configuration file is.
pub fn door_of(config: &Path) -> Result<PathBuf, ControlError> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let folder = set("XDG_RUNTIME_DIR")
        .or_else(|| set("XDG_STATE_HOME"))
        .or_else(|| set("HOME").map(|home| home.join(".local/state")))
        .ok_or(ControlError::NoFolder)?;
    let config = fs::canonicalize(config).unwrap_or_else(|_| config.to_owned());
    Ok(folder.join("toolwright").join(socket(&config)))
}

/// Where the door of a gateway is that has no configuration file.
pub fn door_without_configuration() -> Result<PathBuf, ControlError> {
    door_of(Path::new("/no configuration"))
}

fn socket(config: &Path) -> String {
    format!("{:016x}.sock", fingerprint(config.as_os_str().as_encoded_bytes()))
}

/// FNV-1a: the same in every process and version.
fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(unix)]
pub use unix::{Door, ask};

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
    use std::sync::Arc;

    use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
    use tokio::net::{UnixListener, UnixStream};
    use tokio::time::timeout;

    use super::*;
    use crate::status::StatusSource;
    use toolwright_backend::Servers;

    /// Asks the gateway behind this door.
    pub async fn ask(door: &Path, question: &Question) -> Result<Reply, ControlError> {
        let io = |action| move |source| ControlError::Io { action, path: door.to_owned(), source };
        let mut stream = UnixStream::connect(door).await.map_err(|_| ControlError::NobodyThere)?;
        let mut line = serde_json::to_string(question).map_err(|_| ControlError::NotUnderstood)?;
        line.push('\n');
        let answered = async {
            stream.write_all(line.as_bytes()).await?;
            let mut answer = String::new();
            stream.take(MAX_ANSWER_BYTES).read_to_string(&mut answer).await?;
            Ok(answer)
        };
        let patience = if matches!(question, Question::Restart { .. }) { RESTARTED } else { ANSWER };
        let answer = match timeout(patience, answered).await {
            Ok(answer) => answer.map_err(io("cannot ask"))?,
            Err(_) => return Err(io("no answer from")(io::ErrorKind::TimedOut.into())),
        };
        serde_json::from_str(&answer).map_err(|_| ControlError::NotUnderstood)
    }

    /// A door that is open. Dropping it removes it.
    #[derive(Debug)]
    pub struct Door {
        path: PathBuf,
        listener: UnixListener,
    }

    impl Door {
        /// Opens the door, unless somebody answers behind it already.
        pub async fn open(path: &Path) -> Result<Door, ControlError> {
            let io = |action| move |source| ControlError::Io { action, path: path.to_owned(), source };
            if UnixStream::connect(path).await.is_ok() {
                return Err(ControlError::SomebodyThere);
            }
            if let Some(folder) = path.parent() {
                let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
                made.map_err(io("cannot make the folder of"))?;
                let only_ours = fs::Permissions::from_mode(0o700);
                fs::set_permissions(folder, only_ours).map_err(io("cannot close the folder of"))?;
            }
            match fs::remove_file(path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(io("cannot remove")(error));
                }
                _ => {}
            }
            let listener = UnixListener::bind(path).map_err(io("cannot open"))?;
            Ok(Door { path: path.to_owned(), listener })
        }

        /// Answers until it is dropped. One who asks slowly holds nobody up. Where only servers are watched there is
        /// no status.
        pub async fn serve(&self, servers: Arc<Servers>, status: Option<Arc<StatusSource>>) {
            loop {
                match self.listener.accept().await {
                    Ok((stream, _)) => {
                        let (servers, status) = (Arc::clone(&servers), status.clone());
                        tokio::spawn(async move {
                            if let Ok(Err(error)) =
                                timeout(RESTARTED, answer(stream, &servers, status.as_deref())).await
                            {
                                tracing::debug!("the control socket: {error}");
                            }
                        });
                    }
                    Err(error) => {
                        tracing::warn!("the control socket cannot be used: {error}");
                        tokio::time::sleep(Duration::from_secs(1)).await;
                    }
                }
            }
        }
    }

    impl Drop for Door {
        fn drop(&mut self) {
            let _ = fs::remove_file(&self.path);
        }
    }

    async fn answer(stream: UnixStream, servers: &Servers, status: Option<&StatusSource>) -> io::Result<()> {
        let (reader, mut writer) = stream.into_split();
        let mut line = String::new();
        BufReader::new(reader.take(MAX_QUESTION_BYTES)).read_line(&mut line).await?;
        let question: Question = serde_json::from_str(&line)?;
        let reply = reply(&question, servers, status).await;
        writer.write_all(serde_json::to_string(&reply)?.as_bytes()).await?;
        writer.shutdown().await
    }

    async fn reply(question: &Question, servers: &Servers, status: Option<&StatusSource>) -> Reply {
        let of = |name: &str| servers.get(name).ok_or_else(|| Reply::NoSuchServer(servers.names()));
        match question {
            Question::Servers => Reply::Servers(servers.views()),
            Question::Status => match status {
                Some(status) => Reply::Status(Some(Box::new(status.now().await))),
                None => Reply::Status(None),
            },
            Question::Names => Reply::Names(names(servers)),
            Question::Logs { server } => match of(server) {
                Ok(server) => Reply::Logs(server.supervisor.stderr()),
                Err(reply) => reply,
            },
            Question::Restart { server } => match of(server) {
                Ok(server) => {
                    server.restart().await;
                    Reply::Restarted(Box::new(server.view()))
                }
                Err(reply) => reply,
            },
        }
    }

    fn names(servers: &Servers) -> Names {
        let mut names = Names { servers: servers.names(), ..Names::default() };
        for server in servers.iter() {
            if !names.toolboxes.contains(&server.toolbox) {
                names.toolboxes.push(server.toolbox.clone());
            }
            let listed = server.supervisor.tools();
            let tools = listed.items.iter().filter_map(|item| item.get_text("name"));
            names.tools.extend(
                tools.filter(|tool| server.allows(tool)).map(|tool| format!("{}/{tool}", server.name)),
            );
        }
        names
    }
}
