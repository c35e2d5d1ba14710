//! How many tokens a request has, where the upstream does not count: carefully for who asks, quickly for who only waits.

mod media;
mod text;

use crate::dialects::namespace::is_namespace;
use crate::form::{Arguments, Block, Format, Media, Request, Text};

/// What stands around a conversation.
const REQUEST_TOKENS: u64 = 3;
/// What stands around a message.
const MESSAGE_TOKENS: u64 = 4;
/// What stands around a tool's definition.
const TOOL_TOKENS: u64 = 10;
/// What stands around a call.
const CALL_TOKENS: u64 = 8;
/// What stands around a result.
const RESULT_TOKENS: u64 = 6;

/// How many tokens a request has, for `count_tokens`: everything that a model reads, with images by their size.
pub fn count(request: &Request) -> u64 {
    sum(request, &Careful)
}

/// About how many tokens a request has, for `message_start`. Looks at lengths only.
pub fn estimate(request: &Request) -> u64 {
    sum(request, &Quick)
}

/// How many tokens a tool's definition takes in every request that offers it.
pub fn of_tool(name: &str, description: &str, schema: &str) -> u64 {
    TOOL_TOKENS + text::count(name) + text::count(description) + text::count(schema)
}

/// A way to count.
trait Count {
    fn text(&self, text: &str) -> u64;
    fn media(&self, media: &Media) -> u64;
}

struct Careful;

struct Quick;

impl Count for Careful {
    fn text(&self, text: &str) -> u64 {
        text::count(text)
    }

    fn media(&self, media: &Media) -> u64 {
        media::count(media, text::count)
    }
}

impl Count for Quick {
    fn text(&self, text: &str) -> u64 {
        (text.len() as u64).div_ceil(4)
    }

    fn media(&self, media: &Media) -> u64 {
        media::estimate(media)
    }
}

fn sum(request: &Request, how: &impl Count) -> u64 {
    let optional = |text: Option<&str>| text.map_or(0, |text| how.text(text));
    let system: u64 = request.system.iter().map(|Text { text, .. }| how.text(text)).sum();
    let tools: u64 = request
        .tools
        .iter()
        .map(|tool| {
            let schema = tool.schema.as_ref().map(|schema| schema.as_str());
            TOOL_TOKENS + how.text(&tool.name) + optional(tool.description.as_deref()) + optional(schema)
        })
        .sum();
    // The tools of a namespace are counted one by one.
    let served = request.server_tools.iter().filter(|tool| !is_namespace(tool));
    let served: u64 = served.map(|tool| TOOL_TOKENS + how.text(tool.as_str())).sum();
    let messages: u64 =
        request.messages.iter().map(|message| MESSAGE_TOKENS + blocks(&message.blocks, how)).sum();
    let format = match &request.format {
        Some(Format::Schema { schema, .. }) => how.text(schema.as_str()),
        Some(Format::Json) | None => 0,
    };
    let around_system = if request.system.is_empty() { 0 } else { MESSAGE_TOKENS };
    REQUEST_TOKENS + around_system + system + tools + served + messages + format
}

fn blocks(all: &[Block], how: &impl Count) -> u64 {
    all.iter().map(|block| one(block, how)).sum()
}

fn one(block: &Block, how: &impl Count) -> u64 {
    match block {
        Block::Text(Text { text, .. }) | Block::Refusal(text) => how.text(text),
        Block::Media(media) => how.media(media),
        // Signatures are not read by models.
        Block::Thinking(thinking) => how.text(&thinking.text),
        Block::Call(call) => {
            let arguments = match &call.arguments {
                Arguments::Object(json) => json.as_str(),
                Arguments::Text(text) => text,
            };
            CALL_TOKENS + how.text(&call.name) + how.text(arguments)
        }
        Block::Result(result) => RESULT_TOKENS + blocks(&result.blocks, how),
        Block::Other { raw, .. } => how.text(raw.as_str()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::form::{Call, MediaKind, MediaSource, Message, Role, Thinking, Tool, ToolResult};
    use toolwright_jsonrpc::Json;

    fn said(blocks: Vec<Block>) -> Request {
        let message = Message { role: Role::User, blocks, extra: Vec::new() };
        Request { messages: vec![message], ..Request::default() }
    }

    fn words(text: &str) -> Block {
        Block::Text(Text { text: text.to_owned(), extra: Vec::new() })
    }

    #[test]
    fn everything_that_a_model_reads_is_counted() {
        let empty = said(vec![]);
        let with = |change: &dyn Fn(&mut Request)| {
            let mut request = empty.clone();
            change(&mut request);
            (count(&request) - count(&empty), estimate(&request) - estimate(&empty))
        };
        let long = "several words that say something ".repeat(10);
        let json = Json::text(&long);
        let block = |block: Block| with(&move |request| request.messages[0].blocks.push(block.clone()));
        let plain = block(words(&long));
        assert!(plain.0 > 40 && plain.1 > 40);
        for (what, (counted, estimated)) in [
            ("system", with(&|request| request.system.push(Text { text: long.clone(), extra: Vec::new() }))),
            ("refusal", block(Block::Refusal(long.clone()))),
            ("thinking", block(Block::Thinking(Thinking { text: long.clone(), ..Thinking::default() }))),
            (
                "call",
                block(Block::Call(Call {
                    id: None,
                    name: "t".to_owned(),
                    arguments: Arguments::Text(long.clone()),
                    extra: Vec::new(),
                })),
            ),
            (
                "result",
                block(Block::Result(ToolResult {
                    call_id: None,
                    name: None,
                    blocks: vec![words(&long)],
                    is_error: false,
                    extra: Vec::new(),
                })),
            ),
            (
                "tool",
                with(&|request| {
                    request.tools.push(Tool {
                        name: "t".to_owned(),
                        description: Some(long.clone()),
                        schema: Some(Json::empty_object()),
                        strict: None,
                        extra: Vec::new(),
                    });
                }),
            ),
            ("server tool", with(&|request| request.server_tools.push(json.clone()))),
            (
                "format",
                with(&|request| {
                    request.format = Some(Format::Schema { name: None, schema: json.clone(), strict: None });
                }),
            ),
        ] {
            assert!(counted >= plain.0 && counted < plain.0 + 20, "{what} {counted} {}", plain.0);
            assert!(estimated >= plain.1 && estimated < plain.1 + 20, "{what} {estimated} {}", plain.1);
        }
    }

    #[test]
    fn signatures_and_data_are_no_text() {
        let thinking = Thinking { signature: Some("x".repeat(10_000)), ..Thinking::default() };
        assert_eq!(count(&said(vec![Block::Thinking(thinking)])), count(&said(vec![])));
        let image = Media {
            kind: MediaKind::Image,
            source: MediaSource::Base64 { media_type: "image/png".to_owned(), data: "A".repeat(5_000_000) },
            name: None,
            extra: Vec::new(),
        };
        let request = said(vec![Block::Media(image)]);
        assert!(count(&request) < 2000 && estimate(&request) < 2000);
    }

    #[test]
    fn an_estimate_is_near_a_count() {
        let request = said(vec![words(&"The quick brown fox jumps over the lazy dog. ".repeat(100))]);
        let (counted, estimated) = (count(&request) as f64, estimate(&request) as f64);
        assert!((counted - estimated).abs() / counted < 0.25, "{counted} {estimated}");
    }
}
