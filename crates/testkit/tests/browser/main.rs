//! The pages in a real browser: how they look, how they move, and what nobody gets them to do.
//!
//! What the browser does stands in `crates/testkit/browser`, one file for each subject. Pictures of every page are left in
//! `screenshots` of the target folder.

#![cfg(unix)]

#[path = "../../../../tests/servers/installed.rs"]
mod installed;

mod looks;
mod moves;
mod stage;
mod strangers;
