//! All integration tests of speech, in one binary.

mod intents;
mod payloads;
mod reply;
mod speakable;
