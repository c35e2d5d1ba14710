//! The variables that a server gets: a short list, and what was declared for it.

use std::ffi::OsString;

use toolwright_redact::is_secret_key;

use super::ChildCommand;

/// What programs need to run at all. None of it is secret but the password of a proxy, which who runs
/// behind one means every program to have.
const BASE: &[&str] = &[
    "HOME",
    "LANG",
    "LANGUAGE",
    "LOGNAME",
    "PATH",
    "SHELL",
    "TERM",
    "TMPDIR",
    "TZ",
    "USER",
    // How the network is reached, and who is believed there: package runners need both.
    "ALL_PROXY",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
    "CURL_CA_BUNDLE",
    "NODE_EXTRA_CA_CERTS",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    // Windows
    "APPDATA",
    "COMSPEC",
    "HOMEDRIVE",
    "HOMEPATH",
    "LOCALAPPDATA",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SYSTEMDRIVE",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "USERNAME",
    "USERPROFILE",
    "WINDIR",
];

/// Every variable of a child; what is declared wins.
pub(super) fn of(command: &ChildCommand) -> Vec<(OsString, OsString)> {
    let is_wanted = |name: &str| {
        BASE.contains(&name)
            || name.starts_with("LC_")
            || command.env_from.iter().any(|wanted| wanted == name)
    };
    let inherited = std::env::vars_os().filter(|(name, _)| name.to_str().is_some_and(is_wanted));
    let declared = command.env.iter().map(|(name, value)| (name.into(), value.into()));
    inherited.chain(declared).collect()
}

/// The values that must not be shown when the server prints them.
pub(super) fn secrets_of(command: &ChildCommand) -> Vec<String> {
    let declared = command.env.iter().map(|(name, value)| (name.as_str(), Some(value.clone())));
    let inherited = command.env_from.iter().map(|name| (name.as_str(), std::env::var(name).ok()));
    let of_variables = declared
        .chain(inherited)
        .filter(|(name, _)| is_secret_key(name))
        .filter_map(|(_, value)| value.filter(|value| !value.is_empty()));
    command.secrets.iter().cloned().chain(of_variables).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_listed_and_declared_variables_are_passed_on() {
        let command = ChildCommand {
            env: vec![("PATH".into(), "/declared".into()), ("TOKEN".into(), "t".into())],
            env_from: vec!["CARGO_MANIFEST_DIR".into()],
            ..ChildCommand::default()
        };
        let found = of(&command);
        let last =
            |name: &str| found.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        assert_eq!(last("PATH"), Some("/declared".into()));
        assert_eq!(last("TOKEN"), Some("t".into()));
        assert_eq!(last("CARGO_MANIFEST_DIR"), std::env::var_os("CARGO_MANIFEST_DIR"));
        // Cargo sets this one for every test.
        assert!(std::env::var_os("CARGO_PKG_NAME").is_some());
        assert_eq!(last("CARGO_PKG_NAME"), None);
    }

    #[test]
    fn values_of_variables_that_speak_of_secrets_are_secret() {
        let command = ChildCommand {
            env: vec![("API_KEY".into(), "k1".into()), ("PORT".into(), "80".into())],
            secrets: vec!["given".into()],
            ..ChildCommand::default()
        };
        assert_eq!(secrets_of(&command), ["given", "k1"]);
        assert!(!format!("{command:?}").contains("k1"));
    }
}
