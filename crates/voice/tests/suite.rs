//! All integration tests of the voice, in one binary.

mod support;

mod broker_inside;
mod brokers;
mod clients;
mod confirmations;
mod policy;
mod reconnect;
mod transcriber;
mod wyoming;
