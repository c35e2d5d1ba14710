//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs
//! minutes and gigabytes.

mod exchanges;
mod learn;
mod patterns;
mod stats;
mod stats_and_monitoring;
