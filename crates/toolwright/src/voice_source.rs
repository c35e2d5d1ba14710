//! The voice: begun as the configuration says, and begun anew when it says otherwise.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use toolwright_backend::Servers;
use toolwright_base::IgnorePoison;
use toolwright_config::{Configuration, VoiceSettings};
use toolwright_executor::{ToolExecutor, printable};
use toolwright_voice::{Voice, VoiceOptions, VoiceView};

use crate::agent_mind::AgentMind;
use crate::report::Report;

/// How long is waited before it is told what the fronts are doing.
const SETTLED: Duration = Duration::from_secs(2);

/// How long a server may take to be reached before it counts as one that comes later.
const REACHED: Duration = Duration::from_secs(20);

/// Who wants the voice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The configuration may.
    IfConfigured,
    /// It is what was started.
    Always,
}

/// A mind, and the model that it asks.
pub struct NamedMind {
    pub mind: AgentMind,
    pub model: String,
}

/// Keeps the voice.
pub struct VoiceKeeper {
    executor: Arc<ToolExecutor>,
    servers: Arc<Servers>,
    /// Answers what is no direct command; or why nobody does.
    mind: Result<NamedMind, Report>,
    wanted: Wanted,
    settings: watch::Sender<Option<VoiceSettings>>,
    current: Mutex<Option<Arc<Voice>>>,
}

impl VoiceKeeper {
    /// Nothing is begun before [`VoiceKeeper::run`].
    pub fn new(
        executor: Arc<ToolExecutor>,
        servers: Arc<Servers>,
        configuration: Option<&Configuration>,
        wanted: Wanted,
        mind: Result<NamedMind, Report>,
    ) -> Arc<VoiceKeeper> {
        let settings = watch::Sender::new(settings(configuration, wanted));
        Arc::new(VoiceKeeper { executor, servers, mind, wanted, settings, current: Mutex::default() })
    }

    /// What can be seen of it; nothing when there is no voice.
    pub fn view(&self) -> Option<VoiceView> {
        self.lock().as_ref().map(|voice| voice.view())
    }

    /// Takes what another configuration says, and tells whether that is anything new. What cannot be used changes
    /// nothing.
    pub fn follow(&self, new: &Configuration) -> bool {
        if new.is_voice_wrong {
            return false;
        }
        let new = settings(Some(new), self.wanted);
        self.settings.send_if_modified(|old| {
            let is_other = *old != new;
            *old = new;
            is_other
        })
    }

    /// Has a voice as long as one is wanted, until `stop`. `tell` hears of its fronts when they have settled.
    pub async fn run(&self, stop: CancellationToken, tell: impl Fn(&VoiceView)) {
        let mut settings = self.settings.subscribe();
        loop {
            let wanted = settings.borrow_and_update().clone();
            let voice = wanted.map(|settings| {
                let model = settings.model.clone();
                let mind = self.mind.as_ref().ok().map(|named| Arc::new(named.mind.of_model(model)) as _);
                let executor = Arc::clone(&self.executor);
                Arc::new(Voice::start(VoiceOptions { settings, executor, mind }))
            });
            self.lock().clone_from(&voice);
            let speaking = async {
                let Some(voice) = &voice else { return std::future::pending().await };
                let telling = async {
                    let _ = timeout(SETTLED, voice.settled()).await;
                    tell(&voice.view());
                };
                tokio::join!(telling, self.wake());
            };
            let is_over = tokio::select! {
                changed = settings.changed() => changed.is_err(),
                () = speaking => true,
                () = stop.cancelled() => true,
            };
            if let Some(voice) = voice {
                voice.stop().await;
            }
            if is_over {
                *self.lock() = None;
                return;
            }
        }
    }

    /// The fronts and the model, a line each.
    pub fn told(&self, view: &VoiceView) -> String {
        let model = match &self.mind {
            Ok(named) => {
                let settings = self.settings.borrow();
                let said = settings.as_ref().and_then(|settings| settings.model.clone());
                said.unwrap_or_else(|| named.model.clone())
            }
            Err(why) => format!("none, so only direct commands are answered: {}", why.in_one_line()),
        };
        let fronts = view.fronts.iter();
        let mut rows: Vec<(&str, String)> =
            fronts.map(|front| (front.name, format!("{}: {}", front.state.word(), front.detail))).collect();
        rows.push(("model", model));
        let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
        let lines: String = rows.iter().map(|(name, said)| format!("  {name:width$}  {said}\n")).collect();
        printable(&lines, &['\n', '\\']).into_owned()
    }

    /// Servers begin when somebody asks for them. Whoever speaks should not have to wait for that, and a command is known
    /// by what they list: with a voice they begin at once, all together. It does not end.
    async fn wake(&self) {
        let mut changes = self.servers.changes();
        loop {
            changes.borrow_and_update();
            let mut reached = JoinSet::new();
            for server in self.servers.iter() {
                // What is wrong with one that is not reached is told by its supervisor.
                reached.spawn(async move { drop(server.supervisor.peer(REACHED).await) });
            }
            while reached.join_next().await.is_some() {}
            if changes.changed().await.is_err() {
                return std::future::pending().await;
            }
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Arc<Voice>>> {
        self.current.lock().ignore_poison()
    }
}

/// What is wanted of the voice; nothing when it is not wanted.
fn settings(configuration: Option<&Configuration>, wanted: Wanted) -> Option<VoiceSettings> {
    let said = configuration.and_then(|configuration| configuration.voice.clone());
    match wanted {
        Wanted::IfConfigured => said.filter(|settings| settings.is_enabled),
        // Who wrote something that cannot be used did not ask for the usual.
        Wanted::Always if configuration.is_some_and(|configuration| configuration.is_voice_wrong) => None,
        Wanted::Always => Some(said.unwrap_or_default()),
    }
}
