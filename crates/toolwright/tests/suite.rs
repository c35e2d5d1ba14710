//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

mod api;
mod audit;
mod audit_power;
mod call_surroundings;
mod calls;
mod commands;
mod console;
mod desk;
mod gateway;
mod learn;
mod ledger_settings;
mod normalize;
mod notes;
mod program;
mod seed_004_calls;
mod seed_004_stats;
mod serve;
mod serve_end;
mod serve_kept_out;
mod serve_no_commands;
mod serve_reload;
mod servers;
mod servers_end_to_end;
mod shared_store;
mod stdio;
mod tokens;
