//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

mod carried;
mod child;
mod era;
mod eras;
mod figures;
mod figures_memory;
mod gateway_load;
mod gateway_names;
mod gateway_secrets;
mod gateway_spellings;
mod guard;
mod hostile;
mod http_modern;
mod http_streamable;
mod http_ways;
mod looked_after;
mod oauth;
mod peers;
mod real_servers;
mod reload;
mod seed_001_servers;
mod spellings;
mod supervised;
mod tool_headers;
mod web;
