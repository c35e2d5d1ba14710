//! `toolwright serve`: every toolbox on one port of this machine.

mod opened;
mod start_text;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use tokio::runtime::Builder;
use toolwright_port::{ListenError, Reach};

use super::print_text;
use crate::cli::ServeOptions;
use crate::report::Report;
use crate::signals::Signals;

pub(super) use opened::{Opened, Whose};
pub(super) use start_text::Started;

/// Where is listened when nobody says otherwise.
pub(super) const DEFAULT_PORT: u16 = 8484;
/// How many files may be open, where the system allows it: connections are files.
#[cfg(unix)]
const OPEN_FILES: u64 = 16_384;

pub fn run(options: &ServeOptions) -> Result<ExitCode, Report> {
    on_a_runtime(serve(options))
}

/// Runs a gateway to its end.
pub(super) fn on_a_runtime<T>(gateway: impl Future<Output = Result<T, Report>>) -> Result<T, Report> {
    raise_file_limit();
    let runtime = Builder::new_multi_thread().worker_threads(workers()).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let done = runtime.block_on(gateway);
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
    let signals = Signals::new();
    let reach = if options.listen_anywhere { Reach::Anywhere } else { Reach::Loopback };
    let bound =
        toolwright_port::bind(address(options)?, reach).await.map_err(|error| cannot_listen(&error))?;
    let opened = Opened::new(bound, options, Whose::User).await?;
    say(options, &opened.started)?;
    Ok(opened.run(options, signals, std::future::pending()).await)
}

/// The port of this machine.
pub(super) fn loopback(port: u16) -> SocketAddr {
    SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), port)
}

fn address(options: &ServeOptions) -> Result<SocketAddr, Report> {
    let address = options.listen.unwrap_or_else(|| loopback(options.port.unwrap_or(DEFAULT_PORT)));
    if options.no_auth && !address.ip().is_loopback() {
        let what =
            format!("{address} can be reached by other machines, and --no-auth would let all of them in");
        return Err(Report::usage(what, "leave one of the two out: --no-auth is for 127.0.0.1 alone"));
    }
    Ok(address)
}

pub(super) fn cannot_listen(error: &ListenError) -> Report {
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
