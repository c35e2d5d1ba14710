//! All integration tests of the agent, one module per subject, in one binary.

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
