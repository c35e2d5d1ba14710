//! Speech as data: parsing of messages and sentences, and speakable texts.
//!
//! Everything here is a pure function: no runtime, no network, no clock, no tools. `toolwright-voice` does
//! the I/O.
//!
//! Start with [`read_payload`], [`read_intent`] and [`speakable`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `messages/` | parsing of messages and events, one file per protocol |
//! | `intents/`, `devices.rs`, `words.rs`, `reply.rs` | commands with exactly one interpretation, one file
//! each; the device list; words of a sentence; yes and no |
//! | `speakable/` | speakable texts |

mod messages;

mod devices;
mod intents;
mod reply;
mod speakable;
mod words;

pub use devices::{Device, DeviceList, parse_devices};
pub use intents::{Command, Does, Reading, Tells, choose, could_be_of_device, read as read_intent};
pub use messages::hermes::{HermesIn, read_hermes};
pub use messages::transcription::{Arrived, PayloadError, is_stale, read_payload};
pub use messages::wyoming::{Event, FrameError, Frames};
pub use messages::{MAX_PAYLOAD_BYTES, MAX_TEXT_CHARS};
pub use reply::{Reply, reply_of};
pub use speakable::{MAX_SPOKEN_CHARS, Sentences, speakable, speakable_failure};
