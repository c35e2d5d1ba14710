//! The house that is spoken to: sentences in, tool calls, answers that can be said aloud out.
//!
//! A front (MQTT, Hermes, Wyoming) turns bytes into a [`Transcript`] and hands it to the
//! [`BackgroundTranscriber`], which never makes it wait. What is certain is done at once by the one
//! `ToolExecutor`; everything else goes to a [`Mind`]. What the voice may do and what it has to ask for first
//! is the [`VoicePolicy`]. Every answer is
//! `toolwright_speech::speakable`.
//!
//! This crate knows no MCP server and no model: tools are names in the registry, a model is a [`Mind`].
//!
//! Start with [`Voice::start`], [`BackgroundTranscriber`] and [`Mind`].

mod transcript;

mod fronts;
mod mqtt;

pub mod broker;
pub mod knock;

mod addressing;
mod confirm;
mod devices;
mod guarded;
mod limits;
mod mind;
mod policy;
mod question;
mod status;
mod transcriber;
mod view;
mod voice;

pub use limits::Limits;
pub use mind::{HeldCall, Mind, MindError, Thinking, Thought, Words};
pub use policy::{Guard, KnownDevices, Verdict, VoicePolicy};
pub use status::{Drop, Status};
pub use transcriber::{BackgroundTranscriber, TranscriberOptions};
pub use transcript::{Answer, AnswerKind, Delivery, Ear, Transcript};
pub use view::{FrontState, FrontView, VoiceView};
pub use voice::{Voice, VoiceOptions};
