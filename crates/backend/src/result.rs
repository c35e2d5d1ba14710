//! What a server answers to a call, turned into what the executor takes.

use toolwright_base::off_async;
use toolwright_executor::{ToolFailure, ToolOutput};
use toolwright_jsonrpc::Json;

/// Reads the result of `tools/call`. The text is for models and people; the response is kept with it.
pub fn read(result: &Json) -> Result<ToolOutput, ToolFailure> {
    off_async(result.as_str().len(), || read_here(result))
}

fn read_here(result: &Json) -> Result<ToolOutput, ToolFailure> {
    if result.members().is_none() {
        let message = format!("the server's answer is no result of a tool: {}", result.as_str());
        return Err(ToolFailure::tool(message));
    }
    let text = text_of(result);
    if result.get("isError").is_some_and(|is_error| is_error.as_str() == "true") {
        let message = if text.is_empty() { "the tool failed without a word".to_owned() } else { text };
        return Err(ToolFailure::Tool { message, response: Some(Box::new(Ok(result.clone()))) });
    }
    Ok(ToolOutput {
        text,
        structured: structured(result).map(|structured| structured.as_str().to_owned()),
        response: Some(result.clone()),
    })
}

/// The result for a client: the server's own, or that of a built-in tool as a server would write it.
pub fn write(output: ToolOutput) -> Json {
    if let Some(response) = output.response {
        return response;
    }
    let result = text_block(&output.text);
    match output.structured.as_ref().and_then(|structured| Json::parse(structured).ok()) {
        Some(structured) => result.with("structuredContent", &structured),
        None => result,
    }
}

/// The result of a call that has none, for the model to read.
pub fn failed(text: &str) -> Json {
    text_block(text).with("isError", &Json::yes())
}

fn text_block(text: &str) -> Json {
    let block = Json::empty_object().with("type", &Json::text("text")).with("text", &Json::text(text));
    Json::empty_object().with("content", &Json::list(&[block]))
}

fn structured(result: &Json) -> Option<Json> {
    result.get("structuredContent").filter(|structured| structured.as_str() != "null")
}

/// The text of all blocks, one below the other. A result without any is told by its structure.
fn text_of(result: &Json) -> String {
    let blocks = result.get("content").and_then(|content| content.items()).unwrap_or_default();
    let texts: Vec<String> = blocks.iter().map(block).collect();
    if !texts.is_empty() {
        return texts.join("\n");
    }
    let told = structured(result).or_else(|| result.get("toolResult"));
    told.map(|told| told.to_text().unwrap_or_else(|| told.as_str().to_owned())).unwrap_or_default()
}

/// One block of content in words; what is no text is named with its kind and size.
fn block(block: &Json) -> String {
    let kind = block.get_text("type").unwrap_or_default();
    let said = |key: &str| block.get_text(key).unwrap_or_default();
    match kind.as_str() {
        "text" => block.get_text("text").unwrap_or_else(|| block.as_str().to_owned()),
        "image" | "audio" => {
            format!("[{kind}: {}, {} bytes as base64]", said("mimeType"), said("data").len())
        }
        "resource_link" => format!("[{}: {}]", said("name"), said("uri")),
        "resource" => {
            let resource = block.get("resource").unwrap_or_else(Json::empty_object);
            let uri = resource.get_text("uri").unwrap_or_default();
            match (resource.get_text("text"), resource.get_text("blob")) {
                (Some(text), _) => text,
                (None, Some(blob)) => format!("[{uri}: {} bytes as base64]", blob.len()),
                (None, None) => format!("[{uri}]"),
            }
        }
        // A kind that we do not know is shown as it is.
        _ => block.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<ToolOutput, ToolFailure> {
        read(&Json::parse(text).expect("JSON"))
    }

    #[test]
    fn blocks_become_text_and_the_response_stays() {
        let result = r#"{"content":[{"type":"text","text":"a"},{"type":"image","mimeType":"image/png","data":"AAAA"},
            {"type":"resource_link","name":"n","uri":"u://x"},{"type":"resource","resource":{"uri":"u","text":"t"}},
            {"type":"resource","resource":{"uri":"u","blob":"AA=="}},{"type":"video","x":1}],
            "structuredContent":{"n":1.0},"_meta":{"v":1}}"#;
        let output = read_text(result).expect("no error");
        assert_eq!(
            output.text,
            "a\n[image: image/png, 4 bytes as base64]\n[n: u://x]\nt\n[u: 4 bytes as base64]\n{\"type\":\"video\",\"x\":1}"
        );
        assert_eq!(output.structured.as_deref(), Some(r#"{"n":1.0}"#));
        assert_eq!(output.response.as_ref().map(Json::as_str), Some(result));
    }

    #[test]
    fn an_error_keeps_the_servers_words() {
        for (result, message) in [
            (r#"{"content":[{"type":"text","text":"no such device"}],"isError":true}"#, "no such device"),
            (r#"{"content":[],"isError":true}"#, "the tool failed without a word"),
        ] {
            let response = Json::parse(result).ok().map(|result| Box::new(Ok(result)));
            assert_eq!(read_text(result), Err(ToolFailure::Tool { message: message.to_owned(), response }));
        }
    }

    #[test]
    fn a_result_without_blocks_is_told_by_its_structure() {
        assert_eq!(
            read_text(r#"{"content":[],"structuredContent":{"a":1}}"#).expect("ok").text,
            r#"{"a":1}"#
        );
        assert_eq!(read_text(r#"{"toolResult":"old"}"#).expect("ok").text, "old");
        assert_eq!(read_text("{}").expect("ok").text, "");
        let no_text = r#"{"type":"text","text":5}"#;
        assert_eq!(read_text(&format!(r#"{{"content":[{no_text}]}}"#)).expect("ok").text, no_text);
        for no_result in ["null", "\"hello\"", "[1]"] {
            let error = read_text(no_result).expect_err("no result").to_string();
            assert_eq!(error, format!("the server's answer is no result of a tool: {no_result}"));
        }
    }
}
