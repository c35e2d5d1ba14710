//! Everything that is tested of what is said, in one program.

mod intents;
mod payloads;
mod reply;
mod speakable;
