//! `toolwright dashboard`: a link that opens the pages, once.

use std::process::ExitCode;

use toolwright_gateway::web::Sessions;

use super::{print, token};
use crate::cli::DashboardOptions;
use crate::gateway_source;
use crate::report::Report;

pub fn run(options: &DashboardOptions) -> Result<ExitCode, Report> {
    let Some(folder) = gateway_source::token_folder() else {
        return Err(Report::usage("there is no folder to keep tokens in", "set HOME or XDG_STATE_HOME"));
    };
    let url = options.url.trim_end_matches('/');
    if !url.starts_with("http://") && !url.starts_with("https://") {
        let what = format!("\"{url}\" is no address");
        return Err(Report::usage(what, "write it as the gateway printed it, such as http://127.0.0.1:8484"));
    }
    let own = folder.own().map_err(token::report)?;
    let link = Sessions::link(&own).map_err(token::report)?;
    print(&format!("{url}{link}"))?;
    Ok(ExitCode::SUCCESS)
}
