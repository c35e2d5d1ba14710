//! The meta-tools: a few tools through which a model finds, opens and uses all others.
//!
//! Everything here is text in and text out. What the tools are called, what they take and what they answer
//! when a call is wrong is the contract of `use_tool` and its companions; [`texts`] holds its sentences.
//!
//! Start with [`definitions`], [`read_use_tool`] and [`Known`].

mod contract;
mod definitions;
mod envelope;
mod example;
mod flattened;
mod instructions;
mod known;
mod names;
mod pretty;
mod read;
mod reading;
mod responses;
pub mod texts;
mod use_tool;

pub use crate::identifier::Identifier;
pub use definitions::{
    CLOSE_TOOLBOX, DEFAULT_FOUND, LIST_TOOLBOXES, MAX_FOUND, OPEN_TOOLBOX, SEARCH_TOOLS, USE_TOOL,
    definitions,
};
pub use instructions::{ToolboxSummary, instructions};
pub use known::Known;
pub use read::{SearchCall, ToolboxCall, read_close, read_open, read_search};
pub use responses::{Found, ListedToolbox, ServerError, closed, found, listed, opened};
pub use use_tool::{UseTool, read_use_tool, read_use_tool_strictly};
