//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

mod concurrency;
mod executor;
mod laws;
mod limits;
mod observers;
mod registry;
mod replaced;
mod responses;
mod sentences;
mod support;
mod zwave_parameter_names;
