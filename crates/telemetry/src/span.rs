//! Spans of a call and of its request to a server.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use opentelemetry::trace::{Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use toolwright_executor::observer::{Stage, Stages};
use toolwright_jsonrpc::Json;
use toolwright_model::{Caller, Change};

use crate::context::{Sent, inject_context};
use crate::instruments::Instruments;
use crate::names::{EXECUTE_TOOL, TOOLS_CALL, attribute};
use crate::redactor::AttributeRedactor;

/// The most rules that a span lists.
const MAX_RULES_OF_CALL: usize = 16;
/// The `error.type` of a cancelled call.
const CANCELLED: &str = "cancelled";

/// The tracer, the instruments and the redaction of one gateway.
#[derive(Debug)]
pub(crate) struct Instrumentation {
    pub tracer: Option<SdkTracer>,
    pub instruments: Option<Arc<Instruments>>,
    pub redactor: AttributeRedactor,
}

/// Attributes of a call that are known when it starts.
#[derive(Clone, Copy, Debug)]
pub struct CallBegin<'a> {
    /// The caller.
    pub caller: &'a Caller,
    /// The protocol version of its client.
    pub revision: &'a str,
    /// Whether its client is connected over stdio.
    pub is_stdio: bool,
    /// The trace context that the client sent.
    pub parent: Option<Sent<'a>>,
    /// The server that runs the tool; `None` if Toolwright runs it itself.
    pub server: Option<ServerBehind<'a>>,
}

/// An MCP server that a call is forwarded to.
#[derive(Clone, Copy, Debug)]
pub struct ServerBehind<'a> {
    /// The name of the server.
    pub name: &'a str,
    /// Whether it is connected over stdio.
    pub is_stdio: bool,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallEnd<'a> {
    /// The tool and its server, if the tool exists.
    pub tool: Option<(&'a str, &'a str)>,
    /// The changes of the repair.
    pub changes: &'a [Change],
    /// The stages that the call reached, if known.
    pub stages: Option<Stages>,
    /// The `error.type` of a failed call.
    pub error: Option<&'a str>,
    /// The JSON-RPC error code that the client receives.
    pub code: Option<i64>,
}

/// The span of a call. If it is dropped before `end`, it ends as cancelled.
#[derive(Debug)]
pub struct CallSpan {
    span: Option<Span>,
    redactor: AttributeRedactor,
    is_ended: bool,
}

impl CallSpan {
    pub(crate) fn begin(
        instrumentation: &Arc<Instrumentation>,
        call: &CallBegin<'_>,
    ) -> (CallSpan, Option<Onward>) {
        let span = instrumentation.tracer.as_ref().map(|tracer| {
            let (caller, redactor) = (call.caller, &instrumentation.redactor);
            let mut attributes = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::REVISION, redactor.text(call.revision)),
                KeyValue::new(attribute::CLIENT, redactor.text(&caller.client)),
                KeyValue::new(attribute::FRONT, caller.front),
            ];
            attributes.extend(transport_attributes(call.is_stdio));
            if let Some(session) = &caller.session {
                attributes.push(KeyValue::new(attribute::SESSION, redactor.text(session)));
            }
            if let Some(toolbox) = &caller.toolbox {
                attributes.push(KeyValue::new(attribute::TOOLBOX, redactor.text(toolbox)));
            }
            let parent = call.parent.and_then(|sent| sent.parse());
            start_span(tracer, SpanKind::Server, attributes, parent)
        });
        let onward = call.server.map(|server| Onward {
            instrumentation: Arc::clone(instrumentation),
            parent: span.as_ref().map(|span| span.span_context().clone()),
            server: instrumentation.redactor.text(server.name),
            is_stdio: server.is_stdio,
        });
        (CallSpan { span, redactor: instrumentation.redactor.clone(), is_ended: false }, onward)
    }

    /// Ends the span.
    pub fn end(mut self, end: &CallEnd<'_>) {
        self.finish(end);
    }

    fn finish(&mut self, end: &CallEnd<'_>) {
        self.is_ended = true;
        let Some(span) = self.span.as_mut().filter(|span| span.is_recording()) else { return };
        if let Some((tool, server)) = end.tool {
            let tool = self.redactor.text(tool);
            span.update_name(format!("{TOOLS_CALL} {tool}"));
            span.set_attribute(KeyValue::new(attribute::TOOL, tool));
            span.set_attribute(KeyValue::new(attribute::SERVER, self.redactor.text(server)));
        }
        span.set_attribute(KeyValue::new(attribute::REPAIRED, !end.changes.is_empty()));
        span.set_attribute(KeyValue::new(attribute::CHANGES, end.changes.len() as i64));
        let rules: BTreeSet<&str> = end.changes.iter().filter_map(|change| change.rule.as_deref()).collect();
        if !rules.is_empty() {
            let rules: Vec<StringValue> =
                rules.into_iter().take(MAX_RULES_OF_CALL).map(|rule| rule.to_owned().into()).collect();
            span.set_attribute(KeyValue::new(attribute::RULES, Value::Array(Array::String(rules))));
        }
        if let Some(stages) = end.stages {
            span.set_attribute(KeyValue::new(attribute::STAGE_TRANSPORT, stage_name(stages.transport)));
            span.set_attribute(KeyValue::new(attribute::STAGE_PROTOCOL, stage_name(stages.protocol)));
            span.set_attribute(KeyValue::new(attribute::STAGE_TOOL, stage_name(stages.tool)));
        }
        set_error(span, end.error, end.code);
        span.end();
    }
}

impl Drop for CallSpan {
    fn drop(&mut self) {
        if !self.is_ended {
            self.finish(&CallEnd { error: Some(CANCELLED), ..CallEnd::default() });
        }
    }
}

/// Starts the spans of a call's requests to its server.
#[derive(Clone, Debug)]
pub struct Onward {
    instrumentation: Arc<Instrumentation>,
    parent: Option<SpanContext>,
    server: String,
    is_stdio: bool,
}

impl Onward {
    /// Starts a span for a request. `tool` is the server's name for a tool that it lists.
    pub fn begin(&self, tool: Option<&str>, revision: &str) -> ServerSpan {
        let redactor = &self.instrumentation.redactor;
        let tool = tool.map(|tool| redactor.text(tool));
        let span = self.instrumentation.tracer.as_ref().map(|tracer| {
            let mut attributes = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::SERVER, self.server.clone()),
                KeyValue::new(attribute::REVISION, redactor.text(revision)),
            ];
            attributes.extend(transport_attributes(self.is_stdio));
            attributes.extend(tool.clone().map(|tool| KeyValue::new(attribute::TOOL, tool)));
            let mut span = start_span(tracer, SpanKind::Client, attributes, self.parent.clone());
            if let Some(tool) = &tool {
                span.update_name(format!("{TOOLS_CALL} {tool}"));
            }
            span
        });
        ServerSpan { onward: self.clone(), tool, span, started: Instant::now(), is_ended: false }
    }
}

/// The span of a request to a server. If it is dropped before `end`, it ends as cancelled.
#[derive(Debug)]
pub struct ServerSpan {
    onward: Onward,
    tool: Option<String>,
    span: Option<Span>,
    started: Instant,
    is_ended: bool,
}

impl ServerSpan {
    /// Adds the trace context to the params if traces are on, else returns them unchanged.
    pub fn params(&self, params: Json) -> Json {
        match self.span.as_ref().map(|span| span.span_context()).filter(|context| context.is_valid()) {
            Some(context) => inject_context(context, &params),
            None => params,
        }
    }

    /// Ends the span. `code` is the server's JSON-RPC error code.
    pub fn end(mut self, error: Option<&str>, code: Option<i64>) {
        self.finish(error, code);
    }

    fn finish(&mut self, error: Option<&str>, code: Option<i64>) {
        self.is_ended = true;
        if let Some(instruments) = &self.onward.instrumentation.instruments {
            let mut attributes = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::SERVER, self.onward.server.clone()),
            ];
            attributes.extend(transport_attributes(self.onward.is_stdio));
            attributes.extend(self.tool.clone().map(|tool| KeyValue::new(attribute::TOOL, tool)));
            attributes.extend(error.map(|error| KeyValue::new(attribute::ERROR, error.to_owned())));
            instruments.client_duration.record(self.started.elapsed().as_secs_f64(), &attributes);
        }
        if let Some(span) = self.span.as_mut().filter(|span| span.is_recording()) {
            set_error(span, error, code);
            span.end();
        }
    }
}

impl Drop for ServerSpan {
    fn drop(&mut self) {
        if !self.is_ended {
            self.finish(Some(CANCELLED), None);
        }
    }
}

fn start_span(
    tracer: &SdkTracer,
    kind: SpanKind,
    attributes: Vec<KeyValue>,
    parent: Option<SpanContext>,
) -> Span {
    let builder = SpanBuilder::from_name(TOOLS_CALL).with_kind(kind).with_attributes(attributes);
    // The current context of this thread must not become the parent: a call moves between threads.
    let parent = match parent {
        Some(parent) => Context::new().with_remote_span_context(parent),
        None => Context::new(),
    };
    tracer.build_with_context(builder, &parent)
}

/// Sets the error type only: the message may contain arguments.
fn set_error(span: &mut Span, error: Option<&str>, code: Option<i64>) {
    let Some(error) = error else { return };
    span.set_attribute(KeyValue::new(attribute::ERROR, error.to_owned()));
    if let Some(code) = code {
        span.set_attribute(KeyValue::new(attribute::STATUS_CODE, code.to_string()));
    }
    span.set_status(Status::error(""));
}

fn transport_attributes(is_stdio: bool) -> impl Iterator<Item = KeyValue> {
    let network = KeyValue::new(attribute::TRANSPORT, if is_stdio { "pipe" } else { "tcp" });
    let protocol = (!is_stdio).then(|| KeyValue::new(attribute::PROTOCOL, "http"));
    std::iter::once(network).chain(protocol)
}

fn stage_name(stage: Stage) -> &'static str {
    match stage {
        Stage::Passed => "passed",
        Stage::Failed => "failed",
        Stage::NotReached => "not_reached",
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use opentelemetry::trace::TracerProvider;
    use opentelemetry_sdk::error::OTelSdkResult;
    use opentelemetry_sdk::trace::{SdkTracerProvider, SpanData, SpanExporter};
    use toolwright_model::Code;

    use toolwright_base::IgnorePoison;

    use super::*;

    #[derive(Clone, Debug, Default)]
    struct RecordingExporter(Arc<Mutex<Vec<SpanData>>>);

    impl SpanExporter for RecordingExporter {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            self.0.lock().ignore_poison().extend(batch);
            Ok(())
        }
    }

    fn recording() -> (Arc<Instrumentation>, RecordingExporter) {
        let exporter = RecordingExporter::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(exporter.clone()).build();
        (
            Arc::new(Instrumentation {
                tracer: Some(provider.tracer("test")),
                instruments: None,
                redactor: AttributeRedactor::default(),
            }),
            exporter,
        )
    }

    fn spans(exporter: &RecordingExporter) -> Vec<SpanData> {
        exporter.0.lock().expect("no panic").clone()
    }

    fn value(span: &SpanData, key: &str) -> Option<String> {
        span.attributes.iter().find(|known| known.key.as_str() == key).map(|known| known.value.to_string())
    }

    fn begin(instrumentation: &Arc<Instrumentation>) -> (CallSpan, Option<Onward>) {
        let caller = Caller {
            client: "caller ".repeat(70),
            session: Some("s".into()),
            front: "mcp",
            toolbox: Some("box".into()),
            ..Caller::default()
        };
        let call = CallBegin {
            caller: &caller,
            revision: "2026-07-28",
            is_stdio: false,
            parent: None,
            server: Some(ServerBehind { name: "zoo", is_stdio: true }),
        };
        CallSpan::begin(instrumentation, &call)
    }

    #[test]
    fn dropped_call_ends_as_cancelled() {
        let (instrumentation, exporter) = recording();
        let (call, onward) = begin(&instrumentation);
        let server_span = onward.expect("a server").begin(Some("zebra"), "2025-11-25");
        drop(server_span);
        drop(call);
        let [server, call] = &spans(&exporter)[..] else { panic!("two spans") };
        for span in [server, call] {
            assert_eq!(value(span, attribute::ERROR).as_deref(), Some("cancelled"));
            assert_eq!(span.status, Status::error(""));
        }
        assert_eq!(server.parent_span_id, call.span_context.span_id());
        // Whether the tool exists is not known yet.
        assert_eq!((&*call.name, &*server.name), ("tools/call", "tools/call zebra"));
    }

    #[test]
    fn span_lists_rules_and_changes_but_no_values() {
        let (instrumentation, exporter) = recording();
        let (call, _) = begin(&instrumentation);
        let change = |rule: Option<&str>| Change {
            code: Code::AliasByRule,
            path: "/secret-path".into(),
            from: Some("secret-from".into()),
            to: Some("secret-to".into()),
            rule_type: None,
            rule: rule.map(str::to_owned),
            why: "secret-why".into(),
        };
        let changes = [change(Some("b")), change(None), change(Some("a")), change(Some("b"))];
        let stages = Stages { transport: Stage::Passed, protocol: Stage::Failed, tool: Stage::NotReached };
        call.end(&CallEnd {
            tool: Some(("zebra", "zoo")),
            changes: &changes,
            stages: Some(stages),
            error: Some("-32602"),
            code: Some(-32602),
        });
        let [span] = &spans(&exporter)[..] else { panic!("one span") };
        assert_eq!(span.span_kind, SpanKind::Server);
        for (key, expected) in [
            (attribute::RULES, "[\"a\",\"b\"]"),
            (attribute::CHANGES, "4"),
            (attribute::REPAIRED, "true"),
            (attribute::STAGE_TRANSPORT, "passed"),
            (attribute::STAGE_PROTOCOL, "failed"),
            (attribute::STAGE_TOOL, "not_reached"),
            (attribute::STATUS_CODE, "-32602"),
            (attribute::ERROR, "-32602"),
            (attribute::SESSION, "s"),
            (attribute::TRANSPORT, "tcp"),
        ] {
            assert_eq!(value(span, key).as_deref(), Some(expected), "{key}");
        }
        assert_eq!(value(span, attribute::CLIENT).expect("a client").len(), 128);
        assert!(!format!("{span:?}").contains("secret-"), "{span:?}");
    }

    #[test]
    fn params_stay_unchanged_without_traces() {
        let instrumentation = Arc::new(Instrumentation {
            tracer: None,
            instruments: None,
            redactor: AttributeRedactor::default(),
        });
        let (_call, onward) = begin(&instrumentation);
        let server_span = onward.expect("a server").begin(None, "2025-11-25");
        let params = Json::parse(r#"{ "_meta" : {"traceparent":"odd"} }"#).expect("JSON");
        assert_eq!(server_span.params(params.clone()).as_str(), params.as_str());
    }
}
