//! The behaviour of this crate, one module for each subject, linked as one program.

mod cancelling;
mod clients;
mod confirming;
mod conversations;
mod failures;
mod history;
mod laws;
mod limits;
mod rounds;
mod seed_001_ai_clients;
mod sentences;
mod stage;
