//! What servers' tools were agreed to be, kept in the state folder.

use std::path::Path;
use std::sync::Arc;

use toolwright_backend::{Definitions, Notices};
use toolwright_config::{Configuration, SecuritySettings};
use toolwright_security::Pins;

use crate::report::Report;

/// The file in the state folder.
pub const FILE: &str = "definitions.json";

/// Opens what was agreed to. A file that is of no use stops the start only where tools are hidden by it: who asked
/// for that must not get less.
pub fn open(
    configuration: Option<&Configuration>,
    notices: &Arc<Notices>,
    state: Option<&Path>,
) -> Result<Arc<Definitions>, Report> {
    let policy = configuration.map(|configuration| configuration.security).unwrap_or_default();
    if let Some(configuration) = configuration {
        notices.set_settings(configuration.notify.clone());
    }
    let file = state.map(|folder| folder.join(FILE));
    let (pins, problem) = match Pins::open(file) {
        Ok(pins) => (pins, None),
        Err(error) if policy != SecuritySettings::default() => {
            return Err(Report::found(error.to_string(), "or set security.changedTools to \"flag\""));
        }
        Err(error) => {
            eprintln!("warning: changes of tools are not noticed across restarts: {error}");
            let none =
                Pins::open(None).map_err(|error| Report::found(error.to_string(), "start it again"))?;
            (none, Some(error.to_string()))
        }
    };
    let definitions = Definitions::new(pins, policy, Arc::clone(notices));
    Ok(Arc::new(match problem {
        Some(problem) => definitions.with_problem(problem),
        None => definitions,
    }))
}

/// Follows a configuration that was read again. Whether tools are hidden or shown by it now.
pub fn follow(definitions: &Definitions, notices: &Notices, new: &Configuration) -> bool {
    notices.set_settings(new.notify.clone());
    let is_other = definitions.policy() != new.security;
    definitions.set_policy(new.security);
    is_other
}
