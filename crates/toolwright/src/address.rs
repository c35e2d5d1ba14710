//! An address on the command line.

use std::net::SocketAddr;

use crate::expected::Expected;

/// Reads `127.0.0.1:8484`, `[::1]:8484` or `localhost:8484`. Other names are not looked up: what is listened at
/// should not depend on who answers for a name.
pub fn parse(text: &str) -> Result<SocketAddr, Expected> {
    let plain = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    let fix = "write an address and a port, such as 127.0.0.1:8484 or [::1]:8484";
    plain.parse().map_err(|_| Expected::new(fix))
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn addresses_are_read_and_names_are_not() {
        for (text, address) in [
            ("127.0.0.1:1", "127.0.0.1:1"),
            ("[::1]:8484", "[::1]:8484"),
            ("localhost:0", "127.0.0.1:0"),
            ("0.0.0.0:8484", "0.0.0.0:8484"),
        ] {
            assert_eq!(parse(text).map(|address| address.to_string()), Ok(address.to_owned()));
        }
        for text in ["", "8484", ":8484", "example.com:80", "127.0.0.1", "::1:8484", "127.0.0.1:99999"] {
            assert!(parse(text).is_err_and(|error| error.0.starts_with("write ")), "{text}");
        }
    }
}
