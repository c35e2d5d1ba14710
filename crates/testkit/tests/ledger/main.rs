//! The ledger of a whole gateway when its surroundings fail: the disk, the clock, and callers who send secrets.

#![cfg(target_os = "linux")]

mod clocks;
mod disk;
mod faults;
mod full_disk;
mod planted;
mod secrets;
mod support;
