//! A changed configuration file takes effect while servers run.
//!
//! The file is looked at twice a second and whenever somebody asks for it. A file that cannot be used, or whose
//! mistakes would take away a server that is there, changes nothing: what was in force stays in force, and what
//! is wrong is said once, with its place and its fix.

mod rules;

use std::path::Path;
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval};
use toolwright_config::{
    ConfigError, Configuration, LlmPart, Look, Problem, Severity, Watch, process_environment,
};

use crate::servers::{Applied, Servers};

pub use rules::watch_rules;

/// How often the file is looked at.
const EVERY: Duration = Duration::from_millis(500);

/// How many may wait for a reload that they asked for.
const ASKING: usize = 16;

/// The file is watched while this lives.
#[derive(Clone, Debug)]
pub struct Reloading {
    ask: mpsc::Sender<oneshot::Sender<Reloaded>>,
}

/// What came of a look at the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reloaded {
    /// It is in force now.
    Applied(Applied),
    /// It was left alone, and what was in force still is: the whole message, for people.
    Refused(String),
    /// The servers have ended.
    Over,
}

/// Watches a file and applies what it says whenever that changes. It need not be there: when it comes, it is
/// applied. Every server of the file is wanted. Must be called on a tokio runtime; the task ends with the
/// servers or with the last handle.
pub fn watch(file: &Path, servers: &Arc<Servers>) -> Reloading {
    watch_telling(file, servers, |_, _| (), |_, _| ())
}

/// The same. `before` hears of what is in force and of what will be, before one of its servers is started; `tell` of
/// what is in force anew, unless that is what was there at the start.
pub fn watch_telling(
    file: &Path,
    servers: &Arc<Servers>,
    before: impl Fn(&Configuration, &Configuration) + Send + Sync + 'static,
    tell: impl Fn(&Configuration, &Applied) + Send + Sync + 'static,
) -> Reloading {
    let (ask, mut asked) = mpsc::channel::<oneshot::Sender<Reloaded>>(ASKING);
    let ended = servers.ended().clone();
    let servers = Arc::downgrade(servers);
    let file = file.to_owned();
    let watching = async move {
        let Ok(mut watch) = spawn_blocking(move || Watch::new(&file)).await else { return };
        let mut ticks = interval(EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        // The file may have changed since it was read for the start.
        let mut next = Look::Thorough;
        loop {
            let mut answer = None;
            let look = tokio::select! {
                _ = ticks.tick() => std::mem::replace(&mut next, Look::Passing),
                asker = asked.recv() => match asker {
                    Some(asker) => {
                        answer = Some(asker);
                        Look::Thorough
                    }
                    None => return,
                },
            };
            // Nearly always: no thread is woken for it.
            if look == Look::Passing && watch.looks_the_same() {
                if servers.strong_count() == 0 {
                    return;
                }
                continue;
            }
            let is_first = answer.is_none() && look == Look::Thorough;
            let looked = spawn_blocking(move || {
                let said = watch.look(look, &process_environment);
                (watch, said)
            });
            let Ok((same, said)) = looked.await else { return };
            watch = same;
            let Some(servers) = Weak::upgrade(&servers) else { return };
            let reloaded = match said {
                // What is wrong with it was said at the start.
                Some(said) if is_first => said.ok().map(|new| take_quietly(&servers, &new, &before)),
                Some(said) => Some(take(&servers, watch.file(), said, &before)),
                None => None,
            };
            if let Some(Reloaded::Applied(applied)) = reloaded.as_ref().filter(|_| !is_first) {
                tell(&servers.current().configuration, applied);
            }
            if let (Some(answer), Some(reloaded)) = (answer, reloaded) {
                let _ = answer.send(reloaded);
            }
        }
    };
    tokio::spawn(async move {
        tokio::select! {
            () = watching => {}
            () = ended.cancelled() => {}
        }
    });
    Reloading { ask }
}

impl Reloading {
    /// Reads the file now, whatever it looks like, and waits for what comes of it.
    pub async fn now(&self) -> Reloaded {
        let (answer, answered) = oneshot::channel();
        if self.ask.send(answer).await.is_err() {
            return Reloaded::Over;
        }
        answered.await.unwrap_or(Reloaded::Over)
    }
}

/// Applies what a file says unless that would do harm, and says what was done.
fn take(
    servers: &Servers,
    file: &Path,
    said: Result<Configuration, ConfigError>,
    before: impl Fn(&Configuration, &Configuration),
) -> Reloaded {
    let refused = |reasons: String| {
        let message = format!("{reasons}\nthe configuration that was in force stays in force");
        tracing::error!("{message}");
        servers.set_refused(Some(reasons));
        Reloaded::Refused(message)
    };
    let new = match said {
        Ok(new) => new,
        // It ends with its fix.
        Err(error) => return refused(error.to_string()),
    };
    let harm = harmful(servers, &new);
    if !harm.is_empty() {
        return refused(harm.iter().map(|problem| problem.to_string()).collect::<Vec<_>>().join("\n"));
    }
    for problem in &new.problems {
        match problem.severity {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::warn!("{problem}"),
        }
    }
    before(&servers.current().configuration, &new);
    servers.set_refused(None);
    let applied = servers.apply(&new);
    let named = |what: &str, names: &[String]| match names {
        [] => String::new(),
        names => format!("; {what}: {}", names.join(", ")),
    };
    tracing::info!(
        "{} was read anew{}{}{}",
        file.display(),
        named("added", &applied.added),
        named("changed", &applied.changed),
        named("removed", &applied.removed)
    );
    Reloaded::Applied(applied)
}

/// The first look, for what changed between the start and now.
fn take_quietly(
    servers: &Servers,
    new: &Configuration,
    before: impl Fn(&Configuration, &Configuration),
) -> Reloaded {
    if !harmful(servers, new).is_empty() {
        return Reloaded::Refused(String::new());
    }
    before(&servers.current().configuration, new);
    Reloaded::Applied(servers.apply(new))
}

/// The mistakes that would take away a server or an upstream which is there. Others leave out only what never worked.
fn harmful<'c>(servers: &Servers, new: &'c Configuration) -> Vec<&'c Problem> {
    let current = servers.current();
    let is_there = |problem: &&Problem| {
        if let Some(part) = &problem.llm {
            return current.configuration.llm.as_ref().is_some_and(|llm| match part {
                LlmPart::Upstream(name) => llm.upstream(name).is_some(),
                LlmPart::Section => true,
            });
        }
        current.configuration.servers().any(|(toolbox, server)| match (&problem.toolbox, &problem.server) {
            (Some(of), Some(name)) => *of == toolbox.name && *name == server.name,
            (Some(of), None) => *of == toolbox.name,
            (None, _) => true,
        })
    };
    new.problems.iter().filter(|problem| problem.severity == Severity::Error).filter(is_there).collect()
}
