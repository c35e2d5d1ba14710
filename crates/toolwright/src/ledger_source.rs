//! The ledger that `serve` and `stdio` write, and where the other commands find it.

use std::path::PathBuf;
use std::sync::Arc;

use toolwright_config::{self as config, Configuration};
use toolwright_ledger::journal::{Durability, JournalOptions};
use toolwright_ledger::{Ledger, LedgerOptions, OnFailure};

use crate::cli::{LedgerFlags, WithoutJournal};
use crate::report::Report;
use crate::server_source;

/// Opens the ledger. `None` when there is no place for it, or it cannot be written and calls may be run without:
/// both are said.
pub fn open(
    flags: &LedgerFlags,
    configuration: Option<&Configuration>,
    own_secrets: &[String],
) -> Result<Option<Arc<Ledger>>, Report> {
    let Some(folder) = server_source::state_folder() else {
        eprintln!("warning: calls are not written down: there is no home folder; set XDG_STATE_HOME");
        return Ok(None);
    };
    let on_failure = on_failure(flags, configuration);
    let options = LedgerOptions {
        folder,
        log_dir: log_dir(flags, configuration),
        journal: journal(configuration),
        on_failure,
        redact: configuration.map(|configuration| configuration.redact.clone()).unwrap_or_default(),
        secrets: secrets(configuration, own_secrets),
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
    let in_file = configuration.map(|configuration| configuration.ledger.on_failure);
    match (flags.without_journal, in_file) {
        (Some(WithoutJournal::Block), _) | (None, Some(config::OnFailure::Block)) => OnFailure::Block,
        _ => OnFailure::Allow,
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
        durability: match said.durability {
            config::Durability::Process => Durability::Process,
            config::Durability::Power => Durability::Power,
        },
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

/// What another file changes about what is hidden: its secrets are known before one of its servers can say them.
pub fn hide_as(ledger: &Ledger, before: &Configuration, new: &Configuration, own_secrets: &[String]) {
    ledger.add_secrets(secrets(Some(new), own_secrets));
    if before.redact != new.redact {
        match ledger.set_redact(&new.redact) {
            Ok(()) => eprintln!("what is hidden in records has changed"),
            Err(error) => eprintln!("warning: what is hidden in records stays as it was: {error}"),
        }
    }
}

/// The folders with the journals of this machine's gateways.
pub fn journals() -> Result<Vec<PathBuf>, Report> {
    let none = || Report::usage("there is no folder for journals", "set HOME or XDG_STATE_HOME");
    let state = server_source::state_folder().ok_or_else(none)?;
    toolwright_ledger::journal::folders(&state)
        .map_err(|error| Report::found(error.to_string(), "check the folder and who may read it"))
}
