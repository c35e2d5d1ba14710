//! Our side of the guardian: it is started, told of servers, and started again when it is gone.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fmt;
use std::hash::{BuildHasher, Hasher};
use std::io::{self, Write};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, MutexGuard, Weak};
use std::thread;
use std::time::{Duration, Instant};

use rustix::process::Signal;
use toolwright_base::IgnorePoison;

use super::{DISMISSAL, mark};

/// A guardian that lived no longer than this is not started again at once: it may not be able to run.
const REST: Duration = Duration::from_secs(1);

/// How long a guardian that was sent away is waited for.
const GOODBYE: Duration = Duration::from_secs(1);

/// The process that stands beside us. Cheap to clone; it goes with the last clone.
#[derive(Clone)]
pub struct Guardian {
    shared: Arc<Shared>,
}

struct Shared {
    program: PathBuf,
    args: Vec<OsString>,
    /// What all our servers' marks begin with.
    mark: String,
    servers: AtomicU64,
    state: Mutex<State>,
    /// Closed when nobody keeps the process any more.
    kept: Mutex<Receiver<()>>,
}

#[derive(Default)]
struct State {
    pipe: Option<ChildStdin>,
    pid: Option<u32>,
    groups: BTreeSet<u32>,
    is_dismissed: bool,
}

impl Guardian {
    /// Starts a guardian: a program that calls [`run`](super::run) with what follows these arguments.
    pub fn start(program: PathBuf, args: Vec<OsString>) -> io::Result<Guardian> {
        let random = std::hash::RandomState::new().build_hasher().finish();
        let mark = format!("{}-{random:016x}", std::process::id());
        let (keeping, kept) = channel();
        let shared = Arc::new(Shared {
            program,
            args,
            mark,
            servers: AtomicU64::new(0),
            state: Mutex::new(State::default()),
            kept: Mutex::new(kept),
        });
        let child = shared.spawn()?;
        let known = Arc::downgrade(&shared);
        // A thread and not a task: whose runtime would it be?
        thread::Builder::new().name("guardian".into()).spawn(move || {
            keep(&known, child);
            drop(keeping);
        })?;
        Ok(Guardian { shared })
    }

    /// Sends the guardian away, and waits for it, so that no dead process is left to the process above us.
    /// Returns false, and leaves the guardian, while a server has not ended: the guardian ends it when this
    /// process exits.
    pub fn dismiss(&self) -> bool {
        {
            let mut state = self.shared.state();
            if !state.groups.is_empty() {
                return false;
            }
            state.is_dismissed = true;
            if let Some(mut pipe) = state.pipe.take() {
                let _ = pipe.write_all(DISMISSAL.as_bytes());
            }
        }
        let kept = self.shared.kept.lock().ignore_poison();
        let _ = kept.recv_timeout(GOODBYE);
        true
    }

    /// The process id of the guardian; none while it is being started again.
    pub fn pid(&self) -> Option<u32> {
        self.shared.state().pid
    }

    /// A mark for the next server.
    pub(crate) fn mark(&self) -> String {
        let number = self.shared.servers.fetch_add(1, Ordering::Relaxed);
        format!("{}.{number}", self.shared.mark)
    }

    /// Watches over a server that was started with this mark, until [`Watched::end_marked`]. A runtime that
    /// drops what is returned before that leaves the server to the guardian.
    pub(crate) fn watch(&self, group: u32, mark: String) -> Watched {
        let mut state = self.shared.state();
        state.groups.insert(group);
        state.tell('+', group);
        Watched { guardian: self.clone(), group, mark }
    }
}

impl fmt::Debug for Guardian {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Guardian").field("program", &self.shared.program).finish_non_exhaustive()
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().ignore_poison()
    }

    /// Starts the process and tells it of every server that runs.
    fn spawn(&self) -> io::Result<Child> {
        let mut state = self.state();
        let mut child = Command::new(&self.program)
            .args(&self.args)
            .arg(&self.mark)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            // What a terminal sends to our group is not for it.
            .process_group(0)
            .spawn()?;
        state.pipe = child.stdin.take();
        state.pid = Some(child.id());
        let groups = state.groups.clone();
        groups.into_iter().for_each(|group| state.tell('+', group));
        Ok(child)
    }
}

impl State {
    /// A guardian that does not hear this is gone, and the next one is told everything.
    fn tell(&mut self, sign: char, group: u32) {
        if let Some(pipe) = &mut self.pipe {
            let _ = pipe.write_all(format!("{sign}{group}\n").as_bytes());
        }
    }
}

/// Starts the guardian again whenever it is gone and still wanted.
fn keep(known: &Weak<Shared>, child: Child) {
    let mut running = Some(child);
    loop {
        let begin = Instant::now();
        if let Some(mut child) = running.take() {
            let ended = child.wait();
            let Some(shared) = known.upgrade() else { return };
            if shared.state().is_dismissed {
                return;
            }
            tracing::warn!(?ended, "the guardian is gone and is started again");
            let mut state = shared.state();
            state.pipe = None;
            state.pid = None;
        }
        if begin.elapsed() < REST {
            thread::sleep(REST);
        }
        let Some(shared) = known.upgrade().filter(|shared| !shared.state().is_dismissed) else { return };
        match shared.spawn() {
            Ok(child) => running = Some(child),
            Err(error) => tracing::warn!(%error, "the guardian cannot be started"),
        }
    }
}

/// A server that is watched over.
#[derive(Debug)]
pub(crate) struct Watched {
    guardian: Guardian,
    group: u32,
    mark: String,
}

impl Watched {
    /// Ends everything that bears the mark of a server whose group has ended, in the group or not. Looks at
    /// every process there is, so it belongs on a thread for blocking work.
    pub fn end_marked(self) {
        mark::signal(|found| found == self.mark, Some(Signal::KILL));
        let mut state = self.guardian.shared.state();
        state.groups.remove(&self.group);
        state.tell('-', self.group);
    }
}
