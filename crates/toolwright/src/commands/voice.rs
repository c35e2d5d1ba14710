//! `toolwright voice`: the house that is spoken to, without a port for MCP clients.

use std::pin::pin;
use std::process::ExitCode;
use std::sync::Arc;

use serde_json::json;
use tokio::runtime::Builder;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use toolwright_config::{BrokerChoice, USUAL_TOPIC_PREFIX};
use toolwright_mcp::front::SealKey;
use toolwright_voice::{FrontState, FrontView, VoiceView};

use super::print_text;
use crate::cli::VoiceOptions;
use crate::gateway_source::{self, Behind, Wanted, Written};
use crate::report::Report;
use crate::signals::{Signals, Wanted as Signal};
use crate::watchdog::{USUAL_GRACE, Watchdog};
use crate::{server_source, telemetry_source};

pub fn run(options: &VoiceOptions) -> Result<ExitCode, Report> {
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let done = runtime.block_on(serve(options));
    // Who ends at once does not wait for what still runs.
    runtime.shutdown_background();
    done
}

async fn serve(options: &VoiceOptions) -> Result<ExitCode, Report> {
    let mut signals = Signals::new();
    let watchdog = Watchdog::start(USUAL_GRACE);
    let state = server_source::state_folder();
    let written = Written { flags: &options.ledger, state: state.as_deref(), own_secrets: &[] };
    let key = SealKey::random();
    let (config, roots, rules) = (&options.config, &options.roots, &options.rules);
    let behind = gateway_source::behind_with(config, roots, rules, key, written, Wanted::ForVoice)?;
    if let Some(configuration) =
        behind.configuration.as_ref().filter(|configuration| configuration.is_voice_wrong)
    {
        let what =
            format!("{} says something of the voice that cannot be used", configuration.file.display());
        behind.servers.stop().await;
        return Err(Report::usage(what, "correct what is told above"));
    }
    let over = CancellationToken::new();
    let mut ledger = pin!(behind.keep_ledger(over.clone()));
    let stop = CancellationToken::new();
    let (voice, asked) = (Arc::clone(&behind.voice), Notify::new());
    let said = |view: &VoiceView| {
        if let Err(report) =
            print_text(&if options.json { as_json(view, &behind) } else { as_text(view, &behind) })
        {
            report.print();
        }
    };
    let mut speaking = pin!(voice.run(stop.clone(), said));
    let ending = async {
        while let Signal::Reload = signals.next().await {
            asked.notify_waiters();
        }
    };
    tokio::select! {
        () = &mut speaking => {}
        () = behind.keep_current(&options.rules, &asked) => {}
        () = ending => {}
        () = &mut ledger => {}
    }
    watchdog.shutdown_begins();
    let end = async {
        stop.cancel();
        speaking.await;
        behind.servers.stop().await;
        over.cancel();
        tokio::join!(ledger, telemetry_source::end(behind.telemetry.as_ref()));
    };
    tokio::select! {
        () = end => Ok(ExitCode::SUCCESS),
        code = signals.end() => Ok(ExitCode::from(code)),
    }
}

fn as_json(view: &VoiceView, behind: &Behind) -> String {
    let said = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "pid": std::process::id(),
        "fronts": view.fronts,
        "configuration": behind.configuration.as_ref().map(|configuration| configuration.file.clone()),
    });
    format!("{said}\n")
}

fn as_text(view: &VoiceView, behind: &Behind) -> String {
    let configuration = match &behind.configuration {
        Some(configuration) => configuration.file.display().to_string(),
        None => {
            "none, so these are the built-in tools; name servers in toolwright.json here, or with --config"
                .to_owned()
        }
    };
    let settings = behind.configuration.as_ref().and_then(|configuration| configuration.voice.as_ref());
    let mqtt = settings.and_then(|settings| settings.mqtt.as_ref());
    let prefix = mqtt.map_or(USUAL_TOPIC_PREFIX, |mqtt| mqtt.topic_prefix.as_str());
    let is_inside = mqtt.is_none_or(|mqtt| matches!(mqtt.broker, BrokerChoice::Inside { .. }));
    let is_open = |front: &&FrontView| front.name == "broker" && front.state == FrontState::Ready;
    let broker = view.fronts.iter().find(is_open).filter(|_| is_inside);
    let port = broker.and_then(|front| front.detail.split_once("127.0.0.1:")?.1.split(',').next());
    let next = match port {
        Some(port) => format!(
            "\nTry it, from two other terminals:\n  mosquitto_sub -p {port} -t '{prefix}/#' -v\n  mosquitto_pub -p {port} -t {prefix}/transcription -m 'what time is it'\n"
        ),
        None => String::new(),
    };
    format!(
        "toolwright {} listens\n\n{}\nConfiguration: {configuration}\n{next}\nCtrl-C ends it.\n",
        env!("CARGO_PKG_VERSION"),
        behind.voice.told(view),
    )
}
