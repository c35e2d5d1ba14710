//! `toolwright serve`: every toolbox on one port of this machine.

mod start_text;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolwright_dashboard::Dashboard;
use toolwright_gateway::control::{ControlError, Door, door_of, door_without_configuration};
use toolwright_gateway::web::{
    self, Allowed, Api, Inside, Keys, ListenError, Rate, Reach, Sessions, Web, WebLimits, WebOptions,
};
use toolwright_mcp::front::SealKey;
use toolwright_voice::VoiceView;

use super::{print_text, token};
use crate::cli::ServeOptions;
use crate::gateway_source::{self, Behind, Written};
use crate::report::Report;
use crate::signals::{Signals, Wanted};
use crate::{server_source, telemetry_source, toolset};
use start_text::Started;

/// Where is listened when nobody says otherwise.
pub(super) const DEFAULT_PORT: u16 = 8484;
/// How many files may be open, where the system allows it: connections are files.
#[cfg(unix)]
const OPEN_FILES: u64 = 16_384;

pub fn run(options: &ServeOptions) -> Result<ExitCode, Report> {
    raise_file_limit();
    let runtime = Builder::new_multi_thread().worker_threads(workers()).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let done = runtime.block_on(serve(options));
    // Who ends at once does not wait for what still runs.
    runtime.shutdown_background();
    done
}

/// Half of the processors. The servers and the clients are on this machine too, and threads that wake each other
/// for every step of a call cost more than they help: on two processors one thread answers a call a third sooner
/// than two.
fn workers() -> usize {
    std::thread::available_parallelism().map_or(1, |processors| processors.get().div_ceil(2))
}

async fn serve(options: &ServeOptions) -> Result<ExitCode, Report> {
    let mut signals = Signals::new();
    let address = address(options)?;
    let reach = if options.listen_anywhere { Reach::Anywhere } else { Reach::Loopback };
    let bound = web::bind(address, reach).await.map_err(|error| cannot_listen(&error))?;
    let folder = gateway_source::token_folder();
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
    let written = Written { flags: &options.ledger, own_secrets: &own_secrets };
    let behind = gateway_source::behind(&options.config, &options.roots, &options.rules, key, written)?;
    let over = CancellationToken::new();
    let ledger = behind.keep_ledger(over.clone());
    let served = Arc::new(behind.served());
    let port = bound.address.port();
    let (sessions, link) = match &own {
        Some(own) => (Sessions::new(own, port), Sessions::link(own).map_err(token::report)?),
        None => (Sessions::open_to_all(port).map_err(token::report)?, "/".to_owned()),
    };
    let history = server_source::state_folder().map(|folder| folder.join("rules-history"));
    let pages =
        Dashboard::new(behind.ledger.clone(), Arc::clone(&behind.executor), Arc::clone(&behind.servers))
            .with_notices(Arc::clone(&behind.notices))
            .with_voice({
                let voice = Arc::clone(&behind.voice);
                move || voice.view()
            })
            .with_tokens(folder.clone())
            .with_rules(options.rules.rules.clone(), history);
    let started = Started {
        address: bound.address,
        link,
        token: own,
        token_file: folder.map(|folder| folder.own_file()).filter(|_| !options.no_auth),
        toolboxes: start_text::toolboxes(&behind, &served.toolboxes()),
        folders: toolset::folders(&options.roots),
        configuration: behind.configuration.as_ref().map(|configuration| configuration.file.clone()),
        upstreams: behind.llm.as_ref().map(|llm| llm.upstreams()).unwrap_or_default(),
    };
    let web_options = WebOptions {
        inside: served,
        keys,
        allowed: Allowed { hosts: options.allow_host.clone(), origins: options.allow_origin.clone() },
        limits: limits(options),
        metrics: behind.metrics(),
        api: Some(
            Api::new(behind.ledger.clone(), Arc::clone(&behind.executor))
                .with_status(Arc::clone(&behind.status))
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
    say(options, &started)?;
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
    let mut ledger = pin!(ledger);
    tokio::select! {
        () = until_asked_to_end(options, &behind, &mut signals) => {}
        () = &mut ledger => {}
    }
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
        () = ending => Ok(ExitCode::SUCCESS),
        // The guardian sees to the servers.
        code = signals.end() => Ok(ExitCode::from(code)),
    }
}

fn with_some<T>((keys, token): (T, String)) -> (T, Option<String>) {
    (keys, Some(token))
}

/// Keeps what is served current, and the control socket open, until a signal asks to end.
async fn until_asked_to_end(options: &ServeOptions, behind: &Behind, signals: &mut Signals) {
    let asked = Notify::new();
    let door = control_door(behind).await;
    let controlled = async {
        match &door {
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
async fn control_door(behind: &Behind) -> Option<Door> {
    let found = match &behind.configuration {
        Some(configuration) => door_of(&configuration.file),
        None => door_without_configuration(),
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

fn address(options: &ServeOptions) -> Result<SocketAddr, Report> {
    let loopback = |port| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port);
    let address = options.listen.unwrap_or_else(|| loopback(options.port.unwrap_or(DEFAULT_PORT)));
    if options.no_auth && !address.ip().is_loopback() {
        let what =
            format!("{address} can be reached by other machines, and --no-auth would let all of them in");
        return Err(Report::usage(what, "leave one of the two out: --no-auth is for 127.0.0.1 alone"));
    }
    Ok(address)
}

fn cannot_listen(error: &ListenError) -> Report {
    let fix = match error {
        ListenError::NotLoopback(_) => {
            "listen at 127.0.0.1, or say that this is what you want: --listen-anywhere".to_owned()
        }
        ListenError::Taken(address) => {
            let port = address.port();
            format!(
                "perhaps a gateway runs already; see who it is: ss -ltnp 'sport = :{port}'; or take another port: --port {}, or any that is free: --port 0",
                port.checked_add(1).unwrap_or(port - 1)
            )
        }
        ListenError::NotAllowed(_) => "take a port above 1023".to_owned(),
        ListenError::Io { .. } => "give an address of this machine with --listen".to_owned(),
    };
    Report::usage(error.to_string(), fix)
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

fn say(options: &ServeOptions, started: &Started) -> Result<(), Report> {
    if options.no_auth {
        eprintln!(
            "WARNING: --no-auth: nobody is asked for a token; every program and every user of this machine can use these tools"
        );
    }
    if !started.address.ip().is_loopback() {
        eprintln!(
            "WARNING: --listen-anywhere: other machines can reach {}; the token is all that keeps them out, and it travels unencrypted",
            started.address
        );
    }
    print_text(&if options.json { started.to_json() } else { started.to_text() })
}

#[cfg(unix)]
fn raise_file_limit() {
    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    let wanted = maximum.map_or(OPEN_FILES, |maximum| maximum.min(OPEN_FILES));
    if current.is_some_and(|current| current < wanted) {
        // Without it there are fewer connections, and that is said when they are used up.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum });
    }
}

#[cfg(not(unix))]
fn raise_file_limit() {}
