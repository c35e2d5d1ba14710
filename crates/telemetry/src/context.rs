//! W3C Trace Context: the span that a request belongs to.
//!
//! An invalid `traceparent` counts as missing: a new trace starts, and the `tracestate` is ignored. An invalid
//! `tracestate` is ignored alone, as the standard demands.

use opentelemetry::trace::{SpanContext, SpanId, TraceFlags, TraceId, TraceState};
use toolwright_jsonrpc::Json;

/// The longest `tracestate` that is read.
const MAX_TRACESTATE_BYTES: usize = 512;
/// The most entries of a `tracestate`, as the standard limits them.
const MAX_TRACESTATE_ENTRIES: usize = 32;
/// The length of a `traceparent` of version 00.
const TRACEPARENT_V00_BYTES: usize = 55;

/// The trace context of a request, as the client sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sent<'a> {
    /// `00-{trace id}-{span id}-{flags}`
    pub traceparent: &'a str,
    /// Vendor-specific data of the tracing systems along the route.
    pub tracestate: Option<&'a str>,
}

/// The trace context of a request, owned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentTrace {
    /// `00-{trace id}-{span id}-{flags}`
    pub traceparent: String,
    /// Vendor-specific data of the tracing systems along the route.
    pub tracestate: Option<String>,
}

impl SentTrace {
    /// Reads the trace context from `_meta` of a request. A `traceparent` that is not a string counts as an invalid
    /// one.
    pub fn of_meta(meta: &Json) -> Option<SentTrace> {
        let traceparent = meta.get("traceparent")?.to_text().unwrap_or_default();
        Some(SentTrace { traceparent, tracestate: meta.get_text("tracestate") })
    }

    /// Borrows the trace context.
    pub fn as_sent(&self) -> Sent<'_> {
        Sent { traceparent: &self.traceparent, tracestate: self.tracestate.as_deref() }
    }
}

impl Sent<'_> {
    /// The span context; `None` if the `traceparent` is invalid.
    pub(crate) fn parse(&self) -> Option<SpanContext> {
        let text = self.traceparent;
        if !text.is_ascii() || text.len() < TRACEPARENT_V00_BYTES {
            return None;
        }
        let (head, rest) = text.split_at(TRACEPARENT_V00_BYTES);
        let mut parts = head.split('-');
        let [version, trace, span, flags] = [parts.next()?, parts.next()?, parts.next()?, parts.next()?];
        let is_known = version == "00";
        // Later versions may append fields after a dash.
        let rest_fits = rest.is_empty() || (!is_known && rest.starts_with('-'));
        if parts.next().is_some() || version == "ff" || !rest_fits {
            return None;
        }
        if [(version, 2), (trace, 32), (span, 16), (flags, 2)]
            .iter()
            .any(|(part, length)| part.len() != *length || !part.bytes().all(is_lower_hex))
        {
            return None;
        }
        let trace = TraceId::from_hex(trace).ok()?;
        let span = SpanId::from_hex(span).ok()?;
        // Version 00 defines only the flag `sampled`; the other bits must not be forwarded.
        let flags = TraceFlags::new(u8::from_str_radix(flags, 16).ok()?) & TraceFlags::SAMPLED;
        let context = SpanContext::new(trace, span, flags, true, self.state());
        context.is_valid().then_some(context)
    }

    fn state(&self) -> TraceState {
        let fits = |state: &&str| {
            state.len() <= MAX_TRACESTATE_BYTES && state.split(',').count() <= MAX_TRACESTATE_ENTRIES
        };
        self.tracestate.filter(fits).and_then(|state| state.parse().ok()).unwrap_or_default()
    }
}

fn is_lower_hex(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Writes the span context to `_meta` of the params. It replaces the trace context that the client sent.
pub(crate) fn inject_context(context: &SpanContext, params: &Json) -> Json {
    let traceparent =
        format!("00-{}-{}-{:02x}", context.trace_id(), context.span_id(), context.trace_flags().to_u8());
    let meta = params.get("_meta").filter(|meta| meta.members().is_some());
    let meta = meta.unwrap_or_else(Json::empty_object).with("traceparent", &Json::text(&traceparent));
    let state = context.trace_state().header();
    let meta = match (state.is_empty(), meta.get("tracestate")) {
        (true, None) => meta,
        (true, Some(_)) => meta.without("tracestate"),
        (false, _) => meta.with("tracestate", &Json::text(&state)),
    };
    params.with("_meta", &meta)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
    const SPAN: &str = "00f067aa0ba902b7";

    fn parse(traceparent: &str, tracestate: Option<&str>) -> Option<SpanContext> {
        Sent { traceparent, tracestate }.parse()
    }

    #[test]
    fn valid_traceparent_is_parsed() {
        let context = parse(&format!("00-{TRACE}-{SPAN}-01"), Some("rojo=1,congo=t61")).expect("in order");
        assert_eq!(context.trace_id().to_string(), TRACE);
        assert_eq!(context.span_id().to_string(), SPAN);
        assert!(context.is_sampled() && context.is_remote());
        assert_eq!(context.trace_state().header(), "rojo=1,congo=t61");
        assert!(!parse(&format!("00-{TRACE}-{SPAN}-00"), None).expect("in order").is_sampled());
        // Later versions may append fields.
        assert!(parse(&format!("cc-{TRACE}-{SPAN}-01-what-comes"), None).is_some());
        assert!(parse(&format!("cc-{TRACE}-{SPAN}-01"), None).is_some());
    }

    #[test]
    fn invalid_traceparent_is_ignored() {
        let upper = TRACE.to_uppercase();
        let none = "0".repeat(32);
        for text in [
            String::new(),
            "00".to_owned(),
            format!("00-{upper}-{SPAN}-01"),
            format!("00-{none}-{SPAN}-01"),
            format!("00-{TRACE}-0000000000000000-01"),
            format!("00-{TRACE}-{SPAN}-01-more"),
            format!("00-{TRACE}-{SPAN}-01-"),
            format!("00-{TRACE}-{SPAN}-1"),
            format!("00-{TRACE}-{SPAN}-0g"),
            format!("ff-{TRACE}-{SPAN}-01"),
            format!("cc-{TRACE}-{SPAN}-01x"),
            format!(" 00-{TRACE}-{SPAN}-01"),
            format!("00_{TRACE}_{SPAN}_01"),
            format!("00-{TRACE}-{SPAN}-0ß"),
        ] {
            assert!(parse(&text, None).is_none(), "{text:?}");
        }
    }

    #[test]
    fn invalid_tracestate_is_ignored_alone() {
        let parent = format!("00-{TRACE}-{SPAN}-01");
        let long = format!("a={}", "x".repeat(600));
        let many = vec!["a=1"; 33].join(",");
        for state in ["no equals sign", long.as_str(), many.as_str(), "UPPER=1"] {
            let context = parse(&parent, Some(state)).expect("the parent is in order");
            assert_eq!(context.trace_state().header(), "", "{state}");
        }
    }

    #[test]
    fn injected_context_replaces_the_received_one() {
        let params = Json::parse(
            r#"{"name":"t","_meta":{"progressToken":7,"traceparent":"bad","tracestate":"a=1","baggage":"u=1"}}"#,
        )
        .expect("JSON");
        let plain = parse(&format!("00-{TRACE}-{SPAN}-01"), None).expect("in order");
        assert_eq!(
            inject_context(&plain, &params).as_str(),
            format!(
                r#"{{"name":"t","_meta":{{"progressToken":7,"traceparent":"00-{TRACE}-{SPAN}-01","baggage":"u=1"}}}}"#
            )
        );
        let stated = parse(&format!("00-{TRACE}-{SPAN}-00"), Some("b=2")).expect("in order");
        assert_eq!(
            inject_context(&stated, &Json::empty_object()).as_str(),
            format!(r#"{{"_meta":{{"traceparent":"00-{TRACE}-{SPAN}-00","tracestate":"b=2"}}}}"#)
        );
    }

    proptest! {
        #[test]
        fn injected_context_is_parsed_back(trace in 1u128.., span in 1u64.., flags in 0u8..=1) {
            let context = SpanContext::new(
                TraceId::from_bytes(trace.to_be_bytes()),
                SpanId::from_bytes(span.to_be_bytes()),
                TraceFlags::new(flags),
                true,
                TraceState::default(),
            );
            let params = inject_context(&context, &Json::empty_object());
            let meta = params.get("_meta").expect("_meta");
            let sent = SentTrace::of_meta(&meta).expect("it says where it stands");
            prop_assert_eq!(sent.as_sent().parse(), Some(context));
        }

        #[test]
        fn any_text_can_be_parsed(parent in ".{0,80}", state in ".{0,600}") {
            let _ = parse(&parent, Some(&state));
        }
    }
}
