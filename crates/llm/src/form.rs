//! What every dialect is read into and written from.
//!
//! What all dialects know is typed. What only one knows is carried as it stood (`extra`, [`Block::Other`]), and is
//! written again where the same dialect is spoken. JSON that is only carried stays text: numbers, order and white
//! space of schemas, arguments and unknown members survive.

mod arguments;
mod call_ids;
mod effort;
mod event;
mod request;
mod response;
pub mod signature;

pub use arguments::UNREADABLE;
pub use call_ids::CallIds;
pub use event::Event;
pub use request::{
    Arguments, Block, Call, Effort, Format, Media, MediaKind, MediaSource, Members, Message, Reasoning,
    Request, Role, Text, Thinking, Tool, ToolChoice, ToolResult,
};
pub use response::{Response, Stop, Usage};
