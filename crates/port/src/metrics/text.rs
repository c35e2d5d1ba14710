//! The text format of Prometheus: families with a help and a type, samples with labels.

use std::fmt::{Display, Write};

/// The kind of text this is.
pub(crate) const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A page in the making.
#[derive(Default)]
pub(super) struct Page(String);

impl Page {
    /// Begins a family; its samples follow.
    pub fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = writeln!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}");
    }

    pub fn sample(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (at, (label, text)) in labels.iter().enumerate() {
            let text = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
            let before = if at == 0 { '{' } else { ',' };
            let _ = write!(self.0, "{before}{label}=\"{text}\"");
        }
        let end = if labels.is_empty() { "" } else { "}" };
        let _ = writeln!(self.0, "{end} {value}");
    }

    /// A family of one sample.
    pub fn gauge(&mut self, name: &str, help: &str, value: usize) {
        self.family(name, "gauge", help);
        self.sample(name, &[], value);
    }

    pub fn into_text(self) -> String {
        self.0
    }
}
