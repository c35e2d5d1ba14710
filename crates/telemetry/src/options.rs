//! Telemetry options.

use std::fmt;
use std::time::Duration;

use reqwest::Url;

/// The default address of an OTLP collector on this machine.
pub(crate) const DEFAULT_ENDPOINT: &str = "http://localhost:4318";

/// Telemetry options. Nothing is measured without them.
#[derive(Clone, PartialEq, Eq)]
pub struct TelemetryOptions {
    /// The address of the collector; `/v1/traces` and `/v1/metrics` are appended. `http://localhost:4318` if absent.
    pub endpoint: Option<String>,
    /// The address for traces, used unchanged.
    pub traces_endpoint: Option<String>,
    /// The address for metrics, used unchanged.
    pub metrics_endpoint: Option<String>,
    /// HTTP headers of the export requests, such as an API key. Their values are secret.
    pub headers: Vec<(String, String)>,
    /// The service name of this gateway; `toolwright` if absent.
    pub service_name: Option<String>,
    /// Whether spans are exported and the trace context is forwarded to servers.
    pub traces: bool,
    /// Whether metrics are exported.
    pub metrics: bool,
    /// The interval between metric exports; one minute if absent.
    pub metrics_interval: Option<Duration>,
}

/// Error of the telemetry setup.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum TelemetryError {
    /// The address of the collector is invalid.
    #[error(
        "the telemetry endpoint \"{endpoint}\" cannot be used: {why}; write one such as http://localhost:4318"
    )]
    Endpoint {
        /// The configured address, without its password.
        endpoint: String,
        /// The reason.
        why: String,
    },
    /// A header is invalid. Its value may be secret and is not part of the error.
    #[error("the telemetry header \"{name}\" cannot be sent: {why}; correct or remove it")]
    Header {
        /// The name of the header.
        name: String,
        /// The reason.
        why: &'static str,
    },
    /// The exporter cannot be created.
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
    /// Values that must not appear in logs: those of headers whose names suggest a key, and passwords in addresses.
    /// The name of a tenant or a dataset is not included: it may be a common word in calls.
    pub fn secrets(&self) -> Vec<String> {
        let keys =
            self.headers.iter().filter(|(name, _)| is_secret_header(name)).map(|(_, value)| value.as_str());
        // `Bearer …`: the token alone is a secret too.
        let values = keys.flat_map(|value| [Some(value), value.split_once(' ').map(|(_, bare)| bare)]);
        let addresses = [&self.endpoint, &self.traces_endpoint, &self.metrics_endpoint].into_iter().flatten();
        let passwords = addresses
            .filter_map(|address| Url::parse(address).ok())
            .filter_map(|address| address.password().map(str::to_owned));
        values.flatten().map(str::to_owned).chain(passwords).collect()
    }

    /// The address for spans.
    pub(crate) fn traces_address(&self) -> Result<Url, TelemetryError> {
        self.address(self.traces_endpoint.as_deref(), "v1/traces")
    }

    /// The address for metrics.
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

/// Whether a header of this name holds a secret.
fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["auth", "key", "token", "secret", "password", "team", "cookie"].iter().any(|part| name.contains(part))
}

/// Parses the address of a collector.
pub(crate) fn address(text: &str) -> Result<Url, TelemetryError> {
    let wrong = |why: String| TelemetryError::Endpoint { endpoint: redacted_address(text), why };
    let url = Url::parse(text.trim()).map_err(|error| wrong(error.to_string()))?;
    match url.scheme() {
        "http" | "https" if url.host_str().is_some() => Ok(url),
        scheme => Err(wrong(format!("\"{scheme}:\" is not http: or https:"))),
    }
}

/// The address without user, password, query and fragment.
pub(crate) fn redacted_address(text: &str) -> String {
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
            .field("endpoint", &self.endpoint.as_deref().map(redacted_address))
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
    fn signal_path_is_appended_to_the_endpoint() {
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
    fn invalid_address_is_reported_without_its_password() {
        let error = at("ftp://me:hunter2@host").traces_address().expect_err("no address").to_string();
        insta::assert_snapshot!(error, @r#"the telemetry endpoint "ftp://host/" cannot be used: "ftp:" is not http: or https:; write one such as http://localhost:4318"#);
        let error = at("localhost").traces_address().expect_err("no address").to_string();
        assert!(error.contains("\"localhost\""), "{error}");
    }

    #[test]
    fn keys_are_secret_and_not_in_debug_output() {
        let options = TelemetryOptions {
            headers: vec![
                ("Authorization".into(), "Bearer s3cr3t".into()),
                ("x-dataset".into(), "production".into()),
            ],
            ..at("http://me:hunter2@host")
        };
        assert_eq!(options.secrets(), ["Bearer s3cr3t", "s3cr3t", "hunter2"]);
        let redacted_address = format!("{options:?}");
        assert!(
            !redacted_address.contains("s3cr3t") && !redacted_address.contains("hunter2"),
            "{redacted_address}"
        );
    }
}
