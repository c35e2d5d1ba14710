//! The ledger that `serve` and `stdio` write, and where the other commands find it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_config::Configuration;
use toolwright_ledger::{Ledger, LedgerOptions, OnFailure, StoreAddress};
use toolwright_normalizer::RuleSet;

use crate::cli::{LedgerFlags, WithoutJournal};
use crate::gateway_source::Written;
use crate::report::Report;
use crate::server_source;

/// Opens the ledger. `None` when there is no place for it, or it cannot be written and calls may be run without:
/// both are said.
pub fn open(
    Written { flags, own_secrets }: Written<'_>,
    configuration: Option<&Configuration>,
    rules: &RuleSet,
) -> Result<Option<Arc<Ledger>>, Report> {
    let Some(folder) = server_source::state_folder() else {
        eprintln!("warning: calls are not written down: there is no home folder; set XDG_STATE_HOME");
        return Ok(None);
    };
    let options = LedgerOptions {
        store: Some(store(&folder, configuration)),
        folder,
        log_dir: flags.log_dir.clone(),
        on_failure: on_failure(flags),
        secrets: secrets(configuration, own_secrets),
        rules: rules.clone(),
        ..LedgerOptions::default()
    };
    match Ledger::open(options) {
        Ok((ledger, recovered)) => {
            if let Some(torn) = &recovered.torn {
                eprintln!(
                    "the last record of the journal was cut off and is kept in {}",
                    torn.file.display()
                );
            }
            if let Some(damage) = &recovered.damage {
                eprintln!("warning: the journal is damaged: {damage}; `toolwright audit verify` tells more");
            }
            Ok(Some(Arc::new(ledger)))
        }
        Err(error) if on_failure(flags) == OnFailure::Allow => {
            eprintln!("warning: calls are NOT written down: {error}");
            Ok(None)
        }
        Err(error) => {
            let what = format!("calls cannot be written down: {error}");
            Err(Report::found(what, "mend that, or leave out --without-journal block"))
        }
    }
}

fn on_failure(flags: &LedgerFlags) -> OnFailure {
    match flags.without_journal {
        Some(WithoutJournal::Block) => OnFailure::Block,
        _ => OnFailure::Allow,
    }
}

/// Every secret that we hold: none of them is ever written down.
pub fn secrets(configuration: Option<&Configuration>, own: &[String]) -> Vec<String> {
    let servers = configuration.into_iter().flat_map(Configuration::servers);
    servers.flat_map(|(_, server)| server.secrets()).chain(own.iter().cloned()).collect()
}

/// Where calls are looked up.
pub fn store(folder: &Path, configuration: Option<&Configuration>) -> StoreAddress {
    let _ = configuration;
    StoreAddress::in_folder(folder)
}

/// The folder of everything that is kept.
pub fn state() -> Result<PathBuf, Report> {
    let none = || Report::usage("there is no folder for journals", "set HOME or XDG_STATE_HOME");
    server_source::state_folder().ok_or_else(none)
}

/// The folders with the journals of this machine's gateways.
pub fn journals() -> Result<Vec<PathBuf>, Report> {
    toolwright_ledger::journal::folders(&state()?)
        .map_err(|error| Report::found(error.to_string(), "check the folder and who may read it"))
}
