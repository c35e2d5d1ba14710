//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

mod kept;
mod laws;
mod noise;
mod resting;
mod scripted;
mod search_quality;
mod seed_001_log;
mod seed_002_strict;
mod seed_002_use_tool;
mod supervisor;
