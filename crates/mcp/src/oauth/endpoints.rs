//! Which addresses a login may use.

use reqwest::Url;
use rmcp::transport::auth::AuthorizationMetadata;

use super::LoginError;

/// Whether what is sent to this address stays between it and us: https, or http on this machine.
pub(super) fn is_safe(url: &Url) -> bool {
    match url.scheme() {
        "https" => url.has_host(),
        "http" => is_loopback(url),
        _ => false,
    }
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    match bare.parse::<std::net::IpAddr>() {
        Ok(address) => address.is_loopback(),
        Err(_) => host == "localhost" || host.ends_with(".localhost"),
    }
}

/// The address, if it is safe.
pub(super) fn checked(what: &'static str, address: &str) -> Result<Url, LoginError> {
    match Url::parse(address) {
        Ok(url) if is_safe(&url) => Ok(url),
        _ => Err(LoginError::unsafe_address(what, address)),
    }
}

/// Refuses an authorization server that would have secrets sent, or a browser opened, anywhere else.
pub(super) fn check(metadata: &AuthorizationMetadata) -> Result<(), LoginError> {
    checked("the page to log in", &metadata.authorization_endpoint)?;
    checked("the address that gives out tokens", &metadata.token_endpoint)?;
    if let Some(address) = &metadata.registration_endpoint {
        checked("the address for registrations", address)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_https_and_this_machine_are_safe() {
        for (address, expected) in [
            ("https://as.example/authorize", true),
            ("http://127.0.0.1:8080/authorize", true),
            ("http://127.9.9.9/authorize", true),
            ("http://localhost:3000/", true),
            ("http://[::1]:3000/", true),
            ("http://as.example/authorize", false),
            ("http://localhost.evil.example/", false),
            ("http://127.0.0.1.evil.example/", false),
            ("http://10.0.0.1/", false),
            ("javascript:alert(1)", false),
            ("file:///etc/passwd", false),
            ("data:text/html,x", false),
            ("ms-settings:privacy", false),
            ("not an address", false),
        ] {
            assert_eq!(checked("it", address).is_ok(), expected, "{address}");
        }
    }
}
