//! The span of a call, and that of what the call asks of a server behind us.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

use opentelemetry::trace::{Span as _, SpanBuilder, SpanContext, SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Array, Context, KeyValue, StringValue, Value};
use opentelemetry_sdk::trace::{SdkTracer, Span};
use toolwright_executor::observer::{Stage, Stages};
use toolwright_jsonrpc::Json;
use toolwright_model::{Caller, Change};

use crate::context::{Sent, written};
use crate::instruments::Instruments;
use crate::names::{EXECUTE_TOOL, TOOLS_CALL, attribute};
use crate::shown::Shown;

/// How many rules a span names.
const MAX_RULES_OF_CALL: usize = 16;
/// Why a call ended that was given up.
const CANCELLED: &str = "cancelled";

/// What makes spans and points.
#[derive(Debug)]
pub(crate) struct Measures {
    pub tracer: Option<SdkTracer>,
    pub instruments: Option<Arc<Instruments>>,
    pub shown: Shown,
}

/// What is known of a call when it begins.
#[derive(Clone, Copy, Debug)]
pub struct CallBegin<'a> {
    /// Who calls.
    pub caller: &'a Caller,
    /// The revision that its client speaks.
    pub revision: &'a str,
    /// Whether its client is on the other side of a pipe.
    pub is_stdio: bool,
    /// Where the client says that the call stands.
    pub parent: Option<Sent<'a>>,
    /// The server that is to answer it, when it is not we.
    pub server: Option<ServerBehind<'a>>,
}

/// A server behind us.
#[derive(Clone, Copy, Debug)]
pub struct ServerBehind<'a> {
    /// Its name.
    pub name: &'a str,
    /// Whether it is on the other side of a pipe.
    pub is_stdio: bool,
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Default)]
pub struct CallEnd<'a> {
    /// The tool and its server, when there is such a tool.
    pub tool: Option<(&'a str, &'a str)>,
    /// What was changed.
    pub changes: &'a [Change],
    /// How far it came, when that is known.
    pub stages: Option<Stages>,
    /// Why it failed.
    pub error: Option<&'a str>,
    /// The code of the JSON-RPC error that the client gets.
    pub code: Option<i64>,
}

/// The span of a call. Dropped before its end, it ends as cancelled.
#[derive(Debug)]
pub struct CallSpan {
    span: Option<Span>,
    shown: Shown,
    is_ended: bool,
}

impl CallSpan {
    pub(crate) fn begin(measures: &Arc<Measures>, call: &CallBegin<'_>) -> (CallSpan, Option<Onward>) {
        let span = measures.tracer.as_ref().map(|tracer| {
            let (caller, shown) = (call.caller, &measures.shown);
            let mut about = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::REVISION, shown.text(call.revision)),
                KeyValue::new(attribute::CLIENT, shown.text(&caller.client)),
                KeyValue::new(attribute::FRONT, caller.front),
            ];
            about.extend(transport(call.is_stdio));
            if let Some(session) = &caller.session {
                about.push(KeyValue::new(attribute::SESSION, shown.text(session)));
            }
            if let Some(toolbox) = &caller.toolbox {
                about.push(KeyValue::new(attribute::TOOLBOX, shown.text(toolbox)));
            }
            let parent = call.parent.and_then(|sent| sent.read());
            start(tracer, SpanKind::Server, about, parent)
        });
        let onward = call.server.map(|server| Onward {
            measures: Arc::clone(measures),
            parent: span.as_ref().map(|span| span.span_context().clone()),
            server: measures.shown.text(server.name),
            is_stdio: server.is_stdio,
        });
        (CallSpan { span, shown: measures.shown.clone(), is_ended: false }, onward)
    }

    /// The call ends here.
    pub fn end(mut self, end: &CallEnd<'_>) {
        self.finish(end);
    }

    fn finish(&mut self, end: &CallEnd<'_>) {
        self.is_ended = true;
        let Some(span) = self.span.as_mut().filter(|span| span.is_recording()) else { return };
        if let Some((tool, server)) = end.tool {
            let tool = self.shown.text(tool);
            span.update_name(format!("{TOOLS_CALL} {tool}"));
            span.set_attribute(KeyValue::new(attribute::TOOL, tool));
            span.set_attribute(KeyValue::new(attribute::SERVER, self.shown.text(server)));
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
            span.set_attribute(KeyValue::new(attribute::STAGE_TRANSPORT, word(stages.transport)));
            span.set_attribute(KeyValue::new(attribute::STAGE_PROTOCOL, word(stages.protocol)));
            span.set_attribute(KeyValue::new(attribute::STAGE_TOOL, word(stages.tool)));
        }
        fail(span, end.error, end.code);
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

/// The way of a call to a server behind us.
#[derive(Clone, Debug)]
pub struct Onward {
    measures: Arc<Measures>,
    parent: Option<SpanContext>,
    server: String,
    is_stdio: bool,
}

impl Onward {
    /// The server is asked. `tool` is its name for a tool that it lists.
    pub fn begin(&self, tool: Option<&str>, revision: &str) -> ServerSpan {
        let shown = &self.measures.shown;
        let tool = tool.map(|tool| shown.text(tool));
        let span = self.measures.tracer.as_ref().map(|tracer| {
            let mut about = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::SERVER, self.server.clone()),
                KeyValue::new(attribute::REVISION, shown.text(revision)),
            ];
            about.extend(transport(self.is_stdio));
            about.extend(tool.clone().map(|tool| KeyValue::new(attribute::TOOL, tool)));
            let mut span = start(tracer, SpanKind::Client, about, self.parent.clone());
            if let Some(tool) = &tool {
                span.update_name(format!("{TOOLS_CALL} {tool}"));
            }
            span
        });
        ServerSpan { onward: self.clone(), tool, span, begun: Instant::now(), is_ended: false }
    }
}

/// The span of what a server behind us is asked. Dropped before its end, it ends as cancelled.
#[derive(Debug)]
pub struct ServerSpan {
    onward: Onward,
    tool: Option<String>,
    span: Option<Span>,
    begun: Instant,
    is_ended: bool,
}

impl ServerSpan {
    /// The params that the server gets: with our place in the trace where spans are made, else as they are.
    pub fn params(&self, params: Json) -> Json {
        match self.span.as_ref().map(|span| span.span_context()).filter(|context| context.is_valid()) {
            Some(context) => written(context, &params),
            None => params,
        }
    }

    /// The server answered, or will not. `code` is that of its JSON-RPC error.
    pub fn end(mut self, error: Option<&str>, code: Option<i64>) {
        self.finish(error, code);
    }

    fn finish(&mut self, error: Option<&str>, code: Option<i64>) {
        self.is_ended = true;
        if let Some(instruments) = &self.onward.measures.instruments {
            let mut about = vec![
                KeyValue::new(attribute::METHOD, TOOLS_CALL),
                KeyValue::new(attribute::OPERATION, EXECUTE_TOOL),
                KeyValue::new(attribute::SERVER, self.onward.server.clone()),
            ];
            about.extend(transport(self.onward.is_stdio));
            about.extend(self.tool.clone().map(|tool| KeyValue::new(attribute::TOOL, tool)));
            about.extend(error.map(|error| KeyValue::new(attribute::ERROR, error.to_owned())));
            instruments.client_duration.record(self.begun.elapsed().as_secs_f64(), &about);
        }
        if let Some(span) = self.span.as_mut().filter(|span| span.is_recording()) {
            fail(span, error, code);
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

fn start(tracer: &SdkTracer, kind: SpanKind, about: Vec<KeyValue>, parent: Option<SpanContext>) -> Span {
    let builder = SpanBuilder::from_name(TOOLS_CALL).with_kind(kind).with_attributes(about);
    // Never what happens to be current on this thread: a call moves between threads.
    let parent = match parent {
        Some(parent) => Context::new().with_remote_span_context(parent),
        None => Context::new(),
    };
    tracer.build_with_context(builder, &parent)
}

/// The words of an error may hold what was sent: only its kind is said.
fn fail(span: &mut Span, error: Option<&str>, code: Option<i64>) {
    let Some(error) = error else { return };
    span.set_attribute(KeyValue::new(attribute::ERROR, error.to_owned()));
    if let Some(code) = code {
        span.set_attribute(KeyValue::new(attribute::STATUS_CODE, code.to_string()));
    }
    span.set_status(Status::error(""));
}

fn transport(is_stdio: bool) -> impl Iterator<Item = KeyValue> {
    let network = KeyValue::new(attribute::TRANSPORT, if is_stdio { "pipe" } else { "tcp" });
    let protocol = (!is_stdio).then(|| KeyValue::new(attribute::PROTOCOL, "http"));
    std::iter::once(network).chain(protocol)
}

fn word(stage: Stage) -> &'static str {
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
    struct Kept(Arc<Mutex<Vec<SpanData>>>);

    impl SpanExporter for Kept {
        async fn export(&self, batch: Vec<SpanData>) -> OTelSdkResult {
            self.0.lock().ignore_poison().extend(batch);
            Ok(())
        }
    }

    fn traced() -> (Arc<Measures>, Kept) {
        let kept = Kept::default();
        let provider = SdkTracerProvider::builder().with_simple_exporter(kept.clone()).build();
        (
            Arc::new(Measures {
                tracer: Some(provider.tracer("test")),
                instruments: None,
                shown: Shown::default(),
            }),
            kept,
        )
    }

    fn spans(kept: &Kept) -> Vec<SpanData> {
        kept.0.lock().expect("no panic").clone()
    }

    fn value(span: &SpanData, key: &str) -> Option<String> {
        span.attributes.iter().find(|known| known.key.as_str() == key).map(|known| known.value.to_string())
    }

    fn begin(measures: &Arc<Measures>) -> (CallSpan, Option<Onward>) {
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
        CallSpan::begin(measures, &call)
    }

    #[test]
    fn a_call_that_is_given_up_ends_as_cancelled() {
        let (measures, kept) = traced();
        let (call, onward) = begin(&measures);
        let asking = onward.expect("a server").begin(Some("zebra"), "2025-11-25");
        drop(asking);
        drop(call);
        let [server, call] = &spans(&kept)[..] else { panic!("two spans") };
        for span in [server, call] {
            assert_eq!(value(span, attribute::ERROR).as_deref(), Some("cancelled"));
            assert_eq!(span.status, Status::error(""));
        }
        assert_eq!(server.parent_span_id, call.span_context.span_id());
        // Nobody knows yet whether there is such a tool.
        assert_eq!((&*call.name, &*server.name), ("tools/call", "tools/call zebra"));
    }

    #[test]
    fn a_span_tells_of_rules_and_changes_and_of_no_value() {
        let (measures, kept) = traced();
        let (call, _) = begin(&measures);
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
        let [span] = &spans(&kept)[..] else { panic!("one span") };
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
    fn without_spans_params_stay_as_they_are() {
        let measures = Arc::new(Measures { tracer: None, instruments: None, shown: Shown::default() });
        let (_call, onward) = begin(&measures);
        let asking = onward.expect("a server").begin(None, "2025-11-25");
        let params = Json::parse(r#"{ "_meta" : {"traceparent":"odd"} }"#).expect("JSON");
        assert_eq!(asking.params(params.clone()).as_str(), params.as_str());
    }
}
