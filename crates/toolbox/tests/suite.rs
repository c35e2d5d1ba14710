//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

mod connection_log;
mod kept;
mod laws;
mod noise;
mod resting;
mod scripted;
mod search_quality;
mod supervisor;
mod use_tool;
mod use_tool_strict;
