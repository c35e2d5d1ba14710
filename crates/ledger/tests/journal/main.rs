//! The journal from outside: writing, reading, kills and damage.

#![allow(missing_docs)]

mod basics;
mod child;
mod clocks;
mod damage;
mod faults;
mod kills;
mod laws;
mod load;
mod recovery;
mod retention;
mod support;
