//! Messages that two readers could understand differently are refused (parser differentials).

use crate::scripted::*;
use http::StatusCode;

/// What is wrong with one message, and the code it is refused with.
fn envelopes() -> Vec<(String, i64)> {
    let mut cases: Vec<(String, i64)> = [
        ("", -32700),
        ("{", -32700),
        ("nonsense", -32700),
        ("{}x", -32700),
        ("{'jsonrpc':'2.0'}", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",}", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":01,\"method\":\"ping\"}", -32700),
        ("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\u{1}ng\"}", -32700),
        ("/* c */{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", -32700),
        ("\u{feff}{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}", -32700),
        ("1", -32600),
        ("\"ping\"", -32600),
        ("null", -32600),
        ("true", -32600),
        ("{}", -32600),
        ("[]", -32600),
        ("[1]", -32600),
        ("[[]]", -32600),
    ]
    .into_iter()
    .map(|(text, code)| (text.to_owned(), code))
    .collect();
    let members = [
        // No version, or another.
        r#""id":1,"method":"ping""#,
        r#""jsonrpc":"1.0","id":1,"method":"ping""#,
        r#""jsonrpc":2.0,"id":1,"method":"ping""#,
        r#""jsonrpc":"2.0 ","id":1,"method":"ping""#,
        r#""JSONRPC":"2.0","id":1,"method":"ping""#,
        // Ids that are none.
        r#""jsonrpc":"2.0","id":null,"method":"ping""#,
        r#""jsonrpc":"2.0","id":true,"method":"ping""#,
        r#""jsonrpc":"2.0","id":[1],"method":"ping""#,
        r#""jsonrpc":"2.0","id":{},"method":"ping""#,
        // Methods that are none.
        r#""jsonrpc":"2.0","id":1"#,
        r#""jsonrpc":"2.0","id":1,"method":null"#,
        r#""jsonrpc":"2.0","id":1,"method":["ping"]"#,
        r#""jsonrpc":"2.0","id":1,"method":"ping","params":"x""#,
        r#""jsonrpc":"2.0","id":1,"method":"ping","params":5"#,
        r#""jsonrpc":"2.0","id":1,"method":"ping","result":{}"#,
        r#""jsonrpc":"2.0","id":1,"method":"ping","error":{"code":1,"message":"x"}"#,
        r#""jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"x"}"#,
        r#""jsonrpc":"2.0","result":{}"#,
    ];
    cases.extend(members.map(|members| (format!("{{{members}}}"), -32600)));
    let whole = [("jsonrpc", "\"2.0\""), ("id", "1"), ("method", "\"ping\""), ("params", "{}")];
    let written = |members: &[(String, &str)]| {
        let members: Vec<String> = members.iter().map(|(key, value)| format!("\"{key}\":{value}")).collect();
        format!("{{{}}}", members.join(","))
    };
    let usual: Vec<(String, &str)> = whole.iter().map(|(key, value)| ((*key).to_owned(), *value)).collect();
    for (at, (key, value)) in whole.iter().enumerate() {
        // The same key twice, before and behind, plain and escaped.
        let escaped = format!("\\u{:04x}{}", u32::from(key.as_bytes()[0]), &key[1..]);
        for again in [(*key).to_owned(), escaped] {
            let mut members = usual.clone();
            members.push((again.clone(), value));
            cases.push((written(&members), -32600));
            let mut members = usual.clone();
            members.insert(0, (again, value));
            cases.push((written(&members), -32600));
        }
        // Spellings that a reader without an eye for case takes for the key: beside it, and instead of it.
        let capital = format!("{}{}", key[..1].to_uppercase(), &key[1..]);
        let mut spellings = vec![key.to_uppercase(), capital];
        if key.contains('s') {
            spellings.push(key.replace('s', "\u{17f}"));
        }
        if key.contains('i') {
            spellings.push(key.replace('i', "\u{131}"));
        }
        for spelling in spellings {
            let mut members = usual.clone();
            members.push((spelling.clone(), value));
            cases.push((written(&members), -32600));
            let mut members = usual.clone();
            members[at].0 = spelling;
            cases.push((written(&members), -32600));
        }
    }
    for spelling in ["Result", "RESULT", "re\u{17f}ult", "Error", "ERROR"] {
        let mut members = usual.clone();
        members.push((spelling.to_owned(), "{}"));
        cases.push((written(&members), -32600));
    }
    let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
    cases.push((format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"a":{deep}}}}}"#), -32600));
    cases
}

#[tokio::test]
async fn an_envelope_is_read_by_its_exact_keys_in_both_eras() {
    let house = House::new();
    let token = house.initialize("2025-11-25", "{}").await;
    let cases = envelopes();
    assert!(cases.len() > 70, "{}", cases.len());
    for (text, code) in cases {
        for headers in
            [vec![("mcp-session-id", token.as_str())], vec![("mcp-protocol-version", "2026-07-28")]]
        {
            let response = house.post(&headers, &text).await;
            assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{text}");
            assert_eq!(error_code(&body_json(response).await), Some(code), "{text}");
        }
    }
    assert!(house.service.seen().is_empty());
    assert!(house.service.notified.lock().unwrap().is_empty());
    let response = house.send(
        http::Request::post("/mcp")
            .header("content-type", "application/json")
            .body(bytes::Bytes::from_static(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}"))
            .unwrap(),
    );
    assert_eq!(error_code(&body_json(response.await).await), Some(-32700));
}

/// Params of `tools/call` that could be read in two ways.
fn params() -> Vec<String> {
    let mut cases = Vec::new();
    for (key, value) in [("name", "\"echo\""), ("arguments", "{}"), ("_meta", "{}"), ("uri", "\"x\"")] {
        let upper = key.to_uppercase();
        let mut other = vec![upper];
        other.push(format!("{}{}", key[..2].to_uppercase(), &key[2..]));
        if key.contains('s') {
            other.push(key.replace('s', "\u{17f}"));
        }
        for other in other {
            cases.push(format!(r#"{{"name":"echo","{other}":{value}}}"#));
            cases.push(format!(r#"{{"{other}":{value},"name":"echo"}}"#));
        }
        cases.push(format!(r#"{{"{key}":{value},"x":1,"{key}":{value}}}"#));
        cases.push(format!(r#"{{"{key}":{value},"\u{:04x}{}":{value}}}"#, key.as_bytes()[0], &key[1..]));
    }
    for key in ["cursor", "requestState", "inputResponses", "protocolVersion", "level", "requestId"] {
        cases.push(format!(r#"{{"name":"echo","{}":"x"}}"#, key.to_uppercase()));
        cases.push(format!(r#"{{"name":"echo","{key}":"x","{key}":"y"}}"#));
    }
    for meta in [
        r#"{"progressToken":1,"progressToken":2}"#,
        r#"{"progresstoken":1}"#,
        r#"{"PROGRESSTOKEN":1}"#,
        "{\"progre\u{17f}sToken\":1}",
        r#"{"a/b":1,"a/b":1}"#,
        r#"{"IO.modelcontextprotocol/protocolVersion":"2026-07-28"}"#,
        r#"{"io.modelcontextprotocol/protocolversion":"2026-07-28"}"#,
        r#"{"io.modelcontextprotocol/clientcapabilities":{}}"#,
        r#"{"io.modelcontextprotocol/loglevel":"debug"}"#,
        "[]",
        "\"x\"",
        "5",
    ] {
        cases.push(format!(r#"{{"name":"echo","_meta":{meta}}}"#));
    }
    cases.push("[]".to_owned());
    cases.push(r#"["echo"]"#.to_owned());
    cases
}

#[tokio::test]
async fn params_are_read_by_their_exact_keys() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let cases = params();
    assert!(cases.len() > 45, "{}", cases.len());
    for text in cases {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{text}}}"#);
        let said = body_json(house.legacy(&token, &message).await).await;
        assert_eq!(error_code(&said), Some(-32602), "{text}");
        assert_eq!(said.get("id").unwrap().as_str(), "1");
    }
    assert!(house.service.seen().is_empty());
}

#[tokio::test]
async fn modern_params_are_read_by_their_exact_keys() {
    let house = House::new();
    let meta = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}"#;
    let headers =
        [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"), ("mcp-name", "echo")];
    for params in [
        format!(r#"{{"name":"echo","name":"evil","_meta":{{{meta}}}}}"#),
        format!(r#"{{"name":"echo","Name":"evil","_meta":{{{meta}}}}}"#),
        format!(r#"{{"name":"echo","_meta":{{{meta}}},"_meta":{{{meta}}}}}"#),
        format!(r#"{{"name":"echo","_Meta":{{}},"_meta":{{{meta}}}}}"#),
        format!(
            r#"{{"name":"echo","_meta":{{{meta},"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}}}"#
        ),
        format!(
            r#"{{"name":"echo","_meta":{{{meta},"io.modelcontextprotocol/ProtocolVersion":"2025-11-25"}}}}"#
        ),
        format!(
            r#"{{"name":"echo","_meta":{{{meta},"io.modelcontextprotocol/clientCapabilities":{{"roots":{{}}}}}}}}"#
        ),
        format!(r#"{{"name":"echo","requestState":"a","requestState":"b","_meta":{{{meta}}}}}"#),
    ] {
        let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
        let response = house.post(&headers, &message).await;
        assert_eq!(response.status(), StatusCode::BAD_REQUEST, "{params}");
        assert_eq!(error_code(&body_json(response).await), Some(-32602), "{params}");
    }
    assert!(house.service.seen().is_empty());
}

#[tokio::test]
async fn many_keys_cost_no_more_than_their_number() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    let many: Vec<String> = (0..150_000).map(|at| format!("\"Key{at}\":1")).collect();
    let many = many.join(",");
    let begin = std::time::Instant::now();
    let params =
        format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"echo",{many}}}}}"#);
    assert_eq!(house.legacy(&token, &params).await.status(), StatusCode::OK);
    let twice = params.replace("Key149999", "Key1");
    assert_eq!(error_code(&body_json(house.legacy(&token, &twice).await).await), Some(-32602));
    let envelope = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping",{many}}}"#);
    assert_eq!(house.legacy(&token, &envelope).await.status(), StatusCode::OK);
    let twice = envelope.replace("Key149999", "Key1");
    assert_eq!(error_code(&body_json(house.legacy(&token, &twice).await).await), Some(-32600));
    // Every pair of keys compared would take minutes.
    assert!(begin.elapsed() < std::time::Duration::from_secs(15), "{:?}", begin.elapsed());
}

#[tokio::test]
async fn what_is_no_key_of_the_protocol_goes_on_as_it_is() {
    let house = House::new();
    let token = house.initialize("2025-06-18", "{}").await;
    // Arguments are the tool's own, and so are keys that nobody could take for another.
    let params = r#"{ "name": "echo", "arguments": {"Name":1,"name":2,"a":1.0,"a":2}, "x-Vendor": 1e400, "_meta": {"v/Key":1} }"#;
    let message = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params},"trace":1}}"#);
    let said = body_json(house.legacy(&token, &message).await).await;
    assert!(said.get("result").is_some(), "{said}");
    assert_eq!(house.service.last().params.unwrap().as_str(), params);
}
