//! Mosquitto for the tests of the Z-Wave house: its programs only. The tests make and end brokers of their own.

use std::path::Path;

use crate::debian;
use crate::step::{Failure, note};
use crate::workspace::Workspace;

const STEP: &str = "setup: Mosquitto";

/// The Debian packages: the broker, the clients that look at it, and what makes its certificates.
const PACKAGES: [&str; 3] = ["mosquitto", "mosquitto-clients", "openssl"];

/// A program of each. Debian has the broker where only administrators look.
const PROGRAMS: [&str; 3] = ["mosquitto", "mosquitto_pub", "openssl"];

/// Installs it where it is missing and that is allowed.
pub fn install(workspace: &Workspace) -> Result<(), Failure> {
    if is_there() {
        return Ok(());
    }
    let packages = PACKAGES.join(", ");
    if !debian::may_install(workspace) {
        let reason = format!("Mosquitto is missing; install the Debian packages {packages} and try again");
        return Err(Failure::new(STEP, reason));
    }
    note("installing Mosquitto (apt-get, for the tests of the Z-Wave house)");
    debian::apt(workspace, &["update", "--quiet=2"]).run(STEP)?;
    let install = debian::apt(workspace, &["install", "--yes", "--no-install-recommends"]).args(PACKAGES);
    install.run(STEP)?;
    match is_there() {
        true => Ok(()),
        false => Err(Failure::new(STEP, "still no `mosquitto` after apt-get").repeat_with(&install)),
    }
}

fn is_there() -> bool {
    let in_sbin = |program: &str| Path::new("/usr/sbin").join(program).exists();
    PROGRAMS.iter().all(|program| debian::has_program(program) || in_sbin(program))
}
