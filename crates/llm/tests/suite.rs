//! The behaviour of this crate, one module for each subject, linked as one program: a program for each file costs minutes and gigabytes.

mod amplification;
mod call_stage;
mod calls;
mod changed_upstreams;
mod exchange;
mod golden;
mod namespaces;
mod odd_streams;
mod one_table;
mod parameter_names;
mod pass_documents;
mod pass_scenarios;
mod pass_streams;
#[path = "pass/support.rs"]
mod pass_support;
mod robust;
mod roundtrip;
mod small_faults;
mod support;
