//! Everything that is tested of the voice, in one program.

mod support;

mod broker_inside;
mod brokers;
mod clients;
mod confirmations;
mod policy;
mod reconnect;
mod transcriber;
mod wyoming;
