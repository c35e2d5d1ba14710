//! Call metrics, as an observer of the executor.

use std::sync::Arc;

use opentelemetry::KeyValue;
use toolwright_executor::observer::{Finished, Normalized, Stage};
use toolwright_executor::{CallObserver, ErrorCode};

use crate::instruments::Instruments;
use crate::names::{EXECUTE_TOOL, TOOLS_CALL, attribute};
use crate::redactor::AttributeRedactor;

/// Counts and times the calls of an executor for OTLP.
#[derive(Debug)]
pub struct CallMeter {
    instruments: Arc<Instruments>,
    redactor: AttributeRedactor,
}

impl CallMeter {
    pub(crate) fn new(instruments: Arc<Instruments>, redactor: AttributeRedactor) -> CallMeter {
        CallMeter { instruments, redactor }
    }
}

impl CallObserver for CallMeter {
    fn normalized(&self, call: &Normalized<'_>) {
        if call.changes.is_empty() {
            return;
        }
        self.instruments.repaired.add(1, &[]);
        for change in call.changes {
            let rule = change.rule.as_deref().unwrap_or_else(|| change.code.as_str());
            let rule = self.instruments.rules.name(rule).to_owned();
            self.instruments.repairs.add(1, &[KeyValue::new(attribute::RULE, rule)]);
        }
    }

    fn finished(&self, call: &Finished<'_>) {
        let mut attributes = vec![
            KeyValue::new(attribute::METHOD, TOOLS_CALL),
            KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
        ];
        // A name without a tool is made up by the client and would grow the number of time series.
        if let Some(tool) = call.tool {
            attributes.push(KeyValue::new(attribute::TOOL, self.redactor.text(tool.name())));
        }
        let outcome = match call.result {
            Ok(_) => "ok",
            Err(error) => {
                let code = error.code.as_str();
                attributes.push(KeyValue::new(attribute::ERROR, code));
                let is_refused =
                    call.stages.protocol == Stage::Failed && call.stages.transport == Stage::NotReached;
                if is_refused || error.code == ErrorCode::Busy {
                    self.instruments.refused.add(1, &[KeyValue::new(attribute::ERROR, code)]);
                }
                code
            }
        };
        self.instruments.server_duration.record(call.duration.as_secs_f64(), &attributes);
        self.instruments.calls.add(1, &[KeyValue::new(attribute::OUTCOME, outcome)]);
    }
}
