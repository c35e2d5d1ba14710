//! `toolwright install CLIENT --llm`: the models that a client asks, through the gateway.

use std::process::ExitCode;

use serde_json::json;
use toolwright_config::clients::{Document, EditError, Format, LlmClient, Step, llm_client, llm_clients};

use super::change::{Change, Said};
use super::{gateway_url, known_client, own_token, parsed, shown};
use crate::cli::InstallOptions;
use crate::client_files::ClientFile;
use crate::commands::import::places;
use crate::commands::{print, print_text};
use crate::report::Report;

/// What the change is remembered under.
pub const NAME: &str = "models";

/// What stands for the token where it is printed to be looked at.
const TOKEN_COMMAND: &str = "$(toolwright token show)";

pub fn run(word: &str, options: &InstallOptions) -> Result<ExitCode, Report> {
    let known = llm_client(word).or_else(|| llm_client(known_client(word).ok()?.id));
    let Some(client) = known else { return elsewhere(word, options) };
    if options.write || options.undo {
        return settings(client, options);
    }
    if options.shell {
        let lines = client.variables(&gateway_url(options), &own_token()?).into_iter();
        let lines: Vec<String> = lines.map(|(name, value)| format!("export {name}='{value}'")).collect();
        return print_text(&lines.join("\n")).map(|()| ExitCode::SUCCESS);
    }
    if options.json {
        let variables: serde_json::Map<String, serde_json::Value> = client
            .variables(&gateway_url(options), &own_token()?)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.into()))
            .collect();
        return print(&json!({ "client": client.id, "variables": variables }).to_string())
            .map(|()| ExitCode::SUCCESS);
    }
    let mut lines =
        vec![format!("With these variables models are asked through Toolwright, by {}:", client.title)];
    lines.extend(
        client
            .variables(&gateway_url(options), TOKEN_COMMAND)
            .into_iter()
            .map(|(name, value)| format!("  {name}=\"{value}\"")),
    );
    lines.extend(client.remark.map(|remark| format!("({remark})")));
    lines.push(format!("In a shell: eval \"$(toolwright install {} --llm --shell)\"", client.id));
    if client.place(&places()?).is_some() {
        lines.push(format!("For good: toolwright install {} --llm --write", client.id));
    }
    lines.push("Which models there are: toolwright llm check; keep `toolwright serve` running.".to_owned());
    print(&shown(&lines.join("\n"))).map(|()| ExitCode::SUCCESS)
}

/// A client of which nothing is known on this side, or no client at all.
fn elsewhere(word: &str, options: &InstallOptions) -> Result<ExitCode, Report> {
    let names: Vec<&str> = llm_clients().iter().map(|client| client.id).collect();
    let client = known_client(word).map_err(|_| {
        Report::usage(
            format!("there is no client \"{word}\""),
            format!("with --llm use one of {}", names.join(", ")),
        )
    })?;
    let url = gateway_url(options);
    let base = url.trim_end_matches('/');
    Err(Report::usage(
        format!("how {} is told which models to ask is not known here", client.title),
        format!(
            "set its base URL to {base}/v1 (OpenAI), {base} (Anthropic, Ollama) and its key to `toolwright token show`"
        ),
    ))
}

/// Writes the variables into the settings, or takes them out.
fn settings(client: &LlmClient, options: &InstallOptions) -> Result<ExitCode, Report> {
    let Some(place) = client.place(&places()?) else {
        let what = format!("{} has no settings file that holds variables", client.title);
        return Err(Report::usage(
            what,
            format!("print them: toolwright install {} --llm --shell", client.id),
        ));
    };
    let file = ClientFile::open(&place.file)?;
    let change = Change { id: client.id, title: client.title, name: NAME, file: &file };
    let path = |step: &Step| place.path.iter().cloned().chain([step.clone()]).collect::<Vec<_>>();
    if options.undo {
        let take_out = |document: &mut Document, made: Option<usize>| -> Result<bool, EditError> {
            let mut was_there = false;
            if made.is_none() {
                // Another address and another key may be there: only what we wrote down is ours.
                return Ok(false);
            }
            for (step, _) in client.data("", "") {
                was_there |= document.root().at(&path(&step)).is_some();
                document.remove(&path(&step))?;
            }
            Ok(was_there)
        };
        return change.undo(Format::Json, options, &take_out);
    }
    let mut document = parsed(Format::Json, &file)?;
    let mut without = document.clone();
    let mut was_in = false;
    for (step, _) in client.data("", "") {
        was_in |= without.root().at(&path(&step)).is_some();
        // What cannot be taken out stays in the copy.
        let _ = without.remove(&path(&step));
    }
    for (step, value) in client.data(&gateway_url(options), &own_token()?) {
        document.set(&path(&step), &value).map_err(|error| {
            let fix = format!("print them instead: toolwright install {} --llm --shell", client.id);
            Report::usage(format!("{} is left alone: {error}", file.path.display()), fix)
        })?;
    }
    let said = Said {
        next: Some("start the client anew; keep `toolwright serve` running"),
        holds_token: true,
        without_us: was_in.then(|| without.to_text()),
        ..Said::default()
    };
    change.carry_out(&document, 0, &said, options)
}
