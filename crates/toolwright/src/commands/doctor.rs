//! `toolwright doctor`: what is wrong, and the exact fix. It calls no tool and changes nothing.

mod clients;
mod text;
mod voice;

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use serde_json::json;
use tokio::runtime::Builder;
use toolwright_backend::Servers;
use toolwright_config::{load, locate, process_environment};
use toolwright_doctor::{Checkup, Examined, examine};

use super::{print, print_text};
use crate::cli::DoctorOptions;
use crate::progress::Progress;
use crate::report::{EXIT_FOUND, Report};
use crate::{ledger_source, server_source};

pub fn run(options: &DoctorOptions) -> Result<ExitCode, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let checkup = runtime.block_on(look(options));
    match options.json {
        true => print(&as_json(&checkup))?,
        false => print_text(&text::of(&checkup))?,
    }
    let is_well = checkup.findings().next().is_none();
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

async fn look(options: &DoctorOptions) -> Checkup {
    let located = locate(options.config.config.as_deref(), &process_environment);
    let configuration = located.and_then(|located| match located {
        Some(located) => load(&located.file, &process_environment).map(|read| Some((read, located.by))),
        None => Ok(None),
    });
    let state = server_source::state_folder();
    let found = configuration.as_ref().ok().and_then(Option::as_ref).map(|(configuration, _)| configuration);
    let examined = Examined {
        store: ledger_source::store(state.as_deref().unwrap_or_else(|| std::path::Path::new("")), found),
        state,
        configuration,
        rules: options.rules.clone(),
        address: options
            .listen
            .unwrap_or_else(|| SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), super::serve::DEFAULT_PORT)),
        servers: server_source::for_a_look(),
        patience: options.timeout,
    };
    // Journals are read from their begin, and addresses are waited for.
    let _told = Progress::of("looking");
    let watch = async |servers: &Servers, patience| server_source::settle(servers, Some(patience)).await;
    let checkup = examine(&examined, watch).await;
    let configuration =
        examined.configuration.as_ref().ok().and_then(Option::as_ref).map(|(configuration, _)| configuration);
    let voice = match configuration {
        Some(configuration) => voice::check(configuration).await,
        None => Vec::new(),
    };
    let named = options.config.config.as_deref();
    checkup
        .and(voice)
        .and(clients::check(named, configuration.map(|configuration| configuration.file.as_path())))
}

fn as_json(checkup: &Checkup) -> String {
    let findings: Vec<_> = checkup
        .findings()
        .map(|(check, finding)| {
            let mut said = json!(finding);
            said["area"] = json!(check.area);
            said["subject"] = json!(check.subject);
            said
        })
        .collect();
    let checks: Vec<_> = checkup
        .checks
        .iter()
        .map(|check| {
            let state = check.worst().map_or(json!("ok"), |worst| json!(worst));
            json!({ "area": check.area, "subject": check.subject, "state": state, "said": check.said })
        })
        .collect();
    let status = if findings.is_empty() { "ok" } else { "findings" };
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "status": status,
        "checks": checks,
        "findings": findings,
    })
    .to_string()
}
