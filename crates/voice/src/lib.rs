//! Voice control: sentences in, tool calls, spoken answers out.
//!
//! A front (MQTT, Hermes, Wyoming) turns bytes into a [`Transcript`] and passes it to the
//! [`BackgroundTranscriber`], which never blocks it. The `ToolExecutor` runs recognized commands at once;
//! everything else goes to a [`Mind`]. The [`VoicePolicy`] decides what the voice may do and what needs a
//! confirmation. Every answer passes `toolwright_speech::speakable`.
//!
//! This crate knows no MCP server and no model: tools are names in the registry, a model is a [`Mind`].
//!
//! Start with [`Voice::start`], [`BackgroundTranscriber`] and [`Mind`].
//!
//! # Files
//!
//! In the order data flows; the crate `speech` holds the pure functions over text:
//!
//! | where | what |
//! |---|---|
//! | `fronts.rs`, `fronts/` | the front ends, one file each: `mqtt`, `hermes`, `wyoming`; `repeats` detects
//! repeated messages |
//! | `mqtt.rs`, `mqtt/` | the connection to a broker: one polling task, both revisions (`wire`), address
//! and credentials (`address`); a connection attempt without side effects (`attempt`) |
//! | `knock.rs` | broker and port probes for the doctor |
//! | `broker.rs`, `broker/` | the built-in broker: `packets` of both revisions, `router`, one `client`,
//! `topics` |
//! | `transcript.rs`, `transcriber.rs`, `transcriber/` | sentence and answer; `queue` (scheduling),
//! `handle` (one transcript) |
//! | `devices.rs` | the cached device list |
//! | `policy.rs`, `confirm.rs` | permissions of the voice; open spoken questions |
//! | `mind.rs` | the interface to the model |
//! | `voice.rs`, `status.rs`, `view.rs`, `limits.rs` | startup of all parts; counters and status; every
//! limit |

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
