//! What is said, as data: messages out of bytes, sentences as commands, texts that can be said aloud.
//!
//! Everything here is a plain function: no runtime, no network, no clock, no tools. `toolwright-voice` is what listens and
//! answers.
//!
//! Start with [`read_payload`], [`read_intent`] and [`speakable`].
//!
//! # Files
//!
//! | where | what |
//! |---|---|
//! | `messages/` | messages and events out of bytes, one file for each protocol |
//! | `intents/`, `devices.rs`, `words.rs`, `reply.rs` | commands with exactly one reading, one file each; devices by their own list; a sentence as words; yes and no |
//! | `speakable/` | texts that can be said aloud |

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
