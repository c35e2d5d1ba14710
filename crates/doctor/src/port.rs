//! The port: free, taken by a gateway, or by somebody else.

use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use toolwright_port::status::{AskError, ask};

use crate::Examined;
use crate::finding::{Area, Check, Finding, Fix};

/// How long whoever listens there may take.
const ANSWER: Duration = Duration::from_secs(3);
/// How far a free port is looked for.
const LOOKED_AT: u16 = 100;

pub(crate) async fn check(examined: &Examined) -> Check {
    let address = examined.address;
    let check = |said: String| Check::new(Area::Port, Some(&address.to_string()), said);
    let error = match TcpListener::bind(address) {
        Ok(_) => return check("free".to_owned()),
        Err(error) => error,
    };
    if error.kind() != std::io::ErrorKind::AddrInUse {
        let fix = Fix::Run(format!("toolwright serve --port {}", free_after(address)));
        let what = "this address cannot be listened at";
        let finding = Finding::error("port-not-allowed", what, error.to_string(), fix);
        return check("cannot be used".to_owned()).with([finding.at(address)]);
    }
    let token = examined.state.as_ref().and_then(|state| std::fs::read_to_string(state.join("token")).ok());
    let token = token.as_deref().map(str::trim).unwrap_or_default();
    match ask(&format!("http://{address}"), token, ANSWER).await {
        Ok(status) if status.version == env!("CARGO_PKG_VERSION") => {
            check(format!("a gateway of ours runs there, process {}", status.pid))
        }
        Ok(status) => {
            let finding = Finding::warning(
                "gateway-other-version",
                format!("the gateway that runs there is version {}", status.version),
                format!(
                    "this program is {}: it was installed since that gateway was started",
                    env!("CARGO_PKG_VERSION")
                ),
                Fix::Run(format!("kill {} && toolwright serve", status.pid)),
            );
            check("a gateway of another version".to_owned()).with([finding.at(address)])
        }
        Err(AskError::NotLetIn) => {
            let finding = Finding::error(
                "gateway-refuses-token",
                "a gateway runs there that does not take the token of this install",
                "it was started by another user or with another state folder, or the token was replaced since: clients with the new one are refused",
                Fix::Do(format!(
                    "end it (see who it is: ss -ltnp 'sport = :{}') and start it anew: toolwright serve",
                    address.port()
                )),
            );
            check("a gateway, with another token".to_owned()).with([finding.at(address)])
        }
        Err(_) => {
            let finding = Finding::error(
                "port-taken",
                "another program listens there",
                "it does not answer as a gateway does",
                Fix::Run(format!("toolwright serve --port {}", free_after(address))),
            );
            check("taken by another program".to_owned()).with([finding.at(address)])
        }
    }
}

/// A port near by that is free now.
pub fn free_after(address: SocketAddr) -> u16 {
    let first = address.port().max(1024);
    let near = (1..=LOOKED_AT).filter_map(|step| first.checked_add(step));
    let is_free = |port: &u16| TcpListener::bind(SocketAddr::new(address.ip(), *port)).is_ok();
    // 0 is any that is free.
    near.into_iter().find(is_free).unwrap_or(0)
}
