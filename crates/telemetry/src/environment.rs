//! The standard environment variables of OpenTelemetry. The configuration takes precedence. The reader warns about an
//! invalid variable and ignores it, as the specification demands.

use std::time::Duration;

use percent_encoding::percent_decode_str;

use crate::options::{TelemetryOptions, address};

/// The samplers that the specification names.
const SAMPLERS: [&str; 6] = [
    "always_on",
    "always_off",
    "traceidratio",
    "parentbased_always_on",
    "parentbased_always_off",
    "parentbased_traceidratio",
];

/// The telemetry options and the warnings about ignored variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The options; `None` if telemetry is off.
    pub options: Option<TelemetryOptions>,
    /// Ignored variables: which one, why, and what to write.
    pub warnings: Vec<String>,
}

/// Combines the configuration and the environment. Telemetry is off unless one of them turns it on.
pub fn resolve(
    configured: Option<TelemetryOptions>,
    environment: &dyn Fn(&str) -> Option<String>,
) -> Resolved {
    let mut reader = EnvironmentReader { environment, warnings: Vec::new() };
    let options = reader.options(configured);
    // Warnings about telemetry that is off would only be noise.
    let warnings = if options.is_some() || reader.is_requested() { reader.warnings } else { Vec::new() };
    Resolved { options, warnings }
}

struct EnvironmentReader<'e> {
    environment: &'e dyn Fn(&str) -> Option<String>,
    warnings: Vec<String>,
}

impl EnvironmentReader<'_> {
    /// The value of a variable. An empty variable counts as unset, as the specification demands.
    fn get(&self, name: &str) -> Option<String> {
        (self.environment)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    fn is_requested(&self) -> bool {
        [
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT",
        ]
        .iter()
        .any(|name| self.get(name).is_some())
    }

    fn warn(&mut self, name: &str, what: &str, fix: &str) {
        self.warnings.push(format!("{name} {what} and is ignored; {fix}"));
    }

    fn options(&mut self, configured: Option<TelemetryOptions>) -> Option<TelemetryOptions> {
        if self.is_true("OTEL_SDK_DISABLED") {
            return None;
        }
        let is_configured = configured.is_some();
        let mut options = configured.unwrap_or_default();
        // An endpoint in the configuration replaces all endpoints of the environment.
        if options.endpoint.is_none()
            && options.traces_endpoint.is_none()
            && options.metrics_endpoint.is_none()
        {
            options.endpoint = self.endpoint("OTEL_EXPORTER_OTLP_ENDPOINT");
            options.traces_endpoint = self.endpoint("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
            options.metrics_endpoint = self.endpoint("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT");
        }
        let [all, traces, metrics] =
            [&options.endpoint, &options.traces_endpoint, &options.metrics_endpoint].map(Option::is_some);
        if !is_configured {
            // An endpoint for one signal turns on that signal only.
            options.traces = all || traces;
            options.metrics = all || metrics;
        }
        options.traces &= self.exporter("OTEL_TRACES_EXPORTER");
        options.metrics &= self.exporter("OTEL_METRICS_EXPORTER");
        if !options.traces && !options.metrics {
            return None;
        }
        self.protocol();
        self.compression();
        self.sampler();
        if options.headers.is_empty() {
            options.headers = self.headers();
        }
        options.service_name = options.service_name.or_else(|| self.get("OTEL_SERVICE_NAME"));
        options.metrics_interval = options.metrics_interval.or_else(|| self.interval());
        Some(options)
    }

    fn is_true(&mut self, name: &str) -> bool {
        match self.get(name) {
            None => false,
            Some(value) if value.eq_ignore_ascii_case("true") => true,
            Some(value) => {
                if !value.eq_ignore_ascii_case("false") {
                    self.warn(name, &format!("is \"{value}\""), "write true or false");
                }
                false
            }
        }
    }

    fn endpoint(&mut self, name: &str) -> Option<String> {
        let value = self.get(name)?;
        match address(&value) {
            Ok(_) => Some(value),
            Err(error) => {
                self.warnings.push(format!("{name}: {error}; it is ignored"));
                None
            }
        }
    }

    /// Whether the signal is exported.
    fn exporter(&mut self, name: &str) -> bool {
        match self.get(name).as_deref() {
            None | Some("otlp") => true,
            Some("none") => false,
            Some(other) => {
                self.warn(name, &format!("is \"{other}\""), "write otlp or none");
                true
            }
        }
    }

    fn protocol(&mut self) {
        for name in [
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL",
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL",
        ] {
            if let Some(other) = self.get(name).filter(|value| value != "http/protobuf") {
                let fix = "only http/protobuf is supported; use the collector's HTTP port, usually 4318";
                self.warn(name, &format!("is \"{other}\""), fix);
            }
        }
    }

    fn compression(&mut self) {
        for name in [
            "OTEL_EXPORTER_OTLP_COMPRESSION",
            "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
            "OTEL_EXPORTER_OTLP_METRICS_COMPRESSION",
        ] {
            if let Some(other) = self.get(name).filter(|value| value != "none") {
                self.warn(
                    name,
                    &format!("is \"{other}\""),
                    "compression is not supported; write none or leave it out",
                );
            }
        }
    }

    fn sampler(&mut self) {
        let Some(sampler) = self.get("OTEL_TRACES_SAMPLER") else { return };
        if !SAMPLERS.contains(&sampler.as_str()) {
            let fix = format!("write one of {}", SAMPLERS.join(", "));
            self.warn("OTEL_TRACES_SAMPLER", &format!("is \"{sampler}\""), &fix);
        } else if sampler.ends_with("traceidratio") {
            let share = self.get("OTEL_TRACES_SAMPLER_ARG").unwrap_or_default();
            if !share.parse::<f64>().is_ok_and(|share| (0.0..=1.0).contains(&share)) {
                let fix = "write a number from 0 to 1; everything is sent until then";
                self.warn("OTEL_TRACES_SAMPLER_ARG", &format!("is \"{share}\""), fix);
            }
        }
    }

    /// Parses `key=value,key2=value2` with percent-encoded values.
    fn headers(&mut self) -> Vec<(String, String)> {
        let name = "OTEL_EXPORTER_OTLP_HEADERS";
        let Some(text) = self.get(name) else { return Vec::new() };
        let mut headers = Vec::new();
        for (at, pair) in text.split(',').enumerate().filter(|(_, pair)| !pair.trim().is_empty()) {
            let read = pair.split_once('=').map(|(key, value)| {
                (key.trim().to_owned(), percent_decode_str(value.trim()).decode_utf8_lossy().into_owned())
            });
            match read {
                Some((key, value)) if is_header(&key, &value) => headers.push((key, value)),
                // The value may be a secret: the warning names only its position.
                _ => {
                    let what = format!("has no header in its part {}", at + 1);
                    self.warn(name, &what, "write key=value,key2=value2 with percent signs for commas");
                }
            }
        }
        headers
    }

    fn interval(&mut self) -> Option<Duration> {
        let name = "OTEL_METRIC_EXPORT_INTERVAL";
        let value = self.get(name)?;
        match value.parse::<u64>().ok().filter(|millis| *millis > 0) {
            Some(millis) => Some(Duration::from_millis(millis)),
            None => {
                self.warn(name, &format!("is \"{value}\""), "write milliseconds, such as 60000");
                None
            }
        }
    }
}

/// Whether the name and the value form a valid HTTP header.
pub(crate) fn is_header(name: &str, value: &str) -> bool {
    http::HeaderName::try_from(name).is_ok() && http::HeaderValue::try_from(value).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resolve_variables(variables: &[(&str, &str)]) -> Resolved {
        resolve_with(None, variables)
    }

    fn resolve_with(configured: Option<TelemetryOptions>, variables: &[(&str, &str)]) -> Resolved {
        resolve(configured, &|name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        })
    }

    const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318");

    #[test]
    fn telemetry_is_off_by_default() {
        assert_eq!(resolve_variables(&[]), Resolved::default());
        assert_eq!(
            resolve_variables(&[("OTEL_SERVICE_NAME", "x"), ("OTEL_TRACES_SAMPLER", "odd")]),
            Resolved::default()
        );
        assert_eq!(resolve_variables(&[("OTEL_EXPORTER_OTLP_ENDPOINT", " ")]), Resolved::default());
        let options = resolve_variables(&[ENDPOINT]).options.expect("it is asked for");
        assert_eq!(options.endpoint.as_deref(), Some("http://c:4318"));
        assert!(options.traces && options.metrics);
        assert!(resolve_with(Some(TelemetryOptions::default()), &[]).options.is_some());
    }

    #[test]
    fn telemetry_can_be_disabled_as_a_whole_and_per_signal() {
        assert_eq!(resolve_variables(&[ENDPOINT, ("OTEL_SDK_DISABLED", "TRUE")]).options, None);
        let configured = Some(TelemetryOptions::default());
        assert_eq!(resolve_with(configured, &[("OTEL_SDK_DISABLED", "true")]).options, None);
        let options =
            resolve_variables(&[ENDPOINT, ("OTEL_METRICS_EXPORTER", "none")]).options.expect("traces");
        assert!(options.traces && !options.metrics);
        let none = [ENDPOINT, ("OTEL_METRICS_EXPORTER", "none"), ("OTEL_TRACES_EXPORTER", "none")];
        assert_eq!(resolve_variables(&none).options, None);
        let traces = [("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://c:4318/v1/traces")];
        let options = resolve_variables(&traces).options.expect("traces");
        assert!(options.traces && !options.metrics);
    }

    #[test]
    fn configuration_takes_precedence() {
        let configured = TelemetryOptions {
            endpoint: Some("http://mine:1".into()),
            service_name: Some("mine".into()),
            metrics: false,
            ..TelemetryOptions::default()
        };
        let environment = [
            ENDPOINT,
            ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://theirs"),
            ("OTEL_SERVICE_NAME", "theirs"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=a%2Cb, x-two = 2"),
        ];
        let options = resolve_with(Some(configured), &environment).options.expect("it is asked for");
        assert_eq!(options.endpoint.as_deref(), Some("http://mine:1"));
        assert_eq!(options.traces_endpoint, None);
        assert_eq!(options.service_name.as_deref(), Some("mine"));
        assert!(!options.metrics);
        let headers = [("api-key".to_owned(), "a,b".to_owned()), ("x-two".to_owned(), "2".to_owned())];
        assert_eq!(options.headers, headers);
    }

    #[test]
    fn invalid_variables_are_ignored_with_a_warning() {
        let resolved = resolve_variables(&[
            ENDPOINT,
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "grpc://c:4317"),
            ("OTEL_SDK_DISABLED", "maybe"),
            ("OTEL_TRACES_EXPORTER", "jaeger"),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_EXPORTER_OTLP_COMPRESSION", "gzip"),
            ("OTEL_TRACES_SAMPLER", "parentbased_traceidratio"),
            ("OTEL_TRACES_SAMPLER_ARG", "half"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "good=1,a secret without a key"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "often"),
        ]);
        let options = resolved.options.expect("the rest is in order");
        assert_eq!(options.headers, [("good".to_owned(), "1".to_owned())]);
        insta::assert_snapshot!(resolved.warnings.join("\n"), @r#"
        OTEL_SDK_DISABLED is "maybe" and is ignored; write true or false
        OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: the telemetry endpoint "grpc://c:4317" cannot be used: "grpc:" is not http: or https:; write one such as http://localhost:4318; it is ignored
        OTEL_TRACES_EXPORTER is "jaeger" and is ignored; write otlp or none
        OTEL_EXPORTER_OTLP_PROTOCOL is "grpc" and is ignored; only http/protobuf is supported; use the collector's HTTP port, usually 4318
        OTEL_EXPORTER_OTLP_COMPRESSION is "gzip" and is ignored; compression is not supported; write none or leave it out
        OTEL_TRACES_SAMPLER_ARG is "half" and is ignored; write a number from 0 to 1; everything is sent until then
        OTEL_EXPORTER_OTLP_HEADERS has no header in its part 2 and is ignored; write key=value,key2=value2 with percent signs for commas
        OTEL_METRIC_EXPORT_INTERVAL is "often" and is ignored; write milliseconds, such as 60000
        "#);
        let resolved = resolve_variables(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector")]);
        assert_eq!(resolved.options, None);
        assert_eq!(resolved.warnings.len(), 1, "{:?}", resolved.warnings);
    }
}
