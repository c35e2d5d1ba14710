//! `toolwright stdio`: one client, over standard input and output.

use std::pin::pin;
use std::process::ExitCode;

use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolwright_endpoints::Endpoint;
use toolwright_mcp::front::{SealKey, Visitor};
use toolwright_model::STDIO;
use toolwright_port::Inside;

use crate::cli::StdioOptions;
use crate::gateway_source::{self, Behind, Written};
use crate::report::Report;
use crate::signals::{Signals, Wanted};
use crate::watchdog::{USUAL_GRACE, Watchdog};
use crate::{server_source, telemetry_source};

pub fn run(options: &StdioOptions) -> Result<ExitCode, Report> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let done = runtime.block_on(serve(options));
    // Standard input may still be waited for, and nobody will write to it.
    runtime.shutdown_background();
    done
}

async fn serve(options: &StdioOptions) -> Result<ExitCode, Report> {
    let mut signals = Signals::new();
    let watchdog = Watchdog::start(USUAL_GRACE);
    // What is sealed is for this client alone, which is gone when we are.
    let state = server_source::state_folder();
    let written = Written { flags: &options.ledger, state: state.as_deref(), own_secrets: &[] };
    let key = SealKey::random();
    let behind = gateway_source::behind(&options.config, &options.roots, &options.rules, key, written)?;
    let over = CancellationToken::new();
    let mut ledger = pin!(behind.keep_ledger(over.clone()));
    let endpoint = match (&options.toolbox, options.all) {
        (Some(name), _) => Endpoint::Toolbox(name.clone()),
        (None, true) => Endpoint::All,
        (None, false) => Endpoint::Toolboxes,
    };
    let Some(service) = behind.gateway.service(&endpoint) else {
        let report = no_toolbox(options.toolbox.as_deref().unwrap_or_default(), &behind);
        behind.servers.stop().await;
        return Err(report);
    };
    let asked = Notify::new();
    let keeping = behind.keep_current(&options.rules, &asked);
    let visitor = Visitor::everywhere(STDIO);
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let serving = behind.fronts.serve_stdio(service, input, output, visitor);
    let ending = async {
        while let Wanted::Reload = signals.next().await {
            asked.notify_waiters();
        }
    };
    tokio::select! {
        () = serving => {}
        () = keeping => {}
        () = ending => {}
        () = &mut ledger => {}
    }
    watchdog.shutdown_begins();
    behind.fronts.close();
    let end = async {
        behind.servers.stop().await;
        over.cancel();
        tokio::join!(ledger, telemetry_source::end(behind.telemetry.as_ref()));
    };
    tokio::select! {
        () = end => Ok(ExitCode::SUCCESS),
        code = signals.end() => Ok(ExitCode::from(code)),
    }
}

fn no_toolbox(name: &str, behind: &Behind) -> Report {
    let there = behind.served().toolboxes();
    let fix = match there.len() {
        0 => "name servers in a configuration: --config FILE".to_owned(),
        _ => format!("use one of {}", there.join(", ")),
    };
    Report::usage(format!("there is no toolbox \"{name}\""), fix)
}
