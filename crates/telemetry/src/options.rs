//! What can be chosen about telemetry.

use std::fmt;
use std::time::Duration;

use reqwest::Url;

/// Where a collector on this machine listens when nobody says otherwise.
pub(crate) const DEFAULT_ENDPOINT: &str = "http://localhost:4318";

/// What can be chosen about telemetry. Nothing is measured without it.
#[derive(Clone, PartialEq, Eq)]
pub struct TelemetryOptions {
    /// Where the collector is; `/v1/traces` and `/v1/metrics` are added. This machine's port 4318 when absent.
    pub endpoint: Option<String>,
    /// Where traces go, as it is.
    pub traces_endpoint: Option<String>,
    /// Where metrics go, as it is.
    pub metrics_endpoint: Option<String>,
    /// Headers that go along, such as a key. They are secret.
    pub headers: Vec<(String, String)>,
    /// The name of this gateway among others; `toolwright` when absent.
    pub service_name: Option<String>,
    /// Whether spans are sent, and the place in the trace goes on to servers.
    pub traces: bool,
    /// Whether metrics are sent.
    pub metrics: bool,
    /// How often metrics are sent; once a minute when absent.
    pub metrics_interval: Option<Duration>,
}

/// Why telemetry cannot be had.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TelemetryError {
    /// The address of the collector is none.
    #[error(
        "the telemetry endpoint \"{endpoint}\" cannot be used: {why}; write one such as http://localhost:4318"
    )]
    Endpoint {
        /// What was given, without a password.
        endpoint: String,
        /// What is wrong with it.
        why: String,
    },
    /// A header is none. Its value is not said.
    #[error("the telemetry header \"{name}\" cannot be sent: {why}; correct or remove it")]
    Header {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// What sends cannot be made.
    #[error("telemetry cannot be set up: {0}")]
    Exporter(String),
}

impl Default for TelemetryOptions {
    fn default() -> Self {
        TelemetryOptions {
            endpoint: None,
            traces_endpoint: None,
            metrics_endpoint: None,
            headers: Vec::new(),
            service_name: None,
            traces: true,
            metrics: true,
            metrics_interval: None,
        }
    }
}

impl TelemetryOptions {
    /// Values that no log may show: those of headers that are named as keys are, and passwords in addresses. The name of
    /// a tenant or a dataset is none: it may be a word of every call.
    pub fn secrets(&self) -> Vec<String> {
        let keys = self.headers.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.as_str());
        // `Bearer …`: the word is no secret, and what follows is one alone.
        let values = keys.flat_map(|value| [Some(value), value.split_once(' ').map(|(_, bare)| bare)]);
        let addresses = [&self.endpoint, &self.traces_endpoint, &self.metrics_endpoint].into_iter().flatten();
        let passwords = addresses
            .filter_map(|address| Url::parse(address).ok())
            .filter_map(|address| address.password().map(str::to_owned));
        values.flatten().map(str::to_owned).chain(passwords).collect()
    }

    /// Where spans go.
    pub(crate) fn traces_address(&self) -> Result<Url, TelemetryError> {
        self.address(self.traces_endpoint.as_deref(), "v1/traces")
    }

    /// Where metrics go.
    pub(crate) fn metrics_address(&self) -> Result<Url, TelemetryError> {
        self.address(self.metrics_endpoint.as_deref(), "v1/metrics")
    }

    fn address(&self, whole: Option<&str>, path: &str) -> Result<Url, TelemetryError> {
        match whole {
            Some(whole) => address(whole),
            None => {
                let base = self.endpoint.as_deref().unwrap_or(DEFAULT_ENDPOINT);
                let mut url = address(base)?;
                let joined = format!("{}/{path}", url.path().trim_end_matches('/'));
                url.set_path(&joined);
                Ok(url)
            }
        }
    }
}

/// Whether a header of this name holds a key.
fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "password", "team", "cookie"].iter().any(|part| name.contains(part))
}

/// An address that something can be sent to.
pub(crate) fn address(text: &str) -> Result<Url, TelemetryError> {
    let wrong = |why: String| TelemetryError::Endpoint { endpoint: shown(text), why };
    let url = Url::parse(text.trim()).map_err(|error| wrong(error.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some() => Ok(url),
        scheme => Err(wrong(format!("\"{scheme}:\" is not http: or https:"))),
    }
}

/// An address without what is secret in it.
pub(crate) fn shown(text: &str) -> String {
    match Url::parse(text.trim()) {
        Ok(mut url) => {
            let _ = url.set_username("");
            let _ = url.set_password(None);
            url.set_query(None);
            url.set_fragment(None);
            url.to_string()
        }
        Err(_) => text.rsplit('@').next().unwrap_or_default().to_owned(),
    }
}

impl fmt::Debug for TelemetryOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("TelemetryOptions")
            .field("endpoint", &self.endpoint.as_deref().map(shown))
            .field("headers", &names)
            .field("service_name", &self.service_name)
            .field("traces", &self.traces)
            .field("metrics", &self.metrics)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(endpoint: &str) -> TelemetryOptions {
        TelemetryOptions { endpoint: Some(endpoint.to_owned()), ..TelemetryOptions::default() }
    }

    #[test]
    fn the_path_of_each_signal_is_added_to_the_endpoint() {
        for (endpoint, traces) in [
            ("http://localhost:4318", "http://localhost:4318/v1/traces"),
            ("http://localhost:4318/", "http://localhost:4318/v1/traces"),
            ("https://c.example/otlp/", "https://c.example/otlp/v1/traces"),
        ] {
            assert_eq!(at(endpoint).traces_address().expect("an address").as_str(), traces);
        }
        let default = TelemetryOptions::default().metrics_address().expect("an address");
        assert_eq!(default.as_str(), "http://localhost:4318/v1/metrics");
        let options = TelemetryOptions { traces_endpoint: Some("http://t/x".into()), ..at("http://e") };
        assert_eq!(options.traces_address().expect("an address").as_str(), "http://t/x");
        assert_eq!(options.metrics_address().expect("an address").as_str(), "http://e/v1/metrics");
    }

    #[test]
    fn what_is_no_address_is_said_without_its_password() {
        let error = at("ftp://me:hunter2@host").traces_address().expect_err("no address").to_string();
        insta::assert_snapshot!(error, @r#"the telemetry endpoint "ftp://host/" cannot be used: "ftp:" is not http: or https:; write one such as http://localhost:4318"#);
        let error = at("localhost").traces_address().expect_err("no address").to_string();
        assert!(error.contains("\"localhost\""), "{error}");
    }

    #[test]
    fn keys_are_secret_and_are_not_shown() {
        let options = TelemetryOptions {
            headers: vec![
                ("Authorization".into(), "Bearer s3cr3t".into()),
                ("x-dataset".into(), "production".into()),
            ],
            ..at("http://me:hunter2@host")
        };
        assert_eq!(options.secrets(), ["Bearer s3cr3t", "s3cr3t", "hunter2"]);
        let shown = format!("{options:?}");
        assert!(!shown.contains("s3cr3t") && !shown.contains("hunter2"), "{shown}");
    }
}
