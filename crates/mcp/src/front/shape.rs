//! The fields that only one era has.

use toolwright_base::off_async;
use toolwright_jsonrpc::{ErrorObject, INTERNAL_ERROR, Json, ObjectWriter};

use crate::peer::SERVER;

/// Whether a client may keep the result of a method for a while.
fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "server/discover"
    )
}

/// What a result lacks to be one of the modern era.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Lacks {
    /// It does not say of what kind it is: it came from a legacy server then.
    pub kind: bool,
    ttl: bool,
    scope: bool,
}

/// What a result lacks; `None` when it is whole.
pub(super) fn lacks(method: &str, result: &Json) -> Option<Lacks> {
    let members = off_async(result.as_str().len(), || result.members())?;
    let get = |key: &str| members.iter().find(|member| member.key == key).map(|member| member.value);
    let kind = get("resultType");
    let is_kept = is_cacheable(method) && kind.is_none_or(|kind| kind == "\"complete\"");
    let lacks = Lacks {
        kind: kind.is_none(),
        ttl: is_kept && get("ttlMs").is_none(),
        scope: is_kept && get("cacheScope").is_none(),
    };
    (lacks.kind || lacks.ttl || lacks.scope).then_some(lacks)
}

/// A result, and what is written at its end besides: lists may be large, and are not copied for a few words.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Shaped {
    pub result: Json,
    /// Members, with the comma before them where there are others.
    pub more: String,
}

impl From<Json> for Shaped {
    fn from(result: Json) -> Shaped {
        Shaped { result, more: String::new() }
    }
}

/// A result for a modern client: with what it lacks.
pub(super) fn modern_result(result: Json, lacks: Lacks, server: Option<&Json>, ttl_ms: u64) -> Shaped {
    off_async(result.as_str().len(), || completed(result, lacks, server, ttl_ms))
}

fn completed(result: Json, lacks: Lacks, server: Option<&Json>, ttl_ms: u64) -> Shaped {
    let mut more = ObjectWriter::default();
    let mut result = result;
    if let Some(server) = server.filter(|_| lacks.kind) {
        match result.get("_meta") {
            Some(meta) if meta.get(SERVER).is_some() => {}
            Some(meta) => result = result.replaced("_meta", &meta.with(SERVER, server)),
            None => more.value("_meta", &Json::empty_object().with(SERVER, server)),
        }
    }
    if lacks.kind {
        more.text("resultType", "complete");
    }
    if lacks.ttl {
        more.number("ttlMs", ttl_ms);
    }
    if lacks.scope {
        more.text("cacheScope", "private");
    }
    let has_members = result.as_str()[1..].trim_ascii_start().starts_with('"');
    let comma = if has_members { "," } else { "" };
    let more = more.finish();
    let members = &more.as_str()[1..more.as_str().len() - 1];
    Shaped { result, more: format!("{comma}{members}") }
}

/// An outcome for a legacy client: without what it does not know.
pub(super) fn legacy(method: &str, outcome: Result<Json, ErrorObject>) -> Result<Json, ErrorObject> {
    let result = outcome?;
    off_async(result.as_str().len(), || legacy_result(method, result))
}

fn legacy_result(method: &str, result: Json) -> Result<Json, ErrorObject> {
    let text = result.as_str();
    let is_typed = text.contains("\"resultType\"");
    let is_kept = is_cacheable(method) && (text.contains("\"ttlMs\"") || text.contains("\"cacheScope\""));
    if !is_typed && !is_kept {
        return Ok(result);
    }
    let Some(members) = result.members() else { return Ok(result) };
    let kind = members.iter().find(|member| member.key == "resultType").map(|member| member.value);
    if kind == Some("\"input_required\"") {
        // The service asks a legacy client by its own way, so this must not happen.
        let said = "the server wants an answer of the client in a way that this client does not know";
        return Err(ErrorObject::new(INTERNAL_ERROR, said));
    }
    let is_foreign = |key: &str| match key {
        "resultType" => true,
        "ttlMs" | "cacheScope" => kind.is_some() || is_cacheable(method),
        _ => false,
    };
    if !members.iter().any(|member| is_foreign(&member.key)) {
        return Ok(result);
    }
    let mut out = ObjectWriter::with_capacity(text.len());
    for member in members.iter().filter(|member| !is_foreign(&member.key)) {
        out.member(member);
    }
    Ok(out.finish())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::front::task::answer_line;

    fn json(text: &str) -> Json {
        Json::parse(text).unwrap()
    }

    #[test]
    fn a_modern_client_gets_what_every_result_of_its_era_has() {
        let server = json(r#"{"name":"s","version":"1"}"#);
        let named = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}}"#;
        for (method, result, expected) in [
            (
                "tools/call",
                r#"{"content":[ 1.0 ]}"#,
                format!(r#"{{"content":[ 1.0 ],{named},"resultType":"complete"}}"#),
            ),
            (
                "tools/list",
                r#"{"tools":[]}"#,
                format!(r#"{{"tools":[],{named},"resultType":"complete","ttlMs":7,"cacheScope":"private"}}"#),
            ),
            ("tools/call", "{ }", format!(r#"{{ {named},"resultType":"complete"}}"#)),
            ("tools/call", "{\n\"a\" : 1\r\n}", format!(r#"{{ "a" : 1  ,{named},"resultType":"complete"}}"#)),
            (
                "tools/list",
                r#"{"resultType":"complete","tools":[],"ttlMs":1}"#,
                r#"{"resultType":"complete","tools":[],"ttlMs":1,"cacheScope":"private"}"#.to_owned(),
            ),
            (
                "tools/call",
                r#"{"_meta":{"a":1},"content":[]}"#,
                r#"{"_meta":{"a":1,"io.modelcontextprotocol/serverInfo":{"name":"s","version":"1"}},"content":[],"resultType":"complete"}"#
                    .to_owned(),
            ),
        ] {
            let result = json(result);
            let lacks = lacks(method, &result).unwrap();
            let shaped = modern_result(result.clone(), lacks, Some(&server), 7);
            let line = answer_line(None, Ok(shaped));
            assert_eq!(line, format!(r#"{{"jsonrpc":"2.0","id":null,"result":{expected}}}"#));
        }
    }

    #[test]
    fn a_result_of_the_same_era_keeps_its_text() {
        for (method, text) in [
            ("tools/call", r#"{ "content": [], "resultType" : "complete" }"#),
            ("resources/read", r#"{"resultType":"input_required","requestState":"x"}"#),
        ] {
            assert_eq!(lacks(method, &json(text)), None, "{text}");
        }
        let text = r#"{ "content": [{"resultType":"mine"}], "ttlMs": "vendor" }"#;
        assert_eq!(legacy("tools/call", Ok(json(text))).unwrap().as_str(), text);
    }

    #[test]
    fn a_legacy_client_gets_nothing_of_the_other_era() {
        for (method, text, expected) in [
            ("tools/call", r#"{"resultType":"complete","content":[1.0]}"#, r#"{"content":[1.0]}"#),
            ("tools/list", r#"{"tools":[],"ttlMs":0,"cacheScope":"private"}"#, r#"{"tools":[]}"#),
            ("tools/list", r#"{"resultType":"complete","ttlMs":0,"tools":[]}"#, r#"{"tools":[]}"#),
        ] {
            assert_eq!(legacy(method, Ok(json(text))).unwrap().as_str(), expected);
        }
        let asked = json(r#"{"resultType":"input_required","inputRequests":{}}"#);
        assert_eq!(legacy("tools/call", Ok(asked)).unwrap_err().number(), Some(INTERNAL_ERROR));
    }
}
