//! `toolwright dashboard`: a link that opens the pages, once.

use std::process::ExitCode;

use tokio::runtime::Builder;
use toolwright_port::Sessions;
use toolwright_port::status::ask;

use super::status::{ANSWER, USUAL, token as own_token};
use super::tui::{NotFound, found};
use super::{print, token};
use crate::cli::DashboardOptions;
use crate::gateway_source;
use crate::report::Report;

pub fn run(options: &DashboardOptions) -> Result<ExitCode, Report> {
    let Some(folder) = gateway_source::token_folder() else {
        return Err(Report::usage("there is no folder to keep tokens in", "set HOME or XDG_STATE_HOME"));
    };
    let url = match &options.url {
        // It may be reached by another name than from here.
        Some(url) => url.clone(),
        None => running(options)?,
    };
    let url = url.trim_end_matches('/');
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let what = format!("\"{url}\" is no address");
        return Err(Report::usage(what, "write it as the gateway printed it, such as http://127.0.0.1:8484"));
    }
    let own = folder.own().map_err(token::report)?;
    let link = Sessions::link(&own).map_err(token::report)?;
    // A browser sends cookies to every port of their host, so the pages have a host of their own. What `--url` says is
    // taken as it is.
    let url = match local_port(url).filter(|_| options.url.is_none()) {
        Some(port) => format!("http://{}:{port}", Sessions::host(&own)),
        None => url.to_owned(),
    };
    print(&format!("{url}{link}"))?;
    Ok(ExitCode::SUCCESS)
}

/// The port of an address of this machine.
fn local_port(url: &str) -> Option<u16> {
    let (host, port) = url.strip_prefix("http://")?.rsplit_once(':')?;
    ["127.0.0.1", "[::1]", "localhost"].contains(&host).then(|| port.parse().ok())?
}

/// Where the gateway is that runs. One that does not answer has no pages to open.
fn running(options: &DashboardOptions) -> Result<String, Report> {
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    runtime.block_on(async {
        let config = options.config.config.clone();
        let place = found(None, config, USUAL.to_owned()).await.map_err(|none| none.report())?;
        match ask(&place.url, &own_token(), ANSWER).await {
            Ok(_) => Ok(place.url),
            Err(error) => Err(NotFound::No(error).report()),
        }
    })
}
