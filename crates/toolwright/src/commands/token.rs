//! `toolwright token`: who may use the gateway.

use std::path::Path;
use std::process::ExitCode;

use jiff::Timestamp;
use serde_json::json;
use toolwright_config::{load, locate, process_environment};
use toolwright_endpoints::OWN_TOOLBOX;
use toolwright_model::OWN_TOKEN;
use toolwright_port::{NewToken, TokenEntry, TokenError, TokenFolder};

use super::print;
use crate::cli::{TokenCommand, TokenOptions};
use crate::gateway_source;
use crate::report::Report;

/// The name that stands for every toolbox or every model.
const EVERY: &str = "*";

pub fn run(options: &TokenOptions) -> Result<ExitCode, Report> {
    let Some(folder) = gateway_source::token_folder() else {
        return Err(Report::usage("there is no folder to keep tokens in", "set HOME or XDG_STATE_HOME"));
    };
    match &options.command {
        TokenCommand::Add { name, toolboxes, models, rate, calls, json } => {
            let (toolboxes, models) = access(toolboxes, models);
            let new = NewToken {
                name: name.clone(),
                toolboxes,
                models,
                rate: *rate,
                calls: calls.map(|calls| calls as usize),
                created: now(),
            };
            add(&folder, new, *json)
        }
        TokenCommand::List { json } => list(&folder, *json),
        TokenCommand::Revoke { name } => revoke(&folder, name),
        TokenCommand::Show => print(&folder.own().map_err(report)?),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The toolboxes and models of a new token; `None` is all of them. A token that is limited in one is limited in the
/// other too: whoever writes `--toolbox clock` does not expect to pay for language models.
fn access(toolboxes: &[String], models: &[String]) -> (Option<Vec<String>>, Option<Vec<String>>) {
    if toolboxes.is_empty() && models.is_empty() {
        return (None, None);
    }
    let limited = |list: &[String]| (!list.iter().any(|name| name == EVERY)).then(|| list.to_vec());
    (limited(toolboxes), limited(models))
}

/// What a token may use, in words.
fn described(what: &str, list: Option<&[String]>) -> String {
    match list {
        None => format!("every {what}"),
        Some([]) => format!("no {what}"),
        Some([one]) => format!("the {what} {one}"),
        Some(several) => format!("the {}s {}", what.replace("box", "boxe"), several.join(", ")),
    }
}

fn add(folder: &TokenFolder, new: NewToken, as_json: bool) -> Result<(), Report> {
    let name = new.name.clone();
    let (toolboxes, models) = (new.toolboxes.clone(), new.models.clone());
    let token = folder.add(new).map_err(report)?;
    warn_of_unknown(toolboxes.as_deref().unwrap_or_default(), None);
    if as_json {
        let said = json!({ "name": name, "token": token, "toolboxes": toolboxes, "models": models });
        return print(&said.to_string());
    }
    print(&token)?;
    eprintln!(
        "This is the token \"{name}\". It may use {} and {}. It is not shown again.",
        described("toolbox", toolboxes.as_deref()),
        described("language model", models.as_deref()),
    );
    match (toolboxes.as_deref(), models.as_deref()) {
        (Some(_), Some([])) => {
            eprintln!("For language models as well, name them: --model 'PATTERN', or '*' for every one.")
        }
        (Some([]), Some(_)) => {
            eprintln!("For toolboxes as well, name them: --toolbox NAME, or '*' for every one.")
        }
        _ => {}
    }
    Ok(())
}

/// Tells of toolboxes that the configuration found from here does not have. It may be another one that is
/// served, so that this is no error.
pub(super) fn warn_of_unknown(toolboxes: &[String], config: Option<&Path>) {
    let Ok(Some(located)) = locate(config, &process_environment) else { return };
    let Ok(configuration) = load(&located.file, &process_environment) else { return };
    let mut there: Vec<&str> = configuration.toolboxes.iter().map(|toolbox| toolbox.name.as_str()).collect();
    if configuration.serves_own_tools() {
        there.push(OWN_TOOLBOX);
    }
    for toolbox in toolboxes.iter().filter(|toolbox| !there.contains(&toolbox.as_str())) {
        let listed = if there.is_empty() { "none".to_owned() } else { there.join(", ") };
        let said =
            format!("warning: {} has no toolbox \"{toolbox}\"; it has {listed}", located.file.display());
        eprintln!("{}", toolwright_executor::printable(&said, &['\\']));
    }
}

fn list(folder: &TokenFolder, as_json: bool) -> Result<(), Report> {
    let tokens = folder.list().map_err(report)?;
    if as_json {
        let shown: Vec<_> = tokens.iter().map(as_value).collect();
        return print(&serde_json::Value::from(shown).to_string());
    }
    let mut rows =
        vec![["NAME", "TOOLBOXES", "MODELS", "PER SECOND", "AT ONCE", "CREATED"].map(str::to_owned)];
    let usual = || "-".to_owned();
    let own = folder.own_file();
    let own_is = if own.exists() { format!("in {}", own.display()) } else { "at the first start".to_owned() };
    let all_or = |list: Option<Vec<String>>| match list {
        None => "all".to_owned(),
        Some(list) if list.is_empty() => "none".to_owned(),
        Some(list) => list.join(", "),
    };
    rows.push([OWN_TOKEN.to_owned(), all_or(None), all_or(None), usual(), usual(), own_is]);
    for token in tokens {
        rows.push([
            token.name,
            all_or(token.toolboxes),
            all_or(token.models),
            token.rate.map_or_else(usual, |rate| rate.to_string()),
            token.calls.map_or_else(usual, |calls| calls.to_string()),
            token.created,
        ]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths = [width(0), width(1), width(2), width(3), width(4)];
    let lines = rows.iter().map(|[name, toolboxes, models, rate, calls, created]| {
        let [first, second, third, fourth, fifth] = widths;
        format!(
            "{name:first$}  {toolboxes:second$}  {models:third$}  {rate:fourth$}  {calls:fifth$}  {created}"
        )
    });
    let text = lines.collect::<Vec<_>>().join("\n");
    print(&toolwright_executor::printable(&text, &['\n', '\\']))
}

fn as_value(token: &TokenEntry) -> serde_json::Value {
    let TokenEntry { name, toolboxes, models, rate, calls, created, .. } = token;
    json!({ "name": name, "toolboxes": toolboxes, "models": models, "rate": rate, "calls": calls, "created": created })
}

fn revoke(folder: &TokenFolder, name: &str) -> Result<(), Report> {
    if name == OWN_TOKEN {
        let fix = format!(
            "remove {} and start the gateway anew; it makes another one",
            folder.own_file().display()
        );
        return Err(Report::usage("this install's own token cannot be revoked while it is kept", fix));
    }
    folder.revoke(name).map_err(report)?;
    print(&format!("The token \"{name}\" is revoked."))?;
    eprintln!(
        "Gateways that use {} refuse it within a second. A gateway with a copy of that file takes it until the file is copied there again.",
        folder.names_file().display()
    );
    Ok(())
}

/// What went wrong, and what to do.
pub fn report(error: TokenError) -> Report {
    let fix = match &error {
        TokenError::Io { .. } => {
            "check who may read and write the folder, or set XDG_STATE_HOME to another one".to_owned()
        }
        TokenError::NotUnderstood { file, .. } => {
            format!("correct {} or remove it; removing it revokes what is in it", file.display())
        }
        TokenError::BadName(_) | TokenError::NameReserved(_) => "choose another name".to_owned(),
        TokenError::NameTaken(name) => {
            format!("choose another name, or revoke that one first: toolwright token revoke {name}")
        }
        TokenError::NoSuchToken { names, .. } if names.is_empty() => {
            "there are none with a name; make one: toolwright token add NAME".to_owned()
        }
        TokenError::NoSuchToken { names, .. } => format!("use one of {}", names.join(", ")),
        TokenError::NoChance => "try again".to_owned(),
    };
    Report::usage(error.to_string(), fix)
}

/// Now, to the second.
fn now() -> String {
    let now = Timestamp::now();
    Timestamp::from_second(now.as_second()).unwrap_or(now).to_string()
}
