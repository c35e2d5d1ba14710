//! Whether a server that does not answer at its address answers near by: with another path, or without TLS.

use std::time::Duration;

use reqwest::Url;
use toolwright_config::{Configuration, DEFAULT_TOOLBOX, ServerConfig, Toolbox, Transport};

use toolwright_backend::{ServerOptions, Servers};

/// The paths that servers are found at.
const PATHS: [&str; 3] = ["/mcp", "/sse", "/"];

/// An address at which a server answers, as near to the one that was given as there is.
pub(crate) async fn look(
    configuration: &Configuration,
    server: &ServerConfig,
    options: &ServerOptions,
    patience: Duration,
) -> Option<String> {
    let Transport::Http { url, .. } = &server.transport else { return None };
    let addresses = near(url);
    let tried = addresses.iter().enumerate().map(|(at, address)| {
        let mut tried = server.clone();
        tried.name = at.to_string();
        if let Transport::Http { url, .. } = &mut tried.transport {
            url.clone_from(address);
        }
        tried
    });
    let toolbox = Toolbox { name: DEFAULT_TOOLBOX.to_owned(), description: None, servers: tried.collect() };
    let mut configuration = configuration.clone();
    configuration.toolboxes = vec![toolbox];
    let servers = Servers::start(&configuration, |_| true, options);
    servers.settled(patience).await;
    let found = addresses
        .iter()
        .enumerate()
        .find(|(at, _)| servers.get(&at.to_string()).is_some_and(|server| server.view().is_usable()));
    let found = found.map(|(_, address)| address.clone());
    servers.stop().await;
    found
}

/// Addresses that may have been meant. The host stays the same: nobody else is asked.
fn near(url: &str) -> Vec<String> {
    let Ok(given) = Url::parse(url) else { return Vec::new() };
    let mut schemes = vec![given.clone()];
    let mut other = given.clone();
    let is_this_machine = matches!(given.host_str(), Some("127.0.0.1" | "localhost" | "[::1]"));
    if given.scheme() == "https" && is_this_machine && other.set_scheme("http").is_ok() {
        // Without this the default port would change too.
        let _ = other.set_port(given.port_or_known_default());
        schemes.push(other);
    }
    let mut addresses = Vec::new();
    for base in schemes {
        let own = std::iter::once(base.path().to_owned());
        for path in own.chain(PATHS.iter().map(|path| (*path).to_owned())) {
            let mut address = base.clone();
            address.set_path(&path);
            let address = address.to_string();
            if address != given.to_string() && !addresses.contains(&address) {
                addresses.push(address);
            }
        }
    }
    addresses
}

#[cfg(test)]
mod tests {
    use super::near;

    #[test]
    fn addresses_near_by_are_of_the_same_host() {
        assert_eq!(
            near("http://a.example:80/api?k=v"),
            ["http://a.example/mcp?k=v", "http://a.example/sse?k=v", "http://a.example/?k=v"]
        );
        assert_eq!(near("http://127.0.0.1:9/mcp"), ["http://127.0.0.1:9/sse", "http://127.0.0.1:9/"]);
        let secure = near("https://localhost:9/mcp");
        assert_eq!(secure[2], "http://localhost:9/mcp");
        assert!(near("no address").is_empty());
    }
}
