//! The behaviour of this crate, one module for each subject, linked as one program.

mod keys;
mod laws;
mod sample;
mod views;
mod watching;
