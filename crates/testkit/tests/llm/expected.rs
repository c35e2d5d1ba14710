//! What has to come out of every scenario, whoever asks and whoever answers.

use serde_json::{Value, json};
use toolwright_testkit::llm_upstream::{Dialect, Scenario, scenarios};

/// The text of the scenarios that have one.
const LOOK: &str = "Let me look: Zürich 🌤.";

/// What a client has to get.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    pub text: String,
    pub thinking: String,
    /// In order, where the client's dialect and the upstream's both have one.
    pub parts: Option<Vec<&'static str>>,
    pub calls: Vec<(&'static str, Value)>,
    /// Any of these.
    pub stop: Vec<&'static str>,
    pub error: Option<Fails>,
    /// Whether tokens are told.
    pub counts: bool,
}

/// An error that has to come.
#[derive(Clone, Debug)]
pub struct Fails {
    /// From which to which; nothing when it comes inside a stream.
    pub status: Option<(u16, u16)>,
    pub says: &'static str,
    pub retry_after: Option<&'static str>,
}

/// Whether an upstream of this dialect can do what the scenario is about.
pub fn exists(upstream: Dialect, key: &str) -> bool {
    let missing: &[&str] = match upstream {
        Dialect::Chat => &[],
        // Its blocks have ids, indexes and an order of their own, and it says why it stops.
        Dialect::Anthropic => &["s3", "s4", "s5", "s6", "s10", "b4"],
        Dialect::Responses => &["s3", "s5", "s6", "s10", "b4"],
        // Calls are whole here, and nothing is filtered.
        Dialect::Ollama => &["s3", "s4", "s16", "b4"],
    };
    !missing.contains(&key)
}

/// The scenarios of broken calls that every client is asked about; others have tests of their own.
const BROKEN: [&str; 6] = ["b1", "b2", "b3", "b4", "b5", "b6"];

/// The scenarios that an upstream has: the eighteen, and those of broken calls.
pub fn of(upstream: Dialect) -> Vec<Scenario> {
    let mut all = scenarios();
    let is_asked = |key: &str| key.starts_with('s') || BROKEN.contains(&key);
    all.retain(|scenario| is_asked(scenario.key) && exists(upstream, scenario.key));
    all
}

/// What a client of this dialect has to get of a scenario.
pub fn of_scenario(key: &str, front: Dialect, upstream: Dialect, is_stream: bool) -> Expected {
    let weather = ("get_weather", json!({"city": "Zürich", "days": 3}));
    let time = ("get_time", json!({"zone": "Europe/Zurich"}));
    let calls = Expected { stop: calls_stop(front), counts: true, ..Expected::default() };
    let fails = |says: &'static str| Expected {
        text: if is_stream { LOOK.into() } else { String::new() },
        error: Some(Fails { status: (!is_stream).then_some((500, 599)), says, retry_after: None }),
        ..Expected::default()
    };
    let refused = |status: u16, says: &'static str| Expected {
        error: Some(Fails {
            status: Some((status, status)),
            says,
            retry_after: (status == 429).then_some("7"),
        }),
        ..Expected::default()
    };
    // A whole answer of Chat or Ollama has text beside calls, in no order.
    let has_order = is_stream || matches!(upstream, Dialect::Anthropic | Dialect::Responses);
    match key {
        "s1" | "s13" => Expected {
            text: LOOK.into(),
            parts: Some(vec!["text", "call", "call"]),
            calls: vec![weather, time],
            ..calls
        },
        "s2" | "s4" | "s5" => {
            Expected { parts: Some(vec!["call", "call"]), calls: vec![weather, time], ..calls }
        }
        "s3" | "s6" | "s10" | "s14" | "b2" | "b5" => {
            Expected { parts: Some(vec!["call"]), calls: vec![weather], ..calls }
        }
        "s7" => Expected {
            text: format!("{LOOK}That is all."),
            parts: has_order.then(|| vec!["text", "call", "text"]),
            calls: vec![weather],
            ..calls
        },
        "s8" => {
            Expected { text: LOOK.into(), parts: Some(vec!["text", "call"]), calls: vec![weather], ..calls }
        }
        "s9" => Expected {
            text: LOOK.into(),
            thinking: "They want the weather 🤔.".into(),
            parts: Some(vec!["thinking", "text", "call"]),
            calls: vec![weather],
            ..calls
        },
        "s11" => fails(""),
        "s12" => fails("the model fell over"),
        // Nothing that can be executed: what is shown of the call, if anything, has no arguments.
        "s15" => Expected {
            text: LOOK.into(),
            stop: vec![length_stop(front)],
            counts: true,
            ..Expected::default()
        },
        "s16" => Expected {
            text: "I cannot help with that.".into(),
            stop: filter_stop(front),
            counts: true,
            ..Expected::default()
        },
        "s17" => refused(429, "this is more than the limit of requests"),
        "s18" => refused(400, "messages: at least one message is required"),
        "b1" => {
            let call = ("read_file", json!({"path": "/etc/hosts", "lines": 5}));
            Expected { parts: Some(vec!["call"]), calls: vec![call], ..calls }
        }
        "b3" => {
            let call = ("launch_rocket", json!({"to": "Mars"}));
            Expected { parts: Some(vec!["call"]), calls: vec![call], ..calls }
        }
        "b4" => Expected { text: LOOK.into(), stop: vec![stop(front)], counts: true, ..Expected::default() },
        "b6" => Expected { stop: vec![stop(front)], counts: true, ..Expected::default() },
        _ => panic!("nothing is known of {key}"),
    }
}

fn stop(front: Dialect) -> &'static str {
    match front {
        Dialect::Anthropic => "end_turn",
        Dialect::Responses => "completed",
        Dialect::Chat | Dialect::Ollama => "stop",
    }
}

fn calls_stop(front: Dialect) -> Vec<&'static str> {
    match front {
        Dialect::Anthropic => vec!["tool_use"],
        Dialect::Chat => vec!["tool_calls"],
        Dialect::Responses => vec!["completed"],
        Dialect::Ollama => vec!["stop"],
    }
}

fn length_stop(front: Dialect) -> &'static str {
    match front {
        Dialect::Anthropic => "max_tokens",
        Dialect::Responses => "incomplete: max_output_tokens",
        Dialect::Chat | Dialect::Ollama => "length",
    }
}

fn filter_stop(front: Dialect) -> Vec<&'static str> {
    match front {
        Dialect::Anthropic => vec!["refusal"],
        Dialect::Chat => vec!["content_filter"],
        Dialect::Responses => vec!["incomplete: content_filter"],
        // This dialect has no word for it.
        Dialect::Ollama => vec!["stop", "content_filter", "refusal"],
    }
}

/// What is wrong about the facts that a driver told.
pub fn faults(expected: &Expected, facts: &Value, front: Dialect, upstream: Dialect) -> Vec<String> {
    let mut faults: Vec<String> = facts["problems"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|problem| format!("problem: {problem}"))
        .collect();
    let mut differ = |what: &str, is: &Value, wanted: Value| {
        if *is != wanted {
            faults.push(format!("{what} is {is} instead of {wanted}"));
        }
    };
    let text = format!(
        "{}{}",
        facts["text"].as_str().unwrap_or_default(),
        facts["refusal"].as_str().unwrap_or_default()
    );
    differ("text", &json!(text), json!(expected.text));
    if let Some(error) = &expected.error {
        return [faults, error_faults(error, facts)].concat();
    }
    differ("the error", &facts["error"], Value::Null);
    differ("thinking", &facts["thinking"], json!(expected.thinking));
    let calls: Vec<Value> = facts["calls"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|call| !call["arguments"].is_null())
        .map(|call| json!([call["name"], call["arguments"]]))
        .collect();
    let wanted: Vec<Value> =
        expected.calls.iter().map(|(name, arguments)| json!([name, arguments])).collect();
    differ("the list of calls", &json!(calls), json!(wanted));
    let keeps_order = matches!(front, Dialect::Anthropic | Dialect::Responses);
    if let (true, Some(parts)) = (keeps_order, &expected.parts) {
        differ("the order", &facts["parts"], json!(parts));
    }
    if !expected.stop.iter().any(|stop| facts["stop"] == *stop) {
        differ("the stop reason", &facts["stop"], json!(expected.stop));
    }
    if expected.counts {
        let is_cached = front != Dialect::Ollama && upstream != Dialect::Ollama;
        let cached = if is_cached { 64 } else { 0 };
        differ("usage", &facts["usage"], json!({"input": 100, "cached": cached, "output": 20}));
    }
    faults
}

fn error_faults(expected: &Fails, facts: &Value) -> Vec<String> {
    let error = &facts["error"];
    if error.is_null() {
        return vec![format!("no error came; stop reason {}, calls {}", facts["stop"], facts["calls"])];
    }
    let mut faults = Vec::new();
    match expected.status {
        Some((least, most)) => {
            let status = error["status"].as_u64().unwrap_or(0);
            if !(u64::from(least)..=u64::from(most)).contains(&status) {
                faults.push(format!("the status is {} instead of {least}: {error}", error["status"]));
            }
        }
        None if error["in_stream"] != true => faults.push(format!("the error is not in the stream: {error}")),
        None => {}
    }
    if !error["message"].as_str().unwrap_or_default().contains(expected.says) {
        faults.push(format!("the error does not say {:?}: {error}", expected.says));
    }
    if let Some(seconds) = expected.retry_after
        && error["retry_after"] != seconds
    {
        faults.push(format!("retry-after is {}", error["retry_after"]));
    }
    let is_executable = |call: &Value| !call["arguments"].is_null();
    let in_stream = expected.status.is_none();
    if in_stream && facts["stop"].is_string() {
        faults.push(format!("a dead stream has the stop reason {}", facts["stop"]));
    }
    if !in_stream && facts["calls"].as_array().into_iter().flatten().any(is_executable) {
        faults.push(format!("there are calls: {}", facts["calls"]));
    }
    faults
}
