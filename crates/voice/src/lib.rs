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
//!
//! # Files
//!
//! In the order data flows; what is said, as data, is the crate `speech`:
//!
//! | where | what |
//! |---|---|
//! | `fronts.rs`, `fronts/` | the ways in, one file each: `mqtt`, `hermes`, `wyoming`; `repeats` knows what came before |
//! | `mqtt.rs`, `mqtt/` | the connection to a broker: one task that polls, both revisions (`wire`), who we are (`address`); one attempt that leaves no trace (`hear`) |
//! | `knock.rs` | whether a broker lets us in and whose a port is, for the doctor |
//! | `broker.rs`, `broker/` | the broker inside: `packets` of both revisions, `router`, one `client`, `topics` |
//! | `transcript.rs`, `transcriber.rs`, `transcriber/` | what was said and what is said back; `queue` (who is next), `handle` (one transcript) |
//! | `devices.rs` | the devices, asked for and kept for a while |
//! | `policy.rs`, `confirm.rs` | what the voice may do; spoken questions |
//! | `mind.rs` | what answers the rest |
//! | `voice.rs`, `status.rs`, `view.rs`, `limits.rs` | all of it, begun together; what is counted and shown; every number |

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
