//! What is wrong with a configuration, its servers and this machine, and how to mend it.
//!
//! Each subject is a file: it looks, and tells what it saw as [`Check`]s. A [`Finding`] says what is wrong, where, why,
//! and the exact fix. No tool is called and nothing is changed: files are read, addresses are connected to, servers are
//! started, asked who they are and what tools they have, and ended again.
//!
//! Start with [`examine`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `finding.rs`, `entry.rs` | a check, a finding with its fix; one server of the configuration |
//! | `configuration.rs`, `rules.rs`, `definitions.rs`, `files.rs`, `permissions.rs` | what is written in files, and who may read them |
//! | `process.rs`, `program.rs`, `protocol.rs`, `servers.rs`, `backend.rs`, `elsewhere.rs` | whether a server starts, speaks the protocol and can be used, and where it may listen instead |
//! | `models.rs`, `reach.rs`, `store.rs`, `port.rs`, `clock.rs`, `machine.rs` | upstreams, addresses, the database, the port, the clock, the machine |

mod backend;
mod clock;
mod configuration;
mod definitions;
mod elsewhere;
mod entry;
mod files;
mod finding;
mod machine;
mod models;
mod permissions;
mod port;
mod process;
mod program;
mod protocol;
mod reach;
mod rules;
mod servers;
mod store;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use toolwright_config::{ConfigError, Configuration, FoundBy};
use toolwright_ledger::StoreAddress;

use toolwright_backend::{ServerOptions, Servers};

pub use finding::{Area, Check, Checkup, Finding, Fix, Severity, quoted};
pub use port::free_after;
pub use reach::reachable;

/// What is looked at.
pub struct Examined {
    /// What the file says, and how it was found; nothing when there is none.
    pub configuration: Result<Option<(Configuration, FoundBy)>, ConfigError>,
    /// The folder of everything that is kept.
    pub state: Option<PathBuf>,
    /// Where calls are looked up.
    pub store: StoreAddress,
    /// A rules file.
    pub rules: Option<PathBuf>,
    /// Where a gateway listens, or would.
    pub address: SocketAddr,
    /// How servers are started.
    pub servers: ServerOptions,
    /// How long a server may take.
    pub patience: Duration,
}

/// Looks at everything. `watch` gets the servers while they are waited for, so that somebody can be told what for.
/// Must be called on a tokio runtime.
pub async fn examine(examined: &Examined, watch: impl AsyncFnOnce(&Servers, Duration)) -> Checkup {
    let mut checks = vec![configuration::check(&examined.configuration)];
    if let Ok(Some((configuration, _))) = &examined.configuration {
        checks.extend(servers::check(configuration, examined, watch).await);
        checks.extend(models::check(configuration).await);
        checks.extend(reach::collector(configuration).await);
    }
    checks.extend(store::check(examined).await);
    checks.push(port::check(examined).await);
    checks.push(permissions::check(examined));
    checks.extend(rules::check(examined));
    checks.push(definitions::check(examined));
    checks.push(clock::check(examined));
    checks.push(machine::check());
    Checkup { checks }
}
