//! What `serve` and `stdio` serve: tools, servers and endpoints, from flags, files and environment.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;
use tokio_util::task::AbortOnDropHandle;
use toolwright_backend::{Applied, Notices, Servers, offer, reload};
use toolwright_config::{Configuration, Severity, parse, process_environment};
use toolwright_endpoints::{Gateway, GatewayOptions};
use toolwright_executor::registry::BUILT_IN;
use toolwright_executor::{ToolExecutor, ToolRegistry, printable};
use toolwright_ledger::Ledger;
use toolwright_mcp::front::{FrontLimits, FrontOptions, Fronts, SealKey};
use toolwright_normalizer::ActiveRules;
use toolwright_port::status::{StatusParts, StatusSource};
use toolwright_port::{CallCounter, Metrics, Served, TokenFolder};
use toolwright_proxy::LlmFront;
use toolwright_recorder::{KnownTools, Recorder};
use toolwright_telemetry::{Telemetry, TelemetryOptions};
use toolwright_toolbox::Beginning;

use crate::cli::{ConfigOptions, LedgerFlags, RootOptions, RuleOptions};
use crate::report::Report;
use crate::toolset::Front;
use crate::voice_source::{self, VoiceKeeper};
use crate::{
    agent_source, definitions_source, ledger_source, llm_source, logging, rules_source, server_source,
    telemetry_source, toolset,
};

/// Everything behind the front, running.
pub struct Behind {
    /// What the file says, when there is one.
    pub configuration: Option<Configuration>,
    pub executor: Arc<ToolExecutor>,
    pub servers: Arc<Servers>,
    pub gateway: Arc<Gateway>,
    pub fronts: Arc<Fronts>,
    pub calls: Arc<CallCounter>,
    /// How many tools are our own.
    pub own_tools: usize,
    /// Where calls are written down.
    pub ledger: Option<Arc<Ledger>>,
    /// Who tells others of calls.
    pub telemetry: Option<Arc<Telemetry>>,
    /// What models are asked through.
    pub llm: Option<Arc<LlmFront>>,
    /// What somebody should know.
    pub notices: Arc<Notices>,
    /// How all of it is doing.
    pub status: Arc<StatusSource>,
    /// Who keeps the voice.
    pub voice: Arc<VoiceKeeper>,
    own_secrets: Vec<String>,
}

impl Behind {
    /// The same, as a port sees it.
    pub fn served(&self) -> Served {
        Served {
            gateway: Arc::clone(&self.gateway),
            fronts: Arc::clone(&self.fronts),
            servers: Arc::clone(&self.servers),
            executor: Arc::clone(&self.executor),
            ledger: self.ledger.clone(),
        }
    }

    /// What is counted, as the page for Prometheus shows it.
    pub fn metrics(&self) -> Metrics {
        let ledger = self.ledger.clone();
        Metrics::new(Arc::clone(&self.calls))
            .with_journal(move || ledger.as_deref().map(telemetry_source::journal))
            .with_telemetry(self.telemetry.clone())
    }

    /// Keeps the ledger until `stop`.
    pub async fn keep_ledger(&self, stop: CancellationToken) {
        match &self.ledger {
            Some(ledger) => {
                let tools = Arc::new(KnownTools(Arc::clone(self.executor.registry())));
                // A task of its own: what it waits for would else wake the thread that everything began with.
                let keeping = AbortOnDropHandle::new(tokio::spawn(Arc::clone(ledger).keep(tools, stop)));
                if let Err(error) = keeping.await {
                    tracing::error!("keeping the ledger broke off: {error}");
                }
            }
            None => stop.cancelled().await,
        }
    }

    /// Reads the files again whenever they change, or somebody asks for it. It does not end.
    pub async fn keep_current(&self, rules: &RuleOptions, asked: &Notify) {
        let file = rules.rules.as_deref();
        let read = || rules_source::load(rules);
        let report = |result| report_rules(file, result);
        tokio::join!(
            reload::watch_rules(file, self.executor.rules(), asked, read, report),
            self.keep_configuration(asked)
        );
    }

    /// The file is watched as long as this is awaited. What is wrong with a new one the log says.
    async fn keep_configuration(&self, asked: &Notify) {
        let Some(configuration) = &self.configuration else { return };
        let (ledger, own_secrets) = (self.ledger.clone(), self.own_secrets.clone());
        let llm = self.llm.clone();
        let voice = Arc::clone(&self.voice);
        let are_models_changed = Arc::new(AtomicBool::new(false));
        let are_changed = Arc::clone(&are_models_changed);
        let follow = move |before: &Configuration, new: &Configuration| {
            if let Some(llm) = &llm {
                are_changed.store(llm_source::follow(llm, before, new), Ordering::Relaxed);
            }
            if let Some(ledger) = &ledger {
                ledger_source::follow(ledger, before, new, &own_secrets);
            }
        };
        let at_start = configuration.clone();
        let (servers, notices) = (Arc::downgrade(&self.servers), Arc::clone(&self.notices));
        let tell = move |new: &Configuration, applied: &Applied| {
            let is_voice_changed = voice.follow(new);
            if let Some(servers) = servers.upgrade()
                && let Some(definitions) = servers.definitions()
                && definitions_source::follow(definitions, &notices, new)
            {
                servers.offer_anew();
            }
            // What is an error the log says.
            for problem in new.problems.iter().filter(|problem| problem.severity == Severity::Warning) {
                eprintln!("{}", printable(&problem.to_string(), &['\n', '\\']));
            }
            let are_models_changed = are_models_changed.swap(false, Ordering::Relaxed);
            let said =
                read_again(applied, (are_models_changed, is_voice_changed), &at_start.needs_restart(new));
            eprintln!("{}", printable(&said, &['\\']));
        };
        let reloading = reload::watch_telling(&configuration.file, &self.servers, follow, tell);
        loop {
            asked.notified().await;
            let _ = reloading.now().await;
        }
    }
}

/// How calls are written down.
#[derive(Clone, Copy)]
pub struct Written<'a> {
    pub flags: &'a LedgerFlags,
    /// The folder of everything that is kept; without one nothing is.
    pub state: Option<&'a Path>,
    /// Secrets of our own that never are.
    pub own_secrets: &'a [String],
}

/// Which servers there are, and when they begin.
#[derive(Clone, Copy)]
pub enum Wanted<'a> {
    /// All of them; each begins when a client asks for it.
    WhenAsked,
    /// All of them, at once.
    AtOnce,
    /// Those of this toolbox, at once.
    OfToolbox(&'a str),
    /// All of them, at once, and a voice whatever the file says.
    ForVoice,
    /// None.
    Nobody,
    /// None, and nothing else of the user's either: no file is read, no model is asked, no collector is told.
    Demo,
}

impl Wanted<'_> {
    /// Who is offered tools.
    fn front(self) -> Front {
        match self {
            Wanted::WhenAsked => Front::McpClients,
            Wanted::ForVoice => Front::Voice,
            Wanted::AtOnce | Wanted::OfToolbox(_) | Wanted::Nobody | Wanted::Demo => Front::OwnModel,
        }
    }

    /// The configuration with those servers only.
    fn of(self, configuration: Option<Configuration>) -> Result<Option<Configuration>, Report> {
        let no_toolbox = |name: &str, fix: String| {
            Err(Report::usage(format!("there is no toolbox \"{name}\""), fix).called("no_toolbox"))
        };
        let nothing_named = || "name servers in a configuration: --config FILE".to_owned();
        let Some(mut configuration) = configuration else {
            return match self {
                Wanted::OfToolbox(name) if name != BUILT_IN => no_toolbox(name, nothing_named()),
                _ => Ok(None),
            };
        };
        match self {
            Wanted::WhenAsked | Wanted::AtOnce | Wanted::ForVoice => {}
            Wanted::Nobody | Wanted::Demo => configuration.toolboxes.clear(),
            Wanted::OfToolbox(BUILT_IN) => configuration.toolboxes.clear(),
            Wanted::OfToolbox(name) => {
                let there: Vec<String> =
                    configuration.toolboxes.iter().map(|toolbox| toolbox.name.clone()).collect();
                configuration.toolboxes.retain(|toolbox| toolbox.name == name);
                if configuration.toolboxes.is_empty() {
                    return match there.is_empty() {
                        true => no_toolbox(name, nothing_named()),
                        false => no_toolbox(name, format!("use one of {}, {BUILT_IN}", there.join(", "))),
                    };
                }
            }
        }
        Ok(Some(configuration))
    }
}

/// Makes all of it. Must be called on a tokio runtime.
pub fn behind(
    config: &ConfigOptions,
    roots: &RootOptions,
    rules: &RuleOptions,
    key: SealKey,
    written: Written<'_>,
) -> Result<Behind, Report> {
    behind_with(config, roots, rules, key, written, Wanted::WhenAsked)
}

/// The same with other servers.
pub fn behind_with(
    config: &ConfigOptions,
    roots: &RootOptions,
    rules: &RuleOptions,
    key: SealKey,
    written: Written<'_>,
    wanted_servers: Wanted<'_>,
) -> Result<Behind, Report> {
    let sets = rules_source::sets_for_model_calls(rules);
    let active_rules = Arc::new(ActiveRules::with_model_call_sets(rules_source::load(rules)?, sets));
    let is_demo = matches!(wanted_servers, Wanted::Demo);
    let configuration = match is_demo {
        true => None,
        false => wanted_servers.of(server_source::configuration(config)?)?,
    };
    let serves_own = configuration.as_ref().is_none_or(Configuration::serves_own_tools);
    let mut kept_out = toolset::kept_out(config, rules);
    let log_dir = ledger_source::log_dir(written.flags, configuration.as_ref());
    kept_out.extend(log_dir.map(|dir| std::path::absolute(&dir).unwrap_or(dir)));
    // They are there when they are not served as well: the file may change.
    let registry = match toolset::registry(roots, kept_out) {
        Err(_) if !serves_own => ToolRegistry::new(),
        registry => registry?,
    };
    let own_tools = registry.snapshot().tools().len();
    let local_tools = wanted_servers.front().local_tools(&registry, configuration.as_ref());
    let calls: Arc<CallCounter> = Arc::default();
    let said = configuration.as_ref().and_then(|configuration| configuration.telemetry.as_ref());
    let wanted = match is_demo {
        true => None,
        false => telemetry_source::wanted(said.and_then(telemetry_source::configured)),
    };
    let mut own_secrets = written.own_secrets.to_vec();
    own_secrets.extend(wanted.as_ref().map(TelemetryOptions::secrets).unwrap_or_default());
    let written = Written { own_secrets: &own_secrets, ..written };
    let ledger = ledger_source::open(written, configuration.as_ref(), &active_rules)?;
    let telemetry = wanted.as_ref().and_then(telemetry_source::start);
    let mut executor = ToolExecutor::new(Arc::new(registry))
        .with_rules(Arc::clone(&active_rules))
        .with_observer(Arc::clone(&calls) as _);
    if let Some(ledger) = &ledger {
        // Not kept alive by the log: it has an end to write.
        let known = Arc::downgrade(ledger);
        logging::hide_with(move |line| match known.upgrade() {
            Some(ledger) => ledger.hide_text(line),
            None => line.to_owned(),
        });
        executor = executor.with_observer(Arc::new(Recorder::new(Arc::clone(ledger))));
    }
    if let Some(meter) = telemetry.as_ref().and_then(|telemetry| telemetry.call_meter()) {
        executor = executor.with_observer(meter);
    }
    let executor = Arc::new(executor);
    let notices: Arc<Notices> = Arc::default();
    let definitions = Some(definitions_source::open(configuration.as_ref(), &notices, written.state)?);
    let beginning = match wanted_servers {
        Wanted::WhenAsked => Beginning::WhenAsked,
        _ => Beginning::AtOnce,
    };
    let servers = match &configuration {
        Some(configuration) => server_source::serve(configuration, definitions, beginning, local_tools),
        None => server_source::serve(&nothing_configured()?, definitions, beginning, local_tools),
    };
    if let Some(telemetry) = &telemetry {
        telemetry_source::read_off(telemetry, &executor, &servers, ledger.as_ref());
    }
    let options = GatewayOptions { telemetry: telemetry.clone(), ..GatewayOptions::default() };
    let gateway = Gateway::new(Arc::clone(&servers), Arc::clone(&executor), options);
    offer(&servers, executor.registry());
    let fronts = Fronts::new(FrontOptions { key, limits: FrontLimits::default() });
    let llm = match is_demo {
        true => None,
        false => {
            let settings = llm_source::settings(configuration.as_ref());
            llm_source::front(&settings, &active_rules, ledger.as_ref())
        }
    };
    let status = StatusSource::new(StatusParts {
        gateway: &gateway,
        servers: &servers,
        executor: &executor,
        ledger: ledger.as_ref(),
        llm: llm.as_ref(),
        configuration: configuration.as_ref().map(|configuration| configuration.file.clone()),
        is_demo,
    });
    gateway.tell_status(status.clone());
    let voice = match wanted_servers {
        Wanted::ForVoice => voice_source::Wanted::Always,
        _ => voice_source::Wanted::IfConfigured,
    };
    let mind = agent_source::mind(llm.as_ref(), &executor, configuration.as_ref());
    let voice =
        VoiceKeeper::new(Arc::clone(&executor), Arc::clone(&servers), configuration.as_ref(), voice, mind);
    Ok(Behind {
        configuration,
        executor,
        servers,
        gateway,
        fronts,
        calls,
        own_tools,
        ledger,
        telemetry,
        llm,
        notices,
        status,
        voice,
        own_secrets,
    })
}

/// What a configuration has changed that was read while another was in force, and what waits for the next start.
fn read_again(
    applied: &Applied,
    (are_models_changed, is_voice_changed): (bool, bool),
    needs_restart: &[&str],
) -> String {
    let mut parts: Vec<String> =
        [("added", &applied.added), ("changed", &applied.changed), ("removed", &applied.removed)]
            .into_iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(what, names)| format!("{what} {}", names.join(", ")))
            .collect();
    if let Some(is_served) = applied.own_tools {
        let verb = if is_served { "added" } else { "removed" };
        parts.push(format!("{verb} the built-in tools"));
    }
    if are_models_changed {
        parts.push("changed the models".to_owned());
    }
    if is_voice_changed {
        parts.push("changed the voice".to_owned());
    }
    let what = if parts.is_empty() { "no server has changed".to_owned() } else { parts.join("; ") };
    let later = match needs_restart {
        [] => String::new(),
        parts => format!("; {}: in force after a restart", parts.join(", ")),
    };
    format!("configuration read again: {what}{later}")
}

fn nothing_configured() -> Result<Configuration, Report> {
    let text = r#"{"mcpServers": {}}"#;
    parse(text, Path::new("toolwright.json"), &process_environment)
        .map_err(|error| Report::configuration(&error))
}

/// The folder with the tokens and the key of this install.
pub fn token_folder() -> Option<TokenFolder> {
    server_source::state_folder().map(TokenFolder::new)
}

/// Prints what came of a changed rules file.
fn report_rules(file: Option<&Path>, result: Result<(), Report>) {
    match (result, file) {
        (Ok(()), Some(file)) => eprintln!("the rules of {} are in force", file.display()),
        (Ok(()), None) => {}
        (Err(report), _) => {
            report.print();
            eprintln!("the last good rules stay in force");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_that_is_read_again_is_told_in_one_line() {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let kept = names(&["e"]);
        let applied = Applied {
            added: names(&["a", "b"]),
            changed: names(&["c"]),
            removed: names(&["d"]),
            kept,
            own_tools: None,
        };
        assert_eq!(
            read_again(&applied, (false, false), &[]),
            "configuration read again: added a, b; changed c; removed d"
        );
        let applied = Applied { own_tools: Some(true), ..Applied::default() };
        assert_eq!(
            read_again(&applied, (false, false), &[]),
            "configuration read again: added the built-in tools"
        );
        assert_eq!(
            read_again(&Applied::default(), (true, false), &[]),
            "configuration read again: changed the models"
        );
        assert_eq!(
            read_again(&Applied::default(), (false, false), &[]),
            "configuration read again: no server has changed"
        );
        assert_eq!(
            read_again(&Applied::default(), (false, false), &["ledger", "store"]),
            "configuration read again: no server has changed; ledger, store: in force after a restart"
        );
    }
}
