//! Whether somebody listens at an address: the collector of telemetry, a broker.

use std::time::Duration;

use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;
use toolwright_config::Configuration;

use crate::finding::{Area, Check, Finding, Fix};

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(3);

/// Connects to an address such as `mqtt://host:1883` and hangs up at once. `default_port` is that of a scheme which
/// nobody knows one of; `name` is what listens there, `key` where the configuration names it.
pub async fn reachable(name: &str, address: &str, default_port: u16, key: &str) -> Check {
    let Ok(url) = Url::parse(address) else {
        let fix = Fix::Do(format!("write an address such as scheme://host:port as {key}"));
        let finding =
            Finding::error("no-address", format!("\"{address}\" is no address"), "it has no host", fix);
        return Check::new(Area::Network, Some(name), "cannot be reached").with([finding.at(key)]);
    };
    let (host, port) = (url.host_str().unwrap_or_default().to_owned(), url.port_or_known_default());
    let port = port.unwrap_or(default_port);
    let target = format!("{host}:{port}");
    let why = match timeout(CONNECT, TcpStream::connect(target.as_str())).await {
        Ok(Ok(_)) => return Check::new(Area::Network, Some(name), format!("listens at {target}")),
        Ok(Err(error)) => error.to_string(),
        Err(_) => format!("no answer within {} s", CONNECT.as_secs()),
    };
    let finding = Finding::warning(
        "nobody-listens",
        format!("nobody can be reached at {target}"),
        why,
        Fix::Do(format!("start the {name} there, correct {key}, or remove it")),
    );
    Check::new(Area::Network, Some(name), "cannot be reached").with([finding.at(key)])
}

/// The collector that the configuration names.
pub(crate) async fn collector(configuration: &Configuration) -> Option<Check> {
    let address = configuration.telemetry.as_ref()?.otlp.as_deref()?;
    let key = format!("telemetry.otlp of {}", configuration.file.display());
    Some(reachable("collector", address, 4318, &key).await)
}
