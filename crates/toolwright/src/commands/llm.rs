//! `toolwright llm`: whether the models of the configuration can be asked.

use std::process::ExitCode;
use std::sync::Arc;

use tokio::runtime::Builder;
use toolwright_config::{Destination, ModelRoute};
use toolwright_executor::printable;
use toolwright_llm::exchange::Mending;
use toolwright_normalizer::Normalizer;
use toolwright_proxy::{Checked, CheckedUpstream, check, failure_text};

use super::{print, print_text};
use crate::cli::{LlmCommand, LlmOptions};
use crate::report::{EXIT_FOUND, Report};
use crate::{llm_source, server_source};

/// How many models are shown by name.
const SHOWN_MODELS: usize = 8;

pub fn run(options: &LlmOptions) -> Result<ExitCode, Report> {
    let LlmCommand::Check { model, upstream, json } = &options.command;
    let configuration = server_source::configuration(&options.config)?;
    let mut settings = llm_source::settings(configuration.as_ref());
    if settings.upstreams.is_empty() {
        return Err(Report::found(
            "no upstream is configured, or none without a mistake",
            "correct llm.upstreams",
        ));
    }
    if let Some(wanted) = upstream {
        let names: Vec<String> = settings.upstreams.iter().map(|upstream| upstream.name.clone()).collect();
        settings.upstreams.retain(|upstream| &upstream.name == wanted);
        if settings.upstreams.is_empty() {
            let what = format!("there is no upstream \"{wanted}\"");
            return Err(Report::usage(what, format!("name one of {}", names.join(", "))));
        }
        // There it is asked, wherever it would lead otherwise.
        settings.models = vec![ModelRoute {
            pattern: "*".to_owned(),
            destinations: vec![Destination { upstream: wanted.clone(), model: None }],
        }];
    }
    let runtime = Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Report::cannot_start(&error))?;
    let mending = Mending { normalizer: Arc::new(Normalizer::default()), cache: Arc::default() };
    let checked = runtime
        .block_on(check(&settings, model.as_deref(), &mending))
        .map_err(|error| Report::usage(error.to_string(), "correct llm.upstreams in the configuration"))?;
    if let Some(model) = model
        && checked.upstreams.iter().all(|upstream| upstream.tried.is_empty())
    {
        let what = format!("no upstream is configured for the model \"{model}\"");
        return Err(Report::usage(what, "add it to llm.models, such as \"*\": \"UPSTREAM/*\""));
    }
    match json {
        true => print(&serde_json::json!(checked).to_string())?,
        false => print_text(&text(&checked))?,
    }
    let is_good = |upstream: &CheckedUpstream| {
        let is_tried = upstream.tried.iter().all(|tried| tried.whole.is_ok() && tried.stream.is_ok());
        upstream.answers.is_ok() && is_tried
    };
    let is_all_good = checked.upstreams.iter().all(is_good);
    Ok(if is_all_good { ExitCode::SUCCESS } else { ExitCode::from(EXIT_FOUND) })
}

fn text(checked: &Checked) -> String {
    let mut out = String::new();
    for upstream in &checked.upstreams {
        let key = if upstream.has_key { "with a key" } else { "with the client's own key" };
        out.push_str(&format!("{}  {}  {}, {key}\n", upstream.name, upstream.dialect.name(), upstream.url));
        match &upstream.answers {
            Ok(found) => {
                let shown: Vec<&str> = found.models.iter().take(SHOWN_MODELS).map(String::as_str).collect();
                let more = found.models.len().saturating_sub(shown.len());
                let more = if more > 0 { format!(" and {more} more") } else { String::new() };
                let models = match found.models.len() {
                    0 => "names no models".to_owned(),
                    1 => format!("1 model: {}", shown.join(", ")),
                    count => format!("{count} models: {}{more}", shown.join(", ")),
                };
                out.push_str(&format!("  answers in {} ms; {models}\n", found.milliseconds));
            }
            Err(failure) => out.push_str(&format!("  does not tell its models: {}\n", failure_text(failure))),
        }
        for tried in &upstream.tried {
            for (way, said) in [("whole", &tried.whole), ("in pieces", &tried.stream)] {
                let (Ok(said) | Err(said)) = said;
                out.push_str(&format!("  {}, {way}: {said}\n", tried.model));
            }
        }
    }
    printable(&out, &['\n']).into_owned()
}
