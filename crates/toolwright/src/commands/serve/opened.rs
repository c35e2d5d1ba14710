//! A gateway on a port: made of what is behind it, and kept until somebody wants it to end.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolwright_dashboard::Dashboard;
use toolwright_mcp::front::SealKey;
use toolwright_port::control::{ControlError, Door, door_of, door_without_configuration};
use toolwright_port::{
    Allowed, Api, Bound, Inside, Keys, Rate, Sessions, TokenFolder, Web, WebLimits, WebOptions,
};
use toolwright_voice::VoiceView;

use super::start_text::{self, OwnerSecrets, Started};
use crate::cli::ServeOptions;
use crate::commands::token;
use crate::gateway_source::{self, Behind, Wanted as Servers, Written};
use crate::report::Report;
use crate::signals::{Signals, Wanted};
use crate::watchdog::Watchdog;
use crate::{server_source, telemetry_source, toolset};

/// What stands above every page of a demo.
const DEMO_BANNER: &str = "Demo: made-up calls of a scripted model, which makes the mistakes that models make. Nothing of yours is touched; all of it is gone when the demo ends.";

/// Whose gateway it is: that decides where it keeps what must last, and what it reads.
#[derive(Clone, Copy)]
pub enum Whose<'p> {
    /// The user's.
    User,
    /// Nobody's: everything is in a folder that goes away with it.
    Demo {
        /// Instead of the user's folder for what must last.
        state: &'p Path,
        /// Instead of the user's control socket.
        door: &'p Path,
    },
}

/// A gateway whose port is open. Nobody is answered before it runs.
pub struct Opened {
    pub started: Started,
    behind: Behind,
    bound: Bound,
    web: Arc<Web>,
    /// Open before the address is printed: a program that waits for that line may ask for the status at once.
    control: Option<Door>,
}

impl Whose<'_> {
    fn state(self) -> Option<PathBuf> {
        match self {
            Whose::User => server_source::state_folder(),
            Whose::Demo { state, .. } => Some(state.to_owned()),
        }
    }

    fn servers(self) -> Servers<'static> {
        match self {
            Whose::User => Servers::WhenAsked,
            Whose::Demo { .. } => Servers::Demo,
        }
    }

    /// A demo's token ends with it, and its link is what it is started for.
    fn secrets(self) -> OwnerSecrets {
        match self {
            Whose::User if !std::io::stdout().is_terminal() => OwnerSecrets::NamedOnly,
            Whose::User | Whose::Demo { .. } => OwnerSecrets::Printed,
        }
    }

    fn banner(self) -> Option<String> {
        match self {
            Whose::User => None,
            Whose::Demo { .. } => Some(DEMO_BANNER.to_owned()),
        }
    }
}

impl Opened {
    /// Makes everything behind the port. Must be called on a tokio runtime.
    pub async fn new(bound: Bound, options: &ServeOptions, whose: Whose<'_>) -> Result<Opened, Report> {
        let state = whose.state();
        let (folder, secrets) = (state.clone().map(TokenFolder::new), whose.secrets());
        if folder.is_none() && !options.no_auth && secrets == OwnerSecrets::NamedOnly {
            // The token would be in no file and on no terminal: no client could ever use this gateway.
            let what = "there is no folder to keep the token in, and stdout is not a terminal to print it on";
            return Err(Report::usage(
                what,
                "set HOME or XDG_STATE_HOME to a folder that this user can write",
            ));
        }
        let key = match &folder {
            Some(folder) => SealKey::from_bytes(folder.seal_key().map_err(token::report)?),
            None => SealKey::random(),
        };
        let (keys, own) = match (&folder, options.no_auth) {
            (_, true) => (Keys::none_needed(), None),
            (Some(folder), false) => Keys::in_folder(folder.clone()).map(with_some).map_err(token::report)?,
            (None, false) => Keys::for_this_run().map(with_some).map_err(token::report)?,
        };
        let keys = if bound.address.ip().is_loopback() { keys } else { keys.for_strangers() };
        let own_secrets: Vec<String> = own.iter().cloned().collect();
        let written = Written { flags: &options.ledger, state: state.as_deref(), own_secrets: &own_secrets };
        let (config, roots, rules) = (&options.config, &options.roots, &options.rules);
        let behind = gateway_source::behind_with(config, roots, rules, key, written, whose.servers())?;
        let served = Arc::new(behind.served());
        let port = bound.address.port();
        let (sessions, link) = match &own {
            Some(own) => {
                let sessions = Sessions::new(own, port);
                let sessions = match &state {
                    Some(state) => sessions.remembering_in(state.join("spent-logins")),
                    None => sessions,
                };
                (sessions, Sessions::link(own).map_err(token::report)?)
            }
            None => (Sessions::open_to_all(port).map_err(token::report)?, "/".to_owned()),
        };
        let mut allowed =
            Allowed { hosts: options.allow_host.clone(), origins: options.allow_origin.clone() };
        let pages_host = own.as_deref().filter(|_| bound.address.ip().is_loopback()).map(Sessions::host);
        if let Some(host) = &pages_host {
            allowed.hosts.push(host.clone());
            allowed.origins.push(format!("http://{host}:{port}"));
        }
        let pages =
            Dashboard::new(behind.ledger.clone(), Arc::clone(&behind.executor), Arc::clone(&behind.servers))
                .with_url(start_text::url_of(bound.address, ""))
                .with_notices(Arc::clone(&behind.notices))
                .with_voice({
                    let voice = Arc::clone(&behind.voice);
                    move || voice.view()
                })
                .with_llm(behind.llm.clone())
                .with_tokens(folder.clone())
                .with_rules(options.rules.rules.clone(), state.map(|folder| folder.join("rules-history")))
                .with_banner(whose.banner());
        let started = Started {
            address: bound.address,
            link,
            pages_host,
            token: own,
            secrets,
            token_file: folder.map(|folder| folder.own_file()).filter(|_| !options.no_auth),
            toolboxes: start_text::toolboxes(&behind, &served.toolboxes()),
            folders: toolset::folders(&options.roots),
            configuration: behind.configuration.as_ref().map(|configuration| configuration.file.clone()),
            upstreams: behind.llm.as_ref().map(|llm| llm.upstreams()).unwrap_or_default(),
        };
        let web_options = WebOptions {
            inside: served,
            keys,
            allowed,
            limits: limits(options),
            metrics: behind.metrics(),
            api: Some(
                Api::new(behind.ledger.clone(), Arc::clone(&behind.executor))
                    .with_status(Arc::clone(&behind.status))
                    .with_llm(behind.llm.clone())
                    .with_voice({
                        let voice = Arc::clone(&behind.voice);
                        move || voice.view().map(|view| view.to_json())
                    }),
            ),
            llm: behind.llm.clone(),
            pages: Some((Arc::new(pages), sessions)),
        };
        let web = Web::new(bound.address, web_options)
            .map_err(|error| Report::usage(error.to_string(), "correct --allow-host or --allow-origin"))?;
        behind.status.at(bound.address, &web);
        let control = control_door(&behind, whose).await;
        Ok(Opened { started, behind, bound, web, control })
    }

    /// Serves until a signal asks to end or `until` is over, and then until what was begun is answered.
    pub async fn run(
        self,
        options: &ServeOptions,
        mut signals: Signals,
        until: impl Future<Output = ()>,
    ) -> ExitCode {
        let Opened { behind, bound, web, control, .. } = self;
        let watchdog = Watchdog::start(limits(options).grace);
        let over = CancellationToken::new();
        let mut ledger = pin!(behind.keep_ledger(over.clone()));
        let stop = web.stop();
        let mut serving = tokio::spawn(async move { web.serve(bound).await });
        let noticing = {
            let (notices, servers, ledger) =
                (Arc::clone(&behind.notices), Arc::clone(&behind.servers), behind.ledger.clone());
            let over = over.clone();
            tokio::spawn(async move { notices.run(&servers, ledger.as_ref(), &over).await })
        };
        let (stop_voice, voice) = (CancellationToken::new(), Arc::clone(&behind.voice));
        let mut speaking = {
            let stop = stop_voice.clone();
            let keeper = Arc::clone(&voice);
            let tell = move |view: &VoiceView| eprint!("the voice listens:\n{}", keeper.told(view));
            tokio::spawn(async move { voice.run(stop, tell).await })
        };
        tokio::select! {
            () = until_asked_to_end(options, &behind, control.as_ref(), &mut signals) => {}
            () = until => {}
            () = &mut ledger => {}
        }
        watchdog.shutdown_begins();
        stop.ask();
        let ending = async {
            stop_voice.cancel();
            let _ = tokio::join!(&mut serving, &mut speaking);
            behind.servers.stop().await;
            // Every call has ended now, and is counted.
            over.cancel();
            let _ = tokio::join!(ledger, telemetry_source::end(behind.telemetry.as_ref()), noticing);
        };
        tokio::select! {
            () = ending => ExitCode::SUCCESS,
            // The guardian sees to the servers.
            code = signals.end() => ExitCode::from(code),
        }
    }
}

fn with_some<T>((keys, token): (T, String)) -> (T, Option<String>) {
    (keys, Some(token))
}

/// Keeps what is served current, and the control socket open, until a signal asks to end.
async fn until_asked_to_end(
    options: &ServeOptions,
    behind: &Behind,
    control: Option<&Door>,
    signals: &mut Signals,
) {
    let asked = Notify::new();
    let controlled = async {
        match control {
            Some(door) => {
                door.serve(Arc::clone(&behind.servers), Some(Arc::clone(&behind.status))).await;
            }
            None => std::future::pending().await,
        }
    };
    let ending = async {
        while let Wanted::Reload = signals.next().await {
            asked.notify_waiters();
        }
    };
    tokio::select! {
        () = controlled => {}
        () = behind.keep_current(&options.rules, &asked) => {}
        () = ending => {}
    }
}

/// The socket of `toolwright servers` and `toolwright status`. Without one everything else works.
async fn control_door(behind: &Behind, whose: Whose<'_>) -> Option<Door> {
    let found = match (whose, &behind.configuration) {
        (Whose::Demo { door, .. }, _) => Ok(door.to_owned()),
        (Whose::User, Some(configuration)) => door_of(&configuration.file),
        (Whose::User, None) => door_without_configuration(),
    };
    let opened = match found {
        Ok(path) => Door::open(&path).await,
        Err(error) => Err(error),
    };
    opened
        .inspect_err(|error| {
            // Of gateways without a file there may be many, and nobody restarts servers of theirs.
            if behind.configuration.is_none() {
                return;
            }
            let why = match error {
                ControlError::SomebodyThere => {
                    "it is about another gateway with the same configuration".to_owned()
                }
                error => format!("it does not see this gateway: {error}"),
            };
            eprintln!("warning: \"toolwright servers\" cannot be used here: {why}");
        })
        .ok()
}

fn limits(options: &ServeOptions) -> WebLimits {
    let usual = WebLimits::default();
    let or = |given: Option<u32>, usual: usize| given.map_or(usual, |given| given as usize);
    WebLimits {
        rate: match options.rate {
            Some(0) => None,
            Some(rate) => Some(Rate::per_second(rate)),
            None => usual.rate,
        },
        requests_per_client: or(options.calls, usual.requests_per_client),
        requests_in_all: or(options.calls_in_all, usual.requests_in_all),
        connections: or(options.connections, usual.connections),
        grace: options.grace.unwrap_or(usual.grace),
        ..usual
    }
}
