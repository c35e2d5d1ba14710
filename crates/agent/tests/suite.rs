//! The behaviour of this crate, one module for each subject, linked as one program.

mod ai_clients;
mod cancelling;
mod clients;
mod confirming;
mod conversations;
mod failures;
mod history;
mod laws;
mod limits;
mod rounds;
mod sentences;
mod stage;
