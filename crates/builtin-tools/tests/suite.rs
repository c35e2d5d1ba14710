//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

#![allow(clippy::unwrap_used, reason = "a test that cannot prepare itself stops")]

mod datetime;
mod files_batch;
mod files_docs;
mod files_escape;
mod files_kept_out;
mod files_laws;
mod files_moves;
mod files_refusals;
mod files_rules;
mod files_support;
mod files_tools;
mod files_walk;
mod files_words;
mod search_web;
mod search_web_support;
mod volume;
