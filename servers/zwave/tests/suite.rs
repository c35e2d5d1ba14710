//! The program without devices; `crates/testkit/tests/house` tests it with devices.

mod program;
