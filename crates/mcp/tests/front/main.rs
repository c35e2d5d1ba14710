//! The protocol towards clients, with a scripted service behind it.

mod headers;
mod legacy;
mod modern;
mod parked;
mod reading;
mod scripted;
mod stdio;
mod streams;
