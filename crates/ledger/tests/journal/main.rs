//! The journal, as those see it who write it, read it, kill it and spoil it.

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
