//! What the system allows: how many files may be open at once.

use crate::finding::{Area, Check};
#[cfg(unix)]
use crate::finding::{Finding, Fix};

/// Connections, pipes of servers and files of the journal: with fewer a gateway refuses clients.
#[cfg(unix)]
const FILES: u64 = 1_024;

#[cfg(unix)]
pub(crate) fn check() -> Check {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile);
    let most = limit.maximum.unwrap_or(u64::MAX);
    let said = match limit.maximum {
        Some(most) => format!("up to {most} files may be open"),
        None => "any number of files may be open".to_owned(),
    };
    let finding = (most < FILES).then(|| {
        Finding::warning(
            "few-files",
            format!("only {most} files may be open at once"),
            format!(
                "every connection and every server needs some; a gateway wants {FILES} or more. As a service: LimitNOFILE=16384 in its unit"
            ),
            Fix::Run("ulimit -Hn 16384".to_owned()),
        )
    });
    Check::new(Area::Machine, None, said).with(finding)
}

#[cfg(not(unix))]
pub(crate) fn check() -> Check {
    Check::new(Area::Machine, None, "nothing is limited")
}
