//! Static checks of addresses, headers and variables.

use toolwright_jsonrpc::raw::quote;

/// The error message and the fix.
pub(super) type Check = Result<(), (&'static str, &'static str)>;

/// Checks the name of an environment variable.
pub(super) fn check_variable(name: &str, _value: &str) -> Check {
    if name.is_empty() {
        return Err(("a variable without a name", "write its name"));
    }
    if name.contains(['=', '\0']) {
        return Err(("the name of a variable cannot hold `=`", "write {\"NAME\": \"value\"}"));
    }
    if name.contains(char::is_whitespace) || name.starts_with('$') {
        return Err(("this is not a valid variable name", "write the name alone, without spaces and `$`"));
    }
    Ok(())
}

/// Checks a header.
pub(super) fn check_header(name: &str, value: &str) -> Check {
    let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err((
            "this is not a valid header name",
            "write it in letters, digits and -, without the colon",
        ));
    }
    if value.contains(|char: char| char.is_control() && char != '\t') {
        return Err((
            "the value of this header holds a line break or another control character",
            "check the end of the variable's value",
        ));
    }
    Ok(())
}

/// Checks the syntax of an address.
pub(super) fn check_address(url: &str) -> Result<(), (String, String)> {
    let (scheme, rest) = match url.split_once("://") {
        Some((scheme, rest)) => (scheme.to_ascii_lowercase(), rest),
        None if url.trim().is_empty() => {
            return Err(("the url is empty".into(), "write \"https://…\"".into()));
        }
        None => {
            let written = ["https", "http"].iter().find_map(|scheme| {
                let rest = url.strip_prefix(scheme)?;
                rest.starts_with([':', '/']).then(|| (*scheme, rest.trim_start_matches([':', '/'])))
            });
            let is_near = ["localhost", "127.", "[::1]"].iter().any(|host| url.starts_with(host));
            let guessed = (if is_near { "http" } else { "https" }, url.trim_start_matches('/'));
            let (scheme, rest) = written.unwrap_or(guessed);
            // It may contain a password or a key.
            let shown = if rest.contains(['@', '?', '#']) { "…" } else { rest };
            return Err((
                "a url begins with http:// or https://".into(),
                format!("write {}", quote(&format!("{scheme}://{shown}"))),
            ));
        }
    };
    match scheme.as_str() {
        "http" | "https" => {}
        "ws" | "wss" => {
            return Err((
                "servers over WebSocket are not supported".into(),
                "ask the server's maker for its http address".into(),
            ));
        }
        "file" | "stdio" => {
            return Err((
                "a program is not a server address".into(),
                "write \"command\" and \"args\" to start a program".into(),
            ));
        }
        _ => return Err(("a url begins with http:// or https://".into(), "write \"https://…\"".into())),
    }
    if url.contains(|char: char| char.is_whitespace() || char.is_control()) {
        return Err((
            "a url cannot hold spaces or line breaks".into(),
            "write %20 for a space, or check the variable's value".into(),
        ));
    }
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit('@').next().unwrap_or_default();
    if host.is_empty() || host.starts_with(':') {
        return Err(("the url names no host".into(), "write \"https://host/path\"".into()));
    }
    if let Some((_, port)) = host.rsplit_once(':').filter(|(_, port)| !port.ends_with(']'))
        && port.parse::<u16>().is_err()
    {
        return Err((
            "the url's port is no number from 1 to 65535".into(),
            "write http://host:8080/path".into(),
        ));
    }
    Ok(())
}
