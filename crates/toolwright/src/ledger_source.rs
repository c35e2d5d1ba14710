//! The ledger that `serve` and `stdio` write, and where the other commands find it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use toolwright_config::{self as config, Configuration};
use toolwright_ledger::journal::JournalOptions;
use toolwright_ledger::{Ledger, LedgerOptions, OnFailure, StoreAddress};
use toolwright_normalizer::ActiveRules;

use crate::cli::{LedgerFlags, WithoutJournal};
use crate::gateway_source::Written;
use crate::report::Report;
use crate::server_source;

/// Opens the ledger. `None` when there is no place for it, or it cannot be written and calls may be run without:
/// both are said.
pub fn open(
    Written { flags, state, own_secrets }: Written<'_>,
    configuration: Option<&Configuration>,
    rules: &Arc<ActiveRules>,
) -> Result<Option<Arc<Ledger>>, Report> {
    let Some(folder) = state.map(Path::to_owned) else {
        eprintln!("warning: calls are not written down: there is no home folder; set XDG_STATE_HOME");
        return Ok(None);
    };
    let on_failure = on_failure(flags, configuration);
    let options = LedgerOptions {
        store: Some(store(&folder, configuration)),
        folder,
        log_dir: log_dir(flags, configuration),
        journal: journal(configuration),
        on_failure,
        redact: configuration.map(|configuration| configuration.redact.clone()).unwrap_or_default(),
        secrets: secrets(configuration, own_secrets),
        rules: Arc::clone(rules),
        learn: configuration.map(|configuration| configuration.learn).unwrap_or_default(),
        learn_from: configuration.map(|configuration| configuration.learn_from.clone()).unwrap_or_default(),
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
        Err(error) if on_failure == OnFailure::Allow => {
            eprintln!("warning: calls are NOT written down: {error}");
            Ok(None)
        }
        Err(error) => {
            let what = format!("calls cannot be written down: {error}");
            Err(Report::found(what, "mend that, or run calls without records: --without-journal allow"))
        }
    }
}

/// A flag counts more than the file.
fn on_failure(flags: &LedgerFlags, configuration: Option<&Configuration>) -> OnFailure {
    match flags.without_journal {
        Some(WithoutJournal::Block) => OnFailure::Block,
        Some(WithoutJournal::Allow) => OnFailure::Allow,
        None => configuration.map(|configuration| configuration.ledger.on_failure).unwrap_or_default(),
    }
}

/// Where the numbers about repairs go. A flag counts more than the file.
pub fn log_dir(flags: &LedgerFlags, configuration: Option<&Configuration>) -> Option<PathBuf> {
    let in_file = || configuration.and_then(|configuration| configuration.ledger.log_dir.clone());
    flags.log_dir.clone().or_else(in_file)
}

/// The journal as the file wants it.
fn journal(configuration: Option<&Configuration>) -> JournalOptions {
    let usual = JournalOptions::default();
    let Some(said) = configuration.map(|configuration| &configuration.ledger) else { return usual };
    let segment_bytes = said.segment_bytes.unwrap_or(usual.segment_bytes);
    JournalOptions {
        durability: said.durability,
        segment_bytes,
        // Who wants large files wants room for one.
        total_bytes: said.keep_bytes.unwrap_or(usual.total_bytes).max(segment_bytes),
        keep: said.keep.unwrap_or(usual.keep),
        ..usual
    }
}

/// Every secret that we hold: none of them is ever written down.
pub fn secrets(configuration: Option<&Configuration>, own: &[String]) -> Vec<String> {
    configuration.into_iter().flat_map(Configuration::secrets).chain(own.iter().cloned()).collect()
}

/// What another file changes at once. Its secrets are known before one of its servers can say them.
pub fn follow(ledger: &Ledger, before: &Configuration, new: &Configuration, own_secrets: &[String]) {
    ledger.add_secrets(secrets(Some(new), own_secrets));
    if before.redact != new.redact {
        match ledger.set_redact(&new.redact) {
            Ok(()) => eprintln!("what is hidden in records has changed"),
            Err(error) => eprintln!("warning: what is hidden in records stays as it was: {error}"),
        }
    }
    if before.learn_from != new.learn_from {
        ledger.learning().set_deciders(new.learn_from.clone());
    }
    if before.learn != new.learn {
        ledger.learning().set_policy(new.learn);
        eprintln!("what calls teach is handled by \"{}\" now", new.learn.word());
    }
}

/// Where calls are looked up.
pub fn store(folder: &Path, configuration: Option<&Configuration>) -> StoreAddress {
    match configuration.map(|configuration| &configuration.store) {
        Some(config::StoreAddress::Postgres(address)) => StoreAddress::Postgres(address.expose().to_owned()),
        Some(config::StoreAddress::Sqlite(Some(file))) => StoreAddress::Sqlite(file.clone()),
        Some(config::StoreAddress::Sqlite(None)) | None => StoreAddress::in_folder(folder),
    }
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
